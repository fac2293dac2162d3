"""Conversations about prompt turns, held live over stdio, and the outcome of each.

Our client talks to our agent and to an agent of the official TypeScript SDK, and a client of that
SDK talks to our agent, in both protocol versions. Each conversation has a session of its own, whose
id is its name. Each client is started twice: the second time it comes back to a session. All this
happens once for each combination; each test looks at one aspect of the outcome.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from acp_bindings import v1, v2

from interop.combinations import Combination
from interop.environments import Unavailable, command
from interop.running import Outcome, hold

_OURS = ("ours", "interop.turns.our_client"), ("ours", "interop.turns.our_agent")
COMBINATIONS = {
    each.name: each
    for version in (1, 2)
    for each in (
        Combination(f"ours-v{version}", version, *_OURS),
        Combination(
            f"typescript-agent-v{version}",
            version,
            _OURS[0],
            ("node", f"turns_agent_v{version}.mjs"),
        ),
        Combination(
            f"typescript-client-v{version}",
            version,
            ("node", f"turns_client_v{version}.mjs"),
            _OURS[1],
        ),
    )
}

SURFACES: dict[int, Any] = {1: v1, 2: v2}

ALL = list(COMBINATIONS)
V1 = [name for name, each in COMBINATIONS.items() if each.version == 1]
V2 = [name for name, each in COMBINATIONS.items() if each.version == 2]
OUR_CLIENT = [name for name, each in COMBINATIONS.items() if each.has_our_client]
OUR_CLIENT_V2 = [name for name in OUR_CLIENT if name in V2]


@dataclass
class Turns:
    """The outcome of all conversations of a combination.

    Attributes:
        version: the protocol version.
        first: the outcome of the first client.
        second: that of the second client, which came back to the session `replay`.
    """

    version: int
    first: Outcome
    second: Outcome

    def __getitem__(self, conversation: str) -> dict[str, Any]:
        """The report about a conversation of the first client."""
        report = self.first.report[conversation]
        assert "failed" not in report, report
        found: dict[str, Any] = report
        return found

    def updates(self, conversation: str) -> list[Any]:
        """The updates that the client saw, without message ids, which the agent chooses."""
        return without_ids(self[conversation]["updates"])

    def stops(self, conversation: str) -> list[Any]:
        """The stop reasons of the turns."""
        return [turn["stop"] for turn in self[conversation]["turns"]]

    def framed(self, prompt: list[Any], *updates: Any, stop: str = "end_turn") -> list[Any]:
        """All updates of a turn; in protocol 2, they include the user's message and the states."""
        if self.version == 1:
            return list(updates)
        accepted = {"sessionUpdate": "user_message", "content": prompt}
        return [accepted, state("running"), *updates, state("idle", stopReason=stop)]

    def tool_call(self, title: str, kind: str, status: str, call: str = "call_1") -> dict[str, Any]:
        """The first update of a tool call."""
        return {
            "sessionUpdate": "tool_call" if self.version == 1 else "tool_call_update",
            "toolCallId": call,
            "title": title,
            "kind": kind,
            "status": status,
        }


def have(combination: Combination) -> Turns:
    """Hold all conversations. Everything that goes wrong is part of the outcome."""
    try:
        client = [*command(*combination.client), str(combination.version)]
        agent = command(*combination.agent)
    except Unavailable as reason:
        missing = Outcome(unavailable=str(reason))
        return Turns(combination.version, missing, missing)
    with TemporaryDirectory() as name:
        folder = Path(name)
        first = hold([*client, "converse"], agent, folder)
        for left in ("report.json", "transcript.jsonl"):
            (folder / left).unlink(missing_ok=True)
        return Turns(combination.version, first, hold([*client, "attach"], agent, folder))


def among(names: Iterable[str]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for these combinations."""
    return pytest.mark.parametrize("name", list(names))


def text(words: str) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": words}


def message(words: str) -> dict[str, Any]:
    """A part of the agent's answer."""
    return {"sessionUpdate": "agent_message_chunk", "content": text(words)}


def state(name: str, **members: Any) -> dict[str, Any]:
    """An update of the agent's state."""
    return {"sessionUpdate": "state_update", "state": name, **members}


def output(*words: str) -> list[Any]:
    """The output of a tool."""
    return [{"type": "content", "content": text(each)} for each in words]


def news(call: str, status: str, *words: str) -> dict[str, Any]:
    """A later update of a tool call."""
    update = {"sessionUpdate": "tool_call_update", "toolCallId": call, "status": status}
    return {**update, "content": output(*words)} if words else update


def without_ids(updates: list[Any]) -> list[Any]:
    """Updates without the ids of messages."""
    return [{k: v for k, v in update.items() if k != "messageId"} for update in updates]


def lines(outcome: Outcome) -> Iterator[tuple[str, dict[str, Any]]]:
    """Who sent which message, in their order."""
    for entry in outcome.transcript:
        yield entry["from"], json.loads(entry["line"])


def sent(outcome: Outcome, method: str, session: str) -> list[dict[str, Any]]:
    """The requests or notifications of a method in a session."""
    return [
        line
        for _, line in lines(outcome)
        if line.get("method") == method and line["params"].get("sessionId") == session
    ]


def answers(outcome: Outcome, method: str, session: str) -> list[dict[str, Any]]:
    """The answers to the requests of a method in a session, without id and version."""
    asked = {
        (side, line["id"])
        for side, line in lines(outcome)
        if line.get("method") == method and line["params"].get("sessionId") == session
    }
    return [
        {key: value for key, value in line.items() if key not in ("jsonrpc", "id")}
        for side, line in lines(outcome)
        if "method" not in line
        and ("client" if side == "agent" else "agent", line.get("id")) in asked
    ]


def position(outcome: Outcome, wanted: Callable[[dict[str, Any]], bool]) -> int:
    """The position of a message in the transcript."""
    return next(number for number, (_, line) in enumerate(lines(outcome)) if wanted(line))


GO = [text("Go ahead.")]


def same_id(line: dict[str, Any], request: dict[str, Any]) -> bool:
    """Whether a message of the other side has the id of a request, and so answers it."""
    return bool(line.get("id") == request["id"])


def contents(turns: Turns, role: str) -> list[dict[str, list[str]]]:
    """The contents of the messages of a role after each of these updates, by message id."""
    conversation = turns["message_ids"]
    return [
        {name: content for its, name, content in looked["messages"] if its == role}
        for update, looked in zip(conversation["updates"], conversation["states"], strict=True)
        if update.get("messageId") in (f"{role}_1", f"{role}_2")
    ]
