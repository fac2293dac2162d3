"""Fixtures that run each remote conversation once, in one worker of the test run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interop.environments import locked
from tests.interop.remote import combinations, running
from tests.interop.running import Outcome, usable


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize `remote` tests with combinations. Tests that use `ours` require our client."""
    if "remote" in metafunc.fixturenames:
        names = [
            name
            for name, each in combinations.COMBINATIONS.items()
            if each.has_our_client or "ours" not in metafunc.fixturenames
        ]
        metafunc.parametrize("name", names)


@pytest.fixture
def remote(name: str, folder: Path) -> Outcome:
    """The outcome of a conversation, which is run by the first test that needs it."""
    path = folder / f"remote-{name}.json"
    with locked(folder / f"remote-{name}.lock"):
        if not path.exists():
            running.run(combinations.COMBINATIONS[name]).save(path)
    return usable(name, Outcome.load(path))


@pytest.fixture
def ours(remote: Outcome) -> Outcome:
    return remote
