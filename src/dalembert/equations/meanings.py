"""What each symbol of the equations means, and its unit."""

from __future__ import annotations

import re

from ..arm.description import ArmDescription
from ..arm.placement import Placement
from .symbols import Symbol

FIRST = {"m": ("mass of {body}", "kg")}
FIRST |= {f"m{axis}": (f"first moment of {{body}} along {axis} of its frame", "kg m") for axis in "xyz"}
FIRST |= {axis: (f"mass centre of {{body}}, {axis} in its frame", "m") for axis in "xyz"}
GRAVITY = "m/s²"
RATES = {"speed": 1, "acceleration": 2}
"""The joint motion that a kind of symbol is: the order of its derivative."""


def meaning(arm: ArmDescription, symbol: Symbol) -> tuple[str, str]:
    """What a symbol means, and its unit."""
    if symbol.kind in ("inertial", "load"):
        return inertial(symbol.name, body_name(arm, symbol.link))
    if symbol.kind == "length":
        return length(arm, symbol.name), "m"
    if symbol.kind == "gravity":
        return gravity(arm, symbol.name), GRAVITY
    if symbol.kind in RATES:
        joint = int(symbol.name.lstrip("qd")) - 1
        return f"{symbol.kind} of {arm.joint_names[joint]}", joint_unit(arm, joint, RATES[symbol.kind])
    return "constant", ""


def body_name(arm: ArmDescription, link: int | str | None) -> str:
    """The name of body ``link``, counted from 1, with what is fixed to it; the load for "L"."""
    if not isinstance(link, int):
        return "the load"
    child = arm.bodies[link - 1].joint.child
    fixed = sum(body == link - 1 for body, _ in arm.body_of.values()) > 1
    return f"{child} and what is fixed to it" if fixed else child


def inertial(name: str, body: str) -> tuple[str, str]:
    """The meaning of a parameter of a body's inertia (``symbols.py`` lists the parametrisations)."""
    if match := re.fullmatch(r"kk(?:\d+|L)([123])([123])\*?", name):
        return f"squared radius of gyration {match[1]}{match[2]} of {body} about its frame", "m²"
    stem = name.rstrip("0123456789L*")
    if stem in FIRST:
        description, unit = FIRST[stem]
        return description.format(body=body), unit
    about = "about its frame" if stem[0] == "I" else "about its mass centre"
    first, second = stem[1], stem[2]
    if first == second:
        return f"moment of inertia of {body} {about}, axis {first}", "kg m²"
    return f"entry {first}{second} of the inertia tensor of {body} {about}", "kg m²"


def length(arm: ArmDescription, name: str) -> str:
    """Between which frames a length stands."""
    for body in arm.bodies:
        start = f"the frame of {arm.bodies[body.parent].joint.child}" if body.parent >= 0 else "the base"
        for placement, path in (
            (body.before, f"from {start} to {body.joint.name}"),
            (body.after, f"from {body.joint.name} to the frame of {body.joint.child}"),
        ):
            axis = axis_of(placement, name)
            if axis:
                return f"distance along {axis} {path}"
    return f"distance along {axis_of(arm.tool, name)} from the frame of {arm.tool_link} to the tool"


def axis_of(placement: Placement, name: str) -> str:
    """The axis of the step of this name; empty where there is none."""
    return next(("xyz"[step.axis] for step in placement.steps if step.name.removeprefix("-") == name), "")


def gravity(arm: ArmDescription, name: str) -> str:
    """The direction of gravity."""
    if name != "g":
        return f"gravity along {name[1]} of the base"
    axis = next(i for i, value in enumerate(arm.gravity) if value)
    return f"gravity, along {'-' if arm.gravity[axis] < 0 else ''}{'xyz'[axis]} of the base"


def joint_unit(arm: ArmDescription, joint: int, order: int = 0) -> str:
    """The unit of a joint's position, or of its derivative of this order."""
    unit = "m" if arm.moving[joint].kind == "prismatic" else "rad"
    return unit + ("", "/s", "/s²")[order]
