"""`Peer`: a connection over asyncio, and the other side of it.

The class that programs use. Others do the work: `handler_choice` makes the handler, `calling` waits
for responses, `handling` calls the handler, `running` receives and ends everything. They share one
`Connection`, which speaks the protocol, and one `Output`, which sends what it has queued.
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
from ..jsonrpc.events import Request
from ..jsonrpc.handler import Handler
from ..jsonrpc.limits import DEFAULT, MAX_LINE, Limits
from ..jsonrpc.logs import call_back, logger_of
from ..jsonrpc.method import CapabilityRequirement, Kind, Method, Surface, raw_method
from ..jsonrpc.observing import Bridged, Loss, Observer
from ..values.errors import Issue
from .calling import Calling, OnResponse, require_loop
from .handler_choice import Choice
from .handling import Handling, handled, waiting
from .output import Output
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
from .tasks import close_unstarted

P = TypeVar("P")
R = TypeVar("R")
# Makes the handler of a connection. A stub over the peer calls the other side.
Factory: TypeAlias = "Callable[[Peer], Handler]"
# A class, which is made for each connection; an object that exists already; or factories.
Handlers: TypeAlias = "type[Handler] | Handler | Mapping[Any, Factory]"

_log = logger_of(__name__)


class Peer:
    """A connection, and the other side of it: pass it to a stub to call the other side.

    Attributes:
        limits: how much the connection keeps for the other side.
        debug: whether it is in debug mode.
        owed: what the other side owes besides responses, such as the ends of turns; see `silence`
            of the constructor.
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
            stream: the connection to the other side.
            side: the side that this program is.
            handlers: its handlers, see `serve`. A single one is made at once; of several,
                `initialize` decides.
            max_line: the length of the longest message to accept, in bytes.
            limits: how much to keep for the other side.
            on_issue: called for each issue of decoding, see `decode`. What it raises is logged.
            observe: called for each line that is sent or received. What it raises is logged.
            silence: see `connect`. Clients may be silent for ever: people may think for hours.
            debug: see `serve`.
            bridge: see `serve` and `connect`.
            on_loss: see `serve`.

        Raises:
            ImportError: the package has no bridge.
            TypeError: something is not a handler of this side.
            ValueError: two handlers are for the same protocol version.
        """
        self.limits = limits
        self.debug = is_debugging(debug)
        self.owed: set[object] = set()
        self._loop = asyncio.get_running_loop()
        self._gave_up = False  # whether a first `initialize` ended before its response
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
        # Last, since a handler may use all of it when it is made.
        if len(offers) == 1:
            [offer] = offers.values()
            self._connection.speak(self._adopt(self._choice.start(offer, self)))
        if self._bridge is not None:
            self._bridge.begin(self, self._prepare)

    @property
    def handler(self) -> Handler | None:
        """The handler of the calls that arrive; None until the protocol version is decided."""
        return self._choice.handler

    @property
    def surface(self) -> Surface | None:
        """The surface that is spoken, such as the module `v1`; None before it is decided."""
        return self._connection.surface

    @property
    def advertised(self) -> Any:
        """The params or result of `initialize` from the other side; None before."""
        return self._connection.advertised

    @property
    def bridged(self) -> Bridged | None:
        """What the other side is beyond a bridge; None if there is nothing to bridge, or before."""
        return None if self._bridge is None else self._bridge.bridged

    @property
    def user(self) -> Any:
        """What the transport found out about the user at the other end; None without that."""
        return self._user

    @property
    def process(self) -> asyncio.subprocess.Process | None:
        """The process of an agent that `connect_stdio` has started, with its `pid`."""
        return None if self._program is None else self._program.process

    @property
    def has_ended(self) -> bool:
        """Whether the connection has ended: calls fail from now on."""
        return self._connection.has_ended

    @property
    def how_ended(self) -> str:
        """How the other side has ended, such as its exit status; empty if nothing is known."""
        return self._connection.how_ended

    @property
    def exit(self) -> Exit | None:
        """How the program that `connect_stdio` has started has ended; None while it runs."""
        return None if self._program is None else self._program.exit

    def closed_error(self, text: str) -> ConnectionClosed:
        """Return an error that says how the connection has ended."""
        return self._connection.closed_error(text)

    async def wait_ended(self) -> None:
        """Wait until the other side has ended, and all its notifications have been handled.

        After that, `how_ended` tells how.
        """
        await self._running.wait_ended()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task that lives no longer than the connection.

        When the connection ends, the task has as much time to finish as a handler, and is then
        cancelled. Its exceptions are logged.
        """
        require_loop(self._loop)
        task = asyncio.create_task(self._guard(work))
        if not task.done():  # as an eager task can be
            self._choice.tasks.add(task)
            task.add_done_callback(self._choice.tasks.discard)
            task.add_done_callback(lambda _: close_unstarted(work))
            if self._handling.is_closing:
                task.cancel()  # `end_tasks` may have looked already
        return task

    async def _guard(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as error:
            if self._handling.is_worth_logging(error):
                _log.exception("a task of the connection failed")
        except (SystemExit, KeyboardInterrupt):
            self._output.send_now()  # what it has queued, before the program ends
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

        Cancelling the task that waits sends `$/cancel_request` to the other side.

        Args:
            method: the method; or its name in JSON, such as of one that the schema has dropped.
                Then the params and the result are JSON, too.
            params: its params.
            on_response: called once when the response arrives, before any later message is
                processed. This method returns later; if the response ends a sequence of updates,
                after their handlers (see `Method.ends_updates`). Called even if the task that
                waits was cancelled; and with a failure when the connection ends, or when the
                response of a cancelled request is given up. By default, what `Handler.sent`
                returns.

        Raises:
            RequestError: the response is an error.
            DecodeError: the response is not JSON, or its result does not match the method.
            VersionMismatch: `initialize` was answered with another protocol version.
            EncodeError: the params do not match the method; nothing was sent.
            ConnectionClosed: the connection has ended.
            LimitExceeded: too many requests have no response yet.
            RuntimeError: If it is about a new session, before the response that names the session.
        """
        require_loop(self._loop)
        method = self._named(method, "request")
        id_ = self._connection.request(method, params)
        # Its timer stops by itself when nothing is owed.
        if self._silence is not None and self._silence.is_idle:
            self._silence.begin()
        handler = self._choice.handler
        # `sent` only now: it may count the request, which is certain to end once it is queued.
        if on_response is None and handler is not None:
            on_response = call_back(handler.sent, method, params, what="Handler.sent", log=_log)
        if method.life is not None and self._lives is not None:
            on_response = self._lives.follow(method, params, on_response)
        session: str | None = getattr(params, "session_id", None) if method.ends_updates else None
        about = session_id_of(params)
        return await self._calling.wait(id_, session, on_response, about=about)

    async def initialize(self, *requests: Any, timeout: float | None = 120.0) -> Any:
        """Introduce this client to the agent, and wait for its answer.

        Without requests, it sends what the handlers state of themselves, see `Handler.stated`. For
        several protocol versions at once, the request asks for the highest and has the members of
        all. The version that the agent answers decides the handler of this side, and `surface`.

        Args:
            requests: what to send instead: an `InitializeRequest` of each surface to ask for.
            timeout: how long the agent may take to answer, in seconds; None for as long as it
                takes. Some agents are downloaded when they are first started.

        Returns:
            The result, an `InitializeResponse` of that surface.

        Raises:
            TimeoutError: the agent has not answered in time. The connection stays open: call this
                again to wait longer.
            TypeError: something is not such a request, or a factory needs one.
            ValueError: the versions of the requests and of the handlers do not fit.
            VersionMismatch: the response is not one of a version that was requested.
            RequestError: the response is an error, or the handler cannot be made.
            DecodeError: the response is not JSON, or not a response.
            EncodeError: some request does not match its surface; nothing was sent.
            ConnectionClosed: the connection has ended.
        """
        require_loop(self._loop)
        if not requests:
            requests = tuple(self._choice.introductions())
        versions = by_version(requests)
        for version in versions:
            if version not in self._choice.offers:
                reason = f"this side has no handler for protocol version {version}"
                raise ValueError(f"{reason}; give it one, or do not ask for that version")
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
            # In Python 3.10, that of asyncio is not the built-in one.
            who = self._program or f"the {self._other}"
            late = f"{who} has not answered 'initialize' within {timeout:g} seconds"
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
        """Whether the response to `initialize` arrived after its caller gave up."""
        return self._gave_up and self.advertised is not None

    def _named(self, method: Method[Any, Any] | str, kind: Kind) -> Method[Any, Any]:
        if not isinstance(method, str):
            return method
        return raw_method(self._connection.require_surface(), self._other, kind, method)

    def _last_words(self) -> str:
        """Quote the last lines of the other side's standard error, if it is captured."""
        return "" if self._program is None else quoted_stderr(self._program.stderr)

    async def notify(self, method: Method[P, None] | str, params: P) -> None:
        """Send a notification, and wait for room in the stream.

        In the handler of a request for a new session, notifications about that session are sent
        after the response.

        Args:
            method: the method, or its name in JSON; see `request`.
            params: its params.

        Raises:
            EncodeError: the params do not match the method; nothing was sent.
            ConnectionClosed: the connection has ended.
            LimitExceeded: If too many notifications wait for that response; see `Limits.backlog`.
        """
        self.post(method, params)
        await self.drain(session_id_of(params))

    def post(self, method: Method[P, None] | str, params: P) -> None:
        """Do the same as `notify`, without waiting for room in the stream; see `drain`."""
        require_loop(self._loop)
        self._connection.notify(self._named(method, "notification"), params)
        self._output.send()

    async def drain(self, session_id: str | None = None) -> None:
        """Wait for room in the stream, after notifications that were posted.

        Args:
            session_id: the session that they are about. Some transports have a stream for each.

        Raises:
            ConnectionClosed: the connection has ended.
        """
        require_loop(self._loop)
        if self._output.is_scheduled:
            await asyncio.sleep(0)  # until the end of the step, which sends them
        if self._output.is_congested:
            with waiting():
                await self._output.drain(session_id)
        else:  # not yet waiting for the other side: later messages keep waiting for this handler
            await self._output.drain(session_id)

    # --- what sessions need ------------------------------------------------------------------

    @property
    def grace(self) -> float:
        """The time that handlers have to end, in seconds."""
        return self._running.grace

    @property
    def is_given_object(self) -> bool:
        """Whether the handler is an object of the program, which outlives the connection."""
        return self._choice.is_given_object

    @property
    def handled_request(self) -> Request | None:
        """The request that the current task handles; None if it has its response."""
        request = handled.get()
        return request if request is not None and self._connection.is_open(request) else None

    def when_responded(self, request: Request, callback: Callable[[bool], None]) -> None:
        """Call back right after the response to a request is sent; see `Connection`."""
        self._connection.when_responded(request, callback)

    def hold(self, request: Request, session_id: str) -> None:
        """Hold back messages about a session until a request has its response."""
        self._connection.hold(request, session_id)

    def after_handlers(self, session_id: str, callback: Callable[[], None], what: str) -> None:
        """Call back when the handlers of the session's notifications so far are done, or at once.

        A handler that itself waits for the other side is not waited for, and any other only for a
        limited time; see `handling`. For the log, `what` waits.
        """
        self._handling.lanes.after(session_id, callback, what)

    def at_end(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Await some work, which limits its time to `grace` itself, before the stream is closed."""
        self._running.at_end.append(work)

    def defines(self, need: CapabilityRequirement) -> bool:
        """Return whether the version of the peer defines a capability that params need.

        Beyond a bridge, it can't: the peer cannot know that a capability was not advertised.
        """
        return self._bridge is None or self._bridge.defines(need)

    def is_worth_logging(self, error: BaseException) -> bool:
        """Return whether an error tells more than that this connection has ended."""
        return self._handling.is_worth_logging(error)

    def as_own(self, error: RequestError) -> RequestError:
        """Return an error as one of this side, if the other side has sent it; see `Connection`."""
        return self._connection.as_own(error)

    def report_accepted(self, reason: str, raw: Any, method: str, pointer: str) -> None:
        """Report that a message was read although part of it is invalid; see `Connection`."""
        self._connection.report_accepted(reason, raw, method, pointer)

    # --- the life of the connection ----------------------------------------------------------

    async def run(self, linger: float = 1.0, grace: float = GRACE) -> None:
        """Receive until the stream ends, then close it.

        Args:
            linger: how long handlers may take to finish when the stream has ended, in seconds.
            grace: how long they may take to end when they are then cancelled, in seconds. A
                handler that takes longer is dropped.
        """
        await self._running.run(linger, grace)

    async def close(self, grace: float | None = None) -> None:
        """End the connection at once, and wait until it has ended.

        Handlers are cancelled; so is one that calls this.

        Args:
            grace: how long handlers may take to end, and then the other side; see `connect_stdio`.
                By default, as long as the connection was told when it was made. With 0, no handler
                is waited for, and a program that `connect_stdio` has started is killed at once.
        """
        require_loop(self._loop)
        await self._running.close(grace)

    def _prepare(self, method: str, params: Any) -> None:
        """Send what is queued before a request that passes it; see `Bridged.request`.

        Raises:
            RuntimeError: If the request is about a new session that the client does not know.
        """
        require_loop(self._loop)
        self._connection.refuse_held(method, params)
        self._output.send_now()

    def _watch(self, silence: float) -> Silence:
        bridge = self._bridge

        def give_up() -> None:
            how = f"the agent has been silent for {silence:g} seconds"
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
        self._running.fail(error)  # which is made after the output

    def _discard_refused(self) -> None:
        """Discard the handler of an `initialize` that was refused."""
        # Called after every failure: only this one leaves a handler without a surface.
        if self._choice.handler is not None and self._connection.surface is None:
            self._choice.discard()
