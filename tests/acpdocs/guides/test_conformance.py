"""Tests of the guide "Conformance": its table and its commands match the requirements."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpgen.common import paths
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.overlay.requirements import RequiredOf

from tests.support.guides import commands, run_command, write_files
from tests.support.paths import GUIDE_TEMPLATES
from tests.support.printed import fenced

pytestmark = pytest.mark.slow

GUIDE = "conformance.md"
PAGE = GUIDE_TEMPLATES / GUIDE
SITE = "https://agentclientprotocol.com/"


def table(side: RequiredOf) -> str:
    demands = load_overlay(paths.SCHEMA / "overlay").requirements.of(side)
    assert demands
    lines = [f"| id | level | requirement for the {side} | protocol |", "|---|---|---|---|"]
    area = ""
    for demand in demands:
        start = "" if demand.area == area else f"{demand.area}: "
        area = demand.area
        pages = ", ".join(f"[{v}]({SITE}{demand.page(v)})" for v in demand.versions)
        lines.append(f"| {start}`{demand.id}` | {demand.level} | {demand.words} | {pages} |")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("side", "name"), [("agent", "requirements"), ("client", "requirements of clients")]
)
def test_table_is_that_of_the_requirements(
    request: pytest.FixtureRequest, side: RequiredOf, name: str
) -> None:
    text = PAGE.read_text("utf-8")
    begin, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    wanted = f"{before}{begin}\n{table(side)}{end}{after}"
    if request.config.getoption("--update-goldens"):
        PAGE.write_text(wanted, "utf-8")
    assert PAGE.read_text("utf-8") == wanted


def test_commands_print_what_the_guide_shows(tmp_path: Path) -> None:
    write_files(GUIDE, tmp_path)
    [baseline] = fenced(PAGE, "toml")
    (tmp_path / "baseline.toml").write_text(baseline, "utf-8")
    shown = [command for command in commands(GUIDE) if command.printed]
    assert len(shown) == 3
    for command in shown:
        command.assert_prints(run_command(command.text, tmp_path))
