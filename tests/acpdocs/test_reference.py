"""The reference is complete, its examples work, and its links resolve."""

from __future__ import annotations

import asyncio
import html
import importlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any, get_origin
from urllib.parse import unquote, urlsplit

import black
import griffe
import markdown
import pytest
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import Observation, connect_memory
from acpdocs.content import Block, Example, Exchange, MethodPage, SurfacePages, TextRun
from acpdocs.facts.package import docstrings
from acpdocs.markdown import CODE, PageRenderer, code, escape, imports, python_example
from acpdocs.menu import surface_tab
from acpdocs.pages.guides import sample_extension
from acpdocs.pages.surface import extension_pages, surface_pages
from acpdocs.site import surface_texts, write_sources
from acpdocs.zensical.building import BuildError, build_site
from acpgen.analysis.surface import build
from acpgen.common.paths import TEMPLATES
from acpgen.diff.changes import Change
from acpgen.diff.compare import compare
from acpgen.emit.contexts.codec import CodecContext
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.ir.model import Alias, Capability, Enumeration, Record, String, TaggedUnion
from acpgen.ir.surface import Surface
from acpgen.ir.wording import describe_member
from acpgen.schema.document import load_document
from jsonschema import Draft202012Validator

from tests.acpgen.extensions.packages import imported
from tests.examples.driving import HERE, PROGRAMS
from tests.support.paths import GOLDEN, SCHEMA
from tests.support.site import Page, read

# One worker runs these, since each has to read the whole site.
pytestmark = pytest.mark.xdist_group("reference")

NAMES = ("v1", "v1_unstable", "v2", "v2_unstable")
each_surface = pytest.mark.parametrize("name", NAMES)
HOSTILE = (
    "</code></td><script>alert(1)</script> | `tick` **bold** [a](javascript:x) {{ 7*7 }} \x02\n# h"
)


@pytest.fixture(scope="module")
def pages(surfaces: dict[str, Surface]) -> dict[str, SurfacePages]:
    return {pages.name: pages for pages in surface_pages(list(surfaces.values()))}


@pytest.fixture(scope="module")
def sample() -> Surface:
    return sample_extension()


def schema_of(name: str) -> dict[str, Any]:
    """The schema of a surface."""
    version, _, stability = name.partition("_")
    path = SCHEMA / version / f"schema{f'.{stability}' if stability else ''}.json"
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


def at(page: Any) -> str:
    return str(page.path).removesuffix(".md") + ".html"


# --- completeness ----------------------------------------------------------------------------


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
def test_every_method_has_a_page(
    name: str, surfaces: dict[str, Surface], pages: dict[str, SurfacePages], site: dict[str, Page]
) -> None:
    surface = surfaces[name]
    found = [page for side in pages[name].methods.values() for page in side]
    assert len(found) == len(surface.methods) > 20
    assert len({page.path for page in found}) == len(found)
    for page in found:
        shown = site[at(page)]
        assert page.title in shown.text
        assert page.specification is None or page.specification in shown.links
        listed = site[f"{name}/{page.side}.html"]
        assert f"methods/{page.side}/{Path(at(page)).name}" in listed.links
    assert any(page.specification for page in found)


@each_surface
def test_every_capability_has_an_anchor_and_lists_what_needs_it(
    name: str, surfaces: dict[str, Surface], pages: dict[str, SurfacePages], site: dict[str, Page]
) -> None:
    needed: dict[tuple[str, str], int] = {}
    for method in surfaces[name].methods:
        capabilities = [method.capability] if method.capability else []
        for capability in [*capabilities, *(need.capability for need in method.needs)]:
            key = (method.side, capability.pointer)
            needed[key] = needed.get(key, 0) + 1
    rows = {
        (side, row.pointer): row for side, rows in pages[name].capabilities.items() for row in rows
    }
    assert len(needed) > 5
    assert {key: len(rows[key].needed_by) for key in needed} == needed
    assert not any(row.needed_by for key, row in rows.items() if key not in needed)
    ids = site[f"{name}/capabilities.html"].ids
    assert all(row.anchor in ids for row in rows.values())


