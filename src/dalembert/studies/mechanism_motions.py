"""Designs of a mechanism along a motion: by kernels where their joints can be followed from the present design.

Where they cannot, each design is built anew, as a mechanism of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..mechanisms.mechanism_system import MechanismSystem
from .design_numbers import with_numbers
from .mechanism_designs import FUNCTIONS, MechanismDesigns

Array = NDArray[np.float64]


class MechanismMotions:
    """Functions of the designs of a mechanism with other values of its ``numbers``."""

    def __init__(self, system: MechanismSystem, numbers: Sequence[str]) -> None:
        self.system, self.designs = system, MechanismDesigns(system, numbers)
        self._last = threading.local()  # threads share the kernels, not the designs that each of them is at

    def along(self, name: str, values: Array, states: Sequence[Array]) -> Array:
        """A function of q ``(moments, n)``, qd and qdd ``([designs,] moments, n)``: ``(designs, moments, ...)``.

        Where one of several designs has to be built anew, which may fail, it is refused: ask each alone then.
        """
        # Shafts with Coulomb friction that loops hold still are told apart where a mechanism is built.
        if name in FUNCTIONS and not self.system.mechanism.contacts:
            phi, reached = self._followed(values, states[0])
            if reached.all():
                return self.designs.at(name, phi, values[:, None, :], states)[0]
        if len(values) > 1:
            raise ArmError(f"{self.system.name}: some of these designs are built anew, one by one")
        return np.asarray(self.each(name, values, [state if state.ndim == 3 else state[None] for state in states]))

    def _followed(self, values: Array, q: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Joints of the designs along the motion; kept for the functions that share them."""
        if getattr(self._last, "values", None) is not values:
            self._last.joints, self._last.values = self.designs.followed(values, q), values
        phi, reached = self._last.joints
        return phi, reached

    def each(self, name: str, values: Array, states: Sequence[Array]) -> Any:
        """A method of the designs, built one by one, at states ``(designs or 1, ...)``."""
        answers = []
        for k, value in enumerate(values):
            own_states = [state[k] if len(state) == len(values) else state[0] for state in states]
            answer = getattr(self._built(value), name)(*own_states)
            answers.append(answer if isinstance(answer, tuple) else (answer,))
        tables = tuple(np.stack(results) for results in zip(*answers, strict=True))
        return tables if len(tables) > 1 else tables[0]

    def _built(self, value: Array) -> MechanismSystem:
        """The design with these values; kept for the next question, which is often about the same."""
        last: Array | None = getattr(self._last, "value", None)
        if last is None or not np.array_equal(last, value):
            numbers = dict(zip(self.designs.numbers, value.tolist(), strict=True))
            self._last.design, self._last.value = with_numbers(self.system, numbers), value.copy()
        design: MechanismSystem = self._last.design
        return design
