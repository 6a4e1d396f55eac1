"""Figures 4 to 11 of Bejczy 1974 as charts, for the report of his arm and for the documentation."""

from __future__ import annotations

import numpy as np

from ..design.bejczy_figures import FIGURES, RatioFigure, belongs, curve
from ..markup.numbers import formatted
from ..systems.arm_system import ArmSystem
from .charts.figures import ChartAxis, Figure
from .charts.line_chart import LineChart, Series

LOWER = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def charts(arm: ArmSystem) -> list[Figure]:
    """The figures of the source, where the arm is the one it is about."""
    return [chart(arm, figure) for figure in FIGURES] if belongs(arm) else []


def chart(arm: ArmSystem, figure: RatioFigure) -> LineChart:
    """One figure of the source: a ratio of two coefficients over theta_2 (deg), a curve for each setting."""
    curves_ = curve(arm, figure)
    values = figure.factor * curves_.values
    best = values.max(axis=1)
    peaks = [
        f"{formatted(float(top), 3)} at {formatted(float(np.degrees(curves_.x[row.argmax()])), 3)} deg"
        for top, row in zip(best, values, strict=True)
    ]
    hand = "the 1.8 kg cube in the hand" if figure.held else "the hand empty, the wrist in line with the boom"
    most = "Largest, curve by curve" if len(peaks) > 1 else "Largest"
    setting = f" ({figure.settings[0].label})" if len(figure.settings) == 1 else ""
    return LineChart(
        f"bejczy-{figure.number}",
        f"Bejczy 1974, Figure {figure.number}: {figure.title}",
        f"{figure.symbol}{setting}, {hand}; drawn from the exact equations. {most}: {', '.join(peaks)}.",
        x_axis=ChartAxis("θ₂", "deg"),
        y_axis=ChartAxis(f"{figure.symbol} = |{lower(figure.top)} / {lower(figure.bottom)}|", figure.unit),
        x=tuple(float(x) for x in np.degrees(curves_.x)),
        series=tuple(
            Series(label, tuple(float(y) for y in row)) for label, row in zip(curves_.labels, values, strict=True)
        ),
        from_zero=True,
    )


def lower(name: str) -> str:
    """D12 with its indices lowered."""
    return name.translate(LOWER)
