"""The asyncio adapter: calls, their results and errors, and the choice of a version."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings import v1, v2
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
    Wire,
    agent,
    client,
    echo,
    prompt,
    served,
)
from package.jsonrpc.loop import handler, pair, run
from package.jsonrpc.wire import ask, initialize, line

# --- calls -----------------------------------------------------------------------------------


def test_requests_go_both_ways() -> None:
    async def relay(peer: Peer, method: str, params: Any) -> Any:
        return ["agent", await peer.request(ASK_CLIENT, params)]

    async def answer(peer: Peer, method: str, params: Any) -> Any:
        return ["client", method, params]

    async def main() -> None:
        async with pair(agent(ext_request=relay), client(ext_request=answer)) as peer:
            assert await peer.request(ASK, 1) == ["agent", ["client", "_ask", 1]]

    run(main())


@pytest.mark.parametrize("surface", [v1, v2], ids=["v1", "v2"])
def test_an_unhandled_request_is_method_not_found(surface: Any) -> None:
    async def main() -> None:
        base = handler(surface.AgentHandler), handler(surface.ClientHandler)
        async with pair(*base) as peer:
            with pytest.raises(RequestError) as caught:
                await peer.request(
                    surface.AGENT_METHODS["session/list"], surface.ListSessionsRequest()
                )
            assert caught.value.code == METHOD_NOT_FOUND

    run(main())


def test_a_failing_handler_is_an_internal_error_and_a_line_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fail(peer: Peer, method: str, params: Any) -> Any:
        raise ValueError("hunter2")

    async def main() -> None:
        async with pair(agent(ext_request=fail)) as peer:
            with pytest.raises(RequestError) as caught:
                await peer.request(ASK, None)
            assert caught.value.code == INTERNAL_ERROR
            assert "hunter2" not in str(caught.value.args)

    run(main())
    assert "the handler of '_ask' failed" in caplog.text
    assert "hunter2" in caplog.text


def test_a_deliberate_error_arrives_with_its_data() -> None:
    async def fail(peer: Peer, method: str, params: Any) -> Any:
        raise RequestError(-7, "no", {"a": [1]})

    async def main() -> None:
        async with pair(agent(ext_request=fail)) as peer:
            with pytest.raises(RequestError) as caught:
                await peer.request(ASK, None)
            assert caught.value.args == (-7, "no", {"a": [1]})

    run(main())


def test_a_result_of_another_type_is_an_internal_error() -> None:
    async def wrong(peer: Peer, params: Any) -> Any:
        return v1.TextContent(text="t")

    async def main() -> None:
        async with pair(agent(session_prompt=wrong)) as peer:
            with pytest.raises(RequestError) as caught:
                await peer.request(PROMPT, prompt())
            assert caught.value.code == INTERNAL_ERROR

    run(main())


def test_none_stands_for_a_result_without_members() -> None:
    async def nothing(peer: Peer, params: Any) -> None:
        return None

    async def main() -> None:
        async with pair(agent(session_set_mode=nothing)) as peer:
            params = v1.SetSessionModeRequest(session_id="s", mode_id="m")
            result = await peer.request(v1.AGENT_METHODS["session/set_mode"], params)
            assert result == v1.SetSessionModeResponse()

    run(main())


def test_none_is_no_result_with_members(caplog: pytest.LogCaptureFixture) -> None:
    async def nothing(peer: Peer, params: Any) -> None:
        return None

    async def main() -> None:
        async with pair(agent(session_prompt=nothing)) as peer:
            with pytest.raises(RequestError) as caught:
                await peer.request(PROMPT, prompt())
            assert caught.value.args == (INTERNAL_ERROR, "internal error", UNSET)

    run(main())
    assert "the handler of 'session/prompt' returned None instead of its result" in caplog.text
    assert "PromptResponse at /stopReason: expected one of end_turn, " in caplog.text


@pytest.mark.parametrize("error", [ConnectionClosed("another one"), asyncio.TimeoutError()])
def test_a_handler_that_fails_on_another_connection_still_answers(error: Exception) -> None:
    async def fail(peer: Peer, method: str, params: Any) -> Any:
        raise error

    async def main() -> None:
        async with pair(agent(ext_request=fail)) as peer:
            with pytest.raises(RequestError) as caught:
                await peer.request(ASK, None)
            assert caught.value.code == INTERNAL_ERROR

    run(main())


class Uncommon(BaseException):
    """Not a subclass of Exception, like some exceptions of test runners and frameworks."""


def test_a_handler_that_raises_no_exception_still_answers() -> None:
    async def fail(peer: Peer, method: str, params: Any) -> Any:
        raise Uncommon

    async def main() -> None:
        async with pair(agent(ext_request=fail, ext_notification=fail)) as peer:
            for _ in range(2):
                await peer.notify(TELL, None)
                with pytest.raises(RequestError) as caught:
                    await peer.request(ASK, None)
                assert caught.value.code == INTERNAL_ERROR

    run(main())


def test_a_failing_notification_handler_does_not_stop_the_next(
    caplog: pytest.LogCaptureFixture,
) -> None:
    seen: list[Any] = []

    async def fail(peer: Peer, method: str, params: Any) -> None:
        seen.append(params)
        raise ValueError("oops")

    async def main() -> None:
        async with pair(agent(ext_notification=fail, ext_request=echo)) as peer:
            for number in range(3):
                await peer.notify(TELL, number)
            await peer.request(ASK, None)

    run(main())
    assert seen == [0, 1, 2]
    assert caplog.text.count("ValueError: oops") == 3


def test_params_that_cannot_be_encoded_leave_the_connection_usable() -> None:
    async def main() -> None:
        async with pair(agent(ext_request=echo)) as peer:
            with pytest.raises(EncodeError):
                await peer.request(ASK, object())
            assert await peer.request(ASK, 1) == 1

    run(main())


def test_what_the_default_mode_recovers_from_is_told() -> None:
    told: list[Any] = []

    async def answer(peer: Peer, params: Any) -> Any:
        return v1.InitializeResponse(protocol_version=1)

    async def main() -> None:
        wire, serving = await served(agent(initialize=answer), on_issue=told.append)
        params = {"protocolVersion": 1, "clientCapabilities": {"terminal": "yes"}}
        wire.write(ask(1, "initialize", **params))
        assert (await wire.read())["result"]["protocolVersion"] == 1
        await wire.stream.close()
        await serving

    run(main())
    (issue,) = told
    assert (issue.method, issue.pointer) == ("initialize", "/clientCapabilities/terminal")


@pytest.mark.parametrize("error", [LookupError, asyncio.CancelledError, GeneratorExit])
@pytest.mark.parametrize("name", ["on_issue", "observe"])
def test_what_a_callback_raises_costs_nothing_but_a_log_entry(
    name: str, error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*args: Any) -> None:
        raise error("by the callback")

    async def main() -> None:
        callback: Any = {name: refuse}
        wire, serving = await served(agent(), initialized=False, **callback)
        params = {"protocolVersion": 1, "clientCapabilities": {"terminal": "yes"}}
        wire.write(ask(1, "initialize", **params), ask(2, "initialize", **params))
        assert [(await wire.read())["id"] for _ in range(2)] == [1, 2]
        await wire.stream.close()
        await serving

    run(main())
    whose = {"on_issue": "the callback for issues", "observe": "the observer of a connection"}
    assert f"{whose[name]} failed" in caplog.text
    assert "by the callback" in caplog.text


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_a_callback_may_end_the_program(error: type[BaseException]) -> None:
    def leave(*args: Any) -> None:
        raise error

    connection = Connection("agent", v1, observe=leave)
    with pytest.raises(error):
        connection.receive(line(ask(1)))


# --- versions and factories ------------------------------------------------------------------


def agents() -> tuple[Any, Any]:
    async def first(peer: Peer, params: Any) -> Any:
        return v1.InitializeResponse(protocol_version=1)

    async def second(peer: Peer, params: Any) -> Any:
        info = v2.Implementation(name="test", version="1")
        return v2.InitializeResponse(protocol_version=2, info=info)

    return agent(initialize=first), handler(v2.AgentHandler, initialize=second)


@pytest.mark.parametrize("error", [LookupError, asyncio.CancelledError])
def test_a_factory_that_fails_is_logged_and_the_connection_goes_on(
    error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(peer: Peer) -> Any:
        raise error("by the factory")

    async def main() -> None:
        wire, serving = await served({v1: fail}, agents()[1], initialized=False)
        wire.write(initialize(1))
        assert (await wire.read())["error"]["code"] == INTERNAL_ERROR
        wire.write(initialize(2))
        assert (await wire.read())["result"]["protocolVersion"] == 2
        await wire.stream.close()
        await serving

    run(main())
    assert "the handler for protocol version 1 cannot be made" in caplog.text
    assert "by the factory" in caplog.text


@pytest.mark.parametrize(("asked", "spoken"), [(1, 1), (2, 2), (7, 2), (0, 1)])
def test_initialize_picks_the_factory(asked: int, spoken: int) -> None:
    async def main() -> None:
        wire, serving = await served(*agents(), initialized=False)
        wire.write(initialize(asked))
        assert (await wire.read())["result"]["protocolVersion"] == spoken
        await wire.stream.close()
        await serving

    run(main())


def test_a_server_refuses_what_it_cannot_speak() -> None:
    async def main() -> None:
        wire, serving = await served(agents()[1], initialized=False)
        wire.write(initialize(1), initialize("1"), initialize(2))
        unsupported, not_an_integer, answer = [await wire.read() for _ in range(3)]
        assert unsupported["error"]["code"] == UNSUPPORTED_PROTOCOL_VERSION
        assert not_an_integer["error"]["data"]["pointer"] == "/protocolVersion"
        assert answer["result"]["protocolVersion"] == 2
        await wire.stream.close()
        await serving

    run(main())


def test_a_client_is_told_of_another_version() -> None:
    async def main() -> None:
        near, far = memory_streams()
        wire = Wire(far)
        async with connect(near, client()) as peer:
            params = v1.InitializeRequest(protocol_version=1)
            call = asyncio.create_task(v1.AgentStub(peer).initialize(params))
            id_ = (await wire.read())["id"]
            wire.write({"id": id_, "result": {"protocolVersion": 2}})
            with pytest.raises(VersionMismatch):
                await call
            assert peer.advertised is None
        await far.close()

    run(main())


def test_a_result_that_does_not_decode_is_raised_where_it_is_awaited() -> None:
    async def main() -> None:
        near, far = memory_streams()
        wire = Wire(far)
        async with connect(near, client()) as peer:
            call = asyncio.create_task(peer.request(PROMPT, prompt()))
            wire.write({"id": (await wire.read())["id"], "result": {"stopReason": 5}})
            with pytest.raises(DecodeError):
                await call
        await far.close()

    run(main())


def broken(peer: Peer) -> Any:
    raise LookupError("factory")


def test_a_factory_of_a_version_that_raises_is_an_internal_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        wire, serving = await served(agents()[0], {v2: broken}, initialized=False)
        wire.write(initialize(2), initialize(1))
        assert (await wire.read())["error"]["code"] == INTERNAL_ERROR
        assert (await wire.read())["result"]["protocolVersion"] == 1
        await wire.stream.close()
        await serving

    run(main())
    assert "LookupError: factory" in caplog.text


def test_an_agents_factory_that_raises_closes_the_stream() -> None:
    async def main() -> None:
        near, far = memory_streams()
        with pytest.raises(LookupError):
            await serve(far, {v1: broken})
        assert await near.read() == b""

    run(main())


def test_a_clients_factory_that_raises_closes_the_stream() -> None:
    async def main() -> None:
        near, far = memory_streams()
        with pytest.raises(LookupError):
            await connect(near, {v1: broken}).__aenter__()
        assert await far.read() == b""

    run(main())