def test_parts_that_the_stable_surface_lacks_are_marked_unstable(
    surfaces: dict[str, Surface], pages: dict[str, SurfacePages], site: dict[str, Page]
) -> None:
    for version in ("v1", "v2"):
        stable, unstable = surfaces[version], surfaces[f"{version}_unstable"]
        expected = {*CodecContext(unstable).class_names()} - {*CodecContext(stable).class_names()}
        marked = {page.name for page in pages[unstable.name].types if page.unstable}
        assert marked == expected
        assert marked
        for definition in unstable.definitions.values():
            known = stable.definitions.get(definition.name)
            if isinstance(definition, Record) and isinstance(known, Record):
                new = {m.wire for m in definition.members} - {m.wire for m in known.members}
                page = next(p for p in pages[unstable.name].types if p.name == definition.name)
                assert {m.wire for m in page.members if m.unstable} == new
        shown = [page for page in pages[version].types if page.unstable]
        shown += [p for side in pages[version].methods.values() for p in side if p.unstable]  # type: ignore[misc]
        assert shown == []
        assert "unstable" in site[f"{version}_unstable/types/{min(marked)}.html"].text


@each_surface
def test_presence_tells_where_null_is_valid(name: str, pages: dict[str, SurfacePages]) -> None:
    """Presence agrees with an independent validator of the schema."""
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
def test_declarations_are_those_of_the_package(
    name: str, pages: dict[str, SurfacePages], site: dict[str, Page]
) -> None:
    module = importlib.import_module(f"acp_bindings.{name}.types")
    classes = 0
    for page in pages[name].types:
        form, code = getattr(module, page.name), page.signature.code
        head, is_alias, alias = code.partition(": TypeAlias = ")
        if is_alias:
            assert head == page.name
            plain = form.__origin__ if get_origin(form) is Annotated else form
            assert eval(alias, vars(module)) == plain
        else:
            lines = [line.strip().partition(" = ")[0] for line in code.split("\n")[1:]]
            types = {field.name: str(field.type).replace("'", '"') for field in fields(form)}
            assert lines == [f"{member}: {type_}" for member, type_ in types.items()]
            classes += 1
        _, _, after = site[at(page)].text.partition(" ".join(code.split()))
        assert after.strip().startswith(page.description[0].replace("`", "")[:20])
    assert 100 < classes < len(pages[name].types)


# --- examples --------------------------------------------------------------------------------


@each_surface
def test_examples_decode_strictly_and_encode_to_what_is_printed(
    name: str, surfaces: dict[str, Surface], pages: dict[str, SurfacePages], site: dict[str, Page]
) -> None:
    module = importlib.import_module(f"acp_bindings.{name}")
    schema = schema_of(name)
    lenient = 0
    for page in pages[name].types:
        example = page.example
        assert example is not None, page.name
        form = getattr(module, page.name)
        value = eval(example.python, {each: getattr(module, each) for each in example.classes})
        assert json.dumps(module.encode(value, form), indent=2) == example.json
        assert module.decode(form, json.loads(example.json), strict=example.strict) == value
        lenient += not example.strict
        if page.name in schema["$defs"]:
            one = {**schema, "$ref": f"#/$defs/{page.name}"}
            for combiner in ("anyOf", "oneOf", "allOf"):
                one.pop(combiner, None)
            Draft202012Validator(one).validate(example.value)
        shown = site[at(page)].text
        assert " ".join(example.json.split()) in shown
    kept = [d for d in surfaces[name].definitions.values() if isinstance(d, TaggedUnion)]
    assert lenient == sum(1 for d in kept if d.unknown is not None and d.unknown.synthetic)


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


def test_printed_code_runs(pages: dict[str, SurfacePages], sample: Surface) -> None:
    extended = extension_pages(sample, "acme_sample")
    assert len(extended.types) == len(sample.definitions)
    with imported(sample, "acme_sample"):
        for surface in (*pages.values(), extended):
            for page in surface.types:
                example = page.example
                assert isinstance(example, Example)
                code = python_example(example, surface.name, page.name, surface.package)
                *lines, last = code.removeprefix("```python\n").removesuffix("\n```").split("\n")
                names: dict[str, Any] = {}
                exec("\n".join([*lines, f"shown = {last}"]), names)
                assert names["shown"] == example.value


