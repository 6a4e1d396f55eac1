"""The graph as straight-line Python, for machines without a C compiler: floats for one state, NumPy rows for a batch.

What Python and NumPy cost is the call of each operation, some 10 ns on floats and 300 ns on rows. So there are as few
as in the compiled code, constants are literals, and operations on rows write into slots that are used again
(``tape.py``), which stay in the cache of the processor and are allocated once.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .emit_c import Program
from .tape import CODES, Tape

ROWS = 2048
"""States of a pass: rows of this length are worth their calls, and some sixty of them fit a cache."""
LONGEST = 20_000
"""Operations beyond which Python would take seconds to read the text."""

ONE = {
    "ADD": "s{to}=s{a}+s{b}", "SUB": "s{to}=s{a}-s{b}", "MUL": "s{to}=s{a}*s{b}", "NEG": "s{to}=-s{a}",
    "INV": "s{to}=1.0/s{a}", "SQRT": "s{to}=sqrt(s{a})", "SIGN": "s{to}=sign(s{a})",
    "SINCOS": "s{b},s{to}=cos(s{a}),sin(s{a})", "SET": "s{to}={k}", "ADDK": "s{to}={k}+s{b}",
    "KSUB": "s{to}={k}-s{b}", "MULK": "s{to}={k}*s{b}",
}  # fmt: skip
"""A row of a table over floats; k is its constant."""
MANY = {
    "ADD": "add(s{a},s{b},s{to})", "SUB": "sub(s{a},s{b},s{to})", "MUL": "mul(s{a},s{b},s{to})",
    "NEG": "neg(s{a},s{to})", "INV": "div(1.0,s{a},s{to})", "SQRT": "sqrt(s{a},s{to})", "SIGN": "sign(s{a},s{to})",
    "SINCOS": "angle[:]=s{a};cos(angle,s{b});sin(angle,s{to})", "SET": "s{to}[:]={k}", "ADDK": "add({k},s{b},s{to})",
    "KSUB": "sub({k},s{b},s{to})", "MULK": "mul({k},s{b},s{to})",
}  # fmt: skip
"""The same over rows of slots. A sine may take the place of its angle, so that is kept aside."""
WITH_CONSTANT = ("SET", "ADDK", "KSUB", "MULK")
FLOATS: dict[str, Any] = {
    "sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, "sign": lambda x: (x > 0) - (x < 0),
}  # fmt: skip
UFUNCS: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative, "sqrt": np.sqrt,
    "sign": np.sign, "sin": np.sin, "cos": np.cos,
}  # fmt: skip


class StraightPython:
    """A program as two Python functions."""

    def __init__(self, program: Program) -> None:
        self.tape = Tape(program, np.dtype(np.float64))
        self.where = self.tape.arrays["where"]
        self._single_function: Callable[..., tuple[float, ...]] | None = None
        self._batch_function: Callable[..., None] | None = None
        self._thread = threading.local()

    def one(self, values: Sequence[float]) -> NDArray[np.float64]:
        """All outputs of one state; what floats of Python refuse, such as 1/0, is left to NumPy's arithmetic."""
        if self._single_function is None:
            self._single_function = self._function(ONE, FLOATS, True)
        try:
            return np.array(self._single_function(*values), dtype=np.float64)
        except (ValueError, ArithmeticError):
            return self.many(np.array(values, dtype=np.float64)[:, None])[:, 0]

    def many(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """All outputs, one row for each, of the states in ``columns``, one row for each input."""
        if self._batch_function is None:
            self._batch_function = self._function(MANY, UFUNCS, False)
        inputs, count = columns.shape
        results = np.empty((len(self.where), count))
        width = min(ROWS, count)
        memory = getattr(self._thread, "slots", None)  # each thread its own
        if memory is None or memory.shape[1] != width:
            memory = self._thread.slots = np.empty((self.tape.layout.slots, width))
        for begin in range(0, count, width):
            columns_now = slice(begin, min(begin + width, count))
            slots = memory[:, : columns_now.stop - begin]
            slots[:inputs] = columns[:, columns_now]
            with np.errstate(all="ignore"):
                self._batch_function(np.empty(slots.shape[1]), *slots)
            results[:, columns_now] = slots[self.where]
        return results

    def _function(self, forms: dict[str, str], names: dict[str, Any], scalar: bool) -> Callable[..., Any]:
        """The function of one kind: inputs (or all slots), early sines and cosines, then row after row."""
        layout, arrays = self.tape.layout, self.tape.arrays
        inputs, pairs = layout.inputs, layout.pairs
        parameters = ",".join(f"s{k}" for k in range(inputs if scalar else layout.slots))
        lines = [f"def computed({parameters}):" if scalar else f"def computed(angle,{parameters}):"]
        for k, (row, offset) in enumerate(
            zip(arrays["angles"][:pairs].tolist(), arrays["offsets"].tolist(), strict=False)
        ):
            to, b = inputs + k, inputs + pairs + k
            if scalar:
                lines.append(f" x=s{row}+{offset!r};s{to}=sin(x);s{b}=cos(x)")
            else:
                lines.append(f" add({offset!r},s{row},angle);sin(angle,s{to});cos(angle,s{b})")
        constants = arrays["constants"].tolist()
        for code, to, a, b, _ in arrays["ops"].tolist():
            if CODES[code] != "END":
                number = repr(constants[a]) if CODES[code] in WITH_CONSTANT else ""
                lines.append(" " + forms[CODES[code]].format(to=to, a=a, b=b, k=number))
        lines.append(f" return ({','.join(f's{k}' for k in self.where)},)" if scalar else " return None")
        namespace: dict[str, Any] = {}
        exec(compile("\n".join(lines), "<straight-line Python>", "exec"), dict(names), namespace)
        return namespace["computed"]
