"""Mechanisms from files: TOML and MJCF with loops, and what is said about bad ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery
from dalembert.mechanisms.mechanism_file import motors_in, parse_mechanism, read_mechanism
from dalembert.mechanisms.mjcf_loops import read_mjcf_mechanism

LINKS = """
convention = "standard"
[[chain.NAME.joints]]
name = "joint1"
type = "revolute"
dh = {a = 0.3}
link = {name = "link1", mass = 0.8, com = [-0.15, 0, 0], inertia = [0.00006, 0.006, 0.006]}
[[chain.NAME.joints]]
name = "joint2"
type = "revolute"
dh = {a = 0.5}
link = {name = "link2", mass = 0.6, com = [-0.25, 0, 0], inertia = [0.000125, 0.0125, 0.0125]}
"""
FIVE_BAR = f"""
name = "five-bar"
gravity = [0, -9.81, 0]
coordinates = ["left.joint1", "right.joint1"]

[chain.left]
{LINKS.replace("NAME", "left")}
[chain.right]
at = {{xyz = [0.4, 0, 0]}}
{LINKS.replace("NAME", "right")}
[closure.tip]
a = "left"
b = "right"
kind = "pin"

[home]
"left.joint1" = 2.0
"left.joint2" = -1.2
"right.joint1" = 1.1
"right.joint2" = 1.2
"""


def test_five_bar_of_a_file_is_the_five_bar_of_python() -> None:
    one, two = parse_mechanism(FIVE_BAR), gallery.five_bar()
    np.testing.assert_allclose(one.home, two.home, atol=1e-12)
    a, b = one.model(one.home), two.model(two.home)
    for x, y in ((a.inertia, b.inertia), (a.power, b.power), (a.load, b.load)):
        np.testing.assert_allclose(x, y, atol=1e-12)


def test_arms_of_the_catalog_bodies_and_frames_are_read(tmp_path: Path) -> None:
    path = tmp_path / "pair.toml"
    path.write_text(
        """
motors = ["left.joint1", "right.joint1"]
[chain.left]
arm = "ur5e"
[chain.right]
arm = "ur5e"
at = {xyz = [0.9, 0, 0], rpy = [0, 0, "180 deg"]}
[body.box]
on = "left"
at = {xyz = [0, 0, 0.2]}
mass = 3
inertia = [0.1, 0.1, 0.1]
[frame.far]
on = "left:box"
at = {xyz = [0, 0, 0.2], rpy = ["180 deg", 0, 0]}
[closure.grip]
a = "far"
b = "right"
kind = "fixed"
[home]
"left.shoulder_lift_joint" = -1.0
"left.elbow_joint" = 1.6
"right.shoulder_lift_joint" = -1.0
"right.elbow_joint" = 1.6
"""
    )
    pair = read_mechanism(path)
    assert (pair.m, pair.r, pair.n) == (12, 6, 6)
    # The box lies in both hands as the file has it: the same frame, seen along either arm.
    np.testing.assert_allclose(pair.frame(pair.home, "right"), pair.frame(pair.home, "far"), atol=1e-11)
    box = np.linalg.solve(pair.frame(pair.home, "left"), pair.frame(pair.home, "left:box"))
    np.testing.assert_allclose(box, np.eye(4) + 0.2 * np.outer([0, 0, 1, 0], [0, 0, 0, 1]), atol=1e-12)
    assert pair.parts.chains["left"].link("box").inertia == da.Inertia.of(3, (0, 0, 0), ("0.1", "0.1", "0.1"))
    assert motors_in(path) == ("left.joint1", "right.joint1")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('kind = "pin"', 'kind = "pn"'), "no kind 'pn' .did you mean 'pin'"),
        (('b = "right"', 'b = "rigth"'), "no chain or frame 'rigth' .did you mean 'right'"),
        (("xyz = [0.4, 0, 0]", "xyz = [4, 0, 0]"), "cannot be assembled.*tip.x|cannot be assembled.*tip.y"),
        (
            ('coordinates = ["left.joint1", "right.joint1"]', 'coordinates = ["left.joint1"]'),
            "1 coordinate for 2 freedoms",
        ),
        (("[closure.tip]", "[closures.tip]"), "unknown key 'closures' .did you mean 'closure'"),
        (('kind = "pin"', 'kind = "pin"\nhold = ["x"]'), "either kind .* or hold"),
    ],
)
def test_bad_files_name_the_file_the_place_and_the_remedy(change: tuple[str, str], message: str) -> None:
    text = FIVE_BAR.replace(*change)
    assert text != FIVE_BAR
    with pytest.raises(da.ArmError, match=message) as fault:
        parse_mechanism(text, "bar.toml")
    assert str(fault.value).startswith("bar.toml")


FOUR_BAR = """
<mujoco model="four-bar"><compiler angle="radian"/><option gravity="0 -9.81 0"/>
<worldbody>
  <body name="crank"><joint name="a" axis="0 0 1"/><inertial pos="0 0.1 0" mass="0.5" diaginertia="0.002 0.0005 0.002"/>
    <body name="coupler" pos="0 0.2 0"><joint name="b" axis="0 0 1"/>
      <inertial pos="0.3 0 0" mass="1" diaginertia="0.001 0.03 0.03"/></body></body>
  <body name="rocker" pos="0.6 0 0"><joint name="c" axis="0 0 1"/>
    <inertial pos="0 0.1 0" mass="0.5" diaginertia="0.002 0.0005 0.002"/></body>
