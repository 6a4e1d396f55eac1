"""Functions of long arms by recursions over a table of joints: no code is made for an arm, only its table.

Straight-line code grows with the pairs of joints, and so do the compiler's time and the instructions to be fetched. A
loop (``emit_recursion.py``) is built once on a machine; what distinguishes arms are the numbers it reads.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..formulations import composite_body
from ..formulations.chain import Chain, Segment
from ..formulations.composite_motion import from_first_joint, torque_derivatives
from ..formulations.newton_euler import second_moments
from ..formulations.rotor_bodies import Row, with_rotors
from ..formulations.system import SystemOverRing
from ..rings.algebra import EYE, ZERO, Mat
from ..rings.real import REAL
from . import build, shared_library
from .code_length import MOST_UNASKED, expected_statements
from .emit_recursion import FUNCTIONS, recursion_source
from .recursion_steps import FIXED, MOVE, UPPER

FLAGS = ("-ffp-contract=off", "-O3")
_POINTERS = (
    "fixed", "rest", "ratios", "parent", "revolute", "carried", "rows", "coordinates", "above_rows", "above",
    "below_rows", "below", "places",
)  # fmt: skip
FEW_JOINTS = {
    "mass_matrix": 40, "inverse_mass_matrix": 30, "coriolis_matrix": 48, "inverse_dynamics_derivatives": 20,
    "forward_dynamics_derivatives": 16,
}  # fmt: skip
"""Joints up to which straight-line code is made: to about there it is as quick as loops, and it grows long to make."""
INERTIAL = ("mass_matrix", "inverse_mass_matrix", "coriolis_matrix")
"""Functions in which neither friction nor springs are."""


class RecursionLayout(ctypes.Structure):
    """``struct Recursion`` of the C functions."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in _POINTERS),
        *((name, ctypes.c_int32) for name in ("n", "joints", "plain", "full")),
    )


class Recursion:
    """The table of a chain over floats, with ``rows`` of A where joints follow others: (coordinate, ratio) each."""

    def __init__(self, chain: Chain, n: int, rows: Sequence[Row] | None, dtype: Any) -> None:
        self.n = n
        chain = from_first_joint(chain)
        fixed = np.zeros((chain.n, FIXED))
        for row, segment in zip(fixed, chain.segments, strict=True):
            second_moment = second_moments(segment.tensor, REAL)
            row[:9], row[9:12] = np.ravel(segment.rotation), segment.position
            row[12], row[13:16], row[16:] = segment.mass, segment.moment, [second_moment[i][j] for i, j in UPPER]
        base = np.zeros(MOVE)
        base[:9], base[21:] = np.eye(3).ravel(), [-float(g) for g in chain.gravity]
        paths = [path[:-1] for path in chain.paths] if rows is None else [tuple(range(k)) for k in range(n)]
        below: list[list[int]] = [[] for _ in range(n)]
        for k, path in enumerate(paths):
            for i in path:
                below[i].append(k)
        coupled = rows if rows is not None else [[(k, 1.0)] for k in range(n)]
        self.arrays: dict[str, NDArray[Any]] = {
            "fixed": fixed.astype(dtype),
            "rest": base.astype(dtype),
            "ratios": np.array([ratio for row in coupled for _, ratio in row], dtype),
            "parent": np.array([segment.parent for segment in chain.segments], np.int32),
            "revolute": np.array([segment.revolute for segment in chain.segments], np.int32),
            "carried": np.bincount([x.parent for x in chain.segments if x.parent >= 0], minlength=chain.n).astype(
                np.int32
            ),
            **_lists("rows", "coordinates", [[c for c, _ in row] for row in coupled]),
            **_lists("above_rows", "above", paths),
            **_lists("below_rows", "below", below),
            "places": np.arange(n * n, dtype=np.int32),
        }
        full = sum(map(len, paths)) == n * (n - 1) // 2
        self.layout = RecursionLayout(
            *(self.arrays[name].ctypes.data for name in _POINTERS), n, chain.n, int(rows is None), int(full)
        )

    @property
    def address(self) -> int:
        """Where the ``struct Recursion`` is in memory."""
        return ctypes.addressof(self.layout)


def _lists(starts: str, entries: str, lists: Sequence[Sequence[int]]) -> dict[str, NDArray[Any]]:
    """Lists one after another, and where each begins."""
    return {
        starts: np.cumsum([0, *map(len, lists)]).astype(np.int32),
        entries: np.array([x for entries_of_one in lists for x in entries_of_one] or [0], np.int32),
    }


