"""Tests of the help of the commands that `acpwire` defines."""

from __future__ import annotations

import pytest

from tests.support.help import check_help


@pytest.mark.parametrize("name", ["conform", "trace", "wrap", "bridge", "serve", "connect"])
def test_the_help_of_a_command(name: str, request: pytest.FixtureRequest) -> None:
    check_help(name, request)
