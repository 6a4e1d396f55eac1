"""Springs, dampers and rotors between chains: energy, power, MuJoCo, and the same mechanism cut elsewhere."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery
from differences import slope
from mechanisms.planar import planar_arm

mujoco = pytest.importorskip("mujoco")

LINKAGE = [
    da.Spring("strut", "left:link1", "right:link2", stiffness=40, rest="0.3", damping="0.7"),
    da.Spring("ideal", "ground", "right", stiffness=15),
    da.Spring("belt", along="left.joint1 - 2*right.joint1", stiffness=3, rest="0.2", damping="0.1"),
    da.Spring("height", along="y(left)", stiffness=25, rest="0.4", damping="0.3"),
    da.Spring("slide", along="x(left:link1, right:link1)", stiffness=8, rest="-0.1", damping="0.2"),
    da.Spring("swivel", along="rz(tip)", damping="0.05"),
]


def bar(*springs: da.Spring) -> da.Mechanism:
    return gallery.five_bar().with_springs(*(springs or LINKAGE))


def platform() -> da.Mechanism:
    """Springs in space: between a leg and the ground, along and about axes of links that turn."""
    springs = [
        da.Spring("strut", "leg1:link3", "leg2:link2", stiffness=40, rest="0.3", damping="0.7"),
        da.Spring("slide", along="y(leg1:link4, leg3:link2)", stiffness=8, rest="-0.1", damping="0.2"),
        da.Spring("swivel", along="ry(leg1, leg3:link2)", damping="0.05"),
    ]
    found = gallery.stewart()
    names = {link for arm in found.parts.chains.values() for link in arm.link_names}
    assert "link3" in names, names
    return found.with_springs(*springs)


def rates(mechanism: da.Mechanism, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (2, mechanism.n))


@pytest.mark.parametrize("make", [bar, platform])
def test_springs_load_by_the_slope_of_their_energy_and_dampers_take_power(make):
    mechanism = make()
    phi, still = mechanism.home, np.zeros(mechanism.n)
    qd, qdd = rates(mechanism)
    q = mechanism.coordinates_of(phi)
    held = mechanism.inverse_dynamics(phi, still, still)
    expected = slope(lambda x: mechanism.potential_energy(mechanism.position(x)), q)
    assert np.abs(held - expected).max() <= 1e-6 * (1 + np.abs(expected).max())
    bare = mechanism.with_springs()
    extra = [
        system.inverse_dynamics(phi, qd, qdd) - system.inverse_dynamics(phi, still, qdd) for system in (mechanism, bare)
    ]
    power = (extra[0] - extra[1]) @ qd
    assert power > 1e-3
    assert np.abs(mechanism.inverse_dynamics(phi, -qd, qdd) - mechanism.inverse_dynamics(phi, qd, qdd)) @ np.abs(qd) > 0


@pytest.mark.parametrize("make", [bar, platform])
def test_model_and_forward_dynamics_agree_with_the_loads_of_springs(make):
    mechanism = make()
    phi = mechanism.home
    qd, qdd = rates(mechanism)
    tau = mechanism.inverse_dynamics(phi, qd, qdd)
    size = 1 + np.abs(tau).max()
    assert np.abs(mechanism.model(phi, qd).torque(qd, qdd) - tau).max() <= 1e-9 * size
    back = mechanism.forward_dynamics(phi, qd, tau)
    assert np.abs(back - qdd).max() <= 1e-9 * size * np.linalg.cond(mechanism.mass_matrix(phi))
    compiled = mechanism.compiled()
    assert np.abs(compiled.inverse_dynamics(phi, qd, qdd) - tau).max() <= 1e-10 * size
    assert np.abs(compiled.forward_dynamics(phi, qd, tau) - back).max() <= 1e-9 * size


@pytest.mark.parametrize("make", [bar, platform])
def test_derivatives_know_springs_and_dampers(make):
    mechanism = make()
    q = mechanism.coordinates_of(mechanism.home)
    qd, qdd = rates(mechanism)
    to_q, to_qd, _ = mechanism.inverse_dynamics_derivatives(mechanism.home, qd, qdd)
    by_q = slope(lambda x: mechanism.inverse_dynamics(mechanism.position(x), qd, qdd), q)
    by_qd = slope(lambda v: mechanism.inverse_dynamics(mechanism.home, v, qdd), qd)
    assert np.abs(to_q - by_q).max() <= 1e-5 * (1 + np.abs(by_q).max())
    assert np.abs(to_qd - by_qd).max() <= 1e-6 * (1 + np.abs(by_qd).max())


def test_energy_is_kept_by_springs_and_lost_to_dampers_as_their_power_says():
    stiff = [replace(spring, damping=0) for spring in LINKAGE]
    kept = bar(*stiff).compiled().simulate(np.linspace(0, 1, 51), gallery.five_bar().home, [0.5, -0.3])
    assert np.ptp(kept.energy) <= 1e-8 * np.abs(kept.energy).max()
    mechanism = bar()
    t = np.linspace(0, 0.6, 601)
    lost = mechanism.compiled().simulate(t, mechanism.home, [0.5, -0.3])
    elements, still = mechanism.elements, np.zeros_like(lost.rate)
    power = np.einsum("bm,bm->b", elements.load(lost.phi, lost.rate) - elements.load(lost.phi, still), lost.rate)
    assert (power <= 0).all()
    taken = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(t))])
    assert np.abs(lost.energy - lost.energy[0] - taken).max() <= 1e-4 * np.abs(taken).max()


TWO_ARMS = """
<mujoco><option gravity="0 -9.81 0"/><worldbody>
 <site name="ground" pos="0 0 0"/>
 {chains}
