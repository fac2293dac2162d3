"""Hostile input: too deep, too large, not JSON, or with harmful names."""

from __future__ import annotations

import json
import math
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime import DecodeError, EncodeError, Issue

SURFACES = (v1, v1_unstable, v2, v2_unstable)
each_surface = pytest.mark.parametrize(
    "surface", SURFACES, ids=lambda surface: surface.__name__.rpartition(".")[2]
)

DEPTH = 100_000
MANY = 20_000
SECRET = "hunter2-do-not-print"

# Texts of one JSON value, to be put into a tool call.
CALL = '{"toolCallId": "call_1", "rawInput": %s}'


def nested(depth: int = DEPTH) -> Any:
    """A list in a list in a dict in a list ..., built without recursion."""
    value: Any = 0
    for level in range(depth):
        value = {"a": value} if level % 2 else [value]
    return value


def nested_text(depth: int = DEPTH) -> str:
    pairs = depth // 2
    return '[{"a":' * pairs + "0" + "}]" * pairs


def call(**members: Any) -> Any:
    return v2.ToolCallUpdate(tool_call_id="call_1", **members)


def failure(surface: ModuleType, type: Any, data: Any, strict: bool) -> DecodeError | None:
    """The error of decoding, if any; other exceptions pass through."""
    try:
        surface.decode(type, data, strict=strict)
    except DecodeError as error:
        return error
    return None


# --- depth -----------------------------------------------------------------------------------


@each_surface
@pytest.mark.parametrize("as_bytes", [False, True], ids=["str", "bytes"])
@pytest.mark.parametrize(
    "text",
    [nested_text(), "[" * DEPTH, '{"a":' * DEPTH, CALL % nested_text()],
    ids=["whole", "unclosed arrays", "unclosed objects", "any-JSON member"],
)
def test_deep_text_is_refused(surface: ModuleType, text: str, as_bytes: bool) -> None:
    with pytest.raises(DecodeError) as caught:
        surface.loads(surface.ToolCallUpdate, text.encode() if as_bytes else text)
    assert caught.value.pointer == ""
    assert caught.value.expected == "JSON text"
    assert caught.value.type_name == "ToolCallUpdate"


@each_surface
@pytest.mark.parametrize("strict", [False, True], ids=["default", "strict"])
def test_deep_data_passes_through_a_free_form_member(surface: ModuleType, strict: bool) -> None:
    deep = nested()
    data = {"toolCallId": "call_1", "rawInput": deep, "_meta": {"deep": deep}, "x": deep}
    value = surface.decode(surface.ToolCallUpdate, data, strict=strict)
    assert value.raw_input is deep
    assert value.meta["deep"] is deep
    assert value.unknown_fields["x"] is deep
    assert surface.encode(value)["rawInput"] is deep


@each_surface
def test_deep_data_is_not_written(surface: ModuleType) -> None:
    value = surface.ToolCallUpdate(tool_call_id="call_1", raw_input=nested())
    with pytest.raises(EncodeError) as caught:
        surface.dumps(value)
    assert "too deep" in str(caught.value)


@each_surface
def test_deep_data_in_an_unknown_variant(surface: ModuleType) -> None:
    data = {"sessionUpdate": "_deep", "value": nested()}
    value = surface.decode(surface.SessionUpdate, data)
    assert value.raw is data
    with pytest.raises(EncodeError):
        surface.dumps(value, surface.SessionUpdate)


@each_surface
def test_deep_data_where_a_typed_value_is_expected(surface: ModuleType) -> None:
    """For every type, decoding returns a value or raises DecodeError, not RecursionError."""
    deep_object: Any = {}
    for _ in range(DEPTH):
        deep_object = {"sessionId": deep_object, "type": deep_object, "properties": deep_object}
    shapes = (nested(), deep_object, [deep_object], {"update": deep_object})
    errors = [
        failure(surface, type, data, strict)
        for type in surface.TYPES.values()
        for data in shapes
        for strict in (False, True)
    ]
    refusals = [str(error) for error in errors if error is not None]
    assert len(refusals) > 4 * len(surface.TYPES)
    assert max(map(len, refusals)) < 1_000


