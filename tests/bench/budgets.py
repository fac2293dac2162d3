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
ENCODE_LIMITS = {"v1": 0.25, "v2": 0.08}


@dataclass(frozen=True)
class Budget:
    """A limit for one measurement.

    Attributes:
        what: its description, for readers.
        ours: the measurement.
        theirs: what it is divided by; None for a number of seconds.
        limit: the highest value within the budget.
    """

    what: str
    ours: Key
    theirs: Key | None
    limit: float


def _against_sdk(operation: str, protocol: str, message: str, limit: float) -> Budget:
    return Budget(
        f"{operation} {message}, {protocol}: ours / {TITLES[OFFICIAL[protocol]]}",
        time_key("ours", protocol, message, operation),
        time_key(OFFICIAL[protocol], protocol, message, operation),
        limit,
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
        0.07,
    )


def _start_budget(protocol: str) -> Budget:
    return Budget(
        f"process start to the answer of `initialize`, agent for {protocol}: ours / {_SDK}",
        ("start", f"ours, {protocol}"),
        ("start", _SDK),
        0.2,
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
    *(
        _against_sdk("encode", protocol, message, limit)
        for protocol, limit in ENCODE_LIMITS.items()
        for message in (CHUNK, TOOL_CALL, SESSIONS)
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
    Budget(f"{BAD_ITEMS}, received", ("connection", BAD_ITEMS), None, 0.3),
    Budget("`acpgen generate`, four surfaces, cold", ("generate",), None, 8.0),
    Budget("`acpgen check`, unchanged", ("check",), None, 1.0),
)
