"""`Peer`: a connection over asyncio, for calling the peer.

Programs use only this class. Other modules do the work: `handler_choice` makes the handler,
`calling` waits for responses, `handling` calls the handler, and `running` receives and shuts down.
They share one `Connection`, which implements the protocol, and one `Output`, which sends the
messages that the connection queues.
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
from .tasks import close_unstarted, next_step

P = TypeVar("P")
R = TypeVar("R")
# Makes the handler of a connection. A stub over this `Peer` calls the other program.
Factory: TypeAlias = "Callable[[Peer], Handler]"
# A class, which is instantiated for each connection; an existing object; or factories.
Handlers: TypeAlias = "type[Handler] | Handler | Mapping[Any, Factory]"

_log = logger_of(__name__)


class Peer:
    """A connection to a peer. Pass it to a stub to call the peer.

    Attributes:
        limits: how much the connection stores for the peer.
        debug: whether debug mode is on.
        owed: the events that are expected from the peer besides responses, such as the ends of
            turns; see `silence` of the constructor.
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
        """Take over a stream, in a running event loop. Nothing is received before `run` is called.

        Args:
            stream: the connection to the peer.
            side: the role of this program.
            handlers: its handlers; see `serve`. A single one is made immediately; otherwise
                `initialize` selects one.
            max_line: the length of the longest message to accept, in bytes.
            limits: how much to store for the peer.
            on_issue: called for each decoding issue; see `decode`. Its exceptions are logged.
            observe: called for each line that is sent or received. Its exceptions are logged.
            silence: see `connect`. Clients may be silent forever, since users can think for hours.
            debug: see `serve`.
            bridge: see `serve` and `connect`.
            on_loss: see `serve`.

        Raises:
            ImportError: If the package has no bridge.
            TypeError: If something is not a handler of this side.
            ValueError: If two handlers are for the same protocol version.
        """
        self.limits = limits
        self.debug = is_debugging(debug)
        self.owed: set[object] = set()
        self._loop = asyncio.get_running_loop()
        self._gave_up = False  # whether a first `initialize` was abandoned before its response
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
            stream, observe = self._bridge, None  # the bridge sees both sides
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
        # Last, since the constructor of a handler may use the complete peer.
        if len(offers) == 1:
            [offer] = offers.values()
            self._connection.speak(self._adopt(self._choice.start(offer, self)))
        if self._bridge is not None:
            self._bridge.begin(self, self._prepare)

    @property
    def handler(self) -> Handler | None:
        """The handler for incoming calls; None until the protocol version is decided."""
        return self._choice.handler

    @property
    def surface(self) -> Surface | None:
        """The surface in use, such as the module `v1`; None before it is decided."""
        return self._connection.surface

    @property
    def advertised(self) -> Any:
        """The peer's params or result of `initialize`; None before these arrive."""
        return self._connection.advertised

    @property
    def bridged(self) -> Bridged | None:
        """The peer beyond a bridge; None if nothing is bridged, or not yet."""
        return None if self._bridge is None else self._bridge.bridged

    @property
    def user(self) -> Any:
        """The user at the other end as identified by the transport; None without one."""
        return self._user

    @property
    def process(self) -> asyncio.subprocess.Process | None:
        """The process of an agent that `connect_stdio` started, with its `pid`."""
        return None if self._program is None else self._program.process

    @property
    def has_ended(self) -> bool:
        """True if the connection has ended, so that calls fail."""
        return self._connection.has_ended

    @property
    def how_ended(self) -> str:
        """A description of the peer's end, such as its exit status; empty if unknown."""
        return self._connection.how_ended

    @property
    def exit(self) -> Exit | None:
        """The exit of the program that `connect_stdio` started; None while it runs."""
        return None if self._program is None else self._program.exit

    def closed_error(self, text: str) -> ConnectionClosed:
        """Return an error that includes how the connection ended."""
        return self._connection.closed_error(text)

    async def wait_ended(self) -> None:
        """Wait until the peer has ended and all its notifications have been handled.

        After that, `how_ended` says how.
        """
        await self._running.wait_ended()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task that ends with the connection.

        When the connection ends, the task gets as much time to finish as a handler. Then it is
        cancelled. Its exceptions are logged.
        """
        require_loop(self._loop)
        task = asyncio.create_task(self._guard(work))
        if not task.done():  # as an eager task can be
            self._choice.tasks.add(task)
            task.add_done_callback(self._choice.tasks.discard)
            task.add_done_callback(lambda _: close_unstarted(work))
            if self._handling.is_closing:
                task.cancel()  # `end_tasks` may have collected the tasks already
        return task

    async def _guard(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as error:
            if self._handling.is_worth_logging(error):
                _log.exception("a task of the connection failed")
        except (SystemExit, KeyboardInterrupt):
            self._output.send_now()  # send its queued messages before the program ends
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
            method: the method or its JSON name, such as the name of a method that was removed from
                the schema. With a name, the params and the result are JSON.
            params: its params.
            on_response: called once when the response arrives, before any later message is
                processed. This method returns later: if the response ends a sequence of updates,
                after their handlers (see `Method.ends_updates`). The callback runs even if the
                waiting task was cancelled. It gets a failure if the connection ends, or if the
                response to a cancelled request is abandoned. By default, the return value of
                `Handler.sent`.

        Raises:
            RequestError: If the response is an error.
            DecodeError: If the response is not JSON, or its result does not match the method.
            VersionMismatch: If the agent responded to `initialize` with another protocol version.
            EncodeError: If the params do not match the method; nothing was sent.
            ConnectionClosed: If the connection has ended.
            LimitExceeded: If too many requests have no response yet.
            RuntimeError: If the request is about a new session whose id was not sent yet.
        """
        require_loop(self._loop)
        if isinstance(method, str):
            method = self._named(method, "request")
        id_ = self._connection.request(method, params)
        # Its timer stops by itself when nothing is pending.
        if self._silence is not None and self._silence.is_idle:
            self._silence.begin()
        sent = self._choice.sent
        # `sent` is called this late since it may count the request, which is certain to end once
        # it is queued.
        if on_response is None and sent is not None:
            on_response = call_back(sent, method, params, what="Handler.sent", log=_log)
        if method.life is not None and self._lives is not None:
            on_response = self._lives.follow(method, params, on_response)
        session: str | None = getattr(params, "session_id", None) if method.ends_updates else None
        about = session_id_of(params)
        return await self._calling.wait(id_, session, on_response, about=about)

    async def initialize(self, *requests: Any, timeout: float | None = 120.0) -> Any:
        """Introduce this client to the agent, and wait for its response.

        Without requests, this sends the handlers' own params; see `Handler.stated`. For several
        protocol versions at once, the request names the highest and contains the fields of all.
        The version in the response selects the handler and `surface`.

        Args:
            requests: the params to send instead: an `InitializeRequest` for each surface to offer.
            timeout: how long the agent may take to respond, in seconds; None for no limit. Some
                agents are downloaded when they are first started.

        Returns:
            The result, an `InitializeResponse` of that surface.

        Raises:
            TimeoutError: If the agent did not respond in time. The connection stays open: call this
                again to wait longer.
            TypeError: If an argument is not such a request, or a factory needs one.
            ValueError: If the versions of the requests do not match the handlers.
            VersionMismatch: If the response has a version that was not requested.
            RequestError: If the response is an error, or the handler cannot be made.
            DecodeError: If the response is not JSON or not valid.
            EncodeError: If a request does not match its surface; nothing was sent.
            ConnectionClosed: If the connection has ended.
        """
        require_loop(self._loop)
        if not requests:
            requests = tuple(self._choice.introductions())
        versions = by_version(requests)
        for version in versions:
            if version not in self._choice.offers:
                reason = f"no handler for protocol version {version}"
                raise ValueError(f"{reason}; pass one, or do not request that version")
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
            # In Python 3.10, `asyncio.TimeoutError` is not the built-in one.
            who = self._program or f"the {self._other}"
            late = f"{who} did not respond to 'initialize' within {timeout:g} seconds"
            raise TimeoutError(f"{late}{self._last_words()}") from None
        except RequestError as error:
            if self._is_late:  # an agent can refuse to be initialized twice
                result = self.advertised
            elif self._bridge is not None and self._bridge.mismatch is not None:
                raise self._bridge.mismatch from error
            else:
                raise
        self._gave_up = False
        return result

    @property
    def _is_late(self) -> bool:
        """True if the response to `initialize` arrived after its caller gave up."""
        return self._gave_up and self.advertised is not None

    def _named(self, name: str, kind: Kind) -> Method[Any, Any]:
        return raw_method(self._connection.require_surface(), self._other, kind, name)

    def _last_words(self) -> str:
        """Quote the last lines of the peer's standard error, if it is captured."""
        return "" if self._program is None else quoted_stderr(self._program.stderr)

    async def notify(self, method: Method[P, None] | str, params: P) -> None:
        """Send a notification, and wait for room in the stream.

        In the handler of a request for a new session, notifications about that session are sent
        after the response.

        Args:
            method: the method, or its name in JSON; see `request`.
            params: its params.

        Raises:
            EncodeError: If the params do not match the method; nothing was sent.
            ConnectionClosed: If the connection has ended.
            LimitExceeded: If too many notifications wait for that response; see `Limits.backlog`.
        """
        self.post(method, params)
        await self._wait_for_room(session_id_of(params))

    def post(self, method: Method[P, None] | str, params: P) -> None:
        """Queue a notification like `notify`, but don't wait for room; see `drain`."""
        require_loop(self._loop)
        if isinstance(method, str):
            method = self._named(method, "notification")
        self._connection.notify(method, params)
        self._output.send()

    def drain(self, session_id: str | None = None) -> Coroutine[Any, Any, None]:
        """Wait for room in the stream after posting notifications.

        Args:
            session_id: the session that they are about. Some transports have a stream per session.

        Raises:
            ConnectionClosed: If the connection has ended.
        """
        require_loop(self._loop)
        return self._wait_for_room(session_id)

    async def _wait_for_room(self, session_id: str | None) -> None:
        if self._output.is_scheduled:
            await next_step()  # which sends them
        if self._output.unread > ROOM:  # waiting for room means waiting for the peer
            with waiting():
                await self._output.drain(session_id)
        else:  # not waiting for the peer yet: later messages keep waiting for this handler
            await self._output.drain(session_id)

    # --- used by sessions --------------------------------------------------------------------

    @property
    def grace(self) -> float:
        """The time that handlers get to finish, in seconds."""
        return self._running.grace

    @property
    def is_given_object(self) -> bool:
        """True if the handler is an object of the program, which outlives the connection."""
        return self._choice.is_given_object

    @property
    def handled_request(self) -> Request | None:
        """The request that the current task handles; None after the response."""
        request = handled.get()
        return request if request is not None and self._connection.is_open(request) else None

    def when_responded(self, request: Request, callback: Callable[[bool], None]) -> None:
        """Call a function right after the response to a request is sent; see `Connection`."""
        self._connection.when_responded(request, callback)

    def hold(self, request: Request, session_id: str) -> None:
        """Hold back messages about a session until a request gets its response."""
        self._connection.hold(request, session_id)

    def after_handlers(self, session_id: str, callback: Callable[[], None], what: str) -> None:
        """Call a function when the session's notifications so far are handled, or immediately.

        This doesn't wait for a handler that itself waits for the peer, and only for a limited time
        for any other; see `handling`. `what` names the waiting work in the log.
        """
        self._handling.lanes.after(session_id, callback, what)

    def at_end(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Await some work, which limits its time to `grace` itself, before closing the stream."""
        self._running.at_end.append(work)

    def defines(self, need: CapabilityRequirement) -> bool:
        """Return whether the peer's protocol version defines a capability that params need.

        Beyond a bridge, it doesn't: the peer cannot know that a capability was not advertised.
        """
        return self._bridge is None or self._bridge.defines(need)

    def is_worth_logging(self, error: BaseException) -> bool:
        """Return whether an error says more than that this connection ended."""
        return self._handling.is_worth_logging(error)

    def as_own(self, error: RequestError) -> RequestError:
        """Return a copy of the peer's error as an error of this program; see `Connection`."""
        return self._connection.as_own(error)

    def report_accepted(self, reason: str, raw: Any, method: str, pointer: str) -> None:
        """Report that a message was accepted although part of it is invalid; see `Connection`."""
        self._connection.report_accepted(reason, raw, method, pointer)

    # --- the life of the connection ----------------------------------------------------------

    async def run(self, linger: float = 1.0, grace: float = GRACE) -> None:
        """Receive until the stream ends, then close it.

        Args:
            linger: how long handlers may take to finish after the end of the stream, in seconds.
            grace: how long they may take to end after their cancellation, in seconds. A handler
                that takes longer is dropped.
        """
        await self._running.run(linger, grace)

    async def close(self, grace: float | None = None) -> None:
        """End the connection immediately, and wait until it has ended.

        All handlers are cancelled, including the caller if it is a handler.

        Args:
            grace: how long handlers, and then the peer, may take to end; see `connect_stdio`. By
                default, the value passed when the connection was made. With 0, handlers are
                dropped immediately, and a program that `connect_stdio` started is killed.
        """
        require_loop(self._loop)
        await self._running.close(grace)

    def _prepare(self, method: str, params: Any) -> None:
        """Send queued messages that the request must not overtake; see `Bridged.request`.

        Raises:
            RuntimeError: If the request is about a new session whose id was not sent yet.
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
            waits=lambda: bool(self._connection.requests or (bridge and bridge.is_asked)),
            on_silence=give_up,
        )

    def _choose_surface(self, version: int) -> Surface:
        return self._adopt(self._choice.choose(version, self))

    def _adopt(self, handler: Handler) -> Surface:
        self._connection.extend(handler.extensions)
        return handler.surface

    def _fail(self, error: BaseException) -> None:
        self._running.fail(error)  # made after the output

    def _discard_refused(self) -> None:
        """Discard the handler after a refused `initialize`."""
        # Called after every failure: only this one leaves a handler without a surface.
        if self._choice.handler is not None and self._connection.surface is None:
            self._choice.discard()
