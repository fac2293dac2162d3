"""Tests of HTTP clients with servers that behave like other SDKs or violate the protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.remote import connect_remote, http, open_remote
from acp_bindings.runtime import ConnectionClosed, RequestError
from acp_bindings.runtime.aio import Message, MessageStream

from tests.package.remote import scripted
from tests.package.remote.asgi import CONNECTION, INITIALIZE, SESSION, request
from tests.package.remote.scripted import (
    ID,
    LikePython,
    LikeTypeScript,
    Request,
    Server,
    Streams,
    result,
    serving,
    update,
)


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the delay before retries."""
    monkeypatch.setattr(http, "DELAYS", (0.01, 0.01, 0.01))


class Client:
    """A client that sends and receives messages."""

    def __init__(self, stream: MessageStream) -> None:
        self.stream = stream
        self.messages: list[Any] = []

    def send(self, *messages: Any) -> None:
        self.stream.send([Message(json.dumps(message).encode()) for message in messages])

    async def next(self) -> Any:
        while not self.messages:
            received = await self.stream.receive()
            self.messages += [json.loads(message.text) for message in received]
        return self.messages.pop(0)

    async def end(self) -> str:
        """Receive the remaining messages and return the reason that the connection closed."""
        try:
            while True:
                await self.next()
        except ConnectionClosed as error:
            return str(error)


@asynccontextmanager
async def talking(
    script: Any, *, begin: bool = True, **options: Any
) -> AsyncGenerator[tuple[Client, Server]]:
    async with serving(script) as server:
        stream = await open_remote(server.url, transport="http", **options)
        client = Client(stream)
        try:
            if begin:
                client.send(INITIALIZE)
                assert (await client.next())["id"] == 0
            yield client, server
        finally:
            await stream.close()


LOAD = request(1, "session/load", sessionId="s", cwd="/", mcpServers=[])


def prompt(id_: int, session: str = "s") -> Any:
    return request(id_, "session/prompt", sessionId=session, prompt=[])


# --- the usual -------------------------------------------------------------------------------


async def test_a_connection_begins_listens_and_is_deleted() -> None:
    async with talking(Streams()) as (_, server):
        pass
    first, second, third = server.requests
    assert first.is_initialize
    assert CONNECTION not in first.headers
    assert first.headers["content-type"] == "application/json"
    assert second.method == "GET"
    assert second.headers["accept"] == "text/event-stream"
    assert second.headers["cache-control"] == "no-cache"
    assert third.method == "DELETE"
    assert [each.headers[CONNECTION] for each in (second, third)] == [ID, ID]
    assert SESSION not in second.headers


async def test_a_sessions_stream_is_open_before_its_first_message_is_posted() -> None:
    async with talking(LikeTypeScript()) as (client, server):
        client.send(request(1, "session/new", cwd="/"))
        assert (await client.next())["result"] == {"sessionId": "s"}
        client.send(prompt(2))
        assert (await client.next())["id"] == 2
    seen = [(each.method, each.session) for each in server.requests[2:]]
    assert seen == [("POST", None), ("GET", "s"), ("POST", "s"), ("DELETE", None)]


CLOSE = request(3, "session/close", sessionId="s")


async def test_the_stream_of_a_session_that_ended_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "ENDING", 0.01)
    script = LikeTypeScript()
    async with talking(script) as (client, server):
        client.send(prompt(2), CLOSE)
        assert [(await client.next())["id"] for _ in range(2)] == [2, 3]
        while len(client.stream._tasks()) > 1:  # type: ignore[attr-defined]
            await asyncio.sleep(0.001)
        left = script.streams["s"]
        client.send(prompt(4))  # succeeds and reopens the session's stream
        assert (await client.next())["id"] == 4
        assert left.writer.is_closing()
    assert [each.session for each in server.requests if each.method == "GET"] == [None, "s", "s"]


async def test_the_server_can_end_the_stream_of_a_session_that_ended() -> None:
    class Ending(LikeTypeScript):
        async def post(self, request: Request, message: Any) -> None:
            if message.get("method") == "session/prompt":  # respond after the session is closed
                request.reply(202)
                return
            await super().post(request, message)
            if message.get("method") == "session/close":
                self.streams["s"].end()

    script = Ending()
    async with talking(script) as (client, server):
        client.send(prompt(2), CLOSE)
        assert (await client.next()) == result(3)
        while len(client.stream._tasks()) > 1:  # type: ignore[attr-defined]
            await asyncio.sleep(0.001)
        script.streams[None].event(result(2))
        assert (await client.next()) == result(2)
    assert [each.session for each in server.requests if each.method == "GET"] == [None, "s"]


