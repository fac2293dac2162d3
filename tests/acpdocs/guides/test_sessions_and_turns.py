"""Tests that the traces and tables in the guide "Sessions and turns" match the runtime."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import RESOURCE_NOT_FOUND, UNSET, RequestError
from acp_bindings.runtime.aio import Peer, connect_memory, log_to
from acp_bindings.runtime.session import turn_phases
from acp_bindings.runtime.session.turn_phases import PHASES, PHASES_WITHOUT_ECHO, Table
from acp_bindings.testing import Client

from tests.support.guides import defining, python, write_files
from tests.support.paths import GUIDE_TEMPLATES
from tests.support.printed import fenced

GUIDE = "sessions-and-turns.md"
PAGE = GUIDE_TEMPLATES / GUIDE
TEXT = PAGE.read_text(encoding="utf-8")
PHASES_PAGE = GUIDE_TEMPLATES.parent / "overview" / "turn-phases.md.jinja"
WORDS = " ".join(TEXT.split())  # without line breaks


async def connected(peer: Peer) -> Any:
    await peer.initialize()
    surface: Any = peer.surface
    return await surface.ClientSession.create(peer, cwd="/", mcp_servers=[])


class Echo(v2.SessionAgent):
    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        await session.say(params.prompt[0])


# --- traces ----------------------------------------------------------------------------------


def conversation(path: Path) -> list[str]:
    """Return the lines that `acpgen trace` prints for the recorded turn, without times and ids."""
    *printed, _ = python(path.parent, ["-m", "acpgen", "trace", str(path)]).splitlines()
    start = next(number for number, line in enumerate(printed) if "session/prompt" in line)
    shown = []
    for line in printed[start:]:
        who, _, what = re.sub(r"^ +[\d.]+  ", "", line).partition("  ")
        what = re.sub(r" #\d+| after \d+ ms| (?:sessionId|messageId|toolCallId)=\S+", "", what)
        shown.append(f"{who}  {' '.join(what.split())}")
    return shown


@pytest.mark.parametrize("version", [1, 2])
async def test_the_conversations_are_those_of_the_program(
    version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")  # prevents line wrapping
    assert "cleaner.py" in write_files(GUIDE, tmp_path)
    path = tmp_path / "talk.log"
    command = [sys.executable, str(tmp_path / "cleaner.py")]
    with path.open("w", encoding="utf-8") as file:
        async with Client(command, version=version, observe=log_to(file)) as client:
            await client.prompt("Clean up")
    assert "\n".join(conversation(path)) + "\n" == fenced(PAGE, "text")[version - 1]


# --- tables ----------------------------------------------------------------------------------

TABLES = {"PHASES": PHASES, "PHASES_WITHOUT_ECHO": PHASES_WITHOUT_ECHO}


def phase_table(table: Table, alias: str) -> str:
    """Return a table of phases in Markdown, with meanings taken from the comments in the source."""
    source = Path(turn_phases.__file__).read_text(encoding="utf-8")
    listed = source.partition(f"{alias}: TypeAlias")[2].partition("\n]")[0]
    comments = dict(re.findall(r'^    "(\w+)",(?:  # (.*))?$', listed, re.M))
    lines = ["| phase | meaning | next events |", "|---|---|---|"]
    for phase, row in table.items():
        known = comments[phase] or "the turn is over"
        by_target: dict[str, list[str]] = {}
        for event, then in row.items():
            by_target.setdefault(then, []).append(event)
        nexts = "; ".join(f"{', '.join(events)} → `{then}`" for then, events in by_target.items())
        lines.append(f"| `{phase}` | {known} | {nexts} |")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("name", "alias", "mark"),
    [
        ("PHASES", "Phase", "phases"),
        ("PHASES_WITHOUT_ECHO", "PhaseWithoutEcho", "phases without echo"),
    ],
)
def test_the_phases_are_those_of_the_runtime(
    name: str, alias: str, mark: str, request: pytest.FixtureRequest
) -> None:
    start, end = f"<!-- {mark} -->\n\n", f"<!-- end of {mark} -->"
    before, _, rest = PHASES_PAGE.read_text(encoding="utf-8").partition(start)
    _, _, after = rest.partition(end)
    expected = f"{before}{start}{phase_table(TABLES[name], alias)}\n\n{end}{after}"
    if request.config.getoption("--update-goldens"):
        PHASES_PAGE.write_text(expected, encoding="utf-8")
    assert PHASES_PAGE.read_text(encoding="utf-8") == expected


def test_the_states_differ_as_the_guide_says() -> None:
    table = TEXT.split("The state has the same shape")[1].split("\n\n")[1]
    surfaces: tuple[Any, ...] = (v1, v2)
    for what, *texts in re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|", table, re.M):
        for name in re.findall(r"`state\.(\w+)`", what):
            for surface, text in zip(surfaces, texts, strict=True):
                assert hasattr(surface.SessionState(), name) is ("not exist" not in text)
    for surface, title in zip(surfaces, ("Tea", UNSET), strict=True):
        state = surface.SessionState()
        for given in ("Tea", None):
            state.apply(surface.ToolCallUpdate(tool_call_id="t", title=given))
        assert state.tool_calls["t"].title == title


# --- code ------------------------------------------------------------------------------------


async def test_the_agent_is_interrupted(capsys: pytest.CaptureFixture[str]) -> None:
    names = defining(GUIDE, "interrupt")
    async with connect_memory(names["Patient"], v1.SessionClient) as peer:
        await names["interrupt"](await connected(peer))
    printed = capsys.readouterr().out.splitlines()
    assert printed == ["cancelled", "I stopped. [cancelled]"]
    assert WORDS.count("`interrupt` prints `{}`, then `{}`.".format(*printed)) == 1


async def test_two_prompts_have_two_ends(capsys: pytest.CaptureFixture[str]) -> None:
    async with connect_memory(Echo, v2.SessionClient) as peer:
        await defining(GUIDE, "ask_twice")["ask_twice"](await connected(peer))
    printed = capsys.readouterr().out.splitlines()
    assert WORDS.count("this code prints `{}`, then `{}`.".format(*printed)) == 1


@pytest.fixture
def keeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The guide's agent that saves its sessions. The working directory is an empty folder."""
    monkeypatch.chdir(tmp_path)
    return defining("agent.md", "Keeper")["Keeper"]


