"""A slider for each joint or coordinate, moved by people and by the studio itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
DIGITS = 3
"""Decimals of positions on sliders, in degrees and metres."""


class JointSliders:
    """Sliders over ``spans`` (rad, m), shown in degrees and metres; ``moved(q)`` is called when a person moves one."""

    def __init__(
        self, gui: Any, moving: Sequence[Any], spans: Sequence[tuple[float, float]], q: Array,
        moved: Callable[[Array], None],
    ) -> None:  # fmt: skip
        self.q, self.moved = q.copy(), moved
        self.handles: list[Any] = []
        self.factors = np.array([180 / np.pi if joint.kind == "revolute" else 1.0 for joint in moving])
        self._setting = False
        for joint, (low, high), factor, value in zip(moving, spans, self.factors, q, strict=True):
            turning = joint.kind == "revolute"
            slider = gui.add_slider(
                f"{joint.name} [{'deg' if turning else 'm'}]", min=round(low * factor, DIGITS),
                max=round(high * factor, DIGITS), step=0.1 if turning else 0.001,
                initial_value=round(float(value) * factor, DIGITS),
            )  # fmt: skip
            slider.on_update(lambda _: self.slid())
            self.handles.append(slider)

    def slid(self) -> None:
        """A slider was moved, by a person: what the studio sets itself changes nothing."""
        if self._setting:
            return
        displayed = np.array([slider.value for slider in self.handles])
        q = np.where(np.abs(displayed - self.q * self.factors) > 0.6 * 10.0**-DIGITS, displayed / self.factors, self.q)
        if not np.array_equal(q, self.q):
            self.moved(q)

    def show(self, q: Array) -> None:
        """Set the sliders to these positions."""
        self.q = q.copy()
        self._setting = True
        try:
            for value, factor, slider in zip(q, self.factors, self.handles, strict=True):
                displayed = round(float(value * factor), DIGITS)
                if slider.value != displayed:
                    slider.value = displayed
        finally:
            self._setting = False
