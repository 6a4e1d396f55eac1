"""The IRb-6 held by constant currents, all friction on, and what happens when one of them is raised (Szkodny 1995)."""

import numpy as np

import dalembert as da

driven = da.load("irb6").driven
start = driven.joint_positions([-130.0, -66.7, -51.0, -199.0, -199.0])

held = driven.simulate([0.0, 3.18, -0.73, 0.0, 0.0], start, None, 2.0, input="current")
print("moved at most", np.abs(held.q - start).max(), "rad in", held.t[-1], "s")

raised = driven.simulate(lambda t, q, qd: [0.0, 3.18 + t, -0.73, 0.0, 0.0], start, None, 1.5, input="current")
for event in raised.events:
    print(f"{event.time:.4f} s: {event.name} {event.kind}")
print("energy account off by", np.abs(raised.balance).max(), "J")
