"""Which closed form an arm has: its geometry recognised, the page that fits it compiled, tried before it is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...compile.function import Function, Tables
from ...compile.kernel import Kernel
from ...rings.algebra import Mat, Vec, matvec, minus, plus, transpose
from ...rings.graph import Graph
from ...rings.real import REAL
from ...rings.ring import Field, Scalar
from ...systems.arm_kinematics import MovingArm
from .parallel_axes import ParallelAxes
from .screw_chain import CommonNormal, Screw, ScrewChain, perpendicular
from .spherical_wrist import Candidate, SphericalWrist, ThreeSlides, displacement, rotation
from .subproblems import Axis, Value, finite, vector
from .three_joints import QUARTIC, Pair, pair_kind, reach, simpler

Array = NDArray[np.float64]
TRIALS = 12
"""Poses at which a decomposition is tried before it is used."""
FOUND_AGAIN = 1e-5
"""How close (rad, or parts of the length) a trial has to come back; trials may lie near singular poses."""


class Page(Protocol):
    """A decomposition: all values of the joints for a displacement T' = T M^-1."""

    @property
    def chain(self) -> ScrewChain: ...

    @property
    def numeric(self) -> bool: ...

    @property
    def words(self) -> str: ...

    def candidates(self, field: Field, turn: Mat, shift: Vec, preferred: list[Value]) -> list[Candidate]: ...


@dataclass(frozen=True, eq=False)
class ThreeJointsToPoint:
    """Three joints that bring the tool's origin to a point."""

    chain: ScrewChain
    common: CommonNormal
    rest: Screw
    backwards: bool

    @property
    def numeric(self) -> bool:
        """Whether an equation of fourth degree is left."""
        return pair_kind(self.common) in QUARTIC

    @property
    def words(self) -> str:
        """What it is, for people."""
        return "three joints to a point" + (", an equation of fourth degree" if self.numeric else "")

    def candidates(self, field: Field, turn: Mat, shift: Vec, preferred: list[Value]) -> list[Candidate]:
        """All values that bring the tool's origin where T' M brings it."""
        pair, rest = Pair.of(field, self.common, preferred), Axis.of(field, self.rest, preferred)
        home = vector(field, self.chain.shift)
        there = plus(matvec(turn, home), shift)
        start, goal = (there, home) if self.backwards else (home, there)
        order = (2, 1, 0) if self.backwards else (0, 1, 2)
        return [(dict(zip(order, values, strict=True)), free) for values, free in reach(field, pair, rest, start, goal)]


@dataclass(frozen=True, eq=False)
class ThreeJointsToOrientation:
    """Three joints that turn the tool."""

    chain: ScrewChain
    numeric = False
    words = "three joints to an orientation"

    def candidates(self, field: Field, turn: Mat, shift: Vec, preferred: list[Value]) -> list[Candidate]:
        """All values whose rotation is that of T'."""
        axes = [Axis.of(field, screw, preferred) for screw in self.chain.screws]
        spoke = vector(field, perpendicular(self.chain.screws[-1].direction))
        found = rotation(field, axes, spoke, turn)
        return [(dict(enumerate(values)), free) for values, free in found]


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """All solutions of an arm in closed form: a page, read from the base or (``inverted``) from the tool."""

    page: Page
    inverted: bool
    joints: int
    label: str

    @property
    def words(self) -> str:
        """What the arm's geometry is, for people."""
        return self.page.words

    def tables(self, field: Field, pose: list[Scalar], sines: list[Scalar], cosines: list[Scalar]) -> Tables:
        """(candidates, joints, 2) values, and for each candidate how many angles are free."""
        preferred = list(zip(sines, cosines, strict=True))
        if self.inverted:
            turn: Mat = transpose(tuple(tuple(pose[4 * i : 4 * i + 3]) for i in range(3)))
            place = minus((0, 0, 0), matvec(turn, (pose[3], pose[7], pose[11])))
            pose = [x for row, p in zip(turn, place, strict=True) for x in (*row, p)]
        found = self.page.candidates(field, *displacement(field, self.page.chain, pose), preferred)
        places = [screw.joint for screw in self.page.chain.screws]
        rows, loose = [], []
        for values, free in found:
            by_joint = {places[k]: value for k, value in values.items()}
            rows.append([by_joint[j] for j in range(self.joints)])
            loose.append(free)
        return rows, loose

    @cached_property
    def most(self) -> int:
        """How many candidates there are."""
        one = np.full((1, 12), 0.1)
        return int(self._in_numpy(one, np.zeros((1, self.joints)), np.ones((1, self.joints)))[1].shape[1])

    @cached_property
    def _run(self) -> Callable[[Array, Array, Array], tuple[Array, Array]]:
        if self.page.numeric:
            return self._in_numpy
        function = Function(
            "closed_form", (("pose", 12), ("sine", self.joints), ("cosine", self.joints)),
            (("values", (self.most, 2 * self.joints)), ("free", (self.most,))), self._graph, label=self.label,
        )  # fmt: skip
        return Kernel(function, patient=True).fast

    def _graph(self) -> Tables:
        graph = Graph()
        inputs = (graph.inputs("pose_", 12), *(graph.inputs(name, self.joints) for name in ("sine_", "cosine_")))
        return self.tables(graph, *inputs)

    def _in_numpy(self, pose: Array, sine: Array, cosine: Array) -> tuple[Array, Array]:
        columns = ([np.ascontiguousarray(x) for x in table.T] for table in (pose, sine, cosine))
        with np.errstate(all="ignore"):
            rows, loose = self.tables(REAL, *columns)
        count = len(pose)
        values = np.array([[[np.broadcast_to(x, count) for x in value] for value in row] for row in rows], dtype=float)
        free = np.array([np.broadcast_to(x, count) for x in loose], dtype=float)
        return np.moveaxis(values, -1, 0), free.T

    def candidates(self, target: Array, preferred: Array, compiled: bool = True) -> tuple[Array, NDArray[np.bool_]]:
        """``(poses, candidates, joints)`` and where an angle is free; each candidate is judged by who asks."""
        length = self.page.chain.length
        pose = target[:, :3, :].copy()
        pose[:, :, 3] /= length
        run = self._run if compiled else self._in_numpy
        values, free = run(pose.reshape(-1, 12), np.sin(preferred), np.cos(preferred))
        values = finite(values).reshape(*free.shape, self.joints, 2)
        kinds = {screw.joint: screw.revolute for screw in self.page.chain.screws}
        q = np.empty((*values.shape[:-2], self.joints))
        for j in range(self.joints):
            part = values[..., j, :]
            q[..., j] = np.arctan2(part[..., 0], part[..., 1]) if kinds[j] else part[..., 0] * length
        return q, np.asarray(free > 0.5)


