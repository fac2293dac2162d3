"""Base classes of the generated agent sessions, which send updates, run turns, and end.

Rules:

1. An update is recorded, sent and applied to the state in one step, without waiting, so the state
   reflects the order of the messages (`update`).
2. Turns run one after another, in the order of their prompts (`_begin`). As soon as its handler is
   called, a prompt is treated as a turn and can be cancelled (`announce`).
3. The task that does a turn's work is cancelled only once, even if the turn is cancelled again.
   When the task of a cancelled turn ends, the turn ends with `cancelled`, regardless of the task's
   result (`_outcome`). If the work calls `sys.exit`, the program exits after the turn has ended.
4. A session ends once (`begin_end`): its turns are cancelled, `ended` is called, and its resources
   are freed (see `ending`). When an event loop stops, its turns end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, ClassVar, Final, Generic, Protocol, TypeAlias, TypeVar, cast

from ..aio.handling import PATIENCE
from ..aio.peer import Peer
from ..aio.tasks import close_unstarted, drop, wait_done
from ..jsonrpc.errors import RequestError
from ..jsonrpc.handler import require_awaitable
from ..jsonrpc.logs import logger_of
from ..values.deferred import dataclass
from ..values.errors import quotation
from ..values.unset import UNSET
from .copying import deep_copy
from .ending import Ending, Resources, Step
from .message import Message, Role, new_id
from .setup import SessionSetup
from .state import CANCELLED, State

A = TypeVar("A")  # the result of a handler
B = TypeVar("B")  # a content block
E = TypeVar("E")  # the response or update that ends a turn
R = TypeVar("R")  # the response to a prompt
S = TypeVar("S", bound="State[Any, Any, Any]")
T = TypeVar("T")  # a stop reason
U = TypeVar("U")  # a session update
# The work of a turn. The work returns the stop reason, a complete ending, or None for `end_turn`.
Work: TypeAlias = Coroutine[Any, Any, T | E | None]

END_TURN: Final = "end_turn"
# The warning about a turn that waits for the turn that started it.
_INSIDE = (
    f"a turn of session %r has waited for {PATIENCE:g} seconds for the turn that started it; if "
    "the earlier turn awaits the new one, both wait forever"
)

_log = logger_of(__name__)


@dataclass(slots=True, eq=False)
class OpenTurn:
    """A turn that is not over.

    Attributes:
        task: the task that does the turn's work, or None before the work starts.
        is_cancelled: whether the client cancelled the turn.
        has_begun: whether `run_turn` was called for the turn. Before that, only the prompt's
            handler is running.
        is_reported: whether the update that reports the end of the turn was sent to the client.
    """

    task: asyncio.Task[Any] | None = None
    is_cancelled: bool = False
    has_begun: bool = False
    is_reported: bool = False


# The turn that the current code belongs to. Tasks that the code starts inherit this value.
_current: ContextVar[OpenTurn | None] = ContextVar("_current", default=None)
# The session and turn of the prompt that the current task is handling.
_announced: ContextVar[tuple[Any, OpenTurn] | None] = ContextVar("_announced", default=None)


class SessionOwner(Protocol):
    """The parts of an agent that its sessions use; see `AgentSessions`."""

    keep_state: bool

    @property
    def has_peer(self) -> bool: ...

    @property
    def peer(self) -> Peer: ...

    @property
    def is_recording(self) -> bool: ...

    @property
    def is_restoring(self) -> bool: ...

    def recorded(self, session: Any, update: Any) -> None: ...

    def hold_back(self, session: Any) -> None: ...

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]: ...

    def make_ending(self, session: Any, steps: Sequence[Step]) -> Ending: ...


class AgentSession(SessionSetup, Generic[S, B, U, R, E, T]):
    """Base class of the generated agent sessions.

    Attributes:
        agent: the agent that the session belongs to.
        session_id: the session's id.
        number: the session's number. Sessions are numbered from 1, in the order in which they were
            opened.
        state: the session's state after all updates so far, for `replay`; see `SessionState`. If
            the agent's `keep_state` is false, the state contains only the parts that the next
            update depends on.
        is_known: whether the client knows the session or will learn about it from a pending
            response.
    """

    # The stop reasons that the schema defines.
    _stop_reasons: ClassVar[frozenset[str]] = frozenset()
    # Whether custom stop reasons, which begin with `_`, are allowed.
    _allows_custom: ClassVar[bool] = False
    # The class of the response or update that ends a turn. If an update of this class was sent, the
    # next chunk begins a new message.
    _ending_class: ClassVar[type]

    def __init__(self, agent: SessionOwner, session_id: str, state: S) -> None:
        super().__init__()
        self.agent = agent
        self.session_id = session_id
        self.number = 0
        self.state = state
        self.is_known = False
        # The last update that this class created. No other code can modify it.
        self._own_update: U | None = None
        # Whether the session or its agent overrides `recorded`.
        base: Any = AgentSession
        self._is_recorded = type(self).recorded is not base.recorded or agent.is_recording
        self._recorded: object = None  # a recorded update that `update` must not record again
        # The state's last message at the end of the previous turn.
        self._last_message: Message[Any] | None = None
        self._turns: list[OpenTurn] = []
        # Turns run one after another: a prompt that arrives during a turn waits for that turn.
        self._working = asyncio.Lock()
        # The event loop in which the turns run. The turns end when the loop stops.
        self._loop: asyncio.AbstractEventLoop | None = None
        self._exit_stack: AsyncExitStack | None = None
        self._is_over = False
        self._end: Ending | None = None
        self._is_lost = False  # whether the session ended because the connection closed
        # Whether the session has ended and its resources have been freed.
        self._is_closed = False

    @property
    def peer(self) -> Peer:
        """The connection to the client.

        Raises:
            RuntimeError: If the agent has no connection.
        """
        return self.agent.peer

    # --- updates -----------------------------------------------------------------------------

    async def update(self, update: U, *, meta: dict[str, Any] | None = None) -> None:
        """Send an update and apply it to the state. Without a connection, only apply the update.

        The state contains a copy of the update. If the client doesn't know the session yet, the
        update is sent after the response that contains the session's id. If the response is an
        error instead, the update is discarded.

        Args:
            update: the update, which can contain its own `_meta`.
            meta: the `_meta` of the notification.

        Raises:
            EncodeError: If the update cannot be written as JSON. In this case, nothing is sent.
            ConnectionClosed: If the connection is closed.
            LimitExceeded: If too many updates are waiting for the response; see `Limits.backlog`.
        """
        if self._is_recorded and update is not self._recorded:
            self._record(update)
        # Send the update first, since sending can fail. Apply it in the same step so that the state
        # reflects the order of the messages.
        agent = self.agent
        peer = agent.peer if agent.has_peer else None
        if peer is not None:
            if not self.is_known:
                self._await_response()
            self._post(update, meta)
        self._apply(update if update is self._own_update else deep_copy(update))
        if peer is not None and not peer.has_room:
            await peer.drain(self.session_id)

    async def _update_own(self, update: U) -> None:
        """Send an update created by this class. The state doesn't need a copy of the update."""
        self._own_update = update
        await self.update(update)

    async def repeat(self, update: U) -> None:
        """Send an update that the state already contains, in case the client hasn't received it.

        Raises:
            ConnectionClosed: If the connection is closed.
        """
        self._recorded = update  # the state does not change
        try:
            await self.update(update)
        finally:
            self._recorded = None

    def recorded(self, update: U) -> None:
        """Record a change to the state, for example in a file. Override this method.

        This method is called for each change before the change is sent to the client. Changes are
        the session's updates, protocol 1 prompts, and values in responses, such as the current
        mode. Prompts and values are passed as the updates that would report them. Updates from
        `SessionAgent.restore` are not recorded again. The default implementation calls
        `SessionAgent.recorded`.

        If this method raises an exception, the update is not sent, and the state does not change.
        `update` raises the exception, which ends the turn with an error unless the work catches it.
        If the change comes from a response, an error is sent instead of the response. If the update
        reports that a turn failed or was cancelled, it is sent anyway, and the exception is logged.

        Args:
            update: the update. The program can modify the update after this method returns, so keep
                a copy of the update instead of the update itself.
        """
        _require_none(self.agent.recorded, self, update)

    def _record(self, update: Any) -> None:
        """Call `recorded` if it is overridden."""
        if self._is_recorded:
            _require_none(self.recorded, update)

    def _change(self, update: U) -> None:
        """Record an update and apply it to the state without sending it."""
        self._record(update)
        self.state.apply(update)

    def take_response(self, method: str, params: Any, result: Any) -> None:
        """Record and apply the parts of the state that a response contains."""
        if self._is_recorded:
            for update in self.state.implied_updates(method, params, result):
                if not self.state.has(update):
                    self._record(update)
        self.state.apply_response(method, params, result)

    def bring_back(self, stored: Any) -> None:
        """Restore the state from a result of `SessionAgent.restore`: a state or its updates.

        Raises:
            TypeError: If the result is a state from another protocol version.
        """
        state: Any = self.state
        if isinstance(stored, State):
            if not isinstance(stored, state.__class__):  # a state from another protocol version
                raise TypeError("restore returned a state from another protocol version")
            self.state = cast(S, stored)
        else:
            for update in stored:
                state.apply(update)
        self._last_message = self.state.last_message()
        if not self.agent.keep_state:
            self.state.trim()

    def _apply(self, update: Any) -> None:
        self.state.apply(update)
        if isinstance(update, self._ending_class):
            self._last_message = self.state.last_message()
        if not self.agent.keep_state:
            self.state.trim()

    def _post(self, update: U, meta: dict[str, Any] | None = None) -> None:
        raise NotImplementedError

    async def replay(self) -> None:
        """Recreate the state with as few updates as possible in a client that loads the session.

        Raises:
            RuntimeError: If the agent's `keep_state` is false.
            ConnectionClosed: If the connection is closed.
        """
        if not self.agent.keep_state:
            raise RuntimeError("the session keeps no state to replay; set keep_state in the agent")
        self._await_response()
        for update in self.state.to_updates():
            self._post(update)  # `_post` doesn't wait, so no other message is sent in between
        await self.peer.drain(self.session_id)

    def _await_response(self) -> None:
        """Delay messages about the session until the response with the session's id is sent."""
        if not self.is_known:
            self.agent.hold_back(self)

    def _continued(self, role: Role) -> str:
        """Return the id of the message that a chunk continues, or a new id."""
        last = self.state.last_message(role)
        # A message is not continued in a later turn.
        if last is None or last is self._last_message:
            return new_id()
        return new_id() if last.message_id is None else last.message_id

    # --- turns -------------------------------------------------------------------------------

    @property
    def has_turns(self) -> bool:
        """True if a turn is running or a prompt is waiting."""
        return bool(self._turns)

    @property
    def is_working(self) -> bool:
        """True if a turn is running."""
        return self._working.locked()

    @property
    def is_cancelled(self) -> bool:
        """True if the current turn was cancelled, for example by the client.

        In the work of a turn, and in tasks that this work starts, the current turn is that turn
        until it ends. Elsewhere, the current turn is the running turn. If there is no current
        turn, the value is False.
        """
        turn = _current.get()
        if turn not in self._turns:
            turn = next((turn for turn in self._turns if turn.task is not None), None)
        return turn is not None and turn.is_cancelled

    def cancel(self) -> None:
        """Cancel the running turn and the waiting prompts, as `session/cancel` does.

        The task that does the work is cancelled only once. The turn lasts until the work ends, and
        the work can still send updates.
        """
        if self._turns:
            self._follow_loop()
        for turn in self._turns:
            if not turn.is_cancelled:
                turn.is_cancelled = True
                if turn.task is not None:
                    turn.task.cancel()

    async def run_turn(self, prompt: Sequence[B], work: Work[T, E]) -> R:
        """Run a turn and return the response to its prompt."""
        raise NotImplementedError

    def announce(self, handling: Coroutine[Any, Any, A]) -> Coroutine[Any, Any, A]:
        """Make a prompt cancellable by treating it as a turn while its handler is running.

        The handler is expected to call `run_turn`.
        """
        self._follow_loop()
        turn = OpenTurn()
        self._turns.append(turn)
        return self._handle_announced(turn, handling)

    async def _handle_announced(self, turn: OpenTurn, handling: Coroutine[Any, Any, A]) -> A:
        _announced.set((self, turn))
        try:
            return await handling
        finally:
            # If the handler called `run_turn`, `_finish` removes the turn instead.
            if not turn.has_begun and turn in self._turns:
                self._turns.remove(turn)

    async def _begin(self, work: Work[T, E]) -> OpenTurn:
        """Begin a turn once all earlier turns are over.

        Raises:
            RuntimeError: If the work of an earlier turn calls this method, since that work would
                wait for itself.
            TypeError: If `work` isn't a coroutine, for example because the method `turn` is not
                `async`.
        """
        if not (hasattr(work, "__await__") and hasattr(work, "close")):
            made = type(work).__name__
            raise TypeError(f"the work of a turn must be a coroutine, found {made}; use async def")
        # A prompt's handler can also run other turns, even turns of another session.
        session, turn = _announced.get() or (None, None)
        is_announced = session is self and turn is not None and not turn.has_begun
        if not is_announced:
            self._follow_loop()
        running = _current.get()
        if running not in self._turns:
            running = None  # the caller isn't the work of an open turn of this session
        elif running.task is asyncio.current_task():
            work.close()
            raise RuntimeError(
                f"run_turn cannot be awaited in the work of a turn of session {self.session_id!r}, "
                "since the work would wait for itself; return first, or start a task"
            )
        if turn is None or not is_announced:
            turn = OpenTurn()
            self._turns.append(turn)
        turn.has_begun = True
        warning = None
        if running is not None:
            loop = asyncio.get_running_loop()
            warning = loop.call_later(PATIENCE, _log.warning, _INSIDE, self.session_id)
        try:
            await self._working.acquire()
        except BaseException:
            if turn in self._turns:
                self._turns.remove(turn)
            work.close()
            raise
        finally:
            if warning is not None:
                warning.cancel()
        if self._is_over:
            turn.is_cancelled = True
        return turn

    def _finish(self, turn: OpenTurn) -> None:
        if turn in self._turns:  # otherwise, `_follow_loop` has already removed the turn
            self._turns.remove(turn)
            self._working.release()

    def _follow_loop(self) -> None:
        """Forget the turns of a previous event loop."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            self._turns.clear()
            self._working = asyncio.Lock()

    async def _outcome(self, turn: OpenTurn, work: Work[T, E]) -> E:
        """Run the work of a turn and return the turn's ending.

        Raises:
            Exception: Any exception that the work raises, unless the turn is cancelled.
        """
        if turn.is_cancelled:
            work.close()
            return self._ending(CANCELLED)
        task = turn.task = asyncio.get_running_loop().create_task(_carry(work, turn))
        try:
            # This task must survive a cancellation by the client so that it can send the response.
            await _wait_for(task)
        except asyncio.CancelledError:  # the request was cancelled or the connection closed
            task.cancel()
            await _wait_for(task)
            result_of_cancelled(task)
            raise
        finally:
            if task.cancelled():  # possibly before it started `work`
                close_unstarted(work)
        if turn.is_cancelled:
            result: Any = result_of_cancelled(task)
            is_whole = isinstance(result, self._ending_class)
            if is_whole and result.stop_reason in (CANCELLED, None, UNSET):
                return cast(E, replace(result, stop_reason=CANCELLED))
            return self._ending(CANCELLED)
        if (error := _error_of(task)) is not None:
            raise error
        if task.cancelled():
            raise RequestError.internal_error(
                message="the work was cancelled, but not by the client"
            )
        return self._as_ending(task.result())

    # --- the end -----------------------------------------------------------------------------

    @property
    def exit_stack(self) -> AsyncExitStack:
        """The exit stack for the session's resources, such as clients for its MCP servers.

        The stack is closed when the session ends, after `ended` has been called. If the agent keeps
        the session after the connection closes, the stack is closed with the connection and
        replaced by an empty stack. Each asynchronous context manager is entered and exited in its
        own task.

        Raises:
            RuntimeError: If the session has ended.
        """
        if self._is_closed:
            raise RuntimeError(f"the session {self.session_id!r} has ended")
        if self._exit_stack is None:
            self._exit_stack = Resources()
        return self._exit_stack

    async def ended(self) -> None:
        """Free the session's resources. Override this method; by default, it does nothing.

        This method is called exactly once, after all of the session's turns are over. A session
        ends when the client closes or deletes it, when the agent calls `SessionAgent.end_session`,
        when the request that opens it fails, and when the connection closes, unless the agent keeps
        the session (`SessionAgent.keep_sessions`). This method is cancelled if it takes longer than
        the connection's `grace`. Exceptions are logged.
        """

    @property
    def is_over(self) -> bool:
        """True if the session has ended and no longer accepts prompts."""
        return self._is_over

    @property
    def may_return(self) -> bool:
        """True if the session is open or can be restored on a later connection.

        After the connection closes, the value is True if the agent keeps the session
        (`SessionAgent.keep_sessions`) or overrides `SessionAgent.restore`. The value is False if
        the client closed or deleted the session, if the agent called `SessionAgent.end_session`, or
        if the request that opens the session failed.
        """
        return not self._is_over or (self._is_lost and self.agent.is_restoring)

    async def end(self) -> None:
        """End the session: cancel all turns, wait until they are over, and call `ended`.

        If this call is cancelled, the session still ends.
        """
        self.begin_end()
        if self._end is not None:
            await self._end.wait()

    def begin_end(self, *, is_lost: bool = False) -> None:
        """Start ending the session unless it is already ending or over.

        Args:
            is_lost: whether the connection closed.
        """
        if self._is_over:
            return
        self._is_over = True
        self._is_lost = is_lost
        self.cancel()
        base: Any = AgentSession
        has_default = getattr(self.ended, "__func__", None) is base.ended
        if has_default and self._exit_stack is None and not self.is_working:
            self._is_closed = True  # no task is used, since there can be thousands of sessions
            return
        steps = (
            ("a turn", self._wait_for_turns),
            ("`ended`", self._call_ended),
            ("the exit stack", self._close),
        )
        self._end = self.agent.make_ending(self, steps)
        self._end.start()

    def begin_release(self) -> None:
        """Start freeing the resources of a session that outlives its connection."""
        if self._exit_stack is not None:
            steps = (("a turn", self._wait_for_turns), ("the exit stack", self._close_exit_stack))
            self.agent.make_ending(self, steps).start()

    def begin_connection(self) -> None:
        """Prepare for a connection to a client that doesn't know the session yet."""
        self.is_known = False
        self._follow_loop()

    async def _wait_for_turns(self) -> None:
        self._follow_loop()
        # The lock is fair: turns that are already waiting acquire it first and end immediately.
        async with self._working:
            pass

    async def _call_ended(self) -> None:
        await require_awaitable(self, "ended", self.ended())

    async def _close(self) -> None:
        self._is_closed = True
        await self._close_exit_stack()

    async def _close_exit_stack(self) -> None:
        stack, self._exit_stack = self._exit_stack, None
        if stack is not None:
            await stack.aclose()

    # --- how turns end -----------------------------------------------------------------------

    def _as_ending(self, result: Any) -> E:
        """Convert the result of a turn's work to an ending."""
        is_whole = isinstance(result, self._ending_class)
        reason = result.stop_reason if is_whole else result
        stop_reason = END_TURN if reason is None or reason is UNSET else reason
        if not isinstance(stop_reason, str):
            classes = type(stop_reason).__name__, self._ending_class.__name__
            wanted = f"return a stop reason such as {END_TURN!r}, a complete {classes[1]}, or None"
            if hasattr(stop_reason, "__await__"):
                wanted = "await it"
            raise TypeError(f"a turn cannot end with {classes[0]}; {wanted}")
        is_custom = self._allows_custom and stop_reason.startswith("_")
        if stop_reason not in self._stop_reasons and not is_custom:
            custom = ", or a custom reason beginning with '_'" if self._allows_custom else ""
            listed = ", ".join(sorted(self._stop_reasons))
            problem = f"{stop_reason!r} is not a stop reason"
            raise ValueError(f"{problem}; return one of {listed}{custom}")
        if not is_whole:
            return self._ending(stop_reason)
        ending = result if reason == stop_reason else replace(result, stop_reason=stop_reason)
        return cast(E, ending)

    def _ending(self, stop_reason: Any) -> E:
        raise NotImplementedError


