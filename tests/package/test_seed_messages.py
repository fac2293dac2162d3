"""The messages shown in descriptions of the prompt turn, from every age of the protocol.

Each file in `data/seeds` holds the messages of one document, in its order: the early draft, version
1, version 2, and the proposal that changed the life cycle of a prompt for version 2. `expect` says
what comes out on a surface: `classes` are the objects, outermost first; `strict` and `default` are
the errors of the two modes; `issues` are what the default mode reports.
"""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime import DecodeError, Issue, Record, Unknown
from jsonschema import Draft202012Validator
from support.paths import DATA, SCHEMA

SEEDS = DATA / "seeds"

# The number of messages in each document; a fifth one shows none.
COUNTS = {"draft": 5, "v1": 8, "v2": 13, "v2_proposal": 7}

# Messages of a stable surface mean the same in the unstable one.
SURFACES = {"v1": (v1, v1_unstable), "v2": (v2, v2_unstable)}

TYPES = {
    "v1": {
        ("session/prompt", "params"): "PromptRequest",
        ("session/prompt", "result"): "PromptResponse",
        ("session/update", "params"): "SessionNotification",
        ("session/cancel", "params"): "CancelNotification",
    },
    "v2": {
        ("session/prompt", "params"): "PromptRequest",
        ("session/prompt", "result"): "PromptResponse",
        ("session/update", "params"): "UpdateSessionNotification",
        ("session/cancel", "params"): "CancelSessionNotification",
    },
}

# Every file ends with the same list.
STOP_REASONS = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")


def read(document: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = json.loads((SEEDS / f"{document}.json").read_text("utf-8"))
    return messages


def cases() -> Iterator[Any]:
    """Every message on every surface that its file has expectations for."""
    for document in COUNTS:
        for message in read(document):
            for version in message["expect"]:
                for surface in SURFACES[version]:
                    name = surface.__name__.rpartition(".")[2]
                    yield pytest.param(
                        message, version, surface, id=f"{document}-{name}-{message['name']}"
                    )


CASES = list(cases())
each_case = pytest.mark.parametrize(("message", "version", "surface"), CASES)


def type_name(message: dict[str, Any], version: str) -> str:
    return TYPES[version][message["method"], message["kind"]]


def class_names(value: Any) -> list[str]:
    """The classes of a decoded value and its parts, in the order of their fields."""
    if isinstance(value, list):
        return [name for item in value for name in class_names(item)]
    if isinstance(value, Unknown):
        return [type(value).__name__]
    if not isinstance(value, Record):
        return []
    names = [type(value).__name__]
    for field in dataclasses.fields(value):
        if field.name not in ("meta", "unknown_fields"):
            names += class_names(getattr(value, field.name))
    return names


def as_data(report: DecodeError | Issue) -> dict[str, str]:
    if isinstance(report, DecodeError):
        return {"pointer": report.pointer, "expected": report.expected, "found": report.found}
    return {"pointer": report.pointer, "reason": report.reason, "action": report.action}


def test_the_files_hold_every_message_of_the_documents() -> None:
    assert {path.stem for path in SEEDS.iterdir()} == set(COUNTS)
    assert {document: len(read(document)) for document in COUNTS} == COUNTS
    assert len(CASES) == 92


@pytest.mark.parametrize("document", COUNTS)
def test_the_messages_are_well_described(document: str) -> None:
    messages = read(document)
    names = [message["name"] for message in messages]
    assert len(set(names)) == len(names)
    for message in messages:
        assert set(message) == {"name", "method", "kind", "payload", "expect"}
        for version, expected in message["expect"].items():
            assert type_name(message, version)
            assert ("classes" in expected) is ("default" not in expected)
            assert set(expected) <= {"classes", "strict", "default", "issues"}


def test_the_messages_of_version_1_are_all_valid_in_version_1() -> None:
    assert [set(message["expect"]["v1"]) for message in read("v1")] == [{"classes"}] * COUNTS["v1"]


@each_case
def test_the_schema_agrees_with_the_data(
    message: dict[str, Any], version: str, surface: ModuleType
) -> None:
    file = f"schema.{'unstable.' if surface.SCHEMA.stability == 'unstable' else ''}json"
    schema = json.loads((SCHEMA / version / file).read_text("utf-8"))
    schema = {"$ref": f"#/$defs/{type_name(message, version)}", "$defs": schema["$defs"]}
    valid = Draft202012Validator(schema).is_valid(message["payload"])
    assert valid is ("strict" not in message["expect"][version])


@each_case
def test_strict_mode(message: dict[str, Any], version: str, surface: ModuleType) -> None:
    type, payload = surface.TYPES[type_name(message, version)], message["payload"]
    expected = message["expect"][version]
    if "strict" in expected:
        with pytest.raises(DecodeError) as caught:
            surface.decode(type, payload, strict=True)
        assert as_data(caught.value) == expected["strict"]
        assert caught.value.type_name == type_name(message, version)
        return
    value = surface.decode(type, payload, strict=True)
    assert class_names(value) == expected["classes"]
    assert surface.encode(value) == payload


@each_case
def test_default_mode(message: dict[str, Any], version: str, surface: ModuleType) -> None:
    type, payload = surface.TYPES[type_name(message, version)], message["payload"]
    expected = message["expect"][version]
    issues: list[Issue] = []
    if "default" in expected:
        with pytest.raises(DecodeError) as caught:
            surface.decode(type, payload, on_issue=issues.append)
        assert as_data(caught.value) == expected["default"]
        assert issues == []
        return
    before = copy.deepcopy(payload)
    value = surface.decode(type, payload, on_issue=issues.append)
    assert class_names(value) == expected["classes"]
    assert [as_data(issue) for issue in issues] == expected.get("issues", [])
    # Unknown members are kept, so even a message with issues is encoded unchanged.
    assert surface.encode(value, type) == payload == before
    assert surface.loads(type, surface.dumps(value, type)) == value


@pytest.mark.parametrize("reason", STOP_REASONS)
def test_every_stop_reason_of_the_documents_is_one(reason: str) -> None:
    response = v1.decode(v1.PromptResponse, {"stopReason": reason}, strict=True)
    assert response.stop_reason == reason
    state = v2.decode(v2.StateUpdate, {"state": "idle", "stopReason": reason}, strict=True)
    assert state == v2.IdleStateUpdate(stop_reason=reason)


def test_the_proposed_state_change_came_as_a_state_update() -> None:
    """The proposal's `state_change`, with the names in the schema."""
    for proposed in read("v2_proposal")[-3:]:
        update = dict(proposed["payload"]["update"], sessionUpdate="state_update")
        update.pop("usage", None)
        if "stop_reason" in update:
            update["stopReason"] = update.pop("stop_reason")
        payload = {**proposed["payload"], "update": update}
        value = v2.decode(v2.UpdateSessionNotification, payload, strict=True)
        assert isinstance(
            value.update,
            v2.RunningStateUpdate | v2.IdleStateUpdate | v2.RequiresActionStateUpdate,
        )
        assert value.update.unknown_fields is None
        assert v2.encode(value) == payload
