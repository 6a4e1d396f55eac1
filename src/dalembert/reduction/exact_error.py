"""The torque error of a program at one state in balls of many bits: what is larger there than a proof allows is larger.

Floats tell a fault of a proof from rounding only where they know their own rounding; a light link on a heavy one has
torques far below it. Balls (Johansson 2017) enclose the numbers meant, so that no allowance is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb, ctx, fmpq

from ..formulations.system import SystemOverRing
from ..rings.graph import evaluate
from ..rings.ring import Scalar, structural
from .hoist import Hoisted
from .recursion import Case

BITS = 512
"""Bits of the balls: more than the digits that sums over the bodies of an arm may lose."""


class Balls:
    """The ring of real balls."""

    def number(self, value: Fraction) -> Scalar:
        """The ball of a rational; 0, 1 and -1 stay structural."""
        integer = structural(value)
        return arb(fmpq(value.numerator, value.denominator)) if integer is None else integer

    def sincos(self, angle: Scalar) -> tuple[Scalar, Scalar]:
        """Sine and cosine of an angle (rad)."""
        ball = arb(angle)
        return ball.sin(), ball.cos()


def least_error(case: Case, program: Hoisted, joint: int, state: Sequence[float]) -> float:
    """A number that the error of a joint's torque is no less than, at the state (q, qd, qdd in a row)."""
    n, ring, system = case.system.n, Balls(), case.system.frictionless()
    with ctx.workprec(BITS):
        q, qd, qdd = ([arb(float(x)) for x in state[part * n : part * n + n]] for part in range(3))
        right = SystemOverRing(system, ring).torque(ring, q, qd, qdd)[joint]
        inputs = {name: ring.number(value) for name, value in program.values(case.parameters).items()}
        for name, row in (("q", q), ("qd", qd), ("qdd", qdd)):
            inputs |= {f"{name}_{i}": x for i, x in enumerate(row)}
        given = evaluate([program.outputs[joint]], inputs, ring)[0]
        return float(arb(given - right).abs_lower())
