"""Springs, dampers and rotors of a mechanism in closed form: each on one quantity s of the joints.

    -(stiffness (s - rest) + damping s' + inertia s'') ds/dphi

is what it puts on the joints. Along a coordinate s is a sum of joints and of polynomials in their sines and cosines:
the angles themselves are no such polynomials and stand beside them. Between two points s = |d| is the root of a
polynomial d.d, and s ds/dphi = d.(dd/dphi) a polynomial again, so that

    -(stiffness (1 - rest/s) + damping s'/s) s ds/dphi

holds one root and, with rest zero, none (Freeman 1985, eqs 2-147, 2-226).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.elastic import JointDamper, JointSpring
from ..arm.exact import exact, exact_vector
from ..arm.following import amount
from ..arm.placement import Placement
from ..equations.polynomial import TrigPolynomial, as_polynomial
from ..equations.polynomial_array import PolynomialArray
from ..equations.space import Space
from ..formulations.chain import Chain
from ..rings.algebra import dot
from .chain_frames import Carrier, ChainFrames, FrameOn
from .coordinates import CoordinateTerm
from .element_loads import ElementsOverRing
from .springs import LoadElement


@dataclass(frozen=True)
class ElasticQuantity:
    """A spring, damper and rotor on s = sum angles_k phi_k + polynomial, or, of a span, on s = sqrt(polynomial).

    ``slopes`` ``(m,)`` are ds/dphi, of a span s ds/dphi.
    """

    name: str
    angles: Mapping[int, Fraction]
    polynomial: TrigPolynomial
    slopes: PolynomialArray
    is_span: bool
    stiffness: Fraction
    rest: Fraction
    damping: Fraction
    inertia: Fraction

    def value(self, phi: ArrayLike) -> NDArray[np.float64]:
        """s at joints phi ``(..., m)`` (rad or m)."""
        joints = np.asarray(phi, dtype=float)
        polynomial = np.asarray(self.polynomial(joints))
        if self.is_span:
            return np.asarray(np.sqrt(polynomial))
        return np.asarray(polynomial + sum(float(weight) * joints[..., joint] for joint, weight in self.angles.items()))

    def load(self, phi: ArrayLike, rate: ArrayLike) -> NDArray[np.float64]:
        """What spring and damper put on the joints ``(..., m)`` (N m or N)."""
        joints, speed = np.asarray(phi, dtype=float), np.asarray(rate, dtype=float)
        slopes = np.stack([np.asarray(entry(joints)) for entry in self.slopes], axis=-1)
        if self.is_span and (self.rest or self.damping):
            slopes = slopes / self.value(joints)[..., None]
        if self.is_span and not (self.rest or self.damping):
            return np.asarray(-float(self.stiffness) * slopes)
        stretch = float(self.stiffness) * (self.value(joints) - float(self.rest)) if self.stiffness else 0.0
        pull = stretch + float(self.damping) * (slopes * speed).sum(axis=-1)
        return np.asarray(-pull[..., None] * slopes)

    def energy(self, phi: ArrayLike) -> NDArray[np.float64]:
        """stiffness (s - rest)^2 / 2 (J)."""
        return np.asarray(float(self.stiffness) * (self.value(phi) - float(self.rest)) ** 2 / 2)

    def text(self, joint_names: Sequence[str]) -> list[str]:
        """The quantity, its slopes and its constants as lines; the inertia of a rotor stands in D and C already."""
        lead = "s^2" if self.is_span else "s"
        terms = [f"{float(weight):+.12g} q{joint + 1}" for joint, weight in self.angles.items()]
        terms += [str(self.polynomial)] if self.polynomial or not terms else []
        lines = [f"{self.name}: {lead} = {' '.join(terms).removeprefix('+')}"]
        outer = "s ds" if self.is_span else "ds"
        lines += [f"{self.name}: {outer}/d({joint_names[k]}) = {entry}" for k, entry in enumerate(self.slopes) if entry]
        loads = []
        if self.stiffness:
            loads.append(f"{float(self.stiffness):.12g} (s - {float(self.rest):.12g})")
        loads += [f"{float(self.damping):.12g} s'"] if self.damping else []
        if self.inertia:
            lines.append(f"{self.name}: its rotor, {float(self.inertia):.12g} s'' ds/d(joint), is in D")
        return [*lines, f"{self.name}: load = -({' + '.join(loads)}) ds/d(joint)"] if loads else lines


def elastic_quantities(
    elements: Sequence[LoadElement], system: ChainFrames, starts: Sequence[int], space: Space, ring: Any, links: Chain
) -> tuple[ElasticQuantity, ...]:
    """Elements in polynomials of the tree ``system`` of all chains, whose bodies begin at ``starts``."""
    quantities = []
    for original in elements:
        element = replace(
            original,
            ends=tuple(in_tree(end, starts) for end in original.ends),
            terms=tuple(
                replace(
                    t,
                    frame=t.frame and in_tree(t.frame, starts),
                    reference=t.reference and in_tree(t.reference, starts),
                )
                for t in original.terms
            ),
        )
        over_ring = ElementsOverRing(system, [element], ring, [links])
        slopes = np.full(system.m, as_polynomial(space, 0), dtype=object)
        angles: dict[int, Fraction] = {}
        if element.ends:
            polynomial = _squared_distance(over_ring, element, space, ring, slopes)
        else:
            polynomial = _along_coordinate(over_ring, element, space, ring, slopes, angles)
        quantities.append(
            ElasticQuantity(
                element.name, angles, polynomial, PolynomialArray.of(slopes), bool(element.ends), element.stiffness,
                element.rest, element.damping, element.inertia,
            )
        )  # fmt: skip
    return tuple(quantities)


def _squared_distance(
    over_ring: ElementsOverRing, element: LoadElement, space: Space, ring: Any, slopes: NDArray[Any]
) -> TrigPolynomial:
    """d.d between two points; d.(dd/dphi) is added to ``slopes``."""
    span = over_ring.span(ring, (ring.positions, ()), element)
    for joint, slope in span.slopes.items():
        slopes[joint] = as_polynomial(space, dot(span.value, slope))
    return as_polynomial(space, dot(span.value, span.value))


def _along_coordinate(
    over_ring: ElementsOverRing, element: LoadElement, space: Space, ring: Any, slopes: NDArray[Any],
    angles: dict[int, Fraction],
) -> TrigPolynomial:  # fmt: skip
    """What of s is a polynomial, zero where it turns with a frame; ds/dphi is added to ``slopes``, and the multiples of
    joint angles in s to ``angles``.
    """
    polynomial = as_polynomial(space, 0)
    framed = tuple(term for term in element.terms if term.frame is not None)
    if framed:
        quantity = over_ring.quantity(ring, (ring.positions, ()), replace(element, terms=framed))
        if all(term.freedom < 3 for term in framed):
            polynomial = as_polynomial(space, quantity.value)
        for joint, slope in quantity.slopes.items():
            slopes[joint] = as_polynomial(space, slope)
    for term in element.terms:
        if term.frame is not None:
            continue
        slopes[term.joint] = slopes[term.joint] + term.weight
        if term.joint in ring.sliding:
            polynomial = polynomial + as_polynomial(space, ring.position(term.joint)) * term.weight
        else:
            angles[term.joint] = angles.get(term.joint, Fraction(0)) + term.weight
    return polynomial


def in_tree(end: Carrier, starts: Sequence[int]) -> Carrier:
    """A frame of a chain as one of the tree of all chains: bodies count through them, bases stand on the ground."""
    if end.chain < 0:
        return end
    return replace(end, chain=0, body=end.body + starts[end.chain] if end.body >= 0 else end.body)


def chain_elements(system: ChainFrames) -> list[LoadElement]:
    """Springs and dampers that the chains bring, as elements of the mechanism."""
    elements = []
    for (name, arm), joints in zip(system.arms.items(), system.slices, strict=True):
        joint_index = {joint.name: index for index, joint in enumerate(arm.all_moving)}
        for number, element in enumerate(arm.elastic, start=1):
            label = f"{name}.spring{number}"
            if isinstance(element, JointSpring | JointDamper):
                coordinate = joint_index[element.joint]
                terms = (CoordinateTerm(Fraction(1), joints.start + coordinate),)
                if isinstance(element, JointSpring):
                    rest = exact(element.rest) - amount(arm.couplings[coordinate].offset)
                    elements.append(LoadElement(label, terms, (), exact(element.stiffness), rest))
                else:
                    elements.append(LoadElement(label, terms, damping=exact(element.damping)))
                continue
            ends = tuple(
                system.carrier(FrameOn(name, link, Placement.from_xyz_rpy(exact_vector(point, "point"))))
                for link, point in ((element.link_a, element.point_a), (element.link_b, element.point_b))
            )
            elements.append(
                LoadElement(label, (), ends, exact(element.stiffness), exact(element.rest), exact(element.damping))
            )
    return elements
