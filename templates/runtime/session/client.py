"""What the generated client sessions are made of: cancelling, questions to the user, closing."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final, Generic, TypeVar

from ..aio.peer import Peer
from .state import State
from .turns import CANCELLED, Turn

A = TypeVar("A")  # the answer to a question
C = TypeVar("C", bound="ClientSession[Any, Any]")
S = TypeVar("S", bound=State[Any, Any])
U = TypeVar("U")  # a session update

# How many closed sessions are remembered, so that what comes late for them is told apart.
_LATE = 100
# The states from which a tool call does not go on. Any other one counts as under way.
FINISHED: Final = frozenset({"completed", "failed", CANCELLED})


class ClientSession(Generic[S, U]):
    """Base of the generated client sessions.

    Attributes:
        peer: the agent.
        session_id: the id of the session.
        state: what the updates of the session have come to so far, see `SessionState`.
        turns: the turns that are not over yet.
        response: what the agent answered when the session was made or came back.
    """

    response: Any = None

    def __init__(self, peer: Peer, session_id: str, state: S) -> None:
        self.peer = peer
        self.session_id = session_id
        self.state = state
        self.turns: list[Turn[U, Any, Any, Any]] = []
        self._questions: dict[asyncio.Future[None], str | None] = {}

    def activity(self) -> object:
        """The last update that said whether the agent is busy; None where there are none."""
        return getattr(self.state, "state", None)

    def receive(self, update: U) -> None:
        """Take an update: the state changes, and the turns under way hand it on."""
        self.state.apply(update)
        for turn in list(self.turns):
            turn.take(update)

    async def cancel(self) -> None:
        """Ask the agent to stop what it is doing in this session.

        At once, every tool call that is not finished counts as cancelled in `state`, and every
        question about a permission is answered with the cancelled outcome; what the agent says
        goes on in the background, stays as it is. Updates are accepted as before, and the turns
        under way end when the agent has stopped.

        Raises:
            ConnectionClosed: the connection has ended.
        """
        self.send_cancel()
        await self.peer.flush()

    def send_cancel(self) -> None:
        """Do the same without waiting for room in the stream."""
        self.mark_cancelled()
        self._post_cancel()
        self.peer.send()

    def _post_cancel(self) -> None:
        raise NotImplementedError

    def mark_cancelled(self) -> None:
        """Do what is to be done on this side when the work of the session is cancelled."""
        background = self._background()
        for turn in self.turns:
            turn.is_cancelled = True
        calls: dict[str, Any] = getattr(self.state, "tool_calls", {})
        for tool_call_id, call in calls.items():
            if call.status not in FINISHED and tool_call_id not in background:
                call.status = CANCELLED
        for withdrawn, about in self._questions.items():
            if about not in background and not withdrawn.done():
                withdrawn.set_result(None)

    def _background(self) -> set[str]:
        """The tool calls that go on apart from the work that `cancel` ends."""
        listed = getattr(self.activity(), "background", None) or ()
        return {item.tool_call_id for item in listed if hasattr(item, "tool_call_id")}

    async def ask(self, question: Any, answer: Coroutine[Any, Any, A], cancelled: A) -> A:
        """Answer a question about a permission, unless what it is about is cancelled first.

        Args:
            question: the params of the request.
            answer: asks the user; it is cancelled when the answer is no longer needed.
            cancelled: the answer then.
        """
        # What it is about is the subject of the question, or part of the question itself.
        subject = getattr(question, "subject", None) or question
        tool_call_id = getattr(getattr(subject, "tool_call", subject), "tool_call_id", None)
        is_cancelled = bool(self.turns) and all(turn.is_cancelled for turn in self.turns)
        if is_cancelled and tool_call_id not in self._background():
            answer.close()
            return cancelled
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[A] = loop.create_future()
        withdrawn: asyncio.Future[None] = loop.create_future()
        self._questions[withdrawn] = tool_call_id
        asking = self.peer.spawn(_settle(answered, answer))
        asking.add_done_callback(lambda _: answer.close())  # if it was cancelled before it began
        try:
            first: list[asyncio.Future[Any]] = [asking, withdrawn]
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            pass  # the agent has taken the question back; that is answered in the same way
        else:
            if answered.done() and not withdrawn.done():
                return answered.result()
        finally:
            del self._questions[withdrawn]
        if not answered.cancel():
            answered.exception()  # asyncio reports one that nobody has looked at
        asking.cancel()
        return cancelled


class Sessions(Generic[C]):
    """The sessions of a connection, for the generated handlers of clients.

    Attributes:
        sessions: the sessions by their ids.
    """

    def __init__(self) -> None:
        self.sessions: dict[str, C] = {}
        self._attaching: set[str] = set()
        self._closed: deque[str] = deque(maxlen=_LATE)

    def _make(self, session_id: str) -> C:
        raise NotImplementedError

    def session(self, session_id: str) -> C:
        """The session of an id, made if there is none."""
        session = self.sessions.get(session_id)
        if session is None:
            session = self.sessions[session_id] = self._make(session_id)
        return session

    def session_for(self, session_id: str) -> C:
        """The session that a message is for: updates may come before it is known, or too late."""
        if session_id in self._closed and session_id not in self.sessions:
            return self._make(session_id)  # which nobody will look at
        return self.session(session_id)

    def forget(self, session_id: str) -> None:
        """Take note that a session was closed; one that comes back meanwhile stays."""
        if session_id not in self._attaching:
            self.sessions.pop(session_id, None)
        self._closed.append(session_id)

    async def attach(self, session_id: str, call: Coroutine[Any, Any, Any]) -> C:
        """A session that comes back by a call; it takes the place of the one that was there.

        Raises:
            RuntimeError: a turn of that one is under way, or another such call.
        """
        before = self.sessions.get(session_id)
        if session_id in self._attaching or (before is not None and before.turns):
            call.close()
            what = "a return" if session_id in self._attaching else "a turn"
            raise RuntimeError(f"{what} of the session is under way: wait for its end")
        session = self.sessions[session_id] = self._make(session_id)
        self._attaching.add(session_id)
        with suppress(ValueError):
            self._closed.remove(session_id)
        try:
            session.response = await call
        except BaseException:
            del self.sessions[session_id]
            if before is not None and session_id not in self._closed:
                self.sessions[session_id] = before
            else:
                self._closed.append(session_id)
            raise
        finally:
            self._attaching.remove(session_id)
        return session


async def _settle(future: asyncio.Future[A], work: Coroutine[Any, Any, A]) -> None:
    """Do some work for whoever waits for a future, unless that is no longer waited for."""
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
