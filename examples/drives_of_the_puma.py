"""What the rotors of the PUMA 560 do: effective inertia at its motors, and how wrong the usual shortcuts are."""

import numpy as np

import dalembert as da

driven = da.load("puma560", physical="ignore").driven

q = np.array([0.3, 0.5, -0.4, 0.2, 0.6, 0.1])
print("inertia at the motor shafts here (1e-6 kg m^2):", np.round(1e6 * driven.effective_inertia(q), 1))
limits = driven.inertia_range(samples=300)
for name, low, high in zip(limits.motors, limits.least, limits.greatest, strict=True):
    print(f"  {name}: {1e6 * low:7.1f} to {1e6 * high:7.1f}, a factor of {high / low:.2f}")

print("errors of the approximations at 2 rad/s and 5 rad/s^2:")
errors = driven.approximation_errors(speed=2.0, acceleration=5.0)
for error in errors.values():
    print(" ", error)
print("gyroscopic torques that all of them leave out (N m, rms):", np.round(errors["szkodny"].velocity, 4))
