"""docs/house.md tells the truth about the tree: which rooms use which, and where each step of a call is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from loaded_scripts import loaded_script

ROOT = Path(__file__).resolve().parents[1]
HOUSE = loaded_script(ROOT / "scripts" / "draw_house.py")
PAGE = HOUSE.PAGE


def test_the_drawing_and_the_table_are_those_of_the_imports() -> None:
    """Else: python scripts/draw_house.py"""
    edges = HOUSE.imports()
    shown = {edge for edge in edges if not HOUSE.implied(edge, edges)}
    text = PAGE.read_text(encoding="utf-8")
    assert HOUSE.page_of(text, edges, shown) == text
    assert HOUSE.svg(shown) == HOUSE.PICTURE.read_text(encoding="utf-8")
    assert all(HOUSE.ROOMS[a][1] < HOUSE.ROOMS[b][1] for a, b in edges)


def test_every_file_and_name_of_the_page_is_there() -> None:
    """As `compile/kernel.py: Kernel`; a file may stand without its room where the room was named before."""
    paths = list((ROOT / "src" / "dalembert").rglob("*.py"))
    for file, name in re.findall(r"`([\w/]+\.py)(?:: ([\w.]+))?`", PAGE.read_text(encoding="utf-8")):
        found = [path for path in paths if path.as_posix().endswith(f"/{file}")]
        assert found, file
        defined = [names(ast.parse(path.read_text(encoding="utf-8"))) for path in found]
        assert not name or any(set(name.split(".")) <= each for each in defined), f"{file}: {name}"


def names(tree: ast.Module) -> set[str]:
    """All classes and functions that a module defines."""
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef)}
