"""What a side says of itself in `initialize`, and the contradictions in it."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any, ClassVar

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import UNSET
from acp_bindings.runtime.aio import connect_memory
from acp_bindings.runtime.jsonrpc.handler import introduction
from acp_bindings.runtime.jsonrpc.method import Extension

V1_CLOSE = v1.SessionCapabilities(close=v1.SessionCloseCapabilities())


def define(base: type, **members: Any) -> Any:
    """A class of handlers; its methods do nothing."""

    async def handle(self: Any, params: Any) -> Any: ...

    async def turn(self: Any, session: Any, params: Any) -> Any: ...

    for name, value in members.items():
        members[name] = {"turn": turn}.get(name, handle) if value is True else value
    return type("Mine", (base,), members)


# --- what follows from methods ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "members", "expected"),
    [
        (v1.AgentHandler, {}, v1.InitializeResponse(protocol_version=1)),
        (
            v1.AgentHandler,
            {"session_load": True},
            v1.InitializeResponse(
                protocol_version=1, agent_capabilities=v1.AgentCapabilities(load_session=True)
            ),
        ),
        (
            v1.SessionAgent,
            {"turn": True, "info": v1.Implementation(name="a", version="1")},
            v1.InitializeResponse(
                protocol_version=1,
                agent_info=v1.Implementation(name="a", version="1"),
                agent_capabilities=v1.AgentCapabilities(session_capabilities=V1_CLOSE),
            ),
        ),
        (
            v2.SessionAgent,
            {"turn": True, "session_delete": True},
            v2.InitializeResponse(
                protocol_version=2,
                info=v2.AgentHandler.info,
                capabilities=v2.AgentCapabilities(
                    session=v2.SessionCapabilities(delete=v2.SessionDeleteCapabilities())
                ),
            ),
        ),
        (
            v1.ClientHandler,
            {"fs_write_text_file": True, "elicitation_create": True},
            v1.InitializeRequest(
                protocol_version=1,
                client_capabilities=v1.ClientCapabilities(
                    fs=v1.FileSystemCapabilities(write_text_file=True),
                    elicitation=v1.ElicitationCapabilities(),
                ),
            ),
        ),
    ],
)
def test_methods_imply_capabilities(base: type, members: Any, expected: Any) -> None:
    assert introduction(define(base, **members)) == expected


def test_what_is_stated_is_kept() -> None:
    class Mine(v2.SessionAgent):
        info = v2.Implementation(name="mine", version="3", title="Mine")
        capabilities = v2.AgentCapabilities(
            session=v2.SessionCapabilities(prompt=v2.PromptCapabilities(), meta={"a": 1}),
            meta={"acme": {}},
        )
        auth_methods: list[v2.AuthMethod] = []  # noqa: RUF012

        async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None: ...

    told = introduction(Mine)
    assert (told.info, told.capabilities, told.auth_methods) == (Mine.info, Mine.capabilities, [])


def test_a_stated_object_is_not_changed() -> None:
    class Mine(v2.SessionAgent):
        capabilities = v2.AgentCapabilities()

        async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None: ...

    assert introduction(Mine).capabilities.session == v2.SessionCapabilities()
    assert Mine.capabilities == v2.AgentCapabilities()


def test_what_is_stated_to_be_absent_stays_so() -> None:
    class Mine(v1.SessionAgent):
        capabilities = v1.AgentCapabilities(session_capabilities=v1.SessionCapabilities(close=None))

        async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None: ...

    assert introduction(Mine).agent_capabilities.session_capabilities.close is None


def test_an_object_may_state_what_its_class_does_not() -> None:
    mine = define(v1.AgentHandler)()
    mine.info = v1.Implementation(name="object", version="1")
    assert introduction(mine).agent_info == mine.info
    assert introduction(type(mine)).agent_info is UNSET


def test_an_override_may_add_to_the_default() -> None:
    class Mine(v1.AgentHandler):
        async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
            response = await super().initialize(params)
            response.meta = {"asked": params.protocol_version}
            return response

    async def main() -> None:
        async with connect_memory(Mine, v1.ClientHandler) as peer:
            assert (await peer.initialize()).meta == {"asked": 1}

    asyncio.run(main())


def test_extensions_count_as_well() -> None:
    capability = v1.AGENT_METHODS["session/load"].capability
    assert capability is not None
    tea = v1.EXTENSIONS["agent", "request"].named("_tea")
    object.__setattr__(
        tea, "capability", type(capability)("/_meta/acme~1tea", ("meta", "acme/tea"))
    )
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
TERMINAL = "terminal_create", "terminal_kill", "terminal_output"


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
            {"turn": True, "capabilities": NO_SESSIONS, "session_list": True},
            "nothing calls Mine.session_list: what the class states leaves out "
            "/capabilities/session; state it, or leave the method out",
        ),
        (
            v2.SessionAgent,
            {"turn": True, "auth_login": True, "auth_logout": True},
            "nothing calls Mine.auth_login: the class does not advertise /authMethods; "
            "state auth_methods in it",
        ),
        (
            v2.SessionAgent,
            {"turn": True, "auth_methods": [LOGIN], "auth_login": True},
            "Mine advertises /authMethods, but has no auth_logout",
        ),
        (
            v1.ClientHandler,
            dict.fromkeys(TERMINAL, True),
            "Mine advertises /clientCapabilities/terminal, but has no terminal_release "
            "and no terminal_wait_for_exit",
        ),
    ],
)
def test_contradictions_are_told(base: type, members: Any, message: str) -> None:
    with pytest.warns(UserWarning, match="Mine") as caught:
        define(base, **members)
    assert [str(each.message) for each in caught] == [message]
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("base", "members"),
    [
        (v1.AgentHandler, {"capabilities": LOADS, "session_load": True}),
        (v1.AgentHandler, {"capabilities": LOADS, "initialize": True}),
        (
            v2.SessionAgent,
            {"turn": True, "auth_methods": [LOGIN], "auth_login": True, "auth_logout": True},
        ),
        (v1.AgentHandler, {"capabilities": property(lambda self: LOADS)}),
        (v1.SessionAgent, {"turn": True}),
        (v2.SessionAgent, {"turn": True}),
        (v1.SessionClient, {"fs_read_text_file": True}),
    ],
)
def test_nothing_is_told_without_one(base: type, members: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        define(base, **members)