</worldbody>
<tendon>
 <spatial name="strut" springlength="0.3" stiffness="40" damping="0.7">
  <site site="left1"/><site site="right2"/></spatial>
 <fixed name="belt" springlength="0.2" stiffness="3" damping="0.1">
  <joint joint="left1" coef="1"/><joint joint="right1" coef="-2"/></fixed>
</tendon></mujoco>
"""
CHAIN = """<body pos="{x} 0 0"><joint name="{side}1" type="hinge" axis="0 0 1"/>
 <inertial pos="0.2 0 0" mass="1" diaginertia="0.001 0.02 0.02"/><site name="{side}1" pos="0.4 0 0"/>
 <body pos="0.4 0 0"><joint name="{side}2" type="hinge" axis="0 0 1"/>
 <inertial pos="0.15 0 0" mass="0.7" diaginertia="0.001 0.01 0.01"/><site name="{side}2" pos="0.3 0 0"/>
 </body></body>"""


def two_arms(springs: list[da.Spring]) -> da.Mechanism:
    arm = planar_arm(
        [0.4, 0.3], [1, 0.7], centres=[-0.2, -0.15], spins=[0.02, 0.01], gravity=(0, -9.81, 0)
    )  # fmt: skip
    return da.Mechanism(
        {"left": arm, "right": arm}, [], [f"{side}.joint{k}" for side in ("left", "right") for k in (1, 2)],
        bases={"right": da.Placement.from_xyz_rpy((0.5, 0, 0))}, gravity=(0, "-9.81", 0), springs=springs,
    )  # fmt: skip


def test_springs_between_chains_and_elastic_belts_are_mujocos_tendons():
    chains = "".join(CHAIN.format(side=side, x=x) for side, x in (("left", 0), ("right", 0.5)))
    model = mujoco.MjModel.from_xml_string(TWO_ARMS.format(chains=chains))
    data = mujoco.MjData(model)
    ours = two_arms([
        da.Spring("strut", "left:link1", "right:link2", stiffness=40, rest="0.3", damping="0.7"),
        da.Spring("belt", along="left.joint1 - 2*right.joint1", stiffness=3, rest="0.2", damping="0.1"),
    ])  # fmt: skip
    rng = np.random.default_rng(0)
    for _ in range(5):
        data.qpos[:], data.qvel[:] = rng.uniform(-1, 1, (2, 4))
        data.qfrc_applied[:] = tau = rng.uniform(-1, 1, 4)
        mujoco.mj_forward(model, data)
        found = ours.forward_dynamics(data.qpos, data.qvel, tau)
        assert np.abs(found - data.qacc).max() <= 1e-9 * (1 + np.abs(data.qacc).max())


def test_an_equilibrium_is_where_springs_carry_the_weight():
    mechanism = bar(da.Spring("strut", "left:link1", "right:link1", stiffness=400, rest="0.35"))
    phi = mechanism.equilibrium()
    still = np.zeros(mechanism.n)
    assert np.abs(mechanism.inverse_dynamics(phi, still, still)).max() < 1e-9
    assert np.abs(mechanism.closure_error(phi)).max() < 1e-11
    load = np.array([0.4, -0.3])
    held = mechanism.equilibrium(load)
    assert np.abs(mechanism.inverse_dynamics(held, still, still) - load).max() < 1e-9
    with pytest.raises(da.ArmError, match="no equilibrium was found"):
        gallery.five_bar().with_gravity((0, 0, 0)).equilibrium([5.0, 5.0])


def four_bar(cut: str, drives=(), chain_drives=()) -> da.Mechanism:
    """Crank, coupler, rocker; the loop is cut at the far end of the coupler, or at the rocker's ground pin."""
    rod = {"mass": 1.0, "inertia": (0, 0.02, 0.02)}
    crank = [{**rod, "name": "a", "a": 0.3, "com": (-0.1, 0, 0)}, {**rod, "name": "b", "a": 0.7, "com": (-0.3, 0, 0)}]
    rocker = {**rod, "name": "c", "a": 0.5, "com": (-0.2, 0, 0)}
    if cut == "coupler":
        chains = {"left": da.Arm.from_dh(crank), "right": da.Arm.from_dh([rocker])}
        bases = {"right": da.Placement.from_xyz_rpy((0.6, 0, 0))}
        closures = [da.Closure("pin", "left", "right", "pin")]
        home = [1.0, -0.8, 1.5]
    else:
        # the rocker carried by the coupler, from its far end back to its pin
        back = {**rocker, "a": -0.5, "com": (0.3, 0, 0)}
        chains, bases = {"left": da.Arm.from_dh([*crank, back])}, {}
        closures = [
            da.Closure("ground pin", da.FrameOn("ground", at=da.Placement.from_xyz_rpy((0.6, 0, 0))), "left", "pin")
        ]
        home = [1.0, -0.8, 1.3]
    if chain_drives:
        arm = chains["left"]
        named = {motor.ratios[0][0]: motor for motor in chain_drives}
        train = da.DriveTrain(tuple(named.get(j, da.Actuator.of(f"none {j}", {j: 1})) for j in arm.joint_names))
        chains["left"] = arm.with_drives(train)
    return da.Mechanism(chains, closures, ["left.a"], bases=bases, home=home, gravity=(0, -9.81, 0), drives=drives)


