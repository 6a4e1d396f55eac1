"""The list of mutants is alive: each breaks one line that is there, and names tests that are there."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MUTANTS = tomllib.loads((ROOT / "scripts" / "mutants.toml").read_text(encoding="utf-8"))["mutant"]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant["name"])
def test_a_mutant_breaks_one_place_that_is_there(mutant: dict[str, str]) -> None:
    text = (ROOT / "src" / "dalembert" / mutant["file"]).read_text(encoding="utf-8")
    assert text.count(mutant["find"]) == 1
    assert mutant["replace"] != mutant["find"]
    for test in mutant["tests"]:
        assert (ROOT / test.partition("::")[0]).exists()


def test_mutants_have_names_of_their_own() -> None:
    names = [mutant["name"] for mutant in MUTANTS]
    assert len(set(names)) == len(names)
