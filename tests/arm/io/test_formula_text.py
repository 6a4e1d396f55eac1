"""Formulas of files: read as arithmetic, bounded, never executed."""

from __future__ import annotations

import contextlib
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.arm.errors import ArmError
from dalembert.arm.io.formula_text import LONGEST, MOST, WIDEST, read_formula, width
from dalembert.rings.dual import Duals, slope_of
from dalembert.rings.real import REAL

JOINTS = ("joint1", "joint2", "slide 3")
Q = [0.3, -0.7, 0.45]
A, B, C = Q

VALUES = {
    "2": 2.0,
    "-joint1": -A,
    "1/3": 1 / 3,
    "2*joint1 - joint2/4": 2 * A - B / 4,
    "1 - 2 - 3": -4.0,
    "8/2/2": 2.0,
    "2 + 3*'slide 3'": 2 + 3 * C,
    "-(joint1 - 2)*(joint2 + 1.5e-1)": -(A - 2) * (B + 0.15),
    "sin(joint1)*cos(joint2)": math.sin(A) * math.cos(B),
    "sin(2*joint1 - 3*joint2 + pi/6)": math.sin(2 * A - 3 * B + math.pi / 6),
    "cos(-joint2 - 0.4)": math.cos(-B - 0.4),
    "cos(joint1/2)": math.cos(A / 2),
    "sin(joint1*joint2)": math.sin(A * B),
    "cos(pi/3 + 0.1)": math.cos(math.pi / 3 + 0.1),
    "sqrt(0.25 + joint1*joint1)": math.sqrt(0.25 + A * A),
    "joint1/(2 + cos(joint2))": A / (2 + math.cos(B)),
    "pi*pi": math.pi**2,
    "+-+1": -1.0,
}


@pytest.mark.parametrize("text", VALUES)
def test_a_formula_is_the_arithmetic_it_spells(text: str) -> None:
    assert float(read_formula(text, JOINTS, "x")(REAL, Q)) == pytest.approx(VALUES[text], rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("text", VALUES)
def test_its_derivatives_are_exact(text: str) -> None:
    formula, duals, step = read_formula(text, JOINTS, "x"), Duals(REAL), 1e-6
    found = formula(duals, [duals.variable(x, k) for k, x in enumerate(Q)])
    for k in range(3):
        ahead, behind = (formula(REAL, [x + s * (j == k) for j, x in enumerate(Q)]) for s in (step, -step))
        assert float(slope_of(found, k)) == pytest.approx(float(ahead - behind) / (2 * step), abs=1e-8)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("joint1 +", "ends too early"),
        ("joint3", "'joint3' is no joint that moves"),
        ("joint 1", "'joint' is no joint"),
        ("(joint1", "not closed"),
        ("joint1)", "no place there"),
        ("sin joint1", "in brackets"),
        ("joint1/0", "divides by zero"),
        ("1e31", "beyond 1e30"),
        ("joint1**2", "no place there"),
        ("joint1.real", "no meaning here"),
        ("__import__('os')", "'__import__' is no joint"),
        ("exp(joint1)", "'exp' is no joint"),
        ("(" * 21 + "1" + ")" * 21, "nested more than 20 deep"),
        ("1+" * MOST + "1", f"more than {MOST} terms"),
        ("1" * (LONGEST + 1), f"longer than {LONGEST}"),
        ("*".join(["(1 + joint1)"] * 11), f"more than {WIDEST} products"),
        ("sin(8*joint1 + 8*joint2)", f"more than {WIDEST} products"),
    ],
)
def test_what_is_no_formula_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(ArmError, match=r"file.toml: turns: .* is not a formula: ") as caught:
        read_formula(text, JOINTS, "file.toml: turns")
    assert why in str(caught.value)


@given(st.text(alphabet="joint12 sincosqrtp.+-*/()'e", max_size=80))
def test_any_text_is_a_formula_or_an_error_at_once(text: str) -> None:
    start = time.process_time()
    with contextlib.suppress(ArmError):
        read_formula(text, JOINTS, "x")
    assert time.process_time() - start < 1


def test_only_a_number_or_a_text_is_a_formula() -> None:
    for value in (True, None, ["joint1"], {"a": 1}):
        with pytest.raises(ArmError, match="must be a formula"):
            read_formula(value, JOINTS, "x")
    assert read_formula(3, JOINTS, "x")(REAL, Q) == 3


@pytest.mark.parametrize(
    ("text", "products"),
    [
        ("joint1", 1),
        ("2*joint1 + 3", 2),
        ("(joint1 + 1)*(joint2 - 1)", 4),
        ("sin(joint1 + joint2)", 2),
        ("cos(joint1)*cos(joint2) - sin(joint1)*sin(joint2)", 2),
        ("sqrt(1 - sin(joint1)*sin(joint1))", 2),
        ("joint1*(1 + joint1*(1 + joint1*(1 + joint1)))", 4),
    ],
)
def test_the_width_of_a_formula_is_that_of_the_formula_multiplied_out(text: str, products: int) -> None:
    assert width(read_formula(text, JOINTS, "x").term) == products
