"""Tests of turns with random protocol 2 agents that obey the rules in `legal_agent`."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from acp_bindings.runtime.session.turn_phases import Foreground, Habits, Progress

from tests.package.session.legal_agent import (
    CANCELLED,
    PLAYED,
    Conversation,
    LegalAgent,
    Message,
    N,
    Prompt,
    Report,
    actions,
)
from tests.package.session.scripted import (
    V2,
    Json,
    chunk,
    client,
    failure,
    result,
    settle,
    text,
    update,
)


class Play:
    """A random conversation with an agent that obeys the rules."""

    def __init__(self, seed: int) -> None:
        self.entropy = random.Random(seed)
        self.conversation = Conversation()
        self.agent = LegalAgent(self.entropy, self.conversation)
        self.actions = actions(self.entropy, prompts=self.entropy.randint(1, 4))

    def prompt(self) -> Prompt:
        prompt = self.conversation.prompt()
        self.agent.receive(prompt)
        return prompt

    def cancel(self) -> None:
        self.conversation.cancel()
        self.agent.receive(None)


def count(conversation: Conversation, counts: Counter[str]) -> None:
    """Count a conversation's prompts by outcome in `counts`."""
    ends = [prompt.end for prompt in conversation.prompts]
    for prompt in conversation.prompts:
        counts["refused"] += prompt.is_refused
        counts["cancelled"] += prompt.end is not None and prompt.end.reason == CANCELLED
        counts["natural"] += prompt.end is not None and prompt.end.reason != CANCELLED
        counts["shared"] += prompt.end is not None and ends.count(prompt.end) > 1


def check_counts(counts: Counter[str], conversations: int) -> None:
    kinds = ("refused", "cancelled", "natural", "shared")
    assert min(counts[kind] for kind in kinds) > conversations // 20


# --- the decision by itself ----------------------------------------------------------------------


class Decision:
    """The runtime's decision about whether each turn is over, updated with every message."""

    def __init__(self) -> None:
        self.foreground = Foreground(Habits())
        self.turns: dict[Prompt, Progress] = {}
        self.refused: set[Prompt] = set()

    def take(self, message: Message | None) -> None:
        foreground = self.foreground
        match message:
            case Report(state="idle"):
                foreground.idle(message, message.reason)
            case Report():
                foreground.work("busy")
            case ("response", prompt):
                foreground.accept(self.turns[prompt], prompt.message_id)
            case ("refusal", prompt):
                foreground.leave(self.turns[prompt])
                self.refused.add(prompt)
            case ("echo", prompt):
                foreground.insert(prompt.message_id)
            case "output":
                foreground.work("output")
            case _:
                pass
        for turn in self.turns.values():
            if turn.is_over:
                foreground.leave(turn)

    def check(self) -> None:
        for prompt, turn in self.turns.items():
            assert (turn.is_over or prompt in self.refused) == prompt.is_over
            assert turn.end == (prompt.end if prompt.is_over else None)


def test_turns_of_legal_agents_end_with_their_work() -> None:
    counts: Counter[str] = Counter()
    for seed in range(N):
        play, decision = Play(seed), Decision()
        for action in play.actions:
            if action == "prompt":
                decision.turns[play.prompt()] = decision.foreground.begin()
            elif action == "cancel":
                play.cancel()
                decision.foreground.cancel()
            else:
                decision.take(play.agent.step())
            decision.check()
        while not play.agent.is_done:
            decision.take(play.agent.step(is_ending=True))
            decision.check()
        play.conversation.check_end()
        count(play.conversation, counts)
    check_counts(counts, N)


# --- the client ----------------------------------------------------------------------------------


def written(message: Message | None, ids: dict[Prompt, Any], session: str) -> list[Json]:
    """Return the JSON of an agent's message."""
    match message:
        case Report(state=state, reason=reason, number=number):
            members: Json = {"_meta": {"number": number}}
            if state == "idle" and reason is not None:
                members["stopReason"] = reason
            return [update(session, sessionUpdate="state_update", state=state, **members)]
        case ("response", prompt):
            return [result(ids[prompt], messageId=prompt.message_id)]
        case ("refusal", prompt):
            return [failure(ids[prompt], -32800)]
        case ("echo", prompt):
            message_id, blocks = prompt.message_id, [text("Hi")]
            kind = "user_message" if prompt.number % 2 else "user_message_chunk"
            content = blocks if prompt.number % 2 else blocks[0]
            return [update(session, sessionUpdate=kind, messageId=message_id, content=content)]
        case "output":
            return [chunk("a", session=session)]
        case _:
            return []


async def test_turns_of_a_client_end_with_their_work() -> None:
    counts: Counter[str] = Counter()
    for seed in range(PLAYED):
        play = Play(seed)
        turns: dict[Prompt, Any] = {}
        ids: dict[Prompt, Any] = {}
        async with client(V2) as (script, session):
            for action in [*play.actions, None]:
                piece: list[Json] = []
                if action == "prompt":
                    prompt = play.prompt()
                    turns[prompt] = await session.prompt("Hi").__aenter__()
                    ids[prompt] = await script.prompt()
                elif action == "cancel":
                    play.cancel()
                    session.send_cancel()
                    assert (await script.read())["method"] == "session/cancel"
                elif action == "agent":
                    piece += written(play.agent.step(), ids, session.session_id)
                else:
                    while not play.agent.is_done:
                        message = play.agent.step(is_ending=True)
                        piece += written(message, ids, session.session_id)
                if piece:
                    script.write(*piece)
                    await settle(6)
                for prompt, turn in turns.items():
                    assert turn.is_over == prompt.is_over, seed
            for prompt, turn in turns.items():
                await turn.wait()
                end = prompt.end
                assert turn.stop_reason == (CANCELLED if end is None else end.reason), seed
                assert (None if end is None else end.number) == (
                    None if turn.ending is None else turn.ending.meta["number"]
                )
        assert session.turns == []
        count(play.conversation, counts)
    check_counts(counts, PLAYED)
