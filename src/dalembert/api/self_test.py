"""Whether this installation computes rightly on this machine: every path to an answer against another one.

An arm of three joints (turning, turning, sliding) with drives is asked in every formulation, in closed form and by
every compiled function; a simulation has to keep its energy, a proof to hold, accelerations to undo torques.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..compile import build
from ..compile.functions import DIVIDING, FUNCTIONS, function, unfit
from ..compile.kernel import Kernel
from ..formulations.registry import TORQUES
from ..mechanisms.gallery import five_bar
from .arm import Arm
from .driven_arm import DrivenArm
from .loading import load

Array = NDArray[np.float64]
ROUNDINGS = 1000
"""Rounding errors a chain of some hundred operations may add up to, in units of the result."""
STATES = 64


@dataclass(frozen=True)
class SelfTestResult:
    """The difference of two answers over the largest value of the right one, what is allowed, and the time it took."""

    asked: str
    against: str
    difference: float
    allowed: float
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether the difference is within what rounding explains; a NaN is not."""
        return self.difference <= self.allowed


@dataclass(frozen=True)
class SelfTest:
    """One comparison: what is asked, what it is compared with, the difference allowed, and the work itself."""

    asked: str
    against: str
    allowed: float
    difference: Callable[[], float]

    def run(self) -> SelfTestResult:
        """Compare."""
        begin = time.perf_counter()
        difference = self.difference()
        return SelfTestResult(self.asked, self.against, difference, self.allowed, time.perf_counter() - begin)


def self_tests() -> list[SelfTest]:
    """All comparisons; those of kernels where there is a compiler."""
    arm = load("jpl-rrp").subarm("joint1", "joint3")
    driven = load("jpl-rrp").driven.locked({"joint4": 0.0, "joint5": 0.0, "joint6": 0.0})
    states = np.random.default_rng(0).uniform(-1, 1, (3, STATES, arm.n))
    kappa = float(np.linalg.cond(driven.mass_matrix(states[0])).max())
    tests = [
        SelfTest(f"torques, {name}", "newton-euler", _rounded(), partial(_formulation, arm, name, states))
        for name in TORQUES
        if name != "newton-euler"
    ]
    tests.append(SelfTest("torques, closed form", "newton-euler", _rounded(), partial(_closed_form, arm, states)))
    if build.available():
        for name in FUNCTIONS:
            kernel = Kernel(function(arm if unfit(driven, name) else driven, name))
            allowed = _rounded() * (kappa if name in DIVIDING else 1.0)  # the condition enlarges the rounding
            tests.append(SelfTest(f"kernel {name}", "NumPy", allowed, partial(_kernel, kernel, states)))
        short = Kernel(function(driven, "inverse_dynamics"), "float32")
        tests.append(SelfTest("kernel in float32", "NumPy", _rounded(np.float32), partial(_kernel, short, states)))
    trip = _rounded() * kappa
    return [
        *tests,
        SelfTest("simulation, 1 s", "energy kept", 1e-6, partial(_energy, arm)),
        SelfTest("proved range of D11", "10,000 poses", 0.0, partial(_range, arm)),
        SelfTest("five-bar, accelerations", "undo torques", 1e-9, _linkage),
        SelfTest("drives, accelerations", "undo torques", trip, partial(_round_trip, driven, states)),
    ]


def _rounded(dtype: type[np.floating] = np.float64) -> float:
    return ROUNDINGS * float(np.finfo(dtype).eps)


def _relative(computed: Array, reference: Array) -> float:
    return float(np.abs(computed - reference).max() / max(np.abs(reference).max(), np.finfo(float).tiny))


def _formulation(arm: Arm, name: str, states: Array) -> float:
    q, qd, qdd = states
    return _relative(arm.inverse_dynamics(q, qd, qdd, formulation=name), _torques(arm, states))


def _torques(arm: Arm, states: Array) -> Array:
    q, qd, qdd = states
    return arm.inverse_dynamics(q, qd, qdd, formulation="newton-euler")


def _closed_form(arm: Arm, states: Array) -> float:
    equations = arm.equations()
    q, qd, qdd = states
    tau = np.stack(
        [
            sum(equations.mass_matrix[i, j](q) * qdd[:, j] for j in range(arm.n))
            + sum(equations.christoffel[i, j, k](q) * qd[:, j] * qd[:, k] for j in range(arm.n) for k in range(arm.n))
            + equations.gravity[i](q)
            for i in range(arm.n)
        ],
        axis=-1,
    )
    return _relative(tau, _torques(arm, states))


def _kernel(kernel: Kernel, states: Array) -> float:
    """The largest difference of a batch and of its first state alone from the graph in NumPy."""
    arrays = [np.asarray(states[k % len(states)], kernel.dtype) for k in range(len(kernel.arguments))]
    right = kernel.in_numpy(*arrays)
    batch = kernel(*arrays)
    alone = kernel(*(array[0] for array in arrays))
    pairs = zip(*(x if isinstance(x, tuple) else (x,) for x in (right, batch, alone)), strict=True)
    return max(max(_relative(b, r), _relative(a, r[0])) for r, b, a in pairs)


def _energy(arm: Arm) -> float:
    motion = arm.simulate(np.zeros(arm.n), np.full(arm.n, 0.3), duration=1.0)
    return float(np.abs(motion.balance).max() / motion.energy_scale)


def _range(arm: Arm) -> float:
    """By how much a value found lies outside the certified range, relative to it; nothing if the proof holds."""
    box: dict[str | int, tuple[float, float]] = dict.fromkeys(range(arm.n), (-1.0, 1.0))
    certified = arm.analysis(box=box).range_of("D11")
    poses = np.random.default_rng(1).uniform(-1, 1, (10_000, arm.n))
    values = arm.mass_matrix(poses)[:, 0, 0]
    outside = max(certified.lower - values.min(), values.max() - certified.upper, 0.0)
    return float(outside / np.abs(values).max())


def _linkage() -> float:
    linkage = five_bar()
    speed, acceleration = np.random.default_rng(2).uniform(-1, 1, (2, linkage.n))
    torque = linkage.inverse_dynamics(linkage.home, speed, acceleration)
    return _relative(linkage.forward_dynamics(linkage.home, speed, torque), acceleration)


def _round_trip(driven: DrivenArm, states: Array) -> float:
    q, qd, qdd = states
    return _relative(driven.forward_dynamics(q, qd, driven.inverse_dynamics(q, qd, qdd)), qdd)
