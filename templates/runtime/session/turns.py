"""Turns of the generated client sessions: prompts, and what agents do about them."""

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

E = TypeVar("E")  # what ends a turn
G = TypeVar("G")  # usage
R = TypeVar("R")  # the response to a prompt
U = TypeVar("U")  # a session update

# The stop reason of what was cancelled, and the status of a tool call that was.
CANCELLED: Final = "cancelled"


class PromptedSession(Protocol):
    """What a turn takes of the session that it is a part of; see `ClientSession`."""

    peer: Peer
    session_id: str
    state: Any
    turns: list[Any]

    def activity(self) -> object: ...

    async def cancel(self) -> None: ...

    def send_cancel(self) -> None: ...


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
            RuntimeError: the turn was not entered, so that nothing was sent.
            RequestError: the agent has answered the prompt with an error.
            DecodeError: the answer is no response to a prompt.
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
        session: PromptedSession,
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
