"""The client side of the remote test conversation: the steps that every client performs.

Each client uses one library and provides a `Talk`. The results of all steps form a report.
`../peers/remote_client.mjs` contains the same steps for the JavaScript client. The agent side is in
`stage.py` and `../peers/remote_agent.mjs`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from ..conversation import CWD, Changing, digest

CLIENT = "remote-client"
# The ids of two stored sessions: agents load one and replay its messages, and resume the other
# without a replay.
STORED, RESUMED = "stored", "resumed"
# Protocol 1 has session modes. Protocol 2 has a config option of this category.
MODE = "mode"
# A line separator, and a character outside the Basic Multilingual Plane. A reader that decodes the
# data before splitting it into lines would split messages at the line separator.
ODD = "\u2028\U0001f389"
# The text contains two-byte and three-byte characters, so that some chunks end within a character.
PIECE = "0123456789abc\u2028é\n"
UP, DOWN = (PIECE * (millions * (1 << 20) // len(PIECE)) for millions in (3, 2))
# The timeout for a step, in seconds. It is much longer than any step takes.
STEP_TIMEOUT = 40
# The timeout for a step that is expected to fail. It is short, since some of these steps hang.
FAILING_TIMEOUT = 5
# The environment variable that contains the names of the steps that are expected to fail
EXPECTED_TO_FAIL = "ACP_INTEROP_EXPECTED_TO_FAIL"


class Seen(Changing):
    """The agent's messages for one session, in the order in which handlers were called."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[list[str]] = []  # the role and the text of each message
        self.stops: list[str] = []  # stop reasons that protocol 2 reports as updates
        self.asked: list[dict[str, Any]] = []

    def add(self, update: dict[str, Any]) -> None:
        """Record an update in a form that doesn't depend on the protocol version."""
        kind = update["sessionUpdate"]
        if kind in ("user_message_chunk", "agent_message_chunk"):
            self.said.append([kind.split("_")[0], update["content"]["text"]])
        elif kind == "user_message":
            self.said += [["user", block["text"]] for block in update["content"]]
        elif update.get("state") == "idle":
            self.stops.append(update.get("stopReason") or "")
        self.change()

    def texts(self) -> list[str]:
        return [text for role, text in self.said if role == "agent"]


class Talk(Protocol):
    """The interface to a library's client. Params and results are decoded JSON."""

    version: int

    async def call(self, method: str, params: Any) -> Any:
        """Send a request or a notification that is defined in the schema."""


