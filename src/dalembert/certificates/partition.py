"""Growing the trees of a certificate: the box divided until every part shows the claim by the checker's own bound."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from .checker import LEAF, letter
from .nets import Net, Variable


def grown(net: Net, variables: Sequence[Variable], bound: fmpq, most: int) -> str | None:
    """The tree of a claim; None where more than ``most`` parts would be looked at.

    An open part is divided along the variable that makes its control values the loosest.
    """
    # the checker compares exactly; a float a little below the claim decides here
    limit = float(np.nextafter(int(bound.p) / int(bound.q), -np.inf))
    symbols, stack = [], [net]
    while stack:
        part = stack.pop()
        shown = part.greatest()
        if shown <= limit or shown <= 0 == bound:
            symbols.append(LEAF)
            continue
        if len(symbols) >= most:
            return None
        loose = looseness(part, variables)
        if not loose.max(initial=0.0) > 0:
            return None
        axis = int(loose.argmax())
        symbols.append(letter(variables[axis].joint))
        stack += part.split(axis, variables)
    return "".join(symbols)


def looseness(net: Net, variables: Sequence[Variable]) -> NDArray[np.float64]:
    """By how much each variable keeps the control values apart from the function.

    For a variable that is cut: how far control values lie off the chord between their ends. For one that is not cut:
    the moduli of its coefficients.
    """
    found = np.zeros(len(variables))
    for axis, variable in enumerate(variables):
        if variable.size == 1 or net.halvings[axis] > 60:
            continue
        rows = np.moveaxis(net.values, axis, 0)
        if net.halvings[axis] < 0:
            off = 2 * np.abs(np.delete(rows, variable.degree, axis=0)).sum(axis=0)
        else:
            share = np.linspace(0, 1, variable.size).reshape(-1, *[1] * (rows.ndim - 1))
            off = np.abs(rows - (1 - share) * rows[0] - share * rows[-1]).max(axis=0)
        others = tuple(k for k, times in enumerate(t for a, t in enumerate(net.halvings) if a != axis) if times < 0)
        found[axis] = np.asarray(off.sum(axis=others) if others else off).max()
    return found
