"""Tests of messages with unpaired surrogates, which JavaScript and `os.fsdecode` can produce."""

from __future__ import annotations

import io
import json
import logging
import os
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.jsonrpc import (
    Connection,
    Failure,
    Notification,
    Observation,
    Response,
    log_to,
)
from acp_bindings.runtime.values.surrogates import remainder

from tests.package.aio.loop import pair
from tests.package.aio.sides import ASK, agent, begin, connected, raising, serving
from tests.package.jsonrpc.wire import (
    ask,
    calling,
    each_side,
    each_version,
    line,
    only,
    other,
    reply,
    requested,
    tell,
)

HIGH, LOW = "\ud83d", "\ude00"
TEXTS = [HIGH, LOW, f"a{HIGH}", f"é{LOW}😀", LOW + HIGH, os.fsdecode(b"caf\xe9.txt")]
each_text = pytest.mark.parametrize("text", TEXTS, ids=ascii)


def escapes(text: str) -> bytes:
    """Encode a string as UTF-8, with unpaired surrogates as escapes."""
    return text.encode("utf-8", "backslashreplace")


def holding(text: str) -> dict[str, Any]:
    return {"value": text, text: [{text: text}], "_meta": {text: None}}


@pytest.mark.parametrize(
    ("text", "start", "rest"),
    [
        ("ab", "a", "b"),
        ("ab", "", "ab"),
        ("ab", "ab", ""),
        ("ab", "b", None),
        ("a", "ab", None),
        ("a😀b", f"a{HIGH}", f"{LOW}b"),
        ("a😀b", "a\ud83c", None),
        ("b😀", f"a{HIGH}", None),
        ("a\uffff", "a\ud7ff", None),
        ("a\U00010000", "a\ud800", "\udc00"),
        ("a\U0010ffff", "a\udbff", "\udfff"),
    ],
)
def test_the_rest_of_a_text_can_begin_with_half_of_a_pair(
    text: str, start: str, rest: str | None
) -> None:
    assert remainder(text, start) == rest


@each_text
@each_side
@each_version
def test_a_request_and_its_response_may_hold_halves(
    surface: ModuleType, side: Any, text: str
) -> None:
    connection = Connection(side, surface)
    request = requested(connection, {"id": text, "method": f"_{text}", "params": holding(text)})
    assert (request.id, request.method.name, request.params) == (text, f"_{text}", holding(text))
    connection.respond(request, request.params)
    written = connection.data_to_send()
    assert escapes(f'"id":"{text}"') in written
    assert escapes(f'"value":"{text}","{text}":') in written
    assert json.loads(written)["result"] == holding(text)


@each_text
@each_version
def test_an_error_may_hold_halves(surface: ModuleType, text: str) -> None:
    server, client = Connection("agent", surface), calling("client", surface)
    server.fail(requested(server, ask(1)), RequestError(-5, text, holding(text)))
    written = server.data_to_send()
    assert escapes(f'"message":"{text}"') in written
    failed = only(client.receive(written))
    assert isinstance(failed, Failure)
    assert isinstance(failed.error, RequestError)
    assert (failed.error.message, failed.error.data) == (text, holding(text))
    assert str(failed.error).encode().startswith(escapes(text))  # the error can be printed


@each_text
@each_version
def test_a_call_and_its_result_may_hold_halves(surface: ModuleType, text: str) -> None:
    client = Connection("client", surface)
    client.request(surface.EXTENSIONS["agent", "request"].named(f"_{text}"), holding(text))
    written = client.data_to_send()
    assert escapes(f'"method":"_{text}"') in written
    assert json.loads(written)["params"] == holding(text)
    result = only(client.receive(line({"id": 1, "result": holding(text)})))
    assert isinstance(result, Response)
    assert result.result == holding(text)


