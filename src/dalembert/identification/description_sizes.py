"""What the description of an arm says of its bodies: parameters, and a size to measure deviations in."""

from __future__ import annotations

import numpy as np

from ..systems.arm_system import ArmSystem
from .log import Array


def description_sizes(arm: ArmSystem) -> tuple[Array, list[tuple[float, float]]]:
    """The parameters of the description, and a mass and a length for each body to measure deviations in."""
    prior = np.array(arm.parameters)
    masses = prior[::10]
    usual = float(masses.mean()) or 1.0
    lengths = []
    for body in range(len(arm.bodies)):
        m, moment, tensor = (
            prior[10 * body],
            prior[10 * body + 1 : 10 * body + 4],
            prior[[10 * body + k for k in (4, 7, 9)]],
        )
        radius = np.sqrt(max(tensor.sum() / 2, 0.0) / m) if m > 0 else 0.0
        lengths.append(max(float(radius), float(np.linalg.norm(moment) / m) if m > 0 else 0.0))
    typical = float(np.mean([x for x in lengths if x > 0])) if any(lengths) else 0.2
    return prior, [
        (float(m) if m > 0 else usual, length if length > 0 else typical)
        for m, length in zip(masses, lengths, strict=True)
    ]