# --- versions side by side -------------------------------------------------------------------


@pytest.mark.parametrize("pair", [("v1", "v2"), ("v1_unstable", "v2_unstable")])
def test_every_difference_of_the_versions_is_on_both_pages(
    pair: tuple[str, str], surfaces: dict[str, Surface], pages: dict[str, SurfacePages]
) -> None:
    old, new = (pages[name] for name in pair)
    changes = compare(*(surfaces[name] for name in pair))
    inside = [c for c in changes if c.subject not in ("definition", "method")]
    inside += [
        c for c in changes if c.action == "renamed" and c.subject in ("definition", "method")
    ]
    for surface in (old, new):
        every: list[Any] = [*surface.types, *(p for s in surface.methods.values() for p in s)]
        rows = [row for page in every if page.counterpart for row in page.counterpart.differences]
        shown = {(row.aspect, row.before, row.after) for row in rows}
        assert {_words(change) for change in inside} <= shown
        assert len(rows) >= len(inside) > 100
    names = {page.name: page for page in old.types}
    counterpart = names["SessionNotification"].counterpart
    assert counterpart is not None
    assert counterpart.link is not None
    assert counterpart.link.target == f"{pair[1]}/types/UpdateSessionNotification.md"


def _words(change: Change) -> tuple[str, str, str]:
    action = "" if change.action == "changed" else f" {change.action}"
    return f"{change.subject}{action}", change.before or "", change.after or ""


# --- links, offline, hostile text ------------------------------------------------------------


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


@pytest.mark.parametrize("surface", ["", *NAMES])
def test_the_index_of_the_search_has_everything_once(
    surface: str, built: Path, site: dict[str, Page]
) -> None:
    index = json.loads((built / surface / "search.json").read_text(encoding="utf-8"))
    found: dict[tuple[str, str, str], str] = {}
    for item in index["items"]:
        path, _, anchor = os.path.normpath(os.path.join(surface, item["location"])).partition("#")
        assert not anchor or unquote(anchor) in site[path].ids
        folder, _, page = path.partition("/")
        thing = (page if folder in NAMES else path, anchor, item["title"])
        assert thing not in found
        found[thing] = folder
    assert len(found) > 1000
    types = Counter(folder for (page, _, _), folder in found.items() if page.startswith("types/"))
    assert not surface or max(types, key=types.__getitem__) == surface


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
                # One without a description of its own has the summary.
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
    """The golden schema has all kinds of shapes, and fewer types than the protocol."""
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
    # Nothing is said about the place of its methods in a conversation.
    place = ((TextRun(HOSTILE), TextRun(HOSTILE, code=True)),)
    content = replace(
        content,
        methods={
            side: tuple(replace(page, place=place) for page in pages)
            for side, pages in content.methods.items()
        },
    )
    texts = surface_texts(PageRenderer(TEMPLATES / "reference"), content, [])
    texts["guides/states.md"] = "# States\n\n## Repairs\n"  # pages link to it
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


def test_escaped_text_reads_unchanged() -> None:
    text = "a *b* `c` | <d> & [e](f) 1. # ~ \\ é"
    escaped = escape(text)
    assert not re.search(r"[*`|<>\[\]()\\]", escaped)
    assert html.unescape(escaped) == text


@pytest.mark.parametrize(
    "text", ["_meta", 'a = "b"', "*a* [b](c) {d}", " a", "", "a|b", "`a` b", "<a>", "&lt;", "a\\"]
)
def test_code_reads_unchanged_in_a_table(text: str) -> None:
    extensions = ["attr_list", "tables", "acpdocs.zensical.dialect"]
    page = markdown.markdown(f"| a |\n|---|\n| {code(text, 'here')} |", extensions=extensions)
    found = re.search('<td><code id="here">(.*)</code></td>', page)
    assert found
    assert html.unescape(found[1]) == text


