"""Tests that the tables in the guide "From v1 to v2" match `acpgen diff v1 v2`."""

from __future__ import annotations

import re
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.testing import Client
from acpgen.diff.changes import Change
from acpgen.diff.compare import compare
from acpgen.ir.surface import Surface

from tests.support.guides import defining
from tests.support.paths import GUIDE_TEMPLATES

GUIDE = "v1-to-v2.md"
PAGE = GUIDE_TEMPLATES / GUIDE
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def changes(surfaces: dict[str, Surface]) -> list[Change]:
    return compare(surfaces["v1"], surfaces["v2"])


def rows(marker: str) -> list[tuple[list[str], list[str], str]]:
    """Return the rows of the table after a marker: old names, new names, and the advice."""
    table = TEXT.split(f"<!-- {marker} -->\n\n")[1].split("\n\n")[0]
    found = [re.findall(r"(?<=\|)[^|]*(?=\|)", line) for line in table.splitlines()[2:]]
    return [
        (re.findall(r"`([^`]+)`", old), re.findall(r"`([^`]+)`", new), advice.strip())
        for old, new, advice in found
    ]


def cells(marker: str, column: int) -> list[str]:
    names: list[str] = []
    for row in rows(marker):
        names += row[column]
    return names


# --- tables with advice ----------------------------------------------------------------------


def test_each_method_that_changes_its_name_is_there(changes: list[Change]) -> None:
    methods = [each for each in changes if each.subject == "method"]
    gone = {each.name for each in methods if each.action in ("removed", "renamed")}
    new = {each.name for each in methods if each.action == "added"}
    new |= {str(each.after) for each in methods if each.action == "renamed"}
    assert gone
    assert sorted(cells("changes of methods", 0)) == sorted(gone)
    named = cells("changes of methods", 1)
    assert new <= set(named), f"name the new ones in {GUIDE}"
    assert set(named) <= {*v2.AGENT_METHODS, *v2.CLIENT_METHODS}


def test_each_kind_of_update_that_comes_or_goes_is_there(changes: list[Change]) -> None:
    arms = {
        (each.action, found[1])
        for each in changes
        if each.subject == "variant" and (found := re.match(r"SessionUpdate\[(\w+)\]", each.name))
    }
    gone = {tag for action, tag in arms if action == "removed"}
    new = {tag for action, tag in arms if action == "added"}
    assert gone
    assert sorted(cells("changes of updates", 0)) == sorted(gone)
    # In addition to new update types, the table lists existing types that replace removed types.
    named = set(cells("changes of updates", 1))
    assert new <= named, f"name the new ones in {GUIDE}"
    assert named - new
    for tag in named - new:
        members = {"toolCallId": "t", "configOptions": []}
        update = v2.decode(v2.SessionUpdate, {"sessionUpdate": tag, **members})
        assert not isinstance(update, v2.UnknownSessionUpdate)


def test_each_change_of_a_question_is_there(changes: list[Change]) -> None:
    words = {"removed": "removed", "added": "new", "changed": "changed"}
    found = {
        (each.name.partition(".")[2], words[each.action])
        for each in changes
        if each.name.startswith("RequestPermissionRequest.")
    }
    table = TEXT.split("<!-- changes of permissions -->\n\n")[1].split("\n\n")[0]
    _, *listed = re.findall(r"^\| `(\w+)` \| (\w+) \| .+ \|$", table, re.M)
    assert found
    assert sorted(listed) == sorted(found)


# --- tables without ----------------------------------------------------------------------------


def capabilities(changes: list[Change]) -> str:
    """Return the table of messages that require a different capability in protocol 2."""
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for each in changes:
        if each.subject == "capability":
            method, _, member = each.name.partition(".")
            found = re.fullmatch(r"\w+\[(\w+)\]", member)  # `prompt[ImageContent]`
            key = found[1] if found else member, each.before or "", each.after or ""
            grouped.setdefault(key, []).append(f"`{method}`")
    lines = ["| message | protocol 1 | protocol 2 |", "|---|---|---|"]
    for (content, before, after), methods in grouped.items():
        if _member(before) == _member(after):
            continue  # only the parent field was renamed
        assert not before.startswith("/clientCapabilities/"), "the guide covers only agents"
        asked = " or ".join(methods) + f" with `{content}`" if content else ", ".join(methods)
        lines.append(f"| {asked} | {_member(before)} | {_member(after)} |")
    return "\n".join(lines)


def _member(pointer: str) -> str:
    _, _, path = pointer.strip("/").partition("/")
    return f"`{path.replace('/', '.')}`" if path else "-"


def names(changes: list[Change]) -> str:
    lines = ["| protocol 1 | protocol 2 |", "|---|---|"]
    for each in changes:
        if each.action == "renamed" and each.subject in ("definition", "field"):
            owner = each.name.rpartition(".")[0]
            after = f"{owner}.{each.after}" if owner else each.after
            lines.append(f"| `{each.name}` | `{after}` |")
    return "\n".join(lines)


@pytest.mark.parametrize(("marker", "make"), [("capabilities", capabilities), ("names", names)])
def test_the_table_is_what_the_comparison_finds(
    marker: str, make: Any, changes: list[Change], request: pytest.FixtureRequest
) -> None:
    text = PAGE.read_text(encoding="utf-8")
    start, end = f"<!-- {marker} -->\n\n", f"<!-- end of {marker} -->"
    before, _, rest = text.partition(start)
    _, found, after = rest.partition(end)
    assert found
    table = make(changes)
    assert table.count("\n") > 10
    expected = f"{before}{start}{table}\n\n{end}{after}"
    if request.config.getoption("--update-goldens"):
        PAGE.write_text(expected, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == expected


# --- code ------------------------------------------------------------------------------------


async def test_the_handler_answers_in_the_background() -> None:
    async with Client(defining(GUIDE, "Echo")["Echo"], version=2) as client:
        turn = await client.prompt("Hi")
        turn.expect("Hi")
        assert turn.stop_reason == "end_turn"


@pytest.mark.parametrize("is_allowed", [True, False])
@pytest.mark.parametrize(("version", "refusal"), [(1, "cancelled"), (2, "_sure")])
async def test_permission_is_asked_in_both(version: int, refusal: str, is_allowed: bool) -> None:
    surface: Any = {1: v1, 2: v2}[version]
    name = f"may_delete_v{version}"

    class Asker(surface.SessionAgent):  # type: ignore[misc]
        async def turn(self, session: Any, params: Any) -> None:
            await session.say(str(await defining(GUIDE, name)[name](session)))

    refuses = {"session/request_permission": {"outcome": {"outcome": refusal}}}
    answers = {} if is_allowed else refuses
    async with Client(Asker, version=version, answers=answers) as client:
        (await client.prompt("Hi")).expect(str(is_allowed), exactly=version == 1)
