"""Open requests of both sides, and the lines to send.

1. Each received request gets exactly one reply, and each batch gets one array of replies. The data
   that waits for replies is limited, see `Limits`.
2. Each request of this side ends exactly once: with its response, or by being abandoned.
3. Nothing is sent about a new session before the response with its id. The peer would drop updates
   of such a session, and a request about it might never get a response. So notifications wait for
   the response, and requests are refused.
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
    """The notifications about a session and their length, until the response is sent."""

    def __init__(self, opener: str) -> None:
        self.opener = opener
        self.lines: list[tuple[bytes, str, Any]] = []
        self.size = 0


class Outgoing:
    """The lines to send, and the lines that wait for the response with their session's id.

    Attributes:
        queue: the lines with their ends, or messages for a message transport.
        held: the waiting notifications, by session.
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
        """Queue a line without its end. The other arguments are for its envelope.

        For a response, pass the id, method and params of the request.
        """
        if self.has_envelopes:
            envelope = Envelope(id_, method, session_id_of(params), is_response)
            self.queue.append(Message(line, envelope=envelope))
        else:
            self.queue.append(line + b"\n")
        if self._observe is not None:
            observe_with(self._observe, "sent", line)

    def notify(self, line: bytes, method: str, params: Any) -> None:
        """Queue a notification, or hold it if the peer does not know its session.

        Raises:
            LimitExceeded: If too many notifications about the session wait, or too large ones.
        """
        held = self._held(params) if self.held else None
        if held is None:
            self.send(line, None, method, params, False)
            return
        size, limits = held.size + len(line), self._limits
        if len(held.lines) >= limits.backlog or size > limits.backlog_bytes:
            waiting = f"{len(held.lines)} notifications with {held.size} bytes wait"
            raise LimitExceeded(f"{waiting} for the response to {quotation(held.opener)}")
        held.lines.append((line, method, params))
        held.size = size

    def hold(self, session_id: str, opener: str) -> bool:
        """Hold messages about a session; return whether they were not held before."""
        if session_id in self.held:
            return False
        self.held[session_id] = _Held(opener)
        return True

    def release(self, session_id: str, is_known: bool) -> None:
        """Send the held notifications of a session, or discard them if the peer doesn't know it."""
        held = self.held.pop(session_id, None)
        if held is not None and is_known:
            for line, method, params in held.lines:
                self.send(line, None, method, params, False)

    def refuse_held(self, method: str, params: Any) -> None:
        """Refuse a request that might never get a response.

        Raises:
            RuntimeError: If the peer does not know its session.
        """
        held = self._held(params)
        if held is not None:
            raise RuntimeError(
                f"cannot send {quotation(method)}: the client does not know the session "
                f"{quotation(session_id_of(params))} before the response to "
                f"{quotation(held.opener)}; send it later, such as in a turn"
            )

    def _held(self, params: Any) -> _Held | None:
        session_id = session_id_of(params)
        return None if session_id is None else self.held.get(session_id)

    def clear(self) -> None:
        """Discard all lines."""
        self.held.clear()
        self.queue.clear()


# --- requests of this side -------------------------------------------------------------------


