"""What the agent with tools sends, and in which order."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime.aio import connect_stdio, log_to
from acpgen.cli.app import app
from examples.driving import agent_with_tools
from typer.testing import CliRunner


class Allows:
    v: Any

    async def session_request_permission(self, params: Any) -> Any:
        chosen = self.v.SelectedPermissionOutcome(option_id=params.options[0].option_id)
        return self.v.RequestPermissionResponse(outcome=chosen)


class ClientV1(Allows, v1.SessionClient):
    v = v1


class ClientV2(Allows, v2.SessionClient):
    v = v2


class Editing(ClientV1):
    """Its file has other text than the disk, as in an editor."""

    async def fs_read_text_file(self, params: v1.ReadTextFileRequest) -> v1.ReadTextFileResponse:
        return v1.ReadTextFileResponse(content="unsaved\n")

    async def fs_write_text_file(self, params: v1.WriteTextFileRequest) -> None:
        pass


def conversation(client: Any, folder: Path, prompt: str) -> list[dict[str, Any]]:
    """Send a prompt, and return what the agent sent. All of it is as the schema says."""
    log = io.StringIO()
    clients = [client] if client.v is v1 else [ClientV1, client]  # the latest version is spoken

    async def main() -> None:
        env = {"AGENT_SESSIONS": str(folder.with_name("sessions")), "PATH": "/usr/bin:/bin"}
        command = agent_with_tools()
        async with connect_stdio(command, *clients, env=env, observe=log_to(log)) as peer:
            await peer.initialize()
            new_session = client.v.ClientSession.create
            session = await new_session(peer, cwd=str(folder), mcp_servers=[])
            async with session.prompt(prompt) as turn:
                await turn.wait(60)
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
session/request_permission, tool_call_update in_progress, tool_call_update completed,
agent_message_chunk, plan, usage_update, response"""
SENT_V2 = """response, response, response, user_message, state_update running, agent_thought_chunk,
plan_update, tool_call_update pending, state_update requires_action, session/request_permission,
state_update running, tool_call_update in_progress, tool_call_update completed,
agent_message_chunk, plan_update, usage_update, state_update idle"""


def test_v1_a_tool_call_from_its_start_to_its_end(folder: Path) -> None:
    sent = conversation(ClientV1, folder, "write new.txt text")
    assert [summary(each) for each in sent] == SENT_V1.replace("\n", " ").split(", ")
    call = sent[4]["params"]["update"]
    path = str(folder / "new.txt")
    assert call["kind"] == "edit"
    assert call["locations"] == [{"path": path}]
    [diff] = call["content"]
    assert (diff["type"], diff["path"], diff["newText"]) == ("diff", path, "text\n")
    assert sent[5]["params"]["toolCall"]["toolCallId"] == call["toolCallId"]


def test_v2_a_tool_call_from_its_start_to_its_end(folder: Path) -> None:
    sent = conversation(ClientV2, folder, "write new.txt text")
    assert [summary(each) for each in sent] == SENT_V2.replace("\n", " ").split(", ")


@pytest.mark.parametrize(
    ("client", "read", "written"),
    [(Editing, "unsaved", "saved\n"), (ClientV1, "saved", "new\n")],
    ids=["client", "disk"],
)
def test_v1_files_are_those_of_the_client_if_it_offers_them(
    client: Any, read: str, written: str, folder: Path
) -> None:
    (folder / "a.txt").write_text("saved\n", "utf-8")
    sent = conversation(client, folder, "read a.txt then write a.txt new")
    called = [each["method"] for each in sent if "id" in each and "method" in each]
    asked = "session/request_permission"
    reads = ["fs/read_text_file"] * 2
    assert called == ([*reads, asked, "fs/write_text_file"] if client is Editing else [asked])
    assert f'"{read}' in json.dumps(sent)
    assert (folder / "a.txt").read_text("utf-8") == written  # the client does not write it


def test_v2_output_is_that_of_a_terminal(folder: Path) -> None:
    sent = conversation(ClientV2, folder, "run echo one; exit 3")
    updates = [each["params"]["update"] for each in sent if each.get("method") == "session/update"]
    calls = [each for each in updates if each["sessionUpdate"] == "tool_call_update"]
    [content] = calls[-1]["content"]
    terminals = [each for each in updates if each.get("terminalId") == content["terminalId"]]
    assert terminals[0]["command"] == "echo one; exit 3"
    assert terminals[0]["cwd"] == str(folder)
    output = b"".join(base64.b64decode(each.get("data", "")) for each in terminals)
    assert output == b"one\n"
    assert terminals[-1]["exitStatus"] == {"exitCode": 3}


@pytest.mark.parametrize("before", [None, "one\ntwo\n", "one\ntwo"])
def test_v2_git_applies_the_patch(before: str | None, folder: Path) -> None:
    path = folder / "a.txt"
    if before is not None:
        path.write_text(before, "utf-8")
    sent = conversation(ClientV2, folder, "write a.txt three")
    update = next(each for each in sent if summary(each) == "tool_call_update pending")
    [diff] = update["params"]["update"]["content"]
    operation = "add" if before is None else "modify"
    assert diff["changes"] == [{"operation": operation, "path": str(path)}]
    path.unlink()
    if before is not None:
        path.write_text(before, "utf-8")
    patch = diff["patch"]["text"].replace(f"{folder}/", "")  # Git takes relative paths only
    subprocess.run(
        ["git", "apply", "-p0"], cwd=folder, input=patch, text=True, check=True, timeout=60
    )
    assert path.read_text("utf-8") == "three\n"
