"""Two PUMA 560 carry one bar: twelve motors share what six freedoms need."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from drawing import draw_space, save

import dalembert as da
from dalembert.mechanisms.gallery import cooperating
from dalembert.mechanisms.overconstrained import Motors


def main() -> None:
    pair = cooperating(da.load("puma560", physical="ignore"))
    print(pair, "-", pair.mobility())
    motors = Motors(pair, pair.joint_names)
    q = pair.coordinates_of(pair.home)
    phase = np.linspace(0, 2 * np.pi, 31)
    swing = np.array([0.1, 0.15, -0.15, 0.1, 0.1, 0.1])
    motion = pair.follow(q + swing * np.sin(phase)[:, None])
    alone, shared, squeezed = [], [], []
    for phi, p in zip(motion, phase, strict=True):
        qd, qdd = swing * np.cos(p), -swing * np.sin(p)
        alone.append(np.linalg.norm(pair.inverse_dynamics(phi, qd, qdd)))
        found = motors.distribute(phi, qd, qdd, limits=False)
        shared.append(np.linalg.norm(found.torque))
        squeeze = motors.internal(phi)[:, 0] * 20
        squeezed.append(np.linalg.norm(motors.distribute(phi, qd, qdd, limits=False, preload=squeeze).torque))
        assert found.residual < 1e-9
    print(f"mean load norm: left arm alone {np.mean(alone):.1f}, shared {np.mean(shared):.1f} N m")

    figure = plt.figure(figsize=(10, 4.2))
    space = figure.add_subplot(1, 2, 1, projection="3d")
    draw_space(space, pair, pair.home)
    bar = np.array([pair.frame(pair.home, "left")[:3, 3], pair.frame(pair.home, "right")[:3, 3]])
    space.plot(*bar.T, "k-", lw=5)
    space.view_init(20, -10)
    axes = figure.add_subplot(1, 2, 2)
    axes.plot(np.degrees(phase), alone, label="left arm drives alone")
    axes.plot(np.degrees(phase), shared, label="shared, least squares (4-85)")
    axes.plot(np.degrees(phase), squeezed, label="shared, with an internal force of 20")
    axes.set_xlabel("phase of the motion [deg]")
    axes.set_ylabel("norm of the motor loads [N m]")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8)
    save(figure, "two_pumas")


if __name__ == "__main__":
    main()
