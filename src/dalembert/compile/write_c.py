"""Plain C99 for a controller: one function, its header, a test program with reference values, its line of CMake.

No allocation, no global state, no loops, no branches: every call runs the same operations. Names that come from
the arm are reduced to letters, digits and underscores before they reach C.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.io.whole_files import made_folder, write_whole
from ..rings.graph import evaluate
from ..rings.real import REAL
from .cmake import with_function
from .emit_c import Program
from .emit_scalar import C99, definition, prototype
from .function import Function
from .operations import count
from .wrappers import LANGUAGES, wrapper

STATES = 5


def identifier(text: str) -> str:
    """A C identifier made of what is left of ``text`` after everything but ASCII letters, digits and _ is gone."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_").lower()[:40]
    return plain if plain and plain[0].isalpha() else f"arm_{plain}".rstrip("_")


def comment(text: str) -> str:
    """``text`` for a comment: one line, nothing in it that could end the comment or start an escape."""
    return re.sub(r"[^A-Za-z0-9 _.,:;()+/^-]", "?", " ".join(text.split()))[:100]


def numbers_of(function: Function) -> list[str]:
    """Lines for a comment: the order of the joints, the parameters with their values, and what is built in."""
    lines = [f"Joints, in the order of {'q' if function.thing == 'arm' else 'phi'}:"]
    lines += [f"  {k}: {comment(joint)}" for k, joint in enumerate(function.joints)]
    parameters = function.parameters
    if parameters.names:
        frame = "tool frame" if parameters.kind == "load" else "frame of the link"
        lines += ["", f"Parameters (SI units; inertia about the {frame}), with the values of this arm:"]
        lines += [
            f"  {k}: {comment(name)} = {value!r}"
            for k, (name, value) in enumerate(zip(parameters.names, parameters.values, strict=True))
        ]
    return [*lines, "", *(comment(remark) for remark in function.remarks)]


def write_c(function: Function, folder: str | Path, dtype: str = "float64", wrappers: Sequence[str] = ()) -> list[Path]:
    """Write the function as C into ``folder``, beside those it has, with ``wrappers`` in "c++", "rust"; the files."""
    if dtype not in ("float64", "float32"):
        raise ArmError(f'dtype may be "float64" or "float32", not {dtype!r}')
    unknown = [language for language in wrappers if language not in LANGUAGES]
    if unknown or isinstance(wrappers, str):
        raise ArmError(f"wrappers may be a list of {listed(LANGUAGES)}, not {wrappers!r}")
    return ControllerCode(function, dtype).write(folder, wrappers)


