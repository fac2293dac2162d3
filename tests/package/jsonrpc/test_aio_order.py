"""The asyncio adapter: the order in which messages are handled, and how many at a time."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import ConnectionClosed, RequestError
from acp_bindings.runtime.aio import Peer, connect, memory_streams
from package.jsonrpc.aio_sides import (
    ASK,
    ASK_CLIENT,
    CANCEL,
    DONE,
    GIVE_UP,
    PROMPT,
    TELL,
    agent,
    client,
    echo,
    prompt,
    served,
    stop,
    ticks,
)
from package.jsonrpc.loop import pair, run
from package.jsonrpc.wire import ask, cancel, marked, tell

UPDATE = v1.CLIENT_METHODS["session/update"]


def update(text: str, session: str = "s") -> v1.SessionNotification:
    chunk = v1.AgentMessageChunk(content=v1.TextContent(text=text))
    return v1.SessionNotification(session_id=session, update=chunk)


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

    async def main() -> None:
        events = {name: asyncio.Event() for name in "ab"}

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
def test_the_notifications_of_its_session_are_handled_before_a_response_is_given(
    room: int,
) -> None:
    handled: list[str] = []

    async def speak(peer: Peer, params: Any) -> Any:
        for number in range(50):
            session = str(number) if number % 2 else "s"
            await peer.notify(UPDATE, update("t", session=session))
        return DONE

    async def main() -> None:
        go_on = asyncio.Event()

        async def slow(peer: Peer, params: Any) -> None:
            if params.session_id != "s":
                await go_on.wait()
            await ticks(3)
            handled.append(params.session_id)

        made = pair(agent(session_prompt=speak), client(session_update=slow), room=room)
        async with made as peer:
            await peer.request(PROMPT, prompt())
            assert handled == ["s"] * 25
            go_on.set()
            while len(handled) < 50:
                await asyncio.sleep(0)

    run(main())
    assert sorted(handled[25:], key=int) == [str(number) for number in range(1, 50, 2)]


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
    """Otherwise the cancellation of a turn would come before the turn, and be lost."""
    log: list[str] = []

    async def stopped(peer: Peer, params: Any) -> None:
        log.append("stop")

    async def turn(peer: Peer, params: Any) -> Any:
        log.append("turn")
        return DONE

    async def main() -> None:
        wire, serving = await served(agent(session_cancel=stopped, session_prompt=turn))
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


WAYS: Any = {
    "directly": lambda call: call(),
    "through gather": lambda call: asyncio.gather(call(), call()),
    "through wait_for": lambda call: asyncio.wait_for(call(), GIVE_UP),
    "through a task": lambda call: asyncio.create_task(call()),
    "through shield": lambda call: asyncio.shield(call()),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["request", "notification"])
def test_a_handler_may_call_the_other_side_and_wait(kind: str, way: str) -> None:
    log: list[str] = []

    async def call_back(peer: Peer, method: str, params: Any) -> Any:
        await WAYS[way](lambda: peer.request(ASK_CLIENT, "back"))
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

        async with pair({v1: keep}, client(session_update=far, ext_request=echo)) as peer:
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

        async def never(peer: Peer, method: str, params: Any) -> Any:
            await asyncio.Event().wait()

        async def answer(peer: Peer, params: Any) -> Any:
            pause = 0 if handled else 40
            for number in range(3):
                await peer.notify(UPDATE, update(str(number)))
                await ticks(pause)
            return DONE

        sides = agent(session_prompt=answer, ext_request=never), client(session_update=note)
        async with pair(*sides) as peer:
            await peer.request(PROMPT, prompt())
            assert handled == ["1", "2"]
            await peer.request(PROMPT, prompt())
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

        async with pair({v1: keep}, client(ext_request=echo), room=100) as peer:
            there = [peer.request(ASK, data) for _ in range(count)]
            back = [sides[0].request(ASK_CLIENT, data) for _ in range(count)]
            assert await asyncio.gather(*there, *back) == [data] * (2 * count)

    run(main())
