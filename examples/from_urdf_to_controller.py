"""From a URDF file to a controller in C: friction, rotors, payload and effort limits, closed at 1 kHz.

    python examples/from_urdf_to_controller.py [FILE.urdf] [--seconds 2] [--payload 1.5] [--folder controller]

The file is read as it was meant (1.5708 is a right angle), its joints get the friction it states, and the function
"computed_torques" is written as C99: links and payload at the measured state, friction at the speed that is wanted.
The C is compiled and called once a millisecond against the exact plant, whose torques are cut at the effort limits of
the file. Without a file, a URDF of the built-in iiwa14 with plain friction is used.
"""

from __future__ import annotations

import argparse
import ctypes
import re
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import dalembert as da
from dalembert.compile import build

PERIOD = 1e-3
KP, KD = 900.0, 60.0


def example_urdf() -> str:
    """The built-in iiwa14 as URDF, with friction and damping at every joint."""
    text = da.load("iiwa14").write_urdf()
    return re.sub(r'(<joint [^>]*type="(?:revolute|continuous)">)', r'\1<dynamics damping="0.5" friction="0.6"/>', text)


def compiled(source: Path, folder: Path) -> Callable[..., np.ndarray]:
    """The C function in ``source``, built with the compiler at hand and called by ctypes."""
    library = folder / "controller.so"
    command = [*build.find().command, "-O2", "-shared", "-fPIC", "-std=c99", str(source), "-o", str(library), "-lm"]
    subprocess.run(command, check=True)
    entry = getattr(ctypes.CDLL(str(library)), source.stem)

    def call(*arrays: np.ndarray) -> np.ndarray:
        torque = np.empty(len(arrays[0]))
        entry(*(np.ascontiguousarray(a, dtype=float).ctypes.data_as(ctypes.c_void_p) for a in arrays),
              torque.ctypes.data_as(ctypes.c_void_p))  # fmt: skip
        return torque

    return call


def main(arguments: Sequence[str] | None = None) -> float:
    """Run the example; the largest tracking error (rad or m)."""
    parser = argparse.ArgumentParser(description="From a URDF file to a controller in C.")
    parser.add_argument("file", nargs="?", help="a URDF file; the built-in iiwa14 without one")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--payload", type=float, default=1.5, help="kg in the hand")
    parser.add_argument("--folder", type=Path, default=None, help="where the C goes; a temporary folder without it")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        arm = da.load(given.file or example_urdf(), physical="ignore", mimic="hold")
        system = arm.driven.holding(da.Load(mass=given.payload, com=(0, 0, 0.05)))
        print(f"{arm.name}: {arm.n} joints, tool {arm.tool_link}, payload {given.payload:g} kg")
        files = system.write_c("computed_torques", folder)
        controller = compiled(next(file for file in files if file.suffix == ".c" and "test" not in file.stem), folder)

        low, high = (np.where(np.isfinite(x), x, s * 1.0) for x, s in ((arm.lower, -1), (arm.upper, 1)))
        middle, reach = (low + high) / 2, np.minimum(0.4, 0.3 * (high - low))
        path = da.quintic([middle - reach, middle + reach], given.seconds)

        def control(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
            place, speed, rate = path.state(t)
            return controller(q, qd, rate + KD * (speed - qd) + KP * (place - q), speed)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            motion = da.simulate(
                system, control, middle - reach, duration=given.seconds, period=PERIOD, input="joint torque",
                saturate=True, samples=201,
            )  # fmt: skip
        errors = np.array([q - path.state(t)[0] for t, q in zip(motion.t, motion.q, strict=True)])
        worst = float(np.abs(errors).max())
        print(f"closed at {1 / PERIOD:.0f} Hz for {given.seconds:g} s: {motion.steps} steps of the plant")
        for joint, error, limit, torque in zip(
            arm.moving, np.abs(errors).max(axis=0), arm.effort_limits, np.abs(motion.u).max(axis=0), strict=True
        ):
            unit, effort = ("rad", "N m") if joint.kind == "revolute" else ("m", "N")
            print(f"  {joint.name:24s} largest error {error:.2e} {unit}, of {limit:g} {effort} used {torque:.2f}")
        print(f"largest tracking error: {worst:.2e}, in the unit of its joint")
        return worst


if __name__ == "__main__":
    main()
