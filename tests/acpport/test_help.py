"""Tests of the help of `acpgen port`."""

from __future__ import annotations

import pytest

from tests.support.help import check_help


def test_the_help_of_the_command(request: pytest.FixtureRequest) -> None:
    check_help("port", request)
