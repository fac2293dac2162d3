"""The simulated client in probes for agents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from operator import methodcaller
from typing import Any, NamedTuple

from acpwire.conform.player import (
    Introduction,
    Message,
    Player,
    Skipped,
    Task,
    Unreached,
    introduction,
    text,
)
from acpwire.conform.report import Ledger
from acpwire.conform.wire import Line
from acpwire.json_values import at, items

# A prompt to which the agent can respond without using tools.
HELLO = "Say hello."
PERMISSION = "session/request_permission"
CANCELLED: Message = {"result": {"outcome": {"outcome": "cancelled"}}}
ALLOWING, REJECTING = ("allow_once", "allow_always"), ("reject_once", "reject_always")


class Prompt(NamedTuple):
    """A prompt that the client sent."""

    session: str
    id: Any  # the request id
    since: int  # the number of lines before the prompt


@dataclass(frozen=True, slots=True)
class Turn:
    """The messages of a turn."""

    response: Line  # the response to the prompt
    end: Line | None  # the response or update that ended the turn, or None after a timeout
    stop_reason: Any
    updates: list[dict[str, Any]]
    received: Line  # the line to show if a requirement for the turn is not met

    @property
    def is_over(self) -> bool:
        """True if the turn ended, with or without a stop reason."""
        return self.end is not None and self.response.has_result


class PlayedClient(Player):
    """A simulated client in one connection to an agent."""

    program = "agent"
    may_refuse_batches = True
    invalid_calls: Mapping[str, dict[str, Any]] = {
        "session/new": {"cwd": 7, "mcpServers": []},
        "session/prompt": {"prompt": "no list, no session"},
    }

    def __init__(self, *conversation: Any) -> None:
        super().__init__(*conversation)
        self.answered = "session/new", self.new_session()
        self.capabilities: dict[str, Any] = {}
        self.decide(*ALLOWING)

    @classmethod
    async def introduce(cls, task: Task, version: int) -> Introduction:
        async with task.open(task.command, task.timeout) as wire:
            params = introduction("client", version)
            wire.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
            line = await wire.wait(lambda line: line.answers(1))
        said = line.result.get("protocolVersion")
        return Introduction(said if type(said) is int else None, line.result)

    @classmethod
    async def tidy(cls, task: Task, version: int, ledger: Ledger) -> None:
        """Delete the sessions that the probes opened, if the agent supports deletion.

        An id that the agent returned twice might belong to an existing session, which must not be
        deleted.
        """
        sessions = [session for session, count in ledger.opened.items() if count == 1]
        if not sessions or "delete-session" in ledger.skipped:
            return
        calls = [("initialize", introduction("client", version))]
        calls += [("session/delete", {"sessionId": session}) for session in sessions]
        async with task.open(task.command, task.timeout) as wire:
            for number, (method, params) in enumerate(calls):
                wire.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
                line = await wire.wait(methodcaller("answers", number))
                if not line.has_result:  # another probe reports this failure
                    return

    async def initialize(self, **more: Any) -> dict[str, Any]:
        """Initialize the connection and return the agent's introduction."""
        params = introduction("client", self.version, **more)
        self.capabilities = await self.result("initialize", params)
        if self.capabilities.get("protocolVersion") != self.version:
            raise Unreached(f"initialize did not select protocol {self.version}")
        return self.capabilities

    async def ready(self) -> None:
        await self.initialize()

    def new_session(self, **more: Any) -> dict[str, Any]:
        """Return params for `session/new` or, with a session id, for `session/load`."""
        return {"cwd": self.task.folder, "mcpServers": [], **more}

    async def open(self, **more: Any) -> str:
        """Open a session and return its id."""
        result = await self.result("session/new", self.new_session(**more))
        if type(result.get("sessionId")) is not str:
            raise Unreached("session/new returned no session id")
        return str(result["sessionId"])

    async def start(self) -> str:
        """Initialize the connection, open a session and return its id."""
        await self.initialize()
        return await self.open()

    async def varies(self, requirement: str, what: str, vary: Callable[[Any], bytes]) -> None:
        await self.start()
        method, params = self.answered
        message = {"jsonrpc": "2.0", "id": "varied", "method": method, "params": params}
        self.wire.send_bytes(vary(message))
        line = await self.response("varied")
        self.judge(requirement, line.has_result, f"a result despite {what}", line)

    async def takes(self, requirement: str, more: dict[str, Any]) -> None:
        expected = f"a result even if the params contain the field {next(iter(more))}"
        line = await self.call("initialize", introduction("client", self.version, **more))
        if line.has_result:
            await self.open()  # if this request also fails, the additional field isn't the reason
            line = await self.call("session/new", self.new_session(**more))
        self.judge(requirement, line.has_result, expected, line)

    def prompt(self, session: str, *blocks: dict[str, Any]) -> Prompt:
        """Send a prompt, by default `HELLO`."""
        since = len(self.wire.lines)
        params = {"sessionId": session, "prompt": list(blocks) or [text(HELLO)]}
        return Prompt(session, self.request("session/prompt", params), since)

    async def turn(self, session: str, *blocks: dict[str, Any]) -> Turn:
        """Send a prompt and wait for its turn to end."""
        return await self.end_of_turn(self.prompt(session, *blocks))

    async def end_of_turn(self, prompt: Prompt) -> Turn:
        """Wait for a prompt's turn to end."""
        response = await self.response(prompt.id)
        end: Line | None = response or None
        said = response.result
        if not self.facts.response_ends_turn:
            end = None
            if response.has_result:
                await self.wire.wait(lambda line: self._find_end(prompt) is not None, prompt.since)
                end = self._find_end(prompt)
            said = _update(end, prompt.session) if end else {}
        states = [line for line in self.wire.lines if _update(line, prompt.session).get("state")]
        received = end or (states[-1] if states else response)
        updates = self.updates(prompt.session, prompt.since)
        return Turn(response, end, said.get("stopReason"), updates, received)

    def _find_end(self, prompt: Prompt) -> Line | None:
        """Return the line with the update that ended a prompt's turn; see `turn_phases`."""
        stream = self.stream(prompt.session)
        number = stream.ends.get(prompt.id) if stream is not None else None
        return None if number is None else self.wire.lines[number - 1]

    async def good_turn(self, session: str, *blocks: dict[str, Any]) -> Turn:
        """Send a prompt and wait for its turn to end.

        Raises:
            Unreached: If the turn doesn't end. Another probe reports this failure.
        """
        turn = await self.turn(session, *blocks)
        if not turn.is_over:
            raise Unreached("a turn did not end")
        return turn

    async def ask(self, session: str) -> tuple[Prompt, Message]:
        """Send prompts until the agent requests permission. The request stays pending."""
        self.answers[PERMISSION] = lambda request: None
        for words in self.task.prompts:
            prompt = self.prompt(session, text(words))
            line = await self.wire.wait(partial(self._asks_or_ends, prompt), prompt.since)
            if not line:
                raise Unreached(f"a turn did not end: {line.text}")
            if line.method == PERMISSION:
                return prompt, line.message
            await self.end_of_turn(prompt)
        given = "the prompts caused no request" if self.task.prompts else "no prompt was given"
        raise Skipped(f"needs a --prompt that makes the agent request permission; {given}")

    def decide(self, *kinds: str) -> list[Message]:
        """Respond to future permission requests by selecting options of the given kinds.

        Returns:
            A list to which the requests are added when they arrive.
        """
        asked: list[Message] = []

        def answer(question: Message) -> Message:
            asked.append(question)
            return select(question, *kinds)

        self.answers[PERMISSION] = answer
        return asked

    def answer_all(self, outcome: Message) -> None:
        """Respond to all pending permission requests."""
        for question in self.asked[:]:
            self.answer(question, outcome)

    def updates(self, session: str, since: int, until: Line | None = None) -> list[dict[str, Any]]:
        """Return a session's updates from line index `since` up to, but excluding, `until`."""
        lines = takewhile(lambda line: line is not until, self.wire.lines[since:])
        found = [_update(line, session) for line in lines if not line.sent]
        return list(filter(None, found))

    def _asks_or_ends(self, prompt: Prompt, line: Line) -> bool:
        """Return whether a line is a permission request or ends a prompt's turn."""
        if line.answers(prompt.id):
            return self.facts.response_ends_turn or "error" in line.message
        return line.method == PERMISSION or self._find_end(prompt) is not None


def select(request: Message, *kinds: str) -> Message:
    """Return a response that selects the first option of the first available kind."""
    options = items(request, "params", "options")
    for kind in kinds:
        for option in options:
            if option.get("kind") == kind:
                outcome = {"outcome": "selected", "optionId": option.get("optionId")}
                return {"result": {"outcome": outcome}}
    return CANCELLED


def parts_of(updates: list[dict[str, Any]]) -> list[str]:
    """Return the types of the updates that report messages, thoughts or tool calls."""
    tags = [str(update.get("sessionUpdate")) for update in updates]
    return [tag for tag in tags if "message" in tag or "thought" in tag or "tool_call" in tag]


def _update(line: Line, session: str) -> dict[str, Any]:
    """Return a line's update if it belongs to this session, otherwise an empty dict."""
    params = at(line.message, "params") if line.method == "session/update" else None
    update = at(params, "update") if at(params, "sessionId") == session else None
    return update if type(update) is dict else {}


probe = PlayedClient.probe
