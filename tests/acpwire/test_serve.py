"""Tests of `acpgen serve`, which makes a stdio agent available over WebSocket and HTTP."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from acp_bindings.remote import RemoteLimits
from acp_bindings.runtime.aio import memory_messages
from acp_bindings.runtime.jsonrpc.envelope import Message
from acpgen.common.problems import InputError
from acpwire import serve as commands_serve
from acpwire.serve import Address, parse_address, wait_for_room
from h2.connection import H2Connection
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.acpwire.remote import (
    INITIALIZE,
    PATIENCE,
    Server,
    call,
    initialized,
    program,
    serving,
)
from tests.support import preloaded

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(program(tmp_path)) as server:
        yield server


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


# --- messages ----------------------------------------------------------------------------------


def test_text_passes_in_both_directions(server: Server) -> None:
    text = "a\u2028b\u0085\U0001f600" + "x" * 3_000_000
    with initialized(server) as connection:
        assert call(connection, 1, text=text)["result"]["params"] == {"text": text}


def test_the_agent_can_be_reached_over_http(server: Server) -> None:
    headers = {"Authorization": f"Bearer {server.token}"}
    with httpx.Client(trust_env=False, headers=headers) as client:
        response = client.post(server.url, json=INITIALIZE)
        assert (response.status_code, response.json()["id"]) == (200, 0)
        assert "Server" not in response.headers
        client.headers["Acp-Connection-Id"] = response.headers["Acp-Connection-Id"]
        accept = {"Accept": "text/event-stream"}
        with client.stream("GET", server.url, headers=accept) as events:
            request = {"jsonrpc": "2.0", "id": 1, "method": "_do", "params": {}}
            assert client.post(server.url, json=request).status_code == 202
            found = next(line for line in events.iter_lines() if line.startswith("data: "))
            assert json.loads(found[6:])["result"] == request
        assert client.delete(server.url).status_code == 202
    server.wait_for("down")


def test_a_connection_over_http2_may_listen_to_all_its_sessions(server: Server) -> None:
    url = httpx.URL(server.url)
    http = H2Connection()
    http.initiate_connection()
    with socket.create_connection((url.host, url.port or 0), PATIENCE) as connection:
        connection.sendall(http.data_to_send())
        http.receive_data(connection.recv(1 << 16))
    assert http.remote_settings.max_concurrent_streams > RemoteLimits().sessions


def test_each_connection_has_a_process(server: Server) -> None:
    with initialized(server), initialized(server):
        pids = {server.line_after("up ") for _ in range(2)}
        assert len(pids) == 2


def test_what_agents_print_has_the_number_of_their_connection(server: Server) -> None:
    with initialized(server):
        server.wait_for("acpgen serve: [1] up")
    with initialized(server):
        server.wait_for("acpgen serve: [2] up")


def test_text_that_is_not_a_message_is_logged_and_dropped(server: Server) -> None:
    with initialized(server) as connection:
        assert call(connection, 1, raw="Loading…")["id"] == 1
        text = "[1] not a message (no value at character 0); dropped: 'Loading…'"
        server.wait_for(text)


def test_a_message_after_text_on_its_line_passes(server: Server) -> None:
    with initialized(server) as connection:
        raw = 'Loading… {"jsonrpc": "2.0", "method": "_it", "params": {"a": "é"}}'
        connection.send(json.dumps({"jsonrpc": "2.0", "method": "_", "params": {"raw": raw}}))
        assert json.loads(connection.recv(PATIENCE))["params"] == {"a": "é"}


def test_a_response_that_is_not_json_fails_its_request(server: Server) -> None:
    with initialized(server) as connection:
        raw = '{"jsonrpc": "2.0", "id": 7, "result": {"a": NaN}}'
        connection.send(json.dumps({"jsonrpc": "2.0", "method": "_", "params": {"raw": raw}}))
        message = json.loads(connection.recv(PATIENCE))
        assert (message["id"], message["error"]["code"]) == (7, -32603)


def test_line_breaks_within_a_message_do_not_split_it(server: Server) -> None:
    with initialized(server) as connection:
        connection.send(json.dumps({**INITIALIZE, "id": 1}, indent=1).replace("\n", "\r\n"))
        assert json.loads(connection.recv(PATIENCE))["id"] == 1


# --- exit --------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_the_processes_of_a_connection_end_with_it(server: Server) -> None:
    with initialized(server) as connection:
        child = call(connection, 1, start=True)["result"]["pid"]
        assert is_running(child)
        with initialized(server) as other:
            connection.close()
            server.wait_for("down")
            assert call(other, 1)["id"] == 1
    assert server.end() == 130
    assert not is_running(child)


def test_the_end_of_the_agent_ends_its_connection(server: Server) -> None:
    with initialized(server) as connection, initialized(server) as other:
        with pytest.raises(ConnectionClosed):
            call(connection, 1, die=3)
        server.wait_for("[1] the agent exited with code 3")
        assert call(other, 1)["id"] == 1


def test_an_agent_that_ends_at_once_fails_the_first_request(tmp_path: Path) -> None:
    with serving(["sh", "-c", "exit 4"], "--no-token") as server:
        response = httpx.post(server.url, json=INITIALIZE, trust_env=False)
        assert response.status_code == 500
        server.wait_for("[1] the agent exited with code 4")


def test_an_agent_that_cannot_be_started_fails_the_first_request(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.write_text("#!/bin/sh\n", "utf-8")
    agent.chmod(0o755)
    with serving([str(agent)], "--no-token") as server:
        agent.unlink()
        response = httpx.post(server.url, json=INITIALIZE, trust_env=False)
        assert response.json()["error"]["message"] == "the agent cannot be started"
        server.wait_for("[1] the agent cannot be started: no such program")


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_connections_and_processes(server: Server, name: str) -> None:
    number = signal.Signals[name]
    with initialized(server) as connection:
        agent = int(server.line_after("up "))
        child = call(connection, 1, start=True)["result"]["pid"]
        assert server.end(number) == 128 + number
        with pytest.raises(ConnectionClosed) as closed:
            connection.recv(PATIENCE)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1001
        assert not is_running(agent)
        assert not is_running(child)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_the_processes_end_if_the_server_is_killed(server: Server) -> None:
    with initialized(server) as connection:
        child = call(connection, 1, start=True)["result"]["pid"]
        server.process.kill()
        server.process.wait()
        reading = server.process.stderr
        assert reading is not None
        reading.read()
    for _ in range(int(PATIENCE * 50)):
        if not is_running(child):
            break
        subprocess.run(["sleep", "0.02"], check=True)
    assert not is_running(child)


# --- trust -------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["", "wrong"])
def test_a_token_is_needed(server: Server, token: str) -> None:
    with pytest.raises(InvalidStatus, match="401"):
        server.websocket(token=token)


def test_a_page_passes_the_token_as_a_subprotocol(tmp_path: Path) -> None:
    origin = "http://page.test"
    with serving(program(tmp_path), "--origin", origin) as server:
        protocols = ["acp", f"acp.bearer.{server.token}"]
        options = {"token": "", "subprotocols": protocols}
        with initialized(server, origin=origin, **options) as connection:
            assert connection.subprotocol == "acp"
        with pytest.raises(InvalidStatus, match="403"):
            server.websocket(origin="http://other.test", **options)


def test_a_token_comes_from_the_environment_which_agents_do_not_see(tmp_path: Path) -> None:
    agent = "import os, sys; print(os.environ.get('ACP_TOKEN'), file=sys.stderr)"
    environment = {"ACP_TOKEN": "secret"}
    with serving(program(tmp_path, agent), environment=environment) as server:
        assert httpx.post(server.url, json=INITIALIZE, trust_env=False).status_code == 401
        with server.websocket(token="secret") as connection:
            connection.send(json.dumps(INITIALIZE))
            server.wait_for("[1] None")
    assert "secret" not in server.errors


def test_a_new_token_is_written_to_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    file = tmp_path / "token"
    for place in ("created and written to", "from"):
        with serving(program(tmp_path), "--token-file", str(file)) as server:
            token = file.read_text("utf-8").strip()
            assert len(token) > 40
            with initialized(server, token=token):
                pass
            assert server.end() == 130
            assert token not in server.errors
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, place


def test_without_a_token_programs_of_this_machine_are_served(tmp_path: Path) -> None:
    with serving(program(tmp_path), "--no-token") as server:
        with initialized(server):
            pass
        with pytest.raises(InvalidStatus, match="403"):
            server.websocket(additional_headers={"X-Forwarded-For": "1.2.3.4"})
        with pytest.raises(InvalidStatus, match="403"):
            server.websocket(origin="http://page.test")


def test_anyone_is_served_if_that_is_wanted(tmp_path: Path) -> None:
    with serving(program(tmp_path), "--no-token", "--anyone") as server:
        with initialized(server, additional_headers={"X-Forwarded-For": "1.2.3.4"}):
            pass
        with pytest.raises(InvalidStatus, match="403"):
            server.websocket(origin="http://page.test")


def test_connections_are_limited(tmp_path: Path) -> None:
    with serving(program(tmp_path), "--max-connections", "1") as server:
        with initialized(server), pytest.raises(InvalidStatus, match="503"):
            server.websocket()
        server.wait_for("down")


# --- slow clients ------------------------------------------------------------------------------


async def test_only_requests_are_refused() -> None:
    ours, theirs = memory_messages()
    request = {"jsonrpc": "2.0", "id": 3, "method": "_x"}
    others = [{"jsonrpc": "2.0", "method": "_x"}, {"jsonrpc": "2.0", "id": 4, "result": {}}]
    theirs.send([Message(json.dumps(each).encode()) for each in (*others, request)])
    await commands_serve._refuse(ours, "no agent")
    await ours.close()
    [refusal] = await theirs.receive()
    error = {"code": -32603, "message": "no agent"}
    assert json.loads(refusal.text) == {"jsonrpc": "2.0", "id": 3, "error": error}


async def test_a_connection_ends_after_the_processes_of_its_agent() -> None:
    steps: list[str] = []

    class Played:
        def begin(self) -> None:
            steps.append("begin")

        def wait(self) -> None:
            steps.append("wait")

        async def close(self) -> None:
            steps.append("close")

    played: Any = Played()
    await commands_serve._end(played, played)
    assert steps == ["begin", "close", "wait"]


async def test_a_client_that_reads_nothing_ends_its_connection() -> None:
    limits = replace(RemoteLimits(), unread_bytes=400, listener_timeout=0.01)
    here, there = memory_messages(room=1)
    here.send([Message(b"x" * 100)])
    await wait_for_room(here, limits, None)  # little is unread
    here.send([Message(b"x")])
    with pytest.raises(OSError, match="the client stopped reading"):
        await wait_for_room(here, limits, None)
    await there.receive()
    await wait_for_room(here, limits, None)


# --- options -----------------------------------------------------------------------------------


def refused(*arguments: str, environment: dict[str, str] | None = None) -> str:
    """Run `acpgen serve` with invalid arguments, and return the text on standard error."""
    done = subprocess.run(
        [*preloaded.acpgen(), "serve", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env={**os.environ, "COLUMNS": "400", **(environment or {})},
    )
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--", "/no/agent"], "error[io]: /no/agent: cannot be started"),
        (["--listen", "8080", "--", "cat"], "'8080' is not an address"),
        (["--listen", "::1:8080", "--", "cat"], "'::1:8080' is not an address"),
        (
            ["--listen", "192.0.2.1:1", "--", "cat"],
            "error[io]: 192.0.2.1:1: cannot listen on this address",
        ),
        (["--path", "acp", "--", "cat"], "'acp' does not begin with a slash"),
        (["--key", "key.pem", "--", "cat"], "must be used together"),
        (["--anyone", "--", "cat"], "requires --no-token"),
        (["--no-token", "--token-file", "token", "--", "cat"], "are mutually exclusive"),
        (["--no-token", "--listen", "0.0.0.0:0", "--", "cat"], "add --anyone if a proxy"),
        (["--no-token", "--origin", "*", "--", "cat"], "any page could use the agent"),
        (["--certificate", "no.pem", "--key", "no.pem", "--", "cat"], "error[io]: no.pem"),
        (["--certificate", __file__, "--key", __file__, "--", "cat"], "error[certificate]"),
        (["--token-file", os.devnull, "--", "cat"], "error[token]: /dev/null: is empty"),
        (["--token-file", "/no/folder/token", "--", "cat"], "error[io]: /no/folder/token"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else "",
)
def test_unusable_options_are_problems(arguments: list[str], problem: str) -> None:
    assert problem in refused(*arguments)


def test_a_missing_server_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands_serve, "find_spec", lambda name: None)
    address = parse_address("127.0.0.1:0")
    service = commands_serve.Service(["cat"], address, "/acp", None, False, (), None, 10)
    with pytest.raises(InputError, match=r"pip install 'acp-bindings\[serve\]'"):
        commands_serve.run(service, print)


def test_a_port_that_is_in_use_is_a_problem() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        problem = f"error[io]: {address}: cannot listen on this address (Address already in use)"
        assert problem in refused("--listen", address, "--", "cat")


def test_a_token_that_headers_cannot_have_is_a_problem() -> None:
    environment = {"ACP_TOKEN": "two words"}
    assert "error[token]: ACP_TOKEN: contains spaces" in refused(
        "--", "cat", environment=environment
    )


@pytest.mark.parametrize("text", ["127.0.0.1:8080", "[::1]:1", "localhost:0", "localhost:65535"])
def test_addresses(text: str) -> None:
    address = parse_address(text)
    assert (address.netloc, address.is_loopback) == (text, True)


@pytest.mark.parametrize(
    "text",
    [
        *("", "localhost", ":80", "localhost:", "localhost:x", "localhost:\u0663"),
        *("localhost:65536", "::1:80", "[::1:80", "::1]:80"),
    ],
)
def test_texts_that_are_no_addresses(text: str) -> None:
    problem = f"{text!r} is not an address; use a value such as 127.0.0.1:8080"
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        parse_address(text)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org"])
def test_addresses_that_other_machines_reach(host: str) -> None:
    assert Address(host, 80).is_loopback is False
