"""Tests that the programs in the guides about the kit run without changes."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import re
import shlex
import stat
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.kit.permissions import Option, Permissions, Question
from acp_bindings.runtime.aio import connect_memory
from acp_bindings.testing import Client

from tests.examples.driving import running
from tests.support.guides import (
    PRINTED,
    Command,
    commands,
    defining,
    only_block,
    python,
    run_command,
    write_files,
)
from tests.support.paths import GUIDE_TEMPLATES, ROOT

pytestmark = pytest.mark.slow

AGENT, CLIENT, OLD = "agent.md", "client.md", "protocol-1.md"
WORDS = " ".join((GUIDE_TEMPLATES / AGENT).read_text("utf-8").split())
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

# The shortest programs that use the kit. The programs in the guides add only imports, values for
# undefined names, and an `async def` around the second program.
SHORTEST_AGENT = r"""
class Fixer(kit.StoredAgent):
    store = kit.SessionStore("~/.local/state/fixer")

    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        async with session.tool("Run the tests", kind="execute") as tests:
            await tests.run(["pytest", "-q"])
        async with session.tool("Fix parser.py", kind="edit") as fix:
            await fix.write(path, new_text)
        await session.say(f"{tests.result}\n\n{fix.result}")
"""
SHORTEST_CLIENT = """
class Editor(v2.SessionClient): ...

workspace = kit.Workspace("/project", additional=("/shared/docs",))
permissions = kit.Permissions.from_file("permissions.json", ask=dialog)
async with kit.launch(["npx", "-y", "some-agent"], Editor, workspace=workspace, permissions=permissions) as link:
    session = await link.open(cwd="/project")
"""  # noqa: E501


def shown(guide: str, title: str) -> str:
    [text] = [block.text for block in PRINTED[guide] if block.title == title]
    return text


def statements(program: str) -> str:
    """Return a program in a normalized layout."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
    return ast.unparse(compile(program, "program", "exec", flags, dont_inherit=True))


def test_the_shortest_programs_are_in_the_guides() -> None:
    assert statements(SHORTEST_AGENT) in statements(shown(AGENT, "fixer.py"))
    client = statements(shown(CLIENT, "launching.py"))
    editor, start, rest = statements(SHORTEST_CLIENT).partition("workspace = ")
    assert editor.strip() in client
    assert textwrap.indent(start + rest, "    ") in client


# --- agents --------------------------------------------------------------------------------------

TEST = "def test_parser():\n    assert open('parser.py').read() == 'answer = 6\\n'\n"
EDIT = "-answer = 6\n+answer = 42\n"


