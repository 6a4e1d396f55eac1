"""The page of coverage tells of names, commands, options and tests that exist."""

from __future__ import annotations

import importlib
import re
import shlex
from functools import cache
from pathlib import Path

import pytest
import typer

import dalembert
from dalembert.cli.run import COMMANDS, application

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "coverage.md").read_text()
ROWS = [
    tuple(cell.strip() for cell in line.strip().strip("|").split(" | "))
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| item |")
]


def resolved(name: str) -> object:
    """What a dotted name stands for: below the package's public names (``da.``), or in a module of ours."""
    head, *rest = name.removesuffix("()").split(".")
    if head == "da":
        found: object = dalembert
    else:
        found = importlib.import_module(f"dalembert.{head}")
    for part in rest:
        if hasattr(found, part):
            found = getattr(found, part)
        else:
            found = importlib.import_module(f"{found.__name__}.{part}")  # type: ignore[attr-defined]
    return found


@cache
def options_of(command: str) -> set[str]:
    """The options a command takes."""
    whole = typer.main.get_command(application(list(COMMANDS)))
    return {
        option
        for parameter in whole.commands[command].params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }  # type: ignore[attr-defined]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_names_what_exists(row):
    assert len(row) == 4, "a row has an item, a subject, names or commands, and checks"
    _, _, where, checks = row
    places = re.findall(r"`([^`]+)`", where)
    assert places, "a row says where the item lives"
    for place in places:
        if place.startswith("dalembert "):
            _, command, *rest = shlex.split(place)
            assert {word.partition("=")[0] for word in rest if word.startswith("-")} <= options_of(command)
        elif place.startswith(("docs/", "examples/")):
            assert (ROOT / place).exists()
        else:
            resolved(place)
    tests = re.findall(r"`([^`]+)`", checks)
    assert tests, "a row says what checks it"
    for test in tests:
        path, _, name = test.partition("::")
        assert (ROOT / path).is_file()
        assert not name or re.search(rf"\bdef {re.escape(name)}\b", (ROOT / path).read_text())
