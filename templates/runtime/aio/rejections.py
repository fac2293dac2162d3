"""The log of refused and ignored messages: one entry per kind, regardless of their number."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from reprlib import Repr

from ..jsonrpc.errors import UNSUPPORTED_PROTOCOL_VERSION
from ..jsonrpc.events import Ignored, Refused
from ..jsonrpc.logs import logger_of
from ..values.deferred import dataclass
from ..values.errors import MAX_QUOTE, cut, printable, quotation

# Represents the beginning of JSON, without reading all of it.
_repr = Repr()
_repr.maxdict, _repr.maxstring = 8, MAX_QUOTE
# How long later events of a kind are only counted, in seconds.
_WINDOW = 5.0

_log = logger_of(__name__)


@dataclass(slots=True)
class _Kind:
    """Events of one kind within a few seconds: the first log entry, and the number of others."""

    first: str
    timer: asyncio.TimerHandle
    more: int = 0


class Rejections:
    """Logs refused and ignored messages.

    The first message of a kind is logged immediately. The next few seconds are only counted.
    """

    def __init__(self) -> None:
        self._kinds: dict[Hashable, _Kind] = {}

    def report(self, event: Refused | Ignored) -> None:
        """Log an event, or count it."""
        key: Hashable = event.error.code if isinstance(event, Refused) else event.kind
        if key in self._kinds:
            self._kinds[key].more += 1
            return
        text = _entry(event)
        # Clients find a common version through such refusals, so this one isn't shown.
        is_usual = key == UNSUPPORTED_PROTOCOL_VERSION
        _log.warning("%s", text, extra={"kind": key, "is_usual": is_usual})
        # A window per kind, so that a flood of one kind does not hide another.
        timer = asyncio.get_running_loop().call_later(_WINDOW, self._sum_up, key)
        self._kinds[key] = _Kind(text, timer)

    def _sum_up(self, key: Hashable) -> None:
        kind = self._kinds.pop(key)
        kind.timer.cancel()
        if kind.more:
            text = "%d more messages like this one: %s"
            _log.warning(text, kind.more, kind.first, extra={"kind": (key, "more")})

    def close(self) -> None:
        """Log the pending counts."""
        for key in list(self._kinds):
            self._sum_up(key)


def _entry(event: Refused | Ignored) -> str:
    if isinstance(event, Refused):
        return printable(f"refused a message (id {quotation(event.id)}): {event.error}")
    quoted = ""
    if event.kind == "not_a_message":
        quoted = f": {cut(_repr.repr(event.raw))}"
    elif isinstance(event.raw, bytes):  # the line, if it is not a message
        # A character has up to four bytes. The extra character shows that the line is truncated.
        quoted = f": {quotation(event.raw[: 4 * MAX_QUOTE + 4].decode('utf-8', 'replace'))}"
    return printable(f"ignored a message: {event.reason}{quoted}")
