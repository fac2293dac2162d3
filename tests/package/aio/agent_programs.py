"""Agent programs that tests start and exchange messages with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.package.aio.loop import GUARD
from tests.package.jsonrpc.wire import ask, initialize, line

HEAD = """
import asyncio, logging, sys, threading, time
from acp_bindings import v{version} as surface
from acp_bindings.runtime.aio import serve_stdio

"""
# Remove the variables that configure logging and warnings for the test run.
ENV = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
ENV["PYTHONPATH"] = os.pathsep.join(sys.path)


class Program:
    """An agent process. Exiting the context closes its input and finally kills the process."""

    def __init__(
        self, folder: Path, code: str, *, version: int = 1, shell: str = "", **options: Any
    ) -> None:
        """Write a program to `agent.py` and start it.

        Args:
            folder: the folder to which `agent.py` is written.
            code: the program's code, which follows some imports.
            version: the protocol version to import as `surface`.
            shell: redirections in `sh` syntax.
            options: options for `subprocess.Popen`.
        """
        self.path = folder / "agent.py"
        self.path.write_text(HEAD.format(version=version) + code, "utf-8")
        self._version = version
        self._id = 2
        # The shell replaces itself with the program, so that signals reach the program.
        script = f'exec "$0" "$@" {shell}'
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self.process: subprocess.Popen[bytes] = subprocess.Popen(
            ["sh", "-c", script, sys.executable, str(self.path)],
            **{"env": ENV, **pipes, **options},
        )

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.communicate()

    def write(self, *messages: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line(*messages))
        self.process.stdin.flush()

    def read(self) -> Any:
        assert self.process.stdout is not None
        text = self.process.stdout.readline()
        assert text, "the output ended"
        return json.loads(text)

    def read_response(self, id_: int) -> Any:
        """Read messages until the response to a request arrives, and return it."""
        while (message := self.read()).get("id") != id_:
            pass
        return message

    def open(self) -> None:
        """Initialize the connection and open a session."""
        self.write(initialize(self._version, 0))
        self.read_response(0)
        self.write(ask(1, "session/new", cwd="/", mcpServers=[]))
        self.session = self.read_response(1)["result"]["sessionId"]

    def prompt(self, text: str = "") -> int:
        """Send a prompt and return the id of its request."""
        self._id += 1
        content = [{"type": "text", "text": text}]
        self.write(ask(self._id, "session/prompt", sessionId=self.session, prompt=content))
        return self._id

    def finish_turn(self, text: str = "") -> Any:
        """Send a prompt and return the message that ends its turn."""
        id_ = self.prompt(text)
        if self._version == 1:
            return self.read_response(id_)
        while (message := self.read()).get("params", {}).get("update", {}).get("state") != "idle":
            pass
        return message

    def begin_turn(self) -> None:
        """Send a prompt and read until the agent sends a message chunk."""
        self.prompt()
        while "agent_message_chunk" not in str(self.read()):
            pass

    def end(self) -> tuple[int, str]:
        """Close the input, and return the exit status and the text on standard error."""
        _, errors = self.process.communicate(timeout=GUARD)
        return self.process.returncode, (errors or b"").decode()

    def line_of(self, text: str) -> str:
        """Return the location of a line of the program, in the format of log entries."""
        lines = self.path.read_text("utf-8").splitlines()
        [number] = [n for n, each in enumerate(lines, 1) if text in each]
        return f"{self.path}:{number}"


def agent(turn: str, *, serve: str = "", head: str = "", more: str = "") -> str:
    """Return the source code of an agent program.

    Args:
        turn: the body of the method `turn`.
        serve: additional arguments for `serve_stdio`.
        head: code that precedes the class.
        more: additional methods of the class.
    """

    def indented(code: str, depth: int) -> str:
        return "".join(f"{' ' * depth}{each}\n" for each in code.strip("\n").splitlines())

    return (
        f"{head}\n"
        "class Agent(surface.SessionAgent):\n"
        f"{indented(more, 4)}"
        "    async def turn(self, session, params):\n"
        f"{indented(turn, 8)}\n"
        f"asyncio.run(serve_stdio(Agent, {serve}))\n"
    )
