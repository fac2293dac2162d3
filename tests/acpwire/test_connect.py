"""Tests of `acpgen connect` and of commands that accept a URL instead of an agent command."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from acpgen.cli.app import app
from acpwire import connect
from acpwire.conform import judging
from acpwire.processes import as_program
from typer.testing import CliRunner

from tests.acpwire.remote import INITIALIZE, PATIENCE, Server, program, serving
from tests.support import preloaded

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

Connected = subprocess.Popen[bytes]


@contextmanager
def connected(server: Server, *options: str, **environment: str) -> Iterator[Connected]:
    """Run `acpgen connect` with a server's URL and token."""
    process = subprocess.Popen(
        [*preloaded.acpgen(), "connect", *options, server.url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **({"ACP_TOKEN": server.token} if server.token else {}), **environment},
    )
    try:
        yield process
    finally:
        process.kill()  # in case the process is still running
        process.communicate()


def ask(process: Connected, id_: int = 0, method: str = "_do", **params: Any) -> Any:
    message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
    return exchange(process, json.dumps(message, ensure_ascii=False).encode())


def exchange(process: Connected, line: bytes) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line + b"\n")
    process.stdin.flush()
    ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
    assert ready, "no response"
    received = process.stdout.readline()
    assert received, process.communicate()
    return json.loads(received)


def initialize(process: Connected) -> None:
    assert exchange(process, json.dumps(INITIALIZE).encode())["id"] == 0


def end(process: Connected) -> tuple[int, str]:
    output, errors = process.communicate(timeout=PATIENCE)
    assert output == b""
    assert b"Traceback" not in errors, errors.decode()
    return process.returncode, errors.decode()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(program(tmp_path_factory.mktemp("agent"))) as server:
        yield server


@pytest.fixture(params=["websocket", "http"])
def transport(request: pytest.FixtureRequest) -> str:
    return f"--transport={request.param}"


# --- messages ----------------------------------------------------------------------------------


def test_text_passes_in_both_directions(server: Server, transport: str) -> None:
    text = "a\u2028b\u0085\U0001f600" + "x" * 3_000_000
    with connected(server, transport) as process:
        initialize(process)
        assert ask(process, 1, text=text)["result"]["params"] == {"text": text}
        assert end(process) == (0, "")


def test_the_last_messages_are_sent_at_the_end_of_the_input(
    server: Server, transport: str, tmp_path: Path
) -> None:
    agent = (
        "import pathlib, sys\n"
        "for line in sys.stdin:\n"
        "    if 'initialize' in line:\n"
        '        print(\'{"jsonrpc": "2.0", "id": 0, "result": {}}\', flush=True)\n'
        "    else:\n"
        f"        pathlib.Path({str(tmp_path / 'got')!r}).write_text(line)\n"
        "print('down', file=sys.stderr)\n"
    )
    with serving(program(tmp_path, agent)) as other, connected(other, transport) as process:
        initialize(process)
        assert process.stdin is not None
        process.stdin.write(b'{"jsonrpc": "2.0", "method": "_last", "params": {}}\n')
        assert end(process) == (0, "")
        other.wait_for("down")
        assert "_last" in (tmp_path / "got").read_text("utf-8")


@pytest.mark.parametrize(
    ("line", "id_"),
    [(b'{"jsonrpc": "2.0", "id": 5, "method": "_\xff"}', 5), (b"\xff", None)],
)
def test_text_that_is_not_unicode_is_refused(
    server: Server, transport: str, line: bytes, id_: int | None
) -> None:
    with connected(server, transport) as process:
        initialize(process)
        response = exchange(process, line)
        assert (response["id"], response["error"]["code"]) == (id_, -32700)
        assert ask(process, 6)["id"] == 6


def test_text_that_is_not_json_is_refused_over_http(server: Server) -> None:
    with connected(server, "--transport=http") as process:
        initialize(process)
        response = exchange(process, b'{"jsonrpc": "2.0", "id": 5, "method": "_", "params": ]}')
        assert (response["id"], response["error"]["code"]) == (5, -32700)
        assert ask(process, 6)["id"] == 6


