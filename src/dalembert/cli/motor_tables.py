"""The motors of one state: what a motion asks of them, what friction leaves free, and what they do under an input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arm.description import listed
from dalembert.arm.errors import ArmError
from dalembert.drives.motors import Electric

from .input_options import DriveInput, motor_effort
from .printing import Column, figures, finite_figures, heading, joints_with_units, paragraph, table

if TYPE_CHECKING:
    from dalembert.api.driven_arm import DrivenArm
    from dalembert.api.questions import SystemQuestions as System


def motors_of_motion(
    driven: DrivenArm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, jerk: np.ndarray | None
) -> dict[str, Any]:
    """Position, speed, torque, and where they are known current and voltage of each motor; bands where shafts stand."""
    band = driven.motor_torque_band(q, qd, qdd)
    result: dict[str, Any] = {
        "motors": list(driven.motor_names),
        "position": driven.motor_positions(q),
        "speed": driven.motor_velocities(q, qd),
        "torque": driven.motor_torques(q, qd, qdd),
        "inertia_others_held": driven.effective_inertia(q),
        "inertia_others_free": driven.effective_inertia(q, "free"),
        "torque_band": np.stack([band.low, band.high], axis=-1),
        "bands_apart": band.apart,
    }
    if any(actuator.motor is not None for actuator in driven.drives.actuators):
        electric = Electric(driven, partial=True)
        result["current"] = electric.currents(q, qd, qdd)
        result["voltage"] = electric.voltages(q, qd, qdd, jerk)
        for name, electric_band in (
            ("current", electric.current_band(q, qd, qdd)),
            ("voltage", electric.voltage_band(q, qd, qdd, jerk)),
        ):
            result[f"{name}_band"] = np.stack([electric_band.low, electric_band.high], axis=-1)
    elif jerk is not None:
        raise ArmError("--jerk is for the voltage over inductances, and these motors have no electric data")
    return result


def print_motors(driven: DrivenArm, result: dict[str, Any], moves: bool, jerk: np.ndarray | None) -> None:
    """The inverse problem at the motors, and the bands that hold standing shafts."""
    electric = Electric(driven, partial=True)
    heading("Motors")
    columns: list[Column] = [motor_column(driven)]
    units = units_of(driven)
    speed = " or ".join(f"{unit}/s" for unit in units[0].split(" or "))
    for name, unit in (("position", units[0]), ("speed", speed), ("torque", units[1]), ("current", "A"),
                       ("voltage", "V")):  # fmt: skip
        if name in result:
            columns.append((f"{name}\n[{unit}]", finite_figures(result[name])))
    table(columns)
    if "current" in result and not np.isfinite(result["current"]).all():
        paragraph("A dash: of this motor nothing electric is known.")
    for sentence in limits_exceeded(electric, result):
        paragraph(sentence)
    if "voltage" in result and moves and jerk is None and (electric.inductance > 0).any():
        paragraph("Voltages are without L di/dt, which --jerk counts.")
    print_bands(driven, result)


def print_motor_inertia(driven: DrivenArm, result: dict[str, Any]) -> None:
    """The inertia that each motor feels, the others held by their servos or free (Szkodny 1995, section 4)."""
    heading("Inertia at the motor shafts, the other motors held or free")
    unit = " or ".join(dict.fromkeys("kg" if effort_unit == "N" else "kg m^2" for effort_unit in driven.motor_units))
    held, free = (result[f"inertia_others_{others}"] for others in ("held", "free"))
    table([motor_column(driven), (f"held\n[{unit}]", figures(held)), (f"free\n[{unit}]", figures(free))])


def print_bands(driven: DrivenArm, result: dict[str, Any]) -> None:
    """How far torques and currents may go before a standing shaft starts."""
    low, high = result["torque_band"].T
    if not (high > low).any():
        return
    heading("Standing shafts: what friction lets the motors do before one starts")
    columns: list[Column] = [motor_column(driven)]
    for name, unit in (("torque", units_of(driven)[1]), ("current", "A"), ("voltage", "V")):
        if f"{name}_band" in result:
            low, high = result[f"{name}_band"].T
            columns += [(f"{name}\nfrom [{unit}]", finite_figures(low)), (f"\nto [{unit}]", finite_figures(high))]
    table(columns)
    if not result["bands_apart"]:
        paragraph(
            "One friction holds several motors: each band is how far that motor can go with the others at their best."
        )


def limits_exceeded(electric: Electric, result: dict[str, Any]) -> list[str]:
    """Which motors this motion asks too much of."""
    if "current" not in result:
        return []
    sentences = []
    for name, i, largest_current, v, supply in zip(
        result["motors"], result["current"], electric.largest_current, result["voltage"], electric.supply, strict=True
    ):
        if abs(i) > largest_current:
            sentences.append(f"{name} would need {i:.4g} A and may have {largest_current:.4g} A.")
        if abs(v) > supply:
            sentences.append(f"{name} would need {v:.4g} V and has {supply:.4g} V.")
    return sentences


def direct_problem(system: System, input_: DriveInput, q: np.ndarray, qd: np.ndarray) -> dict[str, Any]:
    """The accelerations under an input (Szkodny 1995, eqs 19 to 21), and what each standing shaft does."""
    if not system.counts_drives:
        return {"qdd": system.forward_dynamics(q, qd, input_.constant(system))}
    from dalembert.api.driven_arm import DrivenArm

    driven = DrivenArm.of(system, system.drive_model)
    torque, current, cut = motor_effort(driven, input_, q, qd)
    qdd = driven.direct_dynamics(q, qd, torque)
    result = {"motors": list(driven.motor_names), "motor_torque": torque, "cut": cut, "qdd": qdd}
    if current is not None:
        result["current"] = current
    states = driven.shaft_states(q, qd, torque)
    return result | {"shafts": [{"name": name, "state": state} for name, state in states.items()]}


def print_direct_problem(system: System, input_: DriveInput, result: dict[str, Any]) -> None:
    """Torques and currents of the motors, who stands and who starts, accelerations of the joints."""
    if "motors" in result:
        from dalembert.api.driven_arm import DrivenArm

        driven = DrivenArm.of(system, system.drive_model)
        heading(f"Motors under this {input_.option[2:]}")
        columns: list[Column] = [motor_column(driven)]
        columns.append((f"torque\n[{units_of(driven)[1]}]", figures(result["motor_torque"])))
        if "current" in result:
            columns.append(("current\n[A]", figures(result["current"])))
        table(columns)
        if result["cut"]:
            paragraph(f"Cut to the supply or the largest current of the motor: {listed(result['cut'])}.")
        if result["shafts"]:
            heading("Shafts with friction")
            table(
                [
                    ("shaft", [shaft["name"] for shaft in result["shafts"]]),
                    ("", [shaft["state"] for shaft in result["shafts"]]),
                ]
            )
    heading("Accelerations of the joints")
    table([joints_with_units(system, "acceleration"), ("acceleration\nqdd", figures(result["qdd"]))])


def motor_column(driven: DrivenArm) -> Column:
    """The names of the motors; those that slide are marked, since their units differ."""
    return "motor", [
        name + " (linear)" * (unit == "N") for name, unit in zip(driven.motor_names, driven.motor_units, strict=True)
    ]


def units_of(driven: DrivenArm) -> tuple[str, str]:
    """Units of positions and torques of the motors."""
    units = tuple(dict.fromkeys(driven.motor_units))
    return " or ".join("m" if unit == "N" else "rad" for unit in units), " or ".join(units)
