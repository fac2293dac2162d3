"""The client for the test conversation, built with acp_bindings.

Usage: `ours_client VERSION [--bridge] REPORT AGENT...`.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from typing import Any

from acp_bindings import v1, v2
from acp_bindings.runtime import Issue, RequestError
from acp_bindings.runtime.aio import Peer, connect_stdio
from acp_bindings.v1.methods import AGENT_EXT_REQUEST

from .conversation import Seen, answer_extension, answer_permission, converse, write_report


class Client:
    """A client that records the agent's messages and implements the `Talk` interface."""

    v: Any
    error = RequestError

    def __init__(self, peer: Peer) -> None:
        self.version: int = self.v.SCHEMA.protocol_version
        self.seen = Seen()
        self._peer = peer
        self._agent = self.v.AgentStub(peer)

    # --- messages from the agent -----------------------------------------------------------------

    async def session_update(self, params: Any) -> None:
        self.seen.add(self.seen.updates, self.v.encode(params.update, self.v.SessionUpdate))

    async def session_request_permission(self, params: Any) -> Any:
        answer = await answer_permission(self, self.v.encode(params))
        return self.v.decode(self.v.RequestPermissionResponse, answer)

    async def ext_request(self, method: str, params: Any) -> Any:
        return await answer_extension(self, method, params)

    async def ext_notification(self, method: str, params: Any) -> None:
        self.seen.add(self.seen.notes, params)

    # --- actions of the conversation -------------------------------------------------------------

    async def call(self, method: str, params: Any) -> Any:
        known = self.v.AGENT_METHODS[method]
        send = getattr(self._agent, method.replace("/", "_"))
        result = await send(self.v.decode(known.params, params, strict=True))
        return None if known.kind == "notification" else self.v.encode(result, known.result)

    async def request(self, method: str, params: Any) -> Any:
        if method.startswith("_"):
            return await self._agent.ext_request(method, params)
        # Stubs provide only methods that the schema defines.
        return await self._peer.request(replace(AGENT_EXT_REQUEST, name=method), params)

    async def notify(self, method: str, params: Any) -> None:
        await self._agent.ext_notification(method, params)


class ClientV1(Client, v1.ClientHandler):
    v = v1


class ClientV2(Client, v2.ClientHandler):
    v = v2


def children_left() -> bool:
    """Return whether there are child processes that were not waited for, including zombies."""
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True


async def main(version: int, report_path: str, command: list[str], *, bridge: bool) -> None:
    issues: list[str] = []

    def on_issue(issue: Issue) -> None:
        issues.append(f"{issue.method}{issue.pointer}: {issue.reason}")

    client: Any = (ClientV1, ClientV2)[version - 1]
    async with connect_stdio(command, client, on_issue=on_issue, bridge=bridge) as peer:
        assert isinstance(peer.handler, Client)
        report = await converse(peer.handler)
    report["issues"] = issues
    report["children"] = children_left()
    write_report(report_path, report)


if __name__ == "__main__":
    version, *arguments = sys.argv[1:]
    is_bridged = arguments[0] == "--bridge"
    report, *agent = arguments[is_bridged:]
    asyncio.run(main(int(version), report, agent, bridge=is_bridged))
