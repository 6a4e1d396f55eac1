"""Friction of shafts over any ring that knows a sign (Szkodny 1995, eqs 17 and 18).

A shaft at speed s is resisted by its Coulomb friction, F+ forward and F- backward, and by viscous friction b s. One
that stands and is about to start with acceleration a is resisted by its starting friction:

    F(s, a) = (F+ + F-)/2 sgn s + (F+ - F-)/2 sgn^2 s + b s + (1 - sgn^2 s) F_start sgn a.

As the shaft speeds up, starting friction passes into moving friction by the weight w(s) of its friction model
(``arm/friction_models``), which is zero for Coulomb friction:

    F(s) = (1 - w) [(F+ + F-)/2 sgn s + (F+ - F-)/2 sgn^2 s] + w F_start sgn s + b s.

What holds a shaft that neither moves nor starts is a reaction, found with the load (``systems/sticking.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..arm.exact import exact
from ..arm.friction_models.model import FrictionLaw
from ..arm.shaft_friction import Friction
from ..rings.algebra import add, mul, sub
from ..rings.ring import Field, Ring, Scalar

ROUNDING = Fraction(1, 2**48)
"""A sum below this share of its terms is rounding."""


@dataclass(frozen=True)
class ShaftFriction:
    """Friction of one shaft over the ring: mean and half the difference of F+ and F-, starting, viscous; its law."""

    mean: Scalar
    half: Scalar
    starting: Scalar
    viscous: Scalar
    law: FrictionLaw

    @classmethod
    def of(cls, friction: Friction, ring: Ring) -> ShaftFriction:
        """The numbers of a description over ``ring``."""
        forward, backward = (exact(x) for x in friction.moving)
        values = ((forward + backward) / 2, (forward - backward) / 2, exact(friction.hold), exact(friction.viscous))
        mean, half, starting, viscous = (ring.number(value) for value in values)
        return cls(mean, half, starting, viscous, friction.model)

    def __bool__(self) -> bool:
        return self.dry or not (isinstance(self.viscous, int) and self.viscous == 0)

    @property
    def dry(self) -> bool:
        """True if some of it does not vanish with the speed."""
        return not all(isinstance(x, int) and x == 0 for x in (self.mean, self.half, self.starting))


def coulomb(field: Field, shaft: ShaftFriction, direction: Scalar, speed: Scalar) -> Scalar:
    """What of F does not vanish with the speed: ``direction`` is +1 or -1, or a smooth stand-in.

    The odd part takes the mean of both directions, the even part makes up their difference.
    """
    moving = add(mul(shaft.mean, direction), mul(shaft.half, mul(direction, direction)))
    weight = shaft.law.weight(field, speed)
    return add(moving, mul(weight, sub(mul(shaft.starting, direction), moving)))


def sliding(field: Field, shaft: ShaftFriction, direction: Scalar, speed: Scalar) -> Scalar:
    """F of a shaft that moves: its Coulomb friction in ``direction``, and b s."""
    return add(coulomb(field, shaft, direction, speed), mul(shaft.viscous, speed))


def contact_friction(
    field: Field, laws: Sequence[tuple[float, ShaftFriction]], direction: Scalar, speed: Scalar
) -> Scalar:
    """The force on a shaft that moves in ``direction``, viscous friction left out: friction of all that turn with it.

    Each of them turns at a ratio to its speed.
    """
    total: Scalar = 0
    for ratio, law in laws:
        scale = field.number(exact(ratio))
        friction = coulomb(field, law, direction if ratio > 0 else sub(0, direction), mul(scale, speed))
        total = sub(total, mul(scale, friction))
    return total


def direction_of_sum(field: Field, terms: Sequence[Scalar]) -> Scalar:
    """The direction of a sum of terms: -1, 0 or 1, and 0 where the sum is no more than what its terms are rounded.

    A shaft that turns with several joints stands where their shares cancel, and whether floats then give zero depends
    on how a machine adds products.
    """
    nonzero = [term for term in terms if not (isinstance(term, int) and term == 0)]
    total: Scalar = 0
    for term in nonzero:
        total = add(total, term)
    if len(nonzero) < 2:
        return 0 if isinstance(total, int) and total == 0 else field.sign(total)
    rounding: Scalar = 0
    for term in nonzero:
        rounding = add(rounding, mul(field.sign(term), term))
    rounding = mul(field.number(ROUNDING), rounding)
    signs = add(field.sign(sub(total, rounding)), field.sign(add(total, rounding)))
    return mul(field.number(Fraction(1, 2)), signs)


def resistance(
    field: Field,
    shaft: ShaftFriction,
    speed: Scalar,
    acceleration: Scalar,
    terms: tuple[Sequence[Scalar], Sequence[Scalar]] | None = None,
) -> Scalar:
    """F(s, a); with ``acceleration`` 0 a standing shaft resists nothing.

    ``terms`` are the terms of which speed and acceleration are sums, where they are any.
    """
    if not shaft:
        return 0
    if not shaft.dry:
        return mul(shaft.viscous, speed)
    direction = direction_of_sum(field, [speed] if terms is None else terms[0])
    total = sliding(field, shaft, direction, speed)
    if not isinstance(acceleration, int):
        forward = direction_of_sum(field, [acceleration] if terms is None else terms[1])
        starts = mul(sub(1, mul(direction, direction)), forward)
        total = add(total, mul(shaft.starting, starts))
    return total


def resistances(
    field: Field, shafts: Sequence[ShaftFriction], speeds: Sequence[Scalar], accelerations: Sequence[Scalar]
) -> list[Scalar]:
    """F(s, a) of several shafts."""
    return [resistance(field, *row) for row in zip(shafts, speeds, accelerations, strict=True)]
