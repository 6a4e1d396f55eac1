"""Gears: joints that follow others exactly, from URDF, MJCF and TOML, as in Pinocchio and MuJoCo."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import Actuator, DriveTrain, Friction, Rotor
from dalembert.compile import build, cache
from dalembert.mechanisms.geared_arms import read_urdf_mechanism
from dalembert.mechanisms.mechanism_file import parse_mechanism
from dalembert.mechanisms.mjcf_loops import read_mjcf_mechanism
from mechanisms.planar import planar_arm

MASS = (
    '<inertial><origin xyz="0.2 0.1 0.3"/><mass value="2"/>'
    '<inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0.01" ixz="0.02" iyz="-0.03"/></inertial>'
)


def robot(mimic: str = '<mimic joint="a" multiplier="-1.5" offset="0.3"/>') -> str:
    """Three joints, the middle one of which follows the first."""
    links = "".join(f'<link name="{name}">{MASS}</link>' for name in ("l1", "l2", "l3"))
    joints = "".join(
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="0.4 0 0.1"/>'
        f'<axis xyz="{axis}"/>{more}<limit effort="9" velocity="9" lower="-9" upper="9"/></joint>'
        for name, kind, parent, child, axis, more in (
            ("a", "revolute", "base", "l1", "0 1 0", ""),
            ("b", "revolute", "l1", "l2", "1 0 0", mimic),
            ("c", "prismatic", "l2", "l3", "0 0.6 0.8", ""),
        )
    )
    return f'<robot name="r"><link name="base"/>{links}{joints}</robot>'


def states(n: int, count: int = 4) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(3, count, n))


@pytest.fixture
def _compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    monkeypatch.delenv(build.SWITCH, raising=False)
    try:
        build.find()
    except build.CompileError:
        pytest.skip("no C compiler")


@pytest.mark.usefixtures("_compiler")
def test_a_geared_arm_has_the_dynamics_pinocchio_gives_it_compiled_or_not():
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromXML(robot(), mimic=True)
    ours = read_urdf_mechanism(robot())
    assert ours.coordinates == ("arm.a", "arm.c")
    for mechanism in (ours, ours.compiled()):
        assert (mechanism.assembly.kernel is None) == (mechanism is ours)
        for q, qd, qdd in zip(*states(2), strict=True):
            # Pinocchio adds to the mass matrix of the call before where joints mimic others.
            phi, data = mechanism.position(q), model.createData()
            np.testing.assert_allclose(phi, [q[0], -1.5 * q[0] + 0.3, q[1]], atol=1e-13)
            np.testing.assert_allclose(mechanism.assembly.closures_at(phi[None])[0], 0, atol=1e-13)
            torque = pin.rnea(model, data, q, qd, qdd)
            np.testing.assert_allclose(mechanism.inverse_dynamics(phi, qd, qdd), torque, rtol=1e-12, atol=1e-12)
            upper = np.triu(pin.crba(model, data, q))
            np.testing.assert_allclose(mechanism.mass_matrix(phi), upper + np.triu(upper, 1).T, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(mechanism.forward_dynamics(phi, qd, torque), qdd, atol=1e-11)


def test_inertia_and_loads_are_those_of_the_free_arm_carried_through_the_gear():
    free, ours = da.load(robot(), mimic="free"), read_urdf_mechanism(robot())
    carry = np.array([[1, 0], [-1.5, 0], [0, 1]])
    q, qd, qdd = states(2, 1)[:, 0]
    phi, rate, rate2 = carry @ q + [0, 0.3, 0], carry @ qd, carry @ qdd
    torque = free.inverse_dynamics(phi, rate, rate2)
    np.testing.assert_allclose(ours.mass_matrix(phi), carry.T @ free.mass_matrix(phi) @ carry, rtol=1e-12)
    np.testing.assert_allclose(ours.inverse_dynamics(phi, qd, qdd), carry.T @ torque, rtol=1e-12)
    # The gear alone moves the follower.
    np.testing.assert_allclose(ours.constraint_forces(phi, qd, qdd), [torque[1]], rtol=1e-12)
    assert ours.equation_names == ("b.gear",)


def test_a_differential_shares_the_turning_of_two_chains():
    """phi_c = (phi_a + phi_b)/2 by a coupling of three chains: I* = A^T D A, and the loads follow."""
    wheel = planar_arm([0.2], [1.5], spins=[0.01])
    cross = [da.JointCoupling("cage", "a.joint1 + b.joint1 - 2*c.joint1", "0.2")]
    found = da.Mechanism(dict.fromkeys("abc", wheel), cross, ["a.joint1", "b.joint1"], gravity=(0, -9.81, 0))
    phi = found.position([0.3, 0.5])
    assert phi[2] == pytest.approx((0.3 + 0.5 - 0.2) / 2)
    share = np.array([[1, 0], [0, 1], [0.5, 0.5]])
    single = float(found.chains.numbers[0].mass_matrix(np.zeros((1, 1)))[0, 0, 0])
    np.testing.assert_allclose(found.mass_matrix(phi), single * share.T @ share, rtol=1e-12)
    held = np.array([1.5 * 9.81 * 0.1 * np.cos(x) for x in phi])
    np.testing.assert_allclose(found.gravity_load(phi), share.T @ held, rtol=1e-12)
    compiled, (qd, qdd) = found.compiled(), np.array([[0.3, -0.2], [1.0, 0.4]])
    np.testing.assert_allclose(
        compiled.inverse_dynamics(phi, qd, qdd), found.inverse_dynamics(phi, qd, qdd), rtol=1e-11
    )
    read = parse_mechanism(found.write_toml())
    assert (read.inverse_dynamics(phi, qd, qdd) == found.inverse_dynamics(phi, qd, qdd)).all()
    for text, said in (("a.joint1", "fewer than two joints"), ("a.joint1 - x(b)", "freedoms of frames are held by")):
        with pytest.raises(da.ArmError, match=said):
            da.Mechanism(dict.fromkeys("abc", wheel), [da.JointCoupling("cage", text)])


def test_a_gear_counts_whole_turns():
    ours = read_urdf_mechanism(robot())
    phi = ours.position([10.0, 0.1])
    np.testing.assert_allclose(phi, [10, -14.7, 0.1], atol=1e-12)
    np.testing.assert_allclose(ours.closure_error(phi), 0, atol=1e-13)
    (mode,) = ours.assembly_modes([10.0, 0.1])
    np.testing.assert_allclose(mode, phi, atol=1e-12)


def test_an_equality_of_joints_holds_where_mujoco_says_it_holds():
    mujoco = pytest.importorskip("mujoco")
    bodies = "".join(
        f'<body name="b{k}"><joint name="j{k}" axis="0 1 0" ref="0.{k}"/><geom size="0.1" pos="0.2 {k} 0"/></body>'
        for k in range(3)
    )
    head = '<compiler angle="radian"/><option><flag contact="disable"/></option>'
    ties = '<joint joint1="j2" joint2="j0" polycoef="0.2 -3"/><joint joint1="j1" joint2="j0"/>'
    text = f"<mujoco>{head}<worldbody>{bodies}</worldbody><equality>{ties}</equality></mujoco>"
    ours = read_mjcf_mechanism(text)
    assert ours.coordinates == ("arm.j0",)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:] = ours.position([0.7])
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(data.qpos, [0.7, 0.1 + 0.7, 0.2 + 0.2 - 2.1], atol=1e-13)
    np.testing.assert_allclose(data.efc_pos[:2], 0, atol=1e-12)


FILE = """
[chain.arm]
arm = "planar-3r"
[gear.wrist]
joint = "joint3"
master = "joint2"
ratio = -0.5
offset = "90 deg"
"""


def test_a_gear_of_a_file_leaves_one_freedom_less():
    ours = parse_mechanism(FILE).with_coordinates(["joint1", "joint2"])
    np.testing.assert_allclose(ours.position([0.1, 0.4]), [0.1, 0.4, np.pi / 2 - 0.2], atol=1e-13)
    assert ours.mobility().freedom == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("joint3", "joint9"), "gear 'wrist': no joint 'joint9'"),
        (("joint3", "joint2"), "ties joint 'joint2' to itself"),
        (("-0.5", '"x"'), "gear 'wrist': ratio: 'x' is not a number"),
        (("ratio", "raito"), "raito"),
    ],
)
def test_a_wrong_gear_is_refused_by_name(change: tuple[str, str], said: str):
    with pytest.raises(da.ArmError, match=said):
        parse_mechanism(FILE.replace(*change), "wrist.toml")


def test_files_without_gears_are_arms_and_other_relations_are_no_gears(tmp_path: Path):
    with pytest.raises(da.ArmError, match="no joint of it mimics another, so it is an arm"):
        read_urdf_mechanism(robot(""))
    bent = """<mujoco><worldbody><body name="b"><joint name="j"/><joint name="k"/><geom size="1"/></body></worldbody>
        <equality><joint joint1="j" joint2="k" polycoef="0 1 2"/></equality></mujoco>"""
    with pytest.raises(da.ArmError, match="joint 'j': does not follow another joint by a constant ratio"):
        read_mjcf_mechanism(bent)
    with pytest.raises(da.ArmError, match="a mechanism is made of its equality constraints"):
        read_mjcf_mechanism(bent, skip=["equality"])
    (tmp_path / "arm.urdf").write_text(robot())
    assert da.load_mechanism(tmp_path / "arm.urdf").n == 2
    with pytest.raises(da.ArmError, match="skip leaves parts of MJCF files out"):
        da.load_mechanism(tmp_path / "arm.urdf", skip=["tendon"])


def test_an_arm_whose_joints_follow_others_is_a_chain_with_gears(tmp_path: Path) -> None:
    """Two of them, hand in hand; one alone has its own numbers, with its drives too, and comes back from a file."""
    coupled = da.load(robot(), mimic="couple")
    alone = da.Mechanism({"arm": coupled}, [], ["arm.a", "arm.c"], home=[0.2, 0.1], gravity=coupled.gravity)
    np.testing.assert_allclose(alone.home, [0.2, -1.5 * 0.2 + 0.3, 0.1], atol=1e-15)
    q, qd, qdd = states(2)
    phi = alone.position(q)
    np.testing.assert_allclose(alone.inverse_dynamics(phi, qd, qdd), coupled.inverse_dynamics(q, qd, qdd), rtol=1e-11)
    np.testing.assert_allclose(alone.mass_matrix(phi), coupled.mass_matrix(q), rtol=1e-12)
    rubbed = coupled.with_drives(
        DriveTrain(
            (
                Actuator.of("m1", {"a": 20}, Rotor.of("1e-3"), Friction((0.1, 0.1), 0.2, 0.01)),
                Actuator.of("m2", {"c": 50}, Rotor.of("1e-4"), Friction((0.1, 0.2), 0.3, 0.02)),
            )
        )
    )
    driven = da.Mechanism({"arm": rubbed}, [], ["arm.a", "arm.c"], home=[0.2, 0.1], gravity=coupled.gravity)
    np.testing.assert_allclose(driven.inverse_dynamics(phi, qd, qdd), rubbed.inverse_dynamics(q, qd, qdd), rtol=1e-11)
    again = da.load_mechanism(driven.save(tmp_path / "geared.toml"))
    np.testing.assert_allclose(again.inverse_dynamics(phi, qd, qdd), driven.inverse_dynamics(phi, qd, qdd), rtol=1e-12)
    two = da.Mechanism(
        {"l": coupled, "r": coupled}, [da.Closure("grip", "l", "r", ("z",))], None, home=[0.2, 0, 0.2, 0]
    )
    assert two.n == 3
    assert two.m == 6


@pytest.mark.parametrize("moving", ["body", "wheel", "motors"])
def test_functions_of_fewer_coordinates_than_joints_are_refused_and_not_read_in_other_joints(moving: str) -> None:
    """A chain with free joints would take its second joint, which follows, for the second coordinate."""

    def slid(ring, q):
        return ((1, 0, 0), (0, 1, 0), (0, 0, 1)), (0, 0, q[1])

    coupled = da.load(robot(), mimic="couple")
    trains = {
        "body": DriveTrain(elements=[da.Element("rod", body=da.MovingBody(da.Inertia.of(2), slid))]),
        "wheel": DriveTrain(elements=[da.Element("wheel", rotor=Rotor.of("1e-3"), turns=lambda ring, q: 9 * q[1])]),
        "motors": DriveTrain(
            [Actuator("m1", {}, Rotor.of("1e-3")), Actuator("m2", {})], turns=lambda ring, q: [9 * q[0], 7 * q[1]]
        ),
    }
    with pytest.raises(da.ArmError, match="drives have functions of the coordinates, which are fewer than the joints"):
        da.Mechanism({"arm": coupled.with_drives(trains[moving])}, [], ["arm.a", "arm.c"], home=[0.2, 0.1])


def test_gears_and_couplings_come_back_from_a_file_in_their_order(tmp_path: Path) -> None:
    free = da.load(robot(), mimic="free")
    ties = [da.JointCoupling("sum", "arm.a + arm.c", 0.1), da.Gear("pair", "arm.b", "arm.a", 2)]
    mechanism = da.Mechanism({"arm": free}, ties, ["arm.a"], home=[0.05, 0.1, 0.05])
    again = da.load_mechanism(mechanism.save(tmp_path / "tied.toml"))
    assert again.equation_names == mechanism.equation_names == ("sum.coupling", "pair.gear")
    rest = ([0.0], [1.0])
    np.testing.assert_allclose(
        again.constraint_forces(again.home, *rest), mechanism.constraint_forces(mechanism.home, *rest), rtol=1e-12
    )
