"""A browser driven over its debugging protocol: open, click, type, look, and list what it asked of the network."""

from __future__ import annotations

import base64
import itertools
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from websockets.sync.client import connect

from dalembert.report.html.browser import FLAGS

from .waiting import until

WEBGL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")
"""WebGL without a graphics card."""


class Chrome:
    """One tab of a headless browser; ``faults`` are script errors, ``asked`` the addresses it asked for."""

    def __init__(self, command: str, width: int = 1280, height: int = 800) -> None:
        self.profile = tempfile.TemporaryDirectory(prefix="dalembert-studio-", ignore_cleanup_errors=True)
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        flags = [flag for flag in FLAGS if flag != "--disable-gpu"]
        self.process = subprocess.Popen(
            [command, *flags, *WEBGL, *sandbox, f"--user-data-dir={self.profile.name}", "--remote-debugging-port=0",
             f"--window-size={width},{height}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        note = Path(self.profile.name, "DevToolsActivePort")
        end = time.monotonic() + 60
        while not (note.exists() and len(note.read_text().split()) == 2):
            assert time.monotonic() < end, "the browser did not start"
            time.sleep(0.05)
        port, path = note.read_text().split()
        self.numbers = itertools.count(1)
        self.faults: list[str] = []
        self.asked: list[str] = []
        self.socket = connect(f"ws://127.0.0.1:{port}{path}", max_size=None, ping_interval=None)
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()
        self.process.kill()
        self.process.wait()
        self.profile.cleanup()

    def _send(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        self.socket.send(json.dumps({**message, "sessionId": session} if session else message))
        while True:
            got = json.loads(self.socket.recv(timeout=60))
            if got.get("id") == number:
                assert "error" not in got, got["error"]
                return dict(got.get("result", {}))
            self._note(got)

    def _note(self, event: dict[str, Any]) -> None:
        """Keep what an event tells of errors and of the network."""
        said = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.faults.append(json.dumps(said["exceptionDetails"])[:500])
        elif event.get("method") == "Network.requestWillBeSent":
            self.asked.append(said["request"]["url"])
        elif event.get("method") == "Network.webSocketCreated":
            self.asked.append(said["url"])

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command to the tab."""
        return self._send(method, self.session, **parameters)

    def open(self, address: str) -> None:
        """Go to a page."""
        self.send("Page.navigate", url=address)

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript gives in the page."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        return found["result"].get("value")

    def until(self, true: Callable[[], Any], seconds: float = 60.0) -> bool:
        """Whether something comes true in time."""
        return until(true, seconds, 0.1)

    def place(self, script: str) -> tuple[float, float] | None:
        """The middle of the element that an expression gives."""
        found = self.value(
            f"(() => {{ const e = {script}; if (!e) return null; e.scrollIntoView({{block: 'center'}});"
            " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        return None if found is None else (found[0], found[1])

    def mouse(self, kind: str, x: float, y: float) -> None:
        """A move, press or release of the mouse."""
        button = {"button": "left", "buttons": 1, "clickCount": 1} if kind != "mouseMoved" else {"buttons": 1}
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)

    def click(self, script: str) -> None:
        """Click the element that an expression gives."""
        place = self.place(script)
        assert place is not None, script
        self.mouse("mousePressed", *place)
        self.mouse("mouseReleased", *place)

    def drag(self, script: str, dx: float, dy: float = 0.0) -> None:
        """Drag the element that an expression gives."""
        place = self.place(script)
        assert place is not None, script
        x, y = place
        self.mouse("mousePressed", x, y)
        for part in (0.25, 0.5, 0.75, 1.0):
            self.mouse("mouseMoved", x + part * dx, y + part * dy)
        self.mouse("mouseReleased", x + dx, y + dy)

    def picture(self, path: Path) -> None:
        """Save what is seen as PNG."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))
