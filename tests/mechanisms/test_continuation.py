"""Positions keep to the assembly mode they start from, wherever they are asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery
from dalembert.mechanisms.continuation import same_side

ROD = {"mass": 1.0, "com": (-0.1, 0, 0), "inertia": (0, 0.01, 0.01)}


def parallelogram(kind: str) -> da.Mechanism:
    arms = {
        "a": da.Arm.from_dh([{"a": 0.3, **ROD}, {"a": 0.6, **ROD}], name="a"),
        "b": da.Arm.from_dh([{"a": 0.3, **ROD}], name="b"),
    }
    return da.Mechanism(
        arms,
        [da.Closure("pin", "a", "b", kind)],
        ["a.joint1"],
        bases={"b": gallery.at(0.6)},
        home=[1.0, -1.0, 1.0],
        gravity=(0, 0, 0),
    )


def test_positions_far_from_the_guess_are_those_that_a_path_leads_to() -> None:
    """Newton from the guess alone takes another mode in about one case of fourteen here."""
    bar = gallery.five_bar()
    system = bar.as_system()
    start = bar.coordinates_of(bar.home)
    targets = start + np.random.default_rng(0).uniform(-1.5, 1.5, (60, 2))
    led = np.array([bar.follow(np.linspace(start, q, 12))[-1] for q in targets])
    np.testing.assert_allclose(bar.position(targets), led, atol=1e-9)
    np.testing.assert_allclose([system.joints(q) for q in targets], led, atol=1e-9)


@pytest.mark.parametrize("kind", ["pin", "spherical", "revolute"])
def test_a_path_through_a_change_point_is_refused_redundant_constraints_or_not(kind: str) -> None:
    bar = parallelogram(kind)
    with pytest.raises(da.ArmError, match=r"meets a singular configuration between points .* near a.joint1 = 3.1416"):
        bar.follow(np.linspace(1.0, 5.9, 15)[:, None])
    with pytest.raises(da.ArmError, match=r"a.joint1 = 4 in the assembly mode of the guess.*singular"):
        bar.position([4.0])
    with pytest.raises(da.ArmError, match=r"in the assembly mode of the guess"):
        bar.position([np.pi + 0.05], bar.position([np.pi - 0.05]))
    beyond = bar.closed_near([4.0, -4.0, 4.0])
    np.testing.assert_allclose(bar.position([4.1], beyond), [4.1, -4.1, 4.1], atol=1e-12)


def test_sides_of_tables_are_the_signs_of_their_determinants() -> None:
    rng = np.random.default_rng(1)
    g, other = rng.normal(size=(2, 50, 4, 4))
    np.testing.assert_array_equal(same_side(g, other), np.sign(np.linalg.det(g) * np.linalg.det(other)))
    tall: Any = np.concatenate([g, np.zeros((50, 2, 4))], axis=1)
    more: Any = np.concatenate([other, rng.normal(size=(50, 2, 4))], axis=1)
    np.testing.assert_array_equal(same_side(tall, more), same_side(g, other))
