"""How accurate numbers are: compiled torques and accelerations against the same physics in sixty digits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import dalembert as da
from dalembert.formulations import composite_body, newton_euler
from dalembert.formulations.chain import chain

EPS = float(np.finfo(float).eps)


class SixtyDigits:
    """The ring of numbers of sixty digits."""

    @staticmethod
    def number(value: Any) -> Any:
        if isinstance(value, Fraction):
            return value.numerator if abs(value) in (0, 1) else mpmath.mpf(value.numerator) / value.denominator
        return mpmath.mpf(value)

    @staticmethod
    def sincos(angle: Any) -> tuple[Any, Any]:
        return mpmath.sin(angle), mpmath.cos(angle)


def long(values: np.ndarray) -> list[Any]:
    return [mpmath.mpf(float(x)) for x in values]


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("name", ["planar-2r", "jpl-rrp", "puma560", "panda", "iiwa14"])
@pytest.mark.parametrize("reach", [3.0, 1e6])
def test_torques_are_within_16_eps_and_accelerations_within_2_kappa_eps(name: str, reach: float) -> None:
    arm = da.load(name)
    ring = SixtyDigits
    rng = np.random.default_rng(0)
    with mpmath.workdps(60):
        links = chain(arm, ring)  # type: ignore[arg-type]
        for _ in range(4):
            q, qd, qdd, tau = rng.uniform(-1, 1, (4, arm.n)) * np.array([[reach], [1], [1], [10]])
            right = newton_euler.inverse_dynamics(links, ring, long(q), long(qd), long(qdd))
            found = arm.inverse_dynamics(q, qd, qdd)
            largest = max(abs(x) for x in right)
            assert max(abs(mpmath.mpf(float(a)) - b) for a, b in zip(found, right, strict=True)) <= 16 * EPS * largest
            rows = composite_body.mass_matrix(links, ring, long(q))
            bias = newton_euler.inverse_dynamics(links, ring, long(q), long(qd), [0] * arm.n)
            rest = [mpmath.mpf(float(t)) - b for t, b in zip(tau, bias, strict=True)]
            speeding = mpmath.lu_solve(mpmath.matrix([list(row) for row in rows]), mpmath.matrix(rest))
            kappa = np.linalg.cond(arm.mass_matrix(q))
            off = max(
                abs(mpmath.mpf(float(a)) - b) for a, b in zip(arm.forward_dynamics(q, qd, tau), speeding, strict=True)
            )
            assert off <= 2 * kappa * EPS * max(abs(x) for x in speeding)
