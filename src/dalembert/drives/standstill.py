"""Standstill: the torques, currents and voltages under which standing shafts stay where they are.

A shaft that stands and is not to start is held by a friction force anywhere within its starting friction (Szkodny 1995,
eq. 17, with the load in), so that not one motor torque holds it but a band of them. With the contacts C of the standing
shafts and their starting friction f, all torques

    F_a = N^-T (F - C^T lambda),    |lambda_c| <= f_c

keep the motion; F are the joint torques without that friction. Beyond the band the shaft starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from ..systems.arrays import broadcast, joint_array
from ..systems.contacts import contact_speeds

if TYPE_CHECKING:
    from ..systems.driven import DrivenSystem

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TorqueBand:
    """Least and greatest torque of each motor (or current, voltage) that keeps a motion; one number where all moves.

    ``apart`` says that each motor has its band whatever the others do within theirs. Otherwise one friction holds
    several motors, and the bands are how far each can go with the others at their best.
    """

    motors: tuple[str, ...]
    low: Array
    high: Array
    units: tuple[str, ...]
    apart: bool

    def scaled(self, factor: Array, unit: str, shift: Array | float = 0.0) -> TorqueBand:
        """The band of factor times torque plus shift: of currents, of voltages."""
        low, high = factor * self.low + shift, factor * self.high + shift
        return TorqueBand(self.motors, low, high, (unit,) * len(self.motors), self.apart)

    def __repr__(self) -> str:
        shape = self.low.shape[:-1]
        if shape:
            return f"<TorqueBand: {len(self.motors)} motors in {shape} states>"
        rows = zip(self.motors[:6], self.low, self.high, self.units, strict=False)
        bands = ", ".join(f"{name[:20]} {low:.4g} to {high:.4g} {unit}" for name, low, high, unit in rows)
        return f"<TorqueBand: {bands}{', ...' if len(self.motors) > 6 else ''}>"

    def _repr_html_(self) -> str:
        from ..markup.data_tables import Column, DataTable
        from ..markup.notebook import framed, note

        if self.low.ndim > 1:
            return framed(note(repr(self)))
        columns = (
            Column("motor", "motor"), Column("low", "from", kind="number"), Column("high", "to", kind="number"),
            Column("unit", "", kind="unit"),
        )  # fmt: skip
        rows = tuple(
            (name, float(low), float(high), unit)
            for name, low, high, unit in zip(self.motors, self.low, self.high, self.units, strict=True)
        )
        remark = "" if self.apart else "One friction holds several motors: each with the others at their best."
        return framed(DataTable("band", "What keeps this motion", columns, rows), note(remark))

    def __contains__(self, torque: object) -> bool:
        value = np.asarray(torque, dtype=float)
        return bool(((self.low <= value) & (value <= self.high)).all())


def torque_band(
    driven: DrivenSystem, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None
) -> TorqueBand:
    """The motor torques that keep this motion; of an arm at rest where no motion is given."""
    zero = np.zeros(driven.n)
    named = (("q", q), ("qd", qd), ("qdd", qdd))
    position, speed, rate = broadcast(
        [(name, joint_array(driven, name, zero if x is None else x)) for name, x in named]
    )
    middle = driven.motor_torques(position, speed, rate)
    units = driven.motor_units
    if not driven.contacts:
        return TorqueBand(driven.motor_names, middle, middle, units, True)
    rows = driven.contact_rows(position)
    standing = (contact_speeds(rows, speed) == 0) & (
        contact_speeds(rows, rate) + driven.contact_drift(position, speed) == 0
    )
    hold = np.where(standing, [contact.hold for contact in driven.contacts], 0.0)
    levers = np.abs(driven.to_motors(position[..., None, :], rows))
    levers = np.where(levers > 1e-12 * levers.max(axis=(-1, -2), keepdims=True), levers, 0.0) * hold[..., None]
    reach = levers.sum(axis=-2)
    independent = bool((np.count_nonzero(levers, axis=-1) <= 1).all())
    return TorqueBand(driven.motor_names, middle - reach, middle + reach, units, independent)


def shaft_states(
    driven: DrivenSystem, q: ArrayLike, qd: ArrayLike, joint_torque: ArrayLike, qdd: Array
) -> list[tuple[str, str]]:
    """What each shaft with Coulomb friction does in one state: moves, stands, starts forward or backward.

    ``qdd`` are the accelerations under ``joint_torque``, as ``forward_dynamics`` gives them.
    """
    if not driven.contacts:
        return []
    position, velocity = (joint_array(driven, name, x) for name, x in (("q", q), ("qd", qd)))
    if position.shape != (driven.n,) or velocity.shape != (driven.n,):
        raise ArmError("what shafts do is decided in one state; give one q and one qd")
    rows = driven.contact_rows(position)
    free = rows @ driven.frictionless().forward_dynamics(position, velocity, joint_torque)
    rates = rows @ qdd + driven.contact_drift(position, velocity)
    states = []
    for contact, speed, rate in zip(driven.contacts, contact_speeds(rows, velocity), rates, strict=True):
        # rounding of what the shafts would do without friction is no start
        if speed:
            state = "moves"
        elif abs(rate) <= 1e-9 * np.abs(free).max(initial=0.0):
            state = "stands"
        else:
            state = "starts forward" if rate > 0 else "starts backward"
        states.append((contact.name, state))
    return states
