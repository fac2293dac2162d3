"""A client over Streamable HTTP. First start the server: `python http_server.py`."""

import asyncio

from acp_bindings import v1
from acp_bindings.remote import connect_remote
from acp_bindings.runtime.aio import Peer


class ExampleClient(v1.SessionClient):
    """A client that prints text, selects the first permission option, and serves empty files."""

    async def session_request_permission(
        self, params: v1.RequestPermissionRequest
    ) -> v1.RequestPermissionResponse:
        first = v1.SelectedPermissionOutcome(option_id=params.options[0].option_id)
        return v1.RequestPermissionResponse(outcome=first)

    async def session_update(self, params: v1.SessionNotification) -> None:
        match params.update:
            case v1.ContentChunk(content=v1.TextContent(text=text)) if text:
                print(f"<< {text}")
            case _:
                pass

    async def fs_write_text_file(self, params: v1.WriteTextFileRequest) -> None:
        pass

    async def fs_read_text_file(self, params: v1.ReadTextFileRequest) -> v1.ReadTextFileResponse:
        return v1.ReadTextFileResponse(content="")


async def talk(peer: Peer, prompt: str) -> None:
    init = await peer.initialize()
    print(f"initialized (protocol v{init.protocol_version})")
    session = await v1.ClientSession.create(peer, cwd=".", mcp_servers=[])
    print(f"session: {session.session_id}")
    async with session.prompt(prompt) as turn:
        pass
    print(f"stop reason: {turn.stop_reason}")


async def main() -> None:
    url = "http://localhost:8000/acp"
    async with connect_remote(url, ExampleClient, transport="http") as peer:
        await talk(peer, "hello over http")


if __name__ == "__main__":
    asyncio.run(main())
