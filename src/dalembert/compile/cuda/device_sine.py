"""Sine and cosine in CUDA, both of an angle at once.

In float32 the angle is reduced as in ``compile/sincos.py``, r = x - k pi/2 with pi/2 = A + B + C (Cody and Waite 1980),
here by fused multiply-adds: A has 24 bits, so x - k A is exact while it is below 1, and each further term is rounded
once. With the polynomials used on the CPU the error is below 1.6 ulp for |x| <= ``BOUND``: ``benchmarks/gpu.py`` tries
every float. Larger angles take CUDA's own function, in a call that is not expanded in place: expanded once for each
joint it fills registers and the instruction cache, though no arm ever goes there.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..sincos import BOUND, COS, PI_HALF, SIN

ROUNDER = 12582912.0
"""1.5 2^23: adding it rounds a float32 below 2^22 to an integer, which its last bits then hold."""

FAST = """\
#ifdef HOST
DEVICE void fast_sincos(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
#else
DEVICE void fast_sincos(float x, float *s, float *c) { __sincosf(x, s, c); }
#endif
"""

BITS = """\
#ifdef HOST
static void far_sincos(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
static inline int bits_of(float x) { int i; memcpy(&i, &x, 4); return i; }
static inline float float_of(int i) { float x; memcpy(&x, &i, 4); return x; }
#else
__device__ __noinline__ float2 far_pair(float x) { float2 found; sincosf(x, &found.x, &found.y); return found; }
DEVICE void far_sincos(float x, float *s, float *c) { const float2 found = far_pair(x); *s = found.x; *c = found.y; }
DEVICE int bits_of(float x) { return __float_as_int(x); }
DEVICE float float_of(int i) { return __int_as_float(i); }
#endif
"""


def number(value: Fraction | float) -> str:
    """The nearest float32 as a constant of C."""
    return f"{float(np.float32(float(value))):.9e}f"


def pieces() -> tuple[Fraction, Fraction, Fraction]:
    """pi/2 as the sum of three float32, largest first."""
    found: list[Fraction] = []
    for _ in range(3):
        found.append(Fraction(float(np.float32(float(PI_HALF - sum(found))))))
    return found[0], found[1], found[2]


def polynomial(target: str, coefficients: tuple[float, ...]) -> str:
    """Statements of Horner's scheme in z by fused multiply-adds; ``target`` is the result."""
    lines = [f"  float {target} = {number(coefficients[-1])};"]
    lines += [f"  {target} = fmaf({target}, z, {number(coefficient)});" for coefficient in coefficients[-2::-1]]
    return "\n".join(lines)


def near() -> str:
    """CUDA of ``near_sincos``, for |x| <= BOUND, and of ``full_sincos``, for any angle."""
    reduction = "\n".join(f"  r = fmaf(k, {number(-piece)}, r);" for piece in pieces())
    return f"""\
DEVICE void near_sincos(float x, float *s, float *c)
{{
  const float m = fmaf(x, {number(1 / PI_HALF)}, {ROUNDER:.1f}f), k = m - {ROUNDER:.1f}f;
  const int quadrant = bits_of(m);
  float r = x;
{reduction}
  const float z = r * r;
{polynomial("p", SIN["float32"])}
{polynomial("w", COS["float32"])}
  const float sr = fmaf(p, r * z, r), cr = fmaf(w, z, 1.0f);
  const float a = quadrant & 1 ? cr : sr, b = quadrant & 1 ? sr : cr;
  *s = float_of(bits_of(a) ^ (int)((quadrant & 2u) << 30));
  *c = float_of(bits_of(b) ^ (int)((quadrant + 1 & 2u) << 30));
}}

DEVICE void full_sincos(float x, float *s, float *c)
{{
  if (fabsf(x) > {BOUND:.1f}f) far_sincos(x, s, c);
  else near_sincos(x, s, c);
}}
"""


def functions(dtype: str) -> str:
    """The functions that ``call`` and ``of_inputs`` name."""
    return FAST + BITS + near() if dtype == "float32" else ""


def call(dtype: str, accuracy: str) -> str:
    """The call for one angle: within 2 ulp whatever it is, or the hardware's."""
    name = "sincos" if dtype == "float64" else "fast_sincos" if accuracy == "fast" else "full_sincos"
    return name + "({angle}, &{sin}, &{cos});"


def of_inputs(dtype: str, accuracy: str, angles: list[tuple[str, str, str]]) -> list[str]:
    """Statements for the angles of a state, each (angle, sine, cosine).

    In float32 all are taken as near and the largest is judged once; what is not a number stays so.
    """
    if dtype == "float64" or accuracy == "fast" or not angles:
        return [call(dtype, accuracy).format(angle=angle, sin=sine, cos=cosine) for angle, sine, cosine in angles]
    largest = f"fabsf({angles[0][0]})"
    for angle, _, _ in angles[1:]:
        largest = f"fmaxf({largest}, fabsf({angle}))"
    again = " ".join(f"full_sincos({angle}, &{sine}, &{cosine});" for angle, sine, cosine in angles)
    lines = [f"near_sincos({angle}, &{sine}, &{cosine});" for angle, sine, cosine in angles]
    return [*lines, f"if ({largest} > {BOUND:.1f}f) {{ {again} }}"]
