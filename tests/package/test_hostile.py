"""Tests of hostile input: JSON that is too deep or too large, invalid JSON, and harmful names.

The tests in `tests/package/laws` decode and encode such values at every position. The tests in this
module check error messages and decoded values.
"""

from __future__ import annotations

import json
import math
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.runtime import DecodeError, EncodeError

from tests.package.jsonrpc.wire import each_surface

SECRET = "hunter2-do-not-print"

# A tool call, with a placeholder for hostile JSON text.
CALL = '{"toolCallId": "' + SECRET + '", "rawInput": %s}'

each_mode = pytest.mark.parametrize("strict", [False, True], ids=["default", "strict"])


def call(**members: Any) -> Any:
    return v2.ToolCallUpdate(tool_call_id="call_1", **members)


def check_plain(error: DecodeError) -> None:
    """Check that an error has a single line and that its traceback reveals no further details."""
    assert len(str(error).splitlines()) == 1
    assert error.__cause__ is None
    assert error.__suppress_context__


# --- numbers ---------------------------------------------------------------------------------

NO_JSON = (math.nan, math.inf, -math.inf)


def test_large_integers_pass_through_a_free_form_member() -> None:
    number = 10**4000
    value = v2.loads(v2.ToolCallUpdate, CALL % number)
    assert value.raw_input == number
    assert json.loads(v2.dumps(value))["rawInput"] == number
    with pytest.raises(EncodeError):
        v2.dumps(call(raw_input=10**5_000))


@pytest.mark.parametrize("literal", ["1e-400", "1e308", "-0.0", "-0", "5e-324", "1E2"])
def test_number_literals_with_a_finite_value(literal: str) -> None:
    value = v2.loads(v2.ToolCallUpdate, CALL % literal)
    assert repr(value.raw_input) == repr(json.loads(literal))
    assert repr(v2.loads(v2.ToolCallUpdate, v2.dumps(value)).raw_input) == repr(value.raw_input)


@each_mode
@pytest.mark.parametrize(
    ("type", "data", "pointer"),
    [
        *((v2.Cost, {"currency": "EUR", "amount": number}, "/amount") for number in NO_JSON),
        *((v2.UsageUpdate, {"size": 1, "used": number}, "/used") for number in NO_JSON),
        *((v2.ToolCallUpdate, {"toolCallId": number}, "/toolCallId") for number in NO_JSON),
        (v2.SessionNotFoundErrorData, {"sessionId": b"5"}, "/sessionId"),
        (
            v2.PromptRequest,
            {"sessionId": "s", "prompt": ({"type": "text", "text": "t"},)},
            "/prompt",
        ),
        (v2.SessionUpdate, [["sessionUpdate", "plan_update"]], ""),
    ],
)
def test_what_is_no_json_is_not_coerced(type: Any, data: Any, pointer: str, strict: bool) -> None:
    with pytest.raises(DecodeError) as caught:
        v2.decode(type, data, strict=strict)
    assert caught.value.pointer == pointer


# --- text ------------------------------------------------------------------------------------

