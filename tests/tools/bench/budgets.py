"""Budgets: upper limits for ratios and times, which the report compares with the measurements."""

from __future__ import annotations

from dataclasses import dataclass

from tests.tools.bench.results import (
    AT_ONCE,
    BAD_ITEMS,
    BARE,
    BRIDGED,
    CHUNK,
    MANY,
    OFFICIAL,
    SDK_IMPORT,
    SESSIONS,
    STATE_AGAINST,
    STATE_FORMS,
    TITLES,
    TOOL_CALL,
    TRANSPORTS,
    UNBRIDGED,
    UNCHECKED,
    Key,
    state_key,
    time_key,
)

_SDK = TITLES[OFFICIAL["v1"]]
_DECODE_LIMITS = {
    ("v1", CHUNK): 0.5,
    ("v1", TOOL_CALL): 0.6,
    ("v1", SESSIONS): 0.45,
    ("v2", CHUNK): 0.031,
    ("v2", TOOL_CALL): 0.07,
    ("v2", SESSIONS): 0.43,
}
_ENCODE_LIMITS = {"v1": 0.2, "v2": 0.06}
# A protocol 2 tool call contains more and smaller objects than a protocol 1 tool call. Therefore,
# more of its encoding time is spent in writers and less on quoting long strings.
_UNCHECKED_LIMITS = {
    ("v1", TOOL_CALL): 1.85,
    ("v2", TOOL_CALL): 2.7,
    ("v1", SESSIONS): 1.75,
    ("v2", SESSIONS): 1.75,
}
# With one call or turn in flight, most of the time is spent waking up processes. Even a client and
# an agent that use only asyncio and json and check nothing need 54% to 65% of the SDK's time.
_PIPE_LIMITS = {1: 0.58, AT_ONCE: 0.5}
# Each part of a WebSocket connection that can be cancelled separately has its own task. Each of
# our connections has eight tasks, and each SDK connection has two.
_MEMORY_LIMITS = {"websocket": 1.25, "http": 1.0}


@dataclass(frozen=True)
class Budget:
    what: str  # the description in the report
    ours: Key  # the measurement
    theirs: Key | None  # the measurement to divide by, or None for a limit in seconds
    limit: float  # the highest value within the budget


def _encode(protocol: str, message: str) -> Budget:
    """Return an encoding budget relative to the SDK for chunks, or to f-strings otherwise."""
    own = time_key("ours", protocol, message, "encode")
    if message == CHUNK:
        sdk = OFFICIAL[protocol]
        what = f"encode {message}, {protocol}: ours / {TITLES[sdk]}"
        theirs = time_key(sdk, protocol, message, "encode")
        return Budget(what, own, theirs, _ENCODE_LIMITS[protocol])
    what = f"encode {message}, {protocol}: ours / an f-string for this message"
    unchecked = time_key("ours", protocol, message, UNCHECKED)
    return Budget(what, own, unchecked, _UNCHECKED_LIMITS[protocol, message])


def _decode(protocol: str, message: str, limit: float) -> Budget:
    sdk = OFFICIAL[protocol]
    own, theirs = (time_key(each, protocol, message, "decode") for each in ("ours", sdk))
    return Budget(f"decode {message}, {protocol}: ours / {TITLES[sdk]}", own, theirs, limit)


def _protocols(message: str) -> Budget:
    v2, v1 = (time_key("ours", protocol, message, "decode") for protocol in ("v2", "v1"))
    return Budget(f"decode {message}, ours: v2 / v1", v2, v1, 1.25)


def _import(surface: str) -> Budget:
    what = f"import `acp_bindings.{surface}` / `acp.schema` of {_SDK}"
    return Budget(what, ("import", f"acp_bindings.{surface}"), ("import", SDK_IMPORT), 0.06)


def _start(protocol: str) -> Budget:
    what = f"process start to the answer of `initialize`, agent for {protocol}: ours / {_SDK}"
    return Budget(what, ("start", f"ours, {protocol}"), ("start", _SDK), 0.17)


