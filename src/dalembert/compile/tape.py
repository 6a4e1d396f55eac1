"""A program as data: a table of operations on numbered slots, which one C function runs for every arm (``emit_tape``).

A compiler takes a tenth of a second for a short function and seconds for a long one; a table is ready at once. The
operations, their order and their roundings are those of the compiled code, so that both give the same bits.
"""

from __future__ import annotations

import ctypes
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rings.graph import ADD, CONST, COS, INPUT, INV, MUL, NEG, SIGN, SIN, SQRT, SUB, Node
from .emit_c import Program

CODES = (
    "ADD", "SUB", "MUL", "NEG", "INV", "SQRT", "SIGN", "SINCOS", "SET", "ADDK", "KSUB", "MULK", "MA", "NMA", "MS",
    "MAK", "MSK", "END",
)  # fmt: skip
"""Operations: those with K have a constant for their first operand; MAK is k b + c, MSK is k b - c."""
CODE = {name: number for number, name in enumerate(CODES)}
PLAIN = {ADD: "ADD", SUB: "SUB", MUL: "MUL", NEG: "NEG", INV: "INV", SQRT: "SQRT", SIGN: "SIGN"}


class TapeLayout(ctypes.Structure):
    """``struct Tape`` of the C function."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("ops", "constants", "widths", "angles", "offsets", "sizes", "where")),
        *((name, ctypes.c_int32) for name in ("slots", "arguments", "inputs", "pairs", "results")),
    )


class Tape:
    """The table of a program, and where its inputs, sines, cosines and results stand among the slots.

    Slots begin with the inputs, then come the sines and the cosines of early angles, then all else; one whose value is
    no longer needed is used again.
    """

    def __init__(self, program: Program, dtype: np.dtype[Any]) -> None:
        self.program = program
        self._rows: list[tuple[int, int, int, int, int]] = []
        self._constants: dict[Fraction, int] = {}
        self._slots: dict[int, int] = {}
        self._free: list[int] = []
        self._count = len(program.inputs) + 2 * len(program.angles)
        self._written()
        angles = list(program.angles)
        slots_of_results = [self._slots[index] for index in program.targets]
        self.arrays: dict[str, NDArray[Any]] = {
            "ops": np.array(self._rows, np.int32),
            "constants": np.array([float(value) for value in self._constants] or [0.0], dtype),
            "widths": np.array([len(names) for _, names in program.function.inputs], np.int32),
            "angles": np.array([program.inputs[angle.input] for angle in angles] or [0], np.int32),
            "offsets": np.array([float(angle.offset) for angle in angles] or [0.0], dtype),
            "sizes": np.array([len(row) for row in program.scatter], np.int32),
            "where": np.array([slots_of_results[target] for row in program.scatter for target in row] or [0], np.int32),
        }
        self.layout = TapeLayout(
            *(array.ctypes.data for array in self.arrays.values()),
            self._count, len(program.function.inputs), len(program.inputs), len(angles), len(program.scatter),
        )  # fmt: skip

    @property
    def address(self) -> int:
        """Where the ``struct Tape`` is in memory."""
        return ctypes.addressof(self.layout)

    @property
    def length(self) -> int:
        """Operations of one state."""
        return len(self._rows)

    def _written(self) -> None:
        """All rows, in the order of the program."""
        program = self.program
        last_use = {x.index: position for position, node in enumerate(program.order) for x in program.operands(node)}
        inside = {node.index: node for node in program.order}
        pairs = {(node.op, node.operands[0].index): node for node in program.order if node.op in (SIN, COS)}
        for position, node in enumerate(program.order):
            if node.index not in self._slots:
                row, temporary = self._operands(node)
                ended = {x.index for x in program.operands(node) if x.index in inside and last_use[x.index] == position}
                self._free += [*temporary, *(self._slots[index] for index in ended if index not in program.targets)]
                if node.op in (SIN, COS):
                    self._sine_and_cosine(node, row[1], pairs)
                else:
                    self._slots[node.index] = self._slot()
                    self._row(row[0], self._slots[node.index], *row[1:])
            if node.index not in last_use and node.index not in program.targets:
                self._free.append(self._slots[node.index])
        for node in program.function.nodes:
            if node.index not in self._slots:
                self._slots[node.index] = self._place(node) if node.op != CONST else self._set(node.value)
        self._row("END", 0)

    def _row(self, code: Any, to: int, a: int = 0, b: int = 0, c: int = 0) -> None:
        self._rows.append((CODE[code], to, a, b, c))

    def _slot(self) -> int:
        if self._free:
            return self._free.pop()
        self._count += 1
        return self._count - 1

    def _constant(self, value: Fraction) -> int:
        return self._constants.setdefault(value, len(self._constants))

    def _set(self, value: Fraction) -> int:
        slot = self._slot()
        self._row("SET", slot, self._constant(value))
        return slot

    def _place(self, node: Node) -> int:
        """The slot of a value: one of its own, or that of an input or an early sine or cosine."""
        if node.op == INPUT or node.index in self.program.early:
            return self.program.row(node)
        return self._slots[node.index]

    def _operands(self, node: Node) -> tuple[list[Any], list[int]]:
        """The code and the operands of a row, and the slots of constants that stand there for this row alone."""
        code, operands = self._code(node)
        temporary: list[int] = []
        row: list[Any] = [code]
        for x in operands:
            if isinstance(x, Fraction):
                row.append(self._constant(x))
            elif x.op == CONST:
                temporary.append(self._set(x.value))
                row.append(temporary[-1])
            else:
                row.append(self._place(x))
        return row, temporary

    def _code(self, node: Node) -> tuple[str, list[Node | Fraction]]:
        """The operation of a node and its operands, a constant that the operation itself takes as a number."""
        operands = list(self.program.operands(node))
        if node.index in self.program.fusions:
            form, (a, b, c) = self.program.form(node), operands
            if a.op != CONST:
                return form, [a, b, c]
            return ("MSK" if form == "MS" else "MAK"), [-a.value if form == "NMA" else a.value, b, c]
        if node.op in (SIN, COS):
            return "SINCOS", [operands[0]]
        if node.op in (ADD, MUL) and any(x.op == CONST for x in operands):
            k, x = operands if operands[0].op == CONST else operands[::-1]
            return ("ADDK" if node.op == ADD else "MULK"), [k.value, x]
        if node.op == SUB and operands[0].op == CONST:
            return "KSUB", [operands[0].value, operands[1]]
        if node.op == SUB and operands[1].op == CONST:
            return "ADDK", [-operands[1].value, operands[0]]
        return PLAIN[node.op], [*operands]

    def _sine_and_cosine(self, node: Node, angle: int, pairs: dict[tuple[str, int], Node]) -> None:
        """Both of one angle in one row; the one that nothing asks for is left to whoever needs a slot."""
        slots = [self._slot(), self._slot()]
        self._row("SINCOS", slots[0], angle, slots[1])
        for op, slot in zip((SIN, COS), slots, strict=True):
            user = pairs.get((op, node.operands[0].index))
            if user is None:
                self._free.append(slot)
            else:
                self._slots[user.index] = slot
