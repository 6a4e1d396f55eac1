"""The command as a process: ``dalembert``, or ``python -m dalembert`` where its script is not on the path.

What it imports takes a while and may be interrupted, too. A process that is ended from outside (SIGTERM, SIGHUP) ends
as one that is interrupted: what it started ends with it, and of what it was writing nothing is left.
"""

import atexit
import os
import signal
import sys
from types import FrameType


def main() -> int:
    """Run the command with the arguments of the process; the exit code."""
    ended: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        ended.append(number)
        raise KeyboardInterrupt

    def die_of_it() -> None:
        for number in ended[:1]:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    atexit.register(die_of_it)  # who was registered first comes last
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # nohup has it ignored
            signal.signal(number, end)
    try:
        from .cli import main as command

        code = command()
    except KeyboardInterrupt:
        print("dalembert: interrupted", file=sys.stderr)
        code = 130
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is said and done
    return code


if __name__ == "__main__":
    sys.exit(main())
