"""Tests of stray text between or next to messages, and of ids returned as another JSON type."""

from __future__ import annotations

import json
from itertools import product
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import INVALID_REQUEST, PARSE_ERROR, DecodeError, Issue, RequestError
from acp_bindings.runtime.jsonrpc import (
    Cancellation,
    Connection,
    Failure,
    Notification,
    Request,
    Response,
    recovery,
)
from acp_bindings.runtime.values import jsontext

from tests.package.aio.sides import ASK, begin, connected
from tests.package.jsonrpc.wire import (
    ask,
    batch,
    calling,
    cancel,
    each_side,
    each_version,
    ignored,
    initialize,
    introduction,
    line,
    only,
    refused,
    requested,
    sent,
    tell,
)

INITIALIZE = v1.AGENT_METHODS["initialize"]

# --- log lines in JSON -----------------------------------------------------------------------

LOGGED: list[dict[str, Any]] = [
    {"level": 30, "id": 1, "msg": "saved"},
    {"id": 1},
    {"jsonrpc": "2.0", "id": 1},
    {"jsonrpc": "2.0", "id": 1, "msg": "saved"},
    {"id": 1, "params": {"result": {}}},
    {"level": "error", "id": 1, "error": "ENOENT"},
    {"level": "error", "id": 1, "error": {"code": 1, "message": "no"}},
    {"level": "info", "id": 1, "result": {}},
    {"level": "info", "id": "1", "result": {}},
    {"level": "info", "id": 1, "method": "GET"},
]
each_logged = pytest.mark.parametrize("logged", LOGGED, ids=json.dumps)


@each_logged
@each_version
def test_a_log_line_leaves_the_call_with_its_id_alone(
    surface: ModuleType, logged: dict[str, Any]
) -> None:
    connection = calling("client", surface)
    event = ignored(connection, json.dumps(logged).encode() + b"\n")
    assert (event.kind, event.raw) == ("not_a_message", logged)
    assert list(connection.pending) == [1]
    answered = only(connection.receive(line({"id": 1, "result": 5})))
    assert isinstance(answered, Response)


@each_logged
@each_version
def test_an_agent_reports_a_log_line_without_its_id(
    surface: ModuleType, logged: dict[str, Any]
) -> None:
    """The client might have a pending call with this id."""
    connection = calling("agent", surface)
    data = json.dumps(logged).encode() + b"\n"
    assert refused(connection, data) == (None, INVALID_REQUEST)
    assert list(connection.pending) == [1]


@each_logged
@each_version
def test_a_log_line_in_an_array_leaves_the_call_with_its_id_alone(
    surface: ModuleType, logged: dict[str, Any]
) -> None:
    connection = calling("client", surface)
    connection.receive(json.dumps(["a", logged]).encode() + b"\n")
    assert list(connection.pending) == [1]


@pytest.mark.parametrize("value", [b"NaN", b'"\xff"', b"1e400"])
@pytest.mark.parametrize("name", [b"msg", b"error", b"result", b"method"])
def test_a_log_line_that_is_not_json_leaves_the_call_with_its_id_alone(
    name: bytes, value: bytes
) -> None:
    connection = calling("client")
    data = b'{"level":30,"id":1,"%b":"x","value":%b}' % (name, value)
    event = ignored(connection, data + b"\n")
    assert (event.kind, event.raw) == ("not_json", data)
    assert list(connection.pending) == [1]


@pytest.mark.parametrize("name", ["result", "error"])
def test_a_response_without_jsonrpc_fails_its_call(name: str) -> None:
    """The call must fail, because no other response will arrive."""
    connection = calling("client")
    failed = only(connection.receive(json.dumps({"id": 1, name: {}}).encode() + b"\n"))
    assert isinstance(failed, Failure)
    assert isinstance(failed.error, DecodeError)


