"""Tests of splitting bytes into lines, classifying messages, and recovering from invalid JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import (
    PARSE_ERROR,
    UNSUPPORTED_PROTOCOL_VERSION,
    DecodeError,
    RequestError,
)
from acp_bindings.runtime.jsonrpc import (
    Connection,
    Event,
    Failure,
    Refused,
    classify,
    peek_initialize,
    pick_version,
    recovery,
)
from acp_bindings.runtime.jsonrpc.receiving import Lines, LineTooLong
from acp_bindings.runtime.jsonrpc.recovery import HEAD, TAIL, ends_of, is_whole
from hypothesis import example, given
from hypothesis import strategies as st

from tests.package.jsonrpc.wire import (
    ask,
    calling,
    each_side,
    each_version,
    ignored,
    line,
    only,
    refused,
    requested,
    sent,
)

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
    """Feed chunks and return the resulting lines, with None for each line that is too long."""
    return [
        None if isinstance(line, LineTooLong) else line
        for chunk in chunks
        for line in lines.feed(chunk)
    ]


@example(b'   {"' + b"x" * LIMIT, [])
@given(contents, st.lists(st.integers(0, 200), max_size=20) | st.just([*range(400)]))
def test_chunks_make_no_difference(data: bytes, cuts: list[int]) -> None:
    *complete, rest = data.removeprefix(MARK).split(b"\n")
    expected = [line if len(line) <= LIMIT else None for line in complete]
    lines = Lines(LIMIT)
    found = feed(lines, chunks_of(data, cuts))
    end = lines.rest()
    if isinstance(end, LineTooLong):  # not reported earlier, since the id can be at the end
        found.append(None)
        end = b""
    is_too_long = len(rest) > LIMIT
    assert found == expected + [None] * is_too_long
    assert end == (b"" if is_too_long else rest)
    assert {type(line) for line in found} <= {bytes, type(None)}


class Counting(bytearray):
    """A buffer that counts the bytes added to it and copied from it."""

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


def test_only_one_byte_order_mark_is_skipped() -> None:
    lines = Lines(LIMIT)
    assert [*lines.feed(MARK), *lines.feed(MARK), lines.rest()] == [MARK]


def test_a_byte_order_mark_does_not_count_toward_the_limit() -> None:
    assert feed(Lines(LIMIT), [MARK + b"x" * LIMIT + b"\n"]) == [b"x" * LIMIT]
    assert feed(Lines(LIMIT), [MARK + b"x" * (LIMIT + 1) + b"\n"]) == [None]


# --- the end of the stream -------------------------------------------------------------------

TOKENS = [b"{", b"}", b"[", b"]", b'"', b"'", b"\\", b'\\"', b"\\\\", b"a", b" "]


@given(st.lists(st.sampled_from(TOKENS), max_size=16).map(b"".join), st.integers(1, 5))
@example(b"[]", 1)
@example(b"{{}", 3)
def test_a_line_is_whole_if_its_brackets_are_closed(line: bytes, size: int) -> None:
    depth = 0
    for token in recovery._TOKEN.findall(line):
        depth += (token in b"[{") - (token in b"]}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recovery, "HEAD", size)
        assert is_whole(line) is (depth <= 0 and line.rstrip()[-1:] in (b"]", b"}"))


# --- through a connection --------------------------------------------------------------------


def test_the_default_limit_is_128_mebibytes() -> None:
    connection = Connection("client", v1)
    crumb = b"x" * (1 << 20)
    for _ in range(128):
        assert connection.receive(crumb) == []
    (refusal,) = connection.receive(b"x")
    assert isinstance(refusal, Refused)
    connection.data_to_send()
    ignored(connection, b"\nstray\n")


DEEP = b"[" * 100_000 + b"]" * 100_000
# Invalid JSON to insert into a line in place of a value.
UNREADABLE = {
    "invalid UTF-8": b'"\xff\xc3"',
    "an encoded surrogate": b'"\xed\xa0\xbd"',
    "a number out of range": b"-1e400",
    "not a number": b"NaN",
    "a wrong escape": b'"\\x \\" , \\"id\\": 7"',
    "a control character": b'"\t"',
    "no value": b"",
    "brackets in a string": b'"}]{[ \xff"',
    "a value nested too deeply": DEEP,
}
each_unreadable = pytest.mark.parametrize("value", UNREADABLE.values(), ids=UNREADABLE)

# Templates for unreadable messages, with the id in various positions.
REQUESTS = {
    "first": b'{"id":"q","jsonrpc":"2.0","method":"_ask","params":{"a":%s}}',
    "usual": b'{"jsonrpc":"2.0","id":"q","method":"_ask","params":{"id":1,"a":%s}}',
    "last": b'{"jsonrpc":"2.0","method":"_ask","params":[{"id":1},%s] , "id" :\t"q" } ',
}
RESPONSES = {
    "first": b'{"id":1,"jsonrpc":"2.0","result":{"a":%s}}',
    "usual": b'{"jsonrpc":"2.0","id":1,"result":{"id":2,"a":%s}}',
    "last": b'{"jsonrpc":"2.0","result":[{"id":2,"method":"m"},%s],"id":1.0}\r',
    "error": b'{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":%s}}',
}


def failed(event: Event) -> Any:
    """Check that a call failed because its response isn't JSON, and return the call's id."""
    assert isinstance(event, Failure)
    assert isinstance(event.error, DecodeError)
    assert (event.error.expected, event.error.type_name) == ("JSON text", "_ask")
    return event.id


# --- single messages -------------------------------------------------------------------------


@each_unreadable
@each_side
@each_version
def test_a_request_is_answered_by_its_id(surface: ModuleType, side: Any, value: bytes) -> None:
    for place, request in REQUESTS.items():
        connection = calling(side, surface, 2)
        assert refused(connection, request % value + b"\n") == ("q", PARSE_ERROR), place
        assert list(connection.pending) == [1, 2]
        assert requested(connection, ask("next")).id == "next"


@each_unreadable
@each_side
@each_version
def test_the_call_that_a_response_is_for_fails(
    surface: ModuleType, side: Any, value: bytes
) -> None:
    for place, response in RESPONSES.items():
        connection = calling(side, surface, 2)
        assert failed(only(connection.receive(response % value + b"\n"))) == 1, place
        assert sent(connection) == []
        assert list(connection.pending) == [2]


@each_unreadable
@each_side
def test_a_message_without_an_id_is_answered_without_one(side: Any, value: bytes) -> None:
    data = b'{"jsonrpc":"2.0","method":"_tell","params":{"id":1,"a":%s}}\n' % value
    assert refused(calling(side), data) == (None, PARSE_ERROR)


@pytest.mark.parametrize("id_", [b"", b'"id":7,', b'"id":"7",', b'"id":null,', b'"id":1.5,'])
@each_side
def test_a_response_to_nothing_is_ignored(side: Any, id_: bytes) -> None:
    connection = calling(side, count=2)
    data = b'{"jsonrpc":"2.0",%b"result":NaN}' % id_
    event = ignored(connection, data + b"\n")
    assert (event.kind, event.raw) == ("stray", data)
    assert event.reason == "response that is not valid JSON: NaN is not valid JSON"
    assert list(connection.pending) == [1, 2]


@pytest.mark.parametrize(
    ("id_", "read"),
    [
        (b"-0", 0),
        (b"1e2", 100.0),
        (b'"\\u00e4\\n"', "ä\n"),
        ('"ä"'.encode(), "ä"),
        (b'"' + b"x" * 1022 + b'"', "x" * 1022),
        (b'"' + b"x" * 1023 + b'"', None),
        (b"1" * 1024, int("1" * 1024)),
        (b"1" * 1025, None),
        *((id_, None) for id_ in (b"01", b"1.", b"+1", b"1x", b"true", b"[1]", b'{"id":1}')),
        (b'"\\ud83d"', "\ud83d"),
        *((id_, None) for id_ in (b'"\xff"', b"1e400", b'"a"b', b"'a'", b"")),
    ],
    ids=lambda value: repr(value)[:12],
)
def test_an_id_is_read_if_it_is_one(id_: bytes, read: Any) -> None:
    connection = calling("agent", count=2)
    data = b'{"jsonrpc":"2.0","id":%b,"method":"_ask","params":NaN}\n' % id_
    assert refused(connection, data) == (read, PARSE_ERROR)


# --- batches ---------------------------------------------------------------------------------


def spoiled(value: bytes, *messages: Any) -> bytes:
    """Return a batch whose last message contains a value that isn't JSON."""
    *rest, last = [line(message).rstrip() for message in messages]
    return b"[%b]\n" % b", ".join([*rest, last[:-1] + b',"x":' + value + b"}"])


