"""Ranges, coupling, significance, reduced models and design review of an arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from ..arm.description import ArmDescription

if TYPE_CHECKING:
    from ..arm.inertia import Load
    from ..bounds.ranges import Range
    from ..design.compare import Compared
    from ..design.counterbalance import Counterbalance
    from ..design.coupling import Coupling, CouplingMap
    from ..design.dominance import Dominance
    from ..design.importance import Balance, Curve, SlowFast
    from ..design.review import Review
    from ..design.sensitivity import Sensitivity
    from ..design.shares import PartShare
    from ..design.significance import TermShare
    from ..design.tables import LoadTables
    from ..equations.closed_form import Equations
    from ..reduction.certify import Progress
    from ..reduction.reduced_model import ReducedModel
    from ..reduction.shortforms.short_form import ReducedCoefficient
    from ..reduction.states import Amounts


class Reductions:
    """What matters in an arm. Positions range over the joint limits unless ``box`` gives others (rad, m)."""

    @property
    def _arm(self) -> ArmDescription:
        return cast(ArmDescription, cast(object, self))

    # -- ranges ----------------------------------------------------------------------------------

    def ranges(
        self,
        load: Load | None = None,
        box: Mapping[str | int, tuple[float, float]] | None = None,
        gap: float | None = None,
        work: float | None = None,
    ) -> LoadTables:
        """Total inertia (input inertia included) and gravity load at every joint, certified (Bejczy, Tables 1, 2).

        ``work`` (control values) limits each proof; rows left open by it have ``certified`` False.
        """
        from ..design.tables import load_tables

        return load_tables(self._arm, load, box, gap, work)

    def range_of(
        self,
        name: str,
        box: Mapping[str | int, tuple[float, float]] | None = None,
        drives: bool = False,
        gap: float | None = None,
    ) -> Range:
        """The certified range of a coefficient, a sum ("D12+D13") or a ratio ("D12/D11")."""
        from ..design.importance import coefficient_range

        return coefficient_range(self._arm, name, box=box, drives=drives, gap=gap)

    # -- importance ------------------------------------------------------------------------------

    def ratio_curves(
        self,
        top: str,
        bottom: str,
        along: str | int,
        settings: Sequence[Mapping[str | int, float]] = (),
        **options: Any,
    ) -> Curve:
        """|top / bottom| along one joint for settings of others (Bejczy, Figures 4 to 11)."""
        from ..design.importance import ratio_curves

        return ratio_curves(self._arm, top, bottom, along, settings, **options)

    def gravity_balance(
        self, box: Mapping[str | int, tuple[float, float]] | None = None, drives: bool = True
    ) -> tuple[Balance, ...]:
        """At which acceleration inertia equals gravity, joint by joint."""
        from ..design.importance import balances

        return balances(self._arm, box=box, drives=drives)

    def slow_fast(self, share: float = 0.05, **options: Any) -> tuple[SlowFast, ...]:
        """The speed at which velocity terms reach a share of the torque."""
        from ..design.importance import slow_fast

        return slow_fast(self._arm, share, **options)

    def coupling(
        self,
        box: Mapping[str | int, tuple[float, float]] | None = None,
        drives: bool = False,
        work: float | None = None,
    ) -> tuple[Coupling, ...]:
        """Coefficients of coupling with their largest values (Tourassis and Neuman 1985, eqs 32-35)."""
        from ..design.coupling import coupling

        return coupling(self._arm, box=box, drives=drives, work=work)

    def coupling_map(
        self, first: str | int, second: str | int, across: str | int, along: str | int, **options: Any
    ) -> CouplingMap:
        """The coupling of two joints over a grid of two joints."""
        from ..design.coupling import coupling_map

        return coupling_map(self._arm, first, second, across, along, **options)

    def dominance(
        self, box: Mapping[str | int, tuple[float, float]] | None = None, drives: bool = False
    ) -> tuple[Dominance, ...]:
        """Diagonal dominance of the mass matrix, row by row."""
        from ..design.dominance import dominance

        return dominance(self._arm, box=box, drives=drives)

    def part_shares(
        self, velocity: bool = False, box: Mapping[str | int, tuple[float, float]] | None = None
    ) -> tuple[PartShare, ...]:
        """Translational and rotational shares of the coefficients (Lee 1982)."""
        from ..design.shares import part_shares

        return part_shares(self._arm, velocity=velocity, box=box)

    def significance(self, **options: Any) -> tuple[TermShare, ...]:
        """Every term of every joint's torque, ranked; over all states within limits, or over a ``motion``."""
        from ..design.significance import significance

        if options.get("motion") is not None:
            from ..simulation.motion_files import motion_of

            options["motion"] = motion_of(self._arm, options["motion"])
        return significance(self._arm, **options)

    # -- reduction -------------------------------------------------------------------------------

    def reduce(
        self,
        tolerance: float = 0.01,
        *,
        speed: Amounts = None,
        acceleration: Amounts = None,
        box: Mapping[str | int, tuple[float, float]] | None = None,
        load: Load | Sequence[Load | None] | None = None,
        drives: bool = False,
        refit: bool = True,
        curve: bool = False,
        progress: Progress | None = None,
    ) -> ReducedModel:
        """The shortest model found whose torque error is proved to stay within ``tolerance``.

        ``refit=False`` keeps the constants as the arm's parameters give them; ``curve=True`` fills ``model.curve``
        with proved models from a small part to several times the tolerance.
        """
        from ..reduction.reduce import reduce

        return reduce(
            self._arm,
            tolerance,
            speed=speed,
            acceleration=acceleration,
            box=box,
            load=load,
            drives=drives,
            refit=refit,
            curve=curve,
            progress=progress,
        )

    def reduce_coefficients(
        self, coefficients: Sequence[str] | None = None, tolerance: float = 0.05, **options: Any
    ) -> tuple[ReducedCoefficient, ...]:
        """Short closed forms of coefficients with named constants and proved errors (Bejczy, Tables 3 and 4)."""
        from ..reduction.shortforms.short_form import reduce_coefficients

        return reduce_coefficients(self._arm, coefficients, tolerance, **options)

    # -- design ----------------------------------------------------------------------------------

    def review(self, box: Mapping[str | int, tuple[float, float]] | None = None) -> Review:
        """The design against the guidelines of Tourassis and Neuman."""
        from ..design.review import review

        return review(self._arm, box=box)

    def counterbalance(self, joint: str | int, **options: Any) -> Counterbalance:
        """The weight that takes the gravity load off a joint."""
        from ..design.counterbalance import counterbalance

        return counterbalance(self._arm, joint, **options)

    def sensitivities(
        self, coefficient: str, parameters: Sequence[str] | None = None, **options: Any
    ) -> tuple[Sensitivity, ...]:
        """How the range of a coefficient moves with each parameter of the arm."""
        from ..design.sensitivity import sensitivities

        return sensitivities(self._arm, coefficient, parameters, **options)

    def compare(
        self,
        other: ArmDescription,
        box: Mapping[str | int, tuple[float, float]] | None = None,
        load: Load | None = None,
    ) -> tuple[Compared, ...]:
        """This design and another, side by side; ``load`` adds the figures with it in both hands."""
        from ..design.compare import compared

        return compared(self._arm, other, box=box, load=load)


def reduce_equations(equations: Equations, tolerance: float = 0.01, **options: Any) -> ReducedModel:
    """What ``eq.reduce(...)`` does: the certified reduction of the arm of these equations."""
    from ..reduction.reduce import reduce

    return reduce(equations.arm, tolerance, **options)
