/* Arrays for the results of caller.c. It is compiled with caller_kernel.c before it.

   Fresh memory costs more than filling it (the system clears every page), so the blocks of
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
