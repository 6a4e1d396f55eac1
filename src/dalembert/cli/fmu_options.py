"""Options of ``--fmu``: what is written of a system as a functional mock-up unit, the same for arms and mechanisms."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.arm.errors import ArmError

from .added_options import with_options

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dalembert.mechanisms.mechanism import Mechanism
    from dalembert.systems.protocol import System


class FmuInput(enum.StrEnum):
    """What drives the FMU."""

    JOINT_TORQUE = "joint-torque"
    MOTOR_TORQUE = "motor-torque"
    CURRENT = "current"
    VOLTAGE = "voltage"

    @property
    def kind(self) -> str:
        """As the library calls it."""
        return self.value.replace("-", " ")


class FmiVersion(enum.StrEnum):
    """Versions of FMI."""

    TWO = "2.0"
    THREE = "3.0"


PANEL = "The FMU"
"""The box of ``--help`` that these options stand in."""
OPTIONS: dict[str, tuple[Any, Any]] = {
    "fmu": (
        Annotated[
            Path | None,
            typer.Option(
                "--fmu",
                metavar="FILE",
                help="Write the system as an FMU: model exchange and co-simulation.",
                rich_help_panel=PANEL,
            ),
        ],
        None,
    ),
    "fmi": (
        Annotated[
            FmiVersion | None, typer.Option("--fmi", help="Version of FMI of --fmu; 2.0.", rich_help_panel=PANEL)
        ],
        None,
    ),
    "input": (
        Annotated[
            FmuInput | None,
            typer.Option(
                "--input",
                metavar="KIND",
                help=f"What drives the FMU: {', '.join(FmuInput)}; left out, motor torques of an arm with drives, "
                "else loads at joints or coordinates.",
                rich_help_panel=PANEL,
            ),
        ],
        None,
    ),
    "stops": (
        Annotated[bool, typer.Option("--stops", help="Limits of joints are solid in the FMU.", rich_help_panel=PANEL)],
        False,
    ),
    "restitution": (
        Annotated[
            float | None,
            typer.Option(
                "--restitution",
                help="Share of its speed with which a joint leaves a stop of the FMU.",
                rich_help_panel=PANEL,
            ),
        ],
        None,
    ),
    "saturate": (
        Annotated[
            bool | None,
            typer.Option(
                "--saturate/--no-saturate",
                help="Inputs of the FMU within their limits; with drives they are.",
                rich_help_panel=PANEL,
            ),
        ],
        None,
    ),
}
"""All options of an FMU, with their defaults."""


@dataclass(frozen=True)
class FmuRequest:
    """What is asked of an FMU; ``path`` is None where none is to be written."""

    path: Path | None
    version: FmiVersion | None
    input: FmuInput | None
    stops: bool
    restitution: float | None
    saturate: bool | None

    def refuse_without_file(self) -> None:
        """Refuse options that say nothing without ``--fmu``."""
        options = (("--fmi", self.version), ("--input", self.input), ("--stops", self.stops or None))
        for option, value in (*options, ("--restitution", self.restitution), ("--saturate", self.saturate)):
            if value is not None and self.path is None:
                raise ArmError(f"{option} belongs to --fmu; add --fmu FILE, or leave {option} out")

    def write(self, system: System) -> str:
        """Write it; the sentence that says what was written."""
        from dalembert.fmu.write_fmu import write_fmu

        assert self.path is not None, "written only where it is asked for"
        written = write_fmu(
            system, self.path, input=self.input.kind if self.input is not None else None,
            version=(self.version or FmiVersion.TWO).value, stops=self.stops, restitution=self.restitution or 0.0,
            saturate=self.saturate,
        )  # fmt: skip
        return str(written)

    def write_mechanism(self, mechanism: Mechanism, near: NDArray[Any] | None = None) -> str:
        """The same of a mechanism in its coordinates, at the joints ``near``, with the inputs that are asked for."""
        return self.write(mechanism.as_system(near, motors=self.input not in (None, FmuInput.JOINT_TORQUE)))


def fmu_command(command: Callable[..., None]) -> Callable[..., None]:
    """The command takes ``fmu``, a request; on the command line that are all options of an FMU."""

    return with_options(command, "fmu", OPTIONS, lambda values: FmuRequest(*(values[name] for name in OPTIONS)))
