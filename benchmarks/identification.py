"""From logs to parameters: dalembert, the common method by hand on Pinocchio, and figaroh where it is installed.

    python benchmarks/identification.py [--samples 20000]
    python benchmarks/identification.py ARM.urdf LOG.csv --validate OTHER.csv [--rows A:B --rows C:D] [--gains ...]

Without files the logs are simulated: the Panda of the catalog with friction, rotors, noise of torques and quantised
positions, on a motion of ``da.excitation``; another motion judges. All get the same positions, the same efforts and the
same cut-off. The common method (FloBaRoID, figaroh, SymPyBotics): positions through a zero-phase Butterworth filter,
central differences, ``computeJointTorqueRegressor`` sample by sample, columns for sign(qd), qd, 1 and qdd, regressor
and efforts through the filter again and decimated, base parameters by QR with pivoting, weighted least squares. What is
left is measured on the log not used, in the band of the cut-off. Times are of the processor (s), in the same run.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy import linalg, signal

import dalembert as da
from dalembert.identification.smoothing import Smoothed, smoothed

Array = np.ndarray
RATE, NOISE, QUANTUM = 1000.0, 0.3, 1e-5
FRICTION, VISCOUS, ROTOR = 1.5, 1.0, 0.2


def simulated(arm: da.Arm, samples: int, seed: int) -> da.Log:
    """A log of a robot with friction and rotors."""
    path = da.excitation(arm, period=10.0, generations=10, seed=seed)
    t = np.arange(samples) / RATE
    q, qd, qdd = path.position(t), path.velocity(t), path.acceleration(t)
    tau = arm.inverse_dynamics(q, qd, qdd) + FRICTION * np.sign(qd) + VISCOUS * qd + ROTOR * qdd
    tau += np.random.default_rng(seed).normal(0, NOISE, q.shape)
    return da.Log(t=t, q=np.round(q / QUANTUM) * QUANTUM, effort=tau, name=f"simulated {seed}")


def states(log: da.Log, cutoff: float) -> tuple[Array, Array, Array, Array]:
    """q, qd, qdd by a zero-phase filter and central differences, as the common method has them."""
    filter_ = signal.butter(4, cutoff, fs=1 / log.step, output="sos")
    q = signal.sosfiltfilt(filter_, log.q, axis=0)
    qd = np.gradient(q, log.step, axis=0)
    return q, qd, np.gradient(qd, log.step, axis=0), log.effort


def regressor_of(model: Any) -> Callable[[Array, Array, Array], Array]:
    """The regressor with friction, offset and rotor, sample by sample."""
    import pinocchio

    data, n = model.createData(), model.nv

    def made(q: Array, qd: Array, qdd: Array) -> Array:
        found = np.zeros((len(q), n, 14 * n))
        for k in range(len(q)):
            found[k, :, : 10 * n] = pinocchio.computeJointTorqueRegressor(model, data, q[k], qd[k], qdd[k])
        for j in range(n):
            for extra, column in enumerate((np.sign(qd[:, j]), qd[:, j], np.ones(len(q)), qdd[:, j])):
                found[:, j, 10 * n + 4 * j + extra] = column
        return found

    return made


def reduced(values: Array, log: da.Log, cutoff: float) -> Array:
    """Through the filter, and decimated to four samples a period of the cut-off; two periods left out at the ends."""
    filter_ = signal.butter(4, cutoff, fs=1 / log.step, output="sos")
    every, edge = max(1, int(1 / (4 * cutoff * log.step))), int(2 / (cutoff * log.step))
    return signal.sosfiltfilt(filter_, values, axis=0)[edge:-edge:every]


def by_hand(model: Any, log: da.Log, cutoff: float) -> Callable[[Array, Array, Array], Array]:
    """Base parameters by QR with pivoting and weighted least squares; gives the torques of any states."""
    regressor = regressor_of(model)
    q, qd, qdd, effort = states(log, cutoff)
    w, y = reduced(regressor(q, qd, qdd), log, cutoff), reduced(effort, log, cutoff)
    flat = w.reshape(-1, w.shape[-1])
    _, r, pivots = linalg.qr(flat / np.maximum(np.linalg.norm(flat, axis=0), 1e-12), mode="economic", pivoting=True)
    base = np.sort(pivots[: int((np.abs(np.diag(r)) > 1e-6 * abs(r[0, 0])).sum())])
    spread = np.ones(y.shape[1])
    for _ in range(2):
        values = np.linalg.lstsq((w[..., base] / spread[:, None]).reshape(-1, len(base)), (y / spread).ravel())[0]
        spread = (y - w[..., base] @ values).std(axis=0)
    return lambda q, qd, qdd: regressor(q, qd, qdd)[..., base] @ values


def by_figaroh(model: Any, log: da.Log, cutoff: float) -> Callable[[Array, Array, Array], Array]:
    """The functions of figaroh: its regressor, elimination, double QR decomposition."""
    from figaroh.tools.qrdecomposition import QRDecomposer  # type: ignore[import-not-found]
    from figaroh.tools.regressor import build_regressor_basic, get_index_eliminate  # type: ignore[import-not-found]

    n = model.nv
    robot = SimpleNamespace(model=model, data=model.createData())
    options = {
        "has_friction": True, "has_actuator_inertia": True, "has_joint_offset": True, "is_joint_torques": True,
        "act_idxv": list(range(n)),
    }  # fmt: skip

    def regressor(q: Array, qd: Array, qdd: Array) -> Array:
        tall = build_regressor_basic(robot, q, qd, qdd, options)  # joint after joint
        return tall.reshape(n, len(q), -1).transpose(1, 0, 2)

    q, qd, qdd, effort = states(log, cutoff)
    w, y = reduced(regressor(q, qd, qdd), log, cutoff), reduced(effort, log, cutoff)
    flat = w.reshape(-1, w.shape[-1])
    names = {f"p{k}": 0.0 for k in range(flat.shape[1])}
    gone, left = get_index_eliminate(flat, names, 1e-6)
    kept = np.delete(np.arange(flat.shape[1]), gone)
    decomposer = QRDecomposer()
    found = decomposer.double_decomposition(y.ravel(), flat[:, kept], left)
    combination, values = np.asarray(decomposer.M), np.asarray(found[3])
    whole = np.zeros(flat.shape[1])
    whole[kept] = np.linalg.lstsq(combination, values)[0]  # any parameters with these base parameters
    return lambda q, qd, qdd: regressor(q, qd, qdd) @ whole


def left_of(seen: Smoothed, predicted: Callable[[Array, Array, Array], Array]) -> tuple[float, Array]:
    """What is left of a log in the band of its filter, in all and joint by joint."""
    effort = seen.reduced(seen.effort)
    left = effort - seen.reduced(predicted(seen.q, seen.qd, seen.qdd))
    joints = np.linalg.norm(left, axis=0) / np.linalg.norm(effort, axis=0)
    return float(np.linalg.norm(left) / np.linalg.norm(effort)), joints


def compared(arm: da.Arm, used: da.Log, other: da.Log, friction: str) -> None:
    """One table: seconds, ratio to dalembert, what is left."""
    import pinocchio

    model = pinocchio.buildModelFromXML(arm.write_urdf())
    positions = da.Log(t=used.t, q=used.q, effort=used.effort, name=used.name)
    seen = smoothed(da.Log(t=other.t, q=other.q, effort=other.effort, name=other.name))
    cutoff = smoothed(positions).cutoff
    da.identify(arm, positions.rows(0, min(len(used), 4000)), friction)  # kernels are compiled once
    methods: dict[str, Callable[[], Callable[[Array, Array, Array], Array]]] = {
        "dalembert": lambda: da.identify(arm, positions, friction, cutoff=cutoff).predict,
        "dalembert, least squares": lambda: (
            da.identify(arm, positions, friction, cutoff=cutoff, method="least squares").predict
        ),
        "Pinocchio, QR, by hand": lambda: by_hand(model, positions, cutoff),
        "figaroh": lambda: by_figaroh(model, positions, cutoff),
    }
    print(f"{arm.name}: {len(used)} samples, cut-off {cutoff:.3g} Hz, judged on {other.name}")
    print(f"{'method':<26}{'time [s]':>10}{'ratio':>8}{'left [%]':>10}   joints [%]")
    first = 0.0
    for name, method in methods.items():
        began = time.process_time()
        try:
            predicted = method()
        except ImportError as fault:
            print(f"{name:<26}  not installed ({fault.name})")
            continue
        spent = time.process_time() - began
        first = first or spent
        whole, joints = left_of(seen, predicted)
        shown = " ".join(f"{100 * x:.1f}" for x in joints)
        print(f"{name:<26}{spent:>10.2f}{spent / first:>8.1f}{100 * whole:>10.2f}   {shown}")


def main() -> None:
    """Read the arguments and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arm", nargs="?", default="panda")
    parser.add_argument("log", nargs="?", type=Path)
    parser.add_argument("--validate", type=Path)
    parser.add_argument("--rows", action="append", default=[], help="START:STOP of the log, then of --validate")
    parser.add_argument("--gains", help="N m/A of each joint, by commas")
    parser.add_argument("--friction", default="coulomb+viscous+offset")
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--alone", action="store_true", help="dalembert alone, with memory: a million samples")
    given = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arm = da.load(given.arm, physical="ignore")
        if given.log is None:
            used, other = simulated(arm, given.samples, 1), simulated(arm, 20_000, 2)
        else:
            logs = [da.Log.read(path, name=path.name) for path in (given.log, given.validate or given.log)]
            for k, word in enumerate(given.rows):
                start, _, stop = word.partition(":")
                logs[k] = logs[k].rows(int(start or 0), int(stop) if stop else None)
            if given.gains:
                logs = [log.gained([float(x) for x in given.gains.split(",")]) for log in logs]
            used, other = logs
        if given.alone:
            alone(arm, used, other, given.friction)
        else:
            compared(arm, used, other, given.friction)


def alone(arm: da.Arm, used: da.Log, other: da.Log, friction: str) -> None:
    """Time and memory of a long log."""
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    began = time.process_time()
    found = da.identify(arm, used, friction)
    spent = time.process_time() - began
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    size = sum(x.nbytes for x in (used.t, used.q, used.effort)) / 1e6
    print(
        f"{arm.name}: {len(used)} samples in {spent:.2f} s of one core, cut-off {found.logs[0].cutoff:.3g} Hz, "
        f"{found.samples} kept; {100 * found.residual(other).whole:.2f} % left of another log; the log is {size:.0f} "
        f"MB, the most memory was {before:.0f} MB before and {after:.0f} MB after"
    )


if __name__ == "__main__":
    main()
