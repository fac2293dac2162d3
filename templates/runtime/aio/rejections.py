"""The log of rejected and ignored messages, with a limit on the number of entries of each kind."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from reprlib import Repr

from ..jsonrpc.errors import UNSUPPORTED_PROTOCOL_VERSION
from ..jsonrpc.events import Ignored, Refused
from ..jsonrpc.logs import logger_of
from ..values.deferred import dataclass
from ..values.errors import MAX_QUOTE, cut, printable, quotation

# Formats the beginning of a JSON value without reading the entire value.
_repr = Repr()
_repr.maxdict, _repr.maxstring = 8, MAX_QUOTE
# For this many seconds after an event is logged, further events of its kind are only counted.
_WINDOW = 5.0

_log = logger_of(__name__)


@dataclass(slots=True)
class _Kind:
    """Events of one kind that occur within a few seconds.

    Attributes:
        first: the log entry for the first event.
        timer: the timer that logs a summary of the events when it expires.
        more: the number of events after the first event.
    """

    first: str
    timer: asyncio.TimerHandle
    more: int = 0


class Rejections:
    """A logger for rejected and ignored messages.

    The first message of a kind is logged immediately. For a few seconds after that, messages of the
    same kind are only counted.
    """

    def __init__(self) -> None:
        self._kinds: dict[Hashable, _Kind] = {}

    def report(self, event: Refused | Ignored) -> None:
        """Log or count an event."""
        key: Hashable = event.error.code if isinstance(event, Refused) else event.kind
        if key in self._kinds:
            self._kinds[key].more += 1
            return
        text = _entry(event)
        # To find a common version, clients request versions that might be rejected, so these
        # rejections aren't shown by default.
        is_usual = key == UNSUPPORTED_PROTOCOL_VERSION
        _log.warning("%s", text, extra={"kind": key, "is_usual": is_usual})
        # Each kind has its own period, so a flood of one kind doesn't hide another kind.
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
        return printable(f"rejected a message (id {quotation(event.id)}): {event.error}")
    quoted = ""
    if event.kind == "not_a_message":
        quoted = f": {cut(_repr.repr(event.raw))}"
    elif isinstance(event.raw, bytes):  # a line that could not be parsed
        # A character takes up to four bytes. The extra character makes `quotation` mark the line as
        # truncated.
        quoted = f": {quotation(event.raw[: 4 * MAX_QUOTE + 4].decode('utf-8', 'replace'))}"
    return printable(f"ignored a message: {event.reason}{quoted}")
