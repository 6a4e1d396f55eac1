"""Finding positions: closed configurations with given coordinates, by Newton with a line search, in batches."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError, AssemblyWarning, caller_level
from ..arm.joint_ranges import finite_ranges
from .batch import Array

if TYPE_CHECKING:
    from .assembly import Assembly

TOLERANCE = 1e-13
"""Of the equations, in metres or radians, times the size of the numbers in them."""
LARGEST_STEP = 0.7
"""Of a joint in one Newton step (rad or m): larger ones lead to other assembly modes than the guess is near."""
STARTS = 64
"""Random joints that an assembly is looked for from."""


def newton(
    assembly: Assembly, guess: Array, target: Array | None, iterations: int = 60, near: bool = False
) -> tuple[Array, Array]:
    """Joints ``(b, m)`` that satisfy the closures and have the coordinates ``target`` ``(b, n)``; residuals ``(b,)``.

    Without ``target`` the closures alone are satisfied, by steps of least length: the closed configuration near the
    guess. A residual above tolerance means that none was found. ``near``: the guess comes from a closed configuration
    by a small step, so that the closures' equations, quicker than their errors on the rotation group, serve as well.
    """
    phi = guess.copy()
    size = np.ones(len(phi)) + np.abs(target).max(axis=1, initial=0.0) if target is not None else np.ones(len(phi))

    def residual(joints: Array, indices: NDArray[np.intp]) -> tuple[Array, Array]:
        if target is None:
            return assembly.closures_at(joints) if near else assembly.closure_error(joints)
        value, g = assembly.first_order(joints, as_error=not near)
        value[:, : assembly.n] -= target[indices]
        return value, g

    worst = np.full(len(phi), np.inf)
    active = np.arange(len(phi))
    value, jacobian = residual(phi, active)
    for _ in range(iterations):
        worst[active] = np.abs(value).max(axis=1, initial=0.0)
        rough = worst[active] > TOLERANCE * size[active]
        if target is not None and not rough.all():
            # A last step, which is known, takes off what differences would see; near singularities it is rounding.
            final_step = _step(jacobian[~rough], value[~rough], None)
            phi[active[~rough]] -= np.where(np.abs(final_step).max(axis=1, keepdims=True) < 1e-10, final_step, 0.0)
        if not rough.any():
            break
        active, value, jacobian = active[rough], value[rough], jacobian[rough]
        step = _step(jacobian, value, assembly.rank if target is None else None)
        largest = np.abs(step).max(axis=1)
        step *= np.minimum(1.0, LARGEST_STEP / np.maximum(largest, 1e-300))[:, None]
        before = (value * value).sum(axis=1)
        length = np.ones(len(active))
        waiting = np.arange(len(active))
        trial = phi[active] - step
        for _ in range(12):
            # What the equations are at a step that is taken is where the next one starts.
            value[waiting], jacobian[waiting] = residual(trial[waiting], active[waiting])
            after = (value[waiting] * value[waiting]).sum(axis=1)
            good = after <= (1 - 1e-4 * length[waiting]) * before[waiting]
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
        active, value, jacobian = active[moved], value[moved], jacobian[moved]
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
    return rng.uniform(*finite_ranges(system.lower, system.upper, reach, middle), (count, assembly.m))


def assembled(assembly: Assembly, guess: Array, name: str, chosen: bool) -> Array:
    """The closed configuration near ``guess`` ``(m,)``, or near a random one where the guess leads to none.

    A warning says so where the guess is of somebody's choice.
    """
    phi, residuals = newton(assembly, guess[None], None)
    if closed(residuals)[0]:
        return phi[0]
    guesses = random_joints(assembly, STARTS, 0, guess)
    candidates, errors = newton(assembly, guesses, None)
    good = closed(errors)
    if good.any():
        distance = np.linalg.norm(wrapped(assembly, candidates[good] - guess), axis=1)
        home = wrapped_near(assembly, candidates[good][int(np.argmin(distance))], guess)
        if chosen:
            warnings.warn(
                f"{name}: the loops do not close from the home that was given, so the nearest of {int(good.sum())} "
                f"found from random starts is taken: {moved_most(assembly, home - guess)}; give a home nearer to the "
                f"assembly you mean",
                AssemblyWarning,
                caller_level(),
            )
        return home
    best = candidates[int(np.argmin(errors))] if errors.min() < residuals[0] else phi[0]
    raise ArmError(cannot_close(assembly, best, STARTS))


def moved_most(assembly: Assembly, moved: Array) -> str:
    """The joint that moved most, and how far."""
    k = int(np.argmax(np.abs(moved)))
    unit = "rad" if assembly.chains.revolute[k] else "m"
    return f"{assembly.chains.joint_names[k]} moved by {moved[k]:.3g} {unit}, the most of all joints"


def cannot_close(assembly: Assembly, phi: Array, starts: int) -> str:
    """Which closure stays open, and by how much."""
    errors = np.abs(assembly.closure_error(phi[None])[0][0])
    worst = int(np.argmax(errors))
    name, size = assembly.equation_names[worst], errors[worst]
    attempt = f"from the guess and {starts} random starts the best" if starts else "from the guess the nearest"
    if np.abs(assembly.closures_at(phi[None])[0]).max() <= 1e-9:
        return (
            f"the mechanism closes only with its axes turned the wrong way round: {attempt} leaves {name} off by "
            f"{np.degrees(size):.4g} degrees; start nearer to the assembly you mean, or turn a frame of that closure"
        )
    unit = "rad" if name.rpartition(".")[2].startswith("r") else "m"
    return (
        f"the mechanism cannot be assembled: {attempt} leaves {name} open by {size:.3g} {unit}; check the lengths and "
        f"where the bases stand, or give a guess nearer to a closed configuration"
    )


def wrapped(assembly: Assembly, difference: Array) -> Array:
    """Differences of joints, whole turns taken out of angles that no gear ties to others."""
    turns = np.where(assembly.chains.revolute & ~assembly.geared, 2 * np.pi, 0.0)
    return difference - turns * np.round(difference / (2 * np.pi))


def wrapped_near(assembly: Assembly, phi: Array, guess: Array) -> Array:
    """The same configuration with angles within half a turn of ``guess``."""
    return guess + wrapped(assembly, phi - guess)


def assembly_modes(assembly: Assembly, target: Array, starts: int, seed: int, around: Array) -> Array:
    """All different configurations ``(k, m)`` with these coordinates that Newton finds from random starts.

    A coordinate that is a joint starts at its wanted value. Angles come within half a turn of ``around``, so
    configurations that differ by whole turns count once; a joint that is a coordinate keeps its value.
    """
    guesses = random_joints(assembly, starts, seed, around)
    guesses[0] = around
    fixed = [(k, c.joint) for k, c in enumerate(assembly.coordinates) if c.joint >= 0]
    for k, joint in fixed:
        guesses[:, joint] = target[k]
    phi, residuals = newton(assembly, guesses, np.broadcast_to(target, (starts, len(target))).copy())
    phi = phi[closed(residuals)]
    modes: list[Array] = []
    for candidate in phi:
        if all(np.abs(wrapped(assembly, candidate - known_mode)).max() > 1e-6 for known_mode in modes):
            near = wrapped_near(assembly, candidate, around)
            for k, joint in fixed:
                near[joint] = target[k]
            modes.append(near)
    modes.sort(key=lambda mode: float(np.linalg.norm(mode - around)))
    return np.array(modes).reshape(-1, assembly.m)
