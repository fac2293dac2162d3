"""Tests that messages are rejected if the receiver declared a required capability unsupported."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import suppress
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    DecodeError,
    Method,
    RequestError,
)
from acp_bindings.runtime.aio import Peer, connect_memory
from acp_bindings.runtime.jsonrpc import Connection, Ignored, Notification, Refused, Request
from acp_bindings.runtime.jsonrpc.method import Capability, Extension

from tests.package.jsonrpc.wire import SURFACES, ask, initialize, line, tell

Json = Any


class Case(NamedTuple):
    """A method, the capability it requires, and an introduction that declares it absent."""

    surface: ModuleType
    method: Method[Any, Any]
    capability: Capability
    introduction: Json


def introduction(surface: ModuleType, pointer: str, value: Any) -> Json:
    """Return JSON for the params or the result of `initialize`, with a value at a pointer."""
    for name in reversed(pointer.split("/")[1:]):
        value = {name: value}
    version = surface.SCHEMA.protocol_version
    return {"protocolVersion": version, "info": {"name": "n", "version": "1"}, **value}


def absences(surface: ModuleType, capability: Capability) -> Iterator[Json]:
    """Yield introductions that declare a capability, or an object that contains it, as absent."""
    names = capability.pointer.split("/")
    value: Json = {"boolean": False, "object": None, "value": []}[capability.form]
    yield introduction(surface, capability.pointer, value)
    for length in range(2, len(names)):
        around = introduction(surface, "/".join(names[:length]), None)
        with suppress(DecodeError):  # some objects must not be null
            surface.decode(surface.InitializeRequest, around, strict=True)
            surface.decode(surface.InitializeResponse, around, strict=True)
            yield around


def methods(surface: ModuleType) -> Iterator[Method[Any, Any]]:
    for side in ("agent", "client"):
        yield from surface.METHODS[side].values()


METHOD_CASES = [
    Case(surface, method, method.capability, absence)
    for surface in SURFACES
    for method in methods(surface)
    if method.capability is not None
    for absence in absences(surface, method.capability)
]


def named(value: Any) -> str:
    return f"{value.surface.__name__.rpartition('.')[2]}-{value.method.name}"


def introduced(surface: ModuleType, side: str, said: Json, **options: Any) -> Connection:
    """Return a connection that has sent these `initialize` params, or this result."""
    number = surface.SCHEMA.protocol_version
    if side == "agent":
        agent = Connection("agent", surface, **options)
        [event] = agent.receive(line(initialize(number)))
        assert isinstance(event, Request)
        agent.respond(event, surface.decode(surface.InitializeResponse, said))
        agent.data_to_send()
        return agent
    client = Connection("client", surface, **options)
    client.initialize(surface.decode(surface.InitializeRequest, said))
    client.data_to_send()
    result = {"protocolVersion": number, "info": {"name": "n", "version": "1"}}
    client.receive(line({"id": 1, "result": result}))
    return client


@pytest.mark.parametrize("case", METHOD_CASES, ids=named)
def test_methods_that_are_stated_to_be_absent_are_refused(case: Case) -> None:
    method, pointer = case.method, case.capability.pointer
    connection = introduced(case.surface, method.side, case.introduction)
    reason = f"{method.name} needs {pointer}, which the {method.side} did not advertise"
    if method.kind == "notification":
        [event] = connection.receive(line(tell(method.name)))
        assert isinstance(event, Ignored)
        assert (event.kind, event.reason) == ("unknown", reason)
        return
    [event] = connection.receive(line(ask(7, method.name)))
    assert isinstance(event, Refused)
    error = {"code": METHOD_NOT_FOUND, "message": f"method not found: {reason}"}
    sent = json.loads(connection.data_to_send())
    assert sent["error"] == {**error, "data": {"capability": pointer}}


def test_methods_that_are_not_stated_are_not_refused() -> None:
    for surface in SURFACES:
        for method in methods(surface):
            said = introduction(surface, "/_meta", {})
            connection = introduced(surface, method.side, said)
            if method.kind == "request" and method.name != "initialize":
                [event] = connection.receive(line(ask(7, method.name)))
                # The test sends no params, but most methods require them.
                assert isinstance(event, Request) or event.error.code == INVALID_PARAMS  # type: ignore[union-attr]


def test_a_bridge_leaves_the_refusal_to_the_sides() -> None:
    said = introduction(v1, "/agentCapabilities/loadSession", False)
    connection = introduced(v1, "agent", said, refuse_absent=False)
    params = {"cwd": "/", "mcpServers": [], "sessionId": "s"}
    [event] = connection.receive(line(ask(7, "session/load", **params)))
    assert isinstance(event, Request)


# --- fields of params ------------------------------------------------------------------------

BLOCKS: Json = {
    "AudioContent": {"type": "audio", "data": "", "mimeType": "audio/wav"},
    "ImageContent": {"type": "image", "data": "", "mimeType": "image/png"},
    "EmbeddedResource": {"type": "resource", "resource": {"uri": "file:///a", "text": "t"}},
}
HTTP = {"type": "http", "name": "a", "url": "http://a", "headers": []}
STDIO = {"type": "stdio", "name": "a", "command": "/a", "args": [], "env": []}
SERVERS: Json = {
    "McpServerHttp": HTTP,
    "McpServerSse": {**HTTP, "type": "sse"},
    "McpServerStdio": STDIO,
    "McpServerAcp": {"type": "acp", "name": "a", "id": "a", "serverId": "a"},
}
FIELDS: Json = {
    "additional_directories": {"additionalDirectories": ["/b"]},
    "archived": {"archived": "only"},
    "system_prompt": {
        "systemPrompt": {"mode": "replace", "content": [{"type": "text", "text": "p"}]}
    },
}
MEMBER_CASES = [
    (surface, method, need, absence)
    for surface in SURFACES
    for method in methods(surface)
    for need in method.needs
    for absence in absences(surface, need.capability)
]


def params_with(method: Method[Any, Any], need: Any) -> Json:
    """Return params for a method, with a field or an item that needs a capability."""
    plain: Json = {"sessionId": "s", "cwd": "/", "mcpServers": [], "prompt": []}
    if need.kind is None:
        return {**plain, **FIELDS[need.member]}
    if need.member == "prompt":
        return {**plain, "prompt": [BLOCKS[need.kind.__name__]]}
    return {**plain, "mcpServers": [SERVERS[need.kind.__name__]]}


@pytest.mark.parametrize(("surface", "method", "need", "absence"), MEMBER_CASES)
def test_fields_that_are_stated_to_be_unsupported_are_refused(
    surface: ModuleType, method: Method[Any, Any], need: Any, absence: Json
) -> None:
    request = line(ask(7, method.name, **params_with(method, need)))
    [event] = introduced(surface, "agent", introduction(surface, "/_meta", {})).receive(request)
    assert isinstance(event, Request)
    connection = introduced(surface, "agent", absence)
    [event] = connection.receive(request)
    assert isinstance(event, Refused)
    if method.capability is not None and method.capability.is_absent(
        surface.decode(surface.InitializeResponse, absence)
    ):
        return  # the agent rejects the method itself
    pointer = need.capability.pointer
    message = f"invalid params: the agent did not advertise {pointer}"
    sent = json.loads(connection.data_to_send())
    assert sent["error"] == {
        "code": INVALID_PARAMS,
        "message": message,
        "data": {"capability": pointer},
    }


# --- when it counts --------------------------------------------------------------------------


def test_absence_counts_once_it_was_sent() -> None:
    said = introduction(v1, "/agentCapabilities/sessionCapabilities/list", None)
    connection = Connection("agent", v1)
    asking = line(ask(7, "session/list"))
    [event] = connection.receive(asking)
    assert isinstance(event, Request)
    connection = introduced(v1, "agent", said)
    assert isinstance(connection.receive(asking)[0], Refused)


def test_a_later_initialize_replaces_the_first() -> None:
    said = introduction(v1, "/agentCapabilities/sessionCapabilities/list", None)
    connection = introduced(v1, "agent", said)
    [again] = connection.receive(line(initialize(1, "again")))
    assert isinstance(again, Request)
    connection.respond(again, v1.InitializeResponse(protocol_version=1))
    [event] = connection.receive(line(ask(7, "session/list")))
    assert isinstance(event, Request)


def test_the_params_of_the_agreed_version_count() -> None:
    older = v1.InitializeRequest(
        protocol_version=1, client_capabilities=v1.ClientCapabilities(terminal=False)
    )
    info = v2.Implementation(name="n", version="1")
    newer = v2.InitializeRequest(protocol_version=2, info=info)
    surfaces: Any = {1: v1, 2: v2}
    connection = Connection("client", surfaces.__getitem__)
    connection.initialize(older, newer)
    connection.receive(line({"id": 1, "result": {"protocolVersion": 1}}))
    params = {"sessionId": "s", "command": "ls"}
    [event] = connection.receive(line(ask(7, "terminal/create", **params)))
    assert isinstance(event, Refused)


def test_methods_of_extensions_can_be_absent() -> None:
    tea = v1.EXTENSIONS["agent", "request"].named("_tea")
    object.__setattr__(tea, "capability", Capability("/_meta/acme~1tea", ("meta", "acme/tea")))

    class Acme:
        METHODS: ClassVar[Any] = {"agent": {"_tea": tea}}

    extension: Extension = Acme()  # type: ignore[assignment]
    for said, kind in (({}, Request), ({"acme/tea": False}, Refused), ({"acme/tea": {}}, Request)):
        connection = introduced(v1, "agent", {"protocolVersion": 1, "_meta": said})
        connection.extend([extension])
        [event] = connection.receive(line(ask(7, "_tea")))
        assert isinstance(event, kind)


# --- handlers --------------------------------------------------------------------------------


def client(base: Any, ran: list[str], **members: Any) -> Any:
    """Return a client class that records commands in `ran` instead of running them."""

    async def run(self: Any, params: v1.CreateTerminalRequest) -> v1.CreateTerminalResponse:
        ran.append(params.command)
        return v1.CreateTerminalResponse(terminal_id="t")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about methods declared as unsupported
        return type("Able", (base,), {"terminal_create": run, **members})


class Runner(v1.SessionAgent):
    """An agent that runs a command in the client's terminal without checking capabilities."""

    check_capabilities = False

    async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
        try:
            await session.terminal_create(command="ls")
            await session.say("ran")
        except RequestError as error:
            await session.say(str(error.code))


