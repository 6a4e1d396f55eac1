"""Joints that follow others, over any ring: every joint goes with one coordinate, q_J = A q.

    qd_J = A qd,  qdd_J = A qdd,  tau = A^T tau_J,  D = A^T D_J A,  c_abc = sum A_ia A_jb A_kc c_ijk.

A is constant, so that nothing else comes in (Freeman 1985, eqs 3-34 to 3-36 with [H] zero). Offsets stand in the fixed
placements of the joints (``ArmDescription.bodies``). The pages of the formulations know joints alone; whoever has
coordinates passes through here, out with the motion and back with what answers it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..arm.description import ArmDescription
from ..rings.algebra import add, mul
from ..rings.ring import Ring, Scalar
from .coefficients import Christoffel

Table = list[list[Scalar]]


@dataclass(frozen=True)
class CoordinateMap:
    """A by its rows: ``rows[j]`` is the coordinate of joint j and the ratio; ``coordinate_joints[c]`` is that of c.

    Without ``rows`` every joint is a coordinate, and all passes unchanged.
    """

    rows: tuple[tuple[int, Scalar], ...] = ()
    coordinate_joints: tuple[int, ...] = ()

    @classmethod
    def of(cls, arm: ArmDescription, ring: Ring) -> CoordinateMap:
        """The couplings of an arm over ``ring``."""
        if not arm.followers:
            return ONE_TO_ONE
        coordinate_joints = tuple(index for index, joint in enumerate(arm.all_moving) if joint.follows is None)
        return cls(tuple((c.coordinate, ring.number(c.multiplier)) for c in arm.couplings), coordinate_joints)

    def over(self, ring: Ring) -> CoordinateMap:
        """The couplings of rationals over another ring."""
        return CoordinateMap(tuple((c, ring.number(ratio)) for c, ratio in self.rows), self.coordinate_joints)

    def __bool__(self) -> bool:
        return bool(self.rows)

    # -- out: motions of the joints -----------------------------------------------------------------

    def joints(self, q: Sequence[Scalar]) -> list[Scalar]:
        """A q: what the joints do where the coordinates do ``q`` (positions less offsets, speeds, accelerations)."""
        return [mul(ratio, q[c]) for c, ratio in self.rows] if self.rows else list(q)

    def motion(
        self, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        """Positions, speeds and accelerations of the joints."""
        return self.joints(q), self.joints(qd), self.joints(qdd)

    def coordinates(self, joints: Sequence[Scalar]) -> Sequence[Scalar]:
        """The coordinates among the positions of all joints."""
        return [joints[j] for j in self.coordinate_joints] if self.rows else joints

    def spread(self, row: Sequence[Scalar]) -> list[Scalar]:
        """A row with an entry a coordinate as one with an entry a joint: A^T spread(row) = row."""
        if not self.rows:
            return list(row)
        joint_row: list[Scalar] = [0] * len(self.rows)
        for value, j in zip(row, self.coordinate_joints, strict=True):
            joint_row[j] = value
        return joint_row

    def spread_table(self, table: Sequence[Sequence[Scalar]]) -> Table:
        """The same of a table of coordinates by coordinates."""
        rows = [self.spread(row) for row in table]
        empty: list[Scalar] = [0] * len(self.rows)
        return [list(row) if not isinstance(row, int) else list(empty) for row in self.spread(rows)]

    # -- back: what acts on the coordinates -----------------------------------------------------------

    def load(self, joints: Sequence[Scalar]) -> list[Scalar]:
        """A^T tau_J."""
        if not self.rows:
            return list(joints)
        loads: list[Scalar] = [0] * len(self.coordinate_joints)
        for (c, ratio), value in zip(self.rows, joints, strict=True):
            loads[c] = add(loads[c], mul(ratio, value))
        return loads

    def columns(self, table: Sequence[Sequence[Scalar]]) -> Table:
        """J_J A: a table with a column a joint, such as a Jacobian, with a column a coordinate."""
        return [self.load(row) for row in table]

    def lines(self, table: Sequence[Sequence[Scalar]]) -> Table:
        """A^T Y_J: a table with a row a joint, such as a regressor, with a row a coordinate."""
        if not self.rows:
            return [list(row) for row in table]
        turned = [self.load(column) for column in zip(*table, strict=True)]
        return [list(row) for row in zip(*turned, strict=True)]

    def product(self, table: Sequence[Sequence[Scalar]]) -> Table:
        """A^T C_J A."""
        return self.columns(self.lines(table))

    def matrix(self, table: Sequence[Sequence[Scalar]]) -> Table:
        """A^T D_J A of a symmetric D_J, symmetric to the last digit."""
        product = self.product(table)
        return _mirrored(product) if self.rows else product

    def cube(self, joints: Christoffel) -> Christoffel:
        """sum A_ia A_jb A_kc c_ijk."""
        if not self.rows:
            return joints
        symbols: Christoffel = [
            [[0] * len(self.coordinate_joints) for _ in self.coordinate_joints] for _ in self.coordinate_joints
        ]
        for (a, ratio), table in zip(self.rows, joints, strict=True):
            for b, row in enumerate(self.product(table)):
                for c, value in enumerate(row):
                    symbols[a][b][c] = add(symbols[a][b][c], mul(ratio, value))
        return symbols

    def symbols(self, joints: Christoffel) -> Christoffel:
        """c_abc of the coordinates from c_ijk of the joints, symmetric in the last two to the last digit."""
        return [_mirrored(table) for table in self.cube(joints)] if self.rows else joints


def _mirrored(table: Table) -> Table:
    """The table with what stands above its diagonal also below it."""
    return [[table[min(a, b)][max(a, b)] for b in range(len(table))] for a in range(len(table))]


ONE_TO_ONE = CoordinateMap()
"""Every joint is a coordinate."""
