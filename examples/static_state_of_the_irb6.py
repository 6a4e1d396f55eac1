"""The IRb-6 held by constant currents: which ones hold it, and what happens beyond them (Szkodny 1995)."""

import numpy as np

import dalembert as da

driven = da.load("irb6").driven
start = driven.joint_positions([-130.0, -66.7, -51.0, -199.0, -199.0])

print("Currents that hold the state of Fig. 4, from and to (A); 0, 3.18, -0.73, 0, 0 are printed:")
band = driven.electric.current_band(start)
for motor, low, high in zip(band.motors, band.low, band.high, strict=True):
    print(f"  {motor} {low:7.3f} {high:7.3f}")

held = driven.simulate([0.0, 3.18, -0.73, 0.0, 0.0], start, None, 2.0, input="current")
print("moved at most", np.abs(held.q - start).max(), "rad in", held.t[-1], "s")

raised = driven.simulate(lambda t, q, qd: [0.0, 3.18 + t, -0.73, 0.0, 0.0], start, None, 1.5, input="current")
for event in raised.events:
    print(f"{event.time:.4f} s: {event.name} {event.kind}")
print("energy account off by", np.abs(raised.balance).max(), "J")