async def test_messages_are_posted_in_order_one_after_another() -> None:
    posting = 0

    class Slow(Streams):
        async def post(self, request: Request, message: Any) -> None:
            nonlocal posting
            posting += 1
            assert posting == 1
            await asyncio.sleep(0.01)
            posting -= 1
            request.reply(202)

    async with talking(Slow()) as (client, server):
        cancel = {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}}
        client.send(prompt(1), prompt(2, "t"), cancel, prompt(3))
        await client.stream.drain(None)
    posted = server.posted[1:]
    assert [each.get("id") for each in posted] == [1, 2, None, 3]
    [cancelling] = [each for each in server.requests if b"cancel_request" in each.body]
    assert cancelling.session is None


async def test_a_response_names_the_session_of_the_stream_that_its_request_came_on() -> None:
    async with talking(LikeTypeScript()) as (client, server):
        client.send(LOAD)
        while (await client.next()).get("id") != 1:
            pass
        streams = server._script.streams  # type: ignore[attr-defined]
        streams["s"].event(request(7, "session/request_permission", sessionId="s"))
        streams[None].event(request(8, "elicitation/create", mode="form"))
        for id_ in (7, 8):
            assert (await client.next())["id"] == id_
            client.send(result(id_))
    responses = [each for each in server.requests if each.body and "result" in each.message]
    assert [(each.message["id"], each.session) for each in responses] == [(7, "s"), (8, None)]


async def test_a_response_passes_a_request_that_the_server_holds() -> None:
    answered = asyncio.Event()

    class Holding(Streams):
        async def post(self, request: Request, message: Any) -> None:
            if "result" in message:
                answered.set()
            else:
                self.streams[None].event(scripted_request)
                await answered.wait()
            request.reply(202)

    scripted_request = request(7, "elicitation/create", mode="form")
    async with talking(Holding()) as (client, _):
        client.send(request(1, "session/new", cwd="/"))
        assert (await client.next())["id"] == 7
        client.send(result(7))
        await answered.wait()


# --- session/load ----------------------------------------------------------------------------


@pytest.mark.parametrize("script", [LikeTypeScript, LikePython])
async def test_a_session_is_loaded_with_its_replay_before_the_response(script: Any) -> None:
    async with talking(script()) as (client, _):
        client.send(LOAD)
        messages = [await client.next() for _ in range(4)]
        texts = [each.get("params", {}).get("text") for each in messages]
        assert texts == ["replay 0", "replay 1", "replay 2", None]
        assert messages[3]["id"] == 1
        client.send(prompt(2))
        assert (await client.next())["id"] == 2


async def test_a_response_waits_until_the_stream_of_its_session_is_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "SETTLING", 0.3)

    class Late(Streams):
        async def post(self, request: Request, message: Any) -> None:
            self.streams[None].event(result(message["id"]))
            await asyncio.sleep(0.02)
            self.streams["s"].event(update("s", "late"))
            request.reply(202)

    async with talking(Late()) as (client, _):
        client.send(LOAD)
        assert (await client.next())["params"]["text"] == "late"
        assert (await client.next())["id"] == 1


async def test_a_load_is_repeated_without_the_header_if_the_server_does_not_know_it() -> None:
    async with talking(LikePython()) as (client, server):
        client.send(LOAD)
        while (await client.next()).get("id") != 1:
            pass
    seen = [(each.method, each.session) for each in server.requests[2:6]]
    assert seen == [("GET", "s"), ("POST", "s"), ("POST", None), ("GET", "s")]


async def test_a_load_that_is_refused_with_and_without_the_header_fails_alone() -> None:
    class Refusing(Streams):
        async def post(self, request: Request, message: Any) -> None:
            if message["method"] == "session/load":
                request.reply(404 if request.session else 400, b"no such session")
            else:
                request.reply(202)
                self.streams[None].event(result(message["id"]))

    async with talking(Refusing()) as (client, _):
        client.send(LOAD)
        error = (await client.next())["error"]
        assert error["message"] == "HTTP 400: no such session"
        assert error["data"] == {"status": 400, "body": "no such session"}
        client.send(request(2, "session/list"))
        assert (await client.next())["id"] == 2


