"""Tests of calls in the asyncio adapter: results, errors, cancellation and callbacks."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    REQUEST_CANCELLED,
    UNSET,
    ConnectionClosed,
    DecodeError,
    EncodeError,
    RequestError,
    VersionMismatch,
)
from acp_bindings.runtime.aio import Peer, connect, memory_streams, serve
from acp_bindings.runtime.jsonrpc import Connection, Limits

from tests.package.aio.loop import handler, pair, within
from tests.package.aio.sides import (
    ASK,
    ASK_CLIENT,
    DONE,
    PROMPT,
    TELL,
    Gate,
    Wire,
    agent,
    begin,
    client,
    connected,
    echo,
    prompt,
    raising,
    serving,
    stuck,
    ticks,
)
from tests.package.jsonrpc.wire import ask, cancel, initialize, line, marked, tell

each_unstable = pytest.mark.parametrize("surface", [v1_unstable, v2_unstable], ids=["v1", "v2"])


async def refusal(peer: Peer, method: Any = ASK, params: Any = None) -> tuple[Any, ...]:
    """Return the code, message and data of a request's error response."""
    with pytest.raises(RequestError) as caught:
        await peer.request(method, params)
    return caught.value.args


# --- calls -----------------------------------------------------------------------------------


class Uncommon(BaseException):
    """An exception that doesn't extend Exception, like some exceptions in test frameworks."""


