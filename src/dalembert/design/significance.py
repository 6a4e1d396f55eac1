"""Which terms of a joint's torque matter: each ranked by its largest and its RMS contribution.

Over all states the largest contribution of a coefficient is its certified range times the limits of speed and
acceleration, the RMS is exact. Over a given motion both are taken at its moments, the mean over time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Self, TypeAlias

import numpy as np

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..bounds.alike import apart, key_of
from ..bounds.moments import rms
from ..bounds.ranges import largest
from ..bounds.waves import Wave
from ..equations import names
from ..reduction.certify import GAP, Key, allotted, weight
from ..reduction.coefficient_waves import CoefficientWaves
from ..reduction.states import States
from .motion_samples import MotionSamples

EFFORT = 0.15
"""Part of the work of a reduction's proof that a ranking is worth."""


@dataclass(frozen=True)
class TermShare:
    """One term of a torque, such as D12 qdd2 or C112 qd1 qd2 (twice, where the two speeds differ).

    ``largest`` is attained, ``proved`` cannot be exceeded (equal along a motion), ``rms`` is exact; torque units.
    ``share`` is ``largest`` over the largest of all terms of the joint.
    """

    joint: str
    name: str
    motion: str
    largest: float
    proved: float
    rms: float
    share: float


class TermShares(tuple[TermShare, ...]):
    """The terms of all joints, joint by joint, the largest first; ``units`` are those of the torques by joint.

    ``interrupted`` says that joints are missing.
    """

    units: Mapping[str, str]
    interrupted: bool

    def __new__(
        cls, terms: Iterable[TermShare] = (), units: Mapping[str, str] | None = None, interrupted: bool = False
    ) -> Self:
        """The terms with the units of their joints, and whether some are missing."""
        shares = super().__new__(cls, tuple(terms))
        shares.units, shares.interrupted = dict(units or {}), interrupted
        return shares

    def __getnewargs__(self) -> tuple[tuple[TermShare, ...], Mapping[str, str], bool]:
        return tuple(self), self.units, self.interrupted

    def named(self, wanted: Iterable[str], n: int) -> tuple[TermShares, tuple[str, ...]]:
        """The terms of these coefficients of an arm of ``n`` joints, named as asked, and those that are zero.

        "D112" is the term D112 qd1 qd2 of Bejczy 1974, eqs 12 to 17, which is 2 C112 qd1 qd2. Of joints that an
        interrupt left out no term is here, zero or not, so that terms are not named before all are worked out.
        """
        if self.interrupted:
            raise ArmError("these terms were interrupted, so one that is not among them need not be zero; ask again")
        requested: dict[Key, str] = {}
        for text in wanted:
            kind, index = names.parse(text, n)
            if len(index) == 3:
                requested["C", (index[0], min(index[1:]), max(index[1:]))] = names.name(kind, index)
            else:
                requested[kind, index] = names.name(kind, index)
        terms: dict[str, TermShare] = {}
        for term in self:
            name = requested.get(names.parse(term.name, n))
            if name is not None:
                terms[name] = replace(term, name=name, motion=term.motion.removeprefix("2 " if name[0] == "D" else ""))
        missing = tuple(name for name in requested.values() if name not in terms)
        return TermShares(terms.values(), self.units), missing

    def __repr__(self) -> str:
        small = sum(term.share < 0.01 for term in self)
        return f"<TermShares: {len(self)} terms, {small} of them below a hundredth of the largest of their joint>"

    def _repr_html_(self) -> str:
        from ..markup.data_tables import DataTable
        from ..markup.notebook import framed
        from .significance_tables import TERMS, printed

        ranked = sorted(self, key=lambda term: -term.share)
        rows = tuple(
            (t.joint, printed(t), t.largest, t.proved, t.rms, self.units.get(t.joint, ""), t.share) for t in ranked
        )
        return framed(DataTable("significance", "Terms of the torques by their share", TERMS, rows, first=15))


class Bounds:
    """(proved, attained) largest magnitudes of an arm's coefficients over one box, each worked out once."""

    def __init__(
        self, model: CoefficientWaves, states: States, effort: float = EFFORT, tell: Callable[[str], None] | None = None
    ) -> None:
        self.model, self.states, self.tell = model, states, tell
        self.work = allotted(len(model.christoffel) + model.n * (model.n + 1), effort)
        self._bounded: dict[bytes, tuple[Wave, float, float]] = {}

    def __call__(self, wave: Wave) -> tuple[float, float]:
        """Those of one coefficient; many are equal, or equal but for their sign."""
        key = key_of(wave)[0]
        if key not in self._bounded:
            if self.tell is not None:
                self.tell(f"bound {len(self._bounded) + 1} of the terms")
            proved, attained, _ = largest(wave, self.states.box, GAP, self.work)
            self._bounded[key] = wave, proved, attained
        bounded_wave, proved, attained = self._bounded[key]
        difference = apart(wave, bounded_wave, self.states.box.reach)
        return proved + difference, max(attained - difference, 0.0)


