"""Tests that each unlisted constant in sent messages is logged once per field, up to a limit."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.bridge import CORRESPONDENCE
from acp_bindings.runtime.bridge.bridge import Bridge
from acp_bindings.runtime.jsonrpc import Connection

from tests.package.jsonrpc.wire import ask, each_version, initialize, line, only, sent, tell

LOGGER = "acp_bindings.runtime.jsonrpc.connection"
TEXT = {"type": "text", "text": "Hi"}
UPDATE: Any = v2.CLIENT_METHODS["session/update"]


def updated(connection: Connection, **members: Any) -> Any:
    """Send a tool call update and return it as written to the wire."""
    call = v2.ToolCallUpdate(tool_call_id="t", **members)
    connection.notify(UPDATE, v2.UpdateSessionNotification(session_id="s", update=call))
    [message] = sent(connection)
    return message["params"]["update"]


def test_misspelt_constant_is_sent_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert updated(Connection("agent", v2), status="complete")["status"] == "complete"
    [record] = caplog.records
    assert (record.name, record.levelname) == (LOGGER, "WARNING")
    assert record.__dict__["kind"] == "unlisted status"  # the group of the log entry
    assert record.getMessage() == (
        "status 'complete' is not one of pending, in_progress, paused, completed, failed,"
        " cancelled; did you mean 'completed'?"
    )


def test_each_field_and_value_is_logged_once_per_connection(
    caplog: pytest.LogCaptureFixture,
) -> None:
    connection = Connection("agent", v2)
    for kind in ("exec", "exec", "cook", "exec"):
        updated(connection, kind=kind)
    updated(connection, status="exec")
    assert [text[:12] for text in caplog.messages] == [
        "kind 'exec' ",
        "kind 'cook' ",
        "status 'exec",
    ]
    updated(Connection("agent", v2), kind="exec")
    assert len(caplog.messages) == 4


def test_a_field_of_a_list_is_named(caplog: pytest.LogCaptureFixture) -> None:
    block = v2.TextContent(text="t", annotations=v2.Annotations(audience=["user", "human"]))
    updated(Connection("agent", v2), content=[v2.Content(content=block)])
    assert caplog.messages == ["audience 'human' is not one of assistant, user"]


def test_custom_values_are_silent_where_the_schema_allows_them(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert updated(Connection("agent", v2), kind="_exec", status="_")["kind"] == "_exec"
    assert caplog.messages == []
    older = Connection("agent", v1)
    call = v1.ToolCallUpdate(tool_call_id="t", kind="_exec")
    params = v1.SessionNotification(session_id="s", update=call)
    older.notify(v1.CLIENT_METHODS["session/update"], params)
    assert caplog.messages[0].startswith("kind '_exec' is not one of read, ")


def test_log_has_limits(caplog: pytest.LogCaptureFixture) -> None:
    connection = Connection("agent", v2)
    updated(connection, kind="x" * 80)
    updated(connection, kind="x" * 81)
    for text, shown in zip(caplog.messages, (f"'{'x' * 80}'", f"'{'x' * 80}'..."), strict=True):
        assert text.startswith(f"kind {shown} is not one of read, ")
    for number in range(300):
        assert updated(connection, kind=f"kind {number}\n")["kind"] == f"kind {number}\n"
    assert len(caplog.messages) == 100
    assert all(message.isprintable() for message in caplog.messages)


@each_version
def test_results_are_checked(surface: ModuleType, caplog: pytest.LogCaptureFixture) -> None:
    connection = Connection("agent", surface)
    events = connection.receive(line(ask(1, "session/prompt", sessionId="s", prompt=[TEXT])))
    request = only(events)
    if surface is v1:
        connection.respond(request, v1.PromptResponse(stop_reason="finished"))
        assert caplog.messages[0].startswith("stopReason 'finished' is not one of end_turn, ")
    else:
        connection.respond(request, v2.PromptResponse(message_id="m"))
        assert caplog.messages == []


def test_a_proxy_passes_on_silently(caplog: pytest.LogCaptureFixture) -> None:
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "t", "kind": "exec"}
    receiving = Connection("client", v2)
    event = only(receiving.receive(line(tell("session/update", sessionId="s", update=update))))
    sending = Connection("agent", v2)
    sending.notify(UPDATE, event.params)
    assert only(sent(sending))["params"]["update"] == update
    assert caplog.messages == []


def test_a_bridge_passes_on_silently(caplog: pytest.LogCaptureFixture) -> None:
    bridge = Bridge(CORRESPONDENCE, spoken=(2,))
    bridge.receive(bridge.client, line(initialize(1)))
    result = {"protocolVersion": 2, "info": {"name": "t", "version": "1"}, "capabilities": {}}
    bridge.receive(bridge.agent, line({"id": 1, "result": result}))
    bridge.data_to_send(bridge.client)
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "T", "kind": "exec"}
    bridge.receive(bridge.agent, line(tell("session/update", sessionId="s", update=update)))
    assert b'"toolCallId":"t"' in bridge.data_to_send(bridge.client)
    assert [record.name for record in caplog.records if record.name == LOGGER] == []
