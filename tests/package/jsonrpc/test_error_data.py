"""The errors that a connection reports: their messages and data."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from acp_bindings.runtime import ConnectionClosed, RequestError
from acp_bindings.runtime.aio import Peer
from package.jsonrpc.scripted_agent import CANCEL, CLOSE, FAILED, GIVE_UP, WITHDRAWN, agent, served
from package.jsonrpc.wire import cancel as withdrawal
from package.jsonrpc.wire import each_version
from package.session.scripted import failure, result, run, settle

HANDLER_FAILED = "the handler of 'session/close' failed"


@each_version
def test_an_error_whose_data_is_no_json_keeps_its_code_and_message(surface: ModuleType) -> None:
    async def main() -> None:
        async def fail(peer: Peer, params: Any) -> None:
            raise RequestError(-32000, "authentication required", {"file": Path("/x")})

        script, serving = await served(agent(surface, session_close=fail))
        script.write(CLOSE)
        assert await script.read() == failure(1, -32000, "authentication required")
        await script.close()
        await serving

    name = type(Path("/x")).__name__
    run(main(), f"an error cannot be sent as it is: {name} is not JSON")


@each_version
def test_an_error_about_another_connection_is_logged_and_answered(surface: ModuleType) -> None:
    async def main() -> None:
        async def fail(peer: Peer, params: Any) -> None:
            raise ConnectionClosed("the agent behind this one has ended")

        script, serving = await served(agent(surface, session_close=fail))
        script.write(CLOSE)
        assert await script.read() == FAILED
        await script.close()
        await serving

    run(main(), HANDLER_FAILED)


@each_version
def test_an_error_of_a_task_about_another_connection_is_logged(surface: ModuleType) -> None:
    async def main() -> None:
        async def fail() -> None:
            raise ConnectionClosed("the agent behind this one has ended")

        async def spawn(peer: Peer, params: Any) -> Any:
            peer.spawn(fail())
            return surface.CloseSessionResponse()

        script, serving = await served(agent(surface, session_close=spawn))
        script.write(CLOSE)
        assert await script.read() == result(1)
        await settle()
        await script.close()
        await serving

    run(main(), "a task of the connection failed")


@each_version
def test_a_notification_about_another_connection_is_logged(surface: ModuleType) -> None:
    async def main() -> None:
        async def fail(peer: Peer, params: Any) -> None:
            raise ConnectionClosed("the agent behind this one has ended")

        script, serving = await served(agent(surface, session_cancel=fail))
        script.write(CANCEL)
        await settle()
        await script.close()
        await serving

    run(main(), "the handler of 'session/cancel' failed")


@each_version
@pytest.mark.parametrize("where", ["request", "task", "notification"])
@pytest.mark.parametrize("what", ["call", "notification"])
def test_that_this_connection_has_ended_is_no_news(
    surface: ModuleType, where: str, what: str
) -> None:
    raised: list[type[BaseException]] = []

    async def main() -> None:
        ended = asyncio.Event()

        async def call(peer: Peer) -> None:
            extensions = surface.EXTENSIONS
            try:
                if what == "call":
                    await peer.request(extensions["client", "request"].named("_ask"), None)
                else:
                    await ended.wait()
                    await peer.notify(extensions["client", "notification"].named("_tell"), None)
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

    run(main())


@each_version
def test_a_handler_whose_own_task_was_cancelled_has_failed(surface: ModuleType) -> None:
    async def main() -> None:
        async def fail(peer: Peer, params: Any) -> None:
            task = asyncio.create_task(asyncio.sleep(GIVE_UP))
            await asyncio.sleep(0)
            task.cancel()
            await task

        script, serving = await served(agent(surface, session_close=fail))
        script.write(CLOSE)
        assert await script.read() == FAILED
        script.write({**CLOSE, "id": 2})  # the connection goes on
        assert await script.read() == {**FAILED, "id": 2}
        await script.close()
        await serving

    run(main(), HANDLER_FAILED, HANDLER_FAILED)


@each_version
def test_a_handler_whose_request_was_withdrawn_has_not_failed(surface: ModuleType) -> None:
    async def main() -> None:
        async def stuck(peer: Peer, params: Any) -> None:
            await asyncio.Event().wait()

        script, serving = await served(agent(surface, session_close=stuck))
        script.write(CLOSE)
        await settle()
        script.write(withdrawal(1))
        assert await script.read() == WITHDRAWN
        await script.close()
        await serving

    run(main())
