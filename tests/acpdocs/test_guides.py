"""Tests that all guides' blocks run, tables match the code, and programs print the output shown."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any, get_args, get_type_hints

import black
import pytest
from acp_bindings import v1, v2
from acp_bindings.kit.files import FileLimits
from acp_bindings.kit.links import RestartPolicy
from acp_bindings.kit.permissions import PermissionLimits
from acp_bindings.kit.store import StoreLimits
from acp_bindings.kit.terminals import TerminalLimits
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import Peer, connect_memory, connect_stdio, serve, serve_stdio
from acp_bindings.runtime.jsonrpc import Limits
from acp_bindings.runtime.jsonrpc.limits import MAX_LINE
from acp_bindings.runtime.session.turns import Turn
from acp_bindings.testing import Client
from acpdocs.markdown import CODE
from acpdocs.pages.guides import GUIDES
from acpgen.cli.output import terminal
from acpgen.common import exit_codes

from tests.acpgen.diff.npm import revision
from tests.acpgen.extensions.packages import build, imported
from tests.support.guides import (
    PRINTED,
    commands,
    defining,
    only_block,
    python,
    run_acpgen,
    run_command,
    write_files,
)
from tests.support.paths import GUIDE_TEMPLATES, ROOT, SCHEMA
from tests.support.printed import Block, fenced, run

BLOCKS = {
    f"{name} {number}": block
    for name, found in PRINTED.items()
    for number, block in enumerate(found, 1)
}
SNIPPETS = {label: block for label, block in BLOCKS.items() if block.title is None}


def test_files_of_guides_shadow_no_module() -> None:
    """Otherwise, an import could load a different module, depending on earlier imports."""
    named = {Path(block.title).stem for block in BLOCKS.values() if block.title is not None}
    taken = {
        path.stem
        for folder in ("tests", "generator", "generated")
        for path in (ROOT / folder).iterdir()
    }
    assert len(named) > 10
    assert named.isdisjoint(taken | sys.stdlib_module_names)


def test_all_guides_are_in_the_menu() -> None:
    assert {path.name for path in GUIDE_TEMPLATES.glob("*.md*")} == set(GUIDES)


@pytest.mark.parametrize("block", SNIPPETS.values(), ids=SNIPPETS)
def test_snippet_runs(block: Block) -> None:
    assert len(run(block)) > 1


def test_blocks_need_no_scrolling() -> None:
    formatted = {name: black.format_str(block.text, mode=CODE) for name, block in BLOCKS.items()}
    assert formatted == {name: block.text for name, block in BLOCKS.items()}
    widths = {max(map(len, text.splitlines())): name for name, text in formatted.items()}
    assert max(widths) <= 90, widths[max(widths)]


# --- the tables of the shorter guides match the code ---------------------------------------

TEXTS = {path.name: path.read_text(encoding="utf-8") for path in GUIDE_TEMPLATES.glob("*.md")}
SURFACES = ["v1", "v1_unstable", "v2", "v2_unstable"]


def cells(guide: str, heading: str, pattern: str = r"(.*?)") -> list[Any]:
    table = TEXTS[guide].split(f"| {heading} |", 1)[1].split("\n\n")[0]
    return re.findall(rf"^\| {pattern} \|", table, re.M)


# --- limits --------------------------------------------------------------------------------------


def test_the_limits_are_those_of_the_code() -> None:
    found = {
        name: int(number.replace(",", "")) * (1024**2 if unit else 1)
        for name, number, unit in cells("limits.md", "limit", r"`(\w+)` \| ([\d,]+)( MiB)?\b.*?")
    }
    assert found == {"max_line": MAX_LINE, **dataclasses.asdict(Limits())}


@pytest.mark.parametrize(
    ("words", "function", "name", "default"),
    [
        ("a second to finish (`linger`)", serve, "linger", 1.0),
        ("abandoned after five seconds (`grace`)", serve, "grace", 5.0),
        ("120 seconds (`timeout`)", Peer.initialize, "timeout", 120.0),
        ("an hour (`silence`", connect_stdio, "silence", 3600.0),
        ("10 seconds (`grace`)", Turn.stop, "grace", 10.0),
    ],
)
def test_the_times_are_those_of_the_code(
    words: str, function: Any, name: str, default: float
) -> None:
    assert words in " ".join(TEXTS["limits.md"].split())
    assert inspect.signature(function).parameters[name].default == default


def test_the_limits_of_the_kit_are_those_of_the_code() -> None:
    rows = cells("limits.md", "limit of the kit", r"`([\w.]+)` \| (no|[\d,.]+)( [KM]iB)?\b.*?")
    units = {"": 1, " KiB": 1024, " MiB": 1024**2}
    found = {
        name: None if number == "no" else float(number.replace(",", "")) * units[unit]
        for name, number, unit in rows
    }
    classes = (FileLimits, TerminalLimits, PermissionLimits, StoreLimits, RestartPolicy)
    expected = {
        f"{each.__name__}.{name}": value
        for each in classes
        for name, value in dataclasses.asdict(each()).items()
    }
    assert found == expected


# --- states --------------------------------------------------------------------------------------


def test_the_actions_are_those_of_issues() -> None:
    listed = re.findall(r"^\| `(\w+)` \| [^|]+ \| [^|]+ \|$", TEXTS["states.md"], re.M)
    assert listed == list(get_args(get_type_hints(v1.Issue)["action"]))


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_the_keywords_are_those_of_the_schema(version: str) -> None:
    schema = (SCHEMA / version / "schema.json").read_text(encoding="utf-8")
    used = set(re.findall(r'"(x-deserialize-[a-z-]+)"', schema))
    assert set(re.findall(r"`(x-deserialize-[a-z-]+)`", TEXTS["states.md"])) == used


# --- lists of contents ---------------------------------------------------------------------------


def test_each_target_is_listed() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z-]+):.*## ", makefile, re.M)
    listed = re.findall(r"`make ([a-z-]+)`", " ".join(cells("maintainers.md", "target")))
    assert sorted([*listed, "all"]) == sorted(targets)


def test_each_file_of_the_overlay_is_listed() -> None:
    files = sorted(path.name for path in (SCHEMA / "overlay").iterdir())
    assert sorted(cells("maintainers.md", "file", "`(.*?)`")) == files


def test_each_surface_has_what_the_guide_lists() -> None:
    choice, text = TEXTS["getting-started.md"], TEXTS["messages.md"]
    assert re.findall(r"^\| `acp_bindings\.(\w+)` \|", choice, re.M) == SURFACES
    table = text.split("Every surface contains the following names")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.M)
    names = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert len(names) > 20
    for surface in SURFACES:
        module = importlib.import_module(f"acp_bindings.{surface}")
        assert [name for name in names if not hasattr(module, name)] == []


AGENT_OR_CLIENT = re.compile(r"\.Session(Agent|Client)\b")


def test_agents_and_clients_state_their_name() -> None:
    classes = [
        (label, node)
        for label, block in BLOCKS.items()
        for node in ast.walk(ast.parse(block.text))
        if isinstance(node, ast.ClassDef)
        and ast.unparse(node.body) != "..."  # `...` means that the guide omits the body
        and any(AGENT_OR_CLIENT.search(ast.unparse(base)) for base in node.bases)
    ]
    assert len(classes) > 20
    nameless = [
        f"{label}: {node.name}"
        for label, node in classes
        if not any("info" in map(ast.unparse, getattr(each, "targets", ())) for each in node.body)
    ]
    assert nameless == []


# --- the choice of a protocol version ------------------------------------------------------------

CONNECTED = cells("getting-started.md", "you write", r"(.*?) \| (.*?) \| (`.*`)")


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("name", ["v1", "v2"])
async def test_the_bridge_covers_the_other_version(name: str, version: int) -> None:
    [*_, row] = [
        row for row in CONNECTED if row[0].startswith("an agent") and row[1] == f"`{name}`"
    ]
    assert row[2] == "`serve_stdio(Agent, bridge=True)`"
    surface: Any = importlib.import_module(f"acp_bindings.{name}")

    class Agent(surface.SessionAgent):  # type: ignore[misc]
        info = surface.Implementation(name="echo", version="1.0")

        async def turn(self, session: Any, params: Any) -> None:
            await session.say(params.prompt[0])

    async with Client(Agent, version=version, bridge=True) as client:
        (await client.prompt("Hello")).expect("Hello")


def test_what_the_table_of_versions_calls_exists() -> None:
    calls = [
        ast.parse(call, mode="eval").body
        for _, _, cell in CONNECTED
        for call in re.findall(r"`(.*?)`", cell)
    ]
    assert len(calls) == 6
    functions = {"serve_stdio": serve_stdio, "connect_stdio": connect_stdio}
    for call in calls:
        assert isinstance(call, ast.Call)
        signature = inspect.signature(functions[ast.unparse(call.func)])
        signature.bind(*call.args, **{each.arg: each.value for each in call.keywords if each.arg})


# --- copies of the package -----------------------------------------------------------------------


def test_exit_codes_are_those_of_the_commands() -> None:
    listed = [int(code) for code in cells("vendoring.md", "code | meaning", r"(\d+)")]
    statuses = [exit_codes.SAME, exit_codes.CHANGED, exit_codes.ERROR, exit_codes.FAILS]
    assert listed == [*statuses, exit_codes.INTERRUPTED]


def test_codes_of_problems_are_those_of_the_generator() -> None:
    listed = set(re.findall("`(.*?)`", " ".join(cells("vendoring.md", "code | the input"))))
    assert len(listed) > 20
    trees = [ast.parse(path.read_text("utf-8")) for path in (ROOT / "generator").rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    assert listed <= {node.value for node in nodes if isinstance(node, ast.Constant)}
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    problems = [call for call in calls if getattr(call.func, "id", "") == "Problem"]
    codes = [call.args[2] for call in problems if len(call.args) > 2]
    methods = [call for call in calls if getattr(call.func, "attr", "") == "problem"]
    codes += [call.args[1] for call in methods if len(call.args) > 1]
    made = {code.value for code in codes if isinstance(code, ast.Constant)}
    assert len(made) > 15
    notes = {"decide", "other-version", "unchecked", "unmatched", "unparsed", "unstable-lacks"}
    assert made <= listed | notes


# --- the programs and commands of the shorter guides print the shown output ---------------------

NPM = re.compile(r"npm:@agentclientprotocol/sdk@([\d.]+)")


def test_the_first_client_talks_to_the_first_agent(tmp_path: Path) -> None:
    assert write_files("getting-started.md", tmp_path) == ["echo.py", "ask.py"]
    [_, console] = fenced(GUIDE_TEMPLATES / "getting-started.md", "console")
    command, _, printed = console.partition("\n")
    assert command == '$ python ask.py "Hello, agent!"'
    assert python(tmp_path, ["ask.py", "Hello, agent!"]) == printed


@pytest.mark.parametrize(
    ("statement", "reason"), [("pass", "'end_turn'"), ("raise ValueError", "'error', error=Error(")]
)
def test_the_first_client_prints_no_answer_of_an_agent_that_does_not_answer(
    statement: str, reason: str, tmp_path: Path
) -> None:
    write_files("getting-started.md", tmp_path)
    agent = tmp_path / "echo.py"
    program = agent.read_text("utf-8")
    agent.write_text(program.replace("await session.say(params.prompt[0])", statement), "utf-8")
    [*_, last_update, ending] = python(tmp_path, ["ask.py", "Hello, agent!"]).splitlines()
    assert last_update == ending.partition("(")[0]
    assert f"stop_reason={reason}" in ending


async def test_the_first_handler_answers_the_stub() -> None:
    names = defining("messages.md", "Listing")
    async with connect_memory(names["Listing"], v2.SessionClient) as peer:
        await peer.initialize()
        session = await v2.ClientSession.create(peer, cwd="/")
        assert await names["known_ids"](peer) == [session.session_id]


@pytest.mark.slow
def test_the_extension_speaks(tmp_path: Path) -> None:
    schema, program, printed = (
        only_block("extending.md", language) for language in ("json", "python", "text")
    )
    (tmp_path / "acme.schema.json").write_text(schema, encoding="utf-8")
    (tmp_path / "talk.py").write_text(program, encoding="utf-8")
    [command] = re.findall(r"^\$ (acpgen .*)$", only_block("extending.md", "console"), re.M)
    python(tmp_path, ["-m", *command.split()])
    assert python(tmp_path, ["talk.py"]) == printed


def test_printed_tests_pass(tmp_path: Path) -> None:
    assert "cleaner.py" in write_files("testing.md", tmp_path)
    options = ("-q", "-p", "no:cacheprovider", "-o", "addopts=", "--rootdir", str(tmp_path))
    printed = python(tmp_path, ["-m", "pytest", *options, str(tmp_path)])
    assert printed.splitlines()[-1].startswith("8 passed")


@pytest.mark.slow
@pytest.mark.parametrize(("guide", "count"), [("testing.md", 5), ("maintainers.md", 1)])
def test_commands_print_what_the_guide_shows(guide: str, count: int, tmp_path: Path) -> None:
    write_files(guide, tmp_path)
    shown = commands(guide)
    assert len(shown) == count
    for command in shown:
        command.assert_prints(run_command(command.text, tmp_path))


@pytest.mark.slow
def test_commands_about_copies_print_what_the_guide_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """npm sources are replaced by schemas that are downloaded once for all tests."""
    (tmp_path / "short.json").write_text(only_block("vendoring.md", "json"), "utf-8")
    (tmp_path / "acp-policy.toml").write_text(only_block("vendoring.md", "toml"), "utf-8")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").write_text("from tool.acp import v2\nv2.Cost\n", "utf-8")
    shown = commands("vendoring.md")
    assert len(shown) == 16
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(terminal, "FOLDS", False)  # as in a pipe
    for command in shown:
        local = NPM.sub(lambda found: str(revision(found[1])), command.text)
        is_ours = local.startswith("acpgen ")
        command.assert_prints(run_acpgen(local) if is_ours else run_command(local, tmp_path))
    assert "# a quick fix" not in (tmp_path / "tool/acp/v2/types.py").read_text("utf-8")


# --- from the official SDK -----------------------------------------------------------------------

SDK = "official-sdk.md"


def test_imports_in_the_text_work() -> None:
    text = (GUIDE_TEMPLATES / SDK).read_text(encoding="utf-8")
    lines = re.findall(r"`(from acp_bindings[^`]+)`", text)
    assert len(lines) == 5
    for line in lines:
        exec(line, {})
    named = re.findall(r"^\| `acp\.[^|]+\| `v1\.(\w+)`(?:, and a `v1\.(\w+)`)?", text, re.M)
    assert len(named) == 3
    assert {name for names in named for name in names if name} <= {*v1.__all__}


async def test_the_agent_reads_what_is_linked() -> None:
    files = {"/project/a.txt": "what it says"}
    async with Client(defining(SDK, "Reader")["Reader"], version=1, files=files) as client:
        turn = await client.prompt([v1.ResourceLink(name="a.txt", uri="file:///project/a.txt")])
        turn.expect("what it says")


async def test_the_client_asks_and_allows_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files("testing.md", tmp_path)
    command = [sys.executable, str(tmp_path / "cleaner.py")]
    assert await defining(SDK, "ask")["ask"](command, "Clean up") == "end_turn"
    assert capsys.readouterr().out.startswith("ToolCall(tool_call_id='rm', ")


async def test_custom_methods_are_called() -> None:
    names: dict[str, Any] = defining(SDK, "Counting")
    async with connect_memory(names["Counting"], v1.SessionClient) as peer:
        await peer.initialize()
        agent = v1.AgentStub(peer)
        with pytest.raises(RequestError) as raised:
            await agent.ext_request("_acme/other", {})
        assert raised.value.data == {"method": "_acme/other"}
        assert await names["count"](agent, "one two three") == 3


async def test_an_agent_built_early_speaks_once_it_is_connected() -> None:
    agent = defining(SDK, "Greeter")["Greeter"]("Ada")
    said: list[Any] = []

    class Listening(v1.ClientHandler):
        async def session_update(self, params: v1.SessionNotification) -> None:
            said.append(params.update)

    async with connect_memory(agent, Listening) as peer:
        await peer.initialize()
        await v1.AgentStub(peer).session_prompt(v1.PromptRequest(session_id="s", prompt=[]))
    assert said == [v1.AgentMessageChunk(content=v1.TextContent(text="Ada"))]


async def test_a_cancel_of_its_own_ends_the_turn() -> None:
    agent = defining(SDK, "Building")["Building"]()
    async with connect_memory(agent, v1.SessionClient) as peer:
        await peer.initialize()
        session = await v1.ClientSession.create(peer, cwd="/", mcp_servers=[])
        async with session.prompt("Build it") as turn:
            await session.cancel()
            await turn.wait()
    assert turn.stop_reason == "cancelled"
    assert agent.builds == {session.session_id: "stopped"}


async def test_an_object_holds_its_connection(tmp_path: Path) -> None:
    write_files("testing.md", tmp_path)
    helper = defining(SDK, "start")["Helper"]()
    answer = await helper.start([sys.executable, str(tmp_path / "cleaner.py")])
    assert answer.protocol_version == 1
    await helper.stop()


async def test_a_dropped_method_comes_back_by_an_extension() -> None:
    schema = json.loads(only_block(SDK, "json"))
    with imported(build(schema, "v1", unprefixed=True).surface, "session_models") as models:
        agent = defining(SDK, "Choosing")["Choosing"]
        async with connect_memory(agent, v1.SessionClient) as peer:
            await peer.initialize()
            session = await v1.ClientSession.create(peer, cwd="/", mcp_servers=[])
            params = {"sessionId": session.session_id, "modelId": "large"}
            await peer.request("session/set_model", params)
            async with session.prompt("Who?") as turn:
                await turn.wait()
    assert models.SetModel(session_id="s", model_id="m")
    assert session.state.messages[-1].text == "I am large."
