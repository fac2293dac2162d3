"""A scripted agent for testing clients."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ..runtime.aio import MemoryStream, Observer, Stream, memory_streams
from ..runtime.jsonrpc.handler import advertise
from ..runtime.jsonrpc.messages import pick_version
from ..runtime.jsonrpc.method import Method
from ..runtime.values.errors import DecodeError
from .party import Call, Party, Script
from .values import (
    Update,
    advertise_answers,
    facts,
    is_mapping,
    say,
    surface,
    update_as_json,
    versions,
)
from .wire import TIMEOUT, Wire

_INFO = {"name": "scripted", "version": "1"}


@dataclass(eq=False)
class Prompt(Call):
    """A prompt, as passed to its turn's script.

    If the response doesn't end the turn, as in protocol 2, the prompt is accepted before the script
    sends its first message about the session.

    Attributes:
        number: the number of the prompt, starting at 1.
        cancelled: set when the client cancels the turn.
    """

    number: int = 0
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    is_accepted: bool = False

    @property
    def text(self) -> str:
        """The joined text of the prompt's blocks."""
        return "".join(block.get("text", "") for block in self.params["prompt"])

    async def accept(self) -> None:
        """Accept the prompt unless it was already accepted or its response ends the turn."""
        known = facts(self.version)
        if known.response_ends_turn or self.is_accepted:
            return
        self.is_accepted = True
        message_id = f"user-{self.number}"
        if not self.is_answered:
            await self.answer({"messageId": message_id})
        self.is_over = False
        content = self.params["prompt"]
        tag = known.messages["user"]
        await self._report(sessionUpdate=tag, messageId=message_id, content=content)
        await self._report(**(known.running or {}))

    async def update(self, value: Any) -> None:
        """Send an update: an `Update`, JSON, a typed object, or the text of a message chunk."""
        await self.accept()
        made = say(value) if isinstance(value, str) else value
        if isinstance(made, Update):
            await self._report(**self._completed(made))
        else:
            await self._report(**update_as_json(made))

    async def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        await self.accept()
        return await super().ask(method, params)

    async def end(self, stop_reason: str | None = None, **members: Any) -> None:
        """End the turn with a response or an update, depending on the protocol version.

        Args:
            stop_reason: the stop reason; by default, `cancelled` if the client cancelled the turn,
                otherwise `end_turn`.
            members: other fields of the message that ends the turn.
        """
        reason = stop_reason or ("cancelled" if self.cancelled.is_set() else "end_turn")
        known = facts(self.version)
        if known.idle is None:
            await self.answer({"stopReason": reason, **members})
            return
        await self.accept()
        self.is_over = True
        await self._report(**known.idle, stopReason=reason, **members)

    def _completed(self, update: Update) -> dict[str, Any]:
        """Return the fields of an update, adding fields that the protocol version requires."""
        kind, members = update.kinds[0], {**update.members}
        agent: Any = self.party
        known = facts(self.version)
        if known.names_messages and kind in known.chunks.values():
            members.setdefault("messageId", f"{kind.removesuffix('_chunk')}-{self.number}")
        elif len(update.kinds) > 1:  # a tool call
            call = (self.session_id, members["toolCallId"])
            kind = known.tool_calls[-1 if call in agent.tool_calls else 0]
            agent.tool_calls.add(call)
        return {"sessionUpdate": kind, **members}

    async def _report(self, **members: Any) -> None:
        params = {"sessionId": self.session_id, "update": members}
        await self.party.notify("session/update", params)


