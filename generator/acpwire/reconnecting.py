"""A message stream to a remote agent. The stream survives the loss of its connection.

`receive` reads the messages of the current connection. When the connection is lost, `receive`
returns the messages that end the client's unfinished work. The next call waits for another
connection. A task then restores the conversation over the new connection while `receive` continues.

Until the conversation is restored, the client's requests and notifications are held back. If too
many messages are held back, `drain` waits so that no more messages are read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Final, NamedTuple

from acp_bindings.kit.links import PATIENCE
from acp_bindings.kit.reaching import RECONNECTS
from acp_bindings.remote import NotAdmitted
from acp_bindings.runtime.aio.streams import MessageStream
from acp_bindings.runtime.jsonrpc.envelope import Message
from acp_bindings.runtime.jsonrpc.errors import AUTHENTICATION_REQUIRED, INTERNAL_ERROR
from acp_bindings.runtime.jsonrpc.messages import has_outcome
from acp_bindings.runtime.values.errors import DecodeError, quotation

from acpwire.conversation import Conversation, Restoration
from acpwire.message_lines import to_message

# The maximum total size of the messages held back, in bytes. Above this limit, the client must
# wait, and the end of its input isn't detected. While sessions are being restored, the limit is
# higher, because the agent might need responses that the client sends after these messages.
ROOM: Final = 1 << 20
ROOM_WHILE_RESTORING: Final = 1 << 26
# The maximum time in seconds for a server to accept a connection, and for an agent to send its next
# message while a request from this module is pending.
SILENCE: Final = 120.0
# The id prefix of the requests that this module sends.
_PREFIX: Final = "acpgen:"


class _Refused(Exception):
    """Raised when the agent rejects a request."""

    def __init__(self, error: Any) -> None:
        fields: dict[str, Any] = error if type(error) is dict else {}
        super().__init__(str(fields.get("message") or "the agent rejected the request"))
        self.code = fields.get("code")


class _Question(NamedTuple):
    """A pending request that was sent by this module."""

    id: Any
    response: asyncio.Future[dict[str, Any]]
    restoration: Restoration | None  # the session that the request restores, if any


class ReconnectingStream:
    """A `MessageStream` that opens another connection when the current connection is lost."""

    def __init__(
        self,
        first: MessageStream,
        connect: Callable[[], Awaitable[MessageStream]],
        report: Callable[[str], object],
    ) -> None:
        """Take over the first connection.

        Args:
            first: the first connection, over which no message has been sent yet.
            connect: the function that opens another connection, or raises an `OSError` if this
                fails.
            report: called with each message to show to the user.
        """
        self._remote = first
        self._connect = connect
        self._report = report
        self._conversation = Conversation()
        self._is_closed = False
        self._connected = asyncio.Event()  # set while there is a connection and after closing
        self._connected.set()
        self._restored = asyncio.Event()  # cleared while requests and notifications are held back
        self._restored.set()
        self._reason = ""  # why the last connection was lost
        self._attempts = 0  # consecutive attempts to reconnect
        self._used_since = 0.0
        self._heard = 0.0  # the time of the last message from the agent
        self._ids = count(1)
        self._held: list[Message] = []
        self._opening: asyncio.Task[MessageStream] | None = None
        self._restoring: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._asked: _Question | None = None  # the request that `_restoring` is waiting for

    # --- the client's side -------------------------------------------------------------------

    def send(self, messages: Sequence[Message]) -> None:
        for message in messages:
            # Responses aren't held back, because the agent might need them to restore a session.
            if self._restored.is_set() or _is_response(message):
                self._forward(message)
            else:
                self._held.append(message)

    def _forward(self, message: Message) -> None:
        passed = self._conversation.from_client(message)
        if passed is not None:
            self._remote.send([passed])

    async def drain(self, session_id: str | None) -> None:
        # Each wait also ends when the stream is closed.
        held = sum(len(message.text) for message in self._held)
        if held > ROOM:
            await self._connected.wait()
        if held > ROOM_WHILE_RESTORING:
            await self._restored.wait()
        with suppress(OSError):  # `receive` handles the loss of the connection
            await self._remote.drain(session_id)

    def unsent(self) -> int:
        return self._remote.unsent() + sum(len(message.text) for message in self._held)

    async def close(self) -> None:
        self._is_closed = True
        self._connected.set()
        self._restored.set()
        for task in (self._opening, self._restoring):
            await _cancelled(task)
        await self._remote.close()

    # --- the agent's side --------------------------------------------------------------------

    async def receive(self) -> Sequence[Message]:
        """Wait for messages, and reconnect as often as necessary.

        Raises:
            OSError: If the connection is lost before the agent is initialized, or if no other
                connection can be opened.
        """
        while True:
            if not self._connected.is_set():
                await self._reconnect()
            messages = await self._received()
            passed = [each for message in messages for each in self._pass_on(message)]
            if not messages:
                if self._is_closed:
                    return ()
                passed = await self._lose()
            if passed:
                return passed

    async def _received(self) -> Sequence[Message]:
        try:
            messages = await self._remote.receive()
        except NotAdmitted:
            raise
        except OSError as error:
            self._reason = self._reason or str(error)
            return ()
        if not messages:
            self._reason = self._reason or "the server closed the connection"
        self._heard = asyncio.get_running_loop().time()
        return [part for message in messages for part in _parts(message)]

    def _pass_on(self, message: Message) -> list[Message]:
        id_ = message.read_envelope().id if _is_response(message) else None
        asked = self._asked
        if asked is not None and id_ == asked.id:
            self._asked = None
            value = message.parse()
            if not asked.response.done():
                asked.response.set_result(value)
            if asked.restoration is None:
                return []
            return self._conversation.finish(asked.restoration, value.get("result"))
        if isinstance(id_, str) and id_.startswith(_PREFIX):
            return []  # the response arrived too late
        return self._conversation.from_agent(message)

    async def _lose(self) -> list[Message]:
        """End the unfinished work of the lost connection. Return the messages for the client."""
        await _cancelled(self._restoring)
        self._asked = None
        await self._remote.close()
        if not self._conversation.is_initialized:
            raise OSError(self._reason)
        used_for = asyncio.get_running_loop().time() - self._used_since
        if self._restored.is_set() and used_for >= RECONNECTS.settled_after:
            self._attempts = 0
        if not self._is_closed:
            self._connected.clear()
            self._restored.clear()
        return self._conversation.interrupt(self._reason)

    # --- the next connection -----------------------------------------------------------------

    async def _reconnect(self) -> None:
        """Open another connection, unless the stream is closed, and begin to restore sessions."""
        self._opening = asyncio.create_task(self._open())
        try:
            await asyncio.wait([self._opening])
        finally:
            self._opening.cancel()  # has an effect only if the wait was cancelled
        if self._opening.cancelled():
            return
        self._remote = self._opening.result()
        if self._is_closed:
            await self._remote.close()
            return
        self._reason = ""
        self._connected.set()
        self._restoring = asyncio.create_task(self._restore())

    async def _open(self) -> MessageStream:
        while True:
            if self._attempts == RECONNECTS.limit:
                raise OSError(f"{self._reason}, after {self._attempts} attempts in a row")
            self._attempts += 1
            self._report(f"lost the connection to the agent: {self._reason}; reconnecting")
            await asyncio.sleep(RECONNECTS.pause(self._attempts))
            try:
                return await asyncio.wait_for(self._connect(), SILENCE)
            except NotAdmitted:
                raise
            except (OSError, asyncio.TimeoutError) as error:
                self._reason = str(error) or "the server does not respond"

    async def _restore(self) -> None:
        """Restore the conversation over the new connection, and send the messages held back."""
        try:
            await self._initialize()
            restored = await self._restore_sessions()
            while self._held:
                self._forward(self._held.pop(0))
            self._restored.set()
        except Exception as error:  # after any error, the client must not wait forever
            self._reason = str(error)
            # Close in a separate task: `receive` cancels this task before it reconnects.
            self._closing = asyncio.create_task(self._remote.close())
            return
        self._used_since = asyncio.get_running_loop().time()
        self._report(f"reconnected to the agent; restored sessions: {restored}")

    async def _initialize(self) -> None:
        introduction = self._conversation.introduction
        assert introduction is not None
        self._conversation.accept(await self._ask(introduction))

    async def _restore_sessions(self) -> int:
        """Restore the open sessions and return the number of restored sessions."""
        restored, pauses = 0, iter(PATIENCE)  # shared by all sessions to limit the total time
        for session_id, restoration in self._conversation.restorations():
            reason = "the agent supports no method that restores sessions"
            if restoration is not None:
                try:
                    await self._restore_patiently(restoration, pauses)
                except _Refused as error:
                    reason = str(error)
                else:
                    restored += 1
                    continue
            self._report(f"session {quotation(session_id)} was not restored: {reason}")
            self._conversation.forget(session_id)
        return restored

    async def _restore_patiently(self, restoration: Restoration, pauses: Iterator[float]) -> None:
        """Restore a session, and retry while the previous connection might still be using it."""
        can_sign_in = True
        while True:
            try:
                return await self._restore_session(restoration)
            except _Refused as error:
                sign_in = self._conversation.sign_in
                if error.code == AUTHENTICATION_REQUIRED and sign_in is not None and can_sign_in:
                    can_sign_in = False
                    await self._ask(self._request(*sign_in))
                    continue
                pause = next(pauses, None) if error.code == INTERNAL_ERROR else None
                if pause is None:
                    raise
            await asyncio.sleep(pause)

    async def _restore_session(self, restoration: Restoration) -> None:
        self._conversation.begin(restoration)
        await self._ask(self._request(restoration.method.name, restoration.params), restoration)

    def _request(self, method: str, params: dict[str, Any]) -> Message:
        id_ = f"{_PREFIX}{next(self._ids)}"
        return to_message({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})

    async def _ask(
        self, request: Message, restoration: Restoration | None = None
    ) -> dict[str, Any]:
        """Send a request on behalf of this module and return the result.

        The client's `initialize` request keeps its id, because none of the client's requests is
        pending.
        """
        response: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        envelope = request.read_envelope()
        self._asked = _Question(envelope.id, response, restoration)
        self._remote.send([request])
        # If the connection is lost during the wait, this task is cancelled.
        loop = asyncio.get_running_loop()
        self._heard = loop.time()
        # An agent that is replaying history is still active.
        while not response.done() and (left := self._heard + SILENCE - loop.time()) > 0:
            await asyncio.wait([response], timeout=left)
        if not response.done():
            self._asked = None
            if restoration is not None:
                self._conversation.finish(restoration, None)
            raise _Refused({"message": f"the agent does not respond to {envelope.method}"})
        message = response.result()
        if message.get("error") is not None:
            raise _Refused(message["error"])
        result = message.get("result")
        return result if type(result) is dict else {}


def _parts(message: Message) -> list[Message]:
    """Return the messages in a batch, or the message itself if it isn't a batch."""
    try:
        value = message.parse()
    except DecodeError:
        return [message]
    if type(value) is not list or not value:  # the client reports empty batches
        return [message]
    return [to_message(part) for part in value]


def _is_response(message: Message) -> bool:
    try:
        value = message.parse()
    except DecodeError:
        return False
    return type(value) is dict and has_outcome(value)


async def _cancelled(task: asyncio.Task[Any] | None) -> None:
    # Before Python 3.12, `wait_for` can swallow a cancellation.
    while task is not None and not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=0.1)