</worldbody>
<equality><connect name="pin" body1="coupler" body2="rocker" anchor="0.6 0 0"/></equality>
</mujoco>
"""


def test_mjcf_connect_is_a_closure_and_moves_as_mujoco_says() -> None:
    import mujoco

    ours = read_mjcf_mechanism(FOUR_BAR)
    assert (ours.m, ours.r, ours.n) == (3, 3, 1)
    assert ours.mobility().redundant == 1  # z is held by the plane already
    ours = ours.with_coordinates(["a"])
    phi = ours.position([0.4])
    qd = np.array([0.7])
    rate, _ = ours.joint_motion(phi, qd, [0.0])
    model = mujoco.MjModel.from_xml_string(FOUR_BAR)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = phi, rate
    mujoco.mj_forward(model, data)
    inertia = np.zeros((3, 3))
    for k, unit in enumerate(np.eye(3)):
        mujoco.mj_mulM(model, data, inertia[k], unit)
    g = np.array(data.efc_J).reshape(-1, 3)[:3]
    assert np.abs(g @ rate).max() < 1e-9
    _, drift = ours.assembly.drift(phi[None], rate[None])
    closing = ours.assembly.closure_jacobian(phi[None])[0]
    # The same row space: MuJoCo's connect is in the world's axes, ours in those of body 1.
    assert np.linalg.matrix_rank(np.vstack([g, closing]), tol=1e-9) == 2
    kkt = np.block([[inertia, -closing.T], [closing, np.zeros((3, 3))]])
    theirs = np.linalg.lstsq(kkt, np.concatenate([-data.qfrc_bias, -drift[0]]), rcond=1e-12)[0][:3]
    _, rate2 = ours.joint_motion(phi, qd, ours.forward_dynamics(phi, qd, [0.0]))
    np.testing.assert_allclose(rate2, theirs, atol=1e-9)


def test_mjcf_weld_holds_all_six_freedoms_and_other_constraints_are_refused() -> None:
    weld = FOUR_BAR.replace("<connect", "<weld").replace('anchor="0.6 0 0"', "")
    held = read_mjcf_mechanism(weld)
    assert held.r == 6
    # Coupler and rocker are one body then: two cranks and a bar between two pins, in a plane, cannot move.
    found = held.mobility()
    assert (found.rank, found.freedom, found.redundant) == (3, 0, 3)
    with pytest.raises(da.ArmError, match="connect and weld are closures, joint is a gear"):
        read_mjcf_mechanism(FOUR_BAR.replace("</equality>", '<tendon tendon1="a"/></equality>'))
    with pytest.raises(da.ArmError, match="load it as one"):
        read_mjcf_mechanism(FOUR_BAR.replace('name="pin"', 'name="pin" active="false"'))


WELDED = """
<mujoco><compiler angle="radian"/><worldbody>
  <body name="p" pos="0 0 1"><joint name="a" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <body name="q" pos="0.5 0 0"><joint name="b" axis="0 1 0"/><joint name="c" type="slide" axis="1 0 0"/>
      <joint name="d" axis="0 0 1"/><joint name="e" type="slide" axis="0 1 0"/>
      <inertial pos="0.1 0 0" mass="1" diaginertia="1 1 1"/></body></body>
  <body name="r" pos="1 0.2 1"><joint name="f" type="slide" axis="0 0 1"/><joint name="g" axis="1 0 0"/>
    <joint name="h" axis="0 1 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
</worldbody>
<equality><weld body1="q" body2="r" WHERE/></equality></mujoco>
"""
ANCHOR, RELPOSE = 'anchor="0.1 0.2 0.3"', 'relpose="0.4 0.1 0.05 0.9 0.1 0.2 0.3"'


@pytest.mark.parametrize("where", ["", ANCHOR, RELPOSE, f"{ANCHOR} {RELPOSE}"])
def test_a_weld_is_closed_where_mujoco_says_it_is(where: str) -> None:
    """Chains of eight joints, so that the weld moves about: MuJoCo's own residuals vanish, at rest and in motion."""
    import mujoco

    text = WELDED.replace("WHERE", where)
    ours = read_mjcf_mechanism(text)
    assert (ours.m, ours.r, ours.n) == (8, 6, 2)
    phi = ours.closed_near(ours.home + 0.05 * np.random.default_rng(0).normal(size=(3, 8)))
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    for here in phi:
        data.qpos[:] = here
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(data.efc_pos[:6], 0, atol=1e-12)
        rate, _ = ours.joint_motion(here, [0.3, -0.7], [0.0, 0.0])
        np.testing.assert_allclose(np.array(data.efc_J).reshape(-1, 8)[:6] @ rate, 0, atol=1e-12)


def test_a_mechanism_file_read_as_an_arm_is_told_where_it_belongs() -> None:
    with pytest.raises(da.ArmError, match=r"five_bar.toml: describes a mechanism, not an arm; use dalembert mechanism"):
        da.load(Path(__file__).parents[2] / "examples" / "mechanisms" / "five_bar.toml")


@pytest.mark.parametrize(("ref", "said"), [("0.3", "has a ref, and loops hold"), ("x", "ref must be a number")])
def test_a_reference_position_beside_loops_is_refused_by_name(ref: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "loop.xml"
    path.write_text(
        f"""<mujoco><worldbody><body name="a"><joint name="j" ref="{ref}"/><geom type="sphere" size="1"/></body>
        </worldbody><equality><connect body1="a" anchor="0 0 1"/></equality></mujoco>"""
    )
    with pytest.raises(da.ArmError, match=f"loop.xml: joint 'j'.*{said}"):
        da.load_mechanism(path)
