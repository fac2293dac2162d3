"""Writers write the text of what encoders make, without leaving anything to them."""

from __future__ import annotations

from collections import Counter

from package.laws.budget import each_case, each_case_drawn
from package.laws.instances import Choices, Drawn, generate
from package.laws.library import encode, json_text, writer
from package.laws.schemas import SURFACES, TYPES, Surface
from package.laws.walk import cases

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
