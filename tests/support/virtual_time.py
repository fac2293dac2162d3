"""An event loop with virtual time: waits take no real time, and hanging is an error."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Hanging(Exception):
    """Raised if a program is still waiting even though no more events can occur."""


class _Selector(selectors.DefaultSelector):
    """A selector that advances the time instead of waiting."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        ready = super().select(0)
        if not ready and timeout is None:
            raise Hanging
        if not ready and timeout is not None:
            self.now += timeout + 1e-9
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop with virtual time, for programs that use no input, output or threads."""

    def __init__(self) -> None:
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


def run(main: Coroutine[Any, Any, T], within: float) -> T:
    """Run a program.

    Args:
        main: the program.
        within: the time limit, in seconds of virtual time.

    Raises:
        TimeoutError: If the program takes longer.
    """
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(asyncio.wait_for(main, within))
    finally:
        loop.run_until_complete(_cancel_rest())
        loop.close()


async def _cancel_rest() -> None:
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
