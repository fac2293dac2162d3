"""How connections, tasks, streams and errors end, where one side does not do its part."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import Enum, IntEnum
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest
from acp_bindings import runtime, v1, v2
from acp_bindings.runtime import EncodeError
from acp_bindings.runtime.aio import ConnectionClosed, Peer, connect, memory_streams, serve, streams
from acp_bindings.runtime.aio.streams import FileStream, Stream
from acp_bindings.runtime.jsonrpc import Connection, Failure, Ignored, Refused, Request, Response
from acp_bindings.runtime.jsonrpc.errors import INTERNAL_ERROR, REQUEST_CANCELLED, RequestError
from acp_bindings.runtime.values.errors import Issue
from package.jsonrpc.loop import GUARD, handler
from package.jsonrpc.wire import ask, each_version, initialize, line, only, tell
from package.jsonrpc.wire import cancel as withdrawal
from package.session.scripted import Json, Script, failure, result, run, settle

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs pipes of POSIX")
GIVE_UP = 3600.0
HANDLER_FAILED = "the handler of session/close failed"
CLOSE = ask(1, "session/close", sessionId="s")
CANCEL = tell("session/cancel", sessionId="s")


def served(agent: Any, **options: Any) -> tuple[Script, asyncio.Task[None]]:
    """An agent that serves, and what is written to it and read from it by hand."""
    near, far = memory_streams()
    return Script(near), asyncio.create_task(serve(far, agent, **options))


def agent(surface: ModuleType, **methods: Callable[..., Any]) -> Any:
    return handler(surface.AgentHandler, **methods)


def end_input(script: Script) -> None:
    """End what is written to the other side; what it writes can still be read."""
    script._stream._outgoing.close()


async def end(script: Script, serving: asyncio.Task[None], way: str) -> None:
    """End a connection in some way, and let everything run that can."""
    if way == "input":
        end_input(script)
    else:
        serving.cancel()
    await settle()
    # Waiting for it could take for ever: closing goes on when whoever waits for it is cancelled.
    assert serving.done()
    assert serving.cancelled() == (way == "cancelled")


each_end = pytest.mark.parametrize("way", ["input", "cancelled"])
WITHDRAWN = failure(1, REQUEST_CANCELLED, "request cancelled")
FAILED = failure(1, INTERNAL_ERROR, "internal error")


# --- tasks end with the connection -----------------------------------------------------------


@each_version
@each_end
def test_nothing_begins_behind_a_handler_that_swallows_cancelling(
    surface: ModuleType, way: str
) -> None:
    log: list[str] = []

    async def main() -> None:
        async def stubborn(peer: Peer, params: Any) -> None:
            log.append("notification")
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            await asyncio.sleep(0)
            log.append("swallowed")

        async def note(peer: Peer, params: Any) -> None:
            log.append("request")

        methods = agent(surface, session_cancel=stubborn, session_close=note)
        script, serving = served(methods, linger=0)
        script.write(CANCEL, CLOSE, CANCEL)
        await settle()
        assert log == ["notification"]
        await end(script, serving, way)
        assert log == ["notification", "swallowed"]
        assert await script.rest() == [WITHDRAWN]

    run(main())


@each_version
def test_a_request_that_begins_when_the_connection_closes_is_answered(surface: ModuleType) -> None:
    """Its task is cancelled before the first step, in which it would take note of its end."""
    log: list[str] = []

    async def main() -> None:
        go_on = asyncio.Event()

        async def wait(peer: Peer, params: Any) -> None:
            await go_on.wait()
            await asyncio.sleep(0)  # so that it ends in the step in which closing begins

        async def note(peer: Peer, params: Any) -> None:
            log.append("request")

        script, serving = served(agent(surface, session_cancel=wait, session_close=note))
        script.write(CANCEL, CLOSE)
        await settle()
        go_on.set()
        await end(script, serving, "cancelled")
        assert log == []
        assert await script.rest() == [WITHDRAWN]

    run(main())


@each_version
@pytest.mark.parametrize("steps", range(6))
def test_whenever_the_connection_closes_a_request_is_answered_once(
    surface: ModuleType, steps: int
) -> None:
    async def main() -> None:
        go_on = asyncio.Event()

        async def wait(peer: Peer, params: Any) -> None:
            await go_on.wait()
            for _ in range(steps):
                await asyncio.sleep(0)

        async def close(peer: Peer, params: Any) -> Any:
            await asyncio.sleep(0)
            return surface.CloseSessionResponse()

        script, serving = served(agent(surface, session_cancel=wait, session_close=close))
        script.write(CANCEL, CLOSE)
        await settle()
        go_on.set()
        await end(script, serving, "cancelled")
        assert await script.rest() in ([WITHDRAWN], [result(1)])

    run(main())


@each_version
@each_end
@pytest.mark.parametrize("steps", range(6))
def test_whatever_comes_right_before_the_end_is_answered(
    surface: ModuleType, way: str, steps: int
) -> None:
    async def main() -> None:
        async def note(peer: Peer, params: Any) -> None:
            await asyncio.sleep(0)

        async def close(peer: Peer, params: Any) -> Any:
            await asyncio.sleep(0)
            return surface.CloseSessionResponse()

        methods = agent(surface, session_cancel=note, session_close=close)
        script, serving = served(methods, linger=0)
        await settle()
        script.write(CANCEL, CLOSE)
        for _ in range(steps):
            await asyncio.sleep(0)
        await end(script, serving, way)
        # What was not even read when it was cancelled has no answer.
        unread = [[]] if way == "cancelled" and steps == 0 else []
        assert await script.rest() in ([WITHDRAWN], [result(1)], *unread)

    run(main())


@each_version
def test_a_request_without_the_end_of_its_line_is_answered_when_the_server_is_cancelled(
    surface: ModuleType,
) -> None:
    log: list[str] = []

    async def main() -> None:
        async def note(peer: Peer, params: Any) -> None:
            log.append("request")

        script, serving = served(agent(surface, session_close=note))
        script._stream.write(line(CLOSE)[:-1])
        await settle()
        await end(script, serving, "cancelled")
        assert log == []
        assert await script.rest() == [WITHDRAWN]

    run(main())


@each_version
def test_a_request_without_the_end_of_its_line_is_handled_at_the_end_of_input(
    surface: ModuleType,
) -> None:
    async def main() -> None:
        async def close(peer: Peer, params: Any) -> Any:
            return surface.CloseSessionResponse()

        script, serving = served(agent(surface, session_close=close), linger=GIVE_UP)
        script._stream.write(line(CLOSE)[:-1])
        await settle()
        await end(script, serving, "input")
        assert await script.rest() == [result(1)]

    run(main())


@each_version
def test_a_notification_without_the_end_of_its_line_holds_nothing_up_when_cancelled(
    surface: ModuleType,
) -> None:
    async def main() -> None:
        async def ignore(peer: Peer, params: Any) -> None:
            pass

        script, serving = served(agent(surface, session_cancel=ignore))
        script._stream.write(line(CANCEL)[:-1])
        await settle()
        await end(script, serving, "cancelled")
        assert await script.rest() == []

    run(main())


@each_version
def test_a_notification_without_the_end_of_its_line_holds_nothing_up_when_a_client_leaves(
    surface: ModuleType,
) -> None:
    async def main() -> None:
        async def ignore(peer: Peer, name: str, params: Any) -> None:
            pass

        near, far = memory_streams()
        context = connect(near, handler(surface.ClientHandler, ext_notification=ignore))
        await context.__aenter__()
        far.write(line(tell())[:-1])
        await settle()
        leaving = asyncio.create_task(context.__aexit__(None, None, None))  # type: ignore[arg-type]
        await settle()
        assert leaving.done()
        assert await far.read() == b""

    run(main())


@each_version
def test_a_task_spawned_after_the_end_is_cancelled_at_once(surface: ModuleType) -> None:
    log: list[str] = []

    async def main() -> None:
        peers: list[Peer] = []

        async def keep(peer: Peer, params: Any) -> Any:
            peers.append(peer)
            return surface.CloseSessionResponse()

        async def work() -> None:
            log.append("begun")

        script, serving = served(agent(surface, session_close=keep))
        script.write(CLOSE)
        assert await script.read() == result(1)
        await script.close()
        await serving
        never = work()
        task = peers[0].spawn(never)
        await asyncio.wait([task])
        assert task.cancelled()
        assert log == []
        await settle()
        assert inspect.getcoroutinestate(never) == inspect.CORO_CLOSED

    run(main())


@each_version
@each_end
def test_a_task_spawned_while_the_connection_closes_does_not_outlive_it(
    surface: ModuleType, way: str
) -> None:
    log: list[str] = []

    async def main() -> None:
        async def work() -> None:
            log.append("begun")
            await asyncio.Event().wait()

        async def leave_behind(peer: Peer, params: Any) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                peer.spawn(work())
                log.append("spawned")

        script, serving = served(agent(surface, session_close=leave_behind), linger=0)
        script.write(CLOSE)
        await settle()
        before = asyncio.all_tasks()
        await end(script, serving, way)
        assert asyncio.all_tasks() < before
        assert log == ["spawned"]
        assert await script.rest() == [WITHDRAWN]

    run(main())


@each_version
@each_end
def test_the_cleanup_of_a_spawned_task_is_waited_for(surface: ModuleType, way: str) -> None:
    log: list[str] = []

    async def main() -> None:
        async def work() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                for _ in range(10):
                    await asyncio.sleep(0)
                log.append("cleaned up")

        async def spawn(peer: Peer, params: Any) -> Any:
            peer.spawn(work())
            return surface.CloseSessionResponse()

        script, serving = served(agent(surface, session_close=spawn), linger=0)
        script.write(CLOSE)
        assert await script.read() == result(1)
        assert log == []
        await end(script, serving, way)
        assert log == ["cleaned up"]

    run(main())


# --- what is said of errors ------------------------------------------------------------------


@each_version
def test_an_error_whose_data_is_no_json_keeps_its_code_and_message(surface: ModuleType) -> None:
    async def main() -> None:
        async def fail(peer: Peer, params: Any) -> None:
            raise RequestError(-32000, "authentication required", {"file": Path("/x")})

        script, serving = served(agent(surface, session_close=fail))
        script.write(CLOSE)
        assert await script.read() == failure(1, -32000, "authentication required")
        await script.close()
        await serving

    name = type(Path("/x")).__name__
    run(main(), f"an error cannot be sent as it is: {name} is not JSON")


@each_version
def test_an_error_about_another_connection_is_logged_and_answered(surface: ModuleType) -> None:
    async def main() -> None:
        async def fail(peer: Peer, params: Any) -> None:
            raise ConnectionClosed("the agent behind this one has ended")

        script, serving = served(agent(surface, session_close=fail))
        script.write(CLOSE)
        assert await script.read() == FAILED
        await script.close()
        await serving

    run(main(), HANDLER_FAILED)


@each_version
def test_an_error_of_a_task_about_another_connection_is_logged(surface: ModuleType) -> None:
    async def main() -> None:
        async def fail() -> None:
            raise ConnectionClosed("the agent behind this one has ended")

        async def spawn(peer: Peer, params: Any) -> Any:
            peer.spawn(fail())
            return surface.CloseSessionResponse()

        script, serving = served(agent(surface, session_close=spawn))
        script.write(CLOSE)
        assert await script.read() == result(1)
        await settle()
        await script.close()
        await serving

    run(main(), "a task of the connection failed")


@each_version
def test_a_notification_about_another_connection_is_logged(surface: ModuleType) -> None:
    async def main() -> None:
        async def fail(peer: Peer, params: Any) -> None:
            raise ConnectionClosed("the agent behind this one has ended")

        script, serving = served(agent(surface, session_cancel=fail))
        script.write(CANCEL)
        await settle()
        await script.close()
        await serving

    run(main(), "the handler of session/cancel failed")


@each_version
@pytest.mark.parametrize("where", ["request", "task", "notification"])
@pytest.mark.parametrize("what", ["call", "notification"])
def test_that_this_connection_has_ended_is_no_news(
    surface: ModuleType, where: str, what: str
) -> None:
    raised: list[type[BaseException]] = []

    async def main() -> None:
        ended = asyncio.Event()

        async def call(peer: Peer) -> None:
            extensions = surface.EXTENSIONS
            try:
                if what == "call":
                    await peer.request(extensions["client", "request"].named("_ask"), None)
                else:
                    await ended.wait()
                    await peer.notify(extensions["client", "notification"].named("_tell"), None)
            except BaseException as error:
                raised.append(type(error))
                raise

        async def handle(peer: Peer, params: Any) -> Any:
            if where == "task":
                peer.spawn(call(peer))
            else:
                await call(peer)
            return surface.CloseSessionResponse()

        methods = agent(surface, session_close=handle, session_cancel=handle)
        script, serving = served(methods, linger=GIVE_UP)
        script.write(CANCEL if where == "notification" else CLOSE)
        await settle()
        await script.close()
        await settle()
        ended.set()
        await serving
        assert raised == [ConnectionClosed]

    run(main())


@each_version
def test_a_handler_whose_own_task_was_cancelled_has_failed(surface: ModuleType) -> None:
    async def main() -> None:
        async def fail(peer: Peer, params: Any) -> None:
            task = asyncio.create_task(asyncio.sleep(GIVE_UP))
            await asyncio.sleep(0)
            task.cancel()
            await task

        script, serving = served(agent(surface, session_close=fail))
        script.write(CLOSE)
        assert await script.read() == FAILED
        script.write({**CLOSE, "id": 2})  # the connection goes on
        assert await script.read() == {**FAILED, "id": 2}
        await script.close()
        await serving

    run(main(), HANDLER_FAILED, HANDLER_FAILED)


@each_version
def test_a_handler_whose_request_was_withdrawn_has_not_failed(surface: ModuleType) -> None:
    async def main() -> None:
        async def stuck(peer: Peer, params: Any) -> None:
            await asyncio.Event().wait()

        script, serving = served(agent(surface, session_close=stuck))
        script.write(CLOSE)
        await settle()
        script.write(withdrawal(1))
        assert await script.read() == WITHDRAWN
        await script.close()
        await serving

    run(main())


# --- streams whose other side does not read --------------------------------------------------

MUCH = bytes(range(256)) * 4096  # more than a pipe takes


async def open_pipes(kind: str, incoming: int, outgoing: int) -> Stream:
    if kind == "file":
        return FileStream(incoming, outgoing)
    return await streams._open_pipes(incoming, outgoing)


def read_rest(descriptor: int) -> bytes:
    """Read until nobody holds the other end of the pipe, and close it."""
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


@POSIX
@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_a_stream_that_is_not_read_is_closed_within_its_grace(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "GRACE", 0.05)

    async def main() -> bytes:
        (incoming, source), (reading, outgoing) = os.pipe(), os.pipe()
        stream = await open_pipes(kind, incoming, outgoing)
        stream.write(MUCH)
        waiting = asyncio.create_task(stream.drain())
        await settle()
        assert not waiting.done()
        await asyncio.wait_for(stream.close(), GUARD / 2)
        # What the pipe had taken is there for whoever reads it later, in order.
        data = await asyncio.to_thread(read_rest, reading)
        await asyncio.wait([waiting])
        waiting.exception()
        os.close(source)
        if kind == "file":
            os.close(incoming)  # which the stream leaves alone, as somebody may be reading it
        return data

    data = run(main())
    assert data
    assert MUCH.startswith(data)


@POSIX
@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_what_is_read_within_the_grace_is_not_lost(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "GRACE", GIVE_UP)

    async def main() -> bytes:
        (incoming, source), (reading, outgoing) = os.pipe(), os.pipe()
        stream = await open_pipes(kind, incoming, outgoing)
        stream.write(MUCH)
        stream.write(b"the end")
        closing = asyncio.create_task(stream.close())
        await settle()
        assert not closing.done()
        data = await asyncio.to_thread(read_rest, reading)
        await closing
        os.close(source)
        if kind == "file":
            os.close(incoming)
        return data

    assert run(main()) == MUCH + b"the end"


@POSIX
@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_a_stream_whose_reader_has_gone_is_closed(kind: str) -> None:
    async def main() -> None:
        (incoming, source), (reading, outgoing) = os.pipe(), os.pipe()
        stream = await open_pipes(kind, incoming, outgoing)
        stream.write(MUCH)
        await settle()
        os.close(reading)
        await stream.close()
        os.close(source)
        if kind == "file":
            os.close(incoming)

    run(main())


# Says more than a pipe takes when it is asked for it.
TALKATIVE = """
import asyncio
from acp_bindings import v1
from acp_bindings.runtime.aio import streams
from acp_bindings.runtime.aio import serve_stdio
streams.GRACE = 0.05
class Agent(v1.AgentHandler):
    def __init__(self, peer):
        self.peer = peer
    async def ext_request(self, name, params):
        if name == "_more":
            tell = v1.EXTENSIONS["client", "notification"].named("_tell")
            await self.peer.notify(tell, "x" * 1_000_000)
