"""The base class of the generated client sessions: cancelling, and questions to the user."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, Generic, TypeVar

from ..aio.peer import Peer
from .permissions import subject_of
from .setup import SessionSetup
from .state import CANCELLED, State
from .turns import Turn

A = TypeVar("A")  # the answer to a question
P = TypeVar("P")  # a request
Q = TypeVar("Q")  # a question to the user
S = TypeVar("S", bound=State[Any, Any, Any])
U = TypeVar("U")  # a session update

# The statuses of finished tool calls. With any other status, a tool call is running.
FINISHED: Final = frozenset({"completed", "failed", CANCELLED})

# The session whose replay includes the update that the current task handles.
_replaying: ContextVar[object] = ContextVar("_replaying", default=None)


class ClientSession(SessionSetup, Generic[S, U, Q]):
    """Base class of the generated client sessions.

    Attributes:
        peer: the agent.
        session_id: the id of the session.
        state: the state of the session after the updates that have arrived, see `SessionState`. It
            may be ahead of the update that a handler is called with. If the client does not
            `keep_state`, it holds only what the next update depends on.
        turns: the turns that are not over.
        questions: the questions to the user that have no answer yet, by their number: the params of
            the requests. Subscribers of the state are told when they come and go.
        response: the response to the request that opened the session, such as `session/new`.
    """

    response: Any = None

    def __init__(self, peer: Peer, session_id: str, state: S) -> None:
        super().__init__()
        self.peer = peer
        self.session_id = session_id
        self.state = state
        self.turns: list[Turn[U, Any, Any, Any]] = []
        self.questions: dict[int, Q] = {}
        self._count = 0
        # Each is set when a request for permission no longer needs its answer. With the id of the
        # tool call.
        self._withdrawals: dict[asyncio.Future[None], str | None] = {}

    @property
    def is_replaying(self) -> bool:
        """Whether the update that the current handler is called with is part of a replay.

        It is True in handlers of updates alone, and in tasks that they start; subscribers see
        `Change.is_replay`.
        """
        return _replaying.get() is self

    def activity(self) -> object:
        """Return the last update that tells whether the agent is busy; None if there is none."""
        return getattr(self.state, "state", None)

    async def cancel(self) -> None:
        """Ask the agent to stop what it is doing in this session.

        At once, every unfinished tool call in `state` becomes cancelled, and every open permission
        request gets the cancelled outcome. Background work, as the agent reports it, is left alone.
        Updates are accepted as before. The turns end when the agent has stopped.

        Raises:
            ConnectionClosed: the connection has ended.
        """
        self.send_cancel()
        await self.peer.drain()

    def send_cancel(self) -> None:
        """Do the same as `cancel`, without waiting for room in the stream."""
        self._mark_cancelled()
        self._post_cancel()

    def _post_cancel(self) -> None:
        raise NotImplementedError

    def _mark_cancelled(self) -> None:
        """Mark turns and tool calls as cancelled, and answer open permission requests so."""
        background = self._background()
        for turn in self.turns:
            turn.is_cancelled = True
        calls: dict[str, Any] = getattr(self.state, "tool_calls", {})
        for tool_call_id, call in calls.items():
            if call.status not in FINISHED and tool_call_id not in background:
                call.status = CANCELLED
                self.state.tell("changed", "tool_calls", tool_call_id, call)
        for withdrawn, asked_about in self._withdrawals.items():
            if asked_about not in background and not withdrawn.done():
                withdrawn.set_result(None)

    def _background(self) -> set[str]:
        """Return the ids of the tool calls in the background, which `cancel` does not end."""
        # Some kinds of background work are no tool calls.
        listed = getattr(self.activity(), "background", None) or ()
        return {item.tool_call_id for item in listed if hasattr(item, "tool_call_id")}

    async def _ask(self, question: Q, answer: Coroutine[Any, Any, A]) -> A:
        """Answer a question, which is among `questions` until then.

        Args:
            question: the params of the request.
            answer: asks the user.
        """
        with self._open(question):
            return await answer

    async def _ask_permission(
        self, question: Any, answer: Coroutine[Any, Any, A], cancelled: A
    ) -> A:
        """Answer a permission request, unless its tool call is cancelled first.

        Args:
            question: the params of the request.
            answer: asks the user; cancelled when its answer is no longer needed.
            cancelled: the answer if the tool call is cancelled.
        """
        subject = subject_of(question)
        tool_call_id = getattr(getattr(subject, "tool_call", subject), "tool_call_id", None)
        # Asked before the agent knew that it is cancelled. By the protocol (Prompt Turn,
        # Cancellation), every pending request gets the cancelled outcome.
        is_cancelled = bool(self.turns) and all(turn.is_cancelled for turn in self.turns)
        if is_cancelled and tool_call_id not in self._background():
            answer.close()
            return cancelled
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[A] = loop.create_future()
        withdrawn: asyncio.Future[None] = loop.create_future()
        self._withdrawals[withdrawn] = tool_call_id
        # In a task of its own, since the answer may come from elsewhere: from `cancel`.
        asking = self.peer.spawn(_settle(answered, answer))
        asking.add_done_callback(lambda _: answer.close())  # in case it never started
        try:
            first: list[asyncio.Future[Any]] = [asking, withdrawn]
            with self._open(question):
                await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            pass  # the agent has cancelled its request, which gets the same answer
        else:
            if answered.done() and not withdrawn.done():
                return answered.result()
        finally:
            del self._withdrawals[withdrawn]
        if not answered.cancel():
            answered.exception()  # asyncio reports an exception that is never retrieved
        asking.cancel()
        return cancelled

    @contextmanager
    def _open(self, question: Q) -> Generator[None]:
        """Keep a question among `questions`, and tell the subscribers."""
        self._count += 1
        number = self._count
        self.questions[number] = question
        self.state.tell("added", "questions", number, question)
        try:
            yield
        finally:
            del self.questions[number]
            self.state.tell("removed", "questions", number, question)


def request_of(cls: Callable[..., P], params: P | None, members: Mapping[str, Any]) -> P:
    """Return a request that is given as it is, or by its members.

    Raises:
        TypeError: it is given in both ways, or members are missing or unknown.
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
