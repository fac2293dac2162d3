"""Tests of the benchmark's measurements and of its report. No test checks a duration."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.interop import environments
from tests.support.paths import README
from tests.tools.bench import budgets, measure, plot, report, results, run, start, state
from tests.tools.bench.messages import MESSAGES, NAMES, PROTOCOLS

BENCH = Path(run.__file__).parent


def test_names_are_the_same_everywhere() -> None:
    texts = {(each.protocol, each.name): each.text for each in MESSAGES}
    assert {*texts} == {(protocol, name) for protocol in PROTOCOLS for name in NAMES}
    assert {results.CHUNK, results.TOOL_CALL, results.SESSIONS} == set(NAMES)
    same = [name for name in NAMES if texts["v1", name] == texts["v2", name]]
    assert same == [results.CHUNK, results.SESSIONS]
    assert list(results.STATE_AGAINST) == [state.CHUNKS, state.CALLS]
    assert (results.STATE_FORMS, results.STATE_READ) == (state.FORMS, state.READ)


def test_states_that_are_measured_hold_what_was_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "MOST_RUNS", 1)
    monkeypatch.setattr(state, "READS", 4)
    against = [(state.CHUNKS, 3), (state.CALLS, state.TOOL_CALLS + 7)]
    rows = state.measure_all("ours", against)
    compared = [("v1", what, form, count) for what, count in against for form in state.FORMS]
    found = [(row.protocol, row.what, row.form, row.count) for row in rows]
    read = ("v2", state.CHUNKS, state.READ, 4)
    assert sorted(found) == sorted({*compared, read})


def test_a_state_without_its_updates_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state.Ours, "decoded", lambda self, values: self._state())
    with pytest.raises(AssertionError, match="v1 2 chunks of one message"):
        state.measure("ours", "v1", state.CHUNKS, "decoded", 2)


def _agents() -> dict[str, start.Agent]:
    return {
        name: start.Agent((sys.executable, "-B", str(BENCH / "pipe" / program)), protocol)
        for name, (environment, program, protocol) in measure.AGENTS.items()
        if environment == "ours"
    }


def test_agents_that_are_started_answer() -> None:
    agents = _agents()
    assert {agent.protocol for agent in agents.values()} == {1, 2}
    found = start.time_starts(agents, 2)
    assert list(found) == list(agents)
    assert all(len(times) == 2 and min(times) > 0 for times in found.values())


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_agents_at_rest_are_weighed() -> None:
    found = {name: start.weigh_at_rest(agent) for name, agent in _agents().items()}
    floor = found.pop("nothing but an event loop")
    assert found
    assert all(size > floor > 1_000_000 for size in found.values())


@pytest.mark.parametrize("program", ["ours_agent.py", "raw.py"])
def test_an_agent_that_answers_something_else_is_not_measured(program: str) -> None:
    # One program responds with protocol version 1. The other program sends the request back.
    agent = start.Agent((sys.executable, "-B", str(BENCH / "pipe" / program)), protocol=2)
    with pytest.raises(AssertionError, match=f"{program} answered"):
        start.time_start(agent)


def _printed(command: list[str]) -> Any:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_messages_are_timed() -> None:
    command = [sys.executable, "-B", str(BENCH / "worker.py"), "--contender", "ours"]
    found = _printed([*command, "--batches", "1", "--seconds", "0.0001"])
    assert all(row["seconds"] > 0 for row in found["rows"])
    assert {(row["protocol"], row["message"], row["operation"]) for row in found["rows"]} == {
        (message.protocol, message.name, operation)
        for message in MESSAGES
        for operation in ("decode", "encode", results.UNCHECKED)
    }


def test_typescript_sdk_is_timed() -> None:
    try:
        node = environments.node()
    except environments.Unavailable as error:
        (pytest.fail if environments.required() else pytest.skip)(str(error))
    found = measure.run_typescript(node, 1, 0.0001)
    assert all(row["seconds"] > 0 for row in found["rows"])
    assert {(row["protocol"], row["message"], row["operation"]) for row in found["rows"]} == {
        (message.protocol, message.name, operation)
        for message in MESSAGES
        for operation in ("decode", "encode")
    }
    version = found["versions"]["@agentclientprotocol/sdk"]
    assert f"typescript-{version}" == results.TYPESCRIPT
    assert results.TITLES[results.TYPESCRIPT] == f"TypeScript SDK {version}"


def test_weights_are_of_what_is_kept() -> None:
    command = [sys.executable, "-B", str(BENCH / "weights.py"), "--contender", "ours"]
    found = {(row["protocol"], row["what"]): row["bytes"] for row in _printed(command)}
    assert len(found) == len(MESSAGES) + 3
    for protocol in PROTOCOLS:
        sizes = [found[protocol, name] for name in NAMES]
        assert 0 < sizes[0] < sizes[1] < sizes[2]
    states = [size for (_, what), size in found.items() if what.startswith("state after")]
    assert 0 < min(states) < max(states) < found["v1", results.SESSION_UPDATES]


# --- the page and the plot, from made-up results


def test_page_and_plot_show_what_was_measured_and_name_what_was_not() -> None:
    budget, row = budgets.BUDGETS[0], plot.ROWS[0]
    assert budget.theirs is not None
    machine = {"CPU": "A <fast> & cool CPU"}
    for factor, verdict in ((1.0, "pass"), (1.1, "**fail**")):
        values = {budget.ours: budget.limit * factor, budget.theirs: 1.0}
        values |= {row.ours: 0.05, row.theirs: 0.5}
        missing = frozenset({results.TYPESCRIPT})
        made = results.Results("2026-01-31", machine, {}, values, missing=missing)
        page = report.render(made)
        assert "- CPU: A <fast> & cool CPU" in page
        assert re.search(rf"\| {re.escape(budget.what)} \| .*x \| {re.escape(verdict)} \|", page)
        assert f"| {row.ours[1]} | 50.0 | 0.1x |" in page
        assert f"| {results.TITLES[results.TYPESCRIPT]} | not measured |" in page
        texts = _texts(ElementTree.fromstring(plot.draw(made)))
        assert {f"{each.name}{each.what}" for each in plot.ROWS} <= set(texts)
        assert "0.1x 50 ms" in texts
        assert texts.count("not measured") == len(plot.ROWS) - 1


def _texts(picture: ElementTree.Element) -> list[str]:
    return ["".join(each.itertext()) for each in picture.iter("{http://www.w3.org/2000/svg}text")]


def test_readme_shows_the_plot() -> None:
    [path] = re.findall(r"!\[[^]]+\]\(([^)]+/RESULTS\.svg)\)", README.read_text(encoding="utf-8"))
    picture = ElementTree.parse(README.parent / path).getroot()
    assert {f"{row.name}{row.what}" for row in plot.ROWS} <= set(_texts(picture))
