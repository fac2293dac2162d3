"""Conversion of `initialize`: the client's params and the agent's result.

Boolean capabilities in version 1 correspond to optional objects in version 2.
"""

from __future__ import annotations

from typing import Any

from ..jsonrpc.method import INITIALIZE, Surface
from ..values.errors import Path
from .exchange import Exchange
from .rules import JsonValue, object_at, without

# The types of content that a prompt can contain in addition to text and links.
_PROMPT = ("image", "audio", "embeddedContext")
# The info sent for programs that do not provide any, since version 2 requires this field.
_UNNAMED = {"name": "unknown", "version": "unknown"}
# The session capabilities of every v2 client, in the form that v1 clients advertise.
_UNDERSTOOD: JsonValue = {"compaction": {}, "configOptions": {"boolean": {}}, "notices": {}}
_CAPABILITIES: Path = ((), "capabilities")
_CLIENT_CAPABILITIES: Path = ((), "clientCapabilities")
_AGENT_CAPABILITIES: Path = ((), "agentCapabilities")
_AUTH_METHODS: Path = ((), "authMethods")
_FILES = "protocol 2 agents access files and run commands themselves"
_NO_LOGOUT = "the agent supports login but not logout, which protocol 2 requires"


def client_to_newer(params: JsonValue, newer: Surface, exchange: Exchange) -> JsonValue:
    """Convert a v1 client's params to version 2."""
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
    """Convert a v2 client's params to version 1.

    Only the file and terminal capabilities that the fallback handler supports (`standing_in`) are
    advertised. v1 agents can work without these capabilities.
    """
    newer = object_at(params, "capabilities")
    capabilities: dict[str, Any] = {
        # Only version 1 defines `fs`, `terminal` and `session`. The other capabilities are
        # converted below.
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
    """Convert a v2 agent's result to version 1."""
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
    """Convert a v1 agent's result to version 2."""
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
        # Every v1 agent supports sessions.
        "session": {
            **without(session, "list", "resume", "close"),
            "prompt": _markers(object_at(older, "promptCapabilities"), *_PROMPT),
            # Every v1 agent supports stdio MCP servers. Version 2 has no `sse` transport.
            "mcp": {"stdio": {}, **_markers(without(mcp, "sse"), "http")},
        },
    }
    _lose_contents(exchange, session, (at, "sessionCapabilities"), "list", "resume", "close")
    _lose_contents(exchange, auth, (at, "auth"), "logout")
    methods: list[JsonValue] = result.get("authMethods") or []
    if methods:
        # Version 2 does not allow login without `logout`. Without login, the agent would be
        # unusable, so its authentication methods are sent to the client anyway.
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
    """Report the contents of the named optional objects as losses."""
    for name in names:
        exchange.lose_others(exchange.agent, INITIALIZE, value.get(name), (path, name), ())


def _flags(markers: JsonValue, *names: str) -> dict[str, JsonValue]:
    """Convert the named capabilities from optional objects to booleans."""
    return without(markers, *names) | {name: markers.get(name) is not None for name in names}


def _markers(flags: JsonValue, *names: str) -> dict[str, JsonValue]:
    """Convert the named capabilities from booleans to optional objects."""
    return without(flags, *names) | {name: {} for name in names if flags.get(name)}
