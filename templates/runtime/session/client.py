"""Base classes of the generated client sessions. They handle cancellation and user decisions.

Rules:

1. `cancel` takes effect immediately in the client: unfinished tool calls are marked as cancelled,
   and permission requests receive the cancelled outcome. Background work is not affected
   (`_mark_cancelled`).
2. A permission request receives one response: the user's decision or `cancelled`, whichever comes
   first (`_ask_permission`). If all turns have already been cancelled when the request arrives, the
   user is not asked.
3. Subscribers are not notified of a request to the user if its handler responds without waiting.
4. In protocol 2, an update that ends a turn is first delivered to the turn (`ReportedSession`).
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

# The session being replayed, if the current task is handling an update from the replay.
_replaying: ContextVar[object] = ContextVar("_replaying", default=None)


class ClientSession(SessionSetup, Generic[S, U, Q]):
    """Base class of the generated client sessions.

    Attributes:
        peer: the connection to the agent.
        session_id: the session's id.
        state: the session's state after all received updates; see `SessionState`. While a handler
            processes an update, the state can already contain later updates. If the client's
            `keep_state` is false, the state contains only the parts that the next update depends
            on.
        turns: the open turns.
        abandoned: the abandoned turns that the agent has not ended yet.
        running_calls: the tool calls that the agent is working on; see `is_running`.
        questions: the params of pending permission requests and elicitations, by number.
            Subscribers of the state are notified when a request is added or removed, unless its
            handler responds without waiting, for example because a rule applies.
        response: the response to the request that opened the session, such as `session/new`.
        is_closed: whether the session is closed. A closed session accepts no prompts. Subscribers
            of the state are notified when the session is closed.
        closed_reason: the reason why the session was closed, or an empty string if the client
            closed it.
    """

    response: Any = None
    is_closed = False
    closed_reason: str = ""
    # The update classes that report that the agent is idle, if the surface defines any.
    _idle: ClassVar[tuple[type[Any], ...]] = ()

    def __init__(self, peer: Peer, session_id: str, state: S) -> None:
        super().__init__()
        self.peer = peer
        self.session_id = session_id
        self.state = state
        self.turns: list[Turn[U, Any, Any, Any, Any]] = []
        # No limit is needed, since turns are abandoned only by the program, not by the agent.
        self.abandoned: list[Turn[U, Any, Any, Any, Any]] = []
        self.running_calls = RunningCalls(state, self.turns, self._idle)
        self.questions: dict[int, Q] = {}
        self._numbers = count(1)
        self._announced: set[int] = set()  # the requests that subscribers were notified of
        # The tool call's id and a future for each permission request, by the number in `questions`.
        # The future completes when the request no longer needs the user's decision.
        self._withdrawals: dict[int, tuple[str | None, asyncio.Future[None]]] = {}

    @property
    def is_replaying(self) -> bool:
        """True if the current handler is processing an update that is part of a replay.

        The value can be True only in handlers for updates and in tasks that they start. Subscribers
        can check `Change.is_replay`.
        """
        return _replaying.get() is self

    def activity(self) -> object:
        """Return the last update that reported whether the agent is busy, if any."""
        return activity_of(self.state)

    def is_running(self, tool_call_id: str) -> bool:
        """Return whether the agent is still working on a tool call, according to its updates.

        A tool call can still be unfinished when its turn ends. In this case, the state retains the
        reported status, but the call is no longer considered running. Subscribers are then notified
        of the change so that they can redraw the call.

        A call is running if its status is not final and the agent either lists it as background
        work or has reported it since the agent's current work began. In protocol 1, the current
        work is the oldest open turn. In protocol 2, the work lasts until the agent reports that it
        is idle. After a session is loaded or resumed, calls are considered running only if the
        agent reports that it is busy.

        Args:
            tool_call_id: the tool call's id. Calls that `state` doesn't contain aren't running.
        """
        return tool_call_id in self.running_calls

    def question_number(self, question: Q) -> int:
        """Return the number of a pending request to the user.

        The number is the key of the request in `questions`. For example, the request's handler can
        send this number to a browser.

        Args:
            question: the request params, as passed to the handler.

        Raises:
            ValueError: If the request is not pending in this session.
        """
        for number, each in self.questions.items():
            if each is question:
                return number
        raise ValueError(
            "the request is not pending in this session; pass the params that its handler received"
        )

    def _deliver(self, update: U) -> None:
        """Pass an update to the open turns after it has been applied to the state."""
        deliver([*self.turns], update)

    def _move(self, client: Any) -> None:
        """Move the session to another connection after the previous connection closed."""
        peer: Peer = client.peer
        self.peer = peer
        self.client = client
        self.agent = client.agent
        self.abandoned.clear()
        self.is_closed = False

    def _mark_closed(self, reason: str = "") -> None:
        """Reject further prompts, cancel pending permission requests, and notify subscribers."""
        if self.is_closed:
            return
        self.is_closed = True
        self.closed_reason = reason
        self.running_calls.end()
        self._withdraw(lambda tool_call_id: True)
        self.state.tell("changed", "is_closed", None, True)

    async def cancel(self) -> None:
        """Ask the agent to stop its work in this session.

        Every unfinished tool call in `state` is immediately marked as cancelled, and every pending
        permission request immediately receives the cancelled outcome. Background work that the
        agent reported is not affected. Updates are still processed. The turns end when the agent
        stops.

        Raises:
            ConnectionClosed: If the connection is closed.
        """
        self.send_cancel()
        await self.peer.drain(self.session_id)

    def send_cancel(self) -> None:
        """Cancel as `cancel` does, but without waiting until the stream can accept more data."""
        self._mark_cancelled()
        self._post_cancel()

    def _post_cancel(self) -> None:
        raise NotImplementedError

    def _mark_cancelled(self) -> None:
        """Mark turns and tool calls as cancelled. Cancel pending permission requests."""
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
        """Cancel the pending permission requests for which `applies(tool_call_id)` is true."""
        for number, (asked_about, withdrawn) in list(self._withdrawals.items()):
            if applies(asked_about) and not withdrawn.done():
                withdrawn.set_result(None)
                self._close_question(number)

    async def _ask(
        self, question: Q, answer: Coroutine[Any, Any, A], number: int | None = None
    ) -> A:
        """Respond to a request to the user. Until then, the request is in `questions`.

        If the request's handler responds without waiting, for example because a rule applies, the
        user is not asked, and subscribers are not notified. Otherwise, subscribers are notified
        when the handler first waits.
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
        """Remove a request from `questions` unless it has already been removed."""
        question = self.questions.pop(number, None)
        if number in self._announced:
            self._announced.remove(number)
            self.state.tell("removed", "questions", number, question)

    async def _ask_permission(
        self, question: Any, answer: Coroutine[Any, Any, A], cancelled: A
    ) -> A:
        """Respond to a permission request with the user's decision or with `cancelled`.

        If the tool call is cancelled before the user decides, the handler that asks the user is
        cancelled.
        """
        subject = subject_of(question)
        tool_call_id = getattr(getattr(subject, "tool_call", subject), "tool_call_id", None)
        # If all turns are cancelled, the agent sent this request before it processed the
        # cancellation. The protocol (Prompt Turn, Cancellation) requires the cancelled outcome for
        # every pending request. A request doesn't identify its turn, so if the request might belong
        # to a turn that isn't cancelled, the user decides.
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
        # Ask in a separate task, since `cancel` can provide the response before the user does.
        work = self._ask(question, answer, number)
        asking = self.peer.spawn(_settle(answered, work))
        # If the task never started, its coroutines must be closed.
        asking.add_done_callback(lambda _: (work.close(), answer.close()))
        try:
            first: list[asyncio.Future[Any]] = [asking, withdrawn]
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            pass  # the agent cancelled its request, so also respond with `cancelled`
        else:
            if answered.done() and not withdrawn.done():
                return answered.result()
        finally:
            del self._withdrawals[number]
            self._close_question(number)
        if not answered.cancel():
            answered.exception()  # retrieve the exception so that asyncio doesn't log it
        asking.cancel()
        return cancelled