def test_a_motor_at_the_pin_that_closes_a_loop_is_the_one_of_the_mechanism_cut_elsewhere():
    constants = {
        "rotor": da.Rotor.of(3e-4), "friction": da.Friction(viscous=2e-4),
        "motor": da.Motor(0.05, resistance=1.0, inductance=1e-3),
    }  # fmt: skip
    # Cut at the coupler's end, the motor between coupler and rocker is at the closure; cut at the ground, at joint c.
    closing = four_bar("coupler", drives=[da.Actuator.of("m", {"rz(pin)": 40}, **constants)])
    chain = four_bar("ground", chain_drives=[da.Actuator.of("m", {"c": 40}, **constants)])
    q, qd, qdd = [0.9], [1.3], [-0.7]
    there, here = closing.position(q), chain.position(q)
    assert np.abs(closing.frame(there, "left")[:2, 3] - chain.frame(here, "left:link2")[:2, 3]).max() < 1e-9
    first, second = (m.inverse_dynamics(p, qd, qdd) for m, p in ((closing, there), (chain, here)))
    assert first == pytest.approx(second, rel=1e-9)
    assert closing.mass_matrix(there) == pytest.approx(chain.mass_matrix(here), rel=1e-9)
    assert closing.kinetic_energy(there, qd) == pytest.approx(chain.kinetic_energy(here, qd), rel=1e-9)
    models = [m.linearize(p, qd, [0.4], input="voltage") for m, p in ((closing, there), (chain, here))]
    # rz(pin) is the turn of the rocker against the coupler, which is joint c: the same motor, the same sign
    assert np.abs(models[0].A - models[1].A).max() <= 1e-8 * np.abs(models[1].A).max()
    assert np.abs(models[0].B - models[1].B).max() <= 1e-8 * np.abs(models[1].B).max()
    assert closing.model(there, qd).torque(np.array(qd), np.array(qdd)) == pytest.approx(first, rel=1e-9)
    lower = closing.compiled()
    assert lower.forward_dynamics(there, qd, first) == pytest.approx(qdd, rel=1e-9)


