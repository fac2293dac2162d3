"""Support for coroutine tests, which must log exactly the messages in their `logs` marker."""

from __future__ import annotations

from tests.package.aio.coroutines import pytest_configure, pytest_pyfunc_call

__all__ = ["pytest_configure", "pytest_pyfunc_call"]
