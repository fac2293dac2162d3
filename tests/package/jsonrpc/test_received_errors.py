"""An error that the other side has sent, and that leaves a handler: it is not sent back."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import (
    AUTHENTICATION_REQUIRED,
    INTERNAL_ERROR,
    REQUEST_CANCELLED,
    UNSET,
    RequestError,
)
from acp_bindings.runtime.aio import Peer, connect_stdio
from acp_bindings.runtime.jsonrpc import Connection
from package.jsonrpc.aio_sides import ASK, ASK_CLIENT, agent, client, served, ticks
from package.jsonrpc.loop import pair, run
from package.jsonrpc.processes import CLIENT, ECHO, program
from package.jsonrpc.wire import ask, cancel, extension, line, only, reply, requested

FAILED = "the call of '_ask' failed: no (-7)"


async def relay(peer: Peer, method: str, params: Any) -> Any:
    return await peer.request(ASK_CLIENT, params)


async def refuse(peer: Peer, method: str, params: Any) -> Any:
    raise RequestError(-7, "no", {"why": "so"})


async def ask_agent(peer: Peer) -> RequestError:
    with pytest.raises(RequestError) as caught:
        await peer.request(ASK, None)
    return caught.value


def test_an_error_knows_the_call_that_it_answers() -> None:
    async def main() -> None:
        async with pair(agent(ext_request=refuse), client()) as peer:
            error = await ask_agent(peer)
            assert (error.method, error.code, error.data) == ("_ask", -7, {"why": "so"})

    run(main())


def test_an_error_made_here_answers_no_call() -> None:
    assert RequestError(-7, "no").method == ""


def test_an_error_of_the_client_is_not_taken_for_one_of_the_agent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        async with pair(agent(ext_request=relay), client(ext_request=refuse)) as peer:
            error = await ask_agent(peer)
            assert (error.code, error.message, error.data) == (INTERNAL_ERROR, FAILED, UNSET)

    run(main())
    assert caplog.messages == ["the handler of '_ask' failed"]


@pytest.mark.parametrize("code", [AUTHENTICATION_REQUIRED, REQUEST_CANCELLED])
def test_no_code_of_the_other_side_is_passed_on(code: int) -> None:
    async def refuse_so(peer: Peer, method: str, params: Any) -> Any:
        raise RequestError(code, "no")

    async def main() -> None:
        async with pair(agent(ext_request=relay), client(ext_request=refuse_so)) as peer:
            error = await ask_agent(peer)
            text = f"the call of '_ask' failed: no ({code})"
            assert (error.code, error.message) == (INTERNAL_ERROR, text)

    run(main())


def test_a_request_that_is_cancelled_with_what_its_handler_asks_for_is_cancelled() -> None:
    async def stubborn(peer: Peer, method: str, params: Any) -> Any:
        call = asyncio.create_task(relay(peer, method, params))
        try:
            return await asyncio.shield(call)
        except asyncio.CancelledError:
            return await call

    async def main() -> None:
        wire, serving = await served(agent(ext_request=stubborn))
        wire.write(ask(1))
        asked = await wire.read()
        wire.write(cancel(1))
        await ticks()
        error = {"code": REQUEST_CANCELLED, "message": "withdrawn"}
        wire.write({"id": asked["id"], "error": error})
        answer = await wire.read()
        assert answer["error"] == {"code": REQUEST_CANCELLED, "message": "request cancelled"}
        await wire.stream.close()
        await serving

    run(main())


def test_a_handler_may_raise_an_error_of_its_own_because_of_one() -> None:
    async def explain(peer: Peer, method: str, params: Any) -> Any:
        try:
            await relay(peer, method, params)
        except RequestError as error:
            raise RequestError(error.code, error.message, error.data) from None

    async def main() -> None:
        async with pair(agent(ext_request=explain), client(ext_request=refuse)) as peer:
            error = await ask_agent(peer)
            assert (error.code, error.message, error.data) == (-7, "no", {"why": "so"})

    run(main())


def test_an_error_of_another_connection_is_passed_on() -> None:
    """As a bridge does."""
    beyond = Connection("client", v1)
    id_ = beyond.request(extension(v1, "agent"), None)
    refusal = {"id": id_, "error": {"code": -7, "message": "no"}}
    error = only(beyond.receive(line(refusal))).error
    connection = Connection("agent", v1)
    connection.fail(requested(connection, ask(1)), error)
    assert reply(connection)["error"] == {"code": -7, "message": "no"}


def test_a_received_error_can_be_pickled() -> None:
    connection = Connection("client", v1)
    id_ = connection.request(extension(v1, "agent"), None)
    refusal = {"id": id_, "error": {"code": -7, "message": "no"}}
    error = only(connection.receive(line(refusal))).error
    copied = pickle.loads(pickle.dumps(error))
    assert (copied.code, copied.message, copied.method) == (-7, "no", "_ask")


# --- what an error says ----------------------------------------------------------------------


@pytest.mark.parametrize("data", [UNSET, None])
def test_an_error_without_data_says_nothing_of_it(data: Any) -> None:
    assert str(RequestError(-7, "no", data)) == "no (-7)"


FAIL = (
    "id_ = json.loads(sys.stdin.readline())['id']\n"
    "error = {'code': %d, 'message': 'Internal error'%s}\n"
    "print(json.dumps({'jsonrpc': '2.0', 'id': id_, 'error': error}), flush=True)\n"
    "sys.stdin.read()"
)
SEE = "Internal error (-32603); see the agent's standard error"


@pytest.mark.parametrize(
    ("code", "data", "options", "text"),
    [
        (INTERNAL_ERROR, ", 'message': 'no room'", {}, "no room (-32603)"),
        (INTERNAL_ERROR, "", {}, SEE),
        (INTERNAL_ERROR, ", 'data': None", {}, SEE),
        (INTERNAL_ERROR, "", {"on_stderr": print}, SEE),
        (INTERNAL_ERROR, ", 'data': 'x'", {}, "Internal error (-32603): x"),
        (-7, "", {}, "Internal error (-7)"),
        (INTERNAL_ERROR, "", {"stderr": asyncio.subprocess.DEVNULL}, "Internal error (-32603)"),
    ],
)
def test_an_internal_error_of_a_program_leads_to_its_standard_error(
    code: int, data: str, options: dict[str, Any], text: str
) -> None:
    async def main() -> None:
        async with connect_stdio(program(FAIL % (code, data)), CLIENT, **options) as peer:
            with pytest.raises(RequestError) as caught:
                await peer.request(ECHO, None)
            assert str(caught.value) == text

    run(main())
