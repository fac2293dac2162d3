"""Tests that the example agents and clients exchange the messages shown in the documentation."""

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
from acpdocs.content import Example, Exchange, MethodPage, SurfacePages
from acpdocs.facts.examples import Exchanges
from acpdocs.markdown import python_example
from acpdocs.pages.surface import extension_pages
from acpgen.ir.model import TaggedUnion
from acpgen.ir.surface import Surface
from jsonschema import Draft202012Validator

from tests.acpdocs.reference import at, each_surface, on_one_worker, schema_of
from tests.acpgen.diff.small import envelopes, read, record
from tests.acpgen.extensions.packages import imported
from tests.support.site import Page

pytestmark = on_one_worker


def exchanges(pages: list[MethodPage]) -> Iterator[tuple[MethodPage, Exchange]]:
    for page in pages:
        assert page.exchange is not None, page.title
        yield page, page.exchange


@pytest.fixture(scope="module")
def methods(pages: dict[str, SurfacePages]) -> dict[str, list[MethodPage]]:
    return {
        name: [page for side in each.methods.values() for page in side]
        for name, each in pages.items()
    }


@each_surface
def test_examples_decode_strictly_and_encode_to_what_is_printed(
    name: str, surfaces: dict[str, Surface], pages: dict[str, SurfacePages], site: dict[str, Page]
) -> None:
    module = importlib.import_module(f"acp_bindings.{name}")
    schema = schema_of(name)
    lenient = 0
    for page in pages[name].types:
        example = page.example
        assert example is not None, page.name
        form = getattr(module, page.name)
        value = eval(example.python, {each: getattr(module, each) for each in example.classes})
        assert json.dumps(module.encode(value, form), indent=2) == example.json
        assert module.decode(form, json.loads(example.json), strict=example.strict) == value
        lenient += not example.strict
        if page.name in schema["$defs"]:
            one = {**schema, "$ref": f"#/$defs/{page.name}"}
            for combiner in ("anyOf", "oneOf", "allOf"):
                one.pop(combiner, None)
            Draft202012Validator(one).validate(example.value)
        shown = site[at(page)].text
        assert " ".join(example.json.split()) in shown
    kept = [d for d in surfaces[name].definitions.values() if isinstance(d, TaggedUnion)]
    assert lenient == sum(1 for d in kept if d.unknown is not None and d.unknown.synthetic)


@each_surface
def test_messages_decode_strictly(name: str, methods: dict[str, list[MethodPage]]) -> None:
    surface = importlib.import_module(f"acp_bindings.{name}")
    for page, exchange in exchanges(methods[name]):
        message = json.loads(exchange.message)
        surface.decode(surface.TYPES[page.params.text], message["params"], strict=True)
        assert ("id" in message) == (page.kind == "request") == (exchange.response is not None)
        assert (exchange.error is None) == (exchange.response is None)
        if exchange.response is not None and exchange.error is not None:
            assert page.result is not None
            result = json.loads(exchange.response)["result"]
            surface.decode(surface.TYPES[page.result.text], result, strict=True)
            surface.decode(surface.Error, json.loads(exchange.error)["error"], strict=True)
    assert len(methods[name]) > 20


def is_between_client_and_agent(page: MethodPage) -> bool:
    return page.side in ("agent", "client", "protocol")


@pytest.mark.filterwarnings("ignore:MyAgent|MyClient")  # example classes handle one method
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
    """Run a page's caller against its handler, and return the messages as the page shows them."""
    surface = importlib.import_module(f"acp_bindings.{name}")
    names = _names(exchange)
    first = _names(handshake)
    lines: list[str] = []

    # The example and the handshake can come from different pages, each with its own agent class.
    parts = [each["MyAgent"] for each in (names, first) if "MyAgent" in each]
    agent_class = type("Agent", tuple(dict.fromkeys(parts)), {})

    class AgentStub(surface.AgentStub):  # type: ignore[misc]
        def check(self, method: object, params: object) -> None:
            """Allow the call. The handshake on the page might not advertise the capability."""

    class ClientStub(surface.ClientStub):  # type: ignore[misc]
        check = AgentStub.check

    # The stubs through which the agent calls the client.
    clients: list[Any] = []

    def agent(peer: Any) -> Any:
        clients.append(ClientStub(peer))
        return agent_class(peer)

    def note(seen: Observation) -> None:
        # Connections number their requests, but on the pages, every request has id 1.
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
            # The response to this request arrives after all earlier messages from the agent.
            with suppress(RequestError):
                await AgentStub(peer).ext_request("_last", {})
    return lines


def _names(exchange: Exchange) -> dict[str, Any]:
    """Run the code of an exchange, and return the names that it defines."""
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


def test_printed_code_runs(pages: dict[str, SurfacePages], sample: Surface) -> None:
    extended = extension_pages(sample, "acme_sample")
    assert len(extended.types) == len(sample.definitions)
    with imported(sample, "acme_sample"):
        for surface in (*pages.values(), extended):
            for page in surface.types:
                example = page.example
                assert isinstance(example, Example)
                code = python_example(example, page.name, surface.package)
                *lines, last = code.removeprefix("```python\n").removesuffix("\n```").split("\n")
                names: dict[str, Any] = {}
                exec("\n".join([*lines, f"shown = {last}"]), names)
                assert names["shown"] == example.value


def test_a_method_whose_values_cannot_be_derived_has_no_example() -> None:
    plain, odd = {"type": "string"}, {"type": "string", "pattern": "^7{3}$"}
    for params, result, exists in ((plain, plain, True), (odd, plain, False), (plain, odd, False)):
        ping = {"x-method": "session/ping", "x-side": "agent"}
        definitions = {
            "PingRequest": {**record("x", x=params), **ping},
            "PingResponse": {**record("x", x=result), **ping},
            **envelopes({"PingRequest": "PingResponse"}),
        }
        surface = read(definitions)
        [method] = [each for each in surface.methods if each.wire]
        exchange = Exchanges(surface, "acp_bindings.v2").of(
            method, "AgentHandler.session_ping", "AgentStub.session_ping"
        )
        assert (exchange is not None) == exists
