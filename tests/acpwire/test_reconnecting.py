"""Tests of `ReconnectingStream` with in-memory connections and scripted agents."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, NoReturn

import pytest
from acp_bindings.kit.links import RestartPolicy
from acp_bindings.remote import NotAdmitted
from acp_bindings.runtime.aio.streams import MemoryMessages, MessageStream, memory_messages
from acp_bindings.runtime.jsonrpc.envelope import Message
from acpwire import reconnecting
from acpwire.reconnecting import ReconnectingStream

CAPABILITIES = {"loadSession": True, "sessionCapabilities": {"resume": {}}}
OPENED = {"cwd": "/", "mcpServers": []}
INITIALIZED = {"protocolVersion": 1, "agentCapabilities": CAPABILITIES}


class Fake:
    """A `ReconnectingStream` as used by a client, and the agents that it connects to in turn."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, limit: int = 3) -> None:
        policy = RestartPolicy(limit=limit, first_pause=0.0)
        monkeypatch.setattr(reconnecting, "RECONNECTS", policy)
        monkeypatch.setattr(reconnecting, "PATIENCE", (0.0, 0.0))
        self.reports: list[str] = []
        self.agents: list[MemoryMessages] = []
        self.failures: list[OSError] = []
        self.came = asyncio.Event()
        self.stream = ReconnectingStream(self._made(), self._connect, self.reports.append)
        self.received: list[dict[str, Any]] = []
        self.answers: dict[str, Callable[[Any], Any]] = {}

    def _made(self) -> MessageStream:
        ours, theirs = memory_messages()
        self.agents.append(theirs)
        return ours

    async def _connect(self) -> MessageStream:
        if self.failures:
            raise self.failures.pop(0)
        made = self._made()
        self.came.set()
        return made

    async def next_agent(self) -> MemoryMessages:
        await self.came.wait()
        self.came.clear()
        return self.agents[-1]

    def send(self, **message: Any) -> None:
        self.stream.send([_message(message)])

    async def get(self) -> dict[str, Any]:
        while not self.received:
            self.received += _values(await self.stream.receive())
        return self.received.pop(0)

    async def start(self, *sessions: str, **result: Any) -> None:
        """Initialize the first agent and open the given sessions."""
        result = {"protocolVersion": 1, "agentCapabilities": CAPABILITIES, **result}
        self.send(id=0, method="initialize", params={"protocolVersion": 1})
        await answer(self.agents[0], result)
        await self.get()
        for session_id in sessions:
            self.send(id=1, method="session/new", params=OPENED)
            await answer(self.agents[0], {"sessionId": session_id})
            await self.get()

    async def reconnect(self, **result: Any) -> tuple[asyncio.Task[dict[str, Any]], MemoryMessages]:
        """Reconnect to the next agent, initialize it, and return the pending read and the agent."""
        await self.lose()
        reading = asyncio.create_task(self.get())
        agent = await self.next_agent()
        await answer(agent, {**INITIALIZED, **result})
        return reading, agent

    async def lose(self) -> None:
        await self.agents[-1].close()


def _message(fields: dict[str, Any]) -> Message:
    return Message(json.dumps({"jsonrpc": "2.0", **fields}).encode())


def _values(messages: Any) -> list[Any]:
    return [json.loads(message.text) for message in messages]


async def answer(agent: MemoryMessages, result: Any = None, **fields: Any) -> dict[str, Any]:
    [request] = _values(await agent.receive())
    agent.send([_message({"id": request["id"], **(fields or {"result": result})})])
    return request


