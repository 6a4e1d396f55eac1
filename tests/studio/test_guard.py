"""Who may talk to the studio: nobody without its token, no page of another site, under no other name."""

from __future__ import annotations

from http import HTTPStatus

import pytest

from dalembert.arm.errors import ArmError
from dalembert.studio.guard import Guard
from dalembert.studio.studio_server import refuse_unserved

TOKEN = "s3cret-token"
HOME = {"Host": "127.0.0.1:8080"}
COOKIE = {"Cookie": f"{Guard(TOKEN, '').cookie}={TOKEN}"}
SOCKET = {"Upgrade": "websocket", "Origin": "http://127.0.0.1:8080"}


def status(path: str, headers: dict[str, str], host: str = "127.0.0.1") -> int:
    """200 stands for: let through."""
    answer = Guard(TOKEN, host).verdict(path, headers)
    return HTTPStatus.OK if answer is None else answer[0]


def test_the_address_with_the_token_gives_a_cookie_that_scripts_and_other_sites_never_see() -> None:
    answer = Guard(TOKEN, "127.0.0.1").verdict(f"/?token={TOKEN}", HOME)
    assert answer is not None
    assert answer[0] == HTTPStatus.FOUND
    assert answer[1]["Location"] == "/"
    assert all(word in answer[1]["Set-Cookie"] for word in (TOKEN, "HttpOnly", "SameSite=Strict"))


@pytest.mark.parametrize(
    "headers",
    [
        {**HOME},
        {**HOME, "Cookie": "dalembert_studio="},
        {**HOME, "Cookie": "dalembert_studio=wrong"},
        {**HOME, "Cookie": f"other={TOKEN}"},
        {**HOME, "Cookie": "\x00=;;=,"},
        {"Host": "evil.example:8080", **COOKIE},
        {**COOKIE},
        {**HOME, **COOKIE, **SOCKET, "Origin": "http://evil.example"},
        {**HOME, **COOKIE, "Upgrade": "websocket"},
        {**HOME, **SOCKET},
    ],
)
def test_who_does_not_bring_all_of_it_is_refused(headers: dict[str, str]) -> None:
    assert status("/", headers) == HTTPStatus.FORBIDDEN
    assert status("/?token=guess", headers) == HTTPStatus.FORBIDDEN


def test_who_brings_it_is_let_through() -> None:
    assert status("/", {**HOME, **COOKIE}) == HTTPStatus.OK
    assert status("/", {**HOME, **COOKIE, **SOCKET}) == HTTPStatus.OK
    assert status("/", {"Host": "localhost:8080", **COOKIE}) == HTTPStatus.OK


def test_a_studio_open_to_other_machines_is_asked_under_any_name_and_still_wants_the_token() -> None:
    assert status("/", {"Host": "lab.example", **COOKIE}, host="0.0.0.0") == HTTPStatus.OK
    assert status("/", {"Host": "lab.example"}, host="0.0.0.0") == HTTPStatus.FORBIDDEN


def test_two_studios_have_two_cookies() -> None:
    """Browsers keep cookies by host and not by port: the second studio must not lock out the first."""
    assert Guard("one", "127.0.0.1").cookie != Guard("two", "127.0.0.1").cookie


@pytest.mark.parametrize(
    ("host", "port"), [("192.0.2.1", 8080), ("nohost.invalid", 8080), ("127.0.0.1", -1), ("127.0.0.1", 70000)]
)
def test_where_nothing_can_be_served_is_refused_at_once(host: str, port: int) -> None:
    with pytest.raises(ArmError, match=r"cannot serve at|port must be"):
        refuse_unserved(host, port)
