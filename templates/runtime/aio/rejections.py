"""The log of messages that are refused or ignored: once for each kind, however many arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from reprlib import Repr

from ..jsonrpc.errors import UNSUPPORTED_PROTOCOL_VERSION
from ..jsonrpc.events import Ignored, Refused
from ..jsonrpc.logs import logger_of
from ..values.deferred import dataclass
from ..values.errors import MAX_QUOTE, cut, printable, quotation

# Shows the beginning of JSON, without reading all of it.
_repr = Repr()
_repr.maxdict, _repr.maxstring = 8, MAX_QUOTE
# How long further events of a kind are only counted, in seconds.
_WINDOW = 5.0

_log = logger_of(__name__)


@dataclass(slots=True)
class _Kind:
    """Events of one kind within a few seconds: the first log entry, and how many followed."""

    first: str
    timer: asyncio.TimerHandle
    more: int = 0


class Rejections:
    """Logs refused and ignored messages.

    The first of a kind is logged at once; those that follow within a few seconds are counted.
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
        # A client finds the right version by refusals, so this one isn't shown.
        is_usual = key == UNSUPPORTED_PROTOCOL_VERSION
        _log.warning("%s", text, extra={"kind": key, "is_usual": is_usual})
        # A window for each kind, so that a flood of one does not hide another.
        timer = asyncio.get_running_loop().call_later(_WINDOW, self._sum_up, key)
        self._kinds[key] = _Kind(text, timer)

    def _sum_up(self, key: Hashable) -> None:
        kind = self._kinds.pop(key)
        kind.timer.cancel()
        if kind.more:
            text = "%d more messages like this one: %s"
            _log.warning(text, kind.more, kind.first, extra={"kind": (key, "more")})

    def close(self) -> None:
        """Log what was only counted so far."""
        for key in list(self._kinds):
            self._sum_up(key)


def _entry(event: Refused | Ignored) -> str:
    if isinstance(event, Refused):
        return printable(f"refused a message (id {quotation(event.id)}): {event.error}")
    quoted = ""
    if event.kind == "not_a_message":
        quoted = f": {cut(_repr.repr(event.raw))}"
    elif isinstance(event.raw, bytes):  # the line, of what is no message
        # A character has up to four bytes; one more tells that there is more.
        quoted = f": {quotation(event.raw[: 4 * MAX_QUOTE + 4].decode('utf-8', 'replace'))}"
    return printable(f"ignored a message: {event.reason}{quoted}")
