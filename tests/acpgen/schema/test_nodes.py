"""Tests of the properties of schema nodes."""

from __future__ import annotations

from typing import Any

import pytest
from acpgen.schema.nodes import Definitions, Node

from tests.acpgen.diff.small import STRING, Schema, record, ref
from tests.acpgen.schema.small_nodes import ANY, DEFINITIONS, NULL, arm, const, node, other, union

# --- allowed values --------------------------------------------------------------------------


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
    ("type_", "keys"),
    [
        ("string", {"minLength", "pattern", "format"}),
        ("integer", {"minimum", "maximum", "format"}),
        ("number", {"minimum", "maximum", "format"}),
        ("boolean", set()),
        ("array", {"items", "minItems"}),
        (
            "object",
            {
                *("properties", "required", "additionalProperties", "unevaluatedProperties"),
                *("not", "allOf", "anyOf", "oneOf"),
            },
        ),
    ],
)
def test_restricted_schemas_have_only_the_keywords_of_one_type(type_: str, keys: set[str]) -> None:
    of_types = [
        *("minLength", "pattern", "format", "minimum", "maximum", "items", "minItems"),
        *("properties", "required", "additionalProperties", "unevaluatedProperties", "not"),
        *("allOf", "anyOf", "oneOf"),
    ]
    schema = {"type": [type_, "null"], "description": "d", **dict.fromkeys(of_types)}
    stated = node(schema).restricted(type_).stated
    assert stated.keys() == {"type", "description", *keys}
    assert stated["type"] == type_


@pytest.mark.parametrize(
    ("format_", "is_bound"), [("uint8", True), ("int64", True), ("uri", False)]
)
def test_only_formats_of_integers_constrain_values(format_: str, is_bound: bool) -> None:
    assert node({"format": format_}).accepts_anything is not is_bound


def test_walking_skips_negations_booleans_and_unsupported_keywords() -> None:
    schema = {
        "properties": {"a/b": {"items": STRING}, "c": True},
        "anyOf": [STRING, False],
        "not": STRING,
        "contains": STRING,
    }
    assert [each.at for each in node(schema).walk()] == [
        *("/at", "/at/properties/a~1b", "/at/properties/a~1b/items", "/at/anyOf/0")
    ]


@pytest.mark.parametrize(("name", "is_map"), [("Point", False), ("Map", True)])
def test_a_map_is_no_object(name: str, is_map: bool) -> None:
    found = node(DEFINITIONS[name])
    assert (found.is_object, found.is_map) == (not is_map, is_map)


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
def test_a_union_without_a_part_of_an_arm_is_not_exclusive(removed: str, exclusive: bool) -> None:
    arms = [{"type": "array", "items": ref("Points")}, STRING]
    definitions = Definitions(DEFINITIONS, [removed])
    [union] = Node({"oneOf": arms}, "/at", definitions).unions
    assert union.exclusive is exclusive


def test_a_union_that_refers_to_itself_is_exclusive() -> None:
    definitions = Definitions({"A": record(a=ref("B")), "B": record(a=ref("A"))}, ["/other"])
    [union] = Node({"oneOf": [ref("A"), STRING]}, "/at", definitions).unions
    assert union.exclusive


# --- parts -----------------------------------------------------------------------------------


def test_a_definition_of_a_method_states_its_side_and_description() -> None:
    found = node({"description": "d", "x-side": "agent", "x-method": "a/b"})
    assert (found.description, found.side, found.method) == ("d", "agent", "a/b")
    assert (node({}).description, node({}).side, node({}).method) == (None, None, None)


def test_a_missing_part_accepts_anything() -> None:
    found = node({"items": STRING, "not": STRING})
    assert found.part("items").stated == STRING
    for part in (found.part("contains"), found.anything("not")):
        assert part.accepts_anything
    assert found.anything("not").at == "/at/not"


def test_references_are_parts_of_a_schema() -> None:
    found = node({**ref("Name"), "allOf": [STRING, {}, True]})
    assert [(part.at, part.stated) for part in found.conjuncts] == [
        ("/at/allOf/0", STRING),
        ("/at/$ref", ref("Name")),
    ]


@pytest.mark.parametrize(
    ("schema", "at", "target"),
    [
        ({"allOf": [{"allOf": [STRING]}]}, "/at/allOf/0/allOf/0", None),
        ({"allOf": [{}, STRING], "description": "d"}, "/at/allOf/1", None),
        ({"allOf": [STRING, STRING]}, "/at", None),
        ({"allOf": [STRING], "minLength": 1}, "/at", None),
        ({"allOf": [ref("Name")]}, "/at/allOf/0", "Name"),
        ({"allOf": [ref("Point")], "type": "object"}, "/at", "Point"),
        ({"allOf": [ref("Point"), ref("Name")]}, "/at", None),
        (ref("Alias"), "/at", "Alias"),
        ({**ref("Name"), "minLength": 1}, "/at", None),
    ],
)
def test_schemas_that_only_contain_another_are_that_schema(
    schema: Schema, at: str, target: str | None
) -> None:
    found = node(schema)
    assert found.bare.at == at
    assert (found.target and found.target.name) == target


