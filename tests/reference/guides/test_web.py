"""The guide to a backend for browsers: its service with a scripted agent."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from acp_bindings import v2
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import Peer, connect
from acp_bindings.testing import Agent
from support.guides import write_files

GUIDE = "web.md"
PATIENCE = 60.0
# Its turns do what their prompts name. A session that it resumes has one message.
SCRIPT = """
from acp_bindings.testing import *

def turn(prompt):
    match prompt.text:
        case "ask":
            yield tool_call("rm", title="Delete")
            yield "You said " + ((yield ask_permission("rm")) or "nothing")
        case "wait":
            yield tool_call("t", title="Wait", status="in_progress")
            yield wait_for_cancel()
        case "crash":
            yield crash(3)
        case _:
            yield from prompt.text

def resume(call):
    said = {"sessionUpdate": "agent_message", "messageId": "m",
            "content": [{"type": "text", "text": "as before"}]}
    params = {"sessionId": call.params["sessionId"], "update": said}
    yield send({"method": "session/update", "params": params})

agent = Agent(*[turn] * 5, answers={"session/resume": resume})
"""


@pytest.fixture
def printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    """Imports a program of the guide."""
    assert write_files(GUIDE, tmp_path) == ["sharing.py", "web.py"]
    (tmp_path / "scripted.py").write_text(SCRIPT, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("AGENT", f"{sys.executable} -m acp_bindings.testing scripted.py")
    yield importlib.import_module
    for name in ("sharing", "web"):
        sys.modules.pop(name, None)


class Page:
    """A page in a browser: the state that the events of a session lead to."""

    def __init__(self, service: Any, session_id: str) -> None:
        self.state = v2.SessionState()
        self.names: list[str] = []  # of the events
        self.questions: dict[str, Any] = {}
        self.changed = asyncio.Event()
        self.reading = asyncio.create_task(self.read(service, session_id))

    async def read(self, service: Any, session_id: str) -> None:
        response = await service.stream(session_id)
        assert response.media_type == "text/event-stream"
        async with aclosing(response.body_iterator) as events:
            async for event in events:
                first, second = event.removesuffix("\n\n").split("\n")
                self.take(first.removeprefix("event: "), json.loads(second.removeprefix("data: ")))

    def take(self, name: str, data: Any) -> None:
        self.names.append(name)
        if name == "questions":
            self.questions = data
        else:
            if name == "snapshot":
                self.state = v2.SessionState()
            for update in data:
                self.state.apply(v2.decode(v2.SessionUpdate, update))
        self.changed.set()

    async def until(self, holds: Callable[[], object]) -> None:
        async def look() -> None:
            while not holds():
                self.changed.clear()
                await self.changed.wait()

        await asyncio.wait_for(look(), PATIENCE)

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.state.messages]


@asynccontextmanager
async def browsing(service: Any) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(service.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client
    await service.backend.close()


async def post(client: httpx.AsyncClient, path: str, **body: Any) -> Any:
    response = await client.post(path, json=body)
    assert response.status_code == 200, response.text
    return response.json()


async def test_pages_that_come_early_and_late_show_the_same(printed: Callable[[str], Any]) -> None:
    service = printed("web")
    async with browsing(service) as client:
        first, second = [await post(client, "/sessions") for _ in range(2)]
        early, other = Page(service, first), Page(service, second)
        prompts = f"/sessions/{first}/prompts"
        assert await post(client, prompts, text="Hi") == "end_turn"
        late = Page(service, first)
        assert await post(client, prompts, text="Bye") == "end_turn"
        expected = service.backend.sessions[first].state
        for page in (early, late):
            await page.until(lambda page=page: page.state == expected)
            assert page.texts == ["Hi", "Hi", "Bye", "Bye"]
            assert page.names.count("snapshot") == 1
            page.reading.cancel()
        assert other.texts == []
        other.reading.cancel()


async def test_an_answer_names_its_question(printed: Callable[[str], Any]) -> None:
    service = printed("web")
    async with browsing(service) as client:
        session_id = await post(client, "/sessions")
        page = Page(service, session_id)
        at = f"/sessions/{session_id}"
        prompt = asyncio.create_task(post(client, f"{at}/prompts", text="ask"))
        await page.until(lambda: page.questions)
        [(number, question)] = page.questions.items()
        assert [option["optionId"] for option in question["options"]] == ["yes", "no"]
        wrong = await client.post(f"{at}/questions/99", json={"option_id": "yes"})
        assert wrong.status_code == 409
        await post(client, f"{at}/questions/{number}", option_id="yes")
        await prompt
        await page.until(lambda: page.texts[-1:] == ["You said yes"] and not page.questions)
        gone = await client.post(f"{at}/questions/{number}", json={"option_id": "yes"})
        assert gone.status_code == 409
        page.reading.cancel()


async def test_cancelling_reaches_the_page(printed: Callable[[str], Any]) -> None:
    service = printed("web")
    async with browsing(service) as client:
        session_id = await post(client, "/sessions")
        page = Page(service, session_id)
        at = f"/sessions/{session_id}"
        prompt = asyncio.create_task(post(client, f"{at}/prompts", text="wait"))
        await page.until(lambda: "t" in page.state.tool_calls)
        await post(client, f"{at}/cancel")
        await page.until(lambda: page.state.tool_calls["t"].status == "cancelled")
        assert await prompt == "cancelled"
        page.reading.cancel()


async def test_all_sessions_outlive_a_crash(printed: Callable[[str], Any]) -> None:
    service = printed("web")
    async with browsing(service) as client:
        sessions = [await post(client, "/sessions") for _ in range(2)]
        pages = [Page(service, each) for each in sessions]
        prompts = f"/sessions/{sessions[0]}/prompts"
        crashed = await client.post(prompts, json={"text": "crash"})
        assert crashed.status_code == 503
        assert "status 3" in crashed.json()["detail"]
        assert [page.reading.done() for page in pages] == [False, False]
        await service.backend._ended
        assert await post(client, prompts, text="Hi") == "end_turn"
        await asyncio.wait_for(asyncio.gather(*(page.reading for page in pages)), PATIENCE)
        for session_id, said in zip(
            sessions, (["as before", "Hi", "Hi"], ["as before"]), strict=True
        ):
            page = Page(service, session_id)  # the browser reconnects
            await page.until(lambda page=page, said=said: page.texts == said)
            page.reading.cancel()


async def test_an_agent_that_cannot_resume_leaves_what_was_said(
    printed: Callable[[str], Any],
) -> None:
    sharing = printed("sharing")
    agents = [Agent("Hello"), Agent(answers={"session/resume": RequestError.resource_not_found()})]

    @asynccontextmanager
    async def connected() -> AsyncIterator[Peer]:
        async with agents.pop(0).stream() as stream, connect(stream, sharing.Client) as peer:
            yield peer

    backend = sharing.Backend(connected)
    session = await backend.open("/")
    await backend.prompt(session.session_id, "Hi")
    peer = await backend.connection()
    await peer.close()
    await backend._ended
    assert await backend.connection() is not peer
    assert backend.sessions == {session.session_id: session}
    async with aclosing(sharing.events(session)) as events:
        assert "Hello" in await anext(events)
    await backend.close()


async def test_a_slow_page_gets_a_snapshot(
    printed: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    sharing = printed("sharing")
    monkeypatch.setattr(sharing, "BACKLOG", 3)
    session: Any = None

    @asynccontextmanager
    async def connected() -> AsyncIterator[Peer]:
        async with Agent("Hi").stream() as stream, connect(stream, sharing.Client) as peer:
            yield peer

    backend = sharing.Backend(connected)
    session = await backend.open("/")
    async with aclosing(sharing.events(session)) as events:
        assert (await anext(events)).startswith("event: snapshot")
        for number in range(10):
            session.state.apply(
                v2.AgentMessageChunk(message_id="m", content=v2.TextContent(text=str(number)))
            )
        assert (await anext(events)).startswith("event: questions")
        name, data = (await anext(events)).strip().split("\n")
        assert name == "event: snapshot"
        assert data.count("0123456789") == 1
    await backend.close()