@pytest.mark.parametrize("kind", [ValueError, ConnectionClosed, asyncio.TimeoutError, Uncommon])
async def test_a_failing_handler_is_an_internal_error_and_a_line_in_the_log(
    kind: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    fail = raising(kind("hunter2"))
    async with pair(agent(ext_request=fail, ext_notification=fail)) as peer:
        for _ in range(2):
            await peer.notify(TELL, None)
            assert await refusal(peer) == (INTERNAL_ERROR, "internal error", UNSET)
    assert caplog.text.count("the handler for '_ask' failed") == 2
    assert caplog.text.count("the handler for '_tell' failed") == 2
    assert "hunter2" in caplog.text


async def test_a_failing_task_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async with pair(agent()) as peer:
        peer.spawn(raising(ConnectionClosed("another connection"))())
        await ticks()
    assert caplog.messages == ["a connection task failed"]


async def test_none_stands_for_a_result_without_members(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def nothing(peer: Peer, params: Any) -> None: ...

    async with pair(agent(session_set_mode=nothing, session_prompt=nothing)) as peer:
        params = v1.SetSessionModeRequest(session_id="s", mode_id="m")
        result = await peer.request(v1.AGENT_METHODS["session/set_mode"], params)
        assert result == v1.SetSessionModeResponse()
        assert await refusal(peer, PROMPT, prompt()) == (INTERNAL_ERROR, "internal error", UNSET)
    reason = "the handler for 'session/prompt' returned None instead of a result"
    assert f"EncodeError: {reason}: " in caplog.text
    assert "PromptResponse at /stopReason: expected one of end_turn, " in caplog.text


async def test_params_that_cannot_be_encoded_leave_the_connection_usable() -> None:
    async with pair(agent(ext_request=echo)) as peer:
        with pytest.raises(EncodeError):
            await peer.request(ASK, object())
        assert await peer.request(ASK, 1) == 1


async def test_a_bad_result_is_raised_where_it_is_awaited() -> None:
    async with connected() as (peer, wire):
        call, id_ = await begin(wire, peer.request(PROMPT, prompt()))
        wire.write({"id": id_, "result": {"stopReason": 5}})
        with pytest.raises(DecodeError):
            await call
        params = v1.InitializeRequest(protocol_version=1)
        call, id_ = await begin(wire, v1.AgentStub(peer).initialize(params))
        wire.write({"id": id_, "result": {"protocolVersion": 2}})
        with pytest.raises(VersionMismatch):
            await call
        assert peer.advertised is None


@each_unstable
async def test_a_proxy_takes_requests_and_notifications_of_one_name(surface: Any) -> None:
    forwarded: list[Any] = []

    class Proxy(surface.AgentHandler, surface.ProxyHandler):
        async def proxy_successor(self, params: Any) -> Any:
            return {"asked": params.method}

        async def proxy_successor_notification(self, params: Any) -> None:
            forwarded.append(params.method)

    asked = surface.ProxySuccessorRequest(method="session/new")
    async with pair(handler(Proxy), handler(surface.ClientHandler)) as peer:
        proxy = surface.ProxyStub(peer)
        assert await proxy.proxy_successor(asked) == {"asked": "session/new"}
        told = surface.ProxySuccessorNotification(method="session/update")
        await proxy.proxy_successor_notification(told)
    assert forwarded == ["session/update"]
    async with pair(handler(surface.AgentHandler), handler(surface.ClientHandler)) as peer:
        call = surface.ProxyStub(peer).proxy_successor(asked)
        with pytest.raises(RequestError, match="method not found: proxy/successor") as caught:
            await call
        assert caught.value.code == METHOD_NOT_FOUND


# --- callbacks -------------------------------------------------------------------------------

each_error = pytest.mark.parametrize("error", [LookupError, asyncio.CancelledError, GeneratorExit])
# Params of `initialize` that cause an issue when decoded. A second `initialize` is refused.
INITIALIZE = {"protocolVersion": 1, "clientCapabilities": {"terminal": "yes"}}


async def test_what_the_default_mode_recovers_from_is_told() -> None:
    told: list[Any] = []
    async with serving(agent(), initialized=False, on_issue=told.append) as wire:
        wire.write(ask(1, "initialize", **INITIALIZE))
        assert (await wire.read())["result"]["protocolVersion"] == 1
    (issue,) = told
    assert (issue.method, issue.pointer) == ("initialize", "/clientCapabilities/terminal")


@pytest.mark.parametrize(
    ("name", "whose"),
    [
        ("on_issue", "the callback for issues failed"),
        ("observe", "the observer of a connection failed"),
    ],
)
@each_error
async def test_what_an_option_raises_costs_nothing_but_a_log_entry(
    name: str, whose: str, error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*args: Any) -> None:
        raise error("by the callback")

    options: Any = {name: fail}
    async with serving(agent(), initialized=False, **options) as wire:
        wire.write(ask(1, "initialize", **INITIALIZE), ask(2, "initialize", **INITIALIZE))
        assert [(await wire.read())["id"] for _ in range(2)] == [1, 2]
    assert whose in caplog.text
    assert "by the callback" in caplog.text


@each_error
async def test_so_does_what_other_callbacks_raise(
    error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*args: Any) -> None:
        raise error

    def make(peer: Peer) -> Any:
        made = agent(ext_request=echo)(peer)
        made.received = fail
        return made

    async with pair({v1: make}) as peer:
        assert await peer.request(ASK, 1, on_response=fail) == 1
        assert await peer.request(ASK, 2) == 2
    assert caplog.text.count("Handler.received failed for '_ask'") == 2
    assert caplog.text.count("the on_response callback failed") == 1


@each_error
@within(3.0)
async def test_what_disconnected_raises_leaves_no_task(
    error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise error

    def make(peer: Peer) -> Any:
        made = client(ext_notification=stuck)(peer)
        made.disconnected = fail
        return made

    before = asyncio.all_tasks()
    async with connected({v1: make}) as (peer, wire):
        wire.write(tell())
        await ticks()
        await wire.stream.close()
        await peer.wait_ended()
    assert asyncio.all_tasks() == before
    assert "disconnected failed" in caplog.text


@each_error
async def test_a_failing_notification_handler_does_not_stop_the_next(
    error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    async with connected(client(ext_notification=raising(error()))) as (_, wire):
        wire.write(*[tell("_note")] * 3)
        await ticks()
    assert caplog.text.count("the handler for '_note' failed") == 3


def test_an_exit_in_a_notification_handler_is_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        async with connected(client(ext_notification=raising(SystemExit(3)))) as (_, wire):
            wire.write(tell("_note"))
            await ticks()

    with pytest.raises(SystemExit):
        asyncio.run(main())
    gc.collect()  # deleting a task logs its unretrieved exception
    assert caplog.records == []


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_a_callback_may_end_the_program(error: type[BaseException]) -> None:
    def leave(*args: Any) -> None:
        raise error

    connection = Connection("agent", v1, observe=leave)
    with pytest.raises(error):
        connection.receive(line(ask(1)))


# --- versions and factories ------------------------------------------------------------------


class Alone(v2.SessionClient):
    """A client with an `__init__` that does not accept a peer."""

    def __init__(self, *, name: str = "") -> None:
        super().__init__()
        self.name = name


class Open(v2.SessionClient):
    """A client with an `__init__` that accepts any arguments."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.args = args


@pytest.mark.parametrize("made", [Alone, {v2: Alone}])
async def test_a_class_that_accepts_no_peer_is_called_without_it(made: Any) -> None:
    peer = Peer(memory_streams()[0], "client", made)
    assert isinstance(peer.handler, Alone)
    assert peer.handler.peer is peer


@pytest.mark.parametrize("made", [Open, {v2: Open}])
async def test_a_class_that_accepts_any_arguments_is_called_with_the_peer(made: Any) -> None:
    peer = Peer(memory_streams()[0], "client", made)
    assert isinstance(peer.handler, Open)
    assert peer.handler.args == (peer,)


@pytest.mark.parametrize("error", [LookupError, asyncio.CancelledError])
async def test_a_factory_that_fails_is_logged_and_the_connection_goes_on(
    error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(peer: Peer) -> Any:
        raise error("by the factory")

    async with serving({v1: fail}, handler(v2.AgentHandler), initialized=False) as wire:
        wire.write(initialize(1), initialize(2))
        refused = (await wire.read())["error"]  # without details
        assert refused == {"code": INTERNAL_ERROR, "message": "internal error"}
        assert (await wire.read())["result"]["protocolVersion"] == 2
    assert "cannot create the handler for protocol version 1" in caplog.text
    assert "by the factory" in caplog.text


async def test_a_client_is_told_which_handler_cannot_be_created(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(peer: Peer) -> Any:
        raise LookupError

    params = v1.InitializeRequest(protocol_version=1), v2.InitializeRequest(
        protocol_version=2, info=v2.Implementation(name="client", version="1")
    )
    async with connected({v1: fail}, handler(v2.ClientHandler)) as (peer, wire):
        call, id_ = await begin(wire, peer.initialize(*params))
        wire.write({"id": id_, "result": {"protocolVersion": 1}})
        text = "cannot create the handler for protocol version 1"
        with pytest.raises(RequestError, match=text):
            await call
    assert caplog.messages == [text]


@pytest.mark.parametrize("side", ["agent", "client"])
@pytest.mark.parametrize("error", [LookupError, TypeError])
async def test_the_only_factory_that_fails_closes_the_stream_and_leaves_no_task(
    side: str, error: type[Exception]
) -> None:
    tasks: list[asyncio.Task[Any]] = []

    def factory(peer: Peer) -> Any:
        tasks.append(peer.spawn(stuck(peer)))
        if error is LookupError:
            raise LookupError("factory")
        # A handler for the wrong side.
        return v1.ClientHandler() if side == "agent" else v1.AgentHandler()

    near, far = memory_streams()
    made = {v1: factory}
    opening: Awaitable[Any] = (
        serve(near, made) if side == "agent" else connect(near, made).__aenter__()
    )
    with pytest.raises(error):
        await opening
    assert await far.read() == b""
    await ticks()
    assert [task.done() for task in tasks] == [True]


# --- messages that cannot be read: those waiting for their effect get an error --------------------


async def test_what_has_no_id_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async with connected() as (peer, wire):
        wire.stream.write(b'{"jsonrpc":"2.0","method":"session/update","params":"\xff"}\n')
        assert (await wire.read())["error"]["code"] == -32700
        body = {"code": -32700, "message": "cannot\nread"}
        wire.stream.write(line({"id": None, "error": body}, {"id": 5, "method": "_ask"}))
        await wire.read()
        assert peer.advertised is None
    update, error = caplog.messages
    assert "parse error: text that is not valid Unicode, in 'session/update'" in update
    assert r"could not read a message: 'cannot\nread' (-32700)" in error


TURN = ask(1, "session/prompt", sessionId="s", prompt=[])


async def assert_cancelled(wire: Wire, id_: Any = 1) -> None:
    reply = await wire.read()
    assert (reply["id"], reply["error"]["code"]) == (id_, REQUEST_CANCELLED)


# --- requests from the peer ------------------------------------------------------------------


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


@pytest.mark.parametrize("request_", [ask(1), TURN], ids=["extension", "prompt"])
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


async def test_another_error_of_the_peer_in_a_cancelled_request_is_a_failure(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fail(peer: Peer, method: str, params: Any) -> None:
        try:
            await stuck(peer)
        finally:
            await peer.request(ASK_CLIENT, None)

    async with serving(agent(ext_request=fail)) as wire:
        wire.write(ask(1))
        await ticks()
        wire.write(cancel(1))
        wire.write({"id": (await wire.read())["id"], "error": {"code": -7, "message": "no"}})
        reply = await wire.read()
        assert (reply["id"], reply["error"]["code"]) == (1, INTERNAL_ERROR)
    assert caplog.messages == ["the handler for '_ask' failed"]


async def test_the_handled_request_is_known_until_its_response_is_sent() -> None:
    found: list[Any] = []
    later: list[asyncio.Task[None]] = []
    go_on = asyncio.Event()

    async def handle(peer: Peer, method: str, params: Any) -> None:
        async def outlast() -> None:
            await go_on.wait()
            found.append(peer.handled_request)

        later.append(asyncio.create_task(outlast()))
        request = peer.handled_request
        assert request is not None
        found.append(request.id)

    async with serving(agent(ext_request=handle)) as wire:
        await wire.ask(ask(7))
        go_on.set()
        await asyncio.wait(later)
        assert found == [7, None]


async def test_a_request_cancelled_before_its_turn_is_answered_and_not_started() -> None:
    stopped, turn = Gate(), Gate(DONE)
    turn.go_on.set()
    async with serving(agent(session_cancel=stopped, session_prompt=turn)) as wire:
        wire.write(tell("session/cancel", sessionId="s"), TURN, cancel(1))
        await assert_cancelled(wire)
        stopped.go_on.set()
        wire.write({**TURN, "id": 2})
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
    """Make a call, cancel it, and return the id of its request."""
    call, id_ = await begin(wire, peer.request(ASK, None, on_response=on_response))
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await wire.read() == cancel(id_)
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
