"""What all generated kernels share: types and macros, and how a warp reads and writes its rows."""

from __future__ import annotations

HEAD = """\
#ifdef HOST
#define CONSTANT static const
#else
#define CONSTANT static __constant__
#endif
#ifdef __CUDACC__
#define DEVICE __device__ __forceinline__
#endif
typedef {real} real;
typedef long long size;
#ifdef HOST
typedef struct {{ unsigned x, y, z, w; }} __attribute__((aligned(16), may_alias)) wide;
typedef struct {{ real x, y; }} __attribute__((aligned(2 * sizeof(real)))) couple;
#else
typedef uint4 wide;
typedef {real}2 couple;
DEVICE float joined(const unsigned *x, float) {{ return __uint_as_float(x[0]); }}
DEVICE double joined(const unsigned *x, double) {{ return __hiloint2double((int)x[1], (int)x[0]); }}
#endif
/* Results that fill whole lines are not read again soon: they leave the caches first. */
#ifdef HOST
#define STREAM(to, x) (*(to) = (x))
#else
#define STREAM(to, x) __stcs(to, x)
#endif
/* a b + c, c - a b and a b - c, rounded once */
#define MA(a, b, c) {fused}(a, b, c)
#define NMA(a, b, c) {fused}(-(a), b, c)
#define MS(a, b, c) {fused}(a, b, -(c))
#define LANES(W) ((W) * sizeof(real) % 16 == 0 ? 16 / sizeof(real) : (W) * sizeof(real) % 8 == 0 ? 8 / sizeof(real) : 1)
"""

RECIPROCAL = """\
/* The processor's own 1/x, within an ulp: a division rounded correctly is nine instructions and a branch. */
DEVICE float reciprocal(float x)
{
#ifdef HOST
  return 1.0f / x;
#else
  float found;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(found) : "f"(x));
  return found;
#endif
}
"""
INVERSE = {"float32": "reciprocal({x})", "float64": "{one} / {x}"}

HOST_SHIM = """\
#include <math.h>
#include <string.h>
#define DEVICE static inline
#define HOST 1
"""

ROWS = """\
/* The T rows of a warp from shared memory, S numbers from row to row there and P in the result: as pieces of 16 bytes
   where the rows are one piece of memory on both sides, else number by number, neighbouring threads at neighbouring
   places. */
template <int W, int S, int P> DEVICE void give(int t, real *to, const real *from, int rows)
{
  if (S == W && P == W && rows == T && ((size)to & 15) == 0 && (T * W * sizeof(real)) % 16 == 0) {
    const wide *source = (const wide *)from;
    wide *target = (wide *)to;
    #pragma unroll
    for (int e = t; e < (int)(T * W * sizeof(real) / 16); e += T) STREAM(target + e, source[e]);
  } else {
    for (int e = t, row = t / W, column = t % W; e < rows * W; e += T) {
      to[row * P + column] = from[row * S + column];
      row += T / W;
      column += T % W;
      if (column >= W) { column -= W; row++; }
    }
  }
}

"""


FETCH = """\
/* Pieces of 8 and 16 bytes, by the processor's own instructions: of plain copies behind a test of the alignment the
   compiler makes single numbers. */
#ifdef HOST
template <int B> DEVICE void take(real *to, const real *from) { memcpy(to, from, B); }
#else
template <int B> DEVICE void take(real *to, const real *from)
{
  unsigned a, b, c, d;
  if (B == 16) asm("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(from));
  else asm("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(from));
  const unsigned got[4] = {a, b, c, d};
  #pragma unroll
  for (int k = 0; k < B / (int)sizeof(real); k++) to[k] = joined(got + k * sizeof(real) / 4, real());
}
#endif

/* The address of a row, by one instruction: a product of two numbers of 32 bits and a sum. */
DEVICE const real *row_of(const real *from, int row, int stride)
{
  return (const real *)((const char *)from + (size)row * (stride * (int)sizeof(real)));
}
DEVICE real *row_of(real *from, int row, int stride) { return (real *)row_of((const real *)from, row, stride); }

/* One row straight from memory, in the widest pieces its width allows; neighbouring rows share their cache lines. */
template <int W> DEVICE void fetch(real *to, const real *from)
{
  const int B = LANES(W) * sizeof(real);
  if (B > (int)sizeof(real) && ((size)from & (B - 1)) == 0) {
    #pragma unroll
    for (int k = 0; k < W / LANES(W); k++) take<B>(to + k * LANES(W), from + k * LANES(W));
  } else {
    #pragma unroll
    for (int k = 0; k < W; k++) to[k] = from[k];
  }
}
"""
PREFETCH = """\
/* Asks for the line of memory at an address, without waiting for it: a warp that will run in a while finds it near. */
DEVICE void ask_for(const void *from)
{
#ifndef HOST
  asm volatile("prefetch.global.L2 [%0];" : : "l"(from));
#endif
}
"""
PREFETCH_ROWS = """\
/* The lines of T rows of W numbers. */
template <int W> DEVICE void ask_for_rows(int t, const real *from, int stride)
{
  const int lines = (T * W * (int)sizeof(real) + 127) / 128;
  #pragma unroll
  for (int line = 0; line < lines; line += T)
    if (line + t < lines && stride >= W) ask_for((const char *)from + 128 * (line + t));
}
"""
GIVE_ACROSS = """\
/* The T rows of a warp: W numbers each, ACROSS apart in shared memory; P from row to row in the result. In pairs where
   the rows allow it: of more at a time, threads would meet in the banks. */
template <int W, int P> DEVICE void give(int t, real *to, const real *from, int rows)
{
  const int L = 2;
  if (W % L == 0 && P % L == 0 && ((size)to & (sizeof(couple) - 1)) == 0) {
    int row = t / (W / L), column = t % (W / L);
    #pragma unroll 4
    for (int e = t; e < rows * (W / L); e += T) {
      couple both;
      both.x = from[L * column * ACROSS + row];
      both.y = from[(L * column + 1) * ACROSS + row];
      *(couple *)(to + row * P + L * column) = both;
      row += T / (W / L);
      column += T % (W / L);
      if (column >= W / L) { column -= W / L; row++; }
    }
  } else {
    int row = t / W, column = t % W;
    #pragma unroll 4
    for (int e = t; e < rows * W; e += T) {
      to[row * P + column] = from[column * ACROSS + row];
      row += T / W;
      column += T % W;
      if (column >= W) { column -= W; row++; }
    }
  }
}
"""