# --- size ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "unit", ["x", "é", "漢", "🔍", '"', "\\", "\n", "\x00", "\u2028"], ids=ascii
)
def test_long_strings_round_trip(unit: str) -> None:
    text = unit * (10_000_000 // len(unit.encode()))
    chunk = v1.AgentMessageChunk(content=v1.TextContent(text=text))
    written = v1.dumps(chunk, v1.SessionUpdate)
    assert "\n" not in written
    # Assert on the outcome alone: pytest would take minutes to explain a difference.
    same = v1.loads(v1.SessionUpdate, written) == chunk
    same_from_bytes = v1.loads(v1.SessionUpdate, written.encode()) == chunk
    same_as_json = json.loads(written)["content"]["text"] == text
    assert (same, same_from_bytes, same_as_json) == (True, True, True)


def test_a_long_tag_and_a_long_name() -> None:
    name = "_" + "x" * 1_000_000
    data = {"sessionUpdate": name, name: name}
    value = v2.decode(v2.SessionUpdate, data)
    assert isinstance(value, v2.UnknownSessionUpdate)
    assert value.is_extension
    assert v2.encode(value, v2.SessionUpdate) == data


def test_an_object_with_many_unknown_members() -> None:
    data = {"toolCallId": "call_1", **{f"x{number}": number for number in range(MANY)}}
    value = v2.decode(v2.ToolCallUpdate, data, strict=True)
    assert len(value.unknown_fields or ()) == MANY
    assert v2.encode(value) == data


@each_surface
def test_each_bad_item_is_skipped_and_reported(surface: ModuleType) -> None:
    good = {"type": "content", "content": {"type": "text", "text": "kept"}}
    bad: list[Any] = [5, None, {}, {"type": "diff"}, {"type": 1}] * (MANY // 5)
    issues: list[Issue] = []
    value = surface.decode(
        surface.ToolCallUpdate,
        {"toolCallId": "call_1", "content": [*bad, good]},
        on_issue=issues.append,
    )
    assert surface.encode(value) == {"toolCallId": "call_1", "content": [good]}
    assert len(issues) == MANY
    assert {issue.action for issue in issues} == {"skipped"}
    assert [issue.pointer for issue in issues] == [f"/content/{index}" for index in range(MANY)]


@pytest.mark.parametrize("surface", [v1, v1_unstable], ids=["v1", "v1_unstable"])
def test_each_unknown_item_is_kept_and_reported(surface: ModuleType) -> None:
    data = {"sessionId": "s", "prompt": [{"type": "_smell", "index": i} for i in range(MANY)]}
    issues: list[Issue] = []
    value = surface.decode(surface.PromptRequest, data, on_issue=issues.append)
    assert {block.__class__ for block in value.prompt} == {surface.UnknownContentBlock}
    assert surface.encode(value) == data
    assert len(issues) == MANY
    assert {issue.action for issue in issues} == {"unknown_kept"}
    assert [issue.pointer for issue in issues] == [f"/prompt/{i}/type" for i in range(MANY)]


def test_issues_inside_a_dropped_value_are_dropped_with_it() -> None:
    """Many repairs inside, then one bad item, for which the whole array is replaced."""
    repaired: list[Any] = [{"type": "terminal", "terminalId": "t", "_meta": 5}] * MANY
    issues: list[Issue] = []
    data: dict[str, Any] = {"state": "idle", "background": repaired}
    v2.decode(v2.StateUpdate, data, on_issue=issues.append)
    assert len(issues) == MANY
    issues.clear()
    data = {"state": "idle", "background": [*repaired, 5]}
    value = v2.decode(v2.StateUpdate, data, on_issue=issues.append)
    assert value == v2.IdleStateUpdate()
    assert [(issue.pointer, issue.action) for issue in issues] == [("/background", "defaulted")]


# --- numbers ---------------------------------------------------------------------------------

USAGE = {"used": 1, "size": 2}
LINK = {"name": "n", "uri": "file:///n"}

# (surface, type, an object, its integer member, smallest, largest)
BOUNDS = [
    (v1, "UsageUpdate", USAGE, "used", 0, 2**64 - 1),
    (v2, "UsageUpdate", USAGE, "size", 0, 2**64 - 1),
    (v1, "ResourceLink", LINK, "size", -(2**63), 2**63 - 1),
    (v2, "ResourceLink", LINK, "size", 0, 2**64 - 1),
    (v1, "ReadTextFileRequest", {"sessionId": "s", "path": "/p"}, "line", 0, 2**32 - 1),
    (v2, "ToolCallLocation", {"path": "/p"}, "line", 1, 2**32 - 1),
    (v2, "TerminalSize", {"rows": 1, "cols": 1}, "cols", 1, 2**16 - 1),
    (v2, "TerminalExitStatus", {}, "exitCode", -(2**63), 2**63 - 1),
    (v1, "IntegerPropertySchema", {}, "minimum", -(2**63), 2**63 - 1),
    (v2, "Error", {"code": 1, "message": "m"}, "code", -(2**31), 2**31 - 1),
    (v1, "InitializeRequest", {"protocolVersion": 1}, "protocolVersion", 0, 2**16 - 1),
]
each_bound = pytest.mark.parametrize(
    ("surface", "name", "data", "member", "smallest", "largest"),
    BOUNDS,
    ids=[f"{row[0].__name__[-2:]}.{row[1]}.{row[3]}" for row in BOUNDS],
)


@each_bound
def test_integers_within_their_format(
    surface: ModuleType, name: str, data: Any, member: str, smallest: int, largest: int
) -> None:
    for number in (smallest, largest):
        whole = {**data, member: number}
        value = surface.decode(surface.TYPES[name], whole, strict=True)
        assert surface.encode(value) == whole
        assert surface.loads(surface.TYPES[name], surface.dumps(value), strict=True) == value


@each_bound
def test_integers_beyond_their_format(
    surface: ModuleType, name: str, data: Any, member: str, smallest: int, largest: int
) -> None:
    for number in (smallest - 1, largest + 1, 2**64, -(2**64), 10**4000, 1e300, -1e300):
        with pytest.raises(DecodeError) as caught:
            surface.decode(surface.TYPES[name], {**data, member: number}, strict=True)
        assert caught.value.pointer == f"/{member}"
        assert caught.value.expected == f"integer from {smallest} to {largest}"


@pytest.mark.parametrize("surface", [v1, v2], ids=["v1", "v2"])
@pytest.mark.parametrize("number", [2**63, 2**64, -(2**63) - 1, 10**4000])
def test_integers_beyond_every_arm_of_a_union(surface: ModuleType, number: int) -> None:
    with pytest.raises(DecodeError):
        surface.decode(surface.RequestId, number)
    assert surface.decode(surface.RequestId, 2**63 - 1) == 2**63 - 1


def test_large_integers_pass_through_a_free_form_member() -> None:
    number = 10**4000
    value = v2.loads(v2.ToolCallUpdate, CALL % number)
    assert value.raw_input == number
    assert json.loads(v2.dumps(value))["rawInput"] == number


@pytest.mark.parametrize("literal", ["1" * 5_000, "-" + "1" * 5_000], ids=["plus", "minus"])
def test_an_integer_literal_too_long_to_convert(literal: str) -> None:
    with pytest.raises(DecodeError) as caught:
        v2.loads(v2.ToolCallUpdate, CALL % literal)
    assert literal not in str(caught.value)


def test_an_integer_too_long_to_write() -> None:
    with pytest.raises(EncodeError):
        v2.dumps(call(raw_input=10**5_000))


@pytest.mark.parametrize(
    "literal", ["1e400", "-1e400", "1E+400", "1" * 400 + ".0", "NaN", "Infinity", "-Infinity"]
)
def test_number_literals_without_a_finite_value(literal: str) -> None:
    for text in (CALL % literal, CALL % f"[{literal}]", f'{{"toolCallId": {literal}}}', literal):
        with pytest.raises(DecodeError) as caught:
            v2.loads(v2.ToolCallUpdate, text)
        assert caught.value.expected == "JSON text"


@pytest.mark.parametrize("literal", ["1e-400", "1e308", "-0.0", "-0", "5e-324", "1E2"])
def test_number_literals_with_a_finite_value(literal: str) -> None:
    value = v2.loads(v2.ToolCallUpdate, CALL % literal)
    assert repr(value.raw_input) == repr(json.loads(literal))
    assert repr(v2.loads(v2.ToolCallUpdate, v2.dumps(value)).raw_input) == repr(value.raw_input)


# NaN and the infinities are floats in Python, but not numbers in JSON.
each_infinite = pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf], ids=repr)


