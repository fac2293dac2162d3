"""The asyncio adapter over streams in memory: order, concurrency, cancellation and the end."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import DecodeError, EncodeError
from acp_bindings.runtime.aio import MemoryStream, Peer, connect, memory_streams, serve
from acp_bindings.runtime.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    REQUEST_CANCELLED,
    UNSUPPORTED_PROTOCOL_VERSION,
    ConnectionClosed,
    RequestError,
    VersionMismatch,
)
from package.jsonrpc.loop import handler, pair, run
from package.jsonrpc.wire import ask, cancel, initialize, line, marked, tell

ASK = v1.EXTENSIONS[("agent", "request")].named("_ask")
ASK_CLIENT = v1.EXTENSIONS[("client", "request")].named("_ask")
TELL = v1.EXTENSIONS[("agent", "notification")].named("_tell")
TELL_CLIENT = v1.EXTENSIONS[("client", "notification")].named("_tell")
CANCEL = v1.AGENT_METHODS["session/cancel"]
PROMPT = v1.AGENT_METHODS["session/prompt"]
UPDATE = v1.CLIENT_METHODS["session/update"]


def agent(**methods: Callable[..., Awaitable[Any]]) -> Any:
    return handler(v1.AgentHandler, **methods)


def client(**methods: Callable[..., Awaitable[Any]]) -> Any:
    return handler(v1.ClientHandler, **methods)


def prompt(session: str = "s") -> v1.PromptRequest:
    return v1.PromptRequest(session_id=session, prompt=[])


def stop(session: str = "s") -> v1.CancelNotification:
    return v1.CancelNotification(session_id=session)


def update(text: str, session: str = "s") -> v1.SessionNotification:
    chunk = v1.AgentMessageChunk(content=v1.TextContent(text=text))
    return v1.SessionNotification(session_id=session, update=chunk)


DONE = v1.PromptResponse(stop_reason="end_turn")


async def echo(peer: Peer, method: str, params: Any) -> Any:
    return params


async def ticks(count: int = 20) -> None:
    """Let everything run that can."""
    for _ in range(count):
        await asyncio.sleep(0)


class Wire:
    """The other end of a stream, written to and read from by hand."""

    def __init__(self, stream: MemoryStream) -> None:
        self.stream = stream
        self._data = b""

    def write(self, *messages: Any) -> None:
        self.stream.write(line(*messages))

    async def read(self) -> Any:
        while b"\n" not in self._data:
            data = await self.stream.read()
            assert data, "the stream has ended"
            self._data += data
        text, _, self._data = self._data.partition(b"\n")
        return json.loads(text)

    async def rest(self) -> list[Any]:
        """What is still written until the stream ends."""
        while data := await self.stream.read():
            self._data += data
        return [json.loads(text) for text in self._data.splitlines()]


def served(agent: Any, **options: Any) -> tuple[Wire, asyncio.Task[None]]:
    near, far = memory_streams()
    return Wire(near), asyncio.create_task(serve(far, agent, **options))


# --- calls -----------------------------------------------------------------------------------


def test_requests_go_both_ways() -> None:
    async def relay(peer: Peer, method: str, params: Any) -> Any:
        return ["agent", await peer.request(ASK_CLIENT, params)]

    async def answer(peer: Peer, method: str, params: Any) -> Any:
        return ["client", method, params]

    async def main() -> None:
        async with pair(agent(ext_request=relay), client(ext_request=answer)) as peer:
            assert await peer.request(ASK, 1) == ["agent", ["client", "_ask", 1]]

    run(main())


@pytest.mark.parametrize("surface", [v1, v2], ids=["v1", "v2"])
def test_an_unhandled_request_is_method_not_found(surface: Any) -> None:
    async def main() -> None:
        base = handler(surface.AgentHandler), handler(surface.ClientHandler)
        async with pair(*base) as peer:
            with pytest.raises(RequestError) as caught:
                await surface.AgentStub(peer).session_list(surface.ListSessionsRequest())
            assert caught.value.code == METHOD_NOT_FOUND

    run(main())


def test_a_failing_handler_is_an_internal_error_and_a_line_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fail(peer: Peer, method: str, params: Any) -> Any:
        raise ValueError("hunter2")

    async def main() -> None:
        async with pair(agent(ext_request=fail)) as peer:
            with pytest.raises(RequestError) as caught:
                await peer.request(ASK, None)
            assert caught.value.code == INTERNAL_ERROR
            assert "hunter2" not in str(caught.value.args)

    run(main())
    assert "the handler of _ask failed" in caplog.text
    assert "hunter2" in caplog.text


def test_a_deliberate_error_arrives_with_its_data() -> None:
    async def fail(peer: Peer, method: str, params: Any) -> Any:
        raise RequestError(-7, "no", {"a": [1]})

    async def main() -> None:
        async with pair(agent(ext_request=fail)) as peer:
            with pytest.raises(RequestError) as caught:
                await peer.request(ASK, None)
            assert caught.value.args == (-7, "no", {"a": [1]})

    run(main())


def test_a_result_of_another_type_is_an_internal_error() -> None:
    async def wrong(peer: Peer, params: Any) -> Any:
        return v1.TextContent(text="t")

    async def main() -> None:
        async with pair(agent(session_prompt=wrong)) as peer:
            with pytest.raises(RequestError) as caught:
                await peer.request(PROMPT, prompt())
            assert caught.value.code == INTERNAL_ERROR

    run(main())


@pytest.mark.parametrize("error", [ConnectionClosed("another one"), asyncio.TimeoutError()])
def test_a_handler_that_fails_on_another_connection_still_answers(error: Exception) -> None:
    async def fail(peer: Peer, method: str, params: Any) -> Any:
        raise error

    async def main() -> None:
        async with pair(agent(ext_request=fail)) as peer:
            with pytest.raises(RequestError) as caught:
                await peer.request(ASK, None)
            assert caught.value.code == INTERNAL_ERROR

    run(main())


class Uncommon(BaseException):
    """Not an Exception, like those of test runners and of other frameworks."""


def test_a_handler_that_raises_no_exception_still_answers() -> None:
    async def fail(peer: Peer, method: str, params: Any) -> Any:
        raise Uncommon

    async def main() -> None:
        async with pair(agent(ext_request=fail, ext_notification=fail)) as peer:
            for _ in range(2):
                await peer.notify(TELL, None)
                with pytest.raises(RequestError) as caught:
                    await peer.request(ASK, None)
                assert caught.value.code == INTERNAL_ERROR

    run(main())


def test_a_failing_notification_handler_does_not_stop_the_next(
    caplog: pytest.LogCaptureFixture,
) -> None:
    seen: list[Any] = []

    async def fail(peer: Peer, method: str, params: Any) -> None:
        seen.append(params)
        raise ValueError("oops")

    async def main() -> None:
        async with pair(agent(ext_notification=fail, ext_request=echo)) as peer:
            for number in range(3):
                await peer.notify(TELL, number)
            await peer.request(ASK, None)

    run(main())
    assert seen == [0, 1, 2]
    assert caplog.text.count("ValueError: oops") == 3


def test_params_that_cannot_be_encoded_leave_the_connection_usable() -> None:
    async def main() -> None:
        async with pair(agent(ext_request=echo)) as peer:
            with pytest.raises(EncodeError):
                await peer.request(ASK, object())
            assert await peer.request(ASK, 1) == 1

    run(main())


def test_what_the_default_mode_recovers_from_is_told() -> None:
    told: list[Any] = []

    async def answer(peer: Peer, params: Any) -> Any:
        return v1.InitializeResponse(protocol_version=1)

    async def main() -> None:
        wire, serving = served(
            agent(initialize=answer), on_issue=lambda method, issue: told.append((method, issue))
        )
        params = {"protocolVersion": 1, "clientCapabilities": {"terminal": "yes"}}
        wire.write(ask(1, "initialize", **params))
        assert (await wire.read())["result"]["protocolVersion"] == 1
        await wire.stream.close()
        await serving

    run(main())
    ((method, issue),) = told
    assert (method.name, issue.pointer) == ("initialize", "/clientCapabilities/terminal")


def test_an_observer_that_raises_ends_the_connection_with_its_error() -> None:
    def refuse(method: Any, issue: Any) -> None:
        raise LookupError("observer")

    async def main() -> None:
        wire, serving = served(agent(), on_issue=refuse)
        params = {"protocolVersion": 1, "clientCapabilities": {"terminal": "yes"}}
        wire.stream.write(line(ask(1, "initialize", **params)) * 2)
        with pytest.raises(LookupError, match="observer"):
            await serving
        assert await wire.rest() == []

    run(main())


# --- order -----------------------------------------------------------------------------------


def test_notifications_of_a_session_are_handled_in_order_and_one_at_a_time() -> None:
    log: list[str] = []

    async def slow(peer: Peer, params: Any) -> None:
        text = params.update.content.text
        log.append(f"+{text}")
        await ticks(5 - int(text))
        log.append(f"-{text}")

    async def speak(peer: Peer, params: Any) -> Any:
        for number in range(5):
            await peer.notify(UPDATE, update(str(number)))
        return DONE

    async def main() -> None:
        async with pair(agent(session_prompt=speak), client(session_update=slow)) as peer:
            await peer.request(PROMPT, prompt())

    run(main())
    assert log == [f"{mark}{number}" for number in range(5) for mark in "+-"]


def test_sessions_do_not_wait_for_each_other() -> None:
    order: list[str] = []
    turn = {"a": asyncio.Event, "b": asyncio.Event}

    async def main() -> None:
        events = {name: make() for name, make in turn.items()}

        async def cross(peer: Peer, params: Any) -> None:
            own, other = params.session_id, "b" if params.session_id == "a" else "a"
            events[own].set()
            await events[other].wait()  # only set while this one is being handled
            order.append(own)

        async with pair(agent(session_cancel=cross, ext_request=echo)) as peer:
            await peer.notify(CANCEL, stop("a"))
            await peer.notify(CANCEL, stop("b"))
            for event in events.values():
                await event.wait()

    run(main())
    assert sorted(order) == ["a", "b"]


@pytest.mark.parametrize("room", [1, 1 << 16])
def test_all_notifications_before_a_response_are_handled_before_it_is_given(room: int) -> None:
    handled: list[str] = []

    async def slow(peer: Peer, params: Any) -> None:
        await ticks(3)
        handled.append(params.update.content.text)

    async def speak(peer: Peer, params: Any) -> Any:
        for number in range(50):
            await peer.notify(UPDATE, update(str(number), session=str(number % 7)))
        return DONE

    async def main() -> None:
        made = pair(agent(session_prompt=speak), client(session_update=slow), room=room)
        async with made as peer:
            await peer.request(PROMPT, prompt())
            assert len(handled) == 50

    run(main())


def test_errors_are_given_after_the_notifications_before_them() -> None:
    handled: list[str] = []

    async def slow(peer: Peer, params: Any) -> None:
        await ticks()
        handled.append(params.update.content.text)

    async def speak(peer: Peer, params: Any) -> Any:
        await peer.notify(UPDATE, update("last words"))
        raise RequestError(-1, "no")

    async def main() -> None:
        async with pair(agent(session_prompt=speak), client(session_update=slow)) as peer:
            with pytest.raises(RequestError):
                await peer.request(PROMPT, prompt())
            assert handled == ["last words"]

    run(main())


@pytest.mark.parametrize("idle", [True, False])
def test_a_request_starts_between_the_notifications_around_it(idle: bool) -> None:
    """Or else the cancellation of a turn would come before the turn, and be lost."""
    log: list[str] = []

    async def stopped(peer: Peer, params: Any) -> None:
        log.append("stop")

    async def turn(peer: Peer, params: Any) -> Any:
        log.append("turn")
        return DONE

    async def main() -> None:
        wire, serving = served(agent(session_cancel=stopped, session_prompt=turn))
        notification = tell("session/cancel", sessionId="s")
        request = ask(1, "session/prompt", sessionId="s", prompt=[])
        before = [] if idle else [notification]
        wire.write(*before, request, notification, {**request, "id": 2}, notification)
        assert {(await wire.read())["id"] for _ in range(2)} == {1, 2}
        await ticks()
        await wire.stream.close()
        await serving

    run(main())
    assert log == ([] if idle else ["stop"]) + ["turn", "stop", "turn", "stop"]


def test_a_request_waits_for_slow_notifications_of_its_session_only() -> None:
    log: list[str] = []

    async def main() -> None:
        go_on = asyncio.Event()

        async def stopped(peer: Peer, params: Any) -> None:
            await go_on.wait()
            log.append("stopped")

        async def turn(peer: Peer, params: Any) -> Any:
            log.append(f"turn {params.session_id}")
            return DONE

        async with pair(agent(session_cancel=stopped, session_prompt=turn)) as peer:
            await peer.notify(CANCEL, stop("s"))
            waits = asyncio.create_task(peer.request(PROMPT, prompt("s")))
            await peer.request(PROMPT, prompt("other"))
            await ticks()
            assert log == ["turn other"]
            go_on.set()
            await waits

    run(main())
    assert log == ["turn other", "stopped", "turn s"]


def test_a_handler_may_await_a_task_of_its_own_that_it_has_cancelled() -> None:
    log: list[str] = []

    async def stopped(peer: Peer, params: Any) -> None:
        task = asyncio.create_task(asyncio.sleep(GIVE_UP))
        await asyncio.sleep(0)
        task.cancel()
        log.append("stopped")
        await task

    async def main() -> None:
        async with pair(agent(session_cancel=stopped, ext_request=echo)) as peer:
            for _ in range(3):
                await peer.notify(CANCEL, stop())
            await peer.request(ASK, None)
            await ticks()

    run(main())
    assert log == ["stopped"] * 3


GIVE_UP = 3600.0

Ways: Any = {
    "directly": lambda call: call(),
    "through gather": lambda call: asyncio.gather(call(), call()),
    "through wait_for": lambda call: asyncio.wait_for(call(), GIVE_UP),
    "through a task": lambda call: asyncio.create_task(call()),
    "through shield": lambda call: asyncio.shield(call()),
}


@pytest.mark.parametrize("way", Ways)
@pytest.mark.parametrize("kind", ["request", "notification"])
def test_a_handler_may_call_the_other_side_and_wait(kind: str, way: str) -> None:
    log: list[str] = []

    async def call_back(peer: Peer, method: str, params: Any) -> Any:
        await Ways[way](lambda: peer.request(ASK_CLIENT, "back"))
        log.append("called back")

    async def main() -> None:
        made = pair(
            agent(ext_request=call_back, ext_notification=call_back), client(ext_request=echo)
        )
        async with made as peer:
            if kind == "notification":
                await peer.notify(TELL, None)
                await peer.notify(TELL, None)
            await peer.request(ASK, None)
            while len(log) < 1 + 2 * (kind == "notification"):
                await asyncio.sleep(0)

    run(main())


def test_both_sides_may_call_each_other_from_notifications_at_once() -> None:
    log: list[Any] = []

    async def deeper(peer: Peer, params: Any) -> None:
        method = ASK_CLIENT if isinstance(peer.handler, v1.AgentHandler) else ASK
        log.append(await peer.request(method, params.session_id))

    async def far(peer: Peer, params: Any) -> None:
        await deeper(peer, params)

    async def main() -> None:
        sides: list[Peer] = []

        def keep(peer: Peer) -> Any:
            sides.append(peer)
            return agent(session_cancel=deeper, ext_request=echo)(peer)

        async with pair(keep, client(session_update=far, ext_request=echo)) as peer:
            await asyncio.gather(
                peer.notify(CANCEL, stop()),
                sides[0].notify(UPDATE, update("t")),
                peer.request(ASK, 1),
                sides[0].request(ASK_CLIENT, 1),
            )
            while len(log) < 2:
                await asyncio.sleep(0)

    run(main())
    assert log == ["s", "s"]


def test_a_call_that_a_handler_leaves_behind_does_not_loosen_the_order() -> None:
    handled: list[str] = []

    async def main() -> None:
        left: list[asyncio.Task[Any]] = []

        async def note(peer: Peer, params: Any) -> None:
            if not left:
                left.append(asyncio.create_task(peer.request(ASK, "never")))
                await ticks()
                assert not left[0].done()
                return
            await ticks()
            handled.append(params.update.content.text)

        async def answer(peer: Peer, method: str, params: Any) -> Any:
            if params == "never":
                await asyncio.Event().wait()
            for number in range(3):
                await peer.notify(UPDATE, update(str(number)))
                await ticks(40 if params == "slowly" else 0)

        async with pair(agent(ext_request=answer), client(session_update=note)) as peer:
            await peer.request(ASK, "slowly")
            assert handled == ["1", "2"]
            await peer.request(ASK, None)
            assert handled == ["1", "2", "0", "1", "2"]
            left[0].cancel()

    run(main())


# --- many and slow ---------------------------------------------------------------------------


def test_ten_thousand_concurrent_requests_are_answered() -> None:
    count = 10_000

    async def main() -> None:
        started = 0
        all_started = asyncio.Event()

        async def answer(peer: Peer, method: str, params: Any) -> Any:
            nonlocal started
            started += 1
            if started == count:
                all_started.set()
            await all_started.wait()
            return params

        async with pair(agent(ext_request=answer)) as peer:
            calls = (peer.request(ASK, number) for number in range(count))
            assert await asyncio.gather(*calls) == list(range(count))

    run(main())


def test_a_handler_that_never_returns_does_not_hold_up_others() -> None:
    async def answer(peer: Peer, method: str, params: Any) -> Any:
        if params == "stuck":
            await asyncio.Event().wait()
        return params

    async def main() -> None:
        async with pair(agent(ext_request=answer), linger=0) as peer:
            stuck = asyncio.create_task(peer.request(ASK, "stuck"))
            for number in range(100):
                assert await peer.request(ASK, number) == number
            assert not stuck.done()
        with pytest.raises(ConnectionClosed):
            await stuck

    run(main())


def test_a_writer_waits_for_a_slow_reader() -> None:
    room, size = 1000, 100

    async def main() -> None:
        near, far = memory_streams(room)
        sent = 0
        async with connect(near, client()) as peer:

            async def flood() -> None:
                nonlocal sent
                for _ in range(1000):
                    await peer.notify(TELL, "x" * size)
                    sent += 1

            flooding = asyncio.create_task(flood())
            read = 0
            while not flooding.done():
                await ticks()
                data = await far.read()
                assert len(data) <= room + 2 * size
                read += data.count(b"\n")
            assert sent == 1000
            while read < sent:
                read += (await far.read()).count(b"\n")
        await far.close()

    run(main())


def test_a_request_waits_for_a_slow_reader_and_can_be_cancelled_there() -> None:
    async def main() -> None:
        near, far = memory_streams(10)
        async with connect(near, client()) as peer:
            task = asyncio.create_task(peer.request(ASK, "x" * 100))
            await ticks()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await ticks()
            request, cancellation = (await far.read()).splitlines()
            assert json.loads(cancellation) == marked(cancel(json.loads(request)["id"]))
        await far.close()

    run(main())


def test_both_sides_may_write_a_lot_at_once() -> None:
    count, data = 50, "x" * 10_000

    async def main() -> None:
        sides: list[Peer] = []

        def keep(peer: Peer) -> Any:
            sides.append(peer)
            return agent(ext_request=echo)(peer)

        async with pair(keep, client(ext_request=echo), room=100) as peer:
            there = [peer.request(ASK, data) for _ in range(count)]
            back = [sides[0].request(ASK_CLIENT, data) for _ in range(count)]
            assert await asyncio.gather(*there, *back) == [data] * (2 * count)

    run(main())


# --- cancellation ----------------------------------------------------------------------------


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

        wire, serving = served(agent(ext_request=wait))
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
        wire, serving = served(agent(ext_request=wait, session_prompt=wait, ext_notification=wait))
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

        wire, serving = served(agent(session_cancel=stopped, session_prompt=turn))
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

        wire, serving = served(agent(ext_request=wait))
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


def test_writing_nothing_is_not_the_end() -> None:
    async def main() -> None:
        near, far = memory_streams()
        far.write(b"")
        far.write(b"data")
        assert await near.read() == b"data"

    run(main())


# --- versions and factories ------------------------------------------------------------------


def factories() -> dict[int, Any]:
    async def first(peer: Peer, params: Any) -> Any:
        return v1.InitializeResponse(protocol_version=1)

    async def second(peer: Peer, params: Any) -> Any:
        info = v2.Implementation(name="test", version="1")
        return v2.InitializeResponse(protocol_version=2, info=info)

    return {1: agent(initialize=first), 2: handler(v2.AgentHandler, initialize=second)}


@pytest.mark.parametrize(("asked", "spoken"), [(1, 1), (2, 2), (7, 2)])
def test_initialize_picks_the_factory(asked: int, spoken: int) -> None:
    async def main() -> None:
        wire, serving = served(factories())
        wire.write(initialize(asked))
        assert (await wire.read())["result"]["protocolVersion"] == spoken
        await wire.stream.close()
        await serving

    run(main())


def test_a_server_of_versions_refuses_what_it_cannot_speak_and_what_comes_too_early() -> None:
    async def main() -> None:
        wire, serving = served(factories())
        wire.write(ask(1), initialize(0), initialize("1"), initialize(1))
        early, unsupported, not_an_integer, answer = [await wire.read() for _ in range(4)]
        assert early["error"]["code"] == INVALID_REQUEST
        assert unsupported["error"]["code"] == UNSUPPORTED_PROTOCOL_VERSION
        assert not_an_integer["error"]["data"]["pointer"] == "/protocolVersion"
        assert answer["result"]["protocolVersion"] == 1
        await wire.stream.close()
        await serving

    run(main())


def test_a_client_is_told_of_another_version() -> None:
    async def offer(peer: Peer, params: Any) -> Any:
        return v1.InitializeResponse(protocol_version=2)

    async def main() -> None:
        async with pair(agent(initialize=offer)) as peer:
            params = v1.InitializeRequest(protocol_version=1)
            with pytest.raises(VersionMismatch):
                await v1.AgentStub(peer).initialize(params)
            assert peer.advertised is None

    run(main())


def test_a_result_that_does_not_decode_is_raised_where_it_is_awaited() -> None:
    async def main() -> None:
        near, far = memory_streams()
        wire = Wire(far)
        async with connect(near, client()) as peer:
            call = asyncio.create_task(peer.request(PROMPT, prompt()))
            wire.write({"id": (await wire.read())["id"], "result": {"stopReason": 5}})
            with pytest.raises(DecodeError):
                await call
        await far.close()

    run(main())


def broken(peer: Peer) -> Any:
    raise LookupError("factory")


def test_a_factory_of_a_version_that_raises_is_an_internal_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        wire, serving = served({**factories(), 2: broken})
        wire.write(initialize(2), initialize(1))
        assert (await wire.read())["error"]["code"] == INTERNAL_ERROR
        assert (await wire.read())["result"]["protocolVersion"] == 1
        await wire.stream.close()
        await serving

    run(main())
    assert "LookupError: factory" in caplog.text


def test_an_agents_factory_that_raises_closes_the_stream() -> None:
    async def main() -> None:
        near, far = memory_streams()
        with pytest.raises(LookupError):
            await serve(far, broken)
        assert await near.read() == b""

    run(main())


def test_a_clients_factory_that_raises_closes_the_stream() -> None:
    async def main() -> None:
        near, far = memory_streams()
        with pytest.raises(LookupError):
            await connect(near, broken).__aenter__()
        assert await far.read() == b""

    run(main())


# --- the end ---------------------------------------------------------------------------------


def test_the_end_of_the_stream_fails_every_call() -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, client()) as peer:
            calls = [asyncio.create_task(peer.request(ASK, None)) for _ in range(10)]
            await ticks()
            far.write(b'{"jsonrpc":"2.0","id":1,"res')
            await far.close()
            results = await asyncio.gather(*calls, return_exceptions=True)
            assert [type(result) for result in results] == [ConnectionClosed] * 10
            with pytest.raises(ConnectionClosed):
                await peer.request(ASK, None)

    run(main())


def test_leaving_the_context_fails_every_call() -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, client()) as peer:
            call = asyncio.create_task(peer.request(ASK, None))
            await ticks()
        with pytest.raises(ConnectionClosed):
            await call
        with pytest.raises(ConnectionClosed):
            await peer.request(ASK, None)
        with pytest.raises(ConnectionClosed):
            await peer.notify(TELL, None)
        await far.close()

    run(main())


def test_a_context_that_is_left_at_once_closes_the_stream() -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, client()):
            pass
        assert await far.read() == b""

    run(main())


def test_an_error_in_the_context_closes_the_stream_and_goes_on() -> None:
    async def fail(stream: MemoryStream) -> None:
        async with connect(stream, client()):
            raise LookupError("mine")

    async def main() -> None:
        near, far = memory_streams()
        with pytest.raises(LookupError, match="mine"):
            await fail(near)
        assert await far.read() == b""

    run(main())


def test_a_call_whose_room_and_answer_never_come_is_closed_without_a_trace() -> None:
    """The end fails the call while it still waits for room in the stream."""

    async def main() -> None:
        near, far = memory_streams(10)
        async with connect(near, client()) as peer:
            call = asyncio.create_task(peer.request(ASK, "x" * 100))
            await ticks()
            await far.close()
            with pytest.raises(ConnectionClosed):
                await call

    run(main())


def test_handlers_have_time_to_finish_after_the_end() -> None:
    log: list[str] = []

    async def main() -> None:
        started, go_on = asyncio.Event(), asyncio.Event()

        async def slow(peer: Peer, method: str, params: Any) -> Any:
            started.set()
            await go_on.wait()
            log.append("finished")

        wire, serving = served(agent(ext_request=slow), linger=GIVE_UP)
        wire.write(ask(1))
        await started.wait()
        await wire.stream.close()
        await ticks()
        assert not serving.done()
        go_on.set()
        await serving

    run(main())
    assert log == ["finished"]


def test_handlers_that_do_not_finish_are_cancelled() -> None:
    log: list[str] = []

    async def main() -> None:
        started = asyncio.Event()

        async def stuck(peer: Peer, method: str, params: Any) -> Any:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                log.append(method)

        wire, serving = served(agent(ext_request=stuck, ext_notification=stuck), linger=0)
        wire.write(ask(1), tell())
        await started.wait()
        await ticks()
        await wire.stream.close()
        await serving

    run(main())
    assert sorted(log) == ["_ask", "_tell"]


def test_a_server_that_is_cancelled_answers_what_it_was_doing() -> None:
    async def main() -> None:
        started = asyncio.Event()

        async def stuck(peer: Peer, method: str, params: Any) -> Any:
            started.set()
            await asyncio.Event().wait()

        wire, serving = served(agent(ext_request=stuck))
        wire.write(ask(1))
        await started.wait()
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving
        (reply,) = await wire.rest()
        assert (reply["id"], reply["error"]["code"]) == (1, REQUEST_CANCELLED)

    run(main())


class Gated(MemoryStream):
    """Takes its time to close."""

    def __init__(self, stream: MemoryStream) -> None:
        super().__init__(stream._incoming, stream._outgoing)
        self.closing, self.may_close, self.closed = (asyncio.Event() for _ in range(3))

    async def close(self) -> None:
        self.closing.set()
        await self.may_close.wait()
        await super().close()
        self.closed.set()


def test_closing_is_seen_to_its_end_when_it_is_interrupted() -> None:
    async def main() -> None:
        near, far = memory_streams()
        stream = Gated(near)
        context = connect(stream, client())
        await context.__aenter__()
        await far.close()
        await stream.closing.wait()
        leaving = asyncio.create_task(context.__aexit__(None, None, None))
        await ticks()
        assert not leaving.done()
        stream.may_close.set()
        await leaving
        assert stream.closed.is_set()

    run(main())


def test_a_handler_may_leave_the_context_of_its_own_peer() -> None:
    async def main() -> None:
        near, far = memory_streams()
        wire = Wire(far)
        left = asyncio.Event()

        async def leave(peer: Peer, method: str, params: Any) -> None:
            try:
                await context.__aexit__(None, None, None)
            finally:
                left.set()

        context = connect(near, client(ext_notification=leave))
        await context.__aenter__()
        wire.write(tell())
        await left.wait()
        assert await wire.rest() == []

    run(main())


def test_what_waits_for_a_notification_is_begun_after_the_end_of_the_stream() -> None:
    async def slow(peer: Peer, params: Any) -> None:
        await ticks()

    async def main() -> None:
        wire, serving = served(agent(session_cancel=slow, session_prompt=done))
        turn = ask(1, "session/prompt", sessionId="s", prompt=[])
        wire.write(tell("session/cancel", sessionId="s"), turn)
        wire.stream._outgoing.close()
        assert (await wire.read())["result"] == {"stopReason": "end_turn"}
        await serving

    run(main())


def test_no_lane_and_no_account_is_left() -> None:
    async def main() -> None:
        async with pair(agent(session_cancel=echo_nothing, ext_request=echo)) as peer:
            for number in range(100):
                await peer.notify(CANCEL, stop(str(number)))
                await peer.request(ASK, number)
            await ticks()
            assert not peer._waiting
            assert not peer._serving
            assert not peer._lanes._lanes
            assert not peer._connection.pending

    run(main())


async def echo_nothing(peer: Peer, params: Any) -> None:
    return None


@pytest.mark.skipif(sys.version_info < (3, 12), reason="tasks are never eager before Python 3.12")
def test_tasks_may_be_eager() -> None:
    async def wait(peer: Peer, method: str, params: Any) -> Any:
        if params is None:
            await asyncio.Event().wait()
        return params

    async def main() -> None:
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
        wire, serving = served(agent(ext_request=wait, session_prompt=done))
        request = {"id": 1, "method": "_ask", "params": 5}
        stopped = tell("session/cancel", sessionId="s")
        turn = ask(3, "session/prompt", sessionId="s", prompt=[])
        wire.write(request, cancel(1), {"id": 2, "method": "_ask"}, cancel(2), stopped, stopped)
        wire.write(turn, stopped)
        replies = {reply["id"]: reply for reply in [await wire.read() for _ in range(3)]}
        assert replies[1]["result"] == 5
        assert replies[2]["error"]["code"] == REQUEST_CANCELLED
        assert replies[3]["result"] == {"stopReason": "end_turn"}
        await wire.stream.close()
        await serving

    run(main())


async def done(peer: Peer, params: Any) -> Any:
    return DONE
