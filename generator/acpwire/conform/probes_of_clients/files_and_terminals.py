"""Probes for the client's files and terminals."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from acpwire.conform.player import Skipped, Unreached
from acpwire.conform.probes_of_clients.played_agent import PlayedAgent, probe
from acpwire.conform.wire import Line
from acpwire.json_values import at

_READ, _WRITE = "fs/read_text_file", "fs/write_text_file"
_PRINTS = "import sys; print('out', flush=True); sys.exit(3)"
_STAYS = "import time; time.sleep(600)"
_LINES = ["first\n", "zweite ü\n", "third\n"]


@asynccontextmanager
async def _folder(agent: PlayedAgent) -> AsyncGenerator[Path]:
    """Create a temporary folder in the session's working directory."""
    cwd = str((await agent.opening()).get("cwd"))
    await agent.prompted()
    try:
        folder = tempfile.TemporaryDirectory(prefix=".acpgen-conform-", dir=cwd)
    except OSError as error:
        raise Skipped(f"cannot create a folder in {cwd!r}: {error.strerror}") from error
    with folder as name:
        yield Path(name)


async def _file(agent: PlayedAgent, method: str, path: Path, **more: object) -> Line:
    return await agent.call(method, {"sessionId": agent.session, "path": str(path), **more})


@probe("read-file", "read-lines")
async def reads_files(agent: PlayedAgent) -> None:
    async with _folder(agent) as folder:
        path = folder / "file.txt"
        path.write_bytes("".join(_LINES).encode())
        line = await _file(agent, _READ, path)
        content = line.result.get("content")
        expected = f"the content {''.join(_LINES)!r}"
        agent.judge("read-file", content == "".join(_LINES), expected, line)
        line = await _file(agent, _READ, path, line=2, limit=1)
        content = line.result.get("content")
        ok = type(content) is str and content.rstrip("\n") == _LINES[1].rstrip("\n")
        agent.judge("read-lines", ok, f"the second line, {_LINES[1]!r}", line)


@probe("read-missing")
async def refuses_files_that_are_not_there(agent: PlayedAgent) -> None:
    async with _folder(agent) as folder:
        line = await _file(agent, _READ, folder / "missing.txt")
        agent.judge("read-missing", line.error_code is not None, "an error", line)


@probe("write-file")
async def writes_files(agent: PlayedAgent) -> None:
    async with _folder(agent) as folder:
        path = folder / "new.txt"
        for content in (_LINES[1] * 2, _LINES[1]):
            line = await _file(agent, _WRITE, path, content=content)
            if line.error_code is not None:
                agent.judge("write-file", False, "a result", line)
                return
            written = path.read_bytes().decode("utf-8", "replace") if path.exists() else None
            if not agent.judge("write-file", written == content, f"a file of {content!r}", line):
                return


async def _create(agent: PlayedAgent, code: str) -> str:
    """Run Python code in a new terminal and return the terminal's id."""
    await agent.prompted()
    params = {"command": sys.executable, "args": ["-I", "-S", "-c", code]}
    line = await agent.call("terminal/create", {"sessionId": agent.session, **params})
    terminal = line.result.get("terminalId")
    if not agent.judge("terminal-create", type(terminal) is str, "a terminalId", line):
        raise Unreached("no terminal was created")
    return str(terminal)


async def _terminal(agent: PlayedAgent, method: str, terminal: str) -> Line:
    params = {"sessionId": agent.session, "terminalId": terminal}
    return await agent.call(f"terminal/{method}", params)


@probe("terminal-create", "terminal-exit", "terminal-output", "terminal-release")
async def runs_commands(agent: PlayedAgent) -> None:
    terminal = await _create(agent, _PRINTS)
    line = await _terminal(agent, "wait_for_exit", terminal)
    agent.judge("terminal-exit", line.result.get("exitCode") == 3, "the exitCode 3", line)
    line = await _terminal(agent, "output", terminal)
    output, status = line.result.get("output"), line.result.get("exitStatus")
    ok = str(output).strip() == "out" and at(status, "exitCode") == 3
    agent.judge("terminal-output", ok, "the output 'out', and an exitStatus of 3", line)
    released = await _terminal(agent, "release", terminal)
    line = await _terminal(agent, "output", terminal)
    ok = released.has_result and line.error_code is not None
    expected = "a result, followed by an error because the terminal no longer exists"
    agent.judge("terminal-release", ok, expected, line)


@probe("terminal-create", "terminal-kill")
async def kills_commands(agent: PlayedAgent) -> None:
    terminal = await _create(agent, _STAYS)
    line = await _terminal(agent, "output", terminal)
    is_over = line.result.get("exitStatus") is not None
    agent.judge("terminal-output", not is_over, "no exitStatus while the command runs", line)
    await _terminal(agent, "kill", terminal)
    for method, expected in (
        ("wait_for_exit", "the exit of the killed command"),
        ("output", "the output of the terminal, since a killed terminal stays valid"),
    ):
        line = await _terminal(agent, method, terminal)
        agent.judge("terminal-kill", line.has_result, expected, line)
