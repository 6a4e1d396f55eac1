"""Computed torque on the links of the PUMA 560: what a load that the model does not know of does to the tracking."""

import numpy as np

import dalembert as da

arm = da.load("puma560", physical="ignore").holding(da.Load(mass=2.0, com=(0, 0, 0.1)))
path = da.quintic([np.zeros(6), [1.0, 0.6, -0.8, 0.5, 0.7, 0.4], np.zeros(6)], 4.0)

for said, model in (("right model", arm), ("model without the load", arm.holding(None))):
    motion = arm.simulate(da.ComputedTorque(model, path, kp=100.0, kd=20.0), np.zeros(6), duration=4.0, samples=401)
    error = np.abs(motion.q - path.position(motion.t)).max(axis=0)
    print(f"{said:24s} largest errors (mrad):", np.round(1e3 * error, 3))