def significance(bounds: Bounds, *, partial: bool = False) -> TermShares:
    """All terms of all joints over all states, joint by joint, the largest first.

    With ``partial`` an interrupt ends with the joints that are done; before there is one it is an interrupt.
    """
    model = bounds.model
    joints: dict[int, list[TermShare]] = {}
    try:
        # from the hand to the base: the first joints have the longest terms, and most of them
        for i in reversed(range(model.n)):
            joints[i] = terms_of_joint(bounds, i)
    except KeyboardInterrupt:
        if not partial or not joints:
            raise
    shares = [term for i in sorted(joints) for term in joints[i]]
    return TermShares(shares, units(model.arm), len(joints) < model.n)


def terms_of_joint(bounds: Bounds, i: int) -> list[TermShare]:
    """The terms of one joint over all states, the largest first."""
    model, states = bounds.model, bounds.states
    rows: list[Row] = []
    for (kind, index), wave in terms_of(model, i).items():
        proved, largest = bounds(wave)
        factor = weight(kind, index, states)
        root = rms(wave, states.box) * float(np.sqrt(square(kind, index, states)))
        rows.append((names.name(kind, index), motion_text(kind, index), factor * largest, factor * proved, root))
    return ranked(model.arm.joint_names[i], rows)


Row: TypeAlias = tuple[str, str, float, float, float]


def along(model: CoefficientWaves, motion: MotionSamples) -> TermShares:
    """The terms along a motion."""
    shares: list[TermShare] = []
    for i, joint in enumerate(model.arm.joint_names):
        rows: list[Row] = []
        for (kind, index), wave in terms_of(model, i).items():
            values = np.abs(wave(motion.q) * motion_factor(kind, index, motion.qd, motion.qdd))
            most, root = float(values.max()), float(np.sqrt(motion.weights @ values**2))
            rows.append((names.name(kind, index), motion_text(kind, index), most, most, root))
        shares += ranked(joint, rows)
    return TermShares(shares, units(model.arm))


def units(arm: ArmDescription) -> dict[str, str]:
    """The units of the torques of an arm by joint."""
    return {joint.name: "N" if joint.kind == "prismatic" else "N m" for joint in arm.moving}


def ranked(joint: str, rows: list[Row]) -> list[TermShare]:
    """The terms of one joint, the largest first, each with its share of that."""
    top = max((row[2] for row in rows), default=0.0)
    return [
        TermShare(joint, name, with_, largest, proved, root, largest / top if top else 0.0)
        for name, with_, largest, proved, root in sorted(rows, key=lambda row: -row[2])
    ]


def terms_of(model: CoefficientWaves, i: int) -> dict[Key, Wave]:
    """The coefficients of one joint that are not zero."""
    coefficients: dict[Key, Wave] = {("D", (i, j)): model.inertia(i, j) for j in range(model.n)}
    coefficients |= {("C", key): wave for key, wave in model.christoffel.items() if key[0] == i}
    coefficients["G", (i,)] = model.gravity(i)
    return {key: wave for key, wave in coefficients.items() if len(wave)}


def motion_text(kind: str, index: tuple[int, ...]) -> str:
    """What a coefficient is multiplied with."""
    if kind == "D":
        return f"qdd{index[1] + 1}"
    if kind == "C":
        j, k = index[1] + 1, index[2] + 1
        return f"qd{j}^2" if j == k else f"2 qd{j} qd{k}"
    return ""


def square(kind: str, index: tuple[int, ...], states: States) -> float:
    """The mean square of what a coefficient is multiplied with, each evenly spread up to its limit.

    a^2 / 3 of an acceleration, v^4 / 5 of the square of a speed, 4 v_j^2 v_k^2 / 9 of 2 qd_j qd_k.
    """
    if kind == "G":
        return 1.0
    if kind == "D":
        return float(states.acceleration[index[1]] ** 2) / 3
    _, j, k = index
    return float(states.speed[j] ** 4) / 5 if j == k else 4 * float(states.speed[j] ** 2 * states.speed[k] ** 2) / 9


def motion_factor(kind: str, index: tuple[int, ...], qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """What a coefficient is multiplied with, at each moment."""
    if kind == "G":
        return np.ones(len(qd))
    if kind == "D":
        return qdd[:, index[1]]
    _, j, k = index
    return qd[:, j] * qd[:, k] * (1 if j == k else 2)
