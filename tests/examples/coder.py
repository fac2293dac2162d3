"""A coding agent: tools, permissions, modes, slash commands, and sessions that survive a restart.

It supports protocol 2, and protocol 1 through the bridge. Instead of using a model, it obeys the
commands `run COMMAND` and `write FILE TEXT`, with or without a slash.
"""

import asyncio
import logging
import os

from acp_bindings import v2
from acp_bindings.runtime.aio import serve_stdio
from acp_bindings.v2 import kit

COMMANDS = [
    v2.Command(name=name, description=text, input=v2.TextCommandInput(hint=hint))
    for name, text, hint in (
        ("run", "Run a command in a shell.", "COMMAND"),
        ("write", "Write a line of text to a file.", "FILE TEXT"),
    )
]
MODE = v2.SelectSessionConfigOption(
    config_id="mode",
    name="Mode",
    category="mode",
    current_value="ask",
    options=[
        v2.SessionConfigSelectOption(value="ask", name="Ask before each tool"),
        v2.SessionConfigSelectOption(value="auto", name="Use tools without asking"),
    ],
)


class Coder(kit.StoredAgent):
    info = v2.Implementation(name="coder", version="1.0")
    store = kit.SessionStore(os.environ.get("CODER_SESSIONS", "~/.local/state/coder"))
    available_commands = COMMANDS
    config_options = (MODE,)

    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        texts = [block.text for block in params.prompt if isinstance(block, v2.TextContent)]
        words = " ".join(texts).removeprefix("/").split(maxsplit=2)
        must_ask = session.option("mode") != "auto"
        match words:
            case ["run", _, *_]:
                command = " ".join(words[1:])
                async with session.tool(command, kind="execute") as tool:
                    await tool.run(["sh", "-c", command], ask=must_ask)
                await session.say(tool.result)
            case ["write", name, text]:
                async with session.tool(f"Write {name}", kind="edit") as tool:
                    await tool.write(name, text + "\n", ask=must_ask)
                await session.say(tool.result)
            case _:
                await session.say("I understand `/run COMMAND` and `/write FILE TEXT`.")


if __name__ == "__main__":
    logging.basicConfig()  # to standard error
    asyncio.run(serve_stdio(Coder, bridge=True))
