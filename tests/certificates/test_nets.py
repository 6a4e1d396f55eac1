"""Control values enclose their functions, and are right to the error they carry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flint import acb, arb, ctx

from dalembert.certificates.nets import LOST, Net, Variable, first_net
from exact_series import at, random_series, two_turns_and_a_slide


def inside(path, variables, rng):
    """A point of the part of the box that a path of (axis, side) leads to."""
    low = [float(v.lower.mid()) for v in variables]
    width = [float(v.width.mid()) for v in variables]
    started = [v.pieces == 1 for v in variables]
    for axis, side in path:
        count = 2 if started[axis] else variables[axis].pieces
        width[axis] /= count
        low[axis] += side * width[axis]
        started[axis] = True
    return [a + w * rng.uniform(1e-9, 1 - 1e-9) for a, w in zip(low, width, strict=True)]


@pytest.mark.parametrize("seed", range(4))
def test_no_value_of_a_part_lies_outside_its_bounds(seed):
    rng, variables = np.random.default_rng(seed), two_turns_and_a_slide()
    functions = [random_series(rng, variables) for _ in range(3)]
    for _ in range(6):
        nets, path = [first_net(f, variables) for f in functions], []
        for _ in range(int(rng.integers(0, 9))):
            axis = int(rng.integers(3))
            side = int(rng.integers(len(nets[0].split(axis, variables))))
            path.append((axis, side))
            nets = [net.split(axis, variables)[side] for net in nets]
        for _ in range(10):
            q = inside(path, variables, rng)
            assert all(at(f, q, variables) <= arb(net.greatest()) for f, net in zip(functions, nets, strict=True))


def test_bounds_close_in_on_the_function():
    rng, variables = np.random.default_rng(3), two_turns_and_a_slide()
    net = first_net(random_series(rng, variables), variables)
    widths = []
    for step in range(30):
        widths.append(net.greatest() + replace(net, values=-net.values).greatest())
        net = net.split(step % 3, variables)[-1]
    assert widths[-1] < 1e-2 * widths[0]


def exact_net(series, variables, path):
    """The control values after a path, by ball arithmetic alone."""
    with ctx.workprec(300):
        shape = [v.size for v in variables]
        values = np.full(shape, acb(0), dtype=object)
        for k, (re, im) in series.items():
            values[tuple(m if v.slides else m + v.degree for m, v in zip(k, variables, strict=True))] = acb(
                arb(re), arb(im)
            )
        for axis, v in enumerate(variables):
            # from coefficients at once to the control values on the last interval: no halving at all
            low, width, started = v.lower, v.width, v.pieces == 1
            for moved, side in path:
                if moved == axis:
                    width = width / (2 if started else v.pieces)
                    low, started = low + side * width, True
            only = Variable(v.joint, low, width, v.degree, v.slides)
            assert only.pieces == 1
            rows = exact_rows(only)
            values = np.moveaxis(np.tensordot(rows, values, axes=([1], [axis])), 0, axis)
        return values


def exact_rows(v):
    """Control values of each e^(ikx) or x^k, from its values at points, which are averages of them."""
    from flint import acb_mat

    half, count = v.width / 2, v.size
    points = [v.lower + v.width * (2 * i + 1) / (2 * count) for i in range(count)]
    basis, values = [], []
    for x in points:
        if v.slides:
            a, b = (v.lower + v.width - x) / v.width, (x - v.lower) / v.width
        else:
            t = x - v.lower - half
            a, b = ((half - t) / 2).sin(), ((half + t) / 2).sin()
        terms = [w * a ** (count - 1 - i) * b**i for i, w in enumerate(v.weights(half))]
        basis.append([term / sum(terms, arb(0)) for term in terms])
        values.append([acb(x) ** k if v.slides else acb(0, (k - v.degree) * x).exp() for k in range(count)])
    solved = acb_mat(basis).solve(acb_mat(values))
    return np.array([[solved[i, k] for k in range(count)] for i in range(count)], dtype=object)


@pytest.mark.parametrize("seed", range(3))
def test_control_values_are_right_to_the_error_they_carry(seed):
    rng, variables = np.random.default_rng(seed), two_turns_and_a_slide()
    series = random_series(rng, variables)
    net, path = first_net(series, variables), []
    for axis in [0, 1, *rng.integers(0, 3, 24)]:
        parts = net.split(int(axis), variables)
        path.append((int(axis), int(rng.integers(len(parts)))))
        net = parts[path[-1][1]]
    exact, errors = exact_net(series, variables, path), list[float]()
    for place in np.ndindex(exact.shape):
        off = abs(exact[place] - acb(float(net.values[place])))
        assert off < arb(float(net.error))
        errors.append(float(off.mid()))
    # an account that allows for much more than what happens would be worth nothing
    size = sum(abs(complex(float(re.p) / int(re.q), float(im.p) / int(im.q))) for re, im in series.values())
    assert max(errors) < net.error < 1e-12 * size


def test_what_is_no_number_proves_nothing():
    variables = two_turns_and_a_slide()
    net = first_net(random_series(np.random.default_rng(0), variables), variables)
    net.values[0] = np.nan
    assert net.greatest() == np.inf


def test_tiny_functions_keep_an_error_above_what_underflow_takes():
    variables = two_turns_and_a_slide()
    small = {
        k: (re / 10**200, im / 10**200) for k, (re, im) in random_series(np.random.default_rng(2), variables).items()
    }
    net = first_net(small, variables)
    assert isinstance(net, Net)
    assert net.error >= LOST
    assert net.greatest() < 1e-190
