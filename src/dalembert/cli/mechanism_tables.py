"""What ``dalembert mechanism`` says, as tables with a unit on every column: printed, or as JSON with every digit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .printing import figures, heading, json_text, table

if TYPE_CHECKING:
    from dalembert.mechanisms.mechanism import Mechanism


@dataclass(frozen=True)
class MechanismTable:
    """A table: its key in JSON, its heading, its names (a column of text), and columns of numbers by name and unit."""

    key: str
    heading: str
    index: tuple[str, tuple[str, ...]]
    columns: tuple[tuple[str, Any], ...]

    def print(self) -> None:
        """To the terminal."""
        heading(self.heading)
        index_name, names = self.index
        columns = ((in_unit_of(name, names), figures(np.asarray(values, dtype=float))) for name, values in self.columns)
        table([(index_name, names), *columns])

    def data(self) -> dict[str, Any]:
        """For JSON: names, and a list for each column; what is not finite is null."""
        index_name, names = self.index
        return {index_name: list(names)} | {
            name: np.asarray(values, dtype=float).tolist() for name, values in self.columns
        }


def in_unit_of(head: str, names: Sequence[str]) -> str:
    """The head of a column in one unit, where all ``names`` of its rows are in rad, or all in m."""
    units = {name.rpartition("[")[2] for name in names}
    if units not in ({"rad]"}, {"m]"}):
        return head
    position, load = ("rad", "N m") if units == {"rad]"} else ("m", "N")
    return head.replace("[unit", f"[{position}").replace("[N m or N]", f"[{load}]")


def units_of(mechanism: Mechanism) -> list[tuple[str, str]]:
    """Units of each coordinate and of the load at it; "rad or m" for a sum of both."""
    revolute = mechanism.chains.revolute
    units = []
    for coordinate in mechanism.assembly.coordinates:
        turns = {bool(revolute[t.joint]) if t.frame is None else t.freedom >= 3 for t in coordinate.terms}
        units.append(
            ("rad", "N m") if turns == {True} else ("m", "N") if turns == {False} else ("rad or m", "N m or N")
        )
    return units


def with_units(mechanism: Mechanism, kind: int = 0, after: str = "") -> tuple[str, ...]:
    """Names of the coordinates with their units: of positions (0) or of loads (1), and what follows the unit."""
    pairs = zip(mechanism.coordinates, units_of(mechanism), strict=True)
    return tuple(f"{name} [{units[kind]}{after}]" for name, units in pairs)


def joints_with_units(mechanism: Mechanism, after: str = "") -> tuple[str, ...]:
    """Names of the joints with their units, and what follows the unit."""
    units = ("rad" if turns else "m" for turns in mechanism.chains.revolute)
    return tuple(f"{name} [{unit}{after}]" for name, unit in zip(mechanism.joint_names, units, strict=True))


def motion_tables(mechanism: Mechanism, phi: Any, qd: Any, qdd: Any) -> list[MechanismTable]:
    """The loads for a motion of the coordinates, and what all joints do (Freeman 1985, eqs 3-12, 3-13, 4-62)."""
    load = mechanism.inverse_dynamics(phi, qd, qdd)
    rate, rate2 = mechanism.joint_motion(phi, qd, qdd)
    return [
        MechanismTable(
            "motion", "Loads at the coordinates for this motion", ("coordinate", with_units(mechanism)),
            (("speed [unit/s]", qd), ("acceleration [unit/s^2]", qdd), ("load [N m or N]", load)),
        ),
        MechanismTable(
            "joint_motion", "What the joints do", ("joint", joints_with_units(mechanism)),
            (("position [unit]", phi), ("speed [unit/s]", rate), ("acceleration [unit/s^2]", rate2)),
        ),
    ]  # fmt: skip


def acceleration_table(mechanism: Mechanism, phi: Any, qd: Any, tau: Any) -> MechanismTable:
    """Accelerations under loads at the coordinates."""
    qdd = mechanism.forward_dynamics(phi, qd, tau)
    return MechanismTable(
        "accelerations", "Accelerations under these loads", ("coordinate", with_units(mechanism)),
        (("speed [unit/s]", qd), ("load [N m or N]", tau), ("acceleration [unit/s^2]", qdd)),
    )  # fmt: skip


def power_tables(mechanism: Mechanism, phi: Any) -> list[MechanismTable]:
    """P*_qqq, one table for each load: T_i = q'.P*_i q' of the speeds (Freeman 1985, eq. 4-62)."""
    power = mechanism.model(phi).power
    names = with_units(mechanism, 0, "/s")
    return [
        MechanismTable(
            f"power_{name}", f"P* of {name}: its load per product of two speeds [{unit} per product]", ("speed", names),
            tuple((speed_name, power[k][:, j]) for j, speed_name in enumerate(names)),
        )
        for k, (name, (_, unit)) in enumerate(zip(mechanism.coordinates, units_of(mechanism), strict=True))
    ]  # fmt: skip


def linear_tables(mechanism: Mechanism, phi: Any, qd: Any, qdd: Any) -> list[MechanismTable]:
    """dT = I* dq'' + (dT/dq') dq' + (dT/dq) dq about the state, and the poles of its motion under constant loads."""
    stiffness, damping, inertia = mechanism.inverse_dynamics_derivatives(phi, qd, qdd)
    loads = with_units(mechanism, 1)
    tables = [
        MechanismTable(
            key, f"Linear model: loads per {per}", ("load", loads),
            tuple((name, matrix[:, k]) for k, name in enumerate(with_units(mechanism, 0, rate))),
        )
        for key, per, rate, matrix in (
            ("stiffness", "deviation of the coordinates", "", stiffness),
            ("damping", "speed", "/s", damping),
            ("inertia", "acceleration", "/s^2", inertia),
        )
    ]  # fmt: skip
    poles = mechanism.linearize(phi, qd, mechanism.inverse_dynamics(phi, qd, qdd)).poles
    tables.append(
        MechanismTable(
            "poles",
            "Poles under constant loads",
            ("pole", tuple(str(k + 1) for k in range(len(poles)))),
            (("real [1/s]", poles.real), ("imaginary [rad/s]", poles.imag)),
        )
    )
    return tables


def force_table(mechanism: Mechanism, phi: Any, qd: Any, qdd: Any) -> MechanismTable:
    """Constraint forces T_c of the closure equations, at rest or in motion (Freeman 1985, eq. 4-31)."""
    title = f"Closure forces {_state(qd, qdd)} [N, N m], on the second frame in the axes of the first"
    forces = mechanism.constraint_forces(phi, qd, qdd)
    return MechanismTable("closure_forces", title, ("closure", mechanism.equation_names), (("force [N, N m]", forces),))


def motor_table(mechanism: Mechanism, names: tuple[str, ...], phi: Any, qd: Any, qdd: Any) -> MechanismTable:
    """Motor loads of least sum of squares, at rest or in motion, where motors may outnumber the freedoms."""
    from dalembert.mechanisms.overconstrained import Motors

    distribution = Motors(mechanism, names).distribute(phi, qd, qdd)
    title = f"Loads of the motors {_state(qd, qdd)}, shared with the least sum of squares"
    return MechanismTable(
        "motors", title, ("motor", tuple(distribution.motors)), (("load [N m or N]", distribution.torque),)
    )


def _state(qd: Any, qdd: Any) -> str:
    return "in this motion" if np.any(qd) or np.any(qdd) else "at rest"


def simulation_table(mechanism: Mechanism, phi: Any, qd: Any, tau: Any, seconds: float, samples: int) -> MechanismTable:
    """The motion under constant loads: coordinates, speeds, closure error; friction sticks and slips."""
    times = np.linspace(0.0, seconds, samples)
    extra: list[tuple[str, Any]]
    if mechanism.contacts:
        from dalembert.control.simulate_system import simulate_system

        run = simulate_system(mechanism.as_system(phi), tau, mechanism.coordinates_of(phi), qd, seconds, times=times)
        q, rate, extra = run.q, run.qd, [("energy [J]", run.kinetic + run.potential)]
    else:
        motion = mechanism.simulate(times, phi, qd, lambda t, q, rate: tau)
        q, rate = motion.q, motion.qd
        extra = [("loops open [m, rad]", motion.closure_error), ("energy [J]", motion.energy)]
    columns: list[tuple[str, Any]] = [("t [s]", times)]
    columns += [(name, q[:, k]) for k, name in enumerate(with_units(mechanism))]
    columns += [(name, rate[:, k]) for k, name in enumerate(with_units(mechanism, 0, "/s"))]
    columns += extra
    return MechanismTable(
        "simulation", f"Motion over {seconds:g} s under constant loads",
        ("sample", tuple(str(k + 1) for k in range(samples))), tuple(columns),
    )  # fmt: skip


def print_json(head: dict[str, Any], tables: Sequence[MechanismTable]) -> None:
    """One object: what the mechanism is, and each table under its key."""
    print(json_text(head | {t.key: t.data() for t in tables}))