LONE = ["\ud800", "x\udfff", "\ude00\ud83d"]
ESCAPED = [
    *(r"\ud800", r"\uD83D", r"\udc00", r"\ude00\ud83d", r"\ud83dx\ude00", r"\\\ud800"),
    r"\udbff\ud83d\ude00",
]
READ = ["\ud800", "\ud83d", "\udc00", "\ude00\ud83d", "\ud83dx\ude00", "\\\ud800", "\udbff😀"]
NO_NUMBERS = [
    *("1e400", "-1e400", "1E+400", "NaN", "Infinity", "-Infinity"),
    *("1" * 400 + ".0", "1" * 5_000, "-" + "1" * 5_000),
    *("01", "1.", ".5", "+1", "0x10", "1_000", "\u0661", "True"),
]
NO_UNICODE = [b"\xff", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xed\xa0\x80"]
GOOD = CALL % '"x"'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((f'"{each}"', each) for each in LONE),
        *zip(map('"{}"'.format, ESCAPED), READ, strict=True),
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
def test_halves_of_surrogate_pairs_are_read_and_written(text: str, value: str) -> None:
    forms: list[str | bytes] = [CALL % text, CALL % f"[{{{text}: 1}}]"]
    if text.isascii():
        forms += [str(form).encode() for form in forms]
    for form in forms:
        decoded = v2.loads(v2.ToolCallUpdate, form)
        assert decoded.raw_input in (value, [{value: 1}])
        assert v2.encode(decoded)["rawInput"] == decoded.raw_input
        written = v2.dumps(decoded)
        assert v2.loads(v2.ToolCallUpdate, written.encode()) == decoded
        assert json.loads(written)["rawInput"] == decoded.raw_input


@pytest.mark.parametrize(
    "text",
    [
        *("", b"", bytearray(), " ", "\n\t", "{", "}", GOOD[:-1], GOOD.replace('"', "'")),
        *(GOOD[:-1] + ",}", "{x: 1}", f"{GOOD} {GOOD}", f"{GOOD} // comment"),
        *(f"{GOOD}{end}" for end in ("]", "\x00", "\x0b", "\u2028")),
        *(f"{start}{GOOD}" for start in ("\x0c", "\u00a0", "\ufeff")),
        *(b"\xef\xbb\xbf" + GOOD.encode(), GOOD.encode("utf-16"), GOOD.encode("utf-32-le")),
        *(GOOD.encode().replace(b"x", text) for text in NO_UNICODE),
        *(CALL % f'"{text}"' for text in ("a\nb", "a\x00b", r"\x41", r"\u12")),
        *(CALL % text for text in (*NO_NUMBERS, SECRET)),
        *NO_NUMBERS[:9],
    ],
    ids=lambda text: ascii(text)[:60],
)
def test_text_that_is_not_json(text: str | bytes | bytearray) -> None:
    with pytest.raises(DecodeError) as caught:
        v2.loads(v2.ToolCallUpdate, text)
    error = caught.value
    assert (error.pointer, error.expected, error.type_name) == ("", "JSON text", "ToolCallUpdate")
    assert str(error).isascii()
    assert len(str(error)) < 200
    assert SECRET not in f"{error} {error!r}"
    check_plain(error)


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


# --- names -----------------------------------------------------------------------------------

NAMES = [
    *("__proto__", "__class__", "__init__", "__dict__", "__slots__", "__getattribute__"),
    *("constructor", "prototype", "unknown_fields", "unknownFields", "meta", "tool_call_id"),
    *("raw", "tag", "self", "", " ", "/", "~1", "\n", "\x00", "class", "🔍"),
]


@each_surface
def test_names_of_python_and_javascript_are_just_names(surface: ModuleType) -> None:
    for name in NAMES:
        for item in (5, "x", None, {"__class__": "x"}, [name]):
            data = {"toolCallId": "call_1", name: item}
            value = surface.decode(surface.ToolCallUpdate, data, strict=True)
            fields = {name: item}
            assert value == surface.ToolCallUpdate(tool_call_id="call_1", unknown_fields=fields)
            assert surface.encode(value) == data
            assert surface.loads(surface.ToolCallUpdate, surface.dumps(value), strict=True) == value
        data = {"sessionUpdate": name}
        unknown = surface.UnknownSessionUpdate(name, data)
        assert surface.decode(surface.SessionUpdate, data) == unknown


# --- contents of errors ------------------------------------------------------------------------


@each_surface
@pytest.mark.parametrize(
    "data",
    [
        *(SECRET, [SECRET], {"sessionId": [SECRET]}),
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
    errors: list[DecodeError] = []
    for type in surface.TYPES.values():
        try:
            surface.decode(type, data, strict=True)
        except DecodeError as error:
            errors.append(error)
    assert len(errors) > len(surface.TYPES) // 2
    for each in errors:
        assert SECRET not in f"{each} {each!r} {each.args}"
        check_plain(each)


@pytest.mark.parametrize(
    ("name", "pointer"),
    [
        *((name, name) for name in ("a\nb", "a\r\nb", "a\u2028b")),
        ("a/b~c~1", "a~1b~0c~01"),  # characters that RFC 6901 reserves
    ],
    ids=ascii,
)
def test_a_name_from_the_payload_is_part_of_a_pointer_on_one_line(name: str, pointer: str) -> None:
    data = {"type": "object", "properties": {name: 5}}
    with pytest.raises(DecodeError) as caught:
        v2.decode(v2.ElicitationSchema, data)
    assert caught.value.pointer == f"/properties/{pointer}"
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "value",
    [
        *(call(raw_input=[SECRET, bad]) for bad in ({1, 2}, math.nan, b"\xff")),
        *(call(content=bad) for bad in (SECRET, [SECRET], [{"type": SECRET}], 5)),
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
