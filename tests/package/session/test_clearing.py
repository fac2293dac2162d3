"""Debug mode: None in the constructor of an update that changes an entry clears a member."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def warned(code: str, debug: str) -> list[str]:
    """What a program warns of that makes something of a surface, on the last line."""
    program = (
        "import warnings\n"
        "from acp_bindings import v1, v2\n"
        "import acp_bindings.v1.session, acp_bindings.v2.session\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        f"    {code}\n"
        "for each in caught:\n"
        "    print(each.filename, each.message)\n"
    )
    command = [sys.executable, "-c", program]
    environment = {**os.environ, "ACP_DEBUG": debug}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (
            "v2.ToolCallUpdate(tool_call_id='t', title=None)",
            "ToolCallUpdate(title=None) clears title",
        ),
        ("v1.SessionInfoUpdate(title=None)", "SessionInfoUpdate(title=None) clears title"),
        (
            "v2.AgentMessage(message_id='m', content=None)",
            "AgentMessage(content=None) clears content",
        ),
        ("v2.TerminalUpdate(terminal_id='t', cwd=None)", "TerminalUpdate(cwd=None) clears cwd"),
        ("v2.ToolCallUpdate(tool_call_id='t')", None),
        ("v2.ToolCallUpdate(tool_call_id='t', title='a', unknown_fields=None)", None),
        ("v1.ToolCallUpdate(tool_call_id='t', title=None)", None),  # means nothing in protocol 1
        ("v2.TextContent(text='a', meta=None)", None),
        ("v2.decode(v2.ToolCallUpdate, {'toolCallId': 't', 'title': None})", None),
    ],
)
def test_none_that_clears_a_member_is_told(code: str, told: str | None) -> None:
    expected = [] if told is None else [f"<string> {told}: pass UNSET to leave it"]
    assert warned(code, "1") == expected


def test_without_debug_mode_nothing_is_told() -> None:
    assert warned("v2.ToolCallUpdate(tool_call_id='t', title=None)", "0") == []
