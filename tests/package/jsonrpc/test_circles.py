"""Programs that wait in circles: each wait of the library ends, whatever handlers wait for."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import ConnectionClosed
from acp_bindings.runtime.aio import Peer, connect, memory_streams, serve
from acp_bindings.runtime.jsonrpc import Limits
from package.jsonrpc.aio_sides import (
    ASK,
    CANCEL,
    DONE,
    PROMPT,
    TELL,
    agent,
    client,
    echo,
    prompt,
    stop,
    ticks,
)
from package.jsonrpc.loop import GUARD, pair
from package.jsonrpc.wire import ask, cancel, initialize, line, tell
from support import virtual_time

UPDATE = v1.CLIENT_METHODS["session/update"]
TELL_CLIENT = v1.EXTENSIONS[("client", "notification")].named("_tell")
WAIT_FOR_EXIT = v1.CLIENT_METHODS["terminal/wait_for_exit"]
RELEASE = v1.CLIENT_METHODS["terminal/release"]
KILL = v1.CLIENT_METHODS["terminal/kill"]
# What the library waits for at most: a handler that does not get on is given up.
GIVEN_UP = 12.0
# Handlers that wait for nothing but the library take this long at most.
AT_ONCE = 0.5


def run(main: Coroutine[Any, Any, None], within: float = AT_ONCE) -> None:
    virtual_time.run(main, within)


def update(text: str = "x", session: str = "s") -> v1.SessionNotification:
    chunk = v1.AgentMessageChunk(content=v1.TextContent(text=text))
    return v1.SessionNotification(session_id=session, update=chunk)


def told(session: str = "s", text: str = "x") -> Any:
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    return tell("session/update", sessionId=session, update=chunk)


def answer(id_: int) -> Any:
    return {"id": id_, "result": {"stopReason": "end_turn"}}


def terminal(kind: type) -> Any:
    return kind(session_id="s", terminal_id="t")


# --- an agent's calls ------------------------------------------------------------------------


class Terminals:
    """A client with a terminal that runs until it is killed."""

    def __init__(self) -> None:
        self.ended: list[str] = []
        self._killed = asyncio.Event()

    def handler(self) -> Any:
        async def exits(peer: Peer, params: Any) -> Any:
            await self._killed.wait()
            return v1.WaitForTerminalExitResponse(signal="KILL")

        async def kill(peer: Peer, params: Any) -> None:
            self._killed.set()

        async def release(peer: Peer, params: Any) -> None:
            self.ended.append("released")

        return client(terminal_wait_for_exit=exits, terminal_kill=kill, terminal_release=release)


def test_a_cancel_handler_may_await_the_task_that_it_cancels() -> None:
    async def main() -> None:
        tasks: list[asyncio.Task[Any]] = []
        terminals = Terminals()

        async def work(peer: Peer) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                await peer.request(RELEASE, terminal(v1.ReleaseTerminalRequest))

        async def turn(peer: Peer, params: Any) -> Any:
            tasks.append(asyncio.create_task(work(peer)))
            await asyncio.wait(tasks)
            return DONE

        async def cancelled(peer: Peer, params: Any) -> None:
            tasks[0].cancel()
            await asyncio.wait(tasks)

        sides = agent(session_prompt=turn, session_cancel=cancelled), terminals.handler()
        async with pair(*sides) as peer:
            prompted = asyncio.create_task(peer.request(PROMPT, prompt()))
            await ticks()
            await peer.notify(CANCEL, stop())
            await prompted
        assert terminals.ended == ["released"]

    run(main())


def test_a_cancel_handler_may_await_a_task_whose_call_began_before() -> None:
    async def main() -> None:
        tasks: list[asyncio.Task[Any]] = []

        async def turn(peer: Peer, params: Any) -> Any:
            call = peer.request(WAIT_FOR_EXIT, terminal(v1.WaitForTerminalExitRequest))
            tasks.append(asyncio.create_task(call))
            await asyncio.wait(tasks)
            return DONE

        async def cancelled(peer: Peer, params: Any) -> None:
            await peer.request(KILL, terminal(v1.KillTerminalRequest))
            await tasks[0]

        sides = agent(session_prompt=turn, session_cancel=cancelled), Terminals().handler()
        async with pair(*sides) as peer:
            prompted = asyncio.create_task(peer.request(PROMPT, prompt()))
            await ticks()
            await peer.notify(CANCEL, stop())
            await prompted

    run(main())


# --- reading ---------------------------------------------------------------------------------


def test_beyond_the_backlog_a_task_gets_its_answer(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        calls: list[asyncio.Task[Any]] = []

        async def wait(peer: Peer, params: Any) -> None:
            await asyncio.wait(calls)

        near, far = memory_streams()
        limits = Limits(backlog=10)
        async with connect(near, client(session_update=wait), limits=limits) as peer:
            calls.append(asyncio.create_task(peer.request(ASK, None)))
            await far.read()
            far.write(line(*[told()] * 30))
            await ticks()
            far.write(line({"id": 1, "result": None}))
            await calls[0]

    run(main(), 2.0)
    [entry] = [record.getMessage() for record in caplog.records]
    assert entry.startswith("reading has waited for the handler of 'session/update', which is at ")


def test_two_sides_whose_handlers_notify_go_on() -> None:
    count = 10_500
    handled = {"agent": 0, "client": 0}

    async def main() -> None:
        peers: list[Peer] = []

        async def of_agent(peer: Peer, method: str, params: Any) -> None:
            if params == "go":
                await peer.notify(TELL_CLIENT, "x" * 100)
            handled["agent"] += 1

        async def of_client(peer: Peer, method: str, params: Any) -> None:
            if params == "go":
                await peer.notify(TELL, "x" * 100)
            handled["client"] += 1

        def keep(peer: Peer) -> Any:
            peers.append(peer)
            return agent(ext_notification=of_agent)(peer)

        async with pair({v1: keep}, client(ext_notification=of_client)) as peer:
            for _ in range(count):
                peer.post(TELL, "go")
                peers[0].post(TELL_CLIENT, "go")
            await asyncio.gather(peer.drain(), peers[0].drain())
            while min(handled.values()) < 2 * count:
                await asyncio.sleep(0.01)

    run(main(), 30.0)


def test_a_stuck_session_holds_up_no_other(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        go_on = asyncio.Event()

        async def handle(peer: Peer, params: Any) -> None:
            if params.session_id == "stuck":
                await go_on.wait()

        near, far = memory_streams()
        async with connect(near, client(session_update=handle)) as peer:
            far.write(line(*[told("stuck")] * 12_000))
            await ticks()
            calling = asyncio.create_task(peer.request(PROMPT, prompt("other")))
            await far.read()
            far.write(line(*[told("other")] * 100, answer(1)))
            await calling
            go_on.set()

    run(main(), 2.0)
    assert "reading has waited for the handler of 'session/update'" in caplog.text
    assert "in wait" in caplog.text


def test_a_stalled_lane_is_logged_even_if_nothing_but_notifications_wait(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A handler that waits for a later notification of its own session stops that lane alone."""

    async def main() -> None:
        later = asyncio.Event()

        async def handle(peer: Peer, params: Any) -> None:
            if params.update.content.text == "later":
                later.set()
            elif params.session_id == "s":
                await later.wait()

        near, far = memory_streams()
        async with connect(near, client(session_update=handle)) as peer:
            far.write(line(told(), told(text="later")))
            await asyncio.sleep(7)
            assert not later.is_set()
            other = asyncio.create_task(peer.request(PROMPT, prompt("other")))
            await ticks()
            far.write(line(told("other"), answer(1)))
            await asyncio.wait_for(other, AT_ONCE)

    run(main(), 20.0)
    [entry] = [record.getMessage() for record in caplog.records]
    assert entry.startswith("the notification 'session/update' waits for the handler of")
    assert "locks.py" in entry
    assert "in wait and has not finished in 5 seconds; 0 more messages wait" in entry


