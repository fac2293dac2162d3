"""Tests of the messages that the agent with tools sends, in order."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import pytest
from acp_bindings.runtime.aio import log_to
from acp_bindings.testing import Client
from acpgen.cli.app import app
from typer.testing import CliRunner

from tests.examples.driving import agent_with_tools


def conversation(version: int | None, folder: Path, prompt: str) -> list[dict[str, Any]]:
    """Send a prompt, check the agent's messages against the schema, and return them."""
    log = io.StringIO()

    async def main() -> None:
        sessions = f"AGENT_SESSIONS={folder.with_name('sessions')}"
        command = ["env", sessions, *agent_with_tools()]
        client = Client(command, version=version, capabilities={}, timeout=60, observe=log_to(log))
        async with client:
            await client.new_session(str(folder))
            turn = await client.prompt(prompt)
            assert turn.stop_reason == "end_turn"

    asyncio.run(main())
    path = folder.with_name("log.jsonl")
    path.write_text(log.getvalue(), "utf-8")
    traced = CliRunner().invoke(app, ["trace", str(path)])
    assert traced.exit_code == 0, traced.output
    entries = [json.loads(line) for line in log.getvalue().splitlines()]
    return [entry["message"] for entry in entries if entry["direction"] == "received"]


def summary(message: dict[str, Any]) -> str:
    update = message.get("params", {}).get("update", {})
    kind = update.get("sessionUpdate") or message.get("method") or "response"
    detail = update.get("status") or update.get("state") or update.get("stopReason")
    return f"{kind} {detail}" if detail else str(kind)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    return path


SENT_V1 = """response, response, agent_thought_chunk, plan, tool_call pending,
tool_call_update, session/request_permission, tool_call_update in_progress,
tool_call_update completed, agent_message_chunk, plan, usage_update, response"""
SENT_V2 = """response, response, response, user_message, state_update running, agent_thought_chunk,
plan_update, tool_call_update pending, tool_call_update, state_update requires_action,
session/request_permission, state_update running, tool_call_update in_progress,
tool_call_update completed, agent_message_chunk, plan_update, usage_update, state_update idle"""


def test_v1_a_tool_call_from_its_start_to_its_end(folder: Path) -> None:
    sent = conversation(1, folder, "write new.txt text")
    assert [summary(each) for each in sent] == SENT_V1.replace("\n", " ").split(", ")
    call = sent[4]["params"]["update"] | sent[5]["params"]["update"]
    path = str(folder / "new.txt")
    assert call["kind"] == "edit"
    assert call["locations"] == [{"path": path}]
    [diff] = call["content"]
    assert (diff["type"], diff["path"], diff["newText"]) == ("diff", path, "text\n")
    assert sent[6]["params"]["toolCall"]["toolCallId"] == call["toolCallId"]


def test_v2_a_tool_call_from_its_start_to_its_end(folder: Path) -> None:
    sent = conversation(None, folder, "write new.txt text")
    assert [summary(each) for each in sent] == SENT_V2.replace("\n", " ").split(", ")
