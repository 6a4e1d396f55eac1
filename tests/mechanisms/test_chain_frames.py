"""Frames of chains as jets: their coefficients of every order are those of the formulation."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms.chain_frames import ChainFrames
from dalembert.mechanisms.mounting import mounted
from random_arms import random_arm


@pytest.mark.parametrize("seed", range(3))
def test_jets_of_point_and_rotation_have_the_influence_coefficients_of_all_three_orders(seed: int) -> None:
    arm = da.Arm.of(random_arm(seed, 5))
    q = np.random.default_rng(seed).uniform(-2, 2, 5)
    system = ChainFrames({"arm": mounted(arm, da.Placement(), arm.gravity)}, {})
    carrier = system.carrier("arm")
    placed, exact = system.place(q[None]), arm.influence(q)
    for jet, kind in ((placed.point(carrier, 3), "point"), (placed.turning(carrier, 3), "rotation")):
        for part, order in zip(jet.parts[1:], ("first", "second", "third"), strict=True):
            wanted = getattr(exact, f"{kind}_{order}")
            np.testing.assert_allclose(part[0], wanted, atol=1e-12 * (1 + np.abs(wanted).max()))