# --- statuses --------------------------------------------------------------------------------


class Answering(Streams):
    """A script that responds to POST requests with the given statuses in order, then with 202."""

    def __init__(
        self, *statuses: int, body: bytes = b"", headers: Mapping[str, str] = scripted.NO_HEADERS
    ) -> None:
        super().__init__()
        self.statuses = [*statuses]
        self.body = body
        self.headers = headers

    async def post(self, request: Request, message: Any) -> None:
        if self.statuses:
            request.reply(self.statuses.pop(0), self.body, self.headers)
            return
        request.reply(202)
        if "id" in message:
            self.streams[None].event(result(message["id"]))


@pytest.mark.parametrize("status", [409, 429, 503])
async def test_what_the_server_takes_later_is_posted_again(status: int) -> None:
    async with talking(Answering(status, status)) as (client, server):
        client.send(request(1, "session/list"))
        assert "result" in await client.next()
    assert len(server.posted) == 4


class Late(Answering):
    """A script that responds to two requests for streams and two POST requests with 503."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        super().__init__(503, 503, headers=headers)
        self.refusals = 2

    async def get(self, request: Request) -> None:
        if self.refusals:
            self.refusals -= 1
            request.reply(503, b"", self.headers)
        else:
            await super().get(request)


@pytest.mark.parametrize(
    ("after", "pauses"),
    [
        (None, [1.0, 2.0]),
        ("0", [1.0, 2.0]),
        ("3", [3.0, 3.0]),
        ("60", [4.0, 4.0]),
        ("-1", [1.0, 2.0]),
        ("soon", [1.0, 2.0]),
    ],
)
async def test_the_server_can_ask_for_a_longer_pause(
    after: str | None, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[float] = []
    sleep = asyncio.sleep

    async def pause(seconds: float) -> None:
        seen.extend([seconds] if seconds >= 1 else [])
        await sleep(min(seconds, 0.001))

    monkeypatch.setattr(http, "DELAYS", (1.0, 2.0, 4.0))
    monkeypatch.setattr(asyncio, "sleep", pause)
    async with talking(Late({} if after is None else {"retry-after": after})) as (client, _):
        client.send(request(1, "session/list"))
        assert "result" in await client.next()
    assert seen == pauses * 2


@pytest.mark.parametrize("status", [409, 413, 415, 429, 500, 501, 503])
async def test_a_status_can_fail_one_request(status: int) -> None:
    async with talking(Answering(*[status] * 4)) as (client, server):
        client.send(request(1, "session/list"))
        assert (await client.next())["error"]["data"]["status"] == status
        server._script.statuses.clear()  # type: ignore[attr-defined]
        client.send(request(2, "session/list"))
        assert "result" in await client.next()


@pytest.mark.parametrize("status", [302, 401, 403, 404, 405, 410])
async def test_a_status_can_end_the_connection(status: int) -> None:
    async with talking(Answering(status, headers={"location": "/other"})) as (client, _):
        client.send(request(1, "session/list"))
        reason = await client.end()
    assert f"HTTP {status}" in reason
    assert "; " in reason


async def test_the_error_of_a_refused_request_is_that_of_the_body() -> None:
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "no batches"}}
    script = Answering(400, body=json.dumps(body).encode())
    async with talking(script) as (client, _):
        client.send(request(1, "session/list"))
        error = (await client.next())["error"]
    assert (error["code"], error["message"]) == (-32600, "HTTP 400: no batches")


async def test_a_page_of_a_proxy_is_not_quoted_in_an_error() -> None:
    async with talking(Answering(502, body=b"<html><h1>Bad</h1></html>")) as (client, _):
        client.send(request(1, "session/list"))
        assert (await client.next())["error"]["message"] == "HTTP 502"


async def test_a_refused_notification_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async with talking(Answering(500)) as (client, _):
        client.send(update("s", "hello"))
        client.send(request(1, "session/list"))
        assert "result" in await client.next()
    assert "the server rejected 'session/update': HTTP 500; dropping it" in caplog.text


# --- initialize ------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [401, 404])
async def test_a_refused_initialize_says_what_to_do(status: int) -> None:
    async def refusing(request: Request) -> None:
        request.reply(status)

    async with serving(refusing) as server:
        with pytest.raises(ConnectionClosed, match=f"HTTP {status}; (pass|check)"):
            async with connect_remote(server.url, v2.SessionClient, transport="http") as peer:
                await peer.initialize()


async def test_an_error_of_initialize_is_received() -> None:
    async def refusing(request: Request) -> None:
        error = {"code": -32000, "message": "sign in"}
        request.reply(200, {"jsonrpc": "2.0", "id": request.message["id"], "error": error})

    async with serving(refusing) as server:
        with pytest.raises(RequestError, match="sign in"):
            async with connect_remote(server.url, v2.SessionClient, transport="http") as peer:
                await peer.initialize()


async def test_a_server_without_connection_ids_is_no_agent() -> None:
    async def page(request: Request) -> None:
        request.reply(200, b"<html></html>")

    async with talking(page, begin=False) as (client, _):
        client.send(INITIALIZE)
        assert "check the URL" in await client.end()


async def test_a_server_that_closes_within_initialize_ends_the_connection() -> None:
    async def dying(request: Request) -> None:
        request.cut()

    async with talking(dying, begin=False) as (client, _):
        client.send(INITIALIZE)
        assert "closed the connection" in await client.end()


async def test_a_server_that_cannot_be_reached_ends_the_connection() -> None:
    async with serving(Streams()) as server:
        url = server.url
    client = Client(await open_remote(url, transport="http"))
    client.send(INITIALIZE)
    assert await client.end()
    await client.stream.close()


# --- streams ---------------------------------------------------------------------------------


async def test_an_initialize_response_that_is_too_long_ends_the_connection() -> None:
    async with talking(Streams(), begin=False) as (client, _):
        client.send(INITIALIZE)
        size = len(json.dumps(await client.next()))
    async with talking(Streams(), max_line=size):
        pass
    async with talking(Streams(), begin=False, max_line=size - 1) as (client, _):
        client.send(INITIALIZE)
        assert f"longer than {size - 1} bytes; pass a larger `max_line`" in await client.end()


@pytest.mark.parametrize(
    ("step", "reason"),
    [("posted", "posting a message failed"), ("received", "listening failed")],
)
async def test_an_unexpected_error_is_logged_and_ends_the_connection(
    step: str,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(*arguments: object) -> None:
        raise LookupError("a mistake")

    class Answering(Streams):
        async def post(self, request: Request, message: Any) -> None:
            self.streams[None].event(result(message["id"]))
            request.reply(202)

    async with talking(Answering()) as (client, _):
        monkeypatch.setattr(http.ClientRouting, step, fail)
        client.send(request(1, "session/list"))
        assert await client.end() == f"{reason}: LookupError('a mistake')"
    assert f"{reason}; closing the connection" in caplog.messages


async def test_the_end_of_the_connections_stream_ends_the_connection() -> None:
    script = Streams()
    async with talking(script) as (client, _):
        script.streams[None].end()
        assert await client.end() == "the server ended the stream of the connection"


async def test_a_broken_connections_stream_ends_the_connection() -> None:
    script = Streams()
    async with talking(script) as (client, _):
        script.streams[None].cut()
        assert "closed the connection" in await client.end()


async def test_pending_calls_fail_with_the_reason() -> None:
    script = Streams()
    async with (
        serving(script) as server,
        connect_remote(server.url, v2.SessionClient, transport="http") as peer,
    ):
        await peer.initialize()
        calling = asyncio.create_task(peer.request("_x/y", {}))
        while len(server.posted) < 2:
            await asyncio.sleep(0)
        script.streams[None].end()
        with pytest.raises(ConnectionClosed, match="the server ended the stream"):
            await calling


@pytest.mark.parametrize("bridge", [False, True])
async def test_the_reason_passes_a_bridge(bridge: bool) -> None:
    async def refusing(request: Request) -> None:
        request.reply(401, b"who are you?")

    async with serving(refusing) as server:
        with pytest.raises(ConnectionClosed, match=r"who are you\?; pass a valid `token`"):
            async with connect_remote(
                server.url, v2.SessionClient, transport="http", bridge=bridge
            ) as peer:
                await peer.initialize()


async def test_a_sessions_stream_that_ends_is_opened_again() -> None:
    script = LikeTypeScript()
    async with talking(script) as (client, _):
        client.send(LOAD)
        while (await client.next()).get("id") != 1:
            pass
        first = script.streams["s"]
        first.end()
        while script.streams["s"] is first:
            await asyncio.sleep(0.001)
        script.streams["s"].event(update("s", "more"))
        assert (await client.next())["params"]["text"] == "more"


@pytest.mark.parametrize(
    ("delay", "seconds", "outcome"), [(0.2, 0.0, "error"), (0.01, 0.03, "result")]
)
async def test_a_sessions_stream_is_not_opened_again_forever_unless_it_lasts(
    delay: float, seconds: float, outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "DELAYS", (delay,))

    class Short(LikeTypeScript):
        ends = 3

        async def get(self, request: Request) -> None:
            await super().get(request)
            if request.session is None:
                return
            if self.ends == 0:
                request.event(result(2))
                return
            self.ends -= 1
            await asyncio.sleep(seconds)
            request.end()

        async def post(self, request: Request, message: Any) -> None:
            request.reply(202)

    script = Short()
    async with talking(script) as (client, _):
        client.send(prompt(2))
        message = await client.next()
        assert outcome in message
        if outcome == "error":
            assert message["error"]["message"] == "the server ended the stream"
        script.streams[None].event(result(3))  # the connection goes on
        assert await client.next() == result(3)


async def test_requests_of_a_session_fail_if_its_stream_does_not_come_back() -> None:
    class Gone(LikeTypeScript):
        is_gone = False

        async def get(self, request: Request) -> None:
            if self.is_gone and request.session:
                request.reply(404, b"unknown session")
            else:
                await super().get(request)

        async def post(self, request: Request, message: Any) -> None:
            if message["method"] == "session/prompt":
                request.reply(202)
                self.is_gone = True
                self.streams["s"].end()
            else:
                await super().post(request, message)

    async with talking(Gone()) as (client, _):
        client.send(request(1, "session/new", cwd="/"))
        await client.next()
        client.send(prompt(2))
        message = await client.next()
        assert message["id"] == 2
        assert "unknown session" in message["error"]["message"]
        client.send(request(3, "session/new", cwd="/"))
        assert (await client.next())["id"] == 3


async def test_requests_fail_if_a_response_can_be_lost_with_a_broken_stream() -> None:
    class Cutting(LikeTypeScript):
        async def post(self, request: Request, message: Any) -> None:
            if message["method"] == "session/prompt":
                request.reply(202)
                self.streams["s"].cut()
            else:
                await super().post(request, message)

    async with talking(Cutting()) as (client, _):
        client.send(request(1, "session/new", cwd="/"))
        await client.next()
        client.send(prompt(2))
        message = await client.next()
        assert "closed the connection" in message["error"]["message"]


async def test_a_broken_stream_ends_the_connection_if_no_request_fails_with_it() -> None:
    """In protocol 2, a turn isn't a request, so its lost updates would go unnoticed."""
    script = LikeTypeScript()
    async with talking(script) as (client, _):
        client.send(request(1, "session/new", cwd="/"))
        await client.next()
        while "s" not in script.streams:
            await asyncio.sleep(0)
        script.streams["s"].event(update("s", "first"))
        await client.next()
        script.streams["s"].cut()
        assert "closed the connection" in await client.end()


