"""The base classes of the generated client sessions: cancelling, questions to the user, closing."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final, Generic, TypeVar

from ..aio.peer import Peer
from ..jsonrpc.errors import RESOURCE_NOT_FOUND, RequestError
from ..jsonrpc.events import Failure, Response
from ..jsonrpc.method import Method
from .state import State
from .turns import CANCELLED, Turn

A = TypeVar("A")  # the answer to a question
C = TypeVar("C", bound="ClientSession[Any, Any]")
S = TypeVar("S", bound=State[Any, Any])
U = TypeVar("U")  # a session update

# The statuses of finished tool calls. With any other status, a tool call is running.
FINISHED: Final = frozenset({"completed", "failed", CANCELLED})


class ClientSession(Generic[S, U]):
    """Base class of the generated client sessions.

    Attributes:
        peer: the agent.
        session_id: the id of the session.
        state: the state of the session after the updates that have arrived, see `SessionState`. It
            may be ahead of the update that a handler is called with.
        turns: the turns that are not over.
        response: the response to the request that opened the session, such as `session/new`.
    """

    response: Any = None

    def __init__(self, peer: Peer, session_id: str, state: S) -> None:
        self.peer = peer
        self.session_id = session_id
        self.state = state
        self.turns: list[Turn[U, Any, Any, Any]] = []
        self._questions: dict[asyncio.Future[None], str | None] = {}

    def activity(self) -> object:
        """Return the last update that tells whether the agent is busy; None if there is none."""
        return getattr(self.state, "state", None)

    def receive(self, update: U) -> None:
        """Apply an update to the state, and pass it to the turns that are not over."""
        self.state.apply(update)
        for turn in list(self.turns):
            turn.take(update)

    async def cancel(self) -> None:
        """Ask the agent to stop what it is doing in this session.

        At once, every unfinished tool call in `state` becomes cancelled, and every open permission
        request gets the cancelled outcome. Background work, as the agent reports it, is left alone.
        Updates are accepted as before. The turns end when the agent has stopped.
        Raises:
            ConnectionClosed: the connection has ended.
        """
        self.send_cancel()
        await self.peer.flush()

    def send_cancel(self) -> None:
        """Do the same as `cancel`, without waiting for room in the stream."""
        self.mark_cancelled()
        self._post_cancel()
        self.peer.send()

    def _post_cancel(self) -> None:
        raise NotImplementedError

    def mark_cancelled(self) -> None:
        """Mark turns and tool calls as cancelled, and answer open permission requests so."""
        background = self._background()
        for turn in self.turns:
            turn.is_cancelled = True
        calls: dict[str, Any] = getattr(self.state, "tool_calls", {})
        for tool_call_id, call in calls.items():
            if call.status not in FINISHED and tool_call_id not in background:
                call.status = CANCELLED
                self.state.tell("tool_calls", tool_call_id, call)
        for withdrawn, asked_about in self._questions.items():
            if asked_about not in background and not withdrawn.done():
                withdrawn.set_result(None)

    def _background(self) -> set[str]:
        """Return the ids of the tool calls in the background, which `cancel` does not end."""
        listed = getattr(self.activity(), "background", None) or ()
        return {item.tool_call_id for item in listed if hasattr(item, "tool_call_id")}

    async def ask(self, question: Any, answer: Coroutine[Any, Any, A], cancelled: A) -> A:
        """Answer a permission request, unless its tool call is cancelled first.

        Args:
            question: the params of the request.
            answer: asks the user; cancelled when its answer is no longer needed.
            cancelled: the answer if the tool call is cancelled.
        """
        # The tool call is in the subject of the question, or in the question itself.
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
        asking.add_done_callback(lambda _: answer.close())  # in case it never started
        try:
            first: list[asyncio.Future[Any]] = [asking, withdrawn]
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            pass  # the agent has cancelled its request, which gets the same answer
        else:
            if answered.done() and not withdrawn.done():
                return answered.result()
        finally:
            del self._questions[withdrawn]
        if not answered.cancel():
            answered.exception()  # asyncio reports an exception that is never retrieved
        asking.cancel()
        return cancelled


class Sessions(Generic[C]):
    """The sessions of a connection: a base class of the generated handlers of clients.

    Attributes:
        peer: the agent.
        sessions: the sessions by id.
    """

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.sessions: dict[str, C] = {}
        self._attaching: set[str] = set()
        self._strays: dict[str, None] = {}  # the sessions that only messages have named, in order
        self._closed: deque[str] = deque(maxlen=peer.limits.closed_sessions)

    def _make(self, session_id: str) -> C:
        raise NotImplementedError

    def session(self, session_id: str) -> C:
        """Return the session of an id, or add it."""
        self._strays.pop(session_id, None)
        session = self.sessions.get(session_id)
        if session is None:
            session = self.sessions[session_id] = self._make(session_id)
        return session

    def session_for(self, session_id: str) -> C:
        """Return the session that a message is for.

        Messages may arrive before the session is known, which adds it; or after it was closed,
        which does not. Of too many sessions that are only known so, the oldest is dropped.
        """
        if session_id in self._closed and session_id not in self.sessions:
            return self._make(session_id)  # takes the message and is dropped
        session = self.sessions.get(session_id)
        if session is None:
            session = self.sessions[session_id] = self._make(session_id)
            self._strays[session_id] = None
            if len(self._strays) > self.peer.limits.stray_sessions:
                oldest = next(iter(self._strays))
                del self._strays[oldest]
                self.sessions.pop(oldest, None)
        return session

    def disconnected(self) -> None:
        """End the turns: the agent has ended."""
        for session in list(self.sessions.values()):
            for turn in list(session.turns):
                turn.disconnect()

    def forget(self, session_id: str) -> None:
        """Remove a closed session, unless it is being attached again."""
        self._strays.pop(session_id, None)
        if session_id not in self._attaching:
            self.sessions.pop(session_id, None)
        self._closed.append(session_id)

    async def attach(self, session_id: str, method: Method[Any, Any], params: Any) -> C:
        """Load or resume a session. A new object replaces the one of the same id, if there is one.

        Args:
            session_id: the id of the session.
            method: the method, such as that of `session/load`.
            params: its params.

        Raises:
            RuntimeError: the session has a turn that is not over, or is being attached already.
        """
        before = self.sessions.get(session_id)
        if session_id in self._attaching or (before is not None and before.turns):
            is_attaching = session_id in self._attaching
            obstacle = "is already being attached" if is_attaching else "has a running turn"
            raise RuntimeError(f"the session {obstacle}: wait for its end")
        session = self.sessions[session_id] = self._make(session_id)
        self._strays.pop(session_id, None)
        self._attaching.add(session_id)
        with suppress(ValueError):
            self._closed.remove(session_id)

        def settle(event: Response | Failure) -> None:
            # At receipt: what arrives next is for the session that is there then.
            self._attaching.discard(session_id)
            if isinstance(event, Failure):
                self._restore(session_id, before)

        try:
            session.response = await self.peer.request(method, params, on_response=settle)
        except BaseException:
            if session_id in self._attaching:  # there was no response
                self._attaching.discard(session_id)
                self._restore(session_id, before)
            raise
        return session

    async def detach(self, session_id: str, method: Method[Any, Any], params: Any) -> None:
        """Close a session. It is no error if the agent does not know it.

        Args:
            session_id: the id of the session.
            method: the method, such as that of `session/close`.
            params: its params.
        """

        def settle(event: Response | Failure) -> None:
            # At receipt: what arrives next is too late for the session.
            if isinstance(event, Response) or _is_unknown(event.error):
                session = self.sessions.get(session_id)
                self.forget(session_id)
                for turn in list(session.turns) if session is not None else ():
                    turn.close()

        try:
            await self.peer.request(method, params, on_response=settle)
        except RequestError as error:
            if not _is_unknown(error):
                raise

    def _restore(self, session_id: str, before: C | None) -> None:
        del self.sessions[session_id]
        if before is not None and session_id not in self._closed:
            self.sessions[session_id] = before
        else:
            self._closed.append(session_id)


def _is_unknown(error: BaseException) -> bool:
    return isinstance(error, RequestError) and error.code == RESOURCE_NOT_FOUND


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
