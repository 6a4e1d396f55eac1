"""Whatever comes in, an answer or one sentence comes out, quickly: every door, by hostile inputs.

A short search, the same each time; ``scripts/fuzz.py`` searches for long. What it once let through is in
``tests/data/fuzz`` and is tried again here.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from fuzz_mutate import mutated
from fuzz_targets import TARGETS, Target, outcome

CORPUS = Path(__file__).parent / "data" / "fuzz"
COUNT = 60
LIMIT = 2.0
"""Seconds of processor time that no input may take."""


def timed(target: Target, text: str) -> None:
    began = time.process_time()
    outcome(target, text)
    taken = time.process_time() - began
    assert taken < LIMIT, f"{taken:.1f} s for {text[:200]!r}"


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_good_inputs_are_accepted(target: Target) -> None:
    for text in target.seeds():
        said = outcome(target, text)
        assert said == "accepted", f"{text[:80]!r}: {said}"


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_hostile_inputs_are_answered_or_refused_in_one_sentence(target: Target) -> None:
    rng = random.Random(target.name)
    seeds = target.seeds()
    # The first one pays for what is imported and worked out once.
    outcome(target, seeds[0])
    for _ in range(COUNT):
        timed(target, mutated(rng.choice(seeds), seeds, rng))


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_what_once_got_through_does_not_any_more(target: Target) -> None:
    outcome(target, target.seeds()[0])
    for path in sorted((CORPUS / target.name.replace(" ", "-")).glob("*")):
        timed(target, path.read_bytes().decode("utf-8", "surrogatepass"))
