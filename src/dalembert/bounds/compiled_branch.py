"""The search of ``branch.py`` in machine code (``branch.c`` and its parts), built once and kept like every kernel."""

from __future__ import annotations

import ctypes
import weakref
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..compile.own_library import Signatures, own_library
from .bernstein import NARROWEST
from .waves import Array

if TYPE_CHECKING:
    from .branch import Branch

JOINTS, DEGREE, LEVELS = 16, 8, 128
"""Most joints, the highest degree of a joint, and the most halvings of one, that ``branch.c`` has room for."""
DEFINED = {"JOINTS": JOINTS, "DEGREE": DEGREE, "LEVELS": LEVELS}
SOURCES = tuple(Path(__file__).with_name(name) for name in ("branch_net.c", "branch_box.c", "branch.c"))
MOST_JOINTS = 12
"""More joints than this are left to NumPy: tables by pattern of cut joints would grow too large."""
SLICE = 5e7
"""Work (control values) between two looks at the keyboard: a fraction of a second."""

Ints = ctypes.c_int * JOINTS
Doubles = ctypes.c_double * JOINTS


class _Group(ctypes.Structure):
    _fields_ = [
        ("waves", ctypes.c_int), ("size", ctypes.c_int), ("shape", Ints), ("degree", Ints),
        ("plain", ctypes.c_void_p), ("at", ctypes.c_long), ("first", ctypes.c_int),
    ]  # fmt: skip


class _Step(ctypes.Structure):
    _fields_ = [
        ("source", ctypes.c_int), ("target", ctypes.c_int), ("axis", ctypes.c_int), ("degree", ctypes.c_int),
        ("size", ctypes.c_int), ("shape", Ints),
    ]  # fmt: skip


class _Last(ctypes.Structure):
    _fields_ = [("buffer", ctypes.c_int), ("shape", Ints)]


class _Problem(ctypes.Structure):
    _fields_ = [
        ("joints", ctypes.c_int), ("groups", ctypes.c_int), ("waves", ctypes.c_int), ("kinks", ctypes.c_int),
        ("slides", Ints), ("pieces", Ints), ("top", Ints), ("full", Ints), ("half", Doubles), ("centre", Doubles),
        ("rounding", ctypes.c_double), ("per_halving", ctypes.c_double), ("cost", ctypes.c_double),
        ("group", ctypes.c_void_p), ("basis", ctypes.c_void_p),
        ("steps", ctypes.c_int), ("lasts", ctypes.c_int), ("buffers", ctypes.c_int),
        ("step", ctypes.c_void_p), ("last", ctypes.c_void_p), ("buffer_size", ctypes.c_void_p),
        ("full_size", ctypes.c_long),
    ]  # fmt: skip


_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_double
SIGNATURES: Signatures = {
    "open_search": (_POINTER, [_POINTER, ctypes.c_int, _POINTER, _POINTER]), "close_search": (None, [_POINTER]),
    "begin": (ctypes.c_int, [_POINTER, _NUMBER]), "whole": (_NUMBER, [_POINTER]),
    "go_on": (ctypes.c_int, [_POINTER, _NUMBER, _NUMBER, _NUMBER]), "best_of": (_NUMBER, [_POINTER]),
    "bound_of": (_NUMBER, [_POINTER]), "used_of": (_NUMBER, [_POINTER]), "position_of": (None, [_POINTER, _POINTER]),
    "incumbent": (None, [_POINTER, _NUMBER, _POINTER]),
}  # fmt: skip


def library() -> Any:
    """The compiled search; None where there is no compiler."""
    return own_library(*SOURCES, signatures=SIGNATURES, constants=DEFINED)


def compiled_run(branch: Branch, best: float, at: Array) -> CompiledRun | None:
    """The search in machine code; None where there is no compiler, or the function is too large for it."""
    if len(branch.joints) > MOST_JOINTS or max(branch.degrees, default=0) > DEGREE:
        return None
    if max((len(part) for part in branch.parts), default=0) > JOINTS:
        return None
    compiled = library()
    return None if compiled is None else CompiledRun(compiled, branch, best, at)


class CompiledRun:
    """One branch-and-bound search: the incumbent, its position, and the work used."""

    def __init__(self, library: Any, branch: Branch, best: float, at: Array) -> None:
        self._library = library
        self.problem = Problem(branch)
        cut_joints, nets = branch.first_nets()
        first_net = np.concatenate([_interleaved(net[0]) for net in nets])
        centre = np.ascontiguousarray(branch.box.centre[branch.joints], np.float64)
        cut = sum(1 << axis for axis, done in enumerate(cut_joints) if done)
        self._handle = library.open_search(
            ctypes.byref(self.problem.structure), cut, first_net.ctypes.data, centre.ctypes.data
        )
        if not self._handle:
            raise MemoryError("no memory for the proof of a bound")
        weakref.finalize(self, library.close_search, self._handle)
        self._start = np.ascontiguousarray(at, np.float64)
        library.incumbent(self._handle, best, self._start.ctypes.data)

    @property
    def best(self) -> float:
        """The least value attained."""
        return float(self._library.best_of(self._handle))

    @property
    def used(self) -> float:
        """The work done (control values computed)."""
        return float(self._library.used_of(self._handle))

    @property
    def at(self) -> Array:
        """Where the least value is attained."""
        position = np.empty_like(self._start)
        self._library.position_of(self._handle, position.ctypes.data)
        return position

    def whole(self) -> float:
        """The lower bound on the box as a whole."""
        return float(self._library.whole(self._handle))

    def proved(self, gap: float, work: float) -> float | None:
        """The proved bound, within ``gap`` of the incumbent; None where the work limit is reached first."""
        if not self._library.begin(self._handle, gap):
            raise MemoryError("no memory for the proof of a bound")
        while True:
            limit = min(work, self.used + SLICE)
            state = self._library.go_on(self._handle, gap, limit, NARROWEST)
            if state == 0:
                return float(self._library.bound_of(self._handle))
            if state == 2:
                raise MemoryError("no memory for the proof of a bound")
            if self.used > work:
                return None


