"""The client for the remote test conversation, built with the official Python SDK.

Usage: `remote_sdk_client VERSION TRANSPORT URL TLS REPORT`. `TRANSPORT` is `websocket`, `http`, or
`http1`, which uses HTTP/1.1 even if the server offers HTTP/2. `TLS` is a folder with the server's
certificate, or `-` for no TLS.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import nullcontext, suppress
from importlib import import_module
from typing import Any

from tests.interop.conversation import write_report
from tests.interop.peers.sdk import VERSION, acp, call, dump, schema
from tests.interop.remote.conversation import Conversation, converse, steps_expected_to_fail
from tests.interop.remote.options import folder, trusting

# Maps each ACP method to the SDK's method and the class of its params.
CALLS = {
    "initialize": ("initialize", "InitializeRequest"),
    "session/new": ("new_session", "NewSessionRequest"),
    "session/load": ("load_session", "LoadSessionRequest"),
    "session/resume": ("resume_session", "ResumeSessionRequest"),
    "session/set_mode": ("set_session_mode", "SetSessionModeRequest"),
    "session/prompt": ("prompt", "PromptRequest"),
    "session/cancel": ("cancel", "CancelNotification"),
}


class Client:
    """A client that passes agent messages to `Conversation` and implements the `Talk` interface."""

    version = VERSION
    connection: Any

    def __init__(self) -> None:
        self.conversation = Conversation(self)

    def on_connect(self, connection: Any) -> None:
        self.connection = connection

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.conversation.updated(session_id, dump(update))

    async def request_permission(
        self, session_id: str, options: list[Any], tool_call: Any, **_: Any
    ) -> Any:
        params = {
            "sessionId": session_id,
            "toolCall": dump(tool_call),
            "options": [dump(option) for option in options],
        }
        answer = self.conversation.answer_permission(params)
        return schema.RequestPermissionResponse.model_validate(answer)

    async def call(self, method: str, params: Any) -> Any:
        name, model = CALLS[method]
        answer = await call(getattr(self.connection, name), model, params)
        # Over HTTP, a response can arrive before its request is completely sent. In that case, the
        # SDK does not wait for the handlers of the preceding notifications.
        await asyncio.sleep(0)
        return answer


async def open_transport(transport: str, url: str, tls: str) -> Any:
    """Open an SDK transport. Only one of the tested SDK versions contains the transports."""
    if transport == "websocket":
        ws = import_module("acp.ws")
        return await ws.create_websocket_stream(url.replace("http", "ws", 1))
    httpx2 = import_module("httpx2")
    client = httpx2.AsyncClient(
        http2=transport == "http",
        verify=trusting(folder(tls)) or True,
        timeout=httpx2.Timeout(None),
    )
    return import_module("acp.http").create_http_stream(url, client=client)


async def main(transport: str, url: str, tls: str, report_path: str) -> None:
    client = Client()
    stream = await open_transport(transport, url, tls)
    connection = acp.connect_to_agent(client, stream)
    write_report(report_path, await converse(client.conversation))
    # If a step timed out, the SDK might fail to send the cancellation while closing.
    with suppress(Exception) if steps_expected_to_fail() else nullcontext():
        await connection.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[2:]))
