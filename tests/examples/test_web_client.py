"""Tests of the web client in a browser, with an agent for each protocol version."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx
import pytest

from tests.examples.driving import HERE, running
from tests.support import browser, preloaded

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

# All these tests run in one worker, so that the browser is started only once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("web client")]

# An agent that carries out the action named in each prompt. A file records that the user signed in.
AGENT = """
import asyncio, os, sys
from pathlib import Path
from acp_bindings import v1, v2
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import serve_stdio
import acp_bindings.v1.kit, acp_bindings.v2.kit

surface = {"1": v1, "2": v2}[sys.argv[1]]
token = Path("token")
Path("agent.pid").write_text(str(os.getpid()))

class Agent(surface.kit.StoredAgent):
    store = surface.kit.SessionStore("store")
    info = surface.Implementation(name="agent", version="1.0")
    if "load" in sys.argv:
        capabilities = v1.AgentCapabilities(
            session_capabilities=v1.SessionCapabilities(resume=None))
    if "locked" in sys.argv:
        id_ = {"method_id": "code"} if surface is v2 else {"id": "code"}
        auth_methods = [surface.AuthMethodAgent(name="With a <b>code</b>", **id_)]

    async def authenticate(self, params):
        token.touch()
        return None

    auth_login = authenticate

    async def session_new(self, params):
        if "locked" in sys.argv and not token.exists():
            raise RequestError(-32000, "no token")
        return await super().session_new(params)

    async def turn(self, session, params):
        command, _, text = params.prompt[0].text.partition(" ")
        if command == "say":
            for piece in text:
                await session.say(piece)
        elif command == "run":
            await self.run(session, text)
        elif command == "write":
            await self.write(session, text)
        elif command == "fail":
            raise RequestError(-32000, "the token expired")
        elif command == "wait":
            await session.say("waiting")
            await asyncio.sleep(3600)

    async def run(self, session, text):
        async with session.tool("Run it", kind="execute") as tool:
            if surface is v2:
                await tool.run(["sh", "-c", text])
                return
            await tool.ask()
            made = await session.terminal_create(command="sh", args=["-c", text])
            await session.update(v1.ToolCallUpdate(
                tool_call_id=tool.id, content=[v1.Terminal(terminal_id=made.terminal_id)]))
            await session.terminal_wait_for_exit(terminal_id=made.terminal_id)
            await session.terminal_release(terminal_id=made.terminal_id)

    async def write(self, session, text):
        path = str(Path(session.cwd, "made.txt"))
        if surface is v2:
            async with session.tool("Write it", kind="edit") as tool:
                await tool.write(path, text)
            return
        await session.fs_write_text_file(path=path, content=text)
        await session.say((await session.fs_read_text_file(path=path)).content)

asyncio.run(serve_stdio(Agent))
"""


# Modules that the programs use and that are slow to import.
IMPORTED = (
    "acp_bindings.v1.kit",
    "acp_bindings.v2.kit",
    "hypercorn.asyncio",
    "starlette.applications",
    "starlette.middleware.trustedhost",
)


def program(path: Path) -> list[str]:
    return preloaded.command(sys.executable, IMPORTED, str(path))


@dataclass
class Browsing:
    """A browser page with a running web client."""

    page: Page
    folder: Path
    address: str

    def open(self) -> None:
        """Open a new session, and wait until the page shows it."""
        number = self.page.locator("#sessions button").count() + 1
        self.page.click("#open")
        self.session(number).wait_for()

    def session(self, number: int, note: str = "") -> Locator:
        return self.page.locator(
            "#sessions button", has_text=re.compile(f"Session {number} {note}")
        )

    def prompt(self, text: str) -> None:
        self.page.fill("textarea", text)
        self.page.click("text=Send")

    def wait_for(self, kind: str, text: str) -> None:
        """Wait for a transcript entry of the given kind that contains the text."""
        self.page.locator(f"#transcript .{kind}", has_text=text).last.wait_for()

    def choose(self, option: str) -> None:
        self.page.click(f"#dialogs button >> text='{option}'")

    @property
    def transcript(self) -> list[str]:
        return self.page.locator("#transcript > *").all_inner_texts()


@pytest.fixture(scope="module")
def context() -> Generator[BrowserContext]:
    with browser.chromium() as context:
        yield context


@pytest.fixture(params=["1", "2"], ids=["v1", "v2"])
def version(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def options() -> tuple[str, ...]:
    """The agent's command-line options, which tests override by parametrization."""
    return ()


@pytest.fixture
def web(
    context: BrowserContext, version: str, options: tuple[str, ...], tmp_path: Path
) -> Generator[Browsing]:
    folder = tmp_path / "work"
    folder.mkdir()
    (tmp_path / "agent.py").write_text(AGENT, "utf-8")
    agent = [*program(tmp_path / "agent.py"), version, *options]
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    try:
        with running([*program(HERE / "web_client.py"), *agent], folder) as client:
            address = "http:" + client.wait_for_line("http:")
            page.goto(address)
            page.locator("#status", has_text="running").wait_for()
            yield Browsing(page, folder, address)
            page.goto("about:blank")
            client.interrupt()
            assert client.end() == 0, client.output
            assert "Traceback" not in client.output
    finally:
        page.close()
    assert problems == []


