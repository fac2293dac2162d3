"""Tests of constants: their JSON, and reports of unlisted strings that programs write."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any, Literal, get_args

import pytest
from acp_bindings import runtime, v1, v1_unstable, v2
from acp_bindings.runtime import Issue, set_json
from acp_bindings.runtime.values.constants import Constants, unlisted_in
from acp_bindings.runtime.values.repairs import Reported

from tests.package.jsonrpc.wire import each_surface


def reported(surface: Any, value: Any, type_: Any = None) -> list[tuple[str, str]]:
    """Return the issues that `encode` and `dumps` report for a value."""
    issues: list[Issue] = []
    data = surface.encode(value, type_, on_issue=issues.append)
    again: list[Issue] = []
    assert json.loads(surface.dumps(value, type_, on_issue=again.append)) == data
    assert issues == again
    assert {issue.action for issue in issues} <= {"unknown_kept"}
    return [(issue.pointer, issue.raw) for issue in issues]


def call1(**members: Any) -> v1.ToolCall:
    return v1.ToolCall(tool_call_id="t", title="T", **members)


def call2(**members: Any) -> v2.ToolCallUpdate:
    return v2.ToolCallUpdate(tool_call_id="t", **members)


def noted2(update: Any) -> v2.UpdateSessionNotification:
    return v2.UpdateSessionNotification(session_id="s", update=update)


def asked(owner: Any, **members: Any) -> Any:
    """Return a request for a form with a text field. The request is part of an untagged union."""
    fields = {"a": owner.StringPropertySchema(**members)}
    schema = owner.ElicitationSchema(type="object", properties=fields)
    return owner.SessionFormCreateElicitationRequest(
        session_id="s", message="?", requested_schema=schema
    )


# A surface, a value, the type to encode it as, and the reported problems.
WRITTEN: list[tuple[Any, Any, Any, list[tuple[str, str]]]] = [
    (v1, call1(kind="read", status="pending"), None, []),
    (v1, call1(kind="exec"), None, [("/kind", "exec")]),
    # Protocol 1 does not allow custom values.
    (v1, call1(kind="_exec"), None, [("/kind", "_exec")]),
    (v2, call2(kind="_exec", status="_"), None, []),
    (v2, call2(kind="exec", status="done"), None, [("/kind", "exec"), ("/status", "done")]),
    (v2, call2(kind=None), None, []),
    (v2, noted2(call2(kind="exec")), None, [("/update/kind", "exec")]),
    (v1, v1.PromptResponse(stop_reason="finished"), None, [("/stopReason", "finished")]),
    (v2, v2.IdleStateUpdate(stop_reason="tired"), None, [("/stopReason", "tired")]),
    (v2, v2.IdleStateUpdate(stop_reason="tired"), v2.StateUpdate, [("/stopReason", "tired")]),
    (v2, v2.ErrorIdleStateUpdate(), v2.StateUpdate, []),
    (
        v1_unstable,
        v1_unstable.IdleStateUpdate(stop_reason="tired"),
        None,
        [("/stopReason", "tired")],
    ),
    (
        v2,
        v2.Annotations(audience=["user", "human", "human"]),
        None,
        [("/audience/1", "human"), ("/audience/2", "human")],
    ),
    (
        v1,
        v1.TextContent(text="t", annotations=v1.Annotations(audience=["human"])),
        v1.ContentBlock,
        [("/annotations/audience/0", "human")],
    ),
    (
        v1,
        asked(v1, format="e-mail"),
        v1.CreateElicitationRequest,
        [("/requestedSchema/properties/a/format", "e-mail")],
    ),
    (
        v2,
        asked(v2, format="e-mail"),
        v2.CreateElicitationRequest,
        [("/requestedSchema/properties/a/format", "e-mail")],
    ),
    (v2, "exec", v2.ToolKind, [("", "exec")]),
    (v2, "read", v2.ToolKind, []),
    # Constants in free-form JSON and in fields of later versions are not checked.
    (v2, call2(unknown_fields={"priority": "urgent"}, raw_input={"kind": "exec"}), None, []),
]


@pytest.mark.parametrize(("surface", "value", "type_", "expected"), WRITTEN)
def test_unlisted_constants_are_written_and_reported(
    surface: Any, value: Any, type_: Any, expected: list[tuple[str, str]]
) -> None:
    assert reported(surface, value, type_) == expected


class Loud(v2.ToolCallUpdate):
    """A user's class."""


