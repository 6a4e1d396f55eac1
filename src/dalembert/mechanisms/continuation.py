"""Positions by continuation: joints for wanted coordinates, in the assembly mode that one starts from.

Two modes meet only where [G^w_phi] is singular, and there its determinant changes sign. So a step that changes the
sign, or that leaves the prediction phi + [G^phi_q] dq behind (a kink), is refused and halved; where no step is small
enough, the way has met a singularity.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError, UnreachableError
from .batch import Array
from .position import closed, newton

if TYPE_CHECKING:
    from .assembly import Assembly
    from .compiled_map import NewtonRun

SMALLEST_STEP = 2.0**-14
LARGEST_TURN = 0.3
"""Of a joint against its prediction in one step (rad or m): more would be a jump to another mode."""
LARGEST_BEND = 0.3
"""Of the same, as a part of the step: at a change point another mode begins, with a kink, where one arrives."""
FAR_FROM_SINGULAR = 1e6
"""Condition of [G^w_phi] below which a position from machine code is taken as it is."""
SINGULAR = 1e13
"""Condition number of [G^w_phi] above which it is singular."""


def same_side(g: Array, g_after: Array) -> Array:
    """Sign of det G det G' for tables ``(b, k, m)``: -1 where a singularity lies between, 0 at one.

    With redundant constraints, k > m, the determinants are of the columns in the space that those of G span.
    """
    if g.shape[1] == g.shape[2]:
        return np.asarray(np.linalg.slogdet(g)[0] * np.linalg.slogdet(g_after)[0])
    q, r = np.linalg.qr(g)
    signs = np.prod(np.sign(np.diagonal(r, axis1=1, axis2=2)), axis=1)
    return np.asarray(signs * np.linalg.slogdet(np.swapaxes(q, 1, 2) @ g_after)[0])


def solved(assembly: Assembly, target: Array, guess: Array) -> Array:
    """Joints for the coordinates ``target`` ``(b, n)`` in the assembly mode of ``guess`` ``(b, m)``.

    What Newton finds near the guess is taken where no singularity lies between; else the way there is walked.
    """
    for coordinate in assembly.coordinates:
        if not coordinate.has_position:
            raise ArmError(
                f"coordinate {coordinate.name!r} is a turn: it has a rate but no position, so no position can be found "
                f"from it; find the position in other coordinates, then use this one for rates and loads"
            )
    phi = guess.copy()
    remaining = np.flatnonzero(~_at_once(assembly, phi, target))
    if len(remaining):
        phi[remaining] = _searched(assembly, target[remaining], guess[remaining], len(target) > 1, remaining)
    return phi


def solved_at_once(assembly: Assembly, target: Array, guess: Array) -> Array | None:
    """The joints ``(m,)`` of one state ``(n,)``, where machine code finds them near the guess, in its mode."""
    if assembly.map is None or not all(coordinate.has_position for coordinate in assembly.coordinates):
        return None
    run = assembly.map.newton_single(guess, target)
    return run.phi[0] if run is not None and keeps_mode(assembly, run, guess[None])[0] else None


def solved_where_near(assembly: Assembly, target: Array, guess: Array) -> tuple[Array, NDArray[np.bool_]]:
    """The same without a walk: joints, and where they were found in the assembly mode of their guess."""
    phi = guess.copy()
    good = _at_once(assembly, phi, target)
    remaining = np.flatnonzero(~good)
    if len(remaining):
        phi[remaining], good[remaining] = _near(assembly, target[remaining], guess[remaining])[:2]
    return phi, good


def _at_once(assembly: Assembly, phi: Array, target: Array) -> NDArray[np.bool_]:
    """Where machine code finds the joints from ``phi``, which it moves there, in the mode it was in."""
    if assembly.map is None:
        return np.zeros(len(phi), dtype=bool)
    run = assembly.map.newton(phi, target)
    good = keeps_mode(assembly, run, phi)
    phi[good] = run.phi[good]
    return good


def keeps_mode(assembly: Assembly, run: NewtonRun, phi: Array) -> NDArray[np.bool_]:
    """Where a run of Newton from ``phi`` is closed, and in the mode it started in."""
    good = run.closed & (run.condition < FAR_FROM_SINGULAR)
    if assembly.r:
        good &= as_predicted(run.phi, run.first, phi) & (np.abs(run.phi - phi).max(axis=1, initial=0.0) < LARGEST_TURN)
        if assembly.n + assembly.r == assembly.m:
            good &= run.same_side
        elif good.any():
            before, after = (assembly.first_order(joints[good])[1] for joints in (phi, run.phi))
            good[good] = same_side(before, after) > 0
    return good


def _searched(assembly: Assembly, target: Array, guess: Array, batch: bool, numbers: NDArray[np.intp]) -> Array:
    """Joints by Newton with a line search, or by a walk; ``numbers`` are those of the states in their batch."""
    phi, near, residuals = _near(assembly, target, guess)
    for index in np.flatnonzero(~near):
        phi[index] = _walked(
            assembly, phi[index], residuals[index], target[index], guess[index], batch, int(numbers[index])
        )
    return phi


def _near(assembly: Assembly, target: Array, guess: Array) -> tuple[Array, NDArray[np.bool_], Array]:
    """Joints by Newton with a line search, where they are in the mode of the guess, and residuals."""
    phi, residuals = newton(assembly, guess, target)
    near = closed(residuals) & (np.abs(phi - guess).max(axis=1, initial=0.0) < LARGEST_TURN)
    if assembly.r and near.any():
        near[near] = _one_mode(assembly, guess[near], phi[near], target[near])
    return phi, near, residuals


def _one_mode(assembly: Assembly, guess: Array, phi: Array, target: Array) -> NDArray[np.bool_]:
    """Where no singularity lies between a guess and the joints found, and these are where the first step leads."""
    value, g = assembly.first_order(guess, as_error=True)
    value[:, : assembly.n] -= target
    x_w, condition = assembly.inverse(g)
    newton_step = np.nan_to_num((x_w @ value[:, :, None])[:, :, 0])
    straight = as_predicted(phi, guess - newton_step, guess) & (same_side(g, assembly.first_order(phi)[1]) > 0)
    return straight | ~(condition < SINGULAR)  # a singular guess is in no mode, or in two


def as_predicted(phi: Array, predicted: Array, before: Array) -> NDArray[np.bool_]:
    """Where joints differ from their prediction by what bends, which vanishes with the step, and not by a kink."""
    deviation, step = (
        np.abs(difference).max(axis=1, initial=0.0) for difference in (phi - predicted, predicted - before)
    )
    return (deviation < LARGEST_TURN) & (deviation <= LARGEST_BEND * step + 1e-9)


def _walked(
    assembly: Assembly, direct: Array, residual: float, target: Array, guess: Array, batch: bool, index: int
) -> Array:
    """The joints at ``target`` by a walk from the closed configuration at the guess."""
    start, start_residual = newton(assembly, guess[None], None)
    fraction = 0.0
    if closed(start_residual)[0]:
        q_start = assembly.value(assembly.coordinate_blocks(assembly.chains.place(start), 0), 1)[0, : assembly.n]
        phi, fraction = walk(assembly, start, q_start, target)
        if fraction == 1.0:
            return phi[0]
    state = f" (state {index})" if batch else ""
    if closed(np.array([residual]))[0]:
        raise UnreachableError(
            f"no position was found for {coordinate_text(assembly, target)}{state} in the assembly mode of the "
            f"guess: the way there meets a singular configuration; another mode is there, so give a guess in the one "
            "you mean"
        )
    value = assembly.first_order(direct[None], as_error=True)[0][0]
    errors = np.abs(value - np.concatenate([target, np.zeros(assembly.r)]))
    names = (*(coordinate.name for coordinate in assembly.coordinates), *assembly.equation_names)
    worst = int(np.argmax(errors))
    raise UnreachableError(
        f"no position was found for {coordinate_text(assembly, target)}{state}: {names[worst]} stays off by "
        f"{errors[worst]:.3g}; the coordinates are out of reach, or give a guess in the assembly mode you mean"
    )


def coordinate_text(assembly: Assembly, q: Array) -> str:
    """Coordinates and their values, as text."""
    return ", ".join(f"{c.name} = {value:.5g}" for c, value in zip(assembly.coordinates, q, strict=True))


class ClosedConfiguration:
    """A closed configuration ``phi`` ``(1, m)`` on a path, with what leads on from it."""

    def __init__(self, assembly: Assembly, phi: Array, condition: float | None = None) -> None:
        self.assembly, self.phi, self._condition = assembly, phi, condition

    @cached_property
    def tangent(self) -> tuple[Array, NDArray[np.float64]]:
        """[G^w_phi], zero where it is singular, and dphi/dq."""
        g = self.assembly.first_order(self.phi)[1]
        x_w, condition = self.assembly.inverse(g)
        return g if condition[0] < SINGULAR else np.zeros_like(g), np.nan_to_num(x_w[0, :, : self.assembly.n])

    @property
    def condition(self) -> float:
        """Condition of [G^w_phi]; from below where it is compiled, which is enough to compare two places."""
        if self._condition is None:
            if self.assembly.map is not None:
                self._condition = self.assembly.map.condition(self.phi[0])
            else:
                self._condition = float(self.assembly.inverse(self.assembly.first_order(self.phi)[1])[1][0])
        return self._condition

    def continued(self, q_now: Array, target: Array) -> ClosedConfiguration | None:
        """The place at coordinates ``target``, which are ``q_now`` here; None if what is found is in another mode."""
        assembly = self.assembly
        if assembly.map is not None:
            run = assembly.map.newton_single(self.phi[0], target)
            if run is not None and keeps_mode(assembly, run, self.phi)[0]:
                return ClosedConfiguration(assembly, run.phi, float(run.condition[0]))
        g, slope = self.tangent
        predicted = self.phi + slope @ (target - q_now)
        trial, residual = newton(assembly, predicted, target[None], 25, near=True)
        if not closed(residual)[0] or not as_predicted(trial, predicted, self.phi)[0]:
            return None
        reached = ClosedConfiguration(assembly, trial)
        return reached if same_side(g, reached.tangent[0])[0] > 0 else None


def walk(assembly: Assembly, phi: Array, start: Array, end: Array) -> tuple[Array, float]:
    """From joints ``phi`` ``(1, m)`` at coordinates ``start`` straight to ``end``: the joints, and the part done."""
    fraction, step = 0.0, 1.0
    configuration, q_now = ClosedConfiguration(assembly, phi), start
    while fraction < 1:
        ahead = min(1.0, fraction + step)
        target = start + ahead * (end - start)
        reached = configuration.continued(q_now, target)
        if reached is not None:
            configuration, q_now = reached, target
            fraction, step = ahead, 2 * step
        elif step > SMALLEST_STEP:
            step /= 2
        else:
            break
    return configuration.phi, fraction


def follow(assembly: Assembly, path: Array, guess: Array) -> Array:
    """Joints along ``path`` ``(t, n)``, in the assembly mode in which it begins; a singularity on it is an error."""
    if path.ndim != 2:
        raise ArmError(f"a path is an array (t, n) of coordinates; got shape {path.shape}")
    phi = solved(assembly, path[:1], guess[None])
    joints = [phi[0]]
    for index, (start, end) in enumerate(pairwise(path)):
        phi, fraction = walk(assembly, phi, start, end)
        if fraction < 1:
            raise ArmError(
                f"the path meets a singular configuration between points {index} and {index + 1}, near "
                f"{coordinate_text(assembly, start + fraction * (end - start))}: beyond it the assembly mode is "
                f"lost; end the path before it, or follow it in other coordinates"
            )
        joints.append(phi[0])
    return np.array(joints)
