"""Singular configurations: found, told apart, and how far away the nearest is.

Three matrices decide (in the manner of Gosselin and Angeles 1990), each with a meaning for the mechanism:

    [G^c]        loses rank: the closures hold one freedom less there, paths branch          "constraint"
    [G^(q,c)]    is singular: with the coordinates (drives) locked the mechanism still moves  "gain"
    [G^(u,c)]    is singular: some motion of the output u is lost, however the drives move    "loss"

u being as many coordinates as the mechanism has freedoms, of the hand for example. The last two are one question put to
two sets of coordinates, since det [G^u_q] = det [G^(u,c)] / det [G^(q,c)].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import qr
from scipy.optimize import minimize

from ..arm.errors import ArmError
from ..systems.arrays import vector_array
from . import position
from .assembly import Assembly
from .batch import Array

if TYPE_CHECKING:
    from .mechanism import Mechanism

SINGULAR = 1e-8
"""Smallest over largest singular value below which a configuration is called singular."""


@dataclass(frozen=True)
class SingularityReport:
    """What is singular at a configuration.

    ``kinds`` holds "constraint", "gain" and "loss" as they apply. ``constraint``, ``gain`` and ``loss`` are the
    smallest over the largest singular value of the three matrices: how far from singular; ``loss`` is None without an
    output. ``motion`` ``(m,)`` are joint rates with the drives locked, where there is a gain.
    """

    kinds: tuple[str, ...]
    constraint: float
    gain: float
    loss: float | None
    motion: Array | None

    def __str__(self) -> str:
        if not self.kinds:
            return f"regular (reciprocal condition {self.gain:.3g})"
        words = {
            "constraint": "the closures lose a constraint",
            "gain": "gain of freedom: it moves with the drives locked",
            "loss": "loss of freedom: the output cannot move in some direction",
        }
        return "; ".join(words[kind] for kind in self.kinds)


@dataclass(frozen=True)
class Nearest:
    """A singular configuration near another: its joints and its distance in joint space (root of squares, rad, m)."""

    kind: str
    phi: Array
    distance: float


def output_assembly(mechanism: Mechanism, output: Sequence[str]) -> Assembly:
    """The same closures with the output as coordinates."""
    assembly = Assembly(mechanism.chains, mechanism.parts.closures, output)
    if assembly.n != mechanism.n:
        raise ArmError(
            f"the output has {assembly.n} coordinates and the mechanism {mechanism.n}; give as many of the hand"
        )
    return assembly


def report(mechanism: Mechanism, phi: ArrayLike, output: Sequence[str] | None = None) -> SingularityReport:
    """What is singular at one closed configuration."""
    joints = vector_array(mechanism.m, "phi", phi)
    closing = mechanism.assembly.closure_jacobian(joints[None])[0]
    rank = mechanism.assembly.rank or 0
    s = np.linalg.svd(closing, compute_uv=False) if closing.size else np.ones(1)
    constraint = float(s[rank - 1] / s[0]) if rank else 1.0
    gain, motion = _reciprocal_condition(mechanism.assembly, joints)
    loss = _reciprocal_condition(output_assembly(mechanism, output), joints)[0] if output is not None else None
    measured = (("constraint", constraint), ("gain", gain), ("loss", loss))
    kinds = tuple(kind for kind, value in measured if value is not None and value < SINGULAR)
    if "constraint" in kinds:
        kinds = ("constraint",)  # then the other two are singular as a matter of course
    return SingularityReport(kinds, constraint, gain, loss, motion if "gain" in kinds else None)


def _reciprocal_condition(assembly: Assembly, phi: Array) -> tuple[float, Array]:
    g = assembly.first_order(phi[None])[1][0]
    _, s, vh = np.linalg.svd(g)
    return float(s[assembly.m - 1] / s[0]), vh[assembly.m - 1]


def nearest(
    mechanism: Mechanism,
    phi: ArrayLike,
    kind: str = "gain",
    output: Sequence[str] | None = None,
    tries: int = 12,
    spread: float = 1.0,
) -> Nearest | None:
    """The nearest singular configuration of this kind ("gain" or "loss") that a search from several starts finds.

    It minimises the distance in joint space over closed configurations with a vanishing determinant (SciPy's SLSQP,
    with exact derivatives from the second-order coefficients). None where every start ends without one.
    """
    if kind not in ("gain", "loss"):
        raise ArmError(f'a singularity to look for is of kind "gain" or "loss", not {kind!r}')
    if kind == "loss" and output is None:
        raise ArmError('a loss of freedom is one of an output; give output=["x(hand)", ...]')
    assembly = mechanism.assembly if kind == "gain" else output_assembly(mechanism, output or ())
    start = vector_array(mechanism.m, "phi", phi)
    target = _Target(assembly, start)
    rng = np.random.default_rng(0)
    guesses = np.concatenate([start[None], start + spread * rng.normal(size=(tries - 1, mechanism.m))])
    closed_guesses, residuals = position.newton(mechanism.assembly, guesses, None)
    best: Nearest | None = None
    for guess in closed_guesses[position.closed(residuals)]:
        result = minimize(
            lambda x: 0.5 * float((x - start) @ (x - start)),
            guess,
            jac=lambda x: x - start,
            constraints=[{"type": "eq", "fun": target.value, "jac": target.slope}],
            method="SLSQP",
            options={"maxiter": 200, "ftol": 1e-14},
        )
        distance = float(np.linalg.norm(result.x - start))
        is_singular = (
            np.abs(target.value(result.x)).max() < 1e-8 and _reciprocal_condition(assembly, result.x)[0] < 1e-6
        )
        if is_singular and (best is None or distance < best.distance):
            best = Nearest(kind, result.x, distance)
    return best


class _Target:
    """Closures and det [G^(q,c)] as equations of the joints, with their exact derivatives.

    Of redundant closures an independent part is kept, chosen at the start.
    """

    def __init__(self, assembly: Assembly, start: Array) -> None:
        self.assembly = assembly
        g = assembly.first_order(start[None])[1][0]
        n = assembly.n
        if assembly.r > assembly.m - n:
            pivots: Any = qr(g[n:].T, pivoting=True, mode="economic")[2]
            self.rows = np.concatenate([np.arange(n), n + np.sort(pivots[: assembly.m - n])])
        else:
            self.rows = np.arange(n + assembly.r)
        self.size = max(abs(float(np.linalg.det(g[self.rows]))), 1e-12)

    def value(self, phi: Array) -> Array:
        """c, then det [G^(q,c)] over its size at the start."""
        value, g_w = (table[0] for table in self.assembly.first_order(phi[None]))
        g, c = g_w[self.rows], value[self.rows[self.assembly.n :]]
        return np.concatenate([c, [np.linalg.det(g) / self.size]])

    def slope(self, phi: Array) -> Array:
        """[G^c], then d det G/dphi_m = sum_rn cof(G)_rn H_rmn (Jacobi's formula), over the same size."""
        placed = self.assembly.chains.place(phi[None])
        blocks = self.assembly.blocks(placed, 2)
        g = self.assembly.jacobian(blocks, 1)[0][self.rows]
        cofactors = np.zeros((self.assembly.n + self.assembly.r, self.assembly.m))
        cofactors[self.rows] = _cofactors(g)
        slope = np.zeros(self.assembly.m)
        for block in blocks:
            block_cofactors = cofactors[block.rows][:, block.joints]
            assert block.jet.second is not None
            slope[block.joints] += np.einsum("rn,rmn->m", block_cofactors, np.asarray(block.jet.second[0]))
        return np.vstack([g[self.assembly.n :], slope / self.size])


def _cofactors(g: Array) -> Array:
    """d det(G)/dG, finite where G is singular too: from its singular values."""
    u, s, vh = np.linalg.svd(g)
    products = np.array([np.prod(np.delete(s, k)) for k in range(len(s))])
    return float(np.linalg.det(u) * np.linalg.det(vh)) * (u * products) @ vh
