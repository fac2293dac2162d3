"""A scripted peer for tests of sessions, which writes messages and checks the messages it reads."""

from __future__ import annotations

import asyncio
import json
import logging
import warnings
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

import pytest
from acp_bindings.runtime.aio import MemoryStream, Peer, connect, memory_streams, serve

from tests.package.aio import loop
from tests.package.jsonrpc.wire import ask, introduction, line, tell
from tests.package.jsonrpc.wire import initialize as initialize_request

T = TypeVar("T")
Json = Any
SESSION = "s"  # the session's id in scripts
MESSAGE = "u"  # the id that scripted agents give to the user's message
# The optional content types and session methods, for which agents must advertise capabilities.
BLOCKS = ("image", "audio", "embeddedContext")
METHODS = ("close", "delete", "fork", "list", "resume", "status", "title")


def run(main: Coroutine[Any, Any, T], *logged: str) -> T:
    """Run a test. Fail if it logs other messages, issues warnings, or leaves tasks running."""

    async def whole() -> T:
        before = asyncio.all_tasks()
        result = await main
        await settle()
        assert asyncio.all_tasks() == before
        return result

    records = loop.Records()
    logger = logging.getLogger("acp_bindings")
    logger.addHandler(records)
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            result = loop.run(whole())
    finally:
        logger.removeHandler(records)
    assert [str(warning.message) for warning in warned] == []
    # Ignore the file and line number at the end of messages about dropped tasks.
    assert [text.partition(" (at ")[0] for text in records.messages] == list(logged)
    return result


async def settle(steps: int = 50) -> None:
    """Run the event loop until all tasks are waiting, for at most `steps` iterations."""
    loop = asyncio.get_running_loop()
    idle = 0
    for _ in range(steps):
        await asyncio.sleep(0)
        # The loop checks for input and timers only between iterations, so wait for two idle
        # iterations.
        idle = 0 if loop._ready else idle + 1  # type: ignore[attr-defined]
        if idle == 2:
            return


# --- messages --------------------------------------------------------------------------------


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def update(session: str = SESSION, **members: Json) -> Json:
    return tell("session/update", sessionId=session, update=members)


def chunk(words: str, *, session: str = SESSION, role: str = "agent_message") -> Json:
    kind = f"{role}_chunk"
    return update(session, sessionUpdate=kind, messageId=f"{role}-1", content=text(words))


def state(name: str, **members: Json) -> Json:
    return update(sessionUpdate="state_update", state=name, **members)


def call(id_: str, **members: Json) -> Json:
    return update(sessionUpdate="tool_call_update", toolCallId=id_, **members)


def used(tokens: int) -> Json:
    return update(sessionUpdate="usage_update", used=tokens, size=100)


def result(id_: Any, **members: Json) -> Json:
    return {"id": id_, "result": members}


def failure(id_: Any, code: int, message: str = "no", **more: Json) -> Json:
    return {"id": id_, "error": {"code": code, "message": message, **more}}


CANCEL = tell("session/cancel", sessionId=SESSION)


def stray(session: str) -> str:
    """Return the message that a client logs for an update of an unopened session."""
    problem = f"an update arrived for session '{session}', which this client has not opened"
    return f"{problem}; further occurrences are not logged"


