"""Prompts, what is in them, and the turns that follow."""

from __future__ import annotations

from typing import Any

from acpgen.wire.conform.agent.client import HELLO, Client, Turn, probe, text
from acpgen.wire.conform.conversation import Unreached

# The smallest PNG: one pixel. And the smallest WAV: no samples.
_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
_WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

BLOCKS: dict[str, dict[str, Any]] = {
    "resource-links": {"type": "resource_link", "name": "a.txt", "uri": "file:///conform/a.txt"},
    "images": {"type": "image", "mimeType": "image/png", "data": _PNG},
    "audio": {"type": "audio", "mimeType": "audio/wav", "data": _WAV},
    "embedded-context": {
        "type": "resource",
        "resource": {"uri": "file:///conform/a.txt", "mimeType": "text/plain", "text": "A note."},
    },
}


@probe("turn-ends", "next-prompt", "user-message", "running")
async def takes_prompts(client: Client) -> None:
    session = await client.start()
    turn = await client.turn(session)
    ok = type(turn.stop_reason) is str
    if not client.judge("turn-ends", ok, _END[client.version], turn.end):
        return
    if client.version != 1:
        _judge_reports(client, turn)
    turn = await client.turn(session)
    ok = type(turn.stop_reason) is str
    client.judge("next-prompt", ok, _END[client.version], turn.end)


_END = {
    1: "a result with a stopReason",
    2: "a result, and then a state_update with the state idle and a stopReason",
}


def _judge_reports(client: Client, turn: Turn) -> None:
    assert turn.response is not None  # otherwise the turn would not have ended
    result = turn.response.message["result"]
    message_id = result.get("messageId") if type(result) is dict else None
    ids = [
        update.get("messageId")
        for update in turn.updates
        if update.get("sessionUpdate") in ("user_message", "user_message_chunk")
    ]
    expected = f"a user_message or user_message_chunk with the messageId {message_id!r}"
    client.judge("user-message", message_id in ids, expected, f"messages with the ids {ids}")
    states = [
        update.get("state")
        for update in turn.updates
        if update.get("sessionUpdate") == "state_update"
    ]
    ok = "running" in states[: states.index("idle")]
    client.judge("running", ok, "the state running before idle", f"the states {states}")


@probe("parallel-sessions")
async def works_in_two_sessions(client: Client) -> None:
    first = await client.start()
    second = await client.open()
    since = len(client.wire.lines)
    prompts = {session: client.prompt(session) for session in (first, second)}
    for session, prompt in prompts.items():
        turn = await client.end_of_turn(session, prompt, since)
        ok = type(turn.stop_reason) is str
        if not client.judge("parallel-sessions", ok, "that both turns end", turn.end):
            return


@probe(*BLOCKS)
async def takes_content(client: Client) -> None:
    await client.initialize()
    for requirement, block in BLOCKS.items():
        if client.talk.applies(requirement):
            turn = await client.turn(await client.open(), text(HELLO), block)
            ok = type(turn.stop_reason) is str
            client.judge(requirement, ok, _END[client.version], turn.end or turn.response)
            if turn.end is None:  # the next one would be waited for as long
                raise Unreached("a turn did not end")
