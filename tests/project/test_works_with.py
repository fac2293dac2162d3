"""Tests of the table "Works with": its measured results and the reason for each difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.paths import GUIDE_TEMPLATES, README
from tests.tools.reality.programs import Program, read_programs
from tests.tools.reality.results import outdated, read_results, unexplained
from tests.tools.reality.table import render, render_with_reasons, replace

PROGRAMS = read_programs()
ALL = [*PROGRAMS.agents, *PROGRAMS.clients]
RESULTS = read_results()
KINDS = {"agent": PROGRAMS.agents, "client": PROGRAMS.clients}
PAGES = {README: render, GUIDE_TEMPLATES / "works-with.md": render_with_reasons}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
@pytest.mark.parametrize("kind", KINDS)
def test_the_table_is_rendered_from_the_results(
    path: Path, kind: str, pytestconfig: pytest.Config
) -> None:
    text = path.read_text("utf-8")
    rendered = replace(text, kind, PAGES[path](kind, KINDS[kind], RESULTS))
    if pytestconfig.getoption("--update-goldens"):
        path.write_text(rendered, "utf-8")
    else:
        assert text == rendered


def test_each_program_has_results_of_its_version() -> None:
    assert {program.name: program.version for program in ALL} == {
        name: measured.version for name, measured in RESULTS.items()
    }


@pytest.mark.parametrize("program", ALL, ids=lambda program: program.name)
def test_each_difference_has_a_reason(program: Program) -> None:
    measured = RESULTS[program.name]
    assert unexplained(program, measured) == []
    assert outdated(program, measured) == []


def test_ten_agents_and_three_clients_played_something() -> None:
    agents, clients = (
        [each.name for each in kind if not RESULTS[each.name].unavailable]
        for kind in KINDS.values()
    )
    assert len(agents) >= 10
    assert len(clients) >= 3