def test_batches_are_refused_over_http(server: Server) -> None:
    with connected(server, "--transport=http") as process:
        initialize(process)
        response = exchange(process, b'[{"jsonrpc": "2.0", "id": 5, "method": "_"}]')
        assert (response["id"], response["error"]["code"]) == (None, -32600)
        assert ask(process, 6)["id"] == 6


# --- exit --------------------------------------------------------------------------------------


def test_the_end_of_the_agent_is_an_error(server: Server, transport: str) -> None:
    with connected(server, transport) as process:
        initialize(process)
        assert process.stdin is not None
        process.stdin.write(b'{"jsonrpc": "2.0", "method": "_", "params": {"die": 3}}\n')
        process.stdin.flush()
        assert process.wait(PATIENCE) == 1
        _, errors = process.communicate()
        assert errors.startswith(f"acpgen connect: {server.url}: ".encode())
        assert errors.count(b"\n") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_end_of_the_server_is_an_error(tmp_path: Path, transport: str, number: int) -> None:
    with serving(program(tmp_path)) as server, connected(server, transport) as process:
        initialize(process)
        server.process.send_signal(number)
        assert process.wait(PATIENCE) == 1
        _, errors = process.communicate()
        assert errors.startswith(f"acpgen connect: {server.url}: ".encode())
        assert errors.count(b"\n") == 1


