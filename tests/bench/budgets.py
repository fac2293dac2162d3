"""The budgets: limits of ratios and times, which the report compares with what was measured."""

from __future__ import annotations

from dataclasses import dataclass

from bench.results import (
    AT_ONCE,
    BAD_ITEMS,
    CHUNK,
    OFFICIAL,
    SDK_IMPORT,
    SESSIONS,
    STATE_AGAINST,
    STATE_FORMS,
    TITLES,
    TOOL_CALL,
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
# A chunk against the SDK; other messages against the f-string that writes this one message.
_ENCODE_LIMITS = {"v1": 0.2, "v2": 0.06}
_UNCHECKED_LIMIT = 1.75


@dataclass(frozen=True)
class Budget:
    """A limit for one measurement."""

    what: str  # its description, for readers
    ours: Key  # the measurement
    theirs: Key | None  # what it is divided by; None for a number of seconds
    limit: float  # the highest value within the budget


def _against_sdk(operation: str, protocol: str, message: str, limit: float) -> Budget:
    return Budget(
        f"{operation} {message}, {protocol}: ours / {TITLES[OFFICIAL[protocol]]}",
        time_key("ours", protocol, message, operation),
        time_key(OFFICIAL[protocol], protocol, message, operation),
        limit,
    )


def _unchecked_budget(protocol: str, message: str) -> Budget:
    return Budget(
        f"encode {message}, {protocol}: ours / an f-string for this message",
        time_key("ours", protocol, message, "encode"),
        time_key("ours", protocol, message, UNCHECKED),
        _UNCHECKED_LIMIT,
    )


def _protocol_budget(message: str) -> Budget:
    return Budget(
        f"decode {message}, ours: v2 / v1",
        time_key("ours", "v2", message, "decode"),
        time_key("ours", "v1", message, "decode"),
        1.25,
    )


def _import_budget(surface: str) -> Budget:
    return Budget(
        f"import `acp_bindings.{surface}` / `acp.schema` of {_SDK}",
        ("import", f"acp_bindings.{surface}"),
        ("import", SDK_IMPORT),
        0.06,
    )


def _start_budget(protocol: str) -> Budget:
    return Budget(
        f"process start to the answer of `initialize`, agent for {protocol}: ours / {_SDK}",
        ("start", f"ours, {protocol}"),
        ("start", _SDK),
        0.17,
    )


def _pipe_budget(act: str, in_flight: int) -> Budget:
    how = "one after another" if in_flight == 1 else f"{in_flight} at once"
    return Budget(
        f"a {act} over a pipe, {how}: ours / {_SDK}",
        ("pipe", "ours", act, str(in_flight)),
        ("pipe", OFFICIAL["v1"], act, str(in_flight)),
        0.5,
    )


def _state_budget(what: str, form: str) -> Budget:
    return Budget(
        f"apply {STATE_AGAINST[what]:,} {what}, {form}, v1: ours / {_SDK}",
        state_key("ours", what, form),
        state_key(OFFICIAL["v1"], what, form),
        0.2,
    )


BUDGETS = (
    *(_against_sdk("encode", protocol, CHUNK, limit) for protocol, limit in _ENCODE_LIMITS.items()),
    *(
        _unchecked_budget(protocol, message)
        for protocol in _ENCODE_LIMITS
        for message in (TOOL_CALL, SESSIONS)
    ),
    *(_against_sdk("decode", *case, limit) for case, limit in _DECODE_LIMITS.items()),
    # Only these two have the same JSON on both protocols.
    _protocol_budget(CHUNK),
    _protocol_budget(SESSIONS),
    _import_budget("v1"),
    _import_budget("v2"),
    _start_budget("v1"),
    _start_budget("v2"),
    *(_pipe_budget(act, in_flight) for in_flight in (AT_ONCE, 1) for act in ("turn", "call")),
    *(_state_budget(what, form) for what in STATE_AGAINST for form in STATE_FORMS),
    Budget("text read after each of 20,000 chunks, v2", ("read",), None, 0.2),
    Budget(f"{BAD_ITEMS}, received", ("connection", BAD_ITEMS), None, 0.3),
    Budget("`acpgen generate`, four surfaces, cold", ("generate",), None, 15.0),
    Budget("`acpgen check`, unchanged", ("check",), None, 1.0),
)