@each_unreadable
@each_side
def test_each_message_of_a_batch_is_settled(side: Any, value: bytes) -> None:
    connection = calling(side, v2, 3)
    messages = [ask("a"), {"id": 2, "result": {}}, {"method": "_tell"}, {"id": 3, "result": 1}]
    events = connection.receive(spoiled(value, *messages, ask("b")))
    assert [(type(event), getattr(event, "id", None)) for event in events] == [
        (Refused, "a"),
        (Failure, 2),
        (Failure, 3),
        (Refused, "b"),
    ]
    [replies] = sent(connection)
    assert [(reply["id"], reply["error"]["code"]) for reply in replies] == [
        ("a", PARSE_ERROR),
        ("b", PARSE_ERROR),
    ]
    assert list(connection.pending) == [1]


# --- lines that are too long -----------------------------------------------------------------


@pytest.mark.parametrize("place", REQUESTS)
@pytest.mark.parametrize("piece", [1 << 10, 1 << 30])
def test_a_request_that_is_too_long_is_answered_by_its_id(place: str, piece: int) -> None:
    connection = calling("agent", max_line=10_000)
    data = REQUESTS[place] % (b'"' + b"x" * 100_000 + b'"') + b"\n"
    events: list[Event] = []
    for start in range(0, len(data), piece):
        events += connection.receive(data[start : start + piece])
    assert only(events).id == "q"
    body = json.loads(connection.data_to_send())
    assert body["id"] == "q"
    assert body["error"]["message"] == "parse error: a line of more than 10000 bytes, in '_ask'"
    assert requested(connection, ask("next")).id == "next"


