"""The guide about limits: its tables are those of the code, and its claims hold."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import re
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, connect_stdio, rejections, serve
from acp_bindings.runtime.jsonrpc import Connection, Limits, Refused
from acp_bindings.runtime.jsonrpc.limits import MAX_LINE
from acp_bindings.runtime.session.turns import Turn
from acp_bindings.runtime.values.errors import MAX_QUOTE
from support.paths import GUIDE_TEMPLATES, PROGRAMS

TEXT = (GUIDE_TEMPLATES / "limits.md").read_text(encoding="utf-8")
WORDS = " ".join(TEXT.split())  # without line breaks
MIB = 1024 * 1024


def test_the_limits_are_those_of_the_code() -> None:
    table = TEXT.split("| limit | default |")[1].split("\n\n")[0]
    listed = re.findall(r"^\| `(\w+)` \| ([\d,]+)( MiB)?\b", table, re.M)
    found = {
        name: int(number.replace(",", "")) * (MIB if unit else 1) for name, number, unit in listed
    }
    assert found == {"max_line": MAX_LINE, **dataclasses.asdict(Limits())}


def test_the_times_are_those_of_the_code() -> None:
    defaults = {name: each.default for name, each in inspect.signature(serve).parameters.items()}
    assert (defaults["linger"], defaults["grace"]) == (1.0, 5.0)
    assert "handlers have a second to finish (`linger`)" in WORDS
    assert "dropped after five seconds (`grace`)" in WORDS
    waits = {
        "120 seconds (`timeout`)": (Peer.initialize, "timeout", 120.0),
        "an hour (`silence`": (connect_stdio, "silence", 3600.0),
        "10 seconds (`grace`)": (Turn.stop, "grace", 10.0),
    }
    for words, (function, name, default) in waits.items():
        assert words in WORDS
        assert inspect.signature(function).parameters[name].default == default
    assert rejections._WINDOW == 5.0
    assert "within five seconds" in WORDS
    assert f"no more than {MAX_QUOTE} characters" in WORDS


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "Infinity",
        "1e400",
        "9" * 5000,
        '"\\ud800"',
        "[" * 100_000 + "]" * 100_000,
        "1 2",
        b"\xff",
        str(2**63),  # beyond the format of the type
    ],
    ids=lambda text: str(text)[:10],
)
def test_what_the_first_table_refuses_is_refused(text: str | bytes) -> None:
    with pytest.raises(v1.DecodeError):
        v1.loads(v1.RequestId, text)


def test_what_the_first_table_accepts_is_accepted() -> None:
    one = v1.loads(v1.RequestId, "1.0")
    assert (one, type(one)) == (1, float)
    assert v1.loads(v1.TextContent, '{"text": "a", "text": "b"}').text == "b"


def test_errors_do_not_quote_values_and_issues_do() -> None:
    secret = "the secret"
    with pytest.raises(v1.DecodeError) as raised:
        v1.decode(v1.SessionId, [secret])
    assert secret not in str(raised.value)
    issues: list[v1.Issue] = []
    v1.decode(v1.TextContent, {"text": "a", "_meta": secret}, on_issue=issues.append)
    assert [issue.raw for issue in issues] == [secret]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"initialize","params":NaN}\n', -32700),
        (b'{"jsonrpc":"2.0","id":7,"method":"initialize","params":[]}\n', -32602),
    ],
)
def test_a_request_that_cannot_be_read_is_answered_by_its_id(line: bytes, code: int) -> None:
    connection = Connection("agent", v1)
    [event] = connection.receive(line)
    assert isinstance(event, Refused)
    answer: dict[str, Any] = json.loads(connection.data_to_send())
    assert (answer["id"], answer["error"]["code"]) == (7, code)


def test_the_stream_that_it_names_is_short() -> None:
    [name] = re.findall(r"`tests/examples/(\w+\.py)`", TEXT)
    source = (PROGRAMS / name).read_text(encoding="utf-8")
    assert len(source.splitlines()) < 200
    assert any(isinstance(node, ast.ClassDef) for node in ast.walk(ast.parse(source)))
