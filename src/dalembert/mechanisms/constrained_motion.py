"""Motion of a mechanism in time.

Integrated in the joints, where no choice of coordinates can become singular: at each instant the joints' accelerations
follow from the free directions N of [G^c_phi] (any basis of them is a set of coordinates),

    phi'' = phi''_c + N a,    [G^c] phi''_c = -phi'.[H^c] phi',
    (N^T I* N) a = N^T (T - I* phi''_c - phi'.P* phi' + T^L),

and after each step positions and rates are put back onto the closures, so that these hold to the last digits however
long the motion. The integrator is SciPy's DOP853.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import DOP853

from ..arm.errors import ArmError
from ..arm.force import Force
from ..systems.arrays import vector_array
from . import position, transfer
from .batch import Array, one_state

if TYPE_CHECKING:
    from .mechanism import Forces, Mechanism

FARTHEST_START = 1e-3
"""How far a joint may be put to close the loops at the start (rad or m): a rounding of what somebody typed."""
Drive = Callable[[float, Array, Array], ArrayLike]
"""Loads at the coordinates as a function of time, q and q'."""


@dataclass(frozen=True)
class MechanismMotion:
    """A motion at times ``t``: joints ``phi`` ``(t, m)``, their ``rate``, coordinates ``q`` ``(t, n)`` and ``qd``."""

    t: Array
    phi: Array
    rate: Array
    q: Array
    qd: Array
    energy: Array
    closure_error: Array


def joint_acceleration(
    mechanism: Mechanism, phi: Array, rate: Array, drive: Array, loads: Sequence[Sequence[Force]]
) -> Array:
    """phi'' ``(m,)`` of the closed mechanism under joint loads ``drive`` ``(m,)``."""
    g, drift, inertia, bias = (table[0] for table in mechanism.joint_state(phi[None], rate[None], loads))
    free, pseudo = mechanism.assembly.split(g)
    held = -pseudo @ drift
    rest = bias + inertia @ held
    try:
        return held + free @ np.linalg.solve(free.T @ inertia @ free, free.T @ (drive - rest))
    except np.linalg.LinAlgError:
        raise ArmError(
            "some motion of the mechanism moves no mass, so its acceleration is not determined; give the links mass"
        ) from None


def simulate(
    mechanism: Mechanism,
    t: ArrayLike,
    phi: ArrayLike,
    qd: ArrayLike,
    drive: Drive | None = None,
    forces: Forces | None = None,
    rtol: float = 1e-10,
    atol: float = 1e-12,
) -> MechanismMotion:
    """The motion from joints ``phi`` and coordinate rates ``qd`` at ``t[0]``, told at all times ``t``."""
    times = np.asarray(t, dtype=float)
    if times.ndim != 1 or len(times) < 2 or not (np.diff(times) > 0).all():
        raise ArmError("times must be at least two, rising")
    if mechanism.contacts:
        raise ArmError(
            f"{mechanism.name}: {mechanism.contacts[0].name!r} has Coulomb friction, which sticks and slips; simulate "
            f"the system in its coordinates, da.simulate(mechanism.as_system(), ...), or mechanism.frictionless()"
        )
    loads = mechanism._forces(forces or {})
    assembly, m = mechanism.assembly, mechanism.m
    given = one_state(m, "phi", phi)
    start, off = position.newton(assembly, given[None], None)
    if not position.closed(off)[0]:
        raise ArmError(position.cannot_close(assembly, start[0], 0))
    moved = start[0] - given
    if np.abs(moved).max(initial=0.0) > FARTHEST_START:
        raise ArmError(
            f"{mechanism.name}: the loops are open at the start, and to close them "
            f"{position.moved_most(assembly, moved)}; start from closed_near(phi), or from position(q)"
        )
    rate = transfer.times(assembly.carried(start).x, vector_array(mechanism.n, "qd", qd, "coordinate")[None])[0]

    def slope(now: float, y: Array) -> Array:
        load = np.zeros(m)
        if drive is not None:
            placed = assembly.chains.place(y[None, :m])
            blocks = assembly.coordinate_blocks(placed, 1)
            g = assembly.jacobian(blocks, 1)[0, : assembly.n]
            q = assembly.value(blocks, 1)[0, : assembly.n]
            load = g.T @ vector_array(mechanism.n, "drive", drive(now, q, g @ y[m:]), "coordinate")
        return np.concatenate([y[m:], joint_acceleration(mechanism, y[:m], y[m:], load, loads)])

    def put_back(y: Array) -> Array:
        if not assembly.r:
            return y
        near, residual = position.newton(assembly, y[None, :m], None, 8, near=True)
        if not position.closed(residual)[0]:
            raise ArmError(position.cannot_close(assembly, near[0], 0))
        g = assembly.closure_jacobian(near)[0]
        _, pseudo = assembly.split(g)
        return np.concatenate([near[0], y[m:] - pseudo @ (g @ y[m:])])

    solver: Any = DOP853(slope, times[0], np.concatenate([start[0], rate]), times[-1], rtol=rtol, atol=atol)
    found = [solver.y.copy()]
    told = 1
    while told < len(times):
        message = solver.step()
        if solver.status == "failed":
            raise ArmError(
                f"the motion cannot be continued beyond t = {solver.t:.6g} s ({message}); it meets a singular "
                f"configuration, or the loads are too large"
            )
        if times[told] <= solver.t:
            between = solver.dense_output()
            while told < len(times) and times[told] <= solver.t:
                found.append(put_back(between(times[told])))
                told += 1
        # The next step starts on the closures; its first stage is computed anew, as the state has been touched.
        solver.y = put_back(solver.y)
        solver.f = slope(solver.t, solver.y)
    states = np.array(found)
    return _told(mechanism, times, states[:, :m], states[:, m:])


def _told(mechanism: Mechanism, times: Array, phi: Array, rate: Array) -> MechanismMotion:
    assembly = mechanism.assembly
    blocks = assembly.coordinate_blocks(assembly.chains.place(phi), 1)
    q = assembly.value(blocks, len(phi))[:, : assembly.n]
    qd = transfer.times(assembly.jacobian(blocks, len(phi))[:, : assembly.n], rate)
    return MechanismMotion(
        times,
        phi,
        rate,
        q,
        qd,
        mechanism.joint_energy(phi, rate),
        np.abs(assembly.misfit(phi)[0]).max(1, initial=0),
    )
