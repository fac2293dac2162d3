"""Every block of the guides runs as printed; those with the name of a file, together."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import black
import pytest
from acp_bindings import v1
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import Factory, Peer, connect, memory_streams, serve
from acp_bindings.v1.client_session import ClientSession, SessionClient
from acpgen.reference.markdown import CODE
from acpgen.reference.pages.guides import GUIDES
from support.paths import GUIDE_TEMPLATES
from support.printed import Block, blocks

PRINTED = {name: blocks(GUIDE_TEMPLATES / name) for name in GUIDES}
SNIPPETS = [
    pytest.param(block, id=f"{name} {number}")
    for name, found in PRINTED.items()
    for number, block in enumerate(found, 1)
    if block.title is None
]
FILES = [block for block in PRINTED["testing.md"] if block.title is not None]


def run(block: Block) -> dict[str, Any]:
    """Run a block, and return its names."""
    names: dict[str, Any] = {}
    exec(compile(block.text, "a guide", "exec"), names)
    return names


def defining(name: str) -> dict[str, Any]:
    """Run the block that defines a name, and return all its names."""
    [block] = [
        each
        for each in PRINTED["official-sdk.md"]
        if f"class {name}(" in each.text or f"async def {name}(" in each.text
    ]
    return run(block)


def write_files(folder: Path) -> None:
    for block in FILES:
        (folder / str(block.title)).write_text(block.text, encoding="utf-8")


def test_all_guides_have_examples() -> None:
    assert {path.name for path in GUIDE_TEMPLATES.glob("*.md*")} == set(GUIDES)
    assert (len(SNIPPETS), len(FILES)) == (9, 5)
    assert [block.title for block in PRINTED["extending.md"]] == ["talk.py"]


@pytest.mark.parametrize("block", SNIPPETS)
def test_snippet_runs(block: Block) -> None:
    assert len(run(block)) > 1


@pytest.mark.parametrize("block", [*SNIPPETS, *FILES, *PRINTED["extending.md"]])
def test_blocks_need_no_scrolling(block: Block) -> None:
    assert black.format_str(block.text, mode=CODE) == block.text
    assert max(map(len, block.text.splitlines())) <= 90


def test_printed_tests_pass(tmp_path: Path) -> None:
    write_files(tmp_path)
    options = ("-q", "-p", "no:cacheprovider", "-o", "addopts=", "--rootdir", str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1].startswith("4 passed")


def test_imports_in_the_text_work() -> None:
    text = (GUIDE_TEMPLATES / "official-sdk.md").read_text(encoding="utf-8")
    lines = re.findall(r"`(from acp_bindings[^`]+)`", text)
    assert len(lines) == 8
    for line in lines:
        exec(line, {})


EXTENDING = GUIDE_TEMPLATES / "extending.md"


def fenced(language: str) -> str:
    """The one block of the guide about extensions in a language."""
    page = EXTENDING.read_text(encoding="utf-8")
    [text] = re.findall(rf"^```{language}[^\n]*\n(.*?)^```$", page, re.S | re.M)
    return str(text)


def test_the_extension_of_the_guide_speaks(tmp_path: Path) -> None:
    schema, program, printed = fenced("json"), fenced("python"), fenced("text")
    assert len((schema + program).splitlines()) < 60
    (tmp_path / "acme.schema.json").write_text(schema, encoding="utf-8")
    (tmp_path / "talk.py").write_text(program, encoding="utf-8")
    [command] = re.findall(r"^\$ (acpgen .*)$", fenced("console"), re.M)
    for arguments in (["-m", *command.split()], ["talk.py"]):
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert done.stdout == printed


# --- what blocks define but do not call -------------------------------------------------------


class Files(SessionClient):
    """Has one file."""

    async def fs_read_text_file(self, params: v1.ReadTextFileRequest) -> v1.ReadTextFileResponse:
        assert params.path == "/project/a.txt"
        return v1.ReadTextFileResponse(content="what it says")


async def connected(agent: Factory, client: Factory, use: Any) -> Any:
    """Connect the two, initialize, and return what `use` makes of the peer."""
    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, agent))
    able = v1.ClientCapabilities(fs=v1.FileSystemCapabilities(read_text_file=True))
    hello = v1.InitializeRequest(protocol_version=1, client_capabilities=able)
    async with connect(near, client) as peer:
        await v1.AgentStub(peer).initialize(hello)
        result = await use(peer)
    await serving
    return result


def test_the_agent_reads_what_is_linked() -> None:
    async def use(peer: Peer) -> str:
        session = await ClientSession.create(peer, v1.NewSessionRequest(cwd="/", mcp_servers=[]))
        link = v1.ResourceLink(name="a.txt", uri="file:///project/a.txt")
        async with session.prompt([link]):
            pass
        return session.state.messages[-1].text

    reader = defining("Reader")["Reader"]
    assert asyncio.run(connected(reader, Files, use)) == "what it says"


def test_the_client_asks_and_allows_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(tmp_path)
    command = [sys.executable, str(tmp_path / "cleaner.py")]
    assert asyncio.run(defining("ask")["ask"](command, "Clean up")) == "refusal"
    assert capsys.readouterr().out.startswith("ToolCall(tool_call_id='rm', ")


def test_custom_methods_are_called() -> None:
    names = defining("Counting")

    class Agent(names["Counting"]):  # type: ignore[misc]
        async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
            return v1.InitializeResponse(protocol_version=1)

    async def use(peer: Peer) -> Any:
        with pytest.raises(RequestError) as raised:
            await v1.AgentStub(peer).ext_request("_acme/other", {})
        assert raised.value.data == {"method": "_acme/other"}
        return await names["count"](v1.AgentStub(peer), "one two three")

    assert asyncio.run(connected(lambda peer: Agent(), Files, use)) == 3
