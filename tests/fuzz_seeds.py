"""Good inputs of every door, from which the fuzzers make hostile ones."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

import dalembert as da
from dalembert.arm.io.files import CATALOG

MJCF = """<mujoco model="m"><compiler angle="degree" eulerseq="zYx"/><option gravity="0 0 -9.81"/>
<default><joint damping="1"/><default class="s"><joint type="slide" range="-1 1"/></default></default>
<worldbody><geom type="plane" size="1 1 1"/><body name="a" pos="0 0 1" euler="10 20 30"><joint name="j" axis="1 2 3"/>
<inertial pos="0.1 0 0" mass="2" fullinertia="0.1 0.12 0.14 0.01 0.01 0.01"/><frame pos="1 0 0" zaxis="1 1 1">
<body name="b" quat="1 0.5 0 0"><joint name="k" class="s" pos="0 1 0" ref="0.1"/><joint name="l" stiffness="2"/>
<geom type="capsule" size="0.1 0.2" mass="1"/></body></frame></body></worldbody></mujoco>"""
SDF = """<sdf version="1.9"><model name="m"><pose>0 0 0.5 0 0 0.3</pose><frame name="f" attached_to="a">
<pose>0 0 1 0 0 0</pose></frame><link name="a"><inertial><mass>2</mass><pose>0.1 0 0 0 0 0</pose>
<inertia><ixx>0.1</ixx><iyy>0.1</iyy>
<izz>0.1</izz></inertia></inertial></link><link name="b"><pose relative_to="f">1 0 0 0.1 0.2 0.3</pose></link>
<joint name="w" type="fixed"><parent>world</parent><child>a</child></joint><joint name="j" type="revolute"><parent>a
</parent><child>b</child><axis><xyz expressed_in="__model__">0 1 1</xyz><limit><lower>-1</lower><upper>1</upper></limit>
<dynamics><damping>0.1</damping><friction>0.2</friction><spring_stiffness>3</spring_stiffness></dynamics></axis></joint>
</model></sdf>"""
XACRO = """<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="a" default="2"/>
<xacro:property name="m" value="${1/2 + 1}"/><xacro:property name="k" value="$(arg a)"/>
<xacro:macro name="rod" params="n mass:=1 *o"><link name="${n}">
<inertial><xacro:insert_block name="o"/><mass value="${mass}"/><inertia ixx="${m*2}" iyy="1" izz="1"/></inertial></link>
</xacro:macro><link name="base"/><xacro:rod n="l"><origin xyz="0 0 ${sin(pi/3)}"/></xacro:rod>
<xacro:if value="${m > 1}"><joint name="j" type="continuous"><parent link="base"/><child link="l"/></joint></xacro:if>
</robot>"""
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
FOLLOWS = """name = "gripper"
[[joints]]
name = "turn"
type = "revolute"
axis = [0, 0, 1]
link = {name = "hand", mass = 1, com = [0.1, 0, 0], inertia = [0.01, 0.01, 0.01]}
[[joints]]
name = "left"
type = "prismatic"
axis = [0, 1, 0]
link = {name = "finger1", mass = 0.1, com = [0.1, 0, 0]}
[[joints]]
name = "right"
parent = "hand"
type = "prismatic"
axis = [0, -1, 0]
follows = {joint = "left", multiplier = 1, offset = 0.01}
link = {name = "finger2", mass = "1/10", com = [0.1, 0, 0]}
"""
DRIVES = """arm = "planar-2r"
[[motors]]
name = "motor1"
ratios = {joint1 = 100}
rotor = {inertia = 3e-4, link = "base", axis = [0, 0, 1]}
friction = {coulomb = 0.06, starting = 0.09, viscous = 6e-4}
electric = {torque_constant = 0.1, resistance = 0.8, inductance = 0.002, supply = 40, largest_current = 25}
[[motors]]
name = "motor2"
turns = "769.2*(sqrt(0.13 - 0.12*cos(joint2 + pi/2)) - sqrt(0.13))"
rotor = {inertia = 3e-4, link = "link1", axis = [0, 0, 1]}
[[elements]]
name = "nut"
[elements.body]
link = "link1"
mass = 0.8
position = ["0.2*cos(joint2)", "0.2*sin(joint2)", 0]
rotation = [{axis = "z", angle = "joint2 + pi/2"}]
"""
SPRUNG = """name = "sprung five-bar"
coordinates = ["left.joint1", "right.joint1"]
[arm.leg]
[[arm.leg.joints]]
name = "joint1"
type = "revolute"
link = {mass = 1, com = [0.2, 0, 0], inertia = [0, 0.01, 0.01]}
[[arm.leg.joints]]
name = "joint2"
type = "revolute"
xyz = [0.4, 0, 0]
link = {mass = 0.5, com = [0.3, 0, 0], inertia = [0, 0.01, 0.01]}
[chain.left]
arm = "leg"
[chain.right]
arm = "leg"
at = {xyz = [0.5, 0, 0]}
[frame.tip]
on = "left"
at = {xyz = [0.6, 0, 0]}
[frame.top]
on = "right"
at = {xyz = [0.6, 0, 0]}
[closure.pin]
a = "tip"
b = "top"
kind = "pin"
[spring.s]
a = "ground"
b = "tip"
stiffness = 30
rest = "1/10"
damping = 0.5
[spring.turn]
along = "left.joint1"
stiffness = 2
[[drives.motors]]
name = "m"
ratios = {"left.joint1" = 50}
rotor = {inertia = 1e-4}
[home]
"left.joint1" = "120 deg"
"left.joint2" = "-70 deg"
"right.joint1" = "60 deg"
"right.joint2" = "70 deg"
"""
MIMIC = """<robot name="grip"><link name="base"/><link name="a"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><mass value="0.5"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
</link><joint name="j" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="10" velocity="1"/><dynamics damping="0.1" friction="0.2"/></joint>
<joint name="k" type="revolute"><origin xyz="0.5 0 0" rpy="0 1.5708 0"/><parent link="a"/><child link="b"/>
<axis xyz="0 0 1"/><mimic joint="j" multiplier="-2" offset="0.1"/><limit effort="0" velocity="0"/></joint></robot>"""
CSV = "t [s],q_joint1 [deg],q_joint2,qd_joint1,qd_joint2 [rad/s]\n" + "".join(
    f"{k / 10},{k},{-k / 7},{k * 0.5},1e-3\n" for k in range(8)
)
INPUTS = "time [ms];joint1 [N m];input_joint2\n0;1;2\n500;1.5;2\n500;0;0\n3000;1;1\n"
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
    "equations planar-2r --joints 2 --at 1=0.5 --parameters numbers", "verify planar-2r 'D11 = m1 l1^2'", "list",
    "structure planar-2r", "base-parameters planar-2r", "coupling planar-2r --q 0.1,0.2 --json",
    "ranges planar-2r --box joint2=-1:1", "review planar-2r", "operations planar-2r",
    "significance planar-2r --speed 1,2 --acceleration 3",
    "simulate planar-2r --duration 0.02 --q 0.1,0.2 --evaluations 2000 --controller pd --kp 10 --kd 2 --to 0.2,0.3",
    "simulate planar-2r --duration 0.02 --torque 1,2 --tolerance 1e-6 --evaluations 2000 --json",
    "dynamics planar-2r --gravity 0,0,-1.62 --lock joint2=0.5 --q 1",
    "ik planar-2r --pose 1,0.5,0 --task position --near 0.1,0.2 --starts 3 --json",
    "simulate planar-2r --duration 0.02 --controller pd --trajectory spline --via 0.1,0.2;0.2,0.1 --to 0.3,0.2",
    "check ranges.json --arm planar-2r", "check model.json --json",
    "mechanism loop.toml --q 0.3 --qd 1 --qdd 2 --forces", "mechanism loop.xml --tau 0.1 --json",
    "mechanism hexapod.toml --json", "codegen planar-2r -f gravity_load -o code",
    "codegen planar-2r --function mass_matrix --dtype float32 --parameters inertial",
    "show follows.toml --mimic couple",
    "dynamics planar-2r --drives-file drives.toml --q 0.1,0.2 --json",
    "show arm.xml --skip actuator --angles as-written",
    "significance planar-2r --motion motion.csv --json", "convert arm.urdf --to toml -o arm.toml",
    "simulate planar-2r --torque inputs.csv --duration 0.02 --evaluations 2000 --output out.csv",
    "identify planar-2r log.csv --friction coulomb+viscous --no-find-rotors --rows 0:110 --cutoff 20 --json",
    "equations planar-2r --document out.tex", "mechanism loop.toml --picture out.svg --mjcf out.xml",
    "reduce planar-2r --tolerance 0.2 --no-refit --box joint1=0:1 --certificate out.json",
)  # fmt: skip


@cache
def planar() -> da.Arm:
    """The arm that formulas, motions, inputs, logs and certificates are about."""
    return da.load("planar-2r", physical="ignore")


def catalog(*names: str, folder: str = "") -> tuple[str, ...]:
    """Texts of the catalog."""
    place = CATALOG / folder if folder else CATALOG
    return tuple((place / f"{name}.toml").read_text(encoding="utf-8") for name in names)


def urdfs() -> tuple[str, ...]:
    """Arms of the catalog as URDF."""
    return tuple(da.load(name, physical="ignore").write_urdf() for name in ("planar-2r", "jpl-rrp"))


def hexapod() -> str:
    """A mechanism whose tables stand for several."""
    return (Path(__file__).parents[1] / "examples" / "mechanisms" / "hexapod.toml").read_text(encoding="utf-8")


@cache
def log() -> str:
    """What was measured along a motion of ``planar``."""
    t = np.arange(120) / 100
    waves = np.array([2.0, 3.0])
    q, qd = np.sin(np.outer(t, waves)), waves * np.cos(np.outer(t, waves))
    tau = planar().inverse_dynamics(q, qd, -(waves**2) * q) + 0.3 * np.sign(qd) + 0.2 * qd
    rows = np.round(np.column_stack([t, q, tau]), 6)
    return "t,q1,q2,tau1,tau2\n" + "".join(",".join(map(str, row)) + "\n" for row in rows.tolist())


@cache
def certificates() -> tuple[str, ...]:
    """Certificates of ranges and of a reduced model of ``planar``."""
    ask = planar().analysis(box={"joint1": (-0.5, 0.5), "joint2": (0.0, 1.0)}, speed=1.0, acceleration=1.0)
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "ranges"), Path(folder, "model")
        ask.ranges().certificate(written[0])
        ask.reduce(tolerance=0.1).certificate(written[1])
        return tuple(path.read_text(encoding="utf-8") for path in written)


def stl() -> str:
    """A tetrahedron as binary STL, a character for each byte."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")
    faces = [corners[list(one)].tobytes() for one in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))]
    body = b"".join(b"\0" * 12 + face + b"\0\0" for face in faces)
    return (b"tetrahedron".ljust(80) + (4).to_bytes(4, "little") + body).decode("latin-1")


def msh() -> str:
    """The same as MSH."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4").tobytes()
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], "<i4").tobytes()
    return (np.array([4, 0, 0, 4], "<i4").tobytes() + corners + faces).decode("latin-1")


def files() -> dict[str, str]:
    """What lies in the folder in which command lines are run."""
    ranges, model = certificates()
    return {
        "arm.urdf": urdfs()[0], "arm.xml": MJCF, "drives.toml": DRIVES, "loop.toml": MECHANISM,
        "hexapod.toml": hexapod(), "loop.xml": LOOP, "log.csv": log(), "inputs.csv": INPUTS, "motion.csv": CSV,
        "ranges.json": ranges, "model.json": model, "follows.toml": FOLLOWS, "empty.toml": "",
        "nothing.json": json.dumps({}),
    }  # fmt: skip