@pytest.mark.parametrize("names", [["a"], ["b", "a"], ["a" * 60], [f"name_{n}" for n in range(9)]])
def test_imports_are_in_the_style_of_black(names: list[str]) -> None:
    lines = f"from acp_bindings import v2\nfrom acp_bindings.v1 import {', '.join(sorted(names))}\n"
    written = imports("acp_bindings.v1", [*names, "v2.ToolCall"])
    assert f"{written}\n" == black.format_str(lines, mode=CODE)


def test_the_command_replaces_what_was_there(built: Path) -> None:
    written = [path for path in (built.parent / "docs").rglob("*") if path.is_file()]
    assert len(written) > 1000
    assert not (built.parent / "docs" / "v3").exists()


def test_a_link_that_leads_nowhere_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Start\n\n[gone](gone.md)\n", encoding="utf-8")
    (tmp_path / "zensical.toml").write_text('[project]\nsite_name = "x"\n', encoding="utf-8")
    with pytest.raises(BuildError, match="page does not exist"):
        build_site(tmp_path)


# --- the messages and the Python on the pages of methods: each example calls the other -------


@pytest.fixture(scope="module")
def methods(pages: dict[str, SurfacePages]) -> dict[str, list[MethodPage]]:
    return {
        name: [page for side in each.methods.values() for page in side]
        for name, each in pages.items()
    }


def exchanges(pages: list[MethodPage]) -> Iterator[tuple[MethodPage, Exchange]]:
    for page in pages:
        assert page.exchange is not None, page.title
        yield page, page.exchange


@each_surface
def test_messages_decode_strictly(name: str, methods: dict[str, list[MethodPage]]) -> None:
    surface = importlib.import_module(f"acp_bindings.{name}")
    for page, exchange in exchanges(methods[name]):
        message = json.loads(exchange.message)
        surface.decode(surface.TYPES[page.params.text], message["params"], strict=True)
        assert ("id" in message) == (page.kind == "request") == (exchange.response is not None)
        if exchange.response is not None and exchange.error is not None:
            assert page.result is not None
            result = json.loads(exchange.response)["result"]
            surface.decode(surface.TYPES[page.result.text], result, strict=True)
            surface.decode(surface.Error, json.loads(exchange.error)["error"], strict=True)
    assert len(methods[name]) > 20


def is_between_client_and_agent(page: MethodPage) -> bool:
    return page.side in ("agent", "client", "protocol")


@pytest.mark.filterwarnings("ignore:MyAgent|MyClient|nothing calls My")  # a page has one method
@each_surface
def test_printed_callers_and_handlers_exchange_the_printed_messages(
    name: str, methods: dict[str, list[MethodPage]]
) -> None:
    pages = list(filter(is_between_client_and_agent, methods[name]))
    [handshake] = [each for page, each in exchanges(pages) if page.title == "initialize"]
    for page, exchange in exchanges(pages):
        lines = asyncio.run(_run(name, exchange, handshake))
        assert exchange.message in lines, page.title
        assert exchange.response is None or exchange.response in lines, page.title
    assert len(pages) > 20


async def _run(name: str, exchange: Exchange, handshake: Exchange) -> list[str]:
    """Let the printed caller call the printed handler; the messages, laid out as on the page."""
    surface = importlib.import_module(f"acp_bindings.{name}")
    names = _names(exchange)
    first = _names(handshake)
    lines: list[str] = []

    # Two agents of the pages in one.
    parts = [each["MyAgent"] for each in (names, first) if "MyAgent" in each]
    agent_class = type("Agent", tuple(dict.fromkeys(parts)), {})

    class AgentStub(surface.AgentStub):  # type: ignore[misc]
        def check(self, method: object, params: object) -> None:
            """Send it without the capability that the printed handshake does not advertise."""

    class ClientStub(surface.ClientStub):  # type: ignore[misc]
        check = AgentStub.check

    # The client, as the agent sees it.
    clients: list[Any] = []

    def agent(peer: Any) -> Any:
        clients.append(ClientStub(peer))
        return agent_class(peer)

    def note(seen: Observation) -> None:
        # Each connection numbers its own requests; on the pages, all have the same number.
        message = json.loads(seen.line)
        lines.append(json.dumps({**message, **({"id": 1} if "id" in message else {})}, indent=2))

    client = names.get("MyClient", surface.ClientHandler)
    async with connect_memory({surface: agent}, client, observe=note) as peer:
        if exchange is not handshake:
            await first["call"](AgentStub(peer))
        if "MyAgent" in names:
            await names["call"](AgentStub(peer))
            await peer.drain()
        else:
            await names["call"](clients[0])
            # What the agent has sent arrives before the answer to a later request of the client.
            with suppress(RequestError):
                await AgentStub(peer).ext_request("_last", {})
    return lines


