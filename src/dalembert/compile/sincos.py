"""Vectorised sine and cosine in C: error below 2 ulp at every argument.

k = round(2 x / pi) and r = x - k pi/2 by Cody and Waite 1980: pi/2 = A + B + C, where A and B have so few bits
that k A and k B are exact. Then neither a fused multiply-add nor the contractions of a compiler change the digits of r.
This holds for |x| up to 8192. Larger arguments are reduced lane by lane: 2 x / pi modulo 4 in integers, with as many
digits of 2 / pi as the exponent requires (Payne and Hanek 1983). The C library is not used, since some are off by
several ulp there. The polynomials for |r| <= pi/4 are minimax in relative (sine) and absolute
(cosine) error: below 0.04 and 0.001 ulp of float64. In float32 the angle is reduced in double precision.
"""

from __future__ import annotations

from fractions import Fraction


def pi_bits(bits: int) -> int:
    """pi 2^bits, by Machin's formula pi/4 = 4 arctan(1/5) - arctan(1/239)."""
    guard = 20
    one = 1 << (bits + guard)

    def arctan(inverse: int) -> int:
        term = one // inverse
        total, k = term, 1
        while term:
            term //= inverse * inverse
            total += (-1) ** k * (term // (2 * k + 1))
            k += 1
        return total

    return 4 * (4 * arctan(5) - arctan(239)) >> guard


PI_HALF = Fraction(pi_bits(300), 1 << 301)
"""pi/2 to 300 bits."""
WORDS = 22
"""64-bit words of 2 / pi, enough for the largest exponent, including the zero word before the binary point."""
BOUND = 8192.0
"""Largest |x| of the Cody-Waite reduction."""

SIN = {
    "float64": (
        -0.16666666666666632,
        0.008333333333322398,
        -0.00019841269829794008,
        2.755731368693315e-06,
        -2.50507573056544e-08,
        1.589674712563443e-10,
    ),
    "float32": (-0.16666654926142374, 0.008332176994365191, -0.00019517137947357407),
}
"""P in sin r = r + r^3 P(r^2)."""

COS = {
    "float64": (
        -0.5,
        0.04166666666666649,
        -0.001388888888886385,
        2.4801587284977843e-05,
        -2.7557313330707433e-07,
        2.087560751856437e-09,
        -1.1354463322429107e-11,
    ),
    "float32": (-0.49999999724562133, 0.04166662325977751, -0.0013886761685085846, 2.4390247077932955e-05),
}
"""Q in cos r = 1 + r^2 Q(r^2)."""


def pieces(bits: int = 40) -> tuple[float, float, float]:
    """pi/2 as A + B + C, where A and B have few enough bits that their products with k < 2^13 are exact."""
    remainder, parts = PI_HALF, []
    for _ in range(2):
        scale = 1
        while remainder * scale < 2 ** (bits - 1):
            scale *= 2
        part = Fraction(int(remainder * scale), scale)
        parts.append(float(part))
        remainder -= part
    return parts[0], parts[1], float(remainder)


def two_over_pi() -> list[int]:
    """The bits of 2 / pi in 64-bit words, after a zero word before the binary point."""
    bits = 64 * (WORDS - 1)
    value = (1 << (2 * bits + 65)) // pi_bits(bits + 64)
    return [0, *((value >> (64 * (WORDS - 2 - k))) & (2**64 - 1) for k in range(WORDS - 1))]


def huge() -> str:
    """C of ``sincos_huge``: one angle beyond ``BOUND``, or not finite, in float64."""
    words = ", ".join(f"0x{word:016x}u" for word in two_over_pi())
    high = float(PI_HALF)
    low = float(PI_HALF - Fraction(high))
    return f"""\
#if defined(__SIZEOF_INT128__)
static const uint64_t two_over_pi[] = {{{words}}};

/* x = m 2^e; 192 bits of 2 / pi from the bit of weight 2^(1 - e) on give 2 x / pi modulo 4 to 137 bits. */
static __attribute__((noinline, unused)) void sincos_huge(double x, double *sine, double *cosine)
{{
  uint64_t bits;
  memcpy(&bits, &x, 8);
  const int biased = (int)(bits >> 52 & 2047);
  if (biased == 2047) {{
    *sine = *cosine = x - x;
    return;
  }}
  const uint64_t m = (bits & 0xfffffffffffffu) | 0x10000000000000u;
  const int start = biased - 1075 - 1 + 63; /* place of the first bit in the table, where bit 64 has weight 1/2 */
  uint64_t window[3];
  for (int i = 0; i < 3; i++) {{
    const int word = start / 64 + i, shift = start % 64;
    window[i] = two_over_pi[word] << shift;
    if (shift) window[i] |= two_over_pi[word + 1] >> (64 - shift);
  }}
  typedef unsigned __int128 Wide;
  Wide part = (Wide)m * window[2];
  uint64_t w0 = (uint64_t)part, w1, w2;
  part = (Wide)m * window[1] + (uint64_t)(part >> 64);
  w1 = (uint64_t)part;
  w2 = m * window[0] + (uint64_t)(part >> 64);
  int quadrant = (int)(w2 >> 62);
  w2 = w2 << 2 | w1 >> 62;
  w1 = w1 << 2 | w0 >> 62;
  w0 <<= 2;
  const int below = w2 >> 63; /* nearer to the next multiple */
  if (below) {{
    quadrant++;
    w0 = -w0;
    w1 = ~w1 + (w0 == 0);
    w2 = ~w2 + (w0 == 0 && w1 == 0);
  }}
  int zeros = 0;
  while (!w2 && zeros < 128) {{
    w2 = w1, w1 = w0, w0 = 0;
    zeros += 64;
  }}
  const int shift = w2 ? __builtin_clzll(w2) : 0;
  if (shift) {{
    w2 = w2 << shift | w1 >> (64 - shift);
    w1 = w1 << shift | w0 >> (64 - shift);
  }}
  const double sign = (bits >> 63) != (unsigned)below ? -1.0 : 1.0;
  const double unit = ldexp(sign, -(zeros + shift) - 53);
  const double fh = (double)(w2 >> 11) * unit;
  const double fl = (double)(w2 << 53 | w1 >> 11) * (unit * 0x1p-64);
  if (bits >> 63) quadrant = -quadrant;
  const double r = fh * {high!r};
  const double lo = fma(fh, {high!r}, -r) + (fh * {low!r} + fl * {high!r});
  const double z = r * r;
  const double sr = r + (r * z * {horner(SIN["float64"], "", "fma")} + lo);
  const double cr = (1.0 + z * {horner(COS["float64"], "", "fma")}) - r * lo;
  const double a = quadrant & 1 ? cr : sr, b = quadrant & 1 ? sr : cr;
  *sine = quadrant & 2 ? -a : a;
  *cosine = (quadrant + 1) & 2 ? -b : b;
}}
#else
static __attribute__((unused)) void sincos_huge(double x, double *sine, double *cosine)
{{
  *sine = sin(x);
  *cosine = cos(x);
}}
#endif
"""


def horner(coefficients: tuple[float, ...], suffix: str, fused: str, constant: str = "{}") -> str:
    """The polynomial in z as C, in Horner form."""
    text = constant.format(repr(coefficients[-1]) + suffix)
    for coefficient in coefficients[-2::-1]:
        text = f"{fused}({text}, z, {constant.format(repr(coefficient) + suffix)})"
    return text


def source(dtype: str) -> str:
    """C of ``sincos_vector``: sine and cosine of a vector, and a mask of the lanes beyond ``BOUND``."""
    a, b, c = pieces()
    reduce = f"""\
  VD d = __builtin_convertvector(x, VD);
  const VD m = d * {float(1 / PI_HALF)!r} + 6755399441055744.0; /* 1.5 2^52: rounds to an integer */
  const VD k = m - 6755399441055744.0;
  const VD r1 = d - k * {a!r};
  const VD s = r1 - k * {b!r};
  const VD lo = ((r1 - s) - k * {b!r}) - k * {c!r};
"""
    if dtype == "float32":
        narrow = """\
  const V r = __builtin_convertvector(s + lo, V);
  const VI quadrant = __builtin_convertvector((VL)m, VI);
"""
        f = "f"
    else:
        narrow = "  const V r = s;\n  const VI quadrant = (VI)m;\n"
        f = ""
    splat = "((V){{0}} + {})"
    sine, cosine = (horner(table[dtype], f, "VMA", splat) for table in (SIN, COS))
    unity = splat.format(f"1.0{f}")
    cosine = f"VMA(z, {cosine}, {unity})"
    if dtype == "float32":
        sine = f"r * z * {sine}"
    else:
        sine, cosine = f"VMA(r * z, {sine}, lo)", f"VNMA(r, lo, {cosine})"
    bits = 63 if dtype == "float64" else 31
    bound = "0x40c0000000000000" if dtype == "float64" else "0x46000000"
    return f"""\
{huge()}
/* Sine and cosine, error below 2 ulp for |x| <= {BOUND:g}; *far marks the lanes beyond. */
static inline void sincos_vector(V x, V *sine, V *cosine, VI *far)
{{
{reduce}{narrow}  const V z = r * r;
  const V sr = r + {sine};
  const V cr = {cosine};
  const VI swap = -(quadrant & 1);
  const VI a = ((VI)cr & swap) | ((VI)sr & ~swap);
  const VI b = ((VI)sr & swap) | ((VI)cr & ~swap);
  *sine = (V)(a ^ ((quadrant & 2) << {bits - 1}));
  *cosine = (V)(b ^ (((quadrant + 1) & 2) << {bits - 1}));
  *far |= ((VI)x & INT_MAX_T) > {bound};
}}

static int any_lane(VI mask)
{{
  INT found = 0;
  for (int i = 0; i < W; i++) found |= mask[i];
  return found != 0;
}}

static void sincos_far(const T *x, T *sine, T *cosine, long count)
{{
  for (long i = 0; i < count; i++)
    if (!(x[i] <= {BOUND}{f} && x[i] >= -{BOUND}{f})) {{
      double s, c;
      sincos_huge(x[i], &s, &c);
      sine[i] = (T)s;
      cosine[i] = (T)c;
    }}
}}
"""
