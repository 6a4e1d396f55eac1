"""Friction that depends on speed: one law in numbers, kernels, slopes, linear models, at rest and in simulation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.arm import friction_models
from dalembert.arm.errors import ArmError
from dalembert.compile import build
from dalembert.linear.symbolic import symbolic_linear

SLIDER = """
name = "slider"
gravity = [0, 0, 0]
[[joints]]
name = "rail"
type = "prismatic"
link = {{name = "block", mass = 1.0}}
[[drives.joint_friction]]
joint = "rail"
coulomb = {coulomb}
starting = {starting}
viscous = {viscous}
{model}
"""
STRIBECK = 'model = {name = "stribeck", speed = 0.05}'


def slider(tmp_path, coulomb=1.0, starting=2.0, viscous=0.3, model=STRIBECK):
    path = tmp_path / "slider.toml"
    path.write_text(SLIDER.format(coulomb=coulomb, starting=starting, viscous=viscous, model=model))
    return da.load(path).driven


def hess_and_soom(s, moving=(1.0, 1.0), start=2.0, viscous=0.3, v=0.05):
    """F(s) = sgn s (F_moving + (F_start - F_moving) / (1 + (s/v)^2)) + b s, written out."""
    level = np.where(s > 0, moving[0], moving[1])
    return np.sign(s) * (level + (start - level) / (1 + (s / v) ** 2)) + viscous * s


@pytest.fixture
def rubbing():
    """puma560 with both kinds of friction models, at motors and joints, backward other than forward."""
    arm = da.load("puma560")
    frictions = [
        da.Friction.of((f.moving[0], f.moving[1] or 0.1), 2.5 * max(*f.moving, 0.1), f.viscous, model)
        for f, model in zip(
            (a.friction for a in arm.drives.actuators),
            (da.Stribeck(3.0), da.Coulomb(), da.Stribeck(5.0), da.Stribeck(3.0), da.Coulomb(), da.Stribeck(1.0)),
            strict=True,
        )
    ]
    actuators = tuple(replace(a, friction=f) for a, f in zip(arm.drives.actuators, frictions, strict=True))
    joint = (("joint3", da.Friction.of((2.0, 1.0), 4.0, 0.5, da.Stribeck(0.1))),)
    return arm.with_drives(replace(arm.drives, actuators=actuators, joint_friction=joint))


def states(system, count=20):
    rng = np.random.default_rng(3)
    return rng.uniform(-1, 1, (3, count, system.n))


def test_the_force_is_the_law_written_out(tmp_path):
    system = slider(tmp_path, coulomb=[1.0, 1.5])
    s = np.linspace(-1, 1, 41)
    found = system.inverse_dynamics(np.zeros((41, 1)), s[:, None], np.zeros((41, 1)))[:, 0]
    np.testing.assert_allclose(found, hess_and_soom(s, (1.0, 1.5)), rtol=1e-14, atol=1e-14)


def test_a_very_fast_stribeck_speed_keeps_starting_friction_and_a_very_slow_one_is_coulomb_friction(tmp_path):
    q, s = np.zeros(1), np.array([0.2])
    always = slider(tmp_path, model='model = {name = "stribeck", speed = 1e9}').inverse_dynamics(q, s, q)
    never = slider(tmp_path, model='model = {name = "stribeck", speed = 1e-9}').inverse_dynamics(q, s, q)
    plain = slider(tmp_path, model="").inverse_dynamics(q, s, q)
    np.testing.assert_allclose(always, 2.0 + 0.3 * 0.2, rtol=1e-14)
    np.testing.assert_allclose(never, plain, rtol=1e-14)


def test_numbers_kernels_and_friction_torques_agree(rubbing, monkeypatch):
    q, qd, qdd = states(rubbing)
    plain = rubbing.frictionless().inverse_dynamics(q, qd, qdd)
    numbers = rubbing.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(plain + rubbing.friction_torque(q, qd), numbers, rtol=1e-12, atol=1e-12)
    monkeypatch.delenv(build.SWITCH, raising=False)
    kernel = rubbing.compile("inverse_dynamics")
    assert kernel.compiled
    np.testing.assert_allclose(kernel(q, qd, qdd), numbers, rtol=1e-12, atol=1e-12)
    assert np.abs(rubbing.friction_torque(q, qd)).min(axis=0)[2] > 0


def test_the_contacts_of_a_simulation_bear_the_friction_of_the_numbers(rubbing):
    """Also where a joint and its motor, which runs the other way, rub as one."""
    assert rubbing.ratios[2, 2] < 0
    assert rubbing.contacts[2].name == "joint3"
    for q, qd in zip(*states(rubbing)[:2], strict=True):
        rows = rubbing.contact_rows(q)
        speeds = rows @ qd
        forces = [c.sliding(np.sign(s), s) for c, s in zip(rubbing.contacts, speeds, strict=True)]
        braked = rubbing.friction_torque(q, qd) - rubbing.viscous_matrix(q) @ qd
        np.testing.assert_allclose(rows.T @ forces, -braked, rtol=1e-12, atol=1e-12)


def test_forward_dynamics_undoes_inverse_dynamics_moving_and_starting(rubbing):
    q, qd, qdd = states(rubbing)
    for speed in (qd, np.zeros_like(qd)):
        found = rubbing.forward_dynamics(q, speed, rubbing.inverse_dynamics(q, speed, qdd))
        np.testing.assert_allclose(found, qdd, rtol=1e-9, atol=1e-9)


def test_slopes_are_those_of_differences(rubbing):
    """Friction that falls with speed is a negative damping, and belongs into the derivatives and the linear model."""
    q, qd, qdd = (x[0] for x in states(rubbing))
    h, n = 1e-6, rubbing.n
    differences = np.array(
        [rubbing.inverse_dynamics(q, qd + h * e, qdd) - rubbing.inverse_dynamics(q, qd - h * e, qdd) for e in np.eye(n)]
    ).T / (2 * h)
    _, to_qd, _ = rubbing.inverse_dynamics_derivatives(q, qd, qdd)
    scale = np.abs(differences).max()
    np.testing.assert_allclose(to_qd, differences, atol=1e-8 * scale)
    smooth = rubbing.motor_friction
    speeds = rubbing.ratios @ qd
    rise = (smooth.smooth(speeds + h, 0.5) - smooth.smooth(speeds - h, 0.5)) / (2 * h)
    np.testing.assert_allclose(smooth.smooth_slope(speeds, 0.5), rise, rtol=1e-6, atol=1e-9)


def test_stick_and_slip_of_a_pulled_block_is_that_of_an_own_integration(tmp_path):
    """A block is pulled by a spring whose end moves slowly: it sticks, slips and sticks again."""
    stiffness, pull = 40.0, 0.1
    system = slider(tmp_path)
    motion = system.simulate(
        lambda t, q, qd: stiffness * (pull * t - q), [0.0], None, 3.0, samples=31, rtol=1e-10, atol=1e-12
    )
    kinds = [event.kind for event in motion.events]
    assert kinds[:3] == ["slips", "sticks", "slips"]

    def slide(t, x):
        return [x[1], stiffness * (pull * t - x[0]) - hess_and_soom(x[1])]

    def stops(t, x):
        return x[1]

    stops.terminal, stops.direction = True, -1
    t, place, times, places = 0.0, 0.0, [0.0], [0.0]
    while t < 3.0:
        release = (2.0 / stiffness + place) / pull  # the spring then pulls as hard as starting friction holds
        times += [release]
        places += [place]
        # off rest, where the law is what it is just above zero speed
        run = solve_ivp(
            slide, (release, 4.0), [place, 1e-13], "Radau", events=stops, rtol=1e-10, atol=1e-13, max_step=4e-3
        )
        times += run.t[1:].tolist()
        places += run.y[0][1:].tolist()
        t, place = float(run.t[-1]), float(run.y[0][-1])
    np.testing.assert_allclose(motion.q[:, 0], np.interp(motion.t, times, places), atol=3e-6)


def test_a_simulation_accounts_for_the_energy_that_friction_takes(rubbing, monkeypatch):
    monkeypatch.delenv(build.SWITCH, raising=False)
    rng = np.random.default_rng(5)
    motion = rubbing.simulate(
        rng.uniform(-0.2, 0.2, 6), rng.uniform(-1, 1, 6), rng.uniform(-1, 1, 6), 0.3, rtol=1e-9, atol=1e-11
    )
    assert motion.lost[-1] > 0.1
    assert np.abs(motion.balance).max() < 1e-6 * motion.lost[-1]


def test_a_file_brings_the_model_back(rubbing, tmp_path):
    path = tmp_path / "again.toml"
    path.write_text(rubbing.arm.write_toml())
    again = da.load(path).driven
    assert again.drives.actuators == rubbing.drives.actuators
    assert again.drives.joint_friction == rubbing.drives.joint_friction


@pytest.mark.parametrize(
    ("model", "starting", "sentence"),
    [
        ('model = {name = "stribek", speed = 1}', 2.0, "no friction model 'stribek'; there are coulomb, stribeck"),
        ('model = {name = "stribeck"}', 2.0, "speed is missing"),
        ('model = {name = "stribeck", speed = 0}', 2.0, "the Stribeck speed is 0; give a speed above zero"),
        ('model = {name = "stribeck", speed = 1}', 1.0, "give starting friction above the moving"),
        ('model = {name = "coulomb", speed = 1}', 2.0, "the friction model 'coulomb' has no 'speed'"),
    ],
)
def test_a_model_that_makes_no_sense_is_refused(tmp_path, model, starting, sentence):
    with pytest.raises(ArmError, match=sentence):
        slider(tmp_path, starting=starting, model=model)


def test_a_symbolic_linear_model_refuses_what_depends_on_speed(tmp_path):
    with pytest.raises(ArmError, match="depends on the speed"):
        symbolic_linear(slider(tmp_path, viscous=0.0).equations())


@dataclass(frozen=True)
class Steep:
    """A model of one's own: w(s) = 1 / (1 + (s/v)^4)."""

    at: float
    name: ClassVar[str] = "steep"
    varies: ClassVar[bool] = True

    def weight(self, field: Any, speed: Any) -> Any:
        ratio = speed * field.number(1 / friction_models.stribeck.exact(self.at))
        square = ratio * ratio
        return field.divide(field.number(friction_models.stribeck.Fraction(1)), square * square + 1)

    def check(self, where: str) -> None:
        pass


def test_a_newcomers_model_is_a_class_and_a_line_of_the_table(tmp_path, monkeypatch):
    monkeypatch.setitem(friction_models.FRICTION_MODELS, "steep", Steep)
    system = slider(tmp_path, model='model = {name = "steep", at = 0.1}')
    s = np.array([[0.07], [0.2]])
    wanted = 1 + 1 / (1 + (s / 0.1) ** 4) + 0.3 * s
    np.testing.assert_allclose(system.inverse_dynamics(0 * s, s, 0 * s), wanted, rtol=1e-14)
    motion = system.simulate([0.0], [0.0], [0.3], 0.5)
    assert [event.kind for event in motion.events] == ["sticks"]
