"""Tables over all pairs of joints: the same as those of the recursions, for chains and trees."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.compile import pair_tables
from dalembert.compile.pair_tables import NAMES, PairTables
from dalembert.systems import evaluated_arm

TREE = """
name = "tree"
gravity = [1, 2, -9]
[[joints]]
name = "a"
type = "revolute"
link = {name = "la", mass = 2, com = [0.1, 0.2, 0.3], inertia = [0.02, 0.03, 0.04]}
[[joints]]
name = "b"
type = "prismatic"
xyz = [0.3, 0, 0.1]
rpy = [0.4, 0.2, 0]
link = {name = "lb", mass = 1, com = [0.2, 0, 0.1], inertia = [0.02, 0.02, 0.01]}
[[joints]]
name = "c"
type = "revolute"
parent = "la"
xyz = [0, 0.4, 0.1]
rpy = [1.1, 0, 0.3]
link = {name = "lc", mass = 1.5, com = [0, 0.3, 0.1], inertia = [0.02, 0.02, 0.01]}
[[joints]]
name = "d"
type = "revolute"
parent = "base"
rpy = [0, 0.7, 0.3]
link = {name = "ld", mass = 0.5, com = [0.2, 0.1, 0.1], inertia = [0.02, 0.02, 0.01]}
"""
ARMS = {
    "tree": lambda: da.load(TREE),
    "stanford": lambda: da.load("stanford", physical="ignore"),
    "loaded panda": lambda: da.load("panda").holding(da.Load(1.3, (0.1, 0, 0.2))),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("arm", ARMS)
def test_all_pairs_at_once_are_the_tables_of_the_recursions(arm: str, name: str) -> None:
    system = ARMS[arm]()
    states = np.random.default_rng(2).normal(size=(3, 2, 3, system.n))[: NAMES[name]]
    found, right = PairTables(system, name, None)(*states), getattr(system, name)(*states)
    tables = zip(found, right, strict=True) if name.endswith("derivatives") else [(found, right)]
    for got, want in tables:
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-12 * (1 + np.abs(want).max()))


def test_a_long_arm_takes_its_pairs_at_once_after_a_few_states(monkeypatch: pytest.MonkeyPatch) -> None:
    states = np.random.default_rng(3).normal(size=(3, 5, 7))
    right = da.load("panda").inverse_dynamics_derivatives(*states)
    monkeypatch.setattr(evaluated_arm, "MOST_UNASKED", 100)
    monkeypatch.setattr(pair_tables, "FEW", 14)
    monkeypatch.setenv("DALEMBERT_COMPILE", "1")
    arm = da.load("panda")
    for count in (1, 1, 5):
        found = arm.inverse_dynamics_derivatives(*(x[:count] for x in states))
        for got, want in zip(found, right, strict=True):
            np.testing.assert_allclose(got, want[:count], rtol=0, atol=1e-11)
    made = arm._kernels["inverse_dynamics_derivatives"]
    assert isinstance(made, PairTables)
    assert [stage.function.name for stage in made._stages] == ["motion_out", "loads_back"]
    _ = arm.mass_matrix(states[0])
    assert arm._kernels["mass_matrix"]._stages is made._stages  # type: ignore[union-attr]
    states[0, 3, 2] = np.nan
    with pytest.raises(ArmError, match="joint 'joint3'"):
        arm.mass_matrix(states[0])
    with pytest.raises(ArmError, match="must end in 7"):
        arm.mass_matrix(np.zeros((20, 6)))


def test_systems_with_more_than_links_keep_their_own_way() -> None:
    arm = da.load("puma560", physical="ignore")
    assert PairTables.fits(arm, "mass_matrix")
    assert not PairTables.fits(arm.driven, "mass_matrix")
    assert not PairTables.fits(arm.with_elastic(da.JointSpring("joint2", 3.0)), "coriolis_matrix")
