"""Settings for the test run, and fixtures shared by all tests."""

from __future__ import annotations

import functools
import gc
import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.testing
from acpgen.analysis import surface
from acpgen.commands import generation
from acpgen.emit.python import formatting
from hypothesis import HealthCheck, settings

from tests.support.coroutines import pytest_pyfunc_call as pytest_pyfunc_call
from tests.support.remembered import Remembered

# Disable deadlines, since the duration of an example depends more on the machine than on the code.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

# Files with more than `QUICK` tests contain quick tests, which run in batches of `PORTION`.
QUICK = 100
PORTION = 50
# The groups of tests that take longest. Over HTTP/2, the Python SDK's client spends most of a
# minute waiting.
LONGEST = (
    *("interop python-to-ours-http2-tls-hypercorn", "interop python-to-python-http2-tls-hypercorn"),
    *("reference", "next version", "vendored", "typing", "evolution", "wheel", "history"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens", action="store_true", help="Write the goldens instead of comparing them."
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "xdist_group(name): run by one worker (of pytest-xdist)")
    slow = "slow: generates or installs complete packages, or runs many or large programs"
    config.addinivalue_line("markers", slow)
    gc.disable()  # enabled again after all tests are collected
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Shells start background jobs with SIGINT ignored. All test processes would inherit that
        # setting.
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run long groups first and quick tests last, so that all workers finish at the same time.

    Quick tests are handed to workers in batches, since handing over a single test takes longer than
    running it.
    """
    sizes = Counter(item.path for item in items)

    def place(item: pytest.Item) -> int:
        last = len(LONGEST)
        if group := item.get_closest_marker("xdist_group"):
            name = group.args[0]
            return LONGEST.index(name) if name in LONGEST else last
        return last + (2 if sizes[item.path] > QUICK else 1)

    items.sort(key=place)
    seen: Counter[Path] = Counter()
    for item in items:
        if sizes[item.path] > QUICK and item.get_closest_marker("xdist_group") is None:
            portion = f"{item.path.stem} {seen[item.path] // PORTION}"
            item.add_marker(pytest.mark.xdist_group(portion))
            seen[item.path] += 1


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection, since none of them is garbage.

    Other objects are collected regularly: asyncio tasks are often part of reference cycles, and
    each `asyncio.run` iterates over all tasks that exist.
    """
    gc.freeze()
    gc.set_threshold(20_000, 5, 100)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _generate_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run the generator's steps in this process and cache their results for all workers."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    remembered = Remembered(shared / "remembered")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generation, "processes", lambda *given: remembered)
        patch.setattr(generation, "InPlace", lambda: remembered)
        patch.setattr(surface, "build_source", remembered.build_source)
        for module in (generation, surface):
            patch.setattr(module, "load_overlay", remembered.load_overlay)
        # Most tests render nearly the same modules, and formatting them takes longer than all other
        # steps.
        patch.setattr(formatting, "_format_part", functools.cache(formatting._format_part))
        # Typer rebuilds the command line for each call, which takes longer than most calls.
        patch.setattr(typer.testing, "_get_command", functools.cache(typer.testing._get_command))
        yield
