"""``dalembert studio``: a system in the browser, served from this machine."""

from __future__ import annotations

import webbrowser
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.arm.errors import ArmError

from .printing import say
from .system_options import code_command

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.mechanisms.mechanism import Mechanism


@code_command
def studio(
    system: System | Mechanism,
    port: Annotated[int, typer.Option(help="Port to serve on; the next free one where it is taken.")] = 8080,
    host: Annotated[
        str, typer.Option(help="Address to serve on; another one than this opens the studio to other machines.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
) -> None:
    """Open an arm or a mechanism in the browser: move it, change it, simulate it, take it away. Ctrl-C ends it."""
    from dalembert.mechanisms.mechanism import Mechanism
    from dalembert.studio.mechanism_studio import MechanismStudio
    from dalembert.studio.studio import Studio

    if not 0 <= port <= 65535:
        raise ArmError(f"--port takes a number from 0 to 65535, not {port}")
    opened: Studio | MechanismStudio = (
        MechanismStudio(system, host=host, port=port)
        if isinstance(system, Mechanism)
        else Studio(system, host=host, port=port)
    )
    say(f"the studio of {system.name} is at {opened.address}")
    say("Ctrl-C ends it")
    try:
        if browser:
            webbrowser.open(opened.address)
        opened.wait()
    except KeyboardInterrupt:
        say("the studio is closed")
    finally:
        opened.close()
