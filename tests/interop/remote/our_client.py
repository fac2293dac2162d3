"""The client for the remote test conversation, built with acp_bindings.

Usage: `our_client VERSION TRANSPORT URL TLS REPORT [--bridge]`. `TLS` is a folder with the server's
certificate, or `-` for no TLS.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from acp_bindings import v1, v2
from acp_bindings.remote import connect_remote
from acp_bindings.runtime import Issue
from acp_bindings.runtime.aio import Peer

from ..conversation import write_report
from .conversation import Conversation, converse
from .options import folder, trusting


class Client:
    """A client that passes agent messages to `Conversation` and implements the `Talk` interface."""

    v: Any

    def __init__(self, peer: Peer) -> None:
        self.version: int = self.v.SCHEMA.protocol_version
        self.conversation = Conversation(self)
        self._agent = self.v.AgentStub(peer)

    async def session_update(self, params: Any) -> None:
        update = self.v.encode(params.update, self.v.SessionUpdate)
        self.conversation.updated(params.session_id, update)

    async def session_request_permission(self, params: Any) -> Any:
        answer = self.conversation.answer_permission(self.v.encode(params))
        return self.v.decode(self.v.RequestPermissionResponse, answer)

    async def call(self, method: str, params: Any) -> Any:
        known = self.v.AGENT_METHODS[method]
        send = getattr(self._agent, method.replace("/", "_"))
        result = await send(self.v.decode(known.params, params, strict=True))
        return None if known.kind == "notification" else self.v.encode(result, known.result)


class ClientV1(Client, v1.ClientHandler):
    v = v1


class ClientV2(Client, v2.ClientHandler):
    v = v2


async def main(
    version: int, transport: Any, url: str, tls: str, report_path: str, *, bridge: bool
) -> None:
    issues: list[str] = []

    def on_issue(issue: Issue) -> None:
        issues.append(f"{issue.method}{issue.pointer}: {issue.reason}")

    client: Any = (ClientV1, ClientV2)[version - 1]
    async with connect_remote(
        url,
        client,
        tls=trusting(folder(tls)),
        transport=transport,
        bridge=bridge,
        on_issue=on_issue,
    ) as peer:
        assert isinstance(peer.handler, Client)
        report = await converse(peer.handler.conversation)
    report["issues"] = issues
    report["tasks"] = [repr(task) for task in asyncio.all_tasks() - {asyncio.current_task()}]
    write_report(report_path, report)


if __name__ == "__main__":
    version, transport, url, tls, report, *rest = sys.argv[1:]
    bridge = "--bridge" in rest
    asyncio.run(main(int(version), transport, url, tls, report, bridge=bridge))
