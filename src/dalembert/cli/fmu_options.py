"""Options of ``--fmu``: what is written of a system as a functional mock-up unit, the same for arms and mechanisms."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.arm.errors import ArmError

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


FmuOption = Annotated[
    Path | None,
    typer.Option("--fmu", metavar="FILE", help="Write the system as an FMU: model exchange and co-simulation."),
]
VersionOption = Annotated[FmiVersion | None, typer.Option("--fmi", help="Version of FMI of --fmu; 2.0.")]
InputOption = Annotated[
    FmuInput | None,
    typer.Option(
        "--input",
        help="What drives the FMU; motor torques of an arm with drives, else loads at its joints or coordinates.",
    ),
]
StopsOption = Annotated[bool, typer.Option("--stops", help="Limits of joints are solid in the FMU.")]
RestitutionOption = Annotated[
    float | None, typer.Option("--restitution", help="Share of its speed with which a joint leaves a stop of the FMU.")
]
SaturateOption = Annotated[
    bool | None,
    typer.Option("--saturate/--no-saturate", help="Inputs of the FMU within their limits; with drives they are."),
]


def refuse_without_fmu(
    fmi: FmiVersion | None, input: FmuInput | None, stops: bool, restitution: float | None, saturate: bool | None
) -> None:
    """Options that say nothing without ``--fmu``."""
    given = (("--fmi", fmi), ("--input", input), ("--stops", stops or None), ("--restitution", restitution))
    for option, value in (*given, ("--saturate", saturate)):
        if value is not None:
            raise ArmError(f"{option} belongs to --fmu; add --fmu FILE, or leave {option} out")


def write_fmu_file(
    system: System, path: Path, fmi: FmiVersion | None, input: FmuInput | None, stops: bool,
    restitution: float | None, saturate: bool | None,
) -> str:  # fmt: skip
    """Write it; the sentence that says what was written."""
    from dalembert.fmu.write_fmu import write_fmu

    made = write_fmu(
        system, path, input=input.kind if input is not None else None, version=(fmi or FmiVersion.TWO).value,
        stops=stops, restitution=restitution or 0.0, saturate=saturate,
    )  # fmt: skip
    return str(made)


def system_to_write(mechanism: Mechanism, input: FmuInput | None, near: NDArray[Any] | None = None) -> System:
    """The mechanism in its coordinates, at the joints ``near``, with the inputs that are asked for."""
    return mechanism.as_system(near, motors=input not in (None, FmuInput.JOINT_TORQUE))
