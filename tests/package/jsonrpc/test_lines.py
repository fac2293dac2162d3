"""Lines from bytes: the same ones, however the bytes are cut into chunks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import PARSE_ERROR
from acp_bindings.runtime.jsonrpc import Connection, Notification, Refused, framing
from acp_bindings.runtime.jsonrpc.framing import Lines, LineTooLong, is_whole
from hypothesis import given
from hypothesis import strategies as st
from package.jsonrpc.wire import each_side, ignored, refused

LIMIT = 12
MARK = b"\xef\xbb\xbf"
contents = st.lists(
    st.sampled_from(
        [b"", b"\r", b" ", b"{}", MARK, "ä€😀".encode(), b"x" * LIMIT, b"x" * (LIMIT + 1)]
    )
    | st.binary(max_size=2 * LIMIT),
    max_size=12,
).map(b"\n".join)


def chunks_of(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({min(cut, len(data)) for cut in cuts})
    return [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]


def feed(lines: Lines, chunks: list[bytes]) -> list[bytes | None]:
    """The lines, with None in place of those that are too long."""
    return [
        None if isinstance(line, LineTooLong) else line
        for chunk in chunks
        for line in lines.feed(chunk)
    ]


@given(contents, st.lists(st.integers(0, 200), max_size=20) | st.just([*range(400)]))
def test_chunks_make_no_difference(data: bytes, cuts: list[int]) -> None:
    *complete, rest = data.removeprefix(MARK).split(b"\n")
    expected = [line if len(line) <= LIMIT else None for line in complete]
    lines = Lines(LIMIT)
    found = feed(lines, chunks_of(data, cuts))
    if len(rest) > LIMIT:
        assert found == [*expected, None]
        assert lines.rest() == b""
    else:
        assert found == expected
        assert lines.rest() == rest
    assert {type(line) for line in found} <= {bytes, type(None)}


def test_a_long_line_is_reported_once_and_before_its_end() -> None:
    lines = Lines(4)
    assert lines.feed(b"1234") == []
    (error,) = lines.feed(b"5")
    assert isinstance(error, LineTooLong)
    assert str(error) == "a line of more than 4 bytes"
    assert lines.feed(b"6" * 100) == []
    assert lines.feed(b"7\n1\n") == [b"1"]


class Counting(bytearray):
    """Counts the bytes added and removed."""

    moved = 0

    def __iadd__(self, other: Any) -> Any:
        type(self).moved += len(other)
        return super().__iadd__(other)

    def __bytes__(self) -> bytes:
        type(self).moved += len(self)
        return bytes(memoryview(self))


@pytest.mark.parametrize("size", [10_000, 40_000])
def test_each_byte_is_moved_a_fixed_number_of_times(size: int) -> None:
    lines = Lines(1 << 20)
    lines._line = Counting()
    Counting.moved = 0
    for _ in range(size):
        assert lines.feed(b"x") == []
    assert lines.feed(b"\n") == [b"x" * size]
    assert Counting.moved == 2 * size


# --- a byte-order mark -----------------------------------------------------------------------


@pytest.mark.parametrize("data", [MARK + MARK + b"1", b"\n" + MARK + b"1", b"1" + MARK, MARK[:2]])
def test_what_only_looks_like_a_byte_order_mark_stays(data: bytes) -> None:
    lines = Lines(LIMIT)
    *_, found = [*lines.feed(data), lines.rest()]
    assert found == data.removeprefix(MARK).lstrip()


def test_such_a_mark_does_not_count_for_the_length_of_a_line() -> None:
    assert feed(Lines(4), [MARK + b"1234\n"]) == [b"1234"]


# --- the end of the stream -------------------------------------------------------------------

TOKENS = [b"{", b"}", b"[", b"]", b'"', b"'", b"\\", b'\\"', b"\\\\", b"a", b" "]


@given(st.lists(st.sampled_from(TOKENS), max_size=16).map(b"".join), st.integers(1, 5))
def test_a_line_is_whole_if_its_brackets_are_closed(line: bytes, size: int) -> None:
    depth = 0
    for token in framing._TOKEN.findall(line):
        depth += (token in b"[{") - (token in b"]}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(framing, "HEAD", size)
        assert is_whole(line) is (depth <= 0 and line.rstrip()[-1:] in (b"]", b"}"))


# --- through a connection --------------------------------------------------------------------


def update(text: str) -> bytes:
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    params = {"sessionId": "s", "update": chunk}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def texts(events: list[Any]) -> list[str]:
    assert all(isinstance(event, Notification) for event in events)
    return [event.params.update.content.text for event in events]


def test_characters_and_a_mark_may_be_split_between_chunks() -> None:
    connection = Connection("client", v1)
    data = MARK + update("ä€😀")
    events = [event for i in range(len(data)) for event in connection.receive(data[i : i + 1])]
    assert texts(events) == ["ä€😀"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b" \r\n", b"\n\n", b"\r\n\r\n", b"\n \t\r\n"])
@each_side
def test_carriage_returns_and_blank_lines_are_nothing(end: bytes, side: Any) -> None:
    connection = Connection(side, v1)
    line = b'{"jsonrpc":"2.0","method":"_x","params":1}'
    events = connection.receive(end + line + end + line + end)
    assert [type(event) for event in events] == [Notification, Notification]
    assert connection.data_to_send() == b""


def test_a_line_past_the_limit_is_answered_and_the_next_one_is_read() -> None:
    fits = update("x" * 50)
    connection = Connection("client", v1, max_line=len(fits) - 1)
    assert refused(connection, update("x" * 51)) == (None, PARSE_ERROR)
    assert texts(connection.receive(fits)) == ["x" * 50]


def test_the_default_limit_is_128_mebibytes() -> None:
    connection = Connection("client", v1)
    crumb = b"x" * (1 << 20)
    for _ in range(128):
        assert connection.receive(crumb) == []
    (refusal,) = connection.receive(b"x")
    assert isinstance(refusal, Refused)
    connection.data_to_send()
    ignored(connection, b"\nstray\n")
