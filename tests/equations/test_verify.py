"""The verifier: reads what papers and people write, judges exactly, refuses the rest."""

from __future__ import annotations

import contextlib
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalembert as da
from dalembert.arm.errors import LONGEST_SENTENCE, ArmError
from dalembert.equations.closed_form import Equations
from dalembert.equations.formula import read
from dalembert.equations.verify import verify

ARM = da.load("puma560-arm")
EQ = Equations(ARM, "symbols")
UNKNOWN = ["m_{" + "".join(random.Random(k).choices("gm2345", k=95)) + "}" for k in range(590)]
"""Names that nearly are symbols written together."""


@pytest.mark.parametrize(
    "same",
    [
        "sin(q2 + q3)", "s23", "S_{23}", r"s(\theta_2 + \theta_3)", r"\sin(\theta_2+\theta_3)", "s2*c3 + c2*s3", "s₂₃",
        r"s\theta_2 c\theta_3 + c\theta_2 s\theta_3", "sin(q2)*cos(q3) + cos(q2)*sin(q3)", r"s\theta_{23}",
    ],
)  # fmt: skip
def test_the_same_sine_in_many_hands(same: str) -> None:
    assert read(same, EQ.space) == read("s23", EQ.space)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"s^2\theta_2", "1 - cos(q2)**2"),
        (r"\sin^2 \theta_2 + \cos^{2}\theta_2", "1"),
        (r"\frac{1}{2} m_3 a_2", "m3*a2/2"),
        (r"\left[ m_3 \cdot (a_2 + a_3)^2 \right]", "m3*a2^2 + 2*m3*a2*a3 + m3*a3^2"),
        ("2m_3 a_2 c_3", "m3*a2*c3 + a2*m3*cos(q3)"),
        ("sin(2*q2)", "2 s2 c2"),
        ("I_{3zz} + I_{zz3}", "2*Izz3"),
        ("-(-m3)", "m3"),
        ("m3*-a2", "-m3*a2"),
        ("1.5e-1 m3", "3/20*m3"),
        (r"\mathit{mx}_3 g", "g*mx3"),
        ("gm_3", "g m3"),
    ],
)
def test_two_spellings_of_one_polynomial(one: str, other: str) -> None:
    assert read(one, EQ.space) == read(other, EQ.space)


def test_verdicts_carry_the_difference() -> None:
    good = EQ.check("D33", "m3*a3^2 + 2*mx3*a3 + Iyy3")
    bad = EQ.check("D33", "m3*a3^2 + 2*mx3*a3")
    assert good
    assert not bad
    assert bad.difference.text() == "-Iyy₃"
    assert "exceeds" in str(bad)


