"""Tests of the guide "Embedding": its programs run with scripted agents."""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.runtime.aio import Handlers, Peer, connect
from acp_bindings.testing import Agent, ask_permission, close, send
from textual.widgets import Input, OptionList, Static

from tests.support.guides import write_files

GUIDE = "embedding.md"
PATIENCE = 60.0
# The text of a prompt selects what the agent does in the turn. Resumed sessions contain one
# message.
SCRIPT = """
from acp_bindings.testing import *

def turn(prompt):
    match prompt.text:
        case "ask":
            yield tool_call("rm", title="Delete [b]all[/b]")
            yield "You said " + (yield ask_permission("rm"))
        case "wait":
            yield ask_permission("rm")
            yield wait_for_cancel()
        case "flood":
            yield from map(str, range(1000))
        case "crash":
            yield crash(3)

said = {"sessionUpdate": "agent_message", "messageId": "m",
        "content": [{"type": "text", "text": "as before \\x1b[2J"}]}
params = {"sessionId": "session-1", "update": said}
replayed = [send({"method": "session/update", "params": params})]
agent = Agent(*[turn] * 5, answers={"session/resume": replayed})
"""
COMMAND = [sys.executable, "-m", "acp_bindings.testing", "scripted.py"]


@pytest.fixture
def printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    """Write the programs from the guide, and yield a function that imports a program by name."""
    names = {Path(name).stem for name in write_files(GUIDE, tmp_path)}
    (tmp_path / "scripted.py").write_text(SCRIPT, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module
    for name in names & sys.modules.keys():
        del sys.modules[name]


async def test_the_chat_outlives_its_agent(printed: Callable[[str], Any]) -> None:
    chat = printed("chat").Chat(*COMMAND)
    drawings: list[str] = []
    async with chat.run_test() as pilot:

        def text(name: str) -> str:
            return str(chat.query_one(f"#{name}", Static).content)

        async def shows(holds: Callable[[], object]) -> None:
            async def look() -> None:
                while not holds():
                    await pilot.pause(0.02)

            await asyncio.wait_for(look(), PATIENCE)

        async def until(status: str) -> None:
            await shows(lambda: text("status") == status)

        async def prompt(text: str) -> None:
            chat.query_one(Input).value = text
            await pilot.press("enter")

        async def asked() -> None:
            await shows(lambda: chat.query(OptionList))

        await until("ready")
        await prompt("ask")
        await asked()
        await pilot.press("down", "enter")
        await until("ready (end_turn)")
        assert text("screen") == "> ask\n[pending] Delete [b]all[/b]\nYou said no"
        await prompt("wait")
        await asked()
        await pilot.press("escape")
        await until("ready (cancelled)")
        assert not chat.query(OptionList)
        draw = chat.conversation._draw
        chat.conversation._draw = lambda: drawings.append(text("status")) or draw()
        await prompt("flood")
        await until("ready (end_turn)")
        assert text("screen").endswith("998999")
        assert 0 < len(drawings) < 500  # of 1000 updates
        process = chat.conversation.session.peer.process
        await prompt("crash")
        await until("the agent stopped: the agent exited with status 3")
        await pilot.press("ctrl+r")
        await until("ready")
        assert text("screen") == "as before [2J"
        assert chat.conversation.session.peer.process.pid != process.pid
        process = chat.conversation.session.peer.process
        await prompt("wait")
        await asked()
        await pilot.press("ctrl+q")
    assert process.returncode is not None


def test_a_gui_has_its_agents_in_another_thread(printed: Callable[[str], Any]) -> None:
    background = printed("background").Background()
    seen: SimpleQueue[Any] = SimpleQueue()

    def ask(title: str, names: list[str], answer: Future[int]) -> None:
        seen.put((title, names, answer))

    started = printed("gui").converse(COMMAND, lambda *shown: seen.put(shown), ask)
    conversation = background.call(started).result()
    while seen.get(timeout=30)[1] != "ready":
        pass
    done = background.call(conversation.prompt("ask"))
    while (question := seen.get(timeout=30))[0] != "May I?":
        pass
    assert question[1] == ["Yes", "No"]
    question[2].set_result(0)
    assert done.result(30) is None
    while (shown := seen.get(timeout=30))[1] != "ready (end_turn)":
        pass
    assert shown[0].endswith("You said yes")
    background.call(conversation.prompt("wait"))
    while (question := seen.get(timeout=30))[0] != "May I?":
        pass
    background.call(conversation.cancel())
    while seen.get(timeout=30)[1] != "ready (cancelled)":
        pass
    assert question[2].cancelled()
    process = conversation.session.peer.process
    background.stop()
    assert process.returncode is not None


@asynccontextmanager
async def connected(agent: Agent, *clients: Handlers, bridge: bool = False) -> AsyncIterator[Peer]:
    async with agent.stream() as stream, connect(stream, *clients, bridge=bridge) as peer:
        yield peer


async def test_an_agent_of_protocol_1_comes_back(printed: Callable[[str], Any]) -> None:
    said = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Again"}}
    params = {"sessionId": "session-1", "update": said}
    replayed = [send({"method": "session/update", "params": params})]
    agents = [
        Agent(["Hello", close()], version=1),
        Agent(version=1, capabilities={"loadSession": True}, answers={"session/load": replayed}),
        Agent(version=1),
    ]
    told: asyncio.Queue[str] = asyncio.Queue()
    conversation = printed("conversation").Conversation(
        lambda: connected(agents.pop(0), v2.SessionClient, bridge=True),
        lambda: told.put_nowait(conversation.status),
    )

    async def until(start: str) -> str:
        while not (await asyncio.wait_for(told.get(), 30)).startswith(start):
            pass
        return str(printed("view").text_of(conversation.session.state))

    await conversation.prompt("Too early")
    assert told.get_nowait() == "there is no session yet"
    conversation.start()
    await until("ready")
    await conversation.prompt("Hi")
    assert await until("the agent stopped") == "> Hi\nHello"
    await conversation.restart()
    assert await until("ready") == "Again"
    await conversation.restart()
    assert await until("session not found (-32002)") == "Again"


async def test_views_come_later(printed: Callable[[str], Any]) -> None:
    shown: list[str] = []

    class Client(v2.SessionClient):
        async def session_request_permission(
            self, params: v2.RequestPermissionRequest
        ) -> v2.RequestPermissionResponse:
            view = printed("later").open_view(self.session_for(params.session_id), shown.append)
            while not shown:
                await asyncio.sleep(0)
            view.cancel()
            return v2.RequestPermissionResponse(outcome=v2.CancelledPermissionOutcome())

    several = [ask_permission("t"), "One"], "Two"
    async with (
        connected(Agent(*several), Client) as peer,
        connected(Agent("Three"), Client) as other,
    ):
        await peer.initialize()
        await other.initialize()
        answers = await printed("several").answers("Hi", peer, peer, other)
    assert answers == ["One", "Two", "Three"]
    assert shown == ["> Hi\n[pending] t\n? May I?"]
