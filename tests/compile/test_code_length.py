"""How long code gets is known before it is made, so that no call waits for a compiler that never ends."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.compile import code_length
from dalembert.compile.emit_c import Program
from dalembert.compile.functions import FUNCTIONS, OF_DRIVES, function
from dalembert.systems import evaluated_arm


def chain(n: int) -> da.Arm:
    row = {"a": 0.1, "alpha": 0.3, "d": 0.05, "mass": 1, "com": (0.1, 0.02, 0.03), "inertia": (1, 2, 3)}
    return da.Arm.from_dh([row] * n, physical="ignore", name="chain")


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in OF_DRIVES])
def test_the_expected_length_is_not_below_the_real_one(name: str) -> None:
    for n in (2, 5, 9):
        arm = chain(n)
        expected, real = code_length.expected_statements(arm, name), len(Program(function(arm, name)).order)
        assert real <= 1.5 * expected, (n, real, expected)
        assert n < 9 or expected <= 6 * real, (n, real, expected)


def test_every_function_has_a_length() -> None:
    assert {*code_length.PER_JOINT, *code_length.PER_PAIR} == set(FUNCTIONS)


def test_a_chain_too_long_to_compile_is_computed_and_its_code_refused(
    monkeypatch: pytest.MonkeyPatch, compiled_kernels: None
) -> None:
    arm, state = chain(4), np.full(4, 0.3)
    right = arm.mass_matrix(state)
    monkeypatch.setattr(evaluated_arm, "MOST_UNASKED", 10)
    long = chain(4)
    np.testing.assert_allclose(long.mass_matrix(state), right, rtol=1e-13)
    monkeypatch.setattr(code_length, "MOST_ASKED", 10)
    with pytest.raises(ArmError, match="the code of mass_matrix for 4 joints would have some"):
        long.compile("mass_matrix")


def test_splits_and_closed_forms_of_very_many_joints_are_refused_before_the_work() -> None:
    arm = chain(150)
    state = np.zeros(arm.n)
    with pytest.raises(ArmError, match="grows with the cube of the joints, and 150 are too many"):
        arm.parts(state, state, state)
    with pytest.raises(ArmError, match="at most 64 joints, and 150 move"):
        arm.equations()
