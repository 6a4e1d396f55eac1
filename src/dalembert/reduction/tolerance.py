"""The tolerance of a shorter model, wherever it is asked for."""

from __future__ import annotations

import numpy as np

from ..arm.errors import ArmError

NUMBERS = (int, float, np.integer, np.floating)


def check_tolerance(tolerance: object) -> None:
    """Refuse a tolerance that is no share, or one that leaves nothing of a model: 5 where 5 percent are meant."""
    if isinstance(tolerance, NUMBERS) and not isinstance(tolerance, bool) and 0 <= tolerance < 1:
        return
    percent = isinstance(tolerance, NUMBERS) and 1 <= tolerance <= 100
    hint = f" ({tolerance:g} percent are {float(tolerance) / 100:g})" if percent else ""  # type: ignore[arg-type]
    raise ArmError(f"a tolerance is a share of at least zero and below one, such as 0.05; got {tolerance!r}{hint}")
