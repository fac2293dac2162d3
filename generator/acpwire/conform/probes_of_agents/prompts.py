"""Probes for prompts, their content, and the resulting turns."""

from __future__ import annotations

from typing import Any

from acpwire.conform.player import INVALID_PARAMS, Unreached, text
from acpwire.conform.probes_of_agents.played_client import (
    ALLOWING,
    CANCELLED,
    HELLO,
    PlayedClient,
    Prompt,
    Turn,
    parts_of,
    probe,
)
from acpwire.conform.wire import Line

# The smallest PNG (one pixel) and the smallest WAV (no samples).
_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
_WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

BLOCKS: dict[str, dict[str, Any]] = {
    "resource-links": {
        "type": "resource_link",
        "name": "a.txt",
        "uri": "file:///conform/a.txt",
        "mimeType": "text/plain",
    },
    "images": {"type": "image", "mimeType": "image/png", "data": _PNG},
    "audio": {"type": "audio", "mimeType": "audio/wav", "data": _WAV},
    "embedded-context": {
        "type": "resource",
        "resource": {"uri": "file:///conform/a.txt", "mimeType": "text/plain", "text": "A note."},
    },
}


def _end(client: PlayedClient) -> str:
    idle = client.facts.idle
    if idle is None:
        return "a result with a stopReason"
    kind, state = idle.values()
    return f"a result, followed by a {kind} with the state `{state}` and a stopReason"


@probe("turn-ends", "next-prompt", "user-message", "running", "idle")
async def takes_prompts(client: PlayedClient) -> None:
    session = await client.start()
    turn = await client.turn(session)
    client.judge("turn-ends", type(turn.stop_reason) is str, _end(client), turn.received)
    if not turn.is_over:
        return
    if client.facts.idle is not None:
        _judge_reports(client, turn)
    prompt = client.prompt(session)
    turn = await client.end_of_turn(prompt)
    client.judge("next-prompt", turn.is_over, _end(client), turn.received)
    if client.facts.idle is not None and turn.is_over:
        await _judge_rest(client, prompt)


def _judge_reports(client: PlayedClient, turn: Turn) -> None:
    message_id = turn.response.result.get("messageId")
    kinds = (client.facts.messages.get("user"), client.facts.chunks["user"])
    messages = [update for update in turn.updates if update.get("sessionUpdate") in kinds]
    ids = [message.get("messageId") for message in messages]
    expected = f"a {kinds[0]} or {kinds[1]} with the messageId {message_id!r}"
    client.judge("user-message", message_id in ids, expected, f"messages with the ids {ids}")
    states, expected = states_of(turn.updates), "the state `running` before `idle`"
    client.judge("running", "running" in states, expected, f"the states {states}")


async def _judge_rest(client: PlayedClient, prompt: Prompt) -> None:
    """Check that the agent is idle after the turn, or becomes idle in time."""

    def states() -> list[str]:
        return states_of(client.updates(prompt.session, prompt.since))

    def is_idle(line: Line | None = None) -> bool:
        return states()[-1:] == ["idle"]

    await client.wire.rest(lambda line: not is_idle())
    if not is_idle():
        await client.wire.wait(is_idle, len(client.wire.lines))
    expected = "the state `idle` after the agent has finished its work"
    client.judge("idle", is_idle(), expected, f"the states {states()}")


def states_of(updates: list[dict[str, Any]]) -> list[str]:
    """Return the states that updates report."""
    kinds = [each for each in updates if each.get("sessionUpdate") == "state_update"]
    return [str(each.get("state")) for each in kinds]


@probe("parallel-sessions")
async def works_in_two_sessions(client: PlayedClient) -> None:
    first = await client.start()
    second = await client.open()
    if first == second:
        raise Unreached("two sessions have the same id")
    since = len(client.wire.lines)
    await client.good_turn(first)
    parts = parts_of(client.updates(second, since))
    expected = "no turn updates in an idle session while the agent works in another session"
    client.judge("parallel-sessions", not parts, expected, f"the updates {parts} of {second!r}")
    first = await client.open()
    since = len(client.wire.lines)
    words = {first: "Say apple.", second: "Say pear."}
    for prompt in [client.prompt(session, text(words[session])) for session in words]:
        turn = await client.end_of_turn(prompt)
        if not client.judge(
            "parallel-sessions", turn.is_over, "the end of both turns", turn.received
        ):
            return
    for session, other in ((first, second), (second, first)):
        updates = client.updates(session, since)
        echoes = [each for each in updates if "user" in str(each.get("sessionUpdate"))]
        ok = not any(words[other] in str(each.get("content")) for each in echoes)
        expected = f"no message from the session {other!r}"
        client.judge("parallel-sessions", ok, expected, f"the updates {echoes} of {session!r}")


@probe("parallel-sessions")
async def works_while_another_session_waits(client: PlayedClient) -> None:
    session = await client.start()
    other = await client.open()
    prompt, _ = await client.ask(session)
    client.decide(*ALLOWING)  # the agent might also request permission in the other session
    turn = await client.turn(other)
    expected = "the end of a turn while another session is waiting for permission"
    client.judge("parallel-sessions", turn.is_over, expected, turn.received)
    client.answer_all(CANCELLED)
    await client.end_of_turn(prompt)


@probe(*BLOCKS)
async def takes_content(client: PlayedClient) -> None:
    await client.initialize()
    for requirement, block in BLOCKS.items():
        if client.applies(requirement):
            turn = await client.turn(await client.open(), text(HELLO), block)
            client.judge(requirement, turn.is_over, _end(client), turn.received)
            if not turn.received:  # the next turn would time out as well
                raise Unreached("a turn did not end")


@probe("unsupported-content")
async def refuses_unsupported_content(client: PlayedClient) -> None:
    session = await client.start()
    refused = [block for name, block in BLOCKS.items() if not client.applies(name)]
    for block in ({"type": "_conform_unknown", "conform": 1}, *refused):
        line = await client.response(client.prompt(session, text(HELLO), block).id)
        about = f" for a block of type {block['type']}"
        client.judge_error("unsupported-content", INVALID_PARAMS, line, about)
