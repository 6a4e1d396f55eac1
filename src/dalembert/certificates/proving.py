"""Making the proofs of a certificate: the grids of ranges and of torque errors.

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
from .grids import Measure, nearest, value
from .speeds import largest_error

ASIDE, TRIMMED = 0.1, 0.25
"""Shares of what is to spare between the bound and the largest error found: for small errors, which are bounded on the
whole box at once, and for small harmonics of the others."""
WORK, RANGE_WORK, SQUARE_FIRST = 1.6e9, 2e8, 1.6e6
"""Numbers computed for one grid of a torque error and of a range, at most: some minutes; and those after which the
square of a gravity load is tried."""
ABOVE, ROUNDED = 1 + Fraction(1, 10**7), 2.0**-35
"""More than rounding adds to a bound; more than rounding takes from it, as a share of the magnitudes of all terms."""


class Prover(Certificate):
    """A certificate in the making: what is to be proved, as the checker derives it from its sections."""

    def __init__(self, kind: str, sections: Mapping[str, Any]) -> None:
        super().__init__({"header": HEADER | {"kind": kind}, **sections})

    def torque_error(self, claim: Mapping[str, Any], reached: float) -> list[Any] | None:
        """The proof of a bound of the torque error of a joint; ``reached`` is the largest one known.

        Small errors have a part of their own, which bounds them on the whole box at once.
        """
        system, bound = claim["system"], Fraction(claim["bound"])
        errors = {key: w for key, w in self.errors(system).items() if key[1] == claim["joint"]}
        small, used, spare = dict[Key, Series](), 0.0, float(bound) - reached
        moduli = {key: size_of(w) for key, w in errors.items()}
        for key in sorted(errors, key=lambda key: moduli[key]):
            used += moduli[key]
            if used > ASIDE * spare and not sum(moduli.values()) <= float(bound) / float(ABOVE):
                break
            small[key] = errors[key]
        parts, aside = list[Any](), Fraction(0)
        if small:
            grid, left_out = self.grid(system, list(small.values()), "", [])
            aside = ABOVE * (Fraction(grid.rounding) + Fraction(float(np.abs(grid.tensor).sum())) + fraction(left_out))
            if aside <= bound:
                parts = [part_of(small, aside, {"axes": "", "orders": [], "words": []})]
            else:
                small, aside = {}, Fraction(0)
        main = {key: w for key, w in errors.items() if key not in small}
        if main:
            proof = self.by_grid(
                system, list(main.values()), largest_error(list(main)), bound - aside, spare - float(aside), WORK
            )
            return None if proof is None else [part_of(main, bound - aside, proof), *parts]
        return parts

    def orders(self, system: int, functions: Sequence[Series], amount: float) -> tuple[str, list[int]]:
        """Axes, those first that move the functions most, and orders up to which they count.

        The highest orders of the axes that matter least are left out, no more than ``amount`` of them together.
        """
        axes, series = self.merged(system, functions)
        k, size = np.zeros((0, len(axes)), np.int64), np.zeros(0)
        for f in series:
            k = np.concatenate([k, np.abs(np.array(list(f), np.int64)).reshape(len(f), len(axes))])
            size = np.concatenate([size, [abs(nearest(re)) + abs(nearest(im)) for re, im in f.values()]])
        reach = np.array([axis.reach if axis.slides else 1.0 for axis in axes])
        size *= np.prod(reach**k, axis=1)
        keep = np.ones(len(k), bool)
        while True:
            highest_orders = k[keep].max(axis=0, initial=0)
            highest = keep[:, None] & (k == highest_orders) & (highest_orders > 0)
            loss = np.where(highest_orders > 0, highest.T @ size, np.inf)
            if not loss.min(initial=np.inf) <= amount:
                break
            amount -= float(loss.min())
            keep &= ~highest[:, int(loss.argmin())]
        weights = (size * keep) @ (k > 0)
        chosen = [at for at in np.argsort(-weights, kind="stable").tolist() if highest_orders[at]]
        return "".join(letter(axes[at].joint) for at in chosen), [int(highest_orders[at]) for at in chosen]

    def by_grid(
        self, system: int, functions: Sequence[Series], measure: Measure, bound: Fraction, spare: float, work: float
    ) -> dict[str, Any] | None:
        """The grid that shows a bound of functions; None where that takes too much work.

        ``spare`` is how far the largest value known lies below the bound.
        """
        axes, orders = self.orders(system, functions, TRIMMED * spare)
        grid, left_out = self.grid(system, functions, axes, orders)
        words = GridGrowth(grid, measure, work).words(float(bound - fraction(left_out)))
        return None if words is None else {"axes": axes, "orders": orders, "words": words}

    def rounding(self, claim: Mapping[str, Any], most: float) -> float:
        """How far the ends of a range of magnitude ``most`` have to be from all values, for what rounding takes."""
        system, sizes = claim["system"], list[float]()
        for terms in (claim["of"], claim.get("over", [])):
            series = [self.dynamics(system).variables.series(self._sum(system, terms))]
            grid, left_out = self.grid(system, series, *self.orders(system, series, 0.0))
            sizes.append(float(np.abs(grid.tensor).sum()) + float(fraction(left_out)))
        least = float(Fraction(claim["least"])) if "over" in claim else 1.0
        return ROUNDED * (sizes[0] + most * sizes[1]) / least

    def range_proof(self, claim: Mapping[str, Any]) -> dict[str, Any] | None:
        """The proof of a range: a grid for each of its sides, or one for the square of a gravity load."""
        load = claim["of"][0][:2] == ["1", "G"] and len(claim["of"]) == 1 and "over" not in claim
        load &= Fraction(claim["lower"]) <= 0 <= Fraction(claim["upper"])
        for sides, work in ((self.sides, SQUARE_FIRST), (self.square, RANGE_WORK), (self.sides, RANGE_WORK)):
            if not load and (sides == self.square or work < RANGE_WORK):
                continue
            proof = dict[str, Any]()
            for side, p, bound in sides(claim):
                function, rest_bound = self.without_mean(claim["system"], p, bound)
                grid = self.by_grid(claim["system"], [function], value, fraction(rest_bound), 0.0, work)
                if grid is None:
                    break
                proof[side] = grid
            else:
                return proof
        return None


def part_of(errors: Mapping[Key, Series], bound: Fraction, grid: Mapping[str, Any]) -> dict[str, Any]:
    """A part of the proof of a torque error as a certificate has it."""
    return {"of": [list(key) for key in errors], "bound": str(bound), "grid": dict(grid)}


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
