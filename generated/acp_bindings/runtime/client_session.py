# Made by acpgen 0.1.0 from templates/runtime/client_session.py.
# Do not edit it; make it again with acpgen.

"""What the generated client sessions are made of: turns, cancelling, questions to the user."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar

from .aio import Peer
from .errors import REQUEST_CANCELLED, ConnectionClosed
from .state import State

if TYPE_CHECKING:
    from typing_extensions import Self

A = TypeVar("A")  # the answer to a question
C = TypeVar("C", bound="ClientSession[Any, Any]")
E = TypeVar("E")  # what ends a turn
G = TypeVar("G")  # usage
R = TypeVar("R")  # the response to a prompt
S = TypeVar("S", bound="State[Any, Any]")
U = TypeVar("U")  # a session update

# How many closed sessions are remembered, so that what comes late for them is told apart.
_LATE = 100
CANCELLED: Final = "cancelled"
# The states from which a tool call does not go on. Any other one counts as under way.
FINISHED: Final = frozenset({"completed", "failed", CANCELLED})


class Turn(Generic[U, R, E, G]):
    """A prompt, and what the agent does about it until it stops.

    A context manager, which sends the prompt and at its end waits for that of the turn; and an
    iterator over the updates of the session meanwhile. When the block is left by an exception, or
    the wait at its end is cancelled, so is the turn, and nothing is waited for.

    Attributes:
        prompt: what was sent.
        response: the response to the prompt; None before it is there.
        ending: what said that the turn is over; None before, and when the turn failed.
        stop_reason: why the agent stopped; None before, and if it did not say.
        is_cancelled: whether this side has cancelled it.
    """

    # The stop reasons that the schema lists; the kinds of updates that report usage.
    _stop_reasons: ClassVar[frozenset[str]] = frozenset()
    _reports: ClassVar[tuple[type, ...]] = ()

    def __init__(
        self,
        session: ClientSession[Any, U],
        prompt: Sequence[Any],
        send: Callable[[], Coroutine[Any, Any, R]],
    ) -> None:
        self.prompt = prompt
        self.response: R | None = None
        self.ending: E | None = None
        self.stop_reason: str | None = None
        self.is_cancelled = False
        self._session = session
        self._send = send
        self._task: asyncio.Task[None] | None = None
        self._updates: asyncio.Queue[U | None] = asyncio.Queue()  # None is its end
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._has_usage = False

    @property
    def is_over(self) -> bool:
        """Whether the agent has stopped, or the turn has failed."""
        return self._over.done()

    @property
    def known_stop_reason(self) -> str | None:
        """The stop reason if the schema lists it. None for any other: show a generic stop."""
        return self.stop_reason if self.stop_reason in self._stop_reasons else None

    @property
    def usage(self) -> G | None:
        """What the agent used: as the ending says, else as the last update of the turn said."""
        said: G | None = getattr(self.ending, "usage", None) or None
        if said is None and self._has_usage:
            said = getattr(self._session.state, "usage", None)
        return said

    async def cancel(self) -> None:
        """Ask the agent to stop, see `ClientSession.cancel`; the turn goes on until it does."""
        if self._task is not None and not self.is_over:
            await self._session.cancel()

    async def __aenter__(self) -> Self:
        """Send the prompt.

        Raises:
            CapabilityError: the agent did not advertise that it takes such content.
            EncodeError: the prompt cannot be written as JSON.
            ConnectionClosed: the connection has ended.
        """
        if self._task is not None:
            raise RuntimeError("a turn cannot be entered twice; make another one")
        self._session.turns.append(self)
        self._task = asyncio.create_task(self._run())
        try:
            await asyncio.sleep(0)  # the prompt is sent in the first step of the task
        except asyncio.CancelledError:
            self._abandon()
            raise
        if self.is_over:
            self._over.result()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            self._abandon()
            return
        try:
            await asyncio.wait([self._over])
        except asyncio.CancelledError:
            self._abandon()
            raise
        self._over.result()

    def _abandon(self) -> None:
        """Cancel the turn without waiting, not even for an agent that no longer reads."""
        if not self.is_over:
            with suppress(ConnectionClosed):  # which is no news then
                self._session.send_cancel()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> U:
        """The next update.

        Raises:
            StopAsyncIteration: the turn is over.
            RequestError: the agent has answered the prompt with an error.
            DecodeError: the answer is no response to a prompt.
            ConnectionClosed: the connection ended before the turn did.
        """
        update = await self._updates.get()
        if update is None:
            self._updates.put_nowait(None)
            self._over.result()
            raise StopAsyncIteration
        return update

    async def _run(self) -> None:
        try:
            self.response = await self._send()
            await self._accept(self.response)
        except Exception as error:
            # What was not accepted when it was cancelled is answered so.
            if self.is_cancelled and getattr(error, "code", None) == REQUEST_CANCELLED:
                self._end(None, CANCELLED)
            else:
                self._end(error=error)

    async def _accept(self, response: R) -> None:
        raise NotImplementedError

    def take(self, update: U) -> None:
        """Take an update of the session, when the state has changed by it."""
        self._has_usage = self._has_usage or isinstance(update, self._reports)
        self._updates.put_nowait(update)

    def close(self) -> None:
        """Nothing more comes: the session was closed."""

    def _end(
        self,
        ending: E | None = None,
        stop_reason: str | None = None,
        error: BaseException | None = None,
    ) -> None:
        if self.is_over:
            return
        self._session.turns.remove(self)
        self.ending, self.stop_reason = ending, stop_reason or None
        if error is None:
            self._over.set_result(None)
        else:
            self._over.set_exception(error)
            self._over.exception()  # it is raised where the turn is waited for, if anywhere
        self._updates.put_nowait(None)


class AnsweredTurn(Turn[U, R, R, G]):
    """A turn that ends with the response to the prompt, as in protocol 1.

    The agent does not report the prompt, so that it is added to the state here.
    """

    # The kind of updates that add a block to the user's message.
    _chunk: ClassVar[type]

    async def __aenter__(self) -> Self:
        """See `Turn`."""
        try:
            await super().__aenter__()
        except asyncio.CancelledError:
            self._insert()
            raise
        self._insert()
        return self

    def _insert(self) -> None:
        for block in self.prompt:
            self._session.state.apply(self._chunk(content=block))

    async def _accept(self, response: R) -> None:
        self._end(response, getattr(response, "stop_reason", None))


class ReportedTurn(Turn[U, R, E, G]):
    """A turn whose prompt is accepted by the response, and which ends with an update.

    That is the update that says that the agent is idle, after it was busy. It may come before the
    response; whether it then belongs to this prompt shows in the order of things: the message was
    part of the conversation before it, or, where the agent reports no messages, it took up work.
    """

    # The kinds of updates that say that the agent is idle, that it is not, and that a message of
    # the user is part of the conversation.
    _idle: ClassVar[tuple[type, ...]] = ()
    _busy: ClassVar[tuple[type, ...]] = ()
    _inserts: ClassVar[tuple[type, ...]] = ()

    def __init__(
        self,
        session: ClientSession[Any, U],
        prompt: Sequence[Any],
        send: Callable[[], Coroutine[Any, Any, R]],
    ) -> None:
        super().__init__(session, prompt, send)
        self._is_busy = False
        self._is_closed = False
        self._has_begun = False
        self._inserted: set[str] = set()
        # Before the response: idle updates, whether work had begun, what had been inserted.
        self._candidates: list[tuple[Any, bool, frozenset[str]]] = []

    async def __aenter__(self) -> Self:
        """See `Turn`.

        Raises:
            RuntimeError: this is the handler of an update of the session, which the updates that
                the turn ends with have to wait for.
        """
        if self._session.peer.is_handling(self._session.session_id):
            message = "a turn cannot be waited for where an update of its session is handled"
            raise RuntimeError(f"{message}; start a task for it, such as with `peer.spawn`")
        self._is_busy = isinstance(self._session.activity(), self._busy)
        return await super().__aenter__()

    def take(self, update: Any) -> None:
        """See `Turn`."""
        super().take(update)
        if isinstance(update, self._inserts):
            self._inserted.add(getattr(update, "message_id", ""))
        elif isinstance(update, self._busy):
            self._has_begun = self._has_begun or not self._is_busy
            self._is_busy = True
        elif isinstance(update, self._idle) and self._is_busy:  # else it only says so again
            self._is_busy = False
            if self.response is None:
                inserted = frozenset(self._inserted)
                self._candidates.append((update, self._has_begun, inserted))
            else:
                self._end_idle(update)

    async def _accept(self, response: R) -> None:
        message_id = getattr(response, "message_id", None)
        for update, has_begun, inserted in self._candidates:
            if message_id in inserted or (has_begun and not inserted):
                self._end_idle(update)
                return
        if self._is_closed:
            self._end(None, CANCELLED)
            return
        ended = asyncio.create_task(self._session.peer.wait_ended())
        await asyncio.wait([self._over, ended], return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        self._end(error=ConnectionClosed("the connection ended before the turn did"))

    def close(self) -> None:
        """See `Turn`."""
        self._is_closed = True
        if self.response is not None:
            self._end(None, CANCELLED)

    def _end_idle(self, update: Any) -> None:
        self._end(update, update.stop_reason)


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
        self.withdraw()
        self._post_cancel()
        self.peer.send()

    def _post_cancel(self) -> None:
        raise NotImplementedError

    def withdraw(self) -> None:
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

    def addressed(self, session_id: str) -> C:
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
