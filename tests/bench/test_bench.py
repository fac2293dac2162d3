"""The benchmark measures what it states, and shows it. No time is asserted."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from bench import budgets, measure, plot, report, results, run, start, state
from bench.messages import MESSAGES, NAMES, PROTOCOLS, Message, follow
from interop import environments
from support.paths import README

BENCH = Path(run.__file__).parent


@pytest.mark.parametrize("message", MESSAGES, ids=lambda each: f"{each.protocol} {each.name}")
def test_message_decodes_strictly_and_comes_back(message: Message) -> None:
    surface = import_module(f"acp_bindings.{message.protocol}")
    type_ = surface.TYPES[message.type_name]
    value = surface.loads(type_, message.text, strict=True)
    assert value.__class__.__name__ == message.type_name
    assert follow(value, message.probe) == message.expected
    assert json.loads(surface.dumps(value)) == message.value
    assert surface.encode(value, type_) == message.value


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
    rows = state.measure_all("ours", against, [3, 5])
    compared = [("v1", what, form, count) for what, count in against for form in state.FORMS]
    grown = [(*kind, "decoded", size) for kind in state.GROWTH for size in (3, 5)]
    found = [(row.protocol, row.what, row.form, row.count) for row in rows]
    read = ("v2", state.CHUNKS, state.READ, 4)
    assert sorted(found) == sorted({*compared, *grown, read})


def test_a_state_without_its_updates_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state.Ours, "decoded", lambda self, values: self._state())
    with pytest.raises(AssertionError, match="v1 2 chunks of one message"):
        state.measure("ours", "v1", state.CHUNKS, "decoded", 2)


@pytest.mark.parametrize(("protocol", "what"), state.GROWTH)
def test_measured_updates_are_valid(protocol: str, what: str) -> None:
    surface = import_module(f"acp_bindings.{protocol}")
    value = surface.decode(surface.SessionUpdate, state.update(what, 1), strict=True)
    assert surface.encode(value, surface.SessionUpdate) == state.update(what, 1)


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


@pytest.mark.parametrize("program", ["ours_agent.py", "raw.py"])
def test_an_agent_that_answers_something_else_is_not_measured(program: str) -> None:
    # The first answers in protocol 1, the second sends the request back.
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


def test_median_counts_and_the_spread_is_the_typical_distance_from_it() -> None:
    samples: measure.Samples = {("a",): [10.0, 11.0, 30.0], ("b",): [2.0, 2.0, 1.0]}
    assert measure.medians(samples) == {("a",): 11.0, ("b",): 2.0}
    # The distances: 1/11, 0, 19/11, 0, 0 and 1/2.
    assert measure.typical_spread(samples) == pytest.approx(1 / 22)
    assert measure.typical_spread({}) == 0


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ([], ["RESULTS.md", "RESULTS.svg"]),
        (["--only", "imports", "memory"], []),
        (["--only", "imports", "--out", "asked.md"], ["asked.md", "asked.svg"]),
    ],
)
def test_only_a_whole_run_writes_unasked(
    arguments: list[str], written: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "PAGE", tmp_path / "RESULTS.md")
    nothing = results.Results("2026-01-31", {}, {}, {})
    monkeypatch.setattr(run, "measure_all", lambda parts: nothing)
    monkeypatch.setattr(sys, "argv", ["run.py", *arguments])
    run.main()
    assert sorted(each.name for each in tmp_path.iterdir()) == written


def test_run_without_node_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(environments.shutil, "which", lambda program: None)
    assert run.find_node() is None
    assert "TypeScript SDK 2.4.0 is not measured: node is not installed" in capsys.readouterr().err


# --- the page and the plot, of made-up results

SVG = "{http://www.w3.org/2000/svg}"
NOTHING = results.Results("2026-01-31", {}, {}, {})


def _results(values: dict[results.Key, float]) -> results.Results:
    return results.Results("2026-01-31", {"CPU": "A <fast> & cool CPU"}, {}, values)


def _times() -> dict[results.Key, float]:
    return {
        results.time_key(contender, message.protocol, message.name, operation): 2e-6
        for message in MESSAGES
        for contender in results.TITLES
        for operation in ("decode", "encode")
    }


def test_budgets_are_judged_by_their_limits() -> None:
    rows = report.render_budgets(NOTHING).splitlines()[2:]
    assert len(rows) == len(budgets.BUDGETS)
    assert all(row.endswith("| not measured | - |") for row in rows)
    for factor, verdict in ((0.9, "pass"), (1.0, "pass"), (1.1, "**fail**")):
        for budget in budgets.BUDGETS:
            # Divided by one, so that rounding does not decide at the limit.
            values = {budget.ours: budget.limit * factor}
            if budget.theirs is not None:
                values[budget.theirs] = 1.0
            rows = report.render_budgets(_results(values)).splitlines()
            [row] = [line for line in rows if line.startswith(f"| {budget.what} |")]
            assert row.split(" | ")[1].startswith(f"≤ {budget.limit:g}")
            assert row.endswith(f"| {verdict} |")


def test_page_holds_each_number_once_measured() -> None:
    values = _times()
    values["import", "acp_bindings.v1"] = 0.05
    values["start", "ours, v1"] = 0.125
    values["start", "SDK 0.12.1"] = 0.5
    values["memory", "ours", "v1", results.CHUNK] = 777.0
    values["memory", "official-0.12.1", "v1", results.CHUNK] = 1554.0
    values["memory", "json", "v1", results.SESSION_UPDATES] = 12_345_678.0
    values |= {("generate",): 7.0, ("generate", "processor"): 12.0, ("check",): 0.25}
    page = report.render(_results(values))
    assert "- date: 2026-01-31" in page
    assert "- CPU: A <fast> & cool CPU" in page
    assert "| acp_bindings.v1 | 50.0 | - |" in page
    assert "| ours, v1 | 125.0 | 0.25x |" in page
    assert "| bytes | ours | SDK 0.12.1 | plain json | ours / SDK |" in page
    assert "| v1 text chunk | 777 | 1,554 | - | 0.5x |" in page
    assert f"| v1 {results.SESSION_UPDATES} | - | - | 12,345,678 | - |" in page
    assert "in a new process: 7.0 s, in which it used 12.0 s" in page
    assert "the unchanged package: 0.25 s." in page
    for message in MESSAGES:
        cells = " | ".join(["2"] * len(results.TITLES))
        assert page.count(f"| {message.protocol} {message.name} | {cells} |") == 2


def test_page_holds_the_states_once_measured() -> None:
    sdk = results.OFFICIAL["v1"]
    values: dict[results.Key, float] = {}
    for what in results.STATE_AGAINST:
        for form in results.STATE_FORMS:
            values[results.state_key("ours", what, form)] = 2e-6
            values[results.state_key(sdk, what, form)] = 16e-6
    for number, size in enumerate(results.STATE_SIZES):
        values["state", "ours", "v2", state.OUTPUT, "decoded", str(size)] = (4 + number) * 1e-6
    page = report.render(_results(values))
    for what, count in results.STATE_AGAINST.items():
        for form in results.STATE_FORMS:
            assert f"| v1, {count:,} {what}, {form} | 2 | 16 | 0.125x |" in page
    assert f"| v2, {state.OUTPUT} | 4 | 5 | 6 | 1.25x | 1.5x |" in page


def test_contender_that_is_missing_is_named() -> None:
    values = {key: value for key, value in _times().items() if key[1] != results.TYPESCRIPT}
    missing = frozenset({results.TYPESCRIPT})
    page = report.render(results.Results("2026-01-31", {}, {}, values, missing=missing))
    title = results.TITLES[results.TYPESCRIPT]
    assert f"| {title} | not measured |" in page
    column = list(results.TITLES).index(results.TYPESCRIPT) + 2
    tables = [line.split(" | ") for line in page.splitlines() if line.startswith("| v1 text chunk")]
    measured = [row for row in tables if len(row) == len(results.TITLES) + 1]
    assert [row[column - 1] for row in measured] == ["not measured"] * 2


def test_page_without_any_measurement_has_every_section() -> None:
    headings = re.findall("^## .*", report.render(NOTHING), re.M)
    assert headings == re.findall("^## .*", report.render(_results(_times())), re.M)
    assert len(headings) > 10


def _drawn(values: dict[results.Key, float]) -> ElementTree.Element:
    return ElementTree.fromstring(plot.draw(_results(values)))


def _texts(picture: ElementTree.Element) -> list[str]:
    return ["".join(each.itertext()) for each in picture.iter(f"{SVG}text")]


def _widths(picture: ElementTree.Element, kind: str) -> list[float]:
    bars = [each for each in picture.iter(f"{SVG}rect") if each.get("class") == kind]
    return [float(each.get("width", 0)) for each in bars[1:]]  # the first explains the colour


def test_plot_names_every_row_with_its_ratio() -> None:
    values: dict[results.Key, float] = {}
    for number, row in enumerate(plot.ROWS, start=1):
        values[row.theirs] = 1.0
        values[row.ours] = number / 10
    picture = _drawn(values)
    texts = _texts(picture)
    for number, row in enumerate(plot.ROWS, start=1):
        assert texts.count(row.name) == 1
        assert row.what in texts
        assert any(text.startswith(f"{number / 10:g}x ") for text in texts)
    assert _widths(picture, "theirs") == [plot.LONGEST] * len(plot.ROWS)
    assert _widths(picture, "ours") == [
        pytest.approx(plot.LONGEST * number / 10, abs=0.1)
        for number in range(1, len(plot.ROWS) + 1)
    ]
    assert any("A <fast> & cool CPU" in text for text in texts)


def test_readme_shows_the_plot() -> None:
    [path] = re.findall(r"!\[[^]]+\]\(([^)]+\.svg)\)", README.read_text(encoding="utf-8"))
    picture = ElementTree.parse(README.parent / path).getroot()
    assert {row.name for row in plot.ROWS} <= set(_texts(picture))


@pytest.mark.parametrize(
    ("ours", "theirs", "text"),
    [
        (1.0, 3.0641e-6, "3.06 µs"),
        (1.0, 0.0461, "46.1 ms"),
        (1.0, 0.659, "659 ms"),
        (4.936, 1.234, "1.23 s"),
    ],
)
def test_plot_of_one_row(ours: float, theirs: float, text: str) -> None:
    """What is slower stays within the frame, times have fitting units, other rows are there."""
    row = plot.ROWS[0]
    picture = _drawn({row.ours: ours, row.theirs: theirs})
    texts = _texts(picture)
    assert text in texts
    assert _widths(picture, "ours") == [plot.LONGEST]
    assert _widths(picture, "theirs") == [pytest.approx(plot.LONGEST * theirs / ours, abs=0.1)]
    assert texts.count("not measured") == len(plot.ROWS) - 1
    assert {row.name for row in plot.ROWS} <= set(texts)
