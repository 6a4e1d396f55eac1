"""``Log``: what was measured while a robot moved."""

from __future__ import annotations

import io
import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import ndimage

from ..arm.errors import ArmError
from ..arm.io.text_files import read_text

Array: TypeAlias = NDArray[np.float64]
Columns: TypeAlias = Mapping[str, str | Sequence[str]]

TIMES = ("t", "time")
EFFORTS = ("tau", "torque", "effort", "i", "current")
"""Heads of columns that are understood without being told; those of joints end in the number of the joint."""
CURRENT = re.compile(r"(i|current)_?[0-9]+")
"""Heads of currents among them."""
LARGEST_LOG = 1_000_000_000
"""Largest file that is read (bytes)."""
SIMULATED = {"q": "rad|m", "qd": "rad/s|m/s", "input": "N m|N"}
"""Heads of a motion that was simulated under joint torques, NAME of a joint after each, and their units."""
REFERENCES = ("q_ref", "q_desired", "q_target", "qr")
GAP, AROUND = 5.0, 8
"""A step of time longer than so many usual ones, those of so many steps before or after it, is a gap: nothing is
filtered or differentiated across it."""
CHANGED, MANY = 1.5, 20
"""Ratio of usual steps from which the rate changes within a log, and changes beyond which its clock is only uneven."""


