"""Incorrect uses of the package. Type checkers must report each marked line and no other line."""

from __future__ import annotations

from typing import Any, NoReturn

import former
from acp_bindings import v1, v2
from acp_bindings.runtime import UNSET, given
from acp_bindings.runtime.aio import Peer, serve
from acp_bindings.v1 import agent_session as live1
from acp_bindings.v1 import client_session as near1
from acp_bindings.v1 import session as state1
from acp_bindings.v2 import kit


def assert_never(value: NoReturn) -> NoReturn:
    raise AssertionError(value)


def incomplete_match(block: v1.ContentBlock) -> str:
    match block:
        case v1.TextContent():
            return "text"
        case v1.ImageContent() | v1.AudioContent() | v1.ResourceLink() | v1.EmbeddedResource():
            return "other"
        case _:
            assert_never(block)  # error


def incomplete_session_update(update: v2.SessionUpdate) -> str:
    if isinstance(update, v2.UnknownSessionUpdate):
        return update.tag
    assert_never(update)  # error


def not_narrowed(call: v2.ToolCallUpdate) -> str:
    call.title.upper()  # error
    if call.title is not None:
        call.title.upper()  # error
    if call.title is not UNSET:
        call.title.upper()  # error
    print(len(call.content))  # error
    return call.title or ""


def members_of_a_union(update: v2.SessionUpdate, block: v2.ContentBlock) -> str:
    print(update.session_update)  # error
    return block.text  # error


def constructors() -> list[Any]:
    return [
        v1.CancelNotification(),  # error
        v1.CancelNotification(session_id=5),  # error
        v1.CancelNotification(session_id="sess_1", sessionId="sess_1"),  # error
        v2.ToolCallUpdate(tool_call_id="c", session_update="tool_call_update"),  # error
        v2.ToolCallUpdate(tool_call_id="c", content=[v2.TextContent(text="t")]),  # error
        v2.PromptRequest(session_id="s", prompt=[v1.TextContent(text="t")]),  # error
        v2.UnknownSessionUpdate("_x"),  # error
    ]


def assignments(call: v2.ToolCallUpdate, usage: v2.UsageUpdate) -> None:
    call.tool_call_id = None  # error
    call.titel = "typo"  # error
    usage.used = "5"  # error


def decoding(data: Any) -> None:
    other_class: v1.PromptResponse = v1.decode(v1.PromptRequest, data)  # error
    other_surface: v2.PromptRequest = v2.decode(v1.PromptRequest, data)  # error
    other_union: v1.SessionUpdate = v2.decode(v2.SessionUpdate, data)  # error
    one_of_a_union: v2.ToolCallUpdate = v2.decode(v2.SessionUpdate, data)  # error
    other_scalar: int = v2.decode(v2.SessionId, data)  # error
    text: bytes = v2.dumps(other_scalar)  # error
    v2.loads(v2.Cost, 5)  # error
    v2.decode(v2.Cost, data, on_issue=lambda: None)  # error
    print(other_class, other_surface, other_union, one_of_a_union, text)


class Handler(v1.AgentHandler):
    async def session_prompt(self, params: v1.CancelNotification) -> v1.PromptResponse:  # error
        raise NotImplementedError

    async def session_new(self, params: v1.NewSessionRequest) -> v1.PromptResponse:  # error
        raise NotImplementedError


async def methods(peer: Peer, new: v1.NewSessionRequest) -> None:
    agent = v1.AgentStub(peer)
    result: v1.PromptResponse = await agent.session_new(new)  # error
    await agent.session_prompt(new)  # error
    await agent.session_open(new)  # error
    agent.advertised = None  # error
    await serve(peer, Handler)  # error
    client: v1.ClientMethods = v2.ClientHandler()  # error
    print(result, client)


def known(update: v1.SessionUpdate, title: str | None) -> str | None:
    known: v1.KnownSessionUpdate = update  # error
    print(known)
    return given(title)  # error


async def session_calls(session: live1.AgentSession) -> None:
    await session.fs_read_text_file(path="/a", session_id="s")  # error
    await session.tool_call(tool_call_id="t", title=5)  # error
    await session.ask_permission([])  # error
    await session.say(5)  # error


class WrongSessions(live1.SessionAgent[v1.Cost]):  # error
    pass


class WrongTurn(live1.SessionAgent):
    async def turn(self, session: live1.AgentSession, params: v1.PromptRequest) -> int:  # error
        return 5


async def sessions(peer: Peer, session: near1.ClientSession) -> None:
    await near1.ClientSession.create(peer, cwd="/")  # error
    await near1.ClientSession.create(peer, cwd=5, mcp_servers=[])  # error
    await near1.ClientSession.list(peer)  # error
    await session.set_mode("code")  # error
    await session.set_config_option(config_id="a", value=5)  # error
    print(session.state.plan)  # error
    session.turns[0].take(None)  # error


def an_item_of_another_version(entry: state1.TimelineEntry) -> v2.PlanUpdate | None:
    return entry if isinstance(entry, v1.Plan) else None  # error


def former_name() -> former.Circle:
    return former.Ring()  # error


def wrong_sequences(costs: list[v2.Cost]) -> None:
    v2.PromptRequest(session_id="s", prompt=costs)  # error
    v2.PromptRequest(session_id="s", prompt="text")  # error
    v1.NewSessionRequest(cwd="/", mcp_servers=[], additional_directories="/")  # error


async def links(client: v2.SessionClient, older: v1.SessionClient) -> None:
    async with kit.launch(["agent"], client) as link:
        await link.open(cwd=5)  # error
        await link.open()  # error
        await link.load(session_id="s", cwd="/")  # error
        print((await link.open(cwd="/")).unread)  # error
    async with kit.launch(["agent"], older):  # error
        pass
