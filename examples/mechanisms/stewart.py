"""A Stewart platform on six general 6R legs: the loads at its six base joints while the platform moves."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from drawing import draw_space, save

from dalembert.mechanisms.gallery import stewart


def main() -> None:
    platform = stewart()
    print(platform, "-", platform.mobility())
    print("condition of the transfer:", f"{platform.assembly.carried(platform.home[None]).condition[0]:.3g}")
    q = platform.coordinates_of(platform.home)
    phase = np.linspace(0, 2 * np.pi, 61)
    sway = 0.012 * np.sin(phase[:, None] + np.arange(6))
    path = q + sway - sway[0]
    motion = platform.follow(path)
    rate = 0.012 * np.cos(phase[:, None] + np.arange(6))
    rate2 = -0.012 * np.sin(phase[:, None] + np.arange(6))
    loads = platform.inverse_dynamics(motion, rate, rate2)
    place = platform.frame(motion, "platform")[:, :3, 3]
    other = platform.with_coordinates([f"leg{k}.joint2" for k in range(1, 7)])
    rates = platform.joint_motion(motion, rate, rate2)
    drives = [platform.chains.joint_index(name) for name in other.coordinates]
    swapped = other.inverse_dynamics(motion, rates[0][:, drives], rates[1][:, drives])
    print(
        "largest load, driven at joints 1 and at joints 2:",
        np.abs(loads).max().round(1),
        np.abs(swapped).max().round(1),
        "N m",
    )

    figure = plt.figure(figsize=(11, 4.4))
    space = figure.add_subplot(1, 2, 1, projection="3d")
    draw_space(space, platform, motion[0])
    ring = np.array([platform.frame(motion[0], f"leg{k}")[:3, 3] for k in range(1, 7)])
    ring = np.vstack([ring, ring[:1]])
    space.plot(*ring.T, "k-", lw=2)
    space.plot(*place.T, "r-", lw=1)
    axes = figure.add_subplot(1, 2, 2)
    for k in range(6):
        axes.plot(np.degrees(phase), loads[:, k], color=f"C{k}", label=f"leg {k + 1}, joint 1")
        axes.plot(np.degrees(phase), swapped[:, k], color=f"C{k}", ls=":")
    axes.set_xlabel("phase of the motion [deg]")
    axes.set_ylabel("load [N m] (dotted: driven at joints 2)")
    axes.legend(fontsize=7)
    save(figure, "stewart")


if __name__ == "__main__":
    main()
