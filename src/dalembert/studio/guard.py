"""The door of the studio: a token, asked of every request before anything is served.

viser has no notion of who asks. Its server is started with a check in front: the address with the token gives the
browser a cookie, and without that cookie, from another site (``Origin``) or under another name (``Host``, as in DNS
rebinding), nothing is answered, neither files nor the socket. Whether the check holds is tried once before the studio
opens; where it does not, nothing is served.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from importlib import import_module
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ..arm.errors import ArmError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_STARTING = threading.Lock()


class Guard:
    """Says of a request what to answer in place of the server: a refusal, a cookie, or None to let it through."""

    def __init__(self, token: str, host: str) -> None:
        self.token, self.host = token, host
        # Browsers keep cookies by host and not by port: each studio has one of its own name.
        self.cookie = f"dalembert_studio_{hashlib.sha256(token.encode()).hexdigest()[:16]}"

    def names(self) -> tuple[str, ...]:
        """Names of this machine under which it may be asked: any, where it is open to other machines."""
        return LOOPBACK if self.host in LOOPBACK else ()

    def verdict(self, path: str, headers: Any) -> tuple[HTTPStatus, dict[str, str], bytes] | None:
        """Status, headers and text that answer a request in place of the server; None lets it through."""
        host = headers.get("Host", "")
        if self.names() and urlsplit(f"//{host}").hostname not in self.names():
            return _refused("this address is not that of the studio")
        token = parse_qs(urlsplit(path).query).get("token", [""])[0]
        upgrade = headers.get("Upgrade", "").lower() == "websocket"
        if token and not upgrade and hmac.compare_digest(token.encode(), self.token.encode()):
            cookie = f"{self.cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/"
            return HTTPStatus.FOUND, {"Location": "/", "Set-Cookie": cookie, "Content-Length": "0"}, b""
        if not hmac.compare_digest(self._cookie_token(headers).encode(), self.token.encode()):
            return _refused("open the studio by the whole address that its command printed, token included")
        if upgrade and urlsplit(headers.get("Origin", "")).netloc != host:
            return _refused("a page of another site may not talk to the studio")
        return None

    def _cookie_token(self, headers: Any) -> str:
        try:
            cookie = SimpleCookie(headers.get("Cookie", "")).get(self.cookie)
        except CookieError:
            return ""
        return cookie.value if cookie is not None else ""

    def process(self, inner: Callable[..., Any]) -> Callable[..., Any]:
        """``process_request`` of a server of websockets, with this check before it."""

        def checked(connection: Any, request: Any) -> Any:
            from websockets.datastructures import Headers
            from websockets.http11 import Response

            refusal = self.verdict(request.path, request.headers)
            if refusal is None:
                return inner(connection, request)
            status, headers, body = refusal
            return Response(int(status), status.phrase, Headers(headers), body)

        return checked


def _refused(why: str) -> tuple[HTTPStatus, dict[str, str], bytes]:
    body = f"dalembert studio: {why}.\n".encode()
    return HTTPStatus.FORBIDDEN, {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body))}, body


@contextmanager
def guarded(guard: Guard) -> Iterator[None]:
    """While this is open, servers of websockets start with the guard before them."""
    module: Any = import_module("websockets.asyncio.server")
    plain = module.serve

    def serve(handler: Any, *arguments: Any, process_request: Any = None, **options: Any) -> Any:
        return plain(handler, *arguments, process_request=guard.process(process_request), **options)

    with _STARTING:
        module.serve = serve
        try:
            yield
        finally:
            module.serve = plain


def check_refusal(host: str, port: int) -> None:
    """Refuses a server that answers who brings no token."""
    address = "127.0.0.1" if host in ("0.0.0.0", "") else host
    connection = http.client.HTTPConnection(address, port, timeout=10)
    try:
        connection.request("GET", "/", headers={"Connection": "close"})
        status = connection.getresponse().status
    finally:
        connection.close()
    if status != HTTPStatus.FORBIDDEN:
        raise ArmError(
            f"the studio does not open: its server answers without a token (status {status}); this version of viser is "
            "not one it knows, install the one that 'pip install dalembert[studio]' asks for"
        )
