"""Tests of terminals with real commands: their output, and the end of their child processes."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from acp_bindings.kit import terminals as module
from acp_bindings.kit.terminals import (
    Command,
    Environment,
    ExitStatus,
    Terminal,
    TerminalLimits,
    Terminals,
)
from acp_bindings.runtime.jsonrpc.errors import RequestError
from hypothesis import given
from hypothesis import strategies as st

from tests.package.aio.loop import run
from tests.package.aio.processes import DEAF_SHELL, SHELL, ended, running, wait_until_ended

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs the programs of POSIX")

QUICK = TerminalLimits(drain=0.05, grace=0.1)
# Time limits so long that a test would hang if it waited for them.
PATIENT = TerminalLimits(drain=3600.0, grace=3600.0)
SUCCESS = ExitStatus(0, None)


@pytest.fixture
def left() -> Generator[list[int]]:
    """The ids of processes that are killed after the test."""
    pids: list[int] = []
    yield pids
    for pid in running(pids):
        os.kill(pid, signal.SIGKILL)


@asynccontextmanager
async def opened(**options: Any) -> AsyncGenerator[Terminals]:
    terminals = Terminals(**options)
    try:
        yield terminals
    finally:
        await terminals.aclose()


@asynccontextmanager
async def started(*command: str, **options: Any) -> AsyncGenerator[Command]:
    running = Command(command, **{"cwd": "/", "limits": PATIENT, **options})
    await running.start()
    try:
        yield running
    finally:
        await running.aclose()


async def output_of(*command: str, **options: Any) -> str:
    async with started(*command, **options) as running:
        await running.wait()
        return running.output


def python(code: str) -> list[str]:
    return [sys.executable, "-c", f"import os, signal, sys, time\n{code}"]


async def printed(command: Command, lines: int = 1) -> list[str]:
    """Wait until a command has printed at least `lines` lines, and return its output lines."""
    while command.output.count("\n") < lines:
        await asyncio.sleep(0.005)
    return command.output.splitlines()


async def tree(command: Command, left: list[int]) -> list[int]:
    """Return the ids of the child and the group leader of a command such as `SHELL`."""
    (child,) = await printed(command)
    pids = [int(child), os.getpgid(int(child))]
    left += pids
    return pids


def refusal(code: int, text: str) -> Any:
    return pytest.raises(RequestError, match=rf"{text}.*\({code}\)")


# --- exit status ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("exit 0", SUCCESS),
        ("exit 7", ExitStatus(7, None)),
        ("kill -TERM $$", ExitStatus(None, "SIGTERM")),
        ("kill -KILL $$", ExitStatus(None, "SIGKILL")),
    ],
)
def test_an_exit_by_signal_has_its_name_and_no_code(script: str, expected: ExitStatus) -> None:
    async def main() -> None:
        async with started("sh", "-c", script) as command:
            assert await command.wait() == command.exit_status == expected

    run(main())


def test_a_killed_command_does_not_look_successful() -> None:
    async def main() -> None:
        async with opened() as terminals:
            terminal = await terminals.create("s", "sleep", ["1000"], cwd="/")
            assert terminal.exit_status is None
            await terminal.kill()
            assert terminal.exit_status == ExitStatus(None, "SIGTERM")
            assert terminals.find("s", terminal.id) is terminal

    run(main())


# --- the process group ------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["kill", "release", "end_session", "aclose"])
@pytest.mark.parametrize("shell", [SHELL, DEAF_SHELL])
def test_the_whole_group_ends(way: str, shell: list[str], left: list[int]) -> None:
    """Terminating only the shell would leave its child running. `DEAF_SHELL` ignores SIGTERM."""

    async def main() -> None:
        async with opened(limits=QUICK) as terminals:
            terminal = await terminals.create("s", shell[0], shell[1:], cwd="/")
            pids = await tree(terminal, left)
            if way == "kill":
                await terminal.kill()
            elif way == "release":
                await terminals.release("s", terminal.id)
            elif way == "end_session":
                await terminals.end_session("s")
            else:
                await terminals.aclose()
            assert not running(pids)

    run(main())


def test_processes_that_outlive_the_command_end_with_it(left: list[int]) -> None:
    async def main() -> None:
        async with started("sh", "-c", "sleep 1000 & echo $!", limits=QUICK) as command:
            await command.wait()
            left.append(int(command.output))
            await ended(left)

    run(main())


def test_a_cancelled_start_leaves_no_process() -> None:
    async def main() -> None:
        command = Command(["sleep", "1000"], cwd="/")
        starting = asyncio.create_task(command.start())
        await asyncio.sleep(0)
        starting.cancel()
        await asyncio.wait([starting])
        assert starting.cancelled()
        assert command.exit_status in (None, ExitStatus(None, "SIGTERM"))

    before = children()
    run(main())
    assert children() == before


def children() -> list[str]:
    """Return the ids of this process's unreaped child processes."""
    path = Path(f"/proc/self/task/{os.getpid()}/children")
    if not path.exists():
        pytest.skip("needs the list of child processes")
    return path.read_text().split()


