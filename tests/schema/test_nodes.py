"""What nodes say about schemas."""

from __future__ import annotations

from typing import Any, TypeAlias

import pytest
from acpgen.analysis.types import scalars
from acpgen.analysis.types.enumerations import find_alternatives
from acpgen.ir.model import Integer, Number, String
from acpgen.schema.keywords import restrict_to_type
from acpgen.schema.nodes import JSON_TYPES, Choice, Definitions, Node
from acpgen.schema.tags import excluded_tags, find_tag

Schema: TypeAlias = dict[str, Any]

STRING: Schema = {"type": "string"}
NULL: Schema = {"type": "null"}
ANY = set(JSON_TYPES)


def ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def record(*required: str, **properties: Any) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required)}


def const(value: Any) -> Schema:
    return {"type": "string", "const": value}


def arm(**tags: str) -> Schema:
    """An object that requires members, each a constant."""
    return record(*tags, **{name: const(value) for name, value in tags.items()})


DEFINITIONS: Schema = {
    "Name": STRING,
    "Alias": ref("Name"),
    "Point": record("x", x={"type": "integer"}),
    "Points": {"type": "array", "items": ref("Point")},
    "Map": {"type": "object", "additionalProperties": STRING},
}


def node(schema: Any) -> Node:
    return Node(schema, "/at", Definitions(DEFINITIONS))


def choice(schemas: Any, **more: Any) -> Choice:
    [union] = node({"anyOf": list(schemas), **more}).choices
    return union


# --- what a schema allows --------------------------------------------------------------------


def test_annotations_and_vendor_keywords_are_left_out() -> None:
    schema = {"title": "T", "description": "d", "default": 1, "x-side": "agent", "minimum": 1}
    assert node(schema).assertions == {"minimum": 1}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [(True, True), ({}, True), ({"description": "d", "x-new": 1}, True), (STRING, False)],
)
def test_accepts_anything(schema: Any, expected: bool) -> None:
    assert node(schema).accepts_anything is expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (NULL, True),
        ({**NULL, "description": "nothing"}, True),
        ({"type": ["null", "string"]}, False),
        ({"const": None}, False),
    ],
)
def test_is_null(schema: Schema, expected: bool) -> None:
    assert node(schema).is_null is expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (True, ANY),
        ({"description": "d"}, ANY),
        (STRING, {"string"}),
        ({"type": ["string", "null"]}, {"string", "null"}),
        ({"const": True}, {"boolean"}),
        ({"enum": [1, 1.5, None, [], {}]}, {"integer", "number", "null", "array", "object"}),
        ({"properties": {}}, {"object"}),
        (ref("Alias"), {"string"}),
        ({"anyOf": [STRING, NULL]}, {"string", "null"}),
        ({"oneOf": [STRING, ref("Points")]}, {"string", "array"}),
        ({"allOf": [{"type": ["string", "null"]}, {"type": ["null", "array"]}]}, {"null"}),
        ({"type": ["string", "object"], "anyOf": [STRING, NULL]}, {"string"}),
    ],
)
def test_json_types(schema: Any, expected: set[str]) -> None:
    assert node(schema).types == expected


@pytest.mark.parametrize(
    ("schema", "is_object", "is_map"),
    [
        (record(), True, False),
        (ref("Point"), True, False),
        ({"type": "object"}, True, False),
        ({"type": "object", "additionalProperties": STRING}, False, True),
        ({"type": "object", "additionalProperties": STRING, "properties": {}}, True, False),
        ({"type": ["object", "null"], "properties": {}}, False, False),
        (STRING, False, False),
    ],
)
def test_objects_and_maps(schema: Schema, is_object: bool, is_map: bool) -> None:
    assert node(schema).is_object is is_object
    assert node(schema).is_map is is_map


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (ref("Point"), "Point"),
        ({**ref("Point"), "description": "d"}, "Point"),
        ({"allOf": [ref("Point")]}, "Point"),
        ({"type": "object", "allOf": [{"allOf": [ref("Point")]}]}, "Point"),
        ({**ref("Point"), "required": ["y"]}, None),
        ({"allOf": [ref("Point"), ref("Map")]}, None),
        ({"allOf": [ref("Point")], "required": ["y"]}, None),
        (STRING, None),
        ({}, None),
    ],
)
def test_the_target_of_a_reference(schema: Schema, expected: str | None) -> None:
    target = node(schema).target
    assert (target and target.name) == expected


