"""The shared runtime: UNSET, records, unknown variants, errors, and the public functions."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
import pickle
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import orjson
import pydantic
import pydantic_core
import pytest
from acp_bindings import runtime, v1, v1_unstable, v2, v2_unstable
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
from support.paths import SCHEMA

# Each surface and its schema.
SURFACES = {
    "v1": (v1, "v1/schema.json"),
    "v1_unstable": (v1_unstable, "v1/schema.unstable.json"),
    "v2": (v2, "v2/schema.json"),
    "v2_unstable": (v2_unstable, "v2/schema.unstable.json"),
}
each_surface = pytest.mark.parametrize(("surface", "file"), SURFACES.values(), ids=SURFACES.keys())

each_protocol = pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
# Pickling classes with slots needs pickle protocol 2 or later.
each_slots_protocol = pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))


def a_call() -> Any:
    """A record with text, null, an absent member, a list, free-form JSON and unknown members."""
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


# --- UNSET -------------------------------------------------------------------------------------


def test_unset_is_a_falsy_singleton() -> None:
    assert not UNSET
    assert bool(UNSET) is False
    assert repr(UNSET) == str(UNSET) == f"{UNSET}" == "UNSET"
    assert UNSET is not None
    assert UNSET != None  # noqa: E711
    assert UNSET != False  # noqa: E712
    assert isinstance(UNSET, UnsetType)
    assert UnsetType(UNSET.value) is UNSET
    assert list(UnsetType) == [UNSET]


def test_unset_is_not_written_as_json() -> None:
    """As a string, it would reach the other side."""

    class Model(pydantic.BaseModel):
        value: Any

    with pytest.raises(TypeError, match="UnsetType is not JSON serializable"):
        json.dumps({"value": UNSET})
    with pytest.raises(TypeError):
        orjson.dumps(UNSET)
    with pytest.raises(pydantic_core.PydanticSerializationError):
        Model(value=UNSET).model_dump_json()
    assert len({UNSET, UNSET}) == 1


def test_unset_stays_itself_when_copied() -> None:
    assert copy.copy(UNSET) is UNSET
    assert copy.deepcopy([UNSET])[0] is UNSET


@each_protocol
def test_unset_stays_itself_when_pickled(protocol: int) -> None:
    assert pickle.loads(pickle.dumps(UNSET, protocol)) is UNSET


def test_every_surface_has_the_same_unset() -> None:
    assert {surface.UNSET for surface, *_ in SURFACES.values()} == {UNSET}
    assert runtime.UNSET is UNSET


@pytest.mark.parametrize("value", ["x", "", 0, False, [], UNSET])
def test_what_is_given_stays(value: Any) -> None:
    assert given(value) is value


def test_none_that_is_given_is_left_out() -> None:
    assert given(None) is UNSET


# --- records -----------------------------------------------------------------------------------


def test_fields_are_keyword_only() -> None:
    with pytest.raises(TypeError):
        v2.Cost(1.5, "EUR")


def test_unknown_fields_are_keyword_only() -> None:
    with pytest.raises(TypeError):
        Record({"x": 1})


@pytest.mark.parametrize("surface", [v1, v1_unstable, v2, v2_unstable])
def test_unknown_fields_come_last(surface: ModuleType) -> None:
    """Also where a class adds members to those of another class."""
    classes = {each for each in surface.TYPES.values() if isinstance(each, type)}
    classes = {each for each in classes if issubclass(each, Record)}
    assert len(classes) > 100
    later = {each for each in classes if [*signature(each).parameters][-1] != "unknown_fields"}
    assert later == set()


def test_a_required_field_has_no_default() -> None:
    with pytest.raises(TypeError):
        v2.Cost(amount=1.5)


def test_a_record_takes_no_other_attribute() -> None:
    cost = v2.Cost(amount=1.5, currency="EUR")
    with pytest.raises(AttributeError):
        cost.ammount = 2


def test_the_repr_of_a_record_shows_what_is_set() -> None:
    cost = v2.Cost(amount=1.5, currency="EUR")
    assert repr(cost) == "Cost(amount=1.5, currency='EUR')"
    cost.meta, cost.unknown_fields = None, {"x": 1}
    assert repr(cost) == "Cost(amount=1.5, currency='EUR', meta=None, unknown_fields={'x': 1})"
    cost.unknown_fields = {"x": cost}
    assert repr(cost).endswith("unknown_fields={'x': ...})")


def test_the_repr_of_a_record_makes_it_again() -> None:
    update = v2.UpdateSessionNotification(session_id="s", update=a_call())
    update.update.content = [v2.Content(content=v2.TextContent(text="t"))]
    names = {"UNSET": UNSET, **{name: getattr(v2, name) for name in v2.__all__}}
    assert eval(repr(update), names) == update


def test_records_are_equal_by_class_and_by_every_field() -> None:
    assert a_call() == a_call()
    changes: dict[str, Any] = {
        "tool_call_id": "call_2",
        "title": UNSET,
        "kind": None,
        "content": [],
        "meta": None,
        "unknown_fields": {"x": [2]},
    }
    for name, value in changes.items():
        assert dataclasses.replace(a_call(), **{name: value}) != a_call(), name
    chunk = {"content": v2.TextContent(text="t"), "message_id": "m"}
    assert v2.UserMessageChunk(**chunk) != v2.AgentMessageChunk(**chunk)
    assert v2.UserMessageChunk(**chunk) != v2.ContentChunk(**chunk)
    assert v2.Cost(amount=1, currency="EUR") != v1.Cost(amount=1, currency="EUR")


def test_no_unknown_fields_are_none_not_empty() -> None:
    decoded = v2.decode(v2.Cost, {"amount": 1, "currency": "EUR"})
    assert decoded.unknown_fields is None
    assert decoded == v2.Cost(amount=1, currency="EUR")


@pytest.mark.parametrize("made", [a_call, lambda: v2.encode(a_call())], ids=["built", "decoded"])
def test_records_are_copied(made: Any) -> None:
    value = made()
    value = v2.decode(v2.ToolCallUpdate, value) if isinstance(value, dict) else value
    shallow, deep = copy.copy(value), copy.deepcopy(value)
    assert shallow == deep == value
    assert shallow is not value
    assert shallow.content is value.content
    assert deep.content[0] is not value.content[0]
    assert deep.unknown_fields is not value.unknown_fields
    assert deep.kind is UNSET
    assert v2.encode(deep) == v2.encode(value)


@each_slots_protocol
def test_records_are_pickled(protocol: int) -> None:
    for value in (a_call(), v2.decode(v2.ToolCallUpdate, v2.encode(a_call()))):
        back = pickle.loads(pickle.dumps(value, protocol))
        assert back == value
        assert back.__class__ is v2.ToolCallUpdate
        assert back.kind is UNSET
        assert back.unknown_fields == {"x": [1]}


def test_a_subclass_is_encoded_as_what_it_extends() -> None:
    class MyText(v2.TextContent):
        """A user's subclass."""

    assert v2.encode(MyText(text="t")) == {"text": "t"}
    assert v2.encode(MyText(text="t"), v2.ContentBlock) == {"type": "text", "text": "t"}
    request = v2.PromptRequest(session_id="s", prompt=[MyText(text="t")])
    assert v2.encode(request)["prompt"] == [{"type": "text", "text": "t"}]


