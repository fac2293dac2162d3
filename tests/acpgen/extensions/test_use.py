"""Tests of using extensions in sessions, on both surfaces, and in combination."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND
from acp_bindings.runtime.aio import Peer, connect_memory
from acp_bindings.runtime.jsonrpc import Connection, Request
from acp_bindings.v2 import agent_session as live2
from acpgen.ir.model import Capability, CapabilityForm

from tests.acpgen.extensions.packages import build, imported, package, sample


@pytest.fixture(scope="module")
def programs() -> Any:
    """The module with the agent and the client, imported late because its import is slow."""
    return importlib.import_module("tests.acpgen.extensions.acme_programs")


@pytest.fixture(scope="module")
def acme(programs: Any) -> Any:
    return programs.acme


async def test_methods_and_variants_in_a_conversation(programs: Any, acme: Any) -> None:
    client = programs.Client()
    async with programs.talking(client=client) as agent:
        done = await agent.acme_index(acme.IndexRequest(session_id="s", paths=["/a"]))
        assert done == acme.IndexResponse(files=1)
    cost = v2.Cost(amount=0.5, currency="EUR")
    assert client.heard == [
        acme.IndexedNotification(session_id="s", steps=[cost]),
        acme.Progress(percent=40),
    ]


async def test_a_missing_capability_is_noticed_before_anything_is_sent(programs: Any) -> None:
    class Unable(programs.Agent):
        able: Any = False

    async with programs.talking(Unable) as agent:
        with pytest.raises(v2.CapabilityError, match="/capabilities/_meta/acme/index"):
            await agent.acme_index(programs.INDEX)


@pytest.mark.parametrize(
    ("side", "pointer", "path", "form"),
    [
        ("agent", "/capabilities/session", ("capabilities", "session"), "object"),
        ("agent", "/protocolVersion", ("protocol_version",), "value"),
        (
            "client",
            "/capabilities/_meta/acme/index",
            ("capabilities", "meta", "acme", "index"),
            "object",
        ),
    ],
)
def test_methods_can_require_any_capability(
    side: str, pointer: str, path: tuple[str, ...], form: CapabilityForm
) -> None:
    methods = {
        wire: {"side": kind, "params": {"$ref": "acp:Cost"}, "capability": pointer}
        for wire, kind in (("_acme/one", side), ("_acme/two", side))
    }
    made = build({"x-methods": methods}).surface.methods
    assert [(each.wire, each.side, each.kind, each.capability) for each in made] == [
        (wire, side, "notification", Capability(pointer, path, form)) for wire in methods
    ]


def test_methods_are_sorted_by_side() -> None:
    params = {"params": {"$ref": "acp:Cost"}, "result": {"$ref": "acp:Cost"}}
    sides = {"_acme/b": "both", "_acme/a": "client", "_acme/c": "agent"}
    schema = {"x-methods": {wire: {"side": side, **params} for wire, side in sides.items()}}
    assert [(each.side, each.kind, each.wire) for each in build(schema).surface.methods] == [
        ("agent", "request", "_acme/b"),
        ("agent", "request", "_acme/c"),
        ("client", "request", "_acme/a"),
        ("client", "request", "_acme/b"),
    ]


@pytest.mark.parametrize(
    ("meta", "able"),
    [
        ({"acme": {"index": {}}}, True),
        ({"acme": {"index": True}}, True),
        ({"acme": {"index": False}}, False),
        ({"acme": {"index": None}}, False),
        ({"acme": {}}, False),
        ({"acme": 5}, False),
        ({}, False),
        (None, False),
        (v2.UNSET, False),
    ],
)
def test_what_counts_as_advertised(programs: Any, acme: Any, meta: Any, able: bool) -> None:
    answer = v2.InitializeResponse(
        protocol_version=2, info=programs.INFO, capabilities=v2.AgentCapabilities(meta=meta)
    )
    capability = acme.AGENT_METHODS["_acme/index"].capability
    assert capability.is_advertised(answer) is able


async def test_bad_params_are_answered_like_those_of_the_protocol(programs: Any) -> None:
    async with programs.talking() as agent:
        with pytest.raises(v2.RequestError) as caught:
            await agent.ext_request("_acme/index", {"sessionId": "s", "paths": [3]})
        assert caught.value.code == INVALID_PARAMS
        found = {"pointer": "/paths/0", "expected": "string", "found": "integer"}
        assert caught.value.data == found


async def test_bad_results_are_decode_errors(programs: Any) -> None:
    class Bad(v2.AgentHandler):
        """An agent that responds without using the extension's types."""

        able: Any = {}  # noqa: RUF012
        initialize = programs.Agent.initialize

        def __init__(self, peer: Peer) -> None:
            pass

        async def ext_request(self, method: str, params: Any) -> Any:
            return {"files": -1}

    async with programs.talking(Bad) as agent:
        with pytest.raises(v2.DecodeError) as caught:
            await agent.acme_index(programs.INDEX)
        assert (caught.value.pointer, caught.value.type_name) == ("/files", "IndexResponse")