def test_nothing_is_left() -> None:
    async def main() -> None:
        async with opened() as terminals:
            for pty in (False, True):
                async with started("echo", "text", pty=pty) as command:
                    await command.wait()
            for _ in range(3):
                terminal = await terminals.create("s", "true", cwd="/")
                await terminal.wait()
        assert len(asyncio.all_tasks()) == 2  # `run` has one

    before = children()
    run(main())  # the first event loop opens descriptors that stay open
    descriptors = os.listdir("/proc/self/fd")
    run(main())
    assert children() == before
    assert len(os.listdir("/proc/self/fd")) == len(descriptors)


def test_a_stopped_event_loop_leaves_no_process(left: list[int]) -> None:
    async def main() -> None:
        command = Command(SHELL, cwd="/")
        await command.start()
        await tree(command, left)

    run(main())
    wait_until_ended(left)


def test_a_fork_of_this_program_leaves_the_shell_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = module._Guard(2**30)  # the group of no process
    process = guard._process
    assert process is not None
    with monkeypatch.context() as fork:
        fork.setattr(os, "getpid", lambda: -1)
        guard.dismiss()
        assert process.poll() is None
    guard.dismiss()
    assert process.returncode == -signal.SIGKILL
    guard.dismiss()


PROGRAM = f"""
import asyncio
from acp_bindings.kit.terminals import Command
async def main():
    command = Command({DEAF_SHELL!r}, cwd="/", on_output=lambda text: print(text, flush=True))
    await command.start()
    await command.wait()
asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_commands_end_when_the_program_is_killed(number: int, left: list[int]) -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        child = int(program.stdout.readline())
        left += [child, os.getpgid(child)]
        assert running(left) == left
        program.send_signal(number)
        program.wait()
        wait_until_ended(left)


def test_a_system_without_a_shell_runs_commands_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    start = subprocess.Popen

    def popen(command: Any, **options: Any) -> Any:
        return start(["/no/such/sh" if command[0] == "/bin/sh" else command[0]], **options)

    async def main() -> None:
        with monkeypatch.context() as patch:
            patch.setattr(module.subprocess, "Popen", popen)
            async with started("true") as command:
                assert await command.wait() == SUCCESS

    run(main())
    assert caplog.messages == [
        "cannot start /bin/sh: No such file or directory; "
        "commands keep running if this program is killed"
    ]


# --- waiting ----------------------------------------------------------------------------------


def test_wait_returns_after_the_last_output() -> None:
    """The process exits while its pipe still has unread bytes."""

    async def main() -> None:
        async with started(*python("os.write(1, b'x' * 60000 + b'end')")) as command:
            # Block the event loop, so that it cannot read before the exit.
            wait_until_ended([command._protocol.transport.get_pid()])
            await command.wait()
            assert command.output.endswith("end")

    run(main())


def test_the_exit_is_unknown_before_the_end_of_output(left: list[int]) -> None:
    async def main() -> None:
        async with started("sh", "-c", "(read _; echo tail) & echo $!; exit 4") as command:
            left.append(int((await printed(command))[0]))
            while not command._protocol.exited.is_set():
                await asyncio.sleep(0.005)
            reached = command.exit_status, command.output.count("tail")
            assert reached in ((None, 0), (None, 1), (ExitStatus(4, None), 1))
            await command.wait()

    run(main())


def test_output_after_the_exit_is_read_to_its_end() -> None:
    """The command's child prints in pieces, with pauses between them."""

    async def main() -> None:
        printing = "for i in 1 2 3 4; do echo $i; sleep 0.02; done"
        limits = TerminalLimits(drain=60.0)
        async with started("sh", "-c", f"({printing}) & exit 0", limits=limits) as command:
            await command.wait()
            assert command.output == "1\n2\n3\n4\n"

    run(main())


