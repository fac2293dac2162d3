"""Tests of the site in a browser: links, search, keyboard use, colors, and small screens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.support import browser

if TYPE_CHECKING:
    from playwright.sync_api import Page

# All tests share one browser, on the worker that builds the site. Other workers would have to wait
# for the site.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("reference")]

SAMPLE = (
    "index.html",
    "guides/sessions-and-turns.html",
    "v1_unstable/types/SessionUpdate.html",
    "v2/methods/agent/session_new.html",
    "v2_unstable/capabilities.html",
    "runtime/api/aio.html",
    "guides/official-sdk-names.html",
    "v2/api/client_session.html",
    "acme/index.html",
)
NEEDED = "document.documentElement.scrollWidth"
# A script that returns elements that extend beyond the screen, except scrollable code and tables.
OUTSIDE = """() => [...document.querySelectorAll(".md-content *")]
    .filter(element => element.checkVisibility()
        && !element.closest("pre, .md-typeset__scrollwrap, .md-clipboard")
        && element.getBoundingClientRect().right > innerWidth + 1)
    .map(element => element.outerHTML.slice(0, 200))"""
# A script that returns table cells that are too narrow for their text.
NARROW = """() => [...document.querySelectorAll(".md-content td")]
    .filter(cell => cell.textContent.trim().length > 30
        && cell.getBoundingClientRect().width < 100)
    .map(cell => cell.outerHTML.slice(0, 200))"""
# A script that returns truncated menu entries.
CUT = """() => [...document.querySelectorAll(".md-nav--primary .md-nav__link")]
    .flatMap(link => [link, ...link.children])
    .filter(element => element.clientWidth && element.scrollWidth > element.clientWidth)
    .map(element => element.textContent)"""
# The widths of the narrowest supported screen, a tablet, a laptop, and a large screen.
WIDTHS = (360, 768, 1280, 1920)
each_sample = pytest.mark.parametrize("path", SAMPLE)

# Selectors for the search input and for the search results, all in a shadow root.
SEARCH = "input[role=combobox]"
RESULT = "a[role=option]"

# A script that runs queries in the page's search worker, without the search dialog. It returns the
# URLs that each query finds, best first.
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

# A selector for the elements whose text must have enough contrast.
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


# Queries on a v2 page, and the first result of each. Pages of the same surface come first.
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
    # No definition has this name, so the first result is the shortest heading that begins with it.
    "permission": "guides/v1-to-v2.html#permissions",
}
# Questions from newcomers who don't know the terms yet, each with the section that answers it.
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
    "How do I edit a file in the editor?": "protocol-1.html#edit-files-in-the-editor",
    "How do I run a command in a terminal?": "protocol-1.html#run-a-command-in-a-terminal",
    "What happens to unknown fields?": "states.html#unknown-members",
    "What's the difference between None and UNSET?": "official-sdk.html#none-and-unset",
    "How do I migrate from the official SDK?": "official-sdk.html",
    "How large can a message be?": "limits.html#what-a-connection-keeps",
    "What if the agent crashes?": "embedding.html#an-agent-that-has-crashed",
    "In which order are messages handled?": "sessions-and-turns.html#order",
    "How do I check the generated code in CI?": "vendoring.html#check-in-ci",
    "list sessions after restart": "agent.html#save-sessions",
    "restore sessions": "sessions-and-turns.html#persist-sessions",
    "custom method": "extending.html#a-custom-method",
    "how do I stream text to the editor": "sessions-and-turns.html#the-classes",
    "set a timeout": "limits.html#how-long-things-take",
    "log the messages": "limits.html#watching-an-agent",
    "cancel a running prompt": "sessions-and-turns.html#cancelling",
    # Queries with words that also occur on type pages or that don't occur in the guides.
    "slash commands": "agent.html#offer-slash-commands",
    "how do I send slash commands": "agent.html#offer-slash-commands",
    "available commands": "agent.html#offer-slash-commands",
    "modes": "agent.html#offer-modes-and-options",
    "model selection": "agent.html#offer-modes-and-options",
    "list sessions": "sessions-and-turns.html#load-resume-and-list-sessions",
    "resume a session": "sessions-and-turns.html#load-resume-and-list-sessions",
    "persist sessions": "sessions-and-turns.html#persist-sessions",
    "save sessions to disk": "sessions-and-turns.html#persist-sessions",
    "fastapi": "libraries.html#use-types-in-fastapi",
    "web service": "web.html#serve-browsers",
    "browser": "web.html#serve-browsers",
    "server-sent events": "remote.html#put-a-proxy-in-front",
    "language model": "agent.html#put-a-model-into-the-loop",
    "choose a protocol version": "getting-started.html#choose-a-protocol-version",
    "example programs": "examples.html",
    "OpenAPI page": "libraries.html#use-types-in-fastapi",
    "pydantic models": "libraries.html#use-types-in-pydantic-models",
    "orjson": "libraries.html#write-json-with-orjson",
    "msgspec": "libraries.html#store-json-in-msgspec-structs",
    "attrs": "libraries.html#store-objects-in-attrs-classes",
    "exclude from ruff": "vendoring.html#exclude-the-copy-from-linters",
    "authentication": "client.html#sign-in",
    "logging": "agent.html#see-what-went-wrong",
    "ask a question": "agent.html#ask-for-permission",
    "run a tool": "agent.html#use-tools",
    "edit a file": "protocol-1.html#edit-files-in-the-editor",
    # The kit.
    "use tools": "agent.html#use-tools",
    "cancel a tool call": "agent.html#cancel-single-tool-calls",
    "MCP servers": "agent.html#use-the-mcp-servers-of-a-session",
    "offer terminals": "client.html#offer-files-and-terminals",
    "answer permission requests": "client.html#answer-permission-requests",
    "keep an agent running": "client.html#keep-an-agent-running",
    "start an agent from a registry": "client.html#registry",
    "sandbox": "limits.html#what-the-kit-does-not-promise",
}


def test_search_lists_exact_names_first_and_answers_questions(site: browser.Site) -> None:
    assert len(QUESTIONS) == 62
    expected = QUERIES | {question: f"guides/{page}" for question, page in QUESTIONS.items()}
    with site.open("v2/index.html") as page:
        found: dict[str, list[str]] = page.evaluate(ASK, [*expected])
    first = {query: addresses[0] for query, addresses in found.items()}
    assert first == {query: f"{site.address}/{path}" for query, path in expected.items()}


def test_search_finds_entries_with_some_of_the_words(site: browser.Site) -> None:
    """Entries with more of the words come first. If any contain all words, only those are shown."""
    with site.open("v2/index.html") as page:
        asked = ["slash commands zyx", "zyx slash", "slash commands"]
        found: dict[str, list[str]] = page.evaluate(ASK, asked)
    whole = found["slash commands"]
    assert whole[0].endswith("guides/agent.html#offer-slash-commands")
    # The order of entries that match equally well is undefined.
    assert found["slash commands zyx"][0] == whole[0]
    assert len(found["slash commands zyx"]) > 4
    assert set(found["slash commands zyx"]) <= set(whole)
    assert found["zyx slash"][0] == whole[0]


def test_search_with_the_keyboard_only(site: browser.Site) -> None:
    with site.open("v2/index.html") as page:
        page.keyboard.press("/")
        page.locator(SEARCH).wait_for()
        page.keyboard.type("RequestPermissionOutcome")
        found = page.locator(f"{RESULT}[href*='?h=RequestPermissionOutcome']")
        # Until the search has caught up, the results match only part of the typed query.
        found.first.filter(has_text=re.compile("^RequestPermissionOutcome")).wait_for()
        # If several surfaces define a name, the search shows a single result that lists the
        # surfaces.
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


def test_the_menu_shows_names_whole_and_filters_types_at_all_widths(site: browser.Site) -> None:
    with site.open("v2/types/UnknownElicitationPropertySchema.html") as page:
        entry = page.locator(".md-nav__link--active >> text=PropertySchema >> visible=true")
        names = page.locator(".acp-filter a")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            drawer = page.locator("label.md-header__button[for=__drawer]")
            if drawer.is_visible() and not page.is_checked("#__drawer"):
                drawer.click()
            entry.wait_for()
            assert page.evaluate(CUT) == []
            page.fill(".acp-filter input", "toolcall")
            names.first.wait_for()
            found = names.all_inner_texts()
            # Entries that begin with the query come first, regardless of their group.
            assert found[0].startswith("ToolCall")
            assert {"ToolCallId", "ToolCallUpdate", "BackgroundToolCall"} <= {*found}
            assert page.evaluate(CUT) == []
            page.fill(".acp-filter input", "")
        page.fill(".acp-filter input", "id toolcall")
        page.click(".acp-filter a >> text=ToolCallId")
        page.wait_for_url("**/v2/types/ToolCallId.html")


def test_search_leads_to_a_section_at_all_widths(site: browser.Site) -> None:
    with site.open("v1/index.html") as page:
        hit = page.locator(f"{RESULT}[href*='?h=cancel+a+turn']").first
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            page.click(".md-header :is([for=__search], .md-search__button) >> visible=true")
            page.fill(SEARCH, "cancel a turn")
            hit.wait_for()
            bounds = hit.bounding_box()
            assert bounds is not None
            assert 0 <= bounds["x"] <= bounds["x"] + bounds["width"] <= width
            page.keyboard.press("Escape")
            hit.wait_for(state="hidden")
        page.keyboard.press("/")
        hit.click()
        page.wait_for_url("**/guides/client.html*#cancel-a-turn")


def test_copying_a_console_block_copies_its_commands_at_all_widths(site: browser.Site) -> None:
    site.context.grant_permissions(["clipboard-read", "clipboard-write"])
    with site.open("guides/vendoring.html") as page:
        block = page.locator("#check-in-ci ~ .highlight:has(.gp)").first
        shown = block.inner_text()
        commands = [line[2:] for line in shown.splitlines() if line.startswith("$ ")]
        assert 1 < len(commands) < len(shown.splitlines())
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate("navigator.clipboard.writeText('')")
            block.locator("[data-md-type=copy]").click()
            page.locator(".md-dialog--active").wait_for()
            copied = page.evaluate("navigator.clipboard.readText()")
            assert copied.splitlines() == commands
        selected = block.evaluate("""block => {
            getSelection().selectAllChildren(block);
            return getSelection().toString();
        }""")
        assert [line.strip() for line in selected.splitlines() if line.strip()] == commands


def test_a_missing_page_has_links_and_the_search(site: browser.Site) -> None:
    assert urlsplit(site.address).path != ""
    with site.open(None) as page:
        for path in ("v1/types/Gone.html", "gone/a/b.html", "404.html"):
            answer = page.goto(f"{site.address}/{path}")
            assert answer is not None
            assert answer.status == (200 if path == "404.html" else 404)
            assert page.inner_text("h1") == "Page not found"
            fetched = page.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
            assert len(fetched) > 4
            found = [each for each in fetched if not each.endswith("404.html")]
            assert all(each.startswith(f"{site.address}/") for each in found)
            links = page.locator(".md-content a[href]").evaluate_all("all => all.map(a => a.href)")
            assert f"{site.address}/guides/getting-started.html" in links
            page.keyboard.press("/")
            page.fill(SEARCH, "SessionUpdate")
            page.locator(f"{RESULT}[href^='{site.address}/v1/types/SessionUpdate']").wait_for()


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
    """All checks share one visit, because loading the page takes longer than checking it."""
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