async def test_methods_that_no_extension_knows_go_where_they_went(programs: Any) -> None:
    async with programs.talking() as agent:
        assert await agent.ext_request("_other/thing", {"x": 1}) == {"asked": "_other/thing"}


async def test_extensions_may_be_called_before_initialize(programs: Any, acme: Any) -> None:
    async with connect_memory(programs.Agent, programs.Client()) as peer:
        assert await acme.AgentStub(peer).acme_index(programs.INDEX) == acme.IndexResponse(files=0)


async def test_none_is_refused_for_a_result_that_needs_members(programs: Any, acme: Any) -> None:
    async with programs.talking() as agent:
        with pytest.raises(v2.RequestError) as caught:
            await agent.acme_forget(acme.ForgetRequest(what="all"))
        assert caught.value.code == INTERNAL_ERROR


async def test_both_sides_may_have_a_method_which_by_default_is_not_found(programs: Any) -> None:
    class Asking(programs.Agent):
        async def acme_ping(self, params: v2.CancelSessionNotification) -> Any:
            return await self.client.acme_ping(params)

    params = v2.CancelSessionNotification(session_id="s")
    async with programs.talking(Asking) as agent:
        assert await agent.acme_ping(params) == "full"
    async with programs.talking() as agent:
        with pytest.raises(v2.RequestError) as caught:
            await agent.acme_ping(params)
        assert caught.value.code == METHOD_NOT_FOUND


def test_the_protocol_alone_handles_extensions_too(acme: Any) -> None:
    connection = Connection("agent", v2)
    connection.extend([acme])
    line = (
        b'{"jsonrpc":"2.0","id":1,"method":"_acme/index","params":{"sessionId":"s","paths":[]}}\n'
    )
    [event] = connection.receive(line)
    assert isinstance(event, Request)
    assert event.method is acme.AGENT_METHODS["_acme/index"]
    assert event.params == acme.IndexRequest(session_id="s", paths=[])
    connection.respond(event, acme.IndexResponse(files=2))
    assert connection.data_to_send() == b'{"jsonrpc":"2.0","id":1,"result":{"files":2}}\n'


# --- handlers -------------------------------------------------------------------------------


def test_handlers_of_sessions_take_extensions(acme: Any) -> None:
    class Both(acme.AgentHandler, live2.SessionAgent):  # type: ignore[misc, name-defined]
        async def turn(self, session: Any, params: Any) -> None:
            """Do nothing."""

    assert Both.extensions == (acme,)
    assert Both.surface is v2
    assert v2.AgentHandler.extensions == ()


