"""Tests of the message excerpts that `acpgen trace` prints."""

from __future__ import annotations

from typing import Any

import pytest
from acpwire.trace.printing import excerpt


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"sessionId": "0123456789abcdef"}, "sessionId=0123456789a…"),
        ({"_meta": {"a": 1}, "stopReason": "end_turn"}, "stopReason=end_turn"),
        ({"outcome": {"outcome": "selected", "optionId": "yes"}}, "selected optionId=yes"),
        ({"content": {"type": "text", "text": "a b"}}, 'text="a b"'),
        ({"options": [{"optionId": "yes", "kind": "x"}]}, "optionId=yes kind=x"),
        ({"a": {"x": 1}, "b": True, "c": None}, "b=true c=null x=1"),
        ({"prompt": [{"type": "text", "text": "a\nb"}, {}, {}]}, 'text="a\\nb" (+2)'),
        (dict.fromkeys("abcdefgh", 1), "a=1 b=1 c=1 d=1 e=1 f=1 …"),
        ({"text": "x y" * 100}, 'text="' + ("x y" * 20)[:59] + '…"'),
        ([], ""),
        (None, "null"),
    ],
)
def test_excerpts(value: Any, shown: str) -> None:
    parts = [f"{each.name}={each.value}" if each.name else each.value for each in excerpt(value)]
    assert " ".join(parts) == shown


def test_an_excerpt_ends_however_deep_the_value_is() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = {"a": [value]}
    assert excerpt(value) == []
