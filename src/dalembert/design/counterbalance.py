"""Counterbalancing: the weight on a link that takes the gravity load off its joint, solved exactly.

A mass m at the point p + d of a link, p on the joint axis, changes G_i by a function linear in the moment m d, and by
nothing else. So G_i + sum_k A_k(q) u_k = 0, with A_k the derivatives of the closed form to the first moments of the
link, is a linear system over the rationals, one equation for every term of the closed form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from flint import fmpq, fmpq_mat

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.exact import exact
from ..arm.inertia import Inertia
from ..arm.joint_keys import joint_index
from ..bounds.ranges import LESS_WORK, range_of
from ..bounds.waves import wave_of
from ..equations.polynomial import TrigPolynomial
from ..reduction.coefficient_waves import CoefficientWaves
from .certified_ranges import CertifiedRanges
from .coupling import moved_mass
from .gravity_ranges import FEW, before_of, load_range
from .least_load import least_load

DECIMALS = 9
"""Of a moment (kg m) that is not exact."""

Key = TypeVar("Key")


@dataclass(frozen=True, eq=False)
class Counterbalance:
    """A weight on ``link`` for one joint.

    ``moment`` (kg m) is mass times the arm from the joint axis, in axes of the link frame; ``place`` (m) is in the link
    frame. ``exact``: the gravity load vanishes for every pose; else part of it moves with outer joints, the weight
    makes the largest load least, and ``rest`` is the remaining load. ``before`` and ``after`` are the largest loads,
    attained; no pose exceeds ``proved``, and no weight on this link leaves less than ``least`` (all in ``unit``).
    ``balanced`` is the arm with the weight, ``moves`` the mass (kg) that the joint moves without it. ``spring`` (N m)
    is what a spring needs that does the same: k a b of one without free length, from a point at a above the joint axis
    to one at b on the link, where the axis stays level.
    """

    joint: str
    link: str
    moment: tuple[float, float, float]
    mass: float
    place: tuple[float, float, float]
    exact: bool
    before: float
    after: float
    proved: float
    least: float
    unit: str
    rest: TrigPolynomial
    balanced: ArmDescription
    moves: float
    spring: float

    @property
    def heavy(self) -> bool:
        """True if the weight is more than half of what the joint moves: nobody builds that, a spring suits."""
        return self.mass > self.moves / 2

    def __str__(self) -> str:
        x, y, z = (f"{value + 0.0:.4g}" for value in self.place)
        weight = f"{self.joint}: {self.mass:.4g} kg on link {self.link}, at ({x}, {y}, {z}) m in its frame,"
        if self.exact:
            words = f"{weight} takes the gravity load away, up to {self.before:.5g} {self.unit} without it."
        else:
            words = (
                f"{weight} lowers the largest gravity load from {self.before:.5g} to {self.after:.5g} {self.unit}; no "
                f"pose exceeds {self.proved:.5g} {self.unit}, and no weight on this link leaves less than "
                f"{self.least:.5g} {self.unit}."
            )
        if self.heavy:
            words += (
                f" That is too heavy to build, more than half of the {self.moves:.4g} kg that the joint moves; a "
                f"spring with k a b = {self.spring:.5g} N m does the same."
            )
        return words


def counterbalance(
    ranges: CertifiedRanges, joint: str | int, *, mass: object = None, radius: object = "0.2"
) -> Counterbalance:
    """The weight that balances a revolute joint: either its mass or its radius (m) may be chosen."""
    arm = ranges.system
    i = joint_index(arm, joint)
    number = arm.all_moving.index(arm.joint(arm.joint_names[i]))
    body = arm.bodies[number]
    if body.joint.kind != "revolute":
        raise ArmError(
            f"{arm.where}joint {body.joint.name!r} slides: a weight on its link adds to its load; "
            "use a spring or a pulley"
        )
    full = ranges.equations_in("full")
    names = [f"{k}{number + 1}" for k in ("mx", "my", "mz")]
    values = {s.name: s.value for s in full.symbols if s.value is not None}
    exact_load = ranges.equations.gravity[i]
    slopes = [full.gravity[i].diff(name).substitute(values) for name in names]
    moment = solved(exact_load, slopes)
    residual_load, least = remaining(exact_load, slopes, moment), 0.0
    if residual_load:
        # Outer joints move part of the load: no weight on this link balances it, so the largest load is minimized.
        least_moment = least_load(wave_of(exact_load), [wave_of(slope) for slope in slopes], ranges.box)
        moment, least = [exact(round(value, DECIMALS)) for value in least_moment.moment], least_moment.floor
        residual_load = remaining(exact_load, slopes, moment)
    size = sum(u * u for u in moment)
    if not size:
        weight, position = Fraction(0), (Fraction(0),) * 3
    else:
        length = exact(float(size) ** 0.5)
        weight = exact(mass, "mass of the counterweight") if mass is not None else length / exact(radius, "radius")
        if weight <= 0:
            raise ArmError(
                f"{arm.where}the counterweight of joint {body.joint.name!r} needs a mass or a radius above zero"
            )
        turn, shift = body.after.exact
        origin = [-sum(turn[k][a] * shift[k] for k in range(3)) for a in range(3)]
        position = tuple(origin[a] + moment[a] / weight for a in range(3))  # type: ignore[assignment]
    balanced = with_weight(arm, body.joint.child, weight, position)
    before = ranges.gravity(i).largest
    after = proved = 0.0
    if residual_load:
        wave, work = wave_of(residual_load), min(ranges.work, LESS_WORK)
        # Only with many joints before it does a proof need the load for every direction of gravity, derived anew.
        if arm.followers or len(before_of(arm, i, wave)) <= FEW:
            residual_range = range_of(wave, ranges.box, ranges.gap, work=work)
        else:
            residual_range = load_range(CoefficientWaves(balanced), i, ranges.box, ranges.gap, work=work)
        after, proved = residual_range.largest, residual_range.bound
    pull = float(sum(g * g for g in arm.gravity)) ** 0.5
    return Counterbalance(
        body.joint.name, body.joint.child, floats(moment), float(weight), floats(position), not residual_load, before,
        after, proved, least, "N m", residual_load, balanced, moved_mass(arm)[i], float(size) ** 0.5 * pull,
    )  # fmt: skip


def solved(load: TrigPolynomial, slopes: list[TrigPolynomial]) -> list[Fraction]:
    """The moments u that leave the least sum of squares of coefficients of load + sum slope u, exact.

    A^T A u = -A^T b, the columns of A being the coefficients of the slopes, b those of the load; moments that have no
    effect of their own are zero.
    """
    slope_tables, load_table = [slope.monomials for slope in slopes], load.monomials
    keys = list(dict.fromkeys(key for table in (load_table, *slope_tables) for key in table))
    normal = rational_matrix(slope_tables, keys) * rational_matrix([*slope_tables, load_table], keys).transpose()
    reduced, rank = normal.rref()
    moments = [Fraction(0)] * len(slopes)
    for row in range(rank):
        column = next(k for k in range(len(slopes)) if reduced[row, k] != 0)
        value = reduced[row, len(slopes)]
        moments[column] = -Fraction(int(value.p), int(value.q))
    return moments


def rational_matrix(tables: Sequence[Mapping[Key, Fraction]], keys: Sequence[Key]) -> fmpq_mat:
    """A row for each table, a column for each key."""
    entries = (table.get(key, Fraction(0)) for table in tables for key in keys)
    return fmpq_mat(len(tables), len(keys), [fmpq(x.numerator, x.denominator) for x in entries])


def remaining(load: TrigPolynomial, slopes: list[TrigPolynomial], moment: list[Fraction]) -> TrigPolynomial:
    """The gravity load with a weight of this moment."""
    residual_load = load
    for slope, amount in zip(slopes, moment, strict=True):
        residual_load = residual_load + slope * amount if slope and amount else residual_load
    return residual_load


def with_weight(arm: ArmDescription, link: str, mass: Fraction, position: tuple[Fraction, ...]) -> ArmDescription:
    """The arm with a point mass on a link."""
    if not mass:
        return arm
    extra = Inertia.of(mass, position, (0, 0, 0))
    links = tuple(replace(link_, inertia=link_.inertia + extra) if link_.name == link else link_ for link_ in arm.links)
    return replace(arm, links=links)


def floats(values: Sequence[Fraction]) -> tuple[float, float, float]:
    """A rational vector in floating point."""
    x, y, z = (float(v) for v in values)
    return x, y, z
