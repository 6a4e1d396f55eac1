"""Numbers that follow the arm: torques by cause, what each drive has left, inertia and coupling; as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..api.questions import SystemQuestions
from ..arm.system_phrase import system_phrase
from ..markup.elements import Html, join, tag
from ..markup.numbers import formatted, unit
from ..systems.protocol import System

Array = NDArray[np.float64]
CAUSES = (
    ("inertia", "#0072b2"), ("centrifugal", "#56b4e9"), ("coriolis", "#009e73"), ("gravity", "#e69f00"),
    ("friction", "#d55e00"), ("elastic", "#cc79a7"),
)  # fmt: skip
"""What a torque comes from, and its colour."""
ROUNDING = 1e-12
"""Share of the largest torque below which one is shown as zero."""
CELL = "padding:1px 6px;text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap"


def torque_bars(system: SystemQuestions, q: Array, qd: Array, qdd: Array) -> Html:
    """The torque of each joint by what causes it, as bars, and the share of its effort limit that is used."""
    parts = system.parts(q, qd, qdd)
    causes = {name: (np.asarray(getattr(parts, name)), shade) for name, shade in CAUSES}
    bars = effort_bars(system, causes, np.asarray(system.inverse_dynamics(q, qd, qdd)))
    return join([tag("div", system_phrase(system), style="font-size:11px"), bars])


def effort_bars(system: System, causes: Mapping[str, tuple[Array, str]], total: Array) -> Html:
    """Efforts of joints or coordinates by cause, each with its colour, and the share of their limits."""
    total = np.where(np.abs(total) > ROUNDING * np.abs(total).max(initial=0.0), total, 0.0)
    longest = float(np.max([np.abs(part).max(initial=0.0) for part, _ in causes.values()], initial=0.0)) or 1.0
    rows = [
        _effort_row(system, k, [(name, part[k], shade) for name, (part, shade) in causes.items()], total[k], longest)
        for k in range(system.n)
    ]
    legend = join(
        [
            tag("span", tag("span", "■", style=f"color:{shade}"), f" {name} ", style="margin-right:6px")
            for name, (part, shade) in causes.items()
            if np.any(part)
        ]
    )
    head = tag(
        "tr", *(tag("th", text, style="text-align:left") for text in ("joint", "torque by cause", "total", "of limit"))
    )
    return tag(
        "div", tag("table", head, *rows, style="width:100%;font-size:12px"), tag("div", legend, style="font-size:11px")
    )


def _effort_row(system: System, k: int, parts: Sequence[tuple[str, float, str]], total: float, longest: float) -> Html:
    joint = system.moving[k]
    bars = [
        tag(
            "div",
            style=f"height:3px;width:{50 * abs(value) / longest:.2f}%;background:{shade};"
            f"margin-left:{50 - 50 * abs(value) / longest * (value < 0):.2f}%",
            title=f"{name}: {formatted(value)} {unit(joint, 'effort')}",
        )
        for name, value, shade in parts
        if value
    ]
    limit = float(system.effort_limits[k])
    share_text = f"{100 * abs(total) / limit:.0f} %" if np.isfinite(limit) else ""
    exceeded = bool(share_text) and abs(total) > limit
    return tag(
        "tr",
        tag("td", joint.name, style="white-space:nowrap"),
        tag("td", *bars, style="width:45%;border-left:1px solid #ddd"),
        tag("td", f"{formatted(total)} {unit(joint, 'effort')}", style=CELL),
        tag("td", share_text, style=CELL + (";color:#c00;font-weight:bold" if exceeded else "")),
    )


def mass_matrix_map(inertia: Array) -> Html:
    """D as a heat map of the couplings D_ij / sqrt(D_ii D_jj), with the entries in it (kg m^2, kg m, kg)."""
    scale = np.sqrt(np.maximum(np.outer(np.diag(inertia), np.diag(inertia)), 1e-300))
    rows = [
        tag(
            "tr",
            *(
                tag("td", formatted(inertia[i, j], 3), style=f"{CELL};background:{_shade(inertia[i, j] / scale[i, j])}",
                    title=f"D{i + 1}{j + 1}, coupling {inertia[i, j] / scale[i, j]:.3f}")
                for j in range(len(inertia))
            ),
        )
        for i in range(len(inertia))
    ]  # fmt: skip
    caption = tag(
        "caption", "Mass matrix D (SI units), shaded by how strongly joints are coupled", style="font-size:11px"
    )
    table = tag("table", caption, *rows, style="font-size:10px;border-collapse:collapse")
    return tag("div", table, style="overflow-x:auto")


def _shade(value: float) -> str:
    strength = min(abs(float(value)), 1.0)
    hue = "0,114,178" if value >= 0 else "213,94,0"
    return f"rgba({hue},{0.65 * strength:.3f})"


def compared(names: Sequence[str], before: Array, after: Array, units: Sequence[str], title: str) -> Html:
    """Two designs side by side: a figure of each joint, and by how much it changed."""
    rows = [
        tag(
            "tr",
            tag("td", name),
            tag("td", f"{formatted(a)} {u}", style=CELL),
            tag("td", f"{formatted(b)} {u}", style=CELL),
            tag("td", f"{100 * (b / a - 1):+.1f} %" if a else "", style=CELL),
        )
        for name, a, b, u in zip(names, before, after, units, strict=True)
    ]
    head = tag("tr", *(tag("th", text, style="text-align:left") for text in ("joint", "kept", "now", "change")))
    return tag("div", tag("b", title), tag("table", head, *rows, style="font-size:12px;width:100%"))
