"""The reference in a browser: links, search, keyboard, colours, small screens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support import browser

if TYPE_CHECKING:
    from playwright.sync_api import Page

# One browser for all of them, on the worker that builds the site: another one would wait for it.
pytestmark = pytest.mark.xdist_group("reference")

SAMPLE = (
    "index.html",
    "reference/index.html",
    "guides/sessions-and-turns.html",
    "v1/index.html",
    "v1_unstable/types/SessionUpdate.html",
    "v1/types/ToolCallUpdate.html",
    "v2/methods/agent/session_new.html",
    "v2_unstable/capabilities.html",
    "runtime/api/aio.html",
    "guides/official-sdk-names.html",
    "guides/testing.html",
    "v2/api/client_session.html",
    "acme/index.html",
)
NEEDED = "document.documentElement.scrollWidth"
# What leaves the screen, except what scrolls inside itself: code, and tables that are no lists.
OUTSIDE = """() => [...document.querySelectorAll(".md-content *")]
    .filter(element => element.checkVisibility()
        && !element.closest("pre, .md-typeset__scrollwrap, .md-clipboard")
        && element.getBoundingClientRect().right > innerWidth + 1)
    .map(element => element.outerHTML.slice(0, 200))"""
# Columns of prose in which few words fit.
NARROW = """() => [...document.querySelectorAll(".md-content td")]
    .filter(cell => cell.textContent.trim().length > 30
        && cell.getBoundingClientRect().width < 100)
    .map(cell => cell.outerHTML.slice(0, 200))"""
# The narrowest screen that pages are made for, a tablet, a laptop, and a large screen.
WIDTHS = (360, 768, 1280, 1920)
each_sample = pytest.mark.parametrize("path", SAMPLE)

# Where queries are typed, and what is found; both in a shadow root.
SEARCH = "input[role=combobox]"
RESULT = "a[role=option]"

# The search of a page, without its dialog: the addresses that each query finds, first things first.
ASK = """async queries => {
    const config = JSON.parse(document.querySelector("#__config").textContent);
    const base = new URL(`${config.base}/`, location);
    const index = await (await fetch(new URL("search.json", base))).json();
    const worker = new Worker(config.search);
    const ask = message => new Promise(resolve => {
        worker.onmessage = ({data: answer}) => resolve(answer.data);
        worker.postMessage(message);
    });
    await ask({type: 0, data: index});
    const found = {};
    for (const input of queries) {
        const {items} = await ask({type: 2, data: {input}});
        found[input] = items.map(({id}) => new URL(index.items[id].location, base).href);
    }
    return found;
}"""

# The elements with text, whose contrast is measured.
TEXT = ", ".join(
    f".md-content {each}"
    for each in ("p", "li", "td", "th", "a:not(.headerlink)", "code", "h2", ".acp-unstable")
)


@pytest.fixture(scope="module")
def site(built: Path) -> Iterator[browser.Site]:
    with browser.launch(built) as served:
        yield served
        assert served.requests
        assert served.foreign() == []


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_links_lead_from_the_start_to_the_other_version(site: browser.Site) -> None:
    with site.open() as page:
        page.click(".md-tabs >> text=Reference")
        page.click(".md-content table >> text=v1 unstable")
        page.click(".md-content >> text=Methods of the agent")
        page.click(".md-content table >> text=session/prompt")
        page.wait_for_url("**/methods/agent/session_prompt.html")
        assert page.inner_text("h1").startswith("session/prompt")
        page.click(".md-content a code:text-is('PromptRequest')")
        page.wait_for_url("**/v1_unstable/types/PromptRequest.html")
        page.click("#members ~ .acp-stack a code:text-is('ContentBlock')")
        page.click("#used-by ~ ul >> text=PromptRequest.prompt")
        page.wait_for_url("**/types/PromptRequest.html#member-prompt")
        assert page.locator("#member-prompt").is_visible()
        page.click("#comparison ~ p a")
        page.wait_for_url("**/v2_unstable/types/PromptRequest.html")


# What is typed on a page of v2, and what comes first: what v2 has, there.
QUERIES = {
    "ToolCall": "v1/types/ToolCall.html",
    "SessionUpdate": "v2/types/SessionUpdate.html",
    "toolCallId": "v2/types/ToolCallId.html",
    "session/request_permission": "v2/methods/client/session_request_permission.html",
    "AgentSession": "v2/api/agent_session.html#AgentSession",
    "loads": "v2/api/index.html#loads",
    "cancel": "v2/api/agent_session.html#AgentSession.cancel",
    "UNSET": "runtime/api/index.html#UNSET",
    "connect_stdio": "runtime/api/aio.html#connect_stdio",
    # Nothing has this name: the shortest heading that begins with it.
    "permission": "guides/v1-to-v2.html#permissions",
}
# The questions of somebody who does not know our words yet, and the sections that answer them.
QUESTIONS = {
    "how to cancel a turn": "sessions-and-turns.html#cancelling",
    "How do I ask the user for permission?": "agent.html#ask-for-permission",
    "How do I write an agent?": "getting-started.html#run-an-agent",
    "How do I write a client?": "getting-started.html#talk-to-it",
    "Which surface should I choose?": "getting-started.html#choose-a-surface",
    "How do I test my agent?": "testing.html#test-an-agent",
    "How do I trace a conversation?": "testing.html#trace-a-conversation",
    "How can I extend the protocol?": "extending.html",
    "How do I show an old session?": "client.html#show-an-old-session",
    "How does a user sign in?": "client.html#sign-in",
    "What changed between v1 and v2?": "v1-to-v2.html",
    "How do I edit a file in the editor?": "agent.html#edit-files-in-the-editor",
    "How do I run a command in a terminal?": "agent.html#run-a-command-in-a-terminal",
    "What happens to unknown fields?": "states.html#unknown-members",
    "What's the difference between None and UNSET?": "official-sdk.html#none-and-unset",
    "How do I migrate from the official SDK?": "official-sdk.html",
    "How large can a message be?": "limits.html#what-a-connection-keeps",
    "What if the agent crashes?": "embedding.html#an-agent-that-has-crashed",
    "In which order are messages handled?": "sessions-and-turns.html#order",
    "How do I check the generated code in CI?": "vendoring.html#check-in-ci",
}


def test_search_lists_exact_names_first_and_answers_questions(site: browser.Site) -> None:
    assert len(QUESTIONS) == 20
    expected = QUERIES | {question: f"guides/{page}" for question, page in QUESTIONS.items()}
    with site.open("v2/index.html") as page:
        found: dict[str, list[str]] = page.evaluate(ASK, [*expected])
    first = {query: addresses[0] for query, addresses in found.items()}
    assert first == {query: f"{site.address}/{path}" for query, path in expected.items()}


def test_search_with_the_keyboard_only(site: browser.Site) -> None:
    with site.open("v2/index.html") as page:
        page.keyboard.press("/")
        page.locator(SEARCH).wait_for()
        page.keyboard.type("RequestPermissionOutcome")
        found = page.locator(f"{RESULT}[href*='?h=RequestPermissionOutcome']")
        found.first.wait_for()
        # What surfaces have in common is one hit, which names them.
        assert found.locator("h2").all_inner_texts().count("RequestPermissionOutcome") == 1
        known = found.first.locator("menu").inner_text().split("\n")
        assert known == ["v1, v1 unstable, v2, v2 unstable", "Types"]
        page.keyboard.press("ArrowDown")
        page.locator(f"{RESULT}[aria-selected=true]:nth-of-type(1)").first.wait_for()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        page.wait_for_url("**/v2/types/RequestPermissionOutcome.html*")


def test_a_switch_leads_to_the_other_surfaces_and_to_the_successor(site: browser.Site) -> None:
    with site.open("v1/types/ToolCall.html") as page:
        assert page.inner_text(".acp-surface-links [aria-current]") == "v1"
        page.click(".acp-surface-links >> text=v1 unstable")
        page.wait_for_url("**/v1_unstable/types/ToolCall.html")
        page.click(".acp-surface-links >> text='v2: ToolCallUpdate'")
        page.wait_for_url("**/v2/types/ToolCallUpdate.html")
        page.goto(f"{site.address}/v1/methods/agent/authenticate.html")
        page.click(".acp-surface-links >> text='v2: auth/login'")
        page.wait_for_url("**/v2/methods/agent/auth_login.html")
        page.goto(f"{site.address}/v1/methods/client/fs_read_text_file.html")
        assert page.locator(".acp-surface-links >> text='not in v2'").count() == 1


def test_the_next_page_leads_back_at_all_widths(site: browser.Site) -> None:
    with site.open("guides/getting-started.html") as page:
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            page.click(".md-footer__link--next")
            page.wait_for_url("**/guides/agent.html")
            page.click(".md-footer__link--prev")
            page.wait_for_url("**/guides/getting-started.html")


@each_sample
def test_a_page_is_readable_in_both_modes_and_at_all_widths(site: browser.Site, path: str) -> None:
    """One visit for all of it, since a visit takes longer than what is looked at."""
    with site.open(None) as page:
        problems: list[str] = []
        page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"{site.address}/{path}")
        assert background(page) == "rgb(255, 255, 255)"
        assert browser.lowest_contrast(page, TEXT) >= 4.5
        page.emulate_media(color_scheme="dark")
        page.wait_for_function("document.body.dataset.mdColorScheme === 'slate'")
        assert max(map(int, re.findall(r"\d+", background(page))[:3])) < 64
        assert browser.lowest_contrast(page, TEXT) >= 4.5
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate(NEEDED) <= width
            assert page.evaluate(OUTSIDE) == [], width
            assert page.evaluate(NARROW) == [], width
        assert problems == []
