/* A compiled kernel as caller.c has it: its arguments and results, its code or the table that stands for it, and which
   arrays it reads as they are. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>
#include <stddef.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#define MOST 8

typedef int (*Single)(const void *const *in, void *const *out);
typedef int (*Batch)(const char *const *in, const ptrdiff_t *rows, const ptrdiff_t *columns, char *const *out,
                     const ptrdiff_t *out_rows, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t count);
typedef int (*TapeSingle)(const void *tape, const void *const *in, void *const *out);
typedef int (*TapeBatch)(const void *tape, const char *const *in, const ptrdiff_t *rows, const ptrdiff_t *columns,
                         char *const *out, const ptrdiff_t *out_rows, ptrdiff_t begin, ptrdiff_t end,
                         ptrdiff_t count);

/* A function as a table that is read at each call, until so much work has been done that a compiler pays. */
typedef struct {
  const void *tape;
  TapeSingle single;
  TapeBatch batch;
  PyObject *owner;   /* what keeps table and code in memory */
  double left[2];    /* states that are still computed so, one at a time and in batches */
} Taped;

typedef struct {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  int inputs, outputs, type, strict;
  npy_intp width[MOST];
  int depth[MOST];
  npy_intp shape[MOST][3]; /* [0] is left free for the batch axis */
  Single single;
  Batch batch;
  PyObject *slow;
  PyObject *libraries[2]; /* those of `single` and `batch`, kept loaded */
  Taped taped;
} Caller;

/* Whether `count` more states are computed by the table: no compiled code, and not enough work done for it. */
static int by_table(Caller *self, int batch, npy_intp count)
{
  if (!self->taped.tape || (double)count > self->taped.left[batch]) return 0;
  self->taped.left[batch] -= (double)count;
  return 1;
}

static int run_batch(const Caller *self, const char *const *in, const ptrdiff_t *rows, const ptrdiff_t *columns,
                     char *const *out, const ptrdiff_t *out_rows, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t count)
{
  return self->batch ? self->batch(in, rows, columns, out, out_rows, begin, end, count)
                     : self->taped.batch(self->taped.tape, in, rows, columns, out, out_rows, begin, end, count);
}

static int serves(const Caller *self, PyObject *array, npy_intp width, int axes)
{
  if (!PyArray_CheckExact(array)) return 0;
  PyArrayObject *a = (PyArrayObject *)array;
  return PyArray_TYPE(a) == self->type && PyArray_NDIM(a) == axes && PyArray_DIM(a, axes - 1) == width
         && (PyArray_FLAGS(a) & NPY_ARRAY_ALIGNED) && PyArray_ISNOTSWAPPED(a);
}
