"""The work that tests give to the turns of an agent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from package.session.scripted import Json, Script, text

Turn = Callable[[Any, Any], Coroutine[Any, Any, str | None]]


async def nothing(session: Any, params: Any) -> str | None:
    """Work that ends at once."""
    return None


def returning(value: str | None) -> Turn:
    """Work that returns this."""

    async def turn(session: Any, params: Any) -> str | None:
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

    async def __call__(self, session: Any, params: Any) -> str | None:
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
