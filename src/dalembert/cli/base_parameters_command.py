"""``dalembert base-parameters``: the least set of inertial parameters that torques or energy depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.arm.errors import ArmError, printable

from .notes import note
from .system_options import system_command

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System


@system_command
def base_parameters(
    system: System,
    of: Annotated[str, typer.Option(help="torque or energy")] = "torque",
) -> None:
    """Print the base parameters and what each of them stands for."""
    from dalembert.equations.base_parameters import base_parameters as find
    from dalembert.equations.printing.letters import in_text

    if system.counts_drives:
        raise ArmError("base parameters are of the links; leave out --drives, --rotors and --drives-file")
    if system.loads:
        links = ", ".join(link for link, _ in system.loads)
        note(f"the parameters of {links} stand for the load it holds as well")
    base = find(system, of)
    print(f"{printable(system.name)}: {len(base)} base parameters for its {of}")
    for name, combination in base.relations.items():
        print(f"  {in_text(name)}: {combination}")
    print(f"no effect: {', '.join(in_text(name) for name in base.idle) or 'none'}")
