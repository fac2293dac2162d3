"""Notices an agent that owes something and says nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

# How often the timer looks within the limit: silence is measured to a quarter of it.
_LOOKS = 4


class Silence:
    """Measures how long nothing has arrived while something is owed.

    A timer looks at what has happened since it looked last, so that messages cost nothing. It runs
    on while something is owed.

    Attributes:
        reads: counts both when reading begins and when it ends: so it is odd while reading waits
            for the other side, and stays the same as long as nothing arrives.
        is_idle: whether `begin` starts the timer.
    """

    def __init__(
        self,
        limit: float,
        owes: Callable[[], bool],
        waits: Callable[[], bool],
        on_silence: Callable[[], None],
    ) -> None:
        """Start without a timer.

        Args:
            limit: how long the silence may be, in seconds.
            owes: returns whether the other side owes something.
            waits: returns whether it waits for something itself, and so may be silent.
            on_silence: called when it was silent for that long.
        """
        self.reads = 0
        self.is_idle = True
        self._pause = limit / _LOOKS
        self._owes = owes
        self._waits = waits
        self._on_silence = on_silence
        self._last_reads = 0
        self._quiet = 0  # how many looks in a row have found silence
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Start the timer: from now on, something is owed."""
        self.is_idle = False
        self._restart(quiet=0)

    def _restart(self, quiet: int) -> None:
        self._quiet = quiet
        self._last_reads = self.reads
        self._timer = asyncio.get_running_loop().call_later(self._pause, self._look)

    def _look(self) -> None:
        # Time in which this side does not read, because its handlers are slow, does not count.
        is_silent = self.reads % 2 == 1 and self.reads == self._last_reads
        if not self._owes():
            self._timer, self.is_idle = None, True
        elif not is_silent or self._waits():
            self._restart(quiet=0)
        elif self._quiet + 1 < _LOOKS:
            self._restart(self._quiet + 1)
        else:
            self._on_silence()

    def close(self) -> None:
        """Stop the timer, for good."""
        self.is_idle = False
        if self._timer is not None:
            self._timer.cancel()
