"""Base parameters: the minimal set of combinations of inertial parameters that determines the torques.

D and G are linear in the ten parameters of each body. Every product of sines, cosines and prismatic positions in a
coefficient is multiplied by a linear form in the parameters, and the torques depend on these forms only. Gaussian
elimination, exact and with lengths as symbols, gives the independent ones:

    parameter + sum of (polynomial in lengths) * (parameters it absorbs).

Columns are eliminated in the order of ``PREFERRED``, so the parameters absorbed by others are the masses, the
first moments mz and the moments Iyy, as in Gautier and Khalil 1990. With lengths as numbers, a pivot that is small
beside another entry of its row gives way to it (``balanced``), so that no combination has huge coefficients.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..arm.cleaning import reach
from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..rings.sparse import from_terms, terms
from .closed_form import Equations
from .polynomial import TrigPolynomial

PREFERRED = ("Ixx", "Ixy", "Ixz", "Iyz", "Izz", "mx", "my", "mz", "m", "Iyy")
"""Pivot order: parameters that come first stay base parameters."""
ORDERS = {"m": 0, "mx": 1, "my": 1, "mz": 1}
"""Powers of a length in the unit of a parameter; 2 for moments of inertia."""
POOR = 8.0
"""A pivot that many times smaller than another entry of its row, in units of the size of the arm, is exchanged."""
Row = dict[int, Any]


@dataclass(frozen=True)
class BaseParameters:
    """The base parameters; ``relations`` maps the name of each to the combination it denotes.

    ``absorbed`` are the parameters that occur only in the combinations of others, ``idle`` those that do not affect the
    torques (or the energy).
    """

    of: str
    relations: dict[str, TrigPolynomial]
    absorbed: tuple[str, ...]
    idle: tuple[str, ...]
    equations: Equations

    def __len__(self) -> int:
        return len(self.relations)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the base parameters."""
        return tuple(self.relations)

    def regrouped(self, polynomial: TrigPolynomial) -> TrigPolynomial:
        """A coefficient of ``equations`` in base parameters alone: absorbed and idle parameters set to zero.

        ``expanded`` undoes this.
        """
        return polynomial.substitute(dict.fromkeys((*self.absorbed, *self.idle), 0))

    def expanded(self, polynomial: TrigPolynomial) -> TrigPolynomial:
        """A coefficient in base parameters with each of them replaced by its combination."""
        return polynomial.substitute(dict(self.relations))

    def __repr__(self) -> str:
        return f"<BaseParameters of {self.equations.arm.name!r}: {len(self)} for its {self.of}>"

    def _repr_html_(self) -> str:
        from ..markup.data_tables import Column, DataTable, Rich
        from ..markup.elements import Html, join
        from ..markup.notebook import framed, note
        from .printing.excerpt import excerpt_html
        from .printing.flow import html_symbol

        def symbols(names: Iterable[str]) -> Html:
            return join((Html(html_symbol(name)) for name in names), ", ") or Html("none")

        columns = (Column("parameter", "base parameter"), Column("combination", "stands for"))
        rows = tuple(
            (Rich(name, Html(html_symbol(name))), Rich(str(combination), excerpt_html(combination)))
            for name, combination in self.relations.items()
        )
        caption = f"{len(self)} base parameters of {self.equations.arm.name} for its {self.of}"
        return framed(
            DataTable("base-parameters", caption, columns, rows),
            note("Absorbed by others: ", symbols(self.absorbed)),
            note("Without effect: ", symbols(self.idle)),
        )


def base_parameters(arm: ArmDescription, of: str = "torque", lengths: bool = True) -> BaseParameters:
    """The base parameters of an arm for its "torque" or its "energy", lengths as symbols or as numbers."""
    if of not in ("torque", "energy"):
        raise ArmError(f'base parameters are those of "torque" or of "energy", not of {of!r}')
    equations = Equations(arm, "full+lengths" if lengths else "full")
    order = columns(equations)
    pivots = eliminated(rows(equations, of, order))
    if not lengths:
        pivots = balanced(pivots, order, float(reach(arm)) / max(arm.n, 1))
    try:
        relations, absorbed = combinations(pivots, order, equations)
    except ArithmeticError:
        # A combination with a length in the denominator is not a polynomial; with numerical lengths it is linear.
        return base_parameters(arm, of, lengths=False)
    idle = tuple(name for name in order if name not in relations and name not in absorbed)
    position = {symbol.name: i for i, symbol in enumerate(equations.symbols)}
    in_order = dict(sorted(relations.items(), key=lambda item: position[item[0]]))
    return BaseParameters(of, in_order, absorbed, idle, equations)


def columns(equations: Equations) -> list[str]:
    """Names of the inertial parameters, in the order in which they are preferred as base parameters."""
    tags = [str(i + 1) for i in reversed(range(equations.model.chain.n))]
    return [f"{name}{tag}" for name in PREFERRED for tag in tags]


