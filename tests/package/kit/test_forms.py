"""Tests of forms: filling in values, reading values back, and validity in each version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.kit.forms import MISSING, Parts, fill, members_of, read
from acp_bindings.runtime import UNSET

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

Json = Any

SURFACES: dict[str, Any] = {
    "v1": v1,
    "v1_unstable": v1_unstable,
    "v2": v2,
    "v2_unstable": v2_unstable,
}
OVERLAY = Path(__file__).parents[3] / "schema" / "overlay" / "kit.toml"
KIT: dict[str, Any] = tomllib.loads(OVERLAY.read_text("utf-8"))


# --- filling and reading ---------------------------------------------------------------------


@dataclass
class Status:
    code: int | None = None
    name: Any = UNSET


@pytest.mark.parametrize(
    ("form", "filled"),
    [
        ("text", "text"),
        ("$text", "t"),
        ("$none", None),
        ("$missing", MISSING),
        ("$status.code", 3),
        ("$status.name", MISSING),
        ("$status.other", MISSING),
        ("$text.part", MISSING),
        ("$mapping.a", 1),
        ("$mapping.items", MISSING),
        ("$mapping.keys", MISSING),
        ({"a": "$text", "b": "$missing", "c": 1, "d": {}}, {"a": "t", "c": 1, "d": {}}),
        ({"a": {"b": {"c": "$text"}}}, {"a": {"b": {"c": "t"}}}),
        (["$text", "$missing", {"a": "$missing"}], ["t", {}]),
        ({"$in": "status", "code": "$code", "name": "$name"}, {"code": 3}),
        ({"a": {"$in": "missing", "b": 1}}, {}),
        ({"a": {"$in": "none", "b": 1}}, {}),
        ({"a": {"$in": "no", "b": 1}}, {}),
        ({"a": {"$in": "yes", "b": 1}}, {"a": {"b": 1}}),
        (True, True),
    ],
)
def test_a_form_has_its_values_and_leaves_out_missing_ones(form: Json, filled: Json) -> None:
    values = {
        "text": "t",
        "none": None,
        "no": False,
        "yes": True,
        "status": Status(3),
        "mapping": {"a": 1},
    }
    assert fill(form, values) == filled


@pytest.mark.parametrize(
    ("data", "values"),
    [
        ({"kind": "k", "id": 1, "inner": {"text": "t"}}, {"id": 1, "text": "t"}),
        ({"kind": "k", "id": None, "more": 2}, {"id": None}),
        ({"kind": "k", "inner": None}, {}),
        ({"kind": "other", "id": 1}, None),
        ({"id": 1}, None),
        ("text", None),
        (None, None),
    ],
)
def test_reading_is_the_reverse_of_filling(data: Json, values: Json) -> None:
    form = {"kind": "k", "id": "$id", "inner": {"text": "$text"}}
    assert read(form, data) == values
    if values and len(values) == 2:
        assert fill(form, values) == data


def test_the_fields_of_a_request_are_those_with_values() -> None:
    params = v1.ReadTextFileRequest(session_id="s", path="/a", line=2, limit=None, meta={"a": 1})
    assert members_of(params) == {"session_id": "s", "path": "/a", "line": 2}


# --- the forms of the overlay ----------------------------------------------------------------

VALUES: dict[str, Any] = {
    "id": "i",
    "title": "t",
    "kind": "execute",
    "status": "failed",
    "session_id": "s",
    "name": "n",
    "path": "/a",
    "cwd": "/a",
    "command": "c",
    "transcript": "$ c",
    "text": "t",
    "new_text": "n",
    "old_text": "o",
    "patch": "p",
    "data": "aGk=",
    "truncated": True,
    "output": "o",
    "exit_code": 3,
    "signal": "SIGKILL",
    "next_cursor": "c",
    "updated_at": "2026-01-01T00:00:00Z",
    "additional_directories": ["/b"],
    "raw_input": {"a": 1},
    "locations": [{"path": "/a"}],
    "may_cancel": True,
    "exit_status": Status(),
    "block": {"type": "text", "text": "t"},
    "may_write": True,
    "has_terminals": True,
}
BARE = {name: VALUES[name] for name in ("id", "title", "status", "session_id")}


def cases() -> Iterator[Any]:
    """Yield test parameters: a surface, the name of a definition, a form, and its values."""
    for name, surface in SURFACES.items():
        kit: Any = KIT[name[:2]]
        for label, definition, form, values in forms_of(surface, kit):
            yield pytest.param(surface, definition, form, values, id=f"{name}-{label}")


def forms_of(surface: Any, kit: Any) -> Iterator[tuple[str, str, Json, Json]]:
    tool, saved, workspace = kit["tool"], kit["saved"], kit.get("workspace")
    option = fill(tool["option"], VALUES | {"kind": "allow_once"})
    whole = VALUES | {
        "options": [option],
        "content": [fill(each, VALUES) for each in tool["content"].values()],
    }
    for form in ("begin", "change"):
        yield f"{form}-bare", "SessionUpdate", tool[form], BARE
        yield form, "SessionUpdate", tool[form], whole
    yield "question-bare", "RequestPermissionRequest", tool["question"], BARE | {
        "options": [option]
    }
    yield "question", "RequestPermissionRequest", tool["question"], whole
    yield "location", "ToolCallLocation", tool["location"], VALUES
    yield "option", "PermissionOption", tool["option"], VALUES | {"kind": "reject_once"}
    for label, form in tool["content"].items():
        yield f"content-{label}", "ToolCallContent", form, VALUES
    status = VALUES | {"exit_status": {"exit_code": 3, "signal": None}}
    for label, form in tool.get("terminal", {}).items():
        yield f"terminal-{label}", "SessionUpdate", form, status
    for label in ("failed", "exited", "output", "terminal"):
        if label in saved:
            yield f"saved-{label}", "SessionUpdate", saved[label], VALUES
    content = {"id": "i", "content": whole["content"]}
    yield "saved-content", "SessionUpdate", saved["content"], content
    yield "saved-info", "SessionUpdate", saved["info"], VALUES
    yield "listed", "SessionInfo", saved["listed"], VALUES
    yield "listed-bare", "SessionInfo", saved["listed"], {"session_id": "s", "cwd": "/a"}
    listed = {"sessions": [fill(saved["listed"], VALUES)], "next_cursor": "c"}
    methods = {method.name: method for method in surface.AGENT_METHODS.values()}
    for wire, entry in saved["methods"].items():
        if "result" in entry and wire in methods:
            yield wire, methods[wire].result.__name__, entry["result"], listed
    if workspace is not None:
        yield "capabilities", "ClientCapabilities", workspace["capabilities"], VALUES
        for wire, entry in workspace["methods"].items():
            result = surface.CLIENT_METHODS[wire].result.__name__
            for exit_status in (None, {"exit_code": 3, "signal": None}):
                values = VALUES | {"exit_status": exit_status}
                yield f"{wire}-{exit_status is None}", result, entry["result"], values


@pytest.mark.parametrize(("surface", "definition", "form", "values"), [*cases()])
def test_each_form_of_the_overlay_is_valid(
    surface: Any, definition: str, form: Json, values: Json
) -> None:
    type_ = getattr(surface, definition)
    data = fill(form, values)
    decoded = surface.decode(type_, data, strict=True)
    encoded = surface.encode(decoded, type=type_)
    assert encoded == data
    assert not unknown_fields(decoded)


def unknown_fields(value: Any) -> list[Any]:
    """Return the unknown fields of a value and of all values inside it."""
    if isinstance(value, list):
        return [each for item in value for each in unknown_fields(item)]
    if not hasattr(value, "__dataclass_fields__"):
        return []
    found = [value.unknown_fields] if getattr(value, "unknown_fields", None) else []
    parts = (getattr(value, name) for name in value.__dataclass_fields__)
    return found + [each for part in parts for each in unknown_fields(part)]


@pytest.mark.parametrize("version", KIT)
def test_prompts_of_the_overlay_are_updates_of_the_surface(version: str) -> None:
    for name, surface in SURFACES.items():
        if name.startswith(version):
            for form in KIT[version]["saved"]["prompts"]:
                block: Json = {"type": "text", "text": "t"}
                is_whole = form["sessionUpdate"] == "user_message"
                data = fill(form, {"content": [block] if is_whole else block})
                if surface.SCHEMA.protocol_version == 2:
                    data["messageId"] = "m"
                surface.decode(surface.SessionUpdate, data, strict=True)


@pytest.mark.parametrize(("name", "surface"), [*SURFACES.items()])
def test_each_method_of_the_overlay_is_one_of_the_surface_or_of_a_draft(
    name: str, surface: Any
) -> None:
    draft, kit = SURFACES[f"{name[:2]}_unstable"], KIT[name[:2]]
    for wire, member in kit.get("cancelling", {}).items():
        params = surface.AGENT_METHODS[wire].params
        decoded = surface.decode(params, {"sessionId": "s", member: "i"}, strict=True)
        assert not unknown_fields(decoded)
    for wire in kit["saved"]["methods"]:
        assert wire in draft.AGENT_METHODS
    for wire in kit.get("workspace", {"methods": ()})["methods"]:
        assert wire in surface.CLIENT_METHODS


@pytest.mark.parametrize(("name", "surface"), [*SURFACES.items()])
def test_a_surface_has_each_saved_method_that_it_knows(name: str, surface: Any) -> None:
    kit = import_module(f"{surface.__name__}.kit")
    agent: Mapping[str, Any] = vars(kit.StoredAgent)
    for wire, entry in KIT[name[:2]]["saved"]["methods"].items():
        is_known = bool(entry) and wire in surface.AGENT_METHODS
        assert (wire.replace("/", "_") in agent) is is_known


def test_parts_of_an_object_are_its_attributes() -> None:
    parts = Parts(Status(3))
    assert (parts["code"], parts["name"], parts["other"]) == (3, MISSING, MISSING)
