"""Tests of dialogs, which let another part of a program answer permission requests."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings.kit.dialogs import Dialogs
from acp_bindings.kit.permissions import Option, Permissions, Question
from acp_bindings.kit.signing_in import SignInMethod

OPTIONS = (
    Option(id="a", name="Allow", kind="allow_once"),
    Option(id="r", name="Reject", kind="reject_once"),
)
QUESTION = Question(
    session_id="s", title="Run it", kind="execute", command_line="make", options=OPTIONS
)
METHODS = [
    SignInMethod("key", "Key", "agent", "", (), {}),
    SignInMethod("browser", "Browser", "agent", "", (), {}),
]


async def opened(dialogs: Dialogs, asking: Any) -> tuple[asyncio.Task[Any], str]:
    """Start a task that opens a dialog, and return the task and the dialog's id."""
    before = {*dialogs.open}
    task = asyncio.ensure_future(asking)
    while {*dialogs.open} == before:
        await asyncio.sleep(0)
    return task, [*dialogs.open][-1]


async def test_a_permission_waits_for_the_answer() -> None:
    dialogs = Dialogs()
    permissions = Permissions(ask=dialogs.ask_permission)
    task, id_ = await opened(dialogs, permissions.answer(QUESTION))
    dialog = dialogs.open[id_]
    assert (dialog.session_id, dialog.title, dialog.text) == ("s", "Run it", "make")
    assert dialog.options == OPTIONS
    assert dialogs.answer(id_, "a")
    assert await task == "a"
    assert dialogs.open == {}


async def test_the_paths_are_shown_without_a_command() -> None:
    dialogs = Dialogs()
    question = Question(session_id="s", paths=("/a", "/b"), options=OPTIONS)
    task, id_ = await opened(dialogs, dialogs.ask_permission(question))
    assert dialogs.open[id_].text == "/a\n/b"
    dialogs.answer(id_, None)
    assert await task is None


@pytest.mark.parametrize(("chosen", "expected"), [("browser", METHODS[1]), (None, None)])
async def test_the_user_chooses_how_to_sign_in(chosen: str | None, expected: Any) -> None:
    dialogs = Dialogs()
    task, id_ = await opened(dialogs, dialogs.ask_sign_in(METHODS))
    dialog = dialogs.open[id_]
    assert (dialog.session_id, dialog.title, dialog.text) == ("", "Sign in", "")
    assert [(each.id, each.name) for each in dialog.options] == [
        ("key", "Key"),
        ("browser", "Browser"),
    ]
    assert dialogs.answer(id_, chosen)
    assert await task == expected


async def test_an_answer_reaches_its_own_question_only() -> None:
    dialogs = Dialogs()
    first, first_id = await opened(dialogs, dialogs.ask_permission(QUESTION))
    second, second_id = await opened(dialogs, dialogs.ask_permission(QUESTION))
    assert dialogs.answer(second_id, "r")
    assert await second == "r"
    assert not dialogs.answer(second_id, "a")  # late
    assert not dialogs.answer("unknown", "a")
    assert not first.done()
    assert dialogs.answer(first_id, "a")
    assert not dialogs.answer(first_id, "r")  # a second answer is rejected immediately
    assert await first == "a"


async def test_an_unknown_option_leaves_the_dialog_open() -> None:
    dialogs = Dialogs()
    task, id_ = await opened(dialogs, dialogs.ask_permission(QUESTION))
    with pytest.raises(ValueError, match="no option 'x'"):
        dialogs.answer(id_, "x")
    assert [*dialogs.open] == [id_]
    dialogs.answer(id_, "r")
    assert await task == "r"


async def test_a_question_that_needs_no_answer_any_more_is_closed() -> None:
    dialogs = Dialogs()
    task, id_ = await opened(dialogs, Permissions(ask=dialogs.ask_permission).answer(QUESTION))
    task.cancel()
    await asyncio.wait([task])
    assert dialogs.open == {}
    assert not dialogs.answer(id_, "a")


async def test_changes_are_reported(caplog: pytest.LogCaptureFixture) -> None:
    counts: list[int] = []

    def note(dialogs: Dialogs) -> None:
        counts.append(len(dialogs.open))
        raise ZeroDivisionError

    dialogs = Dialogs(on_change=note)
    task, id_ = await opened(dialogs, dialogs.ask_permission(QUESTION))
    dialogs.answer(id_, "a")
    assert await task == "a"
    assert counts == [1, 0]
    assert "on_change" in caplog.text
