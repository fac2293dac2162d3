"""Tests of the check that a receiver accepts everything that a sender can send."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import pytest
from acpgen.diff.acceptance import Acceptance, accepts_scalar, accepts_value
from acpgen.ir.model import (
    Alias,
    AnyJson,
    Arm,
    Array,
    Boolean,
    Definition,
    Dictionary,
    Enumeration,
    Fallback,
    Integer,
    Member,
    Null,
    Nullable,
    Number,
    Record,
    Reference,
    Shape,
    String,
    TaggedUnion,
    Unknown,
    UntaggedArm,
    UntaggedUnion,
)

ABSENT = Fallback(absent=True)
# `optional` or `required`.
MakeMember: TypeAlias = Callable[[str, Shape], Member]


def optional(wire: str, shape: Shape) -> Member:
    return Member(wire, wire, shape, required=False, pointer="")


def required(wire: str, shape: Shape) -> Member:
    return Member(wire, wire, shape, required=True, pointer="")


def record(name: str, *members: Member, tag: str | None = None, **subtypes: str) -> Record:
    """Return a record. `subtypes` maps values of the field `tag` to records."""
    arms = tuple(Arm(value, target) for value, target in subtypes.items())
    return Record(name, "", name, None, members, discriminator=tag, subtypes=arms)


def union(
    name: str, *, default: Shape | None = None, unknown: Unknown | None = None, **arms: str
) -> TaggedUnion:
    """Return a union with the tag `kind`. `arms` maps tags to records."""
    made = tuple(Arm(value, target) for value, target in arms.items())
    return TaggedUnion(name, "", name, None, "kind", made, default, unknown)


def unlisted(*members: Member, choice: UntaggedUnion | None = None) -> Unknown:
    return Unknown("Unknown", "Known", "", members, choice, synthetic=False)


def alias(name: str, shape: Shape) -> Alias:
    return Alias(name, "", name, None, shape)


def listed(
    *values: str | int, other: String | Integer | None = None, lenient: bool = False
) -> Enumeration:
    base = String() if isinstance(values[0], str) else Integer()
    return Enumeration(values, base, other, lenient)


def either(*shapes: Shape, exclusive: bool = False, keys: str = "") -> UntaggedUnion:
    """Return an untagged union. Each character of `keys` is the key that identifies a variant."""
    types = {"string": "string", "integer": "integer", "array": "array", "null": "null"}
    arms = [
        UntaggedArm(shape, (types.get(shape.kind, "object"),), (key,) if key.strip() else ())
        for shape, key in zip(shapes, keys.ljust(len(shapes)), strict=True)
    ]
    return UntaggedUnion(tuple(arms), exclusive)


def between(
    sender: tuple[Definition, ...] = (), receiver: tuple[Definition, ...] = (), **names: str
) -> Acceptance:
    return Acceptance(
        {each.name: each for each in sender}, {each.name: each for each in receiver}, names
    )


def accepts(sender: tuple[Definition, ...], receiver: tuple[Definition, ...]) -> bool:
    """Return whether the receiver's first definition accepts the sender's first definition."""
    return between(sender, receiver).accepts(Reference(sender[0].name), Reference(receiver[0].name))


# --- fields and their repairs ----------------------------------------------------------------


NESTED: dict[str, Shape] = {
    "object": Reference("Inner"),
    "object or null": Nullable(Reference("Inner")),
    "list": Array(Reference("Inner")),
    "map": Dictionary(Reference("Inner")),
    "alias": Reference("Alias"),
    "tagged union": Reference("Union"),
    "untagged union": UntaggedUnion((UntaggedArm(Reference("Inner"), ("object",), ()),), False),
}


@pytest.mark.parametrize("nested", NESTED)
@pytest.mark.parametrize("make", [optional, required])
@pytest.mark.parametrize("repair", ["on_null", "on_error"])
def test_null_is_repaired_inside_nested_records(nested: str, make: MakeMember, repair: str) -> None:
    outer = record("Outer", required("o", NESTED[nested]))
    rest = (union("Union", a="Inner"), alias("Alias", Nullable(Reference("Inner"))))
    sender = (outer, record("Inner", make("x", Nullable(String()))), *rest)
    strict = make("x", String())
    assert not accepts(sender, (outer, record("Inner", strict), *rest))
    repairing = replace(strict, **{repair: ABSENT})
    assert accepts(sender, (outer, record("Inner", repairing), *rest))


@pytest.mark.parametrize("nested", NESTED)
def test_a_repair_of_null_repairs_nothing_else(nested: str) -> None:
    outer = record("Outer", required("o", NESTED[nested]))
    rest = (union("Union", a="Inner"), alias("Alias", Nullable(Reference("Inner"))))
    sender = (outer, record("Inner", optional("x", Nullable(Integer()))), *rest)
    strict = optional("x", String())
    on_null = (outer, record("Inner", replace(strict, on_null=ABSENT)), *rest)
    on_error = (outer, record("Inner", replace(strict, on_error=ABSENT)), *rest)
    assert not accepts(sender, on_null)
    assert accepts(sender, on_error)


def test_skipping_invalid_items_does_not_repair_null() -> None:
    sent = optional("x", Nullable(Array(Integer())))
    skipping = replace(optional("x", Array(String())), skip_invalid=True)
    assert not between().accepts_member(sent, skipping)
    assert between().accepts_member(sent, replace(skipping, on_null=ABSENT))
    assert between().accepts_member(sent, replace(skipping, shape=Nullable(skipping.shape)))
    assert between().accepts_member(replace(sent, shape=Array(Integer())), skipping)


@pytest.mark.parametrize(
    ("sent", "expected", "repaired"),
    [
        (Array(Integer()), Array(String()), True),
        (Array(Integer()), Array(String(), 0), True),
        (Array(Integer()), Array(String(), 1), False),
        (Array(Integer(), 3), Array(String(), 1), False),
        (Dictionary(Integer()), Dictionary(String()), True),
        (Array(Integer()), Dictionary(String()), False),
        (Dictionary(Integer()), Array(String()), False),
        (Integer(), Array(String()), False),
        (Reference("Integers"), Nullable(Reference("Strings")), True),
    ],
)
def test_invalid_items_are_skipped_only_where_there_are_items(
    sent: Shape, expected: Shape, repaired: bool
) -> None:
    sides = between((alias("Integers", Array(Integer())),), (alias("Strings", Array(String())),))
    skipping = replace(optional("x", expected), skip_invalid=True)
    assert sides.repairs(sent, skipping) == repaired
    assert not sides.repairs(sent, replace(skipping, skip_invalid=False))
    assert sides.repairs(sent, replace(skipping, skip_invalid=False, on_error=ABSENT))


# --- references ------------------------------------------------------------------------------


def test_definitions_that_match_are_accepted_where_they_are_referred_to() -> None:
    sender, receiver = record("Old", optional("x", Integer())), record("New", required("y", Null()))
    sides = between((sender,), (receiver,), Old="New")
    assert sides.accepts(Reference("Old"), Reference("New"))
    assert sides.accepts(Array(Reference("Old")), Array(Nullable(Reference("New"))))
    assert not sides.accepts_definition(sender, receiver)
    assert not replace(sides, names={"Old": "Other"}).accepts(Reference("Old"), Reference("New"))


def tree(name: str, leaf: Shape, node: Shape | None = None) -> Record:
    """Return a recursive record. `node` is the shape of the items, by default the record itself."""
    items = Array(node or Reference(name))
    return record(name, optional("items", items), optional("leaf", leaf))


def test_definitions_that_refer_to_themselves() -> None:
    assert accepts((tree("A", String()),), (tree("B", String()),))
    assert not accepts((tree("A", Integer()),), (tree("B", String()),))
    # While recursive definitions are compared, they are assumed to match. If they don't match, the
    # assumption must be dropped.
    sides = between((tree("A", Integer()),), (tree("B", String()),))
    assert not sides.accepts(Array(Reference("A")), Array(Reference("B")))
    assert sides.assumed == frozenset()


@pytest.mark.parametrize("names", [{}, {"A": "B"}], ids=["apart", "matched"])
@pytest.mark.parametrize(
    "node",
    [Nullable(Reference("B")), either(Reference("B"), String()), Reference("Alias")],
    ids=lambda node: node.kind,
)
def test_definitions_that_refer_to_themselves_in_another_shape(
    node: Shape, names: dict[str, str]
) -> None:
    rest = (alias("Alias", Nullable(Reference("B"))),)
    sender, receiver = tree("A", String()), tree("B", String(), node)
    sides = between((sender,), (receiver, *rest), **names)
    assert sides.accepts_definition(sender, receiver)
    assert sides.accepts(Array(Reference("A")), Array(node))
    different = tree("B", Integer(), node)
    assert not between((sender,), (different, *rest), **names).accepts_definition(sender, different)


def test_aliases_are_followed_on_both_sides() -> None:
    sides = between((alias("Id", String(2)),), (alias("Id", Nullable(String(1))),))
    assert sides.accepts(Reference("Id"), String(1))
    assert not sides.accepts(Reference("Id"), String(3))
    assert sides.accepts(String(1), Reference("Id"))
    assert sides.accepts(Null(), Reference("Id"))
    assert not sides.accepts(String(), Reference("Id"))
    assert sides.accepts(Reference("Id"), Reference("Id"))
    assert not sides.accepts(String(), Reference("Missing"))


def test_an_alias_as_a_definition() -> None:
    sender, receiver = alias("A", String()), alias("A", Integer())
    sides = between((sender,), (receiver, record("R")), A="A")
    assert sides.accepts(Reference("A"), Reference("A"))
    assert not sides.accepts_definition(sender, receiver)
    assert not sides.accepts_definition(sender, record("R"))
    assert between((sender,), (sender,)).accepts_definition(sender, sender)


# --- shapes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "expected", "fits"),
    [
        (Reference("Empty"), AnyJson(), True),
        (Nullable(Array(String())), AnyJson(), True),
        (String(), AnyJson(), True),
        (AnyJson(), String(), False),
        (Reference("Empty"), Dictionary(AnyJson()), True),
        (Reference("Empty"), Dictionary(String()), False),
        (Reference("Empty"), Nullable(Reference("Empty")), True),
        (Reference("Empty"), Reference("Objects"), True),
        (Reference("Empty"), Reference("Texts"), False),
        (Reference("Empty"), String(), False),
        (Reference("Empty"), Reference("Missing"), False),
        (Reference("Empty"), either(String(), Reference("Empty")), True),
        (Reference("Empty"), either(String(), Integer()), False),
        (Nullable(String()), String(), False),
        (Nullable(String()), Nullable(String()), True),
        (String(), Nullable(String()), True),
        (Null(), String(), False),
        (Null(), Nullable(String()), True),
        (Array(String(), 2), Array(String(), 1), True),
        (Array(String(), 1), Array(String(), 2), False),
        (Array(String()), Array(String(), 1), False),
        (Array(String(), 1), Array(String()), True),
        (Array(Integer()), Array(String()), False),
        (Dictionary(Integer()), Dictionary(Number()), True),
        (Dictionary(Number()), Dictionary(Integer()), False),
        (Array(String()), Dictionary(String()), False),
        (either(String(), Integer()), either(Integer(), String()), True),
        (either(String(), Integer()), String(), False),
        (either(String(), Null()), Nullable(String()), True),
        (String(), either(Integer(), String()), True),
        (Boolean(), either(Integer(), String()), False),
        (Dictionary(String()), either(Reference("Empty"), Dictionary(String())), True),
        (
            Dictionary(String()),
            either(Reference("Empty"), Dictionary(String()), exclusive=True),
            False,
        ),
    ],
)
def test_shapes(sent: Shape, expected: Shape, fits: bool) -> None:
    empty = record("Empty")
    sides = between(
        (empty,),
        (empty, alias("Objects", Dictionary(AnyJson())), alias("Texts", Dictionary(String()))),
    )
    assert sides.accepts(sent, expected) == fits
    assert sides.accepts_member(optional("x", sent), optional("x", expected)) == fits


ONE = record("One", required("a", String()))
TWO = record("Two", required("b", String()))
BOTH = record("Both", required("a", String()), required("b", String()))


@pytest.mark.parametrize(
    ("sent", "fits"),
    [
        (either(Reference("One"), Reference("Two"), keys="ab", exclusive=True), True),
        # The alternatives have the same JSON type but aren't exclusive.
        (either(Reference("One"), Reference("Two"), keys="ab"), False),
        (either(Reference("One")), True),
        (either(Reference("One"), String()), True),
        (either(Reference("Both")), False),
        # The sender's union is also exclusive, so values with both keys are never sent.
        (either(Reference("Both"), Reference("Two"), keys="ab", exclusive=True), True),
        (either(Reference("Both"), keys="a", exclusive=True), False),
        (either(Integer(), exclusive=True), False),
    ],
)
def test_a_value_that_names_several_arms_of_an_exclusive_union(
    sent: UntaggedUnion, fits: bool
) -> None:
    expected = either(Reference("One"), Reference("Two"), String(), keys="ab ", exclusive=True)
    sides = between((ONE, TWO, BOTH), (ONE, TWO))
    assert sides.accepts(sent, expected) == fits
    is_object = sent.arms[0].types == ("object",)
    assert sides.accepts(sent, replace(expected, exclusive=False)) == is_object


# --- tags ------------------------------------------------------------------------------------


A = record("A", required("a", String()))
B = record("B", required("b", String()))
LISTED = union("Union", a="A")


@pytest.mark.parametrize(
    ("expected", "fits"),
    [
        (union("Union", a="A", b="B"), True),
        (union("Union", a="A", b="B", c="B"), True),
        (union("Union", b="A", a="B"), False),
        (union("Union", a="A"), False),
        (union("Union", a="A", default=Reference("B")), True),
        (union("Union", b="B", default=Reference("B")), False),
        (union("Union", a="A", unknown=unlisted()), True),
        (union("Union", a="A", unknown=unlisted(required("b", String()))), True),
        (union("Union", a="A", unknown=unlisted(required("a", String()))), False),
        (union("Union", a="A", unknown=unlisted(choice=either(Reference("B")))), True),
        (union("Union", a="A", unknown=unlisted(choice=either(Reference("A")))), False),
        # An unknown tag selects the class for unknown tags, even if the union has a default.
        (
            union("Union", a="A", unknown=unlisted(required("x", Null())), default=Reference("B")),
            False,
        ),
    ],
)
def test_arms_of_a_union(expected: TaggedUnion, fits: bool) -> None:
    sender = (union("Union", a="A", b="B"), A, B)
    assert accepts(sender, (expected, A, B)) == fits


@pytest.mark.parametrize(
    ("expected", "fits"),
    [
        (union("Union", a="A", unknown=unlisted()), True),
        (union("Union", a="A", b="B", unknown=unlisted()), False),
        (union("Union", a="A", b="A", unknown=unlisted(required("b", Null()))), False),
        (union("Union", a="A", default=Reference("B")), False),
        (union("Union", a="A", default=Reference("Empty")), True),
        (union("Union", a="A"), False),
    ],
)
def test_unlisted_tags_of_a_union(expected: TaggedUnion, fits: bool) -> None:
    sender = (union("Union", a="A", unknown=unlisted()), A)
    receiver = (expected, A, B, record("Empty"))
    assert accepts(sender, receiver) == fits
    assert between(sender, receiver).accepts_unlisted(sender[0], expected) == fits


def test_unlisted_tags_hold_one_of_the_alternatives() -> None:
    choice = either(Reference("A"), Reference("B"), keys="ab", exclusive=True)
    sent = union("Union", a="A", unknown=unlisted(optional("c", String()), choice=choice))
    sender = (sent, A, B)
    closed = union("Union", a="A", default=Reference("A"))
    assert not accepts(sender, (closed, A, B))
    assert not between(sender, (closed, A, B)).accepts_unlisted(sent, closed)
    assert accepts(sender, (replace(closed, default=Reference("C")), A, record("C")))
    number = record("C", optional("a", Integer()))
    assert not accepts(sender, (replace(closed, default=Reference("C")), A, number))
    both = record("C", required("c", String()))
    assert not accepts(sender, (replace(closed, default=Reference("C")), A, both))
    every = record("C", *(optional(wire, String()) for wire in "abc"))
    assert accepts(sender, (replace(closed, default=Reference("C")), A, every))


def test_a_class_that_the_schema_does_not_state_sends_nothing() -> None:
    synthetic = replace(unlisted(), synthetic=True)
    assert accepts((union("Union", a="A", unknown=synthetic), A), (LISTED, A))


@pytest.mark.parametrize(
    ("default", "expected", "fits"),
    [
        (Reference("B"), Reference("B"), True),
        (Reference("B"), Reference("A"), False),
        (Reference("B"), None, False),
        (Reference("B"), Dictionary(AnyJson()), True),
        (Dictionary(AnyJson()), Reference("B"), False),
        (None, Reference("B"), True),
        (either(Reference("A"), Reference("B")), either(Reference("A"), Reference("B")), True),
        (either(Reference("A"), Reference("B")), Reference("B"), False),
        (either(Reference("B")), Reference("B"), True),
    ],
)
def test_objects_without_a_tag(default: Shape | None, expected: Shape | None, fits: bool) -> None:
    sender = (union("Union", a="A", default=default), A, B)
    assert accepts(sender, (union("Union", a="A", default=expected), A, B)) == fits


def kinds(*values: str) -> Member:
    return required("kind", listed(*values))


@pytest.mark.parametrize(
    ("kind", "fits"),
    [
        (kinds("a"), True),
        (kinds("a", "b"), False),
        (kinds("b"), False),
        (optional("kind", listed("a")), False),
        (required("kind", String()), False),
        (required("kind", listed("a", other=String())), False),
        (None, False),
    ],
)
def test_a_record_whose_member_is_the_tag_of_a_union(kind: Member | None, fits: bool) -> None:
    sender = record("R", required("a", String()), *([kind] if kind else []))
    assert accepts((sender,), (LISTED, A)) == fits


def test_an_optional_tag_needs_an_arm_without_a_tag() -> None:
    sender = record("R", required("a", String()), optional("kind", listed("a")))
    assert accepts((sender,), (union("Union", a="A", default=Reference("A")), A))
    assert not accepts((sender,), (union("Union", a="A", default=Reference("B")), A, B))
    unknown = record("R", required("a", String()), optional("kind", String()))
    for default in (None, Reference("A")):
        receiver = union("Union", a="A", default=default, unknown=unlisted())
        assert accepts((unknown,), (receiver, A)) == (default is not None)


@pytest.mark.parametrize(
    ("kind", "fits"),
    [
        (required("kind", listed("a")), False),
        (required("kind", listed("a", "b", "c")), True),
        (required("kind", listed("a", "c")), False),
        (required("kind", String()), True),
        (required("kind", String(2)), False),
        (required("kind", listed("x", other=String())), True),
        (required("kind", listed("x", lenient=True)), True),
        (replace(required("kind", listed("x")), on_error=ABSENT), True),
        (replace(required("kind", listed("x")), on_null=ABSENT), False),
        (required("kind", Nullable(listed("a", "b"))), True),
        (required("kind", Boolean()), False),
        (required("other", String()), False),
    ],
)
def test_a_union_whose_tag_is_the_member_of_a_record(kind: Member, fits: bool) -> None:
    sender = (union("Union", a="Empty", b="Empty"), record("Empty"))
    assert accepts(sender, (record("R", kind),)) == fits


def test_a_tag_that_may_be_anything_needs_a_member_for_anything() -> None:
    sender = (union("Union", a="Empty", unknown=unlisted()), record("Empty"))
    assert accepts(sender, (record("R", required("kind", String())),))
    assert accepts(sender, (record("R", required("kind", listed("a", other=String()))),))
    assert not accepts(sender, (record("R", required("kind", listed("a"))),))


def test_a_tag_that_may_be_absent_cannot_be_required() -> None:
    sender = (union("Union", a="Empty", default=Reference("Empty")), record("Empty"))
    assert not accepts(sender, (record("R", required("kind", String())),))
    assert accepts(sender, (record("R", optional("kind", String())),))


# --- subtypes --------------------------------------------------------------------------------

KIND = required("kind", String())
SPECIAL = record("Special", KIND, required("s", String()))
BASE = (record("R", KIND, tag="kind", s="Special"), SPECIAL)
CLOSED = (record("R", kinds("p", "q", "s"), tag="kind", s="Special"), SPECIAL)
STRICT = (record("R", KIND, required("x", Null()), tag="kind", s="Special"), SPECIAL)
OPEN = (union("Union", s="Special", unknown=unlisted()), SPECIAL)


@pytest.mark.parametrize(
    ("sender", "receiver", "fits"),
    [
        # For other tags, the values are plain records.
        ((record("R", KIND),), BASE, False),
        ((record("R", kinds("a", "b")),), BASE, True),
        ((record("R", kinds("s")),), BASE, False),
        (BASE, BASE, True),
        (BASE, (record("R", KIND),), True),
        (BASE, (record("R", KIND, required("s", String())),), False),
        (CLOSED, (record("R", kinds("p", "s")),), False),
        (CLOSED, (record("R", kinds("p", "q", "s")),), True),
        # The set of tags is closed, so plain records can have only the tags without a subtype.
        (CLOSED, (union("U", p="Plain", q="Plain", s="Special"), record("Plain"), SPECIAL), True),
        (CLOSED, (union("Union", p="Special", s="Special"), SPECIAL), False),
        ((record("R", kinds("p")),), STRICT, False),
        # Every tag selects a subtype, so the plain record doesn't matter.
        ((record("R", kinds("s"), required("s", String())),), STRICT, True),
        ((record("R", optional("kind", listed("s")), required("s", String())),), STRICT, False),
        # The set of tags is open, so every tag without a subtype is unknown.
        (BASE, OPEN, True),
        ((record("R", KIND),), OPEN, False),
    ],
)
def test_subtypes(
    sender: tuple[Definition, ...], receiver: tuple[Definition, ...], fits: bool
) -> None:
    assert accepts(sender, receiver) == fits


@pytest.mark.parametrize(
    ("sent", "value", "fits"),
    [
        (record("R", required("a", String())), "a", True),
        (record("R", required("a", String())), "b", False),
        # The record declares a different tag, so it is never sent with this tag.
        (record("R", kinds("x")), "a", True),
        (record("R", kinds("a")), "a", False),
        (record("R", kinds("a"), required("a", String())), "a", True),
    ],
)
def test_the_objects_of_an_arm(sent: Record, value: str, fits: bool) -> None:
    sides = between((sent,), (LISTED, A))
    assert sides.accepts_arm("R", "kind", value, LISTED) == fits


def test_the_objects_of_an_arm_that_is_a_union() -> None:
    nested = (union("Nested", a="A", b="B"), A, B)
    sides = between(nested, (LISTED, A, B))
    assert sides.accepts_arm("Nested", "kind", "a", LISTED)
    assert not sides.accepts_arm("Nested", "kind", "b", LISTED)
    # If the outer tag is a different field, both variants of the nested union can be sent.
    outer = replace(union("Outer", n="A"), tag="outer")
    sides = between(nested, (outer, A))
    assert not sides.accepts_arm("Nested", "outer", "n", outer)


# --- scalars ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "expected", "fits"),
    [
        (Null(), Boolean(), False),
        (String(2), String(1), True),
        (String(), String(1), False),
        (String(None, "a"), String(None, "a"), True),
        (String(None, "a"), String(None, "b"), False),
        (Integer(), Number(), True),
        (Number(), Integer(), False),
        (Integer(0, 5), Integer(0, 5), True),
        (Integer(1, 4), Integer(0, 5), True),
        (Integer(-1, 4), Integer(0, 5), False),
        (Integer(1, 6), Integer(0, 5), False),
        (Integer(), Integer(0, None), False),
        (Integer(), Integer(None, 5), False),
        (Integer(0, 5), Integer(), True),
        (listed("a", "b"), listed("a"), False),
        (listed("a", "b"), listed("a", lenient=True), True),
        (listed("a", "b"), listed("a", other=String()), True),
        (listed("a", "bb"), listed("a", other=String(2)), True),
        (listed("a", "b"), listed("a", other=String(2)), False),
        (listed("a", other=String()), listed("a"), False),
        (listed("a", other=String()), String(), True),
        (listed("a", other=String(2)), String(2), False),
        (listed("a"), String(), True),
        (listed("a"), String(2), False),
        (listed("ab"), String(2), True),
        (listed("a"), String(None, "^b"), False),
        (listed("ba", "bb"), String(None, "^b"), True),
        (listed(1), Integer(1, 2), True),
        (listed(3), Integer(1, 2), False),
        (listed(1), Number(), True),
        (listed(1, 2), listed(1, lenient=True), False),
        (String(), listed("a"), False),
        (String(), listed("a", lenient=True), True),
        (String(), listed(1, lenient=True), False),
        (listed("a"), listed(1, lenient=True), False),
        (listed(1), listed("a", lenient=True), False),
        (Integer(), listed(1, lenient=True), False),
        (Integer(), listed("a", lenient=True), False),
        (String(), listed("a", other=String()), True),
        (String(), listed("a", other=String(1)), False),
        (Integer(), listed(1, other=Integer()), True),
        (Number(), listed(1, other=Integer()), False),
    ],
)
def test_scalars(sent: Shape, expected: Shape, fits: bool) -> None:
    assert accepts_scalar(sent, expected) == fits
    assert between().accepts(sent, expected) == fits


def test_a_constant_as_a_value() -> None:
    assert accepts_value(AnyJson(), "a")
    assert not accepts_value(Boolean(), "a")
    assert not accepts_value(Integer(), "1")
    assert not accepts_value(String(), 1)


def test_an_alternative_may_have_the_tag_of_another_one_as_an_unknown_member() -> None:
    """The object is valid if variants are tried in turn, but not if the tag selects a variant."""
    tagged, plain = Reference("Tagged"), Reference("B")
    sender = (alias("Either", either(tagged, plain)), record("Tagged", kinds("a")), B)
    receiver = (union("Union", a="Tagged", default=plain), record("Tagged"), B)
    acceptance = between(sender, receiver, Tagged="Tagged", B="B")
    expected = Reference("Union")
    assert not acceptance.accepts(Reference("Either"), expected)
    assert acceptance.accepts(tagged, expected)
    assert acceptance.accepts(plain, expected)
