"""A design review by the guidelines of Tourassis and Neuman 1985, section 6, with the figures of this arm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..arm.description import ArmDescription
from ..equations.closed_form import Equations
from .certified_ranges import CertifiedRanges
from .counterbalance import Counterbalance, counterbalance
from .coupling import Coupling, Couplings, coupling, moved_mass
from .tables import capacity


@dataclass(frozen=True)
class Finding:
    """What one guideline says of this arm. ``verdict`` is "met", "partly met" or "not met"."""

    guideline: str
    verdict: str
    text: str
    figures: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Review:
    """All findings, the couplings, and what balancing each loaded joint would take.

    ``interrupted`` says that couplings or counterweights are missing.
    """

    arm: str
    findings: tuple[Finding, ...]
    couplings: tuple[Coupling, ...]
    balances: tuple[Counterbalance, ...]
    interrupted: bool = False

    def __repr__(self) -> str:
        met = sum(finding.verdict == "met" for finding in self.findings)
        return f"<Review of {self.arm!r}: {met} of {len(self.findings)} guidelines met>"

    def _repr_html_(self) -> str:
        from ..markup.notebook import framed, heading
        from .review_tables import balance_table, findings_list

        parts = [heading(f"Design review of {self.arm}"), findings_list(self.findings)]
        return framed(*parts, *([balance_table(self.balances)] if self.balances else []))


def review(ranges: CertifiedRanges, *, partial: bool = False) -> Review:
    """The review of a system. With ``partial`` an interrupt ends with the couplings and counterweights that are done,
    none of them at first; before there is a finding on gravity it is an interrupt.
    """
    gravity(ranges)  # its ranges take the least: there is a finding on them whatever follows
    pairs, balances, interrupted = Couplings(interrupted=True), list[Counterbalance](), False
    try:
        pairs = coupling(ranges, partial=partial)
        interrupted = pairs.interrupted
        if not interrupted:
            balances.extend(weights(ranges))
    except KeyboardInterrupt:
        if not partial:
            raise
        interrupted = True
    # which coupling is the strongest is known once there are all
    findings = guidelines(ranges, () if pairs.interrupted else pairs)
    return Review(ranges.system.name, findings, pairs, tuple(balances), interrupted)


def guidelines(ranges: CertifiedRanges, pairs: tuple[Coupling, ...]) -> tuple[Finding, ...]:
    """What each guideline says; ``pairs`` are the couplings, strongest first."""
    arm = ranges.system
    return translation(arm), directions(arm, ranges.equations), masses(arm, pairs), gravity(ranges)


def weights(ranges: CertifiedRanges) -> Iterator[Counterbalance]:
    """What would balance each revolute joint that gravity loads."""
    for i, joint in enumerate(ranges.system.moving):
        if joint.kind == "revolute" and len(ranges.waves.gravity(i)):
            ranges.tell(f"counterweight of {joint.name}")
            yield counterbalance(ranges, i)


def translation(arm: ArmDescription) -> Finding:
    """Translational joints have simple dynamics."""
    slides = [joint.name for joint in arm.moving if joint.kind == "prismatic"]
    verdict = "met" if len(slides) >= 3 else "partly met" if slides else "not met"
    condition = "that none follows " if arm.followers else ""
    summary = f"{len(slides)} of {arm.n} joints translate" + (f" ({', '.join(slides)})" if slides else "")
    return Finding(
        "As many translational joints as the application allows", verdict,
        f"{summary}; a translational joint {condition}has a constant self-inertia, makes no centrifugal torque, "
        "and no Coriolis torque with outer links.",
        {"translational joints": float(len(slides)), "joints": float(arm.n)},
    )  # fmt: skip


def directions(arm: ArmDescription, eq: Equations) -> Finding:
    """Axes parallel or at right angles, and what that makes zero."""
    skew = []
    for body in arm.bodies:
        turn = (body.before if body.parent < 0 else arm.bodies[body.parent].after @ body.before).rotation
        if turn[2][2] not in (-1, 0, 1):
            skew.append(body.joint.name)
    n = arm.n
    mutual = [(i, j) for i in range(n) for j in range(i + 1, n)]
    zeros = sum(not eq.mass_matrix[i, j] for i, j in mutual)
    speeds = [eq.christoffel[i, j, k] for i in range(n) for j in range(n) for k in range(j, n)]
    zero_speeds = sum(not poly for poly in speeds)
    verdict = "met" if not skew else "partly met"
    text = (
        "every axis is parallel or at right angles to the one before it" if not skew
        else f"not parallel or at right angles to the axis before: {', '.join(skew)}"
    )  # fmt: skip
    return Finding(
        "Axes parallel or at right angles", verdict,
        f"{text}; {zeros} of {len(mutual)} mutual inertias and {zero_speeds} of {len(speeds)} velocity coefficients "
        "are zero.",
        {"zero mutual inertias": float(zeros), "zero velocity coefficients": float(zero_speeds)},
    )  # fmt: skip


def masses(arm: ArmDescription, pairs: tuple[Coupling, ...]) -> Finding:
    """Masses that fall from base to hand keep the loading factors, and with them the coupling, low."""
    link_masses = [float(body.inertia.mass) for body in arm.bodies]
    loaded = {arm.body_of[link][0] for link, _ in arm.loads}
    rising = [
        (
            f"link {arm.bodies[i].joint.child}{' with its load' if i in loaded else ''}",
            link_masses[i],
            link_masses[arm.bodies[i].parent],
        )
        for i in range(len(arm.bodies))
        if arm.bodies[i].parent >= 0 and link_masses[i] > link_masses[arm.bodies[i].parent] > 0
    ]
    moved_masses = moved_mass(arm)
    figures = {f"mass of {body.joint.child}": mass for body, mass in zip(arm.bodies, link_masses, strict=True)}
    figures |= {f"mass moved by {arm.joint_names[i]}": moved_masses[i] for i in range(arm.n)}
    text = "the masses of the links fall from base to hand"
    if rising:
        text = "; ".join(f"{name} ({m:g} kg) is heavier than the link before it ({p:g} kg)" for name, m, p in rising)
    if pairs:
        top = pairs[0]
        text += (
            f"; the strongest coupling is {top.first} with {top.second}, k up to {top.largest:.3g} "
            f"(loading factor {top.loading:.3g} times kinematic factor {top.kinematic:.3g})"
        )
    return Finding(
        "Masses falling from base to hand", "met" if not rising else "partly met" if len(rising) == 1 else "not met",
        text + ".", figures,
    )  # fmt: skip


def gravity(ranges: CertifiedRanges) -> Finding:
    """No work against gravity at the first joint, and where gravity costs most."""
    arm = ranges.system
    loads = {f"G{i + 1}": ranges.gravity(i).largest for i in range(arm.n)}
    free = [name for name, value in loads.items() if not value]
    parts = []
    for i, joint in enumerate(arm.moving):
        limit = capacity(arm, i)
        if loads[f"G{i + 1}"] and limit:
            parts.append(f"{joint.name} {100 * loads[f'G{i + 1}'] / limit:.0f} percent")
    cost = f" Gravity takes of what the drives can give: {', '.join(parts)}." if parts else ""
    first = "the first joint does no work against gravity" if "G1" in free else "the first joint works against gravity"
    return Finding(
        "No gravity load at the first joint", "met" if "G1" in free else "not met",
        f"{first}; gravity terms that are zero: {', '.join(free) or 'none'}.{cost}", loads,
    )  # fmt: skip
