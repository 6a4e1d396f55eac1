"""What all tests share: how hypothesis searches, and where JAX runs.

``make test`` uses the profile "ci", which tries the same examples every time. Plain ``pytest`` searches anew on
each run; ``HYPOTHESIS_PROFILE=deep pytest`` searches for long.
"""

import os

from hypothesis import HealthCheck, settings

os.environ.setdefault("JAX_PLATFORMS", "cpu")
# Laws are tried on hundreds of random arms: NumPy answers at once, a compiler would be asked for each of them. The
# tests of the compiled kernels (tests/compile) switch them on again.
os.environ["DALEMBERT_COMPILE"] = "0"

# No deadline: the first example of a test pays for imports and caches that the others do not.
QUIET = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "print_blob": True}
settings.register_profile("default", max_examples=30, **QUIET)
settings.register_profile("ci", max_examples=30, derandomize=True, database=None, **QUIET)
settings.register_profile("deep", max_examples=1000, **QUIET)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default"))
