"""Tests of connections over message streams: envelopes and the parsing of JSON text."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import UNSET, DecodeError, RequestError, set_json
from acp_bindings.runtime.aio import (
    Envelope,
    MemoryMessages,
    Message,
    connect,
    memory_messages,
    serve,
)
from acp_bindings.runtime.jsonrpc import Connection, Ignored, Refused, Request
from acp_bindings.runtime.values import jsontext

from tests.package.aio.loop import handler
from tests.package.jsonrpc.wire import (
    ask,
    batch,
    cancel,
    each_version,
    extension,
    initialize,
    introduction,
    line,
    marked,
    only,
    tell,
)


def connection(side: Any = "agent", surface: ModuleType = v2, **options: Any) -> Connection:
    return Connection(side, surface, has_envelopes=True, **options)


def text(message: Any) -> bytes:
    return line(message).removesuffix(b"\n")


def received(receiver: Connection, message: Any) -> Any:
    return only(receiver.receive_messages([Message(text(message))]))


def envelope(sender: Connection) -> Envelope:
    """Return the envelope of the only unsent message. Check that it matches the message's text."""
    [message] = sender.messages_to_send()
    assert message.envelope is not None
    assert not message.text.endswith(b"\n")
    found, value = message.envelope, json.loads(message.text)
    if isinstance(value, dict):
        assert found.id == value.get("id")
        assert found.is_response == ("method" not in value)
        if "method" in value:
            assert found.method == value["method"]
            assert found.session_id == (value.get("params") or {}).get("sessionId")
    return found


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The data that `jsontext.parse` receives, as bytes."""
    texts: list[bytes] = []
    parse = jsontext.parse

    def count(data: Any) -> Any:
        texts.append(bytes(data) if not isinstance(data, str) else data.encode())
        return parse(data)

    monkeypatch.setattr(jsontext, "parse", count)
    return texts


CLOSE = v2.AGENT_METHODS["session/close"]
UPDATE = v2.CLIENT_METHODS["session/update"]


def update(session_id: str = "s") -> Any:
    value = v2.UserMessageChunk(content=v2.TextContent(text="t"), message_id="m")
    return v2.UpdateSessionNotification(session_id=session_id, update=value)


# --- envelopes of sent messages ------------------------------------------------------------------


def test_requests_have_their_id_method_and_session() -> None:
    client = connection("client")
    client.request(CLOSE, v2.CloseSessionRequest(session_id="s"))
    assert envelope(client) == Envelope(1, "session/close", "s", False)


def test_requests_without_a_session_name_none() -> None:
    client = connection("client")
    client.request(extension(v2, "agent"), {"a": 1})
    assert envelope(client) == Envelope(1, "_ask", None, False)


def test_an_extension_names_its_session_in_json() -> None:
    client = connection("client")
    client.request(extension(v2, "agent"), {"sessionId": "s"})
    assert envelope(client) == Envelope(1, "_ask", "s", False)
    client.request(extension(v2, "agent"), {"sessionId": 5})
    [message] = client.messages_to_send()
    assert message.envelope == Envelope(2, "_ask", None, False)


def test_initialize_has_an_envelope() -> None:
    client = connection("client")
    client.initialize(introduction(v2, "params"))
    assert envelope(client) == Envelope(1, "initialize", None, False)


def test_notifications_have_no_id() -> None:
    agent = connection()
    agent.notify(UPDATE, update())
    assert envelope(agent) == Envelope(None, "session/update", "s", False)


def test_cancelling_names_no_session() -> None:
    client = connection("client")
    id_ = client.request(CLOSE, v2.CloseSessionRequest(session_id="s"))
    client.messages_to_send()
    client.cancel(id_)
    assert envelope(client) == Envelope(None, "$/cancel_request", None, False)


@pytest.mark.parametrize("id_", [0, 5, "five", ""])
def test_results_are_about_the_session_of_their_request(id_: Any) -> None:
    agent = connection()
    request = received(agent, ask(id_, "session/close", sessionId="s"))
    agent.respond(request, v2.CloseSessionResponse())
    assert envelope(agent) == Envelope(id_, "session/close", "s", True)


def test_errors_are_about_the_session_of_their_request() -> None:
    agent = connection()
    request = received(agent, ask(5, "session/close", sessionId="s"))
    agent.fail(request, RequestError.internal_error())
    assert envelope(agent) == Envelope(5, "session/close", "s", True)


@pytest.mark.parametrize(
    "message",
    [ask(5, "unknown/method"), ask(5, "session/close", sessionId=1), {"id": 5, "method": 6}],
)
def test_refusals_have_the_id_of_their_request(message: Any) -> None:
    agent = connection()
    assert isinstance(received(agent, message), Refused)
    found = envelope(agent)
    assert (found.id, found.is_response) == (5, True)


def test_refusals_of_what_is_not_json_have_no_id() -> None:
    agent = connection()
    agent.receive_messages([Message(b"{")])
    assert envelope(agent) == Envelope(None, None, None, True)


def test_the_replies_to_a_batch_are_one_message() -> None:
    agent = connection()
    requests = ask(1, "session/close", sessionId="a"), ask(2, "session/close", sessionId="b")
    for request in agent.receive_messages([Message(batch(*requests).rstrip())]):
        assert isinstance(request, Request)
        assert agent.messages_to_send() == []
        agent.respond(request, v2.CloseSessionResponse())
    assert envelope(agent) == Envelope(None, None, None, True)


def test_held_notifications_keep_their_envelopes_and_their_order() -> None:
    agent = connection()
    new = ask(1, "session/new", cwd="/", mcpServers=[])
    request = received(agent, new)
    agent.hold(request, "s")
    agent.notify(UPDATE, update())
    agent.notify(UPDATE, update("other"))
    agent.respond(request, v2.NewSessionResponse(session_id="s"))
    found = [message.envelope for message in agent.messages_to_send()]
    assert found == [
        Envelope(None, "session/update", "other", False),
        Envelope(1, "session/new", None, True),
        Envelope(None, "session/update", "s", False),
    ]


def test_messages_are_sent_once() -> None:
    agent = connection()
    agent.notify(UPDATE, update())
    assert len(agent.messages_to_send()) == 1
    assert agent.messages_to_send() == []
    agent.notify(UPDATE, update())
    agent.close()
    assert agent.messages_to_send() == []


def test_a_connection_over_bytes_keeps_no_envelopes() -> None:
    agent = Connection("agent", v2)
    agent.notify(UPDATE, update())
    assert agent.messages_to_send() == []
    assert agent.data_to_send().endswith(b"}\n")


# --- received messages ---------------------------------------------------------------------------

READ: list[tuple[Any, Envelope]] = [
    (ask(1, "session/close", sessionId="s"), Envelope(1, "session/close", "s", False)),
    (tell("session/update", sessionId="s"), Envelope(None, "session/update", "s", False)),
    ({"id": "1", "result": {"sessionId": "s"}}, Envelope("1", None, None, True)),
    ({"id": 1, "error": {}}, Envelope(1, None, None, True)),
    ({"id": [1], "method": ["a"], "params": [1]}, Envelope(None, None, None, False)),
    ({"id": None, "method": "a", "params": {"sessionId": None}}, Envelope(None, "a", None, False)),
    ([ask(1)], Envelope(None, None, None, False)),
    (5, Envelope(None, None, None, False)),
]


@pytest.mark.parametrize(("value", "expected"), READ)
def test_an_envelope_is_read_from_the_text_once(
    value: Any, expected: Envelope, parsed: list[bytes]
) -> None:
    message = Message(json.dumps(value).encode())
    assert message.read_envelope() == expected
    assert message.read_envelope() is message.read_envelope()
    assert message.parse() == value
    assert len(parsed) == 1


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[" * 100_000, b"NaN"])
def test_a_text_that_is_not_json_has_no_envelope(data: bytes) -> None:
    with pytest.raises(DecodeError):
        Message(data).read_envelope()


def test_messages_are_parsed_by_the_chosen_backend() -> None:
    def refuse(data: Any) -> Any:
        raise ValueError("not today")

    set_json(loads=refuse)
    try:
        with pytest.raises(DecodeError, match="not today"):
            Message(b"{}").parse()
    finally:
        set_json()


def test_what_a_transport_parsed_is_not_parsed_again(parsed: list[bytes]) -> None:
    message = Message(text(ask(1, "session/close", sessionId="s")))
    message.parse()
    agent = connection()
    request = only(agent.receive_messages([message]))
    assert isinstance(request, Request)
    assert len(parsed) == 1
    agent.respond(request, v2.CloseSessionResponse())
    [sent] = agent.messages_to_send()
    assert sent.value is UNSET
    assert sent.read_envelope().session_id == "s"
    assert len(parsed) == 1


@pytest.mark.parametrize("value", [None, 5, "x"])
def test_other_json_that_a_transport_parsed_is_refused(value: Any) -> None:
    agent = connection()
    agent.receive_messages([Message(json.dumps(value).encode(), value)])
    assert envelope(agent).id is None


@each_version
def test_messages_and_lines_lead_to_the_same(surface: ModuleType) -> None:
    lines: list[Any] = [
        ask(1, "session/close", sessionId="s"),
        ask(2, "unknown/method"),
        tell("session/cancel", sessionId="s"),
        cancel(1),
        {"id": 9, "result": {}},
        {"id": None, "error": {"code": 1, "message": "m"}},
        [],
        5,
    ]
    for value in lines:
        data = line(value) if isinstance(value, dict) else json.dumps(value).encode() + b"\n"
        by_line, by_message = Connection("agent", surface), connection("agent", surface)
        events = by_line.receive(data)
        assert [*map(type, by_message.receive_messages([Message(data[:-1])]))] == [
            *map(type, events)
        ]
        sent = b"".join(each.text + b"\n" for each in by_message.messages_to_send())
        assert sent == by_line.data_to_send()


def test_a_text_that_is_too_long_is_refused_and_the_next_is_read() -> None:
    agent = connection(max_line=100)
    long = ask(1, "session/close", sessionId="s" * 100)
    refusal = received(agent, long)
    assert isinstance(refusal, Refused)
    found = envelope(agent)
    assert (found.id, found.is_response) == (1, True)
    assert isinstance(received(agent, ask(2, "session/close", sessionId="s")), Request)


@pytest.mark.parametrize(("over", "event"), [(0, Request), (1, Refused)])
def test_a_text_can_be_as_long_as_the_limit(over: int, event: type) -> None:
    message = Message(text(ask(1, "session/close", sessionId="s")))
    agent = connection(max_line=len(message.text) - over)
    assert isinstance(only(agent.receive_messages([message])), event)


def test_a_text_that_is_too_long_counts_even_if_it_was_parsed() -> None:
    agent = connection(max_line=100)
    message = Message(text(ask(1, "session/close", sessionId="s" * 100)))
    message.parse()
    assert isinstance(only(agent.receive_messages([message])), Refused)


def test_a_response_that_is_too_long_ends_its_call() -> None:
    client = connection("client", max_line=100)
    client.request(extension(v2, "agent"), None)
    client.messages_to_send()
    [event] = client.receive_messages([Message(text({"id": 1, "result": {"a": "x" * 100}}))])
    assert getattr(event, "id", None) == 1
    assert not client.pending


def test_observers_see_messages() -> None:
    seen: list[Any] = []
    agent = connection(observe=seen.append)
    message = Message(text(ask(1, "session/close", sessionId="s")))
    message.parse()
    agent.respond(only(agent.receive_messages([message])), v2.CloseSessionResponse())
    [sent] = agent.messages_to_send()
    assert [(each.direction, each.line) for each in seen] == [
        ("received", message.text),
        ("sent", sent.text),
    ]


def test_nothing_is_received_after_the_close() -> None:
    agent = connection()
    agent.close()
    assert agent.receive_messages([Message(text(ask(1, "session/close", sessionId="s")))]) == []


def test_a_stray_response_is_ignored() -> None:
    assert isinstance(received(connection(), {"id": 5, "result": {}}), Ignored)


# --- over asyncio --------------------------------------------------------------------------------


class Echo(v2.SessionAgent):
    async def turn(self, session: Any, params: Any) -> None:
        await session.say(params.prompt[0].text)


class EchoV1(v1.SessionAgent):
    async def turn(self, session: Any, params: Any) -> None:
        await session.say(params.prompt[0].text)


async def turn(client: Any, near: MemoryMessages, text: str) -> str:
    """Play a turn as a new client and return the agent's message."""
    async with connect(near, client) as peer:
        await peer.initialize()
        session = await client.surface.ClientSession.create(peer, cwd="/", mcp_servers=[])
        async with session.prompt(text) as played:
            await played.wait()
        return str(session.state.messages[-1].text)


