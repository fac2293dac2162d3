"""The base classes of the generated client sessions: cancelling, questions to the user, closing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, ClassVar, Final, Generic, TypeVar

from ..aio.ordering import waiting
from ..aio.peer import OnResponse, Peer
from ..jsonrpc.errors import RESOURCE_NOT_FOUND, RequestError
from ..jsonrpc.events import Failure, Response
from ..jsonrpc.logs import logger_of
from ..jsonrpc.method import Handler, Method, name_of
from ..values.deferred import dataclass
from ..values.errors import quotation
from .state import State
from .turns import CANCELLED, Turn, close_turns, deliver, disconnect_turns

A = TypeVar("A")  # the answer to a question
C = TypeVar("C", bound="ClientSession[Any, Any, Any]")
P = TypeVar("P")  # a request
Q = TypeVar("Q")  # a question to the user
S = TypeVar("S", bound=State[Any, Any, Any])
U = TypeVar("U")  # a session update

# The statuses of finished tool calls. With any other status, a tool call is running.
FINISHED: Final = frozenset({"completed", "failed", CANCELLED})

_log = logger_of(__name__)

# The session whose replay the update is part of that the current task handles.
_replaying: ContextVar[object] = ContextVar("_replaying", default=None)


class ClientSession(Generic[S, U, Q]):
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
        self.peer = peer
        self.session_id = session_id
        self.state = state
        self.turns: list[Turn[U, Any, Any, Any]] = []
        self.questions: dict[int, Q] = {}
        self._count = 0
        # Set when the answer to a request for permission is not needed any more, with the id of the
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
        subject = _subject_of(question)
        tool_call_id = getattr(getattr(subject, "tool_call", subject), "tool_call_id", None)
        is_cancelled = bool(self.turns) and all(turn.is_cancelled for turn in self.turns)
        if is_cancelled and tool_call_id not in self._background():
            answer.close()
            return cancelled
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[A] = loop.create_future()
        withdrawn: asyncio.Future[None] = loop.create_future()
        self._withdrawals[withdrawn] = tool_call_id
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


def _subject_of(question: Any) -> Any:
    """Return what a request for permission is about: its subject, or the request itself."""
    return getattr(question, "subject", None) or question


@dataclass(slots=True, eq=False)
class _Attaching(Generic[C]):
    """The loading or resuming of a session.

    Attributes:
        session: takes what the agent reports until it has answered.
        answered: set when the agent has answered, or the connection has ended.
        before: the contents of its state before, to restore; None if the session was not open.
        is_abandoned: whether the call was cancelled: nobody wants the session.
    """

    session: C
    answered: asyncio.Event
    before: Mapping[str, Any] | None
    is_abandoned: bool = False


def client_of(peer: Peer, cls: type[Handler]) -> Any:
    """Return the handler of a connection that is ready for sessions.

    Args:
        peer: the agent.
        cls: the class of handlers that keeps the sessions of a surface.

    Raises:
        TypeError: the handler is not of that class.
        RuntimeError: the connection is not initialized.
    """
    handler: Any = peer.handler
    keeps_sessions = isinstance(handler, Sessions)
    if keeps_sessions and handler.surface is not cls.surface:
        spoken = name_of(handler.surface)
        raise TypeError(f"this connection speaks {spoken}: use {spoken}.ClientSession")
    if handler is not None and not isinstance(handler, cls):
        raise TypeError("sessions need a SessionClient as the handler of their connection")
    if handler is None or peer.advertised is None:
        raise RuntimeError("sessions need an initialized connection: call initialize first")
    return peer.handler


class Sessions(Handler, Generic[C]):
    """The sessions of a connection: a base class of the generated handlers of clients.

    Attributes:
        sessions: the sessions by id.
        keep_state: whether sessions keep their state; otherwise, only what the next update depends
            on.
    """

    keep_state: ClassVar[bool] = True
    # The methods whose results name a new session.
    _openers: ClassVar[tuple[Method[Any, Any], ...]] = ()
    # The notification that carries updates, the request for permission, and other questions.
    _update: ClassVar[Method[Any, Any]]
    _permission: ClassVar[Method[Any, Any]]
    _questions: ClassVar[tuple[Method[Any, Any], ...]] = ()
    # The class of the sessions.
    _session_class: ClassVar[type[Any]]

    def __init__(self, peer: Peer | None = None) -> None:
        """Start without sessions.

        Args:
            peer: the agent; None for a client that is connected later.
        """
        self._begin(peer)

    def _begin(self, peer: Peer | None) -> None:
        self._peer = peer
        self._is_connected = False
        self.sessions: dict[str, C] = {}
        self._attaching: dict[str, _Attaching[C]] = {}
        self._opening = 0  # how many requests for a new session have no response yet
        # In order: the sessions that only messages have named; those that were closed; and of these
        # the ones that messages name while a response may give their id to a new session.
        self._strays: dict[str, None] = {}
        self._closed: dict[str, None] = {}
        self._reopening: dict[str, C] = {}
        # The updates of replays that no handler was called for so far, each with its session, by
        # the identity of their params.
        self._replayed: dict[int, tuple[Any, C]] = {}
        self._logged: set[str] = set()

    @property
    def peer(self) -> Peer:
        """The agent.

        Raises:
            RuntimeError: the client has no connection.
        """
        if self._peer is None:
            raise RuntimeError("the client has no connection yet: pass it to connect")
        return self._peer

    def connected(self, peer: Any) -> None:
        """Begin a connection; a client may have one after another, each without sessions.

        Raises:
            RuntimeError: the client has another connection.
        """
        if self._peer is not peer:
            if self._is_connected:
                raise RuntimeError("the client has a connection: pass its class to have several")
            self._begin(peer)
        self._is_connected = True

    def _make(self, session_id: str) -> C:
        session: C = self._session_class(self, session_id)
        return session

    def _cancelled(self) -> Any:
        """Return the answer to a request for permission whose tool call was cancelled."""
        raise NotImplementedError

    def require(self, cls: type[Any]) -> None:
        """Check that the sessions are of a class.

        Raises:
            TypeError: they are not.
        """
        if not issubclass(self._session_class, cls):
            own, wanted = self._session_class.__name__, cls.__name__
            raise TypeError(
                f"the sessions of {type(self).__name__} are of the class {own}, not {wanted}: "
                f"extend SessionClient[{wanted}]"
            )

    def session(self, session_id: str) -> C:
        """Return the session of an id, or add it."""
        self._strays.pop(session_id, None)
        session = self.sessions.get(session_id)
        if session is None:
            session = self._reopening.pop(session_id, None)
            session = self._make(session_id) if session is None else session
            self.sessions[session_id] = session
            self._closed.pop(session_id, None)
        return session

    def session_for(self, session_id: str) -> C:
        """Return the session that a message is for.

        Messages may arrive before the session is known, which adds it; or after it was closed,
        which does not, unless it is for a new session with the same id. Of too many sessions that
        are only known so, the oldest is dropped.
        """
        session = self._find(session_id)
        return self._make(session_id) if session is None else session

    def _find(self, session_id: str) -> C | None:
        """Return the session that a message is for, or add it; None if it was closed."""
        if self._attaching and (under_way := self._attaching.get(session_id)):
            return under_way.session
        session = self.sessions.get(session_id)
        if session is not None:
            return session
        session = self._reopening.get(session_id)
        if session is not None or (session_id in self._closed and not self._opening):
            return session
        session = self._make(session_id)
        limit = self.peer.limits.stray_sessions
        if session_id in self._closed:
            self._reopening[session_id] = session
            if len(self._reopening) > limit:
                _pop_oldest(self._reopening)
        else:
            self.sessions[session_id] = session
            self._strays[session_id] = None
            if len(self._strays) > limit:
                self.sessions.pop(_pop_oldest(self._strays), None)
        return session

    # --- what arrives ------------------------------------------------------------------------

    def received(self, method: Method[Any, Any], params: Any) -> None:
        """Apply updates to the state of their session as they arrive, and tell its turns.

        The tool call of a request for permission is an update, too.
        """
        if method is self._update:
            session = self._find(params.session_id)
            if self._strays and not self._opening and params.session_id in self._strays:
                self._log_once(
                    "stray",
                    f"an update arrived for session {quotation(params.session_id)}, which this "
                    "client has not opened",
                )
            if session is None:
                return
            under_way = self._attaching.get(params.session_id)
            if under_way is not None:
                self._replayed[id(params)] = params, session
            try:
                if under_way is None or not under_way.is_abandoned:
                    self._apply(session, params.update)
            finally:  # turns do not depend on it
                if session.turns:
                    deliver(session.turns, params.update)
        elif method is self._permission:
            session = self._find(params.session_id)
            call: Any = getattr(_subject_of(params), "tool_call", None)
            if session is not None and session.state.has_rule(call):
                self._apply(session, call)

    def _apply(self, session: C, update: Any) -> None:
        session.state.apply(update)
        if not self.keep_state:
            session.state.trim()

    def handle(self, method: Method[Any, Any], params: Any) -> Coroutine[Any, Any, Any]:
        """Call the Python method; a cancelled permission request does not wait for its answer."""
        handling = super().handle(method, params)
        if method is self._update:
            if self._replayed and (found := self._replayed.pop(id(params), None)):
                return _handle_replayed(found[1], handling)
        elif method is self._permission:
            return self._permit(params, handling)
        elif method in self._questions and isinstance(getattr(params, "session_id", None), str):
            session = self.session_for(params.session_id)
            return session._ask(params, handling)  # pyright: ignore[reportPrivateUsage]
        return handling

    async def _permit(self, params: Any, handling: Coroutine[Any, Any, A]) -> A:
        session = self.session_for(params.session_id)
        ask = session._ask_permission  # pyright: ignore[reportPrivateUsage]
        answer: A = await ask(params, handling, self._cancelled())
        selected = getattr(getattr(answer, "outcome", None), "option_id", None)
        if selected is not None and selected not in [each.option_id for each in params.options]:
            self._log_once(
                "option",
                f"a request for permission is answered with the option {quotation(selected)}, "
                "which the agent did not offer",
            )
        return answer

    def _log_once(self, kind: str, message: str) -> None:
        """Log a warning, unless one of its kind was logged on this connection."""
        if kind not in self._logged:
            self._logged.add(kind)
            _log.warning("%s; others are not logged", message)

    def sent(self, method: Method[Any, Any], params: Any) -> OnResponse | None:
        """See `Handler`: a new session is there when the response names it, not a step later."""
        if method in self._openers:
            self._opening += 1
            return partial(self._take_opened, params)
        session_id = getattr(params, "session_id", None)
        return None if session_id is None else partial(self._take_result, session_id, params)

    def _take_opened(self, params: Any, event: Response | Failure) -> None:
        self._opening -= 1
        if isinstance(event, Response):
            session = self.session(event.result.session_id)
            session.response = event.result
            session.state.seed(event.method.name, params, event.result)
        if not self._opening:
            self._reopening.clear()

    def _take_result(self, session_id: str, params: Any, event: Response | Failure) -> None:
        session = self.sessions.get(session_id)
        if isinstance(event, Response) and session is not None:
            session.state.seed(event.method.name, params, event.result)

    def disconnected(self) -> None:
        """End the turns: the agent has ended."""
        self._is_connected = False
        for session in list(self.sessions.values()):
            disconnect_turns(session.turns)

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
        """Load or resume a session. If it is open, its state begins anew.

        If that fails or is cancelled, the state is as before. A session whose loading was cancelled
        takes no updates before the agent has answered: they repeat what it has.

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
        session = self.sessions.get(session_id)
        if under_way is not None or (session is not None and session.turns):
            obstacle = "has a running turn" if under_way is None else "is already being attached"
            raise RuntimeError(f"the session {obstacle}: wait for its end")
        is_new = session is None
        if session is None:
            session = self.sessions[session_id] = self._make(session_id)
        self._strays.pop(session_id, None)
        self._closed.pop(session_id, None)
        before = session.state.begin_replay()
        attaching = self._attaching[session_id] = _Attaching(
            session, asyncio.Event(), None if is_new else before
        )

        def settle(event: Response | Failure | None) -> None:
            # At receipt: what arrives next is for the session as it is then.
            if not attaching.answered.is_set():
                attaching.answered.set()
                del self._attaching[session_id]
                if attaching.is_abandoned:
                    return
                if isinstance(event, Response):
                    session.state.end_replay()
                    session.response = event.result
                    session.state.seed(method.name, params, event.result)
                else:
                    self._give_up(attaching)

        try:
            await self.peer.request(method, params, on_response=settle)
        except Exception:
            settle(None)  # in case nothing was sent
            raise
        except BaseException:  # this task is cancelled
            if not attaching.answered.is_set():
                attaching.is_abandoned = True
                self._give_up(attaching)
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
                if session is not None:
                    close_turns(session.turns)

        try:
            await self.peer.request(method, params, on_response=settle)
        except RequestError as error:
            if not _is_unknown(error):
                raise

    def _give_up(self, attaching: _Attaching[C]) -> None:
        """Restore the state of a session that does not come back; drop one that was not open."""
        session_id = attaching.session.session_id
        attaching.session.state.end_replay(attaching.before)
        if attaching.before is None or session_id in self._closed:
            self.sessions.pop(session_id, None)
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


async def _handle_replayed(session: object, handling: Coroutine[Any, Any, A]) -> A:
    """Handle an update that is part of a replay."""
    token = _replaying.set(session)
    try:
        return await handling
    finally:
        _replaying.reset(token)
