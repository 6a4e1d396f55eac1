"""Inputs from the command line: ``--torque``, ``--current``, ``--voltage``, as values or as a file over time."""

from __future__ import annotations

from dataclasses import dataclass
from os.path import isfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arm.description import listed
from dalembert.arm.errors import ArmError

from .values import plain_number, split_words

if TYPE_CHECKING:
    from dalembert.api.driven_arm import DrivenArm
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.simulation.input_table import InputTable
    from dalembert.simulation.plant import Plant

TORQUE_HELP = "Torques, one for each motor (N m; N for one that slides); for the links alone one for each joint."
CURRENT_HELP = "Currents of the motors, A; needs --drives."
VOLTAGE_HELP = "Voltages at the motors, V; needs --drives."


@dataclass(frozen=True)
class DriveInput:
    """What drives the system: the option, the kind of input that means, and its text."""

    option: str
    kind: str
    text: str

    def plant(self, system: System) -> Plant:
        """The system under this kind of input, with names and units of the inputs."""
        from dalembert.simulation.plant import plant_of

        return plant_of(system, self.kind)

    def constant(self, system: System) -> np.ndarray:
        """One value for each input."""
        names = self.plant(system).input_names
        words = split_words(self.text)
        if len(words) != len(names):
            raise ArmError(
                f"{self.option} needs {len(names)} values, one for each of {listed(names)}; got {len(words)}"
            )
        return np.array([plain_number(word, f"{self.option}: {name}") for name, word in zip(names, words, strict=True)])

    def law(self, system: System) -> np.ndarray | InputTable:
        """Constant values, or the table of a file."""
        path = Path(self.text)
        if path.suffix.lower() not in (".csv", ".txt", ".tsv") and not isfile(path):
            return self.constant(system)
        from dalembert.simulation.input_table import read_input_table

        plant = self.plant(system)
        return read_input_table(path, plant.input_names, plant.input_units)


def drive_input(system: System, torque: str | None, current: str | None, voltage: str | None) -> DriveInput | None:
    """The one of these options that is used; None where there is none."""
    options = {"--torque": torque, "--current": current, "--voltage": voltage}
    used = {option: text for option, text in options.items() if text is not None}
    if len(used) > 1:
        raise ArmError(f"{listed(used)} are inputs of different kinds; give one of them")
    for option, text in used.items():
        if option != "--torque" and not system.counts_drives:
            raise ArmError(f"{option} belongs to motors; count the drives with --drives")
        kind = option[2:] if option != "--torque" else "motor torque" if system.counts_drives else "joint torque"
        return DriveInput(option, kind, text)
    return None


def motor_effort(
    driven: DrivenArm, input_: DriveInput, q: np.ndarray, qd: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None, list[str]]:
    """Torques of the motors under this input, their currents where they are known, and whose input was cut."""
    values = input_.constant(driven)
    if input_.kind == "motor torque":
        return values, None, []
    electric = driven.electric
    if input_.kind == "voltage" and not (electric.resistance > 0).all():
        name = driven.motor_names[int(np.argmin(electric.resistance))]
        raise ArmError(f"--voltage: {name} has no resistance, so that its current does not settle; give its resistance")
    demanded = values if input_.kind == "current" else electric.steady_current(q, qd, values)
    current = np.clip(demanded, -electric.largest_current, electric.largest_current)
    beyond = (current != demanded) | (np.abs(values) > electric.supply if input_.kind == "voltage" else False)
    return (
        electric.torque(current),
        current,
        [name for name, was_cut in zip(driven.motor_names, beyond, strict=True) if was_cut],
    )