def test_chains_of_references_are_resolved() -> None:
    assert node({"allOf": [ref("Alias")]}).resolved.at == "/$defs/Name"
    assert node(STRING).resolved.at == "/at"


@pytest.mark.parametrize(
    ("schema", "keys"),
    [
        ({"not": {"required": ["a"]}}, ("a",)),
        (
            {"not": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}, {"required": ["a"]}]}},
            ("a", "b"),
        ),
        ({"not": {"type": "object", "required": ["a"]}}, ("a",)),
        ({"properties": {"a": False, "b": True}}, ("a",)),
        ({"allOf": [{"type": "object", "properties": {"a": False}}]}, ("a",)),
        ({"not": {"required": ["a", "b"]}}, ()),
        ({"not": {"type": "string", "required": ["a"]}}, ()),
        ({"not": {"required": ["a"], "minProperties": 1}}, ()),
        ({"not": True}, ()),
        ({"type": ["object", "null"], "not": {"required": ["a"]}}, ()),
    ],
)
def test_fields_can_be_forbidden(schema: Schema, keys: tuple[str, ...]) -> None:
    assert node({"type": "object", **schema}).absent_keys == keys


# --- required fields of objects ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (record("b", "a", a=STRING), ("b", "a")),
        (ref("Point"), ("x",)),
        ({"allOf": [ref("Point"), record("y", "x")], "required": ["z"]}, ("x", "y", "z")),
        (ref("Points"), ("x",)),
        ({"type": "array", "items": record("a")}, ("a",)),
        # Schemas that can't be distinguished by their fields have no keys.
        ({"type": "array", "items": STRING}, ()),
        ({"type": "array", "items": ref("Map")}, ()),
        ({"type": ["object", "null"], "required": ["a"]}, ()),
        (STRING, ()),
        (True, ()),
    ],
)
def test_required_keys(schema: Any, expected: tuple[str, ...]) -> None:
    assert node(schema).required_keys == expected


# --- tags ------------------------------------------------------------------------------------


def test_tag_candidates_are_required_constants() -> None:
    enums = {"one": {"enum": ["b"]}, "two": {"enum": ["b", "c"]}}
    schema = record("kind", *enums, "number", kind=const("a"), number={"const": 1}, **enums)
    schema["properties"] |= {"optional": const("d"), "any": True}
    assert node(schema).tags == {"kind": "a", "one": "b"}


@pytest.mark.parametrize(
    ("more", "schemas", "expected"),
    [
        ({}, [arm(t="a"), arm(t="b")], "t"),
        # Variants without a constant, such as the variant for other tags, are ignored.
        ({}, [arm(t="a"), record("x", x=STRING), ref("Point")], "t"),
        ({}, [arm(t="a", u="x"), arm(t="b")], "t"),
        ({"discriminator": {"propertyName": "u"}}, [arm(t="a", u="x"), arm(t="b", u="y")], "u"),
        ({}, [record("x", x=STRING), STRING], None),
        ({}, [], None),
        # These fields aren't tags.
        ({}, [arm(t="a"), arm(u="b")], None),
        ({}, [arm(t="a", u="a"), arm(t="b", u="b")], None),
        ({}, [arm(t="a"), arm(t="a")], None),
        ({"discriminator": {"propertyName": "z"}}, [arm(t="a")], None),
        ({"discriminator": {"propertyName": "t"}}, [ref("Point")], None),
        ({}, [arm(t="a"), arm(t="b"), {**record("t", t=STRING), "not": arm(t="a")}], None),
        ({}, [arm(t="a"), other(arm(t="a"))], "t"),
        ({}, [arm(t="a"), other(arm(t="a")), other(arm(t="a"))], None),
    ],
)
def test_find_tag(more: Schema, schemas: list[Schema], expected: str | None) -> None:
    assert union(schemas, **more).tag == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (other({"anyOf": [arm(t="a"), arm(t="b")]}), {"a", "b"}),
        (other(arm(t="a")), {"a"}),
        (other(arm(t="a"), {**STRING, "description": "any other"}), {"a"}),
        (other({"anyOf": []}), set()),
        # These aren't variants for other tags.
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
    assert node(schema).excluded_tags("t") == expected


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
        # Cycles through fields are harmless, since a field is either absent or contains a smaller
        # value.
        ({"A": record(a=ref("A"))}, []),
        ({"A": record(a=ref("B")), "B": ref("A")}, []),
        ({"A": True, "B": ref("A")}, []),
        ({"A": {**STRING, "not": ref("A")}}, []),
        ({"A": {**STRING, "$defs": {"B": ref("A")}}}, []),
    ],
)
def test_cyclic(definitions: Schema, expected: list[str]) -> None:
    assert [node.name for node in Definitions(definitions).cyclic()] == expected
