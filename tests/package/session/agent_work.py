"""Agents in tests: the work of their turns, and what their clients do again and again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from acp_bindings.runtime.aio import memory_streams, serve
from package.jsonrpc.wire import ask
from package.session.scripted import (
    CANCEL,
    Json,
    Script,
    Version,
    begun,
    ended,
    prompt,
    settle,
    text,
)

Turn = Callable[[Any, Any], Coroutine[Any, Any, Any]]


# --- work ------------------------------------------------------------------------------------


async def nothing(session: Any, params: Any) -> None:
    """Work that ends at once."""


def returning(value: Any) -> Turn:
    """Work that returns this."""

    async def turn(session: Any, params: Any) -> Any:
        return value

    return turn


def raising(error: BaseException) -> Turn:
    """Work that raises this."""

    async def turn(session: Any, params: Any) -> str | None:
        raise error

    return turn


class Waiting:
    """Work that waits until it is cancelled, and then does something else.

    Attributes:
        begun: the texts of the prompts that were begun.
        cancelled: those whose work was cancelled.
    """

    def __init__(self, then: Turn | None = None) -> None:
        self.begun: list[str] = []
        self.cancelled: list[str] = []
        self._then = then

    async def __call__(self, session: Any, params: Any) -> Any:
        words = params.prompt[0].text
        self.begun.append(words)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.append(words)
            if self._then is None:
                raise
            return await self._then(session, params)
        return None


# --- the client ------------------------------------------------------------------------------


@asynccontextmanager
async def serving(version: Version, agent: Any) -> AsyncGenerator[Script]:
    """An agent, and the script of its client, which need not read everything."""
    near, far = memory_streams()
    script, running = Script(near), asyncio.create_task(serve(far, agent, linger=0))
    await script.initialize(version.number)
    yield script
    await script.close()
    await running
    await script.rest()


async def answer_of(script: Script, method: str, **params: Any) -> Any:
    """What a request is answered with: its result, or its error."""
    script.write(ask("q", f"session/{method}", **params))
    message = await script.read()
    assert message.pop("id") == "q"
    return message.get("result", message.get("error"))


async def begin(version: Version, script: Script, id_: Any = 1, *words: str) -> str:
    """Start a turn, and let its work run until it waits. Return the id of the user's message."""
    script.write(prompt(id_, *words))
    message_id = await begun(version, script, id_, *words)
    await settle()
    return message_id


async def whole_turn(version: Version, script: Script, id_: Any = 1) -> None:
    """Start a turn that says nothing, and read its end."""
    await begin(version, script, id_)
    await ended(version, script, id_)


async def cancelled(version: Version, script: Script, id_: Any = 1) -> None:
    """Cancel the turn of a prompt, and read its end."""
    script.write(CANCEL)
    await ended(version, script, id_, "cancelled")


def message(words: str) -> Json:
    """An update with a chunk of the agent's answer, without its id."""
    return {"sessionUpdate": "agent_message_chunk", "content": text(words)}


async def said(script: Script) -> str:
    """Read an update with a chunk of the agent's answer. Return its text."""
    (found,) = await script.updates(1)
    found.pop("messageId", None)
    words: str = found["content"]["text"]
    assert found == message(words)
    return words
