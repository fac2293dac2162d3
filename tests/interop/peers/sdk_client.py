"""The client for the test conversation, built with the official Python SDK.

Usage: `sdk_client VERSION REPORT AGENT...`.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from acp import RequestError, spawn_agent_process
from acp.transports import spawn_stdio_transport

from tests.interop.conversation import (
    Seen,
    answer_extension,
    answer_permission,
    converse,
    write_report,
)
from tests.interop.peers.sdk import VERSION, Extended, acp, call, dump, schema

# By default, the SDK passes only a few environment variables to the agent and limits lines to 64
# KiB. Agents inherit standard error, so that log output cannot fill a pipe.
TRANSPORT = {"limit": 50 * 1024 * 1024, "stderr": None, "shutdown_timeout": 10.0}
ENVIRONMENT = dict(os.environ)
# Maps each ACP method to the SDK's method and the class of its params.
CALLS = {
    "initialize": ("initialize", "InitializeRequest"),
    "session/new": ("new_session", "NewSessionRequest"),
    "session/prompt": ("prompt", "PromptRequest"),
    "session/cancel": (
        ("cancel", "CancelNotification")
        if VERSION == 1
        else ("cancel_session", "CancelSessionNotification")
    ),
}


class Client(Extended):
    """A client that records the agent's messages and implements the `Talk` interface."""

    error = RequestError
    version = VERSION

    def __init__(self) -> None:
        self.seen = Seen()

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.seen.add(self.seen.updates, dump(update))

    async def request_permission(self, session_id: str, options: list[Any], **about: Any) -> Any:
        if VERSION == 1:
            params = {"toolCall": dump(about["tool_call"])}
        else:
            params = {"title": about["title"], "subject": dump(about["subject"])}
        params["options"] = [dump(option) for option in options]
        return schema.RequestPermissionResponse.model_validate(
            await answer_permission(self, params)
        )

    async def on_request(self, method: str, params: Any) -> Any:
        return await answer_extension(self, method, params)

    async def on_notification(self, method: str, params: Any) -> None:
        self.seen.add(self.seen.notes, params)

    async def call(self, method: str, params: Any) -> Any:
        name, model = CALLS[method]
        return await call(getattr(self.connection, name), model, params)


async def main(report_path: str, command: list[str]) -> None:
    client = Client()
    if VERSION == 1:
        async with spawn_agent_process(
            client, *command, env=ENVIRONMENT, transport_kwargs=TRANSPORT
        ):
            report = await converse(client)
    else:
        async with spawn_stdio_transport(*command, env=ENVIRONMENT, **TRANSPORT) as streams:
            reader, writer, _ = streams
            async with acp.connect_to_agent(client, writer, reader):
                report = await converse(client)
    write_report(report_path, report)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[2], sys.argv[3:]))
