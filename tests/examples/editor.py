"""An editor in the terminal, for protocols 1 and 2: `python editor.py AGENT [ARGUMENT...]`.

Each line of its input is a prompt, or the answer to a question. Ctrl-C cancels what the agent does,
and leaves if nothing is left to cancel.
"""

import argparse
import asyncio
import signal
import sys
from asyncio.subprocess import PIPE
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path

from acp_bindings import v1, v2
from acp_bindings.runtime import CapabilityError, ConnectionClosed, RequestError, VersionMismatch
from acp_bindings.runtime.aio import Peer, connect_stdio
from acp_bindings.v1 import kit
from screen import Screen, Session


class ClientV1(kit.WorkspaceMethods, v1.SessionClient):
    """Shows updates, asks the user, and offers the files in the working folder."""

    info = v1.Implementation(name="editor", version="1.0")
    workspace = kit.Workspace(Path.cwd(), terminals=False)

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self.screen = screen
        self.permissions = kit.Permissions(ask=screen.choose)

    async def session_update(self, params: v1.SessionNotification) -> None:
        self.screen.show(params.update, self.session_for(params.session_id))


class ClientV2(v2.SessionClient):
    """Shows updates, and asks the user."""

    info = v2.Implementation(name="editor", version="1.0")

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self.screen = screen
        self.permissions = kit.Permissions(ask=screen.choose)

    async def session_update(self, params: v2.UpdateSessionNotification) -> None:
        self.screen.show(params.update, self.session_for(params.session_id))


class Editor:
    """A conversation with an agent, from the start of a session to the end of the input."""

    def __init__(self, connection: AbstractAsyncContextManager[Peer], screen: Screen) -> None:
        self.connection = connection
        self.screen = screen
        self.session: Session | None = None

    async def run(self, load: str | None = None) -> int:
        """Return the exit status.

        Args:
            load: the id of a session to load; by default, a new one is opened.
        """
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self.interrupt, task)
        is_done = True
        try:
            async with self.connection as peer:
                await peer.initialize()
                self.session = session = await open_session(peer, load)
                self.screen.print(f"Session {session.session_id}", "dim")
                while (text := await self.screen.ask(">")) is not None:
                    is_done = not text or await self.prompt(session, text)
        except (OSError, RequestError, CapabilityError, VersionMismatch) as error:
            self.screen.print(f"The agent has failed: {error}", "red")
            return 1
        except asyncio.CancelledError:  # by Ctrl-C
            return 130
        return 0 if is_done else 1

    def interrupt(self, task: asyncio.Task[int]) -> None:
        session = self.session
        if session is None or all(turn.is_cancelled for turn in session.turns):
            task.cancel()
        else:
            with suppress(ConnectionClosed):  # then the turn ends anyway
                session.send_cancel()

    async def prompt(self, session: Session, text: str) -> bool:
        """Send a prompt, and wait for the end of its turn. Return whether it has succeeded."""
        self.screen.is_prompting = True
        try:
            async with session.prompt(text) as turn:
                pass  # the handlers of updates print them
        except RequestError as error:
            self.screen.print(f"The turn has failed: {error}", "red")
            return False
        finally:
            self.screen.is_prompting = False
            self.screen.show_calls(session)
        usage = f", {turn.usage.used} of {turn.usage.size} tokens" if turn.usage else ""
        self.screen.print(f"[{turn.stop_reason}{usage}]", "dim")
        if isinstance(turn.ending, v2.ErrorIdleStateUpdate) and turn.ending.error:
            self.screen.print(f"The turn has failed: {turn.ending.error.message}", "red")
        return turn.stop_reason != "error"


async def open_session(peer: Peer, load: str | None) -> Session:
    cwd = str(Path.cwd())
    if peer.surface is v1:
        if load is None:
            return await v1.ClientSession.create(peer, cwd=cwd, mcp_servers=[])
        return await v1.ClientSession.load(peer, session_id=load, cwd=cwd, mcp_servers=[])
    if load is None:
        return await v2.ClientSession.create(peer, cwd=cwd)
    start = v2.ReplayFromStart()
    return await v2.ClientSession.resume(peer, session_id=load, cwd=cwd, replay_from=start)


async def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--load", metavar="SESSION", help="go on with a session")
    parser.add_argument(
        "--protocol", type=int, default=2, choices=(1, 2), help="speak at most this"
    )
    parser.add_argument("agent", help="the program of the agent")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args()
    command = [options.agent, *options.arguments]
    screen = Screen()
    clients = [ClientV1(screen), ClientV2(screen)][: options.protocol]
    agent = connect_stdio(command, *clients, stderr=PIPE)
    return await Editor(agent, screen).run(options.load)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
