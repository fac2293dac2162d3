"""Tests of error codes, error messages, and exceptions that handlers raise."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import runtime, v1, v2
from acp_bindings.runtime import (
    AUTHENTICATION_REQUIRED,
    INTERNAL_ERROR,
    REQUEST_CANCELLED,
    UNSET,
    ConnectionClosed,
    RequestError,
)
from acp_bindings.runtime.aio import Peer, connect_stdio
from acp_bindings.runtime.jsonrpc import Connection
from acp_bindings.runtime.jsonrpc.messages import error_response

from tests.package.aio.loop import pair
from tests.package.aio.processes import CLIENT, ECHO, program
from tests.package.aio.sides import ASK, ASK_CLIENT, GIVE_UP, agent, client, served, serving
from tests.package.jsonrpc.wire import (
    ask,
    calling,
    each_version,
    line,
    only,
    reply,
    requested,
    tell,
)
from tests.package.jsonrpc.wire import cancel as withdrawal
from tests.package.session.scripted import failure, logs, settle
from tests.support.paths import SCHEMA

pytestmark = logs  # no log messages, unless a test lists them

# --- codes -----------------------------------------------------------------------------------

COUNTS = {
    "v1/schema.json": 8,
    "v1/schema.unstable.json": 8,
    "v2/schema.json": 9,
    "v2/schema.unstable.json": 9,
}


def codes(name: str) -> dict[str, int]:
    """Return the named error codes of a schema file, by constant name."""
    arms = json.loads((SCHEMA / name).read_text(encoding="utf-8"))["$defs"]["ErrorCode"]["anyOf"]
    return {arm["title"].upper().replace(" ", "_"): arm["const"] for arm in arms if "const" in arm}


def test_constants_are_the_codes_of_the_schemas() -> None:
    files = {path.relative_to(SCHEMA).as_posix() for path in SCHEMA.glob("*/schema*.json")}
    assert {name: len(codes(name)) for name in files} == COUNTS
    expected = {title: code for name in files for title, code in codes(name).items()}
    constants = {name for name in runtime.__all__ if name.isupper() and name != "UNSET"}
    assert {name: getattr(runtime, name) for name in constants} == expected


@pytest.mark.parametrize(("title", "code"), codes("v2/schema.json").items())
def test_each_code_of_the_schema_has_a_class_method(title: str, code: int) -> None:
    make = getattr(RequestError, title.lower())
    words = title.lower().replace("_", " ")
    assert make().args == (code, words, UNSET)
    assert make({"a": 1}, "say more").args == (code, "say more", {"a": 1})


def test_authentication_has_the_usual_short_name() -> None:
    assert RequestError.auth_required().code == AUTHENTICATION_REQUIRED


def test_data_that_is_left_out_is_absent_and_none_is_null() -> None:
    for error, expected in (
        (RequestError.invalid_params(), {}),
        (RequestError.invalid_params(None), {"data": None}),
    ):
        sent = json.loads(error_response(1, error, v2))["error"]
        assert sent == {"code": -32602, "message": "invalid params", **expected}


# --- contents of errors ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (UNSET, "no (-7)"),
        (None, "no (-7)"),
        ({"pointer": "/a"}, "no (-7): {'pointer': '/a'}"),
        *(("x" * length, "no (-7): " + "x" * min(length, 200)) for length in (199, 200, 201)),
    ],
)
def test_the_text_of_an_error_has_the_beginning_of_its_data(data: Any, text: str) -> None:
    assert str(RequestError(-7, "no", data)) == text


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
async def test_an_internal_error_of_a_program_leads_to_its_standard_error(
    code: int, data: str, options: dict[str, Any], text: str
) -> None:
    async with connect_stdio(program(FAIL % (code, data)), CLIENT, **options) as peer:
        with pytest.raises(RequestError) as caught:
            await peer.request(ECHO, None)
        assert str(caught.value) == text


# --- errors that leave a handler -------------------------------------------------------------


CLOSE = ask(1, "session/close", sessionId="s")
CANCEL = tell("session/cancel", sessionId="s")
WITHDRAWN = failure(1, REQUEST_CANCELLED, "request cancelled")


@each_version
@pytest.mark.parametrize("where", ["request", "task", "notification"])
@pytest.mark.parametrize("what", ["call", "notification"])
async def test_that_this_connection_has_ended_is_no_news(
    surface: ModuleType, where: str, what: str
) -> None:
    raised: list[type[BaseException]] = []
    ended = asyncio.Event()

    async def call(peer: Peer) -> None:
        try:
            if what == "call":
                await peer.request(surface.EXTENSIONS["client", "request"].named("_ask"), None)
            else:
                await ended.wait()
                tell = surface.EXTENSIONS["client", "notification"].named("_tell")
                await peer.notify(tell, None)
        except BaseException as error:
            raised.append(type(error))
            raise

    async def handle(peer: Peer, params: Any) -> Any:
        if where == "task":
            peer.spawn(call(peer))
        else:
            await call(peer)
        return surface.CloseSessionResponse()

    methods = agent(surface, session_close=handle, session_cancel=handle)
    script, serving = await served(methods, linger=GIVE_UP)
    script.write(CANCEL if where == "notification" else CLOSE)
    await settle()
    await script.close()
    await settle()
    ended.set()
    await serving
    assert raised == [ConnectionClosed]


@each_version
@logs("the handler for 'session/close' failed")
async def test_only_a_handler_whose_request_was_withdrawn_is_cancelled(surface: ModuleType) -> None:
    """If a task that a handler awaits is cancelled, the handler fails with an internal error."""

    async def fail(peer: Peer, params: Any) -> None:
        task = asyncio.create_task(asyncio.sleep(GIVE_UP))
        await asyncio.sleep(0)
        if params.session_id == "s":
            task.cancel()
        await task

    async with serving(agent(surface, session_close=fail)) as script:
        script.write(CLOSE)
        assert await script.read() == failure(1, INTERNAL_ERROR, "internal error")
        script.write(ask(2, "session/close", sessionId="other"))
        await settle()
        script.write(withdrawal(2))
        assert await script.read() == {**WITHDRAWN, "id": 2}


# --- errors from the peer --------------------------------------------------------------------


async def relay(peer: Peer, method: str, params: Any) -> Any:
    return await peer.request(ASK_CLIENT, params)


async def refuse(peer: Peer, method: str, params: Any) -> Any:
    raise RequestError(params or -7, "no", {"why": "so"})


async def ask_agent(handle: Callable[..., Any], params: Any = None) -> RequestError:
    """Call `_ask` on an agent with this handler and return the error."""
    async with pair(agent(ext_request=handle), client(ext_request=refuse)) as peer:
        with pytest.raises(RequestError) as caught:
            await peer.request(ASK, params)
        return caught.value


async def test_an_error_knows_the_call_that_it_answers() -> None:
    error = await ask_agent(refuse)
    assert (error.method, error.code, error.data) == ("_ask", -7, {"why": "so"})
    assert RequestError(-7, "no").method == ""  # a locally created error has no method


@pytest.mark.parametrize("code", [-7, AUTHENTICATION_REQUIRED, REQUEST_CANCELLED])
@logs("the handler for '_ask' failed")
async def test_an_error_of_the_client_is_not_taken_for_one_of_the_agent(code: int) -> None:
    error = await ask_agent(relay, code)
    text = f"the call to '_ask' failed: no ({code})"
    assert (error.code, error.message, error.data) == (INTERNAL_ERROR, text, UNSET)


async def test_a_request_that_is_cancelled_with_what_its_handler_asks_for_is_cancelled() -> None:
    async def stubborn(peer: Peer, method: str, params: Any) -> Any:
        call = asyncio.create_task(relay(peer, method, params))
        try:
            return await asyncio.shield(call)
        except asyncio.CancelledError:
            return await call

    async with serving(agent(ext_request=stubborn)) as script:
        script.write(ask(1))
        asked = await script.read()
        script.write(withdrawal(1))
        await settle()
        script.write(failure(asked["id"], REQUEST_CANCELLED, "withdrawn"))
        assert await script.read() == WITHDRAWN


def test_an_error_of_another_connection_is_passed_on_as_a_bridge_does() -> None:
    error = only(calling("client").receive(line(failure(1, -7)))).error
    copied = pickle.loads(pickle.dumps(error))
    assert (copied.code, copied.message, copied.method) == (-7, "no", "_ask")
    for each in (error, copied):
        connection = Connection("agent", v1)
        connection.fail(requested(connection, ask(1)), each)
        assert reply(connection)["error"] == {"code": -7, "message": "no"}