async def test_a_log_line_does_not_end_initialize(caplog: pytest.LogCaptureFixture) -> None:
    async with connected() as (peer, wire):
        opening, id_ = await begin(wire, peer.request(INITIALIZE, introduction(v1, "params")))
        logged = json.dumps({"level": 30, "id": id_, "msg": "starting"})
        unreadable = logged.replace("30", "NaN")
        wire.stream.write(f"{logged}\n{unreadable}\n".encode())
        wire.write({"id": id_, "result": {"protocolVersion": 1}})
        assert (await opening).protocol_version == 1
    quoted = "{'id': 1, 'level': 30, 'msg': 'starting'}"
    assert caplog.messages == [
        f"ignored a message: not a JSON-RPC 2.0 message: {quoted}",
        f"ignored a message: not JSON: NaN is not valid JSON: {unreadable!r}",
    ]


# --- text on the line of a message -----------------------------------------------------------

TEXTS = [
    *(
        b"\x0c",
        b"\x00",
        b"\x1b[?25l",
        b"Loading...",
        b"10%\r20%\r",
        b"\xef\xbb\xbf",
        b"\xff\xfe\x00",
        b"caf\xe9 ",
    ),
    *(b"state {idle} [x] ", b'"quoted" ', b"[INFO] {", b"it's ", b"}", b"] ", b'{"level":30} '),
]
each_text = pytest.mark.parametrize("text", TEXTS, ids=repr)


def messages(surface: ModuleType) -> list[tuple[Any, type]]:
    return [
        ({"id": 1, "result": {"a": "ä\ud83d"}}, Response),
        ({"id": 1, "error": {"code": -1, "message": "{"}}, Failure),
        (ask("q", a='{"jsonrpc":"2.0"}'), Request),
        (tell(), Notification),
    ]


@each_text
@each_side
@each_version
def test_text_on_the_line_of_a_message_is_an_issue(
    surface: ModuleType, side: Any, text: bytes
) -> None:
    shown = text.decode("utf-8", "replace")
    for (message, kind), place in product(messages(surface), ("before", "after")):
        issues: list[Issue] = []
        connection = calling(side, surface, on_issue=issues.append)
        connection.receive(b"\n")  # skip the first line, where a byte-order mark is ignored
        data = line(message).rstrip()
        data = text + data if place == "before" else data + text
        assert isinstance(only(connection.receive(data + b"\r\n")), kind), data
        assert sent(connection) == []
        (issue,) = issues
        assert issue.raw.strip() == shown.strip()
        assert issue == Issue(
            "",
            f"expected one message on a line, found text {place} it",
            issue.raw,
            "accepted",
            message.get("method", "_ask"),
        )


@each_text
def test_text_before_a_batch_is_an_issue(text: bytes) -> None:
    issues: list[Issue] = []
    connection = calling("agent", v2, 2, on_issue=issues.append)
    connection.receive(b"\n")
    answers = batch({"id": 2, "result": 1}, {"id": 1, "result": 1})
    assert [type(each) for each in connection.receive(text + answers)] == [Response, Response]
    assert [(each.action, each.method) for each in issues] == [("accepted", "_ask")]


@pytest.mark.parametrize("between", [b"", b" ", b"\r", b"\t \r"], ids=repr)
@each_side
@each_version
def test_several_messages_on_a_line_are_read(
    surface: ModuleType, side: Any, between: bytes
) -> None:
    issues: list[Issue] = []
    connection = calling(side, surface, 2, on_issue=issues.append)
    parts = [line(each).rstrip() for each in ({"id": 2, "result": 1}, ask("q"), tell())]
    events = connection.receive(between.join(parts) + b"\n")
    assert [type(each) for each in events] == [Response, Request, Notification]
    assert list(connection.pending) == [1]
    reason = "expected one message on a line, found several"
    assert issues == [Issue("", reason, between.join(parts).decode(), "accepted", "_ask")]


