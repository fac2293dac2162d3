"""Tests of workspaces, which serve a client's files and terminals, over real connections."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.kit.files import Files
from acp_bindings.kit.permissions import Permissions, Question, Rule
from acp_bindings.kit.terminals import TerminalLimits, Terminals
from acp_bindings.kit.workspace import Workspace, equip, merged
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import connect, connect_memory, serve
from acp_bindings.runtime.aio.streams import memory_streams

from tests.package.aio.processes import is_running

PROGRAM = Path(__file__).with_name("workspace_program.py")
PYTHON = sys.executable
INVALID = RequestError.invalid_params().code
NOT_FOUND = RequestError.resource_not_found().code
NO_METHOD = RequestError.method_not_found().code

Work = Callable[[Any], Awaitable[object]]

each_surface = pytest.mark.parametrize("surface", [v1, v1_unstable], ids=["v1", "v1_unstable"])


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "project"
    folder.mkdir()
    (folder / "notes").write_text("one\ntwo\n")
    return folder


def agent_of(work: Work, surface: Any = v1) -> Any:
    class Agent(surface.SessionAgent):  # type: ignore[misc]
        async def turn(self, session: Any, params: Any) -> None:
            await work(session)

    return Agent


async def nothing(session: Any) -> None: ...


def editor_of(workspace: Workspace, surface: Any = v1, **members: Any) -> Any:
    kit = import_module(f"{surface.__name__}.kit")
    bases = kit.WorkspaceMethods, surface.SessionClient
    return type("Editor", bases, {"workspace": workspace, **members})


async def play(
    work: Work,
    workspace: Workspace,
    cwd: Path,
    *,
    additional: Any = (),
    surface: Any = v1,
    client: Any = None,
) -> None:
    """Run an agent's work in a session with a client that has a workspace."""
    capabilities = surface.AgentCapabilities(
        session_capabilities=surface.SessionCapabilities(
            additional_directories=surface.SessionAdditionalDirectoriesCapabilities()
        )
    )
    agent = agent_of(work, surface)
    agent.capabilities = capabilities
    client = client or editor_of(workspace, surface)
    async with connect_memory(agent, client) as peer:
        await peer.initialize()
        session = await surface.ClientSession.create(
            peer, cwd=str(cwd), mcp_servers=[], additional_directories=list(additional)
        )
        async with session.prompt("Work") as turn:
            await turn.wait(timeout=30)


async def refused(call: Awaitable[object]) -> tuple[int, str]:
    with pytest.raises(RequestError) as caught:
        await call
    return caught.value.code, caught.value.message


async def until(found: Callable[[], object]) -> None:
    while not found():
        await asyncio.sleep(0.005)


def pid_in(path: Path) -> int:
    return int(path.read_text()) if path.exists() and path.read_text() else 0


SLEEP = "echo $$ > pid.new; mv pid.new pid; sleep 600"


async def start_sleeping(session: Any, cwd: Path) -> Any:
    response = await session.terminal_create(command="sh", args=["-c", SLEEP])
    await until(lambda: pid_in(cwd / "pid"))
    return response.terminal_id


# --- the methods -----------------------------------------------------------------------------


@each_surface
async def test_all_methods_work(surface: Any, cwd: Path) -> None:
    done = []

    async def work(session: Any) -> None:
        notes = str(cwd / "notes")
        assert (await session.fs_read_text_file(path=notes)).content == "one\ntwo\n"
        part = await session.fs_read_text_file(path=notes, line=2, limit=1)
        assert part.content == "two\n"
        await session.fs_write_text_file(path=str(cwd / "new" / "file"), content="text")
        code = "import os; print(os.getcwd(), os.environ['GIVEN']); raise SystemExit(3)"
        terminal = await session.terminal_create(
            command=PYTHON,
            args=["-c", code],
            env=[surface.EnvVariable(name="GIVEN", value="value")],
        )
        members = {"terminal_id": terminal.terminal_id}
        status = await session.terminal_wait_for_exit(**members)
        assert (status.exit_code, status.signal) == (3, None)
        output = await session.terminal_output(**members)
        assert output.output == f"{cwd} value\n"
        assert (output.truncated, output.exit_status.exit_code) == (False, 3)
        await session.terminal_release(**members)
        assert (await refused(session.terminal_output(**members)))[0] == NOT_FOUND
        name = await start_sleeping(session, cwd)
        running = await session.terminal_output(terminal_id=name)
        assert not running.exit_status
        await session.terminal_kill(terminal_id=name)
        killed = await session.terminal_wait_for_exit(terminal_id=name)
        assert (killed.exit_code, killed.signal) == (None, "SIGTERM")
        done.append(True)

    await play(work, Workspace(), cwd, surface=surface)
    assert done == [True]
    assert (cwd / "new" / "file").read_text() == "text"


