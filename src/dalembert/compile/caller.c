/* Calls a compiled kernel from Python on NumPy arrays with little overhead.

   Caller: what it can serve without asking (exact arrays of the kernel's type, one state or rows of states) it
   serves; everything else (lists, other types, broadcasting, keywords) goes to the Python function `slow`.
   Bound: arrays fixed beforehand; a call reads and writes them and allocates nothing. */
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

static PyObject *packed(PyObject **results, int count)
{
  if (count == 1) return results[0];
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; i < count; i++) {
    if (tuple) PyTuple_SET_ITEM(tuple, i, results[i]);
    else Py_DECREF(results[i]);
  }
  return tuple;
}

/* Large results. Fresh memory costs more than filling it (the system clears every page), so the blocks of
   results that are gone are kept for the next ones, up to a bound. All of it under the interpreter lock. */
#define HUGE ((size_t)2 << 20)
#define LARGE ((size_t)1 << 20)
#define KEPT_BYTES ((size_t)256 << 20)
#define KEPT_BLOCKS 8
typedef struct { void *data; size_t bytes; } Block;
static Block kept[KEPT_BLOCKS];
static size_t kept_bytes;
static int oldest;

static void give_back(PyObject *capsule)
{
  void *data = PyCapsule_GetPointer(capsule, NULL);
  const size_t bytes = (size_t)PyCapsule_GetContext(capsule);
  if (kept_bytes + bytes > KEPT_BYTES) {
    free(data);
    return;
  }
  int place = 0;
  while (place < KEPT_BLOCKS && kept[place].data) place++;
  if (place == KEPT_BLOCKS) { /* blocks of sizes that nobody asks for again must not fill all places */
    place = oldest;
    oldest = (oldest + 1) % KEPT_BLOCKS;
    kept_bytes -= kept[place].bytes;
    free(kept[place].data);
  }
  kept[place] = (Block){data, bytes};
  kept_bytes += bytes;
}

static void *take(size_t *bytes)
{
  for (int i = 0; i < KEPT_BLOCKS; i++)
    if (kept[i].data && kept[i].bytes >= *bytes && kept[i].bytes / 2 <= *bytes) {
      void *data = kept[i].data;
      *bytes = kept[i].bytes;
      kept_bytes -= *bytes;
      kept[i].data = NULL;
      return data;
    }
  void *data = NULL;
  if (posix_memalign(&data, *bytes >= HUGE ? HUGE : 64, *bytes)) return NULL;
#ifdef MADV_HUGEPAGE
  if (*bytes >= HUGE) madvise(data, *bytes, MADV_HUGEPAGE);
#endif
  return data;
}

static PyObject *empty(int axes, npy_intp *shape, int type)
{
  size_t bytes = type == NPY_DOUBLE ? 8 : 4;
  for (int i = 0; i < axes; i++) bytes *= (size_t)shape[i];
  void *data = bytes >= LARGE ? take(&bytes) : NULL;
  if (!data) return PyArray_SimpleNew(axes, shape, type);
  PyObject *capsule = PyCapsule_New(data, NULL, give_back);
  if (!capsule) {
    free(data);
    return NULL;
  }
  PyCapsule_SetContext(capsule, (void *)bytes);
  PyObject *array = PyArray_SimpleNewFromData(axes, shape, type, data);
  if (!array) {
    Py_DECREF(capsule);
    return NULL;
  }
  if (PyArray_SetBaseObject((PyArrayObject *)array, capsule) < 0) Py_CLEAR(array);
  return array;
}

static int allocate(Caller *self, PyObject **results, int batched, npy_intp count)
{
  for (int i = 0; i < self->outputs; i++) {
    npy_intp *shape = self->shape[i];
    npy_intp with_batch[3] = {count, shape[1], shape[2]};
    results[i] = batched ? empty(self->depth[i] + 1, with_batch, self->type)
                         : PyArray_SimpleNew(self->depth[i], shape + 1, self->type);
    if (!results[i]) {
      while (i-- > 0) Py_DECREF(results[i]);
      return 0;
    }
  }
  return 1;
}

