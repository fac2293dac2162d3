"""The simulated peer of the program under test: a client for an agent or an agent for a client.

Probes build messages as plain JSON so that the messages can violate any rule of the protocol.
`acpwire.rules` checks all messages that the program sends.
"""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from acpwire.conform.report import Failure, Ledger
from acpwire.conform.wire import Line, Open, Wire, open_wire
from acpwire.json_values import at, shorten
from acpwire.recording import reading
from acpwire.rules.checker import Checker
from acpwire.rules.updates import Stream
from acpwire.surfaces import OTHER, Side, facts

Message: TypeAlias = Mapping[str, Any]
# Called with a request from the program. Returns the response's result or error, or None to
# respond later.
Answer: TypeAlias = Callable[[Message], "Message | None"]
Play: TypeAlias = Callable[[Any], Awaitable[None]]

# Error codes.
INVALID_REQUEST, INVALID_PARAMS, _AUTHENTICATION_REQUIRED = -32600, -32602, -32000
# A protocol version that no program supports.
FUTURE = 65_535
# Maximum number of wire lines shown for a failure, and maximum number of characters per line.
_LINES = 8
_TEXT = 400


class Unreached(Exception):
    """Raised by a probe that cannot continue because of a problem that another probe reports."""


class Skipped(Exception):
    """Raised by a probe that doesn't apply to the program. The message contains the reason."""


@dataclass(frozen=True, slots=True)
class Task:
    """The options of a check."""

    command: tuple[str, ...]
    timeout: float  # the time limit for each line, in seconds
    prompts: tuple[str, ...] = ()  # prompts that make an agent use its tools
    only: Collection[str] = ()  # the ids or areas of requirements to check (empty for all)
    open: Open = open_wire
    folder: str = tempfile.gettempdir()  # the working directory of sessions


@dataclass(frozen=True, slots=True)
class Introduction:
    """The information that a program sends about itself in `initialize`."""

    version: int | None  # the program's protocol version, or None if it sent no valid version
    message: Mapping[str, Any]  # an agent's result or a client's params


@dataclass(frozen=True, slots=True)
class Probe:
    """A short test of whether a program meets certain requirements."""

    name: str
    judges: tuple[str, ...]  # the ids of the requirements that the probe checks
    play: Play


