"""Bodies that drives move on links: against Pinocchio, which has them as bodies on joints of their own."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.arm.io.urdf import write_urdf
from dalembert.rings.real import REAL
from random_arms import random_arm, random_inertia, random_placement

pin = pytest.importorskip("pinocchio")

SEEDS = range(8)
EYE = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


class Path:
    """Random slides along x, y, z and a turn about z, each a0 q_i + a1 sin q_j + a2 cos(q_j) sin(q_k)."""

    def __init__(self, rng: random.Random, n: int) -> None:
        self.terms = [
            ([rng.randrange(n) for _ in range(3)], [rng.uniform(-0.4, 0.4) for _ in range(3)]) for _ in range(4)
        ]

    def values(self, ring, q):
        found = []
        for (i, j, k), (a0, a1, a2) in self.terms:
            (sj, cj), (sk, _) = ring.sincos(q[j]), ring.sincos(q[k])
            found.append(a0 * q[i] + a1 * sj + a2 * (cj * sk))
        return found

    def __call__(self, ring, q):
        x, y, z, angle = self.values(ring, q)
        sin, cos = ring.sincos(angle)
        return ((cos, -sin, 0), (sin, cos, 0), (0, 0, 1)), (x, y, z)

    def slopes(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """First and second derivatives of the four values, by hand."""
        n = len(q)
        first, second = np.zeros((4, n)), np.zeros((4, n, n))
        for row, ((i, j, k), (a0, a1, a2)) in enumerate(self.terms):
            first[row, i] += a0
            first[row, j] += a1 * np.cos(q[j]) - a2 * np.sin(q[j]) * np.sin(q[k])
            first[row, k] += a2 * np.cos(q[j]) * np.cos(q[k])
            second[row, j, j] += -a1 * np.sin(q[j]) - a2 * np.cos(q[j]) * np.sin(q[k])
            second[row, k, k] += -a2 * np.cos(q[j]) * np.sin(q[k])
            for a, b in ((j, k), (k, j)):
                second[row, a, b] += -a2 * np.sin(q[j]) * np.cos(q[k])
        return first, second


class Plain:
    """Sine and cosine of floats."""

    @staticmethod
    def sincos(x):
        return np.sin(x), np.cos(x)


class Oracle:
    """The arm in Pinocchio with each moving body on three slides and a turn, which follow the arm's joints."""

    def __init__(self, arm: da.Arm, bodies: list[tuple[da.MovingBody, Path]]) -> None:
        self.model = pin.buildModelFromXML(write_urdf(arm))
        self.model.gravity.linear = np.array([float(g) for g in arm.gravity])
        self.arm, self.paths = arm, [path for _, path in bodies]
        joints = []
        for number, (body, _) in enumerate(bodies):
            frame = self.model.frames[self.model.getFrameId(body.link)]
            turn, shift = body.mount.exact
            mount = pin.SE3(np.array(turn, dtype=float), np.array(shift, dtype=float))
            parent, place = frame.parentJoint, frame.placement * mount
            for kind in (pin.JointModelPX(), pin.JointModelPY(), pin.JointModelPZ(), pin.JointModelRZ()):
                parent = self.model.addJoint(parent, kind, place, f"b{number}{len(joints)}")
                joints.append(parent)
                place = pin.SE3.Identity()
            inertia, rows = body.inertia, np.array(body.inertia.central, dtype=float)
            moved = pin.Inertia(float(inertia.mass), np.array(inertia.com, dtype=float), rows)
            self.model.appendBodyToJoint(parent, moved, pin.SE3.Identity())
        self.data = self.model.createData()
        self.own = [self.model.joints[self.model.getJointId(name)] for name in arm.joint_names]
        self.added = [self.model.joints[j] for j in joints]

    def lifted(self, q, qd, qdd):
        n = len(q)
        there, speed, rate = np.empty(self.model.nq), np.empty(self.model.nv), np.empty(self.model.nv)
        map_ = np.zeros((self.model.nv, n))
        for k, joint in enumerate(self.own):
            there[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(q[k]), np.sin(q[k])] if joint.nq == 2 else [q[k]]
            map_[joint.idx_v, k] = 1
            speed[joint.idx_v], rate[joint.idx_v] = qd[k], qdd[k]
        for number, path in enumerate(self.paths):
            first, second = path.slopes(q)
            for row, value in enumerate(path.values(Plain, q)):
                joint = self.added[4 * number + row]
                there[joint.idx_q] = value
                map_[joint.idx_v] = first[row]
                speed[joint.idx_v] = first[row] @ qd
                rate[joint.idx_v] = first[row] @ qdd + qd @ second[row] @ qd
        return there, speed, rate, map_

    def torque(self, q, qd, qdd):
        there, speed, rate, map_ = self.lifted(q, qd, qdd)
        return map_.T @ pin.rnea(self.model, self.data, there, speed, rate)

    def mass_matrix(self, q):
        # by columns: crba wants joints depth first, and these were added last
        still = self.torque(q, 0 * q, 0 * q)
        return np.column_stack([self.torque(q, 0 * q, unit) - still for unit in np.eye(len(q))])


