"""What both sides say of themselves in `initialize`: a client of the newer version, and an agent of
the older one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..jsonrpc.method import Surface
from ..values.errors import Path
from .exchange import LoseOthers
from .rules import LOST, JsonValue, object_at, without

_METHOD = "initialize"
# A name for an agent that does not say who it is: the newer version requires one.
_NOBODY = {"name": "unknown", "version": "unknown"}
# What every client of the newer version understands, as one of the older version advertises it.
_UNDERSTOOD: JsonValue = {"compaction": {}, "configOptions": {"boolean": {}}, "notices": {}}
# Members that only the older version gives a meaning.
_OLDER = ("fs", "terminal", "session", "auth", "elicitation")
_NO_LOGOUT = "the agent cannot sign out, which the newer version requires for signing in"


def client_to_older(
    params: JsonValue,
    older: Surface,
    convert: Callable[..., JsonValue],
    standing_in: JsonValue,
) -> JsonValue:
    """Return the params of a newer client as those of an older one.

    It has no files and no terminals, which an older agent may do without.

    Args:
        params: the params of `initialize`.
        older: the surface of the older version.
        convert: converts a part; see `Exchange.convert`.
        standing_in: the capabilities of what stands in for the client.
    """
    newer = object_at(params, "capabilities")
    capabilities: dict[str, Any] = {
        **without(newer, *_OLDER),
        "session": dict(_UNDERSTOOD),
        **standing_in,
    }
    if newer.get("auth") is not None:
        terminal = newer["auth"].get("terminal") is not None
        capabilities["auth"] = {**newer["auth"], "terminal": terminal}
    if newer.get("elicitation") is not None:
        at: Path = (((), "capabilities"), "elicitation")
        elicitation = convert("ElicitationCapabilities", newer["elicitation"], _METHOD, at)
        capabilities["elicitation"] = elicitation
    return {
        **without(params, "protocolVersion", "info", "capabilities"),
        "protocolVersion": older.SCHEMA.protocol_version,
        "clientInfo": params["info"],
        "clientCapabilities": capabilities,
    }


def agent_to_newer(
    result: JsonValue,
    newer: Surface,
    convert: Callable[..., JsonValue],
    lose: Callable[[str, Path, str], None],
    lose_others: LoseOthers,
) -> JsonValue:
    """Return the result of an older agent as that of a newer one.

    Args:
        result: the result of `initialize`.
        newer: the surface of the newer version.
        convert: converts a part; see `Exchange.convert`.
        lose: tells of a part that is lost; see `Exchange.lose`.
        lose_others: reports the other fields of a part; see `Exchange.lose_others`.
    """
    older = object_at(result, "agentCapabilities")
    capabilities: dict[str, Any] = {
        **without(
            older,
            "loadSession",
            "promptCapabilities",
            "mcpCapabilities",
            "sessionCapabilities",
            "auth",
        ),
        "session": _session_capabilities(older),
    }
    at: Path = ((), "agentCapabilities")
    for name in ("list", "resume", "close"):
        marker = object_at(older, "sessionCapabilities").get(name)
        lose_others(_METHOD, marker, ((at, "sessionCapabilities"), name), ())
    auth = object_at(older, "auth")
    lose_others(_METHOD, auth.get("logout"), ((at, "auth"), "logout"), ())
    place: Path = ((), "authMethods")
    methods: list[JsonValue] = result.get("authMethods") or []
    if methods:
        # Without `logout`, signing in would be ruled out by the newer version. Nobody could use
        # such an agent, so its methods are shown all the same.
        if auth.get("logout") is None:
            lose(_METHOD, place, _NO_LOGOUT)
        capabilities["auth"] = without(auth, "logout")
    else:
        lose_others(_METHOD, auth, (at, "auth"), ("logout",))
    shown = [
        convert("AuthMethod", method, _METHOD, (place, number))
        for number, method in enumerate(methods)
    ]
    return {
        **without(result, "protocolVersion", "agentInfo", "agentCapabilities", "authMethods"),
        "protocolVersion": newer.SCHEMA.protocol_version,
        "info": result.get("agentInfo") or dict(_NOBODY),
        "capabilities": capabilities,
        "authMethods": [method for method in shown if method is not LOST],
    }


def _session_capabilities(older: JsonValue) -> JsonValue:
    """Return the capability of sessions, which each older agent has: its groups are there."""
    session = object_at(older, "sessionCapabilities")
    mcp = object_at(older, "mcpCapabilities")
    prompt = object_at(older, "promptCapabilities")
    return {
        **without(session, "list", "resume", "close"),
        "prompt": _markers(prompt, "image", "audio", "embeddedContext"),
        # Each older agent can start servers; servers of the kind `sse` the newer version lacks.
        "mcp": {"stdio": {}, **_markers(without(mcp, "sse"), "http")},
    }


def _markers(flags: JsonValue, *names: str) -> dict[str, JsonValue]:
    """Return capabilities that are true or false as objects that are present or absent."""
    return without(flags, *names) | {name: {} for name in names if flags.get(name)}
