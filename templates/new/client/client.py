"""my-client: a terminal client for agents that use protocol 1 or 2. It requires POSIX."""

import asyncio
import sys
from pathlib import Path

from acp_bindings import v2
from acp_bindings.runtime.aio import Peer, connect_stdio
from acp_bindings.runtime.session import Change, Message
from acp_bindings.v2 import kit


class Client(v2.SessionClient):
    info = v2.Implementation(name="my-client", version="0.1.0")

    def __init__(self, keys: asyncio.StreamReader) -> None:
        super().__init__()
        self.keys = keys
        self.permissions = kit.Permissions(ask=self.choose)
        self.shown: dict[object, str] = {}  # the printed text of each entry
        self.last: object = None  # the entry that was printed last

    async def choose(self, question: kit.Question) -> str | None:
        """Return the id of the option that the user selects, or None to reject."""
        parts = getattr(question.tool_call, "content", None) or []
        patches = [part.patch.text for part in parts if isinstance(part, v2.Diff) and part.patch]
        names = [f"  {number}  {option.name}" for number, option in enumerate(question.options, 1)]
        lines = [*patches, question.title, question.command_line or "", *names]
        ids = {"": None} | {str(n): option.id for n, option in enumerate(question.options, 1)}
        answer = await self.read("\n".join([*filter(None, lines), "Choose (empty to reject): "]))
        return ids[answer] if answer in ids else await self.choose(question)  # ask again

    async def converse(self, peer: Peer) -> None:
        """Send each line of input as a prompt until a line is empty."""
        await peer.initialize()
        session = await v2.ClientSession.create(peer, cwd=str(Path.cwd()))
        session.state.subscribe(self.draw)
        while text := await self.read("Prompt (empty to exit): "):
            async with session.prompt(text) as turn:
                await turn.wait()
            show(f"[{turn.stop_reason}]")

    def draw(self, change: Change) -> None:
        """Show the new text of a changed message, tool call or plan."""
        text = ""  # for other types, including future ones
        match change.entry:
            case Message(role="agent" | "thought" as role):
                text = f"{role}: {change.entry.text}"
            case v2.ToolCallUpdate(title=title, status=status):
                text = f"{title or change.key}: {status}"
            case v2.PlanUpdate(plan=v2.PlanItems(entries=steps)):
                text = "\n".join(f"{step.content}: {step.status}" for step in steps)
        if new := text.removeprefix(self.shown.get(change.key, "")):
            show(new, "" if change.key == self.last and new != text else "\n")
            self.shown[change.key], self.last = text, change.key

    async def read(self, question: str) -> str:
        show(question)
        return (await self.keys.readline()).decode().strip()


def show(text: str, start: str = "\n") -> None:
    """Print text without control characters."""
    print(start + "".join(c for c in text if c.isprintable() or c == "\n"), end="", flush=True)


async def main(command: list[str]) -> None:
    client = Client(asyncio.StreamReader())
    typed = asyncio.StreamReaderProtocol(client.keys)
    await asyncio.get_running_loop().connect_read_pipe(lambda: typed, sys.stdin)
    async with connect_stdio(command, client, bridge=True) as peer:
        await client.converse(peer)


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)  # the usual status after Ctrl-C
