"""Linear state-space models with named signals and units: dx/dt = A dx + B du, dy = C dx + D du."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from ..arm.errors import ArmError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Signal:
    """One entry of a state, input or output vector."""

    name: str
    unit: str


@dataclass(frozen=True)
class LinearModel:
    """A state-space model of deviations from the operating point ``at``; ``period`` is None in continuous time."""

    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[Signal, ...]
    inputs: tuple[Signal, ...]
    outputs: tuple[Signal, ...]
    name: str = "arm"
    period: float | None = None
    at: dict[str, Array] = field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        time = "continuous" if self.period is None else f"sampled at {self.period:g} s"
        sizes = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"<LinearModel of {self.name!r}: {sizes}, {time}>"

    def _repr_html_(self) -> str:
        from .model_tables import linear_model_html

        return linear_model_html(self)

    @property
    def poles(self) -> NDArray[np.complex128]:
        """Eigenvalues of A, by real part, then imaginary part."""
        return np.sort_complex(np.asarray(np.linalg.eigvals(self.A), dtype=np.complex128))

    @property
    def units(self) -> dict[str, str]:
        """Unit of each signal by name."""
        return {signal.name: signal.unit for signal in (*self.states, *self.inputs, *self.outputs)}

    @property
    def controllability_matrix(self) -> Array:
        """The controllability matrix [B, A B, A^2 B, ...] (Kailath 1980)."""
        blocks = [self.B]
        for _ in range(len(self.A) - 1):
            blocks.append(self.A @ blocks[-1])
        return np.hstack(blocks)

    @property
    def is_controllable(self) -> bool:
        """The Popov-Belevitch-Hautus test: rank [A - s I, B] is full at every pole s (Kailath 1980)."""
        n = len(self.A)
        size = np.linalg.norm(self.A, 2) + np.linalg.norm(self.B, 2)
        for pole in self.poles:
            pencil = np.hstack([self.A - pole * np.eye(n), self.B.astype(complex)])
            if np.linalg.svd(pencil, compute_uv=False)[-1] < 1e-12 * size * n:
                return False
        return True

    def sampled(self, period: float) -> LinearModel:
        """The exact sampled model with zero-order hold, ``period`` in s: exp([[A, B], [0, 0]] period).

        The block exponential holds both matrices of the sampled model (Van Loan 1978).
        """
        if not period > 0:
            raise ArmError(f"the sampling period is {period:g} s; give a time above zero")
        n, m = self.B.shape
        exponential = expm(np.block([[self.A, self.B], [np.zeros((m, n + m))]]) * period)
        return replace(self, A=exponential[:n, :n], B=exponential[:n, n:], period=period)

    def with_outputs(self, matrix: Array, outputs: tuple[Signal, ...]) -> LinearModel:
        """The same model with other outputs y = matrix x."""
        output_matrix = np.asarray(matrix, float)
        if output_matrix.shape != (len(outputs), len(self.A)):
            raise ArmError(f"{len(outputs)} outputs of {len(self.A)} states take a matrix of as many rows and columns")
        return replace(self, C=output_matrix, D=np.zeros((len(outputs), self.B.shape[1])), outputs=outputs)

    def state_space(self) -> Any:
        """As ``control.StateSpace`` of python-control, its signals named; dots in names become underscores."""
        try:
            import control  # type: ignore[import-untyped,import-not-found,unused-ignore]
        except ImportError:
            raise ArmError("python-control is not installed; install dalembert[control]") from None
        signals = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs}
        # A dot separates systems from signals there.
        names = {role: [signal.name.replace(".", "_") for signal in group] for role, group in signals.items()}
        return control.ss(self.A, self.B, self.C, self.D, self.period or 0, name=self.name, **names)

    def response(self, times: Array, start: Array) -> Array:
        """States (times, n) of the free continuous-time response to the initial deviation ``start``."""
        return np.array([expm(self.A * t) @ start for t in np.asarray(times)])
