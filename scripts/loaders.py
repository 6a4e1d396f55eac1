"""Load every URDF and MJCF file under a folder, compare the torques with the program the format comes from, count.

    python scripts/loaders.py FOLDER [--angles as-written] [--clean 1e-9] [--states 5] [--all]

A file is counted as loaded, without moving joints, or refused, with the sentence that says why. Loaded URDFs are
compared with Pinocchio, MJCF files with MuJoCo, at random states: the largest difference of the torques over the
largest torque. With angles read as they were meant (the default) the difference is that of the rounding in the file;
with ``--angles as-written`` it is that of two programs on the same numbers.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import ParseError

import numpy as np
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import parse

import dalembert as da

LARGEST = 16_000_000


@dataclass(frozen=True)
class Outcome:
    """What became of one file: "loaded", "still", "refused", with the sentence, the angles moved and the difference."""

    path: Path
    what: str
    sentence: str = ""
    moved: str = ""
    difference: float | None = None


def files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Files under a folder whose outermost element is <robot> or <mujoco>, and that element; others are no arms."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in (".urdf", ".xml") or not path.is_file() or path.stat().st_size > LARGEST:
            continue
        try:
            root = parse(path).getroot().tag
        except (ParseError, DefusedXmlException, ValueError):
            root = "robot" if path.suffix.lower() == ".urdf" else ""
        if root in ("robot", "mujoco"):
            yield path, root


def outcome(path: Path, root: str, angles: str, clean: float | None, states: int) -> Outcome:
    """One file, loaded and compared."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            arm = da.load(path, physical="ignore", mimic="free", angles=angles, clean=clean)
        except da.ArmError as fault:
            return Outcome(path, "refused", " ".join(str(fault).removeprefix(f"{path}: ").split()))
    moved = next((str(one.message) for one in told if "as they were meant" in str(one.message)), "")
    if not arm.n:
        return Outcome(path, "still", moved=moved)
    try:
        theirs = PEERS[root](path, arm)
    except Exception as fault:  # whatever the other program raises
        reason = (str(fault).splitlines() or [type(fault).__name__])[0]
        return Outcome(path, "loaded", f"the other program does not: {reason}", moved)
    rng = np.random.default_rng(0)
    worst = 0.0
    for _ in range(states):
        q, qd, qdd = rng.uniform(-1, 1, (3, arm.n))
        ours, reference = arm.inverse_dynamics(q, qd, qdd), theirs(q, qd, qdd)
        worst = max(worst, float(np.abs(ours - reference).max() / max(np.abs(reference).max(), 1e-300)))
    return Outcome(path, "loaded", "", moved, worst)


def pinocchio(path: Path, arm: da.Arm):  # type: ignore[no-untyped-def]
    """Torques of Pinocchio, in the order of our joints."""
    import pinocchio as pin

    # In place of "mimic", which Pinocchio couples and this comparison lets move.
    model = pin.buildModelFromXML(path.read_text(encoding="utf-8-sig"), mimic=False)
    model.gravity.linear = np.array([float(g) for g in arm.gravity])
    data = model.createData()
    joints = [model.joints[model.getJointId(name)] for name in arm.joint_names]

    def torques(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        there, speed, acceleration = np.empty(model.nq), np.empty(model.nv), np.empty(model.nv)
        for joint, position, v, a in zip(joints, q, qd, qdd, strict=True):
            there[joint.idx_q : joint.idx_q + joint.nq] = (
                [np.cos(position), np.sin(position)] if joint.nq == 2 else [position]
            )
            speed[joint.idx_v], acceleration[joint.idx_v] = v, a
        found = pin.rnea(model, data, there, speed, acceleration)
        return np.array([found[joint.idx_v] for joint in joints])

    return torques


def mujoco(path: Path, arm: da.Arm):  # type: ignore[no-untyped-def]
    """Torques of MuJoCo without contacts, friction, damping and armature: those of the links alone, and springs."""
    import mujoco as mj

    model = mj.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONTACT | mj.mjtDisableBit.mjDSBL_CONSTRAINT
    model.dof_damping[:], model.dof_armature[:] = 0, 0
    data = mj.MjData(model)

    def torques(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mj.mj_inverse(model, data)
        return np.array(data.qfrc_inverse)

    return torques


PEERS = {"robot": pinocchio, "mujoco": mujoco}


def main() -> int:
    """The table."""
    ask = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    ask.add_argument("folder", type=Path)
    ask.add_argument("--angles", choices=["as-meant", "as-written"], default="as-meant")
    ask.add_argument("--clean", type=float, default=None, metavar="SHARE")
    ask.add_argument("--states", type=int, default=5, help="random states for each file")
    ask.add_argument(
        "--all", action="store_true", help="a line for every file, not only for those with something to say"
    )
    given = ask.parse_args()
    angles = given.angles.replace("-", " ")
    found = [outcome(path, root, angles, given.clean, given.states) for path, root in files(given.folder)]
    if not found:
        print(f"{given.folder}: holds no URDF or MJCF file", file=sys.stderr)
        return 2
    for one in found:
        name = one.path.relative_to(given.folder)
        if one.sentence or given.all:
            figure = "" if one.difference is None else f" {one.difference:.1e}"
            print(f"{one.what:8}{figure} {name}{': ' if one.sentence else ''}{one.sentence}")
    counts = Counter(one.what for one in found)
    compared = [one for one in found if one.difference is not None]
    print(f"\n{len(found)} files: {counts['loaded']} with moving joints load, {counts['still']} without, "
          f"{counts['refused']} refused")  # fmt: skip
    print(f"{sum(bool(one.moved) for one in found)} of them have rounded angles that were read as meant")
    if compared:
        worst = max(compared, key=lambda one: one.difference or 0.0)
        print(f"{len(compared)} compared; worst difference {worst.difference:.1e} of the largest torque, "
              f"{worst.path.relative_to(given.folder)}")  # fmt: skip
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
