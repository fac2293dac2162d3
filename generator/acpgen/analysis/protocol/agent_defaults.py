"""Defaults of agents with sessions, for the methods that the capability to have sessions needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from acpgen.analysis.protocol.index import SchemaIndex, Unmet
from acpgen.ir.model import Method
from acpgen.ir.session import AgentDefaults, SessionPage, SessionResume, UpdateRule


def read_agent_defaults(
    index: SchemaIndex, new: Method, rules: Sequence[UpdateRule], others: Collection[Method]
) -> tuple[AgentDefaults, Mapping[str, list[Unmet]]]:
    """Read the defaults of a surface; unneeded defaults are left out.

    Args:
        index: the schema, with the capabilities of its methods.
        new: the method that opens a session.
        rules: the rules for session updates.
        others: the methods that agents with sessions handle in any case.

    Returns:
        The defaults; and, by wire name, why methods that need one have none.
    """
    needed = {
        method.wire or "": method
        for method in index.methods
        if method.kind == "request"
        and method.capability is not None
        and method.capability == new.capability
        and method not in others
    }
    page: SessionPage | None = None
    resume: SessionResume | None = None
    options: list[Method] = []
    without: dict[str, list[Unmet]] = {}
    for wire, method in needed.items():
        if wire == "session/list":
            lacks = _lacks_of_page(index, method)
            page = None if lacks else _page(index, method, rules)
        elif wire == "session/resume":
            lacks = _lacks_of_resume(index, method)
            resume = None if lacks else _resume(index, method)
        elif index.has(method.params, "sessionId", "configId"):
            lacks = []
            options.append(method)
        else:
            lacks = [index.unmet(method.params, "no rule is about it")]
        if lacks:
            without[wire] = lacks
    return AgentDefaults(page, resume, tuple(options)), without


def _lacks_of_page(index: SchemaIndex, method: Method) -> list[Unmet]:
    entry = index.items(method.result, "sessions")
    return [
        *index.unreadable(method.params, "cwd", "cursor"),
        *index.unconstructible(method.result, "sessions", "nextCursor"),
        *index.unconstructible(entry, "sessionId", "cwd"),
    ]


def _page(index: SchemaIndex, method: Method, rules: Sequence[UpdateRule]) -> SessionPage:
    entry = index.items(method.result, "sessions") or ""
    info = next((rule.slot for rule in rules if rule.slot and rule.slot.name == "info"), None)
    has_title = info is not None and index.has(entry, "title") and index.has(info.entry, "title")
    return SessionPage(method, entry, index.has(entry, "additionalDirectories"), has_title)


def _lacks_of_resume(index: SchemaIndex, method: Method) -> list[Unmet]:
    replay = index.type(method.params, "replayFrom")
    lacks = index.unreadable(method.params, "sessionId", "replayFrom")
    if not lacks and "start" not in index.arms(replay):
        lacks = [index.unmet(replay, f"{replay or 'replayFrom'} has no arm 'start'")]
    return [*lacks, *index.unconstructible(method.result)]


def _resume(index: SchemaIndex, method: Method) -> SessionResume:
    return SessionResume(method, index.arms(index.type(method.params, "replayFrom"))["start"])
