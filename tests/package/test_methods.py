"""Tests that method tables, handlers and stubs match the schema, and that stubs check calls."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime import CapabilityError, Handler, Method, RequestError, Stub

from tests.support.paths import SCHEMA

SURFACES: dict[str, tuple[ModuleType, str]] = {
    "v1": (v1, "v1/schema.json"),
    "v1_unstable": (v1_unstable, "v1/schema.unstable.json"),
    "v2": (v2, "v2/schema.json"),
    "v2_unstable": (v2_unstable, "v2/schema.unstable.json"),
}
each_surface = pytest.mark.parametrize("name", SURFACES)


class Listed(NamedTuple):
    """A method, as described by its envelope and by the annotation of its params."""

    side: str
    kind: str
    name: str
    params: str
    result: str | None


def tables(surface: ModuleType) -> dict[str, Any]:
    """Return a surface's method tables, by side."""
    return {
        name.removesuffix("_METHODS").lower(): getattr(surface, name)
        for name in surface.__all__
        if name.endswith("_METHODS")
    }


def methods(surface: ModuleType) -> list[Method[Any, Any]]:
    """Return all methods of the tables, including notifications that share a request's name."""
    found = [method for table in tables(surface).values() for method in table.values()]
    return found + [each.notification for each in found if each.notification is not None]


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].rpartition("/")[2]
        for value in schema.values():
            yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


def listed(file: str) -> set[Listed]:
    """Return the methods that the message envelopes in a schema file refer to."""
    root = json.loads((SCHEMA / file).read_text(encoding="utf-8"))
    definitions = root.pop("$defs")
    annotated = {name for name, schema in definitions.items() if "x-method" in schema}
    found: set[Listed] = set()
    in_envelopes: set[str] = set()
    for name, schema in definitions.items():
        if schema.get("x-docs-ignore"):
            sender, kind = re.fullmatch(r"(.+)(Request|Response|Notification)", name).groups()  # type: ignore[union-attr]
            in_envelopes |= annotated & set(references(schema))
            if kind == "Response":
                continue
            handler = {"Agent": "Client", "Client": "Agent"}.get(sender, sender)
            results = {
                definitions[each]["x-method"]: each
                for each in references(definitions[f"{handler}Response"])
                if each in annotated
            }
            for each in annotated & set(references(schema)):
                wire = definitions[each]["x-method"]
                result = results[wire] if kind == "Request" else None
                found.add(Listed(handler.lower(), kind.lower(), wire, each, result))
    for each in (annotated - in_envelopes) & set(references(root)):
        found.add(Listed("protocol", "notification", definitions[each]["x-method"], each, None))
    return found


@each_surface
def test_tables_annotations_and_envelopes_agree(name: str) -> None:
    surface, file = SURFACES[name]
    definitions = json.loads((SCHEMA / file).read_text(encoding="utf-8"))["$defs"].items()
    annotated = {(s["x-side"], s["x-method"]) for _, s in definitions if "x-method" in s}
    assert {(m.side, m.name) for m in methods(surface)} == annotated
    names = {id(form): name for name, form in reversed(surface.TYPES.items())}
    stated = {
        Listed(m.side, m.kind, m.name, names[id(m.params)], m.result and names[id(m.result)])
        for m in methods(surface)
    }
    forms = {
        each._replace(
            params=names[id(surface.TYPES[each.params])],
            result=each.result and names[id(surface.TYPES[each.result])],
        )
        for each in listed(file)
    }
    assert stated == forms
    assert len(stated) >= len(annotated) > 15
    used = {each for m in listed(file) for each in (m.params, m.result) if each}
    assert used == {definition for definition, s in definitions if "x-method" in s}


@each_surface
def test_tables_are_read_only(name: str) -> None:
    surface = SURFACES[name][0]
    assert tables(surface).keys() >= {"agent", "client", "protocol"}
    for table in tables(surface).values():
        with pytest.raises(TypeError):
            table["x"] = None


