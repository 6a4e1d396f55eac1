"""From which link each term comes.

The equations are linear in the inertia of the bodies, so the share of a link is what remains when all other
bodies are massless. With inertial symbols this can be read off the symbols; with numbers it cannot. The rotors of
the drives belong to two links each and are a share of their own.

What a coefficient keeps to find its links is the model it was derived from, never the equations: those hold arrays of
coefficients, and NumPy's arrays of objects take no part in the collection of cycles, so the equations would stay in
memory for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..formulations import composite_body
from ..formulations.chain import Chain, Segment
from ..rings.algebra import ZERO, mul, sub
from . import names
from .derive import EquationsModel
from .polynomial import TrigPolynomial, as_polynomial


def by_link(model: EquationsModel, name: str) -> dict[int | str, TrigPolynomial]:
    """A coefficient, a torque or an energy as a sum over links."""
    torque_or_energy = names.torque_or_energy(name, model.arm.n)
    if torque_or_energy is not None:
        return torque_or_energy_by_link(model, *torque_or_energy)
    shares = split_of(model, *names.parse(name, model.arm.n))()
    return {link: TrigPolynomial(model.space, poly) for link, poly in shares.items()}


def torque_or_energy_by_link(model: EquationsModel, kind: str, joint: int) -> dict[int | str, TrigPolynomial]:
    """The non-zero share of each link in a torque ("tau") or an energy ("K", "V")."""
    shares: dict[int | str, TrigPolynomial] = {}
    for link in links(model):
        if kind == "V":
            share = as_polynomial(model.space, potential(model, link))
        else:
            table = polynomials(model, link)
            share = (
                model.motion.kinetic_energy(table["D"])
                if kind == "K"
                else model.motion.torque(table["D"][joint], table["C"][joint], table["G"][joint])
            )
        if share:
            shares[link] = share
    return shares


def potential(model: EquationsModel, link: int | str) -> Any:
    """The potential energy of one link alone, or of the bodies that drives move; rotors add nothing to it."""
    ring = model.ring
    if link == "drives":
        return model.drive_potential
    return composite_body.potential_energy(single_body(model, link), ring, model.joints)


def polynomials(model: EquationsModel, link: int | str) -> dict[str, Any]:
    """D, C and G of one link alone, as polynomials."""

    def as_polynomials(entry: Any) -> Any:
        return (
            [as_polynomials(item) for item in entry]
            if isinstance(entry, list | tuple)
            else as_polynomial(model.space, entry)
        )

    return {kind: as_polynomials(table) for kind, table in share(model, link).items()}


def split_of(model: EquationsModel, kind: str, index: tuple[int, ...]) -> Callable[[], Mapping[int | str, Any]]:
    """A function that gives the non-zero share of each link in a coefficient, worked out when it is called."""

    def split() -> Mapping[int | str, Any]:
        shares: dict[int | str, Any] = {}
        for link in links(model):
            poly = model.space.ring.poly_of(entry_of(share(model, link), kind, index))
            if poly:
                shares[link] = poly
        return shares

    return split


def entry_of(shares: Mapping[str, Any], kind: str, index: tuple[int, ...]) -> Any:
    """A coefficient in tables of D, C and G; D_ijp of Bejczy 1974, eqs 12 to 17, is C_ijp of both orders."""
    two_speeds = kind == "D" and len(index) == 3
    entry = shares["C" if two_speeds else kind]
    for i in index:
        entry = entry[i]
    return mul(names.speeds_counted(index), entry) if two_speeds else entry


def links(model: EquationsModel) -> list[int | str]:
    """The links, counted from 1, "L" where the load has symbols of its own, and "drives" where they count."""
    labels: list[int | str] = [i + 1 for i in range(model.chain.n)]
    labels += ["L"] if model.selection.load else []
    return [*labels, "drives"] if model.arm.counts_drives else labels


def share(model: EquationsModel, link: int | str) -> dict[str, Any]:
    """D, C and G with the inertia of one link alone; cached, since all coefficients of a link are usually wanted."""
    if link not in model.shares:
        if link == "drives":
            spun = model.drive_matrix
            model.shares[link] = {"D": spun, "C": model.christoffel(spun), "G": model.drive_gravity}
            return model.shares[link]
        alone = single_body(model, link)
        matrix = alone.coupling.matrix(composite_body.mass_matrix(alone, model.ring, model.joints))
        gravity = alone.coupling.load(composite_body.gravity(alone, model.ring, model.joints))
        model.shares[link] = {"D": matrix, "C": model.christoffel(matrix), "G": gravity}
    return model.shares[link]


def single_body(model: EquationsModel, link: int | str) -> Chain:
    """The arm with all bodies but one massless."""
    loaded, empty = model.chain, model.unloaded
    hand = int(model.selection.hand) - 1
    segments = []
    for index, (loaded_segment, segment) in enumerate(zip(loaded.segments, empty.segments, strict=True)):
        if link == "L" and index == hand:
            segments.append(difference(loaded_segment, segment))
        else:
            segments.append(segment if link == index + 1 else massless(segment))
    return replace(loaded, segments=tuple(segments))


def massless(segment: Segment) -> Segment:
    """A body without mass, first moment and inertia tensor, its joint unchanged."""
    return replace(segment, mass=0, moment=ZERO, tensor=(ZERO, ZERO, ZERO), com=None, central=None)


def difference(loaded: Segment, empty: Segment) -> Segment:
    """Difference of two bodies: the load that was added."""
    moment = tuple(sub(a, b) for a, b in zip(loaded.moment, empty.moment, strict=True))
    tensor = tuple(
        tuple(sub(a, b) for a, b in zip(r, s, strict=True)) for r, s in zip(loaded.tensor, empty.tensor, strict=True)
    )
    return replace(loaded, mass=sub(loaded.mass, empty.mass), moment=moment, tensor=tensor, com=None, central=None)  # type: ignore[arg-type]
