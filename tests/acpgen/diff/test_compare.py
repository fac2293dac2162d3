"""Tests of the reports about single changes to small schemas, and of the effects of the changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import chain
from typing import Any

import pytest
from acpgen.diff.changes import Change, Label
from acpgen.diff.compare import compare
from acpgen.diff.policy import Policy, judge
from acpgen.diff.report import Report, report
from acpgen.ir.model import Capability, CapabilityRequirement
from acpgen.ir.surface import Surface

from tests.acpgen.diff.cases.case import Case, Row
from tests.acpgen.diff.cases.definitions import ASKED, DEFINITIONS, KEYWORDS, METHODS, TELL, told
from tests.acpgen.diff.cases.members import ENUMS, NULL, PRESENCE, TYPES
from tests.acpgen.diff.cases.objects import OBJECTS
from tests.acpgen.diff.cases.unions import UNIONS
from tests.acpgen.diff.small import (
    INTEGER,
    STRING,
    Packages,
    Schema,
    build,
    changes,
    instances,
    method,
    read,
    record,
    refused,
)

CASES: dict[str, Case] = {
    f"{group}: {name}": case
    for group, cases in (
        ("presence", PRESENCE),
        ("null", NULL),
        ("type", TYPES),
        ("enumeration", ENUMS),
        ("union", UNIONS),
        ("definition", DEFINITIONS),
        ("keyword", KEYWORDS),
        ("method", METHODS),
        ("object", OBJECTS),
    )
    for name, case in cases.items()
}
DECODED = [name for name, case in CASES.items() if case.root]


def row(change: Change) -> Row:
    labels = f"{change.wire[0]}{change.python[0]}".upper()
    sides = ("r" if change.reads else "-") + ("w" if change.writes else "-")
    return f"{change.subject} {change.name} {change.action} {labels} {sides}"


@pytest.mark.parametrize("name", CASES)
def test_change(name: str) -> None:
    """A change breaks messages if one version cannot decode messages from the other."""
    case = CASES[name]
    found = changes(case.old, case.new)
    assert sorted(map(row, found)) == sorted(case.rows)
    for change in found:
        assert (change.wire == "breaking") == (not (change.reads and change.writes))
        assert change.before != change.after
        assert (change.before is None) == (change.action == "added")
        assert (change.after is None) == (change.action == "removed")
        # The pointer refers to the old schema after a removal and otherwise to the new schema.
        at: Any = {"$defs": case.old if change.action == "removed" else case.new}
        for part in change.pointer.split("/")[1:]:
            at = at[int(part) if isinstance(at, list) else part]


# The descriptions of changed parts, before and after the change, by subject.
WORDS: dict[str, set[tuple[str | None, str | None]]] = {
    "alternatives": {
        (None, "exactly one of Last or Extra"),
        ("exactly one of Last or Extra", "exactly one of Last or Extra or More"),
        ("exactly one of Last or Extra", "exactly one of Last or More"),
    },
    "definition": {
        ("AskRequest", "QueryRequest"),
        ("AskResponse", "QueryResponse"),
        ("Extra", "Bonus"),
        ("Part", "Piece"),
        ("Tell", "Message"),
        ("Thing", "Other"),
        ("object", None),
        (None, "exactly one of Some or Other"),
        (None, "object"),
    },
    "default variant": {("no variant without a tag", "a variant without a tag"), ("Last", "Extra")},
    "exclusivity": {("the first matching variant is used", "exactly one variant must match")},
    "field": {
        ("optional Part", None),
        ("optional string", None),
        ("required string", None),
        ("x", "y"),
        (None, "optional Part"),
        (None, "optional Piece"),
        (None, "optional string"),
        (None, "required string"),
    },
    "kind": {
        ("object", "any JSON"),
        ("object", "union by kind"),
        ("string", "object"),
        ("union by kind", "object"),
    },
    "method": {
        (None, "notification to the agent"),
        (None, "notification to the client"),
        ("notification to the agent", None),
        ("request to the agent", None),
        ("a/ask", "a/query"),
        ("a/tell", "a/say"),
    },
    "openness": {
        ("closed", "open"),
        ("open", "closed"),
        ("closed", "closed, without a class for unknown tags"),
        ("closed, without a class for unknown tags", "open"),
        ("open", "closed, without a class for unknown tags"),
    },
    "nullability": {("not nullable", "nullable"), ("nullable", "not nullable")},
    "params": {("Tell", "Message")},
    "presence": {("optional", "required")},
    "result": {("AskResponse", "Other")},
    "shape": {
        ("Some or Other", "exactly one of Some or Other"),
        ("exactly one of Part or Other", "exactly one of Part or Other or Last"),
        ("exactly one of Some or Other", "exactly one of XThing or Other"),
        ("integer or number", "exactly one of integer or number"),
        ("string (a)", "integer (1)"),
        ("string 1..", "string"),
    },
    "tag": {("kind", "sort"), ("kind", "type")},
    "tags ruled out": {("none", "last")},
    "value": {("b", None), (None, "2"), (None, "3"), (None, "b"), (None, "c")},
    "x-deserialize-default-on-error": {('"one"', '"two"'), ("not set", "absent")},
    "x-deserialize-default-on-null": {("not set", "[]")},
    "x-deserialize-skip-invalid-items": {("not set", "set")},
}


@pytest.mark.parametrize("subject", WORDS)
def test_the_words_before_and_after_a_change(subject: str) -> None:
    found = [change for case in CASES.values() for change in changes(case.old, case.new)]
    words = {(change.before, change.after) for change in found if change.subject == subject}
    assert words == WORDS[subject]


REVERSED = {"added": "removed", "removed": "added"}


@pytest.mark.parametrize("name", CASES)
def test_the_way_back(name: str) -> None:
    """If a change is reversed, additions become removals, and reads become writes."""
    case = CASES[name]
    there, back = changes(case.old, case.new), changes(case.new, case.old)
    assert sorted((each.subject, each.action) for each in there) == sorted(
        (each.subject, REVERSED.get(each.action, each.action)) for each in back
    )
    for subject in {each.subject for each in there} - {"method"}:
        reads, writes = (
            [(each.reads, each.writes) for each in there if each.subject == subject],
            [(each.writes, each.reads) for each in back if each.subject == subject],
        )
        assert sorted(reads) == sorted(writes)
    # Removals break code that uses the removed name.
    for each in back:
        named = ("definition", "field", "method", "variant")
        if each.action == "removed" and each.subject in named:
            assert each.python == ("internal" if each.name.startswith("Unknown") else "breaking")


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packages]:
    folder = tmp_path_factory.mktemp("packages")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield Packages(folder)


@pytest.mark.parametrize("name", DECODED)
def test_reads_and_writes_are_what_happens(name: str, packages: Packages) -> None:
    """`reads` and `writes` match the results of decoding instances with the other schema."""
    case = CASES[name]
    assert case.root
    before, after = case.root
    old, new = packages.module(case.old), packages.module(case.new)
    found = changes(case.old, case.new)
    unread = refused(new, after, chain(case.also, instances(before, case.old)))
    unwritten = refused(old, before, chain(case.back, instances(after, case.new)))
    assert (unread[:3] == [], unwritten[:3] == []) == (
        all(change.reads for change in found),
        all(change.writes for change in found),
    ), (unread[:3], unwritten[:3])


# --- changes outside the schema, or of all of it ---------------------------------------------


def needing(surface: Surface, capability: str | None, need: str | None = None) -> Surface:
    """Return a copy of a surface with a single method, which requires the given capabilities."""
    [one] = surface.methods
    needs = (CapabilityRequirement("p", None, Capability(need, ("p",))),) if need else ()
    stated = Capability(capability, ("c",)) if capability else None
    return replace(surface, methods=(replace(one, capability=stated, needs=needs),))


@pytest.mark.parametrize(
    ("before", "after", "rows"),
    [
        ((None,), (None,), []),
        (("/a",), ("/a",), []),
        ((None,), ("/a",), [("a/ask", "added", True, False, "breaking")]),
        (("/a",), (None,), [("a/ask", "removed", True, True, "compatible")]),
        (("/a",), ("/b",), [("a/ask", "changed", True, False, "breaking")]),
        ((None,), (None, "/a"), [("a/ask.p", "added", True, False, "breaking")]),
        ((None, "/a"), (None,), [("a/ask.p", "removed", True, True, "compatible")]),
        (("/a", "/a"), ("/a", "/b"), [("a/ask.p", "changed", True, False, "breaking")]),
    ],
)
def test_capability(
    before: tuple[str | None, ...],
    after: tuple[str | None, ...],
    rows: list[tuple[str, str, bool, bool, str]],
) -> None:
    """A new requirement breaks peers that don't advertise the capability. A dropped one doesn't."""
    surface = read(ASKED)
    found = compare(needing(surface, *before), needing(surface, *after))
    assert [change.subject for change in found] == ["capability" for _ in rows]
    assert [
        (change.name, change.action, change.reads, change.writes, change.wire) for change in found
    ] == rows
    assert [change.python for change in found] == [row[-1] for row in rows]


def test_a_capability_for_what_is_new_breaks_nobody() -> None:
    """Old peers never send a new field, so they aren't affected by the capability it requires."""
    surface = read(ASKED)
    less = {**ASKED, "AskRequest": method("a/ask", q=STRING)}
    found = compare(read(less), needing(surface, None, "/a"))
    assert {(change.subject, change.wire, change.python) for change in found} == {
        ("capability", "compatible", "compatible"),
        ("field", "compatible", "compatible"),
    }