class Agent(Party):
    """An agent that follows a script in one connection.

        agent = Agent("Hello!", [tool_call("t", title="Look"), silence()])
        async with agent.stream() as stream, connect(stream, MyClient) as peer:
            ...

    A turn's script is the text of a message, an update, a step, a sequence of these, or a function
    that accepts the `Prompt` and returns any of these. A generator function receives the responses
    to its requests:

        def careful(prompt):
            yield tool_call("rm", title="Delete")
            if (yield ask_permission("rm")):
                yield "Done."

    The turn ends when its script ends. A script runs to completion even if the client cancels
    the turn. The agent sends default responses to other requests, such as `initialize` and
    `session/new`.

    Attributes:
        observe: called for each line, or None.
        tool_calls: the session id and the tool call id of each tool call that has begun, as pairs.
    """

    side = "agent"

    def __init__(
        self,
        *turns: Script,
        answers: Mapping[str, Script] | None = None,
        capabilities: Mapping[str, Any] | None = None,
        version: int | None = None,
        timeout: float = TIMEOUT,
        observe: Observer | None = None,
    ) -> None:
        """Create an agent.

        Args:
            turns: the scripts for the prompts, in order. If there are more prompts than scripts, an
                error is raised.
            answers: the responses to other requests, by method. Each response is a result, a
                `RequestError`, or steps that run before the default result is sent.
            capabilities: the capabilities to advertise; by default, the capabilities for sessions
                and for the methods in `answers`.
            version: the protocol version to use; by default, the version that the client requests.
            timeout: the maximum time to wait for the client, in seconds.
            observe: a function to call for each line, for example the result of `log_to`.
        """
        super().__init__(answers, timeout)
        self.tool_calls: set[tuple[str | None, str]] = set()
        self._turns = list(turns)
        self._capabilities = capabilities
        self._spoken = version
        self.observe = observe
        self._prompts: list[Prompt] = []
        self._sessions = itertools.count(1)

    async def play(self, stream: Stream) -> None:
        """Play the agent on a stream until the client closes the connection.

        Raises:
            Exception: If a script raises an exception or a wait times out.
        """
        async with Wire(stream, timeout=self._timeout, observe=self.observe) as self._wire:
            await self.listen()

    @asynccontextmanager
    async def stream(self) -> AsyncGenerator[MemoryStream]:
        """Play the agent at one end of an in-memory stream, and yield the client's end.

        Leaving the context closes the stream and re-raises any exception from `play`.
        """
        near, far = memory_streams()
        playing = asyncio.create_task(self.play(far))
        try:
            yield near
        finally:
            await near.close()
            await asyncio.wait([playing])
            playing.result()  # re-raises the agent's exception, which caused the client's exception

    @property
    def prompts(self) -> list[Prompt]:
        """The prompts, in order."""
        return self._prompts

    def call(self, message: Mapping[str, Any]) -> Call:
        """Create the `Call` object for a request. For a prompt, the object is a `Prompt`."""
        call = super().call(message)
        if call.method == "initialize":
            asked = call.params.get("protocolVersion") if is_mapping(call.params) else None
            newest = versions()[-1]
            wanted = asked if isinstance(asked, int) else newest
            self.version = self._spoken or pick_version(wanted, versions())
        if call.method != "session/prompt":
            return call
        number = len(self._prompts) + 1
        prompt = Prompt(self, call.method, call.params, call.id, number=number)
        self._prompts.append(prompt)
        return prompt

    def notified(self, method: str, params: Any) -> None:
        """Set the `cancelled` events of a session's prompts when the client cancels."""
        if method == "session/cancel":
            for prompt in self._prompts:
                if prompt.session_id == params["sessionId"]:
                    prompt.cancelled.set()

    def script(self, call: Call) -> Script:
        """Return the script for a request. For a prompt, return the script for its turn."""
        if not isinstance(call, Prompt) or call.method in self._answers:
            return super().script(call)
        if call.number > len(self._turns):
            raise AssertionError(f"no script for prompt {call.number}: {call.text!r}")
        turn: Any = self._turns[call.number - 1]
        return [turn] if is_mapping(turn) else turn

    async def finish(self, call: Call) -> None:
        """Send the default response to a request or, for a prompt, end its turn."""
        if not isinstance(call, Prompt):
            await super().finish(call)
        elif not call.is_over:
            await call.end()

    @property
    def standard(self) -> Mapping[str, Callable[[Call], Any]]:
        """The default results of requests, by method."""
        done = dict.fromkeys(_without_result(self.version), _nothing) if self.version else {}
        return {**done, "initialize": self._introduce, _NEW: self._open}

    def _introduce(self, call: Call) -> Any:
        known = facts(self.version)
        result: dict[str, Any] = {"protocolVersion": self.version, known.infos["agent"]: _INFO}
        result[known.capabilities["agent"]] = dict(self._capabilities or {})
        needed = surface(self.version).METHODS["agent"][_NEW].capability
        if needed is not None and not self._capabilities:
            advertise(result, needed)
        if self._capabilities is None:
            advertise_answers(result, self.version, self.side, self._answers)
        return result

    def _open(self, call: Call) -> Any:
        return {"sessionId": f"session-{next(self._sessions)}"}


_NEW = "session/new"


@cache
def _without_result(version: int) -> tuple[str, ...]:
    """Return the agent methods whose result type has no required fields."""
    return tuple(
        name
        for name, method in surface(version).METHODS["agent"].items()
        if method.kind == "request" and _accepts(method, {})
    )


def _accepts(method: Method[Any, Any], result: Any) -> bool:
    try:
        method.codec.decode(method.result, result, strict=True)
    except DecodeError:
        return False
    return True


def _nothing(call: Call) -> Any:
    return {}
