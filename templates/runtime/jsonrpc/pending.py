"""The requests that have no response yet: those of this side, and those of the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from ..values.errors import quotation
from .errors import LimitExceeded, RequestError
from .events import Request
from .limits import Limits
from .messages import RequestId, as_integer, number_of
from .method import Method


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

    def next_id(self) -> int:
        """Return the id of the next request.

        Raises:
            LimitExceeded: too many requests are pending.
        """
        if len(self._pending) >= self._limits.calls:
            raise LimitExceeded(f"{len(self._pending)} requests have no response yet")
        return self._last_id + 1

    def add(self, id_: int, method: Method[Any, Any]) -> None:
        """Add the request that was sent with the next id."""
        self._last_id = id_  # only now: a request that was not sent takes no id
        self._pending[id_] = method

    def cancel(self, id_: RequestId) -> None:
        """Mark a pending request as cancelled. Its response may never arrive."""
        self._cancelled[id_] = None

    def give_up(self) -> tuple[RequestId, Method[Any, Any]] | None:
        """Remove the oldest of too many cancelled requests; return its id and method."""
        if len(self._cancelled) <= self._limits.cancelled_calls:
            return None
        id_ = next(iter(self._cancelled))
        del self._cancelled[id_]
        return id_, self._pending.pop(id_)

    def take(self, id_: Any) -> Method[Any, Any] | None:
        """Remove a request that has its response; return its method, None if it is not pending."""
        if self._cancelled:
            self._cancelled.pop(id_, None)
        # The peer chooses the id: it may be one that was never sent, or was answered before.
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


class Batch:
    """The replies to one array of messages, sent together when the last of them is there.

    Attributes:
        open: how many replies are missing; one more while the array is being read.
        size: the length of what is kept for it: of its line and of the replies so far, in bytes.
        replies: the replies so far.
        callbacks: the functions to call when they are sent.
    """

    def __init__(self) -> None:
        self.open = 1
        self.size = 0
        self.replies: list[bytes] = []
        self.callbacks: list[Callable[[], None]] = []


class Requests:
    """The received requests that have no response yet, and the way of their replies.

    Attributes:
        size: the length of their lines in bytes; a batch counts as a whole, until it is sent.
    """

    def __init__(
        self, limits: Limits, send: Callable[[bytes, RequestId, str | None, Any, bool], None]
    ) -> None:
        """Start without requests.

        Args:
            limits: how many there may be.
            send: takes each line to send, with the id, the method and the params of the request
                that it responds to, and True for a response.
        """
        self.size = 0
        self._limits = limits
        self._send = send
        self._is_closed = False
        # By the request itself, since its id need not be unique.
        self._batches: dict[Request, Batch | None] = {}
        # Those that were not cancelled. Nearly all ids are unique, and need no dictionary.
        self._by_id: dict[RequestId, Request | dict[Request, None]] = {}
        self._callbacks: dict[Request, list[Callable[[bool], None]]] = {}

    def __len__(self) -> int:
        return len(self._batches)

    @property
    def open(self) -> tuple[Request, ...]:
        """The requests, in the order of their arrival."""
        return tuple(self._batches)

    def cancel(self, id_: RequestId) -> tuple[Request, ...]:
        """Return the requests with an id, which need not be unique, that were not cancelled yet."""
        # Popped, so that a second cancelling finds nothing.
        same_id = self._by_id.pop(id_, ())
        return (same_id,) if isinstance(same_id, Request) else tuple(same_id)

    def cancel_spelled(self, id_: RequestId) -> tuple[Request, ...]:
        """Return those with an id that is the text of a number, or the number that it spells."""
        if id_ is None:
            return ()
        other = number_of(id_) if type(id_) is str else str(as_integer(id_))
        return () if other is None else self.cancel(other)

    def require_room(self) -> None:
        """Refuse one more request while too many have no response yet, or too large ones.

        Raises:
            RequestError: there is no room.
        """
        # Of what is there: the size may exceed its limit by one line.
        count, limits = len(self._batches), self._limits
        if count >= limits.requests or self.size > limits.requests_bytes:
            text = f"{count} requests with {self.size} bytes have no response yet"
            raise RequestError.internal_error(message=f"too many requests: {text}")

    def add(self, request: Request, batch: Batch | None) -> None:
        """Add a request, and the batch that it is part of."""
        self._batches[request] = batch
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

    def __contains__(self, request: Request) -> bool:
        return request in self._batches

    def when_sent(self, request: Request, callback: Callable[[bool], None]) -> None:
        """Call back right after the response to an open request is sent.

        Args:
            request: the request.
            callback: called with whether the response is a result; not called if the
                connection is closed before.
        """
        self._callbacks.setdefault(request, []).append(callback)

    def finish(self, request: Request, reply: str, *, is_result: bool) -> None:
        """Remove a request, and send its response.

        Raises:
            KeyError: the request has its response.
        """
        batch = self._remove(request)
        callbacks = self._callbacks.pop(request, ()) if self._callbacks else ()
        if batch is None:
            self._send(reply.encode(), request.id, request.method.name, request.params, True)
            for callback in callbacks:
                callback(is_result)
        else:
            batch.callbacks += [partial(callback, is_result) for callback in callbacks]
            self.reply(request.id, reply, batch)
            self.count_reply(batch)

    def _remove(self, request: Request) -> Batch | None:
        """Remove a request; return its batch."""
        id_ = request.id
        try:
            batch = self._batches.pop(request)
        except KeyError:
            raise KeyError(f"request {quotation(id_)} already has its response") from None
        if batch is None:
            self.size -= request.size
        # If the entry is about other requests, too, or only about others, it goes back.
        same_id = self._by_id.pop(id_, None)
        if same_id is not request and same_id is not None:
            if isinstance(same_id, dict):
                same_id.pop(request, None)
            if same_id:
                self._by_id[id_] = same_id
        return batch

    def reply(self, id_: RequestId, text: str, batch: Batch | None) -> None:
        """Send a reply to the request with an id, or keep it with those of its batch."""
        if self._is_closed:
            return
        line = text.encode()
        if batch is None:
            self._send(line, id_, None, None, True)
        else:
            batch.replies.append(line)
            self.keep(batch, len(line))

    def keep(self, batch: Batch, size: int) -> None:
        """Count bytes that are kept for a batch until it is sent."""
        batch.size += size
        self.size += size

    def count_reply(self, batch: Batch) -> None:
        """Take note that a reply of a batch is there, and send the batch if it was the last."""
        batch.open -= 1
        if batch.open == 0:
            self.size -= batch.size
            # JSON-RPC 2.0, section 6: if there is nothing to reply, no empty array is sent.
            if batch.replies:
                self._send(b"[%b]" % b",".join(batch.replies), None, None, None, True)
            for callback in batch.callbacks:
                callback()

    def close(self) -> None:
        """Remove all requests, and send nothing more: nobody is left to respond to."""
        self._is_closed = True  # also drops the replies to a line that is just being processed
        self.size = 0
        self._batches.clear()
        self._by_id.clear()
        self._callbacks.clear()