static PyObject *caller_call(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *keywords)
{
  Caller *self = (Caller *)callable;
  const Py_ssize_t given = PyVectorcall_NARGS(nargsf);
  PyObject *results[MOST];
  if (keywords || given != self->inputs) goto slow;
  const int axes = PyArray_CheckExact(args[0]) ? PyArray_NDIM((PyArrayObject *)args[0]) : 0;
  if (axes == 1 && (self->single || by_table(self, 0, 1))) {
    const void *in[MOST];
    void *out[MOST];
    for (int i = 0; i < self->inputs; i++) {
      if (!serves(self, args[i], self->width[i], 1)) goto slow;
      PyArrayObject *a = (PyArrayObject *)args[i];
      if (self->width[i] > 1 && PyArray_STRIDE(a, 0) != PyArray_ITEMSIZE(a)) goto slow;
      in[i] = PyArray_DATA(a);
    }
    if (!allocate(self, results, 0, 0)) return NULL;
    for (int i = 0; i < self->outputs; i++) out[i] = PyArray_DATA((PyArrayObject *)results[i]);
    const int odd = self->single ? self->single(in, out) : self->taped.single(self->taped.tape, in, out);
    if (odd > 1) goto memory;
    if (odd && self->strict) goto refuse;
    return packed(results, self->outputs);
  }
  const npy_intp count = axes == 2 ? PyArray_DIM((PyArrayObject *)args[0], 0) : 0;
  if (axes == 2 && (self->batch || by_table(self, 1, count))) {
    const char *in[MOST];
    char *out[MOST];
    ptrdiff_t rows[MOST], columns[MOST], out_rows[MOST];
    for (int i = 0; i < self->inputs; i++) {
      if (!serves(self, args[i], self->width[i], 2)) goto slow;
      PyArrayObject *a = (PyArrayObject *)args[i];
      if (PyArray_DIM(a, 0) != count) goto slow;
      in[i] = PyArray_BYTES(a);
      rows[i] = PyArray_STRIDE(a, 0);
      columns[i] = PyArray_STRIDE(a, 1);
    }
    if (!allocate(self, results, 1, count)) return NULL;
    for (int i = 0; i < self->outputs; i++) {
      out[i] = PyArray_BYTES((PyArrayObject *)results[i]);
      out_rows[i] = PyArray_STRIDE((PyArrayObject *)results[i], 0);
    }
    int odd = 0;
    if (count > 64) {
      Py_BEGIN_ALLOW_THREADS
      odd = run_batch(self, in, rows, columns, out, out_rows, 0, count, count);
      Py_END_ALLOW_THREADS
    } else if (count) {
      odd = run_batch(self, in, rows, columns, out, out_rows, 0, count, count);
    }
    if (odd > 1) goto memory;
    if (odd && self->strict) goto refuse;
    return packed(results, self->outputs);
  }
slow:
  return PyObject_Vectorcall(self->slow, args, nargsf & ~PY_VECTORCALL_ARGUMENTS_OFFSET, keywords);
refuse:
  for (int i = 0; i < self->outputs; i++) Py_DECREF(results[i]);
  goto slow;
memory:
  for (int i = 0; i < self->outputs; i++) Py_DECREF(results[i]);
  return PyErr_NoMemory();
}

static PyObject *caller_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
  PyObject *widths, *shapes, *slow;
  int number, strict;
  (void)keywords;
  if (!PyArg_ParseTuple(args, "O!O!iiO", &PyTuple_Type, &widths, &PyTuple_Type, &shapes, &number, &strict, &slow)) return NULL;
  if (PyTuple_GET_SIZE(widths) > MOST || PyTuple_GET_SIZE(widths) < 1 || PyTuple_GET_SIZE(shapes) > MOST)
    return PyErr_Format(PyExc_ValueError, "a kernel has 1 to %d arguments and results", MOST);
  Caller *self = (Caller *)type->tp_alloc(type, 0);
  if (!self) return NULL;
  self->vectorcall = caller_call;
  self->inputs = (int)PyTuple_GET_SIZE(widths);
  self->outputs = (int)PyTuple_GET_SIZE(shapes);
  self->type = number;
  self->strict = strict;
  for (int i = 0; i < self->inputs; i++) self->width[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(widths, i));
  for (int i = 0; i < self->outputs; i++) {
    PyObject *shape = PyTuple_GET_ITEM(shapes, i);
    self->depth[i] = (int)PyTuple_Size(shape);
    if (self->depth[i] < 0 || self->depth[i] > 2) {
      Py_DECREF(self);
      return PyErr_Format(PyExc_ValueError, "a result has at most two axes besides the batch");
    }
    for (int k = 0; k < self->depth[i]; k++) self->shape[i][1 + k] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, k));
  }
  self->slow = Py_NewRef(slow);
  if (PyErr_Occurred()) {
    Py_DECREF(self);
    return NULL;
  }
  return (PyObject *)self;
}

