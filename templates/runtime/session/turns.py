"""Base classes of the generated client turns, which consist of a prompt and the agent's work.

Rules:

1. Turns end when messages arrive, in the order of the messages, regardless of when handlers run.
   Waiting for a turn also waits for the handlers for its updates (`_end`).
2. Each turn ends exactly once: when the agent ends it, when an error occurs, or when the client
   abandons it. In protocol 1, the agent ends a turn with the response; for protocol 2, see
   `turn_phases`. The client still tracks an abandoned turn until the agent ends it.
3. At most `Limits.backlog` updates wait to be read from a turn. If there are more, the oldest ones
   are dropped (`_take`).
4. In protocol 1, the client adds the prompt to the state. If the agent also reports the prompt, it
   is not added again (`AnsweredTurn`; see `echo`).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from ..aio.calling import PATIENCE
from ..aio.handling import waiting
from ..aio.peer import Peer
from ..aio.streams import Wakeup
from ..jsonrpc.errors import REQUEST_CANCELLED, ConnectionClosed, LimitExceeded
from ..jsonrpc.events import Failure, Response
from ..jsonrpc.method import Method
from ..jsonrpc.stub import Stub
from .echo import Echo
from .message import Message, joined, new_id
from .reducers import is_given
from .running_calls import RunningCalls
from .state import CANCELLED
from .turn_phases import Foreground, Progress

if TYPE_CHECKING:
    from typing_extensions import Self

E = TypeVar("E")  # the response or update that ends a turn
G = TypeVar("G")  # the usage
R = TypeVar("R")  # the response to a prompt
T = TypeVar("T")  # a stop reason
U = TypeVar("U")  # a session update


class PromptedSession(Protocol):
    """The parts of a session that a turn uses; see `ClientSession`."""

    peer: Peer
    session_id: str
    state: Any
    turns: list[Any]
    is_closed: bool
    closed_reason: str
    abandoned: list[Any]
    running_calls: RunningCalls

    @property
    def agent(self) -> Stub: ...

    async def cancel(self) -> None: ...

    def send_cancel(self) -> None: ...


class Turn(Generic[U, R, E, G, T]):
    """A prompt and the agent's work on it until the agent stops.

    A turn is an asynchronous context manager: entering it sends the prompt, and leaving it waits
    for the turn to end. Iterating over the turn yields the session's updates during the turn. If
    the block raises an exception, or if the wait at its end is cancelled, the turn is cancelled
    without waiting for it to end.

    The attributes change when the agent's messages arrive, before the handlers for updates run.
    Waiting for the end of the turn also waits for these handlers.

    Attributes:
        prompt: the prompt's content blocks.
        response: the response to the prompt, or None if it has not arrived yet.
        ending: the response or update that ended the turn, or None if it has not arrived yet, or if
            the turn failed or was abandoned.
        stop_reason: the reason why the agent stopped, or None if it has not stopped yet or
            specified no reason.
        is_cancelled: whether the client cancelled the turn.
        is_over: whether the turn is over because the agent stopped or because the turn failed or
            was abandoned.
    """

    # The method that sends the prompt.
    _method: ClassVar[Method[Any, Any]]
    # The stop reasons that the schema defines.
    _stop_reasons: ClassVar[frozenset[str]] = frozenset()
    # The update classes that report usage.
    _reports: ClassVar[tuple[type, ...]] = ()
    # True while the agent might still repeat the prompt. A repetition is not applied to the state,
    # because the client itself adds the prompt.
    _may_repeat = False

    def __init__(self, session: PromptedSession, params: Any) -> None:
        self.prompt: Sequence[Any] = params.prompt
        self.response: R | None = None
        self.ending: E | None = None
        self.stop_reason: T | None = None
        self.is_cancelled = False
        self.is_over = False
        self._session = session
        self._params = params
        self._loop = asyncio.get_running_loop()
        self._is_entered = False
        self._request: int | None = None  # the request id once the prompt is sent
        self._error: BaseException | None = None
        self._updates: deque[U] = deque()
        self._change = Wakeup()  # notified of new updates and of the end
        self._dropped = 0
        self._last_update = 0.0
        # True once the turn is over and the handlers for its updates have finished.
        self._is_done = False
        self._completion = Wakeup()  # notified when `_is_done` changes
        self._usage: Any = None

    @property
    def known_stop_reason(self) -> T | None:
        """The stop reason if the schema defines it, else None."""
        return self.stop_reason if self.stop_reason in self._stop_reasons else None

    @property
    def usage(self) -> G | None:
        """The usage in `ending` or, if missing there, the last usage reported during the turn."""
        usage: G | None = getattr(self.ending, "usage", None) or self._usage
        return usage

    @property
    def quiet_for(self) -> float:
        """The time since the session's last update, or since the prompt was sent, in seconds.

        This time helps to distinguish an agent that is still working from an agent that will never
        end the turn.
        """
        return self._loop.time() - self._last_update

    async def cancel(self) -> None:
        """Ask the agent to stop; see `ClientSession.cancel`. The turn lasts until the agent stops.

        Raises:
            ConnectionClosed: If the connection is closed.
        """
        if self._is_entered and not self.is_over:
            await self._session.cancel()

    async def wait(self, timeout: float | None = None) -> None:
        """Wait for the turn to end. After a timeout, the turn continues.

        Args:
            timeout: the maximum time to wait, in seconds, or None for no limit.

        Raises:
            TimeoutError: If the turn doesn't end in time; see `quiet_for` and `abandon`.
            RuntimeError: If the turn was not entered.
            RequestError: If the agent responded to the prompt with an error.
            DecodeError: If the response to the prompt does not match the schema.
            ConnectionClosed: If the connection closed before the turn ended.
        """
        self._require_entered()
        if not self._is_done:
            with waiting():
                await self._completion.wait(timeout)
        if not self._is_done:
            raise TimeoutError(f"the turn did not end within {timeout:g} seconds")
        self._raise_error()

    def abandon(self) -> None:
        """Cancel the turn and end it in the client without waiting for the agent.

        Until the agent ends the turn, the agent's permission requests receive the cancelled outcome
        unless another turn is running.
        """
        if self._is_entered:
            self._leave()
            if self._request is not None:
                self._session.peer.cancel_request(self._request)
            if not self.is_over:
                self._session.abandoned.append(self)
            self._end()

    async def stop(self, grace: float = 10.0) -> None:
        """Cancel the turn. If the agent doesn't stop, abandon the turn and close the connection.

        Closing the connection also ends all other sessions and stops an agent that was started by
        `connect_stdio`. If the turn fails, its error is not raised.

        Args:
            grace: the maximum time to wait for the agent to stop, in seconds.

        Raises:
            RuntimeError: If the turn was not entered.
        """
        self._require_entered()
        self._leave()  # this call doesn't wait, even if the agent isn't reading
        if not self._is_done:
            with waiting():
                await self._completion.wait(grace)
        if not self.is_over:
            self.abandon()
            await self._session.peer.close()

    async def __aenter__(self) -> Self:
        """Send the prompt.

        Raises:
            RuntimeError: If the turn has already been entered or the session is closed.
            CapabilityError: If the prompt contains a type of content that the agent didn't
                advertise.
            EncodeError: If the prompt cannot be written as JSON.
            ConnectionClosed: If the connection is closed.
            LimitExceeded: If too many requests are pending.
        """
        if self._is_entered:
            raise RuntimeError("a turn cannot be entered twice; create a new one")
        if self._session.is_closed:
            reason = self._session.closed_reason
            closed = f"closed ({reason})" if reason else "closed"
            raise RuntimeError(f"the session is {closed}; load or resume it first")
        self._is_entered = True
        self._last_update = self._loop.time()
        self._begin()
        self._session.turns.append(self)
        peer = self._session.peer
        peer.owed.add(self)
        try:
            self._session.agent.check(self._method, self._params)
            self._request = peer.send_request(self._method, self._params, self._take_response)
        except Exception as error:  # nothing was sent
            self._end(error=error)
            raise
        if not peer.has_room:
            peer.spawn(self._wait_for_room())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            self._leave()
            return
        try:
            await self.wait()
        except asyncio.CancelledError:
            self._leave()
            raise

    def _leave(self) -> None:
        """Cancel the turn without waiting, even if the stream cannot accept more data."""
        if self._is_entered and not self.is_over:
            with suppress(ConnectionClosed):  # if the connection is closed, the turn is also over
                self._session.send_cancel()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> U:
        """Wait for the next update.

        Raises:
            StopAsyncIteration: If the turn is over.
            RuntimeError: If the turn was not entered.
            LimitExceeded: If there were more than `Limits.backlog` unread updates and some were
                dropped. The session state includes the dropped updates, and iteration can
                continue.
            RequestError: If the agent responded to the prompt with an error.
            DecodeError: If the response to the prompt does not match the schema.
            ConnectionClosed: If the connection closed before the turn ended.
        """
        self._require_entered()
        if self._dropped:
            dropped, self._dropped = self._dropped, 0
            raise LimitExceeded(f"{dropped} unread updates were dropped; use session.state instead")
        with waiting():
            while not (self._updates or self.is_over):
                await self._change.wait()
        if self._updates:
            return self._updates.popleft()
        self._raise_error()
        raise StopAsyncIteration

    def _require_entered(self) -> None:
        if not self._is_entered:
            raise RuntimeError("the turn was not entered; use `async with` first")

    def _raise_error(self) -> None:
        if self._error is not None:
            raise self._error

    # --- incoming messages -------------------------------------------------------------------

    def _begin(self) -> None:
        """Prepare to track the turn before its prompt is sent."""

    async def _wait_for_room(self) -> None:
        """Wait until the stream can accept more data. If the connection closes, end the turn."""
        peer = self._session.peer
        try:
            await peer.drain(self._session.session_id)
        except ConnectionClosed as error:
            if peer.process is not None:  # the exit status is more informative than this error
                await self._completion.wait(PATIENCE)
            if not self.is_over:
                self._end(error=error)

    def _take_response(self, event: Response | Failure) -> None:
        if isinstance(event, Response):
            self.response = event.result
            self._accept(event.result)
        # This is the response to a prompt that was cancelled before it was accepted.
        elif self.is_cancelled and getattr(event.error, "code", None) == REQUEST_CANCELLED:
            self._end(None, CANCELLED)
        else:
            self._end(error=event.error)

    def _accept(self, response: R) -> None:
        raise NotImplementedError

    def _repeats(self, update: U) -> bool:
        """Return whether an update only repeats the prompt and has no other effect."""
        return False

    def _take_other(self, update: U, *, is_running: bool) -> None:
        """Process an update that doesn't repeat a prompt, before it is applied to the state.

        `is_running` is true if the turn is the oldest open one.
        """

    def _take(self, update: U) -> None:
        """Process a session update that was applied to the state."""
        if self.is_over:  # the turn was abandoned
            return
        self._last_update = self._loop.time()
        if isinstance(update, self._reports):
            # Use the state, which includes fields that the update omitted.
            self._usage = copy(getattr(self._session.state, "usage", None))
        # Drop the oldest update, not the newest one. `__anext__` reports dropped updates.
        if len(self._updates) >= (self._session.peer.limits.backlog or 1):
            self._updates.popleft()
            self._dropped += 1
        self._updates.append(update)
        self._change.notify()

    def _end(
        self,
        ending: E | None = None,
        stop_reason: Any = None,
        error: BaseException | None = None,
    ) -> None:
        if self.is_over:
            if self in self._session.abandoned:  # the agent ended the abandoned turn
                self._session.abandoned.remove(self)
            return
        self.is_over = True
        is_running = self._session.turns[:1] == [self]
        if self in self._session.turns:
            self._session.turns.remove(self)
        self._session.peer.owed.discard(self)
        self.ending, self.stop_reason, self._error = ending, stop_reason or None, error
        self._change.notify()
        if is_running:
            self._session.running_calls.end_turn()
        self._complete()

    def _complete(self) -> None:
        """Mark the turn as done when the handlers for its updates have finished."""
        session = self._session
        session.peer.after_handlers(session.session_id, self._set_done, "the end of a turn")

    def _set_done(self) -> None:
        self._is_done = True
        self._completion.notify()


class AnsweredTurn(Turn[U, R, R, G, T]):
    """A turn that ends with the response to the prompt, as in protocol 1.

    The turn adds the prompt to the state. If the agent also reports the prompt before any other
    output, the message in the state receives the reported id and is not added again; see `echo`.
    """

    # The update class that adds a content block to the user's message.
    _chunk: ClassVar[type[Any]]
    # The update class that contains a complete user message, if the surface defines one.
    _whole: ClassVar[type[Any] | None] = None
    # True if each message must have an id. The turn then creates an id for the prompt.
    _names_message: ClassVar[bool] = False
    _may_repeat = True
    # The prompt's message, or None if it has not been added to the state yet.
    _message: Message[Any] | None = None
    # The message id that the turn created.
    _own_id: str | None = None
    # The comparison with the prompt, or None if the agent has not reported a user message yet.
    _echo: Echo[Any, U] | None = None

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self._insert()
        return self

    def _insert(self) -> Message[Any]:
        """Add the prompt to the state unless it has already been added. Return its message."""
        message = self._message
        if message is None:
            named: dict[str, str] = {}
            if self._names_message:
                self._own_id = named["message_id"] = new_id()
            chunks = [self._chunk(content=block, **named) for block in self.prompt]
            message = self._message = self._session.state.insert_message(chunks)
        return message

    def _repeats(self, update: Any) -> bool:
        message = self._insert()  # before the agent's messages
        if update.__class__ is self._whole:
            if joined(update.content or ()) == joined(self.prompt):
                # The update is then applied to this message, since the ids are equal.
                self._session.state.name_message(message, update.message_id, update)
            return False
        if update.__class__ is not self._chunk:
            return False
        if self._echo is None:
            self._echo = Echo(self.prompt, _text_of)
        echo = self._echo
        if not echo.takes(update.content, _id_of(update), update):
            return False
        if echo.message_id is not None and message.message_id == self._own_id:
            self._session.state.name_message(message, echo.message_id, update)
        return True

    def _take_other(self, update: Any, *, is_running: bool) -> None:
        state = self._session.state
        if self._echo is not None and update.__class__ is self._chunk:
            if chunks := self._echo.departs(_id_of(update)):
                self._may_repeat = False
                message = self._insert()
                if message.message_id != self._own_id:
                    state.name_message(message, self._own_id, update)
                for chunk in chunks:
                    state.apply(chunk)
        elif is_running and state.is_in_timeline(update):
            self._may_repeat = False

    def _accept(self, response: R) -> None:
        self._end(response, getattr(response, "stop_reason", None))


def _text_of(block: Any) -> str | None:
    text = getattr(block, "text", None)
    return text if isinstance(text, str) else None


def _id_of(chunk: Any) -> str | None:
    message_id: str | None = chunk.message_id if is_given(chunk.message_id) else None
    return message_id


class _ReportedSession(PromptedSession, Protocol):
    """The parts of a session that a protocol 2 turn uses; see `client.ReportedSession`."""

    foreground: Foreground

    def end_turns(self) -> None: ...


class ReportedTurn(Turn[U, R, E, G, T]):
    """A turn that an update ends, as in protocol 2.

    The response only confirms that the prompt was accepted. For the update that ends the turn, see
    `turn_phases`.
    """

    _progress: Progress

    def __init__(self, session: _ReportedSession, params: Any) -> None:
        super().__init__(session, params)
        self._foreground = session.foreground
        self._end_turns = session.end_turns

    def _begin(self) -> None:
        self._progress = self._foreground.begin()

    def _accept(self, response: R) -> None:
        self._foreground.accept(self._progress, getattr(response, "message_id", None) or None)
        self._end_turns()

    def _complete(self) -> None:
        # The handler for the update that ended the turn is scheduled only after this call.
        self._loop.call_soon(super()._complete)

    def end_if_over(self) -> None:
        """End the turn if it is over."""
        if self._progress.is_over:
            ending = self._progress.end
            self._end(ending, CANCELLED if ending is None else ending.stop_reason)

    def _end(
        self,
        ending: E | None = None,
        stop_reason: Any = None,
        error: BaseException | None = None,
    ) -> None:
        super()._end(ending, stop_reason, error)
        if self not in self._session.abandoned:
            self._foreground.leave(self._progress)


# --- calls from sessions ---------------------------------------------------------------------
# The following are functions instead of public methods, since users must not call them.
# pyright: reportPrivateUsage=false


def repeats_prompt(turns: Sequence[Turn[U, Any, Any, Any, Any]], update: U) -> bool:
    """Return whether an update only repeats the prompt of a turn; see `echo`.

    This function is called before the update is applied to the state. `turns` are the turns that
    the agent has not ended, oldest first.
    """
    for turn in turns:
        if turn._may_repeat and turn._repeats(update):
            return True
    for turn in turns:
        if turn._may_repeat:
            turn._take_other(update, is_running=turn is turns[0])
    return False


def deliver(turns: Sequence[Turn[U, Any, Any, Any, Any]], update: U) -> None:
    """Deliver an update that was applied to the state. Delivery must not modify `turns`."""
    for turn in turns:
        turn._take(update)


def disconnect_turns(peer: Peer) -> None:
    """End all open turns of a closed connection."""
    # Don't look for turns in the sessions, since a turn can outlive its session.
    turns: list[Turn[Any, Any, Any, Any, Any]] = [t for t in peer.owed if isinstance(t, Turn)]
    for turn in turns:
        turn._end(error=peer.closed_error("the connection closed before the turn ended"))
