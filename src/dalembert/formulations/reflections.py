"""A x = b of a tall or square sparse matrix over a field, by reflections (Householder 1958): no pivots to choose.

Elimination in a fixed order can meet a small pivot wherever a mechanism moves; reflections keep lengths, so a fixed
order is stable at every state where A has full rank, and the same straight-line code serves all of them. Rows with one
unknown (a coordinate that is a joint, a gear on it) are solved first, by substitution. Structural zeros cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..arm.errors import ArmError
from ..rings.algebra import add, dot, mul, sub
from ..rings.ring import Field, Scalar

Row = dict[int, Scalar]


def vanishes(value: Scalar) -> bool:
    """True for a structural zero: the integer, or a constant of the graph that is zero."""
    return (type(value) is int and value == 0) or (getattr(value, "op", None) == "const" and not value.value)


@dataclass(frozen=True)
class Reflection:
    """1 - beta u u^T over ``rows``."""

    rows: tuple[int, ...]
    u: tuple[Scalar, ...]
    beta: Scalar

    def apply(self, values: Sequence[Scalar]) -> list[Scalar]:
        """The reflected entries of ``rows``."""
        projection = mul(self.beta, dot(self.u, values))
        return [sub(value, mul(entry, projection)) for value, entry in zip(values, self.u, strict=True)]


class Reflections:
    """The factors of A, given as rows; ``solve`` then gives x for any right side.

    Of more rows than unknowns the sum of squared errors is least, once rows with one unknown hold exactly.
    """

    def __init__(self, field: Field, matrix: Sequence[Sequence[Scalar]]) -> None:
        self.field = field
        self.width = len(matrix[0])
        self.rows: dict[int, Row] = {
            i: {k: x for k, x in enumerate(row) if not vanishes(x)} for i, row in enumerate(matrix)
        }
        self.singles: list[tuple[int, int, Scalar]] = []
        """Rows solved by substitution: row, unknown, 1 / its entry."""
        self.solved_unknowns: set[int] = set()
        self.steps: list[tuple[int, int, Reflection | None, Scalar]] = []
        """Columns in their order: unknown, its row of R, the reflection that made it, 1 / R_cc."""
        self._substitute()
        self._reflect()

    def _substitute(self) -> None:
        """Solve rows in which one unknown is left by substitution, until there is no such row."""
        active = set(self.rows)
        progressed = True
        while progressed:
            progressed = False
            for i in sorted(active):
                unknown = [k for k in self.rows[i] if k not in self.solved_unknowns]
                if len(unknown) == 1:
                    inverse = self.field.divide(1, self.rows[i][unknown[0]])
                    self.singles.append((i, unknown[0], inverse))
                    self.solved_unknowns.add(unknown[0])
                    active.discard(i)
                    progressed = True
        self.active = {i for i in active if any(k not in self.solved_unknowns for k in self.rows[i])}

    def _reflect(self) -> None:
        """Bring the other rows to upper triangular form, column by column; that which fills in least comes next."""
        work = {i: {k: x for k, x in self.rows[i].items() if k not in self.solved_unknowns} for i in self.active}
        remaining = set(range(self.width)) - self.solved_unknowns
        self.upper: dict[int, Row] = {}
        while remaining:
            holders = {k: [i for i in sorted(work) if k in work[i]] for k in sorted(remaining)}
            widths = {k: len({j for i in rows for j in work[i]}) for k, rows in holders.items()}
            column = min(remaining, key=lambda k: ((len(holders[k]) - 1) * widths[k] if holders[k] else 1 << 30, k))
            rows = holders[column]
            if not rows:
                raise ArmError(
                    f"unknown {column} is in none of the {len(self.rows)} equations; they do not determine it"
                )
            reflection, pivot = self._annul(work, rows, column) if len(rows) > 1 else (None, work[rows[0]][column])
            inverse = self.field.divide(1, pivot)
            self.steps.append((column, rows[0], reflection, inverse))
            self.upper[rows[0]] = {k: x for k, x in work.pop(rows[0]).items() if k != column}
            for i in rows[1:]:
                work[i].pop(column, None)
            remaining.discard(column)

    def _annul(self, work: dict[int, Row], rows: list[int], column: int) -> tuple[Reflection, Scalar]:
        """Annul a column x below its first row by 1 - beta u u^T, and give it with the pivot -sign(x_1) |x|.

        u = x + sign(x_1) |x| e_1 and beta = 1 / (|x| (|x| + |x_1|)) = 2 / u.u (Householder 1958).
        """
        field = self.field
        entries = [work[i][column] for i in rows]
        size = field.sqrt(dot(entries, entries))
        # The sign of the first entry, 1 where it is zero: u_1 is then a sum of equal signs, without cancellation.
        sign = field.sign(add(field.sign(entries[0]), field.number(Fraction(1, 2))))
        u_first = add(entries[0], mul(sign, size))
        beta = field.divide(1, mul(size, add(size, mul(sign, entries[0]))))
        reflection = Reflection(tuple(rows), (u_first, *entries[1:]), beta)
        for k in sorted({k for i in rows for k in work[i]} - {column}):
            for i, value in zip(rows, reflection.apply([work[i].get(k, 0) for i in rows]), strict=True):
                work[i][k] = value
        return reflection, -mul(sign, size)

    def solve(self, right: Sequence[Scalar]) -> list[Scalar]:
        """x with A x = ``right``."""
        x: dict[int, Scalar] = {}

        def remainder(i: int, unknown: int = -1) -> Scalar:
            row, value = self.rows[i], right[i]
            for k in row:
                if k in x and k != unknown:
                    value = sub(value, mul(row[k], x[k]))
            return value

        for i, unknown, inverse in self.singles:
            x[unknown] = mul(inverse, remainder(i, unknown))
        values = {i: remainder(i) for i in self.active}
        for _, _, reflection, _ in self.steps:
            if reflection is not None:
                if all(vanishes(values[i]) for i in reflection.rows):
                    continue
                turned = reflection.apply([values[i] for i in reflection.rows])
                values |= dict(zip(reflection.rows, turned, strict=True))
        for column, row, _, inverse in reversed(self.steps):
            value = values[row]
            for k, entry in self.upper[row].items():
                value = sub(value, mul(entry, x[k]))
            x[column] = mul(inverse, value)
        return [x[k] for k in range(self.width)]

    @property
    def spread(self) -> Scalar:
        """|A|^2 (sum 1/R_cc^2 + |A^-1 b|^2/|b|^2), Frobenius: about the squared condition of A, at most twice that.

        R_cc alone misses a near singularity whose null vector has a small last component; b, of no special direction,
        does not.
        """
        size = dot(*(2 * ([x for row in self.rows.values() for x in row.values()],)))
        pivots = [inverse for _, _, inverse in self.singles] + [inverse for *_, inverse in self.steps]
        # Numbers of the golden section: no pattern that the equations of a mechanism could share.
        probe = [Fraction((k * 619 + 311) % 1000 + 500, 1000) * (-1) ** (k * k // 3) for k in range(len(self.rows))]
        response = self.solve([self.field.number(value) for value in probe])
        gain = mul(self.field.number(1 / sum(value * value for value in probe)), dot(response, response))
        return mul(size, add(dot(pivots, pivots), gain))

    @property
    def side(self) -> Scalar:
        """The sign of det A of a square matrix but for a constant factor: it changes only where A is singular."""
        product: Scalar = 1
        pivots = [self.field.sign(inverse) for _, _, inverse in self.singles]
        pivots += [self.field.sign(inverse) for *_, inverse in self.steps]
        for sign in pivots:
            product = mul(product, sign)
        return product
