"""Tests that recordings are split into files of limited size that can be read independently."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from acpwire.recording import writing
from acpwire.recording.reading import line_of
from acpwire.recording.writing import Recording

from tests.package.jsonrpc.wire import initialize, line

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="files in use cannot be renamed there"
)


def recorded(log: Path) -> list[dict[str, Any]]:
    return [json.loads(each) for each in log.read_text("utf-8").splitlines()]


def test_a_recording_is_bounded_and_each_file_can_be_understood(tmp_path: Path) -> None:
    log, warnings = tmp_path / "acp.log", list[str]()
    recording = Recording(log, 2_000, 2, warnings.append)
    contents = [line(initialize(1)).strip(), *[b'{"jsonrpc": "2.0", "method": "_x"}'] * 100]
    for number, content in enumerate(contents):
        recording.message(line_of(0, content, 1.0, "sent"), content, repeats=number == 0)
    other = Recording(log, 2_000, 2, warnings.append)
    other.close()
    recording.close()
    [aside] = tmp_path.glob("acp.*.log")
    aside.unlink()
    assert {each.name for each in tmp_path.iterdir()} == {"acp.log", "acp.log.1", "acp.log.2"}
    for path in tmp_path.iterdir():
        assert path.stat().st_size <= 2_000
        event, first, *_ = recorded(path)
        assert (event["event"], event["repeated"]) == ("continued", 1)
        assert (event["file"], event["side"]) == (str(log) + ".1", "client")
        assert first["message"]["method"] == "initialize"
    assert len(warnings) == 1
    assert " is in use; recording to " in warnings[0]


def test_lines_that_could_not_be_written_are_noted_in_the_recording(tmp_path: Path) -> None:
    log, warnings, content = tmp_path / "new" / "acp.log", list[str](), b'{"method": "_x"}'
    recording = Recording(log, 10_000, 2, warnings.append)
    for number in range(4):
        if number == 3:
            log.parent.mkdir()
        recording.message(line_of(0, content, float(number), "sent"), content)
    recording.close()
    skipped, last = recorded(log)
    assert (skipped["event"], skipped["lines"], skipped["bytes"]) == ("skipped", 3, 51)
    assert last["time"] == 3.0
    assert [each.split(":")[0] for each in warnings] == [
        f"cannot record to {log}",
        "3 lines (51 bytes) were not recorded",
    ]


@pytest.mark.parametrize(("longest", "repeated"), [(1_000, 1), (10, 0)])
def test_long_lines_are_not_repeated(
    longest: int, repeated: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_MOST_REPEATED", longest)
    log, content = tmp_path / "acp.log", b'{"jsonrpc": "2.0", "method": "_x"}'
    recording = Recording(log, 500, 1, pytest.fail)
    for number in range(20):
        recording.message(line_of(0, content, 1.0, "sent"), content, repeats=number == 0)
    recording.close()
    assert recorded(log)[0]["repeated"] == repeated


def test_lines_of_an_earlier_connection_are_not_repeated(tmp_path: Path) -> None:
    log, content = tmp_path / "acp.log", b'{"jsonrpc": "2.0", "method": "_x"}'
    recording = Recording(log, 500, 1, pytest.fail)
    recording.message(line_of(0, content, 1.0, "sent"), content, repeats=True)
    recording.begin_connection()
    for _ in range(20):
        recording.message(line_of(0, content, 1.0, "sent"), content)
    recording.close()
    assert recorded(log)[0]["repeated"] == 0
