"""Tests of the links from guides to the package's names."""

from __future__ import annotations

import pytest
from acpdocs.content import ApiEntry, ApiPage, Signature, SurfacePages, TextRun
from acpdocs.facts.package_names import PackageNames

PEER = "runtime/api/aio.md#Peer"


@pytest.mark.parametrize(
    ("name", "links"),
    [
        ("PromptRequest", ["v1/types/PromptRequest.md", "v2/types/PromptRequest.md"]),
        ("IdleStopReason", ["v1_unstable/types/IdleStopReason.md"]),
        ("AgentHandler", ["v1/agent.md", "v2/agent.md"]),
        ("Unknown", []),
    ],
)
def test_a_name_leads_to_each_version_and_to_the_stable_surface_if_possible(
    name: str, links: list[str], pages: dict[str, SurfacePages]
) -> None:
    first, *others = PackageNames(list(pages.values()), {}).link(name)
    assert first == TextRun(name, code=True)
    assert [run.target for run in others if run.text != " "] == links


def page(module: str, path: str, name: str) -> ApiPage:
    """Return a page about a module with one class, which has one method."""
    call = ApiEntry("call", f"{name}.call", Signature("def call()", {}), ())
    entry = ApiEntry(name, name, Signature(f"class {name}", {}), (), members=(call,))
    return ApiPage(path, f"acp_bindings.{module}", (), (entry,), ())


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("runtime.aio.Peer", PEER),
        ("runtime.aio.Peer.call", f"{PEER}.call"),
        ("runtime.aio.Peer.drain", PEER),  # an inherited method
        ("runtime.aio.Other", None),
    ],
)
def test_a_name_in_the_runtime_leads_to_its_entry_or_its_class(
    name: str, target: str | None
) -> None:
    names = PackageNames([], {"runtime": [page("runtime.aio", "runtime/api/aio.md", "Peer")]})
    assert names.link(name) == (TextRun(name, target, code=True),)


@pytest.mark.parametrize(("name", "anchor"), [("Turn", "Turn"), ("Turn.call", "Turn.call")])
def test_a_name_in_a_module_of_a_surface_is_a_name_of_the_surface(
    name: str, anchor: str, pages: dict[str, SurfacePages]
) -> None:
    path = "v2/api/client_session.md"
    names = PackageNames([pages["v2"]], {"v2": [page("v2.client_session", path, "Turn")]})
    assert names.link(name)[-1] == TextRun("v2", f"{path}#{anchor}")
