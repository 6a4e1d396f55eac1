"""Short forms as a system: their proofs attacked, energy, loads that come and go, a servo that trusts them."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import dalembert as da
from dalembert.bounds.branch import ProofError
from dalembert.reduction.states import largest, rigid_torque

CUBE = da.Load.of(da.Inertia.box(1.8, (0.0762,) * 3))


@pytest.fixture(scope="module")
def arm() -> da.DrivenArm:
    return da.load("jpl-rrp").driven


@pytest.fixture(scope="module")
def model(arm: da.DrivenArm) -> da.ShortFormModel:
    return arm.analysis(effort=0.05).short_forms(tolerance=0.05)


def exact(system: da.Arm | da.DrivenArm, name: str, q: np.ndarray) -> np.ndarray:
    i, j = int(name[1]) - 1, int(name[-1]) - 1
    return system.mass_matrix(q)[..., i, j] if name[0] == "D" else system.gravity_load(q)[..., i]


def attacked(model: da.ShortFormModel, name: str, starts: int = 2) -> float:
    """The largest error of a form against the system itself that samples and local searches from the worst find."""
    box, system = model.states.box, model.system
    q = box.samples(6_000, 17)

    def error(q: np.ndarray) -> np.ndarray:
        return np.abs(exact(model, name, q) - exact(system, name, q))  # type: ignore[arg-type]

    sampled = error(q)
    best = float(sampled.max())
    ends = list(zip(np.where(box.circle, -10, box.lower), np.where(box.circle, 10, box.upper), strict=True))
    for start in q[np.argsort(-sampled)[:starts]]:
        found = minimize(lambda x: -float(error(x)), start, bounds=ends, method="L-BFGS-B")
        best = max(best, -float(found.fun))
    return best


@pytest.mark.parametrize("load", [None, CUBE], ids=["empty", "cube"])
def test_no_sample_and_no_search_exceeds_the_proved_error_of_the_very_system(
    load: da.Load | None, model: da.ShortFormModel
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.ToleranceWarning)
        held = model.holding(load)
    for form in held.forms:
        if not form.bound > 1e-9 * form.worst.largest:
            q = held.states.box.samples(100)
            np.testing.assert_allclose(exact(held, form.name, q), exact(held.system, form.name, q), atol=1e-10)  # type: ignore[arg-type]
            continue
        worst = attacked(held, form.name)
        assert worst <= form.bound + 1e-12 * form.worst.largest, form.name
        # and the proof is not merely large
        assert form.bound <= 1.25 * worst + 1e-9 * form.worst.largest, form.name


def test_a_torque_is_never_off_by_more_than_is_proved(model: da.ShortFormModel) -> None:
    """All that is left out counts: couplings, velocity terms, and the errors of the forms."""
    right, states = rigid_torque(model.system), model.states
    short = model.frictionless()

    def error(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        return right(q, qd, qdd) - short.inverse_dynamics(q, qd, qdd)

    bounds = np.array([one.bound for one in model.torque_errors])
    found, _ = largest(error, states, seed=23)
    assert (found <= bounds).all()
    assert (found >= 0.6 * bounds).all()
    assert bounds[3] / model.torque_errors[3].scale > 0.3  # what is left out of joint 4 is not little, and is said


def test_the_mass_matrix_is_proved_positive_where_nothing_is_coupled(model: da.ShortFormModel) -> None:
    assert model.definite == "proved"
    least = np.linalg.eigvalsh(model.mass_matrix(model.states.box.samples(2000))).min()
    assert least > 0
    without = model.system.analysis(effort=0.05).short_forms(["D11", "G2"], 0.05)
    assert without.definite == "no"
    with pytest.raises(da.ArmError, match="singular here"):
        without.forward_dynamics(np.zeros(6), np.zeros(6), np.ones(6))


def test_christoffel_terms_keep_the_energy_and_none_does_not() -> None:
    """Without gravity and torque T is constant, if h comes from D itself; D qdd = 0 alone loses or makes energy."""
    arm = da.load("planar-3r").with_gravity((0, 0, 0))
    q, qd = np.array([0.2, 0.9, -0.4]), np.array([1.0, -2.0, 1.0])
    drift = {}
    for velocity in ("christoffel", "none"):
        model = arm.analysis(effort=0.1).short_forms("all", 0.1, velocity=velocity)
        assert model.form("D12").share > 0.05
        motion = da.simulate(model, np.zeros(3), q, qd, 1.0)
        drift[velocity] = float(np.abs(motion.kinetic - motion.kinetic[0]).max() / motion.kinetic[0])
    assert drift["christoffel"] < 1e-6
    assert drift["none"] > 0.05


def test_power_is_the_rate_of_kinetic_energy_where_symbols_follow_from_d(model: da.ShortFormModel) -> None:
    """dD/dt - 2C is skew: qd . (D qdd + h) = dT/dt, by finite differences of T along the motion."""
    q, qd, qdd = model.states.samples(50, 4)
    still = model.frictionless()
    power = np.einsum("bi,bi->b", qd, still.inverse_dynamics(q, qd, qdd) - still.gravity_load(q))
    step = 1e-6
    ends = [still.kinetic_energy(q + sign * step * qd, qd + sign * step * qdd) for sign in (1, -1)]
    rate = (ends[0] - ends[1]) / (2 * step)
    np.testing.assert_allclose(power, rate, atol=1e-6 * np.abs(rate).max())


def test_named_velocity_terms_are_those_and_no_others() -> None:
    arm = da.load("planar-2r")
    model = arm.analysis().short_forms(["D11", "D22", "C112"], 0.0, velocity="named")
    q, qd, _ = model.states.samples(5)
    torque = model.inverse_dynamics(q, qd, np.zeros(2)) - model.gravity_load(q)
    symbols = arm.christoffel(q)
    np.testing.assert_allclose(torque[:, 0], 2 * symbols[:, 0, 0, 1] * qd[:, 0] * qd[:, 1], atol=1e-12)
    assert not torque[:, 1].any()


def test_another_load_changes_constants_and_not_terms_and_says_where_it_is_too_much(
    arm: da.DrivenArm, model: da.ShortFormModel
) -> None:
    both = arm.analysis(effort=0.05).short_forms(["D22", "G2"], 0.05, others=[arm.holding(CUBE)])
    held = both.holding(CUBE)
    assert held.within
    for form, same in zip(held.forms, both.forms, strict=True):
        assert [term.powers for term in form.terms] == [term.powers for term in same.terms]
        assert [term.value for term in form.terms] == pytest.approx([term.loaded[0] for term in same.terms], rel=1e-14)
        assert form.errors[0].bound == pytest.approx(same.errors[1].bound, rel=0.05, abs=1e-9)
    with pytest.warns(da.ToleranceWarning, match="with 1.8 kg D11 by 14.5 percent.* more than the 5 percent"):
        heavy = model.holding(CUBE)
    assert not heavy.within
    assert heavy.form("D11").share > 0.05
    np.testing.assert_array_equal(heavy.holding(None).mass_matrix(np.zeros(6)), model.mass_matrix(np.zeros(6)))


def test_the_gains_of_the_servo_follow_short_forms_as_they_follow_the_arm(
    arm: da.DrivenArm, model: da.ShortFormModel
) -> None:
    """Bejczy 1974, section II: the velocity gain follows sqrt(D_ii), here of Table 3's forms in place of the arm."""
    path = da.quintic([np.array([0, 0.5, 0.3, 0, 0.2, 0]), np.array([0.3, 0.8, 0.5, 0.2, 0.4, 0.2])], 0.5)
    servos = [da.ServoFollowingInertia(one, path, kp=400.0) for one in (arm, model)]
    gains = [servo.velocity_gain(path.position(0.2)) for servo in servos]
    np.testing.assert_allclose(gains[1], gains[0], rtol=0.06)
    assert np.abs(gains[1] / gains[0] - 1).max() > 1e-4
    with pytest.raises(da.ArmError, match="gives joint torques"):
        arm.simulate(servos[1], path.position(0.0), None, 0.1)


