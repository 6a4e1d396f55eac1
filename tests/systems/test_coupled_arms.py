"""Arms whose joints follow others: q_J = A q + b, and all that a system answers is that of the free arm through A."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from coupled_arms import PALLETIZER, coupled_chain, free, laden, relation
from laws import EPS

FORMULATIONS = ("newton-euler", "lagrange-euler", "generalized-dalembert", "influence", "tourassis-neuman")
SYSTEMS: dict[str, Callable[[da.Arm], da.Arm | da.DrivenArm]] = {
    "links": lambda arm: arm,
    "driven": lambda arm: arm.driven,
    "szkodny": lambda arm: arm.driven.approximate("szkodny"),
}
seeds = st.integers(0, 2**32)
few = settings(max_examples=8)
"""Laws that are tried on several systems or formulations."""


def motion(arm: da.Arm, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (3, arm.n))


def near(ours: np.ndarray, wanted: np.ndarray, scale: float = 0.0) -> None:
    """Equal but for the rounding of sums of this size."""
    size = max(scale, float(np.abs(wanted).max(initial=0)), 1.0)
    np.testing.assert_allclose(ours, wanted, rtol=0, atol=1e4 * EPS * size)


@given(seeds, st.integers(2, 6))
def test_positions_of_all_joints_are_those_of_the_relations_put_into_one_another(seed: int, joints: int):
    arm = coupled_chain(seed, joints)
    a, b = relation(arm)
    q = motion(arm)[0]
    near(arm.all_positions(q), a @ q + b)
    near(arm.joint_ratios, a)
    frames, theirs = arm.link_frames(q), free(arm).link_frames(a @ q + b)
    for name in arm.link_names:
        near(frames[name], theirs[name])


@pytest.mark.parametrize("shape", SYSTEMS)
@few
@given(seed=seeds, joints=st.integers(2, 5))
def test_torques_inertia_and_loads_are_those_of_the_free_arm_carried_to_the_coordinates(
    shape: str, seed: int, joints: int
):
    arm = laden(seed, joints)
    ours, theirs, (a, b) = SYSTEMS[shape](arm), SYSTEMS[shape](free(arm)), relation(arm)
    q, qd, qdd = motion(arm)
    at, rate, rate2 = a @ q + b, a @ qd, a @ qdd
    wanted = theirs.inverse_dynamics(at, rate, rate2)
    scale = float(np.abs(wanted).max()) * max(1.0, float(np.abs(a).max())) ** 2
    near(ours.inverse_dynamics(q, qd, qdd), a.T @ wanted, scale)
    near(ours.mass_matrix(q), a.T @ theirs.mass_matrix(at) @ a, scale)
    near(ours.gravity_load(q), a.T @ theirs.gravity_load(at), scale)
    near(ours.bias(q, qd), a.T @ theirs.bias(at, rate), scale)
    near(ours.christoffel(q), np.einsum("ijk,ia,jb,kc->abc", theirs.christoffel(at), a, a, a), scale)
    near(ours.coriolis_matrix(q, qd), a.T @ theirs.coriolis_matrix(at, rate) @ a, scale)
    near(ours.friction_torque(q, qd), a.T @ theirs.friction_torque(at, rate), scale)
    near(ours.viscous_matrix(q), a.T @ theirs.viscous_matrix(at) @ a, scale)
    near(ours.kinetic_energy(q, qd), theirs.kinetic_energy(at, rate), scale)
    near(ours.potential_energy(q), theirs.potential_energy(at), scale)
    near(ours.kinetic_energy_parts(q, qd).translational, theirs.kinetic_energy_parts(at, rate).translational, scale)
    near(ours.parts(q, qd, qdd).total, ours.inverse_dynamics(q, qd, qdd), scale)
    near(ours.jacobian(q), theirs.jacobian(at) @ a)


@given(seeds, st.integers(2, 5))
def test_motor_speeds_and_torques_are_those_of_all_joints_that_turn_with_them(seed: int, joints: int):
    arm = laden(seed, joints)
    ours, theirs, (a, b) = arm.driven, free(arm).driven, relation(arm)
    q, qd, _ = motion(arm)
    near(ours.motor_positions(q), theirs.motor_positions(a @ q + b))
    near(ours.motor_velocities(q, qd), theirs.motor_velocities(a @ q + b, a @ qd))
    push = np.ones(joints)
    near(ours.to_joints(q, push), a.T @ theirs.to_joints(a @ q + b, push))


@pytest.mark.parametrize("formulation", FORMULATIONS)
@few
@given(seed=seeds)
def test_every_formulation_gives_the_same_torques_in_the_coordinates(formulation: str, seed: int):
    arm = coupled_chain(seed, 4)
    state = motion(arm)
    wanted = arm.inverse_dynamics(*state)
    near(arm.inverse_dynamics(*state, formulation), wanted, 100 * float(np.abs(wanted).max()))


@pytest.mark.parametrize("shape", SYSTEMS)
@few
@given(seed=seeds)
def test_forward_dynamics_undoes_inverse_dynamics_where_joints_follow(shape: str, seed: int):
    system = SYSTEMS[shape](laden(seed))
    q, qd, qdd = motion(system)
    torque = system.inverse_dynamics(q, qd, qdd)
    condition = float(np.linalg.cond(system.mass_matrix(q)))
    scale = condition * EPS * (1 + float(np.abs(torque).max() / np.linalg.norm(system.mass_matrix(q))))
    np.testing.assert_allclose(system.forward_dynamics(q, qd, torque), qdd, rtol=0, atol=1e4 * scale)


@few
@given(seeds)
def test_derivatives_are_those_of_the_torques_in_the_coordinates(seed: int):
    system = laden(seed, 3)
    q, qd, qdd = motion(system)
    to_q, to_qd, to_qdd = system.inverse_dynamics_derivatives(q, qd, qdd)
    step = 1e-5
    for k, unit in enumerate(np.eye(system.n)):
        pairs = (
            (to_q, lambda s, unit=unit: system.inverse_dynamics(q + s * unit, qd, qdd)),
            (to_qd, lambda s, unit=unit: system.inverse_dynamics(q, qd + s * unit, qdd)),
            (to_qdd, lambda s, unit=unit: system.inverse_dynamics(q, qd, qdd + s * unit)),
        )
        for table, torque in pairs:
            slope = (torque(step) - torque(-step)) / (2 * step)
            np.testing.assert_allclose(table[:, k], slope, rtol=1e-5, atol=1e-5 * max(1, np.abs(slope).max()))


@given(seeds)
def test_the_regressor_has_ten_columns_a_body_and_gives_the_torques(seed: int):
    arm = coupled_chain(seed, 4)
    state = motion(arm)
    y = arm.regressor(*state)
    assert y.shape == (arm.n, 10 * len(arm.bodies))
    assert len(arm.parameter_names) == len(arm.parameters) == y.shape[1]
    near(y @ arm.parameters, arm.inverse_dynamics(*state), 100)


@few
@given(seeds)
def test_influence_coefficients_are_derivatives_to_the_coordinates(seed: int):
    arm = coupled_chain(seed, 3)
    q = motion(arm)[0]
    ours, step = arm.influence(q), 1e-5
    near(ours.point_first, arm.jacobian(q)[:3])
    for k, unit in enumerate(np.eye(arm.n)):
        ahead, behind = arm.influence(q + step * unit), arm.influence(q - step * unit)
        for first, second in (("point_first", "point_second"), ("rotation_second", "rotation_third")):
            slope = (getattr(ahead, first) - getattr(behind, first)) / (2 * step)
            np.testing.assert_allclose(
                np.take(getattr(ours, second), k, axis=1), slope, atol=1e-6 * (1 + np.abs(slope).max())
            )


def test_a_force_on_a_link_that_follows_loads_the_coordinate():
    arm = da.load(PALLETIZER)
    q, qd, qdd = motion(arm)
    a, b = relation(arm)
    push = [da.Force("right_finger", (1, 2, 3), (0.1, 0, 0), moment=(0.5, 0, 1))]
    theirs = free(arm)
    wanted = theirs.inverse_dynamics(a @ q + b, a @ qd, a @ qdd, forces=push)
    near(arm.inverse_dynamics(q, qd, qdd, forces=push), a.T @ wanted)


# -- against others -----------------------------------------------------------------------------------

MASS = (
    '<inertial><origin xyz="0.2 0.1 0.3"/><mass value="2"/>'
    '<inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0.01" ixz="0.02" iyz="-0.03"/></inertial>'
)


def gripper() -> str:
    """Two fingers of two knuckles each on a wrist, as of a Robotiq: three knuckles and a slide follow the first."""
    tie = '<mimic joint="knuckle" multiplier="{}" offset="{}"/>'
    rows = (
        ("wrist", "revolute", "base", "palm", "0 0 1", ""),
        ("knuckle", "revolute", "palm", "inner", "0 1 0", ""),
        ("inner_tip", "revolute", "inner", "tip", "0 1 0", tie.format(-1, 0)),
        ("other", "revolute", "palm", "outer", "0 -1 0", tie.format(1, 0.1)),
        ("other_tip", "revolute", "outer", "end", "0.6 0 0.8", '<mimic joint="other" multiplier="-0.7" offset="0.2"/>'),
        ("slide", "prismatic", "palm", "pad", "1 0 0", tie.format(0.05, -0.01)),
    )
    links = "".join(f'<link name="{row[3]}">{MASS}</link>' for row in rows)
    joints = "".join(
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="0.1 0 0.2"/>'
        f'<axis xyz="{axis}"/>{more}<limit effort="9" velocity="9" lower="-9" upper="9"/></joint>'
        for name, kind, parent, child, axis, more in rows
    )
    return f'<robot name="gripper"><link name="base"/>{links}{joints}</robot>'


def test_a_gripper_has_the_dynamics_that_pinocchio_gives_its_joints():
    pin = pytest.importorskip("pinocchio")
    ours, model = da.load(gripper(), mimic="couple"), pin.buildModelFromXML(gripper())
    assert ours.joint_names == ("wrist", "knuckle")
    order = [list(model.names).index(joint.name) - 1 for joint in ours.all_moving]
    a, b = relation(ours)
    spread = np.zeros((model.nv, len(order)))
    spread[order, range(len(order))] = 1
    a, b = spread @ a, spread @ b
    for q, qd, qdd in np.random.default_rng(0).normal(size=(5, 3, 2)):
        data = model.createData()
        torque = pin.rnea(model, data, a @ q + b, a @ qd, a @ qdd)
        np.testing.assert_allclose(ours.inverse_dynamics(q, qd, qdd), a.T @ torque, rtol=1e-11, atol=1e-11)
        upper = np.triu(pin.crba(model, data, a @ q + b))
        whole = upper + np.triu(upper, 1).T
        np.testing.assert_allclose(ours.mass_matrix(q), a.T @ whole @ a, rtol=1e-11, atol=1e-11)


def test_a_gripper_is_the_mechanism_of_the_same_file(tmp_path):
    (tmp_path / "gripper.urdf").write_text(gripper())
    ours, theirs = da.load(tmp_path / "gripper.urdf", mimic="couple"), da.load_mechanism(tmp_path / "gripper.urdf")
    for q, qd, qdd in np.random.default_rng(1).normal(size=(5, 3, 2)):
        phi = theirs.position(q)
        np.testing.assert_allclose(ours.all_positions(q), phi, atol=1e-12)
        np.testing.assert_allclose(ours.inverse_dynamics(q, qd, qdd), theirs.inverse_dynamics(phi, qd, qdd), atol=1e-10)
        np.testing.assert_allclose(ours.mass_matrix(q), theirs.mass_matrix(phi), atol=1e-10)
        torque = ours.inverse_dynamics(q, qd, qdd)
        np.testing.assert_allclose(theirs.forward_dynamics(phi, qd, torque), qdd, atol=1e-10)


TIED = """<mujoco><compiler angle="radian"/><option><flag contact="disable"/></option><worldbody>
<body name="b0"><joint name="j0" axis="0 1 0" ref="0.1" damping="0.3"/><geom size="0.1" pos="0.2 0 0.1"/>
<body name="b1" pos="0.3 0 0"><joint name="j1" axis="0 0 1" armature="0.05" damping="0.2"/>
<geom size="0.1" pos="0.2 0.1 0"/>
<body name="b2" pos="0.2 0 0"><joint name="j2" type="slide" axis="1 0 0" stiffness="3" springref="0.2"/>
<geom size="0.05" pos="0 0.3 0"/></body></body></body></worldbody>
<equality><joint joint1="j1" joint2="j0" polycoef="0.2 -3"/>
<joint joint1="j2" joint2="j1" polycoef="0.1 0.5"/></equality>
</mujoco>"""


@pytest.mark.parametrize("as_model", [False, True])
def test_tied_joints_have_the_inertia_and_loads_that_mujoco_gives_them(as_model: bool):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(TIED)
    ours = da.load(model if as_model else TIED, mimic="couple").driven
    assert ours.joint_names == ("j0",)
    assert not any("j1" in name for name in ours.motor_names)  # its armature turns with it; it has no motor
    a, b = relation(ours)
    data = mujoco.MjData(model)
    for q, qd in ((0.7, 0.0), (-0.3, 1.3)):
        data.qpos[:], data.qvel[:] = a @ [q] + b, a @ [qd]
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(data.efc_pos[:2], 0, atol=1e-12)  # the relations are those of the file
        whole = np.zeros((3, 3))
        mujoco.mj_fullM(model, data, whole)
        np.testing.assert_allclose(ours.mass_matrix([q]), a.T @ whole @ a, rtol=1e-10)
        wanted = a.T @ (data.qfrc_bias - data.qfrc_passive)
        np.testing.assert_allclose(ours.bias([q], [qd]), wanted, rtol=1e-10, atol=1e-10)


# -- friction -----------------------------------------------------------------------------------------


def test_what_follows_holds_the_coordinate_by_its_friction_times_the_ratio():
    text = PALLETIZER.replace("multiplier = -1, offset = 0.2", "multiplier = -2.5, offset = 0.2")
    arm = da.load(text).driven
    q, still, elbow = np.array([0.1, 0.2, 0.3, 0.01]), np.zeros(4), np.eye(4)[2]
    hold = 2.5 * 0.3  # of level, seen at the elbow
    rest = arm.gravity_load(q)
    for share in (0.0, 0.9, -0.9):
        qdd = arm.forward_dynamics(q, still, rest + share * hold * elbow)
        np.testing.assert_allclose(qdd[2], 0, atol=1e-12)
    moving = arm.forward_dynamics(q, still, rest + 1.5 * hold * elbow)
    assert moving[2] > 0
    # What starts has the torques of inverse dynamics, in which friction opposes the motion of each joint.
    torque = arm.inverse_dynamics(q, still, moving)
    np.testing.assert_allclose(torque[1:3], (rest + 1.5 * hold * elbow)[1:3], rtol=1e-9)
    assert arm.viscous_matrix(q)[2, 2] == pytest.approx(2.5**2 * 0.1)


def test_backward_friction_of_what_turns_the_other_way_counts_forward():
    from dalembert.arm.drives import DriveTrain

    tied = da.load(PALLETIZER)
    drives = DriveTrain(joint_friction=(("level", da.Friction((0.2, 0.7))),))
    arm = tied.with_drives(drives)
    q = np.zeros(4)
    assert arm.friction_torque(q, [0, 0, 1.0, 0])[2] == pytest.approx(0.7)
    assert arm.friction_torque(q, [0, 0, -1.0, 0])[2] == pytest.approx(-0.2)
    (contact,) = arm.contacts
    assert contact.sliding(1.0) == pytest.approx(-0.7)
    assert contact.hold == pytest.approx(0.7)


def test_drives_that_vary_and_bodies_that_they_move_see_the_coordinates():
    from dalembert.arm.drives import Actuator, DriveTrain, Rotor
    from dalembert.arm.inertia import Inertia
    from dalembert.arm.moving_parts import MovingBody

    def places(q):
        """Turn, shoulder, elbow and finger, of the coordinates or of all joints."""
        return list(q) if len(q) == 4 else [*q[:3], q[4]]

    def turns(ring, q):
        turn, shoulder, elbow, finger = places(q)
        sin, cos = ring.sincos(elbow)
        found = [50 * turn, 40 * shoulder + 3 * sin, 30 * elbow + 2 * cos, 100 * finger]
        return found if len(q) == 4 else [*found, 0 * finger, 0 * finger]

    def slid(ring, q):
        sin, cos = ring.sincos(places(q)[2])
        return ((cos, -sin, 0), (sin, cos, 0), (0, 0, 1)), (sin, 0, 2 * cos)

    arm = da.load(PALLETIZER)
    piston = MovingBody(Inertia.of(0.7, (0.1, 0, 0.2), (0.01, 0.02, 0.015)), slid, "fore")
    rubs = da.Friction((0.3, 0.2), viscous=0.1)
    motors = [
        Actuator.of(f"motor{k}", {}, Rotor.of("0.002", link, (0, 1, 1)), rubs, body=piston if k == 2 else None)
        for k, link in enumerate(("base", "column", "fore", "hand"))
    ]
    ours = arm.with_drives(DriveTrain(tuple(motors), turns=turns))
    idle = [Actuator.of(name, {}) for name in ("idle", "also idle")]
    theirs = free(arm).with_drives(DriveTrain((*motors, *idle), turns=turns))
    (a, b), (q, qd, qdd) = relation(arm), motion(arm)
    at, rate, rate2 = a @ q + b, a @ qd, a @ qdd
    near(ours.inverse_dynamics(q, qd, qdd), a.T @ theirs.inverse_dynamics(at, rate, rate2))
    near(ours.mass_matrix(q), a.T @ theirs.mass_matrix(at) @ a)
    near(ours.christoffel(q), np.einsum("ijk,ia,jb,kc->abc", theirs.christoffel(at), a, a, a))
    near(ours.potential_energy(q), theirs.potential_energy(at))
    near(ours.gravity_load(q), a.T @ theirs.gravity_load(at))
    near(float(ours.equations("numbers")["D33"](q)), ours.mass_matrix(q)[2, 2])


def test_motors_may_turn_with_what_follows_and_its_own_shaft_needs_no_motor():
    motors = "".join(
        f'[[drives.motors]]\nname = "m{k}"\nratios = {{ {ratios} }}\n'
        for k, ratios in enumerate(("turn = 10", "shoulder = 10", "elbow = 10, level = 2", "finger1 = 1"))
    )
    arm = da.load(PALLETIZER + motors).driven
    np.testing.assert_array_equal(arm.ratios, np.diag([10, 10, 10 - 2, 1]))
    np.testing.assert_allclose(arm.motor_positions(np.zeros(4)), [0, 0, 2 * 0.2, 0])
    assert [element.name for element in arm.drives.elements] == ["rotor of level"]


# -- kernels ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("shape", ["links", "driven"])
def test_kernels_give_the_numbers_of_the_real_ring(shape: str, monkeypatch: pytest.MonkeyPatch):
    from dalembert.compile import build

    fast = SYSTEMS[shape](da.load(PALLETIZER).holding(da.Load(2.0, (0.1, 0, 0))))
    state = np.random.default_rng(3).uniform(-1, 1, (3, 7, 4))
    q, qd, qdd = state
    names = {"inverse_dynamics": (q, qd, qdd), "forward_dynamics": (q, qd, qdd), "gravity_load": (q,)}
    names |= {"regressor": (q, qd, qdd), "jacobian": (q,)} if shape == "links" else {"coriolis_matrix": (q, qd)}
    compiled = {name: getattr(fast, name)(*arguments) for name, arguments in names.items()}
    monkeypatch.setenv(build.SWITCH, "0")
    plain = SYSTEMS[shape](da.load(PALLETIZER).holding(da.Load(2.0, (0.1, 0, 0))))
    for name, arguments in names.items():
        wanted = getattr(plain, name)(*arguments)
        np.testing.assert_allclose(
            compiled[name], wanted, rtol=0, atol=1e-10 * max(1, np.abs(wanted).max()), err_msg=name
        )
