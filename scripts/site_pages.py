#!/usr/bin/env python3
"""Gathers the pages of the site: those of docs/, the files beside it, the reference, the commands and the gallery.

    python scripts/site_pages.py [FOLDER]       # build/docs; then: mkdocs build

Pages of docs/ are copied, with links to files beside docs/ (README.md) turned to the pages made of these. Which
program then makes a site of the folder is no matter of this script.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

REFERENCE = {
    "Arms": [
        "load", "catalog", "Arm", "DrivenArm", "System", "Load", "Inertia", "Link", "LinkShape", "Joint", "Limits",
        "Placement", "Angle", "DHRow", "Follows", "Force", "JointSpring", "JointDamper", "PointSpring", "si", "in_unit",
    ],
    "Equations": ["Equations", "TrigPolynomial", "Legend"],
    "Kernels": ["Kernel"],
    "Design and proofs": [
        "Analysis", "Range", "Coupling", "Couplings", "PoseCoupling", "TermShare", "TermShares", "Review", "Compared",
        "LoadTables", "SimplifiedModel", "ReducedModel", "ReducedCoefficient", "ShortFormModel", "check_certificate",
        "CheckedCertificate", "Report", "StatePage", "MotionPage",
    ],
    "Drives": ["DriveTrain", "Motor", "Actuator", "Element", "Rotor", "MovingBody", "Friction", "Coulomb", "Stribeck"],
    "Simulation and control": [
        "simulate", "Motion", "motion_of", "InputTable", "LoadChange", "ComputedTorque", "PDGravity",
        "OperationalSpace", "ServoFollowingInertia", "StateFeedback", "VoltageFeedback", "lqr", "tracking_lqr",
        "tracking_poles", "quintic", "trapezoidal", "requirements", "Requirements", "LinearModel",
    ],
    "Kinematics and trajectories": [
        "JointSolutions", "Manipulability", "spline", "s_curve", "timed", "line_path", "arc_path", "time_optimal",
        "TimeOptimal",
    ],
    "Studies": [
        "study", "load_study", "Study", "StudyResult", "Factor", "Output", "design_numbers", "optimize_design",
        "DesignOptimum", "stream", "write_study_page",
    ],
    "FMUs": ["write_fmu", "WrittenFmu"],
    "The studio": ["Studio", "MechanismStudio"],
    "Identification": ["Log", "identify", "Identification", "IdentifiedLoad", "excitation", "Excitation"],
    "Mechanisms": [
        "load_mechanism", "Mechanism", "MechanismSystem", "Closure", "FrameOn", "Gear", "JointCoupling", "Spring",
        "Motors", "Redundant", "ManyMotions", "ParameterSensitivity", "carrying", "free_body", "compare_drives",
        "conditioning_map", "MechanismPage", "write_mechanism_page", "write_mechanism_picture",
    ],
    "Errors and warnings": [
        "ArmError", "SimulationError", "SimulationInterrupt", "CertificateError", "AssemblyWarning", "PhysicalWarning",
        "RoundedWarning", "SkippedWarning", "ToleranceWarning", "TurnWarning",
        "UnitWarning",
    ],
}  # fmt: skip
"""Pages of the reference and the public names on each."""

COPIED = {
    "start.md": "README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "benchmarks-gpu.md": "benchmarks/results/gpu.md",
}
"""Pages of the site that are files beside docs/."""

EXAMPLES = {
    "five_bar.png": ("A five-bar linkage", "python examples/mechanisms/five_bar.py"),
    "slider_crank.png": ("A slider-crank with a spring", "python examples/mechanisms/slider_crank.py"),
    "bricard.png": ("Bricard's overconstrained loop", "python examples/mechanisms/bricard.py"),
    "three_rrr.png": ("A planar parallel robot, 3-RRR", "python examples/mechanisms/three_rrr.py"),
    "stewart.png": ("A Stewart platform", "python examples/mechanisms/stewart.py"),
    "six_actuator.png": ("A parallel robot with six actuators", "python examples/mechanisms/six_actuator.py"),
    "parallel_serial.png": ("An arm on a parallel shoulder", "python examples/mechanisms/parallel_serial.py"),
    "two_pumas.png": ("Two arms and one object", "python examples/mechanisms/two_pumas.py"),
    "hand.png": ("A hand that grasps", "python examples/mechanisms/hand.py"),
    "panda.png": ("A redundant arm", "python examples/mechanisms/panda.py"),
    "page.png": ("The page of a mechanism", "dalembert mechanism examples/mechanisms/five_bar.toml --page page.html"),
}
"""Pictures in docs/mechanisms, and the command that makes each."""


def slug(title: str) -> str:
    """The name of a page in the address."""
    return re.sub(r"[^a-z]+", "-", title.lower()).strip("-")


def gather(folder: Path) -> None:
    """Fill ``folder`` with everything that the site is made of; what was there before goes."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    for page in sorted((ROOT / "docs").rglob("*.md")):
        put(folder, page.relative_to(ROOT / "docs").as_posix(), page.read_text(encoding="utf-8"))
    for uri, source in COPIED.items():
        put(folder, uri, (ROOT / source).read_text(encoding="utf-8"), source)
    for title in REFERENCE:
        put(folder, f"reference/{slug(title)}.md", reference(title))
    put(folder, "commands.md", commands())
    put(folder, "gallery.md", gallery(folder / "gallery"))