async def test_output_is_limited_as_the_agent_asks(cwd: Path) -> None:
    outputs = []

    async def work(session: Any) -> None:
        terminal = await session.terminal_create(command="echo", args=["ééé"], output_byte_limit=4)
        await session.terminal_wait_for_exit(terminal_id=terminal.terminal_id)
        outputs.append(await session.terminal_output(terminal_id=terminal.terminal_id))

    await play(work, Workspace(), cwd)
    assert [(each.output, each.truncated) for each in outputs] == [("é\n", True)]


async def test_a_cancelled_wait_of_the_agent_does_not_end_the_command(cwd: Path) -> None:
    statuses = []

    async def work(session: Any) -> None:
        name = await start_sleeping(session, cwd)
        waiting = asyncio.ensure_future(session.terminal_wait_for_exit(terminal_id=name))
        await session.terminal_output(terminal_id=name)  # the client received both requests
        waiting.cancel()
        await asyncio.wait([waiting])
        await session.terminal_output(terminal_id=name)
        statuses.append(is_running(pid_in(cwd / "pid")))
        await session.terminal_kill(terminal_id=name)
        statuses.append((await session.terminal_wait_for_exit(terminal_id=name)).signal)

    await play(work, Workspace(), cwd)
    assert statuses == [True, "SIGTERM"]


async def test_a_missing_file_is_an_error_unless_it_is_to_be_empty(cwd: Path) -> None:
    answers: list[Any] = []

    async def work(session: Any) -> None:
        read = session.fs_read_text_file(path=str(cwd / "missing"))
        answers.append((await read).content if answers else await refused(read))

    await play(work, Workspace(), cwd)
    await play(work, Workspace(files=Files([cwd], missing_is_empty=True)), cwd)
    (code, message), text = answers
    assert (code, text) == (NOT_FOUND, "")
    assert str(cwd) not in message


# --- where -----------------------------------------------------------------------------------


async def test_files_are_those_of_the_sessions_directories(cwd: Path) -> None:
    outside, more = cwd.parent / "outside", cwd.parent / "more"
    outside.write_text("secret")
    more.mkdir()
    (more / "file").write_text("more")
    answers: list[Any] = []

    async def work(session: Any) -> None:
        answers.append((await session.fs_read_text_file(path=str(more / "file"))).content)
        answers.append(await refused(session.fs_read_text_file(path=str(outside))))
        answers.append(await refused(session.fs_write_text_file(path=str(outside), content="x")))
        create = session.terminal_create(command="pwd", cwd=str(cwd.parent))
        answers.append(await refused(create))

    await play(work, Workspace(), cwd, additional=[str(more)])
    assert answers[0] == "more"
    assert [code for code, _ in answers[1:]] == [INVALID] * 3
    assert outside.read_text() == "secret"


async def test_a_fixed_root_is_in_place_of_the_sessions_directories(cwd: Path) -> None:
    (cwd / "inner").mkdir()
    seen: list[Any] = []

    async def work(session: Any) -> None:
        seen.append((await session.fs_read_text_file(path=str(cwd / "notes"))).content)
        terminal = await session.terminal_create(command="pwd")
        await session.terminal_wait_for_exit(terminal_id=terminal.terminal_id)
        output = await session.terminal_output(terminal_id=terminal.terminal_id)
        seen.append(output.output)

    await play(work, Workspace(cwd), cwd / "inner")
    assert seen == ["one\ntwo\n", f"{cwd / 'inner'}\n"]  # a command runs in its session's directory


