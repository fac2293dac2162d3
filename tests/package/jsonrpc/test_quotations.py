"""What the other side has sent is quoted by its beginning: in logs, refusals and errors."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import DecodeError, RequestError, VersionMismatch
from acp_bindings.runtime.aio import Peer, connect, memory_streams
from acp_bindings.runtime.aio.rejections import Rejections
from acp_bindings.runtime.jsonrpc import Connection, Failure, Ignored, Refused
from acp_bindings.runtime.session.work import result_of_cancelled
from acp_bindings.runtime.values.errors import MAX_QUOTE, cut, quotation
from package.jsonrpc.aio_sides import ASK, TELL, agent, served
from package.jsonrpc.loop import handler, pair, run
from package.jsonrpc.wire import ask, extension, initialize, line, only, requested, tell

LONG = "x" * 100_000
FEW = 3 * MAX_QUOTE  # a quotation or two, and words around them


@pytest.mark.parametrize("text", ["", "a", "x" * MAX_QUOTE])
def test_a_short_text_is_quoted_whole(text: str) -> None:
    assert (cut(text), quotation(text)) == (text, repr(text))


def test_of_a_long_text_the_beginning_is_quoted() -> None:
    assert cut(LONG) == "x" * MAX_QUOTE + "..."
    assert quotation(LONG) == repr("x" * MAX_QUOTE) + "..."


def test_other_values_are_quoted_as_literals() -> None:
    assert (quotation(7), quotation(None), quotation(1.5)) == ("7", "None", "1.5")
    assert quotation(10**300) == "1" + "0" * (MAX_QUOTE - 1) + "..."


# --- what a connection says ------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        line(tell(LONG)),
        line(tell("session/cancel", sessionId=5, **{LONG: 1})),
        line(tell("$/cancel_request", requestId=[])),
        line({"id": LONG, "result": 1}),
        line({"id": None, "error": {"code": 10**300, "message": LONG}}),
        b"{" + LONG.encode() + b"\n",
        line(ask(1, LONG)),
        line(ask(LONG, "nope")),
        line(ask(1, "session/new", cwd="/", mcpServers=[{"name": "n", "env": {LONG: 1}}])),
        b'{"jsonrpc":"2.0","id":1,"method":"%b","a":"\xff"}\n' % (b"x" * 1_000),
    ],
    ids=lambda data: repr(data[:60]),
)
def test_why_a_message_is_refused_or_ignored_is_short(
    data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    event = only(Connection("agent", v1).receive(data))
    assert isinstance(event, (Ignored, Refused))
    text = event.reason if isinstance(event, Ignored) else event.error.message
    assert len(text) < FEW

    async def report() -> None:
        log = Rejections()
        log.report(event)
        log.close()

    asyncio.run(report())
    (entry,) = caplog.messages
    assert len(entry) < FEW


def test_the_pointer_of_params_that_do_not_decode_is_short_in_the_refusal() -> None:
    connection = Connection("agent", v1)
    server = {"type": "http", "name": "n", "url": "u", "headers": [{"name": 1, "value": ""}]}
    event = only(connection.receive(line(ask(1, "session/new", cwd="/", mcpServers=[server]))))
    assert isinstance(event, Refused)
    assert len(connection.data_to_send()) < FEW


def test_a_parser_may_say_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(text: Any) -> Any:
        raise ValueError(f"this is not JSON: {text!r}")

    monkeypatch.setattr("acp_bindings.runtime.values.jsontext.parse", parse)
    event = only(Connection("agent", v1).receive(LONG.encode() + b"\n"))
    assert isinstance(event, Refused)
    assert len(event.error.message) < FEW


def test_an_error_of_the_other_side_is_whole_and_its_text_is_short() -> None:
    connection = Connection("client", v1)
    id_ = connection.request(extension(v1, "agent"), None)
    body = {"code": 10**300, "message": LONG, "data": LONG}
    event = only(connection.receive(line({"id": id_, "error": body})))
    assert isinstance(event, Failure)
    assert isinstance(event.error, RequestError)
    assert event.error.message == LONG
    assert len(str(event.error)) < 4 * MAX_QUOTE
    assert str(event.error).startswith("x" * MAX_QUOTE + "... (1000")


def test_the_pointer_of_a_decode_error_is_whole_and_its_text_is_short() -> None:
    problem = DecodeError("/" + LONG, "string", "integer", "T")
    assert problem.pointer == "/" + LONG
    assert len(str(problem)) < FEW


def test_a_version_that_the_agent_answers_is_quoted_by_its_beginning() -> None:
    assert len(str(VersionMismatch(10**4000, 1))) < FEW


def test_an_id_is_quoted_by_its_beginning() -> None:
    connection = Connection("agent", v1)
    request = requested(connection, ask(LONG))
    connection.respond(request, None)
    with pytest.raises(KeyError) as caught:
        connection.respond(request, None)
    assert len(str(caught.value)) < FEW


# --- what a connection logs ------------------------------------------------------------------


def entries(
    main: Callable[[], Any], caplog: pytest.LogCaptureFixture, level: int = logging.WARNING
) -> list[str]:
    """The entries that the log gets, with tracebacks."""
    with caplog.at_level(level, "acp_bindings"):
        run(main())
    found = [record for record in caplog.records if record.name.startswith("acp_bindings")]
    return [logging.Formatter().format(record) for record in found]


@pytest.mark.parametrize("kind", ["request", "notification"])
def test_the_method_whose_handler_fails_is_quoted_by_its_beginning(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(peer: Peer, method: str, params: Any) -> None:
        raise ValueError("no")

    async def main() -> None:
        async with pair(agent(ext_request=fail, ext_notification=fail)) as peer:
            if kind == "request":
                with pytest.raises(RequestError):
                    await peer.request(ASK.named("_" + LONG), None)
            else:
                await peer.notify(TELL.named("_" + LONG), None)

    (entry,) = entries(main, caplog)
    assert f"the handler of '_{'x' * (MAX_QUOTE - 1)}'... failed" in entry
    assert len(entry) < 5_000


def test_an_error_that_a_handler_passes_on_is_logged_by_its_beginning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def refuse(peer: Peer, method: str, params: Any) -> None:
        raise RequestError(1, LONG, LONG)

    async def call_back(peer: Peer, method: str, params: Any) -> None:
        await peer.request(v1.EXTENSIONS["client", "request"].named("_ask"), None)

    async def main() -> None:
        client = handler(v1.ClientHandler, ext_request=refuse)
        async with pair(agent(ext_notification=call_back), client) as peer:
            await peer.notify(TELL, None)
            for _ in range(20):
                await asyncio.sleep(0)

    (entry,) = entries(main, caplog)
    assert "RequestError: xxx" in entry
    assert len(entry) < 10_000


def test_what_a_client_ignores_is_logged_by_its_beginning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, handler(v1.ClientHandler)) as peer:
            far.write(line(tell(LONG), {"id": LONG, "result": 1}, {"id": None, "error": ERROR}))
            far.write(LONG.encode() + b"\n")
            await far.close()
            await peer.wait_ended()

    found = entries(main, caplog)
    assert len(found) == 4
    assert max(map(len, found)) < FEW


ERROR = {"code": 1, "message": LONG}


def test_a_version_whose_handler_cannot_be_made_is_quoted_by_its_beginning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(peer: Peer) -> Any:
        raise ValueError("no")

    async def main() -> None:
        wire, serving = await served({v2: fail}, agent(), initialized=False)
        wire.write(initialize(10**4000))
        assert (await wire.read())["error"]["code"] == -32603
        await wire.stream.close()
        await serving

    entry, *_ = entries(main, caplog)
    assert entry.startswith("the handler for protocol version 1000")
    assert len(entry.splitlines()[0]) < FEW


def test_how_cancelled_work_ended_is_logged_by_its_beginning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def refuse() -> None:
        raise RequestError(1, LONG)

    async def main() -> None:
        task = asyncio.create_task(refuse())
        await asyncio.wait([task])
        assert result_of_cancelled(task) is None

    (entry,) = entries(main, caplog, logging.INFO)
    assert len(entry) < FEW
