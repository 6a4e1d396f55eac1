"""Dynamics on the GPU: checked, timed and set against what the chip can do, in one run.

    python benchmarks/gpu.py [--quick] [--json FILE] [--markdown FILE]

Every result is checked against float64 on the CPU on fresh random states before it is timed. The memory roof is the
bandwidth of a plain device-to-device copy and the arithmetic roof the rate of fused multiply-adds, both measured in the
same run; a sine-cosine pair is charged at its own measured rate. Times are medians of CUDA events.
"""

from __future__ import annotations

import argparse
import ctypes
import datetime
import json
import math
import platform
import statistics
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
warnings.simplefilter("ignore")

from gpu_report import markdown, roofline  # noqa: E402

import dalembert as da  # noqa: E402
from dalembert.compile.cuda import device_sine  # noqa: E402
from dalembert.compile.cuda.cuda_kernel import CudaKernel  # noqa: E402
from dalembert.compile.cuda.driver import DeviceFunction, compiler_version  # noqa: E402
from dalembert.compile.cuda.rollout import Rollout  # noqa: E402
from dalembert.compile.sincos import BOUND  # noqa: E402

TYPES = {"float32": torch.float32, "float64": torch.float64}
FUNCTIONS = (
    "inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity_load", "forward_kinematics", "jacobian",
    "coriolis_matrix", "inverse_dynamics_derivatives", "forward_dynamics_derivatives",
)  # fmt: skip
LONG = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_derivatives")
DEVICE = "#define DEVICE __device__ __forceinline__\n"


def long_arm(joints: int = 12) -> da.Arm:
    """A serial arm of many joints, axes at right angles, plain figures."""
    row = {"mass": 1.0, "com": (-0.1, 0.02, 0.05), "inertia": (0.01, 0.02, 0.015), "a": 0.2, "d": 0.05}
    turns = (math.pi / 2, 0.0, -math.pi / 2)
    return da.Arm.from_dh([{**row, "alpha": turns[k % 3]} for k in range(joints)], name=f"chain{joints}")


def timed(action, repeats: int = 15) -> float:
    """Median seconds of ``action`` on the device."""
    for _ in range(3):
        action()
    torch.cuda.synchronize()
    found = []
    for _ in range(repeats):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        action()
        end.record()
        end.synchronize()
        found.append(start.elapsed_time(end) / 1e3)
    return statistics.median(found)


