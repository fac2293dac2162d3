"""Pytest hooks and a fixture that check the log of each bridge test."""

import inspect
import logging
from collections.abc import Iterator

import pytest

from tests.package.session.conftest import pytest_configure, pytest_pyfunc_call

__all__ = ["pytest_configure", "pytest_pyfunc_call"]


@pytest.fixture(autouse=True)
def no_unexpected_errors(
    request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> Iterator[None]:
    """Check the logged errors, since the bridge logs its internal errors and continues."""
    yield
    test = request.function
    if inspect.iscoroutinefunction(test) or "caplog" in inspect.signature(test).parameters:
        return
    marker = request.node.get_closest_marker("logs")
    records = caplog.get_records("call")
    errors = [record.getMessage() for record in records if record.levelno >= logging.ERROR]
    assert errors == list(marker.args if marker else ())
