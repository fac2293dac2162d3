"""Tests of the shared runtime: UNSET, records, unknown variants, errors and public functions."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import orjson
import pydantic
import pydantic_core
import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime import (
    UNSET,
    DecodeError,
    EncodeError,
    Issue,
    Record,
    SchemaInfo,
    Unknown,
    UnsetType,
    given,
)
from acpgen.inputs.sources.files import locate_schemas

from tests.support.paths import SCHEMA

# Each surface and its schema.
SURFACES = {
    "v1": (v1, "v1/schema.json"),
    "v1_unstable": (v1_unstable, "v1/schema.unstable.json"),
    "v2": (v2, "v2/schema.json"),
    "v2_unstable": (v2_unstable, "v2/schema.unstable.json"),
}
each_surface = pytest.mark.parametrize(("surface", "file"), SURFACES.values(), ids=SURFACES.keys())

# Pickling classes with slots needs pickle protocol 2 or later.
each_protocol = pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))


def a_call() -> Any:
    """Return a record with text, null, an absent field, a list, free JSON and unknown fields."""
    return v2.ToolCallUpdate(
        tool_call_id="call_1",
        title=None,
        status="in_progress",
        content=[
            v2.Content(content=v2.TextContent(text="t", unknown_fields={"y": [2]})),
            v2.UnknownToolCallContent("_x", {"type": "_x"}),
        ],
        raw_input={"deep": [1, {"a": None}]},
        meta={"m": 1},
        unknown_fields={"x": [1]},
    )


TEXT = v2.TextContent(text="t")
CHUNK = v2.UserMessageChunk(content=TEXT, message_id="m")
UNKNOWN_BLOCK = v2.UnknownContentBlock("_x", {"type": "_x"})

# --- UNSET -------------------------------------------------------------------------------------


def test_unset_is_a_falsy_singleton() -> None:
    assert bool(UNSET) is False
    assert repr(UNSET) == str(UNSET) == f"{UNSET}" == "UNSET"
    assert UNSET != None  # noqa: E711
    assert UNSET != False  # noqa: E712
    assert isinstance(UNSET, UnsetType)
    assert UnsetType(UNSET.value) is UNSET
    assert list(UnsetType) == [UNSET]
    assert len({UNSET, *(surface.UNSET for surface, _ in SURFACES.values())}) == 1


def test_unset_is_not_written_as_json() -> None:
    """A serializer that writes UNSET as a string would send it to the peer."""

    class Model(pydantic.BaseModel):
        value: Any

    with pytest.raises(TypeError, match="UnsetType is not JSON serializable"):
        json.dumps({"value": UNSET})
    with pytest.raises(TypeError):
        orjson.dumps(UNSET)
    with pytest.raises(pydantic_core.PydanticSerializationError):
        Model(value=UNSET).model_dump_json()


@pytest.mark.parametrize("value", ["x", "", 0, False, [], UNSET, None])
def test_what_is_given_stays_unless_it_is_none(value: Any) -> None:
    assert given(value) is (UNSET if value is None else value)


# --- records -----------------------------------------------------------------------------------


def test_the_repr_of_a_record_shows_what_is_set() -> None:
    cost = v2.Cost(amount=1.5, currency="EUR")
    assert repr(cost) == "Cost(amount=1.5, currency='EUR')"
    cost.meta, cost.unknown_fields = None, {"x": 1}
    assert repr(cost) == "Cost(amount=1.5, currency='EUR', meta=None, unknown_fields={'x': 1})"
    cost.unknown_fields = {"x": cost}
    assert repr(cost).endswith("unknown_fields={'x': ...})")


def test_the_repr_of_a_record_makes_it_again() -> None:
    update = v2.UpdateSessionNotification(session_id="s", update=a_call())
    update.update.content = [v2.Content(content=TEXT)]
    names = {"UNSET": UNSET, **{name: getattr(v2, name) for name in v2.__all__}}
    assert eval(repr(update), names) == update


def test_a_subclass_is_encoded_as_what_it_extends() -> None:
    class MyText(v2.TextContent):
        """A user's subclass."""

    assert v2.encode(MyText(text="t")) == {"text": "t"}
    assert v2.encode(MyText(text="t"), v2.ContentBlock) == {"type": "text", "text": "t"}
    request = v2.PromptRequest(session_id="s", prompt=[MyText(text="t")])
    assert v2.encode(request)["prompt"] == [{"type": "text", "text": "t"}]


# --- unknown variants ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tag", "is_extension"),
    [("_vendor/x", True), ("_", True), ("future", False), ("", False), ("x_", False)],
)
def test_a_tag_with_an_underscore_is_an_extension(tag: str, is_extension: bool) -> None:
    assert Unknown(tag, {}).is_extension is is_extension
    value = v2.decode(v2.SessionUpdate, {"sessionUpdate": tag})
    assert isinstance(value, v2.UnknownSessionUpdate)
    assert value.is_extension is is_extension


