"""Pytest hooks that run coroutine tests in an event loop and check the messages that they log."""

from __future__ import annotations

from tests.package.aio.coroutines import pytest_configure, pytest_pyfunc_call

__all__ = ["pytest_configure", "pytest_pyfunc_call"]
