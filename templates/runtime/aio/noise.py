"""Logging of what a peer does wrong: once for each kind, however often it happens."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Hashable

from ..jsonrpc.events import Ignored, Refused
from ..values.errors import printable

# How long further events of a kind are only counted, in seconds.
_WINDOW = 5.0
# The length to which a log entry cuts what it quotes, in characters.
_MAX_QUOTE = 200

_log = logging.getLogger(__name__)


class Noise:
    """Logs refused and ignored messages.

    The first of a kind is logged at once; those that follow within a few seconds are counted.
    """

    def __init__(self) -> None:
        self._counts: dict[Hashable, int] = {}
        self._timers: dict[Hashable, asyncio.TimerHandle] = {}

    def report(self, event: Refused | Ignored) -> None:
        """Log an event, or count it."""
        if isinstance(event, Refused):
            kind: Hashable = event.error.code
            text = f"refused a message (id {event.id!r}): {event.error}"
        else:
            kind, text = event.kind, f"ignored a message: {event.reason}{_quoted(event)}"
        if kind in self._counts:
            self._counts[kind] += 1
            return
        _log.warning("%s", printable(text))
        self._counts[kind] = 0
        loop = asyncio.get_running_loop()
        self._timers[kind] = loop.call_later(_WINDOW, self._sum_up, kind)

    def _sum_up(self, kind: Hashable) -> None:
        del self._timers[kind]
        count = self._counts.pop(kind)
        if count:
            _log.warning("%d more messages were refused or ignored for such a reason", count)

    def close(self) -> None:
        """Log what was only counted so far."""
        for kind, timer in list(self._timers.items()):
            timer.cancel()
            self._sum_up(kind)


def _quoted(event: Ignored) -> str:
    """Return what a log entry quotes of an ignored message: its line, if it is no message."""
    if not isinstance(event.raw, bytes):
        return ""
    text = event.raw[: 4 * _MAX_QUOTE].decode("utf-8", "replace")
    return f": {text[:_MAX_QUOTE]!r}{'...' if len(text) > _MAX_QUOTE else ''}"
