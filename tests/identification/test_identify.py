"""From logs to the model: what was put in comes out, within its errors, as bodies that could be built."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from coupled_arms import PALLETIZER
from dalembert.identification.consistency import pseudo_inertia
from dalembert.identification.smoothing import smoothed
from simulated_logs import COULOMB, VISCOUS, log, motion, robot, truth

DATA = next((p / "shared" / "data" for p in Path(__file__).parents if (p / "shared" / "data").is_dir()), Path("none"))
real_logs = pytest.mark.skipif(not DATA.is_dir(), reason="the measured logs are not here")

pytestmark = [
    pytest.mark.usefixtures("compiled_kernels"),
    pytest.mark.filterwarnings("ignore::dalembert.arm.errors.RoundedWarning"),
]


def test_without_noise_the_parameters_come_back() -> None:
    system = robot()
    found = da.identify(system.arm, log(system, noise=0.0, quantum=1e-12), method="least squares", cutoff=30.0)
    values = np.array([p.value for p in found.parameters])
    effect = np.sqrt((found.estimate.fit.residual**2).mean()) / np.sqrt((found.logs[0].effort ** 2).mean())
    assert effect < 2e-3
    assert values == pytest.approx(truth(system.arm, found), rel=0.02, abs=0.05)
    assert found.residual(log(system, noise=0.0, quantum=1e-12, path=3)).whole < 2e-3


def test_links_are_bodies_that_could_be_built_and_explain_another_motion() -> None:
    system = robot()
    found = da.identify(system.arm, [log(system, 1), log(system, 2, path=1)])
    for body in range(3):
        values = np.linalg.eigvalsh(pseudo_inertia(found.values[10 * body : 10 * body + 10]))
        assert values.min() > 0
    other = log(system, 5, path=2)
    assert found.residual(other).whole < 0.01
    assert found.arm.parameters == pytest.approx(found.values[:30], rel=1e-12, abs=1e-15)
    for term, right in (("coulomb", COULOMB), ("viscous", VISCOUS)):
        assert [found.friction_of(j)[term] for j in range(3)] == pytest.approx(right, rel=0.05)


def test_the_system_found_has_the_torques_that_are_predicted() -> None:
    system = robot()
    found = da.identify(system.arm, log(system), friction="coulomb+viscous")
    assert found.left_out == ()
    _, q, qd, qdd = (x[::50] for x in motion(3, seed=4))
    fast = np.abs(qd) > 1.0  # where the sign of the speed is one
    np.testing.assert_allclose(
        found.system.inverse_dynamics(q, qd, qdd)[fast], found.predict(q, qd, qdd)[fast], rtol=1e-9, atol=1e-9
    )
    lazy = pytest.importorskip("dask.array")
    later = found.predict(*(lazy.from_array(x, chunks=(7, -1)) for x in (q, qd, qdd)))
    assert isinstance(later, lazy.Array)
    np.testing.assert_allclose(later.compute(), found.predict(q, qd, qdd), rtol=1e-13, atol=1e-13)


def test_a_load_is_found_from_two_runs() -> None:
    system = robot()
    load = da.Load(mass=3.0, com=(0.02, -0.03, 0.1), inertia=(0.02, 0.03, 0.01))
    without = da.identify(system.arm, log(system))
    found = without.load(log(system.holding(load), 7, path=1))
    assert abs(found.mass - 3.0) < 3 * found.mass_error < 0.1
    assert (np.abs(found.com - [0.02, -0.03, 0.1]) < 3 * found.com_error).all()
    assert found.explained > 0.9
    assert found.load.mass == pytest.approx(found.mass)


def test_the_inertia_of_a_load_is_found_about_its_mass_centre() -> None:
    """Not about the tool: m (c.c E - c c^T) alone would be half as much again."""
    system, load = robot(), da.Load(mass=3.0, com=(0.02, -0.03, 0.1), inertia=(0.02, 0.03, 0.01))
    without = da.identify(system.arm, log(system, noise=0.01))
    found = without.load(log(system.holding(load), 7, path=1, noise=0.01))
    assert (np.abs(found.inertia - np.diag([0.02, 0.03, 0.01])) < 3 * found.inertia_error).all()
    assert found.inertia_error.max() < 1e-3
    assert np.array(found.load.body.central, float) == pytest.approx(found.inertia)


def test_a_known_load_is_no_part_of_the_links() -> None:
    system = robot()
    load = da.Load(mass=3.0, com=(0.0, 0.0, 0.1))
    plain = da.identify(system.arm, log(system, noise=0.01))
    laden = da.identify(system.arm, log(system.holding(load), noise=0.01), loads=[load])
    other = log(system, 3, noise=0.01, path=2)
    assert laden.residual(other).whole == pytest.approx(plain.residual(other).whole, rel=0.3)
    assert da.identify(system.arm, log(system.holding(load), noise=0.01)).residual(other).whole > 0.05


def test_loads_of_the_description_are_known_and_stay_on_the_arm_found() -> None:
    system, load = robot(), da.Load(mass=3.0, com=(0.0, 0.0, 0.1))
    upper = system.arm.links[2].name
    laden = system.holding(load).holding(da.Load(mass=1.5), upper)
    runs, other = log(laden, noise=0.01), log(system, 3, noise=0.01, path=2)
    found = da.identify(laden.arm, runs)
    assert found.arm.loads == laden.arm.loads
    said = da.identify(system.arm.holding(da.Load(mass=1.5), upper), runs, loads=[load])
    np.testing.assert_allclose(said.values, found.values, rtol=1e-9, atol=1e-12)
    assert found.residual(runs).whole == pytest.approx(said.residual(runs, load).whole, rel=1e-9)
    empty = found.arm.holding(None).holding(None, upper)
    q, qd, qdd = (x[::50] for x in motion(3, seed=4)[1:])
    right = system.arm.gravity_load(q)  # which no rotor is part of
    assert np.linalg.norm(empty.gravity_load(q) - right) < 0.01 * np.linalg.norm(right)
    fast = np.abs(qd) > 1.0
    told = found.predict(q, qd, qdd)[fast] - laden.inverse_dynamics(q, qd, qdd)[fast]
    assert np.linalg.norm(told) < 0.01 * np.linalg.norm(laden.inverse_dynamics(q, qd, qdd)[fast])
    assert found.residual(other, da.Load()).whole > found.residual(log(laden, 3, noise=0.01, path=2)).whole
    assert found.load(log(laden, 7, noise=0.01, path=1)).mass == pytest.approx(3.0, rel=0.05)


def test_a_load_that_contradicts_the_description_is_refused() -> None:
    system, load = robot(), da.Load(mass=3.0, com=(0.0, 0.0, 0.1))
    laden, run = system.arm.holding(load), log(system.holding(load))
    for loads in ([None], [da.Load(mass=2.0)]):
        with pytest.raises(da.ArmError, match="empty hand"):
            da.identify(laden, run, loads=loads)
    again = da.identify(laden, run, loads=[da.Load(mass=3, com=(0, 0, "0.1"))], method="least squares")
    np.testing.assert_array_equal(again.values, da.identify(laden, run, method="least squares").values)
    with pytest.raises(da.ArmError, match="another or none"):
        da.identify(laden, run, gains="find")


def test_gains_make_torques_of_currents() -> None:
    system = robot()
    measured = log(system)
    gains = np.array([10.0, 8.0, 5.0])
    currents = da.Log(t=measured.t, q=measured.q, effort=measured.effort / gains)
    a = da.identify(system.arm, currents, gains=gains, method="least squares")
    b = da.identify(system.arm, measured, method="least squares")
    assert a.values == pytest.approx(b.values, rel=1e-6, abs=1e-9)
    assert a.residual(currents).whole == pytest.approx(b.residual(measured).whole, rel=1e-6)


def test_outliers_count_less_where_asked() -> None:
    system = robot()
    measured = log(system, noise=0.1)
    effort = measured.effort.copy()
    effort[300:2000:170] += 400.0
    spoiled = da.Log(t=measured.t, q=measured.q, effort=effort)
    other = log(system, 3, noise=0.1, path=2)
    errors = [
        da.identify(system.arm, spoiled, robust=robust, cutoff=15.0).residual(other).whole for robust in (False, True)
    ]
    assert errors[1] < 0.7 * errors[0]


def test_least_squares_give_no_bodies() -> None:
    system = robot()
    found = da.identify(system.arm, log(system), method="least squares")
    with pytest.raises(da.ArmError, match="not bodies"):
        _ = found.arm


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "magic"}, "the method is"),
        ({"friction": "rubber"}, "no friction 'rubber'"),
        ({"friction": "stribeck"}, "no coulomb; add it"),
        ({"loads": [None, None]}, "one for each log"),
        ({"gains": [1.0]}, "one number for each of 3 joints"),
        ({"cutoff": 190.0}, "a cut-off lies between"),
    ],
)
def test_what_cannot_be_done_is_refused(options: dict[str, object], sentence: str) -> None:
    system = robot()
    with pytest.raises(da.ArmError, match=sentence):
        da.identify(system.arm, log(system), **options)  # type: ignore[arg-type]


def test_drives_are_found_not_given() -> None:
    system = robot()
    with pytest.raises(da.ArmError, match="finds the drives itself"):
        da.identify(system, log(system))


def driven(name: str) -> da.DrivenArm:
    """An arm of the catalog with a rotor and friction at every joint."""
    arm = da.load(name)
    friction = da.Friction.of(4.0, viscous=2.0)
    motors = [da.Actuator.of(f"m{j.name}", {j.name: 1}, da.Rotor.of(0.5)) for j in arm.moving]
    return arm.with_drives(da.DriveTrain(motors, joint_friction=[(j.name, friction) for j in arm.moving]))


def test_bodies_that_could_be_built_are_the_closest_to_the_data() -> None:
    system = driven("articulated")
    found = da.identify(system.arm, [log(system, k, noise=0.2, path=k) for k in (1, 2)])
    for joint in range(3):
        assert found.friction_of(joint)["coulomb"] == pytest.approx(4.0, abs=0.05)
        assert found.friction_of(joint)["viscous"] == pytest.approx(2.0, abs=0.05)


def test_a_joint_that_slides_up_cannot_tell_mass_rotor_and_offset_apart() -> None:
    system = driven("cylindrical")
    found = da.identify(system.arm, [log(system, k, noise=0.3, path=k) for k in (1, 2)])
    parameters = {p.name: p for p in found.parameters}
    assert "rotor2" not in parameters
    assert parameters["m2"].combination.endswith("+ rotor2")
    assert "9.81 rotor2" in parameters["offset2"].combination
    assert parameters["m2"].value == pytest.approx(10.5, abs=0.1)
    assert found.condition < 1e3


def test_a_slow_motion_that_shakes_keeps_its_band() -> None:
    system = driven("articulated")
    t, q, qd, qdd = motion(3)
    rate = 6 * np.pi * np.linspace(0.9, 1.1, 3)
    angle = np.outer(t, rate)
    q, qd, qdd = q + 0.12 * np.sin(angle), qd + 0.12 * rate * np.cos(angle), qdd - 0.12 * rate**2 * np.sin(angle)
    rng = np.random.default_rng(0)
    tau = system.inverse_dynamics(q, qd, qdd) + rng.normal(0, 0.1, q.shape)
    found = da.identify(system.arm, da.Log(t=t, q=q + rng.normal(0, 1e-5, q.shape), effort=tau))
    assert [found.friction_of(joint)["coulomb"] for joint in range(3)] == pytest.approx([4.0] * 3, abs=0.1)


def test_a_log_to_be_judged_is_checked_too() -> None:
    system = robot()
    found = da.identify(system.arm, log(system), cutoff=10.0)
    other = log(system, 3, path=2)
    degrees = da.Log(t=other.t, q=np.degrees(other.q), effort=other.effort)
    for ask in (found.residual, found.load):
        with pytest.raises(da.ArmError, match="in degrees"):
            ask(degrees)
    assert found.residual(other).whole == found.residual(other, cutoff=10.0).whole


@real_logs
def test_ur10e_is_explained_better_than_by_a_plain_fit() -> None:
    arm = da.load(DATA / "ur10e" / "ur10e.urdf")
    gains = [14.87, 13.26, 11.13, 10.62, 11.03, 11.47]
    used = da.Log.read(DATA / "ur10e" / "30sec_12harm.csv").rows(635, 3510)
    kept = da.Log.read(DATA / "ur10e" / "40sec_12harm.csv").rows(500, 4460)
    found = da.identify(arm, used, gains=gains)
    assert found.residual(kept, cutoff=5.0).whole < 0.040
    with_load = da.identify(arm, used, friction="coulomb+viscous+offset+load", gains=gains)
    assert with_load.residual(kept, cutoff=5.0).whole < 0.030
    for body in range(6):
        assert np.linalg.eigvalsh(pseudo_inertia(found.values[10 * body : 10 * body + 10])).min() > 0


@real_logs
def test_panda_is_explained_better_than_by_the_catalog() -> None:
    arm = da.load("panda")
    measured = da.Log.read(DATA / "panda" / "log_first_60_percent.csv")
    cut = int(0.6 * len(measured))
    found = da.identify(arm, measured.rows(0, cut))
    unseen = smoothed(measured.rows(cut))
    effort = unseen.reduced(unseen.effort)
    links = unseen.reduced(arm.inverse_dynamics(unseen.q, unseen.qd, unseen.qdd))
    catalog = np.linalg.norm(effort - links, axis=0) / np.linalg.norm(effort, axis=0)
    left = found.residual(measured.rows(cut))
    assert (left.joints < catalog).all()
    assert left.whole < 0.02
    assert (left.joints[[0, 1, 2, 4, 6]] < [0.127, 0.029, 0.026, 0.150, 0.246]).all(), "with the published friction"


def test_an_arm_whose_joints_follow_is_identified_in_its_coordinates() -> None:
    described = da.load(PALLETIZER).subarm("turn", "level")
    described = replace(described, joints=tuple(replace(joint, limits=da.Limits()) for joint in described.joints))
    system = described.driven
    found = da.identify(described, log(system, 1, noise=0.1))
    assert len(found.values) == 4 * 10 + 3 * 4  # bodies, then friction and rotor of each coordinate
    assert found.residual(log(system, 2, noise=0.1, path=1)).whole < 0.01
    assert [joint.name for joint in found.arm.followers] == ["level"]
    q, qd, qdd = (x[::500] for x in motion(3, seed=4)[1:])
    wanted = system.inverse_dynamics(q, qd, qdd)
    assert np.abs(found.predict(q, qd, qdd) - wanted).max() < 0.03 * np.abs(wanted).max()


def test_springs_and_dampers_of_the_description_are_known_and_change_nothing_else() -> None:
    """The log of a sprung arm gives the links, friction and rotors that a log of the bare one gives."""
    bare = robot()
    parts = (
        da.JointSpring("joint2", 40.0, 0.3),
        da.JointDamper("joint3", 0.8),
        da.PointSpring("base", (0, 0, 0.5), "link2", (-0.2, 0, 0), 300.0, 0.1, 5.0),
    )
    sprung = bare.arm.with_elastic(*parts)
    plain, balanced = (log(system, quantum=1e-9) for system in (bare, sprung.with_drives(bare.drives)))
    assert np.abs(plain.effort - balanced.effort).max() > 20
    one, other = (da.identify(arm, made, cutoff=10.0) for arm, made in ((bare.arm, plain), (sprung, balanced)))
    np.testing.assert_allclose(other.values, one.values, rtol=1e-3, atol=1e-3 * np.abs(one.values).max())
    assert other.residual(balanced).whole < 0.02
    assert other.arm.elastic == sprung.elastic
    _, q, qd, qdd = (x[::50] for x in motion(3, seed=4))
    held = sprung.inverse_dynamics(q, qd, qdd) - bare.arm.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(other.predict(q, qd, qdd) - one.predict(q, qd, qdd), held, atol=0.05)
    laden = sprung.holding(da.Load(2.0, (0, 0, 0.05))).with_drives(bare.drives)
    assert other.load(log(laden, path=1, quantum=1e-9)).mass == pytest.approx(2.0, rel=0.05)