class Problem:
    """A ``Branch`` as ``branch.c`` reads it; the arrays it points to live as long as this does."""

    def __init__(self, branch: Branch) -> None:
        self._kept: list[Any] = []
        groups = branch.groups
        plan = Additions(
            [tuple(group[0].degrees) for group in groups], [tuple(group[0].shape) for group in groups], branch
        )
        self.structure = structure = _Problem()
        structure.joints, structure.groups = len(branch.joints), len(groups)
        structure.waves, structure.kinks = len(branch.plain), int(branch.kinks)
        for axis, part in enumerate(branch.parts):
            structure.slides[axis], structure.pieces[axis] = int(branch.slides[axis]), len(part)
            structure.top[axis], structure.full[axis] = branch.degrees[axis], branch.full[axis]
            structure.half[axis], structure.centre[axis] = part.half, part.centres[0]
        structure.rounding, structure.per_halving = branch.rounding, branch.per_halving
        structure.cost = float(branch.cost)
        structure.group = self._groups(branch)
        structure.basis = self._bases(branch)
        structure.steps, structure.lasts, structure.buffers = len(plan.steps), len(plan.last), len(plan.sizes)
        structure.step, structure.last = self._array(_Step, plan.steps), self._array(_Last, plan.last)
        structure.buffer_size = self._array(ctypes.c_long, plan.sizes)
        structure.full_size = prod(branch.full)

    def _array(self, kind: Any, items: list[Any]) -> int | None:
        array = (kind * max(1, len(items)))(*items)
        self._kept.append(array)
        return ctypes.addressof(array)

    def _groups(self, branch: Branch) -> int | None:
        structures, at, first_wave = [], 0, 0
        for group in branch.groups:
            form, waves = group[0], len(group)
            plain = np.ascontiguousarray(branch.plain[first_wave : first_wave + waves], np.int8)
            self._kept.append(plain)
            structures.append(
                _Group(waves, form.size, Ints(*form.shape), Ints(*form.degrees), plain.ctypes.data, at, first_wave)
            )
            at, first_wave = at + waves * form.size, first_wave + waves
        return self._array(_Group, structures)

    def _bases(self, branch: Branch) -> int | None:
        pointers: list[int | None] = [None] * (max(1, len(branch.joints)) * len(branch.groups) * JOINTS)
        for axis, part in enumerate(branch.parts):
            if len(part) == 1:
                continue
            for g, group in enumerate(branch.groups):
                for piece, centre in enumerate(part.centres):
                    matrix = np.ascontiguousarray(group[0].basis(axis, centre, part.half), np.complex128)
                    self._kept.append(matrix)
                    pointers[(axis * len(branch.groups) + g) * JOINTS + piece] = matrix.ctypes.data
        return self._array(ctypes.c_void_p, pointers)


class Additions:
    """The steps that add nets of several degrees up: joint by joint the lower degrees are elevated, equal ones added.

    Buffers are numbered; the first ones hold the sums of the groups themselves.
    """

    def __init__(self, degrees: list[tuple[int, ...]], shapes: list[tuple[int, ...]], branch: Branch) -> None:
        self.sizes = [prod(shape) for shape in shapes]
        self.steps: list[_Step] = []
        nets = {degree: (g, shapes[g]) for g, degree in enumerate(degrees)}
        for axis, top in enumerate(branch.degrees):
            merged: dict[tuple[int, ...], tuple[int, tuple[int, ...]]] = {}
            # those that are there already take the others in
            for degree, (buffer, shape) in sorted(nets.items(), key=lambda item: 0 < item[0][axis] < top):
                low = degree[axis]
                key = (*degree[:axis], top if low else 0, *degree[axis + 1 :])
                if 0 < low < top:
                    if key not in merged:
                        wide = (*shape[:axis], branch.full[axis], *shape[axis + 1 :])
                        merged[key] = (len(self.sizes), wide)
                        self.sizes.append(prod(wide))
                    self.steps.append(_Step(buffer, merged[key][0], axis, low, prod(shape), Ints(*shape)))
                elif key in merged:
                    self.steps.append(_Step(buffer, merged[key][0], -1, 0, prod(shape), Ints(*shape)))
                else:
                    merged[key] = (buffer, shape)
            nets = merged
        self.last = [_Last(buffer, Ints(*shape)) for buffer, shape in nets.values()]


def _interleaved(net: NDArray[Any]) -> Array:
    """A net (waves, values...) as ``branch.c`` has it: values by waves, all real parts before the imaginary ones."""
    flat = net.reshape(len(net), -1).T
    if net.dtype.kind == "c":
        flat = np.concatenate([flat.real, flat.imag])
    return np.ascontiguousarray(flat, np.float64).reshape(-1)
