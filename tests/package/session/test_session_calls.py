"""Calls to the agent that name a session: methods of client sessions, without the id."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings.runtime.jsonrpc.errors import CapabilityError
from package.laws.schemas import SURFACES
from package.session.client_turns import opening
from package.session.scripted import (
    SESSION,
    V1,
    V2,
    Json,
    Version,
    client,
    each_surface,
    each_version,
    result,
    run,
)


@each_surface
def test_every_call_to_the_agent_that_names_a_session_has_a_method(version: Version) -> None:
    named = {
        "tool_call/cancel": "tool_call_cancel",
        "terminal/cancel": "terminal_cancel",
    }
    wires = [
        definition["x-method"]
        for definition in SURFACES[version.name].definitions.values()
        if definition.get("x-side") == "agent" and "sessionId" in definition.get("required", ())
        # Those of sessions that come back have methods of the class, and responses an id.
        and {"cwd", "configOptions"}.isdisjoint(definition["properties"])
    ]
    assert len(wires) >= 6
    for wire in wires:
        name = named.get(wire, wire.removeprefix("session/"))
        assert callable(getattr(version.client.ClientSession, name)), wire


async def called(version: Version, name: str, answer: Json, **members: Any) -> Json:
    """Call a method of a session; return the request that the agent reads."""
    async with client(version) as (script, session):
        calling = asyncio.create_task(getattr(session, name)(**members))
        message: Json = await script.read()
        script.write(result(message["id"], **answer))
        await calling
        return {"method": message["method"], **message["params"]}


def test_a_mode_is_set() -> None:
    assert run(called(V1, "set_mode", {}, mode_id="m", meta={"a": 1})) == {
        "method": "session/set_mode",
        "sessionId": SESSION,
        "modeId": "m",
        "_meta": {"a": 1},
    }


@pytest.mark.parametrize(
    ("version", "value", "tag"),
    [
        (V1, True, {"type": "boolean"}),
        (V1, "x", {}),
        (V2, True, {"type": "boolean"}),
        (V2, "x", {"type": "id"}),
    ],
    ids=str,
)
def test_an_option_is_set_to_a_value_of_either_kind(
    version: Version, value: bool | str, tag: Json
) -> None:
    asked = called(version, "set_config_option", {"configOptions": []}, config_id="o", value=value)
    assert run(asked) == {
        "method": "session/set_config_option",
        "sessionId": SESSION,
        "configId": "o",
        "value": value,
        **tag,
    }


def test_a_tool_call_is_cancelled_by_itself() -> None:
    assert run(called(V2, "tool_call_cancel", {}, tool_call_id="t")) == {
        "method": "tool_call/cancel",
        "sessionId": SESSION,
        "toolCallId": "t",
    }


# --- requests, or their members --------------------------------------------------------------


@each_version
@pytest.mark.parametrize("kind", ["new", "resume"])
async def test_a_session_is_opened_by_the_members_of_the_request(
    version: Version, kind: str
) -> None:
    async with client(version) as (script, other):
        _, members = opening(version, kind, "a")
        given = {"cwd": "/"}
        if kind == "resume":
            given["session_id"] = "a"
        if version is V1 and kind == "new":
            given["mcp_servers"] = []  # type: ignore[assignment]
        opens = {"new": "create", "resume": "resume"}[kind]
        call = getattr(version.client.ClientSession, opens)(other.peer, **given)
        opened = asyncio.create_task(call)
        id_ = await script.request(f"session/{kind}", **members)
        script.write(result(id_, **({"sessionId": "a"} if kind == "new" else {})))
        assert (await opened).session_id == "a"


@each_version
async def test_sessions_are_listed_by_the_members_of_the_request(version: Version) -> None:
    async with client(version) as (script, session):
        asking = version.client.ClientSession.list_sessions(session.peer, cwd="/")
        listing = asyncio.create_task(asking)
        script.write(result(await script.request("session/list", cwd="/"), sessions=[]))
        assert (await listing).sessions == []
        asking = version.client.ClientSession.list_sessions(session.peer)
        listing = asyncio.create_task(asking)
        script.write(result(await script.request("session/list"), sessions=[]))
        assert (await listing).sessions == []


@each_version
async def test_a_request_and_its_members_are_one_too_many(version: Version) -> None:
    async with client(version) as (_, session):
        create = version.client.ClientSession.create
        with pytest.raises(TypeError) as caught:
            await create(session.peer, opening(version, "new")[0], cwd="/", meta=None)
        assert str(caught.value) == "give a NewSessionRequest or its members, not both: cwd, meta"


@each_version
async def test_members_that_are_missing_or_unknown_are_named(version: Version) -> None:
    async with client(version) as (_, session):
        create = version.client.ClientSession.create
        with pytest.raises(TypeError, match="cwd"):
            await create(session.peer)
        with pytest.raises(TypeError, match="cdw"):
            await create(session.peer, cwd="/", cdw="/")


async def test_capabilities_are_checked() -> None:
    async with client(V1, lacks=["load"]) as (_, session):
        with pytest.raises(CapabilityError):
            await V1.client.ClientSession.load(
                session.peer, session_id="a", cwd="/", mcp_servers=[]
            )
