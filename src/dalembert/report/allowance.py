"""How much work a page may take, by the size of the closed form: counted, never timed.

The number of proofs on a page grows with the pairs of joints, and each proof with the terms of what it bounds. A page
on a large arm therefore spends less on each: its bounds are looser, its reduced models longer, nothing on it is less
proved, and it says so. The same arm has the same page on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..bounds.ranges import WORK
from ..equations.closed_form import Equations
from ..markup.elements import tag
from .section import Section

USUAL = 600
"""Terms of all coefficients of a closed form whose page gets the usual work."""
LEAST_RANGE = 2.0e7
"""Work (control values) that each end of a range of a coefficient gets at least."""
MOST_REDUCED = 40_000
"""Terms beyond which the page has no reduced models: they would take longer than all the rest."""


MOST_MODELS = 10_000
"""Terms beyond which the page has one reduced model, that of the largest tolerance."""


@dataclass(frozen=True)
class Allowance:
    """What a page about a closed form of so many ``terms`` may spend.

    ``effort`` is the share of the usual work of all proofs but ranges, ``work`` that of each end of a range (control
    values), ``curve`` says whether models are searched for the whole curve of error against operations, and
    ``reduces`` whether there are reduced models at all.
    """

    terms: int

    @classmethod
    def of(cls, equations: Equations) -> Allowance:
        """The allowance for these equations."""
        return cls(sum(len(equations[name]) for name in equations.names(zeros=False)))

    @property
    def effort(self) -> float:
        """The share of the usual work."""
        return min(1.0, USUAL / max(self.terms, 1))

    @property
    def work(self) -> float:
        """Work of each end of a range."""
        return max(LEAST_RANGE, self.effort * WORK)

    @property
    def curve(self) -> bool:
        """Whether the curve of error against operations is on the page."""
        return self.effort == 1

    @property
    def reduces(self) -> bool:
        """Whether reduced models are on the page."""
        return self.terms <= MOST_REDUCED

    def tolerances(self, requested: tuple[float, ...]) -> tuple[float, ...]:
        """The tolerances of the reduced models on the page."""
        return requested if self.terms <= MOST_MODELS else (max(requested),) if requested else ()

    def section(self) -> Section | None:
        """What the page leaves out for the size of the arm, and how to get it; None where it leaves out nothing."""
        if self.effort == 1:
            return None
        parts = [
            f"Proofs stop after {100 * self.effort:.2g} percent of the usual work. Bounds may be looser than they "
            "could be; a bound that is not as close as usual is marked where it stands.",
        ]
        if not self.reduces:
            parts.append("Reduced models and the closed loop with them are left out.")
        else:
            if self.terms > MOST_MODELS:
                parts.append("Of the reduced models there is only that of the largest tolerance.")
            parts.append(
                "Reduced models are the first ones found, and the curve of error against operations is left out."
            )
        commands = ["ranges", "significance", "review", "reduce"]
        meaning = f"The closed form has {self.terms:,} terms, so the page spends less on each proof than it could."
        return Section(
            "left-out",
            "What the size of the arm leaves out",
            meaning,
            (
                *(tag("p", part) for part in parts),
                tag(
                    "p",
                    "With the usual work: ",
                    *(x for command in commands for x in (tag("code", f"dalembert {command} ARM"), " ")),
                ),
            ),
        )
