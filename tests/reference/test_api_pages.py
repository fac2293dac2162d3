"""The pages of modules show everything public, inherited names included, and link the types."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from support.site import Page

# One worker runs these, since each has to read the whole site.
pytestmark = pytest.mark.xdist_group("reference")

NAMES = ("v1", "v1_unstable", "v2", "v2_unstable")


@pytest.mark.parametrize("name", ["runtime", "runtime.aio", "runtime.jsonrpc", *NAMES])
def test_every_name_that_a_module_exports_is_documented(name: str, site: dict[str, Page]) -> None:
    """Each has an entry on the page of its module, or of the module that it is from, or a page."""
    module = importlib.import_module(f"acp_bindings.{name}")
    folder, _, rest = name.partition(".")
    page = site[f"{folder}/api/{rest or 'index'}.html"]
    anchors = page.ids.union(*(other.ids for path, other in site.items() if "/api/" in path))
    types = {Path(path).stem for path in site if path.startswith(f"{folder}/types/")}
    assert len(module.__all__) > 5
    names = {each for each in module.__all__ if not each.startswith("Known")}
    assert names <= (anchors | types if name in NAMES else page.ids)
    for known in set(module.__all__) - names:
        union = site[f"{folder}/types/{known.removeprefix('Known')}.html"]
        assert f"{known} is the union without it." in union.text
    if name in NAMES:
        assert {"decode", "encode", "loads", "dumps", "tag", "SCHEMA", "TYPES"} <= page.ids


def _public(cls: type) -> set[str]:
    """The public names of a class and of its bases in the package, attributes included."""
    bases = [each for each in cls.__mro__ if each.__module__.startswith("acp_bindings.")]
    return {
        name
        for base in bases
        for name in (*vars(base), *getattr(base, "__annotations__", ()))
        if not name.startswith("_")
    }


CLASSES = (
    "agent_session.AgentSession",
    "agent_session.SessionAgent",
    "client_session.ClientSession",
    "client_session.SessionClient",
    "client_session.Turn",
    "agent.AgentHandler",
    "agent.AgentStub",
    "client.ClientHandler",
    "client.ClientStub",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("path", CLASSES)
def test_all_members_of_a_class_are_shown_inherited_ones_too(
    name: str, path: str, site: dict[str, Page]
) -> None:
    module, _, cls = path.partition(".")
    public = _public(getattr(importlib.import_module(f"acp_bindings.{name}.{module}"), cls))
    page = site[f"{name}/api/{module}.html"]
    missing = {each for each in public if f"{cls}.{each}" not in page.ids}
    assert len(public) > 3
    # Attributes are rows of a table, without an anchor.
    assert {each for each in missing if f" {each} " not in page.text} == set()


@pytest.mark.parametrize(
    ("page", "links"),
    [
        ("v1/api/agent", {"../types/NewSessionRequest.html", "../types/NewSessionResponse.html"}),
        (
            "v2/api/agent_session",
            {
                "../types/ContentBlock.html",
                "../../runtime/api/aio.html#Peer",
                "../../runtime/api/session.agent_reporting.html#ReportingSession",
            },
        ),
        ("v2/api/index", {"../../runtime/api/index.html#Issue"}),
        ("v1/api/client_session", {"../types/PromptResponse.html", "#Turn"}),
    ],
)
def test_types_in_signatures_lead_to_their_pages(
    page: str, links: set[str], site: dict[str, Page]
) -> None:
    assert links <= set(site[f"{page}.html"].links)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("session.agent", {"AgentSession", "AgentSession.update", "AnsweringSession"}),
        ("session.agent_reporting", {"ReportingSession", "ReportingSession.run_turn"}),
        ("session.client_sessions", {"Sessions", "Sessions.session"}),
        ("session.turns", {"Turn", "AnsweredTurn"}),
        ("session.state", {"State", "State.apply", "CANCELLED"}),
        ("session", {"Change", "Message", "Message.text", "PermissionRule"}),
    ],
)
def test_session_modules_are_documented(
    name: str, expected: set[str], site: dict[str, Page]
) -> None:
    assert expected <= site[f"runtime/api/{name}.html"].ids