# --- bounded waits ---------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["response", "request"])
def test_what_waits_for_a_handler_that_does_not_get_on_is_let_through(
    what: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        never = asyncio.Event()

        async def wait(peer: Peer, params: Any) -> None:
            await never.wait()

        async def permit(peer: Peer, params: Any) -> Any:
            return v1.RequestPermissionResponse(outcome=v1.CancelledRequestPermissionOutcome())

        near, far = memory_streams()
        handlers = client(session_update=wait, session_request_permission=permit)
        async with connect(near, handlers) as peer:
            calling = asyncio.create_task(peer.request(PROMPT, prompt()))
            await far.read()
            far.write(line(told()))
            if what == "response":
                far.write(line(answer(1)))
                await calling
            else:
                question = {"sessionId": "s", "options": [], "toolCall": {"toolCallId": "c"}}
                far.write(line(ask("q", "session/request_permission", **question)))
                assert b'"cancelled"' in await far.read()
                calling.cancel()

    run(main(), GIVEN_UP)
    assert f"the {what}" in caplog.records[0].getMessage()


def test_slow_handlers_that_get_on_keep_their_order() -> None:
    handled: list[str] = []

    async def main() -> None:
        async def slow(peer: Peer, params: Any) -> None:
            await asyncio.sleep(4)
            handled.append(params.update.content.text)

        async def speak(peer: Peer, params: Any) -> Any:
            for number in range(20):
                await peer.notify(UPDATE, update(str(number)))
            return DONE

        async with pair(agent(session_prompt=speak), client(session_update=slow)) as peer:
            await peer.request(PROMPT, prompt())
            assert handled == list(map(str, range(20)))

    run(main(), 100.0)


def test_a_response_that_ends_no_updates_is_delivered_at_receipt() -> None:
    async def main() -> None:
        never = asyncio.Event()

        async def wait(peer: Peer, params: Any) -> None:
            await never.wait()

        async def speak(peer: Peer, params: Any) -> Any:
            await peer.notify(UPDATE, update())
            return v1.SetSessionModeResponse()

        sides = agent(session_set_mode=speak), client(session_update=wait)
        async with pair(*sides) as peer:
            mode = v1.SetSessionModeRequest(session_id="s", mode_id="m")
            await peer.request(v1.AGENT_METHODS["session/set_mode"], mode)

    run(main())


def test_the_calls_of_an_agent_never_wait_for_its_handlers() -> None:
    async def main() -> None:
        never = asyncio.Event()

        async def wait(peer: Peer, params: Any) -> None:
            await never.wait()

        async def turn(peer: Peer, params: Any) -> Any:
            await asyncio.sleep(0.1)
            await peer.request(RELEASE, terminal(v1.ReleaseTerminalRequest))
            return DONE

        sides = agent(session_prompt=turn, session_cancel=wait), Terminals().handler()
        async with pair(*sides) as peer:
            prompted = asyncio.create_task(peer.request(PROMPT, prompt()))
            await ticks()
            await peer.notify(CANCEL, stop())
            await asyncio.wait_for(prompted, AT_ONCE)

    run(main(), 2.0)  # the handler that never ends is cancelled a second after the stream's end


# --- ends ------------------------------------------------------------------------------------

CALLERS = ["notification", "request", "task", "shield"]


@pytest.mark.parametrize("caller", CALLERS)
def test_a_handler_may_close_the_connection(caller: str) -> None:
    async def main() -> None:
        async def close(peer: Peer, *args: Any) -> None:
            if caller == "task":
                await asyncio.create_task(peer.close())
            elif caller == "shield":
                await asyncio.shield(peer.close())
            else:
                await peer.close()

        before = asyncio.all_tasks()
        near, far = memory_streams()
        methods = {"ext_request": close} if caller == "request" else {"ext_notification": close}
        async with connect(near, client(**methods)) as peer:
            calling = asyncio.create_task(peer.request(ASK, None))
            await far.read()
            method = "_close"
            far.write(line(ask(1, method) if caller == "request" else tell(method)))
            with pytest.raises(ConnectionClosed):
                await calling
            await peer.wait_ended()
        await ticks()
        assert asyncio.all_tasks() == before

    run(main())


def test_the_end_of_a_connection_ends_calls_behind_a_busy_handler() -> None:
    async def main() -> None:
        async def busy(peer: Peer, params: Any) -> None:
            await asyncio.sleep(3600)

        near, far = memory_streams()
        async with connect(near, client(session_update=busy)) as peer:
            calling = asyncio.create_task(peer.request(PROMPT, prompt()))
            await far.read()
            far.write(line(told(), answer(1)))
            await ticks()
            await far.close()
            await calling
            await peer.wait_ended()

    run(main(), 2.0)


def test_a_handler_that_cancels_its_own_task_does_not_end_its_lane() -> None:
    async def main() -> None:
        handled: list[str] = []

        async def cancel(peer: Peer, params: Any) -> None:
            text = params.update.content.text
            handled.append(text)
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            if text != "no wait":
                await asyncio.sleep(0)

        near, far = memory_streams()
        async with connect(near, client(session_update=cancel)) as peer:
            calling = asyncio.create_task(peer.request(PROMPT, prompt()))
            await far.read()
            texts = ["wait", "no wait", "after", "no wait", "last"]
            far.write(line(*(told(text=text) for text in texts), answer(1)))
            await calling
            assert handled == texts

    run(main())


def test_requests_cancelled_behind_a_slow_handler_are_forgotten() -> None:
    async def main() -> None:
        never = asyncio.Event()

        async def wait(peer: Peer, params: Any) -> None:
            await never.wait()

        near, far = memory_streams(1 << 20)
        serving = asyncio.create_task(serve(far, agent(session_cancel=wait)))
        near.write(line(initialize(1, "initialize"), tell("session/cancel", sessionId="s")))
        params = {"sessionId": "s", "prompt": [], "_meta": {"marked": 1}}
        near.write(line(*(ask(number, "session/prompt", **params) for number in range(100))))
        await ticks()
        assert marked_prompts() == 100
        near.write(line(*(cancel(number) for number in range(100))))
        await ticks()
        assert marked_prompts() == 0
        never.set()
        await near.close()
        await serving

    run(main())


def marked_prompts() -> int:
    """The number of these prompts in memory."""
    gc.collect()
    prompts = [each for each in gc.get_objects() if type(each) is v1.PromptRequest]
    return sum(each.meta == {"marked": 1} for each in prompts)


@pytest.mark.parametrize("call", ["post", "flush", "request", "close", "spawn"])
def test_another_thread_is_told_how_to_call(call: str) -> None:
    async def main() -> None:
        async with pair(agent(ext_request=echo)) as peer:

            async def use() -> None:
                if call == "post":
                    peer.post(TELL, None)
                elif call == "flush":
                    await peer.drain()
                elif call == "request":
                    await peer.request(ASK, None)
                elif call == "close":
                    await peer.close()
                else:
                    peer.spawn(echo(peer, "", None))

            with pytest.raises(RuntimeError, match="run_coroutine_threadsafe"):
                await asyncio.to_thread(asyncio.run, use())
            loop = asyncio.get_running_loop()
            call_from_thread = asyncio.run_coroutine_threadsafe
            answered = call_from_thread(peer.request(ASK, 1), loop)
            assert await asyncio.wrap_future(answered) == 1

    asyncio.run(asyncio.wait_for(main(), GUARD))
