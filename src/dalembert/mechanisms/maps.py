"""Maps over the coordinates: conditioning and dexterity, and drives compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from ..systems.arrays import one_state, vector_array
from . import position
from .batch import Array
from .continuation import solved
from .singularity import output_assembly

if TYPE_CHECKING:
    from .mechanism import Mechanism


@dataclass(frozen=True)
class Map:
    """Over a grid of coordinates: joints ``phi`` (NaN out of reach), reciprocal condition of the transfer and, with an
    output, of [G^u_q] (``dexterity``: 1 is isotropic, 0 singular) and its ``determinant``."""

    axes: tuple[Array, ...]
    phi: Array
    conditioning: Array
    dexterity: Array | None
    determinant: Array | None


def grid_positions(mechanism: Mechanism, axes: Sequence[ArrayLike]) -> Array:
    """Joints ``(*grid, m)`` at all points of a grid of coordinates, in the assembly mode of home; NaN out of reach.

    From the point nearest to home outward, neighbours serve as guesses; a point counts if det [G^w] keeps its sign.
    """
    lines = [np.asarray(axis, dtype=float) for axis in axes]
    if len(lines) != mechanism.n:
        raise ArmError(f"a grid needs one axis for each of the {mechanism.n} coordinates; got {len(lines)}")
    shape = tuple(len(line) for line in lines)
    wanted = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, mechanism.n)
    assembly = mechanism.assembly
    home = mechanism.coordinates_of(mechanism.home)
    phi = np.full((len(wanted), mechanism.m), np.nan)
    first = int(np.argmin(np.linalg.norm(wanted - home, axis=1)))
    try:
        phi[first] = solved(assembly, wanted[first][None], mechanism.home[None])[0]
    except ArmError:
        return phi.reshape(*shape, mechanism.m)
    sign = _sign(mechanism, phi[first][None])[0]
    done = np.zeros(len(wanted), dtype=bool)
    done[first] = True
    tried = done.copy()
    front = [first]
    while front:
        guesses: dict[int, int] = {}
        for place in front:
            index = np.unravel_index(place, shape)
            for axis in range(len(shape)):
                for step in (-1, 1):
                    other = list(index)
                    other[axis] += step
                    if 0 <= other[axis] < shape[axis]:
                        flat = int(np.ravel_multi_index(other, shape))
                        if not tried[flat]:
                            guesses.setdefault(flat, place)
        if not guesses:
            break
        places = np.array(list(guesses))
        sources = np.array(list(guesses.values()))
        found, off = position.newton(assembly, phi[sources], wanted[places], 30)
        good = position.closed(off) & (np.abs(found - phi[sources]).max(axis=1) < 1.0)
        good[good] &= _sign(mechanism, found[good]) == sign
        phi[places[good]] = found[good]
        done[places[good]] = True
        # A point that failed is tried again only from a neighbour reached later.
        tried[places[good]] = True
        front = [int(p) for p in places[good]]
    return phi.reshape(*shape, mechanism.m)


def _sign(mechanism: Mechanism, phi: Array) -> Array:
    assembly = mechanism.assembly
    if not len(phi):
        return np.zeros(0)
    g = assembly.first_order(phi)[1]
    return np.linalg.slogdet(g)[0] if g.shape[1] == g.shape[2] else np.ones(len(phi))


def conditioning_map(mechanism: Mechanism, axes: Sequence[ArrayLike], output: Sequence[str] | None = None) -> Map:
    """Conditioning of the transfer, and dexterity of an output, over a grid of the coordinates."""
    phi = grid_positions(mechanism, axes)
    flat = phi.reshape(-1, mechanism.m)
    good = np.isfinite(flat).all(axis=1)
    conditioning = np.full(len(flat), np.nan)
    conditioning[good] = reciprocal_condition(mechanism, flat[good])
    dexterity: Array | None = None
    determinant: Array | None = None
    if output is not None:
        dexterity, determinant = np.full(len(flat), np.nan), np.full(len(flat), np.nan)
        jacobian = output_jacobian(mechanism, flat[good], output)
        s = np.linalg.svd(jacobian, compute_uv=False)
        dexterity[good], determinant[good] = s[:, -1] / s[:, 0], np.linalg.det(jacobian)
    lines = tuple(np.asarray(axis, dtype=float) for axis in axes)
    shape = phi.shape[:-1]
    return Map(
        lines,
        phi,
        conditioning.reshape(shape),
        None if dexterity is None else dexterity.reshape(shape),
        None if determinant is None else determinant.reshape(shape),
    )


def reciprocal_condition(mechanism: Mechanism, phi: ArrayLike) -> Array:
    """Smallest over largest singular value of [G^w_phi] ``(...)``."""
    at = vector_array(mechanism.m, "phi", phi)
    flat = at.reshape(-1, mechanism.m)
    assembly = mechanism.assembly
    g = assembly.first_order(flat)[1]
    s = np.linalg.svd(g, compute_uv=False)
    return (s[:, mechanism.m - 1] / s[:, 0]).reshape(at.shape[:-1])


def output_jacobian(mechanism: Mechanism, phi: Array, output: Sequence[str]) -> Array:
    """[G^u_q] ``(b, n, n)`` of output coordinates."""
    other = output_assembly(mechanism, output)
    placed = other.chains.place(phi)
    g = other.jacobian(other.coordinate_blocks(placed, 1), len(phi))[:, : other.n]
    return g @ mechanism.influence(phi).first


@dataclass(frozen=True)
class Drive:
    """One choice of drives at a configuration: how well it determines the mechanism, and what a motion asks of it."""

    coordinates: tuple[str, ...]
    conditioning: float
    torque: Array
    largest: float


def compare_drives(
    mechanism: Mechanism, choices: Sequence[Sequence[str]], phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike
) -> list[Drive]:
    """The same motion, at one state, driven from each choice of coordinates, best conditioned first."""
    at = one_state(mechanism.m, "phi", phi)
    speed, acceleration = (one_state(mechanism.n, name, x, "coordinate") for name, x in (("qd", qd), ("qdd", qdd)))
    rate, rate2 = mechanism.joint_motion(at, speed, acceleration)
    found = []
    for choice in choices:
        other = mechanism.with_coordinates(choice)
        blocks = other.assembly.coordinate_blocks(other.chains.place(at[None]), 2)
        g = other.assembly.jacobian(blocks, 1)[0, : other.n]
        bend = np.array([rate[b.joints] @ b.jet.second[0, 0] @ rate[b.joints] for b in blocks])  # type: ignore[index]
        torque = other.inverse_dynamics(at, g @ rate, g @ rate2 + bend)
        found.append(
            Drive(other.coordinates, float(reciprocal_condition(other, at)), torque, float(np.abs(torque).max()))
        )
    return sorted(found, key=lambda drive: -drive.conditioning)
