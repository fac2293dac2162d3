"""The benchmark measures what it states, and its report is right; nothing is timed."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from bench import memory, report, state
from bench.messages import MESSAGES, NAMES, PROTOCOLS, SAME_ON_BOTH, Message, follow

BENCH = Path(report.__file__).parent


def _name(message: Message) -> str:
    return f"{message.protocol} {message.name}"


def test_every_message_is_there_for_every_protocol() -> None:
    assert [(each.protocol, each.name) for each in MESSAGES] == [
        (protocol, name) for protocol in PROTOCOLS for name in NAMES
    ]
    assert {report.CHUNK, report.TOOL_CALL, report.SESSIONS} == set(NAMES)


def test_same_on_both_names_the_messages_with_the_same_text() -> None:
    texts = {(each.protocol, each.name): each.text for each in MESSAGES}
    same = [name for name in NAMES if texts["v1", name] == texts["v2", name]]
    assert same == list(SAME_ON_BOTH)


@pytest.mark.parametrize("message", MESSAGES, ids=_name)
def test_message_decodes_strictly_and_comes_back(message: Message) -> None:
    surface = import_module(f"acp_bindings.{message.protocol}")
    type_ = surface.TYPES[message.type_name]
    value = surface.loads(type_, message.text, strict=True)
    assert value.__class__.__name__ == message.type_name
    assert follow(value, message.probe) == message.expected
    assert json.loads(surface.dumps(value)) == message.value
    assert surface.encode(value, type_) == message.value


@pytest.mark.parametrize(("factor", "met"), [(0.9, "yes"), (1.0, "yes"), (1.1, "**no**")])
@pytest.mark.parametrize("budget", report.BUDGETS, ids=lambda budget: budget.what)
def test_budget_is_judged_by_its_limit(budget: report.Budget, factor: float, met: str) -> None:
    # Divided by one, so that rounding does not decide at the limit.
    values = {budget.ours: budget.limit * factor}
    if budget.theirs is not None:
        values[budget.theirs] = 1.0
    results = report.Results("2026-01-31", {}, {}, values)
    rows = [line for line in report.render_budgets(results).splitlines() if budget.what in line]
    assert len(rows) == 1
    assert rows[0].endswith(f"| {met} |")


def test_budget_without_a_measurement_is_not_judged() -> None:
    rows = report.render_budgets(report.Results("2026-01-31", {}, {}, {})).splitlines()[2:]
    assert len(rows) == len(report.BUDGETS)
    assert all(row.endswith("| not measured | - |") for row in rows)


def test_page_holds_each_number_once_measured() -> None:
    values: dict[report.Key, float] = {
        ("time", contender, message.protocol, message.name, operation): 2e-6
        for message in MESSAGES
        for contender in report.TITLES
        for operation in ("decode", "encode")
    }
    values["import", "acp_bindings.v1"] = 0.05
    values["memory", "ours", "v1"] = 777.0
    values["kept", "idle sessions"] = 7_600_000
    values |= {("generate",): 7.0, ("generate", "processor"): 12.0, ("check",): 0.25}
    page = report.render(report.Results("2026-01-31", {"CPU": "a CPU"}, {}, values))
    assert "- date: 2026-01-31" in page
    assert "- CPU: a CPU" in page
    assert "| acp_bindings.v1 | 50.0 | - |" in page
    assert "| ours, v1 | 777 |" in page
    assert "| idle sessions | 7.6 |" in page
    assert "in a new process: 7.0 s, in which it used 12.0 s" in page
    assert "the unchanged package: 0.25 s." in page
    for message in MESSAGES:
        row = f"| {message.protocol} {message.name} | {' | '.join(['2'] * len(report.TITLES))} |"
        assert page.count(row) == 2


def test_a_flood_takes_less_memory_than_its_messages() -> None:
    taken = asyncio.run(memory.measure(memory.flood))
    assert 0 < taken < memory.FLOOD * len(memory.message("s", "word "))


def test_state_names_are_those_of_the_report() -> None:
    assert list(report.STATE_AGAINST) == [state.CHUNKS, state.CALLS]
    assert report.STATE_FORMS == state.FORMS


def test_states_that_are_measured_hold_what_was_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "MOST_RUNS", 1)
    against = [(state.CHUNKS, 3), (state.CALLS, state.TOOL_CALLS + 7)]
    rows = state.measure_all("ours", against, [3, 5])
    compared = [("v1", what, form, count) for what, count in against for form in state.FORMS]
    grown = [(*kind, "decoded", size) for kind in state.GROWTH for size in (3, 5)]
    found = [(row.protocol, row.what, row.form, row.count) for row in rows]
    assert sorted(found) == sorted({*compared, *grown})


def test_a_state_without_its_updates_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state.Ours, "decoded", lambda self, values: self._state())
    with pytest.raises(AssertionError, match="v1 2 chunks of one message"):
        state.measure("ours", "v1", state.CHUNKS, "decoded", 2)


@pytest.mark.parametrize(("protocol", "what"), state.GROWTH)
def test_measured_updates_are_valid(protocol: str, what: str) -> None:
    surface = import_module(f"acp_bindings.{protocol}")
    value = surface.decode(surface.SessionUpdate, state.update(what, 1), strict=True)
    assert surface.encode(value, surface.SessionUpdate) == state.update(what, 1)


def test_page_holds_the_states_once_measured() -> None:
    sdk = report.OFFICIAL["v1"]
    values: dict[report.Key, float] = {}
    for what, count in report.STATE_AGAINST.items():
        for form in report.STATE_FORMS:
            values["state", "ours", "v1", what, form, str(count)] = 2e-6
            values["state", sdk, "v1", what, form, str(count)] = 16e-6
    for number, size in enumerate(report.STATE_SIZES):
        values["state", "ours", "v2", state.OUTPUT, "decoded", str(size)] = (4 + number) * 1e-6
    page = report.render(report.Results("2026-01-31", {}, {}, values))
    for what, count in report.STATE_AGAINST.items():
        for form in report.STATE_FORMS:
            assert f"| v1, {count:,} {what}, {form} | 2 | 16 | 0.125x |" in page
    assert f"| v2, {state.OUTPUT} | 4 | 5 | 6 | 1.25x | 1.5x |" in page


def _printed(script: str, *arguments: str) -> dict[str, float]:
    """What a program of the benchmark prints."""
    command = [sys.executable, "-B", str(BENCH / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, float] = json.loads(done.stdout)
    return found


def test_agents_that_are_started_answer() -> None:
    agents = [f"{name}={sys.executable}:{BENCH}/pipe/{name}_agent.py" for name in ("ours", "floor")]
    assert {
        name for name, seconds in _printed("start.py", "1", *agents).items() if seconds > 0
    } == {
        "ours",
        "floor",
    }


def test_weights_are_of_what_is_kept() -> None:
    found = _printed("weights.py", "--contender", "ours")
    assert set(NAMES) <= set(found)
    assert len(found) == len(NAMES) + 3
    assert 0 < found["text chunk"] < found["tool call with a diff"] < found["200 sessions"]
    states = [size for what, size in found.items() if what.startswith("state after")]
    assert 0 < min(states) < max(states) < found["10,000 updates"]
