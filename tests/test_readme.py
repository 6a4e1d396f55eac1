"""The README's examples run as pasted, and print what it says they print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dalembert.cli import main
from dalembert.compile import build

README = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
PYTHON = [text for kind, text in BLOCKS if kind == "python"]
# A console block holds commands after "$ " and, below each, what it prints; later ones may use files of earlier ones.
SESSIONS = [
    re.findall(r"^\$ (dalembert .*?)\n(.*?)(?=^\$ |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    for kind, text in BLOCKS
    if kind == "console"
]


def plain(text: str) -> str:
    """Without the blanks at the ends of lines, which Markdown does not show."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def test_the_readme_has_examples_of_both_kinds():
    assert PYTHON
    assert SESSIONS


@pytest.mark.parametrize("text", PYTHON)
def test_a_python_example_runs_and_prints_what_its_comments_say(text, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(text, "README.md", "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out.split("\n")
    promised = re.findall(r"^print\(.*\)  # (.*)$", text, flags=re.MULTILINE)
    assert [line for line in printed if line] == promised


@pytest.mark.parametrize("session", SESSIONS)
def test_the_commands_run_in_order_and_print_what_stands_below_them(session, capsys, tmp_path, monkeypatch):
    assert session
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for command, output in session:
        assert main(shlex.split(command, comments=True)[1:]) == 0
        printed = capsys.readouterr().out
        if output.strip():
            assert plain(printed) == plain(output)


PAGES = sorted((Path(__file__).parents[1] / "docs").rglob("*.md"))


@pytest.mark.filterwarnings("ignore::dalembert.arm.errors.RoundedWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_examples_of_a_page_of_the_docs_run_in_order(page, tmp_path, monkeypatch):
    """Blocks marked ``python`` run, each page as one session; what needs a GPU is marked ``py``."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for text in re.findall(r"^```python\n(.*?)^```$", page.read_text(), flags=re.MULTILINE | re.DOTALL):
        exec(compile(text, page.name, "exec"), names)


def _chained(page: Path) -> list[list[str]]:
    """Blocks of commands of which a later one reads what an earlier one wrote: they run in order."""
    blocks = re.findall(r"^```console\n(.*?)^```$", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    commands = [re.findall(r"^\$ (dalembert .*)$", block, flags=re.MULTILINE) for block in blocks]
    return [block for block in commands if any(command.startswith("dalembert check") for command in block)]


@pytest.mark.parametrize("block", [block for page in PAGES for block in _chained(page)])
def test_commands_of_the_docs_that_go_together_end_well(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in block:
        assert main(shlex.split(command, comments=True)[1:]) == 0


COMMANDS = sorted(
    {command for page in PAGES for command in re.findall(r"^\$ (dalembert .*)$", page.read_text(), flags=re.MULTILINE)}
    - {command for session in SESSIONS for command, _ in session}
    - {command for page in PAGES for block in _chained(page) for command in block}
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_docs_ends_well(command, capsys, tmp_path, monkeypatch):
    monkeypatch.delenv(build.SWITCH, raising=False)  # as on a user's machine: compiled where it can be
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(Path(__file__).parents[1] / "examples")
    assert main(shlex.split(command, comments=True)[1:]) == 0
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("page", [Path(__file__).parents[1] / "README.md", *PAGES], ids=lambda page: page.name)
def test_every_link_of_a_page_leads_to_a_file(page):
    for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
        assert target.startswith("http") or (page.parent / target).exists(), target
