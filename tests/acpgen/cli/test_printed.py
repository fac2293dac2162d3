"""Tests of everything that commands print about the vendored schema, with styles.

Pass `--update-goldens` to rewrite the goldens, in which `{1;31}` represents the escape sequence for
bold red.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from acpgen.cli.app import app
from acpgen.cli.output import terminal
from rich.console import Console
from typer.testing import CliRunner

from tests.support.goldens import check_golden
from tests.support.paths import ROOT

GOLDENS = ROOT / "tests" / "support" / "goldens" / "printed"
POLICY = """
[fail]
wire = "compatible"
python = "never"

[[exceptions]]
name = "providers/list"
what = "method removed"
reason = "no agent offers it"
until = 2999-01-01

[[exceptions]]
name = "no/such"
what = "method removed"
reason = "unused"
until = 2999-01-01
"""
PROGRAM = "from acp_bindings.v2_unstable import ListSessionsRequest, McpServer\n"
COMMANDS = {
    "record": ["inspect", "ToolCallUpdate", "--surface", "v2"],
    "record-json": ["inspect", "ToolCallUpdate", "--surface", "v2", "--json"],
    "tagged-union": ["inspect", "ContentBlock", "--surface", "v1"],
    "untagged-union": ["inspect", "RequestId", "--surface", "v2"],
    "unknown-variant": ["inspect", "UnknownPlanUpdateContent", "--surface", "v2"],
    "enumeration": ["inspect", "StopReason", "--surface", "v2"],
    "alias": ["inspect", "SessionId", "--surface", "v2"],
    "field": ["inspect", "ToolCallUpdate.content", "--surface", "v2"],
    "method": ["inspect", "session/request_permission", "--surface", "v2"],
    "notification": ["inspect", "session/cancel", "--surface", "v1"],
    "diff": ["diff", "v2", "v2_unstable"],
    "diff-policy": ["diff", "v2_unstable", "v2", "--policy", "policy.toml"],
    "diff-used": ["diff", "v2_unstable", "v2", "--used-by", "program"],
}


@pytest.mark.parametrize("folds", [False, True], ids=["piped", "on-a-terminal"])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_its_golden(
    name: str,
    folds: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    (tmp_path / "policy.toml").write_text(POLICY, "utf-8")
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "main.py").write_text(PROGRAM, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(terminal, "FOLDS", folds)
    # Progress is shown only if standard error is a terminal.
    monkeypatch.setattr(terminal, "err", Console(width=1000, stderr=True, force_terminal=False))
    styled = Console(
        width=100 if folds else 1000,
        force_terminal=folds,
        color_system="standard" if folds else None,
        legacy_windows=False,
    )
    monkeypatch.setattr(terminal, "out", styled)
    result = CliRunner().invoke(app, COMMANDS[name], color=True)
    text = re.sub(r"\x1b\[([0-9;]*)m", r"{\1}", result.output)
    lines = [f"exit code {result.exit_code}", *map(str.rstrip, text.splitlines())]
    golden = GOLDENS / f"{name}-{'folded' if folds else 'piped'}.txt"
    check_golden(golden, lines, request)