def test_choices() -> None:
    schema = {"anyOf": [STRING, False, NULL], "oneOf": [NULL]}
    one, other = node(schema).choices
    assert (one.at, one.exclusive) == ("/at/anyOf", False)
    assert [(arm.at, arm.stated) for arm in one.arms] == [
        ("/at/anyOf/0", STRING),
        ("/at/anyOf/2", NULL),
    ]
    assert (other.at, other.exclusive) == ("/at/oneOf", True)
    assert node(STRING).choices == ()


@pytest.mark.parametrize(
    ("removed", "exclusive"),
    [
        ("/at/oneOf/1", False),
        ("/at/oneOf/0/items/maxItems", False),
        ("/$defs/Point/properties/x", False),
        ("/$defs/Name", True),
        ("/at/oneOf/10", True),
    ],
)
def test_a_choice_without_a_part_of_an_arm_is_not_exclusive(removed: str, exclusive: bool) -> None:
    arms = [{"type": "array", "items": ref("Points")}, STRING]
    definitions = Definitions(DEFINITIONS, [removed])
    [union] = Node({"oneOf": arms}, "/at", definitions).choices
    assert union.exclusive is exclusive


def test_restrict_to_type() -> None:
    schema = {
        "type": ["string", "object", "integer"],
        "description": "d",
        "minLength": 1,
        "minimum": 2,
        "format": "uint8",
        "required": ["a"],
    }
    both = {"description": "d"}
    assert restrict_to_type(schema, "string") == {
        **both,
        "type": "string",
        "minLength": 1,
        "format": "uint8",
    }
    assert restrict_to_type(schema, "object") == {
        **both,
        "type": "object",
        "required": ["a"],
    }
    assert restrict_to_type(schema, "null") == {**both, "type": "null"}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"format": "uint8"}, Integer(0, 255)),
        ({"format": "uint8", "minimum": 5, "maximum": 900}, Integer(5, 255)),
        ({"format": "int8", "minimum": -900}, Integer(-128, 127)),
        ({"minimum": 0}, Integer(0, None)),
        ({}, Integer(None, None)),
    ],
)
def test_integer_shape(schema: Schema, expected: Integer) -> None:
    assert scalars.integer(node(schema)) == expected


def test_string_and_number_shapes() -> None:
    assert scalars.string(node({"minLength": 2, "pattern": "^a"})) == String(2, "^a")
    assert scalars.string(node({"minLength": 0})) == String(None, None)
    assert scalars.number(node({"minimum": 0, "format": "double"})) == Number(0, None)


# --- members that an object requires ----------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (record("b", "a", a=STRING), ("b", "a")),
        (ref("Point"), ("x",)),
        ({"allOf": [ref("Point"), record("y", "x")], "required": ["z"]}, ("x", "y", "z")),
        (ref("Points"), ("x",)),
        ({"type": "array", "items": record("a")}, ("a",)),
        # What cannot be told apart by members has no keys.
        ({"type": "array", "items": STRING}, ()),
        ({"type": "array", "items": ref("Map")}, ()),
        ({"type": ["object", "null"], "required": ["a"]}, ()),
        (STRING, ()),
        (True, ()),
    ],
)
def test_required_keys(schema: Any, expected: tuple[str, ...]) -> None:
    assert node(schema).required_keys == expected


# --- enumerations ----------------------------------------------------------------------------


def test_an_enumeration_is_split_into_constants_and_the_rest() -> None:
    rest = {"type": "string", "pattern": "^_"}
    one, other, two = choice([const("a"), rest, const("b")]).arms
    assert find_alternatives([one, other, two]) == ((one, two), other)
    enum, string = choice([{"enum": ["a", "b"]}, STRING]).arms
    alternatives = find_alternatives([enum, string])
    assert alternatives == ((enum,), string)
    assert alternatives.values == ("a", "b")
    numbers = choice([{"type": "integer", "const": value} for value in (1, 2)]).arms
    assert find_alternatives(numbers) == (numbers, None)


