"""An agent that is played by a script, to test clients."""

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
    """A prompt, as the script of its turn sees it.

    Where the response does not end the turn, as in protocol 2, it is accepted before the first
    thing that the script sends about the session.

    Attributes:
        number: how many prompts there were before it, and one.
        cancelled: set when the turn is cancelled.
    """

    number: int = 0
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    is_accepted: bool = False

    @property
    def text(self) -> str:
        """The text of the prompt."""
        return "".join(block.get("text", "") for block in self.params["prompt"])

    async def accept(self) -> None:
        """Accept the prompt, unless that is done or the response ends the turn."""
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
        """Send an update of the session: an `Update`, JSON or a typed object; text is said."""
        await self.accept()
        made = say(value) if isinstance(value, str) else value
        if isinstance(made, Update):
            await self._report(**self._completed(made))
        else:
            await self._report(**update_as_json(made))

    async def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        """See `Call`."""
        await self.accept()
        return await super().ask(method, params)

    async def end(self, stop_reason: str | None = None, **members: Any) -> None:
        """End the turn, as its version does.

        Args:
            stop_reason: why; by default, `cancelled` if the client has cancelled it, else
                `end_turn`.
            members: other members of what ends it.
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
        """Add what the version demands."""
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
    """An agent that does what a script says, for one connection.

        agent = Agent("Hello!", [tool_call("t", title="Look"), silence()])
        async with agent.stream() as stream, connect(stream, MyClient) as peer:
            ...

    A turn is text that is said, an update, a step, or several of these; or a function, such as a
    generator, that takes the `Prompt` and gives them. A generator gets the answers to what it asks:

        def careful(prompt):
            yield tool_call("rm", title="Delete")
            if (yield ask_permission("rm")):
                yield "Done."

    When its script ends, the turn ends. `initialize`, `session/new` and the like are answered as
    usual. Whatever a script does when the client has cancelled, it is done.

    Attributes:
        observe: called for each line.
        tool_calls: the sessions and ids of tool calls that were begun.
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
        """Make an agent.

        Args:
            turns: what it does for each prompt, in order. A further prompt is a mistake.
            answers: what it does for other requests, by method: a result, a `RequestError`, or
                steps after which the usual result follows.
            capabilities: what it advertises; by default, sessions, and the methods in `answers`.
            version: the protocol version it speaks; by default, what the client asks for.
            timeout: the limit of each of its waits for the client, in seconds.
            observe: called for each line, such as by `log_to`.
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
        """Play the agent on a stream until the client ends it.

        Raises:
            Exception: what is wrong with the script, or what it has waited for in vain.
        """
        async with Wire(stream, timeout=self._timeout, observe=self.observe) as self._wire:
            await self.listen()

    @asynccontextmanager
    async def stream(self) -> AsyncGenerator[MemoryStream]:
        """Play the agent on a stream in memory, which a client can be connected to.

        Leaving the context ends it, and raises what `play` raises.
        """
        near, far = memory_streams()
        playing = asyncio.create_task(self.play(far))
        try:
            yield near
        finally:
            await near.close()
            await asyncio.wait([playing])
            playing.result()  # what was wrong here explains what has failed there

    @property
    def prompts(self) -> list[Prompt]:
        """The prompts, in order."""
        return self._prompts

    def call(self, message: Mapping[str, Any]) -> Call:
        """See `Party`."""
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
        """See `Party`."""
        if method == "session/cancel":
            for prompt in self._prompts:
                if prompt.session_id == params["sessionId"]:
                    prompt.cancelled.set()

    def script(self, call: Call) -> Script:
        """See `Party`."""
        if not isinstance(call, Prompt) or call.method in self._answers:
            return super().script(call)
        if call.number > len(self._turns):
            raise AssertionError(f"no turn in the script for prompt {call.number}, {call.text!r}")
        turn: Any = self._turns[call.number - 1]
        return [turn] if is_mapping(turn) else turn

    async def finish(self, call: Call) -> None:
        """See `Party`."""
        if not isinstance(call, Prompt):
            await super().finish(call)
        elif not call.is_over:
            await call.end()

    @property
    def standard(self) -> Mapping[str, Callable[[Call], Any]]:
        """See `Party`."""
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
    """Return the methods of agents with a result without required fields."""
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
