"""The laws for each shape that a schema may have, in a small schema of its own."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from analysis.shapes import MORE, READ, UNREAD, Schema
from diff.small import method
from evolution.attempt import says_of
from evolution.evolve import Evolution
from evolution.laws import Report, Values, check_definition
from evolution.oracle import Drawer
from evolution.packages import build_surface, imported, reduced

# Each shape, and values to try besides those that are drawn.
SHAPES: dict[str, tuple[Schema, list[Any]]] = {
    **{f"read: {name}": shape for name, shape in READ.items()},
    **{f"unread: {name}": (schema, []) for name, (schema, _, _) in UNREAD.items()},
}


@pytest.mark.parametrize("name", SHAPES)
def test_laws_hold_for_each_shape(name: str) -> None:
    schema, given = SHAPES[name]
    definitions = {"Request": method("some/method"), **MORE, "X": schema}
    report = Report(Evolution(0, "v2", (), {"$defs": definitions}))
    built = build_surface(report.evolution.root, "v2")
    report.unchecked = built.surface.unchecked
    assert bool(report.unchecked) == name.startswith("unread")
    says = says_of(report)
    assert says is not None, report.failures
    drawer = Drawer(definitions)
    values = Values(given, drawer.values("X", Random(name), changed=True))
    label = f"shape_{list(SHAPES).index(name)}"
    with imported(reduced(built.surface, {"X"}), label, formatted=False) as module:
        check_definition(report, says, module, "X", values)
    assert not report.failures
    assert report.tried.total() > 0
    if name.startswith("read"):
        assert report.tried["valid"] > 0
        assert report.tried["invalid"] > 0
