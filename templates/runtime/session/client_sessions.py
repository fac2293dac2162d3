"""The sessions of a client: opened, loaded, closed, or known only from messages.

Rules:

1. When an update arrives, it is applied to its session's state and then delivered to the session's
   turns. Handlers are called later, in order (`received`).
2. A new session exists as soon as the response that opens it arrives. The session's state
   includes updates that arrived before the response (`sent`).
3. Loading an open session resets its state. If loading fails or is cancelled, the previous state is
   restored. After a cancelled load, updates are ignored until the load's response arrives
   (`attach`).
4. Messages for a closed session are ignored unless a pending request might open a new session with
   the same id (see `session_registry`).
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Awaitable, Coroutine, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ..aio.handling import waiting
from ..aio.peer import Peer
from ..jsonrpc.errors import RESOURCE_NOT_FOUND, RequestError
from ..jsonrpc.events import Failure, OnResponse, Response
from ..jsonrpc.handler import Handler
from ..jsonrpc.logs import call_back, logger_of
from ..jsonrpc.method import Method, name_of
from ..values.deferred import dataclass
from ..values.errors import quotation
from .classes import require_initialized
from .client import ClientSession, handle_replayed
from .permissions import agent_name, reject, subject_of, unused_permissions
from .session_registry import SessionRegistry
from .setup import SessionSetup
from .turn_phases import Habits
from .turns import disconnect_turns, repeats_prompt

if TYPE_CHECKING:
    from .permissions import PermissionPolicy

A = TypeVar("A")  # the result of a handler
C = TypeVar("C", bound=ClientSession[Any, Any, Any])

_log = logger_of(__name__)

_NOT_BASE64 = "the output of a terminal is not base64; keeping the update without the output"


@dataclass(slots=True, eq=False)
class _Attaching(Generic[C]):
    """The process of loading or resuming a session.

    Attributes:
        session: the session, which receives the agent's updates until the response arrives.
        answered: set when the response arrives or the connection closes.
        before: the previous contents of the session's state, to be restored after a failure; None
            if the session was not open.
        setup: the session's previous setup.
        keeps_state: whether to keep the previous state if the agent doesn't replay the session.
        is_abandoned: whether the call was cancelled, which means that the session is no longer
            needed.
    """

    session: C
    answered: asyncio.Event
    before: Mapping[str, Any] | None
    setup: SessionSetup
    keeps_state: bool = False
    is_abandoned: bool = False


def client_of(peer: Peer, cls: type[Handler]) -> Any:
    """Return an initialized connection's handler, which must be an instance of `cls`.

    Raises:
        TypeError: If the handler isn't an instance of `cls`.
        RuntimeError: If the connection is not initialized.
    """
    handler: Any = peer.handler
    keeps_sessions = isinstance(handler, Sessions)
    if keeps_sessions and handler.surface is not cls.surface:
        spoken = name_of(handler.surface)
        raise TypeError(f"this connection speaks {spoken}; use {spoken}.ClientSession")
    if handler is not None and not isinstance(handler, cls):
        raise TypeError(
            "the connection's handler is not a SessionClient; pass a SessionClient to use sessions"
        )
    if handler is None or peer.advertised is None:
        raise RuntimeError("the connection is not initialized; call initialize first")
    return peer.handler


class Sessions(Handler, Generic[C]):
    """Base class of the generated client handlers, which manage the sessions of a connection.

    Attributes:
        sessions: the sessions by id.
        keep_state: whether sessions retain their entire state, or only the parts that the next
            update depends on.
        habits: the observed behavior of the agent, which can affect when turns end.
        check_capabilities: whether the stub `agent` and the sessions reject calls that require an
            unadvertised capability; see `Stub`.
        permissions: the object that responds to permission requests, such as an instance of the
            `kit` class `Permissions`. If it is None, requests are rejected unless the class
            overrides the method that handles them.
    """

    permissions: PermissionPolicy | None = None
    keep_state: ClassVar[bool] = True
    check_capabilities: bool = True
    # The methods whose results contain the id of a new session.
    _openers: ClassVar[tuple[Method[Any, Any], ...]] = ()
    # The methods for updates, for permission requests, and for other requests to the user.
    _update: ClassVar[Method[Any, Any]]
    _permission: ClassVar[Method[Any, Any]]
    _questions: ClassVar[tuple[Method[Any, Any], ...]] = ()
    # The class of the sessions.
    _session_class: ClassVar[type[Any]]

    def __init__(self, peer: Peer | None = None) -> None:
        """Create a client that has no sessions yet.

        Args:
            peer: the connection to the agent; None if the client is connected later.
        """
        super().__init__(peer)
        # Whether a mixin also defines `received`. Checking this once speeds up message processing.
        following: Any = super().received
        self._has_more = following.__func__ is not Handler.received
        self._begin(peer)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Warn if a method ignores the permissions, unless a base class already did."""
        super().__init_subclass__(**kwargs)
        bases: list[Any] = [base for base in cls.__bases__ if hasattr(base, "_unused_permissions")]
        warning = cls._unused_permissions(cls.permissions)
        if warning and not any(base._unused_permissions(base.permissions) for base in bases):
            from ..jsonrpc.handler_checks import level_of_class  # as in `Handler`

            warnings.warn(warning, stacklevel=level_of_class())

    @classmethod
    def _unused_permissions(cls, permissions: object) -> str | None:
        """Return a warning, if any, about permissions that a method of the class ignores."""
        owner = next((base for base in cls.__mro__ if "_permission" in vars(base)), None)
        if permissions is None or owner is None:
            return None
        return unused_permissions(cls, cls._permission.handler, owner)

    def _begin(self, peer: Peer | None) -> None:
        self._peer = peer
        self._is_connected = False
        self.habits = Habits()
        self._registry = SessionRegistry(self._make, lambda: self.peer.limits)
        self.sessions: dict[str, C] = self._registry.sessions
        self._attaching: dict[str, _Attaching[C]] = {}
        # The replayed updates that haven't been passed to their handlers yet: maps the identity of
        # an update's params to the params and the session.
        self._replayed: dict[int, tuple[Any, C]] = {}
        # The ids of sessions that were closed during a turn. Closing a session cancels its turns,
        # so late permission requests still receive the cancelled outcome. This is a subset of
        # `SessionRegistry.closed`, whose size is limited.
        self._closed_in_turn: set[str] = set()
        self._logged: set[str] = set()

    @property
    def peer(self) -> Peer:
        """The connection to the agent.

        Raises:
            RuntimeError: If the client has no connection.
        """
        if self._peer is None:
            raise RuntimeError("the client has no connection; pass it to connect")
        return self._peer

    def connected(self, peer: Any) -> Awaitable[None] | None:
        """Begin a connection, which has no sessions yet.

        A client can have several connections, one after another.

        Raises:
            RuntimeError: If the client already has a connection.
            TypeError: If a subclass does not call the `__init__` of this class.
        """
        require_initialized(self, "_peer")
        if self._peer is not peer:
            if self._is_connected:
                raise RuntimeError(
                    "the client already has a connection; for several connections, pass its class"
                )
            self._begin(peer)
        self._is_connected = True
        # If the permissions are a class attribute, the class definition already caused a warning.
        warning = self._unused_permissions(vars(self).get("permissions"))
        if warning is not None:
            _log.warning(warning)
        return super().connected(peer)

    def _make(self, session_id: str) -> C:
        session: C = self._session_class(self, session_id)
        require_initialized(session, "peer", "client, session_id")
        return session

    def _cancelled(self) -> Any:
        """Return the response to a permission request for a cancelled tool call."""
        raise NotImplementedError

    def require(self, cls: type[Any]) -> None:
        """Check that the session class is a subclass of the given class.

        Raises:
            TypeError: If the session class is not a subclass of the given class.
        """
        if not issubclass(self._session_class, cls):
            own, wanted = self._session_class.__name__, cls.__name__
            raise TypeError(
                f"the session class of {type(self).__name__} is {own}, not {wanted}; "
                f"extend SessionClient[{wanted}]"
            )

    def session(self, session_id: str) -> C:
        """Return the session with the given id, adding it if it is new."""
        return self._registry.open(session_id)

    def session_for(self, session_id: str) -> C:
        """Return the session that a message belongs to. A closed session is not added again."""
        session = self._find(session_id)
        return self._make(session_id) if session is None else session

    def _find(self, session_id: str) -> C | None:
        """Return a message's session, adding it if it is new, or None if the session was closed."""
        if self._attaching and (under_way := self._attaching.get(session_id)):
            return under_way.session
        session = self.sessions.get(session_id)
        return self._registry.named(session_id) if session is None else session

    # --- incoming messages -------------------------------------------------------------------

    def received(self, method: Method[Any, Any], params: Any) -> None:
        """Apply updates to their session's state when they arrive, and notify the session's turns.

        The tool call in a permission request is also applied as an update.
        """
        if self._has_more:
            super().received(method, params)
        if method is self._update:
            session_id: str = params.session_id
            session = self._find(session_id)
            # While a new session is being opened, any unknown id might belong to that session.
            registry = self._registry
            if registry.strays and not registry.opening and session_id in registry.strays:
                self._log_once(
                    "stray",
                    f"an update arrived for session {quotation(session_id)}, which this client "
                    "has not opened",
                )
            if session is None:
                return
            under_way = self._attaching.get(session_id)
            if under_way is not None and not self.ignores(method):
                # Also store the params to keep them alive, since a deleted object's identity can be
                # reused.
                self._replayed[id(params)] = params, session
            turns = [*session.abandoned, *session.turns]
            try:
                if under_way is None:
                    if not (turns and repeats_prompt(turns, params.update)):
                        self._apply(session, params.update)
                        session.running_calls.take(params.update)
                elif not under_way.is_abandoned:
                    self._apply(session, params.update)
            finally:  # notify turns even if the update can't be applied
                session._deliver(params.update)  # pyright: ignore[reportPrivateUsage]
        elif method is self._permission:
            session = self._find(params.session_id)
            call: Any = getattr(subject_of(params), "tool_call", None)
            if session is not None and session.state.has_rule(call):
                self._apply(session, call)
                session.running_calls.take(call)

    def _apply(self, session: C, update: Any) -> None:
        is_applied = session.state.apply(update)
        invalid = None if is_applied else session.state.invalid_data(update)
        if invalid is not None:
            pointer, data = invalid
            where = f"/params/update{pointer}"
            self.peer.report_accepted(_NOT_BASE64, data, self._update.name, where)
        if not self.keep_state:
            session.state.trim()

    def handle(self, method: Method[Any, Any], params: Any) -> Coroutine[Any, Any, Any]:
        """Call the Python method for a message. Make permission requests cancellable."""
        handling = super().handle(method, params)
        if method is self._update:
            if self._replayed and (replayed := self._replayed.pop(id(params), None)):
                return handle_replayed(replayed[1], handling)
        elif method is self._permission:
            return self._permit(params, handling)
        elif method in self._questions and isinstance(getattr(params, "session_id", None), str):
            session = self.session_for(params.session_id)
            return session._ask(params, handling)  # pyright: ignore[reportPrivateUsage]
        return handling

    def ignores(self, method: Method[Any, Any]) -> bool:
        return self._inherits(method, Sessions, Handler)

    async def _permit(self, params: Any, handling: Coroutine[Any, Any, A]) -> A:
        """Respond to a permission request. Warn if the selected option was not offered."""
        session = self._find(params.session_id)
        if session is None:
            if params.session_id in self._closed_in_turn:
                handling.close()
                cancelled: A = self._cancelled()
                return cancelled
            session = self._make(params.session_id)
        ask = session._ask_permission  # pyright: ignore[reportPrivateUsage]
        answer: A = await ask(params, handling, self._cancelled())
        selected = getattr(getattr(answer, "outcome", None), "option_id", None)
        if selected is not None and selected not in [option.option_id for option in params.options]:
            self._log_once(
                "option",
                f"the response to a permission request selects the option {quotation(selected)}, "
                "which the agent did not offer",
            )
        return answer

    async def _select_option(self, params: Any) -> str | None:
        """Return the id of the option to select for a permission request, or None to cancel it."""
        if self.permissions is None:
            return reject(self, self._permission.handler, params.options)
        session = self.session_for(params.session_id)
        return await self.permissions.answer_request(
            params,
            getattr(session.state, "tool_calls", {}),
            agent=agent_name(self.peer.advertised),
            cwd=session.cwd,
        )

    def _log_once(self, kind: str, message: str) -> None:
        """Log a warning unless one of the same kind has already been logged on this connection."""
        if kind not in self._logged:
            self._logged.add(kind)
            _log.warning("%s; further occurrences are not logged", message, extra={"kind": kind})

    def sent(self, method: Method[Any, Any], params: Any) -> OnResponse | None:
        """Open a session as soon as the response that creates it arrives; see `Handler.sent`."""
        other = super().sent(method, params)
        if method in self._openers:
            self._registry.begin()
            return _both(partial(self._take_opened, params), other)
        session_id = getattr(params, "session_id", None)
        if session_id is None:
            return other
        return _both(partial(self._take_result, session_id, params), other)

    def _take_opened(self, params: Any, event: Response | Failure) -> None:
        try:
            # If updates arrived before the response, the session already exists and includes them.
            if isinstance(event, Response):
                session = self.session(event.result.session_id)
                session.response = event.result
                session.settle_in(params)
                session.state.apply_response(event.method.name, params, event.result)
        finally:
            self._registry.end()

    def _take_result(self, session_id: str, params: Any, event: Response | Failure) -> None:
        session = self.sessions.get(session_id)
        if isinstance(event, Response) and session is not None:
            session.state.apply_response(event.method.name, params, event.result)

    def disconnected(self) -> Awaitable[None] | None:
        """End the turns after the connection has closed."""
        self._is_connected = False
        disconnect_turns(self.peer)
        for session in list(self.sessions.values()):
            session.abandoned.clear()
            session.running_calls.end()
        return super().disconnected()

    def forget(self, session_id: str) -> None:
        """Remove a closed session unless it is being loaded or resumed again."""
        self._registry.strays.pop(session_id, None)
        under_way = self._attaching.get(session_id)
        # Keep the session if the client is already loading or resuming it again.
        if under_way is None or under_way.is_abandoned:
            session = self.sessions.pop(session_id, None)
            if session is not None:
                session._mark_closed()  # pyright: ignore[reportPrivateUsage]
        self._registry.remember_closed(session_id)

    async def bring_back(
        self, session: C, method: Method[Any, Any], params: Any, *, keeps_state: bool
    ) -> None:
        """Load or resume a session from an earlier connection, reusing the session object.

        If this fails, the session still belongs to this connection, and its state is unchanged; see
        `forget`. If `keeps_state` is true and the agent doesn't replay the session before it
        responds, as with `session/resume`, the state is also unchanged.

        Raises:
            RuntimeError: If the session is already being loaded or resumed.
        """
        session._move(self)  # pyright: ignore[reportPrivateUsage]
        self.sessions[session.session_id] = session
        await self.attach(session.session_id, method, params, keeps_state=keeps_state)

    async def attach(
        self, session_id: str, method: Method[Any, Any], params: Any, *, keeps_state: bool = False
    ) -> C:
        """Load or resume a session. If the session is open, reset its state.

        If this fails or is cancelled, the previous state is restored. After a cancelled load,
        updates are ignored until the agent responds, since the replay only repeats known content.
        For `keeps_state`, see `bring_back`.

        Raises:
            RuntimeError: If the session has an open turn or is already being loaded or resumed.
        """
        while (under_way := self._attaching.get(session_id)) and under_way.is_abandoned:
            # Further updates might belong to the cancelled call. Wait until its response arrives or
            # the connection closes.
            with waiting():
                await under_way.answered.wait()
        session = self.sessions.get(session_id)
        if under_way is not None or (session is not None and session.turns):
            obstacle = "has a running turn" if under_way is None else "is already being loaded"
            raise RuntimeError(f"the session {obstacle}; wait until that is finished")
        # Add the session before sending the request, since the replay arrives before the response.
        is_new = session is None
        if session is None:
            session = self.sessions[session_id] = self._make(session_id)
        self._registry.strays.pop(session_id, None)
        self._registry.closed.pop(session_id, None)
        before = session.state.begin_replay()
        attaching = self._attaching[session_id] = _Attaching(
            session, asyncio.Event(), None if is_new else before, SessionSetup(), keeps_state
        )
        attaching.setup.take_over(session)
        session.settle_in(params)  # done first, since the replay's handlers might need the setup

        def settle(event: Response | Failure | None) -> None:
            # This function runs when the response arrives, since later messages depend on the
            # session's new state.
            if not attaching.answered.is_set():
                attaching.answered.set()
                del self._attaching[session_id]
                if attaching.is_abandoned:
                    return
                if isinstance(event, Response):
                    self._end_replay(attaching)
                    session.response = event.result
                    session.state.apply_response(method.name, params, event.result)
                    session.running_calls.begin()
                else:
                    self._give_up(attaching)

        try:
            await self.peer.request(method, params, on_response=settle)
        except Exception:
            settle(None)  # in case the request was not sent
            raise
        except BaseException:  # this task was cancelled
            if not attaching.answered.is_set():
                attaching.is_abandoned = True
                self._give_up(attaching)
            raise
        return session

    async def detach(self, session_id: str, method: Method[Any, Any], params: Any) -> None:
        """Close a session. Ignore an error response that reports an unknown session."""

        def settle(event: Response | Failure) -> None:
            # Close the session when the response arrives, since later messages must not reach it.
            if isinstance(event, Response) or _is_unknown(event.error):
                session = self.sessions.get(session_id)
                has_turns = session is not None and bool(session.abandoned or session.turns)
                self.forget(session_id)
                self._closed_in_turn &= self._registry.closed.keys() - {session_id}
                if has_turns:
                    self._closed_in_turn.add(session_id)

        try:
            await self.peer.request(method, params, on_response=settle)
        except RequestError as error:
            if not _is_unknown(error):
                raise

    def _end_replay(self, attaching: _Attaching[C]) -> None:
        """Use the replayed state, or restore the previous state if the agent replayed nothing."""
        state = attaching.session.state
        is_kept = attaching.keeps_state and not state.timeline
        reported: list[Any] = state.to_updates() if is_kept else []
        state.end_replay(attaching.before if is_kept else None)
        for update in reported:  # for example, an update that contains the mode
            state.apply(update)

    def _give_up(self, attaching: _Attaching[C]) -> None:
        """Restore a session's state after a failed load.

        Drop the session if it was not open before.
        """
        session_id = attaching.session.session_id
        attaching.session.state.end_replay(attaching.before)
        attaching.session.take_over(attaching.setup)
        if attaching.before is None or session_id in self._registry.closed:
            self.sessions.pop(session_id, None)
            self._registry.remember_closed(session_id)


def _both(first: OnResponse, second: OnResponse | None) -> OnResponse:
    """Return a callback that calls the first callback and then, if given, the second."""
    if second is None:
        return first

    def call(event: Response | Failure) -> None:
        call_back(first, event, what="the callback for a response", log=_log)
        second(event)

    return call


def _is_unknown(error: BaseException) -> bool:
    return isinstance(error, RequestError) and error.code == RESOURCE_NOT_FOUND
