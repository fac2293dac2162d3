"""A coding agent: tools, permissions, modes, slash commands, and sessions that survive a restart.

It speaks protocol 2, and protocol 1 through the bridge. Words take the place of a model: it obeys
`run COMMAND` and `write FILE TEXT`, with or without a slash.
"""

import asyncio
import logging
import os

from acp_bindings import v2
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import serve_stdio
from acp_bindings.v2 import kit

MODES = {"ask": "Ask before each tool", "auto": "Use tools without asking"}
COMMANDS = {
    "run": ("Run a command in a shell.", "COMMAND"),
    "write": ("Write a line of text to a file.", "FILE TEXT"),
}


def mode_option(mode: str) -> v2.SelectSessionConfigOption:
    options = [v2.SessionConfigSelectOption(value=id_, name=name) for id_, name in MODES.items()]
    return v2.SelectSessionConfigOption(
        config_id="mode", name="Mode", category="mode", current_value=mode, options=options
    )


class Coder(kit.StoredAgent):
    info = v2.Implementation(name="coder", version="1.0")
    store = kit.SessionStore(os.environ.get("CODER_SESSIONS", "~/.local/state/coder"))

    async def session_new(self, params: v2.NewSessionRequest) -> v2.NewSessionResponse:
        response = await super().session_new(params)
        commands = [
            v2.Command(name=name, description=text, input=v2.TextCommandInput(hint=hint))
            for name, (text, hint) in COMMANDS.items()
        ]
        await self.session(response.session_id).available_commands(available_commands=commands)
        response.config_options = [mode_option("ask")]
        return response

    async def session_set_config_option(
        self, params: v2.SetSessionConfigOptionRequest
    ) -> v2.SetSessionConfigOptionResponse:
        match params:
            case v2.IdSetSessionConfigOptionRequest(config_id="mode", value=mode) if mode in MODES:
                return v2.SetSessionConfigOptionResponse(config_options=[mode_option(mode)])
            case _:
                raise RequestError.invalid_params(message="unknown option or value")

    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        texts = [block.text for block in params.prompt if isinstance(block, v2.TextContent)]
        words = " ".join(texts).removeprefix("/").split(maxsplit=2)
        settings = session.state.config_options  # saved, as all of the state is
        must_ask = settings is None or mode_option("auto") not in settings.config_options
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
