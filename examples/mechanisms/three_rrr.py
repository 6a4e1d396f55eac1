"""The 3-RRR of Freeman's Appendix E: its model at the base joints and at the hand, and how its inertia changes."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from drawing import draw_plane, save

from dalembert.mechanisms.gallery import three_rrr


def main() -> None:
    robot = three_rrr()
    print(robot, "-", robot.mobility())
    model = robot.model(robot.home)
    print(
        "I* at the base joints (E-7):",
        np.round(model.inertia, 12).tolist(),
        " largest |P*|:",
        np.abs(model.power).max(),
    )
    hand = robot.with_coordinates(["x(leg1)", "y(leg1)", "rz(leg1)"])
    print("I* at the hand (Table E-2):\n", np.round(hand.model(robot.home).inertia, 3))
    plane = robot.with_coordinates(["x(leg1)", "y(leg1)", "leg1.joint1 + leg1.joint2 + leg1.joint3"])
    start = plane.coordinates_of(robot.home)
    angle = np.linspace(0, 2 * np.pi, 73)
    path = start + 0.3 * np.stack([np.cos(angle) - 1, np.sin(angle), 0 * angle], 1)
    motion = plane.follow(path, robot.home)
    inertia = plane.model(motion).inertia

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4))
    draw_plane(left, robot, robot.home)
    draw_plane(left, robot, motion[36], alpha=0.3)
    left.plot(path[:, 0], path[:, 1], "k:", lw=1)
    left.set_title("Home, and half way round the circle")
    for k, name in enumerate(("x", "y")):
        right.plot(np.degrees(angle), inertia[:, k, k], label=f"I* along {name}")
    right.plot(np.degrees(angle), inertia[:, 0, 1], label="coupling I*xy")
    right.set_xlabel("along the circle [deg]")
    right.set_ylabel("effective inertia of the hand")
    right.legend()
    save(figure, "three_rrr")


if __name__ == "__main__":
    main()
