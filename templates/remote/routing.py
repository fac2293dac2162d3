"""The transport's rules for message streams and HTTP statuses, without I/O.

A connection over HTTP has several streams from the server to the client: one for the connection and
one for each session. The order of messages on different streams is undefined, so related messages
are sent on the same stream.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, NamedTuple, TypeVar

from ..runtime.jsonrpc.envelope import Message, session_id_of
from ..runtime.jsonrpc.errors import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR
from ..runtime.jsonrpc.limits import DEFAULT, Limits
from ..runtime.jsonrpc.messages import RequestId
from ..runtime.jsonrpc.method import INITIALIZE
from ..runtime.values import jsontext
from ..runtime.values.deferred import dataclass
from ..runtime.values.errors import DecodeError
from .methods import ENDERS

K = TypeVar("K")
V = TypeVar("V")

# The headers that contain the ids of a connection and a session, in lower case as in ASGI and
# HTTP/2.
CONNECTION_ID: Final = "acp-connection-id"
SESSION_ID: Final = "acp-session-id"

EVENTS: Final = "text/event-stream"
JSON: Final = "application/json"
METHODS: Final = ("GET", "POST", "DELETE")


@dataclass(frozen=True, slots=True)
class RemoteLimits:
    """Limits for an application or a remote connection.

    Attributes:
        connections: the maximum number of open connections to an application. Further connections
            are rejected with 503.
        starts: the maximum number of connections without a response to `initialize`. Further
            connections are rejected with 503.
        message_bytes: the maximum size of a received message. Over HTTP, a larger message is
            rejected with 413. Over WebSocket, a larger message closes the connection.
        unread_bytes: the maximum total size of messages that the client has not read, per
            connection. Over this limit, the connection closes. This is also the maximum total
            size of received messages that the agent has not processed. Over this limit, further
            messages are rejected with 429.
        room: the maximum number of unread bytes on a session's stream before the agent has to wait
            to send more messages about the session.
        sessions: the maximum number of session streams that a client can listen to on one
            connection. Further listeners are rejected with 429. This is also the maximum number of
            sessions that have messages but no listener. Over this limit, the connection closes.
        listener_timeout: the time after which a connection without a listener closes, in seconds.
        keep_alive: the time without an event after which a comment is sent on a stream, in seconds.
        keep_sessions: the time without a connection after which the sessions of an agent object are
            closed, in seconds.
        connection: the limits on the resources that the handlers of each connection use for the
            client.
    """

    connections: int = 1_000
    starts: int = 100
    message_bytes: int = 64 * 1024 * 1024
    unread_bytes: int = 128 * 1024 * 1024
    room: int = 64 * 1024
    sessions: int = 1_000
    listener_timeout: float = 60.0
    keep_alive: float = 15.0
    keep_sessions: float = 3600.0
    connection: Limits = DEFAULT


class Unread(OSError):
    """Raised when the connection must close because the peer left too many messages unread."""


class HttpRefused(Exception):
    """Raised when an HTTP request is rejected.

    Attributes:
        status: the HTTP status.
        reason: a description of the problem and its solution.
        code: the code of the JSON-RPC error in the response body.
    """

    def __init__(self, status: int, reason: str, code: int = INVALID_REQUEST) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.code = code


# --- the server ------------------------------------------------------------------------------


def check_head(method: str, headers: Mapping[str, str], *, is_known: bool) -> None:
    """Check the method and the headers of a request.

    Args:
        method: the HTTP method.
        headers: the headers, by lower-case name.
        is_known: whether the connection specified in the headers is open.

    Raises:
        HttpRefused: If the method or the headers are invalid.
    """
    if method not in METHODS:
        raise HttpRefused(405, f"the method is not allowed; send {', '.join(METHODS)}")
    if headers.get("upgrade", "").lower() == "websocket":
        raise HttpRefused(426, "this server does not support WebSocket; use HTTP")
    if method == "POST":
        if headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise HttpRefused(415, f"the content type is not {JSON}; change it")
        if headers.get("content-encoding", "identity").lower() != "identity":
            raise HttpRefused(415, "the content is encoded; send it without encoding")
    if method == "GET" and EVENTS not in headers.get("accept", "").lower():
        raise HttpRefused(406, f"the Accept header does not contain {EVENTS}; add it")
    if CONNECTION_ID in headers and not is_known:
        raise HttpRefused(404, "unknown connection; initialize a new one")
    if CONNECTION_ID not in headers and method != "POST":  # a POST can contain `initialize`
        raise HttpRefused(400, f"the {CONNECTION_ID} header is missing; initialize first")


def check_message(message: Message, headers: Mapping[str, str]) -> None:
    """Check a posted message.

    Raises:
        HttpRefused: If the message is invalid.
    """
    try:
        value = message.parse()
    except DecodeError as error:
        raise HttpRefused(400, str(error), PARSE_ERROR) from None
    if isinstance(value, list):
        raise HttpRefused(501, "batches are not supported; send one message at a time")
    if not isinstance(value, dict):
        raise HttpRefused(400, "the message is not an object; send a JSON-RPC message")
    if CONNECTION_ID not in headers and not is_initialize(message):
        raise HttpRefused(400, f"the {CONNECTION_ID} header is missing; initialize first")
    session_id = message.read_envelope().session_id
    if session_id is not None and headers.get(SESSION_ID, session_id) != session_id:
        raise HttpRefused(
            400, f"{SESSION_ID} and the params specify different sessions; use the same id"
        )


def is_initialize(message: Message) -> bool:
    """Return whether a message is an `initialize` request, which begins a connection.

    Raises:
        DecodeError: If the message is not valid JSON.
    """
    envelope = message.read_envelope()
    return envelope.method == INITIALIZE and envelope.id is not None


# The maximum number of sessions, and of requests, to remember for a connection. Agents and clients
# have lower limits, but a relay that forwards messages between them has none.
_KNOWN: Final = 10_000


class Outbox:
    """The queued messages of a stream.

    Attributes:
        texts: the messages, in order.
        size: the size of the messages, in bytes.
        has_listener: whether the client is listening to the stream.
    """

    __slots__ = ("has_listener", "size", "texts")

    def __init__(self) -> None:
        self.texts: deque[bytes] = deque()
        self.size = 0
        self.has_listener = False


class ServerRouting:
    """The server's view of the streams of an HTTP connection.

    Messages about a session are queued on the session's stream until the client listens to it. The
    exception is a client that opens a session, for example with `session/load`, without listening
    to its stream. The response and the messages before it are then sent on the connection's stream,
    since such a client might not start listening until after the response. There are two ways to
    recognize a request from such a client: it specifies a session that is new to the
    connection, or it has no session header, which means that the client does not expect messages on
    the session's stream.

    After a session has ended, its stream ends once the queued messages have been sent. Later
    messages about the session are sent on the connection's stream.

    Attributes:
        outboxes: the queued messages of each stream, by session id; the key None is for the
            connection's stream.
        size: the size of all queued messages, in bytes.
        listeners: the number of streams with a listener.
        has_sessions: whether each session has a separate stream. Otherwise, only the connection's
            stream exists.
    """

    def __init__(self, limits: RemoteLimits, *, has_sessions: bool = True) -> None:
        """Create a routing object that has no streams yet.

        Args:
            limits: the limits on resources used for the client.
            has_sessions: whether each session has a separate stream, as over HTTP.
        """
        self.outboxes: dict[str | None, Outbox] = {}
        self.size = 0
        self.listeners = 0
        self.has_sessions = has_sessions
        self._limits = limits
        # The sessions that were opened or had a listener, oldest first.
        self._known: dict[str, None] = {}
        # The sessions that have ended and have not been reopened, oldest first.
        self._ended: dict[str, None] = {}
        # The session of each pending request from the client, and whether the request ends the
        # session, by request id.
        self._requests: dict[RequestId, tuple[str | None, bool]] = {}
        # The requests that open each session that uses the connection's stream, by session id.
        self._opening: dict[str, set[RequestId]] = {}
        self._unheard = 0  # the number of session streams with messages but no listener

    def posted(self, message: Message, session_header: str | None) -> None:
        """Record a message from the client before the agent receives it.

        Args:
            message: the message.
            session_header: the session id from the request's headers, if any.
        """
        if not self.has_sessions:
            return
        envelope = message.read_envelope()
        id_ = envelope.id
        if id_ is None or envelope.method is None:
            return
        session_id = envelope.session_id or session_header
        _keep(self._requests, id_, (session_id, envelope.method in ENDERS))
        if session_id is None or self._listens(session_id):
            return
        if session_header is None or session_id not in self._known:
            if session_id not in self._opening:
                _keep(self._opening, session_id, set[RequestId]())
            requests = self._opening[session_id]
            if len(requests) < _KNOWN:
                requests.add(id_)

    def stream_of(self, message: Message) -> str | None:
        """Return the stream for a message from the agent.

        The stream is a session id, or None for the connection's stream.
        """
        if not self.has_sessions:
            return None
        envelope = message.read_envelope()
        if not envelope.is_response or envelope.id is None:
            return self.stream_of_session(envelope.session_id)
        session_id, is_ender = self._requests.pop(envelope.id, (None, False))
        stream = self.stream_of_session(session_id)
        self._learn(message)
        if session_id is None:
            return stream
        requests = self._opening.get(session_id)
        if requests is not None:
            requests.discard(envelope.id)
            if not requests:
                del self._opening[session_id]
                self._open(session_id)
        if is_ender and "result" in message.parse():
            self._end(session_id)
        return stream

    def stream_of_session(self, session_id: str | None) -> str | None:
        """Return the stream for the next messages about a session."""
        if not self.has_sessions:
            return None
        is_over = session_id in self._ended and session_id not in self.outboxes
        return None if session_id in self._opening or is_over else session_id

    def is_over(self, stream: str | None) -> bool:
        """Return whether a stream ends once its queued messages have been sent."""
        return stream in self._ended

    def _learn(self, message: Message) -> None:
        """Record the session that a response opens, if any."""
        if b'"sessionId"' in message.text:
            value = message.parse()
            session_id = session_id_of(value.get("result")) if value.__class__ is dict else None
            if session_id is not None:
                self._open(session_id)

    def _open(self, session_id: str) -> None:
        self._ended.pop(session_id, None)
        _keep(self._known, session_id, None)

    def _end(self, session_id: str) -> None:
        self._known.pop(session_id, None)
        self._opening.pop(session_id, None)
        _keep(self._ended, session_id, None)

    def add(self, message: Message) -> str | None:
        """Queue a message from the agent and return its stream.

        Raises:
            Unread: If there are too many unread messages.
        """
        stream = self.stream_of(message)
        outbox = self.outboxes.get(stream)
        if outbox is None:
            outbox = self.outboxes[stream] = Outbox()
        if not outbox.texts and not outbox.has_listener and stream is not None:
            self._unheard += 1
            if self._unheard > self._limits.sessions:
                raise Unread(f"the client is not listening to {self._unheard} sessions")
        outbox.texts.append(message.text)
        outbox.size += len(message.text)
        self.size += len(message.text)
        if self.size > self._limits.unread_bytes:
            raise Unread(f"the client left {self.size} bytes unread")
        return stream

    def listen(self, stream: str | None) -> None:
        """Begin listening to a stream.

        Raises:
            HttpRefused: If the stream already has a listener or there are too many listeners.
        """
        if self.listeners > self._limits.sessions:
            raise HttpRefused(429, "too many listeners; close some of them")
        outbox = self.outboxes.setdefault(stream, Outbox())
        if outbox.has_listener:
            raise HttpRefused(409, "the stream already has a listener; close it first")
        outbox.has_listener = True
        self.listeners += 1
        if stream is not None:
            self._unheard -= bool(outbox.texts)
            if not outbox.texts or stream not in self._ended:
                self._open(stream)

    def leave(self, stream: str | None) -> None:
        """Stop listening to a stream."""
        outbox = self.outboxes[stream]
        outbox.has_listener = False
        self.listeners -= 1
        if outbox.texts and stream in self._ended:  # move the messages to the connection's stream
            rest = self.outboxes.setdefault(None, Outbox())
            rest.texts += outbox.texts
            rest.size += outbox.size
            outbox.texts.clear()
        if stream is not None:
            self._unheard += bool(outbox.texts)
        if not outbox.texts:
            del self.outboxes[stream]

    def sent(self, stream: str | None, count: int) -> None:
        """Remove the oldest `count` messages from a stream after they were sent to the listener."""
        outbox = self.outboxes[stream]
        for _ in range(count):
            size = len(outbox.texts.popleft())
            outbox.size -= size
            self.size -= size

    def has_room(self, session_id: str | None) -> bool:
        """Return whether the stream of a session has room for more messages."""
        outbox = self.outboxes.get(self.stream_of_session(session_id))
        return outbox is None or outbox.size <= self._limits.room

    def _listens(self, session_id: str) -> bool:
        outbox = self.outboxes.get(session_id)
        return outbox is not None and outbox.has_listener and session_id not in self._ended


def _keep(entries: dict[K, V], key: K, value: V) -> None:
    """Add an entry. If there are too many entries, remove the oldest."""
    entries[key] = value
    if len(entries) > _KNOWN:
        del entries[next(iter(entries))]


# --- the client ------------------------------------------------------------------------------


class Reaction(Enum):
    """The client's reaction to the response status of a posted message."""

    GO_ON = "the server accepted the message"
    OMIT_SESSION = "post the message again without the session header"
    POST_LATER = "post the message again later"
    FAIL = "only the message failed"
    END = "the connection ended"


