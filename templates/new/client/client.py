"""my-client: a terminal client for agents that use protocol 1 or 2. It requires POSIX."""

import asyncio
import sys
from pathlib import Path

from acp_bindings import v2
from acp_bindings.runtime.aio import Peer, connect_stdio
from acp_bindings.v2 import kit


class Client(v2.SessionClient):
    info = v2.Implementation(name="my-client", version="0.1.0")

    def __init__(self, keys: asyncio.StreamReader) -> None:
        super().__init__()
        self.keys = keys
        self.permissions = kit.Permissions(ask=self.choose)

    async def choose(self, question: kit.Question) -> str | None:
        """Return the id of the option that the user selects, or None to refuse."""
        show(question.title)
        choices = {str(number): option for number, option in enumerate(question.options, 1)}
        for number, option in choices.items():
            show(f"  {number}  {option.name}")
        chosen = choices.get(await read(self.keys, "Choose: "))
        return chosen.id if chosen else None

    async def converse(self, peer: Peer) -> None:
        """Send each line of input as a prompt and show the response, until a line is empty."""
        await peer.initialize()
        session = await v2.ClientSession.create(peer, cwd=str(Path.cwd()))
        while text := await read(self.keys, "> "):
            async with session.prompt(text) as turn:
                async for update in turn:
                    match update:
                        case v2.AgentMessageChunk(content=v2.TextContent(text=said)):
                            show(said)
                        case v2.ToolCallUpdate(tool_call_id=call_id):
                            call = session.state.tool_calls[
                                call_id
                            ]  # the combined updates of the tool call
                            show(f"{call.title or call_id}: {call.status or 'called'}")
                        case _:
                            pass  # ignore other types, including future ones
            show(f"[{turn.stop_reason}]")


async def read(keys: asyncio.StreamReader, question: str) -> str:
    print(question, end="", flush=True)
    return (await keys.readline()).decode().strip()


def show(text: str) -> None:
    """Print text without control characters."""
    print("".join(character for character in text if character.isprintable() or character == "\n"))


async def main(command: list[str]) -> None:
    client = Client(asyncio.StreamReader())
    typed = asyncio.StreamReaderProtocol(client.keys)
    await asyncio.get_running_loop().connect_read_pipe(lambda: typed, sys.stdin)
    async with connect_stdio(command, client, bridge=True) as peer:
        await client.converse(peer)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
