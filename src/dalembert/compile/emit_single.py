"""C for one state: sine and cosine of all angles at once in a vector, the rest in scalars."""

from __future__ import annotations

from .emit_batch import ANY_VECTOR, ONE_ANGLE, bodies_of, head
from .emit_c import Program, Style, destinations, literal
from .sincos import source as sincos_source


def _declared(program: Program, pairs: int) -> list[str]:
    """The arguments of the body: inputs, sines and cosines, outputs."""
    arguments = [f"const T *x{i}" for i in range(len(program.function.arguments))]
    arguments += ["const T *sine", "const T *cosine"] if pairs else []
    return arguments + [f"T *restrict y{i}" for i in range(len(program.function.outputs))]


def single_source(program: Program, dtype: str) -> str:
    """C of ``{bodies}
    int kernel_single(in, out)``: 1 if an input or a result was not finite."""
    suffix = "f" if dtype == "float32" else ""
    inputs, angles = len(program.inputs), list(program.angles)
    spots = [f"x{index}[{k}]" for index, (_, names) in enumerate(program.function.inputs) for k in range(len(names))]
    pairs = len(angles)

    def read(row: int) -> str:
        if row < inputs:
            return spots[row]
        row -= inputs
        return f"sine[{row}]" if row < pairs else f"cosine[{row - pairs}]"

    bodies, calls = bodies_of(
        program,
        Style(
            "T", suffix, read, destinations(program).__getitem__, "sincos_one({angle}, &{sin}, &{cos});", "SQRT({x})"
        ),
        "body",
        ", ".join(_declared(program, pairs)),
    )
    passed = ", ".join(text.split()[-1].lstrip("*") for text in _declared(program, pairs))
    arguments = [f"const T *const x{i} = in[{i}];" for i in range(len(program.function.arguments))]
    arguments += [f"T *restrict const y{i} = out[{i}];" for i in range(len(program.function.outputs))]
    angle_texts = [
        spots[program.inputs[angle.input]] + (f" + {literal(angle.offset, suffix)}" if angle.offset else "")
        for angle in angles
    ]
    watched = [*spots, *(f"y{i}[{k}]" for i, targets in enumerate(program.scatter) for k in range(len(targets)))]
    # four sums that do not wait for each other
    sums = " ".join(f"f{k % 4} = MA({spot}, 0, f{k % 4});" for k, spot in enumerate(watched))
    early = ""
    if pairs:
        early = f"""\
  enum {{ ROUNDS = ({pairs} + W - 1) / W }};
  union {{ T at[ROUNDS * W]; V v[ROUNDS]; }} angle, s, c;
  for (int i = {pairs}; i < ROUNDS * W; i++) angle.at[i] = 0;
  {" ".join(f"angle.at[{i}] = {text};" for i, text in enumerate(angle_texts))}
  VI far = {{0}};
  for (int i = 0; i < ROUNDS; i++) sincos_vector(angle.v[i], &s.v[i], &c.v[i], &far);
  if (any_lane(far)) sincos_far(angle.at, s.at, c.at, {pairs});
  const T *const sine = s.at, *const cosine = c.at;
"""
    return f"""\
{head(dtype)}
#define SQRT {"sqrtf" if dtype == "float32" else "sqrt"}
{sincos_source(dtype)}
{ANY_VECTOR}
{ONE_ANGLE}
{bodies}
int kernel_single(const T *const *in, T *const *out)
{{
  {(chr(10) + "  ").join(arguments)}
{early}  {(chr(10) + "  ").join(call.replace("ARGS", passed) for call in calls)}
  T f0 = 0, f1 = 0, f2 = 0, f3 = 0;
  {sums}
  return (f0 + f1) + (f2 + f3) != 0;
}}
"""
