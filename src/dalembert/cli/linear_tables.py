"""The linear model about a state on the command line: what accelerations do per deviation, and its poles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .printing import Column, figures, figures_or_dashes, heading, paragraph, table, unit

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.linear.linear_model import LinearModel

NO_POLE = 1e-6
"""Share of the largest pole below which one has no damping ratio: a double pole at zero comes out as its square root
of rounding."""


def linear_model(system: System, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> LinearModel:
    """x' = A x + B u about the state and what it takes there; u at the joints, or at the motors where drives count."""
    return system.linearize(q, qd, system.inverse_dynamics(q, qd, qdd))


def print_linear(system: System, model: LinearModel) -> None:
    """The rows of A and B that are not d q/dt = qd, with their units, and the poles."""
    n = system.n
    rows = [f"{joint.name} [{unit(joint, 'acceleration')}]" for joint in system.moving]
    parts = (
        ("position", model.A[n:, :n], model.states[:n]),
        ("speed", model.A[n:, n:], model.states[n:]),
        ("input", model.B[n:], model.inputs),
    )
    for what, matrix, signals in parts:
        scale = float(np.abs(matrix).max(initial=0.0))
        heading(f"Linear model: accelerations per {what}")
        columns: list[Column] = [
            (f"{signal.name}\n[{signal.unit}]", figures(matrix[:, k], scale)) for k, signal in enumerate(signals)
        ]
        table([("acceleration", rows), *columns])
    poles = model.poles
    largest = float(np.abs(poles).max(initial=0.0))
    size = [abs(pole) if abs(pole) > NO_POLE * largest else None for pole in poles]
    heading("Poles with the inputs held")
    table([
        ("pole", [str(k + 1) for k in range(len(poles))]),
        ("real\n[1/s]", figures(poles.real, largest)), ("imaginary\n[rad/s]", figures(poles.imag, largest)),
        ("natural frequency\n[rad/s]", figures(np.abs(poles), largest)),
        ("damping\nratio", figures_or_dashes([None if s is None else -p.real / s
                                              for p, s in zip(poles, size, strict=True)])),
    ])  # fmt: skip
    friction = " Coulomb friction has no slope and is left out." if system.counts_drives and system.has_friction else ""
    paragraph(f"Deviations from the state above, under what it takes there.{friction}")


def linear_data(model: LinearModel) -> dict[str, Any]:
    """The model in full."""
    return {
        "A": model.A.tolist(),
        "B": model.B.tolist(),
        "states": [signal.name for signal in model.states],
        "inputs": [signal.name for signal in model.inputs],
        "units": model.units,
        "poles": [[float(pole.real), float(pole.imag)] for pole in model.poles],
    }
