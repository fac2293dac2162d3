"""What is told of handlers: methods that nothing calls or that are missing, and the wrong side."""

from __future__ import annotations

import abc
import contextlib
import functools
import re
import sys
import types
import warnings
from collections.abc import Coroutine, Iterator
from typing import Any, Generic, TypeVar

import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime import Handler
from acp_bindings.v1.agent_session import AgentSession as V1AgentSession
from acp_bindings.v1.agent_session import SessionAgent as V1SessionAgent
from acp_bindings.v2.agent_session import SessionAgent as V2SessionAgent

# What others call the methods, and what they are called here.
AGENT = {
    "new_session": "session_new",
    "prompt": "session_prompt",
    "cancel": "session_cancel",
    "set_session_mode": "session_set_mode",
    "set_config_option": "session_set_config_option",
    "ext_method": "ext_request",
    "handle_extension_notification": "ext_notification",
    "on_connect": "__init__",
    "newSession": "session_new",
    "session_promptt": "session_prompt",
    "initialise": "initialize",
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


async def method(self: Any, params: Any) -> Any:
    """The body of each method here."""


async def two(self: Any, first: Any, second: Any) -> Any:
    """The body of each method of two arguments."""


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Nothing is told."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def told(base: type, **members: Any) -> str:
    """What is told of a class, once and at its place."""
    with pytest.warns(UserWarning, match="Mine") as caught:
        define(base, **members)
    (warning,) = caught
    assert warning.filename == __file__
    return str(warning.message)


def define(base: type, **members: Any) -> type:
    return type("Mine", (base,), members)


@pytest.mark.parametrize(
    ("base", "name", "meant"),
    [
        *((v1.AgentHandler, name, meant) for name, meant in AGENT.items()),
        *((v1.ClientHandler, name, meant) for name, meant in CLIENT.items()),
        (v2.AgentHandler, "new_session", "session_new"),
        (v1_unstable.AgentHandler, "list_providers", "providers_list"),
        (v1_unstable.AgentHandler, "set_provider", "providers_set"),
        (v2.ClientHandler, "request_permission", "session_request_permission"),
        (V1SessionAgent, "prompt", "turn"),
        (V2SessionAgent, "prompt", "turn"),
        (V2SessionAgent, "new_session", "session_new"),
    ],
)
def test_the_name_of_another_library_is_told(base: type, name: str, meant: str) -> None:
    text = told(base, **{name: method})
    assert re.match(f"nothing calls Mine.{name}: .* called {meant}", text)


T = TypeVar("T")


class Hooked(v1.AgentHandler):
    """Has a hook of its own."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)


class Session(V1AgentSession):
    """A session of one's own."""


class Meta(type):
    """A metaclass of one's own."""

    def __new__(cls, *args: Any) -> Any:
        return super().__new__(cls, *args)


KINDS: dict[str, tuple[Any, ...]] = {
    "plain": (v1.AgentHandler,),
    "session": (V1SessionAgent[Session],),
    "generic": (v1.AgentHandler, Generic[T]),
    "generic first": (Generic[T], v1.AgentHandler),
    "abstract": (V1SessionAgent[Session], abc.ABC),
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
    [  # a call by names, of a default, of more than params, and of less
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
    expected = f"Mine.{name} takes other arguments: write {name}({arguments})"
    assert told(base, **{name: function}).startswith(expected)


async def without_params(self: Any) -> None:
    """A coroutine that is no handler of anything."""


@pytest.mark.parametrize(
    "members",
    [
        {"prompt": method, "session_prompt": method},  # it calls its own
        {"close": without_params, "cancel": without_params},
        {"prompt": lambda self, params: None, "new_session": "text"},
        {"_new_session": method, "read_settings": method, "run_tool": method, "session": method},
        {"initialize": method, "session_new": method, "ext_request": two},
        {"initialize": lambda *args: 0, "session_new": lambda self, params, *, more=None: 0},
        {"initialize": staticmethod(lambda params: params)},
    ],
)
def test_other_names_are_left_alone(members: dict[str, Any]) -> None:
    with silence():
        define(v1.AgentHandler, **members)


@pytest.mark.parametrize("name", ["set_session_model", "session_set_model", "on_set_session_model"])
def test_what_the_schema_has_dropped_is_told(name: str) -> None:
    expected = f"nothing calls Mine.{name}: the schema has no session/set_model any more"
    assert told(v1.AgentHandler, **{name: method}) == expected
    with silence():  # a client may have what the agent no longer handles
        define(v1.ClientHandler, **{name: method})


# --- not async -------------------------------------------------------------------------------


def plain(self: Any, params: Any) -> Any:
    """A handler that nothing can wait for."""


def plain_two(self: Any, first: Any, second: Any) -> Any:
    """The same, of two arguments."""


def passes_on(self: Any, params: Any) -> Coroutine[Any, Any, Any]:
    """A function that returns what is awaited."""
    return method(self, params)


@functools.wraps(method)
def wrapped(self: Any, params: Any) -> Any:
    """The function that a decorator makes."""


@pytest.mark.parametrize(
    ("base", "name", "function", "wanted"),
    [
        (v1.AgentHandler, "session_new", plain, "session_new(self, params)"),
        (v1.AgentHandler, "ext_request", plain_two, "ext_request(self, method, params)"),
        (V1SessionAgent, "turn", plain_two, "turn(self, session, params)"),
    ],
)
def test_a_handler_that_is_not_async_is_told(
    base: type, name: str, function: Any, wanted: str
) -> None:
    assert told(base, **{name: function}) == f"Mine.{name} is not async: write async def {wanted}"


@pytest.mark.parametrize(
    "function", [passes_on, wrapped, lambda self, params: method(self, params)]
)
def test_what_may_return_a_coroutine_is_left_alone(function: Any) -> None:
    with silence():
        define(v1.AgentHandler, session_new=function)


# --- missing ---------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [V1SessionAgent, V2SessionAgent])
def test_a_missing_turn_is_told(base: type) -> None:
    expected = "Mine has no turn: write async def turn(self, session, params)"
    assert told(base, initialize=method) == expected


class Worker:
    """Has the turn of an agent that extends it, too."""

    turn = two


class Unfinished(V1SessionAgent, abc.ABC):
    """Leaves its turn to those that extend it."""

    @abc.abstractmethod
    async def work(self) -> None: ...


S = TypeVar("S", bound=V1AgentSession)


@pytest.mark.parametrize(
    ("bases", "members"),
    [
        ((V1SessionAgent,), {"turn": two}),
        ((V1SessionAgent,), {"session_prompt": method}),
        ((Worker, V1SessionAgent), {}),
        ((V1SessionAgent, abc.ABC), {"turn": abc.abstractmethod(two)}),
        ((Unfinished,), {}),
        ((V1SessionAgent[S],), {}),
    ],
)
def test_a_turn_that_is_elsewhere_is_not_missing(bases: Any, members: dict[str, Any]) -> None:
    with silence():
        types.new_class("Mine", bases, exec_body=lambda space: space.update(members))


def test_a_subclass_is_not_told_again() -> None:
    with pytest.warns(UserWarning, match="nothing calls"):
        base = define(v1.AgentHandler, new_session=method)
    with silence():
        define(base, new_session=method)
        define(Handler, new_session=method)
        define(V1SessionAgent, prompt=method, turn=two)


@pytest.mark.parametrize(
    ("stable", "unstable"),
    [
        (v1.AgentHandler, v1_unstable.AgentHandler),
        (v1.ClientHandler, v1_unstable.ClientHandler),
        (v2.AgentHandler, v2_unstable.AgentHandler),
    ],
)
def test_what_only_the_unstable_surface_calls_is_left_alone(stable: type, unstable: type) -> None:
    """A handler for both surfaces has names that are near to none of the stable one."""
    names = set(dir(unstable)) - set(dir(stable))
    assert len(names) > 0
    with silence():
        define(stable, **dict.fromkeys(names, method))


# --- of the other side -----------------------------------------------------------------------
