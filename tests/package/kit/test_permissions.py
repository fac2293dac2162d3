"""Tests of permission rules, remembered choices, dialogs, and the questions for requests."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.kit.permissions import (
    Option,
    PermissionLimits,
    Permissions,
    Question,
    Rule,
    question_of,
)
from acp_bindings.runtime.aio import connect_memory
from hypothesis import given
from hypothesis import strategies as st

from tests.package.session.scripted import SESSION, V1, V2, Version, each_version, forever, settle

KINDS = ("allow_once", "allow_always", "reject_once", "reject_always")


def offered(*kinds: str) -> tuple[Option, ...]:
    return tuple(Option(id=f"id-{kind}", name=kind, kind=kind) for kind in kinds or KINDS)


def question(*kinds: str, **fields: Any) -> Question:
    made = {"session_id": "s", "agent": "a", "cwd": "/project", "options": offered(*kinds)}
    return Question(**{**made, **fields})


def command(*words: str, **fields: Any) -> Question:
    line = " ".join(words)
    return question(**{"kind": "execute", "command": words, "command_line": line, **fields})


def answer(permissions: Permissions, *questions: Question) -> Any:
    """Answer all questions in order and return the last answer."""

    async def main() -> Any:
        return [await permissions.answer(each) for each in questions][-1]

    return asyncio.run(main())


class User:
    """A user who makes the same choice each time."""

    def __init__(self, choice: Any) -> None:
        self.choice = choice
        self.asked: list[Question] = []

    async def __call__(self, question: Question) -> Any:
        self.asked.append(question)
        await asyncio.sleep(0)
        return self.choice


# --- rules -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_rule_selects_the_option_of_its_kind(kind: Any) -> None:
    assert answer(Permissions([Rule(answer=kind, kinds=["read"])]), question(kind="read")) == (
        f"id-{kind}"
    )


@pytest.mark.parametrize(
    ("kind", "kinds", "expected"),
    [
        ("allow_always", ["reject_once", "allow_once"], "id-allow_once"),
        ("allow_once", ["allow_always", "reject_once"], "id-reject_once"),  # not permanently
        ("allow_once", ["_custom", "reject_once"], "id-reject_once"),
        ("allow_once", ["_custom"], None),
        ("reject_once", ["allow_once", "reject_always"], "id-reject_always"),
        ("reject_always", ["allow_once", "reject_once"], "id-reject_once"),
        ("reject_once", ["allow_once", "allow_always"], None),
    ],
)
def test_a_rule_grants_no_more_than_its_answer(kind: Any, kinds: Any, expected: Any) -> None:
    permissions = Permissions([Rule(answer=kind, kinds=["read"])])
    assert answer(permissions, question(*kinds, kind="read")) == expected


@given(st.permutations(KINDS), st.sampled_from(KINDS))
def test_the_position_of_an_option_does_not_matter(order: list[str], kind: Any) -> None:
    permissions = Permissions([Rule(answer=kind, kinds=["read"])])
    assert answer(permissions, question(*order, kind="read")) == f"id-{kind}"


def test_a_rule_does_not_choose_between_two_ways_to_allow() -> None:
    options = (
        Option(id="bypass", name="Yes, to everything", kind="allow_always"),
        Option(id="edits", name="Yes, to edits", kind="allow_always"),
        Option(id="no", name="No", kind="reject_once"),
    )
    permissions = Permissions([Rule(answer="allow_always", kinds=["edit"])])
    assert answer(permissions, question(kind="edit", options=options)) == "no"


def test_the_first_matching_rule_decides() -> None:
    permissions = Permissions(
        [
            Rule(answer="reject_once", kinds={"execute"}),
            Rule(answer="allow_once", kinds={"read", "execute"}),
            Rule(answer="allow_always", kinds={"read"}),
        ]
    )
    assert answer(permissions, question(kind="execute")) == "id-reject_once"
    assert answer(permissions, question(kind="read")) == "id-allow_once"


@pytest.mark.parametrize("kind", ["switch_mode", "fetch", "other", "think", "_custom"])
def test_kinds_without_files_and_commands_are_allowed_only_by_name(
    kind: str, tmp_path: Path
) -> None:
    asked = command("ls", kind=kind, paths=(str(tmp_path),))
    rules = [
        Rule(answer="allow_once", paths=[tmp_path]),
        Rule(answer="allow_once", commands=[["ls"]]),
    ]
    assert answer(Permissions(rules), asked) == "id-reject_once"
    assert answer(Permissions([Rule(answer="allow_once", kinds=[kind])]), asked) == "id-allow_once"


def test_paths_do_not_allow_commands(tmp_path: Path) -> None:
    permissions = Permissions([Rule(answer="allow_once", paths=[tmp_path])])
    assert answer(permissions, command("rm", paths=(str(tmp_path),))) == "id-reject_once"


def test_a_rule_that_rejects_covers_all_kinds() -> None:
    permissions = Permissions(
        [Rule(answer="reject_always"), Rule(answer="allow_once", kinds=["other"])]
    )
    assert answer(permissions, question()) == "id-reject_always"


def test_a_title_is_not_evidence() -> None:
    permissions = Permissions([Rule(answer="allow_once", kinds=["read"])])
    assert answer(permissions, question(title="read README.md")) == "id-reject_once"


def test_a_rule_can_be_for_one_agent() -> None:
    permissions = Permissions([Rule(answer="allow_once", kinds=["read"], agent="a")])
    assert answer(permissions, question(kind="read")) == "id-allow_once"
    assert answer(permissions, question(kind="read", agent="b")) == "id-reject_once"


def test_paths_are_compared_with_links_followed(tmp_path: Path) -> None:
    project, other = tmp_path / "project", tmp_path / "project-other"
    for folder in (project, other):
        folder.mkdir()
    (project / "link").symlink_to(other)
    (tmp_path / "alias").symlink_to(project)
    for root in (project, tmp_path / "alias"):
        permissions = Permissions([Rule(answer="allow_once", paths=[root])])

        def is_allowed(*paths: str | Path, by: Permissions = permissions) -> bool:
            asked = question(kind="read", paths=tuple(map(str, paths)))
            return bool(answer(by, asked) == "id-allow_once")

        assert is_allowed(project / "a.py")
        assert is_allowed(project)
        assert is_allowed(project / "..a.py")
        assert is_allowed(tmp_path / "alias" / "a.py")
        assert is_allowed(project / "a.py", project / "b" / "c.py")
        assert not is_allowed(other / "a.py")
        assert not is_allowed(project / "a.py", other / "a.py")
        assert not is_allowed(f"{project}/../project-other/a.py")
        assert not is_allowed(project / "link" / "a.py")
        assert not is_allowed(os.path.relpath(project / "a.py"))
        assert not is_allowed()


@pytest.mark.parametrize("odd", ["\0", "\ud800", "a" * 5_000, "", "a/" * 3_000])
def test_odd_paths_are_handled(odd: str, tmp_path: Path) -> None:
    permissions = Permissions([Rule(answer="allow_once", paths=[tmp_path])])
    is_path = "\0" not in odd and "\ud800" not in odd
    for path, expected in (
        (f"{tmp_path}/{odd}", is_path),
        (f"/elsewhere/{odd}", False),
        (odd, False),
    ):
        allowed = answer(permissions, question(kind="read", paths=(path,))) == "id-allow_once"
        assert allowed == expected


def test_a_rule_that_rejects_needs_only_one_of_the_paths(tmp_path: Path) -> None:
    rules = [
        Rule(answer="reject_once", paths=[tmp_path / "secret"]),
        Rule(answer="allow_once", paths=[tmp_path]),
    ]
    paths = (str(tmp_path / "a"), str(tmp_path / "secret" / "b"))
    assert answer(Permissions(rules), question(kind="read", paths=paths)) == "id-reject_once"
    assert answer(Permissions(rules), question(kind="read", paths=paths[:1])) == "id-allow_once"


def test_too_many_paths_are_not_compared(tmp_path: Path) -> None:
    paths = tuple(str(tmp_path / str(number)) for number in range(3))
    rules = [Rule(answer="allow_once", paths=[tmp_path])]
    for limit, expected in ((2, "id-reject_once"), (3, "id-allow_once")):
        permissions = Permissions(rules, limits=PermissionLimits(paths=limit))
        assert answer(permissions, question(kind="read", paths=paths)) == expected


def test_too_long_texts_are_not_compared() -> None:
    asked = command("ls", "-l", cwd="/project", paths=("/project/a",))
    rules = [Rule(answer="allow_once", commands=[["ls"]])]
    size = len("/project" "ls -l" "/project/a")
    for limit, expected in ((size - 1, "id-reject_once"), (size, "id-allow_once")):
        permissions = Permissions(rules, limits=PermissionLimits(text=limit))
        assert answer(permissions, asked) == expected


def test_commands_are_compared_by_argument() -> None:
    permissions = Permissions([Rule(answer="allow_once", commands=[["git", "status"], ["pytest"]])])
    for words in (["git", "status"], ["git", "status", "--short"], ["pytest", "-q", "tests"]):
        assert answer(permissions, command(*words)) == "id-allow_once"
    for words in (["git"], ["git", "statusx"], ["git", "push"], ["pytest-3"], ["git status"]):
        assert answer(permissions, command(*words)) == "id-reject_once"


def test_an_unclear_command_is_not_allowed_although_a_later_rule_would() -> None:
    rules = [
        Rule(answer="reject_once", commands=[["rm"]]),
        Rule(answer="allow_once", kinds=["execute"]),
    ]
    unclear = command("true; rm -rf /", command=None)
    user = User("allow_once")
    permissions = Permissions(rules, ask=user)
    assert answer(permissions, command("ls"), command("rm", "x")) == "id-reject_once"
    assert user.asked == []
    answer(permissions, unclear)
    assert user.asked == [unclear]


def test_a_rule_that_allows_commands_leaves_an_unclear_command_to_later_rules() -> None:
    rules = [
        Rule(answer="allow_once", commands=[["true"]]),
        Rule(answer="reject_always", kinds=["execute"]),
    ]
    user = User("allow_once")
    permissions = Permissions(rules, ask=user)
    assert answer(permissions, command("true; rm -rf /", command=None)) == "id-reject_always"
    assert user.asked == []


def test_a_rule_that_rejects_commands_ignores_questions_without_one() -> None:
    user = User("allow_once")
    permissions = Permissions([Rule(answer="reject_once", commands=[["rm"]])], ask=user)
    assert answer(permissions, question(kind="execute")) == "id-allow_once"


@pytest.mark.parametrize(
    ("conditions", "error", "message"),
    [
        ({}, ValueError, "the rule would allow everything; add kinds, paths or commands"),
        ({"agent": "a"}, ValueError, "the rule would allow everything"),
        ({"answer": "yes"}, ValueError, "unknown answer 'yes'; use one of allow_once, "),
        ({"answer": ["allow_once"]}, ValueError, "unknown answer"),
        ({"kinds": "read"}, TypeError, "kinds: expected a list, found 'read'"),
        ({"kinds": []}, ValueError, "kinds: empty list or invalid item in []"),
        ({"kinds": [None]}, ValueError, "kinds: empty list or invalid item in [None]"),
        ({"paths": "/"}, TypeError, "paths: expected a list"),
        ({"paths": [""]}, ValueError, "paths: empty list or invalid item in ['']"),
        ({"commands": ["git status"]}, ValueError, "commands: empty list or invalid item in ['git"),
        ({"commands": [[]]}, ValueError, "commands: empty list"),
        ({"commands": [[1]]}, ValueError, "commands: empty list or invalid item in [1]"),
    ],
)
def test_rules_that_make_no_sense_are_refused(
    conditions: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        Rule(**{"answer": "allow_once", **conditions})
    assert str(caught.value).startswith(message)


def test_arguments_of_the_wrong_type_are_refused() -> None:
    with pytest.raises(ValueError, match="rules: empty list or invalid item"):
        Permissions([{"answer": "reject_once"}])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="expected an async function"):
        Permissions(ask="dialog")  # type: ignore[arg-type]


# --- rules in a file -------------------------------------------------------------------------


def test_rules_are_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "permissions.json"
    rules = [
        {"answer": "allow_once", "kinds": ["read"], "paths": ["project", str(tmp_path / "docs")]},
        {"answer": "allow_always", "commands": [["git", "status"]], "agent": "a"},
    ]
    file.write_text(json.dumps({"rules": rules}))
    permissions = Permissions.from_file(file)
    inside = question(kind="read", paths=(str(tmp_path / "project" / "x"), str(tmp_path / "docs")))
    assert answer(permissions, inside) == "id-allow_once"
    assert answer(permissions, question(kind="read", paths=("/x",))) == "id-reject_once"
    assert answer(permissions, command("git", "status")) == "id-allow_always"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", ": JSON: expected JSON text, found "),
        (b"\xff", ": JSON: expected JSON text, found "),
        pytest.param("[" * 100_000, ": JSON: expected JSON text, found ", id="deep"),
        ("[]", ': expected {"rules": [...]}'),
        ('{"rules": {}}', ': expected {"rules": [...]}'),
        ('{"rules": [], "more": 1}', ': expected {"rules": [...]}'),
        ('{"rules": [1]}', "#/rules/0: expected an object, found '1'"),
        ('{"rules": [{}]}', "#/rules/0: unknown answer None"),
        (
            '{"rules": [{"answer": "reject_once"}, {"answer": "allow_once", "path": ["/"]}]}',
            "#/rules/1: unknown condition 'path'; use one of answer, kinds, paths, commands, agent",
        ),
        ('{"rules": [{"answer": "allow"}]}', "#/rules/0: unknown answer 'allow'"),
        ('{"rules": [{"answer": "allow_once"}]}', "#/rules/0: the rule would allow everything"),
        ('{"rules": [{"answer": {}}]}', "#/rules/0: unknown answer {}"),
        (
            '{"rules": [{"answer": "allow_once", "paths": [1]}]}',
            "#/rules/0: paths: empty list or invalid item in [1]",
        ),
    ],
)
def test_bad_rules_name_the_file_and_the_location(
    text: str | bytes, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "permissions.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=file.name) as caught:
        Permissions.from_file(file)
    assert str(caught.value).startswith(f"{file}{message}")


def test_a_missing_file_of_rules_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Permissions.from_file(tmp_path / "permissions.json")


# --- the user --------------------------------------------------------------------------------


def test_without_ask_requests_are_refused_and_logged_once(caplog: Any) -> None:
    permissions = Permissions()
    secret = question(raw_input={"token": "hunter2"}, command_line="echo hunter2")
    assert answer(permissions, secret, secret) == "id-reject_once"
    assert answer(permissions, question("reject_always", "allow_once")) == "id-reject_always"
    text = "rejecting a permission request because `ask` is not set; pass `ask=` to ask the user"
    warning = f"{text}; further occurrences are not logged"
    assert [record.getMessage() for record in caplog.records] == [warning]
    assert caplog.records[0].levelno == logging.WARNING


def test_if_no_option_refuses_the_outcome_is_cancelled_and_logged(caplog: Any) -> None:
    permissions = Permissions(ask=User(None))
    assert answer(permissions, question("allow_once", "allow_always")) is None
    assert answer(permissions, question(options=())) is None
    assert [record.getMessage() for record in caplog.records] == [
        "no option rejects the permission request; responding with 'cancelled'; further "
        "occurrences are not logged"
    ]


@pytest.mark.parametrize(
    ("choice", "kinds", "expected"),
    [
        ("id-allow_once", KINDS, "id-allow_once"),
        ("id-_custom", ["_custom"], "id-_custom"),
        *((kind, KINDS, f"id-{kind}") for kind in KINDS),
        ("allow_always", ["allow_once"], "id-allow_once"),
        ("reject_always", ["reject_once"], "id-reject_once"),
        ("reject_once", ["allow_once"], None),
        (None, KINDS, "id-reject_once"),
    ],
)
def test_the_user_chooses_by_id_or_by_kind(choice: Any, kinds: Any, expected: Any) -> None:
    assert answer(Permissions(ask=User(choice)), question(*kinds)) == expected


@pytest.mark.parametrize(
    ("choice", "kinds"),
    [("id-allow_once", ["reject_once"]), ("allow_once", ["allow_always"]), ("", KINDS), (1, KINDS)],
)
def test_a_choice_that_was_not_offered_is_an_error(choice: Any, kinds: Any) -> None:
    with pytest.raises(ValueError, match="which the agent did not offer"):
        answer(Permissions(ask=User(choice)), question(*kinds))


@pytest.mark.parametrize("disguised", KINDS)
def test_an_id_that_is_the_kind_of_another_option_is_refused(disguised: str) -> None:
    other = "reject_once" if disguised.startswith("allow") else "allow_always"
    options = (
        Option(id=disguised, name="?", kind=other),
        Option(id="n", name="No", kind="reject_once"),
    )
    refusals = {option.id for option in options if option.kind == "reject_once"}
    assert answer(Permissions(ask=User(disguised)), question(options=options)) in refusals


def test_an_exception_of_the_dialog_is_raised() -> None:
    async def fail(question: Question) -> str:
        raise KeyError("broken")

    with pytest.raises(KeyError):
        answer(Permissions(ask=fail), question())


def test_a_question_about_a_session_waits_for_the_one_before() -> None:
    open_: list[str] = []
    most: dict[str, int] = {}

    async def ask(question: Question) -> str:
        open_.append(question.session_id)
        for session_id in open_:
            most[session_id] = max(most.get(session_id, 0), open_.count(session_id))
        most["all"] = max(most.get("all", 0), len(open_))
        await settle(5)
        open_.remove(question.session_id)
        return "allow_once"

    async def main() -> list[str | None]:
        permissions = Permissions(ask=ask)
        asked = [question(session_id=session_id) for session_id in "ab" * 3]
        return await asyncio.gather(*map(permissions.answer, asked))

    assert asyncio.run(main()) == ["id-allow_once"] * 6
    assert most == {"a": 1, "b": 1, "all": 2}


def test_a_choice_for_always_answers_the_questions_that_wait() -> None:
    user = User("allow_always")

    async def main() -> list[str | None]:
        permissions = Permissions(ask=user)
        return await asyncio.gather(*(permissions.answer(command("ls")) for _ in range(3)))

    assert asyncio.run(main()) == ["id-allow_always", "id-allow_once", "id-allow_once"]
    assert len(user.asked) == 1


@pytest.mark.parametrize("is_late", [False, True])
def test_withdrawing_a_question_cancels_its_dialog_and_drops_a_late_answer(is_late: bool) -> None:
    log: list[str] = []

    async def ask(question: Question) -> str:
        log.append(f"show {question.title}")
        try:
            await (forever() if question.title == "one" else settle(2))
        except asyncio.CancelledError:
            if not is_late:
                raise
        finally:
            await settle(5)
            log.append(f"hide {question.title}")
        return "allow_always"

    async def main() -> Any:
        permissions = Permissions(ask=ask)
        first = asyncio.create_task(permissions.answer(command("ls", title="one")))
        second = asyncio.create_task(permissions.answer(command("ls", title="two")))
        third = asyncio.create_task(permissions.answer(command("ls", title="three")))
        await settle()
        third.cancel()  # before its dialog is shown
        first.cancel()
        result = await second
        await asyncio.wait([first, third])
        assert first.cancelled()
        assert third.cancelled()
        await settle()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return result

    # The late answer to the first dialog isn't remembered, so the second question is asked.
    assert asyncio.run(main()) == "id-allow_always"
    assert log == ["show one", "hide one", "show two", "hide two"]


@pytest.mark.parametrize("surface", [v1, v2], ids=["v1", "v2"])
@pytest.mark.parametrize("way", ["request", "turn", "session", "connection"])
async def test_dialogs_end_with_the_request_the_turn_the_session_and_the_connection(
    way: str, surface: Any, tmp_path: Path
) -> None:
    log: list[str] = []
    allowed: list[str] = []

    async def ask(question: Question) -> str:
        log.append(question.title)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            log.append(f"{question.title} ended")
        return "allow_once"  # too late

    async def log_has(entry: str) -> None:
        while entry not in log:
            await asyncio.sleep(0.001)

    class Agent(surface.SessionAgent):  # type: ignore[misc]
        async def turn(self, session: Any, params: Any) -> None:
            async def use(title: str) -> None:
                async with session.tool(title) as tool:
                    await tool.ask(title)
                    allowed.append(title)

            first, second = (asyncio.ensure_future(use(title)) for title in "ab")
            await log_has("a")
            if way == "request":
                first.cancel()
                await log_has("b")  # the second call waited for the first
                second.cancel()
            await asyncio.wait([first, second])

    class Editor(surface.SessionClient):  # type: ignore[misc]
        permissions = Permissions(ask=ask)

    async with connect_memory(Agent, Editor) as peer:
        await peer.initialize()
        servers = {"mcp_servers": []} if surface is v1 else {}
        session = await surface.ClientSession.create(peer, cwd=str(tmp_path), **servers)
        with suppress(ConnectionError):
            async with session.prompt("Go"):
                await log_has("a")
                if way == "turn":
                    await session.cancel()
                elif way == "session":
                    await session.close()
                elif way == "connection":
                    await peer.close()
    await log_has("a ended")
    assert log == ["a", "a ended", *(["b", "b ended"] if way == "request" else [])]
    assert allowed == []


def test_a_dialog_that_does_not_end_holds_nothing_up(caplog: Any) -> None:
    release = asyncio.Event()

    async def ask(question: Question) -> str:
        while question.title == "one" and not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return "allow_once"

    async def main() -> Any:
        permissions = Permissions(ask=ask, limits=PermissionLimits(cleanup_seconds=0.01))
        first = asyncio.create_task(permissions.answer(question(title="one")))
        await settle()
        first.cancel()
        result = await permissions.answer(question(title="two"))
        release.set()
        await settle()
        return result

    assert asyncio.run(main()) == "id-allow_once"
    assert "a cancelled dialog is still running" in caplog.text


@pytest.mark.parametrize("fails", [False, True])
def test_a_question_that_is_not_answered_in_time_is_refused(fails: bool, caplog: Any) -> None:
    async def ask(question: Question) -> Any:
        try:
            await forever()
        except asyncio.CancelledError:
            if fails:
                raise ValueError("no") from None
            raise

    permissions = Permissions(ask=ask, limits=PermissionLimits(answer_seconds=0.01))
    assert answer(permissions, question()) == "id-reject_once"
    gc.collect()
    assert caplog.messages == []


def test_a_dialog_that_cancels_itself_refuses() -> None:
    async def ask(question: Question) -> str:
        raise asyncio.CancelledError

    assert answer(Permissions(ask=ask), question()) == "id-reject_once"


# --- remembered choices ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["allow_always", "reject_always"])
@pytest.mark.parametrize("choice", ["{}", "id-{}"])
def test_a_choice_for_always_is_remembered(kind: str, choice: str) -> None:
    user = User(choice.format(kind))
    permissions = Permissions(ask=user)
    once = f"id-{kind.replace('always', 'once')}"
    assert answer(permissions, command("ls"), command("ls")) == once
    assert len(user.asked) == 1
    # If the agent offers only the permanent option, it is selected.
    assert answer(permissions, command("ls", options=offered(kind))) == f"id-{kind}"


def test_a_remembered_choice_is_for_its_scope_only(tmp_path: Path) -> None:
    user = User("allow_always")
    permissions = Permissions(ask=user)
    first = command("ls", "-l", paths=(str(tmp_path / "a"),))
    answer(permissions, first)
    others: list[dict[str, Any]] = [
        {"agent": "b"},
        {"cwd": "/other"},
        {"kind": "other"},
        {"command_line": "ls -l x"},
        {"paths": (str(tmp_path / "b"),)},
        {"paths": ()},
    ]
    for changed in others:
        user.asked.clear()
        answer(permissions, command("ls", "-l", **{"paths": first.paths, **changed}))
        assert len(user.asked) == 1, changed
    user.asked.clear()
    # Titles, session ids and the spelling of the path do not matter.
    same = (f"{tmp_path}/x/../a",)
    answer(permissions, command("ls", "-l", paths=same, title="Hi", session_id="t"))
    assert user.asked == []


@pytest.mark.parametrize("asked", [{"kind": "fetch"}, {"paths": ("/\0",)}, {"kind": "execute"}])
def test_choices_by_kind_alone_are_not_remembered(asked: Any, caplog: Any) -> None:
    user = User("allow_always")
    assert answer(Permissions(ask=user), question(**asked), question(**asked)) == "id-allow_always"
    assert len(user.asked) == 2
    problem = "cannot remember a choice without a command or path; applying it once"
    assert caplog.messages == [f"{problem}; further occurrences are not logged"]


def test_a_fallback_is_not_remembered() -> None:
    for choice, kinds in (("reject_once", ["reject_always"]), ("allow_always", ["allow_once"])):
        user = User(choice)
        permissions = Permissions(ask=user)
        answer(permissions, *[command("ls", options=offered(*kinds))] * 2)
        assert len(user.asked) == 2


def test_rules_come_before_remembered_choices() -> None:
    permissions = Permissions(ask=User("allow_always"))
    answer(permissions, command("rm", "x"))
    permissions.rules = (Rule(answer="reject_once", commands=[["rm"]]),)
    assert answer(permissions, command("rm", "x")) == "id-reject_once"


def test_choices_are_remembered_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "choices.json"
    asked = command("echo", "\ud800é", paths=(str(tmp_path / "a"),))
    answer(Permissions(ask=User("allow_always"), remembered=file), asked)
    again = Permissions(remembered=file)
    assert answer(again, asked) == "id-allow_once"
    assert answer(again, command("echo")) == "id-reject_once"
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_programs_share_a_file_of_choices(tmp_path: Path) -> None:
    file = tmp_path / "choices.json"
    one, two = (Permissions(ask=User("allow_always"), remembered=file) for _ in range(2))
    answer(one, command("a"))
    answer(two, command("b"))
    third = Permissions(remembered=file)
    assert [answer(third, command(name)) for name in "ab"] == ["id-allow_once"] * 2


def test_a_later_choice_replaces_an_earlier_one(tmp_path: Path) -> None:
    file = tmp_path / "choices.json"
    two = Permissions(ask=User("reject_always"), remembered=file)
    answer(Permissions(ask=User("allow_always"), remembered=file), command("ls"))
    answer(two, command("ls"))
    assert answer(Permissions(remembered=file), command("ls")) == "id-reject_once"
    assert len(json.loads(file.read_text())) == 1


def test_the_oldest_choice_is_dropped(tmp_path: Path) -> None:
    file = tmp_path / "choices.json"
    user = User("allow_always")
    permissions = Permissions(ask=user, remembered=file, limits=PermissionLimits(choices=2))
    answer(permissions, *map(command, "abc"))
    user.asked.clear()
    answer(permissions, *map(command, "bc"))
    assert user.asked == []
    answer(permissions, command("a"))
    assert len(user.asked) == 1
    assert len(json.loads(file.read_text())) == 2


def test_a_link_to_the_file_stays(tmp_path: Path) -> None:
    file, link = tmp_path / "choices.json", tmp_path / "link"
    link.symlink_to(file)
    answer(Permissions(ask=User("allow_always"), remembered=link), command("ls"))
    assert link.is_symlink()
    assert answer(Permissions(remembered=file), command("ls")) == "id-allow_once"


ENTRY = {"agent": "a", "cwd": "/project", "kind": "execute", "command": "ls", "paths": []}


def test_a_file_can_have_choices_of_both_kinds(tmp_path: Path) -> None:
    file = tmp_path / "choices.json"
    answers = ["allow_always", "reject_always"]
    rows = [{**ENTRY, "command": each, "answer": each} for each in answers]
    file.write_text(json.dumps(rows))
    Permissions(ask=User("allow_always"), remembered=file)
    assert json.loads(file.read_text()) == rows


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "{",
        '{"a": 1}',
        "null",
        pytest.param("[" * 100_000, id="deep"),
        json.dumps([{**ENTRY, "answer": "allow_always"}, 1]),
        json.dumps([{**ENTRY, "answer": "allow_once"}]),
        json.dumps([{**ENTRY, "answer": ["allow_always"]}]),
        json.dumps([{**ENTRY, "answer": "allow_always", "paths": [{}]}]),
        json.dumps([{**ENTRY, "answer": "allow_always", "paths": 1}]),
    ],
)
def test_a_file_that_is_not_understood_is_kept_aside(bad: str, tmp_path: Path, caplog: Any) -> None:
    file = tmp_path / "choices.json"
    file.write_text(bad)
    permissions = Permissions(ask=User("allow_always"), remembered=file)
    assert str(file) in caplog.text
    assert Path(f"{file}.invalid").read_text() == bad
    assert answer(permissions, command("ls")) == "id-allow_always"
    answer(permissions, command("pwd"))
    again = Permissions(remembered=file)
    assert [answer(again, command(name)) for name in ("ls", "pwd")] == ["id-allow_once"] * 2


def test_choices_are_remembered_in_memory_if_the_file_cannot_be_written(
    tmp_path: Path, caplog: Any
) -> None:
    folder = tmp_path / "choices.json"
    folder.mkdir()
    user = User("allow_always")
    permissions = Permissions(ask=user, remembered=folder)
    assert answer(permissions, command("ls"), command("ls")) == "id-allow_once"
    assert len(user.asked) == 1
    assert f"cannot remember choices in {folder}" in caplog.text
    assert list(tmp_path.iterdir()) == [folder]


def test_choices_without_command_and_path_never_match(tmp_path: Path) -> None:
    file = tmp_path / "choices.json"
    file.write_text(json.dumps([{**ENTRY, "answer": "allow_always", "command": None}]))
    assert answer(Permissions(remembered=file), question(kind="execute")) == "id-reject_once"


# --- requests become questions ---------------------------------------------------------------


def asked_of(
    version: Version, *, command: str | None = None, known: Any = None, **fields: Any
) -> Question:
    """Return the question for a permission request about a tool call.

    `known` contains the fields that the tool call had before the request.
    """
    surface = version.surface
    options = [surface.PermissionOption(option_id="y", name="Yes", kind="allow_once")]
    call = surface.ToolCallUpdate(tool_call_id="t", **fields)
    if version is V1:
        params = surface.RequestPermissionRequest(
            session_id=SESSION, tool_call=call, options=options
        )
    else:
        subject = surface.ToolCallPermissionSubject(tool_call=call)
        if command is not None:
            subject = surface.CommandPermissionSubject(
                command=command, cwd="/elsewhere", tool_call_id="t"
            )
        params = surface.RequestPermissionRequest(
            session_id=SESSION, title="May I?", subject=subject, options=options
        )
    calls = {} if known is None else {"t": surface.ToolCallUpdate(tool_call_id="t", **known)}
    return question_of(params, calls, agent="a", cwd="/project")


def located(version: Version, *paths: str) -> Any:
    return [version.surface.ToolCallLocation(path=path) for path in paths]


@each_version
def test_a_request_is_merged_with_the_known_tool_call(version: Version) -> None:
    known = {"kind": "edit", "title": "T", "locations": located(version, "/project/a")}
    asked = asked_of(version, known=known)
    assert (asked.session_id, asked.agent, asked.cwd) == (SESSION, "a", "/project")
    assert (asked.kind, asked.paths) == ("edit", ("/project/a",))
    assert asked.title == ("T" if version is V1 else "May I?")
    assert asked.options == (Option(id="y", name="Yes", kind="allow_once"),)
    assert asked_of(version, known=known, kind="execute").kind == "execute"
    assert asked_of(version).kind == "other"


@each_version
def test_the_paths_of_diffs_count(version: Version) -> None:
    surface = version.surface
    if version is V1:
        diff = surface.Diff(path="/etc/passwd", new_text="x")
        expected: tuple[str, ...] = ("/project/a", "/etc/passwd")
    else:
        change = surface.MoveDiffChange(old_path="/project/a", path="/etc/passwd")
        diff = surface.Diff(changes=[change])
        expected = ("/project/a", "/etc/passwd")
    asked = asked_of(version, locations=located(version, "/project/a"), content=[diff])
    assert asked.paths == expected


@each_version
@pytest.mark.parametrize(
    ("raw", "words", "line"),
    [
        ({"command": "git status"}, ("git", "status"), "git status"),
        ({"command": "git commit -m 'a b'"}, ("git", "commit", "-m", "a b"), None),
        ({"command": ["git", "log", "a b"]}, ("git", "log", "a b"), "git log 'a b'"),
        ({"command": "git", "args": ["log"]}, ("git", "log"), "git log"),
        ({"command": ["bash", "-lc", "git status"]}, ("git", "status"), "bash -lc 'git status'"),
        ({"command": ["bash", "-lc", "ls; rm x"]}, None, "bash -lc 'ls; rm x'"),
        ({"command": ["/tmp/bash", "-lc", "ls"]}, ("/tmp/bash", "-lc", "ls"), "/tmp/bash -lc ls"),
        ({"command": "git status; rm x"}, None, "git status; rm x"),
        ({"command": "git status\nrm x"}, None, "git status\nrm x"),
        ({"command": "git log 'a"}, None, "git log 'a"),
        ({"command": "  "}, None, "  "),
        pytest.param({"command": "x" * 20_000}, ("x" * 20_000,), None, id="long"),
        pytest.param({"command": "x" * 20_001}, None, None, id="too long"),
    ],
)
def test_commands_are_read_from_the_input(
    version: Version, raw: Any, words: Any, line: str | None
) -> None:
    asked = asked_of(version, kind="execute", raw_input=raw)
    assert (asked.command, asked.command_line) == (words, line or raw["command"])
    assert asked.raw_input == raw


@each_version
@pytest.mark.parametrize(
    "raw",
    [
        None,
        "ls",
        ["ls"],
        {},
        {"command": None},
        {"command": ""},
        {"command": []},
        {"command": [1]},
        {"command": {"a": 1}},
        {"command": "ls", "args": "-l"},
        {"command": "ls", "args": [1]},
    ],
)
def test_input_without_a_command_has_none(version: Version, raw: Any) -> None:
    asked = asked_of(version, kind="execute", raw_input=raw)
    assert (asked.command, asked.command_line) == (None, None)


@given(st.sampled_from(list(";&|<>()$`\\\n\r\0")), st.text(), st.text())
def test_no_shell_syntax_is_taken_for_arguments(syntax: str, before: str, after: str) -> None:
    line = f"git status {before}{syntax}{after}"
    assert asked_of(V1, kind="execute", raw_input={"command": line}).command is None


def test_a_relative_folder_of_a_command_is_in_the_session_folder() -> None:
    for folder, expected in (
        ("sub", "/project/sub"),
        ("/x", "/x"),
        ("", "/project"),
        (1, "/project"),
    ):
        assert asked_of(V1, raw_input={"command": "ls", "cwd": folder}).cwd == expected


def test_v2_a_command_can_be_the_subject() -> None:
    asked = asked_of(V2, command="git status", known={"raw_input": {"command": "rm x"}})
    assert (asked.kind, asked.cwd, asked.command) == ("execute", "/elsewhere", ("git", "status"))
    assert asked_of(V2, command="ls", known={"kind": "other"}).kind == "other"


def test_v2_a_request_about_nothing_known_is_of_kind_other() -> None:
    surface = V2.surface
    subjects = [None, surface.decode(surface.RequestPermissionSubject, {"type": "_new", "x": 1})]
    for subject in subjects:
        params = surface.RequestPermissionRequest(
            session_id=SESSION, title="?", description="why", subject=subject, options=[]
        )
        asked = question_of(params, {})
        assert (asked.kind, asked.paths, asked.command_line) == ("other", (), None)
        assert (asked.title, asked.description) == ("?", "why")


def test_the_repr_of_a_question_has_no_input() -> None:
    asked = asked_of(V1, title="T", raw_input={"command": ["curl", "hunter2"], "token": "hunter2"})
    assert asked.command_line == "curl hunter2"
    assert "'T'" in repr(asked)
    assert "hunter2" not in repr(asked)


def test_the_kit_is_not_imported_with_a_surface() -> None:
    import subprocess

    code = "import sys; from acp_bindings import v1, v2; v1.SessionClient, v2.SessionClient; "
    code += "print([name for name in sys.modules if '.kit' in name])"
    run: Callable[..., Any] = subprocess.run
    done = run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
