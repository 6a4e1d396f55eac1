"""Translation against rotation over all states: shares of D, and the simplified models that follow from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.arm.system_phrase import system_phrase
from dalembert.equations.names import name

from .counted_states import print_states
from .printing import figures, heading, json_text, paragraph, say, table

if TYPE_CHECKING:
    from dalembert.design.analysis import Analysis
    from dalembert.design.shares import PartShare
    from dalembert.design.simplified import SimplifiedModel

SAID = {"both": "H kept", "none": "H dropped"}


def print_split_shares(ask: Analysis, least: float, as_json: bool) -> None:
    """``dalembert significance --split``."""
    shares = ask.part_shares()
    models = [ask.simplified(velocity=velocity) for velocity in SAID]
    if as_json:
        print(json_text(as_data(ask, shares, models)))
        return
    top = max((row.whole for row in shares), default=0.0)
    diagonal = {name("D", (i, i)) for i in range(ask.n)}
    listed = [row for row in shares if row.name in diagonal or row.whole >= least * top]
    heading(f"Translation and rotation in D: every D_ii, and what reaches {100 * least:g} percent of the largest")
    table(
        [
            ("", [row.name for row in listed]),
            ("RMS", figures(row.whole for row in listed)),
            ("translation", figures(row.translational for row in listed)),
            ("rotation", figures(row.rotational for row in listed)),
            ("unit", [row.unit for row in listed]),
            ("percent\ntranslation", figures(round(100 * row.share, 2) for row in listed)),
        ]
    )
    heading("Simplified models: D of translation or of rotation alone, joint by joint")
    with_velocity, without_velocity = models
    errors = list(zip(with_velocity.errors, without_velocity.errors, strict=True))
    table(
        [
            ("joint [unit]", [f"{row.joint} [{row.unit}]" for row, _ in errors]),
            ("counts", ["rotation" if row.joint in with_velocity.turning else "translation" for row, _ in errors]),
            ("RMS\ntorque", figures(row.torque_rms for row, _ in errors)),
            ("RMS error,\nH kept", figures(row.rms for row, _ in errors)),
            ("%", figures(round(100 * row.share, 1) for row, _ in errors)),
            ("RMS error,\nH dropped", figures(dropped.rms for _, dropped in errors)),
            ("%", figures(round(100 * dropped.share, 1) for _, dropped in errors)),
        ]
    )
    print_states(ask)
    costs = ", ".join(f"{model.operations.total} with {SAID[model.velocity]}" for model in models)
    system = system_phrase(ask.system)
    say()
    paragraph(
        f"Operations of the links, generated: {costs}; 'dalembert operations' has those of the exact torques. Errors "
        "are found at sampled states of all speeds and accelerations allowed (--speed, --acceleration), not proved; "
        f"'dalembert reduce' gives models with proof. {system[:1].upper()}{system[1:]}."
    )


def as_data(ask: Analysis, shares: tuple[PartShare, ...], models: list[SimplifiedModel]) -> dict[str, object]:
    """The same in full."""
    return {
        "arm": ask.system.name,
        "drives": ask.system.drive_model,
        "shares": [
            {"name": row.name, "unit": row.unit, "rms": row.whole, "translational": row.translational,
             "rotational": row.rotational, "share": row.share}
            for row in shares
        ],
        "models": [
            {
                "turning": list(model.turning),
                "velocity": model.velocity,
                "operations": model.operations.total,
                "errors": [
                    {"joint": row.joint, "unit": row.unit, "rms": row.rms, "torque_rms": row.torque_rms,
                     "largest": row.largest, "torque_largest": row.torque_largest, "share": row.share}
                    for row in model.errors
                ],
            }
            for model in models
        ],
    }  # fmt: skip
