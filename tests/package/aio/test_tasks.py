"""Tests that connections, tasks and streams are cleaned up when one side misbehaves."""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
import threading
import time
from contextlib import suppress
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import REQUEST_CANCELLED
from acp_bindings.runtime.aio import Peer, connect, memory_streams, stdio, streams, tasks
from acp_bindings.runtime.aio.stdio import FileStream
from acp_bindings.runtime.aio.tasks import Dropped, frames_of, name_of, place_of

from tests.package.aio.loop import GUARD, nothing_unnoticed
from tests.package.aio.sides import GIVE_UP, Gate, agent, client, served, stuck
from tests.package.jsonrpc.wire import ask, line, tell
from tests.package.session.scripted import Script, failure, logs, result, settle

CLOSE = ask(1, "session/close", sessionId="s")
CANCEL = tell("session/cancel", sessionId="s")
WITHDRAWN = failure(1, REQUEST_CANCELLED, "request cancelled")
pytestmark = logs  # tests must list all messages that they log

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs pipes of POSIX")
each_end = pytest.mark.parametrize("way", ["input", "cancelled"])


async def end(script: Script, serving: asyncio.Task[None], way: str) -> None:
    """Close a connection in the given way, and check that its task is done."""
    if way == "input":
        script._stream._outgoing.close()  # the agent's output can still be read
    else:
        serving.cancel()
    await settle()
    # Awaiting the task could hang, since closing continues even if the awaiting task is cancelled.
    assert serving.done()
    assert serving.cancelled() == (way == "cancelled")


async def closing(peer: Peer, params: Any) -> Any:
    """Respond to `session/close` after one more step of the event loop."""
    await asyncio.sleep(0)
    return v1.CloseSessionResponse()


# --- tasks end with the connection -----------------------------------------------------------


@each_end
async def test_nothing_begins_behind_a_handler_that_swallows_cancelling(way: str) -> None:
    log: list[str] = []

    async def stubborn(peer: Peer, params: Any) -> None:
        log.append("notification")
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.sleep(0)
        log.append("swallowed")

    close = Gate()
    made = agent(session_cancel=stubborn, session_close=close)
    script, serving = await served(made, linger=0)
    script.write(CANCEL, CLOSE, CANCEL)
    await settle()
    assert log == ["notification"]
    await end(script, serving, way)
    assert log == ["notification", "swallowed"]
    assert not close.started.is_set()
    assert await script.rest() == [WITHDRAWN]


@pytest.mark.parametrize("steps", range(6))
async def test_whenever_the_connection_closes_a_request_is_answered_once(steps: int) -> None:
    go_on = asyncio.Event()
    begun: list[Any] = []

    async def wait(peer: Peer, params: Any) -> None:
        await go_on.wait()
        for _ in range(steps):
            await asyncio.sleep(0)

    async def close(peer: Peer, params: Any) -> Any:
        begun.append(params)
        return await closing(peer, params)

    script, serving = await served(agent(session_cancel=wait, session_close=close))
    script.write(CANCEL, CLOSE)
    await settle()
    go_on.set()
    await end(script, serving, "cancelled")
    assert await script.rest() in ([WITHDRAWN], [result(1)] if begun else [WITHDRAWN])
    if steps == 1:  # the request's task is cancelled before its first step
        assert begun == []


@each_end
@pytest.mark.parametrize("steps", range(6))
async def test_whatever_comes_right_before_the_end_is_answered(way: str, steps: int) -> None:
    async def note(peer: Peer, params: Any) -> None:
        await asyncio.sleep(0)

    made = agent(session_cancel=note, session_close=closing)
    script, serving = await served(made, linger=0)
    await settle()
    script.write(CANCEL, CLOSE)
    for _ in range(steps):
        await asyncio.sleep(0)
    await end(script, serving, way)
    # A request that was not read before the cancellation gets no response.
    unread: list[Any] = [[]] if way == "cancelled" and steps == 0 else []
    assert await script.rest() in ([WITHDRAWN], [result(1)], *unread)


