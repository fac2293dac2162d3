"""Tests of reading log entries, bare messages, unreadable lines and growing recordings."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from acp_bindings.runtime.jsonrpc import log_to
from acp_bindings.runtime.jsonrpc.observing import Observation
from acpwire.recording import reading
from acpwire.recording.reading import Line, line_of, read_lines, tail
from acpwire.recording.writing import Recording

posix = pytest.mark.skipif(sys.platform == "win32", reason="files in use cannot be renamed there")


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
            problem="not JSON: invalid text at character 1 (unterminated string);"
            " the last line, possibly truncated",
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


@pytest.mark.parametrize("character", ["x", "é", "😀"])
def test_unreadable_text_is_cut_after_200_characters(character: str) -> None:
    [found] = read_lines([f"{character * 300}\n".encode()])
    assert found.text == character * 200


@posix
@pytest.mark.parametrize(
    ("excerpt", "message"),
    [
        (b'{"id": 1, "method": "a", "params": {"text', {"id": 1, "method": "a"}),
        (b'[{"id": 1, "method": "a"}, {"id": 2, "text', [{"id": 1, "method": "a"}, {"id": 2}]),
    ],
)
def test_of_a_long_line_the_message_has_what_is_known(excerpt: bytes, message: Any) -> None:
    line = line_of(1, excerpt, None, "sent", size=10**6)
    assert (line.message, line.size, line.text) == (message, 10**6, excerpt.decode())


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


def growing(path: Path, *writes: Callable[[], object]) -> list[Any]:
    """Read a recording that grows with each write, and return all messages up to the end marker."""
    steps = iter(writes)
    reading.time.sleep = lambda pause: next(steps)()  # type: ignore[attr-defined]
    return [
        message
        for line in takewhile(lambda line: line.message != {"end": 1}, tail(path))
        for message in line.messages
    ]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(reading, "time", SimpleNamespace())
    return tmp_path / "acp.log"


@posix
def test_a_tail_waits_for_the_file_and_for_complete_lines(path: Path) -> None:
    def append(data: bytes) -> Callable[[], object]:
        return lambda: path.open("ab").write(data)

    found = growing(path, append(b'{"a": 1}\n{"b"'), append(b': 2}\n\n{"end": 1}\n'))
    assert found == [{"a": 1}, {"b": 2}]


@posix
def test_a_tail_reads_an_emptied_file_anew(path: Path) -> None:
    path.write_bytes(b'{"a": 1}\n{"a": 2}\n')
    assert growing(path, lambda: path.write_bytes(b'{"end": 1}\n')) == [{"a": 1}, {"a": 2}]


@posix
def test_a_tail_leaves_out_repeated_lines_only(path: Path) -> None:
    continued = b'{"time": 1.0, "event": "continued", "file": "acp.log.1", "repeated": 1}\n'
    older = path.with_name("acp.log.1")

    def rotate(first: bytes) -> None:
        path.rename(older)
        path.write_bytes(first + b'{"a": 1}\n{"b": 2}\n{"end": 1}\n')

    path.write_bytes(b'{"a": 1}\n')
    assert growing(path, lambda: rotate(continued)) == [{"a": 1}, {"b": 2}]
    path.write_bytes(b'{"a": 1}\n')
    older.unlink()
    assert growing(path, lambda: rotate(b"")) == [{"a": 1}, {"a": 1}, {"b": 2}]


@posix
def test_tail_keeps_repeated_lines_of_its_first_file(path: Path) -> None:
    continued = b'{"time": 1.0, "event": "continued", "file": "acp.log.1", "repeated": 1}\n'
    path.write_bytes(continued + b'{"a": 1}\n{"b": 2}\n{"end": 1}\n')
    assert growing(path) == [{"a": 1}, {"b": 2}]


@posix
def test_a_tail_goes_on_in_a_file_between_two(path: Path) -> None:
    path.write_bytes(b'{"number": 1}\n')

    def rotate_twice() -> None:
        for number in (2, 3):
            for old in (2, 1):
                if (older := path.with_name(f"acp.log.{old}")).exists():
                    older.rename(path.with_name(f"acp.log.{old + 1}"))
            path.rename(path.with_name("acp.log.1"))
            path.write_bytes(b'{"number": %d}\n' % number)
        path.open("ab").write(b'{"end": 1}\n')

    assert growing(path, rotate_twice) == [{"number": number} for number in (1, 2, 3)]