def test_controllers_with_short_forms_keep_an_arm_on_its_way() -> None:
    arm = da.load("planar-2r")
    model = arm.analysis().short_forms(tolerance=0.05)
    path = da.quintic([[0.1, 0.2], [0.4, -0.3]], 1.0)
    exact, short, none = (
        np.abs(arm.simulate(law, path.position(0.0), None, 1.0, samples=3, rtol=1e-4).q[-1] - path.position(1.0)).max()
        for law in (
            da.ServoFollowingInertia(arm, path, kp=400.0), da.ServoFollowingInertia(model, path, kp=400.0), np.zeros(2),
        )
    )  # fmt: skip
    regulator, other = (da.tracking_lqr(one, path, knots=3) for one in (arm, model))
    np.testing.assert_allclose(other.gains, regulator.gains, rtol=0.5, atol=5.0)
    assert np.abs(other.gains - regulator.gains).max() > 0.1
    assert short <= 1.5 * exact + 1e-3
    assert none > 10 * short
    own = da.simulate(model, da.ComputedTorque(model, path), path.position(0.0), None, 1.0, samples=21, rtol=1e-6)
    assert np.abs(own.q - path.position(own.t)).max() < 1e-5


def test_a_short_form_model_moves_and_grips_as_a_plant() -> None:
    arm = da.load("planar-2r")
    model = arm.analysis().short_forms("all", 0.02)
    change = [da.LoadChange(0.1, da.Load(0.1))]
    long, short = (da.simulate(one, np.zeros(2), [0.3, 0.4], None, 0.2, changes=change) for one in (arm, model))
    assert np.abs(long.q - short.q).max() < 0.02
    assert np.abs(long.q[-1] - long.q[0]).max() > 0.1


