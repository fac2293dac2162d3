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
    call = ApiEntry("call", "Peer.call", Signature("def call()", {}), ())
    peer = ApiEntry("Peer", "Peer", Signature("class Peer", {}), (), members=(call,))
    page = ApiPage("runtime/api/aio.md", "acp_bindings.runtime.aio", (), (peer,), ())
    assert PackageNames([], {"runtime": [page]}).link(name) == (TextRun(name, target, code=True),)
