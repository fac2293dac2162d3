"""Tests of permission requests to clients with and without a `permissions` attribute."""

from __future__ import annotations

import asyncio
import warnings
from pathlib import Path
from typing import Any

import pytest
from acp_bindings.kit.permissions import Permissions, Question, Rule
from acp_bindings.runtime.aio import connect, memory_streams

from tests.package.session.scripted import (
    REFUSED,
    SESSION,
    V1,
    Json,
    Script,
    Version,
    cancel,
    close,
    each_surface,
    each_version,
    entered,
    forever,
    initialize,
    logs,
    result,
    run,
    settle,
)

ALLOWED = {"outcome": {"outcome": "selected", "optionId": "yes"}}
REJECTED = {"outcome": {"outcome": "selected", "optionId": "no"}}
NO = {"optionId": "no", "name": "No", "kind": "reject_once"}


def asking(version: Version, id_: str, **fields: Json) -> Json:
    """Return a permission request with an option to reject."""
    message = version.permission(id_)
    message["params"]["options"].append(NO)
    subject = message["params"] if version.number == 1 else message["params"]["subject"]
    subject["toolCall"].update(fields)
    return message


def editor(version: Version, permissions: Any, **attributes: Any) -> Any:
    base = version.client.SessionClient
    return type("Editor", (base,), {"permissions": permissions, **attributes})


@each_surface
def test_permissions_of_the_class_answer(version: Version) -> None:
    async def main() -> None:
        near, far = memory_streams()
        script = Script(far)
        rules = [Rule(answer="allow_once", kinds=["read"]), Rule(answer="reject_once")]
        async with connect(near, editor(version, Permissions(rules))) as peer:
            await initialize(version, script, peer)
            changes: list[Any] = []
            session = peer.handler.session(SESSION)  # type: ignore[union-attr]
            session.state.subscribe(changes.append)
            script.write(asking(version, "a", kind="read"))
            assert await script.read() == result("a", **ALLOWED)
            script.write(asking(version, "b", kind="edit"))
            assert await script.read() == result("b", **REJECTED)
            # The previous request already contained the tool call's kind.
            script.write(asking(version, "c"))
            assert await script.read() == result("c", **REJECTED)
            assert "questions" not in {change.where for change in changes}

    run(main())


@each_version
def test_the_user_is_asked_with_what_the_client_knows(version: Version, tmp_path: Path) -> None:
    asked: list[Question] = []

    async def ask(question: Question) -> str:
        asked.append(question)
        await settle(3)
        return "allow_once"

    async def main() -> None:
        near, far = memory_streams()
        script = Script(far)
        client = version.client.SessionClient()
        client.permissions = Permissions(ask=ask)
        async with connect(near, client) as peer:
            await initialize(version, script, peer)
            opening = asyncio.create_task(
                version.client.ClientSession.create(
                    peer, cwd="/project", **({"mcp_servers": []} if version is V1 else {})
                )
            )
            id_ = (await script.read())["id"]
            script.write(result(id_, sessionId=SESSION))
            await opening
            raw = {"command": "git status"}
            script.write(asking(version, "a", kind="execute", title="T", rawInput=raw))
            script.write(asking(version, "b"))
            assert await script.read() == result("a", **ALLOWED)
            assert await script.read() == result("b", **ALLOWED)

    run(main())
    agent = "" if version is V1 else "agent"
    for question in asked:
        assert (question.session_id, question.agent, question.cwd) == (SESSION, agent, "/project")
        assert (question.kind, question.command) == ("execute", ("git", "status"))
        assert question.tool_call.title == "T"
    assert len(asked) == 2


@each_version
@pytest.mark.parametrize("way", ["cancel", "close", "connection"])
def test_questions_are_withdrawn_and_late_answers_dropped(version: Version, way: str) -> None:
    log: list[str] = []

    async def ask(question: Question) -> str:
        log.append("show")
        try:
            await forever()
        except asyncio.CancelledError:
            log.append("hide")
        return "allow_always"  # too late

    async def main() -> None:
        near, far = memory_streams()
        script = Script(far)
        async with connect(near, editor(version, Permissions(ask=ask))) as peer:
            await initialize(version, script, peer)
            session = version.client.SessionClient.of(peer).session(SESSION)
            turn, id_ = await entered(script, session)
            script.write(*version.accepted(id_), asking(version, "a"), asking(version, "b"))
            await settle()
            assert log == ["show"]  # the second request waits
            if way == "cancel":
                await cancel(script, turn)
            elif way == "close":
                await close(script, session)
            else:
                return
            assert await script.read() == result("a", **REFUSED)
            assert await script.read() == result("b", **REFUSED)
            await settle()
            assert log == ["show", "hide"]
            script.write(*version.stopped(id_, "cancelled"))
            await settle()

    run(main())
    assert log == ["show", "hide"]


# --- unused permissions ----------------------------------------------------------------------


async def own(self: Any, params: Any) -> Any:
    raise NotImplementedError


@each_version
def test_a_class_with_permissions_and_a_handler_is_warned(version: Version) -> None:
    name = "session_request_permission"
    with pytest.warns(UserWarning, match="Editor") as caught:
        first = editor(version, Permissions(), session_request_permission=own)
    assert [str(warning.message) for warning in caught] == [
        f"Editor ignores its permissions: Editor defines {name}; remove the method or the "
        "permissions"
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        type("Sub", (first,), {})  # the warning was already issued for the base class
        editor(version, None, session_request_permission=own)

        class Wrapping(version.client.SessionClient):  # type: ignore[misc, name-defined]
            permissions = Permissions()

            async def session_request_permission(self, params: Any) -> Any:
                return await super().session_request_permission(params)

    mixin = type("Mixin", (), {name: own})
    with pytest.warns(UserWarning, match="Mixin defines session_request_permission"):
        type("Mixed", (mixin, version.client.SessionClient), {"permissions": Permissions()})


@logs(
    "Editor ignores its permissions: Editor defines session_request_permission; "
    "remove the method or the permissions"
)
@each_version
async def test_an_object_with_permissions_and_a_handler_is_warned(version: Version) -> None:
    near, _ = memory_streams()
    client = editor(version, None, session_request_permission=own)()
    client.permissions = Permissions()
    async with connect(near, client):
        pass


# --- a client without permissions ---------------------------------------------------------------


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
def test_who_asks_nobody_rejects(
    version: Version, kinds: list[str], outcome: dict[str, str]
) -> None:
    class Editor(version.client.SessionClient):  # type: ignore[misc, name-defined]
        pass

    async def main() -> None:
        near, far = memory_streams()
        script = Script(far)
        async with connect(near, Editor) as peer:
            await initialize(version, script, peer)
            asked = version.permission("p")
            asked["params"]["options"] = [
                {"optionId": kind, "name": kind, "kind": kind} for kind in kinds
            ]
            for _ in range(2):
                script.write(asked)
                assert await script.read() == result("p", outcome=outcome)

    name = f"{test_who_asks_nobody_rejects.__name__}.<locals>.Editor"
    advice = "define session_request_permission to ask the user"
    run(main(), f"{name} rejects every permission request; {advice}")