async def test_a_session_outside_of_a_fixed_root_gets_nothing_of_it(cwd: Path) -> None:
    (cwd / "root").mkdir()
    answers: list[Any] = []

    async def work(session: Any) -> None:
        answers.append(await refused(session.fs_read_text_file(path=str(cwd / "notes"))))
        answers.append(await refused(session.terminal_create(command="pwd")))

    await play(work, Workspace(cwd / "root"), cwd)
    assert [code for code, _ in answers] == [INVALID] * 2


async def test_directories_that_do_not_exist_are_left_out(
    cwd: Path, caplog: pytest.LogCaptureFixture
) -> None:
    answers: list[Any] = []

    async def work(session: Any) -> None:
        call = session.fs_read_text_file(path=str(cwd / "notes"))
        answers.append((await call).content if not answers else await refused(call))

    missing = str(cwd / "missing")
    await play(work, Workspace(), cwd, additional=[missing])
    await play(work, Workspace(), Path(missing))
    assert answers[0] == "one\ntwo\n"
    assert answers[1][0] == INVALID
    assert "directories do not exist here" in answers[1][1]
    assert (
        sum(message.endswith("does not exist here; ignoring it") for message in caplog.messages)
        == 2
    )
    assert not [each for each in caplog.records if each.exc_info]


async def test_an_unknown_session_gets_nothing(cwd: Path) -> None:
    answers: list[Any] = []

    async def work(session: Any) -> None:
        client = session.agent.client
        read = v1.ReadTextFileRequest(session_id="other", path=str(cwd / "notes"))
        create = v1.CreateTerminalRequest(session_id="other", command="pwd")
        answers.append(await refused(client.fs_read_text_file(read)))
        answers.append(await refused(client.terminal_create(create)))

    for workspace in (Workspace(), Workspace(cwd)):
        await play(work, workspace, cwd)
    assert [code for code, _ in answers] == [INVALID] * 4


# --- offered capabilities --------------------------------------------------------------------


async def offered(client: Any) -> Any:
    """Return a client's capabilities as the agent receives them."""
    found: list[Any] = []

    class Agent(agent_of(nothing)):  # type: ignore[misc]
        async def initialize(self, params: Any) -> Any:
            found.append(params.client_capabilities)
            return await super().initialize(params)

    async with connect_memory(Agent, client) as peer:
        await peer.initialize()
    return v1.encode(found[0])


FULL = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        ({}, {}),
        ({"write": False}, {"fs": {"readTextFile": True, "writeTextFile": False}}),
        ({"terminals": False}, {"terminal": False}),
    ],
)
async def test_capabilities_are_what_the_workspace_has(
    options: Any, changed: Any, cwd: Path
) -> None:
    for folder in ((), (cwd,)):
        found = await offered(editor_of(Workspace(*folder, **options)))
        assert found == FULL | changed


async def test_capabilities_are_merged_with_the_clients_own() -> None:
    own = v1.ClientCapabilities(meta={"own": 1}, fs=v1.FileSystemCapabilities(meta={"more": 2}))
    same = editor_of(Workspace(write=False), capabilities=own)
    above = type("Below", (editor_of(Workspace(write=False)),), {"capabilities": own})
    below = type("Base", (v1.SessionClient,), {"capabilities": own})
    kit = import_module("acp_bindings.v1.kit")
    inherited = type("I", (kit.WorkspaceMethods, below), {"workspace": Workspace(write=False)})
    for client in (same, above, inherited):
        found = await offered(client)
        assert found == {
            "_meta": {"own": 1},
            "fs": {"_meta": {"more": 2}, "readTextFile": True, "writeTextFile": False},
            "terminal": True,
        }
    assert not below.capabilities.fs.read_text_file  # unchanged


