"""Logs as a robot would give them: a motion of many harmonics, exact torques with friction and rotors, and noise."""

from __future__ import annotations

import numpy as np

import dalembert as da
from dalembert.arm.io.joint_drives import JointDrive, train_of_joints

ROTORS = (0.8, 0.6, 0.4)
COULOMB = (5.0, 4.0, 2.0)
VISCOUS = (3.0, 2.5, 1.2)


def robot() -> da.DrivenArm:
    """Three joints of a PUMA with friction and rotors of its own."""
    arm = da.load("puma560-arm")
    rows = [
        JointDrive(name, armature=rotor, damping=viscous, friction=coulomb)
        for name, rotor, viscous, coulomb in zip(arm.joint_names, ROTORS, VISCOUS, COULOMB, strict=True)
    ]
    return arm.with_drives(train_of_joints(rows))


def truth(arm: da.Arm, found: da.Identification) -> np.ndarray:
    """The base parameters, friction and rotors that were put in."""
    friction = [value for j in range(arm.n) for value in (COULOMB[j], VISCOUS[j], 0.0)]
    return found.base.combinations @ np.concatenate([arm.parameters, friction, ROTORS])


def motion(
    n: int, seconds: float = 20.0, rate: float = 200.0, seed: int = 0, harmonics: int = 5
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """t, q, qd, qdd of a sum of sines, periodic in ``seconds`` over two."""
    rng = np.random.default_rng(seed)
    t = np.arange(round(seconds * rate)) / rate
    order = np.arange(1, harmonics + 1) * 4 * np.pi / seconds
    factor = rng.uniform(-1, 1, (2, harmonics, n)) / np.arange(1, harmonics + 1)[:, None]
    angle = t[:, None] * order
    s, c = np.sin(angle), np.cos(angle)
    q = s @ factor[0] + c @ factor[1]
    qd = (c * order) @ factor[0] - (s * order) @ factor[1]
    qdd = -(s * order**2) @ factor[0] - (c * order**2) @ factor[1]
    return t, q, qd, qdd


def log(
    system: da.DrivenArm, seed: int = 0, noise: float = 0.5, quantum: float = 2e-5, path: int = 0, seconds: float = 20.0
) -> da.Log:
    """A log of ``system``: positions to a quantum (rad), noise of the torques (N m)."""
    t, q, qd, qdd = motion(system.n, seconds=seconds, seed=path)
    rng = np.random.default_rng(seed + 1000)
    tau = system.inverse_dynamics(q, qd, qdd) + rng.normal(0, noise, q.shape)
    return da.Log(t=t, q=np.round(q / quantum) * quantum, effort=tau, name=f"path {path}")
