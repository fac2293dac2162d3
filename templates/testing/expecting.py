"""Expectations about updates, with short descriptions of differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, TypeAlias, cast

from .values import Update, as_json, is_mapping, is_typed, say, shown, surface_of, update_as_json

# A pattern for an update: an `Update`, some of its fields, a surface's class or object, or a
# string.
Pattern: TypeAlias = Update | Mapping[str, Any] | type | str | Any

_ABSENT = object()
_WIDTH = 58


def matches(update: Any, pattern: Pattern) -> bool:
    """Return whether an update matches a pattern, as defined by `expect`."""
    return _difference(update, pattern) is None


def expect(updates: Sequence[Any], *patterns: Pattern, exactly: bool = False) -> None:
    """Check that the expected updates are present, in the given order.

    A pattern is one of the following. Fields that the pattern doesn't contain can have any value.

    - An update, such as `say("Done.")` or `tool_call("rm", status="completed")`.
    - A surface's class, such as `v1.Plan`, or an object of such a class. Only fields that are set
      in the object are compared.
    - A mapping with some fields, in JSON: `{"sessionUpdate": "plan"}`.
    - A string, which the agent must send in a single message chunk.

    Args:
        updates: the updates, in JSON.
        patterns: the expected updates.
        exactly: whether unexpected updates are also errors.

    Raises:
        AssertionError: If an expected update is missing, or if `exactly` is true and another
            update is present. The message contains the first difference and a table that compares
            the expected updates with the actual updates.
    """
    __tracebackhide__ = True
    rows: list[tuple[Pattern | None, Any, str]] = []
    position = 0
    for number, pattern in enumerate(patterns, 1):
        end = position + 1 if exactly else len(updates)
        candidates = range(position, min(end, len(updates)))
        place = next((each for each in candidates if matches(updates[each], pattern)), None)
        if place is None:
            raise AssertionError(_missing(rows, patterns, number, updates, position, exactly))
        rows += [(None, each, " ") for each in updates[position:place]]
        rows.append((pattern, updates[place], "="))
        position = place + 1
    if exactly and position < len(updates):
        more = len(updates) - position
        rows += [(None, each, "≠") for each in updates[position:]]
        raise AssertionError(_table(f"unexpected updates: {more}", rows))


def _missing(
    rows: list[tuple[Pattern | None, Any, str]],
    patterns: Sequence[Pattern],
    number: int,
    updates: Sequence[Any],
    position: int,
    exactly: bool,
) -> str:
    """Describe a missing update by comparing it with the most similar actual update."""
    pattern, rest = patterns[number - 1], updates[position:]
    place = f"expected update {number} of {len(patterns)}"
    if not rest:
        rows += [(each, None, "≠") for each in patterns[number - 1 :]]
        return _table(f"{place} is missing: no further update arrived", rows)
    nearest = (
        0 if exactly else min(range(len(rest)), key=lambda each: _distance(rest[each], pattern))
    )
    pointer, wanted, got = cast("tuple[str, Any, Any]", _difference(rest[nearest], pattern))
    rows += [(None, each, " ") for each in rest[:nearest]]
    rows.append((pattern, rest[nearest], "≠"))
    rows += [(None, each, " ") for each in rest[nearest + 1 :]]
    rows += [(each, None, " ") for each in patterns[number:]]
    reason = f"{pointer or 'its type'}: expected {told(wanted)}, got {told(got)}"
    return _table(f"{place} is missing; {reason}", rows)


def _table(reason: str, rows: Sequence[tuple[Pattern | None, Any, str]]) -> str:
    lines = [reason, f"    {'expected':{_WIDTH}}   got"]
    for pattern, update, sign in rows:
        left = "" if pattern is None else _cut(_shown(pattern))
        right = "" if update is None else _cut(shown(update))
        lines.append(f"    {left:{_WIDTH}} {sign} {right}".rstrip())
    return "\n".join(lines)


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def told(value: Any) -> str:
    """Return a short representation of a value in a difference."""
    return "absent" if value is _ABSENT else repr(value)


def _shown(pattern: Pattern) -> str:
    if isinstance(pattern, type):
        return pattern.__name__
    if isinstance(pattern, str):
        return str(say(pattern))
    return str(pattern) if isinstance(pattern, Update) else shown(update_as_json(pattern))


# --- one update ------------------------------------------------------------------------------


def _difference(update: Any, pattern: Pattern) -> tuple[str, Any, Any] | None:
    """Return the pointer, expected value and actual value of the first difference, if any."""
    if isinstance(pattern, type):
        types = surface_of(pattern)
        decoded = types.decode(types.SessionUpdate, update)
        got = type(decoded).__name__
        return None if isinstance(decoded, pattern) else ("", pattern.__name__, got)
    return next(_differences(update, pattern), None)


def _differences(update: Any, pattern: Pattern) -> Iterator[tuple[str, Any, Any]]:
    expected: Any = say(pattern) if isinstance(pattern, str) else pattern
    if isinstance(expected, Update):
        kind = update.get("sessionUpdate", _ABSENT)
        if kind not in expected.kinds:
            yield "/sessionUpdate", " or ".join(expected.kinds), kind
        expected = expected.members
    elif is_typed(expected):
        expected = update_as_json(expected)
    yield from differences(expected, update)


def _distance(update: Any, pattern: Pattern) -> float:
    """Return the distance of an update from a pattern. A different type has the greatest weight."""
    if isinstance(pattern, type):
        return 0
    found = list(_differences(update, pattern))
    return len(found) + (100 if any(each[0] == "/sessionUpdate" for each in found) else 0)


def differences(
    expected: Any, got: Any, pointer: str = "", *, exactly: bool = False
) -> Iterator[tuple[str, Any, Any]]:
    """Compare JSON. Yield the pointer, expected value and actual value of each difference.

    Args:
        expected: the expected value. Surface objects are encoded as JSON.
        got: the actual value.
        pointer: the pointer to the compared values.
        exactly: whether unexpected fields of objects are differences.
    """
    expected = as_json(expected)
    if is_mapping(expected) and is_mapping(got):
        names = [*expected, *(name for name in got if exactly and name not in expected)]
        for name in names:
            place = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            pair = expected.get(name, _ABSENT), got.get(name, _ABSENT)
            yield from differences(*pair, place, exactly=exactly)
    elif isinstance(expected, list | tuple) and isinstance(got, list):
        sides = cast("tuple[Sequence[Any], Sequence[Any]]", (expected, got))
        for index, pair in enumerate(zip_longest(*sides, fillvalue=_ABSENT)):
            yield from differences(*pair, f"{pointer}/{index}", exactly=exactly)
    elif expected != got or isinstance(expected, bool) != isinstance(got, bool):
        yield pointer, expected, got