class Recorded:
    """A message stream that delegates to another stream and records the sent messages."""

    def __init__(self, stream: MemoryMessages, user: Any = None) -> None:
        self.sent: list[Message] = []
        self.drained: list[str | None] = []
        self.user = user
        self._stream = stream
        self.receive = stream.receive
        self.unsent = stream.unsent
        self.close = stream.close

    def send(self, messages: Any) -> None:
        self.sent += messages
        self._stream.send(messages)

    async def drain(self, session_id: str | None) -> None:
        self.drained.append(session_id)
        await self._stream.drain(session_id)


async def test_a_turn_parses_each_message_once(parsed: list[bytes]) -> None:
    near, far = memory_messages()
    sides = Recorded(near), Recorded(far)
    serving = asyncio.create_task(serve(sides[1], Echo))
    assert await turn(v2.SessionClient, sides[0], "Hi\u2028") == "Hi\u2028"  # type: ignore[arg-type]
    await serving
    assert all(message.envelope is not None for side in sides for message in side.sent)
    sent = [message.text for side in sides for message in side.sent]
    assert sorted(parsed) == sorted(sent)


async def test_drain_names_the_session() -> None:
    near, far = memory_messages()
    agent = Recorded(far)
    serving = asyncio.create_task(serve(agent, Echo))
    await turn(v2.SessionClient, near, "Hi")
    await serving
    sessions = {message.envelope.session_id for message in agent.sent if message.envelope} - {None}
    assert len(sessions) == 1
    assert sessions <= {*agent.drained}