class ReportedSession(ClientSession[S, U, Q]):
    """Base class of client sessions in which an update ends a turn, as in protocol 2.

    Attributes:
        foreground: the agent's foreground work. The turns end when this work ends.
    """

    # The update classes that report that the agent is busy.
    _busy: ClassVar[tuple[type, ...]] = ()
    # The update classes that insert a user message into the session.
    _inserts: ClassVar[tuple[type[Any], ...]] = ()
    # The update classes that add to the agent's messages or thoughts.
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
        """End the turns that are over according to the messages received so far."""
        for turn in [*self.abandoned, *self.turns]:
            if isinstance(turn, ReportedTurn):
                turn.end_if_over()


def request_of(cls: Callable[..., P], params: P | None, members: Mapping[str, Any]) -> P:
    """Return a request that was passed as either an object or its fields.

    Raises:
        TypeError: If both an object and fields are given, or if fields are missing or unknown.
    """
    if params is not None and members:
        name = type(params).__name__
        raise TypeError(f"pass a {name} or its fields, not both: {', '.join(members)}")
    return cls(**members) if params is None else params


async def _settle(future: asyncio.Future[A], work: Coroutine[Any, Any, A]) -> None:
    """Copy the outcome of a coroutine to a future unless the future is already done."""
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
    """Handle an update that is part of a session's replay."""
    token = _replaying.set(session)
    try:
        return await handling
    finally:
        _replaying.reset(token)
