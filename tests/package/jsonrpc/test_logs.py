"""Log entries reach nobody's screen unless the program has set up logging."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from support.paths import PACKAGE

# Programs of which something fails, that the runtime logs. They do that a second time after they
# have set up logging.
HANDLER = """
import asyncio, logging
from acp_bindings import v1
from acp_bindings.runtime.aio import connect_memory
from acp_bindings.runtime import RequestError

class Agent(v1.AgentHandler):
    async def initialize(self, params):
        raise OSError("no disk")

async def main():
    async with connect_memory(Agent, v1.ClientHandler) as peer:
        try:
            await v1.AgentStub(peer).initialize(v1.InitializeRequest(protocol_version=1))
        except RequestError as error:
            assert error.code == -32603

def work():
    asyncio.run(main())
"""
SUBSCRIBER = """
import logging
from mine.vendored.acp.runtime.session.changes import Change, Subscribers

def fail(change):
    raise OSError("no disk")

subscribers = Subscribers()
subscribers.add(fail)

def work():
    subscribers.tell(Change("added", "messages", None, None))
"""
TWICE = """
work()
logging.getLogger("other").warning("this much")
logging.basicConfig()
work()
"""


def errors_of(path: Path, code: str) -> str:
    """What a program writes to standard error."""
    whole = f"import sys\nsys.path.insert(0, {str(path)!r})\n{code}"
    command = [sys.executable, "-I", "-B", "-c", whole]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stderr


def check(errors: str, package: str) -> None:
    """Check what is printed before and after logging is set up."""
    before, after = errors.split("this much\n")
    assert before == ""
    assert after.startswith(f"ERROR:{package}.runtime.")
    assert "no disk" in after


def test_a_program_decides_whether_entries_are_printed() -> None:
    check(errors_of(PACKAGE.parent, HANDLER + TWICE), "acp_bindings")


def test_so_does_a_program_with_a_copy_under_another_name(tmp_path: Path) -> None:
    copy = tmp_path / "mine" / "vendored" / "acp"
    shutil.copytree(PACKAGE / "runtime", copy / "runtime")
    check(errors_of(tmp_path, SUBSCRIBER + TWICE), "mine.vendored.acp")
