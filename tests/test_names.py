"""One name for one thing: no two modules and no two public classes of the package share a name."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import dalembert

ROOT = Path(dalembert.__file__).parent
FILES = [path for path in ROOT.rglob("*.py") if path.name != "__init__.py"]


def test_no_two_modules_have_one_name() -> None:
    places = defaultdict(list)
    for path in FILES:
        places[path.stem].append(str(path.relative_to(ROOT)))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_no_two_public_classes_have_one_name() -> None:
    places = defaultdict(list)
    for path in FILES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
