"""Tests of starting an agent, restarting it after crashes, and restoring its sessions."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shlex
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.kit.agent_registry import AgentCommand
from acp_bindings.kit.launching import launch
from acp_bindings.kit.links import (
    LaunchError,
    Link,
    RestartPolicy,
)
from acp_bindings.runtime import UNSET, ConnectionClosed, RequestError
from acp_bindings.runtime.aio import Peer
from acp_bindings.runtime.session import Change
from acp_bindings.runtime.values.errors import quotation
from acp_bindings.v2 import kit

from tests.package.aio.processes import is_running

PROGRAM = Path(__file__).with_name("agent_program.py")
QUICK = RestartPolicy(first_pause=0.0, longest_pause=0.0)
GUARD = 30.0  # timeout for each wait in seconds, so that failing tests don't wait forever
SURFACES: list[Any] = [v1, v1_unstable, v2, v2_unstable]

each_surface = pytest.mark.parametrize("surface", SURFACES, ids=lambda each: each.__name__[13:])
each_version = pytest.mark.parametrize("surface", [v1, v2], ids=["v1", "v2"])


def command(folder: Path, surface: Any, **options: Any) -> list[str]:
    """Return a command that runs the agent program with this folder and these options."""
    usual: dict[str, Any] = {
        "version": surface.SCHEMA.protocol_version,
        "returns": ["resume", "load"],
        "resume_replays": False,
        "silent": False,
        "continues": False,
        "refused": [],
        "fails_at": [],
        "methods": [],
        "locked": False,
        "login_fails": False,
    }
    assert options.keys() <= usual.keys()
    return [sys.executable, str(PROGRAM), str(folder), json.dumps({**usual, **options})]


def noted(folder: Path, name: str) -> list[Any]:
    """Return the entries of a file that the agent program wrote."""
    file = folder / name
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def methods(folder: Path) -> list[str]:
    """Return the methods of the messages that the agent received, except cancellations."""
    return [method for method, _ in noted(folder, "log")]


@asynccontextmanager
async def launched(
    agent: Any, surface: Any, *, client: Any = None, **options: Any
) -> AsyncGenerator[Link[Any]]:
    options = {"restart": QUICK, **options}
    before = asyncio.all_tasks()
    link_class = import_module(f"{surface.__name__}.kit").Link
    async with launch(agent, client or surface.SessionClient, link=link_class, **options) as link:
        yield link
    assert asyncio.all_tasks() <= before


async def opened(link: Link[Any], folder: Path) -> Any:
    return await link.open(cwd=str(folder), mcp_servers=[])


async def prompt(session: Any, text: str) -> None:
    async with session.prompt(text) as turn:
        await turn.wait(timeout=GUARD)


async def crash(link: Link[Any], session: Any) -> Any:
    """Make the agent crash during a turn, wait for its restart, and return the turn's error."""
    with pytest.raises(ConnectionClosed) as caught:
        await prompt(session, "crash")
    await asyncio.wait_for(link.wait_running(), GUARD)
    return caught.value


def spoken(session: Any) -> list[tuple[str, str]]:
    """Return the role and text of each message in a session's state."""
    return [
        (str(message.role), "".join(block.text for block in message.content))
        for message in session.state.messages
    ]


# --- restarting ------------------------------------------------------------------------------


@each_surface
async def test_a_crash_in_a_turn_ends_it_and_the_session_continues_in_the_same_object(
    surface: Any, tmp_path: Path
) -> None:
    async with launched(command(tmp_path, surface), surface) as link:
        session = await opened(link, tmp_path)
        state = session.state
        await prompt(session, "one")
        first = link.peer
        error = await crash(link, session)
        assert error.exit.code == 3
        assert error.exit.stderr == ("out of memory",)
        assert link.peer is not first
        assert link.restarts == 1
        assert link.sessions == [session]
        assert session.state is state
        assert session.peer is link.peer
        await prompt(session, "two")
        assert not session.turns
    assert methods(tmp_path).count("session/new") == 1


@each_version
async def test_a_resumed_session_keeps_its_state_once(surface: Any, tmp_path: Path) -> None:
    async with launched(command(tmp_path, surface), surface) as link:
        session = await opened(link, tmp_path)
        await prompt(session, "one")
        await crash(link, session)
        await prompt(session, "two")
        assert spoken(session) == [
            ("user", "one"),
            ("agent", "heard one"),
            ("user", "crash"),
            ("agent", "half"),
            ("user", "two"),
            ("agent", "heard two"),
        ]
    assert methods(tmp_path).count("session/resume") == 1


