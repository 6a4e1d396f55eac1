"""A linear model with motors, handed to python-control, and an LQR that tracks a trajectory of the IRb-6."""

import numpy as np

import dalembert as da

driven = da.load("irb6").driven
path = da.quintic([np.zeros(5), [0.8, 0.3, -0.2, 0.4, 0.5]], 1.5)

q, qd, qdd = path.position(0.7), path.velocity(0.7), path.acceleration(0.7)
model = driven.linearize(q, qd, driven.inverse_dynamics(q, qd, qdd), input="voltage")
print([f"{signal.name} [{signal.unit}]" for signal in model.states[:2]], "controllable:", model.is_controllable)
print("slowest poles:", np.round(model.poles[-4:], 4))
try:
    print(model.sampled(0.002).state_space().name, "sampled for python-control")
except da.ArmError as fault:
    print(fault)

motion = driven.simulate(da.tracking_lqr(driven, path, 400.0, 20.0), np.full(5, 0.01), None, 2.5, rtol=1e-6)
print("end error (mrad):", np.round(1e3 * (motion.q[-1] - path.position(9.9)), 2), motion)
