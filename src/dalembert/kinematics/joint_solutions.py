"""``JointSolutions``: what inverse kinematics found, and what it did not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..arm.description import listed
from ..arm.errors import ArmError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class JointSolutions:
    """Joint positions ``q`` ``(..., n)`` for poses of any leading shape, with what each of them still lacks.

    ``position_error`` (m) and ``orientation_error`` (rad) are over the directions that were asked for, ``converged``
    says where both are within the tolerances; elsewhere ``q`` is the best that was found. ``at_limit`` ``(..., n)`` are
    the joints that their limits keep from going on towards a pose that was not reached. ``iterations`` are the steps of
    the start that led here, ``starts`` how many were tried. ``solutions`` are all distinct solutions of each pose, in
    the order of the batch, where they were asked for.
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
        where = tuple(int(i) for i in lost[0])
        which = f"pose {list(where)} is" if where else "the pose is"
        total = self.converged.size
        stops = [name for name, held in zip(self.joint_names, self.at_limit[where], strict=True) if held]
        cause = f"held by the limits of {listed(stops)}" if stops else "beyond the reach of the joints, or singular"
        many = f"{len(lost)} of {total} poses were not reached; " if total > 1 else ""
        return (
            f"{many}{which} {self.position_error[where]:.3g} m and {self.orientation_error[where]:.3g} rad "
            f"away at best after {int(self.starts[where])} starts, {cause}; ask for a pose within reach, "
            "or for fewer directions"
        )

    def __repr__(self) -> str:
        total, lost = self.converged.size, int((~np.asarray(self.converged)).sum())
        said = f"{total - lost} of {total} poses reached"
        if self.solutions:
            said += f", {sum(len(found) for found in self.solutions)} solutions"
        return f"<JointSolutions of {self.name!r}: {said}>"

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
