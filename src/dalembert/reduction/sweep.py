"""Programs at sample states, forward and backward: contributions, those of a unit of each constant, effects of cuts.

Derivatives by reverse-mode differentiation (Griewank and Walther 2008), one sweep for each torque. In machine code
(``sweep.c``) where there is a compiler, else in NumPy, with the same answers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compile.own_library import own_library, pointer
from .operation_list import CODES, CONSTANT, NAMED, STATE, OperationList
from .states import Array

LANES = 32
"""Positions that ``sweep.c`` takes at a time."""
_POINTER, _INT = ctypes.c_void_p, ctypes.c_int
SOURCE = Path(__file__).with_name("sweep.c")
SIGNATURES = {
    "sweep": (_INT, [_POINTER, _POINTER, _INT, _POINTER, _POINTER, _INT, *(_POINTER,) * 6]),
    "largest_sums": (None, [_POINTER, _POINTER, ctypes.c_long, _INT, _INT, _INT, _POINTER]),
}
Ints = NDArray[np.int32]


def library() -> Any:
    """The sweeps in machine code; None where there is no compiler."""
    return own_library(SOURCE, signatures=SIGNATURES)


class _Program(ctypes.Structure):
    _fields_ = [
        *((name, _INT) for name in ("slots", "outputs", "joints", "runs", "points", "room")),
        *((name, _POINTER) for name in ("code", "a", "b", "value", "still", "out", "q", "qd", "qdd", "named", "scale")),
        ("pairs", _INT), ("first", _POINTER), ("second", _POINTER),
    ]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Motions:
    """Every position of ``q`` (n, points) with every motion of ``qd`` and ``qdd`` (runs, n); see ``samples.py``."""

    q: Array
    qd: Array
    qdd: Array
    scale: Array
    pairs: list[tuple[int, int]]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Joints, coefficients and positions of contributions."""
        return len(self.scale), len(self.qd), self.q.shape[1]

    @cached_property
    def room(self) -> int:
        """Positions, padded for the lanes of ``sweep.c``."""
        return -(-self.q.shape[1] // LANES) * LANES

    @cached_property
    def padded(self) -> Array:
        """The positions, the last one again in what is padded."""
        return self.pad(self.q)

    def pad(self, rows: Array) -> Array:
        """Numbers for each position, padded."""
        return np.ascontiguousarray(np.pad(rows, ((0, 0), (0, self.room - rows.shape[1])), mode="edge"), float)

    @cached_property
    def fixed(self) -> tuple[Array, Array, Array, Ints]:
        """Speeds, accelerations, scale, and the pairs of joints that move together, as C takes them."""
        pairs = np.array(self.pairs or [(0, 0)], np.int32).T
        return (
            np.ascontiguousarray(self.qd),
            np.ascontiguousarray(self.qdd),
            np.ascontiguousarray(self.scale, float),
            np.ascontiguousarray(pairs),
        )

    def contributions(self, torques: Array) -> Array:
        """(..., n, runs, points) torques as shares: G_i, D_ij a_j, C_ijj v_j^2 and 2 C_ijk v_j v_k over the scale."""
        runs, n = torques / self.scale[:, None, None], self.q.shape[0]
        shares = runs - runs[..., :1, :]
        shares[..., 0, :] = runs[..., 0, :]
        first_speeds, second_speeds = [1 + n + j for j, _ in self.pairs], [1 + n + k for _, k in self.pairs]
        shares[..., 1 + 2 * n :, :] -= shares[..., first_speeds, :] + shares[..., second_speeds, :]
        return shares


@dataclass(frozen=True, eq=False)
class Cuts:
    """What each of several cuts takes: sign times the value of slot ``removed``, from slot ``at``."""

    at: Ints
    removed: Ints
    sign: Array


class SampleSweep:
    """One program, with the values of its named constants (names, points), at all states."""

    def __init__(self, listing: OperationList, named: Array, motions: Motions) -> None:
        self.listing, self.named, self.motions = listing, named, motions
        self._library = library()

    def _run(self, torque: Array | None, unit: Array | None, cuts: Cuts | None = None, **arrays: Any) -> None:
        """``sweep`` of ``sweep.c``."""
        listing, motions = self.listing, self.motions
        qd, qdd, scale, pairs = motions.fixed
        named = motions.pad(self.named) if len(self.named) else np.zeros((1, motions.room))
        n, runs, points = motions.shape
        program = _Program(
            len(listing.code), n, motions.q.shape[0], runs, points, motions.room,
            *(x.ctypes.data for x in (listing.code, listing.a, listing.b, listing.value, listing.still, listing.out)),
            motions.padded.ctypes.data,
            qd.ctypes.data, qdd.ctypes.data, named.ctypes.data, scale.ctypes.data,
            len(motions.pairs), pairs[0].ctypes.data, pairs[1].ctypes.data,
        )  # fmt: skip
        at = listing.named
        result = self._library.sweep(
            ctypes.byref(program), pointer(torque), len(at), pointer(at), pointer(unit),
            0 if cuts is None else len(cuts.at),
            *(pointer(x) for x in ((None,) * 3 if cuts is None else (cuts.at, cuts.removed, cuts.sign))),
            *(pointer(arrays.get(name)) for name in ("most", "place", "effect")),
        )  # fmt: skip
        if result == 2:
            raise MemoryError("no memory for the sample states of a reduction")

    # -- in NumPy --------------------------------------------------------------------------------

    @cached_property
    def _values(self) -> list[Any]:
        """The values of all slots, each to be broadcast to (runs, points)."""
        listing, motions = self.listing, self.motions
        n, rows = motions.q.shape[0], [*motions.q, *motions.qd.T[:, :, None], *motions.qdd.T[:, :, None]]
        values: list[Any] = []
        for slot, code in enumerate(listing.code.tolist()):
            a, b = int(listing.a[slot]), int(listing.b[slot])
            if code == CONSTANT:
                values.append(float(listing.value[slot]))
            elif code == STATE:
                values.append(rows[a][None, :] if a < n else rows[a])
            elif code == NAMED:
                values.append(self.named[a][None, :])
            else:
                values.append(OPERATIONS[code](values[a], values[b]))
        return values

    def _slopes(self, output: int) -> dict[int, Any]:
        """The derivative of a torque with respect to every slot on which it depends."""
        listing, values = self.listing, self._values
        slopes: dict[int, Any] = {int(listing.out[output]): 1.0}
        for slot in range(len(listing.code) - 1, 0, -1):
            slope, code = slopes.get(slot), int(listing.code[slot])
            if slope is None or code < CODES["add"]:
                continue
            a, b = int(listing.a[slot]), int(listing.b[slot])
            if code == CODES["mul"]:
                slopes[a] = slopes.get(a, 0.0) + slope * values[b]
                slopes[b] = slopes.get(b, 0.0) + slope * values[a]
            elif code == CODES["neg"]:
                slopes[a] = slopes.get(a, 0.0) - slope
            elif code in (CODES["add"], CODES["sub"]):
                slopes[a] = slopes.get(a, 0.0) + slope
                slopes[b] = slopes.get(b, 0.0) + (slope if code == CODES["add"] else -slope)
        return slopes

    # -- questions --------------------------------------------------------------------------------

    def contributions(self) -> Array:
        """The contributions of the program: joint by coefficient by position."""
        contributions = np.empty(self.motions.shape)
        if self._library is not None:
            self._run(contributions, None)
            return contributions
        for row, slot in enumerate(self.listing.out.tolist()):
            contributions[row] = self._values[slot]
        return self.motions.contributions(contributions)

    def linear(self) -> tuple[Array, Array]:
        """The contributions, and those of one unit of each named constant; torques are linear in the constants."""
        shape = self.motions.shape
        contributions, units = np.empty(shape), np.empty((len(self.listing.names), *shape))
        if self._library is not None:
            self._run(contributions, units)
            return contributions, units
        for row in range(shape[0]):
            slopes = self._slopes(row)
            for k, slot in enumerate(self.listing.named.tolist()):
                units[k, row] = slopes.get(slot, 0.0)
        return self.contributions(), self.motions.contributions(units)

    def cut_effects(self, cuts: Cuts, limit: Array) -> tuple[Ints, Callable[[Array], None]]:
        """The cuts whose effect on no torque is above ``limit`` anywhere, and a function that writes the contributions
        of their effects to an array.
        """
        n = self.motions.shape[0]
        largest = np.zeros((len(cuts.at), n))
        if self._library is not None:
            self._run(None, None, cuts, most=largest)
        else:
            for row in range(n):
                for c, torque in enumerate(self._torques(row, cuts)):
                    largest[c, row] = np.abs(torque).max()
        within = np.flatnonzero(np.all(largest <= limit, axis=1)).astype(np.int32)

        def write(effects: Array) -> None:
            chosen = Cuts(cuts.at[within], cuts.removed[within], cuts.sign[within])
            if self._library is not None:
                self._run(None, None, chosen, place=np.arange(len(within), dtype=np.int32), effect=effects)
                return
            for row in range(n):
                for c, torque in enumerate(self._torques(row, chosen)):
                    effects[c, row] = torque
            effects[:] = self.motions.contributions(effects)

        return within, write

    def _torques(self, output: int, cuts: Cuts) -> list[Any]:
        """What each cut takes from a torque."""
        slopes = self._slopes(output)
        return [
            slopes.get(at, 0.0) * (sign * self._values[removed])
            for at, removed, sign in zip(cuts.at.tolist(), cuts.removed.tolist(), cuts.sign.tolist(), strict=True)
        ]


OPERATIONS: dict[int, Callable[[Any, Any], Any]] = {
    CODES["add"]: lambda a, b: a + b,
    CODES["sub"]: lambda a, b: a - b,
    CODES["mul"]: lambda a, b: a * b,
    CODES["neg"]: lambda a, _: -a,
    CODES["sin"]: lambda a, _: np.sin(a),
    CODES["cos"]: lambda a, _: np.cos(a),
}


def worst(contributions: Array, added: Array | None = None) -> Array:
    """For each joint the largest over positions of the summed magnitudes of all contributions: what a proof bounds.

    Of contributions, or of each of several plus what is ``added`` to all of them.
    """
    compiled, (joints, runs, points) = library(), contributions.shape[-3:]
    if compiled is None:
        total = contributions if added is None else contributions + added
        return np.asarray(np.abs(total).sum(axis=-2).max(axis=-1, initial=0.0))
    contributions = np.ascontiguousarray(contributions)
    sums = np.zeros(contributions.shape[:-2])
    compiled.largest_sums(
        pointer(contributions), pointer(added), sums.size // joints, joints, runs, points, pointer(sums)
    )
    return sums
