"""Tests of fallback handlers, which handle protocol 1 agents' file and terminal requests."""

from __future__ import annotations

import asyncio
import base64
import gc
import warnings
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import ConnectionClosed, RequestError
from acp_bindings.runtime.aio import Peer, connect, connect_memory, memory_streams, serve
from acp_bindings.runtime.bridge.stand_in import Closed, Opened, StandIn
from acp_bindings.runtime.jsonrpc.events import Cancellation, Request

from tests.package.aio.loop import within
from tests.package.aio.sides import connected, ticks
from tests.package.bridge.v2_client_v1_agent.introduced import begin, resume, with_session
from tests.package.bridge.wire import Json, Wire
from tests.package.jsonrpc.wire import ask, cancel

CREATED = v1.CreateTerminalResponse(terminal_id="t")
SHOWN = {"type": "terminal", "terminalId": "t"}
CALL = {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Run"}


class Files(v1.ClientHandler):
    async def fs_read_text_file(self, params: v1.ReadTextFileRequest) -> v1.ReadTextFileResponse:
        raise NotImplementedError


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # about terminal_output

    class Waiting(v1.ClientHandler):
        """A client that runs terminals but does not return their output.

        The test sends the responses, so these methods are never called.
        """

        async def terminal_create(
            self, params: v1.CreateTerminalRequest
        ) -> v1.CreateTerminalResponse:
            raise NotImplementedError

        async def terminal_kill(self, params: v1.KillTerminalRequest) -> None:
            raise NotImplementedError

        async def terminal_wait_for_exit(
            self, params: v1.WaitForTerminalExitRequest
        ) -> v1.WaitForTerminalExitResponse:
            raise NotImplementedError

        async def terminal_release(self, params: v1.ReleaseTerminalRequest) -> None:
            raise NotImplementedError


class Terminals(Waiting):
    """A client with terminals."""

    async def terminal_output(self, params: v1.TerminalOutputRequest) -> v1.TerminalOutputResponse:
        raise NotImplementedError


def bridge(handler: Any = Terminals) -> tuple[Wire, StandIn]:
    """Begin a turn of the session `s` on a bridge. Return the bridge and its `StandIn`."""
    wire = Wire(handler=handler)
    info = {"name": "client", "version": "1"}
    wire.client.request("initialize", protocolVersion=2, info=info)
    wire.agent.answer(wire.agent.take("initialize"), {"protocolVersion": 1})
    with_session(wire)
    begin(wire)
    stand_in = wire.bridge.stand_in
    assert stand_in is not None
    return wire, stand_in


def asked(stand_in: StandIn) -> Request:
    """Return the only pending request for the fallback handler."""
    events = [each for each in stand_in.take_events() if not isinstance(each, Opened | Closed)]
    [event] = events
    assert isinstance(event, Request)
    return event


def respond(wire: Wire, stand_in: StandIn, result: Any) -> None:
    """Send the handler's response to its only pending request."""
    stand_in.respond(asked(stand_in), result)
    wire.collect()


def with_terminal() -> tuple[Wire, StandIn]:
    """Let the agent create the terminal `t`. Return the bridge and its `StandIn`."""
    wire, stand_in = bridge()
    arguments = {"command": "make", "args": ["all", "a b"], "cwd": "/w"}
    wire.agent.request("terminal/create", sessionId="s", **arguments)
    respond(wire, stand_in, CREATED)
    return wire, stand_in


def output(text: str, **members: Any) -> v1.TerminalOutputResponse:
    return v1.TerminalOutputResponse(output=text, truncated=False, **members)


def update(**members: Any) -> Json:
    return {"sessionUpdate": "terminal_update", "terminalId": "t", **members}


def encoded(text: str) -> Json:
    return {"data": base64.b64encode(text.encode()).decode()}


def chunk(text: str) -> Json:
    return {"sessionUpdate": "terminal_output_chunk", "terminalId": "t", **encoded(text)}


# --- advertised and handled methods --------------------------------------------------------------


@pytest.mark.parametrize(
    ("handler", "advertised"),
    [
        (Files, {"fs": {"readTextFile": True}}),
        (Files(), {"fs": {"readTextFile": True}}),
        (Terminals, {"terminal": True}),
        (v1.ClientHandler, {}),
    ],
)
def test_what_the_handler_has_is_advertised(handler: Any, advertised: Json) -> None:
    wire = Wire(handler=handler)
    info = {"name": "client", "version": "1"}
    wire.client.request("initialize", protocolVersion=2, info=info)
    capabilities = wire.agent.take("initialize")["params"]["clientCapabilities"]
    assert {name: capabilities[name] for name in capabilities if name != "session"} == advertised


@pytest.mark.parametrize("handler", [v2.ClientHandler, v1.AgentHandler, {}])
def test_handlers_of_others_are_refused(handler: Any) -> None:
    with pytest.raises(TypeError, match="is not a client handler for protocol 1"):
        Wire(handler=handler)


def test_what_the_handler_lacks_is_refused() -> None:
    wire, _ = bridge(Files)
    id_ = wire.agent.request("fs/write_text_file", sessionId="s", path="/a", content="")
    assert wire.agent.answers[id_]["code"] == -32601


def stating(base: Any, **absent: Any) -> Any:
    """Return a handler class that declares some of its methods as unsupported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about these methods
        return type("Stating", (base,), {"capabilities": v1.ClientCapabilities(**absent)})


NO_FILES = v1.FileSystemCapabilities(read_text_file=False)


@pytest.mark.parametrize(
    ("handler", "advertised"),
    [
        (stating(Terminals, terminal=False), {"terminal": False}),
        (stating(Terminals, terminal=False)(), {"terminal": False}),
        (stating(Files, fs=NO_FILES), {"fs": {"readTextFile": False}}),
    ],
)
def test_methods_that_the_handler_states_to_lack_are_refused(
    handler: Any, advertised: Json
) -> None:
    wire = Wire(handler=handler)
    wire.client.request("initialize", protocolVersion=2, info={"name": "client", "version": "1"})
    introduction = wire.agent.take("initialize")
    capabilities = introduction["params"]["clientCapabilities"]
    assert {name: capabilities[name] for name in advertised} == advertised
    wire.agent.answer(introduction, {"protocolVersion": 1})
    with_session(wire)
    begin(wire)
    ids = [
        wire.agent.request("terminal/create", sessionId="s", command="ls"),
        wire.agent.request("terminal/kill", sessionId="s", terminalId="t"),
        wire.agent.request("fs/read_text_file", sessionId="s", path="/a"),
    ]
    assert [wire.agent.answers[id_]["code"] for id_ in ids] == [-32601] * 3
    assert wire.bridge.stand_in is not None
    assert wire.bridge.stand_in.take_events() == [Opened("s", "/w", ())]


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        (None, "/content: expected string, found nothing"),
        (v1.ReadTextFileResponse(content=1), "/content: expected str, found int"),  # type: ignore[arg-type]
    ],
)
def test_a_result_that_does_not_match_is_an_internal_error(
    result: Any, problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    wire, stand_in = bridge(Files)
    id_ = wire.agent.request("fs/read_text_file", sessionId="s", path="/a")
    respond(wire, stand_in, result)
    assert wire.agent.answers[id_]["code"] == -32603
    [message] = caplog.messages
    assert message.startswith("cannot send the result of fs/read_text_file: ReadTextFileResponse")
    assert message.endswith(problem)


def test_the_handler_is_told_about_sessions() -> None:
    wire = Wire(handler=Files)
    info = {"name": "client", "version": "1"}
    wire.client.request("initialize", protocolVersion=2, info=info)
    session = {"resume": {}, "additionalDirectories": {}}
    capabilities = {"sessionCapabilities": session}
    answer = {"protocolVersion": 1, "agentCapabilities": capabilities}
    wire.agent.answer(wire.agent.take("initialize"), answer)
    wire.client.request("session/new", cwd="/w", additionalDirectories=["/x", "/y"])
    wire.agent.answer(wire.agent.take("session/new"), {"sessionId": "s"})
    wire.client.request("session/close", sessionId="s")
    resume(wire, replay=False)
    assert wire.bridge.stand_in is not None
    assert wire.bridge.stand_in.take_events() == [
        Opened("s", "/w", ("/x", "/y")),
        Closed("s"),
        Opened("s", "/w", ()),
    ]


def test_cancelling_reaches_the_handler() -> None:
    wire, stand_in = bridge(Files)
    id_ = wire.agent.request("fs/read_text_file", sessionId="s", path="/a")
    request = asked(stand_in)
    wire.agent.notify("$/cancel_request", requestId=id_)
    [event] = stand_in.take_events()
    assert isinstance(event, Cancellation)
    assert event.requests == (request,)
    assert wire.agent.answers.get(id_) is None


def test_the_end_of_the_client_answers_the_agent() -> None:
    wire, stand_in = bridge(Files)
    id_ = wire.agent.request("fs/read_text_file", sessionId="s", path="/a")
    request = asked(stand_in)
    wire.bridge.receive_eof(wire.bridge.client)
    wire.agent.collect()
    assert wire.agent.answers[id_]["code"] == -32800
    [event] = stand_in.take_events()
    assert isinstance(event, Cancellation)
    assert event.requests == (request,)
    stand_in.respond(request, v1.ReadTextFileResponse(content="late"))
    assert wire.bridge.data_to_send(wire.bridge.agent) == b""


# --- terminals -----------------------------------------------------------------------------------


def test_a_terminal_is_shown_as_it_is_created() -> None:
    wire, _ = with_terminal()
    assert wire.client.updates() == [update(command="make all 'a b'", cwd="/w")]


def test_output_and_exit_status_are_shown() -> None:
    wire, stand_in = with_terminal()
    wire.client.updates()
    wire.agent.request("terminal/output", sessionId="s", terminalId="t")
    respond(wire, stand_in, output("ok\n", exit_status=v1.TerminalExitStatus(exit_code=0)))
    assert wire.client.updates() == [chunk("ok\n"), update(exitStatus={"exitCode": 0})]


def test_truncated_output_is_a_loss() -> None:
    wire, stand_in = with_terminal()
    wire.agent.request("terminal/output", sessionId="s", terminalId="t")
    respond(wire, stand_in, v1.TerminalOutputResponse(output="end", truncated=True))
    assert wire.lost() == ["/truncated"]


def test_the_last_output_is_shown_before_the_terminal_is_released() -> None:
    wire, stand_in = with_terminal()
    wire.client.updates()
    id_ = wire.agent.request("terminal/release", sessionId="s", terminalId="t")
    respond(wire, stand_in, output("all"))
    assert wire.client.updates() == [chunk("all")]
    assert id_ not in wire.agent.answers
    respond(wire, stand_in, None)
    assert wire.agent.answers[id_] == {}


def test_a_terminal_without_output_is_released_all_the_same() -> None:
    wire, stand_in = with_terminal()
    id_ = wire.agent.request("terminal/release", sessionId="s", terminalId="t")
    stand_in.fail(asked(stand_in), RequestError.internal_error())
    respond(wire, stand_in, None)
    assert wire.agent.answers[id_] == {}


def test_releasing_can_be_cancelled_while_the_last_output_is_asked_for() -> None:
    wire, stand_in = with_terminal()
    id_ = wire.agent.request("terminal/release", sessionId="s", terminalId="t")
    request = asked(stand_in)
    wire.agent.notify("$/cancel_request", requestId=id_)
    [event] = stand_in.take_events()
    assert isinstance(event, Cancellation)
    assert event.requests == (request,)
    stand_in.fail(request, RequestError.request_cancelled())
    wire.collect()
    assert wire.agent.answers[id_]["code"] == -32800


def test_a_tool_call_shows_its_terminal() -> None:
    wire, _ = with_terminal()
    wire.client.updates()
    unknown = {"type": "terminal", "terminalId": "u"}
    wire.agent.update(**CALL, content=[unknown, SHOWN])
    [shown] = wire.client.updates()
    assert shown["content"] == [SHOWN]
    assert wire.lost() == ["/update/content/0"]


def test_terminals_are_told_again_with_the_history() -> None:
    wire, stand_in = with_terminal()
    wire.agent.request("terminal/wait_for_exit", sessionId="s", terminalId="t")
    respond(wire, stand_in, v1.WaitForTerminalExitResponse(exit_code=0))
    wire.client.updates()
    resume(wire, replay=True)
    told = update(command="make all 'a b'", cwd="/w", exitStatus={"exitCode": 0})
    assert told in wire.client.updates()


def requested(stand_in: StandIn) -> list[str]:
    """Return the methods of the new requests for the fallback handler."""
    return [each.method.name for each in stand_in.take_events() if isinstance(each, Request)]


def test_new_output_is_shown_when_the_bridge_looks_for_it() -> None:
    wire, stand_in = with_terminal()
    wire.client.updates()
    assert stand_in.shown == 0
    for text, added in [("one", "one"), ("one two", " two"), ("one two", "")]:
        stand_in.look()
        respond(wire, stand_in, output(text))
        assert wire.client.updates() == ([chunk(added)] if added else [])
    assert stand_in.shown == 2
    assert wire.losses == []


def test_the_bridge_has_one_request_for_output_at_a_time() -> None:
    _, stand_in = with_terminal()
    stand_in.take_events()
    stand_in.look()
    [request] = stand_in.take_events()
    assert isinstance(request, Request)
    params = v1.TerminalOutputRequest(session_id="s", terminal_id="t")
    assert (request.method.name, request.params) == ("terminal/output", params)
    stand_in.look()
    assert requested(stand_in) == []
    stand_in.respond(request, output("one"))
    stand_in.look()
    assert requested(stand_in) == ["terminal/output"]


def test_the_bridge_stops_looking_after_an_error() -> None:
    wire, stand_in = with_terminal()
    wire.client.updates()
    stand_in.look()
    stand_in.fail(asked(stand_in), RequestError.internal_error())
    stand_in.look()
    assert requested(stand_in) == []
    # The exit status is shown even though its output can't be read.
    wire.agent.request("terminal/wait_for_exit", sessionId="s", terminalId="t")
    respond(wire, stand_in, v1.WaitForTerminalExitResponse(exit_code=1))
    assert wire.client.updates() == []
    stand_in.fail(asked(stand_in), RequestError.internal_error())
    wire.collect()
    assert wire.client.updates() == [update(exitStatus={"exitCode": 1})]


def test_output_is_requested_again_if_the_command_exited_meanwhile() -> None:
    wire, stand_in = with_terminal()
    wire.client.updates()
    stand_in.look()
    looking = asked(stand_in)
    wire.agent.request("terminal/wait_for_exit", sessionId="s", terminalId="t")
    respond(wire, stand_in, v1.WaitForTerminalExitResponse(exit_code=0))
    assert requested(stand_in) == []
    stand_in.respond(looking, output("one"))
    wire.collect()
    assert wire.client.updates() == [chunk("one")]
    respond(wire, stand_in, output("one two"))
    assert wire.client.updates() == [chunk(" two"), update(exitStatus={"exitCode": 0})]


def test_the_exit_status_is_shown_once() -> None:
    wire, stand_in = with_terminal()
    wire.client.updates()
    ended = output("ok", exit_status=v1.TerminalExitStatus(exit_code=0))
    stand_in.look()
    respond(wire, stand_in, ended)
    assert wire.client.updates() == [chunk("ok"), update(exitStatus={"exitCode": 0})]
    wire.agent.request("terminal/output", sessionId="s", terminalId="t")
    respond(wire, stand_in, ended)
    assert wire.client.updates() == []
    stand_in.look()
    assert requested(stand_in) == []


def test_without_output_the_exit_status_is_shown_at_once() -> None:
    wire, stand_in = bridge(Waiting)
    wire.agent.request("terminal/create", sessionId="s", command="ls", _meta={"note": 1})
    respond(wire, stand_in, CREATED)
    assert wire.client.updates() == [update(command="ls", _meta={"note": 1})]
    stand_in.look()
    assert requested(stand_in) == []
    wire.agent.request("terminal/wait_for_exit", sessionId="s", terminalId="t")
    respond(wire, stand_in, v1.WaitForTerminalExitResponse(signal="TERM"))
    assert wire.client.updates() == [update(exitStatus={"signal": "TERM"})]


def test_output_without_its_beginning_replaces_what_is_shown() -> None:
    wire, stand_in = with_terminal()
    wire.client.updates()
    for text in ("one", "other"):
        stand_in.look()
        respond(wire, stand_in, output(text))
    assert wire.client.updates() == [chunk("one"), update(output=encoded("other"))]
    [loss] = wire.losses
    assert (loss.method, loss.pointer, loss.session_id) == ("terminal/output", "/truncated", "s")
    # The loss is reported once.
    stand_in.look()
    respond(wire, stand_in, v1.TerminalOutputResponse(output="others", truncated=True))
    assert wire.client.updates() == [chunk("s")]
    assert wire.losses == [loss]


def test_a_killed_terminal_is_watched_until_it_is_released() -> None:
    wire, stand_in = with_terminal()
    stand_in.take_events()
    wire.agent.request("terminal/kill", sessionId="s", terminalId="t")
    respond(wire, stand_in, None)
    stand_in.look()
    respond(wire, stand_in, output("Stopped"))
    wire.agent.request("terminal/release", sessionId="s", terminalId="t")
    respond(wire, stand_in, output("Stopped"))
    respond(wire, stand_in, None)
    stand_in.look()
    assert requested(stand_in) == []
    wire.client.updates()
    resume(wire, replay=True)  # without the output of released terminals
    assert update(command="make all 'a b'", cwd="/w") in wire.client.updates()


@pytest.mark.parametrize("whole", [False, True], ids=["session", "bridge"])
def test_a_terminal_is_watched_until_its_session_or_the_bridge_is_closed(whole: bool) -> None:
    wire, stand_in = with_terminal()
    stand_in.tell(Closed("other"))
    stand_in.take_events()
    stand_in.look()
    respond(wire, stand_in, output("one"))
    if whole:
        wire.bridge.receive_eof(wire.bridge.client)
    else:
        wire.client.request("session/close", sessionId="s")
    stand_in.take_events()
    stand_in.look()
    assert requested(stand_in) == []


# --- the handler at work -------------------------------------------------------------------------


class Reader(v1.SessionAgent):
    """An agent that responds with the content of a file, or with the error if it can't be read."""

    async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
        try:
            await session.say((await session.fs_read_text_file(path="/a")).content)
        except RequestError as error:
            await session.say(f"{error.code} {error.message}")


class Notes(v1.ClientHandler):
    """A client that responds to each read request with the same text or error."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error

    async def fs_read_text_file(self, params: v1.ReadTextFileRequest) -> v1.ReadTextFileResponse:
        if self.error is not None:
            raise self.error
        return v1.ReadTextFileResponse(content="a note")


class Stuck(v1.ClientHandler):
    """A client that never responds and records whether its handler was cancelled."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.is_cancelled = False

    async def fs_read_text_file(self, params: v1.ReadTextFileRequest) -> v1.ReadTextFileResponse:
        self.started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise
        raise AssertionError


async def opened(peer: Peer) -> v2.ClientSession:
    await peer.initialize()
    return await v2.ClientSession.create(peer, cwd="/")


async def said(peer: Peer) -> str:
    """Prompt the agent in a new session and return its response."""
    session = await opened(peer)
    async with session.prompt("Hi") as turn:
        await turn.wait(timeout=20)
    return session.state.messages[-1].text


@pytest.mark.parametrize("handler", [Notes, Notes()])
async def test_an_older_agent_reads_a_file(handler: Any) -> None:
    async with connect_memory(Reader, v2.SessionClient, bridge=handler) as peer:
        assert await said(peer) == "a note"


async def test_the_error_of_a_handler_is_the_answer() -> None:
    notes = Notes(RequestError(-1, "no such note"))
    async with connect_memory(Reader, v2.SessionClient, bridge=notes) as peer:
        assert await said(peer) == "-1 no such note"


@pytest.mark.parametrize("error", [ValueError("secret"), asyncio.CancelledError()])
@pytest.mark.logs("the handler for fs/read_text_file failed")
async def test_the_failure_of_a_handler_is_logged(error: BaseException) -> None:
    notes = Notes(error)
    async with connect_memory(Reader, v2.SessionClient, bridge=notes) as peer:
        assert await said(peer) == "-32603 internal error"


async def test_cancelling_a_turn_cancels_the_handler() -> None:
    stuck = Stuck()
    async with connect_memory(Reader, v2.SessionClient, bridge=stuck) as peer:
        session = await opened(peer)
        async with session.prompt("Hi") as turn:
            await asyncio.wait_for(stuck.started.wait(), 20)
            await turn.cancel()
        assert stuck.is_cancelled


async def test_another_cancellation_does_not_interrupt_the_handler() -> None:
    cleaning, cleaned = asyncio.Event(), asyncio.Event()

    class Careful(Stuck):
        """A handler that finishes its cleanup only when the test allows it."""

        async def fs_read_text_file(
            self, params: v1.ReadTextFileRequest
        ) -> v1.ReadTextFileResponse:
            try:
                return await super().fs_read_text_file(params)
            finally:
                await cleaning.wait()
                cleaned.set()

    handler = Careful()
    async with connected(v2.SessionClient, bridge=handler) as (peer, wire):
        opening = asyncio.create_task(opened(peer))
        wire.write({"id": (await wire.read())["id"], "result": {"protocolVersion": 1}})
        wire.write({"id": (await wire.read())["id"], "result": {"sessionId": "s"}})
        await opening
        wire.write(ask(7, "fs/read_text_file", sessionId="s", path="/a"))
        await asyncio.wait_for(handler.started.wait(), 20)
        wire.write(cancel(7), cancel(7))
        await ticks()
        assert handler.is_cancelled
        cleaning.set()
        answer = await wire.read()
        assert (answer["id"], answer["error"]["code"]) == (7, -32800)
        assert cleaned.is_set()


@pytest.mark.logs("the bridge failed; closing the connection")
async def test_an_answer_of_the_handler_that_cannot_be_sent_ends_the_connection() -> None:
    def fail(data: bytes) -> None:
        raise LookupError

    async with connected(v2.SessionClient, bridge=Notes) as (peer, wire):
        opening = asyncio.create_task(opened(peer))
        wire.write({"id": (await wire.read())["id"], "result": {"protocolVersion": 1}})
        wire.write({"id": (await wire.read())["id"], "result": {"sessionId": "s"}})
        await opening
        stream: Any = peer._bridge
        stream._stream.write = fail
        wire.write(ask(7, "fs/read_text_file", sessionId="s", path="/a"))
        await peer.wait_ended()


class Polled(Terminals):
    """A client with a terminal that records when its output was requested.

    Attributes:
        text: the output of the terminal.
        polls: the times of the requests.
    """

    def __init__(self) -> None:
        self.text = ""
        self.polls: list[float] = []

    async def terminal_create(self, params: v1.CreateTerminalRequest) -> v1.CreateTerminalResponse:
        return CREATED

    async def terminal_output(self, params: v1.TerminalOutputRequest) -> v1.TerminalOutputResponse:
        self.polls.append(asyncio.get_running_loop().time())
        return output(self.text)


@within(60.0)
async def test_the_bridge_looks_for_output_less_and_less_often_until_there_is_some() -> None:
    handler = Polled()
    loop = asyncio.get_running_loop()
    async with connected(v2.SessionClient, bridge=handler) as (peer, wire):
        opening = asyncio.create_task(opened(peer))
        wire.write({"id": (await wire.read())["id"], "result": {"protocolVersion": 1}})
        wire.write({"id": (await wire.read())["id"], "result": {"sessionId": "s"}})
        await opening
        began = loop.time()
        wire.write(ask(7, "terminal/create", sessionId="s", command="make"))
        assert (await wire.read())["result"] == {"terminalId": "t"}
        wire.write(ask(8, "fs/read_text_file", sessionId="s", path="/a"))
        await wire.read()
        await asyncio.sleep(4)
        polls = [time - began for time in handler.polls]
        assert polls == pytest.approx([0.05, 0.15, 0.35, 0.75, 1.55, 2.55, 3.55], abs=0.001)
        handler.text = "made"
        await asyncio.sleep(2)
        polls = [time - began for time in handler.polls[7:]]
        # The second request finds out that the first one brought new output.
        assert polls == pytest.approx([4.55, 5.55, 5.6, 5.7, 5.9], abs=0.001)


@pytest.mark.logs
async def test_closing_cancels_the_handler_and_waits_for_it() -> None:
    class Careful(Stuck):
        is_cleaned_up = False

        async def fs_read_text_file(
            self, params: v1.ReadTextFileRequest
        ) -> v1.ReadTextFileResponse:
            try:
                return await super().fs_read_text_file(params)
            finally:
                await ticks(100)
                self.is_cleaned_up = True

    stuck = Careful()
    async with connect_memory(Reader, v2.SessionClient, bridge=stuck) as peer:
        saying = asyncio.create_task(said(peer))
        await asyncio.wait_for(stuck.started.wait(), 20)
    assert stuck.is_cancelled
    assert stuck.is_cleaned_up
    with pytest.raises(ConnectionClosed):
        await saying


async def test_an_agent_that_waits_for_the_handler_may_be_silent() -> None:
    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, Reader))
    stuck = Stuck()
    async with connect(near, v2.SessionClient, bridge=stuck, silence=0.05) as peer:
        saying = asyncio.create_task(said(peer))
        await asyncio.wait_for(stuck.started.wait(), 20)
        await asyncio.sleep(0.2)
        assert peer.how_ended == ""
    with pytest.raises(ConnectionClosed):
        await saying
    await serving


async def test_an_agent_has_no_handler_for_its_bridge() -> None:
    near, _ = memory_streams()
    wrong: Any = Notes
    with pytest.raises(TypeError, match="pass bridge=True"):
        await serve(near, v2.SessionAgent, bridge=wrong)


def test_an_exit_in_the_handler_ends_the_program(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with connect_memory(Reader, v2.SessionClient, bridge=Notes(SystemExit(3))) as peer:
            await said(peer)

    with pytest.raises(SystemExit) as exit:
        asyncio.run(main())
    assert exit.value.code == 3
    gc.collect()  # deleting a task logs its unretrieved exception
    assert caplog.messages == []
