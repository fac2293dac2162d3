"""An agent and a client, for either protocol version, that communicate with scripted peers."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime.aio import connect
from acp_bindings.testing import Agent

each_version = pytest.mark.parametrize("types", [v1, v2], ids=["v1", "v2"])


def number(types: ModuleType) -> int:
    version: int = types.SCHEMA.protocol_version
    return version


def cleaner(types: Any) -> type:
    """Return an agent class that asks for permission before it deletes something."""

    class Cleaner(types.SessionAgent):  # type: ignore[misc]
        async def turn(self, session: Any, params: Any) -> None:
            await session.tool_call(tool_call_id="rm", title="Delete", kind="delete")
            call = types.ToolCallUpdate(tool_call_id="rm")
            options = [
                types.PermissionOption(option_id=id_, name=id_, kind=kind)
                for id_, kind in (("no", "reject_once"), ("yes", "allow_once"))
            ]
            if types is v1:
                answer = await session.ask_permission(call, options)
            else:
                subject = v2.ToolCallPermissionSubject(tool_call=call)
                answer = await session.ask_permission("May I?", options, subject=subject)
            chosen = getattr(answer.outcome, "option_id", None)
            status = "completed" if chosen == "yes" else "failed"
            report = session.tool_call_update if types is v1 else session.tool_call
            await report(tool_call_id="rm", status=status)
            await session.say("Done.")

    return Cleaner


def allowing(types: Any) -> type:
    """Return a client class that always selects the first option of a permission request."""

    class Allowing(types.SessionClient):  # type: ignore[misc]
        async def session_request_permission(self, params: Any) -> Any:
            chosen = types.SelectedPermissionOutcome(option_id=params.options[0].option_id)
            return types.RequestPermissionResponse(outcome=chosen)

    return Allowing


@asynccontextmanager
async def talking(agent: Agent, types: Any) -> AsyncGenerator[Any]:
    """Connect a client to a scripted agent, open a session and yield it."""
    async with agent.stream() as stream, connect(stream, allowing(types)) as peer:
        await peer.initialize()
        servers = {"mcp_servers": []} if types is v1 else {}
        yield await types.ClientSession.create(peer, cwd="/", **servers)
