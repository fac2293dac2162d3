"""Forwarding between a remote connection and a program that uses standard input and output.

    messages -> `write_lines` -> lines
    lines -> `read_lines` -> messages

The program reads and writes one message per line. Each line is parsed at most once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from acp_bindings.runtime.aio import Stream
from acp_bindings.runtime.aio.streams import MessageStream
from acp_bindings.runtime.jsonrpc.envelope import Message
from acp_bindings.runtime.jsonrpc.errors import INVALID_REQUEST, PARSE_ERROR
from acp_bindings.runtime.jsonrpc.receiving import Lines, LineTooLong
from acp_bindings.runtime.jsonrpc.recovery import embedded, recover
from acp_bindings.runtime.values import jsontext
from acp_bindings.runtime.values.errors import DecodeError

# Waits until the sink can accept more messages for a session.
Drain: TypeAlias = "Callable[[str | None], Awaitable[None]]"


class Unreadable(NamedTuple):
    """A line that is not a message."""

    line: bytes  # the line, or only its beginning and end if it is too long
    problem: str  # why the line is not a message
    parts: list[dict[str, Any]]  # the fields that `recover` finds, for each message in the line
    code: int = PARSE_ERROR


OnUnreadable: TypeAlias = "Callable[[Unreadable], Awaitable[None]]"


async def write_lines(source: MessageStream, sink: Stream) -> bool:
    """Write each message as a line until the connection closes or the program stops reading.

    Returns:
        True if the connection closed, false if the program stopped reading.

    Raises:
        OSError: If the connection is lost.
    """
    while messages := await source.receive():
        sink.write(b"".join([_one_line(message.text) + b"\n" for message in messages]))
        try:
            await sink.drain()
        except OSError:
            return False
    return True


async def read_lines(
    source: Stream,
    sink: MessageStream,
    on_unreadable: OnUnreadable,
    *,
    parses: bool,
    allows_batches: bool = True,
    max_line: int,
    drain: Drain | None = None,
) -> None:
    """Send each line as a message until the source ends.

    Args:
        source: the stream of lines.
        sink: the connection that sends the messages.
        on_unreadable: called for each line that is not sent.
        parses: whether to send only valid JSON. If false, the peer validates the messages.
        allows_batches: whether to send batches. Batches are detected only if `parses` is true.
        max_line: the maximum length of a line to send, in bytes.
        drain: the function that waits until the sink can accept more data; by default, the sink's
            `drain`.

    Raises:
        OSError: If the connection is lost.
    """
    drain = drain or sink.drain
    lines, is_open = Lines(max_line), True
    while is_open:
        data = await source.read()
        is_open = bool(data)
        sessions = dict[str | None, None]()  # used as an ordered set
        for line in lines.feed(data) if data else [lines.rest()]:
            for found in _messages(line, parses=parses):
                if (
                    isinstance(found, Message)
                    and not allows_batches
                    and type(found.parse()) is list
                ):
                    problem = "a batch, which this connection does not support"
                    found = Unreadable(found.text, problem, [], INVALID_REQUEST)
                if isinstance(found, Unreadable):
                    await on_unreadable(found)
                else:
                    sink.send([found])
                    envelope = found.envelope
                    sessions[None if envelope is None else envelope.session_id] = None
        for session_id in sessions:
            await drain(session_id)


def to_message(value: Any) -> Message:
    """Return parsed JSON as a message."""
    return Message(jsontext.dumps(value).encode(), value)


def error_response(id_: object, code: int, message: str) -> bytes:
    """Return an error response as JSON text."""
    error = {"code": code, "message": message}
    return jsontext.dumps({"jsonrpc": "2.0", "id": id_, "error": error}).encode()


def _messages(line: bytes | LineTooLong, *, parses: bool) -> Iterator[Message | Unreadable]:
    if isinstance(line, LineTooLong):
        yield Unreadable(line.ends, str(line), recover(line.ends) or [])
        return
    text = _one_line(line).strip()
    if not text:
        return
    message = Message(text)
    try:
        if parses:
            message.read_envelope()
        else:
            text.decode()  # only check that the line is valid UTF-8
    except UnicodeDecodeError:
        yield Unreadable(line, "text that is not valid Unicode", recover(line) or [])
    except DecodeError as error:
        found = embedded(line)
        if found is None:
            yield Unreadable(line, jsontext.not_json(error).found, recover(line) or [])
            return
        for value in found.messages:
            yield to_message(value)
    else:
        yield message


def _one_line(text: bytes) -> bytes:
    """Replace line breaks with spaces. Valid JSON contains line breaks only between tokens."""
    return text.replace(b"\n", b" ").replace(b"\r", b" ")