@dataclass(frozen=True, eq=False)
class Log:
    """Times (s), joint positions (rad, m), velocities where they were measured, and torques or currents.

    ``reference`` is the motion the drives were asked for, where it was recorded: free of noise, it makes instruments.

    ``t`` is ``(m,)``, the others ``(m, n)``. ``effort`` is in N m (N), or in A with gains of the drives
    (``gained``). Times need not be evenly spaced; where a step is five times those around it, the log has a gap.
    ``currents`` says that the efforts are known to be currents, as those of columns i1, ... are.
    """

    t: Array
    q: Array
    effort: Array
    qd: Array | None = None
    name: str = "log"
    reference: Array | None = None
    currents: bool = False

    def __init__(
        self,
        t: ArrayLike,
        q: ArrayLike,
        effort: ArrayLike,
        qd: ArrayLike | None = None,
        name: str = "log",
        reference: ArrayLike | None = None,
        currents: bool = False,
    ) -> None:
        times = self._numbers(name, "t", t)
        if times.ndim != 1 or len(times) < 2:
            raise ArmError(f"{name}: t must be a list of at least two times, got the shape {times.shape}")
        optional = {"qd": qd, "reference": reference}
        tables = {
            "q": q,
            "effort": effort,
            **{quantity: values for quantity, values in optional.items() if values is not None},
        }
        arrays = {quantity: self._numbers(name, quantity, values) for quantity, values in tables.items()}
        for quantity, array in arrays.items():
            if array.ndim != 2 or not array.shape[1] or array.shape != (len(times), *arrays["q"].shape[1:]):
                raise ArmError(f"{name}: {quantity} must be ({len(times)}, joints) as t and q are, got {array.shape}")
        for quantity, array in {"t": times, **arrays}.items():
            not_finite = np.argwhere(~np.isfinite(array))
            if len(not_finite):
                row, *column = (int(k) for k in not_finite[0])
                where = f" of joint {column[0] + 1}" if column else ""
                raise ArmError(
                    f"{name}: {quantity}{where} is no number in {len(not_finite)} places, first in row {row}; leave "
                    "those rows out (a gap is allowed), or repair them"
                )
        backward = np.flatnonzero(np.diff(times) <= 0)
        if len(backward):
            row = int(backward[0]) + 1
            raise ArmError(
                f"{name}: the clock does not advance in {len(backward)} places, first at row {row} (t = {times[row]:g} "
                f"s after {times[row - 1]:g} s); sort the rows, or cut the log there with rows()"
            )
        for quantity, value in {
            "t": times,
            "qd": None,
            "reference": None,
            **arrays,
            "name": name,
            "currents": currents,
        }.items():
            object.__setattr__(self, quantity, value)

    @staticmethod
    def _numbers(name: str, what: str, values: ArrayLike) -> Array:
        try:
            if np.iscomplexobj(values):
                raise TypeError
            array = np.array(np.ma.filled(np.ma.asarray(values, dtype=float), np.nan), dtype=float)
        except (TypeError, ValueError):
            raise ArmError(f"{name}: {what} must be real numbers") from None
        array.flags.writeable = False
        return array

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.q.shape[1]

    def __len__(self) -> int:
        return len(self.t)

    @cached_property
    def step(self) -> float:
        """The usual time between two samples (s)."""
        return float(np.median(np.diff(self.t)))

    @property
    def slowest_step(self) -> float:
        """The longest time between two samples that is usual anywhere in the log (s)."""
        return float(max(step for step, _ in self.steps))

    @property
    def steps(self) -> list[tuple[float, float]]:
        """The usual times between two samples (s), each with the time from which it holds: one, unless it changes."""
        return self._clock[1]

    @property
    def stretches(self) -> list[slice]:
        """The rows between gaps."""
        return list(self._clock[0])

    @cached_property
    def _clock(self) -> tuple[list[slice], list[tuple[float, float]]]:
        steps = np.diff(self.t)
        # a step is a gap beside those before it and those after it; where a rate changes it is usual on one side
        padded = np.pad(steps, AROUND, mode="reflect") if len(steps) > AROUND else np.pad(steps, AROUND, mode="edge")
        around = np.lib.stride_tricks.sliding_window_view(padded, AROUND)
        doubtful = np.flatnonzero(steps > GAP * np.quantile(steps, 0.05))
        usual = np.maximum(np.median(around[doubtful], axis=1), np.median(around[doubtful + AROUND + 1], axis=1))
        cuts = doubtful[steps[doubtful] > GAP * usual] + 1
        stretches = [slice(a, b) for a, b in pairwise([0, *cuts.tolist(), len(self.t)])]
        local = ndimage.median_filter(np.delete(steps, cuts - 1), 2 * AROUND + 1, mode="nearest")
        times = np.delete(self.t[:-1], cuts - 1)
        rates: list[tuple[float, float]] = []
        while len(local):
            changed = np.flatnonzero((local > CHANGED * local[0]) | (local < local[0] / CHANGED))
            end = int(changed[0]) if len(changed) else len(local)
            rates.append((float(np.median(local[:end])), float(times[0])))
            local, times = local[end:], times[end:]
            if len(rates) > MANY:
                return stretches, [(self.step, float(self.t[0]))]
        return stretches, rates or [(self.step, float(self.t[0]))]

    def rows(self, start: int, stop: int | None = None) -> Self:
        """Rows ``start`` to ``stop``, counted from 0, the last not included."""
        part = slice(start, stop)
        qd, reference = (None if x is None else x[part] for x in (self.qd, self.reference))
        return type(self)(self.t[part], self.q[part], self.effort[part], qd, self.name, reference, self.currents)

    def gained(self, gains: ArrayLike) -> Self:
        """The log with its currents (A) as torques at the joints: ``gains`` in N m/A, one for each joint."""
        try:
            values = np.asarray(gains, dtype=float)
        except (TypeError, ValueError):
            raise ArmError(f"{self.name}: gains are numbers (N m/A), one for each joint; got {gains!r}") from None
        if values.shape not in ((), (self.n,)) or not np.isfinite(values).all():
            raise ArmError(f"{self.name}: gains are one number for each of {self.n} joints (N m/A), got {gains!r}")
        return type(self)(self.t, self.q, self.effort * values, self.qd, self.name, self.reference)

    @classmethod
    def read(cls, path: str | Path, columns: Columns | None = None, name: str = "") -> Self:
        """A log from a CSV file with heads.

        Understood without ``columns``: t or time; q1, q2, ...; qd1, ... and the reference q_ref1, ..., q_desired1, ...,
        q_target1, ... or qr1, ... where they are there; and one of tau1, ..., torque1, ..., effort1, ..., i1, ...,
        current1, ...; also what ``Motion.save`` writes of a motion under joint torques. Otherwise ``columns`` says
        which they are:
        ``{"t": "stamp", "q": "pos", "effort": ["m_a", "m_b"]}``, a list of heads or what they begin with.
        """
        label = name or str(path)
        text = read_text(path, LARGEST_LOG)
        first, _, body = text.partition("\n")
        heads = [head.strip() for head in first.split(",")]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # an empty table is refused below, in our words
                table = np.loadtxt(io.StringIO(body), delimiter=",", ndmin=2)
        except ValueError as fault:
            raise ArmError(f"{label}: this is no table of numbers below one line of heads ({fault})") from None
        if not table.size:
            raise ArmError(f"{label}: there is nothing below the line of heads")
        if table.shape[1] != len(heads):
            raise ArmError(f"{label}: {len(heads)} heads over {table.shape[1]} columns")
        heads_of = _heads_of(label, heads, columns or {})
        column_of = {head: column for column, head in enumerate(heads)}
        data = {quantity: table[:, [column_of[head] for head in names]] for quantity, names in heads_of.items()}
        return cls(
            data["t"][:, 0],
            data["q"],
            data["effort"],
            data.get("qd"),
            label,
            data.get("reference"),
            bool(CURRENT.fullmatch(heads_of["effort"][0])) and "effort" not in (columns or {}),
        )


