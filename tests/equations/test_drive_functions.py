"""Closed forms of drives with functions of one's own: floats, sums of angles, and what truly has no closed form."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.rings.trig import LARGEST_MULTIPLE

EYE = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
ARM = da.load("puma560-arm", physical="ignore")


def turning(position) -> da.DrivenArm:
    """The arm with a first motor that turns by ``position(ring, q)``."""
    rotor = da.Rotor.of("0.05", "link1", (0, 0, 1), counted=False)
    motors = [da.Actuator("m1", {}, rotor=rotor), *(da.Actuator(f"m{k}", {}) for k in (2, 3))]
    return ARM.with_drives(da.DriveTrain(motors, turns=lambda ring, q: [position(ring, q), q[1], q[2]]))


def carrying(place) -> da.DrivenArm:
    """The arm with a rod at ``place(ring, q)`` on its first link."""
    body = da.MovingBody(da.Inertia.of("2.4", com=("0.2", 0, 0), inertia=("0.01", "0.02", "0.03")), place, "link1")
    return ARM.with_drives(da.DriveTrain(elements=[da.Element("rod", body=body)]))


def circle(angle, radius: object = 0.1):
    def place(ring, q):
        sin, cos = ring.sincos(angle(q))
        return ((cos, -sin, 0), (sin, cos, 0), (0, 0, 1)), (radius * cos, radius * sin, 0.25)

    return place


ANGLES = {
    "one": lambda q: q[1],
    "sum of parallel axes": lambda q: q[1] + q[2],
    "sum of crossing axes": lambda q: q[0] + q[1],
    "multiples": lambda q: 2 * q[0] - q[2] * 3,
    "whole float": lambda q: 2.0 * q[1] - 1 * q[1],
    "fixed angle added": lambda q: q[1] + 0.5,
    "fixed angle subtracted": lambda q: math.pi / 2 - q[1],
    "nothing left": lambda q: q[1] - q[1],
}


@pytest.mark.parametrize("name", ANGLES)
def test_closed_forms_of_sums_of_angles_agree_with_numbers(name):
    q = np.random.default_rng(1).uniform(-2, 2, 3)
    system = carrying(circle(ANGLES[name]))
    inertia, christoffel, gravity = system.equations("numbers").values(q)
    np.testing.assert_allclose(inertia, system.mass_matrix(q), atol=1e-14 * np.abs(inertia).max())
    np.testing.assert_allclose(christoffel, system.christoffel(q), atol=1e-13 * np.abs(christoffel).max())
    np.testing.assert_allclose(gravity, system.gravity_load(q), atol=1e-14 * np.abs(gravity).max())


def test_the_sine_of_a_sum_is_the_one_that_is_written_out():
    def written_out(ring, q):
        (s1, c1), (s2, c2) = ring.sincos(q[0]), ring.sincos(q[1])
        return EYE, (Fraction(1, 10) * (c1 * c2 - s1 * s2), Fraction(1, 10) * (s1 * c2 + c1 * s2), 0)

    def summed(ring, q):
        sin, cos = ring.sincos(q[0] + q[1])
        return EYE, (Fraction(1, 10) * cos, Fraction(1, 10) * sin, 0)

    one, other = (carrying(place).equations("numbers") for place in (written_out, summed))
    assert all(one[name] == other[name] for name in ("D11", "D12", "D22", "C112", "G2"))


@pytest.mark.parametrize("factor", [0.1, 10.5, np.float64(0.1), np.float32(0.5), -3.0])
def test_a_float_is_the_decimal_it_spells(factor):
    def by(k):
        return turning(lambda ring, q: 50 * q[0] + k * ring.sincos(q[1])[0]).equations("numbers")

    same = by(Fraction(repr(float(factor))))
    assert all(by(factor)[name] == same[name] for name in ("D11", "D12", "D22"))


def test_ranges_hold_what_floats_add():
    system = turning(lambda ring, q: 0.3 * ring.sincos(q[1] + q[2])[0])
    q = np.random.default_rng(2).uniform(system.lower, system.upper, (500, 3))
    found = system.analysis().range_of("D22")
    values = system.mass_matrix(q)[:, 1, 1]
    assert found.lower <= values.min() + 1e-12
    assert values.max() <= found.upper + 1e-12
    assert found.certified


@pytest.mark.parametrize(
    ("position", "reason", "cause"),
    [
        (lambda ring, q: ring.divide(q[0], 2), r"ring\.divide", AttributeError),
        (lambda ring, q: q[0] * ring.sincos(q[1])[0], "a joint angle itself stands in it", TypeError),
        (lambda ring, q: ring.sincos(0.5 * q[1])[0], "no sum of whole multiples of joint angles", TypeError),
        (lambda ring, q: ring.sincos((LARGEST_MULTIPLE + 1) * q[1])[0], "9 times the angle of joint 2", TypeError),
        (lambda ring, q: q[1] / 2, "unsupported operand", TypeError),
    ],
)
def test_what_has_no_closed_form_is_refused_with_its_reason(position, reason, cause):
    with pytest.raises(ArmError, match=reason) as told:
        turning(position).equations("numbers")
    assert isinstance(told.value.__cause__, cause)


def test_no_warning_comes_with_floats():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        carrying(circle(ANGLES["one"], np.float64(0.1))).equations("numbers")
