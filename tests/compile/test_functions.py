"""Every compiled function is the formulation's function: same values, fewer operations."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.arm.io.files import read
from dalembert.compile.functions import FUNCTIONS, OF_DRIVES, function
from dalembert.compile.graph_model import parameter_names, parameter_values
from dalembert.compile.operations import count
from dalembert.compile.regroup import regrouped
from dalembert.formulations import (
    articulated_body,
    christoffel,
    composite_body,
    factor,
    kinematics,
    newton_euler,
    regressor,
)
from dalembert.formulations.chain import chain, over
from dalembert.formulations.system import SystemOverRing
from dalembert.rings.algebra import matvec
from dalembert.rings.graph import evaluate
from dalembert.rings.rational import Rationals
from dalembert.rings.real import REAL
from random_arms import random_arm

STATES = 7


def about_the_centre(whole, q):
    rows = composite_body.momentum_matrix(whole.links, REAL, q)
    x = [m / whole.total_mass() for m in whole.first_moment(REAL, q)]
    for k in range(3):
        a, b = (k + 1) % 3, (k + 2) % 3
        rows[3 + k] = [spin - x[a] * pb + x[b] * pa for spin, pa, pb in zip(rows[3 + k], rows[a], rows[b], strict=True)]
    return rows


def reference(arm: Any, name: str, q: list[Any], x: list[Any], y: list[Any]) -> Any:
    """The function straight from its page, over NumPy arrays."""
    model, whole, still = chain(arm, REAL), SystemOverRing(arm, REAL), [0] * arm.n

    def frame() -> Any:
        turn, shift = kinematics.tool_frame(model, REAL, q)
        return [[*turn[i], shift[i]] for i in range(3)] + [[0, 0, 0, 1]]

    return {
        "inverse_dynamics": lambda: newton_euler.inverse_dynamics(model, REAL, q, x, y),
        "forward_dynamics": lambda: articulated_body.forward_dynamics(model, REAL, q, x, y),
        "mass_matrix": lambda: composite_body.mass_matrix(model, REAL, q),
        "inverse_mass_matrix": lambda: factor.inverse_matrix(model, REAL, composite_body.mass_matrix(model, REAL, q)),
        "coriolis_matrix": lambda: [list(matvec(table, x)) for table in christoffel.christoffel(model, REAL, q)],
        "gravity_load": lambda: composite_body.gravity(model, REAL, q),
        "bias": lambda: newton_euler.inverse_dynamics(model, REAL, q, x, still),
        "forward_kinematics": frame,
        "jacobian": lambda: kinematics.jacobian(model, REAL, q),
        "jacobian_rate": lambda: kinematics.jacobian_rate(model, REAL, q, x),
        "center_of_mass": lambda: [m / whole.total_mass() for m in whole.first_moment(REAL, q)],
        "center_of_mass_jacobian": lambda: [
            [p / whole.total_mass() for p in row] for row in whole.linear_momentum(REAL, q)
        ],
        "momentum_matrix": lambda: about_the_centre(whole, q),
        "regressor": lambda: regressor.regressor(model, REAL, q, x, y),
        "inverse_dynamics_derivatives": lambda: (*whole.torque_derivatives(REAL, q, x, y), whole.mass_matrix(REAL, q)),
        "forward_dynamics_derivatives": lambda: whole.acceleration_derivatives(REAL, q, x, y),
    }[name]()


def flat(table: Any) -> list[Any]:
    return [x for part in table for x in flat(part)] if isinstance(table, (list, tuple)) else [table]


def state(arm: Any, seed: int = 0) -> list[np.ndarray]:
    return list(np.random.default_rng(seed).uniform(-2, 2, (3, arm.n, STATES)))


def values(made: Any, arrays: list[np.ndarray]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for (_, nodes), array in zip(made.inputs, arrays, strict=False):
        found |= dict(zip(nodes, array, strict=True))
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_named_where_functions_are_listed(name):
    page = (Path(__file__).parents[2] / "docs" / "compile.md").read_text(encoding="utf-8")
    assert f"`{name}`" in page.partition("The functions are ")[2].partition(".")[0]
    assert f'"{name}"' in da.Arm.compile.__doc__


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in OF_DRIVES])
@pytest.mark.parametrize("seed", range(6))
def test_the_graph_of_a_random_arm_has_the_values_of_the_formulation(name: str, seed: int):
    arm = random_arm(seed, 2 + seed, tree=seed % 2 == 1)
    made = function(arm, name)
    q, x, y = state(arm, seed)
    wanted = flat(reference(arm, name, list(q), list(x), list(y)))
    found = evaluate(made.nodes, values(made, [q, x, y]), REAL)
    scale = max(float(np.abs(w).max()) for w in wanted)
    condition = 1.0
    if "forward_dynamics" in name or name.startswith("inverse_mass"):
        matrix = np.array(flat(composite_body.mass_matrix(chain(arm, REAL), REAL, list(q))), dtype=object)
        dense = np.stack([np.broadcast_to(np.asarray(m, float), STATES) for m in matrix], -1).reshape(
            STATES, arm.n, arm.n
        )
        condition = float(np.linalg.cond(dense).max())
    for got, want in zip(found, wanted, strict=True):
        assert np.abs(np.asarray(got) - want).max() <= 1e-13 * condition * scale


@pytest.mark.parametrize("seed", range(8))
def test_regrouped_inertia_has_the_same_torques_and_the_same_mass_matrix(seed: int):
    arm = random_arm(100 + seed, 1 + seed, tree=seed % 2 == 1)
    model, moved = chain(arm, REAL), over(regrouped(chain(arm, Rationals())), REAL)
    q, x, y = (list(a) for a in state(arm, seed))
    for page in (newton_euler.inverse_dynamics, articulated_body.forward_dynamics):
        a, b = np.array(page(model, REAL, q, x, y)), np.array(page(moved, REAL, q, x, y))
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-9 * np.abs(a).max())


def test_regrouping_leaves_a_revolute_joint_seven_numbers_and_a_prismatic_one_four():
    model = regrouped(chain(random_arm(3, 6, kinds=("revolute", "prismatic")), Rationals()))
    for segment in model.segments:
        if segment.revolute:
            assert segment.mass == 0 == segment.moment[2] == segment.tensor[1][1]
        else:
            assert not any(any(row) for row in segment.tensor)


@pytest.mark.parametrize(("name", "most"), [("puma560", 388), ("panda", 672)])
def test_inverse_dynamics_needs_fewer_operations_than_the_mark(name: str, most: int):
    assert count(function(read(name, physical="ignore"), "inverse_dynamics").nodes).total < most


def test_the_derivatives_of_forward_dynamics_are_not_blind():
    """Blind differentiation of forward dynamics of this arm costs 23,800 operations."""
    assert count(function(read("panda", physical="ignore"), "forward_dynamics_derivatives").nodes).total < 10_000


@pytest.mark.parametrize("kind", ["inertial", "load", "all"])
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "jacobian"])
def test_parameters_kept_as_inputs_give_the_same_values(kind: str, name: str):
    arm = read("puma560", physical="ignore").holding(da.Load(mass=2, com=(0.1, 0, 0.05)))
    baked, kept = function(arm, name), function(arm, name, kind)
    arrays = state(arm)
    own = [np.full(STATES, x) for x in parameter_values(arm, kind)]
    found = evaluate(kept.nodes, values(kept, arrays[: len(kept.arguments) - 1]) | values_of(own), REAL)
    for got, want in zip(found, evaluate(baked.nodes, values(baked, arrays), REAL), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


def values_of(own: list[np.ndarray]) -> dict[str, np.ndarray]:
    return {f"p{k}": array for k, array in enumerate(own)}


def test_a_parameter_does_what_the_same_change_of_the_arm_does():
    arm = read("puma560", physical="ignore")
    heavier = arm.holding(da.Load(mass=3, com=(0, 0.1, 0.2), inertia=(0.1, 0.2, 0.3)))
    kept = function(arm, "inverse_dynamics", "load")
    arrays = state(arm)
    own = [np.full(STATES, x) for x in parameter_values(heavier, "load")]
    found = evaluate(kept.nodes, values(kept, arrays) | values_of(own), REAL)
    made = function(heavier, "inverse_dynamics")
    for got, want in zip(found, evaluate(made.nodes, values(made, arrays), REAL), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("kind", "hand"), [("inertial", False), ("all", False), ("load", True), ("load", False)])
def test_a_load_is_said_to_be_built_in_where_no_parameter_takes_it_away(kind: str, hand: bool):
    whole = da.load("puma560", physical="ignore")
    arm = whole.holding(da.Load(2.0, (0, 0, 0.1)), "link6" if hand else "link4")
    kernel = arm.compile("gravity_load", parameters=kind)
    q = np.linspace(-1, 1, 6)
    np.testing.assert_allclose(kernel(q), arm.gravity_load(q), rtol=1e-12, atol=1e-13)
    without = kernel(q, np.where(np.isin(kernel.parameter_names, ("gx", "gy", "gz")), 1.0, 0.0))
    stays = np.abs(without - (whole.gravity_load(q) if kind == "load" else 0)).max() > 1e-9
    remarks = function(arm, "gravity_load", kind).remarks
    assert any(remark == "A load of 2 kg on link4 is built in." for remark in remarks) == stays
    assert sum("load of 2 kg" in remark for remark in remarks) == 1


def test_geometry_that_is_no_parameter_is_said_to_be_built_in():
    rows = [{"a": 0.4, "alpha": 0.1, "d": 0.1, "theta": 0.2, "mass": 1.0, "com": (0.1, 0, 0)}]
    named = da.Arm.from_dh(rows)
    tool = named.with_tool(da.Placement.from_xyz_rpy((0.1, 0, 0), (0, 0, 0)))
    opening = [function(arm, "gravity_load", "all").remarks[0] for arm in (named, tool, da.load(named.write_urdf()))]
    assert opening[1:] == ["Geometry that has no name is built in.", "Geometry is built in."]
    assert "built in" not in opening[0]


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "inverse_dynamics_derivatives"])
def test_springs_and_dampers_are_compiled_in(name: str):
    arm = da.Arm.of(random_arm(5, 3, fixed=0.0)).with_elastic(
        da.JointSpring("joint1", 20.0, 0.3), da.PointSpring("base", (0, 0.1, 0), "link3", (0.1, 0, 0), 50.0, 0.2, 1.0)
    )
    made = function(arm, name)
    q, x, y = (array[:, 0] for array in state(arm))
    found = evaluate(made.nodes, values(made, [q, x, y]), REAL)
    wanted = np.concatenate([np.ravel(part) for part in np.atleast_1d(getattr(arm, name)(q, x, y))])
    np.testing.assert_allclose(np.array(found, dtype=float), wanted, rtol=1e-9, atol=1e-9)


def test_shapes_and_arguments_are_known_without_building_the_graph():
    arm = random_arm(random.Random(1), 4)
    for name in FUNCTIONS:
        made = function(arm.counting_drives("none" if name == "regressor" else "exact"), name)
        shapes, widths = made.shapes, made.arguments
        assert "outputs" not in vars(made)
        assert shapes == tuple(shape for shape, _ in made.outputs)
        assert widths == tuple((a, len(nodes)) for a, nodes in made.inputs)
        for shape, nodes in made.outputs:
            assert len(nodes) == np.prod(shape)


def test_unknown_names_are_refused_with_the_known_ones():
    arm = random_arm(1, 2)
    with pytest.raises(ArmError, match="no function 'torque' to compile; there are inverse_dynamics, "):
        function(arm, "torque")
    with pytest.raises(ArmError, match=r"no function \['bias'\] to compile"):
        function(arm, ["bias"])
    with pytest.raises(ArmError, match='parameters may be "inertial", "load" or "all"'):
        parameter_names(arm, "mass")
