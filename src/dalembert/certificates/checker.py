"""``dalembert check``: verifies a certificate from the numbers of the arm alone.

What a certificate claims is shown again from nothing but the file: D, C and G of the bodies and what the reduced
program computes as exact polynomials (``exact_dynamics.py``). For ranges there are trees of bisections of the box, on
each leaf of which control values with a bound on their rounding (``nets.py``) show what is claimed; a tree starts from
the whole box and only ever divides a part into pieces that cover it, so its leaves cover the box. For torque errors
there are values on grids, with bounds of the curvature between their points (``grids.py``).

Trusted: these four files, ``certificate_file.py`` (what is read) and ``verified_claims.py`` (what is told), Python,
FLINT, and NumPy's sums and products of floats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf, prod
from pathlib import Path
from typing import Any

from flint import arb, ctx, fmpq

from ..arm.errors import ArmError
from .certificate_file import CertificateError, read
from .exact_dynamics import Dynamics, Key, Polynomial, Series, Variables, dynamics, number, program_coefficients
from .grids import ErrorAxis, ErrorGrid, GridProof, largest_error, magnitudes
from .nets import BITS, Variable, first_net
from .verified_claims import CheckedCertificate, CheckedClaim, name, unit, upward, worded

LEAF = "."
MOST_BODIES = 26
"""Joints have a letter each in the trees."""
TURN = fmpq(6283, 1000)
"""A range as wide as this is taken for a whole turn, which holds every range."""


def check_certificate(path: str | Path, tell: Callable[[str], None] | None = None) -> CheckedCertificate:
    """Verify a certificate; a ``CertificateError`` names the claim or the section that does not hold."""
    sections, found = read(path), list[CheckedClaim]()
    place = "it"
    try:
        whole = Certificate(sections)
        for at, (claim, proof) in enumerate(zip(whole.sections["claims"], whole.sections["proofs"], strict=True)):
            place = f"claim {at + 1}"
            if tell is not None:
                tell(f"{place} of {len(whole.sections['claims'])}")
            found.append(whole.verified(claim, proof))
        place = "it"
        whole.complete()
    except ArmError as fault:
        raise CertificateError(f"{path}: {place} does not hold: {fault}") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as fault:
        raise CertificateError(f"{path}: {place} is not as the format has it: {fault!r}") from fault
    return CheckedCertificate(whole.kind, whole.systems, whole.states, tuple(found))


class Certificate:
    """The sections of a certificate, and what follows from them.

    ``box`` has the least and greatest position of each joint, and whether it goes all the way round.
    """

    def __init__(self, sections: Mapping[str, Any]) -> None:
        self.sections, self.systems, self.states = sections, sections["systems"], sections["states"]
        self.kind = sections["header"]["kind"]
        n = len(self.states["lower"])
        if {len(system["bodies"]) for system in self.systems} | {len(row) for row in self.states.values()} != {n}:
            raise CertificateError("its states have not one number for each joint of each of its systems")
        if not self.systems or not 0 < n <= MOST_BODIES:
            raise CertificateError(f"it has no system, or one without bodies or with more than {MOST_BODIES}")
        ends = zip(self.states["lower"], self.states["upper"], self.states["circle"], strict=True)
        self.box = [(number(low), number(high), circle) for low, high, circle in ends]
        self.speed, self.rate = ([number(x) for x in self.states.get(key, ())] for key in ("speed", "acceleration"))
        if any(low > high for low, high, _ in self.box) or any(x < 0 for x in (*self.speed, *self.rate)):
            raise CertificateError("a range of its states is empty, or a largest speed or acceleration below zero")
        bodies = [body for system in self.systems for body in zip(system["bodies"], self.states["circle"], strict=True)]
        if any(circle and body["kind"] != "revolute" for body, circle in bodies):
            raise CertificateError("a joint of its states goes all the way round and does not turn")
        self._dynamics: dict[int, Dynamics] = {}
        self._errors: dict[int, dict[Key, Series]] = {}

    def dynamics(self, system: int) -> Dynamics:
        """The exact coefficients of a system."""
        if system not in self._dynamics:
            self._dynamics[system] = dynamics(self.systems[system])
        return self._dynamics[system]

    def errors(self, system: int) -> dict[Key, Series]:
        """By how much each coefficient of the program is off, times the largest acceleration or product of speeds.

        The torque error of joint i is at most the largest sum of the magnitudes of those of row i.
        """
        if system not in self._errors:
            v, exact = self.dynamics(system).variables, self.dynamics(system).coefficients
            program = self.sections["program"]
            if len(program["torques"]) != len(self.box) or len(program["constants"]) != len(self.systems):
                raise CertificateError("its program has not one torque for each joint and constants for each system")
            short = program_coefficients(program["steps"], program["torques"], program["constants"][system], v)
            self._errors[system] = {}
            for key in {**exact, **short}:
                off = short.get(key, v.zero) - exact.get(key, v.zero)
                kind, _, *rest = key
                weight = self.rate[rest[0]] if kind == "D" else fmpq(1)
                if kind == "C":
                    weight = self.speed[rest[0]] * self.speed[rest[1]] * (1 if rest[0] == rest[1] else 2)
                if weight and not off.is_zero():
                    self._errors[system][key] = v.series(off * weight)
        return self._errors[system]

    def verified(self, claim: Mapping[str, Any], proof: Any) -> CheckedClaim:
        """The claim, once its proof holds."""
        if not 0 <= claim["system"] < len(self.systems):
            raise CertificateError(f"there is no system {claim['system']}")
        return self._torque_error(claim, proof) if self.kind == "reduced model" else self._range(claim, proof)

    def _torque_error(self, claim: Mapping[str, Any], proof: Sequence[Mapping[str, Any]]) -> CheckedClaim:
        """|sum_k x_k w_k| <= bound over all states: the w_k in groups, each with its own bound and grid."""
        bodies, joint = self.systems[claim["system"]]["bodies"], claim["joint"]
        if not 0 <= joint < len(bodies):
            raise CertificateError(f"there is no joint {joint}")
        waves = {key: w for key, w in self.errors(claim["system"]).items() if key[1] == joint}
        covered = [tuple(key) for part in proof for key in part["of"]]
        for key in waves:
            if covered.count(key) != 1:
                raise CertificateError(f"the error of {name(key)} has no part in the proof, or more than one")
        if any(number(of["bound"]) < 0 for of in (claim, *proof)):
            raise CertificateError("it claims a magnitude below zero")
        if sum((number(part["bound"]) for part in proof), fmpq(0)) > number(claim["bound"]):
            raise CertificateError("the bounds of its parts add up to more than it claims")
        count = 0
        for part in proof:
            keys = [tuple(key) for key in part["of"] if tuple(key) in waves]
            count += self.gridded(claim["system"], {key: waves[key] for key in keys}, part)
        what, most = f"torque error of {bodies[joint]['joint']}", upward(number(claim["bound"]))
        return CheckedClaim(claim["system"], what, unit({"of": [["1", "G", joint]]}, bodies), 0.0 - most, most, count)

    def gridded(self, system: int, waves: Mapping[Key, Series], part: Mapping[str, Any]) -> int:
        """The number of parts of grids, each of which shows its share of a bound of errors or of their curvature."""
        grid, rest = self.grid(system, list(waves.values()), part["axes"], part["orders"])
        bends, count = [inf] * len(grid.axes), 0
        for bend in part["bends"]:
            level = part["axes"].index(bend["axis"])
            curved = GridProof(grid.curved(level), bend["grid"], [inf] * len(grid.axes), magnitudes)
            count += curved.verify(number(bend["bound"]))
            bends[level] = upward(number(bend["bound"]))
        whole = GridProof(grid, part["grid"], bends, largest_error(list(waves)))
        return count + whole.verify(number(part["bound"]) - rest)

    def grid(
        self, system: int, functions: Sequence[Series], axes: str, orders: Sequence[int]
    ) -> tuple[ErrorGrid, fmpq]:
        """Functions of some axes, up to an order in each, and a bound of the sum of what is left out."""
        variables, series = self.in_variables(system, functions)
        at = [[letter(variable.joint) for variable in variables].index(axis) for axis in axes]
        most, rest = dict(zip(at, orders, strict=True)), fmpq(0)
        if len(most) < len(axes):
            raise CertificateError(f"its grid has an axis twice: {axes}")
        if not all(0 <= order <= variables[axis].degree for axis, order in most.items()):
            raise CertificateError("its grid has an order that its errors have not")
        kept: list[Series] = [{} for _ in series]
        reach = [fmpq(*ErrorAxis(variable).reach.as_integer_ratio()) for variable in variables]
        for row, f in enumerate(series):
            for k, (re, im) in f.items():
                if all(abs(m) <= most.get(axis, 0) for axis, m in enumerate(k)):
                    kept[row][tuple(k[axis] for axis in at)] = re, im
                else:
                    slid = prod((r**m for r, m, v in zip(reach, k, variables, strict=True) if v.slides), start=fmpq(1))
                    rest += (abs(re) + abs(im)) * slid
        return ErrorGrid.of(kept, [replace(variables[axis], degree=most[axis], kept={}) for axis in at]), rest

    def _range(self, claim: Mapping[str, Any], proof: Mapping[str, str]) -> CheckedClaim:
        """lower <= f <= upper over the box, f a sum of multiples of entries of D, C and G or a ratio of such sums."""
        count = 0
        for side, wave, bound in self.square(claim) if "square" in proof else self.sides(claim):
            count += self.covered(claim["system"], wave, proof[side], bound)
        what = worded(claim["of"]) + (f" over {worded(claim['over'])}" if "over" in claim else "")
        lower, upper = 0.0 - upward(-number(claim["lower"])), upward(number(claim["upper"]))
        of = unit(claim, self.systems[claim["system"]]["bodies"])
        return CheckedClaim(claim["system"], what, of, lower, upper, count)

    def sides(self, claim: Mapping[str, Any]) -> list[tuple[str, Series, fmpq]]:
        """Functions with the bounds that they must not exceed.

        They are -f with -lower and f with upper; or for f = N/M, M >= least > 0: lower M - N and N - upper M with zero.
        """
        lower, upper = number(claim["lower"]), number(claim["upper"])
        v, f = self._sum(claim["system"], claim["of"])
        if "over" not in claim:
            return [("lower", v.series(v.normal(-f)), -lower), ("upper", v.series(v.normal(f)), upper)]
        least, (_, m) = number(claim["least"]), self._sum(claim["system"], claim["over"])
        if not least > 0:
            raise CertificateError("its denominator is not claimed to be above zero")
        sides = (("lower", lower * m - f, fmpq(0)), ("upper", f - upper * m, fmpq(0)), ("least", -m, -least))
        return [(side, v.series(v.normal(p)), bound) for side, p, bound in sides]

    def square(self, claim: Mapping[str, Any]) -> list[tuple[str, Series, fmpq]]:
        """Another way to a range of G_i: |g|^2 |u_i|^2 with the square of the smaller of -lower and upper."""
        found, most = self.dynamics(claim["system"]), min(-number(claim["lower"]), number(claim["upper"]))
        (factor, kind, joint), *others = claim["of"]
        if (factor, kind) != ("1", "G") or others or "over" in claim or not most >= 0 or not joint >= 0:
            raise CertificateError("its proof is that of a gravity load of both signs, which it is not")
        return [("square", found.variables.series(found.squares[joint]), most * most)]

    def _sum(self, system: int, terms: Sequence[Sequence[Any]]) -> tuple[Variables, Polynomial]:
        found = self.dynamics(system)
        v, exact = found.variables, found.coefficients
        return v, sum((number(factor) * exact[tuple(key)] for factor, *key in terms), v.zero)

    def complete(self) -> None:
        """Refuse a system of which nothing is claimed, and a reduced model some joint of which has no bound."""
        said = {(claim["system"], claim.get("joint", 0)) for claim in self.sections["claims"]}
        for s, system in enumerate(self.systems):
            for i, body in enumerate(system["bodies"] if self.kind == "reduced model" else system["bodies"][:1]):
                if (s, i) not in said:
                    raise CertificateError(f"nothing is claimed of system {s + 1} at {body['joint']}")

    def covered(self, system: int, function: Series, tree: str, bound: fmpq) -> int:
        """The number of leaves of the tree, each of which is shown to obey the bound."""
        variables, (series,) = self.in_variables(system, [function])
        axes = {letter(variable.joint): axis for axis, variable in enumerate(variables)}
        limit, count = Fraction(int(bound.p), int(bound.q)), 0
        stack = [first_net(series, variables)]
        for symbol in tree:
            if not stack:
                raise CertificateError("its tree goes on where the whole box is covered")
            net = stack.pop()
            if symbol != LEAF:
                if symbol not in axes:
                    raise CertificateError(f"its tree divides joint {symbol!r}, on which it does not depend")
                stack += net.split(axes[symbol], variables)
                continue
            count += 1
            shown = net.greatest()
            if not (shown < inf and Fraction(shown) <= limit):
                raise CertificateError(f"part {count} of the box shows {shown:.6g} and not {float(limit):.6g}")
        if stack:
            raise CertificateError(f"its tree leaves {len(stack)} parts of the box open")
        return count

    def in_variables(self, system: int, functions: Sequence[Series]) -> tuple[list[Variable], list[Series]]:
        """The variables that functions depend on, and the functions in them.

        Angles that enter in one sum alone, the same in all terms (k_j = k_m or k_j = -k_m), are one variable; its range
        is the sum of theirs.
        """
        terms, groups = [k for f in functions for k in f], dict[tuple[Any, ...], list[tuple[int, int]]]()
        revolute = [body["kind"] == "revolute" for body in self.systems[system]["bodies"]]
        for j, turns in enumerate(revolute):
            column = tuple(k[j] for k in terms)
            if any(column):
                sign = 1 if next(x for x in column if x) > 0 else -1
                groups.setdefault((*(sign * x for x in column), None if turns else j), []).append((j, sign))
        variables = []
        for members in groups.values():
            first, sense = members[0]
            ends = [self.box[j][:2] if sign == sense else (-self.box[j][1], -self.box[j][0]) for j, sign in members]
            low, high = (sum((end[side] for end in ends), fmpq(0)) for side in (0, 1))
            with ctx.workprec(BITS):
                lower, width = arb(low), arb(high - low)
                if revolute[first] and (any(self.box[j][2] for j, _ in members) or high - low > TURN):
                    lower, width = -arb.pi(), 2 * arb.pi()
            variables.append(Variable(first, lower, width, max(abs(k[first]) for k in terms), not revolute[first]))
        return variables, [{tuple(k[v.joint] for v in variables): c for k, c in f.items()} for f in functions]


def letter(joint: int) -> str:
    """The symbol of a joint in a tree: a for the first."""
    return chr(ord("a") + joint)