async def test_a_workspace_without_writing_or_terminals_refuses_them(cwd: Path) -> None:
    answers: list[Any] = []

    async def work(session: Any) -> None:
        client = v1.ClientStub(session.peer, check_capabilities=False)
        path = str(cwd / "notes")
        write = v1.WriteTextFileRequest(session_id=session.session_id, path=path, content="x")
        create = v1.CreateTerminalRequest(session_id=session.session_id, command="pwd")
        answers.append(await refused(client.fs_write_text_file(write)))
        answers.append(await refused(client.terminal_create(create)))

    await play(work, Workspace(write=False, terminals=False), cwd)
    await play(work, Workspace(files=Files([cwd], write=False), terminals=False), cwd)
    assert [code for code, _ in answers] == [NO_METHOD] * 4
    assert (cwd / "notes").read_text() == "one\ntwo\n"


async def test_unsaved_text_of_the_editor_wins(cwd: Path) -> None:
    texts = []

    async def work(session: Any) -> None:
        texts.append((await session.fs_read_text_file(path=str(cwd / "notes"))).content)

    files = Files([cwd], unsaved=lambda path: f"unsaved {path.name}")
    await play(work, Workspace(files=files), cwd)
    assert texts == ["unsaved notes"]


def test_mistakes_of_the_program_are_errors(cwd: Path) -> None:
    with pytest.raises(ValueError, match="folders and files are given; pass the folders to Files"):
        Workspace(cwd, files=Files([cwd]))
    kit = import_module("acp_bindings.v1.kit")
    with pytest.raises(TypeError, match="Bare has no workspace; set `workspace"):
        type("Bare", (kit.WorkspaceMethods, v1.SessionClient), {})()


def test_merged_objects_have_the_fields_of_both() -> None:
    one = {"a": {"b": 1, "c": 1}, "d": 1, "e": {}}
    assert merged(one, {"a": {"c": 2}, "d": {"f": 2}, "e": None}) == {
        "a": {"b": 1, "c": 2},
        "d": {"f": 2},
        "e": None,
    }
    assert one == {"a": {"b": 1, "c": 1}, "d": 1, "e": {}}


# --- permissions -----------------------------------------------------------------------------


@asynccontextmanager
async def asking(
    work: Work, cwd: Path, permissions: Permissions | None, *, is_bridged: bool, **options: Any
) -> AsyncGenerator[Any]:
    """Open a session of a protocol 1 agent with a client that asks its user for permission."""
    surface: Any = v2 if is_bridged else v1
    workspace = Workspace(ask=True, **options)
    bridge: Any = False
    if is_bridged:
        client = type("Editor", (v2.SessionClient,), {"permissions": permissions})
        methods = import_module("acp_bindings.v1.kit").WorkspaceMethods
        bridge = type("Workspaces", (methods,), {"workspace": workspace})
    else:
        client = editor_of(workspace, permissions=permissions)
    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, agent_of(work)))
    async with connect(near, client, bridge=bridge) as peer:
        await peer.initialize()
        servers = {} if is_bridged else {"mcp_servers": []}
        yield await surface.ClientSession.create(peer, cwd=str(cwd), **servers)
    await serving


async def play_asking(work: Work, cwd: Path, permissions: Any, **options: Any) -> None:
    opening = asking(work, cwd, permissions, **options)
    async with opening as session, session.prompt("Work") as turn:
        await turn.wait(timeout=30)


class User:
    """A user who responds to each question with the next kind of option in `answers`.

    Attributes:
        questions: the questions.
        answers: the option kinds for the next questions, in order. If a kind is None, the user
            waits until the question is cancelled.
        cancelled: the number of cancelled questions.
    """

    def __init__(self, *answers: str | None) -> None:
        self.questions: list[Question] = []
        self.answers = list(answers)
        self.cancelled = 0

    async def __call__(self, question: Question) -> str | None:
        self.questions.append(question)
        answer = self.answers.pop(0)
        if answer is None:
            try:
                await asyncio.Event().wait()
            finally:
                self.cancelled += 1
        return answer


each_way = pytest.mark.parametrize("is_bridged", [False, True], ids=["v1", "v2-v1"])