@pytest.mark.parametrize(
    ("message", "way", "expected"),
    [
        (CLOSE, "input", [result(1)]),
        (CLOSE, "cancelled", [WITHDRAWN]),
        (CANCEL, "cancelled", []),
    ],
    ids=["request, input", "request, cancelled", "notification, cancelled"],
)
async def test_a_message_without_the_end_of_its_line_is_still_read_at_the_end(
    message: Any, way: str, expected: list[Any]
) -> None:
    methods = {"session_close": closing, "session_cancel": stuck}
    script, serving = await served(agent(v1, **methods), linger=GIVE_UP)
    script._stream.write(line(message)[:-1])
    await settle()
    await end(script, serving, way)
    assert await script.rest() == expected


async def test_a_message_without_the_end_of_its_line_does_not_hold_up_a_client_that_leaves() -> (
    None
):
    near, far = memory_streams()
    context = connect(near, client(ext_notification=stuck))
    await context.__aenter__()
    far.write(line(tell())[:-1])
    await settle()
    leaving = asyncio.create_task(context.__aexit__(None, None, None))
    await settle()
    assert leaving.done()
    assert await far.read() == b""


# --- spawned tasks ---------------------------------------------------------------------------


async def test_a_task_spawned_after_the_end_is_cancelled_at_once() -> None:
    peers: list[Peer] = []

    async def keep(peer: Peer, params: Any) -> Any:
        peers.append(peer)
        return v1.CloseSessionResponse()

    script, serving = await served(agent(session_close=keep))
    script.write(CLOSE)
    assert await script.read() == result(1)
    await script.close()
    await serving
    gate = Gate()
    never = gate(peers[0])
    task = peers[0].spawn(never)
    await asyncio.wait([task])
    assert task.cancelled()
    assert not gate.started.is_set()
    await settle()
    assert inspect.getcoroutinestate(never) == inspect.CORO_CLOSED


@each_end
async def test_a_task_spawned_while_the_connection_closes_does_not_outlive_it(way: str) -> None:
    spawned: list[asyncio.Task[Any]] = []

    async def leave_behind(peer: Peer, params: Any) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            spawned.append(peer.spawn(stuck(peer)))

    script, serving = await served(agent(session_close=leave_behind), linger=0)
    script.write(CLOSE)
    await settle()
    before = asyncio.all_tasks()
    await end(script, serving, way)
    assert asyncio.all_tasks() < before
    assert len(spawned) == 1
    assert await script.rest() == [WITHDRAWN]


@each_end
async def test_the_cleanup_of_a_spawned_task_is_waited_for(way: str) -> None:
    log: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(10):
                await asyncio.sleep(0)
            log.append("cleaned up")

    async def spawn(peer: Peer, params: Any) -> Any:
        peer.spawn(work())
        return v1.CloseSessionResponse()

    script, serving = await served(agent(session_close=spawn), linger=0)
    script.write(CLOSE)
    assert await script.read() == result(1)
    assert log == []
    await end(script, serving, way)
    assert log == ["cleaned up"]


# --- streams whose reader has stopped --------------------------------------------------------

MUCH = bytes(range(256)) * 4096  # more than fits into a pipe
KINDS = [pytest.param(kind, marks=POSIX) for kind in ("pipe", "file")]
each_kind = pytest.mark.parametrize("kind", KINDS)


def read_rest(descriptor: int) -> bytes:
    """Read until the write end of the pipe is closed in all processes, then close the read end."""
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