@pytest.mark.parametrize("place", RESPONSES)
@pytest.mark.parametrize("size", [100_000, 3_000_000])
def test_a_call_whose_answer_is_too_long_fails(place: str, size: int) -> None:
    connection = calling("client", count=2, max_line=50_000)
    data = RESPONSES[place] % (b'"' + b"x" * size + b'"')
    assert failed(only(connection.receive(data + b"\n"))) == 1
    assert sent(connection) == []
    assert list(connection.pending) == [2]
    connection.receive(RESPONSES["usual"].replace(b'"id":1', b'"id":2') % data)
    assert failed(connection.receive_eof()[0]) == 2  # the call also fails at the end of the stream


def test_a_long_line_that_is_no_message_is_told_before_its_end() -> None:
    connection = calling("agent", max_line=1_000)
    assert refused(connection, b"x" * 1_001) == (None, PARSE_ERROR)
    assert connection.receive(b"x" * 5_000 + b"\n") == []
    assert requested(connection, ask(1)).id == 1


# --- how much is read ------------------------------------------------------------------------


class CountedPattern:
    """A regular expression that counts its matches."""

    def __init__(self, pattern: re.Pattern[bytes]) -> None:
        self.pattern = pattern
        self.count = 0

    def finditer(self, line: bytes) -> Any:
        for match in self.pattern.finditer(line):
            self.count += 1
            yield match


@pytest.fixture
def tokens(monkeypatch: pytest.MonkeyPatch) -> CountedPattern:
    counting = CountedPattern(recovery._TOKEN)
    monkeypatch.setattr(recovery, "_TOKEN", counting)
    return counting


