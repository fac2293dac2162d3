"""Tests of queries about shapes and definitions."""

from __future__ import annotations

from dataclasses import replace

import pytest
from acpgen.ir.model import (
    AnyJson,
    Arm,
    Array,
    Boolean,
    Dictionary,
    Integer,
    Method,
    Null,
    Nullable,
    Reference,
    Shape,
    String,
    Unknown,
)
from acpgen.ir.queries import (
    alternatives,
    always_there,
    arms_by_tag,
    class_of,
    classes_of,
    find_member,
    handshake,
    inner_shapes,
    map_inner,
    map_shapes,
    members_along,
    members_of,
    own_members,
    references,
    referred_by,
    takes_null,
    target,
    unknown_of,
    unwrap,
    walk,
)

from tests.acpgen.ir.definitions import NAME, alias, choice, member, named, record, union

ID = member("id", Reference("Name"), required=True)
NOTE = member("note", Nullable(String()))
PARTS = member("parts", Array(Reference("Shape")))
ROUND = record("Round", ID, member("size", Integer(), required=True))
SQUARE = record("Square", NOTE, ID)
WHOLE = record("Whole", PARTS, member("shape", Nullable(Reference("Shape"))), sub=Arm("s", "Sub"))
DEFINITIONS = named(
    *(NAME, ROUND, SQUARE, WHOLE, union("Shape", "Round", "Square")),
    *(alias("Maybe", Nullable(Reference("Name"))), alias("Again", Reference("Maybe"))),
    union("Open", "Round", default=Reference("Square")),
)


def test_aliases_and_null_are_unwrapped() -> None:
    assert unwrap(Nullable(Reference("Again")), DEFINITIONS) == String()
    assert unwrap(Reference("Round"), DEFINITIONS) == Reference("Round")
    assert target(Nullable(Reference("Again"))) == "Again"
    assert target(String()) is None


@pytest.mark.parametrize(
    ("shape", "takes"),
    [
        (AnyJson(), True),
        (Null(), True),
        (Nullable(String()), True),
        (Reference("Again"), True),
        (choice((String(), ()), (Null(), ())), True),
        (choice((String(), ()), (Boolean(), ())), False),
        (Reference("Name"), False),
        (Reference("Round"), False),
        (Reference("Missing"), False),
        (Array(Null()), False),
    ],
)
def test_shapes_that_allow_null(shape: Shape, takes: bool) -> None:
    assert takes_null(shape, DEFINITIONS) is takes


@pytest.mark.parametrize(
    ("name", "wires"),
    [
        ("Round", ["id", "size"]),
        ("Shape", ["id"]),
        ("Name", []),
        ("Missing", []),
        (None, []),
    ],
)
def test_fields_of_a_union_are_those_of_all_variants(name: str | None, wires: list[str]) -> None:
    assert [each.wire for each in members_of(DEFINITIONS, name)] == wires
    assert find_member(DEFINITIONS, name, "id") == (ID if "id" in wires else None)


def test_inherited_fields_are_not_own_fields() -> None:
    derived = replace(ROUND, name="Disc", base="Square")
    assert [each.wire for each in own_members(derived, DEFINITIONS)] == ["size"]
    assert own_members(ROUND, DEFINITIONS) == ROUND.members


def test_fields_along_a_path() -> None:
    along = members_along(DEFINITIONS, "Whole", "shape/id")
    assert along is not None
    assert [each.wire for each in along] == ["shape", "id"]
    assert members_along(DEFINITIONS, "Whole", "shape/size") is None
    assert members_along(DEFINITIONS, "Whole", "parts/id") is None


@pytest.mark.parametrize(
    ("wire", "tag", "expected"),
    [
        ("parts", "round", "Round"),
        ("parts", "oval", None),
        ("shape", "round", None),
        ("missing", "round", None),
    ],
)
def test_classes_of_items_are_selected_by_tag(wire: str, tag: str, expected: str | None) -> None:
    assert class_of(DEFINITIONS, "Whole", wire, tag) == expected


@pytest.mark.parametrize(
    ("shape", "wires"),
    [
        (Reference("Round"), ["id", "size"]),
        (Reference("Square"), ["id"]),
        (Reference("Shape"), ["kind"]),
        (Reference("Open"), ["id"]),
        (Reference("Whole"), []),
        (Reference("Name"), []),
        (String(), []),
    ],
)
def test_fields_that_all_values_contain(shape: Shape, wires: list[str]) -> None:
    assert always_there(shape, DEFINITIONS) == wires


