"""Singular configurations are found where geometry says they are, and told apart."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery
from dalembert.mechanisms.loop_closures import Closure
from dalembert.mechanisms.maps import compare_drives, conditioning_map
from dalembert.mechanisms.mechanism import Mechanism
from dalembert.mechanisms.singularity import nearest, report

TIP = ["x(left)", "y(left)"]


def test_five_bar_with_couplers_on_each_other_gains_a_freedom() -> None:
    """Both elbows at one point: with the cranks locked the two couplers swing about it together."""
    bar = gallery.five_bar()
    crank = np.arccos(2 / 3)  # 0.3 cos = 0.2, half the distance of the bases
    phi = np.array([crank, 1.3 - crank, np.pi - crank, 1.3 - (np.pi - crank)])
    assert np.abs(bar.closure_error(phi)).max() < 1e-12
    found = report(bar, phi, TIP)
    assert found.kinds == ("gain",)
    assert found.motion is not None
    np.testing.assert_allclose(found.motion[[0, 2]], 0, atol=1e-9)
    assert abs(found.motion[1]) == pytest.approx(abs(found.motion[3]))
    with pytest.raises(da.ArmError, match=r"left.joint1, right.joint1 do not determine.*condition number"):
        bar.model(phi)


def test_five_bar_with_a_stretched_arm_loses_a_freedom() -> None:
    """The left arm stretched: its tip cannot move along it, whatever the cranks do."""
    bar = gallery.five_bar()
    tip = 0.8 * np.array([np.cos(1.2), np.sin(1.2)])
    span = tip - [0.4, 0.0]
    reach = np.linalg.norm(span)
    elbow = np.arccos((0.3**2 + reach**2 - 0.5**2) / (2 * 0.3 * reach))
    first = np.arctan2(span[1], span[0]) - elbow
    knee = np.array([0.4, 0]) + 0.3 * np.array([np.cos(first), np.sin(first)])
    second = np.arctan2(*(tip - knee)[::-1]) - first
    phi = np.array([1.2, 0.0, first, second])
    assert np.abs(bar.closure_error(phi)).max() < 1e-12
    found = report(bar, phi, TIP)
    assert found.kinds == ("loss",)
    assert found.motion is None


def parallelogram() -> Mechanism:
    return Mechanism(
        {"a": gallery.planar((0.3, 0.6), (1, 1)), "b": gallery.planar((0.3,), (1,))},
        [Closure("pin", "a", "b", "pin")],
        ["a.joint1"],
        bases={"b": gallery.at(0.6)},
        home=[1.0, -1.0, 1.0],
        gravity=(0, 0, 0),
    )


def test_parallelogram_laid_flat_loses_a_constraint() -> None:
    bar = parallelogram()
    assert report(bar, bar.home).kinds == ()
    flat = np.zeros(3)
    assert np.abs(bar.closure_error(flat)).max() < 1e-12
    found = report(bar, flat)
    assert found.kinds == ("constraint",)
    assert bar.mobility(flat).freedom == 2
    assert bar.mobility(flat).lasting == 1


def test_nearest_singularity_of_the_four_bar_is_its_dead_centre() -> None:
    """Driven at the rocker, the four-bar stops where crank and coupler are in line: crank.joint2 = 0 or pi."""
    bar = gallery.four_bar().with_coordinates(["rocker.joint1"])
    found = nearest(bar, bar.home, tries=6)
    assert found is not None
    assert np.abs(np.sin(found.phi[1])) < 1e-6
    assert np.abs(bar.closure_error(found.phi)).max() < 1e-9
    assert report(bar, found.phi).gain < 1e-6
    # No closed configuration nearer than that is singular: between here and there the sine keeps its sign.
    path = bar.closed_near(np.linspace(bar.home, found.phi, 20)[1:-1])
    assert len(set(np.sign(np.sin(path[:, 1])))) == 1


def test_nearest_loss_of_the_five_bar_is_a_stretched_or_folded_arm() -> None:
    bar = gallery.five_bar()
    found = nearest(bar, bar.home, "loss", TIP, tries=6)
    assert found is not None
    assert min(abs(np.sin(found.phi[1])), abs(np.sin(found.phi[3]))) < 1e-5
    assert 0 < found.distance < 3


def test_conditioning_map_is_symmetric_as_the_mechanism_is() -> None:
    bar = gallery.five_bar()
    axis = np.linspace(0.9, 2.2, 14)
    found = conditioning_map(bar, [axis, np.pi - axis[::-1]], TIP)
    assert np.isfinite(found.conditioning).mean() > 0.8
    assert found.dexterity is not None
    assert np.nanmax(found.dexterity) <= 1 + 1e-12
    mirrored = found.dexterity[::-1, ::-1].T
    both = np.isfinite(found.dexterity) & np.isfinite(mirrored)
    np.testing.assert_allclose(found.dexterity[both], mirrored[both], atol=1e-9)


def test_drives_are_compared_on_one_motion() -> None:
    bar = gallery.five_bar()
    qd, qdd = np.array([0.5, -0.2]), np.array([1.0, 0.3])
    choices = [["left.joint1", "right.joint1"], ["left.joint1", "left.joint2"], ["left.joint2", "right.joint2"], TIP]
    found = compare_drives(bar, choices, bar.home, qd, qdd)
    assert [drive.conditioning for drive in found] == sorted((d.conditioning for d in found), reverse=True)
    rate, _ = bar.joint_motion(bar.home, qd, qdd)
    tip = bar.frame_influence(bar.home, "left").first[:2] @ qd
    for drive in found:
        joints = drive.coordinates != tuple(TIP)
        rates = [rate[bar.chains.joint_index(name)] for name in drive.coordinates] if joints else tip
        assert drive.torque @ rates == pytest.approx(bar.inverse_dynamics(bar.home, qd, qdd) @ qd, abs=1e-11)


def test_a_path_through_a_singularity_is_refused_with_its_place() -> None:
    bar = gallery.four_bar().with_coordinates(["rocker.joint1"])
    q = bar.coordinates_of(bar.home)
    with pytest.raises(da.ArmError, match="meets a singular configuration between points"):
        bar.follow(np.linspace(q, q - 2.5, 15))


def test_a_path_on_which_two_assembly_modes_meet_is_refused_though_it_could_be_gone_on() -> None:
    """A parallelogram laid flat can go on crossed: beyond that point the determinant has the other sign."""
    bar = parallelogram()
    q = bar.coordinates_of(bar.home)
    with pytest.raises(da.ArmError, match="meets a singular configuration between points"):
        bar.follow(np.linspace(q, -q, 12))
    before = bar.follow(np.linspace(q, 0.1 * q, 12))
    np.testing.assert_allclose(before[:, 2], before[:, 0], atol=1e-9)
