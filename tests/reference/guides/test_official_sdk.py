"""The guide for those who come from the official SDK: what its blocks define but do not call."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import Handlers, Peer, connect_memory
from support.guides import defining, write_files
from support.paths import GUIDE_TEMPLATES

GUIDE = "official-sdk.md"


def test_imports_in_the_text_work() -> None:
    text = (GUIDE_TEMPLATES / GUIDE).read_text(encoding="utf-8")
    lines = re.findall(r"`(from acp_bindings[^`]+)`", text)
    assert len(lines) == 5
    for line in lines:
        exec(line, {})
    named = re.findall(r"^\| `acp\.[^|]+\| `v1\.(\w+)`(?:, and a `v1\.(\w+)`)?", text, re.M)
    assert len(named) == 3
    assert {name for names in named for name in names if name} <= {*v1.__all__}


class Files(v1.SessionClient):
    """Has one file."""

    async def fs_read_text_file(self, params: v1.ReadTextFileRequest) -> v1.ReadTextFileResponse:
        assert params.path == "/project/a.txt"
        return v1.ReadTextFileResponse(content="what it says")


async def connected(agent: Handlers, use: Any) -> Any:
    """Connect to an agent, initialize, and return what `use` makes of the peer."""
    async with connect_memory(agent, Files) as peer:
        await peer.initialize()
        return await use(peer)


def test_the_agent_reads_what_is_linked() -> None:
    async def use(peer: Peer) -> str:
        session = await v1.ClientSession.create(peer, cwd="/", mcp_servers=[])
        link = v1.ResourceLink(name="a.txt", uri="file:///project/a.txt")
        async with session.prompt([link]):
            pass
        return session.state.messages[-1].text

    reader = defining(GUIDE, "Reader")["Reader"]
    assert asyncio.run(connected(reader, use)) == "what it says"


def test_the_client_asks_and_allows_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files("testing.md", tmp_path)
    command = [sys.executable, str(tmp_path / "cleaner.py")]
    assert asyncio.run(defining(GUIDE, "ask")["ask"](command, "Clean up")) == "end_turn"
    assert capsys.readouterr().out.startswith("ToolCall(tool_call_id='rm', ")


def test_custom_methods_are_called() -> None:
    names = defining(GUIDE, "Counting")

    async def use(peer: Peer) -> Any:
        with pytest.raises(RequestError) as raised:
            await v1.AgentStub(peer).ext_request("_acme/other", {})
        assert raised.value.data == {"method": "_acme/other"}
        return await names["count"](v1.AgentStub(peer), "one two three")

    assert asyncio.run(connected(names["Counting"], use)) == 3
