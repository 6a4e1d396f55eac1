"""Inputs of a simulation: a constant, or a function of time, positions and velocities; checked at every call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.array_input import real_array, refuse_masked
from ..arm.errors import ArmError

Array = NDArray[np.float64]
Control: TypeAlias = "ArrayLike | Callable[[float, Array, Array], ArrayLike]"


class InputFault(ArmError):
    """The error for an invalid output of a controller."""


class NotFinite(InputFault):
    """A controller that gave a number that is not finite."""


class Input:
    """``control`` as a function that returns one finite number for each of ``names``; zero where nobody drives."""

    def __init__(self, control: Any, names: Sequence[str], passive: Sequence[int] = ()) -> None:
        self.names, self.passive = tuple(names), list(passive)
        self.function: Callable[..., ArrayLike] | None = control if callable(control) else None
        self.sees_currents = bool(getattr(control, "sees_currents", False))
        """Whether the controller is called with the currents of the motors too, (t, q, qd, i)."""
        self.constant = np.empty(0)
        if self.function is None:
            self.constant = self._checked(control, None)

    def __call__(self, t: float, q: Array, qd: Array, extra: Array) -> Array:
        if self.function is None:
            return self.constant
        try:
            # copies, so that a controller that computes in its arguments does not move the arm
            state = (q.copy(), qd.copy(), extra.copy()) if self.sees_currents else (q.copy(), qd.copy())
            values = self.function(t, *state)
        except ArmError:
            raise
        except Exception as fault:
            raise InputFault(
                f"the controller raised {type(fault).__name__} at t = {t:.6g} s: {fault}; mend the controller"
            ) from fault
        return self._checked(values, t)

    def _checked(self, values: Any, t: float | None) -> Array:
        """The values as finite numbers of the right shape."""
        when = f" at t = {t:.6g} s" if t is not None else ""
        who = "the controller gave" if t is not None else "the input is"
        try:
            refuse_masked("it", values)
        except ArmError as fault:
            raise InputFault(f"{who} {values!r:.80}{when}; {fault}") from None
        try:
            numbers = real_array("it", values)
        except ArmError:
            also = "" if t is not None else ", or a function of (t, q, qd) that does; np.zeros(n) lets the arm go"
            raise InputFault(
                f"{who} {values!r:.80}{when}; give one real number for each of {', '.join(self.names)}{also}"
            ) from None
        if numbers.shape != (len(self.names),):
            raise InputFault(
                f"{who} an array of shape {numbers.shape}{when}; give one number for each of {', '.join(self.names)}"
            )
        if not np.isfinite(numbers).all():
            name = self.names[int(np.argmin(np.isfinite(numbers)))]
            raise NotFinite(f"{who} {numbers[~np.isfinite(numbers)][0]} for {name!r}{when}; give finite numbers")
        for index in self.passive:
            if numbers[index]:
                raise InputFault(
                    f"{who} {numbers[index]:.6g} for {self.names[index]!r}{when}, which is passive: nobody drives it; "
                    f"give 0 there, or choose coordinates that are driven with with_coordinates"
                )
        return numbers
