"""A question of arms that a mechanism does not answer is refused with what to ask instead."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery
from dalembert.mechanisms.arm_words import INSTEAD


@pytest.mark.parametrize("word", sorted(INSTEAD))
def test_words_of_arms_are_refused_with_a_remedy(word: str) -> None:
    assert hasattr(da.Arm, word)
    bar = gallery.five_bar()
    for thing in (bar, bar.as_system()):
        assert not hasattr(thing, word)
        with pytest.raises(AttributeError, match=f"a mechanism has no {word}: .+"):
            getattr(thing, word)
    with pytest.raises(AttributeError, match=r"a mechanism has no colour$"):
        bar.colour  # noqa: B018


def test_the_system_of_a_mechanism_says_who_has_the_word() -> None:
    system = gallery.five_bar().as_system()
    with pytest.raises(AttributeError, match=r"no simulate: da\.simulate\(system, \.\.\.\)"):
        system.simulate  # noqa: B018
    assert da.simulate(system, [0, 0], system.mechanism.coordinates_of(system.near), duration=0.01).t[-1] == 0.01
    with pytest.raises(AttributeError, match=r"no mobility: ask its mechanism, system\.mechanism\.mobility"):
        system.mobility  # noqa: B018
    with pytest.raises(da.ArmError, match=r"phi must end in 4 entries.*mechanism\.position\(q\) gives all joints"):
        system.mechanism.inverse_dynamics([1.9, 1.2], [0, 0], [0, 0])


def test_what_is_named_instead_answers() -> None:
    bar = gallery.five_bar()
    phi = bar.home
    chain = next(iter(bar.chains.arms))
    here = bar.frame(phi, chain)[:2, 3]
    hand = bar.with_coordinates([f"x({chain})", f"y({chain})"])
    assert np.abs(hand.frame(hand.position(here + 0.01), chain)[:2, 3] - here - 0.01).max() < 1e-9
    rate = bar.frame_influence(phi, chain).first
    assert rate.shape[-1] == bar.n
    assert hand.mass_matrix(phi).shape == (2, 2)


def test_copies_and_pickles_do_not_meet_it() -> None:
    system = gallery.five_bar().as_system()
    assert copy.copy(system).n == pickle.loads(pickle.dumps(gallery.five_bar())).n == 2
