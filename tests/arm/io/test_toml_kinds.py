"""A TOML file is told by what it describes, and the reader of another kind says where it belongs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import dalembert as da
from dalembert.arm.io.toml_kinds import DOORS, kind_of

EXAMPLES = Path(__file__).parents[3] / "examples"
FILES = {
    "an arm": EXAMPLES.parent / "src" / "dalembert" / "arm" / "catalog" / "planar-2r.toml",
    "a mechanism": EXAMPLES / "mechanisms" / "five_bar.toml",
    "a study": EXAMPLES / "studies" / "puma_gears.toml",
    "the drives of an arm": EXAMPLES / "drives" / "irb6-screws.toml",
}
READERS: dict[str, Callable[[Path], object]] = {
    "an arm": da.load,
    "a mechanism": da.load_mechanism,
    "a study": da.load_study,
    "the drives of an arm": da.load("irb6").with_drives,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", FILES)
def test_each_reader_takes_its_own_kind_and_says_where_others_belong(reader: str, kind: str) -> None:
    if reader == kind:
        assert READERS[reader](FILES[kind])
        return
    with pytest.raises(da.ArmError) as caught:
        READERS[reader](FILES[kind])
    assert str(caught.value) == f"{FILES[kind]}: describes {kind}, not {reader}; {DOORS[kind]}"


def test_a_file_that_does_not_tell_is_left_to_its_reader() -> None:
    assert kind_of({"name": "x"}) is None
