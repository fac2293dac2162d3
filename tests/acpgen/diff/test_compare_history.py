"""Tests that the reports about the revisions on npm match the raw JSON schemas."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest
from acpgen.analysis.surface import build_source, understand
from acpgen.cli.app import app
from acpgen.common.paths import SCHEMA
from acpgen.diff.changes import Change
from acpgen.diff.report import Report, report
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.sources.files import locate_schemas
from acpgen.ir.surface import Surface
from typer.testing import CliRunner

from tests.acpgen.diff.npm import revision

# One worker runs all these tests, since reading the revisions takes longer than comparing them.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("history")]

VERSIONS = ("0.12.0", "0.20.0", "1.0.0", "1.4.0", "1.7.0", "2.0.0", "2.2.0", "2.3.0", "2.4.0")
PAIRS = list(itertools.pairwise(VERSIONS))
each_pair = pytest.mark.parametrize("pair", PAIRS, ids="-".join)

Definitions: TypeAlias = dict[str, dict[str, Any]]
# Subjects of changes to entire definitions. For such changes, parts aren't reported.
WHOLE = {"kind", "shape", "tag"}


@functools.cache
def surfaces(version: str) -> dict[str, Surface]:
    return {surface.name: surface for surface in understand(revision(version), [])[0]}


@functools.cache
def reported(old: str, new: str) -> Report:
    return report((old, new), surfaces(old), surfaces(new))


@functools.cache
def raw(version: str) -> dict[str, Definitions]:
    """Return the definitions of each surface of a revision, without the envelopes."""
    found: dict[str, Definitions] = {}
    for source in locate_schemas(revision(version), []):
        definitions = json.loads(source.path.read_text("utf-8"))["$defs"]
        found[source.surface] = {
            name: schema for name, schema in definitions.items() if "x-docs-ignore" not in schema
        }
    return found


def schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield a schema and its nested schemas, except schemas in `$ref` and `not`."""
    if not isinstance(schema, dict):
        return
    yield schema
    for key, value in schema.items():
        if key == "properties":
            inner = list(value.values())
        elif key in ("allOf", "anyOf", "oneOf"):
            inner = value
        elif key in ("items", "additionalProperties"):
            inner = [value]
        else:
            inner = []
        for each in inner:
            yield from schemas(each)


def properties(schema: Any) -> set[str]:
    """Return the names of all fields of a definition and its nested schemas."""
    return {name for each in schemas(schema) for name in each.get("properties", ())}


def constants(schema: Any) -> set[str]:
    single = {str(each["const"]) for each in schemas(schema) if "const" in each}
    return single | {str(value) for each in schemas(schema) for value in each.get("enum", ())}


def required(schema: Any) -> set[str]:
    """Return the required fields of a definition, excluding fields of nested schemas."""
    return set(schema.get("required", ())) & set(schema.get("properties", ()))


def stepped(pair: tuple[str, str]) -> Iterator[tuple[list[Change], Definitions, Definitions]]:
    """For each surface in both revisions, yield the changes and the old and new definitions."""
    before, after = raw(pair[0]), raw(pair[1])
    common = sorted(before.keys() & after.keys())
    assert common
    for surface in common:
        named = [each for each in reported(*pair).changes if each.surface == surface]
        yield named, before[surface], after[surface]


def is_in(change: Change, *names: str) -> bool:
    """Return whether a change is in one of the given definitions."""
    return definition_of(change.pointer) in names


@functools.cache
def definition_of(pointer: str) -> str:
    """Return the name of the definition that contains a pointer's target, or an empty string."""
    _, section, name = f"{pointer}//".split("/", 3)[:3]
    return name if section == "$defs" else ""


def partners(named: list[Change], old: Definitions, new: Definitions) -> list[tuple[str, str]]:
    """Return the old and the new name of each definition that both revisions contain."""
    renamed = {
        change.before: change.after
        for change in named
        if (change.subject, change.action) == ("definition", "renamed")
    }
    pairs = [(name, renamed.get(name) or name) for name in old]
    return [(one, other) for one, other in pairs if other in new]


