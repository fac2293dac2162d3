"""The client's side of the conversation: steps that every client takes with every agent.

Each client is written with one library and implements each step in its `Talk`. The result of each
step goes into a report, which the tests read. The clients in JavaScript take the same steps in
`peers/conversation.mjs`. The agents' part is in `stage.py` and `peers/stage.mjs`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

CLIENT = "interop-client"
CWD = "/project"
# The text has characters that JSON libraries escape differently. It is larger than every pipe and
# buffer.
BIG_TEXT = "0123456789abcdé\n" * (256 * 1024 // 16)
REFUSAL = (-32050, "not today", {"reason": "closed", "hours": [9, 17.5, None]})
STEP_TIMEOUT = 40


class Changing:
    """An object with awaitable changes."""

    def __init__(self) -> None:
        self._change = asyncio.Event()

    def change(self) -> None:
        self._change.set()
        self._change = asyncio.Event()

    async def until(self, is_there: Callable[[], bool]) -> None:
        """Wait for a change after which a condition holds."""
        while not is_there():
            await self._change.wait()


class Seen(Changing):
    """The agent's messages to the client, in the order in which the handlers were called."""

    def __init__(self) -> None:
        super().__init__()
        self.updates: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.notes: list[Any] = []

    def add(self, where: list[Any], what: Any) -> None:
        where.append(what)
        self.change()

    def texts(self) -> list[str]:
        chunks = (u for u in self.updates if u["sessionUpdate"] == "agent_message_chunk")
        return [chunk["content"]["text"] for chunk in chunks]

    def stops(self) -> list[str]:
        return [update["stopReason"] for update in self.updates if update.get("state") == "idle"]


class Talk(Protocol):
    """One library's client, as the conversation uses it. Params and results are JSON."""

    seen: Seen  # filled in by its handlers
    # The exception for error responses, which handlers also raise to send one
    error: type[Any]
    version: int

    async def call(self, method: str, params: Any) -> Any:
        """Call a method of the schema."""

    async def request(self, method: str, params: Any) -> Any:
        """Send a request whose method is not in the schema."""

    async def notify(self, method: str, params: Any) -> None:
        """Send a notification whose method is not in the schema."""


async def answer_permission(talk: Talk, params: Any) -> dict[str, Any]:
    """Answer a permission request in the same way as every client."""
    call = params["toolCall"] if talk.version == 1 else params["subject"]["toolCall"]
    title = call["title"] if talk.version == 1 else params["title"]
    options = [option["optionId"] for option in params["options"]]
    asked = {"title": title, "tool_call": call["toolCallId"], "options": options}
    talk.seen.add(talk.seen.asked, asked)
    if call["toolCallId"] == "call-refused":
        raise talk.error(*REFUSAL)
    if call["toolCallId"] == "call-withdrawn":
        await talk.notify("_interop/note", {"text": "asked"})
        await asyncio.Event().wait()
    return {"outcome": {"outcome": "selected", "optionId": "allow"}}


async def answer_extension(talk: Talk, method: str, params: Any) -> Any:
    if method != "_interop/echo":
        raise talk.error(-32601, f"method not found: {method}")
    return {"echo": params}


def digest(text: str) -> str:
    """Return a short text that identifies a long one."""
    return f"{len(text)}:{sha256(text.encode()).hexdigest()}"


async def prompt(talk: Talk, *texts: str) -> str:
    """Send a prompt and wait for the end of its turn. Return the stop reason."""
    talk.seen.updates.clear()
    blocks = [{"type": "text", "text": text} for text in texts]
    answer = await talk.call("session/prompt", {"sessionId": "session-1", "prompt": blocks})
    if talk.version == 1:
        stop: str = answer["stopReason"]
        return stop
    # The response confirms the message; an update reports the end of the work.
    await talk.seen.until(lambda: bool(talk.seen.stops()))
    return talk.seen.stops()[0]


# --- steps: each returns its part of the report ------------------------------------------------


async def _initialize(talk: Talk) -> Any:
    info = {"name": CLIENT, "version": "1.0.0"}
    if talk.version == 1:
        able = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
        about: dict[str, Any] = {"clientInfo": info, "clientCapabilities": able}
    else:
        about = {"info": info, "capabilities": {}}
    answer = await talk.call("initialize", {"protocolVersion": talk.version, **about})
    agent = answer["agentInfo" if talk.version == 1 else "info"]["name"]
    return {"version": answer["protocolVersion"], "agent": agent}