def test_a_grandchild_that_holds_the_pipe_does_not_block_wait(left: list[int]) -> None:
    """The grandchild left the process group, so it outlives the command."""

    async def main() -> None:
        code = "print(os.fork() or (os.setsid(), time.sleep(1000)), flush=True)"
        async with started(*python(code), limits=QUICK) as command:
            assert await command.wait() == SUCCESS
            left.append(int(command.output))
            assert running(left)

    run(main())


def test_a_grandchild_that_writes_later_finds_the_pipe_closed(left: list[int]) -> None:
    async def main() -> None:
        writes = "while os.write(1, b'\\n'): time.sleep(0.01)"
        code = f"if pid := os.fork(): print(pid)\nelse:\n os.setsid()\n {writes}"
        async with started(*python(code), limits=QUICK) as command:
            await command.wait()
            left.append(int(command.output))
        await ended(left)

    run(main())


def test_cancelling_wait_does_not_end_the_command() -> None:
    async def main() -> None:
        async with started("cat", "/dev/zero", output_byte_limit=0) as command:
            waiting = asyncio.create_task(command.wait())
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait([waiting])
            assert waiting.cancelled()
            assert command.exit_status is None
            await command.kill()
            assert await command.wait() == ExitStatus(None, "SIGTERM")

    run(main())


def test_kill_wakes_waiters_only_with_the_exit() -> None:
    # The handler uses `os.write`, since `print` can fail if the signal interrupts another `print`.
    code = "signal.signal(15, lambda *_: (os.write(1, b'bye\\n'), os._exit(5)))"

    async def main() -> None:
        async with started(*python(f"{code}; print('on', flush=True); time.sleep(999)")) as command:
            waiting = [asyncio.create_task(command.wait()) for _ in range(3)]
            await printed(command)
            await asyncio.gather(command.kill(), command.kill())
            assert await asyncio.gather(*waiting) == [ExitStatus(5, None)] * 3
            assert command.output == "on\nbye\n"

    run(main())


def test_a_cancelled_kill_still_ends_the_command(left: list[int]) -> None:
    async def main() -> None:
        async with started(*DEAF_SHELL, limits=QUICK) as command:
            pids = await tree(command, left)
            killing = asyncio.create_task(command.kill())
            await asyncio.sleep(0)
            killing.cancel()
            await ended(pids)
            assert await command.wait() == ExitStatus(None, "SIGKILL")

    run(main())


def test_wait_needs_a_started_command() -> None:
    async def main() -> None:
        command = Command(["true"])
        with pytest.raises(
            RuntimeError, match=r"the command was not started; call start\(\) first$"
        ):
            await command.wait()
        await command.kill()
        await command.aclose()
        await command.start()
        with pytest.raises(
            RuntimeError, match=r"the command was already started; create another one$"
        ):
            await command.start()
        await command.aclose()

    run(main())


# --- output -----------------------------------------------------------------------------------


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=12),
    st.integers(0, 20),
)
def test_output_is_the_longest_end_within_the_limit_in_bytes(texts: list[str], limit: int) -> None:
    output = module._Output(limit)
    whole = ""
    for text in texts:
        output.append(text)
        whole += text
        ends = [whole[start:] for start in range(len(whole) + 1)]
        assert str(output) == next(end for end in ends if len(end.encode()) <= limit)
        assert output.truncated == (len(whole.encode()) > limit)


def test_long_output_in_small_pieces_is_kept_within_twice_the_limit() -> None:
    output = module._Output(1000)
    for number in range(10_000):
        output.append(f"{number}é")
        assert len(output._kept) <= 2000
    assert str(output).endswith("9999é")


def test_a_limit_counts_bytes_and_cuts_at_a_character() -> None:
    async def main() -> None:
        async with started("printf", "€€€", output_byte_limit=7) as command:
            await command.wait()
            assert (command.output, command.truncated) == ("€€", True)
        async with started("printf", "€€€", output_byte_limit=9) as command:
            await command.wait()
            assert (command.output, command.truncated) == ("€€€", False)

    run(main())


def test_limit_0_keeps_nothing() -> None:
    async def main() -> None:
        async with started("echo", "text", output_byte_limit=0) as command:
            await command.wait()
            assert (command.output, command.truncated) == ("", True)
        async with started("true", output_byte_limit=0) as command:
            await command.wait()
            assert not command.truncated

    run(main())


