"""Tests of the agent and client guides: their programs run and can connect to each other."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import connect_memory, connect_stdio
from acp_bindings.testing import Call, Client, Step, Turn, expect, silence

from tests.examples.driving import Program, running
from tests.support.guides import (
    commands,
    defining,
    only_block,
    python,
    run_command,
    write_files,
)

pytestmark = pytest.mark.slow

GUIDE, CLIENT_GUIDE, OLD_GUIDE = "agent.md", "client.md", "protocol-1.md"
EDIT = "replace two three notes.txt"


DIFF = {"type": "diff", "oldText": "one\ntwo\n", "newText": "one\nthree\n"}
ABLE = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
TERMINALS: dict[str, Any] = {
    "terminal/create": {"terminalId": "t-1"},
    "terminal/wait_for_exit": {"exitCode": 3},
    "terminal/output": {"output": "42\n", "truncated": False},
    "terminal/kill": {},
    "terminal/release": {},
}


@asynccontextmanager
async def talking(folder: Path, **options: Any) -> AsyncIterator[Client]:
    """Yield a client for the protocol 1 guide's agent, with one file and simulated terminals."""
    write_files(OLD_GUIDE, folder)
    options = {"capabilities": ABLE, "answers": TERMINALS, **options}
    files = {str(folder / "notes.txt"): "one\ntwo\n"}
    command = [sys.executable, str(folder / "helper.py")]
    async with Client(command, version=1, files=files, timeout=30, **options) as client:
        await client.new_session(str(folder))
        yield client


async def finished(client: Client, prompt: str) -> Turn:
    turn = await client.prompt(prompt)
    assert turn.stop_reason == "end_turn"
    return turn


def asked(turn: Turn) -> list[str]:
    return [question.method.partition("/")[2] for question in turn.questions]


@pytest.mark.parametrize(
    ("permission", "status", "text", "said"),
    [
        ("yes", "completed", "one\nthree\n", "I have changed notes.txt."),
        ("no", "failed", "one\ntwo\n", "That failed: the user said no"),
        (None, "failed", "one\ntwo\n", "That failed: the user said no"),
    ],
)
async def test_outcomes_decide(
    tmp_path: Path, permission: Any, status: str, text: str, said: str
) -> None:
    shown: list[Any] = []

    def ask(call: Call) -> None:
        shown[:] = client.updates  # return None so that the client sends its default response

    answers = {"session/request_permission": ask}
    async with talking(tmp_path, permission=permission, answers=answers) as client:
        turn = await finished(client, EDIT)
        path = str(tmp_path / "notes.txt")
        place = {"kind": "edit", "locations": [{"path": path}]}
        call = {"status": "pending", "content": [{**DIFF, "path": path}]}
        expect(shown, {**place, **call})
        turn.expect(call, {"status": status}, said)
        assert client.files == {path: text}


async def test_a_permission_for_always_becomes_the_config_option(tmp_path: Path) -> None:
    async with talking(tmp_path, permission="always") as client:
        turn = await finished(client, EDIT)
        [option] = next(each for each in turn.updates if "configOptions" in each)["configOptions"]
        assert (option["id"], option["currentValue"]) == ("approval", "auto")
        turn.expect({"status": "completed"})
        assert asked(turn).count("request_permission") == 1
        turn = await finished(client, "replace three four notes.txt")
        turn.expect({"status": "completed"})
        assert "request_permission" not in asked(turn)
        assert [*client.files.values()] == ["one\nfour\n"]


async def test_a_command_runs_in_a_terminal(tmp_path: Path) -> None:
    async with talking(tmp_path) as client:
        turn = await finished(client, "run echo $((6 * 7)); exit 3")
        assert asked(turn) == [
            *("request_permission", "create", "wait_for_exit", "output", "release")
        ]
        create = turn.questions[1].params
        assert [create["command"], *create["args"]] == ["sh", "-c", "echo $((6 * 7)); exit 3"]
        shown = [{"type": "terminal", "terminalId": "t-1"}]
        turn.expect({"content": shown}, {"status": "completed"}, "42\n[exit status 3]")


async def test_a_cancelled_command_is_released(tmp_path: Path) -> None:
    def wait(call: Call) -> Step:
        call.party.start(client.cancel())
        return silence()

    answers = {**TERMINALS, "terminal/wait_for_exit": wait}
    async with talking(tmp_path, answers=answers) as client:
        turn = await client.prompt("run sleep 1000")
        assert turn.stop_reason == "cancelled"
        assert asked(turn)[-1] == "release"
        turn.expect({"sessionUpdate": "tool_call_update", "status": "failed"})


