"""The editor and the agent with tools, as programs, in both protocol versions."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from examples.driving import HERE, agent_with_tools, command_of, editor, lines, running
from package.jsonrpc.processes import is_running, wait_until_ended
from support.paths import EXAMPLES

each_version = pytest.mark.parametrize("version", [1, 2])
# Programs that hold an agent of both versions, whose turns are what a test needs.
SCRIPTED = """
import asyncio, os, sys
sys.path.insert(0, {here!r})
import agent_with_tools
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import serve_stdio

async def work(session, prompt):
{turn}

agent_with_tools.work = work
asyncio.run(serve_stdio(*agent_with_tools.AGENTS))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The working folder."""
    path = tmp_path / "work"
    path.mkdir()
    (path / "notes.txt").write_text("one\ntwo\n", "utf-8")
    return path


def scripted(folder: Path, *turn: str) -> list[str]:
    """The command of an agent whose turns are the given lines of Python."""
    path = folder.parent / "scripted.py"
    path.write_text(
        SCRIPTED.format(here=str(HERE), turn="\n".join(f"    {each}" for each in turn)), "utf-8"
    )
    return command_of(path)


def talk(folder: Path, command: list[str], *typed: str) -> tuple[list[str], int]:
    """Run a conversation. Return the printed lines and the exit status."""
    with running(command, folder) as program:
        program.type(*typed)
        status = program.end()
        return lines(program.output), status


@each_version
def test_tools_run_and_are_shown(version: int, folder: Path) -> None:
    printed, status = talk(
        folder,
        editor(*agent_with_tools(), protocol=version),
        "list then read notes.txt then write notes.txt three",
        "1",
        "run echo $((6 * 7)); exit 3",
        "1",
    )
    assert status == 0
    in_order = iter(printed)
    expected = [
        "Steps to take: 3",
        "▶ list",
        "○ read notes.txt",
        "○ write notes.txt three",
        "✓ List files [completed]",
        "Files: 1",
        "✓ list",
        "▶ read notes.txt",
        "✓ Read notes.txt [completed]",
        "Lines: 2",
        "-one",
        "-two",
        "+three",
        "May I? Write notes.txt",
        "  1  Allow",
        "  2  Always allow",
        "  3  Reject",
        "? 1",
        "✓ Write notes.txt [completed]",
        "Wrote notes.txt.",
        "✓ write notes.txt three",
        "[end_turn, 51 of 10000 tokens]",
        "> run echo $((6 * 7)); exit 3",
        "May I? echo $((6 * 7)); exit 3",
        "42",
        "✓ echo $((6 * 7)); exit 3 [completed]",
        "Exit status: 3",
        "[end_turn, 27 of 10000 tokens]",
    ]
    for line in expected:
        assert line in in_order, f"{line!r} is missing in:\n" + "\n".join(printed)
    assert printed.count("42") == 1
    assert {"notes.txt", "one", "two"} <= set(printed)
    assert (folder / "notes.txt").read_text("utf-8") == "three\n"


@each_version
def test_what_is_rejected_does_not_happen(version: int, folder: Path) -> None:
    printed, status = talk(
        folder,
        editor(*agent_with_tools(), protocol=version),
        "write new.txt text",
        "what?",
        "9",
        "3",
        "list",
    )
    assert status == 0
    assert "✗ Write new.txt [failed]" in printed
    assert "That failed: not allowed" in printed
    assert printed.count("May I? Write new.txt") == 1
    assert "✓ List files [completed]" in printed
    assert not (folder / "new.txt").exists()


@each_version
def test_the_end_of_the_input_allows_nothing(version: int, folder: Path) -> None:
    printed, status = talk(
        folder, editor(*agent_with_tools(), protocol=version), "write new.txt text"
    )
    assert status == 0
    assert "✗ Write new.txt [failed]" in printed
    assert not (folder / "new.txt").exists()


@each_version
def test_always_is_remembered_for_the_kind_of_tool(version: int, folder: Path) -> None:
    typed = ["write a.txt 1", "2", "write b.txt 2", "run echo 3", "1"]
    printed, _ = talk(folder, editor(*agent_with_tools(), protocol=version), *typed)
    asked = [line for line in printed if line.startswith("May I?")]
    assert asked == ["May I? Write a.txt", "May I? echo 3"]
    assert (folder / "b.txt").read_text("utf-8") == "2\n"


@each_version
def test_cancelling_ends_the_command(version: int, folder: Path) -> None:
    with running(editor(*agent_with_tools(), protocol=version), folder) as program:
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
    status = "failed" if version == 1 else "cancelled"
    assert f"✗ echo pid $$; exec sleep 1000 [{status}]" in lines(program.output)


# Commands whose shell starts another program: it waits for that, or not.
WAITS = "run sleep 1000 & echo pid $!; wait"
LEAVES = "run sleep 1000 > /dev/null 2>&1 & echo pid $!"


@each_version
@pytest.mark.parametrize("command", [WAITS, LEAVES], ids=["cancelled", "over"])
def test_what_a_command_has_started_ends_with_it(version: int, command: str, folder: Path) -> None:
    with running(editor(*agent_with_tools(), protocol=version), folder) as program:
        program.type(command, "1")
        pid = int(program.wait_for_line("\npid "))
        if command == WAITS:
            program.interrupt()
        program.wait_for("[cancelled]\n> " if command == WAITS else "Exit status: 0")
        wait_until_ended([pid])
        assert program.end() == 0


def test_what_a_command_has_started_ends_with_the_connection(folder: Path) -> None:
    programs = [HERE / "editor.py", sys.executable, HERE / "agent_with_tools.py"]
    with running([sys.executable, *map(str, programs)], folder) as program:
        program.type(WAITS, "1")
        pid = int(program.wait_for_line("\npid "))
    wait_until_ended([pid])  # now that the editor was killed


@each_version
def test_cancelling_takes_a_question_back(version: int, folder: Path) -> None:
    with running(editor(*agent_with_tools(), protocol=version), folder) as program:
        program.type("write new.txt text")
        program.wait_for("\n? ")
        program.interrupt()
        program.wait_for("[cancelled]")
        program.type("read notes.txt")  # is no answer to the question
        program.wait_for("✓ Read notes.txt [completed]")
        assert program.end() == 0
    assert not (folder / "new.txt").exists()


@each_version
def test_ctrl_c_leaves_if_nothing_is_left_to_cancel(version: int, folder: Path) -> None:
    with running(editor(*agent_with_tools(), protocol=version), folder) as program:
        program.wait_for("\n> ")
        program.interrupt()
        assert program.end() == 130


@each_version
def test_ctrl_c_twice_leaves_an_agent_that_does_not_stop(version: int, folder: Path) -> None:
    agent = scripted(
        folder,
        "try:",
        "    await session.say(f'Working')",
        "    await session.show_plan([])",
        "    await session.usage(used=1, size=2)",
        "    await session.show_plan([('work', 'pending')])",
        "    await asyncio.Event().wait()",
        "finally:",
        "    await session.show_plan([('stop', 'pending')])",
        "    await asyncio.Event().wait()",
    )
    with running(editor(*agent, protocol=version), folder) as program:
        program.type("work")
        program.wait_for("○ work")
        program.interrupt()
        program.wait_for("○ stop")
        program.interrupt()
        assert program.end() == 130


@each_version
def test_a_session_is_loaded_by_another_process(version: int, folder: Path) -> None:
    command = editor(*agent_with_tools(), protocol=version)
    with running(command, folder) as program:
        session_id = program.wait_for_line("Session ")
        program.type("write new.txt text", "1", "run echo done", "1")
        assert program.end() == 0
    printed, status = talk(
        folder, editor("--load", session_id, *agent_with_tools(), protocol=version), "list"
    )
    assert status == 0
    before = printed[: printed.index(f"Session {session_id}")]
    shown = ["write new.txt text", "+text", "✓ Write new.txt [completed]", "Wrote new.txt."]
    shown += ["run echo done", "done", "✓ echo done [completed]", "Exit status: 0"]
    for line in shown:
        assert before.count(line) == 1, before
    assert "✓ List files [completed]" in printed[len(before) :]


@each_version
@pytest.mark.parametrize("session_id", ["unknown", "../work/notes"])
def test_an_unknown_session_cannot_be_loaded(version: int, session_id: str, folder: Path) -> None:
    printed, status = talk(
        folder, editor("--load", session_id, *agent_with_tools(), protocol=version)
    )
    assert status == 1
    assert "The agent has failed: session not found (-32002)" in printed[-1]


@each_version
def test_a_crash_is_told(version: int, folder: Path) -> None:
    agent = scripted(
        folder,
        "await session.say('So far so good')",
        "print('out of memory', file=sys.stderr, flush=True)",
        "os._exit(7)",
    )
    printed, status = talk(folder, editor(*agent, protocol=version), "work")
    assert status == 1
    assert "So far so good" in printed
    assert any(line.startswith("The agent has failed: ") for line in printed)
    assert "the agent exited with status 7" in "\n".join(printed)
    assert "    'out of memory'" in printed


def test_an_agent_that_does_not_exist_is_told(folder: Path) -> None:
    printed, status = talk(folder, editor("./missing-agent"))
    assert status == 1
    assert printed == [
        "The agent has failed: [Errno 2] No such file or directory: './missing-agent'"
    ]


@each_version
def test_a_turn_that_fails_is_told(version: int, folder: Path) -> None:
    agent = scripted(folder, "raise RequestError.internal_error(message='no tokens left')")
    printed, status = talk(folder, editor(*agent, protocol=version), "work")
    assert status == 1
    [told] = [line for line in printed if line.startswith("The turn has failed: ")]
    assert "no tokens left" in told


@each_version
def test_text_cannot_control_the_terminal(version: int, folder: Path) -> None:
    agent = scripted(
        folder,
        "await session.say('a\\x1b[2Jb\\x07')",
        "await session.think('c\\x1b]0;title\\x07')",
    )
    printed, _ = talk(folder, editor(*agent, protocol=version), "work")
    assert "ab" in printed
    assert "\x1b" not in "".join(printed)
    assert "\x07" not in "".join(printed)


@pytest.mark.parametrize("name", ["../secret.txt", "/etc/hostname", "link.txt"])
def test_files_outside_of_the_folder_are_out_of_reach(name: str, folder: Path) -> None:
    (folder.parent / "secret.txt").write_text("secret", "utf-8")
    (folder / "link.txt").symlink_to(folder.parent / "secret.txt")
    agent = scripted(
        folder,
        f"path = os.path.join(session.cwd, {name!r})",
        "for call in (session.read_text(path), session.write_text(path, 'mine')):",
        "    try:",
        "        await call",
        "    except RequestError as error:",
        "        await session.say(f'{error.code}\\n\\n')",
    )
    printed, _ = talk(folder, editor(*agent, protocol=1), "work")
    assert printed.count("-32602") == 2
    assert (folder.parent / "secret.txt").read_text("utf-8") == "secret"


@each_version
def test_the_agent_stays_in_the_folder(version: int, folder: Path) -> None:
    (folder.parent / "secret.txt").write_text("secret", "utf-8")
    printed, _ = talk(folder, editor(*agent_with_tools(), protocol=version), "read ../secret.txt")
    assert "✗ Read ../secret.txt [failed]" in printed
    assert "secret" not in printed


@each_version
def test_a_file_that_is_not_there_fails_one_step_only(version: int, folder: Path) -> None:
    typed = "read gone.txt then read notes.txt"
    printed, status = talk(folder, editor(*agent_with_tools(), protocol=version), typed)
    assert status == 0
    assert "✗ Read gone.txt [failed]" in printed
    assert "✓ Read notes.txt [completed]" in printed


@pytest.mark.parametrize("name", ["agent_v2.py", "agent.py"])
def test_the_editor_takes_the_version_of_the_agent(name: str, folder: Path) -> None:
    agent = [sys.executable, str(EXAMPLES / name)]
    printed, status = talk(folder, editor(*agent), "Hello, *agent*!")
    assert status == 0
    assert printed.count("Hello, agent!") == 1  # once: not also as the message of the user
    assert "[end_turn]" in printed
