"""What a system is written as: arm files in TOML and URDF, and Denavit-Hartenberg rows."""

from __future__ import annotations

from pathlib import Path

from ..arm.io.dh_of_arm import TOLERANCE, DHForm, to_dh
from ..arm.io.toml_writer import write_toml
from ..arm.io.urdf_writer import write_urdf
from ..arm.io.whole_files import written
from ..systems.arm_kinematics import MovingArm


class SystemFiles(MovingArm):
    """The files of a system. They describe its drives whether these count or not: readers ask for ``driven``."""

    def write_urdf(self, path: str | Path | None = None) -> str:
        """This arm as URDF text, also written to ``path`` where one is named."""
        return written(write_urdf(self), path)

    def write_toml(self, path: str | Path | None = None) -> str:
        """This arm as a TOML arm file, the format of the catalog, also written to ``path`` where one is named."""
        return written(write_toml(self), path)

    def to_dh(self, convention: str = "standard", tolerance: float = TOLERANCE) -> DHForm:
        """The Denavit-Hartenberg rows of a serial arm, with its base and tool; ``.arm()`` makes an arm of them.

        Axes within ``tolerance`` (rad, m) of parallel or of meeting are taken as such; the form says by how much.
        """
        return to_dh(self, convention, tolerance)

    def write_dh(
        self, convention: str = "standard", tolerance: float = TOLERANCE, *, path: str | Path | None = None
    ) -> str:
        """This arm as a TOML arm file of Denavit-Hartenberg rows, also written to ``path``; refused for a tree."""
        form = self.to_dh(convention, tolerance)
        notes = self.notes
        if form.turned or form.shifted:
            notes += (
                f"\nTo fit Denavit-Hartenberg rows, axes were turned by up to {form.turned:.2g} rad and moved by up to "
                f"{form.shifted:.2g} m.\n"
            )
        metadata = {"title": self.title, "sources": self.sources, "notes": notes}
        return written(write_toml(form.arm(self.name, self.gravity, "ignore", **metadata)), path)
