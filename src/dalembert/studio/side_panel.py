"""What the side panels of arms and of mechanisms have in common: joints, what is shown, time, sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .joint_sliders import JointSliders
from .motion_panel import MotionPanel
from .words import plain

if TYPE_CHECKING:
    from .mechanism_studio import MechanismStudio
    from .studio import Studio

Array = NDArray[np.float64]
PARTS = {"boxes": "boxes of equal inertia", "centres": "mass centres", "axes": "joint axes"}
"""What can be shown of bodies beside their shapes, and how it is called."""


class SidePanel:
    """Handles of the side panel; a panel of its own adds tabs, with ``motion`` in one of them."""

    sliders: JointSliders
    motion: MotionPanel
    drag: Any
    reach: Any
    looks: Any

    def __init__(self, studio: Studio | MechanismStudio) -> None:
        self._shown_in = studio
        self.gui: Any = studio.server.gui
        self.message = self.gui.add_markdown("")

    def parts_shown(self, shapes: bool) -> dict[str, Any]:
        """A box to tick for each part of the bodies; shapes, where there are some, are shown at first."""
        labels = {"shapes": "shapes of the links", **PARTS} if shapes else PARTS
        return {part: self.gui.add_checkbox(label, part == "shapes") for part, label in labels.items()}

    def moved(self, q: Array) -> None:
        """A slider was moved."""
        self._shown_in.player.pause()
        self._shown_in.set_pose(q)

    def show_handle(self) -> None:
        """Show or hide the handle that is dragged."""
        self._shown_in.hand.visible = self.drag.value
        self.reach.content = ""

    def show_pose(self, q: Array) -> None:
        """Set the sliders to where it is."""
        self.sliders.show(q)

    def show_time(self, moment: float) -> None:
        """Set the time of the motion that plays."""
        self.motion.show_time(moment)

    def tell_looks(self, text: str) -> None:
        """What of the shapes of the links is not shown, and why."""
        self.looks.content = plain(text)

    def say(self, text: str) -> None:
        """One sentence for who looks on, at the top of the panel; an empty one takes it away."""
        self.message.content = plain(text)
