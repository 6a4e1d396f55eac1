"""Figures 4 to 11 of Bejczy 1974, section VII: which ratio each shows, along which joint, for which settings.

The ratios are those of eqs 104 to 107 and 133 to 140, drawn from the exact closed form in place of the simplified
state equations. The text names the settings of Figures 4 to 7, 9 and 11, and one of three in Figure 8 (r3 = 96.5 cm);
the other two of Figure 8 are the ends of those in Figure 4, and Figure 10 is drawn for 90 and 45 degrees.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..arm.description import ArmDescription
from ..arm.inertia import Inertia, Load
from ..reduction.states import states_of
from ..systems.arm_system import ArmSystem
from .certified_ranges import CertifiedRanges
from .importance import Curve, ratio_curves

CUBE = Load.of(Inertia.box("1.8", ("0.0762", "0.0762", "0.0762")))
"""The load of section VII: a cube of 1.8 kg and 442 cubic centimetres, its centre in the origin of the hand frame."""


@dataclass(frozen=True)
class Setting:
    """One curve: its name, where the joints stand that do not move (others at zero), whether drives count in D.

    The report counts each drive as an inertia at its own joint: the model "diagonal" of the drives.
    """

    label: str
    joints: Mapping[str | int, float]
    drives: bool = True


@dataclass(frozen=True)
class RatioFigure:
    """One figure: ``symbol`` = |top / bottom| over theta2, a curve for each setting.

    ``factor`` takes SI units to the ``unit`` of the print; ``held`` says that the cube is in the hand.
    """

    number: int
    symbol: str
    top: str
    bottom: str
    title: str
    settings: tuple[Setting, ...]
    unit: str = ""
    factor: float = 1.0
    held: bool = False


OUT = Setting("r₃ = 111.8 cm", {"joint3": 1.1176})
BOOM = (OUT, Setting("r₃ = 81.3 cm", {"joint3": 0.8128}), Setting("r₃ = 50.8 cm", {"joint3": 0.508}))
TURNED, HALF = Setting("θ₅ = 90 deg", {"joint5": math.pi / 2}), Setting("θ₅ = 45 deg", {"joint5": math.pi / 4})

FIGURES = (
    RatioFigure(4, "R₁", "D12", "D11", "Coupling of joints 1 and 2 as seen at joint 1", BOOM),
    RatioFigure(5, "R₂", "D13", "D11", "Coupling of joints 1 and 3 as seen at joint 1", BOOM, "1/cm", 0.01),
    RatioFigure(6, "R₃", "D12", "D22", "Coupling of joints 1 and 2 as seen at joint 2", BOOM),
    RatioFigure(
        7, "R₄", "D13", "D33", "Coupling of joints 1 and 3 as seen at joint 3", (Setting("every r₃", {}),), "cm", 100.0
    ),
    RatioFigure(
        8, "K₁", "G2", "D22", "Gravity versus inertia torque at joint 2",
        (OUT, Setting("r₃ = 96.5 cm", {"joint3": 0.9652}), BOOM[2]), "rad/s²", held=True,
    ),
    RatioFigure(
        9, "K₂", "G3", "D33", "Gravity versus inertia force at joint 3",
        (Setting("links and load alone, as printed", {}, False), Setting("with the input inertia of the drive", {})),
        "cm/s²", 100.0, held=True,
    ),
    RatioFigure(
        10, "K₃", "G4", "D44", "Gravity versus inertia torque at joint 4",
        (TURNED, HALF), "rad/s²", held=True,
    ),
    RatioFigure(
        11, "K₄", "G5", "D55", "Gravity versus inertia torque at joint 5", (TURNED,), "rad/s²",
        held=True,
    ),
)  # fmt: skip


def belongs(arm: ArmDescription) -> bool:
    """Whether the figures are about this arm: the manipulator of the source, by its name and its joints."""
    return arm.name == "jpl-rrp" and arm.joint_names == tuple(f"joint{k}" for k in range(1, 7))


def curve(arm: ArmSystem, figure: RatioFigure, points: int = 181) -> Curve:
    """The curves of one figure in SI units, theta2 from 0 (boom upright) to 180 degrees."""
    carrying = arm.holding(CUBE if figure.held else None)
    systems = {drives: carrying.counting_drives("diagonal" if drives else "none") for drives in (True, False)}
    parts = []
    for setting in figure.settings:
        system = systems[setting.drives]
        ranges = CertifiedRanges(system, states_of(system, {"joint2": (0.0, math.pi)}))
        parts.append(ratio_curves(ranges, figure.top, figure.bottom, "joint2", [setting.joints], points=points))
    labels = tuple(setting.label for setting in figure.settings)
    return Curve(parts[0].name, parts[0].joint, parts[0].x, labels, np.concatenate([part.values for part in parts]))