# --- versions --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Version:
    name: str

    @property
    def surface(self) -> ModuleType:
        return import_module(f"acp_bindings.{self.name}")

    @property
    def client(self) -> ModuleType:
        return import_module(f"acp_bindings.{self.name}.client_session")

    @property
    def agent(self) -> ModuleType:
        return import_module(f"acp_bindings.{self.name}.agent_session")

    @property
    def number(self) -> int:
        return 2 if self.name.startswith("v2") else 1

    def accepted(self, id_: Any, message_id: str = MESSAGE) -> list[Json]:
        if self.number == 1:
            return []
        return [result(id_, messageId=message_id), state("running")]

    def stopped(self, id_: Any, reason: str = "end_turn", **members: Json) -> list[Json]:
        if self.number == 1:
            return [result(id_, stopReason=reason, **members)]
        return [state("idle", stopReason=reason, **members)]

    def initialized(self, id_: Any, takes: Collection[str], lacks: Collection[str] = ()) -> Json:
        """Return the agent's response to `initialize`.

        Args:
            id_: the id of the request.
            takes: the content types that the agent accepts in addition to text and links.
            lacks: the session methods that the agent doesn't support.
        """
        methods: Json = {name: {} for name in METHODS if name not in lacks}
        if self.number == 1:
            prompt: Json = dict.fromkeys(takes, True)
            capabilities: Json = {"promptCapabilities": prompt, "sessionCapabilities": methods}
            capabilities["loadSession"] = "load" not in lacks
            return result(id_, protocolVersion=1, agentCapabilities=capabilities)
        info = {"name": "agent", "version": "1"}
        session = {**methods, "prompt": {name: {} for name in takes}}
        return result(id_, protocolVersion=2, info=info, capabilities={"session": session})

    def permission(self, id_: Any, call_id: str = "t") -> Json:
        options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
        about = {"toolCallId": call_id}
        method, session = "session/request_permission", {"sessionId": SESSION}
        if self.number == 1:
            return ask(id_, method, **session, toolCall=about, options=options)
        subject = {"type": "tool_call", "toolCall": about}
        return ask(id_, method, **session, title="May I?", subject=subject, options=options)

    def question(self, call_id: str = "t") -> Any:
        """Return the params of the `permission` request as a Python object."""
        params = self.permission(0, call_id)["params"]
        return self.surface.decode(self.surface.RequestPermissionRequest, params)

    def __str__(self) -> str:
        return self.name


V1, V1_UNSTABLE = Version("v1"), Version("v1_unstable")
V2, V2_UNSTABLE = Version("v2"), Version("v2_unstable")
ALL = (V1, V1_UNSTABLE, V2, V2_UNSTABLE)
each_version = pytest.mark.parametrize("version", [V1, V2], ids=str)
each_surface = pytest.mark.parametrize("version", ALL, ids=str)
each_v1 = pytest.mark.parametrize("version", [V1, V1_UNSTABLE], ids=str)
each_v2 = pytest.mark.parametrize("version", [V2, V2_UNSTABLE], ids=str)
logs = pytest.mark.logs  # the messages that a coroutine test must log


# --- both sides ------------------------------------------------------------------------------


class Script:
    def __init__(self, stream: MemoryStream) -> None:
        self._stream = stream
        self._data = b""

    def write(self, *messages: Json) -> None:
        self._stream.write(line(*messages))

    async def read(self) -> Json:
        """Read the next message, without its `jsonrpc` field."""
        while b"\n" not in self._data:
            data = await self._stream.read()
            assert data, "the stream has ended"
            self._data += data
        text, _, self._data = self._data.partition(b"\n")
        return _unmarked(json.loads(text))

    async def initialize(self, version: int) -> None:
        """Initialize the connection as a client of this protocol version."""
        self.write(initialize_request(version, "initialize"))
        answer = await self.read()
        assert (answer["id"], answer["result"]["protocolVersion"]) == ("initialize", version)

    async def request(self, method: str, **params: Json) -> Any:
        """Read a request and check its method and params. Return its id."""
        message = await self.read()
        assert set(message) == {"id", "method", "params"}
        assert (message["method"], message["params"]) == (method, params)
        return message["id"]

    async def prompt(self, *words: str) -> Any:
        prompt = [text(each) for each in words or ("Hi",)]
        return await self.request("session/prompt", sessionId=SESSION, prompt=prompt)

    async def updates(self, count: int) -> list[Json]:
        """Read `count` messages, which must be updates of the session, and return the updates."""
        found = []
        for _ in range(count):
            message = await self.read()
            assert set(message) == {"method", "params"}, message
            assert message["method"] == "session/update"
            assert set(message["params"]) == {"sessionId", "update"}
            assert message["params"]["sessionId"] == SESSION
            found.append(message["params"]["update"])
        return found

    async def close(self) -> None:
        await self._stream.close()

    async def rest(self) -> list[Json]:
        while data := await self._stream.read():
            self._data += data
        return [_unmarked(json.loads(text)) for text in self._data.splitlines()]


