"""What a side says of itself in `initialize`, and the contradictions in it."""

from __future__ import annotations

import json
import warnings
from typing import Any, ClassVar

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import UNSET
from acp_bindings.runtime.aio import connect_memory
from acp_bindings.runtime.jsonrpc.handler import introduction
from acp_bindings.runtime.jsonrpc.method import Extension

INFO = {"name": "a", "version": "1"}


def define(base: type, **members: Any) -> Any:
    """A class of handlers; its methods do nothing."""

    async def handle(self: Any, params: Any) -> Any: ...

    async def turn(self: Any, session: Any, params: Any) -> Any: ...

    if base in (v1.SessionAgent, v2.SessionAgent):
        members["turn"] = turn
    methods = {name: handle for name, value in members.items() if value is True}
    return type("Mine", (base,), {**members, **methods})


# --- what follows from methods ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "members", "expected"),
    [
        (v1.AgentHandler, {}, {}),
        (v1.AgentHandler, {"session_load": True}, {"agentCapabilities": {"loadSession": True}}),
        (
            v1.SessionAgent,
            {"info": v1.Implementation(**INFO)},
            {"agentInfo": INFO, "agentCapabilities": {"sessionCapabilities": {"close": {}}}},
        ),
        (
            v2.SessionAgent,
            {"session_delete": True, "info": v2.Implementation(**INFO)},
            {"info": INFO, "capabilities": {"session": {"delete": {}}}},
        ),
        (
            v1.ClientHandler,
            {"fs_write_text_file": True, "elicitation_create": True},
            {"clientCapabilities": {"fs": {"writeTextFile": True}, "elicitation": {}}},
        ),
    ],
)
def test_methods_imply_capabilities(base: Any, members: Any, expected: Any) -> None:
    told = json.loads(base.surface.dumps(introduction(define(base, **members))))
    assert told == {"protocolVersion": base.surface.SCHEMA.protocol_version, **expected}


def test_what_is_stated_is_kept() -> None:
    stated = v2.AgentCapabilities(
        session=v2.SessionCapabilities(prompt=v2.PromptCapabilities(), meta={"a": 1}),
        meta={"acme": {}},
    )
    info = v2.Implementation(name="mine", version="3", title="Mine")
    mine = define(v2.SessionAgent, info=info, capabilities=stated, auth_methods=[])
    told = introduction(mine)
    assert (told.info, told.capabilities, told.auth_methods) == (info, stated, [])


def test_a_stated_object_is_not_changed() -> None:
    mine = define(v2.SessionAgent, capabilities=v2.AgentCapabilities())
    assert introduction(mine).capabilities.session == v2.SessionCapabilities()
    assert mine.capabilities == v2.AgentCapabilities()


def test_what_is_stated_to_be_absent_stays_so() -> None:
    absent = v1.AgentCapabilities(session_capabilities=v1.SessionCapabilities(close=None))
    mine = define(v1.SessionAgent, capabilities=absent)
    assert introduction(mine).agent_capabilities.session_capabilities.close is None


def test_an_object_may_state_what_its_class_does_not() -> None:
    mine = define(v1.AgentHandler)()
    mine.info = v1.Implementation(name="object", version="1")
    assert introduction(mine).agent_info == mine.info
    assert introduction(type(mine)).agent_info is UNSET


async def test_an_override_may_add_to_the_default() -> None:
    class Mine(v1.AgentHandler):
        async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
            response = await super().initialize(params)
            response.meta = {"asked": params.protocol_version}
            return response

    async with connect_memory(Mine, v1.ClientHandler) as peer:
        assert (await peer.initialize()).meta == {"asked": 1}


def test_extensions_count_as_well() -> None:
    capability = v1.AGENT_METHODS["session/load"].capability
    assert capability is not None
    tea = v1.EXTENSIONS["agent", "request"].named("_tea")
    there = type(capability)("/_meta/acme~1tea", ("meta", "acme/tea"))
    object.__setattr__(tea, "capability", there)
    object.__setattr__(tea, "handler", "tea")

    class Acme:
        METHODS: ClassVar[Any] = {"agent": {"_tea": tea}}

    extension: Extension = Acme()  # type: ignore[assignment]

    class Handling(v1.AgentHandler):
        surface = v1.AgentHandler.surface
        side = "agent"
        extensions = (extension,)

        async def tea(self, method: str, params: Any) -> Any: ...

    class Mine(Handling):
        async def tea(self, method: str, params: Any) -> Any: ...

    assert introduction(Handling).meta is UNSET
    assert introduction(Mine).meta == {"acme/tea": {}}


# --- contradictions --------------------------------------------------------------------------

LOADS = v1.AgentCapabilities(load_session=True)
NO_LOAD = v1.AgentCapabilities(load_session=False)
NO_SESSIONS = v2.AgentCapabilities(session=None)
LOGIN = v2.AuthMethodAgent(method_id="a", name="A")


@pytest.mark.parametrize(
    ("base", "members", "message"),
    [
        (
            v1.AgentHandler,
            {"capabilities": LOADS},
            "Mine advertises /agentCapabilities/loadSession, but has no session_load",
        ),
        (
            v1.AgentHandler,
            {"capabilities": NO_LOAD, "session_load": True},
            "nothing calls Mine.session_load: what the class states leaves out "
            "/agentCapabilities/loadSession; state it, or leave the method out",
        ),
        (
            v2.SessionAgent,
            {"capabilities": NO_SESSIONS, "session_list": True},
            "nothing calls Mine.session_list: what the class states leaves out "
            "/capabilities/session; state it, or leave the method out",
        ),
        (
            v2.SessionAgent,
            {"auth_login": True, "auth_logout": True},
            "nothing calls Mine.auth_login: the class does not advertise /authMethods; "
            "state auth_methods in it",
        ),
        (
            v2.SessionAgent,
            {"auth_methods": [LOGIN], "auth_login": True},
            "Mine advertises /authMethods, but has no auth_logout",
        ),
        (
            v1.ClientHandler,
            dict.fromkeys(("terminal_create", "terminal_kill", "terminal_output"), True),
            "Mine advertises /clientCapabilities/terminal, but has no terminal_release "
            "and no terminal_wait_for_exit",
        ),
        (v1.AgentHandler, {"capabilities": LOADS, "session_load": True}, None),
        (v1.AgentHandler, {"capabilities": LOADS, "initialize": True}, None),
        (
            v2.SessionAgent,
            {"auth_methods": [LOGIN], "auth_login": True, "auth_logout": True},
            None,
        ),
        (v1.AgentHandler, {"capabilities": property(lambda self: LOADS)}, None),
        (v1.SessionAgent, {}, None),
        (v2.SessionAgent, {}, None),
        (v1.SessionClient, {"fs_read_text_file": True}, None),
    ],
)
def test_contradictions_are_told(base: type, members: Any, message: str | None) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        define(base, **members)
    assert [str(each.message) for each in caught] == ([] if message is None else [message])
    assert all((each.category, each.filename) == (UserWarning, __file__) for each in caught)
