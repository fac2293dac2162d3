"""Fixtures that run each combination's conversation once, in one worker of the test run."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.interop import combinations, running
from tests.interop.environments import locked
from tests.interop.running import Outcome, usable
from tests.interop.turns import outcomes
from tests.interop.turns.outcomes import Turns


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith("tests/interop/") and isinstance(item, pytest.Function):
            item.add_marker(pytest.mark.slow)
            params = getattr(item, "callspec", None) and item.callspec.params
            if params and "name" in params:
                item.add_marker(pytest.mark.xdist_group(f"interop {params['name']}"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize tests of outcomes with all combinations that they apply to.

    Tests that use the fixture `ours` require our client. Tests whose names begin with `test_v1_` or
    `test_v2_` apply only to that protocol version. Tests that use `bridged` run only with a bridge.
    Tests that use `unbridged` or name a version run only without a bridge.
    """
    test = metafunc.function.__name__
    if "outcome" in metafunc.fixturenames:
        fails = pytest.mark.xfail(strict=True)
        params = [
            pytest.param(name, marks=[fails] if (name, test) in combinations.EXCLUSIONS else [])
            for name in combinations.COMBINATIONS
        ]
        metafunc.parametrize("name", params)
    elif "turns" in metafunc.fixturenames:
        [version] = re.findall(r"^test_v(\d)_", test) or [""]
        names = [
            name
            for name, each in outcomes.COMBINATIONS.items()
            if version in ("", str(each.version))
            and (each.has_our_client or "ours" not in metafunc.fixturenames)
            and (each.is_bridged or "bridged" not in metafunc.fixturenames)
            and not (each.is_bridged and (version or "unbridged" in metafunc.fixturenames))
        ]
        metafunc.parametrize("name", names)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "interop"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def outcome(name: str, folder: Path) -> Outcome:
    """The outcome of a conversation. The first test that requests it runs the conversation."""
    path = folder / f"{name}.json"
    with locked(folder / f"{name}.lock"):
        if not path.exists():
            running.run(combinations.COMBINATIONS[name]).save(path)
    return usable(name, Outcome.load(path))


@pytest.fixture
def turns(name: str, folder: Path) -> Turns:
    """The outcome of the conversations about turns.

    The first test that requests it runs the conversations.
    """
    paths = [folder / f"turns-{name}-{client}.json" for client in ("first", "second")]
    with locked(folder / f"turns-{name}.lock"):
        if not all(path.exists() for path in paths):
            held = outcomes.have(outcomes.COMBINATIONS[name])
            for path, one in zip(paths, (held.first, held.second), strict=True):
                one.save(path)
    first, second = (usable(name, Outcome.load(path)) for path in paths)
    return Turns(outcomes.COMBINATIONS[name], first, second)


@pytest.fixture
def ours(turns: Turns) -> Turns:
    return turns


bridged = unbridged = ours
