"""CUDA source files for nvcc: the kernel of a function, and a host function that launches it."""

from __future__ import annotations

from pathlib import Path

from ...arm.errors import ArmError
from ...arm.io.whole_files import made_folder, write_whole
from ..emit_c import Program
from ..function import Function
from ..operations import count
from ..write_c import comment, identifier
from .source import LAYOUTS, source

HEAD = """\
/* {name} of {arm}, one thread a state, {layout}.
   Per state: {operations}.
{arguments}
   Strides are numbers from row to row; 0 repeats one row for all states. Results are in one piece.
   {title}(...) launches on a stream and gives the code of cudaGetLastError. Compile with: nvcc -arch=native -c */
"""

LAUNCH = """\

#ifndef HOST
extern "C" int {title}({signature}, cudaStream_t stream)
{{
  if (count <= 0) return 0;
  const int code = (int)cudaFuncSetAttribute({title}_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, {shared});
  if (code) return code;
  {title}_kernel<<<(unsigned)((count + {block} - 1) / {block}), {block}, {shared}, stream>>>({passed});
  return (int)cudaGetLastError();
}}
#endif
"""


def write_cuda(function: Function, folder: str | Path, dtype: str = "float32") -> list[Path]:
    """Writes the function for both layouts to ``folder``; returns the files."""
    if dtype not in ("float64", "float32"):
        raise ArmError(f'dtype may be "float64" or "float32", not {dtype!r}')
    program = Program(function)
    directory = made_folder(folder)
    return [_write_file(program, dtype, layout, directory) for layout in LAYOUTS]


def _write_file(program: Program, dtype: str, layout: str, directory: Path) -> Path:
    """Writes the source for one layout."""
    name, label = program.function.name, program.function.label
    title = f"{identifier(label)}_{identifier(name)}_{layout}"
    generated = source(program, dtype, "full", layout)
    inputs = [argument for argument, _ in program.function.inputs]
    widths = [len(names) for _, names in program.function.inputs]
    shape_format = "({n}, count)" if layout == "columns" else "(count, {n})"
    arguments = [
        f"   in{k}: {argument} {shape_format.format(n=w)}"
        for k, (argument, w) in enumerate(zip(inputs, widths, strict=True))
    ]
    arguments += [f"   out{k}: {shape_format.format(n=len(t))}" for k, t in enumerate(program.scatter)]
    typed = [f"const real *in{k}, long long s{k}" for k in range(len(inputs))]
    typed += [f"real *out{k}" for k in range(len(program.scatter))]
    passed = [f"in{k}, s{k}" for k in range(len(inputs))] + [f"out{k}" for k in range(len(program.scatter))]
    head = HEAD.format(
        name=name,
        arm=comment(label),
        layout=f"layout {layout}",
        operations=count(program.function.nodes),
        arguments="\n".join(arguments),
        title=title,
    )
    launch = LAUNCH.format(
        title=title,
        signature=", ".join([*typed, "long long count"]),
        passed=", ".join([*passed, "count"]),
        block=generated.block,
        shared=generated.shared,
    )
    file = directory / f"{title}.cu"
    write_whole(file, head + generated.text.replace(" kernel(", f" {title}_kernel(") + launch, "ascii")
    return file
