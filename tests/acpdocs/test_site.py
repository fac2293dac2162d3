"""Tests of the site: links resolve, no external resources are loaded, and text is escaped."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from acpdocs.content import TextRun
from acpdocs.markdown import PageRenderer
from acpdocs.menu import surface_tab
from acpdocs.pages.surface import surface_pages
from acpdocs.site import surface_texts, write_sources
from acpdocs.zensical.building import build_site
from acpgen.analysis.surface import build
from acpgen.common.paths import TEMPLATES
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.ir.model import Enumeration, Record, String, TaggedUnion
from acpgen.schema.document import load_document

from tests.acpdocs.reference import on_one_worker
from tests.support.paths import GOLDEN
from tests.support.site import Page, read

pytestmark = on_one_worker


HOSTILE = (
    "</code></td><script>alert(1)</script> | `tick` **bold** [a](javascript:x) {{ 7*7 }} \x02\n# h"
)


def test_all_links_resolve(site: dict[str, Page]) -> None:
    count = 0
    for path, page in site.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), parts.path))
            target = target if parts.path else path
            if target.endswith(".html"):
                count += 1
                assert target in site, (path, link)
                assert not parts.fragment or unquote(parts.fragment) in site[target].ids, link
    assert count > 10_000


def test_nothing_is_loaded_from_elsewhere(site: dict[str, Page]) -> None:
    for page in site.values():
        assert page.loaded
        assert not any(urlsplit(address).netloc for address in page.loaded)
        foreign = [link for link in page.links if urlsplit(link).netloc]
        assert all(link.startswith("https://") for link in foreign)
        assert len({urlsplit(link).netloc for link in foreign}) <= 3


def _spoiled(definition: Any) -> Any:
    definition = replace(definition, description=HOSTILE, pointer=definition.pointer + HOSTILE)
    if isinstance(definition, Record):
        members = tuple(
            replace(
                member,
                wire=member.wire + HOSTILE,
                # If a field has no description, the page shows its summary.
                description=HOSTILE if member.required else None,
                shape=(
                    String(0, f"|{HOSTILE}") if isinstance(member.shape, String) else member.shape
                ),
            )
            for member in definition.members
        )
        return replace(definition, members=members, subtypes=(), discriminator=None)
    if isinstance(definition, TaggedUnion):
        arms = tuple(replace(arm, tag=arm.tag + HOSTILE) for arm in definition.arms)
        return replace(definition, tag=definition.tag + HOSTILE, arms=arms)
    if isinstance(definition.shape, Enumeration) and isinstance(definition.shape.base, String):
        values = tuple(f"{value}{HOSTILE}" for value in definition.shape.values)
        shape = replace(definition.shape, values=values, descriptions=(HOSTILE,) * len(values))
        return replace(definition, shape=shape)
    return definition


def test_text_of_a_schema_is_escaped(tmp_path: Path) -> None:
    """The golden schema contains every kind of shape but has fewer types than the protocol."""
    surface = build(load_document(GOLDEN / "schema.json"), Overlay(), "v2").surface
    definitions = {name: _spoiled(definition) for name, definition in surface.definitions.items()}
    methods = tuple(replace(m, wire=m.wire and f"{m.wire}{HOSTILE}") for m in surface.methods)
    spoiled = replace(
        surface,
        definitions=definitions,
        methods=methods,
        summaries=dict.fromkeys(surface.summaries, HOSTILE),
        member_summaries={
            (definition.name, member.wire): HOSTILE
            for definition in definitions.values()
            if isinstance(definition, Record)
            for member in definition.members
        },
        value_summaries=dict.fromkeys(surface.value_summaries, HOSTILE),
        method_summaries={},
        origin=replace(surface.origin, label=HOSTILE),
    )
    [content] = surface_pages([spoiled])
    # The pages of this surface don't say when methods are called, so add a sentence that must be
    # escaped.
    place = ((TextRun(HOSTILE), TextRun(HOSTILE, code=True)),)
    content = replace(
        content,
        methods={
            side: tuple(replace(page, place=place) for page in pages)
            for side, pages in content.methods.items()
        },
    )
    texts = surface_texts(PageRenderer(TEMPLATES / "reference"), content, [])
    texts["guides/states.md"] = "# States\n\n## Repairs\n"  # reference pages link to this guide
    write_sources(tmp_path, texts, f"[{surface_tab(content, [])}]")
    built = build_site(tmp_path)
    site = read(built)
    seen = " ".join(HOSTILE.replace("\x02", "\\x02").split())
    plain = site["v2/index.html"].tags.count("script")
    spoiled_pages = [
        page for path, page in site.items() if "/types/" in path or "/methods/" in path
    ]
    assert len(spoiled_pages) == len(content.types) + len(methods) > 40
    assert all(seen in page.text for page in spoiled_pages)
    for page in site.values():
        assert page.tags.count("script") == plain
        assert not any(link.startswith("javascript") for link in page.links)
        assert "h" not in page.ids
    for item in json.loads((built / "search.json").read_text(encoding="utf-8"))["items"]:
        assert "<script" not in item["title"]
        assert "<script" not in item["text"]


def test_the_command_replaces_what_was_there(built: Path) -> None:
    written = [path for path in (built.parent / "docs").rglob("*") if path.is_file()]
    assert len(written) > 1000
    assert not (built.parent / "docs" / "v3").exists()
