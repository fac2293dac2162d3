"""Limits on the resources that a connection uses for the peer."""

from __future__ import annotations

from ..values.deferred import dataclass

MAX_LINE = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the resources used for the peer, which can be slow, broken or hostile.

    Each limit is a maximum.

    Attributes:
        batch: the number of messages in a batch. Larger batches are rejected.
        requests: the number of received requests without a response. Additional requests are
            rejected.
        requests_bytes: the total size of received requests without a response and of batches whose
            replies aren't all available yet. Above this size, additional requests are rejected.
        calls: the number of sent requests without a response. Sending another request raises
            `LimitExceeded`.
        cancelled_calls: the number of cancelled requests among the sent requests. If there are
            more, the oldest cancelled request is abandoned.
        backlog: the number of notifications per session that are waiting to be handled, and the
            number of updates per turn that are waiting to be read. Above this number, reading
            pauses until the handlers catch up, wait for the peer, or make no progress for a second.
            The connection is closed if the notifications of all sessions exceed four times this
            limit. In this total, each session counts as eight additional notifications.
            The same limit applies to outgoing notifications about a new session that are held until
            the response with its id is sent. Sending another notification raises `LimitExceeded`.
        backlog_bytes: the total size of the notifications that count toward `backlog`. Exceeding
            this limit has the same effects as exceeding `backlog`.
        unread_bytes: the number of written bytes that the peer has not read. Above this limit, the
            connection is closed. Calls that send messages start to wait long before the limit is
            reached.
        stray_sessions: the number of sessions that a client neither opened nor loaded, although it
            received updates about them. If there are more, the oldest of these sessions is dropped.
        sessions: the number of open sessions of an agent. Additional sessions are rejected.
        closed_sessions: the number of closed sessions that a client remembers to prevent late
            updates from reopening them.
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
