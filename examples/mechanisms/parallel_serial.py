"""The hybrid arm of Fig. 4-3: a 3-RRR stage carries a three-joint arm; six drives, one model."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from drawing import draw_space, save

from dalembert.mechanisms.gallery import parallel_serial


def main() -> None:
    arm = parallel_serial()
    print(arm, "-", arm.mobility())
    model = arm.model(arm.home)
    print("I* [kg m^2]:\n", np.round(model.inertia, 3))
    print("loads at rest [N m]:", np.round(-model.load, 2))
    q = arm.coordinates_of(arm.home)
    phase = np.linspace(0, 2 * np.pi, 61)
    swing = 0.25 * np.array([1.0, 0.6, -0.5, 1.0, 0.8, 1.2])
    path = q + swing * np.sin(phase)[:, None]
    motion = arm.follow(path)
    loads = arm.inverse_dynamics(motion, swing * np.cos(phase)[:, None], -swing * np.sin(phase)[:, None])

    figure = plt.figure(figsize=(10, 4.2))
    space = figure.add_subplot(1, 2, 1, projection="3d")
    draw_space(space, arm, arm.home)
    draw_space(space, arm, motion[15], alpha=0.25)
    axes = figure.add_subplot(1, 2, 2)
    for k, name in enumerate(arm.coordinates):
        axes.plot(np.degrees(phase), loads[:, k], label=name)
    axes.set_xlabel("phase of the motion [deg]")
    axes.set_ylabel("load [N m]")
    axes.legend(fontsize=7)
    save(figure, "parallel_serial")


if __name__ == "__main__":
    main()
