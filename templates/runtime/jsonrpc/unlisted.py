"""The log of the constants that one side of a connection sends and the schema does not list.

Most of them are misspelt. They are still sent, since a later schema could list them.
"""

from __future__ import annotations

from ..values.errors import Issue
from .logs import logger_of

# How many entries are written for a connection, and the maximum length of a value in one.
_MOST = 100
_LONGEST = 80

_log = logger_of(__name__)


class UnlistedLog:
    """Logs each value of a field once."""

    def __init__(self) -> None:
        self._logged: set[tuple[str, str]] = set()

    def add(self, issue: Issue) -> None:
        """Log a value, unless that was done or there are too many.

        Args:
            issue: The issue that encoding reported.
        """
        value: str = issue.raw
        shown = repr(value) if len(value) <= _LONGEST else f"{value[:_LONGEST]!r}..."
        names = [part for part in issue.pointer.split("/") if part and not part.isdecimal()]
        field = names[-1] if names else "value"
        if (field, shown) in self._logged or len(self._logged) >= _MOST:
            return
        self._logged.add((field, shown))
        _log.warning("%s %s is %s", field, shown, issue.reason, extra={"kind": f"unlisted {field}"})