@each_surface
def test_every_class_is_a_record_with_slots(surface: ModuleType, file: str) -> None:
    classes = [
        each
        for name in surface.__all__
        if isinstance(each := getattr(surface, name), type)
        and each.__module__ == f"{surface.__name__}.types"
    ]
    assert len(classes) > 100
    for each in classes:
        assert issubclass(each, Record) is not issubclass(each, Unknown), each
        assert not hasattr(object.__new__(each), "__dict__") or issubclass(each, Unknown), each
        assert each.__doc__
        assert "ACP v" in each.__doc__ or issubclass(each, Unknown), each


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


def test_an_unknown_variant_holds_the_whole_object() -> None:
    data = {"sessionUpdate": "_x", "a": 1, "_meta": {}, "": None}
    value = v2.decode(v2.SessionUpdate, data)
    assert value == v2.UnknownSessionUpdate(tag="_x", raw=data)
    assert value != v2.UnknownSessionUpdate(tag="_x", raw={**data, "a": 2})
    assert value != v2.UnknownContentBlock(tag="_x", raw=data)
    written = v2.encode(value, v2.SessionUpdate)
    assert written == data
    assert written is not data


@pytest.mark.parametrize(
    ("raw", "meta"),
    [
        ({}, UNSET),
        ({"_meta": None}, None),
        ({"_meta": {"a": 1}}, {"a": 1}),
        ({"_meta": {}}, {}),
        ({"_meta": 5}, UNSET),
        ({"_meta": []}, UNSET),
    ],
    ids=repr,
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


@each_slots_protocol
def test_an_unknown_variant_is_copied_and_pickled(protocol: int) -> None:
    value = v2.UnknownSessionUpdate("_x", {"sessionUpdate": "_x", "a": [1]})
    assert pickle.loads(pickle.dumps(value, protocol)) == copy.copy(value) == value
    assert copy.deepcopy(value).raw is not value.raw


@pytest.mark.parametrize(
    ("tag", "raw"),
    [
        ("_x", {}),
        ("_x", {"sessionUpdate": "_y"}),
        ("_x", {"sessionUpdate": None}),
        ("plan_update", {"sessionUpdate": "plan_update"}),
        ("state_update", {"sessionUpdate": "state_update", "state": "_x"}),
        ("_x", []),
        ("_x", None),
    ],
    ids=repr,
)
def test_an_unknown_variant_that_contradicts_itself_is_not_encoded(tag: str, raw: Any) -> None:
    with pytest.raises(EncodeError):
        v2.encode(v2.UnknownSessionUpdate(tag, raw))


# --- errors and issues ---------------------------------------------------------------------------


def test_a_decode_error_says_what_where() -> None:
    with pytest.raises(DecodeError) as caught:
        v2.decode(v2.PromptRequest, {"sessionId": "s", "prompt": [{"type": "text", "text": 5}]})
    error = caught.value
    assert isinstance(error, ValueError)
    assert error.pointer == "/prompt/0/text"
    assert error.expected == "string"
    assert error.found == "integer"
    assert error.type_name == "PromptRequest"
    assert str(error) == "PromptRequest at /prompt/0/text: expected string, found integer"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (DecodeError("/a", "x", "y", "T"), "T at /a: expected x, found y"),
        (DecodeError("", "x", "y", "T"), "T: expected x, found y"),
        (DecodeError("", "x", "y"), "JSON: expected x, found y"),
    ],
)
def test_the_text_of_a_decode_error(error: DecodeError, text: str) -> None:
    assert str(error) == text


