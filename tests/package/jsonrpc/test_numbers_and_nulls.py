"""Numbers that count as integers, and null instead of an object."""

from __future__ import annotations

import asyncio
import json
from types import ModuleType
from typing import Any

import pytest
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import Peer, connect, memory_streams
from acp_bindings.runtime.jsonrpc import Connection, Failure, Ignored, Refused, Request, Response
from acp_bindings.runtime.values.errors import Issue
from package.jsonrpc.loop import handler
from package.jsonrpc.scripted_agent import CLOSE, WITHDRAWN, agent, served
from package.jsonrpc.wire import cancel as withdrawal
from package.jsonrpc.wire import each_version, line, only
from package.session.scripted import Json, Script, run, settle

# --- numbers that are integers ---------------------------------------------------------------


@each_version
@pytest.mark.parametrize("id_", ["1.0", "0.0", "-1.0", "1e3", "1e22", "1", "0", '"1.0"'])
def test_a_request_is_answered_with_the_id_it_came_with(surface: ModuleType, id_: str) -> None:
    async def main() -> bytes:
        async def close(peer: Peer, params: Any) -> Any:
            return surface.CloseSessionResponse()

        script, serving = await served(agent(surface, session_close=close))
        stream = script._stream
        stream.write(line({**CLOSE, "id": "here"}).replace(b'"here"', id_.encode()))
        data = await stream.read()
        await stream.close()
        await serving
        return data

    answer = json.loads(run(main()))
    expected = json.loads(id_)
    assert answer == {"jsonrpc": "2.0", "id": expected, "result": {}}
    assert type(answer["id"]) is type(expected)


@each_version
@pytest.mark.parametrize(("id_", "named"), [("1.0", "1.0"), ("1.0", "1"), ("1", "1.0")])
def test_a_request_is_withdrawn_by_the_same_number(
    surface: ModuleType, id_: str, named: str
) -> None:
    async def main() -> Json:
        async def stuck(peer: Peer, params: Any) -> None:
            await asyncio.Event().wait()

        script, serving = await served(agent(surface, session_close=stuck))
        script.write({**CLOSE, "id": json.loads(id_)})
        await settle()
        script.write(withdrawal(json.loads(named)))
        answer = await script.read()
        await script.close()
        await serving
        return answer

    assert run(main()) == WITHDRAWN


@each_version
@pytest.mark.parametrize("id_", ["1.0", "1", "1e0", "10e-1"])
def test_an_answer_is_to_the_request_of_the_same_number(surface: ModuleType, id_: str) -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, handler(surface.ClientHandler)) as peer:
            method = surface.EXTENSIONS["agent", "request"].named("_ask")
            asking = asyncio.create_task(peer.request(method, None))
            assert json.loads(await far.read())["id"] == 1
            far.write(b'{"jsonrpc": "2.0", "id": %b, "result": [1]}\n' % id_.encode())
            assert await asking == [1]

    run(main())


@each_version
@pytest.mark.parametrize("code", ["-32000.0", "-32000", "-3.2e4"])
@pytest.mark.parametrize("id_", ["1.0", "1"])
def test_the_code_of_an_error_is_an_int(surface: ModuleType, code: str, id_: str) -> None:
    connection = Connection("client", surface)
    connection.request(surface.EXTENSIONS["agent", "request"].named("_ask"), None)
    text = f'{{"jsonrpc": "2.0", "id": {id_}, "error": {{"code": {code}, "message": "no"}}}}\n'
    event = only(connection.receive(text.encode()))
    assert isinstance(event, Failure)
    assert isinstance(event.error, RequestError)
    assert (type(event.error.code), event.error.code) == (int, -32000)
    assert not connection.pending


@each_version
def test_an_error_whose_data_is_no_json_keeps_the_id_it_is_for(surface: ModuleType) -> None:
    connection = Connection("agent", surface)
    request = only(connection.receive(line({**CLOSE, "id": 7.0})))
    assert isinstance(request, Request)
    connection.fail(request, RequestError(-5, "no", {1, 2}))
    assert b'"id":7.0,' in connection.data_to_send()


@each_version
def test_what_is_no_integer_is_no_id_and_no_code(surface: ModuleType) -> None:
    connection = Connection("client", surface)
    connection.request(surface.EXTENSIONS["agent", "request"].named("_ask"), None)
    answer = b'{"jsonrpc": "2.0", "id": 1.5, "result": 1}\n'
    assert isinstance(only(connection.receive(answer)), Ignored)
    asked = b'{"jsonrpc": "2.0", "id": 1.5, "method": "_ask"}\n'
    assert isinstance(only(connection.receive(asked)), Refused)
    assert set(connection.pending) == {1}
    code = b'{"jsonrpc": "2.0", "id": 1, "error": {"code": 1.5, "message": "no"}}\n'
    event = only(connection.receive(code))
    assert isinstance(event, Failure)
    assert not isinstance(event.error, RequestError)


# --- null where an object is due -------------------------------------------------------------


@each_version
def test_null_where_an_object_is_due_is_told(surface: ModuleType) -> None:
    told: list[Issue] = []

    async def main() -> None:
        near, far = memory_streams()
        script = Script(far)
        client = handler(surface.ClientHandler)

        async with connect(near, client, on_issue=told.append) as peer:
            params = surface.CloseSessionRequest(session_id="s")
            method = surface.AGENT_METHODS["session/close"]
            asking = asyncio.create_task(peer.request(method, params))
            assert await script.read() == CLOSE
            script.write({"id": 1, "result": None})
            assert await asking == surface.CloseSessionResponse()

    run(main())
    (issue,) = told
    assert (issue.method, issue.pointer, issue.action) == ("session/close", "", "defaulted")
    assert issue.raw is None
    assert "null" in issue.reason


@each_version
def test_null_that_cannot_be_an_object_is_an_error_and_nothing_is_told(
    surface: ModuleType,
) -> None:
    told: list[Issue] = []
    connection = Connection("client", surface, on_issue=told.append)
    connection.request(
        surface.AGENT_METHODS["session/list"], surface.ListSessionsRequest()
    )  # whose result has a member that is required
    event = only(connection.receive(line({"id": 1, "result": None})))
    assert isinstance(event, Failure)
    assert told == []


@each_version
def test_null_where_anything_may_be_is_not_told(surface: ModuleType) -> None:
    told: list[Issue] = []
    connection = Connection("client", surface, on_issue=told.append)
    connection.request(surface.EXTENSIONS["agent", "request"].named("_ask"), None)
    event = only(connection.receive(line({"id": 1, "result": None})))
    assert isinstance(event, Response)
    assert event.result is None
    assert told == []