async def test_handlers_see_the_user_of_the_stream() -> None:
    users: list[Any] = []

    class Seeing(Echo):
        async def turn(self, session: Any, params: Any) -> None:
            users.append(self.peer.user)

    for user, bridge, client in (
        ("Ann", False, v2.SessionClient),
        ("Bob", True, v1.SessionClient),
        (None, False, v2.SessionClient),
    ):
        near, far = memory_messages()
        serving = asyncio.create_task(serve(Recorded(far, user), Seeing, bridge=bridge))
        async with connect(near, client) as peer:
            await peer.initialize()
            session = await client.surface.ClientSession.create(peer, cwd="/", mcp_servers=[])
            async with session.prompt("Hi") as played:
                await played.wait()
        await serving
    assert users == ["Ann", "Bob", None]


BRIDGED: list[tuple[Any, Any]] = [(v1.SessionClient, Echo), (v2.SessionClient, EchoV1)]


@pytest.mark.parametrize(("client", "agent"), BRIDGED, ids=["v1 to v2", "v2 to v1"])
async def test_a_bridge_leads_over_messages(client: Any, agent: Any) -> None:
    near, far = memory_messages()
    serving = asyncio.create_task(serve(far, agent, bridge=True))
    assert await turn(client, near, "Hi\u2028") == "Hi\u2028"
    await serving


