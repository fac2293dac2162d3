"""Tests of the asyncio adapter: message order, and handlers that are slow or never finish."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import REQUEST_CANCELLED, ConnectionClosed, RequestError
from acp_bindings.runtime.aio import MemoryStream, Peer, connect, handling, memory_streams
from acp_bindings.runtime.jsonrpc import Limits
from acp_bindings.runtime.jsonrpc.events import Notification

from tests.package.aio.loop import GUARD, pair, within
from tests.package.aio.sides import (
    ASK,
    ASK_CLIENT,
    CANCEL,
    DONE,
    GIVE_UP,
    PROMPT,
    TELL,
    Gate,
    Wire,
    agent,
    begin,
    client,
    connected,
    done,
    echo,
    prompt,
    serving,
    stop,
    stuck,
    ticks,
)
from tests.package.jsonrpc.wire import ask, cancel, line, tell

UPDATE = v1.CLIENT_METHODS["session/update"]
TELL_CLIENT = v1.EXTENSIONS[("client", "notification")].named("_tell")
STOP = tell("session/cancel", sessionId="s")
# The library abandons a stalled handler within this time, in seconds.
GIVEN_UP = 12.0
# A time limit for tests with handlers that only wait for the library.
at_once = within(0.5)


def update(text: str = "x", session: str = "s") -> v1.SessionNotification:
    chunk = v1.AgentMessageChunk(content=v1.TextContent(text=text))
    return v1.SessionNotification(session_id=session, update=chunk)


def told(text: str = "x", session: str = "s") -> Any:
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    return tell("session/update", sessionId=session, update=chunk)


def text_of(params: Any) -> str:
    text: str = params.update.content.text
    return text


def answer(id_: Any) -> Any:
    return {"id": id_, "result": {"stopReason": "end_turn"}}


def keeping(peers: list[Peer], made: Any) -> Any:
    """Return a handler factory that appends each peer to `peers`."""

    def keep(peer: Peer) -> Any:
        peers.append(peer)
        return made(peer)

    return {v1: keep}


# --- order -----------------------------------------------------------------------------------


@pytest.mark.parametrize("fails", [False, True])
@within(100.0)
async def test_updates_are_handled_one_at_a_time_and_before_the_response(
    fails: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Slow handlers delay the response, but only stalled handlers are abandoned and logged."""
    log: list[str] = []

    async def slow(peer: Peer, params: Any) -> None:
        log.append(f"+{text_of(params)}")
        await asyncio.sleep(4 - int(text_of(params)) / 10)
        log.append(f"-{text_of(params)}")

    async def turn(peer: Peer, params: Any) -> Any:
        for number in range(20):
            await peer.notify(UPDATE, update(str(number)))
        if fails:
            raise RequestError(-1, "no")
        return DONE

    async with pair(agent(session_prompt=turn), client(session_update=slow)) as peer:
        call = asyncio.create_task(peer.request(PROMPT, prompt()))
        await asyncio.wait([call])
        assert (call.exception() is not None) == fails
        assert log == [f"{mark}{number}" for number in range(20) for mark in "+-"]
    assert "waits for the handler" not in caplog.text


@pytest.mark.parametrize("idle", [True, False])
async def test_a_request_starts_between_the_notifications_around_it(idle: bool) -> None:
    """If messages were reordered, the cancellation of a turn could precede the turn and be lost."""
    log: list[str] = []

    async def stopped(peer: Peer, params: Any) -> None:
        log.append("stop")

    async def turn(peer: Peer, params: Any) -> Any:
        log.append("turn")
        return DONE

    async with serving(agent(session_cancel=stopped, session_prompt=turn)) as wire:
        one, two = (ask(id_, "session/prompt", sessionId="s", prompt=[]) for id_ in (1, 2))
        wire.write(*([] if idle else [STOP]), one, STOP, two, STOP)
        assert {(await wire.read())["id"] for _ in range(2)} == {1, 2}
        await ticks()
    assert log == ([] if idle else ["stop"]) + ["turn", "stop", "turn", "stop"]


