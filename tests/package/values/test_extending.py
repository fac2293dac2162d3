"""Tests of the decoders that extensions add to a surface."""

from __future__ import annotations

from typing import Any

import pytest
from acp_bindings.runtime.values.extending import beside_tags
from acp_bindings.runtime.values.repairs import STRICT


@pytest.mark.parametrize(
    ("value", "own"), [({"a": 1, "kind": "k"}, {"a": 1}), ({"a": 1}, {"a": 1}), ([1], [1])]
)
def test_decoder_beside_tags_does_not_see_them(value: Any, own: Any) -> None:
    decode = beside_tags(lambda d, issues, path: (d, issues, path))
    assert decode(value, STRICT, ((), "at"), ("kind",)) == (own, STRICT, ((), "at"))
    assert decode(value, STRICT, ()) == (value, STRICT, ())