@pytest.mark.parametrize(
    "schemas",
    [
        (STRING,),
        (const("a"), {"type": "integer", "const": 1}),
        (const("a"), {"type": "integer"}),
        (const("a"), STRING, STRING),
        (const("a"), {"type": ["string", "null"], "enum": ["b", None]}),
        ({"const": 1.5},),
        ({"const": True},),
    ],
)
def test_what_is_not_an_enumeration(schemas: tuple[Schema, ...]) -> None:
    assert find_alternatives(choice(schemas).arms) is None


# --- tags ------------------------------------------------------------------------------------


def test_tag_candidates_are_required_constants() -> None:
    schema = record(
        "kind",
        "one",
        "two",
        "number",
        kind=const("a"),
        one={"enum": ["b"]},
        two={"enum": ["b", "c"]},
    )
    schema["properties"] |= {"number": {"const": 1}, "optional": const("d"), "any": True}
    assert node(schema).tags == {"kind": "a", "one": "b"}


@pytest.mark.parametrize(
    ("more", "schemas", "expected"),
    [
        ({}, [arm(t="a"), arm(t="b")], "t"),
        # Arms without a constant, such as one for other tags, do not count.
        ({}, [arm(t="a"), record("x", x=STRING), ref("Point")], "t"),
        ({}, [arm(t="a", u="x"), arm(t="b")], "t"),
        ({"discriminator": {"propertyName": "u"}}, [arm(t="a", u="x"), arm(t="b", u="y")], "u"),
        ({}, [record("x", x=STRING), STRING], None),
        ({}, [], None),
        # What is no tag.
        ({}, [arm(t="a"), arm(u="b")], None),
        ({}, [arm(t="a", u="a"), arm(t="b", u="b")], None),
        ({}, [arm(t="a"), arm(t="a")], None),
        ({"discriminator": {"propertyName": "z"}}, [arm(t="a")], None),
        ({"discriminator": {"propertyName": "t"}}, [ref("Point")], None),
        ({}, [arm(t="a"), arm(t="b"), {**record("t", t=STRING), "not": arm(t="a")}], None),
    ],
)
def test_find_tag(more: Schema, schemas: list[Schema], expected: str | None) -> None:
    assert find_tag(choice(schemas, **more)) == expected


def other(excluded: Any, tag: Any = STRING) -> Schema:
    """The arm for other tags: its tag is any string but those excluded."""
    return {**record("t", t=tag), "not": excluded}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (other({"anyOf": [arm(t="a"), arm(t="b")]}), {"a", "b"}),
        (other(arm(t="a")), {"a"}),
        (other(arm(t="a"), {**STRING, "description": "any other"}), {"a"}),
        (other({"anyOf": []}), set()),
        # Arms that mean something else.
        (record("t", t=STRING), None),
        (other(True), None),
        (other(arm(u="a")), None),
        (other(arm(t="a", u="b")), None),
        (other({"anyOf": [arm(t="a"), STRING]}), None),
        (other({"anyOf": [True]}), None),
        (other(arm(t="a"), {**STRING, "pattern": "^_"}), None),
        (other(arm(t="a"), True), None),
        ({"not": arm(t="a")}, None),
    ],
)
def test_excluded_tags(schema: Schema, expected: set[str] | None) -> None:
    assert excluded_tags(node(schema), "t") == expected


# --- cycles ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("definitions", "expected"),
    [
        ({"A": ref("A")}, ["A"]),
        ({"A": ref("B"), "B": ref("C"), "C": ref("A"), "D": ref("A")}, ["A"]),
        ({"A": {"anyOf": [STRING, ref("A")]}}, ["A"]),
        ({"A": {"oneOf": [{"allOf": [ref("A")]}]}}, ["A"]),
        ({"A": {"type": "array", "items": ref("A")}}, ["A"]),
        ({"A": {"type": "object", "additionalProperties": ref("A")}}, ["A"]),
        # A member ends a cycle: a value of the record need not have it, or has a smaller one.
        ({"A": record(a=ref("A"))}, []),
        ({"A": record(a=ref("B")), "B": ref("A")}, []),
        ({"A": True, "B": ref("A")}, []),
    ],
)
def test_cyclic(definitions: Schema, expected: list[str]) -> None:
    assert [node.name for node in Definitions(definitions).cyclic()] == expected
