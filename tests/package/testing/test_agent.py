"""Tests of scripted agents with our clients, in both versions and with faults at any stage."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import UNSET, ConnectionClosed, RequestError
from acp_bindings.testing import (
    Agent,
    Client,
    Ended,
    Prompt,
    Wire,
    again,
    answer,
    ask,
    ask_permission,
    close,
    crash,
    end,
    fail,
    garbage,
    half_line,
    say,
    silence,
    step,
    think,
    tool_call,
    update,
    wait_for_cancel,
    wrong_id,
)

from tests.package.testing.sides import each_version, number, talking


def careful(prompt: Prompt) -> Generator[Any, Any, None]:
    yield think(f"{prompt.text}?")
    yield tool_call("rm", title="Delete")
    allowed = yield ask_permission("rm")
    yield tool_call("rm", status="completed" if allowed == "yes" else "failed")
    yield "Done."


@each_version
async def test_a_script_is_a_whole_turn_of_either_version(types: Any) -> None:
    async with talking(Agent(careful, "Again."), types) as session:
        async with session.prompt("Clean up") as turn:
            await turn.wait()
        assert turn.stop_reason == "end_turn"
        assert session.state.tool_calls["rm"].status == "completed"
        texts = [message.text for message in session.state.messages]
        assert texts == ["Clean up", "Clean up?", "Done."]
        async with session.prompt("More") as turn:
            await turn.wait()
        assert session.state.messages[-1].text == "Again."


@each_version
async def test_a_turn_ends_as_it_is_told(types: Any) -> None:
    typed = types.UsageUpdate(used=1, size=2)
    raw = {"sessionUpdate": "_acme", "percent": 40}
    agent = Agent([typed, raw, update("_acme", percent=50), end("refusal")])
    async with talking(agent, types) as session, session.prompt("Hi") as turn:
        updates = [update async for update in turn]
        assert turn.stop_reason == "refusal"
    assert typed in updates
    percents = [x.raw["percent"] for x in updates if isinstance(x, types.UnknownSessionUpdate)]
    assert percents == [40, 50]


@each_version
async def test_a_turn_can_be_cancelled(types: Any) -> None:
    agent = Agent([tool_call("t", title="Wait"), wait_for_cancel()])
    async with talking(agent, types) as session, session.prompt("Hi") as turn:
        async for update in turn:
            if isinstance(update, types.ToolCall if types is v1 else types.ToolCallUpdate):
                await turn.cancel()
        assert turn.stop_reason == "cancelled"


@each_version
async def test_a_request_fails_as_scripted(types: Any) -> None:
    agent = Agent(
        fail(-32000, "log in"),
        answers={"session/close": RequestError(-32603, "not now"), "_ask": {"x": 1}},
    )
    async with talking(agent, types) as session:
        with pytest.raises(RequestError, match="log in"):
            async with session.prompt("Hi") as turn:
                await turn.wait()
        assert await session.peer.request("_ask", {}) == {"x": 1}
        with pytest.raises(RequestError, match="does not support _other"):
            await session.peer.request("_other", {})
    assert [call.method for call in agent.calls][-2:] == ["_ask", "_other"]


@each_version
@pytest.mark.parametrize("data", [UNSET, None, 0, "", [], {"reason": "late"}], ids=repr)
async def test_an_error_has_the_data_of_the_script(types: Any, data: Any) -> None:
    agent = Agent(answers={"_fail": fail(-1, "no", data), "_raise": RequestError(-1, "no", data)})
    async with talking(agent, types) as session:
        for method in ("_fail", "_raise"):
            with pytest.raises(RequestError) as caught:
                await session.peer.request(method, {})
            assert caught.value.data == data
            assert (caught.value.data is UNSET) == (data is UNSET)
    assert [call.error.data for call in agent.calls[-2:] if call.error] == [data, data]


@each_version
async def test_a_generator_can_handle_an_error(types: Any) -> None:
    def reading(prompt: Prompt) -> Generator[Any, Any, None]:
        try:
            yield ask("_read", path="/a")
        except RequestError as error:
            yield f"{error.code} {error.data is UNSET}"

    async with talking(Agent(reading), types) as session:
        async with session.prompt("Hi") as turn:
            await turn.wait()
        assert session.state.messages[-1].text == "-32601 True"


async def test_a_step_for_another_method_sends_no_updates() -> None:
    agent = Agent(answers={"_ask": ["Hi"]})
    with pytest.raises(TypeError, match="the agent cannot send updates here: 'Hi'"):
        async with talking(agent, v2) as session:
            await session.peer.request("_ask", {})


@each_version
@pytest.mark.parametrize("fault", [crash(), close(), half_line(), ["Hi", crash()]], ids=str)
async def test_an_end_is_an_end_at_any_stage(types: Any, fault: Any) -> None:
    async with talking(Agent(fault), types) as session:
        with pytest.raises(ConnectionClosed):
            async with session.prompt("Hi") as turn:
                await turn.wait(timeout=10)


@each_version
async def test_a_client_survives_what_is_wrong(
    types: Any, caplog: pytest.LogCaptureFixture
) -> None:
    agent = Agent([garbage(), wrong_id(), "Hi", end(), again()], "Still here.")
    async with talking(agent, types) as session:
        for _ in range(2):
            async with session.prompt("Hi") as turn:
                await turn.wait()
        assert session.state.messages[-1].text == "Still here."
    assert len(caplog.records) >= 2  # our client logged the unknown messages


async def test_silence_is_never_answered() -> None:
    async with talking(Agent(silence()), v2) as session:
        with pytest.raises(TimeoutError):
            async with session.prompt("Hi") as turn:
                await turn.wait(timeout=0.01)


@step
async def greet(call: Prompt, name: str) -> None:
    await call.update(f"Hello, {name}!")


async def test_a_step_of_ones_own_is_like_any_other() -> None:
    async with talking(Agent(greet("Ada")), v2) as session:
        async with session.prompt("Hi") as turn:
            await turn.wait()
        assert session.state.messages[-1].text == "Hello, Ada!"


async def test_a_mistake_of_the_script_is_told() -> None:
    agent = Agent()
    with pytest.raises(AssertionError, match="no script for prompt 1: 'Hi'"):
        async with talking(agent, v2) as session, session.prompt("Hi") as turn:
            await turn.wait()


async def test_an_answer_that_does_not_come_is_told() -> None:
    agent = Agent([say("?"), wait_for_cancel()], timeout=0.01)
    with pytest.raises(AssertionError, match=r"0\.01 s waiting for session/cancel"):
        async with talking(agent, v1) as session, session.prompt("Hi") as turn:
            await turn.wait()


async def test_an_answer_may_be_wrong() -> None:
    agent = Agent(answers={"session/new": [answer({"sessionId": 1})]})
    with pytest.raises(Exception, match="sessionId"):
        async with talking(agent, v2):
            raise Ended("the session was opened")


@each_version
async def test_messages_and_sessions_are_numbered(types: Any) -> None:
    agent = Agent([think("?"), "Hi"], "Ho", "He")
    async with agent.stream() as stream, Client(stream, version=number(types)) as client:
        turns = [await client.prompt("1"), await client.prompt([{"type": "image"}])]
        assert turns[0].session_id == "session-1"
        assert await client.new_session() == "session-2"
        turns.append(await client.prompt("3"))
    prompts = [(each.number, each.text, each.session_id) for each in agent.prompts]
    assert prompts == [(1, "1", "session-1"), (2, "", "session-1"), (3, "3", "session-2")]
    updates = [update for turn in turns for update in turn.updates]
    ids = [update["messageId"] for update in updates if "messageId" in update]
    if types is v1:
        assert ids == []
    else:
        agents = ["agent_thought-1", "agent_message-1", "agent_message-2", "agent_message-3"]
        assert [id_ for id_ in ids if id_.startswith("agent")] == agents
        assert [id_ for id_ in ids if id_.startswith("user")] == ["user-1", "user-2", "user-3"]


@each_version
async def test_a_tool_call_begins_once_in_each_session(types: Any) -> None:
    agent = Agent(*[[tool_call("t", title="A"), tool_call("t", title="B")]] * 2)
    async with agent.stream() as stream, Client(stream, version=number(types)) as client:
        for _ in range(2):
            await client.new_session()
            turn = await client.prompt("Hi")
            kinds = [update["sessionUpdate"] for update in turn.updates if "title" in update]
            first = "tool_call" if types is v1 else "tool_call_update"
            assert kinds == [first, "tool_call_update"]


@each_version
async def test_an_agent_introduces_itself(types: Any) -> None:
    for capabilities in (None, {}, {"session": {"_x": 1}, "loadSession": True}):
        agent = Agent(capabilities=capabilities)
        async with agent.stream() as stream, Client(stream, version=number(types)) as client:
            result = await client.initialize()
        known = types.FACTS
        assert result["protocolVersion"] == number(types)
        assert result[known.infos["agent"]] == {"name": "scripted", "version": "1"}
        advertised = result[known.capabilities["agent"]]
        assert advertised == (capabilities or ({} if types is v1 else {"session": {}}))


@pytest.mark.parametrize(("asked", "chosen"), [(1, 1), (2, 2), (99, 2), (0, 1), ("x", 2)])
async def test_an_agent_chooses_the_version(asked: Any, chosen: int) -> None:
    agent = Agent()
    async with agent.stream() as stream, Wire(stream) as wire:
        for _ in range(2):
            params = {"protocolVersion": asked}
            await wire.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
            assert (await wire.receive()).message["result"]["protocolVersion"] == chosen
    assert agent.version == chosen


async def test_a_request_before_initialize_is_refused() -> None:
    agent = Agent()
    async with agent.stream() as stream, Wire(stream) as wire:
        await wire.send({"jsonrpc": "2.0", "id": 1, "method": "session/close", "params": {}})
        error = (await wire.receive()).message["error"]
    assert error == {"code": -32601, "message": "this agent does not support session/close"}
    assert [call.session_id for call in agent.calls] == [None]


def test_an_agent_without_a_connection_has_no_wire() -> None:
    with pytest.raises(RuntimeError, match="the agent is not connected yet"):
        _ = Agent().wire
