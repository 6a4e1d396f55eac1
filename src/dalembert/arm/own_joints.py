"""The joint that each motor drives, of all that it turns with: motor i of joint i where motors are coupled.

Paul's inertia J_i N_ii^2 (Szkodny 1995, eq. 11) counts motors as joints are counted. But a file lists them in any
order, locked joints leave gaps, and a joint may have two. So a motor that turns with one joint alone drives it; of the
others one that has but one joint left, or that alone turns with one, drives that. Transmissions are triangular as a
rule, and this is the one way to give all joints motors there. Where it leaves a doubt the largest ratio counts, then
that a joint moves, then the order in which they are listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from fractions import Fraction

Ratios = Sequence[tuple[str, Fraction]]
Pair = tuple[int, str, Fraction]
"""A motor, a joint that it turns with, and the magnitude of the ratio."""


def own_joints(transmission: Sequence[Ratios], moving: Collection[str]) -> list[str | None]:
    """The joint that each motor drives, locked ones included; None for a motor that drives none of its own."""
    # Fraction: of this design, also where a ratio stays an input
    sizes = [{name: abs(Fraction(ratio)) for name, ratio in ratios if Fraction(ratio)} for ratios in transmission]
    own: list[str | None] = [next(iter(size)) if len(size) == 1 else None for size in sizes]
    pairs = [(motor, name, size) for motor, ratios in enumerate(sizes) for name, size in ratios.items()]
    while left := [pair for pair in pairs if own[pair[0]] is None and pair[1] not in own]:
        motor, name, _ = _surest(left, moving)
        own[motor] = name
    return own


def _surest(pairs: Sequence[Pair], moving: Collection[str]) -> Pair:
    motors, names = Counter(motor for motor, _, _ in pairs), Counter(name for _, name, _ in pairs)

    def rank(pair: Pair) -> tuple[bool, bool, Fraction, bool]:
        motor, name, size = pair
        return motors[motor] == 1, names[name] == 1 and name in moving, size, name in moving

    return max(pairs, key=rank)
