"""Mistakes of one side in a session, which the other side is not blamed for."""

from __future__ import annotations

from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import connect, memory_streams
from package.session.scripted import (
    V1,
    V2,
    Script,
    Version,
    agent,
    begun,
    each_version,
    failure,
    initialize,
    prompt,
    result,
    run,
)

# --- a client that asks nobody ---------------------------------------------------------------


def offered(version: Version, *kinds: str) -> Any:
    """A request for permission that offers options of these kinds, whose ids are the same."""
    message = version.permission("p")
    message["params"]["options"] = [
        {"optionId": kind, "name": kind, "kind": kind} for kind in kinds
    ]
    return message


@each_version
@pytest.mark.parametrize(
    ("kinds", "outcome"),
    [
        (
            ["allow_once", "reject_always", "reject_once"],
            {"outcome": "selected", "optionId": "reject_once"},
        ),
        (["allow_always", "reject_always"], {"outcome": "selected", "optionId": "reject_always"}),
        (["allow_once"], {"outcome": "cancelled"}),
    ],
)
def test_a_client_that_asks_nobody_rejects(
    version: Version, kinds: list[str], outcome: dict[str, str]
) -> None:
    class Editor(version.client.SessionClient):  # type: ignore[misc, name-defined]
        pass

    async def main() -> None:
        near, far = memory_streams()
        script = Script(far)
        async with connect(near, Editor) as peer:
            await initialize(version, script, peer)
            for _ in range(2):
                script.write(offered(version, *kinds))
                assert await script.read() == result("p", outcome=outcome)

    name = f"{test_a_client_that_asks_nobody_rejects.__name__}.<locals>.Editor"
    advice = "write session_request_permission to ask the user"
    run(main(), f"{name} rejects what it is asked for: {advice}")


# --- sessions of another version -------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "other", "text"),
    [
        (V1, V2, "this connection speaks v1: use v1.ClientSession"),
        (V2, V1, "this connection speaks v2: use v2.ClientSession"),
    ],
)
def test_a_session_of_another_version_names_the_one_that_is_spoken(
    version: Version, other: Version, text: str
) -> None:
    async def main() -> None:
        near, far = memory_streams()
        script = Script(far)
        async with connect(near, version.client.SessionClient) as peer:
            await initialize(version, script, peer)
            with pytest.raises(TypeError) as caught:
                other.client.SessionClient.of(peer)
            assert str(caught.value) == text

    run(main())


def test_a_session_needs_a_handler_that_keeps_sessions() -> None:
    async def main() -> None:
        near, _ = memory_streams()
        async with connect(near, v1.ClientHandler) as peer:
            with pytest.raises(TypeError) as caught:
                V1.client.SessionClient.of(peer)
            text = "sessions need a SessionClient as the handler of their connection"
            assert str(caught.value) == text

    run(main())


def test_a_session_before_any_version_is_agreed_on_asks_for_initialize() -> None:
    async def main() -> None:
        near, _ = memory_streams()
        both = V1.client.SessionClient, V2.client.SessionClient
        async with connect(near, *both) as peer:
            with pytest.raises(RuntimeError) as caught:
                V2.client.SessionClient.of(peer)
            text = "sessions need an initialized connection: call initialize first"
            assert str(caught.value) == text

    run(main())


# --- calls of an agent that fail -------------------------------------------------------------

REFUSED = "the call of 'session/request_permission' failed: no (-7)"


async def ask(version: Version, session: Any) -> Any:
    surface = version.surface
    about = surface.ToolCallUpdate(tool_call_id="t")
    options = [surface.PermissionOption(option_id="y", name="Yes", kind="allow_once")]
    if version.number == 1:
        return await session.ask_permission(about, options)
    subject = v2.ToolCallPermissionSubject(tool_call=about)
    return await session.ask_permission("May I?", options, subject=subject)


def test_v1_a_turn_ends_with_the_call_that_failed() -> None:
    async def work(session: Any, params: Any) -> None:
        await ask(V1, session)

    async def main() -> None:
        async with agent(V1, work) as (script, _):
            script.write(prompt(1))
            id_ = (await script.read())["id"]
            script.write(failure(id_, -7))
            error = {"code": -32603, "message": REFUSED}
            assert await script.read() == {"id": 1, "error": error}

    run(main(), "the handler of 'session/prompt' failed")


def test_v2_a_turn_ends_with_the_call_that_failed() -> None:
    async def work(session: Any, params: Any) -> None:
        await ask(V2, session)

    async def main() -> None:
        async with agent(V2, work) as (script, _):
            script.write(prompt(1))
            await begun(V2, script, 1)
            await script.updates(1)  # it requires action
            id_ = (await script.read())["id"]
            script.write(failure(id_, -7))
            *_, last = await script.updates(2)
            assert last["error"] == {"code": -32603, "message": REFUSED}

    run(main(), "a turn failed")


@each_version
def test_an_error_of_the_turn_itself_is_passed_on(version: Version) -> None:
    async def work(session: Any, params: Any) -> None:
        raise RequestError(-7, "no")

    async def main() -> None:
        async with agent(version, work) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            last = await script.read()
            error = last.get("error") or last["params"]["update"]["error"]
            assert error == {"code": -7, "message": "no"}

    run(main())
