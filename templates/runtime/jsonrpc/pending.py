"""The open requests of both sides, and the lines to send.

1. Exactly one reply is sent for each received request, and one array of replies for each batch. The
   data stored until replies are sent is limited; see `Limits`.
2. Each request from this side either receives its response or is abandoned, never both.
3. Nothing is sent about a new session before the response that contains its id. Otherwise, the
   peer would drop updates about the session and might never respond to requests about it.
   Therefore, notifications are held until the response is sent, and requests are rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from ..values.errors import quotation
from .envelope import Envelope, Message, session_id_of
from .errors import LimitExceeded, RequestError
from .events import Request
from .limits import Limits
from .messages import RequestId, as_integer, number_of
from .method import Method
from .observing import Observer, observe_with


class _Held:
    """Notifications held until the peer knows the session.

    Attributes:
        opener: the method of the request that creates the session.
        lines: the notifications, each with its line, method and params.
        size: the total length of the lines, in bytes.
    """

    def __init__(self, opener: str) -> None:
        self.opener = opener
        self.lines: list[tuple[bytes, str, Any]] = []
        self.size = 0


class Outgoing:
    """The lines to send, and notifications that wait until the peer knows the session.

    Attributes:
        queue: the lines to send, including line endings, or the messages for a message transport.
        held: the waiting notifications, by session id.
        has_envelopes: whether the queue contains messages.
    """

    def __init__(self, limits: Limits, observe: Observer | None, *, has_envelopes: bool) -> None:
        self.queue: list[Any] = []
        self.held: dict[str, _Held] = {}
        self._limits = limits
        self._observe = observe
        self.has_envelopes = has_envelopes

    def send(
        self, line: bytes, id_: RequestId, method: str | None, params: Any, is_response: bool = True
    ) -> None:
        """Queue a line. The argument `line` does not include the line ending.

        The other arguments describe the message in its `Envelope`. For a response, pass the
        request's id, method and params.
        """
        if self.has_envelopes:
            envelope = Envelope(id_, method, session_id_of(params), is_response)
            self.queue.append(Message(line, envelope=envelope))
        else:
            self.queue.append(line + b"\n")
        if self._observe is not None:
            observe_with(self._observe, "sent", line)

    def notify(self, line: bytes, method: str, params: Any) -> None:
        """Queue a notification, or hold it if the peer doesn't know the session yet.

        Raises:
            LimitExceeded: If too many notifications are held for the session, or if their total
                size is too large.
        """
        held = self._held(params) if self.held else None
        if held is None:
            self.send(line, None, method, params, False)
            return
        size, limits = held.size + len(line), self._limits
        if len(held.lines) >= limits.backlog or size > limits.backlog_bytes:
            waiting = f"{len(held.lines)} notifications with {held.size} bytes are waiting"
            raise LimitExceeded(f"{waiting} for the response to {quotation(held.opener)}")
        held.lines.append((line, method, params))
        held.size = size

    def hold(self, session_id: str, opener: str) -> bool:
        """Start holding messages about a session. Return False if they are already being held."""
        if session_id in self.held:
            return False
        self.held[session_id] = _Held(opener)
        return True

    def release(self, session_id: str, is_known: bool) -> None:
        """Send a session's held notifications, or discard them if no session was created."""
        held = self.held.pop(session_id, None)
        if held is not None and is_known:
            for line, method, params in held.lines:
                self.send(line, None, method, params, False)

    def refuse_held(self, method: str, params: Any) -> None:
        """Raise an error if a request is about a session that the peer doesn't know yet.

        Raises:
            RuntimeError: If messages about the session are being held.
        """
        held = self._held(params)
        if held is not None:
            raise RuntimeError(
                f"cannot send {quotation(method)}, since the client does not know the session "
                f"{quotation(session_id_of(params))} before the response to "
                f"{quotation(held.opener)}; send it later, for example in a turn"
            )

    def _held(self, params: Any) -> _Held | None:
        session_id = session_id_of(params)
        return None if session_id is None else self.held.get(session_id)

    def clear(self) -> None:
        """Discard all queued and held lines."""
        self.held.clear()
        self.queue.clear()


# --- sent requests ---------------------------------------------------------------------------