WHOLE = b'{"jsonrpc":"2.0","id":1,"result":{"a":[{"id":2}]}}'
AMBIGUOUS = [
    b"got '%b'" % WHOLE,
    b"got %b from the agent" % WHOLE,
    b"%b, then %b" % (WHOLE, WHOLE),
    b'{"id":7}%b' % WHOLE,
    b'%b{"id":7}' % WHOLE,
    b'got {"id":7,"method":"_ask"} %b' % WHOLE,
    b"Loading..." + WHOLE[:-1],
    b"Loading..." + WHOLE.replace(b"2}", b"NaN}"),
    b"Loading..." + WHOLE.replace(b'"a"', b'"\xff"'),
    b"Loading..." + WHOLE.replace(b"[", b"[" * 100_000),
    WHOLE + b"[" + WHOLE,
]


@pytest.mark.parametrize("data", AMBIGUOUS, ids=lambda data: repr(data[:60]))
@each_side
@each_version
def test_a_response_that_is_not_certain_fails_its_call(
    surface: ModuleType, side: Any, data: bytes
) -> None:
    connection = calling(side, surface, 2)
    failed = [e for e in connection.receive(data + b"\n") if isinstance(e, Failure)]
    assert {each.id for each in failed} == {1}
    assert isinstance(failed[0].error, DecodeError)
    assert list(connection.pending) == [2]


@each_side
def test_a_request_that_is_not_certain_is_refused_by_its_id(side: Any) -> None:
    data = b'Loading...{"jsonrpc":"2.0","id":"q","method":"_ask","params":NaN}\n'
    assert refused(calling(side), data) == ("q", PARSE_ERROR)


@pytest.mark.parametrize(
    "data",
    [
        b'got {"id":7,"method":"_ask"}',
        b'got {"id":1,"result":{}}',
        b'{"level":30,"size":NaN,"message":%b}' % WHOLE,
        b'{"level":30,"size":NaN,"message":%b' % WHOLE,
    ],
)
def test_messages_quoted_in_log_lines_are_ignored(data: bytes) -> None:
    connection = calling("client")
    assert ignored(connection, data + b"\n").kind == "not_json"
    assert list(connection.pending) == [1]


@pytest.mark.parametrize("size", [100_000, 3_000_000])
def test_a_call_fails_if_its_answer_is_too_long_and_has_text_before_it(size: int) -> None:
    connection = calling("client", count=2, max_line=50_000)
    data = b'Loading...{"jsonrpc":"2.0","id":1,"result":"%b"}\n' % (b"x" * size)
    failed = only(connection.receive(data))
    assert (type(failed), failed.id) == (Failure, 1)
    assert list(connection.pending) == [2]


@pytest.mark.parametrize("data", [b"[x " + WHOLE, b'"' + WHOLE, WHOLE + b"Done", WHOLE + WHOLE])
def test_a_last_line_with_other_text_is_read(data: bytes) -> None:
    connection = calling("client", count=2)
    assert connection.receive(data) == []
    answered, *_, failed = connection.receive_eof()
    assert (type(answered), type(failed)) == (Response, Failure)


async def test_an_accepted_message_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    async with connected() as (peer, wire):
        for number in (1, 2):
            asking, id_ = await begin(wire, peer.request(ASK, None))
            answer = line({"id": id_, "result": number})
            wire.stream.write(b"Loading..." + answer)
            assert await asking == number
            asking, id_ = await begin(wire, peer.request(ASK, None))
            wire.write({"id": str(id_), "result": number})
            assert await asking == number
    assert caplog.messages == [
        "accepted a message of '_ask': expected one message on a line, found text before it: "
        "'Loading...'",
        "accepted a message of '_ask': wrong type of request id: expected integer, found string: "
        "'2'",
    ]


# --- how much is read ------------------------------------------------------------------------


