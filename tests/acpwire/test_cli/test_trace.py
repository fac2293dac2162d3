"""Tests of `acpgen trace`: its exit codes, and its output for valid and invalid sessions."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from acp_bindings.runtime.aio import log_to
from acp_bindings.testing import Client
from acpgen.cli.app import app
from acpgen.cli.output import terminal
from acpwire.recording.reading import line_of
from acpwire.recording.writing import Recording
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from typer.testing import CliRunner, Result

from tests.package.jsonrpc.wire import ask, batch, initialize, line, marked, tell
from tests.support.paths import EXAMPLES

INFO = {"name": "test", "version": "1"}
AGREED = (
    initialize(2),
    {
        "id": 0,
        "result": {"protocolVersion": 2, "info": INFO, "capabilities": {"session": {"fork": {}}}},
    },
)
WRONG = tell(
    "session/update",
    sessionId="s",
    update={"sessionUpdate": "tool_call_update", "toolCallId": "t", "title": 4},
)
PROBLEM = (
    "problem at 3#/params/update/title: expected string or null, found integer: 4 (valid-params)"
)


@pytest.fixture(scope="module", autouse=True)
def _as_in_a_pipe() -> Iterator[None]:
    """Disable folding, even if the environment sets a terminal width."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terminal, "FOLDS", False)
        yield


def run(*arguments: str, lines: bytes | None = None) -> Result:
    return CliRunner().invoke(app, ["trace", *arguments], input=lines)


async def converse(version: int, log: Path) -> None:
    """Send a prompt to the README's agent and record the session."""
    command = [sys.executable, str(EXAMPLES / "agent.py")]
    with log.open("w", encoding="utf-8") as file:
        client = Client(command, version=version, timeout=60, observe=log_to(file))
        async with client:
            await client.prompt("Hello, agent!")