@each_version
async def test_a_resumed_session_has_what_the_agent_reports_of_its_state(
    surface: Any, tmp_path: Path
) -> None:
    async with launched(command(tmp_path, surface), surface) as link:
        session = await opened(link, tmp_path)
        await prompt(session, "one")
        await crash(link, session)
        assert "Says that the session is back." in repr(session.state.available_commands)
        assert ("user", "one") in spoken(session)


@pytest.mark.parametrize("returns", [["load"], ["resume"]])
async def test_a_replayed_session_is_rebuilt_and_not_doubled(
    returns: list[str], tmp_path: Path
) -> None:
    """Loading replays the conversation, and with some agents, resuming also replays it."""
    agent = command(tmp_path, v1, returns=returns, resume_replays=True)
    async with launched(agent, v1) as link:
        session = await opened(link, tmp_path)
        await prompt(session, "one")
        await crash(link, session)
        assert spoken(session) == [("user", "one"), ("agent", "heard one")]
    assert methods(tmp_path).count(f"session/{returns[0]}") == 1


async def test_resuming_is_preferred_to_loading(tmp_path: Path) -> None:
    async with launched(command(tmp_path, v1), v1) as link:
        await crash(link, await opened(link, tmp_path))
    assert "session/load" not in methods(tmp_path)


async def test_subscribers_follow_a_session_over_a_restart(tmp_path: Path) -> None:
    async with launched(command(tmp_path, v2), v2) as link:
        session = await opened(link, tmp_path)
        await crash(link, session)
        seen: list[Any] = []
        session.state.subscribe(seen.append)
        await prompt(session, "two")
        assert any(change.where == "messages" for change in seen)


@each_version
async def test_the_setup_of_a_session_is_sent_again(surface: Any, tmp_path: Path) -> None:
    async with launched(command(tmp_path, surface), surface) as link:
        folders: Any = {"cwd": str(tmp_path), "additional_directories": ["/other"]}
        session = await link.open(mcp_servers=[], **folders)
        await crash(link, session)
    [params] = [params for method, params in noted(tmp_path, "log") if method == "session/resume"]
    assert params["cwd"] == str(tmp_path)
    assert params["additionalDirectories"] == ["/other"]
    assert params["sessionId"] == session.session_id