def test_unknown_variants_are_equal_by_class_and_by_the_whole_object() -> None:
    data = {"sessionUpdate": "_x", "a": 1, "_meta": {}, "": None}
    value = v2.decode(v2.SessionUpdate, data)
    assert value == v2.UnknownSessionUpdate(tag="_x", raw=data)
    assert value != v2.UnknownSessionUpdate(tag="_x", raw={**data, "a": 2})
    assert value != v2.UnknownContentBlock(tag="_x", raw=data)
    assert v2.encode(value, v2.SessionUpdate) is not data


@pytest.mark.parametrize(
    ("raw", "meta"),
    [
        ({}, UNSET),
        *(({"_meta": meta}, meta) for meta in (None, {"a": 1}, {})),
        *(({"_meta": bad}, UNSET) for bad in (5, [])),
    ],
)
def test_an_unknown_variant_has_meta_as_records_do(raw: dict[str, Any], meta: Any) -> None:
    record = v2.decode(v2.SessionUpdate, {"sessionUpdate": "session_info_update", **raw})
    assert Unknown("_x", raw).meta == record.meta == meta


@each_surface
def test_an_open_union_is_its_known_arms_and_the_unknown_one(
    surface: ModuleType, file: str
) -> None:
    names = [name for name in surface.__all__ if name.startswith("Known")]
    assert len(names) > 5
    for name in names:
        alias = getattr(surface, name)
        known = set(get_args(alias) or [alias])
        classes = set(get_args(getattr(surface, name.removeprefix("Known"))))
        assert known == {each for each in classes if not issubclass(each, Unknown)}, name
        assert classes - known, name


# --- errors and issues ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pointer", "type_name", "text"),
    [
        ("/a", "T", "T at /a: expected x, found y"),
        ("", "T", "T: expected x, found y"),
        ("", "", "JSON: expected x, found y"),
    ],
)
def test_the_text_of_a_decode_error(pointer: str, type_name: str, text: str) -> None:
    error = DecodeError(pointer, "x", "y", type_name)
    assert isinstance(error, ValueError)
    assert str(error) == text


@each_protocol
def test_errors_and_issues_are_pickled(protocol: int) -> None:
    error = DecodeError("/a/0", "string", "null", "T")
    for back in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error)):
        assert back.__class__ is DecodeError
        assert vars(back) == vars(error)
        assert str(back) == str(error)
    with pytest.raises(EncodeError) as caught:
        v2.encode(5)
    assert isinstance(caught.value, ValueError)
    back = pickle.loads(pickle.dumps(caught.value, protocol))
    assert back.__class__ is EncodeError
    assert str(back) == str(caught.value) != ""
    issue = Issue("/a", "expected x, found y", 5, "defaulted")
    assert pickle.loads(pickle.dumps(issue, protocol)) == issue


def test_issues_come_after_success_in_the_default_mode_only() -> None:
    issues: list[Issue] = []
    data = {"sessionId": 5, "update": {"sessionUpdate": "_x"}, "_meta": 5}
    with pytest.raises(DecodeError):
        v2.decode(v2.UpdateSessionNotification, data, on_issue=issues.append)
    assert issues == []
    value = v2.loads(v2.Cost, '{"amount": 1, "currency": ""}', strict=True, on_issue=issues.append)
    assert value.currency == ""
    assert issues == []


def test_an_error_in_on_issue_is_the_callers() -> None:
    def refuse(issue: Issue) -> None:
        raise KeyError(issue.pointer)

    with pytest.raises(KeyError, match="/title"):
        v2.decode(v2.ToolCallUpdate, {"toolCallId": "c", "title": 5}, on_issue=refuse)


# --- decode and encode ---------------------------------------------------------------------------

# Values that are neither classes nor aliases of the surface `v2`.
NO_TYPES = [
    *(v1.PromptRequest, v1.SessionUpdate, Record, Unknown, list, dict, list[v2.TextContent]),
    *(v2.TextContent | v2.Cost, object, "PromptRequest", 5, TEXT, v2, None),
]


@pytest.mark.parametrize("function", [v2.decode, v2.loads, v2.encode, v2.dumps])
@pytest.mark.parametrize("type", NO_TYPES, ids=lambda type: repr(type)[:40])
def test_a_type_of_the_surface_is_wanted(function: Any, type: Any) -> None:
    if function in (v2.decode, v2.loads):
        arguments = (type, "{}")
    elif type is not None:  # None means the value's own type
        arguments = (a_call(), type)
    else:
        return
    with pytest.raises(TypeError, match="not a type of this surface"):
        function(*arguments)


IDLE = v2.IdleStateUpdate(stop_reason="end_turn")
STATE = {"state": "idle", "stopReason": "end_turn"}
CONTENT = {"messageId": "m", "content": {"type": "text", "text": "t"}}


@pytest.mark.parametrize(
    ("value", "type", "data"),
    [
        (TEXT, v2.ContentBlock, {"type": "text", "text": "t"}),
        (IDLE, None, {"stopReason": "end_turn"}),
        (IDLE, v2.StateUpdate, STATE),
        (IDLE, v2.SessionUpdate, {"sessionUpdate": "state_update", **STATE}),
        # A variant without a definition is encoded like its union.
        (CHUNK, v2.SessionUpdate, {"sessionUpdate": "user_message_chunk", **CONTENT}),
        (CHUNK, v2.UserMessageChunk, {"sessionUpdate": "user_message_chunk", **CONTENT}),
        (CHUNK, v2.ContentChunk, CONTENT),
    ],
)
def test_a_union_writes_its_tag(value: Any, type: Any, data: Any) -> None:
    assert v2.encode(value, type) == data
    assert json.loads(v2.dumps(value, type)) == data