@each_pair
def test_every_definition_that_came_or_went_is_named(pair: tuple[str, str]) -> None:
    for named, old, new in stepped(pair):
        of_definitions = [change for change in named if change.subject == "definition"]
        gone = {c.name for c in of_definitions if c.action in ("removed", "renamed")}
        come = {c.after if c.action == "renamed" else c.name for c in of_definitions} - {
            c.name for c in of_definitions if c.action == "removed"
        }
        assert old.keys() - new.keys() <= gone
        assert new.keys() - old.keys() <= come
        # Definitions that both revisions contain aren't reported as added or removed.
        assert not gone & new.keys()
        assert not come & old.keys()


@each_pair
def test_every_part_that_came_or_went_is_named(pair: tuple[str, str]) -> None:
    """Parts are fields, constants, and entries of `required`."""
    missing: list[str] = []
    for named, old, new in stepped(pair):
        for one, other in partners(named, old, new):
            inside = [
                change
                for change in named
                if is_in(change, one, other) or change.name.startswith((f"{one}[", f"{other}["))
            ]
            if any(change.subject in WHOLE for change in inside):
                continue
            members = properties(old[one]) ^ properties(new[other])
            both = properties(old[one]) & properties(new[other])
            needed = (required(old[one]) ^ required(new[other])) & both
            for change in inside:
                last = change.name.rpartition(".")[2]
                needed.discard(last)
                if change.subject == "field":
                    members -= {last, change.after}
            missing += [f"{one}.{member}" for member in sorted(members | needed)]
            missing += [
                f"{one}[{value}]"
                for value in sorted(constants(old[one]) ^ constants(new[other]))
                if not any(
                    change.name.endswith(f"[{value}]")
                    or value in f"{change.before or ''} {change.after or ''}"
                    for change in inside
                )
            ]
    assert missing == []


@each_pair
def test_every_method_that_came_or_went_is_named(pair: tuple[str, str]) -> None:
    for named, old, new in stepped(pair):
        words = {
            word
            for change in named
            if change.subject == "method"
            for word in (change.name, change.after)
        }
        before, after = (
            {schema["x-method"] for schema in side.values() if "x-method" in schema}
            for side in (old, new)
        )
        assert before ^ after <= words


@each_pair
def test_pointers_lead_into_the_schemas(pair: tuple[str, str]) -> None:
    """Pointers to removed parts refer to the old schema, and other pointers to the new schema."""
    for named, old, new in stepped(pair):
        for change in named:
            side = old if change.action == "removed" else new
            found: Any = {"$defs": side}
            for part in change.pointer.split("/")[1:]:
                key = part.replace("~1", "/").replace("~0", "~")
                found = found[int(key) if isinstance(found, list) else key]


@pytest.mark.parametrize("version", VERSIONS[::4])
def test_no_revision_differs_from_itself(version: str) -> None:
    overlay = load_overlay(SCHEMA / "overlay")
    # Build new surfaces, because comparing the cached ones with themselves would prove nothing.
    built = [build_source(each, overlay, False) for each in locate_schemas(revision(version), [])]
    again = {each.surface.name: each.surface for each in built}
    assert report((version, version), surfaces(version), again).changes == ()


@pytest.mark.parametrize("surface", ["v1", "v1_unstable", "v2", "v2_unstable", None])
def test_2_4_0_changed_nothing(surface: str | None) -> None:
    old, new = revision("2.3.0"), revision("2.4.0")
    options = ("--surface", surface) if surface else ()
    result = CliRunner().invoke(app, ["diff", str(old), str(new), "--json", *options])
    assert result.exit_code == 0, result.stdout
    assert json.loads(result.stdout)["changes"] == []


@pytest.mark.parametrize("pair", PAIRS[:-1], ids="-".join)
def test_exit_code(pair: tuple[str, str]) -> None:
    """Every step except 2.2.0 to 2.3.0 contains a breaking change."""
    folders = [str(revision(version)) for version in pair]
    result = CliRunner().invoke(app, ["diff", *folders, "--json"])
    assert result.exit_code == (1 if pair == ("2.2.0", "2.3.0") else 3)
    counts = json.loads(result.stdout)["counts"]
    assert sum(each["wire"] for each in counts.values()) == len(reported(*pair).changes)
    if pair == ("2.2.0", "2.3.0"):
        assert "v1" not in reported(*pair).surfaces()
