"""Tests of looking up types, fields and methods in a surface."""

from __future__ import annotations

from acpport.counterparts.surface import UNSTABLE, Surface


def test_a_type_with_an_alias_has_its_own_name() -> None:
    method = Surface(UNSTABLE).method("agent", "initialize")
    assert method is not None
    assert (method.params, method.result) == ("InitializeRequest", "InitializeResponse")
