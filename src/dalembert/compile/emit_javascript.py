"""JavaScript for pages: one strict function of arrays of numbers, straight-line code from the graph.

Nothing in the text comes from an arm but its numbers: neither the names of joints and links nor those of parameters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ..arm.errors import ArmError
from .emit_c import Program, expressions
from .emit_scalar import JAVASCRIPT, scalar_style
from .function import Function

IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*", re.ASCII)


def javascript(function: Function) -> str:
    """JavaScript of ``function name(q, ...)``, with one array for each argument.

    It returns its output as an array nested by its shape (rows of a matrix), or an array of them if there are several.
    """
    parameters = [argument for argument, _ in function.arguments]
    for name in (function.name, *parameters):
        if not IDENTIFIER.fullmatch(name):
            raise ArmError(f"{name!r} cannot be a name in JavaScript; use letters, digits and _")
    program = Program(function)
    early, style = scalar_style(program, JAVASCRIPT)
    body, values = expressions(program, style)
    results = [
        _nested(shape, [values[target] for target in targets])
        for (shape, _), targets in zip(function.outputs, program.scatter, strict=True)
    ]
    result = results[0] if len(results) == 1 else f"[{', '.join(results)}]"
    lines = ['"use strict";', *early, *body, f"return {result};"]
    return f"function {function.name}({', '.join(parameters)}) {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _nested(shape: Sequence[int], values: Sequence[str]) -> str:
    """An array literal of this shape, filled row by row."""
    if not shape:
        return values[0]
    size = math.prod(shape[1:])
    rows = [_nested(shape[1:], values[k * size : (k + 1) * size]) for k in range(shape[0])]
    return f"[{', '.join(rows)}]"
