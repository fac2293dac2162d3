"""The message queues between the agent and the transport, for one connection to a server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final
from uuid import uuid4

from ..runtime.aio.streams import GRACE, Wakeup
from ..runtime.aio.tasks import Once
from ..runtime.jsonrpc.envelope import Message
from ..runtime.jsonrpc.messages import RequestId
from .routing import RemoteLimits, ServerRouting, Unread

# WebSocket close codes, as in RFC 6455, section 7.4.1.
NORMAL: Final = 1000
GOING_AWAY: Final = 1001
PROTOCOL_ERROR: Final = 1002
POLICY: Final = 1008
TOO_BIG: Final = 1009
FAILED: Final = 1011

# The maximum size of several messages that are sent together, in bytes.
_CHUNK = 1 << 16


class ServedMessages:
    """A `MessageStream` between an agent and a transport that has one or several streams.

    The agent calls `receive` and `send`. The transport calls `put` for incoming messages and waits
    for outgoing messages on each stream that the client listens to.

    Attributes:
        id: the connection's id.
        user: the information about the user, as returned by `Trust.admit`.
        routing: the object that assigns messages to streams.
        answer: a future for the response to `initialize`, cancelled if the agent does not respond.
        finished: a future that is done once no more messages will be sent.
        code: the WebSocket close code that indicates why the connection closed.
        received: the size of the messages that are arriving or that the agent has not received yet.
        is_begun: whether the first message has arrived.
        is_over: whether the stream of messages to the agent has ended.
    """

    def __init__(self, limits: RemoteLimits, user: Any, *, has_sessions: bool) -> None:
        """Create a stream that has no messages yet.

        Args:
            limits: the limits on resources used for the client.
            user: the information about the user, as returned by `Trust.admit`.
            has_sessions: whether each session has a separate stream, as over HTTP.
        """
        loop = asyncio.get_running_loop()
        self.id = str(uuid4())
        self.user = user
        self.routing = ServerRouting(limits, has_sessions=has_sessions)
        self.answer: asyncio.Future[bytes] = loop.create_future()
        self.finished: asyncio.Future[None] = loop.create_future()
        self.code = NORMAL
        self.received = 0
        self.is_begun = False
        self.is_over = False
        self._limits = limits
        self._grace = GRACE
        self._initialize: RequestId = None
        self._incoming: list[Message] = []
        self._received = Wakeup()  # notified when a message arrives or the connection ends
        # A `Wakeup` for each stream that a task waits for, notified when messages are queued or
        # sent.
        self._changes: dict[str | None, Wakeup] = {}
        self._closing = Once()
        self._is_closed = False
        # The timer closes the connection if the first message does not arrive or the client does
        # not listen to any stream.
        self._timer = loop.call_later(limits.listener_timeout, self.end, POLICY)

    # --- agent side -----------------------------------------------------------------------------

    async def receive(self) -> Sequence[Message]:
        """See `MessageStream`."""
        while not self._incoming and not self.is_over:
            await self._received.wait()
        messages, self._incoming = self._incoming, []
        self.count(-sum([len(message.text) for message in messages]))
        return messages

    def send(self, messages: Sequence[Message]) -> None:
        """Queue messages for the client.

        Raises:
            Unread: If the client left too many messages unread.
        """
        try:
            for message in messages:
                if not self.answer.done() and self._is_answer(message):
                    self.answer.set_result(message.text)
                    if self.routing.has_sessions:  # sent in the POST's response, not on a stream
                        continue
                if not self._is_closed:
                    self._changed(self.routing.add(message))
        except Unread:
            self.end(POLICY)
            raise

    def _is_answer(self, message: Message) -> bool:
        envelope = message.read_envelope()
        return envelope.is_response and envelope.id == self._initialize

    async def drain(self, session_id: str | None) -> None:
        """See `MessageStream`."""
        while not self.routing.has_room(session_id):
            if self.is_over:
                raise BrokenPipeError("the client disconnected")
            await self._change(self.routing.stream_of_session(session_id))

    def unsent(self) -> int:
        """See `MessageStream`."""
        return self.routing.size

    def hurry(self, grace: float) -> None:
        """See `MessageStream`."""
        self._grace = grace

    async def close(self) -> None:
        """Close the connection after giving listeners some time to read the remaining messages."""
        await self._closing.run(self._close)

    async def _close(self) -> None:
        self._is_closed = True
        self.end()
        self._wake()
        try:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._wait_read(), self._grace)
        finally:
            self.finished.set_result(None)

    async def _wait_read(self) -> None:
        for stream, outbox in [*self.routing.outboxes.items()]:
            while outbox.texts and outbox.has_listener:
                await self._change(stream)

    # --- transport side -------------------------------------------------------------------------

    def begin(self, initialize: Message) -> None:
        """Queue the first message, the `initialize` request. The response is stored in `answer`."""
        self._timer.cancel()
        self.is_begun = True
        self._initialize = initialize.read_envelope().id
        self.put(initialize)

    async def wait_begun(self) -> bool:
        """Wait for the first message and return whether it arrived before the connection ended."""
        while not self.is_begun and not self.is_over:
            await self._received.wait()
        return self.is_begun

    def put(self, message: Message, session_header: str | None = None) -> None:
        """Queue a client's message for the agent; `received` must already include its size."""
        self.routing.posted(message, session_header)
        self._incoming.append(message)
        self._received.notify()

    def count(self, size: int) -> None:
        """Add a number of bytes to `received`."""
        self.received += size
        self._received.notify()

    async def wait_for_room(self) -> None:
        """Wait until the agent has received most of the messages or the connection has ended."""
        while self.received > self._limits.room and not self.is_over:
            await self._received.wait()

    def end(self, code: int = NORMAL) -> None:
        """End the connection. The agent then receives no more messages.

        Args:
            code: the WebSocket close code. Only the code of the first call is used.
        """
        if self.is_over:
            return
        self.is_over = True
        self.code = code
        self.answer.cancel()
        self._timer.cancel()
        self._received.notify()
        self._wake()

    def listen(self, stream: str | None) -> None:
        """Begin listening to a stream.

        Raises:
            HttpRefused: If the stream already has a listener or there are too many listeners.
        """
        self.routing.listen(stream)
        self._timer.cancel()

    def leave(self, stream: str | None) -> None:
        """Stop listening to a stream."""
        self.routing.leave(stream)
        self._changed(stream)
        self._changed(None)  # an ended session's messages move to the connection's stream
        self.expect_listener()

    def expect_listener(self) -> None:
        """Start the timer that ends the connection if the client does not listen to any stream."""
        if not self.routing.listeners and not self.is_over:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._limits.listener_timeout, self.end, POLICY)

    async def wait_texts(self, stream: str | None) -> list[bytes] | None:
        """Wait for messages on a stream that has a listener.

        Returns:
            The first messages, which stay in the queue until `sent` is called. An empty list if a
            comment must be sent because no message has been queued for some time. None if the
            connection or the session has ended.
        """
        outbox = self.routing.outboxes[stream]
        if not outbox.texts and not self._ends(stream):
            loop = asyncio.get_running_loop()
            timer = loop.call_later(self._limits.keep_alive, self._changed, stream)
            try:
                await self._change(stream)
            finally:
                timer.cancel()
        if not outbox.texts and self._ends(stream):
            return None
        texts: list[bytes] = []
        size = 0
        for text in outbox.texts:
            size += len(text)
            if size > _CHUNK and texts:
                break
            texts.append(text)
        return texts

    def sent(self, stream: str | None, texts: Sequence[bytes]) -> None:
        """Remove the messages that were sent to the listener of a stream."""
        self.routing.sent(stream, len(texts))
        self._changed(stream)

    def _ends(self, stream: str | None) -> bool:
        return self._is_closed or self.routing.is_over(stream)

    def _wake(self) -> None:
        for stream in [*self._changes]:
            self._changed(stream)

    async def _change(self, stream: str | None) -> None:
        await self._changes.setdefault(stream, Wakeup()).wait()

    def _changed(self, stream: str | None) -> None:
        change = self._changes.pop(stream, None)
        if change is not None:
            change.notify()