async def test_several_extensions_at_once() -> None:
    kiro, models = package("kiro"), package("models")

    class Both(kiro.AgentHandler, models.AgentHandler):  # type: ignore[misc, name-defined]
        async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
            return v1.InitializeResponse(protocol_version=1)

        async def session_set_model(self, params: Any) -> Any:
            return models.SetSessionModelResponse(meta={"model": params.model_id})

        async def kiro_dev_commands_execute(self, params: Any) -> Any:
            return kiro.ExecuteResponse(success=True, message=params.command.command)

    class Sub(Both):
        pass

    assert Sub.extensions == (kiro, models)

    async with connect_memory(Sub, v1.ClientHandler) as peer:
        await v1.AgentStub(peer).initialize(v1.InitializeRequest(protocol_version=1))
        chosen = models.SetSessionModelRequest(session_id="s", model_id="m")
        answer = await models.AgentStub(peer).session_set_model(chosen)
        assert answer.meta == {"model": "m"}
        command = kiro.ExecuteRequest(session_id="s", command=kiro.Command(command="tools"))
        ran = await kiro.AgentStub(peer).kiro_dev_commands_execute(command)
        assert ran == kiro.ExecuteResponse(success=True, message="tools")


def test_handlers_of_different_surfaces_or_sides_do_not_mix(acme: Any) -> None:
    with pytest.raises(TypeError, match="extends handlers for different surfaces"):
        type("Mixed", (acme.AgentHandler, v1.AgentHandler), {})
    with pytest.raises(TypeError, match="extends handlers for different surfaces"):
        type("Mixed", (acme.AgentHandler, v2.ClientHandler), {})


def test_extensions_with_the_same_method_do_not_mix(acme: Any) -> None:
    schema = {
        "x-methods": {"_acme/index": {"side": "agent", "params": {"$ref": "acp:PromptRequest"}}}
    }
    expected = pytest.raises(
        TypeError, match="two of its extensions define the method '_acme/index'"
    )
    with imported(build(schema).surface, "other") as other, expected:
        type("Mixed", (acme.AgentHandler, other.AgentHandler), {})


def test_a_misspelt_method_is_warned_of(acme: Any) -> None:
    async def acme_indx(self: Any, params: Any) -> None: ...

    with pytest.warns(UserWarning, match="did you mean 'acme_index'"):
        type("Typo", (acme.AgentHandler,), {"acme_indx": acme_indx})


# --- entries of _meta -----------------------------------------------------------------------


def test_entries_are_typed_and_the_others_stay(acme: Any) -> None:
    received = {"own": 1, "acme.example/origin": {"file": "a.py", "line": 3, "more": True}}
    call = v2.ToolCallUpdate(tool_call_id="t", meta=received)
    view = acme.meta(call)
    assert view.origin == acme.Origin(file="a.py", line=3, unknown_fields={"more": True})
    assert view.costs is v2.UNSET
    view.costs = [v2.Cost(amount=1, currency="EUR")]
    assert call.meta == {**received, "costs": [{"amount": 1, "currency": "EUR"}]}
    assert "costs" not in received  # the input isn't modified
    del view.origin
    del view.origin
    assert call.meta == {"own": 1, "costs": [{"amount": 1, "currency": "EUR"}]}


@pytest.mark.parametrize("before", [None, v2.UNSET, {}])
def test_entries_of_an_object_without_meta(acme: Any, before: Any) -> None:
    call = v2.ToolCallUpdate(tool_call_id="t", meta=before)
    assert acme.meta(call).origin is v2.UNSET
    acme.meta(call).origin = acme.Origin(file="a")
    assert call.meta == {"acme.example/origin": {"file": "a"}}
    acme.meta(call).origin = v2.UNSET
    assert call.meta is v2.UNSET


