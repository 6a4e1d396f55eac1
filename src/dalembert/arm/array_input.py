"""The door of arrays: what a caller gives as numbers becomes floats, or is refused; nothing of it is dropped."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ArmError


def real_array(name: str, values: ArrayLike, what: str = "numbers", dtype: Any = np.float64) -> NDArray[Any]:
    """``values`` as floats of ``dtype``; masked, complex and other entries that are no real numbers are refused."""
    try:
        array = np.asanyarray(values)
    except (TypeError, ValueError):
        raise ArmError(f"{name} must be {what}, got {values!r:.80}{traced_remedy(values)}") from None
    refuse_masked(name, array)
    if array.dtype.kind == "O":
        return _of_objects(name, array, what, dtype)
    if array.dtype.kind not in "fiub":
        raise ArmError(f"{name} must be {what}, real ones, got {values!r:.80}")
    return np.asarray(array, dtype=dtype)


def refuse_masked(name: str, values: object) -> None:
    """Refuse an array that says of some of its entries that they are none.

    Such an array is made by ``numpy.ma``, which is not imported to ask: that takes as long as a first answer.
    """
    if "numpy.ma" in sys.modules and np.ma.isMaskedArray(values) and np.ma.is_masked(values):
        raise ArmError(
            f"{name} is masked in {int(np.ma.getmaskarray(values).sum())} places; fill them, or leave those states out"
        )


def traced_remedy(values: object) -> str:
    """What to call where ``values`` stand for numbers that JAX puts in later, as under jit, grad and vmap."""
    if type(values).__module__.partition(".")[0] not in ("jax", "jaxlib"):
        return ""
    return '; under jit, grad or vmap call a function of JAX, as in f = arm.jax("inverse_dynamics"), f(q, qd, qdd)'


class Shaped(Protocol):
    """An array of any library."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of its axes."""
        ...


def common_shape(arrays: Sequence[tuple[str, Shaped]]) -> tuple[int, ...]:
    """The batch shape all arguments, by name, broadcast to; their last axis does not count."""
    try:
        return np.broadcast_shapes(*(array.shape[:-1] for _, array in arrays))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays)
        raise ArmError(f"these batches do not broadcast against each other: {shapes}") from None


def _of_objects(name: str, array: NDArray[Any], what: str, dtype: Any) -> NDArray[Any]:
    """Fractions, decimals and other exact numbers as floats."""
    for item in array.flat:
        if not isinstance(item, Real | Decimal):
            raise ArmError(f"{name} must be {what}, got {item!r:.60} among them")
    try:
        return np.asarray(array, dtype=dtype)
    except OverflowError:
        raise ArmError(f"{name} holds a number too large for floats") from None