async def test_a_stream_that_opens_after_a_failure_ends_the_connection() -> None:
    """Updates might have been lost before the stream opened, and no request can report it."""

    class Late(LikeTypeScript):
        has_failed = False

        async def get(self, request: Request) -> None:
            if request.session is None or self.has_failed:
                await super().get(request)
            else:
                self.has_failed = True
                request.cut()

    async with talking(Late()) as (client, _):
        client.send(request(1, "session/new", cwd="/"))
        await client.next()
        assert "closed the connection" in await client.end()


async def test_a_stream_that_fails_twice_ends_the_connection() -> None:
    class Failing(LikeTypeScript):
        async def get(self, request: Request) -> None:
            if request.session is None:
                await super().get(request)
            else:
                request.cut()

    async with talking(Failing()) as (client, server):
        client.send(request(1, "session/new", cwd="/"))
        await client.next()
        assert "closed the connection" in await asyncio.wait_for(client.end(), 10)
    assert [each.session for each in server.requests if each.method == "GET"] == [None, "s", "s"]


async def test_a_refused_stream_is_opened_once_the_server_knows_its_session() -> None:
    class Late(Streams):
        async def get(self, request: Request) -> None:
            if request.session is None or request.session in self.known:
                await super().get(request)
            else:
                request.reply(404, b"unknown session")

        async def post(self, request: Request, message: Any) -> None:
            self.known.add(request.session or "")
            request.reply(202)

    script = Late()
    async with talking(script) as (client, _):
        client.send(prompt(2))
        while "s" not in script.streams:
            await asyncio.sleep(0.001)
        script.streams["s"].event(result(2))
        assert await client.next() == result(2)