@each_infinite
@pytest.mark.parametrize("strict", [False, True], ids=["default", "strict"])
def test_infinite_numbers_are_refused_by_typed_members(number: float, strict: bool) -> None:
    for type, data, pointer in (
        (v2.Cost, {"amount": number, "currency": "EUR"}, "/amount"),
        (v2.UsageUpdate, {"used": number, "size": 1}, "/used"),
        (v2.ToolCallUpdate, {"toolCallId": number}, "/toolCallId"),
    ):
        with pytest.raises(DecodeError) as caught:
            v2.decode(type, data, strict=strict)
        assert caught.value.pointer == pointer


@each_infinite
def test_infinite_numbers_are_not_written(number: float) -> None:
    for value in (
        v2.Cost(amount=number, currency="EUR"),
        call(raw_input={"deep": [number]}),
        call(meta={"x": number}),
        call(unknown_fields={"x": number}),
        v2.UnknownSessionUpdate("_x", {"sessionUpdate": "_x", "x": number}),
    ):
        with pytest.raises(EncodeError):
            v2.dumps(value)


@pytest.mark.parametrize("strict", [False, True], ids=["default", "strict"])
@pytest.mark.parametrize(
    ("type", "data"),
    [
        (v2.UsageUpdate, {"used": True, "size": 2}),
        (v2.UsageUpdate, {"used": "5", "size": 2}),
        (v2.UsageUpdate, {"used": 1.5, "size": 2}),
        (v2.Cost, {"amount": True, "currency": "EUR"}),
        (v2.Cost, {"amount": "1.5", "currency": "EUR"}),
        (v2.SessionNotFoundErrorData, {"sessionId": 5}),
        (v2.SessionNotFoundErrorData, {"sessionId": b"5"}),
        (v2.PromptRequest, {"sessionId": "s", "prompt": "text"}),
        (v2.PromptRequest, {"sessionId": "s", "prompt": ({"type": "text", "text": "t"},)}),
        (v2.SessionUpdate, [["sessionUpdate", "plan_update"]]),
    ],
)
def test_nothing_is_coerced(type: Any, data: Any, strict: bool) -> None:
    with pytest.raises(DecodeError):
        v2.decode(type, data, strict=strict)


