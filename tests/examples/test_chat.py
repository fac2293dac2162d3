"""Tests of the chat page in a browser, with an agent that `acpgen serve` runs."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.acpwire.remote import Server, program, serving
from tests.examples.driving import HERE
from tests.support import browser

if TYPE_CHECKING:
    from playwright.sync_api import Page

# All these tests run in one worker, so that the browser is started only once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("chat")]

AGENT = """
import asyncio, sys
from acp_bindings import v1
from acp_bindings.runtime.aio import serve_stdio
import acp_bindings.v1.kit

class Agent(v1.SessionAgent):
    async def turn(self, session, params):
        text = params.prompt[0].text
        if text == "ask":
            async with session.tool("Ask it", kind="execute") as tool:
                await tool.ask()
                await session.say("allowed")
        else:
            for piece in text:
                await session.say(piece)

print("up", file=sys.stderr, flush=True)
asyncio.run(serve_stdio(Agent))
"""
TEXT = "<b>bold</b> \u2028 \U0001f600"


@pytest.fixture(scope="module")
def site() -> Generator[browser.Site]:
    with browser.launch(HERE) as site:
        yield site


@pytest.fixture
def origin(site: browser.Site) -> str:
    return site.address.removesuffix(f"/{HERE.name}")


@pytest.fixture
def agent(tmp_path: Path) -> list[str]:
    return program(tmp_path, AGENT)


@contextmanager
def chat(site: browser.Site, server: Server, token: str | None) -> Iterator[Page]:
    """Open the chat page and connect to a server with a token."""
    with site.open("chat.html") as page:
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.fill("#url", server.url.replace("http", "ws", 1))
        page.fill("#token", token or "")
        page.click("text=Connect")
        yield page
        assert problems == []


def prompt(page: Page, text: str) -> None:
    page.fill("#text", text)
    page.click("text=Send")


def wait_for(page: Page, kind: str, text: str) -> None:
    page.locator(f"#transcript .{kind}", has_text=text).last.wait_for()


def test_the_page_is_short() -> None:
    assert len((HERE / "chat.html").read_text("utf-8").splitlines()) <= 60


def test_a_page_of_an_allowed_origin_talks_with_the_token(
    site: browser.Site, origin: str, agent: list[str]
) -> None:
    with (
        serving(agent, "--origin", origin) as server,
        chat(site, server, server.token) as page,
    ):
        server.wait_for("up")
        prompt(page, TEXT)
        wait_for(page, "agent", TEXT)
        assert page.locator("#transcript b").count() == 0
        prompt(page, "ask")
        page.click("#transcript button >> text='Allow'")
        wait_for(page, "agent", "allowed")
        assert server.end() == 130
        wait_for(page, "problem", "Closed: 1001")


@pytest.mark.parametrize("token", [None, "wrong"])
def test_a_page_without_the_token_is_refused(
    site: browser.Site, origin: str, agent: list[str], token: str | None
) -> None:
    with serving(agent, "--origin", origin) as server, chat(site, server, token) as page:
        wait_for(page, "problem", "Closed: 1006")
        assert server.end() == 130
        assert "up" not in server.errors


def test_a_page_of_another_origin_is_refused(site: browser.Site, agent: list[str]) -> None:
    options = ["--origin", "http://page.test"]
    with serving(agent, *options) as server, chat(site, server, server.token) as page:
        wait_for(page, "problem", "Closed: 1006")
        assert page.locator("#prompt").is_hidden()


def test_a_page_is_refused_although_programs_need_no_token(
    site: browser.Site, agent: list[str]
) -> None:
    with serving(agent, "--no-token") as server, chat(site, server, None) as page:
        wait_for(page, "problem", "Closed: 1006")


def test_a_page_of_an_allowed_origin_may_need_no_token(
    site: browser.Site, origin: str, agent: list[str]
) -> None:
    options = ["--no-token", "--origin", origin]
    with serving(agent, *options) as server, chat(site, server, None) as page:
        prompt(page, "hello")
        wait_for(page, "agent", "hello")