def put(folder: Path, uri: str, markdown: str, source: str | None = None) -> None:
    """Write one page; ``source`` is the file of the project that it is made of, where links in it start from."""
    place = folder / uri
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(linked(markdown, uri, source or f"docs/{uri}"), encoding="utf-8")


def linked(markdown: str, uri: str, source: str) -> str:
    """Links between files of the project, as links between pages of the site."""
    pages = {origin: made for made, origin in COPIED.items()}

    def target(match: re.Match[str]) -> str:
        path, anchor = match[1], match[2] or ""
        if "://" in path:
            return match[0]
        at = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        to = pages.get(at, at.removeprefix("docs/"))
        return f"]({posixpath.relpath(to, posixpath.dirname(uri) or '.')}{anchor})"

    return re.sub(r"\]\(([^)#\s]+)(#[^)]*)?\)", target, markdown)


def reference(title: str) -> str:
    """A page of the reference: what each name is, from its docstring."""
    return f"# {title}\n\n" + "\n".join(f"::: dalembert.{name}\n" for name in REFERENCE[title])


def commands() -> str:
    """Every command with its arguments and options, as ``--help`` has them; the boxes that many share come last."""
    import typer

    from dalembert.cli.run import COMMANDS, application

    lines = ["# Commands", "", "`dalembert COMMAND --help` says the same in a terminal.", ""]
    shared: dict[str, dict[str, Any]] = {}
    for name in COMMANDS:
        group = typer.main.get_command(application([name]))
        command = group.commands[name] if hasattr(group, "commands") else group
        own = [x for x in command.params if not getattr(x, "rich_help_panel", None)]
        boxes: dict[str, list[str]] = {}
        for parameter in command.params:
            if parameter not in own:
                shared.setdefault(parameter.rich_help_panel, {}).setdefault(parameter.name, parameter)
                boxes.setdefault(parameter.rich_help_panel, []).append(f"`{parameter.opts[0]}`")
        lines += [f"## dalembert {name}", "", command.help or "", "", *options_table(own)]
        lines += [f"[{box}](#{anchor(box)}): {', '.join(options)}.\n" for box, options in boxes.items()]
    for box, options in shared.items():
        lines += [f"## {box}", "", *options_table(list(options.values()))]
    return "\n".join(lines)


def options_table(parameters: list[Any]) -> list[str]:
    """The lines of a table of arguments and options."""
    lines = ["| | default | meaning |", "|---|---|---|"] if parameters else []
    for parameter in parameters:
        words = ", ".join(f"`{word}`" for word in (*parameter.opts, *parameter.secondary_opts))
        if parameter.param_type_name == "argument":
            words = f"`{(parameter.metavar or parameter.name or '').strip('{}[]').upper()}`"
        default = parameter.default
        shown = (
            ""
            if default in (None, False, (), [], "") or callable(default)
            else f"`{getattr(default, 'value', default)}`"
        )
        lines.append(f"| {words} | {shown} | {cell(getattr(parameter, 'help', None) or '')} |")
    return [*lines, ""]


def anchor(heading: str) -> str:
    """The anchor that a heading gets."""
    return heading.lower().replace(" ", "-")


def cell(text: str) -> str:
    """A text as one cell of a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def gallery(folder: Path) -> str:
    """The page with every arm of the catalog, the mechanisms and the figures; draws the arms into ``folder``."""
    import dalembert as da

    folder.mkdir(parents=True, exist_ok=True)
    arms = []
    for name in da.catalog():
        arm = da.load(name, physical="ignore")
        arm.picture(folder / f"{name}.svg")
        arms.append((f"gallery/{name}.svg", arm.title or name, f"dalembert show {name} --picture {name}.svg"))
    mechanisms = [(f"mechanisms/{file}", title, command) for file, (title, command) in EXAMPLES.items()]
    figures = [
        (f"bejczy/figure-{number}.svg", f"Bejczy 1974, Fig. {number}", "python examples/bejczy_figures.py")
        for number in range(3, 12)
    ]
    figures.append(("lee/figure-2.svg", "Lee, Lee and Nigam 1982, Fig. 2", "python examples/lee_figure_2.py"))
    parts = {"Arms of the catalog": arms, "Mechanisms": mechanisms, "Figures of the sources, redrawn": figures}
    lines = ["# Gallery", "", "Each picture with the command that makes it.", ""]
    for title, pictures in parts.items():
        lines += [f"## {title}", "", '<div class="grid cards" markdown>', ""]
        for source, caption, command in pictures:
            lines += [f"-   ![{caption}]({source})", "", f"    {caption}", "", f"    `{command}`", ""]
        lines += ["</div>", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    gather(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "docs")
