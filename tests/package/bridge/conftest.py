"""Tests that are coroutines run as those of sessions do."""

from tests.package.session.conftest import pytest_configure, pytest_pyfunc_call

__all__ = ["pytest_configure", "pytest_pyfunc_call"]
