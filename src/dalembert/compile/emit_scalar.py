"""Scalar code in C or in JavaScript: sines and cosines of the inputs first, then every node once."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from .emit_c import Program, Style, destinations, literal, statements
from .function import Function


@dataclass(frozen=True)
class Language:
    """How a language declares a local number, and what it calls the functions of one number."""

    sin: str
    cos: str
    sqrt: str
    type: str = ""
    suffix: str = ""
    """What follows a constant."""
    declaration: str = Style.declaration
    pair: str = Style.pair
    sign: str = Style.sign


_APART = "{type} {sin};\n  {type} {cos};"
_SIGN = "({{type}})(({{x}} > {0}) - ({{x}} < {0}))"
C99 = {
    "float64": Language("sin", "cos", "sqrt", "double", pair=_APART, sign=_SIGN.format("0.0")),
    "float32": Language("sinf", "cosf", "sqrtf", "float", "f", pair=_APART, sign=_SIGN.format("0.0f")),
}
"""C for controllers keeps to what MISRA C asks of declarations and types (docs/compile.md)."""
JAVASCRIPT = Language(
    "Math.sin",
    "Math.cos",
    "Math.sqrt",
    declaration="const {name} = {value};",
    pair="let {sin}, {cos};",
    sign="Math.sign({x})",
)


def scalar_style(
    program: Program, language: Language, write: Callable[[int], str] | None = None
) -> tuple[list[str], Style]:
    """Statements that take the sines and cosines of the inputs, and the style of all that follow.

    Every argument is an array under its own name. Outputs are written at the end, where ``write`` says, or not at all.
    """
    elements = [f"{name}[{k}]" for name, nodes in program.function.inputs for k in range(len(nodes))]
    inputs, angles = len(elements), list(program.angles)
    used = {program.row(node) for node in program.early.values()}

    def read(row: int) -> str:
        if row < inputs:
            return elements[row]
        row -= inputs
        return f"s{row}" if row < len(angles) else f"c{row - len(angles)}"

    style = Style(
        language.type,
        language.suffix,
        read,
        write,
        f"{{sin}} = {language.sin}({{angle}}); {{cos}} = {language.cos}({{angle}});",
        f"{language.sqrt}({{x}})",
        language.sign,
        late=True,
        declaration=language.declaration,
        pair=language.pair,
    )
    early = []
    for k, angle in enumerate(angles):
        argument = elements[program.inputs[angle.input]]
        if angle.offset:
            argument += f" + {literal(angle.offset, language.suffix)}"
        for row, name in ((inputs + k, language.sin), (inputs + len(angles) + k, language.cos)):
            if row in used:
                early.append(style.declared(read(row), f"{name}({argument})"))
    return early, style


def prototype(function: Function, symbol: str, real: str) -> str:
    """The C declaration of a function: constant input arrays, then output arrays."""
    inputs = [f"const {real} {name}[{width}]" for name, width in function.arguments]
    outputs = [f"{real} {name}[{prod(shape)}]" for name, shape in function.results]
    return f"void {symbol}({', '.join([*inputs, *outputs])})"


def definition(program: Program, declared: str, language: Language) -> str:
    """The C of a function as straight-line code, under this declaration."""
    function = program.function
    outputs = [
        re.sub(r"\by(\d+)\[", lambda m: f"{function.results[int(m[1])][0]}[", text) for text in destinations(program)
    ]
    early, style = scalar_style(program, language, outputs.__getitem__)
    read_names = {node.value for node in program.nodes if node.op == "input"}
    unread = [name for name, nodes in function.inputs if not read_names & set(nodes)]
    lines = [*(f"(void){name};" for name in unread), *early, *statements(program, style)]
    return f"{declared}\n{{\n" + "\n".join(f"  {line}" for line in lines) + "\n}\n"