def test_without_a_limit_the_default_applies() -> None:
    async def main() -> None:
        limits = TerminalLimits(output_bytes=3, max_output_bytes=4)
        async with opened(limits=limits) as terminals:
            for asked, expected in ((None, "cde"), (1, "e"), (2**63, "bcde")):
                terminal = await terminals.create(
                    "s", "printf", ["abcde"], cwd="/", output_byte_limit=asked
                )
                await terminal.wait()
                assert (terminal.output, terminal.truncated) == (expected, True)

    run(main())


def test_a_partial_character_waits_for_its_rest() -> None:
    code = "os.write(1, b'a\\xe2\\x82'); signal.pause()"
    rest = f"signal.signal(10, lambda *_: (os.write(1, b'\\xac'), os._exit(0))); {code}"

    async def main() -> None:
        pieces: list[str] = []
        async with started(*python(rest), on_output=pieces.append) as command:
            while not pieces:
                await asyncio.sleep(0.005)
            assert command.output == "a"
            os.kill(command._protocol.transport.get_pid(), signal.SIGUSR1)
            await command.wait()
            assert pieces == ["a", "€"]

    run(main())


def test_invalid_and_unfinished_bytes_are_replaced() -> None:
    async def main() -> None:
        assert await output_of("printf", r"a\377b\342\202") == "a�b�"

    run(main())


def test_both_outputs_keep_their_order() -> None:
    async def main() -> None:
        script = "for i in 1 2 3; do echo out $i; echo err $i >&2; done"
        expected = "".join(f"out {i}\nerr {i}\n" for i in (1, 2, 3))
        assert await output_of("sh", "-c", script) == expected

    run(main())


def test_standard_input_is_empty() -> None:
    async def main() -> None:
        for pty in (False, True):
            assert await output_of("cat", pty=pty) == ""

    run(main())


def test_a_pty_is_a_terminal_with_its_line_endings() -> None:
    async def main() -> None:
        code = "print(os.isatty(1), os.isatty(2), os.isatty(0), *os.get_terminal_size())"
        assert await output_of(*python(code)) != "True"
        expected = "True True False 80 24\r\n"
        assert await output_of(*python(code), pty=True) == expected
        async with opened(pty=True) as terminals:
            program, *args = python(code)
            terminal = await terminals.create("s", program, args, cwd="/")
            await terminal.wait()
            assert terminal.output == expected

    run(main())


def test_a_prompt_on_the_terminal_does_not_block() -> None:
    async def main() -> None:
        output = await output_of(*python("open('/dev/tty')"), pty=True)
        assert "OSError" in output

    run(main())


def test_a_pty_loses_no_output_to_a_slow_callback() -> None:
    async def main() -> None:
        got: list[str] = []

        async def slow(text: str) -> None:
            await asyncio.sleep(0.001)
            got.append(text)

        code = "[os.write(1, b'%07d\\n' % n) for n in range(20_000)]"
        for pty in (False, True):
            got.clear()
            async with started(*python(code), pty=pty, on_output=slow) as command:
                await command.wait()
            assert list(map(int, "".join(got).split())) == [*range(20_000)]

    run(main())


def test_pieces_arrive_in_order_and_make_up_the_output() -> None:
    async def main() -> None:
        pieces: list[tuple[Terminal, str]] = []
        async with opened(on_output=lambda *piece: pieces.append(piece)) as terminals:
            terminal = await terminals.create("s", "seq", ["20000"], cwd="/")
            await terminal.wait()
        assert {each for each, _ in pieces} == {terminal}
        assert "".join(text for _, text in pieces) == terminal.output
        assert terminal.output.split() == [str(number) for number in range(1, 20_001)]

    run(main())


def test_a_callback_slower_than_the_drain_loses_nothing() -> None:
    """The time limit covers waiting for output, not the callback, since a client can be slow."""

    async def main() -> None:
        got: list[str] = []

        async def slow(text: str) -> None:
            await asyncio.sleep(4 * QUICK.drain)
            got.append(text)

        code = "os.write(1, b'x' * 300_000 + b'end')"
        async with started(*python(code), limits=QUICK, on_output=slow) as command:
            await command.wait()
            assert "".join(got) == "x" * 300_000 + "end"

    run(main())


