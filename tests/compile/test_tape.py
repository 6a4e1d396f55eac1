"""Tables that one C function runs: the bits of the compiled code, without a compiler run for each function."""

from __future__ import annotations

import random

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.compile import build, interpreter, shared_library
from dalembert.compile.functions import FUNCTIONS, OF_DRIVES, function
from dalembert.compile.kernel import Kernel
from dalembert.compile.tape import Tape
from dalembert.rings.real import REAL
from random_arms import random_arm

pytestmark = pytest.mark.usefixtures("needs_compiler")


@pytest.fixture(autouse=True)
def extension() -> None:
    if shared_library.caller_type() is shared_library.CtypesCaller:
        pytest.skip("no headers of Python")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources that the compiler is asked for, the library of tables apart."""
    interpreter.interpreter(np.dtype("float64"))
    asked: list[str] = []
    real = build.compiled

    def compiled(compiler, source, *rest):
        asked.append(source)
        return real(compiler, source, *rest)

    monkeypatch.setattr(build, "compiled", compiled)
    return asked


def tree(seed: int, joints: int = 5) -> da.Arm:
    return da.Arm.of(random_arm(seed, joints, tree=True))


def arrays(kernel: Kernel, count: int = 37) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(3)
    return tuple(rng.uniform(-3, 3, (count, width)).astype(kernel.dtype) for _, width in kernel.arguments)


def by_table(kernel: Kernel) -> shared_library.Caller:
    """The kernel as a table for ever."""
    widths = tuple(width for _, width in kernel.arguments)
    caller = shared_library.caller_type()(widths, kernel.shapes, kernel.dtype.num, 0, kernel._call)
    library = interpreter.interpreter(kernel.dtype)
    interpreter.attach(caller, Tape(kernel.program, kernel.dtype), library, float("inf"), float("inf"))
    return caller


def parts(result):
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("computed_motor_torques", "float64"), ("forward_dynamics", "float64"), ("forward_dynamics", "float32")],
)
def test_tables_and_compiled_code_give_the_same_bits_for_one_state_and_for_many(name: str, dtype: str) -> None:
    kernel = Kernel(function(da.load("puma560", physical="ignore").driven, name), dtype)
    table, states = by_table(kernel), arrays(kernel)
    many = parts(kernel(*states))
    assert all((mine == whole).all() for mine, whole in zip(parts(table(*states)), many, strict=True))
    for k, row in enumerate(zip(*states, strict=True)):
        for whole, mine, compiled in zip(many, parts(table(*row)), parts(kernel(*row)), strict=True):
            assert (mine == whole[k]).all()
            assert (compiled == whole[k]).all()


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in OF_DRIVES])
def test_the_table_of_every_function_is_the_graph(name: str) -> None:
    kernel = Kernel(function(tree(len(name)), name))
    states = arrays(kernel)
    for mine, right in zip(parts(by_table(kernel)(*states)), parts(kernel.in_numpy(*states)), strict=True):
        np.testing.assert_allclose(mine, right, rtol=1e-9, atol=1e-11 * np.abs(right).max())


def test_arms_that_differ_in_numbers_need_no_compiler(runs: list[str]) -> None:
    zero = np.zeros(5)
    for seed in range(4):
        arm = tree(seed)
        expected = arm.over_reals.torque(REAL, [0.3] * 5, [0.0] * 5, [0.0] * 5)
        np.testing.assert_allclose(arm.inverse_dynamics(zero + 0.3, zero, zero), expected, rtol=1e-9, atol=1e-9)
    assert runs == []


def test_a_function_that_is_used_much_is_compiled_and_its_bits_stay(
    runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreter, "SECONDS", 1e-5)
    monkeypatch.setattr(interpreter, "PER_STATEMENT", 0.0)
    arm, rng = tree(11), np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-2, 2, (3, 5))
    first = arm.inverse_dynamics(q, qd, qdd)
    assert runs == []
    again = [arm.inverse_dynamics(q, qd, qdd) for _ in range(200)]
    assert len(runs) == 1
    assert all((tau == first).all() for tau in again)
    many = arm.inverse_dynamics(np.tile(q, (5000, 1)), qd, qdd)
    assert len(runs) == 2
    assert (many == first).all()


def test_where_the_compiler_fails_later_the_table_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    interpreter.interpreter(np.dtype("float64"))
    kernel = Kernel(function(tree(12), "inverse_dynamics"), patient=True)
    states = arrays(kernel)
    before = kernel(*states)

    def failing(*_):
        raise build.CompileError("the disk is full")

    monkeypatch.setattr(build, "compiled", failing)
    assert not kernel.compiled
    assert (kernel(*states) == before).all()
    assert (kernel(*(x[4] for x in states)) == before[4]).all()
    assert (kernel(*states, threads=2) == before).all()


def test_a_table_refuses_what_is_not_finite_and_takes_what_broadcasts() -> None:
    arm = tree(13)
    zero = np.zeros(5)
    with pytest.raises(ArmError, match="q holds nan"):
        arm.inverse_dynamics(np.full(5, np.nan), zero, zero)
    with pytest.raises(ArmError, match="q holds nan"):
        arm.inverse_dynamics(np.full((3, 5), np.nan), zero, zero)
    rng = random.Random(1)
    q = [[rng.uniform(-1, 1) for _ in range(5)] for _ in range(3)]
    rows = np.array([arm.inverse_dynamics(row, zero, zero) for row in q])
    assert (arm.inverse_dynamics(q, zero, zero) == rows).all()
    assert (arm.inverse_dynamics(np.array(q)[:, None, :], zero, np.zeros((2, 5))) == rows[:, None]).all()
    assert arm.inverse_dynamics(np.empty((0, 5)), zero, zero).shape == (0, 5)


def test_two_hundred_joints_answer_at_once_and_agree_with_pinocchio(runs: list[str]) -> None:
    pin = pytest.importorskip("pinocchio")
    row = {"a": 0.1, "alpha": 0.3, "d": 0.05, "mass": 1, "com": (0.1, 0.02, 0.03), "inertia": (1, 2, 3)}
    arm = da.Arm.from_dh([row | {"lower": -3, "upper": 3, "effort": 1, "velocity": 1}] * 200, physical="ignore")
    model = pin.buildModelFromXML(arm.write_urdf())
    data = model.createData()
    q, qd, qdd = np.random.default_rng(0).uniform(-0.3, 0.3, (3, 200))
    right = pin.rnea(model, data, q, qd, qdd)
    assert np.abs(arm.inverse_dynamics(q, qd, qdd) - right).max() <= 1e-11 * np.abs(right).max()
    assert runs == []
