"""Tests of the messages in the documents about the prompt turn, for all protocol versions.

Each file in `data/seeds` contains the messages of one document, in order. The documents describe
the early draft, protocol 1, protocol 2, and the proposal that changed the life cycle of a prompt
for protocol 2. `expect` contains the expected results of decoding a message, by protocol version.
`classes` lists the classes of the decoded objects, outermost first. `strict` and `default` are the
errors in strict and default mode. `issues` lists the issues that default mode reports.
"""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Iterator
from types import ModuleType
from typing import Any, cast

import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime import DecodeError, Issue, Record, Unknown
from jsonschema import Draft202012Validator

from tests.support.paths import DATA, SCHEMA

# Messages have the same meaning on the stable and the unstable surface of a version.
SURFACES = {"v1": (v1, v1_unstable), "v2": (v2, v2_unstable)}
NAMES = {
    ("session/prompt", "params"): ("PromptRequest", "PromptRequest"),
    ("session/prompt", "result"): ("PromptResponse", "PromptResponse"),
    ("session/update", "params"): ("SessionNotification", "UpdateSessionNotification"),
    ("session/cancel", "params"): ("CancelNotification", "CancelSessionNotification"),
}


def cases() -> Iterator[Any]:
    """Yield each message once for each surface that its `expect` applies to."""
    for path in sorted((DATA / "seeds").iterdir()):
        for message in json.loads(path.read_text("utf-8")):
            for version in message["expect"]:
                for surface in SURFACES[version]:
                    name = surface.__name__.rpartition(".")[2]
                    id_ = f"{path.stem} {name} {message['name']}"
                    yield pytest.param(message, version, surface, id=id_)


def class_names(value: Any) -> list[str]:
    """Return the class names of a decoded value and its parts, in field order."""
    if isinstance(value, list):
        return [name for item in value for name in class_names(item)]
    if isinstance(value, Unknown):
        return [type(value).__name__]
    if not isinstance(value, Record):
        return []
    names = [type(value).__name__]
    for field in dataclasses.fields(cast(Any, value)):
        if field.name not in ("meta", "unknown_fields"):
            names += class_names(getattr(value, field.name))
    return names


def as_data(report: DecodeError | Issue) -> dict[str, str]:
    if isinstance(report, DecodeError):
        return {"pointer": report.pointer, "expected": report.expected, "found": report.found}
    return {"pointer": report.pointer, "reason": report.reason, "action": report.action}


@pytest.mark.parametrize(("message", "version", "surface"), list(cases()))
def test_a_message_is_what_its_file_says(
    message: dict[str, Any], version: str, surface: ModuleType
) -> None:
    expected, payload = message["expect"][version], message["payload"]
    name = NAMES[message["method"], message["kind"]][version == "v2"]
    type_ = surface.TYPES[name]

    file = f"schema.{'unstable.' if surface.SCHEMA.stability == 'unstable' else ''}json"
    schema = json.loads((SCHEMA / version / file).read_text("utf-8"))
    schema = {"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]}
    assert Draft202012Validator(schema).is_valid(payload) is ("strict" not in expected)

    if "strict" in expected:
        with pytest.raises(DecodeError) as caught:
            surface.decode(type_, payload, strict=True)
        assert as_data(caught.value) == expected["strict"]
        assert caught.value.type_name == name
    else:
        value = surface.decode(type_, payload, strict=True)
        assert class_names(value) == expected["classes"]
        assert surface.encode(value) == payload

    issues: list[Issue] = []
    if "default" in expected:
        with pytest.raises(DecodeError) as caught:
            surface.decode(type_, payload, on_issue=issues.append)
        assert as_data(caught.value) == expected["default"]
        assert issues == []
        return
    before = copy.deepcopy(payload)
    value = surface.decode(type_, payload, on_issue=issues.append)
    assert class_names(value) == expected["classes"]
    assert [as_data(issue) for issue in issues] == expected.get("issues", [])
    # Unknown fields are kept, so even a message with issues is encoded unchanged.
    assert surface.encode(value, type_) == payload == before
    assert surface.loads(type_, surface.dumps(value, type_)) == value
