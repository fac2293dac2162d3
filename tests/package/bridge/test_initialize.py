"""Tests of how `initialize` is converted, with all capabilities of a version and with none.

The goldens list what each side receives and the losses. Pass `--update-goldens` to rewrite them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.package.bridge.wire import Json, Wire
from tests.support.goldens import check_golden

GOLDENS = Path(__file__).with_name("goldens")
META: Json = {"_meta": {"note": 1}, "custom": True}
INFO: Json = {"name": "someone", "version": "1", "title": "Someone", **META}


def flags(*names: str) -> Json:
    return dict.fromkeys(names, True)


def markers(*names: str) -> Json:
    return {name: {**META, "of": name} for name in names}


FORMS = {"form": dict(META), "url": dict(META), "_odd": {}, **META}
SETTINGS = {"auth": {"terminal": True, **META}, "elicitation": FORMS, "more": {"a": 1}, **META}
METHODS: list[Json] = [
    {"type": "agent", "id": "a", "methodId": "a", "name": "A", **META},
    {"type": "_odd", "id": "b", "methodId": "b", "name": "B"},
]
CLIENTS: dict[str, Json] = {
    "1": {
        "clientInfo": INFO,
        "clientCapabilities": {
            "fs": {"readTextFile": True, **META},
            "terminal": True,
            "session": {"compaction": {}, **META},
            **SETTINGS,
        },
        **META,
    },
    "1, bare": {},
    "1, refusing": {"clientCapabilities": {"fs": {}, "terminal": False, "auth": {}}},
    "2": {
        "info": INFO,
        "capabilities": {
            "fs": {"custom": 1},
            "terminal": {"custom": 1},
            "session": {"custom": 1},
            **SETTINGS,
            "auth": {"terminal": {"of": "terminal"}, **META},
        },
        **META,
    },
    "2, bare": {"info": INFO, "capabilities": {}},
    "2, refusing": {"info": INFO, "capabilities": {"auth": {}, "elicitation": {}}},
}
AGENTS: dict[str, Json] = {
    "1": {
        "agentInfo": INFO,
        "agentCapabilities": {
            "loadSession": True,
            "promptCapabilities": {**flags("image", "audio", "embeddedContext"), **META},
            "mcpCapabilities": {**flags("http", "sse"), **META},
            "sessionCapabilities": {**markers("list", "resume", "close", "delete", "fork"), **META},
            "auth": {**markers("logout"), **META},
            "more": {"a": 1},
            **META,
        },
        "authMethods": METHODS,
        **META,
    },
    "1, bare": {},
    "1, without logout": {"agentCapabilities": {"auth": META}, "authMethods": METHODS[:1]},
    "1, without methods": {"agentCapabilities": {"auth": {**markers("logout"), **META}}},
    "2": {
        "info": INFO,
        "capabilities": {
            "session": {
                "prompt": {**markers("image", "audio", "embeddedContext"), **META},
                "mcp": {**markers("stdio", "http"), **META},
                **markers("delete", "fork"),
                **META,
            },
            "auth": META,
            "more": {"a": 1},
            **META,
        },
        "authMethods": METHODS,
        **META,
    },
    "2, bare": {"info": INFO, "capabilities": {}},
    "2, without methods": {"info": INFO, "capabilities": {"session": {}, "auth": META}},
}


def introduce(client: str, agent: str) -> list[str]:
    """Return what each side receives and the losses, one line each."""
    wire = Wire()
    wire.client.request("initialize", protocolVersion=int(client[0]), **CLIENTS[client])
    request = wire.agent.take("initialize")
    wire.agent.answer(request, {"protocolVersion": int(agent[0]), **AGENTS[agent]})
    received = {"agent": request["params"], "client": wire.client.answers[1]}
    losses = [f"  {each.side} {each.pointer}: {each.reason}" for each in wire.losses]
    return [*(f"to the {name}: {json.dumps(received[name])}" for name in received), *losses]


def test_introductions_are_converted_as_in_the_golden(request: pytest.FixtureRequest) -> None:
    lines: list[str] = []
    pairs: list[Any] = [(client, "2" if client[0] == "1" else "1") for client in CLIENTS]
    pairs += [("2" if agent[0] == "1" else "1", agent) for agent in AGENTS]
    for client, agent in pairs:
        lines += [f"client of protocol {client}; agent of protocol {agent}"]
        lines += [*introduce(client, agent), ""]
    check_golden(GOLDENS / "initialize.txt", lines[:-1], request)
