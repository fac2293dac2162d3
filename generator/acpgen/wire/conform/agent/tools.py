"""Tools: what is reported of their calls, and what becomes of them with and without permission."""

from __future__ import annotations

from typing import Any

from acpgen.wire.conform.agent.client import PERMISSION, Client, probe, select, text
from acpgen.wire.conform.conversation import Message, Skipped

_OVER = ("completed", "failed", "cancelled")
_RUNS = ("in_progress", "completed")
_NO_PROMPT = "needs --prompt with a text that makes the agent use a tool"
_NO_CALL = "no prompt made the agent report a tool call"
_NO_QUESTION = "no prompt made the agent ask for permission"


@probe("reported-calls", "final-status", "permission-options", "granted", "requires-action")
async def uses_tools(client: Client) -> None:
    if not client.prompts:
        raise Skipped(_NO_PROMPT)
    session = await client.start()
    asked: list[Message] = []

    def allow(question: Message) -> Message:
        asked.append(question)
        return select(question, "allow_once", "allow_always")

    client.talk.answers[PERMISSION] = allow
    for words in client.prompts:
        since, before = len(client.wire.lines), len(asked)
        turn = await client.good_turn(session, text(words))
        if turn.stop_reason == "end_turn":
            _judge_ends(client, turn.updates)
        for question in asked[before:]:
            _judge_question(client, session, question, since)
    for requirement in ("reported-calls", "final-status"):
        client.talk.skip(requirement, _NO_CALL)
    for requirement in ("permission-options", "granted", "requires-action"):
        client.talk.skip(requirement, _NO_QUESTION)


def _judge_ends(client: Client, updates: list[dict[str, Any]]) -> None:
    last = {
        update["toolCallId"]: update["status"]
        for update in updates
        if update.get("toolCallId") and update.get("status")
    }
    left = {call: status for call, status in last.items() if status not in _OVER}
    if last:
        expected = "a last status of each tool call before the end of the turn"
        client.judge("final-status", not left, expected, f"the last status: {left}")


def _judge_question(client: Client, session: str, question: Message, since: int) -> None:
    options = question["params"].get("options")
    ids = [each.get("optionId") for each in options] if type(options) is list else []
    ok = bool(ids) and len(set(map(str, ids))) == len(ids)
    client.judge("permission-options", ok, "options with different ids", f"options {ids}")
    call = call_of(question)
    if call is not None:
        statuses = statuses_after(client, session, question, call)
        came = f"the statuses {statuses} of {call}"
        client.judge("granted", "in_progress" in statuses, "the status in_progress", came)
    if client.version != 1:
        states = [
            update.get("state")
            for update in client.updates(session, since)
            if update.get("sessionUpdate") == "state_update"
        ]
        ok = "requires_action" in states
        expected = "the state requires_action while the question is open"
        client.judge("requires-action", ok, expected, f"the states {states}")


@probe("rejected")
async def obeys_rejections(client: Client) -> None:
    if not client.prompts:
        raise Skipped(_NO_PROMPT)
    session = await client.start()
    asked: list[Message] = []

    def reject(question: Message) -> Message:
        asked.append(question)
        return select(question, "reject_once", "reject_always")

    client.talk.answers[PERMISSION] = reject
    for words in client.prompts:
        before = len(asked)
        turn = await client.turn(session, text(words))
        for question in asked[before:]:
            ok = type(turn.stop_reason) is str
            client.judge("rejected", ok, "that the turn ends", turn.end)
            judge_unused(client, "rejected", session, question)
    client.talk.skip("rejected", _NO_QUESTION)


def judge_unused(client: Client, requirement: str, session: str, question: Message) -> None:
    """Judge that the tool that a question was about has not run since."""
    call = call_of(question)
    if call is not None:
        statuses = statuses_after(client, session, question, call)
        ok = not set(statuses).intersection(_RUNS)
        client.judge(requirement, ok, "no run of the tool", f"the statuses {statuses} of {call}")


def call_of(question: Message) -> str | None:
    """The id of the tool call that a question is about; None if it is about something else."""
    params: Any = question["params"]
    subject = params.get("subject") or {}
    call = params.get("toolCall") or subject.get("toolCall") or {}
    id = call.get("toolCallId")
    return id if type(id) is str else None


def statuses_after(client: Client, session: str, question: Message, call: str) -> list[str]:
    """The statuses of a tool call since a question."""
    lines = client.wire.lines
    since = next(index for index, line in enumerate(lines) if line.message is question)
    return [
        str(update["status"])
        for update in client.updates(session, since)
        if update.get("toolCallId") == call and update.get("status")
    ]