@each_way
async def test_a_command_is_asked_about_by_the_clients_permissions(
    is_bridged: bool, cwd: Path
) -> None:
    user, outputs = User("allow_once", "allow_once"), []
    variable = v1.EnvVariable(name="A", value="b c")

    async def work(session: Any) -> None:
        for env in ([], [variable]):
            terminal = await session.terminal_create(command="echo", args=["a b"], env=env)
            await session.terminal_wait_for_exit(terminal_id=terminal.terminal_id)
            output = await session.terminal_output(terminal_id=terminal.terminal_id)
            outputs.append(output.output)

    await play_asking(work, cwd, Permissions(ask=user), is_bridged=is_bridged)
    assert outputs == ["a b\n"] * 2
    first, second = user.questions
    assert (first.kind, first.command, first.cwd) == ("execute", ("echo", "a b"), str(cwd))
    assert first.title == first.command_line == "echo 'a b'"
    assert [each.kind for each in first.options] == ["allow_once", "allow_always", "reject_once"]
    assert second.command_line == "'A=b c' echo 'a b'"  # the variable can affect which program runs


@each_way
@pytest.mark.parametrize("has_user", [True, False])
async def test_a_refused_command_does_not_run(has_user: bool, is_bridged: bool, cwd: Path) -> None:
    user, answers = User("reject_once"), []

    async def work(session: Any) -> None:
        answers.append(await refused(session.terminal_create(command="touch", args=["made"])))

    permissions = Permissions(ask=user) if has_user else None
    await play_asking(work, cwd, permissions, is_bridged=is_bridged)
    [(code, message)] = answers
    assert (code, message) == (INVALID, "permission denied by the user; do something else")
    assert not (cwd / "made").exists()


@each_way
async def test_rules_and_remembered_choices_answer_for_commands(
    is_bridged: bool, cwd: Path
) -> None:
    user = User("allow_always", "reject_once")
    changed = [v1.EnvVariable(name="PATH", value=str(cwd))]

    async def work(session: Any) -> None:
        for _ in range(2):
            await session.terminal_create(command="true", args=["by rule"])
            await session.terminal_create(command="true")
        create = session.terminal_create(command="true", args=["by rule"], env=changed)
        await refused(create)

    rule = Rule(answer="allow_once", commands=[["true", "by rule"]])
    await play_asking(work, cwd, Permissions([rule], ask=user), is_bridged=is_bridged)
    lines = [question.command_line for question in user.questions]
    assert lines == ["true", f"PATH={cwd} true 'by rule'"]


async def test_a_line_for_the_shell_is_asked_about_as_one(cwd: Path) -> None:
    user = User("allow_once", "allow_once")

    async def work(session: Any) -> None:
        await session.terminal_create(command="true && true")
        await session.terminal_create(command="true a")
        await session.terminal_create(command="true b")

    rule = Rule(answer="allow_once", commands=[["true", "b"]])
    permissions = Permissions([rule], ask=user)
    shell = lambda: Terminals(shell=True)  # noqa: E731
    await play_asking(work, cwd, permissions, is_bridged=False, terminals=shell)
    assert [(each.command_line, each.command) for each in user.questions] == [
        ("true && true", None),
        ("true a", ("true", "a")),
    ]


@each_way
async def test_a_write_is_asked_about(is_bridged: bool, cwd: Path) -> None:
    user, answers = User("allow_once", "reject_once"), []

    async def work(session: Any) -> None:
        await session.fs_write_text_file(path=str(cwd / "notes"), content="new")
        write = session.fs_write_text_file(path=str(cwd / "notes"), content="other")
        answers.append(await refused(write))
        await session.fs_read_text_file(path=str(cwd / "notes"))  # without a question

    await play_asking(work, cwd, Permissions(ask=user), is_bridged=is_bridged)
    assert (cwd / "notes").read_text() == "new"
    assert answers == [(INVALID, "permission denied by the user; do something else")]
    for question, content in zip(user.questions, ["new", "other"], strict=True):
        assert (question.kind, question.paths) == ("edit", (str(cwd / "notes"),))
        assert question.raw_input["content"] == content


