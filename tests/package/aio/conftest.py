"""Coroutine tests run in an event loop and log exactly the messages in the marker `logs`."""

from __future__ import annotations

from tests.package.aio.coroutines import pytest_configure, pytest_pyfunc_call

__all__ = ["pytest_configure", "pytest_pyfunc_call"]
