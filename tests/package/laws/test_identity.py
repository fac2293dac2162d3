"""Law 1: decoding and encoding returns the same JSON; writers write what encoders make."""

from __future__ import annotations

from package.laws.budget import each_surface, each_type, each_type_drawn
from package.laws.instances import Choices, Drawn, generate
from package.laws.library import encode, json_text, same, writer
from package.laws.schemas import Surface
from package.laws.walk import cases


@each_type
def test_identity_of_each_part(surface: Surface, name: str) -> None:
    drawn = cases(surface, name)
    assert drawn
    for each in drawn:
        _assert_identity(each)


@each_type_drawn
def test_identity(surface: Surface, name: str, choices: Choices, picks: Choices) -> None:
    _assert_identity(generate(surface, name, choices))


def _assert_identity(drawn: Drawn) -> None:
    surface, name, value = drawn.surface, drawn.name, drawn.value
    form = surface.module.TYPES[name]
    before = json_text(value)
    decoded = surface.module.decode(form, value)
    back = encode(surface, name, decoded)
    assert same(back, value), f"{drawn} came back as {back!r}"
    assert json_text(value) == before, f"{drawn} was changed"
    read = surface.module.loads(form, before)
    assert read == decoded
    written = surface.module.dumps(read, form)
    assert written == json_text(back), f"{drawn} was written as {written}"
    write = writer(surface.module, name)
    assert write is None or write(decoded) == written


@each_surface
def test_records_and_tagged_unions_have_writers(surface: Surface) -> None:
    assert sum(writer(surface.module, name) is not None for name in surface.names) > 100
