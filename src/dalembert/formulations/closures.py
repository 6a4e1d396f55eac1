"""Closures over any ring: what ties two frames together, as equations c(phi) = 0 with their rates.

Every equation is a scalar product of an axis of frame A with the span p_B - p_A or with an axis of frame B; which ones,
a closure says (``mechanisms/loop_closures.py``). Vectors of a frame that joints carry come with their influence
coefficients (Freeman 1985, eqs 2-56, 2-66), and with first and second rates at constant joint rates, from (2-76) and
(2-84):

    v' = sum_n g_n phi_n',    v'' = sum_n phi_n' (2 Omega_n + s_n phi_n') x g_n,

Omega_n being the angular velocity before joint n. The product rule does the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..rings.algebra import ZERO, Vec, add, column, cross, dot, matvec, minus, mul, plus, scale
from ..rings.ring import Scalar
from .chain import Chain
from .influence import PointInfluence
from .kinematics import Frame

Product = tuple[int, int, int]
"""An equation sign e_i . v_j = 0 as (i, j, sign): axis i of A; v_0 is the span, v_1 to v_3 are the axes of B."""


@dataclass(frozen=True)
class CarriedVector:
    """A vector with its g_n by joint, and its first and second rates."""

    value: Vec
    slopes: dict[int, Vec]
    rate: Vec = ZERO
    rate2: Vec = ZERO

    def __sub__(self, other: CarriedVector) -> CarriedVector:
        slopes = {
            n: minus(self.slopes.get(n, ZERO), other.slopes.get(n, ZERO))
            for n in dict.fromkeys((*self.slopes, *other.slopes))
        }
        return CarriedVector(
            minus(self.value, other.value), slopes, minus(self.rate, other.rate), minus(self.rate2, other.rate2)
        )


@dataclass(frozen=True)
class ClosureEquation:
    """c, its row of [G^c] by joint, and phi'.[H^c] phi'."""

    value: Scalar
    slopes: dict[int, Scalar]
    drift: Scalar


def frame_vectors(
    chain: Chain,
    joint_frames: Sequence[Frame],
    body: int,
    placement: Frame,
    rates: Sequence[Scalar],
    first_joint: int = 0,
    kinds: Collection[int] = range(4),
) -> dict[int, CarriedVector]:
    """Origin (0) and axes (1 to 3) of the frame at ``placement`` in the joint frame of ``body`` (-1: base).

    ``rates`` are phi' of the chain, or empty where no rates are asked for; its joints count from ``first_joint``.
    """
    influence = PointInfluence(chain, joint_frames, body, placement[1])
    result = {}
    for k in kinds:
        if k == 0:
            value = influence.position
        else:
            axis = column(placement[0], k - 1)
            value = axis if body < 0 else matvec(joint_frames[body][0], axis)
        slopes = {n: influence.shift(n) if k == 0 else cross(influence.turn(n), value) for n in influence.path}
        moved = bent = before = ZERO
        if rates:
            for n in influence.path:
                turning = scale(rates[n], influence.turn(n))
                g = scale(rates[n], slopes[n])
                moved = plus(moved, g)
                bent = plus(bent, cross(plus(plus(before, before), turning), g))
                before = plus(before, turning)
        result[k] = CarriedVector(value, {first_joint + n: g for n, g in slopes.items()}, moved, bent)
    return result


def turning_vector(
    chain: Chain, joint_frames: Sequence[Frame], body: int, rates: Sequence[Scalar], first_joint: int = 0
) -> CarriedVector:
    """The turning of ``body``: no value, slopes s_n, as rate its angular velocity, and Omega' at constant joint rates.

    Omega' = sum_n Omega_n x s_n phi_n', Omega_n being the angular velocity before joint n (2-69).
    """
    influence = PointInfluence(chain, joint_frames, body, ZERO)
    spin = bent = ZERO
    if rates:
        for n in influence.path:
            turning = scale(rates[n], influence.turn(n))
            bent = plus(bent, cross(spin, turning))
            spin = plus(spin, turning)
    return CarriedVector(ZERO, {first_joint + n: influence.turn(n) for n in influence.path}, spin, bent)


def turn_rate(axis: CarriedVector, turning: CarriedVector) -> ClosureEquation:
    """The rate e . Omega as an equation without a value: slopes e . s_n, and e' . Omega + e . Omega'."""
    slopes = {n: dot(axis.value, g) for n, g in turning.slopes.items()}
    return ClosureEquation(0, slopes, add(dot(axis.rate, turning.rate), dot(axis.value, turning.rate2)))


def vectors_of(products: Sequence[Product]) -> tuple[set[int], set[int]]:
    """Which vectors of A and of B the equations ask for."""
    span = {0} if any(j == 0 for _, j, _ in products) else set()
    return {1 + i for i, _, _ in products} | span, {j for _, j, _ in products}


def equations(
    products: Sequence[Product], a: Mapping[int, CarriedVector], b: Mapping[int, CarriedVector]
) -> list[ClosureEquation]:
    """The equations of one closure between two frames."""
    vectors = dict(b)
    if 0 in b:
        vectors[0] = b[0] - a[0]
    return [_equation(a[1 + i], vectors[j], sign) for i, j, sign in products]


def _equation(u: CarriedVector, v: CarriedVector, sign: int) -> ClosureEquation:
    """sign u . v by the product rule."""
    slopes = {
        n: mul(sign, add(dot(u.slopes.get(n, ZERO), v.value), dot(u.value, v.slopes.get(n, ZERO))))
        for n in dict.fromkeys((*u.slopes, *v.slopes))
    }
    product = dot(u.rate, v.rate)
    drift = add(add(dot(u.rate2, v.value), add(product, product)), dot(u.value, v.rate2))
    return ClosureEquation(mul(sign, dot(u.value, v.value)), slopes, mul(sign, drift))
