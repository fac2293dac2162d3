"""Tests of messages that require a capability in only one of the two versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.bridge import CORRESPONDENCE, tables

from tests.package.bridge.v1_client_v2_agent import test_translator as older
from tests.package.bridge.v1_client_v2_agent.test_translator import MODES
from tests.package.bridge.v2_client_v1_agent import introduced as newer
from tests.package.bridge.wire import Json, Wire

PROMISES = {
    (direction, promise.key): promise
    for direction, promises in tables.PROMISES.items()
    for promise in promises
}
STDIO = {"name": "m", "command": "/m", "args": [], "env": []}
INFO = {"name": "a", "version": "1"}


def bare_newer() -> Wire:
    """Connect a protocol 1 client to a protocol 2 agent that advertises no capabilities."""
    wire = Wire()
    wire.client.request("initialize", protocolVersion=1)
    answer = {"protocolVersion": 2, "info": INFO, "capabilities": {}}
    wire.agent.answer(wire.agent.take("initialize"), answer)
    assert wire.lost() == []
    return wire


def bare_older() -> Wire:
    """Connect a protocol 2 client to a protocol 1 agent that advertises no capabilities."""
    wire = newer.introduced()
    assert wire.lost() == []
    return wire


def opened(wire: Wire, **answered: Any) -> Wire:
    """Open the session `s` for a protocol 1 client and discard the reported losses."""
    wire.client.request("session/new", cwd="/", mcpServers=[])
    wire.agent.answer(wire.agent.take("session/new"), {"sessionId": "s", **answered})
    wire.client.updates()
    wire.losses.clear()
    return wire


def passes(wire: Wire, sent: str, received: str, place: str = "", **params: Any) -> Json:
    """Check that a request reaches the agent with one reported loss, and return its params."""
    id_ = wire.client.request(sent, **params)
    asked = wire.agent.take(received)
    assert [(loss.method, loss.pointer) for loss in wire.losses] == [(sent, place)]
    wire.agent.refuse(asked, -32001, "the agent decides")
    assert wire.client.answers[id_] == {"code": -32001, "message": "the agent decides"}
    return asked["params"]


# --- an older client and a newer agent --------------------------------------------------------


def authenticate() -> None:
    params = passes(bare_newer(), "authenticate", "auth/login", methodId="k")
    assert params == {"methodId": "k"}


def cancel() -> None:
    wire = opened(bare_newer())
    wire.client.notify("session/cancel", sessionId="s")
    assert wire.agent.take("session/cancel")
    assert wire.lost() == [""]


def new() -> None:
    passes(bare_newer(), "session/new", "session/new", cwd="/", mcpServers=[])


def prompt() -> None:
    params = {"sessionId": "s", "prompt": [newer.TEXT]}
    passes(opened(bare_newer()), "session/prompt", "session/prompt", **params)


def set_option() -> None:
    params = {"sessionId": "s", "configId": "o", "value": "x"}
    name = "session/set_config_option"
    passes(opened(bare_newer()), name, name, **params)


def set_mode() -> None:
    wire = opened(bare_newer(), configOptions=[MODES])
    params = {"sessionId": "s", "modeId": "code"}
    passes(wire, "session/set_mode", "session/set_config_option", **params)


def servers(sent: str, received: str, **params: Any) -> Callable[[], None]:
    def check() -> None:
        """Check that two servers cause one loss and that an empty list causes none."""
        for given, places in (([STDIO, STDIO], ["/mcpServers"]), ([], [])):
            wire = older.introduced()
            id_ = wire.client.request(sent, cwd="/", mcpServers=given, **params)
            asked = wire.agent.take(received)
            kept = [{"type": "stdio", **STDIO} for _ in given]
            assert asked["params"].get("mcpServers", []) == kept
            assert wire.lost() == places
            wire.agent.answer(asked, {"sessionId": "s"})
            assert "code" not in wire.client.answers[id_]

    return check


# --- a newer client and an older agent --------------------------------------------------------


def logout() -> None:
    wire = bare_older()
    id_ = wire.client.request("auth/logout")
    assert "/agentCapabilities/auth/logout" in wire.client.answers[id_]["message"]
    assert [loss.method for loss in wire.losses] == ["auth/logout"]


def close() -> None:
    wire = newer.with_session()
    id_ = wire.client.request("session/close", sessionId="s")
    assert wire.client.answers[id_] == {}
    assert [loss.method for loss in wire.losses] == ["session/close"]


def list_sessions() -> None:
    wire = newer.with_session()
    id_ = wire.client.request("session/list")
    assert wire.client.answers[id_] == {"sessions": [{"sessionId": "s", "cwd": "/w"}]}
    assert [loss.method for loss in wire.losses] == ["session/list"]


def resume() -> None:
    wire = newer.with_session()
    id_ = newer.resume(wire, replay=True)
    assert wire.client.answers[id_] == {}
    assert [loss.method for loss in wire.losses] == ["session/resume"]


# --- a newer agent and an older client --------------------------------------------------------


def update(**members: Any) -> Callable[[], None]:
    def check() -> None:
        wire = older.introduced()
        older.open_session(wire)
        wire.agent.update(**members)
        assert wire.client.updates() == []
        assert wire.lost() == ["/update"]

    return check


def boolean_option() -> None:
    wire = older.introduced()
    option = {"configId": "b", "name": "B", "type": "boolean", "currentValue": True}
    answered = older.open_session(wire, configOptions=[option, MODES])
    assert [each["id"] for each in answered["configOptions"]] == ["m"]
    assert wire.lost() == ["/configOptions/0"]


SUMMARY = {"compactionId": "c", "content": newer.TEXT}
CHECKS: dict[tuple[str, str], Callable[[], None]] = {
    ("to_newer", "authenticate"): authenticate,
    ("to_newer", "session/cancel"): cancel,
    ("to_newer", "session/load#mcpServers/stdio"): servers(
        "session/load", "session/resume", sessionId="s"
    ),
    ("to_newer", "session/new"): new,
    ("to_newer", "session/new#mcpServers/stdio"): servers("session/new", "session/new"),
    ("to_newer", "session/prompt"): prompt,
    ("to_newer", "session/resume#mcpServers/stdio"): servers(
        "session/resume", "session/resume", sessionId="s"
    ),
    ("to_newer", "session/set_config_option"): set_option,
    ("to_newer", "session/set_mode"): set_mode,
    ("to_older", "SessionConfigOption/boolean"): boolean_option,
    ("to_older", "SessionUpdate/compaction_summary_chunk"): update(
        sessionUpdate="compaction_summary_chunk", **SUMMARY
    ),
    ("to_older", "SessionUpdate/compaction_update"): update(
        sessionUpdate="compaction_update", compactionId="c", status="in_progress"
    ),
    ("to_older", "SessionUpdate/notice"): update(
        sessionUpdate="notice", severity="warning", title="careful"
    ),
    ("to_older", "auth/logout"): logout,
    ("to_older", "session/close"): close,
    ("to_older", "session/list"): list_sessions,
    ("to_older", "session/resume"): resume,
}


@pytest.mark.parametrize(("direction", "key"), PROMISES)
def test_what_a_version_allows_is_not_refused_for_a_capability(direction: str, key: str) -> None:
    CHECKS[direction, key]()


def needs_of(surface: Any, side: str, name: str) -> dict[Any, str]:
    """Return the capability that each part of the params requires. None is the method itself."""
    method = surface.METHODS[side][name]
    needs = {need.names: need.capability.pointer for need in method.needs}
    return needs | ({None: method.capability.pointer} if method.capability else {})


def test_everything_that_one_version_alone_requires_a_capability_for_is_listed() -> None:
    """The expected capabilities come from the method tables, not from the manual decisions."""
    found: set[tuple[str, str]] = set()
    for route in CORRESPONDENCE.routes:
        if route.how == "absent" or route.side == "protocol":
            continue
        becomes = {
            "session/load": "session/resume",
            "session/set_mode": "session/set_config_option",
        }
        names = route.older or "", route.newer or becomes.get(route.older or "", "")
        pairs = [("to_newer", v1, names[0], v2, names[1])]
        pairs += [("to_older", v2, names[1], v1, names[0])] if route.newer else []
        for direction, here, sent, there, received in pairs:
            own = needs_of(here, route.side, sent)
            for part in needs_of(there, route.side, received):
                is_sendable = part is None or part[1] is None or hasattr(here, part[1])
                if is_sendable and part not in own:
                    found.add((direction, sent if part is None else f"{sent}#{part[1]}"))
    listed = {
        (direction, f"{promise.method}#{promise.kind}" if promise.kind else promise.key)
        for (direction, _), promise in PROMISES.items()
    }
    assert found
    assert found <= listed
    assert CHECKS.keys() == PROMISES.keys()


@pytest.mark.parametrize("kind", ["text", "resource_link"])
@pytest.mark.parametrize("wire", [bare_newer, bare_older], ids=["newer", "older"])
def test_content_that_both_versions_allow_is_no_loss(wire: Callable[[], Wire], kind: str) -> None:
    link = {"type": "resource_link", "name": "a", "uri": "file:///a"}
    block = newer.TEXT if kind == "text" else link
    bridge = opened(wire())
    bridge.client.request("session/prompt", sessionId="s", prompt=[block])
    assert bridge.agent.take("session/prompt")["params"]["prompt"] == [block]
    assert [loss for loss in bridge.losses if loss.pointer] == []


def test_a_mode_of_a_session_without_modes_is_refused_for_that() -> None:
    wire = older.introduced()
    older.open_session(wire)
    id_ = wire.client.request("session/set_mode", sessionId="s", modeId="code")
    assert wire.client.answers[id_] == {"code": -32602, "message": "the session has no modes"}
    wire.client.request("session/close", sessionId="s")
    wire.agent.answer(wire.agent.take("session/close"), {})
    id_ = wire.client.request("session/set_mode", sessionId="s", modeId="code")
    assert wire.client.answers[id_] == {"code": -32002, "message": "the session is closed"}
