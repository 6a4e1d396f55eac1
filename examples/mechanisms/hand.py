"""The two-fingered hand of Fig. 4-5b: four motors hold a disc, whose contacts can only push."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from drawing import draw_plane, save

from dalembert.mechanisms.gallery import two_fingered_hand
from dalembert.mechanisms.overconstrained import Motors

FINGERS = ["left.joint1", "left.joint2", "right.joint1", "right.joint2"]


def main() -> None:
    hand = two_fingered_hand()
    print(hand, "-", hand.mobility())
    motors = Motors(hand, FINGERS)
    still = np.zeros(3)
    free = motors.distribute(hand.home, still, still, contacts=False, limits=False)
    held = motors.distribute(hand.home, still, still)
    names = hand.equation_names
    print("4-85, contacts that may pull (N):", dict(zip(names, free.closure_forces.round(2).tolist(), strict=True)))
    print("contacts that push (N):          ", dict(zip(names, held.closure_forces.round(2).tolist(), strict=True)))
    lift = np.linspace(-5, 15, 41)
    loads, pushes = [], []
    for a in lift:
        found = motors.distribute(hand.home, still, [0, a, 0], limits=False)
        loads.append(found.torque)
        pushes.append(found.closure_forces[1::2])

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2))
    draw_plane(left, hand, hand.home)
    centre = hand.frame(hand.home, "disc")[:2, 3]
    left.add_patch(plt.Circle(centre, 0.05, fill=False, color="k"))
    for k, closure in enumerate(hand.parts.closures):
        at = hand.frame(hand.home, closure.a)
        force = -(held.closure_forces[2 * k] * at[:2, 0] + held.closure_forces[2 * k + 1] * at[:2, 2])
        left.annotate("", at[:2, 3] + 0.02 * force, at[:2, 3], arrowprops={"arrowstyle": "->", "color": "r", "lw": 2})
    left.set_title("Forces of the fingers on the disc at rest")
    right.plot(lift, np.array(loads))
    right.plot(lift, 0.05 * np.array(pushes), "k--")
    right.set_xlabel("upward acceleration of the disc [m/s^2]")
    right.set_ylabel("motor loads [N m]; dashed: push / 20 [N]")
    right.legend([*FINGERS, "push left", "push right"], fontsize=7)
    save(figure, "hand")


if __name__ == "__main__":
    main()
