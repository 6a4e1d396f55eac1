"""A function as scalar statements, in C or in JavaScript: sines and cosines of the inputs, then every node once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .emit_c import Program, Style, literal, statements


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

    def style(self, read: Callable[[int], str], write: Callable[[int], str], late: bool) -> Style:
        return Style(
            self.type,
            self.suffix,
            read,
            write,
            f"{{sin}} = {self.sin}({{angle}}); {{cos}} = {self.cos}({{angle}});",
            f"{self.sqrt}({{x}})",
            late=late,
            declaration=self.declaration,
            pair=self.pair,
        )


C99 = {
    "float64": Language("sin", "cos", "sqrt", "double"),
    "float32": Language("sinf", "cosf", "sqrtf", "float", "f"),
}
JAVASCRIPT = Language(
    "Math.sin", "Math.cos", "Math.sqrt", declaration="const {name} = {value};", pair="let {sin}, {cos};"
)


def scalar_statements(
    program: Program, language: Language, write: Callable[[int], str], late: bool = False
) -> list[str]:
    """The body of a function whose arguments are arrays, each under its own name.

    ``write`` gives the place of an output value; with ``late`` all outputs are written at the end.
    """
    elements = [f"{name}[{k}]" for name, nodes in program.function.arguments for k in range(len(nodes))]
    inputs, angles = len(elements), list(program.angles)
    used = {program.row(node) for node in program.early.values()}

    def read(row: int) -> str:
        if row < inputs:
            return elements[row]
        row -= inputs
        return f"s{row}" if row < len(angles) else f"c{row - len(angles)}"

    style = language.style(read, write, late)
    early = []
    for k, angle in enumerate(angles):
        argument = elements[program.inputs[angle.input]]
        if angle.offset:
            argument += f" + {literal(angle.offset, language.suffix)}"
        for row, name in ((inputs + k, language.sin), (inputs + len(angles) + k, language.cos)):
            if row in used:
                early.append(style.declared(read(row), f"{name}({argument})"))
    return [*early, *statements(program, style)]
