"""The parts of `acpgen trace`: reading lines, judging envelopes, excerpts, folding chunks."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from acp_bindings.runtime.jsonrpc import log_to
from acp_bindings.runtime.jsonrpc.messages import classify
from acp_bindings.runtime.jsonrpc.observing import Observation
from acpgen.trace.conversation import follow
from acpgen.trace.envelope import check_envelope, find_kind
from acpgen.trace.excerpts import excerpt
from acpgen.trace.folding import fold
from acpgen.trace.reading import Line, read_lines
from hypothesis import given
from hypothesis import strategies as st
from package.jsonrpc.wire import initialize, line, tell

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS, lambda each: st.lists(each) | st.dictionaries(st.text(max_size=3), each), max_leaves=5
)
ERRORS = st.fixed_dictionaries({}, optional={"code": SCALARS, "message": SCALARS, "data": SCALARS})
MESSAGES = VALUES | st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | SCALARS,
        "id": SCALARS | VALUES,
        "method": st.text(max_size=5) | SCALARS,
        "params": VALUES,
        "result": VALUES,
        "error": ERRORS | VALUES,
    },
)


@given(MESSAGES)
def test_an_envelope_has_no_problem_exactly_if_connections_take_it(message: Any) -> None:
    kind = classify(message)
    assert (check_envelope(message) == []) is (kind not in ("invalid", "batch"))
    if kind not in ("invalid", "batch"):
        expected = "response" if kind in ("result", "error") else kind
        assert find_kind(message) == expected


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ({"id": 1, "method": "a"}, ['/jsonrpc: expected "2.0", found nothing']),
        ({"jsonrpc": "1.0", "method": "a"}, ['/jsonrpc: expected "2.0", found "1.0"']),
        ({"jsonrpc": "2.0", "method": 1}, ["/method: expected string, found 1"]),
        (
            {"jsonrpc": "2.0", "id": True, "method": "a"},
            ["/id: expected string or integer, found true"],
        ),
        ({"jsonrpc": "2.0", "result": 1}, ["/id: expected string or integer, found nothing"]),
        (
            {"jsonrpc": "2.0", "id": 1, "result": 1, "error": {}},
            [": expected a result or an error, found both"],
        ),
        ({"jsonrpc": "2.0", "id": 1}, [": expected a result or an error, found neither"]),
        ({"jsonrpc": "2.0", "id": 1, "result": 1, "error": None}, []),
        ({"jsonrpc": "2.0", "id": 1, "error": None}, ["/error: expected object, found null"]),
        ({"jsonrpc": "2.0", "id": 1, "error": 3}, ["/error: expected object, found integer"]),
        (
            {"jsonrpc": "2.0", "id": 1, "error": {"code": "1"}},
            [
                '/error/code: expected integer, found "1"',
                "/error/message: expected string, found nothing",
            ],
        ),
        ({"jsonrpc": "2.0", "method": "a", "result": 1}, ["/result: must not be beside a method"]),
        ({"jsonrpc": "2.0"}, [": expected a method, a result or an error, found none of them"]),
    ],
)
def test_what_is_wrong_with_an_envelope(message: Any, found: list[str]) -> None:
    assert [f"{each.pointer}: {each.message}" for each in check_envelope(message)] == found


# --- lines -------------------------------------------------------------------------------------


def test_logs_and_bare_messages_may_be_mixed() -> None:
    log = io.StringIO()
    write = log_to(log)
    write(Observation("sent", b"{}", {"a": 1}, 5.0))
    write(Observation("received", b"\xffHello", None, 6.0))
    data = b"\xef\xbb\xbf" + log.getvalue().encode() + b'\n  \r\n[{"b": 2}]\r\n{"c'
    assert list(read_lines(data.splitlines(keepends=True))) == [
        Line(1, {"a": 1}, 5.0, "sent"),
        Line(2, None, 6.0, "received", "not JSON: no value at character 0", "\\xffHello"),
        Line(5, [{"b": 2}]),
        Line(
            6,
            problem="not JSON: Unterminated string starting at at character 1;"
            " the last line, perhaps cut off",
            text='{"c',
        ),
    ]


@pytest.mark.parametrize("time", [None, "1", True, -1, 10**400, 1e300, [1]])
def test_what_is_no_time_is_none(time: Any) -> None:
    entry = {"time": time, "direction": "sent", "message": {}}
    [found] = read_lines([json.dumps(entry).encode()])
    assert found.time is None


@pytest.mark.parametrize(
    "text", [b"NaN", b'{"a": 1e999}', b'"\\ud800"', b"[" * 100_000, b"\xff\xfe\x00", b"1" * 5000]
)
def test_what_is_not_json_is_unreadable(text: bytes) -> None:
    [found] = read_lines([text + b"\n"])
    assert found.problem is not None
    assert found.problem.startswith("not JSON: ")
    assert len(found.text) <= 200
    assert found.messages == []


# --- excerpts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"sessionId": "0123456789abcdef"}, "sessionId=0123456789a…"),
        ({"_meta": {"a": 1}, "stopReason": "end_turn"}, "stopReason=end_turn"),
        ({"outcome": {"outcome": "selected", "optionId": "yes"}}, "selected optionId=yes"),
        ({"content": {"type": "text", "text": "a b"}}, 'text="a b"'),
        ({"options": [{"optionId": "yes", "kind": "x"}]}, "optionId=yes kind=x"),
        ({"a": {"x": 1}, "b": True, "c": None}, "b=true c=null x=1"),
        ({"prompt": [{"type": "text", "text": "a\nb"}, {}, {}]}, 'text="a\\nb" (+2)'),
        (dict.fromkeys("abcdefgh", 1), "a=1 b=1 c=1 d=1 e=1 f=1 …"),
        ({"text": "x y" * 100}, 'text="' + ("x y" * 20)[:59] + '…"'),
        ([], ""),
        (None, "null"),
    ],
)
def test_excerpts(value: Any, shown: str) -> None:
    parts = [f"{each.name}={each.value}" if each.name else each.value for each in excerpt(value)]
    assert " ".join(parts) == shown


def test_an_excerpt_ends_however_deep_the_value_is() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = {"a": [value]}
    assert excerpt(value) == []


# --- folding -----------------------------------------------------------------------------------


def chunk(text: str, message: str = "m", **more: Any) -> dict[str, Any]:
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "messageId": message, "content": content}
    return tell("session/update", sessionId="s", update={**update, **more})


def counts(*messages: Any) -> list[tuple[int, int]]:
    """The line of each entry after `initialize`, and the number of messages in it."""
    lines = line(initialize(2), *messages).splitlines(keepends=True)
    return [(each.line, count) for each, count in fold(follow(read_lines(lines)).entries)][1:]


def test_chunks_of_one_message_are_folded() -> None:
    messages = (chunk("a "), chunk("b", _meta={"x": 1}), chunk("c", "n"), chunk("d"))
    assert counts(*messages) == [(2, 2), (4, 1), (5, 1)]
    lines = line(initialize(2), *messages).splitlines(keepends=True)
    [_, (first, _), *_] = fold(follow(read_lines(lines)).entries)
    assert first.value["update"]["content"] == {"type": "text", "text": "a b"}


def test_other_updates_are_not_folded() -> None:
    update = {"sessionUpdate": "state_update", "state": "running"}
    state = tell("session/update", sessionId="s", update=update)
    assert counts(state, state) == [(2, 1), (3, 1)]


def test_chunks_with_a_problem_are_not_folded() -> None:
    bad = chunk("a", messageId=5)
    assert counts(bad, bad) == [(2, 1), (3, 1)]
