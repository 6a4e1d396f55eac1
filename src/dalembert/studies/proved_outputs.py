"""Outputs with proof: certified ranges and couplings, sizes of reduced models. One design after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..design.motion_samples import MotionSamples
from ..reduction.tolerance import check_tolerance

if TYPE_CHECKING:
    from ..design.analysis import Analysis
    from ..reduction.reduced_model import ReducedModel
    from ..systems.arm_system import ArmSystem
    from .outputs import Columns, Output

Array = NDArray[np.float64]

REDUCING = ("tolerance", "box", "speed", "acceleration", "effort")
"""Options of what is about a reduced model."""
TOLERANCE = 0.05


def _analysis(output: Output, system: ArmSystem) -> Analysis:
    from ..design.analysis import Analysis

    options = output.options
    return Analysis(
        system, options.get("box"), options.get("speed"), options.get("acceleration"), effort=options.get("effort", 1.0)
    )


def refuse_options(output: Output, system: ArmSystem) -> None:
    """Refuse a box, speeds or a tolerance that no design could have, before the first one is worked out."""
    tolerance = output.options.get("tolerance", TOLERANCE)
    try:
        check_tolerance(tolerance)
        _analysis(output, system)
    except ArmError as fault:
        raise ArmError(f"output {output.name!r}: {fault}") from None
    if output.kind == "range" and "coefficient" not in output.options:
        raise ArmError(f'output {output.name!r} is the range of a coefficient; give it, as in coefficient = "D11"')


def range_columns(output: Output, system: ArmSystem) -> Columns:
    """Values that are attained, and proved bounds, in the unit of the coefficient (``refuse_options`` asks for one)."""
    from ..equations.names import coefficient_unit

    unit = coefficient_unit(system, output.options["coefficient"]) if "coefficient" in output.options else ""
    return tuple((f".{end}", unit) for end in ("minimum", "maximum", "lower", "upper"))


def certified_range(output: Output, system: ArmSystem) -> Sequence[float]:
    """The certified range of a coefficient over all poses: values that are attained, and proved bounds."""
    certified = _analysis(output, system).range_of(output.options["coefficient"])
    return certified.minimum, certified.maximum, certified.lower, certified.upper


def coupling_columns(output: Output, system: ArmSystem) -> Columns:
    """Attained and proved."""
    return (".largest", "1"), (".proved", "1")


def strongest_coupling(output: Output, system: ArmSystem) -> Sequence[float]:
    """The strongest coupling of two joints over all poses: attained, and proved."""
    pairs = _analysis(output, system).coupling()
    return (pairs[0].largest, max(pair.proved for pair in pairs)) if pairs else (0.0, 0.0)


def reduced_model(output: Output, system: ArmSystem) -> ReducedModel:
    """The shortest model found whose error is proved to stay within ``tolerance``."""
    model = _analysis(output, system).reduce(output.options.get("tolerance", TOLERANCE))
    if model.interrupted:  # a reduction ends with what it has; a study ends, and keeps whole answers only
        raise KeyboardInterrupt
    return model


def reduced_columns(output: Output, system: ArmSystem) -> Columns:
    """Operations, and the largest proved error as a share of its joint's largest torque."""
    return (".multiplications", "1"), (".additions", "1"), (".proved", "1")


def reduced_size(output: Output, system: ArmSystem) -> Sequence[float]:
    """Operations of the reduced model of the design, and what is proved of it."""
    model = reduced_model(output, system)
    proved = float((model.bound / np.maximum(model.scale, 1e-300)).max(initial=0.0))
    return float(model.after.multiplications), float(model.after.additions), proved


def reduced_torques(output: Output, system: ArmSystem, motion: MotionSamples) -> Array:
    """tau ``(moments, n)`` along a motion, of the model that is reduced for the present numbers."""
    return np.asarray(reduced_model(output, system).inverse_dynamics(motion.q, motion.qd, motion.qdd))
