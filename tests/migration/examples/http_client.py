"""A client over Streamable HTTP; start the server first: `python http_server.py`."""

import asyncio

from acp_bindings import v1
from acp_bindings.runtime.aio import Stream, connect
from remote import http_stream


class ExampleClient(v1.SessionClient):
    """Prints text, allows what is listed first, and has only empty files."""

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


async def talk(stream: Stream, prompt: str) -> None:
    async with connect(stream, ExampleClient) as peer:
        init = await peer.initialize()
        print(f"initialized (protocol v{init.protocol_version})")
        session = await v1.ClientSession.create(peer, cwd=".", mcp_servers=[])
        print(f"session: {session.session_id}")
        async with session.prompt(prompt) as turn:
            pass
        print(f"stop reason: {turn.stop_reason}")


async def main() -> None:
    async with http_stream("http://localhost:8000/acp") as stream:
        await talk(stream, "hello over http")


if __name__ == "__main__":
    asyncio.run(main())