SHORT: Schema = {"type": "string", "maxLength": 3}
LONG: Schema = {"type": "string", "maxLength": 300}
CLOSED: Schema = {**record(a=STRING), "additionalProperties": False}


@pytest.mark.parametrize(
    ("old", "new", "at", "before", "after"),
    [
        (record(a=STRING), record(a=SHORT), "/$defs/A/properties/a/maxLength", None, "3"),
        (record(a=LONG), record(a=SHORT), "/$defs/A/properties/a/maxLength", "300", "3"),
        (record(a=SHORT), record(a=STRING), "/$defs/A/properties/a/maxLength", "3", None),
        (record(a=STRING), CLOSED, "/$defs/A/additionalProperties", None, "false"),
    ],
)
def test_a_change_that_no_rule_reads_has_an_unknown_effect(
    old: Schema, new: Schema, at: str, before: str | None, after: str | None
) -> None:
    """Peers might check the keyword, so policies forbid the change by default."""
    [change] = changes({"A": old}, {"A": new})
    assert (change.subject, change.pointer) == ("part", at)
    assert (change.before, change.after) == (before, after)
    assert (change.wire, change.python) == ("unknown", "internal")
    assert Policy().forbids(change)
    assert not Policy(unknown=False).forbids(change)
    assert Policy(wire="compatible", unknown=False).forbids(change)
    assert not Policy(wire="never").forbids(change)