async def test_the_conversation_continues_over_another_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = Fake(monkeypatch)
    await fake.start("s")
    fake.send(id=2, method="session/prompt", params={"sessionId": "s", "prompt": []})
    await fake.agents[0].receive()
    await fake.lose()
    failed = await fake.get()
    assert (failed["id"], failed["error"]["code"]) == (2, -32603)

    fake.send(id=3, method="session/prompt", params={"sessionId": "s", "prompt": []})
    reading = asyncio.create_task(fake.get())
    agent = await fake.next_agent()
    assert (await answer(agent, INITIALIZED))["params"] == {"protocolVersion": 1}
    resumed = await answer(agent, {})
    assert resumed["method"] == "session/resume"
    assert resumed["params"] == {"sessionId": "s", **OPENED}
    assert (await answer(agent, {"stopReason": "end_turn"}))["id"] == 3
    assert (await reading)["result"] == {"stopReason": "end_turn"}
    assert fake.reports == [
        "lost the connection to the agent: the server closed the connection; reconnecting",
        "reconnected to the agent; restored sessions: 1",
    ]
    await fake.stream.close()
    assert await fake.stream.receive() == ()


async def test_messages_pass_while_sessions_are_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the agent restores a session, it might send requests to the client."""
    fake = Fake(monkeypatch)
    await fake.start("s")
    reading, agent = await fake.reconnect()
    [resumed] = _values(await agent.receive())
    agent.send([_message({"id": 9, "method": "fs/read_text_file", "params": {}})])
    assert (await reading)["id"] == 9
    fake.send(id=9, result={"content": ""})
    assert _values(await agent.receive()) == [
        {"jsonrpc": "2.0", "id": 9, "result": {"content": ""}}
    ]
    update = {"sessionUpdate": "plan", "entries": []}
    modes = {"currentModeId": "ask", "availableModes": []}
    agent.send(
        [
            _message({"id": resumed["id"], "result": {"modes": modes}}),
            _message({"method": "session/update", "params": {"sessionId": "s", "update": update}}),
        ]
    )
    kinds = [(await fake.get())["params"]["update"]["sessionUpdate"] for _ in range(2)]
    assert kinds == ["current_mode_update", "plan"]
    await fake.stream.close()


async def test_the_replayed_history_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(monkeypatch)
    capabilities = {"loadSession": True}
    await fake.start("s", agentCapabilities=capabilities)
    reading, agent = await fake.reconnect(agentCapabilities=capabilities)
    [loading] = _values(await agent.receive())
    assert loading["method"] == "session/load"

    def update(text: str) -> Message:
        content = {"type": "text", "text": text}
        chunk = {"sessionUpdate": "agent_message_chunk", "content": content}
        return _message({"method": "session/update", "params": {"sessionId": "s", "update": chunk}})

    done = _message({"id": loading["id"], "result": {}})
    agent.send([update("old"), update("older"), done, update("new")])
    assert (await reading)["params"]["update"]["content"]["text"] == "new"
    await fake.stream.close()


@pytest.mark.parametrize("times", [1, 2])
async def test_a_session_in_use_is_restored_later(
    monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    fake = Fake(monkeypatch)
    await fake.start("s")
    reading, agent = await fake.reconnect()
    for _ in range(times):
        await answer(agent, error={"code": -32603, "message": "in use"})
    await answer(agent, {})
    fake.send(id=3, method="_x", params={})
    assert (await answer(agent, {}))["method"] == "_x"
    assert (await reading)["id"] == 3
    await fake.stream.close()


@pytest.mark.parametrize(
    ("code", "message", "attempts"), [(-32602, "unknown session", 1), (-32603, "in use", 3)]
)
async def test_a_session_that_cannot_be_restored_is_reported(
    monkeypatch: pytest.MonkeyPatch, code: int, message: str, attempts: int
) -> None:
    fake = Fake(monkeypatch)
    await fake.start("s", "t")
    reading, agent = await fake.reconnect()
    for _ in range(attempts):
        await answer(agent, error={"code": code, "message": message})
    assert (await answer(agent, {}))["params"]["sessionId"] == "t"
    fake.send(id=3, method="_x", params={})
    await answer(agent, {})
    await reading
    assert fake.reports[1:] == [
        f"session 's' was not restored: {message}",
        "reconnected to the agent; restored sessions: 1",
    ]
    await fake.stream.close()


async def test_the_client_signs_in_again(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(monkeypatch)
    await fake.start("s")
    fake.send(id=1, method="authenticate", params={"methodId": "key"})
    await answer(fake.agents[0], {})
    await fake.get()
    reading, agent = await fake.reconnect()
    await answer(agent, error={"code": -32000, "message": "sign in"})
    assert (await answer(agent, {}))["params"] == {"methodId": "key"}
    assert (await answer(agent, {}))["method"] == "session/resume"
    fake.send(id=3, method="_x", params={})
    await answer(agent, {})
    await reading
    await fake.stream.close()


async def test_a_connection_lost_while_restoring_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = Fake(monkeypatch)
    await fake.start("s")
    await fake.lose()
    reading = asyncio.create_task(fake.get())
    agent = await fake.next_agent()
    fake.send(id=3, method="_x", params={})
    await answer(agent, INITIALIZED)
    await agent.receive()
    await agent.close()
    agent = await fake.next_agent()
    await answer(agent, INITIALIZED)
    await answer(agent, {})
    assert (await answer(agent, {}))["id"] == 3
    assert (await reading)["id"] == 3
    await fake.stream.close()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"result": {"protocolVersion": 2}}, "the agent changed from protocol 1 to 2"),
        ({"error": {"code": -32603, "message": "broken"}}, "broken"),
        ({"error": None, "result": []}, "the agent changed from protocol 1 to 0"),
    ],
)
async def test_an_agent_that_differs_is_not_used(
    monkeypatch: pytest.MonkeyPatch, fields: Any, reason: str
) -> None:
    fake = Fake(monkeypatch, limit=1)
    await fake.start("s")
    await fake.lose()
    reading = asyncio.create_task(fake.stream.receive())
    await answer(await fake.next_agent(), **fields)
    with pytest.raises(OSError, match=f"^{reason}, after 1 attempts in a row$"):
        await reading


async def test_the_reason_for_a_lost_connection_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def fail() -> NoReturn:
        raise ConnectionResetError("reset by the server")

    fake = Fake(monkeypatch)
    await fake.start()
    monkeypatch.setattr(fake.stream._remote, "receive", fail)
    reading, agent = await fake.reconnect()
    agent.send([_message({"id": 7, "method": "_x"})])
    await reading
    assert fake.reports[0] == "lost the connection to the agent: reset by the server; reconnecting"
    await fake.stream.close()


async def test_there_is_a_limit_to_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(monkeypatch)
    await fake.start()
    fake.failures = [ConnectionRefusedError("refused")] * 4
    await fake.lose()
    with pytest.raises(OSError, match=r"^refused, after 3 attempts in a row$"):
        await fake.stream.receive()
    assert len(fake.failures) == 1


async def test_attempts_are_counted_on_if_the_new_connection_is_soon_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = Fake(monkeypatch, limit=1)
    await fake.start()
    reading, agent = await fake.reconnect()
    fake.send(id=3, method="_x", params={})
    await answer(agent, {})
    await reading
    await fake.lose()
    with pytest.raises(OSError, match=r", after 1 attempts in a row$"):
        await asyncio.wait_for(fake.stream.receive(), 20)


async def test_a_client_that_is_not_admitted_does_not_try_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = Fake(monkeypatch)
    await fake.start()
    fake.failures = [NotAdmitted("401"), NotAdmitted("401")]
    await fake.lose()
    with pytest.raises(NotAdmitted):
        await fake.stream.receive()
    assert len(fake.failures) == 1


async def test_a_connection_lost_before_initialize_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = Fake(monkeypatch)
    fake.send(id=0, method="initialize", params={"protocolVersion": 1})
    await fake.lose()
    with pytest.raises(OSError, match="the server closed the connection"):
        await fake.stream.receive()


async def test_closing_ends_the_wait_for_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(monkeypatch)
    await fake.start()
    policy = RestartPolicy(first_pause=3600.0, longest_pause=3600.0)
    monkeypatch.setattr(reconnecting, "RECONNECTS", policy)
    await fake.lose()
    reading = asyncio.create_task(fake.stream.receive())
    while not fake.reports:
        await asyncio.sleep(0)
    fake.send(id=3, method="_x", params={"text": "x" * reconnecting.ROOM})
    draining = asyncio.create_task(fake.stream.drain(None))
    await asyncio.sleep(0)
    assert not draining.done()
    assert fake.stream.unsent() > reconnecting.ROOM
    await fake.stream.close()
    await draining
    assert await reading == ()


async def test_the_client_waits_only_if_much_is_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """If `drain` always waited, the end of the client's input would go unnoticed."""
    fake = Fake(monkeypatch)
    await fake.start()
    fake.failures = [ConnectionRefusedError("refused")] * 4
    await fake.lose()
    with pytest.raises(OSError, match="refused"):
        await fake.stream.receive()
    fake.send(id=3, method="_x", params={})
    await fake.stream.drain(None)
    await fake.stream.close()


