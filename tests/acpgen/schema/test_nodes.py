"""What nodes say about schemas, and the parts of schemas that no rule reads."""

from __future__ import annotations

from typing import Any

import pytest
from acpgen.analysis.shapes import alternative_constants, integer
from acpgen.ir.model import Integer
from acpgen.schema.envelopes import find_envelopes
from acpgen.schema.nodes import JSON_TYPES, Definitions, Node, SchemaUnion
from acpgen.schema.unread import find_unread

from tests.acpgen.diff.small import STRING, Schema, record, ref

NULL: Schema = {"type": "null"}
ANY = set(JSON_TYPES)


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


def union(schemas: Any, **more: Any) -> SchemaUnion:
    [found] = node({"anyOf": list(schemas), **more}).unions
    return found


# --- what a schema allows --------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"format": "uint8", "minimum": 5, "maximum": 900}, Integer(5, 255)),
        ({"format": "int8", "minimum": -900}, Integer(-128, 127)),
        ({"minimum": 0}, Integer(0, None)),
        ({}, Integer(None, None)),
    ],
)
def test_integer_shape(schema: Schema, expected: Integer) -> None:
    assert integer(node(schema)) == expected


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_a_format_is_the_range_of_its_bits(bits: int) -> None:
    half = 2 ** (bits - 1)
    assert integer(node({"format": f"uint{bits}"})) == Integer(0, 2 * half - 1)
    assert integer(node({"format": f"int{bits}"})) == Integer(-half, half - 1)


def test_an_envelope_may_lead_to_a_method_through_another() -> None:
    definitions = {
        "Call": {**record(), "x-method": "call"},
        "Calls": {"anyOf": [ref("Call"), NULL]},
        "Message": record(params=ref("Calls")),
        "Names": {"anyOf": [ref("Name"), NULL]},
        "Name": STRING,
    }
    assert find_envelopes(Definitions(definitions)) == {"Calls", "Message"}


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
    assert alternative_constants(union(schemas).arms, lambda: True) is None


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
    assert union(schemas, **more).tag == expected


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
        # A member ends a cycle: a value of the record need not have it, or has a smaller one.
        ({"A": record(a=ref("A"))}, []),
        ({"A": record(a=ref("B")), "B": ref("A")}, []),
        ({"A": True, "B": ref("A")}, []),
    ],
)
def test_cyclic(definitions: Schema, expected: list[str]) -> None:
    assert [node.name for node in Definitions(definitions).cyclic()] == expected


# --- what no rule reads -----------------------------------------------------------------------


REF = ref("A")
TAGGED = arm(t="a")
OTHER = other({"anyOf": [TAGGED]})
REPAIR: Schema = {**STRING, "x-deserialize-default-on-error": True}


# Assertions of JSON Schema, each with a value.
UNREAD: list[tuple[str, Any]] = [
    ("maxLength", 3),
    ("if", {}),
    ("then", STRING),
    ("else", STRING),
    ("contains", {}),
    ("uniqueItems", True),
    ("multipleOf", 5),
    ("prefixItems", [STRING]),
    ("propertyNames", STRING),
    ("dependentRequired", {"a": ["b"]}),
    ("patternProperties", {"^a": STRING}),
]


def found(schema: Schema, at: str = "/at") -> list[tuple[str, str, str]]:
    return list(find_unread(Node(schema, at, Definitions({"A": STRING}))))


@pytest.mark.parametrize(
    "schema",
    [
        {**REF, "description": "d", "x-docs-ignore": True},
        {"type": "object", "properties": {}, "additionalProperties": True},
        {"type": "object", "properties": {"a": True}, "unevaluatedProperties": True},
        {"type": "string", "enum": ["a"], "format": "uri"},
        {**STRING, "format": "byte", "examples": ["a"], "deprecated": True, "$comment": "c"},
        {**TAGGED, "anyOf": [REF, True], "oneOf": [REF, False]},
        {"type": "object", "properties": {"a/b": False}},
        {**TAGGED, "not": {"anyOf": [{"required": ["b"]}, {"required": ["c"]}]}},
    ],
)
def test_what_is_supported(schema: Schema) -> None:
    assert found(schema) == []


@pytest.mark.parametrize(
    ("schema", "at", "message"),
    [
        ({**TAGGED, "additionalProperties": False}, "/additionalProperties", "a closed object"),
        ({"type": ["string", "null"], "enum": ["a", 1]}, "/enum", "not of the stated type"),
        ({"enum": ["a", 1]}, "/enum", "constants must be strings or integers"),
        ({"const": {"a": 1}}, "/const", "constants must be strings or integers"),
        ({**OTHER, "not": {"anyOf": [REF]}}, "/not", "`not` has no rule but"),
        ({**TAGGED, "not": {"required": ["a", "b"]}}, "/not", "`not` has no rule but"),
        *(({**STRING, key: value}, f"/{key}", f"no rule reads '{key}'") for key, value in UNREAD),
    ],
)
def test_what_is_not_supported(schema: Schema, at: str, message: str) -> None:
    [(where, code, words)] = found(schema)
    assert (where, code) == (f"/at{at}", "unsupported")
    assert message in words
    assert "; " in words  # the advice


@pytest.mark.parametrize(
    ("kind", "key", "others", "stated"),
    [
        ("array", "items", "prefixItems", [{}]),
        ("object", "additionalProperties", "patternProperties", {"^a": {}}),
    ],
)
@pytest.mark.parametrize("rest", [STRING, False])
def test_what_others_leave_is_not_read_without_them(
    kind: str, key: str, others: str, stated: Any, rest: Any
) -> None:
    """Read alone, it would also refuse what the others accept."""
    schema = {"type": kind, key: rest, others: stated}
    assert sorted((where, words) for where, _, words in found(schema)) == [
        (f"/at/{key}", f"{key} beside {others} has no rule; allow any value"),
        (f"/at/{others}", f"no rule reads '{others}'; add one to the generator"),
    ]
    assert len(found({**schema, key: {}})) == 1


@pytest.mark.parametrize("keyword", ["x-new", "minlength", "x-deserialize-lossy"])
def test_keywords_of_nobody_are_found(keyword: str) -> None:
    [(where, code, message)] = found({**STRING, keyword: True})
    is_vendors = keyword.startswith("x-")
    assert code == ("unknown-vendor-keyword" if is_vendors else "unknown-keyword")
    assert where == f"/at/{keyword}"
    assert repr(keyword) in message


@pytest.mark.parametrize(
    ("at", "is_member"),
    [
        ("/$defs/A/properties/a", True),
        ("/$defs/A/properties/properties", True),
        ("/$defs/A", False),
        ("/$defs/properties", False),
        ("/$defs/A/properties/a/items", False),
    ],
)
def test_only_members_are_repaired(at: str, is_member: bool) -> None:
    keyword = "x-deserialize-default-on-error"
    message = "repairs nothing but a member of an object; move it there"
    misplaced = (f"{at}/{keyword}", "misplaced-keyword", message)
    assert found(REPAIR, at) == ([] if is_member else [misplaced])
