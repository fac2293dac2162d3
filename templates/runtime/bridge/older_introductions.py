"""What both sides say of themselves in `initialize`: a client of the older version, and an agent of
the newer one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..jsonrpc.method import Surface
from ..values.errors import Path
from .exchange import LoseOthers
from .rules import LOST, JsonValue, object_at, without

_METHOD = "initialize"
# A name for a client that does not say who it is: the newer version requires one.
NOBODY = {"name": "unknown", "version": "unknown"}
# The kinds of content that a prompt can have in addition to text and links.
_PROMPT = ("image", "audio", "embeddedContext")
_FILES = "an agent of the newer version reads and writes files, and runs commands, by itself"


def client_to_newer(
    params: JsonValue,
    newer: Surface,
    convert: Callable[..., JsonValue],
    lose: Callable[[str, Path, str], None],
) -> JsonValue:
    """Return the params of an older client as those of a newer one."""
    older = object_at(params, "clientCapabilities")
    place: Path = ((), "clientCapabilities")
    for name in ("fs", "terminal"):
        if older.get(name):
            lose(_METHOD, (place, name), _FILES)
    capabilities: dict[str, Any] = {}
    if older.get("auth") is not None:
        capabilities["auth"] = without(older["auth"], "terminal")
        if older["auth"].get("terminal"):
            capabilities["auth"]["terminal"] = {}
    if older.get("elicitation") is not None:
        elicitation = older["elicitation"]
        at = (place, "elicitation")
        capabilities["elicitation"] = convert("ElicitationCapabilities", elicitation, _METHOD, at)
    capabilities |= without(older, "fs", "terminal", "auth", "elicitation", "session")
    return {
        **without(params, "protocolVersion", "clientCapabilities", "clientInfo"),
        "protocolVersion": newer.SCHEMA.protocol_version,
        "info": params.get("clientInfo") or dict(NOBODY),
        "capabilities": capabilities,
    }


def agent_to_older(
    result: JsonValue,
    older: Surface,
    convert: Callable[..., JsonValue],
    lose_others: LoseOthers,
) -> JsonValue:
    """Return the result of a newer agent as that of an older one."""
    newer = object_at(result, "capabilities")
    at: Path = (((), "capabilities"), "session")
    session = newer.get("session")
    methods: list[JsonValue] = result.get("authMethods") or []
    capabilities: dict[str, Any] = {"loadSession": session is not None}
    if session is not None:
        prompt, mcp = object_at(session, "prompt"), object_at(session, "mcp")
        for name in _PROMPT:
            lose_others(_METHOD, prompt.get(name), ((at, "prompt"), name), ())
        for name in ("stdio", "http"):
            lose_others(_METHOD, mcp.get(name), ((at, "mcp"), name), ())
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
    if newer.get("auth") is not None or methods:
        capabilities["auth"] = object_at(newer, "auth") | ({"logout": {}} if methods else {})
    capabilities |= without(newer, "session", "auth")
    place: Path = ((), "authMethods")
    shown = [
        convert("AuthMethod", method, _METHOD, (place, number))
        for number, method in enumerate(methods)
    ]
    return {
        **without(result, "protocolVersion", "info", "capabilities", "authMethods"),
        "protocolVersion": older.SCHEMA.protocol_version,
        "agentInfo": result["info"],
        "agentCapabilities": capabilities,
        "authMethods": [method for method in shown if method is not LOST],
    }


def _flags(markers: JsonValue, *names: str) -> dict[str, JsonValue]:
    """Return capabilities that are present or absent as true or false."""
    return without(markers, *names) | {name: markers.get(name) is not None for name in names}
