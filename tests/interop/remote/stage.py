"""The agent side of the remote test conversation: every agent's reaction to each prompt.

Each agent uses one library and provides a `Stage`. `../peers/remote_agent.mjs` implements the same
reactions for the JavaScript agent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from ..conversation import digest
from .conversation import DOWN, MODE, ODD, RESUMED, STORED

AGENT = "remote-agent"
MODES = ("read", "write")
TALK = ["Hello, ", f"wörld {ODD}", *map(str, range(20))]
OPTIONS = [
    {"optionId": f"allow{ODD}", "name": f"Allow{ODD}", "kind": "allow_once"},
    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
]
TITLE = f"Write the file?{ODD}"
# The role and the text of each message in the stored session.
HISTORY = [
    ["user", f"What is it?{ODD}"],
    *[["agent", f"It is {number}.{ODD}"] for number in range(30)],
]


class Stage(Protocol):
    """The interface to a library's agent. Params and results are decoded JSON."""

    version: int

    async def update(self, session_id: str, update: Any) -> None: ...
    async def ask(self, params: Any) -> Any: ...


class Session:
    def __init__(self, session_id: str) -> None:
        self.id = session_id
        self.mode = MODES[0]
        self.cancelled = asyncio.Event()


class Acting:
    """The behavior and the state of the agent on one connection."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._sessions: dict[str, Session] = {}
        self._meeting = 0
        self._met = asyncio.Event()
        self._work: list[asyncio.Task[None]] = []

    # --- messages from the client ------------------------------------------------------------

    def initialize(self) -> dict[str, Any]:
        info = {"name": AGENT, "version": "1.0.0"}
        if self._stage.version == 1:
            able: dict[str, Any] = {"loadSession": True, "sessionCapabilities": {"resume": {}}}
            return {"protocolVersion": 1, "agentInfo": info, "agentCapabilities": able}
        return {"protocolVersion": 2, "info": info, "capabilities": {"session": {}}}

    def new(self) -> dict[str, Any]:
        session = self._open(f"session-{len(self._sessions) + 1}")
        return {"sessionId": session.id, **self._modes(session)}

    async def load(self, session_id: str) -> dict[str, Any]:
        """Load the stored session or resume the other session, and return the response."""
        session = self._open(session_id)
        messages = {STORED: HISTORY, RESUMED: []}[session_id]
        for number, (role, text) in enumerate(messages):
            await self._say(session, text, role, str(number))
        if self._stage.version == 2:
            await self._stage.update(session_id, {"sessionUpdate": "state_update", "state": "idle"})
        return self._modes(session)

    def set_mode(self, session_id: str, mode: str) -> dict[str, Any]:
        session = self._sessions[session_id]
        session.mode = mode
        return {} if self._stage.version == 1 else self._modes(session)

    def cancel(self, session_id: str) -> None:
        self._sessions[session_id].cancelled.set()

    async def prompt(self, session_id: str, texts: list[str]) -> dict[str, Any]:
        session = self._sessions[session_id]
        if self._stage.version == 1:
            return {"stopReason": await self._perform(session, texts)}
        # In protocol 2, the response only confirms the prompt. The turn continues afterwards.
        message_id = f"prompt-{len(self._work)}"
        self._work.append(asyncio.create_task(self._report(session, texts, message_id)))
        return {"messageId": message_id}

    # --- actions -----------------------------------------------------------------------------

    def _open(self, session_id: str) -> Session:
        return self._sessions.setdefault(session_id, Session(session_id))

    def _modes(self, session: Session) -> dict[str, Any]:
        if self._stage.version == 1:
            available = [{"id": each, "name": each} for each in MODES]
            return {"modes": {"currentModeId": session.mode, "availableModes": available}}
        option = {
            "configId": "the-mode",
            "name": "Mode",
            "category": MODE,
            "type": "select",
            "currentValue": session.mode,
            "options": [{"value": each, "name": each} for each in MODES],
        }
        return {"configOptions": [option]}

    async def _report(self, session: Session, texts: list[str], message_id: str) -> None:
        blocks = [{"type": "text", "text": text} for text in texts]
        echo = {"sessionUpdate": "user_message", "messageId": message_id, "content": blocks}
        state = {"sessionUpdate": "state_update"}
        await self._stage.update(session.id, echo)
        await self._stage.update(session.id, {**state, "state": "running"})
        stop = await self._perform(session, texts)
        await self._stage.update(session.id, {**state, "state": "idle", "stopReason": stop})

    async def _perform(self, session: Session, texts: list[str]) -> str:
        act: Callable[..., Any] = getattr(self, f"_{texts[0]}")
        stop: str | None = await act(session, *texts[1:])
        return stop or "end_turn"

    async def _say(
        self, session: Session, text: str, role: str = "agent", message: str = "m"
    ) -> None:
        content = {"type": "text", "text": text}
        update: dict[str, Any] = {"sessionUpdate": f"{role}_message_chunk", "content": content}
        if self._stage.version == 2:
            update["messageId"] = f"message-{message}"
        await self._stage.update(session.id, update)

    async def _talk(self, session: Session) -> None:
        for text in TALK:
            await self._say(session, text)

    async def _permission(self, session: Session) -> None:
        call = {"toolCallId": "call-1", "title": TITLE}
        params: dict[str, Any] = {"sessionId": session.id, "options": OPTIONS}
        if self._stage.version == 1:
            params["toolCall"] = call
        else:
            params |= {"title": TITLE, "subject": {"type": "tool_call", "toolCall": call}}
        answer = await self._stage.ask(params)
        await self._say(session, answer["outcome"]["optionId"])

    async def _mode(self, session: Session) -> None:
        await self._say(session, session.mode)

    async def _wait(self, session: Session) -> str:
        await self._say(session, "waiting")
        await session.cancelled.wait()
        return "cancelled"

    async def _meet(self, session: Session) -> None:
        self._meeting += 1
        if self._meeting == 2:
            self._met.set()
        await self._met.wait()
        await self._say(session, f"I am {session.id}")

    async def _up(self, session: Session, text: str) -> None:
        await self._say(session, digest(text))

    async def _down(self, session: Session) -> None:
        await self._say(session, DOWN)
