"""Tests that are coroutines run in an event loop, where nothing is left behind."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest
from package.jsonrpc import loop


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in inspect.signature(test).parameters}

    async def run() -> None:
        await test(**given)
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    loop.run(run())
    return True


@pytest.fixture
def anyio_backend() -> Any:
    return "asyncio"