async def _session(talk: Talk) -> Any:
    answer = await talk.call("session/new", {"cwd": CWD, "mcpServers": []})
    return answer["sessionId"]


async def _updates(talk: Talk) -> Any:
    stop = await prompt(talk, "updates")
    return {"updates": list(talk.seen.updates), "stop": stop}


async def _permission(talk: Talk) -> Any:
    stop = await prompt(talk, "permission")
    return {"asked": talk.seen.asked[-1], "texts": talk.seen.texts(), "stop": stop}


async def _extension_request(talk: Talk) -> Any:
    return await talk.request("_interop/echo", {"list": [1, 2.5, None, True], "text": "é"})


async def _extension_notification(talk: Talk) -> Any:
    await talk.notify("_interop/note", {"text": "from the client"})
    return await talk.request("_interop/notes", {})


async def _extensions_of_agent(talk: Talk) -> Any:
    await prompt(talk, "extensions")
    await talk.seen.until(lambda: bool(talk.seen.notes))
    answers = [json.loads(text) for text in talk.seen.texts()]
    return {"answers": answers, "notes": list(talk.seen.notes)}


async def _unknown_method(talk: Talk) -> Any:
    try:
        return {"result": await talk.request("no/such_method", {})}
    except talk.error as error:
        return {"code": error.code}


async def _unknown_method_of_agent(talk: Talk) -> Any:
    await prompt(talk, "unknown")
    return talk.seen.texts()


async def _error(talk: Talk) -> Any:
    try:
        return {"stop": await prompt(talk, "fail")}
    except talk.error as error:
        return describe_error(error)


async def _error_of_client(talk: Talk) -> Any:
    await prompt(talk, "refused")
    return [json.loads(text) for text in talk.seen.texts()]


async def _cancel(talk: Talk) -> Any:
    prompting = asyncio.create_task(prompt(talk, "wait"))
    await talk.seen.until(lambda: "waiting" in talk.seen.texts())
    await talk.call("session/cancel", {"sessionId": "session-1"})
    return {"stop": await prompting, "texts": talk.seen.texts()}


async def _cancel_request(talk: Talk) -> Any:
    waiting = asyncio.create_task(talk.request("_interop/wait", {}))
    await talk.seen.until(lambda: {"text": "waiting"} in talk.seen.notes)
    waiting.cancel()
    with suppress(asyncio.CancelledError):
        await waiting
    # An agent that ignored the cancellation answers now, with a result.
    return await talk.request("_interop/release", {})


async def _words(talk: Talk, *texts: str) -> Any:
    stop = await prompt(talk, *texts)
    return {"texts": talk.seen.texts(), "stop": stop}


async def _cancel_request_of_agent(talk: Talk) -> Any:
    return await _words(talk, "withdraw")


async def _many(talk: Talk) -> Any:
    return await _words(talk, "many")


async def _big(talk: Talk) -> Any:
    said = await _words(talk, "big", BIG_TEXT)
    return {**said, "texts": [digest(text) for text in said["texts"]]}


STEPS: dict[str, Callable[[Talk], Awaitable[Any]]] = {
    "initialize": _initialize,
    "session": _session,
    "updates": _updates,
    "permission": _permission,
    "extension_request": _extension_request,
    "extension_notification": _extension_notification,
    "extensions_of_agent": _extensions_of_agent,
    "unknown_method": _unknown_method,
    "unknown_method_of_agent": _unknown_method_of_agent,
    "error": _error,
    "error_of_client": _error_of_client,
    "cancel": _cancel,
    "cancel_request": _cancel_request,
    "cancel_request_of_agent": _cancel_request_of_agent,
    "many": _many,
    "big": _big,
}


def describe_error(error: Any) -> dict[str, Any]:
    message = getattr(error, "message", None) or str(error)
    return {"code": error.code, "message": message, "data": error.data}


async def converse(talk: Talk) -> dict[str, Any]:
    """Take all steps. Report a failing step and continue with the next one."""
    report: dict[str, Any] = {}
    for name, step in STEPS.items():
        try:
            report[name] = await asyncio.wait_for(step(talk), STEP_TIMEOUT)
        except Exception as error:
            report[name] = {"failed": f"{type(error).__name__}: {error}"[:2000]}
    return report


def write_report(path: str, report: dict[str, Any]) -> None:
    Path(path).write_text(json.dumps(report, indent=1), "utf-8")
