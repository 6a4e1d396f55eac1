"""From one mode to the next: who sticks, who slides which way, who leans on a stop or leaves it, after an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .impacts import after_impact
from .loads import LoadChange, velocity_after
from .modes import Mechanics, Modes
from .watches import Watch

if TYPE_CHECKING:
    from .simulate import Simulation


def settle(run: Simulation, before: Modes | None, standing: set[int], leaning: dict[int, int]) -> Modes:
    """The mode from here on (see ``Mechanics.settle``); what changed is recorded as events."""
    torque = run.torque(run.t, run.q, run.qd, run.extra)
    modes, run.qd = run.mechanics.settle(run.q, run.qd, torque, standing, leaning)
    if before is not None and modes != before:
        for contact, was, now in zip(run.mechanics.contacts, before.sliding, modes.sliding, strict=True):
            if was != now:
                run.note("sticks" if not now else "slips" if not was else "reverses", contact.name)
        for name, was, now in zip(run.plant.joint_names, before.stopped, modes.stopped, strict=True):
            if was and not now:
                run.note("leaves stop", name)
    return modes


def resume(run: Simulation, before: Modes | None = None) -> Modes:
    """The mode of the present state: what stands may stick, a joint at its stop may lean on it."""
    leaning = {j: side for j, side in run.touched(run.q).items() if side * run.qd[j] >= -run.rest_speed(run.qd)}
    hitting = {j: side for j, side in leaning.items() if side * run.qd[j] > run.rest_speed(run.qd)}
    if hitting:
        return hit(run, before, hitting)
    return settle(run, before, run.standing(), leaning)


def next_modes(run: Simulation, modes: Modes, event: Watch) -> Modes:
    """The modes after an event."""
    run.changed.append(run.t)
    standing = modes.standing | run.standing()
    if event.kind == "rest":
        return settle(run, modes, standing | {event.index}, modes.leaning)
    if event.kind == "release":
        return settle(run, modes, standing, modes.leaning)
    return hit(run, modes, {event.index: -1 if event.kind == "lower" else 1})


def hit(run: Simulation, modes: Modes | None, sides: dict[int, int]) -> Modes:
    """Joints meet their stops: impulses there, and at all others that are touched (``impacts.py``)."""
    for joint, side in sides.items():
        run.q[joint] = run.lower[joint] if side < 0 else run.upper[joint]
    touched = run.touched(run.q) | sides
    before = float(run.plant.kinetic_energy(run.q, run.qd))
    run.qd = after_impact(run.plant.mass_matrix(run.q), run.qd, touched, run.settings.restitution)
    lost = before - float(run.plant.kinetic_energy(run.q, run.qd))
    for k, joint in enumerate(sides):
        run.note("stop", run.plant.joint_names[joint], lost if k == 0 else 0.0)
    # the impulse moves what stood: friction is bounded and cannot carry it
    leaning = {j: side for j, side in touched.items() if abs(run.qd[j]) <= run.rest_speed(run.qd)}
    if modes is not None:
        leaving = [j for j, s in enumerate(modes.stopped) if s and j not in leaning]
        modes = Modes(modes.sliding, tuple(0 if j in leaving else s for j, s in enumerate(modes.stopped)))
        for joint in leaving:
            run.note("leaves stop", run.plant.joint_names[joint])
    return settle(run, modes, run.standing(), leaning)


def change_load(run: Simulation, change: LoadChange) -> Modes:
    """Grip or release a load (Szkodny 1995, eqs 16a-c); the jump in energy is recorded as an event."""
    old = run.plant
    before = float(old.kinetic_energy(run.q, run.qd) + old.potential_energy(run.q))
    new = old.holding(change.load)
    picked = change.load is not None
    run.qd = velocity_after(change, old.mass_matrix(run.q), new.mass_matrix(run.q), run.qd, picked)
    run.plant = new
    run.mechanics = Mechanics(new, run.lower, run.upper)
    run.record.plant_changes(new)
    lost = before - float(new.kinetic_energy(run.q, run.qd) + new.potential_energy(run.q))
    run.note("load", "hand", lost)
    return resume(run)
