"""The second normal form: the finite Fourier series in the joint angles.

A power of sines and cosines of one angle is a sum of exponentials z^k, z = exp(i angle). Angle after angle is
rewritten so, and equal terms are put together at each step, which keeps the sums short. In normal form a sine
has power 0 or 1, and sin = -i (z - 1/z) / 2: a term is real or imaginary by the number of its sines, so rational
numbers suffice.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb
from typing import TYPE_CHECKING, Any

from flint import fmpq

from ..rings.sparse import Monomial, from_terms
from ..rings.trig import constant

if TYPE_CHECKING:
    from .polynomial import TrigPolynomial

Key = tuple[tuple[int, ...], tuple[tuple[int, int], ...], Monomial, int]
"""Multiples of the angles done, powers (cosine, sine) of the angles to do, what is no joint angle, imaginary or not."""


@cache
def exponentials(cosines: int, sines: int) -> tuple[tuple[int, Any], ...]:
    """cos^p sin^e as (k, coefficient of z^k); for e = 1 the coefficient lacks its factor -i."""
    waves = {cosines - 2 * j: fmpq(comb(cosines, j), 2**cosines) for j in range(cosines + 1)}
    if sines:
        turned: dict[int, Any] = {}
        for k, value in waves.items():
            turned[k + 1] = turned.get(k + 1, fmpq(0)) + value / 2
            turned[k - 1] = turned.get(k - 1, fmpq(0)) - value / 2
        waves = turned
    return tuple((k, value) for k, value in waves.items() if value)


def harmonics(polynomial: TrigPolynomial) -> dict[tuple[int, ...], tuple[TrigPolynomial, TrigPolynomial]]:
    """k -> (a, b): the function is the sum of a cos(k.q) + b sin(k.q), first non-zero entry of k positive."""
    ring = polynomial.ring
    series: dict[tuple[int, ...], tuple[dict[Monomial, Any], dict[Monomial, Any]]] = {}
    for (multiples, _, rest, imaginary), value in spread(polynomial).items():
        k = [0] * ring.angles.joints
        for multiple, weights in zip(multiples, ring.angles.weights, strict=False):
            for joint, sign in weights:
                k[joint] += sign * multiple
        leading = next((x for x in k if x), 0)
        if leading < 0:
            continue  # the conjugate partner of a wave that is counted twice
        # z^k and its conjugate together: 2 re cos(k.q) - 2 im sin(k.q)
        pair = series.setdefault(tuple(k), ({}, {}))
        pair[imaginary][rest] = (-2 if imaginary else 2 if leading else 1) * value
    found = {}
    for wave in sorted(series, key=lambda k: (sum(abs(x) for x in k), k)):
        a, b = (polynomial._new(poly_of(ring, part)) for part in series[wave])
        found[wave] = (a, b)
    return found


def spread(polynomial: TrigPolynomial) -> dict[Key, Any]:
    """All terms with every joint angle rewritten in exponentials.

    Sines and cosines of fixed angles stay as they are: they are coefficients, like symbols.
    """
    ring = polynomial.ring
    count, moving = len(ring.tags), len(ring.angles.revolute)
    terms: dict[Key, Any] = {}
    for monomial, number in polynomial.dictionary.items():
        powers = dict(monomial)
        trig = tuple((powers.pop(count + a, 0), powers.pop(a, 0)) for a in range(moving))
        terms[(), trig, tuple(powers.items()), 0] = constant(number)
    for _ in range(moving):
        grown: dict[Key, Any] = {}
        for (k, trig, rest, imaginary), value in terms.items():
            cosines, sines = trig[0]
            if sines:
                # times -i: a real term becomes imaginary and changes sign, an imaginary one real
                value = value if imaginary else -value
                imaginary = 1 - imaginary
            for wave, factor in exponentials(cosines, sines):
                key = ((*k, wave), trig[1:], rest, imaginary)
                old = grown.get(key)
                grown[key] = value * factor if old is None else old + value * factor
        terms = {key: value for key, value in grown.items() if value}
    return terms


def poly_of(ring: Any, part: dict[Monomial, Any]) -> Any:
    """The polynomial of these terms; plain numbers, the usual case, without the detour over exponent vectors."""
    if not part:
        return ring.zero
    if len(part) == 1 and () in part:
        return ring.one * part[()]
    return from_terms(ring.context, {m: Fraction(int(v.p), int(v.q)) for m, v in part.items()})