def moved_arm(seed: int) -> tuple[da.DrivenArm, Oracle]:
    """A random tree that moves two bodies on any of its links."""
    rng = random.Random(seed)
    arm = da.load(write_urdf(random_arm(rng, 2 + seed % 4, tree=True, physical=True)))
    bodies = []
    for _ in range(2):
        path = Path(rng, arm.n)
        bodies.append(
            (da.MovingBody(random_inertia(rng), path, rng.choice(arm.link_names), random_placement(rng)), path)
        )
    own, element = bodies
    actuators = [da.Actuator(f"motor of {name}", {name: 1}) for name in arm.joint_names]
    actuators[0] = replace(actuators[0], body=own[0])
    train = da.DriveTrain(actuators, [da.Element("rod", body=element[0])])
    return arm.with_drives(train), Oracle(arm, bodies)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_moving_body_is_the_body_that_pinocchio_has_on_joints_which_follow_the_arm(seed: int) -> None:
    driven, oracle = moved_arm(seed)
    q, qd, qdd = np.random.default_rng(seed).uniform(-1, 1, (3, driven.n))
    scale = np.abs(oracle.mass_matrix(q)).max()
    assert driven.mass_matrix(q) == pytest.approx(oracle.mass_matrix(q), abs=1e-12 * scale)
    right = oracle.torque(q, qd, qdd)
    near = 1e-11 * max(scale, np.abs(right).max())
    assert driven.inverse_dynamics(q, qd, qdd) == pytest.approx(right, abs=near)
    assert driven.gravity_load(q) == pytest.approx(oracle.torque(q, 0 * q, 0 * q), abs=near)
    velocity = oracle.torque(q, qd, 0 * q) - oracle.torque(q, 0 * q, 0 * q)
    assert np.einsum("ijk,j,k->i", driven.christoffel(q), qd, qd) == pytest.approx(velocity, abs=near)
    assert driven.coriolis_matrix(q, qd) @ qd == pytest.approx(velocity, abs=near)


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_its_laws_are_those_of_any_system(seed: int) -> None:
    """FD undoes ID; G = dV/dq; dD/dt - 2C is skew; the parts add up; derivatives are those of differences."""
    driven, _ = moved_arm(seed)
    q, qd, qdd = np.random.default_rng(seed).uniform(-1, 1, (3, driven.n))
    tau = driven.inverse_dynamics(q, qd, qdd)
    near = 1e-12 * np.linalg.cond(driven.mass_matrix(q))
    assert driven.forward_dynamics(q, qd, tau) == pytest.approx(qdd, abs=near)
    parts = driven.parts(q, qd, qdd)
    assert parts.total == pytest.approx(tau, abs=1e-11 * np.abs(tau).max())
    step, unit = 1e-6, np.eye(driven.n)
    slope = [(driven.potential_energy(q + step * e) - driven.potential_energy(q - step * e)) / (2 * step) for e in unit]
    assert driven.gravity_load(q) == pytest.approx(np.array(slope), abs=1e-6)
    rate = (driven.mass_matrix(q + step * qd) - driven.mass_matrix(q - step * qd)) / (2 * step)
    skew = rate - 2 * driven.coriolis_matrix(q, qd)
    assert skew + skew.T == pytest.approx(np.zeros_like(skew), abs=1e-6)
    to_q, to_qd, _ = driven.inverse_dynamics_derivatives(q, qd, qdd)
    for k, e in enumerate(unit):
        ahead, behind = (driven.inverse_dynamics(q + s * step * e, qd, qdd) for s in (1, -1))
        assert to_q[:, k] == pytest.approx((ahead - behind) / (2 * step), abs=1e-5)
        ahead, behind = (driven.inverse_dynamics(q, qd + s * step * e, qdd) for s in (1, -1))
        assert to_qd[:, k] == pytest.approx((ahead - behind) / (2 * step), abs=1e-5)


def test_point_masses_move_only_with_their_mass_centres() -> None:
    """The split of Lee, Lee and Nigam: a mass without extent has no rotational share."""

    def slide(ring, q):
        sin, cos = ring.sincos(q[1])
        return EYE, (cos, sin, 0)

    arm = da.load("planar-2r")
    driven = arm.with_drives(da.DriveTrain(elements=[da.Element("nut", body=da.MovingBody(da.Inertia.of(2), slide))]))
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 2))
    with_nut, without = driven.parts(q, qd, qdd), arm.parts(q, qd, qdd)
    assert with_nut.rotational.inertia == pytest.approx(without.rotational.inertia, abs=1e-14)
    gained = with_nut.translational.inertia - without.translational.inertia
    # on a circle of radius 1 m about the base, turned by q2: 2 kg m^2 at joint 2 alone
    assert gained == pytest.approx([0, 2 * qdd[1]], abs=1e-14)


