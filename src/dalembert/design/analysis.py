"""``system.analysis(...)``: one set of questions about one system over one set of states.

The equations are derived once, every range is worked out once, and all answers are for exactly this system: with the
load it holds, and with its rotors where its drives count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from ..arm.joint_keys import joint_number
from ..bounds.ranges import Range
from ..compile.undetermined import refuse_massless
from ..reduction.certify import Progress
from ..reduction.states import Amounts, states_of
from ..systems.arm_system import ArmSystem
from .certified_ranges import CertifiedRanges

if TYPE_CHECKING:
    from ..equations.closed_form import Equations
    from ..reduction.reduced_model import ReducedModel
    from ..reduction.shortforms.short_form_model import ShortFormModel
    from .compare import Compared
    from .counterbalance import Counterbalance
    from .coupling import CouplingMap, Couplings
    from .dominance import Dominance
    from .importance import Balance, Curve
    from .motion_samples import MotionSamples
    from .review import Review
    from .sensitivity import Sensitivity
    from .shares import PartShare
    from .significance import Bounds, TermShares
    from .simplified import SimplifiedModel
    from .slow_fast import Reactions, SlowFast
    from .tables import LoadTables

Limits: TypeAlias = Mapping[str | int, tuple[float, float]]
"""Ranges of joints (rad or m) by name, or counted from 0."""


def require_analysis(asked: object) -> None:
    """Raises ArmError unless this is an analysis, as two systems are compared by the same questions."""
    if not isinstance(asked, Analysis):
        raise ArmError(f"two systems are compared by the same questions: write ask.of(other); got {asked!r:.80}")


class Analysis(CertifiedRanges):
    """What matters in a system. Positions range over the joint limits unless ``box`` gives others (rad, m).

    ``speed`` and ``acceleration`` are the largest of each joint: one number, one for each, or a table by joint; the
    arm's limits (or 2 rad/s, 1 m/s, and what reaches them in 0.2 s) where they are left out. ``gap`` certifies ranges
    to this share of their spread (1e-4 by default), ``work`` (control values) limits each end of a range.
    ``effort`` is the share of the usual work of ratios, coupling, dominance, significance, short forms and reduced
    models: with less of it bounds are looser and models longer, and no bound is less proved. ``tell`` is called with
    what is being worked out.
    """

    def __init__(
        self,
        system: ArmSystem,
        box: Limits | None = None,
        speed: Amounts = None,
        acceleration: Amounts = None,
        *,
        gap: float | None = None,
        work: float | None = None,
        effort: float = 1.0,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        refuse_massless(system)
        super().__init__(system, states_of(system, box, speed, acceleration), gap, work, effort, tell)
        self._question = (box, speed, acceleration)

    def __repr__(self) -> str:
        return f"<Analysis of {self.system!r}>"

    @property
    def narrowed(self) -> bool:
        """Whether a box, speeds or accelerations were given."""
        return any(part is not None for part in self._question)

    @property
    def paced(self) -> bool:
        """Whether speeds or accelerations were given."""
        return any(part is not None for part in self._question[1:])

    def of(self, system: ArmSystem) -> Analysis:
        """The same questions about another system: another load, other drives, another design.

        Joints of the box that the other system does not have are passed over.
        """
        if not isinstance(system, ArmSystem):
            raise ArmError(f"an analysis is of an arm, alone or with its load and drives; got {system!r:.80}")
        box, speed, acceleration = self._question
        shared_box = {
            key: ends for key, ends in (box or {}).items() if joint_number(system.joint_names, key) is not None
        }
        return Analysis(
            system,
            shared_box or None,
            speed,
            acceleration,
            gap=self.gap,
            work=self.work,
            effort=self.effort,
            tell=self.listener,
        )

    # -- ranges ----------------------------------------------------------------------------------

    def ranges(self, loaded: Analysis | None = None, *, partial: bool = False) -> LoadTables:
        """Total inertia and gravity load at every joint and motor, certified (Bejczy 1974, Tables 1 and 2).

        ``loaded`` sets the same with a load in the hand beside it. With ``partial`` an interrupt (Ctrl-C) ends with the
        joints that are proved by then, and ``interrupted`` of the tables says so.
        """
        from .tables import load_tables

        if loaded is not None:
            require_analysis(loaded)
        return load_tables(self, loaded, partial=partial)

    def range_of(self, name: str) -> Range:
        """The certified range of a coefficient ("D12", "C112", "G3"), a sum ("D12+D13") or a ratio ("D12/D11")."""
        from .importance import range_by_name

        return range_by_name(self, name)

    # -- importance ------------------------------------------------------------------------------

    def ratio_curves(
        self, top: str, bottom: str, along: str | int, settings: Sequence[Mapping[str | int, float]] = (), *,
        points: int = 181, signed: bool = False,
    ) -> Curve:  # fmt: skip
        """|top / bottom| along one joint for settings of others (Bejczy 1974, Figures 4 to 11).

        ``signed`` keeps the sign, as eqs 116 to 118 ask for.
        """
        from .importance import ratio_curves

        return ratio_curves(self, top, bottom, along, settings, points=points, signed=signed)

    def gravity_balance(self) -> tuple[Balance, ...]:
        """At which acceleration inertia equals gravity, joint by joint."""
        from .importance import balances

        return balances(self)

    @cached_property
    def bounds(self) -> Bounds:
        """Largest magnitudes of the coefficients, proved and attained."""
        from .significance import EFFORT, Bounds

        return Bounds(self.waves, self.states, self.effort * EFFORT, tell=self.tell)

    def slow_fast(self, share: float = 0.05) -> tuple[SlowFast, ...]:
        """The pace at which reactions to motion can reach a share of own inertia and gravity (Bejczy 1974, II)."""
        from .slow_fast import slow_fast

        return slow_fast(self.bounds, share)

    def slow_fast_at(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, share: float = 0.05) -> tuple[Reactions, ...]:
        """For every joint, whether one state is dynamically slow or fast there (Bejczy 1974, section II)."""
        from .slow_fast import reactions_at

        return reactions_at(self.system, q, qd, qdd, share)

    def significance(self, motion: MotionSamples | None = None, *, partial: bool = False) -> TermShares:
        """Every term of every joint's torque, ranked; over all states, or along a ``motion`` (``da.motion_of``).

        With ``partial`` an interrupt (Ctrl-C) ends with the joints all of whose terms are bounded by then, and
        ``interrupted`` says so.
        """
        from .motion_samples import MotionSamples
        from .significance import along, significance

        if motion is None:
            return significance(self.bounds, partial=partial)
        if not isinstance(motion, MotionSamples):
            raise ArmError(
                f"{self.system.name}: a motion is given as da.motion_of(arm, ...), of a CSV file, (q, qd, qdd), a "
                "simulated motion or a trajectory"
            )
        return along(self.waves, motion)

    def part_shares(self, velocity: bool = False) -> tuple[PartShare, ...]:
        """Translational and rotational shares of the coefficients (Lee, Lee and Nigam 1982)."""
        from .shares import part_shares

        return part_shares(self, velocity)

    def simplified(self, turning: Sequence[str | int] | None = None, velocity: str = "none") -> SimplifiedModel:
        """The simplified model of Lee, Lee and Nigam 1982, section 3, with its errors over the states.

        Of D only rotation counts for the joints ``turning``, only translation for the others; by default rotation
        counts where it makes up most of D_ii. ``velocity`` keeps a part of H: "none", "translational", "rotational" or
        "both".
        """
        from .simplified import simplified

        return simplified(self, turning, velocity)

    # -- coupling --------------------------------------------------------------------------------

    def coupling(self, *, partial: bool = False) -> Couplings:
        """Coefficients of coupling with their largest values (Tourassis and Neuman 1985, eqs 32-35).

        With ``partial`` an interrupt (Ctrl-C) ends with the pairs that are proved by then, and ``interrupted`` says so.
        """
        from .coupling import coupling

        return coupling(self, partial=partial)

    def coupling_map(
        self, first: str | int, second: str | int, across: str | int, along: str | int,
        at: Mapping[str | int, float] | None = None, *, points: int = 61,
    ) -> CouplingMap:  # fmt: skip
        """The coupling of two joints over a grid of two joints."""
        from .coupling import coupling_map

        return coupling_map(self, first, second, across, along, at, points=points)

    def dominance(self) -> tuple[Dominance, ...]:
        """Diagonal dominance of the mass matrix, row by row."""
        from .dominance import dominance

        return dominance(self)

    # -- design ----------------------------------------------------------------------------------

    def review(self, *, partial: bool = False) -> Review:
        """The design against the guidelines of Tourassis and Neuman 1985.

        With ``partial`` an interrupt (Ctrl-C) ends with the couplings and counterweights that are worked out by then,
        and ``interrupted`` says so.
        """
        from .review import review

        return review(self, partial=partial)

    def counterbalance(self, joint: str | int, *, mass: object = None, radius: object = "0.2") -> Counterbalance:
        """The weight that takes the gravity load off a joint; its mass (kg) or radius (m) may be chosen."""
        from .counterbalance import counterbalance

        return counterbalance(self, joint, mass=mass, radius=radius)

    def sensitivities(
        self, coefficient: str, parameters: Sequence[str] | None = None, *, style: str = "centre+lengths+gravity"
    ) -> tuple[Sensitivity, ...]:
        """How the range of a coefficient moves with each parameter of the arm."""
        from .sensitivity import sensitivities

        return sensitivities(self, coefficient, parameters, style=style)

    def compare(self, other: Analysis, loaded: tuple[Analysis, Analysis] | None = None) -> tuple[Compared, ...]:
        """This design and another, side by side; ``loaded`` are both with a load, whose figures are added."""
        from .compare import compared

        require_analysis(other)
        first, second = ((self, loaded[0]), (other, loaded[1])) if loaded is not None else ((self,), (other,))
        return compared(first, second)

    # -- reduction -------------------------------------------------------------------------------

    def reduce(
        self,
        tolerance: float = 0.01,
        *,
        others: Sequence[ArmSystem | Analysis] = (),
        refit: bool = True,
        curve: bool = False,
        progress: Progress | None = None,
    ) -> ReducedModel:
        """The shortest model found whose torque error is proved to stay within ``tolerance`` for every state.

        ``others`` are the same arm with other loads (or analyses of them, whose equations are then not derived again):
        the model serves all of them and every mixture. ``refit=False`` keeps the constants as the arm's parameters give
        them; ``curve=True`` fills ``model.curve`` with proved models from a small part to several times the tolerance.
        """
        from ..reduction.reduce import reduce

        systems, equations = self._beside(others)
        return reduce(
            systems, self.states, tolerance, refit=refit, curve=curve, progress=progress, equations=equations,
            effort=self.effort,
        )  # fmt: skip

    def short_forms(
        self,
        coefficients: str | Sequence[str] | None = None,
        tolerance: float = 0.05,
        *,
        relative_to: str = "largest",
        velocity: str = "christoffel",
        others: Sequence[ArmSystem | Analysis] = (),
        refit: bool = True,
        progress: Progress | None = None,
    ) -> ShortFormModel:
        """A system of short closed forms with named constants and proved errors (Bejczy 1974, Tables 3 and 4).

        ``coefficients`` are D_ii and G_i by default, "all" for every D_ij and G_i, or names; those without a form are
        left out. Each form is within ``tolerance`` of the largest value of its coefficient, or with
        ``relative_to="range"`` of its maximum less its minimum. ``velocity`` names the velocity terms: "christoffel"
        (those of the shortened D, so that energy is kept), "none" (Bejczy's own), or "named" (the C_ijk that are
        named). ``others`` are the same arm with other loads (or analyses of them), which the same terms then serve;
        ``refit=False`` keeps the constants of the exact form.
        """
        from ..reduction.shortforms.short_form_model import short_forms

        systems, equations = self._beside(others)
        return short_forms(
            systems, self.states, coefficients, tolerance, relative_to=relative_to, velocity=velocity, refit=refit,
            progress=progress, equations=equations, effort=self.effort,
        )  # fmt: skip

    def _alike(self, other: Analysis) -> bool:
        """Whether both are over the same states."""
        one, two = (
            (a.states.box.lower, a.states.box.upper, a.states.speed, a.states.acceleration) for a in (self, other)
        )
        return all(np.array_equal(x, y) for x, y in zip(one, two, strict=True))

    def _beside(self, others: Sequence[ArmSystem | Analysis]) -> tuple[list[ArmSystem], list[Equations | None]]:
        """This system and the others, with the equations that are at hand."""
        systems: list[ArmSystem] = [self.system]
        equations: list[Equations | None] = [self.equations]
        for other in others:
            if isinstance(other, Analysis):
                if other.narrowed and not self._alike(other):
                    raise ArmError(
                        f"{self.system.name}: a model for several systems holds for one set of states; give {other!r} "
                        "the box, speeds and accelerations of this analysis, or none"
                    )
                systems.append(other.system)
                equations.append(other.equations)
            elif isinstance(other, ArmSystem):
                systems.append(other)
                equations.append(None)
            else:
                raise ArmError(
                    f"{self.system.name}: others are arms or analyses of them, as in [empty]; got {other!r:.80}"
                )
        return systems, equations
