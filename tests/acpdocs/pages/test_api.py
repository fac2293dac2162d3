"""Tests that API pages list all public names, including inherited ones, and link to types.

The tests at the end read the entries of the pages, so they don't need a site.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from acpdocs.content import ApiEntry, TextRun
from acpdocs.pages.api import ApiPages
from acpgen.common import paths

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


# --- entries -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def api() -> ApiPages:
    return ApiPages(paths.PACKAGE, {})


def test_the_runtime_and_each_surface_have_their_modules(api: ApiPages) -> None:
    runtime, v2 = (
        {page.module.removeprefix("acp_bindings.") for page in api.of(folder)}
        for folder in ("runtime", "v2")
    )
    assert {"runtime", "runtime.aio", "kit", "kit.terminals", "remote", "testing"} <= runtime
    assert {"v2", "v2.agent", "v2.client_session", "v2.kit"} <= v2
    assert not {"v2.methods", "v2.types", "v2.codec"} & v2
    assert [name for name in v2 if not name.startswith("v2")] == []
    assert api.of("kit") == []


def test_names_that_a_surface_exports_from_the_kit_have_no_entries(api: ApiPages) -> None:
    [page] = [page for page in api.of("v2") if page.module == "acp_bindings.v2.kit"]
    links = {link.text: link.target for link, _ in page.exported}
    assert links["Dialogs"] == "kit/api/dialogs.md#Dialogs"
    assert links.keys() & {entry.name for entry in page.entries} == set()
    assert "follow" in {*links, *(entry.name for entry in page.entries)}


@pytest.fixture(scope="module")
def entries(api: ApiPages) -> dict[str, ApiEntry]:
    """The entries of all pages and their members, by page and anchor."""
    return {
        f"{page.path}#{entry.anchor}": entry
        for folder in ("runtime", "v2")
        for page in api.of(folder)
        for outer in page.entries
        for entry in (outer, *outer.members)
    }


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("runtime/api/aio.md#Stream", "class Stream(Protocol)"),
        ("runtime/api/aio.md#Stream.read", "async def read() -> bytes"),
        ("runtime/api/aio.md#Stream.write", "def write(data: bytes) -> None"),
        ("runtime/api/aio.md#Message.parse", "def parse() -> Any"),
        (
            "kit/api/terminals.md#Terminal.exit_status",
            "@property\ndef exit_status() -> ExitStatus | None",
        ),
        ("kit/api/terminals.md#Terminal", "class Terminal(Command)"),
        (
            "kit/api/terminals.md#OnOutput",
            'OnOutput: TypeAlias = "Callable[[Terminal, str], object]"',
        ),
    ],
)
def test_a_signature_is_that_of_the_source(
    place: str, code: str, entries: dict[str, ApiEntry]
) -> None:
    assert entries[place].signature.code == code


def test_a_signature_shows_the_decorator_of_a_context(entries: dict[str, ApiEntry]) -> None:
    code = entries["runtime/api/aio.md#connect"].signature.code
    assert code.startswith("@asynccontextmanager\nasync def connect(\n    stream: Stream |")
    assert code.endswith("\n) -> AsyncGenerator[Peer]")


def test_names_in_a_signature_are_links(entries: dict[str, ApiEntry]) -> None:
    links = entries["runtime/api/aio.md#connect"].signature.links
    assert links["Peer"] == "runtime/api/aio.md#Peer"
    assert links["Limits"] == "runtime/api/jsonrpc.md#Limits"
    assert "str" not in links


@pytest.mark.parametrize(
    ("place", "name", "type_"),
    [
        ("kit/api/terminals.md#ExitStatus", "exit_code", "int | None"),
        ("kit/api/terminals.md#Terminal", "session_id", "str"),  # of the parameter with this name
        ("kit/api/terminals.md#Terminal", "is_released", "bool"),  # of its first value
        ("kit/api/terminals.md#Terminal", "id", ""),
        ("runtime/api/session.client.md#ClientSession", "running_calls", "RunningCalls"),
    ],
)
def test_an_attribute_has_the_type_that_the_source_states_or_implies(
    place: str, name: str, type_: str, entries: dict[str, ApiEntry]
) -> None:
    rows = {row.name: row for row in entries[place].attributes}
    assert rows[name].type.code == type_
    assert rows[name].description


def test_an_inherited_member_names_its_class(entries: dict[str, ApiEntry]) -> None:
    home = TextRun("Command", "kit/api/terminals.md#Command", code=True)
    members = entries["kit/api/terminals.md#Terminal"].members
    assert home in [member.inherited for member in members]
    assert [each.inherited for each in members if each.name == "__init__"] == [None]


def test_private_names_are_left_out(entries: dict[str, ApiEntry]) -> None:
    assert len(entries) > 500
    names = {entry.name for entry in entries.values()}
    names |= {row.name for entry in entries.values() for row in entry.attributes}
    assert {name for name in names if name.startswith("_")} == {"__init__"}
