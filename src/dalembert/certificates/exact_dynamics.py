"""The dynamics of bodies in a tree, and what a program of torques computes, as exact polynomials.

Torques are tau_i = sum_j D_ij qdd_j + sum_jk C_ijk qd_j qd_k + G_i. A polynomial has rational coefficients and the
variables s_j = sin q_j and c_j = cos q_j of a revolute joint, c_j = q_j of a prismatic one, v_j = qd_j, a_j = qdd_j.
Everything here is read from the numbers of a certificate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any, TypeAlias

from flint import fmpq, fmpq_mpoly_ctx

from ..arm.errors import ArmError
from .certificate_file import NUMBER

Polynomial: TypeAlias = Any
Key: TypeAlias = tuple[Any, ...]
"""("D", i, j), ("C", i, j, k) with j <= k, or ("G", i); joints count from 0."""
Matrix: TypeAlias = list[list[Any]]
Series: TypeAlias = dict[tuple[int, ...], tuple[fmpq, fmpq]]
"""sum_k c_k prod_j e^(i k_j q_j), with q_j^k_j for a prismatic joint: real and imaginary part of c_k by k."""


EYE = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
PASSED, MOST_WORK, MOST_TERMS, MOST_DEGREE, MOST_BITS = 32, 2 * 10**9, 2**23, 60, 100_000
"""Products of words of 64 bits that take as long as a word of a sum or of a division; those after which a system is
refused; terms of one polynomial and words of all that a program keeps, highest power of a sine, cosine or position, and
longest number: what is asked for has to end, and within some memory, whoever wrote the file."""


def number(text: str) -> fmpq:
    """The rational number that ``text`` spells, as in -3/8; it is told as it is written, so nothing else will do."""
    if not NUMBER.fullmatch(text):
        raise ValueError(f"{text!r:.40} is no number")
    top, _, bottom = text.partition("/")
    return fmpq(int(top), int(bottom or "1"))


class Variables:
    """The variables of ``n`` joints, and the calculus of polynomials in them."""

    def __init__(self, revolute: Sequence[bool]) -> None:
        self.revolute, self.n = list(revolute), len(revolute)
        names = [f"{letter}{j}" for j in range(self.n) for letter in "sc"] + [
            f"{x}{j}" for x in "va" for j in range(self.n)
        ]
        self.context = fmpq_mpoly_ctx.get(tuple(names), "lex")
        gens = self.context.gens()
        self.sin, self.cos = gens[0 : 2 * self.n : 2], gens[1 : 2 * self.n : 2]
        self.speed, self.acceleration = gens[2 * self.n : 3 * self.n], gens[3 * self.n :]
        self.zero, self.one = self.context.constant(0), self.context.constant(1)
        self.work, self.kept, self.products = 0, 0, dict[tuple[int, ...], Series]()

    def spend(self, work: int, terms: int) -> None:
        """Refuse what would take too long, or come to too many terms."""
        # a term has an exponent of every variable, and polynomials of many variables have more terms
        self.work += work * (1 + self.n**2 // 32)
        if self.work > MOST_WORK or terms > MOST_TERMS:
            raise ArmError(f"its polynomials take more than {MOST_WORK} products of terms, or have {MOST_TERMS} terms")

    def product(self, a: Any, b: Any) -> Any:
        """a b, refused where so many terms or so high powers come together that it would never end."""
        long, wide = words(a), words(b)
        self.spend(long * wide + PASSED * (long + wide), terms_of(a) * terms_of(b))
        ab = a * b
        if hasattr(ab, "degrees") and len(ab) and max(ab.degrees()) > MOST_DEGREE:
            raise ArmError(f"its polynomials have powers above {MOST_DEGREE}")
        return ab

    def total(self, parts: Iterable[Any]) -> Polynomial:
        """The sum of any number of polynomials and numbers."""
        total = self.zero
        for part in parts:
            self.spend(PASSED * (words(total) + words(part)), terms_of(total) + terms_of(part))
            total = total + part
        return total

    def slope(self, p: Polynomial, j: int) -> Polynomial:
        """dp/dq_j: cos dp/dsin - sin dp/dcos."""
        self.spend(3 * words(p), 3 * len(p))
        along = p.derivative(2 * j + 1)
        return self.cos[j] * p.derivative(2 * j) - self.sin[j] * along if self.revolute[j] else along

    def normal(self, p: Polynomial) -> Polynomial:
        """The one polynomial of at most first degree in every sine that is equal to p."""
        for j in range(self.n):
            power = p.degrees()[2 * j] if self.revolute[j] and len(p) else 0
            if power > 1:
                # s^a becomes (1 - c^2)^(a // 2), times s where a is odd
                self.spend(PASSED * (power // 2 + 1) * words(p), (power // 2 + 1) * len(p))
                p = divmod(p, self.sin[j] ** 2 + self.cos[j] ** 2 - 1)[1]
        return p

    def turned(self, sums: Mapping[int, int]) -> tuple[Polynomial, Polynomial]:
        """Sine and cosine of a sum of joint angles."""
        sin, cos = self.zero, self.one
        for j, times in sums.items():
            for _ in range(abs(times)):
                s = self.sin[j] if times > 0 else -self.sin[j]
                c = self.cos[j]
                sin, cos = (
                    self.product(sin, c) + self.product(cos, s),
                    self.product(cos, c) - self.product(sin, s),
                )
        return sin, cos

    def series(self, p: Polynomial) -> Series:
        """A normal polynomial in positions alone as a Fourier series (with powers of sliding positions)."""
        total: Series = {}
        for powers, value in p.to_dict().items():
            expanded = self.expanded(tuple(map(int, powers[: 2 * self.n])))
            self.spend(PASSED * len(expanded), len(total))
            for k, (re, im) in expanded.items():
                x, y = total.get(k, (fmpq(0), fmpq(0)))
                total[k] = x + value * re, y + value * im
        return {k: c for k, c in total.items() if c[0] or c[1]}

    def expanded(self, powers: tuple[int, ...]) -> Series:
        """The series of a product of powers of sines and cosines, kept: many polynomials have the same ones."""
        if powers not in self.products:
            self.kept += prod(sines + cosines + 1 for sines, cosines in zip(powers[::2], powers[1::2], strict=True))
            # a term of a series takes the memory of four of a polynomial
            self.spend(0, 4 * self.kept)
            series: Series = {(): (fmpq(1), fmpq(0))}
            for turns, sines, cosines in zip(self.revolute, powers[::2], powers[1::2], strict=True):
                factors = exponentials(sines, cosines) if turns else ((cosines, (fmpq(1), fmpq(0))),)
                series = {
                    (*k, m): (re * x - im * y, re * y + im * x)
                    for k, (re, im) in series.items()
                    for m, (x, y) in factors
                }
            self.products[powers] = series
        return self.products[powers]


def terms_of(p: Any) -> int:
    """The number of terms of a polynomial; one of a number."""
    return len(p) if hasattr(p, "degrees") else 1


def words(p: Any) -> int:
    """How many words of 64 bits the coefficients of a polynomial have, at least one each."""
    bits = [x.height_bits() for x in (p.coeffs() if hasattr(p, "degrees") else [fmpq(p)])]
    if max(bits, default=0) > MOST_BITS:
        raise ArmError(f"its polynomials have numbers of more than {MOST_BITS} bits")
    return sum(1 + length // 64 for length in bits)


@cache
def exponentials(sines: int, cosines: int) -> tuple[tuple[int, tuple[fmpq, fmpq]], ...]:
    """sin^a cos^b as a sum of e^(ikx): sin = (e^ix - e^-ix)/2i, cos = (e^ix + e^-ix)/2."""
    half = fmpq(1, 2)
    power: dict[int, tuple[fmpq, fmpq]] = {0: (fmpq(1), fmpq(0))}
    for is_sine in [True] * sines + [False] * cosines:
        product: dict[int, tuple[fmpq, fmpq]] = {}
        for k, (re, im) in power.items():
            for m in (1, -1):
                # times -i/2 m for a sine, 1/2 for a cosine
                x, y = (im * half * m, -re * half * m) if is_sine else (re * half, im * half)
                present = product.get(k + m, (fmpq(0), fmpq(0)))
                product[k + m] = present[0] + x, present[1] + y
        power = product
    return tuple((k, c) for k, c in power.items() if c[0] or c[1])


@dataclass(frozen=True, eq=False)
class Dynamics:
    """D, C and G of a system, those that are zero included, and the squares |g|^2 |u_i|^2 >= G_i^2 of G_i = g . u_i.

    Joints before i only turn u_i, so that the squares do not depend on them.
    """

    variables: Variables
    coefficients: dict[Key, Polynomial]
    squares: list[Polynomial]


def dynamics(system: Mapping[str, Any]) -> Dynamics:
    """The exact dynamics of bodies in a tree and of rotors that they carry.

    With T_b the 4x4 pose of body b and J_b its pseudo-inertia matrix, the integral of (r, 1)(r, 1)^T dm (Bejczy 1974,
    eqs 4 to 11), D_ij = sum_b trace(dT_b/dq_i J_b (dT_b/dq_j)^T) and G_i = -sum_b g . (last column of dT_b/dq_i J_b).
    C_ijk = (dD_ij/dq_k + dD_ik/dq_j - dD_jk/dq_i) / 2.
    """
    bodies = system["bodies"]
    v, n = Variables([body["kind"] == "revolute" for body in bodies]), len(bodies)
    poses, paths = kinematics(v, bodies)
    D, pulls = [[v.zero] * n for _ in range(n)], [[v.zero] * 3 for _ in range(n)]
    for body, pose, path in zip(bodies, poses, paths, strict=True):
        J = [[number(x) for x in row] for row in body["pseudo_inertia"]]
        slopes = {i: [[v.slope(x, i) for x in row] for row in pose[:3]] for i in path}
        for i in path:
            moments = times(v, slopes[i], J)
            pulls[i] = [u - row[3] for u, row in zip(pulls[i], moments, strict=True)]
            for j in (j for j in path if j <= i):
                D[i][j] += sum((dot(v, r, s) for r, s in zip(moments, slopes[j], strict=True)), v.zero)
    add_rotors(v, system["rotors"], poses, paths, D)
    D = [[v.normal(D[max(i, j)][min(i, j)]) for j in range(n)] for i in range(n)]
    gravity = [number(x) for x in system["gravity"]]
    coefficients: dict[Key, Polynomial] = {("G", i): v.normal(dot(v, gravity, u)) for i, u in enumerate(pulls)}
    squares = [v.normal(dot(v, u, u) * dot(v, gravity, gravity)) for u in pulls]
    slope = {(i, j, k): v.slope(D[i][j], k) for i in range(n) for j in range(n) for k in range(n)}
    for i in range(n):
        for j in range(n):
            coefficients["D", i, j] = D[i][j]
            for k in range(j, n):
                christoffel = (slope[i, j, k] + slope[i, k, j] - slope[j, k, i]) * fmpq(1, 2)
                coefficients["C", i, j, k] = v.normal(christoffel)
    return Dynamics(v, coefficients, squares)


def kinematics(v: Variables, bodies: Sequence[Mapping[str, Any]]) -> tuple[list[Matrix], list[list[int]]]:
    """The pose of every body and the joints that move it; refused where a body is none, or hangs on a later one.

    A pose is that of the parent, times the placement, a rotation and shift, times the turn about z or slide along it.
    """
    poses: list[Matrix] = []
    paths: list[list[int]] = []
    for b, body in enumerate(bodies):
        if not -1 <= body["parent"] < b:
            raise ArmError(f"body {b + 1} hangs on body {body['parent'] + 1}, which does not come before it")
        if body["kind"] not in ("revolute", "prismatic"):
            raise ArmError(f"joint {b + 1} is neither revolute nor prismatic")
        fixed, J = ([[number(x) for x in row] for row in body[name]] for name in ("placement", "pseudo_inertia"))
        x, y, z = (row[:3] for row in fixed[:3])
        right_handed = z == [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
        square = [[sum((a * b for a, b in zip(r, s, strict=True)), fmpq(0)) for s in (x, y, z)] for r in (x, y, z)]
        proper = square == EYE and right_handed and fixed[3:] == [[0, 0, 0, 1]]
        if not proper or [list(column) for column in zip(*J, strict=True)] != J:
            raise ArmError(f"the placement of body {b + 1} is no rotation and shift, or its inertia is not symmetric")
        joint_motion: Matrix
        if v.revolute[b]:
            joint_motion = [[v.cos[b], -v.sin[b], 0, 0], [v.sin[b], v.cos[b], 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        else:
            joint_motion = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, v.cos[b]], [0, 0, 0, 1]]
        pose = times(v, [[v.one * x for x in row] for row in fixed], joint_motion)
        poses.append(pose if body["parent"] < 0 else times(v, poses[body["parent"]], pose))
        paths.append([*(paths[body["parent"]] if body["parent"] >= 0 else []), b])
    return poses, paths


def add_rotors(
    v: Variables, rotors: Sequence[Mapping[str, Any]], poses: Sequence[Matrix], paths: Sequence[list[int]], D: Matrix
) -> None:
    """Add to D what rotors do.

    One of spin inertia J with axis u on body b turns by N . q; with w_i = u . z_i for joints i that turn b it adds
    J (w_i N_j + N_i w_j + N_i N_j) to D_ij.
    """
    for r, rotor in enumerate(rotors):
        inertia, ratios = number(rotor["inertia"]), [number(x) for x in rotor["ratios"]]
        w, b = [v.zero] * v.n, rotor["body"]
        if len(ratios) != v.n or (b is not None and not -1 <= b < v.n):
            raise ArmError(f"rotor {r + 1} has not one ratio for each joint, or is on a body that there is not")
        if b is not None and b >= 0:
            axis = [number(x) for x in rotor["axis"]]
            u = [dot(v, row[:3], axis) for row in poses[b][:3]]
            for i in paths[b]:
                if v.revolute[i]:
                    w[i] = dot(v, u, [row[2] for row in poses[i][:3]])
        for i in range(v.n):
            for j in range(i + 1):
                D[i][j] = v.total([D[i][j], inertia * (w[i] * ratios[j] + ratios[i] * w[j] + ratios[i] * ratios[j])])


def dot(v: Variables, a: Sequence[Any], b: Sequence[Any]) -> Any:
    """sum_k a_k b_k."""
    return sum((v.product(x, y) for x, y in zip(a, b, strict=True)), v.zero)


def times(v: Variables, a: Matrix, b: Matrix) -> Matrix:
    """The product of two matrices."""
    return [[dot(v, row, column) for column in zip(*b, strict=True)] for row in a]


def program_coefficients(
    program: Sequence[Sequence[Any]], outputs: Sequence[int], constants: Mapping[str, str], v: Variables
) -> dict[Key, Polynomial]:
    """The coefficients of the torques that a program computes, step by step as it says.

    A step is a number, a named constant, a position, speed or acceleration of a joint, a sine or cosine of a sum of
    joint angles, or the sum, difference, product or negative of earlier steps. Steps that are sums of joint angles are
    kept as such.
    """
    results: list[Any] = []
    stored = 0
    for at, (op, *args) in enumerate(program):
        if results:
            size = len(results[-1]) if isinstance(results[-1], dict) else words(results[-1])
            stored += size
            v.spend(size, stored)
            if isinstance(results[-1], dict) and sum(map(abs, results[-1].values())) > MOST_DEGREE:
                raise ArmError(f"step {at - 1} of the program is a sum of more than {MOST_DEGREE} joint angles")
        if len(args) != (2 if op in ("add", "sub", "mul") else 1):
            raise ArmError(f"step {at} of the program has {len(args)} arguments")
        if op in ("add", "sub", "mul", "neg", "sin", "cos") and not all(0 <= a < at for a in args):
            raise ArmError(f"step {at} of the program uses a step that does not come before it")
        if op == "number":
            results.append(v.one * number(args[0]))
        elif op == "constant":
            results.append(v.one * number(constants[args[0]]))
        elif op in ("q", "qd", "qdd") and not 0 <= args[0] < v.n:
            raise ArmError(f"step {at} of the program is about joint {args[0]}, which there is not")
        elif op == "q":
            results.append({args[0]: 1} if v.revolute[args[0]] else v.cos[args[0]])
        elif op in ("qd", "qdd"):
            results.append((v.speed if op == "qd" else v.acceleration)[args[0]])
        elif op in ("sin", "cos"):
            results.append(v.turned(results[args[0]])[op == "cos"])
        elif op == "neg":
            results.append(negative(results[args[0]]))
        elif op in ("add", "sub"):
            a, b = results[args[0]], results[args[1]] if op == "add" else negative(results[args[1]])
            results.append({j: a.get(j, 0) + b.get(j, 0) for j in {**a, **b}} if isinstance(a, dict) else a + b)
        elif op == "mul":
            results.append(v.product(results[args[0]], results[args[1]]))
        else:
            raise ArmError(f"step {at} of the program is {op!r}, which is no operation of a program of torques")
    coefficients: dict[Key, Polynomial] = {}
    for i, output in enumerate(outputs):
        if not 0 <= output < len(results):
            raise ArmError(f"torque {i + 1} of the program is step {output}, which there is not")
        terms: dict[Key, dict[tuple[int, ...], fmpq]] = {}
        for powers, value in v.normal(results[output]).to_dict().items():
            moving, positions = powers[2 * v.n :], (*powers[: 2 * v.n], *[0] * (2 * v.n))
            fast = [j for j in range(v.n) for _ in range(moving[j])]
            pushed = [j for j in range(v.n) for _ in range(moving[v.n + j])]
            if (len(fast), len(pushed)) not in ((0, 0), (2, 0), (0, 1)):
                raise ArmError(
                    f"torque {i + 1} of the program is no sum of accelerations, products of two speeds and loads"
                )
            key = ("D", i, *pushed) if pushed else ("C", i, *fast) if fast else ("G", i)
            share = value * fmpq(1, 2) if fast and fast[0] != fast[1] else value
            terms.setdefault(key, {})[positions] = share
        for key, polynomial in terms.items():
            coefficients[key] = v.context.from_dict(polynomial)
    return coefficients


def negative(x: Any) -> Any:
    """-x, of a polynomial or of a sum of joint angles."""
    return {j: -times for j, times in x.items()} if isinstance(x, dict) else -x
