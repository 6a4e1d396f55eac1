"""A mechanism in the page: skeleton, sliders of its coordinates, and its own functions in JavaScript.

The page closes the loops by itself, by the same steps of Newton as the kernels, so that every coordinate can be moved
without a server. Only numbers of the mechanism reach the script; names are data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compile.emit_javascript import javascript
from ..markup.elements import Html, data, tag
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.mechanism_functions import mechanism_function
from ..mechanisms.skeleton import Skeleton
from .html.page import asset
from .mechanism_picture import view_of

Array = NDArray[Any]
MOST_FRAMES = 150
"""Of a motion that is played."""


@dataclass(frozen=True)
class MotionOnPage:
    """A motion on the page: times (s), coordinates and their rates and accelerations ``(t, n)``, joints ``(t, m)``."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    phi: Array


def coordinate_units(mechanism: Mechanism) -> tuple[tuple[str, float, str], ...]:
    """For each coordinate: the unit on the page, what a value is multiplied by to have it, the unit of its load."""
    system = mechanism.as_system()
    return tuple(("deg", 180 / np.pi, "N m") if c.kind == "revolute" else ("m", 1.0, "N") for c in system.moving)


def mechanism_script(mechanism: Mechanism) -> str:
    """The code of the drawing."""
    assembly = mechanism.assembly
    functions = [
        Skeleton(mechanism).function(),
        *(mechanism_function(assembly, name) for name in ("newton_step", "inverse_dynamics")),
    ]
    code = "".join(javascript(function) for function in functions)
    call = "drawMechanism(skeleton, newton_step, inverse_dynamics);"
    return f'{asset("mechanism3d.js")}(function () {{\n"use strict";\n{code}{call}\n}})();\n'


def mechanism_drawing(mechanism: Mechanism, phi: Array, motion: MotionOnPage | None) -> Html:
    """Canvas, player, and a row for each coordinate: slider, value, the load that holds it there."""
    units = coordinate_units(mechanism)
    q = mechanism.coordinates_of(phi)
    skeleton = Skeleton(mechanism)
    frames: Any = ((), (), ())
    if motion is not None:
        keep = np.unique(np.linspace(0, len(motion.t) - 1, min(len(motion.t), MOST_FRAMES)).astype(int))
        frames = motion.phi[keep], motion.q[keep], motion.t[keep] - motion.t[0]
    content = {
        "phi": phi.tolist(), "q": q.tolist(), "names": list(mechanism.coordinates), "units": [u for u, _, _ in units],
        "factors": [f for _, f, _ in units], "efforts": [e for _, _, e in units], "bars": skeleton.bars,
        "plates": skeleton.plates, "joints": list(dict.fromkeys(skeleton.joints)),
        "square": mechanism.n + mechanism.r == mechanism.m, "planar": bool(view_of(mechanism)[0, 0] == 1.0),
        **{name: np.asarray(part).tolist() for name, part in zip(("frames", "path", "times"), frames, strict=True)},
    }  # fmt: skip
    system = mechanism.as_system()
    rows = []
    for k, name in enumerate(mechanism.coordinates):
        reach = 0.6 if system.moving[k].kind == "revolute" else 0.15
        low, high = max(system.lower[k], q[k] - reach), min(system.upper[k], q[k] + reach)
        if motion is not None:
            low, high = min(low, float(motion.q[:, k].min())), max(high, float(motion.q[:, k].max()))
        slider = tag(
            "input",
            type="range",
            id=f"mechanism-q{k}",
            min=low,
            max=high,
            step="any",
            value=float(q[k]),
            aria_label=name,
        )
        cells = (name, slider, tag("output", id=f"mechanism-v{k}"), tag("output", id=f"mechanism-l{k}"))
        rows.append(tag("tr", *(tag("td", cell) for cell in cells)))
    head = tag("tr", *(tag("th", text) for text in ("coordinate", "move it", "position", "load that holds it")))
    player = tag("p", tag("button", "play", type="button", id="mechanism-play"), " the motion of this page")
    return tag(
        "div",
        data(content, "mechanism-data"),
        tag("canvas", id="mechanism-canvas", style="width: 100%; height: 26rem; touch-action: none"),
        player if motion is not None else Html(),
        tag("p", id="mechanism-said", role="status"),
        tag("div", tag("table", tag("thead", head), tag("tbody", *rows)), class_="scroll"),
    )
