"""Tests that are coroutines run in an event loop, and log just what the marker `logs` says."""

from __future__ import annotations

from tests.package.aio.coroutines import pytest_configure, pytest_pyfunc_call

__all__ = ["pytest_configure", "pytest_pyfunc_call"]
