"""Requests for permission that rules answer, or nobody."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from acp_bindings.runtime.aio import Peer, connect, memory_streams
from acp_bindings.runtime.session import PermissionRule
from package.jsonrpc import loop
from package.session.scripted import (
    SESSION,
    V1,
    V2,
    Script,
    Version,
    each_version,
    initialize,
    result,
    run,
)

ALL_KINDS = ("allow_once", "allow_always", "reject_once", "reject_always")


def question(version: Version, *kinds: str, **members: Any) -> Any:
    surface = version.surface
    options = [
        surface.PermissionOption(option_id=f"id-{kind}", name=kind, kind=kind)
        for kind in kinds or ALL_KINDS
    ]
    update = surface.ToolCallUpdate(tool_call_id="t", **members)
    if version is V1:
        return surface.RequestPermissionRequest(
            session_id=SESSION, tool_call=update, options=options
        )
    subject = surface.ToolCallPermissionSubject(tool_call=update)
    return surface.RequestPermissionRequest(
        session_id=SESSION, title="?", subject=subject, options=options
    )


def answered(version: Version, asked: Any, *rules: PermissionRule, before: Any = None) -> Any:
    """The id of the option that the rules select; None if they leave the question open."""

    async def main() -> Any:
        near, _ = memory_streams()
        peer = Peer(near, "client", version.client.SessionClient)
        handler: Any = peer.handler
        if before is not None:
            handler.session(SESSION).state.apply(before)
        answer = handler.answer_by_rule(asked, rules)
        return None if answer is None else answer.outcome.option_id

    return loop.run(main())


def located(version: Version, *paths: str | Path) -> Any:
    return [version.surface.ToolCallLocation(path=str(path)) for path in paths]


@each_version
def test_without_a_rule_the_question_is_open(version: Version) -> None:
    assert answered(version, question(version, kind="read")) is None


@each_version
@pytest.mark.parametrize("answer", ALL_KINDS)
def test_a_rule_selects_its_option(version: Version, answer: Any) -> None:
    rule = PermissionRule(answer=answer)
    assert answered(version, question(version), rule) == f"id-{answer}"


@pytest.mark.parametrize(
    ("answer", "offered", "expected"),
    [
        ("allow_always", ["allow_once", "reject_once"], "id-allow_once"),
        ("reject_always", ["allow_once", "reject_once"], "id-reject_once"),
        ("allow_once", ["allow_always", "reject_once"], None),  # which would grant more
        ("reject_once", ["allow_once", "reject_always"], None),
        ("allow_once", ["_custom"], None),
    ],
)
def test_a_rule_grants_no_more_than_it_says(answer: Any, offered: Any, expected: Any) -> None:
    rule = PermissionRule(answer=answer)
    assert answered(V2, question(V2, *offered), rule) == expected


@each_version
def test_the_first_rule_that_fits_decides(version: Version) -> None:
    rules = (
        PermissionRule(answer="reject_once", kinds={"execute"}),
        PermissionRule(answer="allow_once", kinds={"read", "search"}),
        PermissionRule(answer="allow_always", kinds={"read"}),
    )
    assert answered(version, question(version, kind="execute"), *rules) == "id-reject_once"
    assert answered(version, question(version, kind="read"), *rules) == "id-allow_once"
    assert answered(version, question(version, kind="edit"), *rules) is None
    assert answered(version, question(version), *rules) is None


@each_version
def test_a_path_must_be_inside(version: Version, tmp_path: Path) -> None:
    project, other = tmp_path / "project", tmp_path / "project-other"
    for folder in (project, other):
        folder.mkdir()
    (project / "link").symlink_to(other)
    rule = PermissionRule(answer="allow_once", paths=[project])

    def answer(*paths: str | Path) -> Any:
        return answered(version, question(version, locations=located(version, *paths)), rule)

    assert answer(project / "a.py") == answer(project) == "id-allow_once"
    assert answer(project / "a.py", project / "b" / "c.py") == "id-allow_once"
    assert answer(other / "a.py") is None
    assert answer(project / "a.py", other / "a.py") is None
    assert answer(f"{project}/../project-other/a.py") is None
    assert answer(project / "link" / "a.py") is None
    assert answer(os.path.relpath(project / "a.py")) is None
    assert answer() is None


@each_version
@pytest.mark.parametrize("odd", ["\0", "\ud800", "a" * 5_000, "", "a/" * 3_000])
def test_what_no_path_can_be_is_inside_nothing(version: Version, odd: str, tmp_path: Path) -> None:
    rule = PermissionRule(answer="allow_once", paths=[tmp_path])
    inside, outside = (located(version, f"{root}/{odd}") for root in (tmp_path, "/elsewhere"))
    is_path = "\0" not in odd and "\ud800" not in odd
    expected = "id-allow_once" if is_path else None
    assert answered(version, question(version, locations=inside), rule) == expected
    assert answered(version, question(version, locations=outside), rule) is None
    assert answered(version, question(version, locations=located(version, odd)), rule) is None


@each_version
def test_what_the_session_knows_of_the_tool_call_counts(version: Version, tmp_path: Path) -> None:
    surface = version.surface
    made = surface.ToolCall if version is V1 else surface.ToolCallUpdate
    locations = located(version, tmp_path / "a")
    before = made(tool_call_id="t", title="T", kind="edit", locations=locations)
    rule = PermissionRule(answer="allow_once", kinds={"edit"}, paths=[tmp_path])
    assert answered(version, question(version), rule, before=before) == "id-allow_once"
    assert answered(version, question(version, kind="execute"), rule, before=before) is None


def test_v2_a_question_about_no_tool_call_is_open() -> None:
    rule = PermissionRule(answer="allow_once")
    asked = question(V2)
    asked.subject = V2.surface.CommandPermissionSubject(command="ls", cwd="/")
    assert answered(V2, asked, rule) is None


# --- a client that asks nobody ---------------------------------------------------------------


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
    advice = "write session_request_permission to ask the user"
    run(main(), f"{name} rejects what it is asked for: {advice}")
