"""Certificates of reduced models of random arms: checked, and no state that is found has a larger torque error.

The states are climbed to from samples, the torques those of Newton and Euler from the numbers of the file and of the
program as the file has it. The long campaign is ``HYPOTHESIS_PROFILE=deep pytest -m slow -s``.
"""

from __future__ import annotations

import os
import random
from fractions import Fraction
from pathlib import Path

import pytest

import dalembert as da
from dalembert.certificates.certificate_file import read
from newton_euler_of_sections import largest_share
from random_arms import random_arm

QUARTERS_FROM = 4
"""Joints from which on axes stand at quarter turns: closed forms grow with every angle."""


def random_model(rng: random.Random) -> da.ReducedModel:
    """Of an arm of two to four joints over a random box, of every third one with a load beside the empty hand."""
    n = rng.choice([2, 3, 4])
    arm = da.Arm.of(random_arm(rng, n, fixed=0.0, quarters=n >= QUARTERS_FROM))
    box = {}
    for joint in arm.moving:
        if joint.kind == "prismatic":
            box[joint.name] = (-0.4, rng.uniform(0, 1.1))
        elif rng.random() < 0.4:
            low = rng.choice([rng.uniform(-4, 3), rng.uniform(-200, 200)])
            box[joint.name] = (low, low + rng.choice([1e-6, 0.5, 2.0, 5.0]))
    speed, rate = ([rng.choice([0.0, 0.3, 1.0, 5.0]) for _ in range(n)] for _ in range(2))
    load = da.Load(Fraction(rng.randint(1, 30), 10), (0, Fraction(1, 7), Fraction(1, 10)))
    others = [arm.holding(load)] if rng.random() < 1 / 3 else []
    ask = arm.analysis(box=box, speed=speed, acceleration=rate, effort=0.02)
    return ask.reduce(rng.choice([0.01, 0.05, 0.2]), others=others)


def campaign(seed: int, models: int, folder: Path) -> None:
    rng, claims, closest = random.Random(seed), 0, 0.0
    for at in range(models):
        path = random_model(rng).certificate(folder / f"random{at}.json")
        claims += len(da.check_certificate(path).claims)
        share = largest_share(read(path), at)
        assert share <= 1, f"model {at} of seed {seed}: a torque error is {share!r} of what is claimed"
        closest = max(closest, share)
    print(f"certificates of {models} models, {claims} claims, closest approach {closest:.9f} of the claim")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_torque_error_of_a_random_arm_is_above_its_certificate(tmp_path: Path) -> None:
    campaign(0, 1, tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("HYPOTHESIS_PROFILE") != "deep", reason="takes minutes: HYPOTHESIS_PROFILE=deep")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(1, 7))
def test_no_torque_error_of_random_arms_is_above_its_certificate_in_a_long_campaign(
    seed: int, tmp_path: Path, compiled_kernels: None
) -> None:
    campaign(seed, 36, tmp_path)