def test_approximations_of_rotors_count_moving_bodies_in_full_and_paul_those_of_motors_alone() -> None:
    driven, _ = moved_arm(3)
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, driven.n))
    exact = driven.inverse_dynamics(q, qd, qdd)
    for name in ("szkodny", "diagonal"):
        assert driven.approximate(name).inverse_dynamics(q, qd, qdd) == pytest.approx(exact, rel=1e-12)
    motors = driven.arm.with_drives(replace(driven.drives, elements=()))
    paul = driven.approximate("paul").inverse_dynamics(q, qd, qdd)
    assert paul == pytest.approx(motors.inverse_dynamics(q, qd, qdd), rel=1e-12)
    assert not np.allclose(paul, exact)


def test_one_page_serves_graph_and_floats() -> None:
    """Compiled functions hold moving bodies: the graph gives what the real ring gives."""
    driven, _ = moved_arm(2)
    q, qd, qdd = ([float(x) for x in row] for row in np.random.default_rng(2).uniform(-1, 1, (3, driven.n)))
    system = driven.over_reals
    for name, arguments, right in (
        ("inverse_dynamics", (q, qd, qdd), system.torque(REAL, q, qd, qdd)),
        ("gravity_load", (q,), system.gravity(REAL, q)),
        ("mass_matrix", (q,), system.mass_matrix(REAL, q)),
    ):
        found = driven.compile(name)(*arguments)
        assert found == pytest.approx(np.array(right, dtype=float), rel=1e-11, abs=1e-11)
        assert not np.allclose(found, getattr(driven.arm, name)(*arguments))


def test_a_placement_that_is_no_rotation_or_fails_is_refused_by_name() -> None:
    arm = da.load("planar-2r")

    def stretched(ring, q):
        sin, cos = ring.sincos(q[0])
        return ((2 * cos, -sin, 0), (sin, cos, 0), (0, 0, 1)), (0, 0, 0)

    for placement, sentence in (
        (stretched, "turns it by a matrix that is no rotation"),
        (lambda ring, q: (EYE, (q[5], 0, 0)), "cannot be worked out"),
        (lambda ring, q: (EYE, (q[0], 0)), "no rotation of 3 rows and position of 3 numbers"),
    ):
        body = da.MovingBody(da.Inertia.of(1), placement)
        driven = arm.with_drives(da.DriveTrain(elements=[da.Element("rod", body=body)]))
        with pytest.raises(ArmError, match=f"the placement of 'rod' .*{sentence}|'rod' is {sentence}"):
            driven.mass_matrix([0.1, 0.2])
    with pytest.raises(ArmError, match=r"element 'rod': its body moves on link 'crank', which is not there"):
        arm.with_drives(da.DriveTrain(elements=[da.Element("rod", body=replace(body, link="crank"))]))


def test_a_wheel_is_the_same_as_a_rotor_and_as_a_body_that_turns_about_its_axis() -> None:
    """Closed formulas of axisymmetric rotors against traces of 4x4 matrices, gyroscopic terms and all (15a-c)."""
    arm = da.load("puma560", physical="ignore")
    ratios = {"joint2": 7, "joint4": -13, "joint6": 4}
    place = da.Placement.from_xyz_rpy((0.1, -0.2, 0.05), (0.4, 0.3, -0.8))
    axis = tuple(row[2] for row in place.rotation)
    rotor = da.Rotor.of("0.02", "link3", axis, (0.1, -0.2, 0.05), mass="1.5", across="0.012", counted=False)

    def turned(ring, q):
        sin, cos = ring.sincos(7 * q[1] - 13 * q[3] + 4 * q[5])
        return ((cos, -sin, 0), (sin, cos, 0), (0, 0, 1)), (0, 0, 0)

    body = da.MovingBody(da.Inertia.of("1.5", inertia=("0.012", "0.012", "0.02")), turned, "link3", place)
    wheel, moved = (
        arm.with_drives(da.DriveTrain(elements=[element]))
        for element in (da.Element("wheel", ratios, rotor), da.Element("wheel", body=body))
    )
    q, qd, qdd = np.random.default_rng(5).uniform(-1, 1, (3, 6))
    assert moved.mass_matrix(q) == pytest.approx(wheel.mass_matrix(q), rel=1e-11, abs=1e-12)
    assert moved.gravity_load(q) == pytest.approx(wheel.gravity_load(q), rel=1e-11, abs=1e-11)
    assert moved.christoffel(q) == pytest.approx(wheel.christoffel(q), rel=1e-9, abs=1e-11)
    assert moved.inverse_dynamics(q, qd, qdd) == pytest.approx(wheel.inverse_dynamics(q, qd, qdd), rel=1e-10)
