"""Tests of protocol 1 clients with random protocol 2 agents that obey the `legal_agent` rules."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.package.bridge.wire import Json, Side, Wire
from tests.package.session.legal_agent import CANCELLED, PLAYED, Message, Prompt
from tests.package.session.test_legal_agents import Play, check_counts, count, written


def opened() -> Wire:
    """Return a bridge between a protocol 1 client and a protocol 2 agent, with an open session."""
    wire = Wire()
    wire.client.request("initialize", protocolVersion=1)
    answer: Json = {"info": {"name": "a", "version": "1"}, "capabilities": {"session": {}}}
    wire.agent.answer(wire.agent.take(), {"protocolVersion": 2, **answer})
    wire.client.request("session/new", cwd="/", mcpServers=[])
    wire.agent.answer(wire.agent.take(), {"sessionId": "s"})
    return wire


def expected(prompt: Prompt) -> str:
    """Return the stop reason that a protocol 1 client must receive for a prompt."""
    if prompt.end is None:
        return CANCELLED
    reason = prompt.end.reason
    return "end_turn" if reason is None or reason.startswith("_") else reason


class Bridged:
    """A random `Play` with a bridge between the client and the agent."""

    def __init__(self, seed: int) -> None:
        self.play = Play(seed)
        self.wire = opened()
        self._numbers: dict[Prompt, int] = {}  # the ids of the client's requests
        self._ids: dict[Prompt, Any] = {}  # the ids of the bridge's requests

    def prompt(self) -> None:
        block = {"type": "text", "text": "Hi"}
        number = self.wire.client.request("session/prompt", sessionId="s", prompt=[block])
        prompt = self.play.prompt()
        self._numbers[prompt] = number
        self._ids[prompt] = self.wire.agent.take("session/prompt")["id"]

    def cancel(self) -> None:
        self.play.conversation.cancel()
        self.wire.client.notify("session/cancel", sessionId="s")

    def say(self, message: Message | None) -> None:
        for each in written(message, self._ids, "s"):
            send(self.wire.agent, each)

    def hear(self) -> None:
        """Forward `session/cancel` to the agent. This also cancels the turn's requests."""
        for message in self.wire.agent.received:
            assert message["method"] in ("session/cancel", "$/cancel_request")
            if message["method"] == "session/cancel":
                self.play.agent.receive(None)
        self.wire.agent.received.clear()

    def check(self) -> None:
        answers = self.wire.client.answers
        for prompt, number in self._numbers.items():
            assert (number in answers) == prompt.is_over
            if prompt.is_over:
                assert answers[number]["stopReason"] == expected(prompt)


def send(side: Side, message: Json) -> None:
    """Send a message, given as JSON without the `jsonrpc` field."""
    if "method" in message:
        side.notify(message["method"], **message["params"])
    elif "error" in message:
        side.refuse(message, message["error"]["code"])
    else:
        side.answer(message, message["result"])


def test_turns_of_a_bridged_client_end_with_their_work() -> None:
    counts: Counter[str] = Counter()
    for seed in range(PLAYED):
        bridged = Bridged(seed)
        agent = bridged.play.agent
        for action in bridged.play.actions:
            match action:
                case "prompt":
                    bridged.prompt()
                case "cancel":
                    bridged.cancel()
                case _:
                    bridged.say(agent.step())
            bridged.hear()
            bridged.check()
        while not agent.is_done:
            bridged.say(agent.step(is_ending=True))
            bridged.hear()
            bridged.check()
        count(bridged.play.conversation, counts)
    check_counts(counts, PLAYED)