async def test_a_second_listener_is_tried_again() -> None:
    class Busy(Streams):
        refusals = 2

        async def get(self, request: Request) -> None:
            if self.refusals:
                self.refusals -= 1
                request.reply(409)
            else:
                await super().get(request)

    async with talking(Busy()) as (_, server):
        pass
    assert [each.method for each in server.requests] == ["POST", *["GET"] * 3, "DELETE"]


@pytest.mark.parametrize("status", [401, 404, 406, 500])
async def test_a_refused_stream_of_the_connection_ends_it(status: int) -> None:
    class Refusing(Streams):
        async def get(self, request: Request) -> None:
            request.reply(status)

    async with talking(Refusing(), begin=False) as (client, _):
        client.send(INITIALIZE)
        assert f"HTTP {status}" in await client.end()


async def test_a_stream_of_something_else_ends_the_connection() -> None:
    class Page(Streams):
        async def get(self, request: Request) -> None:
            request.start(200, {"content-type": "text/html"})
            request.data(b"<html>")

    async with talking(Page(), begin=False) as (client, _):
        client.send(INITIALIZE)
        assert "'text/html' instead of events" in await client.end()


async def test_what_the_sessions_got_before_the_end_is_received() -> None:
    script = LikeTypeScript()
    async with talking(script) as (client, _):
        client.send(LOAD)
        while (await client.next()).get("id") != 1:
            pass
        script.streams[None].end()
        script.streams["s"].event(update("s", "last"))
        script.streams["s"].end()
        assert (await client.next())["params"]["text"] == "last"
        assert await client.end()


