"""Arrays come in whole: nothing that a caller says of an entry is dropped."""

from __future__ import annotations

import os
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.array_input import real_array
from dalembert.arm.errors import ArmError

ARM = da.load("planar-2r", physical="ignore")
MASKED = np.ma.masked_array([[0.1, 0.2], [0.3, 0.4]], mask=[[False, True], [False, False]])
ZERO = np.zeros(2)


def masked_calls() -> dict[str, object]:
    return {
        "inverse_dynamics": lambda: ARM.inverse_dynamics(MASKED, ZERO, ZERO),
        "forward_dynamics": lambda: ARM.forward_dynamics(ZERO, MASKED, ZERO),
        "mass_matrix": lambda: ARM.mass_matrix(MASKED),
        "kinetic_energy": lambda: ARM.kinetic_energy(ZERO, MASKED),
        "forward_kinematics": lambda: ARM.forward_kinematics(MASKED),
        "simulate": lambda: ARM.simulate(ZERO, MASKED[0]),
        "control": lambda: ARM.simulate(MASKED[0], ZERO),
        "times": lambda: ARM.simulate(ZERO, ZERO, times=MASKED[0]),
        "compile": lambda: ARM.compile("inverse_dynamics")(MASKED, ZERO, ZERO),
        "simulate_many": lambda: ARM.simulate_many(ZERO, MASKED, duration=0.01),
        "motion_of": lambda: da.motion_of(ARM, (MASKED, MASKED, MASKED)),
        "equations": lambda: ARM.equations("numbers").gravity[0](MASKED),
        "linearize": lambda: ARM.linear_model(MASKED[0]) if hasattr(ARM, "linear_model") else real_array("q", MASKED),
    }


@pytest.mark.parametrize("name", masked_calls())
def test_masked_entries_are_refused(name: str) -> None:
    with pytest.raises(ArmError, match="masked in 1 place"):
        masked_calls()[name]()  # type: ignore[operator]


def test_an_array_without_masked_entries_is_one_of_numbers() -> None:
    np.testing.assert_array_equal(ARM.mass_matrix(np.ma.masked_array([0.1, 0.2])), ARM.mass_matrix([0.1, 0.2]))


@pytest.mark.parametrize("values", [[1j, 0], np.array([1 + 1j, 0]), ["1", "2"], [None, 1], [[1], [1, 2]], object()])
def test_what_is_no_real_number_is_refused(values: object) -> None:
    with pytest.raises(ArmError, match="q must be numbers"):
        real_array("q", values)  # type: ignore[arg-type]


def test_exact_numbers_are_taken_as_floats() -> None:
    np.testing.assert_array_equal(real_array("q", [Fraction(1, 4), Decimal("0.5"), 2]), [0.25, 0.5, 2.0])
    with pytest.raises(ArmError, match="too large for floats"):
        real_array("q", [Fraction(10**400)])


def test_masks_are_not_asked_for_where_nobody_made_any() -> None:
    # numpy.ma takes as long to import as the first answer of an arm
    text = """
import sys, numpy
before = "numpy.ma" in sys.modules
import dalembert as da
da.load("planar-2r", physical="ignore").inverse_dynamics([0, 1], [0, 1], [1, 0])
assert ("numpy.ma" in sys.modules) == before
"""
    subprocess.run([sys.executable, "-c", text], check=True, env={**os.environ, "DALEMBERT_COMPILE": "0"})
