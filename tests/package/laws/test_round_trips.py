"""Tests of laws 1 and 2: decoding and encoding are inverses, and writers match encoders."""

from __future__ import annotations

import pytest

from tests.package.laws.budget import each_surface, each_type, each_type_drawn
from tests.package.laws.build import Builder, all_classes_of, classes
from tests.package.laws.exclusions import NOT_BUILT
from tests.package.laws.instances import Choices, Drawn, generate
from tests.package.laws.library import decode, encode, escaped, json_text, same, writer
from tests.package.laws.schemas import SURFACES, Surface, oracle
from tests.package.laws.walk import cases


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
    assert write is None or escaped(write(decoded)) == written


@each_surface
def test_records_and_tagged_unions_have_writers(surface: Surface) -> None:
    assert sum(writer(surface.module, name) is not None for name in surface.names) > 100


# --- law 2: a well-typed value is encoded to valid JSON, which is decoded to an equal value ---


@each_type_drawn
def test_build(surface: Surface, name: str, choices: Choices, picks: Choices) -> None:
    value = Builder(surface, choices).definition(name)
    _assert_built(surface, name, value)


def _assert_built(surface: Surface, name: str, value: object) -> None:
    encoded = encode(surface, name, value)
    assert oracle(surface).is_valid(name, encoded), f"{value!r} was written as {encoded!r}"
    for strict in (True, False):
        outcome = decode(surface, name, encoded, strict)
        assert outcome.error is None, f"{value!r} was written as {encoded!r}: {outcome.error}"
        assert outcome.issues == []
        assert outcome.value == value, f"{value!r} came back as {outcome.value!r}"
        assert repr(outcome.value) == repr(value)
        assert same(encode(surface, name, outcome.value), encoded)
    form = surface.module.TYPES[name]
    assert surface.module.loads(form, surface.module.dumps(value, form)) == value


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
def test_every_class_is_built(surface: Surface) -> None:
    built: set[type] = set()
    for name in surface.names:
        values: dict[str, object] = {}  # by `repr`, to drop duplicates
        for first in range(64):
            value = Builder(surface, Choices(bytes([first, *range(first, 200)]))).definition(name)
            values.setdefault(repr(value), value)
        for value in values.values():
            _assert_built(surface, name, value)
            built |= all_classes_of(value)
    excluded = {getattr(surface.module, name) for owner, name in NOT_BUILT if owner == surface.name}
    assert classes(surface) - built == excluded
    assert len(built) > 100


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
def test_default_definition_of_a_value(surface: Surface) -> None:
    """If no type is given, a value is encoded according to the definition for its class."""
    for name in surface.names:
        form = surface.module.TYPES[name]
        if isinstance(form, type) and form.__name__ == name:
            value = Builder(surface, Choices(bytes(range(5, 200)))).definition(name)
            assert same(surface.module.encode(value), encode(surface, name, value))
