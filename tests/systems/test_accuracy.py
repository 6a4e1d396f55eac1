"""How accurate numbers are: compiled torques and accelerations against the same physics in sixty digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

import dalembert as da
from dalembert.formulations import composite_body, newton_euler
from dalembert.formulations.chain import Chain, chain
from dalembert.rings.real import REAL
from random_arms import random_arm

Array = NDArray[np.float64]
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


def parts(links: Chain, q: Array, qd: Array, qdd: Array) -> Array:
    """S: the torques of the Newton-Euler recursion where nothing cancels, norms in place of vectors and their sums."""
    n = links.n
    omega, alpha, a, reach, force, moment = (np.zeros(n) for _ in range(6))
    for i, segment in enumerate(links.segments):
        before = segment.parent
        w, al, lift = (
            (omega[before], alpha[before], a[before]) if before >= 0 else (0.0, 0.0, np.linalg.norm(links.gravity))
        )
        reach[i] = np.linalg.norm(np.array(segment.position, float)) + (0 if segment.revolute else abs(q[i]))
        a[i] = lift + (al + w**2) * reach[i]
        if segment.revolute:
            omega[i], alpha[i] = w + abs(qd[i]), al + abs(qdd[i]) + w * abs(qd[i])
        else:
            omega[i], alpha[i] = w, al
            a[i] += abs(qdd[i]) + 2 * w * abs(qd[i])
        first, second = (np.linalg.norm(np.array(x, float), 2) for x in (segment.moment, segment.tensor))
        force[i] = float(segment.mass) * a[i] + (alpha[i] + omega[i] ** 2) * first
        moment[i] = (alpha[i] + omega[i] ** 2) * second + first * a[i]
    for i in reversed(range(n)):
        before = links.segments[i].parent
        if before >= 0:
            force[before] += force[i]
            moment[before] += moment[i] + reach[i] * force[i]
    return np.where([segment.revolute for segment in links.segments], moment, force)


State = tuple[Array, Array, Array, Array]


def any_state(arm: da.Arm, rng: np.random.Generator, reach: float = 3.0) -> State:
    q, qd, qdd, tau = rng.uniform(-1, 1, (4, arm.n)) * np.array([[reach], [1], [1], [10]])
    return q, qd, qdd, tau


def far_from_zero(arm: da.Arm, rng: np.random.Generator) -> State:
    return any_state(arm, rng, 1e6)


def swinging_freely(arm: da.Arm, rng: np.random.Generator) -> State:
    q, qd, _, none = any_state(arm, rng) * np.array([[1], [1], [1], [0]])
    return q, qd, arm.forward_dynamics(q, qd, none), none


def held_against_gravity(arm: da.Arm, rng: np.random.Generator) -> State:
    q, none = rng.uniform(-2, 2, arm.n), np.zeros(arm.n)
    return q, none, none, arm.gravity_load(q)


def fast_and_even(arm: da.Arm, rng: np.random.Generator) -> State:
    q, qd = rng.uniform(-2, 2, (2, arm.n)) * np.array([[1], [5]])
    none = np.zeros(arm.n)
    return q, qd, none, arm.inverse_dynamics(q, qd, none)


ROD = {"a": "0.5", "mass": 2, "com": ("-0.25", 0, 0), "inertia": (0, "0.0417", "0.0417")}
ARMS: dict[str, Callable[[], da.Arm]] = {
    **{name: partial(da.load, name, "ignore") for name in ("planar-2r", "jpl-rrp", "puma560", "panda", "iiwa14")},
    "two rods": lambda: da.Arm.from_dh([ROD] * 2, gravity=(0, "-9.81", 0)),
    "thirty rods": lambda: da.Arm.from_dh([ROD] * 30, gravity=(0, "-9.81", 0)),
    "chain of twelve": lambda: da.Arm.of(random_arm(12, 12)),
    "chain of thirty": lambda: da.Arm.of(random_arm(30, 30)),
    "tree of thirty": lambda: da.Arm.of(random_arm(5, 30, tree=True)),
}


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("name", ARMS)
def test_torques_and_accelerations_are_off_by_the_rounding_of_their_parts(name: str) -> None:
    """docs/reliability.md: torque i within (4 + n) eps S_i, accelerations within (4 + n) eps S / (least eigenvalue)."""
    arm, ring = ARMS[name](), SixtyDigits
    rng, floats = np.random.default_rng(0), chain(arm, REAL)
    promise = (4 + arm.n) * EPS
    with mpmath.workdps(60):
        links = chain(arm, ring)  # type: ignore[arg-type]
        for state in (any_state, far_from_zero, swinging_freely, held_against_gravity, fast_and_even):
            for _ in range(2 if arm.n < 10 else 1):
                q, qd, qdd, tau = state(arm, rng)
                right = newton_euler.inverse_dynamics(links, ring, long(q), long(qd), long(qdd))
                off = errors(arm.inverse_dynamics(q, qd, qdd), right)
                assert (off <= promise * parts(floats, q, qd, qdd)).all()

                rows = composite_body.mass_matrix(links, ring, long(q))
                bias = newton_euler.inverse_dynamics(links, ring, long(q), long(qd), [0] * arm.n)
                rest = [mpmath.mpf(float(t)) - b for t, b in zip(tau, bias, strict=True)]
                speeding = list(mpmath.lu_solve(mpmath.matrix([list(row) for row in rows]), mpmath.matrix(rest)))
                off = errors(arm.forward_dynamics(q, qd, tau), speeding)
                largest = parts(floats, q, qd, np.array(speeding, float)).max()
                assert off.max() <= promise * largest / np.linalg.eigvalsh(arm.mass_matrix(q))[0]


def errors(found: Array, right: Sequence[Any]) -> Array:
    return np.array([float(abs(mpmath.mpf(float(a)) - b)) for a, b in zip(found, right, strict=True)])
