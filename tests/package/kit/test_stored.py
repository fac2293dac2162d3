"""Tests of saving and restoring an agent's sessions."""

from __future__ import annotations

import asyncio
import base64
import errno
import json
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.kit.store import SessionStore, StoreLimits
from acp_bindings.kit.stored import _Output
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import connect_memory, connect_stdio
from acp_bindings.runtime.jsonrpc import Limits
from hypothesis import given, settings
from hypothesis import strategies as st

SURFACES: list[Any] = [v1, v1_unstable, v2, v2_unstable]
UNSTABLE: list[Any] = [v1_unstable, v2_unstable]
PROGRAM = Path(__file__).with_name("stored_program.py")
NOT_FOUND = RequestError.resource_not_found().code
INTERNAL = RequestError.internal_error().code
NOT_SAVED = "the session is not saved; list the sessions or start a new one"

each_surface = pytest.mark.parametrize("surface", SURFACES, ids=lambda each: each.__name__[13:])
each_version = pytest.mark.parametrize("surface", [v1, v2], ids=["v1", "v2"])
each_draft = pytest.mark.parametrize("surface", UNSTABLE, ids=["v1", "v2"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def cwd(tmp_path: Path) -> str:
    (tmp_path / "project").mkdir()
    return str((tmp_path / "project").resolve())


def kit_of(surface: Any) -> Any:
    return import_module(f"{surface.__name__}.kit")


def is_new(surface: Any) -> bool:
    return bool(surface.SCHEMA.protocol_version == 2)


def agent_of(surface: Any, store: SessionStore, **members: Any) -> Any:
    """Return an agent class that echoes prompts after running any action that they name."""

    class Coder(kit_of(surface).StoredAgent):  # type: ignore[misc]
        async def turn(self, session: Any, params: Any) -> Any:
            text = getattr(params.prompt[0], "text", "")
            if text == "leave":  # an unfinished tool call, as after a crash
                await session.tool("Left").__aenter__()
            elif text == "wait":
                async with session.tool("Wait"):
                    await asyncio.Event().wait()
            await session.say(f"heard {text}")

    return type("Coder", (Coder,), {"store": store, **members})


@asynccontextmanager
async def talking(
    agent: Any, surface: Any, client: Any = None, **options: Any
) -> AsyncGenerator[Any]:
    async with connect_memory(agent, client or surface.SessionClient, **options) as peer:
        await peer.initialize()
        yield peer


async def create(peer: Any, surface: Any, cwd: str, **members: Any) -> Any:
    servers = {} if is_new(surface) else {"mcp_servers": []}
    return await surface.ClientSession.create(peer, cwd=cwd, **servers, **members)


async def bring_back(peer: Any, surface: Any, session_id: str, cwd: str) -> Any:
    """Reopen a saved session and replay its conversation."""
    if is_new(surface):
        start = surface.ReplayFromStart()
        return await surface.ClientSession.resume(
            peer, session_id=session_id, cwd=cwd, replay_from=start
        )
    return await surface.ClientSession.load(peer, session_id=session_id, cwd=cwd, mcp_servers=[])


async def prompt(session: Any, content: Any) -> None:
    async with session.prompt(content) as turn:
        await turn.wait(timeout=30)


def spoken(session: Any) -> list[tuple[str, str]]:
    return [(each.role, each.text) for each in session.state.messages]


async def saved(surface: Any, store: SessionStore, cwd: str, *texts: str) -> str:
    """Create a saved session, send each string as a prompt, and return the session's id."""
    async with talking(agent_of(surface, store), surface) as peer:
        session = await create(peer, surface, cwd)
        for text in texts:
            await prompt(session, text)
        return str(session.session_id)


async def brought(surface: Any, store: SessionStore, session_id: str, cwd: str) -> Any:
    """Restore a session with a new agent and return the session."""
    async with talking(agent_of(surface, store), surface) as peer:
        return await bring_back(peer, surface, session_id, cwd)


# --- list, resume, load, delete, fork ---------------------------------------------------------


@each_surface
async def test_a_session_is_saved_before_its_first_prompt(
    surface: Any, folder: Path, cwd: str
) -> None:
    async with talking(agent_of(surface, SessionStore(folder)), surface) as peer:
        session = await create(peer, surface, cwd)
        [summary] = SessionStore(folder).list().sessions
    assert (summary.session_id, summary.cwd) == (session.session_id, cwd)
    assert summary.version == surface.SCHEMA.protocol_version


@each_surface
async def test_a_session_comes_back_with_its_conversation(
    surface: Any, folder: Path, cwd: str
) -> None:
    store = SessionStore(folder)
    session_id = await saved(surface, store, cwd, "one", "two")
    async with talking(agent_of(surface, SessionStore(folder)), surface) as peer:
        session = await bring_back(peer, surface, session_id, cwd)
        before = [("user", "one"), ("agent", "heard one"), ("user", "two"), ("agent", "heard two")]
        assert spoken(session) == before
        await prompt(session, "three")
        after = [*before, ("user", "three"), ("agent", "heard three")]
        assert spoken(session) == after
    again = await brought(surface, store, session_id, cwd)
    assert spoken(again) == after


@each_surface
async def test_a_session_resumes_without_its_conversation(
    surface: Any, folder: Path, cwd: str
) -> None:
    store = SessionStore(folder)
    session_id = await saved(surface, store, cwd, "one")
    async with talking(agent_of(surface, store), surface) as peer:
        servers = {} if is_new(surface) else {"mcp_servers": []}
        resumed = await surface.ClientSession.resume(
            peer, session_id=session_id, cwd=cwd, **servers
        )
        assert spoken(resumed) == []
        await prompt(resumed, "two")
    assert [text for _, text in spoken(await brought(surface, store, session_id, cwd))] == [
        "one",
        "heard one",
        "two",
        "heard two",
    ]


@each_surface
async def test_bringing_a_session_back_saves_nothing(surface: Any, folder: Path, cwd: str) -> None:
    store = SessionStore(folder)
    session_id = await saved(surface, store, cwd, "one")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    for _ in range(2):
        await brought(surface, store, session_id, cwd)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@each_surface
async def test_saved_sessions_are_listed_newest_first_by_folder(
    surface: Any, folder: Path, cwd: str, tmp_path: Path
) -> None:
    store = SessionStore(folder, limits=StoreLimits(page=1))
    first = await saved(surface, store, cwd, "one")
    second = await saved(surface, store, cwd, "two")
    await saved(surface, store, str(tmp_path), "three")
    async with talking(agent_of(surface, store), surface) as peer:
        page = await surface.ClientSession.list_sessions(peer, cwd=cwd)
        rest = await surface.ClientSession.list_sessions(peer, cwd=cwd, cursor=page.next_cursor)
    sessions = [*page.sessions, *rest.sessions]
    assert [each.session_id for each in sessions] == [second, first]
    assert [each.title for each in sessions] == ["two", "one"]
    assert sessions[0].cwd == cwd
    assert not rest.next_cursor


@each_surface
async def test_a_deleted_session_is_gone(surface: Any, folder: Path, cwd: str) -> None:
    async with talking(agent_of(surface, SessionStore(folder)), surface) as peer:
        session = await create(peer, surface, cwd)
        await prompt(session, "one")
        request = surface.DeleteSessionRequest(session_id=session.session_id)
        await session.agent.session_delete(request)
        assert list(folder.iterdir()) == []
        await session.agent.session_delete(request)  # deleting twice isn't an error
        with pytest.raises(RequestError) as caught:
            await bring_back(peer, surface, session.session_id, cwd)
    assert caught.value.code == NOT_FOUND
    assert list(folder.iterdir()) == []


@each_surface
async def test_a_session_that_is_deleted_in_a_turn_stays_deleted(
    surface: Any, folder: Path, cwd: str
) -> None:
    late: list[Any] = []

    async def turn(self: Any, session: Any, params: Any) -> None:
        late.append(session)
        try:
            async with session.tool("Wait"):
                await asyncio.Event().wait()
        finally:
            await session.say("bye")

    agent = agent_of(surface, SessionStore(folder), turn=turn)
    async with talking(agent, surface) as peer:
        session = await create(peer, surface, cwd)
        async with session.prompt("wait"):
            while not session.state.tool_calls:
                await asyncio.sleep(0.001)
            await session.agent.session_delete(
                surface.DeleteSessionRequest(session_id=session.session_id)
            )
        assert list(folder.iterdir()) == []
        problem = "the session has ended; open it again"
        with pytest.raises(RequestError, match=f"^{problem} "):
            await late[0].say("even later")
        assert list(folder.iterdir()) == []


@each_draft
async def test_a_fork_is_a_copy(surface: Any, folder: Path, cwd: str, tmp_path: Path) -> None:
    store = SessionStore(folder)
    session_id = await saved(surface, store, cwd, "one")
    async with talking(agent_of(surface, store), surface) as peer:
        session = await bring_back(peer, surface, session_id, cwd)
        session.agent  # noqa: B018 - the original is open as well
        fork = await peer.request(
            surface.AGENT_METHODS["session/fork"],
            surface.ForkSessionRequest(session_id=session_id, cwd=str(tmp_path), mcp_servers=[]),
        )
        assert fork.session_id != session_id
        await prompt(session, "two")
    titles = {each.session_id: (each.title, each.cwd) for each in store.list().sessions}
    assert titles == {session_id: ("one", cwd), fork.session_id: ("one", str(tmp_path))}
    copy = await brought(surface, store, fork.session_id, cwd)
    assert [text for _, text in spoken(copy)] == ["one", "heard one"]


@each_draft
async def test_a_fork_that_fails_leaves_nothing(surface: Any, folder: Path, cwd: str) -> None:
    store = SessionStore(folder)
    store.create("other", version=9, cwd=cwd)
    before = sorted(folder.iterdir())
    async with talking(agent_of(surface, store), surface) as peer:
        for session_id, message in (("other", "protocol 9"), ("unknown", NOT_SAVED)):
            with pytest.raises(RequestError, match=message):
                await peer.request(
                    surface.AGENT_METHODS["session/fork"],
                    surface.ForkSessionRequest(session_id=session_id, cwd=cwd, mcp_servers=[]),
                )
    assert sorted(folder.iterdir()) == before


# --- titles and data -------------------------------------------------------------------------


@each_version
@pytest.mark.parametrize("keep_state", [True, False])
async def test_the_title_is_the_beginning_of_the_first_prompt(
    keep_state: bool, surface: Any, folder: Path, cwd: str
) -> None:
    store = SessionStore(folder)
    async with talking(agent_of(surface, store, keep_state=keep_state), surface) as peer:
        session = await create(peer, surface, cwd)
        await prompt(session, "a  long\n" + "x" * 200)
        await prompt(session, "second")
    [summary] = store.list().sessions
    assert summary.title == "a long " + "x" * 73


@each_version
async def test_the_title_is_that_of_the_agent(surface: Any, folder: Path, cwd: str) -> None:
    async def turn(self: Any, session: Any, params: Any) -> None:
        await session.update(surface.SessionInfoUpdate(title="Named"))

    store = SessionStore(folder)
    async with talking(agent_of(surface, store, turn=turn), surface) as peer:
        session = await create(peer, surface, cwd)
        for _ in range(2):
            await prompt(session, "prompt")
        [listed] = (await surface.ClientSession.list_sessions(peer)).sessions
    assert listed.title == "Named"
    assert (await brought(surface, store, session.session_id, cwd)).state.info.title == "Named"


@each_version
async def test_a_prompt_without_text_gives_no_title(surface: Any, folder: Path, cwd: str) -> None:
    store = SessionStore(folder)
    link = surface.ResourceLink(uri="file:///a", name="a")
    async with talking(agent_of(surface, store), surface) as peer:
        session = await create(peer, surface, cwd)
        await prompt(session, [link])
        assert [each.title for each in store.list().sessions] == [None]
        await prompt(session, [link, surface.TextContent(text="words")])
    assert [each.title for each in store.list().sessions] == ["words"]


@each_version
async def test_the_agents_own_data_comes_back(surface: Any, folder: Path, cwd: str) -> None:
    seen = []

    async def turn(self: Any, session: Any, params: Any) -> None:
        seen.append(self.data(session))
        self.set_data(session, {"turns": len(seen)})

    store = SessionStore(folder)
    async with talking(agent_of(surface, store, turn=turn), surface) as peer:
        session = await create(peer, surface, cwd)
        await prompt(session, "one")
    async with talking(agent_of(surface, store, turn=turn), surface) as peer:
        await prompt(await bring_back(peer, surface, session.session_id, cwd), "two")
    assert seen == [None, {"turns": 1}]


# --- restored sessions are idle, and unfinished tool calls have failed ------------------------


@each_version
async def test_what_was_running_has_failed(surface: Any, folder: Path, cwd: str) -> None:
    store = SessionStore(folder)
    session_id = await saved(surface, store, cwd, "leave")
    session = await brought(surface, store, session_id, cwd)
    assert [each.status for each in session.state.tool_calls.values()] == ["failed"]


async def test_an_interrupted_session_is_idle_and_its_terminals_have_ended(
    folder: Path, cwd: str
) -> None:
    store = SessionStore(folder)
    store.create("s", version=2, cwd=cwd)
    for record in (
        {"sessionUpdate": "state_update", "state": "running"},
        {"sessionUpdate": "terminal_update", "terminalId": "t", "command": "sleep 600"},
        {"sessionUpdate": "terminal_update", "terminalId": "u", "exitStatus": {"exitCode": 3}},
    ):
        store.append("s", record)
    session = await brought(v2, store, "s", cwd)
    assert isinstance(session.state.state, v2.IdleStateUpdate)
    left, done = session.state.terminals.values()
    assert left.exit_status == v2.TerminalExitStatus()
    assert done.exit_status.exit_code == 3


async def test_the_way_a_turn_ended_comes_back(folder: Path, cwd: str) -> None:
    store = SessionStore(folder)
    session_id = await saved(v2, store, cwd, "one")
    session = await brought(v2, store, session_id, cwd)
    assert session.state.state.stop_reason == "end_turn"


@each_version
async def test_how_a_turn_ends_is_saved_when_the_session_is_closed(
    surface: Any, folder: Path, cwd: str
) -> None:
    store = SessionStore(folder)
    async with talking(agent_of(surface, store), surface) as peer:
        session = await create(peer, surface, cwd)
        async with session.prompt("wait"):
            while not session.state.tool_calls:
                await asyncio.sleep(0.001)
            await session.close()
        records = store.read(session.session_id).records
        ends = [each["status"] for each in records if "status" in each]
        assert ends[-1] == ("cancelled" if is_new(surface) else "failed")
        again = await bring_back(peer, surface, session.session_id, cwd)
        await prompt(again, "next")
        assert spoken(again)[-1] == ("agent", "heard next")


@each_version
async def test_how_a_turn_ends_is_saved_when_the_connection_ends(
    surface: Any, folder: Path, cwd: str
) -> None:
    store = SessionStore(folder)
    async with talking(agent_of(surface, store), surface) as peer:
        session = await create(peer, surface, cwd)
        turn = session.prompt("wait")
        await turn.__aenter__()
        while not session.state.tool_calls:
            await asyncio.sleep(0.001)
    records = store.read(session.session_id).records
    kinds = [each.get("status") or each.get("state") for each in records]
    wanted = ["cancelled", "idle"] if is_new(surface) else ["failed"]
    assert [each for each in kinds if each][-len(wanted) :] == wanted
    with store.own(session.session_id):
        pass  # the agent no longer owns the session


# --- output is bounded -----------------------------------------------------------------------


def printing(size: int) -> list[str]:
    code = f"import sys\nfor n in range({size}): print(n)\nprint('the end')"
    return [sys.executable, "-c", code]


@pytest.mark.parametrize("limit", [0, 1000, 100_000_000])
async def test_the_end_of_a_terminals_output_comes_back(limit: int, folder: Path, cwd: str) -> None:
    async def turn(self: Any, session: Any, params: Any) -> None:
        async with session.tool("Print", kind="execute") as tool:
            await tool.run(printing(20_000), ask=False)

    store = SessionStore(folder, limits=StoreLimits(output_bytes=limit))
    async with talking(agent_of(v2, store, turn=turn), v2) as peer:
        session = await create(peer, v2, cwd)
        await prompt(session, "print")
    again = await brought(v2, store, session.session_id, cwd)
    [shown], [terminal] = (each.state.terminals.values() for each in (session, again))
    [whole], [output] = (each.state.terminal_output.values() for each in (session, again))
    assert whole.endswith(b"the end\n")
    assert output == (whole[-limit:] if limit else b"")
    assert terminal.exit_status == shown.exit_status
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert size < 3 * min(limit, len(whole)) + 4000


@pytest.mark.parametrize("is_reported", [True, False])
async def test_output_is_bounded_however_it_is_reported(
    is_reported: bool, folder: Path, cwd: str
) -> None:
    def data(text: str) -> str:
        return base64.b64encode(text.encode()).decode()

    async def turn(self: Any, session: Any, params: Any) -> None:
        await session.update(v2.TerminalUpdate(terminal_id="t", command="c"))
        for _ in range(100):
            await session.update(v2.TerminalOutputChunk(terminal_id="t", data=data("é" * 50)))
        if is_reported:
            output = v2.TerminalOutput(data=data("ü" * 5000))
            await session.update(v2.TerminalUpdate(terminal_id="t", output=output))

    store = SessionStore(folder, limits=StoreLimits(output_bytes=999))
    async with talking(agent_of(v2, store, turn=turn), v2) as peer:
        session = await create(peer, v2, cwd)
        await prompt(session, "print")
    assert sum(path.stat().st_size for path in folder.iterdir()) < 6000
    again = await brought(v2, store, session.session_id, cwd)
    [output] = again.state.terminal_output.values()
    assert output.decode() == ("ü" if is_reported else "é") * 499


async def test_output_that_cannot_be_saved_at_the_end_is_logged(
    folder: Path, cwd: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(session_id: str, record: Any) -> None:
        raise OSError("no space left")

    async def turn(self: Any, session: Any, params: Any) -> None:
        await session.update(v2.TerminalUpdate(terminal_id="t", command="c"))
        data = base64.b64encode(b"x" * 11).decode()
        await session.update(v2.TerminalOutputChunk(terminal_id="t", data=data))

    store = SessionStore(folder, limits=StoreLimits(output_bytes=10))
    async with talking(agent_of(v2, store, turn=turn), v2) as peer:
        session = await create(peer, v2, cwd)
        await prompt(session, "print")
        monkeypatch.setattr(store, "append", fail)
    assert caplog.messages == ["cannot save the last output of a session: no space left"]
    with store.own(session.session_id):
        pass  # the agent no longer owns the session


def test_long_output_in_small_pieces_is_kept_within_twice_the_limit() -> None:
    output = _Output(10)
    for number in range(100):
        assert output.add(base64.b64encode(b"%2d" % number).decode()) == (number < 5)
        assert len(output._end) <= 20
    assert base64.b64decode(output.tail) == b"9596979899"


@pytest.mark.parametrize(
    ("text", "tail"),
    [
        ("012345678", "5678"),  # more than twice the limit
        ("01234", "1234"),
        ("0é€", "€"),
        ("é€1", "€1"),
        ("😀12", "12"),
        ("😀123", "123"),
        ("1😀", "😀"),
    ],
)
def test_tail_of_output_begins_with_a_whole_character(text: str, tail: str) -> None:
    output = _Output(4)
    assert not output.add(base64.b64encode(text.encode()).decode())
    assert base64.b64decode(output.tail).decode() == tail


def test_tail_of_binary_output_has_the_length_of_the_limit() -> None:
    output = _Output(4)
    output.add(base64.b64encode(b"\x80" * 7).decode())
    assert base64.b64decode(output.tail) == b"\x80" * 4


@each_version
async def test_content_that_is_shown_again_and_again_is_saved_once_it_has_doubled(
    surface: Any, folder: Path, cwd: str
) -> None:
    async def turn(self: Any, session: Any, params: Any) -> None:
        async with session.tool("Print") as tool:
            for number in range(1, 1000):
                await tool.show("x" * number)
            if params.prompt[0].text == "leave":
                await asyncio.Event().wait()

    store = SessionStore(folder)
    async with talking(agent_of(surface, store, turn=turn), surface) as peer:
        session = await create(peer, surface, cwd)
        await prompt(session, "print")
        size = sum(path.stat().st_size for path in folder.iterdir())
        async with session.prompt("leave"):
            while not any(
                "x" * 999 in str(each) for each in [*session.state.tool_calls.values()][1:]
            ):
                await asyncio.sleep(0.001)
            await session.close()
    assert size < 10_000
    again = await brought(surface, store, session.session_id, cwd)
    shown = [call.content[0].content.text for call in again.state.tool_calls.values()]
    assert shown == ["x" * 999] * 2


# --- a store that fails ----------------------------------------------------------------------


@each_version
@pytest.mark.parametrize("at", ["prompt", "answer"])
async def test_what_cannot_be_saved_is_not_sent(
    at: str, surface: Any, folder: Path, cwd: str
) -> None:
    class Failing(SessionStore):
        text = ""

        def append(self, session_id: str, record: Any) -> None:
            if self.text and self.text in json.dumps(record):
                raise OSError(errno.ENOSPC, "no space left on device")
            super().append(session_id, record)

    store = Failing(folder)
    async with talking(agent_of(surface, store), surface) as peer:
        session = await create(peer, surface, cwd)
        await prompt(session, "one")
        store.text = "two" if at == "prompt" else "heard two"
        if is_new(surface) and at == "answer":
            await prompt(session, "two")
            assert session.state.state.stop_reason == "error"
        else:
            with pytest.raises(RequestError) as caught:
                await prompt(session, "two")
            assert caught.value.code == INTERNAL
        assert not any("heard two" in text for _, text in spoken(session))
        store.text = ""
        await prompt(session, "three")
        shown = spoken(session)
    assert shown[-1] == ("agent", "heard three")
    again = await brought(surface, store, session.session_id, cwd)
    assert spoken(again)[-1] == ("agent", "heard three")
    assert not any("heard two" in text for _, text in spoken(again))
    assert any("two" in text for _, text in spoken(again)) is (at == "answer")


@each_version
async def test_a_session_that_cannot_be_saved_is_not_opened(
    surface: Any, folder: Path, cwd: str
) -> None:
    class Failing(SessionStore):
        def create(self, *args: Any, **members: Any) -> None:
            raise OSError(errno.EROFS, "read-only file system")

    agents: list[Any] = []

    def connected(self: Any, peer: Any) -> Any:
        agents.append(self)
        return super(type(self), self).connected(peer)

    agent = agent_of(surface, Failing(folder), connected=connected)
    async with talking(agent, surface) as peer:
        with pytest.raises(RequestError) as caught:
            await create(peer, surface, cwd)
        assert caught.value.code == INTERNAL
        assert agents[0].sessions == {}


# --- owners ----------------------------------------------------------------------------------


@each_version
async def test_a_session_in_use_is_refused_to_other_connections_and_processes(
    surface: Any, folder: Path, cwd: str
) -> None:
    agent = agent_of(surface, SessionStore(folder))
    async with talking(agent, surface) as first, talking(agent, surface) as second:
        session = await create(first, surface, cwd)
        await prompt(session, "one")
        with pytest.raises(RequestError, match="the session is in use"):
            await bring_back(second, surface, session.session_id, cwd)
        with pytest.raises(RequestError, match="the session is in use"):
            await surface.AgentStub(second).session_delete(
                surface.DeleteSessionRequest(session_id=session.session_id)
            )
        other = agent_of(surface, SessionStore(folder))  # simulates an agent in another process
        async with talking(other, surface) as third:
            with pytest.raises(RequestError, match="the session is in use"):
                await bring_back(third, surface, session.session_id, cwd)
        await prompt(session, "two")
        await session.close()
        again = await bring_back(second, surface, session.session_id, cwd)
        assert len(spoken(again)) == 4


@each_version
async def test_a_session_that_outlives_its_connection_stays_in_use(
    surface: Any, folder: Path, cwd: str
) -> None:
    store = SessionStore(folder)
    agent = agent_of(surface, store)()
    freed: list[str] = []
    async with talking(agent, surface) as peer:
        session = await create(peer, surface, cwd)
        agent.sessions[session.session_id].exit_stack.callback(freed.append, "freed")
    assert freed == ["freed"]
    with pytest.raises(RequestError, match="the session is in use"):
        await brought(surface, store, session.session_id, cwd)
    async with talking(agent, surface) as peer:
        again = await bring_back(peer, surface, session.session_id, cwd)
        await prompt(again, "one")
        await again.close()
    assert spoken(await brought(surface, store, session.session_id, cwd)) == spoken(again)


@each_version
async def test_a_session_is_free_after_it_was_refused(surface: Any, folder: Path, cwd: str) -> None:
    store = SessionStore(folder)
    session_id = await saved(surface, store, cwd, "one")

    async def refuse(self: Any, params: Any) -> Any:
        raise RequestError(-32000, "not today")

    agent = agent_of(surface, store, session_load=refuse, session_resume=refuse)
    async with talking(agent, surface) as peer:
        with pytest.raises(RequestError, match="not today"):
            await bring_back(peer, surface, session_id, cwd)
        assert spoken(await brought(surface, store, session_id, cwd))


@each_version
async def test_a_session_over_the_limit_of_open_ones_stays_free(
    surface: Any, folder: Path, cwd: str
) -> None:
    store = SessionStore(folder)
    session_id = await saved(surface, store, cwd, "one")
    async with talking(agent_of(surface, store), surface, limits=Limits(sessions=1)) as peer:
        await create(peer, surface, cwd)
        with pytest.raises(RequestError, match="limit"):
            await bring_back(peer, surface, session_id, cwd)
        with store.own(session_id):
            pass


@each_version
async def test_a_session_of_another_protocol_version_is_refused(
    surface: Any, folder: Path, cwd: str
) -> None:
    store = SessionStore(folder)
    other = 3 - surface.SCHEMA.protocol_version
    store.create("s", version=other, cwd=cwd)
    for _ in range(2):
        with pytest.raises(RequestError, match=f"saved with protocol {other}; open it with"):
            await brought(surface, store, "s", cwd)


@each_version
async def test_records_that_are_not_updates_are_left_out(
    surface: Any, folder: Path, cwd: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = SessionStore(folder)
    session_id = await saved(surface, store, cwd, "one")
    store.append(session_id, {"sessionUpdate": "tool_call_update", "toolCallId": 3})
    assert len(spoken(await brought(surface, store, session_id, cwd))) == 2
    assert "1 invalid records in a saved session; ignoring them" in caplog.messages


# --- overrides -------------------------------------------------------------------------------


@each_version
@pytest.mark.parametrize("calls_super", [True, False])
async def test_overrides_keep_sessions_with_and_without_super(
    calls_super: bool, surface: Any, folder: Path, cwd: str
) -> None:
    base = kit_of(surface).StoredAgent
    store = SessionStore(folder)
    known: list[int] = []

    class Overriding(base):  # type: ignore[misc]
        async def turn(self, session: Any, params: Any) -> None:
            await session.say("hello")

        async def session_new(self, params: Any) -> Any:
            if calls_super:
                return await super().session_new(params)
            session = self.open()
            return surface.NewSessionResponse(session_id=session.session_id)

        async def session_resume(self, params: Any) -> Any:
            known.append(len(self.session(params.session_id).state.messages))
            if calls_super:
                return await super().session_resume(params)
            await self.session(params.session_id).replay()
            return surface.ResumeSessionResponse()

    if surface is v1:

        class OverridingLoad(Overriding):
            async def session_load(self, params: Any) -> Any:
                known.append(len(self.session(params.session_id).state.messages))
                if calls_super:
                    return await super().session_load(params)
                await self.session(params.session_id).replay()
                return surface.LoadSessionResponse()

        Overriding = OverridingLoad

    Overriding.store = store
    async with talking(Overriding, surface) as peer:
        session = await create(peer, surface, cwd)
        [summary] = store.list().sessions
        assert (summary.session_id, summary.cwd) == (session.session_id, cwd)
        await prompt(session, "one")
    async with talking(Overriding, surface) as peer:
        again = await bring_back(peer, surface, session.session_id, cwd)
        assert [text for _, text in spoken(again)] == ["one", "hello"]
    assert known == [2]


@each_version
def test_an_agent_without_a_store_is_refused(surface: Any) -> None:
    class Without(kit_of(surface).StoredAgent):  # type: ignore[misc]
        async def turn(self, session: Any, params: Any) -> None: ...

    with pytest.raises(TypeError, match="Without has no store; set `store"):
        Without()
    Without.store = "sessions"
    with pytest.raises(TypeError, match=r"Without.store: expected `kit.S.*older\)`, found str"):
        Without()


# --- through the bridge ----------------------------------------------------------------------


async def test_a_client_of_protocol_1_has_the_saved_sessions_of_protocol_2(
    folder: Path, cwd: str
) -> None:
    agent = agent_of(v2, SessionStore(folder))
    async with talking(agent, v1, bridge=True) as peer:
        session = await create(peer, v1, cwd)
        await prompt(session, "one")
    async with talking(agent, v1, bridge=True) as peer:
        [listed] = (await v1.ClientSession.list_sessions(peer)).sessions
        assert (listed.session_id, listed.title) == (session.session_id, "one")
        again = await bring_back(peer, v1, session.session_id, cwd)
        assert [text for _, text in spoken(again)] == ["one", "heard one"]
        await prompt(again, "two")
    async with talking(agent, v1, bridge=True) as peer:
        resumed = await v1.ClientSession.resume(
            peer, session_id=session.session_id, cwd=cwd, mcp_servers=[]
        )
        assert spoken(resumed) == []
        await v1.AgentStub(peer).session_delete(
            v1.DeleteSessionRequest(session_id=session.session_id)
        )
    assert list(folder.iterdir()) == []


# --- a kill at any time ----------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(after=st.integers(0, 60))
def test_after_a_kill_at_any_time_the_session_comes_back_as_the_client_saw_it(after: int) -> None:
    asyncio.run(kill(after))


async def kill(after: int) -> None:
    """Kill an agent after some updates, and compare its restored session with those updates."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(PROGRAM), str(Path(folder, "store"))]
        async with connect_stdio(command, v2.SessionClient) as peer:
            await peer.initialize()
            session = await v2.ClientSession.create(peer, cwd=folder)
            seen = 0
            try:
                async with session.prompt("Count") as turn:
                    async for _ in turn:
                        seen += 1
                        if seen > after:
                            peer.process.kill()
            except ConnectionError:
                pass
            shown = spoken(session)
        async with connect_stdio(command, v2.SessionClient) as peer:
            await peer.initialize()
            again = await bring_back(peer, v2, session.session_id, folder)
            told = spoken(again)
            # Everything that the client received was saved in order, possibly followed by updates
            # that it did not receive.
            assert told[: len(shown)] == shown
            assert told == [("user", "Count"), *(("agent", f"{n} ") for n in range(len(told) - 1))]
            assert isinstance(again.state.state, v2.IdleStateUpdate)
            assert {call.status for call in again.state.tool_calls.values()} <= {
                "completed",
                "failed",
            }
            await again.close()