def test_an_awaitable_of_a_callback_slows_the_command_down() -> None:
    async def main() -> None:
        gate = asyncio.Event()
        got: list[str] = []

        async def waits(text: str) -> None:
            got.append(text)
            await gate.wait()

        async with started("yes", on_output=waits) as command:
            while not got:
                await asyncio.sleep(0.005)
            for _ in range(100):
                await asyncio.sleep(0)
            assert len(got) == 1
            gate.set()
            while len(got) < 3:
                await asyncio.sleep(0.005)
            await command.kill()

    run(main())


@pytest.mark.parametrize("kind", ["raises", "fails later", "is cancelled"])
def test_failures_of_a_callback_are_logged_and_lose_nothing(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def later() -> None:
        raise KeyError(kind)

    def callback(text: str) -> object:
        if kind == "raises":
            raise KeyError(kind)
        if kind == "fails later":
            return later()
        future = asyncio.get_running_loop().create_future()
        future.cancel()
        return future

    async def main() -> None:
        async with started("seq", "20000", on_output=callback) as command:
            assert await command.wait() == SUCCESS
            assert command.output.endswith("\n20000\n")

    run(main())
    assert (f"KeyError: '{kind}'" in caplog.text) == (kind != "is cancelled")
    assert set(caplog.messages) <= {"on_output of a command failed"}


def test_a_callback_that_never_returns_is_cancelled_at_the_end() -> None:
    async def main() -> None:
        stuck = asyncio.Event()
        async with started(
            "echo", "text", limits=QUICK, on_output=lambda _: stuck.wait()
        ) as command:
            await printed(command)
        assert command.exit_status == SUCCESS

    run(main())


# --- started commands -------------------------------------------------------------------------


def test_a_command_is_not_a_line_for_the_shell(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened() as terminals:
            with refusal(-32002, "send the program and its arguments separately"):
                await terminals.create("s", "touch made", cwd=str(tmp_path))
            terminal = await terminals.create("s", "echo", ["$HOME; touch made"], cwd=str(tmp_path))
            await terminal.wait()
            assert terminal.output == "$HOME; touch made\n"

    run(main())
    assert not list(tmp_path.iterdir())


def test_a_line_goes_to_the_shell_if_allowed() -> None:
    async def main() -> None:
        async with opened(shell=True) as terminals:
            terminal = await terminals.create("s", "echo one && echo two", cwd="/")
            await terminal.wait()
            assert terminal.output == "one\ntwo\n"
            # A command with arguments or without spaces isn't run by a shell.
            terminal = await terminals.create("s", "echo", ["a && b"], cwd="/")
            await terminal.wait()
            assert terminal.output == "a && b\n"
            with refusal(-32002, "no such program"):
                await terminals.create("s", "echo;pwd", cwd="/")
            with refusal(-32002, "no such program; send the name of an installed program"):
                await terminals.create("s", "no such", ["a"], cwd="/")

    run(main())


def test_a_batch_file_of_windows_gets_quoted_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    """`npx` is the batch file `npx.cmd`. cmd.exe must not run commands in the arguments."""
    from acp_bindings.runtime.aio import child_process, finding_programs

    def as_started(command: Any, environment: Any) -> Any:
        assert environment == {"PATH": r"C:\bin"}
        return finding_programs.windows_command(
            command, environment=environment, folder="C:\\", is_file=lambda p: p.endswith(".cmd")
        )

    lines: list[str] = []

    class Loop:
        async def subprocess_shell(self, make: Any, line: str, **options: Any) -> Any:
            lines.append(line)
            return None, make()

    monkeypatch.setattr(child_process.sys, "platform", "win32")
    monkeypatch.setattr(finding_programs, "as_started", as_started)
    monkeypatch.setattr(asyncio, "get_running_loop", Loop)
    options = {"env": {"PATH": r"C:\bin"}, "cwd": None}
    for command in (["npx", "a&calc"], "npx a & calc"):
        starting = child_process.spawn(object, command, options)  # type: ignore[arg-type, type-var, var-annotated]
        with pytest.raises(StopIteration):
            starting.send(None)
    assert lines == [r'"C:\bin\npx.cmd" "a&calc"', "npx a & calc"]


def test_errors_of_a_start_have_no_paths(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")

    async def main() -> None:
        async with opened() as terminals:
            for command, code, reason in (
                (
                    "no-such-program",
                    -32002,
                    "no such program; send the name of an installed program",
                ),
                ("./text", -32603, "permission denied; send another command"),
            ):
                with refusal(code, "cannot start") as error:
                    await terminals.create("s", command, cwd=str(tmp_path))
                assert error.value.message == f"cannot start '{command}': {reason}"

    run(main())


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"command": ""}, "empty command; send a program"),
        ({"cwd": "relative"}, "cwd is not a directory; send the absolute path of one"),
        ({"cwd": "/no/such/directory"}, "cwd is not a directory; send the absolute path of one"),
        ({"cwd": "/\0"}, "cwd is not a directory; send the absolute path of one"),
        ({"output_byte_limit": -1}, "outputByteLimit is negative; send 0 to keep no output"),
        ({"command": "true\0false"}, "cannot be passed to a program; remove it"),
        ({"args": ["\0"]}, "cannot be passed to a program; remove it"),
        ({"args": ["\ud800"]}, "cannot be passed to a program; remove it"),
        ({"env": {"A=B": "1"}}, "cannot be passed to a program; remove it"),
        ({"env": {"A": "\0"}}, "cannot be passed to a program; remove it"),
    ],
)
def test_bad_params_are_refused(options: dict[str, Any], text: str) -> None:
    async def main() -> None:
        async with opened(limits=TerminalLimits(terminals=1)) as terminals:
            with pytest.raises(RequestError) as caught:
                await terminals.create("s", **{"command": "true", "cwd": "/", **options})
            assert caught.value.code == -32602
            assert caught.value.message.endswith(text)
            await terminals.create("s", "true", cwd="/")  # rejected calls don't affect the limit

    run(main())


