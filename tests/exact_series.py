"""Random exact series, as the checker of certificates has them, and their values in balls."""

from __future__ import annotations

from flint import acb, arb, ctx, fmpq

from dalembert.certificates.grids import CellAxis


def random_series(rng, variables, terms=12):
    """A real function: c_k at k with its conjugate at -k."""
    found = {}
    for _ in range(terms):
        k = tuple(int(rng.integers(0 if v.slides else -v.order, v.order + 1)) for v in variables)
        mirror = tuple(m if v.slides else -m for m, v in zip(k, variables, strict=True))
        re, im = (fmpq(int(rng.integers(-1000, 1000)), 700) for _ in range(2))
        if mirror == k:
            im = fmpq(0)
        found[k], found[mirror] = (re, im), (re, -im)
    return found


def two_turns_and_a_slide():
    with ctx.workprec(400):
        return [
            CellAxis(0, arb(-1), arb(5) / 2, 2, False),
            CellAxis(1, -arb.pi(), 2 * arb.pi(), 1, False),
            CellAxis(2, arb(1) / 4, arb(2), 2, True),
        ]


def at(series, q, variables):
    """The value at a point, in balls of 200 bits."""
    with ctx.workprec(200):
        total = acb(0)
        for k, (re, im) in series.items():
            term = acb(arb(re), arb(im))
            for m, x, v in zip(k, q, variables, strict=True):
                term *= acb(x) ** m if v.slides else acb(0, arb(m) * arb(x)).exp()
            total += term
        return total.real
