"""The recursions for C and the derivatives of the torques against dual numbers, over trees, slides and followers."""

import random
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings

import dalembert as da
from coupled_arms import laden
from dalembert.formulations import christoffel, composite_motion, newton_euler
from dalembert.formulations.system import SystemOverRing, slopes
from dalembert.rings.real import REAL
from laws import inertia_scale, moving_arms, rounding, torque_scale
from random_arms import random_arm, random_state


def tables(found):
    return [np.array([[float(x) for x in row] for row in table]) for table in found]


@settings(max_examples=40)
@given(moving_arms())
def test_the_recursion_has_the_slopes_of_newton_euler(case):
    arm, *state = case
    links = arm.over_reals.links
    found = tables(composite_motion.torque_derivatives(links, REAL, *state))
    expected = tables(slopes(partial(newton_euler.inverse_dynamics, links), REAL, *state))
    size = torque_scale(arm, *state) + np.abs(expected).max(initial=0)
    for mine, dual in zip(found, expected, strict=True):
        assert np.abs(mine - dual).max(initial=0) <= rounding(arm, state[0]) * size


@settings(max_examples=40)
@given(moving_arms())
def test_the_recursion_has_the_coriolis_matrix_of_the_christoffel_symbols(case):
    arm, q, qd, _ = case
    links = arm.over_reals.links
    found, expected = tables([page.coriolis_matrix(links, REAL, q, qd) for page in (composite_motion, christoffel)])
    size = inertia_scale(arm, q) * np.abs(qd).sum() + np.abs(expected).max(initial=0)
    assert np.abs(found - expected).max(initial=0) <= rounding(arm, q) * size


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("drives", [False, True])
def test_followers_drives_friction_springs_and_loads_come_on_top(seed, drives):
    """The derivatives of the whole system are those of its torques, whatever is in it."""
    arm = laden(seed)
    system = SystemOverRing(arm.driven if drives else arm, REAL)
    state = random_state(random.Random(seed), arm)
    expected = tables(slopes(system.torque, REAL, *state))
    found = tables(system.torque_derivatives(REAL, *state))
    for mine, dual in zip(found, expected, strict=True):
        assert np.abs(mine - dual).max() <= 1e-12 * np.abs(dual).max()


@pytest.mark.parametrize("joints", [14, 25])
def test_pinocchio_has_the_same_derivatives_and_coriolis_torques_of_long_trees(joints):
    pin = pytest.importorskip("pinocchio")
    arm = da.Arm.of(random_arm(joints, joints, tree=True, fixed=0))
    model = pin.buildModelFromXML(arm.write_urdf())
    model.gravity.linear = np.array([float(g) for g in arm.gravity])
    data = model.createData()
    q, qd, qdd = (np.array(part) for part in random_state(random.Random(1), arm, 1.0))
    order = [arm.joint_names.index(name) for name in list(model.names)[1:]]
    pairs = zip(list(model.joints)[1:], q[order], strict=True)
    place = np.concatenate([[np.cos(x), np.sin(x)] if joint.nq == 2 else [x] for joint, x in pairs])
    pin.computeRNEADerivatives(model, data, place, qd[order], qdd[order])
    links, back = arm.over_reals.links, np.ix_(order, order)
    found = tables(composite_motion.torque_derivatives(links, REAL, q, qd, qdd))
    for mine, theirs in zip(found, (data.dtau_dq, data.dtau_dv), strict=True):
        assert np.abs(mine[back] - theirs).max() <= 1e-11 * np.abs(theirs).max()
    (mine,) = tables([composite_motion.coriolis_matrix(links, REAL, q, qd)])
    theirs = pin.computeCoriolisMatrix(model, data, place, qd[order])
    assert np.abs((mine @ qd)[order] - theirs @ qd[order]).max() <= 1e-11 * np.abs(theirs).max() * np.abs(qd).sum()