async def asked(client: Any, *introductions: Any) -> str:
    """Send `Runner` a prompt as this client and return the text of the agent's response."""
    said: list[str] = []

    async def update(self: Any, params: v1.SessionNotification) -> None:
        said.append(params.update.content.text)  # type: ignore[union-attr]

    client.session_update = update
    async with connect_memory(Runner, client) as peer:
        await peer.initialize(*introductions)
        agent = v1.AgentStub(peer)
        opened = await agent.session_new(v1.NewSessionRequest(cwd="/", mcp_servers=[]))
        prompt: list[v1.ContentBlock] = [v1.TextContent(text="Hi")]
        await agent.session_prompt(v1.PromptRequest(session_id=opened.session_id, prompt=prompt))
    return "".join(said)


REFUSED = "rejected a message (id 1): method not found: terminal/create needs "
REFUSED += "/clientCapabilities/terminal, which the client did not advertise (-32601): "
REFUSED += "{'capability': '/clientCapabilities/terminal'}"
NO_TERMINAL = v1.ClientCapabilities(terminal=False)
SAYS_SO = v1.InitializeRequest(protocol_version=1, client_capabilities=NO_TERMINAL)


@pytest.mark.logs(REFUSED)
@pytest.mark.parametrize("base", [v1.ClientHandler, v1.SessionClient])
@pytest.mark.parametrize("way", ["class", "request"])
async def test_terminals_that_the_client_states_to_lack_run_nothing(base: Any, way: str) -> None:
    ran: list[str] = []
    if way == "class":
        says = await asked(client(base, ran, capabilities=NO_TERMINAL))
    else:
        says = await asked(client(base, ran), SAYS_SO)
    assert says == str(METHOD_NOT_FOUND)
    assert ran == []


