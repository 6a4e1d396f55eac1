"""Positions by continuation: joints for wanted coordinates, in the assembly mode that one starts from.

Two modes meet only where [G^w_phi] is singular, and there its determinant changes sign. So a step that changes the
sign, or that leaves the prediction phi + [G^phi_q] dq behind (a kink), is refused and halved; where no step is small
enough, the way has met a singularity.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError, UnreachableError
from .batch import Array
from .position import closed, newton

if TYPE_CHECKING:
    from .assembly import Assembly

SMALLEST_STEP = 2.0**-14
LARGEST_TURN = 0.3
"""Of a joint against its prediction in one step (rad or m): more would be a jump to another mode."""
LARGEST_BEND = 0.3
"""Of the same, as a part of the step: at a change point another mode begins, with a kink, where one arrives."""
SINGULAR = 1e13
"""Condition number of [G^w_phi] above which it is singular."""


def same_side(g: Array, other: Array) -> Array:
    """Sign of det G det G' for tables ``(b, k, m)``: -1 where a singularity lies between, 0 at one.

    With redundant constraints, k > m, the determinants are of the columns in the space that those of G span.
    """
    if g.shape[1] == g.shape[2]:
        return np.asarray(np.linalg.slogdet(g)[0] * np.linalg.slogdet(other)[0])
    q, r = np.linalg.qr(g)
    signs = np.prod(np.sign(np.diagonal(r, axis1=1, axis2=2)), axis=1)
    return np.asarray(signs * np.linalg.slogdet(np.swapaxes(q, 1, 2) @ other)[0])


def solved(assembly: Assembly, wanted: Array, guess: Array) -> Array:
    """Joints for the coordinates ``wanted`` ``(b, n)`` in the assembly mode of ``guess`` ``(b, m)``.

    What Newton finds near the guess is taken where no singularity lies between; else the way there is walked.
    """
    for coordinate in assembly.coordinates:
        if not coordinate.has_position:
            raise ArmError(
                f"coordinate {coordinate.name!r} is a turn: it has a rate but no position, so no position can be found "
                f"from it; find the position in other coordinates, then use this one for rates and loads"
            )
    phi, residuals = newton(assembly, guess, wanted)
    near = closed(residuals) & (np.abs(phi - guess).max(axis=1, initial=0.0) < LARGEST_TURN)
    if assembly.r and near.any():
        near[near] = _one_mode(assembly, guess[near], phi[near], wanted[near])
    for index in np.flatnonzero(~near):
        phi[index] = _walked(
            assembly, phi[index], residuals[index], wanted[index], guess[index], len(wanted) > 1, int(index)
        )
    return phi


def _one_mode(assembly: Assembly, guess: Array, phi: Array, wanted: Array) -> NDArray[np.bool_]:
    """Where no singularity lies between a guess and the joints found, and these are where the first step leads."""
    value, g = assembly.first_order(guess, apart=True)
    value[:, : assembly.n] -= wanted
    whole, condition = assembly.inverse(g)
    first = np.nan_to_num((whole @ value[:, :, None])[:, :, 0])
    straight = as_predicted(phi, guess - first, guess) & (same_side(g, assembly.first_order(phi)[1]) > 0)
    return straight | ~(condition < SINGULAR)  # a singular guess is in no mode, or in two


def as_predicted(phi: Array, predicted: Array, before: Array) -> NDArray[np.bool_]:
    """Where joints differ from their prediction by what bends, which vanishes with the step, and not by a kink."""
    off, step = (np.abs(part).max(axis=1, initial=0.0) for part in (phi - predicted, predicted - before))
    return (off < LARGEST_TURN) & (off <= LARGEST_BEND * step + 1e-9)


def _walked(
    assembly: Assembly, direct: Array, residual: float, wanted: Array, guess: Array, batch: bool, index: int
) -> Array:
    """The joints at ``wanted`` by a walk from the closed configuration at the guess."""
    start, off = newton(assembly, guess[None], None)
    done = 0.0
    if closed(off)[0]:
        at = assembly.value(assembly.coordinate_blocks(assembly.chains.place(start), 0), 1)[0, : assembly.n]
        phi, done = walk(assembly, start, at, wanted)
        if done == 1.0:
            return phi[0]
    state = f" (state {index})" if batch else ""
    if closed(np.array([residual]))[0]:
        raise UnreachableError(
            f"no position was found for {told(assembly, wanted)}{state} in the assembly mode of the guess: the way "
            f"there meets a singular configuration; another mode is there, so give a guess in the one you mean"
        )
    value = assembly.first_order(direct[None], apart=True)[0][0]
    left = np.abs(value - np.concatenate([wanted, np.zeros(assembly.r)]))
    names = (*(coordinate.name for coordinate in assembly.coordinates), *assembly.equation_names)
    worst = int(np.argmax(left))
    raise UnreachableError(
        f"no position was found for {told(assembly, wanted)}{state}: {names[worst]} stays off by {left[worst]:.3g}; "
        f"the coordinates are out of reach, or give a guess in the assembly mode you mean"
    )


def told(assembly: Assembly, q: Array) -> str:
    """Coordinates and their values, as text."""
    return ", ".join(f"{c.name} = {value:.5g}" for c, value in zip(assembly.coordinates, q, strict=True))


def walk(assembly: Assembly, phi: Array, start: Array, end: Array) -> tuple[Array, float]:
    """From joints ``phi`` ``(1, m)`` at coordinates ``start`` straight to ``end``: the joints, and the part done."""
    done, step = 0.0, 1.0
    g, slope = _slope(assembly, phi)
    while done < 1:
        ahead = min(1.0, done + step)
        predicted = phi + slope @ ((ahead - done) * (end - start))
        reached = _step(assembly, phi, g, predicted, start + ahead * (end - start))
        if reached is not None:
            phi, g, slope = reached
            done, step = ahead, 2 * step
        elif step > SMALLEST_STEP:
            step /= 2
        else:
            break
    return phi, done


def _step(assembly: Assembly, phi: Array, g: Array, predicted: Array, wanted: Array) -> tuple[Array, ...] | None:
    """Joints at ``wanted`` near where they are predicted, [G^w_phi] and dphi/dq there; None if that is another mode."""
    trial, residual = newton(assembly, predicted, wanted[None], 25, near=True)
    if not closed(residual)[0] or not as_predicted(trial, predicted, phi)[0]:
        return None
    new_g, slope = _slope(assembly, trial)
    good = bool(same_side(g, new_g)[0] > 0)
    return (trial, new_g, slope) if good else None


class PositionTrack:
    """Positions asked one after the other, each continued from the one before."""

    def __init__(self, assembly: Assembly, phi: Array) -> None:
        """``phi`` ``(m,)`` is closed."""
        self.assembly = assembly
        self._take(phi[None])
        self.q = assembly.value(assembly.coordinate_blocks(assembly.chains.place(self.phi), 0), 1)[0, : assembly.n]

    def _take(self, phi: Array) -> None:
        self.phi = phi
        self.g, self.slope = _slope(self.assembly, phi)

    @property
    def condition(self) -> float:
        """Condition of [G^w_phi] at the last position."""
        return float(self.assembly.inverse(self.g)[1][0])

    def to(self, q: Array) -> Array:
        """The joints ``(m,)`` at coordinates ``q``, in the assembly mode of the start."""
        if not (q == self.q).all():
            predicted = self.phi + self.slope @ (q - self.q)
            reached = _step(self.assembly, self.phi, self.g, predicted, q)
            if reached is None:
                self._take(solved(self.assembly, q[None], self.phi))
            else:
                self.phi, self.g, self.slope = reached
            self.q = q.copy()
        return np.asarray(self.phi[0])


def follow(assembly: Assembly, path: Array, guess: Array) -> Array:
    """Joints along ``path`` ``(t, n)``, in the assembly mode in which it begins; a singularity on it is an error."""
    if path.ndim != 2:
        raise ArmError(f"a path is an array (t, n) of coordinates; got shape {path.shape}")
    phi = solved(assembly, path[:1], guess[None])
    found = [phi[0]]
    for index, (start, end) in enumerate(pairwise(path)):
        phi, done = walk(assembly, phi, start, end)
        if done < 1:
            raise ArmError(
                f"the path meets a singular configuration between points {index} and {index + 1}, near "
                f"{told(assembly, start + done * (end - start))}: beyond it the assembly mode is lost; end the path "
                f"before it, or follow it in other coordinates"
            )
        found.append(phi[0])
    return np.array(found)


def _slope(assembly: Assembly, phi: Array) -> tuple[Array, NDArray[np.float64]]:
    """[G^w_phi], zero where it is singular, and dphi/dq."""
    g = assembly.first_order(phi)[1]
    whole, condition = assembly.inverse(g)
    return g if condition[0] < SINGULAR else np.zeros_like(g), np.nan_to_num(whole[0, :, : assembly.n])
