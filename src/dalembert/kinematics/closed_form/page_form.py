"""A page of a closed form run on arrays: compiled, or in NumPy where an equation of fourth degree is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...compile.function import Function, Tables
from ...compile.kernel import Kernel
from ...rings.algebra import Mat, Vec, matvec, minus, transpose
from ...rings.graph import Graph
from ...rings.real import REAL
from ...rings.ring import Field, Scalar
from .screw_chain import ScrewChain
from .spherical_wrist import Candidate, displacement
from .subproblems import Value, finite

Array = NDArray[np.float64]


class Page(Protocol):
    """A decomposition: all values of the joints for a displacement T' = T M^-1, over any field."""

    @property
    def chain(self) -> ScrewChain:
        """The joints."""
        ...

    @property
    def numeric(self) -> bool:
        """Whether an equation of fourth degree is left, which only floats solve."""
        ...

    @property
    def words(self) -> str:
        """What the geometry is, for people."""
        ...

    def candidates(self, field: Field, turn: Mat, shift: Vec, preferred: list[Value]) -> list[Candidate]:
        """All values of the joints, by their places in the chain, that bring about T' = (turn, shift)."""
        ...


@dataclass(frozen=True, eq=False)
class PageForm:
    """All solutions of an arm in closed form: a page, read from the base or (``inverted``) from the tool."""

    page: Page
    inverted: bool
    joints: int
    label: str

    @property
    def words(self) -> str:
        """What the arm's geometry is, for people."""
        return self.page.words

    @property
    def length(self) -> float:
        """The size of the arm (m)."""
        return self.page.chain.length

    @property
    def degree(self) -> int:
        """Of the equation that is left."""
        return 4 if self.page.numeric else 2

    def tables(self, field: Field, pose: list[Scalar], sines: list[Scalar], cosines: list[Scalar]) -> Tables:
        """(candidates, joints, 2) values, and for each candidate how many angles are free."""
        preferred = list(zip(sines, cosines, strict=True))
        if self.inverted:
            turn: Mat = transpose(tuple(tuple(pose[4 * i : 4 * i + 3]) for i in range(3)))
            position = minus((0, 0, 0), matvec(turn, (pose[3], pose[7], pose[11])))
            pose = [x for row, p in zip(turn, position, strict=True) for x in (*row, p)]
        branches = self.page.candidates(field, *displacement(field, self.page.chain, pose), preferred)
        joint_of = [screw.joint for screw in self.page.chain.screws]
        rows, loose = [], []
        for values, free in branches:
            by_joint = {joint_of[k]: value for k, value in values.items()}
            rows.append([by_joint[j] for j in range(self.joints)])
            loose.append(free)
        return rows, loose

    @cached_property
    def most(self) -> int:
        """How many candidates there are."""
        sample = np.full((1, 12), 0.1)
        return int(self._in_numpy(sample, np.zeros((1, self.joints)), np.ones((1, self.joints)))[1].shape[1])

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

    def candidates(self, target: Array, preferred: Array, compiled: bool = True) -> tuple[Array, Array]:
        """``(poses, candidates, joints)`` and how many angles are free; each candidate is judged by who asks."""
        length = self.page.chain.length
        pose = target[:, :3, :].copy()
        pose[:, :, 3] /= length
        run = self._run if compiled else self._in_numpy
        values, free = run(pose.reshape(-1, 12), np.sin(preferred), np.cos(preferred))
        values = finite(values).reshape(*free.shape, self.joints, 2)
        kinds = {screw.joint: screw.revolute for screw in self.page.chain.screws}
        q = np.empty((*values.shape[:-2], self.joints))
        for j in range(self.joints):
            pair = values[..., j, :]
            q[..., j] = np.arctan2(pair[..., 0], pair[..., 1]) if kinds[j] else pair[..., 0] * length
        return q, free
