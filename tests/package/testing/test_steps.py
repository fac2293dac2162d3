"""Tests of the names of steps and of the messages that steps send by default."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.runtime import RequestError
from acp_bindings.testing import (
    Agent,
    Client,
    Prompt,
    again,
    answer,
    ask_permission,
    fail,
    garbage,
    step,
    wrong_id,
)
from acp_bindings.testing.values import surface_of

from tests.package.testing.sides import each_version, number


@step
async def greet(call: Prompt, name: str, *, loud: bool = False) -> None:
    """Greet a user."""


def test_a_step_is_shown_as_the_call_that_made_it() -> None:
    assert repr(greet("Ada", loud=True)) == "greet('Ada', loud=True)"
    assert repr(greet("Ada")) == "greet('Ada')"


def test_a_step_is_documented_without_the_call() -> None:
    assert list(inspect.signature(greet).parameters) == ["name", "loud"]
    assert greet.__doc__ == "Greet a user."


async def sent(version: int, script: Any, method: str = "_ask") -> list[Any]:
    """Return the messages that an agent sends after the response to `initialize`."""
    agent = Agent(version=version, answers={"_ask": script})
    async with agent.stream() as stream, Client(stream, version=version) as client:
        await client.initialize()
        await client.wire.send({"jsonrpc": "2.0", "id": 7, "method": "_ask"})
        await client.wire.send({"jsonrpc": "2.0", "id": 8, "method": "session/new"})
        await client.request("session/close", {"sessionId": "session-1"})
        received = [seen.message for seen in client.wire.passed if seen.direction == "received"]
    return [
        message for message in received[1:] if message is None or message.get("id") not in (2, 8)
    ]


@pytest.mark.parametrize(
    ("script", "messages"),
    [
        (answer(), [{"id": 7, "result": {}}]),
        (answer({"a": 1}), [{"id": 7, "result": {"a": 1}}]),
        (fail(), [{"id": 7, "error": {"code": -32603, "message": "as scripted"}}]),
        ([answer({"a": 1}), again()], [{"id": 7, "result": {"a": 1}}] * 2),
        ([wrong_id()], [{"id": "unknown", "result": {}}, {"id": 7, "result": {}}]),
        ([wrong_id([], 9), answer()], [{"id": 9, "result": []}, {"id": 7, "result": {}}]),
        ([garbage()], [None, {"id": 7, "result": {}}]),
    ],
    ids=repr,
)
async def test_a_step_sends_these_messages(script: Any, messages: list[Any]) -> None:
    version = {"jsonrpc": "2.0"}
    assert await sent(1, script) == [each and {**version, **each} for each in messages]


@each_version
async def test_permission_is_asked_with_two_options(types: Any) -> None:
    agent = Agent(
        [
            ask_permission("rm"),
            ask_permission("rm", "Sure?", {"ok": {"name": "OK", "kind": "allow_always"}}),
        ]
    )
    async with agent.stream() as stream, Client(stream, version=number(types)) as client:
        turn = await client.prompt("Hi")
    first, second = (call.params for call in turn.questions)
    assert first["options"] == [
        {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ]
    assert second["options"] == [{"optionId": "ok", "name": "OK", "kind": "allow_always"}]
    if number(types) == 1:
        assert first["toolCall"] == {"toolCallId": "rm"}
        assert "title" not in first
    else:
        assert first["subject"] == {"type": "tool_call", "toolCall": {"toolCallId": "rm"}}
        assert (first["title"], second["title"]) == ("May I?", "Sure?")


class Mine(v2.ToolCallUpdate):
    __module__ = "views"


@pytest.mark.parametrize("kind", [v2.ToolCallUpdate, Mine])
def test_a_class_and_its_subclasses_belong_to_a_surface(kind: type) -> None:
    assert surface_of(kind) is v2


@pytest.mark.parametrize("kind", [str, RequestError])
def test_only_classes_of_a_surface_have_one(kind: type) -> None:
    problem = f"{kind.__name__} is not a surface class; pass a class such as v2.ToolCall"
    with pytest.raises(TypeError, match=f"^{problem}$"):
        surface_of(kind)