FLOODS: dict[str, Callable[[int], bytes]] = {
    "brackets": lambda size: b"[" * size,
    "objects": lambda size: b"{" * size,
    "quotes": lambda size: b'"' * size,
    "escaped quotes": lambda size: b'{"' + b'\\"' * (size // 2),
    "messages": lambda size: b"[" + b'{"id":1},' * (size // 9),
    "members": lambda size: b'{"a":' + b'"id":' * (size // 5),
    "spaces": lambda size: b'{"id"' + b" " * size,
    "backslashes": lambda size: b'{"' + b"\\" * size,
}


@pytest.mark.parametrize("flood", FLOODS)
def test_of_a_long_line_a_part_is_read(tokens: CountedPattern, flood: str) -> None:
    data = FLOODS[flood](4 * recovery.HEAD)
    messages = recovery.recover(data) or []
    assert tokens.count <= recovery._MAX_TOKENS + 1
    assert len(messages) <= recovery._MAX_TOKENS // 3 + 1


@pytest.mark.parametrize("end", [b"", b"}", b"]"])
@pytest.mark.parametrize(
    "part", [b"{", b"[", b'"', b"\\", b'{"a":', b'"["[', b'\\"', b'"\\\\"', b"}", b"[]"], ids=repr
)
def test_of_a_line_that_is_cut_off_few_parts_are_looked_at_one_by_one(
    part: bytes, end: bytes, tokens: CountedPattern
) -> None:
    connection = Connection("agent", v1)
    connection.receive(b'{"a":' + part * 300_000 + end)
    connection.receive_eof()
    assert tokens.count <= recovery._MAX_TOKENS + 1


@pytest.mark.parametrize("rest", [b'\\"' * 1_000, b"x" * 1_000, b"\\\\" * 1_000])
def test_a_string_without_an_end_is_one_token(rest: bytes) -> None:
    """Searching for a closing quote again and again would take quadratic time."""
    spans = [match.span() for match in recovery._TOKEN.finditer(b'{"' + rest)]
    assert spans == [(0, 1), (1, 2 + len(rest))]


@pytest.mark.parametrize("begins", [b'{"jsonrpc":"2.0","id":1,', b"hello"])
def test_of_a_line_that_is_too_long_the_ends_are_kept(begins: bytes) -> None:
    lines = Lines(1_000)
    for _ in range(200):
        assert all(isinstance(found, LineTooLong) for found in lines.feed(begins * 1_000))
        assert len(lines._line) <= recovery.HEAD + recovery.TAIL + 1_000 * len(begins)
    lines.feed(b"\n")
    assert lines.feed(b"next\n") == [b"next"]


ERROR = {"code": -32603, "message": "internal error"}
KINDS = {"request", "notification", "result", "error", "batch", "invalid"}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
# Envelopes with arbitrary values for a random subset of the fields. Random JSON rarely contains
# such envelopes.
envelopes = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | json_values,
        "id": st.integers() | st.text(max_size=3) | json_values,
        "method": st.sampled_from(["initialize", "session/new"]) | json_values,
        "params": json_values,
        "result": json_values,
        "error": st.just(ERROR) | json_values,
    },
)


class Grumpy(str):
    """A string that claims to be a dict and raises an error when compared."""

    __slots__ = ()

    @property
    def __class__(self) -> Any:
        return dict

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    __ne__ = __eq__
    __hash__ = str.__hash__


OTHER_ERRORS = [
    *(None, {}, {"code": 1}, {"code": 1, "message": None}),
    *({"code": code, "message": "m"} for code in ("1", True, 1.5)),
]


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ({"id": 1, "method": "m"}, "request"),
        ({"id": 1, "method": "m", "params": [1]}, "request"),
        ({"id": None, "method": "m"}, "request"),
        ({"method": "m"}, "notification"),
        ({"method": "m", "params": None}, "notification"),
        ({"id": 1, "result": None}, "result"),
        ({"id": "a", "result": {}}, "result"),
        ({"id": 1, "result": 1, "error": None}, "result"),
        ({"id": 1, "result": None, "error": None}, "result"),
        ({"id": 1, "error": ERROR}, "error"),
        ({"id": None, "error": {**ERROR, "data": [1]}}, "error"),
        ({"id": 1, "result": None, "error": ERROR}, "error"),
        *(({"id": 1, "result": result, "error": ERROR}, "invalid") for result in (1, 0)),
        ({"id": 1, "result": None, "error": {}}, "invalid"),
        *((message, "invalid") for message in ({"id": 1}, {"result": 1}, {"error": ERROR}, {})),
        *(({"id": 1, "error": error}, "invalid") for error in OTHER_ERRORS),
        *(({"id": 1, "method": method}, "invalid") for method in (None, 1, ["m"])),
        ({"id": 1, "method": "m", "result": 1}, "invalid"),
        ({"method": "m", "error": ERROR}, "invalid"),
    ],
)
def test_members_decide_the_kind(message: dict[str, Any], kind: str) -> None:
    assert classify({"jsonrpc": "2.0", **message}) == kind


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        *(
            ({"jsonrpc": version, "id": 1, "method": "m"}, "invalid")
            for version in ("1.0", 2.0, 2, None, "2", ["2.0"])
        ),
        ({"id": 1, "method": "m"}, "invalid"),
        *((array, "batch") for array in ([], [1], [{"jsonrpc": "2.0", "method": "m"}])),
        *((each, "invalid") for each in (None, True, 0, 1.5, "2.0", b"{}", (), {1}, dict)),
    ],
)
def test_only_objects_of_version_2_and_arrays_have_a_kind(message: Any, kind: str) -> None:
    assert classify(message) == kind


@pytest.mark.parametrize(
    ("id_", "is_id"),
    [
        *((id_, True) for id_ in (None, 0, -1, 1, 1.0, 2**63, 10**30, "", "1", "ä")),
        *((id_, False) for id_ in (True, False, 1.5, [], [1], {}, {"id": 1})),
    ],
)
def test_null_integers_and_strings_are_ids(id_: Any, is_id: bool) -> None:
    request = classify({"jsonrpc": "2.0", "id": id_, "method": "m"})
    result = classify({"jsonrpc": "2.0", "id": id_, "result": 1})
    assert (request, result) == (("request", "result") if is_id else ("invalid", "invalid"))


