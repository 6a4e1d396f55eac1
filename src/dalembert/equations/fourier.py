"""The second normal form: the finite Fourier series in the joint angles.

A product of powers of sine and cosine of one angle is a sum of exponentials z^k, z = exp(i angle). The angles are
rewritten one by one, and equal terms are collected at each step, which keeps the sums short. In normal form a sine
has power 0 or 1, and sin = -i (z - 1/z) / 2: a term is real or imaginary by the parity of the number of its sines, so
rational coefficients suffice.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb
from typing import TYPE_CHECKING, Any

from flint import fmpq

from ..rings.joint_angles import constant
from ..rings.sparse import Monomial, from_terms

if TYPE_CHECKING:
    from .polynomial import TrigPolynomial

Key = tuple[tuple[int, ...], tuple[tuple[int, int], ...], Monomial, int]
"""Frequencies of the angles rewritten so far, (cosine, sine) powers of the others, other factors, 1 if imaginary."""


@cache
def exponentials(cosines: int, sines: int) -> tuple[tuple[int, Any], ...]:
    """cos^p sin^e as (k, coefficient of z^k); for e = 1 the coefficient lacks its factor -i."""
    series = {cosines - 2 * j: fmpq(comb(cosines, j), 2**cosines) for j in range(cosines + 1)}
    if sines:
        with_sine: dict[int, Any] = {}
        for k, value in series.items():
            with_sine[k + 1] = with_sine.get(k + 1, fmpq(0)) + value / 2
            with_sine[k - 1] = with_sine.get(k - 1, fmpq(0)) - value / 2
        series = with_sine
    return tuple((k, value) for k, value in series.items() if value)


def harmonics(polynomial: TrigPolynomial) -> dict[tuple[int, ...], tuple[TrigPolynomial, TrigPolynomial]]:
    """k -> (a, b): the function is the sum of a cos(k.q) + b sin(k.q), first non-zero entry of k positive."""
    ring = polynomial.ring
    series: dict[tuple[int, ...], tuple[dict[Monomial, Any], dict[Monomial, Any]]] = {}
    for (multiples, _, monomial, imaginary), value in spread(polynomial).items():
        k = [0] * ring.angles.joints
        for multiple, weights in zip(multiples, ring.angles.weights, strict=False):
            for joint, sign in weights:
                k[joint] += sign * multiple
        leading = next((x for x in k if x), 0)
        if leading < 0:
            continue  # the complex conjugate of a term that is counted twice
        # z^k and its conjugate together: 2 re cos(k.q) - 2 im sin(k.q)
        pair = series.setdefault(tuple(k), ({}, {}))
        pair[imaginary][monomial] = (-2 if imaginary else 2 if leading else 1) * value
    result = {}
    for frequency in sorted(series, key=lambda k: (sum(abs(x) for x in k), k)):
        a, b = (polynomial._new(poly_of(ring, part)) for part in series[frequency])
        result[frequency] = (a, b)
    return result


def spread(polynomial: TrigPolynomial) -> dict[Key, Any]:
    """All terms with every joint angle rewritten in exponentials.

    Sines and cosines of fixed angles are coefficients, like symbols, and stay unchanged.
    """
    ring = polynomial.ring
    count, moving = len(ring.tags), len(ring.angles.revolute)
    terms: dict[Key, Any] = {}
    for monomial, number in polynomial.dictionary.items():
        powers = dict(monomial)
        trig = tuple((powers.pop(count + a, 0), powers.pop(a, 0)) for a in range(moving))
        terms[(), trig, tuple(powers.items()), 0] = constant(number)
    for _ in range(moving):
        rewritten: dict[Key, Any] = {}
        for (k, trig, parameters, imaginary), value in terms.items():
            cosines, sines = trig[0]
            if sines:
                # times -i: a real term becomes imaginary and changes sign, an imaginary one real
                value = value if imaginary else -value
                imaginary = 1 - imaginary
            for frequency, factor in exponentials(cosines, sines):
                key = ((*k, frequency), trig[1:], parameters, imaginary)
                old = rewritten.get(key)
                rewritten[key] = value * factor if old is None else old + value * factor
        terms = {key: value for key, value in rewritten.items() if value}
    return terms


def poly_of(ring: Any, part: dict[Monomial, Any]) -> Any:
    """The polynomial with these terms; a plain number, the usual case, without exponent vectors."""
    if not part:
        return ring.zero
    if len(part) == 1 and () in part:
        return ring.one * part[()]
    return from_terms(ring.context, {m: Fraction(int(v.p), int(v.q)) for m, v in part.items()})
