"""Integration of a smooth motion: scipy's solvers, step by step, a stiff one where the motion turns out to be stiff.

An explicit method that keeps its tolerance with steps near the edge of its region of stability meets a stiff problem.
Hairer and Wanner 1996, section IV.2, see that from two stages at the same instant: with rho = |f - f'| / |x - x'| of
the end of a step and of its last stage, h rho reaches the edge (6.1 for DOP853) in step after step.

A trial stage is not judged: where it leaves the numbers the rates are not finite, and the solver takes a shorter step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import BDF, DOP853, LSODA, RK23, RK45, Radau

Array = NDArray[np.float64]
Rates = Callable[[float, Array], Array]

SOLVERS: dict[str, Any] = {
    "auto": DOP853, "DOP853": DOP853, "RK45": RK45, "RK23": RK23, "LSODA": LSODA, "Radau": Radau, "BDF": BDF,
}  # fmt: skip
EDGE = 6.1
"""h rho at the edge of stability of DOP853 (Hairer and Wanner 1996, IV.2)."""
STIFF_STEPS, EASY_STEPS = 15, 6
"""Steps at the edge that make a problem stiff, and steps off it that take the suspicion back."""


class Stiffness:
    """Whether a motion has turned out to be stiff; it is asked of every step of DOP853, over all modes of a run."""

    def __init__(self) -> None:
        self.is_stiff = False
        self._at_edge = self._easy = 0

    def watch(self, solver: Any) -> bool:
        """Judge the last step; True from where the motion counts as stiff."""
        h, stages = solver.t - solver.t_old, solver.n_stages
        last_stage = solver.y_old + h * (solver.A[stages - 1, : stages - 1] @ solver.K[: stages - 1])
        distance = np.linalg.norm(solver.y - last_stage)
        reach = h * np.linalg.norm(solver.K[stages] - solver.K[stages - 1]) / distance if distance > 0 else 0.0
        if reach > EDGE:
            self._at_edge, self._easy = self._at_edge + 1, 0
        else:
            self._easy += 1
            if self._easy >= EASY_STEPS:
                self._at_edge = 0
        self.is_stiff = self.is_stiff or self._at_edge >= STIFF_STEPS
        return self.is_stiff


def solver_for(
    method: str, stiff: bool, rates: Rates, t: float, x: Array, end: float, rtol: float, atol: float, max_step: float,
    first_step: float | None,
) -> Any:  # fmt: skip
    """The solver of this name at (t, x)."""
    kind = Radau if method == "auto" and stiff else SOLVERS[method]
    opening_step = min(first_step, end - t, max_step) if first_step is not None else None
    with np.errstate(all="ignore"):
        return kind(rates, t, x, end, rtol=rtol, atol=atol, max_step=max_step, first_step=opening_step)
