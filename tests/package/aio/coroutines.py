"""Pytest hooks that run coroutine tests and compare logged messages with the marker `logs`."""

from __future__ import annotations

import inspect

import pytest

from tests.package.aio import loop
from tests.package.session import scripted


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "logs(*messages): what a test that is a coroutine logs")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in inspect.signature(test).parameters}
    marker = pyfuncitem.get_closest_marker("logs")
    if marker is None:
        loop.run(test(**given))
    else:
        scripted.run(test(**given), *marker.args)
    return True