@pytest.mark.parametrize("version", [1, 2])
async def test_a_session_comes_back_after_a_restart(version: int, keeper: Any) -> None:
    async with Client(keeper, version=version, bridge=True) as client:
        session_id = await client.new_session()
        await client.prompt("Hi")
    async with Client(keeper, version=version, bridge=True) as client:
        await come_back(client, session_id)
        assert [each for each in said(client) if each] == ["Hi", "This is prompt 1."]
        turn = await client.prompt("Again", session_id=session_id)
        turn.expect("This is prompt 2.")
    async with Client(keeper, version=version, bridge=True) as client:
        await come_back(client, session_id)
        assert len(said(client)) == 4


async def come_back(client: Client, session_id: str) -> None:
    params = {"sessionId": session_id, "cwd": "/", "mcpServers": []}
    await client.initialize()
    if client.version == 1:
        await client.request("session/load", params)
    else:
        await client.request("session/resume", {**params, "replayFrom": {"type": "start"}})


def said(client: Client) -> list[str]:
    surface: Any = v1 if client.version == 1 else v2
    state = surface.SessionState()
    for update in client.updates:
        state.apply(surface.decode(surface.SessionUpdate, update))
    return [each.text for each in state.messages]


@pytest.mark.parametrize("session_id", ["unknown", "../outside"])
async def test_an_unknown_session_is_not_found(session_id: str, keeper: Any) -> None:
    Path("outside.jsonl").write_text("{}\n", "utf-8")
    async with Client(keeper) as client:
        with pytest.raises(RequestError) as raised:
            await come_back(client, session_id)
    assert raised.value.code == RESOURCE_NOT_FOUND


async def test_a_prompt_is_saved_before_the_agent_crashes(keeper: Any) -> None:
    class Crashing(keeper):  # type: ignore[misc]
        async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
            say = session.say

            async def check(content: Any) -> None:
                [file] = Path("sessions").glob("*.jsonl")
                assert "Hello" in file.read_text("utf-8")
                await say(content)

            session.say = check  # type: ignore[method-assign]
            await super().turn(session, params)

    async with Client(Crashing) as client:
        assert (await client.prompt("Hello")).stop_reason == "end_turn"
