"""Which terms of a joint's torque matter: each ranked by its largest and its RMS contribution.

Over all states the largest contribution of a coefficient is its certified range times the limits of speed and
acceleration, the RMS is exact. Over given motions both are taken at the samples.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..equations import names
from .certify import Key, allotted, bound, weight
from .model_waves import ModelWaves
from .moments import mean_square
from .states import Amounts, States, states_of
from .waves import Wave

EFFORT = 0.15
"""Part of the work of a reduction's proof that a ranking is worth."""


@dataclass(frozen=True)
class TermShare:
    """One term of a torque, such as D12 qdd2 or C112 qd1 qd2 (twice, where the two speeds differ).

    ``largest`` is attained, ``proved`` cannot be exceeded (equal over motions), ``rms`` is exact; torque units.
    ``share`` is ``largest`` over the largest of all terms of the joint.
    """

    joint: str
    name: str
    motion: str
    largest: float
    proved: float
    rms: float
    share: float


def significance(
    arm: ArmDescription,
    *,
    speed: Amounts = None,
    acceleration: Amounts = None,
    box: Mapping[str | int, tuple[float, float]] | None = None,
    drives: bool = False,
    motion: tuple[ArrayLike, ArrayLike, ArrayLike] | None = None,
) -> tuple[TermShare, ...]:
    """All terms of all joints, joint by joint, the largest first; ``motion`` is q, qd, qdd of shape (..., n) each."""
    model = ModelWaves(arm, drives)
    states = states_of(arm, box, speed, acceleration)
    found: list[TermShare] = []
    samples = None if motion is None else tuple(np.asarray(x, float).reshape(-1, arm.n) for x in motion)
    if samples is not None and len({x.shape for x in samples}) != 1:
        raise ArmError(f"{arm.name}: q, qd and qdd of a motion must have one shape, got {[x.shape for x in samples]}")
    limits = allotted(len(model.christoffel) + arm.n * (arm.n + 1), EFFORT)
    for i in range(arm.n):
        rows: list[tuple[str, str, float, float, float]] = []
        for (kind, index), wave in terms_of(model, i).items():
            if samples is None:
                proved, largest = bound(wave, states, *limits)
                factor = weight(kind, index, states)
                root = float(np.sqrt(mean_square(wave, states.box) * square(kind, index, states)))
                rows.append((names.name(kind, index), moving(kind, index), factor * largest, factor * proved, root))
            else:
                values = np.abs(wave(samples[0]) * driven(kind, index, samples[1], samples[2]))
                most = float(values.max(initial=0.0))
                root = float(np.sqrt((values**2).mean())) if len(values) else 0.0
                rows.append((names.name(kind, index), moving(kind, index), most, most, root))
        top = max((row[2] for row in rows), default=0.0)
        for name, with_, largest, proved, root in sorted(rows, key=lambda row: -row[2]):
            found.append(
                TermShare(arm.joint_names[i], name, with_, largest, proved, root, largest / top if top else 0.0)
            )
    return tuple(found)


def terms_of(model: ModelWaves, i: int) -> dict[Key, Wave]:
    """The coefficients of one joint that are not zero."""
    found: dict[Key, Wave] = {("D", (i, j)): model.inertia(i, j) for j in range(model.n)}
    found |= {("C", key): wave for key, wave in model.christoffel.items() if key[0] == i}
    found["G", (i,)] = model.gravity(i)
    return {key: wave for key, wave in found.items() if len(wave)}


def moving(kind: str, index: tuple[int, ...]) -> str:
    """What a coefficient is multiplied with."""
    if kind == "D":
        return f"qdd{index[1] + 1}"
    if kind == "C":
        j, k = index[1] + 1, index[2] + 1
        return f"qd{j}^2" if j == k else f"2 qd{j} qd{k}"
    return ""


def square(kind: str, index: tuple[int, ...], states: States) -> float:
    """The mean square of what a coefficient is multiplied with, each evenly spread up to its limit."""
    if kind == "G":
        return 1.0
    if kind == "D":
        return float(states.acceleration[index[1]] ** 2) / 3
    _, j, k = index
    return float(states.speed[j] ** 4) / 5 if j == k else 4 * float(states.speed[j] ** 2 * states.speed[k] ** 2) / 9


def driven(kind: str, index: tuple[int, ...], qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    if kind == "G":
        return np.ones(len(qd))
    if kind == "D":
        return qdd[:, index[1]]
    _, j, k = index
    return qd[:, j] * qd[:, k] * (1 if j == k else 2)
