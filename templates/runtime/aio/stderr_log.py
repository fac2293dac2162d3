"""Log output on standard error, for programs that did not configure `logging`.

For an agent's author, the only information about a failed turn is on standard error. However, the
client can cause any number of errors, so the output is limited: only the first entry of each kind
is written, and long entries are truncated.
"""

from __future__ import annotations

import logging
import select
import sys
import traceback
from collections.abc import Generator, Hashable, Iterable
from contextlib import contextmanager, suppress
from typing import Any

from ..jsonrpc.logs import PACKAGE
from ..values.deferred import dataclass
from ..values.errors import cut, printable

# The maximum number of kinds of entries written per connection.
_KINDS = 50
# The maximum number of lines written from the beginning of an entry, and from its end.
_LINES = 40
# The maximum number of characters written per line.
_WIDTH = 1_000


@contextmanager
def log_on_stderr(level: int | str | None) -> Generator[None]:
    """Write this package's log entries to standard error if the program does not handle them.

    Args:
        level: the minimum level of entries to write, as for `logging`. With `logging.NOTSET`, the
            loggers' own levels apply. With None, nothing is written.

    Raises:
        TypeError: If the level is neither a string nor an integer.
        ValueError: If the level is unknown.
    """
    logger = logging.getLogger(PACKAGE)
    if level is None or any(isinstance(each, _Console) for each in logger.handlers):
        yield
        return
    handler = _Console(level)
    before = logger.level
    # If the program has its own log, the level isn't lowered, since that log would then receive
    # more entries than the program requested.
    if 0 < handler.level < logger.getEffectiveLevel() and not handler.is_elsewhere(logger):
        logger.setLevel(handler.level)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        if logger.level == handler.level:
            logger.setLevel(before)
        handler.sum_up()


@dataclass(slots=True)
class _Kind:
    """The entries of one kind.

    Attributes:
        first: the first line of the first entry.
        more: the number of later entries.
    """

    first: str
    more: int = 0


class _Console(logging.Handler):
    """A logging handler that writes the first entry of each kind to standard error.

    The handler counts all other entries.
    """

    def __init__(self, level: int | str) -> None:
        super().__init__(level)
        self._kinds: dict[Hashable, _Kind] = {}
        self._others = 0

    def is_elsewhere(self, logger: logging.Logger | None) -> bool:
        """Return whether the program already handles the entries of a logger."""
        while logger is not None:
            for handler in logger.handlers:
                if handler is not self and not isinstance(handler, logging.NullHandler):
                    return True
            if not logger.propagate:
                return True
            logger = logger.parent
        return False

    def emit(self, record: logging.LogRecord) -> None:
        """Write or count an entry, unless the program has its own log."""
        # Checked for each entry, since the connection's handler might configure logging.
        if self.is_elsewhere(logging.getLogger(record.name)) or getattr(record, "is_usual", False):
            return
        try:
            key = _kind_of(record)
            if (kind := self._kinds.get(key)) is not None:
                kind.more += 1
                return
            if len(self._kinds) < _KINDS:
                title, *rest = _lines(record)
                self._kinds[key] = _Kind(title)
                _write([title, *(f"    {line}" for line in rest)])
                return
        except Exception:  # an argument could not be converted to text
            pass
        self._others += 1

    def sum_up(self) -> None:
        """Write how many entries were omitted."""
        counted = [kind for kind in self._kinds.values() if kind.more]
        _write(f"{kind.more} more entries like this one: {cut(kind.first)}" for kind in counted)
        if self._others:
            _write([f"{self._others} more entries of other kinds"])


def _kind_of(record: logging.LogRecord) -> Hashable:
    """Return a key that is equal for entries of the same kind.

    The key consists of the logger's name, the message before formatting and, if there is an
    exception, its type and traceback. If the entry specifies a `kind`, that kind replaces the
    message.
    """
    kind = getattr(record, "kind", record.msg)
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return record.name, kind
    # Since this is a set, the kind doesn't depend on how deeply a function recursed.
    places = frozenset(
        (frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)
    )
    return record.name, kind, type(error), places


def _lines(record: logging.LogRecord) -> list[str]:
    """Return the lines of an entry, truncated to the limits and safe to print."""
    lines = [f"{record.levelname} {record.name}: {record.getMessage()}"]
    if record.exc_info:
        for part in traceback.format_exception(*record.exc_info):
            lines += part.splitlines()
    if len(lines) > 2 * _LINES:
        left_out = f"... ({len(lines) - 2 * _LINES} lines)"
        lines[_LINES:-_LINES] = [left_out]
    return [_safe(line) for line in lines]


def _safe(line: str) -> str:
    text = printable(line[: _WIDTH + 1])
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}..."


def _write(lines: Iterable[str]) -> None:
    """Write lines to standard error, but stop when writing would block."""
    stream: Any = sys.stderr
    # A failure of standard error must not stop the agent. The program might have replaced
    # `sys.stderr` with any object.
    with suppress(Exception):
        encoding = stream.encoding or "utf-8"
        for line in lines:
            if not _has_room(stream):
                return
            stream.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        stream.flush()


def _has_room(stream: Any) -> bool:
    """Return whether a line can be written without waiting for the client to read."""
    try:
        return bool(select.select([], [stream.fileno()], [], 0)[1])
    except (AttributeError, OSError, ValueError):  # not a file, or the system is Windows
        return True
