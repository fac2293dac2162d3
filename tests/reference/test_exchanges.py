"""The messages and the Python on the pages of methods: each example calls the other."""

from __future__ import annotations

import asyncio
import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import Observation, connect_memory
from acpdocs.content import Exchange, MethodPage
from acpdocs.pages.surface import surface_pages
from acpgen.ir.surface import Surface

pytestmark = pytest.mark.xdist_group("reference")

NAMES = ("v1", "v1_unstable", "v2", "v2_unstable")
each_surface = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def methods(surfaces: dict[str, Surface]) -> dict[str, list[MethodPage]]:
    return {
        pages.name: [page for side in pages.methods.values() for page in side]
        for pages in surface_pages(list(surfaces.values()))
    }


def exchanges(pages: list[MethodPage]) -> Iterator[tuple[MethodPage, Exchange]]:
    for page in pages:
        assert page.exchange is not None, page.title
        yield page, page.exchange


@each_surface
def test_messages_decode_strictly(name: str, methods: dict[str, list[MethodPage]]) -> None:
    surface = importlib.import_module(f"acp_bindings.{name}")
    for page, exchange in exchanges(methods[name]):
        message = json.loads(exchange.message)
        surface.decode(surface.TYPES[page.params.text], message["params"], strict=True)
        assert ("id" in message) == (page.kind == "request") == (exchange.response is not None)
        if exchange.response is not None and exchange.error is not None:
            assert page.result is not None
            result = json.loads(exchange.response)["result"]
            surface.decode(surface.TYPES[page.result.text], result, strict=True)
            surface.decode(surface.Error, json.loads(exchange.error)["error"], strict=True)
    assert len(methods[name]) > 20


def is_between_client_and_agent(page: MethodPage) -> bool:
    return page.side in ("agent", "client", "protocol")


@pytest.mark.filterwarnings("ignore:MyAgent|MyClient|nothing calls My")  # a page has one method
@each_surface
def test_printed_callers_and_handlers_exchange_the_printed_messages(
    name: str, methods: dict[str, list[MethodPage]]
) -> None:
    pages = list(filter(is_between_client_and_agent, methods[name]))
    [handshake] = [each for page, each in exchanges(pages) if page.title == "initialize"]
    for page, exchange in exchanges(pages):
        lines = asyncio.run(_run(name, exchange, handshake))
        assert exchange.message in lines, page.title
        assert exchange.response is None or exchange.response in lines, page.title
    assert len(pages) > 20


async def _run(name: str, exchange: Exchange, handshake: Exchange) -> list[str]:
    """Let the printed caller call the printed handler; the messages, laid out as on the page."""
    surface = importlib.import_module(f"acp_bindings.{name}")
    names = _names(exchange)
    first = _names(handshake)
    lines: list[str] = []

    # Two agents of the pages in one.
    parts = [each["MyAgent"] for each in (names, first) if "MyAgent" in each]
    agent_class = type("Agent", tuple(dict.fromkeys(parts)), {})

    class AgentStub(surface.AgentStub):  # type: ignore[misc]
        def check(self, method: object, params: object) -> None:
            """Send it without the capability that the printed handshake does not advertise."""

    class ClientStub(surface.ClientStub):  # type: ignore[misc]
        check = AgentStub.check

    # The client, as the agent sees it.
    clients: list[Any] = []

    def agent(peer: Any) -> Any:
        clients.append(ClientStub(peer))
        return agent_class(peer)

    def note(seen: Observation) -> None:
        # Each connection numbers its own requests; on the pages, all have the same number.
        message = json.loads(seen.line)
        lines.append(json.dumps({**message, **({"id": 1} if "id" in message else {})}, indent=2))

    client = names.get("MyClient", surface.ClientHandler)
    async with connect_memory({surface: agent}, client, observe=note) as peer:
        if exchange is not handshake:
            await first["call"](AgentStub(peer))
        if "MyAgent" in names:
            await names["call"](AgentStub(peer))
            await peer.drain()
        else:
            await names["call"](clients[0])
            # What the agent has sent arrives before the answer to a later request of the client.
            with suppress(RequestError):
                await AgentStub(peer).ext_request("_last", {})
    return lines


def _names(exchange: Exchange) -> dict[str, Any]:
    """What the printed code defines."""
    names: dict[str, Any] = {}
    exec(exchange.calling, names)
    exec(exchange.handling, names)
    return names


def test_printed_code_passes_type_checkers(
    methods: dict[str, list[MethodPage]], tmp_path: Path
) -> None:
    for name, pages in methods.items():
        for number, (_, exchange) in enumerate(exchanges(pages)):
            (tmp_path / f"{name}_{number}_calling.py").write_text(exchange.calling + "\n")
            (tmp_path / f"{name}_{number}_handling.py").write_text(exchange.handling + "\n")
    assert len(list(tmp_path.iterdir())) > 200
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout


@each_surface
def test_each_method_has_its_place_in_the_conversation(
    name: str, methods: dict[str, list[MethodPage]]
) -> None:
    placed = list(filter(is_between_client_and_agent, methods[name]))
    text = {page.title: "".join(r.text for line in page.place for r in line) for page in placed}
    assert all(text.values())
    assert text["session/new"].startswith("After initialize")
    ending = "IdleStateUpdate" if name.startswith("v2") else "its response ends"
    assert ending in text["session/prompt"]
    assert "session/prompt" in text["session/request_permission"]
