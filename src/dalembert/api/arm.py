"""``Arm``: the description of an arm with everything that can be asked of it."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..arm.cleaning import HINT, clean
from ..arm.description import EARTH, ArmDescription
from ..arm.drives import DriveTrain
from ..arm.errors import ArmError
from ..arm.io.dh import DHRow, from_dh
from ..arm.placement import Placement
from ..arm.real_bodies import missing_rotors, tell
from .questions import SystemQuestions

if TYPE_CHECKING:
    from .driven_arm import DrivenArm


class Arm(SystemQuestions):
    """A robot arm: links, joints, gravity, tool and loads, and its dynamics; the links alone, without its drives.

    Immutable: ``holding``, ``locked``, ``with_gravity``, ``subarm`` and the like give a new arm.
    """

    @classmethod
    def of(cls, description: ArmDescription) -> Self:
        """The arm of this description."""
        values = {field.name: getattr(description, field.name) for field in dataclasses.fields(ArmDescription)}
        return cls(**values)

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
        angles: str = "as meant",
    ) -> Self:
        """The serial arm of these Denavit-Hartenberg rows; ``DHRow`` says what a row may hold.

        ``physical`` and ``angles`` as in ``load``: alpha = 1.5708 is a right angle unless ``angles="as written"``.

        >>> rod = {"a": 0.5, "alpha": "90 deg", "mass": 2.0, "com": (-0.25, 0, 0), "inertia": (0, 0.04, 0.04)}
        >>> Arm.from_dh([rod, rod], name="mine")
        <Arm 'mine': 2 joints RR>
        """
        arm = from_dh(
            rows, convention, name=name, gravity=gravity, base=base, tool=tool, physical=physical, angles=angles
        )
        return cls.of(arm)

    def cleaned(self, tolerance: float = HINT) -> Self:
        """This arm without the remains of rounding; a warning says what was changed, and by how much.

        Rotations within ``tolerance`` (rad) of a multiple of 15 degrees become it. Lengths below that share of the
        arm's reach, and products of inertia below that share of the largest moment of their link, become zero.
        """
        return clean(self, tolerance)

    # -- drives ------------------------------------------------------------------------------------

    @property
    def driven(self) -> DrivenArm:
        """This arm with its drives: rotors, transmissions, friction, motors."""
        from .driven_arm import DrivenArm

        return DrivenArm.of(self)

    def counting_drives(self, model: str = "exact") -> Any:
        """This arm with its drives counted by this model, or ("none") the links alone; "exact" is ``driven``."""
        from .driven_arm import DrivenArm

        return self if model == "none" else DrivenArm.of(self, model)

    def with_drives(self, drives: DriveTrain | str | Path, physical: str = "warn") -> DrivenArm:
        """This arm with other drives, which count: a ``DriveTrain``, or the path of a TOML file with them.

        ``physical`` says what to do with links that cannot hold the rotors they count, as in ``load``.
        """
        from ..arm.io.toml_drives import read_drives_file
        from .driven_arm import DrivenArm

        if not isinstance(drives, DriveTrain | str | os.PathLike):
            raise ArmError(f"drives are a DriveTrain, or the path of a TOML file with them; got {drives!r}")
        train = drives if isinstance(drives, DriveTrain) else read_drives_file(drives, self)
        driven = DrivenArm.of(replace(self, drives=train))
        tell(driven, missing_rotors(driven), physical)
        return driven
