"""Tests that envelopes determine the methods, and that inconsistent definitions are noted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from acpgen.analysis.surface import build
from acpgen.common import paths
from acpgen.common.problems import InputError
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.ir.model import Origin
from acpgen.schema.document import load_document

from tests.acpgen.diff.small import STRING, Schema, record, ref, union


def params(wire: str | None, side: str | None = "agent", **members: Schema) -> Schema:
    """Return the definition of a method's params or result."""
    stated = {"x-method": wire, "x-side": side}
    return {**record(**members), **{key: value for key, value in stated.items() if value}}


def envelope(key: str, *names: str) -> Schema:
    return {**record(**{key: union(*map(ref, names))}), "x-docs-ignore": True}


def listing(*names: str) -> Schema:
    """Return a list of params or results that is not part of a message."""
    return {**union(*map(ref, names)), "x-docs-ignore": True}


def found(
    folder: Path, definitions: dict[str, Any], **root: Any
) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the side and kind of each method of a schema, and the notes about the schema."""
    path = folder / "schema.json"
    path.write_text(json.dumps({"$defs": definitions, **root}), encoding="utf-8")
    document = load_document(path, Origin("schema", "schema.json", ""))
    built = build(document, load_overlay(paths.SCHEMA / "overlay"), "v2", strict=False)
    methods = [(method.side, method.kind) for method in built.surface.methods]
    return methods, [f"{note.pointer}: {note.message}" for note in built.notes]


REQUEST = {**record("id", id=STRING, params=union(ref("A"))), "x-docs-ignore": True}
ASKED = {"ClientRequest": REQUEST, "A": params("a/b")}
NAMELESS = params("a/c", None)


@pytest.mark.parametrize(
    ("definitions", "methods", "notes"),
    [
        (
            {"A": record(a=STRING)},
            [],
            ["/$defs: no definition has x-method, so only types are generated; add x-method"],
        ),
        (
            {"ClientNotification": envelope("params", "A"), "A": params("a/b")},
            [("agent", "notification")],
            [],
        ),
        (
            {"AgentNotification": listing("A"), "A": params("a/b", "client")},
            [("client", "notification")],
            [],
        ),
        (
            {"ProxyNotification": envelope("params", "A"), "A": params("a/b", None)},
            [("proxy", "notification")],
            [],
        ),
        (
            {
                "ClientNotification": envelope("params", "A", "B", "C"),
                "A": params("a/b"),
                "B": params(None, b=STRING),
                "C": {"x-side": "agent"},
            },
            [("agent", "notification"), ("agent", "notification")],
            [
                "/$defs/ClientNotification: lists B, which has no x-method and is omitted; "
                "add x-method"
            ],
        ),
        (
            {**ASKED, "AgentResponse": envelope("result", "R"), "R": params("a/b")},
            [("agent", "request")],
            [],
        ),
        (
            ASKED,
            [],
            [
                "/$defs/ClientRequest: lists A ('a/b'), but no response envelope lists its "
                "result; list it"
            ],
        ),
        (
            {
                **ASKED,
                "AgentResponse": envelope("result", "R", "S"),
                "R": params("a/b"),
                "S": params("a/c"),
            },
            [("agent", "request")],
            [
                "/$defs/S: is a result of 'a/c', but no envelope lists that request for the "
                "agent; list the request"
            ],
        ),
        (
            {
                **ASKED,
                "AgentResponse": envelope("result", "R", "S"),
                "R": params("a/b"),
                "S": params("a/b"),
            },
            [("agent", "request")],
            ["/$defs/AgentResponse: lists two result definitions for 'a/b'; remove one of them"],
        ),
        (
            {"Listed": listing("A"), "A": params("a/b")},
            [],
            ["/$defs/Listed: is not in a message, so its kind is unknown; use it in a message"],
        ),
        ({"Listed": listing("B"), "A": params("a/b"), "B": record()}, [], []),
        (
            {
                "ClientNotification": envelope("params", "A"),
                "A": params("a/b"),
                "Message": envelope("params", "B"),
                "B": params("a/c", None),
            },
            [("agent", "notification")],
            [
                "/$defs/B: is not in an envelope, so its sender is unknown; add it to an envelope",
            ],
        ),
        (
            {
                "SomeMessage": envelope("params", "A", "B", "C"),
                "A": params("a/b", "client"),
                "B": params("a/c"),
                "C": params("a/d"),
            },
            [("agent", "notification")] * 3,
            [
                "/$defs/SomeMessage: x-side of A is 'client', but its envelope implies 'agent'; "
                "explain the difference in policy.toml under [directions]"
            ],
        ),
        (
            {
                "SomeMessage": envelope("params", "A", "B"),
                "A": params("a/b", "both"),
                "B": NAMELESS,
            },
            [("protocol", "notification"), ("protocol", "notification")],
            [
                "/$defs/SomeMessage: x-side of A is 'both', but its envelope implies 'protocol'; "
                "explain the difference in policy.toml under [directions]"
            ],
        ),
    ],
)
def test_methods_are_found_in_envelopes(
    definitions: dict[str, Any],
    methods: list[tuple[str, str]],
    notes: list[str],
    tmp_path: Path,
) -> None:
    assert found(tmp_path, definitions) == (methods, notes)


def test_params_that_the_document_itself_lists_are_for_both_sides(tmp_path: Path) -> None:
    definitions = {
        "ClientNotification": envelope("params", "A"),
        "A": params("a/b"),
        "B": params("$/b", "protocol"),
        "C": record(),
    }
    root = [ref("ClientNotification"), ref("B"), ref("C")]
    methods = [("agent", "notification"), ("protocol", "notification")]
    assert found(tmp_path, definitions, anyOf=root) == (methods, [])


@pytest.mark.parametrize("name", ["AGENT_METHODS", "AGENT_A_B"])
def test_a_definition_with_the_name_of_a_generated_class_is_refused(
    name: str, tmp_path: Path
) -> None:
    definitions = {
        "ClientNotification": envelope("params", "A"),
        "A": params("a/b"),
        name: record(),
    }
    with pytest.raises(
        InputError, match=rf"clashes with a generated name; add a name for {name} to names\.toml"
    ):
        found(tmp_path, definitions)
