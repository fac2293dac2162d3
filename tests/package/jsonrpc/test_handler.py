"""Tests of the capabilities that handler classes advertise and of warnings about methods."""

from __future__ import annotations

import abc
import asyncio
import functools
import json
import re
import sys
import types
import warnings
from collections.abc import Callable, Coroutine
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime import UNSET, Handler
from acp_bindings.runtime.aio import Peer, connect_memory, memory_streams
from acp_bindings.runtime.jsonrpc.handler import introduction
from acp_bindings.runtime.jsonrpc.method import Extension
from acp_bindings.v1.agent_session import AgentSession as V1AgentSession
from acp_bindings.v1.agent_session import SessionAgent as V1SessionAgent

INFO = {"name": "a", "version": "1"}


async def method(self: Any, params: Any) -> Any:
    """Stand in for any handler method with one argument."""


async def two(self: Any, first: Any, second: Any) -> Any:
    """Stand in for any handler method with two arguments."""


def having(*names: str, **members: Any) -> dict[str, Any]:
    """Return class members: a stand-in method for each name, and the members in `members`."""
    return {**dict.fromkeys(names, method), **members}


def define(base: type, **members: Any) -> Any:
    return type("Mine", (base,), members)


def complete(base: type, **members: Any) -> Any:
    """Return a subclass with these members, and with a turn if the base needs one."""
    return define(
        base, **members, **({"turn": two} if base in (v1.SessionAgent, v2.SessionAgent) else {})
    )


