"""Recursions over tables of joints: the same as the pages of the formulations, and as Pinocchio, of any length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.arm.inertia import Inertia
from dalembert.arm.placement import Step
from dalembert.compile import build, joint_recursion, resistances, shared_library
from dalembert.compile.emit_recursion import FUNCTIONS
from dalembert.compile.functions import function
from dalembert.compile.kernel import Kernel
from dalembert.formulations.system import SystemOverRing
from dalembert.rings.real import REAL
from dalembert.systems.arrays import evaluate
from random_arms import random_arm

TREE = """
name = "tree"
gravity = [1, 2, -9]
[[joints]]
name = "a"
type = "revolute"
link = {name = "la", mass = 2, com = [0.1, 0.2, 0.3], inertia = [0.02, 0.03, 0.04]}
[[joints]]
name = "b"
type = "prismatic"
xyz = [0.3, 0, 0.1]
rpy = [0.4, 0.2, 0]
link = {name = "lb", mass = 1, com = [0.2, 0, 0.1], inertia = [0.02, 0.02, 0.01]}
[[joints]]
name = "c"
type = "revolute"
parent = "la"
xyz = [0, 0.4, 0.1]
rpy = [1.1, 0, 0.3]
link = {name = "lc", mass = 1.5, com = [0, 0.3, 0.1], inertia = [0.02, 0.02, 0.01]}
[[joints]]
name = "d"
type = "revolute"
parent = "base"
rpy = [0, 0.7, 0.3]
link = {name = "ld", mass = 0.5, com = [0.2, 0.1, 0.1], inertia = [0.02, 0.02, 0.01]}
"""
FOLLOWER = 'name = "c"\nfollows = {joint = "a", multiplier = -2, offset = 0.3}'


def puma() -> da.Arm:
    return da.load("puma560", physical="ignore")


SYSTEMS: dict[str, Callable[[], da.Arm]] = {
    "tree": lambda: da.load(TREE),
    "stanford": lambda: da.load("stanford", physical="ignore"),
    "loaded panda": lambda: da.load("panda").holding(da.Load(1.3, (0.1, 0, 0.2))),
    "drives with a coupled wrist": lambda: puma().driven,
    "rotors without a place": lambda: puma().driven.approximate("diagonal"),
    "a joint that follows": lambda: da.load(TREE.replace('name = "c"', FOLLOWER)),
    "springs": lambda: puma().with_elastic(da.JointSpring("joint2", 3.0)),
}


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch, compiled_kernels: None) -> None:
    """Every arm counts as long."""
    monkeypatch.setattr(joint_recursion, "MOST_UNASKED", 0)
    monkeypatch.setattr(joint_recursion, "FEW_JOINTS", dict.fromkeys(joint_recursion.FEW_JOINTS, 0))


def by_pages(system: da.Arm, name: str, states: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    """A function by the pages of the formulations, over floats."""
    over = SystemOverRing(system, REAL)
    ways = {
        "mass_matrix": lambda q: (over.mass_matrix(REAL, q),),
        "inverse_mass_matrix": lambda q: (over.inverse_mass_matrix(REAL, q),),
        "coriolis_matrix": lambda q, qd: (over.coriolis_matrix(REAL, q, qd),),
        "inverse_dynamics": lambda q, qd, qdd: (over.torque(REAL, q, qd, qdd),),
        "inverse_dynamics_derivatives": lambda q, qd, qdd: (
            *over.torque_derivatives(REAL, q, qd, qdd),
            over.mass_matrix(REAL, q),
        ),
        "forward_dynamics_derivatives": lambda q, qd, tau: over.acceleration_derivatives(REAL, q, qd, tau),
    }
    found: tuple[np.ndarray, ...] = evaluate(ways[name], list(zip("abc", states, strict=False)))
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_loops_over_joints_give_what_the_pages_of_the_formulations_give(system: str, name: str, long: None) -> None:
    arm = SYSTEMS[system]()
    states = list(np.random.default_rng(2).normal(size=(3, 11, arm.n))[: FUNCTIONS[name][1]])
    right = by_pages(arm, name, states)
    found = getattr(arm, name)(*states)
    found = found if isinstance(found, tuple) else (found,)
    size = np.linalg.cond(arm.mass_matrix(states[0])).max() if name.startswith(("forward", "inverse_mass")) else 100.0
    for got, want in zip(found, right, strict=True):
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-14 * size * (1 + np.abs(want).max()))
    again = getattr(arm, name)(*(x[3] for x in states))
    for one, got in zip(again if isinstance(again, tuple) else (again,), found, strict=True):
        assert (one == got[3]).all()  # the same bits alone and in a batch


@pytest.mark.parametrize("system", SYSTEMS)
def test_symbols_by_loops_are_those_of_dual_numbers(system: str, long: None) -> None:
    arm = SYSTEMS[system]()
    q = np.random.default_rng(2).uniform(-1, 1, (3, arm.n))
    ring = SystemOverRing(arm, REAL)
    expected = evaluate(lambda x: ring.christoffel(REAL, x), [("q", q)])
    found = arm.christoffel(q)
    assert joint_recursion.fits(arm, "coriolis_matrix")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14 * max(1.0, np.abs(expected).max()))
    assert np.array_equal(found, np.swapaxes(found, -2, -1))
    assert np.array_equal(arm.christoffel(q[1]), found[1])


def test_which_systems_go_by_recursions(long: None) -> None:
    arm = puma()
    assert joint_recursion.fits(arm, "inverse_dynamics_derivatives")
    assert joint_recursion.fits(arm.driven, "mass_matrix")
    assert not joint_recursion.fits(arm.driven, "inverse_dynamics_derivatives")  # friction is no body
    assert resistances.fits(arm.driven, "inverse_dynamics_derivatives")
    sprung = arm.with_elastic(da.JointSpring("joint2", 3.0))
    assert joint_recursion.fits(sprung, "coriolis_matrix")
    assert not joint_recursion.fits(sprung, "forward_dynamics_derivatives")
    assert not joint_recursion.fits(arm, "gravity_load")


def test_no_compiler_runs_for_another_long_arm(long: None, monkeypatch: pytest.MonkeyPatch) -> None:
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 1000, 6))
    puma().inverse_dynamics_derivatives(q, qd, qdd)

    def never(*_: object) -> None:
        raise AssertionError("the compiler ran")

    monkeypatch.setattr(build, "compiled", never)
    other = da.load("stanford", physical="ignore").with_gravity((1, 2, 3))
    right = by_pages(other, "inverse_dynamics_derivatives", [q[:1], qd[:1], qdd[:1]])
    for got, want in zip(other.inverse_dynamics_derivatives(q, qd, qdd), right, strict=True):
        np.testing.assert_allclose(got[:1], want, rtol=0, atol=1e-12 * (1 + np.abs(want).max()))


def test_the_mass_matrix_of_forty_one_joints_waits_for_no_code_of_its_own(
    compiled_kernels: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm, q = da.load(tree_text(41)), np.random.default_rng(6).uniform(-1, 1, (1000, 41))
    arm.mass_matrix(q)
    monkeypatch.setattr(build, "compiled", lambda *_: pytest.fail("the compiler ran"))
    other = arm.holding(da.Load(2.5, (0.1, 0.05, 0.2)))
    (right,) = by_pages(other, "mass_matrix", [q[:2]])
    np.testing.assert_allclose(other.mass_matrix(q)[:2], right, rtol=0, atol=1e-13 * np.abs(right).max())
    other.compile("mass_matrix")(q)


@pytest.mark.parametrize("joints", [9, 17])
@pytest.mark.parametrize("name", ["inverse_mass_matrix", "forward_dynamics_derivatives"])
def test_the_inverse_of_a_chain_has_the_same_bits_alone_and_in_a_batch(name: str, joints: int, long: None) -> None:
    # columns are solved for some at a time, more of one state than of many
    arm = da.Arm.of(random_arm(5, joints, fixed=0.0))
    states = list(np.random.default_rng(1).normal(size=(3, 9, joints))[: FUNCTIONS[name][1]])
    together = getattr(arm, name)(*states)
    for k in range(9):
        alone = getattr(arm, name)(*(x[k] for x in states))
        pairs = zip(alone, together, strict=True) if isinstance(alone, tuple) else [(alone, together)]
        assert all((one == many[k]).all() for one, many in pairs)


def on_its_axis(joints: int) -> da.Arm:
    """A chain at whose end a point mass stands on the axis of the last joint."""
    arm = da.Arm.of(random_arm(2, joints, fixed=0.0, kinds=("revolute",)))
    last = replace(arm.links[-1], inertia=Inertia.of("1.5", (0, 0, "0.2")))
    ends = replace(arm.joints[-1], after=da.Placement())
    return replace(arm, links=(*arm.links[:-1], last), joints=(*arm.joints[:-1], ends))


@pytest.mark.parametrize("name", ["inverse_mass_matrix", "forward_dynamics_derivatives"])
@pytest.mark.parametrize("states", [(), (3,)])
def test_a_joint_that_moves_no_inertia_is_named_whatever_rounding_leaves_of_its_inertia(
    name: str, states: tuple[int, ...], long: None
) -> None:
    arm = on_its_axis(12)
    rows = np.random.default_rng(1).normal(size=(3, *states, 12))[: FUNCTIONS[name][1]]
    with pytest.raises(ArmError, match=f"joint '{arm.joint_names[-1]}' moves no inertia"):
        getattr(arm, name)(*rows)


def test_a_joint_that_moves_little_has_its_acceleration(long: None) -> None:
    arm = on_its_axis(12)
    tiny = replace(arm.links[-1], inertia=Inertia.of("1e-15", ("0.1", 0, 0)))
    arm = replace(arm, links=(*arm.links[:-1], tiny))
    assert arm.inverse_mass_matrix(np.linspace(0, 1, 12))[-1, -1] == pytest.approx(1e17, rel=1e-9)


@pytest.mark.parametrize("branches", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_where_an_arm_stands_on_a_map_changes_nothing(name: str, branches: bool, long: None) -> None:
    arm = da.Arm.of(random_arm(7, 6, tree=branches, fixed=0.0))
    there = da.Placement.of(Step("translate", 0, Fraction(500_000)), Step("translate", 1, Fraction(5_000_000)))
    joints = (replace(x, before=there @ x.before) if x.parent == arm.base else x for x in arm.joints)
    away, states = replace(arm, joints=tuple(joints)), np.random.default_rng(1).normal(size=(3, 5, 6))
    here, moved = (getattr(x, name)(*states[: FUNCTIONS[name][1]]) for x in (arm, away))
    for right, found in zip(*(x if isinstance(x, tuple) else (x,) for x in (here, moved)), strict=True):
        # the distances between joints that stand on the base are known to eps of their coordinates
        np.testing.assert_allclose(found, right, rtol=0, atol=(1e-8 if branches else 1e-12) * np.abs(right).max())


def test_a_state_that_is_not_finite_is_refused_and_passes_through_a_kernel(long: None) -> None:
    arm, states = da.load("panda"), np.random.default_rng(3).normal(size=(3, 20, 7))
    states[0, 3, 2] = np.nan
    with pytest.raises(ArmError, match="joint 'joint3'"):
        arm.inverse_dynamics_derivatives(*states)
    with pytest.raises(ArmError, match="must end in 7"):
        arm.mass_matrix(np.zeros((20, 6)))
    found = arm.compile("inverse_dynamics_derivatives")(*states)[0]
    assert np.isnan(found[3]).any()
    assert np.isfinite(np.delete(found, 3, axis=0)).all()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_kernels_bind_share_threads_and_need_no_extension_module(
    dtype: str, long: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = da.load("panda")
    states = [x.astype(dtype) for x in np.random.default_rng(3).normal(size=(3, 300, 7))]
    kernel = arm.compile("forward_dynamics_derivatives", dtype=dtype)
    right = kernel(*states)
    bound = kernel.bind(*(x[5].copy() for x in states))
    assert all((x == y[5]).all() for x, y in zip(bound(), right, strict=True))
    assert all((x == y).all() for x, y in zip(kernel(*states, threads=2), right, strict=True))
    assert kernel.compiled
    assert "factor_V" in kernel.source
    monkeypatch.setattr(shared_library, "caller_type", lambda: shared_library.CtypesCaller)
    plain = Kernel(function(arm, "forward_dynamics_derivatives"), dtype)
    assert all((x == y).all() for x, y in zip(plain(*states), right, strict=True))
    assert all((x == y[5]).all() for x, y in zip(plain(*(x[5] for x in states)), right, strict=True))


def test_a_long_tree_of_turning_and_sliding_joints_with_a_load_is_that_of_pinocchio(compiled_kernels: None) -> None:
    pin = pytest.importorskip("pinocchio")
    arm = da.load(tree_text(60)).holding(da.Load(2.5, (0.1, 0.05, 0.2), (0.02, 0.03, 0.01)))
    model = pin.buildModelFromXML(arm.write_urdf())
    model.gravity.linear = np.array(arm.gravity, float)
    data, own = model.createData(), [model.joints[model.getJointId(name)].idx_v for name in arm.joint_names]
    q, qd, qdd = np.random.default_rng(4).uniform(-1, 1, (3, 2, arm.n))
    condition = np.linalg.cond(arm.mass_matrix(q)).max()
    ways = {
        "inverse_dynamics_derivatives": (pin.computeRNEADerivatives, 1000.0),
        "forward_dynamics_derivatives": (pin.computeABADerivatives, condition),
    }
    for name, (peer, worst) in ways.items():
        assert joint_recursion.fits(arm, name)
        found = getattr(arm, name)(q, qd, qdd)
        for k in range(2):
            state = [np.empty(arm.n) for _ in range(3)]
            for theirs, ours in zip(state, (q[k], qd[k], qdd[k]), strict=True):
                theirs[own] = ours
            tables = [np.array(table) for table in peer(model, data, *state)]
            tables[2] = np.triu(tables[2]) + np.triu(tables[2], 1).T
            for got, want in zip(found, tables, strict=True):
                right = want[np.ix_(own, own)]
                assert np.abs(got[k] - right).max() <= 100 * worst * 2.3e-16 * np.abs(right).max()


def tree_text(count: int) -> str:
    """A tree of many joints, some of which slide: four branches."""
    rng, lines = np.random.default_rng(0), ['name = "long"', "gravity = [0.5, 1, -9.5]"]
    for k in range(count):
        x, r, c = (rng.uniform(-size, size, 3).round(3).tolist() for size in (0.15, 1.5, 0.05))
        lines.append(
            f'[[joints]]\nname = "j{k}"\ntype = "{"prismatic" if k % 7 == 3 else "revolute"}"\nxyz = {x}\nrpy = {r}'
            f"\nlimits = {{lower = -3, upper = 3, velocity = 3, effort = 9}}"
            + (f'\nparent = "l{k - 3}"' if k > 3 else "")
            + f'\nlink = {{name = "l{k}", mass = 1.5, com = {c}, inertia = [0.02, 0.03, 0.025]}}'
        )
    return "\n".join(lines)
