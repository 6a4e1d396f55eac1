"""The certificate of ranges: the ends of each coefficient, sum or ratio, and the parts of the box that show them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..arm.errors import ArmError
from ..bounds.ranges import Range
from ..certificates.certificate_file import write
from ..certificates.proving import Prover, exact_float, states_section
from ..certificates.system_numbers import system_numbers
from ..equations import names
from .certified_ranges import CertifiedRanges
from .importance import range_by_name

CLOSEST = 0.05
"""Share of the tolerance of a range that is left between a value attained and the end that is claimed: branch and bound
may come closer than that, and a grid would need many more cells there."""


def write_range_certificate(path: str | Path, requests: Sequence[tuple[CertifiedRanges, str]]) -> Path:
    """Write the ranges of coefficients, sums ("D12+D13") and ratios ("D12/D11") with proofs for ``dalembert check``."""
    systems: list[CertifiedRanges] = []
    for ranges, _ in requests:
        if all(ranges is not listed for listed in systems):
            systems.append(ranges)
    first = states_section(systems[0].box)
    if any(states_section(ranges.box) != first for ranges in systems):
        raise ArmError(
            f"{systems[0].system.name}: a certificate has one box; ask of all systems over the same positions"
        )
    sections: dict[str, Any] = {
        "systems": [system_numbers(ranges.system) for ranges in systems], "states": first, "claims": [], "proofs": [],
    }  # fmt: skip
    prover = Prover("ranges", sections)
    for ranges, name in requests:
        range_ = range_by_name(ranges, name)
        ranges.tell(f"certificate of {name}")
        index = next(s for s, listed in enumerate(systems) if listed is ranges)
        claim, proof = proved(prover, ranges, name, range_, index)
        sections["claims"].append(claim)
        sections["proofs"].append(proof)
    return write(path, "ranges", sections)


def proved(
    prover: Prover, ranges: CertifiedRanges, name: str, range_: Range, system: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The claim that a range makes, and its proof."""
    top, bottom = names.sides(name)
    claim: dict[str, Any] = {"system": system, "of": terms(top, ranges.n), "lower": "", "upper": ""}
    if bottom:
        denominator = range_by_name(ranges, bottom)
        sign = -1 if denominator.upper < 0 else 1
        least = denominator.lower if sign > 0 else -denominator.upper
        claim |= {
            "of": terms(top, ranges.n, sign),
            "over": terms(bottom, ranges.n, sign),
            "least": exact_float(least / 2),
        }
    room = max(CLOSEST * range_.tolerance, prover.rounding(claim, max(abs(range_.minimum), abs(range_.maximum))))
    claim["lower"] = exact_float(min(range_.lower, range_.minimum - room))
    claim["upper"] = exact_float(max(range_.upper, range_.maximum + room))
    proof = prover.range_proof(claim)
    if proof is not None:
        return claim, proof
    raise ArmError(
        f"{ranges.system.where}{ranges.system.name}: the range of {name} would need too many parts of the box for "
        "a certificate; ask for a wider gap, or over a smaller box"
    )


def terms(expression: str, n: int, sign: int = 1) -> list[list[Any]]:
    """A sum and difference of coefficients as factors and keys; D_ijp is its factor times C_ijp."""
    factors: list[list[Any]] = []
    for part in expression.replace(" ", "").replace("-", "+-").split("+"):
        if part:
            kind, index = names.parse(part.lstrip("-"), n)
            factor = -sign if part.startswith("-") else sign
            if len(index) == 3:
                factor *= names.speeds_counted(index) if kind == "D" else 1
                kind, index = "C", (index[0], *sorted(index[1:]))
            factors.append([str(factor), kind, *index])
    return factors