@given(json_values | envelopes)
def test_classify_knows_a_kind_for_any_json(message: Any) -> None:
    assert classify(message) in KINDS


PLACES: dict[str, Callable[[Any], Any]] = {
    "by itself": lambda thing: thing,
    "in an array": lambda thing: [thing],
    "jsonrpc": lambda thing: {"jsonrpc": thing, "id": 1, "method": "m"},
    "id": lambda thing: {"jsonrpc": "2.0", "id": thing, "method": "m"},
    "method": lambda thing: {"jsonrpc": "2.0", "id": 1, "method": thing},
    "error": lambda thing: {"jsonrpc": "2.0", "id": 1, "error": thing},
    "code": lambda thing: {"jsonrpc": "2.0", "id": 1, "error": {"code": thing, "message": "m"}},
    "message": lambda thing: {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": thing}},
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("awkward", [Grumpy("2.0"), Grumpy, b"2.0", (), {1}, 2j], ids=repr)
def test_classify_takes_any_object(awkward: Any, place: str) -> None:
    assert classify(PLACES[place](awkward)) in {"batch", "invalid"}


# --- versions --------------------------------------------------------------------------------


def initialize(params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


@pytest.mark.parametrize(
    ("value", "version"),
    [(1, 1), (2, 2), (0, 0), (-1, -1), (1.0, 1), ("1", 1), ("2", 2), ("65535", 65535)],
)
def test_peek_reads_an_integer(value: Any, version: int) -> None:
    peeked = peek_initialize(initialize({"protocolVersion": value}))
    assert peeked == version
    assert type(peeked) is int


VERSION = "/protocolVersion"
# Strings that aren't versions, such as dates, signed numbers, non-ASCII digits, and a very long
# number.
TEXTS = ("2024-11-05", "", "v1", "1.0", "-1", " 1", "٣", "²", "9" * 5000)


@pytest.mark.parametrize(
    ("params", "pointer", "found"),
    [
        *(({"protocolVersion": text}, VERSION, "string") for text in TEXTS),
        ({"protocolVersion": None}, VERSION, "null"),
        ({"protocolVersion": True}, VERSION, "boolean"),
        *(({"protocolVersion": n}, VERSION, "number") for n in (1.5, math.inf, math.nan)),
        ({"protocolVersion": [1]}, VERSION, "array"),
        ({"protocolVersion": {}}, VERSION, "object"),
        ({}, VERSION, "nothing"),
        (None, "", "null"),
        ([1], "", "array"),
        ("1", "", "string"),
    ],
)
def test_peek_names_what_is_no_version(params: Any, pointer: str, found: str) -> None:
    with pytest.raises(DecodeError) as caught:
        peek_initialize(initialize(params))
    error = caught.value
    assert (error.pointer, error.found) == (pointer, found)
    assert error.expected == ("integer" if pointer else "object")


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"protocolVersion": 1}},
        {"jsonrpc": "2.0", "method": "initialize", "params": {"protocolVersion": 1}},
        {"id": 1, "method": "initialize", "params": {"protocolVersion": 1}},
        {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": 1}},
        [],
        None,
    ],
)
def test_peek_gives_none_for_anything_but_an_initialize_request(message: Any) -> None:
    assert peek_initialize(message) is None


@given(st.integers(-5, 10), st.sets(st.integers(0, 8)))
def test_pick_takes_the_highest_version_that_fits(requested: int, supported: set[int]) -> None:
    """Requests for versions below 1 are treated like requests for version 1."""
    fitting = {version for version in supported if version <= max(requested, 1)}
    if fitting:
        assert pick_version(requested, dict.fromkeys(supported)) == max(fitting)
        return
    with pytest.raises(RequestError) as caught:
        pick_version(requested, supported)
    data = {"requested": requested, "supported": sorted(supported)}
    words = "unsupported protocol version"
    assert caught.value.args == (UNSUPPORTED_PROTOCOL_VERSION, words, data)


@pytest.mark.parametrize("middle", [-1, 0, 1, 1_000])
@pytest.mark.parametrize("begin", [b'{"method": "', b'{"text": "', b'log: {"id": 1, "method": "'])
def test_both_ends_of_a_long_message_are_kept(begin: bytes, middle: int) -> None:
    end = b'", "id": 7}'
    line = begin + b"x" * (HEAD + TAIL + middle - len(begin + end)) + end
    assert ends_of(line) == line[:HEAD] + line[HEAD:][-TAIL:]
    assert len(ends_of(line)) == HEAD + TAIL + min(middle, 0)
    text = b"x" * len(line)  # contains no message
    assert ends_of(text) == text[:HEAD]