def _unmarked(message: Json) -> Json:
    assert message.pop("jsonrpc") == "2.0"
    return message


def handler(base: type, **methods: Callable[..., Coroutine[Any, Any, Any]]) -> type:
    """Return a handler class with these methods, which are static and don't receive `self`."""
    return type("TestHandler", (base,), {k: staticmethod(v) for k, v in methods.items()})


@asynccontextmanager
async def client(
    version: Version,
    *,
    takes: Collection[str] = BLOCKS,
    lacks: Collection[str] = (),
    user: Callable[..., Coroutine[Any, Any, Any]] | None = None,
    **methods: Callable[..., Coroutine[Any, Any, Any]],
) -> AsyncGenerator[tuple[Script, Any]]:
    """Connect a client to a scripted agent. Yield the script and a session of the client.

    The test must read all messages from the client. `takes` and `lacks` are the arguments of
    `Version.initialized`. `user` handles permission requests.
    """
    near, far = memory_streams()
    script = Script(far)
    if user is not None:
        methods["session_request_permission"] = user
    factory = handler(version.client.SessionClient, **methods)
    async with connect(near, factory) as peer:
        await initialize(version, script, peer, takes, lacks)
        yield script, version.client.SessionClient.of(peer).session(SESSION)
        await settle()
    assert await script.rest() == []


async def initialize(
    version: Version,
    script: Script,
    peer: Peer,
    takes: Collection[str] = BLOCKS,
    lacks: Collection[str] = (),
) -> None:
    """Initialize the connection of a client to a scripted agent."""
    params: Json = {"protocolVersion": version.number}
    if version.number == 2:
        params["info"] = {"name": "client", "version": "1"}
    surface = version.surface
    request = surface.decode(surface.InitializeRequest, params)
    initializing = asyncio.create_task(surface.AgentStub(peer).initialize(request))
    message = await script.read()
    assert message["method"] == "initialize"
    script.write(version.initialized(message["id"], takes, lacks))
    await initializing


def agreeing(version: Version) -> Callable[[Any], Coroutine[Any, Any, Any]]:
    async def agree(params: Any) -> Any:
        return introduction(version.surface, "result")

    return agree


async def nothing(session: Any, params: Any) -> None: ...


@asynccontextmanager
async def agent(
    version: Version,
    turn: Callable[..., Coroutine[Any, Any, Any]] | None = None,
    *,
    linger: float = 0,
    **methods: Callable[..., Coroutine[Any, Any, Any]],
) -> AsyncGenerator[tuple[Script, Any]]:
    """Connect an agent to a scripted client. Yield the script and a session of the agent.

    The test must read all messages from the agent.
    """
    near, far = memory_streams()
    script = Script(near)
    base = version.agent.SessionAgent
    methods = {"initialize": agreeing(version), "turn": turn or nothing, **methods}
    peer = Peer(far, "agent", handler(base, **methods))
    running = asyncio.create_task(peer.run(linger))
    served: Any = peer.handler
    try:
        await script.initialize(version.number)
        yield script, served.open(SESSION)
        await settle()
    finally:
        await script.close()
        await running
    assert await script.rest() == []


def prompt(id_: Any, *words: str, session: str = SESSION) -> Json:
    blocks = [text(each) for each in words or ("Hi",)]
    return ask(id_, "session/prompt", sessionId=session, prompt=blocks)


