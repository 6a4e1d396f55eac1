"""``dalembert check``: verifies a certificate from the numbers of the arm alone.

To read what is trusted, in this order:

1. ``certificate_file.py``: what is read, and that it has exactly the format.
2. ``exact_dynamics.py``: D, C and G of the bodies, and what the reduced program computes, as exact polynomials.
3. ``grids.py``: a function, or the largest of several, is nowhere above a number: the one theorem everything rests on.
4. ``speeds.py``: of several errors of coefficients, the largest torque error over all speeds and accelerations.
5. this file: which functions must nowhere be above which numbers for a claim to hold.
6. ``verified_claims.py``: what is told.

Beside them Python, FLINT, and NumPy's sums and products of floats are trusted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from ..arm.errors import ArmError
from .certificate_file import CertificateError, read
from .exact_dynamics import Dynamics, Key, Polynomial, Series, Variables, dynamics, number, program_coefficients
from .grids import BITS, CellAxis, FunctionGrid, GridProof, Measure, exact, value
from .speeds import largest_error
from .verified_claims import CheckedCertificate, CheckedClaim, name, unit, upward, worded

MOST_BODIES, MOST_SYSTEMS, MOST_CLAIMS = 26, 64, 4096
"""Joints have a letter each; more of the others nobody writes."""
FARTHEST = fmpq(2) ** 1000
"""Positions, speeds and accelerations are no larger, so that they can be told as floats."""
TURN = fmpq(6283, 1000)
"""A range as wide as this is taken for a whole turn, which holds every range."""


def check_certificate(path: str | Path, tell: Callable[[str], None] | None = None) -> CheckedCertificate:
    """Verify a certificate; a ``CertificateError`` names the claim or the section that does not hold."""
    sections, verified = read(path), list[CheckedClaim]()
    subject = "it"
    try:
        certificate = Certificate(sections)
        for at, (claim, proof) in enumerate(zip(sections["claims"], sections["proofs"], strict=True)):
            subject = f"claim {at + 1}"
            if tell is not None:
                tell(f"{subject} of {len(sections['claims'])}")
            # what is no number shows nothing (``grids.py``)
            with np.errstate(all="ignore"):
                verified.append(certificate.verified(claim, proof))
        subject = "it"
        certificate.complete()
    except ArmError as fault:
        raise CertificateError(f"{path}: {subject} does not hold: {fault}") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as fault:
        raise CertificateError(f"{path}: {subject} is not as the format has it: {fault!r}") from fault
    return CheckedCertificate(certificate.kind, certificate.systems, certificate.states, tuple(verified))


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
        if len(self.systems) > MOST_SYSTEMS or len(sections["claims"]) > MOST_CLAIMS:
            raise CertificateError(f"it has more than {MOST_SYSTEMS} systems or {MOST_CLAIMS} claims")
        ends = zip(self.states["lower"], self.states["upper"], self.states["circle"], strict=True)
        self.box = [(number(low), number(high), circle) for low, high, circle in ends]
        self.speed, self.rate = ([number(x) for x in self.states.get(key, ())] for key in ("speed", "acceleration"))
        if any(abs(x) > FARTHEST for low, high, _ in self.box for x in (low, high, *self.speed, *self.rate)):
            raise CertificateError("a number of its states is larger than any float")
        if any(low > high for low, high, _ in self.box) or any(x < 0 for x in (*self.speed, *self.rate)):
            raise CertificateError("a range of its states is empty, or a largest speed or acceleration below zero")
        bodies = [body for system in self.systems for body in zip(system["bodies"], self.states["circle"], strict=True)]
        if any(circle and body["kind"] != "revolute" for body, circle in bodies):
            raise CertificateError("a joint of its states goes all the way round and does not turn")
        self._dynamics, self._errors = dict[int, Dynamics](), dict[int, dict[Key, Series]]()

    def dynamics(self, system: int) -> Dynamics:
        """The exact coefficients of a system; those of the last one asked for are kept."""
        if system not in self._dynamics:
            self._dynamics, self._errors = {}, {}
            self._dynamics[system] = dynamics(self.systems[system])
        return self._dynamics[system]

    def verified(self, claim: Mapping[str, Any], proof: Any) -> CheckedClaim:
        """The claim, once its proof holds."""
        if not 0 <= claim["system"] < len(self.systems):
            raise CertificateError(f"there is no system {claim['system']}")
        return self._torque_error(claim, proof) if self.kind == "reduced model" else self._range(claim, proof)

    def complete(self) -> None:
        """Refuse a system of which nothing is claimed, and a reduced model some joint of which has no bound."""
        claimed = {(claim["system"], claim.get("joint", 0)) for claim in self.sections["claims"]}
        for s, system in enumerate(self.systems):
            for i, body in enumerate(system["bodies"] if self.kind == "reduced model" else system["bodies"][:1]):
                if (s, i) not in claimed:
                    raise CertificateError(f"nothing is claimed of system {s + 1} at {body['joint']}")

    # -- torque errors of a reduced model -----------------------------------------------------------

    def errors(self, system: int) -> dict[Key, Series]:
        """By how much each coefficient of the program is off, times the largest acceleration or product of speeds.

        The torque error of joint i is the sum of those of row i, each times a factor between -1 and 1.
        """
        if system not in self._errors:
            v, exact_ones = self.dynamics(system).variables, self.dynamics(system).coefficients
            program = self.sections["program"]
            if len(program["torques"]) != len(self.box) or len(program["constants"]) != len(self.systems):
                raise CertificateError("its program has not one torque for each joint and constants for each system")
            short = program_coefficients(program["steps"], program["torques"], program["constants"][system], v)
            self._errors[system] = {}
            for key in {**exact_ones, **short}:
                off = short.get(key, v.zero) - exact_ones.get(key, v.zero)
                kind, _, *joints = key
                weight = self.rate[joints[0]] if kind == "D" else fmpq(1)
                if kind == "C":
                    weight = self.speed[joints[0]] * self.speed[joints[1]] * (1 if joints[0] == joints[1] else 2)
                if weight and not off.is_zero():
                    self._errors[system][key] = v.series(off * weight)
        return self._errors[system]

    def _torque_error(self, claim: Mapping[str, Any], proof: Sequence[Mapping[str, Any]]) -> CheckedClaim:
        """|sum_k y_k w_k| <= bound over all states: the w_k in groups, each with its own bound and grid."""
        bodies, joint = self.systems[claim["system"]]["bodies"], claim["joint"]
        if not 0 <= joint < len(bodies):
            raise CertificateError(f"there is no joint {joint}")
        errors = {key: w for key, w in self.errors(claim["system"]).items() if key[1] == joint}
        covered = Counter(tuple(key) for part in proof for key in part["of"])
        for key in errors:
            if covered[key] != 1:
                raise CertificateError(f"the error of {name(key)} has no part in the proof, or more than one")
        if any(number(of["bound"]) < 0 for of in (claim, *proof)):
            raise CertificateError("it claims a magnitude below zero")
        if sum((number(part["bound"]) for part in proof), fmpq(0)) > number(claim["bound"]):
            raise CertificateError("the bounds of its parts add up to more than it claims")
        cells = 0
        for part in proof:
            keys = [tuple(key) for key in part["of"] if tuple(key) in errors]
            group = [errors[key] for key in keys]
            cells += self.shown(claim["system"], group, largest_error(keys), number(part["bound"]), part["grid"])
        text, high = f"torque error of {bodies[joint]['joint']}", upward(number(claim["bound"]))
        return CheckedClaim(claim["system"], text, unit({"of": [["1", "G", joint]]}, bodies), 0.0 - high, high, cells)

    # -- ranges -------------------------------------------------------------------------------------

    def _range(self, claim: Mapping[str, Any], proof: Mapping[str, Any]) -> CheckedClaim:
        """lower <= f <= upper over the box, f a sum of multiples of entries of D, C and G or a ratio of such sums."""
        cells = 0
        for side, p, bound in self.square(claim) if "square" in proof else self.sides(claim):
            function, rest_bound = self.without_mean(claim["system"], p, bound)
            cells += self.shown(claim["system"], [function], value, rest_bound, proof[side])
        text = " over ".join(worded(claim[key], "over" in claim) for key in ("of", "over") if key in claim)
        lower, upper = 0.0 - upward(-number(claim["lower"])), upward(number(claim["upper"]))
        of = unit(claim, self.systems[claim["system"]]["bodies"])
        return CheckedClaim(claim["system"], text, of, lower, upper, cells)

    def sides(self, claim: Mapping[str, Any]) -> list[tuple[str, Polynomial, fmpq]]:
        """Functions with the bounds that they must not exceed.

        They are -f with -lower and f with upper; or for f = N/M, M >= least > 0: lower M - N and N - upper M with zero.
        """
        lower, upper, f = number(claim["lower"]), number(claim["upper"]), self._sum(claim["system"], claim["of"])
        if "over" not in claim:
            return [("lower", -f, -lower), ("upper", f, upper)]
        least, m = number(claim["least"]), self._sum(claim["system"], claim["over"])
        if not least > 0:
            raise CertificateError("its denominator is not claimed to be above zero")
        return [("lower", lower * m - f, fmpq(0)), ("upper", f - upper * m, fmpq(0)), ("least", -m, -least)]

    def square(self, claim: Mapping[str, Any]) -> list[tuple[str, Polynomial, fmpq]]:
        """Another way to a range of G_i: |g|^2 |u_i|^2 with the square of the smaller of -lower and upper."""
        largest = min(-number(claim["lower"]), number(claim["upper"]))
        (factor, kind, joint), *further = claim["of"]
        if (factor, kind) != ("1", "G") or further or "over" in claim or not largest >= 0 or not joint >= 0:
            raise CertificateError("its proof is that of a gravity load of both signs, which it is not")
        return [("square", self.dynamics(claim["system"]).squares[joint], largest * largest)]

    def _sum(self, system: int, terms: Sequence[Sequence[Any]]) -> Polynomial:
        v, coefficients = self.dynamics(system).variables, self.dynamics(system).coefficients
        return v.total(v.product(number(factor), coefficients[tuple(key)]) for factor, *key in terms)

    def without_mean(self, system: int, p: Polynomial, bound: fmpq) -> tuple[Series, fmpq]:
        """A function and its bound, both less the mean of the function: what is constant is compared exactly."""
        v: Variables = self.dynamics(system).variables
        series = v.series(v.normal(p))
        mean = series.pop((0,) * v.n, (fmpq(0), fmpq(0)))[0]
        return series, bound - mean

    # -- what grids show ----------------------------------------------------------------------------

    def shown(
        self, system: int, functions: Sequence[Series], measure: Measure, bound: fmpq, proof: Mapping[str, Any]
    ) -> int:
        """The number of parts of a grid, each of which shows that functions obey a bound."""
        grid, left_out = self.grid(system, functions, proof["axes"], proof["orders"])
        return GridProof(grid, proof["words"], measure).verify(bound - left_out)

    def grid(
        self, system: int, functions: Sequence[Series], letters: str, orders: Sequence[int]
    ) -> tuple[FunctionGrid, fmpq]:
        """Functions of some axes, up to an order in each, and a bound of the sum of the magnitudes of the rest."""
        axes, functions = self.merged(system, functions)
        chosen = [[letter(axis.joint) for axis in axes].index(letter_of_axis) for letter_of_axis in letters]
        highest, left_out = dict(zip(chosen, orders, strict=True)), fmpq(0)
        if len(highest) < len(letters):
            raise CertificateError(f"its grid has an axis twice: {letters}")
        if not all(0 <= order <= axes[at].order for at, order in highest.items()):
            raise CertificateError("its grid has an order that its functions have not")
        truncated: list[Series] = [{} for _ in functions]
        reach = [exact(axis.reach) for axis in axes]
        for row, series in enumerate(functions):
            for k, (re, im) in series.items():
                if all(abs(m) <= highest.get(at, 0) for at, m in enumerate(k)):
                    truncated[row][tuple(k[at] for at in chosen)] = re, im
                else:
                    slid = prod((r**m for r, m, axis in zip(reach, k, axes, strict=True) if axis.slides), start=fmpq(1))
                    left_out += (abs(re) + abs(im)) * slid
        return FunctionGrid.of(truncated, [replace(axes[at], order=highest[at], known={}) for at in chosen]), left_out

    def merged(self, system: int, functions: Sequence[Series]) -> tuple[list[CellAxis], list[Series]]:
        """The axes that functions depend on, and the functions in them (docs/proofs.md, "The steps", 5).

        Angles that enter in one sum alone, the same in all terms (k_j = k_m or k_j = -k_m), are one axis; its range is
        the sum of theirs.
        """
        terms, groups = [k for f in functions for k in f], dict[tuple[Any, ...], list[tuple[int, int]]]()
        revolute = [body["kind"] == "revolute" for body in self.systems[system]["bodies"]]
        for j, turns in enumerate(revolute):
            column = tuple(k[j] for k in terms)
            if any(column):
                sign = 1 if next(x for x in column if x) > 0 else -1
                groups.setdefault((*(sign * x for x in column), None if turns else j), []).append((j, sign))
        axes = []
        for members in groups.values():
            lead, sense = members[0]
            ends = [self.box[j][:2] if sign == sense else (-self.box[j][1], -self.box[j][0]) for j, sign in members]
            low, high = (sum((end[side] for end in ends), fmpq(0)) for side in (0, 1))
            with ctx.workprec(BITS):
                lower, width = arb(low), arb(high - low)
                if revolute[lead] and (any(self.box[j][2] for j, _ in members) or high - low > TURN):
                    lower, width = -arb.pi(), 2 * arb.pi()
            axes.append(CellAxis(lead, lower, width, max(abs(k[lead]) for k in terms), not revolute[lead]))
        return axes, [{tuple(k[axis.joint] for axis in axes): c for k, c in f.items()} for f in functions]


def letter(joint: int) -> str:
    """The symbol of a joint: a for the first."""
    return chr(ord("a") + joint)
