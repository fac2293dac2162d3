"""Tests of the checks on individual values, for rules that the schema cannot express."""

from __future__ import annotations

from typing import Any

import pytest
from acp_bindings import v1, v2
from acpwire.rules.values import Values

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def found(value: Any, version: int = 1) -> list[tuple[str, str, str]]:
    """Return the requirement, pointer and message of each finding."""
    values = Values(version)
    values.check(value, "/params")
    assert {each.requirement for each in values.findings} <= values.judged
    return [(each.requirement, each.pointer, each.message) for each in values.findings]


@pytest.mark.parametrize("path", ["/", "/a/b", "C:\\a", "C:/a", "\\\\host\\share\\a"])
def test_paths_of_every_system_can_be_absolute(path: str) -> None:
    assert found(v1.NewSessionRequest(cwd=path, mcp_servers=[])) == []


@pytest.mark.parametrize("path", ["", "a", "./a", "~/a", "C:a"])
def test_relative_paths_are_found(path: str) -> None:
    assert found(v1.NewSessionRequest(cwd=path, mcp_servers=[])) == [
        ("working-directory", "/params/cwd", f'expected an absolute path, found "{path}"')
    ]


@pytest.mark.parametrize(
    ("meta", "wrong"),
    [
        ({"traceparent": TRACE, "tracestate": "a=1", "baggage": "b=2"}, []),
        ({"traceparent": TRACE.replace("00-", "ff-")}, ["traceparent"]),
        (
            {"traceparent": TRACE.replace("0af7651916cd43dd8448eb211c80319c", "0" * 32)},
            ["traceparent"],
        ),
        ({"traceparent": TRACE.replace("b7ad6b7169203331", "0" * 16)}, ["traceparent"]),
        ({"traceparent": TRACE.upper()}, ["traceparent"]),
        (
            {"traceparent": 1, "tracestate": None, "baggage": []},
            ["traceparent", "tracestate", "baggage"],
        ),
        ({"other": 1}, []),
    ],
)
def test_trace_contexts_are_checked(meta: dict[str, Any], wrong: list[str]) -> None:
    problems = found(v1.CancelNotification(session_id="s", meta=meta))
    assert [(each[0], each[1]) for each in problems] == [
        ("trace-context", f"/params/_meta/{key}") for key in wrong
    ]
    for key, (_, _, text) in zip(wrong, problems, strict=True):
        assert text.startswith(f"expected {key} in the W3C Trace Context format, found ")


def test_unknown_fields_are_found_unless_another_version_defines_them() -> None:
    params = v1.decode(v1.NewSessionRequest, {"cwd": "/", "mcpServers": [], "zoo": 1, "ant": 2})
    assert found(params) == [
        (
            "custom-fields",
            "/params",
            'the schema has no field "ant", "zoo"; custom data belongs in _meta',
        )
    ]
    assert found(v1.decode(v1.InitializeRequest, {"protocolVersion": 1, "info": {}})) == []


def test_unknown_tags_and_values_need_an_underscore() -> None:
    for kind, wrong in (("smell", True), ("_smell", False)):
        params = {"sessionId": "s", "update": {"sessionUpdate": kind}}
        text = 'the schema does not list "smell"; custom values begin with an underscore'
        problem = [("custom-values", "/params/update", text)]
        assert found(v2.decode(v2.UpdateSessionNotification, params), 2) == problem * wrong


def test_ids_of_options_must_differ() -> None:
    option = {"name": "n", "type": "boolean", "currentValue": True}
    result = {"sessionId": "s", "configOptions": [{**option, "configId": id} for id in "aba"]}
    [(_, pointer, text)] = found(v2.decode(v2.NewSessionResponse, result), 2)
    assert pointer == "/params/configOptions"
    assert text == 'expected a different configId for each item, found "a" again'
