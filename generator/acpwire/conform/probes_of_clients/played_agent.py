"""The simulated agent in probes for clients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from acp_bindings.runtime.jsonrpc.handler import advertise
from acp_bindings.runtime.jsonrpc.method import INITIALIZE

from acpwire.conform.player import (
    Introduction,
    Message,
    Player,
    Task,
    Unreached,
    introduction,
    text,
)
from acpwire.conform.wire import Line
from acpwire.json_values import at
from acpwire.surfaces import defines, load, surfaces_of

PERMISSION = "session/request_permission"
# A method that clients don't support, so they must respond with an error.
PING = "_conform/ping"
OPTIONS = [
    {"optionId": "conform-yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "conform-no", "name": "No", "kind": "reject_once"},
]


class PlayedAgent(Player):
    """A simulated agent on one connection to a client."""

    program = "client"
    may_refuse_batches = False
    answered = (PING, {})

    def __init__(self, *conversation: Any) -> None:
        super().__init__(*conversation)
        self.hello = hello(self.version)
        self.opened: dict[str, Any] = {}
        self.sessions: list[str] = []
        self.session = ""
        self._prompt: Message = {}
        self.answers[INITIALIZE] = lambda request: {"result": self.hello}
        self.answers["session/new"] = self.open
        self.answers["session/prompt"] = lambda request: None
        if _is_part_of_sessions(self.version, "session/close"):
            self.answers["session/close"] = lambda request: {"result": {}}
        if _is_part_of_sessions(self.version, "session/list"):
            self.answers["session/list"] = lambda request: {"result": {"sessions": []}}

    @classmethod
    async def introduce(cls, task: Task, version: int) -> Introduction:
        """Start the client and return the params of its `initialize` request.

        If the client requests a later version but also accepts `version`, return `version` as its
        protocol version.
        """
        async with task.open(task.command, task.timeout) as wire:
            line = await wire.wait(lambda line: line.method == INITIALIZE)
            message = line.message or {}
            params, asked = message.get("params"), at(message, "params", "protocolVersion")
            if type(params) is not dict or type(asked) is not int:
                return Introduction(None, {})
            if asked > version:
                wire.send({"jsonrpc": "2.0", "id": message.get("id"), "result": hello(version)})
                goes_on = await wire.wait(lambda line: line.method not in (None, INITIALIZE))
                asked = version if goes_on else asked
            return Introduction(asked, params)

    def open(self, request: Message) -> Message:
        """Open a session and return the result for the `session/new` request."""
        self.sessions.append(f"conform-{len(self.sessions) + 1}")
        return {"result": {"sessionId": self.sessions[-1], **self.opened}}

    async def opening(self) -> Message:
        """Wait until the client opens a session, and return the request's params."""
        params = (await self._called("session/new"))["params"]
        return params if type(params) is dict else {}

    async def prompted(self) -> None:
        """Wait for the first prompt and begin its turn."""
        self._begin(await self._called("session/prompt"))

    def _begin(self, prompt: Message) -> None:
        self._prompt = prompt
        known = self.sessions[-1] if self.sessions else ""
        self.session = str(at(prompt, "params", "sessionId") or known)
        if self.facts.running is not None:
            self.answer(self._prompt, {"result": {"messageId": "conform-user"}})
            message = {"messageId": "conform-user", "content": text("The prompt.")}
            self.update(self.facts.chunks["user"], **message)
            self.update("", **self.facts.running)

    async def _called(self, method: str) -> Message:
        line = await self.wire.wait(lambda line: line.method == method)
        if not line:
            raise Unreached(f"{method} did not arrive: {line.text}")
        message: Message = {"params": None, **line.message}
        # `answer` expects the object from `self.asked` if the request is still pending.
        return next((each for each in self.asked if each is line.message), message)

    def update(self, kind: str, /, **members: Any) -> Line:
        """Send a session update and return its line."""
        update = {"sessionUpdate": kind, **members}
        self.notify("session/update", {"sessionId": self.session, "update": update})
        return self.wire.lines[-1]

    def chunk(self, words: str) -> dict[str, Any]:
        """Return the fields of a message chunk in this turn."""
        more = {"messageId": "conform-agent"} if self.facts.names_messages else {}
        return {"content": text(words), **more}

    def finish(self, reason: str = "end_turn") -> None:
        """End the turn."""
        if self.facts.idle is not None:
            self.update("", **self.facts.idle, stopReason=reason)
        else:
            self.answer(self._prompt, {"result": {"stopReason": reason}})

    def finish_all(self) -> None:
        """End the turn now, and end all later turns as soon as their prompts arrive."""

        def turn(request: Message) -> None:
            self._begin(request)
            self.finish()

        self.answers["session/prompt"] = turn
        self.finish()

    async def ready(self) -> None:
        await self.prompted()
        self.invalid_calls = {PERMISSION: {**self.question(), "options": "no list"}}

    async def varies(self, requirement: str, what: str, vary: Callable[[Any], bytes]) -> None:
        await self.prompted()
        update = {"sessionUpdate": "agent_message_chunk", **self.chunk("Hello.")}
        params = {"sessionId": self.session, "update": update}
        message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
        await self.lives(requirement, what, self.wire.send_bytes(vary(message)))

    async def takes(self, requirement: str, more: dict[str, Any]) -> None:
        what = next(iter(more))
        self.hello.update(more)
        self.opened.update(more)
        try:
            await self.prompted()
        except Unreached:
            expected = f"a prompt even if results contain the field {what}"
            self.judge(requirement, False, expected)
            return
        members = self.chunk("Hello.")
        members["content"].update(more)
        sent = self.update("agent_message_chunk", **members, **more)
        await self.lives(requirement, f"an update with {what}", sent)

    async def sign_of_life(self) -> Line:
        """Send a permission request and a call to an unknown method, and return the first response.

        One response is sufficient because the client might fail to handle one of the requests, or
        might be waiting for the user to decide on the permission request.
        """
        ids = [self.request(PING, {}), self.request(PERMISSION, self.question())]
        return await self.wire.wait(lambda line: any(line.answers(id) for id in ids))

    def question(self, **more: Any) -> dict[str, Any]:
        """Return the params of a permission request."""
        call = {"toolCallId": "conform-call", "title": "Judge the client"}
        if defines(self.version, "client", PERMISSION, "toolCall"):
            return {"sessionId": self.session, "toolCall": call, "options": OPTIONS, **more}
        subject = {"type": "tool_call", "toolCall": call}
        asked = {"title": "Judge the client?", "subject": subject, "options": OPTIONS}
        return {"sessionId": self.session, **asked, **more}


def _is_part_of_sessions(version: int, method: str) -> bool:
    """Return whether an agent method requires the same capability as `session/new`."""
    methods = load(surfaces_of(version)[0]).METHODS["agent"]
    opening = methods["session/new"].capability
    return opening is not None and method in methods and methods[method].capability == opening


def hello(version: int) -> dict[str, Any]:
    """Return the `initialize` result of an agent with minimal capabilities."""
    said = introduction("agent", version)
    opening = load(surfaces_of(version)[0]).METHODS["agent"]["session/new"]
    if opening.capability is not None:
        advertise(said, opening.capability)
    return said


probe = PlayedAgent.probe
