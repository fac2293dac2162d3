"""Options of the test run, and what all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from support.once import work_done_once


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens", action="store_true", help="Write the goldens instead of comparing them."
    )


@pytest.fixture(scope="session", autouse=True)
def _fast_generation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    base = tmp_path_factory.getbasetemp()
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    formatted = (base.parent if is_worker else base) / "formatted"
    formatted.mkdir(exist_ok=True)
    with work_done_once(formatted):
        yield
