"""Probes for tools: how calls are reported, and whether tools run only with permission."""

from __future__ import annotations

from acpwire.conform.player import Message, Skipped, text
from acpwire.conform.probes_of_agents.played_client import (
    ALLOWING,
    CANCELLED,
    REJECTING,
    PlayedClient,
    probe,
    select,
)
from acpwire.conform.probes_of_agents.prompts import states_of
from acpwire.json_values import at

_RUNS = ("in_progress", "completed")
_NO_PROMPT = "needs a --prompt that makes the agent use a tool"
_NO_QUESTION = "no prompt made the agent request permission"
_NO_CHOICE = "no permission request for a tool call has an option to allow it"


@probe(
    *("reported-calls", "final-status", "permission-options", "granted", "requires-action"),
    "resumes-running",
)
async def uses_tools(client: PlayedClient) -> None:
    if not client.task.prompts:
        raise Skipped(_NO_PROMPT)
    session = await client.start()
    asked = client.decide(*ALLOWING)
    for words in client.task.prompts:
        since, before = len(client.wire.lines), len(asked)
        await client.good_turn(session, text(words))
        for question in asked[before:]:
            _judge_question(client, session, question, since)
    for requirement in ("reported-calls", "final-status"):
        client.skip(requirement, "no prompt made the agent report a tool call")
    for requirement in ("permission-options", "granted", "requires-action", "resumes-running"):
        client.skip(requirement, _NO_QUESTION)


def _judge_question(client: PlayedClient, session: str, question: Message, since: int) -> None:
    call = call_of(question)
    if call is not None and select(question, *ALLOWING) is not CANCELLED:
        statuses = statuses_after(client, session, question, call)
        received = f"the statuses {statuses} of {call}"
        client.judge("granted", "in_progress" in statuses, "the status `in_progress`", received)
    client.skip("granted", _NO_CHOICE)
    states = states_of(client.updates(session, since))
    expected = "the state `requires_action` while the permission request is pending"
    client.judge("requires-action", "requires_action" in states, expected, f"the states {states}")


@probe("rejected")
async def obeys_rejections(client: PlayedClient) -> None:
    if not client.task.prompts:
        raise Skipped(_NO_PROMPT)
    session = await client.start()
    asked = client.decide(*REJECTING)
    for words in client.task.prompts:
        before = len(asked)
        turn = await client.turn(session, text(words))
        for question in asked[before:]:
            if turn.is_over:
                judge_unused(client, "rejected", session, question)
            else:
                client.judge("rejected", False, "the end of the turn", turn.received)
    client.skip("rejected", _NO_QUESTION)


def judge_unused(client: PlayedClient, requirement: str, session: str, question: Message) -> None:
    """Check that the tool call in a permission request did not run after the request."""
    call = call_of(question)
    if call is not None:
        statuses = statuses_after(client, session, question, call)
        ok = not set(statuses).intersection(_RUNS)
        client.judge(
            requirement, ok, "a tool that does not run", f"the statuses {statuses} of {call}"
        )
    client.skip(requirement, "none of the permission requests was for a tool call")


def call_of(question: Message) -> str | None:
    """Return the id of a permission request's tool call, or None if there is no tool call."""
    subject = at(question, "params", "subject") or at(question, "params")
    id = at(subject, "toolCall", "toolCallId") or at(subject, "toolCallId")
    return id if type(id) is str else None


def statuses_after(client: PlayedClient, session: str, question: Message, call: str) -> list[str]:
    """Return the statuses that the agent reported for a tool call after a permission request."""
    lines = client.wire.lines
    since = next(index for index, line in enumerate(lines) if line.message is question)
    return [
        str(update["status"])
        for update in client.updates(session, since)
        if update.get("toolCallId") == call and update.get("status")
    ]
