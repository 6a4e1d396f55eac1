"""What serves a studio: viser behind the guard, a thread that brings the picture up to date, and the end of both."""

from __future__ import annotations

import contextlib
import errno
import io
import logging
import secrets
import socket
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from .guard import Guard, check_refusal, guarded

Array = NDArray[np.float64]
TOKEN_BYTES = 16
ASIDE = 0.2
"""How far to the right of the middle one looks at first, as a share of the distance."""


def need_viser() -> Any:
    """The library that draws, or a sentence that says how to get it."""
    try:
        import viser
    except ImportError:
        raise ArmError("the studio draws with viser, which is not here: pip install 'dalembert[studio]'") from None
    return viser


def _no_handshake(record: logging.LogRecord) -> bool:
    """Browsers open connections ahead of time and close them unused; that is nothing to tell."""
    return "opening handshake failed" not in record.getMessage()


def refuse_unserved(host: str, port: int) -> None:
    """Refuse an address where this machine cannot serve; viser would wait there for ever."""
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
        raise ArmError(f"port must be a whole number from 0 to 65535, not {port!r:.60}")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.bind(address)
    except OSError as fault:
        if fault.errno == errno.EADDRINUSE:
            return  # the next free port is taken
        raise ArmError(
            f"the studio cannot serve at {host!r:.80}, port {port}: {fault.strerror or fault}; leave the host out for "
            "this machine alone, and take a port from 1024 on"
        ) from None
    except UnicodeError:
        raise ArmError(f"the studio cannot serve at {host!r:.80}: that is no name of a machine") from None


class StudioServer:
    """A server of viser that opens only with its token; ``address`` is where."""

    def __init__(self, name: str, host: str, port: int, token: str | None) -> None:
        viser = need_viser()
        refuse_unserved(host, port)
        self.token = token or secrets.token_urlsafe(TOKEN_BYTES)
        # viser prints an address of its own, which opens nothing without the token.
        self.guard = Guard(self.token, host)
        with guarded(self.guard), contextlib.redirect_stdout(io.StringIO()):
            self.viser = viser.ViserServer(host=host, port=port, label=f"dalembert: {name}", verbose=False)
        self.host, self.port = host, int(self.viser.get_port())
        try:
            check_refusal(host, self.port)
        except BaseException:
            self.viser.stop()
            raise
        logging.getLogger("websockets.server").addFilter(_no_handshake)
        # No button that shares the view: it would send it to a server elsewhere.
        self.viser.gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
        self.viser.scene.set_up_direction("+z")

    @property
    def address(self) -> str:
        """The address that opens the studio in a browser."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/?token={self.token}"

    def look_from(self, target: Array, offset: Array) -> None:
        """First look at a point from ``offset`` off it, a little to its right: the panel covers that side."""
        aside = ASIDE * float(np.linalg.norm(offset)) * np.cross([0.0, 0.0, 1.0], offset / np.linalg.norm(offset))
        self.viser.initial_camera.position = target + offset + aside
        self.viser.initial_camera.look_at = target + aside

    def stop(self) -> None:
        """Stop serving."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.viser.stop()


class Refresher:
    """Callbacks come from many threads. They change what is wanted, under one ``lock``, and wake one thread that brings
    the picture there: however fast a slider moves, the latest is shown, and nothing piles up.

    ``bring(stale)`` does the work; what it refuses is told by ``say``.
    """

    def __init__(self, bring: Callable[[set[str]], None], say: Callable[[str], None], *first: str) -> None:
        self.bring, self.say = bring, say
        self.lock = threading.Condition()
        self.stale = set(first)
        self._closed = self._busy = False
        self._thread = threading.Thread(target=self._run, name="studio scene", daemon=True)

    def start(self) -> None:
        """Begin, once all that is brought up to date is there."""
        self._thread.start()

    def want(self, *parts: str) -> None:
        """Have these brought up to date."""
        with self.lock:
            self.stale.update(parts)
            self.lock.notify_all()

    def settle(self, seconds: float = 5.0) -> bool:
        """Wait until the picture is where it is wanted; False where it is not within this time (s)."""
        with self.lock:
            return self.lock.wait_for(lambda: self._closed or not (self.stale or self._busy), seconds)

    def _run(self) -> None:
        while True:
            with self.lock:
                self._busy = False
                self.lock.notify_all()
                self.lock.wait_for(lambda: bool(self.stale) or self._closed)
                if self._closed:
                    return
                stale, self.stale = self.stale, set()
                self._busy = True
            try:
                self.bring(stale)
            except ArmError as fault:
                self.say(str(fault))
            except Exception as fault:  # told, with its traceback for who runs the studio; the picture lives on
                logging.getLogger(__name__).exception("the picture could not be brought up to date")
                self.say(f"this could not be shown ({type(fault).__name__}: {fault}); move on, or open the studio anew")

    def close(self) -> None:
        """End the thread."""
        with self.lock:
            self._closed = True
            self.lock.notify_all()
        self._thread.join(timeout=5)