def told(make: Callable[[], object]) -> list[str]:
    """Create a class and return the warnings, all of which must refer to the `class` statement."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make()
    assert all((each.category, each.filename) == (UserWarning, __file__) for each in caught)
    return [str(each.message) for each in caught]


# --- capabilities derived from methods -------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "members", "expected"),
    [
        (v1.AgentHandler, {}, {}),
        (v1.AgentHandler, having("session_load"), {"agentCapabilities": {"loadSession": True}}),
        (
            v1.SessionAgent,
            {"info": v1.Implementation(**INFO)},
            {"agentInfo": INFO, "agentCapabilities": {"sessionCapabilities": {"close": {}}}},
        ),
        (
            v2.SessionAgent,
            having("session_delete", info=v2.Implementation(**INFO)),
            {"info": INFO, "capabilities": {"session": {"delete": {}}}},
        ),
        (
            v1.ClientHandler,
            having("fs_write_text_file", "elicitation_create"),
            {"clientCapabilities": {"fs": {"writeTextFile": True}, "elicitation": {}}},
        ),
    ],
)
def test_methods_imply_capabilities(base: Any, members: Any, expected: Any) -> None:
    told = json.loads(base.surface.dumps(introduction(complete(base, **members))))
    assert told == {"protocolVersion": base.surface.SCHEMA.protocol_version, **expected}


def test_what_is_stated_is_kept() -> None:
    stated = v2.AgentCapabilities(
        session=v2.SessionCapabilities(prompt=v2.PromptCapabilities(), meta={"a": 1}),
        meta={"acme": {}},
    )
    info = v2.Implementation(name="mine", version="3", title="Mine")
    mine = complete(v2.SessionAgent, info=info, capabilities=stated, auth_methods=[])
    told = introduction(mine)
    assert (told.info, told.capabilities, told.auth_methods) == (info, stated, [])


def test_a_stated_object_is_not_changed() -> None:
    mine = complete(v2.SessionAgent, capabilities=v2.AgentCapabilities())
    assert introduction(mine).capabilities.session == v2.SessionCapabilities()
    assert mine.capabilities == v2.AgentCapabilities()


def test_what_is_stated_to_be_absent_stays_so() -> None:
    absent = v1.AgentCapabilities(session_capabilities=v1.SessionCapabilities(close=None))
    mine = complete(v1.SessionAgent, capabilities=absent)
    assert introduction(mine).agent_capabilities.session_capabilities.close is None


def test_an_object_may_state_what_its_class_does_not() -> None:
    mine = complete(v1.AgentHandler)()
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
LOGIN = [v2.AuthMethodAgent(method_id="a", name="A")]
LEFT_OUT = "since {} is declared absent; advertise it, or remove the method"


@pytest.mark.parametrize(
    ("base", "members", "message"),
    [
        (
            v1.AgentHandler,
            {"capabilities": LOADS},
            "Mine advertises /agentCapabilities/loadSession but does not define session_load",
        ),
        (
            v1.AgentHandler,
            having("session_load", capabilities=NO_LOAD),
            "Mine.session_load is never called, "
            + LEFT_OUT.format("/agentCapabilities/loadSession"),
        ),
        (
            v2.SessionAgent,
            having("session_list", capabilities=NO_SESSIONS),
            "Mine.session_list is never called, " + LEFT_OUT.format("/capabilities/session"),
        ),
        (
            v2.SessionAgent,
            having("auth_login", "auth_logout"),
            "Mine.auth_login is never called, since the class does not advertise /authMethods; "
            "set auth_methods in the class",
        ),
        (
            v2.SessionAgent,
            having("auth_login", auth_methods=LOGIN),
            "Mine advertises /authMethods but does not define auth_logout",
        ),
        (
            v1.ClientHandler,
            having("terminal_create", "terminal_kill", "terminal_output"),
            "Mine advertises /clientCapabilities/terminal but does not define terminal_release "
            "and terminal_wait_for_exit",
        ),
        (v1.AgentHandler, having("session_load", capabilities=LOADS), None),
        (v1.AgentHandler, having("initialize", capabilities=LOADS), None),
        (v2.SessionAgent, having("auth_login", "auth_logout", auth_methods=LOGIN), None),
        (v1.AgentHandler, {"capabilities": property(lambda self: LOADS)}, None),
        (v1.SessionAgent, {}, None),
        (v2.SessionAgent, {}, None),
        (v1.SessionClient, having("fs_read_text_file"), None),
    ],
)
def test_contradictions_are_told(base: type, members: Any, message: str | None) -> None:
    assert told(lambda: complete(base, **members)) == ([] if message is None else [message])


# --- names of other libraries ------------------------------------------------------------------

# Method names of other SDKs and our names for them.
AGENT = {
    "new_session": "session_new",
    "prompt": "session_prompt",
    "cancel": "session_cancel",
    "set_session_mode": "session_set_mode",
    "set_config_option": "session_set_config_option",
    "ext_method": "ext_request",
    "handle_extension_notification": "ext_notification",
    "on_connect": "connected",
    "newSession": "session_new",
    "NewSession": "session_new",
    "session_promptt": "session_prompt",
    "Initialize": "initialize",
    "initialise": "initialize",
    "initializ": "initialize",
    "nitialize": "initialize",
    "unitialize": "initialize",
    "einitialize": "initialize",
    "initiallize": "initialize",
    "handle_cancel": "session_cancel",
}
CLIENT = {
    "request_permission": "session_request_permission",
    "read_text_file": "fs_read_text_file",
    "create_terminal": "terminal_create",
    "wait_for_terminal_exit": "terminal_wait_for_exit",
    "session_updates": "session_update",
    "read_file": "fs_read_text_file",
    "ext_method": "ext_request",
}


@pytest.mark.parametrize(
    ("base", "name", "meant"),
    [
        *((v1.AgentHandler, name, meant) for name, meant in AGENT.items()),
        *((v1.ClientHandler, name, meant) for name, meant in CLIENT.items()),
        (v2.AgentHandler, "new_session", "session_new"),
        (v1_unstable.AgentHandler, "list_providers", "providers_list"),
        (v1_unstable.AgentHandler, "set_provider", "providers_set"),
        (v2.ClientHandler, "request_permission", "session_request_permission"),
        (v1.SessionAgent, "prompt", "turn"),
        (v2.SessionAgent, "prompt", "turn"),
        (v2.SessionAgent, "new_session", "session_new"),
    ],
)
def test_the_name_of_another_library_is_told(base: type, name: str, meant: str) -> None:
    (text,) = told(lambda: define(base, **{name: method}))
    assert re.match(rf"Mine.{name} is never called; did you mean '{meant}'\?$", text)


def test_a_method_can_have_an_argument_by_keyword_only() -> None:
    async def new_session(self: Any, *, params: Any) -> None: ...

    (text,) = told(lambda: define(v1.AgentHandler, new_session=new_session))
    assert text == "Mine.new_session is never called; did you mean 'session_new'?"


@pytest.mark.parametrize(
    ("base", "name"),
    [
        (v1.ClientHandler, "permission"),
        (v1.AgentHandler, "initialisse"),
        (v1.AgentHandler, "itialize"),
        (v1.AgentHandler, "unitialise"),
        (v1.AgentHandler, "uritialize"),
        (v1.AgentHandler, "ixitialise"),
        (v1.AgentHandler, "initialism"),
        (v1.AgentHandler, "inititailze"),
    ],
)
def test_names_that_are_not_similar_to_a_method_are_silent(base: type, name: str) -> None:
    assert told(lambda: define(base, **{name: method})) == []


class Hooked(v1.AgentHandler):
    """Has a custom hook."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)


