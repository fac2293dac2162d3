"""Tests of extensions may be coroutines."""

from support.coroutines import pytest_pyfunc_call as pytest_pyfunc_call
