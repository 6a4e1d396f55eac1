"""dalembert: robot-arm dynamics you can read, trust and run.

>>> import dalembert as da
>>> arm = da.load("planar-2r")  # a name of da.catalog(), or a file; two rods of 1 m and 1 kg
>>> arm.inverse_dynamics([0, 0], [0, 0], [0, 0])  # q, qd, qdd in rad; torques in N m
array([19.62 ,  4.905])
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from .api.arm import Arm
    from .api.arm_equations import ArmEquations as Equations
    from .api.driven_arm import DrivenArm
    from .api.loading import catalog, load
    from .api.study_loading import load_study
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
        TurnWarning,
        UnitWarning,
    )
    from .arm.exact import Angle
    from .arm.following import Follows
    from .arm.force import Force
    from .arm.friction_models import Coulomb, Stribeck
    from .arm.inertia import Inertia, Load
    from .arm.io.dh import DHRow
    from .arm.moving_parts import MovingBody, Rotor
    from .arm.placement import Placement
    from .arm.shaft_friction import Friction
    from .arm.shapes import LinkShape
    from .arm.units import in_unit, si
    from .bounds.ranges import Range
    from .certificates.certificate_file import CertificateError
    from .certificates.checker import check_certificate
    from .certificates.verified_claims import CheckedCertificate
    from .compile.kernel import Kernel
    from .control.cartesian_paths import arc_path, line_path
    from .control.controllers import (
        ComputedTorque,
        OperationalSpace,
        PDGravity,
        ServoFollowingInertia,
        StateFeedback,
        VoltageFeedback,
    )
    from .control.exciting import Excitation, excitation
    from .control.gains import lqr, tracking_lqr, tracking_poles
    from .control.requirements import Requirements, requirements
    from .control.simulate_system import simulate_system as simulate
    from .control.splines import s_curve, spline
    from .control.time_optimal import TimeOptimal, time_optimal
    from .control.timing_laws import timed
    from .control.trajectories import quintic, trapezoidal
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
    from .fmu.write_fmu import WrittenFmu, write_fmu
    from .identification.identify import identify
    from .identification.log import Log
    from .identification.payload import IdentifiedLoad
    from .identification.result import Identification
    from .kinematics.joint_solutions import JointSolutions
    from .kinematics.manipulability import Manipulability
    from .linear.linear_model import LinearModel
    from .mechanisms.chain_frames import FrameOn
    from .mechanisms.gears import Gear, JointCoupling
    from .mechanisms.loop_closures import Closure
    from .mechanisms.many_motions import ManyMotions
    from .mechanisms.maps import compare_drives, conditioning_map
    from .mechanisms.mechanism import Mechanism
    from .mechanisms.mechanism_file import load_mechanism
    from .mechanisms.mechanism_sensitivity import ParameterSensitivity
    from .mechanisms.mechanism_system import MechanismSystem
    from .mechanisms.mounting import carrying, free_body
    from .mechanisms.overconstrained import Motors
    from .mechanisms.redundant import Redundant
    from .mechanisms.springs import Spring
    from .reduction.reduced_model import ReducedModel
    from .reduction.shortforms.short_form import ReducedCoefficient
    from .reduction.shortforms.short_form_model import ShortFormModel
    from .report.assemble import Report
    from .report.mechanism_page import MechanismPage, write_mechanism_page
    from .report.mechanism_picture import write_mechanism_picture
    from .report.replay import MotionPage
    from .report.state_page import StatePage
    from .report.study_page import write_study_page
    from .simulation.input_table import InputTable
    from .simulation.loads import LoadChange
    from .simulation.motion import Motion
    from .simulation.motion_files import motion_of
    from .studies.design_numbers import design_numbers
    from .studies.factors import Factor
    from .studies.optimum import DesignOptimum, optimize_design
    from .studies.outputs import Output
    from .studies.streams import stream
    from .studies.study import Study, study
    from .studies.study_result import StudyResult
    from .studio.mechanism_studio import MechanismStudio
    from .studio.studio import Studio
    from .systems.protocol import System

_LATER = {
    "Actuator": "arm.drives",
    "Analysis": "design.analysis",
    "Angle": "arm.exact",
    "Arm": "api.arm",
    "ArmError": "arm.errors",
    "AssemblyWarning": "arm.errors",
    "CertificateError": "certificates.certificate_file",
    "CheckedCertificate": "certificates.verified_claims",
    "Closure": "mechanisms.loop_closures",
    "Compared": "design.compare",
    "ComputedTorque": "control.controllers",
    "Coulomb": "arm.friction_models",
    "Coupling": "design.coupling",
    "Couplings": "design.coupling",
    "DHRow": "arm.io.dh",
    "DesignOptimum": "studies.optimum",
    "DriveTrain": "arm.drives",
    "DrivenArm": "api.driven_arm",
    "Element": "arm.drives",
    "Equations": "api.arm_equations:ArmEquations",
    "Excitation": "control.exciting",
    "Factor": "studies.factors",
    "Follows": "arm.following",
    "Force": "arm.force",
    "FrameOn": "mechanisms.chain_frames",
    "Friction": "arm.shaft_friction",
    "Gear": "mechanisms.gears",
    "Identification": "identification.result",
    "IdentifiedLoad": "identification.payload",
    "Inertia": "arm.inertia",
    "InputTable": "simulation.input_table",
    "Joint": "arm.description",
    "JointCoupling": "mechanisms.gears",
    "JointDamper": "arm.elastic",
    "JointSolutions": "kinematics.joint_solutions",
    "JointSpring": "arm.elastic",
    "Kernel": "compile.kernel",
    "Legend": "equations.legend",
    "Limits": "arm.description",
    "LinearModel": "linear.linear_model",
    "Link": "arm.description",
    "LinkShape": "arm.shapes",
    "Load": "arm.inertia",
    "LoadChange": "simulation.loads",
    "LoadTables": "design.tables",
    "Log": "identification.log",
    "Manipulability": "kinematics.manipulability",
    "ManyMotions": "mechanisms.many_motions",
    "Mechanism": "mechanisms.mechanism",
    "MechanismPage": "report.mechanism_page",
    "MechanismStudio": "studio.mechanism_studio",
    "MechanismSystem": "mechanisms.mechanism_system",
    "Motion": "simulation.motion",
    "MotionPage": "report.replay",
    "Motor": "arm.drives",
    "Motors": "mechanisms.overconstrained",
    "MovingBody": "arm.moving_parts",
    "OperationalSpace": "control.controllers",
    "Output": "studies.outputs",
    "PDGravity": "control.controllers",
    "ParameterSensitivity": "mechanisms.mechanism_sensitivity",
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
    "Spring": "mechanisms.springs",
    "StateFeedback": "control.controllers",
    "StatePage": "report.state_page",
    "Stribeck": "arm.friction_models",
    "Studio": "studio.studio",
    "Study": "studies.study",
    "StudyResult": "studies.study_result",
    "System": "systems.protocol",
    "TermShare": "design.significance",
    "TermShares": "design.significance",
    "TimeOptimal": "control.time_optimal",
    "ToleranceWarning": "arm.errors",
    "TurnWarning": "arm.errors",
    "TrigPolynomial": "equations.polynomial",
    "UnitWarning": "arm.errors",
    "VoltageFeedback": "control.controllers",
    "WrittenFmu": "fmu.write_fmu",
    "arc_path": "control.cartesian_paths",
    "carrying": "mechanisms.mounting",
    "catalog": "api.loading",
    "check_certificate": "certificates.checker",
    "compare_drives": "mechanisms.maps",
    "conditioning_map": "mechanisms.maps",
    "design_numbers": "studies.design_numbers:design_numbers",
    "excitation": "control.exciting",
    "free_body": "mechanisms.mounting",
    "identify": "identification.identify",
    "in_unit": "arm.units",
    "line_path": "control.cartesian_paths",
    "load": "api.loading",
    "load_mechanism": "mechanisms.mechanism_file",
    "load_study": "api.study_loading",
    "lqr": "control.gains",
    "motion_of": "simulation.motion_files",
    "optimize_design": "studies.optimum",
    "quintic": "control.trajectories",
    "requirements": "control.requirements",
    "s_curve": "control.splines",
    "si": "arm.units",
    "simulate": "control.simulate_system:simulate_system",
    "spline": "control.splines",
    "stream": "studies.streams",
    "study": "studies.study",
    "time_optimal": "control.time_optimal",
    "timed": "control.timing_laws",
    "tracking_lqr": "control.gains",
    "tracking_poles": "control.gains",
    "trapezoidal": "control.trajectories",
    "write_fmu": "fmu.write_fmu",
    "write_mechanism_page": "report.mechanism_page",
    "write_mechanism_picture": "report.mechanism_picture",
    "write_study_page": "report.study_page",
}
"""Names and their modules, imported when they are first asked for: the command line starts without NumPy and SciPy."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        module, _, own = _LATER[name].partition(":")
        found = getattr(import_module(f".{module}", __name__), own or name)
        globals()[name] = found
        return found
    # with its name and the module, Python says which name is near
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "Actuator", "Analysis", "Angle", "Arm", "ArmError", "AssemblyWarning", "CertificateError", "CheckedCertificate",
    "Closure", "Compared", "ComputedTorque", "Coulomb", "Coupling", "Couplings", "DHRow", "DesignOptimum",
    "DriveTrain", "DrivenArm", "Element", "Equations", "Excitation", "Factor", "Follows", "Force", "FrameOn",
    "Friction", "Gear", "Identification", "IdentifiedLoad", "Inertia", "InputTable", "Joint", "JointCoupling",
    "JointDamper", "JointSolutions", "JointSpring", "Kernel", "Legend", "Limits", "LinearModel", "Link",
    "LinkShape", "Load", "LoadChange", "LoadTables", "Log", "Manipulability", "ManyMotions", "Mechanism",
    "MechanismPage", "MechanismStudio", "MechanismSystem", "Motion", "MotionPage", "Motor", "Motors", "MovingBody",
    "OperationalSpace", "Output", "PDGravity", "ParameterSensitivity", "PhysicalWarning", "Placement",
    "PointSpring", "PoseCoupling", "Range", "ReducedCoefficient", "ReducedModel", "Redundant", "Report",
    "Requirements", "Review", "Rotor", "RoundedWarning", "ServoFollowingInertia", "ShortFormModel",
    "SimplifiedModel", "SimulationError", "SimulationInterrupt", "SkippedWarning", "Spring", "StateFeedback",
    "StatePage", "Stribeck", "Studio", "Study", "StudyResult", "System", "TermShare", "TermShares", "TimeOptimal",
    "ToleranceWarning", "TrigPolynomial", "TurnWarning", "UnitWarning", "VoltageFeedback", "WrittenFmu", "__version__",
    "arc_path", "carrying", "catalog", "check_certificate", "compare_drives", "conditioning_map", "design_numbers",
    "excitation", "free_body", "identify", "in_unit", "line_path", "load", "load_mechanism", "load_study", "lqr",
    "motion_of", "optimize_design", "quintic", "requirements", "s_curve", "si", "simulate", "spline", "stream", "study",
    "time_optimal", "timed", "tracking_lqr", "tracking_poles", "trapezoidal", "write_fmu", "write_mechanism_page",
    "write_mechanism_picture", "write_study_page",
]  # fmt: skip