class Session(v1.AgentSession):
    """A custom session."""


class Meta(type):
    """A custom metaclass."""

    def __new__(cls, *args: Any) -> Any:
        return super().__new__(cls, *args)


T = TypeVar("T")
S = TypeVar("S", bound=V1AgentSession)

KINDS: dict[str, tuple[Any, ...]] = {
    "plain": (v1.AgentHandler,),
    "session": (v1.SessionAgent[Session],),
    "generic": (v1.AgentHandler, Generic[T]),
    "generic first": (Generic[T], v1.AgentHandler),
    "abstract": (v1.SessionAgent[Session], abc.ABC),
    "hook": (Hooked,),
    "hook of a generic": (Hooked, Generic[T]),
    "metaclass": (v1.AgentHandler,),
}
METACLASSES = {"metaclass": Meta}


@pytest.mark.parametrize("kind", KINDS)
def test_the_warning_points_to_the_class_statement(kind: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        line = sys._getframe().f_lineno + 2

        class Mine(*KINDS[kind], metaclass=METACLASSES.get(kind, type)):  # type: ignore[misc]
            new_session = method

    assert [(each.filename, each.lineno) for each in caught] == [(__file__, line)]


@pytest.mark.parametrize(
    ("base", "name", "function", "arguments"),
    [  # signatures with fields, a default, an extra argument, and too few arguments
        (
            v1.ClientHandler,
            "session_update",
            lambda self, session_id, update, **more: 0,
            "self, params",
        ),
        (
            v1.AgentHandler,
            "initialize",
            lambda self, protocol_version, info=None: 0,
            "self, params",
        ),
        (v1.AgentHandler, "authenticate", lambda self, params, *, more: 0, "self, params"),
        (v2.ClientHandler, "session_request_permission", lambda self: 0, "self, params"),
        (v2.AgentHandler, "ext_request", method, "self, method, params"),
    ],
)
def test_the_arguments_of_another_library_are_told(
    base: type, name: str, function: Any, arguments: str
) -> None:
    expected = f"Mine.{name} has the wrong arguments; write {name}({arguments})"
    (text,) = told(lambda: define(base, **{name: function}))
    assert text.startswith(expected)


def plain(self: Any, params: Any) -> Any:
    """Stand in for a one-argument method that is not async."""


def plain_two(self: Any, first: Any, second: Any) -> Any:
    """Stand in for a two-argument method that is not async."""


DROPPED = "Mine.{} is never called; 'session/set_model' was removed from the schema"
NO_TURN = "Mine does not define turn; write async def turn(self, session, params)"


@pytest.mark.parametrize(
    ("base", "members", "message"),
    [
        *(
            (v1.AgentHandler, having(name), DROPPED.format(name))
            for name in ("set_session_model", "session_set_model", "on_set_session_model")
        ),
        *(
            (base, {name: function}, f"Mine.{name} is not async; write async def {name}({wanted})")
            for base, name, function, wanted in (
                (v1.AgentHandler, "session_new", plain, "self, params"),
                (v1.AgentHandler, "ext_request", plain_two, "self, method, params"),
                (v1.SessionAgent, "turn", plain_two, "self, session, params"),
            )
        ),
        *((base, having("initialize"), NO_TURN) for base in (v1.SessionAgent, v2.SessionAgent)),
        *(
            (base, having(name), f"Mine.{name} is never called; only {side}s handle this method")
            for base, name, side in (
                (v2.AgentHandler, "session_update", "client"),
                (v1.AgentHandler, "fs_read_text_file", "client"),
                (v2.ClientHandler, "session_new", "agent"),
            )
        ),
    ],
)
def test_what_is_wrong_is_told(base: type, members: dict[str, Any], message: str) -> None:
    assert told(lambda: define(base, **members)) == [message]


async def yielding(self: Any, params: Any) -> Any:
    """Stand in for a method that is an async generator, not a coroutine function."""
    yield


@pytest.mark.parametrize(
    ("base", "wire", "function", "problem"),
    [
        (v1.AgentHandler, "session/new", plain, "is not async; write async def {}(self, params)"),
        (
            v2.ClientHandler,
            "session/update",
            plain,
            "is not async; write async def {}(self, params)",
        ),
        (
            v1.SessionAgent,
            "session/set_mode",
            plain,
            "is not async; write async def {}(self, params)",
        ),
        (
            v1.SessionClient,
            "session/update",
            plain,
            "is not async; write async def {}(self, params)",
        ),
        (v1.AgentHandler, "session/new", yielding, "yields values; write async def without yield"),
        (
            v1.AgentHandler,
            "_ask",
            plain_two,
            "is not async; write async def {}(self, method, params)",
        ),
    ],
)
def test_the_call_of_a_method_that_is_not_async_names_it(
    base: Any, wire: str, function: Any, problem: str
) -> None:
    methods = base.surface.METHODS[base.side]
    called = methods.get(wire) or base.surface.EXTENSIONS[base.side, "request"].named(wire)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cls = complete(base, **{called.handler: function})
        (text,) = [str(each.message) for each in caught]
        mine = define(cls)()  # the warning names the class that defines an inherited method
    expected = f"Mine.{called.handler} {problem.format(called.handler)}"
    assert text == expected
    with pytest.raises(TypeError) as raised:
        mine.handle(called, None)
    assert str(raised.value) == expected


@pytest.mark.parametrize("base", [v1.SessionAgent, v2.SessionAgent, v1.SessionClient])
def test_a_forgotten_call_of_the_base_class_is_explained(base: Any) -> None:
    class Forgetful(base):  # type: ignore[misc]
        turn = two

        def __init__(self, peer: Any = None) -> None:
            self.mine = True

    name = Forgetful.__qualname__
    expected = f"{name} is not initialized; call `super().__init__()` in {name}.__init__"

    async def main() -> None:
        with pytest.raises(TypeError) as raised:
            Peer(memory_streams()[0], base.side, Forgetful)
        assert str(raised.value) == expected

    asyncio.run(main())
    if base.side == "agent":
        with pytest.raises(TypeError) as raised:
            Forgetful().open()
        assert str(raised.value) == expected


def with_turn(space: dict[str, Any]) -> None:
    space["turn"] = two


@pytest.mark.parametrize("surface", [v1, v2])
@pytest.mark.parametrize("side", ["agent", "client"])
def test_a_forgotten_call_in_a_class_of_sessions_is_explained(surface: Any, side: str) -> None:
    session, handler = {
        "agent": (surface.AgentSession, surface.SessionAgent),
        "client": (surface.ClientSession, surface.SessionClient),
    }[side]

    class Forgetful(session):  # type: ignore[misc]
        def __init__(self, owner: Any, session_id: str) -> None:
            self.mine = True

    made = types.new_class("Mine", (handler[Forgetful],), exec_body=with_turn)()
    name = Forgetful.__qualname__
    call = f"`super().__init__({side}, session_id)`"
    with pytest.raises(TypeError) as raised:
        made.open("s") if side == "agent" else made.session("s")
    assert str(raised.value) == f"{name} is not initialized; call {call} in {name}.__init__"


# --- classes that cause no warnings ----------------------------------------------------------


async def without_params(self: Any) -> None:
    """Stand in for a coroutine method that handles no message."""


@functools.wraps(method)
def wrapped(self: Any, params: Any) -> Any:
    """Stand in for a function that a decorator returns."""


def passes_on(self: Any, params: Any) -> Coroutine[Any, Any, Any]:
    """Return an awaitable without being async."""
    return method(self, params)


class Worker:
    """A mixin that provides an agent's turn."""

    async def turn(self, session: Any, params: Any) -> Any: ...


class Unfinished(v1.SessionAgent, abc.ABC):
    """An abstract agent that leaves its turn to subclasses."""

    @abc.abstractmethod
    async def work(self) -> None: ...


AGENT_ONLY = (v1.AgentHandler,)


@pytest.mark.parametrize(
    ("bases", "members"),
    [
        (AGENT_ONLY, having("prompt", "session_prompt")),  # `prompt` is the agent's own helper
        (AGENT_ONLY, {"close": without_params, "cancel": without_params}),
        (AGENT_ONLY, {"prompt": lambda self, params: None, "new_session": "text"}),
        (AGENT_ONLY, having("_new_session", "read_settings", "run_tool", "session")),
        (AGENT_ONLY, having("initialize", "session_new", ext_request=two)),
        (AGENT_ONLY, {"initialize": lambda *args: 0}),
        (AGENT_ONLY, {"session_new": lambda self, params, *, more=None: 0}),
        (AGENT_ONLY, {"initialize": staticmethod(lambda params: params)}),
        # Functions that might return a coroutine.
        (AGENT_ONLY, {"session_new": passes_on}),
        (AGENT_ONLY, {"session_new": wrapped}),
        (AGENT_ONLY, {"session_new": lambda self, params: method(self, params)}),
        # A warning about the name of a removed request is emitted only for agents.
        ((v1.ClientHandler,), having("set_session_model")),
        # Methods for the program's own use.
        (AGENT_ONLY, having("handle_logout", "handle_output", session_update=two)),
        ((v2.AgentHandler,), having("load", "update_session", "request_permission")),
        # Agents that define, replace or inherit a turn.
        ((v1.SessionAgent,), {"turn": two}),
        ((v1.SessionAgent,), having("session_prompt")),
        ((Worker, v1.SessionAgent), {}),
        ((v1.SessionAgent, abc.ABC), {"turn": abc.abstractmethod(two)}),
        ((Unfinished,), {}),
        ((V1SessionAgent[S],), {}),
    ],
)
def test_what_is_left_alone(bases: Any, members: dict[str, Any]) -> None:
    def make() -> None:
        types.new_class("Mine", bases, exec_body=lambda space: space.update(members))

    assert told(make) == []


def test_a_subclass_is_not_told_again() -> None:
    with pytest.warns(UserWarning, match="is never called"):
        base = define(v1.AgentHandler, new_session=method)
    assert told(lambda: define(base, new_session=method)) == []
    assert told(lambda: define(Handler, new_session=method)) == []
    assert told(lambda: define(v1.SessionAgent, prompt=method, turn=two)) == []


@pytest.mark.parametrize(
    ("stable", "unstable"),
    [
        (v1.AgentHandler, v1_unstable.AgentHandler),
        (v1.ClientHandler, v1_unstable.ClientHandler),
        (v2.AgentHandler, v2_unstable.AgentHandler),
    ],
)
def test_what_only_the_unstable_surface_calls_is_left_alone(stable: type, unstable: type) -> None:
    """A handler class for both surfaces can define methods that only the unstable surface calls."""
    names = set(dir(unstable)) - set(dir(stable))
    assert len(names) > 0
    assert told(lambda: define(stable, **having(*names))) == []


# --- several bases ---------------------------------------------------------------------------


class Files:
    """A mixin with file methods for protocol 1 clients."""

    fs_read_text_file = method
    fs_write_text_file = method


class FilesOfV1(v1.ClientHandler):
    """A handler class for protocol 1 clients, with a file method."""

    fs_read_text_file = method


class Asking(v1.ClientHandler):
    """A handler class with a method that `SessionClient` also defines."""

    session_request_permission = method


class Received:
    """A mixin with a hook that handlers define."""

    def received(self, method: Any, params: Any) -> None: ...


class Passing(v1.ClientHandler):
    """A handler class with a hook that `SessionClient` calls through `super`."""

    def handle(self, method: Any, params: Any) -> Any:
        return super().handle(method, params)


class Stating:
    """A mixin that declares capabilities."""

    capabilities = v1.ClientCapabilities(terminal=False)


class AbstractFiles(abc.ABC):
    """Declares a method."""

    @abc.abstractmethod
    async def fs_read_text_file(self, params: Any) -> Any: ...


class AbstractWorker(abc.ABC):
    """Declares a turn."""

    @abc.abstractmethod
    async def turn(self, session: Any, params: Any) -> Any: ...


class DeclaredFiles(Protocol):
    """Declares a method."""

    async def fs_read_text_file(self, params: Any) -> Any: ...


class ClientWindow(v1.ClientSession):
    """A session of a client."""


def combine(*bases: Any, **members: Any) -> Any:
    return types.new_class("Mine", bases, exec_body=lambda space: space.update(members))


DIFFERENT = "Mine extends handlers for different surfaces or sides: "
INSTEAD = "; write a class for each and move shared methods to a class without these bases"
MIXED: list[tuple[tuple[Any, ...], str]] = [
    ((FilesOfV1, v2.SessionClient), "FilesOfV1 (v1, client), SessionClient (v2, client)"),
    ((v2.SessionClient, FilesOfV1), "SessionClient (v2, client), FilesOfV1 (v1, client)"),
    (
        (FilesOfV1, v2.SessionClient[v2.ClientSession]),
        "FilesOfV1 (v1, client), SessionClient (v2, client)",
    ),
    (
        (v1.SessionClient, v2.SessionClient),
        "SessionClient (v1, client), SessionClient (v2, client)",
    ),
    (
        (v1.ClientHandler, v1_unstable.ClientHandler),
        "ClientHandler (v1, client), ClientHandler (v1_unstable, client)",
    ),
    ((v1.AgentHandler, v1.ClientHandler), "AgentHandler (v1, agent), ClientHandler (v1, client)"),
    ((v2.SessionAgent, v2.SessionClient), "SessionAgent (v2, agent), SessionClient (v2, client)"),
    ((Files, FilesOfV1, v2.AgentHandler), "FilesOfV1 (v1, client), AgentHandler (v2, agent)"),
    (
        (v1.AgentHandler, v2.AgentHandler, Handler),
        "AgentHandler (v1, agent), AgentHandler (v2, agent)",
    ),
    (
        (v1_unstable.ProxyHandler, v1_unstable.AgentHandler, v1_unstable.ClientHandler),
        "ProxyHandler (v1_unstable, proxy), AgentHandler (v1_unstable, agent), "
        "ClientHandler (v1_unstable, client)",
    ),
]


@pytest.mark.parametrize(("bases", "names"), MIXED)
def test_handlers_of_different_surfaces_or_sides_are_refused(
    bases: tuple[Any, ...], names: str
) -> None:
    with pytest.raises(TypeError) as caught:
        combine(*bases)
    assert str(caught.value) == DIFFERENT + names + INSTEAD


HIDDEN: list[tuple[tuple[Any, ...], str, str]] = [
    (
        (v1.SessionClient, Files),
        "Files.fs_read_text_file and 1 more: SessionClient",
        "Files, SessionClient",
    ),
    (
        (v1.ClientHandler, Files),
        "Files.fs_read_text_file and 1 more: ClientHandler",
        "Files, ClientHandler",
    ),
    (
        (v1.SessionClient[ClientWindow], Files),
        "Files.fs_read_text_file and 1 more: SessionClient",
        "Files, SessionClient",
    ),
    (
        (v1.SessionClient, Asking),
        "Asking.session_request_permission: SessionClient",
        "Asking, SessionClient",
    ),
    (
        (v1.SessionClient, Received, Stating),
        "Received.received and 1 more: SessionClient",
        "Received, Stating, SessionClient",
    ),
    ((v1.SessionClient, Stating), "Stating.capabilities: SessionClient", "Stating, SessionClient"),
    ((v1.SessionAgent, Worker), "Worker.turn: SessionAgent", "Worker, SessionAgent"),
    ((FilesOfV1, Received), "Received.received: FilesOfV1", "Received, FilesOfV1"),
]


@pytest.mark.parametrize(("bases", "ignored", "order"), HIDDEN)
def test_attributes_that_an_earlier_base_hides_are_reported(
    bases: tuple[Any, ...], ignored: str, order: str
) -> None:
    message = f"Mine ignores {ignored} comes first; write `class Mine({order})`"
    assert told(lambda: combine(*bases)) == [message]


def test_a_protocol_in_front_of_a_handler_is_reported() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        combine(v1.ClientMethods, v1.SessionClient)
    [text] = [str(each.message) for each in caught]
    assert text.startswith("Mine ignores SessionClient.session_request_permission and ")
    end = "more: ClientMethods comes first; write `class Mine(SessionClient, ClientMethods)`"
    assert text.endswith(end)


@pytest.mark.parametrize(
    ("bases", "members"),
    [
        ((Files, v1.SessionClient), {}),
        ((Files, v1.SessionClient[ClientWindow]), {}),
        ((Files, v2.SessionClient), {}),
        ((FilesOfV1, v1.SessionClient), {}),
        ((v1.SessionClient, FilesOfV1), {}),  # `FilesOfV1` precedes the common base
        ((v1.SessionClient, Passing), {}),
        ((v1.SessionClient, AbstractFiles), {}),
        ((AbstractFiles, v1.SessionClient), having("fs_read_text_file")),
        ((v1.SessionClient, DeclaredFiles), {}),
        ((v1.SessionClient, v1.ClientMethods), {}),
        ((v1.SessionClient, Files), having("fs_read_text_file", "fs_write_text_file")),
        ((v1_unstable.AgentHandler, v1_unstable.ProxyHandler), {}),
        ((v1_unstable.ProxyHandler, v1_unstable.AgentHandler), {}),
    ],
)
def test_compatible_bases_cause_no_warning(bases: Any, members: dict[str, Any]) -> None:
    assert told(lambda: combine(*bases, **members)) == []


def test_an_abstract_turn_behind_an_agent_is_missing() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        combine(v1.SessionAgent, AbstractWorker)
    assert [str(each.message) for each in caught] == [NO_TURN]


def test_a_subclass_causes_no_second_warning_about_its_bases() -> None:
    with pytest.warns(UserWarning, match="Mine ignores"):
        base = combine(v1.SessionClient, Received)
    assert told(lambda: combine(base)) == []
    assert told(lambda: combine(Files, base)) == []


async def test_a_factory_makes_handlers_of_its_surface() -> None:
    near, _ = memory_streams()
    with pytest.raises(TypeError, match=r"returned a handler for v1; pass `\{v1: factory\}`"):
        Peer(near, "client", {v2: lambda peer: v1.ClientHandler()})


# --- base classes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "members"),
    [
        (v2.SessionAgent, {}),
        (v1.ClientHandler, having("terminal_create")),
        (v1.ClientHandler, {"terminal_create": two, "capabilities": v1.ClientCapabilities()}),
    ],
)
def test_a_base_class_is_warned_of_nothing(base: type, members: dict[str, Any]) -> None:
    assert told(lambda: define(base, **members))
    assert told(lambda: define(base, is_base=True, **members)) == []


