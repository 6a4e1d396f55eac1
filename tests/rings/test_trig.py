"""The trigonometric ring: normal forms, and the laws of a commutative ring with derivatives."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.rings.angles import Angles, Axis, angle_tag, read_tag
from dalembert.rings.sparse import from_terms, terms
from dalembert.rings.trig import TrigNumber, TrigRing

PLAIN = TrigRing(Angles((Axis(True), Axis(False), Axis(True))), ("m", "a"))
PARALLEL = TrigRing(Angles((Axis(True), Axis(True, 0), Axis(True, 1, -1))), ("m",))


def numbers(ring: TrigRing) -> st.SearchStrategy[object]:
    leaves = [ring.wrap(gen) for gen in ring.gens]
    constants = st.fractions(min_value=-3, max_value=3, max_denominator=5).filter(bool).map(ring.number)
    return st.recursive(
        st.sampled_from(leaves) | constants,
        lambda inner: st.tuples(inner, inner, st.sampled_from("+-*")).map(
            lambda t: t[0] + t[1] if t[2] == "+" else t[0] - t[1] if t[2] == "-" else t[0] * t[1]
        ),
        max_leaves=8,
    )


def value(ring: TrigRing, number: object, q: list[float]) -> float:
    """The number at joint positions q, all symbols being 0.7, straight from its terms."""
    count = len(ring.tags)
    at = [0.7] * len(ring.names)
    for place, weights in enumerate(ring.angles.weights):
        angle = sum(sign * q[joint] for joint, sign in weights)
        at[place], at[count + place] = math.sin(angle), math.cos(angle)
    for joint, place in ring.sliding.items():
        at[place] = q[joint]
    total = 0.0
    for monomial, coefficient in terms(ring.poly_of(number)).items():
        total += float(coefficient) * math.prod(at[i] ** e for i, e in monomial)
    return total


@pytest.mark.parametrize("ring", [PLAIN, PARALLEL], ids=["plain", "parallel"])
def test_no_sine_is_ever_squared(ring: TrigRing) -> None:
    @settings(max_examples=60, deadline=None)
    @given(numbers(ring))
    def check(number: object) -> None:
        degrees = ring.poly_of(number).degrees()
        assert all(degree <= 1 for degree in degrees[: len(ring.tags)])

    check()


@settings(max_examples=60, deadline=None)
@given(numbers(PLAIN), numbers(PLAIN), numbers(PLAIN))
def test_products_distribute_over_sums_exactly(a: object, b: object, c: object) -> None:
    assert PLAIN.poly_of(a * (b + c)) == PLAIN.poly_of(a * b + a * c)  # type: ignore[operator]


@pytest.mark.parametrize("ring", [PLAIN, PARALLEL], ids=["plain", "parallel"])
def test_the_derivative_is_the_slope(ring: TrigRing) -> None:
    @settings(max_examples=40, deadline=None)
    @given(numbers(ring), st.integers(0, 2))
    def check(number: object, joint: int) -> None:
        q, step = [0.3, -0.8, 1.1], 1e-6
        high, low = list(q), list(q)
        high[joint] += step
        low[joint] -= step
        slope = (value(ring, number, high) - value(ring, number, low)) / (2 * step)
        exact = value(ring, ring.wrap(ring.derivative(ring.poly_of(number), joint)), q)
        assert exact == pytest.approx(slope, rel=1e-6, abs=1e-6)

    check()


def test_sine_and_cosine_of_a_joint_in_a_parallel_group_are_those_of_its_own_position() -> None:
    q = [0.4, -1.3, 0.9]
    for joint in range(3):
        sin, cos = PARALLEL.sincos(PARALLEL.position(joint))
        assert value(PARALLEL, sin, q) == pytest.approx(math.sin(q[joint]))
        assert value(PARALLEL, cos, q) == pytest.approx(math.cos(q[joint]))
        assert sin * sin + cos * cos == 1


def test_parallel_axes_are_named_by_their_sums() -> None:
    assert PARALLEL.tags == ("1", "12", "12-3")
    for weights, wide, tag in (
        ([(1, 1), (2, 1)], False, "23"),
        ([(8, 1), (9, 1)], True, "9,10"),
        ([(1, 1), (2, -1)], False, "2-3"),
    ):
        assert angle_tag(weights, wide) == tag
        assert read_tag(tag, wide) == weights


def test_cancelled_numbers_are_structural_zeros() -> None:
    sin, cos = PLAIN.sincos(PLAIN.position(0))
    assert type(sin - sin) is int
    assert type(sin * sin + cos * cos - 1) is int


def test_structural_constants_and_rationals_mix_with_numbers() -> None:
    m = PLAIN.symbol("m")
    assert m * 0 == 0
    assert m + 0 is m
    assert 2 * m - m == m
    assert m * Fraction(1, 3) * 3 == m
    assert isinstance(1 - m, TrigNumber)


def test_terms_read_back_give_the_same_polynomial() -> None:
    @settings(max_examples=60, deadline=None)
    @given(numbers(PLAIN))
    def check(number: object) -> None:
        poly = PLAIN.poly_of(number)
        assert from_terms(PLAIN.context, terms(poly)) == poly

    check()


def test_the_sine_of_anything_but_a_joint_angle_is_refused() -> None:
    with pytest.raises(TypeError, match="joint angle"):
        PLAIN.sincos(PLAIN.symbol("a"))


def test_two_variables_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="'c1'"):
        TrigRing(Angles((Axis(True),)), ("c1",))
