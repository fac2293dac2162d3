"""Each client with the server, over Streamable HTTP and WebSocket, in both roles."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
from support import preloaded

from migration import originals
from migration.holding import TIMEOUT, Conversation, comparable, environment, unordered
from migration.originals import OURS, VERSIONS
from migration.wire import HOST, Wire, free_port

# All of them use this one port.
ADDRESS = "localhost:8000"
# The clients, and what they say.
CLIENTS = {"http_client": "hello over http", "ws_client": "hello over websocket"}
CASTS = ("ours with theirs", "theirs with ours", "ours with ours")
START = 20.0
# What ours import for it.
HTTP = ("httpx", "starlette.applications", "starlette.websockets", "websockets.asyncio.client")
PRINTED = "initialized (protocol v1)\nsession: <id>\n<< echo: {}\nstop reason: end_turn\n"


@dataclass
class Remote:
    """A conversation over the network, with the requests of HTTP that made it."""

    conversation: Conversation
    requests: list[tuple[str, str, list[str]]]


Talk = Callable[[str, str, str], Remote]


def starting(who: str) -> tuple[str, tuple[str, ...]]:
    """The interpreter of a client, and what takes long to import."""
    modules = (*originals.IMPORTED, *HTTP) if who == OURS else ("acp.http", "acp.ws")
    return originals.python(who), modules


def move(who: str, folder: Path, port: int) -> None:
    """Copy the examples to a folder, with another port."""
    moved = 0
    for path in originals.folder(who).glob("*.py"):
        text = path.read_text("utf-8")
        moved += path.stem in ("http_server", *CLIENTS) and ADDRESS in text
        (folder / path.name).write_text(text.replace(ADDRESS, f"{HOST}:{port}"), "utf-8")
    assert moved == 3


@contextmanager
def serving(who: str, folder: Path) -> Iterator[int]:
    """Run the server, and yield its port."""
    port = free_port()
    move(who, folder, port)
    process = subprocess.Popen(
        [originals.python(who), "http_server.py"],
        cwd=folder,
        env={**environment(), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        expected = f"Serving ACP agent on http://{HOST}:{port}/acp (HTTP + WS)\n"
        assert process.stdout.readline() == expected
        end = time.monotonic() + START
        while True:
            try:
                socket.create_connection((HOST, port)).close()
                break
            except OSError:
                assert time.monotonic() < end, "the server does not listen"
                time.sleep(0.05)
        yield port
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    """Run a client with a server; each server runs once, and each conversation is held once."""
    with ExitStack() as stack:

        @cache
        def server(who: str) -> int:
            return stack.enter_context(serving(who, tmp_path_factory.mktemp("server")))

        @cache
        def held(client_of: str, server_of: str, client: str) -> Remote:
            folder = tmp_path_factory.mktemp("client")
            with Wire(server(server_of)) as wire:
                move(client_of, folder, wire.port)
                done = subprocess.run(
                    preloaded.command(*starting(client_of), str(folder / f"{client}.py")),
                    cwd=folder,
                    env=environment(),
                    capture_output=True,
                    text=True,
                    timeout=TIMEOUT,
                    check=False,
                )
                entries = wire.messages()
                shutil.rmtree(folder)
                conversation = comparable(
                    done.stdout, done.stderr, done.returncode, entries, folder
                )
                return Remote(conversation, wire.requests())

        yield held


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("client", CLIENTS)
def test_the_originals_talk_as_expected(version: str, client: str, talk: Talk) -> None:
    """The others are compared with this one, so it must say something."""
    remote = talk(version, version, client)
    held = remote.conversation
    assert (held.exit, held.errors) == (0, [])
    assert unordered(held) == unordered(replace(held, printed=PRINTED.format(CLIENTS[client])))
    methods = ["initialize", "session/new", "session/prompt"]
    assert [message["method"] for message in held.client] == methods
    assert len(held.agent) == 4
    used = [method for method, path, _ in remote.requests if path == "/acp"]
    http = ["DELETE", "GET", "GET", "POST", "POST", "POST"]
    assert used == (http if client == "http_client" else ["GET"])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("cast", CASTS)
def test_ours_talk_as_the_originals(version: str, client: str, cast: str, talk: Talk) -> None:
    client_of, server_of = [OURS if who == OURS else version for who in cast.split(" with ")]
    held, expected = talk(client_of, server_of, client), talk(version, version, client)
    assert unordered(held.conversation) == unordered(expected.conversation)
    if client_of == OURS:
        assert held.conversation.printed == PRINTED.format(CLIENTS[client])
    assert held.requests == expected.requests
