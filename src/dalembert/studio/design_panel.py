"""Change the design: numbers of the description on sliders, by what they belong to; undo; keep one for comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..arm.errors import ArmError
from .design import Design
from .words import plain

if TYPE_CHECKING:
    from .studio import Studio

GROUPS: dict[str, Callable[[str], bool]] = {
    "link masses": lambda name: name.startswith("link.") and name.endswith(".mass"),
    "payload": lambda name: name in ("load.mass", "load.com.x", "load.com.y", "load.com.z"),
    "counterweights": lambda name: name.startswith("load.") and name.count(".") >= 2 and name.endswith(".mass"),
    "lengths": lambda name: name.startswith("length."),
    "mass centres": lambda name: name.startswith("link.") and ".com." in name,
    "gears and motors": lambda name: name.startswith("motor."),
    "friction": lambda name: name.startswith("joint.") and name.endswith((".coulomb", ".viscous")),
    "gravity": lambda name: name.startswith("gravity."),
}
"""Numbers shown together, and which they are."""


def span(value: float, unit: str) -> tuple[float, float]:
    """The range of a slider about the value as it was opened."""
    if value:
        return min(0.0, 3 * value), max(0.0, 3 * value)
    return {"kg": (0.0, 10.0), "m": (-0.5, 0.5), "m/s^2": (-20.0, 20.0)}.get(unit, (0.0, 1.0))


class DesignPanel:
    """Sliders for one group of numbers at a time."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        gui: Any = studio.server.gui
        self._setting = False
        self.drives = gui.add_checkbox("count the drives", studio.design.drives)
        self.drives.on_update(lambda _: self._drives())
        buttons = gui.add_button_group("design", ("undo", "redo", "as opened", "keep beside"))
        buttons.on_click(lambda event: self._button(event.target.value))
        self.group = gui.add_dropdown("numbers", tuple(GROUPS))
        self.group.on_update(lambda _: self._fill())
        self.folder = gui.add_folder("values")
        self.change_list = gui.add_markdown("")
        self.sliders: dict[str, Any] = {}
        self._fill()

    def _names(self) -> list[str]:
        return [name for name in self.studio.design.numbers if GROUPS[self.group.value](name)]

    def _fill(self) -> None:
        """Sliders of the chosen group in place of those of the last one."""
        for slider in self.sliders.values():
            slider.remove()
        self.sliders.clear()
        design = self.studio.design
        with self.folder:
            for name in self._names():
                number = design.numbers[name]
                low, high = span(float(number.value), number.unit)
                low = max(low, number.least)
                value = design.value(name)
                slider = self.studio.server.gui.add_slider(
                    f"{name.partition('.')[2] or name} [{number.unit}]", min=min(low, value), max=max(high, value),
                    step=(high - low) / 1000, initial_value=value,
                )  # fmt: skip
                slider.on_update(lambda _, name=name: self._slid(name))
                self.sliders[name] = slider

    def _slid(self, name: str) -> None:
        if self._setting or name not in self.sliders:
            return
        try:
            self.studio.set_design(self.studio.design.with_value(name, float(self.sliders[name].value)))
        except ArmError as fault:
            self.change_list.content = plain(fault)

    def _drives(self) -> None:
        if not self._setting:
            self.studio.set_design(self.studio.design.with_drives(bool(self.drives.value)))
            self._fill()

    def _button(self, label: str) -> None:
        studio = self.studio
        if label == "undo":
            studio.undo()
        elif label == "redo":
            studio.redo()
        elif label == "as opened":
            studio.set_design(replace(studio.design, changes={}))
        else:
            studio.keep()
        self.show(studio.design)

    def show(self, design: Design) -> None:
        """Set sliders and words to this design."""
        self._setting = True
        try:
            self.drives.value = design.drives
            for name, slider in self.sliders.items():
                if name in design.numbers and abs(slider.value - design.value(name)) > 1e-12:
                    slider.value = design.value(name)
        finally:
            self._setting = False
        lines = design.change_lines()
        self.change_list.content = "".join(f"- {plain(line)}\n" for line in lines) if lines else "as it was opened"
