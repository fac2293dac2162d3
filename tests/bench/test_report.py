"""The page, the budgets and the plot show what was measured, here on made-up results."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from bench import budgets, plot, report, results, state
from bench.messages import MESSAGES
from support.paths import README

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


@pytest.mark.parametrize(("factor", "verdict"), [(0.9, "pass"), (1.0, "pass"), (1.1, "**fail**")])
@pytest.mark.parametrize("budget", budgets.BUDGETS, ids=lambda budget: budget.what)
def test_budget_is_judged_by_its_limit(budget: budgets.Budget, factor: float, verdict: str) -> None:
    # Divided by one, so that rounding does not decide at the limit.
    values = {budget.ours: budget.limit * factor}
    if budget.theirs is not None:
        values[budget.theirs] = 1.0
    rows = report.render_budgets(_results(values)).splitlines()
    [row] = [line for line in rows if line.startswith(f"| {budget.what} |")]
    assert row.split(" | ")[1].startswith(f"≤ {budget.limit:g}")
    assert row.endswith(f"| {verdict} |")


def test_budget_without_a_measurement_is_not_judged() -> None:
    rows = report.render_budgets(NOTHING).splitlines()[2:]
    assert len(rows) == len(budgets.BUDGETS)
    assert all(row.endswith("| not measured | - |") for row in rows)


def test_no_budget_is_listed_twice() -> None:
    assert len({budget.what for budget in budgets.BUDGETS}) == len(budgets.BUDGETS)
    pairs = {(budget.ours, budget.theirs) for budget in budgets.BUDGETS}
    assert len(pairs) == len(budgets.BUDGETS)


def test_page_holds_each_number_once_measured() -> None:
    values = _times()
    values["import", "acp_bindings.v1"] = 0.05
    values["start", "ours, v1"] = 0.125
    values["start", "SDK 0.12.1"] = 0.5
    values["memory", "ours", "v1", results.CHUNK] = 777.0
    values["memory", "official-0.12.1", "v1", results.CHUNK] = 1554.0
    values["memory", "json", "v1", results.SESSION_UPDATES] = 12_345_678.0
    values["kept", "idle sessions"] = 7_600_000
    values |= {("generate",): 7.0, ("generate", "processor"): 12.0, ("check",): 0.25}
    page = report.render(_results(values))
    assert "- date: 2026-01-31" in page
    assert "- CPU: A <fast> & cool CPU" in page
    assert "| acp_bindings.v1 | 50.0 | - |" in page
    assert "| ours, v1 | 125.0 | 0.25x |" in page
    assert "| bytes | ours | SDK 0.12.1 | plain json | ours / SDK |" in page
    assert "| v1 text chunk | 777 | 1,554 | - | 0.5x |" in page
    assert f"| v1 {results.SESSION_UPDATES} | - | - | 12,345,678 | - |" in page
    assert "| idle sessions | 7.6 |" in page
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


def test_plot_of_what_is_slower_stays_within_its_frame() -> None:
    row = plot.ROWS[0]
    picture = _drawn({row.ours: 4.0, row.theirs: 1.0})
    assert (_widths(picture, "ours"), _widths(picture, "theirs")) == (
        [plot.LONGEST],
        [plot.LONGEST / 4],
    )
    assert any(text.startswith("4x ") for text in _texts(picture))


def test_plot_says_what_was_not_measured() -> None:
    row = plot.ROWS[0]
    picture = _drawn({row.ours: 0.05, row.theirs: 0.5})
    texts = _texts(picture)
    assert texts.count("not measured") == len(plot.ROWS) - 1
    assert {row.name for row in plot.ROWS} <= set(texts)


def test_plot_is_the_same_for_the_same_results() -> None:
    values = _times()
    assert plot.draw(_results(values)) == plot.draw(_results(dict(reversed(values.items()))))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3.0641e-6, "3.06 µs"), (0.0461, "46.1 ms"), (0.659, "659 ms"), (1.234, "1.23 s")],
)
def test_plot_writes_durations_in_a_fitting_unit(seconds: float, text: str) -> None:
    row = plot.ROWS[0]
    assert text in _texts(_drawn({row.ours: 1.0, row.theirs: seconds}))


def test_readme_shows_the_plot() -> None:
    [path] = re.findall(r"!\[[^]]+\]\(([^)]+\.svg)\)", README.read_text(encoding="utf-8"))
    picture = ElementTree.parse(README.parent / path).getroot()
    assert {row.name for row in plot.ROWS} <= set(_texts(picture))
