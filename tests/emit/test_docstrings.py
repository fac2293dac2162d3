"""The docstrings of the generated classes list every member with its line."""

from __future__ import annotations

import griffe
import pytest
from acpgen.build.surface import understand
from acpgen.emit.quoting import WIDTH
from acpgen.inputs.sources import SURFACES
from acpgen.ir.model import Record
from acpgen.ir.wording import describe_member
from acpgen.paths import PACKAGE
from acpgen.reference.facts import docstrings


@pytest.mark.parametrize("name", SURFACES)
def test_every_class_lists_its_members(name: str) -> None:
    [surface], _ = understand(None, [name])
    path = PACKAGE / name / "types.py"
    source = path.read_text(encoding="utf-8")
    types = griffe.visit("types", path, source)
    members = 0
    for definition in surface.definitions.values():
        if not isinstance(definition, Record) or not definition.members:
            continue
        listed = docstrings.attributes(types[definition.name])
        assert listed == {
            member.name: describe_member(surface, definition.name, member)
            for member in definition.members
        }
        members += len(listed)
    assert members > 400
    entries = [line for line in source.splitlines() if line.startswith(" " * 8)]
    assert len(entries) > 400
    assert max(map(len, entries)) <= WIDTH
