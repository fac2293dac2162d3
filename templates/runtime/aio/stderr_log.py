"""Log entries on standard error, for programs that did not configure `logging`.

For the author of an agent, standard error is the only place that shows why a turn failed. But the
client controls how many errors occur and which ones, so everything here has a limit. Only the first
entry of each kind is written, and it is truncated.
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

# How many kinds of entries are written per connection.
_KINDS = 50
# How many lines are written from the beginning of an entry, and again from its end.
_LINES = 40
# How many characters of a line are written.
_WIDTH = 1_000


@contextmanager
def log_on_stderr(level: int | str | None) -> Generator[None]:
    """Write entries of this package that the program does not handle to standard error.

    Args:
        level: the least severe entries to write, as for `logging`; with `logging.NOTSET`, the level
            of the loggers decides. With None, nothing is written.

    Raises:
        TypeError: If the level is neither text nor an integer.
        ValueError: If the level is unknown.
    """
    logger = logging.getLogger(PACKAGE)
    if level is None or any(isinstance(each, _Console) for each in logger.handlers):
        yield
        return
    handler = _Console(level)
    before = logger.level
    # Not for a program with its own log, which would get more entries than it asked for.
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
    """Entries of one kind: the beginning of the first, and the number of the others."""

    first: str
    more: int = 0


class _Console(logging.Handler):
    """Writes the first entry of each kind to standard error, and counts the others."""

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
        """Write an entry, unless the program has a log or an entry of its kind was written."""
        # Checked each time, since a handler of the connection can configure logging.
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
        except Exception:  # raised by an argument that has no text
            pass
        self._others += 1

    def sum_up(self) -> None:
        """Write the counts of omitted entries."""
        counted = [kind for kind in self._kinds.values() if kind.more]
        _write(f"{kind.more} more entries like: {cut(kind.first)}" for kind in counted)
        if self._others:
            _write([f"{self._others} more entries of other kinds"])


def _kind_of(record: logging.LogRecord) -> Hashable:
    """Return the kind of an entry: its text without arguments, and its traceback."""
    kind = getattr(record, "kind", record.msg)
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return record.name, kind
        # A set, so that every recursion depth is the same kind.
    places = frozenset(
        (frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)
    )
    return record.name, kind, type(error), places


def _lines(record: logging.LogRecord) -> list[str]:
    """Return an entry as lines that are safe to print, truncated to the limits."""
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
    """Write lines to standard error, as far as it accepts them."""
    stream: Any = sys.stderr
    # The agent continues even if standard error fails, since the program can have replaced it.
    with suppress(Exception):
        encoding = stream.encoding or "utf-8"
        for line in lines:
            if not _has_room(stream):
                return
            stream.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        stream.flush()


def _has_room(stream: Any) -> bool:
    """Return whether a line can be written without waiting for a client that does not read."""
    try:
        return bool(select.select([], [stream.fileno()], [], 0)[1])
    except (AttributeError, OSError, ValueError):  # not a file, or on Windows
        return True
