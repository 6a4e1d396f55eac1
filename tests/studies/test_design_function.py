"""Numbers of a description as arguments of a kernel: the same as the system that has these numbers."""

from __future__ import annotations

import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.arm.description_numbers import numbers_of, with_numbers
from dalembert.compile import build, cache
from dalembert.compile.kernel import Kernel
from dalembert.formulations.system import SystemOverRing
from dalembert.rings.real import REAL
from dalembert.studies.design_function import design_function
from dalembert.systems.arrays import evaluate

MIMIC = """<robot name="gripper"><link name="base"/>
<link name="a"><inertial><mass value="2"/><origin xyz="0.1 0 0.2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><mass value="1"/><origin xyz="0 0.1 0.1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tip"><inertial><mass value="0.5"/><origin xyz="0 0 0.1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="9" velocity="2"/></joint>
<joint name="k" type="prismatic"><parent link="a"/><child link="b"/><origin xyz="0 0 0.4" rpy="0.3 0 0"/>
<axis xyz="1 0 0"/><mimic joint="j" multiplier="0.5" offset="0.1"/>
<limit lower="-1" upper="1" effort="9" velocity="2"/></joint>
<joint name="w" type="fixed"><parent link="b"/><child link="tip"/><origin xyz="0.1 0 0.2" rpy="0.2 0.1 0"/></joint>
</robot>"""
SPRUNG = da.load("stanford", physical="ignore").with_elastic(
    da.JointSpring("joint2", 3.0, 0.2),
    da.JointDamper("joint3", 2.0),
    da.PointSpring("link1", (0.1, 0.2, 0.3), "link3", (0.0, 0.1, 0.2), 40.0, 0.1, 3.0),
    da.PointSpring("link1", (0.3, 0.2, 0.3), "link3", (0.0, 0.1, 0.5), 20.0),
)
STICKY = da.load("puma560", physical="ignore").with_drives(
    da.DriveTrain(
        [
            da.Actuator.of(
                f"m{k}", {f"joint{k}": 50 + k, **({"joint5": 2} if k == 4 else {})},
                da.Rotor.of(1e-4, "link1", (0, 1, 1), (0, 0.1, 0.1), 0.3, 2e-4, counted=False),
                da.Friction.of((0.1, 0.12), 0.2, 0.01, da.Stribeck(0.5)),
            )
            for k in range(1, 7)
        ],
        [da.Element.of("shaft", {"joint3": 7}, da.Rotor.of(1e-3, "link2", mass=0.1))],
    )
)  # fmt: skip
SYSTEMS = {
    "puma560 with drives": lambda: da.load("puma560", physical="ignore").driven,
    "irb6 with drives": lambda: da.load("irb6", physical="ignore").driven,
    "stanford": lambda: da.load("stanford", physical="ignore"),
    "followers": lambda: da.load(MIMIC, mimic="couple"),
    "springs": lambda: SPRUNG,
    "stiction": lambda: STICKY,
    "loaded": lambda: da.load("panda").holding(da.Load(mass=2, com=(0, 0, 0.1))),
}


@pytest.mark.parametrize("name", SYSTEMS)
@settings(deadline=None, max_examples=6)
@given(data=st.data())
def test_a_kernel_with_numbers_as_arguments_is_the_system_with_these_numbers(name: str, data: st.DataObject) -> None:
    system = SYSTEMS[name]()
    known = numbers_of(system)
    usable = [x for x in known if known[x].moves]
    picked = data.draw(st.lists(st.sampled_from(usable), min_size=1, max_size=3, unique=True))
    # Loads are real bodies: some of their moments alone would break the triangle inequality.
    picked = [x for x in picked if not (x.startswith("load.") and ".inertia." in x)] or ["gravity.x"]
    # Starting friction may not be below moving friction: that falls, and all else grows.
    present = {x: float(known[x].value) for x in picked}
    values = np.array([0.8 * present[x] if "coulomb" in x else 1.2 * present[x] + 0.03 for x in picked])
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 3, system.n))
    changed = SystemOverRing(with_numbers(system, dict(zip(picked, map(float, values), strict=True))), REAL)
    right = evaluate(lambda *x: changed.torque(REAL, *x), [("q", q), ("qd", qd), ("qdd", qdd)])
    got = Kernel(design_function(system, "inverse_dynamics", picked)).in_numpy(q, qd, qdd, values)
    np.testing.assert_allclose(got, right, rtol=0, atol=1e-11 * (1 + np.abs(right).max()))


def test_every_number_that_is_offered_reaches_the_torques_or_is_said_not_to() -> None:
    system = da.load("jpl-rrp", physical="ignore").driven
    names = [x for x, number in numbers_of(system).items() if number.moves]
    names = [x for x in names if not x.startswith("load.base.")]
    made = design_function(system, "inverse_dynamics", names)
    used = {node.value for node in made.outputs[0][1][0].graph.nodes if node.op == "input"}
    assert {f"p{k}" for k in range(len(names))} <= used


