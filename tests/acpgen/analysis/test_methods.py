"""Tests that envelopes determine the methods, and that inconsistent definitions are noted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from acpgen.analysis.surface import Built, build
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


def built(folder: Path, definitions: dict[str, Any], **root: Any) -> Built:
    path = folder / "schema.json"
    path.write_text(json.dumps({"$defs": definitions, **root}), encoding="utf-8")
    document = load_document(path, Origin("schema", "schema.json", ""))
    return build(document, load_overlay(paths.SCHEMA / "overlay"), "v2", strict=False)


def found(
    folder: Path, definitions: dict[str, Any], **root: Any
) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the side and kind of each method of a schema, and the notes about the schema."""
    made = built(folder, definitions, **root)
    methods = [(method.side, method.kind) for method in made.surface.methods]
    assert {note.code for note in made.notes} <= {"direction"}
    return methods, [f"{note.pointer}: {note.message}" for note in made.notes]


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
            {"ClientNotification": envelope("params", "A"), "A": {}},
            [],
            ["/$defs: no definition has x-method, so only types are generated; add x-method"],
        ),
        (
            {"ClientNotification": envelope("params", "A"), "A": params("a/b")},
            [("agent", "notification")],
            [],
        ),
        *(
            (
                {f"{sender}Notification": envelope("params", "A"), "A": params("a/b", None)},
                [(side, "notification")],
                [],
            )
            for sender, side in [
                ("Agent", "client"),
                ("Client", "agent"),
                ("ProtocolLevel", "protocol"),
            ]
        ),
        *(
            (
                {f"{sender}Notification": envelope("params", "A"), "A": params("a/b", "both")},
                [(side, "notification")],
                [],
            )
            for sender, side in [("Agent", "client"), ("Client", "agent")]
        ),
        (
            {
                "ClientNotification": envelope("params", "Calls"),
                "Calls": listing("A", "B"),
                "A": params("a/b"),
                "B": params("a/c"),
            },
            [("agent", "notification"), ("agent", "notification")],
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
            {"ClientNotification": envelope("params", "A"), "A": {}, "B": params("a/b")},
            [("agent", "notification")],
            ["/$defs/B: is not in an envelope, so its sender is unknown; add it to an envelope"],
        ),
        (
            {"ClientNotification": envelope("params", "B"), "A": params("a/b"), "B": record()},
            [("agent", "notification")],
            ["/$defs/A: is not in an envelope, so its sender is unknown; add it to an envelope"],
        ),
        (
            {
                "ClientNotification": envelope("params", "A", "B"),
                "A": params("a/b"),
                "B": params("a/b"),
            },
            [("agent", "notification")],
            [
                "/$defs/ClientNotification: lists two params definitions for 'a/b'; remove one of"
                " them"
            ],
        ),
        (
            {
                **ASKED,
                "AgentResponse": envelope("result", "R"),
                "R": params("a/b", "client"),
            },
            [("agent", "request")],
            [
                "/$defs/AgentResponse: x-side of R is 'client', but its envelope implies 'agent';"
                " explain the difference in policy.toml under [directions]"
            ],
        ),
        (
            {"HTTPProxyNotification": envelope("params", "A"), "A": params("a/b", None)},
            [("http_proxy", "notification")],
            [],
        ),
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
        "B": params("$/b", "both"),
        "C": record(),
        "D": params("a/d"),
    }
    root = [ref("ClientNotification"), ref("B"), ref("C")]
    methods = [("agent", "notification"), ("protocol", "notification")]
    notes = [
        "/$defs/D: is not in an envelope, so its sender is unknown; add it to an envelope",
        "/anyOf: x-side of B is 'both', but its envelope implies 'protocol'; explain the difference"
        " in policy.toml under [directions]",
    ]
    assert found(tmp_path, definitions, anyOf=root) == (methods, notes)


def test_the_document_itself_can_be_a_message(tmp_path: Path) -> None:
    definitions = {"A": params("a/b"), "B": params("a/c"), "C": params("a/d", "client")}
    root = {"properties": {"method": STRING, "params": union(*map(ref, definitions))}}
    methods = [("agent", "notification")] * 3
    note = (
        ": x-side of C is 'client', but its envelope implies 'agent'; explain the difference in"
        " policy.toml under [directions]"
    )
    assert found(tmp_path, definitions, **root) == (methods, [note])


def test_the_first_of_two_definitions_is_used(tmp_path: Path) -> None:
    definitions = {
        "ClientRequest": listing("A", "B"),
        "AgentResponse": listing("R", "S"),
        "AgentNotification": listing("C", "D"),
        **{name: params("a/b", None) for name in "ABRSCD"},
    }
    methods = built(tmp_path, definitions).surface.methods
    assert [(method.params, method.result) for method in methods] == [("A", "R"), ("C", None)]


@pytest.mark.parametrize(
    ("request_", "may_be_null"),
    [
        (listing("A"), True),
        (REQUEST, False),
        ({**record(id={"type": ["string", "null"]}, params=union(ref("A")))}, True),
        (envelope("params", "A"), True),
    ],
)
def test_ids_may_be_null_unless_the_envelope_forbids_it(
    request_: Schema, may_be_null: bool, tmp_path: Path
) -> None:
    definitions = {
        "ClientRequest": {**request_, "x-docs-ignore": True},
        "AgentResponse": listing("R"),
        "A": params("a/b"),
        "R": params("a/b"),
    }
    [method] = built(tmp_path, definitions).surface.methods
    assert (method.kind, method.null_id) == ("request", may_be_null)


@pytest.mark.parametrize("name", ["AGENT_METHODS", "AGENT_A_B"])
def test_a_definition_with_the_name_of_a_generated_class_is_refused(
    name: str, tmp_path: Path
) -> None:
    definitions = {
        "ClientNotification": envelope("params", "A"),
        "A": params("a/b"),
        name: record(),
    }
    with pytest.raises(InputError) as caught:
        found(tmp_path, definitions)
    message = f"clashes with a generated name; add a name for {name} to names.toml"
    assert [(each.code, each.pointer, each.message) for each in caught.value.problems] == [
        ("name-collision", f"/$defs/{name}", message)
    ]
