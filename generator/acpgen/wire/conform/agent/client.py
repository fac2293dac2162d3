"""The client that the probes of agents play: what it offers, sends, and waits for."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from acpgen.inputs.overlay.requirements import RequiredOf
from acpgen.wire.conform.agent.following import WATCHED, Follower
from acpgen.wire.conform.conversation import Conversation, Message, Skipped, Unreached, is_response
from acpgen.wire.conform.judging import Introduction, Probes, Task
from acpgen.wire.conform.wire import Line, open_wire

# What each prompt of our own says.
HELLO = "Say hello."
PERMISSION = "session/request_permission"
CANCELLED: Message = {"result": {"outcome": {"outcome": "cancelled"}}}


@dataclass(frozen=True, slots=True)
class Turn:
    """The end of a turn, and what came in it.

    Attributes:
        response: the response to the prompt; None if there was none.
        end: what ended the turn: the response in protocol 1, an idle state in protocol 2; None if
            it did not end.
        stop_reason: why the turn has ended.
        updates: the updates of its session, from the prompt on.
    """

    response: Line | None
    end: Line | None
    stop_reason: Any
    updates: list[dict[str, Any]]


class Client:
    """Plays a client in one conversation with an agent.

    Attributes:
        talk: the conversation.
        prompts: texts that make the agent use its tools.
        spoken: the protocol versions that the agent speaks.
        capabilities: what the agent has advertised, as the result of `initialize`.
    """

    def __init__(self, talk: Conversation, task: Task, spoken: Collection[int]) -> None:
        self.talk = talk
        self.wire = talk.wire
        self.judge = talk.judge
        self.version = talk.version
        self.prompts = task.prompts
        self._folder = task.folder
        self.spoken = spoken
        self.capabilities: dict[str, Any] = {}
        self.follower = Follower(talk)
        talk.on_message.append(self.follower.follow)
        self.allow_all()

    # --- steps of every conversation ---

    async def initialize(self) -> dict[str, Any]:
        """Introduce the client; return what the agent says of itself."""
        self.capabilities = await self.talk.result("initialize", introduction(self.version))
        if self.capabilities.get("protocolVersion") != self.version:
            raise Unreached(f"initialize does not lead to protocol {self.version}")
        return self.capabilities

    def new_session(self, **more: Any) -> dict[str, Any]:
        """The params of `session/new`, and of what opens a session that exists."""
        return {"cwd": self._folder, "mcpServers": [], **more}

    async def open(self) -> str:
        """Open a session; return its id."""
        result = await self.talk.result("session/new", self.new_session())
        if type(result.get("sessionId")) is not str:
            raise Unreached("session/new names no session")
        return str(result["sessionId"])

    async def start(self) -> str:
        """Introduce the client and open a session; return its id."""
        await self.initialize()
        return await self.open()

    async def next_answer(self) -> Line | None:
        """Send a request that every agent takes; return its response."""
        return await self.talk.call("session/new", self.new_session())

    # --- turns ---

    def prompt(self, session: str, *blocks: dict[str, Any]) -> Any:
        """Send a prompt; return the id of the request."""
        params = {"sessionId": session, "prompt": list(blocks) or [text(HELLO)]}
        return self.talk.request("session/prompt", params)

    async def turn(self, session: str, *blocks: dict[str, Any]) -> Turn:
        """Send a prompt, and wait for the end of its turn."""
        since = len(self.wire.lines)
        return await self.end_of_turn(session, self.prompt(session, *blocks), since)

    async def end_of_turn(self, session: str, prompt: Any, since: int) -> Turn:
        """Wait for the end of a turn.

        Args:
            session: the session.
            prompt: the id of the prompt.
            since: how many lines came before it.
        """
        response = await self.talk.response(prompt)
        end, reason = response, None
        result = response.message.get("result") if response is not None else None
        if self.version == 1:
            reason = result.get("stopReason") if type(result) is dict else None
        elif type(result) is dict:
            end = await self.wire.wait(lambda line: _ends(line, session), since)
            reason = _update(end, session)["stopReason"] if end is not None else None
        return Turn(response, end, reason, self.updates(session, since))

    async def good_turn(self, session: str, *blocks: dict[str, Any]) -> Turn:
        """Send a prompt of which another probe judges the turn."""
        turn = await self.turn(session, *blocks)
        if turn.stop_reason is None:
            raise Unreached("a turn did not end with a stop reason")
        return turn

    async def ask(self, session: str) -> tuple[Any, int, Message]:
        """Prompt until the agent asks for permission, and do not answer.

        Returns:
            The id of the prompt, how many lines came before it, and the question.
        """
        self.talk.answers[PERMISSION] = lambda request: None
        for words in self.prompts:
            since = len(self.wire.lines)
            prompt = self.prompt(session, text(words))
            line = await self.wire.wait(self._asks_or_ends(session, prompt), since)
            if line is None:
                raise Unreached(f"a turn did not end: {self.wire.silence}")
            if _asks(line):
                return prompt, since, line.message
            await self.end_of_turn(session, prompt, since)
        given = "none of them made it ask for permission" if self.prompts else "none was given"
        raise Skipped(f"needs --prompt with a text that makes the agent ask first; {given}")

    def allow_all(self) -> None:
        """Allow whatever is asked from now on."""
        self.talk.answers[PERMISSION] = lambda request: select(
            request, "allow_once", "allow_always"
        )

    def answer_all(self, outcome: Message) -> None:
        """Answer all questions that are open."""
        for question in self.talk.asked[:]:
            self.talk.answer(question, outcome)

    def updates(self, session: str, since: int, until: Line | None = None) -> list[dict[str, Any]]:
        """The updates of a session after some lines, and before one."""
        updates: list[dict[str, Any]] = []
        for line in self.wire.lines[since:]:
            if line is until:
                break
            if not line.sent and (update := _update(line, session)):
                updates.append(update)
        return updates

    def _asks_or_ends(self, session: str, prompt: Any) -> Callable[[Line], bool]:
        """Tell whether a line asks for permission, or ends the turn of a prompt."""

        def tell(line: Line) -> bool:
            if is_response(line.message, prompt):
                return self.version == 1 or "error" in line.message
            return _asks(line) or (self.version != 1 and _ends(line, session))

        return tell


def introduction(version: int, **more: Any) -> dict[str, Any]:
    """The params of `initialize`, of a client that offers nothing."""
    info = {"name": "acpgen-conform", "version": "1"}
    names = ("clientInfo", "clientCapabilities") if version == 1 else ("info", "capabilities")
    return {"protocolVersion": version, names[0]: info, names[1]: {}, **more}


def text(words: str) -> dict[str, Any]:
    """A block of text for a prompt."""
    return {"type": "text", "text": words}


def select(request: Message, *kinds: str) -> Message:
    """Answer a question about permission with the first option of the first of some kinds."""
    options = [each for each in request["params"].get("options", ()) if type(each) is dict]
    for kind in kinds:
        for option in options:
            if option.get("kind") == kind:
                outcome = {"outcome": "selected", "optionId": option.get("optionId")}
                return {"result": {"outcome": outcome}}
    return CANCELLED


def result_of(line: Line | None) -> dict[str, Any]:
    """The result in a response; an empty one if it has none that is an object."""
    result = line.message.get("result") if line is not None else None
    return result if type(result) is dict else {}


def has_result(line: Line | None) -> bool:
    """Whether a response has a result that is an object."""
    return line is not None and type(line.message.get("result")) is dict


def _asks(line: Line) -> bool:
    return type(line.message) is dict and line.message.get("method") == PERMISSION


def _update(line: Line | None, session: str) -> dict[str, Any]:
    """The update of a session that a line has; an empty one if it has none."""
    message = line.message if line is not None else None
    if type(message) is not dict or message.get("method") != "session/update":
        return {}
    params = message.get("params")
    if type(params) is not dict or params.get("sessionId") != session:
        return {}
    update = params.get("update")
    return update if type(update) is dict else {}


def _ends(line: Line, session: str) -> bool:
    update = _update(line, session)
    is_idle = update.get("sessionUpdate") == "state_update" and update.get("state") == "idle"
    return is_idle and update.get("stopReason") is not None


class Agents:
    """What is particular to agents."""

    name: RequiredOf = "agent"
    probes = Probes()
    watched: Collection[str] = WATCHED

    async def introduce(self, task: Task, version: int) -> Introduction:
        """Ask the agent for a version, and return its answer."""
        async with open_wire(task.command, task.timeout) as wire:
            params = introduction(version)
            wire.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
            line = await wire.wait(
                lambda line: type(line.message) is dict and line.message.get("id") == 1
            )
        result = result_of(line)
        said = result.get("protocolVersion")
        return Introduction(said if type(said) is int else None, result)

    def player(self, talk: Conversation, task: Task, spoken: Collection[int]) -> Client:
        """The client of a conversation."""
        return Client(talk, task, spoken)


AGENT = Agents()
probe = AGENT.probes
