"""A model of the agents that protocol 2 allows: the order of their responses, echoes and reports.

The rules come from the schema's descriptions (`PromptResponse`, `StateUpdate`,
`IdleStateUpdate`, `CancelSessionNotification`, `CloseSessionRequest`):

1. The response to a prompt means that the agent inserted the prompt's message. The agent doesn't
   respond to prompts that it has not inserted yet.
2. The agent echoes each inserted message once, before or after the response.
3. Foreground work begins with a report that the agent is busy and ends with a report that it is
   idle. Work can start with or without a prompt. If a prompt is inserted into work that is
   already under way, its turn ends when that work ends.
4. If a prompt has to wait for other work, the agent echoes it only after that work.
5. The agent can repeat its last report at any time. A repeated idle report does not end a turn.
6. `session/cancel` ends the current work with the stop reason `cancelled`. It also ends the turns
   of inserted prompts that are still waiting. The agent rejects prompts that aren't inserted yet.

`Conversation` enforces the rules. It receives the messages of one session in order, raises
`IllegalMessage` for messages that no agent may send, and records when each turn is over.
`LegalAgent` simulates an agent that acts at random. A `Conversation` checks every message that the
agent sends.

The environment variable `MODEL_N` specifies the number of random conversations to simulate without
a connection. A fifth of this number is also simulated over a connection, which takes fifty times as
long.
"""

from __future__ import annotations

import os
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

State: TypeAlias = Literal["running", "requires_action", "idle"]
N = int(os.environ.get("MODEL_N", "3000"))
PLAYED = N // 5
CANCELLED = "cancelled"
REASONS = ("end_turn", "max_tokens", "refusal", "_custom", None)


class IllegalMessage(AssertionError):
    """A message that the rules don't allow."""


@dataclass(frozen=True)
class Report:
    """A state update.

    Attributes:
        state: the state.
        reason: the stop reason of an idle report, or None if it has none.
        number: distinguishes reports with the same state and reason.
    """

    state: State
    reason: str | None = None
    number: int = 0


@dataclass(eq=False)
class Prompt:
    """A prompt and the progress of its turn.

    Attributes:
        number: its position among the session's prompts.
        is_responded: whether the agent sent a result.
        is_refused: whether the agent sent an error response.
        is_echoed: whether the agent echoed its message.
        is_cancelled: whether the client cancelled the session during its turn.
        end: the idle report that ended its turn, or None before that report.
        is_over: whether the messages so far show the client that its turn is over.
    """

    number: int
    is_responded: bool = False
    is_refused: bool = False
    is_echoed: bool = False
    is_cancelled: bool = False
    end: Report | None = None
    is_over: bool = False

    @property
    def message_id(self) -> str:
        return f"prompt-{self.number}"


def _require(condition: bool, problem: str) -> None:
    if not condition:
        raise IllegalMessage(problem)


class Conversation:
    """A model of one session, which checks each new message against the rules.

    Attributes:
        prompts: the client's prompts.
        last: the agent's last report. It is idle in a new session.
        echoes: whether the messages so far show the client that the agent echoes prompts.
    """

    def __init__(self) -> None:
        self.prompts: list[Prompt] = []
        self.last = Report("idle")
        self.echoes = False

    # --- messages from the client ----------------------------------------------------------------

    def prompt(self) -> Prompt:
        prompt = Prompt(len(self.prompts))
        self.prompts.append(prompt)
        return prompt

    def cancel(self) -> None:
        for prompt in self.open():
            prompt.is_cancelled = True

    def open(self) -> list[Prompt]:
        """Return the prompts whose turns aren't over."""
        return [prompt for prompt in self.prompts if not prompt.is_over]

    # --- messages from the agent -----------------------------------------------------------------

    def respond(self, prompt: Prompt) -> None:
        _require(not (prompt.is_responded or prompt.is_refused), "a second response")
        prompt.is_responded = True
        self.echoes = self.echoes or prompt.is_echoed
        if prompt.end is not None:
            prompt.is_over = True

    def refuse(self, prompt: Prompt) -> None:
        _require(not (prompt.is_responded or prompt.is_refused), "a second response")
        _require(not prompt.is_echoed, "an inserted prompt is refused")
        prompt.is_refused = prompt.is_over = True

    def echo(self, prompt: Prompt) -> None:
        _require(not prompt.is_echoed, "a second echo")
        _require(not prompt.is_refused, "a refused prompt is echoed")
        prompt.is_echoed = True
        self.echoes = self.echoes or prompt.is_responded

    def output(self) -> None:
        _require(self.last.state != "idle", "output without foreground work")

    def report(self, report: Report) -> None:
        was_busy = self.last.state != "idle"
        self.last = report
        if report.state != "idle":
            return
        for prompt in self.open():
            if prompt.is_cancelled and report.reason == CANCELLED:
                prompt.end, prompt.is_over = report, True
            elif was_busy and prompt.is_echoed and prompt.end is None:
                prompt.end, prompt.is_over = report, prompt.is_responded

    def check_end(self) -> None:
        """Check that the agent is idle and has finished every turn."""
        _require(self.last.state == "idle", "the agent is still busy")
        for prompt in self.prompts:
            _require(prompt.is_over, f"prompt {prompt.number} has no end")
            _require(prompt.is_responded or prompt.is_refused, "a prompt without response")
            _require(prompt.is_echoed or prompt.is_refused, "a prompt without echo")


