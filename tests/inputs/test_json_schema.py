"""Questions about raw schemas."""

from __future__ import annotations

from typing import Any, TypeAlias

import pytest
from acpgen.inputs import json_schema
from acpgen.inputs.json_schema import JSON_TYPES, TagError
from acpgen.ir.model import Integer, Number, String

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


def arms(*schemas: Schema) -> json_schema.Arms:
    return [(f"/anyOf/{index}", schema) for index, schema in enumerate(schemas)]


DEFINITIONS: Schema = {
    "Name": STRING,
    "Alias": ref("Name"),
    "Point": record("x", x={"type": "integer"}),
    "Points": {"type": "array", "items": ref("Point")},
    "Self": {"anyOf": [ref("Self"), STRING]},
    "Map": {"type": "object", "additionalProperties": STRING},
}


# --- what a schema allows --------------------------------------------------------------------


def test_annotations_and_vendor_keywords_are_left_out() -> None:
    schema = {"title": "T", "description": "d", "default": 1, "x-side": "agent", "minimum": 1}
    assert json_schema.without_annotations(schema) == {"minimum": 1}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [(True, True), ({}, True), ({"description": "d", "x-new": 1}, True), (STRING, False)],
)
def test_accepts_anything(schema: Any, expected: bool) -> None:
    assert json_schema.accepts_anything(schema) is expected


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
    assert json_schema.is_null(schema) is expected


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
        (ref("Self"), {"string"} | ANY),
        ({"anyOf": [STRING, NULL]}, {"string", "null"}),
        ({"oneOf": [STRING, ref("Points")]}, {"string", "array"}),
        ({"allOf": [{"type": ["string", "null"]}, {"type": ["null", "array"]}]}, {"null"}),
        ({"type": ["string", "object"], "anyOf": [STRING, NULL]}, {"string"}),
    ],
)
def test_json_types(schema: Any, expected: set[str]) -> None:
    assert json_schema.json_types(schema, DEFINITIONS) == expected


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
    assert json_schema.is_object(schema, DEFINITIONS) is is_object
    assert json_schema.is_map(schema) is is_map


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
def test_ref_target(schema: Schema, expected: str | None) -> None:
    assert json_schema.ref_target(schema) == expected


def test_choices() -> None:
    schema = {"anyOf": [STRING, False, NULL], "oneOf": [NULL]}
    one, other = json_schema.choices(schema, "/at")
    assert one == ("/at/anyOf", [("/at/anyOf/0", STRING), ("/at/anyOf/2", NULL)], False, schema)
    assert other == ("/at/oneOf", [("/at/oneOf/0", NULL)], True, schema)
    assert json_schema.choices(STRING, "/at") == ()


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
    assert json_schema.restrict_to_type(schema, "string") == {
        **both,
        "type": "string",
        "minLength": 1,
        "format": "uint8",
    }
    assert json_schema.restrict_to_type(schema, "object") == {
        **both,
        "type": "object",
        "required": ["a"],
    }
    assert json_schema.restrict_to_type(schema, "null") == {**both, "type": "null"}


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
    assert json_schema.integer_shape(schema) == expected


def test_string_and_number_shapes() -> None:
    assert json_schema.string_shape({"minLength": 2, "pattern": "^a"}) == String(2, "^a")
    assert json_schema.string_shape({"minLength": 0}) == String(None, None)
    assert json_schema.number_shape({"minimum": 0, "format": "double"}) == Number(0, None)


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
    assert json_schema.required_keys(schema, DEFINITIONS) == expected


def test_required_keys_of_a_definition_that_contains_itself() -> None:
    definitions = {"A": {"type": "object", "allOf": [ref("A")], "required": ["a"]}}
    assert json_schema.required_keys(ref("A"), definitions) == ("a",)


@pytest.mark.parametrize(
    ("earlier", "later", "expected"),
    [
        ((), ("a",), True),
        (("a",), ("a",), True),
        (("a",), ("b", "a"), True),
        (("a", "b"), ("a",), False),
        (("a",), (), False),
    ],
)
def test_shadows(earlier: tuple[str, ...], later: tuple[str, ...], expected: bool) -> None:
    assert json_schema.shadows(earlier, later) is expected


# --- enumerations ----------------------------------------------------------------------------


def test_an_enumeration_is_split_into_constants_and_the_rest() -> None:
    rest = {"type": "string", "pattern": "^_"}
    assert json_schema.split_enumeration(arms(const("a"), rest, const("b"))) == (
        ("a", "b"),
        [("/anyOf/1", rest)],
    )
    numbers = [{"type": "integer", "const": value} for value in (1, 2)]
    assert json_schema.split_enumeration(arms(*numbers)) == ((1, 2), [])


@pytest.mark.parametrize(
    "schemas",
    [
        (STRING,),
        (const("a"), {"type": "integer", "const": 1}),
        (const("a"), {"type": "integer"}),
        (const("a"), STRING, STRING),
        (const("a"), {"type": "string", "enum": ["b"]}),
        ({"const": 1.5},),
        ({"const": True},),
    ],
)
def test_what_is_not_an_enumeration(schemas: tuple[Schema, ...]) -> None:
    assert json_schema.split_enumeration(arms(*schemas)) is None


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
    assert json_schema.tag_candidates(schema) == {"kind": "a", "one": "b"}


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
    ],
)
def test_infer_tag(more: Schema, schemas: list[Schema], expected: str | None) -> None:
    assert json_schema.infer_tag(more, arms(*schemas)) == expected


@pytest.mark.parametrize(
    ("more", "schemas", "message"),
    [
        ({}, [arm(t="a"), arm(u="b")], "which member is the tag (found none)"),
        ({}, [arm(t="a", u="a"), arm(t="b", u="b")], "which member is the tag (found 't', 'u')"),
        ({}, [arm(t="a"), arm(t="a")], "several arms have the tag 'a'"),
        ({"discriminator": {"propertyName": "z"}}, [arm(t="a")], "'z' is not a constant in every"),
        ({"discriminator": {"propertyName": "t"}}, [ref("Point")], "not a constant in any arm"),
    ],
)
def test_a_tag_that_is_unclear(more: Schema, schemas: list[Schema], message: str) -> None:
    with pytest.raises(TagError) as caught:
        json_schema.infer_tag(more, arms(*schemas))
    assert message in str(caught.value)


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
    assert json_schema.excluded_tags(schema, "t") == expected


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
    assert json_schema.cyclic(definitions) == expected