class Arrival(NamedTuple):
    """The changes to the client's streams caused by a message from the server.

    Attributes:
        opened: the session to listen to from now on, or None.
        astray: the session whose stream can still deliver earlier messages, although the response
            arrived on the connection's stream. None if the order is certain.
        ended: the ended session, if the message was the last pending response about it, otherwise
            None.
    """

    opened: str | None = None
    astray: str | None = None
    ended: str | None = None


class ClientRouting:
    """The client's view of the streams of an HTTP connection.

    The headers of a posted message contain the session id from its params. For a response, they
    contain the id of the session whose stream delivered the request. The client begins listening to
    a session's stream before it posts a message that specifies the session, or when it receives the
    response that opens the session. Some servers reject a session header while the session is being
    loaded. The client then posts the message again without the header. The stream of an ended
    session is needed only until all pending requests about the session have a response.
    """

    def __init__(self) -> None:
        # The session of each pending request, separately for sent and received requests.
        self._sent: dict[RequestId, str | None] = {}
        self._received: dict[RequestId, str | None] = {}
        self._enders: set[RequestId] = set()  # the sent requests that end their session
        self._ended: set[str] = set()  # ended sessions that might still have an open stream

    def posted(self, message: Message) -> str | None:
        """Record a message to send and return the session id for its headers.

        Raises:
            DecodeError: If the message is not valid JSON.
        """
        envelope = message.read_envelope()
        if envelope.is_response:
            return self._received.pop(envelope.id, None)
        if envelope.id is not None:
            _keep(self._sent, envelope.id, envelope.session_id)
            if envelope.method in ENDERS:
                self._enders.add(envelope.id)
            elif envelope.session_id is not None:
                self._ended.discard(envelope.session_id)  # the session is being opened again
        return envelope.session_id

    def received(self, message: Message, stream: str | None) -> Arrival:
        """Record a message from the server.

        Args:
            message: the message.
            stream: the stream that delivered the message: a session id, or None for the
                connection's stream.
        """
        try:
            envelope = message.read_envelope()
        except DecodeError:
            return Arrival()  # the connection reports the error
        if not envelope.is_response:
            if envelope.id is not None:
                _keep(self._received, envelope.id, stream)
            return Arrival()
        session_id = self._sent.pop(envelope.id, None)
        value = message.parse()
        is_ender = envelope.id in self._enders
        self._enders.discard(envelope.id)
        if is_ender and session_id is not None and "error" not in value:
            self._ended.add(session_id)
        if session_id in self._ended:
            ended = None if session_id in self._sent.values() else session_id
            return Arrival(None, session_id if stream is None else None, ended)
        if "error" in value:
            return Arrival()
        opened = session_id_of(value.get("result")) or session_id
        return Arrival(opened, session_id if stream is None else None)

    def has_ended(self, session_id: str | None) -> bool:
        """Return whether a session has ended and its stream is therefore expected to end."""
        return session_id in self._ended

    def left(self, session_id: str | None) -> None:
        """Forget a session whose stream has ended, unless there are pending requests about it."""
        if session_id is not None and session_id not in self._sent.values():
            self._ended.discard(session_id)

    def failed(self, message: Message, status: int, body: bytes) -> Message | None:
        """Return an error response to a rejected request, or None for any other message.

        Args:
            message: the message.
            status: the HTTP status.
            body: the body of the HTTP response.
        """
        id_ = message.read_envelope().id
        if id_ not in self._sent:
            return None
        del self._sent[id_]
        self._enders.discard(id_)
        return _failure(id_, *_error_of(status, body))

    def failures(self, session_id: str, reason: str) -> list[Message]:
        """Return an error response for each pending request about a session."""
        lost = [id_ for id_, session in self._sent.items() if session == session_id]
        for id_ in lost:
            del self._sent[id_]
            self._enders.discard(id_)
        return [_failure(id_, INTERNAL_ERROR, reason, None) for id_ in lost]

    @staticmethod
    def react(status: int, *, names_session: bool, omitted_session: bool) -> Reaction:
        """Return the reaction to the response status of a posted message.

        Args:
            status: the HTTP status.
            names_session: whether the session header was sent.
            omitted_session: whether the session header was omitted because the server rejected
                a request with this header.
        """
        if 200 <= status < 300:
            return Reaction.GO_ON
        if names_session and status in (400, 404):
            return Reaction.OMIT_SESSION
        if status in (409, 429, 503):
            return Reaction.POST_LATER
        is_unknown = status == 404 and not names_session and not omitted_session
        if is_unknown or 300 <= status < 400 or status in (401, 403, 405, 410):
            return Reaction.END
        return Reaction.FAIL


