"""Tests of the kit for surfaces with incomplete schemas."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from acpgen.analysis.surface import understand
from acpgen.common import paths
from acpgen.emit.contexts.kit import Kit
from acpgen.emit.package import render_surface
from acpgen.ir.surface import Surface


@cache
def vendored(name: str) -> Surface:
    [surface], _ = understand(None, [name])
    return surface


def without(surface: Surface, *wires: str) -> Surface:
    methods = tuple(method for method in surface.methods if method.wire not in wires)
    assert len(methods) == len(surface.methods) - len(wires)
    return replace(surface, methods=methods)


@pytest.mark.parametrize("name", ["v1", "v2"])
def test_the_vendored_schemas_have_what_each_entry_needs(name: str) -> None:
    surface = vendored(name)
    unstable = vendored(f"{name}_unstable")
    for part, entries in surface.kit.items():
        methods = entries.get("methods", {}) if isinstance(entries, dict) else {}
        used_wires = [wire for wire, entry in methods.items() if entry]
        for wire in [*used_wires, *(entries if part == "cancelling" else {})]:
            used = [str(Kit(each).parts()[part]) for each in (surface, unstable)]
            assert any(wire in text for text in used), (part, wire)


def test_methods_that_are_missing_are_left_out() -> None:
    files = render_surface(without(vendored("v2"), "terminal/cancel"), paths.TEMPLATES)
    assert "def tool_call_cancel" in files["v2/kit.py"]
    assert "def terminal_cancel" not in files["v2/kit.py"]


def test_a_part_without_methods_is_left_out() -> None:
    surface = vendored("v1")
    files = render_surface(without(surface, *surface.kit["workspace"]["methods"]), paths.TEMPLATES)
    assert "class StoredAgent" in files["v1/kit.py"]
    assert "WorkspaceMethods" not in files["v1/kit.py"]


def test_without_the_type_of_kinds_there_is_no_kit() -> None:
    surface = vendored("v2")
    kit = {**surface.kit, "tool": {**surface.kit["tool"], "kind": "Missing"}}
    files = render_surface(replace(surface, kit=kit), paths.TEMPLATES)
    assert "v2/kit.py" not in files
    assert "def tool(" not in files["v2/agent_session.py"]
