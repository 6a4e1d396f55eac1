"""Closures hold the orientation that is meant, and no other: errors exact on the rotation group."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.mechanisms import gallery, position
from dalembert.mechanisms.held_turns import one_turn, three_turns, two_turns
from dalembert.mechanisms.mechanism import Mechanism

TWO_ARMS = Path(__file__).parents[2] / "examples" / "mechanisms" / "two_arms.toml"
BODY = da.Inertia.of(1, (0, 0, 0), (1, 1, 1))


def turned(mechanism: Mechanism, phi: Any, closure: int = 0) -> Any:
    """R_A^T R_B by the frames of the mechanism alone."""
    tied = mechanism.parts.closures[closure]
    assert isinstance(tied, da.Closure)
    a, b = (mechanism.frame(phi, end)[..., :3, :3] for end in (tied.a, tied.b))
    return np.swapaxes(a, -1, -2) @ b


def angles(turn: Any) -> Any:
    return np.linalg.norm(Rotation.from_matrix(turn.reshape(-1, 3, 3)).as_rotvec(), axis=1)


def planar_grip(home: Any) -> Mechanism:
    rod = {"a": 0.4, "mass": 1.0, "com": (-0.2, 0, 0), "inertia": (0, 0.0133, 0.0133)}
    arms = {name: da.Arm.from_dh([rod] * 3, name=name) for name in ("l", "r")}
    grip = da.Closure("grip", "l", "r", ("x", "y", "rz"))
    return da.Mechanism(arms, [grip], None, bases={"r": gallery.at(1.0)}, home=home, gravity=(0, 0, 0))


@pytest.mark.parametrize("errors", [three_turns, lambda r, s: two_turns(r, s, 2), lambda r, s: two_turns(r, s, 0)])
def test_slopes_of_the_errors_are_their_derivatives_and_their_size_is_the_angle(errors: Any) -> None:
    rng = np.random.default_rng(0)
    start = Rotation.from_rotvec(np.concatenate([rng.normal(size=(200, 3)), 1e-5 * rng.normal(size=(20, 3))]))
    spin = rng.normal(size=(220, 3, 4))
    value, slope = errors(start.as_matrix(), spin)
    step = 1e-6
    for k in range(4):
        ahead, behind = (
            errors((Rotation.from_rotvec(sign * step * spin[:, :, k]) * start).as_matrix(), spin)[0] for sign in (1, -1)
        )
        # Half a turn away the errors have their crease; no slope is told across it.
        smooth = np.linalg.norm(value, axis=1) < 3.0
        np.testing.assert_allclose(((ahead - behind) / (2 * step))[smooth], slope[smooth, :, k], atol=2e-6)
    assert smooth.sum() > 200
    if errors is three_turns:
        np.testing.assert_allclose(np.linalg.norm(value, axis=1), start.magnitude(), atol=1e-12)


def test_errors_see_every_orientation_that_the_equations_take_for_closed() -> None:
    """The products vanish at eight orientations, the errors at the identity alone."""
    half = [np.diag(signs) for signs in ((1, -1, -1), (-1, 1, -1), (-1, -1, 1))]
    cyclic = [
        np.diag(s) @ np.roll(np.eye(3), k, axis=0)
        for k in (1, 2)
        for s in np.ndindex(2, 2, 2)
        for s in [1 - 2 * np.array(s)]
    ]
    wrong = np.array([turn for turn in [*half, *cyclic] if np.linalg.det(turn) > 0], dtype=float)
    assert len(wrong) == 11
    spin = np.zeros((len(wrong), 3, 1))
    assert np.linalg.norm(three_turns(wrong, spin)[0], axis=1).min() > 2.0
    opposed = np.array([half[0], half[1]], dtype=float)
    np.testing.assert_allclose(np.linalg.norm(two_turns(opposed, spin[:2], 2)[0], axis=1), np.pi)
    np.testing.assert_allclose(np.abs(one_turn(np.array([half[2]], dtype=float), spin[:1], 2)[0]), np.pi)


def test_ten_thousand_random_assemblies_have_no_wrong_weld() -> None:
    """A free body is welded wherever it is sought from; two arms close rightly or not at all."""
    rng = np.random.default_rng(1)
    weld = da.Mechanism({"b": da.free_body("b", BODY)}, [da.Closure("weld", "ground", "b", "fixed")], None)
    guesses = np.concatenate([rng.uniform(-1, 1, (7000, 3)), rng.uniform(-np.pi, np.pi, (7000, 3))], axis=1)
    phi, off = position.newton(weld.assembly, guesses, None)
    good = position.closed(off)
    assert good.mean() > 0.99
    assert angles(turned(weld, phi[good])).max() < 1e-12
    pair = da.load_mechanism(TWO_ARMS)
    phi, off = position.newton(pair.assembly, rng.uniform(-np.pi, np.pi, (3000, 12)), None)
    good = position.closed(off)
    assert good.mean() > 0.9
    assert angles(turned(pair, phi[good])).max() < 1e-11


def test_axes_held_in_line_point_the_same_way_from_wherever_they_are_sought() -> None:
    rng = np.random.default_rng(2)
    guesses = np.concatenate([rng.uniform(-1, 1, (1000, 3)), rng.uniform(-np.pi, np.pi, (1000, 3))], axis=1)
    for kind in ("revolute", "prismatic", "cylindrical", "planar"):
        tied = da.Mechanism({"b": da.free_body("b", BODY)}, [da.Closure("tie", "ground", "b", kind)], None)
        phi, off = position.newton(tied.assembly, guesses, None)
        good = position.closed(off)
        assert good.mean() > 0.95, kind
        turn = turned(tied, phi[good])
        assert turn[:, 2, 2].min() > 1 - 1e-12, kind
        if kind == "prismatic":
            assert angles(turn).max() < 1e-12


def test_turns_held_in_a_plane_are_none_and_not_half_a_turn() -> None:
    rng = np.random.default_rng(3)
    for home in ([0.5, 0.3, 0.2, 2.5, 0.4, 0.2], [1.2, -0.6, -0.6, 1.9, 0.6, 0.5]):
        grip = planar_grip(home)
        assert angles(turned(grip, grip.home)).max() < 1e-12
    phi, off = position.newton(grip.assembly, rng.uniform(-np.pi, np.pi, (2000, 6)), None)
    good = position.closed(off)
    assert good.mean() > 0.9
    assert angles(turned(grip, phi[good])).max() < 1e-11
    modes = grip.assembly_modes(grip.coordinates_of(grip.home))
    assert len(modes) >= 2
    assert angles(turned(grip, modes)).max() < 1e-11


def test_a_universal_joint_may_turn_all_the_way_round() -> None:
    """One turn held in space is R = R_y(a) R_x(b): half a turn of both is a position like any other."""
    body = da.free_body("b", BODY)
    joint = da.Mechanism({"b": body}, [da.Closure("cross", "ground", "b", "universal")], None)
    phi = joint.closed_near([0, 0, 0, 0, 0, np.pi])
    np.testing.assert_allclose(phi, [0, 0, 0, 0, 0, np.pi], atol=1e-12)


def test_every_way_to_a_position_gives_the_weld_that_is_meant() -> None:
    pair = da.load_mechanism(TWO_ARMS)
    rng = np.random.default_rng(4)
    q = pair.coordinates_of(pair.home)
    assert angles(turned(pair, pair.home)).max() < 1e-12
    assert angles(turned(pair, pair.closed_near(pair.home + rng.normal(size=(50, 12))))).max() < 1e-11
    assert angles(turned(pair, pair.assembly_modes(q))).max() < 1e-11
    found = 0
    for guess in pair.home + 0.6 * rng.normal(size=(6, 12)):
        try:
            phi = pair.position(q, guess)
        except da.ArmError:
            continue
        found += 1
        assert angles(turned(pair, phi)).max() < 1e-11
    assert found > 2
    path = q + np.linspace(0, 0.1, 5)[:, None]
    assert angles(turned(pair, pair.follow(path))).max() < 1e-11


def test_a_grip_half_a_turn_off_is_open_and_no_start_of_a_motion() -> None:
    grip = planar_grip([0.5, 0.3, 0.2, 2.5, 0.4, 0.2])
    wrong = grip.home + np.array([0, 0, np.pi, 0, 0, 0])
    shift = grip.frame(wrong, "l")[:3, 3] - grip.frame(wrong, "r")[:3, 3]
    assert np.abs(grip.closure_error(wrong)).max() == pytest.approx(np.pi, abs=np.linalg.norm(shift) + 1e-9)
    with pytest.raises(da.ArmError, match=r"loops are open at the start.*moved by .* rad.*closed_near"):
        grip.simulate([0.0, 0.1], wrong, np.zeros(grip.n))


def test_a_home_that_leads_nowhere_is_replaced_with_a_word_and_one_that_closes_says_how_far_it_moved() -> None:
    arms = {"left": gallery.planar((0.3, 0.5), (1, 1)), "right": gallery.planar((0.3, 0.5), (1, 1))}
    tip = [da.Closure("tip", "left", "right", "pin")]
    with pytest.warns(da.AssemblyWarning, match=r"do not close from the home.*moved by .* rad, the most"):
        far = Mechanism(arms, tip, bases={"right": gallery.at(1.2)}, home=[np.pi, 0.0, 0.0, 0.0])
    assert np.abs(far.closure_error(far.home)).max() < 1e-12
    near = Mechanism(arms, tip, bases={"right": gallery.at(1.2)}, home=far.home + 0.01)
    np.testing.assert_allclose(near.home_moved, near.home - far.home - 0.01, atol=1e-15)
    assert 1e-3 < np.abs(near.home_moved).max() < 0.05
