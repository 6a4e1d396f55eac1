"""The certificate of a reduced model: its program, and for every joint the parts of the box with what each shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arm.errors import ArmError
from ..certificates.certificate_file import write
from ..certificates.proving import Prover, exact_float, states_section
from ..certificates.system_numbers import system_numbers
from ..rings.graph import CONST, INPUT, Node, reachable
from .certify import Progress

if TYPE_CHECKING:
    from .reduced_model import ReducedModel

ROUNDED_UP = 1 + 1e-8
"""A claim is the bound of the model times this: the checker allows for its own rounding."""
CLAIMS = (1.0, 1.04, 1.1, 1.5, 3.0)
"""What is claimed, in bounds of the model: the first that does not take too much work."""


def write_certificate(model: ReducedModel, path: str | Path, progress: Progress | None = None) -> Path:
    """Write what is proved of a reduced model, with a proof that ``dalembert check`` verifies without this package.

    The proof is made for this file: of every joint a grid is made finer until each part shows the bound.
    """
    systems = [case.system for case in model.cases]
    steps, torques = program_steps(model.program.outputs)
    sections: dict[str, Any] = {
        "systems": [system_numbers(system) for system in systems],
        "states": states_section(model.states.box) | {
            "speed": exact_floats(model.states.speed), "acceleration": exact_floats(model.states.acceleration)
        },
        "program": {
            "steps": steps, "torques": torques,
            "constants": [written(model.program.values(case.parameters)) for case in model.cases],
        },
        "claims": [],
        "proofs": [],
    }  # fmt: skip
    prover = Prover("reduced model", sections)
    pairs = [(s, i) for s in range(len(systems)) for i in range(model.n)]
    for at, (system, joint) in enumerate(pairs):
        if progress is not None:
            progress("certifying torques", at / len(pairs))
        proved = smallest_claim(prover, system, joint, float(model.bound[joint]), float(model.found[joint]))
        if proved is None:
            arm = model.system
            raise ArmError(
                f"{arm.where}{arm.name}: the error of the torque of {arm.joint_names[joint]!r} would need too many "
                "parts of the box for a certificate; reduce to a larger tolerance, or over a smaller box"
            )
        sections["claims"].append(proved[0])
        sections["proofs"].append(proved[1])
    return write(path, "reduced model", sections)


def smallest_claim(
    prover: Prover, system: int, joint: int, bound: float, attained: float
) -> tuple[dict[str, Any], list[dict[str, Any]]] | None:
    """The bound of a torque error, or the least multiple of it that is affordable, with its proof; None where none is.

    ``attained`` is the largest error known.
    """
    for factor in CLAIMS:
        claim = {"system": system, "joint": joint, "bound": exact_float(bound * factor * ROUNDED_UP)}
        proof = prover.torque_error(claim, attained)
        if proof is not None:
            return claim, proof
    return None


def program_steps(outputs: Sequence[Node]) -> tuple[list[list[Any]], list[int]]:
    """A program as a list of operations on earlier entries of the list, and the entries that are its outputs."""
    positions: dict[int, int] = {}
    steps: list[list[Any]] = []
    for node in reachable(outputs):
        positions[node.index] = len(steps)
        if node.op == CONST:
            steps.append(["number", str(node.value)])
        elif node.op == INPUT:
            head, _, index = str(node.value).rpartition("_")
            steps.append([head, int(index)] if head in ("q", "qd", "qdd") else ["constant", str(node.value)])
        else:
            steps.append([node.op, *(positions[x.index] for x in node.operands)])
    return steps, [positions[node.index] for node in outputs]


def written(values: Mapping[str, Fraction]) -> dict[str, str]:
    """Constants by name, as text."""
    return {name: str(value) for name, value in values.items()}


def exact_floats(values: np.ndarray) -> list[str]:
    """Floats as the fractions they are."""
    return [exact_float(float(x)) for x in values]
