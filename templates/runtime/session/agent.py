"""What the generated agent sessions are made of: senders of updates, and turns."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Generic, ParamSpec, TypeAlias, TypeVar, overload

from ..aio.peer import Peer
from ..jsonrpc.errors import INTERNAL_ERROR, REQUEST_CANCELLED, RequestError
from ..values.errors import EncodeError
from ..values.unset import UNSET
from .state import Message, Role, State

B = TypeVar("B")  # a content block
P = ParamSpec("P")  # the members of an update
R = TypeVar("R")  # the response to a prompt
S = TypeVar("S", bound="State[Any, Any]")
U = TypeVar("U")  # a session update
# The work of a turn; it returns why it stopped, None for the natural end.
Work: TypeAlias = "Coroutine[Any, Any, str | None]"

CANCELLED: Final = "cancelled"
END_TURN: Final = "end_turn"

_log = logging.getLogger(__name__)


class Sender(Generic[P]):
    """A method of agent sessions that sends updates of one kind; it takes their members."""

    def __init__(self, update: Callable[P, Any]) -> None:
        self.update = update
        self.__doc__ = f"Send a `{update.__name__}`; takes its members."

    def __set_name__(self, owner: type, name: str) -> None:
        self.__name__ = name
        self.__qualname__ = f"{owner.__qualname__}.{name}"

    @overload
    def __get__(self, session: None, owner: type) -> Sender[P]: ...
    @overload
    def __get__(
        self, session: AgentSession[Any, Any, Any, Any], owner: type
    ) -> Callable[P, Coroutine[Any, Any, None]]: ...
    def __get__(self, session: AgentSession[Any, Any, Any, Any] | None, owner: type) -> Any:
        if session is None:
            return self

        def send(*args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, None]:
            return session.update(self.update(*args, **kwargs))

        send.__name__, send.__qualname__ = self.__name__, self.__qualname__
        send.__doc__ = self.__doc__
        return send


@dataclass(slots=True, eq=False)
class _Turn:
    """A turn that has not ended; `task` is its work, once that has begun."""

    task: asyncio.Task[str | None] | None = None
    is_cancelled: bool = False


class AgentSession(Generic[S, B, U, R]):
    """Base of the generated agent sessions.

    Attributes:
        peer: the client.
        session_id: the id of the session.
        state: what all updates have come to so far, for `replay`; see `SessionState`.
    """

    # The stop reasons that the schema lists; whether others are allowed that begin with `_`.
    _stop_reasons: ClassVar[frozenset[str]] = frozenset()
    _allows_custom: ClassVar[bool] = False
    # The kinds of updates behind which what is said is a new message.
    _ends: ClassVar[tuple[type, ...]] = ()

    def __init__(self, peer: Peer, session_id: str, state: S) -> None:
        self.peer = peer
        self.session_id = session_id
        self.state = state
        # The message that was the last thing said when the agent was idle.
        self._ended: Message[Any] | None = None
        self._turns: list[_Turn] = []
        # One turn after another: a prompt that comes during a turn is held until its end.
        self._working = asyncio.Lock()

    # --- updates -----------------------------------------------------------------------------

    async def update(self, update: U) -> None:
        """Send an update.

        Raises:
            EncodeError: it cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.
        """
        self._post(update)
        self.state.apply(update)
        if isinstance(update, self._ends):
            self._ended = self.state.last_message("agent") or self.state.last_message("thought")
        await self.peer.flush()

    def _post(self, update: U) -> None:
        raise NotImplementedError

    async def replay(self) -> None:
        """Send the fewest updates that lead to the state of this session, to whoever loads it."""
        for update in self.state.to_updates():
            self._post(update)  # all at once, so that nothing else comes in between
        await self.peer.flush()

    def _continued(self, role: Role) -> str:
        """The message that a chunk is part of: the last thing said, or a new one."""
        last = self.state.last_message(role)
        if last is None or last is self._ended:
            return new_id()
        return new_id() if last.message_id is None else last.message_id

    # --- turns -------------------------------------------------------------------------------

    @property
    def is_working(self) -> bool:
        """Whether a turn is under way."""
        return self._working.locked()

    def cancel(self) -> None:
        """Cancel the turn under way and the prompts that are held.

        The work is cancelled once: what it does then, such as a last update, is waited for. That
        is what `session/cancel` asks for; the handler of an agent calls it.
        """
        for turn in self._turns:
            if not turn.is_cancelled:
                turn.is_cancelled = True
                if turn.task is not None:
                    turn.task.cancel()

    async def end(self) -> None:
        """Cancel, and wait until all turns are over, as `session/close` asks for."""
        self.cancel()
        async with self._working:
            pass

    async def run_turn(self, prompt: Sequence[B], work: Work) -> R:
        """Do what a prompt asks for; what it returns is the response to the prompt.

        Args:
            prompt: the content of the prompt.
            work: does it; its result is the stop reason, None for the natural end of a turn.
        """
        raise NotImplementedError

    async def _begin(self, turn: _Turn, work: Work) -> None:
        """Wait for the turns before this one."""
        self._turns.append(turn)
        try:
            await self._working.acquire()
        except BaseException:
            self._turns.remove(turn)
            work.close()
            raise

    def _finish(self, turn: _Turn) -> None:
        self._turns.remove(turn)
        self._working.release()

    async def _outcome(self, turn: _Turn, work: Work) -> str:
        """Do the work of a turn, and say why it stopped.

        Raises:
            Exception: the work has failed, and was not cancelled.
        """
        if turn.is_cancelled:
            work.close()
            return CANCELLED
        task = turn.task = asyncio.create_task(work)
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:  # the request was withdrawn, or the connection has ended
            task.cancel()
            await asyncio.wait([task])
            _log_outcome(task)
            raise
        if turn.is_cancelled:
            _log_outcome(task)
            return CANCELLED
        if task.cancelled():
            raise RequestError(INTERNAL_ERROR, "the work was cancelled, but not by the client")
        stop_reason = task.result() or END_TURN
        if stop_reason in self._stop_reasons or (self._allows_custom and stop_reason[0] == "_"):
            return stop_reason
        custom = ", or one that begins with '_'" if self._allows_custom else ""
        listed = ", ".join(sorted(self._stop_reasons))
        raise ValueError(f"{stop_reason!r} is no stop reason; return one of {listed}{custom}")


class AnsweringSession(AgentSession[S, B, U, R]):
    """The sessions of protocols in which the response to a prompt ends its turn."""

    async def run_turn(self, prompt: Sequence[B], work: Work) -> R:
        """Do what a prompt asks for, and say why it stopped.

        A turn that is cancelled ends with that as its stop reason, whatever the work raises. A
        prompt that comes during a turn is held until its end.

        Args:
            prompt: the content of the prompt.
            work: does it; its result is the stop reason, None for the natural end of a turn.

        Raises:
            ValueError: the work returned what is no stop reason.
            Exception: the work did.
        """
        turn = _Turn()
        await self._begin(turn, work)
        try:
            if not turn.is_cancelled:
                self._insert(prompt)
            return self._response(await self._outcome(turn, work))
        finally:
            self._finish(turn)

    def _insert(self, prompt: Sequence[B]) -> None:
        """Make the prompt part of the state; the client knows what it has sent."""
        raise NotImplementedError

    def _response(self, stop_reason: str) -> R:
        raise NotImplementedError


class ReportingSession(AgentSession[S, B, U, R]):
    """The sessions of protocols in which the response accepts a prompt, and an update ends it."""

    async def run_turn(self, prompt: Sequence[B], work: Work) -> R:
        """Accept a prompt; then do what it asks for, and report why that stopped.

        The user's message and that the agent is busy are reported first, and at last that it is
        idle, with the stop reason: `cancelled` for a turn that is cancelled, whatever the work
        raises, else `error` if it raises. A prompt that comes during a turn is held until its end.

        Args:
            prompt: the content of the prompt.
            work: does it; its result is the stop reason, None for the natural end of a turn.

        Raises:
            RequestError: it was cancelled before it was accepted.
        """
        turn = _Turn()
        await self._begin(turn, work)
        if turn.is_cancelled:
            self._finish(turn)
            work.close()
            raise RequestError(REQUEST_CANCELLED, "request cancelled")
        message_id = new_id()
        task = self.peer.spawn(self._report(turn, message_id, prompt, work))
        task.add_done_callback(lambda _: self._finish(turn))
        task.add_done_callback(lambda _: work.close())  # if it was cancelled before it began
        return self._response(message_id)

    async def _report(self, turn: _Turn, message_id: str, prompt: Sequence[B], work: Work) -> None:
        await asyncio.sleep(0)  # the response comes first, even where tasks begin at once
        await self.update(self._inserted(message_id, prompt))
        await self.update(self._busy())
        ends = [self._failed(RequestError(INTERNAL_ERROR, "internal error"))]
        try:
            ends.append(self._idle(await self._outcome(turn, work)))
        except RequestError as error:
            ends.append(self._failed(RequestError(error.code, error.message)))
            ends.append(self._failed(error))
        except Exception:
            _log.exception("a turn failed")
        # The last that can be written: the data of an error, or its message, may be no JSON.
        for end in reversed(ends):
            try:
                await self.update(end)
                break
            except EncodeError:
                _log.exception("the end of a turn cannot be reported as it is")

    async def replay(self) -> None:
        """Send the fewest updates that lead to the state of this session, to whoever resumes it.

        What it is doing now is always among them.
        """
        if getattr(self.state, "state", None) is None:
            self.state.apply(self._idle(None))
        await super().replay()

    def _background(self) -> Any:
        """The background work last reported: who reports it has to do so in each update."""
        return getattr(getattr(self.state, "state", None), "background", UNSET)

    def _response(self, message_id: str) -> R:
        raise NotImplementedError

    def _inserted(self, message_id: str, prompt: Sequence[B]) -> U:
        raise NotImplementedError

    def _busy(self) -> U:
        raise NotImplementedError

    def _idle(self, stop_reason: str | None) -> U:
        raise NotImplementedError

    def _failed(self, error: RequestError) -> U:
        raise NotImplementedError


def _log_outcome(task: asyncio.Task[Any]) -> None:
    """Say in the log what came out of work that was cancelled, if it raised anything else."""
    if not task.cancelled() and task.exception() is not None:
        _log.info("work that was cancelled ended with %r", task.exception())


def new_id() -> str:
    """An id that no other session or message has."""
    return uuid.uuid4().hex