class Recorder:
    """A caller that records calls. A request returns "result of METHOD"."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any, Any]] = []

    async def request(self, method: Any, params: Any, /) -> Any:
        self.calls.append(("request", method, params))
        return f"result of {method.name}"

    async def notify(self, method: Any, params: Any, /) -> None:
        self.calls.append(("notification", method, params))


@each_surface
def test_stubs_call_what_the_tables_say(name: str) -> None:
    surface = SURFACES[name][0]
    for method in methods(surface):
        sides = ("agent", "client") if method.side == "protocol" else (method.side,)
        for side in sides:
            caller = Recorder()
            stub = getattr(surface, f"{side.capitalize()}Stub")(caller)
            assert isinstance(stub, Stub)
            function = getattr(stub, method.handler)
            assert function.__doc__
            params = object()
            result = asyncio.run(function(params))
            assert caller.calls == [(method.kind, method, params)]
            assert result == (f"result of {method.name}" if method.kind == "request" else None)


@each_surface
def test_extensions_keep_their_names(name: str) -> None:
    surface = SURFACES[name][0]
    for stub in (surface.AgentStub, surface.ClientStub):
        caller = Recorder()
        asyncio.run(stub(caller).ext_request("_x/y", {"a": 1}))
        asyncio.run(stub(caller).ext_notification("_z", None))
        names = [(kind, method.name, params) for kind, method, params in caller.calls]
        assert names == [("request", "_x/y", {"a": 1}), ("notification", "_z", None)]


def test_what_is_no_name_of_an_extension_is_refused() -> None:
    call = v1.AgentStub(Recorder()).ext_request("x/y", {})
    with pytest.raises(ValueError, match="'x/y' is not the name of an extension"):
        asyncio.run(call)
    with pytest.raises(ValueError, match="'_x' is not the name of an extension"):
        v1.AGENT_METHODS["session/new"].named("_x")


@each_surface
def test_handlers_refuse_requests_and_ignore_notifications_by_default(name: str) -> None:
    surface = SURFACES[name][0]
    # Other tests cover the default `initialize`, together with each side's info and capabilities.
    for method in [each for each in methods(surface) if each.name != "initialize"]:
        role = "Agent" if method.side == "protocol" else method.side.capitalize()
        handler = getattr(surface, f"{role}Handler")()
        assert isinstance(handler, Handler)
        assert getattr(handler, method.handler).__doc__
        call = handler.handle(method, None)
        if method.kind == "notification":
            assert asyncio.run(call) is None
            continue
        with pytest.raises(RequestError) as caught:
            asyncio.run(call)
        assert caught.value.code == -32601
        assert method.name in caught.value.message


# --- capabilities ----------------------------------------------------------------------------


def advertise(surface: ModuleType, side: str, capabilities: dict[str, Any]) -> Any:
    """Return a side's params or result for `initialize`, with these capabilities."""
    member = "capabilities" if surface.SCHEMA.protocol_version > 1 else f"{side}Capabilities"
    data = {"protocolVersion": surface.SCHEMA.protocol_version, member: capabilities}
    if surface.SCHEMA.protocol_version > 1:
        data["info"] = {"name": "n", "version": "1"}
    cls = surface.InitializeRequest if side == "client" else surface.InitializeResponse
    return surface.decode(cls, data, strict=True)


def below(pointer: str, value: Any) -> Any:
    """Return a capabilities object with this value at the pointer."""
    for name in reversed(pointer.split("/")[2:]):
        value = {name: value}
    return value


@pytest.mark.parametrize(
    ("surface", "side", "method", "capability"),
    [
        (v1, "agent", "session_load", "/agentCapabilities/loadSession"),
        (v1, "agent", "session_list", "/agentCapabilities/sessionCapabilities/list"),
        (v1, "client", "terminal_kill", "/clientCapabilities/terminal"),
        (v1, "client", "fs_read_text_file", "/clientCapabilities/fs/readTextFile"),
        (v2, "agent", "session_delete", "/capabilities/session/delete"),
        (v2, "agent", "session_new", "/capabilities/session"),
        (v2, "client", "elicitation_complete", "/capabilities/elicitation/url"),
    ],
)
def test_a_stub_calls_only_what_was_advertised(
    surface: ModuleType, side: str, method: str, capability: str
) -> None:
    stub = getattr(surface, f"{side.capitalize()}Stub")
    is_flag = capability.endswith(("loadSession", "terminal", "readTextFile"))
    yes, no = (True, False) if is_flag else ({}, None)
    caller = Recorder()
    able = advertise(surface, side, below(capability, yes))
    asyncio.run(getattr(stub(caller, able), method)(None))
    assert len(caller.calls) == 1
    for capabilities in ({}, below(capability, no)):
        call = getattr(stub(caller, advertise(surface, side, capabilities)), method)(None)
        with pytest.raises(CapabilityError) as caught:
            asyncio.run(call)
        assert caught.value.capability == capability
        assert capability in str(caught.value)
    assert len(caller.calls) == 1


def test_ways_to_sign_in_advertise_signing_in() -> None:
    info = v2.Implementation(name="n", version="1")
    methods: list[v2.AuthMethod] = [v2.AuthMethodAgent(method_id="m", name="n")]
    login = v2.LoginAuthRequest(method_id="m")
    with_one = v2.InitializeResponse(protocol_version=2, info=info, auth_methods=methods)
    with_none = v2.InitializeResponse(protocol_version=2, info=info, auth_methods=[])
    asyncio.run(v2.AgentStub(Recorder(), with_one).auth_login(login))
    call = v2.AgentStub(Recorder(), with_none).auth_login(login)
    with pytest.raises(CapabilityError, match="/authMethods"):
        asyncio.run(call)