def rows(equations: Equations, of: str, order: list[str]) -> Iterable[Row]:
    """The distinct linear forms in the parameters, each as column -> polynomial in lengths."""
    ring = equations.space.ring
    column_of = {ring.index[name]: column for column, name in enumerate(order)}
    n = equations.n
    functions = [equations.mass_matrix[i, j] for i in range(n) for j in range(i, n)]
    functions += [equations.potential_energy] if of == "energy" else list(equations.gravity)
    yielded: set[tuple[tuple[int, str], ...]] = set()
    for function in functions:
        forms: dict[tuple[tuple[int, int], ...], dict[int, dict[Any, Any]]] = {}
        for monomial, value in terms(function.poly).items():
            trig = tuple(p for p in monomial if p[0] < ring.first_symbol)
            inertial = [i for i, _ in monomial if i in column_of]
            if len(inertial) != 1:
                raise ArmError(f"{equations.arm.name}: a torque is not linear in the inertial parameters")
            lengths = tuple(p for p in monomial if p[0] >= ring.first_symbol and p[0] not in column_of)
            forms.setdefault(trig, {}).setdefault(column_of[inertial[0]], {})[lengths] = value
        for form in forms.values():
            row = {column: from_terms(ring.context, cofactor) for column, cofactor in form.items()}
            lead = row[min(row)].leading_coefficient()
            row = {column: entry / lead for column, entry in row.items()}
            key = tuple(sorted((column, str(entry)) for column, entry in row.items()))
            if key not in yielded:
                yielded.add(key)
                yield row


def eliminated(forms: Iterable[Row]) -> dict[int, Row]:
    """Reduced row echelon form, as pivot column -> row."""
    pivots: dict[int, Row] = {}
    # Short rows first: pivots then stay numbers where possible, and later rows stay short.
    for row in sorted(forms, key=lambda r: (sum(len(e) for e in r.values()), min(r))):
        while row:
            column = min(row)
            if column not in pivots:
                pivots[column] = row
                break
            row = cancelled(row, pivots[column], column)
    for column in sorted(pivots, reverse=True):
        for upper in pivots:
            if upper < column and column in pivots[upper]:
                pivots[upper] = cancelled(pivots[upper], pivots[column], column)
    return pivots


def balanced(pivots: dict[int, Row], order: list[str], length: float) -> dict[int, Row]:
    """The same rows on pivots whose combinations have no entry above ``POOR``, sizes measured in ``length`` (m).

    Exchanging a pivot for an entry k times as large multiplies the volume of the base by k, so this ends (Gu and
    Eisenstat 1996, Algorithm 4).
    """
    unit = [(length or 1.0) ** ORDERS.get(name.rstrip("0123456789"), 2) for name in order]
    pivots = dict(pivots)
    while pivots:
        share, column, new_pivot = max(
            (abs(_ratio(entry, row[column])) * unit[column] / unit[key], column, key)
            for column, row in pivots.items()
            for key, entry in row.items()
        )
        if share <= POOR:
            break
        exchanged = pivots.pop(column)
        pivots = {c: cancelled(row, exchanged, new_pivot) if new_pivot in row else row for c, row in pivots.items()}
        pivots[new_pivot] = exchanged
    return pivots


def _ratio(entry: Any, pivot: Any) -> float:
    """The ratio of two constant polynomials, each of which may be too large for a float."""
    return float(entry.leading_coefficient() / pivot.leading_coefficient())


def cancelled(row: Row, pivot: Row, column: int) -> Row:
    """The combination of ``row`` and ``pivot`` that has no entry in ``column``, without fractions."""
    a, b = pivot[column], row[column]
    common = a.gcd(b)
    a, b = a / common, b / common
    result: Row = {}
    for key in row.keys() | pivot.keys():
        left = row[key] * a if key in row else None
        right = pivot[key] * b if key in pivot else None
        entry = left if right is None else -right if left is None else left - right
        if entry:
            result[key] = entry
    return result


def combinations(
    pivots: dict[int, Row], order: list[str], equations: Equations
) -> tuple[dict[str, TrigPolynomial], tuple[str, ...]]:
    """The base parameters as polynomials, and the parameters they absorb."""
    ring = equations.space.ring
    relations: dict[str, TrigPolynomial] = {}
    absorbed: dict[str, None] = {}
    for column, row in pivots.items():
        total = ring.zero
        for key, entry in row.items():
            quotient, remainder = divmod(entry, row[column])
            if remainder:
                raise ArithmeticError("a length in the denominator")
            total = total + quotient * ring.gens[ring.index[order[key]]]
            if key != column:
                absorbed[order[key]] = None
        relations[order[column]] = TrigPolynomial(equations.space, total)
    return relations, tuple(absorbed)
