"""Control laws over any numbers: floats, arrays, graph nodes. Controllers, compiled loops and the GPU all use these."""

from __future__ import annotations

from ..rings.algebra import add, mul, sub
from ..rings.ring import Scalar


def feedback(kp: Scalar, kd: Scalar, reference: Scalar, speed: Scalar, q: Scalar, qd: Scalar) -> Scalar:
    """kp (q_ref - q) + kd (qd_ref - qd)."""
    return add(mul(kp, sub(reference, q)), mul(kd, sub(speed, qd)))
