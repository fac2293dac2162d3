"""Limits: how much a connection keeps for the other side."""

from __future__ import annotations

from ..values.deferred import dataclass

MAX_LINE = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a connection keeps for the other side, which may be slow, broken or hostile.

    Attributes:
        batch: the messages of a batch; a larger one is refused.
        requests: the received requests without a response; more are refused.
        requests_bytes: the size of these requests, and of batches with replies that wait for
            others; beyond it, more are refused.
        calls: the sent requests without a response; another one raises `LimitExceeded`.
        cancelled_calls: of those, the ones that were cancelled; the oldest is given up for another.
        backlog: the received notifications of a session that wait for handlers, and the updates of
            a turn that wait to be read. With more notifications, nothing is received until handlers
            have caught up, wait for the other side, or have made no progress for a second. Four
            times as many in all sessions together, each counting as eight more, end the connection.
            Also, the notifications to send about a new session that wait for the response that
            names it; another one raises `LimitExceeded`.
        backlog_bytes: the same for the size of these notifications.
        unread_bytes: the bytes written that the other side has not read; beyond that, the
            connection ends. Requests and notifications wait long before.
        stray_sessions: the sessions of a client that it neither opened nor loaded, but that updates
            named; the oldest is dropped for another.
        sessions: the sessions that an agent has open; another one is refused.
        closed_sessions: the closed sessions that a client remembers, so that late updates do not
            open them again.
    """

    batch: int = 1_000
    requests: int = 20_000
    requests_bytes: int = 256 * 1024 * 1024
    calls: int = 20_000
    cancelled_calls: int = 1_000
    backlog: int = 10_000
    backlog_bytes: int = 64 * 1024 * 1024
    unread_bytes: int = 256 * 1024 * 1024
    stray_sessions: int = 1_000
    sessions: int = 10_000
    closed_sessions: int = 1_000


DEFAULT = Limits()
