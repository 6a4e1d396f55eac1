"""Closed forms of arms whose joints follow others: exact, in the coordinates alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from coupled_arms import PALLETIZER, coupled_chain
from dalembert.rings.angles import Angles, Axis
from dalembert.rings.trig import TrigRing


def at(table: np.ndarray, q: np.ndarray) -> np.ndarray:
    return np.array([float(poly(q)) for poly in table.ravel()]).reshape(table.shape)


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.integers(2, 4))
def test_closed_forms_have_the_numbers_of_the_system(seed: int, joints: int):
    arm = coupled_chain(seed, joints, whole=True)
    q = np.random.default_rng(seed).uniform(-1, 1, arm.n)
    for parameters in ("numbers", "symbols"):
        form = arm.equations(parameters)
        scale = max(1.0, float(np.abs(arm.mass_matrix(q)).max()), float(np.abs(arm.gravity_load(q)).max()))
        for table, wanted in (
            (form.mass_matrix, arm.mass_matrix(q)), (form.gravity, arm.gravity_load(q)),
            (form.christoffel, arm.christoffel(q)), (form.jacobian, arm.jacobian(q)),
            (form.tool_frame, arm.forward_kinematics(q)),
        ):  # fmt: skip
            np.testing.assert_allclose(at(table, q), wanted, rtol=0, atol=1e-9 * scale)
        np.testing.assert_allclose(float(form.potential_energy(q)), arm.potential_energy(q), atol=1e-9 * scale)


@pytest.mark.parametrize("drives", [False, True])
def test_shares_of_links_and_parts_add_up_to_the_coefficients(drives: bool):
    arm = da.load(PALLETIZER)
    form = (arm.driven if drives else arm).equations("numbers")
    for name in ("D11", "D33", "D34", "C113", "G3", "tau2", "V"):
        whole = form[name]
        parts = form.by_link(name)
        assert set(parts) <= {1, 2, 3, 4, 5, 6, "drives"}
        assert sum(parts.values(), start=whole * 0) == whole
    for name in ("D22", "D33", "C131"):
        assert form.translational(name) + form.rotational(name) == form[name]


@pytest.mark.parametrize("formulation", ["lagrange-euler", "generalized-dalembert", "influence", "tourassis-neuman"])
def test_every_formulation_derives_the_same_polynomials(formulation: str):
    arm = da.load(PALLETIZER)
    ours, theirs = arm.equations("numbers"), arm.equations("numbers", formulation=formulation)
    for name in ours.names():
        assert ours[name] == theirs[name]


def test_a_joint_that_turns_back_what_another_turns_leaves_its_body_level():
    """Elbow and level cancel: the hand keeps its direction, so its moment of inertia leaves D33."""
    form = da.load(PALLETIZER.replace("offset = 0.2", "offset = 0")).equations("symbols")
    assert "Izz4" not in form["D33"].parameters
    assert "Izz3" in form["D33"].parameters
    assert "m4" in form["D33"].parameters


def test_the_regressor_in_closed_form_gives_the_torques():
    arm = da.load(PALLETIZER)
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, arm.n))
    form = arm.equations("symbols").regressor
    values = {f"qd{i + 1}": v for i, v in enumerate(qd)} | {f"qdd{i + 1}": v for i, v in enumerate(qdd)}
    assert form.shape == (4, 60)
    y = np.zeros(form.shape)
    for index, poly in np.ndenumerate(form):
        y[index] = float(poly(q, {key: value for key, value in values.items() if key in poly.parameters}))
    np.testing.assert_allclose(y @ arm.parameters, arm.inverse_dynamics(q, qd, qdd), atol=1e-10)


@pytest.mark.parametrize("times", range(-8, 9))
def test_multiples_of_an_angle_have_the_sine_and_cosine_that_sympy_expands(times: int):
    ring = TrigRing(Angles((Axis(True),)))
    sin, cos = ring.sincos(ring.position(0) * times)
    x, s, c = sympy.symbols("x s c")
    for ours, theirs in ((sin, sympy.sin(times * x)), (cos, sympy.cos(times * x))):
        text = str(ring.poly_of(ours)).replace("^", "**").replace("v0", "s").replace("v1", "c")
        difference = sympy.sympify(text, {"s": s, "c": c}).subs({s: sympy.sin(x), c: sympy.cos(x)}) - theirs
        assert sympy.expand(sympy.expand_trig(difference)).rewrite(sympy.exp).expand() == 0


@pytest.mark.parametrize(
    ("follows", "said"),
    [
        (da.Follows("elbow", "-0.5"), "joint 'level' follows joint 'elbow' by a ratio of -0.5, which is no integer"),
        (da.Follows("elbow", 9), "by a ratio of 9, which is no integer of at most 8"),
        (da.Follows("finger1", 2), "and the one is revolute, the other prismatic"),
    ],
)
def test_other_ratios_are_refused_by_name_and_numbers_still_work(follows: da.Follows, said: str):
    arm = da.load(PALLETIZER)
    joints = tuple(replace(j, follows=follows, limits=da.Limits()) if j.name == "level" else j for j in arm.joints)
    arm = replace(arm, joints=joints)
    with pytest.raises(da.ArmError, match=said):
        arm.equations()
    with pytest.raises(da.ArmError, match="numbers, kernels and C work"):
        arm.analysis().ranges()
    assert np.isfinite(arm.mass_matrix(np.zeros(4))).all()


def test_the_structure_of_independent_joints_is_refused():
    with pytest.raises(da.ArmError, match="joint 'level' follows another, and the structure of Tourassis"):
        da.load(PALLETIZER).equations("numbers").structure()


def test_restricted_models_hold_what_follows_the_joints_at_rest():
    arm = da.load(PALLETIZER)
    small = arm.equations("symbols", joints=["turn", "shoulder"], at={"elbow": 0.4, "finger1": 0.02})
    q = np.array([0.3, 0.5])
    whole = arm.mass_matrix([0.3, 0.5, 0.4, 0.02])
    np.testing.assert_allclose(at(small.mass_matrix, q), whole[:2, :2], atol=1e-12)
    values = {name: float(star(np.zeros(4))) for name, star in small.starred.items()}
    assert values
    for name, value in values.items():
        known = {symbol.name: symbol.value for symbol in small.symbols}
        if name in known:
            assert float(known[name]) == pytest.approx(value, abs=1e-12)


def test_base_parameters_give_the_torques_alone():
    base = da.load(PALLETIZER).equations("symbols").base_parameters()
    for name in ("D11", "D33", "G2"):
        exact = base.equations[name]
        assert base.expanded(base.regrouped(exact)) == exact
