"""Following a path of coordinates in one assembly mode."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..arm.errors import ArmError
from .batch import Array
from .position import closed, newton, solved

if TYPE_CHECKING:
    from .assembly import Assembly

SMALLEST_STEP = 2.0**-14
LARGEST_TURN = 0.3
"""Of a joint against its prediction in one step (rad or m): more would be a jump to another mode."""


def follow(assembly: Assembly, path: Array, guess: Array) -> Array:
    """Joints along ``path`` ``(t, n)``: predicted by dphi/dq, corrected by Newton, in steps halved as needed.

    Two modes meet only where [G^w_phi] is singular, and there its determinant changes sign. So a step that changes the
    sign, or that leaves the prediction behind, is refused and halved; where no step is small enough, the path has met
    a singularity and an error says where.
    """
    if path.ndim != 2:
        raise ArmError(f"a path is an array (t, n) of coordinates; got shape {path.shape}")
    phi = solved(assembly, path[:1], guess[None])
    found = [phi[0]]
    side, slope = _side(assembly, phi)
    for index, (start, end) in enumerate(pairwise(path)):
        done, step = 0.0, 1.0
        while done < 1:
            ahead = min(1.0, done + step)
            predicted = phi + slope @ ((ahead - done) * (end - start))
            trial, residual = newton(assembly, predicted, (start + ahead * (end - start))[None], 25)
            good = bool(closed(residual)[0]) and float(np.abs(trial - predicted).max()) < LARGEST_TURN
            new_side, new_slope = _side(assembly, trial) if good else (0.0, slope)
            if good and new_side == side:
                phi, slope, done, step = trial, new_slope, ahead, 2 * step
            elif step > SMALLEST_STEP:
                step /= 2
            else:
                where = ", ".join(
                    f"{c.name} = {value:.5g}"
                    for c, value in zip(assembly.coordinates, start + done * (end - start), strict=True)
                )
                raise ArmError(
                    f"the path meets a singular configuration between points {index} and {index + 1}, near {where}: "
                    f"beyond it the assembly mode is lost; end the path before it, or follow it in other coordinates"
                )
        found.append(phi[0])
    return np.array(found)


def _side(assembly: Assembly, phi: Array) -> tuple[float, Array]:
    """Sign of det [G^w_phi] (of its square part where constraints are redundant: always +) and dphi/dq."""
    g = assembly.first_order(phi)[1]
    whole, condition = assembly.inverse(g)
    sign = float(np.linalg.slogdet(g[0])[0]) if g.shape[1] == g.shape[2] else 1.0
    if not condition[0] < 1e13:
        sign = 0.0
    return sign, np.nan_to_num(whole[0, :, : assembly.n])
