"""How often and how fast poses are reached, beside a plain loop of Pinocchio in the same process.

    python benchmarks/inverse_kinematics.py [--poses 1000] [--clik 100] [--closed-forms] [--record] [ARM ...]

Poses are Pinocchio's forward kinematics at random positions within the limits. "CLIK" is the closed loop of Pinocchio's
own example: log6 of the pose error, its Jacobian, damped by 1e-6, integrated by half a step, up to 100 steps, from
random starts like ours, joint positions clipped to the limits at each step; as many starts as it takes, up to 20. Times
are CPU time per pose. "batch" is one call for all poses, "single" one call for each.

With ``--closed-forms`` all solutions of arms of several geometries are listed instead: how many there are, how exactly
forward kinematics gives the pose back, and what a pose costs; beside EAIK (Ostermeier and others 2025), one call for
each pose, where it is installed and knows the geometry.
"""

from __future__ import annotations

import argparse
import time
import warnings

import history
import numpy as np
import pinocchio as pin

import dalembert as da

STARTS, STEPS, DAMPING, GAIN = 20, 100, 1e-6, 0.5


class Loop:
    """Pinocchio's model of an arm, its forward kinematics and its closed loop."""

    def __init__(self, arm: da.Arm) -> None:
        self.model = pin.buildModelFromXML(arm.write_urdf())
        self.data = self.model.createData()
        self.frame = self.model.getFrameId(arm.tool_link)
        place = (np.array(part, dtype=float) for part in (arm.tool.rotation, arm.tool.position))
        self.tool = pin.SE3(*place)
        self.lower = np.where(np.isfinite(arm.lower), arm.lower, -np.pi)
        self.upper = np.where(np.isfinite(arm.upper), arm.upper, np.pi)

    def pose(self, q: np.ndarray) -> pin.SE3:
        """The tool at joint positions."""
        pin.framesForwardKinematics(self.model, self.data, q)
        return self.data.oMf[self.frame] * self.tool

    def solve(self, target: pin.SE3, start: np.ndarray, tolerance: float) -> np.ndarray | None:
        """Positions of the pose, or None."""
        q = start.copy()
        to_tool = self.tool.toActionMatrixInverse()
        for _ in range(STEPS):
            error = pin.log6(self.pose(q).actInv(target)).vector
            if np.linalg.norm(error[:3]) < tolerance and np.linalg.norm(error[3:]) < tolerance:
                return q
            jacobian = to_tool @ pin.computeFrameJacobian(self.model, self.data, q, self.frame, pin.LOCAL)
            jacobian = -pin.Jlog6(self.pose(q).actInv(target).inverse()) @ jacobian
            step = -jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + DAMPING * np.eye(6), error)
            q = np.clip(pin.integrate(self.model, q, GAIN * step), self.lower, self.upper)
        return None


def sixteen() -> da.Arm:
    """The arm of Manseur and Doty 1989, six axes that neither meet nor are parallel in threes."""
    right, twist = np.pi / 2, np.pi / 180
    table = ((0.3, right, 0), (1, twist, 0), (0, right, 0.2), (1.5, twist, 0), (0, right, 0), (0, twist, 0))
    return da.Arm.from_dh([{"a": a, "alpha": alpha, "d": d} for a, alpha, d in table], name="Manseur and Doty")


def peer(arm: da.Arm, target: np.ndarray) -> float:
    """CPU time of EAIK per pose, NaN where it is not installed or has no decomposition."""
    from dalembert.kinematics.closed_form.screw_chain import ScrewChain

    try:
        from eaik.IK_HP import HPRobot
    except ImportError:
        return float("nan")
    chain = ScrewChain.of(arm.framed(None))
    if chain is None or chain.letters != "RRRRRR":
        return float("nan")
    points = [np.zeros(3), *(screw.point * chain.length for screw in chain.screws), chain.shift * chain.length]
    robot = HPRobot(np.array([screw.direction for screw in chain.screws]), np.diff(np.array(points), axis=0))
    if not robot.hasKnownDecomposition():
        return float("nan")
    poses = target.copy()
    poses[:, :3, :3] = target[:, :3, :3] @ chain.turn.T
    begin = time.process_time()
    for pose in poses:
        robot.IK(pose)
    return (time.process_time() - begin) / len(poses)


