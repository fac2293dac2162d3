"""Writers write the text of what encoders make, without leaving anything to them."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from package.laws.budget import LAWS
from package.laws.instances import Drawn, instances
from package.laws.library import encode
from package.laws.schemas import SURFACES, TYPES, Surface
from package.laws.walk import cases


def writer(surface: Surface, name: str) -> Callable[[Any], str] | None:
    """The writer of a definition; None if what it encodes is written."""
    codec = importlib.import_module(f"{surface.module.__name__}.codec")
    found: Callable[[Any], str] | None = getattr(codec, f"write_{name}", None)
    return found


WRITTEN = [(surface, name) for surface, name in TYPES if writer(surface, name)]
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
    encoded = encode(surface, name, value)
    text = json.dumps(encoded, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    write = writer(surface, name)
    assert write is not None
    assert write(value) == text
    assert surface.module.dumps(value, surface.module.TYPES[name]) == text
