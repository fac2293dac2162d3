"""Tests that encoding errors contain a pointer into the JSON that would be written."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v1_unstable, v2
from acp_bindings.runtime import UNSET, EncodeError, set_json

TEXT = v2.TextContent(text="t")
NOBODY: Any = None
NOTHING: Any = UNSET


def asking(blocks: Any) -> Any:
    return v2.PromptRequest(session_id="s", prompt=blocks)


def prompt(*blocks: Any) -> Any:
    return asking(list(blocks))


def note(update: Any) -> Any:
    return v2.UpdateSessionNotification(session_id="s", update=update)


def call(**members: Any) -> Any:
    return v2.ToolCallUpdate(tool_call_id="c", **members)


def stdio(**members: Any) -> Any:
    server = v1.McpServerStdio(**{"name": "a", "command": "b", "args": [], "env": [], **members})
    return v1.NewSessionRequest(cwd="/", mcp_servers=[server])


def untyped(value: Any) -> Any:
    return value


class Later:
    """An awaitable that a program did not await."""

    def __await__(self) -> Iterator[None]:
        yield


class Loud(v1.TextContent):
    """A custom subclass of a generated class."""


# Invalid values and their errors. An error begins with a pointer unless the value itself is wrong.
REFUSED: list[tuple[Any, str]] = [
    (v2.PromptRequest(session_id=NOBODY, prompt=[]), "/sessionId: expected str, found NoneType"),
    (v2.PromptRequest(session_id=NOTHING, prompt=[]), "/sessionId: expected str, found UNSET"),
    (asking(NOBODY), "/prompt: expected a list of ContentBlock, found NoneType"),
    (prompt(TEXT, TEXT, 5), "/prompt/2: expected ContentBlock, found int"),
    (prompt(TEXT, v2.TextContent(text=NOBODY)), "/prompt/1/text: expected str, found NoneType"),
    (
        v1.SessionCapabilities(list=untyped(v1.SessionCloseCapabilities())),
        "/list: expected SessionListCapabilities, found SessionCloseCapabilities",
    ),
    (
        stdio(unknown_fields={"type": "http"}),
        "/mcpServers/0: the unknown field 'type' would make the object another variant of "
        "McpServer",
    ),
    (
        prompt(v2.TextContent(text="t", unknown_fields={"type": "text"})),
        "/prompt/0: the unknown field 'type' is in the schema",
    ),
    (
        note(call(content=[v2.Content(content=v2.TextContent(text=NOTHING))])),
        "/update/content/0/content/text: expected str, found UNSET",
    ),
    (
        note(v1.ToolCallUpdate(tool_call_id="c")),
        "/update: expected SessionUpdate, found ToolCallUpdate from v1; this surface is v2",
    ),
    (
        v2.NewSessionRequest(cwd="/", additional_directories=["/a", NOBODY]),
        "/additionalDirectories/1: expected str, found NoneType",
    ),
    (
        v2.ElicitationSchema(type="object", properties={"a/b": NOBODY}),
        "/properties/a~1b: expected ElicitationPropertySchema, found NoneType",
    ),
    (
        note(v2.UnknownSessionUpdate("_x", {})),
        (
            "/update/sessionUpdate: raw['sessionUpdate'] of UnknownSessionUpdate must equal tag"
            " and must not be in the schema"
        ),
    ),
    (
        note(v2.UnknownStateUpdate("_x", {"sessionUpdate": "_y", "state": "_x"})),
        (
            "/update/sessionUpdate: raw['sessionUpdate'] of UnknownStateUpdate must be"
            " 'state_update' here"
        ),
    ),
    (
        v2.IdleStateUpdate(stop_reason="error"),
        "/stopReason: 'error' requires ErrorIdleStateUpdate",
    ),
    (
        v2.TextContent(text="a", unknown_fields=untyped([])),
        "unknown_fields: expected dict or None, found list",
    ),
    (
        v2.CancelRequestNotification(request_id=untyped([])),
        "/requestId: expected int or str, found list",
    ),
    (
        stdio(env=[v1.HttpHeader(name="a", value="b")]),
        "/mcpServers/0/env/0: expected EnvVariable, found HttpHeader",
    ),
    (
        call(locations=[v2.ToolCallLocation(path="/a", line=2**32)]),
        "/locations/0/line: expected int from 1 to 4294967295, found int",
    ),
    (
        v1.PermissionOption(option_id="a", name="b", kind=untyped("never")),
        (
            "/kind: expected one of allow_once, allow_always, reject_once, reject_always, found"
            " another str"
        ),
    ),
    # The schema's constant is the string "object".
    (v1.ElicitationSchema(type=untyped("x")), "/type: expected object, found another str"),
    (asking("Hello"), "/prompt: expected a list of ContentBlock, found str"),
    (
        prompt({"type": "text", "text": "t"}),
        "/prompt/0: expected ContentBlock, found dict; use v2.decode(v2.ContentBlock, ...)",
    ),
    (
        prompt(Later()),
        "/prompt/0: expected ContentBlock, found Later; await it",
    ),
    (
        prompt(Loud(text="t")),
        "/prompt/0: expected ContentBlock, found Loud from v1; this surface is v2",
    ),
    (call(raw_input=[{1: 2}]), "/rawInput/0: the name 1 is not a string"),
    (prompt(), "/prompt: expected list of length 1 or more, found list of length 0"),
    (
        v2.ElicitationSchema(type=untyped("array"), properties={}),
        "/type: expected object, found another str",
    ),
]


def surface_of(value: Any) -> ModuleType:
    return v1 if value.__class__.__module__ == v1.TextContent.__module__ else v2


@pytest.fixture
def backend(function: str) -> Iterator[None]:
    if function == "dumps with a backend":
        set_json(dumps=json.dumps)
    yield
    set_json()


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("function", ["encode", "dumps", "dumps with a backend"])
@pytest.mark.parametrize(("value", "text"), REFUSED, ids=range(len(REFUSED)))
def test_the_error_names_the_place(function: str, value: Any, text: str) -> None:
    with pytest.raises(EncodeError) as caught:
        getattr(surface_of(value), function.partition(" ")[0])(value)
    error = caught.value
    assert error.type_name == value.__class__.__name__
    assert (f"{error.pointer}: " if error.pointer else "") + error.reason == text
    assert str(error) == f"{error.type_name}{' at ' if error.pointer else ': '}{text}"


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        (call(raw_input={"a": [1, {"b": math.nan}]}), "/rawInput/a/1/b"),
        (call(raw_input=[{1, 2}]), "/rawInput/0"),
        (call(meta={"a": b"a"}), "/_meta/a"),
        (call(unknown_fields={"a": object()}), "/a"),
        (
            prompt(TEXT, v2.TextContent(text="a", meta={"\udfff": math.inf})),
            "/prompt/1/_meta/\udfff",
        ),
        (prompt(TEXT, object.__new__(v2.TextContent)), "/prompt/1"),
    ],
)
def test_what_is_no_json_is_named_too(value: Any, pointer: str) -> None:
    with pytest.raises(EncodeError) as caught:
        v2.dumps(value)
    assert caught.value.pointer == pointer


def test_a_dict_names_the_surface_that_decodes_it() -> None:
    note = v1_unstable.SessionNotification(session_id="s", update=untyped({}))
    with pytest.raises(EncodeError) as caught:
        v1_unstable.dumps(note)
    assert (
        str(caught.value) == "SessionNotification at /update: expected SessionUpdate, found dict;"
        " use v1_unstable.decode(v1_unstable.SessionUpdate, ...)"
    )


def test_an_object_of_another_surface_is_named_so() -> None:
    with pytest.raises(EncodeError) as caught:
        v1.encode(TEXT)
    assert str(caught.value) == "TextContent: is a class of v2; this surface is v1"


def test_only_its_own_objects_are_encoded_as_a_variant() -> None:
    content = {"type": "text", "text": "t"}
    tag = {"sessionUpdate": "user_message_chunk"}
    own = v2.UserMessageChunk(message_id="m", content=TEXT)
    encoded = {**tag, "messageId": "m", "content": content}
    assert v2.encode(own, v2.UserMessageChunk) == encoded
    with pytest.raises(EncodeError) as caught:
        v2.encode(v2.AgentMessageChunk(message_id="m", content=TEXT), v2.UserMessageChunk)
    words = "UserMessageChunk: expected UserMessageChunk, found AgentMessageChunk"
    assert str(caught.value) == words


def test_with_a_type_it_gives_the_name() -> None:
    with pytest.raises(EncodeError, match=r"^SessionUpdate at /content/text: expected str,"):
        v2.encode(
            v2.AgentMessageChunk(message_id="m", content=v2.TextContent(text=NOBODY)),
            v2.SessionUpdate,
        )


# --- subclass objects are written like objects of our classes


class Text2(v2.TextContent):
    pass


@dataclass
class Shown(v1.TextContent):
    color: str = "red"


PROMPTS: list[tuple[Any, Any]] = [
    (v1, v1.PromptRequest(session_id="s", prompt=[Loud(text="a")])),
    (v1, v1.PromptRequest(session_id="s", prompt=[Shown(text="a")])),
    (v2, v2.PromptRequest(session_id="s", prompt=[Text2(text="a")])),
]


@pytest.mark.parametrize(("surface", "prompt"), PROMPTS)
def test_an_arm_of_a_union_is_found_by_its_base_class(surface: Any, prompt: Any) -> None:
    encoded = surface.encode(prompt)
    assert encoded == {"sessionId": "s", "prompt": [{"type": "text", "text": "a"}]}
    assert json.loads(surface.dumps(prompt)) == encoded


# --- values that raise exceptions when they are read -----------------------------------------

METHODS = [
    *("items", "keys", "__iter__", "__len__", "__getitem__", "__contains__", "__eq__", "__hash__"),
    *("__str__", "__repr__", "__index__", "__float__", "__bool__", "__class__", "__getattribute__"),
]
PLAIN: list[Any] = [{"a": 1}, [1], (1,), "text", 3, 1.5, object]


class Silent(Exception):
    def __str__(self) -> str:
        raise RuntimeError("this error has no text")


PROBLEMS = [
    *(RuntimeError("dictionary changed size during iteration"), KeyError("a"), StopIteration()),
    *(ZeroDivisionError(), OSError(), RecursionError(), UnicodeEncodeError("utf-8", "", 0, 0, "")),
    Silent(),
]


def failing(plain: Any, method: str, problem: BaseException) -> Any:
    """Return an object with a method that raises an exception, or None if that is impossible."""

    def fail(*args: object) -> Any:
        raise problem

    base = plain if isinstance(plain, type) else type(plain)
    made = property(fail) if method == "__class__" else fail
    try:
        return type("Failing", (base,), {method: made})(*() if base is object else (plain,))
    except type(problem):
        return None


def around(value: Any) -> Iterator[Any]:
    """Yield objects that contain a value at various positions."""
    yield value
    for name in ("title", "status", "content", "raw_input", "meta", "unknown_fields"):
        yield call(**{name: value})
        yield call(**{name: [{"a": value}]})
    yield v2.ToolCallUpdate(tool_call_id=value)
    yield v2.UsageUpdate(used=value, size=1)
    yield prompt(TEXT, v2.TextContent(text=value))
    yield asking(value)
    yield v2.UnknownSessionUpdate("_x", value)
    with suppress(Exception):  # without a hash
        yield call(raw_input={value: 1})


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: type(problem).__name__)
@pytest.mark.parametrize("method", METHODS)
def test_values_that_fail_when_they_are_read_raise_encode_errors(
    method: str, problem: Exception
) -> None:
    refused = 0
    for plain in PLAIN:
        value = failing(plain, method, problem)
        for each in around(value):
            for form in (None, v2.SessionUpdate):
                for encode in (v2.encode, v2.dumps):
                    try:
                        encode(each, form)
                    except EncodeError:  # and nothing else
                        refused += 1
    assert refused > 100


@pytest.mark.parametrize("function", [v2.encode, v2.dumps])
def test_an_exception_of_a_value_is_named_with_its_place(function: Any) -> None:
    value = failing({"a": 1}, "items", RuntimeError("dictionary changed size during iteration"))
    with pytest.raises(EncodeError) as caught:
        function(call(raw_input=[{"a": value}]))
    error = caught.value
    assert error.pointer == "/rawInput/0/a"
    assert error.reason == "RuntimeError: dictionary changed size during iteration"


@pytest.mark.parametrize("problem", [MemoryError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("function", [v2.encode, v2.dumps])
def test_what_is_not_about_a_value_is_raised_as_is(
    function: Any, problem: type[BaseException]
) -> None:
    with pytest.raises(problem):
        function(call(raw_input=failing({"a": 1}, "items", problem())))


def test_a_backend_may_raise_any_exception() -> None:
    def fail(value: Any) -> str:
        raise OverflowError("too large")

    set_json(dumps=fail)
    try:
        with pytest.raises(EncodeError, match="OverflowError: too large"):
            v2.dumps(call())
    finally:
        set_json()


def test_too_deep_value_is_reported() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = [value]
    with pytest.raises(EncodeError) as caught:
        v1.dumps(v1.CancelNotification(session_id="s", meta={"a": value}))
    assert str(caught.value) == "CancelNotification: nested too deeply to be written"


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (AttributeError(), "AttributeError"),
        (AttributeError("no such name"), "no such name"),
        (RuntimeError(), "RuntimeError"),
        (RuntimeError("changed"), "RuntimeError: changed"),
    ],
)
def test_exception_without_a_message_is_named(problem: Exception, reason: str) -> None:
    value = failing({"a": 1}, "items", problem)
    with pytest.raises(EncodeError) as caught:
        v1.encode(v1.CancelNotification(session_id="s", meta=value))
    assert str(caught.value) == f"CancelNotification at /_meta: {reason}"


def test_a_value_of_another_variant_is_named() -> None:
    type_ = v1.AcceptCreateElicitationResponse
    assert v1.encode(type_(), type_) == {"action": "accept"}
    with pytest.raises(EncodeError, match=r"expected Accept\w+, found Decline\w+$"):
        v1.encode(untyped(v1.DeclineCreateElicitationResponse()), type_)
