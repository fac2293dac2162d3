"""Probes for permission requests, elicitations, and cancelled turns."""

from __future__ import annotations

import sys
from typing import Any

from acp_bindings.runtime.jsonrpc.method import INITIALIZE

from acpwire.conform.player import Skipped
from acpwire.conform.probes_of_clients.played_agent import (
    OPTIONS,
    PERMISSION,
    PING,
    PlayedAgent,
    probe,
)
from acpwire.conform.wire import Line
from acpwire.json_values import at

_ACTIONS = ("accept", "decline", "cancel")
_ASKED = 3  # the maximum number of attempts to send a permission request that stays pending
_FORM = {"type": "object", "properties": {"name": {"type": "string"}}}


@probe("permission")
async def decides_about_permission(agent: PlayedAgent) -> None:
    await _decides(agent, "permission", OPTIONS)


async def _decides(agent: PlayedAgent, requirement: str, options: list[dict[str, str]]) -> None:
    await agent.prompted()
    line = await agent.call(PERMISSION, agent.question(options=options))
    outcome = line.result.get("outcome")
    offered = [option["optionId"] for option in OPTIONS]
    is_selected = at(outcome, "outcome") == "selected" and at(outcome, "optionId") in offered
    ok = is_selected or at(outcome, "outcome") == "cancelled"
    expected = (
        f"one of the options {', '.join(offered)}, or cancelled (the client might be waiting for"
        " the user)"
    )
    agent.judge(requirement, ok, expected, line)


@probe("other-options")
async def takes_unknown_options(agent: PlayedAgent) -> None:
    options = [{**option, "kind": "_conform_unknown"} for option in OPTIONS]
    await _decides(agent, "other-options", options)


@probe("form")
async def answers_forms(agent: PlayedAgent) -> None:
    await agent.prompted()
    hello = next(line.message for line in agent.wire.lines if line.method == INITIALIZE)
    if at(hello, "params", agent.facts.capabilities["client"], "elicitation", "form") is None:
        raise Skipped("the capability for forms is not advertised")
    await _asks(agent, "form", {"mode": "form", "requestedSchema": _FORM})


@probe("url")
async def answers_addresses(agent: PlayedAgent) -> None:
    await agent.prompted()
    params = {"mode": "url", "url": "https://example.com/", "elicitationId": "conform-url"}
    await _asks(agent, "url", params)
    agent.notify("elicitation/complete", {"elicitationId": "conform-url"})
    await agent.lives("url", "the end of an elicitation")


async def _asks(agent: PlayedAgent, requirement: str, params: dict[str, Any]) -> None:
    question = {"sessionId": agent.session, "message": "What is your name?", **params}
    line = await agent.call("elicitation/create", question)
    ok = line.result.get("action") in _ACTIONS
    expected = "a result with the action 'accept', 'decline' or 'cancel'"
    agent.judge(requirement, ok, expected, line)


@probe("cancel-answers", "late-updates")
async def cancels_a_turn(agent: PlayedAgent) -> None:
    if sys.platform == "win32":
        raise Skipped("a single program cannot be interrupted on Windows")
    await agent.prompted()
    call = {"toolCallId": "conform-call", "title": "Judge the client"}
    agent.update(agent.facts.tool_calls[0], **call)
    question = await _waiting(agent)
    agent.wire.interrupt()
    cancelled = await agent.wire.wait(lambda line: line.method == "session/cancel")
    if not cancelled:
        raise Skipped("the client does not send session/cancel when it is interrupted")
    line = await agent.response(question)
    if line and line.time < cancelled.time:
        raise Skipped("the client responded before the turn was cancelled")
    _stays(agent, line)
    ok = at(line.result, "outcome", "outcome") == "cancelled"
    expected = "the outcome 'cancelled' in the response to the permission request"
    agent.judge("cancel-answers", ok, expected, line)
    sent = agent.update(agent.facts.tool_calls[-1], toolCallId="conform-call", status="failed")
    line = await agent.sign_of_life()
    _stays(agent, line)
    expected = "a response to the request sent after an update of a cancelled turn"
    agent.judge("late-updates", bool(line), expected, line, sent)


def _stays(agent: PlayedAgent, line: Line) -> None:
    """Skip the rest of the probe if a line is missing because the client exited on SIGINT."""
    if not line and agent.wire.is_interrupted:
        raise Skipped("the client exits when it is interrupted")


async def _waiting(agent: PlayedAgent) -> Any:
    """Send permission requests until one stays pending, and return the id of this request."""
    for _ in range(_ASKED):
        question = agent.request(PERMISSION, agent.question())
        await agent.call(PING, {})
        if not any(line.answers(question) for line in agent.wire.lines):
            return question
    raise Skipped("the client responds to all permission requests immediately")
