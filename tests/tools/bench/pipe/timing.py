"""Measures a client's calls and turns, with a given number in flight, and prints JSON."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable


async def time_acts(acts: dict[str, Callable[[], Awaitable[None]]], count: int, many: int) -> None:
    async def repeat(act: Callable[[], Awaitable[None]]) -> None:
        for _ in range(count // many):
            await act()

    times = {}
    for name, act in acts.items():
        await act()
        start = time.perf_counter()
        await asyncio.gather(*(repeat(act) for _ in range(many)))
        times[name] = (time.perf_counter() - start) / count
    print(json.dumps(times))
