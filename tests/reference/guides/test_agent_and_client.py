"""The guides to an agent with tools and to a client: what their programs say to each other."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from acp_bindings import v1
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import Peer, connect_stdio
from examples.driving import Program, running
from support.guides import only_block, python, write_files

GUIDE, CLIENT_GUIDE = "agent.md", "client.md"
EDIT = "replace two three notes.txt"


class Client(v1.SessionClient):
    """Has one file and terminals that it does not run; chooses an option by its kind.

    Attributes:
        text: the text of the file.
        questions: the questions about permission, with the diffs that were shown by then.
        terminals: what was asked of the terminal, in order.
    """

    def __init__(self, peer: Peer, kind: str, ends: bool = True) -> None:
        super().__init__(peer)
        self.kind = kind
        self.ends = ends
        self.text = "one\ntwo\n"
        self.questions: list[object] = []
        self.terminals: list[str] = []

    async def session_request_permission(
        self, params: v1.RequestPermissionRequest
    ) -> v1.RequestPermissionResponse:
        call = self.session_for(params.session_id).state.tool_calls[params.tool_call.tool_call_id]
        assert call.status == "pending"
        self.questions.append(call.content)
        for option in params.options:
            if option.kind == self.kind:
                outcome = v1.SelectedPermissionOutcome(option_id=option.option_id)
                return v1.RequestPermissionResponse(outcome=outcome)
        return v1.RequestPermissionResponse(outcome=v1.CancelledRequestPermissionOutcome())

    async def fs_read_text_file(self, params: v1.ReadTextFileRequest) -> v1.ReadTextFileResponse:
        if not params.path.endswith("notes.txt"):
            raise RequestError.resource_not_found({"path": params.path})
        return v1.ReadTextFileResponse(content=self.text)

    async def fs_write_text_file(self, params: v1.WriteTextFileRequest) -> None:
        self.text = params.content

    async def terminal_create(self, params: v1.CreateTerminalRequest) -> v1.CreateTerminalResponse:
        self.terminals.append(" ".join([params.command, *(params.args or [])]))
        return v1.CreateTerminalResponse(terminal_id="t-1")

    async def terminal_wait_for_exit(
        self, params: v1.WaitForTerminalExitRequest
    ) -> v1.WaitForTerminalExitResponse:
        self.terminals.append("wait")
        if not self.ends:
            await asyncio.Event().wait()
        return v1.WaitForTerminalExitResponse(exit_code=3)

    async def terminal_output(self, params: v1.TerminalOutputRequest) -> v1.TerminalOutputResponse:
        return v1.TerminalOutputResponse(output="42\n", truncated=False)

    async def terminal_kill(self, params: v1.KillTerminalRequest) -> None:
        self.terminals.append("kill")

    async def terminal_release(self, params: v1.ReleaseTerminalRequest) -> None:
        self.terminals.append("release")


@asynccontextmanager
async def talking(
    folder: Path, kind: str = "allow_once", *, ends: bool = True, is_able: bool = True
) -> AsyncIterator[tuple[v1.ClientSession, Client]]:
    write_files(GUIDE, folder)
    clients: list[Client] = []

    def client(peer: Peer) -> Client:
        clients.append(Client(peer, kind, ends))
        return clients[-1]

    fs = v1.FileSystemCapabilities(read_text_file=is_able, write_text_file=is_able)
    able = v1.ClientCapabilities(fs=fs, terminal=is_able)
    async with connect_stdio([sys.executable, str(folder / "helper.py")], {v1: client}) as peer:
        await peer.initialize(v1.InitializeRequest(protocol_version=1, client_capabilities=able))
        yield await v1.ClientSession.create(peer, cwd=str(folder), mcp_servers=[]), clients[0]


async def turn(session: v1.ClientSession, prompt: str) -> str | None:
    async with session.prompt(prompt) as turn:
        await turn.wait(timeout=30)
    assert turn.stop_reason == "end_turn"
    calls = list(session.state.tool_calls.values())
    return calls[-1].status or None if calls else None


@pytest.mark.parametrize(
    ("kind", "status", "text", "said"),
    [
        ("allow_once", "completed", "one\nthree\n", "I have changed notes.txt."),
        ("reject_once", "failed", "one\ntwo\n", "That failed: the user said no"),
        ("none of them", "failed", "one\ntwo\n", "That failed: the user said no"),
    ],
)
async def test_outcomes_decide(
    tmp_path: Path, kind: str, status: str, text: str, said: str
) -> None:
    async with talking(tmp_path, kind) as (session, client):
        assert await turn(session, EDIT) == status
        assert client.text == text
        path = str(tmp_path / "notes.txt")
        diff = v1.Diff(path=path, old_text="one\ntwo\n", new_text="one\nthree\n")
        assert client.questions == [[diff]]
        [call] = session.state.tool_calls.values()
        assert (call.kind, call.locations) == ("edit", [v1.ToolCallLocation(path=path)])
        assert session.state.messages[-1].text == said


async def test_a_permission_for_always_becomes_the_config_option(tmp_path: Path) -> None:
    async with talking(tmp_path, "allow_always") as (session, client):
        assert await turn(session, EDIT) == "completed"
        update = session.state.config_options
        assert update is not None
        [option] = update.config_options
        assert isinstance(option, v1.SelectSessionConfigOption)
        assert (option.id, option.current_value) == ("approval", "auto")
        assert await turn(session, "replace three four notes.txt") == "completed"
        assert client.text == "one\nfour\n"
        assert len(client.questions) == 1


async def test_a_command_runs_in_a_terminal(tmp_path: Path) -> None:
    async with talking(tmp_path) as (session, client):
        assert await turn(session, "run echo $((6 * 7)); exit 3") == "completed"
        assert client.terminals == ["sh -c echo $((6 * 7)); exit 3", "wait", "release"]
        assert client.questions == [[]]
        [call] = session.state.tool_calls.values()
        assert call.content == [v1.Terminal(terminal_id="t-1")]
        assert session.state.messages[-1].text == "42\n[exit status 3]"


async def test_a_cancelled_command_is_released(tmp_path: Path) -> None:
    async with talking(tmp_path, ends=False) as (session, client):
        async with session.prompt("run sleep 1000") as turn:
            while "wait" not in client.terminals:
                await asyncio.sleep(0.01)
            await turn.cancel()
            reported = [each async for each in turn]
        assert turn.stop_reason == "cancelled"
        assert client.terminals[-1] == "release"
        calls = [each for each in reported if isinstance(each, v1.ToolCallUpdate)]
        assert calls[-1].status == "failed"


async def test_failures_are_said_and_the_plan_goes_on(tmp_path: Path) -> None:
    async with talking(tmp_path) as (session, client):
        await turn(session, f"replace a b missing.txt\ndance\n{EDIT}")
        [plan] = session.state.plans.values()
        assert [each.status for each in plan.entries] == ["completed"] * 3
        said = next(each.text for each in session.state.messages if each.role == "agent")
        assert "resource not found" in said
        assert "`replace OLD NEW FILE`" in said
        assert client.text == "one\nthree\n"
        again = await v1.ClientSession.load(
            session.peer, session_id=session.session_id, cwd=str(tmp_path), mcp_servers=[]
        )
        assert again.state == session.state


async def test_a_client_that_offers_nothing_is_told(tmp_path: Path) -> None:
    async with talking(tmp_path, is_able=False) as (session, _):
        for prompt in (EDIT, "run ls"):
            await turn(session, prompt)
            assert "did not advertise" in session.state.messages[-1].text


def test_an_agent_outlives_its_connection(tmp_path: Path) -> None:
    assert "application.py" in write_files(GUIDE, tmp_path)
    assert python(tmp_path, ["application.py"]) == ""


# --- the guide to a client: what its program prints, with the agent of the other guide -------

CLEAR = "\x1b[2J\x1b[H"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    assert "viewer.py" in write_files(CLIENT_GUIDE, path)
    assert "helper.py" in write_files(GUIDE, path)
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
        assert screen(program) == only_block(GUIDE, "text")
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


# An agent whose turns are given: lines that use `session`.
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
    assert "[[2J (-32603)]\n" in shown


def test_a_view_attaches_to_a_session_of_its_own_class(folder: Path) -> None:
    code = f"""
