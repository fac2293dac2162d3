"""The asyncio adapter: cancelled calls and requests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import REQUEST_CANCELLED, ConnectionClosed, RequestError
from acp_bindings.runtime.aio import Peer
from acp_bindings.runtime.jsonrpc import Limits
from package.jsonrpc.aio_sides import (
    ASK,
    DONE,
    Gate,
    Wire,
    agent,
    begin,
    client,
    connected,
    echo,
    serving,
    stuck,
    ticks,
)
from package.jsonrpc.loop import pair
from package.jsonrpc.wire import ask, cancel, line, marked, tell

PROMPT = ask(1, "session/prompt", sessionId="s", prompt=[])


async def assert_cancelled(wire: Wire, id_: Any = 1) -> None:
    reply = await wire.read()
    assert (reply["id"], reply["error"]["code"]) == (id_, REQUEST_CANCELLED)


# --- requests of the other side --------------------------------------------------------------


@pytest.mark.parametrize("by_timeout", [False, True])
async def test_a_cancelled_call_is_cancelled_on_the_other_side(by_timeout: bool) -> None:
    gate = Gate()
    async with pair(agent(ext_request=gate)) as peer:
        if by_timeout:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(peer.request(ASK, None), 0.01)
        else:
            call = asyncio.create_task(peer.request(ASK, None))
            await gate.started.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
        await gate.cancelled.wait()
        gate.go_on.set()
        await peer.request(ASK, 1)
        assert gate.handled == [1]
        assert not peer._connection.pending


@pytest.mark.parametrize("request_", [ask(1), PROMPT], ids=["extension", "prompt"])
@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("in_one_chunk", [False, True])
async def test_a_cancelled_request_gets_one_reply(
    request_: Any, times: int, in_one_chunk: bool
) -> None:
    async with serving(agent(ext_request=stuck, session_prompt=stuck)) as wire:
        wire.write(request_)
        if not in_one_chunk:
            await ticks()
        wire.write(*[cancel(1)] * times)
        await assert_cancelled(wire)
        wire.write(ask(2, "nope"))
        assert (await wire.read())["id"] == 2


async def test_a_request_cancelled_before_its_turn_is_answered_and_not_started() -> None:
    stopped, turn = Gate(), Gate(DONE)
    turn.go_on.set()
    async with serving(agent(session_cancel=stopped, session_prompt=turn)) as wire:
        wire.write(tell("session/cancel", sessionId="s"), PROMPT, cancel(1))
        await assert_cancelled(wire)
        stopped.go_on.set()
        wire.write({**PROMPT, "id": 2})
        assert (await wire.read())["id"] == 2
        assert len(turn.handled) == 1


async def test_a_handler_may_answer_a_cancelled_request_with_a_result() -> None:
    started = asyncio.Event()
    interruptions: list[int] = []

    async def wait(peer: Peer, method: str, params: Any) -> Any:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            interruptions.append(1)
            await ticks()
        return "cleaned up"

    async with serving(agent(ext_request=wait)) as wire:
        wire.write(ask(1))
        await started.wait()
        wire.write(cancel(1))
        await ticks(5)
        wire.write(cancel(1))
        assert (await wire.read())["result"] == "cleaned up"
        assert interruptions == [1]


# --- calls of this side ----------------------------------------------------------------------


async def test_a_call_that_is_cancelled_when_its_answer_is_there_is_not_cancelled_elsewhere() -> (
    None
):
    async with connected() as (peer, wire):
        call, id_ = await begin(wire, peer.request(ASK, None))
        wire.write({"id": id_, "error": {"code": -1, "message": "no"}})
        while peer._connection.pending:
            await asyncio.sleep(0)
        call.cancel()
        with pytest.raises((asyncio.CancelledError, RequestError)):
            await call
    assert await wire.rest() == []


async def test_a_request_waits_for_a_slow_reader_and_can_be_cancelled_there() -> None:
    async with connected(room=10) as (peer, wire):
        task = asyncio.create_task(peer.request(ASK, "x" * 100))
        await ticks()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await ticks()
        request, cancellation = (await wire.stream.read()).splitlines()
        assert json.loads(cancellation) == marked(cancel(json.loads(request)["id"]))


async def cancelled_call(wire: Wire, peer: Peer, on_response: Callable[[Any], None]) -> Any:
    """Make a call and cancel it; return its id."""
    call, id_ = await begin(wire, peer.request(ASK, None, on_response=on_response))
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await wire.read() == marked(cancel(id_))
    return id_


async def test_the_response_to_a_cancelled_call_is_taken_once() -> None:
    events: list[Any] = []
    async with connected(client(ext_request=echo)) as (peer, wire):
        id_ = await cancelled_call(wire, peer, events.append)
        assert events == []
        wire.write({"id": id_, "result": 1}, ask("next"))
        assert (await wire.read())["id"] == "next"
        assert [event.result for event in events] == [1]
        assert peer._calling._calls == {}
        assert not peer._connection.pending
    assert len(events) == 1


async def test_a_response_that_arrives_in_the_step_of_the_cancellation_is_taken_once() -> None:
    events: list[Any] = []
    async with connected() as (peer, wire):
        for _ in range(2):
            call, id_ = await begin(wire, peer.request(ASK, None, on_response=events.append))
            call.cancel()
            peer._running._take(peer._connection.receive(line({"id": id_, "result": 1})))
            with pytest.raises(asyncio.CancelledError):
                await call
            assert peer._calling._calls == {}
    assert [event.result for event in events] == [1, 1]
    assert await wire.rest() == []


async def test_the_end_of_the_connection_is_the_response_to_a_cancelled_call() -> None:
    events: list[Any] = []
    async with connected() as (peer, wire):
        await cancelled_call(wire, peer, events.append)
        await wire.stream.close()
        await peer.wait_ended()
    assert [type(event.error) for event in events] == [ConnectionClosed]


@pytest.mark.parametrize("limit", [0, 1])
async def test_a_cancelled_call_that_is_given_up_has_failed(limit: int) -> None:
    events: list[Any] = []
    async with connected(limits=Limits(cancelled_calls=limit)) as (peer, wire):
        ids = [await cancelled_call(wire, peer, events.append) for _ in range(3)]
        assert [event.id for event in events] == ids[: 3 - limit]
        assert {event.error.code for event in events} == {REQUEST_CANCELLED}
        assert len(peer._calling._calls) == limit
    assert [event.id for event in events] == ids


async def test_a_handler_is_told_of_the_requests_that_nobody_else_takes_the_response_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    events: list[Any] = []

    class Client(v1.ClientHandler):
        def sent(self, method: Any, params: Any) -> Any:
            if params == "fail":
                raise asyncio.CancelledError
            return events.append if params == "mine" else None

    async with connected(Client) as (peer, wire):
        own: Any = {"on_response": lambda _: None}
        for params, options in (("mine", {}), ("other", {}), ("fail", {}), ("mine", own)):
            call, id_ = await begin(wire, peer.request(ASK, params, **options))
            wire.write({"id": id_, "result": params})
            assert await call == params
    assert [event.result for event in events] == ["mine"]
    assert "Handler.sent failed" in caplog.text
