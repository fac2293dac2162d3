"""The asyncio adapter: calls, their results and errors, callbacks, and the choice of a version."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    UNSET,
    UNSUPPORTED_PROTOCOL_VERSION,
    ConnectionClosed,
    DecodeError,
    EncodeError,
    RequestError,
    VersionMismatch,
)
from acp_bindings.runtime.aio import Peer, connect, memory_streams, serve
from acp_bindings.runtime.jsonrpc import Connection
from package.jsonrpc.aio_sides import (
    ASK,
    ASK_CLIENT,
    PROMPT,
    TELL,
    agent,
    begin,
    client,
    connected,
    echo,
    prompt,
    raising,
    serving,
    stuck,
    ticks,
)
from package.jsonrpc.loop import handler, pair, within
from package.jsonrpc.wire import ask, each_version, initialize, line, tell

each_unstable = pytest.mark.parametrize("surface", [v1_unstable, v2_unstable], ids=["v1", "v2"])


async def refusal(peer: Peer, method: Any = ASK, params: Any = None) -> tuple[Any, ...]:
    """The code, message and data of the error that a request gets."""
    with pytest.raises(RequestError) as caught:
        await peer.request(method, params)
    return caught.value.args


# --- calls -----------------------------------------------------------------------------------


async def test_requests_go_both_ways() -> None:
    async def relay(peer: Peer, method: str, params: Any) -> Any:
        return ["agent", await peer.request(ASK_CLIENT, params)]

    async def answer(peer: Peer, method: str, params: Any) -> Any:
        return ["client", method, params]

    async with pair(agent(ext_request=relay), client(ext_request=answer)) as peer:
        assert await peer.request(ASK, 1) == ["agent", ["client", "_ask", 1]]


@each_version
async def test_an_unhandled_request_is_method_not_found(surface: ModuleType) -> None:
    async with pair(handler(surface.AgentHandler), handler(surface.ClientHandler)) as peer:
        method, params = surface.AGENT_METHODS["session/list"], surface.ListSessionsRequest()
        assert (await refusal(peer, method, params))[0] == METHOD_NOT_FOUND


class Uncommon(BaseException):
    """Not a subclass of Exception, like some exceptions of test runners and frameworks."""


@pytest.mark.parametrize("kind", [ValueError, ConnectionClosed, asyncio.TimeoutError, Uncommon])
async def test_a_failing_handler_is_an_internal_error_and_a_line_in_the_log(
    kind: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    fail = raising(kind("hunter2"))
    async with pair(agent(ext_request=fail, ext_notification=fail)) as peer:
        for _ in range(2):
            await peer.notify(TELL, None)
            assert await refusal(peer) == (INTERNAL_ERROR, "internal error", UNSET)
    assert caplog.text.count("the handler of '_ask' failed") == 2
    assert caplog.text.count("the handler of '_tell' failed") == 2
    assert "hunter2" in caplog.text


async def test_a_deliberate_error_arrives_with_its_data() -> None:
    async with pair(agent(ext_request=raising(RequestError(-7, "no", {"a": [1]})))) as peer:
        assert await refusal(peer) == (-7, "no", {"a": [1]})


async def test_none_stands_for_a_result_without_members(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def nothing(peer: Peer, params: Any) -> None: ...

    async with pair(agent(session_set_mode=nothing, session_prompt=nothing)) as peer:
        params = v1.SetSessionModeRequest(session_id="s", mode_id="m")
        result = await peer.request(v1.AGENT_METHODS["session/set_mode"], params)
        assert result == v1.SetSessionModeResponse()
        assert await refusal(peer, PROMPT, prompt()) == (INTERNAL_ERROR, "internal error", UNSET)
    assert "the handler of 'session/prompt' returned None instead of its result" in caplog.text
    assert "PromptResponse at /stopReason: expected one of end_turn, " in caplog.text


async def test_a_result_of_another_type_is_an_internal_error() -> None:
    async def wrong(peer: Peer, params: Any) -> Any:
        return v1.TextContent(text="t")

    async with pair(agent(session_prompt=wrong)) as peer:
        assert (await refusal(peer, PROMPT, prompt()))[0] == INTERNAL_ERROR


async def test_params_that_cannot_be_encoded_leave_the_connection_usable() -> None:
    async with pair(agent(ext_request=echo)) as peer:
        with pytest.raises(EncodeError):
            await peer.request(ASK, object())
        assert await peer.request(ASK, 1) == 1


async def test_a_bad_result_is_raised_where_it_is_awaited() -> None:
    async with connected() as (peer, wire):
        call, id_ = await begin(wire, peer.request(PROMPT, prompt()))
        wire.write({"id": id_, "result": {"stopReason": 5}})
        with pytest.raises(DecodeError):
            await call
        params = v1.InitializeRequest(protocol_version=1)
        call, id_ = await begin(wire, v1.AgentStub(peer).initialize(params))
        wire.write({"id": id_, "result": {"protocolVersion": 2}})
        with pytest.raises(VersionMismatch):
            await call
        assert peer.advertised is None


@each_unstable
async def test_a_proxy_takes_requests_and_notifications_of_one_name(surface: Any) -> None:
    forwarded: list[Any] = []

    class Proxy(surface.AgentHandler, surface.ProxyHandler):
        async def proxy_successor(self, params: Any) -> Any:
            return {"asked": params.method}

        async def proxy_successor_notification(self, params: Any) -> None:
            forwarded.append(params.method)

    asked = surface.ProxySuccessorRequest(method="session/new")
    async with pair(handler(Proxy), handler(surface.ClientHandler)) as peer:
        proxy = surface.ProxyStub(peer)
        assert await proxy.proxy_successor(asked) == {"asked": "session/new"}
        told = surface.ProxySuccessorNotification(method="session/update")
        await proxy.proxy_successor_notification(told)
    assert forwarded == ["session/update"]
    async with pair(handler(surface.AgentHandler), handler(surface.ClientHandler)) as peer:
        call = surface.ProxyStub(peer).proxy_successor(asked)
        with pytest.raises(RequestError, match="method not found: proxy/successor") as caught:
            await call
        assert caught.value.code == METHOD_NOT_FOUND


# --- callbacks -------------------------------------------------------------------------------

each_error = pytest.mark.parametrize("error", [LookupError, asyncio.CancelledError, GeneratorExit])
# The first has an issue of decoding; the second is refused, since it comes again.
INITIALIZE = {"protocolVersion": 1, "clientCapabilities": {"terminal": "yes"}}


async def test_what_the_default_mode_recovers_from_is_told() -> None:
    told: list[Any] = []
    async with serving(agent(), initialized=False, on_issue=told.append) as wire:
        wire.write(ask(1, "initialize", **INITIALIZE))
        assert (await wire.read())["result"]["protocolVersion"] == 1
    (issue,) = told
    assert (issue.method, issue.pointer) == ("initialize", "/clientCapabilities/terminal")


@pytest.mark.parametrize(
    ("name", "whose"),
    [
        ("on_issue", "the callback for issues failed"),
        ("observe", "the observer of a connection failed"),
    ],
)
@each_error
async def test_what_an_option_raises_costs_nothing_but_a_log_entry(
    name: str, whose: str, error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*args: Any) -> None:
        raise error("by the callback")

    options: Any = {name: fail}
    async with serving(agent(), initialized=False, **options) as wire:
        wire.write(ask(1, "initialize", **INITIALIZE), ask(2, "initialize", **INITIALIZE))
        assert [(await wire.read())["id"] for _ in range(2)] == [1, 2]
    assert whose in caplog.text
    assert "by the callback" in caplog.text


@each_error
async def test_so_does_what_other_callbacks_raise(
    error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*args: Any) -> None:
        raise error

    def make(peer: Peer) -> Any:
        made = agent(ext_request=echo)(peer)
        made.received = fail
        return made

    async with pair({v1: make}) as peer:
        assert await peer.request(ASK, 1, on_response=fail) == 1
        assert await peer.request(ASK, 2) == 2
    assert caplog.text.count("'_ask' cannot be processed at receipt") == 2
    assert caplog.text.count("the callback of a response failed") == 1


@each_error
@within(3.0)
async def test_what_disconnected_raises_leaves_no_task(
    error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise error

    def make(peer: Peer) -> Any:
        made = client(ext_notification=stuck)(peer)
        made.disconnected = fail
        return made

    before = asyncio.all_tasks()
    async with connected({v1: make}) as (peer, wire):
        wire.write(tell())
        await ticks()
        await wire.stream.close()
        await peer.wait_ended()
    assert asyncio.all_tasks() == before
    assert "disconnected failed" in caplog.text


@each_error
async def test_a_failing_notification_handler_does_not_stop_the_next(
    error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    handled: list[Any] = []

    async def fail(peer: Peer, method: str, params: Any) -> None:
        handled.append(params["number"])
        raise error

    async with connected(client(ext_notification=fail)) as (_, wire):
        wire.write(*(tell("_note", number=number) for number in range(3)))
        await ticks()
    assert handled == [0, 1, 2]
    assert caplog.text.count("the handler of '_note' failed") == 3


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_a_callback_may_end_the_program(error: type[BaseException]) -> None:
    def leave(*args: Any) -> None:
        raise error

    connection = Connection("agent", v1, observe=leave)
    with pytest.raises(error):
        connection.receive(line(ask(1)))


# --- versions and factories ------------------------------------------------------------------

AGENT_1, AGENT_2 = agent(), handler(v2.AgentHandler)


@pytest.mark.parametrize("error", [LookupError, asyncio.CancelledError])
async def test_a_factory_that_fails_is_logged_and_the_connection_goes_on(
    error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(peer: Peer) -> Any:
        raise error("by the factory")

    async with serving({v1: fail}, AGENT_2, initialized=False) as wire:
        wire.write(initialize(1), initialize(2))
        assert (await wire.read())["error"]["code"] == INTERNAL_ERROR
        assert (await wire.read())["result"]["protocolVersion"] == 2
    assert "the handler for protocol version 1 cannot be made" in caplog.text
    assert "by the factory" in caplog.text


@pytest.mark.parametrize(
    ("agents", "asked", "spoken"),
    [
        *[
            ((AGENT_1, AGENT_2), asked, spoken)
            for asked, spoken in ((1, 1), (2, 2), (7, 2), (0, 1))
        ],
        *[((AGENT_1,), asked, 1) for asked in (0, 1, 7)],
    ],
    ids=str,
)
async def test_initialize_picks_the_factory(agents: Any, asked: int, spoken: int) -> None:
    async with serving(*agents, initialized=False) as wire:
        wire.write(initialize(asked))
        assert (await wire.read())["result"]["protocolVersion"] == spoken


async def test_a_server_refuses_what_it_cannot_speak() -> None:
    async with serving(AGENT_2, initialized=False) as wire:
        wire.write(initialize(1), initialize("1"), initialize(2))
        unsupported, not_an_integer, answer = [await wire.read() for _ in range(3)]
        assert unsupported["error"]["code"] == UNSUPPORTED_PROTOCOL_VERSION
        assert not_an_integer["error"]["data"]["pointer"] == "/protocolVersion"
        assert answer["result"]["protocolVersion"] == 2


@pytest.mark.parametrize("side", ["agent", "client"])
@pytest.mark.parametrize("error", [LookupError, TypeError])
async def test_the_only_factory_that_fails_closes_the_stream_and_leaves_no_task(
    side: str, error: type[Exception]
) -> None:
    tasks: list[asyncio.Task[Any]] = []

    def factory(peer: Peer) -> Any:
        tasks.append(peer.spawn(asyncio.Event().wait()))
        if error is LookupError:
            raise LookupError("factory")
        # A handler of the other side.
        return v1.ClientHandler() if side == "agent" else v1.AgentHandler()

    near, far = memory_streams()
    made = {v1: factory}
    opening: Awaitable[Any] = (
        serve(near, made) if side == "agent" else connect(near, made).__aenter__()
    )
    with pytest.raises(error):
        await opening
    assert await far.read() == b""
    await ticks()
    assert [task.done() for task in tasks] == [True]