@each_way
@pytest.mark.parametrize("way", ["call", "turn", "session", "connection"])
@pytest.mark.parametrize("action", ["command", "write"])
async def test_a_question_is_cancelled_with_what_it_is_for(
    action: str, way: str, is_bridged: bool, cwd: Path
) -> None:
    user, errors = User(None), []

    async def work(session: Any) -> None:
        if action == "command":
            call = session.terminal_create(command="touch", args=["made"])
        else:
            call = session.fs_write_text_file(path=str(cwd / "made"), content="")
        calling = asyncio.ensure_future(call)
        if way == "call":
            await until(lambda: user.questions)
            calling.cancel()
            await asyncio.wait([calling])
        elif way == "turn":
            # Shield the call: agents don't reliably cancel calls together with the turn.
            await asyncio.shield(uncancelled(calling, errors))
        else:
            await calling

    async with asking(work, cwd, Permissions(ask=user), is_bridged=is_bridged) as session:
        with suppress(RequestError, ConnectionError):
            async with session.prompt("Work") as turn:
                await until(lambda: user.questions)
                if way == "turn":
                    await session.cancel()
                    await until(lambda: errors)
                elif way == "session":
                    await session.close()
                elif way == "connection":
                    await session.peer.close()
                await until(lambda: user.cancelled)
                if way in ("call", "turn"):
                    await turn.wait(timeout=30)
    assert user.cancelled == 1
    assert not (cwd / "made").exists()
    if way == "turn":
        problem = "the permission request was cancelled"
        assert errors == [(RequestError.request_cancelled().code, problem)]


async def uncancelled(call: Awaitable[object], errors: list[tuple[int, str]]) -> None:
    errors.append(await refused(call))


@each_way
@pytest.mark.parametrize(
    ("target", "text"),
    [("other", "no longer resolves to the approved location"), ("../outside", "points outside")],
)
@pytest.mark.parametrize("action", ["command", "write"])
async def test_a_folder_that_is_swapped_behind_the_question_is_not_used(
    action: str, target: str, text: str, is_bridged: bool, cwd: Path
) -> None:
    inner, answers = cwd / "inner", []
    for folder in (inner, cwd / "other", cwd / "../outside"):
        folder.mkdir()

    async def swap(question: Question) -> str:
        inner.rmdir()
        inner.symlink_to(target)
        return "allow_once"

    async def work(session: Any) -> None:
        if action == "command":
            call = session.terminal_create(command="touch", args=["made"], cwd=str(inner))
        else:
            call = session.fs_write_text_file(path=str(inner / "made"), content="")
        answers.append(await refused(call))

    await play_asking(work, cwd, Permissions(ask=swap), is_bridged=is_bridged)
    [(code, message)] = answers
    assert code == INVALID
    assert text in message
    assert not list((cwd / target).iterdir())


async def test_commands_wait_for_the_agents_own_questions(cwd: Path) -> None:
    open_questions: list[str] = []
    most = 0

    async def ask(question: Question) -> str:
        nonlocal most
        open_questions.append(question.title)
        most = max(most, len(open_questions))
        await asyncio.sleep(0.01)
        open_questions.remove(question.title)
        return "allow_once"

    async def work(session: Any) -> None:
        async with session.tool("Own", kind="other") as tool:
            creates = [session.terminal_create(command="true") for _ in range(2)]
            await asyncio.gather(tool.ask(), *creates)

    await play_asking(work, cwd, Permissions(ask=ask), is_bridged=False)
    assert most == 1


# --- the end ---------------------------------------------------------------------------------


async def test_terminals_end_with_their_session(cwd: Path) -> None:
    async def work(session: Any) -> None:
        await start_sleeping(session, cwd)

    async with connect_memory(agent_of(work), editor_of(Workspace())) as peer:
        await peer.initialize()
        session = await v1.ClientSession.create(peer, cwd=str(cwd), mcp_servers=[])
        async with session.prompt("Work") as turn:
            await turn.wait(timeout=30)
        pid = pid_in(cwd / "pid")
        assert is_running(pid)
        await session.close()
        await until(lambda: not is_running(pid))


@pytest.mark.parametrize("is_object", [False, True])
async def test_terminals_end_with_their_connection(is_object: bool, cwd: Path) -> None:
    async def work(session: Any) -> None:
        await start_sleeping(session, cwd)

    client = editor_of(Workspace())
    client = client() if is_object else client
    for _ in range(2 if is_object else 1):  # a handler object can serve several connections in turn
        (cwd / "pid").unlink(missing_ok=True)
        await play(work, Workspace(), cwd, client=client)
        pid = pid_in(cwd / "pid")
        assert pid
        assert not is_running(pid)