def test_loads_are_shared_with_a_motor_at_a_closing_joint():
    mechanism = four_bar("coupler")
    motors = da.Motors(mechanism, ["left.a", "rz(pin)"])
    phi = mechanism.position([0.9])
    shared = motors.distribute(phi, [0.5], [0.2])
    power = shared.torque @ motors.influence(phi)[:, 0]
    assert power == pytest.approx(float(mechanism.inverse_dynamics(phi, [0.5], [0.2])[0]))
    seen = mechanism.with_coordinates(["rz(pin)"])
    ratio = seen.influence(phi).first[0, 0]
    assert motors.influence(phi)[1, 0] == pytest.approx(1 / ratio)
    compiled = seen.compiled()
    for name in ("inverse_dynamics", "forward_dynamics"):
        answers = [getattr(each, name)(phi, [0.4], [0.2]) for each in (seen, compiled)]
        assert answers[0] == pytest.approx(answers[1], rel=1e-9)
    motion = seen.simulate(np.linspace(0, 0.2, 21), phi, [0.1], lambda t, q, qd: [0.3])
    work = 0.3 * np.trapezoid(motion.qd[:, 0], motion.t)
    assert motion.energy[-1] - motion.energy[0] == pytest.approx(work, rel=1e-3)


def test_relative_coordinates_have_the_slopes_of_their_jets():
    mechanism = platform()
    for text in ("ry(leg1, leg3:link2)", "y(leg1:link4, leg3:link2)"):
        from dalembert.mechanisms.coordinates import Coordinate

        coordinate = Coordinate(text, mechanism.chains)
        phi = mechanism.home

        def jet(at, order=3, coordinate=coordinate):
            return coordinate.jet(mechanism.chains.place(at[None]), order)

        found = jet(phi)
        for k, joint in enumerate(coordinate.joints):
            e = 1e-6 * np.eye(mechanism.m)[joint]
            second = (jet(phi + e).first - jet(phi - e).first) / 2e-6
            third = (jet(phi + e).second - jet(phi - e).second) / 2e-6
            assert np.abs(found.second[0, 0, k] - second[0, 0]).max() < 1e-8
            assert np.abs(found.third[0, 0, k] - third[0, 0]).max() < 1e-8


def test_springs_that_mean_nothing_are_refused():
    for keys, said in (
        ({"a": "left"}, "between two frames"),
        ({"a": "left", "b": "right", "along": "left.joint1"}, "give one of the two"),
        ({"along": "left.joint1", "stiffness": -1}, "is negative"),
    ):
        with pytest.raises(da.ArmError, match=said):
            da.Spring("s", **keys)
    for spring, said in (
        (da.Spring("s", along="rz(tip)", stiffness=1), "has a rate but no position"),
        (da.Spring("s", along="left.joint1 + x(left)", stiffness=1), "adds angles to lengths"),
        (da.Spring("s", "left:link1", "left:link1", stiffness=1), "two points of one body"),
        (da.Spring("s", "left", "middle", stiffness=1), "no chain or frame 'middle'"),
    ):
        with pytest.raises(da.ArmError, match=said):
            bar(spring)
    with pytest.raises(da.ArmError, match="close the loop at another joint"):
        four_bar("coupler", drives=[da.Actuator.of("m", {"rz(pin)": 1}, rotor=da.Rotor.of(1, "link1"))])