async def test_failures_are_said_and_the_plan_goes_on(tmp_path: Path) -> None:
    async with talking(tmp_path) as client:
        prompt = f"replace a b missing.txt\ndance\n{EDIT}"
        turn = await finished(client, prompt)
        plan = [each for each in turn.updates if each["sessionUpdate"] == "plan"][-1]
        assert [entry["status"] for entry in plan["entries"]] == ["completed"] * 3
        assert "no such file" in turn.text
        assert "`replace OLD NEW FILE`" in turn.text
        assert [*client.files.values()] == ["one\nthree\n"]
        client.updates.clear()
        params = {"sessionId": turn.session_id, "cwd": str(tmp_path), "mcpServers": []}
        await client.request("session/load", params)
        *replayed, options = client.updates
        said = {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": prompt}}
        assert state(replayed) == state([said, *turn.updates])
        assert options["configOptions"][0]["currentValue"] == "ask"


def state(updates: list[Any]) -> v1.SessionState:
    state = v1.SessionState()
    for update in updates:
        state.apply(v1.decode(v1.SessionUpdate, update))
    return state


async def test_a_client_that_offers_nothing_is_told(tmp_path: Path) -> None:
    async with talking(tmp_path, capabilities={}) as client:
        for prompt in (EDIT, "run ls"):
            assert "did not advertise" in (await finished(client, prompt)).text


def test_an_agent_outlives_its_connection(tmp_path: Path) -> None:
    assert "application.py" in write_files(GUIDE, tmp_path)
    assert python(tmp_path, ["application.py"]) == ""


# --- the guide to a client: its program's output with the agent of the other guide -----------

CLEAR = "\x1b[2J\x1b[H"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    assert "viewer.py" in write_files(CLIENT_GUIDE, path)
    assert "helper.py" in write_files(OLD_GUIDE, path)
    (path / "notes.txt").write_text("one\ntwo\n", "utf-8")
    return path


VIEWER = (sys.executable, "viewer.py", sys.executable)


def screen(program: Program) -> str:
    return program.output.rpartition(CLEAR)[2]


def test_the_screens_are_those_of_the_guides(folder: Path) -> None:
    with running([*VIEWER, "helper.py"], folder) as program:
        program.type(EDIT)
        program.wait_for("Choose: ")
        assert screen(program) == only_block(CLIENT_GUIDE, "text").removesuffix("\n")
        program.type("1")
        program.wait_for("[end_turn]\n")
        assert screen(program) == only_block(OLD_GUIDE, "text")
        assert (folder / "notes.txt").read_text("utf-8") == "one\nthree\n"
        assert program.end() == 0


@pytest.mark.parametrize("typed", ["3", "yes"])
def test_only_a_choice_allows(folder: Path, typed: str) -> None:
    with running([*VIEWER, "helper.py"], folder) as program:
        program.type(EDIT)
        program.wait_for("Choose: ")
        program.type(typed)
        program.wait_for("[end_turn]\n")
        assert "That failed: the user said no" in screen(program)
        assert (folder / "notes.txt").read_text("utf-8") == "one\ntwo\n"


def test_ctrl_c_cancels_and_the_next_prompt_works(folder: Path) -> None:
    with running([*VIEWER, "helper.py"], folder) as program:
        program.type(EDIT)
        program.wait_for("Choose: ")
        program.interrupt()
        program.wait_for("[cancelled]\n")
        assert "✗ Edit notes.txt" in screen(program)
        program.type(EDIT)
        program.wait_for("Choose: ")


# An agent program. Each test supplies the body of `turn`, which can use `session`.
SCRIPTED = """
import asyncio
from acp_bindings import v1
from acp_bindings.runtime import RequestError
from helper import Helper
from acp_bindings.runtime.aio import serve_stdio

class Scripted(Helper):
    async def turn(self, session, params):
        {turn}

asyncio.run(serve_stdio(Scripted))
"""
Prompting = Callable[..., str]


@pytest.fixture
def prompted(folder: Path) -> Prompting:
    def prompt(turn: str, end: str = "[end_turn]\n") -> str:
        (folder / "scripted.py").write_text(SCRIPTED.format(turn=turn), "utf-8")
        with running([*VIEWER, "scripted.py"], folder) as program:
            program.type("go")
            program.wait_for(end)
            return screen(program)

    return prompt


def test_files_outside_are_refused(folder: Path, prompted: Prompting) -> None:
    secret = folder.parent / "secret.txt"
    secret.write_text("secret", "utf-8")
    os.symlink(secret, folder / "link.txt")
    outside = (secret, folder / "link.txt", folder / ".." / "secret.txt", folder / "no.txt")
    link = str(folder / "link.txt")
    turn = f"""
        calls = [session.fs_read_text_file(path=path) for path in {list(map(str, outside))}]
        calls.append(session.fs_write_text_file(path={link!r}, content=""))
        for call in calls:
            try:
                await call
            except RequestError as error:
                await session.say(f"{{error.code}} ")
""".strip()
    refused = "-32602 "
    assert f"{3 * refused}-32002 {refused.strip()}\n" in prompted(turn)
    assert secret.read_text("utf-8") == "secret"


def test_parts_of_files_are_read(folder: Path, prompted: Prompting) -> None:
    parts: tuple[dict[str, int | None], ...]
    parts = ({}, {"line": 2}, {"line": 1, "limit": 1}, {"limit": 0}, {"line": 9}, {"line": None})
    read = f"session.fs_read_text_file(path={str(folder / 'notes.txt')!r}, **part)"
    shown = prompted(f"for part in {parts}: await session.say(repr((await {read}).content))")
    expected = ("one\ntwo\n", "two\n", "one\n", "", "", "one\ntwo\n")
    assert "".join(map(repr, expected)) in shown


def test_text_cannot_control_the_terminal(prompted: Prompting) -> None:
    shown = prompted(r"await session.say('\x1b]0;owned\x07 \x1b[2Jhidden')")
    assert "]0;owned [2Jhidden\n" in shown
    shown = prompted(r"raise RequestError.internal_error(message='\x1b[2J')", "]\n")
    assert "[[2J]\n" in shown


def test_a_view_attaches_to_a_session_of_its_own_class(folder: Path) -> None:
    code = f"""
import asyncio, os, sys
from acp_bindings import v1, v2
from acp_bindings.runtime.aio import connect_stdio
from acp_bindings.v1 import kit
from drawing import draw
from windows import Window, Windows

shown = []

class Files(kit.WorkspaceMethods, v1.ClientHandler):
    workspace = kit.Workspace({str(folder)!r})

class Asking(Windows):
    async def session_request_permission(self, params):
        window = self.session_for(params.session_id)
        assert window.unread == 5  # the prompt, two states, the plan and the tool call
        window.attach(shown.append)
        assert window.unread == 0
        print(*shown)
        outcome = v2.SelectedPermissionOutcome(option_id="yes")
        return v2.RequestPermissionResponse(outcome=outcome)

async def main():
    command = [sys.executable, "helper.py"]
    async with connect_stdio(command, Asking, bridge=Files) as peer:
        await peer.initialize()
        window = await Window.create(peer, cwd=os.getcwd())
        async with window.prompt({EDIT!r}):
            pass
        assert shown[-1] == draw(window.state), shown[-1]
        end, unread, changes = shown[-1], window.unread, len(shown)
        assert unread > 0
        again = await Window.resume(
            peer,
            session_id=window.session_id,
            cwd=os.getcwd(),
            replay_from=v2.ReplayFromStart(),
        )
        assert again is window and window.unread == unread
        assert shown[-1] == end and len(shown) > changes
        print(end)

asyncio.run(main())
"""
    asked, _, _ = only_block(CLIENT_GUIDE, "text").partition("  1  Yes")
    end = only_block(OLD_GUIDE, "text").removesuffix("[end_turn]\n")
    assert python(folder, ["-c", code]) == f"{asked}? Edit notes.txt\n{end}"


def test_the_first_client_prints_what_the_guide_shows(tmp_path: Path) -> None:
    write_files("getting-started.md", tmp_path)
    write_files(CLIENT_GUIDE, tmp_path)
    [shown] = commands(CLIENT_GUIDE)
    shown.assert_prints(run_command(shown.text, tmp_path))


@pytest.mark.parametrize(
    ("permission", "said", "asked_again"),
    [
        ("yes", "published", True),
        ("always", "published", False),
        ("no", "not published", True),
        (None, "not published", True),
    ],
)
async def test_an_agent_asks_with_custom_options(
    permission: Any, said: str, asked_again: bool
) -> None:
    agent = defining(GUIDE, "Publisher")["Publisher"]
    async with Client(agent, permission=permission) as client:
        first, second = await client.prompt("Publish"), await client.prompt("Again")
    assert (first.text, second.text) == (said, said)
    assert asked(first) == ["request_permission"]
    assert bool(asked(second)) == asked_again


async def test_a_plan_is_sent_in_full_at_each_step() -> None:
    async with Client(defining(GUIDE, "Planner")["Planner"]) as client:
        turn = await client.prompt("Plan")
    plans = [each["plan"]["entries"] for each in turn.updates if "plan" in each]
    assert [[entry["status"] for entry in entries] for entries in plans] == [
        ["in_progress", "pending"],
        ["completed", "in_progress"],
        ["completed", "completed"],
    ]
    assert (turn.text, turn.stop_reason) == ("Done.", "end_turn")


async def test_an_old_session_is_drawn(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("SESSIONS", str(folder / "sessions"))
    agent = defining(GUIDE, "complete")["Agent"]
    async with connect_memory(agent, v2.SessionClient) as peer:
        await peer.initialize()
        session = await v2.ClientSession.create(peer, cwd=str(folder))
        async with session.prompt("Hello") as turn:
            await turn.wait()
    async with connect_memory(agent, v2.SessionClient) as peer:
        await peer.initialize()
        drawn = await import_module("replaying").transcript(peer, session.session_id)
    assert drawn.startswith("> Hello\n")
    assert "Write notes.txt" in drawn


# --- the guide to a client: agents that are kept running ----------------------------------------

LOCKED = """
import asyncio
from acp_bindings import {surface} as surface
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import serve_stdio

class Locked(surface.SessionAgent):
    auth_methods = [
        surface.AuthMethodAgent({id_}="first", name="The first one"),
        surface.AuthMethodAgent({id_}="second", name="The second one"),
    ]
    is_open = False

    async def {sign_in}(self, params):
        assert params.method_id == "second"
        self.is_open = True

    async def session_new(self, params):
        if not self.is_open:
            raise RequestError.authentication_required()
        session = self.open("s-1")
        return surface.NewSessionResponse(session_id=session.session_id)

    async def turn(self, session, params):
        pass

asyncio.run(serve_stdio(Locked))
"""


@pytest.mark.parametrize(
    ("surface", "id_", "sign_in"), [("v1", "id", "authenticate"), ("v2", "method_id", "auth_login")]
)
def test_the_user_chooses_how_to_sign_in(
    folder: Path, surface: str, id_: str, sign_in: str
) -> None:
    program = LOCKED.format(surface=surface, id_=id_, sign_in=sign_in)
    (folder / "locked.py").write_text(program, "utf-8")
    with running([sys.executable, "signing.py", sys.executable, "locked.py"], folder) as client:
        client.wait_for("  1  The first one\n  2  The second one\nSign in with: ")
        client.type("2")
        client.wait_for("opened s-1\n")
        assert client.end() == 0


async def test_updates_of_a_handler_that_opens_a_session_reach_its_client() -> None:
    agent = defining(GUIDE, "Brewer")["Brewer"]
    async with connect_memory(agent, v2.SessionClient) as peer:
        await peer.initialize()
        session = await v2.ClientSession.create(peer, cwd="/")
        async with session.prompt("Tea") as turn:
            await turn.wait()
        assert session.state.available_commands is not None
        [command] = session.state.available_commands.available_commands
        assert command.name == "tea"


async def test_what_a_session_owns_ends_with_it() -> None:
    names = defining(GUIDE, "ConnectedSession")
    server = v2.McpServerStdio(name="cat", command=sys.executable, args=["-c", "input()"])
    started: list[Any] = []

    class Watched(names["ConnectedSession"]):  # type: ignore[misc]
        async def connect(self) -> None:
            await super().connect()
            started.append(self)

        async def ended(self) -> None:
            await super().ended()
            started.append("ended")

    class Agent(names["Connected"]):  # type: ignore[misc]
        def _make(self, session_id: str) -> Any:
            return Watched(self, session_id)

    async with connect_memory(Agent, v2.SessionClient) as peer:
        await peer.initialize()
        session = await v2.ClientSession.create(peer, cwd="/", mcp_servers=[server])
        async with session.prompt("How many?") as turn:
            await turn.wait()
        assert session.state.messages[-1].text == "1 servers"
        assert [each.name for each in session.mcp_servers] == ["cat"]
    assert len(started) == 2
    assert list(names["SAVED"]) == [session.session_id]


# --- commands and modes ------------------------------------------------------------------------


async def test_slash_commands_are_listed_after_the_session_is_opened() -> None:
    async with Client(defining(GUIDE, "Reviewer")["Reviewer"]) as client:
        await client.new_session()
        (await client.prompt("/review main.py")).expect("I review main.py.")
        (await client.prompt("/test")).expect("I run the tests.")
        (await client.prompt("hello")).expect("Try /review or /test.")
        commands = client.updates[0]
        assert commands["sessionUpdate"] == "available_commands_update"
        assert [each["name"] for each in commands["availableCommands"]] == ["review", "test"]


@pytest.mark.parametrize("version", [1, 2])
async def test_modes_change_as_the_client_sets_them(version: int) -> None:
    agent = defining(GUIDE, "Modal")["Modal"]
    async with Client(agent, version=version, bridge=True) as client:
        session_id = await client.new_session()
        (await client.prompt("Which?")).expect("I am in the mode ask.")
        if version == 1:
            assert client.sessions[session_id]["modes"]["currentModeId"] == "ask"
            params = {"sessionId": session_id, "modeId": "code"}
            await client.request("session/set_mode", params)
        else:
            option = {"configId": "mode", "type": "id", "value": "code"}
            params = {"sessionId": session_id, **option}
            await client.request("session/set_config_option", params)
        (await client.prompt("Which?")).expect("I am in the mode code.")


@pytest.mark.parametrize("version", [1, 2])
async def test_modes_of_protocol_1_are_checked(version: int) -> None:
    agent = defining(OLD_GUIDE, "ModalV1")["ModalV1"]
    async with Client(agent, version=version, bridge=True) as client:
        session_id = await client.new_session()
        for mode, said in (("code", "I am in the mode code."), ("dance", None)):
            if version == 1:
                params, method = {"modeId": mode}, "session/set_mode"
            else:
                params = {"configId": "mode", "type": "id", "value": mode}
                method = "session/set_config_option"
            change = client.request(method, {"sessionId": session_id, **params})
            if said is not None:
                await change
                (await client.prompt("Which?")).expect(said)
            else:
                with pytest.raises(RequestError):
                    await change
        (await client.prompt("Which?")).expect("I am in the mode code.")


@pytest.mark.parametrize("version", [1, 2])
async def test_slash_commands_of_protocol_1_have_a_hint(version: int) -> None:
    agent = defining(OLD_GUIDE, "ReviewerV1")["ReviewerV1"]
    async with Client(agent, version=version, bridge=True) as client:
        await client.new_session()
        (await client.prompt("/review main.py")).expect("I review main.py.")
        commands = client.updates[0]["availableCommands"]
        assert [each["name"] for each in commands] == ["review", "test"]
        assert commands[0]["input"]["hint"] == "the file to review"


@pytest.mark.parametrize(("version", "name"), [(1, None), (2, "acp-bindings")])
async def test_an_agent_without_info_has_the_name_that_the_guide_says(
    version: int, name: str | None
) -> None:
    class Nameless(v2.SessionAgent):
        async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
            pass

    class NamelessV1(v1.SessionAgent):
        async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
            pass

    async with Client(Nameless if version == 2 else NamelessV1, version=version) as client:
        await client.initialize()
    info = client.introduction.get("info" if version == 2 else "agentInfo")
    assert (None if info is None else info["name"]) == name


# --- the agent around a model --------------------------------------------------------------------


@pytest.fixture
def looping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("SESSIONS", str(tmp_path / "sessions"))
    return defining(GUIDE, "complete")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    return path


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("permission", "result", "status"),
    [(True, "wrote {}", "completed"), (False, "the user refused this", "failed")],
)
async def test_the_model_gets_the_result_of_its_tool(
    looping: dict[str, Any],
    work: Path,
    version: int,
    permission: bool,
    result: str,
    status: str,
) -> None:
    agent = looping["Agent"]
    async with Client(agent, version=version, bridge=True, permission=permission) as client:
        await client.new_session(str(work))
        turn = await client.prompt("Hello")
    result = result.format(work / "notes.txt")
    assert (turn.stop_reason, turn.text) == ("end_turn", f"I take a note.The result: {result}.")
    turn.expect("I ", "take ", {"status": "pending"}, {"status": status}, f"The result: {result}.")
    assert [path.read_text("utf-8") for path in work.iterdir()] == ["Hello"] * permission


@pytest.mark.parametrize(("permission", "status"), [(True, "completed"), (False, "cancelled")])
async def test_the_plan_follows_the_tool(
    permission: bool, status: str, looping: dict[str, Any], work: Path
) -> None:
    async with Client(looping["Agent"], permission=permission) as client:
        await client.new_session(str(work))
        turn = await client.prompt("Hello")
    plans = [each for each in turn.updates if each["sessionUpdate"].startswith("plan")]
    assert [each["plan"]["entries"][0]["status"] for each in plans] == ["in_progress", status]


async def test_the_history_of_a_cancelled_model_is_complete(
    looping: dict[str, Any], work: Path
) -> None:
    given: list[Any] = []

    class Model(looping["Model"]):  # type: ignore[misc]
        async def stream(self, messages: Any) -> AsyncIterator[Any]:
            given[:] = messages
            async for part in super().stream(messages):
                yield part

    class Agent(looping["Agent"]):  # type: ignore[misc]
        model = Model()

    async with Client(Agent) as client:
        await client.new_session(str(work))
        first = await client.prompt("Hello", cancel_at="I ")
        assert first.stop_reason == "cancelled"
        second = await client.prompt("Hello", cancel_at={"status": "pending"})
        assert second.stop_reason == "cancelled"
        second.expect({"status": "cancelled"})
        assert list(work.iterdir()) == []
        await client.prompt("Hello", cancel_at="I ")
    roles = [message["role"] for message in given]
    assert roles == ["user", "assistant", "user", "assistant", "tool", "user"]
    assert given[-2]["content"] == "interrupted"


async def test_the_history_is_complete_after_a_crash(
    looping: dict[str, Any], work: Path, tmp_path: Path
) -> None:
    write_files(GUIDE, tmp_path)
    async with connect_stdio([sys.executable, str(tmp_path / "loop.py")], v2.SessionClient) as peer:
        await peer.initialize()
        session = await v2.ClientSession.create(peer, cwd=str(work))
        with suppress(ConnectionError):
            async with session.prompt("Hello") as turn:
                async for update in turn:
                    if isinstance(update, v2.ToolCallUpdate):
                        peer.process.kill()
    async with connect_memory(looping["Agent"], v2.SessionClient) as peer:
        await peer.initialize()
        again = await v2.ClientSession.resume(
            peer, session_id=session.session_id, cwd=str(work), replay_from=v2.ReplayFromStart()
        )
        assert [call.status for call in again.state.tool_calls.values()] == ["failed"]
        async with again.prompt("Hello") as turn:
            await turn.wait()
    messages = looping["Agent"].store.data(session.session_id)
    roles = [message["role"] for message in messages]
    assert roles == ["user", "assistant", "tool", "user", "assistant", "tool", "assistant"]
    assert next(each["content"] for each in messages if each["role"] == "tool") == "interrupted"


async def test_the_tool_writes_no_file_elsewhere(
    looping: dict[str, Any], work: Path, tmp_path: Path
) -> None:
    class Escaping(looping["Model"]):  # type: ignore[misc]
        async def stream(self, messages: Any) -> AsyncIterator[Any]:
            async for part in super().stream(messages):
                yield part if isinstance(part, str) else {**part, "path": "../notes.txt"}

    class Agent(looping["Agent"]):  # type: ignore[misc]
        model = Escaping()

    async with Client(Agent) as client:
        await client.new_session(str(work))
        turn = await client.prompt("Hello")
    assert "path points outside the allowed folders" in turn.text
    assert not (tmp_path / "notes.txt").exists()


# --- settings of saved sessions ------------------------------------------------------------------


async def test_a_stored_agent_states_its_commands_and_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(GUIDE, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    agent = import_module("stating").Stating
    async with Client(agent) as client:
        opened = await client.request("session/new", {"cwd": str(tmp_path)})
        assert [each["name"] for each in opened["availableCommands"]] == ["review", "test"]
        choice = {"configId": "model", "type": "id", "value": "large"}
        await client.request(
            "session/set_config_option", {"sessionId": opened["sessionId"], **choice}
        )
    async with Client(agent) as client:
        await client.request(
            "session/resume", {"sessionId": opened["sessionId"], "cwd": str(tmp_path)}
        )
        turn = await client.prompt("Hello", session_id=opened["sessionId"])
    assert turn.text == "I use the model large."
