"""Inertia: moments move with the frame, bodies add, and what no body can be is told."""

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.arm.inertia import Inertia, Load, positive_semidefinite
from random_arms import random_inertia, random_placement

randoms = st.randoms(use_true_random=False)
bodies = randoms.map(random_inertia)
placements = randoms.map(random_placement)


def array(rows) -> np.ndarray:
    return np.array([[float(x) for x in row] for row in rows])


@given(bodies, placements)
def test_the_pseudo_inertia_moves_as_a_second_moment(body, placement):
    """J' = T J T^T (Tourassis and Neuman 1985, eq. A-12), T being the 4x4 transformation."""
    turn, shift = placement.exact
    transform = np.vstack([np.column_stack([array(turn), [float(p) for p in shift]]), [0, 0, 0, 1]])
    expected = transform @ array(body.pseudo) @ transform.T
    np.testing.assert_allclose(array(body.placed(placement).pseudo), expected, atol=1e-12)


@given(bodies, placements)
def test_moving_there_and_back_changes_nothing(body, placement):
    assert body.placed(placement).placed(placement.inverse()) == body


@given(bodies, bodies, placements)
def test_a_sum_of_bodies_moves_as_its_parts_do(a, b, placement):
    assert (a + b).placed(placement) == a.placed(placement) + b.placed(placement)


@given(bodies)
def test_the_three_ways_of_giving_an_inertia_are_one(body):
    about_com = Inertia.of(body.mass, body.com, body.central)
    about_frame = Inertia.of(body.mass, body.com, body.tensor, about="frame")
    squares = [[(x if i == j else -x) / body.mass for j, x in enumerate(row)] for i, row in enumerate(body.tensor)]
    by_gyration = Inertia.from_gyration(body.mass, body.com, squares)
    assert body == about_com == about_frame == by_gyration


@given(bodies)
def test_bodies_of_positive_mass_are_physical(body):
    assert body.violation() is None
    assert np.linalg.eigvalsh(array(body.pseudo))[0] >= -1e-12


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (Inertia.of(-1), "mass is negative"),
        (Inertia.of(1, inertia=(1, 1, 3)), "Ixx \\+ Iyy falls short of Izz by 1 "),
        (Inertia.of(1, inertia=(-1, 1, 1)), "Ixx is negative"),
        (Inertia.of(1, inertia={"xx": 1, "yy": 1, "zz": 1, "xy": 0.9}), "indefinite"),
        (Inertia(Fraction(0), (Fraction(1), Fraction(0), Fraction(0))), "first moment but no mass"),
    ],
)
def test_what_no_body_can_be_is_told(body, said):
    assert re.search(said, body.violation())


@given(st.integers(1, 4), st.integers(0, 2**32))
def test_semidefiniteness_is_decided_as_eigenvalues_say(rank, seed):
    rng = np.random.default_rng(seed)
    factor = rng.integers(-3, 4, size=(4, rank))
    gram = factor @ factor.T
    exact = tuple(tuple(Fraction(int(x)) for x in row) for row in gram)
    assert positive_semidefinite(exact)
    vector = rng.integers(-3, 4, size=4)
    worse = gram - 1000 * np.outer(vector, vector)
    expected = not vector.any()
    assert positive_semidefinite(tuple(tuple(Fraction(int(x)) for x in row) for row in worse)) == expected


def test_simple_solids_have_the_textbook_moments():
    box = Inertia.box(12, (1, 2, 3))
    assert [box.tensor[i][i] for i in range(3)] == [13, 10, 5]
    cylinder = Inertia.cylinder(12, 1, 2)
    assert [cylinder.tensor[i][i] for i in range(3)] == [7, 7, 6]
    ball = Inertia.sphere(5, 1)
    assert [ball.tensor[i][i] for i in range(3)] == [2, 2, 2]
    # A cylinder is the limit of thin boxes: its inertia lies between those of the boxes in and around it.
    around, within = Inertia.box(12, (2, 2, 2)), Inertia.box(12, (1, 1, 2))
    assert within.tensor[2][2] < cylinder.tensor[2][2] < around.tensor[2][2]


def test_a_load_may_be_a_solid_put_anywhere():
    load = Load.of(Inertia.box(2, (1, 1, 1)), com=(0, 0, 3))
    assert load.body.com == (0, 0, 3)
    assert load.body.tensor[0][0] == Fraction(1, 3) + 18


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Inertia.of(1, (0, 0)), "com must be three numbers"),
        (lambda: Inertia.of(float("nan")), "mass must be finite"),
        (lambda: Inertia.of(1, inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]), "not symmetric"),
        (lambda: Inertia.of(1, inertia={"xx": 1, "zy": 2}), "unknown entry 'zy'"),
        (lambda: Inertia.of(1, inertia=(1, 2)), "three moments"),
        (lambda: Inertia.of(1, inertia=(1, 1, 1), about="base"), "about"),
    ],
)
def test_a_wrong_inertia_is_refused_by_name(call, said):
    with pytest.raises(ArmError, match=said):
        call()


def test_loads_are_equal_where_their_bodies_are() -> None:
    floats = da.Load(mass=1.2, com=(0.1, 0.2, 0.3), inertia=[[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]])
    texts = da.Load(mass="1.2", com=("0.1", "0.2", "0.3"), inertia=("0.1", "0.1", "0.1"))
    assert floats == texts
    assert hash(floats) == hash(texts)
    assert floats != da.Load(mass=1.2, com=(0.1, 0.2, 0.3))
    arm = da.load("planar-2r").holding(floats)
    assert da.load(arm.write_toml()) == arm
