"""Laws of systems whose torques are a program: reduced models and short forms, asked in every way there is."""

from __future__ import annotations

import pickle
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from every_system import CUBE, PROGRAMS, allowed, program_of, states

ARMS = ("planar-3r", "irb6")


@pytest.fixture(params=[(name, shape) for name in ARMS for shape in PROGRAMS], ids=" ".join)
def model(request: pytest.FixtureRequest) -> Any:
    return program_of(*request.param)


def inside(model: Any, count: int = 4) -> list[np.ndarray]:
    """States whose positions are within the box that the model is proved for."""
    return [model.states.box.samples(count, 3), *states(model, count)[1:]]


def test_forward_dynamics_undoes_inverse_dynamics(model: Any) -> None:
    q, qd, qdd = inside(model)
    for speed in (qd, np.zeros(model.n)):
        back = model.forward_dynamics(q, speed, model.inverse_dynamics(q, speed, qdd))
        assert np.abs(back - qdd).max() <= allowed(model, q)


def test_closed_forms_numbers_and_kernels_agree(model: Any) -> None:
    """tau from the printed equations, coefficient by coefficient, with friction as the exact system has it."""
    q, qd, qdd = inside(model)
    n, coefficients = model.n, model.equations
    torque = np.array(model.friction_torque(q, qd))
    for name, poly in coefficients.items():
        kind, index = name[0], [int(digit) - 1 for digit in name[1:]]
        value = poly(q)
        if kind == "G":
            torque[:, index[0]] += value
        elif kind == "D":
            i, j = index
            torque[:, i] += value * qdd[:, j]
            if i != j and f"D{j + 1}{i + 1}" not in coefficients:
                torque[:, j] += value * qdd[:, i]
        else:
            i, j, k = index
            torque[:, i] += value * qd[:, j] * qd[:, k] * (1 if j == k else 2)
    right = model.inverse_dynamics(q, qd, qdd)
    scale = np.abs(right).max()
    np.testing.assert_allclose(torque, right, atol=1e-12 * scale)
    np.testing.assert_allclose(model.compile()(q, qd, qdd), right, atol=1e-12 * scale)
    np.testing.assert_allclose(model.bias(q, qd), model.inverse_dynamics(q, qd, np.zeros(n)), atol=1e-12 * scale)
    for name in ("mass_matrix", "gravity_load"):
        np.testing.assert_allclose(model.compile(name)(q), getattr(model, name)(q), atol=1e-12 * scale)
    np.testing.assert_allclose(
        model.compile("inverse_mass_matrix")(q) @ model.mass_matrix(q), np.broadcast_to(np.eye(n), (4, n, n)),
        atol=allowed(model, q),
    )  # fmt: skip
    kernel = model.compile("forward_dynamics")(q, qd, right)
    np.testing.assert_allclose(kernel, qdd, atol=allowed(model, q) * np.abs(qdd).max())


def test_derivatives_are_slopes_of_the_very_model(model: Any) -> None:
    state = [array[0] for array in inside(model)]
    tau = model.inverse_dynamics(*state)
    cases = (
        (model.inverse_dynamics, model.inverse_dynamics_derivatives, state),
        (model.fast("forward_dynamics"), model.forward_dynamics_derivatives, [*state[:2], tau]),
    )
    step = 1e-6
    for function, derivatives, at in cases:
        for which, table in enumerate(derivatives(*at)):
            for k in range(model.n):
                ends = []
                for sign in (1, -1):
                    moved = [array.copy() for array in at]
                    moved[which][k] += sign * step
                    ends.append(np.array(function(*moved)))
                slope = (ends[0] - ends[1]) / (2 * step)
                np.testing.assert_allclose(table[:, k], slope, atol=2e-6 * max(1.0, np.abs(slope).max()))


def test_a_pickled_model_gives_the_same_numbers_before_and_after_use(model: Any) -> None:
    state = inside(model)
    for _ in range(2):
        same = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(same.inverse_dynamics(*state), model.inverse_dynamics(*state))
        assert [constant.definition for constant in same.constants] == [one.definition for one in model.constants]


def test_frames_and_motors_are_asked_of_the_exact_system(model: Any) -> None:
    with pytest.raises(da.ArmError, match="has no function 'jacobian'; it has inverse_dynamics"):
        model.compile("jacobian")
    with pytest.raises(da.ArmError, match="a controller adds its feedback to qdd of inverse_dynamics"):
        model.compile("computed_torques")
    with pytest.raises(da.ArmError, match=f"q must end in {model.n} joints"):
        model.mass_matrix(np.zeros(model.n + 1))


def test_code_of_short_forms_says_what_it_holds(tmp_path: Path) -> None:
    model = program_of("irb6", "short forms of all D, driven and loaded")
    files = [path.name for path in model.write_c("gravity_load", tmp_path)]
    assert "irb6_in_short_forms_gravity_load.c" in files
    header = (tmp_path / "irb6_in_short_forms_gravity_load.h").read_text()
    assert "of its largest value." in header
    assert "A load of 1.8 kg" in header
    assert "Velocity terms: christoffel." in header


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "mass_matrix"])
def test_the_c_code_of_short_forms_gives_their_numbers(name: str, tmp_path: Path) -> None:
    """The test program beside the code holds values of the graph itself; they are those of the methods."""
    model = program_of("irb6", "short forms")
    files = model.write_c(name, tmp_path)
    sources = [str(path) for path in files if path.suffix == ".c"]
    subprocess.run(["cc", "-std=c99", "-O1", *sources, "-o", str(tmp_path / "run"), "-lm"], check=True)
    assert subprocess.run([str(tmp_path / "run")], capture_output=True, check=False).returncode == 0


@pytest.mark.usefixtures("compiled_kernels")
def test_machine_code_of_short_forms_gives_their_numbers() -> None:
    model = pickle.loads(pickle.dumps(program_of("irb6", "short forms of all D, driven and loaded")))
    q, qd, qdd = inside(model)
    tau = model.inverse_dynamics(q, qd, qdd)
    assert model.compile().compiled
    np.testing.assert_allclose(model.compile()(q, qd, qdd), tau, atol=1e-12 * np.abs(tau).max())
    fast = np.array([model.fast_forward_dynamics()(*state) for state in zip(q, qd, tau, strict=True)])
    np.testing.assert_allclose(fast, qdd, atol=allowed(model, q) * np.abs(qdd).max())


def test_short_forms_run_over_other_libraries() -> None:
    casadi = pytest.importorskip("casadi")
    model = program_of("irb6", "short forms")
    q, qd, qdd = (array[0] for array in inside(model))
    assert isinstance(model.casadi(), casadi.Function)
    found = np.array(model.casadi()(q, qd, qdd)).reshape(-1)
    np.testing.assert_allclose(found, model.inverse_dynamics(q, qd, qdd), rtol=1e-10, atol=1e-10)


def test_short_forms_grip_and_drop_loads_and_reduced_models_refuse() -> None:
    short, reduced = program_of("planar-3r", "short forms"), program_of("planar-3r", "reduced")
    held = short.holding(da.Load(0.05))
    q = short.states.box.samples(3)
    assert np.abs(held.gravity_load(q) - short.gravity_load(q)).max() > 0.1
    np.testing.assert_array_equal(held.holding(None).gravity_load(q), short.gravity_load(q))
    with pytest.raises(da.ArmError, match="does not grip or drop"):
        reduced.holding(CUBE)
