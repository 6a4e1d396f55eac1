"""A named length or angle is one number: wherever it stands it is the same, and nothing else has its name."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.description_numbers import with_numbers
from dalembert.arm.errors import ArmError
from dalembert.arm.placement import Placement, rotate, translate

ARM = """
name = "bent"
gravity = [2, -9.81, 1]
[[joints]]
type = "revolute"
before = [{{translate = "x", by = 0.3, name = "{first}"}}, {{rotate = "x", by = "0.4", name = "bend"}}]
link = {{mass = 1, com = [0.1, 0, 0.2]}}
[[joints]]
type = "revolute"
before = [{{rotate = "x", by = "-0.4", name = "-bend"}}, {{translate = "y", by = {length}, name = "{second}"}}]
after = [{{translate = "x", by = -0.3, name = "-reach"}}, {{rotate = "y", by = "-0.4", name = "-bend"}}]
link = {{mass = 1.5, com = [0.1, 0.2, 0]}}
"""


def arm(first: str = "reach", second: str = "reach", length: float = 0.3) -> da.Arm:
    return da.load(ARM.format(first=first, second=second, length=length), physical="ignore")


@pytest.mark.parametrize("name", ["inverse_dynamics", "gravity_load", "mass_matrix"])
def test_a_number_that_is_changed_changes_wherever_its_name_stands(name: str) -> None:
    bent = arm()
    kernel = bent.compile(name, parameters="all")
    assert kernel.parameter_names[-2:] == ("reach", "bend")
    state = [np.array([0.3, -0.7])] * (len(kernel.arguments) - 1)
    np.testing.assert_allclose(kernel(*state), getattr(bent, name)(*state), rtol=1e-13)
    values = kernel.default_parameters.copy()
    values[-2:] = 0.55, -1.1
    other = with_numbers(bent, {"length.reach": 0.55, "angle.bend": -1.1})
    np.testing.assert_allclose(kernel(*state, values), getattr(other, name)(*state), rtol=1e-12)
    exact = bent.equations("full lengths")
    np.testing.assert_allclose(exact.gravity[1](state[0]), bent.gravity_load(state[0])[1], rtol=1e-13)


def test_two_numbers_of_one_name_are_no_parameter() -> None:
    bent = arm(length=0.5)
    with pytest.raises(ArmError, match="two lengths or angles that differ are named 'reach'"):
        bent.compile("gravity_load", parameters="all")
    with pytest.raises(ArmError, match="two lengths or angles that differ are named 'reach'"):
        with_numbers(bent, {"length.reach": 0.7})
    mechanism = da.Mechanism({"arm": bent}, (), name="open")
    with pytest.raises(ArmError, match="two lengths or angles that differ are named 'reach'"):
        mechanism.sensitivity([0, 0], [0, 0], [0, 0], ["arm.reach"])


@pytest.mark.parametrize("name", ["m1", "Ixy2", "mL", "gx"])
def test_a_length_is_not_another_parameter(name: str) -> None:
    bent = arm(second=name)
    for kind in ("all", "inertial", "load"):
        with pytest.raises(ArmError, match=f"named '{name}', which is another parameter"):
            bent.compile("gravity_load", parameters=kind)
    assert np.isfinite(bent.gravity_load([0, 0])).all()


def test_the_inverse_of_an_inverse_has_the_names_it_began_with() -> None:
    placement = Placement.of(translate("x", "0.3", "a"), rotate("y", "0.2", "-b"), translate("z", 2))
    assert placement.inverse().inverse() == placement
    assert [step.name for step in placement.inverse().steps] == ["", "b", "-a"]
