"""A kernel gives what the formulation gives, whatever the arrays look like and however many threads compute."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import shutil
import subprocess
import sys
import weakref
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.arm.io.files import read
from dalembert.compile import build, emit_batch
from dalembert.compile import shared_library as load
from dalembert.compile.functions import FUNCTIONS, OF_DRIVES, function
from dalembert.compile.kernel import Kernel
from dalembert.compile.kernel_code import KernelCode
from dalembert.rings.graph import evaluate
from dalembert.rings.real import REAL
from random_arms import random_arm

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")

PUMA = read("puma560", physical="ignore")


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return Kernel(function(PUMA, "inverse_dynamics"))


def states(count: int, n: int = 6, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-3, 3, (3, count, n))


def reference(arm: Any, name: str, arrays: Any) -> np.ndarray:
    """All outputs as columns, from the graph in NumPy."""
    made = function(arm, name)
    values: dict[str, Any] = {}
    for (_, nodes), array in zip(made.inputs, arrays, strict=False):
        values |= dict(zip(nodes, np.asarray(array, float).T, strict=True))
    found = evaluate(made.nodes, values, REAL)
    return np.stack([np.broadcast_to(np.asarray(x, float), len(arrays[0])) for x in found], -1)


def columns(result: Any) -> np.ndarray:
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in OF_DRIVES])
def test_every_function_compiles_to_the_values_of_its_graph(name: str):
    # The tool of this tree slides along the base, where a rate of the Jacobian is zero: that is asked of a chain.
    arm = random_arm(11, 4, tree=name != "jacobian_rate")
    kernel = Kernel(function(arm, name))
    arrays = states(37, arm.n)[: len(kernel.arguments)]
    wanted = reference(arm, name, arrays)
    scale = np.abs(wanted).max()
    assert np.abs(columns(kernel(*arrays)) - wanted).max() < 1e-11 * scale
    one = kernel(*(array[5] for array in arrays))
    flat = np.concatenate([np.ravel(part) for part in (one if isinstance(one, tuple) else (one,))])
    assert np.abs(flat - wanted[5]).max() < 1e-11 * scale


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 130])
def test_a_batch_of_any_size_has_the_torques_of_its_states(kernel: Kernel, count: int):
    arrays = states(count)
    found = kernel(*arrays)
    assert found.shape == (count, 6)
    if count:
        np.testing.assert_allclose(found, reference(PUMA, "inverse_dynamics", arrays), rtol=1e-12, atol=1e-12)


def test_a_result_does_not_depend_on_the_place_in_the_batch(kernel: Kernel):
    arrays = states(101)
    whole = kernel(*arrays)
    for start in (1, 8, 50, 93):
        assert (kernel(*arrays[:, start:]) == whole[start:]).all()


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 17])
def test_arms_of_any_number_of_joints_are_served(n: int):
    arm = random_arm(20 + n, n, kinds=("revolute",), fixed=0.0)
    kernel = Kernel(function(arm, "inverse_dynamics"))
    arrays = states(50, n)
    wanted = reference(arm, "inverse_dynamics", arrays)
    assert np.abs(kernel(*arrays) - wanted).max() < 1e-11 * np.abs(wanted).max()


def layouts(array: np.ndarray) -> dict[str, np.ndarray]:
    """The same numbers laid out in memory in other ways."""
    wide = np.zeros((len(array), 20))
    wide[:, 3:9] = array
    apart = np.zeros((3 * len(array), 6))
    apart[::3] = array
    return {
        "columns first": np.asfortranarray(array),
        "part of wider rows": wide[:, 3:9],
        "every third row": apart[::3],
        "backwards": array[::-1].copy()[::-1],
        "columns backwards": array[:, ::-1].copy()[:, ::-1],
        "read-only": _read_only(array),
        "big-endian": array.astype(">f8"),
        "unaligned": _unaligned(array),
    }


def _read_only(array: np.ndarray) -> np.ndarray:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def _unaligned(array: np.ndarray) -> np.ndarray:
    raw = np.zeros(array.nbytes + 1, np.uint8)
    view = raw[1:].view(np.float64).reshape(array.shape)
    view[...] = array
    return view


@pytest.mark.parametrize("layout", layouts(np.zeros((1, 6))))
@pytest.mark.parametrize("count", [1, 50])
def test_the_layout_in_memory_does_not_matter(kernel: Kernel, layout: str, count: int):
    arrays = states(count)
    wanted = kernel(*arrays)
    found = kernel(*(layouts(array)[layout] for array in arrays))
    assert (found == wanted).all()


def test_one_argument_broadcasts_against_a_batch(kernel: Kernel):
    q, qd, qdd = states(12)
    wanted = kernel(q, np.tile(qd[0], (12, 1)), qdd)
    assert (kernel(q, qd[0], qdd) == wanted).all()
    assert (kernel(q, qd[:1], qdd) == wanted).all()
    grid = kernel(q.reshape(3, 4, 6), qd[0], qdd.reshape(3, 4, 6))
    assert (grid == wanted.reshape(3, 4, 6)).all()
    outer = kernel(q[:, None], qd[None], qdd[:, None])
    assert outer.shape == (12, 12, 6)
    np.testing.assert_array_equal(outer[3, 7], kernel(q[3:5], qd[7], qdd[3:5])[0])


def test_lists_and_integers_are_taken(kernel: Kernel):
    found = kernel([0, 1, 0, 0, 0, 0], np.zeros(6, int), [0.0] * 6)
    assert (found == kernel(np.array([0.0, 1, 0, 0, 0, 0]), np.zeros(6), np.zeros(6))).all()


def test_exact_numbers_are_taken_as_floats(kernel: Kernel):
    # as where NumPy computes: what a question takes does not depend on a compiler
    exact = [Fraction(1, 3), Decimal("0.1"), 2, np.float32(0.5), Fraction(0), 1.5]
    states = np.array([float(x) for x in exact])
    assert (kernel(exact, exact, np.array(exact, object)) == kernel(states, states, states)).all()
    with pytest.raises(ArmError, match="qd must be numbers, 6 of them last, got None among them"):
        kernel(states, [*exact[:5], None], states)
    with pytest.raises(ArmError, match="qdd holds a number too large for floats"):
        kernel(states, states, [*exact[:5], 10**400])


@pytest.mark.parametrize("threads", [0, 2, 3, 7])
def test_results_are_identical_whatever_the_number_of_threads(kernel: Kernel, threads: int):
    arrays = states(1001)
    assert (kernel(*arrays, threads=threads) == kernel(*arrays)).all()


def test_results_go_to_out(kernel: Kernel):
    arrays = states(40)
    wanted = kernel(*arrays)
    out = np.empty((40, 6))
    assert kernel(*arrays, out=out) is out
    assert (out == wanted).all()
    strided = np.empty((40, 12))[:, ::2]
    assert (kernel(*arrays, out=strided) == wanted).all()
    q = arrays[0].copy()
    assert (kernel(q, arrays[1], arrays[2], out=q) == wanted).all(), "out may be an argument"
    one = np.empty(6)
    assert kernel(*arrays[:, 3], out=one) is one
    np.testing.assert_allclose(one, wanted[3], rtol=1e-13)


def test_several_results_go_to_a_tuple():
    kernel = Kernel(function(PUMA, "inverse_dynamics_derivatives"))
    arrays = states(20)
    wanted = kernel(*arrays)
    out = tuple(np.empty((20, 6, 6)) for _ in range(3))
    kernel(*arrays, out=out)
    for a, b in zip(out, wanted, strict=True):
        assert (a == b).all()


def test_results_that_would_go_over_each_other_are_refused():
    kernel = Kernel(function(PUMA, "inverse_dynamics_derivatives"))
    one, whole = np.empty((6, 6)), np.empty((3, 6, 6))
    with pytest.raises(ArmError, match="arrays of out share memory"):
        kernel(*states(1)[:, 0], out=(one, one, np.empty((6, 6))))
    for a, b in zip(kernel(*states(1)[:, 0], out=tuple(whole)), kernel(*states(1)[:, 0]), strict=True):
        assert (a == b).all()


def test_large_results_are_independent_of_each_other():
    """Memory of results that are gone is used again, of results that are there never."""
    kernel = Kernel(function(PUMA, "mass_matrix"))
    q = states(20_000)[0]
    first = kernel(q)
    kept = first.copy()
    second = kernel(q + 1)
    del second
    third = kernel(q + 2)
    assert (first == kept).all()
    assert not np.shares_memory(first, third)


def test_the_bound_form_reads_and_writes_the_arrays_it_was_given(kernel: Kernel):
    q, qd, qdd = (array.copy() for array in states(1)[:, 0])
    bound = kernel.bind(q, qd, qdd)
    first = bound()
    assert (first == kernel(q, qd, qdd)).all()
    q[1] += 0.5
    assert bound() is first
    assert (first == kernel(q, qd, qdd)).all()
    out = np.empty(6)
    assert kernel.bind(q, qd, qdd, out=out)() is out
    with pytest.raises(ArmError, match="share no memory"):
        kernel.bind(q, qd, qdd, out=q)
    with pytest.raises(ArmError, match="q must be a float64 array of 6 numbers"):
        kernel.bind(q.astype(np.float32), qd, qdd)
    with pytest.raises(ArmError, match="contiguous"):
        kernel.bind(np.zeros(12)[::2], qd, qdd)


def test_float32_kernels_compute_in_float32():
    kernel = Kernel(function(PUMA, "inverse_dynamics"), "float32")
    arrays = states(45)
    found = kernel(*arrays.astype(np.float32))
    assert found.dtype == np.float32
    wanted = reference(PUMA, "inverse_dynamics", arrays)
    assert np.abs(found - wanted).max() < 1e-5 * np.abs(wanted).max()
    assert np.abs(kernel(*arrays[:, 4]) - wanted[4]).max() < 1e-5 * np.abs(wanted).max()


def test_float32_arrays_are_taken_by_a_float64_kernel(kernel: Kernel):
    arrays = states(9).astype(np.float32)
    found = kernel(*arrays)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, reference(PUMA, "inverse_dynamics", arrays), rtol=1e-12, atol=1e-12)


def test_values_that_are_not_finite_pass_through_and_touch_no_other_state(kernel: Kernel):
    arrays = states(40)
    wanted = kernel(*arrays)
    arrays[0, 3, 2], arrays[1, 17, 5], arrays[2, 39, 0] = np.nan, np.inf, -np.inf
    found = kernel(*arrays)
    bad = np.zeros(40, bool)
    bad[[3, 17, 39]] = True
    assert (found[~bad] == wanted[~bad]).all()
    assert all(not np.isfinite(row).all() for row in found[bad])


@pytest.mark.parametrize("count", [None, 1, 3, 100])
def test_with_refuse_values_that_are_not_finite_are_handed_over(count: int | None):
    def refuse(**arrays: np.ndarray) -> None:
        raise ArmError(f"not finite: {', '.join(k for k, a in arrays.items() if not np.isfinite(a).all())}")

    kernel = Kernel(function(PUMA, "inverse_dynamics"), refuse=refuse)
    arrays = states(count or 1)
    if count is None:
        arrays = arrays[:, 0]
    for _ in range(2):  # once compiled at the first call, once on the short way
        kernel(*arrays)
        arrays[1, ..., 2] = np.nan
        with pytest.raises(ArmError, match=r"not finite: qd$"):
            kernel(*arrays)
        arrays[1, ..., 2] = 0


def test_a_division_by_zero_is_handed_over_too():
    arm = da.Arm.from_dh([{"a": 1, "mass": 1}, {"a": 1, "mass": 0}], physical="ignore")

    def refuse(**arrays: np.ndarray) -> None:
        raise ArmError("singular")

    kernel = Kernel(function(arm, "forward_dynamics"), refuse=refuse)
    with pytest.raises((ArmError, ZeroDivisionError)):
        kernel(np.zeros(2), np.zeros(2), np.ones(2))


def test_wrong_arguments_are_refused_in_one_sentence(kernel: Kernel):
    q = np.zeros(6)
    with pytest.raises(ArmError, match=r"takes 3 arguments \(q, qd, qdd\), got 2"):
        kernel(q, q)
    with pytest.raises(ArmError, match="qd must end in 6 joints"):
        kernel(q, np.zeros(5), q)
    with pytest.raises(ArmError, match="do not broadcast"):
        kernel(np.zeros((3, 6)), np.zeros((4, 6)), q)
    with pytest.raises(ArmError, match="qdd must be numbers, 6 of them last"):
        kernel(q, q, ["a"] * 6)
    with pytest.raises(ArmError, match="qdd must be numbers, 6 of them last"):
        kernel(q, q, q * 1j)
    with pytest.raises(ArmError, match=r"out must be a float64 array of shape \(6,\)"):
        kernel(q, q, q, out=np.zeros(5))
    with pytest.raises(ArmError, match="threads must be"):
        kernel(q, q, q, threads=-1)
    with pytest.raises(ArmError, match="dtype may be"):
        Kernel(function(PUMA, "bias"), "int8")


def test_parameters_may_vary_over_the_batch():
    arm = read("planar-2r", physical="ignore")
    kernel = Kernel(function(arm, "gravity_load", "inertial"))
    assert kernel.parameter_names[:3] == ("m1", "mx1", "my1")
    q = states(10, 2)[0]
    many = np.tile(kernel.default_parameters, (10, 1))
    many[5:] *= 2
    found = kernel(q, many)
    np.testing.assert_allclose(found[:5], kernel(q[:5]), rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(found[5:], 2 * kernel(q[5:]), rtol=1e-13, atol=1e-13)


def test_without_headers_of_python_the_same_results_come_through_ctypes(
    monkeypatch: pytest.MonkeyPatch, kernel: Kernel
):
    monkeypatch.setattr(load, "caller_type", lambda: load.CtypesCaller)
    other = Kernel(function(PUMA, "inverse_dynamics"))
    for arrays in (states(1)[:, 0], states(70)):
        assert (other(*arrays) == kernel(*arrays)).all()
        assert (other(*arrays, threads=2) == kernel(*arrays)).all()
    q, qd, qdd = states(1)[:, 0].copy()
    assert (other.bind(q, qd, qdd)() == kernel(q, qd, qdd)).all()


def test_a_kernel_can_be_copied_and_pickled(kernel: Kernel):
    arrays = states(1)[:, 0]
    for other in (copy.deepcopy(kernel), pickle.loads(pickle.dumps(kernel))):
        assert (other(*arrays) == kernel(*arrays)).all()


def test_the_kernels_of_an_arm_are_kept_with_it_and_go_with_it():
    arm = da.load("planar-2r")
    arm.bias([0, 0], [0, 0])
    kernel = arm._kernels["bias"]
    arm.bias([0, 0], [0, 0])
    assert arm._kernels["bias"] is kernel
    alive = weakref.ref(arm)
    del arm, kernel
    gc.collect()
    assert alive() is None


def test_a_kernel_tells_its_operations_and_its_source(kernel: Kernel):
    assert kernel.operations.total == kernel.operations.multiplications + kernel.operations.additions
    assert kernel.operations.sine_cosine_pairs == 5
    assert "kernel_batch" in kernel.source


def test_a_long_body_in_pieces_gives_the_same_results(monkeypatch: pytest.MonkeyPatch):
    """Beyond some length the body becomes several functions that hand values on."""
    whole = Kernel(function(PUMA, "forward_dynamics"))
    monkeypatch.setattr(emit_batch, "LONG", 100)
    monkeypatch.setattr(emit_batch, "PIECE", 40)
    cut = Kernel(function(PUMA, "forward_dynamics"))
    assert "body9" in cut.source
    monkeypatch.setattr(KernelCode, "key", lambda self, which: f"{'0' * 60}{which[:4]}")
    arrays = states(30)
    np.testing.assert_allclose(cut(*arrays), whole.function.over_floats(arrays), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(cut(*arrays[:, 4]), whole.function.over_floats(arrays)[4], rtol=1e-9, atol=1e-9)


GUARDED = """
import ctypes, mmap, sys
import numpy as np
from dalembert.arm.io.files import read
from dalembert.compile.functions import function
from dalembert.compile.kernel import Kernel
from dalembert.compile.kernel_code import KernelCode

