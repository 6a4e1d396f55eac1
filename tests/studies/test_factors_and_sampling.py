"""Factors and designs: quantiles of distributions, the same designs for the same seed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.studies.factors import Factor, FactorSet
from dalembert.studies.sampling import DESIGNS, designs_of

SHARES = np.linspace(0.01, 0.99, 25)


@pytest.mark.parametrize(
    ("factor", "right"),
    [
        (Factor("x", 2, 5), stats.uniform(2, 3)),
        (Factor("x", mean=1, sd=0.5), stats.norm(1, 0.5)),
        (Factor("x", 0.5, 2, mean=1, sd=0.5), stats.truncnorm(-1, 2, 1, 0.5)),
        (Factor("x", 0, 4, mean=1, distribution="triangular"), stats.triang(0.25, 0, 4)),
    ],
)
def test_values_of_a_factor_are_the_quantiles_of_its_distribution(factor: Factor, right: object) -> None:
    np.testing.assert_allclose(factor.of_shares(SHARES), right.ppf(SHARES), rtol=1e-12)  # type: ignore[attr-defined]


@pytest.mark.parametrize("sd", [0.1, 0.3, 1.0, 7.0])
def test_no_rounding_carries_a_quantile_past_an_end(sd: float) -> None:
    """A mass of -2e-16 kg would be refused where zero is the least."""
    for factor in (
        Factor("x", 0, 2, mean=1, sd=sd),
        Factor("x", 0.1, 0.7),
        Factor("x", 0.1, 0.7, mean=0.3, distribution="triangular"),
    ):
        ends = factor.of_shares(np.array([0.0, 1e-17, 1 - 1e-16, 1.0]))
        assert (ends >= factor.low).all()
        assert (ends <= factor.high).all()


@pytest.mark.parametrize("design", DESIGNS)
def test_designs_follow_from_the_seed_and_stay_between_the_ends(design: str) -> None:
    factors = (Factor("a", 0, 1), Factor("b", values=(1, 2, 3)), Factor("c", -1, 1))
    first, again, other = (designs_of(factors, design, 8, seed) for seed in (3, 3, 4))
    assert np.array_equal(first, again)
    assert design == "grid" or not np.array_equal(first, other)
    assert set(first[:, 1]) <= {1.0, 2.0, 3.0}
    assert (first[:, 0] >= 0).all()
    assert (np.abs(first[:, 2]) <= 1).all()


def test_a_grid_has_all_combinations() -> None:
    found = designs_of((Factor("a", 0, 1), Factor("b", values=(5, 7))), "grid", 3, 0)
    assert [tuple(row) for row in found] == [(0, 5), (0, 7), (0.5, 5), (0.5, 7), (1, 5), (1, 7)]


def test_rows_of_a_saltelli_design_exchange_one_factor_each() -> None:
    factors = tuple(Factor(x, 0, 1) for x in "abc")
    a, b, *mixed = designs_of(factors, "saltelli", 16, 1).reshape(5, 16, 3)
    for k, rows in enumerate(mixed):
        assert np.array_equal(rows[:, k], b[:, k])
        others = [j for j in range(3) if j != k]
        assert np.array_equal(rows[:, others], a[:, others])


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"low": 2, "high": 1}, "must be below"),
        ({"low": 0}, "give low and high"),
        ({"mean": 1, "sd": 0}, "sd above zero"),
        ({"mean": 0, "sd": 0.1, "low": 2}, "hardly any"),
        ({"values": (1, 2), "low": 0}, "stand in place of"),
        ({"low": float("nan"), "high": 1}, "finite"),
        ({"low": 0, "high": 1, "distribution": "cauchy"}, "no distribution"),
        ({"low": 0, "high": 1, "mean": 0.5}, "a uniform distribution has no mean"),
        ({"low": 0, "high": 1, "sd": 0.1, "distribution": "uniform"}, "a uniform distribution has no sd"),
        (
            {"low": 0, "high": 1, "mean": 0.5, "sd": 0.1, "distribution": "triangular"},
            "triangular distribution has no sd",
        ),
        ({"values": (1, 2), "distribution": "normal"}, "taken all alike"),
        ({"low": 0, "high": 1, "numbers": ("a", "b")}, "relative"),
    ],
)
def test_a_factor_that_makes_no_sense_is_refused(fields: dict, said: str) -> None:
    with pytest.raises(ArmError, match=said):
        Factor("link.link2.mass", **fields)


def test_two_factors_cannot_set_one_number_and_shares_of_zero_are_refused() -> None:
    arm = da.load("puma560", physical="ignore")
    with pytest.raises(ArmError, match="two factors set"):
        FactorSet(
            arm, (Factor("m", 0.9, 1.1, numbers=("link.link2.mass",), relative=True), Factor("link.link2.mass", 1, 2))
        )
    with pytest.raises(ArmError, match="is zero now"):
        FactorSet(arm, (Factor("load.mass", 0.9, 1.1, relative=True),))
    with pytest.raises(ArmError, match="no 'foo'"):
        da.study(arm, {"load.mass": {"foo": 1}}, ["peak_gravity"])
    with pytest.raises(ArmError, match="seed"):
        designs_of((Factor("a", 0, 1),), "sobol", 4, -1)
    with pytest.raises(ArmError, match="powers of two"):
        designs_of((Factor("a", 0, 1),), "sobol", 100, 0)
    with pytest.raises(ArmError, match="is more than"):
        designs_of(tuple(Factor(str(k), 0, 1) for k in range(30)), "grid", 10, 0)


def test_bodies_that_drives_move_are_real_and_links_are_as_they_are_given(tmp_path: Path) -> None:
    def circle(ring: Any, q: Any) -> Any:
        sin, cos = ring.sincos(q[0])
        return ((1, 0, 0), (0, 1, 0), (0, 0, 1)), (0.1 * cos, 0.1 * sin, 0)

    rod = da.Element("rod", body=da.MovingBody(da.Inertia.of(2, inertia=(0.01, 0.01, 0.01)), circle))
    arm = da.load("planar-2r").with_drives(da.DriveTrain(elements=[rod]))
    designs = np.array([[0.019, 0.001], [0.021, 0.001], [0.01, 0.011]])
    names = "element.rod.body.inertia.xx", "element.rod.body.inertia.xy"
    found = FactorSet(arm, tuple(Factor(name, 0, 1) for name in names)).faults(designs)
    assert [bool(x) for x in found] == [False, True, True]
    assert "no body" in found[1]
    text = da.load("planar-2r").write_toml().replace("link1", "load")
    (tmp_path / "named.toml").write_text(text)
    named = da.load(tmp_path / "named.toml")
    inertia = FactorSet(named, (Factor("link.load.inertia.zz", 0, 1),))
    assert inertia.faults(np.array([[0.5]])) == [""]
