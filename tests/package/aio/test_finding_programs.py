"""Tests of commands against a model of how Windows finds programs and runs batch files."""

from __future__ import annotations

import asyncio
import ntpath
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from acp_bindings.runtime.aio import connect_stdio
from acp_bindings.runtime.aio.finding_programs import (
    batch_line,
    find_on_windows,
    is_batch_file,
    windows_command,
)
from hypothesis import given
from hypothesis import strategies as st

from tests.package.aio.processes import CLIENT, ECHO, program

FOLDER = r"C:\work"
NODE, TOOLS = r"C:\Program Files\nodejs", r"D:\tools"
FILES = {
    NODE: ["node.exe", "npx", "npx.cmd", "npx.ps1", "both.cmd", "both.exe"],
    TOOLS: ["node.cmd", "agent.bat", "agent.py", "tool.v2.exe", "last.COM"],
    FOLDER: ["npx.cmd", "local.exe", r"bin\run", r"bin\run.cmd", r"bin\odd.bin"],
}
ENVIRONMENT = {
    "Path": f'"{NODE}";;{TOOLS};relative',
    "PATHEXT": ".COM;.EXE;.BAT;.CMD;.VBS;.JS;.PY",
}


def is_file(path: str) -> bool:
    """Return whether a file exists, ignoring case and trailing dots and spaces as Windows does."""
    name = ntpath.normpath(path).rstrip(". ").lower()
    return name in {
        ntpath.join(folder, file).lower() for folder, files in FILES.items() for file in files
    }


def find(name: str, environment: Mapping[str, str] = ENVIRONMENT) -> str | None:
    return find_on_windows(name, environment=environment, folder=FOLDER, is_file=is_file)


# --- finding ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("npx", rf"{NODE}\npx.cmd"),  # not the POSIX script or the file in this directory
        ("NPX", rf"{NODE}\NPX.cmd"),
        ("npx.cmd", rf"{NODE}\npx.cmd"),
        ("node", rf"{NODE}\node.exe"),  # the first directory
        ("both", rf"{NODE}\both.exe"),  # the first extension
        ("agent", rf"{TOOLS}\agent.bat"),
        ("tool.v2", rf"{TOOLS}\tool.v2.exe"),
        ("last", rf"{TOOLS}\last.com"),
        ("local", None),
        ("missing", None),
        ("agent.py", None),
        (r"bin\run", r"C:\work\bin\run.cmd"),
        ("bin/run", r"C:\work\bin/run.cmd"),
        (r".\local", r"C:\work\.\local.exe"),
        (r"bin\odd.bin", r"C:\work\bin\odd.bin"),
        (rf"{TOOLS}\agent", rf"{TOOLS}\agent.bat"),
        (rf"{TOOLS}\agent.bat", rf"{TOOLS}\agent.bat"),
        (r"bin\missing", None),
    ],
)
def test_a_program_is_found_as_by_a_shell(name: str, found: str | None) -> None:
    assert find(name) == found


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({"PATH": TOOLS}, rf"{TOOLS}\node.cmd"),
        ({"path": NODE, "PathExt": ".CMD"}, None),
        ({"path": NODE, "PathExt": ".EXE;.CMD"}, rf"{NODE}\node.exe"),
        ({"PATH": f"{TOOLS};{NODE}", "PATHEXT": ".JS"}, rf"{TOOLS}\node.cmd"),
        ({}, None),
    ],
    ids=str,
)
def test_the_environment_of_the_program_says_where_it_is(
    environment: dict[str, str], found: str | None
) -> None:
    assert find("node", environment) == found


@pytest.mark.parametrize(
    ("path", "is_batch"),
    [
        ("npx.cmd", True),
        ("a.BAT", True),
        (r"C:\a.bat . .", True),
        ("npx", False),
        ("npx.cmd.exe", False),
        (r"C:\x.cmd\a.exe", False),
    ],
)
def test_batch_files_have_an_extension(path: str, is_batch: bool) -> None:
    assert is_batch_file(path) is is_batch


def command(*words: str) -> Any:
    return windows_command(words, environment=ENVIRONMENT, folder=FOLDER, is_file=is_file)


