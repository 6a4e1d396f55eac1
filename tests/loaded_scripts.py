"""Scripts and examples as modules, for tests of what is in them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType


def loaded_script(path: Path) -> ModuleType:
    """The module of a file that is not on the path."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
