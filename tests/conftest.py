"""Options of the test run, and what all tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.once import work_done_once


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens", action="store_true", help="Write the goldens instead of comparing them."
    )


@pytest.fixture(scope="session", autouse=True)
def _fast_generation() -> Iterator[None]:
    with work_done_once():
        yield