def test_handlers_advertise_the_methods_of_a_base_class() -> None:
    base = define(v1.ClientHandler, is_base=True, **having("fs_read_text_file"))
    stated = introduction(define(base))
    assert stated.client_capabilities.fs.read_text_file is True


def test_handlers_that_extend_a_base_class_are_checked() -> None:
    base = define(v2.SessionAgent, is_base=True)
    [warning] = told(lambda: define(base))
    assert "does not define turn" in warning


# --- notifications that are ignored ----------------------------------------------------------


class Updated(v1.ClientHandler):
    """A handler class with a method for a notification."""

    async def session_update(self, params: Any) -> None: ...


def having_attribute(name: str) -> Any:
    client = v1.ClientHandler()
    setattr(client, name, method)
    return client


@pytest.mark.parametrize(
    ("client", "ignores"),
    [
        (v1.ClientHandler(), True),
        (v1.SessionClient(), True),
        (types.new_class("Client", (FilesOfV1, v1.SessionClient))(), True),
        (Updated(), False),
        (types.new_class("Client", (v1.SessionClient, Updated))(), False),
        (Passing(), False),
        (types.new_class("Client", (v1.SessionClient, Passing))(), False),
        (having_attribute("session_update"), False),
        (having_attribute("handle"), False),
    ],
)
def test_a_notification_is_ignored_unless_a_method_for_it_is_overridden(
    client: Any, ignores: bool
) -> None:
    assert client.ignores(v1.CLIENT_METHODS["session/update"]) is ignores


def test_requests_are_not_ignored() -> None:
    assert not v1.ClientHandler().ignores(v1.CLIENT_METHODS["session/request_permission"])
