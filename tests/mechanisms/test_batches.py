"""Every function of a mechanism takes any batch shape, or says that it takes one state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery
from dalembert.mechanisms.mechanism import Mechanism
from dalembert.mechanisms.overconstrained import Motors
from dalembert.mechanisms.redundant import Redundant

FINGERS = ["left.joint1", "left.joint2", "right.joint1", "right.joint2"]


def states(mechanism: Mechanism, count: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    phi = mechanism.closed_near(mechanism.home + 0.02 * rng.normal(size=(count, 1, mechanism.m)))
    return phi, rng.normal(size=(2, mechanism.n)), rng.normal(size=mechanism.n)


def same(function: Callable[..., Any], phi: Any, qd: Any, qdd: Any) -> None:
    """The batch (3, 2) is its single states."""
    whole = function(phi, qd, qdd)
    for i, k in np.ndindex(3, 2):
        one = function(phi[i, 0], qd[k], qdd)
        for part, single in zip(whole, one, strict=True):
            assert part.shape == (3, 2, *single.shape)
            np.testing.assert_allclose(part[i, k], single, atol=1e-8 * (1 + np.abs(single).max(initial=0)))


def test_derivatives_of_a_batch_are_those_of_its_states() -> None:
    bar = gallery.five_bar()

    def tables(phi: Any, qd: Any, qdd: Any) -> tuple[Any, ...]:
        return (*bar.inverse_dynamics_derivatives(phi, qd, qdd), *bar.forward_dynamics_derivatives(phi, qd, qdd))

    same(tables, *states(bar, 3))


def test_shared_loads_of_a_batch_are_those_of_its_states() -> None:
    hand = gallery.two_fingered_hand()
    motors = Motors(hand, FINGERS)

    def share(phi: Any, qd: Any, qdd: Any) -> tuple[Any, ...]:
        found = motors.distribute(phi, 0.1 * qd, 0.1 * qdd, limits=False)
        return found.torque, found.closure_forces, found.wanted, motors.least_squares(phi, qd)

    same(share, *states(hand, 3))


def test_resolved_motions_of_a_batch_are_those_of_its_states() -> None:
    arm = da.load("panda")
    panda = Mechanism({"arm": arm}, [], None, home=[0.1, 0.3, 0.2, -1.8, 0.1, 2.1, 0.4])
    way = Redundant(panda, "arm")

    def resolve(phi: Any, qd: Any, qdd: Any) -> tuple[Any, ...]:
        ud, udd = qd[..., :6], qdd[..., :6]
        model = way.partial_model(phi)
        return (
            way.rates(phi, ud),
            way.accelerations(phi, qd, udd),
            *way.least_torque(phi, qd, udd),
            model.torque(np.broadcast_to(ud, (*np.broadcast_shapes(phi.shape[:-1], ud.shape[:-1]), 6)), udd),
        )

    same(resolve, *states(panda, 3))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m: m.mobility(np.zeros((2, m.m))), r"phi must be one state of 7 entries, one per joint; got shape"),
        (lambda m: Motors(m, FINGERS).internal(np.zeros((2, m.m))), r"phi must be one state"),
        (
            lambda m: Motors(m, FINGERS).least_squares(m.home, np.zeros(3), np.eye(2)),
            r"the weight must end in 4 entries, one per motor",
        ),
        (
            lambda m: Motors(m, FINGERS).distribute(m.home, np.zeros(3), np.zeros(3), limits=[1.0, 2.0]),
            r"limits must be one number, or 4, one per motor",
        ),
        (
            lambda m: Redundant(m, "disc", ("x",), weight=np.ones(3)),
            r"the weight must be a matrix \(3, 3\), one row per coordinate; got shape \(3,\)",
        ),
        (lambda m: Redundant(m, "disc", ("x",)).rates(np.zeros((0, m.m)), [1.0]), r"no state in this batch"),
    ],
)
def test_what_takes_one_state_or_one_size_says_so(ask: Callable[[Mechanism], Any], message: str) -> None:
    with pytest.raises(da.ArmError, match=message):
        ask(gallery.two_fingered_hand())
