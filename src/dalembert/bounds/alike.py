"""Waves that are equal but for their sign and for rounding: bounded once, with what they differ by allowed for.

Of two waves v and w, | |v| - |w| | is at most the sum of the moduli of v - w or of v + w. A key finds pairs for which
that is small; the sum itself, and not the digits of the key, enters the bound.
"""

from __future__ import annotations

import numpy as np

from .waves import Array, Wave

DIGITS = 12
"""Digits of the coefficients in a key."""


def key_of(wave: Wave) -> tuple[bytes, float]:
    """A key that is the same for a wave and its negative, and the sign that tells the two apart."""
    if not len(wave):
        return b"", 1.0
    order = np.lexsort(np.concatenate([wave.k, wave.p], axis=1).T)
    k, p, c = wave.k[order], wave.p[order], wave.c[order]
    sign = -1.0 if (c[0].real, c[0].imag) < (0.0, 0.0) else 1.0
    most = float(np.abs(c).max())
    rounded = np.round(sign * c / most, DIGITS) + 0.0
    return k.tobytes() + p.tobytes() + rounded.tobytes() + np.float64(f"{most:.{DIGITS - 1}e}").tobytes(), sign


def same_sign(wave: Wave, other: Wave) -> float:
    """1 where the keys take a wave for the other one, -1 where they take it for the negative of it."""
    return 1.0 if wave is other else key_of(wave)[1] * key_of(other)[1]


def apart(wave: Wave, other: Wave, reach: Array) -> float:
    """A bound on ||wave| - |other||, and of the wave and the other one with ``same_sign``, for positions within
    ``reach``.
    """
    if wave is other:
        return 0.0
    return (wave - other.times(same_sign(wave, other))).most(reach)
