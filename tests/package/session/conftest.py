"""Pytest hooks that run coroutine tests and compare log messages with the marker `logs`."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tests.package.session.scripted import run


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "logs(*messages): what a test that is a coroutine logs")


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    given: dict[str, Any] = {
        name: pyfuncitem.funcargs[name] for name in inspect.signature(test).parameters
    }
    marker = pyfuncitem.get_closest_marker("logs")
    logged = marker.args if marker else ()
    # A dict contains a different message for each protocol version.
    run(test(**given), *(e[given["version"].number] if isinstance(e, dict) else e for e in logged))
    return True