class Player:
    """A simulated peer in one connection to the program under test."""

    program: ClassVar[Side]  # the program's side
    probes: ClassVar[list[Probe]] = []  # probes for both sides are in `Player.probes`
    answered: tuple[str, dict[str, Any]]  # a request to which the program must respond
    invalid_calls: Mapping[str, dict[str, Any]]
    may_refuse_batches: ClassVar[bool]

    def __init_subclass__(cls) -> None:
        cls.probes = []

    def __init__(
        self,
        wire: Wire,
        version: int,
        probe: str,
        ledger: Ledger,
        task: Task,
        spoken: Collection[int] = (),
    ) -> None:
        """Prepare to communicate with a program.

        Args:
            wire: the connection to the program.
            version: the protocol version to use.
            probe: the name of the probe.
            ledger: the ledger in which to record observations.
            task: the options of the check.
            spoken: the protocol versions that the program supports.
        """
        self.wire, self.version, self.task, self.spoken = wire, version, task, spoken
        self.facts = facts(version)
        # Functions that respond to requests, by method name. Requests for other methods fail with
        # a method-not-found error.
        self.answers: dict[str, Answer] = {}
        self.asked: list[Message] = []  # the program's pending requests
        self._probe, self._ledger = probe, ledger
        player = OTHER[self.program]
        self._checker = Checker(None, {False: player}, begins=True, is_single=True)
        self._id = 0
        wire.on_line = self._see

    @classmethod
    def probe(cls, *judges: str) -> Callable[[Play], Play]:
        """Return a decorator that registers a function as a probe for requirements, given by id."""

        def register(play: Play) -> Play:
            cls.probes.append(Probe(play.__name__, judges, play))
            return play

        return register

    # --- playing each side ---

    @classmethod
    async def introduce(cls, task: Task, version: int) -> Introduction:
        """Start the program, initialize it with a version, and return its introduction."""
        raise NotImplementedError

    @classmethod
    async def tidy(cls, task: Task, version: int, ledger: Ledger) -> None:
        """Remove data that the program stored during the check."""

    async def ready(self) -> None:
        """Bring the program into a state in which it must respond to requests."""
        raise NotImplementedError

    async def varies(self, requirement: str, what: str, vary: Callable[[Any], bytes]) -> None:
        """Check that the program accepts a message in a different form.

        Args:
            requirement: the id of the requirement to check.
            what: a description of the message's form.
            vary: the function that converts the message to this form.
        """
        raise NotImplementedError

    async def takes(self, requirement: str, more: dict[str, Any]) -> None:
        """Check that the program accepts additional fields in objects."""
        raise NotImplementedError

    async def sign_of_life(self) -> Line:
        """Send a request to which the program must respond, and return the response."""
        return await self.call(*self.answered)

    async def lives(self, requirement: str, what: str, sent: Line | None = None) -> bool:
        """Check that the program still responds.

        Args:
            requirement: the id of the requirement to check.
            what: a description of the preceding line sent to the program.
            sent: the line that `what` describes; by default, the last line sent.
        """
        sent = sent or next(line for line in reversed(self.wire.lines) if line.sent)
        line = await self.sign_of_life()
        expected = f"a response to the request sent after {what}"
        return self.judge(requirement, bool(line), expected, line, sent)

    def request(self, method: str, params: Any, id: Any = None) -> Any:
        """Send a request and return its id, which is a new number by default."""
        if id is None:
            self._id += 1
            id = self._id
        self.wire.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.wire.send({"jsonrpc": "2.0", "method": method, "params": params})

    def answer(self, request: Message, outcome: Message) -> None:
        """Respond to a request from the program unless it already has a response."""
        if request in self.asked:
            self.asked.remove(request)
            self.wire.send({"jsonrpc": "2.0", "id": request["id"], **outcome})

    def stream(self, session: str) -> Stream | None:
        """Return a session's updates, or None if the session is unknown."""
        return self._checker.stream(session)

    def _see(self, line: Line) -> None:
        """Process a line. If the program sent the line, check it and respond to requests."""
        direction: reading.Direction = "sent" if line.sent else "received"
        number = len(self.wire.lines)
        read = reading.Line(number, line.message, line.time, direction, line.problem)
        entries = self._checker.read(read)
        if line.sent:
            return
        for entry in entries:
            self._ledger.passed |= entry.judged
            for problem in entry.problems:
                where = f"at {problem.pointer}: " if problem.pointer else ""
                expected = f"a message without this problem: {where}{problem.message}"
                if problem.requirement == "json-lines":
                    expected = "a JSON object in UTF-8, followed by a line break"
                self.judge(problem.requirement, False, expected, line)
        for entry, message in zip(entries, read.messages, strict=False):  # a batch can be empty
            session = at(message, "result", "sessionId")
            if type(session) is str:
                self._ledger.opened[session] += 1
            broken = {problem.requirement for problem in entry.problems}
            if entry.kind == "request" and broken.isdisjoint({"json-lines", "message-shape"}):
                self.asked.append(message)
                method = message["method"]
                not_found: Message = {"error": {"code": -32601, "message": f"no method {method}"}}
                outcome = self.answers[method](message) if method in self.answers else not_found
                if outcome is not None:
                    self.answer(message, outcome)

    async def response(self, id: Any) -> Line:
        """Wait for the response to a request."""
        return await self.wire.wait(lambda line: line.answers(id))

    async def call(self, method: str, params: Any, id: Any = None) -> Line:
        """Send a request and wait for its response."""
        return await self.response(self.request(method, params, id))

    async def result(self, method: str, params: Any) -> dict[str, Any]:
        """Send a request and return its result, which another probe checks.

        Raises:
            Unreached: If the response is an error, if no response arrives, or if an earlier request
                with this method had no response.
        """
        if method in self._ledger.silent:
            raise Unreached(f"no response to {method}")
        line = await self.call(method, params)
        if not line and self.wire.end is None:
            self._ledger.silent.add(method)
        if not line:
            raise Unreached(self.wire.end or f"no response to {method}")
        if "result" not in line.message:
            raise Unreached(f"the response to {method} was {_cut(line.text)}")
        return line.result

    # --- verdicts ---

    def judge(
        self,
        requirement: str,
        ok: bool,
        expected: str,
        received: Line | str | None = None,
        sent: Line | None = None,
    ) -> bool:
        """Record whether a requirement is met.

        Args:
            requirement: the id of the requirement.
            ok: whether the requirement is met.
            expected: a description of the expected behavior.
            received: the received line, a description of it, or None if no line arrived in time.
            sent: the line that caused a failure; by default, the last line sent.

        Returns:
            The value of `ok`.
        """
        if ok:
            self._ledger.passed.add(requirement)
            return True
        if received is None:
            received = self.wire.silence
        seen = received if isinstance(received, str) else received.text
        self._ledger.fail(requirement, lambda: self._failure(sent, seen, expected))
        return False

    def judge_error(
        self, requirement: str, code: int, line: Line, about: str = "", *, ok: bool = False
    ) -> bool:
        """Record whether a response is an error with this code.

        If `ok` is true, accept any response.
        """
        expected = f"an error with the code {code}{about}"
        return self.judge(requirement, ok or line.error_code == code, expected, line)

    def _failure(self, sent: Line | None, received: str, expected: str) -> Failure:
        lines = self.wire.lines
        last = sent or next((line for line in reversed(lines) if line.sent), None)
        excerpt = tuple(
            f"{line.time:8.3f} {'>' if line.sent else '<'} {_cut(line.text)}"
            for line in lines[-_LINES:]
        )
        shown = "nothing" if last is None else _cut(last.text)
        return Failure(self._probe, shown, _cut(received), expected, excerpt)

    def applies(self, requirement: str) -> bool:
        """Return whether the program advertised the capability that a requirement depends on."""
        return requirement not in self._ledger.skipped

    def skip(self, requirement: str, reason: str) -> None:
        """Record the reason why a requirement does not apply."""
        self._ledger.skipped.setdefault(requirement, reason)


def unless_signed_out(line: Line, reason: type[Exception] = Unreached) -> None:
    """Raise `reason` if a response indicates that the user must sign in first."""
    if line.error_code == _AUTHENTICATION_REQUIRED:
        raise reason("the agent requires the user to sign in first")


def text(words: str) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": words}


def _cut(text: str) -> str:
    return shorten(text, _TEXT)


def introduction(side: Side, version: int, **more: Any) -> dict[str, Any]:
    """Return the fields that a side without capabilities sends in `initialize`."""
    names, info = facts(version), {"name": "acpgen-conform", "version": "1"}
    said = {names.infos[side]: info, names.capabilities[side]: {}}
    return {"protocolVersion": version, **said, **more}
