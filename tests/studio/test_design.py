"""Designs of the studio: the system is the arm with these numbers, and every step has a way back."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.studio.design import Design, History

ARM = da.load("puma560", physical="ignore")
Q = np.array([0.2, -0.5, 0.7, 0.1, 0.4, -0.3])


def test_a_payload_on_a_slider_is_the_arm_that_holds_it() -> None:
    design = Design(ARM).with_value("load.mass", 2.5)
    assert np.allclose(design.system.gravity_load(Q), ARM.holding(da.Load(mass=2.5)).gravity_load(Q))


def test_gravity_on_a_slider_is_the_arm_under_that_gravity() -> None:
    design = Design(ARM).with_value("gravity.z", -1.62)
    assert np.allclose(design.system.gravity_load(Q), ARM.with_gravity((0, 0, "-1.62")).gravity_load(Q), rtol=1e-13)


def test_drives_that_count_are_those_of_the_arm() -> None:
    qd, qdd = np.full(6, 0.3), np.full(6, 0.5)
    design = Design(ARM).with_drives(True)
    assert np.allclose(design.system.inverse_dynamics(Q, qd, qdd), ARM.driven.inverse_dynamics(Q, qd, qdd))
    assert any(name.startswith("motor.") for name in design.numbers)


def test_a_number_set_back_is_no_change() -> None:
    design = Design(ARM).with_value("load.mass", 2.0).with_value("load.mass", 0.0)
    assert design == Design(ARM)
    assert design.change_lines() == []


@pytest.mark.parametrize(("name", "value"), [("load.mass", -1.0), ("load.mass", np.nan), ("no.such", 1.0)])
def test_what_cannot_be_is_refused(name: str, value: float) -> None:
    with pytest.raises(da.ArmError):
        Design(ARM).with_value(name, value)


def test_undo_and_redo_lead_back_and_forth() -> None:
    first = Design(ARM)
    second, third = first.with_value("load.mass", 1.0), first.with_value("load.mass", 2.0)
    history = History(first)
    assert history.set(second)
    assert not history.set(second)
    assert history.undo()
    assert history.now == first
    assert history.redo()
    assert history.now == second
    assert history.undo()
    assert history.set(third)
    assert not history.redo()
    assert history.undo()
    assert not history.undo()


def test_moves_of_one_slider_are_one_step_until_it_rests() -> None:
    moment = 0.0
    history = History(Design(ARM), lambda: moment)
    for mass in (1.0, 1.5, 2.0):
        moment += 0.1
        history.set(history.now.with_value("load.mass", mass))
    moment += 0.1
    history.set(history.now.with_value("gravity.z", -1.62))
    moment += 5.0
    history.set(history.now.with_value("gravity.z", -3.7))
    seen = [history.now.change_lines()]
    while history.undo():
        seen.append(history.now.change_lines())
    assert [len(lines) for lines in seen] == [2, 2, 1, 0]
    assert seen[1][1].endswith("-1.62 m/s^2")
    assert seen[2] == ["load.mass: 0 -> 2 kg"]


def test_designs_of_the_past_keep_their_numbers_alone() -> None:
    history = History(Design(ARM))
    history.set(history.now.with_value("load.mass", 1.0))
    assert history.now.system.n == 6
    history.set(history.now.with_drives(True))
    history.undo()
    assert "system" not in vars(history.now)
