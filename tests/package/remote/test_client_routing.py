"""Tests of client-side message routing, without I/O."""

from __future__ import annotations

import json
from typing import Any

import pytest
from acp_bindings.remote.routing import Arrival, ClientRouting, Reaction, refusal_text
from acp_bindings.runtime.aio import Message

from tests.package.remote.asgi import request


def message(value: Any) -> Message:
    return Message(json.dumps(value).encode())


@pytest.mark.parametrize(
    ("status", "named", "unnamed", "omitted"),
    [
        (200, "GO_ON", "GO_ON", "GO_ON"),
        (202, "GO_ON", "GO_ON", "GO_ON"),
        (302, "END", "END", "END"),
        (400, "OMIT_SESSION", "FAIL", "FAIL"),
        (401, "END", "END", "END"),
        (403, "END", "END", "END"),
        (404, "OMIT_SESSION", "END", "FAIL"),
        (405, "END", "END", "END"),
        (409, "POST_LATER", "POST_LATER", "POST_LATER"),
        (410, "END", "END", "END"),
        (413, "FAIL", "FAIL", "FAIL"),
        (429, "POST_LATER", "POST_LATER", "POST_LATER"),
        (500, "FAIL", "FAIL", "FAIL"),
        (501, "FAIL", "FAIL", "FAIL"),
        (503, "POST_LATER", "POST_LATER", "POST_LATER"),
    ],
)
def test_each_status_has_a_reaction(status: int, named: str, unnamed: str, omitted: str) -> None:
    def react(names: bool, omits: bool) -> Reaction:
        return ClientRouting.react(status, names_session=names, omitted_session=omits)

    found = (react(True, False), react(False, False), react(False, True))
    assert [each.name for each in found] == [named, unnamed, omitted]


def test_a_response_that_opens_a_session_says_so() -> None:
    routing = ClientRouting()
    assert routing.posted(message(request(1, "session/new", cwd="/"))) is None
    answer = message({"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s"}})
    assert routing.received(answer, None) == Arrival("s")
    assert routing.received(answer, None) == Arrival("s")


def test_a_response_on_another_stream_than_its_session_is_astray() -> None:
    routing = ClientRouting()
    for id_, stream in ((1, None), (2, "s")):
        assert routing.posted(message(request(id_, "session/load", sessionId="s"))) == "s"
        answer = message({"jsonrpc": "2.0", "id": id_, "result": {}})
        assert routing.received(answer, stream) == Arrival("s", "s" if stream is None else None)


@pytest.mark.parametrize(
    "value",
    [
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}},
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        {"jsonrpc": "2.0", "id": 9, "result": None},
        {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s"}},
        [{"jsonrpc": "2.0", "id": 1, "result": {}}],
        7,
    ],
)
def test_other_messages_open_nothing(value: Any) -> None:
    routing = ClientRouting()
    routing.posted(message(request(1, "session/load", sessionId="s")))
    assert routing.received(message(value), None) == Arrival()


def test_a_message_that_is_not_json_opens_nothing() -> None:
    assert ClientRouting().received(Message(b"{"), None) == Arrival()


CLOSE = message(request(1, "session/close", sessionId="s"))
CLOSED = message({"jsonrpc": "2.0", "id": 1, "result": {}})


@pytest.mark.parametrize("stream", [None, "s"])
def test_a_session_ends_with_the_response_that_says_so(stream: str | None) -> None:
    routing = ClientRouting()
    routing.posted(CLOSE)
    assert not routing.has_ended("s")
    arrival = routing.received(CLOSED, stream)
    assert arrival == Arrival(None, "s" if stream is None else None, "s")
    assert routing.has_ended("s")
    routing.left("s")
    assert not routing.has_ended("s")


def test_a_session_whose_end_is_refused_goes_on() -> None:
    routing = ClientRouting()
    routing.posted(CLOSE)
    refused = message({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}})
    assert routing.received(refused, "s") == Arrival()
    assert not routing.has_ended("s")


def test_a_session_is_left_after_the_last_response_about_it() -> None:
    routing = ClientRouting()
    routing.posted(message(request(2, "session/prompt", sessionId="s")))
    routing.posted(CLOSE)
    assert routing.received(CLOSED, "s") == Arrival()
    routing.left("s")
    assert routing.has_ended("s")
    last = message({"jsonrpc": "2.0", "id": 2, "result": {}})
    assert routing.received(last, None) == Arrival(None, "s", "s")


def test_a_session_that_ended_can_come_back() -> None:
    routing = ClientRouting()
    routing.posted(CLOSE)
    routing.received(CLOSED, "s")
    routing.posted(message(request(1, "session/load", sessionId="s")))
    assert not routing.has_ended("s")
    assert routing.received(CLOSED, "s") == Arrival("s")


def test_only_the_requests_of_a_session_fail_with_it() -> None:
    routing = ClientRouting()
    routing.posted(message(request(1, "a", sessionId="s")))
    routing.posted(message(request("2", "a", sessionId="t")))
    routing.posted(message(request(3, "a")))
    [failure] = routing.failures("s", "gone")
    assert failure.parse()["id"] == 1
    assert failure.parse()["error"]["message"] == "gone"
    assert routing.failures("s", "gone") == []
    assert [each.parse()["id"] for each in routing.failures("t", "gone")] == ["2"]


def test_a_refused_request_fails_once() -> None:
    routing = ClientRouting()
    asked = message(request(1, "a"))
    routing.posted(asked)
    failure = routing.failed(asked, 500, b"no")
    assert failure is not None
    assert failure.parse()["error"] == {
        "code": -32603,
        "message": "HTTP 500: no",
        "data": {"status": 500, "body": "no"},
    }
    assert routing.failed(asked, 500, b"no") is None


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (401, b"", "HTTP 401; pass a valid `token` or `headers`"),
        (405, b"", "HTTP 405; check the URL: it is not the endpoint of an agent"),
        (404, b"no agent", "HTTP 404: no agent; check the URL, or connect again"),
        (500, b"", "HTTP 500"),
        (502, b"<html>", "HTTP 502"),
        (500, b"\x00\xff", "HTTP 500"),
        (400, b'{"error": {"message": "bad", "code": true}}', "HTTP 400: bad"),
        (400, b'{"error": "bad"}', 'HTTP 400: {"error": "bad"}'),
    ],
)
def test_a_refusal_has_a_text(status: int, body: bytes, expected: str) -> None:
    assert refusal_text(status, body) == expected


def test_a_redirect_says_where_to() -> None:
    assert refusal_text(307, b"", "https://b/") == (
        "HTTP 307: the server redirects; connect to https://b/"
    )
