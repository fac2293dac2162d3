"""Shapes of schemas: each is read as an independent validator reads it, or it is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest
from acpgen import paths
from acpgen.diagnostics import InputError
from acpgen.emit.docstrings import documentation
from acpgen.emit.package import render_surface
from acpgen.inputs.overlay import load_overlay
from diff.small import INTEGER, STRING, Packages, read, record, ref, tagged, union
from jsonschema import Draft202012Validator

Schema: TypeAlias = dict[str, Any]

A = record("a", a=STRING)
B = record("b", b=STRING)
R = record("x", x=STRING)
CONST = {"type": "string", "const": "a"}


def any_of(*arms: Schema, **more: Any) -> Schema:
    return {"anyOf": list(arms), **more}


# A schema that is refused, as definition X; where in X the problem is; a part of the message.
UNREAD: dict[str, tuple[Schema, str, str]] = {
    "$ref beside an assertion": (
        {**ref("Name"), "minLength": 2},
        "/minLength",
        "beside another schema",
    ),
    "no type": ({"minLength": 2}, "/minLength", "without a type"),
    "allOf beside a bound": (
        {"allOf": [ref("Name")], "minLength": 2},
        "/minLength",
        "beside another schema",
    ),
    "anyOf beside a bound": (
        any_of(STRING, {"type": "null"}, type=["string", "null"], minLength=2),
        "/minLength",
        "beside a union",
    ),
    "two unions": (any_of(STRING, INTEGER, oneOf=[STRING, INTEGER]), "/oneOf", "beside anyOf"),
    "not of a string": ({**STRING, "not": CONST}, "/not", "`not` has no rule"),
    "not of an object": ({**A, "not": B}, "/not", "`not` has no rule"),
    "values beside members": (
        {**A, "additionalProperties": STRING},
        "/additionalProperties",
        "beside named members",
    ),
    "unevaluated values": (
        {**A, "unevaluatedProperties": STRING},
        "/unevaluatedProperties",
        "beside named members",
    ),
    "a map among objects with tags": (
        any_of(
            {**record("t", t=CONST), "allOf": [ref("A")]},
            {"type": "object", "additionalProperties": STRING},
        ),
        "/anyOf/1/additionalProperties",
        "the values of a map",
    ),
    "a tag that the object itself restricts": (
        {
            **record("m", m=STRING, t={**STRING, "minLength": 2}),
            **any_of(record("t", t=CONST), record("t", t={"type": "string", "const": "b"})),
        },
        "/properties/t",
        "the member that is the tag",
    ),
    "required in a map": (
        {"type": "object", "additionalProperties": STRING, "required": ["a"]},
        "/required",
        "required in a map",
    ),
    "bound beside constants": (
        {"type": "string", "enum": ["a", "b"], "minLength": 1},
        "/minLength",
        "beside constants",
    ),
    "constant of another type": ({**STRING, "const": 1}, "/const", "not of the stated type"),
    "const beside enum": ({"const": "a", "enum": ["a", "b"]}, "/enum", "beside const"),
    "no items": ({"type": "array", "items": False}, "/items", "must be empty"),
    "false as the only arm": (any_of(False), "/anyOf", "no value is allowed"),
    "false as a part": ({"allOf": [ref("A"), False]}, "/allOf/1", "no value is allowed"),
    "pattern of another dialect": (
        {"type": "string", "pattern": r"^\p{L}+$"},
        "/pattern",
        "not a regular expression in Python",
    ),
    "no empty value for null": (
        record(a={**STRING, "x-deserialize-default-on-null": True}),
        "/properties/a",
        "no empty value",
    ),
    "no items to skip": (
        record(a={**STRING, "x-deserialize-skip-invalid-items": True}),
        "/properties/a",
        "no items to skip",
    ),
    "tag that is a member of the arm": (
        any_of(
            {**record("a", a=CONST), "allOf": [ref("A")]},
            record("a", a={"type": "string", "const": "b"}),
        ),
        "/anyOf/0",
        "also a member of the arm",
    ),
    "members that differ in their repairs": (
        {
            "allOf": [ref("Repaired")],
            "type": "object",
            "properties": {"a": {"type": "array", "items": STRING}},
        },
        "/properties/a",
        "differently",
    ),
}
# Definitions beside X, to refer to.
MORE = {
    "A": A,
    "B": B,
    "R": R,
    "Name": STRING,
    "Rs": {"type": "array", "items": ref("R")},
    "MaybeR": any_of(ref("R"), {"type": "null"}),
    "Either": any_of(ref("A"), ref("B")),
    "Open": union(tagged("a"), tagged("b")),
    "Repaired": record(
        a={"type": "array", "items": STRING, "x-deserialize-skip-invalid-items": True}
    ),
}


@pytest.mark.parametrize("name", UNREAD)
def test_what_would_go_unread_is_refused(name: str) -> None:
    schema, at, words = UNREAD[name]
    with pytest.raises(InputError) as caught:
        read({**MORE, "X": schema}, strict=True)
    found = {problem.pointer: problem for problem in caught.value.problems}
    # Of two schemas that differ, either may be the one that is reported.
    place = f"/$defs/X{at}" if name != "members that differ in their repairs" else None
    problem = found[place] if place else next(iter(found.values()))
    assert problem.code == "unsupported"
    assert words in problem.message


@pytest.mark.parametrize("name", UNREAD)
def test_what_would_go_unread_is_listed(name: str) -> None:
    """In a schema that is not the vendored one."""
    schema, at, _ = UNREAD[name]
    found = read({**MORE, "X": schema}).unchecked
    assert found
    if name != "members that differ in their repairs":
        assert f"/$defs/X{at}" in found


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


def test_a_discriminator_that_no_arm_states_is_refused() -> None:
    """The arms lead to definitions that have the constant, where it is a member like others."""
    arms = {name: record("t", t={"type": "string", "const": name}) for name in ("C", "D")}
    union = any_of(ref("C"), ref("D"), discriminator={"propertyName": "t"})
    with pytest.raises(InputError) as caught:
        read({**arms, "X": union}, strict=True)
    [problem] = caught.value.problems
    assert (problem.pointer, problem.code) == ("/$defs/X/anyOf", "ambiguous-union")
    assert "add it to each arm" in problem.message


def test_a_default_of_an_alias_of_itself_is_no_traceback() -> None:
    with pytest.raises(InputError) as caught:
        read({"X": {"allOf": [ref("X")], "default": 1}}, strict=True)
    assert "refers to itself" in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        *("SchemaDocument", "SchemaInfo", "TYPE_CHECKING", "X_", "decode_X", "encode_X", "field"),
        *("partial", "reducers"),
    ],
)
def test_names_that_the_output_needs_are_refused(name: str) -> None:
    with pytest.raises(InputError) as caught:
        read({name: R})
    assert [problem.code for problem in caught.value.problems] == ["bad-name"]


@pytest.mark.parametrize("name", ["State", "Rule", "Table"])
def test_names_that_only_other_modules_use_are_free(name: str) -> None:
    surface = read({name: R})
    files = render_surface(surface, paths.TEMPLATES)
    assert f"class {name}(Record):" in files[f"{surface.name}/types.py"]


# A schema that is read, as definition X, and values of which some are valid.
READ: dict[str, tuple[Schema, list[Any]]] = {
    "constants that a pattern leaves out": (
        any_of(CONST, {"type": "string", "pattern": "^_"}),
        ["a", "_b", "b", "", 1, None],
    ),
    "constants that are too short": (
        any_of(CONST, {"type": "string", "minLength": 2}),
        ["a", "ab", "b", ""],
    ),
    "constants below the rest": (
        any_of({"type": "integer", "const": -1}, {"type": "integer", "minimum": 5}),
        [-1, -1.0, 5, 4, 0, True, "5"],
    ),
    "constants in a list": (
        {"type": "array", "items": any_of(CONST, {"type": "string", "pattern": "^_"})},
        [["a", "_"], ["b"], []],
    ),
    "an enum of one value as a tag": (
        any_of(
            {**record("t", t={"type": "string", "enum": ["a"]}), "allOf": [ref("A")]},
            {**record("t", t={"type": "string", "enum": ["b"]}), "allOf": [ref("B")]},
        ),
        [{"t": "a", "a": ""}, {"t": "b", "b": ""}, {"t": "a", "b": ""}, {"a": ""}],
    ),
    "objects by another name": (
        any_of(STRING, ref("Rs")),
        ["s", [{"x": "1"}], [], [{}], {"x": "1"}],
    ),
    "an alternative within": (
        any_of(STRING, {"type": "array", "items": ref("Either")}),
        ["s", [{"a": "1"}, {"b": "2", "c": 3}], [{}], 1],
    ),
    "a map of objects": (
        any_of(STRING, {"type": "object", "additionalProperties": ref("R")}),
        ["s", {"k": {"x": "1", "y": 2}}, {}, {"k": {}}, {"k": "s"}],
    ),
    "nullable items": (
        any_of(STRING, {"type": "array", "items": ref("MaybeR")}),
        ["s", [{"x": "1"}, None], [None], [{}]],
    ),
    "objects or integers in a list": (
        any_of(STRING, {"type": "array", "items": any_of(ref("R"), INTEGER)}),
        ["s", [{"x": "1"}, 1, 1.5], [{"x": "1"}, 1], [True]],
    ),
    "lists of lists": (
        any_of(STRING, {"type": "array", "items": ref("Rs")}),
        ["s", [[{"x": "1"}]], [[]], [[{}]], [{"x": "1"}]],
    ),
    "members of the object only": (
        {"type": ["string", "object"], "required": ["name"], "properties": {"name": STRING}},
        ["xyz", "my name", {"name": "n"}, {}, 1],
    ),
    "items of the list only": (
        {"type": ["string", "array"], "items": ref("R")},
        ["xyz", "x", [{"x": "1"}], [{}], {}],
    ),
    "an object or an open union in a member": (
        record("m", m=any_of(ref("R"), ref("Open"))),
        [{"m": {"x": "1"}}, {"m": {"kind": "a"}}, {"m": {"kind": "c"}}, {"m": 1}, {}],
    ),
    "$ref beside members": (
        {**ref("A"), "properties": {"b": STRING}},
        [{"a": "1"}, {"a": "1", "b": "2"}, {"b": "2"}, {"a": "1", "b": 2}],
    ),
    "anything as the last arm": (
        record("m", m=any_of(ref("A"), INTEGER, True)),
        [{"m": {"a": "1"}}, {"m": 1}, {"m": {"a": 1}}, {"m": None}, {}],
    ),
    "a forbidden member": (
        {"type": "object", "properties": {"a": False, "b": STRING}},
        [{}, {"b": "1"}, {"c": 1}, {"a": 1}, {"a": None, "b": "1"}],
    ),
    "a member that must be absent": (
        {**A, "not": {"type": "object", "required": ["type"]}},
        [{"a": "1"}, {"a": "1", "b": 2}, {"a": "1", "type": "t"}, {}],
    ),
    "one of two that exclude each other": (
        {
            "oneOf": [
                {**record("a", a=STRING), "not": {"required": ["b"]}},
                {**record("b", b=STRING), "not": {"required": ["a"]}},
            ]
        },
        [{"a": ""}, {"b": "", "c": 1}, {"a": "", "b": ""}, {}],
    ),
    "exactly one of two": (
        {"oneOf": [ref("A"), ref("B")]},
        [{"a": ""}, {"b": ""}, {"a": "", "b": ""}, {"a": "", "b": 1}, {}],
    ),
    "a tag that is ruled out and that no arm has": (
        any_of(
            {**record("t", t=CONST), "allOf": [ref("A")]},
            {
                **record("t", t=STRING),
                "not": {
                    "anyOf": [
                        record("t", t=CONST),
                        record("t", t={"type": "string", "const": "gone"}),
                    ]
                },
            },
        ),
        [{"t": "a", "a": ""}, {"t": "b"}, {"t": "gone"}, {"t": "gone", "a": ""}, {}],
    ),
    "a tag of no arm beside one without": (
        any_of(
            {**record("t", t=CONST), "allOf": [ref("A")]},
            {**B, "not": {"required": ["t"]}},
            {**record("t", t=STRING), "not": record("t", t=CONST)},
        ),
        [{"t": "a", "a": ""}, {"b": ""}, {"t": "x", "b": ""}, {"t": "x"}, {}, {"t": 1, "b": ""}],
    ),
    "a tagged union beside another": (
        {
            **record("m", m=STRING),
            "anyOf": [ref("A"), ref("B")],
            "oneOf": [
                record("t", t=CONST),
                {**record("t", "x", t={"type": "string", "const": "b"}, x=STRING)},
            ],
        },
        [
            {"m": "", "t": "a", "a": ""},
            {"m": "", "t": "b", "x": "", "b": ""},
            {"m": "", "t": "b", "b": ""},
            {"m": "", "t": "a"},
            {"t": "a", "a": ""},
        ],
    ),
    "a tag that is null in the arms only": (
        {
            **record("t", t=STRING),
            **any_of(
                record("t", t=CONST),
                {"type": "object", "properties": {"t": {"type": "null"}}},
            ),
        },
        [{"t": "a"}, {"t": None}, {}, {"t": "b"}],
    ),
    "constants and null": ({"enum": ["a", "b", None]}, ["a", None, "c", 1]),
    "only null": ({"const": None}, [None, 1, "", {}]),
    "allOf around a string": ({"allOf": [{**STRING, "minLength": 2}]}, ["ab", "a", 1]),
    "a nullable object": (
        {"type": ["object", "null"], "properties": {"x": STRING}, "required": ["x"]},
        [None, {"x": "1"}, {}, "s"],
    ),
    "a nullable union": (
        any_of(
            {**record("t", t=CONST), "allOf": [ref("A")]},
            {**record("t", t={"type": "string", "const": "b"}), "allOf": [ref("B")]},
            {"type": "null"},
        ),
        [None, {"t": "a", "a": "1"}, {"t": "b", "b": "1"}, {"t": "a"}, "s"],
    ),
    "a nullable map": (
        {"type": ["object", "null"], "additionalProperties": ref("R")},
        [None, {}, {"k": {"x": "1"}}, {"k": {}}, []],
    ),
}


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
    """A format that is no range of integers checks nothing; docstrings name it."""
    definitions = {
        "Data": {**STRING, "format": "byte"},
        "X": record(
            "at",
            at={**INTEGER, "format": "int8"},
            file={**STRING, "format": "uri", "description": "The file."},
            sizes={"type": "array", "items": {"type": "number", "format": "decimal"}},
            weight={"type": "number", "format": "double"},
        ),
    }
    module = packages.module(definitions)
    value = {"at": 1, "file": "not a URI", "sizes": [1.5], "weight": 2}
    decoded = module.decode(module.X, value, strict=True)
    assert module.encode(decoded) == value
    assert module.decode(module.TYPES["Data"], "%", strict=True) == "%"
    with pytest.raises(module.DecodeError, match="at /at"):
        module.decode(module.X, {"at": 1000}, strict=True)
    texts = documentation(read(definitions))
    assert "\n\nIn the format byte, which is not checked.\n\n" in texts["Data"]
    assert (
        "Attributes:\n"
        "    file: The file. In the format uri, which is not checked.\n"
        "    sizes: In the format decimal, which is not checked.\n\n"
    ) in texts["X"]
