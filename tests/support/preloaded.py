"""Programs that start quickly: an interpreter imports modules once and forks for each program.

Importing the official SDK takes a second. Importing our package with asyncio and rich takes 0.2
seconds, which is longer than most conversations take. Each program is a separate process with its
own pipes. The tests of the README, the wheel and process termination start programs directly, as
users do.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The modules imported by `acpgen` and by its commands that exchange or check messages.
ACPGEN_IMPORTED = (
    *("asyncio.subprocess", "acpgen.cli.process", "acpgen.cli.app"),
    *("acpwire.cli", "acpwire.conform.judging", "acpwire.rules.checker"),
    *("acp_bindings.v1.client_session", "acp_bindings.v2.client_session"),
    *("acp_bindings.v1.agent_session", "acp_bindings.v2.agent_session"),
    *("acp_bindings.remote", "hypercorn.asyncio", "websockets", "h2.connection"),
    *("rich.table", "rich.markdown", "acpgen.commands.generation", "acpgen.emit.package"),
)


def command(python: str, modules: tuple[str, ...], program: str) -> list[str]:
    """Return a command that runs a program in a fork of an interpreter with imported modules.

    The program is a file or the name of a module. The command forwards signals that can be handled
    and exits with the program's status. If the command is killed, the program is also killed.
    """
    if not hasattr(os, "fork"):
        return [python, *([program] if program.endswith(".py") else ["-m", program])]
    launcher = [sys.executable, "-IS", str(HERE / "preloaded_program.py")]
    return [*launcher, _server(python, modules), program]


def acpgen() -> list[str]:
    """Return a command that runs `acpgen`. Importing it every time would take 0.3 seconds."""
    return command(sys.executable, ACPGEN_IMPORTED, "acpgen")


@cache
def _server(python: str, modules: tuple[str, ...]) -> str:
    """Start a server that exits with this process. Return the path of its socket."""
    folder = tempfile.TemporaryDirectory()
    address = os.path.join(folder.name, "socket")
    server = subprocess.Popen(
        [python, str(HERE / "preloaded_server.py"), address, *modules],
        env={**os.environ, "PYTHONUTF8": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == "ready\n"

    def end() -> None:
        server.kill()
        server.wait()
        folder.cleanup()

    atexit.register(end)
    return address
