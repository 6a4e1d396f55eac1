"""Rollouts on the GPU: thousands of steps of forward dynamics in one kernel, with one thread for each arm.

The state stays in registers from the first step to the last. The torque is given by an array, a PD law or computed
torque, evaluated at the start of a step and held constant over it, as by a digital controller. Integration is
semi-implicit Euler (qd += dt qdd; q += dt qd) or the classical Runge-Kutta method of fourth order.
"""

from __future__ import annotations

import ctypes
from functools import partial
from textwrap import indent
from typing import Any

from ...arm.description import ArmDescription
from ...arm.errors import ArmError
from ...formulations.control_laws import feedback
from ...rings.graph import Graph
from ..emit_c import Program, destinations
from ..function import Function, Tables
from ..functions import function
from ..graph_model import GraphModel, parameter_names, torque
from ..integrators import METHODS, advance
from . import driver
from .cuda_kernel import DTYPES
from .device_arrays import framework_of
from .source import ACCURACIES, CudaSource, body, constant_table, head, real_of

CONTROLLERS = ("torque", "pd", "computed-torque")
BLOCK = 128


def _device_function(function: Function, title: str, dtype: str, accuracy: str) -> str:
    """A function as a device function on small arrays."""
    program = Program(function, fused=True)
    names = [argument for argument, _ in program.function.inputs]
    inputs = [f"{argument}[{index}]" for argument, group in program.function.inputs for index in range(len(group))]
    table = f"constants_of_{title}"
    results = destinations(program, lambda _, column: f"result[{column}]")
    code = body(program, dtype, accuracy, inputs, results, table=table)
    arguments = ", ".join(f"const real *{argument}" for argument in names)
    constants = constant_table(program, dtype, table)
    return f"{constants}DEVICE void {title}({arguments}, real *result)\n{{\n  {code}\n}}\n"


def control_function(arm: ArmDescription, controller: str) -> Function:
    """The torque of a controller about a target r: PD, or computed torque with the model of the arm itself."""
    arguments = tuple((name, arm.n) for name in ("q", "qd", "r", "kp", "kd"))
    return Function("control", arguments, (("tau", (arm.n,)),), partial(_control, arm, controller))


def _control(arm: ArmDescription, controller: str) -> Tables:
    model = GraphModel(arm, Graph())
    q, qd, r, kp, kd = (model.input(name) for name in ("q", "qd", "r", "kp", "kd"))
    pull = [feedback(kp[k], kd[k], r[k], 0, q[k], qd[k]) for k in range(arm.n)]
    return (pull if controller == "pd" else torque(model, q, qd, pull),)


def rollout_source(
    arm: ArmDescription, method: str, controller: str, dtype: str, accuracy: str, parameters: str | None
) -> CudaSource:
    """CUDA of ``kernel``: q, qd (rows), controller inputs, dt, steps, every, parameters, results, path, count."""
    n, count = arm.n, len(parameter_names(arm, parameters))
    real = real_of(dtype)[0]
    extra = ", p" if count else ""
    pieces = [_device_function(function(arm, "forward_dynamics", parameters), "forward", dtype, accuracy)]
    drive = "for (int k = 0; k < N; k++) tau[k] = u[((size)step * count + i) * N + k];"
    gains = ""
    if controller != "torque":
        pieces.append(_device_function(control_function(arm, controller), "control", dtype, accuracy))
        drive = "control(q, qd, target, stiffness, damping, tau);"
        gains = """\
  real target[N], stiffness[N], damping[N];
  for (int k = 0; k < N; k++) {
    target[k] = u[i * su + k]; stiffness[k] = kp[i * skp + k]; damping[k] = kd[i * skd + k];
  }
"""
    step = indent(advance(method, f"forward(q, qd, tau{extra}, a);", "dt", "real", pragma="#pragma unroll 1"), 4 * " ")
    load_parameters = (
        f"  real p[{count}];\n  for (int k = 0; k < {count}; k++) p[k] = par[i * sp + k];\n" if count else ""
    )
    signature = (
        "const real *q_in, size sq, const real *qd_in, size sqd, const real *u, size su, const real *kp, size skp, "
        "const real *kd, size skd, const real *par, size sp, real dt, size steps, size every, "
        "real *q_out, real *qd_out, real *path, size count"
    )
    passed = "q_in, sq, qd_in, sqd, u, su, kp, skp, kd, skd, par, sp, dt, steps, every, q_out, qd_out, path, count"
    text = f"""\
{head(dtype)}
enum {{ N = {n} }};
{chr(10).join(pieces)}
DEVICE void roll(const size i, {signature})
{{
  {real} q[N], qd[N], tau[N], a[N];
  for (int k = 0; k < N; k++) {{ q[k] = q_in[i * sq + k]; qd[k] = qd_in[i * sqd + k]; }}
{load_parameters}{gains}  #pragma unroll 1
  for (size step = 0; step < steps; step++) {{
    {drive}
{step}    if (every && (step + 1) % every == 0) {{
      real *at = path + (((step + 1) / every - 1) * count + i) * 2 * N;
      for (int k = 0; k < N; k++) {{ at[k] = q[k]; at[N + k] = qd[k]; }}
    }}
  }}
  for (int k = 0; k < N; k++) {{ q_out[i * N + k] = q[k]; qd_out[i * N + k] = qd[k]; }}
}}

#ifndef HOST
extern "C" __global__ void __launch_bounds__({BLOCK}) kernel({signature})
{{
  const size i = (size)blockIdx.x * {BLOCK} + threadIdx.x;
  if (i < count) roll(i, {passed});
}}
#else
extern "C" void kernel({signature})
{{
  for (size i = 0; i < count; i++) roll(i, {passed});
}}
#endif
"""
    return CudaSource(text, BLOCK, 0)


