"""Probes for opening and closing a connection."""

from __future__ import annotations

from typing import Any

from acpwire.conform.player import FUTURE, Unreached, introduction
from acpwire.conform.probes_of_agents.played_client import PlayedClient, probe
from acpwire.surfaces import VERSIONS


@probe("initialize", "same-version", "agent-info")
async def introduces_itself(client: PlayedClient) -> None:
    line = await client.call("initialize", introduction("client", client.version))
    said = line.result.get("protocolVersion")
    expected = "a result with a protocolVersion that is an integer"
    if not client.judge("initialize", type(said) is int, expected, line):
        raise Unreached("the response to initialize has no protocol version")
    if client.judge("same-version", said == client.version, f"version {client.version}", line):
        info = line.result.get("agentInfo")
        client.judge("agent-info", type(info) is dict, "an agentInfo in the result", line)


@probe("newer-version")
async def answers_a_newer_client(client: PlayedClient) -> None:
    if not client.spoken:
        raise Unreached("the agent supports no protocol version that acpgen conform can check")
    params: dict[str, Any] = {}
    for version in VERSIONS:
        params |= introduction("client", version, protocolVersion=FUTURE)
    line = await client.call("initialize", params)
    said = line.result.get("protocolVersion")
    latest = max(client.spoken)  # the agent might also support later versions
    ok = type(said) is int and latest <= said < FUTURE
    expected = f"a result with the agent's latest version, which is {latest} or later"
    client.judge("newer-version", ok, expected, line)


@probe("end-of-input")
async def exits_with_its_input(client: PlayedClient) -> None:
    await client.initialize()
    client.wire.end_input()
    ended = await client.wire.wait_end() and await client.wire.wait_exit()
    client.judge("end-of-input", ended, "the agent's exit", "an agent that is still running")
