/* Caller: calls a compiled kernel from Python on NumPy arrays with little overhead. It is compiled with
   caller_kernel.c, caller_results.c and caller_bound.c before it.

   What it can serve without asking (exact arrays of the kernel's type, one state or rows of states) it serves;
   everything else (lists, other types, broadcasting, keywords) goes to the Python function `slow`. */

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
  if (!PyArg_ParseTuple(args, "O!O!iiO", &PyTuple_Type, &widths, &PyTuple_Type, &shapes, &number, &strict, &slow))
    return NULL;
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
  caller->taped =
    (Taped){(const void *)tape, (TapeSingle)single, (TapeBatch)batch, Py_NewRef(owner), {singles, states}};
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
  if ((!self->batch && !self->taped.tape) || PyTuple_GET_SIZE(arrays) != self->inputs
      || PyTuple_GET_SIZE(outs) != self->outputs)
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
