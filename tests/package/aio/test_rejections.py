"""Logs, error responses and exceptions quote only the beginning of the peer's messages."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import (
    METHOD_NOT_FOUND,
    UNSUPPORTED_PROTOCOL_VERSION,
    DecodeError,
    RequestError,
    VersionMismatch,
)
from acp_bindings.runtime.aio import Peer
from acp_bindings.runtime.aio.rejections import Rejections
from acp_bindings.runtime.jsonrpc import Connection, Failure, Ignored, Refused
from acp_bindings.runtime.session.agent import result_of_cancelled
from acp_bindings.runtime.values.errors import MAX_QUOTE, cut, quotation

from tests.package.aio.loop import pair, within
from tests.package.aio.sides import (
    ASK,
    ASK_CLIENT,
    TELL,
    agent,
    client,
    raising,
    serving,
    ticks,
)
from tests.package.jsonrpc.wire import ask, calling, initialize, line, only, requested, tell

LONG = "x" * 100_000
FEW = 3 * MAX_QUOTE  # enough for two quotations and the text around them
ERROR = {"code": 10**300, "message": LONG, "data": LONG}


def test_of_a_long_text_the_beginning_is_quoted() -> None:
    for text in ("", "a", "x" * MAX_QUOTE):
        assert (cut(text), quotation(text)) == (text, repr(text))
    assert cut(LONG) == "x" * MAX_QUOTE + "..."
    assert quotation(LONG) == repr("x" * MAX_QUOTE) + "..."
    assert (quotation(7), quotation(None), quotation(1.5)) == ("7", "None", "1.5")
    assert quotation(10**300) == "1" + "0" * (MAX_QUOTE - 1) + "..."


# --- messages of a connection ----------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        line(tell(LONG)),
        line(tell("session/cancel", sessionId=5, **{LONG: 1})),
        line(tell("$/cancel_request", requestId=[])),
        line({"id": LONG, "result": 1}),
        line({"id": None, "error": ERROR}),
        b"{" + LONG.encode() + b"\n",
        line(ask(1, LONG)),
        line(ask(LONG, "nope")),
        line(ask(1, "session/new", cwd="/", mcpServers=[{"name": "n", "env": {LONG: 1}}])),
        b'{"jsonrpc":"2.0","id":1,"method":"%b","a":"\xff"}\n' % (b"x" * 1_000),
    ],
    ids=lambda data: repr(data[:60]),
)
async def test_why_a_message_is_refused_or_ignored_is_short(
    data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    event = only(Connection("agent", v1).receive(data))
    assert isinstance(event, (Ignored, Refused))
    text = event.reason if isinstance(event, Ignored) else event.error.message
    assert len(text) < FEW

    log = Rejections()
    log.report(event)
    log.close()
    (entry,) = caplog.messages
    assert len(entry) < FEW


def test_the_pointer_of_params_that_do_not_decode_is_short_in_the_refusal() -> None:
    schema = {"type": "object", "properties": {LONG: 5}}
    params = {"mode": "form", "message": "?", "sessionId": "s", "requestedSchema": schema}
    connection = Connection("client", v1)
    connection.receive(line(ask(1, "elicitation/create", **params)))
    written = connection.data_to_send()
    assert b"/requestedSchema/properties/xxx" in written
    assert len(written) < FEW


def test_a_parser_may_say_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(text: Any) -> Any:
        raise ValueError(f"this is not JSON: {text!r}")

    monkeypatch.setattr("acp_bindings.runtime.values.jsontext.parse", parse)
    event = only(Connection("agent", v1).receive(LONG.encode() + b"\n"))
    assert isinstance(event, Refused)
    assert len(event.error.message) < FEW


def test_an_error_is_whole_and_its_text_is_short() -> None:
    event = only(calling("client").receive(line({"id": 1, "error": ERROR})))
    assert isinstance(event, Failure)
    assert isinstance(event.error, RequestError)
    assert event.error.message == LONG
    assert str(event.error).startswith("x" * MAX_QUOTE + "... (1000")
    problem = DecodeError("/" + LONG, "string", "integer", "T")
    assert problem.pointer == "/" + LONG
    for error in (event.error, problem, VersionMismatch(10**4000, 1)):
        assert len(str(error)) < 4 * MAX_QUOTE


def test_an_id_is_quoted_by_its_beginning() -> None:
    connection = Connection("agent", v1)
    request = requested(connection, ask(LONG))
    connection.respond(request, None)
    with pytest.raises(KeyError) as caught:
        connection.respond(request, None)
    assert len(str(caught.value)) < FEW


# --- log entries of a connection -------------------------------------------------------------


def entries(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [logging.Formatter().format(record) for record in caplog.records]


async def test_the_method_whose_handler_fails_is_quoted(caplog: pytest.LogCaptureFixture) -> None:
    fail, name = raising(ValueError("no")), "_\n" + LONG
    async with pair(agent(ext_request=fail, ext_notification=fail)) as peer:
        await peer.notify(TELL.named(name), None)
        with pytest.raises(RequestError):
            await peer.request(ASK.named(name), None)
    quoted = f"the handler for '_\\n{'x' * (MAX_QUOTE - 2)}'... failed"
    assert caplog.messages == [quoted] * 2
    assert max(map(len, entries(caplog))) < 5_000


async def test_an_error_that_a_handler_passes_on_is_quoted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def call_back(peer: Peer, method: str, params: Any) -> None:
        await peer.request(ASK_CLIENT, None)

    refuse = raising(RequestError(1, LONG, LONG))
    async with pair(agent(ext_notification=call_back), client(ext_request=refuse)) as peer:
        await peer.notify(TELL, None)
        await ticks()
    (entry,) = entries(caplog)
    assert "RequestError: xxx" in entry
    assert len(entry) < 10_000


async def test_a_version_whose_handler_cannot_be_made_is_quoted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(peer: Peer) -> Any:
        raise ValueError("no")

    async with serving({v2: fail}, agent(), initialized=False) as wire:
        assert (await wire.ask(initialize(10**4000)))["code"] == -32603
    entry = caplog.messages[0]
    assert entry.startswith("cannot create the handler for protocol version 1000")
    assert len(entry) < FEW


async def test_how_cancelled_work_ended_is_quoted(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "acp_bindings")
    task = asyncio.create_task(raising(RequestError(1, LONG))())
    await asyncio.wait([task])
    assert result_of_cancelled(task) is None
    (entry,) = entries(caplog)
    assert len(entry) < FEW


@pytest.mark.parametrize(
    ("code", "is_usual"), [(UNSUPPORTED_PROTOCOL_VERSION, True), (METHOD_NOT_FOUND, False)]
)
async def test_only_requests_for_other_versions_are_usual(
    code: int, is_usual: bool, caplog: pytest.LogCaptureFixture
) -> None:
    rejections = Rejections()
    rejections.report(Refused(1, RequestError(code, "no")))
    rejections.close()
    [record] = caplog.records
    assert vars(record)["is_usual"] is is_usual
    assert vars(record)["kind"] == code


@within(60.0)
async def test_counts_are_logged_once_when_the_connection_closes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    rejections = Rejections()
    for number in range(3):
        rejections.report(Refused(number, RequestError(METHOD_NOT_FOUND, "no")))
    rejections.close()
    await asyncio.sleep(30)
    first = "rejected a message (id 0): no (-32601)"
    assert caplog.messages == [first, f"2 more messages like this one: {first}"]
