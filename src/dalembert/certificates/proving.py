"""Making the proofs of a certificate: the trees of ranges, the grids of torque errors.

Nothing here is trusted: what comes out is what ``checker.py`` is asked to verify.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from .certificate_file import HEADER
from .checker import Certificate, letter
from .exact_dynamics import Key, Series
from .grid_growth import GridGrowth
from .grids import ErrorAxis, largest_error, magnitudes
from .nets import first_net, nearest
from .partition import grown

NODE = 1000
"""Control values that could be computed in the time that a part takes however few it has."""
ASIDE, TRIMMED = 0.1, 0.25
"""Shares of what is to spare between the bound and the largest error found: for small errors, which are bounded on the
whole box at once, and for small harmonics of the others."""
WORK, GRID_WORK = 6e8, 1.6e9
"""Control values computed for one tree, and values for one grid, at most: about half a minute."""
BENT, BENT_WORK, BENT_AXES = 0.7, 0.02, 4
"""Bounds of curvatures are each this part of the one before, as long as one takes no more than this part of the work;
axes for which that is tried, where there are more than two."""
ABOVE = 1 + Fraction(1, 10**7)
"""More than rounding adds to a bound."""


class Prover(Certificate):
    """A certificate in the making: what is to be proved, as the checker derives it from its sections."""

    def __init__(self, kind: str, sections: Mapping[str, Any]) -> None:
        super().__init__({"header": HEADER | {"kind": kind}, **sections})

    def torque_error(
        self, claim: Mapping[str, Any], found: float, work: float = GRID_WORK
    ) -> list[dict[str, Any]] | None:
        """The proof of a bound of the torque error of a joint; ``found`` is the largest one known."""
        waves = {key: w for key, w in self.errors(claim["system"]).items() if key[1] == claim["joint"]}
        bound, small, used = Fraction(claim["bound"]), dict[Key, Series](), 0.0
        if 0 < sum(map(size_of, waves.values())) <= float(bound):
            # what the moduli of the harmonics show; basis functions of single joints have larger ones
            grid, left = self.grid(claim["system"], list(waves.values()), "", [])
            if GridGrowth(grid, np.zeros(0), magnitudes, work).levels(float(bound - fraction(left))) is not None:
                return [part_of(waves, bound, "", [], [], [])]
        for key in sorted(waves, key=lambda key: size_of(waves[key]))[:-1]:
            used += size_of(waves[key])
            if used > ASIDE * (float(bound) - found):
                break
            small[key] = waves[key]
        parts, rest = list[dict[str, Any]](), Fraction(0)
        if small:
            grid, left = self.grid(claim["system"], list(small.values()), "", [])
            rest = ABOVE * (Fraction(grid.allowed) + Fraction(float(np.abs(grid.tensor).sum())) + fraction(left))
            parts = [part_of(small, rest, "", [], [], [])]
        main = {key: wave for key, wave in waves.items() if key not in small}
        if main:
            proved = self.grid_part(claim["system"], main, bound - rest, float(bound) - found, work)
            return None if proved is None else [proved, *parts]
        return parts

    def orders(self, system: int, functions: Sequence[Series], amount: float) -> tuple[str, list[int]]:
        """Axes, those first that move the functions most, and orders up to which they count.

        The highest orders of the axes that matter least are left out, no more than ``amount`` of them together.
        """
        variables, series = self.in_variables(system, functions)
        k, size = np.zeros((0, len(variables)), np.int64), np.zeros(0)
        for f in series:
            k = np.concatenate([k, np.abs(np.array(list(f), np.int64)).reshape(len(f), len(variables))])
            size = np.concatenate([size, [abs(nearest(re)) + abs(nearest(im)) for re, im in f.values()]])
        reach = np.array([ErrorAxis(v).reach if v.slides else 1.0 for v in variables])
        size *= np.prod(reach**k, axis=1)
        keep = np.ones(len(k), bool)
        while True:
            most = k[keep].max(axis=0, initial=0)
            highest = keep[:, None] & (k == most) & (most > 0)
            loss = np.where(most > 0, highest.T @ size, np.inf)
            if not loss.min(initial=np.inf) <= amount:
                break
            amount -= float(loss.min())
            keep &= ~highest[:, int(loss.argmin())]
        moved = (size * keep) @ (k > 0)
        at = [axis for axis in np.argsort(-moved, kind="stable").tolist() if most[axis]]
        return "".join(letter(variables[axis].joint) for axis in at), [int(most[axis]) for axis in at]

    def grid_part(
        self, system: int, waves: Mapping[Key, Series], bound: Fraction, spare: float, work: float
    ) -> dict[str, Any] | None:
        """The part of a proof that shows a bound of errors by one grid; None where that takes too much work."""
        if not bound > 0:
            return None
        axes, orders = self.orders(system, list(waves.values()), TRIMMED * spare)
        grid, rest = self.grid(system, list(waves.values()), axes, orders)
        bends, known = [], np.full(len(axes), np.inf)
        for at, axis in enumerate(axes[:BENT_AXES] if len(axes) > 2 else ""):
            curved = grid.curved(at)
            least, levels = float(curved.moduli(0, curved.tensor[None])[0][0]), None
            while least > 0:
                growth = GridGrowth(curved, np.full(len(axes), np.inf), magnitudes, BENT_WORK * work)
                finer = growth.levels(BENT * least)
                if finer is None:
                    break
                least, levels = BENT * least, finer
            if levels is not None:
                most = Fraction(least) * ABOVE
                bends.append({"axis": axis, "bound": str(most), "grid": levels})
                known[at] = float(most * ABOVE)
        levels = GridGrowth(grid, known, largest_error(list(waves)), work).levels(float(bound - fraction(rest)))
        return None if levels is None else part_of(waves, bound, axes, orders, levels, bends)

    def range_proof(self, claim: Mapping[str, Any]) -> dict[str, str] | None:
        """The proof of a range: a tree for each of its sides, or one for the square of a gravity load."""
        plain = claim["of"][0][:2] != ["1", "G"] or len(claim["of"]) > 1 or "over" in claim
        for sides, work in ((self.sides, WORK if plain else WORK / 2000), (self.square, WORK), (self.sides, WORK)):
            if sides == self.square and (plain or Fraction(claim["lower"]) > 0 or Fraction(claim["upper"]) < 0):
                continue
            trees = dict[str, str]()
            for side, wave, bound in sides(claim):
                tree = self.tree(claim["system"], wave, bound, work)
                if tree is None:
                    break
                trees[side] = tree
            else:
                return trees
            if plain:
                break
        return None

    def tree(self, system: int, function: Series, bound: fmpq, work: float = WORK) -> str | None:
        """The tree that shows a bound of a function."""
        variables, (series,) = self.in_variables(system, [function])
        net = first_net(series, variables)
        return grown(net, variables, bound, int(work / (net.values.size + NODE)))


def part_of(
    waves: Mapping[Key, Series],
    bound: Fraction,
    axes: str,
    orders: Sequence[int],
    grid: Sequence[str],
    bends: Sequence[Any],
) -> dict[str, Any]:
    """A part of the proof of a torque error as a certificate has it."""
    return {
        "of": [list(key) for key in waves], "bound": str(bound), "axes": axes, "orders": list(orders),
        "grid": list(grid), "bends": list(bends),
    }  # fmt: skip


def size_of(series: Series) -> float:
    """The sum of the moduli."""
    return sum(float(np.hypot(nearest(re), nearest(im))) for re, im in series.values())


def fraction(x: fmpq) -> Fraction:
    """A rational number of FLINT as one of Python."""
    return Fraction(int(x.p), int(x.q))


def exact_float(x: float) -> str:
    """A float as the fraction it is."""
    return str(Fraction(x))


def states_section(box: Any) -> dict[str, Any]:
    """A box of positions as a certificate has it."""
    return {
        "lower": [exact_float(float(x)) for x in box.lower],
        "upper": [exact_float(float(x)) for x in box.upper],
        "circle": [bool(x) for x in box.circle],
    }
