"""CUDA source files for nvcc: the kernel of a function, and a host function that launches it."""

from __future__ import annotations

from pathlib import Path

from ...arm.errors import ArmError
from ...arm.io.whole_files import made_folder, write_whole
from ..function import Function
from ..operations import count
from ..write_c import comment, identifier, numbers_of
from .parts import MOST_ROWS, MOST_STRIDE, Part, kernels
from .source import LAYOUTS, real_of, source

HEAD = """\
/* {name} of {arm}, one thread a state, {layout}.
   Per state: {operations}.
{arguments}

{numbers}

   Strides are numbers from row to row; 0 repeats one row for all states. Results are in one piece.{limits}
   {title}(...) launches on a stream and gives the code of cudaGetLastError. Compile with: nvcc -arch=native -c */
"""

LAUNCH = """\

#ifndef HOST
extern "C" int {title}({signature}, cudaStream_t stream)
{{
  if (count <= 0) return 0;
{limits}  int code = 0;
{launches}  return (int)cudaGetLastError();
}}
#endif
"""

ONE = """\
  code = (int)cudaFuncSetAttribute({kernel}, cudaFuncAttributeMaxDynamicSharedMemorySize, {shared});
  if (code) return code;
  {kernel}<<<(unsigned)((count + {block} - 1) / {block}), {block}, {shared}, stream>>>({passed});
"""


def write_cuda(function: Function, folder: str | Path, dtype: str = "float32") -> list[Path]:
    """Writes the function for both layouts to ``folder``; returns the files."""
    if dtype not in ("float64", "float32"):
        raise ArmError(f'dtype may be "float64" or "float32", not {dtype!r}')
    directory = made_folder(folder)
    steps = {layout: kernels(function, dtype, layout, stages=False) for layout in LAYOUTS}
    return [_write_file(function, steps[layout], dtype, layout, directory) for layout in LAYOUTS]


def _write_file(function: Function, steps: list[Part], dtype: str, layout: str, directory: Path) -> Path:
    """Writes the source for one layout; of several kernels each has a namespace of its own."""
    name, label = function.name, function.label
    title = f"{identifier(label)}_{identifier(name)}_{layout}"
    inputs = [argument for argument, _ in function.inputs]
    widths = [len(names) for _, names in function.inputs]
    sizes = [len(nodes) for _, nodes in function.outputs]
    shape_format = "({n}, count)" if layout == "columns" else "(count, {n})"
    arguments = [
        f"   in{k}: {argument} {shape_format.format(n=w)}, {function.meaning(argument)}"
        for k, (argument, w) in enumerate(zip(inputs, widths, strict=True))
    ]
    arguments += [
        f"   out{k}: {name} {shape_format.format(n=w)}, {function.meaning(name)}"
        for k, ((name, _), w) in enumerate(zip(function.results, sizes, strict=True))
    ]
    real = real_of(dtype)[0]
    typed = [f"const {real} *in{k}, long long s{k}" for k in range(len(inputs))]
    typed += [f"{real} *out{k}" for k in range(len(sizes))]
    cast, limits, limits_note = "", "", ""
    if layout == "rows":  # of which the kernels take 32 bits
        cast, limits_note = (
            "(int)",
            f"\n   At most {MOST_ROWS} states and strides below {MOST_STRIDE}: cudaErrorInvalidValue beyond.",
        )
        strides = "".join(f" || s{k} >= {MOST_STRIDE} || s{k} <= -{MOST_STRIDE}" for k in range(len(inputs)))
        limits = f"  if (count > {MOST_ROWS}{strides}) return (int)cudaErrorInvalidValue;\n"
    passed = [f"in{k}, {cast}s{k}" for k in range(len(inputs))] + [f"out{k}" for k in range(len(sizes))]
    head = HEAD.format(
        name=name,
        arm=comment(label),
        layout=f"layout {layout}",
        operations=count(function.nodes),
        arguments="\n".join(arguments),
        title=title,
        limits=limits_note,
        numbers="\n".join(f"   {line}".rstrip() for line in numbers_of(function)),
    )
    texts, calls = [], []
    for number, step in enumerate(steps):
        kernel = f"{title}_kernel{number if len(steps) > 1 else ''}"
        generated = source(step, dtype, "full", layout)
        text = generated.text.replace(" kernel(", f" {kernel}(")
        texts.append(text if len(steps) == 1 else f"namespace part{number} {{\n{text}}}\n")
        qualified = kernel if len(steps) == 1 else f"part{number}::{kernel}"
        arguments_passed = ", ".join([*passed, f"{cast}count"])
        calls.append(
            ONE.format(kernel=qualified, shared=generated.shared, block=generated.block, passed=arguments_passed)
        )
    signature = ", ".join([*typed, "long long count"])
    launch = LAUNCH.format(title=title, signature=signature, launches="".join(calls), limits=limits)
    file = directory / f"{title}.cu"
    write_whole(file, head + "".join(texts) + launch, "ascii")
    return file
