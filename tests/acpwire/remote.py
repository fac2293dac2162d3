"""Helpers that run `acpgen serve` and connect to it with the `websockets` package."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.support import preloaded

PATIENCE = 60.0  # timeout for each operation, in seconds
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
# An agent that echoes requests. Fields of the params make it exit, print a line, or start a child
# process.
AGENT = """
import json, os, subprocess, sys, time
print("up", os.getpid(), file=sys.stderr, flush=True)
for line in sys.stdin.buffer:
    message = json.loads(line)
    params = message.get("params", {})
    if "die" in params:
        os._exit(params["die"])
    if "raw" in params:
        sys.stdout.buffer.write(params["raw"].encode() + b"\\n")
    if "start" in params:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        message["pid"] = child.pid
    if "id" in message and "method" in message:
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": message}
        sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=False).encode() + b"\\n")
    sys.stdout.buffer.flush()
print("down", os.getpid(), file=sys.stderr, flush=True)
"""


@dataclass
class Server:
    """A running `acpgen serve`."""

    process: subprocess.Popen[bytes]
    url: str
    token: str | None
    errors: str = ""

    def wait_for(self, text: str) -> str:
        """Read standard error until `text` appears, and return the output before it."""
        assert self.process.stderr is not None
        while text not in self.errors:
            ready, _, _ = select.select([self.process.stderr], [], [], PATIENCE)
            data = os.read(self.process.stderr.fileno(), 1 << 16) if ready else b""
            assert data, f"{text!r} was not printed, but:\n{self.errors}"
            self.errors += data.decode()
        before, _, self.errors = self.errors.partition(text)
        return before

    def line_after(self, text: str) -> str:
        self.wait_for(text)
        return self.wait_for("\n").strip()

    def end(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=PATIENCE)
        self.errors += errors.decode()
        assert "Traceback" not in self.errors, self.errors
        return self.process.returncode

    def websocket(self, *, token: str | None = None, **options: Any) -> ClientConnection:
        """Connect with the given token, or with the server's token by default."""
        token = self.token if token is None else token
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        url = self.url.replace("http", "ws", 1)
        options = {"additional_headers": headers, "max_size": None, "proxy": None, **options}
        return connect(url, **options)


@contextmanager
def serving(
    agent: Sequence[str], *options: str, environment: dict[str, str] | None = None
) -> Iterator[Server]:
    """Run `acpgen serve` on a free local port for an agent."""
    command = [*preloaded.acpgen(), "serve", "--listen", "127.0.0.1:0", *options, "--", *agent]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(environment or {})},
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().decode().strip()
        server = Server(process, url, None)
        if not url:
            raise AssertionError(server.process.communicate()[1].decode())
        if "--no-token" not in options:
            place = server.line_after("acpgen serve: token ")
            server.token = place.partition(": ")[2] or None
        yield server
    finally:
        process.kill()  # in case the process is still running
        process.communicate()


def program(folder: Path, text: str = AGENT) -> list[str]:
    path = folder / "agent.py"
    path.write_text(text, "utf-8")
    return [sys.executable, str(path)]


def call(connection: ClientConnection, id_: int, **params: Any) -> Any:
    message = {"jsonrpc": "2.0", "id": id_, "method": "_do", "params": params}
    connection.send(json.dumps(message, ensure_ascii=False))
    return receive(connection, id_)


def receive(connection: ClientConnection, id_: int) -> Any:
    while True:
        message = json.loads(connection.recv(PATIENCE))
        if message.get("id") == id_:
            return message


def initialized(server: Server, **options: Any) -> ClientConnection:
    connection = server.websocket(**options)
    connection.send(json.dumps(INITIALIZE))
    receive(connection, 0)
    return connection
