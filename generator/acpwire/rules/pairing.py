"""Pairing of responses with their requests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from acpwire.json_values import quote_id
from acpwire.rules.entry import OPPOSITE, Entry, Finding, Sender

# The maximum number of pending requests to remember, and of requests with a response.
_MOST_OPEN, _MOST_ANSWERED = 20_000, 1_000
_INTEGER = re.compile(r"-?[0-9]{1,18}")


class Requests:
    """The pending requests of both sides, by sender and id."""

    def __init__(self) -> None:
        self._open: dict[tuple[Sender, Any], list[Entry]] = {}
        self._answered: dict[tuple[Sender, Any], int] = {}  # the lines of the responses
        self._refusable: dict[tuple[Sender, Any], None] = {}  # the ids of invalid messages
        # A response is ambiguous if both sides have a pending request with its id. Both requests
        # are then removed, although the response belongs to only one of them. For each request id,
        # this counter contains the number of responses that can still arrive.
        self._doubtful: Counter[Any] = Counter()
        self._count = 0
        self._is_partial = False  # whether unknown requests might be pending

    def add(self, request: Entry) -> None:
        """Add a request, and report a problem if its sender has a pending request with this id."""
        same_id = self._open.setdefault((request.origin, request.id), [])
        first = same_id[0] if same_id else None
        text = f"{quote_id(request.id)} is the id of {first}, which has no response yet"
        request.judge("request-ids", first is None, "/id", text)
        same_id.append(request)
        self._count += 1
        if self._count > _MOST_OPEN:
            self._pop(*next(key for key in self._open if key[0] == request.origin))
            self._is_partial = True

    def refuse(self, message: Entry) -> None:
        """Remember the id of an invalid message, since an error response can refer to it."""
        self._refusable[message.origin, message.id] = None
        if len(self._refusable) > _MOST_ANSWERED:
            del self._refusable[next(iter(self._refusable))]

    def close(self, response: Entry, fits: Callable[[Entry], bool]) -> None:
        """Find the request for a response and remove it.

        If the direction is unknown, both sides might have a pending request with this id. In that
        case, `fits` decides whether the response's result is valid for a request.
        """
        origin = response.origin
        possible = (None, *OPPOSITE) if origin is None else (None, OPPOSITE[origin])
        askers = [asker for asker in possible if (asker, response.id) in self._open]
        if len(askers) > 1:
            fitting = [asker for asker in askers if fits(self._open[asker, response.id][0])]
            askers = fitting if len(fitting) == 1 else askers
        answered = [self._pop(asker, response.id) for asker in askers]
        for request in answered:
            self._answered[request.origin, request.id] = response.line
            if len(self._answered) > _MOST_ANSWERED:
                del self._answered[next(iter(self._answered))]
        response.judged.add("response-ids")
        if len(answered) == 1:
            response.request = answered[0]
        elif answered:
            self._doubtful[response.id] += len(answered) - 1
            listed = " or ".join(map(str, answered))
            response.notes.append(
                f"responds to {listed}; both have this id, so the response is ambiguous"
            )
        elif self._doubtful[response.id]:
            self._doubtful[response.id] -= 1
            response.notes.append("responds to one of several requests that shared this id")
        elif response.is_error and (response.id is None or self._is_refusable(response)):
            response.notes.append("responds to a message that could not be read")
        elif self._is_partial and (self._asker(response), response.id) not in self._answered:
            response.notes.append("responds to an unknown request")
        else:
            text = self._explain_stray(response)
            response.problems.append(Finding("/id", text, "response-ids"))

    def _is_refusable(self, response: Entry) -> bool:
        """Return whether this is the first error response for the id of an invalid message."""
        return self._refusable.pop((self._asker(response), response.id), self) is None

    def _pop(self, asker: Sender, id_: Any) -> Entry:
        same_id = self._open[asker, id_]
        request = same_id.pop(0)
        if not same_id:
            del self._open[asker, id_]
        self._count -= 1
        return request

    def _asker(self, response: Entry) -> Sender:
        return OPPOSITE.get(response.origin)

    def _explain_stray(self, response: Entry) -> str:
        origin, id_ = response.origin, quote_id(response.id)
        twin: Any = str(response.id)  # some peers use the wrong type, such as "1" instead of 1
        if type(response.id) is str:
            twin = int(response.id) if _INTEGER.fullmatch(response.id) else None
        for asker in (OPPOSITE[origin],) if origin else (None, *OPPOSITE):
            if (asker, response.id) in self._answered:
                line = self._answered[asker, response.id]
                return f"request {id_} already has a response, on line {line}"
            if (asker, twin) in self._open:
                return f"no request has the id {id_}; {quote_id(twin)} is a different id"
        return f"no request has the id {id_}"

    def clear(self) -> list[Entry]:
        """Discard all requests, and return the requests that were pending."""
        left = [request for same_id in self._open.values() for request in same_id]
        self._open.clear()
        self._answered.clear()
        self._doubtful.clear()
        self._refusable.clear()
        self._count, self._is_partial = 0, False
        return left

    def doubt(self) -> None:
        """Accept responses to unknown requests from now on."""
        self._is_partial = True
