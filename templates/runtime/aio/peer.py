"""`Peer`: an asyncio connection for calling the peer.

Programs use only this class. `Peer` delegates to other modules: `handler_choice` creates the
handler, `calling` waits for responses, `handling` calls the handler, and `running` receives
messages and shuts down the connection. These modules share one `Connection`, which implements the
protocol, and one `Output`, which sends the messages that the connection queues.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Literal, TypeAlias, TypeVar, overload

from ..jsonrpc.agreement import by_version
from ..jsonrpc.connection import Connection
from ..jsonrpc.debugging import is_debugging
from ..jsonrpc.envelope import session_id_of
from ..jsonrpc.errors import ConnectionClosed, Exit, RequestError, quoted_stderr
from ..jsonrpc.events import OnResponse, Request
from ..jsonrpc.handler import Handler
from ..jsonrpc.limits import DEFAULT, MAX_LINE, Limits
from ..jsonrpc.logs import call_back, logger_of
from ..jsonrpc.method import CapabilityRequirement, Kind, Method, Surface, raw_method
from ..jsonrpc.observing import Bridged, Loss, Observer
from ..values.errors import Issue
from .calling import Calling, require_loop
from .handler_choice import Choice
from .handling import Handling, handled, waiting
from .output import ROOM, Output
from .running import Running, Silence
from .session_lives import SessionLives
from .streams import (
    GRACE,
    BridgeStream,
    BytesOfMessages,
    MessageStream,
    ProgramStream,
    Stream,
    bridged_stream,
)
from .tasks import close_unstarted, exit_quietly, next_step

P = TypeVar("P")
R = TypeVar("R")
# A function that creates the handler for a connection. To call the other program, the handler
# passes the `Peer` to a stub.
Factory: TypeAlias = "Callable[[Peer], Handler]"
# A class to instantiate for each connection, an object, or a map from surfaces to factories.
Handlers: TypeAlias = "type[Handler] | Handler | Mapping[Any, Factory]"

_log = logger_of(__name__)


class Peer:
    """A connection to a peer. Pass the connection to a stub to call the peer.

    Attributes:
        limits: limits on the data stored for the peer.
        debug: whether debug mode is on.
        owed: the events that are expected from the peer, such as the end of a turn, but not
            responses; see the `silence` argument of the constructor.
    """

    def __init__(
        self,
        stream: Stream | MessageStream,
        side: Literal["agent", "client"],
        *handlers: Handlers,
        max_line: int = MAX_LINE,
        limits: Limits = DEFAULT,
        on_issue: Callable[[Issue], object] | None = None,
        observe: Observer | None = None,
        silence: float | None = 3600.0,
        debug: bool | None = None,
        bridge: bool | type[Handler] | Handler = False,
        on_loss: Callable[[Loss], object] | None = None,
    ) -> None:
        """Take over a stream. An event loop must be running. Call `run` to receive messages.

        Args:
            stream: the connection to the peer.
            side: the role of this program.
            handlers: the program's handlers; see `serve`. A single handler is created
                immediately. If there are several, `initialize` selects one.
            max_line: the length of the longest message to accept, in bytes.
            limits: limits on the data stored for the peer.
            on_issue: called for each decoding issue; see `decode`. The callback's exceptions are
                logged.
            observe: called for each line sent or received. The callback's exceptions are logged.
            silence: an inactivity timeout for agents; see `connect`. Clients have no timeout, since
                users can take hours to respond.
            debug: see `serve`.
            bridge: see `serve` and `connect`.
            on_loss: see `serve`.

        Raises:
            ImportError: If a bridge is requested but the package was vendored without it.
            TypeError: If an argument is not a handler for this side.
            ValueError: If two handlers are for the same protocol version.
        """
        self.limits = limits
        self.debug = is_debugging(debug)
        self.owed: set[object] = set()
        self._loop = asyncio.get_running_loop()
        self._gave_up = False  # whether the caller stopped waiting for the first `initialize`
        self._other = "agent" if side == "client" else "client"
        self._user = getattr(stream, "user", None)
        self._program = stream if isinstance(stream, ProgramStream) else None
        self._choice = Choice(handlers, side)
        offers = self._choice.offers
        self._bridge: BridgeStream | None = None
        if bridge is not False:
            self._bridge = bridged_stream(
                BytesOfMessages(stream) if isinstance(stream, MessageStream) else stream,
                side,
                offers,
                max_line,
                limits,
                on_issue,
                on_loss,
                observe,
                bridge,
            )
        if self._bridge is not None:
            stream, observe = self._bridge, None  # the bridge itself calls `observe`
        self._connection = Connection(
            side,
            self._choose_surface,
            max_line=max_line,
            limits=limits,
            initialize_first=True,
            on_issue=on_issue,
            observe=observe,
            is_known=None if self._bridge is None else self._bridge.defines,
            has_envelopes=isinstance(stream, MessageStream),
        )
        self._output = Output(
            self._connection,
            stream,
            on_failure=self._fail,
            has_sessions=self._bridge is not None or isinstance(stream, MessageStream),
        )
        self._handling = Handling(
            self._connection,
            self._output,
            limits,
            self._choice,
            on_failure=self._discard_refused,
            debug=self.debug,
        )
        self._calling = Calling(
            self._connection,
            self._output,
            self._program,
            self._handling.lanes,
            self._discard_refused,
            may_bridge=side == "client" and bridge is False and len(offers) == 1,
        )
        self._lives = SessionLives(lambda: self._choice.handler) if side == "client" else None
        self._silence = None if side == "agent" or silence is None else self._watch(silence)
        self._running = Running(
            stream,
            self._program,
            self._connection,
            self._output,
            self._choice,
            self._handling,
            self._calling,
            self._silence,
            self._lives,
            limits,
            on_refusal=self._discard_refused,
        )
        # The handler is created last, since its constructor may use the complete peer.
        if len(offers) == 1:
            [offer] = offers.values()
            self._connection.speak(self._adopt(self._choice.start(offer, self)))
        if self._bridge is not None:
            self._bridge.begin(self, self._prepare)

    @property
    def handler(self) -> Handler | None:
        """The handler for incoming calls, or None until the protocol version is negotiated."""
        return self._choice.handler

    @property
    def surface(self) -> Surface | None:
        """The surface in use, such as the module `v1`, or None until the version is negotiated."""
        return self._connection.surface

    @property
    def advertised(self) -> Any:
        """The peer's `initialize` params or result, or None until they are received."""
        return self._connection.advertised

    @property
    def bridged(self) -> Bridged | None:
        """The peer on the far side of a bridge if messages are being bridged, otherwise None."""
        return None if self._bridge is None else self._bridge.bridged

    @property
    def user(self) -> Any:
        """The user identified by the transport, or None if the transport identifies no user."""
        return self._user

    @property
    def process(self) -> asyncio.subprocess.Process | None:
        """The process of an agent started by `connect_stdio`, or None for other connections."""
        return None if self._program is None else self._program.process

    @property
    def has_ended(self) -> bool:
        """True if the connection is closed. Calls on a closed connection fail."""
        return self._connection.has_ended

    @property
    def how_ended(self) -> str:
        """The reason why the connection ended, or an empty string if the reason is unknown.

        For example, the reason can be the exit status of the peer's program.
        """
        return self._connection.how_ended

    @property
    def exit(self) -> Exit | None:
        """The exit status of the program started by `connect_stdio`, or None while it runs."""
        return None if self._program is None else self._program.exit

    def closed_error(self, text: str) -> ConnectionClosed:
        """Return an error whose text also describes how the connection ended."""
        return self._connection.closed_error(text)

    async def wait_ended(self) -> None:
        """Wait until nothing more can arrive and all received notifications have been handled.

        Afterward, `how_ended` describes how the connection ended.
        """
        await self._running.wait_ended()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task that belongs to the connection.

        When the connection closes, the task is given the same time to finish as a handler and is
        then cancelled. The task's exceptions are logged.
        """
        require_loop(self._loop)
        task = asyncio.create_task(self._guard(work))
        if not task.done():  # an eager task can already be done
            self._choice.tasks.add(task)
            task.add_done_callback(self._choice.tasks.discard)
            task.add_done_callback(lambda _: close_unstarted(work))
            if self._handling.is_closing:
                task.cancel()  # `end_tasks` might have collected the tasks already
        return task

    async def _guard(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as error:
            if self._handling.is_worth_logging(error):
                _log.exception("a connection task failed")
        except (SystemExit, KeyboardInterrupt):
            self._output.send_now()  # send the task's queued messages before the program exits
            exit_quietly()
            raise

    # --- calling -----------------------------------------------------------------------------

    @overload
    async def request(
        self, method: Method[P, R], params: P, *, on_response: OnResponse | None = None
    ) -> R: ...

    @overload
    async def request(
        self, method: str, params: Any, *, on_response: OnResponse | None = None
    ) -> Any: ...

    async def request(
        self, method: Method[Any, Any] | str, params: Any, *, on_response: OnResponse | None = None
    ) -> Any:
        """Send a request and wait for its result.

        Cancelling the waiting task sends `$/cancel_request` to the peer.

        Args:
            method: the method, or its JSON name, for example if the method was removed from the
                schema. If a name is passed, the params and the result are JSON values.
            params: the params of the request.
            on_response: called once when the response arrives, before later messages are processed.
                In contrast, if the response concludes a sequence of updates, this method waits for
                the handlers of these updates before it returns (see `Method.ends_updates`). The
                callback is called even if the waiting task was cancelled. If the connection closes,
                or if a cancelled request is abandoned, the callback's argument is a `Failure`. By
                default, the callback is the return value of `Handler.sent`.

        Raises:
            RequestError: If the response is an error.
            DecodeError: If the response is not valid JSON, or if its result does not match the
                method.
            VersionMismatch: If the agent responds to `initialize` with a different version.
            EncodeError: If the params do not match the method. Nothing is sent.
            ConnectionClosed: If the connection is closed.
            LimitExceeded: If too many requests have no response yet.
            RuntimeError: If the request is about a new session whose id has not been sent in a
                response yet.
        """
        if isinstance(method, str):
            method = self._named(method, "request")
        id_ = self._queue_request(method, params)
        sent = self._choice.sent
        # A program's `sent` might count pending requests, so it isn't called until the request is
        # queued. From then on, the request always receives a response or fails.
        if on_response is None and sent is not None:
            on_response = call_back(sent, method, params, what="Handler.sent", log=_log)
        if method.life is not None and self._lives is not None:
            on_response = self._lives.follow(method, params, on_response)
        session: str | None = getattr(params, "session_id", None) if method.ends_updates else None
        return await self._calling.wait(id_, session, on_response, params)

    def _queue_request(self, method: Method[Any, Any], params: Any) -> int:
        require_loop(self._loop)
        id_ = self._connection.request(method, params)
        # The timer stops by itself when nothing is pending.
        if self._silence is not None and self._silence.is_idle:
            self._silence.begin()
        return id_

    async def initialize(self, *requests: Any, timeout: float | None = 120.0) -> Any:
        """Initialize the connection to the agent and wait for the agent's response.

        By default, this method sends the params of the handlers; see `Handler.stated`. If several
        protocol versions are offered, the request specifies the highest version and contains the
        fields of all versions. The version in the response selects the handler and the surface.

        Args:
            requests: custom requests, with one `InitializeRequest` for each surface to offer.
            timeout: how long the agent may take to respond, in seconds, or None for no limit. Some
                agents take a long time because they are downloaded when they are first started.

        Returns:
            The result, an `InitializeResponse` of the selected surface.

        Raises:
            TimeoutError: If the agent does not respond in time. The connection stays open; call
                this method again to wait longer.
            TypeError: If an argument is not an `InitializeRequest`, or if no request is passed
                even though a handler is created by a factory.
            ValueError: If the versions of the requests do not match the handlers.
            VersionMismatch: If the response contains a version that was not requested.
            RequestError: If the response is an error, or if the handler cannot be created.
            DecodeError: If the response is not valid JSON or does not match the method.
            EncodeError: If a request does not match its surface. Nothing is sent.
            ConnectionClosed: If the connection is closed.
        """
        require_loop(self._loop)
        if not requests:
            requests = tuple(self._choice.introductions())
        versions = by_version(requests)
        for version in versions:
            if version not in self._choice.offers:
                reason = f"no handler for protocol version {version}"
                raise ValueError(f"{reason}; pass a handler, or do not request that version")
        if self._is_late and self._connection.require_surface().SCHEMA.protocol_version in versions:
            self._gave_up = False
            return self.advertised
        is_first = self.advertised is None
        id_ = self._connection.initialize(*requests)
        try:
            result = await self._calling.wait(id_, timeout=timeout)
        except (asyncio.CancelledError, asyncio.TimeoutError) as error:
            self._gave_up |= is_first
            if isinstance(error, asyncio.CancelledError):
                raise
            # In Python 3.10, `asyncio.TimeoutError` is not the built-in `TimeoutError`.
            who = self._program or f"the {self._other}"
            late = f"{who} did not respond to 'initialize' within {timeout:g} seconds"
            raise TimeoutError(f"{late}{self._last_words()}") from None
        except ConnectionClosed as error:
            if error.exit is None or error.exit.code != 0:
                raise
            # A program that defines an agent but never serves it exits with code 0.
            hint = (
                "the agent did not respond to 'initialize', possibly because it does not call "
                "`serve_stdio`"
            )
            raise self._connection.closed_error(hint) from None
        except RequestError as error:
            if self._is_late:  # an agent may refuse to be initialized twice
                result = self.advertised
            elif self._bridge is not None and self._bridge.mismatch is not None:
                raise self._bridge.mismatch from error
            else:
                raise
        self._gave_up = False
        return result

    @property
    def _is_late(self) -> bool:
        """True if the response to `initialize` arrived after the caller stopped waiting."""
        return self._gave_up and self.advertised is not None

    def _named(self, name: str, kind: Kind) -> Method[Any, Any]:
        return raw_method(self._connection.require_surface(), self._other, kind, name)

    def _last_words(self) -> str:
        """Return a clause that quotes the last lines of the peer's standard error, if captured."""
        return "" if self._program is None else quoted_stderr(self._program.stderr)

    async def notify(self, method: Method[P, None] | str, params: P) -> None:
        """Send a notification and wait for room in the stream.

        In the handler of a request for a new session, notifications about that session are held
        until the response is sent.

        Args:
            method: the method, or its JSON name; see `request`.
            params: the params of the notification.

        Raises:
            EncodeError: If the params do not match the method. Nothing is sent.
            ConnectionClosed: If the connection is closed.
            LimitExceeded: If too many notifications are held; see `Limits.backlog`.
        """
        self.post(method, params)
        if not self.has_room:
            await self._wait_for_room(session_id_of(params))

    def post(self, method: Method[P, None] | str, params: P) -> None:
        """Send a notification as `notify` does, but without waiting for room; see `drain`."""
        require_loop(self._loop)
        if isinstance(method, str):
            method = self._named(method, "notification")
        self._connection.notify(method, params)
        self._output.send()

    def drain(self, session_id: str | None = None) -> Coroutine[Any, Any, None]:
        """Wait for room in the stream after posting notifications.

        Args:
            session_id: the session that the notifications are about. Some transports have a
                separate stream for each session.

        Raises:
            ConnectionClosed: If the connection is closed.
        """
        require_loop(self._loop)
        return self._wait_for_room(session_id)

    async def _wait_for_room(self, session_id: str | None) -> None:
        if self._output.is_scheduled:
            await next_step()  # queued messages are sent at the end of this step
        if self._output.unread > ROOM:  # waiting for room means waiting for the peer
            with waiting():
                await self._output.drain(session_id)
        else:  # this isn't a wait for the peer, so later messages still wait for this handler
            await self._output.drain(session_id)

    # --- used by sessions --------------------------------------------------------------------

    @property
    def has_room(self) -> bool:
        """True if `drain` would return immediately."""
        return self._output.has_room and not self._output.is_scheduled

    def send_request(self, method: Method[P, R], params: P, on_response: OnResponse) -> int:
        """Send a request as `request` does, but without waiting for its response or for room.

        Returns:
            The request id, for `cancel_request`.
        """
        id_ = self._queue_request(method, params)
        self._calling.send(id_, on_response)
        return id_

    def cancel_request(self, id_: int) -> None:
        """Cancel a request unless its response has arrived; see `Connection.cancel`."""
        self._calling.cancel(id_)

    @property
    def grace(self) -> float:
        """The time limit for cancelled handlers to finish, in seconds."""
        return self._running.grace

    @property
    def is_given_object(self) -> bool:
        """True if the program passed the handler as an object, which outlives the connection."""
        return self._choice.is_given_object

    @property
    def handled_request(self) -> Request | None:
        """The request that the current task is handling, or None once its response is sent."""
        request = handled.get()
        return request if request is not None and self._connection.is_open(request) else None

    def when_responded(self, request: Request, callback: Callable[[bool], None]) -> None:
        """Call a function right after the response to a request is sent; see `Connection`."""
        self._connection.when_responded(request, callback)

    def hold(self, request: Request, session_id: str) -> None:
        """Hold back messages about a session until the response to a request is sent."""
        self._connection.hold(request, session_id)

    def after_handlers(self, session_id: str, callback: Callable[[], None], what: str) -> None:
        """Call a function when the notifications received so far for a session have been handled.

        If there are no such notifications, the function is called immediately. A handler that is
        itself waiting for the peer doesn't delay the call. Other handlers delay it only for a
        limited time; see `handling`. `what` describes the waiting work in the log.
        """
        self._handling.lanes.after(session_id, callback, what)

    def at_end(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Register work to await before the stream closes. The work must finish within `grace`."""
        self._running.at_end.append(work)

    def defines(self, need: CapabilityRequirement) -> bool:
        """Return whether the peer's protocol version defines a capability that params require.

        A peer on the far side of a bridge can speak a version that doesn't define the capability.
        Params from such a peer aren't rejected, since the peer cannot check whether the capability
        was advertised.
        """
        return self._bridge is None or self._bridge.defines(need)

    def is_worth_logging(self, error: BaseException) -> bool:
        """Return whether an error has a cause other than the end of this connection."""
        return self._handling.is_worth_logging(error)

    def as_own(self, error: RequestError) -> RequestError:
        """Convert an error received from the peer to this program's own error; see `Connection`."""
        return self._connection.as_own(error)

    def report_accepted(self, reason: str, raw: Any, method: str, pointer: str) -> None:
        """Report that a partly invalid message was accepted; see `Connection`."""
        self._connection.report_accepted(reason, raw, method, pointer)

    # --- receiving and closing ---------------------------------------------------------------

    async def run(self, linger: float = 1.0, grace: float = GRACE) -> None:
        """Receive messages until the stream ends, then close the stream.

        Args:
            linger: how long handlers may take to finish after the end of the stream, in seconds.
            grace: how long handlers may take to finish after they are cancelled, in seconds.
                Handlers that take longer are dropped.
        """
        await self._running.run(linger, grace)

    async def close(self, grace: float | None = None) -> None:
        """Close the connection immediately and wait until it is closed.

        All handlers are cancelled, including the caller if it is a handler.

        Args:
            grace: a time limit for handlers and then for the peer, in seconds; see `connect_stdio`.
                By default, the value passed when the connection was created. With 0, handlers are
                dropped immediately, and a program started by `connect_stdio` is killed.
        """
        require_loop(self._loop)
        await self._running.close(grace)

    def _prepare(self, method: str, params: Any) -> None:
        """Send all queued messages before `Bridged.request` sends a request.

        Raises:
            RuntimeError: If the request is about a new session whose id has not been sent in a
                response yet.
        """
        require_loop(self._loop)
        self._connection.refuse_held(method, params)
        self._output.send_now()

    def _watch(self, silence: float) -> Silence:
        bridge = self._bridge

        def give_up() -> None:
            how = f"the agent was silent for {silence:g} seconds"
            self._running.give_up(f"{how}{self._last_words()}")

        return Silence(
            silence,
            owes=lambda: bool(self.owed) or self._calling.is_waiting,
            waits=lambda: bool(
                self._connection.requests
                or (bridge and bridge.is_asked)
                or self._handling.lanes.holds_reading
            ),
            on_silence=give_up,
        )

    def _choose_surface(self, version: int) -> Surface:
        return self._adopt(self._choice.choose(version, self))

    def _adopt(self, handler: Handler) -> Surface:
        self._connection.extend(handler.extensions)
        return handler.surface

    def _fail(self, error: BaseException) -> None:
        # `_running.fail` cannot be passed to `Output`, since `Output` is created before `_running`.
        self._running.fail(error)

    def _discard_refused(self) -> None:
        """Discard the handler if an `initialize` request was rejected."""
        # Called after every failure, but only a rejected `initialize` leaves a handler without a
        # surface.
        if self._choice.handler is not None and self._connection.surface is None:
            self._choice.discard()
