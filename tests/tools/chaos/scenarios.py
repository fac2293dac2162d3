"""Scenarios: the actions of both sides and the faults, all determined by a seed.

`plan_of` returns a scenario's plan. The timing of the faults also depends on the machine, but the
permitted results don't.
"""

from __future__ import annotations

import random
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

# The time after which a call is considered hung, in seconds. Plans take less time.
GUARD = 30.0


@dataclass(frozen=True)
class Scenario:
    """A kind of scenario, the protocol version of our client, and a seed."""

    kind: str
    version: int
    seed: int

    def __str__(self) -> str:
        return f"{self.kind} v{self.version} seed {self.seed}"


@dataclass(frozen=True)
class Signal:
    after: float  # seconds after the previous signal, or after the start of the work
    name: str  # the name without SIG, such as `STOP`, `CONT` or `KILL`

    @property
    def number(self) -> int:
        return signal.Signals[f"SIG{self.name}"]


@dataclass
class Plan:
    work: list[dict[str, Any]]  # the client's actions, in order; see `_work`
    # The kind of agent. `ours` is our agent, and `raw` is the agent in `raw_agent`. With `program`,
    # both sides run a random program in this process; see `programs`. With `remote`, our agent runs
    # behind a server; see `remote`.
    other: str = "raw"
    # Options for the raw agent, or for the relay in front of our agent; see `faulty`.
    faults: dict[str, Any] = field(default_factory=dict)
    signals: list[Signal] = field(default_factory=list)  # signals to send to the agent
    is_early: bool = False  # whether the first signal can be sent before the sessions are open
    is_bridged: bool = False  # whether a bridge connects different protocol versions
    is_wrapped: bool = False  # whether `acpgen wrap` starts the agent
    is_lossy: bool = False  # whether the connection may close early
    ends_badly: bool = False  # whether the agent must be killed at the end
    status: int | None = None  # the agent's required exit status if its handlers never end
    grace: float = 5.0  # our agent's grace period, in seconds
    limits: dict[str, int] = field(default_factory=dict)  # our client's limits; see `Limits`
    max_line: int = 1 << 22  # the longest line that our client accepts
    logs: tuple[str, ...] = ()  # substrings of permitted log lines
    errors: tuple[str, ...] = ()  # substrings of permitted call errors


# Logged when only part of a message arrives.
CUT = ("ignored a message",)
# Logged when an update arrives for a session that was never opened.
UNOPENED = ("an update arrived for session",)
NOISE = (
    *("rejected a message", "accepted a message", "more messages like this one"),
    *(*CUT, *UNOPENED),
)
# Logged when handlers fail because the closing connection cancels them or makes their calls fail.
LOST = ("the handler for ",)
# Logged when the cleanup of a session fails or takes too long.
ENDINGS = ("`ended` of session", "the exit stack of session")
PATIENCE = ("waits for the handler for", "waited for the handler for")


