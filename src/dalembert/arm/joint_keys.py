"""Which joint is meant: by its name, by its number counted from 0, or as in printed equations, q1 to qn."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, SupportsIndex, TypeVar

from .errors import ArmError
from .exact import whole_number

if TYPE_CHECKING:
    from .description import ArmDescription

T = TypeVar("T")


def joint_number(names: Sequence[str], key: object) -> int | None:
    """The joint among ``names``, counted from 0; None where the key means none of them."""
    if isinstance(key, str):
        if key in names:
            return list(names).index(key)
        number = (whole_number(key[1:]) or 0) - 1 if key[:1] == "q" else -1
    else:
        number = operator.index(key) if isinstance(key, SupportsIndex) and not isinstance(key, bool) else -1
    return number if 0 <= number < len(names) else None


def joint_index(arm: ArmDescription, key: object) -> int:
    """The joint of an arm with a coordinate of its own, counted from 0; refused with the reason where it has none."""
    number = joint_number(arm.joint_names, key)
    if number is not None:
        return number
    joint = next((joint for joint in arm.joints if joint.name == key), None)
    if joint is not None and joint.follows is not None:
        raise ArmError(f"{arm.where}joint {key!r} follows joint {joint.follows.joint!r}; name that one")
    what = f"joint {key!r} is fixed" if joint is not None else f"no joint {key!r:.80}"
    raise ArmError(f"{arm.where}{what}; the joints are {', '.join(arm.joint_names)} (or q1 to q{arm.n})")


def by_joint(arm: ArmDescription, table: Mapping[str | int, T]) -> dict[int, T]:
    """The entries of a table by the joints that its keys mean; two for one joint are refused."""
    if not isinstance(table, Mapping):
        raise ArmError(f"{arm.where}give a table by joint, as in {{{arm.joint_names[0]!r}: 0.5}}; got {table!r:.80}")
    entries: dict[int, T] = {}
    for key, entry in table.items():
        index = joint_index(arm, key)
        if index in entries:
            raise ArmError(f"{arm.where}joint {arm.joint_names[index]!r} is named twice, once as {key!r}; name it once")
        entries[index] = entry
    return entries
