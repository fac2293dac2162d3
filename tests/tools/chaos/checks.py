"""The conditions that must hold after each scenario."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from acp_bindings.runtime.aio import Peer
from acp_bindings.runtime.jsonrpc import Limits


class Broken(AssertionError):
    """Raised when a check fails."""


def check(holds: object, what: str) -> None:
    if not holds:
        raise Broken(what)


def check_log(entries: list[str], allowed: tuple[str, ...]) -> None:
    for entry in entries:
        check(any(each in entry.splitlines()[0] for each in allowed), f"logged: {entry}")


def check_report(path: Path, allowed: tuple[str, ...]) -> None:
    report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for holding in report["held"]:
        check_nothing_held(holding)
    check_log(report["log"], allowed)
    check(not report["left"], f"left: {report['left']}")
    before, after = report["descriptors"]
    check(before == after, f"descriptors: {before} before, now {report['open']}")
    for name, counts in report["owned"].items():
        ends_once = counts["ended"] == 1 and counts["opened"] == counts["closed"] <= 1
        check(ends_once, f"the session {name}: {counts}")
    check(report["ends"] in ([], [1]), f"disconnected {report['ends']} times")


# --- what a peer holds -----------------------------------------------------------------------

# Sizes in bytes: the largest read, the smallest notification, and the longest line.
READ, LEAST, LARGEST = 1 << 18, 50, 1 << 22
# The entries of `held` that can be positive after the connection closes.
STAYS = ("sessions", "stray_sessions", "closed_sessions", "reopening")


def held(peer: Peer) -> Counter[str]:
    """Return the sizes of a connection's buffers and collections, by the names of their limits."""
    connection, lanes, serving = peer._connection, peer._handling.lanes, peer._handling
    handler: Any = peer.handler
    registry = getattr(handler, "_registry", None)  # only clients have a registry
    turns = [
        turn for session in handler.sessions.values() for turn in getattr(session, "turns", ())
    ]
    return Counter(
        {
            "requests": len(connection._requests.batches),
            "requests_bytes": connection._requests.size,
            "calls": len(connection.pending),
            "cancelled_calls": len(connection._calls._cancelled),
            "backlog": lanes._count,
            "backlog_bytes": lanes._size,
            "updates": max((len(turn._updates) for turn in turns), default=0),
            "unread_bytes": peer._output.unread,
            "sessions": len(handler.sessions),
            "stray_sessions": len(registry.strays) if registry else 0,
            "closed_sessions": len(registry.closed) if registry else 0,
            "reopening": len(registry.reopening) if registry else 0,
            "turns": len(peer.owed),
            "callers": len(peer._calling._calls),
            "handlers": len(serving._serving) + len(serving._unstarted) + len(serving._cancelled),
            "lanes": len(lanes._lanes),
            "tasks": len(peer._choice.tasks),
            "rejections": len(peer._running._rejections._kinds),
        }
    )


def check_nothing_held(holding: dict[str, int]) -> None:
    held_still = {name: n for name, n in holding.items() if n and name not in STAYS}
    # The last bytes, and the updates of a finished turn, might never be read.
    for name in ("unread_bytes", "updates"):
        held_still.pop(name, None)
    check(not held_still, f"held at the end: {held_still}")


def check_within(most: dict[str, int], limits: Limits) -> None:
    bounds = {
        "requests": limits.requests,
        "requests_bytes": limits.requests_bytes + LARGEST,
        "calls": limits.calls,
        "cancelled_calls": limits.cancelled_calls,
        "backlog": 4 * max(limits.backlog, 100) + 9 * READ // LEAST,
        "backlog_bytes": 4 * limits.backlog_bytes + READ + LARGEST,
        "updates": max(1, limits.backlog) + 1,
        "unread_bytes": limits.unread_bytes + 2 * LARGEST,
        "stray_sessions": limits.stray_sessions,
        "closed_sessions": limits.closed_sessions,
        "reopening": limits.stray_sessions,
    }
    for name, bound in bounds.items():
        number = most.get(name, 0)
        check(number <= bound, f"held {number} of {name}, at most {bound}")
