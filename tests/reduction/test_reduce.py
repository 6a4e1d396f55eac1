"""Reduced models: bounds are true, not idle, and the models are short."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.arm.inertia import Load
from dalembert.reduction.reduce import reduce
from dalembert.reduction.states import exact_torque
from random_arms import random_arm

MILLION = 1_000_000


@pytest.fixture(scope="module")
def puma():
    return da.load("puma560", physical="ignore")


@pytest.fixture(scope="module")
def one_percent(puma):
    return reduce(puma, 0.01)


def errors(model, count: int, seed: int = 0) -> np.ndarray:
    worst = np.zeros(model.n)
    exact = exact_torque(model.arm, model.added)
    for part in range(max(1, count // 100_000)):
        q, qd, qdd = model.states.samples(min(count, 100_000), seed + part)
        worst = np.maximum(worst, np.abs(model.inverse_dynamics(q, qd, qdd) - exact(q, qd, qdd)).max(axis=0))
    return worst


@pytest.mark.parametrize(("seed", "tolerance"), [(1, 0.05), (4, 0.2)])
def test_a_million_states_of_a_random_arm_never_exceed_the_proved_bound(seed: int, tolerance: float) -> None:
    arm = random_arm(seed, 3)
    slides = {i: (-0.4, 0.7) for i, joint in enumerate(arm.moving) if joint.kind == "prismatic"}
    model = reduce(arm, tolerance, box=slides)
    assert np.all(errors(model, MILLION) <= model.bound + 1e-9 * model.scale)
    assert np.all(model.share <= tolerance + 1e-12)
    assert model.after.total < model.before.total + 30
    assert all(e.tightness <= 2 for e in model.coefficient_errors if e.bound > 1e-12)


def test_puma_at_one_percent_takes_fewer_operations_than_armstrong_khatib_and_burdick(one_percent) -> None:
    assert one_percent.after.total < 305
    assert np.all(one_percent.share <= 0.01)
    assert np.all(errors(one_percent, 200_000) <= one_percent.bound + 1e-9)
    assert all(e.tightness <= 2 for e in one_percent.coefficient_errors)
    assert np.all(one_percent.found <= one_percent.bound)


def test_a_looser_tolerance_and_counted_drives_give_shorter_models(puma, one_percent) -> None:
    five = reduce(puma, 0.05, drives=True)
    assert five.after.total < one_percent.after.total < 305
    assert np.all(five.share <= 0.05)
    assert np.all(errors(five, 100_000) <= five.bound)
    assert any(not c.depends_on_load for c in five.constants)


def test_the_rms_error_is_that_of_many_states(one_percent) -> None:
    q, qd, qdd = one_percent.states.samples(200_000, 3)
    off = one_percent.inverse_dynamics(q, qd, qdd) - exact_torque(one_percent.arm)(q, qd, qdd)
    sampled = np.sqrt((off**2).mean(axis=0))
    some = one_percent.rms > 0
    assert np.allclose(sampled[some], one_percent.rms[some], rtol=0.03)


def test_the_polynomials_are_what_the_program_computes(one_percent) -> None:
    q, qd, qdd = one_percent.states.samples(20, 5)
    total = np.zeros_like(q)
    for (kind, index), poly in one_percent.polynomials.items():
        i = index[0]
        values = poly(q)
        if kind == "D":
            total[:, i] += values * qdd[:, index[1]]
        elif kind == "C":
            total[:, i] += values * qd[:, index[1]] * qd[:, index[2]] * (1 if index[1] == index[2] else 2)
        else:
            total[:, i] += values
    assert np.allclose(total, one_percent.inverse_dynamics(q, qd, qdd), atol=1e-9)


def test_zero_tolerance_gives_the_exact_model(puma) -> None:
    model = reduce(puma, 0.0)
    assert np.all(model.bound == 0)
    q, qd, qdd = model.states.samples(50)
    assert np.allclose(model.inverse_dynamics(q, qd, qdd), exact_torque(puma)(q, qd, qdd), rtol=1e-7, atol=1e-8)
    assert np.allclose(model.mass_matrix(q), np.swapaxes(model.mass_matrix(q), -1, -2), atol=1e-7)


def test_a_new_load_changes_constants_and_not_the_program() -> None:
    arm = da.load("jpl-rrp")
    loads = [None, Load(1.8)]
    model = reduce(arm, 0.05, load=loads, drives=True)
    heavy = model.with_load(loads[1])
    assert set(heavy) == set(model.values)
    moving = {c.name for c in model.constants if c.depends_on_load}
    assert moving
    assert moving == {k.replace("_", "") for k, v in heavy.items() if v != float(model.values[k])}
    # The same program with the constants of the loaded arm, and of a mixture of the two loads, is as good.
    for mass in (1.8, 0.7):
        values = model.with_load(Load(mass))
        from dalembert.reduction.graphs import table

        q, qd, qdd = model.states.samples(50_000, 9)
        inputs = dict(values) | {f"{n}_{i}": x[:, i] for n, x in (("q", q), ("qd", qd), ("qdd", qdd)) for i in range(6)}
        done = table(model.program.outputs, inputs)
        torque = np.stack([np.broadcast_to(done[node.index], len(q)) for node in model.program.outputs], axis=1)
        off = np.abs(torque - exact_torque(arm.holding(Load(mass)), model.added)(q, qd, qdd)).max(axis=0)
        assert np.all(off <= model.bound)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_the_c_code_gives_the_reduced_torques(one_percent, tmp_path: Path) -> None:
    files = one_percent.write_c(tmp_path)
    code, test = (next(f for f in files if f.name.startswith(start)) for start in ("puma", "test_"))
    code = next(f for f in files if f.suffix == ".c" and not f.name.startswith("test_"))
    program = tmp_path / "run"
    subprocess.run(["cc", "-std=c99", "-O1", str(code), str(test), "-o", str(program), "-lm"], check=True)
    assert subprocess.run([str(program)], capture_output=True, check=False).returncode == 0


def test_a_kernel_of_the_reduced_model_gives_its_torques(one_percent) -> None:
    q, qd, qdd = one_percent.states.samples(100)
    assert np.allclose(one_percent.compile()(q, qd, qdd), one_percent.inverse_dynamics(q, qd, qdd), atol=1e-10)


def test_bad_requests_are_said_plainly(puma) -> None:
    with pytest.raises(ArmError, match="tolerance"):
        reduce(puma, -1)
    with pytest.raises(ArmError, match="speed"):
        reduce(puma, 0.01, speed=[1, 2])
    with pytest.raises(ArmError, match="acceleration"):
        reduce(puma, 0.01, acceleration=-3.0)
