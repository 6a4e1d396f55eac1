"""What is wrong with a set of coordinates or closures, in words, and what would work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from scipy.linalg import qr

from ..arm.description import listed
from ..arm.errors import ArmError
from .batch import Array

if TYPE_CHECKING:
    from .assembly import Assembly

RANK = 1e-8
"""Singular values below this part of the largest count as zero where a rank is decided."""


def rank_of(g: Array) -> int:
    """Numerical rank of one matrix."""
    if not g.size:
        return 0
    return _numerical_rank(np.linalg.svd(g, compute_uv=False))


def freedoms(g: Array) -> Array:
    """An orthonormal basis ``(m, f)`` of the joint rates that [G^c_phi] ``(r, m)`` leaves free."""
    if not g.size:
        return np.eye(g.shape[1])
    _, s, vh = np.linalg.svd(g)
    return vh[_numerical_rank(s) :].T


def _numerical_rank(s: Array) -> int:
    """How many singular values, the largest first, are no rounding of zero."""
    return int((s > RANK * max(s[0], 1e-300)).sum())


def independent_joints(g: Array) -> list[int]:
    """Joints that together determine the motion, best first: pivoted QR of the free joint rates."""
    free = freedoms(g)
    if not free.shape[1]:
        return []
    pivots: Any = qr(free.T, pivoting=True, mode="economic")[2]
    return [int(k) for k in pivots[: free.shape[1]]]


def suggestion(assembly: Assembly, g: Array) -> str:
    """Coordinates that work at this configuration, as text."""
    return listed(sorted(assembly.chains.joint_names[k] for k in independent_joints(g)))


def check_coordinates(assembly: Assembly, phi: Array) -> None:
    """Refuse coordinates that do not determine the mechanism at one closed configuration."""
    g_w = assembly.first_order(phi[None])[1][0]
    closing = g_w[assembly.n :]
    free = assembly.m - rank_of(closing)
    if assembly.n < free:
        raise ArmError(
            f"{assembly.n} coordinate{'s' * (assembly.n != 1)} for {free} freedoms: the mechanism can move while they "
            f"stand still; these joints would do: {suggestion(assembly, closing)}"
        )
    if assembly.n > free:
        raise ArmError(
            f"{assembly.n} coordinates for {free} freedom{'s' * (free != 1)}: they depend on each other; these joints "
            f"would do: {suggestion(assembly, closing) or 'none, the mechanism is a structure that cannot move'}"
        )
    _, s, _ = np.linalg.svd(g_w)
    if not s[assembly.m - 1] > RANK * s[0]:
        refuse_singular(assembly, phi, g_w, float(s[0] / max(s[assembly.m - 1], 1e-300)))


def refuse_singular(assembly: Assembly, phi: Array, g: Array, condition: float) -> NoReturn:
    """The error for a singular [G^w_phi]: which closure, coordinate and joints, how near, and what would work."""
    n = assembly.n
    closing = g[n:]
    values = ", ".join(f"{value:.4g}" for value in phi[:8]) + (", ..." if len(phi) > 8 else "")
    u, _, vh = np.linalg.svd(np.where(np.isfinite(g), g, 0.0))
    motion = vh[-1]
    moving = [assembly.chains.joint_names[k] for k in np.argsort(-np.abs(motion))[:3] if abs(motion[k]) > 0.1]
    free = freedoms(closing)
    if free.shape[1] > n:
        loads = np.abs(u[n:, -1]) if g.shape[0] == g.shape[1] else np.zeros(0)
        equation = assembly.equation_names[int(np.argmax(loads))] if loads.size and loads.max() > 0.05 else ""
        raise ArmError(
            f"at phi = ({values}) the closures{f' ({equation} foremost)' if equation else ''} hold one freedom less "
            f"than elsewhere (condition number {condition:.3g}): {listed(moving)} can move while the coordinates stand "
            f"still; move away from this configuration, or choose {free.shape[1]} coordinates there: "
            f"{suggestion(assembly, closing)}"
        )
    dependent = [c.name for c, weight in zip(assembly.coordinates, np.abs(u[:n, -1]), strict=True) if weight > 0.1]
    raise ArmError(
        f"at phi = ({values}) the coordinates {listed(dependent or [c.name for c in assembly.coordinates])} do not "
        f"determine the mechanism (condition number {condition:.3g}): {listed(moving)} can move while they stand "
        f"still; choose other coordinates there, such as {suggestion(assembly, closing)}"
    )
