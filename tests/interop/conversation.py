"""The client's side of the conversation: steps that every client takes with every agent.

Each client is written with one library; its `Talk` says how each thing is done there. The result of
each step goes into a report, which the tests read. The clients in JavaScript take the same steps
in `peers/conversation.mjs`; what the agents do is in `stage.py` and `peers/stage.mjs`.
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
# Has characters that must or may be escaped, so that libraries write it in different bytes.
BIG_TEXT = "0123456789abcdé\n" * (20 * 1024 * 1024 // 16)
REFUSAL = (-32050, "not today", {"reason": "closed", "hours": [9, 17.5, None]})
STEP_TIMEOUT = 40


class Seen:
    """Everything the agent told the client, in the order in which the handlers were called."""

    def __init__(self) -> None:
        self.updates: list[list[Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.notes: list[Any] = []
        self._change = asyncio.Event()

    def add(self, where: list[Any], what: Any) -> None:
        """Record an item."""
        where.append(what)
        self._change.set()
        self._change = asyncio.Event()

    async def until(self, is_there: Callable[[], bool]) -> None:
        """Wait until a matching item is recorded."""
        while not is_there():
            await self._change.wait()

    def take_updates(self) -> list[list[Any]]:
        """The updates since the last call."""
        updates, self.updates = self.updates, []
        return updates

    def take_texts(self) -> list[str]:
        """The texts of the messages among them."""
        return [update[1] for update in self.take_updates() if update[0] == "message"]


class Talk(Protocol):
    """The client of one library and protocol version, as the conversation needs it.

    Attributes:
        seen: filled in by its handlers.
        error: the exception that an error response raises, and that a handler raises to send one.
    """

    seen: Seen
    error: type[Any]

    async def initialize(self) -> dict[str, Any]:
        """Open the connection. Return the version and name in the agent's answer."""

    async def new_session(self) -> str:
        """Open the session for all further steps. Return its id."""

    async def prompt(self, *texts: str) -> str | None:
        """Send a prompt and wait until the agent is done with it. Return the stop reason."""

    async def cancel(self) -> None:
        """Send `session/cancel`."""

    async def request(self, method: str, params: Any) -> Any:
        """Send a request whose method is not in the schema."""

    async def notify(self, method: str, params: Any) -> None:
        """Send a notification whose method is not in the schema."""


async def answer_permission(talk: Talk, title: str, tool_call: str, options: list[str]) -> str:
    """Answer a request for permission as every client does. Return the chosen option."""
    talk.seen.add(talk.seen.asked, {"title": title, "tool_call": tool_call, "options": options})
    if tool_call == "call-refused":
        raise talk.error(*REFUSAL)
    if tool_call == "call-withdrawn":
        await talk.notify("_interop/note", {"text": "asked"})
        await asyncio.Event().wait()
    return "allow"


async def answer_extension(talk: Talk, method: str, params: Any) -> Any:
    """Answer an extension request as every client does."""
    if method != "_interop/echo":
        raise talk.error(-32601, f"method not found: {method}")
    return {"echo": params}


def digest(text: str) -> str:
    """A short text that identifies a long one."""
    return f"{len(text)}:{sha256(text.encode()).hexdigest()}"


# --- steps: each returns its part of the report ------------------------------------------------


async def _initialize(talk: Talk) -> Any:
    return await talk.initialize()


async def _session(talk: Talk) -> Any:
    return await talk.new_session()


async def _updates(talk: Talk) -> Any:
    stop = await talk.prompt("updates")
    return {"updates": talk.seen.take_updates(), "stop": stop}


async def _permission(talk: Talk) -> Any:
    stop = await talk.prompt("permission")
    return {"asked": talk.seen.asked[-1], "texts": talk.seen.take_texts(), "stop": stop}


async def _extension_request(talk: Talk) -> Any:
    return await talk.request("_interop/echo", {"list": [1, 2.5, None, True], "text": "é"})


async def _extension_notification(talk: Talk) -> Any:
    await talk.notify("_interop/note", {"text": "from the client"})
    return await talk.request("_interop/notes", {})


async def _extensions_of_agent(talk: Talk) -> Any:
    await talk.prompt("extensions")
    await talk.seen.until(lambda: bool(talk.seen.notes))
    answers = [json.loads(text) for text in talk.seen.take_texts()]
    return {"answers": answers, "notes": list(talk.seen.notes)}


async def _unknown_method(talk: Talk) -> Any:
    try:
        return {"result": await talk.request("no/such_method", {})}
    except talk.error as error:
        return {"code": error.code}


async def _unknown_method_of_agent(talk: Talk) -> Any:
    await talk.prompt("unknown")
    return talk.seen.take_texts()


async def _error(talk: Talk) -> Any:
    try:
        return {"stop": await talk.prompt("fail")}
    except talk.error as error:
        return describe_error(error)


async def _error_of_client(talk: Talk) -> Any:
    await talk.prompt("refused")
    return [json.loads(text) for text in talk.seen.take_texts()]


async def _cancel(talk: Talk) -> Any:
    prompt = asyncio.create_task(talk.prompt("wait"))
    await talk.seen.until(lambda: ["message", "waiting"] in talk.seen.updates)
    await talk.cancel()
    return {"stop": await prompt, "texts": talk.seen.take_texts()}


async def _cancel_request(talk: Talk) -> Any:
    waiting = asyncio.create_task(talk.request("_interop/wait", {}))
    await talk.seen.until(lambda: {"text": "waiting"} in talk.seen.notes)
    waiting.cancel()
    with suppress(asyncio.CancelledError):
        await waiting
    # An agent that ignored the cancellation answers now, with a result.
    return await talk.request("_interop/release", {})


async def _cancel_request_of_agent(talk: Talk) -> Any:
    stop = await talk.prompt("withdraw")
    return {"texts": talk.seen.take_texts(), "stop": stop}


async def _many(talk: Talk) -> Any:
    stop = await talk.prompt("many")
    return {"texts": talk.seen.take_texts(), "stop": stop}


async def _big(talk: Talk) -> Any:
    stop = await talk.prompt("big", BIG_TEXT)
    return {"texts": [digest(text) for text in talk.seen.take_texts()], "stop": stop}


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
    """Code, message and data of an error of any library."""
    message = getattr(error, "message", None) or str(error)
    return {"code": error.code, "message": message, "data": error.data}


async def converse(talk: Talk) -> dict[str, Any]:
    """Take all steps. A step that fails is reported, and the next one is taken."""
    report: dict[str, Any] = {}
    for name, step in STEPS.items():
        try:
            report[name] = await asyncio.wait_for(step(talk), STEP_TIMEOUT)
        except Exception as error:
            report[name] = {"failed": f"{type(error).__name__}: {error}"[:2000]}
            talk.seen.take_updates()
    return report


def write_report(path: str, report: dict[str, Any]) -> None:
    """Write the report to where the tests read it."""
    Path(path).write_text(json.dumps(report, indent=1), "utf-8")