@pytest.mark.parametrize(
    ("member", "value", "found"),
    [
        ("currency", None, "null"),
        ("currency", True, "boolean"),
        ("currency", 1, "integer"),
        ("currency", 1.5, "number"),
        ("currency", [], "array"),
        ("currency", {}, "object"),
        ("amount", "1", "string"),
    ],
)
def test_what_is_found_is_a_json_type(member: str, value: Any, found: str) -> None:
    with pytest.raises(DecodeError) as caught:
        v2.decode(v2.Cost, {"amount": 1, "currency": "EUR", member: value})
    assert caught.value.pointer == f"/{member}"
    assert caught.value.found == found


def test_a_missing_member_is_named_by_the_pointer_it_would_have() -> None:
    with pytest.raises(DecodeError) as caught:
        v2.decode(v2.PromptRequest, {"sessionId": "s", "prompt": [{"type": "text"}]})
    assert caught.value.pointer == "/prompt/0/text"
    assert caught.value.found == "nothing"


@each_protocol
def test_a_decode_error_is_pickled(protocol: int) -> None:
    error = DecodeError("/a/0", "string", "null", "T")
    for back in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error)):
        assert back.__class__ is DecodeError
        assert vars(back) == vars(error)
        assert str(back) == str(error)


@each_protocol
def test_an_encode_error_is_pickled(protocol: int) -> None:
    with pytest.raises(EncodeError) as caught:
        v2.encode(5)
    assert isinstance(caught.value, ValueError)
    back = pickle.loads(pickle.dumps(caught.value, protocol))
    assert back.__class__ is EncodeError
    assert str(back) == str(caught.value) != ""


@each_protocol
def test_an_issue_is_a_plain_value(protocol: int) -> None:
    issues: list[Issue] = []
    v2.decode(v2.ToolCallUpdate, {"toolCallId": "c", "title": 5}, on_issue=issues.append)
    (issue,) = issues
    assert issue == Issue(
        pointer="/title",
        reason="expected string or null, found integer",
        raw=5,
        action="defaulted",
    )
    assert pickle.loads(pickle.dumps(issue, protocol)) == issue
    with pytest.raises(dataclasses.FrozenInstanceError):
        issue.raw = 6


def test_issues_come_after_success_only() -> None:
    issues: list[Issue] = []
    data = {"sessionId": 5, "update": {"sessionUpdate": "_x"}, "_meta": 5}
    with pytest.raises(DecodeError):
        v2.decode(v2.UpdateSessionNotification, data, on_issue=issues.append)
    assert issues == []