def closed_forms(count: int) -> None:
    """All solutions, by geometry."""
    print("arm                            solutions         off  batch [us]  single [us]  EAIK [us]  how")
    loaded = {name: da.load(name, physical="ignore") for name in ("puma560", "ur5e", "stanford", "irb6")}
    spare = {"iiwa14": "joint_3", "panda": "joint7"}
    arms = {**loaded, **{f"{name}, {joint} held": da.load(name).locked({joint: 0.3}) for name, joint in spare.items()}}
    arms["panda, joint3 held"] = da.load("panda").locked({"joint3": 0.3})
    arms["Manseur and Doty"] = sixteen()
    rng = np.random.default_rng(0)
    for name, arm in arms.items():
        target = arm.forward_kinematics(rng.uniform(-3, 3, (count, arm.n)))
        for part in (target, target[0]):  # kernels run as tables until it pays to compile them
            for _ in range(5 if part.ndim == 3 else 200):
                arm.inverse_kinematics(part, limits=False)
        begin = time.process_time()
        arm.inverse_kinematics(target, limits=False)
        batch = (time.process_time() - begin) / count
        begin = time.process_time()
        for one in target[:200]:
            arm.inverse_kinematics(one, limits=False)
        single = (time.process_time() - begin) / 200
        found = arm.inverse_kinematics(target, limits=False, solutions=True)
        sizes = [len(part) for part in found.solutions]
        off = max(
            np.abs(arm.forward_kinematics(q) - pose).max() for q, pose in zip(found.solutions, target, strict=True)
        )
        print(
            f"{name:28s} {min(sizes):3d} to {max(sizes):2d} {off:11.1e} {1e6 * batch:11.1f} {1e6 * single:12.0f} "
            f"{1e6 * peer(arm, target):10.1f}  {found.method}"
        )


def main() -> None:
    """The table."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("arms", nargs="*", default=["puma560", "ur5e", "stanford", "panda", "iiwa14"])
    words.add_argument("--poses", type=int, default=1000)
    words.add_argument("--clik", type=int, default=100, help="poses that the loop of Pinocchio gets, the first of them")
    words.add_argument("--tolerance", type=float, default=1e-6, help="m and rad")
    words.add_argument("--record", action="store_true", help="add the ratios to benchmarks/results/history.jsonl")
    words.add_argument("--closed-forms", action="store_true", help="all solutions, by geometry")
    given, ratios = words.parse_args(), {}
    if given.closed_forms:
        closed_forms(given.poses)
        return
    print("arm         reached  batch [us]  single [us]  CLIK reached  first start  CLIK [us]  CLIK/batch  CLIK/single")
    for name in given.arms:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            arm = da.load(name)
        loop = Loop(arm)
        rng = np.random.default_rng(0)
        poses = [loop.pose(q).copy() for q in rng.uniform(loop.lower, loop.upper, (given.poses, arm.n))]
        target = np.array([pose.homogeneous for pose in poses])
        arm.inverse_kinematics(target[:2], tolerance=given.tolerance)  # compiled once, kept on disk
        arm.inverse_kinematics(target[0], tolerance=given.tolerance)
        begin = time.process_time()
        found = arm.inverse_kinematics(target, tolerance=given.tolerance)
        batch = (time.process_time() - begin) / given.poses
        begin = time.process_time()
        few = target[: given.clik]
        for one in few:
            arm.inverse_kinematics(one, tolerance=given.tolerance)
        single = (time.process_time() - begin) / len(few)
        begin, reached, first = time.process_time(), 0, 0
        for pose in poses[: given.clik]:
            for start in range(STARTS):
                if loop.solve(pose, rng.uniform(loop.lower, loop.upper), given.tolerance) is not None:
                    reached, first = reached + 1, first + (start == 0)
                    break
        clik = (time.process_time() - begin) / len(few)
        ratios |= {f"{name}, batch of {given.poses}": clik / batch, f"{name}, one pose": clik / single}
        shares = (found.success, reached / len(few), first / len(few))
        print(
            f"{name:10s} {shares[0]:8.1%} {1e6 * batch:11.0f} {1e6 * single:12.0f} {shares[1]:13.1%} {shares[2]:12.1%} "
            f"{1e6 * clik:10.0f} {clik / batch:11.0f} {clik / single:12.1f}"
        )
    if given.record:
        history.record("inverse kinematics", ratios)


if __name__ == "__main__":
    main()