async def test_terminals_that_a_request_does_not_mention_run_commands() -> None:
    ran: list[str] = []
    plain = v1.InitializeRequest(protocol_version=1)
    assert await asked(client(v1.ClientHandler, ran), plain) == "ran"
    assert ran == ["ls"]


async def reply(peer: Peer, method: str, **params: Any) -> Any:
    """Send a raw request. Return the error code, or None if the request succeeds."""
    try:
        await peer.request(method, params)
    except RequestError as error:
        return error.code
    return None


@pytest.mark.logs(
    "rejected a message (id 2): method not found: session/delete needs "
    "/capabilities/session/delete, which the agent did not advertise (-32601): "
    "{'capability': '/capabilities/session/delete'}",
    "rejected a message (id 3): invalid params: the agent did not advertise"
    " /capabilities/session/prompt/image (-32602): "
    "{'capability': '/capabilities/session/prompt/image'}",
)
async def test_the_result_of_an_overridden_initialize_counts() -> None:
    class Careful(v2.AgentHandler):
        async def initialize(self, params: v2.InitializeRequest) -> v2.InitializeResponse:
            session = v2.SessionCapabilities(delete=None, prompt=v2.PromptCapabilities(image=None))
            info = v2.Implementation(name="n", version="1")
            capabilities = v2.AgentCapabilities(session=session)
            return v2.InitializeResponse(protocol_version=2, info=info, capabilities=capabilities)

        async def session_delete(self, params: v2.DeleteSessionRequest) -> None: ...

        async def session_prompt(self, params: v2.PromptRequest) -> v2.PromptResponse:
            return v2.PromptResponse(message_id="m")

    async with connect_memory(Careful, v2.ClientHandler) as peer:
        await peer.initialize()
        assert await reply(peer, "session/delete", sessionId="s") == METHOD_NOT_FOUND
        image = BLOCKS["ImageContent"]
        code = await reply(peer, "session/prompt", sessionId="s", prompt=[image])
        assert code == INVALID_PARAMS
        audio = BLOCKS["AudioContent"]
        assert await reply(peer, "session/prompt", sessionId="s", prompt=[audio]) is None


def test_notifications_that_are_not_stated_arrive() -> None:
    connection = introduced(v1, "client", introduction(v1, "/clientCapabilities/elicitation", {}))
    [event] = connection.receive(line(tell("elicitation/complete", elicitationId="e")))
    assert isinstance(event, Notification)