async def test_the_end_of_one_end_is_the_end_of_the_other() -> None:
    near, far = memory_messages()
    near.send([Message(b"1"), Message(b"2")])
    assert [message.text for message in await far.receive()] == [b"1", b"2"]
    near.send([Message(b"3")])
    await near.close()
    assert [message.text for message in await far.receive()] == [b"3"]
    assert await far.receive() == []
    with pytest.raises(BrokenPipeError):
        await far.drain(None)


async def test_memory_messages_have_limited_room() -> None:
    near, far = memory_messages(room=10)
    near.send([Message(b"x" * 10)])
    await near.drain("s")
    assert near.unsent() == 10
    near.send([Message(b"x")])
    draining = asyncio.create_task(near.drain("s"))
    await asyncio.sleep(0)
    assert not draining.done()
    assert len(await far.receive()) == 2
    await draining
    assert near.unsent() == 0


async def test_a_message_with_an_end_of_line_is_one_message_to_the_peer() -> None:
    near, far = memory_messages()
    calls: list[Any] = []

    async def ask_agent(peer: Any, method: str, params: Any) -> Any:
        calls.append(params)
        return {}

    agent: Callable[..., Any] = handler(v2.AgentHandler, ext_request=ask_agent)
    serving = asyncio.create_task(serve(far, agent))
    near.send([Message(text(initialize(2)))])
    await near.receive()
    near.send([Message(json.dumps(marked(ask(1, "_ask", a=1)), indent=1).encode())])
    await near.receive()
    await near.close()
    await serving
    assert calls == [{"a": 1}]


@pytest.mark.parametrize(
    ("text", "envelope"),
    [
        ('{"id": 1, "result": null}', (1, None, None, True)),
        ('{"id": "a", "error": {}}', ("a", None, None, True)),
        ('{"id": 1}', (1, None, None, False)),
        ('{"id": 1, "method": "m", "result": null}', (1, "m", None, False)),
        ('{"id": 1, "method": 2, "error": {}}', (1, None, None, False)),
        ('{"id": 1.5, "method": "m", "params": {"sessionId": "s"}}', (None, "m", "s", False)),
        ('{"method": "m", "params": {"sessionId": 3}}', (None, "m", None, False)),
        ('[{"id": 1, "result": null}]', (None, None, None, False)),
    ],
)
def test_envelope_of_any_json(text: str, envelope: tuple[Any, ...]) -> None:
    found = Message(text.encode()).read_envelope()
    assert (found.id, found.method, found.session_id, found.is_response) == envelope
