"""MJCF of a mechanism: MuJoCo has the same joints, the same inertia, and closed loops where ours are closed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery, parallel_robots
from dalembert.mechanisms.mechanism import Mechanism
from mechanisms.planar import geared

MAKERS: dict[str, Callable[[], Mechanism]] = {
    "five-bar": gallery.five_bar,
    "6-UPS": parallel_robots.stewart_ups,
    "delta": parallel_robots.delta,
    "gear": geared,
}


@pytest.mark.parametrize("name", MAKERS)
def test_mujoco_has_the_inertia_the_weight_and_the_closures(name: str, tmp_path: Path) -> None:
    made = MAKERS[name]()
    made.write_mjcf(tmp_path / "made.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "made.xml"))
    data = mujoco.MjData(model)
    assert [model.joint(k).name for k in range(model.njnt)] == list(made.joint_names)
    rng = np.random.default_rng(0)
    phi = made.closed_near(made.home + 0.02 * rng.normal(size=made.m))
    data.qpos[:] = phi
    mujoco.mj_forward(model, data)
    inertia = np.zeros((model.nv, model.nv))
    for k, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, inertia[k], unit)
    np.testing.assert_allclose(inertia, made.joint_inertia(phi[None])[0], atol=1e-10 * np.abs(inertia).max())
    weight = np.concatenate([n.gravity(phi[None, part])[0] for n, part in made._chain_slices()])
    np.testing.assert_allclose(data.qfrc_bias, weight, atol=1e-9 * np.abs(weight).max())
    assert np.abs(data.efc_pos).max() < 1e-9
    data.qpos[-1] += 0.01
    mujoco.mj_forward(model, data)
    assert name == "gear" or np.abs(data.efc_pos).max() > 1e-4


def test_what_mjcf_cannot_say_is_refused(tmp_path: Path) -> None:
    with pytest.raises(da.ArmError, match="for which MJCF has no constraint"):
        gallery.two_fingered_hand().write_mjcf(tmp_path / "hand.xml")
    rod = {"a": 0.3, "mass": 1.0, "com": (-0.1, 0, 0), "inertia": (0, 0.01, 0.01)}
    light = Mechanism({"a": da.Arm.from_dh([rod, {"a": 0.2}])}, [], None)
    with pytest.raises(da.ArmError, match="has no inertia, and MuJoCo lets no such body move"):
        light.write_mjcf(tmp_path / "light.xml")
    bar = gallery.five_bar()
    sprung = {"left": bar.parts.chains["left"].with_elastic(da.JointSpring("joint1", 3.0, 0.4))}
    other = Mechanism(
        bar.parts.chains | sprung, bar.parts.closures, bar.coordinates, bases=bar.parts.bases, home=bar.home
    )
    with pytest.raises(da.ArmError, match="chain 'left' has drives or springs"):
        other.write_mjcf(tmp_path / "bar.xml")
    assert list(tmp_path.iterdir()) == []
