"""Tests of the response status for each kind of HTTP request."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from acp_bindings.remote import RemoteLimits, remote_app

from tests.package.aio import loop
from tests.package.aio.sides import ticks
from tests.package.remote.agents import Echo
from tests.package.remote.asgi import (
    CONNECTION,
    INITIALIZE,
    SESSION,
    Call,
    Client,
    closing,
    prompt,
    request,
)

ACCEPT = {"accept": "text/event-stream"}
JSON = {"content-type": "application/json"}
LIST = request(5, "session/list")

# Requests (method, headers and body) and the expected status. The connection "ID" is open.
REQUESTS: dict[str, tuple[str, dict[str, str], Any, int]] = {
    "another method": ("PUT", {}, b"", 405),
    "HEAD": ("HEAD", {}, b"", 405),
    "an upgrade that the server did not understand": ("GET", {"upgrade": "WebSocket"}, b"", 426),
    "GET before initialize": ("GET", ACCEPT, b"", 400),
    "GET of an unknown connection": ("GET", {**ACCEPT, CONNECTION: "x"}, b"", 404),
    "GET of JSON": ("GET", {"accept": "application/json", CONNECTION: "ID"}, b"", 406),
    "GET without Accept": ("GET", {CONNECTION: "ID"}, b"", 406),
    "DELETE without a connection": ("DELETE", {}, b"", 400),
    "DELETE of an unknown connection": ("DELETE", {CONNECTION: "x"}, b"", 404),
    "DELETE": ("DELETE", {CONNECTION: "ID"}, b"", 202),
    "POST without a connection": ("POST", JSON, LIST, 400),
    "POST to an unknown connection": ("POST", {**JSON, CONNECTION: "x"}, LIST, 404),
    "initialize of an unknown connection": ("POST", {**JSON, CONNECTION: "x"}, INITIALIZE, 404),
    "initialize as a notification": (
        "POST",
        JSON,
        {key: value for key, value in INITIALIZE.items() if key != "id"},
        400,
    ),
    "POST": ("POST", {**JSON, CONNECTION: "ID"}, LIST, 202),
    "a second initialize": ("POST", {**JSON, CONNECTION: "ID"}, {**INITIALIZE, "id": 9}, 202),
    "a parameter of the content type": (
        "POST",
        {"content-type": "Application/JSON; charset=utf-8", CONNECTION: "ID"},
        LIST,
        202,
    ),
    "no content type": ("POST", {CONNECTION: "ID", "content-type": ""}, LIST, 415),
    "a form": ("POST", {"content-type": "text/plain", CONNECTION: "ID"}, LIST, 415),
    "a compressed body": ("POST", {**JSON, "content-encoding": "gzip"}, LIST, 415),
    "a batch": ("POST", {**JSON, CONNECTION: "ID"}, [LIST], 501),
    "a batch that begins with initialize": ("POST", JSON, [INITIALIZE], 501),
    "no JSON": ("POST", {**JSON, CONNECTION: "ID"}, b"{", 400),
    "no UTF-8": ("POST", {**JSON, CONNECTION: "ID"}, b'"\xff"', 400),
    "an empty body": ("POST", {**JSON, CONNECTION: "ID"}, b"", 400),
    "no object": ("POST", {**JSON, CONNECTION: "ID"}, b"1", 400),
    "two sessions": ("POST", {**JSON, CONNECTION: "ID", SESSION: "a"}, prompt(5, "b", ""), 400),
}


# The reasons of refusals, by the names of the requests or by status.
REASONS: dict[str | int, str] = {
    400: "the acp-connection-id header is missing; initialize first",
    404: "unknown connection; initialize a new one",
    405: "the method is not allowed; send GET, POST, DELETE",
    406: "the Accept header does not contain text/event-stream; add it",
    415: "the content type is not application/json; change it",
    426: "this server does not support WebSocket; use HTTP",
    501: "batches are not supported; send one message at a time",
    "a compressed body": "the content is encoded; send it without encoding",
    "no JSON": "JSON: expected JSON text, found invalid text at character 1",
    "no UTF-8": "JSON: expected JSON text, found text that is not valid Unicode",
    "an empty body": "JSON: expected JSON text, found no value at character 0",
    "no object": "the message is not an object; send a JSON-RPC message",
    "two sessions": "acp-session-id and the params specify different sessions; use the same id",
}


@pytest.mark.parametrize("name", REQUESTS)
async def test_a_request_has_its_status(name: str) -> None:
    method, headers, body, status = REQUESTS[name]
    async with closing(remote_app(Echo)) as app:
        client = Client(app)
        await client.initialize()
        given = {**headers, CONNECTION: headers.get(CONNECTION, "").replace("ID", client.id)}
        response = await client.send(method, body, given)
        assert response.status == status
        if status < 400:
            assert response.body == b""
        else:
            error = response.json()
            assert (error["jsonrpc"], error["id"]) == ("2.0", None)
            reason = error["error"]["message"].partition(" (")[0]  # without the parser's own text
            assert reason == REASONS.get(name, REASONS[status])


async def test_initialize_is_answered_by_its_response() -> None:
    async with closing(remote_app(Echo)) as app:
        response = await Client(app).post(INITIALIZE)
        assert response.status == 200
        assert response.headers["content-type"] == "application/json"
        assert response.json()["id"] == 0
        assert response.json()["result"]["protocolVersion"] == 2
        another = await Client(app).post(INITIALIZE)
        assert another.headers[CONNECTION] != response.headers[CONNECTION]
        assert len(response.headers[CONNECTION]) >= 32


@pytest.mark.parametrize(
    ("headers", "size", "status"), [({CONNECTION: "x"}, 60, 404), ({}, 120, 413)]
)
async def test_a_refused_request_is_read_before_it_is_answered(
    headers: dict[str, str], size: int, status: int
) -> None:
    async with closing(remote_app(Echo, limits=RemoteLimits(message_bytes=100))) as app:
        call = Call(app, "http", {"method": "POST", "headers": {**JSON, **headers}})
        part = {"type": "http.request", "body": b" " * size, "more_body": True}
        call.incoming.put_nowait(part)
        await asyncio.sleep(0.01)
        assert call.outgoing.empty()
        call.incoming.put_nowait({**part, "body": b" ", "more_body": False})
        assert (await call.next())["status"] == status
        await call.task


@loop.within(10)
async def test_a_refused_request_is_not_read_without_end() -> None:
    async with closing(remote_app(Echo, limits=RemoteLimits(message_bytes=100))) as app:
        for size in (60, 2 << 20):  # an incomplete body, and a body that is too large
            call = Call(app, "http", {"method": "POST", "headers": {**JSON, CONNECTION: "x"}})
            body = {"type": "http.request", "body": b" " * size, "more_body": True}
            call.incoming.put_nowait(body)
            assert (await call.next())["status"] == 404
            await call.task
            if size == 60:
                assert asyncio.get_running_loop().time() > 1


async def test_what_is_not_json_says_so() -> None:
    async with closing(remote_app(Echo)) as app:
        response = await Client(app).post(b"{")
        assert response.json()["error"]["code"] == -32700


async def test_methods_are_listed_with_405() -> None:
    async with closing(remote_app(Echo)) as app:
        response = await Client(app).send("PATCH")
        assert response.headers["allow"] == "GET, POST, DELETE, OPTIONS"


async def test_a_deleted_connection_is_unknown() -> None:
    async with closing(remote_app(Echo)) as app:
        client = Client(app)
        await client.initialize()
        listener = await client.listen()
        assert (await client.send("DELETE")).status == 202
        assert (await client.post(LIST)).status == 404
        assert (await client.send("DELETE")).status == 404
        assert (await client.send("GET", headers=ACCEPT)).status == 404
        assert await listener.event() is None


async def test_a_message_that_the_end_of_its_connection_interrupts_is_refused() -> None:
    async with closing(remote_app(Echo)) as app:
        client = Client(app)
        await client.initialize()
        call = Call(app, "http", {"method": "POST", "headers": {**JSON, CONNECTION: client.id}})
        body = json.dumps(LIST).encode()
        part = {"type": "http.request", "body": body[:9], "more_body": True}
        call.incoming.put_nowait(part)
        await ticks()
        assert (await client.send("DELETE")).status == 202
        call.incoming.put_nowait({**part, "body": body[9:], "more_body": False})
        assert (await call.next())["status"] == 404
        reason = json.loads((await call.next())["body"])["error"]["message"]
        assert reason == "the connection ended; initialize a new one"
        await call.task


async def test_a_stream_has_one_listener() -> None:
    async with closing(remote_app(Echo)) as app:
        client = Client(app)
        await client.initialize()
        first = await client.listen()
        second = await client.send("GET", headers=ACCEPT)
        reason = "the stream already has a listener; close it first"
        assert (second.status, second.reason) == (409, reason)
        assert (await client.post(LIST)).status == 202
        assert (await first.event())["id"] == 5
        await first.leave()
        again = await client.listen()
        assert (await client.post(LIST)).status == 202
        assert (await again.event())["id"] == 5


@pytest.mark.parametrize("size", [99, 100])
async def test_a_long_message_is_refused(size: int) -> None:
    app = remote_app(Echo, limits=RemoteLimits(message_bytes=10_000))
    async with closing(app):
        client = Client(app)
        await client.initialize()
        message = prompt(1, "x", "")
        text = "x" * (10_000 - 100 + size - len(str(message).encode()))
        body = str(prompt(1, "x", text)).replace("'", '"').encode()
        assert len(body) == 10_000 - 100 + size
        assert (await client.post(body)).status == 202
        assert (await client.post(body + b" " * (10_001 - len(body)))).status == 413
        assert (await client.post(LIST)).status == 202


async def test_long_messages_are_refused_before_they_are_complete() -> None:
    app = remote_app(Echo, limits=RemoteLimits(message_bytes=1000))
    async with closing(app):
        call = Call(app, "http", {"method": "POST", "headers": JSON})
        for _ in range(2):  # which never ends
            part = {"type": "http.request", "body": b" " * 600, "more_body": True}
            call.incoming.put_nowait(part)
        assert (await call.next())["status"] == 413
        await call.task


async def test_a_path_without_an_agent_is_not_found() -> None:
    async with closing(remote_app(Echo, path="/agents/echo")) as app:
        client = Client(app)
        assert (await client.post(INITIALIZE)).status == 404
        assert (await client.post(INITIALIZE, path="/agents/echo/")).status == 200
        mounted = {"path": "/api/agents/echo", "root_path": "/api"}
        assert (await client.post(INITIALIZE, **mounted)).status == 200


@loop.within(100)
async def test_too_many_connections_are_refused() -> None:
    app = remote_app(Echo, limits=RemoteLimits(connections=2))
    async with closing(app):
        clients = [Client(app), Client(app)]
        for client in clients:
            await client.initialize()
        refused = await Client(app).post(INITIALIZE)
        assert (refused.status, refused.headers["retry-after"]) == (503, "5")
        socket = Client(app).socket()
        assert (await socket.next())["status"] == 503
        listener = await clients[0].listen()
        await clients[0].send("DELETE")
        assert await listener.event() is None
        await asyncio.sleep(0.01)
        await Client(app).initialize()
        await socket.task


@loop.within(100)
async def test_too_many_starts_are_refused() -> None:
    slow = asyncio.Event()

    class Slow(Echo):
        async def initialize(self, params: Any) -> Any:
            await slow.wait()
            return await super().initialize(params)

    app = remote_app(Slow, limits=RemoteLimits(starts=1))
    async with closing(app):
        first = asyncio.create_task(Client(app).post(INITIALIZE))
        await asyncio.sleep(0.01)
        assert (await Client(app).post(INITIALIZE)).status == 503
        slow.set()
        assert (await first).status == 200
        assert (await Client(app).post(INITIALIZE)).status == 200


async def test_a_client_that_leaves_before_the_answer_ends_its_agent() -> None:
    states: list[str] = []

    class Slow(Echo):
        async def initialize(self, params: Any) -> Any:
            states.append("begun")
            try:
                await asyncio.Event().wait()
            finally:
                states.append("ended")

    app = remote_app(Slow, linger=0)
    async with closing(app):
        call = Call(app, "http", {"method": "POST", "headers": JSON})
        body = json.dumps(INITIALIZE).encode()
        call.incoming.put_nowait({"type": "http.request", "body": body})
        while not states:
            await asyncio.sleep(0)
        call.incoming.put_nowait({"type": "http.disconnect"})
        await call.task
        while len(states) < 2:
            await asyncio.sleep(0)


@loop.within(100)
async def test_a_client_that_leaves_within_its_message_is_forgotten() -> None:
    app = remote_app(Echo, limits=RemoteLimits(connections=1))
    async with closing(app):
        call = Call(app, "http", {"method": "POST", "headers": JSON})
        call.incoming.put_nowait({"type": "http.request", "body": b"{", "more_body": True})
        call.incoming.put_nowait({"type": "http.disconnect"})
        await call.task
        assert call.outgoing.empty()
        await asyncio.sleep(0.01)
        client = Client(app)
        await client.initialize()
        call = Call(app, "http", {"method": "POST", "headers": {**JSON, CONNECTION: client.id}})
        call.incoming.put_nowait({"type": "http.request", "body": b"{", "more_body": True})
        call.incoming.put_nowait({"type": "http.disconnect"})
        await call.task
        assert (await client.post(LIST)).status == 202


async def test_an_agent_that_fails_to_start_is_an_error() -> None:
    class Broken(Echo):
        def __init__(self, peer: Any) -> None:
            raise RuntimeError("no")

    app = remote_app(Broken)
    async with closing(app):
        refused = await Client(app).post(INITIALIZE)
        reason = "the agent stopped before it responded; see its log"
        assert (refused.status, refused.reason) == (500, reason)


async def test_a_server_that_shuts_down_refuses_connections() -> None:
    app = remote_app(Echo)
    client = Client(app)
    await client.initialize()
    listener = await client.listen()
    await app.aclose()
    assert await listener.event() is None
    assert (await client.post(LIST)).status == 404
    assert (await Client(app).post(INITIALIZE)).status == 503
    await app.aclose()


async def test_the_lifespan_of_the_server_ends_connections() -> None:
    app = remote_app(Echo)
    events: list[str] = []
    incoming: asyncio.Queue[Any] = asyncio.Queue()

    async def send(event: Any) -> None:
        events.append(event["type"])

    incoming.put_nowait({"type": "lifespan.startup"})
    living = asyncio.create_task(app({"type": "lifespan"}, incoming.get, send))
    client = Client(app)
    await client.initialize()
    listener = await client.listen()
    incoming.put_nowait({"type": "lifespan.shutdown"})
    assert await listener.event() is None
    await living
    assert events == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


@loop.within(100)
async def test_connections_without_a_listener_end() -> None:
    app = remote_app(Echo, limits=RemoteLimits(listener_timeout=0.05))
    async with closing(app):
        client = Client(app)
        await client.initialize()
        listener = await client.listen()
        await asyncio.sleep(0.1)
        assert (await client.post(LIST)).status == 202
        other = await client.listen("s")
        await other.leave()
        await asyncio.sleep(0.1)
        assert (await client.post(LIST)).status == 202
        await listener.leave()
        assert (await client.post(LIST)).status == 202
        await asyncio.sleep(0.1)
        assert (await client.post(LIST)).status == 404
        client.id = ""
        await client.initialize()  # and never listens
        await asyncio.sleep(0.1)
        assert (await client.post(LIST)).status == 404


async def test_listeners_hear_comments() -> None:
    app = remote_app(Echo, limits=RemoteLimits(keep_alive=0.01))
    async with closing(app):
        client = Client(app)
        await client.initialize()
        listener = await client.listen()
        assert [await listener.event(comments=True) for _ in range(3)] == [b":", b":", b":"]
        assert listener.headers == {
            "content-type": "text/event-stream",
            "cache-control": "no-cache",
            "x-accel-buffering": "no",
        }