def make_project(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "parser.py").write_text("answer = 6\n", "utf-8")
    (folder / "test_parser.py").write_text(TEST, "utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", "utf-8")
    return folder


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("permission", [True, False])
async def test_the_agent_shows_asks_and_acts(
    version: int, permission: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(AGENT, tmp_path)
    project = make_project(tmp_path / "project")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", PATH)
    command = [sys.executable, str(tmp_path / "fixer.py")]
    async with Client(command, version=version, permission=permission, timeout=60) as client:
        await client.new_session(str(project))
        turn = await client.prompt("Fix it")
        asked = [each for each in turn.questions if each.method == "session/request_permission"]
        assert len(asked) == 2
        assert "pytest -q" in json.dumps([asked[0].params, client.updates])
    path = project / "parser.py"
    tests, _, fix = turn.text.rpartition("\n\n")
    if permission:
        Command("the agent's message", only_block(AGENT, "text")).assert_prints(f"{turn.text}\n")
    else:
        assert tests == "the user refused this"
    assert fix == (f"wrote {path}" if permission else "the user refused this")
    assert path.read_text("utf-8") == f"answer = {42 if permission else 6}\n"
    statuses = [each["status"] for each in turn.updates if "status" in each]
    assert statuses.count("completed" if permission else "failed") == 2
    async with Client(command, version=version) as client:
        await client.initialize()
        listed = await client.request("session/list", {})
    assert [each["title"] for each in listed["sessions"]] == ["Fix it"]


async def test_without_tests_the_first_tool_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(AGENT, tmp_path)
    (tmp_path / "project").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", PATH)
    async with Client([sys.executable, str(tmp_path / "fixer.py")], timeout=60) as client:
        await client.new_session(str(tmp_path / "project"))
        turn = await client.prompt("Fix it")
    assert "[exit status 5]" in turn.text
    assert [each["status"] for each in turn.updates if "status" in each].count("failed") == 1


def test_the_client_of_the_generator_runs_the_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(tmp_path / "project")
    write_files(AGENT, project)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", PATH)
    [new, start] = commands(AGENT)
    run_command(new.text, project)
    with running(shlex.split(start.text), project) as client:
        client.type("Fix it")
        client.wait_for("Allow")
        client.type("1")
        client.wait_for("completed")
        client.wait_for("Allow")
        client.type("1")
        client.wait_for(f"wrote {project / 'parser.py'}")


CLASSES_ONLY = {
    block.title: name
    for block in PRINTED[AGENT]
    if block.title is not None and "asyncio.run(" not in block.text
    for name in re.findall(r"^class (\w+)\(\w+\.\w+Agent\b", block.text, re.M)
}


def write_programs(folder: Path) -> None:
    """Write the guide's files. If the guide shows only an agent's class, add code that runs it."""
    write_files(AGENT, folder)
    imports = "import asyncio\nfrom acp_bindings.runtime.aio import serve_stdio\n"
    start = "\n".join(shown(AGENT, "fixer.py").splitlines()[-2:])
    assert start.count("Fixer") == 1
    for title, name in CLASSES_ONLY.items():
        program = f"{imports}{shown(AGENT, title)}\n{start.replace('Fixer', name)}\n"
        (folder / title).write_text(program, "utf-8")


@pytest.mark.parametrize("title", CLASSES_ONLY)
async def test_an_agent_starts_with_the_last_lines_of_the_first_agent(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(CLASSES_ONLY) == 12
    write_programs(tmp_path)
    monkeypatch.chdir(tmp_path)
    async with Client([sys.executable, title]) as client:
        await client.new_session(str(tmp_path))


async def test_a_client_resumes_the_saved_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_programs(tmp_path)
    monkeypatch.chdir(tmp_path)
    async with Client([sys.executable, "keeper.py"]) as client:
        await client.new_session(str(tmp_path))
        (await client.prompt("Hello")).expect("This is prompt 1.")
    printed = python(tmp_path, ["resumer.py"])
    assert f"prints `{printed.strip()}`" in WORDS


def test_a_client_cancels_the_tool_call(tmp_path: Path) -> None:
    write_programs(tmp_path)
    printed = python(tmp_path, ["canceller.py"])
    assert f"prints `{printed.strip()}`" in WORDS


def test_the_first_client_sets_the_mode(tmp_path: Path) -> None:
    write_programs(tmp_path)
    [inserted] = re.findall("insert `([^`]+)` after the line that creates the session", WORDS)
    created = "        session = await v2.ClientSession.create(peer, cwd=os.getcwd())\n"
    program = shown("getting-started.md", "ask.py")
    assert (program.count("echo.py"), program.count(created)) == (1, 1)
    program = program.replace("echo.py", "modes.py")
    program = program.replace(created, f"{created}        {inserted}\n")
    (tmp_path / "ask.py").write_text(program, "utf-8")
    assert "I am in the mode code." in python(tmp_path, ["ask.py", "Hello"]).splitlines()


@pytest.mark.parametrize("has_server", [True, False])
def test_the_client_of_the_generator_names_an_mcp_server(
    has_server: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_programs(tmp_path)
    monkeypatch.setenv("PATH", PATH)
    run_command("acpgen new client my-client", tmp_path)
    [servers] = re.findall(r"pass `(mcp_servers=[^`]+)`", WORDS)
    path = tmp_path / "my-client" / "client.py"
    program = path.read_text("utf-8")
    assert program.count("create(peer, ") == 1
    if has_server:
        path.write_text(program.replace("create(peer, ", f"create(peer, {servers}, "), "utf-8")
    command = [sys.executable, str(path), sys.executable, "tool_lister.py"]
    with running(command, tmp_path) as client:
        client.type("List")
        client.wait_for("[end_turn]")
        assert ("agent: greet: Greet someone by name." in client.output) == has_server


@pytest.mark.parametrize(
    ("notes", "said"),
    [("Buy milk", "The notes are:\nBuy milk"), (None, "I can't read the notes: ")],
)
async def test_a_file_is_read(notes: str | None, said: str, tmp_path: Path) -> None:
    if notes is not None:
        (tmp_path / "notes.txt").write_text(notes, "utf-8")
    async with Client(defining(AGENT, "Reader")["Reader"]) as client:
        await client.new_session(str(tmp_path))
        turn = await client.prompt("Read")
    assert turn.text.startswith(said)
    assert turn.text != "I can't read the notes: "


async def test_a_single_tool_call_is_cancelled() -> None:
    async with connect_memory(defining(AGENT, "Waiter")["Waiter"], v2.SessionClient) as peer:
        await peer.initialize()
        session = await v2.ClientSession.create(peer, cwd="/")
        async with session.prompt("Wait") as turn:
            async for update in turn:
                if isinstance(update, v2.ToolCallUpdate) and update.status == "pending":
                    await session.tool_call_cancel(tool_call_id=update.tool_call_id)
    assert turn.stop_reason == "end_turn"
    assert session.state.messages[-1].text.startswith("cancelled: ")
    [call] = session.state.tool_calls.values()
    assert call.status == "cancelled"


@pytest.mark.parametrize("permission", [True, False])
async def test_a_tool_of_ones_own_asks_and_shows(permission: bool) -> None:
    agent = defining(AGENT, "Searcher")["Searcher"]
    async with Client(agent, permission=permission) as client:
        turn = await client.prompt("Search")
    assert turn.text == ("2 pages found" if permission else "the user refused this")
    assert len(turn.questions) == 1


async def test_an_agent_connects_to_the_mcp_servers_of_a_session(tmp_path: Path) -> None:
    write_files(AGENT, tmp_path)
    start = "import asyncio, tool_lister\nfrom acp_bindings.runtime.aio import serve_stdio\n"
    (tmp_path / "start.py").write_text(f"{start}asyncio.run(serve_stdio(tool_lister.Lister))")
    arguments = [str(ROOT / "tests" / "tools" / "reality" / "mcp_server.py"), str(tmp_path / "log")]
    server = {"type": "stdio", "name": "s", "command": sys.executable, "args": arguments}
    async with Client([sys.executable, str(tmp_path / "start.py")]) as client:
        params = {"cwd": str(tmp_path), "mcpServers": [server]}
        opened = await client.request("session/new", params)
        turn = await client.prompt("List", session_id=opened["sessionId"])
    assert turn.text == "greet: Greet someone by name."


# --- clients -------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_the_client_starts_an_agent_and_answers_it(
    version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, docs = make_project(tmp_path / "project"), tmp_path / "docs"
    docs.mkdir()
    names = [*write_files(OLD, tmp_path), *write_files(AGENT, tmp_path)]
    names += write_files(CLIENT, tmp_path)
    assert {"fixer.py", "helper.py", "launching.py"} <= {*names}
    program = (tmp_path / "launching.py").read_text("utf-8")
    program = program.replace('"/project"', repr(str(project)))
    program = program.replace('"/shared/docs"', repr(str(docs)))
    prompt = "Fix the tests" if version == 2 else "replace 6 42 parser.py"
    program = program.replace("Fix the tests", prompt)
    (tmp_path / "launching.py").write_text(program, "utf-8")
    rules = json.dumps({"rules": [{"answer": "allow_once", "commands": [["pytest"]]}]})
    (tmp_path / "permissions.json").write_text(rules, "utf-8")
    runner = tmp_path / "bin" / "npx"
    runner.parent.mkdir()
    agent = tmp_path / ("fixer.py" if version == 2 else "helper.py")
    line = shlex.join([sys.executable, str(agent)])
    runner.write_text(f'#!/bin/sh\n[ "$*" = "-y some-agent" ] && exec {line}\n', "utf-8")
    runner.chmod(runner.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", os.pathsep.join([str(runner.parent), PATH]))
    with running([sys.executable, "launching.py"], tmp_path) as client:
        client.wait_for("Choose: ")
        assert (project / "parser.py").read_text("utf-8") == "answer = 6\n"
        client.type("1")
        done = f"wrote {project / 'parser.py'}" if version == 2 else "I have changed parser.py."
        client.wait_for(f"{done}\n")
        assert client.end() == 0
    assert (project / "parser.py").read_text("utf-8") == "answer = 42\n"


OPTIONS = tuple(Option(id=kind[:3], name=kind, kind=kind) for kind in ("allow_once", "reject_once"))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ({"kind": "read", "paths": ("{}/main.py",)}, "all"),
        ({"kind": "read", "paths": ("{}/.env",)}, "rej"),
        ({"kind": "read", "paths": ("{}/home/.ssh/id",)}, "rej"),
        ({"kind": "execute", "command": ("git", "status", "-s"), "command_line": "…"}, "all"),
        ({"kind": "execute", "command": ("git", "push"), "command_line": "…"}, "asked"),
        ({"kind": "execute", "title": "pytest"}, "asked"),
    ],
)
async def test_the_rules_of_the_file_decide(
    question: dict[str, Any], answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    file = tmp_path / "permissions.json"
    file.write_text(only_block(CLIENT, "json"), "utf-8")

    async def ask(question: Question) -> str | None:
        asked.append(question)
        return None

    asked: list[Question] = []
    paths = tuple(each.format(tmp_path) for each in question.get("paths", ()))
    made = Question(session_id="s", options=OPTIONS, **{**question, "paths": paths})
    chosen = await Permissions.from_file(file, ask=ask).answer(made)
    assert ("asked" if asked else chosen) == answer


async def test_a_client_shows_the_output_of_its_terminals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Running(v1.SessionAgent):
        async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
            made = await session.terminal_create(command="echo", args=["hello"])
            await session.terminal_wait_for_exit(terminal_id=made.terminal_id)

    async with connect_memory(Running, defining(OLD, "Offering")["Offering"]) as peer:
        await peer.initialize()
        session = await v1.ClientSession.create(peer, cwd=str(tmp_path), mcp_servers=[])
        async with session.prompt("Run") as turn:
            await turn.wait()
        await asyncio.sleep(0)
    assert capsys.readouterr().out == "hello\n"
