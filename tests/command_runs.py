"""Commands as tests run them: an arm with drives in a folder, a question to each command, the words of each option."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import shaping_options
from dalembert.cli.run import BAD_INPUT, main
from dalembert.cli.shaping_options import READING
from simulated_logs import motion

SHAPE = {name: kind for name, kind in shaping_options.SHAPE.items() if name not in READING}
"""Options that shape the system of any arm; those that say how a file is read are asked of one where they matter."""
DRIVES = """
[[motors]]
name = "motor1"
ratios = {joint1 = 40}
rotor = {inertia = 4e-4, link = "base", axis = [0, 0, 1]}
friction = {coulomb = 0.02, viscous = 3e-4}

[[motors]]
name = "motor2"
ratios = {joint1 = 5, joint2 = 30}
rotor = {inertia = 3e-4, link = "link1", axis = [0, 0, 1], position = [-0.1, 0, 0], mass = 0.5, counted = false}
friction = {coulomb = 0.01, viscous = 2e-4}
"""
LOAD = "1.5,0.02,0.03,0.05:0.06"
HELD = da.Load.of(da.Inertia.box(1.5, (0.06,) * 3), (0.02, 0.03, 0.05))


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str
    files: dict[str, str]

    @property
    def sentences(self) -> list[str]:
        return [line for line in self.err.splitlines() if not line.startswith("note: ")]


STUDY = """arm = "arm.toml"
samples = 2
factor = [{name = "load.mass", low = 0, high = 1}]
output = [{kind = "natural_frequency", stiffness = 1000}]
"""


def command_folder(made: Path) -> Path:
    """An arm with drives, and other drives for it."""
    plain = da.load("planar-2r").write_toml()
    (made / "arm.toml").write_text(plain + DRIVES.replace("[[motors]]", "[[drives.motors]]"), encoding="utf-8")
    (made / "study.toml").write_text(STUDY, encoding="utf-8")
    (made / "mechanism.toml").write_text('gravity = [0, -9.81, 0]\n[chain.only]\narm = "arm.toml"\n', encoding="utf-8")
    (made / "drives.toml").write_text(DRIVES.replace("4e-4", "9e-4"), encoding="utf-8")
    t, q, qd, qdd = motion(2)
    torque = da.load("planar-2r").inverse_dynamics(q, qd, qdd)
    np.savetxt(
        made / "log.csv", np.column_stack([t, q, torque]), delimiter=",", header="t,q1,q2,tau1,tau2", comments=""
    )
    return made


def run(folder: Path, *words: object) -> Result:
    """The command in an empty folder of its own, with whatever it writes there."""
    place = folder / f"run{len(list(folder.iterdir()))}"
    place.mkdir()
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(place),
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patch.setenv("COLUMNS", "120")
        code = main([str(word) for word in words])
    files = {str(p.relative_to(place)): p.read_text("utf-8") for p in sorted(place.rglob("*")) if p.is_file()}
    return Result(code, out.getvalue(), err.getvalue(), files)


def certificate_of(arm: str) -> str:
    """A certificate of the arm, beside its file."""
    path = Path(arm).with_suffix(".json")
    if not path.exists():
        da.load(arm).analysis(gap=0.1).certificate(path, "D11")
    return str(path)


def reached(arm: str) -> str:
    """A point that the hand reaches with the second joint locked, too."""
    return ",".join(f"{x:.17g}" for x in da.load(arm).forward_kinematics([0.4, 0.3])[:3, 3])


# -- what an option means ------------------------------------------------------------------------------

System = da.Arm | da.DrivenArm
WORDS: dict[str, Callable[[Path], list[str]]] = {
    "load": lambda folder: ["--load", LOAD],
    "drives": lambda folder: ["--drives"],
    "rotors": lambda folder: ["--rotors", "diagonal"],
    "drives_file": lambda folder: ["--drives-file", str(folder / "drives.toml")],
    "gravity": lambda folder: ["--gravity", "0,0,-9.81"],
    "lock": lambda folder: ["--lock", "joint2=0.3"],
    "box": lambda folder: ["--box", "joint2=0.2:0.9"],
    "speed": lambda folder: ["--speed", "0.7"],
    "acceleration": lambda folder: ["--acceleration", "1.3"],
}
"""Each option as it is written."""
SHAPED: dict[str, Callable[[da.Arm, Path], System]] = {
    "load": lambda arm, folder: arm.holding(HELD),
    "drives": lambda arm, folder: arm.driven,
    "rotors": lambda arm, folder: arm.driven.approximate("diagonal"),
    "drives_file": lambda arm, folder: arm.with_drives(folder / "drives.toml"),
    "gravity": lambda arm, folder: arm.with_gravity((0, 0, -9.81)),
    "lock": lambda arm, folder: arm.locked({"joint2": 0.3}),
}
"""The system that each option means, in Python."""
ASKED: dict[str, dict[str, object]] = {
    "box": {"box": {"joint2": (0.2, 0.9)}},
    "speed": {"speed": 0.7},
    "acceleration": {"acceleration": 1.3},
}
"""The states that each option means, in Python."""
PLAIN: dict[str, Callable[[str], list[str]]] = {
    "list": lambda arm: [],
    "doctor": lambda arm: [],
    "identify": lambda arm: [arm, str(Path(arm).with_name("log.csv")), "--json"],
    "excite": lambda arm: [arm, "--generations", "2", "--harmonics", "2", "--json"],
    "show": lambda arm: [arm],
    "dynamics": lambda arm: [arm, "--json"],
    "convert": lambda arm: [arm, "--to", "toml"],
    "demo": lambda arm: ["--no-report"],
    "equations": lambda arm: [arm, "--parameters", "numbers"],
    "structure": lambda arm: [arm, "--parameters", "numbers"],
    "verify": lambda arm: [arm, "tau1 = 0", "--parameters", "numbers"],
    "base-parameters": lambda arm: [arm],
    "ranges": lambda arm: [arm, "--json"],
    "reduce": lambda arm: [arm, "--tolerance", "0.1", "--json"],
    "check": lambda arm: [certificate_of(arm)],
    "significance": lambda arm: [arm, "--json"],
    "coupling": lambda arm: [arm, "--json"],
    "review": lambda arm: [arm],
    "report": lambda arm: [arm, "--json", "all.json", "--tolerance", "0.3"],
    "codegen": lambda arm: [arm, "-f", "bias"],
    "operations": lambda arm: [arm],
    "bench": lambda arm: [arm, "--states", "1"],
    "ik": lambda arm: [arm, "--pose", reached(arm), "--task", "position", "--json"],
    "simulate": lambda arm: [arm, "--duration", "0.05", "--tolerance", "1e-6", "--json"],
    "mechanism": lambda arm: [arm.replace("arm.toml", "mechanism.toml")],
    "study": lambda arm: [arm.replace("arm.toml", "study.toml")],
    "studio": lambda arm: [arm, "--port", "0", "--no-browser"],
}
"""A question to each command."""


def words_of(options: Sequence[str], folder: Path) -> list[str]:
    return [word for option in options for word in WORDS[option](folder)]


def shaped(arm: da.Arm, options: Sequence[str], folder: Path) -> System:
    """The system of several options, in the order in which they are read."""
    made: System = arm
    for option in sorted(options, key=["lock", "gravity", "load", "drives", "rotors", "drives_file"].index):
        made = SHAPED[option](made, folder)  # type: ignore[arg-type]
    return made


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command that succeeds prints."""
    code = main([*words])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    return captured.out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command says that refuses these words."""
    assert main([*words]) == BAD_INPUT
    return capsys.readouterr().err