def test_ratios_of_motors_beyond_the_freedoms_are_arguments_too() -> None:
    """A joint that follows another leaves its motor: the rank of the ratios is that of their values."""
    arm = da.load("puma560", physical="ignore")
    follows = da.Follows("joint3", -1)
    joints = tuple(replace(joint, follows=follows) if joint.name == "joint5" else joint for joint in arm.joints)
    system = replace(arm, joints=joints).driven
    names = ["motor.motor3.ratio.joint3", "motor.motor5.ratio.joint5"]
    values, state = np.array([-50.0, 70.0]), np.random.default_rng(0).uniform(-1, 1, (3, system.n))
    found = Kernel(design_function(system, "inverse_dynamics", names))(*state, values)
    changed = with_numbers(system, dict(zip(names, map(Fraction, values), strict=True)))
    np.testing.assert_allclose(found, changed.inverse_dynamics(*state), rtol=1e-12)


def test_the_inertia_of_a_load_is_an_argument_too() -> None:
    system = da.load("panda").holding(da.Load(2, (0, 0, 0.1), (0.01, 0.01, 0.01)))
    names = ["load.inertia.xx", "load.inertia.xy", "load.mass"]
    values = np.array([0.013, 0.002, 1.5])
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 3, system.n))
    held = da.load("panda").holding(da.Load(1.5, (0, 0, 0.1), {"xx": 0.013, "yy": 0.01, "zz": 0.01, "xy": 0.002}))
    got = Kernel(design_function(system, "inverse_dynamics", names)).in_numpy(q, qd, qdd, values)
    np.testing.assert_allclose(got, held.inverse_dynamics(q, qd, qdd), rtol=0, atol=1e-12)


def test_slopes_to_the_numbers_are_those_of_differences() -> None:
    system = da.load("puma560", physical="ignore").driven
    names = ["link.link2.mass", "length.a2", "angle.alpha1", "motor.motor2.ratio.joint2", "joint.joint3.viscous"]
    kernel = Kernel(design_function(system, "inverse_dynamics", names, slopes=True))
    q, qd, qdd = np.random.default_rng(2).normal(size=(3, 4, 6))
    values = np.array([float(numbers_of(system)[x].value) for x in names]) + 0.05
    _, slopes = kernel.in_numpy(q, qd, qdd, values)
    for k, value in enumerate(values):
        step = 1e-5 * max(abs(value), 1)
        up, down = (kernel.in_numpy(q, qd, qdd, values + s * step * np.eye(len(names))[k])[0] for s in (1, -1))
        np.testing.assert_allclose(slopes[..., k], (up - down) / (2 * step), rtol=1e-6, atol=1e-6)


def test_one_kernel_serves_designs_that_differ_in_numbers_alone() -> None:
    first, second = (da.load("puma560", physical="ignore") for _ in range(2))
    names = ["link.link2.mass", "length.a2"]
    assert (
        design_function(first, "inverse_dynamics", names).identity
        == design_function(second, "inverse_dynamics", names).identity
    )


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_study_compiles_its_kernels_once_and_those_of_a_changed_arm_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As docs/compile.md says; what asks each design itself, a few times, compiles nothing."""
    runs: list[int] = []
    compiled = build.compiled

    def counted(compiler: build.Compiler, source: str, *rest: Any, **named: Any) -> Path:
        if "kernel_batch" in source or "kernel_single" in source:
            runs.append(len(source))
        return compiled(compiler, source, *rest, **named)

    monkeypatch.delenv(build.SWITCH, raising=False)
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(build, "compiled", counted)
    arm = da.load("planar-2r")
    motion = da.quintic([[0, 0], [1, -1]], 1.0)

    def runs_of(system: Any, low: float, samples: int, *outputs: Any) -> int:
        runs.clear()
        result = da.study(system, {"load.mass": (low, 2)}, list(outputs), motion=motion, samples=samples)
        assert not result.failed.size
        return len(runs)

    def own(design: Any) -> float:
        return float(design.gravity_load([0.3, 0.2])[0])

    assert runs_of(arm, 0, 4, "peak_torque") == 1
    assert runs_of(arm, 0.5, 64, "peak_torque", "energy") == 0
    name = next(name for name in numbers_of(arm) if name.endswith(".mass") and name.startswith("link"))
    changed = with_numbers(arm, {name: 1.5 * float(numbers_of(arm)[name].value)})
    assert runs_of(changed, 0, 4, "peak_torque") == 1
    assert runs_of(changed, 0, 8, own) == 0
    # the numbers that are factors are not in the code
    assert runs_of(arm.holding(da.Load(mass=0.3)), 0, 4, "peak_torque") == 0