class ControllerCode:
    """The texts of one function: header, code, test."""

    def __init__(self, function: Function, dtype: str) -> None:
        self.function, self.dtype = function, dtype
        self.program = Program(function)
        self.symbol = f"{identifier(function.label)}_{function.name}"
        self.language = C99[dtype]
        self.real, self.suffix = self.language.type, self.language.suffix
        self.operations = count(function.nodes)
        self.inputs, self.results = function.arguments, function.results

    def prototype(self) -> str:
        """C declaration of the function: constant input arrays, then output arrays."""
        return prototype(self.function, self.symbol, self.real)

    def write(self, folder: str | Path, wrappers: Sequence[str] = ()) -> list[Path]:
        """Write the texts into ``folder``; the files written."""
        target = made_folder(folder)
        files = {
            f"{self.symbol}.h": self.header(),
            f"{self.symbol}.c": self.code(),
            f"test_{self.symbol}.c": self.test(),
            "CMakeLists.txt": with_function(target, self.symbol),
        }
        for language in wrappers:
            text = wrapper(self.function, self.symbol, self.real, language, self.header_lines())
            files[f"{self.symbol}{LANGUAGES[language]}"] = text
        for file, text in files.items():
            write_whole(target / file, text, "ascii")
        return [target / file for file in files]

    def header_lines(self) -> list[str]:
        """What the header says: arguments, joint order, parameter values, cost and size of a call."""
        lines = [f"{self.function.name} of the {self.function.thing} {comment(self.function.label)}.", ""]
        lines += [f"in   {name}[{width}]: {self.function.meaning(name)}" for name, width in self.inputs]
        for name, shape in self.results:
            size = "x".join(map(str, shape))
            lines.append(
                f"out  {name}[{size}]: {self.function.meaning(name)}{', row by row' if len(shape) > 1 else ''}"
            )
        lines += ["", *numbers_of(self.function)]
        read, written = (self.width * sum(sizes) for sizes in self.sizes)
        lines += [
            "",
            f"Every call, the worst as the best: {self.operations}; no branch, no loop,",
            f"no allocation, no global state; {read} bytes are read and {written} written, and local variables",
            f"take {self.stack} bytes at most.",
            "The arrays may overlap: all inputs are read before the first output is written.",
            "Values that are not finite give what the arithmetic makes of them: check the inputs.",
        ]
        return lines

    @property
    def width(self) -> int:
        """Bytes of a number."""
        return 4 if self.dtype == "float32" else 8

    @property
    def sizes(self) -> tuple[list[int], list[int]]:
        """How many numbers each argument and each result has."""
        return [width for _, width in self.inputs], [int(np.prod(shape)) for _, shape in self.results]

    @property
    def stack(self) -> int:
        """Bytes of all local variables, were none of them kept in registers."""
        return (len(self.program.order) + len(self.program.early) + 2) * self.width

    def budget(self) -> str:
        """The cost of a call as constants, for a schedule that is checked by the compiler."""
        costs = {
            "MULTIPLICATIONS": self.operations.multiplications, "ADDITIONS": self.operations.additions,
            "DIVISIONS": self.operations.divisions, "SQUARE_ROOTS": self.operations.roots,
            "SINE_COSINE_PAIRS": self.operations.sine_cosine_pairs, "LOCAL_BYTES": self.stack,
        }  # fmt: skip
        return "\n".join(f"#define {self.symbol.upper()}_{name} {value}" for name, value in costs.items())

    def header(self) -> str:
        """Header file: what the function is, its cost as constants, then the declaration."""
        guard = f"{self.symbol.upper()}_H"
        comment_text = "\n".join(f" * {line}".rstrip() for line in self.header_lines())
        return (
            f"/*\n{comment_text}\n */\n#ifndef {guard}\n#define {guard}\n\n{self.budget()}\n\n"
            f'#ifdef __cplusplus\nextern "C" {{\n#endif\n\n{self.prototype()};\n\n'
            f"#ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
        )

    def code(self) -> str:
        """C99 source file: the function as straight-line code."""
        needs_math = any(node.op in ("sin", "cos", "sqrt") for node in self.program.nodes)
        return (
            f"/* {self.function.name}: {self.operations}. See the header. */\n"
            + f'#include "{self.symbol}.h"\n'
            + ("\n#include <math.h>\n" if needs_math else "")
            + f"\n{definition(self.program, self.prototype(), self.language)}"
        )

    def samples(self) -> tuple[list[list[list[float]]], list[list[list[float]]]]:
        """States, and the results the same graph gives for them in float64 (inputs already rounded to the type)."""
        rng = np.random.default_rng(1)
        states, results = [], []
        for _ in range(STATES):
            arrays: list[Any] = [trial[0] for trial in self.function.trials(rng, 1, 2.0)]
            if self.function.parameters.names:
                arrays[-1] = np.array(self.function.parameters.values)
            arrays = [array.astype(self.dtype).astype(float) for array in arrays]
            values: dict[str, Any] = {}
            for (_, names), array in zip(self.function.inputs, arrays, strict=True):
                values |= dict(zip(names, array.tolist(), strict=True))
            with np.errstate(all="ignore"):
                outputs = [float(x) for x in evaluate(self.function.nodes, values, REAL)]
            tables, start = [], 0
            for _, nodes in self.function.outputs:
                tables.append(outputs[start : start + len(nodes)])
                start += len(nodes)
            states.append([array.tolist() for array in arrays])
            results.append(tables)
        return states, results

    def test(self) -> str:
        """C test program: largest relative difference from reference values; exit code 0 where they agree."""
        states, results = self.samples()

        def table(kind: str, name: str, rows: Sequence[Sequence[float]], suffix: str) -> str:
            inner = ",\n".join("  {" + ", ".join(_number(x, suffix) for x in row) + "}" for row in rows)
            return f"static const {kind} {name}[{STATES}][{len(rows[0])}] = {{\n{inner}\n}};"

        tables = [
            table(self.real, f"in_{name}", [state[k] for state in states], self.suffix)
            for k, (name, _) in enumerate(self.inputs)
        ]
        tables += [table("double", f"ref_{n}", [r[k] for r in results], "") for k, (n, _) in enumerate(self.results)]
        outs = [f"    {self.real} {name}[{int(np.prod(shape))}];" for name, shape in self.results]
        passed = ", ".join([*(f"in_{name}[state]" for name, _ in self.inputs), *(name for name, _ in self.results)])
        checks = [
            f"    worst = larger(worst, difference({name}, ref_{name}[state], {int(np.prod(shape))}));"
            for name, shape in self.results
        ]
        newline = "\n"
        return f"""\
/* Compares {self.symbol} with reference values. Exit code 0 if they agree. */
#include "{self.symbol}.h"

#include <math.h>
#include <stdio.h>

{newline.join(tables)}

static double larger(double a, double b)
{{
  return a > b ? a : b;
}}

/* Largest difference over the largest reference value; huge if something is not a number. */
static double difference(const {self.real} *found, const double *right, int count)
{{
  double most = 0.0, scale = 1e-12;
  for (int i = 0; i < count; i++) {{
    const double off = fabs((double)found[i] - right[i]);
    most = off <= HUGE_VAL ? larger(most, off) : HUGE_VAL;
    scale = larger(scale, fabs(right[i]));
  }}
  return most / scale;
}}

int main(void)
{{
  double worst = 0.0;
  for (int state = 0; state < {STATES}; state++) {{
{newline.join(outs)}
    {self.symbol}({passed});
{newline.join(checks)}
  }}
  printf("{self.symbol}: largest relative difference %.3g\\n", worst);
  return worst < {"1e-3" if self.dtype == "float32" else "1e-9"} ? 0 : 1;
}}
"""


def _number(value: float, suffix: str) -> str:
    text = repr(value)
    return (text if "." in text or "e" in text else text + ".0") + suffix
