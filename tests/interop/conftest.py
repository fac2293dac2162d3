"""Conversations are held once for each combination of programs, by one worker of a test run."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest

from interop.environments import locked, required
from interop.running import Outcome
from interop.turns.outcomes import COMBINATIONS, Turns, have

HERE = Path(__file__).resolve().parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents and isinstance(item, pytest.Function):
            params = getattr(item, "callspec", None) and item.callspec.params
            if params and "name" in params:
                item.add_marker(pytest.mark.xdist_group(f"interop {params['name']}"))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder shared by all workers of the test run."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "turns"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def turns(name: str, folder: Path) -> Turns:
    """The outcome of the conversations, which are held for the first test that asks for it."""
    path = folder / f"{name}.json"
    with locked(folder / f"{name}.lock"):
        if not path.exists():
            path.write_text(json.dumps(asdict(have(COMBINATIONS[name]))), "utf-8")
    saved = json.loads(path.read_text("utf-8"))
    turns = Turns(saved["version"], Outcome(**saved["first"]), Outcome(**saved["second"]))
    for outcome in (turns.first, turns.second):
        if outcome.unavailable:
            (pytest.fail if required() else pytest.skip)(f"{name}: {outcome.unavailable}")
        if outcome.problem:
            pytest.fail(f"{name}: {outcome.problem}\n{outcome.log}")
    return turns
