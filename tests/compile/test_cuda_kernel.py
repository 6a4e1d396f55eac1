"""What surrounds CUDA kernels, as far as it shows without a GPU."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.compile.cuda.cuda_kernel import row_step
from dalembert.compile.cuda.device_arrays import DeviceArray, framework_of
from dalembert.compile.cuda.write_cuda import write_cuda
from dalembert.compile.functions import function
from system_tools import has_gpu_driver

ARM = da.load("planar-2r")


def described(array: np.ndarray) -> DeviceArray:
    return DeviceArray(array.shape, tuple(s // array.itemsize for s in array.strides), array.dtype.name, 0)


@pytest.mark.skipif(has_gpu_driver(), reason="a GPU driver is here")
@pytest.mark.parametrize("ask", [lambda: ARM.compile("bias", target="cuda"), lambda: ARM.rollout()])
def test_without_a_gpu_it_says_what_is_missing(ask):
    with pytest.raises(da.ArmError, match="needs an NVIDIA GPU and its driver"):
        ask()


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: ARM.compile("bias", target="gpu"), "there are cpu, cuda"),
        (lambda: ARM.compile("bias", accuracy="fast"), "on the CPU sine and cosine are always accurate"),
        (lambda: ARM.compile("torque", target="cuda"), "no function 'torque'"),
        (lambda: ARM.compile("bias", target="cuda", dtype="float16"), "dtype may be"),
        (lambda: ARM.compile("bias", target="cuda", dtype="float64", accuracy="fast"), 'must be "full"'),
        (lambda: ARM.rollout(method="euler"), "method may be rk4, semi-implicit"),
        (lambda: ARM.rollout(controller="pid"), "controller may be"),
    ],
)
def test_a_wrong_request_is_refused_before_a_gpu_is_asked_for(ask, said):
    with pytest.raises(da.ArmError, match=said):
        ask()


def test_rows_that_are_evenly_spaced_are_found_in_place():
    """The step must lead from row to row of the broadcast batch, whatever view the array is."""
    base = np.arange(4 * 5 * 6.0).reshape(4, 5, 6)
    cases = [
        (base, (4, 5), 6),
        (base[..., :3], (4, 5), 6),
        (base[:, ::2], (4, 3), None),
        (base[:, 0], (4,), 30),
        (base[0, 0], (4, 5), 0),
        (base[:1, :1], (4, 5), 0),
        (base[:, :1], (4, 5), None),
        (base[::-1], (4, 5), None),
        (base.transpose(1, 0, 2), (5, 4), None),
        (base[0], (5,), 6),
        (base[0][:, ::2], (5,), None),
    ]
    for array, batch, step in cases:
        assert row_step(described(array), batch) == step
        if step is not None:
            rows = np.broadcast_to(array, (*batch, array.shape[-1])).reshape(-1, array.shape[-1])
            offset = (array.ctypes.data - base.ctypes.data) // 8
            flat = base.ravel()
            for k, row in enumerate(rows):
                np.testing.assert_array_equal(flat[offset + k * step : offset + k * step + row.size], row)


def test_arrays_of_the_host_belong_to_no_framework_of_the_device():
    assert framework_of(np.zeros(3)) is None
    assert framework_of([1.0]) is None


def test_names_of_the_arm_reach_cuda_as_plain_letters(tmp_path):
    hostile = da.Arm.from_dh([{"mass": 1, "a": 1.0}], name='x"; */ #include <evil>\n\\')
    for file in write_cuda(function(hostile, "gravity_load"), tmp_path):
        text = file.read_text()
        assert file.name in ("x_include_evil_gravity_load_rows.cu", "x_include_evil_gravity_load_columns.cu")
        assert "<evil>" not in text
        assert text.count("/*") == text.count("*/")


def test_cuda_files_say_what_is_built_in_and_what_each_parameter_is(tmp_path):
    arm = da.load("planar-2r").holding(da.Load(mass=2))
    joints = (replace(arm.joints[0], name="a*/ int b; /*"), *arm.joints[1:])
    asked = function(replace(arm, joints=joints), "gravity_load", "load")
    for file in write_cuda(asked, tmp_path):
        head = file.read_text().split("*/")[0]
        assert "0: a?/ int b; /? (revolute)" in head
        assert "inertia about the tool frame" in head
        assert all(f"{k}: {name} = " in head for k, name in enumerate(asked.parameters.names))
        assert all(remark in head for remark in asked.remarks)
        assert "out0: load" in head


def test_a_differentiable_kernel_says_what_it_cannot_do():
    arm = da.load("planar-2r")
    with pytest.raises(ArmError, match="no target 'tpu' for a differentiable kernel"):
        arm.torch("bias", target="tpu")
    with pytest.raises(ArmError, match="leave out parameters"):
        arm.jax("bias", "load", target="cuda")
    pytest.importorskip("jax")
    with pytest.raises(ArmError, match="no analytic derivatives for 'jacobian'"):
        arm.jax("jacobian", target="cuda")
