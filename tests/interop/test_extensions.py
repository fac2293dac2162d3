"""The sample extensions, live with the official TypeScript SDK in both roles."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime.aio import connect_stdio
from acpgen.common import paths
from acpgen.emit.extension import render_extension
from extensions.packages import SAMPLES, build, package, sample

from interop.running import javascript, printed

NEW = v1.NewSessionRequest(cwd="/", mcp_servers=[])

AGENT = """
import asyncio

import claude_code
import kiro
import models
from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, serve_stdio


class Agent(kiro.AgentHandler, models.AgentHandler):
    def __init__(self, peer: Peer) -> None:
        self.client = kiro.ClientStub(peer)

    async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
        return v1.InitializeResponse(protocol_version=1)

    async def session_new(self, params: v1.NewSessionRequest) -> v1.NewSessionResponse:
        return v1.NewSessionResponse(session_id="s-1")

    async def kiro_dev_commands_execute(self, params: kiro.ExecuteRequest) -> kiro.ExecuteResponse:
        assert isinstance(params.command, kiro.Command)
        call = v1.ToolCall(tool_call_id="t-1", title=params.command.command)
        view = claude_code.meta(call)
        view.claude_code = claude_code.ClaudeToolCall(tool_name="Compact")
        note = v1.SessionNotification(session_id=params.session_id, update=call)
        await self.client.session_update(note)
        status = kiro.CompactionStatus(type="completed")
        await self.client.kiro_dev_compaction_status(kiro.CompactionNotification(status=status))
        return kiro.ExecuteResponse(success=True, data=params.command.args)

    async def session_set_model(
        self, params: models.SetSessionModelRequest
    ) -> models.SetSessionModelResponse:
        return models.SetSessionModelResponse(meta={"model": params.model_id})


asyncio.run(serve_stdio(Agent))
"""


def test_our_client_with_an_agent_in_typescript() -> None:
    asyncio.run(_talk(javascript("extensions_agent.mjs")))


async def _talk(command: list[str]) -> None:
    claude_code, kiro, models = package("claude_code"), package("kiro"), package("models")

    class Client(kiro.ClientHandler):  # type: ignore[misc, name-defined]
        """Remembers what it is told."""

        def __init__(self) -> None:
            self.heard: list[Any] = []

        async def hear(self, params: Any) -> None:
            self.heard.append(params)

        kiro_dev_commands_available = hear
        kiro_dev_mcp_server_initialized = hear
        kiro_dev_metadata = hear

        async def session_update(self, params: v1.SessionNotification) -> None:
            self.heard.append(params.update)

    client = Client()
    async with connect_stdio(command, client) as agent:
        stub = kiro.AgentStub(agent)
        await stub.initialize(v1.InitializeRequest(protocol_version=1))
        session = await stub.session_new(NEW)
        tools = kiro.Command(command="tools", args={"all": True})
        request = kiro.ExecuteRequest(session_id=session.session_id, command=tools)
        result = await stub.kiro_dev_commands_execute(request)
        assert result == kiro.ExecuteResponse(success=True, data={"tools": [{"all": True}]})
        request.command = kiro.Command(command="other")
        with pytest.raises(v1.DecodeError) as caught:
            await stub.kiro_dev_commands_execute(request)
        assert (caught.value.type_name, caught.value.pointer) == ("ExecuteResponse", "/success")
        model = models.SetSessionModelRequest(session_id=session.session_id, model_id="m-1")
        chosen = await models.AgentStub(agent).session_set_model(model)
        assert chosen == models.SetSessionModelResponse(meta={"model": "m-1"})
    commands, server, metadata, call = client.heard
    assert [each.name for each in commands.commands] == ["/tools"]  # the nameless one is skipped
    assert server == kiro.McpServerNotification(session_id="s-1", server_name="github")
    assert metadata.metering_usage == [kiro.Metering(value=0.21, unit="credit")]
    view = claude_code.meta(call)
    assert view.claude_code == claude_code.ClaudeToolCall(tool_name="Bash")
    assert view.terminal_info == claude_code.TerminalInfo(terminal_id="t-1")


def test_our_agent_with_a_client_in_typescript(tmp_path: Path) -> None:
    for name in ("claude_code", "kiro", "models"):
        built = build(sample(name), SAMPLES[name], unprefixed=True)
        (tmp_path / name).mkdir()
        for path, text in render_extension(built.surface, paths.TEMPLATES, "acp_bindings").items():
            (tmp_path / name / path).write_text(text, encoding="utf-8")
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    agent = [sys.executable, str(tmp_path / "agent.py")]
    told = json.loads(printed([*javascript("extensions_client.mjs"), *agent]))
    executed, refused, chosen, unknown = told["answers"]
    assert executed == {"success": True, "data": {"n": 1}}
    assert (refused["code"], refused["data"]["pointer"]) == (-32602, "/command")
    assert chosen == {"_meta": {"model": "m-2"}}
    assert unknown["code"] == -32601
    assert told["heard"] == [
        {
            "sessionUpdate": "tool_call",
            "toolCallId": "t-1",
            "title": "compact",
            "_meta": {"claudeCode": {"toolName": "Compact"}},
        },
        {"status": {"type": "completed"}},
    ]
