"""Tests of sign-ins and MCP servers over a bridge.

The bridge connects our protocol 2 programs to protocol 1 programs that use an SDK.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.runtime import AUTHENTICATION_REQUIRED, RequestError
from acp_bindings.runtime.aio import Loss, Peer, connect_stdio

from tests.interop.environments import variables
from tests.interop.running import javascript, printed, program

SERVER = {
    "name": "files",
    "command": "/usr/bin/files",
    "args": ["--root", "/project"],
    "env": [{"name": "MODE", "value": "read only"}],
}
SERVERS_OF_V2 = [{"type": "stdio", **SERVER}]
UNADVERTISED = ["session/new", "/mcpServers"]
OUR_AGENT = ("ours", "tests.interop.ours_locked_agent")
PEERS = {
    "typescript": ("node", "{}.mjs"),
    "python-0.12.1": ("0.12.1", "tests.interop.peers.sdk_{}"),
    "python-1.0.0rc3": ("1.0.0rc3", "tests.interop.peers.sdk_{}"),
}


@pytest.fixture(params=PEERS)
def sdk(request: pytest.FixtureRequest) -> tuple[str, str]:
    return PEERS[request.param]


# --- their client and our agent --------------------------------------------------------------


def conversation(sdk: tuple[str, str], *agent: str) -> dict[str, Any]:
    """Run an SDK client with our agent. Return the client's report and the agent's response."""
    environment, name = sdk
    client = program(environment, name.format("opening_client"))
    report = json.loads(printed([*client, json.dumps(SERVER), *program(*OUR_AGENT), *agent]))
    [said] = report.pop("said")
    return {**report, **json.loads(said)}


def test_their_client_opens_a_session_with_a_server_that_our_agent_does_not_advertise(
    sdk: tuple[str, str],
) -> None:
    assert conversation(sdk) == {
        "refused": None,
        "servers": SERVERS_OF_V2,
        "losses": [UNADVERTISED],
        "stop": "end_turn",
    }


def test_their_client_signs_in_to_our_agent(sdk: tuple[str, str]) -> None:
    assert conversation(sdk, "locked") == {
        "refused": AUTHENTICATION_REQUIRED,
        "servers": SERVERS_OF_V2,
        "losses": [UNADVERTISED] * 2,  # for the refused and the accepted request
        "stop": "end_turn",
    }


def test_acpx_signs_in_to_our_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """acpx sends no MCP servers. It offers files and terminals, which protocol 2 doesn't have."""
    monkeypatch.setenv("ACPX_AUTH_KEY", "secret")
    agent = " ".join([*program(*OUR_AGENT), "locked"])
    options = ["--cwd", str(tmp_path), "--auth-policy", "fail", "--agent", agent]
    shown = printed([*javascript("acpx/dist/cli.js"), *options, "exec", "Hello, agent!"])
    lines = [line.strip() for line in shown.splitlines()]
    losses = [["initialize", f"/clientCapabilities/{each}"] for each in ("fs", "terminal")]
    said = json.dumps({"servers": [], "losses": losses})
    assert [lines.count(line) for line in (said, "[done] end_turn")] == [1, 1], shown


# --- our client and their agent --------------------------------------------------------------


@asynccontextmanager
async def connected(agent: Sequence[str], losses: list[Loss]) -> AsyncGenerator[Peer]:
    async with connect_stdio(
        agent, v2.SessionClient, env=variables(), bridge=True, on_loss=losses.append
    ) as peer:
        await peer.initialize()
        yield peer


@pytest.fixture
def their_agent(sdk: tuple[str, str]) -> list[str]:
    environment, name = sdk
    return program(environment, name.format("locked_agent"))


async def open_session(peer: Peer) -> v2.ClientSession:
    server = v2.decode(v2.McpServer, SERVERS_OF_V2[0], strict=True)
    return await v2.ClientSession.create(peer, cwd="/project", mcp_servers=[server])


async def sign_in(peer: Peer) -> None:
    [method] = peer.advertised.auth_methods
    await v2.AgentStub(peer).auth_login(v2.LoginAuthRequest(method_id=method.method_id))


def test_our_client_signs_in_to_their_agent_and_opens_a_session_with_a_server(
    their_agent: list[str],
) -> None:
    losses: list[Loss] = []

    async def talk() -> None:
        async with connected(their_agent, losses) as peer:
            with pytest.raises(RequestError) as refused:
                await open_session(peer)
            assert refused.value.code == AUTHENTICATION_REQUIRED
            await sign_in(peer)
            session = await open_session(peer)
            async with session.prompt("Hello, agent!") as turn:
                await turn.wait()
            assert turn.stop_reason == "end_turn"
            assert json.loads(session.state.messages[-1].text) == [SERVER]

    asyncio.run(talk())
    assert [(loss.method, loss.pointer) for loss in losses] == [("initialize", "/authMethods")]


def test_signing_out_of_their_agent_fails_and_names_the_missing_capability(
    their_agent: list[str],
) -> None:
    losses: list[Loss] = []

    async def talk() -> None:
        async with connected(their_agent, losses) as peer:
            await sign_in(peer)
            with pytest.raises(RequestError, match="/agentCapabilities/auth/logout"):
                await v2.AgentStub(peer).auth_logout(v2.LogoutAuthRequest())
            await open_session(peer)  # the user is still signed in

    asyncio.run(talk())
    assert [loss.method for loss in losses] == ["initialize", "auth/logout"]
