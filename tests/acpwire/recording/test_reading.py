"""Lines of recordings: of logs, bare, unreadable, and of files that grow."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from acp_bindings.runtime.jsonrpc import log_to
from acp_bindings.runtime.jsonrpc.observing import Observation
from acpwire.recording.reading import Line, line_of, read_lines, tail
from acpwire.recording.writing import Recording


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
    "text", [b"NaN", b'{"a": 1e999}', b"[" * 100_000, b"\xff\xfe\x00", b"1" * 5000]
)
def test_what_is_not_json_is_unreadable(text: bytes) -> None:
    [found] = read_lines([text + b"\n"])
    assert found.problem is not None
    assert found.problem.startswith("not JSON: ")
    assert len(found.text) <= 200
    assert found.messages == []


@pytest.mark.skipif(sys.platform == "win32", reason="files in use cannot be renamed there")
def test_a_tail_goes_on_in_the_next_file(tmp_path: Path) -> None:
    log = tmp_path / "acp.log"
    recording = Recording(log, 1_000, 9, pytest.fail)
    lines = tail(log)
    seen: list[int] = []
    for number in range(30):
        content = b'{"jsonrpc": "2.0", "method": "_x", "params": %d}' % number
        recording.message(line_of(0, content, 1.0, "sent"), content)
        while not seen or seen[-1] < number:
            seen += [each["params"] for each in next(lines).messages]
    recording.close()
    assert seen == list(range(30))
    assert (tmp_path / "acp.log.1").exists()
