"""Tests of the editor and the agent with tools, in all combinations of protocol versions."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.examples.driving import HERE, Program, command_of, editor, lines, running
from tests.package.aio.processes import is_running, wait_until_ended
from tests.support.paths import EXAMPLES

# An agent program, for one or both protocol versions, that runs the code `turn` in each turn.
SCRIPTED = """
import asyncio, os, sys
sys.path.insert(0, {here!r})
import agent_with_tools
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import serve_stdio

use_tools, show_plan = agent_with_tools.work, agent_with_tools.show_plan
agents = [agent_with_tools.AgentV1, agent_with_tools.AgentV2]

async def work(session, prompt):
    {turn}

agent_with_tools.work = work
asyncio.run(serve_stdio(*agents{versions}, bridge=True))
"""
# The protocol versions of the editor and the agent, with 0 for an agent that supports both.
PAIRINGS = {"v1": (1, 0), "v2": (2, 0), "v1, agent v2": (1, 2), "v2, agent v1": (2, 1)}


@dataclass
class Editing:
    """Settings for running the editor: its protocol version, its folder, and the agent."""

    version: int
    folder: Path
    agent: int = 0  # the agent's only protocol version, or 0 if it supports both

    @contextmanager
    def running(self, *arguments: str) -> Generator[Program]:
        """Run the editor with the given arguments. By default, it runs the agent with tools."""
        command = editor(*(arguments or self.scripted()), protocol=self.version)
        with running(command, self.folder) as program:
            yield program

    def talk(self, *typed: str, arguments: tuple[str, ...] = (), status: int = 0) -> list[str]:
        """Run the editor, type lines, and return the printed lines."""
        with self.running(*arguments) as program:
            program.type(*typed)
            assert program.end() == status, program.output
            return lines(program.output)

    def scripted(self, turn: str = "await use_tools(session, prompt)") -> tuple[str, ...]:
        """Write an agent that runs the given Python code in each turn, and return its command.

        An agent that supports only protocol 2 uses its built-in bridge. An agent that supports only
        protocol 1 runs behind `acpgen bridge`.
        """
        path = self.folder.parent / "scripted.py"
        body = turn.strip("\n").replace("\n", "\n    ")
        versions = f"[{self.agent - 1}:{self.agent}]" if self.agent else ""
        text = SCRIPTED.format(here=str(HERE), turn=body, versions=versions)
        path.write_text(text, "utf-8")
        is_before = self.agent == 1
        bridge = [sys.executable, "-m", "acpgen", "bridge", "--speak", "2", "--"] * is_before
        return (*bridge, *command_of(path))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    (path / "notes.txt").write_text("one\ntwo\n", "utf-8")
    return path


@pytest.fixture(params=PAIRINGS.values(), ids=PAIRINGS)
def editing(request: pytest.FixtureRequest, folder: Path) -> Editing:
    version, agent = request.param
    return Editing(version, folder, agent)


@pytest.fixture(params=[1, 2], ids=["v1", "v2"])
def unbridged(request: pytest.FixtureRequest, folder: Path) -> Editing:
    """The editor without a bridge, for tests that a bridge doesn't affect."""
    return Editing(request.param, folder)


SHOWN = """
Steps to take: 3
▶ list
○ read notes.txt
○ write notes.txt three
✓ List files [completed]
Files: 1
✓ list
▶ read notes.txt
✓ Read notes.txt [completed]
Lines: 2
-one
-two
+three
May I? Write notes.txt
  1  Allow
  2  Always allow
  3  Reject
? 1
✓ Write notes.txt [completed]
Wrote notes.txt.
✓ write notes.txt three
[end_turn, 51 of 10000 tokens]
> run echo $((6 * 7)); exit 3
May I? echo $((6 * 7)); exit 3
42
✗ echo $((6 * 7)); exit 3 [failed]
That failed: [exit status 3]
[end_turn, 27 of 10000 tokens]
"""


def test_tools_run_and_are_shown(editing: Editing) -> None:
    asked = "list then read notes.txt then write notes.txt three"
    printed = editing.talk(asked, "1", "run echo $((6 * 7)); exit 3", "1")
    in_order = iter(printed)
    for line in SHOWN.strip("\n").splitlines():
        assert line in in_order, f"{line!r} is missing in:\n" + "\n".join(printed)
    assert printed.count("42") == 1
    assert {"notes.txt", "one", "two"} <= set(printed)
    assert (editing.folder / "notes.txt").read_text("utf-8") == "three\n"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (
            ["write new.txt text", "what?", "9", "3", "list"],
            [
                "May I? Write new.txt",
                "✗ Write new.txt [failed]",
                "That failed: the user refused this",
            ],
        ),
        (["write new.txt text"], ["May I? Write new.txt", "✗ Write new.txt [failed]"]),
        (["read ../secret.txt"], ["✗ Read ../secret.txt [failed]"]),
        (
            ["read gone.txt then read notes.txt"],
            ["✗ Read gone.txt [failed]", "✓ Read notes.txt [completed]"],
        ),
    ],
    ids=["rejected", "end of the input", "outside of the folder", "no file"],
)
def test_what_is_not_allowed_does_not_happen(
    typed: list[str], expected: list[str], unbridged: Editing
) -> None:
    (unbridged.folder.parent / "secret.txt").write_text("secret", "utf-8")
    printed = unbridged.talk(*typed)
    assert [printed.count(line) for line in expected] == [1] * len(expected)
    assert ("✓ List files [completed]" in printed) is ("list" in typed)
    assert "secret" not in printed
    assert not (unbridged.folder / "new.txt").exists()


