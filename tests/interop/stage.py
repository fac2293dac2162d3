"""The agent's side of the conversation: the reaction of every agent to each prompt and extension.

Each agent is written with one library; its `Stage` says how each thing is done there. The agents in
JavaScript do the same in `peers/stage.mjs`.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any, Protocol

from .conversation import REFUSAL, describe_error, digest

AGENT = "interop-agent"
SESSION = "session-1"
# (id, name, kind) of each option in a request for permission.
OPTIONS = [("allow", "Allow once", "allow_once"), ("reject", "Reject", "reject_once")]
PLAN = [("Read", "high", "completed"), ("Write", "low", "pending")]


class Stage(Protocol):
    """The agent of one library and protocol version, as prompts need it.

    Attributes:
        error: the exception that an error response raises, and that a handler raises to send one.
    """

    error: type[Any]

    async def think(self, text: str) -> None:
        """Send a thought."""

    async def say(self, text: str) -> None:
        """Send a message."""

    async def start_tool(self) -> None:
        """Send a first update on the tool call `call-1`."""

    async def finish_tool(self) -> None:
        """Send a second update, which completes it."""

    async def plan(self) -> None:
        """Send a plan."""

    async def ask(self, title: str, tool_call: str) -> str:
        """Ask for permission for a tool call. Return the selected option."""

    async def request(self, method: str, params: Any) -> Any:
        """Send a request whose method is not in the schema."""

    async def notify(self, method: str, params: Any) -> None:
        """Send a notification whose method is not in the schema."""


class Acting:
    """The actions and the memory of one agent."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.cancelled = asyncio.Event()
        self._released = asyncio.Event()
        self._asked = asyncio.Event()
        self._noted = asyncio.Event()
        self._notes: list[Any] = []

    def check(self, texts: list[str]) -> None:
        """Raise the error that answers the prompt `fail`."""
        if texts[0] == "fail":
            raise self.stage.error(*REFUSAL)

    async def perform(self, texts: list[str]) -> str:
        """Do what a prompt asks for. Return the stop reason."""
        act = getattr(self, f"_{texts[0]}")
        return (await act(*texts[1:])) or "end_turn"

    async def extension_request(self, method: str, params: Any) -> Any:
        """Answer an extension request."""
        match method:
            case "_interop/echo":
                return {"echo": params}
            case "_interop/notes":
                # Some libraries handle a notification after the request that follows it.
                await self._noted.wait()
                return {"notes": self._notes}
            case "_interop/wait":
                await self.stage.notify("_interop/note", {"text": "waiting"})
                await self._released.wait()
                return {"released": True}
            case "_interop/release":
                self._released.set()
                return {}
        raise self.stage.error(-32601, f"method not found: {method}")

    async def extension_notification(self, method: str, params: Any) -> None:
        """Handle an extension notification."""
        if params == {"text": "asked"}:
            self._asked.set()
        else:
            self._notes.append(params)
            self._noted.set()

    # --- prompts, by their first text ------------------------------------------------------------

    async def _updates(self) -> None:
        await self.stage.think("Let me see.")
        await self.stage.say("Hello, ")
        await self.stage.say("wörld \U0001f44b\u2028")
        await self.stage.start_tool()
        await self.stage.finish_tool()
        await self.stage.plan()

    async def _permission(self) -> None:
        option = await self.stage.ask("Write the file?", "call-allowed")
        await self.stage.say(option)

    async def _extensions(self) -> None:
        result = await self.stage.request("_interop/echo", {"number": 7, "null": None})
        await self.stage.notify("_interop/note", {"text": "from the agent"})
        await self.stage.say(json.dumps(result))

    async def _unknown(self) -> None:
        try:
            result = await self.stage.request("no/such_method", {})
        except self.stage.error as error:
            result = error.code
        await self.stage.say(str(result))

    async def _refused(self) -> None:
        try:
            answer: Any = await self.stage.ask("Write it all the same?", "call-refused")
        except self.stage.error as error:
            answer = describe_error(error)
        await self.stage.say(json.dumps(answer))

    async def _wait(self) -> str:
        await self.stage.say("waiting")
        await self.cancelled.wait()
        return "cancelled"

    async def _withdraw(self) -> None:
        asking = asyncio.create_task(self.stage.ask("Never mind?", "call-withdrawn"))
        await self._asked.wait()
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asking
        await self.stage.say("withdrawn")

    async def _many(self) -> None:
        for number in range(1000):
            await self.stage.say(str(number))

    async def _big(self, text: str) -> None:
        await self.stage.say(digest(text))
        await self.stage.say(text)
