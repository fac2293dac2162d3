"""`initialize` in the other version: the params of a client, and the result of an agent.

Capabilities that are true or false in version 1 are objects that are present or absent in version
2.
"""

from __future__ import annotations

from typing import Any

from ..jsonrpc.method import INITIALIZE, Surface
from ..values.errors import Path
from .exchange import Exchange
from .rules import JsonValue, object_at, without

# The kinds of content that a prompt can have in addition to text and links.
_PROMPT = ("image", "audio", "embeddedContext")
# The name of a program that does not state one: version 2 requires it.
_UNNAMED = {"name": "unknown", "version": "unknown"}
# What every v2 client understands, as v1 clients advertise it.
_UNDERSTOOD: JsonValue = {"compaction": {}, "configOptions": {"boolean": {}}, "notices": {}}
_CAPABILITIES: Path = ((), "capabilities")
_CLIENT_CAPABILITIES: Path = ((), "clientCapabilities")
_AGENT_CAPABILITIES: Path = ((), "agentCapabilities")
_AUTH_METHODS: Path = ((), "authMethods")
_FILES = "an agent of the newer version reads and writes files, and runs commands, by itself"
_NO_LOGOUT = "the agent cannot sign out, which the newer version requires for signing in"


def client_to_newer(params: JsonValue, newer: Surface, exchange: Exchange) -> JsonValue:
    """Return the params of a v1 client as those of a v2 client."""
    older = object_at(params, "clientCapabilities")
    client = exchange.client
    for name in ("fs", "terminal"):
        if older.get(name):
            exchange.lose(client, INITIALIZE, (_CLIENT_CAPABILITIES, name), _FILES)
    capabilities: dict[str, Any] = {}
    if older.get("auth") is not None:
        capabilities["auth"] = without(older["auth"], "terminal")
        if older["auth"].get("terminal"):
            capabilities["auth"]["terminal"] = {}
    if older.get("elicitation") is not None:
        capabilities["elicitation"] = _convert_elicitation(exchange, older, _CLIENT_CAPABILITIES)
    capabilities |= without(older, "fs", "terminal", "auth", "elicitation", "session")
    return {
        **without(params, "protocolVersion", "clientCapabilities", "clientInfo"),
        "protocolVersion": newer.SCHEMA.protocol_version,
        "info": params.get("clientInfo") or dict(_UNNAMED),
        "capabilities": capabilities,
    }


def client_to_older(
    params: JsonValue, older: Surface, exchange: Exchange, standing_in: JsonValue
) -> JsonValue:
    """Return the params of a v2 client as those of a v1 client.

    It has no files and no terminals, which v1 agents can do without, except those that a handler is
    `standing_in` with.
    """
    newer = object_at(params, "capabilities")
    capabilities: dict[str, Any] = {
        # Only version 1 gives these members a meaning.
        **without(newer, "fs", "terminal", "session", "auth", "elicitation"),
        "session": dict(_UNDERSTOOD),
        **standing_in,
    }
    if newer.get("auth") is not None:
        terminal = newer["auth"].get("terminal") is not None
        capabilities["auth"] = {**newer["auth"], "terminal": terminal}
    if newer.get("elicitation") is not None:
        capabilities["elicitation"] = _convert_elicitation(exchange, newer, _CAPABILITIES)
    return {
        **without(params, "protocolVersion", "info", "capabilities"),
        "protocolVersion": older.SCHEMA.protocol_version,
        "clientInfo": params["info"],
        "clientCapabilities": capabilities,
    }