def test_an_error_in_on_issue_is_the_callers() -> None:
    def refuse(issue: Issue) -> None:
        raise KeyError(issue.pointer)

    with pytest.raises(KeyError, match="/title"):
        v2.decode(v2.ToolCallUpdate, {"toolCallId": "c", "title": 5}, on_issue=refuse)


def test_strict_mode_reports_nothing() -> None:
    issues: list[Issue] = []
    value = v2.loads(v2.Cost, '{"amount": 1, "currency": ""}', strict=True, on_issue=issues.append)
    assert value.currency == ""
    assert issues == []


# --- decode and encode ---------------------------------------------------------------------------

# Neither a class nor an alias of version 2.
NO_TYPES = [
    v1.PromptRequest,
    v1.SessionUpdate,
    Record,
    Unknown,
    list,
    dict,
    list[v2.TextContent],
    v2.TextContent | v2.Cost,
    object,
    "PromptRequest",
    5,
    v2.TextContent(text="t"),
    v2,
]


@pytest.mark.parametrize("type", [*NO_TYPES, None], ids=lambda type: repr(type)[:40])
def test_decode_wants_a_type_of_its_surface(type: Any) -> None:
    with pytest.raises(TypeError, match="not a type of this surface"):
        v2.decode(type, {})


@pytest.mark.parametrize("type", [*NO_TYPES, None], ids=lambda type: repr(type)[:40])
def test_loads_wants_a_type_of_its_surface(type: Any) -> None:
    with pytest.raises(TypeError, match="not a type of this surface"):
        v2.loads(type, "{}")


@pytest.mark.parametrize("type", NO_TYPES, ids=lambda type: repr(type)[:40])
def test_encode_wants_a_type_of_its_surface(type: Any) -> None:
    with pytest.raises(TypeError, match="not a type of this surface"):
        v2.encode(a_call(), type)


@pytest.mark.parametrize("type", NO_TYPES, ids=lambda type: repr(type)[:40])
def test_dumps_wants_a_type_of_its_surface(type: Any) -> None:
    with pytest.raises(TypeError, match="not a type of this surface"):
        v2.dumps(a_call(), type)


@pytest.mark.parametrize(
    ("value", "type"),
    [
        (v2.PromptRequest(session_id="s", prompt=[]), v2.SessionUpdate),
        (v2.TextContent(text="t"), v2.SessionUpdate),
        (v2.ContentChunk(content=v2.TextContent(text="t"), message_id="m"), v2.SessionUpdate),
        (v2.UnknownContentBlock("_x", {"type": "_x"}), v2.SessionUpdate),
        (v2.TextContent(text="t"), v2.ImageContent),
        (v2.ContentChunk(content=v2.TextContent(text="t"), message_id="m"), v2.UserMessageChunk),
        (v1.ToolCallUpdate(tool_call_id="c"), v2.SessionUpdate),
        (v1.ToolCallUpdate(tool_call_id="c"), v2.ToolCallUpdate),
        (v1.ToolCallUpdate(tool_call_id="c"), None),
        ({"sessionUpdate": "_x"}, v2.SessionUpdate),
        ({"text": "t"}, v2.TextContent),
        ([a_call()], v2.SessionUpdate),
        (None, v2.SessionUpdate),
        (None, v2.TextContent),
        ("text", v2.ContentBlock),
        (v2.TextContent, v2.ContentBlock),
        (UNSET, v2.ContentBlock),
        (Unknown("_x", {"type": "_x"}), v2.ContentBlock),
        (Record(), None),
        ({}, None),
        ("text", None),
        (None, None),
        (v2.PromptRequest(session_id="s", prompt=5), None),
        (v2.PromptRequest(session_id="s", prompt=UNSET), None),
        (v2.PromptRequest(session_id="s", prompt=[a_call()]), None),
    ],
    ids=range(25),
)
def test_encode_wants_a_value_of_the_type(value: Any, type: Any) -> None:
    with pytest.raises(EncodeError):
        v2.encode(value, type)


@pytest.mark.parametrize(
    "value",
    [
        v2.SessionNotFoundErrorData(session_id=UNSET),
        v2.SessionNotFoundErrorData(session_id=b"s"),
        v2.Cost(amount=1j, currency="EUR"),
    ],
)
def test_what_is_no_json_is_not_written(value: Any) -> None:
    with pytest.raises(EncodeError):
        v2.dumps(value)


def test_a_record_made_without_its_fields_is_not_encoded() -> None:
    with pytest.raises(EncodeError):
        v2.encode(object.__new__(v2.Cost))


