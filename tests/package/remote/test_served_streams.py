"""Tests of the streams of a connection over HTTP: the messages on each stream, and their order."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.remote import RemoteApplication, RemoteLimits, remote_app
from acp_bindings.remote.routing import ServerRouting, Unread
from acp_bindings.remote.streams import ServedMessages
from acp_bindings.runtime.aio import Message
from acp_bindings.runtime.values import jsontext

from tests.package.aio import loop
from tests.package.remote.agents import Echo, Loading
from tests.package.remote.asgi import (
    INITIALIZE,
    SESSION,
    Client,
    Listener,
    closing,
    prompt,
    request,
)

V1 = {**INITIALIZE, "params": {"protocolVersion": 1}}


async def texts_until(listener: Listener, id_: int) -> list[Any]:
    """Return all messages up to a response, which must contain a result."""
    heard: list[Any] = []
    while not heard or heard[-1].get("id") != id_:
        heard.append(await listener.event())
    assert "result" in heard[-1]
    return heard


# --- routing -----------------------------------------------------------------------------------


def message(value: Any) -> Message:
    return Message(json.dumps(value).encode())


def response(id_: int | str, **result: Any) -> Message:
    return message({"jsonrpc": "2.0", "id": id_, "result": result})


def update(session_id: str) -> Message:
    value = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session_id}}
    return message(value)


LOAD = message(request(1, "session/load", sessionId="s"))
PROMPT = message(request(2, "session/prompt", sessionId="s"))
NEW = message(request(0, "session/new"))


def routing(**limits: Any) -> ServerRouting:
    return ServerRouting(RemoteLimits(**limits))


async def test_draining_ends_when_the_client_disconnects() -> None:
    served = ServedMessages(RemoteLimits(room=1), None, has_sessions=True)
    served.routing.posted(NEW, None)
    served.send([response(0, sessionId="s")])
    waiting = asyncio.create_task(served.drain(None))
    await asyncio.sleep(0)
    assert not waiting.done()
    served.end()
    with pytest.raises(BrokenPipeError, match="the client disconnected"):
        await waiting
    await served.close()


@pytest.mark.parametrize(("spare", "has_room"), [(0, True), (-1, False)])
def test_a_stream_has_room_up_to_its_limit(spare: int, has_room: bool) -> None:
    text = message({"jsonrpc": "2.0", "method": "$/cancel_request"})
    streams = routing(room=len(text.text) + spare)
    streams.add(text)
    assert streams.has_room(None) == has_room


def test_messages_without_a_session_are_the_connections() -> None:
    streams = routing()
    streams.posted(NEW, None)
    assert streams.add(response(0, sessionId="s")) is None
    assert streams.add(message({"jsonrpc": "2.0", "method": "$/cancel_request"})) is None
    assert streams.add(response("unknown")) is None


def test_a_new_session_waits_for_its_listener() -> None:
    streams = routing()
    streams.posted(NEW, None)
    streams.add(response(0, sessionId="s"))
    assert streams.add(update("s")) == "s"
    streams.posted(PROMPT, "s")
    assert streams.add(update("s")) == "s"
    assert streams.add(response(2)) == "s"


@pytest.mark.parametrize("header", [None, "s"])
def test_a_session_that_is_opened_without_a_listener_is_on_the_connections_stream(
    header: str | None,
) -> None:
    streams = routing()
    streams.posted(LOAD, header)
    assert streams.add(update("s")) is None
    streams.listen("s")  # too late: a message must not overtake earlier messages
    assert streams.add(update("s")) is None
    assert streams.add(response(1)) is None
    assert streams.add(update("s")) == "s"


def test_after_it_was_opened_a_session_waits_for_its_listener() -> None:
    streams = routing()
    streams.posted(LOAD, None)
    streams.add(response(1))
    streams.posted(PROMPT, "s")
    assert streams.add(update("s")) == "s"


@pytest.mark.parametrize("header", [None, "s"])
def test_a_session_with_a_listener_is_opened_on_its_own_stream(header: str | None) -> None:
    streams = routing()
    streams.listen("s")
    streams.posted(LOAD, header)
    assert [streams.add(update("s")), streams.add(response(1))] == ["s", "s"]


def test_a_request_without_header_and_listener_is_answered_on_the_connections_stream() -> None:
    streams = routing()
    streams.listen("s")
    streams.leave("s")
    streams.posted(LOAD, None)
    assert [streams.add(update("s")), streams.add(response(1))] == [None, None]


def test_a_session_that_was_heard_waits_for_its_next_listener() -> None:
    streams = routing()
    streams.listen("s")
    streams.leave("s")
    streams.posted(PROMPT, "s")
    assert [streams.add(update("s")), streams.add(response(2))] == ["s", "s"]


CLOSE = message(request(3, "session/close", sessionId="s"))


def test_what_is_left_to_say_about_a_session_that_ended_is_on_the_connections_stream() -> None:
    streams = routing()
    streams.listen("s")
    streams.posted(PROMPT, "s")
    streams.posted(CLOSE, "s")
    assert streams.add(response(3)) == "s"
    assert streams.is_over("s")
    assert streams.add(update("s")) == "s"  # the session's listener is still connected
    streams.sent("s", 1)
    streams.leave("s")
    assert streams.add(response(2)) is None
    assert streams.add(update("s")) is None
    assert len(streams.outboxes[None].texts) == 3
    assert (
        streams.size == streams.outboxes[None].size == sum(map(len, streams.outboxes[None].texts))
    )


def test_a_session_whose_end_is_refused_goes_on() -> None:
    streams = routing()
    streams.listen("s")
    streams.posted(CLOSE, "s")
    error = {"jsonrpc": "2.0", "id": 3, "error": {"code": 1, "message": "x"}}
    assert streams.add(message(error)) == "s"
    assert not streams.is_over("s")


def test_the_end_of_a_session_without_a_listener_waits_for_it() -> None:
    streams = routing()
    streams.listen("s")
    streams.leave("s")
    streams.posted(CLOSE, "s")
    assert streams.add(response(3)) == "s"
    streams.listen("s")
    assert streams.is_over("s")


@pytest.mark.parametrize("hears", [False, True])
def test_a_session_that_ended_can_come_back(hears: bool) -> None:
    streams = routing()
    streams.listen("s")
    streams.posted(CLOSE, "s")
    streams.add(response(3))
    streams.sent("s", 1)
    streams.leave("s")
    if hears:
        streams.listen("s")
    streams.posted(LOAD, "s")
    stream = "s" if hears else None
    assert [streams.add(update("s")), streams.add(response(1))] == [stream, stream]
    assert not streams.is_over("s")
    assert streams.add(update("s")) == "s"


def test_a_session_can_end_before_the_request_that_opens_it() -> None:
    streams = routing()
    streams.posted(LOAD, None)
    streams.posted(CLOSE, "s")
    streams.listen("s")
    assert streams.add(response(3)) is None
    assert streams.add(update("s")) == "s"


def test_requests_that_open_a_session_at_once_end_together() -> None:
    streams = routing()
    streams.posted(LOAD, None)
    streams.posted(message(request(3, "session/resume", sessionId="s")), None)
    assert streams.add(response(1)) is None
    assert streams.add(update("s")) is None
    assert streams.add(response(3)) is None
    assert streams.add(update("s")) == "s"


@pytest.mark.parametrize("header", [None, "s"])
def test_only_requests_open_a_session(header: str | None) -> None:
    streams = routing()
    cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}
    streams.posted(message(cancel), header)
    streams.posted(response(7), header)
    assert streams.add(update("s")) == "s"


def test_only_the_header_names_the_session_of_an_extension() -> None:
    streams = routing()
    streams.listen("s")
    streams.posted(message(request(4, "_extension")), "s")
    assert streams.add(response(4)) == "s"


def test_too_many_unread_bytes_end_the_connection() -> None:
    text = message("x" * 100)
    streams = routing(unread_bytes=2 * len(text.text))
    streams.add(text)
    streams.add(text)
    with pytest.raises(Unread, match=f"the client left {3 * len(text.text)} bytes unread"):
        streams.add(text)


def test_too_many_sessions_without_a_listener_end_the_connection() -> None:
    streams = routing(sessions=2)
    for session_id in ("a", "a", "b"):
        streams.add(update(session_id))
    streams.listen("b")
    streams.add(update("c"))
    with pytest.raises(Unread, match="is not listening to 3 sessions"):
        streams.add(update("d"))


def test_streams_without_messages_and_listeners_are_forgotten() -> None:
    streams = routing()
    for number in range(100):
        streams.listen(str(number))
        streams.add(update(str(number)))
        streams.sent(str(number), 1)
        streams.leave(str(number))
    assert streams.outboxes == {}
    assert streams.size == 0


# --- conversations -----------------------------------------------------------------------------


async def test_a_turn_is_on_the_stream_of_its_session_in_order() -> None:
    async with closing(remote_app(Loading)) as app:
        client = Client(app)
        await client.initialize(V1)
        connection = await client.listen()
        session_id = await client.open(connection)
        await client.post(prompt(2, session_id, "a\u2028b"), {SESSION: session_id})
        own = await client.listen(session_id)  # late, but no message is lost
        heard = await texts_until(own, 2)
        assert [each["method"] for each in heard[:-1]] == ["session/update"] * (len(heard) - 1)
        assert "a\u2028b" in json.dumps(heard[-2], ensure_ascii=False)
        assert connection.outgoing.empty()


@pytest.mark.parametrize("has_listener", [True, False])
@pytest.mark.parametrize("has_header", [True, False])
async def test_load_and_its_replay_are_on_one_stream(has_listener: bool, has_header: bool) -> None:
    async with closing(remote_app(Loading)) as app:
        client = Client(app)
        await client.initialize(V1)
        connection = await client.listen()
        own = await client.listen("stored") if has_listener else None
        load = request(2, "session/load", sessionId="stored", cwd="/", mcpServers=[])
        assert (await client.post(load, {SESSION: "stored"} if has_header else {})).status == 202
        heard = await texts_until(own or connection, 2)
        assert len(heard) == 4
        own = own or await client.listen("stored")
        await client.post(prompt(3, "stored", "Hi"), {SESSION: "stored"})
        assert len(await texts_until(own, 3)) > 1
        assert connection.outgoing.empty()


async def test_a_message_without_a_session_header_reaches_its_session() -> None:
    """The Python SDK, for example, posts responses to permission requests without the header."""
    outcomes: list[Any] = []

    class Asking(Loading):
        async def turn(self, session: Any, params: Any) -> None:
            call = v1.ToolCallUpdate(tool_call_id="1", title="t")
            option = v1.PermissionOption(kind="allow_once", name="Yes", option_id="yes")
            outcomes.append(await session.ask_permission(call, [option]))

    async with closing(remote_app(Asking)) as app:
        client = Client(app)
        await client.initialize(V1)
        connection = await client.listen()
        session_id = await client.open(connection)
        own = await client.listen(session_id)
        for number, headers in enumerate(({}, {SESSION: session_id}, {SESSION: "other"}), 2):
            await client.post(prompt(number, session_id, "Hi"), {SESSION: session_id})
            while (asked := await own.event()).get("method") != "session/request_permission":
                pass
            outcome = {"outcome": {"outcome": "selected", "optionId": "yes"}}
            answer = {"jsonrpc": "2.0", "id": asked["id"], "result": outcome}
            assert (await client.post(answer, headers)).status == 202
            await texts_until(own, number)
        assert len(outcomes) == 3
        assert connection.outgoing.empty()


@pytest.mark.parametrize("initialize", [INITIALIZE, V1], ids=["v2", "bridged v1"])
@loop.within(100)
async def test_a_session_without_a_listener_stops_only_itself(initialize: Any) -> None:
    app = remote_app(Echo, limits=RemoteLimits(room=10_000), bridge=True)
    async with closing(app):
        client = Client(app)
        await client.initialize(initialize)
        connection = await client.listen()
        quiet, heard = [await client.open(connection, number) for number in (1, 2)]
        own = await client.listen(heard)
        await client.post(prompt(3, quiet, "*flood 100000"), {SESSION: quiet})
        await asyncio.sleep(0.05)
        [stream] = app._connections.values()
        waiting = stream.unsent()
        assert 10_000 < waiting < 20_000
        await client.post(prompt(4, heard, "Hi"), {SESSION: heard})
        await texts_until(own, 4)
        await asyncio.sleep(0.05)
        assert 10_000 < stream.routing.outboxes[quiet].size < 20_000
        late = await client.listen(quiet)
        received = 0
        while received < 100:
            event = await late.event()
            received += "xxxx" in json.dumps(event)


@loop.within(100)
async def test_a_listener_that_does_not_read_stops_only_its_session() -> None:
    async with closing(remote_app(Echo, limits=RemoteLimits(room=10_000))) as app:
        client = Client(app)
        await client.initialize()
        connection = await client.listen()
        slow, quick = [await client.open(connection, number) for number in (1, 2)]
        listeners = [await client.listen(each) for each in (slow, quick)]
        listeners[0].writable.clear()
        await client.post(prompt(3, slow, "*flood 200000"), {SESSION: slow})
        await client.post(prompt(4, quick, "Hi"), {SESSION: quick})
        await texts_until(listeners[1], 4)
        await asyncio.sleep(0.05)
        [stream] = app._connections.values()
        assert stream.unsent() < 100_000
        listeners[0].writable.set()
        received = 0
        while received < 200:
            received += "xxxx" in json.dumps(await listeners[0].event())


@loop.within(100)
async def test_what_a_lost_listener_did_not_get_waits_for_the_next() -> None:
    async with closing(remote_app(Echo, limits=RemoteLimits(room=10_000))) as app:
        client = Client(app)
        await client.initialize()
        connection = await client.listen()
        session_id = await client.open(connection)
        lost = await client.listen(session_id)
        lost.writable.clear()
        await client.post(prompt(3, session_id, "Hi"), {SESSION: session_id})
        await asyncio.sleep(0.01)
        await lost.leave()
        again = await client.listen(session_id)
        assert "Hi" in json.dumps([await again.event() for _ in range(3)])


async def test_what_is_posted_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[bytes] = []
    parse = jsontext.parse

    def count(text: Any) -> Any:
        parsed.append(text)
        return parse(text)

    monkeypatch.setattr(jsontext, "parse", count)
    async with closing(remote_app(Echo)) as app:
        client = Client(app)
        await client.initialize()
        connection = await client.listen()
        session_id = await client.open(connection)  # reads the session's id from the response
        own = await client.listen(session_id)
        await client.post(prompt(2, session_id, "Hi"), {SESSION: session_id})
        await texts_until(own, 2)
    methods = [json.loads(text).get("method") for text in parsed]
    assert methods == ["initialize", "session/new", None, "session/prompt"]


async def test_three_megabytes_in_each_direction() -> None:
    async with closing(remote_app(Echo)) as app:
        client = Client(app)
        await client.initialize()
        connection = await client.listen()
        session_id = await client.open(connection)
        own = await client.listen(session_id)
        text = "é\u2028" * (3 << 18)
        assert (await client.post(prompt(2, session_id, text), {SESSION: session_id})).status == 202
        said = ""
        while said != text:
            event = await own.event()
            content = event.get("params", {}).get("update", {}).get("content", {})
            said = content.get("text", "") if isinstance(content, dict) else ""


async def test_a_hundred_sessions() -> None:
    async with closing(remote_app(Echo)) as app:
        client = Client(app)
        await client.initialize()
        connection = await client.listen()
        sessions = [await client.open(connection, number) for number in range(1, 101)]
        listeners = [await client.listen(each) for each in sessions]
        for number, session_id in enumerate(sessions, 200):
            await client.post(prompt(number, session_id, "Hi"), {SESSION: session_id})
        for number, listener in enumerate(listeners, 200):
            await texts_until(listener, number)


async def test_listeners_have_a_limit() -> None:
    async with closing(remote_app(Echo, limits=RemoteLimits(sessions=2))) as app:
        client = Client(app)
        await client.initialize()
        for session_id in ("", "a", "b"):
            await client.listen(session_id)
        accept = {"accept": "text/event-stream", SESSION: "c"}
        refused = await client.send("GET", headers=accept)
        assert (refused.status, refused.reason) == (429, "too many listeners; close some of them")


async def test_a_client_that_does_not_listen_ends_its_connection() -> None:
    limits = RemoteLimits(unread_bytes=100_000)
    async with closing(remote_app(Echo, limits=limits, linger=0, grace=0.1)) as app:
        client = Client(app)
        await client.initialize()
        connection = await client.listen()
        session_id = await client.open(connection)
        await client.post(prompt(2, session_id, "*big 200000"), {SESSION: session_id})
        while await connection.event() is not None:
            pass
        assert (await client.post(request(3, "session/list"))).status == 404


@loop.within(100)
async def test_messages_that_the_agent_does_not_receive_are_refused() -> None:
    taken = asyncio.Event()

    async def talk(stream: Any) -> None:
        [first] = await stream.receive()
        answer = {"jsonrpc": "2.0", "id": first.read_envelope().id, "result": {}}
        stream.send([message(answer)])
        await taken.wait()
        while await stream.receive():
            pass

    limits = RemoteLimits(room=100, unread_bytes=2000)
    async with closing(RemoteApplication(talk, limits=limits)) as app:
        client = Client(app)
        await client.post(INITIALIZE)
        client.id = next(iter(app._connections))
        big = request(2, "x", text="x" * 1000)
        assert (await client.post(big)).status == 202
        waiting = asyncio.create_task(client.post(request(3, "y")))  # waits until there is room
        await asyncio.sleep(0.01)
        assert not waiting.done()
        taken.set()
        assert (await waiting).status == 202
        taken.clear()
        assert (await client.post(request(4, "x", text="x" * 3000))).status == 429
        assert (await client.post(request(5, "y"))).status == 202


# --- an agent that outlives its connections ----------------------------------------------------


@loop.within(100)
async def test_an_object_keeps_its_sessions_for_the_next_connection() -> None:
    agent = Echo()
    app = remote_app(agent, limits=RemoteLimits(keep_sessions=0.1), linger=0)
    async with closing(app):
        client = Client(app)
        await client.initialize()
        listener = await client.listen()
        session_id = await client.open(listener)
        assert (await Client(app).post(INITIALIZE)).status == 503  # only one connection is allowed
        await client.send("DELETE")
        assert await listener.event() is None
        await asyncio.sleep(0.02)
        assert [*agent.sessions] == [session_id]
        client.id = ""
        await client.initialize()
        await client.listen()
        await asyncio.sleep(0.2)
        assert [*agent.sessions] == [session_id]
        await client.send("DELETE")
        await asyncio.sleep(0.2)
        assert not agent.sessions


@loop.within(100)
async def test_an_application_without_an_agent_has_no_sessions_to_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def talk(stream: Any) -> None:
        while await stream.receive():
            pass

    async with closing(RemoteApplication(talk, limits=RemoteLimits(keep_sessions=0.1))) as app:
        posting = asyncio.create_task(Client(app).post(INITIALIZE))
        while not app._connections:
            await asyncio.sleep(0)
        [connection] = app._connections.values()
        connection.end()
        await posting
        await asyncio.sleep(0.2)
    assert caplog.messages == []