def _names(exchange: Exchange) -> dict[str, Any]:
    """What the printed code defines."""
    names: dict[str, Any] = {}
    exec(exchange.calling, names)
    exec(exchange.handling, names)
    return names


def test_printed_code_passes_type_checkers(
    methods: dict[str, list[MethodPage]], tmp_path: Path
) -> None:
    for name, pages in methods.items():
        for number, (_, exchange) in enumerate(exchanges(pages)):
            (tmp_path / f"{name}_{number}_calling.py").write_text(exchange.calling + "\n")
            (tmp_path / f"{name}_{number}_handling.py").write_text(exchange.handling + "\n")
    assert len(list(tmp_path.iterdir())) > 200
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout


# --- the pages of modules show everything public, inherited names included, and link the types ---


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


def test_docstrings_keep_their_lists_and_code(built: Path) -> None:
    text = "First.\n\n- One\n  `two`.\n- Three.\n\n    if a:\n\n        b()\n\nLast."
    function = griffe.Function("f", docstring=griffe.Docstring(text))
    assert docstrings.blocks(function) == (
        Block("text", "First."),
        Block("list", "", (("", "One `two`."), ("", "Three."))),
        Block("code", "if a:\n\n    b()"),
        Block("text", "Last."),
    )
    page = (built / "testing" / "api" / "index.html").read_text(encoding="utf-8")
    assert "<li>Text: the agent says it, in one chunk.</li>" in page


# --- the site has the pages of a sample extension: the one of the guide about extensions -----


def test_each_type_and_method_has_a_page(sample: Surface, built: Path) -> None:
    assert sample.methods
    assert sample.definitions
    for name in sample.definitions:
        assert (built / "acme" / "types" / f"{name}.html").exists()
    for method in sample.methods:
        page = (built / "acme" / "methods" / method.side / f"{method.name}.html").read_text()
        assert str(method.wire) in page


def test_types_of_the_protocol_are_linked_and_have_no_pages_of_their_own(
    sample: Surface, built: Path
) -> None:
    assert sample.foreign
    text = (built / "acme" / "types" / "SessionUpdate.html").read_text()
    assert 'href="../../v2/types/SessionUpdate.html"' in text
    assert {each.stem for each in (built / "acme" / "types").iterdir()} == {*sample.definitions}


def test_a_capability_of_an_extension_is_shown(sample: Surface) -> None:
    capability = Capability("/capabilities/_meta/acme", ("capabilities", "meta", "acme"))
    methods = tuple(replace(each, capability=capability) for each in sample.methods)
    [page, *_] = extension_pages(replace(sample, methods=methods), "acme").methods["agent"]
    assert page.capability is not None
    assert (page.capability.text, page.capability.target) == (capability.pointer, None)


def test_the_example_programs_are_complete_on_the_site(site: dict[str, Page]) -> None:
    page = site["guides/examples.html"]
    for name in PROGRAMS:
        code = (HERE / name).read_text(encoding="utf-8")
        assert "".join(code.split()) in "".join(page.text.split()), name
        assert {Path(name).stem, f"{Path(name).stem}-page"} & {*page.ids}, name
    for guide, name in (
        ("agent", "agent_with_tools"),
        ("agent", "coder"),
        ("client", "editor"),
        ("remote", "websocket"),
    ):
        assert f"examples.html#{name}" in site[f"guides/{guide}.html"].links
