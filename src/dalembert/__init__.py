"""dalembert: robot-arm dynamics you can read, trust and run.

>>> import dalembert as da
>>> arm = da.load("puma560")
>>> tau = arm.inverse_dynamics(q, qd, qdd)
"""

from .api.arm import Arm
from .api.load import catalog, load
from .arm.description import Drive, Joint, Limits, Link
from .arm.dh import DHRow
from .arm.elastic import JointDamper, JointSpring, PointSpring
from .arm.errors import ArmError, PhysicalWarning, SkippedWarning
from .arm.exact import Angle
from .arm.force import Force
from .arm.inertia import Inertia, Load
from .arm.placement import Placement
from .version import __version__

__all__ = [
    "Angle", "Arm", "ArmError", "DHRow", "Drive", "Force", "Inertia", "Joint", "JointDamper", "JointSpring",
    "Limits", "Link", "Load", "PhysicalWarning", "Placement", "PointSpring", "SkippedWarning", "__version__",
    "catalog", "load",
]  # fmt: skip
