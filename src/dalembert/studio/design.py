"""What is designed: an arm with some of its numbers changed, its drives counted or not; and the way back."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..api.arm import Arm
from ..api.questions import SystemQuestions
from ..arm.description_numbers import numbers_of, with_numbers
from ..arm.errors import ArmError
from ..arm.exact import exact
from ..arm.named_number import DescriptionNumber

MOST_STEPS = 200
"""Designs that can be gone back to."""
PAUSE = 1.0
"""Time (s) after which a further move of the same slider is a step of its own."""


@dataclass(frozen=True)
class Design:
    """``arm`` as it was opened, with ``changes``: new values of its numbers, by name (SI units)."""

    arm: Arm
    drives: bool = False
    rotors: str = "exact"
    """How drives count, where they do."""
    changes: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def opened(self) -> SystemQuestions:
        """The arm before any change, with its drives counted where they are."""
        return self.arm.driven.approximate(self.rotors) if self.drives else self.arm

    @cached_property
    def system(self) -> SystemQuestions:
        """The system that is looked at."""
        available = numbers_of(self.opened)
        return with_numbers(
            self.opened, {name: exact(value) for name, value in self.changes.items() if name in available}
        )

    @cached_property
    def numbers(self) -> dict[str, DescriptionNumber]:
        """All numbers that can be changed, as they were opened."""
        return numbers_of(self.opened)

    def value(self, name: str) -> float:
        """The present value of a number."""
        return float(self.changes.get(name, float(self.numbers[name].value)))

    def with_value(self, name: str, value: float) -> Design:
        """This design with another value of one number; one that is as it was opened is no change."""
        if name not in self.numbers:
            raise ArmError(f"{self.arm.name}: there is no number {name!r:.80} to change")
        fault = self.numbers[name].fault(value)
        if fault:
            raise ArmError(f"{self.arm.name}: {fault}")
        others = {key: old for key, old in self.changes.items() if key != name}
        unchanged = value == float(self.numbers[name].value)
        return replace(self, changes=others if unchanged else {**others, name: value})

    def with_drives(self, counted: bool) -> Design:
        """This design with its drives counted, or not."""
        return replace(self, drives=counted)

    def change_lines(self) -> list[str]:
        """Every change in words."""
        return [
            f"{name}: {float(self.numbers[name].value):g} -> {value:g} {self.numbers[name].unit}"
            for name, value in self.changes.items()
            if name in self.numbers
        ]


class History:
    """Designs one after another: the present one, those before it, and those that were taken back.

    Moves of one slider that follow each other within ``PAUSE`` are one step. Designs that are gone back to are worked
    out anew: only their numbers are kept.
    """

    def __init__(self, first: Design, clock: Callable[[], float] = time.monotonic) -> None:
        self.now = first
        self._undo_steps: list[Design] = []
        self._redo_steps: list[Design] = []
        self._clock = clock
        self._last_edit: tuple[frozenset[str], float] | None = None

    def set(self, design: Design) -> bool:
        """Make this the present design; False where it is that already."""
        if design == self.now:
            return False
        names = frozenset(
            name
            for name in {*design.changes, *self.now.changes}
            if design.changes.get(name) != self.now.changes.get(name)
        )
        moment = self._clock()
        going_on = self._last_edit is not None and names == self._last_edit[0] and moment - self._last_edit[1] < PAUSE
        if not going_on:
            self._undo_steps = [*self._undo_steps, replace(self.now)][-MOST_STEPS:]
        self._redo_steps.clear()
        self._last_edit = (names, moment) if names and design.drives == self.now.drives else None
        self.now = design
        return True

    def undo(self) -> bool:
        """Go back to the design before; False where there is none."""
        if not self._undo_steps:
            return False
        self._redo_steps.append(replace(self.now))
        self.now = self._undo_steps.pop()
        self._last_edit = None
        return True

    def redo(self) -> bool:
        """Take the last step back again; False where there is none."""
        if not self._redo_steps:
            return False
        self._undo_steps.append(replace(self.now))
        self.now = self._redo_steps.pop()
        self._last_edit = None
        return True
