"""Computed torque on the PUMA 560: what a load that the model does not know of does to the tracking."""

import numpy as np

import dalembert as da
from dalembert.control.compiled_loop import run
from dalembert.control.controllers import ComputedTorque
from dalembert.control.trajectories import quintic

arm = da.load("puma560", physical="ignore").holding(da.Load(mass=2.0, com=(0, 0, 0.1)))
path = quintic([np.zeros(6), [1.0, 0.6, -0.8, 0.5, 0.7, 0.4], np.zeros(6)], 4.0)

for said, model in (("right model", arm), ("model without the load", arm.holding(None))):
    motion = run(arm, ComputedTorque(model, path, 100.0, 20.0), np.zeros(6), None, 4.0, None, 401, 0.0, 1e-8, 1e-10)
    if motion is None:
        raise SystemExit("this example needs a C compiler")
    error = np.abs(motion.q - path.position(motion.t)).max(axis=0)
    print(f"{said:24s} largest errors (mrad):", np.round(1e3 * error, 3))