static int caller_traverse(PyObject *self, visitproc visit, void *arg)
{
  Py_VISIT(((Caller *)self)->slow);
  Py_VISIT(((Caller *)self)->libraries[0]);
  Py_VISIT(((Caller *)self)->libraries[1]);
  Py_VISIT(((Caller *)self)->taped.owner);
  return 0;
}

static int caller_clear(PyObject *self)
{
  Caller *caller = (Caller *)self;
  caller->single = NULL; /* the code goes with its library */
  caller->batch = NULL;
  Py_CLEAR(caller->slow);
  Py_CLEAR(caller->libraries[0]);
  Py_CLEAR(caller->libraries[1]);
  caller->taped.tape = NULL;
  Py_CLEAR(caller->taped.owner);
  return 0;
}

static void caller_free(PyObject *self)
{
  PyObject_GC_UnTrack(self);
  caller_clear(self);
  Py_TYPE(self)->tp_free(self);
}

static PyObject *caller_attach(PyObject *self, PyObject *args)
{
  Caller *caller = (Caller *)self;
  const char *which;
  Py_ssize_t address;
  PyObject *library;
  if (!PyArg_ParseTuple(args, "snO", &which, &address, &library)) return NULL;
  const int batch = which[0] != 's';
  if (batch) caller->batch = (Batch)address;
  else caller->single = (Single)address;
  Py_XSETREF(caller->libraries[batch], Py_NewRef(library));
  Py_RETURN_NONE;
}

/* attach_tape(single, batch, tape, owner, singles, states): compute by a table until so many states have been. */
static PyObject *caller_attach_tape(PyObject *self, PyObject *args)
{
  Caller *caller = (Caller *)self;
  Py_ssize_t single, batch, tape;
  PyObject *owner;
  double singles, states;
  if (!PyArg_ParseTuple(args, "nnnOdd", &single, &batch, &tape, &owner, &singles, &states)) return NULL;
  PyObject *before = caller->taped.owner;
  caller->taped = (Taped){(const void *)tape, (TapeSingle)single, (TapeBatch)batch, Py_NewRef(owner), {singles, states}};
  Py_XDECREF(before);
  Py_RETURN_NONE;
}

/* afford(batch, count): whether these states are computed by the table; they count as if they were. */
static PyObject *caller_afford(PyObject *self, PyObject *args)
{
  int batch;
  Py_ssize_t count;
  if (!PyArg_ParseTuple(args, "pn", &batch, &count)) return NULL;
  return PyBool_FromLong(by_table((Caller *)self, batch, count));
}

/* results(count): arrays for the results of `count` states. */
static PyObject *caller_results(PyObject *object, PyObject *count)
{
  Caller *self = (Caller *)object;
  const Py_ssize_t states = PyLong_AsSsize_t(count);
  PyObject *results[MOST];
  if (states == -1 && PyErr_Occurred()) return NULL;
  PyObject *tuple = PyTuple_New(self->outputs);
  if (!tuple || !allocate(self, results, 1, states)) {
    Py_XDECREF(tuple);
    return NULL;
  }
  for (int i = 0; i < self->outputs; i++) PyTuple_SET_ITEM(tuple, i, results[i]);
  return tuple;
}

