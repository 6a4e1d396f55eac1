"""Every door through which something from outside comes in, with good inputs to start from.

A target takes a text and either answers or raises ArmError: anything else is an escape.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from dalembert.arm.errors import LONGEST_SENTENCE, ArmError
from dalembert.arm.io.angle_reading import AngleReading
from dalembert.arm.io.expression import angle, quantity
from dalembert.arm.io.files import CATALOG
from dalembert.arm.io.formula_text import read_formula
from dalembert.arm.io.mesh_files import read_mesh
from dalembert.arm.io.toml_drives import read_drives_text

MJCF = """<mujoco model="m"><compiler angle="degree" eulerseq="zYx"/><option gravity="0 0 -9.81"/>
<default><joint damping="1"/><default class="s"><joint type="slide" range="-1 1"/></default></default>
<worldbody><geom type="plane" size="1 1 1"/><body name="a" pos="0 0 1" euler="10 20 30"><joint name="j" axis="1 2 3"/>
<inertial pos="0.1 0 0" mass="2" fullinertia="0.1 0.12 0.14 0.01 0.01 0.01"/><frame pos="1 0 0" zaxis="1 1 1">
<body name="b" quat="1 0.5 0 0"><joint name="k" class="s" pos="0 1 0" ref="0.1"/><joint name="l" stiffness="2"/>
<geom type="capsule" size="0.1 0.2" mass="1"/></body></frame></body></worldbody></mujoco>"""
LOOP = """<mujoco><worldbody>
<body name="a"><joint name="j1" axis="0 0 1"/><geom type="box" size="0.1 0.1 0.1" pos="0.5 0 0"/>
<body name="b" pos="1 0 0"><joint name="j2" axis="0 0 1"/><geom type="sphere" size="0.1"/></body></body>
<body name="c" pos="0 1 0"><joint name="j3" axis="0 0 1"/><geom type="sphere" size="0.2"/></body></worldbody>
<equality><connect body1="b" body2="c" anchor="0 1 0"/><joint joint1="j1" joint2="j3" polycoef="0 1 0 0 0"/></equality>
</mujoco>"""
MECHANISM = """name = "four-bar"
coordinates = ["crank.joint1"]
[chain.crank]
joints = [{name = "joint1", type = "revolute", link = {mass = 1, com = [0.5, 0, 0], inertia = [0, 0.1, 0.1]}},
  {name = "joint2", type = "revolute", xyz = [1, 0, 0], link = {mass = "1/2", com = [1, 0, 0]}}]
[chain.wheel]
joints = [{name = "turn", type = "revolute", link = {mass = 1, inertia = [0.1, 0.1, "1/10"]}}]
[gear.g]
joint = "wheel.turn"
master = "crank.joint1"
ratio = 2
[chain.rocker]
at = {xyz = [3, 0, 0], rpy = [0, 0, "90 deg"]}
joints = [{name = "joint1", type = "revolute", link = {mass = 1}}]
[frame.end]
on = "crank"
at = {xyz = [2, 0, 0]}
[frame.tip]
on = "rocker"
at = {xyz = [2, 0, 0]}
[closure.pin]
a = "end"
b = "tip"
hold = ["x", "y"]
friction = 0.1
[home]
"crank.joint1" = 0.4
"crank.joint2" = "20 deg"
"""
CSV = "t [s],q_joint1 [deg],q_joint2,qd_joint1,qd_joint2 [rad/s]\n" + "".join(
    f"{k / 10},{k},{-k / 7},{k * 0.5},1e-3\n" for k in range(8)
)
INPUTS = "time [ms];joint1 [N m];input_joint2\n0;1;2\n500;1.5;2\n500;0;0\n3000;1;1\n"
STUDY = """name = "s"
arm = "planar-2r"
design = "sobol"
samples = 4
load = {mass = 1, com = [0, 0, 0.1]}
factor = [{name = "load.mass", low = 0, high = 2}, {name = "link.link1.mass", mean = 1.0, sd = 0.1, relative = true},
  {name = "both", numbers = ["length.l1", "length.l2"], values = [0.9, 1.1], relative = true}]
