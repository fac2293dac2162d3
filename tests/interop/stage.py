"""The agent side of the test conversation: the reaction of every agent to each message.

Each agent uses one library and provides a `Stage`. `peers/stage.mjs` implements the same
reactions for the JavaScript agents.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any, Protocol

from .conversation import REFUSAL, describe_error, digest

AGENT = "interop-agent"
SESSION = "session-1"
OPTIONS = [
    {"optionId": "allow", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
]
PLAN = [
    {"content": "Read", "priority": "high", "status": "completed"},
    {"content": "Write", "priority": "low", "status": "pending"},
]


def initialized(version: int) -> dict[str, Any]:
    info = {"name": AGENT, "version": "1.0.0"}
    if version == 1:
        able = {"loadSession": False, "promptCapabilities": {"embeddedContext": True}}
        about = {"agentInfo": info, "agentCapabilities": able, "authMethods": []}
    else:
        about = {"info": info, "capabilities": {"session": {"prompt": {"embeddedContext": {}}}}}
    return {"protocolVersion": version, **about}


def chunk(version: int, kind: str, text: str) -> dict[str, Any]:
    update = {"sessionUpdate": f"agent_{kind}_chunk", "content": {"type": "text", "text": text}}
    return update if version == 1 else {**update, "messageId": f"{kind}-1"}


def updates(version: int, plan_id: str = "plan-1") -> list[dict[str, Any]]:
    plan = {"type": "items", "planId": plan_id, "entries": PLAN}
    return [
        chunk(version, "thought", "Let me see."),
        chunk(version, "message", "Hello, "),
        chunk(version, "message", "wörld \U0001f44b\u2028"),
        {
            "sessionUpdate": "tool_call" if version == 1 else "tool_call_update",
            "toolCallId": "call-1",
            "title": "Reading",
            "kind": "read",
            "status": "pending",
            "rawInput": {"path": "main.py", "lines": [1, 2.5]},
            "_meta": {"interop": True},
        },
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": "call-1",
            "status": "completed",
            "content": [{"type": "content", "content": {"type": "text", "text": "42 lines"}}],
        },
        (
            {"sessionUpdate": "plan", "entries": PLAN}
            if version == 1
            else {"sessionUpdate": "plan_update", "plan": plan}
        ),
    ]


RUNNING = {"sessionUpdate": "state_update", "state": "running"}
IDLE = {"sessionUpdate": "state_update", "state": "idle"}


class Stage(Protocol):
    """The interface to a library's agent. Params and results are decoded JSON."""

    # The exception that handlers raise to send an error response.
    error: type[Any]
    version: int

    async def update(self, update: Any) -> None: ...
    async def ask(self, params: Any) -> Any: ...
    async def request(self, method: str, params: Any) -> Any: ...
    async def notify(self, method: str, params: Any) -> None: ...


class Acting:
    """The behavior and the state of one agent."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.cancelled = asyncio.Event()
        self._released = asyncio.Event()
        self._asked = asyncio.Event()
        self._noted = asyncio.Event()
        self._notes: list[Any] = []
        self._work: list[asyncio.Task[None]] = []

    async def prompt(self, texts: list[str]) -> dict[str, str]:
        if texts[0] == "fail":
            raise self.stage.error(*REFUSAL)
        if self.stage.version == 1:
            return {"stopReason": await self._perform(texts)}
        # In protocol 2, the response only confirms the prompt. The turn continues afterwards.
        self._work.append(asyncio.create_task(self._perform_between_states(texts)))
        return {"messageId": f"prompt-{len(self._work)}"}

    async def _perform(self, texts: list[str]) -> str:
        return (await getattr(self, f"_{texts[0]}")(*texts[1:])) or "end_turn"

    async def _perform_between_states(self, texts: list[str]) -> None:
        await self.stage.update(RUNNING)
        stop = await self._perform(texts)
        await self.stage.update({**IDLE, "stopReason": stop})

    async def extension_request(self, method: str, params: Any) -> Any:
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
        if params == {"text": "asked"}:
            self._asked.set()
        else:
            self._notes.append(params)
            self._noted.set()

    async def _say(self, text: str) -> None:
        await self.stage.update(chunk(self.stage.version, "message", text))

    async def _ask(self, title: str, tool_call: str) -> str:
        call = {"toolCallId": tool_call, "title": title}
        params: dict[str, Any] = {"sessionId": SESSION, "options": OPTIONS}
        if self.stage.version == 1:
            params["toolCall"] = call
        else:
            params |= {"title": title, "subject": {"type": "tool_call", "toolCall": call}}
        answer = await self.stage.ask(params)
        chosen: str = answer["outcome"]["optionId"]
        return chosen

    # --- prompts, by their first text ------------------------------------------------------------

    async def _updates(self) -> None:
        for update in updates(self.stage.version):
            await self.stage.update(update)

    async def _permission(self) -> None:
        await self._say(await self._ask("Write the file?", "call-allowed"))

    async def _extensions(self) -> None:
        result = await self.stage.request("_interop/echo", {"number": 7, "null": None})
        await self.stage.notify("_interop/note", {"text": "from the agent"})
        await self._say(json.dumps(result))

    async def _unknown(self) -> None:
        try:
            result = await self.stage.request("no/such_method", {})
        except self.stage.error as error:
            result = error.code
        await self._say(str(result))

    async def _refused(self) -> None:
        try:
            answer: Any = await self._ask("Write it all the same?", "call-refused")
        except self.stage.error as error:
            answer = describe_error(error)
        await self._say(json.dumps(answer))

    async def _wait(self) -> str:
        await self._say("waiting")
        await self.cancelled.wait()
        return "cancelled"

    async def _withdraw(self) -> None:
        asking = asyncio.create_task(self._ask("Never mind?", "call-withdrawn"))
        await self._asked.wait()
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asking
        await self._say("withdrawn")

    async def _many(self) -> None:
        for number in range(1000):
            await self._say(str(number))

    async def _big(self, text: str) -> None:
        await self._say(digest(text))
        await self._say(text)
