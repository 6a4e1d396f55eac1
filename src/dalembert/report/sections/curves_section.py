"""How inertia and gravity load vary with the pose, as curves (Bejczy 1974, Figure 3)."""

from __future__ import annotations

from ...equations.closed_form import Equations
from ...markup.elements import tag
from ...markup.numbers import drives_phrase, formatted, joint_label, listed, unit
from ..charts.figures import Figure
from ..section import Section
from ..sweeps import Sweep, chart


def section(equations: Equations) -> Section:
    """``equations`` with numbers for parameters."""
    arm = equations.arm
    system = drives_phrase(arm.counts_drives, bool(arm.loads))
    figures: list[Figure] = []
    spreads: dict[str, float] = {}
    for i, joint in enumerate(arm.moving):
        inertia = equations.mass_matrix[i, i]
        if inertia.joints:
            title = f"Inertia seen at {joint_label(i, joint.name)}, {system}"
            figure, spread = chart(
                arm, Sweep(inertia, inertia.joints, f"D{i + 1}{i + 1}", title, unit(joint, "inertia"))
            )
            figures.append(figure)
            spreads[f"{formatted(spread, 2)} times at joint {i + 1}"] = spread
    for i, joint in enumerate(arm.moving):
        load = equations.gravity[i]
        if load.joints:
            title = f"Gravity load of {joint_label(i, joint.name)}"
            figures.append(chart(arm, Sweep(load, load.joints, f"G{i + 1}", title, unit(joint, "effort")))[0])
    largest = sorted(spreads, key=lambda name: -spreads[name])[:3]
    meaning = (
        f"Along these curves the inertia ({system}) changes by up to {listed(largest)}; "
        "a controller with fixed gains sees all of that change"
        + ("." if arm.counts_drives else " except what the rotors of its drives hide.")
        if largest
        else "No joint's inertia depends on the pose, so fixed gains are right everywhere."
    )
    rotors_text = (
        f"with the rotors of the drives{' and the load' if arm.loads else ''}"
        if arm.counts_drives
        else f"of the links {'and the load' if arm.loads else 'alone'}, without rotors and gears"
    )
    note = tag("p", f"Inertia {rotors_text}.", class_="note")
    return Section("curves", "How inertia and gravity load vary", meaning, (note, *figures))