# --- text ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '"\ud800"',
        '"x\udfff"',
        '"\ude00\ud83d"',
        '{"\ud800": 1}',
        r'"\ud800"',
        r'"\uD83D"',
        r'"\udc00"',
        r'"\ude00\ud83d"',
        r'"\ud83dx\ude00"',
        r'"\\\ud800"',
        r'{"\ud800": 1}',
        r'[["\udbff\ud83d\ude00"]]',
        b'"\xed\xa0\x80"',
        b'"\xed\xb0\x80"',
        rb'"\ud800"',
        bytearray(rb'"\ud800"'),
    ],
    ids=ascii,
)
def test_lone_surrogates_are_refused(text: str | bytes | bytearray) -> None:
    before, after = CALL.split("%s")
    if isinstance(text, str):
        whole: str | bytes = f"{before}{text}{after}"
    else:
        whole = before.encode() + bytes(text) + after.encode()
    with pytest.raises(DecodeError) as caught:
        v2.loads(v2.ToolCallUpdate, whole)
    assert caught.value.expected == "JSON text"
    assert str(caught.value).isascii()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\ud83d\ude00"', "😀"),
        (r'"\uD83D\uDE00\ud83d\ude00"', "😀😀"),
        (r'"\\ud800"', r"\ud800"),
        (r'"\\\\ud800"', r"\\ud800"),
        (r'"\\\ud83d\ude00"', "\\😀"),
        (r'"\u0000\u001f\u007f"', "\x00\x1f\x7f"),
        (r'"\ue000\uffff\ufeff"', "\ue000\uffff\ufeff"),
    ],
    ids=ascii,
)
def test_what_only_looks_like_a_lone_surrogate(text: str, value: str) -> None:
    for whole in (CALL % text, (CALL % text).encode()):
        decoded = v2.loads(v2.ToolCallUpdate, whole)
        assert decoded.raw_input == value
        assert v2.loads(v2.ToolCallUpdate, v2.dumps(decoded)) == decoded


