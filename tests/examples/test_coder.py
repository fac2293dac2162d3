"""Tests of the coding agent `coder.py` with clients of both protocol versions, across restarts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.v1 import kit as kit_v1
from acp_bindings.v2 import kit as kit_v2

from tests.examples.driving import HERE, TIMEOUT, command_of
from tests.package.aio.processes import wait_until_ended

KITS: dict[Any, Any] = {v1: kit_v1, v2: kit_v2}
each_surface = pytest.mark.parametrize("surface", [v1, v2], ids=["v1", "v2"])


class Talk:
    """A test client of the coding agent.

    Attributes:
        questions: the permission requests that the agent sent.
        link: the connection to the agent.
    """

    def __init__(self, surface: Any, folder: Path, answer: str | None) -> None:
        self.surface = surface
        self.folder = folder
        self.questions: list[Any] = []
        self.link: Any = None
        self._answer = answer
        self._servers = {"mcp_servers": []} if surface is v1 else {}

    async def ask(self, question: Any) -> str | None:
        self.questions.append(question)
        return self._answer

    async def open(self) -> Any:
        return await self.link.open(cwd=str(self.folder), **self._servers)

    async def reopen(self, session_id: str) -> Any:
        """Reopen a session from an earlier agent process, including its history."""
        members = {"session_id": session_id, "cwd": str(self.folder), **self._servers}
        if self.surface is v1:
            return await self.link.load(**members)
        return await self.link.resume(**members, replay_from=v2.ReplayFromStart())

    async def set_mode(self, session: Any, mode: str) -> None:
        if self.surface is v1:
            await session.set_mode(mode_id=mode)
        else:
            params = v2.IdSetSessionConfigOptionRequest(
                session_id=session.session_id, config_id="mode", value=mode
            )
            await session.agent.session_set_config_option(params)

    def mode(self, session: Any) -> str:
        state = session.state
        if self.surface is v1:
            return str(state.current_mode.current_mode_id)
        [option] = state.config_options.config_options
        return str(option.current_value)


@asynccontextmanager
async def talking(surface: Any, folder: Path, answer: str | None) -> AsyncGenerator[Talk]:
    """Start the agent, save its sessions next to `folder`, and connect a client to the agent."""
    talk, kit = Talk(surface, folder, answer), KITS[surface]
    env = {"CODER_SESSIONS": str(folder.with_name("sessions"))}
    permissions = kit.Permissions(ask=talk.ask)
    command = command_of(HERE / "coder.py")
    async with kit.launch(
        command, surface.SessionClient, permissions=permissions, env=env
    ) as talk.link:
        yield talk


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    return path


def play(main: Callable[[], Any]) -> None:
    asyncio.run(asyncio.wait_for(main(), TIMEOUT))


def statuses(session: Any) -> list[str]:
    return [call.status for call in session.state.tool_calls.values()]


def test_the_program_is_short() -> None:
    assert len((HERE / "coder.py").read_text("utf-8").splitlines()) <= 90


@each_surface
def test_a_session_survives_a_restart(surface: Any, folder: Path) -> None:
    async def main() -> None:
        async with talking(surface, folder, "allow_once") as talk:
            session = await talk.open()
            assert talk.mode(session) == "ask"
            async with session.prompt("write new.txt text"):
                pass
            assert [each.title for each in talk.questions] == ["Write new.txt"]
            await talk.set_mode(session, "auto")
            session_id, messages = session.session_id, [m.text for m in session.state.messages]
            assert messages == ["write new.txt text", f"wrote {folder}/new.txt"]
        assert (folder / "new.txt").read_text("utf-8") == "text\n"
        async with talking(surface, folder, None) as talk:
            session = await talk.reopen(session_id)
            assert [each.text for each in session.state.messages] == messages
            assert statuses(session) == ["completed"]
            assert talk.mode(session) == "auto"
            commands = session.state.available_commands.available_commands
            assert [each.name for each in commands] == ["run", "write"]
            async with session.prompt("/run echo hello"):
                pass
            assert session.state.messages[-1].text == "hello\n\n[exit status 0]"
            assert talk.questions == []

    play(main)


@each_surface
def test_what_the_user_refuses_does_not_happen(surface: Any, folder: Path) -> None:
    async def main() -> None:
        async with talking(surface, folder, None) as talk:
            session = await talk.open()
            for prompt in ("run touch made", "write made text"):
                async with session.prompt(prompt):
                    pass
            assert statuses(session) == ["failed", "failed"]
            assert session.state.messages[-1].text == "the user refused this"
            assert len(talk.questions) == 2
        assert not (folder / "made").exists()

    play(main)


@each_surface
def test_cancelling_ends_the_command(surface: Any, folder: Path) -> None:
    async def main() -> None:
        async with talking(surface, folder, "allow_once") as talk:
            session = await talk.open()
            async with session.prompt("run echo $$ > pid; mv pid started; exec sleep 1000") as turn:
                while not (folder / "started").exists():
                    await asyncio.sleep(0.01)
                await session.cancel()
            assert turn.stop_reason == "cancelled"
            assert statuses(session) == ["failed" if surface is v1 else "cancelled"]
            wait_until_ended([int((folder / "started").read_text())])

    play(main)


@each_surface
def test_an_unknown_mode_is_refused(surface: Any, folder: Path) -> None:
    async def main() -> None:
        async with talking(surface, folder, None) as talk:
            session = await talk.open()
            with pytest.raises(Exception, match="unknown option or value"):
                await talk.set_mode(session, "wild")
            assert talk.mode(session) == "ask"

    play(main)
