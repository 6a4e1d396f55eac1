"""Arrays of polynomials that show themselves: as text, in a notebook as formulas, and short where they are long."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..markup.elements import Html, join, tag
from ..markup.notebook import flow, framed, heading, matrix, note
from . import names
from .polynomial import TrigPolynomial
from .printing.excerpt import FEW, excerpt_html
from .printing.flow import html_symbol
from .printing.letters import in_latex

TOGETHER = 120
"""Most terms of a matrix whose entries are written out in their places."""
MOST_TERMS = 400
"""Most terms that a notebook writes out of one array."""
KINDS = {
    "D": "Inertia matrix D",
    "C": "Centrifugal and Coriolis coefficients C",
    "G": "Gravity load G",
    "tau": "Torques",
}


class PolynomialArray(np.ndarray):
    """A NumPy array of ``TrigPolynomial``; ``kind`` is the letter of its entries ("D"), empty where they have none."""

    kind: str

    def __array_finalize__(self, source: object) -> None:
        # A part of D is an array of polynomials and no longer D: its places are not the indices of the names.
        self.kind = ""

    @classmethod
    def of(cls, entries: NDArray[np.object_], kind: str = "") -> PolynomialArray:
        """This array, its entries named by ``kind``."""
        array = entries.view(cls)
        array.kind = kind
        return array

    @property
    def polynomials(self) -> dict[tuple[int, ...], TrigPolynomial]:
        """The entries by their places; empty where the entries are something else, as after a comparison."""
        entries: dict[tuple[int, ...], Any] = {index: self[index] for index in np.ndindex(self.shape)}
        return entries if all(isinstance(entry, TrigPolynomial) for entry in entries.values()) else {}

    @property
    def listed(self) -> dict[str, TrigPolynomial]:
        """The entries that are not zero by printed name, or by place; those that are equal by symmetry once."""
        by_name: dict[str, TrigPolynomial] = {}
        for index, polynomial in self.polynomials.items():
            mirrored = (self.kind == "D" and index[0] > index[1]) or (self.kind == "C" and index[1] > index[2])
            if polynomial and not mirrored:
                by_name[self._name(index)] = polynomial
        return by_name

    def _name(self, index: tuple[int, ...]) -> str:
        return names.name(self.kind, index) if self.kind else f"[{', '.join(map(str, index))}]"

    @property
    def _size(self) -> str:
        return " by ".join(map(str, self.shape)) or "1"

    def __repr__(self) -> str:
        if not self.polynomials:
            return repr(np.asarray(self))
        terms = sum(map(len, self.polynomials.values()))
        return f"<{f'{self.kind}, ' if self.kind else ''}{self._size} TrigPolynomials, {terms} terms>"

    def __str__(self) -> str:
        """The entries that are not zero, line by line; of a long array only what ``repr`` says."""
        polynomials = self.listed
        if not polynomials or sum(map(len, polynomials.values())) > TOGETHER:
            return repr(self)
        return "\n".join(f"{name} = {polynomial.text()}" for name, polynomial in polynomials.items())

    def _repr_latex_(self) -> str | None:
        """A matrix; None where it is too long to typeset."""
        polynomials = self.polynomials
        if not polynomials or self.ndim > 2 or sum(map(len, polynomials.values())) > TOGETHER:
            return None
        rows = np.atleast_2d(np.asarray(self)) if self.ndim == 2 else np.asarray(self).reshape(-1, 1)
        body = r" \\ ".join(" & ".join(cast(TrigPolynomial, entry).latex() for entry in row) for row in rows)
        lead = f"{in_latex(self.kind)} = " if self.kind else ""
        return rf"$\displaystyle {lead}\begin{{bmatrix}} {body} \end{{bmatrix}}$"

    def _repr_html_(self) -> str | None:
        return framed(*self.html()) if self.polynomials else None

    def html(self) -> list[Html]:
        """The parts that a notebook shows: the matrix itself, or its entries one by one."""
        polynomials = self.polynomials
        terms = sum(map(len, polynomials.values()))
        size = self._size if self.ndim > 1 else f"{len(polynomials)} entries"
        title = heading(f"{KINDS.get(self.kind, 'Polynomials')}, {size}, {terms:,} terms")
        if self.ndim == 2 and terms <= TOGETHER:
            return [title, matrix([[excerpt_html(entry) for entry in row] for row in np.asarray(self)])]
        lines: list[Html] = []
        counts: list[Html] = []
        room = MOST_TERMS
        for name, polynomial in self.listed.items():
            label = Html(html_symbol(name)) if self.kind else tag("span", name)
            room -= len(polynomial) if len(polynomial) <= FEW else 0
            if len(polynomial) <= FEW and room >= 0:
                lines.append(flow(label, excerpt_html(polynomial)))
            else:
                counts.append(join([label, f" {len(polynomial):,}"]))
        zeros = len(polynomials) - sum(bool(entry) for entry in polynomials.values())
        if counts:
            lines.append(note("Numbers of terms of the others: ", join(counts, ", "), "; index the array for one."))
        return [title, *lines, note(f"Entries that are zero: {zeros}.")] if zeros else [title, *lines]


def array_of(shape: tuple[int, ...], kind: str, entry: Any) -> PolynomialArray:
    """An array whose entry at each place is ``entry(place)``."""
    entries = np.empty(shape, dtype=object)
    for index in np.ndindex(shape):
        entries[index] = entry(index)
    return PolynomialArray.of(entries, kind)
