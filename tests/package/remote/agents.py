"""Agents for the tests of remote connections."""

from __future__ import annotations

from typing import Any

from acp_bindings import v1, v2


class Echo(v2.SessionAgent):
    """An agent that echoes prompts, except for commands, which begin with `*`."""

    async def turn(self, session: Any, params: Any) -> None:
        text = params.prompt[0].text
        command, _, rest = text.partition(" ")
        if command == "*flood":  # send `rest` bytes in messages of 1,000 bytes
            for _ in range(int(rest) // 1000):
                await session.say("x" * 1000)
        elif command == "*big":
            await session.say("x" * int(rest))
        elif command == "*user":
            await session.say(repr(self.peer.user))
        else:
            await session.say(text)


class Loading(v1.SessionAgent):
    """An agent that echoes prompts and loads any session by replaying three messages."""

    async def turn(self, session: Any, params: Any) -> None:
        await session.say(params.prompt[0].text)

    async def session_load(self, params: Any) -> Any:
        session = self.open(params.session_id)
        for text in ("one", "two", "three"):
            await session.say(text)
        return v1.LoadSessionResponse()
