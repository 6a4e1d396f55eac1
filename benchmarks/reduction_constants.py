"""How much the length of reduced models hangs on the constants of the search: each is moved by 30 percent up and down.

    python benchmarks/reduction_constants.py [ARM:TOLERANCE ...]

Every model is proved, whatever the constants: they only say where the search looks. Printed are the operations with the
constants as they are, the least and most operations over all moves and their median, and the moves that change them.
"""

from __future__ import annotations

import statistics
import sys

import dalembert as da
from dalembert.bounds import grid
from dalembert.reduction import certify, climb, minimax, program_proofs, program_search, prune, refit

MOVED = [
    (program_search, "SEARCH_POSITIONS"), (program_search, "SEARCH_WORST"), (program_search, "REFIT_POSITIONS"),
    (program_proofs, "KEPT_WORST"), (program_search, "SEARCH_LIMIT"), (program_proofs, "WORK_LIMIT"),
    (program_search, "MAX_REFITS"), (program_search, "MAX_CONTINUED"),
    (program_search, "CAUTION"), (prune, "TRIES"), (minimax, "CLOSE"), (minimax, "REACH"),
    (minimax, "AT_ONCE"), (refit, "MEAN_WEIGHT"), (climb, "SPREAD"), (climb, "TRIALS"), (certify, "TORQUE_WORK"),
    (grid, "DEARER"),
]  # fmt: skip
"""Constants whose scale means something; ratios near one (``NEAR_MISS``, ``PROVABLE``, ...) are moved in their distance
from one."""
NEAR_ONE = [
    (program_search, "NEAR_MISS"), (program_proofs, "PROVABLE"), (program_proofs, "CLOSE"),
]  # fmt: skip
SHARE = 0.3
CASES = ("puma560:0.05", "jpl-rrp:0.05", "ur5e:0.05", "stanford:0.05")


def moved(value: float, sign: int, near_one: bool) -> float:
    """A constant moved up or down."""
    changed = 1 + (value - 1) * (1 + sign * SHARE) if near_one else value * (1 + sign * SHARE)
    return max(1, round(changed)) if isinstance(value, int) else changed


def main(cases: list[str]) -> None:
    for case in cases:
        name, tolerance = case.split(":")
        arm = da.load(name, physical="ignore")

        def operations(arm: da.Arm = arm, tolerance: str = tolerance) -> int:
            return arm.analysis().reduce(float(tolerance)).after.total

        usual, found = operations(), {}
        for module, constant in [*MOVED, *NEAR_ONE]:
            value = getattr(module, constant)
            for sign in (-1, 1):
                setattr(module, constant, moved(value, sign, (module, constant) in NEAR_ONE))
                try:
                    found[f"{module.__name__.rpartition('.')[2]}.{constant}", sign] = operations()
                finally:
                    setattr(module, constant, value)
        least, most = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
        print(
            f"{name:10} {tolerance:>5}: {usual} operations; {found[least]} ({least[0]} {least[1] * SHARE:+.0%}) to "
            f"{found[most]} ({most[0]} {most[1] * SHARE:+.0%}), median {statistics.median(found.values()):g}; "
            f"{len(found)} moves, {sum(x != usual for x in found.values())} of them change it:"
        )
        changed = (f"{key} {sign * SHARE:+.0%} {x}" for (key, sign), x in found.items() if x != usual)
        print(f"    {', '.join(changed) or 'none'}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or [*CASES])