def test_a_member_can_need_a_capability_of_its_own() -> None:
    plain = advertise(v2, "agent", {"session": {}})
    caller = Recorder()
    for directories in (v2.UNSET, []):
        params = v2.NewSessionRequest(cwd="/p", additional_directories=directories)
        asyncio.run(v2.AgentStub(caller, plain).session_new(params))
    assert len(caller.calls) == 2
    more = v2.NewSessionRequest(cwd="/p", additional_directories=["/q"])
    call = v2.AgentStub(caller, plain).session_new(more)
    with pytest.raises(CapabilityError, match="session/new with additional_directories requires"):
        asyncio.run(call)
    able = advertise(v2, "agent", {"session": {"additionalDirectories": {}}})
    asyncio.run(v2.AgentStub(caller, able).session_new(more))
    assert len(caller.calls) == 3


@pytest.mark.parametrize(
    ("surface", "prompt", "yes"),
    [(v1, "/agentCapabilities/promptCapabilities", True), (v2, "/capabilities/session/prompt", {})],
)
def test_content_of_a_kind_can_need_a_capability(
    surface: ModuleType, prompt: str, yes: Any
) -> None:
    able, unable = (below(f"{prompt}/{kind}", yes) for kind in ("image", "audio"))
    text = surface.TextContent(text="t")
    link = surface.ResourceLink(name="n", uri="file:///n")
    image = surface.ImageContent(data="", mime_type="image/png")
    custom = surface.UnknownContentBlock("_x", {"type": "_x"})
    plain = surface.PromptRequest(session_id="s", prompt=[text, link, custom])
    picture = surface.PromptRequest(session_id="s", prompt=[text, image])
    caller = Recorder()
    deaf = surface.AgentStub(caller, advertise(surface, "agent", unable))
    asyncio.run(deaf.session_prompt(plain))
    call = deaf.session_prompt(picture)
    with pytest.raises(CapabilityError, match="session/prompt with ImageContent") as caught:
        asyncio.run(call)
    assert caught.value.capability == f"{prompt}/image"
    seeing = surface.AgentStub(caller, advertise(surface, "agent", able))
    asyncio.run(seeing.session_prompt(picture))
    assert len(caller.calls) == 2


@each_surface
def test_an_unchecked_stub_sends_calls_that_were_not_advertised(name: str) -> None:
    surface = SURFACES[name][0]
    for side in ("agent", "client"):
        caller = Recorder()
        make = getattr(surface, f"{side.capitalize()}Stub")
        stub = make(caller, advertise(surface, side, {}), check_capabilities=False)
        needing = [each for each in methods(surface) if each.side == side and each.capability]
        for method in needing:
            asyncio.run(getattr(stub, method.handler)(None))
        assert [method for _, method, _ in caller.calls] == needing


def test_an_unchecked_stub_sends_params_that_were_not_advertised() -> None:
    caller = Recorder()
    stub = v1.AgentStub(caller, advertise(v1, "agent", {}), check_capabilities=False)
    server = v1.McpServerHttp(name="a", url="http://a", headers=[])
    params = v1.NewSessionRequest(cwd="/", mcp_servers=[server])
    stub.check(v1.AGENT_METHODS["session/new"], params)
    asyncio.run(stub.session_new(params))
    [(_, method, sent)] = caller.calls
    assert (method.name, sent) == ("session/new", params)


def test_a_stub_that_knows_nothing_refuses_nothing() -> None:
    caller = Recorder()
    params = v1.LoadSessionRequest(cwd="/", mcp_servers=[], session_id="s")
    asyncio.run(v1.AgentStub(caller).session_load(params))
    assert len(caller.calls) == 1


def test_a_stub_learns_from_initialize() -> None:
    answer = advertise(v1, "agent", {})

    class Answering(Recorder):
        async def request(self, method: Any, params: Any, /) -> Any:
            return answer

    stub = v1.AgentStub(Answering())
    assert asyncio.run(stub.initialize(v1.InitializeRequest(protocol_version=1))) is answer
    call = stub.logout(v1.LogoutRequest())
    with pytest.raises(CapabilityError):
        asyncio.run(call)


def test_a_stub_believes_its_caller() -> None:
    class Informed(Recorder):
        advertised = advertise(v1, "client", {})

    params = v1.KillTerminalRequest(session_id="s", terminal_id="t")
    call = v1.ClientStub(Informed()).terminal_kill(params)
    with pytest.raises(CapabilityError):
        asyncio.run(call)


@each_surface
def test_capabilities_point_into_the_initialize_types(name: str) -> None:
    surface, file = SURFACES[name]
    definitions = json.loads((SCHEMA / file).read_text(encoding="utf-8"))["$defs"]
    seen = 0
    for method in methods(surface):
        root = "InitializeRequest" if method.side == "client" else "InitializeResponse"
        for each in [method.capability, *(need.capability for need in method.needs)]:
            if each is None:
                continue
            schema = definitions[root]
            for wire in each.pointer.split("/")[1:]:
                while wire not in schema.get("properties", {}):
                    [target] = set(references(schema))
                    schema = definitions[target]
                schema = schema["properties"][wire]
            assert len(each.path) == each.pointer.count("/")
            seen += 1
    assert seen >= 10