# An agent's message: a response, error or echo (with its prompt), output, or a report.
Message: TypeAlias = "tuple[Literal['response', 'refusal', 'echo'], Prompt] | str | Report"
Stage: TypeAlias = Literal["held", "waiting", "worked_on", "dropped", "refused", "done"]


@dataclass
class Work:
    """Foreground work in progress and the prompts that it processes."""

    prompts: list[Prompt] = field(default_factory=list[Prompt])
    is_cancelled: bool = False


class LegalAgent:
    """An agent that chooses at random among the actions that the rules allow.

    Attributes:
        conversation: checks the messages that the agent sends.
    """

    def __init__(self, entropy: random.Random, conversation: Conversation) -> None:
        self.conversation = conversation
        self._entropy = entropy
        self._inbox: deque[Prompt | None] = deque()  # None means `session/cancel`
        self._stages: dict[Prompt, Stage] = {}
        self._work: Work | None = None
        # True if prompts that were cancelled before their work began still need an idle report.
        self._owes_cancelled = False
        self._number = 0

    def receive(self, message: Prompt | None) -> None:
        """Receive a prompt, or `session/cancel` if `message` is None."""
        self._inbox.append(message)

    @property
    def is_done(self) -> bool:
        """Return whether the agent has no messages left to read or send."""
        return not self._inbox and not self._moves(is_ending=True)

    def step(self, *, is_ending: bool = False) -> Message | None:
        """Take one action. Return the message that the agent sends, if any.

        Args:
            is_ending: whether to exclude optional actions, such as starting work without a prompt.
        """
        moves = self._moves(is_ending=is_ending)
        if not moves:
            return None
        message = self._entropy.choice(moves)()
        self._check(message)
        return message

    def _check(self, message: Message | None) -> None:
        conversation = self.conversation
        match message:
            case None:
                pass
            case Report():
                conversation.report(message)
            case ("response", prompt):
                conversation.respond(prompt)
            case ("refusal", prompt):
                conversation.refuse(prompt)
            case ("echo", prompt):
                conversation.echo(prompt)
            case _:
                conversation.output()

    # --- possible moves --------------------------------------------------------------------------

    def _moves(self, *, is_ending: bool) -> list[Callable[[], Message | None]]:
        moves: list[Callable[[], Message | None]] = []
        if self._inbox:
            moves += [self._take] * 3
        for prompt, stage in self._stages.items():
            moves += self._moves_for(prompt, stage)
        if self._owes_cancelled:
            moves.append(self._end_cancelled)
        work = self._work
        if work is None:
            if self._waiting() and not self._owes_cancelled:
                moves += [self._begin] * 3
            if not is_ending and self._may_begin_by_itself():
                moves.append(self._begin)
        else:
            if all(prompt.is_echoed for prompt in work.prompts):
                moves += [self._finish] * 2
            if not is_ending:
                moves += [lambda: "output"] * 2
                moves.append(self._change)
        if not is_ending:
            moves.append(self._repeat)
        return moves

    def _moves_for(self, prompt: Prompt, stage: Stage) -> list[Callable[[], Message | None]]:
        moves: list[Callable[[], Message | None]] = []
        if stage == "held":
            moves.append(lambda: self._insert(prompt, "waiting"))
            if self._work is not None and not self._work.is_cancelled:
                moves.append(lambda: self._insert(prompt, "worked_on"))
        elif stage == "refused":
            if not prompt.is_refused:
                moves.append(lambda: ("refusal", prompt))
        else:
            if not prompt.is_responded:
                moves += [lambda: ("response", prompt)] * 2
            # Rule 4: after the echo of a waiting prompt, the agent works on that prompt next.
            is_next = stage != "waiting" or (self._work is None and not self._owes_cancelled)
            if not prompt.is_echoed and is_next:
                moves += [lambda: ("echo", prompt)] * 2
        return moves

    def _waiting(self) -> list[Prompt]:
        return [prompt for prompt, stage in self._stages.items() if stage == "waiting"]

    def _may_begin_by_itself(self) -> bool:
        if self._owes_cancelled or any(prompt.is_echoed for prompt in self._waiting()):
            return False
        # The model excludes the only order in which clients cannot detect the end of a turn: if an
        # agent begins other work before it echoes the first prompts of a connection, the agent
        # seems to work on these prompts without echoing them.
        return self.conversation.echoes or not self.conversation.open()

    # --- its moves -------------------------------------------------------------------------------

    def _take(self) -> None:
        prompt = self._inbox.popleft()
        if prompt is not None:
            self._stages[prompt] = "held"
            return
        if self._work is not None:
            self._work.is_cancelled = True
        for each, stage in self._stages.items():
            if stage == "held":
                self._stages[each] = "refused"
            elif stage == "waiting":
                self._stages[each] = "dropped"
                self._owes_cancelled = self._owes_cancelled or self._work is None

    def _insert(self, prompt: Prompt, stage: Stage) -> None:
        self._stages[prompt] = stage
        if stage == "worked_on":
            assert self._work is not None
            self._work.prompts.append(prompt)

    def _begin(self) -> Message:
        waiting = self._waiting()
        echoed = [prompt for prompt in waiting if prompt.is_echoed]
        others = [prompt for prompt in waiting if not prompt.is_echoed]
        taken = echoed + self._entropy.sample(others, self._entropy.randint(0, len(others)))
        if not taken and not self._may_begin_by_itself():
            taken = others
        self._work = Work(taken)
        for prompt in taken:
            self._stages[prompt] = "worked_on"
        return self._report(self._entropy.choice(["running", "running", "requires_action"]))

    def _change(self) -> Message:
        is_running = self.conversation.last.state == "running"
        return self._report("requires_action" if is_running else "running")

    def _finish(self) -> Message:
        assert self._work is not None
        reason = CANCELLED if self._work.is_cancelled else self._entropy.choice(REASONS)
        for prompt in self._work.prompts:
            self._stages[prompt] = "done"
        self._work = None
        return self._report("idle", reason)

    def _end_cancelled(self) -> Message:
        self._owes_cancelled = False
        return self._report("idle", CANCELLED)

    def _repeat(self) -> Message:
        last = self.conversation.last
        reason = self._entropy.choice([last.reason, None])
        return self._report(last.state, reason if last.state == "idle" else None)

    def _report(self, state: State, reason: str | None = None) -> Report:
        self._number += 1
        return Report(state, reason, self._number)


Action: TypeAlias = Literal["prompt", "cancel", "agent"]


def actions(entropy: random.Random, *, prompts: int) -> list[Action]:
    """Return a random sequence of prompts, cancellations and agent actions."""
    sent: list[Action] = ["prompt"] * prompts + ["cancel"] * entropy.choice([0, 0, 1, 1, 2])
    drawn: list[Action] = [*sent, *["agent"] * entropy.randint(0, 12 * prompts)]  # type: ignore[list-item]
    entropy.shuffle(drawn)
    return drawn