class Conversation:
    """The steps of the conversation, and handlers for the agent's messages."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._seen: dict[str, Seen] = {}
        self._session = ""
        self._option = MODE

    # --- messages from the agent -------------------------------------------------------------

    def updated(self, session_id: str, update: dict[str, Any]) -> None:
        self.seen(session_id).add(update)

    def answer_permission(self, params: Any) -> dict[str, Any]:
        call = params["toolCall"] if self._talk.version == 1 else params["subject"]["toolCall"]
        title = params.get("title") or call["title"]
        options = params["options"]
        seen = self.seen(params["sessionId"])
        seen.asked.append({"title": title, "options": [each["name"] for each in options]})
        return {"outcome": {"outcome": "selected", "optionId": options[0]["optionId"]}}

    # --- steps: each returns its part of the report ------------------------------------------

    def seen(self, session_id: str) -> Seen:
        return self._seen.setdefault(session_id, Seen())

    async def prompt(self, session_id: str, *texts: str) -> dict[str, Any]:
        """Send a prompt, wait for the turn to end, and return the stop reason and new messages."""
        seen = self.seen(session_id)
        before, stops = len(seen.texts()), len(seen.stops)
        blocks = [{"type": "text", "text": text} for text in texts]
        params = {"sessionId": session_id, "prompt": blocks}
        answer = await self._talk.call("session/prompt", params)
        if self._talk.version == 1:
            stop = answer["stopReason"]
        else:
            await seen.until(lambda: len(seen.stops) > stops)
            stop = seen.stops[-1]
        return {"stop": stop, "texts": seen.texts()[before:]}

    async def initialize(self) -> Any:
        info = {"name": CLIENT, "version": "1.0.0"}
        if self._talk.version == 1:
            able = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
            about: dict[str, Any] = {"clientInfo": info, "clientCapabilities": able}
        else:
            about = {"info": info, "capabilities": {}}
        params = {"protocolVersion": self._talk.version, **about}
        answer = await self._talk.call("initialize", params)
        agent = answer["agentInfo" if self._talk.version == 1 else "info"]["name"]
        return {"version": answer["protocolVersion"], "agent": agent}

    async def new(self) -> Any:
        answer = await self._talk.call("session/new", {"cwd": CWD, "mcpServers": []})
        self._session = answer["sessionId"]
        if self._talk.version == 1:
            modes = [each["id"] for each in answer["modes"]["availableModes"]]
        else:
            [option] = [each for each in answer["configOptions"] if each["category"] == MODE]
            self._option = option["configId"]
            modes = [each["value"] for each in option["options"]]
        return {"session": self._session, "modes": modes}

    async def turn(self) -> Any:
        return await self.prompt(self._session, "talk")

    async def permission(self) -> Any:
        done = await self.prompt(self._session, "permission")
        return {**done, "asked": self.seen(self._session).asked}

    async def mode(self) -> Any:
        if self._talk.version == 1:
            params = {"sessionId": self._session, "modeId": "write"}
            await self._talk.call("session/set_mode", params)
        else:
            value = {"type": "id", "value": "write"}
            params = {"sessionId": self._session, "configId": self._option, **value}
            await self._talk.call("session/set_config_option", params)
        return await self.prompt(self._session, "mode")

    async def cancel(self) -> Any:
        seen = self.seen(self._session)
        before = len(seen.texts())
        turn = asyncio.create_task(self.prompt(self._session, "wait"))
        await seen.until(lambda: len(seen.texts()) > before)
        await self._talk.call("session/cancel", {"sessionId": self._session})
        return await turn

    async def two(self) -> Any:
        answer = await self._talk.call("session/new", {"cwd": CWD, "mcpServers": []})
        sessions = [self._session, answer["sessionId"]]
        # Each of the two turns ends only after the other turn has begun.
        turns = await asyncio.gather(*[self.prompt(each, "meet") for each in sessions])
        return dict(zip(sessions, turns, strict=True))

    async def load(self) -> Any:
        params: dict[str, Any] = {"sessionId": STORED, "cwd": CWD, "mcpServers": []}
        if self._talk.version == 1:
            await self._talk.call("session/load", params)
        else:
            await self._talk.call("session/resume", {**params, "replayFrom": {"type": "start"}})
        return list(self.seen(STORED).said)

    async def after_load(self) -> Any:
        return await self.prompt(STORED, "talk")

    async def resume(self) -> Any:
        params: dict[str, Any] = {"sessionId": RESUMED, "cwd": CWD, "mcpServers": []}
        await self._talk.call("session/resume", params)
        return await self.prompt(RESUMED, "talk")

    async def up(self) -> Any:
        return await self.prompt(self._session, "up", UP)

    async def down(self) -> Any:
        done = await self.prompt(self._session, "down")
        return {**done, "texts": [digest(text) for text in done["texts"]]}


STEPS = (
    "initialize",
    "new",
    "turn",
    "permission",
    "mode",
    "cancel",
    "two",
    "load",
    "after_load",
    "resume",
    "up",
    "down",
)


def steps_expected_to_fail() -> list[str]:
    return os.environ.get(EXPECTED_TO_FAIL, "").split()


async def converse(conversation: Conversation) -> dict[str, Any]:
    """Perform all steps, including the steps after a failure, and return their report.

    Steps that are expected to fail come last, since they can break the connection.
    """
    report: dict[str, Any] = {}
    failing = steps_expected_to_fail()
    for name in sorted(STEPS, key=lambda name: name in failing):
        step: Callable[[], Awaitable[Any]] = getattr(conversation, name)
        limit = FAILING_TIMEOUT if name in failing else STEP_TIMEOUT
        try:
            report[name] = await asyncio.wait_for(step(), limit)
        except Exception as error:
            report[name] = {"failed": f"{type(error).__name__}: {error}"[:2000]}
    return report
