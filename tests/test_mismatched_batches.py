"""Batches that do not go together are refused by the names of the arguments, whatever is asked of whatever system."""

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


def several_arguments(system: Any) -> Iterator[tuple[str, list[str]]]:
    """Public methods whose arguments without a default are two or more arrays: a batch of states."""
    for name, method in inspect.getmembers(type(system), inspect.isfunction):
        arguments = [x for x in list(inspect.signature(method).parameters.values())[1:] if x.default is x.empty]
        of_arrays = [x.name for x in arguments if x.annotation in ("ArrayLike", "Array")]
        left_out = LEFT_OUT | (OF_LINKS if getattr(system, "counts_drives", False) else set())
        if not name.startswith("_") and name not in left_out and len(arguments) == len(of_arrays) >= 2:
            yield name, of_arrays


WHICH = (
    "arm", "driven arm", "reduced model", "mechanism", "driven mechanism", "mechanism as a system",
    "mechanism with motors",
)  # fmt: skip


@pytest.mark.parametrize("which", WHICH)
def test_batches_of_three_and_two_states_are_refused_in_one_sentence(which: str) -> None:
    system = systems()[which]
    asked = []
    for name, arguments in several_arguments(system):
        states = []
        for index, argument in enumerate(arguments):
            width = system.m if argument in ("phi", "rate") else system.n
            start = system.home if argument == "phi" else np.full(width, 0.1)
            if which.startswith("mechanism ") and argument == "q":
                start = system.mechanism.coordinates_of(system.mechanism.home)
            states.append(np.tile(start, (2 if index == 1 else 3, 1)))
        with pytest.raises(da.ArmError, match=r"do not broadcast.*(3, \d.*2, \d|2, \d.*3, \d)"):
            getattr(system, name)(*states)
        asked.append(name)
    assert len(asked) >= 5
