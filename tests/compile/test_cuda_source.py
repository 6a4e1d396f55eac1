"""CUDA source without a GPU: compiled as C++ on the host, it gives the numbers of the real ring."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import dalembert as da
from dalembert.compile.cuda import parts, slots
from dalembert.compile.cuda import source as cuda_source
from dalembert.compile.cuda.device_code import HOST_SHIM
from dalembert.compile.cuda.rollout import rollout_source
from dalembert.compile.cuda.source import source
from dalembert.compile.emit_c import Program
from dalembert.compile.functions import FUNCTIONS, OF_DRIVES, function
from dalembert.compile.graph_model import parameter_names, parameter_values
from random_arms import random_arm

COMPILER = shutil.which("g++") or shutil.which("clang++")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler on this machine")
ARM = da.Arm.of(random_arm(4, 5))
TYPES = {"float32": (np.float32, 3e-4), "float64": (np.float64, 1e-11)}


def host_kernel(text: str, folder) -> ctypes.CDLL:
    file = folder / "kernel.cpp"
    file.write_text(HOST_SHIM + text)
    flags = ["-O1", "-shared", "-fPIC", "-w", "-D_GNU_SOURCE", "-D__restrict__=__restrict"]
    subprocess.run([COMPILER, *flags, "-o", folder / "kernel.so", file], check=True, capture_output=True)
    return ctypes.CDLL(str(folder / "kernel.so"))


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def expected(arm, name, arrays):
    wide = [array.astype(float) for array in arrays]
    if name == "inverse_mass_matrix":
        return (np.linalg.inv(arm.mass_matrix(wide[0])),)
    found = getattr(arm, name)(*wide)
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in OF_DRIVES])
def test_every_function_gives_the_numbers_of_the_arm(name, layout, tmp_path):
    """A batch that is no multiple of the block, so that remainders are taken too; outputs poisoned beforehand."""
    kind, tolerance = TYPES["float64"]
    program = Program(function(ARM, name))
    kernel = host_kernel(source(program, "float64", "full", layout).text, tmp_path).kernel
    count = 300
    arrays = [
        np.random.default_rng(k).uniform(-1, 1, (count, ARM.n)).astype(kind)
        for k, _ in enumerate(FUNCTIONS[name].arguments)
    ]
    right = expected(ARM, name, arrays)
    given = [np.ascontiguousarray(a.T) if layout == "columns" else a for a in arrays]
    outs = [np.full((r[0].size, count) if layout == "columns" else (count, r[0].size), np.nan, kind) for r in right]
    arguments = []
    for array in given:
        arguments += [pointer(array), ctypes.c_longlong(array.shape[1])]
    kernel(*arguments, *(pointer(out) for out in outs), ctypes.c_longlong(count))
    for out, value in zip(outs, right, strict=True):
        found = (out.T if layout == "columns" else out).reshape(value.shape)
        condition = np.linalg.cond(ARM.mass_matrix(arrays[0])).max() if "inverse" in name or "forward_d" in name else 1
        assert np.abs(found - value).max() <= tolerance * max(condition, 1) * np.abs(value).max()


@pytest.mark.parametrize("count", [0, 1, 31, 256, 257])
def test_any_number_of_states_and_no_place_beyond_is_written(count, tmp_path):
    program = Program(function(ARM, "inverse_dynamics"))
    kernel = host_kernel(source(program, "float32").text, tmp_path).kernel
    arrays = list(np.random.default_rng(0).uniform(-1, 1, (3, count, ARM.n)).astype(np.float32))
    out = np.full((count + 7, ARM.n), np.nan, np.float32)
    arguments = []
    for array in arrays:
        arguments += [pointer(array), ctypes.c_longlong(ARM.n)]
    kernel(*arguments, pointer(out), ctypes.c_longlong(count))
    right = ARM.inverse_dynamics(*(a.astype(float) for a in arrays))
    assert np.isnan(out[count:]).all()
    if count:
        assert np.abs(out[:count] - right).max() <= TYPES["float32"][1] * np.abs(right).max()


def test_rows_may_be_strided_or_one_row_for_all(tmp_path):
    program = Program(function(ARM, "inverse_dynamics"))
    kernel = host_kernel(source(program, "float64").text, tmp_path).kernel
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-1, 1, (300, 2 * ARM.n)), rng.uniform(-1, 1, ARM.n), rng.uniform(-1, 1, (300, ARM.n))
    out = np.empty((300, ARM.n))
    pairs = [(q, 2 * ARM.n), (qd, 0), (qdd, ARM.n)]
    kernel(*(x for a, s in pairs for x in (pointer(a), ctypes.c_longlong(s))), pointer(out), ctypes.c_longlong(300))
    np.testing.assert_allclose(out, ARM.inverse_dynamics(q[:, : ARM.n], qd, qdd), rtol=0, atol=1e-10)


@pytest.mark.parametrize("parameters", ["inertial", "load"])
def test_parameters_may_be_inputs(parameters, tmp_path):
    program = Program(function(ARM, "gravity_load", parameters))
    kernel = host_kernel(source(program, "float64").text, tmp_path).kernel
    q = np.random.default_rng(2).uniform(-1, 1, (40, ARM.n))
    numbers = np.array(parameter_values(ARM, parameters))
    out = np.empty((40, ARM.n))
    kernel(
        pointer(q),
        ctypes.c_longlong(ARM.n),
        pointer(numbers),
        ctypes.c_longlong(0),
        pointer(out),
        ctypes.c_longlong(40),
    )
    np.testing.assert_allclose(out, ARM.gravity_load(q), rtol=0, atol=1e-10)


def stepped(arm, method, q, qd, tau, dt):
    if method == "semi-implicit":
        qd = qd + dt * arm.forward_dynamics(q, qd, tau)
        return q + dt * qd, qd
    k1 = qd, arm.forward_dynamics(q, qd, tau)
    k2 = qd + dt / 2 * k1[1], arm.forward_dynamics(q + dt / 2 * k1[0], qd + dt / 2 * k1[1], tau)
    k3 = qd + dt / 2 * k2[1], arm.forward_dynamics(q + dt / 2 * k2[0], qd + dt / 2 * k2[1], tau)
    k4 = qd + dt * k3[1], arm.forward_dynamics(q + dt * k3[0], qd + dt * k3[1], tau)
    return tuple(x + dt / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip((q, qd), k1, k2, k3, k4, strict=True))


@pytest.mark.parametrize("controller", ["torque", "pd", "computed-torque"])
@pytest.mark.parametrize("method", ["rk4", "semi-implicit"])
def test_a_rollout_is_the_same_steps_taken_one_by_one(method, controller, tmp_path):
    kernel = host_kernel(rollout_source(ARM, method, controller, "float64", "full", None).text, tmp_path).kernel
    rng = np.random.default_rng(5)
    count, steps, dt, every = 3, 6, 1e-3, 2
    q0, qd0 = rng.uniform(-1, 1, (2, count, ARM.n))
    kp, kd = rng.uniform(1, 2, (2, ARM.n))
    u = rng.uniform(-1, 1, (steps, count, ARM.n) if controller == "torque" else (count, ARM.n))
    q, qd, path = q0, qd0, []
    for step in range(steps):
        law = kp * (u - q) - kd * qd if controller != "torque" else None
        tau = {"torque": lambda s=step: u[s], "pd": lambda a=law: a}.get(
            controller, lambda a=law, x=q, v=qd: ARM.inverse_dynamics(x, v, a)
        )()
        q, qd = stepped(ARM, method, q, qd, tau, dt)
        if (step + 1) % every == 0:
            path.append(np.concatenate([q, qd], axis=1))
    ends, states = np.full((2, count, ARM.n), np.nan), np.full((steps // every, count, 2 * ARM.n), np.nan)
    n = ctypes.c_longlong(ARM.n)
    kernel(
        pointer(q0), n, pointer(qd0), n, pointer(u), n, pointer(kp), ctypes.c_longlong(0), pointer(kd),
        ctypes.c_longlong(0), None, ctypes.c_longlong(0), ctypes.c_double(dt), ctypes.c_longlong(steps),
        ctypes.c_longlong(every), pointer(ends[0]), pointer(ends[1]), pointer(states), ctypes.c_longlong(count),
    )  # fmt: skip
    np.testing.assert_allclose(ends, [q, qd], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(states, path, rtol=1e-9, atol=1e-9)


def test_a_rollout_may_have_its_own_load_for_every_arm(tmp_path):
    kernel = host_kernel(rollout_source(ARM, "semi-implicit", "pd", "float64", "full", "load").text, tmp_path).kernel
    masses = np.array([0.0, 0.5, 2.0])
    loads = np.zeros((3, len(parameter_names(ARM, "load"))))
    loads[:, 0] = masses
    q0, qd0, u, ends = np.full((3, ARM.n), 0.3), np.zeros((3, ARM.n)), np.zeros((3, ARM.n)), np.empty((2, 3, ARM.n))
    kp = kd = np.ones(ARM.n)
    n, zero = ctypes.c_longlong(ARM.n), ctypes.c_longlong(0)
    kernel(
        pointer(q0), n, pointer(qd0), n, pointer(u), n, pointer(kp), zero, pointer(kd), zero, pointer(loads),
        ctypes.c_longlong(loads.shape[1]), ctypes.c_double(1e-2), ctypes.c_longlong(1), zero,
        pointer(ends[0]), pointer(ends[1]), None, ctypes.c_longlong(3),
    )  # fmt: skip
    for index, mass in enumerate(masses):
        held = ARM.holding(da.Load(mass=float(mass)))
        q, qd = stepped(held, "semi-implicit", q0[index], qd0[index], -kp * q0[index], 1e-2)
        np.testing.assert_allclose(ends[:, index], [q, qd], rtol=1e-9, atol=1e-9)


def run_in_parts(asked, steps, dtype, arrays, folder):
    """The kernels of a function as they are launched, on the host: the same launches, memory of NumPy."""
    kind = TYPES[dtype][0]
    texts = (source(step, dtype).text.replace(" kernel(", f" kernel{number}(") for number, step in enumerate(steps))
    library = host_kernel("".join(f"namespace part{k} {{\n{text}}}\n" for k, text in enumerate(texts)), folder)
    count = len(arrays[0])
    outs = [np.full((count, int(np.prod(shape))), np.nan, kind) for shape in asked.shapes]
    scratch = np.full(sum(parts.scratch_numbers(steps).values()) * parts.CHUNK, np.nan, kind)
    values = [x for a in arrays for x in (a.ctypes.data, a.strides[0] // a.itemsize)] + [o.ctypes.data for o in outs]
    for number, own, states in parts.launches(steps, asked, dtype, count, values, scratch.ctypes.data):
        getattr(library, f"kernel{number}")(*(ctypes.c_longlong(x) for x in own), ctypes.c_longlong(states))
    return [out.reshape(count, *shape) for out, shape in zip(outs, asked.shapes, strict=True)]


def crowded(monkeypatch, registers: int, shared: int) -> None:
    """Few registers and little shared memory, so that small arms need what large ones do."""
    monkeypatch.setitem(slots.MOST_HELD, "float64", registers)
    monkeypatch.setitem(slots.REGISTERS, "float64", registers)
    monkeypatch.setattr(parts, "MOST_SHARED", shared)
    monkeypatch.setattr(parts, "SHARED", 16 * shared)
    for module in (parts, cuda_source):
        monkeypatch.setattr(module, "CHUNK", 64)


@pytest.mark.parametrize("way", [0, 1, 2], ids=["as written", "retraced", "in stages"])
def test_a_function_by_any_way_gives_the_numbers_of_the_whole(way, tmp_path, monkeypatch):
    """Windows of results, numbers that wait, and chunks that the states are no multiple of."""
    crowded(monkeypatch, 25, 40 * 1024)
    monkeypatch.setattr(parts, "LAUNCHED", 0.0)
    arm, rng = da.Arm.of(random_arm(3, 5)), np.random.default_rng(7)
    q, wide, right_side = rng.uniform(-1, 1, (3, 150, 2 * arm.n))
    arrays = [np.ascontiguousarray(q[:, : arm.n]), wide[:, : arm.n], np.ascontiguousarray(right_side[:, : arm.n])]
    name = "forward_dynamics_derivatives"
    asked = function(arm, name)
    steps = parts._steps(asked, asked.ways()[way - 1], "float64", "rows") if way else parts.parts(asked, "float64")
    assert any(step.plan is not None for step in steps)
    found = run_in_parts(asked, steps, "float64", arrays, tmp_path)
    condition = np.linalg.cond(arm.mass_matrix(arrays[0])).max()
    for mine, right in zip(found, expected(arm, name, arrays), strict=True):
        assert np.abs(mine - right).max() <= 1e-11 * max(condition, 1) * np.abs(right).max()


def test_numbers_wait_in_columns_too(tmp_path, monkeypatch):
    crowded(monkeypatch, 20, 40 * 1024)
    part = parts.whole_part(Program(function(ARM, "mass_matrix")), "float64", "columns")
    assert part.plan is not None
    kernel = host_kernel(source(part, "float64", "full", "columns").text, tmp_path).kernel
    q = np.random.default_rng(3).uniform(-1, 1, (ARM.n, 40))
    out = np.full((ARM.n**2, 40), np.nan)
    kernel(pointer(q), ctypes.c_longlong(40), pointer(out), ctypes.c_longlong(40))
    right = ARM.mass_matrix(q.T)
    np.testing.assert_allclose(out.T.reshape(right.shape), right, rtol=0, atol=1e-12 * np.abs(right).max())


def test_never_are_more_numbers_in_registers_than_there_is_room_for():
    """Whoever follows the plan has every operand at hand, and no two numbers at a time in one place."""
    program = Program(function(ARM, "inverse_dynamics_derivatives"))
    results = {node.index: [k] for k, node in enumerate(program.function.outputs[0][1])}
    plan = slots.waiting(program, 40, results, shared_places=60)
    made = {node.index for node in program.order}
    inside = {x.index for node in program.order for x in program.operands(node) if x.op != "const"} - made
    kept: dict[int, int] = {}
    for step in plan.steps:
        if isinstance(step, slots.Away):
            place = plan.places[step.node.index]
            if step.back:
                assert kept[place] == step.node.index
                inside.add(step.node.index)
            else:
                assert step.node.index in inside
                kept[place] = step.node.index
            continue
        assert all(x.op == "const" or x.index in inside for x in program.operands(step))
        for place in results.get(step.index, ()):
            kept[place] = step.index
        inside.add(step.index)
    assert all(kept[place] == index for index, (place,) in results.items() if index in made)
    assert plan.far > 0


def test_what_ten_thousand_operations_keep_outside_the_registers_fits_a_multiprocessor():
    """The derivatives of twelve joints: each kernel leaves room for others, and nothing waits in memory."""
    row = {"mass": 1.0, "com": (-0.1, 0.02, 0.05), "inertia": (0.01, 0.02, 0.015), "a": 0.2, "d": 0.05}
    arm = da.Arm.from_dh([{**row, "alpha": (np.pi / 2, 0.0, -np.pi / 2)[k % 3]} for k in range(12)])
    asked = function(arm, "inverse_dynamics_derivatives")
    steps = parts.kernels(asked, "float64")
    assert sum(window.size for step in steps for window in step.windows) == 3 * 144
    for step in steps:
        generated = source(step, "float64")
        assert 5 * 32 * generated.shared // generated.block <= 228 * 1024
        assert step.plan is None or not step.plan.far
