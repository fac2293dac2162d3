"""Tests of schema checks, including the wording of the reported problems."""

from __future__ import annotations

from typing import Any

import pytest
from acpwire.rules.entry import Finding
from acpwire.rules.schema import Call, Part, check

V1, V2 = ("v1",), ("v2",)
NEW = Call("session/new", "request", "agent")
CLOSE = Call("session/close", "request", "agent")
FORK = Call("session/fork", "request", "agent")
VALID = {"cwd": "/", "mcpServers": []}
PARAMS = {"known-methods", "valid-params"}


@pytest.mark.parametrize(
    ("versions", "call", "part", "value", "surface", "checked"),
    [
        ((V1,), NEW, "params", VALID, "v1", {*PARAMS, "custom-fields", "working-directory"}),
        ((V1,), NEW, "result", {"sessionId": "s"}, "v1", None),
        ((V1,), CLOSE, "result", {}, "v1", {"valid-results", "custom-fields"}),
        # Only one version requires the missing field, so the params are valid.
        (
            (V1, V2),
            NEW,
            "params",
            {"cwd": "/"},
            None,
            {*PARAMS, "custom-fields", "working-directory"},
        ),
        # The stable surface does not define the method.
        (
            (("v1", "v1_unstable"),),
            FORK,
            "params",
            {**VALID, "sessionId": "s"},
            "v1_unstable",
            None,
        ),
        # Results of methods that the schema doesn't define cannot be checked.
        ((V1,), Call("session/nev", "request", "agent"), "result", {}, None, set()),
        ((V1,), Call("_custom", "request", "agent"), "params", 1, None, set()),
        ((), NEW, "params", 1, None, set()),
    ],
)
def test_a_valid_value_names_its_surface_and_requirements(
    versions: Any, call: Call, part: Part, value: Any, surface: str | None, checked: Any
) -> None:
    verdict = check(versions, call, part, value)
    assert (verdict.surface, verdict.problems, verdict.notes) == (surface, (), ())
    assert checked is None or verdict.judged == checked


@pytest.mark.parametrize("versions", [(V1,), (V2,), (V1, V2)])
def test_a_null_result_is_only_noted(versions: Any) -> None:
    verdict = check(versions, CLOSE, "result", None)
    assert verdict.problems == ()
    assert verdict.notes == ("the result is null instead of an object",)
    assert verdict.judged == {"valid-results"}


@pytest.mark.parametrize(
    ("versions", "call", "value", "pointer", "messages"),
    [
        ((V1,), NEW, {"cwd": 1}, "/params/cwd", ["expected string, found integer: 1"]),
        (
            (V1, V2),
            NEW,
            {"cwd": 1},
            "/params/cwd",
            ["v1: expected string, found integer: 1", "v2: expected string, found integer: 1"],
        ),
        (
            (V1,),
            Call("session/nev", "request", "agent"),
            {},
            "/method",
            ["no such method; did you mean session/new?"],
        ),
        ((V1,), Call("x" * 90, "request", "agent"), {}, "/method", ["no such method"]),
        (
            (V1,),
            Call("session/new", "notification", "agent"),
            {},
            "/method",
            ["session/new is a request, found a notification"],
        ),
        (
            (V1,),
            Call("session/cancel", "request", "agent"),
            {},
            "/method",
            ["session/cancel is a notification, found a request"],
        ),
        (
            (V1,),
            Call("session/new", "request", "client"),
            {},
            "/method",
            ["the client does not handle session/new"],
        ),
        ((V1,), FORK, {}, "/method", ["no such method in v1; v1_unstable defines it"]),
    ],
)
def test_a_problem_says_what_each_version_expects(
    versions: Any, call: Call, value: Any, pointer: str, messages: list[str]
) -> None:
    verdict = check(versions, call, "params", value)
    requirement = "known-methods" if pointer == "/method" else "valid-params"
    assert verdict.problems == tuple(Finding(pointer, text, requirement) for text in messages)
    assert verdict.judged == ({"known-methods"} if pointer == "/method" else PARAMS)
    assert verdict.decoded is None


def test_all_problems_of_a_value_that_default_mode_repairs_are_found() -> None:
    call = Call("session/update", "notification", "client")
    entry = {"content": "c", "priority": "x", "status": "y"}
    params = {"sessionId": "s", "update": {"sessionUpdate": "plan", "entries": [entry, entry]}}
    found = [each.pointer for each in check((V1,), call, "params", params).problems]
    entries = "/params/update/entries"
    names = ("priority", "status")
    assert found == [f"{entries}/{index}/{name}" for index in (0, 1) for name in names]


def test_only_a_null_result_can_stand_for_an_object() -> None:
    [problem] = check((V1,), CLOSE, "result", 5).problems
    assert (problem.pointer, problem.message) == ("/result", "expected object, found integer: 5")


def test_value_that_neither_mode_accepts_has_the_first_problem_of_each() -> None:
    call = Call("session/request_permission", "request", "client")
    value = {"sessionId": "s", "toolCall": {"toolCallId": "t", "status": 5}}  # without options
    found = check((V1,), call, "params", value).problems
    assert [each.pointer for each in found] == ["/params/toolCall/status", "/params/options"]