def test_the_style_of_the_parameters_is_found_out() -> None:
    assert verify(ARM, "D33 = m3*((a3 + x3)^2 + z3^2) + Cyy3")
    assert verify(da.load("jpl-rrp"), r"D_{66} = m_6 k_{633}^2")
    assert verify(da.load("planar-2r"), "D12 = 1/3 + c2/2")


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("D33 = foo3 + m3", "foo3"),
        ("D33 = m3*(a3", "not closed"),
        ("D33 = m3/a3", "divide"),
        ("D33 = m3^(1/2)", "power|not closed"),
        ("D33 = m3^99", "largest"),
        ("D33 = __import__('os')", "not understood"),
        ("D33 = m3 @ a3", "not understood"),
        (r"D33 = \int m3", "int"),
        ("D33", "equals sign"),
        ("D44 = m3", "no coefficient"),
        ("D33 = " + "(" * 500 + "m3" + ")" * 500, "nested"),
        ("D33 = " + "m3+" * 30000 + "m3", "characters"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(formula: str, said: str) -> None:
    with pytest.raises(da.ArmError, match=said):
        verify(ARM, formula)


def test_growth_is_bounded() -> None:
    huge = "*".join(["(m2+m3+mx2+mx3+my2+mz2+Ixx2+Ixx3+Iyy2+Iyy3+Izz2+Izz3+a2+a3+g)^6"] * 3)
    with pytest.raises(da.ArmError, match="grows"):
        read(huge, EQ.space)


def test_a_radius_of_gyration_needs_its_square() -> None:
    equations = Equations(da.load("jpl-rrp"), "gyration+lengths")
    with pytest.raises(da.ArmError, match="square"):
        equations.check("D66", "m6*k633")


def test_the_sine_of_a_boom_is_refused() -> None:
    with pytest.raises(da.ArmError, match="prismatic"):
        read("sin(q3)", Equations(da.load("jpl-rrp")).space)


@given(st.text(alphabet="mac3_{}()^*+-/\\ θ₂.\\sin", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(da.ArmError):
        read(text, EQ.space)


@pytest.mark.parametrize("name", ["K", "V", "tau1", "tau3"])
def test_energies_and_torques_are_checked_too(name: str) -> None:
    equations = Equations(da.load("planar-3r"))
    exact = equations[name]
    for printed in (exact.text(digits=None), exact.latex(digits=None), str(exact.sympy()), exact.python()):
        assert equations.check(name, printed)
    assert not equations.check(name, exact.text(digits=None) + " + m1")


@pytest.mark.parametrize("speed", [r"\dot{\theta}_1^2", r"\dot\theta_{1}^2", r"\dot{q}_1^{2}", "qd1**2", "q\u0307₁²"])
def test_speeds_in_many_hands(speed: str) -> None:
    equations = Equations(da.load("planar-2r"))
    assert read(speed, equations.moving_space) == read("qd1*qd1", equations.moving_space)


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("(" * 8 + "9" + "^12)" * 8, "grows beyond 14000 bits|more than 4200 digits"),
        ("1e-400" + "*1e-400" * 8000, "grows beyond 14000 bits|more than 4200 digits"),
        ("s" + "9" * 20_000, "a name of 20001 characters"),
        ("g" * 900, "symbols the equations do not have"),
        ("sin" + "(" * 2000, "nested more than 100 deep"),
        ("m1^" + "9" * 5000, "is above 12, the largest that is read"),
        ("q" + "9" * 5000, "characters|symbols"),
        ("9" * 5000, "more than 1000 digits"),
        ("1e99999999999999999999", "must be a number within"),
        ("(m2 + s2 + c3 + Izz2)^12 (m3 + s3)^9", "terms together when multiplied out|grows beyond"),
        ("s_{" + "2," * 400 + "3}", "symbols the equations do not have|more than is read"),
        ("+".join(UNKNOWN), "symbols the equations do not have"),
    ],
)
def test_no_formula_takes_work_without_end(formula: str, said: str) -> None:
    began = time.process_time()
    with pytest.raises(ArmError, match=said) as fault:
        verify(ARM, f"D11 = {formula}", "symbols")
    assert time.process_time() - began < 3
    assert len(str(fault.value)) <= LONGEST_SENTENCE


@pytest.mark.parametrize("name", ["G0,0,0", "G" + "1" * 5000, "U" + "9" * 5000, "D²²", "tau²", "D1,2,3,4", "G1,2"])
def test_a_name_of_no_coefficient_is_refused(name: str) -> None:
    with pytest.raises(ArmError, match="there is no coefficient"):
        verify(ARM, f"{name} = 1", "symbols")


def test_symbols_written_together_are_split_as_the_shortest_ones_first() -> None:
    assert read("gm3", EQ.space) == read("g*m3", EQ.space)
    assert read("m2s2c3", EQ.space) == read("m2*s2*c3", EQ.space)
    assert read("g" * 12, EQ.space) == read("g^12", EQ.space)


def test_numbers_beyond_floats_are_printed() -> None:
    assert "1.00000e+400" in str(verify(da.load("planar-2r"), "G1 = 1e400"))