class Pipes:
    """Two pipes: the ends for a stream, and the opposite ends for tests."""

    def __init__(self) -> None:
        (self.incoming, self.source), (self.reading, self.outgoing) = os.pipe(), os.pipe()
        self._pipes = {each: os.fstat(each).st_ino for each in (self.incoming, self.outgoing)}

    async def open(self, kind: str) -> Any:
        if kind == "file":
            return FileStream(self.incoming, self.outgoing)
        return await stdio._open_pipes(self.incoming, self.outgoing)

    async def read_rest(self) -> bytes:
        return await asyncio.to_thread(read_rest, self.reading)

    def _is_open(self) -> bool:
        """Return whether either end of the stream is open.

        Inodes are compared, because the descriptor of a closed end might have been reused.
        """
        for descriptor, pipe in self._pipes.items():
            with suppress(OSError):
                if os.fstat(descriptor).st_ino == pipe:
                    return True
        return False

    async def assert_closed(self) -> None:
        """Close the source and wait for the stream to close. A reading thread can delay this."""
        os.close(self.source)
        deadline = time.monotonic() + GUARD
        while self._is_open():
            assert time.monotonic() < deadline
            await asyncio.sleep(0.001)


def set_grace(monkeypatch: pytest.MonkeyPatch, grace: float) -> None:
    for module in (streams, stdio):
        monkeypatch.setattr(module, "GRACE", grace)