async def test_a_request_waits_for_slow_notifications_of_its_session_only() -> None:
    gate, turn = Gate(), Gate(DONE)
    turn.go_on.set()
    async with pair(agent(session_cancel=gate, session_prompt=turn)) as peer:
        await peer.notify(CANCEL, stop("s"))
        waits = asyncio.create_task(peer.request(PROMPT, prompt("s")))
        await peer.request(PROMPT, prompt("other"))
        await ticks()
        assert [params.session_id for params in turn.handled] == ["other"]
        gate.go_on.set()
        await waits
        assert [params.session_id for params in turn.handled] == ["other", "s"]


async def test_a_call_that_a_handler_leaves_behind_does_not_loosen_the_order() -> None:
    handled: list[str] = []
    left: list[asyncio.Task[Any]] = []

    async def note(peer: Peer, params: Any) -> None:
        if not left:
            left.append(asyncio.create_task(peer.request(ASK, "never")))
            await ticks()
            assert not left[0].done()
            return
        await ticks()
        handled.append(text_of(params))

    async def turn(peer: Peer, params: Any) -> Any:
        pause = 0 if handled else 40
        for number in range(3):
            await peer.notify(UPDATE, update(str(number)))
            await ticks(pause)
        return DONE

    sides = agent(session_prompt=turn, ext_request=stuck), client(session_update=note)
    async with pair(*sides) as peer:
        await peer.request(PROMPT, prompt())
        assert handled == ["1", "2"]
        await peer.request(PROMPT, prompt())
        assert handled == ["1", "2", "0", "1", "2"]
        left[0].cancel()


@at_once
async def test_a_call_of_a_request_that_overtook_a_handler_does_not_loosen_the_order() -> None:
    gate = Gate()
    started: list[str] = []

    async def note(peer: Peer, params: Any) -> None:
        await peer.request(ASK, "note")  # meanwhile, requests don't wait for this handler
        await gate(peer)

    async def permit(peer: Peer, params: Any) -> Any:
        started.append(params.tool_call.tool_call_id)
        await peer.request(ASK, "permit")
        return v1.RequestPermissionResponse(outcome=v1.CancelledRequestPermissionOutcome())

    handlers = client(session_update=note, session_request_permission=permit)
    async with connected(handlers) as (_, wire):
        question = {"sessionId": "s", "options": []}
        method = "session/request_permission"
        wire.write(told(), ask("q", method, **question, toolCall={"toolCallId": "first"}))
        asked = {message["params"]: message["id"] for message in [await wire.read() for _ in "12"]}
        wire.write({"id": asked["note"], "result": None})
        await gate.started.wait()
        wire.write(ask("r", method, **question, toolCall={"toolCallId": "second"}))
        await ticks()
        assert started == ["first"]
        gate.go_on.set()
        await ticks()
        assert started == ["first", "second"]


@at_once
async def test_a_response_that_ends_no_updates_is_delivered_at_receipt() -> None:
    async def speak(peer: Peer, params: Any) -> Any:
        await peer.notify(UPDATE, update())
        return v1.SetSessionModeResponse()

    async with pair(agent(session_set_mode=speak), client(session_update=stuck)) as peer:
        mode = v1.SetSessionModeRequest(session_id="s", mode_id="m")
        await peer.request(v1.AGENT_METHODS["session/set_mode"], mode)


# --- handlers that wait for the peer ---------------------------------------------------------


