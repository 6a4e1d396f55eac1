"""Why a result is not finite: a drive or spring that has no value, a joint that moves nothing, an overflow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from ..compile.undetermined import refuse_undetermined, refuse_without_length
from ..formulations import moving_bodies
from ..rings.real import REAL
from .arrays import evaluate, joint_array

if TYPE_CHECKING:
    from .evaluated_arm import EvaluatedArm


def refuse_infinite(system: EvaluatedArm, q: ArrayLike, divided: bool, argument_names: Sequence[str]) -> NoReturn:
    """Say why a result came out infinite: drives without a value, a joint that moves no inertia, numbers too large.

    ``divided`` says that the result needed the inverse of D, ``argument_names`` are what it was computed from.
    """
    refuse_undefined(system, q)
    position = joint_array(system, "q", q)
    refuse_without_length(system, position)
    if divided:
        # not by the kernel, whose result may be what is not finite
        with np.errstate(all="ignore"):
            matrix = evaluate(lambda x: system.over_reals.mass_matrix(REAL, x), [("q", position)])
        if np.isfinite(matrix).all():
            refuse_undetermined(system, matrix)
    raise ArmError(
        f"{system.where}{system.name}: the result overflows; {', '.join(argument_names)} or numbers of the arm are "
        "too large for floats"
    )


def refuse_undefined(system: EvaluatedArm, q: ArrayLike) -> None:
    """Say which part of the drives has no value or no derivative at these positions, if one has none."""
    train = system.over_reals.train
    if train is None or not system.drives.functions:
        return
    rows = joint_array(system, "q", q).reshape(-1, system.n)
    with np.errstate(all="ignore"):
        values: list[tuple[str, Any]] = []
        _, ratios = train.spins(REAL, list(rows.T))
        if train.approximation == "exact":
            values += [(part.name, row) for part, row in zip(system.drives.parts, ratios.first, strict=True)]
        moved = [part.name for part in system.drives.parts if part.body is not None]
        for name, body in zip(moved, train.carried, strict=False):
            matrix = moving_bodies.mass_matrix(system.over_reals.links, REAL, list(rows.T), [body])
            values.append((name, [x for row in matrix for x in row]))
        for name, numbers in values:
            finite = np.all([np.isfinite(np.broadcast_to(x, len(rows))) for x in numbers], axis=0)
            if not finite.all():
                position = ", ".join(f"{x:.6g}" for x in rows[int(np.argmin(finite))])
                raise ArmError(
                    f"{system.where}{system.name}: {name!r} of its drives has no value or no derivative at q = "
                    f"({position}): its function takes the root of a number that is not positive, or divides by zero; "
                    "keep away from there"
                )
