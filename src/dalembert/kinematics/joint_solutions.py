"""``JointSolutions``: what inverse kinematics found, and what it did not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..arm.description import listed
from ..arm.errors import ArmError

Array = NDArray[np.float64]
MILLIMETRES = 10.0
"""A pose that is farther (m) from what an arm reaches was meant in millimetres, perhaps."""


@dataclass(frozen=True)
class JointSolutions:
    """Joint positions ``q`` ``(..., n)`` for poses of any leading shape, with what each of them still lacks.

    ``position_error`` (m) and ``orientation_error`` (rad) are over the directions that were asked for, ``converged``
    says where both are within the tolerances; elsewhere ``q`` is the best that was found. ``at_limit`` ``(..., n)`` are
    the joints that their limits keep from going on towards a pose that was not reached. ``iterations`` are the steps of
    the start that led here, ``starts`` how many were tried, none where a closed form gave the answer. ``solutions`` are
    the distinct solutions of each pose, in the order of the batch, where they were asked for; ``complete`` says for
    each pose that there are no others than these (none at all, where it was not reached), which a closed form knows and
    starts do not. ``method`` is how they were found.
    """

    q: Array
    position_error: Array
    orientation_error: Array
    converged: NDArray[np.bool_]
    iterations: NDArray[np.int64]
    starts: NDArray[np.int64]
    at_limit: NDArray[np.bool_]
    joint_names: tuple[str, ...]
    name: str
    solutions: tuple[Array, ...] = ()
    complete: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((), bool))
    method: str = ""

    @property
    def success(self) -> float:
        """Share of the poses that were reached."""
        return float(np.mean(self.converged)) if self.converged.size else 1.0

    def checked(self) -> Self:
        """This result if every pose was reached; else an ArmError that says which was not, and what stops it."""
        if not np.all(self.converged):
            raise ArmError(f"{self.name}: {self.missed()}")
        return self

    def missed(self) -> str:
        """What was not reached, in a sentence; empty where all was."""
        lost = np.argwhere(~np.asarray(self.converged))
        if not len(lost):
            return ""
        index = tuple(int(i) for i in lost[0])
        subject = f"pose {list(index)} is" if index else "the pose is"
        total = self.converged.size
        stops = [name for name, blocked in zip(self.joint_names, self.at_limit[index], strict=True) if blocked]
        cause = f"held by the limits of {listed(stops)}" if stops else "beyond the reach of the joints, or singular"
        count_text = f"{len(lost)} of {total} poses were not reached; " if total > 1 else ""
        proven = bool(np.broadcast_to(self.complete, self.converged.shape)[index])
        count = int(self.starts[index])
        whole = self.position_error[index] and self.orientation_error[index]
        fewer = ", or for fewer directions, as by task 'position'" if whole else ""
        fewer += "; lengths are in m" if self.position_error[index] > MILLIMETRES else ""
        proof = "no joint positions that are allowed reach it" if proven else f"after {count} start{'s' * (count != 1)}"
        return (
            f"{count_text}{subject} {self.position_error[index]:.3g} m and {self.orientation_error[index]:.3g} rad "
            f"away at best, {proof}, {cause}; ask for a pose within reach{fewer}"
        )

    def found(self) -> str:
        """How the solutions were found, and whether these are all, in a sentence."""
        if np.all(self.complete):
            return (
                f"There are no others ({self.method})." if np.any(self.converged) else f"There is none ({self.method})."
            )
        if np.any(self.complete):
            return f"Some poses may have endlessly many ({self.method}); complete says of which these are all."
        if self.method.startswith("closed form"):
            return f"There may be others, or endlessly many: the pose is singular, or nearly ({self.method})."
        return f"There may be others: these are what starts led to ({self.method})."

    def __repr__(self) -> str:
        total, lost = self.converged.size, int((~np.asarray(self.converged)).sum())
        summary = f"{total - lost} of {total} poses reached"
        if self.solutions:
            summary += f", {sum(len(of_one_pose) for of_one_pose in self.solutions)} solutions"
            summary += ", all there are" if np.all(self.complete) else ""
        return f"<JointSolutions of {self.name!r}: {summary}>"

    def _repr_html_(self) -> str:
        from ..markup.data_tables import Column, DataTable, Value
        from ..markup.notebook import framed, heading, note

        columns = (
            Column("pose", "pose"), *(Column(name, name, kind="number") for name in self.joint_names),
            Column("position", "lacks", "m", "number"), Column("rotation", "lacks", "rad", "number"),
            Column("reached", "reached"),
        )  # fmt: skip
        rows: list[tuple[Value, ...]] = []
        for where in list(np.ndindex(self.converged.shape))[:1000]:
            lacks = float(self.position_error[where]), float(self.orientation_error[where])
            values = (float(x) for x in self.q[where])
            rows.append((str(list(where)), *values, *lacks, "yes" if self.converged[where] else "no"))
        total, reached = self.converged.size, int(np.sum(self.converged))
        table = DataTable("poses", "Joint positions (rad or m)", columns, tuple(rows), first=10)
        head = heading(f"Inverse kinematics of {self.name}: {reached} of {total} poses reached")
        return framed(head, *([note(self.missed())] if reached < total else []), table)
