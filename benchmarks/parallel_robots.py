"""Closed mechanisms beside Pinocchio and MuJoCo in one run: a Stewart platform, a delta robot, two arms and an object.

    python benchmarks/parallel_robots.py [--quick] [--json FILE] [--record]

One thread. Forward dynamics: accelerations at closed states for given loads; ours is the public call on a batch and on
one state, theirs ``pin.constraintDynamics`` and ``mujoco.mj_forward`` at one state, called in a loop (neither takes a
batch). Simulation: Runge-Kutta of order four at 1 kHz from rest under the weight; ours ``simulate_many``, theirs
``mujoco.rollout`` and the same method in Python around ``pin.constraintDynamics``. Open: the largest closure error at
the end, from our own equations. MuJoCo's equality constraints are springs (of its default stiffness); Pinocchio's hold
for accelerations alone, so that positions drift. Each time is processor time, the best of several.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import history
import mujoco
import numpy as np
import pinocchio as pin
from mujoco import rollout

import dalembert as da
from dalembert.mechanisms import gallery, parallel_robots
from dalembert.mechanisms.mechanism import Mechanism

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "mechanisms"))
from peers import Mujoco, Pinocchio

STEP = 1e-3


def best(call: Callable[[], object], repeats: int, least: float = 0.1) -> float:
    """Processor seconds of the fastest of at least ``repeats`` calls and ``least`` seconds, after one to warm up."""
    call()
    found, spent, count = np.inf, 0.0, 0
    while spent < least or count < repeats:
        start = time.process_time()
        call()
        took = time.process_time() - start
        found, spent, count = min(found, took), spent + took, count + 1
    return found


def _spent() -> float:
    """Processor seconds of this process and of the compilers it ran."""
    own = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + own.ru_utime + own.ru_stime


class TheirPinocchio:
    """``pin.constraintDynamics``, set up once as a user would."""

    def __init__(self, mechanism: Mechanism) -> None:
        built = Pinocchio(mechanism)
        self.model = built.model
        self.data = self.model.createData()
        self.models, self.datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for constraint in built.constraints:
            self.models.append(constraint)
            self.datas.append(constraint.createData())
        pin.initConstraintDynamics(self.model, self.data, self.models, self.datas)
        self.settings = pin.ProximalSettings(1e-12, 1e-12, 1e-9, 10)

    def acceleration(self, phi: Any, rate: Any, load: Any) -> Any:
        return pin.constraintDynamics(self.model, self.data, phi, rate, load, self.models, self.datas, self.settings)

    def advanced(self, phi: Any, rate: Any, load: Any, steps: int) -> Any:
        """Joints after so many steps of Runge-Kutta."""
        h = STEP
        for _ in range(steps):
            a1 = self.acceleration(phi, rate, load).copy()
            v2 = rate + h / 2 * a1
            a2 = self.acceleration(phi + h / 2 * rate, v2, load).copy()
            v3 = rate + h / 2 * a2
            a3 = self.acceleration(phi + h / 2 * v2, v3, load).copy()
            v4 = rate + h * a3
            a4 = self.acceleration(phi + h * v3, v4, load).copy()
            phi = phi + h / 6 * (rate + 2 * v2 + 2 * v3 + v4)
            rate = rate + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        return phi


def mujoco_model(mechanism: Mechanism) -> Any:
    """The mechanism in MJCF, its closures as equality constraints between sites."""
    built = Mujoco(mechanism)
    spec = mujoco.MjSpec.from_string(built._xml())
    for k, closure in enumerate(mechanism.assembly.closures):
        names = []
        for side, frame in (("a", closure.a), ("b", closure.b)):
            chain = mechanism.chains.names[frame.chain]
            body = spec.worldbody if frame.body < 0 else spec.body(f"{chain}.{frame.body}")
            quat = np.zeros(4)
            mujoco.mju_mat2Quat(quat, np.ascontiguousarray(frame.rotation).reshape(-1))
            names.append(f"{side}{k}")
            body.add_site(name=names[-1], pos=frame.position, quat=quat)
        kind = mujoco.mjtEq.mjEQ_WELD if len(closure.closure.held) == 6 else mujoco.mjtEq.mjEQ_CONNECT
        tie = spec.add_equality(type=kind, name1=names[0], name2=names[1], objtype=mujoco.mjtObj.mjOBJ_SITE)
        tie.data[10 if len(closure.closure.held) == 6 else 0] = 1.0 if len(closure.closure.held) == 6 else 0.0
    spec.option.timestep = STEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    return spec.compile()


def measure(mechanism: Mechanism, size: float, count: int, seconds: float, repeats: int) -> dict[str, Any]:
    """All figures of one mechanism."""
    start = _spent()
    ours = mechanism.compiled()
    rng = np.random.default_rng(0)
    q = ours.coordinates_of(ours.home)
    phi = ours.position(q + size * rng.uniform(-1, 1, (count, ours.n)))
    qd, tau = rng.normal(size=(2, count, ours.n))
    ours.forward_dynamics(phi, qd, tau)
    ours.forward_dynamics(phi[0], qd[0], tau[0])
    built = _spent() - start
    rows: dict[str, Any] = {"joints": ours.m, "equations": ours.r, "freedoms": ours.n, "compiled_s": built}
    batch = best(lambda: ours.forward_dynamics(phi, qd, tau), repeats) / count
    one = best(lambda: ours.forward_dynamics(phi[0], qd[0], tau[0]), 200)
    place = best(lambda: ours.position(q + size / 2), 50)
    places = best(lambda: ours.position(q + size * rng.uniform(-1, 1, (count, ours.n))), repeats) / count

    # The same state for all: joint rates and joint loads.
    influence = ours.influence(phi[0]).first
    rate = influence @ qd[0]
    load = np.zeros(ours.m)
    load[[c.joint for c in ours.assembly.coordinates]] = tau[0]
    pinocchio, model = TheirPinocchio(mechanism), mujoco_model(mechanism)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = phi[0], rate, load
    mujoco.mj_forward(model, data)
    assert np.abs(data.efc_pos).max() < 1e-9, "MuJoCo has the same closures, and they are closed"
    theirs = {
        "pin.constraintDynamics": best(lambda: pinocchio.acceleration(phi[0], rate, load), 200),
        "mujoco.mj_forward": best(lambda: mujoco.mj_forward(model, data), 200),
    }
    _, moved = ours.joint_motion(phi[0], qd[0], ours.forward_dynamics(phi[0], qd[0], tau[0]))
    off = np.abs(pinocchio.acceleration(phi[0], rate, load) - moved).max() / np.abs(moved).max()
    faster = min(theirs.values())
    rows["forward dynamics, us"] = {
        "ours, a state in a batch": 1e6 * batch, "ours, one state": 1e6 * one,
        **{name: 1e6 * t for name, t in theirs.items()}, "ratio, batch": faster / batch, "ratio, one": faster / one,
        "differs from Pinocchio by": float(off),
    }  # fmt: skip
    rows["position, us"] = {"in a batch": 1e6 * places, "one": 1e6 * place}

    steps = round(seconds / STEP)
    some = min(count, 1000)
    still = np.zeros(ours.n)
    run = ours.simulate_many(still, phi[:some], still, seconds)
    own = best(lambda: ours.simulate_many(still, phi[:some], still, seconds), 2) / run.steps
    few = min(some, 20)
    starts = np.column_stack([np.zeros(few), phi[:few], np.zeros((few, ours.m))])
    data = mujoco.MjData(model)
    end = rollout.rollout(model, data, starts, nstep=steps)[0][:, -1, 1 : 1 + ours.m]
    soft = best(lambda: rollout.rollout(model, data, starts, nstep=steps), 2) / (few * steps)
    zero = np.zeros(ours.m)
    began = time.process_time()
    drifted = pinocchio.advanced(phi[0], zero, zero, steps)
    loop = (time.process_time() - began) / steps
    rows[f"simulation of {seconds:g} s at 1 kHz, us a step"] = {
        f"ours, {some} at once": 1e6 * own, "mujoco.rollout": 1e6 * soft, "Runge-Kutta on pin": 1e6 * loop,
        "ratio": min(soft, loop) / own,
        "ours, open": float(np.abs(ours.closure_error(run.phi[-1])).max()),
        "MuJoCo, open": float(np.abs(ours.closure_error(end)).max()),
        "Pinocchio, open": float(np.abs(ours.closure_error(drifted)).max()),
        "MuJoCo differs by, rad or m": float(np.abs(end[0] - run.phi[-1, 0]).max()),
        "Pinocchio differs by, rad or m": float(np.abs(drifted - run.phi[-1, 0]).max()),
    }  # fmt: skip
    alone = ours.as_system()
    da.simulate(alone, still, ours.coordinates_of(phi[0]), duration=seconds, compiled=True)
    took = best(lambda: da.simulate(alone, still, ours.coordinates_of(phi[0]), duration=seconds, compiled=True), 3)
    rows[f"one motion of {seconds:g} s, ms"] = {
        "da.simulate, DOP853 in machine code, tolerance 1e-8": 1e3 * took,
        "mujoco.rollout, 1 kHz": 1e3 * soft * steps, "Runge-Kutta on pin, 1 kHz": 1e3 * loop * steps,
    }  # fmt: skip
    return rows


RATIOS = {"ratio, batch": "batch of {}", "ratio, one": "one state", "ratio": "{} at once"}
"""What a ratio against the better peer is of."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small batches, to see that it runs")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--record", action="store_true", help="add the ratios to benchmarks/results/history.jsonl")
    options = parser.parse_args()
    count, repeats = (256, 2) if options.quick else (1_000, 15)
    cases = {
        "Stewart platform 6-UPS": (parallel_robots.stewart_ups(), 0.05, 0.2),
        "delta robot": (parallel_robots.delta(), 0.1, 0.1),
        "two UR5e with one object": (gallery.cooperating(da.load("ur5e")), 0.01, 0.1),
    }
    found: dict[str, Any] = {}
    for name, (mechanism, size, seconds) in cases.items():
        found[name] = measure(mechanism, size, count, seconds, repeats)
        print(f"\n{name}")
        for what, value in found[name].items():
            if not isinstance(value, dict):
                print(f"  {what}: {value:.4g}")
                continue
            print(f"  {what}")
            for row, number in value.items():
                print(f"    {row:55s} {number:.4g}")
    if options.record:
        ratios = {
            f"{name}, {what.partition(',')[0]}, {RATIOS[row].format(count)}": number
            for name, answers in found.items()
            for what, value in answers.items()
            if isinstance(value, dict)
            for row, number in value.items()
            if row in RATIOS
        }
        history.record("parallel robots", ratios)
    found["with"] = {
        "batch": count, "python": platform.python_version(), "numpy": np.__version__, "machine": platform.machine(),
        "mujoco": mujoco.__version__, "pinocchio": pin.__version__,
    }  # fmt: skip
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
