"""JavaScript from the graph: run by node it is the arm's own function, and no name of an arm reaches it."""

from __future__ import annotations

import dataclasses
import re
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.description import ArmDescription
from dalembert.arm.errors import ArmError
from dalembert.compile.emit_javascript import javascript
from dalembert.compile.function import Function
from dalembert.compile.functions import function
from dalembert.compile.graph_model import parameter_names, parameter_values
from dalembert.rings.graph import Graph, evaluate
from dalembert.rings.real import REAL
from javascript import assert_close, by_node, needs_node
from random_arms import random_arm

STATES = 5


def states(code: Function, seed: int = 0) -> list[list[list[float]]]:
    rng = np.random.default_rng(seed)
    return [[rng.uniform(-2, 2, width).tolist() for _, width in code.arguments] for _ in range(STATES)]


@needs_node
@pytest.mark.parametrize(
    "function_name", ["mass_matrix", "gravity_load", "forward_kinematics", "inverse_dynamics", "jacobian"]
)
@pytest.mark.parametrize("name", da.catalog())
def test_node_computes_what_the_arm_computes(name: str, function_name: str) -> None:
    arm = da.load(name, physical="ignore")
    code = function(arm, function_name)
    calls = states(code)
    for call, computed in zip(calls, by_node(code, calls), strict=True):
        assert_close(computed, getattr(arm, function_name)(*call))


@needs_node
@pytest.mark.parametrize("seed", range(4))
def test_random_trees_agree_with_the_graph_itself(seed: int) -> None:
    code = function(random_arm(seed, 4, tree=True), "inverse_dynamics_derivatives")
    calls = states(code, seed)
    for call, computed in zip(calls, by_node(code, calls), strict=True):
        inputs = {
            node: value
            for (_, nodes), array in zip(code.inputs, call, strict=True)
            for node, value in zip(nodes, array, strict=True)
        }
        values = iter(evaluate(code.nodes, inputs, REAL))
        for (shape, nodes), table in zip(code.outputs, computed, strict=True):
            assert_close(table, np.reshape([next(values) for _ in nodes], shape))


@needs_node
def test_parameters_are_a_further_array() -> None:
    arm = da.load("jpl-rrp")
    code = function(arm, "inverse_dynamics", "all")
    numbers = parameter_values(arm, "all")
    calls = [[*call[:-1], numbers] for call in states(code)]
    for call, computed in zip(calls, by_node(code, calls), strict=True):
        assert_close(computed, arm.inverse_dynamics(*call[:-1]))


@needs_node
def test_angles_that_are_sums_roots_reciprocals_and_outputs_without_work() -> None:
    graph = Graph()
    a, b = graph.inputs("x_", 2)
    sin, cos = graph.sincos(a + b)
    shifted = graph.sincos(a + Fraction(1, 3))[0]
    nodes = [sin * cos, graph.sqrt(a * a + 1), 1 / (b + 3), shifted, a, graph.constant(Fraction(-1, 7))]
    nodes += [graph.sign(a), graph.sign(b), graph.sign(a - a + b * 0)]
    code = Function("several", (("x", 2),), (("table", (3, 3)), ("one", ())), lambda: [nodes, sin])
    ((table, number),) = by_node(code, [[[0.3, -1.1]]])
    expected = evaluate(code.nodes, {"x_0": 0.3, "x_1": -1.1}, REAL)
    assert_close(table, np.reshape(expected[:9], (3, 3)))
    assert_close(number, expected[9])


# -- names ------------------------------------------------------------------------------------------

NASTY = '"; process.exit(3); // \n</script><script>alert(1)</script> ${1} ` \\ \u2028'


def renamed(arm: ArmDescription) -> ArmDescription:
    """The arm with an attack for every name, named lengths and twists included."""
    links = {link.name: f"{NASTY} link {k}" for k, link in enumerate(arm.links)}

    def steps(placement: da.Placement) -> da.Placement:
        return da.Placement(tuple(dataclasses.replace(s, name=s.name and NASTY + s.name) for s in placement.steps))

    return dataclasses.replace(
        arm,
        name=NASTY,
        title=NASTY,
        links=tuple(dataclasses.replace(link, name=links[link.name]) for link in arm.links),
        joints=tuple(
            dataclasses.replace(
                joint,
                name=f"{NASTY} joint {k}",
                parent=links[joint.parent],
                child=links[joint.child],
                **{
                    field.name: steps(getattr(joint, field.name))
                    for field in dataclasses.fields(joint)
                    if isinstance(getattr(joint, field.name), da.Placement)
                },
            )
            for k, joint in enumerate(arm.joints)
        ),
        tool_link=links[arm.tool_link],
    )


@pytest.mark.parametrize("parameters", [None, "inertial", "all"])
def test_the_text_does_not_depend_on_any_name(parameters: str | None) -> None:
    arm = da.load("jpl-rrp")
    hostile = renamed(arm)
    if parameters == "all":
        assert any(NASTY in name for name in parameter_names(hostile, parameters))
    text = javascript(function(hostile, "inverse_dynamics", parameters))
    assert text == javascript(function(arm, "inverse_dynamics", parameters))
    assert re.fullmatch(r"[A-Za-z0-9_ \n\[\](){}.,;=+*/\"-]+", text)


@pytest.mark.parametrize("name", [NASTY, "", "1st", "a b", "f()", "naïve"])
def test_a_function_or_argument_that_is_no_identifier_is_refused(name: str) -> None:
    value = Graph().input("x_0")
    for code in (
        Function(name, (("x", 1),), (("y", (1,)),), lambda: [[value]]),
        Function("f", ((name, 1),), (("y", (1,)),), lambda: [[value]]),
    ):
        with pytest.raises(ArmError, match="cannot be a name in JavaScript"):
            javascript(code)


def test_the_function_is_strict_and_straight() -> None:
    text = javascript(function(da.load("planar-2r"), "mass_matrix"))
    assert text.startswith('function mass_matrix(q) {\n  "use strict";\n')
    assert not re.search(r"\b(for|while|if|eval|var|new)\b", text)
    assert text.rstrip().splitlines()[-2].startswith("  return [[")
