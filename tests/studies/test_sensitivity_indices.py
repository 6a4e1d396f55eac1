"""Sensitivities against closed forms, SciPy and brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.studies import undominated
from dalembert.studies.sampling import designs_of
from dalembert.studies.study_result import StudyResult
from dalembert.studies.study_tables import budget_table
from dalembert.studies.undominated import on_front


def result(function: Any, factors: tuple[da.Factor, ...], design: str, samples: int, seed: int = 0) -> StudyResult:
    designs = designs_of(factors, design, samples, seed)
    values = function(designs.T)[:, None]
    units, good = ("",) * len(factors), ("",) * len(designs)
    return StudyResult("test", factors, units, (("y", ""),), designs, values, good, design, samples, seed)


def ishigami(x: Any) -> Any:
    """Ishigami and Homma 1990, whose indices are known."""
    return np.sin(x[0]) + 7 * np.sin(x[1]) ** 2 + 0.1 * x[2] ** 4 * np.sin(x[0])


CUBE = tuple(da.Factor(name, -np.pi, np.pi) for name in "abc")


def test_sobol_indices_of_the_ishigami_function_are_the_known_ones() -> None:
    found = {row.factor: row for row in result(ishigami, CUBE, "saltelli", 2**12).sobol("y")}
    for name, first, total in (("a", 0.3139, 0.5576), ("b", 0.4424, 0.4424), ("c", 0.0, 0.2437)):
        row = found[name]
        assert row.first == pytest.approx(first, abs=0.03)
        assert row.total == pytest.approx(total, abs=0.03)
        assert row.first_low <= row.first <= row.first_high
        assert row.total_low <= total <= row.total_high or abs(row.total - total) < 0.01


def test_sobol_indices_are_those_of_scipy_from_the_same_samples() -> None:
    study = result(ishigami, CUBE, "saltelli", 256)
    values = study.values.reshape(5, -1)
    right = stats.sobol_indices(func={"f_A": values[:1], "f_B": values[1:2], "f_AB": values[2:, None]}, n=256)
    found = {row.factor: row for row in study.sobol("y", 10)}
    np.testing.assert_allclose([found[x].first for x in "abc"], right.first_order.ravel(), atol=1e-12)
    np.testing.assert_allclose([found[x].total for x in "abc"], right.total_order.ravel(), atol=1e-12)


@pytest.mark.parametrize("walks", [1, 2, 20])
def test_effects_of_morris_of_a_linear_function_are_its_slopes_over_the_ranges(walks: int) -> None:
    factors = (da.Factor("a", 0, 2), da.Factor("b", -1, 1), da.Factor("c", 5, 6))
    found = {row.factor: row for row in result(lambda x: 3 * x[0] - x[1], factors, "morris", walks).morris("y")}
    assert found["a"].mean == pytest.approx(3 * 2)
    assert found["b"].mean == pytest.approx(-2)
    assert found["b"].largest == pytest.approx(2)
    assert found["c"].largest == pytest.approx(0, abs=1e-12)
    assert found["a"].spread == pytest.approx(0, abs=1e-12)
    curved = {row.factor: row for row in result(lambda x: x[0] * x[1], factors, "morris", 20).morris("y")}
    assert curved["a"].spread > 0.5


def test_a_budget_shares_the_variance_of_a_linear_function_as_its_terms_do() -> None:
    factors = (da.Factor("a", mean=0, sd=0.1), da.Factor("b", mean=0, sd=0.3))
    found = result(lambda x: 2 * x[0] + x[1] + 5, factors, "sobol", 2**12).budget("y", allowed=0.18)
    shares = {row.factor: row for row in found.shares}
    assert shares["a"].share == pytest.approx(0.04 / 0.13, rel=0.01)
    assert shares["b"].share == pytest.approx(0.09 / 0.13, rel=0.01)
    assert found.linear == pytest.approx(1, abs=1e-3)
    assert found.scale == pytest.approx(0.18 / np.sqrt(0.13), rel=0.01)
    assert shares["b"].allowed == pytest.approx(0.3 * found.scale, rel=0.01)


def test_tolerances_that_are_allowed_keep_the_spread_that_is_allowed_where_a_line_does_not_explain_it() -> None:
    def curved(x: np.ndarray) -> np.ndarray:
        return np.asarray(x[0] + 8 * x[1] ** 2)

    factors = (da.Factor("a", mean=0, sd=0.1), da.Factor("b", mean=0, sd=0.1))
    study = result(curved, factors, "sobol", 2**12)
    now = study.budget("y")
    assert now.linear < 0.6
    assert [row.allowed for row in now.shares] == pytest.approx([row.spread for row in now.shares])
    narrow = {row.factor: row.allowed for row in study.budget("y", allowed=now.spread / 2).shares}
    kept = result(curved, tuple(da.Factor(x, mean=0, sd=narrow[x]) for x in "ab"), "sobol", 2**12)
    assert kept.column("y").std() <= now.spread / 2


def test_spreads_of_designs_that_are_laid_out_are_not_told_as_those_of_the_distributions() -> None:
    """A uniform factor has the spread (b - a) / sqrt(12); its two ends alone have (b - a) / 2."""
    factors = (da.Factor("a", 0, 1), da.Factor("b", 0, 2))
    for design, samples, drawn in (
        ("sobol", 256, True),
        ("saltelli", 64, True),
        ("grid", 2, False),
        ("morris", 8, False),
    ):
        budget = result(lambda x: 3 * x[0] + x[1], factors, design, samples).budget("y")
        assert budget.drawn == drawn
        assert drawn == (budget.spread == pytest.approx(np.sqrt((9 + 4) / 12), rel=0.02))
        assert drawn != ("laid out" in budget_table(budget, {"y": "", "a": "", "b": ""}).note)
    every_value = result(lambda x: x[0], (da.Factor("a", values=(1.0, 2.0)),), "grid", 1)
    with pytest.raises(ArmError, match="too few designs"):
        every_value.budget("y")
    assert result(lambda x: x[0], (da.Factor("a", values=(1.0, 2.0, 4.0)),), "grid", 1).budget("y").drawn


def test_a_pareto_front_is_that_of_brute_force() -> None:
    rng = np.random.default_rng(0)
    factors = (da.Factor("a", 0, 1), da.Factor("b", 0, 1))
    study = result(lambda x: rng.integers(0, 5, x.shape[1]).astype(float), factors, "monte-carlo", 300)
    front = study.pareto({"y": "least", "a": "most"})
    y, a = study.column("y"), study.column("a")
    better = [(y <= y[k]) & (a >= a[k]) & ((y < y[k]) | (a > a[k])) for k in range(300)]
    right = [k for k in range(300) if not better[k].any()]
    assert front.tolist() == right


@pytest.mark.parametrize("goals", [1, 2, 3, 5])
def test_fronts_of_any_number_of_goals_are_those_of_brute_force(goals: int) -> None:
    """Random points, points with many equal goals (-0 and 0 among them), and points all of which are on the front."""
    rng = np.random.default_rng(goals)
    sphere = -np.abs(rng.normal(size=(700, goals)))
    coarse = np.round(rng.normal(size=(700, goals)))
    for costs in (rng.normal(size=(700, goals)), coarse, sphere / np.linalg.norm(sphere, axis=1)[:, None]):
        no_more = (costs[:, None] <= costs).all(axis=2) & (costs[:, None] < costs).any(axis=2)
        assert np.array_equal(on_front(costs), ~no_more.any(axis=0))
    assert on_front(np.array([[0.0] * goals, [-0.0] * goals])).all()


def test_a_front_of_all_designs_takes_no_look_at_every_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where three goals contradict each other: so many comparisons as the number of designs times some logarithms."""
    compared = []
    whole = undominated._reached

    def counted(some: np.ndarray, others: np.ndarray) -> Any:
        compared.append(len(some) + len(others))
        return whole(some, others)

    monkeypatch.setattr(undominated, "_reached", counted)
    points = -np.abs(np.random.default_rng(0).normal(size=(4000, 3)))
    assert on_front(points / np.linalg.norm(points, axis=1)[:, None]).all()
    assert sum(compared) < 4000 * 12**2


