"""What is not encoded: each error names the place, as a pointer into the JSON it would be."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime import UNSET, DecodeError, EncodeError, Record, set_json
from package.laws.instances import Choices, generate
from package.laws.schemas import SURFACES

TEXT = v2.TextContent(text="t")
NOBODY: Any = None
NOTHING: Any = UNSET


def prompt(*blocks: Any) -> Any:
    return v2.PromptRequest(session_id="s", prompt=list(blocks))


def note(update: Any) -> Any:
    return v2.UpdateSessionNotification(session_id="s", update=update)


def call(**members: Any) -> Any:
    return v2.ToolCallUpdate(tool_call_id="c", **members)


def stdio(**members: Any) -> Any:
    server = v1.McpServerStdio(**{"name": "a", "command": "b", "args": [], "env": [], **members})
    return v1.NewSessionRequest(cwd="/", mcp_servers=[server])


def untyped(value: Any) -> Any:
    return value


class Loud(v1.TextContent):
    """A class of a user, which extends one of a surface."""


# A value, and the text of the error.
REFUSED: list[tuple[Any, str]] = [
    (
        v2.PromptRequest(session_id=NOBODY, prompt=[]),
        "PromptRequest at /sessionId: expected str, found NoneType",
    ),
    (
        v2.PromptRequest(session_id=NOTHING, prompt=[]),
        "PromptRequest at /sessionId: expected str, found UNSET",
    ),
    (
        v2.PromptRequest(session_id="s", prompt=NOBODY),
        "PromptRequest at /prompt: expected a list of ContentBlock, found NoneType",
    ),
    (prompt(TEXT, None), "PromptRequest at /prompt/1: expected ContentBlock, found NoneType"),
    (prompt(TEXT, TEXT, 5), "PromptRequest at /prompt/2: expected ContentBlock, found int"),
    (
        prompt(TEXT, v2.TextContent(text=NOBODY)),
        "PromptRequest at /prompt/1/text: expected str, found NoneType",
    ),
    (
        v2.PromptRequest(session_id="s", prompt=untyped((TEXT, 5))),
        "PromptRequest at /prompt/1: expected ContentBlock, found int",
    ),
    (
        stdio(unknown_fields={"type": "http"}),
        "NewSessionRequest at /mcpServers/0: the unknown field 'type' would make it another type"
        " of McpServer",
    ),
    (
        prompt(v2.TextContent(text="t", unknown_fields={"text": 1})),
        "PromptRequest at /prompt/0: the unknown field 'text' is in the schema",
    ),
    (
        note(call(content=[v2.Content(content=v2.TextContent(text=NOTHING))])),
        "UpdateSessionNotification at /update/content/0/content/text:" " expected str, found UNSET",
    ),
    (
        note(None),
        "UpdateSessionNotification at /update: expected SessionUpdate, found NoneType",
    ),
    (
        note(v1.ToolCallUpdate(tool_call_id="c")),
        "UpdateSessionNotification at /update: expected SessionUpdate, found ToolCallUpdate"
        " of v1; this surface is v2",
    ),
    (
        note(v2.UsageUpdate(used=NOBODY, size=0)),
        "UpdateSessionNotification at /update/used: expected int, found NoneType",
    ),
    (
        v2.InitializeRequest(protocol_version=2, info=NOBODY),
        "InitializeRequest at /info: expected Implementation, found NoneType",
    ),
    (
        v2.InitializeRequest(protocol_version=2, info=NOTHING),
        "InitializeRequest at /info: expected Implementation, found UNSET",
    ),
    (
        v2.NewSessionRequest(cwd="/", additional_directories=["/a", NOBODY]),
        "NewSessionRequest at /additionalDirectories/1: expected str, found NoneType",
    ),
    (
        v1.NewSessionRequest(
            cwd="/", mcp_servers=[v1.McpServerHttp(name="a", url="b", headers=NOBODY)]
        ),
        "NewSessionRequest at /mcpServers/0/headers: expected a list of HttpHeader, found NoneType",
    ),
    (
        v2.ElicitationSchema(type="object", properties={"a/b": NOBODY}),
        "ElicitationSchema at /properties/a~1b: expected ElicitationPropertySchema, found NoneType",
    ),
    (
        note(v2.UnknownSessionUpdate("_x", {})),
        "UpdateSessionNotification at /update/sessionUpdate:"
        " raw['sessionUpdate'] of UnknownSessionUpdate must equal tag, and not be in the schema",
    ),
    (
        v2.IdleStateUpdate(stop_reason="error"),
        "IdleStateUpdate at /stopReason: error is written by ErrorIdleStateUpdate",
    ),
    (
        prompt(v2.TextContent(text="a", unknown_fields=untyped("text"))),
        "PromptRequest at /prompt/0: unknown_fields: expected dict or None, found str",
    ),
    (
        v2.TextContent(text="a", unknown_fields=untyped(["text"])),
        "TextContent: unknown_fields: expected dict or None, found list",
    ),
    (
        v2.CancelRequestNotification(request_id=untyped([])),
        "CancelRequestNotification at /requestId: expected int or str, found list",
    ),
    (
        stdio(command=0),
        "NewSessionRequest at /mcpServers/0/command: expected str, found int",
    ),
    (
        stdio(env=[v1.HttpHeader(name="a", value="b")]),
        "NewSessionRequest at /mcpServers/0/env/0: expected EnvVariable, found HttpHeader",
    ),
    (
        prompt(v2.EmbeddedResource(resource=v2.TextResourceContents(uri="u", text=untyped(0)))),
        "PromptRequest at /prompt/0/resource/text: expected str, found int",
    ),
    (
        call(locations=[v2.ToolCallLocation(path="/a", line=2**32)]),
        "ToolCallUpdate at /locations/0/line:" " expected int from 1 to 4294967295, found int",
    ),
    (
        v1.PermissionOption(option_id="a", name="b", kind=untyped("never")),
        "PermissionOption at /kind: expected one of allow_once, allow_always, reject_once,"
        " reject_always, found another str",
    ),
    (
        call(locations={}),
        "ToolCallUpdate at /locations: expected a list of ToolCallLocation, found dict",
    ),
    (
        v2.PromptRequest(session_id="s", prompt=untyped("Hello")),
        "PromptRequest at /prompt: expected a list of ContentBlock, found str",
    ),
    (
        v2.PromptRequest(session_id="s", prompt=untyped(TEXT)),
        "PromptRequest at /prompt: expected a list of ContentBlock, found TextContent",
    ),
    (
        prompt({"type": "text", "text": "t"}),
        "PromptRequest at /prompt/0: expected ContentBlock, found dict;"
        " use v2.decode(v2.ContentBlock, ...)",
    ),
    (
        v2.InitializeRequest(protocol_version=2, info=untyped({"name": "n"})),
        "InitializeRequest at /info: expected Implementation, found dict;"
        " use v2.decode(v2.Implementation, ...)",
    ),
    (
        prompt(Loud(text="t")),
        "PromptRequest at /prompt/0: expected ContentBlock, found Loud of v1; this surface is v2",
    ),
    (
        prompt(v2_unstable.UnknownContentBlock("_a", {"type": "_a"})),
        "PromptRequest at /prompt/0: expected ContentBlock, found UnknownContentBlock"
        " of v2_unstable; this surface is v2",
    ),
    (call(raw_input=[{1: 2}]), "ToolCallUpdate at /rawInput/0: the name 1 is not a string"),
    (
        prompt(),
        "PromptRequest at /prompt:" " expected list of length 1 or more, found list of length 0",
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
    assert str(error) == text
    place = f"{error.type_name} at {error.pointer}" if error.pointer else error.type_name
    assert f"{place}: {error.reason}" == text


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        (call(raw_input={"a": [1, {"b": math.nan}]}), "/rawInput/a/1/b"),
        (call(raw_input=[{1, 2}]), "/rawInput/0"),
        (call(title="\ud800"), "/title"),
        (call(meta={"a": "\ud800"}), "/_meta/a"),
        (call(unknown_fields={"a": object()}), "/a"),
        (prompt(TEXT, v2.TextContent(text="\udfff")), "/prompt/1/text"),
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
    assert str(caught.value) == (
        "SessionNotification at /update: expected SessionUpdate, found dict;"
        " use v1_unstable.decode(v1_unstable.SessionUpdate, ...)"
    )


def test_an_object_of_another_surface_is_named_so() -> None:
    with pytest.raises(EncodeError) as caught:
        v1.encode(TEXT)
    assert str(caught.value) == "TextContent: is a class of v2; this surface is v1"


def test_the_arguments_are_in_the_order_of_those_of_a_decode_error() -> None:
    error = EncodeError("/a", "too long", "Name")
    assert (error.pointer, error.reason, error.type_name) == ("/a", "too long", "Name")


def test_with_a_type_it_gives_the_name() -> None:
    with pytest.raises(EncodeError, match=r"^SessionUpdate at /content/text: expected str,"):
        v2.encode(
            v2.AgentMessageChunk(message_id="m", content=v2.TextContent(text=NOBODY)),
            v2.SessionUpdate,
        )


# --- every member ----------------------------------------------------------------------------


def instance(surface: ModuleType, type_: type) -> Any:
    """A value of a class that is a definition; None if none is drawn."""
    drawn = SURFACES[surface.__name__.rpartition(".")[2]]
    for seed in range(20):
        value = generate(drawn, type_.__name__, Choices(bytes([seed] * 40))).value
        found = surface.decode(type_, value)
        if type(found) is type_:
            return found
    return None


def is_valid(surface: ModuleType, type_: type, data: Any) -> bool:
    try:
        surface.decode(type_, data, strict=True)
    except DecodeError:
        return False
    return True


def refusal(function: Callable[[Any], object], value: Any) -> EncodeError | None:
    try:
        function(value)
    except EncodeError as error:
        return error
    return None


@pytest.mark.parametrize("surface", [v1, v1_unstable, v2, v2_unstable])
@pytest.mark.parametrize("bad", [None, UNSET])
def test_what_a_member_must_not_be_is_refused_and_nothing_else(
    surface: ModuleType, bad: Any
) -> None:
    refused = written = 0
    classes = {each for each in surface.TYPES.values() if isinstance(each, type)}
    for type_ in sorted(classes, key=lambda each: each.__name__):
        value = instance(surface, type_) if issubclass(type_, Record) else None
        if value is None:
            continue
        for field in dataclasses.fields(type_):
            if field.name == "unknown_fields":
                continue
            changed = dataclasses.replace(value, **{field.name: bad})
            error = refusal(surface.encode, changed)
            if error is None:
                assert is_valid(surface, type_, surface.encode(changed)), (type_, field.name)
                written += 1
                continue
            assert error.reason.endswith("found NoneType" if bad is None else "found UNSET")
            wire = error.pointer.removeprefix("/")
            data = {**surface.encode(value), wire: None}
            if bad is UNSET:
                del data[wire]
            assert not is_valid(surface, type_, data), (type_, field.name)
            refused += 1
    assert refused > 100
    assert written > 200


@pytest.mark.parametrize("surface", [v1, v1_unstable, v2, v2_unstable])
def test_text_has_only_values_of_the_types_that_members_have(surface: ModuleType) -> None:
    refused = written = 0
    classes = {each for each in surface.TYPES.values() if isinstance(each, type)}
    for type_ in sorted(classes, key=lambda each: each.__name__):
        value = instance(surface, type_) if issubclass(type_, Record) else None
        if value is None:
            continue
        data = json.loads(surface.dumps(value))
        for field in dataclasses.fields(type_):
            before = getattr(value, field.name)
            if field.name == "unknown_fields" or before is UNSET:
                continue
            bad = 5 if isinstance(before, str) else "text"
            changed = dataclasses.replace(value, **{field.name: bad})
            error = refusal(surface.dumps, changed)
            if error is None:
                surface.loads(type_, surface.dumps(changed), on_issue=pytest.fail)
                written += 1
                continue
            wire = error.pointer.split("/")[1]
            assert not is_valid(surface, type_, {**data, wire: bad}), (type_, field.name)
            refused += 1
    assert refused > 100
    assert written > 0
