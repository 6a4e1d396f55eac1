"""Words of arms that a mechanism has not, and what to ask instead."""

from __future__ import annotations

from typing import NoReturn

FRAME = "mechanism.frame(phi, frame) is where a frame of a chain stands, and phi = mechanism.position(q)"
RATES = "mechanism.frame_influence(phi, frame) has the velocity of a frame per speed of the coordinates"
INSTEAD = {
    "forward_kinematics": FRAME,
    "jacobian": RATES,
    "jacobian_rate": RATES,
    "manipulability": RATES,
    "operational_inertia": 'with_coordinates(["x(frame)", ...]).mass_matrix is the inertia that a frame feels',
    "inverse_kinematics": 'with_coordinates(["x(frame)", ...]).position(values) finds joints for a place of a frame',
    "regressor": "ask the chains, mechanism.chains.arms, at their joints",
    "picture": "da.write_mechanism_picture(mechanism, path) draws it",
    "report": "da.write_mechanism_page(mechanism, path) is its page",
    "analysis": "ranges, coupling and shorter models are of arms; mechanism.equations() and sensitivity(...) are there",
}
"""What a mechanism has in place of a method of arms."""


def refuse_word(word: str, mechanism: object = None) -> NoReturn:
    """Say what to ask in place of ``word``; an ``AttributeError``, as for any name that is not there.

    ``mechanism`` is the one whose system is asked, which may have the word itself.
    """
    if mechanism is not None and not word.startswith("_") and word in dir(mechanism):
        asked = (
            "da.simulate(system, ...) does it" if word == "simulate" else f"ask its mechanism, system.mechanism.{word}"
        )
        raise AttributeError(f"the system of a mechanism has no {word}: {asked}")
    raise AttributeError(f"a mechanism has no {word}{f': {INSTEAD[word]}' if word in INSTEAD else ''}")