@pytest.mark.parametrize("before", [b"", b"x"])
@pytest.mark.parametrize(
    "part",
    [
        *(b'{"id":', b'[{"id":', b'{"id":1}', b'{"jsonrpc":"2.0","method":"_a"}', b"{ ", b"[ "),
        *(b'{"a":', b'x{"id"', b'{"id":"', b"\\"),
    ],
    ids=repr,
)
def test_of_a_long_line_each_part_is_parsed_once(
    part: bytes, before: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[int] = []
    ends: list[int] = [0]
    scan = jsontext.scan

    def counted(text: str, start: int) -> Any:
        assert start >= ends[-1]
        starts.append(start)
        value, end = scan(text, start)
        ends.append(end)
        return value, end

    monkeypatch.setattr(jsontext, "scan", counted)
    recovery.embedded(before + part * 30_000)
    assert len(starts) <= len(ends)  # the scan stops at the first invalid value


# --- ids in another JSON type ----------------------------------------------------------------


@pytest.mark.parametrize("spelled", ["1", "1.0", "1e0"])
@each_side
@each_version
def test_a_response_with_the_text_of_an_id_is_delivered(
    surface: ModuleType, side: Any, spelled: str
) -> None:
    for answer, kind in (
        ({"result": {"a": 1}}, Response),
        ({"error": {"code": 5, "message": "no"}}, Failure),
    ):
        issues: list[Issue] = []
        connection = calling(side, surface, 2, on_issue=issues.append)
        event = only(connection.receive(line({"id": spelled, **answer})))
        assert (type(event), event.id) == (kind, 1)
        assert kind is Response or isinstance(event.error, RequestError)
        assert list(connection.pending) == [2]
        reason = "wrong type of request id: expected integer, found string"
        assert issues == [Issue("/id", reason, spelled, "accepted", "_ask")]


@pytest.mark.parametrize(
    "id_", ["3", "01", "one", "", "1" * 5_000, "true", "null", "[1]", " ", "\ud83d", "1" + " " * 30]
)
def test_a_response_with_another_text_is_stray(id_: str) -> None:
    connection = calling("client", count=2)
    assert ignored(connection, line({"id": id_, "result": 1})).kind == "stray"
    assert list(connection.pending) == [1, 2]


@pytest.mark.parametrize(
    "data",
    [
        b'{"jsonrpc":"2.0","id":"1","result":NaN}',
        b'{"jsonrpc":"2.0","id":"1","result":1,"error":{}}',
        b'{"jsonrpc":"2.0","id":"1","error":5}',
        b'[{"jsonrpc":"2.0","id":"1","result":1}]',
    ],
)
def test_an_unreadable_response_with_the_text_of_an_id_fails_its_call(data: bytes) -> None:
    connection = calling("client", count=2)
    failed = connection.receive(data + b"\n")[0]
    assert isinstance(failed, Failure)
    assert failed.id == 1
    assert list(connection.pending) == [2]


@pytest.mark.parametrize(("id_", "named"), [(3, "3"), ("3", 3), ("3", 3.0), (3.0, "3"), (0, "0")])
@each_version
def test_a_cancellation_with_the_text_of_an_id_cancels(
    surface: ModuleType, id_: Any, named: Any
) -> None:
    issues: list[Issue] = []
    connection = Connection("agent", surface, on_issue=issues.append)
    request = requested(connection, ask(id_))
    cancellation, _ = connection.receive(line(cancel(named)))
    assert isinstance(cancellation, Cancellation)
    assert cancellation.requests == (request,)
    (issue,) = issues
    assert (issue.pointer, issue.raw) == ("/params/requestId", named)
    assert (issue.action, issue.method) == ("accepted", "$/cancel_request")
    assert isinstance(only(connection.receive(line(cancel(named)))), Notification)


def test_initialize_may_come_after_text_on_its_line() -> None:
    connection = Connection("agent", lambda version: v2 if version == 2 else v1)
    event = only(connection.receive(b"Starting...{}".replace(b"{}", line(initialize(2)))))
    assert isinstance(event, Request)
    assert connection.surface is v2
