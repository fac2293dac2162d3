"""Limits on the resources that a connection uses for the peer."""

from __future__ import annotations

from ..values.deferred import dataclass

MAX_LINE = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the resources used for the peer, which can be slow, broken or hostile.

    Attributes:
        batch: the messages of a batch. Larger batches are refused.
        requests: the received requests without a response. Further requests are refused.
        requests_bytes: the size of these requests, and of batches with replies that wait for
            others. Beyond it, further requests are refused.
        calls: the sent requests without a response. Another one raises `LimitExceeded`.
        cancelled_calls: the cancelled ones among these. If there are more, the oldest is abandoned.
        backlog: the received notifications of a session that wait for handlers, and the updates of
            a turn that wait to be read. With more notifications, reading pauses until handlers
            have caught up, wait for the peer, or have made no progress for a second. Four times as
            many in all sessions together, with eight extra for each session, end the connection.
            Also limits the outgoing notifications about a new session that wait for the response
            with its id. Another one raises `LimitExceeded`.
        backlog_bytes: the same for the size of these notifications.
        unread_bytes: the written bytes that the peer has not read. Beyond this, the connection
            ends. Requests and notifications wait long before that.
        stray_sessions: the sessions that a client neither opened nor loaded, but received updates
            for. If there are more, the oldest is dropped.
        sessions: the open sessions of an agent. Another one is refused.
        closed_sessions: the closed sessions that a client remembers, so that late updates do not
            reopen them.
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
