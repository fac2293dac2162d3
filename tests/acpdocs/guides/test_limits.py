"""Tests of the guide "Limits": its commands record a session and print the recording."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.guides import commands, run_command


def test_a_conversation_is_recorded_and_followed(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("print(input())\n")
    programs = [each.text for each in commands("limits.md")]
    [wrap] = [each for each in programs if each.startswith("acpgen wrap")]
    [follow] = [each for each in programs if each.startswith("acpgen trace")]
    message = '{"jsonrpc": "2.0", "method": "_hello"}'
    assert run_command(f"echo '{message}' | {wrap}", tmp_path) == f"{message}\n"
    shown = run_command(follow, tmp_path)
    assert len(re.findall(r"→ .*  _hello\n", shown)) == 2
    assert shown.endswith("\n2 messages, 0 requests, 0 unanswered, 0 problems\n")