@pytest.mark.parametrize(
    "value",
    [
        call(raw_input="\ud800"),
        call(raw_input={"\udfff": 1}),
        call(title="a\ud83d"),
        call(meta={"x": ["\udc00"]}),
        call(unknown_fields={"\ud800": 1}),
        v2.SessionNotFoundErrorData(session_id="\ude00\ud83d"),
        v2.UnknownSessionUpdate("_\ud800", {"sessionUpdate": "_\ud800"}),
    ],
    ids=ascii,
)
def test_lone_surrogates_are_not_written(value: Any) -> None:
    with pytest.raises(EncodeError):
        v2.dumps(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        b"",
        bytearray(),
        " ",
        "\n\t",
        "{",
        "}",
        '{"toolCallId": "x"',
        '{"toolCallId": "x",}',
        "{'toolCallId': 'x'}",
        '{toolCallId: "x"}',
        '{"toolCallId": "x"} {"toolCallId": "x"}',
        '{"toolCallId": "x"}]',
        '{"toolCallId": "x"}\x00',
        '{"toolCallId": "x"}\x0b',
        '\x0c{"toolCallId": "x"}',
        '\u00a0{"toolCallId": "x"}',
        '{"toolCallId": "x"}\u2028',
        '\ufeff{"toolCallId": "x"}',
        b'\xef\xbb\xbf{"toolCallId": "x"}',
        '{"toolCallId": "x"}'.encode("utf-16"),
        '{"toolCallId": "x"}'.encode("utf-32-le"),
        b'{"toolCallId": "\xff"}',
        b'{"toolCallId": "\xc0\xaf"}',
        b'{"toolCallId": "\xf4\x90\x80\x80"}',
        b'{"toolCallId": "\xe2\x82"}',
        '{"toolCallId": "a\nb"}',
        '{"toolCallId": "a\x00b"}',
        r'{"toolCallId": "\x41"}',
        r'{"toolCallId": "\u12"}',
        '{"toolCallId": "x", "rawInput": 01}',
        '{"toolCallId": "x", "rawInput": 1.}',
        '{"toolCallId": "x", "rawInput": .5}',
        '{"toolCallId": "x", "rawInput": +1}',
        '{"toolCallId": "x", "rawInput": 0x10}',
        '{"toolCallId": "x", "rawInput": 1_000}',
        '{"toolCallId": "x", "rawInput": \u0661}',
        '{"toolCallId": "x", "rawInput": True}',
        '{"toolCallId": "x"} // comment',
    ],
    ids=ascii,
)
def test_text_that_is_not_json(text: str | bytes | bytearray) -> None:
    with pytest.raises(DecodeError) as caught:
        v2.loads(v2.ToolCallUpdate, text)
    assert caught.value.pointer == ""
    assert caught.value.expected == "JSON text"
    assert caught.value.type_name == "ToolCallUpdate"
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"toolCallId":"call_1"}',
        ' \t\r\n{"toolCallId":"call_1"} \t\r\n',
        b'\n{"toolCallId":"call_1"}\n',
        bytearray(b' { "toolCallId"\n:\t"call_1" } '),
        r'{"\u0074oolCallId":"call\u005f1"}',
    ],
    ids=ascii,
)
def test_text_that_is_json(text: str | bytes | bytearray) -> None:
    assert v2.loads(v2.ToolCallUpdate, text, strict=True) == call()


