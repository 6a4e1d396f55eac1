"""The circuit of a d-c motor over any field (Freeman 1985, eqs 2-228, 2-229): numbers, arrays, or nodes of a graph.

    L di/dt + R i + C_E s = V,    T = C_M i

with the speed s of the shaft. Limits of voltage and current are cut before.
"""

from __future__ import annotations

from typing import TypeVar

Number = TypeVar("Number")
"""What has + - * and /."""


def back_emf(speed_constant: Number, speed: Number) -> Number:
    """C_E s (V)."""
    return speed_constant * speed  # type: ignore[operator]


def current_rate(voltage: Number, current: Number, emf: Number, resistance: Number, inductance: Number) -> Number:
    """di/dt (A/s)."""
    return (voltage - resistance * current - emf) / inductance  # type: ignore[operator]


def steady_current(voltage: Number, emf: Number, resistance: Number) -> Number:
    """i (A) of a motor whose inductance is left out."""
    return (voltage - emf) / resistance  # type: ignore[operator]


def motor_torque(torque_constant: Number, current: Number) -> Number:
    """C_M i (N m)."""
    return torque_constant * current  # type: ignore[operator]
