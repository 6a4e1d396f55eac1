"""``arm.equations()``: the exact equations of motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from ..arm.description import ArmDescription

if TYPE_CHECKING:
    from ..equations.closed_form import Equations
    from ..equations.symbols import Request


class ClosedForm:
    """What an arm offers in closed form."""

    def equations(
        self,
        parameters: Request = "symbols",
        joints: Sequence[int | str] | None = None,
        at: Mapping[str | int, object] | None = None,
    ) -> Equations:
        """The exact equations of motion.

        ``parameters`` says which numbers of the arm become symbols: groups such as "symbols" (inertial parameters,
        lengths and gravity, where they are not zero), "numbers" (none), "inertial", "full" (all ten of each body,
        also where zero), "centre", "gyration", "lengths", "twists", "gravity", "load"; single names such as "m3";
        several joined by "+"; or a mapping from names to values (None keeps a symbol).

        ``joints`` names the joints that move (all by default); the others rest at the positions ``at`` gives, or at
        zero, and the bodies they carry are absorbed into starred parameters.
        """
        from ..equations.closed_form import Equations
        from ..equations.restricted import restricted
        from .reduced import reduce_equations

        Equations.reducer = staticmethod(reduce_equations)

        return restricted(cast(ArmDescription, self), parameters, joints, at)
