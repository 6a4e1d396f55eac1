"""The planar robot of Fig. 4-4 with six drives for three freedoms of its plate: who decides, and what it costs."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from drawing import draw_plane, save

from dalembert.mechanisms.gallery import six_actuator
from dalembert.mechanisms.redundant import Redundant

WANTED = ("x", "y", "rz")


def main() -> None:
    robot = six_actuator()
    print(robot, "-", robot.mobility())
    ways = {
        "least energy (4-70)": Redundant(robot, "plate", WANTED),
        "least rates": Redundant(robot, "plate", WANTED, "joints"),
    }
    steps, dt = 60, 1 / 60
    energies = {}
    ends = {}
    for name, way in ways.items():
        phi, energy = robot.home.copy(), []
        for k in range(steps):
            phase = 2 * np.pi * k * dt
            wanted = 2 * np.pi * 0.08 * np.array([-np.sin(phase), np.cos(phase), 0.0])
            qd = way.rates(phi, wanted)
            energy.append(0.5 * qd @ robot.model(phi).inertia @ qd)
            q = robot.coordinates_of(phi) + dt * qd
            phi = robot.position(q, phi)
        energies[name], ends[name] = energy, phi
        print(f"{name}: mean kinetic energy {np.mean(energy):.4f} J")

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2))
    draw_plane(left, robot, robot.home)
    for name, phi in ends.items():
        draw_plane(left, robot, phi, "grey" if "rates" in name else "tab:green", 0.4)
    left.set_title("Home, and after one circle of the plate")
    for name, energy in energies.items():
        right.plot(np.arange(steps) * dt, energy, label=name)
    right.set_xlabel("time [s]")
    right.set_ylabel("kinetic energy [J]")
    right.legend()
    save(figure, "six_actuator")


if __name__ == "__main__":
    main()