def test_a_signal_ends_the_connection(server: Server, transport: str) -> None:
    with connected(server, transport) as process:
        initialize(process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 128 + signal.SIGTERM
        assert process.communicate() == (b"", b"")


def test_a_signal_ends_the_attempt_to_connect() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/acp"
        with subprocess.Popen(
            [*preloaded.acpgen(), "connect", url], stdin=-1, stdout=-1, stderr=-1
        ) as run:
            connection, _ = silent.accept()
            with connection:
                connection.recv(1)
                run.send_signal(signal.SIGINT)
                assert run.communicate(timeout=PATIENCE) == (b"", b"")
                assert run.returncode == 130


def test_a_client_that_reads_nothing_more_ends_the_connection(server: Server) -> None:
    with connected(server) as process:
        initialize(process)
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.close()
        request = {"jsonrpc": "2.0", "id": 1, "method": "_", "params": {}}
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        assert process.wait(PATIENCE) == 0


# --- reconnecting ------------------------------------------------------------------------------

STORED = """
import asyncio, sys
from acp_bindings import v1, v2
from acp_bindings.runtime.aio import serve_stdio
from acp_bindings.v1 import kit as kit_1
from acp_bindings.v2 import kit as kit_2

def agent(kit):
    class Agent(kit.StoredAgent):
        store = kit.SessionStore(sys.argv[1])
        async def turn(self, session, params):
            await session.say(params.prompt[0].text)
            if params.prompt[0].text == "wait":
                await asyncio.Event().wait()
    return Agent

asyncio.run(serve_stdio(agent(kit_1), agent(kit_2)))
"""


@pytest.mark.parametrize(
    ("transport", "version", "introduction"),
    [
        ("websocket", 1, {}),
        ("http", 2, {"info": {"name": "client", "version": "1"}, "capabilities": {}}),
    ],
)
def test_sessions_outlive_a_lost_connection(
    tmp_path: Path, transport: str, version: int, introduction: dict[str, Any]
) -> None:
    """Killing the server ends the current turn, and the next server restores the session."""
    command = [*program(tmp_path, STORED), str(tmp_path / "sessions")]
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def send(id_: int, method: str, **params: Any) -> None:
        assert process.stdin is not None
        message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()

    def prompt(id_: int, text: str) -> None:
        content = [{"type": "text", "text": text}]
        send(id_, "session/prompt", sessionId=session_id, prompt=content)

    def wait_for(*found: str) -> Any:
        """Wait for a message that contains all the given strings, and return it."""
        while True:
            message = json.loads(lines.get(timeout=PATIENCE))
            if all(text in json.dumps(message) for text in found):
                return message

    ended = {1: ('"id": 3', "-32603"), 2: ('"state": "idle"',)}[version]
    with serving(command, "--no-token") as server:
        address = server.url.removeprefix("http://").partition("/")[0]
        with connected(server, f"--transport={transport}", "--reconnect") as process:
            assert process.stdout is not None
            reading = threading.Thread(
                target=lambda out: [lines.put(line) for line in out],
                args=[process.stdout],
                daemon=True,
            )
            reading.start()
            send(0, "initialize", protocolVersion=version, **introduction)
            wait_for('"id": 0')
            send(1, "session/new", cwd=str(tmp_path), mcpServers=[])
            session_id = wait_for('"id": 1')["result"]["sessionId"]
            prompt(3, "wait")
            wait_for('"agent_message_chunk"', '"wait"')
            server.process.kill()
            server.process.wait()
            wait_for(*ended)
            with serving(command, "--no-token", "--listen", address):
                prompt(4, "again")
                wait_for('"agent_message_chunk"', '"again"')
                assert process.stdin is not None
                process.stdin.close()
                assert process.wait(PATIENCE) == 0
                reading.join()
                process.stdin = None
                _, errors = process.communicate()
            assert errors.endswith(
                b"acpgen connect: reconnected to the agent; restored sessions: 1\n"
            )


# --- trust -------------------------------------------------------------------------------------


def test_a_wrong_token_is_an_error(server: Server) -> None:
    with connected(server, ACP_TOKEN="mistaken") as process:
        code, errors = end(process)
        assert code == 2
        assert errors.startswith("error[io]: acpgen connect: ")
        assert "401" in errors
        assert "mistaken" not in errors


def test_a_wrong_token_is_an_error_over_http(server: Server) -> None:
    with connected(server, "--transport=http", ACP_TOKEN="wrong") as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        assert process.wait(PATIENCE) == 1
        assert b"401" in process.communicate()[1]


def test_a_token_comes_from_a_file(server: Server, tmp_path: Path) -> None:
    assert server.token is not None
    file = tmp_path / "token"
    file.write_text(f"{server.token}\n", "utf-8")
    with connected(server, "--token-file", str(file), ACP_TOKEN="wrong") as process:
        initialize(process)


def test_a_header_comes_from_the_environment(server: Server) -> None:
    options = ["--header", "Authorization: @SECRET"]
    environment = {"SECRET": f"Bearer {server.token}", "ACP_TOKEN": ""}
    with connected(server, *options, **environment) as process:
        initialize(process)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["agent.py"], "error[usage]: agent.py: is not the URL of a remote agent"),
        (["http://"], "error[usage]: http://: is not the URL of a remote agent"),
        (["http://127.0.0.1:99999/acp"], "is not the URL of a remote agent"),
        (["http://me:secret@127.0.0.1/acp"], "error[usage]: http://127.0.0.1/acp: credentials"),
        (["--ca", __file__, "https://127.0.0.1:1/acp"], "error[certificate]"),
        (["--ca", "no.pem", "https://127.0.0.1:1/acp"], "error[io]: no.pem"),
        (["--token-file", "no", "http://127.0.0.1:1/acp"], "error[io]: no"),
        (["http://127.0.0.1:1/acp"], "error[io]: acpgen connect: cannot connect to http://127"),
    ],
)
def test_unusable_options_are_problems(arguments: list[str], problem: str) -> None:
    done = subprocess.run(
        [*preloaded.acpgen(), "connect", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr
    assert done.stderr.count("\n") == 1


# --- TLS ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The paths of a self-signed certificate for 127.0.0.1 and of its key."""
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = str(folder / "certificate.pem"), str(folder / "key.pem")
    options = ["-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1"]
    made = ["openssl", "req", "-x509", *options, *names, "-keyout", key, "-out", certificate]
    subprocess.run(made, check=True, capture_output=True)
    return certificate, key


def test_messages_pass_over_tls(
    certificate: tuple[str, str], transport: str, tmp_path: Path
) -> None:
    options = ["--certificate", certificate[0], "--key", certificate[1]]
    with serving(program(tmp_path), *options) as server:
        assert server.url.startswith("https://")
        with connected(server, transport, "--ca", certificate[0]) as process:
            initialize(process)
            assert ask(process, 1)["id"] == 1
            assert end(process) == (0, "")


def test_a_connection_over_http2_has_many_messages(
    certificate: tuple[str, str], tmp_path: Path
) -> None:
    options = ["--certificate", certificate[0], "--key", certificate[1]]
    with (
        serving(program(tmp_path), *options) as server,
        connected(server, "--transport=http", "--ca", certificate[0]) as process,
    ):
        initialize(process)
        assert process.stdin is not None
        process.stdin.write(b'{"jsonrpc": "2.0", "method": "_", "params": {}}\n' * 1_100)
        assert ask(process, 1)["id"] == 1


def test_an_unknown_authority_is_an_error(certificate: tuple[str, str], tmp_path: Path) -> None:
    options = ["--certificate", certificate[0], "--key", certificate[1]]
    with serving(program(tmp_path), *options) as server, connected(server) as process:
        code, errors = end(process)
        assert code == 2
        assert "certificate verify failed" in errors


# --- URLs as commands --------------------------------------------------------------------------


def test_wrap_records_a_remote_agent(server: Server, tmp_path: Path) -> None:
    log = tmp_path / "acp.log"
    assert server.token is not None
    with subprocess.Popen(
        [*preloaded.acpgen(), "wrap", "--log", str(log), server.url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "ACP_TOKEN": server.token},
    ) as process:
        initialize(process)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
    text = log.read_text("utf-8")
    assert server.url in text
    assert text.count("initialize") >= 1


AGENT = """
import asyncio
from acp_bindings import v2
from acp_bindings.runtime.aio import serve_stdio
class Agent(v2.SessionAgent):
    async def turn(self, session, params):
        await session.say("Hello")
asyncio.run(serve_stdio(Agent))
"""


def verdicts(*command: str) -> tuple[list[str], dict[Any, Any]]:
    done = CliRunner().invoke(app, ["conform", "--json", "--", *command])
    report = json.loads(done.stdout)
    assert report["errors"] == {}
    found = {(each["protocol"], each["id"]): each["status"] for each in report["verdicts"]}
    return report["command"], found


def test_conform_gives_a_remote_agent_the_verdicts_of_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [_, path] = program(tmp_path, AGENT)
    modules = ("asyncio.subprocess", "acp_bindings.v2.agent_session")
    command = preloaded.command(sys.executable, modules, path)
    named, expected = verdicts(*command)
    assert named == command
    assert len(expected) > 50
    with serving(command) as server:
        assert server.token is not None
        connect = ["connect", server.url]
        assert as_program([server.url])[-2:] == connect
        # `acpgen conform` starts this command for each requirement, so the command must start
        # quickly.
        monkeypatch.setattr(judging, "as_program", lambda given: [*preloaded.acpgen(), *connect])
        monkeypatch.setenv("ACP_TOKEN", server.token)
        assert verdicts(server.url) == ([server.url], expected)


async def test_a_connection_that_opens_in_spite_of_a_signal_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Opened:
        is_closed = False

        async def close(self) -> None:
            self.is_closed = True

    opened = Opened()

    async def open_late(*args: Any) -> Opened:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(PATIENCE)
        return opened

    monkeypatch.setattr(connect, "_open", open_late)
    signalled: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(signalled.set_result, signal.SIGINT)
    remote = connect.Remote("https://example.org", {}, None, None, None, reconnects=False)
    assert await connect._open_unless(remote, signalled) is None
    assert opened.is_closed


async def test_an_unexpected_error_while_messages_pass_is_raised() -> None:
    async def fail() -> None:
        raise LookupError("mine")

    there, back = asyncio.create_task(fail()), asyncio.create_task(asyncio.sleep(PATIENCE, False))
    await asyncio.wait([there])
    with pytest.raises(LookupError, match="mine"):
        connect._reason(there, back)
    back.cancel()