@each_text
@each_side
@each_version
def test_a_notification_may_hold_halves(surface: ModuleType, side: Any, text: str) -> None:
    connection = Connection(side, surface)
    told = only(connection.receive(line({"method": f"_{text}", "params": holding(text)})))
    assert isinstance(told, Notification)
    assert (told.method.name, told.params) == (f"_{text}", holding(text))
    method = surface.EXTENSIONS[other(side), "notification"].named(told.method.name)
    connection.notify(method, told.params)
    assert reply(connection)["params"] == holding(text)


@each_text
@each_version
def test_typed_params_may_hold_halves(surface: ModuleType, text: str) -> None:
    server, client = Connection("agent", surface), Connection("client", surface)
    block = surface.TextContent(text=text, meta={text: text}, unknown_fields={text: text})
    params = surface.PromptRequest(session_id=text, prompt=[block])
    client.request(surface.AGENT_METHODS["session/prompt"], params)
    event: Any = only(server.receive(client.data_to_send()))
    assert event.params == params


@pytest.mark.parametrize("raw", [b"\\ud83d\\ude00", b"\\uD83D\\uDE00"])
def test_two_escapes_of_a_pair_are_one_character(raw: bytes) -> None:
    event = requested(Connection("agent", v1), ask(1, text="x"))
    assert event.params == {"text": "x"}
    data = line(ask(1, text="x")).replace(b'"x"', b'"%b"' % raw)
    event: Any = only(Connection("agent", v1).receive(data))
    assert event.params == {"text": "😀"}


def test_a_batch_of_replies_may_hold_halves() -> None:
    connection = Connection("agent", v2)
    messages = [ask(text) for text in TEXTS]
    for event in connection.receive(
        json.dumps([{"jsonrpc": "2.0", **m} for m in messages]).encode() + b"\n"
    ):
        connection.respond(event, event.id)  # type: ignore[arg-type, union-attr]
    (data,) = connection.data_to_send().splitlines()
    assert [each["result"] for each in json.loads(data)] == TEXTS


@each_text
def test_a_log_of_messages_holds_halves_as_escapes(text: str) -> None:
    seen: list[Observation] = []
    file = io.StringIO()
    log = log_to(file)
    for observe in (seen.append, log):
        connection = Connection("agent", v1, observe=observe)
        connection.respond(requested(connection, ask(text, f"_{text}", a=text)), {text: text})
    assert [each.message["id"] for each in seen] == [text, text]
    entries = [json.loads(each) for each in file.getvalue().splitlines()]
    assert [each["message"] for each in entries] == [each.message for each in seen]
    assert file.getvalue().isascii()


# --- through the asyncio adapter -------------------------------------------------------------


@each_text
async def test_a_handler_may_return_halves(text: str, caplog: pytest.LogCaptureFixture) -> None:
    async def echo(peer: Any, method: str, params: Any) -> Any:
        return params

    async with pair(agent(ext_request=echo)) as peer:
        assert await peer.request(ASK, holding(text)) == holding(text)
    assert caplog.messages == []


@each_text
async def test_logs_about_halves_can_be_written(
    text: str, caplog: pytest.LogCaptureFixture
) -> None:
    fail = raising(RequestError(1, text, text))
    async with pair(agent(ext_request=fail, ext_notification=fail)) as peer:
        for method in (ASK, ASK.named(f"_{text}")):
            with pytest.raises(RequestError) as caught:
                await peer.request(method, text)
            assert str(caught.value).encode()
    async with serving(agent()) as wire:
        wire.write(
            tell(text),
            {"id": text, "result": 1},
            {"id": None, "error": {"code": 1, "message": text}},
        )
        wire.write({"id": text, "method": 5}, ask(1, text), {"level": text, text: text})
        for _ in range(3):
            assert (await wire.read())["error"]
    async with connected() as (peer, wire):
        asking, id_ = await begin(wire, peer.request(ASK.named(f"_{text}"), text))
        wire.stream.write(line({"id": id_, "result": 1, "error": {"code": text}}))
        with pytest.raises(ValueError, match="found an object with both") as refused:
            await asking
        assert str(refused.value).encode()
    formatted = [logging.Formatter().format(record) for record in caplog.records]
    assert len(formatted) >= 6
    assert "\n".join(formatted).encode()
