"""The torque error of a program at one state in balls of many bits: what is larger there than a proof allows is larger.

Floats tell a fault of a proof from rounding only where they know their own rounding; a light link on a heavy one has
torques far below it. Balls (Johansson 2017) enclose the numbers meant, so that no allowance is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from flint import arb, ctx, fmpq

from ..formulations.system import SystemOverRing
from ..rings.graph import Node, evaluate
from ..rings.ring import Scalar, structural
from ..systems.arm_system import ArmSystem
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


def least_errors(case: Case, program: Hoisted, states: Iterable[tuple[int, Sequence[float]]]) -> list[float]:
    """For each of several joints a number that the error of its torque is no less than, at a state (q, qd, qdd in a
    row).
    """
    return errors_at(case.rigid, program.outputs, program.values(case.parameters), states)


def errors_at(
    system: ArmSystem,
    torques: Sequence[Node],
    values: Mapping[str, Fraction],
    states: Iterable[tuple[int, Sequence[float]]],
) -> list[float]:
    """The same for torques by a program with these constants, against those of a system without friction."""
    n, ring = system.n, Balls()
    with ctx.workprec(BITS):
        exact = SystemOverRing(system, ring)
        constants = {name: ring.number(value) for name, value in values.items()}
        errors: list[float] = []
        for joint, state in states:
            q, qd, qdd = ([arb(float(x)) for x in state[vector * n : vector * n + n]] for vector in range(3))
            inputs = dict(constants)
            for name, row in (("q", q), ("qd", qd), ("qdd", qdd)):
                inputs |= {f"{name}_{i}": x for i, x in enumerate(row)}
            reduced = evaluate([torques[joint]], inputs, ring)[0]
            errors.append(float(arb(reduced - exact.torque(ring, q, qd, qdd)[joint]).abs_lower()))
        return errors