def test_of_two_members_with_one_name_the_last_counts() -> None:
    text = '{"toolCallId": 5, "title": "a", "x": 1, "toolCallId": "call_1", "title": null, "x": 2}'
    value = v2.loads(v2.ToolCallUpdate, text, strict=True)
    assert value == call(title=None, unknown_fields={"x": 2})


def test_of_two_tags_the_last_counts() -> None:
    text = '{"type": "image", "text": "t", "type": "text"}'
    assert v2.loads(v2.ContentBlock, text, strict=True) == v2.TextContent(text="t")


# --- names -----------------------------------------------------------------------------------

NAMES = [
    "__proto__",
    "__class__",
    "__init__",
    "__dict__",
    "__slots__",
    "__getattribute__",
    "constructor",
    "prototype",
    "unknown_fields",
    "unknownFields",
    "meta",
    "tool_call_id",
    "raw",
    "tag",
    "self",
    "",
    " ",
    "/",
    "~1",
    "\n",
    "\x00",
    "class",
    "🔍",
]


@each_surface
@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_of_python_and_javascript_are_just_names(surface: ModuleType, name: str) -> None:
    for item in (5, "x", None, {"__class__": "x"}, [name]):
        data = {"toolCallId": "call_1", name: item}
        value = surface.decode(surface.ToolCallUpdate, data, strict=True)
        assert value.__class__ is surface.ToolCallUpdate
        assert value.tool_call_id == "call_1"
        assert value.meta is surface.UNSET
        assert value.unknown_fields == {name: item}
        assert surface.encode(value) == data
        assert surface.loads(surface.ToolCallUpdate, surface.dumps(value), strict=True) == value


@each_surface
@pytest.mark.parametrize("tag", ["__class__", "constructor", "keys", "get", "", "\x00"], ids=ascii)
def test_tags_named_after_attributes_are_unknown(surface: ModuleType, tag: str) -> None:
    data = {"sessionUpdate": tag}
    assert surface.decode(surface.SessionUpdate, data) == surface.UnknownSessionUpdate(tag, data)


@each_surface
@pytest.mark.parametrize("strict", [False, True], ids=["default", "strict"])
@pytest.mark.parametrize("tag", [None, True, 0, 1.5, [], {}, ["plan"], {"const": "plan"}], ids=repr)
def test_tags_that_are_no_strings(surface: ModuleType, tag: Any, strict: bool) -> None:
    with pytest.raises(DecodeError) as caught:
        surface.decode(surface.SessionUpdate, {"sessionUpdate": tag}, strict=strict)
    assert caught.value.pointer == "/sessionUpdate"


