"""Handlers that wait: what they hold up, what they do not, and what the log tells."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, connect, memory_streams
from package.jsonrpc.aio_sides import ASK, client, ticks
from package.jsonrpc.loop import run
from package.jsonrpc.wire import line, tell
from support import virtual_time

PROMPT = v1.AGENT_METHODS["session/prompt"]
UPDATE = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}


def told(session: str) -> Any:
    return tell("session/update", sessionId=session, update=UPDATE)


def prompt(session: str) -> v1.PromptRequest:
    return v1.PromptRequest(session_id=session, prompt=[])


def answer(id_: int) -> Any:
    return {"id": id_, "result": {"stopReason": "end_turn"}}


@pytest.mark.parametrize("about", ["another session", "no session"])
def test_a_slow_handler_delays_no_answer_about_something_else(about: str) -> None:
    async def main() -> None:
        go_on = asyncio.Event()

        async def slow(peer: Peer, params: Any) -> None:
            await go_on.wait()

        near, far = memory_streams()
        async with connect(near, client(session_update=slow)) as peer:
            far.write(line(told("a")))
            await ticks()
            is_other = about == "another session"
            call = peer.request(PROMPT, prompt("b")) if is_other else peer.request(ASK, None)
            calling = asyncio.create_task(call)
            await ticks()
            far.write(line(*([told("c")] if is_other else []), answer(1)))
            await calling
            go_on.set()

    run(main())


def test_a_bounded_queue_and_its_consumer() -> None:
    """The consumer asks about another session; nothing holds its answer back."""

    async def main() -> None:
        queue: asyncio.Queue[Any] = asyncio.Queue(1)
        consumed: list[Any] = []

        async def produce(peer: Peer, params: Any) -> None:
            await queue.put(params)

        near, far = memory_streams()
        async with connect(near, client(session_update=produce)) as peer:

            async def consume() -> None:
                while len(consumed) < 4:
                    consumed.append(await queue.get())
                    await peer.request(PROMPT, prompt("b"))

            consuming = asyncio.create_task(consume())
            far.write(line(*[told("a")] * 4))
            for number in range(4):
                await far.read()
                far.write(line(answer(number + 1)))
            await consuming

    run(main())


@pytest.mark.parametrize("way", ["spawn", "task", "gather"])
def test_a_handler_may_wait_for_a_task_that_asks_the_other_side(way: str) -> None:
    done: list[str] = []

    async def main() -> None:
        async def wait(peer: Peer, params: Any) -> None:
            async def work() -> None:
                await peer.request(PROMPT, prompt(params.session_id))

            if way == "spawn":
                await peer.spawn(work())
            elif way == "task":
                await asyncio.create_task(work())
            else:
                await asyncio.gather(work())
            done.append(way)

        near, far = memory_streams()
        async with connect(near, client(session_update=wait)):
            far.write(line(told("a")))
            await far.read()
            far.write(line(answer(1)))
            while not done:
                await asyncio.sleep(0)

    run(main())


def test_a_message_that_waits_for_long_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        lock = asyncio.Lock()

        async def locked(peer: Peer, params: Any) -> None:
            async with lock:
                pass

        near, far = memory_streams()
        async with connect(near, client(session_update=locked)) as peer, lock:
            calling = asyncio.create_task(peer.request(PROMPT, prompt("a")))
            await ticks()
            far.write(line(told("a"), told("a"), answer(1)))
            await asyncio.sleep(7)
            assert not calling.done()
            lock.release()
            await calling
            await lock.acquire()

    virtual_time.run(main(), 20.0)
    [message] = [record.getMessage() for record in caplog.records]
    assert message.startswith("the response to 'session/prompt' waits for the handler of")
    assert "'session/update', which is at " in message
    assert "in acquire and has not finished in 5 seconds" in message
    assert "1 more messages wait" in message


def test_a_handler_that_finishes_in_time_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async def slow(peer: Peer, params: Any) -> None:
            await asyncio.sleep(4)

        near, far = memory_streams()
        async with connect(near, client(session_update=slow)) as peer:
            calling = asyncio.create_task(peer.request(PROMPT, prompt("a")))
            await ticks()
            far.write(line(told("a"), told("a"), told("a"), answer(1)))
            await calling
            await asyncio.sleep(10)

    virtual_time.run(main(), 60.0)
    assert not caplog.records
