"""Tests that the type pages are complete and agree with the schema and the package."""

from __future__ import annotations

import html
import importlib
import json
from collections.abc import Iterable

import pytest
from acpdocs.content import Example, RichText, SurfacePages, TypePage
from acpgen.emit.contexts.codec import CodecContext
from acpgen.ir.model import Alias, Enumeration, Record, TaggedUnion
from acpgen.ir.surface import Surface
from acpgen.ir.wording import describe_member
from jsonschema import Draft202012Validator

from tests.acpdocs.reference import at, each_surface, on_one_worker, schema_of
from tests.support.site import Page

pytestmark = on_one_worker


@each_surface
def test_every_type_has_a_page_with_all_its_members(
    name: str, surfaces: dict[str, Surface], pages: dict[str, SurfacePages], site: dict[str, Page]
) -> None:
    surface = surfaces[name]
    raw = schema_of(name)["$defs"]
    by_name = {page.name: page for page in pages[name].types}
    assert sorted(by_name) == CodecContext(surface).class_names()
    listed = {definition.definition for definition in surface.definitions.values()} - {None}
    assert len(listed) > 150
    assert listed <= raw.keys()
    assert all(raw[each].get("x-docs-ignore") for each in raw.keys() - listed)
    members = 0
    for definition in surface.definitions.values():
        page = site[at(by_name[definition.name])]
        assert html.unescape(definition.pointer) in page.text
        own = definition.members if isinstance(definition, Record) else ()
        repaired = [each for each in own if each.on_error or each.on_null or each.skip_invalid]
        assert ("../../guides/states.html#repairs" in page.links) == bool(repaired)
        for member in own:
            members += 1
            assert f"member-{member.name}" in page.ids
            assert member.wire in page.text
            meaning = describe_member(surface, definition.name, member)
            assert meaning
            assert meaning in page.text
        if isinstance(definition, Alias) and isinstance(definition.shape, Enumeration):
            assert all(str(value) in page.text for value in definition.shape.values)
        if isinstance(definition, TaggedUnion):
            assert all(arm.tag in page.text for arm in definition.arms)
    assert members > 400
    unknown = [page for page in pages[name].types if page.kind == "class for other tags"]
    rows = [(page, row) for page in unknown for row in page.members]
    assert len(rows) > 5
    assert all(row.description and row.description in site[at(page)].text for page, row in rows)


@each_surface
def test_presence_tells_where_null_is_valid(name: str, pages: dict[str, SurfacePages]) -> None:
    """Pages call a field nullable if and only if a JSON Schema validator accepts null for it."""
    definitions = schema_of(name)["$defs"]
    found: dict[bool, int] = {True: 0, False: 0}
    for page in pages[name].types:
        stated = definitions.get(page.name, {}).get("properties", {})
        for member in page.members:
            if member.wire in stated:
                one = {"$defs": definitions, "allOf": [stated[member.wire]]}
                takes_null = Draft202012Validator(one).is_valid(None)
                assert ("nullable" in member.presence) == takes_null, (page.name, member.wire)
                found[takes_null] += 1
    assert min(found.values()) > 100


@each_surface
def test_what_a_union_adds_to_an_arm_is_what_encode_writes(
    name: str, pages: dict[str, SurfacePages]
) -> None:
    module = importlib.import_module(f"acp_bindings.{name}")
    added = [(page, each) for page in pages[name].types for each in page.as_arm]
    assert len(added) > 20
    for page, (pair, _, union) in added:
        assert isinstance(page.example, Example)
        form = getattr(module, page.name)
        value = module.encode(module.decode(form, page.example.value), getattr(module, union.text))
        assert value == page.example.value | json.loads(f"{{{pair.text}}}")
        assert value != page.example.value


def page_of(name: str, pages: dict[str, SurfacePages]) -> TypePage:
    """Return the page of a type in a surface, such as `v1.Cost`."""
    surface, _, type_ = name.partition(".")
    return next(page for page in pages[surface].types if page.name == type_)


def text(runs: RichText) -> str:
    return "".join(run.text for run in runs)


def texts(parts: Iterable[RichText]) -> list[str]:
    return [text(runs) for runs in parts]


@pytest.mark.parametrize("name", ["v1.TextContent", "v2.TextContent"])
def test_a_type_names_the_unions_of_which_it_is_a_variant(
    name: str, pages: dict[str, SurfacePages]
) -> None:
    expected = ['"type": "text" as a variant of ContentBlock']
    assert texts(page_of(name, pages).as_arm) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("v1.PermissionOptionKind", "Closed: any other value is an error."),
        (
            "v1.StopReason",
            "Closed by the schema. Default mode accepts any other string and reports it; strict"
            " mode rejects it. In Python, its type is Unlisted.",
        ),
        (
            "v2.StopReason",
            "Open: any other string is also valid. In Python, its type is Unlisted.",
        ),
        (
            "v1.ContentBlock",
            "Closed by the schema. Default mode decodes any other tag as UnknownContentBlock and"
            " reports it; strict mode rejects it. KnownContentBlock is the union without it.",
        ),
        (
            "v2.ContentBlock",
            "Open: any other tag is decoded as UnknownContentBlock. KnownContentBlock is the union"
            " without it.",
        ),
        (
            "v1.ErrorCode",
            "Open: any other integer -2147483648..2147483647 is also valid.",
        ),
        ("v1.TextContent", ""),
    ],
)
def test_a_type_tells_what_happens_to_unknown_tags_and_values(
    name: str, expected: str, pages: dict[str, SurfacePages]
) -> None:
    assert text(page_of(name, pages).unlisted) == expected


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("v1.PromptRequest", "Params and results"),
        ("v1.ContentBlock", "Unions"),
        ("v1.TextContent", "Variants of unions"),
        ("v1.SessionMode", "Other objects"),
        ("v1.StopReason", "Enumerations and aliases"),
        ("v1.SessionId", "Enumerations and aliases"),
    ],
)
def test_types_are_listed_in_groups(name: str, group: str, pages: dict[str, SurfacePages]) -> None:
    assert page_of(name, pages).group == group


def test_a_member_names_its_presence(pages: dict[str, SurfacePages]) -> None:
    members = page_of("v1.SessionMode", pages).members
    assert {member.wire: member.presence for member in members} == {
        "id": "required",
        "name": "required",
        "description": "optional, nullable",
        "_meta": "optional, nullable",
    }


def test_a_member_names_the_capabilities_that_it_needs(pages: dict[str, SurfacePages]) -> None:
    members = page_of("v1.PromptRequest", pages).members
    capabilities = "/agentCapabilities/promptCapabilities"
    assert {member.wire: texts(member.needs) for member in members} == {
        "sessionId": [],
        "prompt": [
            f"{capabilities}/audio for AudioContent",
            f"{capabilities}/embeddedContext for EmbeddedResource",
            f"{capabilities}/image for ImageContent",
        ],
        "_meta": [],
    }


def test_a_removed_variant_leads_to_its_successor(pages: dict[str, SurfacePages]) -> None:
    links = [each.link for each in page_of("v1.ToolCall", pages).surface_links]
    assert [link and link.target for link in links] == [
        "v1/types/ToolCall.md",
        "v1_unstable/types/ToolCall.md",
        "v2/types/ToolCallUpdate.md",
        "v2_unstable/types/ToolCallUpdate.md",
    ]
