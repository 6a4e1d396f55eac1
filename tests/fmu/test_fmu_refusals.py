"""What an FMU refuses with a sentence: parameters, steps and kept states that give no motion; never OK with NaN."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import POINTER, c_double
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException

import dalembert as da
from dalembert.arm.errors import ArmError
from fmu_importer import Imported, imported

ENTRIES = ("xx", "xy", "xz", "yy", "yz", "zz")
VERSIONS = pytest.mark.parametrize("version", ["2.0", "3.0"])


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """FMUs of an arm under voltages, by their version."""
    folder = tmp_path_factory.mktemp("fmus")
    paths = {version: folder / f"{version[0]}.fmu" for version in ("2.0", "3.0")}
    for version, path in paths.items():
        da.load("irb6").driven.write_fmu(path, input="voltage", version=version)
    return paths


@pytest.fixture
def fmu(written: dict[str, Path], version: str, tmp_path: Path) -> Iterator[Imported]:
    """One for co-simulation."""
    with imported(written[version], False, tmp_path / "x") as made:
        yield made


def said(capfd: pytest.CaptureFixture[str], call: Any, *arguments: Any, status: str = "error") -> str:
    """The sentence with which an FMU refuses a call."""
    capfd.readouterr()
    with pytest.raises(FMICallException, match=status):
        call(*arguments)
    return capfd.readouterr().out


@VERSIONS
@pytest.mark.parametrize("exchange", [False, True], ids=["steps", "exchange"])
def test_inductance_of_a_current_that_is_a_state_is_above_zero(
    written: dict[str, Path], version: str, exchange: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with imported(written[version], exchange, tmp_path / "x") as made:
        text = said(capfd, made.initialise, {"voltage.motor1": 8.0, "motor.motor1.inductance": 0.0})
        assert "motor.motor1.inductance is not above zero" in text
        assert "write the FMU from a system whose motors have no inductance" in text
        if not exchange:
            assert "before initialisation has ended" in said(capfd, made.fmu.doStep, 0.0, 0.01)


@VERSIONS
@pytest.mark.parametrize(
    ("parameters", "jump", "why"),
    [
        ({"motor.motor1.inductance": 3e-308}, {"voltage.motor1": 8.0}, "cannot be integrated"),
        ({}, {"voltage.motor1": np.nan}, "an input is not finite"),
    ],
    ids=["rates", "inputs"],
)
def test_a_step_that_is_not_finite_is_an_error(
    fmu: Imported, parameters: Any, jump: Any, why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    fmu.initialise(parameters)
    fmu.fmu.doStep(0.0, 0.01)
    assert np.isfinite(fmu.get(*fmu.named("q."), *fmu.named("current."))).all()
    fmu.set(jump)
    assert why in said(capfd, fmu.fmu.doStep, 0.01, 0.01)


@VERSIONS
def test_steps_follow_each_other_in_time(fmu: Imported, capfd: pytest.CaptureFixture[str]) -> None:
    fmu.initialise({"voltage.motor1": 8.0})
    fmu.fmu.doStep(0.0, 0.01)
    before = fmu.get("time", *fmu.named("q."))
    for start, step, why in (
        (5.0, 0.01, "begins at another time"),
        (0.0, 0.01, "begins at another time"),
        (0.01, np.nan, "not finite"),
        (0.01, np.inf, "not finite"),
        (np.nan, 0.01, "not finite"),
        (0.01, -0.01, "back in time"),
    ):
        assert why in said(capfd, fmu.fmu.doStep, start, step), (start, step)
    assert (fmu.get("time", *fmu.named("q.")) == before).all()
    fmu.fmu.doStep(0.01, 0.0)
    fmu.fmu.doStep(0.01 + 1e-14, 0.01)
    assert abs(fmu.get("time")[0] - 0.02) < 1e-12


@VERSIONS
def test_model_exchange_takes_no_time_and_no_state_that_is_not_finite(
    written: dict[str, Path], version: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with imported(written[version], True, tmp_path / "x") as made:
        start = made.fmu.enterInitializationMode if made.three else made.fmu.setupExperiment
        assert "start time is not finite" in said(capfd, lambda: start(startTime=np.inf))
        made.initialise({"voltage.motor1": 8.0})
        size = len(made.description.derivatives)
        states = np.linspace(0.01, 0.1, size)
        given = states.ctypes.data_as(POINTER(c_double))
        made.fmu.setContinuousStates(given, size)
        before = made.get("time", *made.named("q."), *made.named("current."))
        for bad in (np.nan, np.inf):
            assert "time is not finite" in said(capfd, made.fmu.setTime, bad)
            states[-1] = bad
            text = said(capfd, made.fmu.setContinuousStates, given, size, status="discard")
            assert "a state is not finite" in text
        assert (made.get("time", *made.named("q."), *made.named("current.")) == before).all()


@pytest.mark.parametrize(
    ("kind", "inductance", "constants"),
    [
        ("current", 1e-3, ["torque_constant", "largest_current"]),
        ("voltage", 0.0, ["torque_constant", "speed_constant", "resistance", "supply", "largest_current"]),
        (
            "voltage",
            1e-2,
            ["torque_constant", "speed_constant", "resistance", "inductance", "supply", "largest_current"],
        ),
    ],
    ids=["current", "steady voltage", "voltage"],
)
def test_every_constant_of_a_motor_that_can_be_set_changes_the_motion(
    kind: str, inductance: float, constants: list[str], tmp_path: Path
) -> None:
    """So a current that is no state has no inductance to set: it would change nothing, without a word."""
    motor = da.Motor(torque_constant=0.2, resistance=1.5, inductance=inductance, supply=24.0, largest_current=12.0)
    arm = da.Arm.from_dh([{"a": 0.3, "mass": 1.0, "com": (-0.1, 0, 0)}], name="one")
    drives = da.DriveTrain([da.Actuator.of("motor1", {"joint1": 10}, rotor=da.Rotor(1e-4), motor=motor)])
    path = tmp_path / "arm.fmu"
    arm.with_drives(drives).write_fmu(path, input=kind)
    with imported(path, False, tmp_path / "x") as made:
        names = [name for name in made.by_name if name.startswith("motor.") and name != "motor.motor1"]
        assert [name.rpartition(".")[2] for name in names] == constants
        push = made.named("current_input." if kind == "current" else "voltage.")[0]
        ends = []
        for name in (None, *names):
            made.fmu.reset()
            small = name is not None and name.endswith(("supply", "largest_current"))
            changed = {} if name is None else {name: 1.0 if small else 2 * float(made.get(name)[0])}
            made.initialise({push: 8.0, **changed})
            made.fmu.doStep(0.0, 0.05)
            ends.append(made.get(*made.named("q."), *made.named("qd.")))
        assert all(np.abs(end - ends[0]).max() > 1e-4 for end in ends[1:])


def loads() -> list[tuple[float, list[float]]]:
    """Mass, and xx, xy, xz, yy, yz, zz: with and without mass, at the edge of what can be, on either side of it."""
    edge = [[0, 0, 0, 1, 0, 1], [0.7, 0, 0, 0.1, 0, 0.8], [0.1, 0, 0, 0.2, 0, 0.3], [1, 1, 0, 1, 0, 2], [1] + [0] * 5]
    found = [(m, row) for m in (0.0, 1.0) for row in (*edge, [5] + [0] * 5, [-1] + [0] * 5, [0] * 6)]
    rng = np.random.default_rng(3)
    for _ in range(40):
        moments, products = rng.uniform(0.4, 1.0, 3), 0.35 * rng.uniform(-1, 1, 3)
        row = [moments[0], products[0], products[1], moments[1], products[2], moments[2]]
        found.append((float(rng.choice([-1, 0, 1, 2])), [round(float(x), 3) for x in row]))
    return found


@VERSIONS
def test_a_load_is_refused_where_python_refuses_it(fmu: Imported, capfd: pytest.CaptureFixture[str]) -> None:
    refused = 0
    for mass, row in loads():
        fmu.fmu.reset()
        values = {"load.mass": mass} | {f"load.inertia.{name}": x for name, x in zip(ENTRIES, row, strict=True)}
        try:
            da.Load(mass, inertia=dict(zip(ENTRIES, row, strict=True)))
        except ArmError:
            refused += 1
            assert "load." in said(capfd, fmu.initialise, values), (mass, row)
        else:
            fmu.initialise(values)
    assert 15 < refused < len(loads()) - 15


@VERSIONS
def test_a_state_of_other_bytes_is_refused(fmu: Imported, version: str, capfd: pytest.CaptureFixture[str]) -> None:
    fmu.initialise({"voltage.motor1": 8.0})
    fmu.fmu.doStep(0.0, 0.01)
    own, three = fmu.fmu, version == "3.0"
    kept = own.getFMUState() if three else own.getFMUstate()
    whole = own.serializeFMUState(kept) if three else own.serializeFMUstate(kept)
    back = own.deserializeFMUState if three else own.deSerializeFMUstate
    turned = bytes([whole[0] ^ 1]) + whole[1:]
    for other in (b"\xff" * len(whole), bytes(len(whole)), turned, whole[:-8], b""):
        assert "no state of this model" in said(capfd, back, other)
    before = fmu.get(*fmu.named("q."))
    own.doStep(0.01, 0.01)
    after = fmu.get(*fmu.named("q."))
    again = back(whole)
    (own.setFMUState if three else own.setFMUstate)(again)
    assert (fmu.get(*fmu.named("q.")) == before).all()
    own.doStep(0.01, 0.01)
    assert (fmu.get(*fmu.named("q.")) == after).all()
    for state in (kept, again):
        (own.freeFMUState if three else own.freeFMUstate)(state)