def copy_bandwidth() -> float:
    """Bytes a second, read and written, of a copy of 2 GiB."""
    source = torch.rand(1 << 29, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.numel() * 4 / timed(lambda: target.copy_(source))


def arithmetic_rates(dtype: str) -> tuple[float, float]:
    """Multiplications and additions a second in fused pairs, and sine-cosine pairs a second."""
    real = "float" if dtype == "float32" else "double"
    sincos = "full_sincos"
    chains, rounds, blocks = 16, 2048, 132 * 16
    lines = "".join(f"a{k} = a{k} * x + y;" for k in range(chains))
    opening = f'extern "C" __global__ void __launch_bounds__(256) kernel({real} *out, {real} x, {real} y, long long n)'
    fma = f"""{opening}
{{ {"".join(f"{real} a{k} = threadIdx.x + {k};" for k in range(chains))}
  #pragma unroll 4
  for (int r = 0; r < {rounds}; r++) {{ {lines} }}
  out[blockIdx.x * 256 + threadIdx.x] = {" + ".join(f"a{k}" for k in range(chains))}; }}"""
    wave = f"""{DEVICE}{device_sine.functions(dtype)}{opening}
{{ {real} a = threadIdx.x * x, s, c, sum = 0;
  for (int r = 0; r < 256; r++) {{ {sincos}(a, &s, &c); sum += s * c; a += y; }}
  out[blockIdx.x * 256 + threadIdx.x] = sum; }}"""
    rates = []
    stream = torch.cuda.current_stream().cuda_stream
    kind = ctypes.c_float if dtype == "float32" else ctypes.c_double
    for text, work in ((fma, 2 * chains * rounds), (wave, 256)):
        function = DeviceFunction(text, 0, 256, 0)
        out = torch.empty(blocks * 256, dtype=TYPES[dtype], device="cuda")
        values = [ctypes.c_void_p(out.data_ptr()), kind(0.999), kind(0.001), ctypes.c_longlong(0)]
        pointers = (ctypes.c_void_p * 4)(*(ctypes.addressof(value) for value in values))
        rates.append(blocks * 256 * work / timed(partial(function.launch, blocks * 256, pointers, stream)))
    return rates[0], rates[1]


def sine_errors() -> tuple[float, float]:
    """Largest errors of sine and cosine in float32 (ulp), of every float up to the bound of the quick reduction."""
    text = f"""{DEVICE}{device_sine.functions("float32")}
extern "C" __global__ void __launch_bounds__(256) kernel(unsigned *worst, long long count)
{{
  for (unsigned long long k = blockIdx.x * 256ull + threadIdx.x; k < 1ull << 32; k += 256ull * gridDim.x) {{
    const float x = __int_as_float((int)(unsigned)k);
    if (!(fabsf(x) <= {BOUND:.1f}f)) continue;
    float s, c;
    double right_s, right_c;
    near_sincos(x, &s, &c);
    sincos((double)x, &right_s, &right_c);
    const double off_s = fabs(s - right_s) / ldexp(1.0, max(ilogb(right_s), -126) - 23);
    const double off_c = fabs(c - right_c) / ldexp(1.0, max(ilogb(right_c), -126) - 23);
    atomicMax(worst, (unsigned)ceil(1000 * off_s));
    atomicMax(worst + 1, (unsigned)ceil(1000 * off_c));
  }}
}}"""
    worst = torch.zeros(2, dtype=torch.int32, device="cuda")
    values = [ctypes.c_void_p(worst.data_ptr()), ctypes.c_longlong(0)]
    pointers = (ctypes.c_void_p * 2)(*(ctypes.addressof(value) for value in values))
    DeviceFunction(text, 0, 256, 0).launch(132 * 16 * 256, pointers, torch.cuda.current_stream().cuda_stream)
    sine, cosine = (worst.cpu().numpy() / 1000).tolist()
    if max(sine, cosine) >= 2:
        raise SystemExit(f"sine and cosine are off by {sine} and {cosine} ulp")
    return sine, cosine


def reference(arm: da.Arm, name: str, arrays: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    found = getattr(arm, name)(*arrays)
    return found if isinstance(found, tuple) else (found,)


def checked(arm: da.Arm, kernel: CudaKernel, arrays: list[torch.Tensor], layout: str) -> float:
    """The largest error of a sample of states, relative to the largest value of the same output."""
    results = kernel(*arrays, layout=layout)
    results = results if isinstance(results, tuple) else (results,)
    count = arrays[0].shape[0] if layout == "rows" else arrays[0].shape[1]
    places = torch.cat(
        [torch.arange(min(64, count)), torch.randint(0, count, (448,)), torch.arange(max(0, count - 64), count)]
    )
    places = places.to("cuda")
    taken = [(a[places] if layout == "rows" else a[:, places].T).double().cpu().numpy() for a in arrays]
    worst = 0.0
    for result, right in zip(results, reference(arm, kernel.name, taken), strict=True):
        found = result[places] if layout == "rows" else torch.movedim(result[..., places], -1, 0)
        found = found.double().cpu().numpy()
        if not np.isfinite(found).all():
            raise SystemExit(f"{kernel}: results that are not finite")
        worst = max(worst, float(np.abs(found - right).max() / np.abs(right).max()))
    return worst


def states_of(kernel: CudaKernel, count: int, layout: str) -> list[torch.Tensor]:
    """Fresh random states."""
    shapes = [(count, width) if layout == "rows" else (width, count) for _, width in kernel.arguments]
    kind = TYPES[kernel.dtype]
    return [torch.rand(shape, dtype=kind, device="cuda") * 4 - 2 for shape in shapes]


def measured(arm: da.Arm, name: str, dtype: str, accuracy: str, layout: str, count: int, roofs: dict) -> dict:
    kernel = arm.compile(name, target="cuda", dtype=dtype, accuracy=accuracy)
    arrays = states_of(kernel, count, layout)
    error = checked(arm, kernel, arrays, layout)
    condition = 1.0
    if name.startswith("forward_d"):
        sample = (arrays[0][:512] if layout == "rows" else arrays[0][:, :512].T).double().cpu().numpy()
        condition = float(np.linalg.cond(arm.mass_matrix(sample)).max())
    out = kernel(*arrays, layout=layout)
    seconds = timed(lambda: kernel(*arrays, layout=layout, out=out))
    functions = kernel.steps_on(0, layout).functions
    work = kernel.operations
    moved, rate = count * kernel.bytes_per_state, roofs[dtype]
    memory = moved / roofs["copy"]
    arithmetic = count * (work.total / rate["fma"] + work.sine_cosine_pairs / rate["sincos"])
    return {
        "arm": arm.name, "function": name, "dtype": dtype, "accuracy": accuracy, "layout": layout, "states": count,
        "seconds": seconds, "states_per_second": count / seconds, "bandwidth_share": memory / seconds,
        "roof_share": max(memory, arithmetic) / seconds, "bound": "memory" if memory > arithmetic else "arithmetic",
        "bytes": kernel.bytes_per_state, "operations": work.total, "pairs": work.sine_cosine_pairs,
        "error": error, "condition": condition, "kernels": len(functions),
        "registers": max(function.registers for function in functions),
        "local_bytes": max(function.spilled for function in functions),
        "block": functions[0].block, "shared": max(function.shared for function in functions),
    }  # fmt: skip


def many_arms(arm: da.Arm, name: str, dtype: str, count: int, roofs: dict) -> dict:
    """As many different arms as states: inertial parameters for each of them, checked against the CPU's kernel."""
    kernel = arm.compile(name, target="cuda", dtype=dtype, parameters="inertial")
    arrays = states_of(kernel, count, "rows")
    own = torch.as_tensor(kernel.default_parameters, device="cuda")
    arrays[-1] = own * (1 + 0.2 * (torch.rand((count, len(own)), dtype=TYPES[dtype], device="cuda") - 0.5))
    out = kernel(*arrays)
    places = torch.randint(0, count, (512,), device="cuda")
    taken = [a[places].double().cpu().numpy() for a in arrays]
    right = arm.compile(name, dtype="float64", parameters="inertial")(*taken)
    error = float(np.abs(out[places].double().cpu().numpy() - right).max() / np.abs(right).max())
    seconds = timed(lambda: kernel(*arrays, out=out))
    functions = kernel.steps_on(0).functions
    memory = count * kernel.bytes_per_state / roofs["copy"]
    work, rate = kernel.operations, roofs[dtype]
    arithmetic = count * (work.total / rate["fma"] + work.sine_cosine_pairs / rate["sincos"])
    return {
        "arm": arm.name, "function": f"{name}, {len(own)} parameters each", "dtype": dtype, "accuracy": "full",
        "layout": "rows", "states": count, "seconds": seconds, "states_per_second": count / seconds,
        "bandwidth_share": memory / seconds, "roof_share": max(memory, arithmetic) / seconds,
        "bound": "memory" if memory > arithmetic else "arithmetic", "bytes": kernel.bytes_per_state,
        "operations": work.total, "pairs": work.sine_cosine_pairs, "error": error, "condition": 1.0,
        "kernels": len(functions), "registers": max(f.registers for f in functions),
        "local_bytes": max(f.spilled for f in functions), "block": functions[0].block, "shared": functions[0].shared,
    }  # fmt: skip


def show(row: dict) -> str:
    return (
        f"{row['arm']:<10} {row['function']:<29} {row['dtype']:<8} {row['accuracy']:<5} {row['layout']:<8}"
        f"{row['states']:>11,} {row['states_per_second'] / 1e9:>9.3f} {row['bandwidth_share']:>8.1%}"
        f" {row['roof_share']:>8.1%} {row['bound']:<10} {row['operations']:>6} {row['registers']:>4}"
        f" {row['local_bytes']:>6} {row['kernels']:>3} {row['error']:>8.1e}"
    )


HEADER = (
    f"{'arm':<10} {'function':<29} {'dtype':<8} {'sine':<5} {'layout':<8}{'states':>11} {'10^9/s':>9} {'of copy':>8}"
    f" {'of roof':>8} {'bound':<10} {'ops':>6} {'regs':>4} {'local':>6} {'in':>3} {'error':>8}"
)


def overhead(arm: da.Arm) -> dict:
    """Microseconds of one call on a small batch: until it returns, and until the result is there."""
    kernel = arm.compile("inverse_dynamics", target="cuda", dtype="float32")
    arrays = states_of(kernel, 1000, "rows")
    out = kernel(*arrays)
    found = {}
    for title, call in (("new result", lambda: kernel(*arrays)), ("with out", lambda: kernel(*arrays, out=out))):
        for _ in range(100):
            call()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(2000):
            call()
        found[title] = (time.perf_counter() - begin) / 2000 * 1e6
        torch.cuda.synchronize()
    return found


def rollouts(arm: da.Arm, arms: int, steps: int) -> list[dict]:
    found = []
    for method in ("rk4", "semi-implicit"):
        for controller in ("pd", "computed-torque"):
            roll = arm.rollout(method=method, controller=controller, dtype="float32")
            q, qd = (torch.rand(arms, arm.n, device="cuda") * 2 - 1 for _ in range(2))
            target = torch.zeros(arms, arm.n, device="cuda")
            kp, kd = (torch.tensor(g, dtype=torch.float32, device="cuda") for g in gains(arm, controller))
            error = rollout_error(arm, roll, method, controller)
            seconds = timed(partial(roll, q, qd, target, dt=1e-3, steps=steps, kp=kp, kd=kd), 5)
            function = roll.function_on(0)
            found.append({
                "arm": arm.name, "method": method, "controller": controller, "arms": arms, "steps": steps,
                "steps_per_second": arms * steps / seconds, "registers": function.registers,
                "local_bytes": function.spilled, "error": error,
            })  # fmt: skip
            print(
                f"{arm.name:<10} rollout {method:<14} {controller:<16} {arms:,} arms x {steps} steps: "
                f"{arms * steps / seconds / 1e6:,.0f} million steps/s, {function.registers} registers, "
                f"{function.spilled} local bytes, error {error:.1e}"
            )
    return found


def gains(arm: da.Arm, controller: str) -> tuple[np.ndarray, np.ndarray]:
    """Gains for a natural frequency of 5 rad/s, critically damped: times the least inertia for a plain PD law."""
    inertia = np.linalg.eigvalsh(arm.mass_matrix(np.zeros(arm.n)))[0] if controller == "pd" else 1.0
    return np.full(arm.n, 25 * inertia), np.full(arm.n, 10 * inertia)


def rollout_error(arm: da.Arm, roll: Rollout, method: str, controller: str) -> float:
    """Twenty steps against the same steps in float64 on the CPU."""
    rng = np.random.default_rng()
    q, qd = rng.uniform(-1, 1, (2, 8, arm.n))
    (kp, kd), dt = gains(arm, controller), 1e-3
    device = [torch.tensor(x, dtype=torch.float32, device="cuda") for x in (q, qd, kp, kd)]
    found = roll(*device[:2], torch.zeros(8, arm.n, device="cuda"), dt=dt, steps=20, kp=device[2], kd=device[3])
    for _ in range(20):
        law = -kp * q - kd * qd
        tau = law if controller == "pd" else arm.inverse_dynamics(q, qd, law)
        if method == "semi-implicit":
            qd = qd + dt * arm.forward_dynamics(q, qd, tau)
            q = q + dt * qd
            continue
        slopes, at = [], (q, qd)
        for part in (0.5, 0.5, 1.0, None):
            slopes.append((at[1], arm.forward_dynamics(*at, tau)))
            if part:
                at = (q + part * dt * slopes[-1][0], qd + part * dt * slopes[-1][1])
        q, qd = (
            x + dt / 6 * (s[0][k] + 2 * s[1][k] + 2 * s[2][k] + s[3][k])
            for k, (x, s) in enumerate(((q, slopes), (qd, slopes)))
        )
    return max(
        float(np.abs(a.double().cpu().numpy() - b).max() / np.abs(b).max()) for a, b in zip(found, (q, qd), strict=True)
    )


def gradients(arm: da.Arm) -> float:
    """Backward of PyTorch against the exact derivatives on the CPU, in float64."""
    function = arm.torch("forward_dynamics", target="cuda", dtype="float64")
    arrays = [torch.rand(16, arm.n, dtype=torch.float64, device="cuda", requires_grad=True) for _ in range(3)]
    weight = torch.rand(16, arm.n, dtype=torch.float64, device="cuda")
    (function(*arrays) * weight).sum().backward()
    tables = arm.forward_dynamics_derivatives(*(a.detach().cpu().numpy() for a in arrays))
    worst = 0.0
    for array, table in zip(arrays, tables, strict=True):
        right = np.einsum("bi,bij->bj", weight.cpu().numpy(), table)
        worst = max(worst, float(np.abs(array.grad.cpu().numpy() - right).max() / np.abs(right).max()))
    return worst


def views(arm: da.Arm) -> None:
    """Any number of states, views, broadcasting, other frameworks, NumPy through the device."""
    kernel = arm.compile("inverse_dynamics", target="cuda", dtype="float64")
    for count in (0, 1, 2, 255, 256, 257, 1000):
        arrays = [torch.rand(count, arm.n, dtype=torch.float64, device="cuda") for _ in range(3)]
        right = arm.inverse_dynamics(*(a.cpu().numpy() for a in arrays))
        assert np.allclose(kernel(*arrays).cpu().numpy(), right, atol=1e-10)
    wide = torch.rand(7, 300, 2 * arm.n, dtype=torch.float64, device="cuda")
    parts = wide[..., : arm.n], wide[0, 0, arm.n :], wide.flip(1)[..., : arm.n]
    right = arm.inverse_dynamics(*(a.cpu().numpy() for a in parts))
    assert np.allclose(kernel(*parts).cpu().numpy(), right, atol=1e-10)
    host = [np.random.default_rng(k).normal(size=(300_000, arm.n)) for k in range(3)]
    assert np.allclose(kernel(*host)[::1000], arm.inverse_dynamics(*(a[::1000] for a in host)), atol=1e-9)
    try:
        import cupy

        arrays = [cupy.asarray(a[:500]) for a in host]
        result = kernel(*arrays)
        assert isinstance(result, cupy.ndarray)
        assert np.allclose(result.get(), arm.inverse_dynamics(*(a[:500] for a in host)), atol=1e-9)
    except ImportError:
        print("CuPy is not here; its arrays were not tried")
    try:
        import jax

        jax.config.update("jax_enable_x64", True)
        arrays = [jax.numpy.asarray(a[:500]) for a in host]
        result = kernel(*arrays)
        assert isinstance(result, jax.Array)
        assert np.allclose(np.asarray(result), arm.inverse_dynamics(*(a[:500] for a in host)), atol=1e-9)
        function = arm.jax("inverse_dynamics", target="cuda", dtype="float64")
        slope = jax.grad(lambda *x: function(*x).sum(), argnums=(0, 1, 2))(*arrays)
        tables = arm.inverse_dynamics_derivatives(*(a[:500] for a in host))
        for found, table in zip(slope, tables, strict=True):
            assert np.allclose(np.asarray(found), table.sum(axis=1), atol=1e-8)
    except ImportError:
        print("JAX is not here; its arrays were not tried")
    print("any number of states, views, broadcasting, NumPy, CuPy and JAX arrays: all as on the CPU")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and arms")
    parser.add_argument("--views", action="store_true", help="only the small checks, for compute-sanitizer")
    parser.add_argument("--json", type=Path, help="write all figures here")
    parser.add_argument("--markdown", type=Path, help="write the tables here")
    parser.add_argument("--roofline", type=Path, help="draw the functions under the roofs here (SVG)")
    parser.add_argument("--arms", default="", help="only these, of puma560,panda,chain12,chain30")
    parser.add_argument("--functions", default="", help="only these functions, and nothing else")
    options = parser.parse_args()
    puma = da.load("puma560", physical="ignore")
    if not options.functions:
        views(puma)
    if options.views:
        return
    device = torch.cuda.get_device_properties(0)
    print(f"{device.name}, torch {torch.__version__}, NVRTC {compiler_version()}, {datetime.date.today()}")
    sines = (math.nan, math.nan) if options.functions else sine_errors()
    print(f"sine and cosine of every float32 up to {BOUND:g}: within {sines[0]:.3f} and {sines[1]:.3f} ulp")
    roofs: dict = {"copy": copy_bandwidth()}
    for dtype in TYPES:
        fma, sincos = arithmetic_rates(dtype)
        roofs[dtype] = {"fma": fma, "sincos": sincos}
        print(f"{dtype}: {fma / 1e12:.1f} Tflop/s fused, {sincos / 1e12:.2f} T sine-cosine pairs/s")
    print(f"copy: {roofs['copy'] / 1e12:.2f} TB/s read and written\n\n{HEADER}")
    rows = []
    known = {
        "puma560": puma,
        "panda": da.load("panda", physical="ignore"),
        "chain12": long_arm(),
        "chain30": long_arm(30),
    }
    arms = [puma] if options.quick else [known[name] for name in (options.arms.split(",") if options.arms else known)]
    for arm in arms:
        for name in options.functions.split(",") if options.functions else FUNCTIONS if arm.n < 30 else LONG:
            for dtype in TYPES:
                heavy = name.endswith("derivatives")
                count = (4_000_000 if heavy else 20_000_000) // (1 if arm.n < 30 else 8)
                plans = [("full", "rows", count)]
                if dtype == "float32" and name in ("inverse_dynamics", "forward_dynamics"):
                    plans += [("fast", "rows", count), ("full", "columns", count), ("fast", "columns", count)]
                    if name == "inverse_dynamics" and not options.quick:
                        plans += [("full", "rows", 10**k) for k in (3, 4, 5, 6, 8) if arm.n < 30 or k < 8]
                for accuracy, layout, states in plans:
                    row = measured(arm, name, dtype, accuracy, layout, states, roofs)
                    rows.append(row)
                    print(show(row), flush=True)
                    torch.cuda.empty_cache()
        if arm.n < 12 and not options.functions:
            for dtype in TYPES:
                rows.append(many_arms(arm, "inverse_dynamics", dtype, 8_000_000, roofs))
                print(show(rows[-1]), flush=True)
    if options.functions:
        return
    calls = overhead(puma)
    print("call overhead, 1000 states, microseconds: " + ", ".join(f"{k} {v:.1f}" for k, v in calls.items()))
    rolls = [row for arm in arms if arm.n < 30 for row in rollouts(arm, 1 << 18, 200)]
    slope = gradients(puma)
    print(f"gradient of forward dynamics through PyTorch, float64: relative error {slope:.1e}")
    facts = {
        "machine": device.name, "python": platform.python_version(), "torch": torch.__version__,
        "nvrtc": compiler_version(), "date": str(datetime.date.today()),
    }  # fmt: skip
    found = {
        "facts": facts,
        "roofs": roofs,
        "rows": rows,
        "overhead": calls,
        "rollouts": rolls,
        "gradient_error": slope,
        "sine_errors": sines,
    }
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    if options.markdown:
        options.markdown.write_text(markdown(found))
    if options.roofline:
        options.roofline.write_text(roofline(found))


if __name__ == "__main__":
    main()
