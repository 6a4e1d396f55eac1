"""Studies on a GPU, as far as it shows without one: what is launched, what is generated, what is refused."""

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.description_numbers import with_numbers
from dalembert.compile.cuda.device_code import HOST_SHIM
from dalembert.compile.cuda.motion_kernel import motion_source
from dalembert.compile.cuda.source import source
from dalembert.compile.emit_c import Program
from dalembert.compile.kernel import Kernel
from dalembert.studies import evaluator
from dalembert.studies.design_function import design_function
from system_tools import has_gpu_driver

COMPILER = shutil.which("g++") or shutil.which("clang++")
ARM = da.load("planar-2r")
FACTORS = {"link.link2.mass": (0.5, 1.5), "load.mass": (0, 2)}
MOTION = da.quintic([[0, 0], [1, -1]], 1.0)


def asked(**more):
    outputs = ["peak_torque", "rms_torque", "energy", "peak_gravity", "peak_inertia", "natural_frequency"]
    return da.study(ARM, FACTORS, outputs, motion=MOTION, samples=40, seed=3, **more)


class OnHost:
    """The kernel along a motion, compiled for the host, in the place of that of the GPU."""

    def __init__(self, function, reductions, states, weights):
        self.rows = np.concatenate([*states, weights[:, None]], axis=1)
        self.function, self.reductions = function, reductions
        with tempfile.TemporaryDirectory() as folder:
            self.kernel = built(motion_source(function, reductions).text, Path(folder))

    def __call__(self, numbers, paces=None):
        found = np.full((len(self.reductions), len(self.function.outputs[0][1]), len(numbers)), np.nan)
        pace = None if paces is None else ctypes.c_void_p(paces.ctypes.data)
        self.kernel(
            ctypes.c_void_p(self.rows.ctypes.data), ctypes.c_longlong(len(self.rows)),
            ctypes.c_void_p(numbers.ctypes.data), pace, ctypes.c_void_p(found.ctypes.data),
            ctypes.c_longlong(len(numbers)),
        )  # fmt: skip
        return {name: found[k].T for k, name in enumerate(self.reductions)}


def built(text: str, folder: Path):
    (folder / "kernel.cpp").write_text(HOST_SHIM + text)
    flags = ["-O1", "-shared", "-fPIC", "-w", "-D_GNU_SOURCE", "-D__restrict__=__restrict"]
    subprocess.run([COMPILER, *flags, "-o", folder / "k.so", folder / "kernel.cpp"], check=True)
    return ctypes.CDLL(str(folder / "k.so")).kernel


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler on this machine")
def test_a_study_on_a_gpu_gives_the_answers_of_the_cpu(monkeypatch):
    """All that is left of a motion is worked out by the generated kernels; only numbers and answers pass."""
    right = asked()
    devices = []

    def kernel_for(function, device, dtype):
        devices.append((device, dtype))
        return Kernel(function, dtype)

    monkeypatch.setattr(evaluator, "kernel_for", kernel_for)
    monkeypatch.setattr(evaluator, "MotionKernel", OnHost)
    found = asked(device="cuda")
    assert devices == [("cuda", "float64")]  # natural frequencies are no matter of a motion
    np.testing.assert_allclose(found.values, right.values, rtol=1e-12)


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler on this machine")
def test_a_pace_and_what_is_not_a_number_pass_through_the_kernel_along_a_motion():
    names, rng = list(FACTORS), np.random.default_rng(5)
    q, qd, qdd = rng.normal(size=(3, 7, 2))
    weights, values, pace = rng.uniform(size=7), rng.uniform(0.5, 2, (3, 2)), np.array([1.0, 0.5, 2.0])
    values[2, 0] = np.nan
    function = design_function(ARM, "inverse_dynamics", names)
    found = OnHost(function, ("peak", "largest", "square", "work"), (q, qd, qdd), weights)(values, pace)
    for k in range(2):
        arm = with_numbers(ARM, dict(zip(names, values[k], strict=True)))
        tau = arm.inverse_dynamics(q, pace[k] * qd, pace[k] ** 2 * qdd)
        np.testing.assert_allclose(found["peak"][k], np.abs(tau).max(axis=0), rtol=1e-12)
        np.testing.assert_allclose(found["largest"][k], tau.max(axis=0), rtol=1e-12)
        np.testing.assert_allclose(found["square"][k], weights @ tau**2, rtol=1e-12)
        np.testing.assert_allclose(found["work"][k], weights @ np.maximum(tau * pace[k] * qd, 0), rtol=1e-12)
    assert all(np.isnan(part[2]).any() for part in found.values())


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


@pytest.mark.skipif(has_gpu_driver(), reason="a GPU driver is here")
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