def test_a_program_gets_its_arguments_as_they_are() -> None:
    assert command("node", "a b", '"') == [rf"{NODE}\node.exe", "a b", '"']
    assert command("missing", "a b") == ["missing", "a b"]  # Windows searches more directories


def test_a_batch_file_gets_a_line() -> None:
    assert command("npx", "-y", "@a/b", "a b", "") == rf'"{NODE}\npx.cmd" -y @a/b "a b" ""'


@pytest.mark.parametrize("name", ["missing.cmd", "missing.bat . ", r"C:\nowhere\a.CMD"])
def test_a_batch_file_that_is_missing_is_not_left_to_windows(name: str) -> None:
    with pytest.raises(FileNotFoundError, match="no such batch file"):
        command(name, "a&b")


# --- arguments -------------------------------------------------------------------------------

VARIABLES = {"cd": FOLDER, "path": NODE, "a": "&calc", "": "never"}
SPECIAL = "&|<>()^"


def expand(line: str) -> str:
    """Expand variables as cmd.exe does on its command line."""
    done, position = "", 0
    while (start := line.find("%", position)) >= 0:
        done += line[position:start]
        end = line.find("%", start + 1)
        name, _, part = line[start + 1 : end].partition(":") if end > 0 else ("", "", "")
        if name.lower() not in VARIABLES or not name:
            done, position = done + "%", start + 1
            continue
        assert part in ("", "~,"), part
        done += VARIABLES[name.lower()] if not part else ""
        position = end + 1
    return done + line[position:]


def read_arguments(line: str) -> list[str]:
    """Split a command line into arguments as Windows programs do."""
    arguments: list[str] = []
    position, is_quoted, current = 0, False, None
    while position < len(line):
        char = line[position]
        if char == "\\":
            end = position
            while line[end : end + 1] == "\\":
                end += 1
            count = end - position
            is_before_quote = line[end : end + 1] == '"'
            current = (current or "") + "\\" * (count // 2 if is_before_quote else count)
            if is_before_quote and count % 2:
                current, end = current + '"', end + 1
            position = end
            continue
        if char == '"':
            current = current or ""
            if is_quoted and line[position + 1 : position + 2] == '"':
                current, position = current + '"', position + 1
            else:
                is_quoted = not is_quoted
        elif char == " " and not is_quoted:
            if current is not None:
                arguments.append(current)
            current = None
        else:
            current = (current or "") + char
        position += 1
    return arguments if current is None else [*arguments, current]


def run_by_cmd(line: str) -> list[str]:
    """Return the name of a batch file and the arguments that it passes on with `%*`."""
    assert line.count('"') >= 2  # including the outer quotes, which cmd.exe removes
    expanded = expand(line)
    is_quoted = False
    for char in expanded:
        is_quoted ^= char == '"'
        assert is_quoted or char not in SPECIAL, f"{char} outside of quotes in {expanded}"
    assert not is_quoted
    return read_arguments(expanded)


TEXTS = st.text(st.sampled_from("ab %\"\\^&|<>()!=,;'~:.é٣ \t*")) | st.sampled_from(
    ["%PATH%", "%a%", '"%a%', '"&calc.exe"', "\\", '\\"', "a\\\\", "%", "%%", "%cd:~,%", "^%a%"]
)


@given(st.lists(TEXTS, max_size=5), st.sampled_from([rf"{NODE}\npx.cmd", r"C:\%a% (x)\&.bat"]))
def test_each_argument_of_a_batch_file_arrives(arguments: list[str], script: str) -> None:
    assert run_by_cmd(batch_line(script, arguments)) == [script, *arguments]


@pytest.mark.parametrize("text", ["a\nb", "\r", "a\0", "\n&calc"])
def test_what_cmd_cannot_pass_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"cannot pass the argument .* start its program"):
        command("npx", text)
    assert command("node", text)[-1] == text


def test_plain_arguments_are_not_quoted() -> None:
    plain = ["--acp", "-y", "@scope/name@1.2", r"C:\a\b", "a_b", "1+2", "$x", "#1", "*.py", "a:b?"]
    assert batch_line("x.cmd", plain) == '"x.cmd" ' + " ".join(plain)