asyncio.run(serve_stdio(Agent, linger=0))
"""


@POSIX
@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_an_agent_whose_client_does_not_read_ends_with_its_input(kind: str, tmp_path: Path) -> None:
    """Standard input that is no pipe is read, and standard output written, in another way."""
    asked = line(ask(1, "_one"), ask(2, "_more"))
    (tmp_path / "in").write_bytes(asked)
    with (
        (tmp_path / "in").open("rb") as file,
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", TALKATIVE],
            stdin=file if kind == "file" else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process,
    ):
        assert process.stdout is not None
        assert process.stderr is not None
        if process.stdin is not None:
            process.stdin.write(asked)
            process.stdin.close()
        try:
            assert process.wait(GUARD) == 0
        finally:
            process.kill()
        assert process.stderr.read() == b""
        answer, rest = process.stdout.read().split(b"\n")  # the second message is not whole
    assert json.loads(answer) == {"jsonrpc": "2.0", "id": 1, "result": None}
    assert 0 < len(rest) < 1_000_000


# --- numbers that are integers ---------------------------------------------------------------


@each_version
@pytest.mark.parametrize("id_", ["1.0", "0.0", "-1.0", "1e3", "1e22", "1", "0", '"1.0"'])
def test_a_request_is_answered_with_the_id_it_came_with(surface: ModuleType, id_: str) -> None:
    async def main() -> bytes:
        async def close(peer: Peer, params: Any) -> Any:
            return surface.CloseSessionResponse()

        near, far = memory_streams()
        serving = asyncio.create_task(serve(far, agent(surface, session_close=close)))
        near.write(line({**CLOSE, "id": "here"}).replace(b'"here"', id_.encode()))
        data = await near.read()
        await near.close()
        await serving
        return data

    answer = json.loads(run(main()))
    expected = json.loads(id_)
    assert answer == {"jsonrpc": "2.0", "id": expected, "result": {}}
    assert type(answer["id"]) is type(expected)


@each_version
@pytest.mark.parametrize(("id_", "named"), [("1.0", "1.0"), ("1.0", "1"), ("1", "1.0")])
def test_a_request_is_withdrawn_by_the_same_number(
    surface: ModuleType, id_: str, named: str
) -> None:
    async def main() -> Json:
        async def stuck(peer: Peer, params: Any) -> None:
            await asyncio.Event().wait()

        script, serving = served(agent(surface, session_close=stuck))
        script.write({**CLOSE, "id": json.loads(id_)})
        await settle()
        script.write(withdrawal(json.loads(named)))
        answer = await script.read()
        await script.close()
        await serving
        return answer

    assert run(main()) == WITHDRAWN


@each_version
@pytest.mark.parametrize("id_", ["1.0", "1", "1e0", "10e-1"])
def test_an_answer_is_to_the_request_of_the_same_number(surface: ModuleType, id_: str) -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, handler(surface.ClientHandler)) as peer:
            method = surface.EXTENSIONS["agent", "request"].named("_ask")
            asking = asyncio.create_task(peer.request(method, None))
            assert json.loads(await far.read())["id"] == 1
            far.write(b'{"jsonrpc": "2.0", "id": %b, "result": [1]}\n' % id_.encode())
            assert await asking == [1]

    run(main())


@each_version
@pytest.mark.parametrize("code", ["-32000.0", "-32000", "-3.2e4"])
@pytest.mark.parametrize("id_", ["1.0", "1"])
def test_the_code_of_an_error_is_an_int(surface: ModuleType, code: str, id_: str) -> None:
    connection = Connection("client", surface)
    connection.request(surface.EXTENSIONS["agent", "request"].named("_ask"), None)
    text = f'{{"jsonrpc": "2.0", "id": {id_}, "error": {{"code": {code}, "message": "no"}}}}\n'
    event = only(connection.receive(text.encode()))
    assert isinstance(event, Failure)
    assert isinstance(event.error, RequestError)
    assert (type(event.error.code), event.error.code) == (int, -32000)
    assert not connection.pending


@each_version
def test_an_error_whose_data_is_no_json_keeps_the_id_it_is_for(surface: ModuleType) -> None:
    connection = Connection("agent", surface)
    request = only(connection.receive(line({**CLOSE, "id": 7.0})))
    assert isinstance(request, Request)
    connection.fail(request, RequestError(-5, "no", {1, 2}))
    assert b'"id":7.0,' in connection.data_to_send()


@each_version
def test_what_is_no_integer_is_no_id_and_no_code(surface: ModuleType) -> None:
    connection = Connection("client", surface)
    connection.request(surface.EXTENSIONS["agent", "request"].named("_ask"), None)
    answer = b'{"jsonrpc": "2.0", "id": 1.5, "result": 1}\n'
    assert isinstance(only(connection.receive(answer)), Ignored)
    asked = b'{"jsonrpc": "2.0", "id": 1.5, "method": "_ask"}\n'
    assert isinstance(only(connection.receive(asked)), Refused)
    assert set(connection.pending) == {1}
    code = b'{"jsonrpc": "2.0", "id": 1, "error": {"code": 1.5, "message": "no"}}\n'
    event = only(connection.receive(code))
    assert isinstance(event, Failure)
    assert not isinstance(event.error, RequestError)


# --- null where an object is due -------------------------------------------------------------


@each_version
def test_null_where_an_object_is_due_is_told(surface: ModuleType) -> None:
    told: list[tuple[str, Issue]] = []

    async def main() -> None:
        near, far = memory_streams()
        script = Script(far)
        client = handler(surface.ClientHandler)

        def note(method: Any, issue: Issue) -> None:
            told.append((method.name, issue))

        async with connect(near, client, on_issue=note) as peer:
            params = surface.CloseSessionRequest(session_id="s")
            method = surface.AGENT_METHODS["session/close"]
            asking = asyncio.create_task(peer.request(method, params))
            assert await script.read() == CLOSE
            script.write({"id": 1, "result": None})
            assert await asking == surface.CloseSessionResponse()

    run(main())
    ((name, issue),) = told
    assert (name, issue.pointer, issue.action) == ("session/close", "", "defaulted")
    assert issue.raw is None
    assert "null" in issue.reason


@each_version
def test_null_that_cannot_be_an_object_is_an_error_and_nothing_is_told(
    surface: ModuleType,
) -> None:
    told: list[Issue] = []
    connection = Connection("client", surface, on_issue=lambda _, issue: told.append(issue))
    connection.request(
        surface.AGENT_METHODS["session/list"], surface.ListSessionsRequest()
    )  # whose result has a member that is required
    event = only(connection.receive(line({"id": 1, "result": None})))
    assert isinstance(event, Failure)
    assert told == []


@each_version
def test_null_where_anything_may_be_is_not_told(surface: ModuleType) -> None:
    told: list[Issue] = []
    connection = Connection("client", surface, on_issue=lambda _, issue: told.append(issue))
    connection.request(surface.EXTENSIONS["agent", "request"].named("_ask"), None)
    event = only(connection.receive(line({"id": 1, "result": None})))
    assert isinstance(event, Response)
    assert event.result is None
    assert told == []


# --- what a foreign backend writes -----------------------------------------------------------


@pytest.fixture
def _foreign() -> Iterator[None]:
    runtime.set_json(loads=orjson.loads, dumps=orjson.dumps)
    yield
    runtime.set_json()


class Word(str, Enum):
    END = "end_turn"


class Number(IntEnum):
    ONE = 1


class Text(str):
    pass


class Count(int):
    pass


# Texts that make the writer look for what is not JSON, and one that does not.
BESIDE: list[Any] = ["plain", "a null pointer", None, "NaN", "Infinity", "UNSET", "unknown_fields"]
each_text = pytest.mark.parametrize("beside", BESIDE, ids=str)


@pytest.mark.usefixtures("_foreign")
@each_version
@each_text
@pytest.mark.parametrize(
    ("value", "written"),
    [
        ((1, (2, None)), [1, [2, None]]),
        (Word.END, "end_turn"),
        (Number.ONE, 1),
        (Text("text"), "text"),
        (Count(2), 2),
        ([{"deep": (Word.END, Number.ONE)}], [{"deep": ["end_turn", 1]}]),
        (1.5, 1.5),
        (True, True),
    ],
    ids=repr,
)
def test_what_can_be_written_does_not_depend_on_the_text_beside_it(
    surface: ModuleType, value: Any, written: Any, beside: Any
) -> None:
    meta = {"value": value, "beside": beside}
    text = surface.dumps(surface.TextContent(text="t", meta=meta))
    assert json.loads(text)["_meta"] == {"value": written, "beside": beside}


@pytest.mark.usefixtures("_foreign")
@each_version
@each_text
@pytest.mark.parametrize(
    "value",
    [float("nan"), (float("inf"),), [{"deep": (1, -float("inf"))}], {1}, b"x", object()],
    ids=["nan", "inf", "deep", "set", "bytes", "object"],
)
def test_what_cannot_be_written_does_not_depend_on_the_text_beside_it(
    surface: ModuleType, value: Any, beside: Any
) -> None:
    meta = {"value": value, "beside": beside}
    with pytest.raises(EncodeError):
        surface.dumps(surface.TextContent(text="t", meta=meta))


# --- handlers for the other side -------------------------------------------------------------


@each_version
def test_an_agent_with_the_handler_of_a_client_is_refused(surface: ModuleType) -> None:
    async def main() -> None:
        near, far = memory_streams()
        with pytest.raises(TypeError, match="this side is the agent"):
            await serve(far, lambda peer: surface.ClientHandler())
        assert await near.read() == b""

    run(main())


@each_version
def test_a_client_with_the_handler_of_an_agent_is_refused(surface: ModuleType) -> None:
    async def main() -> None:
        near, far = memory_streams()
        with pytest.raises(TypeError, match="this side is the client"):
            await connect(near, lambda peer: surface.AgentHandler()).__aenter__()
        assert await far.read() == b""

    run(main())


def test_an_agent_of_versions_with_the_handler_of_a_client_answers_that_it_failed() -> None:
    async def main() -> None:
        factories = {1: agent(v1), 2: lambda peer: v2.ClientHandler()}
        script, serving = served(factories)
        script.write(initialize(2, 1))
        assert await script.read() == FAILED
        await script.close()
        await serving

    run(
        main(),
        "the handler for protocol version 2 cannot be made",
        "refused a message (id 1): internal error (-32603)",
    )
