"""Sine and cosine in CUDA, both of an angle at once.

The angle is reduced as in ``compile/sincos.py``, r = x - k pi/2 with pi/2 = A + B + C (Cody and Waite 1980), here by
fused multiply-adds: A is a rounded pi/2, x - k A is exact while it is below 1, and each further term is rounded once.
With the polynomials used on the CPU the error is below 1.6 ulp for |x| <= ``BOUND``: ``benchmarks/gpu.py`` tries every
float. Larger angles take CUDA's own function, in a call that is not expanded in place: expanded once for each joint it
fills registers and the instruction cache, though no arm ever goes there.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..sincos import BOUND, COS, PI_HALF, SIN

ROUNDER = {"float32": 12582912.0, "float64": 6755399441055744.0}
"""1.5 2^23 and 1.5 2^52: adding it rounds a number far below to an integer, which its last bits then hold."""

FAST = """\
#ifdef HOST
DEVICE void fast_sincos(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
#else
DEVICE void fast_sincos(float x, float *s, float *c) { __sincosf(x, s, c); }
#endif
"""

BITS = {
    "float32": """\
#ifdef HOST
static void far_sincos(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
static inline int last_bits(float x) { int i; memcpy(&i, &x, 4); return i; }
static inline float flipped(float x, int by) { int i; memcpy(&i, &x, 4); i ^= by; memcpy(&x, &i, 4); return x; }
static inline void exchange(int quadrant, float *s, float *c)
{
  if (quadrant & 1) { const float x = *s; *s = *c; *c = x; }
}
#else
__device__ __noinline__ float2 far_pair(float x) { float2 found; sincosf(x, &found.x, &found.y); return found; }
DEVICE void far_sincos(float x, float *s, float *c) { const float2 found = far_pair(x); *s = found.x; *c = found.y; }
DEVICE int last_bits(float x) { return __float_as_int(x); }
DEVICE float flipped(float x, int by) { return __int_as_float(__float_as_int(x) ^ by); }
/* Exchanges sine and cosine in odd quadrants; by hand, since the compiler takes an instruction more for the test. */
DEVICE void exchange(int quadrant, float *s, float *c)
{
  const float x = *s, y = *c;
  asm("{ .reg .pred odd; .reg .b32 bit; and.b32 bit, %4, 1; setp.ne.s32 odd, bit, 0;"
      " selp.f32 %0, %3, %2, odd; selp.f32 %1, %2, %3, odd; }" : "=f"(*s), "=f"(*c) : "f"(x), "f"(y), "r"(quadrant));
}
#endif
""",
    "float64": """\
#ifdef HOST
static void far_sincos(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }
static inline int last_bits(double x) { long long i; memcpy(&i, &x, 8); return (int)i; }
static inline int first_bits(double x) { long long i; memcpy(&i, &x, 8); return (int)(i >> 32) & 0x7fffffff; }
static inline int larger(int a, int b) { return a > b ? a : b; }
static inline double flipped(double x, int by)
{
  long long i;
  memcpy(&i, &x, 8);
  i ^= (long long)by << 32;
  memcpy(&x, &i, 8);
  return x;
}
#else
__device__ __noinline__ double2 far_pair(double x) { double2 found; sincos(x, &found.x, &found.y); return found; }
DEVICE void far_sincos(double x, double *s, double *c) { const double2 p = far_pair(x); *s = p.x; *c = p.y; }
DEVICE int last_bits(double x) { return __double2loint(x); }
DEVICE int first_bits(double x) { return __double2hiint(x) & 0x7fffffff; }
DEVICE int larger(int a, int b) { return max(a, b); }
DEVICE double flipped(double x, int by) { return __hiloint2double(__double2hiint(x) ^ by, __double2loint(x)); }
#endif
DEVICE void exchange(int quadrant, double *s, double *c)
{
  const double x = *s, y = *c;
  *s = quadrant & 1 ? y : x;
  *c = quadrant & 1 ? x : y;
}
""",
}
"""The last bits of a number, a number with some of its first bits flipped, and the sine of large angles."""


def rounded(value: Fraction | float, dtype: str) -> float:
    """The nearest number of this type."""
    return float(np.float32(float(value))) if dtype == "float32" else float(value)


def pieces(dtype: str) -> tuple[Fraction, Fraction, Fraction]:
    """pi/2 as the sum of three numbers of this type, largest first."""
    terms: list[Fraction] = []
    for _ in range(3):
        terms.append(Fraction(rounded(PI_HALF - sum(terms), dtype)))
    return terms[0], terms[1], terms[2]


class _Constants:
    """Constants as literals in float32; in a table in float64, where no instruction holds one."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype
        self.values: list[float] = []

    def __call__(self, value: Fraction | float) -> str:
        number = rounded(value, self.dtype)
        if self.dtype == "float32":
            return f"{number:.9e}f"
        if number not in self.values:
            self.values.append(number)
        return f"of_sine[{self.values.index(number)}]"

    @property
    def table(self) -> str:
        """The table, where there is one."""
        if not self.values:
            return ""
        values = ", ".join(map(repr, self.values))
        kinds = (("#ifdef HOST", "static const"), ("#else", "static __constant__"))
        lines = [f"{case}\n{kind} double of_sine[] = {{{values}}};" for case, kind in kinds]
        return "\n".join([*lines, "#endif\n"])


def near_sine(dtype: str) -> str:
    """CUDA of ``near_sincos``, for |x| <= BOUND, and of ``full_sincos``, for any angle."""
    real, suffix = ("float", "f") if dtype == "float32" else ("double", "")
    constant = _Constants(dtype)

    def polynomial(target: str, coefficients: tuple[float, ...]) -> str:
        """Statements of Horner's scheme in z by fused multiply-adds; ``target`` is the result."""
        lines = [f"  {real} {target} = {constant(coefficients[-1])};"]
        lines += [f"  {target} = fma{suffix}({target}, z, {constant(x)});" for x in coefficients[-2::-1]]
        return "\n".join(lines)

    rounder = f"{ROUNDER[dtype]:.1f}{suffix}"
    reduction = "\n".join(f"  r = fma{suffix}(k, {constant(-piece)}, r);" for piece in pieces(dtype))
    text = f"""\
DEVICE void near_sincos({real} x, {real} *s, {real} *c)
{{
  const {real} m = fma{suffix}(x, {constant(1 / PI_HALF)}, {rounder}), k = m - {rounder};
  const int quadrant = last_bits(m);
  {real} r = x;
{reduction}
  const {real} z = r * r;
{polynomial("p", SIN[dtype])}
{polynomial("w", COS[dtype])}
  {real} a = fma{suffix}(p, r * z, r), b = fma{suffix}(w, z, 1.0{suffix});
  exchange(quadrant, &a, &b);
  *s = flipped(a, (int)((quadrant & 2u) << 30));
  *c = flipped(b, (int)((quadrant + 1 & 2u) << 30));
}}

DEVICE void full_sincos({real} x, {real} *s, {real} *c)
{{
  if (fabs{suffix}(x) > {BOUND:.1f}{suffix}) far_sincos(x, s, c);
  else near_sincos(x, s, c);
}}
"""
    return constant.table + text


def functions(dtype: str) -> str:
    """The functions that ``call`` and ``of_inputs`` name."""
    return (FAST if dtype == "float32" else "") + BITS[dtype] + near_sine(dtype)


def call(accuracy: str) -> str:
    """The call for one angle: within 2 ulp whatever it is, or the hardware's."""
    return ("fast_sincos" if accuracy == "fast" else "full_sincos") + "({angle}, &{sin}, &{cos});"


def of_inputs(dtype: str, accuracy: str, angles: list[tuple[str, str, str]]) -> list[str]:
    """Statements for the angles of a state, each (angle, sine, cosine).

    All are taken as near and the largest is judged once; what is not a number stays so.
    """
    if accuracy == "fast" or not angles:
        return [call(accuracy).format(angle=angle, sin=sine, cos=cosine) for angle, sine, cosine in angles]
    sizes = [f"{'fabsf' if dtype == 'float32' else 'first_bits'}({angle})" for angle, _, _ in angles]
    bound = f"{BOUND:.1f}f" if dtype == "float32" else f"first_bits({BOUND:.1f})"
    largest = sizes[0]
    for size in sizes[1:]:
        largest = f"{'fmaxf' if dtype == 'float32' else 'larger'}({largest}, {size})"
    corrections = " ".join(
        f"if ({size} > {bound}) far_sincos({angle}, &{sine}, &{cosine});"
        for size, (angle, sine, cosine) in zip(sizes, angles, strict=True)
    )
    lines = [f"near_sincos({angle}, &{sine}, &{cosine});" for angle, sine, cosine in angles]
    return [*lines, f"if ({largest} > {bound}) {{ {corrections} }}"]