def _require_none(recorded: Callable[..., Any], *arguments: Any) -> None:
    """Call `recorded`.

    Raises:
        TypeError: If `recorded` returns a value, or is `async` and therefore records nothing.
    """
    result = recorded(*arguments)
    if result is not None:
        if hasattr(result, "close"):
            result.close()
        raise TypeError("recorded is async or returns a value; use def and return nothing")


class _Exit(Exception):
    """Wrapper for an exception that would otherwise stop the event loop immediately."""


async def _carry(work: Coroutine[Any, Any, A], turn: OpenTurn) -> A:
    _current.set(turn)
    try:
        return await work
    # The code that waits for this task ends the turn and then raises the exception; see
    # `_error_of`.
    except (SystemExit, KeyboardInterrupt) as error:
        raise _Exit from error


async def _wait_for(task: asyncio.Task[Any]) -> None:
    """Wait for a task to finish. If the waiting task is dropped, also drop the awaited task."""
    try:
        # Don't use `await task`: if the waiting task is cancelled, the work must continue.
        await wait_done(task)
    except GeneratorExit:
        if not (task.done() or task.get_loop().is_closed()):
            drop(task, "the work of a turn did not end; dropping it")
        raise


def _error_of(task: asyncio.Task[Any]) -> BaseException | None:
    """Return the exception raised by a finished task, or None if it succeeded or was cancelled.

    Raises:
        SystemExit: If the work raised this exception.
        KeyboardInterrupt: If the work raised this exception.
    """
    error = None if task.cancelled() else task.exception()
    if isinstance(error, _Exit) and error.__cause__ is not None:
        raise error.__cause__
    # Re-raising GeneratorExit would suggest that the caller is being closed.
    if isinstance(error, GeneratorExit):
        failure = RuntimeError("the work raised GeneratorExit")
        failure.__cause__ = error
        return failure
    return error


