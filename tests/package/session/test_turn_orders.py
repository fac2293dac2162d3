"""The end of a turn in protocol 2: it depends on the order of messages, and on nothing else."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Callable, Sequence
from itertools import permutations, product
from typing import Any, get_args

import pytest
from acp_bindings.runtime.jsonrpc.limits import Limits
from acp_bindings.runtime.session.turn_phases import (
    TRANSITIONS,
    Course,
    Courses,
    Event,
    Phase,
    may_end,
    next_phase,
)
from package.session.scripted import (
    MESSAGE,
    SESSION,
    V2,
    Json,
    Script,
    client,
    result,
    run,
    text,
    update,
)

PHASES: tuple[Phase, ...] = get_args(Phase)
EVENTS: tuple[Event, ...] = get_args(Event)
UNANSWERED = {"sent", "earlier", "begun", "inserted", "stopped", "finished", "closed"}

# --- the table -------------------------------------------------------------------------------


def test_a_turn_is_over_only_after_the_response() -> None:
    """From each phase without a response, only the response leads to one with it."""
    for phase, event in product(PHASES, EVENTS):
        answered = phase not in UNANSWERED or event == "response"
        assert (next_phase(phase, event) not in UNANSWERED) == answered


def test_each_phase_can_be_reached_and_left() -> None:
    reached: set[Phase] = {"sent", "earlier"}
    for _ in PHASES:
        reached |= {next_phase(phase, event) for phase in reached for event in EVENTS}
    assert reached == set(PHASES)
    ends = {"over"}
    for _ in PHASES:
        ends |= {p for p in PHASES if any(next_phase(p, event) in ends for event in EVENTS)}
    assert ends == set(PHASES)


def test_only_an_idle_report_may_end_a_turn_and_only_once() -> None:
    ends = {"begun", "inserted", "working"}
    for phase, event in product(PHASES, EVENTS):
        assert may_end(phase, event) == (event == "idle" and phase in ends)
    assert TRANSITIONS["over"] == {}


# --- before the response ---------------------------------------------------------------------

# What arrives before a response: a report with its number, or the id of an inserted message.
Early = tuple[Event, Any]


def drawn(entropy: random.Random) -> list[Early]:
    """Events as they may arrive before a response, such as those of a queue of prompts."""
    events: list[Early] = []
    for number in range(entropy.randrange(12)):
        event = entropy.choice(["inserted", "inserted", "busy", "output", "idle", "idle", "closed"])
        events.append((event, entropy.choice("abc") if event == "inserted" else number))  # type: ignore[arg-type]
    return events


def replayed(phase: Phase, events: Sequence[Early], message_id: str | None) -> tuple[Phase, Any]:
    """The phase after the response, and the report that may be the end, by the table alone."""
    end = None
    for event, value in [*events, ("response", None)]:
        if event == "inserted" and message_id not in (None, value):
            event = "other"
        if may_end(phase, event):
            end = value
        phase = next_phase(phase, event)
        if phase == "inserted":
            end = None
    return phase, end


def test_what_came_before_the_response_counts_as_if_it_came_after_the_id() -> None:
    seen: set[tuple[Phase, bool]] = set()
    for seed in range(20_000):
        entropy = random.Random(seed)
        events = drawn(entropy)
        phase: Phase = entropy.choice(["sent", "earlier"])
        message_id = entropy.choice([None, "a", "b", "c", "d"])
        courses = Courses(phase)
        for event, value in events:
            if event == "inserted":
                courses.insert(value)
            else:
                courses.take(event, value)
        course = courses.answer(message_id)
        assert (course.phase, course.end) == replayed(phase, events, message_id), seed
        seen.add((course.phase, course.end is None))
    assert {phase for phase, _ in seen} == {"accepted", "working", "over"}
    assert ("over", True) in seen  # the session was closed
    assert ("over", False) in seen


def test_an_update_before_the_response_takes_the_same_time_however_many_came() -> None:
    """Messages without a report in between share one course, which alone takes the report."""
    steps = 0

    class Counted(Course):
        def take(self, event: Event, report: Any = None) -> None:
            nonlocal steps
            steps += 1
            super().take(event, report)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("acp_bindings.runtime.session.turn_phases.Course", Counted)
        courses = Courses("sent")
        for number in range(5_000):
            courses.insert(str(number))
            if number % 100 == 99:
                courses.take("idle", number)
    assert steps < 3 * 5_000
    assert courses.answer("4950").end == 4999
    assert courses.answer("3000").phase == "accepted"  # forgotten, as if it was never there
    assert courses.answer(None).end == 99


@pytest.mark.parametrize("backlog", [0, 3])
async def test_more_than_the_backlog_before_the_response_forgets_nothing(backlog: int) -> None:
    async with client(V2) as (script, session):
        session.peer.limits = Limits(backlog=backlog)
        async with session.prompt("Hi") as turn:
            id_ = await script.prompt()
            early = ["running", "echo", "idle", *["running", "requires_action"] * 5]
            order = [*early, "response"]
            script.write(*(message(name, SESSION, id_) for name in order))
        assert turn.stop_reason == "refusal"


# --- all orders ------------------------------------------------------------------------------


def message(name: str, session: str, id_: Any) -> Json:
    """The message of the agent that an event is."""
    match name:
        case "response":
            return result(id_, messageId=MESSAGE)
        case "echo":
            members = {"sessionUpdate": "user_message", "content": [text("Hi")]}
            return update(session, messageId=MESSAGE, **members)
        case "elsewhere":
            return update("other", **STATE, state="idle", stopReason="end_turn")
        case "idle":
            return update(session, **STATE, state="idle", stopReason="refusal")
        case _:
            return update(session, **STATE, state=name)


STATE: Json = {"sessionUpdate": "state_update"}
NAMES = ("response", "echo", "running", "requires_action", "idle", "elsewhere", "cancel")
ORDERS = [order for length in range(1, 6) for order in permutations(NAMES, length)]


def ends(order: Sequence[str]) -> bool:
    """Whether a turn has ended after messages in this order; each comes at most once."""
    place = {name: number for number, name in enumerate(order)}
    if "response" not in place or "idle" not in place:
        return False
    idle = place["idle"]
    never = len(order)
    is_busy = min(place.get("running", never), place.get("requires_action", never)) < idle
    echo = place.get("echo", never)
    if idle > place["response"]:
        return is_busy or echo < idle
    # Before the response, the agent may have worked on something else: the message tells.
    return echo < idle or (is_busy and not idle < echo < place["response"])


async def play(script: Script, session: Any, order: Sequence[str], cuts: Callable[[], bool]) -> Any:
    """Write messages in this order, in one piece but for cuts, during a turn; return the turn."""
    turn = session.prompt("Hi")
    await turn.__aenter__()
    asked = await script.read()
    piece: list[Json] = []
    for name in order:
        if name == "cancel":
            script.write(*piece)
            piece.clear()
            await settle_briefly()
            session.send_cancel()
            assert (await script.read())["method"] == "session/cancel"
        else:
            piece.append(message(name, session.session_id, asked["id"]))
            if cuts():
                script.write(*piece)
                piece.clear()
                await settle_briefly()
    script.write(*piece)
    await settle_briefly()
    return turn


async def settle_briefly() -> None:
    for _ in range(6):
        await asyncio.sleep(0)


def check_orders(
    orders: Sequence[Sequence[str]], cuts: Callable[[], bool], *, is_eager: bool = False
) -> int:
    """Play orders in sessions of one connection; return how many turns have ended."""
    ended = 0

    async def main() -> None:
        nonlocal ended
        if is_eager:
            factory: Any = asyncio.eager_task_factory  # type: ignore[attr-defined,unused-ignore]
            asyncio.get_running_loop().set_task_factory(factory)
        async with client(V2) as (script, session):
            connected = session.client
            connected.session("other")
            for number, order in enumerate(orders):
                each = connected.session(f"s{number}")
                turn = await play(script, each, order, cuts)
                assert turn.is_over == ends(order), order
                was_open = "cancel" in order and not ends(order[: order.index("cancel")])
                assert turn.is_cancelled == was_open
                if turn.is_over:
                    ended += 1
                    assert turn.stop_reason == "refusal"
                    assert each.turns == []
                    await turn.wait()
                else:
                    turn.abandon()
                    await settle_briefly()
                    left = ["session/cancel", "$/cancel_request"][: 1 + ("response" not in order)]
                    assert [(await script.read())["method"] for _ in left] == left
                connected.forget(each.session_id)

    run(main())
    return ended


def test_all_orders_of_messages_in_one_piece() -> None:
    assert len(ORDERS) == 3619
    assert check_orders(ORDERS, lambda: False) > 500


def test_the_pieces_in_which_messages_arrive_make_no_difference() -> None:
    orders = ORDERS[::7]
    assert check_orders(orders, lambda: True) == sum(map(ends, orders))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="tasks are never eager before Python 3.12")
def test_eager_tasks_make_no_difference() -> None:
    orders = ORDERS[::7]
    assert check_orders(orders, lambda: False, is_eager=True) == sum(map(ends, orders))
