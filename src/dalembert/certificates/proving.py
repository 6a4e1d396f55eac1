"""Making the proofs of a certificate: which functions share a tree, and the trees themselves.

Nothing here is trusted: what comes out is what ``checker.py`` is asked to verify.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from .certificate_file import HEADER
from .checker import Certificate, in_variables
from .exact_dynamics import Key, Series, number
from .nets import Net, Variable, first_net, nearest
from .partition import grown

NODE = 1000
"""Control values that could be computed in the time that a part takes however few it has."""
ASIDE = (0.4, 0.15, 0.0)
"""Shares of what is to spare between the bound and the largest error found that small errors may use up, which are
bounded on the whole box at once; a smaller share is tried where a larger one leaves too little for the others."""
WORK = 6e8
"""Control values computed for one tree at most: a few minutes."""


ROUNDED = fmpq(1, 10**12)
"""More than the order of the operations changes a bound by, as a part of it."""


class Prover(Certificate):
    """A certificate in the making: what is to be proved, as the checker derives it from its sections.

    ``used`` counts the control values computed for all trees.
    """

    def __init__(self, kind: str, sections: Mapping[str, Any]) -> None:
        super().__init__({"header": HEADER | {"kind": kind}, **sections})
        self.used = 0.0

    def torque_error(self, claim: Mapping[str, Any], found: float, work: float = WORK) -> list[dict[str, Any]] | None:
        """The proof of a bound of the torque error of a joint; ``found`` is the largest one known."""
        waves = {key: w for key, w in self.errors(claim["system"]).items() if key[1] == claim["joint"]}
        if not waves:
            return []
        bound = Fraction(claim["bound"])
        sizes = {key: size_of(wave) for key, wave in waves.items()}
        for share in ASIDE:
            small, used = set[Key](), 0.0
            for key in sorted(waves, key=lambda key: sizes[key])[:-1]:
                if used + sizes[key] > share * (float(bound) - found):
                    break
                small.add(key)
                used += sizes[key]
            rest = self.crude(claim["system"], [waves[key] for key in small])
            main = [key for key in waves if key not in small]
            tree = self.tree(
                claim["system"], multiples_joined([waves[key] for key in main]), number(str(bound - rest)), True, work
            )
            if tree is not None:
                parts = [{"of": [list(key) for key in main], "bound": str(bound - rest), "tree": tree}]
                return parts + (
                    [{"of": [list(key) for key in small], "bound": str(rest), "tree": "."}] if small else []
                )
            if not small:
                break
        return None

    def range_proof(self, claim: Mapping[str, Any]) -> dict[str, str] | None:
        """The proof of a range: a tree for each of its sides, or one for the square of a gravity load."""
        plain = claim["of"][0][:2] != ["1", "G"] or len(claim["of"]) > 1 or "over" in claim
        for sides, work in ((self.sides, WORK if plain else WORK / 2000), (self.square, WORK), (self.sides, WORK)):
            if sides == self.square and (plain or Fraction(claim["lower"]) > 0 or Fraction(claim["upper"]) < 0):
                continue
            trees = dict[str, str]()
            for side, wave, bound in sides(claim):
                tree = self.tree(claim["system"], [wave], bound, False, work)
                if tree is None:
                    break
                trees[side] = tree
            else:
                return trees
            if plain:
                break
        return None

    def crude(self, system: int, functions: Sequence[Series]) -> Fraction:
        """What the checker shows for the sum of the magnitudes on the whole box at once, to the last digit."""
        return Fraction(self.root(system, functions)[0].sum_of_magnitudes()) if functions else Fraction(0)

    def root(self, system: int, functions: Sequence[Series]) -> tuple[Net, list[Variable]]:
        """The net of the whole box."""
        revolute = [body["kind"] == "revolute" for body in self.systems[system]["bodies"]]
        variables, series = in_variables(functions, self.box, revolute)
        return first_net(series, variables), variables

    def tree(
        self, system: int, functions: Sequence[Series], bound: fmpq, magnitudes: bool, work: float = WORK
    ) -> str | None:
        """The tree that shows a bound of one function, or of the sum of the magnitudes of several."""
        net, variables = self.root(system, functions)
        measure = Net.sum_of_magnitudes if magnitudes else Net.greatest
        if magnitudes:  # multiples are joined here and not in the checker
            bound = bound * (1 - ROUNDED)
        each = net.values.size + NODE
        tree = grown(net, variables, bound, measure, int(work / each))
        self.used += work if tree is None else each * len(tree)
        return tree


def multiples_joined(functions: Sequence[Series]) -> list[Series]:
    """Functions that are multiples of each other joined, |w| + |c w| = |(1 + |c|) w|: fewer to look at, and the same
    bounds but for rounding.
    """
    found: dict[frozenset[Any], tuple[Series, fmpq, fmpq]] = {}
    for f in functions:
        lead = next(part for _, c in sorted(f.items()) for part in c if part)
        shape = frozenset((k, re / lead, im / lead) for k, (re, im) in f.items())
        kept, of, total = found.get(shape, (f, lead, fmpq(0)))
        found[shape] = kept, of, total + abs(lead / of)
    return [{k: (re * times, im * times) for k, (re, im) in f.items()} for f, _, times in found.values()]


def size_of(series: Series) -> float:
    """The sum of the moduli."""
    return sum(float(np.hypot(nearest(re), nearest(im))) for re, im in series.values())


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
