"""How wrong the approximations of the drives are: measured, and measured right."""

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.drives.approximations import compare, measure


@pytest.fixture(params=("puma560", "jpl-rrp", "irb6"))
def driven(request: pytest.FixtureRequest) -> da.DrivenArm:
    return da.load(request.param, physical="ignore").driven


def states(n: int, count: int = 20) -> np.ndarray:
    return np.random.default_rng(0).uniform(-1, 1, (3, count, n))


def test_what_the_approximations_leave_out_is_measured(driven) -> None:
    found = compare(driven, np.full(driven.n, -2.0), np.full(driven.n, 2.0), samples=100)
    assert set(found) == {"szkodny", "diagonal", "paul"}
    assert measure(driven, "exact", *states(driven.n)).worst == pytest.approx(np.zeros(driven.n), abs=0)
    for error in found.values():
        assert error.rms.max() > 0
        assert "%" in str(error)
    # more terms, less error
    assert found["szkodny"].rms.max() <= found["diagonal"].rms.max() + 1e-12
    assert found["diagonal"].inertia <= found["paul"].inertia + 1e-12


@pytest.mark.parametrize("name", ["szkodny", "diagonal", "paul"])
def test_every_measure_is_what_it_says(driven, name: str) -> None:
    """From coefficients alone: D, Christoffel symbols and G of the exact and of the rough arm, friction aside."""
    q, qd, qdd = states(driven.n)
    rough = driven.approximate(name)

    def torque(system, rate):
        inertia = np.einsum("bij,bj->bi", system.mass_matrix(q), rate)
        velocity = np.einsum("bijk,bj,bk->bi", system.christoffel(q), qd, qd)
        return inertia + velocity + system.gravity_load(q)

    def rms(x):
        return np.sqrt(np.mean(x**2, axis=0))

    found = measure(driven, name, q, qd, qdd)
    right = torque(driven, qdd)
    error = torque(rough, qdd) - right
    assert found.rms == pytest.approx(rms(error), rel=1e-9)
    assert found.worst == pytest.approx(np.abs(error).max(axis=0), rel=1e-9)
    assert found.relative == pytest.approx(rms(error) / rms(right), rel=1e-9)
    still = np.zeros_like(qdd)
    assert found.velocity == pytest.approx(rms(torque(rough, still) - torque(driven, still)), rel=1e-6, abs=1e-12)
    exact, other = driven.mass_matrix(q), rough.mass_matrix(q)
    assert found.inertia == pytest.approx(np.abs(other - exact).max() / np.abs(exact).max(), rel=1e-9)
    rate = np.linalg.solve(other, (right - torque(rough, still))[..., None])[..., 0]
    assert found.acceleration == pytest.approx(rms(rate - qdd) / rms(qdd), rel=1e-8)


def test_an_unknown_approximation_is_refused_by_name(driven) -> None:
    with pytest.raises(ArmError, match=r"no approximation 'rough' of the drives; there are .*szkodny"):
        driven.approximate("rough")
    with pytest.raises(ArmError, match="an arm with drives counts them"):
        driven.approximate("none")
