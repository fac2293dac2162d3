"""Tests that `acpgen wrap` forwards all traffic, even if recording or checking it fails."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from acpwire.recording.reading import tail
from acpwire.wrap import forwarding

from tests.package.jsonrpc.wire import ask, initialize, line, tell
from tests.support import preloaded

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

PATIENCE = 60.0  # timeout in seconds
CHUNK = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": 4}}
# Client messages that contain protocol violations.
VIOLATIONS = [
    initialize(1),
    ask(1, "session/prompt", sessionId="s", prompt=[]),
    tell("session/cancel", sessionId=7),
    {"id": 9, "result": {}},
]


def wrap(*words: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*preloaded.acpgen(), "wrap", *words], input=data, capture_output=True, timeout=PATIENCE
    )


def recorded(log: Path) -> list[dict[str, Any]]:
    return [json.loads(each) for each in log.read_text("utf-8").splitlines()]


def test_bytes_of_any_kind_pass_and_so_do_errors_and_the_exit_code(tmp_path: Path) -> None:
    big = line({"method": "_big", "params": {"text": "x" * 20_000_000}})
    data = b"\xff\x00 no JSON\n" + big + b"\r\n\n{}\n[]\n" + b"no line end"
    log = tmp_path / "acp.log"
    done = wrap("--log", str(log), "--", "sh", "-c", "echo oops >&2; cat; exit 5", data=data)
    assert (done.returncode, done.stdout == data) == (5, True)
    assert done.stderr.startswith(b"oops\n") or b"\noops\n" in done.stderr
    entries = recorded(log)
    ends = [each["direction"] for each in entries if each.get("line") == "no line end"]
    assert ends == ["sent", "received"]
    sizes = [
        len(each["message"]["params"]["text"]) for each in entries if "_big" in str(each)[:200]
    ]
    assert sizes == [20_000_000] * 2
    assert (entries[0]["event"], entries[-1]["event"], entries[-1]["exit"]) == (
        *("started", "ended"),
        5,
    )


def test_violations_are_told_as_they_pass_and_recorded(tmp_path: Path) -> None:
    log = tmp_path / "acp.log"
    updates = [tell("session/update", sessionId="s", update=CHUNK)] * 9
    done = wrap("--log", str(log), "--", "cat", data=line(*VIOLATIONS, *updates))
    told = done.stderr.decode().splitlines()
    assert all(each.startswith("acpgen wrap: ") for each in told)
    problems = [each for each in recorded(log) if each.get("event") == "problem"]
    pointers = {each["pointer"] for each in problems}
    assert {"/params/sessionId", "/id", "/params/update/content/text"} <= pointers
    assert len(problems) > len(told)  # only the first problems of each kind are printed
    assert re.fullmatch(r"acpgen wrap: \d+ more problems like these", told[-1])


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"])
def test_signals_reach_the_agent_once_and_end_both(name: str, tmp_path: Path) -> None:
    agent = f"""import signal, sys, time
def end(*_):
    print("got", flush=True)
    sys.exit(3)