async def test_a_proxy_that_holds_the_headers_back_stops_no_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "HEARING", 0.01)

    class Buffering(Streams):
        async def get(self, request: Request) -> None:
            self.streams[request.session] = request  # send headers with the first event

        async def post(self, request: Request, message: Any) -> None:
            request.reply(202)
            self.streams[None].start()
            self.streams[None].event(result(message["id"]))

    async with talking(Buffering()) as (client, _):
        client.send(request(1, "session/list"))
        assert (await client.next())["id"] == 1


async def test_a_stream_that_falls_silent_after_comments_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "SILENCE", 0.02)
    script = Streams()
    async with talking(script) as (client, _):
        await asyncio.sleep(0.05)  # without an earlier comment, silence is not an error
        script.streams[None].data(b": alive\n\n")
        assert "was silent" in await client.end()


async def test_a_server_that_does_not_answer_a_post_ends_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "POSTING", 0.02)

    class Stuck(Streams):
        async def post(self, request: Request, message: Any) -> None:
            pass

    async with talking(Stuck()) as (client, _):
        client.send(request(1, "session/list"))
        assert "no response to a POST" in await client.end()


# --- events ----------------------------------------------------------------------------------

TEXT = "a\u2028b\x85c\x0bd\U0001f600"


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_events_are_split_at_line_ends_only(end: bytes, size: int) -> None:
    message = json.dumps({"text": TEXT}, ensure_ascii=False).encode()
    lines = [b"\xef\xbb\xbf: hello", b"event: x", b"data: " + message, b"id: 1", b""]
    lines += [b"", b"data:" + message[:9], b"retry: 1", b"data: " + message[9:], b"", b"data: 1"]
    data = end.join([*lines, b""])
    events = http.Events(1000)
    found = [
        each
        for start in range(0, len(data), size)
        for each in events.feed(data[start : start + size])
    ]
    assert [json.loads(each) for each in found] == [{"text": TEXT}] * 2
    assert events.has_comments
    assert not any(b"\n" in each for each in found)