async def begun(version: Version, script: Script, id_: Any, *words: str) -> str:
    """Read an agent's response to a prompt and its first updates. Return the user message's id."""
    if version.number == 1:
        return ""
    answer = await script.read()
    message_id: str = answer["result"]["messageId"]
    assert answer == result(id_, messageId=message_id)
    blocks = [text(each) for each in words or ("Hi",)]
    assert await script.updates(2) == [
        {"sessionUpdate": "user_message", "messageId": message_id, "content": blocks},
        {"sessionUpdate": "state_update", "state": "running"},
    ]
    return message_id


async def ended(version: Version, script: Script, id_: Any, reason: str = "end_turn") -> None:
    (expected,) = version.stopped(id_, reason)
    assert await script.read() == expected


# --- opening sessions, prompting, cancelling and asking the user, for tests of client sessions ---

# Responses to a permission request.
ALLOWED = {"outcome": {"outcome": "selected", "optionId": "yes"}}
REFUSED = {"outcome": {"outcome": "cancelled"}}

# The methods that reopen a session, with their protocol versions.
BACK = [(V1, "load"), (V1, "resume"), (V2, "resume")]
each_way_back = pytest.mark.parametrize(
    ("version", "kind"), BACK, ids=[f"{version}-{kind}" for version, kind in BACK]
)


def opening(version: Version, kind: str, session: str = SESSION) -> Any:
    """Return the params of a method that opens a session, as an object and in JSON."""
    members: Json = {"cwd": "/"}
    if kind != "new":
        members["sessionId"] = session
    if version.number == 1 and kind in ("new", "load"):
        members["mcpServers"] = []
    name = {"new": "New", "load": "Load", "resume": "Resume", "fork": "Fork"}[kind]
    surface = version.surface
    return surface.decode(getattr(surface, f"{name}SessionRequest"), members), members


def named(members: Json) -> Json:
    """Return a request's fields by their Python names."""
    names = {"sessionId": "session_id", "mcpServers": "mcp_servers"}
    return {names.get(name, name): value for name, value in members.items()}


def bring_back(
    version: Version, kind: str, session: Any, session_id: str = SESSION
) -> asyncio.Task[Any]:
    _, members = opening(version, kind, session_id)
    come_back = getattr(version.client.ClientSession, kind)
    return asyncio.create_task(come_back(session.peer, **named(members)))


async def read_bring_back(
    script: Script, version: Version, kind: str, session_id: str = SESSION
) -> Any:
    _, members = opening(version, kind, session_id)
    return await script.request(f"session/{kind}", **members)


async def coming_back(
    script: Script, version: Version, kind: str, session: Any, session_id: str = SESSION
) -> tuple[asyncio.Task[Any], Any]:
    """Start reopening a session and read the request. Return the task and the request's id."""
    coming = bring_back(version, kind, session, session_id)
    return coming, await read_bring_back(script, version, kind, session_id)


async def entered(script: Script, session: Any) -> tuple[Any, Any]:
    turn = await session.prompt("Hi").__aenter__()
    return turn, await script.prompt()


def texts(session: Any, role: str = "agent") -> list[str]:
    return [message.text for message in session.state.messages if message.role == role]


async def forever() -> Any:
    await asyncio.Event().wait()


@asynccontextmanager
async def prompted(
    version: Version, script: Script, session: Any, *said: Json
) -> AsyncGenerator[tuple[Any, Any]]:
    """Begin a turn: accept its prompt and send `said`. Yield the turn and the id of its request."""
    async with session.prompt("Hi") as turn:
        id_ = await script.prompt()
        script.write(*version.accepted(id_), *said)
        yield turn, id_


@asynccontextmanager
async def working(
    version: Version, *said: Json, **options: Any
) -> AsyncGenerator[tuple[Script, Any, Any, Any]]:
    """Begin a turn with a new client. Yield the script, session, turn and request id."""
    async with (
        client(version, **options) as (script, session),
        prompted(version, script, session, *said) as (turn, id_),
    ):
        yield script, session, turn, id_


