"""The inertia that a motor feels, the other motors held or free."""

import numpy as np
import pytest

import dalembert as da
from dalembert.drives.effective_inertia import effective_inertia, inertia_range, motor_mass_matrix


@pytest.fixture(params=("puma560", "jpl-rrp", "irb6"))
def driven(request: pytest.FixtureRequest) -> da.DrivenArm:
    return da.load(request.param, physical="ignore").driven


def test_held_it_is_twice_the_energy_at_unit_speed_and_free_the_torque_over_the_acceleration(driven) -> None:
    plain = driven.frictionless().with_gravity((0, 0, 0))
    for q in np.random.default_rng(1).uniform(-1, 1, (4, driven.n)):
        held, free = effective_inertia(driven, q), effective_inertia(driven, q, "free")
        for motor, unit in enumerate(np.eye(driven.n)):
            qd = np.linalg.solve(driven.transmission(q), unit)
            assert held[motor] == pytest.approx(2 * driven.kinetic_energy(q, qd), rel=1e-10)
            rate = driven.transmission(q) @ plain.direct_dynamics(q, np.zeros(driven.n), unit)
            assert free[motor] == pytest.approx(1 / rate[motor], rel=1e-9)


def test_effective_inertia_lies_between_free_and_held_and_within_its_range(driven) -> None:
    q = np.random.default_rng(0).uniform(-1, 1, (50, driven.n))
    held, free = effective_inertia(driven, q), effective_inertia(driven, q, "free")
    assert (free <= held * (1 + 1e-12)).all()
    assert (free > 0).all()
    bounds = np.full(driven.n, -1.0), np.full(driven.n, 1.0)
    limits = inertia_range(driven, *bounds, samples=60)
    assert (limits.least <= held.min(axis=0) * (1 + 1e-9)).all()
    assert (limits.greatest >= held.max(axis=0) * (1 - 1e-9)).all()
    at = effective_inertia(driven, limits.at_greatest)
    assert np.diagonal(at) == pytest.approx(limits.greatest)
    assert np.diagonal(effective_inertia(driven, limits.at_least)) == pytest.approx(limits.least)
    matrix = motor_mass_matrix(driven, q[0])
    assert matrix == pytest.approx(matrix.T)


def test_nothing_near_the_ends_of_the_range_lies_beyond_them(driven) -> None:
    """The ends are found by descent, not only among random configurations."""
    low, high = np.full(driven.n, -1.0), np.full(driven.n, 1.0)
    limits = inertia_range(driven, low, high, samples=20)
    for motor in range(driven.n):
        for end, place, way in (
            (limits.least[motor], limits.at_least[motor], -1),
            (limits.greatest[motor], limits.at_greatest[motor], 1),
        ):
            for step in (1e-2, -1e-2):
                near = np.clip(place + step * np.eye(driven.n), low, high)
                values = effective_inertia(driven, near)[:, motor]
                assert (way * (values - end) <= 1e-4 * end).all()


def test_rotors_keep_a_floor_under_the_effective_inertia(driven) -> None:
    """Szkodny's argument for high ratios: links change it little where N^2 J is large."""
    q = np.random.default_rng(2).uniform(-1, 1, (20, driven.n))
    bare = driven.approximate("szkodny")
    own = np.array([float(actuator.rotor.inertia) for actuator in driven.drives.actuators])
    assert (effective_inertia(bare, q) >= own).all()


def test_other_motors_are_held_or_free_and_nothing_else(driven) -> None:
    for asked in (lambda: driven.effective_inertia(np.zeros(driven.n), "loose"), lambda: driven.inertia_range("loose")):
        with pytest.raises(da.ArmError, match="no way 'loose' for the other motors; they are held, free"):
            asked()
