"""Tests of the kit may be coroutines."""

from support.coroutines import pytest_pyfunc_call as pytest_pyfunc_call