class Calls:
    """Pending requests of this side, by id."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._last_id = 0
        self._pending: dict[RequestId, Method[Any, Any]] = {}
        self._cancelled: dict[RequestId, None] = {}  # in the order of their cancellation

    @property
    def pending(self) -> Mapping[RequestId, Method[Any, Any]]:
        """The method of each pending request."""
        return MappingProxyType(self._pending)

    def add(self, method: Method[Any, Any]) -> int:
        """Add a request that is about to be sent; return its id.

        Raises:
            LimitExceeded: If too many requests are pending.
        """
        if len(self._pending) >= self._limits.calls:
            raise LimitExceeded(f"{len(self._pending)} requests have no response yet")
        self._last_id += 1
        self._pending[self._last_id] = method
        return self._last_id

    def cancel(self, id_: RequestId) -> tuple[RequestId, Method[Any, Any]] | None:
        """Mark a pending request as cancelled. Its response might never arrive.

        Returns:
            The id and method of the oldest request, if too many are cancelled; it is abandoned.
        """
        self._cancelled[id_] = None
        if len(self._cancelled) <= self._limits.cancelled_calls:
            return None
        oldest = next(iter(self._cancelled))
        del self._cancelled[oldest]
        return oldest, self._pending.pop(oldest)

    def take(self, id_: Any) -> Method[Any, Any] | None:
        """Remove a request that has a response; return its method, None if it is not pending."""
        if self._cancelled:
            self._cancelled.pop(id_, None)
        # The peer chooses the id, which might never have been sent, or been used in a response.
        return self._pending.pop(id_, None)

    def spelled(self, id_: Any) -> int | None:
        """Return the id of the pending request that a text spells; None for other text."""
        number = number_of(id_) if type(id_) is str else None
        return number if number in self._pending else None

    def take_all(self) -> list[tuple[RequestId, Method[Any, Any]]]:
        """Remove all requests, and return their ids and methods."""
        taken = list(self._pending.items())
        self._pending.clear()
        self._cancelled.clear()
        return taken


# --- requests of the peer --------------------------------------------------------------------


class Batch:
    """The replies to one array of messages, which are sent together once all are available.

    Attributes:
        open: the number of missing replies; one more while the array is being read.
        size: the bytes stored for it: its line and the replies so far.
        replies: the replies so far.
        callbacks: the functions to call when the replies are sent.
    """

    def __init__(self) -> None:
        self.open = 1
        self.size = 0
        self.replies: list[bytes] = []
        self.callbacks: list[Callable[[], None]] = []


class Requests:
    """The received requests without a response, and the handling of their replies.

    Attributes:
        batches: the batch of each request, by the request itself, since ids need not be unique.
        size: the length of their lines in bytes; a batch counts as a whole until it is sent.
    """

    def __init__(self, limits: Limits, outgoing: Outgoing) -> None:
        self.batches: dict[Request, Batch | None] = {}
        self.size = 0
        self._limits = limits
        self._outgoing = outgoing
        self._is_closed = False
        # The requests that were not cancelled. Nearly all ids are unique and need no dictionary.
        self._by_id: dict[RequestId, Request | dict[Request, None]] = {}
        self._callbacks: dict[Request, list[Callable[[bool], None]]] = {}

    def cancel(self, id_: RequestId) -> tuple[Request, ...]:
        """Return the uncancelled requests with an id, which need not be unique."""
        # Removed, so that a second cancellation finds none.
        same_id = self._by_id.pop(id_, ())
        return (same_id,) if isinstance(same_id, Request) else tuple(same_id)

    def cancel_spelled(self, id_: RequestId) -> tuple[Request, ...]:
        """Return the requests whose id spells the same number as this id."""
        if id_ is None:
            return ()
        other = number_of(id_) if type(id_) is str else str(as_integer(id_))
        return () if other is None else self.cancel(other)

    def too_many(self) -> RequestError:
        """Return the error for exceeding the limit of requests; see `Receiver`."""
        text = f"{len(self.batches)} requests with {self.size} bytes have no response yet"
        return RequestError.internal_error(message=f"too many requests: {text}")

    def add(self, request: Request, batch: Batch | None) -> None:
        """Add a request and the batch that it is part of."""
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
            KeyError: If the request already has its response.
        """
        id_ = request.id
        try:
            batch = self.batches.pop(request)
        except KeyError:
            raise KeyError(f"request {quotation(id_)} already has its response") from None
        # If the entry also or only contains other requests, it is put back.
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

    def reply(self, id_: RequestId, text: str, batch: Batch | None) -> None:
        """Send the reply to a request, or store it with the others of its batch."""
        if self._is_closed:
            return
        line = text.encode()
        if batch is None:
            self._outgoing.send(line, id_, None, None)
        else:
            batch.replies.append(line)
            self.keep(batch, len(line))

    def keep(self, batch: Batch, size: int) -> None:
        """Count bytes that are stored for a batch until it is sent."""
        batch.size += size
        self.size += size

    def count_reply(self, batch: Batch) -> None:
        """Count a reply of a batch, and send the batch after the last one."""
        batch.open -= 1
        if batch.open == 0:
            self.size -= batch.size
            # JSON-RPC 2.0, section 6: without replies, no empty array is sent.
            if batch.replies:
                self._outgoing.send(b"[%b]" % b",".join(batch.replies), None, None, None)
            for callback in batch.callbacks:
                callback()

    def close(self) -> None:
        """Remove all requests, and send nothing more."""
        self._is_closed = True  # also drops the replies to the line being processed
        self.size = 0
        self.batches.clear()
        self._by_id.clear()
        self._callbacks.clear()
