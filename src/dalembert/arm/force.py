"""An external force and moment on a link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import ArmError

if TYPE_CHECKING:
    from .description import ArmDescription


@dataclass(frozen=True)
class Force:
    """Force (N) at a point of a link and moment (N m) on it; arrays ``(..., 3)`` give one per state.

    ``point`` is in the frame of the link. ``axes`` names the frame whose axes resolve force and moment: "base" of the
    arm that has the link, "link", or "world", in which a mechanism places its bases; an arm alone stands in the world.
    """

    link: str
    force: Any = (0.0, 0.0, 0.0)
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    moment: Any = (0.0, 0.0, 0.0)
    axes: str = "base"

    def check(self, arm: ArmDescription) -> None:
        """Raises ArmError unless link, axes and components are valid for this arm."""
        arm.link(self.link)
        if self.axes not in ("base", "link", "world"):
            raise ArmError(f'axes of the force on link {self.link!r} are "base", "link" or "world", not {self.axes!r}')
        for component in ("force", "moment", "point"):
            value = np.asarray(getattr(self, component), dtype=float)
            if value.shape[-1:] != (3,):
                raise ArmError(f"{component} on link {self.link!r} must end in 3 components, got {value.shape}")
            if not np.isfinite(value).all():
                raise ArmError(f"{component} on link {self.link!r} holds a value that is not finite")
