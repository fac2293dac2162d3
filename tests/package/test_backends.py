"""Tests that all JSON backends produce the same results."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum
from types import ModuleType
from typing import Any, cast

import orjson
import pytest
from acp_bindings import runtime, v1, v2
from acp_bindings.runtime import DecodeError, EncodeError
from acp_bindings.runtime.jsonrpc import Connection
from acp_bindings.runtime.values import jsontext

from tests.package.jsonrpc.wire import ask, reply, requested


@dataclass(frozen=True)
class Backend:
    """The arguments of `set_json`. Both functions are None for the standard library."""

    name: str
    loads: Callable[[Any], Any] | None = None
    dumps: Callable[[Any], str | bytes] | None = None


STANDARD = Backend("standard")
ORJSON = Backend("orjson", orjson.loads, orjson.dumps)
# By default, the `json` module accepts NaN and escapes all non-ASCII characters.
PLAIN = Backend("plain", lambda text: json.loads(text), lambda value: json.dumps(value))
BACKENDS = (STANDARD, ORJSON, PLAIN)


@pytest.fixture(autouse=True)
def _standard_again() -> Iterator[None]:
    yield
    runtime.set_json()


def use(backend: Backend) -> None:
    runtime.set_json(loads=backend.loads, dumps=backend.dumps)


def backends(*chosen: Backend) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("backend", chosen, ids=lambda backend: backend.name)


def update(**members: Any) -> dict[str, Any]:
    return {"sessionId": "sess_1", "update": members}


TEXT = {"type": "text", "text": "plain"}
MESSAGES: list[tuple[ModuleType, str, dict[str, Any]]] = [
    (v1, "InitializeResponse", {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []}),
    (v1, "NewSessionRequest", {"cwd": "/srv/été", "mcpServers": []}),
    (v1, "PromptRequest", {"sessionId": "s", "prompt": [TEXT, {**TEXT, "text": "你好 🔍"}]}),
    (v1, "PromptResponse", {"stopReason": "end_turn", "_meta": {"n": None}}),
    (v1, "SessionNotification", update(sessionUpdate="agent_message_chunk", content=TEXT)),
    (v1, "SessionNotification", update(sessionUpdate="_custom", deep=[[[{"a": [1, 2.5]}]]])),
    (v1, "CancelNotification", {"sessionId": "null"}),
    (v1, "ReadTextFileRequest", {"sessionId": "s", "path": "/p", "line": 2**32 - 1}),
    (v1, "ReadTextFileResponse", {"content": 'quotes " \\ and \n\t\x00\x1f\x7f \u2028 \ufeff'}),
    (v2, "PromptResponse", {"messageId": "m", "NaN": "NaN", "Infinity": "-Infinity"}),
    (
        v2,
        "UsageUpdate",
        {"used": 2**64 - 1, "size": 2**63, "cost": {"amount": 0.1, "currency": "EUR"}},
    ),
    (
        v2,
        "UpdateSessionNotification",
        update(
            sessionUpdate="tool_call_update",
            toolCallId="c",
            title=None,
            rawInput={"ints": [0, -1, 2**63 - 1, -(2**63)], "floats": [1.0, -0.0, 1e300, 5e-324]},
            rawOutput=[None, True, False, "", [], {}],
        ),
    ),
    (v2, "UpdateSessionNotification", update(sessionUpdate="state_update", state="running")),
    (v2, "Cost", {"amount": 1, "currency": "EUR", "__proto__": {"x": 1}}),
    (v2, "Cost", {"amount": 1.0, "currency": "EUR"}),
    (v2, "TextContent", {"text": "x" * 100_000, "_meta": {"é": "é"}}),
]


@backends(*BACKENDS)
@pytest.mark.parametrize(("surface", "name", "data"), MESSAGES, ids=range(len(MESSAGES)))
def test_every_backend_reads_and_writes_the_same(
    surface: ModuleType, name: str, data: dict[str, Any], backend: Backend
) -> None:
    type = surface.TYPES[name]
    expected = surface.decode(type, data)
    use(backend)
    for text in (json.dumps(data), json.dumps(data, ensure_ascii=False, indent=1)):
        for form in (text, text.encode(), bytearray(text.encode())):
            value = surface.loads(type, form)
            assert value == expected
            # Compare representations, since 1 == 1.0 == True.
            assert repr(surface.encode(value)) == repr(surface.encode(expected))
    for text in (surface.dumps(expected), surface.dumps(expected, type)):
        assert isinstance(text, str)
        assert "\n" not in text
        assert repr(json.loads(text)) == repr(surface.encode(expected, type))
        assert surface.loads(type, text) == expected


NOT_JSON: list[str | bytes] = [
    "",
    b"",
    " ",
    "{",
    '{"sessionId": "s"} x',
    '{"sessionId": "s"}{"sessionId": "s"}',
    b'{"sessionId": "s"}]',
    '{"sessionId": "s",}',
    '{"sessionId": "a\nb"}',
    b'{"sessionId": "\xff"}',
    '\ufeff{"sessionId": "s"}',
    '{"sessionId": "s", "x": 01}',
    '{"x": ' * 100_000,
    "[" * 100_000 + "]" * 100_000,
]
# Strings and bytes that `json.loads` accepts but the standard backend and orjson reject.
ONLY_PYTHON: list[str | bytes] = [
    *(f'{{"sessionId": "s", "x": {text}}}' for text in ("NaN", "Infinity", "-Infinity", "1e400")),
    b'{"sessionId": "s", "x": "\xed\xa0\x80"}',
]
HALVES = [
    *(f'{{"sessionId": "s", "x": {text}}}' for text in (r'"\ud800"', r'"\udc00x"')),
    r'{"sessionId": "s", "\ud800": 1}',
    '{"sessionId": "s", "x": "\ud800"}',
]
REFUSED = [
    *((text, backend) for text in NOT_JSON for backend in BACKENDS),
    *((text, backend) for text in ONLY_PYTHON for backend in (STANDARD, ORJSON)),
    *((text, ORJSON) for text in HALVES),
]


@pytest.mark.parametrize(("text", "backend"), REFUSED, ids=range(len(REFUSED)))
def test_every_backend_refuses_what_is_not_json(text: str | bytes, backend: Backend) -> None:
    use(backend)
    with pytest.raises(DecodeError) as caught:
        v1.loads(v1.CancelNotification, text)
    assert caught.value.pointer == ""
    assert caught.value.expected == "JSON text"
    assert caught.value.type_name == "CancelNotification"
    assert len(str(caught.value).splitlines()) == 1


def endless() -> list[Any]:
    circle: list[Any] = [None]
    circle.append(circle)
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    return [circle, deep]


# Some backends write NaN as null and encode dataclasses and enumerations in their own way.
COST = v2.Cost(amount=1.0, currency="EUR", meta=None)
THINGS = [{1, 2}, b"x", object(), runtime.UNSET, v2.TextContent(text="t"), COST]
UNWRITABLE = [
    *(v2.Cost(amount=number, currency="EUR") for number in (math.nan, math.inf, -math.inf)),
    v2.ToolCallUpdate(tool_call_id="c", raw_input=[{"deep": (math.nan,)}], title=None),
    v2.ToolCallUpdate(tool_call_id="c", unknown_fields={"x": math.inf}),
    *(v2.ToolCallUpdate(tool_call_id=thing) for thing in cast(Any, THINGS)),
    *(v2.ToolCallUpdate(tool_call_id="c", raw_input=[thing]) for thing in THINGS),
    *(v2.ToolCallUpdate(tool_call_id="c", raw_input=value) for value in endless()),
]


@backends(*BACKENDS)
@pytest.mark.parametrize("value", UNWRITABLE, ids=range(len(UNWRITABLE)))
def test_no_backend_writes_what_is_not_json(value: Any, backend: Backend) -> None:
    use(backend)
    with pytest.raises(EncodeError):
        v2.dumps(value)


@backends(*BACKENDS)
@pytest.mark.parametrize(
    "value",
    [*THINGS, math.nan, [-math.inf], {"deep": [(1, math.nan)]}, *({"a": each} for each in THINGS)],
    ids=lambda value: type(value).__name__,
)
def test_no_backend_writes_data_that_is_not_json(value: Any, backend: Backend) -> None:
    use(backend)
    with pytest.raises(EncodeError):
        jsontext.write(value)
    connection = Connection("agent", v1)
    connection.fail(requested(connection, ask(1)), runtime.RequestError(-5, "no", [value]))
    assert reply(connection)["error"] == {"code": -5, "message": "no"}


class Hungry(dict[str, int]):
    def items(self) -> Any:
        raise MemoryError


def test_lack_of_memory_is_not_an_error_of_the_value() -> None:
    with pytest.raises(MemoryError):
        jsontext.write([Hungry(a=1)])
    runtime.set_json(dumps=lambda value: str(value.items()))
    with pytest.raises(MemoryError):
        jsontext.write(Hungry())


def test_the_first_part_that_cannot_be_written_is_found() -> None:
    assert jsontext.find_unwritable([1, {"a": [math.nan, math.nan], "b": math.nan}]) == "/1/a/0"
    assert jsontext.find_unwritable({"a": object()}) == "/a"


def test_an_id_that_the_backend_reads_but_does_not_write_is_null() -> None:
    runtime.set_json(dumps=orjson.dumps)
    connection = Connection("agent", v1)
    connection.fail(requested(connection, ask("\ud800")), runtime.RequestError(-5, "no"))
    plain = {"code": runtime.INTERNAL_ERROR, "message": "internal error"}
    assert reply(connection) == {"jsonrpc": "2.0", "id": None, "error": plain}


WITH_HALVES = [
    *(v2.TextContent(text=text) for text in ("\ud800", "a\udfff", "é\ude00\ud83d")),
    v2.ToolCallUpdate(tool_call_id="c", raw_input={"deep": ["\ud800"]}),
    v2.ToolCallUpdate(tool_call_id="c", meta={"\ud800": None}),
]
# The standard library, with the option to leave non-ASCII characters unescaped.
UNESCAPED = Backend("unescaped", None, lambda value: json.dumps(value, ensure_ascii=False))


@backends(STANDARD, PLAIN, UNESCAPED)
@pytest.mark.parametrize("value", WITH_HALVES, ids=range(len(WITH_HALVES)))
def test_a_backend_writes_halves_of_surrogate_pairs_as_escapes(
    value: Any, backend: Backend
) -> None:
    use(backend)
    written = v2.dumps(value)
    assert b"\\ud" in written.encode()
    assert v2.loads(type(value), written.encode()) == value


@pytest.mark.parametrize("value", WITH_HALVES, ids=range(len(WITH_HALVES)))
def test_a_backend_that_refuses_halves_of_surrogate_pairs_writes_none(value: Any) -> None:
    use(ORJSON)
    with pytest.raises(EncodeError, match="surrogates"):
        v2.dumps(value)


def test_one_direction_can_be_set_alone_for_every_surface() -> None:
    runtime.set_json(loads=lambda text: {"sessionId": f"read {text!r}"})
    assert v1.loads(v1.CancelNotification, "x").session_id == "read 'x'"
    assert v1.dumps(v1.CancelNotification(session_id="s")) == '{"sessionId":"s"}'
    runtime.set_json(dumps=lambda value: b"[]")
    assert v1.loads(v1.CancelNotification, '{"sessionId":"s"}').session_id == "s"
    cost: dict[str, Any] = {"amount": 1, "currency": "EUR"}
    assert v1.dumps(v1.Cost(**cost)) == v2.dumps(v2.Cost(**cost)) == "[]"
    runtime.set_json()
    assert v1.dumps(v1.Cost(**cost)) == v2.dumps(v2.Cost(**cost)) != "[]"


def test_an_error_of_the_backend_becomes_an_error_of_the_library() -> None:
    def fail(_: Any) -> Any:
        raise ValueError("no reason")

    runtime.set_json(loads=fail, dumps=fail)
    with pytest.raises(DecodeError):
        v1.loads(v1.CancelNotification, "{}")
    with pytest.raises(EncodeError):
        v1.dumps(v1.CancelNotification(session_id="s"))


# --- values that backends write differently --------------------------------------------------

Word = Enum("Word", {"END": "end_turn"}, type=str)
Number = IntEnum("Number", ["ONE"])
Text, Count = type("Text", (str,), {}), type("Count", (int,), {})
NOTHING = object()
# Strings that make the encoder search for invalid values, and values that don't.
BESIDE: list[Any] = ["plain", "a null pointer", None, "NaN", "Infinity", "UNSET", "unknown_fields"]


@pytest.mark.parametrize("surface", [v1, v2], ids=["v1", "v2"])
@pytest.mark.parametrize(
    ("value", "written"),
    [
        ((1, (2, None)), [1, [2, None]]),
        (Word.END, "end_turn"),
        (Number.ONE, 1),
        (Text("text"), "text"),
        (Count(2), 2),
        ([{"deep": (Word.END, Number.ONE)}], [{"deep": ["end_turn", 1]}]),
        (1.5, 1.5),
        (True, True),
        (float("nan"), NOTHING),
        ((float("inf"),), NOTHING),
        ([{"deep": (1, -float("inf"))}], NOTHING),
        ({1}, NOTHING),
        (b"x", NOTHING),
        (object(), NOTHING),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_can_be_written_does_not_depend_on_the_text_beside_it(
    surface: ModuleType, value: Any, written: Any
) -> None:
    use(ORJSON)
    for beside in BESIDE:
        content = surface.TextContent(text="t", meta={"value": value, "beside": beside})
        try:
            found = json.loads(surface.dumps(content))["_meta"]
        except EncodeError:
            found = NOTHING
        expected = NOTHING if written is NOTHING else {"value": written, "beside": beside}
        assert found == expected, beside
