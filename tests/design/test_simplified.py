"""The simplified model of Lee, Lee and Nigam 1982, section 3: built as they say, judged against the exact torques."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.run import main
from dalembert.compile import operations as counts

PUMA = da.load("puma560", physical="ignore")


def by_hand(arm: da.Arm, q: np.ndarray, turning: list[bool]) -> tuple[np.ndarray, np.ndarray]:
    """D_s and D from the parts of unit accelerations: rotation where the outer joint turns."""
    still = np.zeros(arm.n)
    columns = [arm.parts(q, still, unit) for unit in np.eye(arm.n)]
    moved = np.stack([column.translational.inertia for column in columns], axis=-1)
    turned = np.stack([column.rotational.inertia for column in columns], axis=-1)
    outer = np.array([[turning[max(i, j)] for j in range(arm.n)] for i in range(arm.n)])
    return np.where(outer, turned, moved), moved + turned


def test_the_split_of_the_paper_is_the_one_that_the_inertias_of_the_puma_ask_for() -> None:
    model = PUMA.analysis().simplified()
    assert model.turning == ("joint4", "joint5", "joint6")
    assert PUMA.analysis().simplified(turning=[3, "joint5", "q6"]).turning == model.turning


@pytest.mark.parametrize("velocity", ["none", "translational", "rotational", "both"])
def test_torques_are_those_of_the_part_that_counts(velocity: str) -> None:
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-2, 2, (3, 5, 6))
    model = PUMA.analysis().simplified(velocity=velocity)
    inertia, _ = by_hand(PUMA, q, [False] * 3 + [True] * 3)
    parts = PUMA.parts(q, qd, qdd)
    wanted = np.einsum("bij,bj->bi", inertia, qdd) + parts.gravity
    for name in ("translational", "rotational"):
        if velocity in (name, "both"):
            wanted = wanted + getattr(parts, name).velocity
    np.testing.assert_allclose(model.inverse_dynamics(q, qd, qdd), wanted, atol=1e-12 * np.abs(wanted).max())
    np.testing.assert_allclose(model.mass_matrix(q), inertia, atol=1e-12 * np.abs(inertia).max())


def test_the_advice_of_the_paper_costs_a_quarter_of_the_torque_and_more_operations_than_the_exact_model() -> None:
    """At 2 rad/s and 5 rad/s^2: RMS errors in percent of each joint's RMS torque, H kept and H dropped."""
    ask = PUMA.analysis(speed=2, acceleration=5)
    kept, dropped = ask.simplified(velocity="both"), ask.simplified()
    np.testing.assert_allclose([100 * e.share for e in kept.errors], [25.2, 5.6, 5.7, 30.4, 23.1, 0], atol=0.6)
    np.testing.assert_allclose([100 * e.share for e in dropped.errors], [36, 7.3, 14.6, 41, 39.3, 44.3], atol=0.8)
    exact = counts.generated(PUMA, "newton-euler").total
    assert exact < dropped.operations.total < kept.operations.total < counts.generated(PUMA, "lagrange-euler").total


def test_rotors_friction_and_springs_are_left_as_they_are() -> None:
    driven = da.load("irb6").driven
    ask = driven.analysis()
    model = ask.simplified(turning=[], velocity="both")
    q, qd, qdd = (row[:4] for row in ask.states.samples(4))
    links, parts = driven.counting_drives("none"), driven.parts(q, qd, qdd)
    difference = driven.inverse_dynamics(q, qd, qdd) - model.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(difference, links.parts(q, qd, qdd).rotational.inertia, atol=1e-9)
    assert np.abs(parts.friction).max() > 1
    _, whole = by_hand(links, q, [False] * 5)
    turned = np.stack([links.parts(q, np.zeros(5), unit).rotational.inertia for unit in np.eye(5)], axis=-1)
    np.testing.assert_allclose(model.mass_matrix(q), driven.mass_matrix(q) - turned, atol=1e-9)
    np.testing.assert_allclose(whole, links.mass_matrix(q), atol=1e-12)


def test_a_part_of_h_that_there_is_not_is_refused() -> None:
    with pytest.raises(da.ArmError, match="velocity can be none, translational, rotational, both, not 'half'"):
        PUMA.analysis().simplified(velocity="half")


def test_the_command_has_the_shares_and_the_errors(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["significance", "puma560", "--no-drives", "--split", "--speed", "2", "--acceleration", "5"]
    assert main([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    ask = PUMA.analysis(speed=2, acceleration=5)
    shares = {part.name: part for part in ask.part_shares()}
    assert {row["name"]: row["share"] for row in data["shares"]} == {n: one.share for n, one in shares.items()}
    assert shares["D11"].share == pytest.approx(0.7365, abs=1e-3)
    assert shares["D44"].share < 0.05
    for row, kept in zip(data["models"], ("both", "none"), strict=True):
        model = ask.simplified(velocity=kept)
        assert [one["rms"] for one in row["errors"]] == [one.rms for one in model.errors]
        assert row["operations"] == model.operations.total
    assert main(words) == 0
    text = capsys.readouterr().out
    assert f"{ask.simplified().errors[0].rms:.5g}" in text
    assert "D66" in text
    assert max(map(len, text.splitlines())) <= 80
    assert main([*words, "--motion", "none.csv"]) == 2
