"""Translation against rotation over all states: shares of D, and the simplified models that follow from them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dalembert.equations.names import name

from .dynamics_command import about
from .printing import figures, heading, paragraph, say, table

if TYPE_CHECKING:
    from dalembert.design.analysis import Analysis
    from dalembert.design.shares import PartShare
    from dalembert.design.simplified import SimplifiedModel

SAID = {"both": "H kept", "none": "H dropped"}


def print_split_shares(ask: Analysis, least: float, as_json: bool) -> None:
    """``dalembert significance --split``."""
    shares = ask.part_shares()
    models = [ask.simplified(velocity=kept) for kept in SAID]
    if as_json:
        print(json.dumps(as_data(ask, shares, models), indent=2))
        return
    top = max((one.whole for one in shares), default=0.0)
    own = {name("D", (i, i)) for i in range(ask.n)}
    shown = [one for one in shares if one.name in own or one.whole >= least * top]
    heading(f"Translation and rotation in D: every D_ii, and what reaches {100 * least:g} percent of the largest")
    table(
        [
            ("", [one.name for one in shown]),
            ("RMS", figures(one.whole for one in shown)),
            ("translation", figures(one.translational for one in shown)),
            ("rotation", figures(one.rotational for one in shown)),
            ("unit", [one.unit for one in shown]),
            ("percent\ntranslation", figures(round(100 * one.share, 2) for one in shown)),
        ]
    )
    heading("Simplified models: D of translation or of rotation alone, joint by joint")
    both, none = models
    errors = list(zip(both.errors, none.errors, strict=True))
    table(
        [
            ("joint [unit]", [f"{one.joint} [{one.unit}]" for one, _ in errors]),
            ("counts", ["rotation" if one.joint in both.turning else "translation" for one, _ in errors]),
            ("RMS\ntorque", figures(one.torque_rms for one, _ in errors)),
            ("RMS error,\nH kept", figures(one.rms for one, _ in errors)),
            ("%", figures(round(100 * one.share, 1) for one, _ in errors)),
            ("RMS error,\nH dropped", figures(two.rms for _, two in errors)),
            ("%", figures(round(100 * two.share, 1) for _, two in errors)),
        ]
    )
    costs = ", ".join(f"{model.operations.total} with {SAID[model.velocity]}" for model in models)
    say()
    paragraph(
        f"Operations of the links, generated: {costs}; 'dalembert operations' has those of the exact torques. Errors "
        "are found at sampled states of all speeds and accelerations allowed (--speed, --acceleration), not proved; "
        f"'dalembert reduce' gives models with proof. {about(ask.system).capitalize()}."
    )


def as_data(ask: Analysis, shares: tuple[PartShare, ...], models: list[SimplifiedModel]) -> dict[str, object]:
    """The same in full."""
    return {
        "arm": ask.system.name,
        "drives": ask.system.drive_model,
        "shares": [
            {"name": one.name, "unit": one.unit, "rms": one.whole, "translational": one.translational,
             "rotational": one.rotational, "share": one.share}
            for one in shares
        ],
        "models": [
            {
                "turning": list(model.turning),
                "velocity": model.velocity,
                "operations": model.operations.total,
                "errors": [
                    {"joint": one.joint, "unit": one.unit, "rms": one.rms, "torque_rms": one.torque_rms,
                     "largest": one.largest, "torque_largest": one.torque_largest, "share": one.share}
                    for one in model.errors
                ],
            }
            for model in models
        ],
    }  # fmt: skip
