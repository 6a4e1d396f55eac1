"""How many motions a second are weighed for identification, in processor time, beside a loop over Pinocchio.

    python benchmarks/excitation.py [ARM ...]

A candidate is a Fourier series of five harmonics at 80 moments. "quick" is the order by log det in float32 at every
second moment, "exact" the condition number in float64; both bring the candidates into their limits first. The loop asks
``computeJointTorqueRegressor`` at every moment and NumPy for the condition number of the same base columns.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
import pinocchio

import dalembert as da
from dalembert.control.candidate_motions import EVERY, PIECE, CandidateMotions

Array = np.ndarray


def rate(ask: Callable[[Array], object], genes: Array) -> float:
    """Candidates a second of processor time, the best of five."""
    ask(genes)
    spent = []
    for _ in range(5):
        begin = time.process_time()
        ask(genes)
        spent.append(time.process_time() - begin)
    return len(genes) / min(spent)


def weighed(name: str) -> None:
    """One line of the table."""
    arm = da.load(name)
    search = CandidateMotions(arm, 10.0, 5, "coulomb+viscous+offset", True)
    genes = np.random.default_rng(0).uniform(-1, 1, (1024, 11, arm.n))

    def quick(genes: Array) -> None:
        for first in range(0, len(genes), PIECE):
            search.ranking.scores(*search.states(genes[first : first + PIECE].astype(np.float32), EVERY))

    model = pinocchio.buildModelFromXML(arm.write_urdf())
    data, columns, unknowns = model.createData(), search.base.columns, search.unknowns
    inertial = columns[columns < unknowns.inertial]

    def loop(genes: Array) -> None:
        for q, qd, qdd in zip(*search.states(genes), strict=True):
            smooth = np.array(
                [pinocchio.computeJointTorqueRegressor(model, data, *state) for state in zip(q, qd, qdd, strict=True)]
            )
            friction = unknowns.friction.columns(qd, np.full(arm.n, 0.02), np.full(arm.n, 0.1), None)
            matrix = unknowns.base_matrix(columns, smooth[..., inertial], friction, qdd).reshape(-1, len(columns))
            np.linalg.cond(matrix / np.linalg.norm(matrix, axis=0))

    found = rate(quick, genes), rate(search.scores, genes[:256]), rate(loop, genes[:32])
    print(
        f"{name:14} {len(columns):8} {found[0]:10,.0f} {found[1]:10,.0f} {found[2]:10,.0f} {found[0] / found[2]:8.0f}"
    )


def main() -> None:
    """All arms asked for."""
    warnings.simplefilter("ignore")
    print("arm            unknowns    quick/s    exact/s Pinocchio/s quick/Pin.")
    for name in sys.argv[1:] or ["puma560-arm", "puma560", "panda"]:
        weighed(name)


if __name__ == "__main__":
    main()
