"""Tests that pair original and ported clients and servers over HTTP and WebSocket."""

from __future__ import annotations

import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

import pytest

from tests.acpport.migration import originals
from tests.acpport.migration.holding import TIMEOUT, environment
from tests.acpport.migration.originals import OURS, PORTED, VERSIONS
from tests.support import preloaded, tied_program

HOST = "localhost"
# The address in the examples. Tests replace its port.
ADDRESS = "localhost:8000"
# The clients, each with the text that it prints.
CLIENTS = {"http_client": "hello over http", "ws_client": "hello over websocket"}
CASTS = ("theirs with theirs", "ours with theirs", "theirs with ours", "ours with ours")
START = 20.0
TIED = Path(tied_program.__file__)
# The modules that our HTTP programs import.
HTTP = ("acp_bindings.remote.connecting", "h11", "h2.connection", "websockets.asyncio.client")
PRINTED = """initialized (protocol v1)
session: <id>
<< echo: {}
stop reason: end_turn
"""


def move(who: str, folder: Path, port: int) -> None:
    for path in originals.folder(who).glob("*.py"):
        text = path.read_text("utf-8").replace(ADDRESS, f"{HOST}:{port}")
        (folder / path.name).write_text(text, "utf-8")


@contextmanager
def serving(who: str, folder: Path) -> Iterator[int]:
    with socket.create_server((HOST, 0)) as free:
        port: int = free.getsockname()[1]
    move(who, folder, port)
    process = subprocess.Popen(
        [originals.python(who), str(TIED), "http_server.py"],
        cwd=folder,
        stdin=subprocess.PIPE,
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
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], int]]:
    """A function that returns the port of an example server, starting it if necessary."""
    with ExitStack() as stack:

        @cache
        def started(who: str) -> int:
            return stack.enter_context(serving(who, tmp_path_factory.mktemp("server")))

        yield started


def talk(client: str, client_of: str, port: int, folder: Path) -> str:
    """Run a client and return its output."""
    move(client_of, folder, port)
    is_ours = client_of in (OURS, PORTED)
    modules = (*originals.IMPORTED, *HTTP) if is_ours else ("acp.http", "acp.ws")
    program = str(folder / f"{client}.py")
    done = subprocess.run(
        preloaded.command(originals.python(client_of), modules, program),
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return re.sub(r"\b[0-9a-f]{32}\b", "<id>", done.stdout)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("cast", CASTS)
def test_ours_talk_as_the_originals(
    version: str, client: str, cast: str, server: Callable[[str], int], tmp_path: Path
) -> None:
    client_of, server_of = [OURS if who == OURS else version for who in cast.split(" with ")]
    printed = talk(client, client_of, server(server_of), tmp_path)
    expected = PRINTED.format(CLIENTS[client])
    if client_of == OURS:
        assert printed == expected
    else:  # the SDK might handle an update after the end of the turn
        assert sorted(printed.splitlines()) == sorted(expected.splitlines())


@pytest.mark.parametrize("version", VERSIONS[-1:])
@pytest.mark.parametrize("client", CLIENTS)
def test_ported_examples_talk_as_the_originals(
    version: str, client: str, server: Callable[[str], int], tmp_path: Path
) -> None:
    printed = talk(client, PORTED, server(PORTED), tmp_path)
    assert printed == PRINTED.format(CLIENTS[client])