output = [{kind = "peak_torque", joints = ["joint1"]},
  {kind = "natural_frequency", pose = [0.1, "90 deg"], stiffness = 9}]
[motion]
points = [[0, 0], [1, "1/2"]]
times = 1.0
samples = 5
[pareto]
"load.mass" = "most"
[[budget]]
output = "peak_torque.joint1"
[optimize]
objective = "range"
coefficient = "D11"
box = {joint2 = [0, 1]}
limit = [{kind = "mass", most = 9}]
"""
OBJ = "o body\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1/1/1 2/2/2 4\nf -1 -2 -3\nf 2 3 4\n"
FORMULAS = (
    "D11 = m1*l1^2 + Izz1", "D22 = \\frac{1}{3} m_2 l_2^2", "G1 = g*(mx1 + m2*l1)*cos(q1)", "D12 = 1.5 + 0.5 c_2",
    "G2 = 4.905 c_{12}", "C112 = -l1 m2 s2 mx2", "D11 = ((2 + 3)^2)^2/7 - s^2\\theta_2",
)  # fmt: skip
NUMBERS = ("0.4318", "1/3", "-3*pi/4", "90 deg", "(1 + 2)*3/4 - pi", "1e-3 rad", "-(2.5e2)")
JOINT_FORMULAS = ("80*a + 4*sin(b + pi/6)", "sqrt(1 + a*a)/2 - cos(2*a)", "'b' * -3/7 + (a - b)", "-2.5e1*a")
COMMANDS = (
    "show planar-2r", "dynamics planar-2r --q 0.1,0.2 --qd 1,2 --qdd 0,0 --json", "convert planar-2r --to urdf",
    "dynamics planar-2r --torque 1,2 --load 1.5,0,0,0.1:0.2", "equations planar-2r --only D11,G2 --format latex",
    "equations planar-2r --joints 2 --at 1=0.5 --parameters numbers", "verify planar-2r 'D11 = m1 a1^2'", "list --json",
    "structure planar-2r", "base-parameters planar-2r", "coupling planar-2r --box joint1=0:1 --json",
    "ranges planar-2r --box joint2=-1:1", "review planar-2r", "operations planar-2r --function gravity_load",
    "significance planar-2r --speed 1,2 --acceleration 3", "mechanism no-such.toml --q 0.1",
    "simulate planar-2r --duration 0.02 --q 0.1,0.2 --evaluations 2000 --controller pd --kp 10 --kd 2 --to 0.2,0.3",
    "simulate planar-2r --duration 0.02 --torque 1,2 --tolerance 1e-6 --evaluations 2000 --json",
    "dynamics planar-2r --gravity 0,0,-1.62 --lock joint2=0.5 --q 1",
)  # fmt: skip


@dataclass(frozen=True)
class Target:
    """A door: what is called with a text, and good texts."""

    name: str
    call: Callable[[str], Any]
    seeds: Callable[[], tuple[str, ...]]


@cache
def planar() -> da.Arm:
    """The arm that formulas, motions and inputs are about."""
    return da.load("planar-2r", physical="ignore")


def used(arm: da.Arm) -> None:
    """The arm as it is used: its numbers, and its text in the formats that are written."""
    arm.write_toml()
    if not arm.elastic:
        arm.write_urdf()
    if not arm.n or arm.n > 12:
        return
    q = np.full(arm.n, 0.1)
    arm.forward_kinematics(q)
    arm.inverse_dynamics(q, q, q)
    arm.mass_matrix(q)
    arm.gravity_load(q)
    arm.forward_dynamics(q, q, q)


def read_arm(text: str) -> None:
    """An arm from a text of any format, and its use."""
    used(da.load(io.StringIO(text)))


def read_table(read: Callable[[Path], Any], ending: str) -> Callable[[str], None]:
    """A reader of files, given its text."""

    def call(text: str) -> None:
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
            path = Path(folder, f"input.{ending}")
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
            read(path)

    return call


def read_inputs(path: Path) -> None:
    """Inputs over time from a file."""
    from dalembert.simulation.input_table import read_input_table

    read_input_table(path, planar().joint_names, ("N m", "N m"))(0.1, np.zeros(2), np.zeros(2))


def read_loops(path: Path) -> None:
    """A mechanism from a file, in the configuration it is drawn in."""
    found = da.load_mechanism(path)
    if found.n <= 6:
        found.model(found.home)


def command_line(text: str) -> None:
    """The command with these words; whatever it says goes nowhere, and its code has to be one that is documented."""
    from dalembert.cli import main

    words = text.split("'")
    argv = [part for k, word in enumerate(words) for part in ([word] if k % 2 else word.split())]
    said = io.StringIO()
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)
        try:
            with contextlib.redirect_stderr(said):
                code = main(argv)
        except SystemExit as end:
            code = end.code
        finally:
            os.chdir(here)
    if code not in (0, 2) and not (code == 1 and argv[:1] == ["verify"]):
        raise AssertionError(f"exit code {code}")
    for line in said.getvalue().splitlines():
        if line.startswith("dalembert: "):
            check_sentence(line.removeprefix("dalembert: "))


def read_formula_of(text: str) -> None:
    """A printed formula against the exact one, both as text."""
    from dalembert.equations.verify import verify

    str(verify(planar(), text))


def catalog(*names: str, folder: str = "") -> Callable[[], tuple[str, ...]]:
    """Texts of the catalog."""
    place = CATALOG / folder if folder else CATALOG
    return lambda: tuple((place / f"{name}.toml").read_text(encoding="utf-8") for name in names)


def urdfs() -> tuple[str, ...]:
    """Arms of the catalog as URDF."""
    return tuple(da.load(name, physical="ignore").write_urdf() for name in ("planar-2r", "jpl-rrp"))


def read_study_of(text: str) -> None:
    """A study, and all that it asks of its first designs; short of running what takes long."""
    from dalembert.api.study_loading import study_arm
    from dalembert.studies.study_file import parse_study

    asked = parse_study(text, "study.toml", None, study_arm).study
    if asked.samples <= 16 and all(output.batched for output in asked.outputs) and len(asked.factors) <= 4:
        asked.evaluator.evaluate(asked.designs[:4])


TARGETS = (
    Target("number", lambda text: float(quantity(text, "it")), lambda: NUMBERS),
    Target("angle", lambda text: angle(text, "it", AngleReading("as meant")), lambda: NUMBERS),
    Target("joint formula", lambda text: read_formula(text, ("a", "b"), "it"), lambda: JOINT_FORMULAS),
    Target("printed formula", read_formula_of, lambda: FORMULAS),
    Target("urdf", read_arm, urdfs),
    Target("mjcf", read_arm, lambda: (MJCF,)),
    Target("arm toml", read_arm, catalog("planar-2r", "jpl-rrp", "irb6")),
    Target("drives toml", lambda text: read_drives_text(text, "drives.toml", irb6()), catalog("irb6", folder="drives")),
    Target("mechanism toml", read_table(read_loops, "toml"), lambda: (MECHANISM,)),
    Target("mechanism mjcf", read_table(read_loops, "xml"), lambda: (LOOP,)),
    Target("study toml", read_study_of, lambda: (STUDY,)),
    Target("motion csv", read_table(lambda path: da.motion_of(planar(), path), "csv"), lambda: (CSV,)),
    Target("input csv", read_table(read_inputs, "csv"), lambda: (INPUTS,)),
    Target("mesh obj", read_table(read_mesh, "obj"), lambda: (OBJ,)),
    Target("command line", command_line, lambda: COMMANDS),
)


@cache
def irb6() -> da.Arm:
    """The arm that drives are read for."""
    return da.load("irb6", physical="ignore")


def check_sentence(said: str) -> None:
    """A message is one line of bounded length."""
    if len(said) > LONGEST_SENTENCE + 40 or not said.isprintable():
        raise AssertionError(f"a message of {len(said)} characters: {said[:200]!r}")


def outcome(target: Target, text: str) -> str:
    """ "accepted", or what the refusal says without the particulars; any other exception is an escape and passes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            target.call(text)
        except ArmError as fault:
            check_sentence(str(fault))
            return str(fault)
    return "accepted"
