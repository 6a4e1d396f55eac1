"""``arm.equations()``: the closed form, and what can be asked of it beyond algebra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..equations.closed_form import Equations
from ..equations.derive import COMPOSITE
from ..equations.restricted import restricted
from ..equations.symbols import Request
from ..systems.arm_system import ArmSystem

if TYPE_CHECKING:
    from ..design.analysis import Limits
    from ..reduction.certify import Progress
    from ..reduction.reduced_model import ReducedModel
    from ..reduction.states import Amounts


class ArmEquations(Equations):
    """The equations of a system, which can also be reduced."""

    arm: ArmSystem

    def reduce(
        self,
        tolerance: float = 0.01,
        box: Limits | None = None,
        speed: Amounts = None,
        acceleration: Amounts = None,
        *,
        refit: bool = True,
        curve: bool = False,
        progress: Progress | None = None,
    ) -> ReducedModel:
        """The shortest model of this system whose torque error is proved to stay within ``tolerance``.

        The same as ``system.analysis(box, speed, acceleration).reduce(tolerance, ...)``.
        """
        from ..design.analysis import Analysis

        analysis = Analysis(self.arm, box, speed, acceleration)
        if not self.symbols:
            analysis.__dict__["equations"] = self
        return analysis.reduce(tolerance, refit=refit, curve=curve, progress=progress)


def arm_equations(
    system: ArmSystem,
    parameters: Request = "symbols",
    joints: Sequence[int | str] | None = None,
    at: Mapping[str | int, object] | None = None,
    formulation: str = COMPOSITE,
) -> ArmEquations:
    """The equations of a system, or of some of its joints with the others at rest."""
    return restricted(system, parameters, joints, at, ArmEquations, formulation)