async def close(script: Script, session: Any, *behind: Json) -> None:
    closing = asyncio.create_task(session.close())
    id_ = await script.request("session/close", sessionId=session.session_id)
    script.write(result(id_), *behind)
    await closing
    await settle()


async def cancel(script: Script, turn: Any) -> None:
    """Cancel a turn or a session, and read the notification, which must be the next message."""
    await turn.cancel()
    assert await script.read() == CANCEL


def selecting(version: Version, option: str = "yes") -> Callable[[Any], Coroutine[Any, Any, Any]]:
    """Return a permission-request handler that always selects the given option."""
    outcome = {"outcome": {"outcome": "selected", "optionId": option}}

    async def select(params: Any) -> Any:
        return version.surface.decode(version.surface.RequestPermissionResponse, outcome)

    return select


def asked_about(params: Any) -> str:
    about = getattr(params, "tool_call", None) or params.subject.tool_call
    tool_call_id: str = about.tool_call_id
    return tool_call_id


class Asked:
    """A permission-request handler that never responds.

    Attributes:
        asked: the tool call ids of all requests.
        withdrawn: the tool call ids of the requests that were withdrawn.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.withdrawn: list[str] = []

    async def __call__(self, params: Any) -> Any:
        self.asked.append(asked_about(params))
        try:
            await forever()
        except asyncio.CancelledError:
            self.withdrawn.append(asked_about(params))
            raise


# --- agents in tests: the work of their turns, and repeated steps of their clients -----------

Turn = Callable[[Any, Any], Coroutine[Any, Any, Any]]


# --- work ------------------------------------------------------------------------------------


def returning(value: Any) -> Turn:
    async def turn(session: Any, params: Any) -> Any:
        return value

    return turn


def raising(error: BaseException) -> Turn:
    async def turn(session: Any, params: Any) -> str | None:
        raise error

    return turn


class Waiting:
    """Work that waits until it is cancelled and then runs `then`, if given.

    Attributes:
        begun: the texts of all received prompts.
        cancelled: the texts of the prompts that were cancelled.
    """

    def __init__(self, then: Turn | None = None) -> None:
        self.begun: list[str] = []
        self.cancelled: list[str] = []
        self._then = then

    async def __call__(self, session: Any, params: Any) -> Any:
        words = params.prompt[0].text
        self.begun.append(words)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.append(words)
            if self._then is None:
                raise
            return await self._then(session, params)
        return None


# --- the client ------------------------------------------------------------------------------


@asynccontextmanager
async def serving(version: Version, agent: Any) -> AsyncGenerator[Script]:
    """Serve an agent and yield its client's script, which can leave messages unread."""
    near, far = memory_streams()
    script, running = Script(near), asyncio.create_task(serve(far, agent, linger=0))
    await script.initialize(version.number)
    yield script
    await script.close()
    await running
    await script.rest()


async def answer_of(script: Script, method: str, **params: Any) -> Any:
    """Send a request and return its result or error."""
    script.write(ask("q", f"session/{method}", **params))
    message = await script.read()
    assert message.pop("id") == "q"
    return message.get("result", message.get("error"))


async def begin(version: Version, script: Script, id_: Any = 1, *words: str) -> str:
    """Start a turn and run the agent's work until it waits. Return the id of the user's message."""
    script.write(prompt(id_, *words))
    message_id = await begun(version, script, id_, *words)
    await settle()
    return message_id


async def whole_turn(version: Version, script: Script, id_: Any = 1) -> None:
    await begin(version, script, id_)
    await ended(version, script, id_)


async def cancelled(version: Version, script: Script, id_: Any = 1) -> None:
    script.write(CANCEL)
    await ended(version, script, id_, "cancelled")


def message(words: str) -> Json:
    return {"sessionUpdate": "agent_message_chunk", "content": text(words)}


async def said(script: Script) -> str:
    (found,) = await script.updates(1)
    found.pop("messageId", None)
    words: str = found["content"]["text"]
    assert found == message(words)
    return words
