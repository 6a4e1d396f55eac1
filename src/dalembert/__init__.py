"""dalembert: robot-arm dynamics you can read, trust and run.

>>> import dalembert as da
>>> arm = da.load("puma560")
>>> tau = arm.inverse_dynamics(q, qd, qdd)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from .api.arm import Arm
    from .api.arm_equations import ArmEquations as Equations
    from .api.driven_arm import DrivenArm
    from .api.loading import catalog, load
    from .arm.description import Joint, Limits, Link
    from .arm.drives import Actuator, DriveTrain, Element, Motor
    from .arm.elastic import JointDamper, JointSpring, PointSpring
    from .arm.errors import (
        ArmError,
        AssemblyWarning,
        PhysicalWarning,
        RoundedWarning,
        SimulationError,
        SimulationInterrupt,
        SkippedWarning,
        ToleranceWarning,
    )
    from .arm.exact import Angle
    from .arm.force import Force
    from .arm.friction_models import Coulomb, Stribeck
    from .arm.inertia import Inertia, Load
    from .arm.io.dh import DHRow
    from .arm.moving_parts import MovingBody, Rotor
    from .arm.placement import Placement
    from .arm.shaft_friction import Friction
    from .bounds.ranges import Range
    from .compile.kernel import Kernel
    from .control.controllers import ComputedTorque, OperationalSpace, PDGravity, ServoFollowingInertia, StateFeedback
    from .control.gains import lqr, tracking_lqr, tracking_poles
    from .control.requirements import Requirements
    from .control.simulate_system import simulate_system as simulate
    from .control.trajectories import excitation, quintic, trapezoidal
    from .design.analysis import Analysis
    from .design.compare import Compared
    from .design.coupling import Coupling, Couplings
    from .design.pose_coupling import PoseCoupling
    from .design.review import Review
    from .design.significance import TermShare, TermShares
    from .design.simplified import SimplifiedModel
    from .design.tables import LoadTables
    from .equations.legend import Legend
    from .equations.polynomial import TrigPolynomial
    from .linear.linear_model import LinearModel
    from .mechanisms.chain_frames import FrameOn
    from .mechanisms.gears import Gear
    from .mechanisms.loop_closures import Closure
    from .mechanisms.maps import compare_drives, conditioning_map
    from .mechanisms.mechanism import Mechanism
    from .mechanisms.mechanism_file import load_mechanism
    from .mechanisms.mechanism_system import MechanismSystem
    from .mechanisms.mounting import carrying, free_body
    from .mechanisms.overconstrained import Motors
    from .mechanisms.redundant import Redundant
    from .reduction.reduced_model import ReducedModel
    from .reduction.shortforms.short_form import ReducedCoefficient
    from .reduction.shortforms.short_form_model import ShortFormModel
    from .report.assemble import Report
    from .simulation.input_table import InputTable
    from .simulation.loads import LoadChange
    from .simulation.motion import Motion
    from .simulation.motion_files import motion_of
    from .systems.protocol import System

_LATER = {
    "Actuator": "arm.drives",
    "Analysis": "design.analysis",
    "Angle": "arm.exact",
    "Arm": "api.arm",
    "ArmError": "arm.errors",
    "AssemblyWarning": "arm.errors",
    "Closure": "mechanisms.loop_closures",
    "Gear": "mechanisms.gears",
    "Compared": "design.compare",
    "ComputedTorque": "control.controllers",
    "Coulomb": "arm.friction_models",
    "Coupling": "design.coupling",
    "Couplings": "design.coupling",
    "DHRow": "arm.io.dh",
    "DriveTrain": "arm.drives",
    "DrivenArm": "api.driven_arm",
    "Element": "arm.drives",
    "Equations": "api.arm_equations:ArmEquations",
    "Force": "arm.force",
    "FrameOn": "mechanisms.chain_frames",
    "Friction": "arm.shaft_friction",
    "Inertia": "arm.inertia",
    "Joint": "arm.description",
    "JointDamper": "arm.elastic",
    "JointSpring": "arm.elastic",
    "Kernel": "compile.kernel",
    "Limits": "arm.description",
    "LinearModel": "linear.linear_model",
    "Link": "arm.description",
    "Load": "arm.inertia",
    "InputTable": "simulation.input_table",
    "LoadChange": "simulation.loads",
    "Legend": "equations.legend",
    "LoadTables": "design.tables",
    "Mechanism": "mechanisms.mechanism",
    "MechanismSystem": "mechanisms.mechanism_system",
    "Motion": "simulation.motion",
    "Motor": "arm.drives",
    "Motors": "mechanisms.overconstrained",
    "MovingBody": "arm.moving_parts",
    "OperationalSpace": "control.controllers",
    "PDGravity": "control.controllers",
    "PhysicalWarning": "arm.errors",
    "Placement": "arm.placement",
    "PointSpring": "arm.elastic",
    "PoseCoupling": "design.pose_coupling",
    "Range": "bounds.ranges",
    "ReducedCoefficient": "reduction.shortforms.short_form",
    "ReducedModel": "reduction.reduced_model",
    "Redundant": "mechanisms.redundant",
    "Report": "report.assemble",
    "Requirements": "control.requirements",
    "Review": "design.review",
    "Rotor": "arm.moving_parts",
    "RoundedWarning": "arm.errors",
    "ServoFollowingInertia": "control.controllers",
    "ShortFormModel": "reduction.shortforms.short_form_model",
    "SimplifiedModel": "design.simplified",
    "SimulationError": "arm.errors",
    "SimulationInterrupt": "arm.errors",
    "SkippedWarning": "arm.errors",
    "StateFeedback": "control.controllers",
    "Stribeck": "arm.friction_models",
    "System": "systems.protocol",
    "TermShare": "design.significance",
    "TermShares": "design.significance",
    "ToleranceWarning": "arm.errors",
    "TrigPolynomial": "equations.polynomial",
    "carrying": "mechanisms.mounting",
    "catalog": "api.loading",
    "compare_drives": "mechanisms.maps",
    "conditioning_map": "mechanisms.maps",
    "excitation": "control.trajectories",
    "free_body": "mechanisms.mounting",
    "load": "api.loading",
    "load_mechanism": "mechanisms.mechanism_file",
    "lqr": "control.gains",
    "motion_of": "simulation.motion_files",
    "quintic": "control.trajectories",
    "simulate": "control.simulate_system:simulate_system",
    "tracking_lqr": "control.gains",
    "tracking_poles": "control.gains",
    "trapezoidal": "control.trajectories",
}
"""Names and their modules, imported when they are first asked for: the command line starts without NumPy and SciPy."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        module, _, own = _LATER[name].partition(":")
        found = getattr(import_module(f".{module}", __name__), own or name)
        globals()[name] = found
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "Actuator", "Analysis", "Angle", "Arm", "ArmError", "AssemblyWarning", "Closure", "Compared", "ComputedTorque",
    "Coulomb", "Coupling", "Couplings", "DHRow", "DriveTrain", "DrivenArm", "Element", "Equations", "Force",
    "FrameOn", "Friction", "Gear", "Inertia", "InputTable", "Joint", "JointDamper", "JointSpring", "Kernel", "Legend",
    "Limits", "LinearModel", "Link", "Load", "LoadChange", "LoadTables", "Mechanism", "MechanismSystem", "Motion",
    "Motor", "Motors", "MovingBody", "OperationalSpace", "PDGravity", "PhysicalWarning", "Placement", "PointSpring",
    "PoseCoupling", "Range", "ReducedCoefficient", "ReducedModel", "Redundant", "Report", "Requirements", "Review",
    "Rotor", "RoundedWarning", "ServoFollowingInertia", "ShortFormModel", "SimplifiedModel", "SimulationError",
    "SimulationInterrupt", "SkippedWarning", "StateFeedback", "Stribeck", "System", "TermShare", "TermShares",
    "ToleranceWarning", "TrigPolynomial", "__version__", "carrying", "catalog", "compare_drives", "conditioning_map",
    "excitation", "free_body", "load", "load_mechanism", "lqr", "motion_of", "quintic", "simulate", "tracking_lqr",
    "tracking_poles", "trapezoidal",
]  # fmt: skip
