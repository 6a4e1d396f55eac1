"""What is no state is refused in one sentence, whatever is asked of whatever system: public methods, by signature."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery

LEFT_OUT = {"resolve", "simulate"}
"""Of whole motions."""
OF_LINKS = {"joint_reactions", "regressor", "simulate_many"}
"""Not of arms with drives."""


@cache
def systems() -> dict[str, Any]:
    arm = da.load("puma560", physical="ignore").subarm(0, 2)
    bar = gallery.five_bar()
    chains = {}
    for name, chain in bar.parts.chains.items():  # a motor at the base of each, none at its elbow
        ratios = zip(chain.joint_names, (20, 1), strict=True)
        train = da.DriveTrain(tuple(da.Actuator.of(f"{name} {joint}", {joint: ratio}) for joint, ratio in ratios))
        chains[name] = da.Arm.of(chain).with_drives(train)
    driven_bar = bar._with(chains=chains, passive=()).driven
    return {
        "arm": arm, "driven arm": arm.driven, "reduced model": arm.driven.analysis().reduce(0.1),
        "mechanism": bar, "driven mechanism": driven_bar, "mechanism as a system": bar.as_system(),
        "mechanism with motors": driven_bar.as_system(motors=True),
    }  # fmt: skip


def methods_of_states(system: Any) -> Iterator[tuple[str, list[str]]]:
    """Public methods whose arguments without a default are all arrays: states."""
    for name, method in inspect.getmembers(type(system), inspect.isfunction):
        arguments = [x for x in list(inspect.signature(method).parameters.values())[1:] if x.default is x.empty]
        of_arrays = [x.name for x in arguments if x.annotation in ("ArrayLike", "Array")]
        left_out = LEFT_OUT | (OF_LINKS if getattr(system, "counts_drives", False) else set())
        if not name.startswith("_") and name not in left_out and of_arrays and len(arguments) == len(of_arrays):
            yield name, of_arrays


def state(system: Any, argument: str) -> np.ndarray:
    """A value of an argument: joints closed, coordinates those of closed joints."""
    if argument == "phi":
        return np.asarray(system.home)
    if argument == "q" and hasattr(system, "mechanism"):
        return np.asarray(system.mechanism.coordinates_of(system.mechanism.home))
    return np.full(system.m if argument == "rate" else system.n, 0.1)


WHICH = (
    "arm", "driven arm", "reduced model", "mechanism", "driven mechanism", "mechanism as a system",
    "mechanism with motors",
)  # fmt: skip


@pytest.mark.parametrize("which", WHICH)
def test_batches_of_three_and_two_states_are_refused_by_their_names(which: str) -> None:
    system = systems()[which]
    asked = [(name, arguments) for name, arguments in methods_of_states(system) if len(arguments) > 1]
    for name, arguments in asked:
        states = [np.tile(state(system, x), (2 if k == 1 else 3, 1)) for k, x in enumerate(arguments)]
        with pytest.raises(da.ArmError, match=r"do not broadcast.*(3, \d.*2, \d|2, \d.*3, \d)"):
            getattr(system, name)(*states)
    assert len(asked) >= 5


@pytest.mark.parametrize("bad", [np.nan, "text", 0.3, 1j], ids=str)
@pytest.mark.parametrize("which", [which for which in WHICH if which not in ("mechanism", "driven mechanism")])
def test_what_is_no_finite_number_for_each_joint_is_refused(which: str, bad: object) -> None:
    """A number for all joints is none for each; of mechanisms themselves, methods of flat batches are public, too."""
    system = systems()[which]
    for name, arguments in methods_of_states(system):
        for wrong in arguments:
            states: list[Any] = [state(system, x) for x in arguments]
            full = isinstance(bad, complex) or bad is np.nan
            states[arguments.index(wrong)] = np.full(len(state(system, wrong)), bad) if full else bad
            with pytest.raises(da.ArmError):
                getattr(system, name)(*states)
