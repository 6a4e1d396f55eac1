/* Bound: a kernel on arrays fixed beforehand; a call reads and writes them and allocates nothing. It is compiled with
   caller_kernel.c before it. */

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
  if ((!self->single && !self->taped.tape) || PyTuple_GET_SIZE(arrays) != self->inputs
      || PyTuple_GET_SIZE(outs) != self->outputs)
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