def agent_to_older(result: JsonValue, older: Surface, exchange: Exchange) -> JsonValue:
    """Return the result of a v2 agent as that of a v1 agent."""
    newer = object_at(result, "capabilities")
    session = newer.get("session")
    capabilities: dict[str, Any] = {"loadSession": session is not None}
    if session is not None:
        prompt, mcp = object_at(session, "prompt"), object_at(session, "mcp")
        at: Path = (_CAPABILITIES, "session")
        _lose_contents(exchange, prompt, (at, "prompt"), *_PROMPT)
        _lose_contents(exchange, mcp, (at, "mcp"), "stdio", "http")
        capabilities |= {
            "promptCapabilities": _flags(prompt, *_PROMPT),
            "mcpCapabilities": {**_flags(without(mcp, "stdio"), "http"), "sse": False},
            "sessionCapabilities": {
                **without(session, "prompt", "mcp"),
                "list": {},
                "resume": {},
                "close": {},
            },
        }
    methods: list[JsonValue] = result.get("authMethods") or []
    if newer.get("auth") is not None or methods:
        capabilities["auth"] = object_at(newer, "auth") | ({"logout": {}} if methods else {})
    capabilities |= without(newer, "session", "auth")
    return {
        **without(result, "protocolVersion", "info", "capabilities", "authMethods"),
        "protocolVersion": older.SCHEMA.protocol_version,
        "agentInfo": result["info"],
        "agentCapabilities": capabilities,
        "authMethods": _convert_auth_methods(exchange, methods),
    }


def agent_to_newer(result: JsonValue, newer: Surface, exchange: Exchange) -> JsonValue:
    """Return the result of a v1 agent as that of a v2 agent."""
    older = object_at(result, "agentCapabilities")
    session, auth = object_at(older, "sessionCapabilities"), object_at(older, "auth")
    mcp, at = object_at(older, "mcpCapabilities"), _AGENT_CAPABILITIES
    capabilities: dict[str, Any] = {
        **without(
            older,
            "loadSession",
            "promptCapabilities",
            "mcpCapabilities",
            "sessionCapabilities",
            "auth",
        ),
        # Each v1 agent has sessions.
        "session": {
            **without(session, "list", "resume", "close"),
            "prompt": _markers(object_at(older, "promptCapabilities"), *_PROMPT),
            # Each v1 agent can start servers; version 2 lacks servers of the kind `sse`.
            "mcp": {"stdio": {}, **_markers(without(mcp, "sse"), "http")},
        },
    }
    _lose_contents(exchange, session, (at, "sessionCapabilities"), "list", "resume", "close")
    _lose_contents(exchange, auth, (at, "auth"), "logout")
    methods: list[JsonValue] = result.get("authMethods") or []
    if methods:
        # Without `logout`, version 2 would rule out signing in. Such an agent could not be used, so
        # its methods are shown nevertheless.
        if auth.get("logout") is None:
            exchange.lose(exchange.agent, INITIALIZE, _AUTH_METHODS, _NO_LOGOUT)
        capabilities["auth"] = without(auth, "logout")
    else:
        exchange.lose_others(exchange.agent, INITIALIZE, auth, (at, "auth"), ("logout",))
    return {
        **without(result, "protocolVersion", "agentInfo", "agentCapabilities", "authMethods"),
        "protocolVersion": newer.SCHEMA.protocol_version,
        "info": result.get("agentInfo") or dict(_UNNAMED),
        "capabilities": capabilities,
        "authMethods": _convert_auth_methods(exchange, methods),
    }


def _convert_elicitation(exchange: Exchange, capabilities: JsonValue, path: Path) -> JsonValue:
    rule, value = "ElicitationCapabilities", capabilities["elicitation"]
    return exchange.convert(exchange.client, rule, value, INITIALIZE, None, (path, "elicitation"))


def _convert_auth_methods(exchange: Exchange, methods: list[JsonValue]) -> list[JsonValue]:
    agent = exchange.agent
    return exchange.convert_items(agent, "AuthMethod", methods, INITIALIZE, None, _AUTH_METHODS)


def _lose_contents(exchange: Exchange, value: JsonValue, path: Path, *names: str) -> None:
    """Report the fields of markers: objects that only say, by their presence, that it is so."""
    for name in names:
        exchange.lose_others(exchange.agent, INITIALIZE, value.get(name), (path, name), ())


def _flags(markers: JsonValue, *names: str) -> dict[str, JsonValue]:
    """Return capabilities that are present or absent as true or false."""
    return without(markers, *names) | {name: markers.get(name) is not None for name in names}


def _markers(flags: JsonValue, *names: str) -> dict[str, JsonValue]:
    """Return capabilities that are true or false as objects that are present or absent."""
    return without(flags, *names) | {name: {} for name in names if flags.get(name)}
