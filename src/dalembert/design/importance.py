"""Relative importance of terms: ratios of coefficients, as curves and with certified extremes (Bejczy 1974, VII)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..arm.joint_keys import by_joint, joint_index
from ..bounds.ranges import Range
from ..bounds.waves import Wave, wave_of
from ..equations import names
from ..reduction.coefficient_waves import CoefficientWaves
from .certified_ranges import CertifiedRanges


@dataclass(frozen=True, eq=False)
class Curve:
    """|ratio|, or the ratio itself where ``signed``, along one joint: ``values[c]`` for each setting ``labels[c]``."""

    name: str
    joint: str
    x: NDArray[np.float64]
    labels: tuple[str, ...]
    values: NDArray[np.float64]
    signed: bool = False


@dataclass(frozen=True, eq=False)
class Balance:
    """Gravity against inertia at one joint: K_i = G_i / D_ii, its range, and where the two torques are equal.

    ``acceleration`` is the largest |K_i|: above it inertia outweighs gravity everywhere (rad/s^2 or m/s^2).
    """

    joint: str
    ratio: Range
    acceleration: float


def range_by_name(ranges: CertifiedRanges, expression: str) -> Range:
    """The certified range of a coefficient, a sum of coefficients ("D12+D13") or a ratio ("D12/D11")."""
    single, bottom = names.sides(expression)
    if "/" in expression:
        above, below = combined(ranges.waves, single), combined(ranges.waves, bottom)
        return ranges.ratio(names.ratio(single, bottom), above, below, range_by_name(ranges, bottom))
    if set("+-") & set(single):
        return ranges.range_of_wave(
            single, combined(ranges.waves, single), names.expression_unit(ranges.system, single)
        )
    kind, index = names.parse(single, ranges.n)
    if kind == "G":
        return ranges.gravity(index[0])
    return ranges.range_of_wave(names.name(kind, index), combined(ranges.waves, single))


def combined(waves: CoefficientWaves, expression: str) -> Wave:
    """A coefficient, or a sum and difference of coefficients."""
    text = expression.replace(" ", "").replace("-", "+-")
    parts = [part for part in text.split("+") if part]
    if not parts:
        raise ArmError(f"there is no coefficient in {expression!r}")
    if len(parts) == 1 and not parts[0].startswith("-"):
        return waves.wave(parts[0])
    for part in parts:
        names.parse(part.lstrip("-"), waves.n)  # coefficients alone, and no torque or energy
    # exact numbers are added, not floats: what cancels is gone, and what is left has all its digits
    exact = waves.equations
    added = [-exact[part[1:]] if part.startswith("-") else exact[part] for part in parts]
    return wave_of(sum(added[1:], start=added[0]))


def ratio_curves(
    ranges: CertifiedRanges, top: str, bottom: str, along: str | int,
    settings: Sequence[Mapping[str | int, float]] = (), *, points: int = 181, signed: bool = False,
) -> Curve:  # fmt: skip
    """|top / bottom| along one joint, the others at zero or at the positions of each setting (Figures 4 to 11).

    ``signed`` keeps the sign, with which the ratios enter the sums of Bejczy 1974, eqs 112 to 118: at joint 1,
    D_11 (qdd_1 + R_1 qdd_2 + R_2 qdd_3) with R_1 = D_12/D_11, R_2 = D_13/D_11.
    """
    arm, box = ranges.system, ranges.box
    joint = joint_index(arm, along)
    x = np.linspace(box.lower[joint], box.upper[joint], points)
    above, below = combined(ranges.waves, top), combined(ranges.waves, bottom)
    rows, labels = [], []
    for setting in settings or [{}]:
        q = np.zeros((points, arm.n))
        held = by_joint(arm, setting)
        if joint in held:
            raise ArmError(
                f"{arm.where}joint {arm.joint_names[joint]!r} is the one that moves; leave it out of settings"
            )
        for index, value in held.items():
            q[:, index] = value
        q[:, joint] = x
        with np.errstate(divide="ignore", invalid="ignore"):  # where the denominator is zero there is no ratio
            ratio = above(q) / below(q)
        rows.append(ratio if signed else np.abs(ratio))
        labels.append(", ".join(f"{arm.joint_names[k]} = {v:g}" for k, v in held.items()))
    return Curve(names.ratio(top, bottom), arm.joint_names[joint], x, tuple(labels), np.array(rows), signed)


def balances(ranges: CertifiedRanges) -> tuple[Balance, ...]:
    """Gravity against inertia at every joint that gravity loads."""
    waves = ranges.waves
    balances_ = []
    for i, name in enumerate(ranges.system.joint_names):
        if len(waves.gravity(i)):
            label = f"{names.name('G', (i,))}/{names.name('D', (i, i))}"
            spread = ranges.ratio(label, waves.gravity(i), waves.inertia(i, i))
            balances_.append(Balance(name, spread, spread.largest))
    return tuple(balances_)
