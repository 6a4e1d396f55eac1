"""Closed forms equal the numeric formulations, and every formulation gives the same polynomials."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.description import ArmDescription
from dalembert.arm.placement import Placement, translate
from dalembert.equations.closed_form import Equations
from dalembert.equations.derive import EquationsModel
from dalembert.formulations import christoffel, composite_body, newton_euler
from dalembert.formulations.chain import chain
from dalembert.formulations.registry import COEFFICIENTS
from dalembert.rings.real import REAL
from random_arms import random_arm

WAYS = ("numbers", "symbols", "full+lengths+gravity", "centre+lengths+twists+gravity", "gyration+lengths")


def configurations(arm: ArmDescription, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-2, 2, (4, arm.n))


def reference(arm: ArmDescription, q: np.ndarray) -> list[np.ndarray]:
    """D, C and G by the numeric pages."""
    real, columns = chain(arm, REAL), list(np.moveaxis(q, -1, 0))
    shape = q.shape[:-1]

    def stacked(table: object) -> np.ndarray:
        if isinstance(table, list | tuple):
            return np.stack([stacked(entry) for entry in table], axis=-1)
        return np.broadcast_to(np.asarray(table, dtype=float), shape)

    tables = (
        composite_body.mass_matrix(real, REAL, columns),
        christoffel.christoffel(real, REAL, columns),
        composite_body.gravity(real, REAL, columns),
    )
    results = []
    for table in tables:
        found = stacked(table)
        # The first index was stacked last.
        results.append(np.transpose(found, (*range(len(shape)), *reversed(range(len(shape), found.ndim)))))
    return results


def assert_equal_values(equations: Equations, q: np.ndarray) -> None:
    for exact, numeric in zip(equations.values(q), reference(equations.arm, q), strict=True):
        assert np.allclose(exact, numeric, rtol=1e-11, atol=1e-11 * (1 + np.abs(numeric).max()))


CASES = [(name, way) for name in da.catalog() for way in ("numbers", "symbols")]
CASES += [(name, way) for name in ("puma560-arm", "jpl-rrp", "spherical", "ur5e") for way in WAYS[2:]]


@pytest.mark.parametrize(("name", "way"), CASES)
def test_closed_forms_have_the_values_of_the_numeric_formulations(name: str, way: str) -> None:
    arm = da.load(name)
    assert_equal_values(Equations(arm, way), configurations(arm))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("way", ["numbers", "inertial"])
def test_random_trees_with_any_twists_too(seed: int, way: str) -> None:
    arm = random_arm(seed, joints=3 + seed % 2)
    assert_equal_values(Equations(arm, way), configurations(arm, seed))


@pytest.mark.parametrize("name", ["puma560-arm", "spherical", "planar-3r", "jpl-rrp"])
def test_five_formulations_give_the_same_polynomials(name: str) -> None:
    model = EquationsModel(da.load(name), "centre+lengths+gravity")
    ring, n = model.ring, model.chain.n
    matrix, load = model.mass_matrix(), model.gravity()
    symbols = model.christoffel(matrix)
    for formulation, page in COEFFICIENTS.items():
        other = page.mass_matrix(model.chain, ring, ring.positions)
        assert all(ring.poly_of(other[i][j]) == ring.poly_of(matrix[i][j]) for i in range(n) for j in range(n)), (
            formulation
        )
        weight = page.gravity(model.chain, ring, ring.positions)
        assert all(ring.poly_of(a) == ring.poly_of(b) for a, b in zip(weight, load, strict=True)), formulation
        if hasattr(page, "christoffel"):
            table = page.christoffel(model.chain, ring, ring.positions)
            for i, j, k in np.ndindex(n, n, n):
                assert ring.poly_of(table[i][j][k]) == ring.poly_of(symbols[i][j][k]), (formulation, i, j, k)


@pytest.mark.parametrize("formulation", ["lagrange-euler", "generalized-dalembert", "influence", "tourassis-neuman"])
def test_equations_are_the_same_by_whatever_formulation(formulation: str) -> None:
    """With drives too, of which the rotors come on top of every page; and after a copy."""
    driven = da.load("irb6").driven
    usual, other = driven.equations("numbers"), driven.equations("numbers", formulation=formulation)
    again = pickle.loads(pickle.dumps(other))
    assert other.formulation == again.formulation == formulation
    for name in usual.names():
        assert usual[name] == other[name], name
    assert again["C112"] == usual["C112"]
    small = driven.equations("numbers", [0, 1], formulation=formulation)
    assert small["D12"] == driven.equations("numbers", [0, 1])["D12"]


def test_a_formulation_that_there_is_not_is_refused_before_anything_is_derived() -> None:
    with pytest.raises(da.ArmError, match="no formulation 'newton-euler' for closed forms; choose from lagrange-euler"):
        da.load("puma560-arm").equations(formulation="newton-euler")
    with pytest.raises(da.ArmError, match='"centre\\+lengths\\+gravity" or "numbers"'):
        _ = da.load("puma560-arm").equations(formulation="generalized-dalembert").mass_matrix


def test_newton_euler_over_the_ring_gives_the_same_torques() -> None:
    equations = Equations(da.load("puma560-arm"), "symbols")
    space = equations.moving_space
    ring = space.ring
    wide = chain(equations.arm, ring, equations.model.selection.ring_parameters(ring))
    motion = [[ring.symbol(f"{mark}{i + 1}") for i in range(3)] for mark in ("qd", "qdd")]
    torques = newton_euler.inverse_dynamics(wide, ring, ring.positions, *motion)
    for i in range(3):
        assert ring.poly_of(torques[i]) == equations.torque[i].poly


def test_torques_are_the_regressor_times_the_parameters() -> None:
    equations = Equations(da.load("puma560-arm"), "full+lengths+gravity")
    names = [symbol.name for symbol in equations.symbols if symbol.kind == "inertial"]
    for i in range(3):
        total = 0
        for j, name in enumerate(names):
            total = total + equations.regressor[i, j] * equations.torque[i]._new(
                equations.torque[i].ring.symbol(name).poly
            )
        assert total == equations.torque[i]


def test_gravity_load_is_the_slope_of_the_potential_energy() -> None:
    for name in ("puma560", "jpl-rrp", "panda"):
        equations = Equations(da.load(name), "symbols")
        assert all(equations.potential_energy.diff(i) == equations.gravity[i] for i in range(equations.n))


def test_lagrange_of_the_energies_gives_the_torques() -> None:
    equations = Equations(da.load("spherical"), "symbols")
    n = equations.n
    for i in range(n):
        momentum = equations.kinetic_energy.diff(f"qd{i + 1}")
        total = equations.potential_energy.diff(i) - equations.kinetic_energy.diff(i)
        for j in range(n):
            speed, pull = (equations.moving_space.ring.symbol(f"{mark}{j + 1}").poly for mark in ("qd", "qdd"))
            total = total + momentum.diff(j) * momentum._new(speed) + momentum.diff(f"qd{j + 1}") * momentum._new(pull)
        assert total == equations.torque[i]


def test_jacobian_and_tool_frame_have_the_numeric_values() -> None:
    arm = da.load("puma560")
    equations = Equations(arm)
    q = configurations(arm)[0]
    exact = np.array([[entry(q) for entry in row] for row in equations.jacobian])
    assert np.allclose(exact, arm.jacobian(q), atol=1e-12)
    frame = np.array([[entry(q) for entry in row] for row in equations.tool_frame])
    assert np.allclose(frame, arm.forward_kinematics(q), atol=1e-12)


def test_translational_and_rotational_parts_add_up() -> None:
    equations = Equations(da.load("puma560-arm"), "centre+lengths")
    for name in ("D11", "D12", "D33", "C112", "C123", "C311"):
        assert equations.translational(name) + equations.rotational(name) == equations[name]
    assert not {p for p in equations.translational("D11").parameters if p.startswith("C")}
    assert not {p for p in equations.rotational("D11").parameters if p.startswith("m")}


def test_the_split_of_moments_is_refused_with_the_remedy() -> None:
    with pytest.raises(da.ArmError, match="centre"):
        Equations(da.load("puma560-arm"), "symbols").translational("D11")


def test_six_joints_in_general_position_stay_exact_and_quick() -> None:
    rows = [
        {
            "alpha": 0.3 + 0.4 * i,
            "a": 0.2,
            "d": 0.1,
            "mass": 1 + i,
            "com": (0.1, 0.02, 0.03),
            "inertia": (0.2, 0.3, 0.25),
        }
        for i in range(6)
    ]
    arm = da.Arm.from_dh(rows)
    equations = Equations(arm, "numbers")
    q = configurations(arm)
    numeric = arm.mass_matrix(q)
    for i in range(6):
        for j in range(i, 6):
            assert np.allclose(equations.mass_matrix[i, j](q), numeric[:, i, j], rtol=1e-11, atol=1e-11)
    assert equations.christoffel[0, 1, 2](q) == pytest.approx(arm.christoffel(q)[:, 0, 1, 2], rel=1e-10)


# -- parameters ----------------------------------------------------------------------------------


def test_parameters_that_are_zero_stay_zero() -> None:
    equations = Equations(da.load("puma560"), "symbols")
    assert "m1" not in equations.space.symbols
    assert "m1" in Equations(da.load("puma560"), "full").space.symbols
    assert "mx1" in Equations(da.load("puma560"), ["m2", "mx1"]).space.symbols


def test_any_mixture_of_symbols_and_numbers() -> None:
    arm = da.load("puma560-arm")
    q = configurations(arm)
    mixed = Equations(arm, ["m3", "a2", "Izz2"])
    assert [s.name for s in mixed.symbols] == ["Izz2", "m3", "a2"]
    assert_equal_values(mixed, q)
    given = Equations(arm, {"m3": 10, "a2": None})
    assert given["D22"](q, {"a2": 0.4318}) == pytest.approx(
        Equations(arm, "symbols")["D22"](q, {"m3": 10, "a2": 0.4318})
    )


def test_a_twist_can_stay_a_symbol() -> None:
    arm = da.Arm.from_dh(
        [{"alpha": 0.7, "mass": 1, "com": (0.1, 0, 0)}, {"a": 0.3, "alpha": 0.2, "mass": 1, "com": (0, 0.1, 0)}]
    )
    equations = Equations(arm, "inertial+twists")
    assert "c_alpha1" in equations["D11"].variables
    assert_equal_values(equations, configurations(arm))


def test_two_lengths_of_one_name_are_no_symbol() -> None:
    """One symbol has one value: numbers answer as they are, and symbols are refused."""
    arm = da.load("planar-2r")
    longer = replace(arm.joints[0], before=Placement.of(translate("x", "0.25", "l1")))
    twice = replace(arm, joints=(longer, *arm.joints[1:]))
    q = [0.3, 0.2]
    assert np.allclose(twice.equations("numbers").values(q)[2], twice.gravity_load(q))
    with pytest.raises(da.ArmError, match="two lengths or angles that differ are named 'l1'"):
        twice.equations()


def test_unknown_parameters_are_named() -> None:
    with pytest.raises(da.ArmError, match="bogus7"):
        Equations(da.load("puma560"), ["bogus7"])


def test_an_unknown_coefficient_lists_the_valid_ones() -> None:
    with pytest.raises(da.ArmError, match="D11, D12, D22"):
        Equations(da.load("planar-2r"))["D33"]


def test_the_load_in_the_hand_as_symbols_alone() -> None:
    arm = da.load("puma560")
    loaded = Equations(arm, "symbols+load")
    bare = Equations(arm, "symbols")
    share = loaded.by_link("D11")["L"]
    assert share
    assert all(name.endswith("L") or name[0] in "ad" for name in share.parameters)
    assert loaded["D11"] - share == bare["D11"]
    load = da.Load(mass=1.5, com=(0.01, 0.02, 0.1), inertia=(0.01, 0.02, 0.03))
    q = configurations(arm)
    values = dict(
        zip(
            [f"{n}L" for n in ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")],
            load.body.parameters,
            strict=True,
        )
    )
    assert np.allclose(loaded["D11"](q, values), arm.holding(load).mass_matrix(q)[..., 0, 0], rtol=1e-12)


# -- restricted models ---------------------------------------------------------------------------


@pytest.mark.parametrize("at", [{}, {"joint5": 0.5, "joint4": -0.3}])
def test_a_restricted_model_is_the_whole_model_with_joints_at_rest(at: dict[str, float]) -> None:
    from dalembert.equations.restricted import restricted

    arm = da.load("jpl-rrp")
    names = arm.joint_names
    rest = {names[int(key[-1]) - 1]: value for key, value in at.items()}
    small = restricted(arm, "symbols", joints=[0, 1, 2], at=rest)
    q = configurations(arm)
    q[:, 3:] = [at.get(f"joint{i}", 0.0) for i in (4, 5, 6)]
    assert np.allclose(small.values(q[:, :3])[0], arm.mass_matrix(q)[:, :3, :3], rtol=1e-12)


def test_starred_parameters_put_back_give_the_whole_model_at_rest() -> None:
    from dalembert.equations.restricted import restricted

    arm = da.load("jpl-rrp")
    small, whole = restricted(arm, "symbols", joints=[0, 1, 2]), Equations(arm, "symbols")
    assert small.starred["m3*"].parameters == ("m3", "m4", "m5", "m6")
    q = np.array([0.3, 0.7, 0.5])
    stars = {name: float(value(np.zeros(6))) for name, value in small.starred.items() if name in small.space.symbols}
    for name in ("D11", "D12", "D22", "D33", "C211", "G2"):
        assert small[name](q, stars) == pytest.approx(
            whole[name](np.concatenate([q, np.zeros(3)])), rel=1e-12, abs=1e-12
        )


def test_resting_and_moving_at_once_is_refused() -> None:
    from dalembert.equations.restricted import restricted

    with pytest.raises(da.ArmError, match="both"):
        restricted(da.load("puma560"), joints=[0, 1], at={0: 0.1})


def test_acceleration_and_gravity_terms_alone() -> None:
    equations = Equations(da.load("planar-2r"))
    part = equations.torque_of(velocity=False)[0]
    assert not any(name.startswith("qd") and not name.startswith("qdd") for name in part.parameters)
    assert part + equations.torque_of(acceleration=False, gravity=False)[0] == equations.torque[0]


def test_an_arm_with_springs_is_refused_with_the_remedy() -> None:
    arm = da.load("planar-2r")
    sprung = arm.with_elastic(da.JointSpring(arm.joint_names[0], 10.0))
    with pytest.raises(da.ArmError, match="without_elastic"):
        Equations(sprung)


def test_two_styles_in_one_body_are_refused() -> None:
    with pytest.raises(da.ArmError, match="styles"):
        Equations(da.load("puma560-arm"), ["mx3", "x3"])
