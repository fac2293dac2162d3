"""Tests of the generated docstrings of fields and arguments."""

from __future__ import annotations

import griffe
import pytest
from acpdocs.facts import docstrings
from acpgen.analysis.surface import understand
from acpgen.common.paths import PACKAGE
from acpgen.emit.python.quoting import WIDTH
from acpgen.ir.model import Record
from acpgen.ir.queries import own_members
from acpgen.ir.wording import describe_member

from tests.support.paths import SURFACES


@pytest.mark.parametrize("name", SURFACES)
def test_every_member_has_a_docstring(name: str) -> None:
    [surface], _ = understand(None, [name])
    path = PACKAGE / name / "types.py"
    source = path.read_text(encoding="utf-8")
    types = griffe.visit("types", path, source)
    members = 0
    for definition in surface.definitions.values():
        if not isinstance(definition, Record) or not definition.members:
            continue
        own = own_members(definition, surface.definitions)
        for member in own:
            docstring = types[definition.name][member.name].docstring
            said = " ".join(docstring.value.split()) if docstring else ""
            assert said == describe_member(surface, definition.name, member) != ""
        members += len(own)
    assert members > 400
    assert max(len(line) for line in source.splitlines() if not line.startswith("#")) <= WIDTH


@pytest.mark.parametrize("name", SURFACES)
def test_every_argument_of_a_sender_has_its_line(name: str) -> None:
    path = PACKAGE / name / "agent_session.py"
    session = griffe.visit("agent_session", path, path.read_text(encoding="utf-8"))["AgentSession"]
    methods = [each for each in session.functions.values() if "unknown_fields" in each.parameters]
    assert len(methods) > 10
    for sender in methods:
        [arguments] = (block for block in docstrings.blocks(sender) if block.text == "Args")
        parameters = [each.name for each in sender.parameters][1:]
        assert [name for name, _ in arguments.entries] == parameters
        assert all(text for _, text in arguments.entries)
