"""Tests of `acpgen new`: projects are short, typed, tested and conformant."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime.aio import connect_memory, connect_stdio
from acp_bindings.testing import BlockingClient, Client
from acpgen.cli.app import app
from acpgen.commands.new_program import new
from acpgen.common import paths
from acpgen.common.problems import InputError
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.overlay.requirements import RequiredOf
from acpwire.conform.judging import judge
from acpwire.conform.player import Player, Task
from acpwire.conform.probes_of_agents import PlayedClient
from acpwire.conform.probes_of_clients import PlayedAgent
from acpwire.conform.probes_of_clients.started_client import opener
from typer.testing import CliRunner

from tests.examples.driving import IMPORTED
from tests.support import preloaded
from tests.support.printed import fenced

KINDS = ("agent", "client")
LINES = 120
PATIENCE = 60.0


def begin(kind: str, folder: Path) -> list[Path]:
    result = CliRunner().invoke(app, ["new", kind, str(folder)])
    assert result.exit_code == 0, result.output
    *files, advice = result.output.splitlines()
    assert advice.startswith("next: read ")
    assert len(files) == 4
    return sorted(folder.iterdir())


def run(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_short_and_passes_its_tests(kind: str, tmp_path: Path) -> None:
    files = begin(kind, tmp_path / "my.tool")
    texts = [path.read_text("utf-8") for path in files]
    assert sum(text.count("\n") for text in texts) <= LINES
    assert all("my.tool" in text and f"my-{kind}" not in text for text in texts[:2])
    assert "6 passed" in run(tmp_path / "my.tool", "pytest", "-q")


@pytest.mark.slow
def test_the_checks_that_the_readmes_name_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MYPY_CACHE_DIR", str(tmp_path / "cache"))
    for kind in KINDS:
        begin(kind, tmp_path / kind)
        assert "mypy.strict = true" in (tmp_path / kind / "pyproject.toml").read_text("utf-8")
        assert "`mypy .` checks" in (tmp_path / kind / "README.md").read_text("utf-8")
        assert "in 2 source files" in run(tmp_path / kind, "mypy", ".")


def test_the_readme_shows_how_to_use_files_and_terminals(tmp_path: Path) -> None:
    begin("agent", tmp_path / "it")
    [block] = fenced(tmp_path / "it" / "README.md", "python")
    names: dict[str, Any] = {"v1": v1}
    exec(compile(block, "README.md", "exec", dont_inherit=True), names)
    terminals: Any = {"terminal/create": {"terminalId": "t"}, "terminal/release": {}}
    files = {f"{tmp_path}/notes.txt": "Buy eggs\n"}
    agents = [names["AgentV1"], v2.SessionAgent]
    with BlockingClient(Client(agents, version=1, files=files, answers=terminals)) as client:
        client.new_session(cwd=str(tmp_path))
        assert client.prompt("Note").stop_reason == "end_turn"
        assert client.files == {f"{tmp_path}/notes.txt": "Buy eggs\nBuy milk\n"}
        assert [call.method for call in client.calls][-1] == "terminal/release"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "program", "player", "task", "count"),
    [
        ("agent", "agent.py", PlayedClient, Task((), PATIENCE, ("note Buy milk",)), 90),
        ("client", "client.py", PlayedAgent, Task((), PATIENCE, open=opener(("Hello", "1"))), 70),
    ],
    ids=KINDS,
)
def test_it_conforms(
    kind: RequiredOf, program: str, player: type[Player], task: Task, count: int, tmp_path: Path
) -> None:
    begin(kind, tmp_path / "it")
    command = preloaded.command(sys.executable, IMPORTED, str(tmp_path / "it" / program))
    if kind == "client":
        command.append("{agent...}")
    requirements = load_overlay(paths.SCHEMA / "overlay").requirements.of(kind)
    task = replace(task, command=tuple(command), folder=str(tmp_path))
    report = asyncio.run(judge(player, task, requirements, (1, 2)))
    assert report.versions == (1, 2)
    judged = [each for each in report.verdicts if each.status != "skipped"]
    assert [each for each in judged if each.status != "passed"] == []
    assert len(judged) > count


def test_the_agent_shows_a_mistake_in_a_turn_on_standard_error(tmp_path: Path) -> None:
    begin("agent", tmp_path / "it")
    program = tmp_path / "it" / "agent.py"
    text = program.read_text("utf-8")
    program.write_text(text.replace("session.say(f", "session.say(reply, f"), "utf-8")
    lines: list[str] = []

    async def prompt() -> None:
        command = [sys.executable, str(program)]
        async with connect_stdio(command, v2.SessionClient, on_stderr=lines.append) as peer:
            await peer.initialize()
            session = await v2.ClientSession.create(peer, cwd=str(tmp_path))
            async with session.prompt("Hello") as turn:
                await turn.wait()
            assert turn.stop_reason == "error"

    asyncio.run(prompt())
    assert f'File "{program}", line 20, in turn' in "".join(lines)
    assert lines[-1].strip() == "NameError: name 'reply' is not defined"


@pytest.mark.parametrize("surface", [v1, v2])
def test_the_client_shows_the_work_and_what_it_asks_for(
    surface: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    class Agent(surface.SessionAgent):  # type: ignore[misc]
        async def turn(self, session: Any, params: Any) -> None:
            for text in ("Fix, ", "then run."):
                await session.think(text)
            step = surface.PlanEntry(content="Fix it", priority="high", status="pending")
            plan = surface.PlanItems(plan_id="p", entries=[step]) if surface is v2 else [step]
            await session.plan(plan)
            async with session.tool("Fix", kind="edit") as tool:
                await tool.write("parser.py", "x = 1\n")
            async with session.tool("Run", kind="execute") as tool:
                await tool.run(["python", "\x1b[31mparser.py"])
            for text in ("All ", "done."):
                await session.say(text)

    async def talk() -> None:
        client = import_module("client").Client(asyncio.StreamReader())
        client.keys.feed_data(b"Hello\n1\n3\n\n")
        async with connect_memory(Agent, client, bridge=True) as peer:
            await client.converse(peer)

    begin("client", tmp_path / "it")
    monkeypatch.syspath_prepend(str(tmp_path / "it"))
    monkeypatch.delitem(sys.modules, "client", raising=False)
    monkeypatch.chdir(tmp_path)
    asyncio.run(talk())
    shown, _, question = capsys.readouterr().out.partition("@@ -0,0 +1 @@\n+x = 1\n")
    assert shown.startswith(
        "\nPrompt (empty to exit): \nthought: Fix, then run.\n"
        "Fix it: pending\nFix: pending\ndiff --git"
    )
    options = ["  1  Allow", "  2  Always allow", "  3  Reject", "Choose (empty to reject): "]
    assert question.replace(" python '[31mparser.py'", "").splitlines() == [
        *("", "Fix", *options, "Fix: in_progress", "Fix: completed"),
        *("Run: pending", "Run", "python '[31mparser.py'", *options, "Run: failed"),
        *("agent: All done.", "[end_turn]", "Prompt (empty to exit): "),
    ]


def test_ctrl_c_exits_the_client_without_a_traceback(tmp_path: Path) -> None:
    for kind in KINDS:
        begin(kind, tmp_path / kind)
    names = (tmp_path / "client" / "client.py", sys.executable, tmp_path / "agent" / "agent.py")
    with subprocess.Popen(
        [sys.executable, *map(str, names)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        shown = ""
        while not shown.endswith("(empty to exit): "):
            shown += program.stdout.read(1)
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=PATIENCE)
    assert (program.returncode, errors) == (130, "")


def test_it_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    result = CliRunner().invoke(app, ["new", "agent", str(tmp_path)])
    assert result.exit_code == 2
    assert "is not empty; choose another folder" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ['"""', "a b", "é", "x\ny", "-"])
def test_a_name_cannot_become_code(name: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["new", "client", str(tmp_path / name)])
    assert result.exit_code == 2
    assert "error[bad-name]: " in result.output
    assert result.output.endswith(
        ": is not a valid name; use ASCII letters and digits, with `.`, `_` or `-` in between\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_failed_program_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, count = Path.write_text, iter(range(10))

    def fail_at_third(path: Path, *arguments: str) -> int:
        if next(count) == 2:
            raise OSError(28, "No space left on device")
        return write(path, *arguments)

    monkeypatch.setattr(Path, "write_text", fail_at_third)
    with pytest.raises(InputError, match="No space left"):
        new("agent", tmp_path / "mine")
    monkeypatch.undo()
    assert new("agent", tmp_path / "mine")


def test_the_written_files_are_listed(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["new", "agent", str(tmp_path / "mine"), "--json"])
    written = sorted(path for path in (tmp_path / "mine").rglob("*") if path.is_file())
    assert sorted(json.loads(result.stdout)["written"]) == [str(path) for path in written]
