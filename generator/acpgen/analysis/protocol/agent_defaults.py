"""What agents with sessions do by themselves, where the capability to have sessions demands it."""

from __future__ import annotations

from collections.abc import Sequence

from acpgen.analysis.protocol.index import SchemaIndex
from acpgen.ir.model import Method
from acpgen.ir.session import AgentDefaults, SessionPage, SessionResume, UpdateRule


def read_agent_defaults(
    index: SchemaIndex, new: Method, rules: Sequence[UpdateRule]
) -> AgentDefaults:
    """Read the defaults of a surface; those that the schema does not demand are left out.

    Args:
        index: the schema, with the capabilities of its methods.
        new: the method that opens a session.
        rules: the rules for session updates.
    """
    demanded = {
        method.wire: method
        for method in index.methods
        if method.kind == "request"
        and method.capability is not None
        and method.capability == new.capability
    }
    options = (m for m in demanded.values() if index.has(m.params, "sessionId", "configId"))
    return AgentDefaults(
        _page(index, demanded.get("session/list"), rules),
        _resume(index, demanded.get("session/resume")),
        tuple(options),
    )


def _page(
    index: SchemaIndex, method: Method | None, rules: Sequence[UpdateRule]
) -> SessionPage | None:
    if method is None or not index.has(method.params, "cwd", "cursor"):
        return None
    entry = index.items(method.result, "sessions")
    unmet = [
        *index.unconstructible(method.result, "sessions", "nextCursor"),
        *index.unconstructible(entry, "sessionId", "cwd"),
    ]
    if entry is None or unmet:
        return None
    info = next((rule.slot for rule in rules if rule.slot and rule.slot.name == "info"), None)
    has_title = info is not None and index.has(entry, "title") and index.has(info.entry, "title")
    return SessionPage(method, entry, index.has(entry, "additionalDirectories"), has_title)


def _resume(index: SchemaIndex, method: Method | None) -> SessionResume | None:
    if method is None or not index.has(method.params, "sessionId", "replayFrom"):
        return None
    start = index.arms(index.type(method.params, "replayFrom")).get("start")
    if start is None or index.unconstructible(method.result):
        return None
    return SessionResume(method, start)
