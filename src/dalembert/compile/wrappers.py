"""C++ and Rust around a C function of a controller: arrays of fixed size in, arrays of fixed size out, nothing else.

The wrappers allocate nothing and cannot fail; the Rust one needs no standard library (``no_std``).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..arm.errors import ArmError
from .function import Function

LANGUAGES = {"c++": ".hpp", "rust": ".rs"}
"""Languages and how their files end."""


def wrapper(function: Function, symbol: str, real: str, language: str, lines: Sequence[str]) -> str:
    """The text of a wrapper; ``real`` is the type of C, ``lines`` those of the header, repeated here."""
    if language not in LANGUAGES:
        raise ArmError(f"no wrapper in {language!r}; there are {' and '.join(LANGUAGES)}")
    inputs = [(name, width) for name, width in function.arguments]
    outputs = [(name, prod(shape)) for name, shape in function.results]
    write = _cpp if language == "c++" else _rust
    return write(symbol, real, inputs, outputs, lines)


def _cpp(
    symbol: str, real: str, inputs: Sequence[tuple[str, int]], outputs: Sequence[tuple[str, int]], lines: Sequence[str]
) -> str:
    parameters = ", ".join(f"const std::array<{real}, {width}>& {name}" for name, width in inputs)
    fields = "\n".join(f"  std::array<{real}, {width}> {name}{{}};" for name, width in outputs)
    passed = ", ".join([*(f"{name}.data()" for name, _ in inputs), *(f"found.{name}.data()" for name, _ in outputs)])
    guard = f"{symbol.upper()}_HPP"
    comment_text = "\n".join(f" * {line}".rstrip() for line in lines)
    return f"""\
/*
{comment_text}
 *
 * C++11: fixed size, nothing is allocated, nothing is thrown. The C function is in {symbol}.c.
 */
#ifndef {guard}
#define {guard}

#include <array>

#include "{symbol}.h"

namespace dalembert {{

struct {symbol}_result {{
{fields}
}};

inline {symbol}_result {symbol}({parameters}) noexcept
{{
  {symbol}_result found;
  ::{symbol}({passed});
  return found;
}}

}}  // namespace dalembert

#endif
"""


def _rust(
    symbol: str, real: str, inputs: Sequence[tuple[str, int]], outputs: Sequence[tuple[str, int]], lines: Sequence[str]
) -> str:
    number = {"double": "f64", "float": "f32"}[real]
    comment_text = "\n".join(f"//! {line}".rstrip() for line in lines)
    pointers = ", ".join(
        [*(f"{name}: *const {number}" for name, _ in inputs), *(f"{name}: *mut {number}" for name, _ in outputs)]
    )
    parameters = ", ".join(f"{name}: &[{number}; {width}]" for name, width in inputs)
    fields = "\n".join(f"    pub {name}: [{number}; {width}]," for name, width in outputs)
    empty = ", ".join(f"{name}: [0.0; {width}]" for name, width in outputs)
    passed = ", ".join(
        [*(f"{name}.as_ptr()" for name, _ in inputs), *(f"found.{name}.as_mut_ptr()" for name, _ in outputs)]
    )
    return f"""\
{comment_text}
//!
//! For `no_std`: fixed size, nothing is allocated, nothing panics. Link with {symbol}.c.

extern "C" {{
    #[link_name = "{symbol}"]
    fn c_function({pointers});
}}

/// What the function gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {{
{fields}
}}

/// Calls the C function.
#[allow(clippy::too_many_arguments)]
pub fn {symbol}({parameters}) -> Found {{
    let mut found = Found {{ {empty} }};
    // The C function reads and writes whole arrays of these sizes, keeps no pointer and has no state.
    unsafe {{ c_function({passed}) }};
    found
}}
"""
