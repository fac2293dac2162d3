"""Conversations with prompt turns over stdio, and the outcome of each conversation.

In both protocol versions, our client talks to our agent and to an agent that uses the official
TypeScript SDK, and a client that uses this SDK talks to our agent. Each conversation uses a
separate session with the conversation's name as its id. Each client is started twice and reloads a
session the second time. The conversations of each combination run only once, and each test checks
one aspect of their outcome.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from acp_bindings import v1, v2

from tests.interop.combinations import BRIDGED, Combination
from tests.interop.environments import Unavailable, command
from tests.interop.running import Outcome, hold

_OURS = {side: ("ours", f"tests.interop.turns.our_{side}") for side in ("client", "agent")}
_CASTS: dict[str, list[str]] = {
    "ours": [],
    "typescript-agent": ["agent"],
    "typescript-client": ["client"],
}
COMBINATIONS = {
    f"{name}-v{version}": Combination(
        f"{name}-v{version}",
        version,
        **{**_OURS, **{side: ("node", f"turns_{side}_v{version}.mjs") for side in sides}},
    )
    for version in (1, 2)
    for name, sides in _CASTS.items()
}
for _name, _sides in _CASTS.items():
    _theirs = {"agent": ("ours", f"{_OURS['agent'][1]} 1")}
    _theirs |= {side: ("node", f"turns_{side}_v1.mjs") for side in _sides}
    for _side in sorted({"client", "agent"}.difference(_sides)):
        _bridged = {_side: ("ours", _OURS[_side][1] + BRIDGED)}
        _key = f"{_name}-with-bridged-{_side}"
        _version = 2 if _side == "client" else 1
        COMBINATIONS[_key] = Combination(_key, _version, **{**_OURS, **_theirs, **_bridged})
SURFACES: dict[int, Any] = {1: v1, 2: v2}
GO = [{"type": "text", "text": "Go ahead."}]


Line = tuple[str, dict[str, Any]]


@dataclass
class Turns:
    """The outcome of a combination's conversations."""

    combination: Combination
    first: Outcome  # the first client's outcome
    second: Outcome  # the outcome of the second client, which reloaded the session `replay`

    @property
    def version(self) -> int:
        """The protocol version of the reports."""
        return self.combination.version

    @property
    def wire(self) -> int:
        """The protocol version of the messages between the two programs."""
        return self.combination.wire

    @property
    def is_bridged(self) -> bool:
        return self.combination.is_bridged

    @property
    def v(self) -> Any:
        return SURFACES[self.version]

    def __getitem__(self, conversation: str) -> dict[str, Any]:
        """Return the first client's report about a conversation."""
        report = self.first.report[conversation]
        assert "failed" not in report, report
        found: dict[str, Any] = report
        return found

    def updates(self, conversation: str) -> list[Any]:
        """Return the updates that the client received, simplified by `plain`."""
        return self.plain(self[conversation]["updates"])

    def plain(self, updates: list[Any]) -> list[Any]:
        """Return updates without message ids and without the updates that a bridge adds."""
        found: list[Any] = []
        was_asked = False
        for update in without_ids(updates):
            is_asked = update == state("requires_action")
            is_over = was_asked and update == state("running")
            is_title = update.keys() == {"sessionUpdate", "toolCallId", "title"}
            if not (self.is_bridged and (is_asked or is_over or is_title)):
                found.append(update)
            was_asked = is_asked
        return found

    def stops(self, conversation: str) -> list[Any]:
        return [turn["stop"] for turn in self[conversation]["turns"]]

    def turn(self, conversation: str) -> dict[str, Any]:
        """Return the only turn of a conversation."""
        [turn] = self[conversation]["turns"]
        found: dict[str, Any] = turn
        return found

    def lines(self, session: str, is_second: bool = False) -> list[Line]:
        """Return a session's messages with their senders, in order, including responses."""
        outcome = self.second if is_second else self.first
        ids: set[tuple[str, Any]] = set()
        found: list[Line] = []
        for entry in outcome.transcript:
            side, line = entry["from"], json.loads(entry["line"])
            if line.get("params", {}).get("sessionId") == session:
                found.append((side, line))
                ids.add(("client" if side == "agent" else "agent", line.get("id")))
            elif "method" not in line and (side, line["id"]) in ids:
                found.append((side, line))
        return found

    def messages(self, session: str, is_second: bool = False) -> list[dict[str, Any]]:
        return [line for _, line in self.lines(session, is_second)]

    def sent(self, method: str, session: str) -> list[dict[str, Any]]:
        """Return a session's requests or notifications with the given method."""
        return [line for line in self.messages(session) if line.get("method") == method]

    def answers(self, method: str, session: str) -> list[dict[str, Any]]:
        """Return the responses to requests with the given method, without `id` and `jsonrpc`."""
        asked: dict[tuple[str, Any], str] = {}
        found: list[dict[str, Any]] = []
        for side, line in self.lines(session):
            other = "client" if side == "agent" else "agent"
            if "method" in line:
                asked[other, line.get("id")] = line["method"]
            elif asked.get((side, line["id"])) == method:
                found.append({k: v for k, v in line.items() if k not in ("jsonrpc", "id")})
        return found

    def framed(self, prompt: list[Any], *updates: Any, stop: str = "end_turn") -> list[Any]:
        """Return a turn's expected updates. Protocol 2 adds the user's message and the states."""
        if self.version == 1:
            return list(updates)
        accepted = {"sessionUpdate": "user_message", "content": prompt}
        return [accepted, state("running"), *updates, state("idle", stopReason=stop)]

    def tool_call(self, title: str, kind: str, status: str, call: str = "call_1") -> dict[str, Any]:
        return {
            "sessionUpdate": "tool_call" if self.version == 1 else "tool_call_update",
            "toolCallId": call,
            "title": title,
            "kind": kind,
            "status": status,
        }


def have(combination: Combination) -> Turns:
    """Run all conversations and return their outcomes, including all failures."""
    try:
        client = [*command(*combination.client), str(combination.version)]
        agent = command(*combination.agent)
    except Unavailable as reason:
        missing = Outcome(unavailable=str(reason))
        return Turns(combination, missing, missing)
    with TemporaryDirectory() as name:
        folder = Path(name)
        first = hold([*client, "converse"], agent, folder)
        for left in ("report.json", "transcript.jsonl"):
            (folder / left).unlink(missing_ok=True)
        return Turns(combination, first, hold([*client, "attach"], agent, folder))


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def message(words: str) -> dict[str, Any]:
    return {"sessionUpdate": "agent_message_chunk", "content": text(words)}


def state(name: str, **members: Any) -> dict[str, Any]:
    return {"sessionUpdate": "state_update", "state": name, **members}


def output(*words: str) -> list[Any]:
    return [{"type": "content", "content": text(each)} for each in words]


def news(call: str, status: str, *words: str) -> dict[str, Any]:
    update = {"sessionUpdate": "tool_call_update", "toolCallId": call, "status": status}
    return {**update, "content": output(*words)} if words else update


def without_ids(updates: list[Any]) -> list[Any]:
    return [{k: v for k, v in update.items() if k != "messageId"} for update in updates]