def closed_form_of(arm: MovingArm, task: str) -> ClosedForm | None:
    """The closed form of a framed arm for a whole pose, position or orientation; None where it has none."""
    chain = ScrewChain.of(arm)
    if chain is None or sorted(screw.joint for screw in chain.screws) != list(range(arm.n)):
        return None
    make = partial(ClosedForm, joints=arm.n, label=arm.name)
    pages: list[ClosedForm] = []
    if task == "pose":
        for whole in _six_joints(chain):
            for inverted, read in ((False, whole), (True, whole.reversed())):
                for kind in (SphericalWrist, ThreeSlides, ParallelAxes):
                    page = kind.of(read)
                    if page is not None:
                        pages.append(make(page, inverted))
    elif arm.n == 3 and task == "position":
        pages.append(make(ThreeJointsToPoint(chain, *simpler(*chain.screws)), False))
    elif chain.letters == "RRR" and task == "orientation":
        pages.append(make(ThreeJointsToOrientation(chain), False))
    for form in sorted(pages, key=lambda form: form.page.numeric):
        if _comes_back(arm, form):
            return form
    return None


def _six_joints(chain: ScrewChain) -> list[ScrewChain]:
    """The chain if it has six joints; one of five with a sixth that has to stand at zero."""
    if len(chain.screws) == 6:
        return [chain]
    if len(chain.screws) != 5:
        return []
    found = []
    screws = chain.screws
    for end in (4, 0):
        last, other = screws[end], screws[3 if end == 4 else 1]
        point = last.point
        if last.revolute and other.revolute:
            common = CommonNormal.of(other, last)
            point = common.second.point
        extra = Screw(perpendicular(last.direction), point, True, -1)
        found.append(replace(chain, screws=(*screws, extra) if end == 4 else (extra, *screws)))
    return found


def _comes_back(arm: MovingArm, form: ClosedForm) -> bool:
    """Whether poses of random positions lead back to these positions: a degenerate geometry does not."""
    rng = np.random.default_rng(7)
    q = rng.uniform(-np.pi, np.pi, (TRIALS, arm.n))
    turns = np.array([joint.kind == "revolute" for joint in arm.moving])
    length = form.page.chain.length
    q[:, ~turns] *= length / np.pi
    try:
        found, _ = form.candidates(arm.forward_kinematics(q), np.zeros_like(q), compiled=False)
    except (ZeroDivisionError, np.linalg.LinAlgError):
        return False
    off = np.abs(found - q[:, None, :])
    off = np.where(turns, np.abs(np.remainder(off + np.pi, 2 * np.pi) - np.pi), off / length)
    return bool((off.max(axis=-1).min(axis=-1) < FOUND_AGAIN).all())
