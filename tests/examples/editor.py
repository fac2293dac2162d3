"""An editor in the terminal, for protocols 1 and 2.

Usage: `python editor.py AGENT [ARGUMENT...]`. Each input line is a prompt, or the answer to a
question. Ctrl-C cancels the current turn. Between turns, Ctrl-C exits.
"""

import argparse
import asyncio
import os
import signal
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any, TypeAlias

from acp_bindings import v1, v2
from acp_bindings.runtime import CapabilityError, ConnectionClosed, RequestError, VersionMismatch
from acp_bindings.v1 import kit as kit_v1
from acp_bindings.v2 import kit
from screen import Screen, Session

Link: TypeAlias = kit_v1.Link[v1.ClientSession] | kit.Link[v2.ClientSession]


class ClientV1(v1.SessionClient):
    info = v1.Implementation(name="editor", version="1.0")


class ClientV2(v2.SessionClient):
    info = v2.Implementation(name="editor", version="1.0")


async def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--load", metavar="SESSION", help="continue this session")
    parser.add_argument(
        "--protocol", type=int, default=2, choices=(1, 2), help="newest version to use"
    )
    parser.add_argument("agent", help="the agent program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args()
    command = [options.agent, *options.arguments]
    screen = Screen()
    arguments: dict[str, Any] = {
        "workspace": kit.Workspace(terminals=False),
        "permissions": kit.Permissions(ask=screen.choose),
        "restart": kit.RestartPolicy(limit=0),
        "env": os.environ,
    }
    launched: AbstractAsyncContextManager[Link] = (
        kit_v1.launch(command, ClientV1, **arguments)
        if options.protocol == 1
        else kit.launch(command, ClientV2, **arguments)
    )
    try:
        async with launched as link:
            return await converse(await open_session(link, options.load), screen)
    except (OSError, RequestError, CapabilityError, VersionMismatch) as error:
        screen.print(f"The agent failed: {error}", "red")
        return 1
    except asyncio.CancelledError:  # by Ctrl-C
        return 130


async def open_session(link: Link, load: str | None) -> Session:
    if load is None:
        return await link.open(cwd=os.getcwd(), mcp_servers=[])
    if isinstance(link, kit_v1.Link):
        return await link.load(session_id=load, cwd=os.getcwd(), mcp_servers=[])
    return await link.resume(session_id=load, cwd=os.getcwd(), replay_from=v2.ReplayFromStart())


async def converse(session: Session, screen: Screen) -> int:
    """Send each input line as a prompt, and return the exit status."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    loop.add_signal_handler(signal.SIGINT, interrupt, session, task)
    status = 0
    with screen.following(session):
        while (text := await screen.ask(">")) is not None:
            try:
                if text:
                    async with session.prompt(text) as turn:
                        pass  # the screen prints the updates
                    status = screen.show_end(turn)
            except RequestError as error:
                screen.print(f"The turn failed: {error}", "red")
                status = 1
    return status


def interrupt(session: Session, task: "asyncio.Task[Any] | None") -> None:
    if all(turn.is_cancelled for turn in session.turns):
        if task is not None:
            task.cancel()
    else:
        with suppress(ConnectionClosed):  # a closed connection also ends the turn
            session.send_cancel()


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
