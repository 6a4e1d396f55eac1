"""Sums in another order are the same numbers, exactly, by no more instructions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalembert as da
from dalembert.compile.emit_c import Program, fusions
from dalembert.compile.function import Function
from dalembert.compile.functions import function
from dalembert.compile.kernel import Kernel
from dalembert.compile.reassociate import reassociated
from dalembert.rings.graph import Graph, Node, evaluate, reachable


class Rationals:
    """A field in which nothing is rounded; an angle stands for the tangent of half of it."""

    @staticmethod
    def number(value):
        return Fraction(value)

    @staticmethod
    def divide(a, b):
        return Fraction(a) / b if b else Fraction(0)

    @staticmethod
    def sincos(t):
        return 2 * t / (1 + t * t), (1 - t * t) / (1 + t * t)

    @staticmethod
    def sqrt(a):
        return abs(a)

    @staticmethod
    def sign(a):
        return Fraction((a > 0) - (a < 0))


def statements(outputs: list[Node]) -> int:
    """Statements with products taken into sums."""
    order = [node for node in reachable(outputs) if node.op not in ("const", "input")]
    taken = fusions(order, {node.index for node in outputs})
    return len(order) - len({product.index for product in taken.values()})


@st.composite
def expressions(draw):
    """Some numbers of a graph, each made of earlier ones, and which of them are results."""
    graph = Graph()
    made: list = [graph.input(name) for name in "abcd"]
    for _ in range(draw(st.integers(1, 30))):
        first, second = (made[draw(st.integers(0, len(made) - 1))] for _ in range(2))
        which = draw(st.sampled_from("+-*nki"))
        constant = draw(st.integers(-3, 3))
        made.append(
            {
                "+": lambda a=first, b=second: a + b,
                "-": lambda a=first, b=second: a - b,
                "*": lambda a=first, b=second: a * b,
                "n": lambda a=first: -a,
                "k": lambda a=first, k=constant: a + k,
                "i": lambda a=first: graph.inverse(a * a + 1),
            }[which]()
        )
    picked = draw(st.lists(st.integers(0, len(made) - 1), min_size=1, max_size=4))
    return [made[k] for k in picked]


@given(expressions(), st.lists(st.integers(-5, 5), min_size=4, max_size=4))
def test_sums_in_another_order_are_the_same_numbers_exactly(outputs, values):
    inputs = {name: Fraction(value, 7) for name, value in zip("abcd", values, strict=True)}
    again = reassociated(outputs)
    assert evaluate(again, inputs, Rationals) == evaluate(outputs, inputs, Rationals)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "coriolis_matrix"])
@pytest.mark.parametrize("arm", ["puma560", "panda", "stanford", "jpl-rrp"])
def test_functions_of_arms_are_exactly_the_same_and_shorter(arm, name):
    exact = function(da.load(arm, physical="ignore"), name)
    values = {
        name: Fraction(k % 5 - 2, 3 + k % 4) for k, name in enumerate(x for _, names in exact.inputs for x in names)
    }
    again = reassociated(exact.nodes)
    assert evaluate(again, values, Rationals) == evaluate(exact.nodes, values, Rationals)
    assert statements(again) < statements(exact.nodes)


def test_a_sum_of_products_goes_into_the_sum_that_uses_it():
    """x + (a b + c d) is two statements, as (x + a b) + c d."""
    graph = Graph()
    a, b, c, d, x = (graph.input(name) for name in "abcdx")
    assert statements([x + (a * b + c * d)]) == 3
    assert statements(reassociated([x + (a * b + c * d)])) == 2
    assert statements(reassociated([x - (a * b - c * d)])) == 2
    assert statements(reassociated([a * b - (x - c * d)])) == 2


def test_a_sum_that_is_used_twice_is_computed_once():
    graph = Graph()
    a, b, c, d, x = (graph.input(name) for name in "abcdx")
    shared = a * b + c * d
    assert statements(reassociated([x + shared, x - shared])) == 4


def test_products_that_meet_again_cancel_or_are_computed_once():
    """Of (p + a) - (p + b) no p is left; p of p + (p + a) is a number of its own."""
    graph = Graph()
    a, b, c, d = (graph.input(name) for name in "abcd")
    p = c * d
    assert statements(reassociated([(p + a) - (p + b)])) == 1
    nothing = graph.operation("sub", p + a, graph.operation("add", p, a))
    assert evaluate(reassociated([b * nothing + c]), dict.fromkeys("abcd", Fraction(3)), Rationals) == [3]
    double = Function("twice", (("x", 2),), (("y", (1,)),), lambda: ([twice(*Graph().inputs("x_", 2))],))
    assert Kernel(double)([3.0, 5.0]) == pytest.approx([30.0])


@pytest.mark.usefixtures("needs_compiler")
def test_sums_of_which_a_constant_is_left_are_constants_in_batches_too():
    """Of ((p + a) + b - (p + b) - a + 1/4) / 2 no operation is left: nothing of it is a vector."""

    def build():
        graph = Graph()
        a, b = graph.inputs("x_", 2)
        nothing = (a * b + a + b) - (a * b + b + a)
        half = (nothing + Fraction(1, 4)) * Fraction(1, 2)
        return ([a * (half + 1), graph.sqrt(half)],)

    kernel = Kernel(Function("constants", (("x", 2),), (("y", (2,)),), build))
    batch = np.arange(32.0).reshape(16, 2)
    np.testing.assert_allclose(kernel(batch), np.stack([1.125 * batch[:, 0], np.full(16, 0.125**0.5)], axis=1))
    assert kernel.code.is_compiled("batch")


def twice(x: Node, y: Node) -> Node:
    """x y + x y, as no formulation writes it."""
    return x.graph.operation("add", x * y, x * y)


def test_a_program_of_many_sums_in_a_row_needs_no_stack():
    graph = Graph()
    total, numbers = graph.input("a"), [graph.input(f"x{k}") for k in range(3000)]
    outputs = []
    for x in numbers:
        total = total + x * x
        outputs.append(total)
    assert statements(reassociated(outputs)) == len(numbers)


def test_kernels_are_built_from_it():
    exact = function(da.load("puma560", physical="ignore"), "forward_dynamics")
    angles = 2 * len(Program(exact).angles)  # sines are no statements of a program
    assert len(Program(exact, fused=True).order) < statements(exact.nodes) - angles