def result_of_cancelled(task: asyncio.Task[Any]) -> Any:
    """Return the result of cancelled work, if any. If the work raised an exception, log it."""
    error = _error_of(task)
    if error is not None:
        _log.info("cancelled work raised %s", quotation(error))
    return None if task.cancelled() or error is not None else task.result()


class AnsweringSession(AgentSession[S, B, U, R, R, T]):
    """A session in which the response to a prompt ends its turn, as in protocol 1."""

    async def run_turn(self, prompt: Sequence[B], work: Work[T, R]) -> R:
        """Run a turn and return the response to the prompt, which contains the stop reason.

        A prompt that arrives during a turn waits for the turn to end. A cancelled turn ends with
        the stop reason `cancelled`, regardless of the work's result or exception. If the work
        returns a complete ending with that reason, this ending is used.

        Args:
            prompt: the prompt's content blocks.
            work: the work of the turn. The work returns the stop reason, a complete ending, or None
                for `end_turn`.

        Raises:
            TypeError: If the work returns neither a stop reason nor an ending.
            ValueError: If the work returns a string that isn't a valid stop reason.
            Exception: Any exception that the work raises.
        """
        turn = await self._begin(work)
        try:
            if not turn.is_cancelled:
                try:
                    self._insert(prompt)
                except BaseException:  # raised by `recorded`
                    work.close()
                    raise
            return await self._outcome(turn, work)
        finally:
            self._finish(turn)

    def _insert(self, prompt: Sequence[B]) -> None:
        """Add the prompt to the state without sending it, since the client already has it."""
        raise NotImplementedError
