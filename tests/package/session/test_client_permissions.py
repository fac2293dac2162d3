"""A client asks its user for the permissions that an agent requests."""

from __future__ import annotations

from typing import Any

from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import connect, memory_streams
from package.jsonrpc.wire import cancel as withdrawal
from package.session.client_turns import (
    ALLOWED,
    REFUSED,
    Asked,
    cancel,
    forever,
    prompted,
)
from package.session.scripted import (
    Script,
    Version,
    client,
    each_version,
    failure,
    result,
    run,
    settle,
)


@each_version
def test_the_answer_of_the_user_is_sent(version: Version) -> None:
    async def main() -> None:
        surface = version.surface

        async def allow(params: Any) -> Any:
            assert params == version.question()
            return surface.decode(surface.RequestPermissionResponse, ALLOWED)

        async with client(version, session_request_permission=allow) as (script, session):
            async with prompted(version, script, session, version.permission("a")) as (_, id_):
                assert await script.read() == result("a", **ALLOWED)
                script.write(*version.stopped(id_))
            script.write(version.permission("b"))
            assert await script.read() == result("b", **ALLOWED)

    run(main())


@each_version
def test_a_user_who_fails_is_an_error(version: Version) -> None:
    async def main() -> None:
        async def fail(params: Any) -> Any:
            raise RequestError(-7, "no", [1])

        async with client(version, session_request_permission=fail) as (script, _):
            script.write(version.permission("a"))
            assert await script.read() == failure("a", -7, data=[1])

    run(main())


@each_version
def test_a_permission_that_the_agent_takes_back_is_answered_as_cancelled(
    version: Version,
) -> None:
    async def main() -> None:
        user = Asked()
        async with client(version, session_request_permission=user) as (script, _):
            script.write(version.permission("a"), version.permission("b", "u"))
            await settle()
            script.write(withdrawal("a"))
            assert await script.read() == result("a", **REFUSED)
            await settle()
            assert user.withdrawn == ["t"]
            script.write(withdrawal("b"))
            assert await script.read() == result("b", **REFUSED)

    run(main())


@each_version
def test_a_user_who_answers_the_cancelling_with_an_error_is_not_heard(version: Version) -> None:
    async def main() -> None:
        async def fail(params: Any) -> Any:
            try:
                await forever()
            finally:
                raise ValueError("too late")

        async with client(version, session_request_permission=fail) as (script, session):
            script.write(version.permission("a"))
            await settle()
            await cancel(script, session)
            assert await script.read() == result("a", **REFUSED)

    run(main())


@each_version
def test_the_end_of_the_connection_takes_the_question_back(version: Version) -> None:
    async def main() -> None:
        user = Asked()
        near, far = memory_streams()
        script = Script(far)

        class Client(version.client.SessionClient):  # type: ignore[misc, name-defined]
            async def session_request_permission(self, params: Any) -> Any:
                return await user(params)

        async with connect(near, Client):
            script.write(version.permission("a"))
            await settle()
            assert user.asked == ["t"]
        await settle()
        assert user.withdrawn == ["t"]

    run(main())