@pytest.mark.parametrize(
    ("value", "type"),
    [
        (call(unknown_fields={"toolCallId": "call_2"}), None),
        (call(unknown_fields={"title": "not set"}), None),
        (call(unknown_fields={"_meta": {}}), None),
        (call(unknown_fields={"sessionUpdate": "tool_call_update"}), v2.SessionUpdate),
        (call(unknown_fields={"sessionUpdate": "plan_update"}), v2.SessionUpdate),
        (v2.TextContent(text="t", unknown_fields={"type": "text"}), v2.ContentBlock),
        (v2.IdleStateUpdate(unknown_fields={"stopReason": "error"}), None),
        (v2.IdleStateUpdate(unknown_fields={"state": "running"}), v2.StateUpdate),
        (v2.IdleStateUpdate(unknown_fields={"state": "running"}), v2.SessionUpdate),
        (v2.IdleStateUpdate(unknown_fields={"sessionUpdate": "x"}), v2.SessionUpdate),
        (
            v2.UserMessageChunk(
                message_id="m",
                content=v2.TextContent(text="t"),
                unknown_fields={"sessionUpdate": "agent_message_chunk"},
            ),
            v2.SessionUpdate,
        ),
        (
            v2.PromptRequest(
                session_id="s", prompt=[v2.TextContent(text="t", unknown_fields={"type": "x"})]
            ),
            None,
        ),
    ],
)
def test_unknown_fields_that_the_schema_names(value: Any, type: Any) -> None:
    with pytest.raises(EncodeError) as caught:
        v2.encode(value, type)
    assert "unknown field" in str(caught.value)


def test_a_tag_is_an_unknown_field_where_no_union_asks_for_it() -> None:
    value = call(unknown_fields={"sessionUpdate": "plan_update"})
    data = {"toolCallId": "call_1", "sessionUpdate": "plan_update"}
    assert v2.encode(value) == data
    assert v2.decode(v2.ToolCallUpdate, data, strict=True) == value


# --- what Python can hold and JSON cannot ------------------------------------------------------


# Finding the keys that `json.dumps` makes strings of (1, 1.5, True, None) would take a walk
# through all free-form JSON; a type checker finds them for nothing.
@pytest.mark.parametrize("key", [math.nan, (1, 2), b"x"], ids=repr)
def test_keys_of_free_form_json_that_cannot_be_written(key: Any) -> None:
    with pytest.raises(EncodeError):
        v2.dumps(call(raw_input=[{key: "x"}]))


@pytest.mark.parametrize("key", [1, 1.5, True, None, math.nan, (1, 2), b"x"], ids=repr)
def test_keys_of_unknown_fields_are_strings(key: Any) -> None:
    with pytest.raises(EncodeError):
        v2.encode(call(unknown_fields={key: "x"}))


@pytest.mark.parametrize(
    "item", [b"x", {1}, object(), 1j, v2.UNSET, call()], ids=lambda item: type(item).__name__
)
def test_objects_that_are_not_json(item: Any) -> None:
    with pytest.raises(EncodeError):
        v2.dumps(call(raw_input={"x": [item]}))


def test_circular_structures_are_not_written() -> None:
    array: list[Any] = []
    array.append(array)
    table: dict[str, Any] = {}
    table["self"] = [table]
    for value in (
        call(raw_input=array),
        call(meta=table),
        call(unknown_fields={"x": table}),
        v2.UnknownSessionUpdate("_x", {"sessionUpdate": "_x", "x": array}),
    ):
        with pytest.raises(EncodeError):
            v2.dumps(value)


def test_circular_data_passes_through_a_free_form_member() -> None:
    table: dict[str, Any] = {"toolCallId": "call_1"}
    table["rawInput"] = table
    assert v2.decode(v2.ToolCallUpdate, table).raw_input is table


# --- what errors say ---------------------------------------------------------------------------


