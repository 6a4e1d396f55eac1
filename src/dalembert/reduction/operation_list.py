"""A program as a table of operations on numbered slots: what sample states are run through (``sweep.py``)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..rings.graph import ADD, CONST, COS, INPUT, MUL, NEG, SIN, SUB, Node, reachable
from .graph_edits import WHOLE, Cut

CONSTANT, STATE, NAMED = range(3)
CODES = {ADD: 3, SUB: 4, MUL: 5, NEG: 6, SIN: 7, COS: 8}
"""Operations, by the numbers of ``sweep.c``."""
STATES = ("q", "qd", "qdd")


@dataclass(frozen=True, eq=False)
class OperationList:
    """Operations in order, operands by their slots; slot 0 is zero.

    Of a state ``a`` is the joint, plus the number of joints for a speed and twice that for an acceleration; of a named
    constant its place in ``names``, whose slots are ``named``. ``still`` marks what depends on positions alone.
    ``slots`` finds a node by its index.
    """

    code: NDArray[np.int32]
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    value: NDArray[np.float64]
    still: NDArray[np.int32]
    out: NDArray[np.int32]
    names: tuple[str, ...]
    named: NDArray[np.int32]
    slots: dict[int, int]

    def without(self, cuts: Collection[Cut]) -> OperationList:
        """The same program with summands, or the values of nodes, made zero."""
        code, a, b = self.code.copy(), self.a.copy(), self.b.copy()
        for index, operand in cuts:
            slot = self.slots[index]
            if operand == WHOLE:
                code[slot], a[slot], b[slot] = CONSTANT, 0, 0
            else:
                (b if operand else a)[slot] = 0
        return replace(self, code=code, a=a, b=b)


def listed(outputs: Sequence[Node], constants: Collection[str]) -> OperationList:
    """The table of a program; inputs among ``constants`` are named constants, the others states q_0, qd_0, qdd_0."""
    joints = len(outputs)
    slots: dict[int, int] = {}
    names: list[str] = []
    rows: list[tuple[int, int, int, float, int]] = [(CONSTANT, 0, 0, 0.0, 1)]
    for node in reachable(outputs):
        slots[node.index] = len(rows)
        if node.op == CONST:
            rows.append((CONSTANT, 0, 0, float(node.value), 1))
        elif node.op == INPUT and node.value in constants:
            rows.append((NAMED, len(names), 0, 0.0, 1))
            names.append(str(node.value))
        elif node.op == INPUT:
            kind, joint = str(node.value).split("_")
            rows.append((STATE, joints * STATES.index(kind) + int(joint), 0, 0.0, int(kind == "q")))
        else:
            assert node.a is not None
            a, b = slots[node.a.index], 0 if node.b is None else slots[node.b.index]
            rows.append((CODES[node.op], a, b, 0.0, rows[a][4] & rows[b][4]))
    code, a_, b_, value, still = (np.array(column) for column in zip(*rows, strict=True))
    return OperationList(
        code.astype(np.int32), a_.astype(np.int32), b_.astype(np.int32), value.astype(float), still.astype(np.int32),
        np.array([slots[node.index] for node in outputs], np.int32), tuple(names),
        np.flatnonzero(code == NAMED).astype(np.int32), slots,
    )  # fmt: skip