def test_always_is_remembered_for_the_kind_of_tool(unbridged: Editing) -> None:
    printed = unbridged.talk("write a.txt 1", "2", "write b.txt 2", "run echo 3", "1")
    asked = [line for line in printed if line.startswith("May I?")]
    assert asked == ["May I? Write a.txt", "May I? echo 3"]
    assert (unbridged.folder / "b.txt").read_text("utf-8") == "2\n"


def test_cancelling_ends_the_command(editing: Editing) -> None:
    with editing.running() as program:
        program.type("run echo pid $$; exec sleep 1000", "1")
        program.wait_for("? 1")
        pid = int(program.wait_for_line("\npid "))
        assert is_running(pid)
        program.interrupt()
        program.wait_for("[cancelled]\n> ")
        assert not is_running(pid)
        program.type("list")
        program.wait_for("✓ List files [completed]")
        assert program.end() == 0
    status = "failed" if 1 in (editing.version, editing.agent) else "cancelled"
    assert f"✗ echo pid $$; exec sleep 1000 [{status}]" in lines(program.output)


LEAVES_CALL = "await session.tool_call(tool_call_id='t', title='Look', status='in_progress')"


def test_a_call_that_the_agent_leaves_is_drawn_as_left(editing: Editing) -> None:
    printed = editing.talk("work", "work", arguments=editing.scripted(LEAVES_CALL))
    shown = [line for line in printed if "Look" in line]
    assert shown[-1] == "■ Look [in_progress]"
    assert set(shown[:-1]) <= {"▶ Look [in_progress]", "■ Look [in_progress]"}


# Shell commands that start another program. `WAITS` waits for it, and `LEAVES` doesn't.
WAITS = "run sleep 1000 & echo pid $!; wait"
LEAVES = "run sleep 1000 > /dev/null 2>&1 & echo pid $!"


@pytest.mark.parametrize("command", [WAITS, LEAVES], ids=["cancelled", "over"])
def test_what_a_command_has_started_ends_with_it(command: str, unbridged: Editing) -> None:
    with unbridged.running() as program:
        program.type(command, "1")
        pid = int(program.wait_for_line("\npid "))
        if command == WAITS:
            program.interrupt()
        program.wait_for("[cancelled]\n> " if command == WAITS else "[exit status 0]")
        wait_until_ended([pid])
        assert program.end() == 0


def test_what_a_command_has_started_ends_with_the_connection(folder: Path) -> None:
    programs = [HERE / "editor.py", sys.executable, HERE / "agent_with_tools.py"]
    with running([sys.executable, *map(str, programs)], folder) as program:
        program.type(WAITS, "1")
        pid = int(program.wait_for_line("\npid "))
    wait_until_ended([pid])  # exits because the editor was killed


def test_cancelling_takes_a_question_back(editing: Editing) -> None:
    with editing.running() as program:
        program.type("write new.txt text")
        program.wait_for("\n? ")
        program.interrupt()
        program.wait_for("[cancelled]\n> ")
        program.type("read notes.txt")  # a new prompt, not the answer to the question
        program.wait_for("✓ Read notes.txt [completed]")
        assert program.end() == 0
    assert not (editing.folder / "new.txt").exists()


def test_ctrl_c_leaves_if_nothing_is_left_to_cancel(unbridged: Editing) -> None:
    with unbridged.running() as program:
        program.wait_for("\n> ")
        program.interrupt()
        assert program.end() == 130


DOES_NOT_STOP = """
try:
    await session.say(f'Working')
    await show_plan(session, [], 0)
    await session.usage(used=1, size=2)
    await show_plan(session, ['', 'work'], 0)
    await asyncio.Event().wait()
finally:
    await show_plan(session, ['', 'stop'], 0)
    await asyncio.Event().wait()
"""


def test_ctrl_c_twice_leaves_an_agent_that_does_not_stop(unbridged: Editing) -> None:
    with unbridged.running(*unbridged.scripted(DOES_NOT_STOP)) as program:
        program.type("work")
        program.wait_for("○ work")
        program.interrupt()
        program.wait_for("○ stop")
        program.interrupt()
        assert program.end() == 130


