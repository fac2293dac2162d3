"""Tests that are coroutines run in an event loop."""

from support.coroutines import pytest_pyfunc_call as pytest_pyfunc_call
