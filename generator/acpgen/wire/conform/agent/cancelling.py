"""Cancelling: turns, questions, requests, tool calls."""

from __future__ import annotations

from acpgen.wire.conform.agent.client import CANCELLED, Client, probe
from acpgen.wire.conform.agent.errors import judge_silence
from acpgen.wire.conform.agent.tools import call_of, judge_unused
from acpgen.wire.conform.conversation import Skipped, error_code

_REQUEST_CANCELLED = -32800


@probe("cancel", "cancelled-tool", "updates-before-end", "prompt-after-cancel")
async def cancels_turns(client: Client) -> None:
    session = await client.start()
    prompt, since, question = await client.ask(session)
    client.talk.notify("session/cancel", {"sessionId": session})
    client.answer_all(CANCELLED)
    turn = await client.end_of_turn(session, prompt, since)
    expected = "the stop reason cancelled"
    came = turn.end or turn.response
    if not client.judge("cancel", turn.stop_reason == "cancelled", expected, came):
        return
    await client.next_answer()  # what was still to come has come
    judge_unused(client, "cancelled-tool", session, question)
    client.judge("updates-before-end", True, "")  # unless the follower has seen one
    client.allow_all()
    turn = await client.turn(session)
    ok = type(turn.stop_reason) is str and turn.stop_reason != "cancelled"
    client.judge("prompt-after-cancel", ok, "a turn that is not cancelled", turn.end)


@probe("cancel-without-turn", "silent-notifications")
async def ignores_needless_cancelling(client: Client) -> None:
    session = await client.start()
    since = len(client.wire.lines)
    client.talk.notify("session/cancel", {"sessionId": session})
    turn = await client.turn(session)
    ok = type(turn.stop_reason) is str and turn.stop_reason != "cancelled"
    client.judge("cancel-without-turn", ok, "a turn that is not cancelled", turn.end)
    judge_silence(client, since)


@probe("close-cancels")
async def cancels_turns_of_closed_sessions(client: Client) -> None:
    session = await client.start()
    prompt, since, _ = await client.ask(session)
    closing = client.talk.request("session/close", {"sessionId": session})
    client.answer_all(CANCELLED)
    turn = await client.end_of_turn(session, prompt, since)
    ok = turn.stop_reason == "cancelled"
    client.judge("close-cancels", ok, "the stop reason cancelled", turn.end or turn.response)
    await client.talk.response(closing)


@probe("cancelled-request")
async def answers_cancelled_requests(client: Client) -> None:
    session = await client.start()
    prompt, _, _ = await client.ask(session)
    client.talk.notify("$/cancel_request", {"requestId": prompt})
    client.answer_all(CANCELLED)
    line = await client.talk.response(prompt)
    ok = line is not None and ("result" in line.message or error_code(line) == _REQUEST_CANCELLED)
    expected = f"a result, or an error with the code {_REQUEST_CANCELLED}"
    client.judge("cancelled-request", ok, expected, line)


@probe("cancel-tool-call")
async def cancels_tool_calls(client: Client) -> None:
    session = await client.start()
    prompt, since, question = await client.ask(session)
    call = call_of(question)
    reports = [each for each in client.updates(session, since) if each.get("toolCallId") == call]
    if not any((each.get("capabilities") or {}).get("cancel") is not None for each in reports):
        raise Skipped("the tool call does not say that it can be cancelled")
    params = {"sessionId": session, "toolCallId": call}
    cancelling = client.talk.request("tool_call/cancel", params)
    line = await client.talk.response(cancelling)
    ok = line is not None and "result" in line.message
    client.judge("cancel-tool-call", ok, "a result", line)
    client.answer_all(CANCELLED)
    await client.end_of_turn(session, prompt, since)
    updates = client.updates(session, since)
    statuses = [each.get("status") for each in updates if each.get("toolCallId") == call]
    came = f"the statuses {statuses} of {call}"
    client.judge("cancel-tool-call", "cancelled" in statuses, "the status cancelled", came)