@pytest.fixture(scope="module", params=[1, 2])
def log(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recording of a session with the README's agent, for each protocol version."""
    path = tmp_path_factory.mktemp("logs") / f"v{request.param}.log"
    asyncio.run(converse(request.param, path))
    return path


# --- real sessions -----------------------------------------------------------------------------


def test_a_real_conversation_has_no_problems(log: Path) -> None:
    result = run(str(log))
    assert result.exit_code == 0, result.output
    shown = result.stdout.splitlines()
    version = log.stem[1:]
    assert shown[0].startswith(
        f"   0.000  client → agent  initialize #1  protocolVersion={version}"
    )
    assert re.search(
        rf"\d\.\d{{3}}  agent → client  result of initialize #1 after \d+(\.\d)? m?s  "
        rf"protocolVersion={version}",
        shown[1],
    )
    [said] = [each for each in shown if "agent_message_chunk" in each]
    assert 'text="Hello, agent!"' in said
    assert said.split("  ")[-2] == "session/update"
    assert "stopReason=end_turn" in result.stdout
    assert shown[-1].endswith("messages, 3 requests, 0 unanswered, 0 problems")
    assert "note:" not in result.stdout


def test_a_real_conversation_as_json(log: Path) -> None:
    result = run(str(log), "--json")
    assert result.exit_code == 0
    shown = json.loads(result.stdout)
    assert list(shown) == ["entries", "messages", "requests", "unanswered", "problems"]
    assert shown["messages"] == len(shown["entries"]) == len(log.read_text().splitlines())
    first, second = shown["entries"][:2]
    assert first["time"] < second["time"]
    assert second["seconds"] == second["time"] - first["time"]
    assert {key: value for key, value in second.items() if "time" != key != "seconds"} == {
        "line": 2,
        "direction": "received",
        "from": "agent",
        "to": "client",
        "version": int(log.stem.removeprefix("v")),
        "kind": "response",
        "method": "initialize",
        "id": 1,
        "request": 1,
        "surface": log.stem,
        "error": None,
        "problems": [],
        "notes": [],
    }


def test_the_bare_messages_of_a_log_say_the_same(log: Path) -> None:
    entries = map(json.loads, log.read_text("utf-8").splitlines())
    messages = "".join(json.dumps(entry["message"]) + "\n" for entry in entries)
    logged = json.loads(run(str(log), "--json").stdout)["entries"]
    bare = json.loads(run("-", "--json", lines=messages.encode()).stdout)["entries"]
    kept = ("line", "from", "to", "kind", "method", "id", "request", "surface", "problems", "notes")
    assert [[each[key] for key in kept] for each in bare] == [
        [each[key] for key in kept] for each in logged
    ]


def printed(*arguments: str, lines: bytes = b"", **variables: str) -> str:
    """Run `acpgen trace` without inherited width and color settings, and return its output."""
    deciding = ("COLUMNS", "FORCE_COLOR", "NO_COLOR")
    kept = {name: value for name, value in os.environ.items() if name not in deciding}
    done = subprocess.run(
        [sys.executable, "-m", "acpgen", "trace", *arguments],
        env={**kept, "PYTHONUTF8": "1", **variables},
        input=lines,
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


@pytest.mark.parametrize("width", [80, 1])
def test_lines_are_folded_to_the_width_of_a_terminal(
    width: int, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = run(str(log)).stdout
    with monkeypatch.context() as patch:
        patch.setattr(terminal, "FOLDS", True)
        patch.setattr(terminal, "out", Console(width=width))
        folded = run(str(log)).stdout
    lines = folded.splitlines()
    if width == 80:
        assert max(map(cell_len, lines)) <= width
        assert all(each == each.rstrip() for each in lines)
        assert len(lines) > len(log.read_text("utf-8").splitlines()) + 1
    # Folding must not remove or change any words.
    assert "".join(folded.split()) == "".join(plain.split())


def test_a_pipe_gets_a_line_for_each_message_without_colours() -> None:
    long = {"sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "word " * 50}
    calls = [
        tell("session/update", sessionId="s", update={**long, "_meta": {f"x{n}": "y " * 60}})
        for n in range(3)
    ]
    shown = printed("-", lines=line(*AGREED, *calls), COLUMNS="80")
    assert len(shown.splitlines()) == 2 + 3 + 1
    assert "\x1b" not in shown


def test_a_terminal_gets_colours(log: Path) -> None:
    shown = printed(str(log), FORCE_COLOR="1", TERM="xterm")
    assert "\x1b[36mclient" in shown
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown).startswith("   0.000  client → agent")


# --- while it is recorded ------------------------------------------------------------------------


def test_a_recording_is_followed_to_the_end_of_the_conversation(tmp_path: Path) -> None:
    path = tmp_path / "acp.log"
    path.write_text(
        '{"time": 1.0, "event": "started", "command": ["agent"], "side": "client"}\n'
        + "".join(
            json.dumps({"time": 1.0, "direction": direction, "message": marked(message)}) + "\n"
            for direction, message in zip(("sent", "received"), AGREED, strict=True)
        )
        + json.dumps({"time": 2.0, "direction": "received", "message": marked(WRONG)})
        + '\n{"time": 3.0, "event": "ended", "exit": 3}\nnot reached\n'
    )
    result = run("--follow", str(path))
    assert result.exit_code == 1
    shown = result.stdout.splitlines()
    assert shown[0] == "   0.000  the recording begins: agent"
    assert PROBLEM.replace("3#", "4#") in result.stdout
    assert shown[-2] == "   2.000  the recording ends: exit code 3"
    assert shown[-1].startswith("3 messages, 1 request, 0 unanswered, ")
    lines = [json.loads(each) for each in run("-f", str(path), "--json").stdout.splitlines()]
    assert [each["kind"] for each in lines] == [
        *("event", "request", "response", "notification", "event"),
    ]


def test_a_file_of_a_rotated_recording_is_read_by_itself(tmp_path: Path) -> None:
    recording = Recording(tmp_path / "acp.log", 1_000, 9, pytest.fail)
    messages = [*AGREED, *(ask(number, "session/list") for number in range(1, 9))]
    messages += [{"id": number, "result": {"sessions": []}} for number in range(1, 9)]
    for number, message in enumerate(messages):
        direction: Literal["sent", "received"] = "received" if "result" in message else "sent"
        content = line(message).strip()
        read = line_of(0, content, 1e9 + number, direction)
        recording.message(read, content, repeats=number < 2)
    recording.close()
    first, *others = sorted(tmp_path.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    assert len(others) > 2
    for path in (first, *others):
        result = run(str(path))
        assert result.exit_code == 0, result.output
        times = [float(each) for each in re.findall(r"^ *(\S+\.\d{3})  ", result.stdout, re.M)]
        assert times == sorted(times)
        assert times[0] == 0
        entries = json.loads(run(str(path), "--json").stdout)["entries"]
        assert {each["surface"] for each in entries if each["method"]} <= {"v2", None}
        assert all(each["version"] == 2 for each in entries if each["kind"] == "response")
    assert "responds to an unknown request" in result.stdout


def test_one_message_is_counted_in_digits() -> None:
    message = line(tell("_a"))
    assert run("-", lines=message).stdout.endswith(
        "\n1 message, 0 requests, 0 unanswered, 0 problems\n"
    )
    shown = json.loads(run("-", "--json", lines=message).stdout)
    assert (type(shown["messages"]), type(shown["requests"])) == (int, int)


# --- problems ----------------------------------------------------------------------------------


def test_a_violation_is_shown_below_its_message() -> None:
    result = run("-", lines=line(*AGREED, WRONG))
    assert result.exit_code == 1
    assert result.stdout.splitlines()[2:] == [
        "agent → client  session/update  sessionId=s tool_call_update toolCallId=t title=4",
        f"  {PROBLEM}",
        "3 messages, 1 request, 0 unanswered, 1 problem",
    ]
    shown = json.loads(run("-", "--json", lines=line(*AGREED, WRONG)).stdout)
    assert (shown["problems"], shown["unanswered"]) == (1, 0)
    [problem] = shown["entries"][2]["problems"]
    text = f"problem at 3#{problem['pointer']}: {problem['message']} ({problem['requirement']})"
    assert text == PROBLEM


def test_what_needs_no_correction_does_not_change_the_exit_code() -> None:
    failure = {"id": 1, "error": {"code": -32603, "message": "out of luck"}}
    fork = ask(3, "session/fork", sessionId="s", cwd="/")
    calls = (ask(1, "session/list"), failure, ask(2, "session/list"), tell("_acme/x"), fork)
    result = run("-", lines=line(*AGREED, *calls))
    assert result.exit_code == 0, result.output
    assert '  error of session/list #1  -32603 "out of luck"\n' in result.stdout
    assert "client → agent  session/list #2\n  note: has no response\n" in result.stdout
    assert "? → ?  _acme/x\n" in result.stdout
    assert "session/fork #3 (unstable)  " in result.stdout
    assert result.stdout.endswith("7 messages, 4 requests, 2 unanswered, 0 problems\n")
    error = json.loads(run("-", "--json", lines=line(*AGREED, *calls)).stdout)["entries"][3][
        "error"
    ]
    assert error == {"code": -32603, "message": "out of luck"}


def test_a_surface_may_be_chosen() -> None:
    fork = ask(3, "session/fork", sessionId="s", cwd="/")
    assert run("-", "--surface", "v2", lines=line(*AGREED, fork)).exit_code == 1
    assert run("-", "--surface", "v2_unstable", lines=line(*AGREED, fork)).exit_code == 0
    assert run("-", "--surface", "v3", lines=line(*AGREED, fork)).exit_code == 2


def test_a_log_that_is_cut_off_is_shown_as_far_as_it_goes() -> None:
    result = run("-", lines=line(*AGREED)[:-20])
    assert result.exit_code == 1
    assert "? → ?  unreadable  {" in result.stdout
    assert "the last line, possibly truncated (json-lines)\n" in result.stdout
    assert result.stdout.endswith("1 message, 1 request, 1 unanswered, 1 problem\n")


def test_of_many_problems_in_a_message_some_are_shown() -> None:
    commands = [{"name": number, "description": ""} for number in range(20)]
    update = {"sessionUpdate": "available_commands_update", "availableCommands": commands}
    result = run("-", lines=line(*AGREED, tell("session/update", sessionId="s", update=update)))
    assert result.exit_code == 1
    assert result.stdout.count("  problem at 3#/params/update/availableCommands/") == 8
    assert "\n  12 more problems on line 3\n" in result.stdout


def test_times_are_counted_from_the_first() -> None:
    entries = [
        {"time": 1e9, "direction": "sent", "message": marked(AGREED[0])},
        {"time": 1e9 + 61.5, "direction": "received", "message": marked(AGREED[1])},
        {"direction": "received", "line": "Hello\x1b[2J"},
    ]
    data = "".join(json.dumps(entry) + "\n" for entry in entries)
    result = run("-", lines=data.encode())
    assert result.exit_code == 1
    shown = result.stdout.splitlines()
    assert shown[1].startswith("  61.500  agent → client  result of initialize #0 after 61.5 s  ")
    assert shown[2] == " " * 10 + "agent → client  unreadable  Hello\\x1b[2J"
    assert shown[3] == " " * 10 + "problem at 3: not JSON: no value at character 0 (json-lines)"


def test_chunks_are_shown_as_one_line() -> None:
    chunks = [
        tell(
            "session/update",
            sessionId="s",
            update={
                "sessionUpdate": "agent_message_chunk",
                "messageId": "m",
                "content": {"type": "text", "text": text},
            },
        )
        for text in ("Once ", "upon ", "a time")
    ]
    lines = line(*AGREED, *chunks)
    [shown] = [each for each in run("-", lines=lines).stdout.splitlines() if "chunk" in each]
    assert shown == (
        "agent → client  session/update 3 times  sessionId=s agent_message_chunk messageId=m"
        ' text="Once upon a time"'
    )
    assert len(json.loads(run("-", "--json", lines=lines).stdout)["entries"]) == 5


# --- unusable input ----------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b"\n \n", b"Hello\n", b"\x00\xff\n" * 5, b'{"a": 1}\n3\n[]'])
def test_a_file_without_messages_is_an_error(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "some.log"
    path.write_bytes(data)
    result = run(str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.fullmatch(
        r"error\[no-messages\]: .*some\.log: contains no message; .*\n", result.stderr
    )
    result = run(str(path), "--json")
    assert result.exit_code == 2
    [problem] = json.loads(result.stdout)["problems"]
    assert problem["code"] == "no-messages"


def test_a_log_of_nothing_but_noise_is_shown() -> None:
    entry = {"time": 1.0, "direction": "received", "line": "ImportError: no module"}
    result = run("-", lines=json.dumps(entry).encode())
    assert result.exit_code == 1
    assert "? received  unreadable  ImportError: no module\n" in result.stdout


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.log", tmp_path):
        result = run(str(path))
        assert result.exit_code == 2
        assert result.stderr.startswith("error[io]: ")
    assert run().exit_code == run("").exit_code == 2


def test_without_the_generated_package_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.startswith("acpwire.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "acp_bindings.runtime.values", None)
    result = run("-", lines=line(*AGREED))
    assert result.exit_code == 2
    assert result.stderr.startswith("error[missing-package]: acp_bindings: cannot be imported (")
    install = "`pip install '.[wire]'` in a checkout, or `pip install 'acp-bindings[wire]'`"
    assert result.stderr.endswith(f"; run {install}\n")
    assert result.stderr.count("\n") == 1


STARTING = """
import json, sys
from acpgen.cli import app
print(json.dumps(sorted(sys.modules)))
from acpwire.trace import following as trace
trace.trace([b'{"jsonrpc": "2.0", "method": "_a"}'], "-")
print(json.dumps(sorted(sys.modules)))
"""


def test_the_generated_package_is_imported_late_and_nothing_that_generates() -> None:
    command = [sys.executable, "-c", STARTING]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    first, second = (set(json.loads(each)) for each in done.stdout.splitlines())
    assert "acp_bindings" not in first
    assert "acp_bindings.runtime.values.jsontext" in second
    heavy = {"black", "datamodel_code_generator", "isort", "jinja2", "jsonschema", "asyncio"}
    assert not heavy & second
    assert not {name for name in second if name.startswith(("acpgen.analysis", "acpgen.emit"))}


# --- hostile input -----------------------------------------------------------------------------

JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda each: st.lists(each, max_size=3)
    | st.dictionaries(st.text(max_size=4), each, max_size=3),
    max_leaves=6,
)
METHODS = st.sampled_from(
    [
        "initialize",
        "session/update",
        "session/prompt",
        "session/request_permission",
        "session/fork",
        "mcp/message",
        "proxy/successor",
        "$/cancel_request",
        "_x",
        "\x1b[31m\u202e",
    ]
)
IDS = st.sampled_from([0, 1, "1", 1.0, None]) | JUNK
PARAMS = (
    st.fixed_dictionaries({"protocolVersion": st.integers(-1, 3)})
    | st.fixed_dictionaries({"sessionId": JUNK, "update": JUNK})
    | JUNK
)
ERROR = st.fixed_dictionaries({"code": IDS, "message": JUNK}) | JUNK
MESSAGES = (
    st.fixed_dictionaries({"method": METHODS}, optional={"id": IDS, "params": PARAMS})
    | st.fixed_dictionaries({"id": IDS}, optional={"result": PARAMS, "error": ERROR})
    | JUNK
)
ENTRIES = st.fixed_dictionaries(
    {"direction": st.sampled_from(["sent", "received", "?"])},
    optional={"time": JUNK | st.floats(0, 1e12), "message": MESSAGES.map(marked), "line": JUNK},
)
LINES = (
    MESSAGES.map(line)
    | st.lists(MESSAGES, max_size=3).map(lambda messages: batch(*messages))
    | ENTRIES.map(lambda entry: json.dumps(entry).encode() + b"\n")
    | st.binary(max_size=20)
)


@given(st.lists(LINES, max_size=8), st.sampled_from([[], ["--json"], ["--surface", "v1"]]))
def test_whatever_the_lines_hold_they_are_shown_or_refused(
    lines: list[bytes], options: list[str]
) -> None:
    result = run("-", *options, lines=b"".join(lines))
    assert result.exit_code in (0, 1, 2)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    # Control characters in the output are escaped.
    assert all(each.isprintable() for each in result.stdout.split("\n"))
    if result.exit_code == 2:
        assert "no-messages" in result.output
    elif "--json" in options:
        shown = json.loads(result.stdout)
        found = sum(len(entry["problems"]) for entry in shown["entries"])
        assert found == shown["problems"]
        assert result.exit_code == (1 if found else 0)
    else:
        last = result.stdout.splitlines()[-1]
        assert result.exit_code == (0 if last.endswith(" 0 problems") else 1)


@pytest.mark.parametrize(
    "text",
    [
        b'{"jsonrpc": "2.0", "method": "_a", "params": ' + b"[" * 500 + b"]" * 500 + b"}",
        b'{"jsonrpc": "2.0", "method": "_a", "params": ' + b"[" * 9000 + b"]" * 9000 + b"}",
        b'{"jsonrpc": "2.0", "method": "' + b"a" * 1_000_000 + b'"}',
        b'{"jsonrpc": "2.0", "method": "session/update", "params": {"' + b"a/" * 99_999 + b'": 1}}',
        b'{"jsonrpc": "2.0", "id": ' + b"1" * 4000 + b', "method": "_a"}',
        b'{"jsonrpc": "2.0", "id": ' + b"1" * 5000 + b', "method": "_a"}',
        b'{"jsonrpc": "2.0", "method": "_a", "params": NaN}',
        b'{"jsonrpc": "2.0", "method": "\\ud800"}',
        b"\x00" * 100_000,
    ],
    ids=range(9),
)
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_large_and_deep_lines_are_shown(text: bytes, options: list[str]) -> None:
    result = run("-", *options, lines=line(*AGREED) + text)
    assert result.exit_code in (0, 1), result.output
    assert isinstance(result.exception, SystemExit) or result.exception is None
    if not options:
        assert len(result.stdout) < 3000


HALF = "\ud83d"


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_halves_of_surrogate_pairs_are_shown_as_escapes(options: list[str]) -> None:
    update = {"sessionUpdate": "tool_call_update", "toolCallId": HALF, "rawOutput": {HALF: HALF}}
    messages: list[Any] = [
        *(ask(HALF, f"_{HALF}", a=HALF), {"id": HALF, "result": {HALF: HALF}}),
        {"id": HALF, "error": {"code": HALF, "message": HALF, "data": HALF}},
        {"method": "session/update", "params": {"sessionId": HALF, "update": update}},
        {"method": "session/update", "params": {"sessionId": HALF, "update": {HALF: HALF}}},
        {"id": HALF, "method": 5, HALF: HALF},
    ]
    entries = [
        {"time": 1, "direction": "received", "line": f"Loading...{HALF}"},
        HALF,
        {HALF: HALF},
    ]
    lines = line(*AGREED, *messages) + b"".join(f"{json.dumps(e)}\n".encode() for e in entries)
    result = run("-", *options, lines=lines)
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit)
    assert "\\ud83d" in result.stdout
    assert result.stdout.encode()
    if options:
        assert json.loads(result.stdout)


def test_halves_of_a_character_are_shown_together() -> None:
    chunks = [
        {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": text}
        for text in ({"type": "text", "text": HALF}, {"type": "text", "text": "\ude00"})
    ]
    updates = [
        {"method": "session/update", "params": {"sessionId": "s", "update": each}}
        for each in chunks
    ]
    assert "😀" in run("-", lines=line(*AGREED, *updates)).stdout


def test_many_requests_may_have_one_id() -> None:
    calls = [ask(1, "_a")] * 3000 + [{"id": str(number), "result": 1} for number in range(3000)]
    result = run("-", "--json", lines=line(*AGREED, *calls))
    assert result.exit_code == 1
    assert json.loads(result.stdout)["messages"] == 6002
