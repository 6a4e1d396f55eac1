"""Maps over the coordinates: conditioning and dexterity, and drives compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    targets = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, mechanism.n)
    assembly = mechanism.assembly
    home = mechanism.coordinates_of(mechanism.home)
    phi = np.full((len(targets), mechanism.m), np.nan)
    nearest = int(np.argmin(np.linalg.norm(targets - home, axis=1)))
    try:
        phi[nearest] = solved(assembly, targets[nearest][None], mechanism.home[None])[0]
    except ArmError:
        return phi.reshape(*shape, mechanism.m)
    sign = _sign(mechanism, phi[nearest][None])[0]
    reached = np.zeros(len(targets), dtype=bool)
    reached[nearest] = True
    front = [nearest]
    while front:
        guesses: dict[int, int] = {}
        for point in front:
            for neighbour in _neighbours(point, shape):
                if not reached[neighbour]:
                    guesses.setdefault(neighbour, point)
        if not guesses:
            break
        points = np.array(list(guesses))
        sources = np.array(list(guesses.values()))
        solution, residual = position.newton(assembly, phi[sources], targets[points], 30)
        good = position.closed(residual) & (np.abs(solution - phi[sources]).max(axis=1) < 1.0)
        good[good] &= _sign(mechanism, solution[good]) == sign
        phi[points[good]] = solution[good]
        # A point that failed is tried again only from a neighbour reached later.
        reached[points[good]] = True
        front = [int(p) for p in points[good]]
    return phi.reshape(*shape, mechanism.m)


def _neighbours(point: int, shape: tuple[int, ...]) -> Iterator[int]:
    """The points of a grid one step along an axis from a point, all by their number in row-major order."""
    index = np.unravel_index(point, shape)
    for axis, size in enumerate(shape):
        for step in (-1, 1):
            neighbour = list(index)
            neighbour[axis] += step
            if 0 <= neighbour[axis] < size:
                yield int(np.ravel_multi_index(neighbour, shape))


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
    joints = vector_array(mechanism.m, "phi", phi)
    flat = joints.reshape(-1, mechanism.m)
    assembly = mechanism.assembly
    g = assembly.first_order(flat)[1]
    s = np.linalg.svd(g, compute_uv=False)
    return (s[:, mechanism.m - 1] / s[:, 0]).reshape(joints.shape[:-1])


def output_jacobian(mechanism: Mechanism, phi: Array, output: Sequence[str]) -> Array:
    """[G^u_q] ``(b, n, n)`` of output coordinates."""
    outputs = output_assembly(mechanism, output)
    placed = outputs.chains.place(phi)
    g = outputs.jacobian(outputs.coordinate_blocks(placed, 1), len(phi))[:, : outputs.n]
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
    joints = one_state(mechanism.m, "phi", phi)
    speed, acceleration = (one_state(mechanism.n, name, x, "coordinate") for name, x in (("qd", qd), ("qdd", qdd)))
    rate, rate2 = mechanism.joint_motion(joints, speed, acceleration)
    drives = []
    for choice in choices:
        driven = mechanism.with_coordinates(choice)
        blocks = driven.assembly.coordinate_blocks(driven.chains.place(joints[None]), 2)
        g = driven.assembly.jacobian(blocks, 1)[0, : driven.n]
        bend = np.array([rate[b.joints] @ b.jet.second[0, 0] @ rate[b.joints] for b in blocks])  # type: ignore[index]
        torque = driven.inverse_dynamics(joints, g @ rate, g @ rate2 + bend)
        drives.append(
            Drive(driven.coordinates, float(reciprocal_condition(driven, joints)), torque, float(np.abs(torque).max()))
        )
    return sorted(drives, key=lambda drive: -drive.conditioning)
