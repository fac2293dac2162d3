"""Log entries reach nobody's screen unless the program has set up logging."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.paths import PACKAGE

# Programs of which something fails, that the runtime logs.
HANDLER = """
import asyncio
from {package} import v1
from {package}.runtime.aio import connect_memory
from {package}.runtime.jsonrpc import RequestError

class Agent(v1.AgentHandler):
    async def initialize(self, params):
        raise OSError("no disk")

async def main():
    async with connect_memory(Agent, v1.ClientHandler) as peer:
        try:
            await v1.AgentStub(peer).initialize(v1.InitializeRequest(protocol_version=1))
        except RequestError as error:
            assert error.code == -32603

asyncio.run(main())
"""
SUBSCRIBER = """
from {package} import v1
from {package}.v1.session import SessionState

def fail(change):
    raise OSError("no disk")

state = SessionState()
state.subscribe(fail)
state.apply(v1.UsageUpdate(used=1, size=2))
"""
OTHER = """
import logging
logging.getLogger("other").warning("seen")
"""


def errors_of(path: Path, code: str) -> str:
    """What a program writes to standard error."""
    whole = f"import sys\nsys.path.insert(0, {str(path)!r})\n{code}"
    command = [sys.executable, "-I", "-B", "-c", whole]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("code", [HANDLER, SUBSCRIBER], ids=["handler", "subscriber"])
@pytest.mark.parametrize("package", ["acp_bindings", "mine.vendored.acp"])
def test_a_program_decides_whether_entries_are_printed(
    code: str, package: str, tmp_path: Path
) -> None:
    path = PACKAGE.parent
    if package != PACKAGE.name:
        path = tmp_path
        copy = shutil.copytree(PACKAGE, tmp_path.joinpath(*package.split(".")))
        for folder in (copy.parent, copy.parent.parent):
            (folder / "__init__.py").touch()
    program = code.format(package=package)
    assert errors_of(path, program + OTHER) == "seen\n"
    printed = errors_of(path, "import logging\nlogging.basicConfig()\n" + program)
    assert f"ERROR:{package}.runtime." in printed
    assert "no disk" in printed