def test_the_working_directory_is_used(tmp_path: Path) -> None:
    async def main() -> None:
        assert await output_of("pwd", cwd=str(tmp_path.resolve())) == f"{tmp_path.resolve()}\n"

    run(main())


def test_mistakes_of_the_program_are_raised_when_the_object_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ValueError, match=r"empty command; pass a program$"):
        Command([])
    with pytest.raises(ValueError, match=r"negative output_byte_limit -1; pass 0 to keep nothing$"):
        Command(["true"], output_byte_limit=-1)
    for name in ("", "A=B"):
        with pytest.raises(ValueError, match=r"name is empty or contains '='; pass another name$"):
            Command(["true"], env={name: "1"})
    for options in ({"command": ["true\0"]}, {"env": {"A": "\0"}}, {"env": {"\0": "1"}}):
        with pytest.raises(
            ValueError, match=r"null character in a command or variable; remove it$"
        ):
            Command(**{"command": ["true"], **options})
    monkeypatch.setattr(module.sys, "platform", "win32")
    Terminals()
    for make in (lambda: Terminals(pty=True), lambda: Command(["true"], pty=True)):
        with pytest.raises(
            ValueError, match=r"this system has no pseudo-terminals; pass pty=False$"
        ):
            make()


# --- the environment --------------------------------------------------------------------------


def test_secrets_of_the_program_do_not_reach_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "secret")
    monkeypatch.setenv("LC_TIME", "C")

    async def main() -> None:
        async with opened() as terminals:
            terminal = await terminals.create("s", "env", cwd="/", env={"HOME": "/h", "NEW": "1"})
            await terminal.wait()
            lines = terminal.output.splitlines()
            assert "secret" not in terminal.output
            assert {"LC_TIME=C", f"PATH={os.environ['PATH']}", "HOME=/h", "NEW=1"} <= {*lines}
        assert "secret" not in await output_of("env")

    run(main())


def test_allowed_and_added_variables_are_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOOL_A", "a")
    monkeypatch.setenv("MY_TOOL_B", "b")
    environment = Environment(["MY_TOOL_*"], {"MY_TOOL_B": "x", "MY_TOOL_C": "y"})
    assert environment.variables({"MY_TOOL_C": "z"}) == {
        "MY_TOOL_A": "a",
        "MY_TOOL_B": "x",
        "MY_TOOL_C": "z",
    }
    assert Environment(["*"]).variables() == dict(os.environ)


def test_names_of_variables_have_no_case_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.os, "environ", {"PATH": "a", "SYSTEMROOT": "b", "KEY": "secret"})
    assert Environment(["Path"]).variables({"path": "c"}) == {"path": "c"}
    monkeypatch.setattr(module.sys, "platform", "win32")
    assert Environment(["Path", "SystemRoot"]).variables({"path": "c"}) == {
        "PATH": "c",
        "SYSTEMROOT": "b",
    }