def test_ranges_of_the_exact_system_hold_short_forms_but_for_their_error(model: da.ShortFormModel) -> None:
    ask = model.system.analysis(effort=0.05)
    q = model.states.box.samples(5000)
    for form in model.forms:
        found, values = ask.range_of(form.name), exact(model, form.name, q)  # type: ignore[arg-type]
        assert found.lower - form.bound <= values.min()
        assert values.max() <= found.upper + form.bound


def test_springs_and_forms_that_are_not_there_are_refused(model: da.ShortFormModel) -> None:
    with pytest.raises(da.ArmError, match="no form 'D12'; there are D11"):
        model.form("D12")
    sprung = da.load("planar-2r").with_elastic(da.JointSpring("joint1", 1.0))
    with pytest.raises(da.ArmError, match="springs"):
        sprung.analysis().short_forms()


def test_every_form_is_told_of_in_turn_and_the_torques_are_proved_once():
    told: list[tuple[str, float]] = []
    model = da.load("planar-2r").analysis().short_forms(progress=lambda text, share: told.append((text, share)))
    assert [text for text, _ in told] == [f"short form of {form.name}" for form in model.forms]
    assert [share for _, share in told] == [place / 4 for place in range(4)]
    told.clear()
    proof = model.prove_torques(lambda text, share: told.append((text, share)))
    assert told[-1] == ("proving torques", 1.0)
    assert model.proof is proof


def test_an_error_above_its_bound_is_a_fault_of_the_proof() -> None:
    """A bound that is made smaller than what a search attains is not reported as if it held."""
    model = da.load("planar-2r").analysis().short_forms(tolerance=0.2)
    proof = model.proof
    assert (np.array([one.found for one in model.torque_errors]) > 0).any()
    del model.__dict__["torque_errors"]
    model.__dict__["_proof"] = replace(proof, joints=0.5 * proof.joints)
    with pytest.raises(ProofError, match="is attained at joint 'joint"):
        _ = model.torque_errors


HANGING = """
name = "hanging"
[[joints]]
name = "a"
type = "revolute"
axis = [0, 1, 0]
link = {name = "heavy", mass = 1, com = [1, 0, 0], inertia = [1, 1, 1]}
[[joints]]
name = "b"
type = "revolute"
axis = [0, 1, 0]
xyz = [1, 0, 0]
link = {name = "light", mass = 1e-11, com = [0.3, 0, 0.1], inertia = [1e-12, 1e-12, 1e-12]}
"""


def test_a_fault_of_a_proof_is_seen_at_a_joint_that_carries_next_to_nothing(tmp_path) -> None:
    """The error of the light link is a part of 1e-11 of the other's torque, and not rounding."""
    path = tmp_path / "hanging.toml"
    path.write_text(HANGING)
    model = da.load(path).analysis().short_forms(tolerance=0.2)
    proof, errors = model.proof, model.torque_errors
    assert 0 < errors[1].found <= errors[1].bound < 1e-9 * errors[0].scale
    del model.__dict__["torque_errors"]
    model.__dict__["_proof"] = replace(proof, joints=proof.joints * np.array([1.0, 0.5]))
    with pytest.raises(ProofError, match="is attained at joint 'b'"):
        _ = model.torque_errors
