"""Every public function, class, method and property says in a docstring what it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

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