# --- ids and sessions -------------------------------------------------------------------------


def test_a_terminal_belongs_to_its_session() -> None:
    async def main() -> None:
        async with opened() as terminals:
            terminal = await terminals.create("one", "sleep", ["1000"], cwd="/")
            other = await terminals.create("one", "true", cwd="/")
            assert len({terminal.id, other.id}) == 2
            with refusal(-32002, "has no terminal"):
                terminals.find("two", terminal.id)
            await terminals.release("two", terminal.id)
            await terminals.end_session("two")
            assert terminals.find("one", terminal.id) is terminal
            assert terminal.exit_status is None

    run(main())


def test_ids_cannot_be_guessed() -> None:
    async def main() -> None:
        ids: list[str] = []
        for _ in range(2):
            async with opened() as terminals:
                ids += [(await terminals.create("s", "true", cwd="/")).id for _ in range(2)]
        assert len({*ids}) == 4
        assert all(len(each) >= 32 for each in ids)

    run(main())


def test_releasing_twice_is_harmless() -> None:
    async def main() -> None:
        async with opened() as terminals:
            terminal = await terminals.create("s", "sleep", ["1000"], cwd="/")
            waiting = asyncio.create_task(terminal.wait())
            release = terminals.release
            await asyncio.gather(release("s", terminal.id), release("s", terminal.id))
            await release("s", terminal.id)
            await release("s", "unknown")
            assert await waiting == ExitStatus(None, "SIGTERM")
            with refusal(-32002, "has no terminal"):
                terminals.find("s", terminal.id)

    run(main())


def test_a_session_has_a_limited_number_of_running_terminals() -> None:
    async def main() -> None:
        async with opened(limits=TerminalLimits(terminals=2)) as terminals:
            made = [await terminals.create("s", "sleep", ["1000"], cwd="/") for _ in range(2)]
            with refusal(
                -32603,
                "has 2 terminals with running commands, which is the limit; kill or release one",
            ):
                await terminals.create("s", "true", cwd="/")
            await terminals.create("other", "true", cwd="/")
            await terminals.release("s", made[0].id)
            await terminals.create("s", "true", cwd="/")

    run(main())


def test_terminals_that_were_never_released_make_room(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with opened(limits=TerminalLimits(terminals=2)) as terminals:
            runs = await terminals.create("s", "sleep", ["1000"], cwd="/")
            last = None
            for _ in range(3):
                terminal = await terminals.create("s", "true", cwd="/")
                await terminal.wait()
                if last is not None:
                    with refusal(-32002, "has no terminal"):
                        terminals.find("s", last.id)
                last = terminal
            assert terminals.find("s", runs.id).exit_status is None

    with caplog.at_level(logging.WARNING):
        run(main())
    warning = "too many terminals in session 's'; releasing the oldest one whose command has exited"
    assert caplog.messages == [warning] * 2


@pytest.mark.parametrize("way", ["end_session", "aclose"])
def test_a_terminal_that_is_being_created_ends_with_its_session(way: str) -> None:
    async def main() -> None:
        async with opened() as terminals:
            creating = asyncio.create_task(terminals.create("s", "sleep", ["1000"], cwd="/"))
            await asyncio.sleep(0)
            await (terminals.end_session("s") if way == "end_session" else terminals.aclose())
            with refusal(-32603, "the session has ended; open another session"):
                await creating

    before = children()
    run(main())
    assert children() == before


def test_after_the_end_of_the_connection_nothing_is_created() -> None:
    async def main() -> None:
        terminals = Terminals()
        await terminals.aclose()
        await terminals.aclose()
        with refusal(-32603, "the connection was closed; open another one"):
            await terminals.create("s", "true", cwd="/")

    run(main())


def test_a_session_can_come_back_after_its_end() -> None:
    async def main() -> None:
        async with opened() as terminals:
            await terminals.end_session("s")
            terminal = await terminals.create("s", "true", cwd="/")
            assert await terminal.wait() == SUCCESS

    run(main())


@pytest.mark.skipif(shutil.which("setsid") is None, reason="needs setsid")
def test_ctrl_c_does_not_reach_commands() -> None:
    async def main() -> None:
        async with started("sleep", "1000") as command:
            pid = command._protocol.transport.get_pid()
            assert os.getsid(pid) == pid != os.getsid(0)

    run(main())
