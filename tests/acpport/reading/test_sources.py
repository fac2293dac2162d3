"""Tests of names in the modules of a program."""

from __future__ import annotations

import pytest
from acpport.reading.sources import Reference, refer


@pytest.mark.parametrize(
    ("full", "key", "rest"),
    [
        ("acp.Agent", "Agent", ""),
        ("acp.schema.ToolCall.title", "ToolCall", "title"),
        ("acp.interfaces.Client.ext_method.__name__", "Client", "ext_method.__name__"),
        ("acp.client.connection.ClientSideConnection", "ClientSideConnection", ""),
        ("acp.agent.connection.AgentSideConnection.send", "AgentSideConnection", "send"),
        ("acp.client.connection.Other", "client.connection.Other", ""),
        ("acp.contrib.session_state.SessionAccumulator", None, ""),
        ("acp.experimental.schema.ToolCall", "experimental.schema.ToolCall", ""),
        ("acp.experimental.v2.ClientSideConnection", None, ""),
    ],
)
def test_a_name_is_split_into_its_key_and_the_rest(full: str, key: str | None, rest: str) -> None:
    whole = full.removeprefix("acp.")  # the key of a name that only its module makes unique
    assert refer(full) == Reference(key or whole, rest, full)


@pytest.mark.parametrize("full", ["acp", "acp.schema", "acp.client.connection"])
def test_a_module_is_not_a_name(full: str) -> None:
    assert refer(full) is None
