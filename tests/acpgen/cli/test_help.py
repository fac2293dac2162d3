"""Tests of the help of the commands that `acpgen` defines itself."""

from __future__ import annotations

import pytest

from tests.support.help import check_help


@pytest.mark.parametrize(
    "name", ["generate", "check", "inspect", "sync", "extend", "vendor", "diff", "new"]
)
def test_the_help_of_a_command(name: str, request: pytest.FixtureRequest) -> None:
    check_help(name, request)