libc = ctypes.CDLL(None, use_errno=True)
page = mmap.PAGESIZE

def at_the_end_of_memory(array, after):
    room = -(-array.nbytes // page) * page
    block = mmap.mmap(-1, room + 2 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(block))
    for place in (0, page + room):
        assert libc.mprotect(ctypes.c_void_p(start + place), ctypes.c_size_t(page), 0) == 0
    offset = page + (room - array.nbytes if after else 0)
    view = np.frombuffer(block, array.dtype, array.size, offset).reshape(array.shape)
    view[...] = array
    return view

for name, dtype in (("planar-2r", "float64"), ("puma560", "float64"), ("panda", "float32")):
    arm = read(name, physical="ignore")
    kernel = Kernel(function(arm, "mass_matrix"), dtype)
    for count in (1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65):
        for after in (True, False):
            q = at_the_end_of_memory(np.random.default_rng(0).normal(size=(count, arm.n)).astype(dtype), after)
            out = at_the_end_of_memory(np.zeros((count, arm.n, arm.n), dtype), after)
            kernel(q, out=out)
            assert np.isfinite(out).all()
print("done")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs mprotect")
def test_nothing_is_read_or_written_outside_the_arrays():
    """Arrays stand against pages that nobody may touch; a program that touches one does not live to say so."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", GUARDED], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout == "done\n", done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_threads_work_after_a_fork():
    text = """
import multiprocessing, numpy as np
from dalembert.arm.io.files import read
from dalembert.compile.functions import function
from dalembert.compile.kernel import Kernel
from dalembert.compile.kernel_code import KernelCode
kernel = Kernel(function(read("planar-2r", physical="ignore"), "gravity_load"))
q = np.ones((1000, 2))
wanted = kernel(q, threads=2)
def child(queue):
    queue.put(bool((kernel(q, threads=2) == wanted).all()))
context = multiprocessing.get_context("fork")
queue = context.Queue()
process = context.Process(target=child, args=(queue,))
process.start()
print(queue.get(timeout=60))
process.join()
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", text],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == "True\n", done.stderr


@pytest.mark.parametrize("kind", ["inertial", "all"])
def test_arms_that_differ_in_numbers_which_are_arguments_share_one_compiler_run(
    kind: str, fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []
    compiled = build.compiled

    def counted(compiler: build.Compiler, source: str, *rest: Any, **named: Any) -> Path:
        runs.append(source)
        return compiled(compiler, source, *rest, **named)

    def arm(mass: float, length: float) -> da.Arm:
        rod = {"a": length, "mass": mass, "com": (-0.1 * mass, 0, 0), "inertia": (0, mass, mass)}
        return da.Arm.from_dh([{**rod, "alpha": np.pi / 2}, rod], name=f"rods of {mass}")

    monkeypatch.setattr(build, "compiled", counted)
    q, qd, qdd = states(20, 2)
    for mass, length in ((1.0, 0.3), (2.5, 0.3), (1.5, 0.3 if kind == "inertial" else 0.4)):
        made = arm(mass, length)
        tau = made.compile("inverse_dynamics", parameters=kind)(q, qd, qdd)
        np.testing.assert_allclose(tau, made.inverse_dynamics(q, qd, qdd), rtol=1e-12, atol=1e-12)
    assert sum("kernel_batch" in source for source in runs) == 1