def _rest(protocol: str) -> Budget:
    what = f"memory of an agent at rest, {protocol}: ours / {_SDK}"
    return Budget(what, ("rest", f"ours, {protocol}"), ("rest", _SDK), 0.6)


def _pipe(act: str, in_flight: int) -> Budget:
    how = "one after another" if in_flight == 1 else f"{in_flight} at once"
    ours, theirs = (("pipe", each, act, str(in_flight)) for each in ("ours", OFFICIAL["v1"]))
    return Budget(
        f"a {act} over a pipe, {how}: ours / {_SDK}", ours, theirs, _PIPE_LIMITS[in_flight]
    )


def _bare_pipe(act: str) -> Budget:
    ours, theirs = (("pipe", each, act, "1") for each in ("ours", BARE))
    return Budget(f"a {act} over a pipe, one after another: ours / {BARE}", ours, theirs, 1.2)


def _remote(transport: str, act: str, in_flight: int) -> Budget:
    how = "one after another" if in_flight == 1 else f"{in_flight} at once"
    ours, theirs = (
        ("remote", transport, each, act, str(in_flight)) for each in ("ours", OFFICIAL["v2"])
    )
    what = f"a {act} over {transport}, {how}: ours / {TITLES[OFFICIAL['v2']]}"
    return Budget(what, ours, theirs, 1.0)


def _many(transport: str, count: int, what: str) -> Budget:
    ours, theirs = (
        ("many", transport, each, what, str(count)) for each in ("ours", OFFICIAL["v2"])
    )
    name = {"seconds": "time until all have answered", "bytes": "memory of the server"}[what]
    title = f"{name}, {count:,} connections over {transport}: ours / {TITLES[OFFICIAL['v2']]}"
    limit = _MEMORY_LIMITS[transport] if what == "bytes" else 1.0
    return Budget(title, ours, theirs, limit)


def _state(what: str, form: str) -> Budget:
    ours, theirs = (state_key(each, what, form) for each in ("ours", OFFICIAL["v1"]))
    return Budget(
        f"apply {STATE_AGAINST[what]:,} {what}, {form}, v1: ours / {_SDK}", ours, theirs, 0.2
    )


BUDGETS = (
    *(_encode(protocol, CHUNK) for protocol in _ENCODE_LIMITS),
    *(_encode(protocol, each) for protocol in _ENCODE_LIMITS for each in (TOOL_CALL, SESSIONS)),
    *(_decode(*case, limit) for case, limit in _DECODE_LIMITS.items()),
    # Only these two messages have the same JSON in both protocols.
    *(_protocols(message) for message in (CHUNK, SESSIONS)),
    *(_import(surface) for surface in ("v1", "v2")),
    *(_start(protocol) for protocol in ("v1", "v2")),
    *(_rest(protocol) for protocol in ("v1", "v2")),
    *(_pipe(act, in_flight) for in_flight in (AT_ONCE, 1) for act in ("turn", "call")),
    *(_bare_pipe(act) for act in ("turn", "call")),
    *(
        _remote(transport, act, in_flight)
        for transport in TRANSPORTS
        for act in ("turn", "call")
        for in_flight in (AT_ONCE, 1)
    ),
    *(
        _many(transport, count, what)
        for transport in TRANSPORTS
        for count in MANY
        for what in ("seconds", "bytes")
    ),
    *(_state(what, form) for what in STATE_AGAINST for form in STATE_FORMS),
    Budget("text read after each of 20,000 chunks, v2", ("read",), None, 0.2),
    Budget(f"{BAD_ITEMS}, received", ("connection", BAD_ITEMS), None, 0.3),
    Budget(
        f"{BRIDGED} / without one, in memory",
        ("connection", BRIDGED),
        ("connection", UNBRIDGED),
        2.5,
    ),
    Budget("`acpgen generate`, four surfaces, cold", ("generate",), None, 15.0),
    Budget("`acpgen check`, unchanged", ("check",), None, 1.0),
)
