"""Tests that agents built with the official SDKs fail only the requirements in their baselines."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from acpwire.conform import wire
from acpwire.conform.judging import conform
from acpwire.conform.player import Task
from acpwire.conform.probes_of_agents import PlayedClient

from tests.acpport.migration import originals
from tests.acpwire.conform.conftest import on_socket, open_socket
from tests.interop.running import javascript

BASELINES = Path(__file__).with_name("baselines")
PATIENCE = 5.0  # how long to wait for a response, in seconds
BOTH = (1, 2)
# The command of each agent, the protocol versions to check, and the version that it implements.
# `echo_agent` claims to support every version but implements protocol 1. Both versions of the
# Python SDK fail the same requirements. The TypeScript agents listen on a socket and are loaded
# only once, since their SDK is slow to load. `tests/interop` starts such agents as child processes.
AGENTS: dict[str, tuple[Callable[[], list[str]], tuple[int, ...], int]] = {
    "python-0.12.1-echo": (lambda: originals.command("0.12.1", "echo_agent"), (1,), 1),
    "python-1.0.0rc3": (lambda: originals.command("1.0.0rc3", "agent"), BOTH, 1),
    "typescript-2.4.0-v1": (lambda: javascript("echo_v1.mjs"), BOTH, 1),
    "typescript-2.4.0-v2": (lambda: javascript("echo_v2.mjs"), BOTH, 2),
}


def test_each_baseline_is_used() -> None:
    assert {path.stem for path in BASELINES.iterdir()} == set(AGENTS)


def of_group(name: str) -> object:
    """Parametrize a test with an agent. Python agents run in the worker that imported their SDK."""
    language, version = name.split("-")[:2]
    group = f"migration {version}" if language == "python" else name
    return pytest.param(name, marks=pytest.mark.xdist_group(group))


@pytest.mark.parametrize("name", [of_group(name) for name in AGENTS])
def test_agent_fails_what_its_baseline_explains(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, versions, version = AGENTS[name]
    task = Task(tuple(command()), PATIENCE)
    path = tmp_path / "agents"
    with ExitStack() as stack:
        if name.startswith("typescript"):
            monkeypatch.setattr(wire, "open_child", lambda *_, **options: open_socket(path))
            stack.enter_context(on_socket(task.command, path))
        report = conform(PlayedClient, task, versions, BASELINES / f"{name}.toml")
    assert report.versions == (version,)
    odd = [each for each in report.verdicts if each.status in ("failed", "stale", "not reached")]
    assert odd == []
    assert report.conforms
