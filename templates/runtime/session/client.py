"""The base classes of the generated client sessions: cancellation and requests to the user.

Rules:

1. `cancel` takes effect immediately in the client: unfinished tool calls are cancelled, and
   permission requests get the cancelled outcome, except for background work (`_mark_cancelled`).
2. A permission request gets one response: the user's, or `cancelled` if that comes first
   (`_ask_permission`). If it arrives when all turns are cancelled, the user is not asked.
3. Subscribers are notified of a request only if its handler does not respond in its first step.
4. In protocol 2, updates end turns as they arrive, after they were delivered (`ReportedSession`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextvars import ContextVar
from itertools import count
from typing import Any, ClassVar, Generic, TypeVar

from ..aio.peer import Peer
from .permissions import subject_of
from .running_calls import FINISHED, RunningCalls, activity_of, background_of
from .setup import SessionSetup
from .state import CANCELLED, State
from .turn_phases import Foreground, Habits
from .turns import ReportedTurn, Turn, deliver

A = TypeVar("A")  # the response to a request
P = TypeVar("P")  # a request
Q = TypeVar("Q")  # a question to the user
S = TypeVar("S", bound=State[Any, Any, Any])
U = TypeVar("U")  # a session update

# The session whose replay includes the update that the current task handles.
_replaying: ContextVar[object] = ContextVar("_replaying", default=None)


class ClientSession(SessionSetup, Generic[S, U, Q]):
    """Base class of the generated client sessions.

    Attributes:
        peer: the agent.
        session_id: the id of the session.
        state: the state of the session after all received updates; see `SessionState`. It can be
            ahead of the update that a handler is called with. If the client does not `keep_state`,
            it contains only the parts that the next update depends on.
        turns: the open turns.
        abandoned: the abandoned turns, until the agent reports that they are over.
        running_calls: the tool calls that the agent works on; see `is_running`.
        questions: the params of pending permission requests and elicitations, by number.
            Subscribers of the state are notified when a request is added or removed, unless its
            handler responds without waiting, such as by a rule.
        response: the response to the request that opened the session, such as `session/new`.
        is_closed: whether the session was closed and accepts no prompts. Subscribers of the state
            are notified when it is closed.
        closed_reason: why it was closed, unless the client closed it; empty otherwise.
    """

    response: Any = None
    is_closed = False
    closed_reason: str = ""
    # The classes of updates that report that the agent is idle, if there are any.
    _idle: ClassVar[tuple[type[Any], ...]] = ()

    def __init__(self, peer: Peer, session_id: str, state: S) -> None:
        super().__init__()
        self.peer = peer
        self.session_id = session_id
        self.state = state
        self.turns: list[Turn[U, Any, Any, Any, Any]] = []
        # Limited by the program, which abandons them.
        self.abandoned: list[Turn[U, Any, Any, Any, Any]] = []
        self.running_calls = RunningCalls(state, self.turns, self._idle)
        self.questions: dict[int, Q] = {}
        self._numbers = count(1)
        self._announced: set[int] = set()  # the questions that subscribers were notified of
        # For each permission request, by its number in `questions`: the id of its tool call, and
        # a future that is done when the request no longer needs a response.
        self._withdrawals: dict[int, tuple[str | None, asyncio.Future[None]]] = {}

    @property
    def is_replaying(self) -> bool:
        """True if the update that the current handler is called with is part of a replay.

        True only in handlers of updates and in tasks that they start. Subscribers can check
        `Change.is_replay`.
        """
        return _replaying.get() is self

    def activity(self) -> object:
        """Return the last report of whether the agent is busy, if any."""
        return activity_of(self.state)

    def is_running(self, tool_call_id: str) -> bool:
        """Return whether the agent still works on a tool call, according to its reports.

        An agent can leave a tool call unfinished at the end of its turn. The state keeps the
        reported status, but the call no longer runs. Subscribers of the state are notified that the
        call changed, so that they can draw it again.

        A call runs if its status is not final, and the agent either lists it as background work or
        has reported it since its current work began. In protocol 1, this work is the oldest open
        turn. In protocol 2, it lasts until the agent reports that it is idle. After a session was
        loaded or resumed, no call runs unless the agent reports that it is busy.

        Args:
            tool_call_id: the id of the tool call. Calls that `state` does not contain don't run.
        """
        return tool_call_id in self.running_calls

    def question_number(self, question: Q) -> int:
        """Return the number of a pending request in `questions`.

        Call it in the handler of the request, for example to send the number to a browser.

        Args:
            question: the params of the request, as passed to the handler.

        Raises:
            ValueError: If the request is not pending in this session.
        """
        for number, each in self.questions.items():
            if each is question:
                return number
        raise ValueError(
            "the question is not open in this session; pass the params that the handler got"
        )

    def _deliver(self, update: U) -> None:
        """Pass an update, which was applied to the state, to the open turns."""
        deliver([*self.turns], update)

    def _move(self, client: Any) -> None:
        """Move to another connection after the previous one closed."""
        peer: Peer = client.peer
        self.peer = peer
        self.client = client
        self.agent = client.agent
        self.abandoned.clear()
        self.is_closed = False

    def _mark_closed(self, reason: str = "") -> None:
        """Refuse prompts from now on, withdraw questions, and notify the subscribers."""
        if self.is_closed:
            return
        self.is_closed = True
        self.closed_reason = reason
        self.running_calls.end()
        self._withdraw(lambda tool_call_id: True)
        self.state.tell("changed", "is_closed", None, True)

    async def cancel(self) -> None:
        """Ask the agent to stop what it is doing in this session.

        Immediately, every unfinished tool call in `state` becomes cancelled, and every pending
        permission request gets the cancelled outcome. Background work reported by the agent is not
        affected. Updates are still accepted. The turns end when the agent has stopped.

        Raises:
            ConnectionClosed: If the connection is closed.
        """
        self.send_cancel()
        await self.peer.drain(self.session_id)

    def send_cancel(self) -> None:
        """Cancel like `cancel`, but without waiting for room in the stream."""
        self._mark_cancelled()
        self._post_cancel()

    def _post_cancel(self) -> None:
        raise NotImplementedError

    def _mark_cancelled(self) -> None:
        """Mark turns and tool calls as cancelled, and cancel pending permission requests."""
        background = background_of(self.state)
        for turn in self.turns:
            turn.is_cancelled = True
        calls: dict[str, Any] = getattr(self.state, "tool_calls", {})
        for tool_call_id, call in calls.items():
            if call.status not in FINISHED and tool_call_id not in background:
                call.status = CANCELLED
                self.state.tell("changed", "tool_calls", tool_call_id, call)
        self._withdraw(lambda tool_call_id: tool_call_id not in background)

    def _withdraw(self, applies: Callable[[str | None], bool]) -> None:
        """Cancel the pending permission requests whose tool call id `applies` accepts."""
        for number, (asked_about, withdrawn) in list(self._withdrawals.items()):
            if applies(asked_about) and not withdrawn.done():
                withdrawn.set_result(None)
                self._close_question(number)

    async def _ask(
        self, question: Q, answer: Coroutine[Any, Any, A], number: int | None = None
    ) -> A:
        """Respond to a request to the user, which is in `questions` until then.

        Subscribers are notified after the first step of its handler, and only if this step does not
        respond. If the handler responds without waiting, for example because a rule applies, the
        user was not asked.
        """
        number = next(self._numbers) if number is None else number
        self.questions[number] = question
        soon = asyncio.get_running_loop().call_soon(self._announce, number)
        try:
            return await answer
        finally:
            soon.cancel()
            self._close_question(number)

    def _announce(self, number: int) -> None:
        _, withdrawn = self._withdrawals.get(number, (None, None))
        is_withdrawn = withdrawn is not None and withdrawn.done()
        if number in self.questions and not is_withdrawn:
            self._announced.add(number)
            self.state.tell("added", "questions", number, self.questions[number])

    def _close_question(self, number: int) -> None:
        """Remove a request from `questions`, unless already removed."""
        question = self.questions.pop(number, None)
        if number in self._announced:
            self._announced.remove(number)
            self.state.tell("removed", "questions", number, question)

    async def _ask_permission(
        self, question: Any, answer: Coroutine[Any, Any, A], cancelled: A
    ) -> A:
        """Respond to a permission request with the user's decision, or with `cancelled`.

        If its tool call is cancelled first, asking the user is cancelled.
        """
        subject = subject_of(question)
        tool_call_id = getattr(getattr(subject, "tool_call", subject), "tool_call_id", None)
        # The agent sent this request before it processed the cancellation. By the protocol (Prompt
        # Turn, Cancellation), every pending request gets the cancelled outcome. A request does not
        # name its turn: while another turn runs, it might belong to that turn, so the user decides.
        turns = [*self.abandoned, *self.turns]
        is_cancelled = bool(turns) and all(turn.is_cancelled for turn in turns)
        if is_cancelled and tool_call_id not in background_of(self.state):
            answer.close()
            return cancelled
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[A] = loop.create_future()
        withdrawn: asyncio.Future[None] = loop.create_future()
        number = next(self._numbers)
        self._withdrawals[number] = tool_call_id, withdrawn
        # In a separate task, since `cancel` can provide the response first.
        work = self._ask(question, answer, number)
        asking = self.peer.spawn(_settle(answered, work))
        asking.add_done_callback(lambda _: (work.close(), answer.close()))  # if it never started
        try:
            first: list[asyncio.Future[Any]] = [asking, withdrawn]
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            pass  # the agent cancelled its request, which gets the same response
        else:
            if answered.done() and not withdrawn.done():
                return answered.result()
        finally:
            del self._withdrawals[number]
            self._close_question(number)
        if not answered.cancel():
            answered.exception()  # asyncio reports an exception that is never retrieved
        asking.cancel()
        return cancelled


class ReportedSession(ClientSession[S, U, Q]):
    """Base class of the client sessions where an update ends a turn, as in protocol 2.

    Attributes:
        foreground: the foreground work of the agent, which ends the turns.
    """

    # The classes of updates that report that the agent is busy.
    _busy: ClassVar[tuple[type, ...]] = ()
    # The classes of updates that insert a message of the user into the conversation.
    _inserts: ClassVar[tuple[type[Any], ...]] = ()
    # The classes of updates that add to a message or thought of the agent.
    _outputs: ClassVar[tuple[type, ...]] = ()

    def __init__(self, peer: Peer, session_id: str, state: S, habits: Habits) -> None:
        super().__init__(peer, session_id, state)
        self.foreground = Foreground(habits)

    def _move(self, client: Any) -> None:
        super()._move(client)
        self.foreground = Foreground(client.habits)

    def _deliver(self, update: Any) -> None:
        deliver([*self.turns], update)
        if isinstance(update, self._outputs):
            self.foreground.work("output")
        elif isinstance(update, self._busy):
            self.foreground.work("busy")
        elif isinstance(update, self._idle):
            self.foreground.idle(update, update.stop_reason or None)
            self.end_turns()
        elif isinstance(update, self._inserts):
            self.foreground.insert(update.message_id)
            self.end_turns()

    def _mark_cancelled(self) -> None:
        super()._mark_cancelled()
        self.foreground.cancel()

    def _mark_closed(self, reason: str = "") -> None:
        super()._mark_closed(reason)
        self.foreground.close()
        self.end_turns()

    def end_turns(self) -> None:
        """End the turns that are over according to the messages so far."""
        for turn in [*self.abandoned, *self.turns]:
            if isinstance(turn, ReportedTurn):
                turn.end_if_over()


def request_of(cls: Callable[..., P], params: P | None, members: Mapping[str, Any]) -> P:
    """Return a request given as an object or by its fields.

    Raises:
        TypeError: If both are given, or if fields are missing or unknown.
    """
    if params is None:
        return cls(**members)
    if members:
        name = type(params).__name__
        raise TypeError(f"give a {name} or its members, not both: {', '.join(members)}")
    return params


async def _settle(future: asyncio.Future[A], work: Coroutine[Any, Any, A]) -> None:
    """Set the outcome of some work on a future, unless the future is done."""
    try:
        result = await work
    except BaseException as error:
        if not future.done():
            future.set_exception(error)
            return
        if not isinstance(error, Exception):
            raise
    else:
        if not future.done():
            future.set_result(result)


async def handle_replayed(session: object, handling: Coroutine[Any, Any, A]) -> A:
    """Handle an update that is part of the replay of a session."""
    token = _replaying.set(session)
    try:
        return await handling
    finally:
        _replaying.reset(token)