def test_without_a_type_a_value_is_written_as_its_own_definition() -> None:
    assert v2.encode(v2.ToolCallUpdate(tool_call_id="c")) == {"toolCallId": "c"}
    assert v2.encode(v2.TextContent(text="t")) == {"text": "t"}


def test_a_union_writes_its_tag() -> None:
    call = v2.ToolCallUpdate(tool_call_id="c")
    assert v2.encode(call, v2.SessionUpdate) == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "c",
    }
    assert v2.dumps(call, v2.SessionUpdate) == (
        '{"sessionUpdate":"tool_call_update","toolCallId":"c"}'
    )


def test_a_union_in_a_union_writes_both_tags() -> None:
    idle = v2.IdleStateUpdate(stop_reason="end_turn")
    assert v2.encode(idle) == {"stopReason": "end_turn"}
    assert v2.encode(idle, v2.StateUpdate) == {"state": "idle", "stopReason": "end_turn"}
    assert v2.encode(idle, v2.SessionUpdate) == {
        "sessionUpdate": "state_update",
        "state": "idle",
        "stopReason": "end_turn",
    }


def test_an_arm_without_a_definition_is_written_as_its_union() -> None:
    chunk = v2.UserMessageChunk(content=v2.TextContent(text="t"), message_id="m")
    tagged = v2.encode(chunk, v2.SessionUpdate)
    assert v2.encode(chunk, v2.UserMessageChunk) == tagged
    assert tagged["sessionUpdate"] == "user_message_chunk"
    assert "sessionUpdate" not in v2.encode(chunk, v2.ContentChunk)


@pytest.mark.parametrize(
    ("value", "union"),
    [
        (v2.UserMessageChunk(content=v2.TextContent(text="t"), message_id="m"), "SessionUpdate"),
        (v1.AgentMessageChunk(content=v1.TextContent(text="t")), "SessionUpdate"),
        (v2.UnknownSessionUpdate("_x", {"sessionUpdate": "_x"}), "SessionUpdate"),
        (v2.UnknownContentBlock("_x", {"type": "_x"}), "ContentBlock"),
        (v1.UserMessageChunk(content=v1.TextContent(text="t")), "SessionUpdate"),
    ],
)
@pytest.mark.parametrize("function", ["encode", "dumps"])
def test_an_arm_without_a_definition_asks_for_its_union(
    function: str, value: Any, union: str
) -> None:
    surface = v1 if value.__class__.__module__ == v1.TextContent.__module__ else v2
    with pytest.raises(EncodeError, match=f"encode it as {union}$") as caught:
        getattr(surface, function)(value)
    assert str(caught.value).startswith(f"{value.__class__.__name__}: is no definition")


def test_a_union_tells_the_tag_of_a_value() -> None:
    chunk = v2.UserMessageChunk(content=v2.TextContent(text="t"), message_id="m")
    assert v2.tag(chunk, v2.SessionUpdate) == "user_message_chunk"
    assert v2.tag(v2.TextContent(text="t"), v2.ContentBlock) == "text"
    assert v2.tag(v2.UnknownSessionUpdate("_x", {"sessionUpdate": "_x"}), v2.SessionUpdate) == "_x"
    idle = v2.IdleStateUpdate()
    assert (v2.tag(idle, v2.SessionUpdate), v2.tag(idle, v2.StateUpdate)) == (
        "state_update",
        "idle",
    )
    agent = v1.AuthMethodAgent(id="a", name="A")
    assert v1.tag(agent, v1.AuthMethod) is None  # its arm is the one without a tag


def test_only_a_tagged_union_has_tags() -> None:
    with pytest.raises(TypeError, match="ToolCallUpdate is not a tagged union"):
        v2.tag(a_call(), v2.ToolCallUpdate)


def test_only_a_value_of_the_union_has_a_tag() -> None:
    with pytest.raises(EncodeError, match="expected ContentBlock, found ToolCallUpdate"):
        v2.tag(a_call(), v2.ContentBlock)


def test_the_tag_is_no_field() -> None:
    with pytest.raises(TypeError):
        v2.ToolCallUpdate(tool_call_id="c", session_update="x")


def test_absent_null_and_value_are_three_things() -> None:
    for title, data in ((UNSET, {}), (None, {"title": None}), ("", {"title": ""})):
        whole = {"toolCallId": "c", **data}
        value = v2.decode(v2.ToolCallUpdate, whole, strict=True)
        assert value.title is title or value.title == title
        assert value == v2.ToolCallUpdate(tool_call_id="c", title=title)
        assert v2.encode(value) == whole
        assert json.loads(v2.dumps(value)) == whole


