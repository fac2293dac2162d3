"""Tests of scripted clients with our agents: prompts, permission requests, cancellation, files."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import DecodeError, RequestError
from acp_bindings.testing import (
    Agent,
    Client,
    Silent,
    Turn,
    WireError,
    answer,
    ask,
    ask_permission,
    end,
    pause,
    send,
    silence,
    tool_call,
    wait_for_cancel,
)

from tests.package.testing.sides import cleaner, each_version, number


@each_version
@pytest.mark.parametrize(
    ("permission", "status"),
    [(True, "completed"), (False, "failed"), ("yes", "completed"), (None, "failed")],
)
async def test_a_question_is_answered_as_told(types: Any, permission: Any, status: str) -> None:
    async with Client(cleaner(types), permission=permission) as client:
        turn = await client.prompt("Clean up")
        turn.expect(tool_call("rm", title="Delete"), tool_call("rm", status=status), "Done.")
        assert (client.version, turn.stop_reason, turn.text) == (number(types), "end_turn", "Done.")
        assert [call.method for call in turn.questions] == ["session/request_permission"]
        assert types.AgentMessageChunk in map(type, turn.typed())


@each_version
async def test_the_text_of_a_turn_joins_halves_of_characters(types: Any) -> None:
    def talk(prompt: Any) -> Any:
        yield f"a\ud83d{prompt.text}"
        yield "\ude00b"
        yield "\ude00b"

    async with (
        Agent(talk).stream() as stream,
        Client(stream, version=number(types)) as client,
    ):
        turn = await client.prompt("\ud83d")
        assert turn.text == "a\ud83d😀b\ude00b"


@each_version
@pytest.mark.parametrize("answers", [{}, {"session/request_permission": silence()}])
async def test_a_turn_is_cancelled_where_it_is_told(types: Any, answers: Any) -> None:
    async with Client(cleaner(types), answers=answers) as client:
        turn = await client.prompt("Clean up", cancel_at=tool_call("rm"))
        assert turn.stop_reason == "cancelled"
        for question in turn.questions:
            assert question.result == {"outcome": {"outcome": "cancelled"}}


@pytest.mark.parametrize(("cancel_at", "count"), [(tool_call("rm"), 1), (None, 0)])
async def test_a_turn_is_cancelled_once(cancel_at: Any, count: int) -> None:
    seen: list[bytes] = []
    agent = Agent([tool_call("rm"), tool_call("rm")])
    async with (
        agent.stream() as stream,
        Client(stream, observe=lambda observation: seen.append(observation.line)) as client,
    ):
        await client.prompt("Clean up", cancel_at=cancel_at)
        assert b"".join(seen).count(b'"session/cancel"') == count


async def test_only_open_questions_for_permission_are_cancelled() -> None:
    seen: list[bytes] = []
    agent = Agent([ask_permission("t"), ask("fs/read_text_file", path="/a")])
    async with (
        agent.stream() as stream,
        Client(
            stream,
            version=1,
            answers={"fs/read_text_file": silence()},
            observe=lambda observation: seen.append(observation.line),
        ) as client,
    ):
        await client.new_session()
        prompt = asyncio.create_task(client.prompt("Read"))
        while len(client.calls) < 2:
            await asyncio.sleep(0)
        await client.cancel()
        prompt.cancel()
        decided, unanswered = client.calls
    assert decided.result == {"outcome": {"outcome": "selected", "optionId": "yes"}}
    assert not unanswered.is_answered
    assert b"".join(seen).count(b'"optionId"') == 3


async def test_an_agent_reads_and_writes_files() -> None:
    def edit(prompt: Any) -> Any:
        read = yield ask("fs/read_text_file", path="/a", line=2, limit=1)
        yield ask("fs/write_text_file", path="/b", content=read["content"])
        with pytest.raises(RequestError, match="no such file"):
            yield ask("fs/read_text_file", path="/c")
        yield "Done."

    async with (
        Agent(edit).stream() as stream,
        Client(stream, version=1, files={"/a": "1\n2\n3\n"}) as client,
    ):
        (await client.prompt("Copy")).expect("Done.", exactly=True)
        assert client.files["/b"] == "2\n"


@each_version
async def test_a_prompt_may_have_typed_blocks(types: Any) -> None:
    agent = Agent("Hello!")
    async with agent.stream() as stream, Client(stream, version=number(types)) as client:
        await client.prompt([types.TextContent(text="Hi")])
        assert agent.prompts[0].params["prompt"] == [{"type": "text", "text": "Hi"}]


async def test_an_agent_that_is_silent_is_told() -> None:
    async with Agent(["Hi", silence()]).stream() as stream, Client(stream, timeout=0.05) as client:
        with pytest.raises(Silent, match=r"timed out after .* waiting for the end of the turn"):
            await client.prompt("Hi")


async def test_an_error_is_raised_and_leaves_the_session() -> None:
    agent = Agent(RequestError(-32000, "log in"), "Hi")
    async with agent.stream() as stream, Client(stream) as client:
        with pytest.raises(RequestError, match="log in"):
            await client.prompt("Hi")
        (await client.prompt("Hi")).expect("Hi")


@pytest.mark.parametrize("version", [1, 2])
async def test_an_agent_may_have_a_class_for_each_version_or_a_bridge(version: int) -> None:
    both = [cleaner(v1), cleaner(v2)]
    for agent, bridge in ((both, False), (cleaner(v2), True)):
        async with Client(agent, version=version, bridge=bridge) as client:
            (await client.prompt("Clean up")).expect(tool_call("rm", status="completed"), "Done.")
            assert client.version == version


# --- before the first prompt ------------------------------------------------------------------


@each_version
async def test_a_request_introduces_the_client_first(types: Any) -> None:
    agent = Agent(answers={"session/list": {"sessions": []}})
    async with agent.stream() as stream, Client(stream, version=number(types)) as client:
        assert await client.request("session/list") == {"sessions": []}
        await client.notify("session/cancel", {"sessionId": "s"})
        await client.request("session/list")
    methods = [call.method for call in agent.calls]
    assert methods == ["initialize", "session/list", "session/list"]


async def test_a_notification_introduces_the_client_first() -> None:
    agent = Agent()
    async with agent.stream() as stream, Client(stream) as client:
        await client.notify("session/cancel", {"sessionId": "s"})
    assert [call.method for call in agent.calls] == ["initialize"]


async def test_an_initialize_by_request_is_not_repeated() -> None:
    agent = Agent("Hi")
    async with agent.stream() as stream, Client(stream) as client:
        params = {"protocolVersion": 1, "clientCapabilities": {}}
        result = await client.request("initialize", params)
        assert (client.version, client.introduction) == (1, result)
        await client.prompt("Hi")
    assert [call.method for call in agent.calls].count("initialize") == 1


async def test_the_response_that_opens_a_session_is_kept() -> None:
    modes = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}]}
    agent = Agent(answers={"session/new": {"sessionId": "s", "modes": modes}})
    async with agent.stream() as stream, Client(stream, version=1) as client:
        session_id = await client.new_session()
        assert client.session_id == session_id == "s"
        assert client.sessions == {"s": {"sessionId": "s", "modes": modes}}


class Runner(v1.SessionAgent):
    async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
        terminal = await session.terminal_create(command="make")
        status = await session.terminal_wait_for_exit(terminal_id=terminal.terminal_id)
        await session.say(f"exited with {status.exit_code}")


TERMINAL: dict[str, Any] = {
    "terminal/create": {"terminalId": "t"},
    "terminal/wait_for_exit": {"exitCode": 3},
}


@pytest.mark.parametrize("version", [None, 1])
async def test_scripted_terminals_are_advertised(version: int | None) -> None:
    async with Client(Runner, answers=TERMINAL, version=version) as client:
        (await client.prompt("Build")).expect("exited with 3")


@pytest.mark.parametrize(
    ("version", "methods", "capabilities"),
    [
        (1, ["terminal/create"], {"fs": {"readTextFile": True, "writeTextFile": True}}),
        (1, ["elicitation/create", "_acme/x"], {"fs": {}, "elicitation": {}}),
        (2, ["elicitation/create"], {"elicitation": {}}),
        (2, ["terminal/create", "session/request_permission"], {}),
    ],
)
async def test_scripted_methods_are_advertised(
    version: int, methods: list[str], capabilities: dict[str, Any]
) -> None:
    agent = Agent(version=version)
    answers = dict.fromkeys(methods, RequestError(-32000, "as scripted"))
    async with agent.stream() as stream, Client(stream, answers=answers) as client:
        await client.initialize()
    params = agent.calls[0].params
    advertised = params["clientCapabilities" if version == 1 else "capabilities"]
    assert {**capabilities, **advertised} == advertised


async def test_capabilities_that_are_stated_are_all() -> None:
    agent = Agent(version=1)
    options: Any = {"answers": TERMINAL, "capabilities": {}, "version": 1}
    async with agent.stream() as stream, Client(stream, **options) as client:
        await client.initialize()
    assert agent.calls[0].params["clientCapabilities"] == {}


@each_version
async def test_a_scripted_agent_advertises_the_methods_that_it_has(types: Any) -> None:
    agent = Agent(answers={"session/delete": {}, "session/new": {"sessionId": "s"}})
    async with agent.stream() as stream, Client(stream, version=number(types)) as client:
        result = types.decode(types.InitializeResponse, await client.initialize())
        assert types.METHODS["agent"]["session/delete"].capability.is_advertised(result)


async def test_a_method_of_an_unstable_surface_is_advertised() -> None:
    agent = Agent(answers={"session/fork": {"sessionId": "s"}}, version=1)
    async with agent.stream() as stream, Client(stream) as client:
        result = await client.initialize()
        assert result["agentCapabilities"] == {"sessionCapabilities": {"fork": {}}}


# --- several prompts at the same time ---------------------------------------------------------


def echoing(types: Any) -> type:
    class Echoing(types.SessionAgent):  # type: ignore[misc]
        async def turn(self, session: Any, params: Any) -> None:
            await session.say(params.prompt[0].text)

    return Echoing


@each_version
@pytest.mark.parametrize("is_open", [True, False])
async def test_prompts_sent_together_end_one_after_another(types: Any, is_open: bool) -> None:
    async with Client(echoing(types)) as client:
        if is_open:
            await client.new_session()
        prompts = [client.prompt(each) for each in ("One", "Two", "Three")]
        turns = await asyncio.gather(*prompts)
        assert [turn.text for turn in turns] == ["One", "OneTwo", "OneTwoThree"]
        assert [turn.stop_reason for turn in turns] == ["end_turn"] * 3
        assert len({turn.session_id for turn in turns}) == 1
        assert (await client.prompt("Four")).text == "Four"


@each_version
async def test_a_refused_prompt_leaves_the_other_prompt_running(types: Any) -> None:
    agent = Agent(["One", pause(0.01)], RequestError(-32000, "busy"))
    async with agent.stream() as stream, Client(stream, version=number(types)) as client:
        await client.new_session()
        prompts = [client.prompt(each) for each in ("One", "Two")]
        first, second = await asyncio.gather(*prompts, return_exceptions=True)
        assert isinstance(first, Turn)
        assert first.stop_reason == "end_turn"
        assert isinstance(second, RequestError)


async def test_v2_an_idle_session_ends_the_prompts_that_the_agent_has_inserted() -> None:
    accepted = send({"id": 4, "result": {"messageId": "two"}})
    idle = {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}
    two = {"sessionUpdate": "user_message", "messageId": "two", "content": []}
    running = {"sessionUpdate": "state_update", "state": "running"}
    late = [two, running, "2", {**idle, "stopReason": "refusal"}]
    agent = Agent(["1", pause(0.02), accepted, idle, *late, silence()], silence())
    async with agent.stream() as stream, Client(stream, version=2) as client:
        await client.new_session()
        first, second = await asyncio.gather(client.prompt("One"), client.prompt("Two"))
        assert (first.stop_reason, second.stop_reason) == ("end_turn", "refusal")


async def test_v2_an_idle_session_ends_all_prompts_that_have_begun() -> None:
    accepted = send({"id": 4, "result": {"messageId": "two"}})
    two = {"sessionUpdate": "user_message", "messageId": "two", "content": []}
    agent = Agent(["1", pause(0.02), accepted, two, end("refusal"), silence()], silence())
    async with agent.stream() as stream, Client(stream, version=2) as client:
        await client.new_session()
        turns = await asyncio.gather(client.prompt("One"), client.prompt("Two"))
        assert [turn.stop_reason for turn in turns] == ["refusal", "refusal"]


@each_version
async def test_prompts_sent_together_are_cancelled_together(types: Any) -> None:
    agent = Agent(*[[tool_call("t"), ask_permission("t"), wait_for_cancel()]] * 2)
    answers = {"session/request_permission": silence()}
    async with (
        agent.stream() as stream,
        Client(stream, version=number(types), answers=answers) as client,
    ):
        await client.new_session()
        prompts = [asyncio.create_task(client.prompt(each)) for each in ("One", "Two")]
        while len(client.calls) < 2:
            await asyncio.sleep(0)
        await client.cancel()
        turns = await asyncio.gather(*prompts)
        assert [turn.is_cancelled for turn in turns] == [True, True]
        assert [turn.stop_reason for turn in turns] == ["cancelled", "cancelled"]
        assert {call.result["outcome"]["outcome"] for call in client.calls} == {"cancelled"}


async def test_sessions_opened_together_are_introduced_once() -> None:
    agent = Agent("Hi", "Hi")
    async with agent.stream() as stream, Client(stream) as client:
        opened = await asyncio.gather(*(client.new_session() for _ in range(2)))
        assert len(set(opened)) == 2
        turns = await asyncio.gather(*(client.prompt("Hi", session_id=each) for each in opened))
        assert [turn.text for turn in turns] == ["Hi", "Hi"]
    assert [call.method for call in agent.calls].count("initialize") == 1


async def test_a_message_that_is_malformed_is_told() -> None:
    agent = Agent(send({"id": [1], "result": {}}))
    with pytest.raises(WireError, match="malformed message: TypeError"):
        async with agent.stream() as stream, Client(stream) as client:
            await client.prompt("Hi")


async def test_a_command_is_a_list() -> None:
    with pytest.raises(TypeError, match="the command must be a list"):
        await Client("python agent.py").__aenter__()


async def test_another_version_than_the_one_asked_for_is_a_failure() -> None:
    async with Client(cleaner(v1), version=2) as client:
        with pytest.raises(AssertionError, match="version 2, but the agent responded with 1"):
            await client.prompt("Hi")


@pytest.mark.parametrize("result", [None, [1], 3])
async def test_initialize_without_a_version_is_a_failure(result: Any) -> None:
    agent = Agent([], answers={"initialize": [answer(result)]})
    async with agent.stream() as stream, Client(stream) as client:
        with pytest.raises(
            AssertionError, match=f"the agent responded with {re.escape(repr(result))}"
        ):
            await client.initialize()


@pytest.mark.parametrize("result", [None, {}, 3, {"sessionId": 4}])
async def test_a_new_session_without_an_id_is_a_failure(result: Any) -> None:
    agent = Agent([], answers={"session/new": [answer(result)]})
    async with agent.stream() as stream, Client(stream) as client:
        with pytest.raises(WireError, match="the response to session/new has no 'sessionId'"):
            await client.prompt("Hi")


async def test_what_the_schema_refuses_is_found() -> None:
    agent = Agent([{"sessionUpdate": "plan", "entries": 4}], version=1)
    async with agent.stream() as stream, Client(stream) as client:
        turn = await client.prompt("Hi")
        with pytest.raises(DecodeError, match="entries"):
            turn.typed()


FILE = "1\n2\n3\n"


@pytest.mark.parametrize(
    ("options", "content"),
    [
        ({}, FILE),
        ({"line": 0}, FILE),
        ({"line": 1}, FILE),
        ({"line": 3}, "3\n"),
        ({"line": 4}, ""),
        ({"limit": 0}, ""),
        ({"limit": 2}, "1\n2\n"),
        ({"line": 2, "limit": 9}, "2\n3\n"),
    ],
)
async def test_a_part_of_a_file_is_read(options: dict[str, int], content: str) -> None:
    def read(prompt: Any) -> Any:
        yield (yield ask("fs/read_text_file", path="/a", **options))["content"]

    async with (
        Agent(read).stream() as stream,
        Client(stream, version=1, files={"/a": FILE}) as client,
    ):
        assert (await client.prompt("Read")).text == content


async def test_a_client_requests_all_versions_that_it_speaks() -> None:
    agent = Agent()
    async with agent.stream() as stream, Client(stream) as client:
        await client.initialize()
    info = {"name": "scripted", "version": "1"}
    params = agent.calls[0].params
    assert params["protocolVersion"] == 2
    assert params["clientInfo"] == params["info"] == info
    assert params["clientCapabilities"]["fs"] == {"readTextFile": True, "writeTextFile": True}


async def test_members_replace_the_params_of_initialize() -> None:
    agent = Agent()
    async with agent.stream() as stream, Client(stream) as client:
        await client.initialize(protocolVersion=2, info={"name": "other", "version": "2"})
    params = {"protocolVersion": 2, "info": {"name": "other", "version": "2"}}
    assert [call.params for call in agent.calls] == [params]


async def test_a_new_session_has_the_params_of_the_test() -> None:
    agent = Agent()
    async with agent.stream() as stream, Client(stream) as client:
        await client.new_session()
        await client.new_session("/home", mcpServers=[{"name": "x"}], other=1)
    assert [call.params for call in agent.calls[1:]] == [
        {"cwd": "/", "mcpServers": []},
        {"cwd": "/home", "mcpServers": [{"name": "x"}], "other": 1},
    ]


async def test_a_permission_that_no_option_gives_is_told() -> None:
    reason = r"no option matches permission='maybe': .*'optionId': 'yes'"
    with pytest.raises(AssertionError, match=reason):
        async with Client(cleaner(v1), permission="maybe") as client:
            await client.prompt("Clean up")


async def test_a_request_that_is_never_answered_is_told() -> None:
    async with Agent(silence()).stream() as stream, Client(stream, version=1) as client:
        reason = r"timed out after 0\.01 s waiting for the response to session/prompt"
        with pytest.raises(Silent, match=reason):
            await client.prompt("Hi", timeout=0.01)
