"""The base classes of the generated turns of clients: a prompt, and the work of the agent on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Protocol, TypeVar

from ..aio.peer import Peer
from ..jsonrpc.errors import REQUEST_CANCELLED, ConnectionClosed

if TYPE_CHECKING:
    from typing_extensions import Self

E = TypeVar("E")  # the response or update that ends a turn
G = TypeVar("G")  # the usage
R = TypeVar("R")  # the response to a prompt
U = TypeVar("U")  # a session update

# The stop reason of a cancelled turn, and the status of a cancelled tool call.
CANCELLED: Final = "cancelled"


class PromptedSession(Protocol):
    """The part of its session that a turn uses; see `ClientSession`."""

    peer: Peer
    session_id: str
    state: Any
    turns: list[Any]

    def activity(self) -> object: ...

    async def cancel(self) -> None: ...

    def send_cancel(self) -> None: ...


class Turn(Generic[U, R, E, G]):
    """A prompt, and the work of the agent on it until it stops.

    An asynchronous context manager: entering it sends the prompt, leaving it waits for the end of
    the turn. Iterate over it for the updates of the session during the turn. If an exception
    leaves the block, or the wait at its end is cancelled, the turn is cancelled, and its end is not
    waited for.

    Attributes:
        prompt: the content blocks of the prompt.
        response: the response to the prompt; None before it arrives.
        ending: the response or update that ended the turn; None before, and if the turn failed.
        stop_reason: why the agent stopped; None before, and if the agent did not say.
        is_cancelled: whether this side has cancelled the turn.
    """

    # The stop reasons that the schema lists.
    _stop_reasons: ClassVar[frozenset[str]] = frozenset()
    # The classes of updates that report usage.
    _reports: ClassVar[tuple[type, ...]] = ()

    def __init__(
        self,
        session: PromptedSession,
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
        self._updates: asyncio.Queue[U | None] = asyncio.Queue()  # None marks the end
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._has_usage = False

    @property
    def is_over(self) -> bool:
        """Whether the turn has ended: the agent has stopped, or the turn has failed."""
        return self._over.done()

    @property
    def known_stop_reason(self) -> str | None:
        """The stop reason if the schema lists it, else None."""
        return self.stop_reason if self.stop_reason in self._stop_reasons else None

    @property
    def usage(self) -> G | None:
        """The usage that the ending reports, or else the last such update of the turn."""
        usage: G | None = getattr(self.ending, "usage", None) or None
        if usage is None and self._has_usage:
            usage = getattr(self._session.state, "usage", None)
        return usage

    async def cancel(self) -> None:
        """Ask the agent to stop, see `ClientSession.cancel`. The turn lasts until it has.

        Raises:
            ConnectionClosed: the connection has ended.
        """
        if self._task is not None and not self.is_over:
            await self._session.cancel()

    async def __aenter__(self) -> Self:
        """Send the prompt.

        Raises:
            RuntimeError: the turn was entered before.
            CapabilityError: the agent did not advertise such content.
            EncodeError: the prompt cannot be written as JSON.
            ConnectionClosed: the connection has ended.
        """
        if self._task is not None:
            raise RuntimeError("a turn cannot be entered twice; make a new one")
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
        """Cancel the turn without waiting, not even for room in the stream."""
        if not self.is_over:
            with suppress(ConnectionClosed):  # then the turn is over as well
                self._session.send_cancel()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> U:
        """Wait for the next update.

        Raises:
            StopAsyncIteration: the turn is over.
            RuntimeError: the turn was not entered.
            RequestError: the agent answered the prompt with an error.
            DecodeError: the response to the prompt does not match the schema.
            ConnectionClosed: the connection ended before the turn did.
        """
        if self._task is None:
            raise RuntimeError("enter the turn with `async with` before you iterate over it")
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
            # This is the response to a prompt that was cancelled before it was accepted.
            if self.is_cancelled and getattr(error, "code", None) == REQUEST_CANCELLED:
                self._end(None, CANCELLED)
            else:
                self._end(error=error)

    async def _accept(self, response: R) -> None:
        raise NotImplementedError

    def take(self, update: U) -> None:
        """Receive an update of the session, which has been applied to the state."""
        self._has_usage = self._has_usage or isinstance(update, self._reports)
        self._updates.put_nowait(update)

    def close(self) -> None:
        """Take note that the session was closed."""

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
            self._over.exception()  # asyncio reports an exception that is never retrieved
        self._updates.put_nowait(None)


class AnsweredTurn(Turn[U, R, R, G]):
    """A turn that ends with the response to the prompt, as in protocol 1.

    The agent sends no updates for the prompt itself, so the turn adds it to the state.
    """

    # The class of updates that add a block to the message of the user.
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
    """A turn that the response to the prompt accepts, and an update ends, as in protocol 2.

    The turn ends when the agent is idle again after it was busy. That update may arrive before the
    response. It then belongs to this prompt if the message of the prompt was inserted before it;
    or, if the agent has inserted no messages, if the agent became busy during the turn.
    """

    # The classes of updates that tell that the agent is idle.
    _idle: ClassVar[tuple[type, ...]] = ()
    # The classes of updates that tell that the agent is busy.
    _busy: ClassVar[tuple[type, ...]] = ()
    # The classes of updates that insert a message of the user into the conversation.
    _inserts: ClassVar[tuple[type, ...]] = ()

    def __init__(
        self,
        session: PromptedSession,
        prompt: Sequence[Any],
        send: Callable[[], Coroutine[Any, Any, R]],
    ) -> None:
        super().__init__(session, prompt, send)
        self._is_busy = False
        self._is_closed = False
        self._became_busy = False  # since the prompt was sent
        self._inserted: set[str] = set()
        # Before the response: each idle update with `_became_busy` and `_inserted` at that time.
        self._candidates: list[tuple[Any, bool, frozenset[str]]] = []

    async def __aenter__(self) -> Self:
        """See `Turn`.

        Raises:
            RuntimeError: a handler of an update of the session would wait for updates that are not
                handled before it returns.
        """
        if self._session.peer.is_handling(self._session.session_id):
            message = "a handler of updates cannot wait for a turn of the same session"
            raise RuntimeError(f"{message}; start a task for the turn, such as with `peer.spawn`")
        self._is_busy = isinstance(self._session.activity(), self._busy)
        return await super().__aenter__()

    def take(self, update: Any) -> None:
        """See `Turn`."""
        super().take(update)
        if isinstance(update, self._inserts):
            self._inserted.add(getattr(update, "message_id", ""))
        elif isinstance(update, self._busy):
            self._became_busy = self._became_busy or not self._is_busy
            self._is_busy = True
        elif isinstance(update, self._idle) and self._is_busy:  # and not idle already
            self._is_busy = False
            if self.response is None:
                inserted = frozenset(self._inserted)
                self._candidates.append((update, self._became_busy, inserted))
            else:
                self._end_with(update)

    async def _accept(self, response: R) -> None:
        message_id = getattr(response, "message_id", None)
        for update, became_busy, inserted in self._candidates:
            if message_id in inserted or (became_busy and not inserted):
                self._end_with(update)
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

    def _end_with(self, update: Any) -> None:
        self._end(update, update.stop_reason)
