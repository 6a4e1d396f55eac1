"""Finding positions: closed configurations with given coordinates, by Newton with a line search, in batches."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arm.description import caller_level
from ..arm.errors import ArmError, AssemblyWarning
from .batch import Array

if TYPE_CHECKING:
    from .assembly import Assembly

TOLERANCE = 1e-13
"""Of the equations, in metres or radians, times the size of the numbers in them."""
LARGEST_STEP = 0.7
"""Of a joint in one Newton step (rad or m): larger ones lead to other assembly modes than the guess is near."""


def newton(
    assembly: Assembly, guess: Array, wanted: Array | None, iterations: int = 60, near: bool = False
) -> tuple[Array, Array]:
    """Joints ``(b, m)`` that satisfy the closures and have the coordinates ``wanted`` ``(b, n)``; residuals ``(b,)``.

    Without ``wanted`` the closures alone are satisfied, by steps of least length: the closed configuration near the
    guess. A residual above tolerance means that none was found. ``near``: the guess comes from a closed configuration
    by a small step, so that the closures' equations, quicker than their errors on the rotation group, serve as well.
    """
    phi = guess.copy()
    size = np.ones(len(phi)) + np.abs(wanted).max(axis=1, initial=0.0) if wanted is not None else np.ones(len(phi))

    def residual(at: Array, which: NDArray[np.intp]) -> tuple[Array, Array]:
        if wanted is None:
            return assembly.closing(at) if near else assembly.misfit(at)
        value, g = assembly.first_order(at, apart=not near)
        value[:, : assembly.n] -= wanted[which]
        return value, g

    worst = np.full(len(phi), np.inf)
    active = np.arange(len(phi))
    for _ in range(iterations):
        value, jacobian = residual(phi[active], active)
        worst[active] = np.abs(value).max(axis=1, initial=0.0)
        rough = worst[active] > TOLERANCE * size[active]
        if not rough.any():
            break
        active, value = active[rough], value[rough]
        step = _step(jacobian[rough], value, assembly.rank if wanted is None else None)
        largest = np.abs(step).max(axis=1)
        step *= np.minimum(1.0, LARGEST_STEP / np.maximum(largest, 1e-300))[:, None]
        before = (value * value).sum(axis=1)
        length = np.ones(len(active))
        waiting = np.arange(len(active))
        trial = phi[active] - step
        for _ in range(12):
            after, _ = residual(trial[waiting], active[waiting])
            good = (after * after).sum(axis=1) <= (1 - 1e-4 * length[waiting]) * before[waiting]
            waiting = waiting[~good]
            if not len(waiting):
                break
            length[waiting] /= 2
            trial[waiting] = phi[active[waiting]] - length[waiting, None] * step[waiting]
        # No shorter step is better either: at the last digits that is convergence, else it is a failure.
        stuck = np.zeros(len(active), dtype=bool)
        stuck[waiting] = True
        settled = stuck & (before < (1e3 * TOLERANCE * size[active]) ** 2)
        worst[active[settled]] = np.minimum(worst[active[settled]], TOLERANCE * size[active[settled]])
        moved = ~stuck
        phi[active[moved]] = trial[moved]
        active = active[moved]
        if not len(active):
            break
    return phi, worst / size


def _step(jacobian: Array, value: Array, rank: int | None) -> Array:
    """The Newton step, of least length where equations are fewer than joints; at most ``rank`` of them count."""
    if rank is not None and rank < jacobian.shape[1]:
        u, s, vh = np.linalg.svd(jacobian, full_matrices=False)
        u, s, vh = u[:, :, :rank], s[:, :rank], vh[:, :rank]
        weights = np.where(s > 1e-9 * s[:, :1], np.einsum("brk,br->bk", u, value) / np.maximum(s, 1e-300), 0.0)
        return np.einsum("bkm,bk->bm", vh, weights)
    if jacobian.shape[1] == jacobian.shape[2]:
        try:
            step = np.linalg.solve(jacobian, value[..., None])[..., 0]
            if np.isfinite(step).all() and np.abs(step).max(initial=0.0) < 1e6:
                return step
        except np.linalg.LinAlgError:
            pass  # some configuration of the batch is singular: least squares serve all of them
    return np.einsum("bij,bj->bi", np.linalg.pinv(jacobian, rcond=1e-9), value)


def closed(residuals: Array) -> NDArray[np.bool_]:
    """Which configurations are closed: residuals within ten times the tolerance."""
    return residuals <= 10 * TOLERANCE


def random_joints(assembly: Assembly, count: int, seed: int, around: Array) -> Array:
    """Joint positions within the limits; where there are none, any angle, and sliders within a metre of ``around``."""
    system = assembly.chains
    rng = np.random.default_rng(seed)
    reach = np.where(system.revolute, np.pi, 1.0)
    middle = np.where(system.revolute, 0.0, around)
    lower = np.where(np.isfinite(system.lower), system.lower, middle - reach)
    upper = np.where(np.isfinite(system.upper), system.upper, middle + reach)
    return rng.uniform(lower, upper, (count, assembly.m))


def assembled(assembly: Assembly, guess: Array, name: str, chosen: bool, starts: int = 64) -> Array:
    """The closed configuration near ``guess`` ``(m,)``, or near a random one where the guess leads to none.

    A warning says so where the guess is of somebody's choice.
    """
    phi, residuals = newton(assembly, guess[None], None)
    if closed(residuals)[0]:
        return phi[0]
    others = random_joints(assembly, starts, 0, guess)
    found, off = newton(assembly, others, None)
    good = closed(off)
    if good.any():
        distance = np.linalg.norm(wrapped(assembly, found[good] - guess), axis=1)
        home = wrapped_near(assembly, found[good][int(np.argmin(distance))], guess)
        if chosen:
            warnings.warn(
                f"{name}: the loops do not close from the home that was given, so the nearest of {int(good.sum())} "
                f"found from random starts is taken: {moved_most(assembly, home - guess)}; give a home nearer to the "
                f"assembly you mean",
                AssemblyWarning,
                caller_level(),
            )
        return home
    best = found[int(np.argmin(off))] if off.min() < residuals[0] else phi[0]
    raise ArmError(cannot_close(assembly, best, starts))


def moved_most(assembly: Assembly, moved: Array) -> str:
    """The joint that moved most, and how far."""
    k = int(np.argmax(np.abs(moved)))
    unit = "rad" if assembly.chains.revolute[k] else "m"
    return f"{assembly.chains.joint_names[k]} moved by {moved[k]:.3g} {unit}, the most of all joints"


def cannot_close(assembly: Assembly, phi: Array, starts: int) -> str:
    """Which closure stays open, and by how much."""
    errors = np.abs(assembly.misfit(phi[None])[0][0])
    worst = int(np.argmax(errors))
    name, size = assembly.equation_names[worst], errors[worst]
    tried = f"from the guess and {starts} random starts the best" if starts else "from the guess the nearest"
    if np.abs(assembly.closing(phi[None])[0]).max() <= 1e-9:
        return (
            f"the mechanism closes only with its axes turned the wrong way round: {tried} leaves {name} off by "
            f"{np.degrees(size):.4g} degrees; start nearer to the assembly you mean, or turn a frame of that closure"
        )
    unit = "rad" if name.rpartition(".")[2].startswith("r") else "m"
    return (
        f"the mechanism cannot be assembled: {tried} leaves {name} open by {size:.3g} {unit}; check the lengths and "
        f"where the bases stand, or give a guess nearer to a closed configuration"
    )


def solved(assembly: Assembly, wanted: Array, guess: Array) -> Array:
    """Joints for the coordinates ``wanted`` ``(b, n)`` near ``guess`` ``(b, m)``."""
    for coordinate in assembly.coordinates:
        if not coordinate.has_position:
            raise ArmError(
                f"coordinate {coordinate.name!r} is a turn: it has a rate but no position, so no position can be found "
                f"from it; find the position in other coordinates, then use this one for rates and loads"
            )
    phi, residuals = newton(assembly, guess, wanted)
    good = closed(residuals)
    if not good.all():
        # A far target is often within reach of a path to it where it is not of a single jump.
        bad = np.flatnonzero(~good)
        for index in bad:
            phi[index], residuals[index] = _walked(assembly, wanted[index], guess[index])
        good = closed(residuals)
    if not good.all():
        raise ArmError(_cannot_reach(assembly, phi, wanted, residuals, int(np.argmax(residuals))))
    return phi


def _walked(assembly: Assembly, wanted: Array, guess: Array) -> tuple[Array, float]:
    """Go from the coordinates of the guess to the wanted ones in steps, halved where one fails."""
    phi, off = newton(assembly, guess[None], None)
    if not closed(off)[0]:
        return guess, float(off[0])
    placed = assembly.chains.place(phi)
    start = assembly.value(assembly.coordinate_blocks(placed, 0), 1)[0, : assembly.n]
    done, step, residual = 0.0, 0.25, np.inf
    while done < 1 and step > 1e-3:
        target = start + min(1.0, done + step) * (wanted - start)
        trial, off = newton(assembly, phi, target[None])
        residual = float(off[0])
        if closed(off)[0]:
            phi, done, step = trial, min(1.0, done + step), 2 * step
        else:
            step /= 2
    return phi[0], 0.0 if done >= 1 else residual


def _cannot_reach(assembly: Assembly, phi: Array, wanted: Array, residuals: Array, index: int) -> str:
    values = ", ".join(
        f"{coordinate.name} = {value:.4g}"
        for coordinate, value in zip(assembly.coordinates, wanted[index], strict=True)
    )
    value = assembly.first_order(phi[index : index + 1], apart=True)[0][0]
    left = np.abs(value - np.concatenate([wanted[index], np.zeros(assembly.r)]))
    names = (*(coordinate.name for coordinate in assembly.coordinates), *assembly.equation_names)
    worst = int(np.argmax(left))
    which = f" (state {index})" if len(wanted) > 1 else ""
    return (
        f"no position was found for {values}{which}: {names[worst]} stays off by {left[worst]:.3g}; the coordinates "
        f"are out of reach, or give a guess in the assembly mode you mean"
    )


def wrapped(assembly: Assembly, difference: Array) -> Array:
    """Differences of joints, whole turns taken out of angles that no gear ties to others."""
    turns = np.where(assembly.chains.revolute & ~assembly.geared, 2 * np.pi, 0.0)
    return difference - turns * np.round(difference / (2 * np.pi))


def wrapped_near(assembly: Assembly, phi: Array, guess: Array) -> Array:
    """The same configuration with angles within half a turn of ``guess``."""
    return guess + wrapped(assembly, phi - guess)


def assembly_modes(assembly: Assembly, wanted: Array, starts: int, seed: int, around: Array) -> Array:
    """All different configurations ``(k, m)`` with these coordinates that Newton finds from random starts.

    A coordinate that is a joint starts at its wanted value. Angles come within half a turn of ``around``, so
    configurations that differ by whole turns count once; a joint that is a coordinate keeps its value.
    """
    guesses = random_joints(assembly, starts, seed, around)
    guesses[0] = around
    fixed = [(k, c.joint) for k, c in enumerate(assembly.coordinates) if c.joint >= 0]
    for k, joint in fixed:
        guesses[:, joint] = wanted[k]
    phi, residuals = newton(assembly, guesses, np.broadcast_to(wanted, (starts, len(wanted))).copy())
    phi = phi[closed(residuals)]
    found: list[Array] = []
    for candidate in phi:
        if all(np.abs(wrapped(assembly, candidate - other)).max() > 1e-6 for other in found):
            near = wrapped_near(assembly, candidate, around)
            for k, joint in fixed:
                near[joint] = wanted[k]
            found.append(near)
    found.sort(key=lambda one: float(np.linalg.norm(one - around)))
    return np.array(found).reshape(-1, assembly.m)
