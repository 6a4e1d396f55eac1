"""``dalembert base-parameters``: the least set of inertial parameters that torques or energy depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .system_options import system_command

if TYPE_CHECKING:
    from dalembert.api.system import SystemQuestions as System


@system_command
def base_parameters(
    system: System,
    of: Annotated[str, typer.Option(help="torque or energy")] = "torque",
) -> None:
    """Print the base parameters and what each of them stands for."""
    from dalembert.equations.base_parameters import base_parameters as find
    from dalembert.equations.printing.letters import in_text

    found = find(system, of)
    print(f"{system.name}: {len(found)} base parameters for its {of}")
    for name, combination in found.relations.items():
        print(f"  {in_text(name)}: {combination}")
    print(f"no effect: {', '.join(in_text(name) for name in found.idle) or 'none'}")
