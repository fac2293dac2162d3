"""Coroutine tests run in the same way as the session tests."""

from tests.package.session.conftest import pytest_configure, pytest_pyfunc_call

__all__ = ["pytest_configure", "pytest_pyfunc_call"]