def test_what_becomes_deprecated_is_a_row() -> None:
    dated: Schema = {**STRING, "deprecated": True}
    found = changes(
        {"A": record(a=STRING, b=dated), "B": STRING, "C": {"anyOf": [STRING, INTEGER]}},
        {"A": record(a=dated, b=STRING), "B": dated, "C": {"anyOf": [dated, INTEGER]}},
    )
    assert sorted(map(row, found)) == [
        "deprecation /$defs/C/anyOf/0 added CC rw",
        "deprecation A.a added CC rw",
        "deprecation A.b removed CC rw",
        "deprecation B added CC rw",
    ]


def test_what_must_be_absent_is_a_row() -> None:
    free, forbidden = record(a=STRING), {"properties": {"a": STRING, "x": False}, "type": "object"}
    for old, new, expected, states in (
        (free, forbidden, "absence A.x added BC -w", (None, "must be absent")),
        (forbidden, free, "absence A.x removed BB r-", ("must be absent", None)),
    ):
        [found] = changes({"A": old}, {"A": new})
        assert row(found) == expected
        assert (found.before, found.after) == states
        assert found.pointer == "/$defs/A"


def test_what_must_be_absent_is_found_where_the_schema_says_so() -> None:
    free = record(a=STRING, b=STRING, c=STRING)
    forbidden = {**free, "properties": {**free["properties"], "x": False}}
    for old, new, pointer in ((free, forbidden, "/$defs/B"), (forbidden, free, "/$defs/A")):
        found = changes({"A": old}, {"B": new})
        assert [each.pointer for each in found if each.subject == "absence"] == [pointer]


def test_surface_added_and_removed() -> None:
    one = read(ASKED)
    other = replace(one, name="v1", version=1)
    third = replace(one, name="v2_unstable", stability="unstable")
    found = report(("a", "b"), {"v2": one, "v1": other}, {"v2": one, "v2_unstable": third})
    assert [(change.surface, row(change)) for change in found.changes] == [
        ("v1", "surface v1 removed BB --"),
        ("v2_unstable", "surface v2_unstable added CC rw"),
    ]
    assert found.changes[0].before == "protocol 1, stable"
    assert found.changes[1].after == "protocol 2, unstable"
    assert found.counts() == {
        "breaking": {"wire": 1, "python": 1},
        "unknown": {"wire": 0, "python": 0},
        "compatible": {"wire": 1, "python": 1},
        "internal": {"wire": 0, "python": 0},
    }


def test_surfaces_of_two_names_are_compared_if_each_is_the_only_one() -> None:
    one = read(ASKED)
    other = replace(read(told(("Tell",), **TELL)), name="v1", version=1)
    found = report(("a", "b"), {"v2": one}, {"v1": other}).changes
    assert {change.surface for change in found} == {"v2 → v1"}
    assert [change.name for change in found] == ["a/tell", "Tell"]


@pytest.mark.parametrize(
    ("wire", "python", "is_breaking"),
    [
        ("breaking", "compatible", True),
        ("internal", "breaking", True),
        ("compatible", "internal", False),
    ],
)
def test_one_label_of_one_change_fails_without_a_policy(
    wire: Label, python: Label, is_breaking: bool
) -> None:
    case = CASES["presence: member added, optional"]
    [harmless] = changes(case.old, case.new)
    change = replace(harmless, wire=wire, python=python)
    assert change.is_breaking == is_breaking
    judged = judge(Report("old", "new", (harmless, change)), Policy(), None, date.today())
    assert judged.fails == is_breaking


def test_order_does_not_depend_on_the_order_of_the_file() -> None:
    """Changes are sorted: first methods, then definitions, each by name."""
    old = {"Thing": STRING}
    new = {**told(("Tell",), **TELL), **{f"Part{n}": record(p=STRING) for n in "CABD"}}
    found = changes(old, new)
    again = changes(old, dict(reversed(new.items())))
    assert found == again
    assert [change.name for change in found] == [
        "a/ask",
        "a/tell",
        "AskRequest",
        "AskResponse",
        "PartA",
        "PartB",
        "PartC",
        "PartD",
        "Request",
        "Tell",
        "Thing",
    ]


def test_a_surface_is_the_same_as_itself() -> None:
    for case in CASES.values():
        assert compare(read(case.new), build(case.new)) == []
