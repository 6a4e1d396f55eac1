"""Studies of mechanisms: numbers of the chains by name, and the same answers as of a mechanism written that way."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.studies.design_numbers import with_numbers
from dalembert.studies.evaluator import DesignEvaluator
from dalembert.studies.factors import FactorSet

FILE = Path("examples/mechanisms/five_bar.toml")
MOTION = da.quintic([[2.018, 1.093], [2.3, 0.9]], 0.5)
FACTORS = {"left.link.coupler.mass": (0.5, 0.7), "right.length.a2": (0.48, 0.52), "gravity.y": (-9.81, -1.6)}


@pytest.fixture(scope="module")
def found():
    return da.study(da.load_mechanism(FILE), FACTORS, ["peak_torque", "energy"], motion=MOTION, samples=3, seed=2)


def test_a_design_has_the_torques_of_the_file_with_these_numbers(found, tmp_path):
    """The text of the file changed by hand, read again: another way to the same mechanism."""
    head, right = FILE.read_text().split("[chain.right]")
    t = np.linspace(0, 0.5, 501)
    for design, answer in zip(found.designs, found.values, strict=True):
        mass, length, pull = (repr(float(x)) for x in design)
        text = head.replace("mass = 0.6", f"mass = {mass}").replace("-9.81", pull)
        file = tmp_path / "changed.toml"
        file.write_text(text + "[chain.right]" + right.replace("a = 0.5", f"a = {length}"))
        system = da.load_mechanism(file).as_system()
        tau = system.inverse_dynamics(MOTION.position(t), MOTION.velocity(t), MOTION.acceleration(t))
        np.testing.assert_allclose(answer[:2], np.abs(tau).max(axis=0), rtol=1e-9)


def test_limits_of_its_joints_are_factors_of_a_cycle_time(tmp_path):
    """Without weight a path at a quarter of the torques takes twice the time."""
    limit = "dh = {a = 0.3}\nlimits = {effort = 8, velocity = 50}"
    (tmp_path / "limited.toml").write_text(FILE.read_text().replace("dh = {a = 0.3}", limit).replace("-9.81", "0"))
    bar = da.load_mechanism(tmp_path / "limited.toml")
    factors = {f"{side}.joint.joint1.effort": {"values": [2.0, 8.0]} for side in ("left", "right")}
    times = da.study(bar, factors, ["cycle_time"], motion=MOTION, design="grid").values[:, 0]
    assert times[0] == pytest.approx(2 * times[3])
    assert max(times[1:3]) == pytest.approx(times[0])  # one of the joints needs more than the other
    assert min(times[1:3]) < times[0]


def test_motors_end_the_pace_of_a_mechanism_as_its_requirements_say():
    bar = da.load_mechanism(FILE)
    motor = da.Motor(torque_constant=0.05, resistance=0.8, supply=24.0, largest_current=9.0)
    motors = tuple(
        da.Actuator.of(side, {f"{side}.joint1": 40}, da.Rotor(inertia="1e-4"), motor=motor)
        for side in ("left", "right")
    )
    system = bar._with(drives=motors, home=bar.home).as_system(motors=True)
    factors = {"left.link.coupler.mass": {"values": (0.6, 4.0)}, "motor.left.supply": {"values": (8.0, 24.0)}}
    found = da.study(system, factors, ["cycle_time"], motion=MOTION, design="grid")
    assert len(set(np.round(found.values[:, 0], 9))) > 2
    for design, (time,) in zip(found.designs, found.values, strict=True):
        changed = with_numbers(system, dict(zip(factors, map(float, design), strict=True)))
        points = MOTION.position([0.0, 0.5])
        uses = da.requirements(changed, da.quintic(points, time), 501).uses
        assert next(use for use in uses if "position" not in use.what).share == pytest.approx(1, abs=1e-6)


def test_columns_have_the_names_and_units_of_the_coordinates(found):
    assert [name for name, _ in found.outputs] == ["peak_torque.left.joint1", "peak_torque.right.joint1", "energy"]
    assert [unit for _, unit in found.outputs] == ["N m", "N m", "J"]
    assert not any(found.failures)


def test_a_study_of_a_mechanism_can_be_sent_to_other_processes(found):
    factors = FactorSet(da.load_mechanism(FILE), found.factors)
    motion = da.motion_of(factors.system, MOTION)
    own = DesignEvaluator(factors, (da.Output("peak_torque"),), motion)
    sent = pickle.loads(pickle.dumps(own))
    np.testing.assert_array_equal(sent.evaluate(found.designs).values, found.values[:, :2])


def test_a_design_that_cannot_be_closed_keeps_the_reason():
    answer = da.study(
        da.load_mechanism(FILE), {"left.length.a1": {"values": [0.3, 2.0]}}, ["peak_torque"], motion=MOTION,
        design="grid", samples=2,
    )  # fmt: skip
    assert np.isfinite(answer.values).all(axis=1).tolist() == [True, False]
    assert answer.failures[0] == ""
    assert "peak_torque" in answer.failures[1]


@pytest.mark.parametrize(
    ("outputs", "factors", "said"),
    [
        (["range"], FACTORS, "is one of arms"),
        (["peak_motor_torque"], FACTORS, "motors=True"),
        (["peak_torque"], {"left.link.crank.weight": (0, 1)}, "there is no number"),
        (["peak_torque"], {"link.crank.mass": (0, 1)}, "there is no number"),
    ],
)
def test_what_a_mechanism_has_not_is_refused(outputs, factors, said):
    with pytest.raises(da.ArmError, match=said):
        da.study(da.load_mechanism(FILE), factors, outputs, motion=MOTION, samples=2)


def test_numbers_of_a_mechanism_are_listed_chain_by_chain():
    known = da.design_numbers(da.load_mechanism(FILE))
    assert float(known["left.link.coupler.mass"].value) == 0.6
    assert float(known["gravity.y"].value) == -9.81
    assert "left.gravity.y" not in known


def test_a_motor_of_the_mechanism_itself_has_no_coulomb_friction_to_vary():
    """A motor between chains has viscous friction alone, so that its numbers can all be factors of one study."""
    bar = da.load_mechanism(FILE)
    motors = [da.Actuator.of(side, {f"{side}.joint1": 20}, rotor=da.Rotor(1e-4)) for side in ("left", "right")]
    driven = da.Mechanism(
        bar.parts.chains, bar.parts.closures, ["left.joint1", "right.joint1"], bases=bar.parts.bases,
        gravity=bar.parts.gravity, home=bar.home, drives=motors, name="driven",
    )  # fmt: skip
    own = [name for name in da.design_numbers(driven) if name.startswith("motor.left.")]
    assert own == ["motor.left.ratio.left.joint1", "motor.left.inertia", "motor.left.viscous"]
    ends = dict.fromkeys(own, (0.1, 0.2))
    assert not any(da.study(driven, ends, ["peak_torque"], motion=MOTION, samples=2).failures)
