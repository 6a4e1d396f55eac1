"""Simulation speed: a closed loop against scipy with Pinocchio, and many arms against MuJoCo, on one core.

    python benchmarks/simulation.py [--arms 10000] [--quick]

Closed loop: 10 s of the PUMA 560 under computed torque along a quintic trajectory, DOP853, relative tolerance 1e-8.
The same integration is run with ``scipy.integrate.solve_ivp`` calling ``pin.rnea`` and ``pin.aba``, with this
library's public methods in place of Pinocchio's, and by ``arm.simulate``, whose loop is machine code.

Many arms: RK4 at 1 kHz for 1 s, states from random starts, no torque, beside ``mujoco.rollout`` with its own RK4.
Each figure is the best of several runs, after a warm-up.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.control.compiled_loop import run
from dalembert.control.controllers import ComputedTorque
from dalembert.control.trajectories import quintic
from dalembert.simulation.many import simulate_many
from dalembert.simulation.settings import SimulationSettings

TOLERANCE = 1e-8
DURATION = 10.0
KP, KD = 100.0, 20.0


def best(call: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest run."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def closed_loop(repeats: int) -> None:
    arm = da.load("puma560", physical="ignore")
    path = quintic([np.zeros(6), [1, 0.5, -0.7, 0.4, 0.6, 0.3], [0, 0.2, 0.1, -0.4, 0.2, -0.3], np.zeros(6)], DURATION)
    control = ComputedTorque(arm, path, KP, KD)
    start = np.full(6, 0.05)
    settings = SimulationSettings(samples=101, rtol=TOLERANCE, atol=TOLERANCE / 100)

    def ours() -> np.ndarray:
        found = run(arm, control, start, None, DURATION, settings)
        assert found is not None, "no C compiler"
        return found.q[-1]

    def scipy_with(inverse: Callable[..., np.ndarray], forward: Callable[..., np.ndarray]) -> Callable[[], np.ndarray]:
        def rate(t: float, x: np.ndarray) -> np.ndarray:
            q, qd = x[:6], x[6:]
            place, speed, acceleration = path.state(t)
            wanted = acceleration + KD * (speed - qd) + KP * (place - q)
            return np.concatenate([qd, forward(q, qd, inverse(q, qd, wanted))])

        def whole() -> np.ndarray:
            grid = np.linspace(0, DURATION, 101)
            found = solve_ivp(
                rate, (0, DURATION), np.r_[start, np.zeros(6)], "DOP853", grid, rtol=TOLERANCE, atol=TOLERANCE / 100
            )
            return found.y[:6, -1]

        return whole

    rows = [("arm.simulate, loop in machine code", best(ours, repeats), ours())]
    kernels = [arm.compile(name) for name in ("inverse_dynamics", "forward_dynamics")]
    public = scipy_with(kernels[0], kernels[1])
    rows.append(("solve_ivp with our kernels", best(public, repeats), public()))
    try:
        import pinocchio as pin
    except ImportError:
        print("Pinocchio is not installed; its row is left out")
    else:
        model = pin.buildModelFromXML(arm.write_urdf())
        model.gravity.linear = np.array([float(g) for g in arm.gravity])
        data = model.createData()
        peer = scipy_with(
            lambda q, qd, a: pin.rnea(model, data, q, qd, a), lambda q, qd, tau: pin.aba(model, data, q, qd, tau)
        )
        rows.append(("solve_ivp with pin.rnea and pin.aba", best(peer, repeats), peer()))
    print(f"\n10 s of puma560 under computed torque, tolerance {TOLERANCE:g}")
    for name, seconds, end in rows:
        ratio = seconds / rows[0][1]
        print(f"  {name:40s} {1e3 * seconds:9.2f} ms  {ratio:7.1f} x   end off by {np.abs(end - rows[0][2]).max():.0e}")


def many(arms: int, repeats: int) -> None:
    # the published inertias of the PUMA are no real bodies', and MuJoCo refuses them; the UR5e has six joints too
    arm = da.load("ur5e")
    rng = np.random.default_rng(0)
    q, qd = rng.uniform(-1, 1, (2, arms, 6))
    torque = np.zeros(6)
    seconds = best(lambda: simulate_many(arm, torque, q, qd, 1.0), repeats)
    rate = arms * 1000 / seconds
    print(f"\n{arms} arms (ur5e) for 1 s at 1 kHz, RK4, one core")
    print(f"  arm.simulate_many                        {seconds:9.2f} s   {rate / 1e6:8.2f} million steps a second")
    try:
        import mujoco
        from mujoco import rollout
    except ImportError:
        print("MuJoCo is not installed; its row is left out")
        return
    model = mujoco.MjModel.from_xml_string(arm.write_urdf())
    model.opt.gravity = [float(g) for g in arm.gravity]
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = 1e-3
    model.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    some = min(arms, 200)
    data = mujoco.MjData(model)
    start = np.column_stack([np.zeros(some), q[:some], qd[:some]])
    theirs = best(lambda: rollout.rollout(model, data, start, nstep=1000), max(1, repeats // 2))
    state = rollout.rollout(model, data, start[:, :13], nstep=1000)[0]
    peer = some * 1000 / theirs
    ours = simulate_many(arm, torque, q[:some], qd[:some], 1.0)
    difference = np.abs(state[:, 99, 1:7] - simulate_many(arm, torque, q[:some], qd[:some], 0.1).q[-1]).max()
    print(f"  mujoco.rollout ({some} arms)               {theirs:9.2f} s   {peer / 1e6:8.2f} million steps a second")
    print(f"  ratio {rate / peer:.1f}; positions after 0.1 s differ by at most {difference:.0e} rad")
    assert not ours.diverged.all()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, default=10_000)
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}", file=sys.stderr)
    repeats = 2 if options.quick else 7
    closed_loop(repeats)
    many(options.arms, max(2, repeats // 2))


if __name__ == "__main__":
    main()