def test_a_session_is_loaded_by_another_process(editing: Editing) -> None:
    with editing.running() as program:
        session_id = program.wait_for_line("Session ")
        program.type("write new.txt text", "1", "run echo done", "1")
        assert program.end() == 0
    printed = editing.talk("list", arguments=("--load", session_id, *editing.scripted()))
    before = printed[: printed.index(f"Session {session_id}")]
    shown = ["write new.txt text", "+text", "✓ Write new.txt [completed]", "Wrote new.txt."]
    shown += ["run echo done", "done", "✓ echo done [completed]", "[exit status 0]"]
    assert [before.count(line) for line in shown] == [1] * len(shown), before
    assert "✓ List files [completed]" in printed[len(before) :]


@pytest.mark.parametrize("session_id", ["unknown", "../work/notes"])
def test_an_unknown_session_cannot_be_loaded(session_id: str, unbridged: Editing) -> None:
    printed = unbridged.talk(arguments=("--load", session_id, *unbridged.scripted()), status=1)
    assert "The agent failed: the session is not saved" in printed[-1]
    assert "(-32002)" in printed[-1]


CRASH = """
await session.say('So far so good')
print('out of memory', file=sys.stderr, flush=True)
os._exit(7)
"""


def test_a_crash_is_told(editing: Editing) -> None:
    printed = editing.talk("work", arguments=editing.scripted(CRASH), status=1)
    assert "So far so good" in printed
    assert any(line.startswith("The agent failed: ") for line in printed)
    assert "the agent exited with status 7" in "\n".join(printed)
    assert "    'out of memory'" in printed


def test_an_agent_that_does_not_exist_is_told(unbridged: Editing) -> None:
    [told] = unbridged.talk(arguments=("missing-agent",), status=1)
    start = "The agent failed: agent 'missing-agent' does not start: no such program in PATH ("
    assert told.startswith(start)
    assert told.endswith("); install it or pass its path")


def test_a_turn_that_fails_is_told(editing: Editing) -> None:
    agent = editing.scripted("raise RequestError.internal_error(message='no tokens left')")
    printed = editing.talk("work", arguments=agent, status=1)
    [told] = [line for line in printed if line.startswith("The turn failed: ")]
    assert "no tokens left" in told


CONTROL = """
await session.say('a\\x1b[2Jb\\x07')
await session.think('c\\x1b]0;title\\x07')
"""


def test_text_cannot_control_the_terminal(unbridged: Editing) -> None:
    printed = unbridged.talk("work", arguments=unbridged.scripted(CONTROL))
    assert "ab" in printed
    assert not set("\x1b\x07") & set("".join(printed))


OUTSIDE = """
path = os.path.join(session.cwd, {name!r})
reading = session.fs_read_text_file(path=path)
for call in (reading, session.fs_write_text_file(path=path, content='mine')):
    try:
        await call
    except RequestError as error:
        await session.say(f'{{error.code}}\\n\\n')
"""


@pytest.mark.parametrize("name", ["../secret.txt", "/etc/hostname", "link.txt"])
def test_files_outside_of_the_folder_are_out_of_reach(name: str, folder: Path) -> None:
    secret = folder.parent / "secret.txt"
    secret.write_text("secret", "utf-8")
    (folder / "link.txt").symlink_to(secret)
    editing = Editing(1, folder)
    printed = editing.talk("work", arguments=editing.scripted(OUTSIDE.format(name=name)))
    assert printed.count("-32602") == 2
    assert secret.read_text("utf-8") == "secret"


@pytest.mark.parametrize("name", ["agent_v2.py", "agent.py"])
def test_the_editor_takes_the_version_of_the_agent(name: str, folder: Path) -> None:
    agent = (sys.executable, str(EXAMPLES / name))
    printed = Editing(2, folder).talk("Hello, *agent*!", arguments=agent)
    assert printed.count("Hello, agent!") == 1  # not shown again as the user's message
    assert "[end_turn]" in printed


# An agent that repeats the requested protocol version but implements protocol 1.
REPEATING = """
import json, sys
def answer(id_, **result):
    print(json.dumps({"jsonrpc": "2.0", "id": id_, "result": result}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    method, params = message["method"], message["params"]
    if method == "initialize":
        answer(message["id"], protocolVersion=params["protocolVersion"], agentCapabilities={})
    elif method == "session/new":
        answer(message["id"], sessionId="s")
    else:
        chunk = {"sessionUpdate": "agent_message_chunk", "content": params["prompt"][0]}
        told = {"method": "session/update", "params": {"sessionId": "s", "update": chunk}}
        print(json.dumps({"jsonrpc": "2.0", **told}), flush=True)
        answer(message["id"], stopReason="end_turn")
"""


def test_the_editor_talks_with_an_agent_that_repeats_the_version(unbridged: Editing) -> None:
    printed = unbridged.talk("Hello!", arguments=(sys.executable, "-c", REPEATING))
    assert printed.count("Hello!") == 1
    assert "[end_turn]" in printed
