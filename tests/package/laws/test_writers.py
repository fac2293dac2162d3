"""Writers write the text of what encoders make, without leaving anything to them."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from package.laws.budget import LAWS
from package.laws.instances import Drawn, instances
from package.laws.library import encode, json_text, writer
from package.laws.schemas import SURFACES, TYPES, Surface
from package.laws.walk import cases

WRITTEN = [(surface, name) for surface, name in TYPES if writer(surface.module, name)]
each_writer = pytest.mark.parametrize(
    ("surface", "name"), [pytest.param(*each, id="-".join(map(str, each))) for each in WRITTEN]
)


def test_records_and_tagged_unions_have_writers() -> None:
    counts = Counter(surface.name for surface, _ in WRITTEN)
    assert counts.keys() == SURFACES.keys()
    assert min(counts.values()) > 100


@each_writer
def test_each_part_is_written(surface: Surface, name: str) -> None:
    drawn = cases(surface, name)
    assert drawn
    for each in drawn:
        assert_written(each)


@each_writer
@LAWS
@given(data=st.data())
def test_any_instance_is_written(surface: Surface, name: str, data: st.DataObject) -> None:
    assert_written(data.draw(instances(surface, name)))


def assert_written(drawn: Drawn) -> None:
    surface, name = drawn.surface, drawn.name
    value = surface.module.decode(surface.module.TYPES[name], drawn.value)
    text = json_text(encode(surface, name, value))
    write = writer(surface.module, name)
    assert write is not None
    assert write(value) == text
    assert surface.module.dumps(value, surface.module.TYPES[name]) == text
