"""Correct uses of links, for which the client class determines the class of the sessions."""

from __future__ import annotations

from acp_bindings import v1, v2
from acp_bindings.v1 import kit as kit1
from acp_bindings.v2 import kit as kit2
from typing_extensions import assert_type


class Window(v2.ClientSession):
    unread = 0


class Windows(v2.SessionClient[Window]): ...


class Editor(v1.SessionClient): ...


async def custom_sessions() -> None:
    async with kit2.launch(["agent"], Windows) as link:
        session = await link.open(cwd="/")
        assert_type(session, Window)
        assert_type(await link.resume(session_id="s", cwd="/"), Window)
        assert_type(link.sessions, list[Window])
        async for batch in kit2.follow(session):
            assert_type(batch.updates, list[v2.SessionUpdate])


async def usual_sessions(client: v2.SessionClient, agent: kit2.AgentCommand) -> None:
    async with kit2.launch(agent, client) as link:
        assert_type(await link.open(v2.NewSessionRequest(cwd="/")), v2.ClientSession)
        await keep(link)


async def remote_sessions() -> None:
    async with kit2.reach("https://example.org/acp", Windows, token="t") as link:
        assert_type(await link.open(cwd="/"), Window)
        assert_type(link, kit2.Link[Window])


async def keep(link: kit2.Link) -> None:
    assert_type(link.sessions, list[v2.ClientSession])
    await link.restart()


async def sessions_of_protocol_1(workspace: kit1.Workspace) -> None:
    async with kit1.launch(["agent"], Editor, workspace=workspace) as link:
        assert_type(await link.load(session_id="s", cwd="/", mcp_servers=[]), v1.ClientSession)
        assert_type(link, kit1.Link[v1.ClientSession])
