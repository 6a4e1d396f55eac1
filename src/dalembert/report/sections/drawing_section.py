"""The arm itself, to turn and to move."""

from __future__ import annotations

from collections.abc import Sequence

from ...arm.description import ArmDescription
from ...markup.numbers import formatted, joint_label
from .. import arm3d
from ..arm_script import arm_script
from ..section import Section, paragraph


def section(arm: ArmDescription, loaded: ArmDescription | None = None, pose: Sequence[float] | None = None) -> Section:
    """The 3D drawing with sliders for the joints, without and with load, initially in ``pose``."""
    scene = arm3d.scene(arm, loaded, pose)
    mass = sum(body["mass"] for body in scene["bodies"])
    heaviest = max(range(len(arm.bodies)), key=lambda i: scene["bodies"][i]["mass"])
    mover = arm.couplings[heaviest].coordinate
    share = scene["bodies"][heaviest]["mass"] / mass if mass else 0.0
    beside = " beside the load" if loaded is not None else ""
    meaning = (
        f"{arm.n} joints move {formatted(mass, 3)} kg{beside}; the heaviest body, moved by "
        f"{joint_label(mover, arm.joint_names[mover])}, is {formatted(100 * share, 2)} percent of it."
    )
    how = paragraph(
        "Drag to turn, click and use the wheel (or + and −) to zoom. Cylinders are revolute joints and boxes are "
        "the seats of "
        "prismatic ones; quartered discs are mass centres, sized by mass. Bars join the frames of the description; "
        "they are "
        "not the shape of the links. Where a joint has no limits its slider spans a full turn or a metre either way.",
        kind="note",
    )
    return Section("arm", "The arm", meaning, (arm3d.drawing(arm, loaded, pose), how), arm_script(arm, loaded))