@each_surface
@pytest.mark.parametrize(
    "data",
    [
        SECRET,
        [SECRET],
        {"sessionId": [SECRET]},
        {"sessionId": SECRET, "prompt": SECRET, "update": SECRET},
        {"sessionId": SECRET, "prompt": [SECRET], "update": {"sessionUpdate": [SECRET]}},
        {"sessionId": "s", "prompt": [{"type": [SECRET]}], "update": {"sessionUpdate": SECRET}},
        {"type": SECRET, "kind": SECRET, "code": SECRET, "message": {"x": SECRET}},
        {"type": {SECRET: SECRET}, "sessionUpdate": {SECRET: SECRET}},
        {"toolCallId": {"x": SECRET}, "used": SECRET, "size": SECRET, "protocolVersion": SECRET},
        {"outcome": {"outcome": SECRET}, "action": {"x": SECRET}, "mode": SECRET},
        {"outcome": {"outcome": "selected", "optionId": [SECRET]}, "options": [SECRET]},
        {"sessionUpdate": "tool_call_update", "toolCallId": [SECRET]},
    ],
    ids=range(12),
)
def test_no_error_repeats_the_payload(surface: ModuleType, data: Any) -> None:
    errors = [failure(surface, type, data, True) for type in surface.TYPES.values()]
    refusals = [error for error in errors if error is not None]
    assert len(refusals) > len(surface.TYPES) // 2
    for refusal in refusals:
        assert SECRET not in f"{refusal} {refusal!r} {refusal.args}"
        assert len(str(refusal).splitlines()) == 1
        # A traceback must not lead to an error with more details.
        assert refusal.__cause__ is None
        assert refusal.__suppress_context__


@pytest.mark.parametrize(
    "text",
    [
        f'{{"toolCallId": "{SECRET}"',
        f'{{"toolCallId": {SECRET}}}',
        f'{{"toolCallId": "x"}} {SECRET}',
        f'{SECRET}{{"toolCallId": "x"}}',
        f'{{"toolCallId": "{SECRET}", "x": "\\ud800"}}',
        f'{{"toolCallId": "{SECRET}", "x": NaN}}',
        f'{{"toolCallId": ["{SECRET}"]}}',
        f'{{"toolCallId": "{SECRET}\n"}}',
        f'{{"toolCallId": "{SECRET}\udc80"}}',
        f'{{"toolCallId": "{SECRET}'.encode() + b"\xff",
    ],
    ids=range(10),
)
def test_no_error_repeats_the_text(text: str | bytes) -> None:
    with pytest.raises(DecodeError) as caught:
        v2.loads(v2.ToolCallUpdate, text)
    assert SECRET not in f"{caught.value} {caught.value!r}"
    assert len(str(caught.value).splitlines()) == 1
    # A chained JSONDecodeError or UnicodeDecodeError would hold the whole document.
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("name", ["a\nb", "a\r\nb", "a\u2028b"], ids=ascii)
def test_a_name_from_the_payload_does_not_break_the_line(name: str) -> None:
    data = {"type": "object", "properties": {name: 5}}
    with pytest.raises(DecodeError) as caught:
        v2.decode(v2.ElicitationSchema, data)
    assert caught.value.pointer == f"/properties/{name}"
    assert len(str(caught.value).splitlines()) == 1


def test_pointers_escape_what_rfc_6901_reserves() -> None:
    data = {"type": "object", "properties": {"a/b~c~1": 5}}
    with pytest.raises(DecodeError) as caught:
        v2.decode(v2.ElicitationSchema, data)
    assert caught.value.pointer == "/properties/a~1b~0c~01"


@pytest.mark.parametrize(
    "value",
    [
        call(raw_input={"a": [SECRET, {1, 2}]}),
        call(raw_input=[SECRET, math.nan]),
        call(raw_input=[SECRET, "\ud800"]),
        call(content=SECRET),
        call(content=[SECRET]),
        call(content=[{"type": SECRET}]),
        call(content=5),
        v2.UnknownSessionUpdate(SECRET, {"sessionUpdate": "x"}),
        v2.UnknownSessionUpdate("plan_update", {"sessionUpdate": "plan_update", "x": SECRET}),
    ],
    ids=range(9),
)
def test_no_refusal_to_encode_repeats_the_payload(value: Any) -> None:
    with pytest.raises(EncodeError) as caught:
        v2.dumps(value)
    assert SECRET not in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
