"""A console client: `python client.py AGENT_PROGRAM [ARGS...]`."""

import asyncio
import logging
import os
import sys
from pathlib import Path

from acp_bindings import v1
from acp_bindings.runtime.aio import connect_stdio


class ExampleClient(v1.SessionClient):
    """A client that prints the agent's messages and rejects its requests."""

    info = v1.Implementation(name="example-client", title="Example Client", version="0.1.0")

    async def session_update(self, params: v1.SessionNotification) -> None:
        if isinstance(params.update, v1.AgentMessageChunk):
            print("| Agent:", shown(params.update.content))

    async def elicitation_create(
        self, params: v1.CreateElicitationRequest
    ) -> v1.CreateElicitationResponse:
        if not isinstance(params, v1.UnknownCreateElicitationRequest):
            print(f"| Agent requested input: {params.message} ({type(params).__name__})")
        return v1.DeclineCreateElicitationResponse()

    async def elicitation_complete(self, params: v1.CompleteElicitationNotification) -> None:
        print(f"| Agent completed elicitation: {params.elicitation_id}")


def shown(content: v1.ContentBlock) -> str:
    match content:
        case v1.TextContent(text=text):
            return text
        case v1.ImageContent():
            return "<image>"
        case v1.AudioContent():
            return "<audio>"
        case v1.ResourceLink(uri=uri):
            return uri or "<resource>"
        case v1.EmbeddedResource():
            return "<resource>"
        case _:
            return "<content>"


async def interactive_loop(session: v1.ClientSession) -> None:
    """Send each console line as a prompt."""
    while True:
        try:
            line = await asyncio.to_thread(input, "> ")
        except EOFError:
            return
        if line:
            try:
                async with session.prompt(line):
                    pass
            except Exception as error:
                logging.error("Prompt failed: %s", error)


async def main(program: str, *args: str) -> None:
    is_script = os.path.exists(program) and not os.access(program, os.X_OK)
    command = [sys.executable, str(Path(program)), *args] if is_script else [program, *args]
    async with connect_stdio(command, ExampleClient) as peer:
        await peer.initialize()
        session = await v1.ClientSession.create(peer, cwd=os.getcwd(), mcp_servers=[])
        await interactive_loop(session)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    if len(sys.argv) < 2:
        print("Usage: python examples/client.py AGENT_PROGRAM [ARGS...]", file=sys.stderr)
        raise SystemExit(2)
    asyncio.run(main(*sys.argv[1:]))