/* chunk(arrays, results, begin, end): rows begin .. end - 1, the interpreter free meanwhile; 1 if not finite. */
static PyObject *caller_chunk(PyObject *object, PyObject *args)
{
  Caller *self = (Caller *)object;
  PyObject *arrays, *outs;
  Py_ssize_t begin, end, count = 0;
  if (!PyArg_ParseTuple(args, "O!O!nn", &PyTuple_Type, &arrays, &PyTuple_Type, &outs, &begin, &end)) return NULL;
  if ((!self->batch && !self->taped.tape) || PyTuple_GET_SIZE(arrays) != self->inputs || PyTuple_GET_SIZE(outs) != self->outputs)
    return PyErr_Format(PyExc_ValueError, "wrong number of arrays for this kernel");
  const char *in[MOST];
  char *out[MOST];
  ptrdiff_t rows[MOST], columns[MOST], out_rows[MOST];
  for (int i = 0; i < self->inputs; i++) {
    PyArrayObject *a = (PyArrayObject *)PyTuple_GET_ITEM(arrays, i);
    if (!serves(self, (PyObject *)a, self->width[i], 2) || (i && PyArray_DIM(a, 0) != count))
      return PyErr_Format(PyExc_ValueError, "argument %d does not fit the kernel", i);
    count = PyArray_DIM(a, 0);
    in[i] = PyArray_BYTES(a);
    rows[i] = PyArray_STRIDE(a, 0);
    columns[i] = PyArray_STRIDE(a, 1);
  }
  for (int i = 0; i < self->outputs; i++) {
    PyArrayObject *a = (PyArrayObject *)PyTuple_GET_ITEM(outs, i);
    npy_intp size = 1;
    for (int k = 0; k < self->depth[i]; k++) size *= self->shape[i][1 + k];
    if (!serves(self, (PyObject *)a, size, 2) || PyArray_DIM(a, 0) != count || !PyArray_ISWRITEABLE(a)
        || (size > 1 && PyArray_STRIDE(a, 1) != PyArray_ITEMSIZE(a)))
      return PyErr_Format(PyExc_ValueError, "result %d does not fit the kernel", i);
    out[i] = PyArray_BYTES(a);
    out_rows[i] = PyArray_STRIDE(a, 0);
  }
  if (begin < 0 || end > count) return PyErr_Format(PyExc_ValueError, "rows out of range");
  int odd = 0;
  if (begin < end) {
    Py_BEGIN_ALLOW_THREADS
    odd = run_batch(self, in, rows, columns, out, out_rows, begin, end, count);
    Py_END_ALLOW_THREADS
  }
  if (odd > 1) return PyErr_NoMemory();
  return PyLong_FromLong(odd);
}

typedef struct {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  const void *in[MOST];
  void *out[MOST];
  Single single;
  TapeSingle taped;
  const void *tape;
  PyObject *held;   /* the arrays and the library of the code, kept alive */
  PyObject *result; /* what a call gives back */
} Bound;

static PyObject *bound_call(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *keywords)
{
  Bound *self = (Bound *)callable;
  (void)args;
  if (keywords || PyVectorcall_NARGS(nargsf)) {
    PyErr_SetString(PyExc_TypeError, "a bound kernel takes no arguments: write into the arrays it was bound to");
    return NULL;
  }
  const int odd = self->single ? self->single(self->in, self->out) : self->taped(self->tape, self->in, self->out);
  if (odd > 1) return PyErr_NoMemory();
  return Py_NewRef(self->result);
}

static int bound_traverse(PyObject *self, visitproc visit, void *arg)
{
  Py_VISIT(((Bound *)self)->held);
  Py_VISIT(((Bound *)self)->result);
  return 0;
}

static int bound_clear(PyObject *self)
{
  Py_CLEAR(((Bound *)self)->held);
  Py_CLEAR(((Bound *)self)->result);
  return 0;
}

static void bound_free(PyObject *self)
{
  PyObject_GC_UnTrack(self);
  bound_clear(self);
  Py_TYPE(self)->tp_free(self);
}

static PyTypeObject BoundType = {
  PyVarObject_HEAD_INIT(NULL, 0)
  .tp_name = "dalembert.Bound",
  .tp_basicsize = sizeof(Bound),
  .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC,
  .tp_vectorcall_offset = offsetof(Bound, vectorcall),
  .tp_call = PyVectorcall_Call,
  .tp_traverse = bound_traverse,
  .tp_clear = bound_clear,
  .tp_dealloc = bound_free,
};

