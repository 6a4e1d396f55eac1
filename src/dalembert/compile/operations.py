"""Operation counts: of generated programs, of general code, and as published.

Lee, Lee and Nigam 1982, Table 1, gives the operations of three formulations as formulas in the number of joints n.
They are compared with the formulations of this package as general code, where nothing is known of the numbers of the
arm, and as generated for one arm, where zeros, ones and common subexpressions cost nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..arm.description import ArmDescription
from ..formulations import generalized_dalembert as page
from ..formulations.chain import chain
from ..formulations.kinematics import frames
from ..formulations.registry import TORQUES
from ..rings.dual import Dual
from ..rings.graph import ADD, COS, INV, MUL, NEG, SIGN, SIN, SQRT, SUB, Graph, Node, reachable
from ..rings.ring import Scalar
from .functions import function


@dataclass(frozen=True)
class Operations:
    """Operation counts of a straight-line program; a sine and its cosine count as one pair."""

    multiplications: int
    additions: int
    divisions: int = 0
    roots: int = 0
    sine_cosine_pairs: int = 0

    @property
    def total(self) -> int:
        """Multiplications, additions (including subtractions, negations and signs), divisions and roots."""
        return self.multiplications + self.additions + self.divisions + self.roots

    def __str__(self) -> str:
        parts = [f"{self.multiplications} multiplications", f"{self.additions} additions"]
        parts += [f"{self.divisions} divisions"] if self.divisions else []
        parts += [f"{self.roots} square roots"] if self.roots else []
        return ", ".join([*parts, f"{self.sine_cosine_pairs} sine-cosine pairs"])


def count(outputs: Sequence[Node]) -> Operations:
    """Operations on which these nodes depend."""
    nodes = reachable(outputs)
    kinds = Counter(node.op for node in nodes)
    pairs = len({node.operands[0].index for node in nodes if node.op in (SIN, COS)})
    return Operations(kinds[MUL], kinds[ADD] + kinds[SUB] + kinds[NEG] + kinds[SIGN], kinds[INV], kinds[SQRT], pairs)


# -- general code -----------------------------------------------------------------------------------


class Tally:
    """The ring of general code: it counts operations on numbers of unknown value."""

    def __init__(self) -> None:
        self.multiplications = 0
        self.additions = 0
        self.pairs = 0

    def number(self, value: Fraction) -> Counted:
        """A number of unknown value."""
        return Counted(self)

    def sincos(self, angle: Scalar) -> tuple[Counted, Counted]:
        """Counts one sine-cosine pair."""
        self.pairs += 1
        return Counted(self), Counted(self)

    @property
    def operations(self) -> Operations:
        """The counts so far."""
        return Operations(self.multiplications, self.additions, sine_cosine_pairs=self.pairs)


class Counted:
    """A number of unknown value whose operations are counted; a negation is part of the addition that follows."""

    __slots__ = ("tally",)

    def __init__(self, tally: Tally) -> None:
        self.tally = tally

    def _added(self, other: Any) -> Counted:
        if isinstance(other, Dual):
            return NotImplemented  # it counts its own parts
        self.tally.additions += 1
        return Counted(self.tally)

    def _multiplied(self, other: Any) -> Counted:
        if isinstance(other, Dual):
            return NotImplemented
        self.tally.multiplications += 1
        return Counted(self.tally)

    def __neg__(self) -> Counted:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = _added
    __mul__ = __rmul__ = _multiplied


def general(arm: ArmDescription, formulation: str) -> Operations:
    """Operations of a formulation for any arm with these joints and this tree, with general parameters."""
    tally = Tally()
    states = ([Counted(tally) for _ in range(arm.n)] for _ in range(3))
    links = chain(arm, tally)
    links.coupling.load(TORQUES[formulation](links, tally, *links.coupling.motion(*states)))
    return tally.operations


def dalembert_blocks(arm: ArmDescription) -> dict[str, Operations]:
    """The steps of generalized d'Alembert torques as general code: the blocks of Lee, Lee and Nigam 1982, Fig. 2."""
    tally = Tally()
    links = chain(arm, tally)
    q, qd = (links.coupling.joints([Counted(tally) for _ in range(arm.n)]) for _ in range(2))
    before, blocks = tally.operations, {}

    def done(name: str) -> None:
        nonlocal before
        now = tally.operations
        blocks[name] = Operations(
            now.multiplications - before.multiplications,
            now.additions - before.additions,
            sine_cosine_pairs=now.sine_cosine_pairs - before.sine_cosine_pairs,
        )
        before = now

    link_frames = frames(links, tally, q)
    done("R, p: frames of the links (8)")
    bodies = page.centred_bodies(links, link_frames)
    done("R z, z x (r - p) and m times it (7), (12)")
    page.inertia(links, bodies)
    done("D tran, D rot (30)")
    page.velocity(links, link_frames, bodies, qd)
    done("H tran, H rot (31), (32)")
    page.weight(links, bodies)
    done("G (33)")
    all_operations = general(arm, "generalized-dalembert")
    blocks["D qdd + H + G (29)"] = Operations(
        all_operations.multiplications - before.multiplications, all_operations.additions - before.additions
    )
    return blocks


def generated(arm: ArmDescription, formulation: str) -> Operations:
    """Operations of a formulation for this arm, with constants folded and common subexpressions shared."""
    graph = Graph()
    states = [graph.inputs(name, arm.n) for name in ("q", "qd", "qdd")]
    links = chain(arm, graph)
    torques = links.coupling.load(TORQUES[formulation](links, graph, *links.coupling.motion(*states)))
    return count([graph.node(x) for x in torques])


def regrouped(arm: ArmDescription) -> Operations:
    """Operations of the kernel: Newton-Euler with regrouped base parameters."""
    return count(function(arm, "inverse_dynamics").nodes)


# -- as published -----------------------------------------------------------------------------------


def lee(n: int) -> dict[str, Operations]:
    """Lee, Lee and Nigam 1982, Table 1, for n joints."""
    f = Fraction

    def integer(value: Fraction) -> int:
        return round(value)

    return {
        "lagrange-euler": Operations(
            integer(f(128, 3) * n**4 + f(512, 3) * n**3 + f(739, 3) * n**2 + f(160, 3) * n),
            integer(f(98, 3) * n**4 + f(781, 6) * n**3 + f(559, 3) * n**2 + f(245, 6) * n),
        ),
        "newton-euler": Operations(132 * n, 111 * n - 4),
        "generalized-dalembert": Operations(
            integer(f(13, 6) * n**3 + f(105, 2) * n**2 + f(268, 3) * n + 69),
            integer(f(4, 3) * n**3 + 44 * n**2 + f(146, 3) * n + 45),
        ),
    }


PUBLISHED: tuple[tuple[str, Callable[[int], Operations]], ...] = (
    ("Hollerbach 1980, 3x3 Lagrangian", lambda n: Operations(412 * n - 277, 320 * n - 201)),
    ("Luh, Walker and Paul 1980, by Hollerbach", lambda n: Operations(150 * n - 48, 131 * n - 48)),
    ("Balafoutis, Patel and Misra 1988", lambda n: Operations(93 * n - 69, 81 * n - 66)),
)
"""General algorithms for n revolute joints, as counted by their authors."""
