"""Tests of client admission for all HTTP methods and WebSockets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from acp_bindings.remote import Visitor, remote_app

from tests.package.remote.agents import Echo
from tests.package.remote.asgi import CONNECTION, INITIALIZE, SESSION, Client, closing, prompt

PAGE = "https://page.example"
PUBLIC: dict[str, Any] = {"client": ("203.0.113.9", 5000), "server": ("198.51.100.1", 443)}
PUBLIC_HOST = {"host": "agent.example"}
BEARER = {"authorization": "Bearer secret"}


async def admit_ann(visitor: Visitor) -> str | None:
    return "Ann" if visitor.headers.get("x-user") == "ann" else None


# The reasons of refusals.
LOCAL = "only clients on the server's machine are served; give the server a token"
ORIGIN = "the origin is not allowed; list it in the server's `origins`"
TOKEN = "the token is missing or wrong"
USER = "the user is not admitted; sign in as another user"
# Application arguments, a request's scope and headers, and the reason if the request is refused.
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, str], str | None]] = {
    "local": ({}, {}, {}, None),
    "localhost": ({}, {}, {"host": "LOCALHOST:8080"}, None),
    "a Host without a port": ({}, {}, {"host": "127.0.0.1"}, None),
    "IPv6": (
        {},
        {"client": ("::1", 1), "server": ("::1", 2)},
        {"host": "[::1]:8080"},
        None,
    ),
    "IPv4 in IPv6": (
        {},
        {"client": ("::ffff:127.0.0.1", 1), "server": ("::ffff:127.0.0.1", 2)},
        {},
        None,
    ),
    "another peer": ({}, {"client": ("192.168.1.5", 1)}, {}, LOCAL),
    "no peer": ({}, {"client": None}, {}, LOCAL),
    "another address of the server": ({}, {"server": ("192.168.1.2", 80)}, {}, LOCAL),
    "a Unix socket": ({}, {"server": ("/run/agent.sock", None), "client": ("", 0)}, {}, LOCAL),
    "a name of someone else": ({}, {}, {"host": "rebound.example:8080"}, LOCAL),
    "a name that begins as ours": ({}, {}, {"host": "localhost.example"}, LOCAL),
    "an address within a name": ({}, {}, {"host": "127.0.0.1.example"}, LOCAL),
    "two names": ({}, {}, {"host": "127.0.0.1:80, rebound.example"}, LOCAL),
    "no Host": ({}, {}, {"host": ""}, LOCAL),
    "user information": ({}, {}, {"host": "127.0.0.1@rebound.example"}, LOCAL),
    "Forwarded": ({}, {}, {"forwarded": "for=203.0.113.9"}, LOCAL),
    "X-Forwarded-For": ({}, {}, {"x-forwarded-for": "127.0.0.1"}, LOCAL),
    "X-Forwarded-Host": ({}, {}, {"X-Forwarded-Host": "127.0.0.1"}, LOCAL),
    "X-Real-IP": ({}, {}, {"x-real-ip": "127.0.0.1"}, LOCAL),
    "Via": ({}, {}, {"via": "1.1 proxy"}, LOCAL),
    "any page": ({}, {}, {"origin": PAGE}, ORIGIN),
    "a page of this machine": ({}, {}, {"origin": "http://127.0.0.1:8080"}, ORIGIN),
    "a file": ({}, {}, {"origin": "null"}, ORIGIN),
    "an allowed page": ({"origins": [PAGE]}, {}, {"origin": PAGE}, None),
    "an allowed page in capitals": (
        {"origins": [PAGE]},
        {},
        {"origin": "https://PAGE.example"},
        None,
    ),
    "a page with a similar origin": ({"origins": [PAGE]}, {}, {"origin": PAGE + ".evil"}, ORIGIN),
    "a page with another port": ({"origins": [PAGE]}, {}, {"origin": PAGE + ":8443"}, ORIGIN),
    "an allowed page elsewhere": ({"origins": [PAGE]}, PUBLIC, {"origin": PAGE}, LOCAL),
    "a token": ({"token": "secret"}, PUBLIC, {**PUBLIC_HOST, **BEARER}, None),
    "a token of a proxy": ({"token": "secret"}, {}, {**BEARER, "x-forwarded-for": "1.2.3.4"}, None),
    "the scheme in lower case": ({"token": "secret"}, {}, {"authorization": "bearer secret"}, None),
    "no token": ({"token": "secret"}, {}, {}, TOKEN),
    "a wrong token": ({"token": "secret"}, {}, {"authorization": "Bearer secre"}, TOKEN),
    "a token that is not ASCII": (
        {"token": "secret"},
        {},
        {"authorization": "Bearer sécret"},
        TOKEN,
    ),
    "another scheme": ({"token": "secret"}, {}, {"authorization": "Basic secret"}, TOKEN),
    "a token of any page": ({"token": "secret"}, {}, {**BEARER, "origin": PAGE}, ORIGIN),
    "a token of an allowed page": (
        {"token": "secret", "origins": [PAGE]},
        PUBLIC,
        {**BEARER, "origin": PAGE},
        None,
    ),
    "all pages with a token": (
        {"token": "secret", "origins": ["*"]},
        PUBLIC,
        {**BEARER, "origin": PAGE},
        None,
    ),
    "admitted": ({"admit": admit_ann}, PUBLIC, {**PUBLIC_HOST, "x-user": "ann"}, None),
    "not admitted": ({"admit": admit_ann}, PUBLIC, {**PUBLIC_HOST, "x-user": "bob"}, USER),
    "not admitted on this machine": ({"admit": admit_ann}, {}, {}, USER),
    "admitted with a token": (
        {"admit": admit_ann, "token": "secret"},
        PUBLIC,
        {**BEARER, "x-user": "ann"},
        None,
    ),
    "admitted without the token": (
        {"admit": admit_ann, "token": "secret"},
        PUBLIC,
        {"x-user": "ann"},
        TOKEN,
    ),
}


@pytest.mark.parametrize("name", CASES)
async def test_a_request_is_trusted_or_not(name: str) -> None:
    arguments, scope, headers, reason = CASES[name]
    status = 200 if reason is None else 401 if reason == TOKEN else 403
    raw = {key: value.encode("utf-8").decode("latin-1") for key, value in headers.items()}
    async with closing(remote_app(Echo, **arguments)) as app:
        client = Client(app, **scope)
        response = await client.post(INITIALIZE, raw)
        assert response.status == status
        assert reason is None or response.reason == reason
        assert response.headers.get("www-authenticate") == ("Bearer" if status == 401 else None)
        refused = status if status != 200 else 404
        for method in ("GET", "DELETE", "POST"):  # admission is checked first for all methods
            given = {**raw, CONNECTION: "unknown", "accept": "text/event-stream"}
            assert (await client.send(method, headers=given)).status == refused
        socket = client.socket(headers=raw)
        event = await socket.next()
        if status == 200:
            assert event["type"] == "websocket.accept"
            await socket.leave()
        else:
            assert event["status"] == status
            assert json.loads((await socket.next())["body"])["error"]["message"] == reason
            await socket.task


async def test_a_websocket_is_refused_without_the_extension_of_asgi() -> None:
    async with closing(remote_app(Echo)) as app:
        socket = Client(app).socket(headers={"origin": PAGE}, extensions={})
        assert await socket.next() == {"type": "websocket.close"}
        await socket.task


# The subprotocols that a page offers, and the selected subprotocol, or None if all are rejected.
OFFERS: list[tuple[list[str], str | None]] = [
    (["acp", "acp.bearer.secret"], "acp"),
    (["acp.bearer.secret"], "acp.bearer.secret"),
    (["acp.bearer.secret", "other"], "acp.bearer.secret"),
    (["acp.bearer.wrong", "acp"], None),
    (["acp"], None),
    ([], None),
]


@pytest.mark.parametrize(("offered", "selected"), OFFERS)
async def test_a_page_offers_the_token_as_a_subprotocol(
    offered: list[str], selected: str | None
) -> None:
    async with closing(remote_app(Echo, token="secret", origins=[PAGE])) as app:
        socket = Client(app).socket(headers={"origin": PAGE}, subprotocols=offered)
        event = await socket.next()
        if selected is None:
            assert event["status"] == 401
            await socket.next()
            await socket.task
        else:
            assert event["subprotocol"] == selected
            await socket.leave()


@pytest.mark.parametrize(("offered", "selected"), [([], None), (["x"], None), (["acp"], "acp")])
async def test_a_subprotocol_is_selected_only_if_offered(
    offered: list[str], selected: str | None
) -> None:
    async with closing(remote_app(Echo)) as app:
        socket = Client(app).socket(subprotocols=offered)
        assert (await socket.next())["subprotocol"] == selected
        await socket.leave()


async def test_the_agent_sees_the_user() -> None:
    users: Mapping[str, Any] = {"ann": {"name": "Ann"}, "bob": {"name": "Bob"}}

    def admit(visitor: Visitor) -> Any:
        assert visitor.client == "127.0.0.1"
        assert visitor.server == "127.0.0.1"
        assert visitor.query == "a=b"
        return users.get(visitor.token or "")

    async with closing(remote_app(Echo, admit=admit)) as app:
        ann = Client(app, headers={"authorization": "Bearer ann"}, query_string=b"a=b")
        await ann.initialize()
        listener = await ann.listen()
        session_id = await ann.open(listener)
        own = await ann.listen(session_id)
        await ann.post(prompt(2, session_id, "*user"))
        texts: list[str] = []
        while len(texts) < 2:
            event = await own.event()
            content = event.get("params", {}).get("update", {}).get("content")
            texts += [content["text"]] if isinstance(content, dict) else []
            texts += [part["text"] for part in content] if isinstance(content, list) else []
        assert texts == ["*user", repr(users["ann"])]
        # Other users can't use the connection's id.
        bob = Client(app, headers={"authorization": "Bearer bob"}, query_string=b"a=b")
        bob.id = ann.id
        assert (await bob.post(prompt(3, session_id, "Hi"))).status == 404
        assert (await bob.send("DELETE")).status == 404
        assert (await ann.send("DELETE")).status == 202


async def test_a_browser_asks_first() -> None:
    async with closing(remote_app(Echo, token="secret", origins=[PAGE + "/"])) as app:
        client = Client(app)
        asks = {"access-control-request-method": "POST"}
        answer = await client.send("OPTIONS", headers={"origin": PAGE, **asks})
        assert (answer.status, answer.body) == (204, b"")
        assert answer.headers["access-control-allow-origin"] == PAGE
        assert answer.headers["access-control-allow-credentials"] == "true"
        assert answer.headers["access-control-allow-methods"] == "GET, POST, DELETE"
        allowed = answer.headers["access-control-allow-headers"].split(", ")
        assert {"authorization", "content-type", CONNECTION, SESSION} <= {*allowed}
        refused = await client.send("OPTIONS", headers={"origin": "https://evil.example", **asks})
        assert refused.status == 403
        assert "access-control-allow-origin" not in refused.headers


async def test_an_allowed_page_can_read_responses_and_errors() -> None:
    async with closing(remote_app(Echo, token="secret", origins=[PAGE])) as app:
        client = Client(app, headers={"origin": PAGE})
        for headers in ({}, BEARER):
            answer = await client.post(INITIALIZE, headers)
            assert answer.headers["access-control-allow-origin"] == PAGE
            assert answer.headers["access-control-expose-headers"] == CONNECTION
            assert answer.headers["vary"] == "Origin"


async def test_other_clients_see_nothing_of_pages() -> None:
    async with closing(remote_app(Echo)) as app:
        answer = await Client(app).post(INITIALIZE)
        assert not [name for name in answer.headers if name.startswith("access-control")]


EMPTY = "the token is empty; pass None for an application without a token"


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"origins": PAGE}, TypeError, "pass a list"),
        ({"origins": ["*"]}, ValueError, "could use the agent; pass a token$"),
        ({"token": ""}, ValueError, f"^{EMPTY}$"),
        ({"token": " "}, ValueError, f"^{EMPTY}$"),
    ],
)
def test_dangerous_arguments_are_refused(
    arguments: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        remote_app(Echo, **arguments)
