"""C that transposes rows of states to vectors of one joint each, and back, in registers.

W rows of W numbers are transposed by exchanging blocks of 1, 2, 4, ... (Eklundh 1972): W log2 W shuffles.
"""

from __future__ import annotations


def exchange(width: int) -> list[str]:
    """C statements that transpose the vectors r0 .. r(W-1) by block exchanges (Eklundh 1972)."""
    lines = []
    step = 1
    while step < width:
        low = [j if not j & step else width + j - step for j in range(width)]
        high = [j + step if not j & step else width + j for j in range(width)]
        for i in range(width):
            if not i & step:
                lines.append(f"u = SHUFFLE(r{i}, r{i + step}, {', '.join(map(str, low))});")
                lines.append(f"r{i + step} = SHUFFLE(r{i}, r{i + step}, {', '.join(map(str, high))});")
                lines.append(f"r{i} = u;")
        step *= 2
    return lines


def functions(width: int) -> str:
    """C of ``load_rows`` and ``store_rows`` for this many lanes."""
    names = ", ".join(f"r{i}" for i in range(width))
    loads = [f"memcpy(&r{i}, from + {i} * row, sizeof(V));" for i in range(width)]
    puts = [f"if ({i} < width) x[{i} * S] = r{i};" for i in range(width)]
    takes = [f"r{i} = y[where[{i} < width ? {i} : 0] * S];" for i in range(width)]
    wide = [f"memcpy(to + {i} * row, &r{i}, sizeof(V));" for i in range(width)]
    narrow = [f"memcpy(to + {i} * row, &r{i}, (size_t)width * sizeof(T));" for i in range(width)]

    def block(lines: list[str], indent: str = "  ") -> str:
        return "\n".join(indent + line for line in lines)

    return f"""\
INLINE void load_rows(const char *from, ptrdiff_t row, int width, V *x)
{{
  V {names}, u;
{block(loads)}
{block(exchange(width))}
{block(puts)}
}}

INLINE void store_rows(char *to, ptrdiff_t row, int width, const int32_t *where, const V *y)
{{
  V {names}, u;
{block(takes)}
{block(exchange(width))}
  if (width >= W) {{
{block(wide, "    ")}
  }} else {{
{block(narrow, "    ")}
  }}
}}
"""


STREAM = """\
/* Copies that do not pass through the caches, where the machine has them. */
#if defined(__clang__)
#define STREAMS 1
#define STORE_LINE(to, v) __builtin_nontemporal_store(v, (V *)(to))
#elif defined(__AVX512F__)
#define STREAMS 1
#define STORE_LINE(to, v) __builtin_ia32_movntpd512((double *)(to), (V512)(v))
#elif defined(__AVX__)
#define STREAMS 1
#define STORE_LINE(to, v) __builtin_ia32_movntpd256((double *)(to), (V256)(v))
#else
#define STREAMS 0
#define STORE_LINE(to, v) (*(V *)(to) = (v))
#endif
#if defined(__x86_64__)
#define STREAM_END __builtin_ia32_sfence()
#else
#define STREAM_END (void)0
#endif
typedef double V512 __attribute__((vector_size(64)));
typedef double V256 __attribute__((vector_size(32)));
#define STREAM_BYTES (8 << 20)
#define STREAM_WIDTH 4096 /* numbers of a row: a block of longer ones would not fit on a stack */
#define AHEAD_BYTES (256 << 10) /* less is in the caches anyway */

static inline __attribute__((unused)) void stream(char *to, const char *from, ptrdiff_t bytes)
{
  ptrdiff_t i = (ptrdiff_t)(-(uintptr_t)to % sizeof(V));
  memcpy(to, from, (size_t)i);
  for (; i + (ptrdiff_t)sizeof(V) <= bytes; i += sizeof(V)) {
    V v;
    memcpy(&v, from + i, sizeof(V));
    STORE_LINE(to + i, v);
  }
  memcpy(to + i, from + i, (size_t)(bytes - i));
}

/* Ask for the rows of the next block while this one is computed. */
INLINE void ahead(const char *p, ptrdiff_t row, int width, ptrdiff_t first, ptrdiff_t count)
{
  if (first + S * W > count || row < 0 || count * row < AHEAD_BYTES) return;
  if (row == width * (ptrdiff_t)sizeof(T))
    for (ptrdiff_t i = 0; i < S * W * row; i += 64) __builtin_prefetch(p + first * row + i);
  else if (row)
    for (ptrdiff_t i = 0; i < S * W; i++) __builtin_prefetch(p + (first + i) * row);
}
"""

