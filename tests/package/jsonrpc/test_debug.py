"""Debug mode: tracebacks in what is sent, and notifications that nobody handles in the log."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import UNSET, RequestError
from acp_bindings.runtime.aio import (
    Peer,
    connect,
    connect_memory,
    connect_stdio,
    serve,
    serve_stdio,
)
from package.jsonrpc.aio_sides import ASK, agent
from package.jsonrpc.loop import handler, run
from package.session.scripted import V1, V2, begun, prompt
from package.session.scripted import agent as session_agent
from package.session.scripted import run as run_quietly


async def fail(peer: Peer, method: str, params: Any) -> Any:
    raise ValueError("the reason")


def data_of_failure(debug: bool | None) -> Any:
    """The data of the internal error that a client gets from a handler that fails."""
    found: list[Any] = []

    async def main() -> None:
        client = handler(v1.ClientHandler)
        async with connect_memory(agent(ext_request=fail), client, debug=debug) as peer:
            with pytest.raises(RequestError) as caught:
                await peer.request(ASK, None)
            found.append(caught.value.data)

    run(main())
    return found[0]


def test_an_internal_error_has_a_traceback() -> None:
    data = data_of_failure(True)
    assert list(data) == ["traceback"]
    assert data["traceback"].startswith("Traceback (most recent call last):\n")
    assert data["traceback"].endswith("ValueError: the reason\n")


@pytest.mark.parametrize("debug", [None, False])
def test_otherwise_an_internal_error_has_no_data(debug: bool | None) -> None:
    assert data_of_failure(debug) is UNSET


@pytest.mark.parametrize(("value", "is_on"), [("1", True), ("0", False), ("", False)])
def test_the_environment_turns_it_on(
    value: str, is_on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACP_DEBUG", value)
    assert (data_of_failure(None) is not UNSET) == is_on


def test_the_argument_counts_more_than_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_DEBUG", "1")
    assert data_of_failure(False) is UNSET


@pytest.mark.parametrize(
    "function", [serve, serve_stdio, connect, connect_stdio, connect_memory, Peer]
)
def test_every_way_to_make_a_connection_has_the_argument(function: Any) -> None:
    assert inspect.signature(function).parameters["debug"].default is None


@pytest.mark.parametrize("version", [V1, V2])
def test_a_turn_that_fails_has_a_traceback(version: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_DEBUG", "1")

    async def work(session: Any, params: Any) -> None:
        raise ValueError("the reason")

    async def main() -> None:
        async with session_agent(version, work) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            last = await script.read()
            error = last.get("error") or last["params"]["update"]["error"]
            assert error["data"]["traceback"].endswith("ValueError: the reason\n")

    logged = "the handler of 'session/prompt' failed" if version is V1 else "a turn failed"
    run_quietly(main(), logged)


# --- notifications that nobody handles -------------------------------------------------------


class Deaf(v1.ClientHandler):
    """Handles nothing."""


class Listening(v1.ClientHandler):
    """Handles updates."""

    async def session_update(self, params: Any) -> None:
        """Do nothing with it."""


class Attentive(v1.ClientHandler):
    """Looks at everything as it arrives."""

    def received(self, method: Any, params: Any) -> None:
        """Do nothing with it."""


class Opening(v1.SessionClient):
    """Knows the session that updates arrive for."""

    def connected(self, peer: Any) -> None:
        super().connected(peer)
        self.session("s")


def warnings_of(client: Any, debug: bool, caplog: pytest.LogCaptureFixture) -> list[str]:
    """What is logged when two updates arrive."""

    async def tell(peer: Peer, method: str, params: Any) -> Any:
        chunk = v1.AgentMessageChunk(content=v1.TextContent(text="a"))
        note = v1.SessionNotification(session_id="s", update=chunk)
        for _ in range(2):
            await peer.notify(v1.CLIENT_METHODS["session/update"], note)

    async def main() -> None:
        async with connect_memory(agent(ext_request=tell), client, debug=debug) as peer:
            await peer.request(ASK, None)

    run(main())
    return caplog.messages


def test_updates_that_nobody_handles_are_told_once(caplog: pytest.LogCaptureFixture) -> None:
    found = warnings_of(Deaf, True, caplog)
    assert found == ["nobody handles 'session/update': Deaf has no session_update"]


@pytest.mark.parametrize(
    ("client", "debug"),
    [(Deaf, False), (Listening, True), (Attentive, True), (Opening, True)],
)
def test_other_updates_are_not_told(
    client: Any, debug: bool, caplog: pytest.LogCaptureFixture
) -> None:
    assert warnings_of(client, debug, caplog) == []
