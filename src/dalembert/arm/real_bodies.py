"""Whether bodies can be: the one place where the inertias of an arm are judged against what real bodies have.

A link alone: its pseudo-inertia matrix is positive semidefinite (``Inertia.violation``). A rotor of spin inertia J
about u that its link counts already (``Rotor.counted``) enters the mass matrix as

    D = D_links - J w w^T + J (w + N)(w + N)^T,    w_i = u . g_i,

so that the energy of the link without the rotor's share, omega . (I_c - J u u^T) omega / 2 beside that of its mass,
must not be negative: I_c - sum of J u u^T, about the mass centre, is positive semidefinite. It is in any link that
holds the rotors, and it is all that D asks.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from .errors import ArmError, PhysicalWarning, caller_level
from .inertia import Inertia, plus, positive_semidefinite

if TYPE_CHECKING:
    from .description import ArmDescription


def tell(arm: ArmDescription, faults: Mapping[str, str], physical: str) -> None:
    """Say what is wrong with links in one warning ("warn"), refuse them ("error"), or be silent ("ignore")."""
    if physical not in ("warn", "error", "ignore"):
        raise ArmError(f'physical must be "warn", "error" or "ignore", not {physical!r}')
    said = "; ".join(f"link {name!r}: {fault}" for name, fault in faults.items())
    if said and physical == "error":
        raise ArmError(
            f'{arm.where}{arm.name}: {said}. Mend the numbers, or load with physical="warn" to use them as given'
        )
    if said and physical == "warn":
        warnings.warn(
            f"{arm.where}{arm.name}: {said}. The numbers are used exactly as given",
            PhysicalWarning,
            stacklevel=caller_level(),
        )


def impossible(arm: ArmDescription) -> dict[str, str]:
    """What is wrong with each link that no real body can be, alone or without the rotors it counts, by its name."""
    return impossible_links(arm) | missing_rotors(arm)


def indefinite(arm: ArmDescription) -> bool:
    """Whether the mass matrix need not be positive semidefinite, since bodies that cannot be are counted in it.

    The approximations of drives add squares of ratios alone, which are positive in any link.
    """
    return bool(impossible_links(arm)) or (arm.drive_model == "exact" and bool(missing_rotors(arm)))


def impossible_links(arm: ArmDescription) -> dict[str, str]:
    """What is wrong with the inertia of each link that no real body can have."""
    faults = {link.name: link.inertia.violation() for link in arm.links}
    return {name: fault for name, fault in faults.items() if fault}


def missing_rotors(arm: ArmDescription) -> dict[str, str]:
    """Why a link cannot hold the rotors that it is said to count, by the name of the link.

    Links that are fixed to each other hold them together. Of a body with a link that cannot be itself nothing more is
    said, and the base does not move: its numbers say nothing.
    """
    rotors = [
        (part.name, part.rotor, *arm.body_of[part.rotor.link])
        for part in arm.drives.parts
        if part.rotor.counted and part.rotor.inertia and part.rotor.link in arm.body_of
    ]
    faults = {}
    for body in sorted({body for _, _, body, _ in rotors if body >= 0}):
        links = [(link.inertia, *arm.body_of[link.name]) for link in arm.links]
        own = [(inertia, frame) for inertia, owner, frame in links if owner == body]
        if any(inertia.violation() for inertia, _ in own):
            continue
        held = [(name, rotor, frame) for name, rotor, owner, frame in rotors if owner == body]
        left = sum((inertia.placed(frame) for inertia, frame in own), Inertia()).central
        for _, rotor, frame in held:
            shaft = replace(rotor, mass=Fraction(0), across=Fraction(0)).locked  # J u u^T
            left = plus(left, shaft.placed(frame).tensor, -1)
        if not positive_semidefinite(left):
            names = " and ".join(repr(name) for name, _, _ in held)
            faults[held[0][1].link] = (
                f"it is said to hold the rotor of {names} (counted), and has too little inertia about its mass centre "
                "for that; where its numbers leave rotors out, say counted = false"
            )
    return faults