@pytest.mark.parametrize(
    "name",
    [
        field.name
        for field in dataclasses.fields(v2.ToolCallUpdate)
        if field.name not in ("tool_call_id", "unknown_fields")
    ],
)
def test_every_optional_field_knows_absence_from_null(name: str) -> None:
    absent = v2.ToolCallUpdate(tool_call_id="c")
    null = dataclasses.replace(absent, **{name: None})
    assert getattr(absent, name) is UNSET
    assert v2.encode(absent) == {"toolCallId": "c"}
    (member,) = set(v2.encode(null)) - {"toolCallId"}
    assert v2.encode(null)[member] is None
    assert v2.decode(v2.ToolCallUpdate, v2.encode(null), strict=True) == null != absent


def test_decode_does_not_change_its_data() -> None:
    data = {"sessionId": "s", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "c"}}
    data["update"] |= {"title": 5, "content": [5, {"type": "_x"}], "x": 1, "_meta": []}
    before = copy.deepcopy(data)
    v2.decode(v2.UpdateSessionNotification, data)
    assert data == before


def test_known_members_are_written_first_and_unknown_ones_after_them() -> None:
    data = {"x": 1, "title": "t", "toolCallId": "c", "a": 2}
    value = v2.decode(v2.ToolCallUpdate, data)
    assert list(v2.encode(value)) == ["toolCallId", "title", "x", "a"]


# --- facts of a surface --------------------------------------------------------------------------


@each_surface
def test_the_schema_is_the_vendored_one(surface: ModuleType, file: str) -> None:
    info = surface.SCHEMA
    assert isinstance(info, SchemaInfo)
    facts = json.loads((SCHEMA / "sources.json").read_text("utf-8"))["files"][file]
    assert info.source == f"{facts['source']}@{facts['version']}"
    assert info.sha256 == facts["vendored_sha256"]
    assert info.sha256 == hashlib.sha256((SCHEMA / file).read_bytes()).hexdigest()
    assert info.protocol_version == int(file[1])
    assert info.stability == ("unstable" if "unstable" in file else "stable")
    generated = Path(surface.__file__ or "").read_text("utf-8")
    origin = f"{facts['path']} (sha256 {info.sha256})"
    header = f"# Code generated by acpgen {info.generator_version} from {origin}. DO NOT EDIT."
    assert generated.startswith(header)


def test_every_vendored_schema_has_a_surface() -> None:
    facts = json.loads((SCHEMA / "sources.json").read_text("utf-8"))["files"]
    assert set(facts) == {file for _, file in SURFACES.values()}


@each_surface
def test_types_are_all_definitions_but_the_envelopes(surface: ModuleType, file: str) -> None:
    definitions = json.loads((SCHEMA / file).read_text("utf-8"))["$defs"]
    names = {name for name, each in definitions.items() if not each.get("x-docs-ignore")}
    assert len(surface.TYPES) == len(names) > 0
    assert set(surface.TYPES) == names
    assert names <= set(surface.__all__)
    for name, type in surface.TYPES.items():
        assert getattr(surface, name) is type


@each_surface
def test_types_are_read_only(surface: ModuleType, file: str) -> None:
    with pytest.raises(TypeError):
        surface.TYPES["PromptRequest"] = None
    with pytest.raises(TypeError):
        del surface.TYPES["PromptRequest"]
    assert surface.TYPES["PromptRequest"] is surface.PromptRequest


@each_surface
def test_public_names_exist(surface: ModuleType, file: str) -> None:
    assert len(set(surface.__all__)) == len(surface.__all__)
    for name in surface.__all__:
        assert hasattr(surface, name)
    assert {"decode", "encode", "loads", "dumps", "TYPES", "SCHEMA", "UNSET"} <= set(
        surface.__all__
    )


def test_public_names_of_the_runtime_exist() -> None:
    assert {"UNSET", "UnsetType", "Record", "DecodeError", "Issue"} <= set(runtime.__all__)
    for name in runtime.__all__:
        assert hasattr(runtime, name)


@pytest.mark.parametrize("surface", [v1_unstable, v2_unstable])
def test_an_error_names_the_class_not_another_name_of_it(surface: ModuleType) -> None:
    assert surface.TYPES["InitializeProxyResponse"] is surface.InitializeResponse
    with pytest.raises(DecodeError, match=r"^InitializeResponse at /protocolVersion"):
        surface.decode(surface.InitializeResponse, {})