async def test_the_messages_of_a_batch_are_handled_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = Fake(monkeypatch)
    await fake.start("s")
    await fake.lose()
    reading = asyncio.create_task(fake.get())
    agent = await fake.next_agent()
    [introduction] = _values(await agent.receive())
    batch = [
        {"jsonrpc": "2.0", "method": "_first", "params": {}},
        {"jsonrpc": "2.0", "id": introduction["id"], "result": INITIALIZED},
    ]
    agent.send([Message(json.dumps(batch).encode())])
    assert (await reading)["method"] == "_first"
    assert (await answer(agent, {}))["method"] == "session/resume"
    await fake.stream.close()


async def test_a_session_is_given_up_if_the_agent_does_not_respond(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = Fake(monkeypatch)
    await fake.start("s")
    reading, agent = await fake.reconnect()
    monkeypatch.setattr(reconnecting, "SILENCE", 0.01)
    [resumed] = _values(await agent.receive())
    fake.send(id=3, method="_x", params={})
    [request] = _values(await agent.receive())
    assert request["method"] == "_x"
    late = [_message({"id": id_, "result": {}}) for id_ in (resumed["id"], request["id"])]
    agent.send(late)
    assert (await reading)["id"] == 3
    assert fake.received == []
    assert "the agent does not respond to session/resume" in fake.reports[1]
    await fake.stream.close()


async def test_responses_are_read_while_much_is_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(monkeypatch)
    await fake.start("s")
    reading, agent = await fake.reconnect()
    await agent.receive()
    fake.send(id=3, method="_x", params={"text": "x" * reconnecting.ROOM})
    await asyncio.wait_for(fake.stream.drain(None), 10.0)
    monkeypatch.setattr(reconnecting, "ROOM_WHILE_RESTORING", reconnecting.ROOM)
    draining = asyncio.create_task(fake.stream.drain(None))
    await asyncio.sleep(0.01)
    assert not draining.done()
    await fake.stream.close()
    await draining
    reading.cancel()


async def test_nothing_is_opened_if_the_stream_is_closed_when_the_loss_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = Fake(monkeypatch)
    await fake.start("s")
    closing = asyncio.Event()

    async def close() -> None:
        await closing.wait()

    monkeypatch.setattr(fake.stream._remote, "close", close)
    reading = asyncio.create_task(fake.stream.receive())
    await fake.lose()
    for _ in range(5):
        await asyncio.sleep(0)
    ending = asyncio.create_task(fake.stream.close())
    await asyncio.sleep(0)
    closing.set()
    await ending
    while await reading:
        reading = asyncio.create_task(fake.stream.receive())
    assert len(fake.agents) == 1
    assert fake.reports == []


async def test_an_empty_batch_does_not_end_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(monkeypatch)
    await fake.start()
    fake.agents[0].send([Message(b"[]")])
    assert [message.text for message in await fake.stream.receive()] == [b"[]"]
    assert fake.reports == []
    await fake.stream.close()