class Calls:
    """The pending requests from this side."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._last_id = 0
        self._pending: dict[RequestId, Method[Any, Any]] = {}
        self._cancelled: dict[RequestId, None] = {}  # in order of cancellation

    @property
    def pending(self) -> Mapping[RequestId, Method[Any, Any]]:
        """The methods of the pending requests, by request id."""
        return MappingProxyType(self._pending)

    def add(self, method: Method[Any, Any]) -> int:
        """Add a request that is about to be sent and return its id.

        Raises:
            LimitExceeded: If too many requests are pending.
        """
        if len(self._pending) >= self._limits.calls:
            raise LimitExceeded(f"{len(self._pending)} requests have no response yet")
        self._last_id += 1
        self._pending[self._last_id] = method
        return self._last_id

    def cancel(self, id_: RequestId) -> tuple[RequestId, Method[Any, Any]] | None:
        """Mark a pending request as cancelled. The peer might never respond to the request.

        Returns:
            If too many requests are cancelled, the id and method of the oldest cancelled request,
            which is abandoned and removed. Otherwise, None.
        """
        self._cancelled[id_] = None
        if len(self._cancelled) <= self._limits.cancelled_calls:
            return None
        oldest = next(iter(self._cancelled))
        del self._cancelled[oldest]
        return oldest, self._pending.pop(oldest)

    def take(self, id_: Any) -> Method[Any, Any] | None:
        """Remove a request that has a response. Return its method, or None if there is none."""
        if self._cancelled:
            self._cancelled.pop(id_, None)
        # The peer chooses the id in a response, so there might be no request with this id, or the
        # request might already have a response.
        return self._pending.pop(id_, None)

    def spelled(self, id_: Any) -> int | None:
        """Return the number in a string if it is the id of a pending request, otherwise None."""
        number = number_of(id_) if type(id_) is str else None
        return number if number in self._pending else None

    def take_all(self) -> list[tuple[RequestId, Method[Any, Any]]]:
        """Remove all requests and return their ids and methods."""
        taken = list(self._pending.items())
        self._pending.clear()
        self._cancelled.clear()
        return taken


# --- received requests -----------------------------------------------------------------------


class BatchReplies:
    """The replies to a batch of messages. The replies are sent together once all are available.

    Attributes:
        open: the number of missing replies, plus one while the batch is being processed.
        size: the size of the batch's line and of the available replies, in bytes.
        replies: the available replies.
        callbacks: the functions to call when the replies are sent.
    """

    def __init__(self) -> None:
        self.open = 1
        self.size = 0
        self.replies: list[bytes] = []
        self.callbacks: list[Callable[[], None]] = []


class Requests:
    """The received requests that have no response yet.

    Attributes:
        batches: the requests, each with the batch that contains it, if any. The requests are the
            keys, since their ids aren't necessarily unique.
        size: the total size of the requests' lines, in bytes. The full size of a batch is included
            until its replies are sent.
    """

    def __init__(self, limits: Limits, outgoing: Outgoing) -> None:
        self.batches: dict[Request, BatchReplies | None] = {}
        self.size = 0
        self._limits = limits
        self._outgoing = outgoing
        self._is_closed = False
        # The requests that were not cancelled, by id. Since ids are nearly always unique, a
        # dictionary is used only if several requests have the same id.
        self._by_id: dict[RequestId, Request | dict[Request, None]] = {}
        self._callbacks: dict[Request, list[Callable[[bool], None]]] = {}

    def cancel(self, id_: RequestId) -> tuple[Request, ...]:
        """Mark all requests with this id as cancelled and return them. Ids need not be unique."""
        # The requests are removed, so a second cancellation doesn't find them.
        same_id = self._by_id.pop(id_, ())
        return (same_id,) if isinstance(same_id, Request) else tuple(same_id)

    def cancel_spelled(self, id_: RequestId) -> tuple[Request, ...]:
        """Cancel requests whose id is the same number in another JSON type; see `cancel`."""
        if id_ is None:
            return ()
        other = number_of(id_) if type(id_) is str else str(as_integer(id_))
        return () if other is None else self.cancel(other)

    def too_many(self) -> RequestError:
        """Return the error for a request that exceeds the limits."""
        text = f"{len(self.batches)} requests with {self.size} bytes have no response yet"
        return RequestError.internal_error(message=f"too many requests: {text}")

    def add(self, request: Request, batch: BatchReplies | None) -> None:
        """Add a request and the batch that contains it, if any."""
        self.batches[request] = batch
        if batch is None:
            self.size += request.size
        else:
            batch.open += 1
        same_id = self._by_id.setdefault(request.id, request)
        if same_id is request:
            return
        if isinstance(same_id, Request):
            same_id = self._by_id[request.id] = {same_id: None}
        same_id[request] = None

    def when_sent(self, request: Request, callback: Callable[[bool], None]) -> None:
        """Call a function right after the response to a request is sent; see `Connection`."""
        self._callbacks.setdefault(request, []).append(callback)

    def finish(self, request: Request, reply: str, *, is_result: bool) -> None:
        """Remove a request and send its response.

        Raises:
            KeyError: If the request already has a response.
        """
        id_ = request.id
        try:
            batch = self.batches.pop(request)
        except KeyError:
            raise KeyError(f"request {quotation(id_)} already has a response") from None
        # If the entry contains other requests, it is put back without this request.
        same_id = self._by_id.pop(id_, None)
        if same_id is not request and same_id is not None:
            if isinstance(same_id, dict):
                same_id.pop(request, None)
            if same_id:
                self._by_id[id_] = same_id
        callbacks = self._callbacks.pop(request, ()) if self._callbacks else ()
        if batch is None:
            self.size -= request.size
            self._outgoing.send(reply.encode(), id_, request.method.name, request.params)
            for callback in callbacks:
                callback(is_result)
        else:
            batch.callbacks += [partial(callback, is_result) for callback in callbacks]
            self.reply(id_, reply, batch)
            self.count_reply(batch)

    def reply(self, id_: RequestId, text: str, batch: BatchReplies | None) -> None:
        """Send the reply to a request, or add it to the replies of the batch."""
        if self._is_closed:
            return
        line = text.encode()
        if batch is None:
            self._outgoing.send(line, id_, None, None)
        else:
            batch.replies.append(line)
            self.keep(batch, len(line))

    def keep(self, batch: BatchReplies, size: int) -> None:
        """Count the bytes of data that a batch stores until its replies are sent."""
        batch.size += size
        self.size += size

    def count_reply(self, batch: BatchReplies) -> None:
        """Count a reply in a batch. After the last reply, send all replies."""
        batch.open -= 1
        if batch.open == 0:
            self.size -= batch.size
            # JSON-RPC 2.0, section 6: if there are no replies, nothing is sent, not even an empty
            # array.
            if batch.replies:
                self._outgoing.send(b"[%b]" % b",".join(batch.replies), None, None, None)
            for callback in batch.callbacks:
                callback()

    def close(self) -> None:
        """Remove all requests and send no more replies."""
        self._is_closed = True  # this also drops replies to the line that is being processed
        self.size = 0
        self.batches.clear()
        self._by_id.clear()
        self._callbacks.clear()
