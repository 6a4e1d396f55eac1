"""Studies on a GPU, as far as it shows without one: what is launched, what is generated, what is refused."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.description_numbers import with_numbers
from dalembert.compile.cuda.source import HOST_SHIM, source
from dalembert.compile.emit_c import Program
from dalembert.compile.kernel import Kernel
from dalembert.studies import evaluator
from dalembert.studies.design_function import design_function

COMPILER = shutil.which("g++") or shutil.which("clang++")
ARM = da.load("planar-2r")
FACTORS = {"link.link2.mass": (0.5, 1.5), "load.mass": (0, 2)}
MOTION = da.quintic([[0, 0], [1, -1]], 1.0)


def has_driver() -> bool:
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


def asked(**more):
    outputs = ["peak_torque", "energy", "peak_inertia", "natural_frequency"]
    return da.study(ARM, FACTORS, outputs, motion=MOTION, samples=40, seed=3, **more)


def test_blocks_of_a_gpu_give_the_answers_of_the_cpu(monkeypatch):
    """The kernels of the CPU in the place of the GPU's: the same calls, in larger blocks and chunks."""
    right = asked()
    devices = []

    def kernel_for(function, device, dtype):
        devices.append((device, dtype))
        return Kernel(function, dtype)

    monkeypatch.setattr(evaluator, "kernel_for", kernel_for)
    found = asked(device="cuda")
    assert set(devices) == {("cuda", "float64")}
    np.testing.assert_allclose(found.values, right.values, rtol=1e-12)


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler on this machine")
def test_what_is_generated_for_a_design_has_its_numbers_as_arguments(tmp_path):
    """The CUDA source on the host, a row of numbers for each state, against arms that are described that way."""
    text = source(Program(design_function(ARM, "inverse_dynamics", list(FACTORS))), "float64").text
    (tmp_path / "kernel.cpp").write_text(HOST_SHIM + text)
    flags = ["-O1", "-shared", "-fPIC", "-w", "-D_GNU_SOURCE", "-D__restrict__=__restrict"]
    subprocess.run([COMPILER, *flags, "-o", tmp_path / "k.so", tmp_path / "kernel.cpp"], check=True)
    rng = np.random.default_rng(4)
    states, numbers, out = rng.normal(size=(3, 5, 2)), rng.uniform(0.5, 2, (5, 2)), np.empty((5, 2))
    rows = [x for a in (*states, numbers) for x in (ctypes.c_void_p(a.ctypes.data), ctypes.c_longlong(2))]
    ctypes.CDLL(str(tmp_path / "k.so")).kernel(*rows, ctypes.c_void_p(out.ctypes.data), ctypes.c_longlong(5))
    for k, values in enumerate(numbers):
        arm = with_numbers(ARM, dict(zip(FACTORS, values, strict=True)))
        np.testing.assert_allclose(out[k], arm.inverse_dynamics(*states[:, k]), rtol=1e-12)


@pytest.mark.skipif(has_driver(), reason="a GPU driver is here")
def test_without_a_gpu_it_says_what_is_missing():
    with pytest.raises(da.ArmError, match="needs an NVIDIA GPU"):
        asked(device="cuda")


@pytest.mark.parametrize(
    ("outputs", "more", "said"),
    [
        (["peak_torque"], {"device": "tpu"}, "there are cpu"),
        (["range"], {"device": "cuda"}, "design by design"),
        (["peak_torque"], {"device": "cuda", "executor": "processes"}, "take threads"),
    ],
)
def test_what_a_gpu_cannot_serve_is_refused(outputs, more, said):
    with pytest.raises(da.ArmError, match=said):
        da.study(ARM, FACTORS, outputs, motion=MOTION, samples=2, **more)