WAYS: Any = {
    "directly": lambda peer, call: call(),
    "through gather": lambda peer, call: asyncio.gather(call(), call()),
    "through wait_for": lambda peer, call: asyncio.wait_for(call(), GIVE_UP),
    "through a task": lambda peer, call: asyncio.create_task(call()),
    "through spawn": lambda peer, call: peer.spawn(call()),
    "through shield": lambda peer, call: asyncio.shield(call()),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("in_session", [True, False])
@at_once
async def test_a_handler_may_call_the_other_side_and_wait(way: str, in_session: bool) -> None:
    finished: list[Any] = []

    async def call_back(peer: Peer, params: Any) -> None:
        def call() -> Any:
            return peer.request(PROMPT, prompt()) if in_session else peer.request(ASK, None)

        await WAYS[way](peer, call)
        finished.append(params)

    async with connected(client(session_update=call_back)) as (_, wire):
        wire.write(told(), told())
        while len(finished) < 2:
            wire.write(answer((await wire.read())["id"]))
            await ticks()


@pytest.mark.parametrize("way", ["ends the call", "cancels the task"])
@at_once
async def test_a_cancel_handler_may_await_a_task_that_calls_the_client(way: str) -> None:
    tasks: list[asyncio.Task[Any]] = []
    events = {"kill": asyncio.Event(), "release": asyncio.Event()}

    async def work(peer: Peer) -> None:
        try:
            await peer.request(ASK_CLIENT, "wait")
        finally:
            await peer.request(ASK_CLIENT, "release")

    async def turn(peer: Peer, params: Any) -> Any:
        tasks.append(asyncio.create_task(work(peer)))
        await asyncio.wait(tasks)
        return DONE

    async def cancelled(peer: Peer, params: Any) -> None:
        if way == "ends the call":
            await peer.request(ASK_CLIENT, "kill")
        else:
            tasks[0].cancel()
        await asyncio.wait(tasks)

    async def terminal(peer: Peer, method: str, params: str) -> None:
        if params == "wait":
            await events["kill"].wait()
        else:
            events[params].set()

    sides = agent(session_prompt=turn, session_cancel=cancelled), client(ext_request=terminal)
    async with pair(*sides) as peer:
        prompted = asyncio.create_task(peer.request(PROMPT, prompt()))
        await ticks()
        await peer.notify(CANCEL, stop())
        await prompted
        assert events["release"].is_set()


@within(30.0)
async def test_two_sides_whose_handlers_notify_go_on() -> None:
    count = 10_500
    handled = {"agent": 0, "client": 0}
    peers: list[Peer] = []

    async def of_agent(peer: Peer, method: str, params: Any) -> None:
        if params == "go":
            await peer.notify(TELL_CLIENT, "x" * 100)
        handled["agent"] += 1

    async def of_client(peer: Peer, method: str, params: Any) -> None:
        if params == "go":
            await peer.notify(TELL, "x" * 100)
        handled["client"] += 1

    made = keeping(peers, agent(ext_notification=of_agent))
    async with pair(made, client(ext_notification=of_client)) as peer:
        for _ in range(count):
            peer.post(TELL, "go")
            peers[0].post(TELL_CLIENT, "go")
        await asyncio.gather(peer.drain(), peers[0].drain())
        while min(handled.values()) < 2 * count:
            await asyncio.sleep(0.01)


# --- handlers that do not get on -------------------------------------------------------------


@within(2.0)
async def test_beyond_the_backlog_other_sessions_get_on(caplog: pytest.LogCaptureFixture) -> None:
    calls: list[asyncio.Task[Any]] = []

    async def handle(peer: Peer, params: Any) -> None:
        if params.session_id == "stuck":
            await asyncio.wait(calls)  # the response arrives after this update

    async with connected(client(session_update=handle)) as (peer, wire):
        call, id_ = await begin(wire, peer.request(PROMPT, prompt("other")))
        calls.append(call)
        wire.write(*[told(session="stuck")] * 12_000)
        await ticks()
        wire.write(*[told(session="other")] * 100, answer(id_))
        await call
    [entry] = caplog.messages
    assert entry.startswith("reading waited for the handler for 'session/update', which is at ")
    assert "tasks.py" in entry


@within(5.0)
async def test_beyond_the_backlog_a_session_that_got_on_for_long_gets_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Only waiting updates count toward the limit, not earlier updates of the session."""
    gate, handled = asyncio.Semaphore(0), 0

    async def handle(peer: Peer, params: Any) -> None:
        nonlocal handled
        await (asyncio.Event().wait() if params.session_id == "stuck" else gate.acquire())
        handled += 1

    made = client(session_update=handle)
    async with connected(made, limits=Limits(backlog=10)) as (_, wire):
        wire.write(*[told(session="stuck")] * 250)
        await asyncio.sleep(1.5)  # reading pauses for the stuck session, but not forever
        wire.write(told(session="busy"))
        for _ in range(150):
            wire.write(told(session="busy"))
            await ticks()
            gate.release()
            await ticks()
        assert handled == 150
        [entry] = caplog.messages
        assert entry.startswith("reading waited for the handler for 'session/update'")


FULL = Limits(backlog=10, backlog_bytes=1000)


async def lanes_with(
    counts: list[int], size: int, handle: Any, limits: Limits = FULL
) -> handling.Lanes:
    """Return lanes that received these numbers of notifications, each of this many bytes.

    The sessions are "0", "1" and so on.
    """
    lanes = handling.Lanes(handle, limits)
    for key, count in enumerate(counts):
        for _ in range(count):
            lanes.put(key, Notification(UPDATE, update(session=str(key)), size))
    await ticks()
    return lanes


async def end_lanes(lanes: handling.Lanes) -> None:
    tasks = lanes.tasks()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    lanes.close()


@pytest.mark.parametrize(
    ("counts", "size", "pauses"),
    [
        ([10], 1, False),
        ([11], 1, True),
        ([1, 11], 1, True),
        ([2], 500, False),
        ([2], 501, True),
        # Above twice the limits of one session, or 200 notifications. A session counts as eight.
        ([2] * 20, 1, False),
        ([2] * 20 + [1], 1, True),
        ([2, 2], 500, False),
        ([1, 1, 1], 667, True),
    ],
)
async def test_reading_pauses_beyond_the_limits_of_a_session_and_of_all_sessions(
    counts: list[int], size: int, pauses: bool
) -> None:
    lanes = await lanes_with(counts, size, stuck)
    assert lanes.holds_reading is pauses
    assert lanes.needs_room or not pauses
    await end_lanes(lanes)
    assert not lanes.holds_reading
    assert not lanes.needs_room


@pytest.mark.parametrize(
    ("counts", "size", "has_ended"),
    [
        ([1] * 43 + [5], 1, False),
        ([1] * 43 + [6], 1, True),
        ([4], 1000, False),
        ([1] * 3, 1334, True),
    ],
)
@at_once
async def test_four_times_the_limits_may_wait_for_handlers_that_wait_for_the_peer(
    counts: list[int], size: int, has_ended: bool
) -> None:
    async def wait(event: Any) -> None:
        with handling.waiting():
            await asyncio.Event().wait()

    lanes = await lanes_with(counts, size, wait)
    assert not lanes.holds_reading
    assert await lanes.wait_for_room() is not has_ended
    await end_lanes(lanes)


async def test_a_session_that_has_room_again_does_not_end_the_wait_for_another(
    caplog: pytest.LogCaptureFixture,
) -> None:
    go_on = asyncio.Event()

    async def wait(event: Any) -> None:
        await (go_on if event.params.session_id == "0" else asyncio.Event()).wait()

    lanes = await lanes_with([11, 11], 1, wait)
    waiting = asyncio.create_task(lanes.wait_for_room())
    await ticks()
    go_on.set()
    await ticks()
    assert lanes.holds_reading
    assert not waiting.done()
    assert caplog.messages == []
    waiting.cancel()
    await end_lanes(lanes)


@pytest.mark.parametrize(("count", "pauses"), [(10, False), (11, True)])
async def test_reading_pauses_for_a_session_whatever_waits_for_the_peer(
    count: int, pauses: bool
) -> None:
    async def wait(event: Any) -> None:
        with handling.waiting() if event.params.session_id == "0" else nullcontext():
            await asyncio.Event().wait()

    lanes = await lanes_with([200, count], 1, wait)
    assert lanes.holds_reading is pauses
    await end_lanes(lanes)


@at_once
async def test_work_that_waits_for_all_sessions_begins_once_they_are_all_handled() -> None:
    gates = {name: asyncio.Event() for name in "012"}
    begun: list[str] = []

    async def wait(event: Any) -> None:
        await gates[event.params.session_id].wait()

    lanes = await lanes_with([1, 1, 1], 1, wait)
    lanes.after_all(lambda: begun.append("after all"), "the end")
    for gate in gates.values():
        assert begun == []
        gate.set()
        await ticks()
    assert begun == ["after all"]
    lanes.after_all(lambda: begun.append("at once"), "the end")
    assert begun == ["after all", "at once"]
    lanes.close()


@within(1.5)
async def test_reading_waits_one_second_for_a_handler_that_does_not_get_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    lanes = await lanes_with([11], 1, stuck)
    waiting = asyncio.create_task(lanes.wait_for_room())
    await asyncio.sleep(0.95)
    assert not waiting.done()
    await asyncio.sleep(0.1)
    assert waiting.result() is True
    [entry] = caplog.messages
    place = handling.place_of(lanes.tasks()[0])
    assert entry == (
        f"reading waited for the handler for 'session/update', which is at {place} and has not "
        "finished in 1 seconds; 10 more messages are waiting; start a task for slow work, and do "
        "not wait in a handler for a later notification of its session"
    )
    await end_lanes(lanes)


@within(2.0)
async def test_reading_goes_on_as_soon_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handling, "PATIENCE", 1000.0)

    async def handle(peer: Peer, params: Any) -> None:
        await asyncio.sleep(0)

    made = client(session_update=handle)
    async with connected(made, limits=Limits(backlog=10)) as (peer, wire):
        call, id_ = await begin(wire, peer.request(PROMPT, prompt("s")))
        for _ in range(3):
            wire.write(*[told()] * 20)
            await ticks()
        wire.write(answer(id_))
        await call


@within(20.0)
async def test_a_stalled_lane_is_logged_even_if_nothing_but_notifications_wait(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A handler that waits for a later notification of its session blocks only that session."""
    later = asyncio.Event()

    async def handle(peer: Peer, params: Any) -> None:
        if text_of(params) == "later":
            later.set()
        elif params.session_id == "s":
            await later.wait()

    async with connected(client(session_update=handle)) as (peer, wire):
        wire.write(told(), told("later"))
        await asyncio.sleep(5)
        assert caplog.messages == []
        await asyncio.sleep(2)
        assert not later.is_set()
        call, id_ = await begin(wire, peer.request(PROMPT, prompt("other")))
        wire.write(told(session="other"), answer(id_))
        await asyncio.wait_for(call, 0.5)
    [entry] = caplog.messages
    assert entry.startswith("the notification 'session/update' waits for the handler for")
    assert "locks.py" in entry
    assert "in wait and has not finished in 5 seconds; 0 more messages are waiting" in entry


@pytest.mark.parametrize("what", ["response", "request"])
@within(GIVEN_UP)
async def test_what_waits_for_a_handler_that_does_not_get_on_is_let_through(
    what: str, caplog: pytest.LogCaptureFixture
) -> None:
    permit = Gate(v1.RequestPermissionResponse(outcome=v1.CancelledRequestPermissionOutcome()))
    permit.go_on.set()
    handlers = client(session_update=stuck, session_request_permission=permit)
    async with connected(handlers) as (peer, wire):
        call, id_ = await begin(wire, peer.request(PROMPT, prompt()))
        wire.write(told(), told())
        if what == "response":
            wire.write(answer(id_))
            await asyncio.sleep(10.5)
            assert not call.done()
            await call
        else:
            question = {"sessionId": "s", "options": [], "toolCall": {"toolCallId": "c"}}
            wire.write(ask("q", "session/request_permission", **question))
            assert (await wire.read())["result"] == {"outcome": {"outcome": "cancelled"}}
            call.cancel()
    entry = caplog.messages[0]
    named = {
        "response": "response to 'session/prompt'",
        "request": "request 'session/request_permission'",
    }
    assert entry.startswith(f"the {named[what]} waits for the handler for 'session/update', which")
    assert "in wait and has not finished in 5 seconds; 1 more messages are waiting" in entry


# --- ends ------------------------------------------------------------------------------------

CALLERS = ["notification", "request", "task", "shield", "context"]


@pytest.mark.parametrize("caller", CALLERS)
@at_once
async def test_a_handler_may_close_the_connection(caller: str) -> None:
    async def close(peer: Peer, *args: Any) -> None:
        if caller == "task":
            await asyncio.create_task(peer.close())
        elif caller == "shield":
            await asyncio.shield(peer.close())
        elif caller == "context":
            await context.__aexit__(None, None, None)
        else:
            await peer.close()

    before = asyncio.all_tasks()
    near, end = memory_streams()
    far = Wire(end)
    context = connect(near, client(ext_request=close, ext_notification=close))
    peer = await context.__aenter__()
    call, _ = await begin(far, peer.request(ASK, None))
    far.write(ask(1) if caller == "request" else tell())
    with pytest.raises(ConnectionClosed):
        await call
    await peer.wait_ended()
    replies = [(reply["id"], reply["error"]["code"]) for reply in await far.rest()]
    assert replies == [(1, REQUEST_CANCELLED)] * (caller == "request")
    if caller != "context":
        await context.__aexit__(None, None, None)
    await ticks()
    assert asyncio.all_tasks() == before


@within(2.0)
async def test_the_end_of_a_connection_ends_calls_behind_a_busy_handler() -> None:
    async with connected(client(session_update=stuck)) as (peer, wire):
        call, id_ = await begin(wire, peer.request(PROMPT, prompt()))
        wire.write(told(), answer(id_))
        await ticks()
        await wire.stream.close()
        await call
        await peer.wait_ended()


@at_once
async def test_a_handler_that_cancels_a_task_of_its_own_does_not_end_its_lane() -> None:
    handled: list[str] = []

    async def cancels(peer: Peer, params: Any) -> None:
        text = text_of(params)
        handled.append(text)
        task: Any = asyncio.current_task()
        if text == "another":
            task = asyncio.create_task(asyncio.sleep(GIVE_UP))
        task.cancel()
        if text == "another":
            await task
        if text != "no wait":
            await asyncio.sleep(0)

    async with connected(client(session_update=cancels)) as (peer, wire):
        call, id_ = await begin(wire, peer.request(PROMPT, prompt()))
        texts = ["wait", "no wait", "another", "after", "no wait", "last"]
        wire.write(*map(told, texts), answer(id_))
        await call
        assert handled == texts


@at_once
async def test_requests_cancelled_behind_a_slow_handler_are_forgotten() -> None:
    gate = Gate()
    async with serving(agent(session_cancel=gate, session_prompt=done)) as wire:
        params = {"sessionId": "s", "prompt": [], "_meta": {"marked": 1}}
        wire.write(STOP, *(ask(number, "session/prompt", **params) for number in range(100)))
        await ticks()
        assert marked_prompts() == 100
        wire.write(*(cancel(number) for number in range(100)))
        await ticks()
        assert marked_prompts() == 0
        gate.go_on.set()


def marked_prompts() -> int:
    """Return the number of prompts in memory that have the mark in `_meta`."""
    gc.collect()
    prompts = [each for each in gc.get_objects() if type(each) is v1.PromptRequest]
    return sum(each.meta == {"marked": 1} for each in prompts)


# --- many, slow, and elsewhere ---------------------------------------------------------------


CALLS: Any = {
    "post": lambda peer: peer.post(TELL, None),
    "flush": lambda peer: peer.drain(),
    "request": lambda peer: peer.request(ASK, None),
    "close": lambda peer: peer.close(),
    "spawn": lambda peer: peer.spawn(echo(peer, "", None)),
}


@pytest.mark.parametrize("call", CALLS)
def test_another_thread_is_told_how_to_call(call: str) -> None:
    async def use(peer: Peer) -> None:
        await CALLS[call](peer)

    async def main() -> None:
        async with pair(agent(ext_request=echo)) as peer:
            with pytest.raises(RuntimeError, match="run_coroutine_threadsafe"):
                await asyncio.to_thread(asyncio.run, use(peer))
            loop = asyncio.get_running_loop()
            answered = asyncio.run_coroutine_threadsafe(peer.request(ASK, 1), loop)
            assert await asyncio.wrap_future(answered) == 1

    asyncio.run(asyncio.wait_for(main(), GUARD))


# --- messages of one step are written together, after an immediate first write ---------------


class Recorded(MemoryStream):
    """A stream that records each write separately."""

    def __init__(self, stream: MemoryStream) -> None:
        super().__init__(stream._incoming, stream._outgoing)
        self.writes: list[list[Any]] = []

    def write(self, data: bytes) -> None:
        """Record the params or the result of each message."""
        messages = [json.loads(text) for text in data.splitlines()]
        self.writes.append([each.get("params", each.get("result")) for each in messages])
        super().write(data)


@asynccontextmanager
async def recorded(**methods: Any) -> AsyncGenerator[tuple[Recorded, MemoryStream, Peer]]:
    """Connect a client over a `Recorded` stream. Yield the stream, the agent's end and the peer."""
    near, far = memory_streams()
    stream = Recorded(near)
    async with connect(stream, client(**methods)) as peer:
        yield stream, far, peer
    await far.close()


async def test_notifications_of_one_step_are_two_writes() -> None:
    async with recorded() as (stream, _, peer):

        async def tell_one(number: int) -> None:
            await peer.notify(TELL, number)
            assert any(number in write for write in stream.writes), number

        await asyncio.gather(*map(tell_one, range(5)))
        assert stream.writes == [[0], [1, 2, 3, 4]]
        for number in range(5, 7):  # the first message of each step is written immediately
            await peer.notify(TELL, number)
            await ticks(2)
        assert stream.writes[2:] == [[5], [6]]
        peer.post(TELL, "a")
        peer.post(TELL, "b")
        assert stream.writes[4:] == [["a"]]
        await peer.drain()  # writes the other message in the same step
        assert stream.writes[4:] == [["a"], ["b"]]


async def test_requests_and_replies_of_one_step_are_two_writes_each() -> None:
    gate = asyncio.Event()

    async def answer(peer: Peer, method: str, params: Any) -> Any:
        await gate.wait()
        return params

    async with recorded(ext_request=answer) as (stream, far, peer):
        calls = asyncio.gather(*(peer.request(ASK, number) for number in range(4)))
        await ticks(2)
        assert stream.writes == [[0], [1, 2, 3]]
        far.write(line(*({"id": number + 1, "result": number} for number in range(4))))
        assert await calls == [0, 1, 2, 3]
        stream.writes.clear()
        far.write(line(*(ask(number, x=number) for number in range(4)), tell("_told")))
        await ticks(5)
        assert stream.writes == []
        gate.set()
        await ticks(5)
        assert stream.writes == [[{"x": 0}], [{"x": 1}, {"x": 2}, {"x": 3}]]