def _work(chance: random.Random, *, size: int = 40, big: bool = False) -> list[dict[str, Any]]:
    """Choose the client's actions: calls, notes, prompts, and requests that it cancels."""
    work: list[dict[str, Any]] = []
    for number in range(chance.randint(size // 2, size)):
        kind = chance.choice(["echo", "note", "note", "turn", "slow", "ask", "flood"])
        step: dict[str, Any] = {"do": kind, "n": number, "yield": chance.random() < 0.3}
        if kind == "echo":
            step["pad"] = "ä\ud83d😀x"[: chance.randint(0, 4)] * _size(chance, big)
        elif kind == "turn":
            step["session"] = chance.randint(0, 2)
            step["count"] = chance.randint(0, 30)
            step["pad"] = "p" * _size(chance, big)
            step["ask"] = chance.random() < 0.3
            step["pause"] = chance.random() < 0.3
        elif kind == "slow":
            step["after"] = chance.choice([0, 0, 0.001, 0.01])
        elif kind == "flood":
            step["count"] = chance.randint(0, 100)
        work.append(step)
    return work


def _size(chance: random.Random, big: bool) -> int:
    return chance.choice([0, 1, 10, 100, 5_000 if big else 300, 60_000 if big else 1_000])


def _moment(chance: random.Random) -> float:
    """Choose a delay in seconds. Short delays are more likely."""
    return float(chance.choice([0, 0.005, 0.02, 0.05, 0.1, 0.3]) * chance.random())


# --- the kinds -------------------------------------------------------------------------------


def kill(chance: random.Random, scenario: Scenario) -> Plan:
    """Kill the agent at a random moment, or make it kill itself in the middle of a message."""
    plan = Plan(_work(chance, big=chance.random() < 0.3), is_lossy=True, logs=NOISE + LOST)
    plan.other = chance.choice(["raw", "ours"])
    if plan.other == "raw" and chance.random() < 0.5:
        plan.faults["die_after"] = chance.randint(1, 8_000)
    else:
        plan.signals.append(Signal(_moment(chance), "KILL"))
        plan.is_early = chance.random() < 0.2
    return plan


def stop(chance: random.Random, scenario: Scenario) -> Plan:
    """Suspend and resume the agent, and sometimes leave it suspended at the end."""
    plan = Plan(_work(chance, big=chance.random() < 0.3), other=chance.choice(["raw", "ours"]))
    for _ in range(chance.randint(1, 4)):
        plan.signals.append(Signal(_moment(chance), "STOP"))
        plan.signals.append(Signal(_moment(chance), "CONT"))
    if chance.random() < 0.3:
        plan.ends_badly = True
    return plan


def half(chance: random.Random, scenario: Scenario) -> Plan:
    """Close one of the agent's pipes during the session."""
    plan = Plan(_work(chance, big=chance.random() < 0.3), is_lossy=True, logs=NOISE + LOST)
    plan.other = chance.choice(["raw", "ours"])
    plan.errors = ("internal error", "request cancelled")  # from handlers whose calls fail
    side = chance.choice(["close_out_after", "close_in_after"])
    plan.faults[side] = chance.choice([chance.randint(1, 500), chance.randint(1, 20_000)])
    return plan


def slow(chance: random.Random, scenario: Scenario) -> Plan:
    """Make the agent read and write slowly."""
    plan = Plan(_work(chance, size=20, big=True), other=chance.choice(["raw", "ours"]))
    plan.faults["read_size"] = chance.choice([200, 1_000, 10_000])
    plan.faults["read_pause"] = chance.choice([0.0002, 0.001])
    if chance.random() < 0.5:
        plan.faults["chunk"] = chance.choice([2_000, 10_000])
        plan.faults["pause"] = 0.0005
    return plan


def split(chance: random.Random, scenario: Scenario) -> Plan:
    plan = Plan(_work(chance, size=20), other=chance.choice(["raw", "ours"]))
    plan.faults["chunk"] = chance.choice([1, 2, 7, 100, 5_000])
    if plan.faults["chunk"] > 5:
        plan.faults["pause"] = chance.choice([0, 0.0002])
    return plan


def garbage(chance: random.Random, scenario: Scenario) -> Plan:
    """Make the agent send garbage between messages. In protocol 2, it can also send batches."""
    plan = Plan(_work(chance), logs=NOISE)
    plan.faults["garbage"] = chance.choice([0.1, 0.5, 1])
    if scenario.version == 2 and chance.random() < 0.5:
        plan.faults["batch"] = chance.choice([0.1, 0.7])
    if chance.random() < 0.3:
        plan.faults["chunk"] = chance.choice([10, 1_000])
    return plan


def sloppy(chance: random.Random, scenario: Scenario) -> Plan:
    """Make the agent mix text into message lines, split characters and send ids as strings."""
    plan = Plan(_work(chance), logs=NOISE)
    for name in ("beside", "spelled", "halves", "garbage"):
        plan.faults[name] = chance.choice([0, 0.2, 1])
    if scenario.version == 2:
        plan.faults["batch"] = chance.choice([0, 0.3])
    if chance.random() < 0.3:
        plan.faults["chunk"] = chance.choice([10, 1_000])
    return plan


def flood(chance: random.Random, scenario: Scenario) -> Plan:
    """Make the agent send more unrequested messages than some limits allow."""
    plan = Plan(_work(chance, size=20), logs=NOISE)
    plan.faults["flood"] = chance.choice([1, 5, 20])
    plan.faults["garbage"] = chance.choice([0, 0.3])
    if scenario.version == 2:
        plan.faults["batch"] = chance.choice([0, 0.5])
    if chance.random() < 0.5:
        plan.limits = {"stray_sessions": 5, "backlog_bytes": 20_000}
    return plan


def storm(chance: random.Random, scenario: Scenario) -> Plan:
    """Combine several faults that don't close the connection, and sometimes kill the agent."""
    plan = Plan(_work(chance, size=30), logs=NOISE)
    for make in (slow, split, garbage, sloppy, flood):
        if chance.random() < 0.5:
            plan.faults.update(make(chance, scenario).faults)
    if plan.faults.get("chunk", 100) < 100:
        plan.faults["chunk"] = 100
    plan.signals = stop(chance, scenario).signals
    if chance.random() < 0.4:
        plan.signals.append(Signal(_moment(chance), "KILL"))
        plan.is_lossy, plan.logs = True, NOISE + LOST
    return plan


def order(chance: random.Random, scenario: Scenario) -> Plan:
    """Run random handlers on both sides. They send messages, close and wait for each other."""
    return Plan([], other="program", logs=(*NOISE, *LOST, *PATIENCE, *UNOPENED))


def limits(chance: random.Random, scenario: Scenario) -> Plan:
    """Set small limits on our side, and make the agent exceed them."""
    plan = Plan(_work(chance, size=16, big=chance.random() < 0.5), is_lossy=True)
    plan.logs = (*NOISE, *LOST, *PATIENCE, "bytes unread", "a turn failed")
    plan.errors = ("have no response yet", "updates were dropped", "a line of more than")
    plan.limits = {name: chance.choice(few) for name, few in FEW.items() if chance.random() < 0.5}
    if "calls" in plan.limits:  # cancelled calls must not exhaust the limit
        plan.limits["cancelled_calls"] = min(3, plan.limits.get("cancelled_calls", 3))
    for number in range(chance.choice([0, 5, 20])):
        do = chance.choice(["slow", "slow", "burst", "visit"])
        after = chance.choice([0, 0.001, 0.02])
        step = {"do": do, "n": 100 + number, "count": 20, "after": after, "yield": False}
        plan.work.insert(chance.randint(0, len(plan.work)), step)
    faults = {
        "flood": [0, 1, 3],
        "garbage": [0, 0.2],
        "reuse": [0, 0.3, 1],
        "cancel": [0, 0.5],
        "pad": [0, 0, 100, 3_000],
        "big_batch": [0, 2, 30],
        "notes": [0, 0, 2_000],
        "lag": [0, 0, 0, 0.0005, 0.005],
        "nags": [0, 0, 0.1, 1],
        "mute": [False, True],
    }
    plan.faults = {name: chance.choice(values) for name, values in faults.items()}
    if plan.faults["nags"]:  # reading continues while handlers wait for the agent
        plan.logs += ("too many notifications are waiting for handlers",)
    if plan.faults["notes"]:  # with so many notifications, handlers must be quick
        plan.faults.update(lag=0, nags=min(plan.faults["nags"], 0.1))
    if chance.random() < 0.3:
        plan.max_line = chance.choice([2_000, 20_000])
    elif scenario.version == 2:  # a rejected batch would lose all of its messages
        plan.faults.update(batch=chance.choice([0, 0.5]), held=plan.limits.get("batch", 20))
    if chance.random() < 0.5:
        plan.faults["read_size"] = chance.choice([2_000, 20_000])
        plan.faults["read_pause"] = chance.choice([0.0002, 0.001])
    return plan


def opening(chance: random.Random, scenario: Scenario) -> Plan:
    """Open sessions that send updates early, hold a resource and end in various ways."""
    plan = Plan(_work(chance, size=10), other="ours", logs=(*CUT, *LOST, *ENDINGS), grace=0.1)
    for number in range(chance.randint(1, 12)):
        order = {
            "greet": chance.choice([0, 1, 5, 50]),
            "pause": chance.random() < 0.5,
            "outcome": chance.choice(["ok", "ok", "ok", "fail", "odd", "hang"]),
            "ended": chance.choice(["at once", "at once", "fail", "slow", "hang"]),
        }
        is_given_up = order["outcome"] == "hang" or chance.random() < 0.2
        step: dict[str, Any] = {"do": "open", "n": 100 + number, "yield": chance.random() < 0.3}
        step["after"] = chance.choice([0, 0.001, 0.01]) if is_given_up else None
        step |= {"order": order, "close": chance.random() < 0.4}
        plan.work.insert(chance.randint(0, len(plan.work)), step)
    if chance.random() < 0.5:
        plan.is_lossy = True
        plan.errors = ("internal error", "request cancelled")  # from handlers whose calls fail
        side = chance.choice(["close_out_after", "close_in_after"])
        plan.faults[side] = chance.randint(1, 10_000)
    elif chance.random() < 0.5:
        plan.faults["chunk"] = chance.choice([7, 100, 5_000])
    return plan


def bridge(chance: random.Random, scenario: Scenario) -> Plan:
    """Plan another kind of scenario, with a bridge to an agent that speaks the other version."""
    kinds = [kill, stop, half, slow, split, garbage, sloppy, flood, storm, limits]
    make = chance.choice(kinds)
    plan = make(chance, replace(scenario, version=3 - scenario.version))
    plan.is_bridged = True
    # The agent doesn't support the version that the client requests first, and updates can arrive
    # after the end of a session.
    plan.logs += ("unsupported protocol version", "runtime.bridge.exchange")
    return plan


def wrap(chance: random.Random, scenario: Scenario) -> Plan:
    """Plan another kind of scenario in which `acpgen wrap` runs the agent and can be killed."""
    plan = chance.choice([kill, half, slow, split, garbage, sloppy, flood])(chance, scenario)
    plan.is_wrapped = True
    return plan


def misstate(chance: random.Random, scenario: Scenario) -> Plan:
    """Plan another kind of scenario, with an agent that misstates its protocol version.

    The agent sends the version as a string, claims the requested version although it speaks
    protocol 1, or does both.
    """
    make = chance.choice([kill, slow, split, garbage, flood])
    if scenario.version == 2 and chance.random() < 0.7:
        plan = make(chance, replace(scenario, version=1))
        plan.is_bridged = True
        plan.logs += ("runtime.bridge.exchange",)
        plan.faults.update(repeats=True, as_text=chance.random() < 0.3)
    else:
        plan = make(chance, scenario)
        plan.faults["as_text"] = True
    plan.other = "raw"
    plan.logs += ("accepted a message",)
    return plan


def outlive(chance: random.Random, scenario: Scenario) -> Plan:
    """Start handlers that outlive the connection. The agent's process must still exit."""
    plan = Plan(_work(chance, size=10), other="ours", is_lossy=True, logs=NOISE + LOST)
    for number in range(chance.randint(1, 3)):
        how = chance.choice(["swallow", "spawn", "gather", "retry", *THREADS])
        step = {"do": "stick", "n": 100 + number, "how": how, "yield": False}
        plan.work.insert(chance.randint(0, len(plan.work)), step)
    plan.status = 1
    if chance.random() < 0.4:
        plan.signals.append(Signal(_moment(chance), "TERM"))
        plan.status = 128 + signal.SIGTERM
        plan.errors = ("request cancelled",)
    return plan


# --- over WebSocket and HTTP, see `remote` -------------------------------------------------------

TRANSPORTS = ("websocket", "http", "http/2", "websocket over TLS")
# A fixed session that contains each kind of message.
TALK: tuple[dict[str, Any], ...] = (
    {"do": "note", "n": 0, "yield": True},
    {"do": "echo", "n": 1, "pad": "ä", "yield": True},
    {"do": "turn", "n": 2, "session": 0, "count": 2, "pad": "", "ask": True, "pause": False},
    {"do": "note", "n": 3, "yield": False},
    {"do": "turn", "n": 4, "session": 1, "count": 1, "pad": "", "ask": False, "pause": True},
    {"do": "echo", "n": 5, "pad": "", "yield": False},
)
# Logged when the connection closes during calls, and by asyncio when a client disconnects early.
BROKEN = (
    *(*NOISE, *LOST, "a turn failed", "dropping it", "closing the connection"),
    *("Error on transport creation", "Unhandled exception in client_connected_cb"),
    # Before Python 3.12, asyncio calls `exception` on servers' cancelled tasks. This call fails.
    "Exception in callback StreamReaderProtocol.connection_made",
)
_ENDS = ("close", "reset", "one close", "one reset", "die")


def remote_cut(chance: random.Random, scenario: Scenario) -> Plan:
    """Break a connection within the session `TALK`, after the byte that the seed determines."""
    work = [{"yield": False, **step} for step in TALK]
    plan = Plan(work, other="remote", logs=BROKEN)
    seed, way = divmod(scenario.seed, len(TRANSPORTS))
    byte, side = divmod(seed, 2)
    how = "freeze" if chance.random() < 0.02 else chance.choice(_ENDS)
    plan.faults.update(transport=TRANSPORTS[way], cut=byte, side=("up", "down")[side], how=how)
    return plan


def remote_death(chance: random.Random, scenario: Scenario) -> Plan:
    """Stop, kill or freeze the server at one of the client's steps."""
    plan = Plan(_remote_work(chance), other="remote", logs=BROKEN)
    plan.faults["transport"] = chance.choice(TRANSPORTS)
    plan.faults["strike"] = chance.randint(0, 20)
    plan.faults["how"] = chance.choice(["end", "end", "die", "freeze"])
    return plan


def remote_vanish(chance: random.Random, scenario: Scenario) -> Plan:
    """Make connections go silent or break during a random session."""
    plan = Plan(_remote_work(chance, big=True), other="remote", logs=BROKEN)
    plan.faults["transport"] = chance.choice(TRANSPORTS)
    plan.faults["how"] = chance.choice([*_ENDS, "freeze"])
    plan.faults["strike"] = chance.randint(0, 20)
    if chance.random() < 0.5:
        plan.faults.update(chunk=chance.choice([1_000, 5_000]), pause=chance.choice([0, 0.002]))
    return plan


def remote_disorder(chance: random.Random, scenario: Scenario) -> Plan:
    """Delay each connection differently, so that messages on different streams are reordered."""
    plan = Plan(_remote_work(chance), other="remote", logs=NOISE)
    plan.faults["transport"] = chance.choice(["http", "http", "http/2"])
    plan.faults["pause"] = chance.choice([0.001, 0.01, 0.03])
    for number in range(chance.randint(0, 6)):
        order = {"greet": chance.choice([0, 1, 20]), "outcome": "ok", "ended": "at once"}
        step: dict[str, Any] = {"do": "open", "n": 100 + number, "yield": chance.random() < 0.3}
        step |= {"after": None, "order": order, "close": False}
        plan.work.insert(chance.randint(0, len(plan.work)), step)
    return plan


def remote_slow(chance: random.Random, scenario: Scenario) -> Plan:
    """Slow down the connection and sometimes also the client's handlers."""
    plan = Plan(_remote_work(chance, big=True), other="remote", logs=NOISE)
    plan.faults["transport"] = chance.choice(TRANSPORTS)
    plan.faults["chunk"] = chance.choice([1_000, 5_000, 20_000])
    plan.faults["pause"] = chance.choice([0, 0.002])
    if chance.random() < 0.5:
        plan.faults["lag"] = 0.001
    return plan


def _remote_work(chance: random.Random, *, big: bool = False) -> list[dict[str, Any]]:
    return [step for step in _work(chance, size=16, big=big) if step["do"] != "flood"]


THREADS = ("wait in a thread", "leave a thread")
# Small values for the fields of `Limits`.
FEW = {
    "batch": [1, 3, 10],
    "requests": [1, 3, 20],
    "requests_bytes": [1, 500, 20_000],
    "calls": [6, 10, 30],
    "cancelled_calls": [0, 1, 3],
    "backlog": [0, 1, 10, 50],
    "backlog_bytes": [0, 1_000, 10_000],
    "unread_bytes": [1_000, 50_000, 1_000_000],
    "stray_sessions": [0, 1, 5],
    "closed_sessions": [0, 1, 3],
    "sessions": [3, 5, 8],
}


_EVERY = (
    *(kill, stop, half, slow, split, garbage, sloppy, flood, storm),
    *(order, limits, opening, bridge, wrap, misstate, outlive),
    *(remote_cut, remote_death, remote_vanish, remote_disorder, remote_slow),
)
KINDS: dict[str, Callable[[random.Random, Scenario], Plan]] = {
    each.__name__: each for each in _EVERY
}
VERSIONS = (1, 2)


def plan_of(scenario: Scenario) -> Plan:
    plan = KINDS[scenario.kind](random.Random(str(scenario)), scenario)
    version = 3 - scenario.version if plan.is_bridged else scenario.version
    plan.faults.update(version=version, seed=scenario.seed)
    return plan


def scenarios(seed: int) -> Iterator[Scenario]:
    for kind in KINDS:
        for version in VERSIONS:
            yield Scenario(kind, version, seed)
