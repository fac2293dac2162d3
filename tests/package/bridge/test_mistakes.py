"""Tests with simulated bridge bugs that drop one message but leave the connection open."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from acp_bindings.bridge import CORRESPONDENCE
from acp_bindings.runtime.bridge.bridge import Bridge
from acp_bindings.runtime.bridge.translating import Translator

from tests.package.jsonrpc.wire import ask, initialize, line

RESULT = {"protocolVersion": 2, "info": {"name": "t", "version": "1"}, "capabilities": {}}


def agreed() -> Bridge:
    """Return an initialized bridge between a protocol 1 client and a protocol 2 agent."""
    bridge = Bridge(CORRESPONDENCE, spoken=(2,))
    bridge.receive(bridge.client, line(initialize(1)))
    bridge.receive(bridge.agent, line({"id": 1, "result": RESULT}))
    assert b'"protocolVersion":1' in bridge.data_to_send(bridge.client)
    bridge.data_to_send(bridge.agent)
    return bridge


def fail(*args: Any) -> None:
    raise LookupError("a mistake")


def test_a_request_gets_an_error(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bridge = agreed()
    with monkeypatch.context() as patch:
        patch.setattr(Translator, "take_request", fail)
        bridge.receive(bridge.client, line(ask(5, "_ask")))
    assert b'"id":5,"error":{"code":-32603' in bridge.data_to_send(bridge.client)
    assert caplog.messages == ["cannot forward a message from the client"]
    bridge.receive(bridge.client, line(ask(6, "_ask")))
    assert b'"method":"_ask"' in bridge.data_to_send(bridge.agent)


def test_a_request_whose_answer_cannot_be_passed_on_gets_an_error(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    bridge = agreed()
    bridge.receive(bridge.client, line(ask(5, "_ask")))
    with monkeypatch.context() as patch:
        patch.setattr(bridge._exchange, "respond", fail)
        bridge.receive(bridge.agent, line({"id": 2, "result": {}}))
    assert b'"id":5,"error":{"code":-32603' in bridge.data_to_send(bridge.client)
    assert caplog.messages == ["cannot forward a message from the agent"]


@pytest.mark.logs("cannot forward a message from the client")
def test_an_introduction_that_fails_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    bridge = Bridge(CORRESPONDENCE)
    with monkeypatch.context() as patch:
        patch.setattr(bridge, "_ask", fail)
        bridge.receive(bridge.client, line(initialize(1)))
    assert b'"code":-32603' in bridge.data_to_send(bridge.client)
    bridge.receive(bridge.client, line(initialize(1, 1)))
    assert b'"initialize"' in bridge.data_to_send(bridge.agent)


def test_many_short_lines_before_the_introduction_take_no_long_time() -> None:
    bridge = Bridge(CORRESPONDENCE)
    bridge.receive(bridge.client, b"\n" * (1 << 18) + line(initialize(1)))
    assert b'"initialize"' in bridge.data_to_send(bridge.agent)