WHOLE = """\
/* Rows first .. first + S W - 1 of an array with `count` rows of `width` numbers, as `width` rows of S vectors.
   Rows are read W numbers at a time: beyond a short row only where another row follows. Past the end of the
   array the last row stands in. */
INLINE void gather(const char *p, ptrdiff_t row, ptrdiff_t column, int width, ptrdiff_t first, ptrdiff_t count,
                   V *x)
{
  const ptrdiff_t size = sizeof(T), last = first + S * W;
  if (last <= count && column == size && row >= 0
      && (width >= W || (last - 1) * row + W * size <= (count - 1) * row + width * size)) {
    for (int v = 0; v < S; v++) {
      const char *from = p + (first + v * W) * row;
      int k = 0;
      for (; k + W <= width; k += W) load_rows(from + k * size, row, W, x + k * S + v);
      if (k < width) {
        if (width >= W) load_rows(from + (width - W) * size, row, W, x + (width - W) * S + v);
        else load_rows(from, row, width, x + v);
      }
    }
    return;
  }
  for (int i = 0; i < S * W; i++) {
    const ptrdiff_t state = first + i < count ? first + i : count - 1;
    const char *from = p + state * row;
    for (int k = 0; k < width; k++) memcpy((T *)(x + k * S) + i, from + k * column, sizeof(T));
  }
}

/* The reverse, out to rows without gaps; where[k] is the row of vectors for column k. */
INLINE void spread(char *p, ptrdiff_t row, int width, const int32_t *where, ptrdiff_t first, ptrdiff_t end,
                   ptrdiff_t count, const V *y)
{
  const ptrdiff_t size = sizeof(T);
  if (first + S * W <= end) {
    /* Results too many for the caches go past them: they are put together here and written in whole lines. */
    const int streams = STREAMS && row == width * size && count * row > STREAM_BYTES && width <= STREAM_WIDTH;
    _Alignas(64) char lines[streams ? S * W * sizeof(T) * (size_t)width : 1];
    char *const block = streams ? lines : p + first * row;
    for (int v = 0; v < S; v++) {
      char *to = block + v * W * row;
      int k = 0;
      for (; k + W <= width; k += W) store_rows(to + k * size, row, W, where + k, y + v);
      if (k < width) {
        if (width >= W) store_rows(to + (width - W) * size, row, W, where + width - W, y + v);
        else store_rows(to, row, width, where, y + v);
      }
    }
    if (streams) stream(p + first * row, lines, S * W * row);
    return;
  }
  for (ptrdiff_t state = first; state < end; state++)
    for (int k = 0; k < width; k++)
      memcpy(p + state * row + k * size, (const T *)(y + where[k] * S) + (state - first), sizeof(T));
}
"""


def source(dtype: str) -> str:
    """C of ``gather`` and ``spread`` for every vector width that the compiler may have."""
    size = 4 if dtype == "float32" else 8
    text = """\
#define INLINE static inline __attribute__((always_inline))
#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (VI){__VA_ARGS__})
#endif
"""
    for index, size_of_vector in enumerate((64, 32, 16)):
        text += f"#{'elif' if index else 'if'} BYTES == {size_of_vector}\n{functions(size_of_vector // size)}"
    return text + "#endif\n\n" + STREAM + "\n" + WHOLE
