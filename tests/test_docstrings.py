"""Every public function, class, method and property says in a docstring what it is."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import dalembert as da

SOURCE = Path(__file__).parents[1] / "src" / "dalembert"


def public(node: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Public functions and classes of a module, and public methods and properties of its public classes."""
    for child in node.body:
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not child.name.startswith("_"):
            yield prefix + child.name, child
            if isinstance(child, ast.ClassDef):
                yield from public(child, f"{prefix}{child.name}.")


def undocumented(text: str) -> list[str]:
    """Public names of a module without a docstring; the module itself counts as one."""
    tree = ast.parse(text)
    names = [name for name, node in public(tree) if not ast.get_docstring(node)]  # type: ignore[arg-type]
    return names if ast.get_docstring(tree) else ["module", *names]


def test_a_public_name_without_a_docstring_is_found() -> None:
    text = '"""A module."""\ndef a():\n    """A."""\ndef b(): ...\n'
    text += 'class C:\n    """C."""\n    def d(self): ...\n    def _e(self): ...\n'
    assert undocumented(text) == ["b", "C.d"]


def test_every_public_name_has_a_docstring() -> None:
    modules = {
        path.relative_to(SOURCE).as_posix(): undocumented(path.read_text(encoding="utf-8"))
        for path in SOURCE.rglob("*.py")
    }
    missing = {module: names for module, names in modules.items() if names}
    assert not missing, f"without a docstring: {missing}"


EXAMPLES = sorted(path for path in SOURCE.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_the_examples_of_docstrings_print_what_they_say(path: Path) -> None:
    """``help(da.load)`` and the like have examples; they run as they stand."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    module = import_module(".".join(part for part in parts if part != "__init__"))
    failed, _ = doctest.testmod(module)
    assert not failed


def test_what_is_asked_first_has_an_example() -> None:
    for name in (
        da.load, da.quintic, da.Arm.from_dh, da.Arm.holding, da.Arm.inverse_dynamics, da.Arm.mass_matrix,
        da.Arm.forward_kinematics, da.Arm.equations, da.Arm.analysis, da.Arm.simulate,
    ):  # fmt: skip
        assert ">>> " in (name.__doc__ or ""), name
