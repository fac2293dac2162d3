"""Tests that API pages list all public names, including inherited ones, and link to types."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from tests.acpdocs.reference import NAMES, on_one_worker
from tests.support.site import Page

pytestmark = on_one_worker


@pytest.mark.parametrize("name", ["runtime", "runtime.aio", "runtime.jsonrpc", *NAMES])
def test_every_name_that_a_module_exports_is_documented(name: str, site: dict[str, Page]) -> None:
    """Each name has its own page or an entry on the page of this or another module."""
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


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_a_kit_leads_to_every_name_that_it_exports(
    name: str, site: dict[str, Page]
) -> None:
    module = importlib.import_module(f"acp_bindings.{name}.kit")
    page = site[f"{name}/api/kit.html"]
    leads = {link.rpartition("#")[2] for link in page.links}
    assert {"follow", "Dialogs", "Permissions", "Workspace"} <= leads
    assert set(module.__all__) <= page.ids | leads
    assert "Yield a snapshot of a session" in page.text


def _public(cls: type) -> set[str]:
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
    # Attributes are table rows, which have no anchors.
    assert {each for each in missing if f" {each} " not in page.text} == set()
