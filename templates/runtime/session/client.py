"""The base classes of the generated client sessions: cancelling, questions to the user, closing."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, ClassVar, Final, Generic, TypeVar

from ..aio.ordering import waiting
from ..aio.peer import OnResponse, Peer
from ..jsonrpc.errors import RESOURCE_NOT_FOUND, RequestError
from ..jsonrpc.events import Failure, Response
from ..jsonrpc.method import Method
from ..values.deferred import dataclass
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

    def succeed(self, before: ClientSession[S, U]) -> None:
        """Take the place of another object of this session, which may still be in use."""
        self.turns, self._questions = before.turns, before._questions

    def activity(self) -> object:
        """Return the last update that tells whether the agent is busy; None if there is none."""
        return getattr(self.state, "state", None)

    def receive(self, update: U) -> None:
        """Apply an update to the state, and pass it to the turns that are not over."""
        try:
            self.state.apply(update)
        finally:  # turns do not depend on it
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


@dataclass(slots=True, eq=False)
class _Attaching(Generic[C]):
    """The loading or resuming of a session.

    Attributes:
        session: takes what the agent reports until it has answered.
        answered: set when the agent has answered, or the connection has ended.
        is_abandoned: whether the call was cancelled: nobody wants the session.
    """

    session: C
    answered: asyncio.Event
    is_abandoned: bool = False


class Sessions(Generic[C]):
    """The sessions of a connection: a base class of the generated handlers of clients.

    Attributes:
        peer: the agent.
        sessions: the sessions by id.
    """

    # The methods whose results name a new session.
    _openers: ClassVar[tuple[Method[Any, Any], ...]] = ()

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.sessions: dict[str, C] = {}
        self._attaching: dict[str, _Attaching[C]] = {}
        self._opening = 0  # how many requests for a new session have no response yet
        # In order: the sessions that only messages have named; those that were closed; and of these
        # the ones that messages name while a response may give their id to a new session.
        self._strays: dict[str, None] = {}
        self._closed: dict[str, None] = {}
        self._reopening: dict[str, C] = {}

    def _make(self, session_id: str) -> C:
        raise NotImplementedError

    def session(self, session_id: str) -> C:
        """Return the session of an id, or add it."""
        self._strays.pop(session_id, None)
        session = self.sessions.get(session_id)
        if session is None:
            session = self._reopening.pop(session_id, None) or self._make(session_id)
            self.sessions[session_id] = session
            self._closed.pop(session_id, None)
        return session

    def session_for(self, session_id: str) -> C:
        """Return the session that a message is for.

        Messages may arrive before the session is known, which adds it; or after it was closed,
        which does not, unless it is for a new session with the same id. Of too many sessions that
        are only known so, the oldest is dropped.
        """
        if self._attaching and (under_way := self._attaching.get(session_id)):
            return under_way.session
        session = self.sessions.get(session_id) or self._reopening.get(session_id)
        if session is not None:
            return session
        session = self._make(session_id)
        limit = self.peer.limits.stray_sessions
        if session_id not in self._closed:
            self.sessions[session_id] = session
            self._strays[session_id] = None
            if len(self._strays) > limit:
                self.sessions.pop(_pop_oldest(self._strays), None)
        elif self._opening:  # otherwise, the session takes the message and is dropped
            self._reopening[session_id] = session
            if len(self._reopening) > limit:
                _pop_oldest(self._reopening)
        return session

    def sent(self, method: Method[Any, Any], params: Any) -> OnResponse | None:
        """See `Handler`: a new session is there when the response names it, not a step later."""
        if method not in self._openers:
            return None
        self._opening += 1
        return self._take_opened

    def _take_opened(self, event: Response | Failure) -> None:
        self._opening -= 1
        if isinstance(event, Response):
            self.session(event.result.session_id).response = event.result
        if not self._opening:
            self._reopening.clear()

    def disconnected(self) -> None:
        """End the turns: the agent has ended."""
        for session in list(self.sessions.values()):
            for turn in list(session.turns):
                turn.disconnect()

    def forget(self, session_id: str) -> None:
        """Remove a closed session, unless it is being attached again."""
        self._strays.pop(session_id, None)
        under_way = self._attaching.get(session_id)
        if under_way is None or under_way.is_abandoned:
            self.sessions.pop(session_id, None)
        self._remember(session_id)

    def _remember(self, session_id: str) -> None:
        self._closed[session_id] = None
        if len(self._closed) > self.peer.limits.closed_sessions:
            _pop_oldest(self._closed)

    async def attach(self, session_id: str, method: Method[Any, Any], params: Any) -> C:
        """Load or resume a session. A new object replaces the one of the same id, if there is one.

        If this is cancelled, the one before is back at once, but takes no updates before the agent
        has answered: they repeat what it has.

        Args:
            session_id: the id of the session.
            method: the method, such as that of `session/load`.
            params: its params.

        Raises:
            RuntimeError: the session has a turn that is not over, or is being attached already.
        """
        while (under_way := self._attaching.get(session_id)) and under_way.is_abandoned:
            # What the agent still reports may be for the call that was cancelled. Its response
            # ends this wait, or the end of the connection.
            with waiting():
                await under_way.answered.wait()
        before = self.sessions.get(session_id)
        if under_way is not None or (before is not None and before.turns):
            obstacle = "has a running turn" if under_way is None else "is already being attached"
            raise RuntimeError(f"the session {obstacle}: wait for its end")
        session = self.sessions[session_id] = self._make(session_id)
        if before is not None:
            session.succeed(before)
        self._strays.pop(session_id, None)
        self._closed.pop(session_id, None)
        attaching = self._attaching[session_id] = _Attaching(session, asyncio.Event())

        def settle(event: Response | Failure | None) -> None:
            # At receipt: what arrives next is for the session that is there then.
            if not attaching.answered.is_set():
                attaching.answered.set()
                del self._attaching[session_id]
                if not (isinstance(event, Response) or attaching.is_abandoned):
                    self._restore(session_id, before)

        try:
            session.response = await self.peer.request(method, params, on_response=settle)
        except Exception:
            settle(None)  # in case nothing was sent
            raise
        except BaseException:  # this task is cancelled
            if not attaching.answered.is_set():
                attaching.is_abandoned = True
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
        if before is not None and session_id not in self._closed:
            self.sessions[session_id] = before
        else:
            del self.sessions[session_id]
            self._remember(session_id)


def _pop_oldest(entries: dict[str, Any]) -> str:
    oldest = next(iter(entries))
    del entries[oldest]
    return oldest


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
