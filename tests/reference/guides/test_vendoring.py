"""The guide about copies of the package: its commands do what it shows, its tables are whole."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from acpgen.cli import arguments, interruption
from acpgen.cli.output import terminal
from acpgen.common.paths import ROOT
from diff.npm import revision
from support.guides import commands, only_block, run_acpgen, run_command
from support.paths import GUIDE_TEMPLATES

GUIDE = "vendoring.md"
TEXT = (GUIDE_TEMPLATES / GUIDE).read_text(encoding="utf-8")
NPM = re.compile(r"npm:@agentclientprotocol/sdk@([\d.]+)")


def test_commands_do_what_the_guide_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the place of npm: the same schemas, downloaded once for all tests."""
    (tmp_path / "short.json").write_text(only_block(GUIDE, "json"), "utf-8")
    shown = commands(GUIDE)
    assert len(shown) == 12
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(terminal, "FOLDS", False)  # as in a pipe
    for command in shown:
        local = NPM.sub(lambda found: str(revision(found[1])), command.text)
        is_ours = local.startswith("acpgen ")
        command.assert_prints(run_acpgen(local) if is_ours else run_command(local, tmp_path))
    assert "# a quick fix" not in (tmp_path / "tool/acp/v2/types.py").read_text("utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table with a heading, without the heading."""
    table = TEXT.split(f"| {heading} |\n", 1)[1].split("\n\n")[0]
    return [line.strip("| ").split(" | ") for line in table.splitlines()[1:]]


def test_exit_codes_are_those_of_the_commands() -> None:
    listed = [int(code) for code, _ in rows("code | meaning")]
    statuses = [arguments.SAME, arguments.CHANGED, arguments.ERROR, arguments.BREAKING]
    assert listed == [*statuses, interruption.EXIT_CODE]


def test_codes_of_problems_are_those_of_the_generator() -> None:
    names = [names for names, _ in rows("code | the input")]
    listed = set(re.findall("`(.*?)`", " ".join(names)))
    assert len(listed) > 20
    trees = [ast.parse(path.read_text("utf-8")) for path in (ROOT / "generator").rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant)}
    assert listed <= texts
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    problems = [call for call in calls if getattr(call.func, "id", "") == "Problem"]
    codes = [call.args[2] for call in problems if len(call.args) > 2]
    made = {code.value for code in codes if isinstance(code, ast.Constant)}
    assert len(made) > 15
    notes = {"decide", "other-version", "unchecked"}
    assert made <= listed | notes
