"""Law 1: decoding and encoding returns the same JSON."""

from __future__ import annotations

import json

from package.laws.budget import each_type, each_type_drawn
from package.laws.instances import Choices, Drawn, generate
from package.laws.library import encode, same, text
from package.laws.schemas import Surface
from package.laws.walk import cases


@each_type
def test_identity_of_each_part(surface: Surface, name: str) -> None:
    """Every arm, constant, member and item of the definition."""
    drawn = cases(surface, name)
    assert drawn
    for each in drawn:
        _assert_identity(each)


@each_type_drawn
def test_identity(surface: Surface, name: str, choices: Choices, picks: Choices) -> None:
    """Any instance, also with members that the schema does not name."""
    _assert_identity(generate(surface, name, choices))


def _assert_identity(drawn: Drawn) -> None:
    surface, name, value = drawn.surface, drawn.name, drawn.value
    form = surface.module.TYPES[name]
    before = text(value)
    decoded = surface.module.decode(form, value)
    back = encode(surface, name, decoded)
    assert same(back, value), f"{drawn} came back as {back!r}"
    assert text(value) == before, f"{drawn} was changed"
    read = surface.module.loads(form, before)
    assert read == decoded
    written = surface.module.dumps(read, form)
    assert "\n" not in written
    assert same(json.loads(written), value), f"{drawn} was written as {written}"
