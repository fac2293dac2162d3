"""Support for coroutine tests, which must not leave any task running."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path

import pytest

from tests.package.aio import loop
from tests.package.remote.servers import make_certificate


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in inspect.signature(test).parameters}

    async def run() -> None:
        before = asyncio.all_tasks()
        await test(**given)
        await asyncio.sleep(0.01)
        assert asyncio.all_tasks() == before

    loop.run(run())
    return True


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Create a certificate for 127.0.0.1 and return the files of the certificate and its key."""
    return make_certificate(tmp_path_factory.mktemp("tls"))
