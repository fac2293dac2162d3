"""Law 1: decoding and encoding returns the same JSON; writers write what encoders make."""

from __future__ import annotations

import json
from collections import Counter

from package.laws.budget import each_case, each_case_drawn, each_type, each_type_drawn
from package.laws.instances import Choices, Drawn, generate
from package.laws.library import encode, json_text, same, text, writer
from package.laws.schemas import SURFACES, TYPES, Surface
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


# --- writers

WRITTEN = [(surface, name) for surface, name in TYPES if writer(surface.module, name)]


def test_records_and_tagged_unions_have_writers() -> None:
    counts = Counter(surface.name for surface, _ in WRITTEN)
    assert counts.keys() == SURFACES.keys()
    assert min(counts.values()) > 100


@each_case(WRITTEN)
def test_each_part_is_written(surface: Surface, name: str) -> None:
    drawn = cases(surface, name)
    assert drawn
    for each in drawn:
        assert_written(each)


@each_case_drawn(WRITTEN)
def test_any_instance_is_written(
    surface: Surface, name: str, choices: Choices, picks: Choices
) -> None:
    assert_written(generate(surface, name, choices))


def assert_written(drawn: Drawn) -> None:
    surface, name = drawn.surface, drawn.name
    value = surface.module.decode(surface.module.TYPES[name], drawn.value)
    text = json_text(encode(surface, name, value))
    write = writer(surface.module, name)
    assert write is not None
    assert write(value) == text
    assert surface.module.dumps(value, surface.module.TYPES[name]) == text