class Rollout:
    """Simulation of many arms over many steps in one launch.

    ``rollout(q, qd, u, dt=..., steps=..., kp=..., kd=..., every=..., parameters=...)`` with arrays on the device:
    q, qd ``(N, n)``; ``u`` the torques ``(steps, N, n)`` or, for a controller, the targets ``(N, n)`` or ``(n,)``;
    gains ``(n,)`` or ``(N, n)``; with ``parameters="inertial"|"load"|"all"``, one row for all arms or one for each.
    Returns the final q and qd and, with ``every=k``, the states after every k steps ``(steps // k, N, 2 n)``.
    """

    def __init__(
        self,
        arm: ArmDescription,
        method: str = "rk4",
        controller: str = "torque",
        dtype: str = "float32",
        accuracy: str = "full",
        parameters: str | None = None,
    ) -> None:
        frictions = [*(motor.friction for motor in arm.drives.actuators), *(f for _, f in arm.drives.joint_friction)]
        if arm.counts_drives and any(friction.coulomb for friction in frictions):
            raise ArmError(
                f"{arm.where}{arm.name}: a rollout has no events, which the Coulomb friction of its drives needs; take "
                "it off with frictionless()"
            )
        for option, value, choices in (
            ("method", method, METHODS),
            ("controller", controller, CONTROLLERS),
            ("dtype", dtype, DTYPES),
            ("accuracy", accuracy, ACCURACIES),
        ):
            if value not in choices:
                raise ArmError(f"{option} may be {', '.join(choices)}, not {value!r}")
        driver.driver()
        driver.nvrtc()
        self.arm, self.method, self.controller = arm, method, controller
        self.dtype, self.accuracy, self.parameters = dtype, accuracy, parameters
        self._functions: dict[int, driver.DeviceFunction] = {}

    @property
    def source(self) -> str:
        """The CUDA source."""
        return self._generated().text

    def _generated(self) -> CudaSource:
        """The CUDA source with its block size."""
        return rollout_source(self.arm, self.method, self.controller, self.dtype, self.accuracy, self.parameters)

    def function_on(self, device: int) -> driver.DeviceFunction:
        """The kernel on one device, compiled at first use."""
        if device not in self._functions:
            generated = self._generated()
            self._functions[device] = driver.DeviceFunction(generated.text, device, generated.block, generated.shared)
        return self._functions[device]

    def __call__(
        self,
        q: Any,
        qd: Any,
        u: Any,
        *,
        dt: float,
        steps: int,
        kp: Any = None,
        kd: Any = None,
        every: int = 0,
        parameters: Any = None,
    ) -> Any:
        framework = framework_of(q)
        if framework is None:
            raise ArmError("a rollout runs on arrays of the GPU; move q, qd and u there first (CuPy, PyTorch or JAX)")
        if not dt > 0 or steps < 0 or every < 0:
            raise ArmError(f"dt must be above zero, steps and every at least zero, got {dt}, {steps}, {every}")
        n = self.arm.n
        start = framework.describe(q)
        states = start.shape[0] if len(start.shape) == 2 else -1
        values: list[Any] = []
        device = start.device

        def add_argument(name: str, array: Any, width: int, shared: bool, needed: bool = True) -> None:
            if array is None:
                if needed:
                    raise ArmError(f"the controller {self.controller!r} needs {name}")
                values.extend([ctypes.c_void_p(0), ctypes.c_longlong(0)])
                return
            described = framework.describe(array)
            allowed = [(states, width)] + ([(width,)] if shared else [])
            if described.shape not in allowed:
                raise ArmError(f"{name} must be {' or '.join(map(str, allowed))}, got {described.shape}")
            if described.dtype != self.dtype:
                raise ArmError(f"{name} is {described.dtype}, but this rollout was compiled for {self.dtype}")
            if described.strides[-1] != 1 and width > 1:
                raise ArmError(f"{name}: the numbers of a row must stand side by side")
            step = 0 if len(described.shape) == 1 else described.strides[0]
            values.extend([ctypes.c_void_p(framework.pointer(array)), ctypes.c_longlong(step)])

        add_argument("q", q, n, shared=False)
        add_argument("qd", qd, n, shared=False)
        if self.controller == "torque":
            described = framework.describe(u)
            if described.shape != (steps, states, n) or described.dtype != self.dtype:
                raise ArmError(
                    f"u must be {self.dtype} of shape {(steps, states, n)}, got {described.dtype} {described.shape}"
                )
            if steps and states and described.strides != (states * n, n, 1):
                raise ArmError("u must be one piece of memory (contiguous)")
            values.extend([ctypes.c_void_p(framework.pointer(u)), ctypes.c_longlong(0)])
        else:
            add_argument("u", u, n, shared=True)
        law = self.controller != "torque"
        add_argument("kp", kp, n, shared=True, needed=law)
        add_argument("kd", kd, n, shared=True, needed=law)
        count = len(parameter_names(self.arm, self.parameters))
        if count:
            add_argument("parameters", parameters, count, shared=True)
        else:
            values.extend([ctypes.c_void_p(0), ctypes.c_longlong(0)])
        kind = ctypes.c_float if self.dtype == "float32" else ctypes.c_double
        results = [framework.empty((states, n), self.dtype, q) for _ in range(2)]
        path = framework.empty((steps // every if every else 0, states, 2 * n), self.dtype, q)
        values += [kind(dt), ctypes.c_longlong(steps), ctypes.c_longlong(every)]
        values += [ctypes.c_void_p(framework.pointer(array)) for array in (*results, path)]
        values.append(ctypes.c_longlong(states))
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        self.function_on(device).launch(states, pointers, framework.stream(device))
        framework.after_launch()
        return (*results, path) if every else tuple(results)