def _heads_of(label: str, heads: Sequence[str], columns: Columns) -> dict[str, list[str]]:
    """The heads of t, q, qd (where it is there) and effort."""
    for quantity in columns:
        if quantity not in ("t", "q", "qd", "effort", "reference"):
            raise ArmError(f"{label}: columns are those of t, q, qd, effort and reference, not of {quantity!r}")
    usual_heads: dict[str, Sequence[str]] = {
        "t": TIMES, "q": ("q",), "qd": ("qd",), "effort": EFFORTS, "reference": REFERENCES,
    }  # fmt: skip
    heads_of: dict[str, list[str]] = {}
    occurrences = Counter(heads)
    columns = {**_simulated(heads), **columns}
    for quantity, usual in usual_heads.items():
        requested = columns.get(quantity)
        names = _matching(label, heads, quantity, usual if requested is None else requested)
        if not names and (quantity not in ("qd", "reference") or requested is not None):
            described = f"{requested!r}" if requested is not None else " or ".join(usual)
            raise ArmError(
                f"{label}: there is no column of {quantity} ({described}) among {', '.join(heads):.200}; name it, as "
                f"in columns={{{quantity!r}: ...}}"
            )
        repeated = [name for name in names if occurrences[name] > 1]
        if repeated:
            raise ArmError(
                f"{label}: the head {repeated[0]!r:.100} is there twice; give the columns heads of their own"
            )
        if names:
            heads_of[quantity] = names
    counts = {quantity: len(names) for quantity, names in heads_of.items() if quantity != "t"}
    if len(set(counts.values())) != 1:
        raise ArmError(f"{label}: q, qd, effort and reference have different numbers of columns: {counts}")
    return heads_of


def _simulated(heads: Sequence[str]) -> dict[str, str | list[str]]:
    """The columns of a motion under joint torques as ``Motion.save`` writes it (``q_NAME [rad]``); none of others."""
    tables = [
        {match[1]: head for head in heads if (match := re.fullmatch(rf"{quantity}_(.+) \[(?:{units})\]", head))}
        for quantity, units in SIMULATED.items()
    ]
    q, qd, effort = tables
    of_motors = any(head.startswith("motor_torque_") for head in heads)  # which may be named as their joints are
    if "time [s]" not in heads or of_motors or not q or q.keys() != qd.keys() or q.keys() != effort.keys():
        return {}
    return {
        "t": "time [s]",
        "q": list(q.values()),
        "qd": [qd[name] for name in q],
        "effort": [effort[name] for name in q],
    }


def _matching(label: str, heads: Sequence[str], what: str, described: str | Sequence[str]) -> list[str]:
    """The heads a description means: themselves, or those that begin with it and end in a number."""
    words = [described] if isinstance(described, str) else list(described)
    if not isinstance(described, str) and words and all(word in heads for word in words):
        return words if what != "t" else words[:1]
    for word in words:
        if what == "t":
            if word in heads:
                return [word]
            continue
        matches = [(head, re.fullmatch(re.escape(word) + r"_?([0-9]{1,9})", head)) for head in heads]
        numbered = [(int(match[1]), head) for head, match in matches if match]
        numbered.sort()
        for (number, head), (next_number, next_head) in pairwise(numbered):
            if number == next_number:
                raise ArmError(
                    f"{label}: {head!r:.60} and {next_head!r:.60} are {what} of one joint; leave one of them out"
                )
        if numbered:
            return [head for _, head in numbered]
    return []
