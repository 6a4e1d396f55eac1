"""Springs and dampers of an arm, at its joints or between two of its points.

Data only; their generalized forces are in ``formulations/applied_loads.py``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from .errors import ArmError
from .exact import exact, exact_vector

if TYPE_CHECKING:
    from .description import ArmDescription


@dataclass(frozen=True)
class JointSpring:
    """Torque -stiffness (q - rest) on a joint (N m/rad or N/m; rad or m)."""

    joint: str
    stiffness: float
    rest: float = 0.0

    def check(self, arm: ArmDescription) -> None:
        """Raises ArmError unless the part fits this arm and its constants are finite and not negative."""
        _on_moving_joint(self.joint, arm)
        _not_negative(self.stiffness, f"stiffness of the spring at joint {self.joint!r}")
        exact(self.rest, f"rest position of the spring at joint {self.joint!r}")

    def within(self, links: Collection[str], joints: Collection[str]) -> bool:
        """Whether the part is attached to these links and joints only."""
        return self.joint in joints

    def at_one_of(self, joints: Collection[str]) -> bool:
        """Whether the part is at one of these joints."""
        return self.joint in joints


@dataclass(frozen=True)
class JointDamper:
    """Torque -damping qd on a joint (N m s/rad or N s/m)."""

    joint: str
    damping: float

    def check(self, arm: ArmDescription) -> None:
        """Raises ArmError unless the part fits this arm and its constants are finite and not negative."""
        _on_moving_joint(self.joint, arm)
        _not_negative(self.damping, f"damping at joint {self.joint!r}")

    def within(self, links: Collection[str], joints: Collection[str]) -> bool:
        """Whether the part is attached to these links and joints only."""
        return self.joint in joints

    def at_one_of(self, joints: Collection[str]) -> bool:
        """Whether the part is at one of these joints."""
        return self.joint in joints


@dataclass(frozen=True)
class PointSpring:
    """A spring from a point of one link to a point of another (the base included), in link coordinates.

    Its pull is stiffness (length - rest) along the line between the points (N/m, m). With ``rest`` zero it
    is the ideal spring of balancing mechanisms, linear in the distance vector. ``damping`` (N s/m) resists
    the change of length.
    """

    link_a: str
    point_a: tuple[float, float, float]
    link_b: str
    point_b: tuple[float, float, float]
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0

    def check(self, arm: ArmDescription) -> None:
        """Raises ArmError unless the part fits this arm and its constants are finite and not negative."""
        for link, point in ((self.link_a, self.point_a), (self.link_b, self.point_b)):
            arm.link(link)
            exact_vector(point, f"point of the spring on link {link!r}")
        if self.link_a == self.link_b:
            raise ArmError(f"a spring from link {self.link_a!r} to itself does nothing; name two links")
        label = f"of the spring between {self.link_a!r} and {self.link_b!r}"
        _not_negative(self.stiffness, f"stiffness {label}")
        _not_negative(self.rest, f"rest length {label}")
        _not_negative(self.damping, f"damping {label}")

    def within(self, links: Collection[str], joints: Collection[str]) -> bool:
        """Whether the part is attached to these links and joints only."""
        return self.link_a in links and self.link_b in links

    def at_one_of(self, joints: Collection[str]) -> bool:
        """Never: it is at no joint."""
        return False


Elastic: TypeAlias = JointSpring | JointDamper | PointSpring


def _on_moving_joint(name: str, arm: ArmDescription) -> None:
    if not arm.joint(name).moves:
        raise ArmError(f"joint {name!r} is fixed; a spring or damper needs a moving joint")


def _not_negative(value: float, what: str) -> None:
    if exact(value, what) < 0:
        raise ArmError(f"{what} is negative ({value:g}); give a value of at least zero")