@pytest.mark.parametrize(
    ("shape", "classes"),
    [
        (Array(Reference("Shape")), ["Round", "Square"]),
        (Dictionary(Nullable(Reference("Open"))), ["Round", "Square"]),
        (Reference("Whole"), ["Whole", "Sub"]),
        (Reference("Again"), []),
    ],
)
def test_classes_include_those_of_items(shape: Shape, classes: list[str]) -> None:
    assert classes_of(shape, DEFINITIONS) == classes


BOTH = choice((Reference("Round"), ("id",)), (Array(Reference("Square"), 1), ()), exclusive=True)


@pytest.mark.parametrize(
    ("shape", "inner"),
    [
        (Nullable(String()), (String(),)),
        (Array(String(), 2), (String(),)),
        (Dictionary(String()), (String(),)),
        (BOTH, (Reference("Round"), Array(Reference("Square"), 1))),
        (String(1), ()),
        (Reference("Round"), ()),
    ],
)
def test_shapes_inside_a_shape(shape: Shape, inner: tuple[Shape, ...]) -> None:
    assert inner_shapes(shape) == inner
    assert map_inner(shape, lambda each: each) == shape
    assert inner_shapes(map_inner(shape, lambda each: Null())) == (Null(),) * len(inner)


def test_shapes_of_definitions_are_mapped() -> None:
    def nullable(shape: Shape) -> Shape:
        return Nullable(shape)

    unknown = Unknown("UnknownOpen", "KnownOpen", "/a", (PARTS,), None, synthetic=True)
    opened = replace(union("Open", "Round", default=Reference("Square")), unknown=unknown)
    assert map_shapes(NAME, nullable) == alias("Name", Nullable(String()))
    changed = replace(PARTS, shape=Nullable(PARTS.shape))
    assert map_shapes(record("Part", PARTS), nullable) == record("Part", changed)
    assert map_shapes(opened, nullable) == replace(
        opened, default=Nullable(Reference("Square")), unknown=replace(unknown, members=(changed,))
    )
    plain = union("Shape", "Round")
    assert map_shapes(plain, nullable) == plain


def test_references_are_found_in_order() -> None:
    assert list(walk(Nullable(Array(String())))) == [
        *(Nullable(Array(String())), Array(String()), String())
    ]
    assert list(references(Nullable(BOTH))) == ["Round", "Square"]
    assert list(referred_by(alias("Both", BOTH))) == ["Round", "Square"]
    assert list(referred_by(union("Open", "Round", default=Reference("Name")))) == ["Round", "Name"]
    assert list(referred_by(union("Shape", "Square"))) == ["Square"]
    assert list(referred_by(WHOLE)) == ["Shape", "Shape", "Sub"]


def test_only_unions_have_unknown_tags_and_only_unions_and_subtypes_have_known_ones() -> None:
    unknown = Unknown("UnknownOpen", "KnownOpen", "/a", (), None, synthetic=True)
    assert unknown_of(replace(union("Open"), unknown=unknown)) == unknown
    assert unknown_of(union("Shape")) is unknown_of(ROUND) is None
    assert arms_by_tag(union("Shape", "Round", "Square")) == {"round": "Round", "square": "Square"}
    assert arms_by_tag(WHOLE) == {"s": "Sub"}
    assert arms_by_tag(NAME) == arms_by_tag(None) == {}


def test_alternatives_include_nested_unions() -> None:
    nested = choice((BOTH, ()), (String(), ()))
    assert list(alternatives(nested)) == [
        *(Reference("Round"), Array(Reference("Square"), 1), String())
    ]
    assert list(alternatives(String())) == [String()]


def test_only_the_agent_handles_the_handshake() -> None:
    method = Method("initialize", "initialize", "agent", "request", "A", "R")
    others = [replace(method, side="client"), replace(method, wire="session/new")]
    assert handshake([*others, method]) == method
    assert handshake(others) is None


def test_formats_do_not_distinguish_shapes() -> None:
    assert String(format="uri") == String()
    assert Integer(format="odd") == Integer(format="even")
