"""Tests that each schema shape accepts the same values as a JSON Schema validator."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from acpgen.analysis.shapes import (
    alternative_constants,
    integer,
    listed_constants,
    number,
    string,
)
from acpgen.common import paths
from acpgen.common.problems import InputError
from acpgen.emit.contexts.docstrings import documentation
from acpgen.emit.package import render_surface
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.ir.model import (
    AnyJson,
    Enumeration,
    Integer,
    Null,
    Nullable,
    Number,
    Record,
    Shape,
    String,
)
from acpgen.ir.wording import describe_member
from jsonschema import Draft202012Validator

from tests.acpgen.analysis.shapes import MORE, READ, UNREAD, R, Schema
from tests.acpgen.diff.small import INTEGER, STRING, Packages, read, record, ref
from tests.acpgen.schema.small_nodes import const, node, union


@pytest.mark.parametrize("name", UNREAD)
def test_what_would_go_unread_is_refused_or_listed(name: str) -> None:
    """Unsupported parts are errors in strict mode. Otherwise, they are only listed."""
    schema, at, message = UNREAD[name]
    definitions = {**MORE, "X": schema}
    listed = read(definitions).unchecked
    with pytest.raises(InputError) as caught:
        read(definitions, strict=True)
    found = {problem.pointer: problem for problem in caught.value.problems}
    place = f"/$defs/X{at}"
    if name == "members that differ in their repairs":  # the other field is reported
        place = "/$defs/Repaired/properties/a"
    else:
        assert place in listed
    assert listed
    assert (found[place].code, found[place].message) == ("unsupported", message)


def test_a_schema_beside_a_union_with_another_type_is_refused() -> None:
    schema = {"anyOf": [ref("A"), STRING], "allOf": [STRING]}
    with pytest.raises(InputError) as caught:
        read({**MORE, "X": schema}, strict=True)
    message = (
        "a schema next to a union with other types is not supported; move it into the variants"
    )
    found = {(problem.pointer, problem.message) for problem in caught.value.problems}
    assert ("/$defs/X/allOf/0", message) in found


@pytest.mark.parametrize(
    ("schema", "at"),
    [
        ({"anyOf": [ref("A"), ref("B")], "discriminator": "t"}, "/discriminator"),
        ({"$ref": "A"}, "/$ref"),
        ({"$ref": "#"}, "/$ref"),
    ],
)
def test_what_refers_to_nothing_is_refused(schema: Schema, at: str) -> None:
    with pytest.raises(InputError) as caught:
        read({**MORE, "X": schema})
    assert [problem.pointer for problem in caught.value.problems] == [f"/$defs/X{at}"]


def test_a_default_of_an_alias_of_itself_is_no_traceback() -> None:
    with pytest.raises(InputError) as caught:
        read({"X": {"allOf": [ref("X")], "default": 1}}, strict=True)
    assert [(each.code, each.pointer, each.message) for each in caught.value.problems] == [
        ("unsupported", "/$defs/X", "refers to itself; break the cycle")
    ]


@pytest.mark.parametrize(
    "name",
    [
        *("Annotated", "Any", "Literal", "TypeAlias", "Union"),
        *("SchemaDocument", "SchemaInfo", "TYPE_CHECKING", "X_", "decode_X", "encode_X", "field"),
        *("partial", "reducers"),
    ],
)
def test_names_that_the_output_needs_are_no_classes(name: str) -> None:
    [definition] = [
        each for each in read({name: R}).definitions.values() if each.definition == name
    ]
    assert definition.name != name


@pytest.mark.parametrize("name", ["SchemaDocument", "SchemaInfo", "TYPE_CHECKING"])
def test_a_person_renames_what_has_a_name_that_the_output_needs(name: str) -> None:
    with pytest.raises(InputError) as caught:
        read({name: R}, strict=True)
    assert [problem.code for problem in caught.value.problems] == ["bad-name"]
    assert caught.value.problems[0].message.endswith(f"; add a name for {name} to names.toml")


@pytest.mark.parametrize("name", ["State", "Rule", "Table"])
def test_names_that_only_other_modules_use_are_free(name: str) -> None:
    surface = read({name: R})
    files = render_surface(surface, paths.TEMPLATES)
    assert f"class {name}(Record):" in files[f"{surface.name}/types.py"]


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packages]:
    folder = tmp_path_factory.mktemp("packages")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield Packages(folder, "shapes")


@pytest.mark.parametrize("name", READ)
def test_strict_decoding_takes_what_is_valid(name: str, packages: Packages) -> None:
    schema, values = READ[name]
    definitions = {**MORE, "X": schema}
    module = packages.module(definitions)
    assert module.SCHEMA.unchecked == ()
    validator = Draft202012Validator({"$defs": definitions, **ref("X")})
    taken = 0
    for value in values:
        try:
            decoded = module.decode(module.TYPES["X"], value, strict=True)
        except module.DecodeError:
            assert not validator.is_valid(value), value
            continue
        assert validator.is_valid(value), value
        encoded = module.encode(decoded, module.TYPES["X"])
        assert json.dumps(encoded, sort_keys=True) == json.dumps(value, sort_keys=True)
        taken += 1
    assert 0 < taken < len(values)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "array", "prefixItems": [INTEGER], "items": STRING}, [1, "a"]),
        ({"type": "array", "prefixItems": [{}, {}], "items": False}, [None, {}]),
        (
            {
                "type": "object",
                "patternProperties": {"^n": INTEGER},
                "additionalProperties": STRING,
            },
            {"n": 1, "a": "b"},
        ),
    ],
)
def test_without_what_no_rule_reads_all_that_is_valid_is_taken(
    schema: Schema, value: Any, packages: Packages
) -> None:
    """If a keyword is unsupported, the keywords that depend on it are also left unchecked."""
    definitions = {**MORE, "X": record("a", a=schema)}
    assert Draft202012Validator(schema).is_valid(value)
    module = packages.module(definitions)
    decoded = module.decode(module.X, {"a": value}, strict=True)
    assert module.encode(decoded) == {"a": value}
    keywords = {at.rpartition("/")[2] for at in module.SCHEMA.unchecked}
    assert keywords == schema.keys() - {"type"}


RULED_OUT = READ["a tag that is ruled out and that no arm has"][0]


def test_the_default_mode_keeps_a_tag_that_is_ruled_out(packages: Packages) -> None:
    module = packages.module({**MORE, "X": RULED_OUT})
    issues: list[Any] = []
    value = {"t": "gone", "a": ""}
    decoded = module.decode(module.TYPES["X"], value, on_issue=issues.append)
    assert type(decoded) is module.UnknownX
    assert decoded.tag == "gone"
    assert [issue.pointer for issue in issues] == ["/t"]
    assert module.encode(decoded, module.TYPES["X"]) == value


def test_a_union_that_policy_closes_refuses_a_tag_that_is_ruled_out(packages: Packages) -> None:
    name = "RequestPermissionOutcome"
    assert name in load_overlay(paths.SCHEMA / "overlay").closed
    module = packages.module({**MORE, name: RULED_OUT})
    other = module.decode(module.TYPES[name], {"t": "other"}, strict=True)
    assert other.tag == "other"
    with pytest.raises(module.DecodeError, match="at /t"):
        module.decode(module.TYPES[name], {"t": "gone", "a": ""})


def test_formats_annotate(packages: Packages) -> None:
    """Docstrings mention formats, but only the ranges of integer formats are checked."""
    definitions = {
        "Data": {**STRING, "format": "byte"},
        "X": record(
            "at",
            at={**INTEGER, "format": "int8"},
            file={**STRING, "format": "uri", "description": "The file."},
            sizes={"type": "array", "items": {"type": "number", "format": "decimal"}},
            weight={"type": "number", "format": "double"},
            width={"type": "number", "format": "float"},
        ),
    }
    module = packages.module(definitions)
    value = {"at": 1, "file": "not a URI", "sizes": [1.5], "weight": 2}
    decoded = module.decode(module.X, value, strict=True)
    assert module.encode(decoded) == value
    assert module.decode(module.TYPES["Data"], "%", strict=True) == "%"
    with pytest.raises(module.DecodeError, match="at /at"):
        module.decode(module.X, {"at": 1000}, strict=True)
    surface = read(definitions)
    assert "\n\nThe format byte is not checked.\n\n" in documentation(surface)["Data"]
    members = getattr(surface.definitions["X"], "members", ())
    assert {each.name: describe_member(surface, "X", each) for each in members} == {
        "at": "",
        "file": "The file. The format uri is not checked.",
        "sizes": "The format decimal is not checked.",
        "weight": "",
        "width": "",
    }


# --- enumerations and scalars --------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("schemas", "expected", "descriptions"),
    [
        (
            [{**const("a"), "description": "First."}, const("b")],
            Enumeration(("a", "b"), String(), None, lenient=True),
            ("First.", None),
        ),
        (
            [{"enum": ["a", "b"]}, {**const("b"), "description": "Second."}],
            Enumeration(("a", "b"), String(), None, lenient=True),
            (None, "Second."),
        ),
        (
            [const("a"), {**STRING, "pattern": "^_"}],
            Enumeration(("a",), String(), String(None, "^_"), lenient=False),
            (None,),
        ),
        (
            [{"const": 1}, {**INTEGER, "minimum": 5}],
            Enumeration((1,), Integer(), Integer(5), lenient=False),
            (None,),
        ),
        (
            [{"const": 1}, {"const": 2}],
            Enumeration((1, 2), Integer(), None, lenient=False),
            (None, None),
        ),
    ],
)
def test_constants_become_an_enumeration(
    schemas: list[Schema], expected: Enumeration, descriptions: tuple[str | None, ...]
) -> None:
    found = alternative_constants(union(schemas).arms, lambda: True)
    assert found == expected
    assert found is not None
    assert found.descriptions == descriptions


def test_enumerations_are_lenient_only_if_the_policy_keeps_others() -> None:
    found = alternative_constants(union([const("a"), const("b")]).arms, lambda: False)
    assert found == Enumeration(("a", "b"), String(), None, lenient=False)


@pytest.mark.parametrize("lenient", [True, False])
def test_constants_of_a_schema(lenient: bool) -> None:
    def listed(schema: Schema) -> Shape:
        return listed_constants(node(schema), lambda: lenient)

    text = Enumeration(("a",), String(), None, lenient)
    assert listed({"const": "a"}) == text
    assert listed({"enum": ["a", None]}) == Nullable(text)
    assert listed({"enum": [1, 2]}) == Enumeration((1, 2), Integer(), None, lenient=False)
    assert listed({"const": None}) == Null()


def test_scalars_keep_their_bounds_and_formats() -> None:
    text = string(node({"minLength": 2, "pattern": "^a", "format": "uri"}))
    assert (text, text.format) == (String(2, "^a"), "uri")
    assert string(node({"minLength": 0})) == String()
    decimal = number(node({"minimum": 0.5, "maximum": 2, "format": "decimal"}))
    assert (decimal, decimal.format) == (Number(0.5, 2), "decimal")
    assert [number(node({"format": each})).format for each in ("double", "float")] == [None, None]
    assert integer(node({"format": "odd"})).format == "odd"
    assert integer(node({"format": "int8"})).format is None


ANYTHING: Schema = {"type": "object", "required": ["a"]}
OPTIONAL: Schema = {"type": "object", "properties": {"a": STRING}}


@pytest.mark.parametrize(
    ("parts", "shape", "required"),
    [
        ([ANYTHING, OPTIONAL], String(), True),
        ([OPTIONAL, ANYTHING], String(), True),
        ([OPTIONAL, record("a", a=STRING)], String(), True),
        ([record("a", a=STRING), OPTIONAL], String(), True),
        ([OPTIONAL, OPTIONAL], String(), False),
        ([ANYTHING], AnyJson(), True),
    ],
)
def test_parts_of_an_object_are_merged(parts: list[Schema], shape: Shape, required: bool) -> None:
    definition = read({"X": {"type": "object", "allOf": parts}}, strict=True).definitions["X"]
    assert isinstance(definition, Record)
    assert [(each.shape, each.required) for each in definition.members] == [(shape, required)]
