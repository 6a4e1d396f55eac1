"""Rotors as bodies of the tree, each on a joint of its own that follows the coordinates: q_a = N q.

An axisymmetric rotor on body k, spinning at s = N qd about an axis u fixed there, has the energy
J (u . omega_k + s)^2 / 2 about its axis. Its mass and the rest of its inertia belong to the body (``rotors.py``), and
so does J (u . omega_k)^2 / 2. A body of inertia J u u^T about a joint along u, and as much less on its carrier, have
the same energy, so that every recursion over bodies counts the rotor in, gyroscopic terms included (Featherstone 2008,
section 9.6). A rotor whose place is not known stands on the base.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

from ..rings.algebra import EYE, ZERO, Mat, as_matrix, cross, matplus, transpose
from ..rings.real import REAL
from .chain import Chain, Segment
from .rotors import Spin
from .system import SystemOverRing

Row = Sequence[tuple[int, float]]
"""How a joint goes with the coordinates: (coordinate, ratio) each."""


def with_rotors(system: SystemOverRing) -> tuple[Chain, list[Row] | None]:
    """The bodies of a system over floats, rotors among them, and the rows of A in q_J = A q; None where it is the unit.

    For constant transmissions, without bodies that drives move on the links.
    """
    chain, coupling = system.links, system.links.coupling
    rows: list[Row] = [[(c, float(ratio))] for c, ratio in coupling.rows] or [[(k, 1.0)] for k in range(chain.n)]
    if system.train is None:
        return chain, rows if coupling else None
    segments = list(chain.segments)
    spins, ratios = system.train.spins(REAL, [])
    for spin, row in zip(spins, ratios.first, strict=True):
        body = -1 if spin.body is None else spin.body
        if body >= 0:
            less = as_matrix([[-spin.inertia * a * b for a in spin.axis] for b in spin.axis])
            carrier = segments[body]
            segments[body] = replace(carrier, tensor=matplus(carrier.tensor, less), com=None, central=None)
        segments.append(_rotor(body, spin))
        rows.append([(c, float(ratio)) for c, ratio in enumerate(row) if ratio])
    return replace(chain, segments=tuple(segments)), rows


def _rotor(body: int, spin: Spin) -> Segment:
    tensor = as_matrix(((0, 0, 0), (0, 0, 0), (0, 0, spin.inertia)))
    turn = _along(spin) if spin.body is not None else EYE
    return Segment(body, True, turn, ZERO, (EYE, ZERO), 0, ZERO, tensor, None, None)


def _along(spin: Spin) -> Mat:
    """A rotation whose third column is the axis of the rotor."""
    u = spin.axis
    least = min(range(3), key=lambda k: abs(u[k]))
    x, y, z = cross(u, as_matrix(EYE)[least])
    size = sqrt(x * x + y * y + z * z)
    across = (x / size, y / size, z / size)
    return as_matrix(transpose((across, cross(u, across), u)))
