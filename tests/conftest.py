"""Options of the test run, and what all tests share."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.once import work_done_once

# A file with more tests than this has quick ones.
QUICK = 100
PORTION = 50


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens", action="store_true", help="Write the goldens instead of comparing them."
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "xdist_group(name): run by one worker (of pytest-xdist)")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the many quick tests last, in portions: to hand out each takes longer than to run it."""
    sizes = Counter(item.path for item in items)
    items.sort(key=lambda item: sizes[item.path] > QUICK)
    seen: Counter[Path] = Counter()
    for item in items:
        if sizes[item.path] > QUICK and item.get_closest_marker("xdist_group") is None:
            portion = f"{item.path.stem} {seen[item.path] // PORTION}"
            item.add_marker(pytest.mark.xdist_group(portion))
            seen[item.path] += 1


@pytest.fixture(scope="session", autouse=True)
def _fast_generation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    base = tmp_path_factory.getbasetemp()
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    formatted = (base.parent if is_worker else base) / "formatted"
    formatted.mkdir(exist_ok=True)
    with work_done_once(formatted):
        yield