# --- with a process --------------------------------------------------------------------------


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "agent.sh"
    path.write_text("#!/nowhere/interpreter\n", "utf-8")
    path.chmod(0o755)
    return path


async def failure(words: Any, **options: Any) -> Any:
    with pytest.raises((OSError, TypeError, ValueError)) as caught:
        async with connect_stdio(words, CLIENT, **options):
            pass
    return caught.value


posix_only = pytest.mark.skipif(sys.platform == "win32", reason="starts programs of POSIX")


@posix_only
async def test_the_error_of_a_missing_program_says_where_it_was_searched(tmp_path: Path) -> None:
    error = await failure(["no-such"], env={"PATH": f"/usr/bin:{tmp_path}"})
    assert isinstance(error, FileNotFoundError)
    assert error.filename == "no-such"
    reason = f"no such program in PATH (/usr/bin:{tmp_path}); install it or pass its path"
    assert str(error) == f"[Errno 2] {reason}: 'no-such'"
    error = await failure(["./no-such"], cwd=tmp_path)
    reason = f"no such program in '{tmp_path}'; pass an absolute path"
    assert str(error) == f"[Errno 2] {reason}: './no-such'"
    error = await failure(["/no/such"])
    assert str(error) == "[Errno 2] no such program; check its path: '/no/such'"
    error = await failure(["no-such"], env={"PATH": "/x" * 5000})
    assert len(str(error)) < 500


@posix_only
async def test_the_error_of_a_missing_folder_or_interpreter_is_another(script: Path) -> None:
    error = await failure([sys.executable], cwd="/no/such")
    assert str(error) == "[Errno 2] no such directory; pass another `cwd`: '/no/such'"
    reason = "its interpreter does not exist; check the first line of the script"
    for words, options in (
        ([str(script)], {}),
        (["./agent.sh"], {"cwd": script.parent}),
        (["agent.sh"], {"env": {"PATH": str(script.parent)}}),
    ):
        error = await failure(words, **options)
        assert str(error) == f"[Errno 2] {reason}: {words[0]!r}"


@pytest.mark.parametrize("words", [[], (), [""]])
async def test_an_empty_command_is_an_error(words: Any) -> None:
    error = await failure(words)
    assert isinstance(error, ValueError)
    assert str(error) == "the command is empty; pass a list of the program and its arguments"


@pytest.mark.parametrize("words", ["agent --acp", b"agent", Path("agent")])
async def test_a_command_that_is_not_a_list_is_an_error(words: Any) -> None:
    error = await failure(words)
    assert isinstance(error, TypeError)
    assert "must be a list of the program and its arguments" in str(error)


@posix_only
async def test_a_program_is_searched_in_the_path_of_its_environment(tmp_path: Path) -> None:
    (tmp_path / "my-agent").symlink_to(sys.executable)
    words = program("answer('alive'); sys.stdin.read()")
    environment = {**os.environ, "PATH": str(tmp_path)}
    async with connect_stdio(["my-agent", *words[1:]], CLIENT, env=environment) as peer:
        assert await peer.request(ECHO, None) == "alive"


class Started(Exception):
    """Raised instead of starting a program."""


@pytest.mark.parametrize(("name", "is_line"), [("tool", True), ("plain", False)])
async def test_on_windows_a_batch_file_is_started_by_a_shell(
    name: str, is_line: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in ("tool.cmd", "plain.exe"):
        (tmp_path / file).write_text("", "utf-8")
    started: list[Any] = []

    async def start(make: Any, *command: Any, **options: Any) -> Any:
        started.append(command)
        raise Started

    loop = asyncio.get_running_loop()
    monkeypatch.setattr(loop, "subprocess_shell", start)
    monkeypatch.setattr(loop, "subprocess_exec", start)
    monkeypatch.setattr("acp_bindings.runtime.aio.child_process.sys.platform", "win32")
    monkeypatch.setattr("acp_bindings.runtime.aio.finding_programs.ntpath", os.path)
    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 512, raising=False)
    context = connect_stdio([name, "a b"], CLIENT, env={"Path": str(tmp_path)})
    with pytest.raises(Started):
        await context.__aenter__()
    path = str(tmp_path / name)
    assert started == [(f'"{path}.cmd" "a b"',) if is_line else (f"{path}.exe", "a b")]
