"""Where Coulomb friction acts: motor shafts and joints, as rows c with relative speed c . qd."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arm.shaft_friction import Friction
from ..formulations.friction import ROUNDING
from .sticking import Contact, contact_forces

if TYPE_CHECKING:
    from .arm_system import ArmSystem

Array = NDArray[np.float64]


def contacts(system: ArmSystem) -> tuple[Contact, ...]:
    """One contact a joint whose motor turns with it alone, its own friction added; else one a shaft.

    What follows a coordinate rubs with it: each joint at its own speed A_jc qd_c, all in one contact of the coordinate.
    """
    train, n = system.drives, system.n
    joint_frictions, joint_shafts = _joint_frictions(system)
    varies = train.turns is not None
    rows = system.ratios if not varies else np.full((len(train.actuators), n), np.nan)
    shafts: list[Contact] = []
    merged: set[int] = set()
    for motor, (actuator, row) in enumerate(zip(train.actuators, rows, strict=True)):
        alone = not varies and np.count_nonzero(row) == 1
        friction = actuator.friction
        joint = int(np.argmax(row != 0)) if alone else -1
        on_joint = joint_frictions[joint] if alone and joint not in merged else ()
        if on_joint:
            parts = ((float(row[joint]), friction), *on_joint)
            names = (motor_shaft(actuator.name), *joint_shafts[joint])
            shafts.append(Contact(system.joint_names[joint], np.eye(n)[joint], parts, shafts=names))
            merged.add(joint)
        elif friction.coulomb:
            shafts.append(Contact(actuator.name, row, ((1.0, friction),), motor, (motor_shaft(actuator.name),)))
    for j, name in enumerate(system.joint_names):
        if joint_frictions[j] and j not in merged:
            shafts.append(Contact(name, np.eye(n)[j], joint_frictions[j], shafts=joint_shafts[j]))
    return tuple(shafts)


def motor_shaft(name: str) -> str:
    """How the shaft of a motor is called among all shafts."""
    return f"motor {name}"


def joint_shaft(name: str) -> str:
    """How a joint is called among all shafts."""
    return f"joint {name}"


def _joint_frictions(system: ArmSystem) -> tuple[list[tuple[tuple[float, Friction], ...]], list[tuple[str, ...]]]:
    """For each coordinate the joints with Coulomb friction that go with it: ratios and friction, and their names."""
    frictions: list[tuple[tuple[float, Friction], ...]] = [()] * system.n
    names: list[tuple[str, ...]] = [()] * system.n
    for joint, coupled in zip(system.all_moving, system.couplings, strict=True):
        friction = system.drives.friction_of(joint.name)
        if friction.coulomb:
            frictions[coupled.coordinate] += ((float(coupled.multiplier), friction),)
            names[coupled.coordinate] += (joint_shaft(joint.name),)
    return frictions, names


def contact_rows(system: ArmSystem, q: Array) -> Array:
    """c, ``(..., contacts, n)``."""
    if system.drives.turns is None:
        rows = np.array([contact.row for contact in system.contacts]).reshape(-1, system.n)
        return np.broadcast_to(rows, (*q.shape[:-1], *rows.shape))
    return _rows(system, q, system.transmission(q))


def contact_drift(system: ArmSystem, q: Array, qd: Array) -> Array:
    """dc/dt qd, which is not zero where the transmission varies."""
    if system.drives.turns is None:
        return np.zeros((*q.shape[:-1], len(system.contacts)))
    rates = np.einsum("...ajk,...k->...aj", system.transmission_slopes(q), qd)
    return np.einsum("...cj,...j->...c", _rows(system, q, rates, 0.0), qd)


def _rows(system: ArmSystem, q: Array, motors: Array, joints: float = 1.0) -> Array:
    rows = np.empty((*q.shape[:-1], len(system.contacts), system.n))
    for index, contact in enumerate(system.contacts):
        rows[..., index, :] = motors[..., contact.motor, :] if contact.motor >= 0 else joints * contact.row
    return rows


def contact_speeds(rows: Array, qd: Array) -> Array:
    """c . qd ``(..., contacts)``, zero where it is rounding (``friction.direction_of_sum``)."""
    speeds = np.einsum("...cj,...j->...c", rows, qd)
    several = np.count_nonzero(rows, axis=-1) > 1
    size = np.einsum("...cj,...j->...c", np.abs(rows), np.abs(qd))
    return np.where(several & (np.abs(speeds) <= float(ROUNDING) * size), 0.0, speeds)


def with_stiction(system: ArmSystem, q: Array, qd: Array, qdd: Array, mass_matrix: Callable[[Array], Array]) -> Array:
    """Accelerations of an arm with the friction of standing shafts: ``qdd`` are those without, D ``mass_matrix(q)``."""
    rows, drift = contact_rows(system, q), contact_drift(system, q, qd)
    speeds = contact_speeds(rows, qd)
    return stiction_corrected(system.contacts, rows, drift, speeds, qdd, lambda state: mass_matrix(q[state]))


def stiction_corrected(
    contacts: Sequence[Contact],
    rows: Array,
    drift: Array,
    speeds: Array,
    qdd: Array,
    mass_matrix: Callable[[tuple[int, ...]], Array],
) -> Array:
    """Accelerations ``qdd`` corrected by what holds the standing contacts; D is ``mass_matrix(state)``.

    Contacts have these speeds and accelerations rows . qdd + drift. Who sticks and who starts is decided with the
    load and all couplings (``sticking.py``), state by state.
    """
    qdd = np.array(qdd, dtype=np.float64)
    hold = np.array([contact.hold for contact in contacts])
    standing = (speeds == 0) & (hold > 0)
    for state in map(tuple, np.argwhere(standing.any(axis=-1))):
        indices = np.flatnonzero(standing[state])
        matrix, levers = mass_matrix(state), rows[state][indices]
        push, _ = contact_forces(
            matrix, matrix @ qdd[state], levers, -hold[indices], hold[indices], drift[state][indices]
        )
        qdd[state] += np.linalg.solve(matrix, levers.T @ push)
    return qdd