/* bind(arrays, results, result): a Bound over one state; `result` is what its calls give back. */
static PyObject *caller_bind(PyObject *object, PyObject *args)
{
  Caller *self = (Caller *)object;
  PyObject *arrays, *outs, *result;
  if (!PyArg_ParseTuple(args, "O!O!O", &PyTuple_Type, &arrays, &PyTuple_Type, &outs, &result)) return NULL;
  if ((!self->single && !self->taped.tape) || PyTuple_GET_SIZE(arrays) != self->inputs || PyTuple_GET_SIZE(outs) != self->outputs)
    return PyErr_Format(PyExc_ValueError, "wrong number of arrays for this kernel");
  Bound *bound = PyObject_GC_New(Bound, &BoundType);
  if (!bound) return NULL;
  bound->held = bound->result = NULL;
  bound->vectorcall = bound_call;
  bound->single = self->single;
  bound->taped = self->taped.single;
  bound->tape = self->taped.tape;
  for (int i = 0; i < self->inputs; i++) {
    PyArrayObject *a = (PyArrayObject *)PyTuple_GET_ITEM(arrays, i);
    if (!serves(self, (PyObject *)a, self->width[i], 1) || !PyArray_IS_C_CONTIGUOUS(a)) {
      Py_DECREF(bound);
      return PyErr_Format(PyExc_ValueError, "argument %d does not fit the kernel", i);
    }
    bound->in[i] = PyArray_DATA(a);
  }
  for (int i = 0; i < self->outputs; i++) {
    PyArrayObject *a = (PyArrayObject *)PyTuple_GET_ITEM(outs, i);
    npy_intp size = 1;
    for (int k = 0; k < self->depth[i]; k++) size *= self->shape[i][1 + k];
    if (!serves(self, (PyObject *)a, size, 1) || !PyArray_IS_C_CONTIGUOUS(a) || !PyArray_ISWRITEABLE(a)) {
      Py_DECREF(bound);
      return PyErr_Format(PyExc_ValueError, "result %d does not fit the kernel", i);
    }
    bound->out[i] = PyArray_DATA(a);
  }
  bound->held = PyTuple_Pack(3, arrays, outs, self->single ? self->libraries[0] : self->taped.owner);
  bound->result = Py_NewRef(result);
  PyObject_GC_Track((PyObject *)bound);
  if (!bound->held) {
    Py_DECREF(bound);
    return NULL;
  }
  return (PyObject *)bound;
}

static PyMethodDef caller_methods[] = {
  {"attach", caller_attach, METH_VARARGS,
   "attach(which, address, library): the compiled function for \"single\" or \"batch\", and what it is part of."},
  {"attach_tape", caller_attach_tape, METH_VARARGS,
   "attach_tape(single, batch, tape, owner, singles, states): a table that computes so many states."},
  {"afford", caller_afford, METH_VARARGS, "afford(batch, count): whether the table computes these states."},
  {"results", caller_results, METH_O, "results(count): arrays for the results of this many states."},
  {"chunk", caller_chunk, METH_VARARGS, "chunk(arrays, results, begin, end): compute these rows."},
  {"bind", caller_bind, METH_VARARGS, "bind(arrays, results, result): a call without arguments over these arrays."},
  {NULL, NULL, 0, NULL},
};

static PyTypeObject CallerType = {
  PyVarObject_HEAD_INIT(NULL, 0)
  .tp_name = "dalembert.Caller",
  .tp_basicsize = sizeof(Caller),
  .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC,
  .tp_vectorcall_offset = offsetof(Caller, vectorcall),
  .tp_call = PyVectorcall_Call,
  .tp_traverse = caller_traverse,
  .tp_clear = caller_clear,
  .tp_dealloc = caller_free,
  .tp_methods = caller_methods,
  .tp_new = caller_new,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_dalembert_caller", NULL, -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__dalembert_caller(void)
{
  import_array();
  if (PyType_Ready(&CallerType) < 0 || PyType_Ready(&BoundType) < 0) return NULL;
  PyObject *made = PyModule_Create(&module);
  if (made && PyModule_AddObjectRef(made, "Caller", (PyObject *)&CallerType) < 0) Py_CLEAR(made);
  return made;
}
