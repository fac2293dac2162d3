"""The client side of the test conversation: the steps that every client performs.

Each client uses one library and provides a `Talk` for the steps. The results of all steps form a
report, which the tests read. `peers/conversation.mjs` contains the same steps for the JavaScript
clients. The agent side is in `stage.py` and `peers/stage.mjs`.
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
# A string that is larger than any pipe or buffer. Only some JSON libraries escape the `é`.
BIG_TEXT = "0123456789abcdé\n" * (256 * 1024 // 16)
REFUSAL = (-32050, "not today", {"reason": "closed", "hours": [9, 17.5, None]})
STEP_TIMEOUT = 40


class Changing:
    """A base class for objects that let tasks wait for changes."""

    def __init__(self) -> None:
        self._change = asyncio.Event()

    def change(self) -> None:
        self._change.set()
        self._change = asyncio.Event()

    async def until(self, is_there: Callable[[], bool]) -> None:
        """Wait until a condition holds, checking it after each change."""
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
    """The interface to a library's client. Params and results are decoded JSON."""

    seen: Seen  # updated by the client's handlers
    # The exception for error responses. Handlers raise it to send an error response.
    error: type[Any]
    version: int

    async def call(self, method: str, params: Any) -> Any:
        """Call a method that the schema defines."""

    async def request(self, method: str, params: Any) -> Any:
        """Send a request with a method that is not in the schema."""

    async def notify(self, method: str, params: Any) -> None:
        """Send a notification with a method that is not in the schema."""


async def answer_permission(talk: Talk, params: Any) -> dict[str, Any]:
    """Respond to a permission request: allow it, reject it, or wait, depending on the tool call."""
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
    """Return the length and the hash of a string."""
    return f"{len(text)}:{sha256(text.encode()).hexdigest()}"


async def prompt(talk: Talk, *texts: str) -> str:
    """Send a prompt, wait until its turn ends, and return the stop reason."""
    talk.seen.updates.clear()
    blocks = [{"type": "text", "text": text} for text in texts]
    answer = await talk.call("session/prompt", {"sessionId": "session-1", "prompt": blocks})
    if talk.version == 1:
        stop: str = answer["stopReason"]
        return stop
    # In protocol 2, the response only confirms the prompt. An update reports the end of the turn.
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
    # If the agent ignored the cancellation, this request makes it respond to the first request.
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
    """Perform all steps, including the steps after a failure, and return their report."""
    report: dict[str, Any] = {}
    for name, step in STEPS.items():
        try:
            report[name] = await asyncio.wait_for(step(talk), STEP_TIMEOUT)
        except Exception as error:
            report[name] = {"failed": f"{type(error).__name__}: {error}"[:2000]}
    return report


def write_report(path: str, report: dict[str, Any]) -> None:
    Path(path).write_text(json.dumps(report, indent=1), "utf-8")