def test_a_small_goal_beside_a_large_one_still_tells_which_design_is_better() -> None:
    """1e20 + 1 and 1e20 are one float: sums of goals do not order designs."""
    study = result(lambda x: np.array([1e20, 1e20]), (da.Factor("a", values=(1.0, 0.0)),), "grid", 2)
    assert study.pareto({"y": "least", "a": "least"}).tolist() == [1]


def test_effects_that_no_walk_tells_are_refused_and_not_left_out() -> None:
    def broken(x: np.ndarray) -> np.ndarray:
        return np.where(x[1] > 0.4, np.nan, x[0])

    factors = (da.Factor("a", 0, 1), da.Factor("b", 0, 1))
    study = result(broken, factors, "morris", 20)
    with pytest.raises(ArmError, match="no walk has 'y' before and after a step of 'b'"):
        study.morris("y")


def test_indices_are_refused_of_designs_that_are_not_made_for_them() -> None:
    study = result(ishigami, CUBE, "monte-carlo", 16)
    for ask in (lambda: study.sobol("y"), lambda: study.morris("y")):
        with pytest.raises(ArmError, match="this one is 'monte-carlo'"):
            ask()
    with pytest.raises(ArmError, match="no column 'z'"):
        study.column("z")
    with pytest.raises(ArmError, match='"least" or the "most"'):
        study.pareto({"y": "small"})


def test_a_factor_of_one_value_has_no_effect_and_no_tolerance() -> None:
    arm = da.load("planar-2r")
    factors = {"load.mass": (0.0, 2.0), "link.link1.mass": {"values": [3.0]}}
    screened = da.study(arm, factors, [lambda system: float(system.mass)], design="morris", samples=4)
    effects = {effect.factor: effect for effect in screened.morris("<lambda>")}
    assert effects["link.link1.mass"].largest == 0
    assert effects["load.mass"].largest == pytest.approx(2)
    spread = da.study(arm, factors, [lambda system: float(system.mass)], samples=8).budget("<lambda>")
    assert [(share.factor, share.allowed > 0) for share in spread.shares] == [
        ("load.mass", True), ("link.link1.mass", False)
    ]  # fmt: skip
    still = da.study(arm, {"link.link1.mass": {"values": [3.0]}}, [lambda system: 1.0], samples=8).budget("<lambda>")
    assert still.shares[0].allowed == 0