def refusal_text(status: int, body: bytes, location: str = "") -> str:
    """Describe the reason for a rejection and, if known, the solution."""
    if 300 <= status < 400:
        return f"HTTP {status}: the server redirects; connect to {location or 'the other URL'}"
    advice = _ADVICE.get(status, "")
    _, message, _ = _error_of(status, body)
    return f"{message}; {advice}" if advice and "; " not in message else message


_ADVICE: Final = {
    401: "pass a valid `token` or `headers`",
    403: "pass a valid `token` or `headers`",
    404: "check the URL, or connect again",
    405: "check the URL: it is not the endpoint of an agent",
    410: "connect again",
    429: "try again later",
    503: "try again later",
}
# The maximum number of characters that an error quotes from a response body.
_QUOTE = 500


def _error_of(status: int, body: bytes) -> tuple[int, str, Any]:
    """Return the code, message and data of the error for a rejected message."""
    text = body.decode("utf-8", "replace").strip()
    data = {"status": status, "body": text[:_QUOTE]}
    try:
        value: Any = jsontext.loads(body)
    except DecodeError:
        value = None
    error: Any = value.get("error") if value.__class__ is dict else None
    if error.__class__ is dict and isinstance(error.get("message"), str):
        given = error.get("code")
        code: int = given if given.__class__ is int else INTERNAL_ERROR  # excludes bool
        return code, f"HTTP {status}: {error['message']}", data
    is_short = text.isprintable() and text and not text.startswith("<")
    return INTERNAL_ERROR, f"HTTP {status}: {text[:_QUOTE]}" if is_short else f"HTTP {status}", data


def _failure(id_: RequestId, code: int, message: str, data: Any) -> Message:
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    value = {"jsonrpc": "2.0", "id": id_, "error": error}
    return Message(json.dumps(value).encode())