def test_constants_of_a_subclass_are_reported() -> None:
    assert reported(v2, noted2(Loud(tool_call_id="t", kind="exec"))) == [("/update/kind", "exec")]


def test_constants_are_reported_with_other_backends() -> None:
    set_json(dumps=lambda value: json.dumps(value))
    try:
        assert reported(v2, call2(kind="exec")) == [("/kind", "exec")]
    finally:
        set_json()


def test_reason_lists_the_constants_and_the_nearest() -> None:
    issues: list[Issue] = []
    v1.encode(call1(status="complete"), on_issue=issues.append)
    v1.encode(call1(status="?"), on_issue=issues.append)
    listed = "not one of pending, in_progress, completed, failed"
    assert [issue.reason for issue in issues] == [f"{listed}; did you mean 'completed'?", listed]


def test_values_that_cannot_be_encoded_report_nothing() -> None:
    issues: list[Issue] = []
    for bad in (call2(kind="exec", title=5), call2(kind=["exec"]), call2(status=5)):
        with pytest.raises(v2.EncodeError):
            v2.dumps(bad, on_issue=issues.append)
    assert issues == []


def received(surface: Any, type_: Any, **members: Any) -> Any:
    """Decode an object as a connection does."""
    return surface.codec.CODEC.receive(type_, json.loads(json.dumps(members)))


@pytest.mark.parametrize(
    ("surface", "type_", "more"), [(v1, v1.ToolCall, {"title": "T"}), (v2, v2.ToolCallUpdate, {})]
)
def test_received_constants_are_passed_on_silently(surface: Any, type_: Any, more: Any) -> None:
    call = received(surface, type_, toolCallId="t", kind="novel", **more)
    assert reported(surface, call) == []
    assert reported(surface, replace(call, status="over")) == [("/status", "over")]
    # The program sets the kind that it received. The kind is still reported.
    assert reported(surface, replace(call, kind="novel")) == [("/kind", "novel")]


def test_decoding_does_not_count_as_receiving() -> None:
    data = {"toolCallId": "t", "kind": "exec"}
    assert reported(v2, v2.decode(v2.ToolCallUpdate, data)) == [("/kind", "exec")]
    assert reported(v2, v2.loads(v2.ToolCallUpdate, json.dumps(data))) == [("/kind", "exec")]
    assert reported(v2, call2(kind="exec")) == [("/kind", "exec")]


def test_received_constants_are_remembered_up_to_a_limit() -> None:
    kinds = [f"kind-{number}" for number in range(300)]
    calls = [received(v2, v2.ToolCallUpdate, toolCallId="t", kind=kind) for kind in kinds]
    silent = [not reported(v2, call) for call in calls]
    assert silent[-1]
    assert sum(silent) <= 100
    long = received(v2, v2.ToolCallUpdate, toolCallId="t", kind="x" * 81)
    assert reported(v2, long) == [("/kind", "x" * 81)]


def test_a_constant_that_is_received_again_takes_no_place() -> None:
    listed = Constants({}, is_open=True)

    def receive(number: int) -> Any:
        return listed.decode(f"kind-{number}", Reported(is_received=True), ())

    def silent(values: list[Any]) -> int:
        return len(values) - len(unlisted_in(lambda: [listed.encode(each, ()) for each in values]))

    values = [receive(number) for number in range(100)]
    assert [receive(number) for number in range(100)] == values
    assert silent(values) == 100
    assert silent([*values, receive(100)]) == 1


@each_surface
def test_unlisted_is_one_type_of_all_surfaces(surface: ModuleType) -> None:
    assert surface.Unlisted is runtime.Unlisted
    assert "Unlisted" in surface.__all__
    value = surface.Unlisted("_x")
    assert type(value) is str


def enumerations(surface: Any) -> Iterator[tuple[str, Any]]:
    """Yield the open enumerations of strings, including inline enumerations of the schema."""
    for name in surface.__all__:
        arms = get_args(getattr(surface, name, None))
        if any(getattr(arm, "__origin__", None) is Literal for arm in arms):
            yield name, arms


@each_surface
def test_no_enumeration_accepts_any_str(surface: ModuleType) -> None:
    found = dict(enumerations(surface))
    assert {"ToolKind", "ToolCallStatus", "StopReason", "PlanEntryStatus", "Role"} <= found.keys()
    assert all(str not in arms for arms in found.values())
    assert {name for name, arms in found.items() if runtime.Unlisted not in arms} == {"ErrorCode"}