async def test_the_end_of_a_connection_is_not_delayed_by_its_terminals(cwd: Path) -> None:
    async def work(session: Any) -> None:
        stubborn = "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done"
        await session.terminal_create(command="sh", args=["-c", stubborn])
        await until(lambda: pid_in(cwd / "pid"))
        await asyncio.Event().wait()

    limits = TerminalLimits(grace=0.2)
    client = editor_of(Workspace(terminals=lambda: Terminals(limits=limits)))
    async with connect_memory(agent_of(work), client) as peer:
        await peer.initialize()
        session = await v1.ClientSession.create(peer, cwd=str(cwd), mcp_servers=[])
        with suppress(ConnectionError):
            async with session.prompt("Work"):
                await until(lambda: pid_in(cwd / "pid"))
                await peer.close()
    assert not is_running(pid_in(cwd / "pid"))


async def test_connections_with_equal_sessions_do_not_share_terminals(cwd: Path) -> None:
    """Two agents can use the same session id, and an agent can even guess terminal ids."""

    class Agent(agent_of(nothing)):  # type: ignore[misc]
        async def session_new(self, params: Any) -> Any:
            self.open("same")
            return v1.NewSessionResponse(session_id="same")

    client = editor_of(Workspace())
    agents: list[Any] = []

    def make(peer: Any) -> Any:
        agents.append(Agent(peer))
        return agents[-1]

    async with connect_memory({v1: make}, client) as one, connect_memory({v1: make}, client) as two:
        for peer in (one, two):
            await peer.initialize()
            await v1.ClientSession.create(peer, cwd=str(cwd), mcp_servers=[])
        first, second = (agent.sessions["same"] for agent in agents)
        name = await start_sleeping(first, cwd)
        code, _ = await refused(second.terminal_output(terminal_id=name))
        assert code == NOT_FOUND
        await second.terminal_release(terminal_id=name)
        assert is_running(pid_in(cwd / "pid"))
        await two.close()
        assert is_running(pid_in(cwd / "pid"))
    assert not is_running(pid_in(cwd / "pid"))


async def test_hooks_of_the_client_are_called_as_well(cwd: Path) -> None:
    calls: list[str] = []

    class Base(v1.SessionClient):
        def connected(self, peer: Any) -> Any:
            calls.append("connected")
            return super().connected(peer)

        def opened(self, *arguments: Any) -> Any:
            calls.append("opened")
            return super().opened(*arguments)

        async def closed(self, session_id: str) -> None:
            calls.append("closed")

        def disconnected(self) -> Any:
            calls.append("disconnected")
            return super().disconnected()

    kit = import_module("acp_bindings.v1.kit")
    client = type("Both", (kit.WorkspaceMethods, Base), {"workspace": Workspace()})

    await play(nothing, Workspace(), cwd, client=client)
    assert sorted(calls) == ["closed", "connected", "disconnected", "opened"]
    assert calls[:2] == ["connected", "opened"]


# --- other versions --------------------------------------------------------------------------


async def test_a_client_of_protocol_2_offers_it_to_an_agent_of_protocol_1(cwd: Path) -> None:
    seen: list[Any] = []

    async def work(session: Any) -> None:
        seen.append((await session.fs_read_text_file(path=str(cwd / "notes"))).content)
        await start_sleeping(session, cwd)

    kit = import_module("acp_bindings.v1.kit")
    bridge = type("Workspaces", (kit.WorkspaceMethods,), {"workspace": Workspace()})
    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, agent_of(work)))
    async with connect(near, v2.SessionClient, bridge=bridge) as peer:
        await peer.initialize()
        session = await v2.ClientSession.create(peer, cwd=str(cwd))
        async with session.prompt("Work") as turn:
            await turn.wait(timeout=30)
        pid = pid_in(cwd / "pid")
        assert is_running(pid)
        await session.close()
        await until(lambda: not is_running(pid))
    await serving
    assert seen == ["one\ntwo\n"]


