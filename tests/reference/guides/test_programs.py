"""The programs and commands of the shorter guides: they do and print what the guides show."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import connect_memory
from acpgen.cli.output import terminal
from diff.npm import revision
from support.guides import (
    commands,
    defining,
    only_block,
    python,
    run_acpgen,
    run_command,
    write_files,
)
from support.paths import GUIDE_TEMPLATES
from support.printed import fenced

NPM = re.compile(r"npm:@agentclientprotocol/sdk@([\d.]+)")


def test_the_first_client_talks_to_the_first_agent(tmp_path: Path) -> None:
    assert write_files("getting-started.md", tmp_path) == ["echo.py", "ask.py"]
    [_, console] = fenced(GUIDE_TEMPLATES / "getting-started.md", "console")
    command, _, printed = console.partition("\n")
    assert command == '$ python ask.py "Hello, agent!"'
    assert python(tmp_path, ["ask.py", "Hello, agent!"]) == printed


async def test_the_first_handler_answers_the_stub() -> None:
    names = defining("getting-started.md", "Listing")
    async with connect_memory(names["Listing"], v1.SessionClient) as peer:
        await peer.initialize()
        session = await v1.ClientSession.create(peer, cwd="/", mcp_servers=[])
        assert await names["known_ids"](peer) == [session.session_id]


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
    assert printed.splitlines()[-1].startswith("4 passed")


@pytest.mark.parametrize(("guide", "count"), [("testing.md", 3), ("maintainers.md", 1)])
def test_commands_print_what_the_guide_shows(guide: str, count: int, tmp_path: Path) -> None:
    write_files(guide, tmp_path)
    shown = commands(guide)
    assert len(shown) == count
    for command in shown:
        command.assert_prints(run_command(command.text, tmp_path))


def test_commands_about_copies_print_what_the_guide_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the place of npm: the same schemas, downloaded once for all tests."""
    (tmp_path / "short.json").write_text(only_block("vendoring.md", "json"), "utf-8")
    shown = commands("vendoring.md")
    assert len(shown) == 12
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


class Files(v1.SessionClient):
    """Has one file."""

    async def fs_read_text_file(self, params: v1.ReadTextFileRequest) -> v1.ReadTextFileResponse:
        assert params.path == "/project/a.txt"
        return v1.ReadTextFileResponse(content="what it says")


async def test_the_agent_reads_what_is_linked() -> None:
    async with connect_memory(defining(SDK, "Reader")["Reader"], Files) as peer:
        await peer.initialize()
        session = await v1.ClientSession.create(peer, cwd="/", mcp_servers=[])
        link = v1.ResourceLink(name="a.txt", uri="file:///project/a.txt")
        async with session.prompt([link]):
            pass
        assert session.state.messages[-1].text == "what it says"


async def test_the_client_asks_and_allows_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files("testing.md", tmp_path)
    command = [sys.executable, str(tmp_path / "cleaner.py")]
    assert await defining(SDK, "ask")["ask"](command, "Clean up") == "end_turn"
    assert capsys.readouterr().out.startswith("ToolCall(tool_call_id='rm', ")


async def test_custom_methods_are_called() -> None:
    names: dict[str, Any] = defining(SDK, "Counting")
    async with connect_memory(names["Counting"], Files) as peer:
        await peer.initialize()
        agent = v1.AgentStub(peer)
        with pytest.raises(RequestError) as raised:
            await agent.ext_request("_acme/other", {})
        assert raised.value.data == {"method": "_acme/other"}
        assert await names["count"](agent, "one two three") == 3
