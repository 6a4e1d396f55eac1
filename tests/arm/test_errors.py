"""Messages: one line, of bounded length, whatever stands in a file."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.arm.errors import LONGEST_SENTENCE, ArmError, SimulationError, printable, sentence


def test_a_message_is_one_printable_line() -> None:
    said = str(ArmError("joint 'a\n\x1b[31mb\0' is odd; rename it"))
    assert said == r"joint 'a\n\x1b[31mb\x00' is odd; rename it"
    assert printable("关节1 ü") == "关节1 ü"


def test_a_long_message_keeps_its_beginning_and_its_remedy() -> None:
    said = str(SimulationError("file.toml: " + "x" * 10_000 + "; mend it there"))
    assert len(said) < LONGEST_SENTENCE
    assert said.startswith("file.toml: ")
    assert said.endswith("; mend it there")
    assert sentence("x" * LONGEST_SENTENCE) == "x" * LONGEST_SENTENCE
    assert len(sentence("a: " + "\ufeff" * 590)) < LONGEST_SENTENCE


@pytest.mark.parametrize(
    "text",
    [
        "<robot>\n" + "".join(f'<link name="{"n" * 200}{i}\n"/>' for i in range(50)) + "</robot>",
        "name = 'a'\n" + "b" * 9000,
    ],
)
def test_files_with_long_names_are_refused_shortly(text: str) -> None:
    with pytest.raises(ArmError) as fault:
        da.load(text)
    assert len(str(fault.value)) <= LONGEST_SENTENCE
    assert str(fault.value).isprintable()
