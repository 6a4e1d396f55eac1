"""Who sticks: contact forces, shared loads and free directions on cases with a known answer."""

import numpy as np
import pytest

from dalembert.arm.errors import ArmError
from dalembert.systems.sticking import contact_forces, free_directions, holding_share


def test_contacts_share_what_they_hold_and_let_go_together():
    """A joint and a motor on the same row: the load may be split, and only their sum can be overcome."""
    rows = np.array([[1.0, 0.0], [2.0, 0.0]])
    low, high = np.array([-1.0, -1.0]), np.array([1.0, 1.0])
    less, more = (holding_share(rows, np.array([load, 0.0]), low, high)[0] for load in (2.9, 3.1))
    assert less < 1 < more
    force, rate = contact_forces(np.eye(2), np.array([-4.0, 0.0]), rows, low, high)
    assert force == pytest.approx([1.0, 1.0])
    assert rate == pytest.approx([-1.0, -2.0])


def test_forces_of_a_matrix_near_a_symmetric_one_fulfil_the_conditions_and_no_others_are_told():
    low, high, torque = -np.ones(2), np.ones(2), np.array([3.0, 0.5])
    forces, accelerations = contact_forces(np.array([[2.0, 0.1], [0.0, 1.0]]), torque, np.eye(2), low, high)
    assert forces == pytest.approx([-1.0, -0.5])  # the first moves against its limit, the second stands
    assert accelerations == pytest.approx([1.0, 0.0])
    # D^-1 of this one is positive definite too, but sweep by sweep the forces go round between their limits
    turning = np.linalg.inv([[1.0, 10.0], [-10.0, 1.0]])
    with pytest.raises(ArmError, match="too far from symmetric"):
        contact_forces(turning, np.linalg.solve([[1.0, 10.0], [-10.0, 1.0]], np.ones(2)), np.eye(2), low, high)


def test_free_directions_are_exact_where_joints_stand():
    basis = free_directions(np.array([[0.0, 100.0, 0.0], [0.0, 30.0, 60.0]]), 3)
    assert (basis == [[1.0], [0.0], [0.0]]).all()
    coupled = free_directions(np.array([[1.0, 2.0, 0.0]]), 3)
    assert np.array([1.0, 2.0, 0.0]) @ coupled == pytest.approx([0, 0])
