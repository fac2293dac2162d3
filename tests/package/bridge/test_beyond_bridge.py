"""Tests of requests for files and terminals from a protocol 2 agent to a protocol 1 client."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import CapabilityError, ConnectionClosed, EncodeError, RequestError
from acp_bindings.runtime.aio import connect, connect_memory, memory_streams, serve
from acp_bindings.v1 import methods

from tests.package.aio.sides import ticks
from tests.support import virtual_time

Work = Callable[[Any], Awaitable[Any]]


def agent_of(work: Work, seen: list[Any]) -> Any:
    """Return an agent class that runs `work` in each turn and records its result or exception."""

    class Agent(v2.SessionAgent):
        async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
            try:
                seen.append(await work(session))
            except Exception as error:
                seen.append(error)
            except asyncio.CancelledError as error:
                seen.append(error)
                raise

    return Agent


class Editor(v1.SessionClient):
    """A client that serves files and terminals."""

    async def fs_read_text_file(self, params: v1.ReadTextFileRequest) -> v1.ReadTextFileResponse:
        return v1.ReadTextFileResponse(content=f"text of {params.path}")

    async def terminal_create(self, params: v1.CreateTerminalRequest) -> v1.CreateTerminalResponse:
        return v1.CreateTerminalResponse(terminal_id="t")

    async def terminal_output(self, params: v1.TerminalOutputRequest) -> v1.TerminalOutputResponse:
        raise NotImplementedError

    async def terminal_wait_for_exit(self, params: Any) -> v1.WaitForTerminalExitResponse:
        raise NotImplementedError

    async def terminal_kill(self, params: Any) -> None: ...

    async def terminal_release(self, params: Any) -> None: ...


async def converse(work: Work, client: Any = Editor) -> tuple[list[Any], v1.ClientSession, str]:
    """Run a turn through a bridge.

    Return a list of `work`'s outcomes, the session, and the turn's stop reason or error code.
    """
    seen: list[Any] = []
    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, agent_of(work, seen), bridge=True))
    async with connect(near, client) as peer:
        await peer.initialize()
        session = await v1.ClientSession.create(peer, cwd="/w", mcp_servers=[])
        try:
            async with session.prompt("Hi") as turn:
                await turn.wait(timeout=20)
            reason = str(turn.stop_reason)
        except RequestError as error:
            reason = str(error.code)
    await serving
    return seen, session, reason


def beyond(session: Any) -> Any:
    return session.peer.bridged


async def test_a_file_is_read_with_json() -> None:
    async def work(session: Any) -> Any:
        return await beyond(session).request(
            "fs/read_text_file", {"sessionId": session.session_id, "path": "/a"}
        )

    seen, _, reason = await converse(work)
    assert (seen, reason) == ([{"content": "text of /a"}], "end_turn")


async def test_a_file_is_read_with_types() -> None:
    async def work(session: Any) -> Any:
        params = v1.ReadTextFileRequest(session_id=session.session_id, path="/a")
        return await beyond(session).request(methods.CLIENT_FS_READ_TEXT_FILE, params)

    seen, _, _ = await converse(work)
    assert seen == [v1.ReadTextFileResponse(content="text of /a")]


async def test_the_error_of_the_client_is_raised() -> None:
    class Refusing(Editor):
        async def fs_read_text_file(self, params: Any) -> Any:
            raise RequestError(-1, "no such file")

    async def work(session: Any) -> Any:
        params = v1.ReadTextFileRequest(session_id=session.session_id, path="/a")
        return await beyond(session).request(methods.CLIENT_FS_READ_TEXT_FILE, params)

    [error], _, _ = await converse(work, Refusing)
    assert isinstance(error, RequestError)
    assert (error.code, error.message) == (-1, "no such file")


async def test_only_what_the_client_advertises_is_called() -> None:
    async def work(session: Any) -> Any:
        return await beyond(session).request("terminal/create", {"sessionId": "s", "command": "x"})

    [error], _, _ = await converse(work, v1.SessionClient)
    assert isinstance(error, CapabilityError)
    assert (error.method, error.capability) == ("terminal/create", "/clientCapabilities/terminal")


@pytest.mark.parametrize("method", ["session/request_permission", "session/update", "fs/delete"])
async def test_methods_with_a_counterpart_are_refused(method: str) -> None:
    async def work(session: Any) -> Any:
        return await beyond(session).request(method, {})

    [error], _, _ = await converse(work)
    assert isinstance(error, ValueError)
    assert "is not a request specific to protocol 1" in str(error)


async def test_params_that_do_not_match_are_not_sent() -> None:
    async def work(session: Any) -> Any:
        wrong: Any = 1
        params = v1.ReadTextFileRequest(session_id=session.session_id, path=wrong)
        return await beyond(session).request(methods.CLIENT_FS_READ_TEXT_FILE, params)

    [error], _, _ = await converse(work)
    assert isinstance(error, EncodeError)


async def test_the_request_is_cancelled_with_its_turn() -> None:
    started, cancelled = asyncio.Event(), asyncio.Event()

    class Stuck(Editor):
        async def fs_read_text_file(self, params: Any) -> Any:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()

    async def work(session: Any) -> Any:
        params = v1.ReadTextFileRequest(session_id=session.session_id, path="/a")
        return await beyond(session).request(methods.CLIENT_FS_READ_TEXT_FILE, params)

    seen: list[Any] = []
    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, agent_of(work, seen), bridge=True))
    async with connect(near, Stuck) as peer:
        await peer.initialize()
        session = await v1.ClientSession.create(peer, cwd="/w", mcp_servers=[])
        async with session.prompt("Hi") as turn:
            await asyncio.wait_for(started.wait(), 20)
            await turn.cancel()
            await turn.wait(timeout=20)
        assert turn.stop_reason == "cancelled"
        await asyncio.wait_for(cancelled.wait(), 20)
    await serving
    assert [type(error) for error in seen] == [asyncio.CancelledError]


async def test_the_end_of_the_client_fails_requests() -> None:
    seen: list[Any] = []

    class Stuck(Editor):
        async def fs_read_text_file(self, params: Any) -> Any:
            await near.close()
            await asyncio.Event().wait()

    async def work(session: Any) -> str:
        client, params = beyond(session), {"sessionId": session.session_id, "path": "/a"}
        for _ in range(2):  # the first request is sent, the second one can no longer be sent
            with pytest.raises(ConnectionClosed, match="the connection was closed"):
                await client.request("fs/read_text_file", params)
        return "failed"

    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, agent_of(work, seen), bridge=True))
    async with connect(near, Stuck) as peer:
        await peer.initialize()
        session = await v1.ClientSession.create(peer, cwd="/w", mcp_servers=[])
        with suppress(ConnectionClosed):
            async with session.prompt("Hi"):
                await peer.wait_ended()
    await serving
    assert seen == ["failed"]


async def test_updates_arrive_before_a_later_request() -> None:
    said: list[str] = []

    class Reading(Editor):
        async def fs_read_text_file(self, params: Any) -> Any:
            said.extend(m.text for m in self.session_for(params.session_id).state.messages[1:])
            return v1.ReadTextFileResponse(content="")

    async def work(session: Any) -> Any:
        for number in range(3):
            await session.say(f"{number}")
        params = v1.ReadTextFileRequest(session_id=session.session_id, path="/a")
        return await beyond(session).request(methods.CLIENT_FS_READ_TEXT_FILE, params)

    await converse(work, Reading)
    assert said == ["012"]


@pytest.mark.logs(
    "session/update of the agent at '/update/content/1/terminalId': protocol 1 clients are shown "
    "the terminal's output as text",
)
async def test_a_terminal_is_shown_as_the_client_s_own() -> None:
    async def work(session: Any) -> Any:
        created = await beyond(session).request(
            "terminal/create", {"sessionId": session.session_id, "command": "make"}
        )
        content: Any = [
            v2.Terminal(terminal_id=created["terminalId"]),
            v2.Terminal(terminal_id="another"),
        ]
        await session.update(v2.ToolCallUpdate(tool_call_id="c", title="Make", content=content))
        await session.update(v2.TerminalOutputChunk(terminal_id="t", data="aGk="))

    _, session, reason = await converse(work)
    assert reason == "end_turn"
    shown: Any = session.state.tool_calls["c"].content
    assert shown[0] == v1.Terminal(terminal_id="t")
    assert isinstance(shown[1], v1.Content)  # a terminal that the agent runs itself


async def test_a_session_that_the_client_does_not_know_is_refused() -> None:
    errors: list[Exception] = []

    class Agent(v2.SessionAgent):
        async def session_new(self, params: v2.NewSessionRequest) -> v2.NewSessionResponse:
            response = await super().session_new(params)
            bridged = self.peer.bridged
            assert bridged is not None
            try:
                params_read = {"sessionId": response.session_id, "path": "/a"}
                await bridged.request("fs/read_text_file", params_read)
            except RuntimeError as error:
                errors.append(error)
            return response

        async def turn(self, session: Any, params: Any) -> None: ...

    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, Agent, bridge=True))
    async with connect(near, Editor) as peer:
        await peer.initialize()
        await v1.ClientSession.create(peer, cwd="/w", mcp_servers=[])
    await serving
    assert "does not know the session" in str(errors[0])


# --- handlers passed as `bridge=` ----------------------------------------------------------------


class OlderAgent(v1.SessionAgent):
    async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None: ...

    async def session_close(self, params: Any) -> Any:
        return await super().session_close(params)


def logging(log: list[Any], is_async: bool) -> Any:
    class Plain(v1.ClientHandler):
        def connected(self, peer: Any) -> None:
            log.append(("connected", peer is not None))

        def opened(self, *arguments: Any) -> None:
            log.append(("opened", *arguments))

        def closed(self, *arguments: Any) -> None:
            log.append(("closed", *arguments))

        def disconnected(self) -> None:
            log.append("disconnected")

    class Async(v1.ClientHandler):
        async def connected(self, peer: Any) -> None:
            log.append(("connected", peer is not None))

        async def opened(self, *arguments: Any) -> None:
            await asyncio.sleep(0)
            log.append(("opened", *arguments))

        async def closed(self, *arguments: Any) -> None:
            await asyncio.sleep(0)
            log.append(("closed", *arguments))

        async def disconnected(self) -> None:
            await ticks(100)
            log.append("disconnected")

    return Async if is_async else Plain


@pytest.mark.parametrize("is_class", [False, True])
@pytest.mark.parametrize("is_async", [False, True])
async def test_a_handler_of_the_bridge_is_notified(is_async: bool, is_class: bool) -> None:
    log: list[Any] = []
    cls = logging(log, is_async)
    handler = cls if is_class else cls()
    async with connect_memory(OlderAgent, v2.SessionClient, bridge=handler) as peer:
        await peer.initialize()
        first = await v2.ClientSession.create(peer, cwd="/w")
        await first.close()
        second = await v2.ClientSession.create(peer, cwd="/x")
    assert log == [
        ("connected", True),
        ("opened", first.session_id, "/w", []),
        ("closed", first.session_id),
        ("opened", second.session_id, "/x", []),
        ("closed", second.session_id),
        "disconnected",
    ]


async def test_a_class_is_made_for_each_connection() -> None:
    made: list[Any] = []

    class Counted(v1.ClientHandler):
        def connected(self, peer: Any) -> None:
            made.append(self)

    for _ in range(2):
        async with connect_memory(OlderAgent, v2.SessionClient, bridge=Counted):
            pass
    assert len({id(each) for each in made}) == 2


async def test_an_object_has_one_connection_at_a_time() -> None:
    handler = v1.ClientHandler()
    async with connect_memory(OlderAgent, v2.SessionClient, bridge=handler):
        with pytest.raises(RuntimeError, match="bridge= already has a connection; pass its class"):
            async with connect_memory(OlderAgent, v2.SessionClient, bridge=handler):
                pass
    async with connect_memory(OlderAgent, v2.SessionClient, bridge=handler):
        pass


# --- live output ---------------------------------------------------------------------------------


async def test_output_arrives_in_pieces_while_the_command_runs() -> None:
    shown: list[bytes] = []
    has_first = asyncio.Event()

    class Terminals(v1.ClientHandler):
        output = "one\n"

        async def terminal_create(self, params: Any) -> v1.CreateTerminalResponse:
            return v1.CreateTerminalResponse(terminal_id="t")

        async def terminal_output(self, params: Any) -> v1.TerminalOutputResponse:
            return v1.TerminalOutputResponse(output=self.output, truncated=False)

        async def terminal_wait_for_exit(self, params: Any) -> v1.WaitForTerminalExitResponse:
            await asyncio.wait_for(has_first.wait(), 20)
            self.output += "two\n"
            return v1.WaitForTerminalExitResponse(exit_code=0)

        async def terminal_kill(self, params: Any) -> None: ...

        async def terminal_release(self, params: Any) -> None: ...

    class Runner(v1.SessionAgent):
        async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
            terminal = (await session.terminal_create(command="make")).terminal_id
            await session.terminal_wait_for_exit(terminal_id=terminal)
            await session.terminal_output(terminal_id=terminal)
            await session.terminal_release(terminal_id=terminal)

    class Client(v2.SessionClient):
        async def session_update(self, params: Any) -> None:
            if isinstance(params.update, v2.TerminalOutputChunk):
                shown.append(params.update.data)
                has_first.set()

    async with connect_memory(Runner, Client, bridge=Terminals) as peer:
        await peer.initialize()
        session = await v2.ClientSession.create(peer, cwd="/w")
        async with session.prompt("Hi") as turn:
            await turn.wait(timeout=20)
        assert session.state.terminal_output["t"] == b"one\ntwo\n"
        assert session.state.terminals["t"].exit_status == v2.TerminalExitStatus(exit_code=0)
    assert len(shown) == 2


def test_the_output_of_silent_terminals_is_requested_less_and_less_often() -> None:
    requests = Counter[str]()

    class Terminals(v1.ClientHandler):
        async def terminal_create(self, params: Any) -> v1.CreateTerminalResponse:
            return v1.CreateTerminalResponse(terminal_id=params.command)

        async def terminal_output(self, params: Any) -> v1.TerminalOutputResponse:
            requests[params.terminal_id] += 1
            return v1.TerminalOutputResponse(output="", truncated=False)

        async def terminal_wait_for_exit(self, params: Any) -> v1.WaitForTerminalExitResponse:
            raise NotImplementedError

        async def terminal_kill(self, params: Any) -> None: ...

        async def terminal_release(self, params: Any) -> None: ...

    class Runner(v1.SessionAgent):
        async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
            for command in ("make", "test"):
                await session.terminal_create(command=command)
            await asyncio.sleep(10)

    async def main() -> None:
        async with connect_memory(Runner, v2.SessionClient, bridge=Terminals) as peer:
            await peer.initialize()
            session = await v2.ClientSession.create(peer, cwd="/w")
            async with session.prompt("Hi") as turn:
                await turn.wait()

    virtual_time.run(main(), within=60)
    # After 0.05, 0.1, 0.2, 0.4 and 0.8 seconds, and then each second.
    assert requests == {"make": 13, "test": 13}