def test_friction_of_chains_and_of_a_motor_at_a_closing_joint_brakes_alike_in_both_simulations():
    rubbing = da.Actuator.of("a", {"a": 1}, friction=da.Friction(viscous=0.05))
    closing = da.Actuator.of("m", {"rz(pin)": 5}, rotor=da.Rotor.of(1e-3), friction=da.Friction(viscous=4e-3))
    made = four_bar("coupler", drives=[closing], chain_drives=[rubbing]).compiled()
    times = np.linspace(0, 0.3, 4)
    joints = made.simulate(times, made.home, [2.0])
    system = made.as_system()
    assert system.has_friction
    assert not system.has_dampers
    motion = da.simulate(system, [0.0], joints.q[0], joints.qd[0], 0.3, times=times, rtol=1e-10)
    assert np.abs(motion.q - joints.q).max() < 1e-7
    assert np.abs(motion.balance).max() < 1e-7 * motion.energy[0]
    assert motion.lost[-1] == pytest.approx(joints.energy[0] - joints.energy[-1], rel=1e-6)
    ideal = made.frictionless()
    assert np.ptp(ideal.simulate(times, made.home, [2.0]).energy) < 1e-8
    q, qd = joints.q[1], joints.qd[1]
    rubbed = made.bias(joints.phi[1], qd) - ideal.bias(joints.phi[1], qd)
    assert system.friction_torque(q, qd) == pytest.approx(rubbed, rel=1e-9)
    assert system.viscous_matrix(q) @ qd == pytest.approx(rubbed, rel=1e-9)


@pytest.mark.parametrize("text", ["ry(leg1, leg3:link2)", "y(leg1:link4, leg3:link2)", "x(leg1)"])
def test_the_power_at_the_coordinates_speeds_up_a_rotor_that_turns_with_a_motion_in_space(text):
    """Its ratio to the joints varies: s'' = g phi'' + (dg/dt) phi'."""
    rotor = da.Actuator.of("m", {text: 20}, rotor=da.Rotor.of("0.05"))
    found = gallery.stewart()
    spun = found._with(drives=(rotor,), coordinates=found.coordinates, home=found.home)
    qd, qdd = rates(spun, 4)
    step = 1e-5

    def energy(sign):
        rate, rate2 = spun.joint_motion(spun.home, qd, qdd)
        phi = spun.closed_near(spun.home + sign * step * rate + step**2 / 2 * rate2)
        return float(spun.energy(phi, qd + sign * step * qdd))

    power = float(spun.inverse_dynamics(spun.home, qd, qdd) @ qd)
    # legs near their stretch bend fast, and a difference is good to some 1e-4 of the power
    assert (energy(1) - energy(-1)) / (2 * step) == pytest.approx(power, rel=3e-4)
    without = float(found.inverse_dynamics(found.home, qd, qdd) @ qd)
    assert abs(power - without) > 0.01 * abs(power)
    assert spun.model(spun.home, qd).torque(qd, qdd) == pytest.approx(spun.inverse_dynamics(spun.home, qd, qdd))


@pytest.mark.usefixtures("compiled_kernels")
def test_the_energy_of_springs_counts_in_machine_code():
    rod = {"a": 0.4, "mass": 1.0, "com": (-0.2, 0, 0), "inertia": (0.001, 0.0133, 0.0133)}
    pulled = da.Mechanism(
        {"arm": da.Arm.from_dh([rod, rod])}, [], ["arm.joint1", "arm.joint2"], home=[0.3, 0.5],
        springs=[da.Spring("s", "ground", "arm", stiffness=100, rest="0.2")],
    )  # fmt: skip
    span = np.hypot(0.4 * np.cos(0.3) + 0.4 * np.cos(0.8), 0.4 * np.sin(0.3) + 0.4 * np.sin(0.8))
    for made in (pulled, pulled.compiled()):
        assert made.potential_energy(made.home) == pytest.approx(50 * (span - 0.2) ** 2, rel=1e-12)
        assert made.energy(made.home, [0.0, 0.0]) == pytest.approx(50 * (span - 0.2) ** 2, rel=1e-12)
