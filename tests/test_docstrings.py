"""Every public function, class, method and property says in a docstring what it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "dalembert"

# Files with public names that have no docstring yet, and how many. The list only shrinks: a file with fewer than its
# number must be given its new number, or taken off.
MISSING: dict[str, int] = {
    "arm/description.py": 2,
    "arm/drives.py": 4,
    "cli/dynamics_command.py": 2,
    "cli/geometry.py": 1,
    "cli/mechanism_command.py": 6,
    "cli/printing.py": 4,
    "cli/ranges_command.py": 1,
    "cli/run.py": 1,
    "cli/show_command.py": 2,
    "compile/kernel.py": 1,
    "compile/peers.py": 1,
    "compile/timing.py": 1,
    "compile/write_c.py": 5,
    "control/controllers.py": 2,
    "control/requirements.py": 1,
    "design/counterbalance.py": 3,
    "equations/attribution.py": 1,
    "equations/closed_form.py": 1,
    "equations/restricted.py": 3,
    "formulations/chain.py": 1,
    "formulations/factor.py": 2,
    "mechanisms/assembly.py": 4,
    "mechanisms/chain_frames.py": 4,
    "mechanisms/closures.py": 1,
    "mechanisms/coordinate_kinematics.py": 2,
    "mechanisms/coordinates.py": 1,
    "mechanisms/gallery.py": 1,
    "mechanisms/jets.py": 3,
    "mechanisms/linearize.py": 2,
    "mechanisms/mechanism.py": 1,
    "mechanisms/mounting.py": 3,
    "mechanisms/position.py": 1,
    "mechanisms/redundant.py": 1,
    "mechanisms/transfer.py": 1,
    "reduction/parameters.py": 1,
    "reduction/program_functions.py": 1,
    "reduction/reduced_model.py": 1,
    "reduction/states.py": 2,
    "report/arm3d.py": 3,
    "report/bejczy.py": 1,
    "report/reductions.py": 1,
    "report/section.py": 2,
    "report/sections/along_section.py": 1,
    "report/sections/closed_loop_section.py": 2,
    "report/sections/comparison_section.py": 3,
    "report/sections/coupling_section.py": 4,
    "report/sections/description_section.py": 6,
    "report/sections/drawing_section.py": 1,
    "report/sections/equations_section.py": 4,
    "report/sections/importance_section.py": 4,
    "report/sections/ranges_section.py": 10,
    "report/sections/reduced_section.py": 9,
    "report/sections/review_section.py": 3,
    "report/sections/short_forms_section.py": 3,
    "report/sections/significance_section.py": 1,
    "report/sections/structure_section.py": 4,
    "report/sweeps.py": 1,
    "simulation/motion_files.py": 2,
    "simulation/native.py": 1,
    "simulation/plant.py": 5,
    "simulation/simulate.py": 10,
}


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


def by_file() -> dict[str, list[str]]:
    """The undocumented public names of every file of the package."""
    return {
        path.relative_to(SOURCE).as_posix(): undocumented(path.read_text(encoding="utf-8"))
        for path in SOURCE.rglob("*.py")
    }


def test_every_public_name_has_a_docstring() -> None:
    more = {name: names for name, names in by_file().items() if len(names) > MISSING.get(name, 0)}
    assert not more, f"without a docstring: {more}"


def test_the_list_of_files_without_docstrings_is_up_to_date() -> None:
    counts = {name: len(names) for name, names in by_file().items()}
    stale = {name: counts.get(name, 0) for name, count in MISSING.items() if counts.get(name, 0) < count}
    assert not stale, f"fewer are missing now; write these numbers into the list, and take zeros off: {stale}"