@each_kind
async def test_a_stream_that_is_not_read_is_closed_within_its_grace(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_grace(monkeypatch, 0.05)
    pipes = Pipes()
    stream = await pipes.open(kind)
    stream.write(MUCH)
    waiting = asyncio.create_task(stream.drain())
    await settle()
    assert not waiting.done()
    await asyncio.wait_for(stream.close(), GUARD / 2)
    # A later reader gets everything that was in the pipe, in order.
    data = await pipes.read_rest()
    await asyncio.wait([waiting])
    waiting.exception()
    await pipes.assert_closed()
    assert data
    assert MUCH.startswith(data)


@each_kind
async def test_what_is_read_within_the_grace_is_not_lost(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_grace(monkeypatch, GIVE_UP)
    pipes = Pipes()
    stream = await pipes.open(kind)
    stream.write(MUCH)
    draining = asyncio.create_task(stream.drain())
    await settle()
    draining.cancel()  # a cancelled `drain` must not split a message
    with pytest.raises(asyncio.CancelledError):
        await draining
    stream.write(b"the end")
    leaving = asyncio.create_task(stream.close())
    await settle()
    assert not leaving.done()
    assert await pipes.read_rest() == MUCH + b"the end"
    await leaving
    await pipes.assert_closed()


@each_kind
async def test_a_stream_tells_how_much_it_has_not_sent(kind: str) -> None:
    pipes = Pipes()
    stream = await pipes.open(kind)
    assert stream.unsent() == 0
    stream.write(MUCH)
    stream.write(MUCH)
    await settle()
    assert 0 < stream.unsent() <= 2 * len(MUCH)
    reading = asyncio.create_task(pipes.read_rest())
    while stream.unsent():
        await asyncio.sleep(0.001)
    await stream.close()
    assert await reading == 2 * MUCH
    await pipes.assert_closed()


@each_kind
async def test_a_stream_whose_reader_has_gone_tells_so_and_is_closed(kind: str) -> None:
    pipes = Pipes()
    stream = await pipes.open(kind)
    os.close(pipes.reading)
    for _ in range(2):
        stream.write(MUCH)
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            await stream.drain()
        await settle()
    await stream.close()
    await settle()
    await pipes.assert_closed()


@each_kind
@pytest.mark.parametrize("reads", [True, False])
async def test_a_stream_is_closed_while_it_is_read(kind: str, reads: bool) -> None:
    pipes = Pipes()
    stream = await pipes.open(kind)
    reading = []
    if reads:
        os.write(pipes.source, b"some")
        assert await stream.read() == b"some"
        reading.append(asyncio.create_task(stream.read()))
        await asyncio.sleep(0)
    await stream.close()
    await pipes.assert_closed()  # closing the source ends a read in a thread
    assert await asyncio.gather(*reading) == [b""] * reads
    assert await stream.read() == b""
    os.close(pipes.reading)


async def test_the_place_of_a_task_leaves_out_frames_of_asyncio_except_the_innermost() -> None:
    async def work() -> None:
        changed = asyncio.Condition()
        async with changed:
            await changed.wait_for(lambda: False)

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    own, innermost = place_of(task).split(" > ")
    assert own.startswith(f"{__file__}:")
    assert own.endswith(" in work")
    assert innermost.endswith(" in wait")
    task.cancel()
    await asyncio.wait([task])
    assert place_of(task) == "its end"


@pytest.mark.parametrize("is_closed", [True, False])
@pytest.mark.parametrize("is_done", [True, False])
async def test_a_dropped_task_runs_until_it_is_done_and_closed(
    is_closed: bool, is_done: bool
) -> None:
    task = asyncio.create_task(asyncio.sleep(0))
    if is_done:
        await task
    assert Dropped(task, "here", is_closed).is_running != (is_closed and is_done)
    await task


async def waits() -> None:
    await asyncio.Event().wait()


async def ignores_closing(go_on: asyncio.Event) -> None:
    try:
        await waits()
    except GeneratorExit:
        await go_on.wait()


async def drops(inner: asyncio.Task[Any]) -> None:
    try:
        await waits()
    except GeneratorExit:
        tasks.drop(inner, "inner")
        raise


@logs("stuck", "stubborn", "inner")
async def test_dropped_tasks_are_closed_and_logged_with_their_innermost_location(
    caplog: pytest.LogCaptureFixture,
) -> None:
    go_on = asyncio.Event()
    inner = asyncio.create_task(waits())
    works = waits(), ignores_closing(go_on), drops(inner)
    made = [asyncio.create_task(work) for work in works]
    await settle()
    places = [place_of(task) for task in (*made, inner)]
    collected: list[Dropped] = []
    token = tasks.dropped.set(collected)
    for task, problem in zip(made, ("stuck", "stubborn", "outer"), strict=True):
        tasks.drop(task, problem)
    tasks.dropped.reset(token)
    assert [(entry.task, entry.place, entry.is_closed) for entry in collected] == [
        (made[0], places[0], True),
        (made[1], places[1], False),
        (made[2], places[2], True),
        (inner, places[3], True),
    ]
    assert caplog.messages == [
        f"stuck (at {places[0]})",
        f"stubborn (at {places[1]}); it cannot be stopped",
        f"inner (at {places[3]})",
    ]
    kinds = [vars(record)["kind"] for record in caplog.records]
    assert kinds == [places[0], places[1], places[3]]
    await asyncio.wait([*made, inner])
    assert [entry.is_running for entry in collected] == [False, True, False, False]
    # A daemon thread keeps the coroutine that could not be closed, even at program exit.
    assert works[1] in tasks._undead
    daemons = [thread for thread in threading.enumerate() if thread.daemon]
    assert "_hold" in {name_of(frame)[1] for each in daemons for frame in frames_of(each)}


def test_an_exit_that_a_task_announces_is_not_logged() -> None:
    async def leave() -> None:
        tasks.exit_quietly()
        raise SystemExit(3)

    async def main() -> None:
        await asyncio.wait([asyncio.create_task(leave())])

    with nothing_unnoticed(), pytest.raises(SystemExit, match="3"):
        asyncio.run(main())


@pytest.mark.parametrize("fails", [True, False])
async def test_uninterrupted_work_ends_before_the_waiting_task_is_cancelled(fails: bool) -> None:
    go_on = asyncio.Event()

    async def work() -> None:
        await go_on.wait()
        if fails:
            raise LookupError

    waiting = asyncio.create_task(tasks.uninterrupted(work()))
    for _ in range(2):
        await settle()
        waiting.cancel()
    await settle()
    assert not waiting.done()
    go_on.set()
    with pytest.raises(LookupError if fails else asyncio.CancelledError):
        await waiting


@logs("a handler did not finish within 0 seconds; dropping it")
async def test_tasks_that_swallow_their_cancellation_are_done_once_all_are_ended() -> None:
    async def swallow() -> None:
        while True:
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()

    made = [asyncio.create_task(work) for work in (swallow(), waits())]
    await settle()
    await tasks.end_tasks(lambda: [task for task in made if not task.done()], 0.0)
    assert [task.done() for task in made] == [True, True]