@pytest.mark.parametrize("lines", [1, 10])
def test_an_event_has_a_limit(lines: int) -> None:
    events = http.Events(100)
    assert events.feed(b"data: " + b"1" * 100 + b"\n\n") == [b"1" * 100]
    data = (b"data: " + b"1" * (120 // lines) + b"\n") * lines
    with pytest.raises(ConnectionClosed, match="longer than 100 bytes; pass a larger `max_line`"):
        events.feed(data)


async def test_texts_of_all_kinds_arrive_whole() -> None:
    script = Streams()
    async with talking(script) as (client, _):
        data = b"data: " + json.dumps({"text": TEXT}, ensure_ascii=False).encode() + b"\r\n\r\n"
        for start in range(len(data)):
            script.streams[None].data(data[start : start + 1])
            await asyncio.sleep(0)
        assert await client.next() == {"text": TEXT}
        big = update("s", "x" * 3_000_000)
        script.streams[None].event(big)
        assert await client.next() == big


async def test_an_event_that_is_too_long_ends_the_connection() -> None:
    script = Streams()
    async with talking(script, max_line=1000) as (client, _):
        script.streams[None].event(update("s", "x" * 1000))
        assert "longer than 1000 bytes" in await client.end()


async def test_a_server_is_not_read_faster_than_the_client_receives() -> None:
    script = Streams()
    async with talking(script) as (client, _):
        stream = script.streams[None]
        for _ in range(100):
            stream.event(update("s", "x" * 1_000_000))
        await asyncio.sleep(0.2)
        assert stream.writer.transport.get_write_buffer_size() > 50_000_000
        for _ in range(100):
            await client.next()


# --- leaving ---------------------------------------------------------------------------------


async def test_closing_sends_what_is_queued() -> None:
    async with talking(Streams()) as (client, server):
        for id_ in range(10):
            client.send(request(id_, "session/list"))
    assert len(server.posted) == 11
    assert server.requests[-1].method == "DELETE"


async def test_closing_does_not_wait_without_messages_to_send() -> None:
    async with talking(Streams()) as (client, _):
        client.stream.hurry(1000)  # type: ignore[attr-defined]
        await asyncio.wait_for(client.stream.close(), 10)


async def test_closing_does_not_wait_for_a_server_that_is_stuck() -> None:
    class Stuck(Streams):
        async def __call__(self, request: Request) -> None:
            if request.is_initialize or request.method == "GET":
                await super().__call__(request)

    async with talking(Stuck()) as (client, _):
        client.stream.hurry(0.01)  # type: ignore[attr-defined]
        client.send(request(1, "session/list"))


@pytest.mark.parametrize("step", ["POST", "GET"])
async def test_cancelling_initialize_leaves_nothing(step: str) -> None:
    reached = asyncio.Event()

    async def stuck(request: Request) -> None:
        if request.method == step:
            reached.set()
        elif request.is_initialize:
            scripted.initialized(request)
        else:
            request.reply(202)

    async with serving(stuck) as server:

        async def talk() -> None:
            async with connect_remote(
                server.url, v2.SessionClient, transport="http", grace=0.01
            ) as peer:
                await peer.initialize()

        task = asyncio.create_task(talk())
        await reached.wait()
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()


async def test_cookies_are_returned_and_kept_for_the_caller() -> None:
    class Setting(Streams):
        async def __call__(self, request: Request) -> None:
            if request.is_initialize:
                scripted.initialized(request, {"set-cookie": "worker=2; Path=/; HttpOnly"})
            else:
                await super().__call__(request)

    cookies = {"a": "b"}
    async with talking(Setting(), cookies=cookies) as (_, server):
        pass
    found = [each.headers["cookie"] for each in server.requests]
    assert found == ["a=b", "a=b; worker=2", "a=b; worker=2"]
    assert cookies == {"a": "b", "worker": "2"}


async def test_headers_and_token_are_in_each_request() -> None:
    async with talking(Streams(), token="t", headers={"X-Key": "k"}) as (_, server):
        pass
    for each in server.requests:
        assert each.headers["authorization"] == "Bearer t"
        assert each.headers["x-key"] == "k"


async def test_a_hundred_sessions_each_have_a_stream() -> None:
    class Many(LikeTypeScript):
        async def post(self, request: Request, message: Any) -> None:
            request.reply(202)
            self.streams[request.session].event(result(message["id"]))

    script = Many()
    async with talking(script) as (client, _):
        for id_ in range(120):
            client.send(prompt(id_, f"s{id_}"))
        ids = {(await client.next())["id"] for _ in range(120)}
        assert ids == set(range(120))
        assert len(script.streams) == 121
