"""Probes for the cancellation of turns, permission requests, other requests and tool calls."""

from __future__ import annotations

from acpwire.conform.player import Skipped
from acpwire.conform.probes_of_agents.played_client import (
    ALLOWING,
    CANCELLED,
    REJECTING,
    PlayedClient,
    probe,
    select,
)
from acpwire.conform.probes_of_agents.tools import call_of, judge_unused, statuses_after
from acpwire.conform.probes_of_both import judge_silence
from acpwire.json_values import at

_REQUEST_CANCELLED = -32800


@probe("cancel", "cancelled-tool", "updates-before-end", "prompt-after-cancel")
async def cancels_turns(client: PlayedClient) -> None:
    session = await client.start()
    prompt, question = await client.ask(session)
    client.notify("session/cancel", {"sessionId": session})
    client.answer_all(CANCELLED)
    turn = await client.end_of_turn(prompt)
    expected = "the stop reason `cancelled`"
    if not client.judge("cancel", turn.stop_reason == "cancelled", expected, turn.received):
        return
    await client.wire.rest()  # the rules report messages that must not arrive
    judge_unused(client, "cancelled-tool", session, question)
    client.judge("updates-before-end", True, "")  # a failure reported by the rules takes precedence
    client.decide(*ALLOWING)
    turn = await client.turn(session)
    ok = turn.is_over and turn.stop_reason != "cancelled"
    client.judge("prompt-after-cancel", ok, "a turn that is not cancelled", turn.received)


@probe("cancel-without-turn", "silent-notifications")
async def ignores_needless_cancelling(client: PlayedClient) -> None:
    session = await client.start()
    since = len(client.wire.lines)
    client.notify("session/cancel", {"sessionId": session})
    turn = await client.turn(session)
    ok = turn.is_over and turn.stop_reason != "cancelled"
    client.judge("cancel-without-turn", ok, "a turn that is not cancelled", turn.received)
    judge_silence(client, since, client.wire.lines[since])


@probe("close-cancels")
async def cancels_turns_of_closed_sessions(client: PlayedClient) -> None:
    session = await client.start()
    prompt, question = await client.ask(session)
    closing = client.request("session/close", {"sessionId": session})
    await client.end_of_turn(prompt)
    # The agent might be waiting for this response. Don't use the outcome `cancelled`, which could
    # end the turn even if the agent ignores `session/close`.
    client.answer_all(select(question, *REJECTING))
    turn = await client.end_of_turn(prompt)
    ok = turn.stop_reason == "cancelled"
    client.judge("close-cancels", ok, "the stop reason `cancelled`", turn.received)
    await client.response(closing)


@probe("cancelled-request")
async def answers_cancelled_requests(client: PlayedClient) -> None:
    session = await client.start()
    prompt, _ = await client.ask(session)
    client.notify("$/cancel_request", {"requestId": prompt.id})
    client.answer_all(CANCELLED)
    line = await client.response(prompt.id)
    ok = line.has_result or line.error_code == _REQUEST_CANCELLED
    expected = f"a result, or an error with the code {_REQUEST_CANCELLED}"
    client.judge("cancelled-request", ok, expected, line)


@probe("cancel-tool-call")
async def cancels_tool_calls(client: PlayedClient) -> None:
    session = await client.start()
    prompt, question = await client.ask(session)
    call = call_of(question)
    updates = client.updates(session, prompt.since)
    reports = [each for each in updates if each.get("toolCallId") == call]
    if call is None or all(at(each, "capabilities", "cancel") is None for each in reports):
        raise Skipped("the permission request is not for a tool call that can be cancelled")
    params = {"sessionId": session, "toolCallId": call}
    line = await client.call("tool_call/cancel", params)
    client.judge("cancel-tool-call", line.has_result, "a result", line)
    client.answer_all(CANCELLED)
    await client.end_of_turn(prompt)
    statuses = statuses_after(client, session, question, call)
    received = f"the statuses {statuses} of {call}"
    client.judge("cancel-tool-call", "cancelled" in statuses, "the status `cancelled`", received)