@pytest.mark.parametrize(
    ("surface", "agent"),
    [
        (v1, "v1"),
        (v1_unstable, "v1_unstable"),
        (v2, "v2"),
        (v2, "v1"),
        (v2_unstable, "v2_unstable"),
    ],
    ids=["v1", "v1_unstable", "v2", "v2-v1", "v2_unstable"],
)
@pytest.mark.parametrize("allows", [True, False])
async def test_launch_gives_an_agent_a_workspace_and_permissions(
    allows: bool, surface: Any, agent: str, cwd: Path
) -> None:
    kit = import_module(f"{surface.__name__}.kit")
    asked: list[Any] = []

    async def ask(question: Any) -> str:
        asked.append(question)
        return "allow_once" if allows else "reject_once"

    class Session(surface.ClientSession):  # type: ignore[misc]
        pass

    class Editor(surface.SessionClient[Session]):  # type: ignore[misc]
        pass

    options = {"workspace": Workspace()} if surface is not v2_unstable else {}
    command = [PYTHON, str(PROGRAM), agent]
    env = {"PYTHONPATH": os.pathsep.join(sys.path)}
    permissions = Permissions(ask=ask)
    async with kit.launch(command, Editor, permissions=permissions, env=env, **options) as link:
        servers = {} if surface in (v2, v2_unstable) else {"mcp_servers": []}
        session = await link.open(cwd=str(cwd), **servers)
        assert isinstance(session, Session)
        async with session.prompt("Work") as turn:
            await turn.wait(timeout=30)
        [call] = session.state.tool_calls.values()
        assert len(asked) == 1
        assert call.status == ("completed" if allows else "failed")
        assert ("refused" in session.state.messages[-1].text) is not allows
        assert ("one\ntwo\n" in str(call.content).replace("\\n", "\n")) is (
            allows and agent.startswith("v1")
        )
    assert not hasattr(Editor, "workspace")


async def test_launch_keeps_the_handler_at_the_bridge(cwd: Path) -> None:
    """The workspace is added to a handler that is passed as `bridge`."""
    kit = import_module("acp_bindings.v2.kit")
    opened: list[str] = []

    class Logging(v1.ClientHandler):
        def opened(self, session_id: str, *arguments: Any) -> Any:
            opened.append(session_id)
            return super().opened(session_id, *arguments)

    async def ask(question: Any) -> str:
        return "allow_once"

    permissions = Permissions(ask=ask)
    async with kit.launch(
        [PYTHON, str(PROGRAM), "v1"],
        v2.SessionClient,
        workspace=Workspace(),
        permissions=permissions,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        bridge=Logging,
    ) as link:
        session = await link.open(cwd=str(cwd))
        async with session.prompt("Work") as turn:
            await turn.wait(timeout=30)
        [call] = session.state.tool_calls.values()
        assert call.status == "completed"
    assert opened == [session.session_id]


@pytest.mark.parametrize("surface", [v1, v2], ids=["v1", "v2"])
async def test_launch_refuses_a_workspace_for_an_object(surface: Any) -> None:
    kit = import_module(f"{surface.__name__}.kit")
    options = {"bridge": v1.ClientHandler()} if surface is v2 else {}
    client = surface.SessionClient() if surface is v1 else surface.SessionClient
    problem = "a workspace requires a client class; pass the class, not an object"
    with pytest.raises(TypeError, match=f"^{problem}$"):
        async with kit.launch(["true"], client, workspace=Workspace(), **options):
            pass


def test_permissions_can_be_those_of_an_object() -> None:
    client: Any = SimpleNamespace(permissions="own")
    assert equip(client, None) is client
    assert client.permissions == "own"
    assert equip(client, None, permissions="given") is client
    assert client.permissions == "given"


async def test_launch_accepts_a_client_with_workspace_methods(cwd: Path) -> None:
    kit = import_module("acp_bindings.v1.kit")
    client = editor_of(Workspace(terminals=False))
    async with kit.launch(
        [PYTHON, str(PROGRAM), "v1"],
        client,
        workspace=Workspace(),
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    ) as link:
        assert link.peer.handler.workspace.has_terminals