@lru_cache
def library(dtype: np.dtype[Any]) -> shared_library.CompiledLibrary:
    """The library for numbers of this type."""
    file = shared_library.built_library(recursion_source(dtype.name), FLAGS, verify=partial(verify, dtype=dtype))
    return shared_library.CompiledLibrary(file)


def verify(code: shared_library.CompiledLibrary, dtype: np.dtype[Any]) -> None:
    """The derivatives of a small tree against the pages of the formulations, one state at a time and in a batch."""
    chain, name = _sample(), "inverse_dynamics_derivatives"
    table, shapes = Recursion(chain, chain.n, None, dtype), ((chain.n, chain.n),) * 3
    caller = shared_library.CtypesCaller((chain.n,) * 3, shapes, dtype.num, 0, shared_library.uncallable)
    attach(caller, name, table, code)
    states = np.random.default_rng(0).uniform(-1, 1, (3, 19, chain.n)).astype(dtype)
    batch = tuple(np.zeros((19, chain.n**2), dtype) for _ in shapes)
    caller.chunk(tuple(states), batch, 0, 19)
    single = tuple(np.zeros(chain.n**2, dtype) for _ in shapes)
    caller.bind(tuple(states[:, 4]), single, None)()
    slopes = torque_derivatives(chain, REAL, *states[:, 4].astype(float).tolist())
    expected = np.array([*slopes, composite_body.mass_matrix(chain, REAL, states[0, 4].astype(float).tolist())])
    tolerance = (1e-12 if dtype == np.float64 else 1e-4) * np.abs(expected).max()
    for computed in (single, [table[4] for table in batch]):
        if not (np.abs(np.reshape(computed, expected.shape) - expected) <= tolerance).all():
            raise build.CompileError(f"the C compiler {build.find().command[0]} built code that computes wrongly")


def _sample() -> Chain:
    """Three joints, the second of which slides and the third of which stands beside it."""
    turn: Mat = ((0.0, -0.6, 0.8), (1.0, 0.0, 0.0), (0.0, 0.8, 0.6))
    tensor: Mat = ((0.5, 0.1, 0.0), (0.1, 0.6, -0.1), (0.0, -0.1, 0.7))
    segments = (
        Segment(parent, revolute, turn, (0.1, 0.2, 0.3), (EYE, ZERO), 2.0, (0.3, -0.2, 0.4), tensor, None, None)
        for parent, revolute in ((-1, True), (0, False), (0, True))
    )
    return Chain(tuple(segments), (1.0, 2.0, -9.0), 2, (EYE, ZERO))


def fits(arm: ArmDescription, name: str) -> bool:
    """Whether a function of a long arm is had in this way: of bodies and rotors, without friction and springs."""
    return too_long(arm, name) and bodies_in_constant_ratios(arm) and (name in INERTIAL or not resists(arm))


def too_long(arm: ArmDescription, name: str) -> bool:
    """Whether straight-line code of this function is too long to be made."""
    if name not in FUNCTIONS:
        return False
    return arm.n > FEW_JOINTS.get(name, arm.n) or expected_statements(arm, name) > MOST_UNASKED


def resists(arm: ArmDescription) -> bool:
    """Whether friction, springs or dampers act on an arm."""
    return bool(arm.elastic) or arm.has_friction


def bodies_in_constant_ratios(arm: ArmDescription) -> bool:
    """Whether all that an arm moves are links and rotors that turn in constant ratios to the joints."""
    drives = arm.drives
    varying = drives.turns is not None or any(element.turns is not None for element in drives.elements)
    return not arm.counts_drives or not (varying or any(part.body is not None for part in drives.parts))


def attached(caller: Any, name: str, arm: ArmDescription, dtype: np.dtype[Any]) -> bool:
    """Have ``caller`` compute the function ``name`` by the table of an arm; False where there is no library for it."""
    try:
        code = library(dtype)
    except build.CompileError as fault:
        build.warn_slow(fault)
        return False
    attach(caller, name, Recursion(*_bodies(arm), dtype), code)
    return True


def attach(caller: Any, name: str, table: Recursion, code: shared_library.CompiledLibrary) -> None:
    """Have ``caller`` compute the function ``name`` by a table."""
    addresses = (code.address(f"{name}_single"), code.address(f"{name}_batch"))
    caller.attach_tape(*addresses, table.address, (table, code), float("inf"), float("inf"))


def _bodies(arm: ArmDescription) -> tuple[Chain, int, Sequence[Row] | None]:
    chain, rows = with_rotors(SystemOverRing(arm, REAL))
    return chain, arm.n, rows