import asyncio, os, sys
from acp_bindings import v1
from acp_bindings.runtime.aio import connect_stdio
from answering import Answering
from drawing import draw
from windows import Window, Windows

shown = []

class Asking(Windows):
    fs_read_text_file = Answering.fs_read_text_file
    fs_write_text_file = Answering.fs_write_text_file
    find = Answering.find

    async def session_request_permission(self, params):
        window = self.session_for(params.session_id)
        assert window.unread == 2  # the plan and the tool call
        window.attach(shown.append)
        assert window.unread == 0
        print(*shown)
        outcome = v1.SelectedPermissionOutcome(option_id="yes")
        return v1.RequestPermissionResponse(outcome=outcome)

async def main():
    async with connect_stdio([sys.executable, "helper.py"], Asking) as peer:
        await peer.initialize()
        able = {{"cwd": os.getcwd(), "mcp_servers": []}}
        window = await Window.create(peer, **able)
        async with window.prompt({EDIT!r}):
            pass
        assert shown[-1] == draw(window.state), shown[-1]
        end, unread, changes = shown[-1], window.unread, len(shown)
        assert unread > 0
        again = await Window.load(peer, session_id=window.session_id, **able)
        assert again is window and window.unread == unread
        assert shown[-1] == end and len(shown) > changes
        print(end)

asyncio.run(main())
"""
    asked, _, _ = only_block(CLIENT_GUIDE, "text").partition("  1  Yes")
    end = only_block(GUIDE, "text").removesuffix("[end_turn]\n")
    assert python(folder, ["-c", code]) == f"{asked}? Yes, Always, No\n{end}"
