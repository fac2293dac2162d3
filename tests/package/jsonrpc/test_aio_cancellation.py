"""The asyncio adapter: cancelled calls and requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import REQUEST_CANCELLED, ConnectionClosed, RequestError
from acp_bindings.runtime.aio import Peer, connect, memory_streams
from acp_bindings.runtime.jsonrpc import Limits
from package.jsonrpc.aio_sides import ASK, DONE, Wire, agent, client, served, ticks
from package.jsonrpc.loop import pair, run
from package.jsonrpc.wire import ask, cancel, line, marked, tell


def test_a_cancelled_call_is_cancelled_on_the_other_side() -> None:
    async def main() -> None:
        started, cancelled = asyncio.Event(), asyncio.Event()

        async def wait(peer: Peer, method: str, params: Any) -> Any:
            if params:
                return params
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()

        async with pair(agent(ext_request=wait)) as peer:
            call = asyncio.create_task(peer.request(ASK, None))
            await started.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await cancelled.wait()
            assert await peer.request(ASK, 1) == 1
            assert not peer._connection.pending

    run(main())


def test_a_timeout_cancels_the_call() -> None:
    async def main() -> None:
        cancelled = asyncio.Event()

        async def wait(peer: Peer, method: str, params: Any) -> Any:
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()

        async with pair(agent(ext_request=wait)) as peer:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(peer.request(ASK, None), 0.01)
            await cancelled.wait()

    run(main())


def test_a_cancelled_request_is_answered_so() -> None:
    async def main() -> None:
        started = asyncio.Event()

        async def wait(peer: Peer, method: str, params: Any) -> Any:
            started.set()
            await asyncio.Event().wait()

        wire, serving = await served(agent(ext_request=wait))
        wire.write(ask("a"))
        await started.wait()
        wire.write(cancel("a"))
        reply = await wire.read()
        assert (reply["id"], reply["error"]["code"]) == ("a", REQUEST_CANCELLED)
        await wire.stream.close()
        await serving

    run(main())


@pytest.mark.parametrize("method", ["_ask", "session/prompt"])
@pytest.mark.parametrize("times", [1, 3])
def test_a_request_cancelled_in_the_same_chunk_gets_one_reply(method: str, times: int) -> None:
    async def wait(peer: Peer, *args: Any) -> Any:
        await asyncio.Event().wait()

    async def main() -> None:
        wire, serving = await served(
            agent(ext_request=wait, session_prompt=wait, ext_notification=wait)
        )
        wire.write(ask(1, method, sessionId="s", prompt=[]), *[cancel(1)] * times)
        reply = await wire.read()
        assert (reply["id"], reply["error"]["code"]) == (1, REQUEST_CANCELLED)
        wire.write(ask(2, "nope"))
        assert (await wire.read())["id"] == 2
        await wire.stream.close()
        await serving

    run(main())


def test_a_request_cancelled_before_its_turn_is_answered_and_not_started() -> None:
    started: list[Any] = []

    async def main() -> None:
        go_on = asyncio.Event()

        async def stopped(peer: Peer, params: Any) -> None:
            await go_on.wait()

        async def turn(peer: Peer, params: Any) -> Any:
            started.append(params)
            return DONE

        wire, serving = await served(agent(session_cancel=stopped, session_prompt=turn))
        request = ask(1, "session/prompt", sessionId="s", prompt=[])
        wire.write(tell("session/cancel", sessionId="s"), request, cancel(1))
        assert (await wire.read())["error"]["code"] == REQUEST_CANCELLED
        go_on.set()
        wire.write({**request, "id": 2})
        assert (await wire.read())["id"] == 2
        assert len(started) == 1
        await wire.stream.close()
        await serving

    run(main())


def test_a_handler_may_answer_a_cancelled_request_with_a_result() -> None:
    async def main() -> None:
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

        wire, serving = await served(agent(ext_request=wait))
        wire.write(ask(1))
        await started.wait()
        wire.write(cancel(1))
        await ticks(5)
        wire.write(cancel(1))
        assert (await wire.read())["result"] == "cleaned up"
        assert interruptions == [1]
        await wire.stream.close()
        await serving

    run(main())


def test_a_late_result_of_a_cancelled_call_is_dropped() -> None:
    async def main() -> None:
        near, far = memory_streams()
        wire = Wire(far)
        async with connect(near, client()) as peer:
            call = asyncio.create_task(peer.request(ASK, None))
            request = await wire.read()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert await wire.read() == marked(cancel(request["id"]))
            wire.write({"id": request["id"], "result": 1})
            wire.write(ask("next"))
            assert (await wire.read())["id"] == "next"
            assert not peer._connection.pending
        await far.close()

    run(main())


def test_a_call_that_is_cancelled_when_its_answer_is_there_is_not_cancelled_elsewhere() -> None:
    async def main() -> None:
        near, far = memory_streams()
        wire = Wire(far)
        async with connect(near, client()) as peer:
            call = asyncio.create_task(peer.request(ASK, None))
            request = await wire.read()
            body = {"code": -1, "message": "no"}
            wire.write({"id": request["id"], "error": body})
            while peer._connection.pending:
                await asyncio.sleep(0)
            call.cancel()
            with pytest.raises((asyncio.CancelledError, RequestError)):
                await call
        assert await wire.rest() == []

    run(main())


# --- what is called when the response arrives ------------------------------------------------


async def cancelled_call(
    wire: Wire, peer: Peer, on_response: Callable[[Any], None] | None = None
) -> Any:
    """Make a call and cancel it; return its id."""
    call = asyncio.create_task(peer.request(ASK, None, on_response=on_response))
    id_ = (await wire.read())["id"]
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await wire.read() == marked(cancel(id_))
    return id_


def test_the_response_to_a_cancelled_call_is_taken_once() -> None:
    async def main() -> None:
        near, far = memory_streams()
        wire, events = Wire(far), list[Any]()
        async with connect(near, client()) as peer:
            id_ = await cancelled_call(wire, peer, events.append)
            assert events == []
            wire.write({"id": id_, "result": 1})
            await ticks()
            assert [event.result for event in events] == [1]
            assert peer._calling._calls == {}
        assert len(events) == 1
        await far.close()

    run(main())


def test_a_response_that_arrives_in_the_step_of_the_cancellation_is_taken_once() -> None:
    async def main() -> None:
        near, far = memory_streams()
        wire, events = Wire(far), list[Any]()
        async with connect(near, client()) as peer:
            for _ in range(2):
                call = asyncio.create_task(peer.request(ASK, None, on_response=events.append))
                id_ = (await wire.read())["id"]
                call.cancel()
                peer._running._take(peer._connection.receive(line({"id": id_, "result": 1})))
                with pytest.raises(asyncio.CancelledError):
                    await call
                assert peer._calling._calls == {}
        assert [event.result for event in events] == [1, 1]
        assert await wire.rest() == []

    run(main())


def test_the_end_of_the_connection_is_the_response_to_a_cancelled_call() -> None:
    async def main() -> None:
        near, far = memory_streams()
        wire, events = Wire(far), list[Any]()
        async with connect(near, client()) as peer:
            await cancelled_call(wire, peer, events.append)
            await far.close()
            await peer.wait_ended()
        assert [type(event.error) for event in events] == [ConnectionClosed]

    run(main())


@pytest.mark.parametrize("limit", [0, 1])
def test_a_cancelled_call_that_is_given_up_has_failed(limit: int) -> None:
    async def main() -> None:
        near, far = memory_streams()
        wire, events = Wire(far), list[Any]()
        async with connect(near, client(), limits=Limits(cancelled_calls=limit)) as peer:
            ids = [await cancelled_call(wire, peer, events.append) for _ in range(3)]
            assert [event.id for event in events] == ids[: 3 - limit]
            assert {event.error.code for event in events} == {REQUEST_CANCELLED}
            assert len(peer._calling._calls) == limit
        assert [event.id for event in events] == ids
        await far.close()

    run(main())


def test_a_handler_is_told_of_the_requests_that_nobody_else_takes_the_response_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        near, far = memory_streams()
        wire, events = Wire(far), list[Any]()

        class Client(v1.ClientHandler):
            def sent(self, method: Any, params: Any) -> Any:
                if params == "fail":
                    raise asyncio.CancelledError
                return events.append if params == "mine" else None

        async with connect(near, Client) as peer:
            for params in ("mine", "other", "fail"):
                call = asyncio.create_task(peer.request(ASK, params))
                wire.write({"id": (await wire.read())["id"], "result": params})
                assert await call == params
            call = asyncio.create_task(peer.request(ASK, "mine", on_response=lambda _: None))
            wire.write({"id": (await wire.read())["id"], "result": 1})
            await call
        assert [event.result for event in events] == ["mine"]
        await far.close()

    run(main())
    assert "Handler.sent failed" in caplog.text


def test_writing_nothing_is_not_the_end() -> None:
    async def main() -> None:
        near, far = memory_streams()
        far.write(b"")
        far.write(b"data")
        assert await near.read() == b"data"

    run(main())
