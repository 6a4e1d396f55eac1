"""Panda, seven joints for six freedoms of its hand: the elbow swings while the hand draws a circle, within limits."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from drawing import draw_space, save

import dalembert as da
from dalembert.mechanisms.mechanism import Mechanism
from dalembert.mechanisms.redundant import Redundant

HOME = np.array([0.2, -0.5, 0.3, -1.9, 0.4, 1.6, 0.7])


def main() -> None:
    arm = da.load("panda", physical="ignore")
    mechanism = Mechanism({"arm": arm}, [], [f"arm.{name}" for name in arm.joint_names], home=HOME)
    panda = Redundant(mechanism, "arm")
    times = np.linspace(0, 3, 61)
    poses = np.repeat(mechanism.frame(HOME, "arm")[None], len(times), 0)
    poses[:, 0, 3] += 0.08 * (np.cos(2 * np.pi * times / 3) - 1)
    poses[:, 1, 3] += 0.08 * np.sin(2 * np.pi * times / 3)
    plain = panda.track(times, poses, HOME)
    wish = np.zeros((len(times), 7))
    wish[:, 2] = 0.6 * np.cos(np.pi * times / 3)
    swung = panda.track(times, poses, HOME, wish)
    print(f"hand off by {plain.error:.1e} and {swung.error:.1e} m or rad; limits kept:",
          bool(((swung.phi >= mechanism.chains.lower) & (swung.phi <= mechanism.chains.upper)).all()))  # fmt: skip

    figure = plt.figure(figsize=(10, 4.2))
    space = figure.add_subplot(1, 2, 1, projection="3d")
    for k, alpha in ((0, 1.0), (20, 0.5), (40, 0.25)):
        draw_space(space, mechanism, swung.phi[k], "tab:blue", alpha)
    space.plot(*poses[:, :3, 3].T, "r-", lw=1)
    axes = figure.add_subplot(1, 2, 2)
    for k in range(7):
        axes.plot(times, plain.phi[:, k], color=f"C{k}", label=arm.joint_names[k])
        axes.plot(times, swung.phi[:, k], color=f"C{k}", ls="--")
    axes.set_xlabel("time [s]")
    axes.set_ylabel("joints [rad] (dashed: with a swinging elbow)")
    axes.legend(fontsize=7)
    save(figure, "panda")


if __name__ == "__main__":
    main()