def test_text_is_streamed_to_several_sessions(web: Browsing) -> None:
    web.open()
    web.prompt("say one")
    web.wait_for("agent_message", "one")
    web.session(1, "end_turn").wait_for()
    web.open()
    web.prompt("say two")
    web.wait_for("agent_message", "two")
    web.session(2, "end_turn").wait_for()
    assert web.transcript == ["> say two", "two"]
    web.session(1).click()
    web.wait_for("agent_message", "one")
    assert web.transcript == ["> say one", "one"]


def test_text_of_the_agent_is_not_html(web: Browsing) -> None:
    text = "<img src=x onerror=alert(1)><b>bold</b>"
    web.open()
    web.prompt(f"say {text}")
    web.wait_for("agent_message", text)
    assert web.page.locator("#transcript img, #transcript b").count() == 0


def test_a_command_runs_when_it_is_allowed_and_its_output_is_shown(web: Browsing) -> None:
    web.open()
    web.prompt("run echo begun; until [ -e go ]; do sleep 0.05; done; echo é; exit 3")
    web.choose("Allow")
    web.wait_for("terminal", "begun")
    (web.folder / "go").touch()
    web.wait_for("terminal", "begun\né\n[exit status 3]")
    web.session(1, "end_turn").wait_for()
    assert web.page.locator("#dialogs button").count() == 0


def test_a_refused_command_does_not_run(web: Browsing) -> None:
    web.open()
    web.prompt("run touch made.txt")
    web.choose("Reject")
    web.wait_for("tool_call", "[failed]")
    web.session(1, "end_turn").wait_for()
    assert not (web.folder / "made.txt").exists()


def test_files_are_written_in_the_folder(web: Browsing, version: str) -> None:
    web.open()
    web.prompt("write text")
    if version == "2":
        web.choose("Allow")
        web.wait_for("tool_call", "+text")
    else:
        web.wait_for("agent_message", "text")
    web.session(1, "end_turn").wait_for()
    assert (web.folder / "made.txt").read_text("utf-8") == "text"


def test_the_error_of_a_turn_is_shown(web: Browsing) -> None:
    web.open()
    web.prompt("fail")
    web.page.locator("#problem, #sessions", has_text="the token expired").first.wait_for()


def test_a_turn_is_cancelled(web: Browsing) -> None:
    web.open()
    web.prompt("wait")
    web.wait_for("agent_message", "waiting")
    web.page.click("#cancel")
    web.session(1, "cancelled").wait_for()


# Agents that resume a session don't resend its history, but agents that load it do.
@pytest.mark.parametrize(
    ("version", "options"),
    [("1", ()), ("1", ("load",)), ("2", ())],
    ids=["v1", "v1 that loads", "v2"],
)
def test_sessions_return_once_after_a_crash(web: Browsing) -> None:
    web.open()
    web.prompt("say before")
    web.session(1, "end_turn").wait_for()
    web.open()
    web.prompt("wait")
    web.wait_for("agent_message", "waiting")
    os.kill(int((web.folder / "agent.pid").read_text()), signal.SIGKILL)
    web.page.locator("#status", has_text="starting again").wait_for()
    web.page.locator("#status", has_text="running").wait_for()
    assert web.page.locator("#sessions button").count() == 2
    assert web.transcript == ["> wait", "waiting"]
    web.prompt("say after")
    web.session(2, "end_turn").wait_for()
    assert web.transcript == ["> wait", "waiting", "> say after", "after"]
    web.session(1).click()
    web.wait_for("agent_message", "before")
    assert web.transcript == ["> say before", "before"]
    web.page.reload()
    web.wait_for("agent_message", "after")
    assert web.transcript == ["> wait", "waiting", "> say after", "after"]


def test_closed_sessions_are_no_longer_shown(web: Browsing) -> None:
    web.open()
    web.open()
    web.page.click("#close")
    web.session(2).wait_for(state="detached")
    web.page.click("#close")
    web.page.locator("#prompt").wait_for(state="hidden")


@pytest.mark.parametrize("options", [("locked",)])
def test_the_user_chooses_how_to_sign_in(web: Browsing) -> None:
    web.page.click("#open")
    web.choose("Dismiss")
    web.page.locator("#problem", has_text="the user cancelled the sign-in").wait_for()
    assert web.page.locator("#sessions button").count() == 0
    web.page.click("#open")
    web.choose("With a <b>code</b>")
    web.session(1).wait_for()
    assert (web.folder / "token").exists()


@pytest.mark.parametrize("version", ["2"])
def test_only_the_own_page_is_served(web: Browsing) -> None:
    parts = urlsplit(web.address)
    own = f"{parts.scheme}://{parts.netloc}"
    action = '["open"]'
    with httpx.Client(trust_env=False) as client:
        assert client.get(web.address).status_code == 200
        assert client.get(own).status_code == 404
        for host in ("page.test", f"page.test:{parts.port}"):
            answer = client.get(web.address, headers={"Host": host})
            assert answer.status_code == 400
        for origin in ({}, {"Origin": "http://page.test"}, {"Origin": "null"}):
            answer = client.post(web.address, content=action, headers=origin)
            assert answer.status_code == 403
        assert web.page.locator("#sessions button").count() == 0
        answer = client.post(web.address, content=action, headers={"Origin": own})
        assert answer.status_code == 200
        web.session(1).wait_for()
        assert client.get(f"{web.address}events?session=x").status_code == 404
        answer = client.post(web.address, content='["dance"]', headers={"Origin": own})
        assert answer.status_code == 400