def test_errors_of_entries_have_pointers(acme: Any) -> None:
    call = v2.ToolCallUpdate(tool_call_id="t", meta={"acme.example/origin": {"line": 0}})
    with pytest.raises(v2.DecodeError) as read:
        acme.meta(call).origin  # noqa: B018
    assert str(read.value) == (
        "ToolCallUpdate at /_meta/acme.example~1origin/file: expected string, found nothing"
    )
    before = call.meta
    with pytest.raises(v2.EncodeError) as written:
        acme.meta(call).origin = acme.Origin(file=None)
    assert str(written.value) == (
        "ToolCallUpdate at /_meta/acme.example~1origin/file: expected str, found NoneType"
    )
    assert call.meta is before


def test_entries_are_repaired_as_their_keywords_say(acme: Any) -> None:
    costs = [{"amount": 1, "currency": "EUR"}, 5]
    call = v2.ToolCallUpdate(tool_call_id="t", meta={"costs": costs})
    issues: list[Any] = []
    view = acme.meta(call, on_issue=issues.append)
    assert view.costs == [v2.Cost(amount=1, currency="EUR")]
    assert [(each.pointer, each.action) for each in issues] == [("/_meta/costs/1", "skipped")]
    with pytest.raises(v2.DecodeError):
        acme.meta(call, strict=True).costs  # noqa: B018


def test_subclasses_have_the_entries_of_their_base(acme: Any) -> None:
    text = v2.TextContent(text="hi")
    chunk = v2.AgentMessageChunk(message_id="m", content=text)
    view = acme.meta(chunk)
    view.priority, view.voice = 3, None
    assert chunk.meta == {"acme.example/priority": 3, "acme.example/voice": None}
    assert acme.meta(v2.UserMessageChunk(message_id="m", content=text)).priority is v2.UNSET
    with pytest.raises(TypeError, match="adds no entries to the _meta of TextContent"):
        acme.meta(text)


# --- variants -------------------------------------------------------------------------------


def test_variants_nest_and_come_back(acme: Any) -> None:
    chart = acme.Chart(abscissas=[1.5, 2])
    block = acme.unrefine(chart)
    assert block == v2.UnknownContentBlock("_acme/chart", {"type": "_acme/chart", "xs": [1.5, 2]})
    chunk = v2.AgentMessageChunk(message_id="m", content=block)
    again = v2.loads(v2.SessionUpdate, v2.dumps(chunk, v2.SessionUpdate))
    assert isinstance(again, v2.AgentMessageChunk)
    assert acme.refine(again.content) == chart
    assert acme.refine(again) is again


def test_a_variant_with_a_bad_payload_is_never_taken_for_something_else(acme: Any) -> None:
    data = {"sessionUpdate": "_acme/progress", "percent": 101}
    update = v2.decode(v2.SessionUpdate, data)
    with pytest.raises(v2.DecodeError) as caught:
        acme.refine(update)
    assert caught.value.pointer == "/percent"
    assert (
        acme.refine(v2.UnknownSessionUpdate("_other", {"sessionUpdate": "_other"})).tag == "_other"
    )


def test_nobody_loads_what_nobody_uses() -> None:
    """Importing a surface doesn't load modules that only extensions need."""
    code = (
        "import sys; from acp_bindings import v2;"
        "print('acp_bindings.runtime.values.extending' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_constants_of_the_protocol_and_of_an_extension_are_reported() -> None:
    with imported(build(sample("small")).surface, "small_constants") as loaded:
        small: Any = loaded
        value = small.RateRequest(session_id="s", kinds=["read", "exec"], tone="cold")
        issues: list[Any] = []
        data = {"sessionId": "s", "kinds": ["read", "exec"], "tone": "cold"}
        assert small.encode(value, on_issue=issues.append) == data
        found = [(issue.pointer, issue.raw) for issue in issues]
        assert found == [("/kinds/1", "exec"), ("/tone", "cold")]
        assert small.Unlisted is v2.Unlisted
        custom = small.RateRequest(session_id="s", kinds=["_exec"], tone="_cold")
        small.dumps(custom, on_issue=issues.append)
        assert len(issues) == 2
