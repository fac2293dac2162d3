"""Work that being cancelled does not interrupt."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


async def uninterrupted(work: Coroutine[Any, Any, object]) -> None:
    """Await work to its end even if this task is cancelled, and then raise the cancellation."""
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled
