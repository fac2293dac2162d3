"""Tests that permitted behavior of agents isn't reported as a failure."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from acpgen.common import paths
from acpgen.inputs.overlay.reading import load_overlay
from acpwire.conform.judging import judge
from acpwire.conform.player import Task
from acpwire.conform.probes_of_agents import PlayedClient
from acpwire.conform.report import Report

from tests.acpwire.conform.agent_by_hand import Agent, Refusal
from tests.acpwire.conform.here import REQUIREMENTS, report_on

SLOW = """
import json, os, sys, time
id = json.loads(sys.stdin.readline())["id"]
result = {"protocolVersion": 1}
print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
sys.stdin.read()
os.close(1)
time.sleep(float(sys.argv[1]))
"""


def statuses(report: Report) -> dict[str, str]:
    return {each.requirement.id: each.status for each in report.verdicts}


def failed(report: Report) -> set[str]:
    return {name for name, status in statuses(report).items() if status == "failed"}


def agent_with(**methods: Callable[..., Any]) -> type[Agent]:
    return type("Changed", (Agent,), methods)


@pytest.mark.parametrize("version", [1, 2])
def test_agent_that_wants_its_user_to_sign_in_fails_nothing(version: int) -> None:
    def answer(agent: Agent, request: Any) -> Any:
        if request["method"].startswith("session/"):
            return {"id": request["id"], "error": {"code": -32000, "message": "sign in"}}
        return Agent.answer(agent, request)

    report = report_on("agent", version, program=agent_with(answer=answer))
    assert failed(report) == set()
    reached = statuses(report)
    for name in ("long-lines", "meta", "unknown-members", "invalid-params", "json-forms"):
        assert reached[name] == "not reached"


def test_agent_may_update_a_session_while_it_opens_it_in_a_batch() -> None:
    def do_session_new(agent: Agent, params: Any) -> Any:
        result = Agent.do_session_new(agent, params)
        agent.sessions[result["sessionId"]].update(
            "available_commands_update", availableCommands=[]
        )
        return result

    report = report_on("agent", 2, program=agent_with(do_session_new=do_session_new))
    assert failed(report) == set()


def test_agent_may_speak_a_later_version_than_the_judge() -> None:
    def do_initialize(agent: Agent, params: Any) -> Any:
        result = Agent.do_initialize(agent, params)
        return result if params["protocolVersion"] < 3 else {**result, "protocolVersion": 3}

    report = report_on("agent", 2, program=agent_with(do_initialize=do_initialize))
    assert failed(report) == set()


@pytest.mark.parametrize(
    ("seconds", "timeout", "status"), [("1.2", 20, "passed"), ("60", 3, "failed")]
)
def test_agent_may_take_its_time_to_exit_within_the_timeout(
    seconds: str, timeout: float, status: str
) -> None:
    requirements = load_overlay(paths.SCHEMA / "overlay").requirements.of("agent")
    program = (sys.executable, "-I", "-S", "-c", SLOW, seconds)
    task = Task(program, timeout, only=("end-of-input",))
    assert statuses(asyncio.run(judge(PlayedClient, task, requirements, [1]))) == {
        "end-of-input": status
    }


def test_tool_call_without_a_title_is_legal_in_protocol_2() -> None:
    def answer(agent: Agent, request: Any) -> Any:
        for session in agent.sessions.values():
            session.call = lambda: ("tool_call_update", {"status": "pending"})
        return Agent.answer(agent, request)

    assert failed(report_on("agent", 2, program=agent_with(answer=answer))) == set()


def test_agent_may_wait_for_a_decision_to_end_the_turn_of_a_closed_session() -> None:
    def do_session_close(agent: Agent, params: Any) -> Any:
        session = agent.session(params)
        session.cancel()
        session.give_up = lambda: None
        return {}

    report = report_on("agent", 1, program=agent_with(do_session_close=do_session_close))
    assert failed(report) == set()


@pytest.mark.parametrize("version", [1, 2])
def test_agent_may_ask_for_permission_in_each_turn(version: int) -> None:
    def answer(agent: Agent, request: Any) -> Any:
        blocks = request["method"] == "session/prompt" and request["params"]["prompt"]
        if type(blocks) is list:  # one probe sends an invalid prompt
            blocks[0]["text"] = f"tool {blocks[0].get('text')}"
        return Agent.answer(agent, request)

    assert failed(report_on("agent", version, program=agent_with(answer=answer))) == set()


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    "more",
    [
        {"type": "text", "text": "One more thing."},
        {"type": "image", "mimeType": "image/png", "data": "aGVsbG8="},
    ],
    ids=["text", "image"],
)
def test_agent_may_send_several_messages_in_a_turn(version: int, more: Any) -> None:
    def do_session_new(agent: Agent, params: Any) -> Any:
        result = Agent.do_session_new(agent, params)
        session = agent.sessions[result["sessionId"]]
        say = session.say

        def say_more(kind: str, content: Any, id: str) -> None:
            say(kind, content, id)
            if kind == "agent":
                say(kind, more, f"{id}-more")

        session.say = say_more
        return result

    report = report_on("agent", version, program=agent_with(do_session_new=do_session_new))
    assert failed(report) == set()
    assert statuses(report)["load-replays" if version == 1 else "resume-replays"] == "passed"


@pytest.mark.parametrize("version", [1, 2])
def test_agent_need_not_replay_thoughts(version: int) -> None:
    def do_session_new(agent: Agent, params: Any) -> Any:
        result = Agent.do_session_new(agent, params)
        session = agent.sessions[result["sessionId"]]
        repeat = session.repeat

        def think(blocks: Any) -> None:
            repeat(blocks)
            more = {} if version == 1 else {"messageId": f"t{session.count}"}
            content = {"type": "text", "text": "Hm."}
            session.update("agent_thought_chunk", content=content, **more)

        session.repeat = think
        return result

    report = report_on("agent", version, program=agent_with(do_session_new=do_session_new))
    assert failed(report) == set()
    assert statuses(report)["load-replays" if version == 1 else "resume-replays"] == "passed"


def test_agent_may_have_options_of_which_the_judge_knows_no_value() -> None:
    flag = {"configId": "f", "name": "F", "type": "boolean", "currentValue": "odd"}
    switch = {"configId": "s", "name": "S", "type": "_switch", "currentValue": True}

    def do_session_new(agent: Agent, params: Any) -> Any:
        return {**Agent.do_session_new(agent, params), "configOptions": [flag, switch]}

    report = report_on("agent", 2, program=agent_with(do_session_new=do_session_new))
    assert statuses(report)["set-option"] == "skipped"


def test_tool_call_that_cannot_be_cancelled_is_not_cancelled() -> None:
    class Finishing(Agent):
        def do_session_new(self, params: Any) -> Any:
            result = super().do_session_new(params)
            session = self.sessions[result["sessionId"]]
            session.call = lambda: ("tool_call_update", {"title": "Tool", "status": "pending"})
            return result

        def do_tool_call_cancel(self, params: Any) -> Any:
            raise Refusal(-32602, "the tool call cannot be cancelled")

    report = report_on("agent", 2, program=Finishing)
    assert failed(report) == set()
    assert statuses(report)["cancel-tool-call"] == "skipped"


def test_agent_is_not_asked_for_what_it_does_not_advertise() -> None:
    asked: set[str] = set()

    def answer(agent: Agent, request: Any) -> Any:
        asked.add(request["method"])
        return Agent.answer(agent, request)

    def do_initialize(agent: Agent, params: Any) -> Any:
        capabilities = {"sessionCapabilities": {"delete": {}}}
        return {**Agent.do_initialize(agent, params), "agentCapabilities": capabilities}

    report = report_on("agent", 1, program=agent_with(answer=answer, do_initialize=do_initialize))
    assert failed(report) == set()
    assert {each for each in asked if each.startswith("session/")} == {
        "session/delete",
        "session/new",
        "session/prompt",
        "session/set_config_option",
        "session/set_mode",
    }


def test_agent_may_replay_whole_messages_and_correct_them() -> None:
    def do_session_new(agent: Agent, params: Any) -> Any:
        result = Agent.do_session_new(agent, params)
        session = agent.sessions[result["sessionId"]]

        def replay() -> None:
            for tag, members in session.history:
                tag = tag.removesuffix("_chunk")
                wrong = {"type": "text", "text": "Something else."}
                session.update(tag, **{**members, "content": [wrong]})
                session.update(tag, **{**members, "content": [members["content"]]})
                session.update(tag, messageId=members["messageId"])

        session.replay = replay
        return result

    report = report_on("agent", 2, program=agent_with(do_session_new=do_session_new))
    assert failed(report) == set()
    assert statuses(report)["resume-replays"] == "passed"


def test_another_program_may_delete_a_session_between_two_lists() -> None:
    listed: list[Any] = []

    def do_session_list(agent: Agent, params: Any) -> Any:
        result = Agent.do_session_list(agent, params)
        folder = next(iter(agent.sessions.values())).cwd
        if not listed:
            result["sessions"].append({"sessionId": "deleted", "cwd": folder})
        listed.append(params)
        return result

    report = report_on("agent", 1, program=agent_with(do_session_list=do_session_list))
    assert failed(report) == set()


def test_permission_request_without_a_tool_call_is_not_judged_by_its_status() -> None:
    subject = {"type": "command", "command": "ls", "cwd": "/"}

    def ask(agent: Agent, method: str, params: Any, then: Any) -> None:
        Agent.ask(agent, method, {**params, "subject": subject}, then)

    report = report_on("agent", 2, program=agent_with(ask=ask))
    reasons = {each.requirement.id: each.reason for each in report.verdicts}
    assert failed(report) == set()
    for name in ("granted", "rejected", "cancelled-tool"):
        assert "for a tool call" in reasons[name]
    assert "is not for a tool call" in reasons["cancel-tool-call"]


def test_requirements_name_members_that_the_types_have() -> None:
    from acp_bindings.runtime.values.record import Record, members
    from acpwire.rules.values import wire_name

    places = [
        (version, member)
        for side in ("agent", "client")
        for demand in REQUIREMENTS.of(side)  # type: ignore[arg-type]
        for version, listed in demand.members.items()
        for member in listed
    ]
    assert len(places) > 30
    for version, place in places:
        name, member, *field = place.split("/")
        types = vars(import_module(f"acp_bindings.v{version}.types"))
        assert member in map(wire_name, members(types[name])), place
        assert field == [] or any(
            field[0] in map(wire_name, members(type_))
            for type_ in types.values()
            if isinstance(type_, type) and Record in type_.__bases__
        ), place
