"""``Arm``: the description of an arm with everything that can be asked of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..arm.description import EARTH, ArmDescription
from ..arm.io.dh import DHRow, from_dh
from ..arm.io.dh_of_arm import TOLERANCE, DHForm, to_dh
from ..arm.io.toml_writer import write_toml
from ..arm.io.urdf_writer import write_urdf
from ..arm.placement import Placement
from .closed_form import ClosedForm
from .compiled import Compiled
from .driven import Drives
from .kinematics import Kinematics
from .reduced import Reductions
from .reporting import Reporting


class Arm(Kinematics, Compiled, ClosedForm, Drives, Reductions, Reporting):
    """A robot arm: links, joints, gravity, tool and loads, and its dynamics.

    Immutable: ``holding``, ``locked``, ``with_gravity``, ``subarm`` and the like give a new arm.
    """

    @classmethod
    def of(cls, description: ArmDescription) -> Self:
        """The arm of this description."""
        fields = {field.name: getattr(description, field.name) for field in dataclasses.fields(ArmDescription)}
        return cls(**fields)

    @classmethod
    def from_dh(
        cls,
        rows: Sequence[DHRow | Mapping[str, Any]],
        convention: str = "standard",
        *,
        name: str = "arm",
        gravity: object = EARTH,
        base: Placement | None = None,
        tool: Placement | None = None,
        physical: str = "warn",
    ) -> Self:
        """The serial arm of these Denavit-Hartenberg rows; ``DHRow`` says what a row may hold."""
        return cls.of(from_dh(rows, convention, name=name, gravity=gravity, base=base, tool=tool, physical=physical))

    @property
    def lower(self) -> NDArray[np.float64]:
        """Lower position limits (rad or m), -inf where unknown."""
        return np.array([joint.limits.lower for joint in self.moving])

    @property
    def upper(self) -> NDArray[np.float64]:
        """Upper position limits (rad or m), inf where unknown."""
        return np.array([joint.limits.upper for joint in self.moving])

    @property
    def velocity_limits(self) -> NDArray[np.float64]:
        """Largest speeds (rad/s or m/s), inf where unknown."""
        return np.array([joint.limits.velocity for joint in self.moving])

    @property
    def effort_limits(self) -> NDArray[np.float64]:
        """Largest torques (N m) or forces (N), inf where unknown."""
        return np.array([joint.limits.effort for joint in self.moving])

    def write_urdf(self) -> str:
        """This arm as URDF text."""
        return write_urdf(self)

    def write_toml(self) -> str:
        """This arm as a TOML arm file, the format of the catalog."""
        return write_toml(self)

    def to_dh(self, convention: str = "standard", tolerance: float = TOLERANCE) -> DHForm:
        """The Denavit-Hartenberg rows of a serial arm, with its base and tool; ``.arm()`` makes an arm of them.

        Axes within ``tolerance`` (rad, m) of parallel or of meeting are taken as such; the form says by how much.
        """
        return to_dh(self, convention, tolerance)

    def write_dh(self, convention: str = "standard", tolerance: float = TOLERANCE) -> str:
        """This arm as a TOML arm file of Denavit-Hartenberg rows; refused for a tree."""
        form = self.to_dh(convention, tolerance)
        notes = self.notes
        if form.turned or form.shifted:
            notes += (
                f"\nTo fit Denavit-Hartenberg rows, axes were turned by up to {form.turned:.2g} rad and moved by up to "
                f"{form.shifted:.2g} m.\n"
            )
        about = {"title": self.title, "sources": self.sources, "notes": notes}
        return write_toml(form.arm(self.name, self.gravity, "ignore", **about))

    def __repr__(self) -> str:
        kinds = "".join("R" if joint.kind == "revolute" else "P" for joint in self.moving)
        return f"<Arm {self.name!r}: {self.n} joints {kinds}>"
