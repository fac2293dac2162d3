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
from acp_bindings.runtime.aio import Peer, connect_stdio, log_to
from acp_bindings.v1 import client_session as live1
from acp_bindings.v2 import client_session as live2
from acpgen.cli.app import app
from examples.driving import agent_with_tools
from typer.testing import CliRunner


class ClientV1(live1.SessionClient):
    """Allows everything. Its file has other text than the disk, as in an editor."""

    async def session_request_permission(
        self, params: v1.RequestPermissionRequest
    ) -> v1.RequestPermissionResponse:
        chosen = v1.SelectedPermissionOutcome(option_id=params.options[0].option_id)
        return v1.RequestPermissionResponse(outcome=chosen)

    async def fs_read_text_file(self, params: v1.ReadTextFileRequest) -> v1.ReadTextFileResponse:
        return v1.ReadTextFileResponse(content="unsaved\n")

    async def fs_write_text_file(self, params: v1.WriteTextFileRequest) -> None:
        pass


class ClientV2(live2.SessionClient):
    """Allows everything."""

    async def session_request_permission(
        self, params: v2.RequestPermissionRequest
    ) -> v2.RequestPermissionResponse:
        chosen = v2.SelectedPermissionOutcome(option_id=params.options[0].option_id)
        return v2.RequestPermissionResponse(outcome=chosen)


async def start(peer: Peer, version: int, folder: Path, fs: bool) -> Any:
    if version == 1:
        offered = v1.FileSystemCapabilities(read_text_file=fs, write_text_file=fs)
        able = v1.ClientCapabilities(fs=offered)
        await peer.initialize(v1.InitializeRequest(protocol_version=1, client_capabilities=able))
        return await v1.ClientSession.create(peer, cwd=str(folder), mcp_servers=[])
    await peer.initialize(v2.InitializeRequest(protocol_version=2, info=v2.ClientHandler.info))
    return await v2.ClientSession.create(peer, cwd=str(folder))


def conversation(
    version: int, folder: Path, *prompts: str, fs: bool = False
) -> list[dict[str, Any]]:
    """Send prompts, and return what the agent sent. All of it is as the schema says."""
    log = io.StringIO()

    async def main() -> None:
        env = {"AGENT_SESSIONS": str(folder.with_name("sessions")), "PATH": "/usr/bin:/bin"}
        command = agent_with_tools()
        async with connect_stdio(command, ClientV1, ClientV2, env=env, observe=log_to(log)) as peer:
            session = await start(peer, version, folder, fs)
            for text in prompts:
                async with session.prompt(text) as turn:
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
    """A word or two about a message."""
    update = message.get("params", {}).get("update", {})
    kind = update.get("sessionUpdate") or message.get("method") or "response"
    detail = update.get("status") or update.get("state") or update.get("stopReason")
    return f"{kind} {detail}" if detail else str(kind)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    return path


def test_v1_a_tool_call_from_its_start_to_its_end(folder: Path) -> None:
    sent = conversation(1, folder, "write new.txt text")
    assert [summary(each) for each in sent] == [
        "response",
        "response",
        "agent_thought_chunk",
        "plan",
        "tool_call pending",
        "session/request_permission",
        "tool_call_update in_progress",
        "tool_call_update completed",
        "agent_message_chunk",
        "plan",
        "usage_update",
        "response",
    ]
    call = sent[4]["params"]["update"]
    path = str(folder / "new.txt")
    assert call["kind"] == "edit"
    assert call["locations"] == [{"path": path}]
    [diff] = call["content"]
    assert (diff["type"], diff["path"], diff["newText"]) == ("diff", path, "text\n")
    assert sent[5]["params"]["toolCall"]["toolCallId"] == call["toolCallId"]


def test_v2_a_tool_call_from_its_start_to_its_end(folder: Path) -> None:
    sent = conversation(2, folder, "write new.txt text")
    assert [summary(each) for each in sent] == [
        "response",
        "response",
        "response",
        "user_message",
        "state_update running",
        "agent_thought_chunk",
        "plan_update",
        "tool_call_update pending",
        "state_update requires_action",
        "session/request_permission",
        "state_update running",
        "tool_call_update in_progress",
        "tool_call_update completed",
        "agent_message_chunk",
        "plan_update",
        "usage_update",
        "state_update idle",
    ]


def test_v1_files_are_those_of_the_client_if_it_offers_them(folder: Path) -> None:
    (folder / "a.txt").write_text("saved\n", "utf-8")
    sent = conversation(1, folder, "read a.txt then write a.txt new", fs=True)
    called = [each["method"] for each in sent if "id" in each and "method" in each]
    assert called == [
        "fs/read_text_file",
        "fs/read_text_file",
        "session/request_permission",
        "fs/write_text_file",
    ]
    assert "unsaved" in json.dumps(sent)
    assert (folder / "a.txt").read_text("utf-8") == "saved\n"  # the client has not written it


def test_v1_files_are_those_of_the_disk_otherwise(folder: Path) -> None:
    (folder / "a.txt").write_text("saved\n", "utf-8")
    sent = conversation(1, folder, "read a.txt then write a.txt new")
    assert "saved" in json.dumps(sent)
    assert (folder / "a.txt").read_text("utf-8") == "new\n"


def test_v2_output_is_that_of_a_terminal(folder: Path) -> None:
    sent = conversation(2, folder, "run echo one; exit 3")
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
    sent = conversation(2, folder, "write a.txt three")
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