@each_version
async def test_a_session_that_the_agent_refuses_is_closed_with_the_reason(
    surface: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with launched(command(tmp_path, surface, refused=["s1"]), surface) as link:
        refused = await opened(link, tmp_path)
        kept = await opened(link, tmp_path)
        with caplog.at_level(logging.ERROR):
            await crash(link, kept)
        assert refused.is_closed
        assert "no such session" in refused.closed_reason
        assert link.sessions == [kept]
        with pytest.raises(RuntimeError, match="no such session"):
            await prompt(refused, "two")
        await prompt(kept, "two")
        assert spoken(refused) == []


async def test_sessions_of_an_agent_that_cannot_bring_them_back_are_closed(tmp_path: Path) -> None:
    async with launched(command(tmp_path, v1, returns=[]), v1) as link:
        session = await opened(link, tmp_path)
        await crash(link, session)
        assert session.is_closed
        assert "did not advertise" in session.closed_reason
        await prompt(await opened(link, tmp_path), "two")


async def test_a_session_that_was_closed_does_not_come_back(tmp_path: Path) -> None:
    async with launched(command(tmp_path, v2), v2) as link:
        closed, kept = await opened(link, tmp_path), await opened(link, tmp_path)
        await closed.close()
        await crash(link, kept)
        assert link.sessions == [kept]
    assert methods(tmp_path).count("session/resume") == 1


@each_version
async def test_custom_sessions_keep_their_own_attributes(surface: Any, tmp_path: Path) -> None:
    class Window(surface.ClientSession):  # type: ignore[misc, name-defined]
        unread = 0

    class Windows(surface.SessionClient[Window]):  # type: ignore[misc, name-defined]
        pass

    async with launched(command(tmp_path, surface), surface, client=Windows) as link:
        session = await opened(link, tmp_path)
        session.unread = 5
        await crash(link, session)
        assert isinstance(link.sessions[0], Window)
        assert link.sessions[0].unread == 5
        assert session.client is link.peer.handler


async def test_a_client_object_outlives_the_processes(tmp_path: Path) -> None:
    client = v2.SessionClient()
    async with launched(command(tmp_path, v2), v2, client=client) as link:
        session = await opened(link, tmp_path)
        await crash(link, session)
        assert link.peer.handler is client
        assert client.sessions == {session.session_id: session}


async def test_restarts_have_a_limit(tmp_path: Path) -> None:
    reasons: list[str] = []
    policy = RestartPolicy(limit=2, first_pause=0.0)
    agent = command(tmp_path, v2, fails_at=[2, 3, 4])
    options = {"restart": policy, "on_change": lambda link: reasons.append(link.reason)}
    async with launched(agent, v2, **options) as link:
        session = await opened(link, tmp_path)
        with pytest.raises(ConnectionClosed):
            await prompt(session, "crash")
        with pytest.raises(LaunchError, match="after 2 attempts in a row") as caught:
            await asyncio.wait_for(link.wait_running(), GUARD)
        assert caught.value.exit is not None
        assert caught.value.exit.code == 7
        with pytest.raises(LaunchError, match="cannot start 3"):
            await opened(link, tmp_path)
        assert not link.is_running
        assert link.sessions == []
        assert "cannot start 3" in session.closed_reason
        assert link.restarts == 2
    assert reasons[0] == ""
    assert "exited with status 3" in reasons[1]
    assert "out of memory" in reasons[1]
    assert (tmp_path / "starts").read_text() == "3"


@each_version
async def test_an_agent_that_ended_too_often_can_be_started_again(
    surface: Any, tmp_path: Path
) -> None:
    policy = RestartPolicy(limit=1, first_pause=0.0)
    agent = command(tmp_path, surface, fails_at=[2, 3, 4])
    async with launched(agent, surface, restart=policy) as link:
        given_up = await opened(link, tmp_path)
        await prompt(given_up, "one")
        with pytest.raises(ConnectionClosed):
            await prompt(given_up, "crash")
        with pytest.raises(LaunchError):
            await asyncio.wait_for(link.wait_running(), GUARD)
        assert link.settled.is_set()
        with pytest.raises(LaunchError, match="cannot start 4"):  # the restart limit is reset
            await asyncio.wait_for(link.restart(), GUARD)
        await asyncio.wait_for(link.restart(), GUARD)
        assert link.is_running
        assert link.failure is None
        assert link.sessions == []
        assert given_up.is_closed  # abandoned sessions stay closed
        again = await link.resume(session_id=given_up.session_id, cwd=str(tmp_path), mcp_servers=[])
        assert again is not given_up
        await prompt(again, "two")
        await crash(link, again)
        assert link.sessions == [again]


@each_version
async def test_an_agent_without_restarts_can_be_started_again(surface: Any, tmp_path: Path) -> None:
    agent = command(tmp_path, surface)
    async with launched(agent, surface, restart=RestartPolicy(limit=0)) as link:
        for _ in range(2):
            session = await opened(link, tmp_path)
            with pytest.raises(ConnectionClosed):
                await prompt(session, "crash")
            with pytest.raises(LaunchError):
                await asyncio.wait_for(link.wait_running(), GUARD)
            await asyncio.wait_for(link.restart(), GUARD)
        assert link.restarts == 0
        await prompt(await opened(link, tmp_path), "two")


async def test_a_client_object_keeps_no_session_that_was_given_up(tmp_path: Path) -> None:
    client = v2.SessionClient()
    options = {"restart": RestartPolicy(limit=0), "client": client}
    async with launched(command(tmp_path, v2), v2, **options) as link:
        session = await opened(link, tmp_path)
        with pytest.raises(ConnectionClosed):
            await prompt(session, "crash")
        with pytest.raises(LaunchError):
            await asyncio.wait_for(link.wait_running(), GUARD)
        assert client.sessions == {}


async def test_leaving_closes_the_sessions_and_the_link(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with launched(command(tmp_path, v2), v2) as link:
        session = await opened(link, tmp_path)
    assert caplog.text == ""  # deliberate closing isn't logged
    assert (session.is_closed, session.closed_reason) == (True, "the link was closed")
    assert link.sessions == []
    with pytest.raises(LaunchError, match="link was closed"):
        await link.restart()


async def test_a_link_that_gave_up_is_closed_as_well(tmp_path: Path) -> None:
    async with launched(command(tmp_path, v2), v2, restart=RestartPolicy(limit=0)) as link:
        with pytest.raises(ConnectionClosed):
            await prompt(await opened(link, tmp_path), "crash")
        with pytest.raises(LaunchError):
            await asyncio.wait_for(link.wait_running(), GUARD)
    with pytest.raises(LaunchError, match="link was closed"):
        await link.restart()


@pytest.mark.parametrize("end", ["refused", "given up", "left"])
async def test_views_end_with_a_session_that_the_link_closes(end: str, tmp_path: Path) -> None:
    async def watch(session: Any) -> None:
        async for _ in kit.follow(session):
            pass

    policy = RestartPolicy(limit=0 if end == "given up" else 1, first_pause=0.0)
    agent = command(tmp_path, v2, refused=["s1"] if end == "refused" else [])
    link_class = kit.Link[v2.ClientSession]
    async with launch(agent, v2.SessionClient, link=link_class, restart=policy) as link:
        session = await link.open(cwd=str(tmp_path))
        view = asyncio.create_task(watch(session))
        if end != "left":
            with pytest.raises(ConnectionClosed):
                await prompt(session, "crash")
            await asyncio.wait_for(view, GUARD)
    await asyncio.wait_for(view, GUARD)


# --- interrupted work of the agent -----------------------------------------------------------


@each_version
@pytest.mark.parametrize("limit", [0, 5], ids=["given up", "resumed"])
async def test_work_of_an_agent_that_ended_has_failed(
    surface: Any, limit: int, tmp_path: Path
) -> None:
    policy = RestartPolicy(limit=limit, first_pause=0.0)
    async with launched(command(tmp_path, surface, silent=True), surface, restart=policy) as link:
        session = await opened(link, tmp_path)
        with pytest.raises(ConnectionClosed):
            await prompt(session, "work")
        with suppress(LaunchError):
            await asyncio.wait_for(link.wait_running(), GUARD)
        calls = session.state.tool_calls
        assert {id: call.status for id, call in calls.items()} == {
            "waiting": "failed",
            "running": "failed",
            "done": "completed",
        }
        view = type(session.state)()
        for update in session.state.to_updates():
            view.apply(update)
        assert view == session.state
        if surface is v2:
            assert isinstance(session.state.state, v2.IdleStateUpdate)
            assert session.state.terminals["shell"].exit_status is not UNSET
            assert session.state.terminals["over"].exit_status.exit_code == 1
        assert not session.is_running("running")


async def test_work_that_the_agent_reports_when_it_resumes_runs_again(tmp_path: Path) -> None:
    agent = command(tmp_path, v2, continues=True)
    async with launched(agent, v2) as link:
        session = await opened(link, tmp_path)
        reported = asyncio.Event()

        def note(change: Change) -> None:
            if link.restarts and getattr(change.update, "status", None) == "in_progress":
                reported.set()

        session.state.subscribe(note)
        with pytest.raises(ConnectionClosed):
            await prompt(session, "work")
        await asyncio.wait_for(reported.wait(), GUARD)
        statuses = {id: call.status for id, call in session.state.tool_calls.items()}
        assert statuses == {"waiting": "failed", "running": "in_progress", "done": "completed"}
        assert session.is_running("running")


async def test_a_replay_says_how_the_work_ended(tmp_path: Path) -> None:
    async with launched(command(tmp_path, v1, returns=["load"]), v1) as link:
        session = await opened(link, tmp_path)
        with pytest.raises(ConnectionClosed):
            await prompt(session, "work")
        await asyncio.wait_for(link.wait_running(), GUARD)
        assert session.state.tool_calls == {}


# --- more about restarting -------------------------------------------------------------------


async def test_a_crash_while_it_restarts_is_followed_by_another_start(tmp_path: Path) -> None:
    async with launched(command(tmp_path, v2, fails_at=[2]), v2) as link:
        session = await opened(link, tmp_path)
        await crash(link, session)
        assert link.restarts == 2
        await prompt(session, "two")


async def test_the_limit_counts_only_restarts_in_a_row(tmp_path: Path) -> None:
    policy = RestartPolicy(limit=1, first_pause=0.0, settled_after=0.0)
    async with launched(command(tmp_path, v2), v2, restart=policy) as link:
        session = await opened(link, tmp_path)
        for _ in range(3):
            await crash(link, session)
        assert link.restarts == 3


async def test_a_crash_soon_after_a_restart_counts_towards_the_limit(tmp_path: Path) -> None:
    policy = RestartPolicy(limit=1, first_pause=0.0, settled_after=60.0)
    async with launched(command(tmp_path, v2), v2, restart=policy) as link:
        session = await opened(link, tmp_path)
        await crash(link, session)
        with pytest.raises(ConnectionClosed):
            await prompt(session, "crash")
        with pytest.raises(LaunchError, match="after 1 attempt"):
            await asyncio.wait_for(link.wait_running(), GUARD)


async def test_no_restart_with_a_limit_of_zero(tmp_path: Path) -> None:
    async with launched(command(tmp_path, v2), v2, restart=RestartPolicy(limit=0)) as link:
        session = await opened(link, tmp_path)
        with pytest.raises(ConnectionClosed):
            await prompt(session, "crash")
        with pytest.raises(LaunchError, match=r"is not started again: .*status 3"):
            await asyncio.wait_for(link.wait_running(), GUARD)


def test_pauses_grow_up_to_the_longest() -> None:
    policy = RestartPolicy(first_pause=1.0, longest_pause=5.0)
    assert [policy.pause(number) for number in (1, 2, 3, 4, 5000)] == [1.0, 2.0, 4.0, 5.0, 5.0]


async def test_a_wanted_restart_is_no_crash(tmp_path: Path) -> None:
    async with launched(command(tmp_path, v2), v2, restart=RestartPolicy(limit=0)) as link:
        session = await opened(link, tmp_path)
        first = link.peer
        await asyncio.wait_for(link.restart(), GUARD)
        assert link.peer is not first
        assert link.restarts == 0
        await prompt(session, "two")


async def test_a_change_is_reported_when_the_agent_ends_and_runs_again(tmp_path: Path) -> None:
    states: list[tuple[bool, int]] = []

    def note(link: Link[Any]) -> None:
        states.append((link.is_running, len(link.sessions)))

    async with launched(command(tmp_path, v2), v2, on_change=note) as link:
        assert states == [(True, 0)]
        await crash(link, await opened(link, tmp_path))
        assert states == [(True, 0), (False, 1), (True, 1)]


async def test_a_change_is_reported_when_the_agent_is_not_started_again(tmp_path: Path) -> None:
    failures: list[BaseException | None] = []

    def note(link: Link[Any]) -> None:
        failures.append(link.failure)
        raise ZeroDivisionError  # only logged

    options = {"restart": RestartPolicy(limit=0), "on_change": note}
    async with launched(command(tmp_path, v2), v2, **options) as link:
        session = await opened(link, tmp_path)
        with pytest.raises(ConnectionClosed):
            await prompt(session, "crash")
        with pytest.raises(LaunchError):
            await asyncio.wait_for(link.wait_running(), GUARD)
        assert failures[:2] == [None, None]
        assert isinstance(failures[-1], LaunchError)


async def test_leaving_during_a_pause_ends_the_link(tmp_path: Path) -> None:
    policy = RestartPolicy(first_pause=3600.0, longest_pause=3600.0)
    crashed = asyncio.Event()

    def note(link: Link[Any]) -> None:
        if not link.is_running:
            crashed.set()

    options = {"restart": policy, "on_change": note}
    async with launched(command(tmp_path, v2), v2, **options) as link:
        session = await opened(link, tmp_path)
        with pytest.raises(ConnectionClosed):
            await prompt(session, "crash")
        await asyncio.wait_for(crashed.wait(), GUARD)
        with pytest.raises(ConnectionClosed, match="is not running"):
            link.peer  # noqa: B018
    with pytest.raises(LaunchError, match="link was closed"):
        await link.wait_running()


async def test_no_process_is_left(tmp_path: Path) -> None:
    async with launched(command(tmp_path, v2), v2) as link:
        await crash(link, await opened(link, tmp_path))
    pids = noted(tmp_path, "pids")
    assert len(pids) == 2
    assert not any(map(is_running, pids))


async def test_a_cancelled_owner_leaves_no_process(tmp_path: Path) -> None:
    ready = asyncio.Event()

    async def own() -> None:
        async with launch(command(tmp_path, v2), v2.SessionClient, link=kit.Link):
            ready.set()
            await asyncio.sleep(3600)

    task = asyncio.create_task(own())
    await asyncio.wait_for(ready.wait(), GUARD)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not any(map(is_running, noted(tmp_path, "pids")))


# --- starting --------------------------------------------------------------------------------


async def test_a_crash_at_the_first_start_raises_with_the_last_lines(tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match=r"does not start(?s:.*)cannot start 1") as caught:
        async with launched(command(tmp_path, v2, fails_at=[1]), v2):
            pass
    assert caught.value.exit is not None
    assert caught.value.exit.code == 7
    assert (tmp_path / "starts").read_text() == "1"


@pytest.mark.parametrize(
    ("runner", "product"), [("npx", r"Node\.js"), ("bunx", "Bun"), ("uvx", "uv")]
)
async def test_a_missing_runner_is_an_error_that_says_what_to_install(
    runner: str, product: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    reason = rf"'{runner}' does not start: no such program .*install {product}\b"
    with pytest.raises(LaunchError, match=reason):
        async with launched([runner, "--yes", "some-agent"], v2):
            pass


async def test_another_protocol_version_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="protocol version 1"):
        async with launched(command(tmp_path, v1), v2):
            pass


async def test_a_client_of_protocol_2_drives_an_older_agent_over_a_restart(tmp_path: Path) -> None:
    async with launched(command(tmp_path, v1), v2, bridge=True) as link:
        session = await opened(link, tmp_path)
        await prompt(session, "one")
        await crash(link, session)
        await prompt(session, "two")
        texts = [text for _, text in spoken(session)]
        assert texts.count("heard one") == 1
        assert texts[-1] == "heard two"


async def test_the_caller_can_limit_the_first_start(tmp_path: Path) -> None:
    silent = [sys.executable, "-c", "import time; time.sleep(3600)"]
    with pytest.raises(LaunchError, match=r"does not start: .*initialize"):
        async with launched(silent, v2, start_timeout=0.05):
            pass


async def test_secrets_of_this_program_do_not_reach_the_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SECRET", "1")
    monkeypatch.setenv("https_proxy", "2")
    agent = AgentCommand(command=tuple(command(tmp_path, v2)), env={"A": "1", "B": "1"})
    async with launched(agent, v2, env={"B": "2"}):
        pass
    [environment] = noted(tmp_path, "environment")
    assert "SOME_SECRET" not in environment
    assert (environment["https_proxy"], environment["A"], environment["B"]) == ("2", "1", "2")
    assert environment["PATH"] == os.environ["PATH"]


@pytest.mark.parametrize("bad", ["npx agent", b"npx"])
async def test_a_command_line_is_not_split(bad: Any) -> None:
    with pytest.raises(TypeError, match="must be a list"):
        async with launched(bad, v2):
            pass


async def test_an_empty_command_is_refused() -> None:
    with pytest.raises(ValueError, match="command is empty"):
        async with launched([], v2):
            pass


async def test_earlier_sessions_are_loaded_and_resumed(tmp_path: Path) -> None:
    agent = command(tmp_path, v1)
    async with launched(agent, v1) as link:
        await prompt(await opened(link, tmp_path), "one")
    async with launched(agent, v1) as link:
        loaded = await link.load(session_id="s1", cwd=str(tmp_path), mcp_servers=[])
        assert spoken(loaded) == [("user", "one"), ("agent", "heard one")]
        assert link.sessions == [loaded]
    async with launched(agent, v1) as link:
        resumed = await link.resume(session_id="s1", cwd=str(tmp_path), mcp_servers=[])
        assert spoken(resumed) == []
        assert link.sessions == [resumed]


# --- the lock of the first start -------------------------------------------------------------


def runner(folder: Path, *words: str) -> list[str]:
    """Return a command that starts a program through a script named `npx`."""
    script = folder / "bin" / "npx"
    script.parent.mkdir()
    script.write_text(f"#!/bin/sh\nexec {shlex.join(words)}\n")
    script.chmod(0o755)
    return [str(script), "some-agent"]


async def test_first_starts_of_one_package_take_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simultaneous first starts could damage the runner's cache, so they are serialized.

    The lock file is removed afterwards.
    """
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    words = runner(tmp_path, *command(tmp_path, v2))

    async def start() -> None:
        async with launch(words, v2.SessionClient, link=kit.Link) as link:
            assert link.is_running

    await asyncio.wait_for(asyncio.gather(*(start() for _ in range(3))), GUARD)
    assert methods(tmp_path) == ["start", "initialize"] * 3
    assert list((tmp_path / "cache" / "acp-bindings").iterdir()) == []


async def test_other_agents_do_not_wait_for_a_first_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "slow").mkdir()
    # Once the agent receives a request, it has started and its connection's tasks are running.
    begin = f"read -r line; echo > '{tmp_path}/begun'; sleep 3600"
    slow = runner(tmp_path / "slow", "sh", "-c", begin)

    async def hold() -> None:
        async with launch(slow, v2.SessionClient, link=kit.Link):
            pass

    holding = asyncio.create_task(hold())
    while not (tmp_path / "begun").exists():
        await asyncio.sleep(0.01)
    words = [*runner(tmp_path, *command(tmp_path, v2)), "another-agent"]
    async with launched(words, v2, start_timeout=GUARD) as link:
        assert link.is_running
    holding.cancel()
    await asyncio.wait([holding])


async def test_only_restarts_have_a_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first start can download the agent, which can take minutes."""
    timeouts: list[float | None] = []
    initialize = Peer.initialize

    async def note(self: Peer, *args: Any, timeout: float | None) -> Any:
        timeouts.append(timeout)
        return await initialize(self, *args, timeout=timeout)

    monkeypatch.setattr(Peer, "initialize", note)
    async with launched(command(tmp_path, v2), v2) as link:
        await link.restart()
    assert timeouts == [None, QUICK.start_timeout]


async def test_an_agent_that_ignores_the_end_of_its_input_is_ended(tmp_path: Path) -> None:
    agent = shlex.join(command(tmp_path, v2))
    stays = f"trap '' TERM; ({agent}); while :; do sleep 0.1; done"
    async with launched(["sh", "-c", stays], v2, grace=0.1) as link:
        process = link.peer.process
        assert process is not None
    assert not is_running(process.pid)


@pytest.mark.parametrize("id_", ["", "cook"])
async def test_waiting_for_another_start_has_the_callers_limit(
    id_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    words = runner(tmp_path, "sh", "-c", f"echo > '{tmp_path}/begun'; sleep 3600")
    agent = AgentCommand(command=tuple(words), id=id_)

    async def hold() -> None:
        async with launch(agent, v2.SessionClient, link=kit.Link):
            pass

    holding = asyncio.create_task(hold())
    while not (tmp_path / "begun").exists():
        await asyncio.sleep(0.01)
    with pytest.raises(LaunchError) as error:
        async with launched(agent, v2, start_timeout=0.05):
            pass
    name = quotation(id_ or " ".join(words))
    assert str(error.value) == (
        f"agent {name} does not start: another program is still starting it after 0.05 seconds; "
        "try again"
    )
    holding.cancel()
    await asyncio.wait([holding])
    assert list((tmp_path / "cache" / "acp-bindings").iterdir()) == []


async def test_a_folder_that_cannot_be_used_leaves_out_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "cache").write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LaunchError, match="no such program"):
        async with launched(["npx", "some-agent"], v2):
            pass
    assert "starting without a lock" in caplog.text


# Handwritten error messages in the style of npm and uv.
MISSING = {
    "npm": "npm error notarget No matching version found for some-agent@9.9.9.",
    "npm code": "npm error code ETARGET",
    "npm without the package": "npm ERR! code E404",
    "uvx": "Because there is no version of some-agent==9.9.9 and you require some-agent==9.9.9",
}
DAMAGED = {
    "rename": "npm error code ENOTEMPTY\nnpm error syscall rename",
    "checksum": "npm error code EINTEGRITY",
    "module": "Error: Cannot find module '/home/user/.npm/_npx/5ab/node_modules/some-agent/cli.js'",
    "on Windows": r"Cannot find module 'C:\Users\me\npm-cache\_npx\5ab\node_modules\a\cli.js'",
}


async def failed_start(
    folder: Path, monkeypatch: pytest.MonkeyPatch, stderr: str, name: str = "npx"
) -> str:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    words = runner(folder, "sh", "-c", f"printf '%s\\n' {shlex.quote(stderr)} >&2; exit 1")
    program = Path(words[0])
    program.rename(program.with_name(name))
    with pytest.raises(LaunchError) as caught:
        async with launched([str(program.with_name(name)), "some-agent"], v2):
            pass
    assert caught.value.exit is not None
    assert caught.value.exit.code == 1
    assert repr(stderr.splitlines()[-1]) in str(caught.value)  # the error quotes the last line
    return str(caught.value)


@pytest.mark.parametrize("name", MISSING)
async def test_a_missing_version_is_explained(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Agent registries can list a version before it is published, and npm can hide new versions."""
    text = await failed_start(tmp_path, monkeypatch, MISSING[name])
    assert "package version does not exist" in text
    assert "_npx" not in text


@pytest.mark.parametrize("name", DAMAGED)
async def test_the_remedy_for_a_damaged_cache_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = await failed_start(tmp_path, monkeypatch, DAMAGED[name])
    assert "remove the folder `_npx`" in text
    assert "npm config get cache" in text


@pytest.mark.parametrize(
    ("stderr", "name"),
    [("the key is missing", "npx"), (DAMAGED["checksum"], "agent")],
)
async def test_other_failures_have_no_remedy(
    stderr: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = await failed_start(tmp_path, monkeypatch, stderr, name)
    assert text.endswith(f"{stderr!r}")


# --- registries ------------------------------------------------------------------------------

BINARY = {
    "archive": "https://example.com/agent.tar.gz",
    "cmd": "./bin/agent",
    "args": ["acp"],
    "env": {"MODE": "acp"},
}


def registry(**distribution: Any) -> Mapping[str, Any]:
    agent = {"id": "one", "version": "1.2.3", "license_url": "?", "distribution": distribution}
    return {"version": "1.0.0", "agents": ["?", {"id": "zero"}, agent], "extensions": []}


def read(registry: Any, **options: Any) -> tuple[str, ...]:
    return AgentCommand.from_registry(registry, "one", **options).command


def test_npx_does_not_prompt_and_its_version_is_pinned() -> None:
    entry = registry(npx={"package": "@scope/agent", "args": ["--acp"], "env": {"A": "1", "B": 2}})
    agent = AgentCommand.from_registry(entry, "one")
    assert agent.command == ("npx", "--yes", "@scope/agent@1.2.3", "--acp")
    assert agent.env == {"A": "1"}
    assert (agent.id, agent.version, agent.name) == ("one", "1.2.3", "one")


@pytest.mark.parametrize(
    ("package", "executable", "expected"),
    [
        ("agent", None, ["agent==1.2.3", "agent"]),
        ("agent@1.0", None, ["agent==1.0", "agent"]),
        ("agent==1.0", None, ["agent==1.0", "agent"]),
        ("agent[acp]", "agent-acp", ["agent[acp]==1.2.3", "agent-acp"]),
        ("agent[acp]==1.0", None, ["agent[acp]==1.0", "agent"]),
        ("agent@latest", None, ["agent", "agent"]),
    ],
)
def test_uvx_packages_can_name_another_executable(
    package: str, executable: str | None, expected: list[str]
) -> None:
    entry = registry(uvx={"package": package})
    assert read(entry, executable=executable) == ("uvx", "--from", *expected)


def test_a_pinned_npx_package_stays_so() -> None:
    assert read(registry(npx={"package": "@scope/agent@1.0"}))[-1] == "@scope/agent@1.0"


def test_a_distribution_can_be_chosen() -> None:
    entry = registry(npx={"package": "a"}, uvx={"package": "b"})
    assert read(entry)[0] == "npx"
    assert read(entry, kind="uvx")[0] == "uvx"
    with pytest.raises(ValueError, match=r"not available as 'binary' \(available: npx, uvx\)"):
        read(entry, kind="binary")


@pytest.fixture
def on_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")


@pytest.mark.usefixtures("on_linux")
def test_binaries_are_not_downloaded() -> None:
    entry = registry(binary={"linux-x86_64": BINARY})
    with pytest.raises(ValueError, match=r"'one' is not installed; install 'https://example\.com/"):
        read(entry)


@pytest.mark.usefixtures("on_linux")
def test_an_installed_binary_is_run_from_its_folder(tmp_path: Path) -> None:
    entry = registry(binary={"linux-x86_64": BINARY})
    agent = AgentCommand.from_registry(entry, "one", folder=tmp_path)
    assert agent.command == (str(tmp_path / "bin" / "agent"), "acp")
    assert agent.env == {"MODE": "acp"}
    assert agent.runner is None


@pytest.mark.usefixtures("on_linux")
@pytest.mark.parametrize("cmd", ["../agent", "/bin/sh", "", ".", "link/sh"])
def test_a_binary_outside_of_its_folder_is_refused(cmd: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/bin")
    entry = registry(binary={"linux-x86_64": {**BINARY, "cmd": cmd}})
    with pytest.raises(ValueError, match="not in the agent's folder"):
        read(entry, folder=tmp_path)


@pytest.mark.usefixtures("on_linux")
def test_a_binary_for_another_system_is_not_offered() -> None:
    entry = registry(binary={"windows-x86_64": BINARY})
    with pytest.raises(ValueError, match="not available for linux-x86_64"):
        read(entry)


def test_an_unknown_distribution_is_not_offered() -> None:
    entry = registry(docker={"package": "agent"})
    with pytest.raises(ValueError, match=r"not available as 'docker' \(available: docker\)"):
        read(entry, kind="docker")


@pytest.mark.parametrize(
    ("system", "machine", "expected"),
    [
        ("linux", "x86_64", "linux-x86_64"),
        ("darwin", "arm64", "darwin-aarch64"),
        ("win32", "AMD64", "windows-x86_64"),
    ],
)
def test_systems_have_the_names_of_registries(
    system: str, machine: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert read(registry(binary={expected: BINARY}), folder="/agents")[-1] == "acp"


def test_a_registry_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "registry.json"
    file.write_text(json.dumps(registry(npx={"package": "agent"})))
    assert read(file)[0] == "npx"


@pytest.mark.parametrize("content", [[], {}, {"agents": None}, {"agents": [{"id": 1}]}])
def test_a_registry_without_the_agent_is_an_error(content: Any, tmp_path: Path) -> None:
    file = tmp_path / "registry.json"
    file.write_text(json.dumps(content))
    with pytest.raises(KeyError, match="no agent 'one'"):
        read(file)


@pytest.mark.parametrize("distribution", [None, [], {}, {"npx": None}, {"npx": {"package": 1}}])
def test_an_entry_without_a_command_is_an_error(distribution: Any) -> None:
    entry = {"agents": [{"id": "one", "distribution": distribution}]}
    with pytest.raises(ValueError, match="'one' is not available"):
        read(entry)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("npx", "npx"),
        ("/usr/bin/npx", "npx"),
        (r"C:\node\npx.CMD", "npx"),
        ("uvx.exe", "uvx"),
        ("agent", None),
    ],
)
def test_runners_are_recognized_by_the_name_of_the_program(
    program: str, expected: str | None
) -> None:
    assert AgentCommand(command=(program,)).runner == expected


async def test_a_refused_request_is_raised(tmp_path: Path) -> None:
    async with launched(command(tmp_path, v2, refused=["s9"]), v2) as link:
        with pytest.raises(RequestError, match="no such session"):
            await link.resume(session_id="s9", cwd=str(tmp_path))
        assert link.sessions == []
