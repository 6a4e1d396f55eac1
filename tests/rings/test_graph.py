"""The graph ring folds what it can and never changes a value."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.rings.dual import Duals, slope_of
from dalembert.rings.graph import CONST, MUL, NEG, SUB, Graph, absorbed, evaluate, reachable
from dalembert.rings.real import REAL

LEAVES = ("x", "y", "z")
POINT = {"x": 0.7, "y": -1.3, "z": 2.1}


@pytest.fixture
def graph() -> Graph:
    return Graph()


def test_the_same_operation_on_the_same_numbers_is_the_same_node(graph: Graph):
    x, y = graph.input("x"), graph.input("y")
    assert x * y is y * x
    assert x + y is y + x
    assert (x + y) * x is x * (y + x)
    assert x - y is -(y - x)


def test_structural_zeros_and_ones_cost_nothing(graph: Graph):
    x = graph.input("x")
    assert x + 0 is x
    assert 0 + x is x
    assert x - 0 is x
    assert x * 1 is x
    assert (x * 0).value == 0
    assert (x - x).value == 0
    assert (0 - x).op == NEG


def test_signs_are_moved_out_of_products_and_into_sums(graph: Graph):
    x, y, z = (graph.input(name) for name in LEAVES)
    minus = -x
    assert -minus is x
    assert (-x) * (-y) is x * y
    assert x + (-y) is x - y
    assert x - (-y) is x + y
    assert (-x) * y + z is z - x * y
    assert (-x) * graph.constant(-2) is x * 2


def test_constants_are_folded_exactly(graph: Graph):
    third = graph.constant(Fraction(1, 3))
    assert (third + third + third).value == 1
    assert (third * 3).value == 1
    assert graph.divide(2, third).value == 6
    x = graph.input("x")
    assert third * (third * x) is graph.constant(Fraction(1, 9)) * x
    assert x * 2 + x * 3 is x * 5
    assert x + x is x * 2


def test_sine_and_cosine_of_opposite_angles_share_their_work(graph: Graph):
    x = graph.input("x")
    sin, cos = graph.sincos(x)
    assert graph.sincos(-x) == (-sin, cos)
    assert graph.sincos(0) == (0, 1)


def test_one_reciprocal_serves_all_divisions_by_a_number(graph: Graph):
    x, y, z = (graph.input(name) for name in LEAVES)
    quotients = [graph.divide(y, x), graph.divide(z, x)]
    assert sum(node.op == "inv" for node in reachable(quotients)) == 1


def test_signs_left_at_the_end_are_worked_back_into_what_is_used_once(graph: Graph):
    x, y, z = (graph.input(name) for name in LEAVES)
    outputs = [y - x, -(x * y * 2), -(x + (y - z) * x), -z, -(x * z), x * z]
    assert sum(node.op == NEG for node in reachable(outputs)) > 2
    turned = absorbed(graph, outputs)
    assert [node.op for node in turned] == [SUB, MUL, SUB, NEG, NEG, MUL]
    assert evaluate(turned, POINT, REAL) == evaluate(outputs, POINT, REAL)


def test_numbers_become_structural_constants_where_they_are_zero_or_one(graph: Graph):
    assert [graph.number(Fraction(k)) for k in (0, 1, -1)] == [0, 1, -1]
    assert graph.number(Fraction(1, 2)).op == CONST


def test_dual_numbers_run_over_the_graph(graph: Graph):
    duals = Duals(graph)
    x = duals.variable(graph.input("x"), 0)
    sin, _ = duals.sincos(x)
    slope = slope_of(sin * x * graph.constant(2), 0)
    value = evaluate([slope], POINT, REAL)[0]
    assert value == pytest.approx(2 * (math.cos(0.7) * 0.7 + math.sin(0.7)), rel=1e-15)


expressions = st.recursive(
    st.sampled_from(LEAVES) | st.fractions(-3, 3, max_denominator=4),
    lambda inner: st.tuples(st.sampled_from("+-*n"), inner, inner),
    max_leaves=25,
)


def built(tree: object, leaf: object) -> object:
    if not isinstance(tree, tuple):
        return leaf(tree)  # type: ignore[operator]
    kind, left, right = tree
    a, b = built(left, leaf), built(right, leaf)
    return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "n": lambda: -a}[kind]()  # type: ignore[operator]


@given(expressions)
def test_folding_never_changes_a_value(tree: object):
    point = {"x": Fraction(7, 5), "y": Fraction(-3, 2), "z": Fraction(11, 7)}
    graph = Graph()
    node = graph.node(built(tree, lambda x: graph.input(x) if isinstance(x, str) else graph.constant(x)))
    exact = built(tree, lambda x: point[x] if isinstance(x, str) else x)

    class Exact:
        def number(self, value: Fraction) -> Fraction:
            return value

    assert evaluate([node], point, Exact()) == [exact]


@given(expressions)
def test_no_negation_stands_under_a_sum_or_a_product(tree: object):
    graph = Graph()
    node = graph.node(built(tree, lambda x: graph.input(x) if isinstance(x, str) else graph.constant(x)))
    for part in reachable([node]):
        assert not any(x.op == NEG for x in part.operands)
