"""The docstrings of the generated classes list every member with its line."""

from __future__ import annotations

import importlib

import pytest
from acpgen.build.surface import understand
from acpgen.emit.quoting import WIDTH
from acpgen.inputs.sources import SURFACES
from acpgen.ir.model import Record
from acpgen.ir.wording import describe_member
from acpgen.paths import PACKAGE
from acpgen.reference.facts.docstrings import blocks


@pytest.mark.parametrize("name", SURFACES)
def test_every_class_lists_its_members(name: str) -> None:
    [surface], _ = understand(None, [name])
    types = importlib.import_module(f"acp_bindings.{name}.types")
    members = 0
    for definition in surface.definitions.values():
        if not isinstance(definition, Record) or not definition.members:
            continue
        docstring = getattr(types, definition.name).__doc__
        [listed] = [each for each in blocks(docstring) if each.text == "Attributes"]
        assert listed.entries == tuple(
            (member.name, describe_member(surface, definition.name, member))
            for member in definition.members
        )
        members += len(listed.entries)
    assert members > 400
    source = (PACKAGE / name / "types.py").read_text(encoding="utf-8")
    entries = [line for line in source.splitlines() if line.startswith(" " * 8)]
    assert len(entries) > 400
    assert max(map(len, entries)) <= WIDTH
