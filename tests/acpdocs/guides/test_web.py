"""Tests of the guide "A backend for browsers": its service runs with a scripted agent."""

from __future__ import annotations

import asyncio
import importlib
import json
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from acp_bindings import v2

from tests.support.guides import write_files
from tests.support.paths import GUIDE_TEMPLATES

pytestmark = pytest.mark.slow

GUIDE = "web.md"
PATIENCE = 60.0
# The text of a prompt selects what the agent does in the turn.
SCRIPT = """
from acp_bindings.runtime import RequestError
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
            yield tool_call("t", title="Crash", status="in_progress")
            yield crash(3)
        case _:
            yield from prompt.text

agent = Agent(*[turn] * 5, answers={"session/resume": ANSWER})
"""


@pytest.fixture
def service(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Any]:
    """Yield the module of the guide's service, set up to run the scripted agent."""
    assert write_files(GUIDE, tmp_path) == ["sharing.py", "web.py"]
    script = SCRIPT.replace("ANSWER", getattr(request, "param", "{}"))
    (tmp_path / "scripted.py").write_text(script, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    service = importlib.import_module("web")
    service.AGENT = [sys.executable, "-m", "acp_bindings.testing", "scripted.py"]
    yield service
    for name in ("sharing", "web"):
        sys.modules.pop(name, None)


class Page:
    """A simulated browser page, which applies the events of a stream to its state."""

    def __init__(self, opening: Any) -> None:
        self.state = v2.SessionState()
        self.names: list[str] = []
        self.last: dict[str, Any] = {}  # the latest event's data, by event name
        self.changed = asyncio.Event()
        self.reading = asyncio.create_task(self.read(opening))

    async def read(self, opening: Any) -> None:
        response = await opening
        assert response.media_type == "text/event-stream"
        async with aclosing(response.body_iterator) as events:
            async for event in events:
                first, second = event.removesuffix("\n\n").split("\n")
                self.take(first.removeprefix("event: "), json.loads(second.removeprefix("data: ")))

    def take(self, name: str, data: Any) -> None:
        self.names.append(name)
        self.last[name] = data
        if name == "snapshot":
            self.state = v2.SessionState()
        if name in ("snapshot", "updates"):
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
    async with (
        service.lifespan(service.app),
        httpx.AsyncClient(transport=transport, base_url="http://test", timeout=PATIENCE) as client,
    ):
        yield client


async def post(client: httpx.AsyncClient, path: str, **body: Any) -> Any:
    response = await client.post(path, json=body)
    assert response.status_code == 200, response.text
    return response.json()


async def test_pages_that_come_early_and_late_show_the_same(service: Any) -> None:
    async with browsing(service) as client:
        first, second = [await post(client, "/sessions") for _ in range(2)]
        early, other = Page(service.stream(first)), Page(service.stream(second))
        prompts = f"/sessions/{first}/prompts"
        assert await post(client, prompts, text="Hi") == "end_turn"
        late = Page(service.stream(first))
        assert await post(client, prompts, text="Bye") == "end_turn"
        expected = service.shared.sessions[first].state
        for page in (early, late):
            await page.until(lambda page=page: page.state == expected)
            assert page.texts == ["Hi", "Hi", "Bye", "Bye"]
        assert late.names.count("snapshot") == 1
        assert other.texts == []
    for page in (early, late, other):  # the streams were closed on exit from `launch`
        await asyncio.wait_for(page.reading, PATIENCE)
        assert page.last["closed"] == "the link was closed"


async def test_an_answer_names_its_question(service: Any) -> None:
    async with browsing(service) as client:
        session_id = await post(client, "/sessions")
        page, overview = Page(service.stream(session_id)), Page(service.overview())
        prompt = asyncio.create_task(post(client, f"/sessions/{session_id}/prompts", text="ask"))
        await overview.until(lambda: overview.last.get("dialogs"))
        [dialog] = overview.last["dialogs"]
        assert dialog["session_id"] == session_id
        assert [option["id"] for option in dialog["options"]] == ["yes", "no"]
        for id_, option, status in [("99", "yes", 409), (dialog["id"], "maybe", 422)]:
            wrong = await client.post(f"/dialogs/{id_}", json={"option_id": option})
            assert wrong.status_code == status
        await post(client, f"/dialogs/{dialog['id']}", option_id="yes")
        await prompt
        await page.until(lambda: page.texts[-1:] == ["You said yes"])
        await overview.until(lambda: not overview.last["dialogs"])
        late = await client.post(f"/dialogs/{dialog['id']}", json={"option_id": "yes"})
        assert late.status_code == 409
        overview.reading.cancel()


async def test_cancelling_reaches_the_page(service: Any) -> None:
    async with browsing(service) as client:
        session_id = await post(client, "/sessions")
        page = Page(service.stream(session_id))
        at = f"/sessions/{session_id}"
        prompt = asyncio.create_task(post(client, f"{at}/prompts", text="wait"))
        await page.until(lambda: "t" in page.state.tool_calls)
        await post(client, f"{at}/cancel")
        await page.until(lambda: page.state.tool_calls["t"].status == "cancelled")
        assert await prompt == "cancelled"


async def test_all_sessions_outlive_a_crash(service: Any) -> None:
    async with browsing(service) as client:
        sessions = [await post(client, "/sessions") for _ in range(2)]
        pages, overview = [Page(service.stream(id)) for id in sessions], Page(service.overview())
        assert await post(client, f"/sessions/{sessions[1]}/prompts", text="Hi") == "end_turn"
        prompts = f"/sessions/{sessions[0]}/prompts"
        crashed = await client.post(prompts, json={"text": "crash"})
        assert crashed.status_code == 503
        assert "status 3" in crashed.json()["detail"]
        assert await post(client, prompts, text="Bye") == "end_turn"
        await pages[0].until(lambda: pages[0].texts[-1:] == ["Bye"])
        await pages[1].until(lambda: pages[1].names.count("snapshot") > 1)
        assert pages[1].texts == ["Hi", "Hi"]
        assert pages[0].state.tool_calls["t"].status == "failed"
        assert not any(page.reading.done() for page in pages)
        await overview.until(lambda: overview.last["agent"] == "")
        overview.reading.cancel()


@pytest.mark.parametrize("service", ["RequestError.resource_not_found()"], indirect=True)
async def test_an_agent_that_cannot_resume_leaves_what_was_said(service: Any) -> None:
    async with browsing(service) as client:
        session_id = await post(client, "/sessions")
        page = Page(service.stream(session_id))
        prompts = f"/sessions/{session_id}/prompts"
        await client.post(prompts, json={"text": "crash"})
        await asyncio.wait_for(page.reading, PATIENCE)
        assert "did not restore it" in page.last["closed"]
        assert page.texts == ["crash"]
        refused = await client.post(prompts, json={"text": "Hi"})
        assert refused.status_code == 410
        assert "did not restore it" in refused.json()["detail"]


async def test_the_agent_is_started_again_on_request(service: Any) -> None:
    async with browsing(service) as client:
        first = service.shared.link.peer
        await post(client, "/restart")
        assert service.shared.link.peer is not first


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal")
async def test_the_service_stops_although_a_page_is_open(service: Any, tmp_path: Path) -> None:
    """The service is started with the command in its docstring and an option from the guide."""
    command = shlex.split(service.__doc__.split("`")[1])
    assert command[0] == "uvicorn"
    guide = (GUIDE_TEMPLATES / GUIDE).read_text("utf-8")
    command += re.findall(r"`(--timeout\S+) (\d+)`", guide)[0]
    program = tmp_path / "web.py"
    printed = program.read_text("utf-8")
    constant = 'AGENT = ["npx", "-y", "some-agent"]'
    assert constant in printed
    program.write_text(printed.replace(constant, f"AGENT = {service.AGENT!r}"), "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [sys.executable, "-m", *command, "--port", str(port)]
    server = await asyncio.create_subprocess_exec(*words, cwd=tmp_path, stderr=subprocess.PIPE)
    assert server.stderr is not None
    while b"running on" not in (line := await asyncio.wait_for(server.stderr.readline(), PATIENCE)):
        assert line
    async with (
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
        client.stream("GET", "/events") as response,
    ):
        assert await anext(response.aiter_lines()) == "event: agent"
        server.send_signal(signal.SIGINT)
        _, errors = await asyncio.wait_for(server.communicate(), PATIENCE)
    assert b"Application shutdown complete" in errors