signal.signal(signal.{name}, end)
print("up", flush=True)
time.sleep(30)"""
    log = tmp_path / "acp.log"
    wrapped = ("--log", str(log), "--", sys.executable, "-c", agent)
    # A preloaded program would be in another process group than the command that starts it.
    command = [sys.executable, "-m", "acpgen", "wrap", *wrapped]
    with subprocess.Popen(command, stdin=-1, stdout=-1, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        os.killpg(process.pid, signal.Signals[name])
        rest = process.stdout.read()
        assert (rest, process.wait(PATIENCE)) == (b"got\n", 3)
    last = recorded(log)[-1]  # the signal does not reach the process that records
    assert (last["event"], last["exit"]) == ("ended", 3)


@pytest.mark.parametrize(
    ("name", "reached"),
    [
        ("SIGTERM", ["begins to end", "group"]),
        ("SIGHUP", ["begins to end", "group"]),
        ("SIGINT", ["group"]),
        ("SIGUSR1", ["agent"]),
    ],
)
def test_signals_reach_the_processes_that_they_are_for(
    name: str, reached: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    number = signal.Signals[name]
    monkeypatch.setattr(os, "killpg", lambda pid, signal: steps.append("group"))
    agent: Any = SimpleNamespace(
        pid=7, returncode=None, send_signal=lambda signal: steps.append("agent")
    )
    ending: Any = SimpleNamespace(begin=lambda: steps.append("begins to end"))
    back: Any = SimpleNamespace(abandon=lambda: steps.append("abandoned"))
    before = signal.getsignal(number)
    with forwarding._signals_to(agent, ending, back):
        signal.raise_signal(number)
        assert steps == reached
        agent.returncode = 0
        signal.raise_signal(number)
        assert steps == [*reached, "abandoned"]
    assert signal.getsignal(number) is before


def test_a_signal_that_ends_the_agent_ends_the_wrap() -> None:
    assert wrap("--", "sh", "-c", "kill -KILL $$").returncode == -signal.SIGKILL


def test_the_end_of_the_input_ends_no_output() -> None:
    script = "cat > /dev/null; for i in 1 2 3; do echo $i; done"
    assert wrap("--", "sh", "-c", script, data=b"x\n").stdout == b"1\n2\n3\n"


def test_a_flood_for_a_slow_reader_is_held_back_and_not_lost() -> None:
    flood = "import os\nfor _ in range(300): os.write(1, b'x' * 99_999 + b'\\n')"
    command = [*preloaded.acpgen(), "wrap", "--", sys.executable, "-c", flood]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        size = len(process.stdout.read(1))
        assert process.poll() is None  # most of the output is still unread
        while data := process.stdout.read(1 << 16):
            size += len(data)
    assert size == 300 * 100_000


def test_a_killed_wrap_ends_the_input_of_the_agent_and_its_recording(tmp_path: Path) -> None:
    log, ended = tmp_path / "acp.log", tmp_path / "ended"
    os.mkfifo(ended)
    command = [
        *preloaded.acpgen(),
        "wrap",
        "--log",
        str(log),
        "--",
        "sh",
        "-c",
        f"cat; echo end > {ended}",
    ]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"{}\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"{}\n"
        process.kill()
        assert ended.read_text() == "end\n"  # waits until the agent writes to the pipe
    last = next(each for each in tail(log) if each.event == "ended")
    assert last.about["exit"] is None


@pytest.mark.parametrize("log", ["/dev/full", "/dev/null/acp.log"])
def test_a_log_that_cannot_be_written_is_a_warning(log: str) -> None:
    done = wrap("--log", log, "--", "cat", data=b"{}\n" * 3)
    assert (done.returncode, done.stdout) == (0, b"{}\n" * 3)
    assert done.stderr.count(b"acpgen wrap: cannot record to ") == 1
    assert b"acpgen wrap: 6 lines (18 bytes) were not recorded\n" in done.stderr


def test_a_recording_is_complete_after_a_burst(tmp_path: Path) -> None:
    log, update = tmp_path / "acp.log", {**CHUNK, "content": {"type": "text", "text": "y"}}
    message = line(tell("session/update", sessionId="s", update=update))
    burst = f"import os\nfor _ in range(400): os.write(1, {message!r} * 100)"
    command = [*preloaded.acpgen(), "wrap", "--log", str(log), "--", sys.executable, "-c", burst]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.read() == message * 40_000
    entries = recorded(log)
    assert sum("message" in each for each in entries) == 40_000
    assert any(each.get("event") == "unchecked" for each in entries)
    assert entries[-1]["exit"] == 0


def test_missing_lines_are_counted_if_recording_fails(tmp_path: Path) -> None:
    # Start a new interpreter, so that the monitor is a direct child of the started process.
    acpgen = [sys.executable, "-m", "acpgen"]
    command = [*acpgen, "wrap", "--log", str(tmp_path / "acp.log"), "--", "cat"]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"{}\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"{}\n"
        listed = subprocess.check_output(["ps", "-A", "-o", "pid=,ppid=,args="], text=True)
        [monitor] = [
            int(pid)
            for pid, parent, args in (each.split(None, 2) for each in listed.splitlines())
            if parent == str(process.pid) and "acpwire.wrap.monitor" in args
        ]
        os.kill(monitor, signal.SIGKILL)
        process.stdin.write(b"{}\n" * 5)
        output, errors = process.communicate(timeout=PATIENCE)
    assert output == b"{}\n" * 5
    assert b"acpgen wrap: recording and checking failed; messages are still forwarded" in errors
    found = re.search(rb"about (\d+) lines \((\d+) bytes\) were not recorded or", errors)
    assert found is not None
    lines, size = map(int, found.groups())
    assert (10 <= lines <= 12, size) == (True, 3 * lines)


def test_quiet_problems_are_only_recorded(tmp_path: Path) -> None:
    log = tmp_path / "acp.log"
    done = wrap("--quiet", "--log", str(log), "--", "cat", data=line(*VIOLATIONS))
    assert done.stderr == b""
    assert sum(each.get("event") == "problem" for each in recorded(log)) > 3
    assert wrap("-q", "--log", "/dev/full", "--", "cat", data=b"{}\n").stderr.count(b"\n") == 2


def test_an_agent_that_cannot_be_started_is_a_problem() -> None:
    done = wrap("--", "/no/agent")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error[io]: /no/agent: cannot be started (No such file")
