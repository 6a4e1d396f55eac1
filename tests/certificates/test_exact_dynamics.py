"""The checker's own dynamics are those of Newton and Euler, of the engine, and of nobody's file."""

from __future__ import annotations

import random

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.certificates.exact_dynamics import Series, dynamics, exponentials, program_coefficients
from dalembert.certificates.system_numbers import system_numbers
from newton_euler_of_sections import torques
from random_arms import coupled_motors, random_arm


def value(series: Series, q: np.ndarray, revolute: list[bool]) -> float:
    total = 0j
    for k, (re, im) in series.items():
        factors = [np.exp(1j * m * x) if turns else x**m for m, x, turns in zip(k, q, revolute, strict=True)]
        total += complex(int(re.p) / int(re.q), int(im.p) / int(im.q)) * np.prod(factors)
    assert abs(total.imag) < 1e-9 * (1 + abs(total))
    return total.real


def test_arms_of_six_and_eight_joints_are_not_refused():
    """With axes anywhere, and at quarter turns; nothing is as short as it is for the arms of the catalog."""
    for joints, quarters, terms in ((6, False, 20_000), (8, True, 100_000)):
        arm = random_arm(joints, joints, fixed=0.0, kinds=("revolute",), quarters=quarters)
        assert sum(len(p) for p in dynamics(system_numbers(arm)).coefficients.values()) > terms


@pytest.mark.parametrize("seed", range(6))
def test_torques_are_those_of_newton_and_euler(seed):
    system = system_numbers(random_arm(seed, 4))
    found = dynamics(system)
    v, n = found.variables, len(system["bodies"])
    q, qd, qdd = np.random.default_rng(seed).uniform(-1.5, 1.5, (3, n))
    tau = np.zeros(n)
    for key, polynomial in found.coefficients.items():
        kind, i, *rest = key
        factor = 1.0 if kind == "G" else qdd[rest[0]] if kind == "D" else qd[rest[0]] * qd[rest[1]]
        tau[i] += value(v.series(polynomial), q, v.revolute) * factor * (2 if kind == "C" and rest[0] < rest[1] else 1)
    assert tau == pytest.approx(torques(system, q, qd, qdd), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("model", ["exact", "szkodny", "diagonal", "paul"])
@pytest.mark.parametrize("seed", range(3))
def test_rotors_add_what_they_add_to_the_system(seed, model):
    arm = random_arm(seed, 3)
    driven = (
        da.Arm.of(arm).with_drives(da.DriveTrain(tuple(coupled_motors(random.Random(seed), arm)))).approximate(model)
    )
    found = dynamics(system_numbers(driven))
    v, q = found.variables, np.random.default_rng(seed).uniform(-1, 1, arm.n)
    for kind, exact in (("D", driven.mass_matrix(q)), ("C", driven.christoffel(q)), ("G", driven.gravity_load(q))):
        for key, polynomial in found.coefficients.items():
            if key[0] == kind:
                assert value(v.series(polynomial), q, v.revolute) == pytest.approx(exact[key[1:]], rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("name", ["puma560", "stanford"])
def test_the_square_of_a_gravity_load_is_not_above_that_of_its_vector_and_needs_no_joint_before(name):
    found = dynamics(system_numbers(da.load(name, physical="ignore")))
    v, rng = found.variables, np.random.default_rng(1)
    for i in range(v.n):
        square = v.series(found.squares[i])
        assert not any(k[j] for k in square for j in range(i) if v.revolute[j])
        for q in rng.uniform(-2, 2, (20, v.n)):
            load = value(v.series(found.coefficients["G", i]), q, v.revolute)
            assert load**2 <= value(square, q, v.revolute) * (1 + 1e-12) + 1e-18


def test_powers_of_sines_and_cosines_are_sums_of_exponentials():
    for a in range(3):
        for b in range(4):
            x = 0.7
            total = sum(complex(float(re.p) / int(re.q), float(im.p) / int(im.q)) * np.exp(1j * k * x)
                        for k, (re, im) in exponentials(a, b))  # fmt: skip
            assert total == pytest.approx(np.sin(x) ** a * np.cos(x) ** b)


def test_a_body_that_is_none_is_refused():
    system = system_numbers(da.load("planar-2r"))
    for change in (
        lambda body: body["placement"][0].__setitem__(0, "2"),
        lambda body: body["placement"][3].__setitem__(0, "1"),
        lambda body: body["placement"][2].__setitem__(2, "-1"),
        lambda body: body["pseudo_inertia"][0].__setitem__(1, "1"),
        lambda body: body.__setitem__("parent", 1),
        lambda body: body.__setitem__("kind", "fixed"),
    ):
        wrong = system_numbers(da.load("planar-2r"))
        change(wrong["bodies"][1])
        with pytest.raises(ArmError):
            dynamics(wrong)
    dynamics(system)


def test_a_program_that_computes_no_torques_is_refused():
    v = dynamics(system_numbers(da.load("planar-2r"))).variables
    for steps in (
        [["qd", 0]],
        [["qd", 0], ["qdd", 1], ["mul", 0, 1]],
        [["q", 2]],
        [["q", -1]],
        [["neg", 0]],
        [["number", "1"], ["exp", 0]],
    ):
        with pytest.raises((ArmError, AttributeError)):
            program_coefficients(steps, [len(steps) - 1], {}, v)


def test_what_cancels_by_sine_and_cosine_is_nothing():
    """(s^2 + c^2) qd_1 qd_2 - qd_1 qd_2 and 2 sin(q_1 + q_2) cos(q_1 + q_2) - sin(2 q_1 + 2 q_2)."""
    v = dynamics(system_numbers(da.load("planar-2r"))).variables
    steps = [["q", 0], ["q", 1], ["add", 0, 1], ["sin", 2], ["cos", 2], ["mul", 3, 3], ["mul", 4, 4], ["add", 5, 6],
             ["qd", 0], ["mul", 7, 8], ["sub", 9, 8], ["add", 2, 2], ["sin", 11], ["mul", 3, 4], ["add", 13, 13],
             ["sub", 14, 12], ["add", 10, 15]]  # fmt: skip
    assert program_coefficients(steps, [16], {}, v) == {}