def test_an_arm_without_a_definition_is_of_its_class() -> None:
    with pytest.raises(EncodeError):
        v2.encode(v2.ContentChunk(content=TEXT, message_id="m"), v2.UserMessageChunk)
    with pytest.raises(DecodeError):
        v2.decode(v2.UserMessageChunk, {"sessionUpdate": "agent_message_chunk", **CONTENT})


@pytest.mark.parametrize(
    ("surface", "value", "union"),
    [
        (v2, CHUNK, "SessionUpdate"),
        (v1, v1.AgentMessageChunk(content=v1.TextContent(text="t")), "SessionUpdate"),
        (v2, v2.UnknownSessionUpdate("_x", {"sessionUpdate": "_x"}), "SessionUpdate"),
        (v2, UNKNOWN_BLOCK, "ContentBlock"),
    ],
)
@pytest.mark.parametrize("function", ["encode", "dumps"])
def test_an_arm_without_a_definition_asks_for_its_union(
    surface: ModuleType, value: Any, union: str, function: str
) -> None:
    with pytest.raises(EncodeError, match=f"encode it as {union}$") as caught:
        getattr(surface, function)(value)
    problem = f"{value.__class__.__name__}: is not a definition of the schema; "
    assert str(caught.value).startswith(problem)


@pytest.mark.parametrize(
    ("surface", "value", "union", "tag"),
    [
        (v2, CHUNK, "SessionUpdate", "user_message_chunk"),
        (v2, TEXT, "ContentBlock", "text"),
        (v2, v2.UnknownSessionUpdate("_x", {"sessionUpdate": "_x"}), "SessionUpdate", "_x"),
        (v2, IDLE, "SessionUpdate", "state_update"),
        (v2, IDLE, "StateUpdate", "idle"),
        # The class represents the variant without a tag.
        (v1, v1.AuthMethodAgent(id="a", name="A"), "AuthMethod", None),
    ],
)
def test_a_union_tells_the_tag_of_a_value(
    surface: ModuleType, value: Any, union: str, tag: str | None
) -> None:
    assert surface.tag(value, surface.TYPES[union]) == tag


def test_only_a_value_of_a_tagged_union_has_a_tag() -> None:
    with pytest.raises(TypeError, match="ToolCallUpdate is not a tagged union"):
        v2.tag(a_call(), v2.ToolCallUpdate)
    with pytest.raises(EncodeError, match="expected ContentBlock, found ToolCallUpdate"):
        v2.tag(a_call(), v2.ContentBlock)


def test_known_members_are_written_first_and_unknown_ones_after_them() -> None:
    data = {"x": 1, "title": "t", "toolCallId": "c", "a": 2}
    value = v2.decode(v2.ToolCallUpdate, data)
    assert list(v2.encode(value)) == ["toolCallId", "title", "x", "a"]


# --- facts of a surface --------------------------------------------------------------------------


@each_surface
def test_the_schema_is_the_vendored_one(surface: ModuleType, file: str) -> None:
    info = surface.SCHEMA
    assert isinstance(info, SchemaInfo)
    files = json.loads((SCHEMA / "sources.json").read_text("utf-8"))["files"]
    assert set(files) == {file for _, file in SURFACES.values()}
    facts = files[file]
    [located] = locate_schemas(SCHEMA, [surface.__name__.rpartition(".")[2]])
    assert located.origin is not None
    assert info.source == located.origin.label
    assert info.sha256 == facts["vendored_sha256"]
    assert info.sha256 == hashlib.sha256((SCHEMA / file).read_bytes()).hexdigest()
    assert info.protocol_version == int(file[1])
    assert info.stability == ("unstable" if "unstable" in file else "stable")
    generated = Path(surface.__file__ or "").read_text("utf-8")
    origin = f"{facts['path']} (sha256 {info.sha256})"
    header = f"# Code generated by acpgen {info.generator_version} from {origin}. DO NOT EDIT."
    assert generated.startswith(header)


@each_surface
def test_types_are_public_and_read_only(surface: ModuleType, file: str) -> None:
    assert set(surface.TYPES) <= set(surface.__all__)
    for name, type in surface.TYPES.items():
        assert getattr(surface, name) is type
    with pytest.raises(TypeError):
        surface.TYPES["PromptRequest"] = None
    with pytest.raises(TypeError):
        del surface.TYPES["PromptRequest"]


@pytest.mark.parametrize("surface", [v1_unstable, v2_unstable])
def test_an_error_names_the_class_not_another_name_of_it(surface: ModuleType) -> None:
    assert surface.TYPES["InitializeProxyResponse"] is surface.InitializeResponse
    with pytest.raises(DecodeError, match=r"^InitializeResponse at /protocolVersion"):
        surface.decode(surface.InitializeResponse, {})
