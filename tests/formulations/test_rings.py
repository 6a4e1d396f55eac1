"""The same pages run over foreign numbers: dual numbers, CasADi expressions and JAX arrays."""

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations import (
    articulated_body,
    composite_body,
    generalized_dalembert,
    influence,
    lagrange_euler,
    newton_euler,
    tourassis_neuman,
)
from dalembert.formulations.chain import chain
from dalembert.rings.dual import Duals, value_of
from dalembert.rings.library import Library
from dalembert.rings.real import REAL
from random_arms import random_arm

TORQUE = (newton_euler, lagrange_euler, generalized_dalembert, influence, tourassis_neuman)
INERTIAL = (composite_body, tourassis_neuman)


@pytest.fixture(params=[False, True], ids=["chain", "tree"])
def case(request):
    arm = da.Arm.of(random_arm(11, 4, tree=request.param))
    return arm, np.random.default_rng(3).uniform(-2, 2, size=(3, 4))


def expected(arm, state):
    tau = arm.inverse_dynamics(*state)
    return tau, arm.mass_matrix(state[0]), arm.forward_dynamics(state[0], state[1], tau)


def test_every_page_runs_over_dual_numbers(case):
    arm, state = case
    ring = Duals(REAL)
    model = chain(arm, ring)
    q, qd, qdd = ([ring.variable(float(x), 10 * k + i) for i, x in enumerate(row)] for k, row in enumerate(state))
    tau, matrix, _ = expected(arm, state)
    for page in TORQUE:
        found = [value_of(t) for t in page.inverse_dynamics(model, ring, q, qd, qdd)]
        np.testing.assert_allclose(found, tau, rtol=1e-12, atol=1e-11)
    for page in INERTIAL:
        found = [[value_of(x) for x in row] for row in page.mass_matrix(model, ring, q)]
        np.testing.assert_allclose(found, matrix, rtol=1e-12, atol=1e-12)
    found = [value_of(x) for x in articulated_body.forward_dynamics(model, ring, q, qd, list(map(float, tau)))]
    np.testing.assert_allclose(found, state[2], rtol=1e-8, atol=1e-9)


def test_every_page_runs_over_casadi(case):
    casadi = pytest.importorskip("casadi")
    arm, state = case
    ring = Library(casadi)
    model = chain(arm, ring)
    symbols = [casadi.SX.sym(name, arm.n) for name in ("q", "qd", "qdd")]
    columns = [[symbol[i] for i in range(arm.n)] for symbol in symbols]
    tau, matrix, _ = expected(arm, state)
    for page in TORQUE:
        outputs = casadi.vertcat(*page.inverse_dynamics(model, ring, *columns))
        found = casadi.Function("tau", symbols, [outputs])(*state)
        np.testing.assert_allclose(np.array(found).ravel(), tau, rtol=1e-12, atol=1e-11)
    for page in INERTIAL:
        rows = [casadi.horzcat(*row) for row in page.mass_matrix(model, ring, columns[0])]
        found = casadi.Function("D", symbols[:1], [casadi.vertcat(*rows)])(state[0])
        np.testing.assert_allclose(np.array(found), matrix, rtol=1e-12, atol=1e-12)
    outputs = casadi.vertcat(*articulated_body.forward_dynamics(model, ring, *columns))
    found = casadi.Function("qdd", symbols, [outputs])(state[0], state[1], tau)
    np.testing.assert_allclose(np.array(found).ravel(), state[2], rtol=1e-8, atol=1e-9)


def test_every_page_runs_over_jax(case):
    jax = pytest.importorskip("jax")
    arm, state = case
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        ring = Library(jax.numpy)
        model = chain(arm, ring)
        tau, matrix, _ = expected(arm, state)
        rows = [jax.numpy.asarray(row) for row in state]
        for page in TORQUE:
            run = jax.jit(lambda q, qd, qdd, page=page: jax.numpy.stack(page.inverse_dynamics(model, ring, q, qd, qdd)))
            np.testing.assert_allclose(run(*rows), tau, rtol=1e-12, atol=1e-11)
        for page in INERTIAL:
            found = [list(map(float, row)) for row in page.mass_matrix(model, ring, rows[0])]
            np.testing.assert_allclose(found, matrix, rtol=1e-12, atol=1e-12)
        found = articulated_body.forward_dynamics(model, ring, rows[0], rows[1], jax.numpy.asarray(tau))
        np.testing.assert_allclose([float(x) for x in found], state[2], rtol=1e-8, atol=1e-9)
